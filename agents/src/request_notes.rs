//! What whoever we called answers about a request: noted on it before it is confirmed.

use storage::WorkItems;
use storage::transfers::BY_AGENT;
use storage::work_acts::{NewWorkAct, WorkActed, WorkMove};

use super::office::Office;
use dialogue::builtin::{Effect, Trouble};

/// The requests, and what is to be noted on each.
pub(super) fn of(effects: &[Effect]) -> impl Iterator<Item = (&str, &str)> {
    effects.iter().filter_map(|effect| match effect {
        Effect::NoteOn { item, text } => Some((item.as_str(), text.as_str())),
        _ => None,
    })
}

pub(super) async fn note(office: &Office, reference: &str, text: &str) -> Result<(), Trouble> {
    let store = &office.desk.store;
    let noted = async {
        let Some(item) = store.work_item(reference).await? else { return Ok(false) };
        let made = WorkMove::Note(text.to_owned());
        let act = NewWorkAct { item: item.id, actor: BY_AGENT.to_owned(), made };
        Ok::<_, storage::StorageError>(matches!(store.act_on_work_item(act).await?, WorkActed::Made(_)))
    };
    match noted.await {
        Ok(true) => Ok(()),
        Ok(false) => {
            tracing::error!(reference, "an answer could not be noted: its request is gone");
            Err(Trouble::NotSaved)
        }
        Err(error) => {
            tracing::error!(%error, reference, "an answer could not be noted on its request");
            Err(Trouble::NotSaved)
        }
    }
}
