//! A claim's PIN: asked for, compared, and kept nowhere.

use pipeline::turn::{Expectation, SegmentKind};

use super::beliefs::reference::slowly;
use super::finish::proves;
use super::script::SlotKind;
use super::slots;
use super::state::Stage;
use super::step::{ClaimRecord, Lookup};
use super::turn::Turn;

/// Wrong PINs after which only other proof counts.
const PIN_TRIES: u8 = 3;

impl Turn<'_> {
    /// Digits that were asked for as a secret, or what was said instead of them.
    pub(super) fn secret(&mut self, text: &str) {
        let keyed = !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
        match text {
            "0" => return self.bring_person(),
            "911" => return self.emergency_keyed(),
            _ => {}
        }
        if let Some((found, language)) = self.emergency_heard(text).filter(|_| !keyed) {
            return self.emergency(&found, language);
        }
        self.state.emergency = false;
        self.state.holding = false;
        self.state.prompted = false;
        if self.wants_proof() {
            return self.check_secret(text);
        }
        // Nobody had asked for a secret: it is heard like any other answer, but never as an account.
        if keyed { self.digits(text) } else { self.unclear() }
    }

    fn wants_proof(&self) -> bool {
        let Some((Stage::Slot(id), script)) = self.current() else { return false };
        script.slot(&id).is_some_and(|slot| slot.kind == SlotKind::Proof)
    }

    pub(super) const fn is_pin_locked(&self) -> bool {
        self.state.pin_tries >= PIN_TRIES
    }

    /// Whether spoken words are a PIN, and no date or telephone number.
    pub(super) fn is_secret(&self, text: &str) -> bool {
        let other =
            self.ear.birth_date(text, self.view.now.date()).is_some() || self.ear.whole_phone(text).is_some();
        !other && self.ear.pin(text).is_some()
    }

    /// Holds what was keyed or said against the claim. Nothing of it goes into memory.
    pub(super) fn check_secret(&mut self, text: &str) {
        let number = self.claim_number();
        if self.other_claim(text, &number) {
            return;
        }
        let view = self.view;
        let Some(looked_up) = &view.claim else {
            self.wants = Some(Lookup::Claim { number });
            return;
        };
        let claim = looked_up.as_ref();
        if self.is_secret(text) {
            let pin = self.ear.pin(text).unwrap_or_default();
            return self.check_pin(claim, &pin);
        }
        let now = self.view.now;
        let says_who =
            self.ear.birth_date(text, now.date()).is_some() || self.ear.whole_phone(text).is_some();
        match claim.filter(|claim| proves(self.ear, claim, text, now)) {
            Some(claim) => self.tell(claim),
            None if says_who => self.claim_refused(),
            None => self.ask_again_quietly(),
        }
    }

    fn claim_number(&self) -> String {
        let number = self.state.task().and_then(|task| task.slots.get("claim_number"));
        number.map(|filled| filled.value.clone()).unwrap_or_default()
    }

    /// In place of a proof the caller puts the claim number right: "No, it's C L M 2 0 4 1 7".
    fn other_claim(&mut self, text: &str, number: &str) -> bool {
        let said = slots::stated(SlotKind::ClaimNumber, text, self.context());
        let Some(said) = said.filter(|said| said.value != number) else { return false };
        self.task_mut(|task| {
            task.replace("claim_number", SlotKind::ClaimNumber, said);
            // The proof is asked for anew.
            task.asked.remove("proof");
        });
        self.did("correction", "changed it");
        self.say("corrected");
        self.ask_again_quietly();
        true
    }

    fn check_pin(&mut self, claim: Option<&ClaimRecord>, pin: &str) {
        let right = !self.is_pin_locked()
            && claim.and_then(|claim| claim.pin.as_ref()).is_some_and(|kept| kept.matches(pin));
        if let Some(claim) = claim.filter(|_| right) {
            return self.tell(claim);
        }
        self.state.pin_tries = self.state.pin_tries.saturating_add(1);
        self.did("pin", "could not verify");
        // Whoever was told twice that no PIN counts any more and keys it again has no other proof.
        if self.state.pin_tries > PIN_TRIES + 1 {
            return self.claim_refused();
        }
        if self.is_pin_locked() {
            self.say("pin_locked");
            self.expects = Expectation::Name;
            return;
        }
        let nth = usize::from(self.state.pin_tries - 1);
        let text = self.worded("pin_wrong").get(nth).cloned().unwrap_or_default();
        // The number may be what was misheard.
        let number = slowly(&self.claim_number());
        self.say_text(&text, &[("number", &number)], SegmentKind::Reply, false);
        self.expects = Expectation::Secret;
    }

    fn tell(&mut self, claim: &ClaimRecord) {
        if let Some((_, script)) = self.current() {
            self.tell_claim(script, claim);
        }
    }
}
