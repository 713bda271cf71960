//! Whether a call was as its scenario wants it. Pure.

#![deny(clippy::disallowed_methods)]

use serde::{Deserialize, Serialize};

use super::caller::{Kind, Spoken};
use super::evidence::Evidence;
use super::file::{EndedBy, Expect, Reply, Scenario};
use super::track::Yield;
use super::wanted::Tongue;
use super::{words, work};

/// What a finding is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum About {
    /// The call did not go as it is written.
    Course,
    Words,
    Tools,
    Work,
    /// Language, attention, team, and who hung up.
    Call,
    Latency,
    /// Silences, and who spoke over whom.
    Turns,
}

impl About {
    /// The caller did not get what the call was for.
    #[must_use]
    pub const fn is_task(self) -> bool {
        !matches!(self, Self::Latency | Self::Turns)
    }
}

/// Something that is not as it must be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    pub about: About,
    /// Line of the step in the file, where there is one.
    pub line: Option<u64>,
    pub what: String,
}

/// Times and turns of one call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manners {
    /// Last sound of the caller to the first of the reply, one for each answered turn, ms.
    pub responses_ms: Vec<u64>,
    /// Turns that nothing answered.
    pub unanswered: usize,
    /// Onset of an interruption to silence, ms; `None`: talked through.
    pub yields_ms: Vec<Option<u64>>,
    pub back_channels: usize,
    /// Of those: they stopped the reply.
    pub stopped: usize,
    /// Turns of the caller, and those into which a reply began.
    pub turns: usize,
    pub cut_off: usize,
    pub longest_silence_ms: u64,
}

/// Times of a call.
#[must_use]
pub fn manners(evidence: &Evidence) -> Manners {
    let track = evidence.track();
    let mut manners = Manners::default();
    for spoken in &evidence.spoken {
        match spoken.kind {
            Kind::BackChannel => {
                manners.back_channels += 1;
                manners.stopped += usize::from(track.stopped(spoken));
                continue;
            }
            Kind::Silence => continue,
            Kind::Interruption => match track.yielded(spoken) {
                Yield::After(ms) => manners.yields_ms.push(Some(ms)),
                Yield::Never => manners.yields_ms.push(None),
                // There was nothing left to stop.
                Yield::Ended => {}
            },
            Kind::Said | Kind::Keys => {}
        }
        let timing = track.timing(spoken);
        manners.turns += 1;
        manners.cut_off += usize::from(timing.cut_off);
        match timing.response_ms {
            Some(ms) if !timing.cut_off => manners.responses_ms.push(ms),
            None if !timing.cut_off => manners.unanswered += 1,
            _ => {}
        }
    }
    manners.longest_silence_ms = track.longest_silence(&evidence.spoken).map_or(0, |(_, ms)| ms);
    manners
}

/// Everything that is not as the scenario wants it.
#[must_use]
pub fn judge(scenario: &Scenario, evidence: &Evidence) -> Vec<Finding> {
    let mut findings = Findings(Vec::new());
    for astray in &evidence.astray {
        let line = scenario.steps.get(astray.step).map(|step| step.line);
        findings.add(About::Course, line, astray.what.clone());
    }
    findings.reply(&scenario.expect.greeting, None, "the greeting", &evidence.greeting());
    findings.steps(scenario, evidence);
    findings.words(&scenario.expect, evidence);
    findings.work(&scenario.expect, evidence);
    findings.call(&scenario.expect, evidence);
    findings.times(&scenario.expect, evidence);
    findings.0
}

struct Findings(Vec<Finding>);

impl Findings {
    fn add(&mut self, about: About, line: Option<u64>, what: impl Into<String>) {
        self.0.push(Finding { about, line, what: what.into() });
    }

    /// The reply to each step. A step that was done several times is judged by the last.
    fn steps(&mut self, scenario: &Scenario, evidence: &Evidence) {
        for (at, step) in scenario.steps.iter().enumerate() {
            if step.expect == Reply::default() {
                continue;
            }
            let line = Some(step.line);
            let Some(index) = evidence.spoken.iter().rposition(|spoken| spoken.step == at) else {
                self.add(About::Course, line, "this step was never reached");
                continue;
            };
            let spoken = &evidence.spoken[index];
            let reply = evidence.reply_to(index);
            self.reply(&step.expect, line, "the reply", &reply);
            self.reply_time(&step.expect, line, spoken, evidence);
        }
    }

    fn reply_time(&mut self, expect: &Reply, line: Option<u64>, spoken: &Spoken, evidence: &Evidence) {
        let Some(most) = expect.max_ms else { return };
        match evidence.track().timing(spoken).response_ms {
            Some(ms) if ms <= most => {}
            Some(ms) => self.add(About::Latency, line, format!("the reply came after {ms} ms, not {most}")),
            None => self.add(About::Latency, line, "no reply came after it"),
        }
    }

    fn reply(&mut self, expect: &Reply, line: Option<u64>, which: &str, text: &str) {
        let heard = if text.is_empty() { "nothing".to_owned() } else { format!("\"{text}\"") };
        for lacking in expect.contains.lacking(text) {
            self.add(About::Words, line, format!("{which} lacks \"{lacking}\"; heard: {heard}"));
        }
        let any = &expect.any_of;
        if !any.is_empty() && any.found(text).next().is_none() {
            let wanted = any.all().join("\" and \"");
            self.add(About::Words, line, format!("{which} has none of \"{wanted}\"; heard: {heard}"));
        }
        for found in expect.not.found(text) {
            self.add(About::Words, line, format!("{which} must not say \"{found}\"; heard: {heard}"));
        }
        if let Some(pattern) = expect.matches.as_ref().filter(|pattern| !pattern.is_in(text)) {
            self.add(
                About::Words,
                line,
                format!("{which} does not match `{}`; heard: {heard}", pattern.as_str()),
            );
        }
        if let Some(wanted) = expect.language {
            let spanish = words::is_spanish(text);
            if spanish.is_some_and(|spanish| spanish != (wanted == Tongue::Es)) || spanish.is_none() {
                self.add(About::Words, line, format!("{which} is not in {}; heard: {heard}", wanted.code()));
            }
        }
        match expect.answered {
            Some(true) if text.is_empty() => self.add(About::Words, line, "nothing was said in reply"),
            Some(false) if !text.is_empty() => {
                self.add(About::Words, line, format!("nothing had to be said; heard: {heard}"));
            }
            _ => {}
        }
    }

    fn words(&mut self, expect: &Expect, evidence: &Evidence) {
        let heard = evidence.replies();
        for lacking in expect.hears.lacking(&heard) {
            self.add(About::Words, None, format!("never heard: \"{lacking}\""));
        }
        for found in expect.not_hears.found(&heard) {
            self.add(About::Words, None, format!("heard, and must not be: \"{found}\""));
        }
        let used = |tool: &&String| evidence.tools.iter().any(|used| used.ok && used.name == **tool);
        for tool in expect.tools.iter().filter(|tool| !used(tool)) {
            self.add(About::Tools, None, format!("the tool {tool} did not succeed"));
        }
        let tried = |tool: &&String| evidence.tools.iter().any(|used| used.name == **tool);
        for tool in expect.not_tools.iter().filter(tried) {
            self.add(About::Tools, None, format!("the tool {tool} was used, and must not be"));
        }
    }

    fn work(&mut self, expect: &Expect, evidence: &Evidence) {
        if let Some(items) = &expect.work {
            for fault in work::compare(items, &evidence.work, &evidence.from) {
                self.add(About::Work, None, fault);
            }
        }
        for kind in &expect.not_work {
            if evidence.work.iter().any(|item| item.kind == *kind) {
                self.add(About::Work, None, format!("{kind} was filed, and must not be"));
            }
        }
        for (kind, word) in work::holding(&evidence.work, &expect.never) {
            self.add(About::Work, None, format!("{kind} holds \"{word}\""));
        }
        if let Some(state) = expect.state.as_ref().filter(|state| **state != evidence.state) {
            let left = &evidence.state;
            self.add(About::Work, None, format!("what the call left has the hash {left}, not {state}"));
        }
    }

    fn call(&mut self, expect: &Expect, evidence: &Evidence) {
        let mut same = |name: &str, wanted: Option<&str>, is: &str| {
            if let Some(wanted) = wanted.filter(|wanted| *wanted != is) {
                self.add(About::Call, None, format!("{name} is \"{is}\", not \"{wanted}\""));
            }
        };
        let language = evidence.language.split('-').next().unwrap_or_default();
        same("the call's language", expect.language.map(Tongue::code), language);
        same("the team", expect.team.as_deref(), &evidence.team);
        same("attention", expect.attention.map(super::file::Attention::name), &evidence.attention);
        same("attention's reason", expect.attention_reason.as_deref(), &evidence.attention_reason);
        let ended = if evidence.hung_up { EndedBy::Caller } else { EndedBy::Agent };
        if expect.ended_by.is_some_and(|wanted| wanted != ended) {
            let who = if evidence.hung_up { "the caller" } else { "the agent" };
            self.add(About::Call, None, format!("it was {who} who hung up"));
        }
    }

    fn times(&mut self, expect: &Expect, evidence: &Evidence) {
        let manners = manners(evidence);
        if let (Some(most), Some(worst)) = (expect.latency.max_ms, manners.responses_ms.iter().max())
            && *worst > most
        {
            self.add(About::Latency, None, format!("a reply came after {worst} ms, not {most}"));
        }
        if let (Some(most), Some(p95)) =
            (expect.latency.p95_ms, super::figures::quantile(&manners.responses_ms, 0.95))
            && p95 > most
        {
            self.add(About::Latency, None, format!("95 % of the replies came within {p95} ms, not {most}"));
        }
        if let Some(most) = expect.max_silence_ms
            && manners.longest_silence_ms > most
        {
            let ms = manners.longest_silence_ms;
            self.add(About::Turns, None, format!("there was a silence of {ms} ms, not {most}"));
        }
        if let Some(most) = expect.max_interruptions
            && manners.cut_off > most
        {
            let times = manners.cut_off;
            self.add(About::Turns, None, format!("the caller was interrupted {times} times, not {most}"));
        }
        for late in &manners.yields_ms {
            match (late, expect.max_yield_ms) {
                (None, _) => self.add(About::Turns, None, "an interruption was talked through"),
                (Some(ms), Some(most)) if *ms > most => {
                    self.add(
                        About::Turns,
                        None,
                        format!("the reply stopped {ms} ms after an interruption began"),
                    );
                }
                _ => {}
            }
        }
        if manners.stopped > 0 {
            let (stopped, all) = (manners.stopped, manners.back_channels);
            self.add(About::Turns, None, format!("{stopped} of {all} back-channels stopped a reply"));
        }
    }
}

#[cfg(test)]
#[path = "verdict_tests.rs"]
mod tests;
