//! A recogniser over the network, simulated: it knows the true words, tells them late and on a clock of its own, and
//! says nothing of intonation. A sentence's end is marked where there is one, and nothing else is.

use std::collections::VecDeque;

use pipeline::ports::{SttCommand, SttEvent};
use pipeline::turn::UtteranceId;
use telephony::media::CallTime;

use crate::clips::Word;
use crate::virtual_call::Ear;

/// Between interims, and from a pause to its final, ms.
const EVERY_MS: u64 = 250;
const FINAL_MS: u64 = 60;
/// A word is written once this share of it was said.
const WRITTEN_FROM: f64 = 0.67;

/// Marks of punctuation that a recogniser may add to a final.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marks {
    /// At the end of a sentence only.
    True,
    /// A full stop after every final: it takes each pause for an end.
    Always,
}

/// One call's recogniser.
#[derive(Debug)]
pub struct CloudEar {
    words: Vec<Word>,
    behind_ms: u64,
    marks: Marks,
    written_from: f64,
    /// Between interims.
    every_ms: u64,
    /// Next interim.
    tick_ms: u64,
    open: Option<UtteranceId>,
    /// Words up to here belong to utterances that are over.
    spent_ms: u64,
    paused_ms: u64,
    shown: String,
    due: VecDeque<(CallTime, SttEvent)>,
}

impl CloudEar {
    /// A recogniser that will hear these words, so far behind. `phase`: where in the quarter second its clock is.
    #[must_use]
    pub fn new(words: Vec<Word>, behind_ms: u64, phase_ms: u64) -> Self {
        Self {
            words,
            behind_ms,
            marks: Marks::True,
            written_from: WRITTEN_FROM,
            every_ms: EVERY_MS,
            tick_ms: phase_ms % EVERY_MS,
            open: None,
            spent_ms: 0,
            paused_ms: 0,
            shown: String::new(),
            due: VecDeque::new(),
        }
    }

    /// A recogniser that writes as often as this.
    #[must_use]
    pub fn with_interims_each(self, every_ms: u64) -> Self {
        Self { every_ms, tick_ms: self.tick_ms % every_ms, ..self }
    }

    #[must_use]
    pub fn with_marks(self, marks: Marks) -> Self {
        Self { marks, ..self }
    }

    /// A recogniser that writes no word before it is over.
    #[must_use]
    pub fn with_whole_words(self) -> Self {
        Self { written_from: 1.0, ..self }
    }

    /// Words that are known by then and belong to the open utterance.
    fn text(&self, by_ms: u64) -> String {
        let known = |w: &Word| w.from_ms + ((w.to_ms - w.from_ms) as f64 * self.written_from) as u64;
        let said = self.words.iter().filter(|w| w.to_ms > self.spent_ms && known(w) <= by_ms);
        said.map(|w| w.text.as_str()).collect::<Vec<_>>().join(" ")
    }

    fn final_text(&self, by_ms: u64) -> String {
        let text = self.text(by_ms);
        let bare = !text.is_empty() && !text.ends_with(['.', '?', '!']);
        if self.marks == Marks::Always && bare { format!("{text}.") } else { text }
    }

    fn tick(&mut self) -> Option<SttEvent> {
        let text = self.text(self.tick_ms.saturating_sub(self.behind_ms));
        self.tick_ms += self.every_ms;
        if text.is_empty() || text == self.shown {
            return None;
        }
        let Some(utterance) = self.open else { return Some(SttEvent::SpeechHeard) };
        self.shown.clone_from(&text);
        Some(SttEvent::Interim { utterance, text })
    }
}

impl Ear for CloudEar {
    fn command(&mut self, now: CallTime, command: &SttCommand) {
        match *command {
            SttCommand::SpeechStarted { utterance } => {
                self.open = Some(utterance);
                self.shown.clear();
            }
            SttCommand::Pause { utterance, pause, .. } => {
                self.paused_ms = now.as_ms();
                let text = self.final_text(self.paused_ms);
                let (alternatives, settled) = (Vec::new(), true);
                let done =
                    SttEvent::Final { utterance, pause, text, confidence: 0.95, alternatives, settled };
                self.due.push_back((CallTime::from_ms(self.paused_ms + FINAL_MS), done));
            }
            SttCommand::Ended { .. } => {
                self.open = None;
                self.spent_ms = self.paused_ms;
            }
            SttCommand::Resumed { .. } | SttCommand::Audio(_) | SttCommand::Language(_) => {}
        }
    }

    fn next(&self) -> Option<CallTime> {
        let tick = CallTime::from_ms(self.tick_ms);
        Some(self.due.front().map_or(tick, |(at, _)| tick.min(*at)))
    }

    fn poll(&mut self, now: CallTime) -> Option<SttEvent> {
        if let Some((_, event)) = self.due.pop_front_if(|(at, _)| *at <= now) {
            return Some(event);
        }
        while CallTime::from_ms(self.tick_ms) <= now {
            if let Some(event) = self.tick() {
                return Some(event);
            }
        }
        None
    }
}

/// A recogniser that answers every pause at once and says nothing of it: what is left of the session is its
/// detector and its clock.
#[derive(Debug, Default)]
pub struct NoEar(Option<(CallTime, SttEvent)>);

impl Ear for NoEar {
    fn command(&mut self, now: CallTime, command: &SttCommand) {
        if let SttCommand::Pause { utterance, pause, .. } = *command {
            self.0 = Some((
                now,
                SttEvent::Final {
                    utterance,
                    pause,
                    text: "words".into(),
                    confidence: 1.0,
                    alternatives: Vec::new(),
                    settled: true,
                },
            ));
        }
    }

    fn next(&self) -> Option<CallTime> {
        self.0.as_ref().map(|(at, _)| *at)
    }

    fn poll(&mut self, _: CallTime) -> Option<SttEvent> {
        self.0.take().map(|(_, event)| event)
    }
}

#[cfg(test)]
mod tests {
    use pipeline::turn::Expectation;

    use super::*;

    const ONE: UtteranceId = UtteranceId(1);

    fn ear() -> CloudEar {
        let word = |text: &str, from_ms, to_ms| Word { text: text.into(), from_ms, to_ms };
        CloudEar::new(vec![word("I", 0, 100), word("pay.", 100, 300), word("Now", 900, 1_200)], 100, 0)
    }

    fn all(ear: &mut CloudEar, ms: u64) -> Vec<SttEvent> {
        std::iter::from_fn(|| ear.poll(CallTime::from_ms(ms))).collect()
    }

    fn texts(events: &[SttEvent]) -> Vec<&str> {
        let text = |e| match e {
            &SttEvent::Interim { ref text, .. } | &SttEvent::Final { ref text, .. } => Some(text.as_str()),
            _ => None,
        };
        events.iter().filter_map(text).collect()
    }

    #[test]
    fn interims_tell_words_that_were_all_but_over_so_long_ago() {
        let mut ear = ear();
        ear.command(CallTime::from_ms(60), &SttCommand::SpeechStarted { utterance: ONE });
        assert!(texts(&all(&mut ear, 0)).is_empty());
        assert_eq!(texts(&all(&mut ear, 250)), ["I"]);
        assert_eq!(texts(&all(&mut ear, 499)), [""; 0]);
        assert_eq!(texts(&all(&mut ear, 500)), ["I pay."]);
    }

    #[test]
    fn a_final_comes_after_its_time_and_the_next_utterance_has_the_later_words_only() {
        let mut ear = ear();
        ear.command(CallTime::from_ms(60), &SttCommand::SpeechStarted { utterance: ONE });
        ear.command(
            CallTime::from_ms(560),
            &SttCommand::Pause { utterance: ONE, pause: 1, asked: Expectation::Open },
        );
        assert_eq!(texts(&all(&mut ear, 619)), ["I", "I pay."]);
        assert_eq!(texts(&all(&mut ear, 620)), ["I pay."]);
        ear.command(CallTime::from_ms(900), &SttCommand::Ended { utterance: ONE });
        ear.command(CallTime::from_ms(1_000), &SttCommand::SpeechStarted { utterance: UtteranceId(2) });
        assert_eq!(texts(&all(&mut ear, 1_500)), ["Now"]);
    }

    #[test]
    fn words_without_an_utterance_ask_for_one() {
        let mut ear = ear();
        assert_eq!(all(&mut ear, 250), [SttEvent::SpeechHeard]);
    }

    #[test]
    fn a_recogniser_that_marks_always_marks_what_is_not_over() {
        let mut ear = CloudEar { marks: Marks::Always, ..ear() };
        ear.command(CallTime::from_ms(60), &SttCommand::SpeechStarted { utterance: ONE });
        ear.command(
            CallTime::from_ms(150),
            &SttCommand::Pause { utterance: ONE, pause: 1, asked: Expectation::Open },
        );
        assert_eq!(texts(&all(&mut ear, 210)), ["I."]);
    }
}
