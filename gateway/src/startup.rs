//! Starting a gateway, in the binary and in tests.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use storage::Platform;
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio::task::{JoinHandle, JoinSet};
use work::tools::remote::outside::Outside;

use crate::alarms;
use crate::app::App;
use crate::auth::sign_in;
use crate::calls::load_score::Strain;
use crate::calls::{admission, drain, load_sampler, reaper, reviews};
use crate::config::{Config, PublicUrl};
use crate::demo;
use crate::dialing::{campaigns, due_calls, reconcile, retries};
use crate::http_server::{self, Patience};
use crate::maintenance;
use crate::memory;
use crate::office;
use crate::outbox;
use crate::providers::{Progress, ProviderSource, Ready};
use crate::quarantined_tenants;
use crate::recording;
use crate::retention;
use crate::router::router;
use crate::telemetry::metrics;
use crate::tenant_config::{appointments, follow};

/// How long open HTTP requests may take to end once everything else has.
const LAST_REQUESTS: Duration = Duration::from_secs(3);
/// How long work beside the calls may take to come to a point where it can stop.
const LAST_WORK: Duration = Duration::from_secs(5);

/// Starts gateways.
#[derive(Debug)]
pub struct Gateway;

/// A gateway that listens. Dropping it does not stop it; [`RunningGateway::shutdown`] does.
#[derive(Debug)]
pub struct RunningGateway {
    /// Address that was bound.
    pub addr: SocketAddr,
    pub app: Arc<App>,
    stop: mpsc::Sender<()>,
    warming: JoinHandle<anyhow::Result<()>>,
    serving: JoinHandle<()>,
}

impl Gateway {
    /// Binds, opens the data folder, listens, and brings the engines up beside that: `/ready` says when.
    pub async fn start(
        config: Config,
        engines: impl ProviderSource,
        progress: Progress,
    ) -> anyhow::Result<RunningGateway> {
        metrics::recorder();
        let listener = bind(config.bind).await?;
        let addr = listener.local_addr().context("the listener has no address")?;
        let public_url = config.public_url.clone().or_else(|| PublicUrl::of_listener(addr));
        let public_url = public_url.context("the bound address is no URL; set PUBLIC_URL")?;
        let platform = Platform::open(config.storage()).await?;
        let turn = platform.start_turn().await?;
        let damaged = quarantined_tenants::recover(&platform).await?;
        if damaged.is_empty() {
            demo::seed_first_start(&platform).await.context("the demo tenant could not be created")?;
        }
        // A folder that was not used for weeks has no times left.
        appointments::renew_all(&platform).await?;
        let app = App::new(config, public_url, platform, damaged)
            .context("admin.token could not be written in DATA_DIR")?;
        sign_in::local_link(&app).await.context("the local administrator could not be created")?;
        drop(turn);
        let (stop, requests) = mpsc::channel(2);
        let warming = tokio::spawn(warm(app.clone(), Box::new(engines), progress));
        let background = background(&app);
        let serving = tokio::spawn(serve(app.clone(), listener, requests, background));
        Ok(RunningGateway { addr, app, stop, warming, serving })
    }
}

impl RunningGateway {
    /// Waits until the engines are warm; an error when they cannot be brought up.
    pub async fn ready(&mut self) -> anyhow::Result<()> {
        if self.app.ready.get().is_some() {
            return Ok(());
        }
        (&mut self.warming).await.context("the engines' task failed")?
    }

    /// Asks to stop: once drains, twice cuts calls off.
    pub fn request_stop(&self) {
        let _ = self.stop.try_send(());
    }

    /// A handle for signal watchers.
    #[must_use]
    pub fn stopper(&self) -> mpsc::Sender<()> {
        self.stop.clone()
    }

    /// Waits until the gateway has stopped.
    pub async fn stopped(self) {
        let _ = self.serving.await;
        self.warming.abort();
    }

    /// Stops, letting calls end within the drain limit.
    pub async fn shutdown(self) {
        self.request_stop();
        self.stopped().await;
    }
}

async fn bind(addr: SocketAddr) -> anyhow::Result<TcpListener> {
    TcpListener::bind(addr).await.map_err(|e| match e.kind() {
        io::ErrorKind::AddrInUse => {
            anyhow::anyhow!("{addr} is in use by another process: stop it, or set BIND to another address")
        }
        io::ErrorKind::PermissionDenied => {
            anyhow::anyhow!("{addr} may not be bound by this user: set BIND to a port above 1023")
        }
        _ => anyhow::anyhow!("{addr} cannot be bound ({e}): set BIND to an address of this machine"),
    })
}

/// What goes on beside the calls until the gateway closes.
fn background(app: &Arc<App>) -> JoinSet<()> {
    let mut tasks = JoinSet::new();
    keep(&mut tasks, app, "reaper", reaper::run);
    keep(&mut tasks, app, "retention", retention::run);
    keep(&mut tasks, app, "office", office::run);
    keep(&mut tasks, app, "recordings", recording::encode::run);
    keep(&mut tasks, app, "upkeep", maintenance::run);
    keep(&mut tasks, app, "documents", follow::run);
    keep(&mut tasks, app, "memory", memory::worker::run);
    keep(&mut tasks, app, "outbox", outbox::run);
    keep(&mut tasks, app, "alarms", alarms::run);
    keep(&mut tasks, app, "reviews", reviews::run);
    keep(&mut tasks, app, "dials", reconcile::run);
    keep(&mut tasks, app, "outreach_retries", retries::run);
    keep(&mut tasks, app, "campaigns", campaigns::run);
    keep(&mut tasks, app, "due_calls", due_calls::run);
    keep(&mut tasks, app, "damaged", quarantined_tenants::run);
    tasks
}

fn keep<T>(tasks: &mut JoinSet<()>, app: &Arc<App>, name: &'static str, run: fn(Arc<App>) -> T)
where
    T: Future<Output = ()> + Send + 'static,
{
    let app = app.clone();
    tasks.spawn(async move {
        app.loops.keep(name, app.stop.closing.clone(), || run(app.clone())).await;
    });
}

async fn warm(app: Arc<App>, engines: Box<dyn ProviderSource>, progress: Progress) -> anyhow::Result<()> {
    let loaded = engines.load(app.platform.clone(), progress).await?;
    watch_strain(&app, loaded.lineup.cpu_is_strain);
    let ready = Ready::warm(loaded, app.strain.clone(), app.stop.closing.clone()).await;
    tracing::info!(engines = ?ready.providers, "ready for calls");
    keep_servers(&app, &ready.providers.outside);
    let _ = app.ready.set(ready);
    // Passports of an earlier process have waited for organisational memory.
    app.reviewing.notify_one();
    Ok(())
}

/// One task a server of tools: keeps its list fresh, beside the calls.
fn keep_servers(app: &App, outside: &Outside) {
    for server in outside.servers() {
        let server = Arc::clone(server);
        let closing = app.stop.closing.clone();
        let seed = u64::from(rand::random::<u32>());
        let loops = app.loops.clone();
        tokio::spawn(async move {
            tokio::select! {
                () = loops.keep("tool_server", closing.clone(), || server.keep(seed)) => {}
                () = closing.cancelled() => {}
            }
        });
    }
}

fn watch_strain(app: &App, cpu_counts: bool) {
    if app.config.limits.refuse_when_strained {
        let (loops, gauge, closing) = (app.loops.clone(), app.strain.clone(), app.stop.closing.clone());
        tokio::spawn(async move {
            let begin = || {
                let strain = Strain::new(cpu_counts.then(|| admission::cores() as f32));
                load_sampler::run(gauge.clone(), strain, closing.clone())
            };
            loops.keep("sampler", closing.clone(), begin).await;
        });
    }
}

/// Serves until a stop is asked for, drained, and the last request has ended.
async fn serve(
    app: Arc<App>,
    listener: TcpListener,
    mut requests: drain::StopRequests,
    mut background: JoinSet<()>,
) {
    let closing = app.stop.closing.clone();
    let patience = Patience::from(&app.config.limits);
    let mut server = tokio::spawn(http_server::serve(listener, router(app.clone()), patience, closing));
    drain::run(&app, &mut requests).await;
    if tokio::time::timeout(LAST_REQUESTS, &mut server).await.is_err() {
        tracing::debug!("some HTTP connections were still open");
        server.abort();
    }
    // The data folder is free for another process when this returns; what is cut off here, that process goes on with.
    let ended = async { while background.join_next().await.is_some() {} };
    if tokio::time::timeout(LAST_WORK, ended).await.is_err() {
        background.shutdown().await;
    }
    if let Some(traces) = app.traces.clone() {
        let _ = tokio::task::spawn_blocking(move || traces.shutdown()).await;
    }
    app.platform.close().await;
    app.local_token.remove();
    tracing::info!("stopped");
}
