//! A team of a tenant's own, from its text: with everything that is wrong with it, by key and line.

use super::{Team, check};
use crate::placed::{Fault, MOST_FAULTS, Places, toml};

/// Longest text of a team, in bytes.
pub const MOST_TEXT: usize = 64 * 1024;
const MOST_SPECIALISTS: usize = 20;
const MOST_HANDLES: usize = 40;
/// Words of one matter.
const MOST_WORDS: usize = 100;
const MOST_EXAMPLES: usize = 200;
/// Characters of an example.
const LONGEST_EXAMPLE: usize = 300;
/// Characters of a prompt.
const LONGEST_PROMPT: usize = 8_000;

/// What a text was read as.
#[derive(Debug)]
pub struct Draft {
    /// `None` where something is wrong.
    pub team: Option<Team>,
    pub faults: Vec<Fault>,
}

/// Reads a tenant's own team. The form is that of the shipped files, within bounds. `id`: the team that it has to be.
#[must_use]
pub fn read_own(text: &str, id: Option<&str>) -> Draft {
    if text.len() > MOST_TEXT {
        let fault = Fault::new("", format!("is longer than {MOST_TEXT} bytes"));
        return Draft { team: None, faults: vec![fault] };
    }
    let placed = toml::<Team>(text);
    let mut faults = placed.faults;
    let Some(team) = placed.read else { return Draft { team: None, faults } };
    let told = check::team("", &team);
    let told = told.iter().map(|e| Fault::new(place(&team, &e.key), format!("{}; {}", e.problem, e.fix)));
    // What could not be read was told already: a check of what is left would tell it again, in other words.
    let left = faults.is_empty();
    faults.extend(told.filter(|_| left));
    if let Some(id) = id.filter(|id| *id != team.id) {
        faults.push(Fault::new("id", format!("is not that of this team; write `{id}`")));
    }
    bounds(&team, &mut faults);
    faults.truncate(MOST_FAULTS);
    placed_at(&placed.places, &mut faults);
    Draft { team: faults.is_empty().then_some(team), faults }
}

/// The check names specialists and matters as people do; the text has them by their number.
fn place(team: &Team, key: &str) -> String {
    let numbered = |list: &str, n: usize, rest: &str| format!("{list}[{}]{rest}", n + 1);
    if let Some(rest) = key.strip_prefix("specialist.") {
        let (id, field) = rest.split_once('.').unwrap_or((rest, ""));
        // Of two that have the same id the later one is wrong.
        let at = team.specialists.iter().rposition(|specialist| specialist.id == id);
        return at.map_or_else(|| key.to_owned(), |n| numbered("specialist", n, &format!(".{field}")));
    }
    if let Some(matter) = key.strip_prefix("handles.") {
        let at = team.handles.iter().position(|handles| handles.matter == matter);
        return at.map_or_else(|| key.to_owned(), |n| numbered("handles", n, ""));
    }
    key.to_owned()
}

fn placed_at(places: &Places, faults: &mut [Fault]) {
    places.place(faults);
    // From the top, as somebody reads the text.
    faults.sort_by_key(|fault| fault.line.unwrap_or(0));
}

fn bounds(team: &Team, faults: &mut Vec<Fault>) {
    let mut most = |key: &str, found: usize, most: usize, what: &str| {
        if found > most {
            faults.push(Fault::new(key, format!("holds {found} {what}; {most} at most")));
        }
    };
    most("specialist", team.specialists.len(), MOST_SPECIALISTS, "specialists");
    most("handles", team.handles.len(), MOST_HANDLES, "matters");
    most("examples", team.examples.len(), MOST_EXAMPLES, "examples");
    for (n, example) in team.examples.iter().enumerate() {
        most(&format!("examples[{}]", n + 1), example.chars().count(), LONGEST_EXAMPLE, "characters");
    }
    for (n, handles) in team.handles.iter().enumerate() {
        most(&format!("handles[{}].words", n + 1), handles.words.len(), MOST_WORDS, "words");
    }
    let prompts = team.specialists.iter().enumerate();
    let prompts = prompts.map(|(n, one)| (format!("specialist[{}].prompt", n + 1), &one.prompt));
    for (key, prompt) in prompts.chain([("orchestrator.prompt".to_owned(), &team.orchestrator.prompt)]) {
        most(&key, prompt.chars().count(), LONGEST_PROMPT, "characters");
    }
}
