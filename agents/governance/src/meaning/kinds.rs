//! What a sentence of the agent's may be: of the kinds that must not be said, and of the acts that it claims or promises.

macro_rules! named {
    ($(#[$doc:meta])* $of:ident, $count:literal: $($(#[$own:meta])* $kind:ident = $name:literal),+ $(,)?) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum $of {
            $($(#[$own])* $kind),+
        }

        impl $of {
            pub const ALL: [Self; $count] = [$(Self::$kind),+];

            /// As data and records name it.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$kind => $name),+
                }
            }

            /// The one of that name.
            #[must_use]
            pub fn of(name: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|own| own.name() == name)
            }
        }
    };
}

named! {
    /// What an agent must not say.
    Forbidden, 9:
    LegalAdvice = "legal_advice",
    MedicalAdvice = "medical_advice",
    /// That something will turn out well, be waived, or be decided so.
    Promise = "promise",
    /// That help is coming: this line sends none.
    PromisesDispatch = "promises_dispatch",
    Discourages911 = "discourages_911",
    ClaimsHuman = "claims_human",
    /// What it was told to do and how it was set up.
    OwnInstructions = "own_instructions",
    /// What is known of somebody else than the caller.
    OthersData = "others_data",
    /// Coldness towards somebody who may hurt themselves.
    Cold = "cold",
}

named! {
    /// What a sentence says was done, or will be.
    Act, 7:
    Callback = "callback",
    /// Somebody was told, or comes.
    Person = "person",
    /// A message was taken or passed on.
    Message = "message",
    /// A report, a request or a complaint was filed.
    Report = "report",
    /// Something was sent.
    Sent = "sent",
    /// A time was booked, changed or given up.
    Booked = "booked",
    Other = "other",
}
