//! What a call costs and what happened to its providers, put on the record as it comes.

use super::output::Output;
use super::state::Agent;
use super::{Phrases, Session};
use crate::event::EventBody;
use crate::ports::{
    CallRecord, EndReason, Language, Meter, ProviderNote, ReplyCommand, SttCommand, TtsCommand, Usage,
};
use crate::turn::TurnId;

impl Session {
    pub(super) fn on_note(&mut self, note: ProviderNote) {
        self.record(CallRecord::Provider { note: note.clone() });
        let state = note.state;
        self.emit(EventBody::Provider {
            provider: note.provider,
            state: note.state.name().to_owned(),
            reason: note.reason,
        });
        self.attend_provider(state);
    }

    pub(super) fn on_usage(&mut self, usage: &Usage, wasted: bool) {
        let Some(micros) = self.config.prices.cost(usage) else {
            self.unpriced += 1;
            return;
        };
        self.bill.add(usage, micros, wasted);
        self.limit_notes();
    }

    /// Usage of an attempt at a reply. What was never committed was wasted.
    pub(super) fn on_reply_usage(&mut self, usage: &Usage, speculative: bool) {
        if speculative && matches!(usage.meter, Meter::OutputTokens | Meter::InputTokens) {
            self.wasted_tokens += usage.amount;
        }
        self.on_usage(usage, speculative);
    }

    /// The line itself costs by time.
    pub(super) fn charge_line(&mut self) {
        let Some(carrier) = self.config.carrier.clone() else { return };
        let amount = self.now.as_ms().saturating_sub(self.line_charged_ms);
        self.line_charged_ms = self.now.as_ms();
        let usage = Usage { provider: carrier, model: "*".into(), meter: Meter::LineMs, amount };
        self.on_usage(&usage, false);
    }

    /// Puts what a turn cost on the record, once its reply was heard or the call is over.
    pub(super) fn settle_cost(&mut self, turn: TurnId) {
        self.charge_line();
        let turn_micros = self.bill.take_turn();
        if !self.bill.has_news() {
            return;
        }
        let (call_micros, wasted_micros) = (self.bill.call_micros(), self.bill.wasted_micros());
        self.record(CallRecord::Cost { turn, turn_micros, call_micros, wasted_micros });
        self.emit(EventBody::Cost {
            turn,
            turn_usd: turn_micros as f64 / 1e6,
            call_usd: call_micros as f64 / 1e6,
            wasted_usd: wasted_micros as f64 / 1e6,
            wasted_tokens: self.wasted_tokens,
        });
    }

    /// Whether the call has cost what it may.
    pub(super) fn is_over_budget(&self) -> bool {
        self.config.call_budget_micros.is_some_and(|most| self.bill.call_micros() >= most)
    }

    /// Tells the caller that the call ends here, and what happens next.
    pub(super) fn end_for_budget(&mut self) {
        if self.ending.is_some() {
            return;
        }
        self.ending = Some(EndReason::Budget);
        let text = self.phrases().budget_spent.clone();
        self.say_own(text, crate::turn::SegmentKind::Notice, crate::ports::AfterReply::HangUp);
    }

    /// What the session itself says, in the language of the call.
    pub(super) fn phrases(&self) -> &Phrases {
        match self.language {
            Language::En => &self.config.phrases,
            Language::Es => &self.config.phrases_es,
        }
    }

    /// The responder changes over to another language.
    pub(super) fn on_language(&mut self, turn: TurnId, language: Language) {
        if language == self.language {
            return;
        }
        self.language = language;
        self.out.push_back(Output::Tts(TtsCommand::Language(language)));
        self.out.push_back(Output::Stt(SttCommand::Language(language)));
        self.record(CallRecord::Language { turn, language });
        self.emit(EventBody::Language { turn, language: language.code().to_owned() });
    }

    /// The recogniser heard another language than it was told: the responder decides.
    pub(super) fn on_language_heard(&mut self, language: Language) {
        if language != self.language {
            self.out.push_back(Output::Reply(ReplyCommand::Language(language)));
        }
    }

    /// A tool that takes its time has begun or is done.
    pub(super) fn on_busy(&mut self, busy: bool) {
        self.busy = busy;
        if !busy && self.regions.agent == Agent::Idle {
            self.rearm_no_input();
        }
    }
}
