//! Which speech and language engines serve, in order of preference.

use super::cloud::Cloud;
use super::source::{Origin, Source};

/// A name that a fail-over list may hold.
pub trait Named: Copy + PartialEq + 'static {
    /// Every choice in the order in which an absent list takes those whose key is set.
    const ALL: &'static [(&'static str, Self)];

    /// As it is written in lists, events and prices.
    #[must_use]
    fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, choice)| *choice == self).map_or("", |(name, _)| name)
    }

    /// It runs on this machine and needs no account.
    fn is_embedded(self) -> bool;
    /// Variable that holds its key.
    fn key_variable(self) -> &'static str;
    /// The operator has given what it takes to use it.
    fn is_open(self, cloud: &Cloud) -> bool;
    /// Its key is set.
    fn has_key(self, cloud: &Cloud) -> bool {
        self.is_open(cloud)
    }
}

/// Recognisers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stt {
    Deepgram,
    Flux,
    Local,
}

/// Language models; `Builtin` is the agent that needs none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Llm {
    Anthropic,
    OpenAi,
    Builtin,
}

/// Voices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tts {
    ElevenLabs,
    Deepgram,
    Local,
}

impl Named for Stt {
    const ALL: &'static [(&'static str, Self)] =
        &[("deepgram", Self::Deepgram), ("deepgram-flux", Self::Flux), ("local", Self::Local)];

    fn is_embedded(self) -> bool {
        self == Self::Local
    }

    fn key_variable(self) -> &'static str {
        "DEEPGRAM_API_KEY"
    }

    fn is_open(self, cloud: &Cloud) -> bool {
        self == Self::Local || cloud.deepgram.account.key.is_some()
    }
}

impl Named for Llm {
    const ALL: &'static [(&'static str, Self)] =
        &[("anthropic", Self::Anthropic), ("openai", Self::OpenAi), ("builtin", Self::Builtin)];

    fn is_embedded(self) -> bool {
        self == Self::Builtin
    }

    fn key_variable(self) -> &'static str {
        match self {
            Self::OpenAi => "OPENAI_API_KEY (or, for a server without one, OPENAI_BASE_URL)",
            _ => "ANTHROPIC_API_KEY",
        }
    }

    /// Servers of one's own often ask for no key; who gives an address means one.
    fn is_open(self, cloud: &Cloud) -> bool {
        self.has_key(cloud) || (self == Self::OpenAi && cloud.openai.account.is_moved)
    }

    fn has_key(self, cloud: &Cloud) -> bool {
        match self {
            Self::Anthropic => cloud.anthropic.account.key.is_some(),
            Self::OpenAi => cloud.openai.account.key.is_some(),
            Self::Builtin => true,
        }
    }
}

impl Named for Tts {
    const ALL: &'static [(&'static str, Self)] =
        &[("elevenlabs", Self::ElevenLabs), ("deepgram", Self::Deepgram), ("local", Self::Local)];

    fn is_embedded(self) -> bool {
        self == Self::Local
    }

    fn key_variable(self) -> &'static str {
        match self {
            Self::ElevenLabs => "ELEVENLABS_API_KEY",
            _ => "DEEPGRAM_API_KEY",
        }
    }

    fn is_open(self, cloud: &Cloud) -> bool {
        match self {
            Self::ElevenLabs => cloud.elevenlabs.account.key.is_some(),
            Self::Deepgram => cloud.deepgram.account.key.is_some(),
            Self::Local => true,
        }
    }
}

/// The lists, most preferred first; none is empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderLists {
    pub stt: Vec<Stt>,
    pub llm: Vec<Llm>,
    pub tts: Vec<Tts>,
}

impl ProviderLists {
    /// Speech models of this machine take part.
    #[must_use]
    pub fn need_speech_models(&self) -> bool {
        self.stt.contains(&Stt::Local) || self.tts.contains(&Tts::Local)
    }

    /// The recogniser that is asked first runs on this machine.
    #[must_use]
    pub fn hear_locally(&self) -> bool {
        self.stt.first() == Some(&Stt::Local)
    }

    /// Models that are asked, in order: those before the built-in agent, which needs none and never fails.
    pub fn models(&self) -> impl Iterator<Item = Llm> {
        self.llm.iter().copied().take_while(|llm| *llm != Llm::Builtin)
    }

    /// Nothing leaves this machine.
    #[must_use]
    pub fn are_embedded(&self) -> bool {
        let stt = self.stt.iter().all(|p| p.is_embedded());
        stt && self.llm.iter().all(|p| p.is_embedded()) && self.tts.iter().all(|p| p.is_embedded())
    }
}

pub(super) fn read(s: &mut Source<'_>, cloud: &Cloud) -> ProviderLists {
    ProviderLists {
        stt: read_list(s, cloud, "stt", "STT"),
        llm: read_list(s, cloud, "llm", "LLM"),
        tts: read_list(s, cloud, "tts", "TTS"),
    }
}

/// A list that is given is complete. An absent one holds every provider whose key is set, then the embedded one.
fn read_list<T: Named>(s: &mut Source<'_>, cloud: &Cloud, key: &'static str, var: &'static str) -> Vec<T> {
    let choices = || T::ALL.iter().map(|(_, choice)| *choice);
    let absent = || choices().filter(|p| p.is_embedded() || p.has_key(cloud)).collect();
    let Some((words, origin)) = s.list(key, Some(var)) else { return absent() };
    if words.is_empty() {
        let names: Vec<_> = T::ALL.iter().map(|(name, _)| *name).collect();
        s.problem(&origin, "names nobody", format!("choose from {}, or leave it out", names.join(", ")));
        return absent();
    }
    let mut list = Vec::new();
    for word in words {
        if let Some(provider) = read_name(s, cloud, &origin, &word, &list) {
            list.push(provider);
        }
    }
    list
}

fn read_name<T: Named>(
    s: &mut Source<'_>,
    cloud: &Cloud,
    origin: &Origin,
    word: &str,
    before: &[T],
) -> Option<T> {
    let Some((name, provider)) = T::ALL.iter().find(|(name, _)| *name == word) else {
        let names: Vec<_> = T::ALL.iter().map(|(name, _)| *name).collect();
        s.problem(origin, format!("`{word}` is not a choice"), format!("choose from {}", names.join(", ")));
        return None;
    };
    if before.contains(provider) {
        s.problem(origin, format!("names `{name}` twice"), "name it once");
        return None;
    }
    if !provider.is_open(cloud) {
        let fix = format!("set {}, or leave `{name}` out", provider.key_variable());
        s.problem(origin, format!("`{name}` has no key"), fix);
        return None;
    }
    Some(*provider)
}

#[cfg(test)]
#[path = "providers_tests.rs"]
mod tests;
