//! The gateway under soak: a process of its own, with the wiring of `quandura serve`, that can be killed.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use gateway::config::Config;
use gateway::providers::engines::Engines;
use gateway::startup::Gateway;
use parking_lot::Mutex;
use tests::home::Home;
use tokio::time::{Instant, sleep};

/// Names the data folder, in the child's environment.
const CHILD_DIR: &str = "QUANDURA_TEST_CHILD_DIR";
/// The gateway's settings, as the TOML file would have them.
const CHILD_SETTINGS: &str = "QUANDURA_TEST_CHILD_SETTINGS";

/// Run in the child: a gateway, until it is killed or asked to stop.
pub async fn serve() {
    let dir = std::env::var_os(CHILD_DIR).expect("the parent names the data folder");
    let dir = std::path::Path::new(&dir);
    let below = |name: &str| dir.join(name).display().to_string();
    std::fs::create_dir_all(dir.join("models")).unwrap();
    let fixed =
        [("BIND", "127.0.0.1:0".to_owned()), ("DATA_DIR", below("data")), ("MODELS_DIR", below("models"))];
    let text = std::env::var(CHILD_SETTINGS).unwrap_or_default();
    let mut config = Config::from_text(&text, "quandura.toml", &|name| {
        let fixed = fixed.iter().find(|(var, _)| *var == name).map(|(_, value)| value.clone());
        fixed.or_else(|| std::env::var(name).ok())
    })
    .unwrap();
    config.limits.drain = Duration::from_secs(2);
    config.limits.refuse_when_strained = false;
    let engines = Engines::new(&config);
    let mut running = Gateway::start(config, engines, Arc::new(|_: &str| {})).await.unwrap();
    running.ready().await.unwrap();
    println!("listening http://{}", running.addr);
    let mut terminate = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()).unwrap();
    terminate.recv().await;
    running.shutdown().await;
}

/// What a process holds on to.
#[derive(Clone, Copy, Debug)]
pub struct Footprint {
    pub resident_kb: u64,
    pub descriptors: usize,
}

/// The running child, and how to start it again.
#[derive(Debug)]
pub struct Process {
    home: Home,
    vars: Vec<(&'static str, String)>,
    settings: &'static str,
    running: Mutex<Option<(Child, String)>>,
}

impl Process {
    #[must_use]
    pub fn new(home: Home, vars: Vec<(&'static str, String)>, settings: &'static str) -> Self {
        Self { home, vars, settings, running: Mutex::new(None) }
    }

    /// Where it listens; `None` while it is down.
    #[must_use]
    pub fn base(&self) -> Option<String> {
        self.running.lock().as_ref().map(|(_, base)| base.clone())
    }

    /// Starts it and waits until it takes calls.
    pub async fn start(&self) -> Result<()> {
        let mut child = Command::new(std::env::current_exe()?)
            .args(["gateway_process", "--exact", "--ignored", "--nocapture"])
            .env(CHILD_DIR, self.home.dir.path())
            .env(CHILD_SETTINGS, self.settings)
            .envs(self.vars.iter().map(|(name, value)| (name, value)))
            .stdout(Stdio::piped())
            .stderr(self.log()?)
            .spawn()?;
        let out = child.stdout.take().context("no output of the gateway")?;
        let base = tokio::task::spawn_blocking(move || {
            let mut lines = BufReader::new(out).lines();
            let base = lines
                .find_map(|line| line.ok()?.split_once("listening ").map(|(_, base)| base.trim().to_owned()));
            // Whoever writes into a full pipe stands still.
            std::thread::spawn(move || lines.for_each(drop));
            base
        })
        .await?;
        let Some(base) = base else {
            let status = child.wait()?;
            anyhow::bail!("the gateway did not come up ({status}): {}", self.last_words());
        };
        *self.running.lock() = Some((child, base));
        Ok(())
    }

    fn log(&self) -> Result<std::fs::File> {
        let path = self.home.dir.path().join("gateway.err");
        Ok(std::fs::File::options().create(true).append(true).open(path)?)
    }

    /// The end of what it wrote to its error output.
    #[must_use]
    pub fn last_words(&self) -> String {
        let all = std::fs::read_to_string(self.home.dir.path().join("gateway.err")).unwrap_or_default();
        let from = all.char_indices().rev().nth(2_000).map_or(0, |(at, _)| at);
        all[from..].to_owned()
    }

    /// `kill -9`: nothing is finished, nothing is said.
    pub fn kill(&self) {
        if let Some((mut child, _)) = self.running.lock().take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    /// Asks it to end, as a rolling upgrade does, and waits until it has.
    pub async fn terminate(&self) -> Result<()> {
        let Some((mut child, _)) = self.running.lock().take() else { return Ok(()) };
        Command::new("kill").args(["-TERM", &child.id().to_string()]).status()?;
        let end = Instant::now() + Duration::from_secs(30);
        while child.try_wait()?.is_none() {
            if Instant::now() > end {
                let _ = child.kill();
                let _ = child.wait();
                anyhow::bail!("the gateway did not end within 30 s of SIGTERM");
            }
            sleep(Duration::from_millis(50)).await;
        }
        Ok(())
    }

    /// What it holds now; `None` while it is down.
    #[must_use]
    pub fn footprint(&self) -> Option<Footprint> {
        let pid = self.running.lock().as_ref()?.0.id();
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
        let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
        let descriptors = std::fs::read_dir(format!("/proc/{pid}/fd")).ok()?.count();
        Some(Footprint {
            resident_kb: resident.trim().trim_end_matches(" kB").trim().parse().ok()?,
            descriptors,
        })
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}
