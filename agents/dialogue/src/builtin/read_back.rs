//! Reading back what was understood, as short as it can be said.

use pipeline::ports::Language;
use pipeline::turn::{Expectation, SegmentKind};

use super::script::{Slot, SlotKind, TaskScript};
use super::state::{Filled, Stage, Task};
use super::step::Say;
use super::turn::{THEIRS, Turn};
use language::english::words::plain;

impl<'a> Turn<'a> {
    pub(super) fn read_back(&mut self, script: &'a TaskScript) {
        let everything: Vec<&Slot> = script.slots.iter().collect();
        if self.over_asked("confirm") {
            return self.complete(true);
        }
        self.task_mut(|task| task.stage = Stage::Confirm);
        if script.summary.is_empty() {
            let opening = self.worded_or(&format!("{}.read_back", script.id), &script.read_back);
            self.say_one_of(opening, "read_back", &[], SegmentKind::Reply, false);
            self.read_slots(&everything);
        } else {
            self.read_summary(script);
        }
        let english = self.ear.0 == Language::En;
        let told_back = |text: &str| if english { retold(text) } else { text.to_owned() };
        let beside = self.state.task().map(|task| told_back(&task.aside)).filter(|beside| !beside.is_empty());
        if let Some(beside) = beside {
            self.say_back("beside", &[("beside", &beside)]);
        }
        let when = self.state.task().map(|task| task.call_when.clone()).unwrap_or_default();
        if !when.is_empty() && !self.ear.refuses_call(&when) {
            self.say_back("call_at", &[("when", &told_back(&when))]);
        }
        self.say("is_right");
        self.expects = Expectation::YesNo;
    }

    fn read_slots(&mut self, slots: &[&Slot]) {
        let Some(task) = self.state.task() else { return };
        let read = held_in(slots, task);
        self.read_sentences(read);
    }

    /// What a task holds, as it is read back: the one at hand, or the one filed last.
    pub(super) fn read_held(&mut self, script: &TaskScript, task: &Task) {
        let read = if script.summary.is_empty() {
            held_in(&script.slots.iter().collect::<Vec<_>>(), task)
        } else {
            script.summary.iter().filter_map(|template| composed(template, script, task)).collect()
        };
        if read.is_empty() {
            return self.say("recalled_none");
        }
        self.read_sentences(read);
    }

    fn read_summary(&mut self, script: &TaskScript) {
        let Some(task) = self.state.task() else { return };
        let read = script.summary.iter().filter_map(|template| composed(template, script, task)).collect();
        self.read_sentences(read);
    }

    fn read_sentences(&mut self, read: Vec<ReadBack>) {
        let language = self.state.language;
        let say = |ReadBack { text, ours }| {
            let ours = Some(ours);
            Say { text, ours, kind: SegmentKind::Reply, fixed: false, promises: false, language }
        };
        self.out.extend(read.into_iter().map(say));
    }

    pub(super) fn read_changed(&mut self, changed: &[&Slot]) {
        if self.over_asked("confirm") {
            // Nobody said yes to it.
            return self.complete(true);
        }
        self.task_mut(|task| task.stage = Stage::Confirm);
        self.say("corrected");
        self.read_slots(changed);
        self.say("is_right_now");
        self.expects = Expectation::YesNo;
    }
}

/// A sentence that reads back: as it is said, and with "that" for the caller's words.
struct ReadBack {
    text: String,
    ours: String,
}

/// A sentence for each of these slots that has a value.
fn held_in(slots: &[&Slot], task: &Task) -> Vec<ReadBack> {
    slots
        .iter()
        .filter_map(|slot| Some((slot.read.as_ref()?, task.slots.get(&slot.id)?)))
        .filter(|(_, filled)| !filled.value.is_empty() && !filled.spoken.is_empty())
        .map(|(template, filled)| ReadBack {
            text: template.replace("{value}", &not_asked(&filled.spoken)),
            ours: template.replace("{value}", THEIRS),
        })
        .collect()
}

/// One sentence from its template, as it is said and without the caller's words.
fn composed(template: &str, script: &TaskScript, task: &Task) -> Option<ReadBack> {
    let text = composed_of(template, |part| filled_part(part, script, task, true))?;
    let ours = composed_of(template, |part| filled_part(part, script, task, false))?;
    Some(ReadBack { text, ours })
}

/// A sentence from its template and what becomes of its parts. A part in brackets is left out when its slot has no value; nothing is said
/// when nothing is left.
fn composed_of(template: &str, part_of: impl Fn(&str) -> Option<String>) -> Option<String> {
    let mut out = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('[') {
        out.push_str(before);
        let (part, after) = after.split_once(']')?;
        out.push_str(&part_of(part).unwrap_or_default());
        rest = after;
    }
    out.push_str(rest);
    let bare = out.trim_start_matches(|c: char| !c.is_alphanumeric());
    let bare = bare.strip_prefix("and ").unwrap_or(bare);
    let mut chars = bare.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect())
}

fn filled_part(part: &str, script: &TaskScript, task: &Task, spoken: bool) -> Option<String> {
    let (before, after) = part.split_once('{')?;
    let (id, after) = after.split_once('}')?;
    let slot = script.slot(id)?;
    let filled = task.slots.get(id).filter(|f| !f.value.is_empty() && !f.spoken.is_empty())?;
    let said = match slot.kind {
        SlotKind::When => dated(&filled.spoken),
        SlotKind::Place if in_story(filled, script, task) => return None,
        SlotKind::Place => placed(&filled.spoken),
        SlotKind::Story => retold(&filled.spoken),
        SlotKind::Injured => lower_first(&filled.spoken),
        _ => not_asked(&filled.spoken),
    };
    let said = if spoken { said } else { THEIRS.to_owned() };
    Some(format!("{before}{said}{after}"))
}

/// A place that the account names is not said twice.
fn in_story(place: &Filled, script: &TaskScript, task: &Task) -> bool {
    let story = script.slots.iter().find(|s| s.kind == SlotKind::Story).and_then(|s| task.slots.get(&s.id));
    story.is_some_and(|story| plain(&story.spoken).contains(&plain(&place.spoken)))
}

/// What the caller asked, read back, is no question of ours: ours is the last, and the only one.
fn not_asked(spoken: &str) -> String {
    spoken.replace('?', ".").replace('¿', "")
}

/// "on Friday, November 20"; "at 3 PM" needs nothing.
fn dated(spoken: &str) -> String {
    if spoken.starts_with(char::is_uppercase) { format!("on {spoken}") } else { spoken.to_owned() }
}

/// A place with the little word it needs: "at 12 Main Street", "on Elm Street", "behind the school".
fn placed(spoken: &str) -> String {
    const OWN: &[&str] = &[
        "in", "behind", "outside", "inside", "across", "next", "near", "beside", "under", "at", "on", "by",
        "between", "along", "off", "around", "over", "close", "just", "right", "in front",
    ];
    const ROADS: &[&str] = &[
        "street",
        "st",
        "avenue",
        "ave",
        "road",
        "rd",
        "drive",
        "lane",
        "boulevard",
        "highway",
        "parkway",
        "trail",
        "bridge",
        "bypass",
        "pike",
    ];
    let plain = plain(spoken);
    let first = plain.split(' ').next().unwrap_or_default();
    let last = plain.rsplit(' ').next().unwrap_or_default();
    if OWN.contains(&first) {
        return lower_first(spoken);
    }
    let road = ROADS.contains(&last) || matches!(first, "route" | "highway" | "interstate");
    let numbered = first.starts_with(|c: char| c.is_ascii_digit());
    format!("{} {spoken}", if road && !numbered { "on" } else { "at" })
}

/// The caller's account as we tell it back to them: "my car" is "your car", and all of it one clause.
fn retold(spoken: &str) -> String {
    let clauses: Vec<String> =
        language::sentences(spoken).iter().map(|s| retold_clause(s.trim_end_matches('.'))).collect();
    clauses.join("; ")
}

/// Behind "you" they say what the county did.
const OF_COUNTY: &[&str] = &[
    "guys", "people", "folks", "haven't", "didn't", "skipped", "missed", "forgot", "never", "said", "told",
    "promised", "left", "broke", "plowed", "still",
];

fn retold_clause(clause: &str) -> String {
    let mut out: Vec<String> = Vec::new();
    let mut after_i = false;
    let words: Vec<&str> = clause.split_whitespace().collect();
    for (at, word) in words.iter().copied().enumerate() {
        let bare = word.trim_end_matches([',', '.', ';', ':', '!', '?']);
        // "You skipped my trash" is told of the county; "you can't see the sign" of anybody.
        let county = words.get(at + 1).is_some_and(|next| OF_COUNTY.contains(&next.to_lowercase().as_str()));
        let said = match bare.to_lowercase().replace('’', "'").as_str() {
            "you" if county => "we".to_owned(),
            "was" if after_i => "were".to_owned(),
            "am" if after_i => "are".to_owned(),
            lower => yours(lower).map_or_else(|| bare.to_owned(), str::to_owned),
        };
        let said = if out.is_empty() { lower_first(&said) } else { said };
        after_i = bare == "I" || bare == "i";
        out.push(format!("{said}{}", &word[bare.len()..]));
    }
    out.join(" ")
}

fn yours(word: &str) -> Option<&'static str> {
    Some(match word {
        "i" | "me" | "we" | "us" => "you",
        "my" | "our" => "your",
        "mine" | "ours" => "yours",
        "myself" => "yourself",
        "ourselves" => "yourselves",
        "i'm" | "we're" => "you're",
        "i've" | "we've" => "you've",
        "i'd" | "we'd" => "you'd",
        "i'll" | "we'll" => "you'll",
        _ => return None,
    })
}

/// Lower case for words that have a capital only because a sentence began with them.
fn lower_first(text: &str) -> String {
    const COMMON: &[&str] = &[
        "a",
        "an",
        "the",
        "there",
        "there's",
        "someone",
        "somebody",
        "nobody",
        "some",
        "it",
        "it's",
        "he",
        "she",
        "they",
        "two",
        "three",
        "one",
        "no",
        "this",
        "that",
        "these",
        "those",
        "your",
        "you",
        "you're",
        "you've",
        "his",
        "her",
        "their",
        "yesterday",
        "today",
        "last",
        "when",
        "while",
        "after",
        "behind",
        "outside",
        "inside",
        "in",
        "on",
        "at",
        "near",
        "next",
        "across",
        "under",
        "by",
        "along",
        "off",
        "around",
        "over",
        "between",
        "beside",
        "just",
        "right",
        "close",
        "because",
        "people",
        "water",
        "broken",
        "car",
        "tree",
    ];
    let first = text.split(|c: char| c.is_whitespace() || c == ',').next().unwrap_or_default();
    if COMMON.contains(&first.to_lowercase().as_str()) {
        format!("{}{}", first.to_lowercase(), &text[first.len()..])
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accounts_are_told_back() {
        for (told, back) in [
            ("A tree branch fell on my car.", "a tree branch fell on your car"),
            ("I slipped and I was hurt.", "you slipped and you were hurt"),
            ("John hit me. I'm fine.", "John hit you; you're fine"),
        ] {
            assert_eq!(retold(told), back);
        }
    }

    #[test]
    fn places_get_their_word() {
        for (place, said) in [
            ("12 Main Street", "at 12 Main Street"),
            ("Elm Street", "on Elm Street"),
            ("Route 9", "on Route 9"),
            ("Behind the school on Elm Street", "behind the school on Elm Street"),
            ("the corner of 5th and Oak", "at the corner of 5th and Oak"),
            ("Riverside Park", "at Riverside Park"),
        ] {
            assert_eq!(placed(place), said);
        }
    }
}
