//! What a recording costs: while the call is live (two sides onto one clock, sealed, written, synced), and after it.
//! CPU time of this thread, as the system counts it: other work on the machine does not show.

use std::fs;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result};
use pipeline::audio::g711::mulaw_encode;
use pipeline::recording::sound::Sound;
use pipeline::recording::two_sides::{Segment, TwoSides};
use pipeline::recording::{Taken, ogg_opus};
use pipeline::tap::Side;
use storage::recordings::files::RecordingFiles;
use storage::records::{Direction, NewCall};
use storage::{CallId, Calls, NewTenant, Platform, PlatformOptions, Recordings};
use telephony::media::{AudioFrame, CallTime, FRAME_BYTES};

/// Seconds of the call.
const SECONDS: u64 = 600;

fn main() -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let dir = tempfile::tempdir()?;
    let platform = runtime.block_on(Platform::open(PlatformOptions::new(dir.path())))?;
    let (tenant, call, key) = runtime.block_on(async {
        let new = NewTenant {
            slug: "bench".to_owned(),
            name: "Bench County".to_owned(),
            timezone: "UTC".to_owned(),
        };
        let store = platform.tenant(platform.create_tenant(new).await?.id).await?;
        let call = store.begin_call(new_call()).await?.id;
        let key = store.begin_recording(call).await?.context("no key")?;
        anyhow::Ok((store.id(), call, Arc::new(key)))
    })?;
    let files = RecordingFiles::new(dir.path());
    let mut live = files.begin(tenant, call, 0, Arc::clone(&key))?;
    let (mut sides, mut syncs) = (TwoSides::default(), Vec::new());
    let began = cpu_ns()?;
    for n in 0..SECONDS * 50 {
        let at = CallTime::from_ms(n * 20);
        sides.take(Taken::Frame { side: Side::Caller, at, frame: frame(n, n / 200 % 2 == 0) });
        sides.take(Taken::Frame { side: Side::Agent, at, frame: frame(n, n / 200 % 2 == 1) });
        if let Some(segment) = sides.ready(at) {
            live.append(&segment.to_bytes())?;
            let sync = Instant::now();
            live.sync()?;
            syncs.push(sync.elapsed());
        }
    }
    // A tenth of it is the frames of this bench itself: it counts against us.
    let live_ns = cpu_ns()? - began;
    syncs.sort();
    let per_second = live_ns as f64 / SECONDS as f64 / 1e3;
    println!(
        "while live: {per_second:.0} us of CPU a second of a call ({:.3} % of a core)",
        per_second / 1e4
    );
    println!(
        "  sync, median {:?}, 95th percentile {:?}",
        syncs[syncs.len() / 2],
        syncs[syncs.len() * 95 / 100]
    );

    let began = cpu_ns()?;
    let mut sound = Sound::default();
    files.read_live(tenant, call, &key, |bytes| {
        if let Some(segment) = Segment::from_bytes(bytes) {
            sound.add(&segment);
        }
    })?;
    let file = ogg_opus::encode(&sound)?;
    let after = (cpu_ns()? - began) as f64 / 1e9;
    let hour = 3_600.0 / SECONDS as f64;
    println!("after: {:.1} s of CPU for an hour, {:.1} MB", after * hour, file.len() as f64 * hour / 1e6);
    let began = cpu_ns()?;
    let samples = ogg_opus::decode(&file)?;
    println!("taken out as WAV: {:.1} s of CPU for an hour", (cpu_ns()? - began) as f64 / 1e9 * hour);
    anyhow::ensure!(samples.len() == sound.caller.len() * 2, "the length changed");
    Ok(())
}

/// Something like a voice, or silence.
fn frame(n: u64, speaks: bool) -> AudioFrame {
    if !speaks {
        return AudioFrame::SILENCE;
    }
    let sample = |k: usize| {
        let t = (n as usize * FRAME_BYTES + k) as f32 / 8_000.0;
        let buzz: f32 = (1..5).map(|h| (t * 140.0 * h as f32 * std::f32::consts::TAU).sin() / h as f32).sum();
        mulaw_encode((buzz * 6_000.0) as i16)
    };
    AudioFrame(std::array::from_fn(sample))
}

fn new_call() -> NewCall {
    NewCall {
        id: CallId::new(),
        carrier_sid: None,
        line: "+12025550100".to_owned(),
        caller: None,
        direction: Direction::Inbound,
        language: "en".to_owned(),
        passport_id: None,
        started_at: chrono::Utc::now(),
    }
}

/// Nanoseconds that this thread has had a core.
fn cpu_ns() -> Result<u64> {
    let kept = fs::read_to_string("/proc/thread-self/schedstat")?;
    kept.split_whitespace().next().context("no figure")?.parse().context("no number")
}
