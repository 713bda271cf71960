//! Whether somebody comes to an appointment that we reminded them of: noted on its request before it is confirmed.

use storage::WorkItems;
use storage::transfers::BY_AGENT;
use storage::work_acts::{NewWorkAct, WorkActed, WorkMove};

use super::office::Office;
use dialogue::builtin::{Effect, Trouble};

/// The request, and whether they come.
pub(super) fn answer_of(effects: &[Effect]) -> Option<(&str, bool)> {
    effects.iter().find_map(|effect| match effect {
        Effect::Attend { item, coming } => Some((item.as_str(), *coming)),
        _ => None,
    })
}

pub(super) async fn note(office: &Office, reference: &str, coming: bool) -> Result<(), Trouble> {
    let text = if coming {
        "Called about the appointment: they said that they will come."
    } else {
        "Called about the appointment: they said that they cannot come."
    };
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
            tracing::error!(reference, "whether somebody comes could not be noted: their request is gone");
            Err(Trouble::NotSaved)
        }
        Err(error) => {
            tracing::error!(%error, reference, "whether somebody comes could not be noted");
            Err(Trouble::NotSaved)
        }
    }
}
