//! Whoever we called wants no more calls: on the list before anything else is written, and before it is confirmed.

use storage::{CallId, Outreach};

use super::office::Office;
use dialogue::builtin::{Effect, Trouble};

/// Tries to put it on the list: a promise not to call is worth a second one.
const TRIES: usize = 2;

/// How they said so, if they did.
pub(super) fn source_of(effects: &[Effect]) -> Option<&str> {
    effects.iter().find_map(|effect| match effect {
        Effect::StopCalls { source } => Some(source.as_str()),
        _ => None,
    })
}

pub(super) fn stops(effects: &[Effect]) -> bool {
    source_of(effects).is_some()
}

/// Puts the number of the call on the list.
pub(super) async fn keep(office: &Office, source: &str) -> Result<(), Trouble> {
    let (store, call) = (&office.desk.store, CallId(office.brief.call.0));
    for _ in 0..TRIES {
        match store.opt_out(call, source).await {
            Ok(true) => return Ok(()),
            Ok(false) => {
                tracing::error!(call_id = %call, "a call of ours is not on record: its number could not be put on the list");
                return Err(Trouble::NotSaved);
            }
            Err(error) => tracing::error!(%error, call_id = %call, "a number could not be put on the list"),
        }
    }
    Err(Trouble::NotSaved)
}
