//! Days of the week that a sentence speaks of, such as hours on a page, and the day that a question is about.

use chrono::{Datelike, NaiveDate, Weekday};

use super::Ear;
use super::Language;

/// Days of the week, Monday first: which of them are meant.
pub type Days = [bool; 7];

/// The day that a question is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DayAsked {
    pub weekday: Weekday,
    /// Said as "today" or "tomorrow", so that the caller may not have its name in mind.
    pub relative: Option<Relative>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Relative {
    Today,
    Tomorrow,
}

/// Words of one language.
struct Words {
    /// Between the first day and the last of a run.
    until: &'static [&'static str],
    workdays: &'static [&'static str],
    weekend: &'static [&'static str],
    every: &'static [&'static str],
    today: &'static [&'static str],
    tomorrow: &'static [&'static str],
    open: &'static [&'static str],
}

const ENGLISH: Words = Words {
    until: &["through", "to", "thru", "until"],
    workdays: &["weekdays", "weekday"],
    weekend: &["weekends", "weekend"],
    every: &["daily", "every day", "seven days"],
    today: &["today", "tonight", "now"],
    tomorrow: &["tomorrow"],
    open: &["open", "opens", "closed", "close", "closes", "hours"],
};

const SPANISH: Words = Words {
    until: &["a", "al", "hasta"],
    workdays: &["entre semana", "dias habiles", "dias laborables"],
    weekend: &["fines de semana", "fin de semana"],
    every: &["diario", "todos los dias", "cada dia"],
    today: &["hoy", "ahora", "ahorita"],
    // "Por la mañana" is a part of a day.
    tomorrow: &["manana"],
    open: &[
        "abre", "abren", "abierto", "abierta", "abiertos", "abiertas", "cierra", "cierran", "cerrado",
        "cerrada", "horario",
    ],
};

const fn words(ear: Ear) -> &'static Words {
    match ear.0 {
        Language::En => &ENGLISH,
        Language::Es => &SPANISH,
    }
}

/// The days that a sentence names: "Monday through Thursday", "on Saturdays", "weekdays". `None` where it names none.
#[must_use]
pub fn days_named(ear: Ear, sentence: &str) -> Option<Days> {
    let plain = ear.plain(sentence);
    let all: Vec<&str> = plain.split(' ').collect();
    let known = words(ear);
    let says =
        |phrases: &[&str]| phrases.iter().any(|phrase| format!(" {plain} ").contains(&format!(" {phrase} ")));
    let mut days = [false; 7];
    if says(known.every) {
        days = [true; 7];
    }
    if says(known.workdays) {
        days[..5].fill(true);
    }
    if says(known.weekend) {
        days[5..].fill(true);
    }
    let mut at = 0;
    while at < all.len() {
        let Some(first) = weekday(ear, all[at]) else {
            at += 1;
            continue;
        };
        // "De lunes a viernes", "lunes al viernes", "Monday through Friday".
        let last = all.get(at + 1).filter(|word| known.until.contains(word));
        let last = last.and_then(|_| weekday(ear, all.get(at + 2)?));
        let last = last.unwrap_or(first);
        let mut day = first;
        days[day] = true;
        while day != last {
            day = (day + 1) % 7;
            days[day] = true;
        }
        at += 1;
    }
    days.contains(&true).then_some(days)
}

/// The one day that a question is about: "on Saturday", "tomorrow", "today".
#[must_use]
pub fn day_asked(ear: Ear, question: &str, today: NaiveDate) -> Option<DayAsked> {
    let plain = ear.plain(question);
    let all: Vec<&str> = plain.split(' ').collect();
    let mut named = all.iter().filter_map(|word| weekday(ear, word));
    match (named.next(), named.next()) {
        (Some(day), None) => {
            let weekday = today.weekday();
            let ahead = (day + 7 - weekday.num_days_from_monday() as usize) % 7;
            let weekday = (0..ahead).fold(weekday, |day, _| day.succ());
            return Some(DayAsked { weekday, relative: None });
        }
        (Some(_), Some(_)) => return None,
        (None, _) => {}
    }
    let said = |words: &[&str]| {
        let last = |at: &usize| *at > 0 && matches!(all[*at - 1], "la" | "esta");
        (0..all.len()).any(|at| words.contains(&all[at]) && !last(&at))
    };
    let known = words(ear);
    if said(known.tomorrow) {
        return Some(DayAsked { weekday: today.weekday().succ(), relative: Some(Relative::Tomorrow) });
    }
    said(known.today).then(|| DayAsked { weekday: today.weekday(), relative: Some(Relative::Today) })
}

/// Whether a question is about when something is open.
#[must_use]
pub fn asks_open(ear: Ear, question: &str) -> bool {
    ear.plain(question).split(' ').any(|word| words(ear).open.contains(&word))
}

/// The name of a day as it is said: "Sunday", "domingo".
#[must_use]
pub fn spoken(ear: Ear, day: Weekday) -> &'static str {
    const DAYS: [&str; 7] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
    match ear.0 {
        Language::En => DAYS[day.num_days_from_monday() as usize],
        Language::Es => super::spanish::when::SPOKEN_DAYS[day.num_days_from_monday() as usize],
    }
}

/// When that is, at the beginning of a sentence: "Today", "On Saturday".
#[must_use]
pub fn spoken_when(ear: Ear, asked: DayAsked) -> String {
    let day = spoken(ear, asked.weekday);
    match (ear.0, asked.relative) {
        (Language::En, Some(Relative::Today)) => "Today".to_owned(),
        (Language::En, Some(Relative::Tomorrow)) => "Tomorrow".to_owned(),
        (Language::En, None) => format!("On {day}"),
        (Language::Es, Some(Relative::Today)) => "Hoy".to_owned(),
        (Language::Es, Some(Relative::Tomorrow)) => "Mañana".to_owned(),
        (Language::Es, None) => format!("El {day}"),
    }
}

/// Monday 0; "Mondays" and "sábados" too.
fn weekday(ear: Ear, word: &str) -> Option<usize> {
    let days = ear.weekdays();
    days.iter().position(|day| *day == word || word.strip_suffix('s') == Some(day))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn named(language: Language, sentence: &str) -> String {
        let days = days_named(Ear(language), sentence).unwrap_or_default();
        days.iter().map(|day| if *day { 'x' } else { '.' }).collect()
    }

    #[test]
    fn runs_lists_and_kinds_of_days_are_read() {
        for (sentence, days) in [
            ("It is open Monday through Thursday, 9 a.m. to 8 p.m.", "xxxx..."),
            ("It is open Friday and Saturday, 9 a.m. to 5 p.m., and Sunday, 1 p.m. to 5 p.m.", "....xxx"),
            ("Buses run from 7 a.m. to 9 p.m. on Saturdays, and 8 a.m. to 6 p.m. on Sundays.", ".....xx"),
            ("It runs on weekdays.", "xxxxx.."),
            ("Friday to Monday", "x...xxx"),
            ("Open daily from 9 to 5.", "xxxxxxx"),
            ("It closes at 5 p.m.", "......."),
        ] {
            assert_eq!(named(Language::En, sentence), days, "{sentence}");
        }
        for (sentence, days) in [
            ("Abre de lunes a viernes, de 8 de la mañana a 5 de la tarde.", "xxxxx.."),
            ("Los sábados y domingos abre a las 9.", ".....xx"),
            ("Abre todos los días.", "xxxxxxx"),
            ("Cierra a las 5.", "......."),
        ] {
            assert_eq!(named(Language::Es, sentence), days, "{sentence}");
        }
    }

    #[test]
    fn a_question_is_about_one_day() {
        let today = NaiveDate::from_ymd_opt(2026, 11, 28).unwrap();
        let asked = |language, text: &str| day_asked(Ear(language), text, today);
        let day = |weekday, relative| Some(DayAsked { weekday, relative });
        let (en, es) = (Language::En, Language::Es);
        assert_eq!(asked(en, "is the library open tomorrow"), day(Weekday::Sun, Some(Relative::Tomorrow)));
        assert_eq!(asked(en, "are you open on Mondays"), day(Weekday::Mon, None));
        assert_eq!(asked(en, "is it open tonight"), day(Weekday::Sat, Some(Relative::Today)));
        assert_eq!(asked(en, "Monday or Tuesday?"), None);
        assert_eq!(asked(en, "when do you open"), None);
        assert_eq!(asked(es, "¿está abierta mañana?"), day(Weekday::Sun, Some(Relative::Tomorrow)));
        assert_eq!(asked(es, "¿a qué hora abre en la mañana?"), None);
        assert_eq!(asked(es, "¿están abiertos hoy?"), day(Weekday::Sat, Some(Relative::Today)));
    }
}
