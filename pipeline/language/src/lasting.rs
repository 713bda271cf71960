//! How long something has lasted, as it was said: "for like two weeks now", "desde hace como un mes". Such a stretch is no date, and
//! whoever says "about a week" was told a wrong one where it was read back as a day.

use std::sync::LazyLock;

use regex::{Captures, Regex};

use crate::Language;
use crate::ear::Ear;

/// The stretch of time as it is kept and said back: "for about two weeks". `None` where the words give none, or an exact
/// one that leads to a day ("two weeks ago").
#[must_use]
pub fn lasting(ear: Ear, text: &str) -> Option<String> {
    let plain = ear.plain(text);
    let found = pattern(ear).captures(&plain)?;
    match ear.0 {
        Language::En => english(&found),
        Language::Es => spanish(&found),
    }
}

/// The words without such a stretch: what else they say of when.
#[must_use]
pub fn without_lasting(ear: Ear, text: &str) -> String {
    pattern(ear).replace_all(&ear.plain(text), " ").into_owned()
}

fn pattern(ear: Ear) -> &'static Regex {
    static ENGLISH: LazyLock<Regex> = LazyLock::new(|| compiled(Ear(Language::En)));
    static SPANISH: LazyLock<Regex> = LazyLock::new(|| compiled(Ear(Language::Es)));
    match ear.0 {
        Language::En => &ENGLISH,
        Language::Es => &SPANISH,
    }
}

#[expect(clippy::expect_used, reason = "a test compiles the pattern of every language")]
fn compiled(ear: Ear) -> Regex {
    Regex::new(ear.cues().lasting).expect("the pattern of a stretch of time")
}

fn part<'t>(found: &Captures<'t>, name: &str) -> &'t str {
    found.name(name).map_or("", |part| part.as_str().trim())
}

/// Words around the count that say that it is not exact, and how they are said back.
fn near(around: &str, known: &[(&str, &'static str)]) -> &'static str {
    let around = format!(" {around} ");
    known.iter().find(|(word, _)| around.contains(&format!(" {word} "))).map_or("", |(_, said)| said)
}

fn english(found: &Captures<'_>) -> Option<String> {
    const NEAR: [(&str, &str); 14] = [
        ("almost", "almost"),
        ("nearly", "almost"),
        ("going on", "almost"),
        ("at least", "at least"),
        ("over", "more than"),
        ("more than", "more than"),
        ("about", "about"),
        ("around", "about"),
        ("roughly", "about"),
        ("like", "about"),
        ("maybe", "about"),
        ("probably", "about"),
        ("kinda", "about"),
        ("or so", "about"),
    ];
    let (lead, around, count, unit, tail) = (
        part(found, "lead"),
        part(found, "around"),
        part(found, "count"),
        part(found, "unit"),
        part(found, "tail"),
    );
    let near = near(&format!("{lead} {around} {tail}"), &NEAR);
    let ago = tail.contains("ago");
    let vague = !near.is_empty()
        || count.contains(" or ")
        || ["couple", "few", "several"].iter().any(|w| count.contains(w));
    let lasts = !lead.is_empty() || (!ago && !tail.is_empty());
    if !vague && !lasts || (ago && !vague) {
        return None;
    }
    let count = if count.ends_with("couple") { format!("{count} of") } else { count.to_owned() };
    let words = [if ago { "" } else { "for" }, near, &count, unit, if ago { "ago" } else { "" }];
    Some(words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" "))
}

fn spanish(found: &Captures<'_>) -> Option<String> {
    const NEAR: [(&str, &str); 8] = [
        ("casi", "casi"),
        ("mas de", "más de"),
        ("mas o menos", "más o menos"),
        ("como", "más o menos"),
        ("unos", "más o menos"),
        ("unas", "más o menos"),
        ("alrededor de", "más o menos"),
        ("aproximadamente", "más o menos"),
    ];
    let (lead, around, count, unit) =
        (part(found, "lead"), part(found, "around"), part(found, "count"), part(found, "unit"));
    let near = near(around, &NEAR);
    // "Hace dos semanas" is a day.
    let exact = lead == "hace" && near.is_empty() && !count.contains(" o ");
    if exact {
        return None;
    }
    let unit = unit.replace("dia", "día").replace("ano", "año");
    let count = count.replace("dieciseis", "dieciséis");
    let lead = if lead == "hace" { "hace" } else { "desde hace" };
    let words = [lead, near, count.as_str(), unit.as_str()];
    Some(words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stretch_is_said_back_as_it_was_said() {
        for (text, said) in [
            ("it's been out for like two weeks now", "for about two weeks"),
            ("about a week", "for about a week"),
            ("maybe a week, week and a half", "for about a week"),
            ("going on three months", "for almost three months"),
            ("it started about ten days ago", "about ten days ago"),
            ("two or three days", "for two or three days"),
            ("a couple weeks ago", "a couple of weeks ago"),
            ("for a few days", "for a few days"),
            ("two weeks now", "for two weeks"),
            ("over a month", "for more than a month"),
        ] {
            assert_eq!(lasting(Ear(Language::En), text).as_deref(), Some(said), "{text}");
        }
        for (text, said) in [
            ("desde hace como dos semanas", "desde hace más o menos dos semanas"),
            ("hace como una semana", "hace más o menos una semana"),
            ("ya tiene tres días", "desde hace tres días"),
            ("desde hace un año", "desde hace un año"),
            ("lleva casi un mes", "desde hace casi un mes"),
        ] {
            assert_eq!(lasting(Ear(Language::Es), text).as_deref(), Some(said), "{text}");
        }
    }

    #[test]
    fn days_and_other_counts_are_no_stretch() {
        for text in [
            "two weeks ago",
            "yesterday",
            "on the 13th",
            "last week",
            "two days",
            "in two weeks",
            "I have two weeks to pay",
        ] {
            assert_eq!(lasting(Ear(Language::En), text), None, "{text}");
        }
        for text in ["hace dos semanas", "ayer", "en dos semanas", "la semana pasada"] {
            assert_eq!(lasting(Ear(Language::Es), text), None, "{text}");
        }
    }
}
