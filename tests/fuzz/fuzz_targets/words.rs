//! Any text at all as words of a caller, as a page, and as a file of rules: judged, screened and parsed without a panic.
#![no_main]

use std::sync::LazyLock;

use governance::guard::{Channel, Context, Guard};
use governance::rules::RuleSet;
use governance::pii::Redactor;
use pipeline::ports::Screen;

/// A county's own numbers, as the demonstration has them.
static FACTS: LazyLock<dialogue::TenantFacts> =
    LazyLock::new(|| dialogue::seed::riverbend(Default::default()).expect("the demonstration loads").facts);

libfuzzer_sys::fuzz_target!(|text: &str| {
    if let Ok(guard) = Guard::shipped() {
        for channel in [Channel::Voice, Channel::Document] {
            let _ = guard.judge(text, channel, Context::default());
        }
    }
    let mut redactor = Redactor::default();
    let once = redactor.screen(text);
    assert_eq!(redactor.screen(&once), once, "tokens stay as they are");
    let _ = RuleSet::load(text, &FACTS);
});
