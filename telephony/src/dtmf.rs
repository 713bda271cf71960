//! Collects key presses into an answer.
//!
//! The carrier gives a key press without duration, so a repeated digit is a digit pressed twice.

#![deny(clippy::disallowed_methods)]

use std::time::Duration;

use crate::media::CallTime;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DtmfConfig {
    /// Silence after a digit that ends the entry.
    pub inter_digit: Duration,
    /// Digits that make the entry complete. At least one.
    pub max_digits: usize,
}

impl Default for DtmfConfig {
    fn default() -> Self {
        Self { inter_digit: Duration::from_secs(3), max_digits: 32 }
    }
}

/// What ended an entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DigitsEnd {
    Pound,
    Full,
    TimeOut,
}

/// A complete entry.
#[derive(Clone, PartialEq, Eq)]
pub struct Digits {
    /// `0`–`9` and `A`–`D`. Empty when `#` came first.
    pub digits: String,
    pub end: DigitsEnd,
}

impl std::fmt::Debug for Digits {
    /// Digits can be secrets.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Digits({} keys, {:?})", self.digits.len(), self.end)
    }
}

/// Collector of one call. `#` ends the entry, `*` begins it anew.
#[derive(Clone, Default)]
pub struct DigitCollector {
    config: DtmfConfig,
    digits: String,
    deadline: Option<CallTime>,
}

impl std::fmt::Debug for DigitCollector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "DigitCollector({} keys, {:?})", self.digits.len(), self.deadline)
    }
}

impl DigitCollector {
    #[must_use]
    pub const fn new(config: DtmfConfig) -> Self {
        Self { config, digits: String::new(), deadline: None }
    }

    /// Changes what is expected; keys of an unfinished entry are kept.
    pub const fn expect(&mut self, config: DtmfConfig) {
        self.config = config;
    }

    /// Takes a key pressed at `now`. Gives the entry when this key completes it. Anything but a key is ignored.
    pub fn push(&mut self, now: CallTime, key: char) -> Option<Digits> {
        match key {
            '#' => return Some(self.complete(DigitsEnd::Pound)),
            '*' => {
                self.clear();
                return None;
            }
            '0'..='9' | 'A'..='D' => self.digits.push(key),
            _ => return None,
        }
        if self.digits.len() >= self.config.max_digits {
            return Some(self.complete(DigitsEnd::Full));
        }
        self.deadline = Some(now + self.config.inter_digit);
        None
    }

    /// Gives the entry when its time is over.
    pub fn poll(&mut self, now: CallTime) -> Option<Digits> {
        self.deadline.filter(|&at| now >= at).map(|_| self.complete(DigitsEnd::TimeOut))
    }

    /// When [`DigitCollector::poll`] will give an entry, if no key comes before.
    #[must_use]
    pub const fn deadline(&self) -> Option<CallTime> {
        self.deadline
    }

    /// Keys of the unfinished entry.
    #[must_use]
    pub fn so_far(&self) -> &str {
        &self.digits
    }

    /// An entry has begun.
    #[must_use]
    pub const fn is_collecting(&self) -> bool {
        self.deadline.is_some()
    }

    /// Forgets an unfinished entry.
    pub fn clear(&mut self) {
        self.digits.clear();
        self.deadline = None;
    }

    fn complete(&mut self, end: DigitsEnd) -> Digits {
        self.deadline = None;
        Digits { digits: std::mem::take(&mut self.digits), end }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn press(collector: &mut DigitCollector, at_ms: u64, keys: &str) -> Option<Digits> {
        keys.chars().fold(None, |_, key| collector.push(CallTime::from_ms(at_ms), key))
    }

    fn entry(digits: &str, end: DigitsEnd) -> Option<Digits> {
        Some(Digits { digits: digits.into(), end })
    }

    #[test]
    fn pound_ends_and_repeated_digits_count() {
        let mut collector = DigitCollector::default();
        assert_eq!(press(&mut collector, 0, "1122"), None);
        assert_eq!(press(&mut collector, 100, "#"), entry("1122", DigitsEnd::Pound));
        assert_eq!(collector.deadline(), None);
        assert_eq!(press(&mut collector, 200, "#"), entry("", DigitsEnd::Pound));
    }

    #[test]
    fn letters_of_the_keypad_count_and_others_are_ignored() {
        let mut collector = DigitCollector::default();
        assert_eq!(press(&mut collector, 0, "E0A?D"), None);
        assert_eq!(press(&mut collector, 100, "#"), entry("0AD", DigitsEnd::Pound));
    }

    #[test]
    fn each_digit_restarts_the_clock() {
        let mut collector = DigitCollector::default();
        press(&mut collector, 0, "4");
        press(&mut collector, 2_999, "2");
        assert_eq!(collector.poll(CallTime::from_ms(5_998)), None);
        assert_eq!(collector.deadline(), Some(CallTime::from_ms(5_999)));
        assert_eq!(collector.poll(CallTime::from_ms(5_999)), entry("42", DigitsEnd::TimeOut));
        assert_eq!(collector.poll(CallTime::from_ms(9_999)), None);
    }

    #[test]
    fn star_begins_anew_and_the_length_completes() {
        let mut collector = DigitCollector::new(DtmfConfig { max_digits: 4, ..DtmfConfig::default() });
        assert_eq!(press(&mut collector, 0, "99*"), None);
        assert!(!collector.is_collecting());
        assert_eq!(press(&mut collector, 10, "12x3A"), entry("123A", DigitsEnd::Full));
    }

    #[test]
    fn digits_are_not_printed() {
        let mut collector = DigitCollector::default();
        press(&mut collector, 0, "8675309");
        assert!(!format!("{collector:?}").contains("8675309"));
        assert!(!format!("{:?}", press(&mut collector, 1, "#")).contains("8675309"));
    }
}
