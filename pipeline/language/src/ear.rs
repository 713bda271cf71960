//! The readers of one language, behind one name: what the dialogue listens with.

use std::collections::HashSet;
use std::sync::LazyLock;

use crate::Language;
use crate::cues::Cues;
use crate::english::answer::YesNo;
use crate::english::cues;
use crate::english::digits::{self, Phone, PhoneAnswer};
use crate::english::when::{Direction, When};
use crate::english::{self, when, words};
use crate::sound::likeness;
use crate::spanish;
use crate::tagger::{self, Kind};
use chrono::{NaiveDate, NaiveDateTime, NaiveTime};

/// The tagger's findings count from here (0–1), where a value is made of them.
const SURE: f32 = 0.8;

/// Listens in one language.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ear(pub Language);

/// Stems of words that say what is asked about a thing, but name none.
fn generic(ear: Ear) -> &'static HashSet<String> {
    static ENGLISH: LazyLock<HashSet<String>> = LazyLock::new(|| stems(Language::En));
    static SPANISH: LazyLock<HashSet<String>> = LazyLock::new(|| stems(Language::Es));
    match ear.0 {
        Language::En => &ENGLISH,
        Language::Es => &SPANISH,
    }
}

fn stems(language: Language) -> HashSet<String> {
    let ear = Ear(language);
    ear.terms(ear.cues().generic).into_iter().collect()
}

/// Calls the reader of the ear's language.
macro_rules! by_language {
    ($self:ident, $($path:ident)::+ ( $($argument:expr),* )) => {
        match $self.0 {
            Language::En => english::$($path)::+($($argument),*),
            Language::Es => spanish::$($path)::+($($argument),*),
        }
    };
}

/// Words of the longest answer that is known by its sound.
const ANSWER_WORDS: usize = 5;
/// Digits of a telephone number without its area code, and of that.
const LOCAL_DIGITS: usize = 7;
const AREA_DIGITS: usize = 3;
/// From here on words sound like an answer.
const ANSWER_ALIKE: f32 = 0.78;

impl Ear {
    /// What is listened for word by word.
    #[must_use]
    pub fn cues(self) -> &'static Cues {
        match self.0 {
            Language::En => &cues::ENGLISH,
            Language::Es => &spanish::cues::SPANISH,
        }
    }

    /// Whether a wish about calls is that nobody calls: "don't call me", and not "don't call before noon".
    #[must_use]
    pub fn refuses_call(self, wish: &str) -> bool {
        let plain = self.plain(wish);
        let words: Vec<&str> = plain.split(' ').collect();
        let no: &[&str] = match self.0 {
            Language::En => &["no", "not", "don't", "dont", "nobody", "never", "without", "needn't"],
            Language::Es => &["no", "nadie", "nunca", "ni"],
        };
        let calls = match self.0 {
            Language::En => "call",
            Language::Es => "llam",
        };
        let limits: &[&str] = match self.0 {
            Language::En => &[
                "before", "after", "until", "till", "at", "on", "unless", "too", "between", "while", "during",
            ],
            Language::Es => {
                &["antes", "despues", "hasta", "en", "a", "los", "el", "tan", "entre", "durante", "mientras"]
            }
        };
        let Some(at) = words.iter().position(|word| no.contains(word)) else { return false };
        // "Call me, not him" wants a call; "not call your other" speaks of none.
        let wanted = words[..at].iter().any(|word| word.starts_with(calls));
        let bare = matches!(words[at..], ["not", call, "your" | "the" | "a", ..] if call.starts_with(calls));
        !wanted && !bare && !words.iter().any(|word| limits.contains(word))
    }

    /// Lower case, one space between words; in Spanish without accents too.
    #[must_use]
    pub fn plain(self, text: &str) -> String {
        by_language!(self, words::plain(text))
    }

    /// Stems of the content words.
    #[must_use]
    pub fn terms(self, text: &str) -> Vec<String> {
        match self.0 {
            Language::En => english::terms::terms(text),
            Language::Es => spanish::words::terms(text),
        }
    }

    /// Stems of the words that name a subject; words like "cost" or "office" name none.
    #[must_use]
    pub fn subjects(self, text: &str) -> Vec<String> {
        let generic = generic(self);
        let plain = self.without_kin(&self.plain(text));
        self.terms(&plain).into_iter().filter(|term| !generic.contains(term)).collect()
    }

    /// "How does my grandson register" without whom it is asked for.
    fn without_kin(self, plain: &str) -> String {
        let Some((whose, kin)) = self.cues().kin.split_once('|') else { return plain.to_owned() };
        let words: Vec<&str> = plain.split(' ').collect();
        let is = |list: &str, word: &str| list.split(' ').any(|one| one == word.trim_end_matches("'s"));
        let own = |at: usize| {
            at > 0 && is(whose, words[at - 1]) && is(kin, words[at])
                || words.get(at + 1).is_some_and(|next| is(whose, words[at]) && is(kin, next))
        };
        let kept: Vec<&str> = (0..words.len()).filter(|&at| !own(at)).map(|at| words[at]).collect();
        kept.join(" ")
    }

    /// Whether words end with whose name comes next, and it is not the speaker's: "my mother is", "mi hija se llama".
    #[must_use]
    pub fn is_of_kin(self, before: &str) -> bool {
        const NEAR: usize = 4;
        let Some((whose, kin)) = self.cues().kin.split_once('|') else { return false };
        let plain = self.plain(before);
        let words: Vec<&str> = plain.split(' ').collect();
        let is = |list: &str, word: &str| list.split(' ').any(|one| one == word.trim_end_matches("'s"));
        let near = &words[words.len().saturating_sub(NEAR)..];
        near.windows(2).any(|pair| is(whose, pair[0]) && is(kin, pair[1]))
    }

    /// Whether a question asks for something in particular: how much, when, where.
    #[must_use]
    pub fn asks(self, text: &str) -> bool {
        match self.0 {
            Language::En => english::asked::asks(text),
            Language::Es => spanish::words::asks(text),
        }
    }

    #[must_use]
    pub fn without_fillers(self, text: &str) -> &str {
        by_language!(self, words::without_fillers(text))
    }

    #[must_use]
    pub fn is_question(self, text: &str) -> bool {
        by_language!(self, words::is_question(text))
    }

    /// Whether words name no place that anybody else could find: "outside my house", "la calle, pues".
    #[must_use]
    pub fn is_vague_place(self, text: &str) -> bool {
        let (plain, cues) = (self.plain(text), self.cues());
        // "Tuesday and then" is none either.
        let vague = |word: &str| {
            let weekday = self.calendar_word(word) == Some(CalendarWord::Weekday);
            weekday || cues.vague_place.split(' ').any(|vague| vague == word)
        };
        !plain.is_empty() && plain.split(' ').all(|word| vague(word) || cues.small.contains(&word))
    }

    #[must_use]
    pub fn yes_no(self, text: &str) -> Option<YesNo> {
        by_language!(self, answer::yes_no(text))
    }

    #[must_use]
    pub fn is_bare_yes_no(self, text: &str) -> bool {
        by_language!(self, answer::is_bare_yes_no(text))
    }

    /// Which of `count` offered things was picked by its place.
    #[must_use]
    pub fn choice(self, text: &str, count: usize) -> Option<usize> {
        by_language!(self, answer::choice(text, count))
    }

    /// Value of one ordinal word or written ordinal ("4th").
    #[must_use]
    pub fn ordinal(self, word: &str) -> Option<u32> {
        by_language!(self, number::ordinal(word))
    }

    /// A cardinal at the start of plain words, and how many it took.
    #[must_use]
    pub fn cardinal_at(self, words: &[&str]) -> Option<(u32, usize)> {
        by_language!(self, number::cardinal_at(words))
    }

    #[must_use]
    pub fn when(self, text: &str, now: NaiveDateTime, direction: Direction) -> Option<When> {
        by_language!(self, when::when(text, now, direction))
    }

    #[must_use]
    pub fn birth_date(self, text: &str, today: NaiveDate) -> Option<NaiveDate> {
        by_language!(self, when::birth_date(text, today))
    }

    /// For reading back: "Saturday, November 21, at 3 PM".
    #[must_use]
    pub fn spoken_when(self, when: &When) -> String {
        match self.0 {
            Language::En => when.spoken(),
            Language::Es => spanish::when::spoken(when),
        }
    }

    #[must_use]
    pub fn spoken_date(self, date: NaiveDate) -> String {
        by_language!(self, when::spoken_date(date))
    }

    #[must_use]
    pub fn spoken_time(self, time: NaiveTime) -> String {
        by_language!(self, when::spoken_time(time))
    }

    /// A day and a time that belong together: "Tuesday, November 24 at 9 AM".
    #[must_use]
    pub fn spoken_moment(self, at: NaiveDateTime) -> String {
        match self.0 {
            Language::En => format!("{} at {}", when::spoken_date(at.date()), when::spoken_time(at.time())),
            Language::Es => spanish::when::spoken_moment(at),
        }
    }

    /// A further time of the same day: "or 1 PM".
    #[must_use]
    pub fn spoken_time_again(self, time: NaiveTime) -> String {
        match self.0 {
            Language::En => when::spoken_time(time),
            Language::Es => spanish::when::at_time(time),
        }
    }

    /// Whether a plain word names a day of the week, a month, or a part of the day: words of one kind stand for each other.
    #[must_use]
    pub fn calendar_word(self, word: &str) -> Option<CalendarWord> {
        match self.0 {
            Language::En => calendar(word, &english::calendar::CALENDAR),
            Language::Es => calendar(word, &spanish::calendar::CALENDAR),
        }
    }

    /// The days of the week in plain words, Monday first.
    #[must_use]
    pub fn weekdays(self) -> &'static [&'static str] {
        self.cues().weekdays
    }

    /// A telephone number, or part of one. `earlier` holds digits already given.
    #[must_use]
    pub fn phone(self, text: &str, earlier: &str, area_code: &str) -> Option<PhoneAnswer> {
        // "555 0192, area code 202": it comes first in a number, whenever it is said.
        let behind = self.cues().area_code.iter().find_map(|cue| {
            let (number, area) = text.split_once(cue)?;
            let whole = self.count_digits(number) == LOCAL_DIGITS && self.count_digits(area) == AREA_DIGITS;
            whole.then(|| format!("{area} {number}"))
        });
        let text = behind.as_deref().unwrap_or(text);
        by_language!(self, digits::phone(text, earlier, area_code))
    }

    /// Ten digits or eleven anywhere in the text.
    #[must_use]
    pub fn whole_phone(self, text: &str) -> Option<Phone> {
        match self.phone(text, "", "") {
            Some(PhoneAnswer::Whole(phone)) => Some(phone),
            _ => None,
        }
    }

    /// How many digits the text holds, said or written.
    #[must_use]
    pub fn count_digits(self, text: &str) -> usize {
        let written = self.digits_written(text);
        digits::runs(&written).iter().map(|run| run.digits.len()).sum()
    }

    /// Digits of the longest number in the text, said or written.
    #[must_use]
    pub fn longest_number(self, text: &str) -> usize {
        let written = self.digits_written(text);
        digits::runs(&written).iter().map(|run| run.digits.len()).max().unwrap_or(0)
    }

    #[must_use]
    pub fn claim_digits(self, text: &str) -> Option<String> {
        let read = |text: &str| digits::claim_digits(&self.digits_written(text));
        // Who said it wrong says it once more: the last sentence that holds it whole.
        read(text).or_else(|| text.split(['.', '?', '!', ';']).rev().find_map(read))
    }

    /// A secret number, where the text holds one number of four to eight digits and little else.
    #[must_use]
    pub fn pin(self, text: &str) -> Option<String> {
        let written = self.digits_written(text);
        let runs = digits::runs(&written);
        let digits: String = runs.iter().map(|run| run.digits.as_str()).collect();
        let others = words::plain(&written).split(' ').count()
            - runs.iter().map(|r| r.words.1 - r.words.0).sum::<usize>();
        ((4..=8).contains(&digits.len()) && others <= 4).then_some(digits)
    }

    /// The text with number words as the shared digit reader takes them.
    fn digits_written(self, text: &str) -> String {
        match self.0 {
            Language::En => text.to_owned(),
            Language::Es => spanish::digits::written(text),
        }
    }

    /// A name given without being asked for.
    #[must_use]
    pub fn name_stated(self, text: &str) -> Option<String> {
        by_language!(self, name::stated(text))
    }

    /// Whether words speak of somebody's last name.
    #[must_use]
    pub fn says_last_name(self, text: &str) -> bool {
        let plain = format!(" {} ", self.plain(text));
        let names = match self.0 {
            Language::En => english::name::LAST_NAME,
            Language::Es => spanish::name::LAST_NAME,
        };
        names.iter().any(|name| plain.contains(&format!(" {name} ")))
    }

    /// "First name Tomasz, last name Kowalczyk", in whichever order: the first before the last, as they were said.
    #[must_use]
    pub fn first_and_last_name(self, text: &str) -> Option<String> {
        let [first_last, last_first] = by_language!(self, name::both_named());
        let both = |pattern: &regex::Regex, first: usize, last: usize| {
            let found = pattern.captures(text)?;
            Some(format!("{} {}", found.get(first)?.as_str(), found.get(last)?.as_str()))
        };
        both(first_last, 1, 2).or_else(|| both(last_first, 2, 1))
    }

    /// What is told, without a last word that only points to the place behind it.
    #[must_use]
    pub fn without_pointer<'t>(self, words: &'t str, after: &str) -> &'t str {
        match self.0 {
            Language::En => english::place::without_pointer(words, after),
            Language::Es => words,
        }
    }

    /// A name that was cut from a text, with the rest of a surname right behind it.
    #[must_use]
    pub fn whole_name(self, text: &str, name: &str) -> String {
        match self.0 {
            Language::En => name.to_owned(),
            Language::Es => spanish::name::whole(text, name),
        }
    }

    #[must_use]
    pub fn name_answered(self, text: &str) -> Option<String> {
        let read = by_language!(self, name::answered(text));
        let tagged = self.tagged(text, Kind::Name);
        let name = match (read, tagged) {
            (Some(read), Some(tagged)) if self.bounds_better(text, &read, &tagged) => Some(tagged),
            (read, tagged) => read.or(tagged),
        };
        // "Darnell, Darnell Pruitt": said twice, and no name of three words.
        name.map(|name| {
            let mut words: Vec<&str> = name.split(' ').collect();
            words.dedup_by(|next, said| next.eq_ignore_ascii_case(said));
            words.join(" ")
        })
    }

    /// "Its Dorothy Hensley", "Dolores, Dolores Pruitt": where one reading holds the other, the tagger knows where a name
    /// begins and ends. Not of letters that spell one.
    fn bounds_better(self, text: &str, read: &str, tagged: &str) -> bool {
        let words = |name: &str| -> Vec<String> { self.plain(name).split(' ').map(str::to_owned).collect() };
        let (read, tagged) = (words(read), words(tagged));
        let holds = |long: &[String], short: &[String]| long.windows(short.len()).any(|part| part == short);
        let spelled =
            text.split_whitespace().filter(|word| word.chars().filter(|c| c.is_alphabetic()).count() == 1);
        let whole = tagged.len() > 1 && read != tagged;
        whole && spelled.count() < 3 && (holds(&read, &tagged) || holds(&tagged, &read))
    }

    /// What the tagger is sure of, where the readers found nothing: the longest.
    fn tagged(self, text: &str, kind: Kind) -> Option<String> {
        if self.is_question(text) || self.is_bare_yes_no(text) {
            return None;
        }
        let spans = tagger::spans(text, Some(self.0));
        let sure = spans.iter().filter(|span| span.kind == kind && span.sure >= SURE);
        let found = sure.max_by_key(|span| span.to - span.from)?;
        text.get(found.from..found.to).map(english::words::title_case)
    }

    /// A place given without being asked for.
    #[must_use]
    pub fn place_stated(self, text: &str) -> Option<String> {
        by_language!(self, place::stated(text)).or_else(|| self.tagged(text, Kind::Address))
    }

    /// Whether words tell how far something is: "a quarter mile past the grange hall".
    #[must_use]
    pub fn measures_way(self, text: &str) -> bool {
        let distances = by_language!(self, place::distances());
        self.plain(text).split(' ').any(|word| distances.contains(&word))
    }

    /// The text with what must have been said in place of what sounds like it, and without words of the other language.
    #[must_use]
    pub fn meant(self, text: &str) -> String {
        match self.0 {
            Language::En => english::homophones::meant(text),
            Language::Es => spanish::borrowed::in_spanish(text),
        }
    }

    /// Which of the answers that may be expected these words sound like, where they are none in letters: "know that, soul" is
    /// "no that's all".
    #[must_use]
    pub fn answer_heard(self, text: &str) -> Option<&'static str> {
        let plain = self.plain(text);
        if plain.is_empty() || plain.split(' ').count() > ANSWER_WORDS || self.yes_no(text).is_some() {
            return None;
        }
        let like = |answer: &&'static str| likeness(&plain, answer);
        let best = self.cues().answers.iter().max_by(|a, b| like(a).total_cmp(&like(b)))?;
        (like(best) >= ANSWER_ALIKE).then_some(*best)
    }

    /// A place in answer to its question.
    #[must_use]
    pub fn place_answered(self, text: &str) -> Option<String> {
        // "By the yellow house, no wait, the corner of Birch and Fourth": who begins anew means what comes last.
        let text = crate::repair::repaired(self, text);
        if let Some(last) = crate::repair::begun_anew(self, &text)
            && let Some(place) = by_language!(self, place::stated(last)).or_else(|| self.place_answered(last))
        {
            return Some(place);
        }
        by_language!(self, place::answered(&text))
    }

    /// A full street address, with a number.
    #[must_use]
    pub fn address(self, text: &str) -> Option<String> {
        by_language!(self, place::address(text))
    }

    /// How many of the words are small words of this language.
    #[must_use]
    pub fn marks(self, text: &str) -> usize {
        self.plain(text).split(' ').filter(|word| self.cues().marks.contains(word)).count()
    }

    /// "I don't know" and its kin, in plain words.
    #[must_use]
    pub fn unknowing(self, plain: &str) -> bool {
        self.cues().unknowing.iter().any(|phrase| plain.contains(phrase))
    }
}

/// What a word of the calendar names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CalendarWord {
    Weekday,
    Month,
    Part,
}

fn calendar(word: &str, table: &[(CalendarWord, &[&str])]) -> Option<CalendarWord> {
    table.iter().find(|(_, words)| words.contains(&word)).map(|(kind, _)| *kind)
}
