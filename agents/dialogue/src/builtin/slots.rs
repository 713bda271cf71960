//! Reading a slot's value out of what was said.

use std::sync::LazyLock;

use chrono::NaiveDateTime;
use pipeline::ports::Language;
use regex::Regex;

use super::account;
use super::beliefs::days::wants_day;
use super::script::SlotKind;
use super::state::Filled;
use language::CalendarWord;
use language::Ear;
use language::PhoneAnswer;
use language::YesNo;
use language::repair::denied;
use language::shown::Shape;
use language::spelling::spelled;
use language::weeks::week_named;
use language::{Direction, When, lasting, without_lasting, without_own_life};

/// What an utterance gave for a slot.
#[derive(Clone, PartialEq, Eq)]
pub enum Read {
    Value(Filled),
    /// Some digits of a number.
    Part(String),
    /// Digits that are no number.
    Wrong,
    /// The caller cannot or will not say.
    Declined,
    Nothing,
}

impl std::fmt::Debug for Read {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Value(filled) => f.debug_tuple("Value").field(filled).finish(),
            Self::Part(digits) => write!(f, "Part({:?})", digits.shape()),
            Self::Wrong => f.write_str("Wrong"),
            Self::Declined => f.write_str("Declined"),
            Self::Nothing => f.write_str("Nothing"),
        }
    }
}

/// What readers need to know beside the text.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    pub ear: Ear,
    pub now: NaiveDateTime,
    pub area_code: &'a str,
    pub digits: &'a str,
}

language::shown!(Context<'_>, "Context": ear, now, area_code; digits);

/// Reads an answer to the slot's own question.
#[must_use]
pub fn answered(kind: SlotKind, text: &str, context: Context<'_>) -> Read {
    let ear = context.ear;
    let shy = matches!(kind, SlotKind::Name | SlotKind::Place | SlotKind::Address | SlotKind::Proof);
    if shy && declines(ear, text) {
        return Read::Declined;
    }
    let given = match kind {
        SlotKind::Story => account::story(ear, text),
        SlotKind::Text => account::free_text(ear, text),
        SlotKind::Place => {
            other_than_place(ear, text, context.now).then(|| ear.place_answered(text)).flatten().map(same)
        }
        SlotKind::Address => ear.address(text).or_else(|| numbered_place(ear, text)).map(same),
        SlotKind::When if ear.cues().right_now.contains(&ear.plain(text).as_str()) => {
            let now = When { date: Some(context.now.date()), time: Some(context.now.time()), part: None };
            Some(Filled::new(now.iso(), ear.spoken_when(&now)))
        }
        // "About two weeks": no day that the caller ever named.
        SlotKind::When => lasting(ear, text)
            .map(same)
            .or_else(|| before_but(ear, text, context.now))
            .or_else(|| when_value(ear, text, context.now, Direction::Past))
            .or_else(|| when_value(ear, &since(ear, text)?, context.now, Direction::Past)),
        SlotKind::Injured => injured(ear, text, true),
        SlotKind::Name => name_answered(ear, text).map(same),
        SlotKind::Phone => return phone_read(text, context),
        SlotKind::Day => day(ear, text, context.now, true),
        SlotKind::ClaimNumber => claim_number(ear, text),
        // "El apellido es López, ya le dije."
        SlotKind::Proof => proof(ear, text, context.now).or_else(|| stated_proof(ear, text)),
        SlotKind::Opening => None,
    };
    match given {
        Some(filled) => Read::Value(filled),
        None if declines(ear, text) => Read::Declined,
        None => Read::Nothing,
    }
}

/// Reads a value that was given without being asked for; only what cannot be anything else.
#[must_use]
pub fn stated(kind: SlotKind, text: &str, context: Context<'_>) -> Option<Filled> {
    let ear = context.ear;
    match kind {
        SlotKind::Place => found_place(ear, text).map(same),
        SlotKind::Address => ear.address(text).map(same),
        // A day beside a stretch ("for two weeks, last night again") is the surer one.
        SlotKind::When => match lasting(ear, text) {
            Some(stretch) => {
                moment(ear, &without_lasting(ear, text), context.now).or_else(|| Some(same(stretch)))
            }
            None => moment(ear, text, context.now),
        },
        SlotKind::Injured => injured(ear, text, false),
        SlotKind::Name => ear.name_stated(text).map(same),
        SlotKind::Phone => ear.whole_phone(text).map(|p| Filled::new(p.e164(), p.spoken())),
        SlotKind::Day => day(ear, text, context.now, false),
        SlotKind::ClaimNumber => stated_claim_number(ear, text),
        SlotKind::Proof => stated_proof(ear, text),
        SlotKind::Story | SlotKind::Text | SlotKind::Opening => None,
    }
}

/// Reads a value out of words that answer no question of ours, but can be little else: a bare name, a place.
#[must_use]
pub fn implied(kind: SlotKind, text: &str, context: Context<'_>) -> Option<Filled> {
    match kind {
        SlotKind::Name => account::bare_name(context.ear, text).map(same),
        SlotKind::Place
            if account::opens_place(context.ear, text)
                && other_than_place(context.ear, text, context.now) =>
        {
            context.ear.place_answered(text).map(same)
        }
        _ => None,
    }
}

fn same(text: String) -> Filled {
    Filled::new(text.clone(), text)
}

pub(in crate::builtin) fn declines(ear: Ear, text: &str) -> bool {
    let plain = ear.plain(text);
    ear.unknowing(&plain) || ear.cues().declines.iter().any(|p| plain.contains(p))
}

/// A value in another language: the store's form stays, what is read back is said anew.
#[must_use]
pub fn respoken(kind: SlotKind, filled: &Filled, ear: Ear) -> Filled {
    let says = &ear.cues().says;
    let spoken = match (kind, filled.value.as_str()) {
        (_, "") => filled.spoken.clone(),
        // What was never asked is not said in any language.
        (SlotKind::Injured, _) if filled.spoken.is_empty() => String::new(),
        (SlotKind::Phone, "caller") => says.caller_number.to_owned(),
        (SlotKind::Injured, "yes") => says.hurt.to_owned(),
        (SlotKind::Injured, _) => says.unhurt.to_owned(),
        (SlotKind::Proof, _) => says.details.to_owned(),
        (SlotKind::Day, value) if value.starts_with("any") => says.any_day.to_owned(),
        (SlotKind::When | SlotKind::Day | SlotKind::Opening, value) => {
            let when = dated(value.split(' ').next().unwrap_or_default());
            match (kind, when.date, when.time) {
                (SlotKind::Opening, Some(date), Some(time)) => ear.spoken_moment(date.and_time(time)),
                _ => ear.spoken_when(&when),
            }
        }
        _ => filled.spoken.clone(),
    };
    Filled::new(filled.value.clone(), spoken)
}

/// A kept date, time, or both.
fn dated(value: &str) -> When {
    let (date, time) = value.split_once('T').unwrap_or((value, ""));
    When { date: date.parse().ok(), time: chrono::NaiveTime::parse_from_str(time, "%H:%M").ok(), part: None }
}

// ---------------------------------------------------------------- names

/// "Walter Nguyen, that's N G U Y E N": letters spell one word of a name, and the rest of it stays.
fn name_answered(ear: Ear, text: &str) -> Option<String> {
    // "Last Wednesday, like I said" is none.
    let plain = ear.plain(text);
    let mut words = plain.split(' ');
    let when = matches!(words.next(), Some("last" | "next" | "this"))
        && words.next().is_some_and(|word| ear.calendar_word(word) == Some(CalendarWord::Weekday));
    if when {
        return None;
    }
    let read = ear.name_answered(text);
    let parted = text.replace(['-', ',', '.', ';', ':', '!', '?'], " ");
    let Some((letters, (from, _))) = spelled(ear.0, &parted).pop() else { return read };
    let before: Vec<&str> = parted.split_whitespace().take(from).collect();
    let said = ear.name_answered(&before.join(" ")).filter(|said| said.contains(' '));
    let respelled = |said: String| {
        let held = Filled::new(said.clone(), said.clone());
        super::beliefs::correction::respelled(ear, &held, &letters, text).unwrap_or(said)
    };
    said.map(respelled).or(read)
}

// ---------------------------------------------------------------- places and times

/// A place that others can find: "la luz de la calle, frente a la biblioteca" is at the library.
fn found_place(ear: Ear, text: &str) -> Option<String> {
    let place = ear.place_stated(text)?;
    if !ear.is_vague_place(&place) {
        return Some(place);
    }
    place_beyond(ear, text, &place)
}

/// The place that is named after one which only the caller knows.
pub(in crate::builtin) fn place_beyond(ear: Ear, text: &str, vague: &str) -> Option<String> {
    let rest = text.to_lowercase().find(&vague.to_lowercase()).and_then(|at| text.get(at + vague.len()..))?;
    let starts =
        rest.char_indices().filter(|(_, c)| c.is_whitespace()).map(|(at, _)| rest[at..].trim_start());
    let named = |said: &str| account::opens_place(ear, said).then(|| ear.place_answered(said)).flatten();
    let found = ear.place_stated(rest).or_else(|| starts.into_iter().find_map(named));
    found.filter(|place| !ear.is_vague_place(place))
}

/// "My name is …" and a bare phone number answer another question than "where".
fn other_than_place(ear: Ear, text: &str, now: NaiveDateTime) -> bool {
    let plain = ear.plain(text);
    ear.place_stated(text).is_some()
        || (ear.name_stated(text).is_none()
            && !plain.contains("name is")
            && !plain.contains("mi nombre es")
            && ear.whole_phone(text).is_none()
            && !tells_when_only(ear, text, now))
}

/// "Two hours ago", "yesterday around 3": when a few words say a time and nothing else, they are no place.
fn tells_when_only(ear: Ear, text: &str, now: NaiveDateTime) -> bool {
    let plain = ear.plain(text);
    let words: Vec<&str> = plain.split(' ').collect();
    let time = |w: &&str| {
        account::time_words(ear).contains(w)
            || w.starts_with(|c: char| c.is_ascii_digit())
            || ear.cardinal_at(&[w]).is_some()
    };
    words.iter().all(time) && ear.when(text, now, Direction::Past).is_some()
}

/// "412 Birchwood" without a suffix is an address too when it was asked for.
fn numbered_place(ear: Ear, text: &str) -> Option<String> {
    let answer = ear.place_answered(text)?;
    let (number, street) = answer.split_once(' ')?;
    let street_like =
        street.chars().filter(|c| c.is_alphabetic()).count() > 2 && street.split(' ').count() <= 6;
    (number.chars().all(|c| c.is_ascii_digit()) && street_like && ear.whole_phone(text).is_none())
        .then_some(answer)
}

fn when_value(ear: Ear, text: &str, now: NaiveDateTime, direction: Direction) -> Option<Filled> {
    let own = without_own_life(ear, text);
    let text = own.as_deref().unwrap_or(text);
    let when = ear.when(&without_address(ear, text), now, direction)?;
    Some(Filled::new(when.iso(), ear.spoken_when(&when))).filter(|f| !f.spoken.is_empty())
}

/// "Yesterday, at 14 Rose Court": the house is no hour.
fn without_address(ear: Ear, text: &str) -> String {
    let Some(address) = ear.address(text) else { return text.to_owned() };
    let (lower, part) = (text.to_lowercase(), address.to_lowercase());
    match lower.find(&part).filter(|_| lower.len() == text.len()) {
        Some(at) => format!("{}, {}", &text[..at], &text[at + part.len()..]),
        None => text.to_owned(),
    }
}

/// A moment of the past that nobody asked for: "at 15 Elm Street" names a house, no hour, and "every night until three" no time
/// at which it happened.
fn moment(ear: Ear, text: &str, now: NaiveDateTime) -> Option<Filled> {
    when_value(ear, text, now, Direction::Past).filter(|when| {
        let plain = ear.plain(text);
        let habit = plain.split(' ').any(|word| ear.cues().habits.contains(&word));
        !when.value.starts_with('T') || (ear.address(text).is_none() && !habit)
    })
}

/// "I noticed it Sunday, but it could have been there since Friday": what is known comes before the "but".
fn before_but(ear: Ear, text: &str, now: NaiveDateTime) -> Option<Filled> {
    let plain = ear.plain(text);
    let at = ear.cues().but.iter().filter_map(|but| plain.find(&format!(" {but} "))).min()?;
    let said =
        when_value(ear, &plain[..at], now, Direction::Past).filter(|when| !when.value.starts_with('T'));
    said.filter(|_| denied(ear, text).is_empty() && ear.yes_no(text) != Some(YesNo::No))
}

/// "Two days", "since two weeks" where it was asked when: so long ago.
fn since(ear: Ear, text: &str) -> Option<String> {
    let plain = ear.plain(text);
    let words: Vec<&str> = plain.split(' ').filter(|w| !ear.cues().since.contains(w)).collect();
    let [count @ .., unit] = words.as_slice() else { return None };
    let counted = !count.is_empty() && ear.cardinal_at(count).is_some_and(|(_, used)| used == count.len());
    let known = ear.cues().spans.contains(unit);
    (counted && known).then(|| match ear.0 {
        Language::En => format!("{} ago", words.join(" ")),
        Language::Es => format!("hace {}", words.join(" ")),
    })
}

/// A preferred day; "any day" counts when it was asked for.
fn day(ear: Ear, text: &str, now: NaiveDateTime, asked: bool) -> Option<Filled> {
    let (plain, cues) = (ear.plain(text), ear.cues());
    if let Some((from, to)) = week_named(ear, text, now.date()).filter(|_| !wants_day(ear, text)) {
        let spoken = if from > now.date() { cues.says.next_week } else { cues.says.this_week };
        return Some(Filled::new(format!("{from}/{to}"), spoken));
    }
    if asked && cues.any_day.iter().any(|p| plain.contains(p)) {
        return Some(Filled::new("any", cues.says.any_day));
    }
    let found = ear.when(text, now, Direction::Future)?;
    if let Some(date) = found.date.filter(|d| *d >= now.date()) {
        let part = found.part.map_or(String::new(), |p| format!(" {p:?}").to_lowercase());
        return Some(Filled::new(format!("{date}{part}"), ear.spoken_when(&found)));
    }
    let part = found.part.filter(|_| asked)?;
    Some(Filled::new(format!("any {part:?}").to_lowercase(), ear.spoken_when(&found)))
}

/// A corrected time keeps the date it belongs to, and a corrected date its time.
#[must_use]
pub fn merged_when(ear: Ear, old: &Filled, new: Filled) -> Filled {
    let (before, now) = (dated(&old.value), dated(&new.value));
    if now.date.is_some() == now.time.is_some() || (now.date.is_none() && before.date.is_none()) {
        return new;
    }
    let merged = When { date: now.date.or(before.date), time: now.time.or(before.time), part: None };
    Filled::new(merged.iso(), ear.spoken_when(&merged))
}

// ---------------------------------------------------------------- injuries

static NOBODY: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(any(body|one) )?(hurt|injured) (no|nope|nah|nobody)\b|\b(nobody|no one|none of us|noone|no body)('s|s)?( \w+)? (hurt|injured|in (any )?danger)|no injur\w+|(wasn't|weren't|isn't|not|didn't get) (badly |seriously )?(hurt|injured)|without injur\w+|everyone('s| is| was) (fine|ok|okay|all right)|nobody('s| is| was| got)? (hurt|injured)|no one('s| is| was| got)? (hurt|injured)").expect("clippy compiles every pattern")
});
/// Where it was asked whether somebody was hurt: things alone were, or all is well.
static THINGS_ALONE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\b((only|just) (the |my |our |some )?(property|car|truck|fence|tires?|bumper|shoes?|stuff)|solo (danos|materiales|la propiedad|el carro|el coche)|it('s| is| was) (fine|okay|ok|all right))").expect("clippy compiles every pattern")
});
/// Whoever says this says nothing of whether somebody was: "I didn't say nobody was hurt, I don't know that".
static UNSURE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\b((don't|do not|didn't|couldn't) (really )?(know|say|tell|see)|not sure|no idea|no se\b|no (dije|he dicho|supe|vi|pude ver)|quien sabe)").expect("clippy compiles every pattern")
});
static ANYBODY: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\b(any(body|one)|somebody|someone|nobody|no one|alguien|nadie|herid)")
        .expect("clippy compiles every pattern")
});
/// Somebody is well, who may have been hurt before.
static WELL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\b(i'm (fine|okay|ok|all right|not hurt)|(he|she)('s| is| was) (fine|okay|ok|all right)|they('re| are| were) (fine|okay|ok|all right))").expect("clippy compiles every pattern")
});
static WELL_ES: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\b(estoy|estan|estamos|(el|ella|mi \w+) (ya )?esta) bien\b")
        .expect("clippy compiles every pattern")
});
static SOMEBODY: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\b((got|was|were|is|are|am|'m|been|badly|somebody|someone) (\w+ )?(hurt|injured|bleeding|bruised)|(hurt|broke|broken|sprained|twisted|turned|rolled|cut|injured|fractured|bruised|banged up|scraped|hit|bumped|burned) (my|his|her|their|a|an|the) (\w+ )?(arm|leg|wrist|ankle|knee|back|head|hip|foot|hand|neck|shoulder|face|finger|elbow|nose|ribs?|toe|bone)|injur(y|ies)\b|whiplash|concussion|stitches|(only|just) (his|her|my|a|the|some|their) (\w+ )?(arm|leg|wrist|ankle|knee|back|head|hip|foot|hand|neck|shoulder|face|finger|elbow|nose|ribs?|toe|bone|bruises?|scratch(es)?|scrapes?|sprain|cuts?|bumps?)|taken to (the )?hospital|(went|go|going) to the (hospital|er|emergency room|doctor)|in pain|ambulance (came|took))").expect("clippy compiles every pattern")
});
static NOBODY_ES: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\b(herid[oa]s? (no|ningun[oa]?|nadie)|ningun[oa]? (herid|lastim|lesion)\w+|nadie( \w+){0,3} (herid\w+|lastim\w+|golpe\w+)|no (hubo|hay|habia) (\w+ )?(herid\w+|lesion\w+|lastim\w+)|sin (herid\w+|lesion\w+)|no (estoy|esta|estan|estamos|salio|sali|salieron|resulto|fue) (\w+ )?(herid\w+|lastim\w+|lesion\w+)|no se (lastimo|hirio|golpeo)|no me (lastime|paso nada|hice nada)|todos (estan |estamos )?bien|nadie (salio|resulto)|afortunadamente no)").expect("clippy compiles every pattern")
});
static SOMEBODY_ES: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\b(herid[oa]s?|lastimad[oa]s?|lesionad[oa]s?|sangr\w+|(se|me|nos) (lastim|hiri)\w+|(se|me) (golpe|romp|fractur|torc|cort|quem|quebr)\w+( (en )?(el|la|los|las|mi|su|un|una))? (brazo|pierna|muneca|tobillo|rodilla|espalda|cabeza|cadera|pie|mano|cuello|hombro|cara|dedo|codo|nariz|costilla\w*|hueso)|me (golpe|quem|cort)\w+|me duele|(al|en el) hospital|ambulancia (vino|se lo llevo)|moretones?|contusion|puntadas|adolorid[oa])").expect("clippy compiles every pattern")
});

/// So few words say that somebody is well, and of nothing that was.
const WELL_ALONE: usize = 4;

fn injured(ear: Ear, text: &str, asked: bool) -> Option<Filled> {
    let plain = ear.plain(text);
    let says = &ear.cues().says;
    let (nobody, somebody, well) = match ear.0 {
        Language::En => (&NOBODY, &SOMEBODY, &WELL),
        Language::Es => (&NOBODY_ES, &SOMEBODY_ES, &WELL_ES),
    };
    let hit = |re: &LazyLock<Regex>| re.is_match(&plain);
    let yes = || Filled::new("yes", says.hurt);
    let no = || Filled::new("no", says.unhurt);
    if hit(&UNSURE) && hit(&ANYBODY) {
        return None;
    }
    if hit(nobody) {
        return Some(no());
    }
    if hit(somebody) {
        return Some(yes());
    }
    // "Yes, my husband, but he's fine" is a yes; "he's fine" alone, and "yes, I'm fine", are none.
    let well = hit(well);
    let bare = plain.split(' ').count() <= WELL_ALONE;
    if !asked || ear.is_question(text) {
        return well.then(no);
    }
    match ear.yes_no(text) {
        Some(YesNo::Yes) if well && bare => Some(no()),
        Some(YesNo::Yes) => Some(yes()),
        Some(YesNo::No) => Some(no()),
        None if well || hit(&THINGS_ALONE) => Some(no()),
        // "My car was hit" says what happened.
        None if account::tells_event(ear, text) => None,
        // "Just me", "my daughter, a little": somebody was.
        None => ear.cues().somebody.iter().any(|p| plain.starts_with(p)).then(yes),
    }
}

// ---------------------------------------------------------------- numbers

fn phone_read(text: &str, context: Context<'_>) -> Read {
    let ear = context.ear;
    match ear.phone(text, context.digits, context.area_code) {
        Some(PhoneAnswer::Whole(found)) => Read::Value(Filled::new(found.e164(), found.spoken())),
        Some(PhoneAnswer::Part(digits)) if digits.len() >= 3 => Read::Part(digits),
        Some(PhoneAnswer::Part(_)) | None if declines(ear, text) => Read::Declined,
        Some(PhoneAnswer::Wrong) => Read::Wrong,
        _ => Read::Nothing,
    }
}

/// A PIN that is said in the same breath is no part of the number.
fn claim_number(ear: Ear, text: &str) -> Option<Filled> {
    static PIN: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)\b(pin|p\.? i\.? n|clave|c[oó]digo)\b").expect("clippy compiles every pattern")
    });
    let end = PIN.find(text).map_or(text.len(), |found| found.start());
    ear.claim_digits(&text[..end]).as_deref().map(claim)
}

fn stated_claim_number(ear: Ear, text: &str) -> Option<Filled> {
    let plain = ear.plain(text);
    let joined = plain.replace(' ', "");
    let marked = ear.cues().claim.iter().any(|mark| joined.contains(mark));
    // "What happened with my claim, 1-9862": the number behind the word, unless it is a sum or a year.
    let behind = || {
        let named = match ear.0 {
            Language::En => "claim",
            Language::Es => "reclamo",
        };
        let (_, tail) = plain.rsplit_once(named)?;
        let sum = text.contains('$') || tail.contains("dollar") || tail.contains("dolar");
        claim_number(ear, tail).filter(|claim| !sum && claim.value.len() >= "CLM-".len() + CLAIM_DIGITS)
    };
    if marked { claim_number(ear, text) } else { behind() }
}

/// Fewer digits behind the word "claim" may be a year.
const CLAIM_DIGITS: usize = 5;

fn claim(digits: &str) -> Filled {
    let number = format!("CLM-{digits}");
    Filled::new(number.clone(), number)
}

/// Anything that can be held against a claim's holder: a date of birth, a phone number, or a name.
fn proof(ear: Ear, text: &str, now: NaiveDateTime) -> Option<Filled> {
    let known = ear.birth_date(text, now.date()).is_some()
        || ear.whole_phone(text).is_some()
        || ear.name_answered(text).is_some();
    (known && !ear.is_bare_yes_no(text)).then(|| Filled::new(text.trim(), ear.cues().says.details))
}

/// "Name is Whitfield", "born March 3rd 1961", beside a claim number.
fn stated_proof(ear: Ear, text: &str) -> Option<Filled> {
    let plain = ear.plain(text);
    let marked = ear.cues().proof.iter().any(|m| plain.contains(m));
    marked.then(|| Filled::new(text.trim(), ear.cues().says.details))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use chrono::NaiveDate;

    use super::*;

    fn context() -> Context<'static> {
        let now = NaiveDate::from_ymd_opt(2026, 11, 22).unwrap().and_hms_opt(9, 0, 0).unwrap();
        Context { ear: Ear(Language::En), now, area_code: "202", digits: "" }
    }

    fn value(kind: SlotKind, text: &str) -> Option<String> {
        match answered(kind, text, context()) {
            Read::Value(filled) => Some(filled.value),
            _ => None,
        }
    }

    #[test]
    fn injuries_yes_and_no() {
        for text in [
            "Yes.",
            "I hurt my back.",
            "Yes, my wife broke her arm",
            "She was taken to the hospital",
            "Just me, a little",
            "Only his ankle. He's fine now.",
            "Yes, my husband, he turned it on the step, but he's fine",
            "he's bleeding, I was injured",
        ] {
            assert_eq!(value(SlotKind::Injured, text).as_deref(), Some("yes"), "{text}");
        }
        for text in [
            "No.",
            "Nobody was hurt.",
            "no injuries",
            "Everyone is fine",
            "No, thank God",
            "No one got hurt",
            "He's fine",
            "Yes, I'm fine",
            "Only the car",
        ] {
            assert_eq!(value(SlotKind::Injured, text).as_deref(), Some("no"), "{text}");
        }
        for (text, told) in [
            ("It was fine on Saturday, it was fine then", None),
            ("There was only my truck and this white flatbed", None),
            ("I didn't say nobody was hurt, I don't know that", None),
            ("Nobody was hurt, the rail is just bent", Some("no")),
            ("He's fine now", Some("no")),
            ("My husband hurt his back", Some("yes")),
        ] {
            let unasked = stated(SlotKind::Injured, text, context()).map(|found| found.value);
            assert_eq!(unasked.as_deref(), told, "{text}");
        }
        assert_eq!(value(SlotKind::Injured, "I don't know if anyone got hurt"), None);
        let es = Context { ear: Ear(Language::Es), ..context() };
        for (text, told) in [
            ("se rompió la tubería y se quemó la bomba", None),
            ("mi mamá se rompió la cadera", Some("yes")),
            ("me quemé con el agua", Some("yes")),
        ] {
            let unasked = stated(SlotKind::Injured, text, es).map(|found| found.value);
            assert_eq!(unasked.as_deref(), told, "{text}");
        }
    }

    #[test]
    fn claim_numbers() {
        for text in [
            "CLM-20417",
            "C L M two oh four one seven",
            "claim number 20417",
            "It's 2 0 4 1 7.",
            "clm 20 417",
            "it's 20417 and the PIN is 4417",
        ] {
            assert_eq!(value(SlotKind::ClaimNumber, text).as_deref(), Some("CLM-20417"), "{text}");
        }
        assert_eq!(value(SlotKind::ClaimNumber, "I don't have it"), None);
        let stated = |text| stated(SlotKind::ClaimNumber, text, context()).map(|found| found.value);
        assert_eq!(
            stated("I want to know what happened with my claim, 1-9862.").as_deref(),
            Some("CLM-19862")
        );
        assert_eq!(stated("I filed a claim in 2024"), None);
        assert_eq!(stated("a claim over $12,000"), None);
    }

    #[test]
    fn a_place_is_not_a_name_or_a_number() {
        assert_eq!(value(SlotKind::Place, "My name is John Smith"), None);
        assert_eq!(value(SlotKind::Place, "202 555 0143"), None);
        assert_eq!(value(SlotKind::Place, "yesterday around 3"), None);
        assert_eq!(
            value(SlotKind::Place, "the bus stop by the school").as_deref(),
            Some("the bus stop by the school")
        );
    }

    #[test]
    fn addresses_need_a_number() {
        assert_eq!(value(SlotKind::Address, "412 Birchwood").as_deref(), Some("412 Birchwood"));
        assert_eq!(
            value(SlotKind::Address, "It's four twelve birchwood lane").as_deref(),
            Some("412 Birchwood Lane")
        );
        assert_eq!(value(SlotKind::Address, "next to the school"), None);
    }

    #[test]
    fn declining_is_understood() {
        for kind in [SlotKind::Phone, SlotKind::Name, SlotKind::When] {
            assert_eq!(answered(kind, "I'd rather not say", context()), Read::Declined, "{kind:?}");
        }
    }
}
