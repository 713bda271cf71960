//! The gateway under test as a process of its own, on a core of its own.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result};

/// Core of the gateway.
pub const GATEWAY_CORE: u32 = 0;
/// Core of callers and simulated providers.
pub const CALLERS_CORE: u32 = 1;

/// Argument by which this binary becomes the gateway instead of the bench.
pub const AS_GATEWAY: &str = "--gateway";

/// A running gateway; it goes when this is dropped.
#[derive(Debug)]
pub struct Gateway {
    child: Child,
    base: String,
}

impl Drop for Gateway {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Gateway {
    /// Starts this binary again as the gateway, in `folder` where one is given. It prints `listening URL` once it
    /// takes calls.
    pub fn start(environment: &[(&str, String)], folder: Option<&Path>) -> Result<Self> {
        let mut command = on_core(GATEWAY_CORE, &std::env::current_exe()?);
        command.arg(AS_GATEWAY).envs(environment.iter().map(|(name, value)| (name, value)));
        if let Some(folder) = folder {
            command.current_dir(folder);
        }
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        let out = child.stdout.take().context("no output of the child")?;
        let mut lines = BufReader::new(out).lines();
        let base = lines.find_map(|line| line.ok()?.strip_prefix("listening ").map(str::to_owned));
        let mut errors = child.stderr.take().context("no errors of the child")?;
        let Some(base) = base else {
            let mut said = String::new();
            let _ = errors.read_to_string(&mut said);
            anyhow::bail!("the gateway did not come up: {said}");
        };
        // Whoever writes into a full pipe stands still.
        std::thread::spawn(move || std::io::copy(&mut errors, &mut std::io::sink()));
        Ok(Self { child, base })
    }

    #[must_use]
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    #[must_use]
    pub fn base(&self) -> &str {
        &self.base
    }
}

/// A command whose process, with all its threads, stays on one core from its beginning.
fn on_core(core: u32, program: &Path) -> Command {
    if !has_taskset(core) {
        println!("(taskset is missing, or core {core}: gateway and callers share the cores)");
        return Command::new(program);
    }
    let mut command = Command::new("taskset");
    command.args(["-c", &core.to_string()]).arg(program);
    command
}

fn has_taskset(core: u32) -> bool {
    let tried =
        Command::new("taskset").args(["-c", &core.to_string(), "true"]).stderr(Stdio::null()).status();
    tried.is_ok_and(|status| status.success())
}

/// Keeps all threads of a process on one core.
pub fn pin(pid: u32, core: u32) {
    let core = core.to_string();
    let pinned = Command::new("taskset")
        .args(["-a", "-c", "-p", &core, &pid.to_string()])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    if !pinned.is_ok_and(|status| status.success()) {
        println!("(taskset is missing, or core {core}: gateway and callers share the cores)");
    }
}
