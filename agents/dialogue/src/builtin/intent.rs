//! What the caller wants: the trained head leads; cues override it where a form of words leaves no doubt.

use pipeline::ports::Language;

use super::script::{Does, Intent, Script};
use language::Ear;
use language::intents::{NONE, QUESTION, Understood};

/// From so much on the head is as good as a cue.
const SURE: f32 = 0.75;
/// From so much on it decides where no cue does.
const LIKELY: f32 = 0.45;

/// Words of the longest farewell that no cue knows.
const FAREWELL: usize = 5;
/// To hang up on somebody takes more than to answer them.
const TAKES_LEAVE: f32 = 0.85;

/// An intent that was recognised.
#[derive(Clone, Copy, Debug)]
pub struct Recognised<'a> {
    pub intent: &'a Intent,
    /// 1 for a cue, else the probability.
    pub score: f32,
    /// By a cue, or as surely as by one.
    pub by_cue: bool,
}

/// The best intent for an utterance.
#[must_use]
pub fn recognise<'a>(script: &'a Script, text: &str, understood: &Understood) -> Option<Recognised<'a>> {
    let cue = by_cue(script, text);
    // Controls are short forms of words, and their cues know them whole.
    if cue.is_some_and(|cue| matches!(cue.intent.does, Does::Control(_))) {
        return cue;
    }
    let led = by_head(script, understood).filter(|led| !is_farewell_of_many(script, led, text));
    match (led, cue) {
        (Some(led), Some(cue)) if led.intent.id != cue.intent.id && led.score < SURE => Some(cue),
        // "I want to file a complaint about a clerk" is told like a report, and asks for a message.
        (Some(led), Some(cue)) if led.intent.id == "incident" && cue.intent.id == "message" => Some(cue),
        // "Can somebody call me back?" is a message to the head, which learned from people who left one.
        (Some(led), Some(cue)) if led.intent.id == "message" && cue.intent.id == "person" => Some(cue),
        (Some(led), _) if led.score >= SURE => Some(Recognised { by_cue: true, ..led }),
        // "How do I report a pothole?" has the cue of a report, and wants to know how.
        (None, Some(cue)) if !cue.intent.firm && understood.wants(QUESTION) >= SURE => None,
        (_, Some(cue)) => Some(cue),
        (led, None) => led,
    }
}

/// Nobody takes leave in a story: "I got a paper that says I have to be out" ends no call.
fn is_farewell_of_many(script: &Script, led: &Recognised<'_>, text: &str) -> bool {
    let ends = matches!(&led.intent.does, Does::Control(id) if id == "goodbye");
    let words = Ear(script.language).plain(text).split(' ').count();
    ends && (words > FAREWELL || led.score < TAKES_LEAVE)
}

/// The first intent with a matching cue.
#[must_use]
pub fn by_cue<'a>(script: &'a Script, text: &str) -> Option<Recognised<'a>> {
    let plain = Ear(script.language).plain(text);
    let hit = |intent: &&Intent| intent.cues.is_match(&plain) && !intent.not.is_match(&plain);
    script.intents.iter().find(hit).map(|intent| Recognised { intent, score: 1.0, by_cue: true })
}

/// The intent that the head finds likeliest; none where that is a question or nothing.
fn by_head<'a>(script: &'a Script, understood: &Understood) -> Option<Recognised<'a>> {
    // Every sentence of a Spanish speaker is like a wish for Spanish to a head that learned what Spanish is from English
    // lines: who has the language asks for it by name, if at all.
    let own = match script.language {
        Language::En => "english",
        Language::Es => "spanish",
    };
    let want = understood.wants.iter().find(|want| want.route != own).filter(|want| want.score >= LIKELY)?;
    if want.route == QUESTION || want.route == NONE {
        return None;
    }
    let intent = script.intents.iter().find(|intent| intent.id == want.route)?;
    Some(Recognised { intent, score: want.score, by_cue: false })
}
