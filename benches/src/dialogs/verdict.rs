//! Whether a call did what it was for, and the figures of one call.

use gateway::scenario::evidence::Turn;
use gateway::scenario::work::{Filed, compare, holding, holds};
use serde::Serialize;

use super::set::{Act, Emergency, Language, Scenario};
use super::talk::{Call, tick_of};
use super::track::{Ended, Spoken};
use super::words;

/// Everything that the table is made of, for one call.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Verdict {
    pub id: String,
    pub kind: String,
    pub language: String,
    pub voice: String,
    pub line: String,
    pub success: bool,
    /// Why not.
    pub faults: Vec<String>,
    pub said_again: usize,
    pub turns: usize,
    pub seconds: u64,
    /// Frames of the caller, and those that this machine sent late.
    pub frames: usize,
    pub late: usize,
    pub ended: String,
    pub utterances: Vec<Answered>,
    /// Onset to silence of each interruption, ms; `None`: not honoured.
    pub yields: Vec<Option<u64>>,
    /// Interruptions of which the words were answered or are in a turn.
    pub back_channels: usize,
    pub stopped_by_back_channel: usize,
    /// Replies into which nobody spoke, on a line that is not clean, and those that were stopped.
    pub undisturbed: usize,
    pub stopped_by_line: usize,
    pub corrections: usize,
    pub corrections_taken: usize,
    pub rejected_filed: usize,
    /// The first reply says to call: `None` where no emergency was told.
    pub emergency: Option<bool>,
    /// An emergency was heard where there was none.
    pub false_emergency: bool,
    pub reply_spanish: Option<bool>,
    /// Words of the opening, and edits that the recogniser made.
    pub opening_words: usize,
    pub opening_edits: usize,
    pub filed: Vec<Filed>,
}

/// One utterance in time.
#[derive(Clone, Debug, Serialize)]
pub struct Answered {
    pub kind: String,
    pub is_opening: bool,
    pub has_pause: bool,
    pub is_speech: bool,
    pub response_ms: Option<u64>,
    pub cut_off: bool,
    /// Where cut off: the caller's whole utterance became one turn, and the early reply gave way.
    pub joined: bool,
}

/// Judges a call.
#[must_use]
pub fn judge(scenario: &Scenario, voice: &str, from: &str, call: &Call) -> Verdict {
    let mut verdict = Verdict {
        id: scenario.id.clone(),
        kind: scenario.kind.clone(),
        language: if scenario.language == Language::Es { "es" } else { "en" }.into(),
        voice: voice.to_owned(),
        line: scenario.line.name().into(),
        frames: call.record.heard.len(),
        late: call.record.late,
        seconds: (call.record.heard.len() / 50) as u64,
        ended: format!("{:?}", call.record.ended).to_lowercase(),
        filed: call.filed.clone(),
        turns: call.record.spoken.len(),
        said_again: call.record.spoken.iter().filter(|spoken| spoken.again).count(),
        ..Verdict::default()
    };
    verdict.faults = faults(scenario, from, call);
    time(&mut verdict, scenario, call);
    corrections(&mut verdict, scenario, from, call);
    first_reply(&mut verdict, scenario, call);
    recognition(&mut verdict, call);
    verdict.success = verdict.faults.is_empty();
    verdict
}

// ---------------------------------------------------------------- the goal

fn faults(scenario: &Scenario, from: &str, call: &Call) -> Vec<String> {
    let mut faults = Vec::new();
    let expect = &scenario.expect;
    let heard = heard_text(call);
    match call.record.ended {
        Ended::Hung => faults.push("the call would not end".to_owned()),
        Ended::GaveUp => faults.push("the caller gave up".to_owned()),
        Ended::Caller | Ended::Abrupt | Ended::Gateway => {}
    }
    if let Some(items) = &expect.items {
        faults.extend(compare(items, &call.filed, from));
    }
    for wanted in expect.hears.iter().filter(|wanted| !words::contains(&heard, wanted)) {
        faults.push(format!("not heard: {wanted}"));
    }
    for unwanted in expect.not_hears.iter().filter(|unwanted| words::contains(&heard, unwanted)) {
        faults.push(format!("heard: {unwanted}"));
    }
    let first = reply_text(call, 1);
    for wanted in expect.hears_first.iter().filter(|wanted| !words::contains(&first, wanted)) {
        faults.push(format!("not heard at once: {wanted}"));
    }
    for (kind, word) in holding(&call.filed, &expect.never) {
        faults.push(format!("{kind} holds {word}"));
    }
    match &expect.emergency {
        Emergency::Is(true) if !says_to_call(&first, None) => faults.push("no 911 at the first reply".into()),
        Emergency::Number(number) if !says_to_call(&first, Some(number)) => {
            faults.push(format!("no {number} at the first reply"));
        }
        Emergency::Is(false) if says_to_call(&first, None) => faults.push("sent to 911".into()),
        _ => {}
    }
    faults
}

/// Everything heard after the opening.
fn heard_text(call: &Call) -> String {
    let opened = call.record.spoken.first().map_or(0, |spoken| spoken.from);
    let after =
        |turn: &&Turn| turn.is_agent() && tick_of(call.record.began, turn.started_at) >= opened as i64;
    call.transcript.iter().filter(after).map(Turn::heard).collect::<Vec<_>>().join("\n")
}

fn reply_text(call: &Call, number: usize) -> String {
    let of = call.record.replies.iter().filter(|reply| reply.number == number);
    of.map(|reply| reply.text.as_str()).collect::<Vec<_>>().join(" ")
}

/// Tells to call 911, or another number.
fn says_to_call(reply: &str, number: Option<&str>) -> bool {
    let verbs = "call|dial|llame|marque|llama|text";
    // "If this is an emergency, …" is said to everybody whom the line could not help.
    let reply: Vec<&str> = sentences(reply).filter(|s| !is_conditional(s)).collect();
    let reply = reply.join(" ");
    let reply = reply.as_str();
    words::contains(reply, number.unwrap_or("911|9 1 1|nueve uno uno")) && words::contains(reply, verbs)
}

fn sentences(reply: &str) -> impl Iterator<Item = &str> {
    reply.split_inclusive(['.', '!', '?']).map(str::trim)
}

fn is_conditional(sentence: &str) -> bool {
    let lower = sentence.to_lowercase();
    ["if ", "in an emergency", "in case", "si es ", "si alguien ", "en una emergencia", "en caso"]
        .iter()
        .any(|opening| lower.starts_with(opening))
}

// ---------------------------------------------------------------- time

fn time(verdict: &mut Verdict, scenario: &Scenario, call: &Call) {
    let record = &call.record;
    for (at, spoken) in record.spoken.iter().enumerate() {
        let timing = record.timing(spoken);
        let cut_off = timing.cut_at.is_some();
        verdict.utterances.push(Answered {
            kind: spoken.kind.clone(),
            is_opening: at == 0,
            has_pause: spoken.has_thinking_pause(),
            is_speech: !spoken.voiced.is_empty(),
            response_ms: timing.response_ms,
            cut_off,
            joined: cut_off && timing.gave_way && is_one_turn(call, spoken),
        });
        if spoken.interrupts {
            match record.yielded_ms(spoken) {
                // It was over by itself: nothing to be honoured.
                Some(None) => {}
                Some(Some(ms)) => verdict.yields.push(Some(ms)),
                None => verdict.yields.push(None),
            }
        }
    }
    verdict.back_channels = record.overlays.len();
    let stopped = |overlay: &&super::track::Overlay| record.was_cleared(overlay.from, overlay.until + 75);
    verdict.stopped_by_back_channel = record.overlays.iter().filter(stopped).count();
    if scenario.line != super::set::Line::Clean {
        (verdict.undisturbed, verdict.stopped_by_line) = record.undisturbed();
    }
    let planned = scenario.does.iter().filter(|deed| deed.act == Act::Interrupt).count();
    let held = record.spoken.iter().filter(|spoken| spoken.interrupts).count();
    if planned > held && verdict.faults.is_empty() {
        // The reply was over before its time: no fault, and no figure.
        verdict.ended.push_str(", not interrupted");
    }
}

/// The whole utterance became one turn of the gateway.
fn is_one_turn(call: &Call, spoken: &Spoken) -> bool {
    let (from, to) = (spoken.onset() as i64, spoken.last as i64);
    let within = |turn: &&Turn| {
        let start = tick_of(call.record.began, turn.started_at);
        let end = turn.ended_at.map_or(start, |at| tick_of(call.record.began, at));
        !turn.is_agent() && start < to - 10 && end > from + 10
    };
    let turns: Vec<&Turn> = call.transcript.iter().filter(within).collect();
    let [turn] = turns.as_slice() else { return false };
    let start = tick_of(call.record.began, turn.started_at);
    let end = turn.ended_at.map_or(start, |at| tick_of(call.record.began, at));
    start <= from + 25 && end >= to - 50
}

// ---------------------------------------------------------------- the rest

fn corrections(verdict: &mut Verdict, scenario: &Scenario, from: &str, call: &Call) {
    let refused = holding(&call.filed, &scenario.expect.never);
    verdict.rejected_filed = refused.len();
    for kind in &scenario.corrects {
        let items = scenario.expect.items.iter().flatten();
        let expected = items.filter_map(|item| item.fields.get(kind)).next().or(scenario.truth.get(kind));
        let Some(wanted) = expected else { continue };
        verdict.corrections += 1;
        let filed = call.filed.iter().any(|filed| holds(kind, wanted, &filed.field(kind), from));
        // What is asked for is no field: the right answer shows that it was taken.
        let heard = scenario.expect.items.as_ref().is_none_or(Vec::is_empty)
            && scenario.expect.hears.iter().all(|wanted| words::contains(&heard_text(call), wanted));
        verdict.corrections_taken += usize::from((filed || heard) && refused.is_empty());
    }
}

fn first_reply(verdict: &mut Verdict, scenario: &Scenario, call: &Call) {
    let first = reply_text(call, 1);
    match &scenario.expect.emergency {
        Emergency::Is(false) => verdict.false_emergency = says_to_call(&first, None),
        Emergency::Is(true) => verdict.emergency = Some(says_to_call(&first, None)),
        Emergency::Number(number) => verdict.emergency = Some(says_to_call(&first, Some(number))),
    }
    verdict.reply_spanish = words::is_spanish(&first);
    let wanted = scenario.expect.reply_language.unwrap_or(scenario.language) == Language::Es;
    if verdict.reply_spanish.is_some_and(|spanish| spanish != wanted) {
        verdict.faults.push(format!("the first reply is in {}", if wanted { "English" } else { "Spanish" }));
    }
}

/// Words of the opening that the recogniser changed.
fn recognition(verdict: &mut Verdict, call: &Call) {
    let Some(opening) = call.record.spoken.first().filter(|spoken| !spoken.voiced.is_empty()) else { return };
    let to = opening.last as i64;
    let of_opening = |turn: &&Turn| !turn.is_agent() && tick_of(call.record.began, turn.started_at) < to - 10;
    let heard: Vec<&str> = call.transcript.iter().filter(of_opening).map(|turn| turn.text.as_str()).collect();
    let said = super::utterance::Utterance::parse(&opening.text).map(|said| said.text()).unwrap_or_default();
    let (said, heard) = (words::spoken_tokens(&said), words::spoken_tokens(&heard.join(" ")));
    verdict.opening_words = said.len();
    verdict.opening_edits = words::edits(&said, &heard);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn naming_911_is_not_telling_to_call_it() {
        assert!(says_to_call("Hang up now and dial 911.", None));
        assert!(says_to_call("Cuelgue y llame al nueve uno uno.", None));
        assert!(!says_to_call("The address is 911 Court Square.", None));
        assert!(!says_to_call("Call or dial 911.", Some("988")));
        assert!(!says_to_call("If this is an emergency, hang up now and dial 911. I don't have that.", None));
        assert!(says_to_call("I'm sorry. Hang up now and dial 911.", None));
    }
}
