//! Lists, accounts and budgets as an operator writes them.

use super::*;
use crate::config::{Config, ConfigError};

fn load(text: &str, vars: &[(&str, &str)]) -> Result<Config, ConfigError> {
    let vars: Vec<(String, String)> = vars.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
    Config::from_text(text, "quandura.toml", &move |name| {
        vars.iter().find(|(k, _)| k == name).map(|(_, v)| v.clone())
    })
}

fn refused(text: &str, vars: &[(&str, &str)]) -> String {
    load(text, vars).unwrap_err().to_string()
}

#[test]
fn without_keys_the_embedded_engines_serve_alone() {
    let lists = load("", &[]).unwrap().providers;
    assert_eq!((lists.stt.as_slice(), lists.llm.as_slice()), (&[Stt::Local][..], &[Llm::Builtin][..]));
    assert!(lists.are_embedded() && lists.need_speech_models() && lists.hear_locally());
}

#[test]
fn an_absent_list_takes_every_provider_with_a_key_and_then_the_embedded_one() {
    let keys = [
        ("DEEPGRAM_API_KEY", "d"),
        ("ELEVENLABS_API_KEY", "e"),
        ("ANTHROPIC_API_KEY", "a"),
        ("OPENAI_API_KEY", "o"),
    ];
    let lists = load("", &keys).unwrap().providers;
    assert_eq!(lists.stt, [Stt::Deepgram, Stt::Flux, Stt::Local]);
    assert_eq!(lists.llm, [Llm::Anthropic, Llm::OpenAi, Llm::Builtin]);
    assert_eq!(lists.tts, [Tts::ElevenLabs, Tts::Deepgram, Tts::Local]);
    let one = load("", &keys[1..2]).unwrap().providers;
    assert_eq!((one.stt, one.tts), (vec![Stt::Local], vec![Tts::ElevenLabs, Tts::Local]));
}

#[test]
fn a_list_that_is_given_is_complete_and_keeps_its_order() {
    let vars = [("DEEPGRAM_API_KEY", "d"), ("STT", "deepgram-flux, deepgram"), ("TTS", "deepgram")];
    let config = load("llm = [\"builtin\"]\n", &vars).unwrap();
    assert_eq!(config.providers.stt, [Stt::Flux, Stt::Deepgram]);
    assert_eq!(config.providers.tts, [Tts::Deepgram]);
    assert!(!config.providers.need_speech_models() && !config.providers.hear_locally());
}

#[test]
fn a_provider_without_its_key_is_refused_with_the_variable_that_lacks() {
    let error = refused("", &[("STT", "deepgram,local"), ("LLM", "anthropic"), ("TTS", "elevenlabs")]);
    for (list, name, variable) in [
        ("STT", "deepgram", "DEEPGRAM_API_KEY"),
        ("LLM", "anthropic", "ANTHROPIC_API_KEY"),
        ("TTS", "elevenlabs", "ELEVENLABS_API_KEY"),
    ] {
        assert!(error.contains(&format!("{list}: `{name}` has no key; set {variable}")), "{error}");
    }
}

#[test]
fn a_server_of_ones_own_needs_no_key_but_an_address() {
    assert!(refused("", &[("LLM", "openai")]).contains("OPENAI_BASE_URL"));
    let local = [("LLM", "openai"), ("OPENAI_BASE_URL", "http://127.0.0.1:8081/v1")];
    assert_eq!(load("", &local).unwrap().providers.llm, [Llm::OpenAi]);
    let unused = load("", &local[1..]).unwrap();
    assert_eq!(unused.providers.llm, [Llm::Builtin], "no key is set");
    assert!(unused.notices[0].contains("OPENAI_BASE_URL"), "{:?}", unused.notices);
}

#[test]
fn an_unknown_or_repeated_name_is_refused_with_the_choices() {
    let error = refused("", &[("STT", "whisper"), ("TTS", "local,local")]);
    assert!(
        error.contains("STT: `whisper` is not a choice; choose from deepgram, deepgram-flux, local"),
        "{error}"
    );
    assert!(error.contains("TTS: names `local` twice"), "{error}");
    assert!(refused("stt = []\n", &[]).contains("names nobody"));
}

#[test]
fn plain_text_to_another_machine_needs_to_be_allowed() {
    let far = [("DEEPGRAM_API_KEY", "s3cret"), ("DEEPGRAM_BASE_URL", "ws://10.0.0.5:9000")];
    let error = refused("", &far);
    assert!(error.contains("DEEPGRAM_BASE_URL: 10.0.0.5 is not encrypted"), "{error}");
    assert!(error.contains("providers.allow_plaintext") && !error.contains("s3cret"), "{error}");
    let allowed = load("[providers]\nallow_plaintext = true\n", &far).unwrap();
    assert_eq!(allowed.cloud.deepgram.account.endpoint.host(), "10.0.0.5");
    let near = [far[0], ("DEEPGRAM_BASE_URL", "http://127.0.0.1:9000/v1")];
    assert!(load("", &near).is_ok());
}

#[test]
fn an_address_that_holds_a_key_is_refused_without_repeating_it() {
    let error = refused("", &[("OPENAI_BASE_URL", "https://s3cret@api.example.com")]);
    assert!(error.contains("OPENAI_BASE_URL: holds a user name") && !error.contains("s3cret"), "{error}");
}

#[test]
fn models_have_defaults_and_the_environment_wins_over_the_file() {
    let text =
        "[anthropic]\nmodel = \"from-file\"\nversion = \"2023-06-01\"\n[deepgram]\nvoice = \"aura-2-x-en\"\n";
    let cloud = load(text, &[("ANTHROPIC_MODEL", "from-env")]).unwrap().cloud;
    assert_eq!(
        (cloud.anthropic.model.as_str(), cloud.anthropic.version.as_str()),
        ("from-env", "2023-06-01")
    );
    assert_eq!((cloud.deepgram.model.as_str(), cloud.deepgram.voice.as_str()), ("nova-3", "aura-2-x-en"));
    assert!(!cloud.openai.account.is_moved && cloud.openai.account.endpoint.is_secure());
    assert!(refused("", &[("DEEPGRAM_MODEL", "nova 3")]).contains("no name of a model"));
}

#[test]
fn keys_are_never_shown() {
    let config = load("", &[("ANTHROPIC_API_KEY", "s3cret"), ("OPENAI_API_KEY", "s3cret")]).unwrap();
    assert!(!format!("{config:?}").contains("s3cret"));
}

#[test]
fn a_key_that_no_list_uses_is_said_aloud() {
    let config = load("", &[("DEEPGRAM_API_KEY", "s3cret"), ("STT", "local"), ("TTS", "local")]).unwrap();
    assert_eq!(config.notices.len(), 1);
    assert!(
        config.notices[0].starts_with("DEEPGRAM_API_KEY is set") && !config.notices[0].contains("s3cret")
    );
}

#[test]
fn budgets_are_dollars_above_nothing() {
    let budget = load("[budget]\ncall_usd = 1.5\ntenant_day_usd = 40\n", &[]).unwrap().budget;
    assert_eq!((budget.call_micros, budget.tenant_day_micros), (Some(1_500_000), Some(40_000_000)));
    assert!(refused("[budget]\ncall_usd = 0\n", &[]).contains("budget.call_usd"));
    assert!(refused("[budget]\ncall_usd = \"much\"\n", &[]).contains("not a number"));
}
