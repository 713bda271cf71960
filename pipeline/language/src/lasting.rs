//! How long something has lasted, as it was said: "for like two weeks now", "desde hace como un mes". Such a stretch is no date, and
//! whoever says "about a week" was told a wrong one where it was read back as a day.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::{Captures, Regex};

use crate::Language;
use crate::ear::Ear;

/// The stretch of time, or what happens again and again, as it is kept and said back: "for about two weeks", "every night". `None` where the words give none, or an exact
/// one that leads to a day ("two weeks ago").
#[must_use]
pub fn lasting(ear: Ear, text: &str) -> Option<String> {
    let plain = without_own_life(ear, text).unwrap_or_else(|| ear.plain(text));
    let stretch = pattern(ear).captures_iter(&plain).find_map(|found| match ear.0 {
        Language::En => english(&found),
        Language::Es => spanish(&found),
    });
    let repeated = || habit(ear).find(&plain).map(|found| written(found.as_str()));
    stretch.or_else(repeated).or_else(|| since_season(ear, &plain))
}

/// "It's been there since like June": a month or a season that it began in, which is no day.
fn since_season(ear: Ear, plain: &str) -> Option<String> {
    static ENGLISH: LazyLock<Regex> = LazyLock::new(|| {
        compiled(
            r"\bsince (?:(?:like|about|around|maybe|early|late|sometime in|back in|last|the) )*(january|february|march|april|may|june|july|august|september|october|november|december|spring|summer|fall|winter|christmas|easter|thanksgiving|storm|flood)\b(?P<day> (?:the )?(?:[0-9]+\w*|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|\w+teenth|twent\w+|thirt\w+))?",
        )
    });
    static SPANISH: LazyLock<Regex> = LazyLock::new(|| {
        compiled(
            r"\bdesde (?:(?:como|mas o menos|por|principios de|finales de|el|la) )*(enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre|primavera|verano|otono|invierno|navidad|tormenta)\b",
        )
    });
    let (since, pattern): (&str, &Regex) = match ear.0 {
        Language::En => ("since", &ENGLISH),
        Language::Es => ("desde", &SPANISH),
    };
    let found = pattern.captures(plain).filter(|found| found.name("day").is_none())?;
    let season = found.get(1)?.as_str();
    let month = ear.calendar_word(season).is_some() && ear.0 == Language::En;
    let season = if month { capitalized(season) } else { written(season) };
    // "The storm", "el verano": what is no month has its article.
    let article = match ear.0 {
        Language::En if matches!(season.as_str(), "storm" | "flood") => "the ",
        Language::Es if matches!(season.as_str(), "tormenta" | "primavera" | "navidad") => "la ",
        Language::Es if matches!(season.as_str(), "verano" | "invierno" | "otoño") => "el ",
        _ => "",
    };
    Some(format!("{since} {article}{season}"))
}

fn capitalized(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// The words without such a stretch: what else they say of when.
#[must_use]
pub fn without_lasting(ear: Ear, text: &str) -> String {
    let plain = ear.plain(text);
    habit(ear).replace_all(&pattern(ear).replace_all(&plain, " "), " ").into_owned()
}

/// Plain words without "I've lived here for twenty years": a time of the speaker's own life is none of what they tell of. `None`
/// where there is nothing of the kind in them.
#[must_use]
pub fn without_own_life(ear: Ear, text: &str) -> Option<String> {
    static ENGLISH: LazyLock<Regex> = LazyLock::new(|| {
        compiled(
            r"\b(lived|been living|been a resident|been married|been retired)( \w+){0,5} (years|months|decades)\b",
        )
    });
    static SPANISH: LazyLock<Regex> =
        LazyLock::new(|| compiled(r"\b(vivo|vivimos|viviendo|vivido)( \w+){0,6} (anos|meses)\b"));
    let life: &Regex = match ear.0 {
        Language::En => &ENGLISH,
        Language::Es => &SPANISH,
    };
    match life.replace_all(&ear.plain(text), " ") {
        Cow::Borrowed(_) => None,
        Cow::Owned(rest) => Some(rest),
    }
}

fn pattern(ear: Ear) -> &'static Regex {
    static ENGLISH: LazyLock<Regex> = LazyLock::new(|| compiled(Ear(Language::En).cues().lasting));
    static SPANISH: LazyLock<Regex> = LazyLock::new(|| compiled(Ear(Language::Es).cues().lasting));
    match ear.0 {
        Language::En => &ENGLISH,
        Language::Es => &SPANISH,
    }
}

fn habit(ear: Ear) -> &'static Regex {
    static ENGLISH: LazyLock<Regex> = LazyLock::new(|| compiled(Ear(Language::En).cues().habit));
    static SPANISH: LazyLock<Regex> = LazyLock::new(|| compiled(Ear(Language::Es).cues().habit));
    match ear.0 {
        Language::En => &ENGLISH,
        Language::Es => &SPANISH,
    }
}

#[expect(clippy::expect_used, reason = "tests compile the patterns of every language")]
fn compiled(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern of a stretch of time")
}

/// Plain words with the accents that they are written with.
fn written(plain: &str) -> String {
    let accents = [
        ("dia", "día"),
        ("ano", "año"),
        ("sabado", "sábado"),
        ("miercoles", "miércoles"),
        ("manana", "mañana"),
        ("otono", "otoño"),
    ];
    accents.iter().fold(plain.to_owned(), |text, (bare, written)| text.replace(bare, written))
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
    if !vague && (!lasts || ago) {
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
    let exact = matches!(lead, "hace" | "") && near.is_empty() && !count.contains(" o ");
    if exact {
        return None;
    }
    let unit = written(unit);
    let lead = if lead == "hace" { "hace" } else { "desde hace" };
    let words = [lead, near, count, unit.as_str()];
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
            ("three nights in a row", "for three nights"),
            ("he's at it every single night until two", "every single night"),
            ("over a month", "for more than a month"),
            ("it's still there, it's been since like june", "since June"),
            ("it's been that way since the storm", "since the storm"),
        ] {
            assert_eq!(lasting(Ear(Language::En), text).as_deref(), Some(said), "{text}");
        }
        for (text, said) in [
            ("desde hace como dos semanas", "desde hace más o menos dos semanas"),
            ("hace como una semana", "hace más o menos una semana"),
            ("ya tiene tres días", "desde hace tres días"),
            ("como dos semanas", "desde hace más o menos dos semanas"),
            ("ya van tres noches que los vecinos", "desde hace tres noches"),
            ("es todas las noches", "todas las noches"),
            ("está así desde como marzo", "desde marzo"),
            ("desde el otoño", "desde el otoño"),
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
            "I've lived here for twenty years",
        ] {
            assert_eq!(lasting(Ear(Language::En), text), None, "{text}");
        }
        for text in ["hace dos semanas", "ayer", "en dos semanas", "la semana pasada"] {
            assert_eq!(lasting(Ear(Language::Es), text), None, "{text}");
        }
    }
}
