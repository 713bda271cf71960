//! What a recording costs: while the call is live (two sides onto one clock, sealed, written, synced), and after it.
//! CPU time of this thread, as the system counts it: other work on the machine does not show.

use std::fs;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result};
use benches::sealed_calls::{new_call, take};
use pipeline::recording::ogg_opus;
use pipeline::recording::sound::Sound;
use pipeline::recording::two_sides::{Segment, TwoSides};
use storage::recordings::files::RecordingFiles;
use storage::{Calls, NewTenant, Platform, PlatformOptions, Recordings};
use telephony::media::CallTime;

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
        take(&mut sides, n);
        if let Some(segment) = sides.ready(CallTime::from_ms(n * 20)) {
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

/// Nanoseconds that this thread has had a core.
fn cpu_ns() -> Result<u64> {
    let kept = fs::read_to_string("/proc/thread-self/schedstat")?;
    kept.split_whitespace().next().context("no figure")?.parse().context("no number")
}
