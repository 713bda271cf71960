//! Scenarios: calls written down as tests, held over the real wire, and judged by what was heard and left behind.
//!
//! [`file`] reads one, [`caller`] holds its side of the call, [`call`] gathers what came of it, [`verdict`] says what is
//! wrong with that, [`figures`] sums many up, and [`report`] shows them.

pub mod call;
pub mod caller;
pub mod evidence;
pub mod figures;
pub mod file;
pub mod from_call;
pub mod gateway;
pub mod impairments;
pub mod report;
pub mod track;
pub mod utterance;
pub mod verdict;
pub mod wanted;
pub mod words;
pub mod work;
