//! Yes, no, and choosing from a list.

use super::words::plain;

/// Answer to a yes/no question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum YesNo {
    Yes,
    No,
}

const YES: &[&str] = &[
    "yes",
    "yeah",
    "yep",
    "yup",
    "yes it is",
    "sure",
    "of course",
    "correct",
    "right",
    "that's right",
    "that is right",
    "that's correct",
    "exactly",
    "absolutely",
    "definitely",
    "ok",
    "okay",
    "all right",
    "alright",
    "sounds good",
    "sounds right",
    "sounds great",
    "perfect",
    "great",
    "fine",
    "that's fine",
    "that works",
    "works for me",
    "uh huh",
    "mm hmm",
    "mhm",
    "mm",
    "please",
    "please do",
    "go ahead",
    "do it",
    "go for it",
    "you got it",
    "you bet",
    "affirmative",
    "i do",
    "i would",
    "i am",
    "it is",
    "it does",
    "looks good",
    "all good",
    "good",
    "si",
    "ya",
    "indeed",
    "true",
    "yea",
    "that'd be great",
    "that would be great",
    "i'd like that",
    "that is correct",
    "everything is right",
    "everything's right",
    "that's it",
    "yes please",
    "why not",
    "i guess",
    "i think so",
    "i guess so",
    "it's correct",
];

const NO: &[&str] = &[
    "no",
    "nope",
    "nah",
    "no it isn't",
    "no thanks",
    "no thank you",
    "not really",
    "negative",
    "wrong",
    "incorrect",
    "that's wrong",
    "that's not right",
    "that is not right",
    "not right",
    "not correct",
    "that's incorrect",
    "never",
    "i don't",
    "i do not",
    "i'm not",
    "it isn't",
    "it's not",
    "it doesn't",
    "not quite",
    "not at all",
    "uh uh",
    "nuh uh",
    "absolutely not",
    "of course not",
    "definitely not",
    "no way",
    "none",
    "nobody",
    "no one",
    "nothing",
    "i'm good",
    "i'm fine",
    "i'm all set",
    "that's all",
    "that's it",
    "that is all",
    "that'll be all",
    "nothing else",
    "not now",
    "not today",
    "don't",
    "i don't think so",
    "i'd rather not",
    "all set",
    "that'll do",
];

/// What yes and no are in one language, in plain words.
#[derive(Debug)]
pub struct Lists {
    pub yes: &'static [&'static str],
    pub no: &'static [&'static str],
    /// Words in front of an answer that are no part of it.
    pub openers: &'static [&'static str],
}

static LISTS: Lists = Lists {
    yes: YES,
    no: NO,
    openers: &["um", "uh", "oh", "well", "so", "and", "hmm", "er", "ah", "hm", "erm"],
};

/// Reads yes or no from the beginning of an utterance; anything after it may add to it, so "yes, but …" is yes.
#[must_use]
pub fn yes_no(text: &str) -> Option<YesNo> {
    LISTS.read(&plain(text))
}

/// Whether the utterance is nothing but a yes or a no.
#[must_use]
pub fn is_bare_yes_no(text: &str) -> bool {
    LISTS.is_bare(&plain(text))
}

impl Lists {
    /// Reads the answer that plain words begin with.
    #[must_use]
    pub fn read(&self, whole: &str) -> Option<YesNo> {
        // "Uh-huh" begins like a filler and is none.
        let hums = whole.starts_with("uh huh") || whole.starts_with("uh uh");
        let plain = if hums { whole } else { self.without_openers(whole) };
        // "no" wins over a "yes" phrase of the same length; the longest phrase decides.
        let longest = |list: &[&str]| list.iter().filter(|p| opens(plain, p)).map(|p| p.len()).max();
        match (longest(self.yes), longest(self.no)) {
            (Some(yes), Some(no)) => Some(if yes > no { YesNo::Yes } else { YesNo::No }),
            (Some(_), None) => Some(YesNo::Yes),
            (None, Some(_)) => Some(YesNo::No),
            (None, None) => None,
        }
    }

    /// Whether plain words are nothing but an answer.
    #[must_use]
    pub fn is_bare(&self, whole: &str) -> bool {
        let plain = if self.holds(whole) { whole } else { self.without_openers(whole) };
        self.holds(plain) || plain.split_once(' ').is_some_and(|(a, b)| self.holds(a) && self.holds(b))
    }

    fn holds(&self, phrase: &str) -> bool {
        self.yes.contains(&phrase) || self.no.contains(&phrase)
    }

    fn without_openers<'t>(&self, text: &'t str) -> &'t str {
        let mut rest = text;
        while let Some((first, after)) = rest.split_once(' ') {
            if !self.openers.contains(&first) {
                break;
            }
            rest = after;
        }
        rest
    }
}

fn opens(text: &str, phrase: &str) -> bool {
    text.strip_prefix(phrase).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}

/// Which of `count` offered things the caller picked by its place: "the second one", "number 2", "the last".
#[must_use]
pub fn choice(text: &str, count: usize) -> Option<usize> {
    let plain = plain(text);
    let words: Vec<&str> = plain.split(' ').collect();
    let has = |word: &str| words.contains(&word);
    let later = ["latest", "later one", "latter", "later of", "later time"];
    let earlier = ["earlier one", "former", "earlier of", "earlier time"];
    let place = if has("last") || later.iter().any(|said| plain.contains(said)) {
        count
    } else if has("middle") && count == 3 {
        2
    } else if earlier.iter().any(|said| plain.contains(said))
        || plain.contains("earliest")
        || plain.contains("soonest")
        || plain.contains("either")
        || plain.contains("any of")
        || plain.contains("whichever")
        || plain.contains("doesn't matter")
        || plain.contains("don't care")
        || plain.contains("any time")
    {
        1
    } else {
        words.iter().find_map(|w| super::number::ordinal(w)).or_else(|| numbered(&words))? as usize
    };
    (1..=count).contains(&place).then(|| place - 1)
}

fn numbered(words: &[&str]) -> Option<u32> {
    let after = words.iter().position(|w| matches!(*w, "number" | "option" | "slot" | "choice"));
    let lone = (words.len() == 1).then_some(0);
    let at = after.map(|n| n + 1).or(lone)?;
    super::number::cardinal_at(words.get(at..)?).map(|n| n.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn yes_in_its_usual_forms() {
        for text in [
            "Yes.",
            "yeah",
            "Yep!",
            "Uh-huh.",
            "Mm-hmm",
            "That's right.",
            "Correct.",
            "Um, yes please.",
            "Sure, go ahead.",
            "Okay.",
            "sounds good",
            "Yes, but the number is different",
            "Right.",
            "oh absolutely",
            "Please do.",
            "Yeah yeah.",
        ] {
            assert_eq!(yes_no(text), Some(YesNo::Yes), "{text}");
        }
    }

    #[test]
    fn no_in_its_usual_forms() {
        for text in [
            "No.",
            "Nope",
            "nah",
            "No, thank you.",
            "Not really.",
            "That's wrong.",
            "That's not right.",
            "uh, no",
            "I don't think so.",
            "No no no.",
            "Nobody was hurt.",
            "I'm good.",
            "That's all.",
        ] {
            assert_eq!(yes_no(text), Some(YesNo::No), "{text}");
        }
    }

    #[test]
    fn other_words_are_neither() {
        for text in ["Maybe tomorrow", "202 555 0143", "North Street", "The yellow house", "", "notice"] {
            assert_eq!(yes_no(text), None, "{text}");
        }
    }

    #[test]
    fn choices_by_place() {
        for (text, n) in [
            ("The second one.", 1),
            ("the 2nd", 1),
            ("First one please", 0),
            ("number three", 2),
            ("option 2", 1),
            ("The last one", 2),
            ("uh the later one, ten thirty", 2),
            ("the earlier one I guess", 0),
            ("2", 1),
            ("the earliest", 0),
            ("Either is fine", 0),
        ] {
            assert_eq!(choice(text, 3), Some(n), "{text}");
        }
        assert_eq!(choice("the fifth", 3), None);
        assert_eq!(choice("Tuesday", 3), None);
    }
}
