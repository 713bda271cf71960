//! Tools that only read: what they look up, and how the model is told of it.

use std::sync::Arc;
use std::time::Duration;

use pipeline::ports::{Language, TurnInput};
use tokio::time::timeout;

use super::super::office::Office;
use super::memory::{CLAIM_TRIES, Memory};
use dialogue::builtin::state::{Filled, Stage, Task};
use dialogue::builtin::{ClaimRecord, Dialogue, Opening, Passage, Search, State, View};
use governance::guard::{Channel, Context};
use language::Ear;
use language::english::when::{spoken_date, spoken_time};
use language::intents::Understood;
use models::delimit::{self, block, data};
use work::tools::remote::wire::Failure;
use work::tools::remote::{MAX_TEXT, Said, outside};
use work::tools::{Asked, Outcome, RELEVANT};

/// Free times told at once.
const TIMES: usize = 6;
/// Characters of one passage that a model is shown.
const PASSAGE: usize = 900;
/// In place of a record of which the guard left nothing.
const UNTOLD: &str = "The record holds nothing that can be told.";

/// What a look-up found.
#[derive(Debug)]
pub(crate) enum Found {
    Passages(Vec<Passage>),
    Times(Vec<Opening>),
    Claim(Option<ClaimRecord>),
    /// Of a server outside.
    Outside(Result<Said, Failure>),
    /// It took too long.
    Late,
}

/// Looks up what a call asks for, within `limit`: the caller waits with it. Changes nothing, so it may be dropped at any
/// moment.
pub(super) async fn look_up(asked: Asked, office: Arc<Office>, limit: Duration) -> Found {
    let reading = async {
        match &asked {
            Asked::Search { query } => {
                Found::Passages(office.passages(&Search { text: query.clone(), within: None }).await.0)
            }
            Asked::FreeTimes { .. } => Found::Times(office.openings().await),
            Asked::Claim { number, .. } => Found::Claim(office.claim(number).await),
            Asked::File(_)
            | Asked::MarkUrgent { .. }
            | Asked::PutThrough { .. }
            | Asked::AskStaff { .. }
            | Asked::PauseRecording { .. }
            | Asked::Speak(_)
            | Asked::Outside
            | Asked::EndCall => Found::Late,
        }
    };
    timeout(limit, reading).await.unwrap_or(Found::Late)
}

/// What the model is told of a look-up. What the call learns by it goes into `memory`.
pub(super) fn tell(
    asked: &Asked,
    found: Found,
    memory: &mut Memory,
    dialogue: &Dialogue,
    view: &View<'_>,
) -> Outcome {
    match (asked, found) {
        (_, Found::Passages(passages)) => match information(&passages, memory) {
            Some(information) => Outcome::ok(information),
            None => Outcome::ok(
                "The county's documents say nothing about this. Say so; offer a message or a person.",
            ),
        },
        (Asked::FreeTimes { day, part }, Found::Times(times)) => {
            let fits = |o: &&Opening| day.is_none_or(|d| o.starts.date() == d) && part.holds(o);
            let fitting: Vec<&Opening> = times.iter().filter(fits).take(TIMES).collect();
            tell_times(&fitting, &times, memory)
        }
        (Asked::Claim { number, proofs }, Found::Claim(claim)) => {
            tell_claim(number, proofs, claim.as_ref(), memory, dialogue, view)
        }
        (Asked::Outside, Found::Outside(said)) => tell_outside(said, memory),
        _ => Outcome::error("The look-up took too long. Say that you cannot see it right now."),
    }
}

/// Passages as a block of data, each with the name of its page. What speaks to the model out of a page is taken out, and
/// a page of which nothing is left is not shown.
pub(super) fn information(passages: &[Passage], memory: &mut Memory) -> Option<String> {
    let shown: Vec<(String, String)> = passages
        .iter()
        .filter(|p| p.relevance >= RELEVANT)
        .filter_map(|p| {
            let source = p.front.spoken.clone().unwrap_or_else(|| format!("the {} page", p.title));
            let alarms = &mut memory.alarms;
            let mut passed = |text: &str| alarms.pass(text, Channel::Document, Context::default());
            let (source, text) = (passed(&source)?, passed(&p.text)?);
            Some((data(&source, 80), data(&text, PASSAGE)))
        })
        .collect();
    // What stands there may be said as it stands.
    shown.iter().for_each(|(_, text)| memory.shown.learn(text));
    (!shown.is_empty()).then(|| {
        let shown: Vec<String> = shown.iter().map(|(source, text)| format!("[{source}]\n{text}")).collect();
        let text = screen(memory, &shown.join("\n\n"));
        block(delimit::INFORMATION, &text)
    })
}

fn screen(memory: &mut Memory, text: &str) -> String {
    pipeline::ports::Screen::screen(&mut memory.redactor, text)
}

// ---------------------------------------------------------------- free times

fn tell_times(fitting: &[&Opening], all: &[Opening], memory: &mut Memory) -> Outcome {
    if all.is_empty() {
        return Outcome::ok("There are no free times at all. Say so; offer that a person calls back.");
    }
    let next: Vec<&Opening> = all.iter().take(TIMES).collect();
    let (lead, shown) = match fitting {
        [] => ("Nothing is free then. The next free times are:", next.as_slice()),
        some => ("Free times:", some),
    };
    let lines: Vec<String> = shown
        .iter()
        .map(|o| {
            let said = format!("{} at {}", spoken_date(o.starts.date()), spoken_time(o.starts.time()));
            format!("{}: {said}", memory.offer(o))
        })
        .collect();
    Outcome::ok(format!("{lead}\n{}", lines.join("\n")))
}

// ---------------------------------------------------------------- servers outside

/// What a server said is text from outside: judged, bounded, and data in a block.
fn tell_outside(said: Result<Said, Failure>, memory: &mut Memory) -> Outcome {
    let said = match said {
        Ok(said) => said,
        Err(failure) => {
            return Outcome::error(format!(
                "The tool gave no answer that can be used: {failure}. Say that you cannot see it right now."
            ));
        }
    };
    let words = outside::words(&said);
    let passed = memory.alarms.pass(&words, Channel::Tool, Context::default());
    let text = screen(memory, &data(passed.as_deref().unwrap_or(UNTOLD), MAX_TEXT));
    Outcome { content: block(delimit::RECORD, &text), is_error: said.is_error }
}

// ---------------------------------------------------------------- claims

fn tell_claim(
    number: &str,
    proofs: &[String],
    claim: Option<&ClaimRecord>,
    memory: &mut Memory,
    dialogue: &Dialogue,
    view: &View<'_>,
) -> Outcome {
    if memory.is_locked() {
        return locked();
    }
    if let Some(claim) = claim.filter(|_| memory.proven.contains(number)) {
        return status(claim, memory);
    }
    if proofs.is_empty() {
        memory.pin_for = Some(number.to_owned());
        // The same words for every number: whether there is such a claim, or a PIN to it, is told to nobody.
        return Outcome::ok(if memory.is_pin_locked() {
            "Ask for the date of birth, or the last name on the claim. No PIN can be taken any more."
        } else {
            "Ask the caller to key in the PIN of the claim and press pound, or, if they have none, to tell their date of birth or the last name on the claim."
        });
    }
    let language = memory.language;
    let holds = |claim: &&ClaimRecord| {
        // A model writes English; a token stands for the caller's own words.
        let right = |proof: &String, language| proves(claim, number, proof, language, dialogue, view);
        proofs.iter().all(|proof| right(proof, Language::En) || right(proof, language))
    };
    prove(number, claim.filter(holds), memory)
}

fn prove(number: &str, claim: Option<&ClaimRecord>, memory: &mut Memory) -> Outcome {
    let Some(claim) = claim else { return refused(memory) };
    memory.proven.insert(number.to_owned());
    memory.pin_for = None;
    status(claim, memory)
}

/// What the model is told of a secret that the caller keyed in or said: whether it was right. The secret itself goes no
/// further. A date of birth or a phone number may be given in its place.
pub(super) fn tell_secret(
    claim: Option<&ClaimRecord>,
    secret: &str,
    memory: &mut Memory,
    dialogue: &Dialogue,
    view: &View<'_>,
) -> String {
    let Some(number) = memory.pin_for.clone() else {
        return "The caller keyed a code that nobody had asked for. It was thrown away.".to_owned();
    };
    if memory.is_locked() {
        return locked().content;
    }
    let ear = Ear(memory.language);
    let detail = ear.birth_date(secret, view.now.date()).is_some() || ear.whole_phone(secret).is_some();
    if detail {
        let holds = |claim: &&ClaimRecord| proves(claim, &number, secret, memory.language, dialogue, view);
        let claim = claim.filter(holds);
        let right = if claim.is_some() { "right" } else { "wrong" };
        let told = prove(&number, claim, memory).content;
        return format!("The caller gave a detail of the claim's holder; it was {right}. {told}");
    }
    let Some(pin) = ear.pin(secret) else {
        return "The caller gave something that is no PIN. Ask once more.".to_owned();
    };
    let open = !memory.is_pin_locked();
    let right = claim.filter(|c| open && c.pin.as_ref().is_some_and(|kept| kept.matches(&pin)));
    if let Some(claim) = right {
        let told = prove(&number, Some(claim), memory).content;
        return format!("The caller keyed a code; it was right. {told}");
    }
    memory.pin_tries = memory.pin_tries.saturating_add(1);
    let next = if memory.is_pin_locked() {
        "No PIN can be taken any more; the date of birth or the last name will still do."
    } else {
        "They may try again, or tell the date of birth or the last name."
    };
    format!("The caller keyed a code; it was wrong. {next}")
}

fn status(claim: &ClaimRecord, memory: &mut Memory) -> Outcome {
    let passed = memory.alarms.pass(&claim.status_text, Channel::Tool, Context::default());
    if let Some(told) = &passed {
        memory.shown.learn(told);
    }
    let text = screen(memory, &data(passed.as_deref().unwrap_or(UNTOLD), 600));
    Outcome::ok(format!("The caller is the claim's holder.\n{}", block(delimit::RECORD, &text)))
}

/// Never says which part was wrong, nor whether there is such a claim.
fn refused(memory: &mut Memory) -> Outcome {
    memory.claim_tries = memory.claim_tries.saturating_add(1);
    if memory.is_locked() {
        return locked();
    }
    let left = CLAIM_TRIES - memory.claim_tries;
    Outcome::error(format!("The details do not match a claim that can be opened. Tries left: {left}."))
}

fn locked() -> Outcome {
    Outcome::error("No claim can be opened on this call any more. Say so, and offer request_person.")
}

/// Whether a detail is the holder's: the built-in agent's own check, asked the way it is asked there.
fn proves(
    claim: &ClaimRecord,
    number: &str,
    proof: &str,
    language: Language,
    dialogue: &Dialogue,
    view: &View<'_>,
) -> bool {
    let mut task = Task::new("claim");
    task.fill("claim_number", Filled::new(number, number));
    task.fill("proof", Filled::new(proof, proof));
    task.stage = Stage::Confirm;
    let state = State { tasks: vec![task], ..State::default() }.speaking(language, &[language]);
    // The county's pages have no part in it.
    let view = View {
        claim: Some(Some(claim.clone())),
        queues: None,
        openings: None,
        passages: Vec::new(),
        topic: Vec::new(),
        searched: Vec::new(),
        understood: Understood::default(),
        facts: view.facts,
        now: view.now,
        seed: view.seed,
    };
    let yes = match language {
        Language::En => "yes",
        Language::Es => "sí",
    };
    let step = dialogue.step(&state, &TurnInput::said(yes), &view);
    step.note.did == "told the status"
}
