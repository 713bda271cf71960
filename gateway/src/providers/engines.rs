//! The engines that the configuration names, put together: each list as one port with fail-over behind it.

use std::path::PathBuf;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use models::failover::FailoverModel;
use models::model::LanguageModel;
use pipeline::audio::earshot::EarshotVad;
use pipeline::lexicon::Lexicon;
use pipeline::ports::{SpeechToText, TextToSpeech};
use pipeline::provider::{Member, Ranked};
use pipeline::session::SessionConfig;
use speech::LocalSpeech;
use speech::stt::failover::FailoverStt;
use speech::tts::cache::{CachedVoice, DEFAULT_MAX_BYTES, PhraseCache};
use speech::tts::failover::FailoverTts;
use storage::Platform;

use super::lineup::{Lineup, ProviderState, States};
use super::phrasebook::Phrasebook;
use super::phrases::{self, Rendered};
use super::recorded::Recorded;
use super::{Loaded, MakeVad, Progress, ProviderSource, Providers, ability, agent, cloud, embedded, renewal};
use crate::calls::vocabulary::Vocabulary;
use crate::config::{Config, Llm, Named, Stt, Tts};
use crate::quarantined_tenants;

/// Brings up what the lists name, and nothing else.
#[derive(Clone, Debug)]
pub struct Engines {
    config: Config,
    /// Folder of rendered phrases.
    phrases: PathBuf,
}

impl Engines {
    #[must_use]
    pub fn new(config: &Config) -> Self {
        Self { phrases: config.data_dir.join("phrases"), config: config.clone() }
    }

    async fn bring_up(self, platform: Platform, progress: Progress) -> anyhow::Result<Loaded> {
        let (lists, models) = (&self.config.providers, &self.config.models_dir);
        let speech = if lists.need_speech_models() {
            progress("loading the speech engines");
            Some(embedded::speech(models).await?)
        } else {
            None
        };
        progress("loading the search model");
        let retriever = Arc::new(embedded::retriever(models, lists).await?);
        embedded::index(&platform, &retriever, &progress).await?;
        let models = self.models()?;
        let outside = agent::outside(&platform, &self.config.mcp).await?;
        let desk =
            agent::start(&platform, retriever.clone(), self.model(&models), self.config.tools.policy())
                .await?;
        let desk = desk.with_outside(outside.clone());
        let recognisers = self.recognisers(speech.as_ref())?;
        let voices = self.voices(speech.as_ref())?;
        let states = states(&recognisers, &models, &voices.ranked);
        let tts = self.cached(&voices)?;
        let book = Phrasebook::new(&self.config, &desk, speech.is_some());
        let voices = phrases::Voices { cached: tts.clone(), standby: standby(speech.as_ref()) };
        let rendered = self.warm(&platform, &book, voices.clone(), progress).await?;
        let load = speech.clone();
        let providers = Providers {
            stt: one_recogniser(recognisers),
            tts,
            screen: agent::screens(&desk),
            adopt: agent::adopter(&desk),
            rules: agent::lawgiver(&desk),
            responder: Arc::new(desk),
            vad: self.vad(speech),
            retriever,
            outside,
            load: Arc::new(move || load.as_ref().map_or(0.0, LocalSpeech::load_figure)),
        };
        let model = self.model(&models).map(|(model, _)| model);
        let renew = renewal::begin(voices, book);
        let lineup = Lineup { renew, model, ..self.lineup(states, rendered) };
        Ok(Loaded { providers, lineup })
    }

    fn lineup(&self, states: States, rendered: Rendered) -> Lineup {
        let config = &self.config;
        let hears_locally = config.providers.hear_locally();
        let session = if hears_locally { SessionConfig::default() } else { SessionConfig::cloud() };
        let prices = config.prices.table(&ability::charged(config));
        let missing = config.prices.missing(&ability::charged(config));
        let guessed = config.prices.guessed(&ability::charged(config));
        if !guessed.is_empty() {
            tracing::warn!(
                models = guessed.join(", "),
                "no price is known: charged as the dearest of its family; add a row to [[prices]]"
            );
        }
        if !missing.is_empty() {
            tracing::warn!(
                missing = missing.join(", "),
                "no price is known: the cost of these counts as nothing"
            );
        }
        Lineup {
            session: SessionConfig { prices: Arc::new(prices), ..session },
            spoken: ability::spoken(config),
            states,
            rendered: Some(rendered),
            cpu_is_strain: !hears_locally,
            ..Lineup::default()
        }
    }

    fn recognisers(&self, speech: Option<&LocalSpeech>) -> anyhow::Result<Ranked<dyn SpeechToText>> {
        let mut members = Vec::new();
        for stt in &self.config.providers.stt {
            members.push(match (stt, speech) {
                (Stt::Local, Some(speech)) => Member::local(stt.name(), Arc::new(speech.recogniser()) as _),
                (Stt::Local, None) => continue,
                (remote, _) => Member::remote(stt.name(), cloud::recogniser(*remote, &self.config)?),
            });
        }
        Ok(Ranked::new(members))
    }

    fn models(&self) -> anyhow::Result<Ranked<dyn LanguageModel>> {
        let models = self.config.providers.models();
        let member = |llm: Llm| Ok(Member::remote(llm.name(), cloud::model(llm, &self.config)?));
        Ok(Ranked::new(models.map(member).collect::<anyhow::Result<_>>()?))
    }

    /// What answers calls: the models as one, or nothing where the built-in agent is asked first.
    fn model(&self, models: &Ranked<dyn LanguageModel>) -> Option<(Arc<dyn LanguageModel>, bool)> {
        let builtin = self.config.providers.llm.contains(&Llm::Builtin);
        let any = !models.members().is_empty();
        any.then(|| (Arc::new(FailoverModel::new(models.clone())) as Arc<dyn LanguageModel>, builtin))
    }

    fn voices(&self, speech: Option<&LocalSpeech>) -> anyhow::Result<Voices> {
        let spoken = ability::spoken(&self.config);
        let mut members = Vec::new();
        let mut first: Option<(Arc<dyn TextToSpeech>, String)> = None;
        for tts in &self.config.providers.tts {
            let (member, background, identity): (_, Arc<dyn TextToSpeech>, _) = match (tts, speech) {
                (Tts::Local, Some(speech)) => {
                    let voice = local_voice(speech);
                    let background = Arc::new(voice.in_background());
                    (Member::local(tts.name(), Arc::new(voice) as _), background, tts.name().to_owned())
                }
                (Tts::Local, None) => continue,
                (remote, _) => {
                    let made = cloud::voice(*remote, &self.config, &spoken)?;
                    (Member::remote(tts.name(), made.voice.clone()), made.voice, made.identity)
                }
            };
            members.push(member);
            first.get_or_insert((background, identity));
        }
        let Some((background, identity)) = first else { anyhow::bail!("TTS names no voice") };
        Ok(Voices { ranked: Ranked::new(members), background, identity })
    }

    fn cached(&self, voices: &Voices) -> anyhow::Result<Arc<CachedVoice>> {
        let cache = Arc::new(PhraseCache::open(&self.phrases, DEFAULT_MAX_BYTES)?);
        let voice: Arc<dyn TextToSpeech> = match voices.ranked.members() {
            [only] if only.is_local() => only.provider.clone(),
            _ => Arc::new(FailoverTts::new(voices.ranked.clone())),
        };
        let cached = CachedVoice::new(voice, voices.background.clone(), cache, Lexicon::new([]).version());
        Ok(Arc::new(cached.identified(voices.identity.clone())))
    }

    /// Renders what callers hear word for word. A voice on this machine is waited for; others only so long.
    async fn warm(
        &self,
        platform: &Platform,
        book: &Phrasebook,
        voices: phrases::Voices,
        progress: Progress,
    ) -> anyhow::Result<Rendered> {
        let mut batches = Vec::new();
        for (tenant, store) in quarantined_tenants::sound(platform).await? {
            let words = Vocabulary::read(&store).await?;
            batches.extend(book.of(tenant.id, &words.lexicon));
        }
        let local = self.config.providers.tts.first() == Some(&Tts::Local);
        let patience = (!local).then_some(phrases::PATIENCE);
        Ok(phrases::warm(voices, batches, patience, progress).await)
    }

    fn vad(&self, speech: Option<LocalSpeech>) -> MakeVad {
        match speech {
            Some(speech) if self.config.providers.hear_locally() => Arc::new(move || Box::new(speech.vad())),
            _ => Arc::new(|| Box::new(EarshotVad::default())),
        }
    }
}

impl ProviderSource for Engines {
    fn load(
        self: Box<Self>,
        platform: Platform,
        progress: Progress,
    ) -> BoxFuture<'static, anyhow::Result<Loaded>> {
        Box::pin(self.bring_up(platform, progress))
    }
}

/// The voices of the list, and the preferred one alone.
struct Voices {
    ranked: Ranked<dyn TextToSpeech>,
    background: Arc<dyn TextToSpeech>,
    identity: String,
}

/// Says the apologies ahead: the voice of this machine, or what it once recorded.
fn standby(speech: Option<&LocalSpeech>) -> Arc<dyn TextToSpeech> {
    match speech {
        Some(speech) => Arc::new(local_voice(speech).in_background()),
        None => Arc::new(Recorded),
    }
}

fn local_voice(speech: &LocalSpeech) -> speech::tts::local::LocalVoice {
    speech.voice().with_lexicon(Arc::new(Lexicon::new([])))
}

/// A single recogniser on this machine needs no fail-over around it.
fn one_recogniser(ranked: Ranked<dyn SpeechToText>) -> Arc<dyn SpeechToText> {
    match ranked.members() {
        [only] if only.is_local() => only.provider.clone(),
        _ => Arc::new(FailoverStt::new(ranked)),
    }
}

/// Asks all lists how their members stand. Who is alone and on this machine is not worth a line.
fn states(
    stt: &Ranked<dyn SpeechToText>,
    llm: &Ranked<dyn LanguageModel>,
    tts: &Ranked<dyn TextToSpeech>,
) -> States {
    fn of<P: ?Sized>(kind: &'static str, ranked: &Ranked<P>) -> Vec<ProviderState> {
        let state = |m: &Member<P>| ProviderState { kind, name: m.name(), is_well: m.is_well() };
        ranked.members().iter().map(state).collect()
    }
    let (stt, llm, tts) = (stt.clone(), llm.clone(), tts.clone());
    Arc::new(move || [of("stt", &stt), of("llm", &llm), of("tts", &tts)].concat())
}
