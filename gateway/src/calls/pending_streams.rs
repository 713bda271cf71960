//! Calls that were answered with a stream address and whose stream has not come, or may come again.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use dashmap::DashMap;
use parking_lot::Mutex;
use pipeline::ports::{Language, Returned};
use storage::records::{Direction, NewCall};
use storage::zones::CallerNumber;
use storage::{CallId, Line, PassportId};
use telephony::error::TokenError;
use telephony::token::{MAX_LIFE_S, NonceLedger, StreamClaims, TokenSigner};

use super::answered::Doubt;
use super::steady::SteadyClock;
use crate::auth::secrets;

/// Calls that may be awaited at a time; more than a minute's arrivals on the largest node.
const MOST: usize = 20_000;
/// Sockets of one awaited call that may be shaking hands at a time: a browser that tries again before the first try
/// was given up.
const SOCKETS: u32 = 2;

/// Who named the call, and so whether its stream must repeat the names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NamedBy {
    /// The carrier, in its webhook: a stream of another call or account is somebody else's.
    Carrier,
    /// This gateway, for a phone of its own API. Such a client is its own carrier and may name its stream as it
    /// likes; the token alone says which call it is.
    Gateway,
}

/// A call between its webhook and its stream. Holds the caller's number, so it does not print itself.
pub struct ExpectedCall {
    pub id: CallId,
    pub line: Line,
    /// `None` for who withheld it.
    pub caller: Option<CallerNumber>,
    pub named_by: NamedBy,
    pub carrier_sid: String,
    pub account_sid: String,
    /// The work item that the call fills in.
    pub passport: PassportId,
    /// There is a record of this call already: this stream goes on with it.
    pub resumes: bool,
    /// We called them, in this language.
    pub outbound: Option<Language>,
    pub doubt: Doubt,
    /// They come back from a person who did not take the call, and go on in this language.
    pub returned: Option<(Returned, Language)>,
    /// A stream has begun for it.
    started: AtomicBool,
    /// Sockets that named it and have not shown its token yet.
    opening: AtomicU32,
    issued_at: Mutex<Instant>,
}

impl fmt::Debug for ExpectedCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExpectedCall").field("id", &self.id).finish_non_exhaustive()
    }
}

impl ExpectedCall {
    /// True when a stream under these names can be this call's. Some carriers' test clients leave the account out.
    #[must_use]
    pub fn is_named(&self, carrier_sid: &str, account_sid: &str) -> bool {
        self.named_by == NamedBy::Gateway
            || (self.carrier_sid == carrier_sid
                && (account_sid.is_empty() || self.account_sid == account_sid))
    }

    /// A place for a socket that says it is this call's; `None` while as many are shaking hands as one call may have.
    pub fn open(self: &Arc<Self>) -> Option<Opening> {
        let taken = self
            .opening
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, |n| (n < SOCKETS).then_some(n + 1));
        taken.is_ok().then(|| Opening(self.clone()))
    }

    /// Marks that a stream began; `true` when it is the first.
    pub fn begin(&self) -> bool {
        !self.started.swap(true, Ordering::AcqRel)
    }

    #[must_use]
    pub fn has_begun(&self) -> bool {
        self.started.load(Ordering::Acquire)
    }

    /// The call's first entry on record.
    #[must_use]
    pub fn record(&self, started_at: DateTime<Utc>) -> NewCall {
        NewCall {
            id: self.id,
            carrier_sid: Some(self.carrier_sid.clone()),
            line: self.line.number.clone(),
            caller: self.caller.as_ref().map(|number| number.as_str().to_owned()),
            direction: if self.outbound.is_some() { Direction::Outbound } else { Direction::Inbound },
            language: self.line.languages.first().cloned().unwrap_or_else(|| "en".to_owned()),
            passport_id: Some(self.passport),
            started_at,
        }
    }
}

/// A socket that shakes hands for an awaited call; the place is free again when this is dropped.
#[derive(Debug)]
pub struct Opening(Arc<ExpectedCall>);

impl Drop for Opening {
    fn drop(&mut self) {
        self.0.opening.fetch_sub(1, Ordering::AcqRel);
    }
}

/// What a call is expected with.
pub struct Arrival {
    pub id: CallId,
    pub line: Line,
    pub caller: Option<CallerNumber>,
    pub named_by: NamedBy,
    pub carrier_sid: String,
    pub account_sid: String,
    pub passport: PassportId,
    pub resumes: bool,
    /// We called them, in this language.
    pub outbound: Option<Language>,
    pub doubt: Doubt,
    /// They come back from a person who did not take the call, and go on in this language.
    pub returned: Option<(Returned, Language)>,
}

impl fmt::Debug for Arrival {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Arrival").field("id", &self.id).finish_non_exhaustive()
    }
}

/// Every awaited call, and the tokens by which their streams prove themselves.
#[derive(Debug)]
pub struct ExpectedCalls {
    by_id: DashMap<CallId, Arc<ExpectedCall>>,
    by_carrier_sid: DashMap<String, CallId>,
    signer: TokenSigner,
    used: Mutex<NonceLedger>,
    /// Tokens live and die in this process, so their time is its own: the machine's clock may be set as it likes.
    clock: SteadyClock,
}

impl Default for ExpectedCalls {
    /// The key is drawn afresh: no token outlives the process that issued it.
    fn default() -> Self {
        Self {
            by_id: DashMap::new(),
            by_carrier_sid: DashMap::new(),
            signer: TokenSigner::new(secrets::random()),
            used: Mutex::new(NonceLedger::new(MOST)),
            clock: SteadyClock::start(),
        }
    }
}

impl ExpectedCalls {
    /// Awaits a stream and gives its token. A second arrival of the same call gets a fresh token.
    pub fn expect(&self, arrival: Arrival) -> Result<String, TokenError> {
        if self.by_id.len() >= MOST {
            return Err(TokenError::Full);
        }
        let call =
            self.by_id.entry(arrival.id).or_insert_with(|| Arc::new(ExpectedCall::from(arrival))).clone();
        *call.issued_at.lock() = Instant::now();
        self.by_carrier_sid.insert(call.carrier_sid.clone(), call.id);
        let now = self.clock.unix_s();
        let claims = StreamClaims {
            tenant: call.line.tenant_id.to_string(),
            call: call.id.to_string(),
            line: call.line.number.clone(),
            carrier_call: call.carrier_sid.clone(),
            nonce: secrets::random_hex(16),
            expires_unix: now + MAX_LIFE_S,
        };
        self.signer.issue(&claims, now)
    }

    /// The call that a carrier call is awaited as, if any.
    #[must_use]
    pub fn by_carrier_sid(&self, sid: &str) -> Option<Arc<ExpectedCall>> {
        let id = *self.by_carrier_sid.get(sid)?;
        self.by_id.get(&id).map(|entry| entry.value().clone())
    }

    /// The call of a phone of our own API that is awaited under this id.
    #[must_use]
    pub fn phone(&self, id: CallId) -> Option<Arc<ExpectedCall>> {
        let call = self.by_id.get(&id)?.value().clone();
        (call.named_by == NamedBy::Gateway).then_some(call)
    }

    /// The call that a token is for, when the stream's own names fit. Uses the token up.
    pub fn redeem(
        &self,
        token: &str,
        carrier_sid: &str,
        account_sid: &str,
    ) -> Result<(Arc<ExpectedCall>, StreamClaims), TokenError> {
        let now = self.clock.unix_s();
        let claims = self.signer.verify(token, now)?;
        let call =
            claims.call.parse().ok().and_then(|id: CallId| self.by_id.get(&id).map(|e| e.value().clone()));
        let call = call.ok_or(TokenError::Expired)?;
        // A token of another call is no use to its thief, and is not used up by the attempt.
        if !call.is_named(carrier_sid, account_sid) {
            return Err(TokenError::BadMac);
        }
        self.used.lock().spend(&claims, now)?;
        Ok((call, claims))
    }

    /// Forgets a call; gives it when its stream never came.
    pub fn forget(&self, carrier_sid: &str) -> Option<Arc<ExpectedCall>> {
        let (_, id) = self.by_carrier_sid.remove(carrier_sid)?;
        let (_, call) = self.by_id.remove(&id)?;
        (!call.has_begun()).then_some(call)
    }

    /// Forgets calls whose last token is older than `wait`; gives those whose stream never came.
    pub fn overdue(&self, wait: Duration) -> Vec<Arc<ExpectedCall>> {
        let is_old = |call: &ExpectedCall| call.issued_at.lock().elapsed() > wait;
        let old: Vec<_> =
            self.by_id.iter().filter(|e| is_old(e.value())).map(|e| e.carrier_sid.clone()).collect();
        old.iter().filter_map(|sid| self.forget(sid)).collect()
    }
}

impl From<Arrival> for ExpectedCall {
    fn from(arrival: Arrival) -> Self {
        Self {
            id: arrival.id,
            line: arrival.line,
            caller: arrival.caller,
            named_by: arrival.named_by,
            carrier_sid: arrival.carrier_sid,
            account_sid: arrival.account_sid,
            passport: arrival.passport,
            resumes: arrival.resumes,
            outbound: arrival.outbound,
            doubt: arrival.doubt,
            returned: arrival.returned,
            started: AtomicBool::new(false),
            opening: AtomicU32::new(0),
            issued_at: Mutex::new(Instant::now()),
        }
    }
}

#[cfg(test)]
mod tests {
    use storage::{RecordingConsent, TenantId};

    use super::*;

    fn arrival(sid: &str) -> Arrival {
        let line = Line {
            number: "+12025550100".to_owned(),
            tenant_id: TenantId::new(),
            name: "Demo".to_owned(),
            languages: vec!["en".to_owned()],
            greeting: String::new(),
            recording_consent: RecordingConsent::Off,
        };
        let (carrier_sid, account_sid) = (sid.to_owned(), "AC1".to_owned());
        let (id, passport) = (CallId::new(), PassportId::new());
        let named_by = NamedBy::Carrier;
        Arrival {
            id,
            line,
            caller: None,
            named_by,
            carrier_sid,
            account_sid,
            passport,
            resumes: false,
            outbound: None,
            doubt: Doubt::None,
            returned: None,
        }
    }

    #[test]
    fn a_token_is_good_once_and_only_for_its_call() {
        let calls = ExpectedCalls::default();
        let token = calls.expect(arrival("CA1")).unwrap();
        for (call, account) in [("CA2", "AC1"), ("CA1", "AC2")] {
            assert_eq!(calls.redeem(&token, call, account).unwrap_err(), TokenError::BadMac);
        }
        let (call, _) = calls.redeem(&token, "CA1", "").unwrap();
        assert_eq!(call.carrier_sid, "CA1");
        assert_eq!(calls.redeem(&token, "CA1", "AC1").unwrap_err(), TokenError::Replayed);
    }

    #[test]
    fn a_phone_has_two_sockets_at_a_time_and_a_carriers_call_none_here() {
        let calls = ExpectedCalls::default();
        let (phone, carrier) = (Arrival { named_by: NamedBy::Gateway, ..arrival("CA1") }, arrival("CA2"));
        let (phone_id, carrier_id) = (phone.id, carrier.id);
        calls.expect(phone).unwrap();
        calls.expect(carrier).unwrap();
        assert!(calls.phone(carrier_id).is_none() && calls.phone(CallId::new()).is_none());
        let call = calls.phone(phone_id).unwrap();
        let (first, second) = (call.open().unwrap(), call.open().unwrap());
        assert!(call.open().is_none());
        drop((first, second));
        assert!(call.open().is_some());
    }

    #[test]
    fn a_phones_token_is_good_under_any_name_and_still_once() {
        let calls = ExpectedCalls::default();
        let token = calls.expect(Arrival { named_by: NamedBy::Gateway, ..arrival("CA1") }).unwrap();
        let (call, _) = calls.redeem(&token, "CA-of-its-own", "AC-of-its-own").unwrap();
        assert_eq!(call.carrier_sid, "CA1");
        assert_eq!(calls.redeem(&token, "CA1", "AC1").unwrap_err(), TokenError::Replayed);
    }

    #[test]
    fn a_call_whose_stream_never_came_is_given_to_the_reaper_once() {
        let calls = ExpectedCalls::default();
        calls.expect(arrival("CA1")).unwrap();
        let token = calls.expect(arrival("CA2")).unwrap();
        assert!(calls.redeem(&token, "CA2", "AC1").unwrap().0.begin());
        assert!(calls.overdue(Duration::from_secs(60)).is_empty());
        let overdue = calls.overdue(Duration::ZERO);
        assert_eq!(overdue.len(), 1);
        assert_eq!(overdue[0].carrier_sid, "CA1");
        assert!(calls.overdue(Duration::ZERO).is_empty());
    }
}
