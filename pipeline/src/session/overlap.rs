//! Sound while we speak: what it may be, and what becomes of the words in it. None is lost: they cut the reply, are
//! answered after it, or are asked for again.

use super::Session;
use super::barge_in::{self, Judgement, OverTalk};
use super::state::{Agent, Caller, Leg};
use super::utterance::{FinalText, OverReply, Utterance};
use crate::ports::TurnInput;
use crate::turn::Expectation;

/// Words of ours, up to where the caller has heard us, that may be an utterance's; and that its first may be.
const SAID_BACK: usize = 40;
const SAID_RECENTLY: usize = 16;

impl Session {
    /// What of ours the caller is speaking over, if anything.
    pub(super) fn over_reply(&self) -> Option<OverReply> {
        if !matches!(self.regions.agent, Agent::Speaking | Agent::Yielding)
            || !self.play_out.is_audible(self.now)
        {
            return None;
        }
        let reply = self.reply.as_ref()?;
        let since = self.play_out.first_sent_at(reply.epoch.0).unwrap_or(self.now);
        Some(OverReply { reply_age: self.now.since(since), notice: reply.is_notice() })
    }

    /// Weighs sound over our reply. Called whenever more is known of it.
    pub(super) fn judge_over_talk(&mut self) {
        let Some(utterance) = &self.utterance else { return };
        let Some(over) = utterance.over_reply else { return };
        if self.regions.agent == Agent::Idle || self.regions.agent == Agent::Thinking {
            return;
        }
        let said = |back| if utterance.text().is_some() { self.just_said(back) } else { String::new() };
        let (ours, recent) = (said(SAID_BACK), said(SAID_RECENTLY));
        let judgement = barge_in::judge(&self.config, self.over_talk(utterance, over, &ours, &recent));
        match judgement {
            Judgement::Interruption if utterance.rejoins => self.rejoin(),
            Judgement::Interruption => {
                self.interrupt();
                if let Some(u) = &mut self.utterance {
                    u.interrupted = true;
                    u.over_reply = None;
                }
            }
            Judgement::BackChannel => self.stop_yielding(),
            Judgement::Open => {}
        }
    }

    /// "Okay" over our reply is no turn, unless we have just asked a question that it answers.
    pub(super) fn is_listening_noise(&self, utterance: &Utterance, text: &str) -> bool {
        let while_we_spoke = utterance.over_reply.is_some() || utterance.interrupted || utterance.rejoins;
        if let Some(over) = utterance.over_reply {
            let (ours, recent) = (self.just_said(SAID_BACK), self.just_said(SAID_RECENTLY));
            let talk = self.over_talk(utterance, over, &ours, &recent);
            if barge_in::is_nothing(&OverTalk { text: Some(text), finished: true, ..talk }) {
                return true;
            }
        }
        let answers = self.reply_expects() == Expectation::YesNo && self.play_out.pending_ms() == 0;
        while_we_spoke && !answers && barge_in::is_only_back_channel(text)
    }

    /// A yes or no over the end of the question that it answers.
    pub(super) fn answers_ahead(&self, utterance: &Utterance, text: &str) -> bool {
        let speaking = matches!(self.regions.agent, Agent::Speaking | Agent::Yielding);
        let near = u128::from(self.play_out.pending_ms()) <= self.config.answer_ahead.as_millis();
        speaking
            && utterance.over_reply.is_some()
            && self.reply_expects() == Expectation::YesNo
            && near
            && barge_in::is_answer(text)
    }

    /// Words were made out over our reply, and the recogniser's last word has none of them: they are asked for again.
    pub(super) fn note_missed(&mut self, utterance: &Utterance) {
        let speaking = matches!(self.regions.agent, Agent::Speaking | Agent::Yielding);
        let spoke = utterance.interrupted || (utterance.over_reply.is_some() && speaking);
        let had_words = utterance.made_out.as_ref().is_some_and(|text| {
            !barge_in::is_only_back_channel(text) && !barge_in::is_echo(text, &self.just_said(SAID_BACK))
        });
        self.missed |= spoke && had_words;
    }

    /// Said over a notice that is not over yet: it is answered when the notice is.
    pub(super) fn is_over_notice(&self, utterance: &Utterance) -> bool {
        utterance.over_reply.is_some_and(|o| o.notice)
            && matches!(self.regions.agent, Agent::Speaking | Agent::Yielding)
    }

    /// Keeps words for after the reply that is being said.
    pub(super) fn defer(&mut self, utterance: &Utterance, done: &FinalText) {
        self.stop_yielding();
        self.note_caller_turn(utterance.began, done);
        self.deferred = self.deferred.followed_by(&done.text, done.confidence, &done.alternatives);
    }

    /// Answers what was said over the reply that has just ended, or asks for it again.
    pub(super) fn take_deferred(&mut self) {
        let missed = std::mem::take(&mut self.missed);
        let quiet = matches!(self.regions.caller, Caller::Silent | Caller::MaybeSpeaking);
        if self.deferred.is_empty() {
            if missed && quiet && self.regions.leg == Leg::Open {
                self.begin_turn(TurnInput::Unintelligible);
            }
            return;
        }
        let deferred = std::mem::take(&mut self.deferred);
        let words = self.carried.followed_by(&deferred.text, deferred.confidence, &deferred.alternatives);
        if quiet {
            self.carried.clear();
            let input = self.as_input(words);
            self.commit_turn(input, None);
            let before = self.before_noted();
            if let Some(reply) = self.reply.as_mut().filter(|r| r.committed) {
                reply.before = Some(before);
            }
        } else {
            self.carried = words;
        }
    }

    /// A turn that nobody judged an interruption while it lasted is one now: it had words. False when the call
    /// ends by that: what was cut was our last word.
    pub(super) fn confirm_over_talk(&mut self) -> bool {
        if matches!(self.regions.agent, Agent::Speaking | Agent::Yielding) {
            self.interrupt();
            self.cut = None;
        }
        self.regions.leg == Leg::Open
    }

    /// The last words of ours that the caller's telephone may give back: what was heard, and a little more, since
    /// what was heard is counted with caution.
    fn just_said(&self, back: usize) -> String {
        const AHEAD: usize = 6;
        let Some(reply) = &self.reply else { return self.last_said.clone() };
        let heard = self.play_out.heard(reply.epoch.0).text.split_whitespace().count();
        let text = reply.text();
        let so_far: Vec<&str> = text.split_whitespace().take(heard + AHEAD).collect();
        so_far[so_far.len().saturating_sub(back)..].join(" ")
    }

    fn over_talk<'a>(
        &self,
        utterance: &'a Utterance,
        over: OverReply,
        ours: &'a str,
        recent: &'a str,
    ) -> OverTalk<'a> {
        OverTalk {
            speech: self.ear.last_speech().since(utterance.began),
            reply_age: over.reply_age,
            rejoins: utterance.rejoins,
            text: utterance.text(),
            finished: utterance.done.is_some(),
            notice: over.notice,
            ours,
            // Where nothing of ours comes back, the caller's first words are held up for nothing.
            recent: if self.gives_back { recent } else { "" },
            by_words: utterance.by_words,
            confidence: utterance.done.as_ref().map_or(1.0, |done| done.confidence),
        }
    }
}
