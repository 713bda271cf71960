//! What the system says of this process: CPU time, memory, start. Linux; elsewhere nothing is said.

use std::fmt::Write as _;
use std::fs;
use std::time::Duration;

/// Ticks a second in which Linux counts CPU time for programs, on every architecture.
const TICKS: u64 = 100;

/// CPU time used so far, of all threads.
#[must_use]
pub fn cpu_time() -> Option<Duration> {
    read_cpu_time(&fs::read_to_string("/proc/self/stat").ok()?)
}

/// Memory that is resident, bytes.
#[must_use]
pub fn resident_bytes() -> Option<u64> {
    read_resident(&fs::read_to_string("/proc/self/status").ok()?)
}

/// When the process began, seconds since 1970.
#[must_use]
pub fn start_time() -> Option<f64> {
    let began = field(&fs::read_to_string("/proc/self/stat").ok()?, 22)?;
    let system = fs::read_to_string("/proc/stat").ok()?;
    let booted: u64 = system.lines().find_map(|l| l.strip_prefix("btime "))?.trim().parse().ok()?;
    Some(booted as f64 + began as f64 / TICKS as f64)
}

/// The standard metrics of a process in Prometheus text.
#[must_use]
pub fn metrics() -> String {
    let mut text = String::new();
    let mut say = |name: &str, kind: &str, help: &str, value: Option<f64>| {
        if let Some(value) = value {
            let _ = write!(text, "# HELP {name} {help}\n# TYPE {name} {kind}\n{name} {value}\n\n");
        }
    };
    let cpu = cpu_time().map(|time| time.as_secs_f64());
    say("process_cpu_seconds_total", "counter", "CPU time used by all threads.", cpu);
    let resident = resident_bytes().map(|bytes| bytes as f64);
    say("process_resident_memory_bytes", "gauge", "Memory that is resident.", resident);
    say("process_start_time_seconds", "gauge", "Start of the process, since 1970.", start_time());
    text
}

fn read_cpu_time(stat: &str) -> Option<Duration> {
    let ticks = field(stat, 14)? + field(stat, 15)?;
    Some(Duration::from_millis(ticks * 1_000 / TICKS))
}

fn read_resident(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|kilobytes| kilobytes * 1_024)
}

/// A numbered field of `/proc/self/stat`, from 1. The second is the name in brackets, which may hold spaces.
fn field(stat: &str, number: usize) -> Option<u64> {
    let rest = stat.rsplit_once(')')?.1;
    rest.split_whitespace().nth(number.checked_sub(3)?)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_spaces_and_brackets_moves_no_field() {
        let stat = "12 (a (b) c) S 1 12 12 0 -1 4194560 1 0 0 0 250 150 0 0 20 0 9 0 777 5 6";
        assert_eq!(read_cpu_time(stat), Some(Duration::from_secs(4)));
        assert_eq!(field(stat, 22), Some(777));
    }

    #[test]
    fn the_running_process_is_described() {
        let text = metrics();
        for name in
            ["process_cpu_seconds_total", "process_resident_memory_bytes", "process_start_time_seconds"]
        {
            let value = text.lines().find_map(|l| l.strip_prefix(name)?.trim().parse::<f64>().ok());
            assert!(value.is_some_and(|v| v > 0.0) || name.contains("cpu"), "{name}: {text}");
        }
        let status = "Name:\tx\nVmRSS:\t    2048 kB\n";
        assert_eq!(read_resident(status), Some(2 << 20));
    }
}
