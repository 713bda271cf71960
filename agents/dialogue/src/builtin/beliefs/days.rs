//! Several days in one breath: "Tuesday. Monday I am closed", "I can't do Wednesday, make it Friday".

use language::{CalendarWord, Ear};

/// The words about the day that is wanted; all of them where one day is named, or none is ruled out.
#[must_use]
pub fn day_wanted(ear: Ear, text: &str) -> String {
    let named = |part: &str| -> Vec<String> {
        let plain = ear.plain(part);
        let days = plain.split(' ').filter(|w| ear.calendar_word(w) == Some(CalendarWord::Weekday));
        days.map(str::to_owned).collect()
    };
    let mut all = named(text);
    all.sort_unstable();
    all.dedup();
    if all.len() < 2 {
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
}
