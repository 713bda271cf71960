//! Where a carrier finds us. Every carrier has the same webhooks, below its own name.

use crate::calls::{accept, notes as listening};
use crate::routes::Routes;
use crate::webhooks::{dial, notes, outreach, resume, status, transfer, voice, warm};

/// Addresses of one carrier's webhooks and of its media stream. Names in braces are written out per call.
#[derive(Debug)]
pub struct Paths {
    /// A call arrives.
    pub voice: &'static str,
    /// A stream has ended: what to do with the caller.
    pub resume: &'static str,
    /// Progress of a call that arrived.
    pub status: &'static str,
    /// The media stream.
    pub media: &'static str,
    /// Both sides of a talk of which notes are taken.
    pub notes: &'static str,
    /// The telephone of the person who calls back was answered.
    pub dial_answer: &'static str,
    /// They pressed a key.
    pub dial_key: &'static str,
    /// What came of dialling the request's number.
    pub dial_done: &'static str,
    /// Progress of the call to the person's own telephone.
    pub dial_status: &'static str,
    /// Progress of the call to the request's number, and who answered there.
    pub dial_dialled: &'static str,
    /// What came of dialling a transfer's target.
    pub transfer_done: &'static str,
    /// Somebody answered at the target.
    pub transfer_answer: &'static str,
    /// They pressed a key, or said something.
    pub transfer_reply: &'static str,
    /// Progress of the call to the target, and who answered.
    pub transfer_status: &'static str,
    /// The caller was told of notes, or answered.
    pub transfer_notes: &'static str,
    /// Somebody whom the agent called answered.
    pub outreach_answer: &'static str,
    /// They pressed a key, or said something.
    pub outreach_reply: &'static str,
    /// Progress of the call, and who answered.
    pub outreach_status: &'static str,
}

/// The paths below one name.
macro_rules! paths {
    ($name:literal) => {
        $crate::webhooks::paths::Paths {
            voice: concat!("/", $name, "/voice"),
            resume: concat!("/", $name, "/resume"),
            status: concat!("/", $name, "/status"),
            media: concat!("/", $name, "/media"),
            notes: concat!("/", $name, "/notes"),
            dial_answer: concat!("/", $name, "/dial/{tenant}/{id}/answer"),
            dial_key: concat!("/", $name, "/dial/{tenant}/{id}/key"),
            dial_done: concat!("/", $name, "/dial/{tenant}/{id}/done"),
            dial_status: concat!("/", $name, "/dial/{tenant}/{id}/status"),
            dial_dialled: concat!("/", $name, "/dial/{tenant}/{id}/dialled"),
            transfer_done: concat!("/", $name, "/transfer/{tenant}/{call}/done"),
            transfer_answer: concat!("/", $name, "/transfer/{tenant}/{call}/answer"),
            transfer_reply: concat!("/", $name, "/transfer/{tenant}/{call}/reply"),
            transfer_status: concat!("/", $name, "/transfer/{tenant}/{call}/status"),
            transfer_notes: concat!("/", $name, "/transfer/{tenant}/{call}/notes"),
            outreach_answer: concat!("/", $name, "/outreach/{tenant}/{call}/answer"),
            outreach_reply: concat!("/", $name, "/outreach/{tenant}/{call}/reply"),
            outreach_status: concat!("/", $name, "/outreach/{tenant}/{call}/status"),
        }
    };
}
pub(super) use paths;

impl Paths {
    /// Adds the routes of one carrier.
    #[must_use]
    pub fn add(&self, routes: Routes) -> Routes {
        routes
            .get(self.voice, voice::handle)
            .post(self.voice, voice::handle)
            .get(self.resume, resume::handle)
            .post(self.resume, resume::handle)
            .post(self.status, status::handle)
            .get(self.media, accept::carrier)
            .get(self.notes, listening::carrier)
            .post(self.dial_answer, dial::answer)
            .post(self.dial_key, dial::key)
            .post(self.dial_done, dial::done)
            .post(self.dial_status, dial::status)
            .post(self.dial_dialled, dial::dialled)
            .post(self.transfer_done, transfer::done)
            .post(self.transfer_answer, warm::answer)
            .post(self.transfer_reply, warm::reply)
            .post(self.transfer_status, warm::status)
            .post(self.transfer_notes, notes::answered)
            .post(self.outreach_answer, outreach::answer)
            .post(self.outreach_reply, outreach::reply)
            .post(self.outreach_status, outreach::status)
    }
}
