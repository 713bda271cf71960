//! The head of the department: the only way from one team to another.
#![deny(clippy::disallowed_methods)]

use chrono::{DateTime, Utc};
use serde_json::{Map, Value};
use uuid::Uuid;

use super::{Body, Hub, Orchestrator, Refused, Seat};
use crate::contracts::Message;
use crate::teams::Teams;

/// Teams that one Passport may go through: each has had its turn, then it ends.
pub const MOST_TEAMS: usize = 4;

/// Why the head does not pass work on.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NotReferred {
    #[error(transparent)]
    Refused(#[from] Refused),
    #[error("there is no team {0}")]
    NoTeam(String),
    #[error("{0} has worked on it already")]
    Again(String),
    #[error("{MOST_TEAMS} teams have worked on it: a person has to look")]
    TooMany,
}

/// An orchestrator asks the head to let another team work on the same Passport; the head tells that team's
/// orchestrator. Both messages, in this order.
///
/// # Errors
/// [`NotReferred`]; then nothing goes anywhere.
pub fn refer(
    teams: &Teams,
    from: &Seat<'_, Orchestrator>,
    to: &str,
    worked: &[String],
    ids: [Uuid; 2],
    now: DateTime<Utc>,
) -> Result<[Message; 2], NotReferred> {
    let hub = Hub::of(teams);
    let target = hub.orchestrator(to).ok_or_else(|| NotReferred::NoTeam(to.to_owned()))?;
    let own = from.team.is_some_and(|team| team.id == to);
    if own || worked.iter().any(|team| team == to) {
        return Err(NotReferred::Again(to.to_owned()));
    }
    if worked.len() >= MOST_TEAMS {
        return Err(NotReferred::TooMany);
    }
    let asked = from.write(&from.head(), ids[0], now, request("refer", to))?;
    hub.permit(from, &asked)?;
    let head = hub.head();
    let told = head.write(&target.address(), ids[1], now, request("work", to))?;
    hub.permit(&head, &told)?;
    Ok([asked, told])
}

fn request(action: &str, team: &str) -> Body {
    let parameters = Map::from_iter([("team".to_owned(), Value::from(team))]);
    Body::Request { action: action.to_owned(), parameters, timeout_seconds: 300, retry_policy: None }
}
