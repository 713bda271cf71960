//! Feelings are acknowledged, once in a call, in one short sentence; then the business goes on.

use super::super::state::Pending;
use super::super::turn::Turn;
use super::acts::Feeling;

impl Turn<'_> {
    /// Says so before the rest of the reply, unless the reply feels with the caller already.
    pub(in super::super) fn acknowledge(&mut self, text: &str, from: usize) {
        let Some(feeling) = self.script.acts.feeling(&self.ear.plain(text)).filter(|_| !self.state.felt)
        else {
            return;
        };
        self.state.felt = true;
        let reply = self.out.get(from..).unwrap_or_default();
        if reply.iter().any(|say| self.script.acts.sympathises(&say.text)) {
            return;
        }
        let rest = self.out.split_off(from.min(self.out.len()));
        match feeling {
            Feeling::Distress => self.say("feel_distress"),
            Feeling::Anger => self.say("feel_anger"),
        }
        self.out.extend(rest);
    }

    /// The words without the sentences that only tell a feeling: what is asked beside them is searched for alone.
    pub(in super::super) fn business(&self, text: &str) -> String {
        let acts = &self.script.acts;
        let feels = |sentence: &str| {
            let plain = self.ear.plain(sentence);
            acts.feeling(&plain).is_some() || acts.insults(&plain)
        };
        // "My trash has been sitting there, you people are useless, I'm at 88 Birch Lane": the clause that feels, and no other.
        let clauses = |sentence: &str| -> String {
            let parts: Vec<&str> = sentence.split_inclusive(',').filter(|part| !feels(part)).collect();
            parts.concat()
        };
        let kept: Vec<String> = text
            .split_inclusive(['.', '?', '!'])
            .map(|sentence| if feels(sentence) { clauses(sentence) } else { sentence.to_owned() })
            .collect();
        let kept = kept.concat().trim().trim_end_matches(',').to_owned();
        if self.ear.terms(&self.ear.plain(&kept)).is_empty() { text.to_owned() } else { kept }
    }

    /// Answers hostility calmly, once, and still does what was asked beside it. `true` when that was all.
    pub(in super::super) fn profanity(&mut self, text: &str) -> bool {
        if !self.script.acts.insults(&self.ear.plain(text)) {
            return false;
        }
        self.state.rude = self.state.rude.saturating_add(1);
        self.did("hostility", "kept calm");
        let first = !std::mem::replace(&mut self.state.felt, true);
        if self.substance(text) {
            if first {
                self.say("profanity");
            }
            return false;
        }
        if self.state.rude >= 2 && self.state.tasks.is_empty() {
            self.ask_pending("profanity_person", Pending::Offer("person".to_owned()));
        } else {
            self.say(if first { "profanity" } else { "not_now" });
            self.resume_or_help();
        }
        true
    }

    /// Whether there is a request beside the strong words.
    fn substance(&mut self, text: &str) -> bool {
        let cue = super::super::intent::by_cue(self.script, text)
            .is_some_and(|found| found.intent.id != "acknowledge");
        let slot = self.state.task().is_some() && self.ear.plain(text).split(' ').count() > 6;
        let told = self.script.acts.tells(&self.ear.plain(text));
        cue || slot || told || (self.state.tasks.is_empty() && self.passage(text).is_some())
    }
}
