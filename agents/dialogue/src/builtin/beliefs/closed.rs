//! Closed sets: what was heard is taken for the nearest thing that it can have been.

use language::sound::{Nearest, letters, likeness, nearest};
use language::{CalendarWord, Ear};

use crate::builtin::script::SlotKind;
use crate::builtin::state::Filled;

/// From here on a word said where a day was asked for is that day.
const NEAR_DAY: f32 = 0.75;

/// Words that a street's name ends with; two streets of one name differ in them, so they are compared apart.
pub(super) const WAYS: &[&str] = &[
    "street",
    "st",
    "avenue",
    "ave",
    "road",
    "rd",
    "drive",
    "dr",
    "lane",
    "ln",
    "boulevard",
    "blvd",
    "court",
    "ct",
    "place",
    "pl",
    "way",
    "highway",
    "circle",
    "parkway",
    "terrace",
    "trail",
    "pike",
    "square",
    "landing",
];

/// A value held against a closed set.
#[derive(Clone, PartialEq, Eq)]
pub enum Rescored {
    /// As it was heard, or nothing to hold it against.
    Same,
    /// Certainly this member.
    Sure(Filled),
    /// Perhaps this member: to be asked.
    Maybe(Filled),
}

impl std::fmt::Debug for Rescored {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Same => "Same",
            Self::Sure(_) => "Sure",
            Self::Maybe(_) => "Maybe",
        })
    }
}

/// A place with the street in it held against the tenant's streets.
#[must_use]
pub fn rescored(ear: Ear, kind: SlotKind, filled: &Filled, streets: &[String]) -> Rescored {
    if streets.is_empty() || !matches!(kind, SlotKind::Place | SlotKind::Address) {
        return Rescored::Same;
    }
    let words: Vec<&str> = filled.value.split_whitespace().collect();
    let Some((from, to)) = street_in(&words) else { return Rescored::Same };
    // "County Road 12" is no misheard Court Road.
    if words.get(to + 1).is_some_and(|word| word.starts_with(|c: char| c.is_ascii_digit())) {
        return Rescored::Same;
    }
    // "Fourth" is no misheard name: a recognizer knows its numbers.
    if words[from..to].iter().all(|word| ear.ordinal(&word.to_lowercase()).is_some()) {
        return Rescored::Same;
    }
    let heard = words[from..to].join(" ");
    let mut bare: Vec<String> = streets.iter().map(|street| name_of(street)).collect();
    // "Oak Street" and "Oak Avenue" are one name.
    bare.sort();
    bare.dedup();
    let (at, sure) = match nearest(&heard, &bare) {
        Nearest::Same(_) | Nearest::Nothing => return Rescored::Same,
        Nearest::Sure(at) => (at, true),
        Nearest::Maybe(at) => (at, false),
    };
    let mut meant: Vec<&str> = words[..from].to_vec();
    meant.push(&bare[at]);
    meant.extend(&words[to..]);
    let meant = Filled::new(meant.join(" "), meant.join(" "));
    if sure { Rescored::Sure(meant) } else { Rescored::Maybe(meant) }
}

/// Whether words name one of the tenant's streets.
#[must_use]
pub fn known_street(text: &str, streets: &[String]) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    let said = words.iter().map(|w| letters(w)).collect::<Vec<_>>().join(" ");
    let names = |street: &String| {
        let name: Vec<String> = name_of(street).split_whitespace().map(letters).collect();
        !name.is_empty() && format!(" {said} ").contains(&format!(" {} ", name.join(" ")))
    };
    streets.iter().any(names)
}

/// The words of the street's own name: before its kind, after a number or a little word.
fn street_in(words: &[&str]) -> Option<(usize, usize)> {
    let bare = |w: &str| w.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let to = words.iter().position(|w| WAYS.contains(&bare(w).as_str()))?;
    let name = |w: &&&str| {
        let w = bare(w);
        w.chars().all(char::is_alphabetic)
            && !matches!(w.as_str(), "on" | "at" | "of" | "in" | "the" | "and" | "near" | "")
    };
    let from = to - words[..to].iter().rev().take_while(name).count().min(2);
    (from < to).then_some((from, to))
}

fn name_of(street: &str) -> String {
    let words: Vec<&str> = street.split_whitespace().collect();
    let last = words.last().is_some_and(|w| WAYS.contains(&w.to_lowercase().as_str()));
    words[..words.len() - usize::from(last && words.len() > 1)].join(" ")
}

/// The text with a misheard weekday as the weekday that it sounds like: "wensday", "thirsty".
#[must_use]
pub fn weekdays_heard(ear: Ear, text: &str) -> Option<String> {
    let days = ear.weekdays();
    let plain = ear.plain(text);
    if plain.split(' ').any(|w| ear.calendar_word(w) == Some(CalendarWord::Weekday)) {
        return None;
    }
    let mut changed = false;
    let words: Vec<String> = plain
        .split(' ')
        .map(|word| match nearest(word, days) {
            Nearest::Sure(at) | Nearest::Maybe(at)
                if word.len() > 4 && likeness(word, days[at]) >= NEAR_DAY =>
            {
                changed = true;
                days[at].to_owned()
            }
            _ => word.to_owned(),
        })
        .collect();
    changed.then(|| words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pipeline::ports::Language;

    #[test]
    fn streets_are_held_against_those_there_are() {
        let streets: Vec<String> =
            ["Maple Street", "Elm Street", "Birchwood Lane"].map(str::to_owned).to_vec();
        let held =
            |text: &str| rescored(Ear(Language::En), SlotKind::Place, &Filled::new(text, text), &streets);
        assert!(matches!(held("12 Burchwood Lane"), Rescored::Sure(f) if f.value == "12 Birchwood Lane"));
        assert!(matches!(held("Mabel Street"), Rescored::Maybe(f) if f.value == "Maple Street"));
        assert_eq!(held("12 Maple Street"), Rescored::Same);
        assert_eq!(held("behind the courthouse"), Rescored::Same);
        assert_eq!(held("9 Kowalski Road"), Rescored::Same);
        assert_eq!(held("maple and fourth Street"), Rescored::Same);
    }

    #[test]
    fn a_street_is_known_by_its_whole_name() {
        let streets: Vec<String> = ["Old Mill Road", "Elm Street"].map(str::to_owned).to_vec();
        assert!(known_street("It's 1410 old mill, by the church.", &streets));
        assert!(!known_street("by the old mall", &streets));
        assert!(!known_street("Elmer told me", &streets));
    }

    #[test]
    fn weekdays_are_heard_by_their_sound() {
        assert_eq!(weekdays_heard(Ear(Language::En), "on wensday").as_deref(), Some("on wednesday"));
        assert_eq!(weekdays_heard(Ear(Language::En), "on Tuesday"), None);
        assert_eq!(weekdays_heard(Ear(Language::En), "any day"), None);
    }
}
