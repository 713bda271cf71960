//! The front desk: implements [`Responder`] around the pure dialogue, or around a language model with the dialogue
//! beside it.
//!
//! One task per call. A turn of the dialogue: what is asked for is searched (pure read), the dialogue takes a step
//! (pure), look-ups it wants are read and it steps again, then words go out. A speculative run stops there. A commit
//! makes the effects durable in one transaction, and only then are words spoken that promise them. A turn of a model
//! is in [`model`]; it makes its effects by the same functions.

use std::sync::Arc;

use chrono_tz::Tz;
use parking_lot::RwLock;
use pipeline::ports::{CallBrief, Language, PortError, ReplyStream, Responder};
use storage::TenantStore;
use tokio::sync::mpsc;
use uuid::Uuid;

use super::desk::{Desk, Shared};
use super::{call, model};
use dialogue::builtin::wording::{self, Refused};
use dialogue::builtin::{Dialogue, ScriptError, TenantFacts};
use dialogue::understanding::Understanding;
use governance::guard::Guard;
use governance::pii::{Guardian, Public};
use governance::rules::{RuleBook, RuleSet, Spoken, permitted};
use knowledge::Retriever;
use models::model::LanguageModel;
use work::teams::Teams;
use work::tools::registry::Policy;
use work::tools::remote::outside::Outside;

/// Bound of the command side, as the port says.
const COMMANDS: usize = 32;
/// Bound of the event side, as the port says.
const EVENTS: usize = 64;

/// The front desk of all tenants: built-in, or driven by a language model.
#[derive(Clone, Debug)]
pub struct FrontDesk {
    shared: Arc<Shared>,
    driver: Option<model::Driver>,
}

impl FrontDesk {
    /// A front desk without tenants yet.
    ///
    /// # Errors
    /// Only when the shipped data of the dialogue, of the prompt guard or of the rules is broken.
    pub fn new(retriever: Arc<Retriever>) -> Result<Self, ScriptError> {
        // Without a guard no call is taken. Its lists are read here, before a caller waits for them.
        Guard::shipped().map_err(|error| ScriptError::Missing(error.to_string()))?;
        // Turns are on record under the specialists of the team's file: it is read now, and not in the first of them.
        Teams::shipped().map_err(|error| ScriptError::Missing(error.to_string()))?;
        work::tools::front_desk::listed().map_err(|error| ScriptError::Missing(error.to_string()))?;
        RuleSet::check_shipped().map_err(|error| ScriptError::Missing(error.to_string()))?;
        let understanding = Understanding::new(retriever.embedder().cloned())
            .map_err(|error| ScriptError::Missing(error.to_string()))?;
        let shared = Shared {
            dialogue: Dialogue::front_desk()?,
            retriever,
            tenants: RwLock::default(),
            understanding,
        };
        Ok(Self { shared: Arc::new(shared), driver: None })
    }

    /// Has a language model answer the calls, and the built-in dialogue what the model cannot: emergencies and fixed
    /// words always, and with `builtin_as_fallback` whatever the model fails at.
    #[must_use]
    pub fn with_model(self, model: Arc<dyn LanguageModel>, builtin_as_fallback: bool) -> Self {
        Self {
            driver: Some(model::Driver {
                model,
                builtin_as_fallback,
                policy: Policy::default(),
                outside: Outside::default(),
                looker: None,
            }),
            ..self
        }
    }

    /// Has the replies of a model judged: each sentence against the pages before it is said, and the whole after it was,
    /// with a correction in the next turn where something that matters was wrong.
    #[must_use]
    pub fn with_second_look(mut self) -> Self {
        if let Some(driver) = &mut self.driver {
            driver.looker = Some(model::Looker::default());
        }
        self
    }

    /// What the model may do by itself at most, however good its agents' records are; the rest waits for a person.
    #[must_use]
    pub fn with_policy(mut self, policy: Policy) -> Self {
        if let Some(driver) = &mut self.driver {
            driver.policy = policy;
        }
        self
    }

    /// Servers whose tools the model may use beside our own.
    #[must_use]
    pub fn with_outside(mut self, outside: Outside) -> Self {
        if let Some(driver) = &mut self.driver {
            driver.outside = outside;
        }
        self
    }

    /// Takes a tenant's calls from now on, under the shipped rules, or under those it had before. Its own come with
    /// [`FrontDesk::put_rules`].
    pub fn put_tenant(&self, tenant: Uuid, store: TenantStore, facts: TenantFacts) {
        let zone = facts.timezone.parse().unwrap_or(Tz::UTC);
        // Calls under way keep the desk that they began at; the same book reaches them too.
        let known = self.shared.tenants.read().get(&tenant).map(|desk| desk.rules.clone());
        let rules = match known.map_or_else(|| RuleSet::load("", &facts.numbers()).map(book), Ok) {
            Ok(rules) => rules,
            // `FrontDesk::new` does not succeed then; without rules no call is taken.
            Err(error) => return tracing::error!(%error, "the shipped rules are broken"),
        };
        let facts = self.with_checked_wording(facts, &rules.current());
        self.shared.tenants.write().insert(tenant, Arc::new(Desk { tenant, store, facts, zone, rules }));
    }

    /// The facts with those of the tenant's own sentences that have the form and pass the rules.
    fn with_checked_wording(&self, mut facts: TenantFacts, rules: &RuleSet) -> TenantFacts {
        let shipped = |language| wording::shipped(self.shared.dialogue.script_in(language));
        let broken = |language, text: &str| {
            let broken = rules.check_words(&Spoken::new(text, language));
            broken.first().filter(|_| !permitted(&broken)).map(|found| format!("rule {}", found.rule.id))
        };
        let (kept, refused) = wording::checked(&facts, shipped, broken);
        for Refused { language, key, reason } in refused {
            tracing::warn!(
                language,
                key,
                reason,
                "a sentence of the tenant's is not said; the shipped one is"
            );
        }
        facts.wording = kept;
        facts
    }

    /// These rules hold for the tenant's next sentence, on every call that is under way.
    pub fn put_rules(&self, tenant: Uuid, set: RuleSet) {
        if let Some(desk) = self.shared.tenants.read().get(&tenant) {
            desk.rules.replace(set);
        }
    }

    /// Warms intent recognition up: embeds the examples of what may be wanted. Until it is done, and without a model,
    /// what was trained decides alone. The word lists of the redactors are read here too.
    pub async fn warm(&self) {
        let _ = Guardian::new();
        for intent in &self.shared.dialogue.script().intents {
            self.shared.understanding.learn(&intent.id, &intent.examples).await;
        }
    }

    /// What this tenant's callers hear in the same words every time, cut as it is spoken: for the cache.
    #[must_use]
    pub fn fixed_phrases(&self, tenant: Uuid) -> Vec<String> {
        self.fixed_phrases_in(tenant, Language::En)
    }

    /// The same in one language, for lines that speak it.
    #[must_use]
    pub fn fixed_phrases_in(&self, tenant: Uuid, language: Language) -> Vec<String> {
        let own = |facts: &TenantFacts| self.shared.dialogue.fixed_phrases_in(language, facts);
        let mut phrases = self.phrases(tenant, own);
        if self.driver.is_some() {
            phrases.extend(model::Live::fixed_phrases(language));
            phrases.extend(self.replacements(tenant, language));
        }
        cut(&phrases)
    }

    /// What a model-driven call says in the same words every time, whoever the tenant is.
    #[cfg(test)]
    pub(crate) fn own_phrases(language: Language) -> impl Iterator<Item = String> {
        model::Live::fixed_phrases(language)
    }

    /// What callers of a line without Spanish hear in Spanish all the same.
    #[must_use]
    pub fn notice_phrases(&self, tenant: Uuid) -> Vec<String> {
        cut(&self.phrases(tenant, |facts| self.shared.dialogue.notice_phrases(facts)))
    }

    /// What rules have said in place of what they stop.
    fn replacements(&self, tenant: Uuid, language: Language) -> Vec<String> {
        let desk = self.shared.tenants.read().get(&tenant).cloned();
        let said = |set: Arc<RuleSet>| {
            let all = set.rules().iter().filter_map(|rule| rule.replacement.as_ref());
            all.map(|phrasing| phrasing.of(language).to_owned()).collect()
        };
        desk.map_or_else(Vec::new, |desk| said(desk.rules.current()))
    }

    fn phrases(&self, tenant: Uuid, of: impl Fn(&TenantFacts) -> Vec<String>) -> Vec<String> {
        self.shared.tenants.read().get(&tenant).map_or_else(Vec::new, |desk| of(&desk.facts))
    }

    /// What the tenant publishes, in its facts and on its pages: never personal data.
    #[must_use]
    pub fn public(&self, tenant: Uuid) -> Public {
        let facts = self.shared.tenants.read().get(&tenant).map(|desk| desk.facts.public());
        facts.unwrap_or_default().with_pages(self.shared.retriever.public(tenant))
    }
}

impl Responder for FrontDesk {
    fn name(&self) -> &'static str {
        self.driver.as_ref().map_or("builtin", |driver| driver.model.name())
    }

    fn open(&self, brief: CallBrief) -> Result<ReplyStream, PortError> {
        let desk =
            self.shared.tenants.read().get(&brief.tenant).cloned().ok_or_else(|| PortError::Unavailable {
                what: "no front desk for this tenant".to_owned(),
                fix: "add it with put_tenant before taking calls".to_owned(),
            })?;
        let (commands, inbox) = mpsc::channel(COMMANDS);
        let (outbox, events) = mpsc::channel(EVENTS);
        let call = call::Call::new(self.shared.clone(), desk, brief, outbox, self.driver.as_ref());
        tokio::spawn(call.run(inbox));
        Ok(ReplyStream { commands, events })
    }
}

fn book(set: RuleSet) -> Arc<RuleBook> {
    Arc::new(RuleBook::new(set))
}

/// Phrases cut as they are spoken, each once.
fn cut(phrases: &[String]) -> Vec<String> {
    let mut cut: Vec<String> = phrases.iter().flat_map(|p| language::sentences(p)).collect();
    cut.sort_unstable();
    cut.dedup();
    cut
}

#[cfg(test)]
mod tests;
