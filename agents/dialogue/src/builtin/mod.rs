//! The built-in agent: dialogue as data and a small pure engine. Needs no model (A6).
//!
//! [`Dialogue::step`] takes the memory of a call, what was said, and a view of what is known, and gives the
//! next memory, the words to say and the effects to make. **It changes nothing**: a speculative step is thrown
//! away by dropping it, a committed one is applied by the responder. Intents, questions, prompts and emergency
//! patterns are TOML under `agents/dialogue/data/front_desk`, in English and, below `es`, in Spanish.

mod account;
mod addressee;
mod amend;
mod answer;
mod appointment_times;
mod aside;
mod ask_staff;
mod asking;
pub mod beliefs;
pub mod body;
mod call_queue;
mod caller_number;
mod confirmed;
mod consent;
mod controls;
pub mod emergency;
mod engine;
pub mod facts;
mod finish;
mod first_words;
mod given_back;
mod hearings;
pub mod intent;
mod keys;
pub mod missing;
mod moved;
mod no_calls;
mod offer;
mod office_day;
mod policy;
mod questions;
mod read_back;
mod recall;
pub mod reminder;
mod repeated;
mod replied;
mod reply;
pub mod script;
mod secret;
mod slots;
mod spanish_callback;
pub mod state;
pub mod step;
mod subject;
pub mod targets;
mod tasks;
mod tongues;
mod transfer_offer;
mod turn;
mod untaken;
mod urgent;
pub mod week;
pub mod wording;

#[cfg(test)]
mod tests;

pub use amend::CORRECTS;
pub use ask_staff::MOST_QUESTIONS;
pub use body::Body;
pub use engine::Dialogue;
pub use facts::TenantFacts;
pub use finish::UNCONFIRMED;
pub use questions::MIN_RELEVANCE;
pub use script::{Files, Script, ScriptError};
pub use state::State;
pub use step::{
    ClaimRecord, Effect, Filing, LineAct, Lookup, Note, Opening, Passage, Say, Search, Searched, Standing,
    Step, Trouble, View,
};
pub use targets::Target;
pub use week::{Span, Week};
