//! The back office: works a call's Passport after the caller has hung up, as the same Passport.
//!
//! [`Office::work`] routes it, looks up how such cases were decided before, gives each specialist of the team its sandboxed
//! context, checks what comes back, and draws the conclusion. Each step is one commit: output, ledger entry and work items,
//! or nothing. A step has a name of its own in the ledger, so a run that was cut off anywhere goes on after the last step
//! that was written, and no step is done twice. Who calls this, when, and how often after a failure is the gateway's affair
//! (`gateway/src/office`).

mod fields;
mod gather;
mod model;
mod precedents;
mod step;
mod steps;

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use language::Screen;
use pipeline::ports::Usage;
use storage::records::{CallState, PassportFilter};
use storage::{Calls, NewJob, PassportId, Passports, StorageError, TenantStore};
use uuid::Uuid;

use crate::contracts::ContractError;
use crate::hub::{Refused, SandboxError};
use crate::organisation::Organisation;
use crate::passport::Status;
use crate::teams::Teams;
use knowledge::Retriever;
use models::model::LanguageModel;

pub use gather::{is_own, missing_of};

/// Kind of the job that works a Passport.
pub const WORK: &str = "passport.work";
/// Passports that a start looks through for work that has no job.
const MOST_LEFT: u32 = 500;

/// What a step costs, in US dollars.
pub type Price = Arc<dyn Fn(&[Usage]) -> f64 + Send + Sync>;

/// Tells the team whose examples words are like, if they are like any.
pub type Near = Arc<dyn Fn(String) -> Pin<Box<dyn Future<Output = Option<String>> + Send>> + Send + Sync>;

/// What one tenant's back office works with.
#[derive(Clone)]
pub struct Office {
    /// The tenant's, as they are when the job begins.
    pub teams: Arc<Teams>,
    /// The team whose examples the words of a case are nearest to, if one is.
    pub near: Option<Near>,
    pub tenant: Uuid,
    pub store: TenantStore,
    pub retriever: Arc<Retriever>,
    /// Where precedents are.
    pub organisation: Arc<Organisation>,
    /// Asked where a specialist's file allows it; otherwise, and when it fails, the built-in methods work.
    pub model: Option<Arc<dyn LanguageModel>>,
    pub price: Price,
}

impl fmt::Debug for Office {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let model = self.model.as_ref().map(|model| model.name());
        f.debug_struct("Office").field("tenant", &self.tenant).field("model", &model).finish_non_exhaustive()
    }
}

/// How a run ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Worked {
    /// Concluded now, or by an earlier run.
    Concluded(Status),
    /// There is no such Passport (any more), or nothing in it is left to do.
    Nothing,
    /// Told to stop between two steps: somebody goes on later.
    Stopped,
}

/// Why a run could not go on. No text of a caller is in it.
#[derive(Clone, Debug, thiserror::Error)]
pub enum OfficeError {
    #[error(transparent)]
    Storage(#[from] StorageError),
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    #[error("a message between agents was refused: {0}")]
    Refused(#[from] Refused),
    #[error("a task was refused: {0}")]
    Contract(#[from] ContractError),
    #[error("{agent} gave what its schema does not allow: {problem}")]
    Output { agent: String, problem: String },
    #[error("there is no team {0}")]
    NoTeam(String),
    #[error("the teams cannot be read: {0}")]
    Teams(String),
    #[error("the passport was changed by others all the time")]
    Contended,
    #[error("it was begun {attempts} times and never ended")]
    NeverEnds { attempts: u32 },
}

/// Asked before each step: whether to go on. Waits where live calls need the machine; renews what has to be renewed.
pub trait Pace: Send {
    fn go_on(&mut self) -> impl Future<Output = bool> + Send;
}

/// Goes on without a pause.
#[derive(Clone, Copy, Debug)]
pub struct Steady;

impl Pace for Steady {
    async fn go_on(&mut self) -> bool {
        true
    }
}

/// The job that works this Passport after its call. The same however often it is asked for.
#[must_use]
pub fn work_job(passport: Uuid, now: DateTime<Utc>) -> NewJob {
    job_for(passport, "", now)
}

/// The job by which a team works it, once; empty: the team that routing names.
fn job_for(passport: Uuid, team: &str, now: DateTime<Utc>) -> NewJob {
    NewJob {
        idempotency_key: format!("{WORK}/{passport}/{team}"),
        passport_id: PassportId(passport),
        team_id: team.to_owned(),
        kind: WORK.to_owned(),
        run_after: now,
    }
}

/// Files the job of every Passport whose call is over and whose work has none: the process died between the end of the
/// call and the end of its books. At start. How many Passports were looked at.
///
/// # Errors
/// Those of the store.
pub async fn adopt_left(store: &TenantStore, now: DateTime<Utc>) -> Result<usize, StorageError> {
    let status = Some(Status::InProgress.as_str().to_owned());
    let filter = PassportFilter { status, limit: MOST_LEFT, ..PassportFilter::default() };
    let left = store.list_passports(filter).await?;
    for head in &left {
        let Some(call) = head.call_id else { continue };
        if store.call(call).await?.is_some_and(|call| call.state == CallState::Ended) {
            storage::Jobs::enqueue_job(store, work_job(head.id.0, now)).await?;
        }
    }
    Ok(left.len())
}

impl Office {
    /// Works a Passport until its team has concluded, from wherever it stands. `team`: as the job names it.
    ///
    /// # Errors
    /// [`OfficeError`]; what was written before stays, and the next run goes on there.
    pub async fn work(
        &self,
        passport: PassportId,
        team: &str,
        screen: Box<dyn Screen>,
        pace: &mut impl Pace,
    ) -> Result<Worked, OfficeError> {
        steps::work(self, passport, team, screen, pace).await
    }

    /// Hands it to a person, after it could not be worked. Safe to repeat.
    ///
    /// # Errors
    /// [`OfficeError`].
    pub async fn give_up(&self, passport: PassportId, team: &str) -> Result<(), OfficeError> {
        steps::give_up(self, passport, team).await
    }
}

/// The one place of the office that reads the clock.
fn now() -> DateTime<Utc> {
    Utc::now()
}

#[cfg(test)]
mod tests;
