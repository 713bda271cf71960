//! The composition root: everything that requests and calls share.

use std::sync::{Arc, OnceLock};
use std::time::Instant;

use storage::Platform;
use telephony::carrier::Carrier;
use telephony::control::CallControl;
use tokio::sync::{Notify, Semaphore};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::api::understand::Readers;
use crate::api::validate;
use crate::audit::Recorder;
use crate::auth::attempts::Attempts;
use crate::auth::local::LocalToken;
use crate::auth::openid::provider::Provider;
use crate::auth::password::Hasher;
use crate::calls::admission::{Capacity, NumberLimit};
use crate::calls::doorway::Doorways;
use crate::calls::journal_recorders::Recorders;
use crate::calls::live::LiveCalls;
use crate::calls::load_sampler::Gauge;
use crate::calls::notes::NotesDesk;
use crate::calls::pending_streams::ExpectedCalls;
use crate::calls::staff::StaffDesk;
use crate::calls::unfinished_ends::Unended;
use crate::calls::vocabulary::Vocabularies;
use crate::config::{Config, PublicUrl};
use crate::dialing::clock::WallClock;
use crate::error::{ApiError, ErrorCode};
use crate::event_bus::local::Fanout;
use crate::limits::Gates;
use crate::mcp::turnstile::Turnstile;
use crate::memory::office::MemoryOffice;
use crate::office::Bell;
use crate::providers::Ready;
use crate::quarantined_tenants::Damaged;
use crate::recording::Recordings;
use crate::supervisor::Loops;
use crate::telemetry::traces::Traces;
use crate::webhooks;
use crate::webhooks::paths::Paths;

/// What every handler may use. One per gateway; tests run several in a process.
#[derive(Debug)]
pub struct App {
    pub config: Config,
    pub public_url: PublicUrl,
    pub platform: Platform,
    /// Puts what people do on the audit.
    pub audit: Recorder,
    /// Set when the engines are warm.
    pub ready: OnceLock<Ready>,
    /// Who brings the calls.
    pub carrier: Arc<dyn Carrier>,
    /// Where the carrier finds us.
    pub paths: &'static Paths,
    /// The time at which calls are placed.
    pub clock: WallClock,
    pub live: Arc<LiveCalls>,
    /// Who could be asked something in mid-call.
    pub staff: StaffDesk,
    pub expected: ExpectedCalls,
    /// Talks with people of which notes are to be taken.
    pub notes: NotesDesk,
    /// Tells the back office of calls that have ended.
    pub office: Bell,
    pub capacity: Capacity,
    /// What each tenant, and each stranger, may have at a time and in a time.
    pub gates: Gates,
    /// Who failed to sign in lately, and has to wait.
    pub attempts: Attempts,
    /// Makes and checks what is kept of passwords.
    pub hasher: Hasher,
    /// The provider outside that says who somebody is; `None` without one.
    pub openid: Option<Arc<Provider>>,
    pub numbers: NumberLimit,
    pub memory: MemoryOffice,
    /// How close the process is to serving its calls badly.
    pub strain: Gauge,
    pub vocabularies: Vocabularies,
    /// Held while a tenant's rules are replaced: by one request at a time.
    pub rules: tokio::sync::Mutex<()>,
    /// Places for sockets that have not shown their token yet.
    pub doorways: Doorways,
    /// What understands words outside calls.
    pub understanding: Readers,
    /// Places for outputs that are being judged.
    pub judging: Arc<Semaphore>,
    /// Rings when a call is over: its passport may be reviewed.
    pub reviewing: Arc<Notify>,
    pub fanout: Arc<Fanout>,
    /// Programs that use our tools over MCP.
    pub mcp_turnstile: Turnstile,
    /// Where spans go, if anywhere.
    pub traces: Option<Arc<Traces>>,
    pub recorders: Recorders,
    pub recordings: Recordings,
    pub local_token: LocalToken,
    /// Ends of calls that the store did not take yet.
    pub unended: Arc<Unended>,
    /// Tenants that are not served, because their data cannot be used.
    pub damaged: Damaged,
    /// What goes on beside the calls, and how well.
    pub loops: Arc<Loops>,
    /// Every task of every call.
    pub tasks: TaskTracker,
    pub stop: Stop,
    pub started: Instant,
}

/// How far a stop has got.
#[derive(Clone, Debug, Default)]
pub struct Stop {
    /// No new calls; running ones may end.
    pub draining: CancellationToken,
    /// Running calls are cut off.
    pub now: CancellationToken,
    /// Event streams and everything else end; the listener closes.
    pub closing: CancellationToken,
}

impl App {
    /// Composes an app on an open data folder. Engines come later, see [`App::ready`].
    pub fn new(
        config: Config,
        public_url: PublicUrl,
        platform: Platform,
        damaged: Damaged,
    ) -> std::io::Result<Arc<Self>> {
        let local_token = LocalToken::create(&config.data_dir)?;
        let (carrier, paths) = webhooks::carrier(&config.carrier);
        let traces = config.otlp.as_ref().and_then(Traces::start);
        Ok(Arc::new(Self {
            recordings: Recordings::new(&config.data_dir),
            clock: WallClock::default(),
            carrier,
            paths,
            capacity: Capacity::new(&config.limits, config.providers.hear_locally()),
            gates: Gates::new(&config.limits),
            attempts: Attempts::default(),
            hasher: Hasher::default(),
            openid: openid(&config),
            numbers: NumberLimit::new(&config.limits),
            memory: MemoryOffice::default(),
            strain: Gauge::default(),
            vocabularies: Vocabularies::default(),
            rules: tokio::sync::Mutex::default(),
            doorways: Doorways::default(),
            config,
            public_url,
            audit: Recorder::new(platform.clone()),
            platform,
            ready: OnceLock::new(),
            live: Arc::default(),
            staff: StaffDesk::default(),
            expected: ExpectedCalls::default(),
            notes: NotesDesk::default(),
            judging: Arc::new(Semaphore::new(validate::AT_ONCE)),
            understanding: Readers::default(),
            office: Bell::default(),
            reviewing: Arc::default(),
            fanout: Arc::default(),
            mcp_turnstile: Turnstile::default(),
            traces,
            recorders: Recorders::default(),
            unended: Arc::default(),
            damaged,
            loops: Arc::default(),
            local_token,
            tasks: TaskTracker::new(),
            stop: Stop::default(),
            started: Instant::now(),
        }))
    }

    /// The engines, or the answer for those who come before they are warm.
    pub fn engines(&self) -> Result<&Ready, ApiError> {
        self.ready.get().ok_or_else(|| {
            ApiError::new(ErrorCode::ServiceUnavailable, "the speech engines are still loading")
                .advise("try again in some seconds; /ready says when")
        })
    }

    /// The carrier, as far as it is asked for something; `None` without an account.
    #[must_use]
    pub fn control(&self) -> Option<&dyn CallControl> {
        self.carrier.control()
    }

    /// True when a call that comes now can be served.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        self.ready.get().is_some() && !self.stop.draining.is_cancelled()
    }
}

/// The OpenID provider of the settings.
fn openid(config: &Config) -> Option<Arc<Provider>> {
    match Provider::new(config.sign_in.openid.clone()?) {
        Ok(provider) => Some(Arc::new(provider)),
        Err(error) => {
            tracing::error!(%error, "no HTTP client can be made: nobody signs in with the OpenID provider");
            None
        }
    }
}
