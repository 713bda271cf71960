//! The lists of providers, as far as they can be judged without asking anybody.

use std::collections::BTreeSet;

use pipeline::ports::Language;
use pipeline::provider::Endpoint;

use super::Check;
use crate::config::cloud::Account;
use crate::config::{Cloud, Config, Llm, Named, Stt, Tts};
use crate::providers::ability;

/// One line a list, and one a provider of it: place, address, key, model, languages.
pub fn lists(config: &Config) -> Vec<Check> {
    let (lists, cloud) = (&config.providers, &config.cloud);
    let mut checks = Vec::new();
    let mut list = |kind: &'static str, names: Vec<&'static str>, details: Vec<String>| {
        checks.push(Check::ok(kind, names.join(", then ")));
        for (name, detail) in names.iter().zip(details) {
            checks.push(Check::ok(format!("{kind}.{name}"), detail));
        }
    };
    let stt = |p: &Stt| format!("{}; {}", place(stt_place(*p, cloud)), languages(ability::hears(*p, cloud)));
    list("stt", names(&lists.stt), lists.stt.iter().map(stt).collect());
    list("llm", names(&lists.llm), lists.llm.iter().map(|p| place(llm_place(*p, cloud))).collect());
    let tts = |p: &Tts| format!("{}; {}", place(tts_place(*p, cloud)), languages(ability::speaks(*p, cloud)));
    list("tts", names(&lists.tts), lists.tts.iter().map(tts).collect());
    for notice in &config.notices {
        checks.push(Check::warn("lists", notice, "unset it, or name its provider"));
    }
    checks
}

/// What follows from the lists: languages, money, and where data goes.
pub fn facts(config: &Config) -> Vec<Check> {
    vec![spanish(config), prices(config), budget(config), region(config)]
}

fn names<T: Named>(list: &[T]) -> Vec<&'static str> {
    list.iter().map(|provider| provider.name()).collect()
}

/// Account and model of a provider outside this machine.
type Place<'a> = Option<(&'a Account, String)>;

pub(super) fn stt_place(stt: Stt, cloud: &Cloud) -> Place<'_> {
    match stt {
        Stt::Deepgram => Some((&cloud.deepgram.account, cloud.deepgram.model.clone())),
        Stt::Flux => Some((&cloud.deepgram.account, cloud.deepgram.flux_model.clone())),
        Stt::Local => None,
    }
}

pub(super) fn llm_place(llm: Llm, cloud: &Cloud) -> Place<'_> {
    match llm {
        Llm::Anthropic => {
            let model = format!("{}, version {}", cloud.anthropic.model, cloud.anthropic.version);
            Some((&cloud.anthropic.account, model))
        }
        Llm::OpenAi => Some((&cloud.openai.account, cloud.openai.model.clone())),
        Llm::Builtin => None,
    }
}

pub(super) fn tts_place(tts: Tts, cloud: &Cloud) -> Place<'_> {
    match tts {
        Tts::ElevenLabs => {
            let eleven = &cloud.elevenlabs;
            Some((&eleven.account, format!("{}, voice {}", eleven.model, eleven.voice_id)))
        }
        Tts::Deepgram => {
            let voices = format!("{}, {}", cloud.deepgram.voice, cloud.deepgram.voice_es);
            Some((&cloud.deepgram.account, voices))
        }
        Tts::Local => None,
    }
}

fn place(place: Place<'_>) -> String {
    let Some((account, model)) = place else { return "on this machine".to_owned() };
    let key = if account.key.is_some() { "key set" } else { "no key" };
    let open = if account.endpoint.is_secure() { "" } else { ", not encrypted" };
    format!("{}{open}; {key}; {model}", account.endpoint.host())
}

fn languages(languages: &[Language]) -> String {
    let name = |language: &Language| match language {
        Language::En => "English",
        Language::Es => "Spanish",
    };
    languages.iter().map(name).collect::<Vec<_>>().join(", ")
}

/// Decision 25.
fn spanish(config: &Config) -> Check {
    if ability::spoken(config).contains(&Language::Es) {
        return Check::ok("languages", "English and Spanish, on lines that list both");
    }
    let says = if config.providers.tts.contains(&Tts::Local) {
        "a caller who wants Spanish is told so in Spanish, from rendered sentences, and offered a call-back"
    } else {
        "a caller who wants Spanish is told so, and offered a call-back"
    };
    Check::warn(
        "languages",
        format!("English; the preferred recogniser and voice cannot both do Spanish: {says}"),
        "put providers that can first in STT and TTS",
    )
}

fn prices(config: &Config) -> Check {
    let list = &config.prices;
    let detail =
        format!("of {}, and {} rows of your own: figures are estimates", list.effective, list.own.len());
    let missing = list.missing(&ability::charged(config));
    let guessed = list.guessed(&ability::charged(config));
    if missing.is_empty() && !guessed.is_empty() {
        return Check::warn(
            "prices",
            format!("{detail}; no price for {}: charged as the dearest of its family", guessed.join(", ")),
            "add a row for it to [[prices]]",
        );
    }
    if missing.is_empty() {
        return Check::ok("prices", detail);
    }
    Check::warn(
        "prices",
        format!(
            "{detail}; no price for {}: its cost counts as nothing, and no budget sees it",
            missing.join(", ")
        ),
        "add a row for it to [[prices]]",
    )
}

fn budget(config: &Config) -> Check {
    let cap = |micros: Option<u64>| {
        micros.map_or_else(|| "no cap".to_owned(), |m| format!("${:.2}", crate::api::calls::usd(m)))
    };
    let budget = config.budget;
    Check::ok(
        "budget",
        format!(
            "a call: {}; a tenant's day (UTC): {}; a tenant may have its own",
            cap(budget.call_micros),
            cap(budget.tenant_day_micros)
        ),
    )
}

/// Decision 27: which machines calls leave this one for.
fn region(config: &Config) -> Check {
    let hosts: BTreeSet<String> =
        endpoints(config).iter().filter(|e| !e.is_loopback()).map(|e| e.host().to_owned()).collect();
    let stored = match &config.region {
        Some(region) => format!("stored in {region}"),
        None => "stored on this machine".to_owned(),
    };
    if hosts.is_empty() {
        return Check::ok("region", format!("calls are {stored} and heard by nobody outside it"));
    }
    let hosts = hosts.into_iter().collect::<Vec<_>>().join(", ");
    let detail = format!("calls are {stored}; what is said goes to {hosts}");
    match config.region {
        Some(_) => Check::ok("region", detail),
        None => Check::warn(
            "region",
            detail,
            "choose the providers' regional addresses (…_BASE_URL) and state `region`, if data must stay in one",
        ),
    }
}

/// Addresses of every provider that a list names, each once.
pub(super) fn endpoints(config: &Config) -> Vec<Endpoint> {
    let (lists, cloud) = (&config.providers, &config.cloud);
    let stt = lists.stt.iter().filter_map(|p| stt_place(*p, cloud));
    let llm = lists.llm.iter().filter_map(|p| llm_place(*p, cloud));
    let tts = lists.tts.iter().filter_map(|p| tts_place(*p, cloud));
    let mut found: Vec<Endpoint> = Vec::new();
    for (account, _) in stt.chain(llm).chain(tts) {
        if !found.contains(&account.endpoint) {
            found.push(account.endpoint.clone());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::Verdict;
    use super::*;

    fn config(text: &str) -> Config {
        let keys = ["DEEPGRAM_API_KEY", "ELEVENLABS_API_KEY", "ANTHROPIC_API_KEY"];
        Config::from_text(text, "x", &|name| keys.contains(&name).then(|| "s3cret".to_owned())).unwrap()
    }

    fn shown(checks: &[Check]) -> String {
        checks.iter().map(|check| format!("{check}\n")).collect()
    }

    #[test]
    fn each_provider_is_shown_in_its_place_and_no_key_is() {
        let text = shown(&lists(&config("stt = [\"deepgram-flux\", \"local\"]\n")));
        assert!(text.contains("deepgram-flux, then local"), "{text}");
        assert!(text.contains("stt.deepgram-flux"), "{text}");
        let eleven = text.lines().find(|l| l.contains("tts.elevenlabs")).unwrap();
        assert!(eleven.contains("api.elevenlabs.io; key set; eleven_flash_v2_5"), "{eleven}");
        assert!(eleven.ends_with("English, Spanish"), "{eleven}");
        assert!(text.contains("on this machine") && !text.contains("s3cret"), "{text}");
    }

    #[test]
    fn what_spanish_callers_are_told_follows_from_the_lists() {
        assert_eq!(spanish(&config("")).verdict, Verdict::Ok);
        assert_eq!(spanish(&config("stt = [\"local\"]\ntts = [\"local\"]\n")).verdict, Verdict::Ok);
        let english = "stt = [\"deepgram-flux\"]\n[deepgram]\nflux_model = \"flux-general-en\"\n";
        let english = spanish(&config(english));
        assert_eq!(english.verdict, Verdict::Warn);
        assert!(english.detail.contains("told so in Spanish"), "{}", english.detail);
    }

    #[test]
    fn a_model_without_a_price_is_told() {
        let check = prices(&config("[anthropic]\nmodel = \"claude-of-tomorrow\"\n"));
        assert_eq!(check.verdict, Verdict::Warn);
        assert!(check.detail.contains("2026-") && check.detail.contains("anthropic claude-of-tomorrow"));
        assert_eq!(prices(&config("")).verdict, Verdict::Ok);
    }

    #[test]
    fn where_words_go_is_told() {
        let away = region(&config("llm = [\"builtin\"]\n"));
        assert_eq!(away.verdict, Verdict::Warn);
        assert!(away.detail.contains("api.deepgram.com, api.elevenlabs.io"), "{}", away.detail);
        let here = region(&config("stt = [\"local\"]\nllm = [\"builtin\"]\ntts = [\"local\"]\n"));
        assert_eq!(here.verdict, Verdict::Ok);
        assert!(here.detail.contains("nobody outside"), "{}", here.detail);
    }
}
