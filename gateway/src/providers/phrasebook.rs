//! Which sentences the callers of a tenant hear word for word, in which language, and who can say them ahead.

use std::collections::BTreeSet;
use std::sync::Arc;

use agents::FrontDesk;
use pipeline::lexicon::Lexicon;
use pipeline::ports::{Language, Saying};
use pipeline::session::Phrases;
use storage::TenantId;

use super::ability;
use super::notices::Notice;
use super::phrases::Batch;
use super::recorded::Recorded;
use crate::config::Config;

/// What the front desk and the session say in the same words on every call.
#[derive(Clone, Debug)]
pub struct Phrasebook {
    desk: FrontDesk,
    /// Languages in which conversations are held.
    spoken: Vec<Language>,
    /// The preferred voice says the Spanish notices of a line without Spanish.
    says_notices: bool,
    /// The voice of this machine can say anything ahead; otherwise there are recordings.
    has_embedded_voice: bool,
}

impl Phrasebook {
    #[must_use]
    pub fn new(config: &Config, desk: &FrontDesk, has_embedded_voice: bool) -> Self {
        let says_notices = config
            .providers
            .tts
            .first()
            .is_some_and(|tts| ability::speaks(*tts, &config.cloud).contains(&Language::Es));
        Self { desk: desk.clone(), spoken: ability::spoken(config), says_notices, has_embedded_voice }
    }

    /// A tenant's, with its pronunciations: for each language what is rendered ahead.
    #[must_use]
    pub fn of(&self, tenant: TenantId, lexicon: &Arc<Lexicon>) -> Vec<Batch> {
        let saying = |language| Saying { language, lexicon: lexicon.clone() };
        let mut batches: Vec<Batch> = self
            .spoken
            .iter()
            .map(|language| Batch {
                saying: saying(*language),
                texts: self.texts(tenant, *language),
                apologies: self.apologies(*language),
            })
            .collect();
        if !self.spoken.contains(&Language::Es) {
            // Decision 25: that Spanish is not spoken is said in Spanish, by whoever can.
            let notices = self.desk.notice_phrases(tenant.0);
            let texts = if self.says_notices { notices.clone() } else { Vec::new() };
            let apologies = if self.has_embedded_voice { notices } else { Vec::new() };
            batches.push(Batch { saying: saying(Language::Es), texts, apologies });
        }
        batches
    }

    /// Ours first: they are what is left when everything else fails.
    fn texts(&self, tenant: TenantId, language: Language) -> Vec<String> {
        let mut texts = ours(language);
        texts.extend(self.desk.fixed_phrases_in(tenant.0, language));
        let mut seen = BTreeSet::new();
        texts.retain(|text| seen.insert(text.clone()));
        texts
    }

    fn apologies(&self, language: Language) -> Vec<String> {
        if self.has_embedded_voice { ours(language) } else { Recorded::texts(language) }
    }
}

/// What the session says itself, and the notices.
fn ours(language: Language) -> Vec<String> {
    let phrases = match language {
        Language::En => Phrases::default(),
        Language::Es => Phrases::spanish(),
    };
    let notices = Notice::ALL.iter().map(|notice| notice.text(language).to_owned());
    phrases.all().into_iter().chain(notices).collect()
}

#[cfg(test)]
mod tests {
    use knowledge::Retriever;
    use storage::{Directory, Platform, PlatformOptions};

    use super::*;
    use crate::demo;

    const KEYS: [&str; 4] = ["DEEPGRAM_API_KEY", "ELEVENLABS_API_KEY", "ANTHROPIC_API_KEY", "OPENAI_API_KEY"];

    /// The book of the demo tenant.
    async fn book(text: &str, has_embedded_voice: bool) -> (Phrasebook, TenantId, FrontDesk) {
        let dir = tempfile::tempdir().unwrap();
        let platform = Platform::open(PlatformOptions::new(dir.path())).await.unwrap();
        demo::seed_first_start(&platform).await.unwrap();
        let tenant = platform.store().tenant_by_slug(demo::SLUG).await.unwrap().unwrap();
        let desk = FrontDesk::new(Arc::new(Retriever::lexical())).unwrap();
        let facts = demo::facts(&platform, &tenant).await.unwrap();
        desk.put_tenant(tenant.id.0, platform.tenant(tenant.id).await.unwrap(), facts);
        let key = |name: &str| KEYS.contains(&name).then(|| "k".to_owned());
        let config = Config::from_text(text, "x", &key).unwrap();
        (Phrasebook::new(&config, &desk, has_embedded_voice), tenant.id, desk)
    }

    fn in_spanish(batches: &[Batch]) -> &Batch {
        batches.iter().find(|batch| batch.saying.language == Language::Es).unwrap()
    }

    #[tokio::test]
    async fn where_spanish_is_spoken_all_that_is_said_alike_in_it_is_rendered_ahead() {
        let (book, tenant, desk) = book("", false).await;
        let batches = book.of(tenant, &Arc::default());
        assert_eq!(batches.len(), 2);
        let spanish = in_spanish(&batches);
        let of_desk = desk.fixed_phrases_in(tenant.0, Language::Es);
        assert!(of_desk.len() > 80, "greeting, questions, answers: {}", of_desk.len());
        let budget = Notice::Budget.text(Language::Es).to_owned();
        for wanted in of_desk.iter().chain(&Phrases::spanish().all()).chain([&budget]) {
            assert!(spanish.texts.contains(wanted), "{wanted}");
        }
        for apology in [Phrases::spanish().call_back_promised, Phrases::spanish().out_of_order] {
            assert!(spanish.apologies.contains(&apology), "{apology}");
        }
    }

    #[tokio::test]
    async fn where_spanish_is_not_spoken_its_notices_are_rendered_by_whoever_can_say_them() {
        let english = "[deepgram]\nmodel = \"base\"\nflux_model = \"flux-general-en\"\n";
        let local = format!("tts = [\"local\"]\nllm = [\"builtin\"]\n{english}");
        let mute = "[elevenlabs]\nmodel = \"eleven_flash_v2\"\n";
        for (config, embedded, texts, apologies) in [
            (local.as_str(), true, true, true),
            (english, false, true, false),
            (mute, true, false, true),
            (mute, false, false, false),
        ] {
            let (book, tenant, desk) = book(config, embedded).await;
            let notices = desk.notice_phrases(tenant.0);
            assert!(!notices.is_empty());
            let batches = book.of(tenant, &Arc::default());
            let spanish = in_spanish(&batches);
            assert_eq!(spanish.texts == notices, texts, "{config}");
            assert_eq!(spanish.apologies == notices, apologies, "{config}");
        }
    }
}
