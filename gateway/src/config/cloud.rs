//! Accounts, addresses and models of the providers that are reached over the network.

use pipeline::provider::Endpoint;
use secrecy::SecretString;

use super::source::Source;

/// Settings of every outside provider, used or not.
#[derive(Clone, Debug)]
pub struct Cloud {
    pub deepgram: Deepgram,
    pub elevenlabs: ElevenLabs,
    pub anthropic: Anthropic,
    pub openai: OpenAi,
}

/// Where a provider is and how it knows us.
#[derive(Clone, Debug)]
pub struct Account {
    pub key: Option<SecretString>,
    pub endpoint: Endpoint,
    /// The operator gave the address; otherwise it is the vendor's own.
    pub is_moved: bool,
}

/// Recogniser and voice.
#[derive(Clone, Debug)]
pub struct Deepgram {
    pub account: Account,
    pub model: String,
    pub flux_model: String,
    pub voice: String,
    pub voice_es: String,
}

/// Voice.
#[derive(Clone, Debug)]
pub struct ElevenLabs {
    pub account: Account,
    pub model: String,
    pub voice_id: String,
    /// Absent: the same voice speaks Spanish.
    pub voice_id_es: Option<String>,
}

/// Language model.
#[derive(Clone, Debug)]
pub struct Anthropic {
    pub account: Account,
    pub model: String,
    /// Of the API.
    pub version: String,
    /// Send the key as `authorization: Bearer`, for proxies that want it so.
    pub bearer: bool,
    /// Tell the model not to think before it speaks; some models refuse to be told.
    pub tell_not_to_think: bool,
    /// `low`, `medium`, `high`, for models that take it.
    pub effort: Option<String>,
    /// Write the prompt cache while the greeting is said. Costs tokens that are on no call's bill.
    pub prewarm: bool,
}

/// Language model behind the protocol that many servers speak.
#[derive(Clone, Debug)]
pub struct OpenAi {
    pub account: Account,
    pub model: String,
    /// Bound answers by `max_completion_tokens`; absent: as the model's name says.
    pub max_completion_tokens: Option<bool>,
    /// How much the model thinks before it speaks; absent: the least that its name says it takes. `off`: not told.
    pub reasoning_effort: Option<String>,
    /// Keep to what Mistral's own API takes.
    pub mistral: bool,
}

pub(super) fn read(s: &mut Source<'_>) -> Cloud {
    let open = s.flag("providers.allow_plaintext", None).unwrap_or(false);
    let deepgram = Deepgram {
        account: account(s, open, "deepgram.api_key", "deepgram.base_url", "DEEPGRAM"),
        model: model(s, "deepgram.model", Some("DEEPGRAM_MODEL")),
        flux_model: model(s, "deepgram.flux_model", None),
        voice: model(s, "deepgram.voice", None),
        voice_es: model(s, "deepgram.voice_es", None),
    };
    let elevenlabs = ElevenLabs {
        account: account(s, open, "elevenlabs.api_key", "elevenlabs.base_url", "ELEVENLABS"),
        model: model(s, "elevenlabs.model", Some("ELEVENLABS_MODEL")),
        voice_id: model(s, "elevenlabs.voice_id", Some("ELEVENLABS_VOICE_ID")),
        voice_id_es: s.text("elevenlabs.voice_id_es", None).map(|(text, _)| text),
    };
    let anthropic = Anthropic {
        account: account(s, open, "anthropic.api_key", "anthropic.base_url", "ANTHROPIC"),
        model: model(s, "anthropic.model", Some("ANTHROPIC_MODEL")),
        version: model(s, "anthropic.version", None),
        bearer: s.flag("anthropic.bearer", None).unwrap_or(false),
        tell_not_to_think: s.flag("anthropic.tell_not_to_think", None).unwrap_or(true),
        effort: s.text("anthropic.effort", None).map(|(text, _)| text),
        prewarm: s.flag("anthropic.prewarm", None).unwrap_or(false),
    };
    let openai = OpenAi {
        account: account(s, open, "openai.api_key", "openai.base_url", "OPENAI"),
        model: model(s, "openai.model", Some("OPENAI_MODEL")),
        max_completion_tokens: s.flag("openai.max_completion_tokens", None),
        reasoning_effort: s.text("openai.reasoning_effort", None).map(|(text, _)| text),
        mistral: s.flag("openai.mistral", None).unwrap_or(false),
    };
    Cloud { deepgram, elevenlabs, anthropic, openai }
}

/// Names of models and voices are the vendor's; only what cannot stand in an address is refused.
fn model(s: &mut Source<'_>, key: &'static str, var: Option<&str>) -> String {
    let Some((text, origin)) = s.text(key, var) else { return String::new() };
    let fits = |c: char| c.is_ascii_alphanumeric() || "-_.:/@".contains(c);
    if text.is_empty() || !text.chars().all(fits) {
        s.problem(origin, format!("`{text}` is no name of a model or voice"), "copy it from the provider");
    }
    text
}

fn account(
    s: &mut Source<'_>,
    open: bool,
    key: &'static str,
    base: &'static str,
    vendor: &'static str,
) -> Account {
    let secret = s.secret(key, Some(&format!("{vendor}_API_KEY")));
    let (endpoint, is_moved) = endpoint(s, open, base, &format!("{vendor}_BASE_URL"));
    Account { key: secret, endpoint, is_moved }
}

fn endpoint(s: &mut Source<'_>, open: bool, key: &'static str, var: &str) -> (Endpoint, bool) {
    let own = s.built_in(key);
    let Some((text, origin)) = s.text(key, Some(var)) else { return (own, false) };
    let endpoint = match Endpoint::parse(&text) {
        Ok(endpoint) => endpoint,
        // What was given may hold a key in the wrong place: it is not repeated.
        Err(what) => {
            s.problem(origin, what.to_string(), "write it as https://api.example.com");
            return (own, false);
        }
    };
    if !endpoint.is_secure() && !endpoint.is_loopback() && !open {
        s.problem(
            origin,
            format!(
                "{} is not encrypted: the key and what callers say would cross the network in the clear",
                endpoint.host()
            ),
            "use https, or set providers.allow_plaintext = true for a network that you trust",
        );
    }
    let is_moved = endpoint != own;
    (endpoint, is_moved)
}
