//! What to do with what was understood: answer, ask back, begin, take a correction, go over to something else, give up.
//!
//! [`decide()`](decide::decide) is pure: what the utterance was taken for and what is known go in, one [`Act`](decide::Act)
//! comes out. What an act says and changes is beside it, one idea a file. Turns of phrase are data (`acts.toml`).

pub(super) mod acts;
mod again;
pub(super) mod clarify;
pub(super) mod context;
pub(super) mod decide;
pub(super) mod facts;
pub(super) mod feelings;
pub(super) mod follow_up;
pub(super) mod margin;
pub(super) mod matters;
pub(super) mod missed;
pub(super) mod pages;
pub(super) mod requests;
pub(super) mod said;
pub(super) mod serve;
pub(super) mod spoken;
pub(super) mod steer;
pub(super) mod understood;
