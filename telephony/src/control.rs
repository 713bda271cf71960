//! What a gateway may ask a carrier to do by itself: place a call, change a live one, end it, and tell how one stands.

use std::fmt;
use std::time::Duration;

use chrono::{DateTime, Utc};
use futures_util::future::BoxFuture;

use crate::call_status::{Answerer, CallProgress};
use crate::document::Document;
use crate::error::ControlError;

/// What came of asking.
pub type Asked<'a, T> = BoxFuture<'a, Result<T, ControlError>>;

/// A carrier's control of calls. One implementation a carrier; everything is bounded in time.
pub trait CallControl: Send + Sync + fmt::Debug + 'static {
    /// Places a call. It is asked for once: where the answer does not come, [`ControlError::Unknown`] says so, and
    /// [`CallControl::find`] tells whether there is one.
    fn place<'a>(&'a self, order: &'a CallOrder<'a>) -> Asked<'a, CarrierCall>;

    /// Gives a live call a new document to follow; a media stream of it ends.
    fn redirect<'a>(&'a self, sid: &'a str, document: &'a Document<'a>) -> Asked<'a, ()>;

    /// Ends a call. One that is over already is no fault.
    fn hang_up<'a>(&'a self, sid: &'a str) -> Asked<'a, ()>;

    /// How a call stands.
    fn look_up<'a>(&'a self, sid: &'a str) -> Asked<'a, CarrierCall>;

    /// The newest call between these numbers that was made at this time or later, if there is one.
    fn find<'a>(&'a self, from: &'a str, to: &'a str, since: DateTime<Utc>)
    -> Asked<'a, Option<CarrierCall>>;

    /// The newest call that a call dialled, if it dialled one. [`ControlError::Unable`] where the carrier does not tell.
    fn dialled_by<'a>(&'a self, parent: &'a str) -> Asked<'a, Option<CarrierCall>>;
}

/// A call to be placed. Holds a number, so it does not print itself.
#[derive(Clone, Copy)]
pub struct CallOrder<'a> {
    /// E.164, both.
    pub to: &'a str,
    pub from: &'a str,
    /// Asked for a document when somebody answers.
    pub answer_url: &'a str,
    /// Told of the call's progress.
    pub status_url: &'a str,
    /// Told whether a person or a machine answered. Absent: nobody asks.
    pub detect_url: Option<&'a str>,
    /// Of a machine it is told when its greeting is over and it takes messages, not as soon as it is known to be one.
    pub until_greeted: bool,
    /// How long it rings.
    pub ring: Duration,
    /// How long it may last.
    pub limit: Duration,
}

impl fmt::Debug for CallOrder<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallOrder").field("from", &self.from).finish_non_exhaustive()
    }
}

/// A call as the carrier knows it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CarrierCall {
    /// The carrier's id of it.
    pub sid: String,
    pub status: CallProgress,
    /// Length of one that is over.
    pub duration_s: Option<u64>,
    pub answered_by: Option<Answerer>,
}
