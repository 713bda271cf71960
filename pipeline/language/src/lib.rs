//! Words, for everyone above: what a telephone recogniser wrote, as values; and values as people say them.
//!
//! In goes plain text and the language it is in; out come numbers, dates, times, places, names, telephone numbers, yes
//! and no, stems. No reader guesses at a clock or a caller, does I/O, or knows what its result is used for. The
//! recogniser writes digits, punctuation and capitals, but not always, so each reader takes both forms.
//!
//! Begin with [`Ear`]: the readers of one language behind one name. Those of a language stand in its folder, [`english`]
//! and [`spanish`]; what serves all languages stands beside them: [`stems`], [`numbers`], likeness of [`sound`],
//! what speakers [`repair`] as they speak, and [`spelling`].
#![deny(clippy::disallowed_methods)]

pub mod asked_for;
pub mod beside;
pub mod cues;
mod ear;
pub mod english;
pub mod field;
pub mod house;
pub mod identify;
pub mod intents;
mod lasting;
pub mod leaning;
pub mod linear;
pub mod measures;
pub mod moves;
pub mod names;
pub mod numbers;
pub mod offers;
pub mod open_days;
pub mod opening;
pub mod recall;
pub mod repair;
pub mod reply;
pub mod said_again;
mod screen;
pub mod secrets;
mod sentences;
pub mod shown;
pub mod sound;
pub mod spanish;
pub mod spelling;
pub mod states;
pub mod steer;
pub mod stems;
pub mod stretch;
mod tag;
pub mod tagger;
pub mod weeks;

pub use ear::{CalendarWord, Ear};
pub use english::answer::YesNo;
pub use english::digits::{Phone, PhoneAnswer};
pub use english::when::{Direction, Part, When};
pub use identify::language_of;
pub use lasting::{lasting, without_lasting, without_own_life};
pub use screen::Screen;
pub use sentences::sentences;
pub use tag::Language;
