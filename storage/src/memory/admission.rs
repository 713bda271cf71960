//! Whether a suggested fact may be remembered at all. Who knows words decides (`agents/work/src/memory`); storage asks.

use std::fmt;

use crate::records::word_enum;

/// What is asked about.
#[derive(Clone, Copy, Debug)]
pub struct Proposal<'a> {
    pub key: &'a str,
    pub value: &'a str,
    /// 0 to 1.
    pub confidence: f64,
}

/// The answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ruling {
    /// In the spelling that is kept: equal facts have equal values.
    Admit {
        value: String,
    },
    Refuse(Refusal),
}

word_enum! {
    /// Why a fact is not remembered.
    Refusal {
        /// No such key in `agents/work/data/memory/keys.toml`: nothing that the business needs.
        NotBusinessRelevant = "not_business_relevant",
        /// Not in the shape that its key asks for.
        Malformed = "malformed",
        LowConfidence = "low_confidence",
        /// A number that opens accounts or identifies: social security, card, bank account, licence, passport.
        Identifier = "identifier",
        Health = "health",
        Religion = "religion",
        Politics = "politics",
        /// Personal data that the key has no need of.
        PersonalData = "personal_data",
        /// Text that would steer a model.
        Instruction = "instruction",
        /// The caller does not want to be remembered.
        OptedOut = "opted_out",
    }
}

/// Decides on single facts. Pure: the same proposal, the same ruling.
pub trait Admission: fmt::Debug + Send + Sync {
    fn rule(&self, proposal: Proposal<'_>) -> Ruling;
}

impl<T: Admission + ?Sized> Admission for &T {
    fn rule(&self, proposal: Proposal<'_>) -> Ruling {
        (**self).rule(proposal)
    }
}
