//! What the recognizer may have heard instead: where an answer was asked for and its first choice of words gives none, the
//! next that does is taken, and what was spelled is made out of all of them.

use std::borrow::Cow;

use language::YesNo;
use language::names::{self, Kind};
use language::spelling::spelled;

use super::beliefs::closed::known_street;
use super::intent::by_cue;
use super::script::SlotKind;
use super::slots::{self, Read};
use super::state::Stage;
use super::turn::Turn;

/// A shorter one ("CLM-", and less than five digits) is what was left of a claim number.
const CLAIM_NUMBER: usize = 9;

/// So many letters are a name, wherever they are said.
const LONG: usize = 4;

impl Turn<'_> {
    /// The hearing that fits best what was asked; the recognizer's own first choice wherever that says anything.
    pub(super) fn likeliest<'t>(&self, text: &'t str, alternatives: &'t [String]) -> Cow<'t, str> {
        let Some((stage, script)) = self.current().filter(|_| !alternatives.is_empty()) else {
            return Cow::Borrowed(text);
        };
        let kind = match &stage {
            Stage::Slot(id) => script.slot(id).map(|slot| slot.kind),
            Stage::Confirm | Stage::Which => None,
        };
        if let Some(respelled) = self.respelled(&stage, kind, text, alternatives) {
            return Cow::Owned(respelled);
        }
        if by_cue(self.script, text).is_some() || text.contains('?') {
            return Cow::Borrowed(text);
        }
        let mut others = alternatives.iter().map(String::as_str);
        let better = match kind {
            Some(SlotKind::Story | SlotKind::Text | SlotKind::Opening) => None,
            Some(kind @ (SlotKind::Place | SlotKind::Address)) if self.gives(kind, text) => {
                let streets = &self.view.facts.streets;
                let known = |heard: &str| known_street(heard, streets);
                others.find(|other| !known(text) && known(other) && self.gives(kind, other))
            }
            Some(SlotKind::Phone) if !self.gives_value(SlotKind::Phone, text) => {
                let whole = others.clone().find(|other| self.gives_value(SlotKind::Phone, other));
                whole
                    .or_else(|| others.find(|other| self.gives(SlotKind::Phone, other)))
                    .filter(|_| whole.is_some() || !self.gives(SlotKind::Phone, text))
            }
            Some(kind) if !self.gives(kind, text) => others.find(|other| self.gives(kind, other)),
            // A short answer that is neither, where one of the two was to be said.
            None if stage == Stage::Confirm && self.unsure && self.ear.yes_no(text).is_none() => others
                .find(|other| self.ear.is_bare_yes_no(other) && self.ear.yes_no(other) == Some(YesNo::Yes)),
            _ => None,
        };
        Cow::Borrowed(better.unwrap_or(text))
    }

    /// Whether an answer to a slot's question is in the words, or its refusal.
    fn gives(&self, kind: SlotKind, text: &str) -> bool {
        let read = slots::answered(kind, text, self.context());
        let whole = |value: &str| kind != SlotKind::ClaimNumber || value.len() >= CLAIM_NUMBER;
        matches!(&read, Read::Value(filled) if whole(&filled.value))
            || read == Read::Declined
            || (kind == SlotKind::Phone && matches!(read, Read::Part(_)))
    }

    /// Whether the whole of an answer is in the words.
    fn gives_value(&self, kind: SlotKind, text: &str) -> bool {
        matches!(slots::answered(kind, text, self.context()), Read::Value(_))
    }

    /// The words with what was spelled in them as the name, or the street, that explains all hearings best.
    fn respelled(
        &self,
        stage: &Stage,
        kind: Option<SlotKind>,
        text: &str,
        alternatives: &[String],
    ) -> Option<String> {
        let kind = match (stage, kind) {
            (_, Some(SlotKind::Place | SlotKind::Address)) => Kind::Place,
            (_, Some(SlotKind::Name)) | (Stage::Confirm, None) => Kind::Person,
            _ => return None,
        };
        let beliefs = self.state.task().map(|task| &task.beliefs);
        let rejected = |name: &str| {
            beliefs
                .is_some_and(|b| b.values().any(|belief| belief.rejected.iter().any(|r| r.ends_with(name))))
        };
        let hearings: Vec<&str> =
            std::iter::once(text).chain(alternatives.iter().map(String::as_str)).collect();
        let found = names::respelled(self.ear.0, kind, &hearings, &self.view.facts.streets, rejected)?;
        // Nobody asked for a name at a read-back: three letters may be a firm's.
        let few = spelled(self.ear.0, &found).iter().all(|(letters, _)| letters.len() < LONG);
        (*stage != Stage::Confirm || !few).then_some(found)
    }
}
