//! Hub and spoke: how the agents of a department work together.
//!
//! A team is a hub, its orchestrator, with specialists around it. Who may write to whom is a matter of types: a
//! [`Seat`] is what an agent has in hand, its role is a type, and [`Seat::write`] takes only addresses of roles that
//! this role [`SpeaksTo`]. Two specialists cannot speak to each other:
//!
//! ```compile_fail
//! use work::hub::{Hub, Body};
//! use work::teams::Teams;
//! let hub = Hub::of(Teams::shipped().unwrap());
//! let lead = hub.orchestrator("claims").unwrap();
//! let (one, other) = (lead.specialist("policy").unwrap(), lead.specialist("duplicates").unwrap());
//! let body = Body::Event { event: "psst".into(), data: Default::default() };
//! // A specialist does not speak to a specialist: there is no such impl.
//! let _ = one.write(&other.address(), uuid::Uuid::nil(), chrono::DateTime::UNIX_EPOCH, body);
//! ```
//!
//! Nor does the orchestrator of one team reach another's but through the head of the department:
//!
//! ```compile_fail
//! use work::hub::{Hub, Body};
//! use work::teams::Teams;
//! let hub = Hub::of(Teams::shipped().unwrap());
//! let (claims, legal) = (hub.orchestrator("claims").unwrap(), hub.orchestrator("legal_research").unwrap());
//! let body = Body::Event { event: "psst".into(), data: Default::default() };
//! let _ = claims.write(&legal.address(), uuid::Uuid::nil(), chrono::DateTime::UNIX_EPOCH, body);
//! ```
//!
//! And nobody makes a seat of their own:
//!
//! ```compile_fail
//! use work::hub::{Orchestrator, Seat};
//! let _: Seat<'static, Orchestrator> = Seat { teams: todo!(), team: None, agent: "claims_lead", role: todo!() };
//! ```
//!
//! What is allowed reads:
//!
//! ```
//! use work::hub::{Hub, Body};
//! use work::teams::Teams;
//! let hub = Hub::of(Teams::shipped().unwrap());
//! let lead = hub.orchestrator("claims").unwrap();
//! let policy = lead.specialist("policy").unwrap();
//! let body = Body::Event { event: "done".into(), data: Default::default() };
//! let message = policy.write(&policy.hub(), uuid::Uuid::nil(), chrono::DateTime::UNIX_EPOCH, body).unwrap();
//! hub.permit(&policy, &message).unwrap();
//! ```
//!
//! What comes over a queue is an envelope, and anybody can write an envelope. [`Hub::permit`] holds it against the
//! seat of who sent it, [`Hub::permit_unseated`] against the routes that exist.
#![deny(clippy::disallowed_methods)]

pub mod case;
pub mod conclude;
pub mod head;
pub mod methods;
pub mod routing;
pub mod sandbox;

use std::fmt;
use std::marker::PhantomData;

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::contracts::{Contract, Message};
use crate::teams::{SpecialistFile, Team, Teams};

pub use crate::contracts::Body;
pub use case::{Case, CaseItem};
pub use conclude::{Conclusion, Done};
pub use routing::{Destination, SURE};
pub use sandbox::{SandboxError, SandboxedContext};

/// Component name of the head of the department.
pub const HEAD: &str = "department_head";
const LIBRARIAN: &str = "librarian";

mod sealed {
    pub trait Sealed {}
}

/// What an agent is in its department.
pub trait Role: sealed::Sealed + fmt::Debug {}

/// A role that may write to another. These are all there are.
pub trait SpeaksTo<To: Role>: Role {}

macro_rules! roles {
    ($($(#[$doc:meta])* $name:ident -> $($to:ident)+;)+) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug)]
            pub enum $name {}
            impl sealed::Sealed for $name {}
            impl Role for $name {}
        )+
        $($(impl SpeaksTo<$to> for $name {})+)+

        /// Who may write to whom, in words, for what comes over a queue.
        const ROUTES: &[(&str, &[&str])] = &[$((stringify!($name), &[$(stringify!($to)),+])),+];
    };
}

roles! {
    /// The meta-hub: everything between teams goes through it.
    Head -> Orchestrator;
    /// The hub of a team.
    Orchestrator -> Specialist Librarian Head;
    /// Works in isolation, on its sandboxed context.
    Specialist -> Orchestrator Librarian;
    /// Answers from what its team knows.
    Librarian -> Orchestrator Specialist;
}

/// Why a message is not delivered.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Refused {
    #[error("{0} is nobody in this department")]
    Unknown(String),
    #[error(
        "{from} may not write to {to}: a specialist writes to its orchestrator and its librarian, teams through {HEAD}"
    )]
    NoRoute { from: String, to: String },
    #[error("the message says that it is of {claimed}, and it is of {sender}")]
    Forged { claimed: String, sender: String },
    #[error("the message has no target_component")]
    NoTarget,
    #[error("the message is against its contract: {0}")]
    Contract(String),
}

/// The place of one agent: whoever has it speaks for that agent, and for nobody else.
pub struct Seat<'t, R: Role> {
    teams: &'t Teams,
    team: Option<&'t Team>,
    agent: &'t str,
    role: PhantomData<fn() -> R>,
}

/// Where an agent can be written to. Knowing one gives no right to write there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Address<R: Role> {
    component: String,
    role: PhantomData<fn() -> R>,
}

impl<R: Role> fmt::Debug for Seat<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Seat({})", self.component())
    }
}

impl<R: Role> Address<R> {
    #[must_use]
    pub fn component(&self) -> &str {
        &self.component
    }
}

impl<'t, R: Role> Seat<'t, R> {
    /// Its name in envelopes and ledgers: `team/agent`.
    #[must_use]
    pub fn component(&self) -> String {
        self.team.map_or_else(|| self.agent.to_owned(), |team| component(&team.id, self.agent))
    }

    #[must_use]
    pub fn address(&self) -> Address<R> {
        Address { component: self.component(), role: PhantomData }
    }

    /// A message to somebody of a role that this one may write to, within the team where roles are of a team.
    ///
    /// # Errors
    /// [`Refused`] when the address is of another team, or the message breaks its contract.
    pub fn write<T: Role>(
        &self,
        to: &Address<T>,
        id: Uuid,
        now: DateTime<Utc>,
        body: Body,
    ) -> Result<Message, Refused>
    where
        R: SpeaksTo<T>,
    {
        let mut message = Message::new(id, &self.component(), now, body);
        message.target_component = Some(to.component.clone());
        message.check().map_err(|error| Refused::Contract(error.to_string()))?;
        Hub { teams: self.teams }.permit_unseated(&message)?;
        Ok(message)
    }
}

impl<'t> Seat<'t, Head> {
    /// The hub of a team.
    #[must_use]
    pub fn orchestrator(&self, team: &str) -> Option<Seat<'t, Orchestrator>> {
        let team = self.teams.team(team)?;
        Some(Seat { teams: self.teams, team: Some(team), agent: &team.orchestrator.id, role: PhantomData })
    }
}

impl<'t> Seat<'t, Orchestrator> {
    /// One of its own specialists.
    #[must_use]
    pub fn specialist(&self, id: &str) -> Option<Seat<'t, Specialist>> {
        let file = self.team?.specialist(id)?;
        Some(Seat { teams: self.teams, team: self.team, agent: &file.id, role: PhantomData })
    }

    #[must_use]
    pub fn librarian(&self) -> Seat<'t, Librarian> {
        Seat { teams: self.teams, team: self.team, agent: LIBRARIAN, role: PhantomData }
    }

    #[must_use]
    pub fn head(&self) -> Address<Head> {
        Address { component: HEAD.to_owned(), role: PhantomData }
    }
}

impl Seat<'_, Specialist> {
    /// Its orchestrator: the one agent that hears of its work.
    #[must_use]
    pub fn hub(&self) -> Address<Orchestrator> {
        let hub = self.team.map(|team| component(&team.id, &team.orchestrator.id));
        Address { component: hub.unwrap_or_default(), role: PhantomData }
    }

    /// The librarian of its team.
    #[must_use]
    pub fn librarian(&self) -> Address<Librarian> {
        let librarian = self.team.map(|team| component(&team.id, LIBRARIAN));
        Address { component: librarian.unwrap_or_default(), role: PhantomData }
    }

    /// What its file says of it.
    #[must_use]
    pub fn file(&self) -> Option<&SpecialistFile> {
        self.team?.specialist(self.agent)
    }
}

/// `team/agent`, as envelopes and ledgers have it.
#[must_use]
pub fn component(team: &str, agent: &str) -> String {
    format!("{team}/{agent}")
}

/// Everybody of a department, and the routes between them.
#[derive(Clone, Copy, Debug)]
pub struct Hub<'t> {
    teams: &'t Teams,
}

impl<'t> Hub<'t> {
    #[must_use]
    pub const fn of(teams: &'t Teams) -> Self {
        Self { teams }
    }

    #[must_use]
    pub const fn head(&self) -> Seat<'t, Head> {
        Seat { teams: self.teams, team: None, agent: HEAD, role: PhantomData }
    }

    /// The hub of a team.
    #[must_use]
    pub fn orchestrator(&self, team: &str) -> Option<Seat<'t, Orchestrator>> {
        self.head().orchestrator(team)
    }

    /// Whether a message of whoever has this seat is delivered.
    ///
    /// # Errors
    /// [`Refused`], a forged sender first of all.
    pub fn permit<R: Role>(&self, sender: &Seat<'_, R>, message: &Message) -> Result<(), Refused> {
        let (claimed, sender) = (&message.source_component, sender.component());
        if *claimed != sender {
            return Err(Refused::Forged { claimed: claimed.clone(), sender });
        }
        self.permit_unseated(message)
    }

    /// Whether there is a route for a message whose sender has proved elsewhere who it is.
    ///
    /// # Errors
    /// [`Refused`]: an agent that is nobody, or two that do not speak to each other.
    pub fn permit_unseated(&self, message: &Message) -> Result<(), Refused> {
        let to = message.target_component.as_ref().ok_or(Refused::NoTarget)?;
        let from = &message.source_component;
        let (sender, target) = (self.place(from)?, self.place(to)?);
        let routes = ROUTES.iter().find(|(role, _)| *role == sender.role).map_or(&[][..], |(_, to)| to);
        let within = sender.team.is_none() || target.team.is_none() || sender.team == target.team;
        if from == to || !within || !routes.contains(&target.role) {
            return Err(Refused::NoRoute { from: from.clone(), to: to.clone() });
        }
        Ok(())
    }

    fn place(&self, component: &str) -> Result<Place<'t>, Refused> {
        if component == HEAD {
            return Ok(Place { team: None, role: "Head" });
        }
        let unknown = || Refused::Unknown(component.chars().take(130).collect());
        let (team, agent) = component.split_once('/').ok_or_else(unknown)?;
        let team = self.teams.team(team).ok_or_else(unknown)?;
        let role = if agent == team.orchestrator.id {
            "Orchestrator"
        } else if agent == LIBRARIAN {
            "Librarian"
        } else if team.specialist(agent).is_some() {
            "Specialist"
        } else {
            return Err(unknown());
        };
        Ok(Place { team: Some(&team.id), role })
    }
}

struct Place<'t> {
    team: Option<&'t str>,
    role: &'static str,
}

#[cfg(test)]
mod tests;
