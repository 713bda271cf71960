//! What a call has in hand, whoever answers it: look-ups, books, the dialogue's memory, the way out.

use std::sync::Arc;

use super::books::Books;
use super::builtin::Lines;
use super::office::Office;
use super::outbox::Outbox;
use super::unheard::Unheard;
use dialogue::builtin::State;

#[derive(Debug)]
pub(super) struct Seat {
    pub(super) office: Arc<Office>,
    pub(super) out: Outbox,
    pub(super) books: Books,
    /// The built-in dialogue's memory. Kept beside a model too, so that it can take over at any turn.
    pub(super) state: State,
    /// A reply of the dialogue's that nobody heard.
    pub(super) unheard: Option<Unheard>,
    pub(super) lines: Lines,
}
