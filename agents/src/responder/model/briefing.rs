//! What a model is told before the first word: the same instructions for every call, and the facts of this one.

use chrono::NaiveDateTime;
use pipeline::ports::Language;

use crate::llm::builtin::TenantFacts;
use crate::llm::builtin::hear::when::{spoken_date, spoken_time};

/// The instructions. The same bytes on every call, so that providers can keep them cached.
pub(super) const SYSTEM: &str = include_str!("../../../data/prompts/front_desk.md");

/// Facts of one call.
#[derive(Clone, Copy, Debug)]
pub(super) struct CallFacts<'a> {
    pub(super) county: &'a TenantFacts,
    /// Local time at which the call began. Fixed: what changes would break the prompt cache.
    pub(super) began: NaiveDateTime,
    pub(super) language: Language,
    pub(super) spoken: &'a [Language],
    pub(super) knows_caller: bool,
    /// The line has a person to ring.
    pub(super) transfers: bool,
}

pub(super) fn briefing(call: CallFacts<'_>) -> String {
    let county = call.county;
    let languages: Vec<&str> = call.spoken.iter().map(|l| name(*l)).collect();
    let number = if call.knows_caller {
        "The number they call from is known: tools take it as \"caller\". Ask whether it is the right one."
    } else {
        "The number they call from is not known: ask for one where a tool needs it."
    };
    let person = if call.transfers {
        "A person can be brought onto this call with request_person."
    } else {
        "Nobody can pick up on this call; request_person has a person call back."
    };
    format!(
        "Facts of this call\n\
         - You answer for {}. Office: {}, phone {}, open Monday through Friday, {} to {}.\n\
         - The call began on {}, {}, at {} local time.\n\
         - The call began in {}. This line can speak: {}. It cannot speak any other language.\n\
         - {number}\n\
         - {person}\n",
        county.county,
        county.office_address,
        county.office_phone,
        hour(county.opens_hour),
        hour(county.closes_hour),
        spoken_date(call.began.date()),
        call.began.format("%Y-%m-%d"),
        spoken_time(call.began.time()),
        name(call.language),
        languages.join(" and "),
    )
}

pub(super) const fn name(language: Language) -> &'static str {
    match language {
        Language::En => "English",
        Language::Es => "Spanish",
    }
}

fn hour(hour: u32) -> String {
    chrono::NaiveTime::from_hms_opt(hour, 0, 0).map_or_else(String::new, spoken_time)
}
