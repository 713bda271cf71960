//! Several days in one breath: "Tuesday. Monday I am closed", "I can't do Wednesday, make it Friday".

use language::weeks::names_day;
use language::{CalendarWord, Ear};

/// The words about the day that is wanted; all of them where one day is named, or none is ruled out.
#[must_use]
pub fn day_wanted(ear: Ear, text: &str) -> String {
    let named = |part: &str| named(ear, part);
    if named(text).len() < 2 {
        return text.to_owned();
    }
    let holds = |part: &str, words: &[&str]| {
        let plain = format!(" {} ", ear.plain(part));
        words.iter().any(|word| plain.contains(&format!(" {word} ")))
    };
    let parts: Vec<&str> = text.split_inclusive([',', '.', ';', '!', '?']).map(str::trim).collect();
    let rather = parts.iter().rfind(|part| !named(part).is_empty() && holds(part, ear.cues().rather));
    if let Some(part) = rather {
        return (*part).to_owned();
    }
    let kept = parts.iter().filter(|part| named(part).is_empty() || !holds(part, ear.cues().unfit));
    let kept = kept.copied().collect::<Vec<_>>().join(" ");
    if named(&kept).is_empty() { text.to_owned() } else { kept }
}

/// The parts that rule a day out, each with one weekday: "Thursday I work", "I can't do Wednesday", "el jueves no puedo".
/// What is asked rules nothing out: "don't you have anything Friday?"
#[must_use]
pub fn ruled_out(ear: Ear, text: &str) -> Vec<&str> {
    let parts = text.split_inclusive([',', '.', ';', '!', '?']).map(str::trim);
    parts
        .filter(|part| {
            let plain = format!(" {} ", ear.plain(part));
            let holds = |words: &[&str]| words.iter().any(|word| plain.contains(&format!(" {word} ")));
            named(ear, part).len() == 1
                && holds(ear.cues().unfit)
                && !holds(ear.cues().rather)
                && !holds(ear.cues().asks_free)
        })
        .collect()
}

/// Of one day that is told, and another that is wanted instead: both, as they are said. "Mejor póngale que el jueves", of "se los
/// llevo el miércoles".
#[must_use]
pub fn day_instead(ear: Ear, told: &str, text: &str) -> Option<(String, String)> {
    let wanted = day_wanted(ear, text);
    let rather = format!(" {} ", ear.plain(&wanted));
    let is_rather = ear.cues().rather.iter().any(|word| rather.contains(&format!(" {word} ")));
    let ([old], [new]) = (&named(ear, told)[..], &named(ear, &wanted)[..]) else { return None };
    (is_rather && old != new).then(|| (old.clone(), new.clone()))
}

/// Weekdays in some words, each once.
fn named(ear: Ear, text: &str) -> Vec<String> {
    let plain = ear.plain(text);
    let days = plain.split(' ').filter(|word| ear.calendar_word(word) == Some(CalendarWord::Weekday));
    let mut days: Vec<String> = days.map(str::to_owned).collect();
    days.sort_unstable();
    days.dedup();
    days
}

/// The part about the day that was named last, where several are left: "Thursday I have the dentist, can it be Friday".
#[must_use]
pub fn last_day(ear: Ear, text: &str) -> String {
    let days = |part: &str| named(ear, part).len();
    if days(text) < 2 {
        return text.to_owned();
    }
    let mut parts = text.split_inclusive([',', '.', ';', '!', '?']).map(str::trim);
    parts.rfind(|part| days(part) > 0).filter(|part| days(part) == 1).unwrap_or(text).to_owned()
}

/// Whether a day is named that is wanted: "Tuesday of next week", and not "next week, any day but Monday".
#[must_use]
pub fn wants_day(ear: Ear, text: &str) -> bool {
    ruled_out(ear, text)
        .iter()
        .fold(text.to_owned(), |text, out| text.replace(out, ""))
        .split(',')
        .any(|part| names_day(ear, part))
}

/// "Not at nine, I said one": without the part about an hour that will not do, where another hour is left.
#[must_use]
pub fn without_unfit_hour(ear: Ear, text: &str) -> String {
    let unfit = |part: &str| {
        let plain = format!(" {} ", ear.plain(part));
        ear.cues().unfit.iter().any(|word| plain.contains(&format!(" {word} ")))
    };
    let hour = |part: &str| ear.plain(part).split(' ').any(|word| ear.cardinal_at(&[word]).is_some());
    let parts: Vec<&str> = text.split_inclusive([',', '.', ';', '!', '?']).collect();
    if !parts.iter().any(|part| hour(part) && !unfit(part)) {
        return text.to_owned();
    }
    parts.into_iter().filter(|part| !(hour(part) && unfit(part))).collect()
}

#[cfg(test)]
mod tests {
    use pipeline::ports::Language;

    use super::*;

    #[test]
    fn the_day_that_is_wanted_is_kept_and_the_one_that_is_not_is_left_out() {
        for (language, text, wanted) in [
            (Language::En, "Tuesday. Monday I am closed.", "Tuesday."),
            (Language::En, "Ah, shoot, no. I can't do Wednesday. Make it Friday.", "Make it Friday."),
            (Language::En, "Monday or Tuesday.", "Monday or Tuesday."),
            (Language::En, "Friday would be great.", "Friday would be great."),
            (
                Language::Es,
                "El miércoles, ay, no, el miércoles trabajo, mejor el jueves.",
                "mejor el jueves.",
            ),
            (Language::Es, "El lunes no, el martes.", "el martes."),
        ] {
            assert_eq!(day_wanted(Ear(language), text), wanted, "{text}");
        }
    }

    #[test]
    fn a_day_that_the_caller_cannot_is_ruled_out_and_one_that_is_asked_for_is_not() {
        for (language, text, out) in [
            (Language::En, "Thursday I work, what about Friday?", &["Thursday I work,"][..]),
            (Language::En, "I can't do Wednesday.", &["I can't do Wednesday."]),
            (Language::En, "Don't you have anything on Friday?", &[]),
            (Language::En, "You don't have anything Thursday, first thing?", &[]),
            (Language::En, "Friday is good.", &[]),
            (Language::Es, "el jueves no puedo. ¿no tiene nada el viernes?", &["el jueves no puedo."]),
            (Language::Es, "que sea el lunes, el jueves no voy a estar", &["el jueves no voy a estar"]),
        ] {
            assert_eq!(ruled_out(Ear(language), text), out, "{text}");
        }
    }

    #[test]
    fn a_day_that_was_told_gives_way_to_the_one_that_is_wanted() {
        let es = "mejor póngale que el jueves, porque el miércoles todavía tengo doctor";
        let moved = Some(("miercoles".to_owned(), "jueves".to_owned()));
        assert_eq!(day_instead(Ear(Language::Es), "se los llevo el miércoles", es), moved);
        assert_eq!(day_instead(Ear(Language::Es), "se los llevo mañana", es), None);
        let en = Ear(Language::En);
        assert_eq!(
            day_instead(en, "I can't come Wednesday", "make it Friday instead"),
            Some(("wednesday".to_owned(), "friday".to_owned()))
        );
        assert_eq!(day_instead(en, "I can't come Wednesday", "call me Friday"), None);
    }

    #[test]
    fn of_several_days_that_are_left_the_last_counts() {
        let ear = Ear(Language::En);
        let text = "Nine is good. Ah wait, Thursday I have the dentist, can it be Friday also nine";
        assert_eq!(last_day(ear, text), "can it be Friday also nine");
        assert_eq!(last_day(ear, "Thursday or Friday."), "Thursday or Friday.");
        assert_eq!(last_day(ear, "Friday at nine."), "Friday at nine.");
    }
}
