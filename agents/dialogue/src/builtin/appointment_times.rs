//! Offering free times and understanding the choice.

use chrono::{Datelike, Days, NaiveDate, Timelike};
use pipeline::turn::Expectation;

use super::beliefs::days::{day_wanted, last_day, ruled_out};
use super::script::{Slot, SlotKind};
use super::slots::{self, Read};
use super::state::{Filled, Pending};
use super::step::{Lookup, Opening};
use super::turn::Turn;
use language::Ear;
use language::YesNo;
use language::weeks::week_named;
use language::{Direction, Language, Part, When};

/// Times offered at once: more cannot be remembered on the phone.
const OFFERED: usize = 3;

impl Turn<'_> {
    /// Offers the next free times that suit the preferred day.
    pub(super) fn offer_openings(&mut self) {
        let Some(all) = self.free() else { return };
        let day =
            self.state.task().and_then(|t| t.slots.get("day")).map_or("any", |d| d.value.as_str()).to_owned();
        let suiting: Vec<Opening> = all.iter().filter(|o| suits(o, &day)).cloned().collect();
        if !suiting.is_empty() || day == "any" {
            return self.offer(spread(if suiting.is_empty() { &all } else { &suiting }), "openings");
        }
        let date = day.split(' ').next().and_then(|date| date.parse().ok());
        self.none_on(date.filter(|date| !self.is_ruled_out(*date)), &all);
    }

    /// Nothing is free on the day that was asked for, and what is on others. `None`: not at the time that was, or on a day that
    /// the caller cannot.
    fn none_on(&mut self, date: Option<NaiveDate>, all: &[Opening]) {
        let offer = spread(all);
        let Some(date) = date.filter(|_| !offer.is_empty()) else {
            return self.offer(offer, "openings_none_day");
        };
        self.say_with("openings_none_on", &[("day", &self.ear.spoken_date(date))]);
        self.offer(offer, "openings_next");
    }

    /// Days that the caller cannot are offered no more, until they ask for one of them after all.
    pub(super) fn rule_out_days(&mut self, text: &str) {
        let (ear, now) = (self.ear, self.view.now);
        let date = |part: &str| ear.when(part, now, Direction::Future).and_then(|when| when.date);
        let mut out: Vec<NaiveDate> = ruled_out(ear, text).into_iter().filter_map(date).collect();
        // "Next week, not Wednesday": that of the week that is meant.
        if let Some((from, _)) = week_named(ear, text, now.date()).filter(|(from, _)| *from > now.date()) {
            let later: Vec<NaiveDate> =
                out.iter().filter_map(|date| date.checked_add_days(Days::new(7))).collect();
            out.extend(later.into_iter().filter(|date| *date >= from));
        }
        let wanted = date(&last_day(ear, &day_wanted(ear, text))).filter(|wanted| !out.contains(wanted));
        self.task_mut(|task| {
            task.ruled_out.extend(out);
            if let Some(wanted) = wanted {
                task.ruled_out.remove(&wanted);
            }
        });
    }

    fn offer(&mut self, offer: Vec<Opening>, key: &str) {
        if offer.is_empty() {
            return self.nothing_free();
        }
        if self.state.tasks.last_mut().and_then(|t| t.count("opening")).is_none() {
            return self.abandon();
        }
        let key = if offer.len() == 1 && key == "openings" { "opening_one" } else { key };
        self.say_with(key, &[("openings", &listed(self.ear, &offer))]);
        self.expects = Expectation::Date;
        if let Some(task) = self.state.tasks.last_mut() {
            task.offered = offer;
        }
    }

    fn nothing_free(&mut self) {
        self.state.tasks.pop();
        self.ask_pending("openings_none", Pending::Offer("person".to_owned()));
    }

    /// Free times not turned down yet; asks for the look-up when they were not read.
    fn free(&mut self) -> Option<Vec<Opening>> {
        let Some(openings) = &self.view.openings else {
            self.wants = Some(Lookup::Openings);
            return None;
        };
        let task = self.state.task();
        let is_left = |o: &&Opening| {
            task.is_none_or(|t| !t.refused.contains(&o.id) && !t.ruled_out.contains(&o.starts.date()))
        };
        Some(openings.iter().filter(is_left).cloned().collect())
    }

    /// The caller's choice among the offered times, or another wish.
    pub(super) fn choose_opening(&mut self, text: &str) {
        self.rule_out_days(text);
        let text = without_reason(self.ear, text);
        let Some(all) = self.free() else { return };
        let mut offered = self.state.task().map(|t| t.offered.clone()).unwrap_or_default();
        offered.retain(|o| !self.is_ruled_out(o.starts.date()));
        let ear = self.ear;
        // "Better Friday, Thursday I work": only what is wanted counts.
        let wanted = last_day(ear, &day_wanted(ear, self.preferred(text)));
        let text = wanted.as_str();
        if let Some(of_week) = self.of_week(text, &all) {
            return self.offer(of_week, "openings");
        }
        let wish = ear.when(text, self.view.now, Direction::Future);
        // "Do you have anything in the afternoon?" wants to hear what there is, not to take it.
        let asks = ear.is_question(text) && !ear.plain(text).starts_with(ear.cues().may_i);
        if let Some(opening) = picked(ear, text, &offered, wish.as_ref()).filter(|_| !asks) {
            return self.take_opening(&opening);
        }
        let fits = |o: &&Opening| wish.as_ref().is_some_and(|w| matches(o, w));
        let days: Vec<_> = offered.iter().map(|o| o.starts.date()).collect();
        let near = |o: &&Opening| {
            asks && wish.as_ref().is_some_and(|w| w.date.is_none()) && days.contains(&o.starts.date())
        };
        let among: Vec<Opening> = if asks {
            all.iter().filter(fits).filter(near).take(OFFERED).cloned().collect()
        } else {
            offered.iter().filter(fits).cloned().collect()
        };
        let elsewhere: Vec<Opening> = all.iter().filter(fits).cloned().collect();
        let gone = wish.as_ref().and_then(|wish| wish.date).filter(|date| self.is_ruled_out(*date));
        let more = wants_other(ear, text) || gone.is_some();
        match (among.len(), elsewhere.len()) {
            (1.., _) if asks => self.offer(among, "openings"),
            (2.., _) => self.offer(among, "openings"),
            (_, 1) if !more && !asks => self.take_opening(&elsewhere[0]),
            (_, 1..) => self.offer(elsewhere.into_iter().take(OFFERED).collect(), "openings"),
            _ if gone.is_none() && wish.as_ref().is_some_and(|wish| wish.date.is_some()) => {
                let day = wish.and_then(|wish| wish.date);
                let date = day.filter(|day| all.iter().all(|o| o.starts.date() != *day));
                self.none_on(date, &all);
            }
            _ if wish.is_some() && !more => self.none_on(None, &all),
            _ if more => self.offer_others(&all, &offered),
            _ if ear.is_question(text) => self.digress(text),
            _ => self.offer(offered, "openings"),
        }
    }

    /// Free times of a week that the caller would rather have, where it names no day and there are any.
    fn of_week(&self, text: &str, all: &[Opening]) -> Option<Vec<Opening>> {
        let (from, to) = week_named(self.ear, text, self.view.now.date())?;
        let of_week: Vec<Opening> =
            all.iter().filter(|o| (from..=to).contains(&o.starts.date())).cloned().collect();
        let named = slots::answered(SlotKind::Day, text, self.context());
        let whole = matches!(named, Read::Value(value) if value.value.contains('/'));
        (whole && !of_week.is_empty()).then(|| spread(&of_week))
    }

    /// "The one at nine, no, the concrete comes at nine, better ten thirty": what is wanted after all, where a time stands behind it.
    fn preferred<'t>(&self, text: &'t str) -> &'t str {
        let marks: &[&str] = match self.ear.0 {
            Language::En => &[" better ", " make it ", " make that "],
            Language::Es => &[" mejor ", " más bien ", " mas bien "],
        };
        let lower = text.to_lowercase();
        let behind = marks.iter().filter_map(|mark| Some(lower.rfind(mark)? + mark.len())).max();
        let rest =
            behind.filter(|_| lower.len() == text.len()).and_then(|at| text.get(at..)).unwrap_or_default();
        let hour = |text: &str| {
            self.ear.when(text, self.view.now, Direction::Future).is_some()
                || bare_hour(self.ear, text).is_some()
        };
        if hour(rest) { rest } else { text }
    }

    /// A day as it was read; another that is named in the same breath, or any, where the caller cannot on this one.
    pub(super) fn not_ruled_out(&mut self, slot: &Slot, value: Filled, text: &str) -> Filled {
        self.rule_out_days(text);
        let date = |value: &Filled| value.value.split(' ').next().and_then(|date| date.parse().ok());
        let stands = |turn: &Self, value: &Filled| date(value).is_none_or(|date| !turn.is_ruled_out(date));
        if stands(self, &value) {
            return value;
        }
        let wanted = last_day(self.ear, &day_wanted(self.ear, text));
        match slots::answered(slot.kind, &wanted, self.context()) {
            Read::Value(other) if stands(self, &other) => other,
            _ => Filled::new("any", self.ear.cues().says.any_day),
        }
    }

    /// Whether a day as it is kept is one that the caller cannot.
    pub(super) fn is_out(&self, day: &str) -> bool {
        let date = day.split(' ').next().and_then(|date| date.parse().ok());
        date.is_some_and(|date| self.is_ruled_out(date))
    }

    fn is_ruled_out(&self, date: NaiveDate) -> bool {
        self.state.task().is_some_and(|task| task.ruled_out.contains(&date))
    }

    fn offer_others(&mut self, all: &[Opening], offered: &[Opening]) {
        let ids: Vec<_> = offered.iter().map(|o| o.id).collect();
        if let Some(task) = self.state.tasks.last_mut() {
            task.refused.extend(ids.iter().copied());
        }
        let rest: Vec<Opening> = all.iter().filter(|o| !ids.contains(&o.id)).cloned().collect();
        self.offer(spread(&rest), "openings_more");
    }

    /// "Actually, three o'clock is better": another free time on the chosen day, or on the day that was said.
    pub(super) fn change_opening(&mut self, text: &str) -> bool {
        let Some(wish) = self
            .ear
            .when(text, self.view.now, Direction::Future)
            .filter(|w| w.time.is_some() || w.date.is_some())
        else {
            return false;
        };
        let Some(chosen) = self.state.task().and_then(|t| t.chosen.clone()) else { return false };
        let Some(all) = self.free() else { return false };
        let day = wish.date.unwrap_or(chosen.starts.date());
        let time = wish.time.unwrap_or(chosen.starts.time());
        let wish = When { date: Some(day), time: Some(time), part: None };
        let Some(opening) = only(&all, |o| matches(o, &wish)).filter(|o| o.id != chosen.id) else {
            return false;
        };
        self.set_opening(&opening);
        true
    }

    fn set_opening(&mut self, opening: &Opening) {
        let spoken = self.ear.spoken_moment(opening.starts);
        if let Some(task) = self.state.tasks.last_mut() {
            task.fill("opening", Filled::new(opening.starts.format("%Y-%m-%dT%H:%M").to_string(), spoken));
            task.chosen = Some(opening.clone());
        }
    }

    fn take_opening(&mut self, opening: &Opening) {
        self.set_opening(opening);
        self.did("opening", "noted");
        self.say("noted");
        self.advance();
    }
}

fn picked(ear: Ear, text: &str, offered: &[Opening], wish: Option<&When>) -> Option<Opening> {
    if let Some(opening) = wish.and_then(|w| only(offered, |o| matches(o, w))) {
        return Some(opening);
    }
    let hour = bare_hour(ear, text);
    // "The nine one on Monday". "The 24th" is a date, not the 24th choice, and "Friday at nine" no hour of Thursday's.
    if let Some(date) = wish.and_then(|w| w.date) {
        let on_day = |h: u32| {
            only(offered, |o| {
                o.starts.date() == date && o.starts.hour() % 12 == h % 12 && o.starts.minute() == 0
            })
        };
        return hour.filter(|_| wish.is_some_and(|w| w.time.is_none())).and_then(on_day);
    }
    // "One", of nine or one.
    let plain = ear.plain(text);
    let words: Vec<&str> = plain.split(' ').collect();
    let number = ear.cardinal_at(&words).filter(|(_, used)| *used == words.len()).map(|(number, _)| number);
    let at = |number: u32| only(offered, |o| o.starts.hour() % 12 == number % 12 && o.starts.minute() == 0);
    if let Some(opening) = number.filter(|number| (1..=12).contains(number)).and_then(at) {
        return Some(opening);
    }
    if let Some(n) = ear.choice(text, offered.len()) {
        return offered.get(n).cloned();
    }
    if let Some(opening) = hour.and_then(|h| only(offered, |o| o.starts.hour() % 12 == h % 12)) {
        return Some(opening);
    }
    (offered.len() == 1 && ear.yes_no(text) == Some(YesNo::Yes)).then(|| offered[0].clone())
}

fn only(offered: &[Opening], fits: impl Fn(&Opening) -> bool) -> Option<Opening> {
    let mut found = offered.iter().filter(|o| fits(o));
    found.next().filter(|_| found.next().is_none()).cloned()
}

/// "The nine one", "nine": an hour without a mark.
fn bare_hour(ear: Ear, text: &str) -> Option<u32> {
    let plain = ear.plain(text);
    let words: Vec<&str> = plain.split(' ').collect();
    // "The later one, ten thirty": "one" is no hour here.
    (0..words.len())
        .filter_map(|n| ear.cardinal_at(&words[n..]))
        .map(|n| n.0)
        .find(|hour| (7..=12).contains(hour))
}

fn matches(opening: &Opening, wish: &When) -> bool {
    let date = wish.date.is_none_or(|d| d == opening.starts.date());
    let time = wish
        .time
        .is_none_or(|t| t.hour() % 12 == opening.starts.hour() % 12 && t.minute() == opening.starts.minute());
    let part = wish.time.is_some() || wish.part.is_none_or(|p| in_part(opening, p));
    date && time && part
}

fn in_part(opening: &Opening, part: Part) -> bool {
    let morning = opening.starts.hour() < 12;
    match part {
        Part::Morning => morning,
        Part::Afternoon | Part::Evening | Part::Night => !morning,
    }
}

/// "At one, because I'm on another site in the morning": why is no time.
fn without_reason(ear: Ear, text: &str) -> &str {
    let lower = text.to_lowercase();
    let why = ear.cues().because.iter().filter_map(|word| lower.find(&format!(" {word} "))).min();
    let before = why.filter(|_| lower.len() == text.len()).and_then(|at| text.get(..at));
    before.filter(|before| before.chars().any(char::is_alphabetic)).unwrap_or(text)
}

/// Whether a free time suits a preference like `2026-11-24`, `2026-11-24 morning`, `2026-11-30/2026-12-04` or `any afternoon`.
fn suits(opening: &Opening, preference: &str) -> bool {
    let (day, part) = preference.split_once(' ').unwrap_or((preference, ""));
    let date = opening.starts.date().to_string();
    // Dates of ISO 8601 are in order as words are.
    let day = match day.split_once('/') {
        Some((from, to)) => (from..=to).contains(&date.as_str()),
        None => day == "any" || date == day,
    };
    let part = match part {
        "morning" => in_part(opening, Part::Morning),
        "" => true,
        _ => in_part(opening, Part::Afternoon),
    };
    day && part
}

/// The first of each half day, so that the three differ.
fn spread(openings: &[Opening]) -> Vec<Opening> {
    let half = |o: &Opening| (o.starts.date(), o.starts.hour() < 12);
    let mut out: Vec<Opening> = Vec::new();
    for opening in openings {
        if out.iter().all(|o| half(o) != half(opening)) && out.len() < OFFERED {
            out.push(opening.clone());
        }
    }
    for opening in openings {
        if out.len() < 2 && !out.contains(opening) {
            out.push(opening.clone());
        }
    }
    out.sort_by_key(|o| o.starts);
    out
}

/// "Tuesday, November 24 at 9 AM or 1 PM, or Wednesday, November 25 at 10 AM".
fn listed(ear: Ear, openings: &[Opening]) -> String {
    let or = ear.cues().says.or;
    let mut parts: Vec<String> = Vec::new();
    let mut day = None;
    for opening in openings {
        let date = opening.starts.date();
        match parts.last_mut().filter(|_| day == Some(date.num_days_from_ce())) {
            Some(part) => {
                part.push_str(&format!(" {or} {}", ear.spoken_time_again(opening.starts.time())));
            }
            None => parts.push(ear.spoken_moment(opening.starts)),
        }
        day = Some(date.num_days_from_ce());
    }
    match parts.pop() {
        Some(last) if !parts.is_empty() => format!("{}, {or} {last}", parts.join(", ")),
        last => last.unwrap_or_default(),
    }
}

fn wants_other(ear: Ear, text: &str) -> bool {
    let plain = ear.plain(text);
    let later = matches!(plain.as_str(), "later" | "mas tarde");
    ear.cues().other_time.iter().any(|c| plain.contains(c)) || later || ear.yes_no(text) == Some(YesNo::No)
}
