//! A carrier's stream of both sides of a talk, of which notes are taken: who may open one, and when it is given up.
//!
//! Its token is of a kind of its own, so that such a socket is never taken for a call's own stream, nor the other way round. A place
//! among the calls is held from before the caller is told of notes until they end: nobody is told of notes that cannot be taken.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{WebSocket, WebSocketUpgrade};
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use chrono::{DateTime, Utc};
use dashmap::DashMap;
use parking_lot::Mutex;
use storage::records::Direction;
use storage::zones::CallerNumber;
use storage::{Auth, CallId, Calls, Directory, PassportId, StorageError, TenantId, TransferId};
use telephony::carrier::MediaReader;
use telephony::error::TokenError;
use telephony::media::StreamStart;
use telephony::token::{MAX_LIFE_S, NonceLedger, StreamClaims, TokenKind, TokenSigner};
use tracing::Instrument;

use super::accept::refuse;
use super::admission::Permit;
use super::answered::Doubt;
use super::doorway::Place;
use super::handshake::{self, Opened, Refusal, TOKEN_PARAMETER};
use super::pending_streams::{Arrival, ExpectedCall, NamedBy};
use super::run::{self, Admitted, NotesOf};
use super::socket::{self, Closing, code};
use super::steady::SteadyClock;
use crate::app::App;
use crate::auth::{origin, secrets};
use crate::dialing::{transfer, warm};
use crate::error::{ApiError, ErrorCode};
use crate::limits::TenantPlace;
use crate::telemetry::metrics;
use crate::webhooks::authenticity;

/// Tokens that may live at a time: each waits with a place among the calls, and there are fewer of those.
const MOST_TOKENS: usize = 20_000;
/// From the caller being told until their stream is there: the words, the moment after them, and the carrier's way.
const WAIT: Duration = Duration::from_secs(90);

/// What it takes to listen to a talk.
#[derive(Debug)]
pub struct Room {
    pub permit: Permit,
    pub place: TenantPlace,
    /// What it may cost, millionths of a US dollar.
    pub budget_micros: Option<u64>,
}

/// A talk of which notes are to be taken, and whose stream has not come.
#[derive(Debug)]
pub struct Awaited {
    pub tenant: TenantId,
    pub transfer: TransferId,
    /// The carrier's names of the call and of our account; the stream must name the same.
    pub carrier_sid: String,
    pub account_sid: String,
    pub line: String,
    pub since: Instant,
    pub room: Room,
}

impl Awaited {
    fn is_named(&self, carrier_sid: &str, account_sid: &str) -> bool {
        self.carrier_sid == carrier_sid && (account_sid.is_empty() || self.account_sid == account_sid)
    }
}

/// Every such talk. As many as there are places among the calls.
#[derive(Debug)]
pub struct NotesDesk {
    awaited: DashMap<CallId, Awaited>,
    signer: TokenSigner,
    used: Mutex<NonceLedger>,
    clock: SteadyClock,
}

impl Default for NotesDesk {
    /// The key is drawn afresh: no token outlives the process that issued it.
    fn default() -> Self {
        Self {
            awaited: DashMap::new(),
            signer: TokenSigner::new(secrets::random()).of_kind(TokenKind::Notes),
            used: Mutex::new(NonceLedger::new(MOST_TOKENS)),
            clock: SteadyClock::start(),
        }
    }
}

impl NotesDesk {
    /// Awaits a stream. An earlier one of the call gives way.
    pub fn expect(&self, call: CallId, awaited: Awaited) {
        self.awaited.insert(call, awaited);
    }

    /// Whether one is awaited for this transfer.
    #[must_use]
    pub fn expects(&self, call: CallId, transfer: TransferId) -> bool {
        self.awaited.get(&call).is_some_and(|awaited| awaited.transfer == transfer)
    }

    /// A token for the stream that is awaited for a call. `None`: none is.
    ///
    /// # Errors
    /// Those of the token.
    pub fn token(&self, call: CallId) -> Option<Result<String, TokenError>> {
        let mut awaited = self.awaited.get_mut(&call)?;
        awaited.since = Instant::now();
        let now = self.clock.unix_s();
        let claims = StreamClaims {
            tenant: awaited.tenant.to_string(),
            call: call.to_string(),
            line: awaited.line.clone(),
            carrier_call: awaited.carrier_sid.clone(),
            nonce: secrets::random_hex(16),
            expires_unix: now + MAX_LIFE_S,
        };
        Some(self.signer.issue(&claims, now))
    }

    /// None is awaited any more.
    pub fn forget(&self, call: CallId) -> Option<Awaited> {
        self.awaited.remove(&call).map(|(_, awaited)| awaited)
    }

    /// Those whose stream never came.
    #[must_use]
    pub fn overdue(&self, wait: Duration) -> Vec<(CallId, Awaited)> {
        let old: Vec<CallId> =
            self.awaited.iter().filter(|e| e.since.elapsed() > wait).map(|e| *e.key()).collect();
        old.into_iter().filter_map(|call| self.awaited.remove(&call)).collect()
    }

    /// The talk that a token is for. Uses the token up, and awaits the stream no more: the first one counts.
    ///
    /// # Errors
    /// Where it is not ours, was used, or is no more awaited. One that is shown for another call is not used up by it.
    pub fn redeem(
        &self,
        token: &str,
        carrier_sid: &str,
        account_sid: &str,
    ) -> Result<(CallId, Awaited, StreamClaims), TokenError> {
        let now = self.clock.unix_s();
        let claims = self.signer.verify(token, now)?;
        let call: CallId = claims.call.parse().map_err(|_| TokenError::Malformed)?;
        let is_awaited = |awaited: &Awaited| {
            claims.tenant == awaited.tenant.to_string() && claims.carrier_call == awaited.carrier_sid
        };
        match self.awaited.get(&call) {
            Some(awaited) if !awaited.is_named(carrier_sid, account_sid) => return Err(TokenError::BadMac),
            Some(awaited) if is_awaited(awaited.value()) => {}
            Some(_) | None => {
                // A replay is told from a stream that comes too late.
                self.used.lock().spend(&claims, now)?;
                return Err(TokenError::Expired);
            }
        }
        self.used.lock().spend(&claims, now)?;
        let (_, awaited) = self.awaited.remove(&call).ok_or(TokenError::Expired)?;
        Ok((call, awaited, claims))
    }
}

/// Gives up talks whose stream never came: their places are free again.
pub async fn give_up_overdue(app: &App) {
    for (call, awaited) in app.notes.overdue(WAIT) {
        metrics::refused("notes_never_came");
        crate::dialing::notes::lost(app, awaited.tenant, call).await;
    }
}

/// `GET /…/notes` of a carrier. The upgrade is signed like that of a call's own stream.
pub async fn carrier(
    State(app): State<Arc<App>>,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
    request: Request,
) -> Response {
    if let Err(refusal) = authenticity::check_upgrade(&app, &request) {
        return refusal.into_response();
    }
    let upgrade = match upgrade {
        Ok(upgrade) => upgrade,
        Err(rejection) => return ApiError::from(rejection).into_response(),
    };
    let Some(place) = app.doorways.carrier.enter(origin::peer(request.extensions())) else {
        metrics::refused("too_many_handshakes");
        return ApiError::new(ErrorCode::ServiceUnavailable, "too many streams are opening").into_response();
    };
    let tracked = app.tasks.token();
    socket::bounded(upgrade).on_upgrade(move |socket| async move {
        hold(&app, socket, place).await;
        drop(tracked);
    })
}

/// A socket's whole life.
async fn hold(app: &Arc<App>, mut socket: WebSocket, place: Place) {
    let accepted = Instant::now();
    let opened = tokio::select! {
        opened = open(app, &mut socket, accepted) => opened,
        () = app.stop.now.cancelled() => {
            Err(Refusal::new("draining", code::GOING_AWAY, "the gateway is stopping"))
        }
    };
    drop(place);
    let (admitted, _place) = match opened {
        Ok(opened) => opened,
        Err(refusal) => return refuse(socket, refusal).await,
    };
    let Some(ready) = app.ready.get() else {
        metrics::refused("not_ready");
        return socket::close(socket, &Closing::new(code::TRY_LATER, "the gateway is starting")).await;
    };
    let span = tracing::info_span!("notes", call_id = %admitted.opened.call.id);
    run::serve(app, ready, socket, admitted).instrument(span).await;
}

async fn open(
    app: &Arc<App>,
    socket: &mut WebSocket,
    accepted: Instant,
) -> Result<(Admitted, TenantPlace), Refusal> {
    let mut reader = app.carrier.listener();
    let start = handshake::started(app, socket, reader.as_mut(), accepted).await?;
    let given = start.parameters.iter().find(|(name, _)| name == TOKEN_PARAMETER);
    let Some((_, token)) = given else {
        return Err(Refusal::new("token_missing", code::POLICY, "start brings no stream token"));
    };
    let redeemed = app.notes.redeem(token, &start.call_sid, &start.account_sid);
    let (call, awaited, claims) =
        redeemed.map_err(|e| Refusal::new(e.reason(), code::POLICY, e.to_string()))?;
    let (tenant, opened) = (awaited.tenant, admit(app, call, awaited, &claims, (&start, reader, accepted)));
    let opened = opened.await;
    if opened.is_err() {
        // Its stream came, and is no use: nothing else will.
        crate::dialing::notes::lost(app, tenant, call).await;
    }
    opened
}

async fn admit(
    app: &Arc<App>,
    call: CallId,
    awaited: Awaited,
    claims: &StreamClaims,
    (start, reader, accepted): (&StreamStart, Box<dyn MediaReader>, Instant),
) -> Result<(Admitted, TenantPlace), Refusal> {
    let expires = DateTime::from_timestamp(i64::try_from(claims.expires_unix).unwrap_or(i64::MAX), 0);
    let fresh = app.platform.store().use_nonce(&claims.nonce, expires.unwrap_or_else(Utc::now)).await;
    if !fresh.map_err(|error| silent(&error))? {
        return Err(Refusal::new("token_replayed", code::POLICY, "stream token was used before"));
    }
    // What is live already is the call with the agent, or notes that are being taken: no second stream takes their place.
    if app.live.find(call).is_some() {
        return Err(Refusal::new("call_is_live", code::POLICY, "the call has a stream"));
    }
    let gone = || Refusal::new("not_in_transfer", code::POLICY, "no notes are taken on this call");
    let store = app.platform.tenant(awaited.tenant).await.map_err(|error| silent(&error))?;
    let known = store.call(call).await.map_err(|error| silent(&error))?.ok_or_else(gone)?;
    let to = transfer::last(&store, call).await.map_err(|error| silent(&error))?;
    let to = to.filter(|to| to.is_noted() && to.id == awaited.transfer).ok_or_else(gone)?;
    let line = app.platform.store().line(&known.line).await.map_err(|error| silent(&error))?;
    let line = line.filter(|line| line.tenant_id == store.id()).ok_or_else(gone)?;
    let caller = store.caller_number(call).await.map_err(|error| silent(&error))?;
    let language = warm::language_of(&known);
    let arrival = Arrival {
        id: call,
        line,
        caller: caller.as_deref().and_then(CallerNumber::of),
        named_by: NamedBy::Carrier,
        carrier_sid: awaited.carrier_sid,
        account_sid: awaited.account_sid,
        passport: known.passport_id.unwrap_or_else(PassportId::new),
        resumes: true,
        outbound: (known.direction == Direction::Outbound).then_some(language),
        doubt: Doubt::None,
        returned: None,
    };
    let opened = Opened {
        call: Arc::new(ExpectedCall::from(arrival)),
        reader,
        writer: app.carrier.writer(&start.stream_sid),
    };
    let Room { permit, place, budget_micros } = awaited.room;
    let notes = Some(NotesOf { with: to.target, language });
    Ok((Admitted { opened, accepted, permit, store, budget_micros, notes }, place))
}

fn silent(error: &StorageError) -> Refusal {
    tracing::error!(%error, "a stream for notes could not be checked");
    Refusal::new("storage", code::INTERNAL, "storage does not answer")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calls::admission::{Admission, Capacity};
    use crate::config::Limits;
    use crate::limits::Gates;

    fn awaited(sid: &str) -> Awaited {
        let limits = Limits::default();
        let Admission::Serve(permit) = Capacity::new(&limits, false).admit(0.0, 0.0) else {
            panic!("there is room")
        };
        let tenant = TenantId::new();
        let place = Gates::new(&limits).call(tenant).unwrap();
        Awaited {
            tenant,
            transfer: TransferId::new(),
            carrier_sid: sid.to_owned(),
            account_sid: "AC1".to_owned(),
            line: "+12025550100".to_owned(),
            since: Instant::now(),
            room: Room { permit, place, budget_micros: None },
        }
    }

    #[test]
    fn a_token_opens_one_stream_of_its_call_and_no_other() {
        let (desk, call) = (NotesDesk::default(), CallId::new());
        assert!(desk.token(call).is_none(), "nothing is awaited");
        desk.expect(call, awaited("CA1"));
        let token = desk.token(call).unwrap().unwrap();
        let second = desk.token(call).unwrap().unwrap();
        for (sid, account) in [("CA2", "AC1"), ("CA1", "AC2")] {
            assert_eq!(desk.redeem(&token, sid, account).unwrap_err(), TokenError::BadMac);
        }
        assert_eq!(desk.redeem(&token, "CA1", "").unwrap().0, call);
        assert_eq!(desk.redeem(&token, "CA1", "AC1").unwrap_err(), TokenError::Replayed);
        // A second stream of the same talk, with a token of its own.
        assert_eq!(desk.redeem(&second, "CA1", "AC1").unwrap_err(), TokenError::Expired);
        for garbage in ["", ".", "a.b", "x", &token[..token.len() - 2]] {
            assert!(desk.redeem(garbage, "CA1", "AC1").is_err(), "{garbage}");
        }
        let call_token = TokenSigner::new(secrets::random());
        let claims = StreamClaims {
            tenant: TenantId::new().to_string(),
            call: call.to_string(),
            line: "+12025550100".to_owned(),
            carrier_call: "CA1".to_owned(),
            nonce: "n".to_owned(),
            expires_unix: desk.clock.unix_s() + 30,
        };
        let foreign = call_token.issue(&claims, desk.clock.unix_s()).unwrap();
        assert_eq!(desk.redeem(&foreign, "CA1", "AC1").unwrap_err(), TokenError::BadMac);
    }

    #[test]
    fn a_token_of_an_earlier_transfer_or_tenant_is_worth_nothing() {
        let (desk, call) = (NotesDesk::default(), CallId::new());
        desk.expect(call, awaited("CA1"));
        let token = desk.token(call).unwrap().unwrap();
        desk.expect(call, awaited("CA1"));
        assert_eq!(desk.redeem(&token, "CA1", "AC1").unwrap_err(), TokenError::Expired, "another tenant's");
        let transfer = desk.awaited.get(&call).unwrap().transfer;
        assert!(desk.expects(call, transfer) && !desk.expects(call, TransferId::new()));
        assert!(desk.overdue(Duration::from_secs(60)).is_empty());
        assert_eq!(desk.overdue(Duration::ZERO).len(), 1);
        assert!(desk.token(call).is_none() && desk.forget(call).is_none());
    }
}
