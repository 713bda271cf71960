//! Replies that no cue knows and whose move is plain all the same: leave taken, a moment wanted, our words wanted again.

use language::YesNo;
use language::moves::{Asked, Move, moved};

use super::intent::by_cue;
use super::script::SlotKind;
use super::state::{Pending, Stage};
use super::turn::Turn;

/// From so much on a move is followed.
const SURE: f32 = 0.8;
/// The same, where words of no more than a few may be the value that was asked for.
const SURE_OF_SLOT: f32 = 0.9;

/// So many last words say that somebody is ready by then.
const READY: usize = 2;

impl Turn<'_> {
    /// Follows the move that the words make. `true` when that was the reply.
    pub(super) fn follows_move(&mut self, text: &str) -> bool {
        let Some(asked) = self.asked_last() else { return false };
        if by_cue(self.script, text).is_some() {
            return false;
        }
        let (found, sure) = moved(self.ear, asked, text);
        let enough = if asked == Asked::Slot { SURE_OF_SLOT } else { SURE };
        if sure < enough {
            return false;
        }
        match found {
            Move::Again => self.control("repeat", text),
            // "Let me find my pen, okay, got it": by the end they are ready.
            Move::Wait if asked == Asked::Pen && self.is_ready(text) => return false,
            Move::Wait => self.control("hold", text),
            Move::Close if self.state.tasks.is_empty() && !self.ear.is_question(text) => {
                self.state.pending = None;
                self.goodbye();
            }
            _ => return false,
        }
        true
    }

    fn is_ready(&self, text: &str) -> bool {
        let words: Vec<&str> = text.split_whitespace().collect();
        let end = words.len().saturating_sub(READY);
        end > 0 && matches!(moved(self.ear, Asked::Pen, &words[end..].join(" ")), (Move::Yes, _))
    }

    /// A yes or a no in words that say neither: "go on then, I'm listening"; "I ain't got nothing to write on".
    pub(super) fn answer_moved(&self, text: &str) -> Option<YesNo> {
        let asked = self.asked_last().filter(|asked| !matches!(asked, Asked::Slot | Asked::Confirm))?;
        if self.ear.yes_no(text).is_some() || self.ear.is_question(text) {
            return None;
        }
        let (found, sure) = moved(self.ear, asked, text);
        match found {
            _ if sure < SURE => None,
            Move::Yes => Some(YesNo::Yes),
            Move::No => Some(YesNo::No),
            Move::Skip if asked == Asked::Pen => Some(YesNo::No),
            _ => None,
        }
    }

    /// What our last words asked, as moves are told by it.
    fn asked_last(&self) -> Option<Asked> {
        if let Some((stage, script)) = self.current() {
            return match stage {
                Stage::Confirm => Some(Asked::Confirm),
                Stage::Which => None,
                // What happened may be told in any words.
                Stage::Slot(id) => script
                    .slot(&id)
                    .filter(|slot| !matches!(slot.kind, SlotKind::Story | SlotKind::Text))
                    .map(|_| Asked::Slot),
            };
        }
        match self.state.pending.as_ref()? {
            Pending::More => Some(Asked::Else),
            Pending::MoreOnPage => Some(Asked::More),
            Pending::Write => Some(Asked::Pen),
            Pending::Offer(_) | Pending::MessageOrPerson => Some(Asked::Offer),
            _ => None,
        }
    }
}
