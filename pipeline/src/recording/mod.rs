//! A call's two sides as the caller heard them: taken while it is live ([`leg`], [`two_sides`]), put together when it is over
//! ([`sound`]), encoded (`ogg_opus`). Who keeps it where is the gateway's and storage's business.

pub mod leg;
#[cfg(feature = "opus")]
pub mod ogg_opus;
pub mod sound;
pub mod two_sides;

use thread_priority::{ThreadPriority, ThreadPriorityValue, set_current_thread_priority};

/// Does work that may wait on a thread of its own, after everything else that the machine has to do. Blocks; `None` when
/// the work panicked.
pub fn at_low_priority<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let quiet = move || {
        // Best effort: a container may forbid it.
        if let Ok(value) = ThreadPriorityValue::try_from(5_u8) {
            let _ = set_current_thread_priority(ThreadPriority::Crossplatform(value));
        }
        work()
    };
    std::thread::Builder::new().name("encode".to_owned()).spawn(quiet).ok()?.join().ok()
}
