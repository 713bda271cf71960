//! Addresses with everything that a connection is told in its query.

use super::Settings;
use pipeline::ports::{Hearing, Language};

/// Most key terms sent, and most bytes of them: the vendor's limit is 500 tokens in all.
const TERMS: usize = 100;
const TERM_BYTES: usize = 1_500;

/// Address for `/v1/listen`.
pub(super) fn nova(settings: &Settings, hearing: &Hearing) -> String {
    let several = hearing.languages.contains(&Language::En) && hearing.languages.contains(&Language::Es);
    let newest = settings.model.starts_with("nova-3");
    let language = if several && newest { "multi" } else { hearing.language.code() };
    let mut query = format!(
        "/v1/listen?model={}&language={language}&encoding=mulaw&sample_rate=8000&channels=1\
         &interim_results=true&endpointing={}&utterance_end_ms=1000&punctuate=true&numerals=true&mip_opt_out=true",
        encoded(&settings.model),
        settings.endpointing_ms
    );
    add_terms(&mut query, if newest { "keyterm" } else { "keywords" }, &hearing.key_terms);
    settings.endpoint.ws(&query)
}

/// Address for `/v2/listen`.
pub(super) fn flux(settings: &Settings, hearing: &Hearing) -> String {
    let mut query = format!(
        "/v2/listen?model={}&encoding=mulaw&sample_rate=8000&eot_threshold={}&eager_eot_threshold={}\
         &eot_timeout_ms={}&mip_opt_out=true",
        encoded(&settings.model),
        settings.end_threshold,
        settings.eager_threshold.min(settings.end_threshold),
        settings.end_timeout_ms
    );
    add_terms(&mut query, "keyterm", &hearing.key_terms);
    if settings.model.contains("multi") {
        for language in &hearing.languages {
            query.push_str(&format!("&language_hint={}", language.code()));
        }
    }
    settings.endpoint.ws(&query)
}

fn add_terms(query: &mut String, name: &str, terms: &[String]) {
    let mut bytes = 0;
    for term in terms.iter().map(|t| t.trim()).filter(|t| !t.is_empty()).take(TERMS) {
        bytes += term.len();
        if bytes > TERM_BYTES {
            return;
        }
        query.push_str(&format!("&{name}={}", encoded(term)));
    }
}

/// Percent-encoded for a query.
fn encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => out.push(char::from(byte)),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}
