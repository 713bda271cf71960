//! Which passwords are taken, and how they are kept: argon2id, off the threads that serve calls.

use std::collections::HashSet;
use std::sync::{Arc, LazyLock};

use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use argon2::{Algorithm, Argon2, Params, Version};
use secrecy::{ExposeSecret, SecretString};
use storage::User;
use thread_priority::{ThreadPriority, ThreadPriorityValue, set_current_thread_priority};
use tokio::sync::{Semaphore, oneshot};
use unicode_normalization::UnicodeNormalization;

use crate::error::{ApiError, ErrorCode};

/// Characters of a password, at least and at most.
pub const SHORTEST: usize = 12;
pub const LONGEST: usize = 256;
/// What must be left of a password beside the user's own name and login.
const OWN_PART: usize = 8;
/// Different characters, at least.
const DIFFERENT: usize = 5;

/// As OWASP recommends: 19 MiB, two passes, one lane.
const MEMORY_KIB: u32 = 19 * 1024;
const PASSES: u32 = 2;
const LANES: u32 = 1;
/// Hashes at a time, and those that may wait for their turn: a flood of sign-ins leaves the machine to the calls.
const AT_ONCE: usize = 2;
const WAITING: usize = 32;
/// Below the threads of speech.
const PRIORITY: u8 = 5;

/// Made with the same settings from no password: whoever signs in as nobody waits as long as everybody else.
const NOBODY: &str =
    "$argon2id$v=19$m=19456,t=2,p=1$cXVhbmR1cmEgbm9ib2R5$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

static COMMON: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    let lines = include_str!("../../data/common_passwords.txt").lines();
    lines.map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')).collect()
});

/// Why a password is not taken, for the person who chose it.
pub fn unfit(password: &SecretString, user: &User) -> Option<String> {
    let password = normal(password.expose_secret());
    let chars = password.chars().count();
    if chars < SHORTEST {
        return Some(format!("has {chars} characters; it needs {SHORTEST}"));
    }
    if chars > LONGEST {
        return Some(format!("has more than {LONGEST} characters"));
    }
    let lower = password.to_lowercase();
    if lower.chars().collect::<HashSet<_>>().len() < DIFFERENT {
        return Some("repeats a few characters".to_owned());
    }
    let word = lower.trim_end_matches(|c: char| !c.is_alphabetic());
    if COMMON.contains(lower.as_str()) || COMMON.contains(word) || is_a_row(&lower) {
        return Some("is one of those that are guessed first".to_owned());
    }
    let names = format!("{} {}", user.login, user.display_name).to_lowercase();
    let mut names: Vec<_> =
        names.split(|c: char| !c.is_alphanumeric()).filter(|name| name.len() > 2).collect();
    names.sort_by_key(|name| std::cmp::Reverse(name.len()));
    let rest = names.iter().fold(lower, |rest, name| rest.replace(name, ""));
    if rest.chars().filter(|c| c.is_alphanumeric()).count() < OWN_PART {
        return Some("is little more than your own name".to_owned());
    }
    None
}

/// `abcdef…`, `123456…` and their like backwards.
fn is_a_row(text: &str) -> bool {
    let codes: Vec<i64> = text.chars().map(|c| i64::from(u32::from(c))).collect();
    let steps: HashSet<i64> = codes.windows(2).map(|pair| pair[1] - pair[0]).collect();
    // From 9 to 0 it goes on.
    steps.iter().all(|step| [1, -9].contains(step)) || steps.iter().all(|step| [-1, 9].contains(step))
}

/// The same letters are the same password, whichever keyboard put them together.
fn normal(password: &str) -> String {
    password.nfkc().collect()
}

/// Makes and checks hashes, a few at a time. Clones share their places.
#[derive(Clone, Debug)]
pub struct Hasher {
    places: Arc<Semaphore>,
    waiting: Arc<Semaphore>,
}

impl Default for Hasher {
    fn default() -> Self {
        Self {
            places: Arc::new(Semaphore::new(AT_ONCE)),
            waiting: Arc::new(Semaphore::new(AT_ONCE + WAITING)),
        }
    }
}

impl Hasher {
    /// What is kept of a password.
    pub async fn hash(&self, password: SecretString) -> Result<String, ApiError> {
        let hashed = self.run(move || {
            let password = normal(password.expose_secret());
            Some(argon2()?.hash_password(password.as_bytes()).ok()?.to_string())
        });
        hashed.await?.ok_or_else(|| ApiError::internal(&"a password could not be hashed"))
    }

    /// Whether this is the password that was kept; takes as long where none was.
    pub async fn matches(&self, password: SecretString, kept: Option<String>) -> Result<bool, ApiError> {
        let (kept, is_known) = kept.map_or_else(|| (NOBODY.to_owned(), false), |kept| (kept, true));
        let checked = self.run(move || {
            let password = normal(password.expose_secret());
            let kept = PasswordHash::new(&kept).ok()?;
            Some(argon2()?.verify_password(password.as_bytes(), &kept).is_ok())
        });
        match checked.await? {
            Some(is_right) => Ok(is_right && is_known),
            None => Err(ApiError::internal(&"a password that is kept cannot be read")),
        }
    }

    /// Runs on a thread of its own, which ends with it: what is left of the password goes too.
    async fn run<T: Send + 'static>(&self, job: impl FnOnce() -> T + Send + 'static) -> Result<T, ApiError> {
        let busy = || {
            ApiError::new(ErrorCode::ServiceUnavailable, "too many people sign in at this moment")
                .retry_after(5)
                .advise("try again in some seconds")
        };
        let waiting = self.waiting.clone().try_acquire_owned().map_err(|_| busy())?;
        let place = self.places.clone().acquire_owned().await.map_err(|_| busy())?;
        let (done, answer) = oneshot::channel();
        let thread = std::thread::Builder::new().name("password".to_owned());
        let started = thread.spawn(move || {
            // Best effort: a container may forbid it.
            if let Ok(value) = ThreadPriorityValue::try_from(PRIORITY) {
                let _ = set_current_thread_priority(ThreadPriority::Crossplatform(value));
            }
            let _ = done.send(job());
            // Kept until the work is over, even where nobody waits for it any more.
            drop((place, waiting));
        });
        started.map_err(|error| ApiError::internal(&error))?;
        answer.await.map_err(|_| ApiError::internal(&"the work on a password ended early"))
    }
}

fn argon2() -> Option<Argon2<'static>> {
    let params = Params::new(MEMORY_KIB, PASSES, LANES, None).ok()?;
    Some(Argon2::new(Algorithm::Argon2id, Version::V0x13, params))
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use storage::{Role, UserId};

    use super::*;

    fn pat() -> User {
        User {
            id: UserId::new(),
            tenant_id: None,
            login: "pat.lee@river.example".to_owned(),
            display_name: "Patricia Lee".to_owned(),
            role: Role::Clerk,
            created_at: chrono::DateTime::UNIX_EPOCH,
        }
    }

    #[test]
    fn length_counts_and_composition_does_not() {
        for taken in [
            "wombats eat grass",
            "aaaaabbbbcde",
            "ñandúes en la pampa",
            "patricia runs at dawn",
            &"x1y2z".repeat(51),
        ] {
            assert_eq!(unfit(&taken.into(), &pat()), None, "{taken}");
        }
    }

    #[test]
    fn what_is_guessed_first_is_refused_with_its_reason() {
        for (refused, why) in [
            ("wombats", "has 7 characters"),
            (&*"x1y2z".repeat(52), "more than 256"),
            ("abababababab", "repeats"),
            ("Password2026!", "guessed first"),
            ("Administrator1", "guessed first"),
            ("qwertyuiop123", "guessed first"),
            ("123456789012", "guessed first"),
            ("zyxwvutsrqponm", "guessed first"),
            ("PatriciaLee2026", "your own name"),
            ("pat.lee@river1", "your own name"),
        ] {
            let said = unfit(&refused.into(), &pat()).unwrap_or_default();
            assert!(said.contains(why), "{refused}: {said}");
            assert!(!said.contains(refused));
        }
    }

    #[tokio::test]
    async fn a_hash_is_argon2id_with_the_settings_of_owasp_and_knows_its_password() {
        let hasher = Hasher::default();
        let kept = hasher.hash("wombats eat grass".into()).await.unwrap();
        assert!(kept.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{kept}");
        assert!(hasher.matches("wombats eat grass".into(), Some(kept.clone())).await.unwrap());
        assert!(!hasher.matches("wombats eat grass ".into(), Some(kept.clone())).await.unwrap());
        let (one, other) = ("año nuevo en casa", "an\u{303}o nuevo en casa");
        let accent = hasher.hash(one.into()).await.unwrap();
        assert!(hasher.matches(other.into(), Some(accent)).await.unwrap());
        assert!(hasher.matches("x".into(), Some("broken".to_owned())).await.is_err());
    }

    #[tokio::test]
    async fn whoever_is_nobody_takes_as_long() {
        let hasher = Hasher::default();
        let kept = hasher.hash("wombats eat grass".into()).await.unwrap();
        let shortest = async |kept: Option<String>| {
            let mut shortest = Duration::MAX;
            for _ in 0..5 {
                let began = Instant::now();
                assert!(!hasher.matches("no".into(), kept.clone()).await.unwrap());
                shortest = shortest.min(began.elapsed());
            }
            shortest
        };
        let (somebody, nobody) = (shortest(Some(kept)).await, shortest(None).await);
        assert!(nobody * 2 > somebody && somebody * 2 > nobody, "{somebody:?} and {nobody:?}");
    }

    #[tokio::test]
    async fn a_flood_waits_for_two_places_and_the_rest_is_turned_away() {
        let hasher = Hasher::default();
        let held = hasher.places.clone().acquire_many_owned(2).await.unwrap();
        let mut waiting: Vec<_> = (0..AT_ONCE + WAITING + 3)
            .map(|_| {
                let hasher = hasher.clone();
                tokio::spawn(async move { hasher.run(|| ()).await })
            })
            .collect();
        let refused = waiting.split_off(AT_ONCE + WAITING);
        for refused in refused {
            assert!(refused.await.unwrap().is_err());
        }
        drop(held);
        for served in waiting {
            served.await.unwrap().unwrap();
        }
    }
}
