//! What the providers of the lists can do, and what they charge for.

use pipeline::ports::{Language, Meter};

use crate::config::prices::Charged;
use crate::config::{Cloud, Config, Llm, Named, Stt, Tts};

const ENGLISH: &[Language] = &[Language::En];
const BOTH: &[Language] = &[Language::En, Language::Es];

/// Languages that a recogniser understands, as far as its model's name tells.
#[must_use]
pub fn hears(stt: Stt, cloud: &Cloud) -> &'static [Language] {
    let begins = |model: &str, starts: &[&str]| starts.iter().any(|start| model.starts_with(start));
    match stt {
        Stt::Deepgram if begins(&cloud.deepgram.model, &["nova-3", "nova-2"]) => BOTH,
        Stt::Flux if cloud.deepgram.flux_model.contains("multi") => BOTH,
        Stt::Local => BOTH,
        Stt::Deepgram | Stt::Flux => ENGLISH,
    }
}

/// Languages that a voice speaks.
#[must_use]
pub fn speaks(tts: Tts, cloud: &Cloud) -> &'static [Language] {
    let english_only = ["eleven_flash_v2", "eleven_turbo_v2", "eleven_monolingual_v1"];
    match tts {
        Tts::ElevenLabs if !english_only.contains(&cloud.elevenlabs.model.as_str()) => BOTH,
        Tts::Deepgram if !cloud.deepgram.voice_es.is_empty() => BOTH,
        Tts::Local => BOTH,
        Tts::ElevenLabs | Tts::Deepgram => ENGLISH,
    }
}

/// Languages in which a conversation is offered: those of the preferred recogniser and the preferred voice. What a
/// standby cannot do is no reason to offer less, and what only a standby can do is none to offer more.
#[must_use]
pub fn spoken(config: &Config) -> Vec<Language> {
    let heard = config.providers.stt.first().map_or(ENGLISH, |stt| hears(*stt, &config.cloud));
    let voiced = config.providers.tts.first().map_or(ENGLISH, |tts| speaks(*tts, &config.cloud));
    heard.iter().copied().filter(|language| voiced.contains(language)).collect()
}

/// Everything that the lists may use and that has a price, under the names by which usage is reported.
#[must_use]
pub fn charged(config: &Config) -> Vec<Charged> {
    const AUDIO: &[Meter] = &[Meter::AudioMs];
    const CHARACTERS: &[Meter] = &[Meter::Characters];
    const TOKENS: &[Meter] =
        &[Meter::InputTokens, Meter::CacheReadTokens, Meter::CacheWriteTokens, Meter::OutputTokens];
    const PLAIN_TOKENS: &[Meter] = &[Meter::InputTokens, Meter::CacheReadTokens, Meter::OutputTokens];
    let (lists, cloud) = (&config.providers, &config.cloud);
    let of = |provider, model: &str, meters| Charged { provider, model: model.to_owned(), meters };
    let mut charged = vec![of(config.carrier.name.as_str(), "*", &[Meter::LineMs])];
    charged.extend(lists.stt.iter().filter_map(|stt| match stt {
        Stt::Deepgram => Some(of(stt.name(), &cloud.deepgram.model, AUDIO)),
        Stt::Flux => Some(of(stt.name(), &cloud.deepgram.flux_model, AUDIO)),
        Stt::Local => None,
    }));
    charged.extend(lists.llm.iter().filter_map(|llm| match llm {
        Llm::Anthropic => Some(of(llm.name(), &cloud.anthropic.model, TOKENS)),
        Llm::OpenAi => Some(of(llm.name(), &cloud.openai.model, PLAIN_TOKENS)),
        Llm::Builtin => None,
    }));
    for tts in &lists.tts {
        match tts {
            Tts::ElevenLabs => charged.push(of(tts.name(), &cloud.elevenlabs.model, CHARACTERS)),
            Tts::Deepgram => {
                charged.push(of(tts.name(), &cloud.deepgram.voice, CHARACTERS));
                charged.push(of(tts.name(), &cloud.deepgram.voice_es, CHARACTERS));
            }
            Tts::Local => {}
        }
    }
    charged
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(text: &str, vars: &[(&str, &str)]) -> Config {
        let vars: Vec<(String, String)> =
            vars.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        Config::from_text(text, "x", &move |name| {
            vars.iter().find(|(k, _)| k == name).map(|(_, v)| v.clone())
        })
        .unwrap()
    }

    const KEYS: [(&str, &str); 4] = [
        ("DEEPGRAM_API_KEY", "d"),
        ("ELEVENLABS_API_KEY", "e"),
        ("ANTHROPIC_API_KEY", "a"),
        ("OPENAI_API_KEY", "o"),
    ];

    #[test]
    fn spanish_is_offered_when_the_preferred_recogniser_and_voice_can() {
        assert_eq!(spoken(&config("", &KEYS)), BOTH);
        assert_eq!(
            spoken(&config(
                "stt = [\"local\", \"deepgram\"]
",
                &KEYS
            )),
            BOTH
        );
        assert_eq!(hears(Stt::Local, &config("", &[]).cloud), BOTH);
        assert_eq!(
            spoken(&config(
                "tts = [\"local\"]
",
                &KEYS
            )),
            BOTH
        );
        let english = "[deepgram]\nflux_model = \"flux-general-en\"\n";
        assert_eq!(spoken(&config(&format!("stt = [\"deepgram-flux\"]\n{english}"), &KEYS)), ENGLISH);
        assert_eq!(spoken(&config("[elevenlabs]\nmodel = \"eleven_flash_v2\"\n", &KEYS)), ENGLISH);
    }

    #[test]
    fn this_machine_speaks_what_its_recogniser_hears() {
        let alone = config("", &[]);
        assert_eq!(alone.providers.tts, [Tts::Local]);
        assert_eq!(spoken(&alone), hears(Stt::Local, &alone.cloud));
        let english = "[deepgram]\nmodel = \"base\"\n";
        let deaf = format!("stt = [\"deepgram\"]\ntts = [\"local\"]\n{english}");
        assert_eq!(spoken(&config(&deaf, &KEYS)), ENGLISH, "a voice alone is no conversation");
    }

    #[test]
    fn everything_that_is_used_by_default_has_a_price() {
        let config = config("", &KEYS);
        assert_eq!(config.prices.missing(&charged(&config)), Vec::<String>::new());
        assert_eq!(charged(&config).len(), 1 + 2 + 2 + 3);
    }
}
