//! How many corrections are taken: `cargo run -p dialogue --example measure_corrections -- FILE`.
//!
//! A line is: what was asked for (place, name, phone, day, what), what the caller said, how they put it right, and what is
//! right, parted by tabs. The dialogue takes the first as an answer and the second as the caller's next words, whatever it
//! asked meanwhile; then the value that stands is compared.

use chrono::{NaiveDate, NaiveDateTime};
use dialogue::builtin::{Dialogue, Opening, State, TenantFacts, View};
use language::{Direction, Ear, language_of};
use pipeline::ports::{Language, TurnInput};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = std::env::args().nth(1).ok_or("name a file")?;
    let verbose = std::env::args().nth(2).is_some();
    let now = NaiveDate::from_ymd_opt(2026, 11, 22).and_then(|d| d.and_hms_opt(9, 12, 0)).ok_or("no date")?;
    let desk = Desk {
        dialogue: Dialogue::front_desk()?,
        facts: dialogue::seed::riverbend(chrono::DateTime::UNIX_EPOCH)?.facts,
        now,
    };
    let (mut right, mut all) = (0, 0);
    for line in std::fs::read_to_string(file)?.lines() {
        let cells: Vec<&str> = line.split('\t').collect();
        let [asked, first, correction, truth] = cells.as_slice() else { continue };
        all += 1;
        let (language, held) = desk.held(asked, first, correction);
        let fits = fits(asked, &held, truth, language, now);
        right += usize::from(fits);
        if verbose && !fits {
            println!("{asked}\t{first}\t{correction}\t{truth}\t=> {held}");
        }
    }
    println!("{right} of {all} corrections taken");
    Ok(())
}

struct Desk {
    dialogue: Dialogue,
    facts: TenantFacts,
    now: NaiveDateTime,
}

impl Desk {
    /// A free time on each day of the next weeks, so that any day can be had.
    fn openings(&self) -> Vec<Opening> {
        let starts = |ahead| self.now.checked_add_days(chrono::Days::new(ahead));
        (1..200)
            .filter_map(|n| Some(Opening { id: uuid::Uuid::from_u128(n.into()), starts: starts(n)? }))
            .collect()
    }

    /// What stands in the slot after both utterances.
    fn held(&self, asked: &str, first: &str, correction: &str) -> (Language, String) {
        let both = format!("{first} {correction}");
        let marks = ["el ", "la ", "es ", "no es", "me ", "mi ", "soy ", "ponga", "para el", "se "];
        let spanish =
            language_of(&both) == Some(Language::Es) || marks.iter().any(|mark| first.starts_with(mark));
        let language = if spanish { Language::Es } else { Language::En };
        let (task, slot) = match asked {
            "place" => ("incident", "where"),
            "name" => ("incident", "name"),
            "phone" => ("incident", "phone"),
            "day" => ("booking", "day"),
            _ => ("incident", "what"),
        };
        let state = State::new(false).speaking(language, &[Language::En, Language::Es]);
        let mut state = self.dialogue.asking(state, task, slot);
        for text in [first, correction] {
            let input = TurnInput::said(text);
            let view = View {
                facts: &self.facts,
                now: self.now,
                seed: 1,
                understood: language::intents::Understood::default(),
                searched: Vec::new(),
                passages: Vec::new(),
                topic: Vec::new(),
                openings: Some(self.openings()),
                claim: None,
                queues: None,
            };
            state = self.dialogue.step(&state, &input, &view).state;
        }
        let tasks = state.tasks.iter().chain(&state.parked);
        let value = tasks.filter(|t| t.id == task).find_map(|t| t.slots.get(slot)).map(|f| f.value.clone());
        (language, value.unwrap_or_default())
    }
}

fn fits(asked: &str, held: &str, truth: &str, language: Language, now: NaiveDateTime) -> bool {
    let ear = Ear(language);
    match asked {
        "phone" => {
            let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
            !held.is_empty() && digits(held).ends_with(&digits(truth))
        }
        "day" => {
            let on = |text: &str, direction| {
                ear.when(text, now, direction).or_else(|| ear.when(&format!("on {text}"), now, direction))
            };
            let read =
                |direction| on(truth, direction).and_then(|when| when.date).map(|date| date.to_string());
            [Direction::Future, Direction::Past]
                .into_iter()
                .filter_map(read)
                .any(|date| held.starts_with(&date))
        }
        _ => {
            // Every word of the right value that says something must stand.
            let plain = |text: &str| -> Vec<String> {
                ear.plain(text)
                    .split(' ')
                    .filter(|w| w.chars().count() > 2 || w.chars().any(|c| c.is_ascii_digit()))
                    .filter(|w| !matches!(*w, "the" | "and" | "los" | "las" | "del" | "una" | "from"))
                    .map(language::sound::letters)
                    .collect()
            };
            let held = plain(held);
            !held.is_empty() && plain(truth).iter().all(|word| held.contains(word))
        }
    }
}
