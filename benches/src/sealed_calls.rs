//! Recordings of calls as a gateway leaves them when a call is over and nothing is encoded yet.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result};
use chrono::Utc;
use pipeline::audio::g711::mulaw_encode;
use pipeline::recording::two_sides::{Taken, TwoSides};
use pipeline::tap::Side;
use storage::recordings::files::RecordingFiles;
use storage::records::{Direction, NewCall};
use storage::{CallId, Calls, Directory, NewTenant, Platform, PlatformOptions, Recordings, TenantStore};
use telephony::media::{AudioFrame, CallTime, FRAME_BYTES};

use crate::front_desk::LINE;

/// A day: no bench takes so long.
const LATER: Duration = Duration::from_secs(86_400);
/// Longer than the encoder waits for a caller to come back.
const LONG_OVER: Duration = Duration::from_secs(120);

/// One that the encoder leaves alone until it is released: its caller might still come back.
#[derive(Debug)]
pub struct HeldBack {
    pub call: CallId,
    file: PathBuf,
}

impl HeldBack {
    /// From now on the encoder takes it.
    ///
    /// # Errors
    /// When the file is gone.
    pub fn release(&self) -> Result<()> {
        dated(&self.file, SystemTime::now() - LONG_OVER)
    }
}

/// Leaves so many recordings in the data folder of the demo county, of so many seconds each.
///
/// # Errors
/// When the folder does not take them.
pub async fn leave(data: &Path, calls: usize, seconds: u64) -> Result<Vec<HeldBack>> {
    let platform = Platform::open(PlatformOptions::new(data)).await?;
    let known = platform.store().tenant_by_slug(gateway::demo::SLUG).await?;
    let tenant = match known {
        Some(tenant) => tenant.id,
        // The gateway goes on with a county that was begun.
        None => platform.create_tenant(county()).await?.id,
    };
    let store = platform.tenant(tenant).await?;
    let segments = segments(seconds);
    let mut left = Vec::new();
    for _ in 0..calls {
        left.push(one(data, &store, &segments).await?);
    }
    platform.close().await;
    Ok(left)
}

async fn one(data: &Path, store: &TenantStore, segments: &[Vec<u8>]) -> Result<HeldBack> {
    let call = store.begin_call(new_call()).await?.id;
    let key = Arc::new(store.begin_recording(call).await?.context("no key")?);
    let mut live = RecordingFiles::new(data).begin(store.id(), call, 0, key)?;
    for segment in segments {
        live.append(segment)?;
    }
    live.sync()?;
    store.capture_recording(call, 0).await?;
    store.end_call(call, "stream_lost", Utc::now()).await?;
    let folder = data.join("recordings").join(store.id().to_string()).join(call.to_string());
    let file = fs::read_dir(folder)?.next().context("no file of the recording")??.path();
    dated(&file, SystemTime::now() + LATER)?;
    Ok(HeldBack { call, file })
}

fn dated(file: &Path, at: SystemTime) -> Result<()> {
    Ok(File::options().append(true).open(file)?.set_modified(at)?)
}

/// A call of so many seconds in which the sides take turns, as it is sealed.
fn segments(seconds: u64) -> Vec<Vec<u8>> {
    let (mut sides, mut segments) = (TwoSides::default(), Vec::new());
    for n in 0..seconds * 50 {
        take(&mut sides, n);
        segments.extend(sides.ready(CallTime::from_ms(n * 20)).map(|segment| segment.to_bytes()));
    }
    let rest = sides.rest(CallTime::from_ms(seconds * 1_000));
    segments.extend(rest.map(|segment| segment.to_bytes()));
    segments
}

/// Both sides hand over a slot of 20 ms: four seconds the one speaks, four seconds the other.
pub fn take(sides: &mut TwoSides, n: u64) {
    let (at, caller) = (CallTime::from_ms(n * 20), (n / 200).is_multiple_of(2));
    sides.take(Taken::Frame { side: Side::Caller, at, frame: frame(n, caller) });
    sides.take(Taken::Frame { side: Side::Agent, at, frame: frame(n, !caller) });
}

/// Something like a voice, or silence.
fn frame(n: u64, speaks: bool) -> AudioFrame {
    if !speaks {
        return AudioFrame::SILENCE;
    }
    // Eight seconds hold whole waves; further on an `f32` would be too coarse.
    let within = (n % 400) as usize;
    let sample = |k: usize| {
        let t = (within * FRAME_BYTES + k) as f32 / 8_000.0;
        let buzz: f32 = (1..5).map(|h| (t * 140.0 * h as f32 * std::f32::consts::TAU).sin() / h as f32).sum();
        mulaw_encode((buzz * 6_000.0) as i16)
    };
    AudioFrame(std::array::from_fn(sample))
}

fn county() -> NewTenant {
    NewTenant {
        slug: gateway::demo::SLUG.to_owned(),
        name: "Riverbend County".to_owned(),
        timezone: "America/New_York".to_owned(),
    }
}

#[must_use]
pub fn new_call() -> NewCall {
    NewCall {
        id: CallId::new(),
        carrier_sid: None,
        line: LINE.to_owned(),
        caller: None,
        direction: Direction::Inbound,
        language: "en".to_owned(),
        passport_id: None,
        started_at: Utc::now(),
    }
}
