//! The call's Passport in hand, and whatever is written with it.

use std::sync::Arc;

use super::desk::now;
use super::effects::{self, Committed, Recorder, TurnWork};
use super::no_calls;
use super::office::Office;
use super::request_notes;
use super::transfer;
use dialogue::builtin::{Effect, Trouble};
use work::department::teams_of;
use work::passport::Versioned;
use work::teams::Teams;

/// What one call has written.
#[derive(Debug, Default)]
pub(super) struct Books {
    passport: Option<Versioned>,
    /// The tenant's teams, as they were at the call's first entry.
    teams: Option<Arc<Teams>>,
    /// Something was filed on this call.
    pub(super) filed: bool,
}

impl Books {
    /// Writes a turn's work in one transaction, once for its key.
    pub(super) async fn write(&mut self, office: &Office, work: TurnWork<'_>) -> Result<Committed, Trouble> {
        // Before all else: it holds even where the rest cannot be written.
        if let Some(source) = no_calls::source_of(work.effects) {
            no_calls::keep(office, source).await?;
        }
        for (item, text) in request_notes::of(work.effects) {
            request_notes::note(office, item, text).await?;
        }
        let at = now();
        let (desk, brief) = (&*office.desk, &office.brief);
        let target = transfer::target_of(work.effects);
        let line = transfer::line_act(work.effects).cloned();
        let urgent = work.effects.iter().any(|effect| matches!(effect, Effect::MarkUrgent { .. }));
        let mut held = match self.passport.take() {
            Some(held) => held,
            None => effects::passport(desk, brief, at).await.map_err(|error| {
                tracing::error!(%error, "the passport could not be read");
                Trouble::NotSaved
            })?,
        };
        if self.teams.is_none() {
            self.teams = teams_of(&desk.store).await;
        }
        let by = Recorder { desk, teams: self.teams.as_deref() };
        let done = effects::commit(by, brief, &mut held, work, at).await;
        self.passport = Some(held);
        if let (Ok(_), Some((target, about))) = (&done, target) {
            transfer::ask(office, &target, about).await?;
        }
        if let (Ok(_), Some(act)) = (&done, line) {
            transfer::line(office, &act).await?;
        }
        if urgent {
            transfer::hurry(office).await;
        }
        self.filed |= done.as_ref().is_ok_and(|done| !done.references.is_empty());
        done
    }
}
