//! A call is to go to a person: on record before the caller is told, so that the carrier's question finds it after a restart too.

use pipeline::ports::Language;
use storage::transfers::{BY_AGENT, NewTransfer};
use storage::{CallId, Transfers};

use super::office::Office;
use dialogue::builtin::{Effect, Target, Trouble};

/// The target among the effects, and what it is about, if there is one.
pub(super) fn target_of(effects: &[Effect]) -> Option<(String, String)> {
    effects.iter().find_map(|effect| match effect {
        Effect::PutThrough { target, about } => Some((target.clone(), about.clone())),
        Effect::File(_) | Effect::MarkUrgent { .. } | Effect::AskStaff { .. } => None,
    })
}

/// Whom this call can be put through to now, in a language. Not where it just came back from.
pub(super) fn open(office: &Office, language: Language) -> Vec<&Target> {
    let hand_over = &office.brief.hand_over;
    let came_from = hand_over.returned.as_ref().map(|returned| returned.target.as_str());
    let open = office.desk.facts.open_targets(office.today(), language);
    open.filter(|target| hand_over.is_possible && came_from != Some(target.name.as_str())).collect()
}

/// Puts the transfer on record.
pub(super) async fn ask(office: &Office, target: &str, about: String) -> Result<(), Trouble> {
    let Some(target) = office.desk.facts.targets.iter().find(|known| known.name == target) else {
        return Err(Trouble::NotSaved);
    };
    let new = NewTransfer {
        call: CallId(office.brief.call.0),
        actor: BY_AGENT.to_owned(),
        target: target.name.clone(),
        number: target.number.clone(),
        language: office.brief.language.code().to_owned(),
        about,
        warm: target.warm,
    };
    match office.desk.store.begin_transfer(new).await {
        Ok(_) => Ok(()),
        Err(error) => {
            tracing::error!(%error, "a transfer could not be put on record");
            Err(Trouble::NotSaved)
        }
    }
}

/// The caller went on instead: they stay.
pub(super) async fn take_back(office: &Office) {
    if let Err(error) = office.desk.store.drop_transfer(CallId(office.brief.call.0)).await {
        tracing::error!(%error, "a transfer could not be taken back");
    }
}
