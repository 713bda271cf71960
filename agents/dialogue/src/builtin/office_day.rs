//! "Are you open tomorrow?": the office's hours of one day.

use chrono::{Datelike, Days};
use language::open_days::{day_asked, spoken_when};

use super::turn::Turn;

impl Turn<'_> {
    /// Tells when the office is open on the day that was asked of, holidays included, and the week's hours where it is closed then.
    /// `false` where more is to be told: no day was asked of, its hours are not known, or the address or the number is asked for too.
    pub(super) fn office_on(&mut self, text: &str) -> bool {
        let (facts, today) = (self.view.facts, self.view.now.date());
        let week = facts.week();
        if !facts.hours_known || week.is_empty() {
            return false;
        }
        let Some(asked) = day_asked(self.ear, text, today) else { return false };
        let mut ahead = (0..7).filter_map(|days| today.checked_add_days(Days::new(days)));
        let Some(date) = ahead.find(|date| date.weekday() == asked.weekday) else { return false };
        let when = spoken_when(self.ear, asked);
        let from = self.out.len();
        match week.on(asked.weekday).filter(|_| !facts.holidays.contains_key(&date)) {
            Some(span) => {
                let time = span.spoken(self.state.language);
                self.say_with("office_open_on", &[("when", &when), ("time", &time)]);
            }
            None => {
                self.say_with("office_closed_on", &[("when", &when)]);
                self.say_with("office_week", &[("week", &facts.hours(self.state.language))]);
            }
        }
        let kinds = &self.script.acts.facts;
        let said: Vec<&str> = self.out[from..].iter().map(|say| say.text.as_str()).collect();
        if kinds.given(&kinds.asked(text), &said.join(" ")).is_some_and(|share| share < 1.0) {
            self.out.truncate(from + 1);
            return false;
        }
        self.say("office_others");
        true
    }
}
