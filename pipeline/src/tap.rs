//! Lets people listen to a call. Nobody listens: one atomic read a frame, and no buffer.
//!
//! All listeners share one bounded ring. Whoever is slow finds the oldest frames gone and knows how many; the call never
//! waits for them.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

use telephony::media::{AudioFrame, CallTime};
use tokio::sync::broadcast;

/// Frames that wait for the slowest listener: about two and a half seconds of both sides.
pub const RING: usize = 256;

/// Whose sound it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    Caller,
    Agent,
    /// A person of the office who has the call.
    Person,
}

/// What can be heard on a call, in order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sound {
    /// 20 ms. `hidden`: it may hold a secret, or nobody may hear it yet, so it is silence. `private`: for whoever has the call
    /// alone, since the caller was told of nobody else.
    Frame { side: Side, at: CallTime, frame: AudioFrame, hidden: bool, private: bool },
    /// What was sent to the caller and not played yet was dropped.
    Cleared { at: CallTime },
}

/// Where a call's sound can be tapped.
#[derive(Debug, Default)]
pub struct Tap {
    listeners: Arc<AtomicU32>,
    /// Made for the first listener.
    ring: OnceLock<broadcast::Sender<Sound>>,
}

/// One listener. Ends with [`broadcast::error::RecvError::Closed`] when the call is over.
#[derive(Debug)]
pub struct Listening {
    pub sounds: broadcast::Receiver<Sound>,
    listeners: Arc<AtomicU32>,
}

impl Tap {
    /// Listens from now on.
    #[must_use]
    pub fn listen(&self) -> Listening {
        let sounds = self.ring.get_or_init(|| broadcast::Sender::new(RING)).subscribe();
        self.listeners.fetch_add(1, Ordering::Release);
        Listening { sounds, listeners: Arc::clone(&self.listeners) }
    }

    /// How many listen now.
    #[must_use]
    pub fn listeners(&self) -> u32 {
        self.listeners.load(Ordering::Acquire)
    }

    /// 20 ms of one side. What is hidden is silent for everybody who listens.
    pub fn frame(&self, side: Side, at: CallTime, frame: &AudioFrame, hidden: bool, private: bool) {
        if self.listeners() > 0 {
            let frame = if hidden { AudioFrame::SILENCE } else { *frame };
            self.tell(Sound::Frame { side, at, frame, hidden, private });
        }
    }

    /// The caller hears no more of what was sent.
    pub fn cleared(&self, at: CallTime) {
        if self.listeners() > 0 {
            self.tell(Sound::Cleared { at });
        }
    }

    fn tell(&self, sound: Sound) {
        if let Some(ring) = self.ring.get() {
            // The last listener may have left a moment ago.
            let _ = ring.send(sound);
        }
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.listeners.fetch_sub(1, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use telephony::media::FRAME_BYTES;
    use tokio::sync::broadcast::error::TryRecvError;

    use super::*;

    const LOUD: AudioFrame = AudioFrame([0x20; FRAME_BYTES]);

    #[test]
    fn nobody_listens_and_nothing_is_kept() {
        let tap = Tap::default();
        tap.frame(Side::Caller, CallTime::ZERO, &LOUD, false, false);
        assert!(tap.ring.get().is_none());
        let mut first = tap.listen();
        assert_eq!(first.sounds.try_recv(), Err(TryRecvError::Empty));
        drop(first);
        assert_eq!(tap.listeners(), 0);
        tap.cleared(CallTime::ZERO);
        assert!(tap.ring.get().unwrap().is_empty());
    }

    #[test]
    fn a_slow_listener_loses_the_oldest_and_knows_how_many() {
        let tap = Tap::default();
        let (mut slow, mut quick) = (tap.listen(), tap.listen());
        for n in 0..RING as u64 + 10 {
            tap.frame(Side::Agent, CallTime::from_ms(n * 20), &LOUD, false, false);
            assert!(quick.sounds.try_recv().is_ok());
        }
        assert_eq!(slow.sounds.try_recv(), Err(TryRecvError::Lagged(10)));
        let Ok(Sound::Frame { at, .. }) = slow.sounds.try_recv() else { panic!("no frame") };
        assert_eq!(at, CallTime::from_ms(200));
    }

    #[test]
    fn what_may_be_a_secret_is_silent() {
        let tap = Tap::default();
        let mut listening = tap.listen();
        tap.frame(Side::Caller, CallTime::ZERO, &LOUD, true, false);
        let (side, at, frame, hidden) = (Side::Caller, CallTime::ZERO, AudioFrame::SILENCE, true);
        let silence = Sound::Frame { side, at, frame, hidden, private: false };
        assert_eq!(listening.sounds.try_recv(), Ok(silence));
        drop(tap);
        assert_eq!(listening.sounds.try_recv(), Err(TryRecvError::Closed));
    }
}
