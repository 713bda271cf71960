//! How many calls at a time, and how many from one number.
//!
//! Quality before quantity: a call that the machine cannot serve well hears the busy message instead.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use dashmap::DashMap;
use storage::CallId;

use crate::config::Limits;

/// Calls one core serves well with embedded speech: recognition and synthesis take 3–6 % of a core while someone
/// talks, and a turn's work must not queue behind another's.
const EMBEDDED_CALLS_PER_CORE: usize = 8;
/// A bound against absurd numbers where speech is recognised elsewhere: there the measured strain decides.
const CLOUD_CALLS_PER_CORE: usize = 600;
/// Calls that a core serves however strained the machine is: with so few, the strain is somebody else's, and turning
/// callers away would relieve nobody.
const FEW_CALLS_PER_CORE: usize = 4;
/// Load from which no call is added.
const FULL_LOAD: f32 = 0.8;
/// Load below which calls are added again.
const EASED_LOAD: f32 = 0.7;
/// Of the places, as many of a hundred may be taken and rung for when a call of ours is placed: the rest is for who calls us.
const SHARE_OF_OURS: usize = 50;
/// A call of ours that was placed so long ago does not ring any more.
const RINGS: Duration = Duration::from_secs(120);
/// Numbers that are remembered for the rate limit.
const MAX_NUMBERS: usize = 10_000;

/// What may happen to a call that begins.
#[derive(Debug)]
pub enum Admission {
    /// It is served.
    Serve(Permit),
    /// It hears the busy message over its stream.
    Busy(Permit),
    /// Not even that.
    Refuse,
}

/// Bounds on concurrent calls.
#[derive(Debug)]
pub struct Capacity {
    calls: Arc<Slots>,
    busy: Arc<Slots>,
    /// Calls that are served however strained the machine is.
    few: usize,
    engines: Threshold,
    strain: Threshold,
    /// Calls of ours that ring: each may want a place at any moment.
    ringing: DashMap<CallId, Instant>,
}

/// Whether a load was too high and has not eased since.
#[derive(Debug, Default)]
struct Threshold(AtomicBool);

impl Threshold {
    /// Between the two bounds it stays as it was, so that callers are not let in and turned away by turns.
    fn is_passed(&self, load: f32) -> bool {
        if load >= FULL_LOAD {
            self.0.store(true, Ordering::Relaxed);
        } else if load < EASED_LOAD {
            self.0.store(false, Ordering::Relaxed);
        }
        self.0.load(Ordering::Relaxed)
    }
}

#[derive(Debug)]
struct Slots {
    taken: AtomicUsize,
    most: usize,
}

/// A place that is held until this is dropped.
#[derive(Debug)]
pub struct Permit(Arc<Slots>);

impl Drop for Permit {
    fn drop(&mut self) {
        self.0.taken.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Slots {
    fn new(most: usize) -> Arc<Self> {
        Arc::new(Self { taken: AtomicUsize::new(0), most })
    }

    fn take(self: &Arc<Self>) -> Option<Permit> {
        let more = |taken: usize| (taken < self.most).then_some(taken + 1);
        self.taken.fetch_update(Ordering::AcqRel, Ordering::Acquire, more).ok()?;
        Some(Permit(self.clone()))
    }

    fn taken(&self) -> usize {
        self.taken.load(Ordering::Acquire)
    }

    fn is_full(&self) -> bool {
        self.taken() >= self.most
    }
}

impl Capacity {
    /// `hears_locally`: speech is recognised on this machine.
    #[must_use]
    pub fn new(limits: &Limits, hears_locally: bool) -> Self {
        Self::on(cores(), limits, hears_locally)
    }

    /// On a machine with so many cores.
    pub(super) fn on(cores: usize, limits: &Limits, hears_locally: bool) -> Self {
        let a_core = if hears_locally { EMBEDDED_CALLS_PER_CORE } else { CLOUD_CALLS_PER_CORE };
        Self {
            calls: Slots::new(limits.max_calls.unwrap_or(cores * a_core)),
            busy: Slots::new(limits.max_busy_streams),
            few: cores * FEW_CALLS_PER_CORE,
            engines: Threshold::default(),
            strain: Threshold::default(),
            ringing: DashMap::new(),
        }
    }

    /// Calls that may be live at a time.
    #[must_use]
    pub fn most(&self) -> usize {
        self.calls.most
    }

    /// Takes a place for a stream that begins. `engines` is the use of the speech engines and `strain` how close the
    /// process is to serving its calls badly, each 0 to 1.
    #[must_use]
    pub fn admit(&self, engines: f32, strain: f32) -> Admission {
        // Both are looked at each time: a call that is one of few says nothing of whether the strain has eased.
        let (full, strained) = (self.engines.is_passed(engines), self.strain.is_passed(strain));
        let few = self.calls.taken() < self.few;
        if !full
            && (few || !strained)
            && let Some(permit) = self.calls.take()
        {
            return Admission::Serve(permit);
        }
        self.turn_away()
    }

    /// Takes a place for a caller who is only told why there is no call.
    #[must_use]
    pub fn turn_away(&self) -> Admission {
        self.busy.take().map_or(Admission::Refuse, Admission::Busy)
    }

    /// Calls of ours that may be placed. Who calls us goes first: there must be room to spare, and no strain while a call is
    /// live, however few there are.
    #[must_use]
    pub fn room_for_ours(&self, engines: f32, strain: f32, now: Instant) -> usize {
        let (full, strained) = (self.engines.is_passed(engines), self.strain.is_passed(strain));
        self.ringing.retain(|_, since| now.duration_since(*since) < RINGS);
        let (taken, most) = (self.calls.taken(), (self.calls.most * SHARE_OF_OURS / 100).max(1));
        let must_wait = full || strained && taken > 0;
        if must_wait { 0 } else { most.saturating_sub(taken + self.ringing.len()) }
    }

    /// Whether one of them may be.
    #[must_use]
    pub fn has_room_for_ours(&self, engines: f32, strain: f32, now: Instant) -> bool {
        self.room_for_ours(engines, strain, now) > 0
    }

    /// A call of ours is being placed.
    pub fn rings(&self, id: CallId, now: Instant) {
        self.ringing.insert(id, now);
    }

    /// It rings no more: it is over, or about to take its place.
    pub fn rings_no_more(&self, id: CallId) {
        self.ringing.remove(&id);
    }

    /// True when a stream that came now could not even be told that we are busy.
    #[must_use]
    pub fn is_exhausted(&self) -> bool {
        self.calls.is_full() && self.busy.is_full()
    }
}

/// Cores that this process may use.
#[must_use]
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// Calls that one number may start in a minute.
#[derive(Debug)]
pub struct NumberLimit {
    per_minute: Option<u32>,
    recent: DashMap<String, VecDeque<Instant>>,
}

impl NumberLimit {
    #[must_use]
    pub fn new(limits: &Limits) -> Self {
        Self { per_minute: limits.calls_per_number_per_minute, recent: DashMap::new() }
    }

    /// Counts a call from `number` and says whether it is within the limit.
    #[must_use]
    pub fn allows(&self, number: &str, now: Instant) -> bool {
        let Some(most) = self.per_minute else { return true };
        let minute = Duration::from_secs(60);
        if self.recent.len() >= MAX_NUMBERS {
            self.recent
                .retain(|_, times| times.back().is_some_and(|last| now.duration_since(*last) < minute));
        }
        let mut times = self.recent.entry(number.to_owned()).or_default();
        while times.front().is_some_and(|first| now.duration_since(*first) >= minute) {
            times.pop_front();
        }
        if times.len() >= most as usize {
            return false;
        }
        times.push_back(now);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(calls: usize, busy: usize) -> Limits {
        Limits { max_calls: Some(calls), max_busy_streams: busy, ..Limits::default() }
    }

    #[test]
    fn calls_beyond_capacity_hear_busy_and_beyond_that_are_refused() {
        let capacity = Capacity::new(&limits(1, 1), true);
        let first = capacity.admit(0.0, 0.0);
        assert!(matches!(first, Admission::Serve(_)));
        let second = capacity.admit(0.0, 0.0);
        assert!(matches!(second, Admission::Busy(_)));
        assert!(matches!(capacity.admit(0.0, 0.0), Admission::Refuse));
        assert!(capacity.is_exhausted());
        drop(first);
        assert!(matches!(capacity.admit(0.0, 0.0), Admission::Serve(_)));
        drop(second);
    }

    #[test]
    fn loaded_speech_engines_admit_nobody_although_places_are_free() {
        let capacity = Capacity::new(&limits(5, 1), true);
        assert!(matches!(capacity.admit(0.85, 0.0), Admission::Busy(_)));
    }

    #[test]
    fn a_strained_machine_admits_again_only_when_the_load_has_eased() {
        let capacity = Capacity::new(&limits(5, 5), false);
        assert!(matches!(capacity.admit(0.75, 0.0), Admission::Serve(_)), "not strained yet");
        assert!(matches!(capacity.admit(0.8, 0.0), Admission::Busy(_)));
        assert!(matches!(capacity.admit(0.75, 0.0), Admission::Busy(_)), "not eased yet");
        assert!(matches!(capacity.admit(0.69, 0.0), Admission::Serve(_)));
        assert!(matches!(capacity.admit(0.75, 0.0), Admission::Serve(_)));
    }

    #[test]
    fn strain_turns_callers_away_only_where_there_are_calls_to_protect() {
        let few = cores() * FEW_CALLS_PER_CORE;
        let capacity = Capacity::new(&limits(few * 2, 5), false);
        let served: Vec<_> = (0..few).map(|_| capacity.admit(0.0, 1.0)).collect();
        assert!(served.iter().all(|admission| matches!(admission, Admission::Serve(_))));
        assert!(matches!(capacity.admit(0.0, 1.0), Admission::Busy(_)));
        drop(served);
        assert!(matches!(capacity.admit(0.0, 1.0), Admission::Serve(_)));
    }

    #[test]
    fn a_call_that_is_one_of_few_does_not_end_the_strain() {
        for cores in [1, 2, 16, 96] {
            let few = cores * FEW_CALLS_PER_CORE;
            let capacity = Capacity::on(cores, &limits(few * 2, 5), false);
            let mut served: Vec<_> = (0..few).map(|_| capacity.admit(0.0, 0.0)).collect();
            assert!(matches!(capacity.admit(0.0, 0.9), Admission::Busy(_)), "{cores} cores");
            drop(served.pop());
            served.push(capacity.admit(0.0, 0.75));
            assert!(matches!(served.last(), Some(Admission::Serve(_))), "{cores} cores: one of few");
            assert!(matches!(capacity.admit(0.0, 0.75), Admission::Busy(_)), "{cores} cores: not eased yet");
            assert!(matches!(capacity.admit(0.0, 0.69), Admission::Serve(_)), "{cores} cores");
        }
    }

    #[test]
    fn a_call_of_ours_finds_room_only_while_there_is_much_of_it() {
        let now = Instant::now();
        let capacity = Capacity::new(&limits(4, 1), false);
        assert!(capacity.has_room_for_ours(0.0, 0.0, now));
        let served = capacity.admit(0.0, 0.0);
        assert!(capacity.has_room_for_ours(0.0, 0.0, now), "one of four is taken");
        let ours = CallId::new();
        capacity.rings(ours, now);
        assert!(!capacity.has_room_for_ours(0.0, 0.0, now), "half is taken, or rung for");
        assert!(matches!(capacity.admit(0.0, 0.0), Admission::Serve(_)), "who calls us goes first");
        capacity.rings_no_more(ours);
        assert!(capacity.has_room_for_ours(0.0, 0.0, now));
        capacity.rings(ours, now);
        assert!(capacity.has_room_for_ours(0.0, 0.0, now + RINGS), "nobody told that it is over");
        drop(served);
        assert!(Capacity::new(&limits(1, 1), false).has_room_for_ours(0.0, 0.0, now));
    }

    #[test]
    fn strain_keeps_calls_of_ours_back_even_where_few_are_served() {
        let now = Instant::now();
        let capacity = Capacity::new(&limits(8, 1), false);
        assert!(capacity.has_room_for_ours(0.0, 0.85, now), "no call of ours: the strain is somebody else's");
        let _one = capacity.admit(0.0, 0.0);
        assert!(!capacity.has_room_for_ours(0.0, 0.85, now));
        assert!(!capacity.has_room_for_ours(0.0, 0.75, now), "not eased yet");
        assert!(matches!(capacity.admit(0.0, 0.75), Admission::Serve(_)));
        assert!(capacity.has_room_for_ours(0.0, 0.6, now));
        assert!(!capacity.has_room_for_ours(0.9, 0.0, now), "the engines");
    }

    #[test]
    fn without_a_limit_of_the_operators_the_bound_follows_from_where_speech_is_recognised() {
        let most = |local| Capacity::new(&Limits::default(), local).most();
        assert_eq!((most(true), most(false)), (cores() * 8, cores() * 600));
    }

    #[test]
    fn a_number_is_limited_over_any_minute() {
        let limit = NumberLimit::new(&Limits { calls_per_number_per_minute: Some(2), ..Limits::default() });
        let start = Instant::now();
        assert!(limit.allows("a", start) && limit.allows("a", start + Duration::from_secs(30)));
        assert!(!limit.allows("a", start + Duration::from_secs(59)));
        assert!(limit.allows("b", start + Duration::from_secs(59)));
        assert!(limit.allows("a", start + Duration::from_secs(61)));
    }
}
