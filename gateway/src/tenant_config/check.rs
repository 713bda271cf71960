//! What a document must hold so that a line can be run by it. Every fault is told.

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;
use chrono_tz::Tz;
use dialogue::builtin::week::minutes;
use dialogue::builtin::{Script, Span, wording};
use governance::rules::{RuleSet, Spoken, permitted};
use pipeline::ports::Language;
use storage::zones::normalise_phone;
use storage::{Directory, Platform, StorageError, TenantId};

use super::appointments::{Appointments, day};
use super::read::{Fault, MOST_FAULTS, within};
use super::targets::{self, has_twins};
use super::{CLOSED, REMIND_HOURS, TenantConfig};
use super::{holidays, single_slots, teams};
use crate::dialing::hours::is_dialable;

/// Characters of anything short.
const LONGEST: usize = 200;
const MOST_ITEMS: usize = 1_000;
const MOST_TERMS: usize = 100;
const MOST_SOUNDS: usize = 500;
/// Characters of a term or a sound.
const LONGEST_TERM: usize = 80;
/// Times of one tenant that are kept ahead.
const MOST_SLOTS: usize = 2_000;

struct Faults(Vec<Fault>);

impl Faults {
    fn add(&mut self, key: impl Into<String>, message: impl Into<String>) {
        if self.0.len() < MOST_FAULTS {
            self.0.push(Fault::new(key, message));
        }
    }

    /// Something that is said or shown: not too long, no control characters.
    fn text(&mut self, key: &str, text: &str) {
        if text.chars().count() > LONGEST {
            self.add(key, format!("is longer than {LONGEST} characters"));
        }
        if text.chars().any(char::is_control) {
            self.add(key, "holds a control character");
        }
    }

    fn phone(&mut self, key: &str, text: &str) {
        if normalise_phone(text).is_none() {
            self.add(key, format!("is no telephone number: \"{text}\""));
        }
    }
}

/// Whatever the document itself shows to be wrong.
#[must_use]
pub fn check(config: &TenantConfig) -> Vec<Fault> {
    let mut faults = Faults(Vec::new());
    identity(config, &mut faults);
    office(config, &mut faults);
    lines(config, &mut faults);
    transfers(config, &mut faults);
    let mut slots = 0;
    for (n, plan) in config.appointments.iter().enumerate() {
        slots += appointments(&format!("appointments[{}]", n + 1), plan, &mut faults);
    }
    for fault in holidays::check(&config.holidays).into_iter().chain(single_slots::check(&config.slots)) {
        faults.add(fault.key, fault.message);
    }
    slots += single_slots::many(&config.slots);
    if slots > MOST_SLOTS {
        faults.add("appointments", format!("make {slots} times ahead; {MOST_SLOTS} at most"));
    }
    let labels: BTreeSet<&str> = config.appointments.iter().map(|plan| plan.label.as_str()).collect();
    if labels.len() < config.appointments.len() {
        faults.add("appointments", "have the same label twice");
    }
    for fault in teams::check(&config.teams) {
        faults.add(fault.key, fault.message);
    }
    claims(config, &mut faults);
    words(config, &mut faults);
    sentences(config, &mut faults);
    faults.0
}

/// What only the platform knows: a line may be another tenant's, and teams more than a tenant may have.
///
/// # Errors
/// When storage does not answer.
pub async fn taken(
    config: &TenantConfig,
    platform: &Platform,
    tenant: Option<TenantId>,
) -> Result<Vec<Fault>, StorageError> {
    let mut faults = Vec::new();
    for (n, line) in config.lines.iter().enumerate() {
        let Some(number) = normalise_phone(&line.number) else { continue };
        if platform.store().line(&number).await?.is_some_and(|kept| Some(kept.tenant_id) != tenant) {
            let key = format!("line[{}].number", n + 1);
            faults.push(Fault::new(key, format!("is another tenant's line: {number}")));
        }
    }
    if let Some(tenant) = tenant {
        faults.extend(teams::too_many(&platform.tenant(tenant).await?, &config.teams).await?);
    }
    Ok(faults)
}

fn identity(config: &TenantConfig, faults: &mut Faults) {
    if config.name.trim().is_empty() {
        faults.add("name", "is missing: callers are greeted with it");
    }
    faults.text("name", &config.name);
    let slug = &config.slug;
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if !slug.is_empty() && (slug.len() > 40 || !slug.chars().all(plain)) {
        faults.add("slug", "has other than 1 to 40 lower-case letters, digits and dashes");
    }
    if !config.timezone.is_empty() && config.timezone.parse::<Tz>().is_err() {
        faults.add(
            "timezone",
            format!("is no IANA time zone, such as {}: \"{}\"", super::TIMEZONE, config.timezone),
        );
    }
}

fn office(config: &TenantConfig, faults: &mut Faults) {
    let office = &config.office;
    faults.text("office.address", &office.address);
    if !office.phone.is_empty() {
        faults.phone("office.phone", &office.phone);
    }
    let code = &office.area_code;
    if !code.is_empty() && (code.len() != 3 || !code.chars().all(|c| c.is_ascii_digit())) {
        faults.add("office.area_code", "is not three digits");
    }
    if let Some(text) = &config.hours.weekdays {
        hours("hours.weekdays", text, faults);
    }
    for (name, text) in config.hours.days() {
        if let Some(text) = text.filter(|text| *text != CLOSED) {
            hours(&within("hours", name), text, faults);
        }
    }
    for (n, number) in config.public_numbers.iter().enumerate() {
        faults.phone(&format!("public_numbers[{}]", n + 1), number);
    }
    for (n, street) in config.streets.iter().enumerate() {
        let key = format!("streets[{}]", n + 1);
        faults.text(&key, street);
        if street.trim().is_empty() {
            faults.add(key, "is empty");
        }
    }
    for (key, length) in [("streets", config.streets.len()), ("public_numbers", config.public_numbers.len())]
    {
        if length > MOST_ITEMS {
            faults.add(key, format!("holds more than {MOST_ITEMS}"));
        }
    }
}

fn hours(key: &str, text: &str, faults: &mut Faults) {
    if let Err(why) = text.parse::<Span>() {
        faults.add(key, format!("{why}: \"{text}\""));
    }
}

fn lines(config: &TenantConfig, faults: &mut Faults) {
    let mut seen = BTreeMap::new();
    for (n, line) in config.lines.iter().enumerate() {
        let key = |name: &str| format!("line[{}].{name}", n + 1);
        match normalise_phone(&line.number) {
            None if line.number.is_empty() => faults.add(key("number"), "is missing"),
            None => faults.phone(&key("number"), &line.number),
            Some(number) => {
                if let Some(first) = seen.insert(number, n + 1) {
                    faults.add(key("number"), format!("is that of line {first} as well"));
                }
            }
        }
        faults.text(&key("name"), &line.name);
        if line.languages.is_empty() {
            faults.add(key("languages"), "is empty: name one at least");
        }
        for (m, tag) in line.languages.iter().enumerate() {
            let known = Language::of(tag).is_some_and(|language| language.code() == tag);
            if !known || line.languages[..m].contains(tag) {
                let why = if known { "is there twice" } else { "is no language that a line speaks (en, es)" };
                faults.add(format!("{}[{}]", key("languages"), m + 1), format!("{why}: \"{tag}\""));
            }
        }
    }
}

/// The lines that a target names before its `m`-th.
fn lines_before(target: &targets::Target, m: usize) -> Vec<String> {
    target.on_lines.iter().take(m).filter_map(|line| normalise_phone(line)).collect()
}

fn transfers(config: &TenantConfig, faults: &mut Faults) {
    if config.ask_staff_s.is_some_and(|s| !(10..=120).contains(&s)) {
        faults.add("ask_staff_s", "is not between 10 and 120 seconds");
    }
    if config.remind_hours.is_some_and(|hours| hours > REMIND_HOURS) {
        faults.add("remind_hours", format!("is not between 0 and {REMIND_HOURS} hours"));
    }
    for (n, target) in config.targets.iter().enumerate() {
        let key = |name: &str| format!("target[{}].{name}", n + 1);
        if target.name.trim().is_empty() {
            faults.add(key("name"), "is missing: callers hear it");
        }
        faults.text(&key("name"), &target.name);
        match normalise_phone(&target.number) {
            Some(number) if !is_dialable(&number) => {
                faults.add(key("number"), "is outside the United States, or costs extra to call");
            }
            Some(_) => {}
            None => faults.phone(&key("number"), &target.number),
        }
        let weekdays = target.hours.weekdays.as_ref().map(|text| ("weekdays", text));
        let days = target.hours.days().into_iter().filter_map(|(day, text)| Some((day, text?)));
        for (name, text) in weekdays.into_iter().chain(days.filter(|(_, text)| *text != CLOSED)) {
            hours(&key(&format!("hours.{name}")), text, faults);
        }
        for (m, tag) in target.languages.iter().enumerate() {
            if Language::of(tag).is_none_or(|language| language.code() != tag) {
                let what = format!("is no language that a line speaks (en, es): \"{tag}\"");
                faults.add(format!("{}[{}]", key("languages"), m + 1), what);
            }
        }
        for (m, subject) in target.subjects.iter().enumerate() {
            let key = format!("{}[{}]", key("subjects"), m + 1);
            if subject.chars().any(char::is_alphanumeric) {
                faults.text(&key, subject);
            } else {
                faults.add(key, "has no words: callers say them");
            }
        }
        for (m, number) in target.on_lines.iter().enumerate() {
            let line = normalise_phone(number);
            let own =
                config.lines.iter().filter_map(|line| normalise_phone(&line.number)).collect::<Vec<_>>();
            if line.is_none_or(|line| !own.contains(&line) || lines_before(target, m).contains(&line)) {
                let what = format!("is no line of this document, or is there twice: \"{number}\"");
                faults.add(format!("{}[{}]", key("on_lines"), m + 1), what);
            }
        }
        if !target.refer.is_empty() && !is_sip_address(&target.refer) {
            faults.add(key("refer"), "is no SIP address, such as sip:clerk@pbx.example.gov");
        }
        if !target.refer.is_empty() && target.warm {
            faults.add(key("refer"), "is for callers who are put through at once, and `warm` asks first");
        }
        if target.notes && !target.warm {
            faults.add(
                key("notes"),
                "needs `warm`: the person there has to be told of notes before they take the call",
            );
        }
        if target.lines.is_some_and(|lines| !(1..=targets::MOST_LINES).contains(&lines)) {
            faults.add(key("lines"), format!("is not between 1 and {}", targets::MOST_LINES));
        }
        if target.subjects.len() > targets::MOST_SUBJECTS {
            faults.add(key("subjects"), format!("has more than {} entries", targets::MOST_SUBJECTS));
        }
    }
    if has_twins(&config.targets) {
        faults.add("target", "has the same name twice");
    }
    if config.targets.len() > targets::MOST {
        faults.add("target", format!("is there more than {} times", targets::MOST));
    }
}

/// How many times it makes.
fn appointments(key: &str, plan: &Appointments, faults: &mut Faults) -> usize {
    if plan.label.trim().is_empty() {
        faults.add(within(key, "label"), "is empty");
    }
    faults.text(&within(key, "label"), &plan.label);
    if plan.days.is_empty() || plan.times.is_empty() {
        let name = if plan.days.is_empty() { "days" } else { "times" };
        faults.add(within(key, name), "is empty: nothing could be booked");
    }
    for (n, name) in plan.days.iter().enumerate() {
        if day(name).is_none() {
            faults.add(format!("{key}.days[{}]", n + 1), format!("is no day, monday to sunday: \"{name}\""));
        }
    }
    for (n, time) in plan.times.iter().enumerate() {
        if minutes(time).is_none_or(|at| at >= 24 * 60) {
            faults.add(
                format!("{key}.times[{}]", n + 1),
                format!("is no time of day such as 9:00: \"{time}\""),
            );
        }
    }
    if !(5..=480).contains(&plan.minutes) {
        faults.add(within(key, "minutes"), "is not from 5 to 480");
    }
    if !(1..=12).contains(&plan.weeks) {
        faults.add(within(key, "weeks"), "is not from 1 to 12");
        return 0;
    }
    plan.days.len().saturating_mul(plan.times.len()).saturating_mul(plan.weeks as usize)
}

fn claims(config: &TenantConfig, faults: &mut Faults) {
    for (n, claim) in config.claims.iter().enumerate() {
        let key = |name: &str| format!("claim[{}].{name}", n + 1);
        let needed = [
            ("claim_number", &claim.claim_number),
            ("status", &claim.status),
            ("status_text", &claim.status_text),
            ("name", &claim.name),
        ];
        for (name, text) in needed {
            if text.trim().is_empty() {
                faults.add(key(name), "is missing");
            }
            if name != "status_text" {
                faults.text(&key(name), text);
            }
        }
        // What is wrong in these is not repeated: it is somebody's.
        if claim.date_of_birth.parse::<NaiveDate>().is_err() {
            faults.add(key("date_of_birth"), "is no date such as 1961-03-03");
        }
        if normalise_phone(&claim.phone).is_none() {
            faults.add(key("phone"), "is no telephone number");
        }
        let digits = |pin: &String| pin.len() == 4 && pin.chars().all(|c| c.is_ascii_digit());
        if claim.pin.as_ref().is_some_and(|pin| !digits(pin)) {
            faults.add(key("pin"), "is not four digits");
        }
    }
}

fn words(config: &TenantConfig, faults: &mut Faults) {
    let mut term = |key: String, text: &str| {
        if text.trim().is_empty() || text.chars().count() > LONGEST_TERM || text.chars().any(char::is_control)
        {
            faults.add(
                key,
                format!("is empty, longer than {LONGEST_TERM} characters, or holds a control character"),
            );
        }
    };
    for (n, text) in config.vocabulary.iter().enumerate() {
        term(format!("vocabulary[{}]", n + 1), text);
    }
    for (word, sound) in &config.pronunciations {
        term(within("pronunciations", word), word);
        term(within("pronunciations", word), sound);
    }
    if config.vocabulary.len() > MOST_TERMS {
        faults.add("vocabulary", format!("holds more than {MOST_TERMS} terms"));
    }
    if config.pronunciations.len() > MOST_SOUNDS {
        faults.add("pronunciations", format!("holds more than {MOST_SOUNDS} words"));
    }
}

/// The tenant's own sentences, as the desk checks them when it takes them.
fn sentences(config: &TenantConfig, faults: &mut Faults) {
    if config.wording.is_empty() {
        return;
    }
    let facts = config.facts();
    let (Ok(rules), Ok(english), Ok(spanish)) = (
        RuleSet::load("", &facts.numbers()),
        Script::front_desk(Language::En),
        Script::front_desk(Language::Es),
    ) else {
        return faults.add("wording", "cannot be checked: what ships is broken");
    };
    let shipped = |language| wording::shipped(if language == Language::En { english } else { spanish });
    let broken = |language, text: &str| {
        let broken = rules.check_words(&Spoken::new(text, language));
        broken.first().filter(|_| !permitted(&broken)).map(|found| format!("rule {}", found.rule.id))
    };
    for refused in wording::checked(&facts, shipped, broken).1 {
        let language = within("wording", &refused.language);
        let key = if refused.key.is_empty() { language } else { within(&language, &refused.key) };
        faults.add(key, format!("is not said: {}", refused.reason));
    }
}

/// `sip:` or `sips:`, somebody, and a host: nothing that would end the element that it stands in.
fn is_sip_address(address: &str) -> bool {
    let rest = address.strip_prefix("sip:").or_else(|| address.strip_prefix("sips:"));
    let plain =
        |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_graphic() && !"<>\"@".contains(c));
    address.len() <= 255
        && rest.and_then(|rest| rest.split_once('@')).is_some_and(|(who, host)| plain(who) && plain(host))
}
