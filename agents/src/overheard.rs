//! What the caller and a person of the office say to each other while the person has the call.
//!
//! No turn is taken on it. It is watched all the same: the caller may want no recording or tell of danger, the person may say
//! what a rule forbids (they are warned, and not stopped). And whoever goes on with the caller afterwards knows of it.

use governance::rules::Spoken;
use pipeline::event::{Attack, AttentionReason, Ruling};
use pipeline::ports::{Consent, Consented, Noticed, Overheard, ReplyEvent, TurnInput};
use pipeline::turn::{Expectation, TurnId};

use super::call_context::Seat;
use super::guard_findings::{self, Alarm, Alarms, Heard};
use super::no_calls;
use super::rulings::Rulings;

/// What these rules want of a machine, a person need not heed: they are no assistant, and know the office's prices and numbers.
const OF_THE_MACHINE: [&str; 5] = ["ai-", "locked-", "meant-human", "meant-promise", "own-instructions"];

impl Seat {
    /// Takes note of what was said. It changes nothing of what the dialogue has in hand. Gives who said it, and what of it a model
    /// may be shown.
    pub(super) async fn overhear(&mut self, words: Overheard) -> Option<(String, String)> {
        match words {
            Overheard::Caller { text } => Some(("the caller".to_owned(), self.overhear_caller(&text).await?)),
            Overheard::Person { by, text } => {
                self.warn(&text).await;
                self.heed_no_notes(&text).await;
                self.people.spoke.insert(by.clone());
                self.people.sentences += 1;
                Some((by, text))
            }
        }
    }

    async fn overhear_caller(&mut self, text: &str) -> Option<String> {
        self.lines.caller_said(text, false);
        let input = TurnInput::said(text);
        let mut found = Alarms::default();
        let heard = found.hear(text, guard_findings::context(Expectation::Open, self.state.language));
        for Alarm { channel, kind, severity } in found.untold() {
            let turn = TurnId::default();
            let [channel, kind, severity] = [channel.name(), kind.name(), severity.name()].map(str::to_owned);
            self.notice(Noticed::Guard(Attack { turn, channel, kind, severity })).await;
        }
        let dialogue = &self.office.shared.dialogue;
        let wants_none = self.state.consent != Consent::Off && dialogue.wants_no_recording(&self.state, text);
        let vector = self.office.vector_of_danger(&input).await;
        let in_danger = dialogue.tells_of_danger(text, vector.as_deref());
        if dialogue.hears_no_calls(&self.state, text).is_some() {
            // The person hears them too, and may say goodbye: the list does not wait for it.
            if no_calls::keep(&self.office, "voice").await.is_err() {
                tracing::error!(call = %self.office.brief.call, "an opt-out while a person had the call was not kept");
            }
        }
        if wants_none {
            self.out.send(ReplyEvent::Consent(Consented::Withdrawn)).await;
        }
        if in_danger {
            self.notice(Noticed::Attention(AttentionReason::Emergency)).await;
        }
        // Last: it ends the notes, and what else was said in the same breath counts.
        self.heed_no_notes(text).await;
        match heard {
            Heard::Whole(text) | Heard::Marked(text) | Heard::Cut(text) => Some(text),
            Heard::Attack => None,
        }
    }

    /// Whoever of the two wants no notes of their talk, there are none from here on.
    async fn heed_no_notes(&self, text: &str) {
        if self.office.brief.hand_over.notes && self.office.shared.dialogue.wants_no_notes(text) {
            self.notice(Noticed::NoNotes).await;
        }
    }

    /// Rules that hold for whoever speaks for the office.
    async fn warn(&self, text: &str) {
        let language = language::language_of(text).unwrap_or(self.state.language);
        let mut broken = self.office.desk.rules.current().check_words(&Spoken::new(text, language));
        broken.retain(|found| !OF_THE_MACHINE.iter().any(|name| found.rule.id.starts_with(name)));
        let mut rulings = Rulings::default();
        rulings.note(&broken);
        for ruling in rulings.untold(TurnId::default()) {
            let (action, applies_to) = ("WARN".to_owned(), "person".to_owned());
            self.notice(Noticed::Rule(Ruling { action, applies_to, ..ruling })).await;
        }
    }

    async fn notice(&self, noticed: Noticed) {
        self.out.send(ReplyEvent::Noticed(noticed)).await;
    }
}
