//! Turns of callers with pauses inside, made the same way every time, and the rule that splits them into a half to
//! develop with and a half held out.

use anyhow::{Result, ensure};
use pipeline::ports::TextToSpeech;
use pipeline::turn::Expectation;

use crate::clips::{self, Clip, Dice, PER_MS, Prompts, Word};
use crate::turn_openings;
use crate::turn_scripts::{JOINED, NUMBERS, PLAIN, SPOKEN};
use crate::turn_voices::{DEV, HELD_OUT, Voice};

/// Quiet before a turn, and after it, ms.
pub const LEAD_MS: u64 = 800;
const TAIL_MS: u64 = 3_200;
/// Lengths of pauses inside turns, ms. Half are under half a second, one in four is 700 ms or more: more long ones
/// than in most talk, as callers who look for a paper make them.
const PAUSES_MS: [u64; 14] = [200, 240, 280, 320, 360, 400, 450, 500, 550, 600, 700, 800, 950, 1_200];
/// Thinking pauses in what callers say first: from and to, ms.
const THINKING_MS: (u64, u64) = (600, 1_200);
/// How far from where it should be a sentence may be cut, ms.
const APART_MS: usize = 140;
/// Between words of one breath, ms.
const BREATH_MS: u64 = 60;
/// Every so many turns has a noisy line, this loud in turn.
const NOISY_EACH: usize = 3;
const NOISE_DBFS: [f32; 3] = [-52.0, -46.0, -40.0];

/// Where a turn comes from, as the make-up of the set is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    Prompt,
    JoinedPrompts,
    RecordedDigits,
    Voice,
    /// A foreign voice that answers "How can I help you?".
    Opening,
    /// A foreign voice later in a call.
    Later,
}

/// One turn of a caller's.
#[derive(Clone, Debug)]
pub struct Turn {
    pub name: String,
    pub source: Source,
    pub expects: Expectation,
    pub noisy: bool,
    pub held_out: bool,
    /// From before the turn to long after it.
    pub pcm: Vec<f32>,
    /// Pauses that were put in: from and to, ms.
    pub pauses: Vec<(u64, u64)>,
    /// When the last word is over, ms.
    pub end_ms: u64,
    pub words: Vec<Word>,
}

impl Turn {
    /// The pause in which something happened, if it was one.
    #[must_use]
    pub fn pause_at(&self, at_ms: u64) -> Option<(u64, u64)> {
        self.pauses.iter().copied().find(|(from, to)| (*from..=*to + 100).contains(&at_ms))
    }

    /// What had been said by then.
    #[must_use]
    pub fn said_by(&self, at_ms: u64) -> String {
        let said = self.words.iter().filter(|w| w.to_ms <= at_ms).map(|w| w.text.as_str());
        said.collect::<Vec<_>>().join(" ")
    }
}

/// Turns in foreign voices: what callers say first, with a thinking pause and without, and answers to questions. Each
/// half has voices of its own; half of the sentences with a pause are said whole and cut, half piece by piece.
///
/// # Errors
/// A voice is not installed.
pub fn foreign() -> Result<Vec<Turn>> {
    let mut maker = Maker::default();
    let openings = turn_openings::PAUSED.iter().chain(&turn_openings::PLAIN);
    for (n, script) in openings.enumerate() {
        maker.add_foreign(n, Source::Opening, Expectation::Open, script)?;
    }
    for (n, (expects, script)) in SPOKEN.iter().enumerate() {
        maker.add_foreign(n, Source::Later, *expects, script)?;
    }
    Ok(maker.turns)
}

/// A turn of this text in a foreign voice, cut at each `|`; `n` chooses voice, pauses and intonation.
///
/// # Errors
/// The voice is not installed.
pub fn spoken(
    n: usize,
    voices: &[Voice],
    source: Source,
    expects: Expectation,
    script: &str,
) -> Result<Turn> {
    let mut maker = Maker { pauses: n as u64 * 7, ..Maker::default() };
    // A turn that stands alone has noise like the one in its place.
    maker.number = n;
    maker.add_in(voices[n / 2 % voices.len()], n, source, expects, script)?;
    maker.turns.pop().ok_or_else(|| anyhow::anyhow!("no turn was made"))
}

/// All turns. The voice says those that no prompt says.
///
/// # Errors
/// A prompt is missing, or the voice failed.
pub async fn turns(prompts: &Prompts, voice: &dyn TextToSpeech) -> Result<Vec<Turn>> {
    let mut maker = Maker::default();
    for name in PLAIN {
        let clip = prompt(prompts, name)?;
        maker.add(Source::Prompt, Expectation::Open, vec![vec![clip]])?;
    }
    for script in JOINED {
        let groups: Result<Vec<_>> = script.split('|').map(|group| of_prompts(prompts, group)).collect();
        maker.add(Source::JoinedPrompts, Expectation::Open, groups?)?;
    }
    for number in NUMBERS {
        let groups: Result<Vec<_>> = number.split('|').map(|group| digits(prompts, group)).collect();
        maker.add(Source::RecordedDigits, Expectation::Digits, groups?)?;
    }
    for (expects, marked) in SPOKEN {
        let plain = marked.split('|').map(str::trim).collect::<Vec<_>>().join(" ");
        let (pcm, times) = clips::say(voice, &plain).await?;
        let groups = clips::cut(&pcm, &times, marked).into_iter().map(|clip| vec![clip]).collect();
        maker.add(Source::Voice, expects, groups)?;
    }
    Ok(maker.turns)
}

fn prompt(prompts: &Prompts, name: &str) -> Result<Clip> {
    Ok(Clip::new(&prompts.sound(name)?, prompts.text(name)?))
}

fn of_prompts(prompts: &Prompts, group: &str) -> Result<Vec<Clip>> {
    group.split_whitespace().map(|name| prompt(prompts, name)).collect()
}

/// Cuts a sentence that was said whole where its pieces, said alone, say that it must be cut: at the quietest place near.
fn apart(whole: &[f32], pieces: Vec<Clip>) -> Vec<Clip> {
    let all: u64 = pieces.iter().map(Clip::ms).sum();
    let (mut said, mut from, last) = (0, 0, pieces.len() - 1);
    let mut cut = Vec::new();
    for (i, piece) in pieces.into_iter().enumerate() {
        said += piece.ms();
        let to = if i == last {
            whole.len()
        } else {
            let near = (said * clips::length_ms(whole) / all.max(1)) as usize * PER_MS;
            clips::quietest_within(whole, near, APART_MS).max(from)
        };
        let part = clips::faded(&whole[from..to]);
        from = to;
        // A piece that came out empty is said alone after all.
        cut.push(if clips::audible(&part).is_empty() { piece } else { Clip::new(&part, &piece.text()) });
    }
    cut
}

/// A group of digits, as figures: that is how recognisers write a number.
fn digits(prompts: &Prompts, group: &str) -> Result<Vec<Clip>> {
    let digit = |d: char| {
        let pcm = prompts.sound(&format!("digits/{d}"))?;
        Ok(Clip::new(&pcm, &d.to_string()))
    };
    group.chars().filter(char::is_ascii_digit).map(digit).collect()
}

#[derive(Default)]
struct Maker {
    turns: Vec<Turn>,
    pauses: u64,
    /// Of the next turn.
    number: usize,
}

impl Maker {
    /// A turn of groups with pauses between them.
    fn add(&mut self, source: Source, expects: Expectation, groups: Vec<Vec<Clip>>) -> Result<()> {
        let n = self.number;
        self.number += 1;
        let (mut pcm, mut words, mut pauses) = (quiet(LEAD_MS), Vec::new(), Vec::new());
        for (i, group) in groups.iter().enumerate() {
            if i > 0 {
                let from = clips::length_ms(&pcm);
                pcm.extend(quiet(self.next_pause(source)));
                pauses.push((from, clips::length_ms(&pcm)));
            }
            for (j, clip) in group.iter().enumerate() {
                ensure!(clip.ms() > 30, "a piece of turn {n} is empty: {:?}", clip.text());
                pcm.extend(quiet(if j > 0 { BREATH_MS } else { 0 }));
                let at = clips::length_ms(&pcm);
                let moved =
                    |w: &Word| Word { text: w.text.clone(), from_ms: w.from_ms + at, to_ms: w.to_ms + at };
                words.extend(clip.words.iter().map(moved));
                pcm.extend(&clip.pcm);
            }
        }
        let end_ms = clips::length_ms(&pcm);
        pcm.extend(quiet(TAIL_MS));
        as_heard(&mut words);
        let noisy = n.is_multiple_of(NOISY_EACH);
        if noisy {
            let noise = clips::line_noise(pcm.len(), NOISE_DBFS[n / NOISY_EACH % NOISE_DBFS.len()], n as u64);
            clips::mix(&mut pcm, 0, &noise);
        }
        let name = words.iter().map(|w| w.text.as_str()).collect::<Vec<_>>().join(" ");
        let held_out = n % 2 == 1;
        self.turns.push(Turn { name, source, expects, noisy, held_out, pcm, pauses, end_ms, words });
        Ok(())
    }

    fn add_foreign(&mut self, n: usize, source: Source, expects: Expectation, script: &str) -> Result<()> {
        let voices = if n % 2 == 1 { &HELD_OUT } else { &DEV };
        self.number = n;
        self.add_in(voices[n / 2 % voices.len()], n, source, expects, script)
    }

    fn add_in(
        &mut self,
        voice: Voice,
        n: usize,
        source: Source,
        expects: Expectation,
        script: &str,
    ) -> Result<()> {
        let parts: Vec<&str> = script.split('|').map(str::trim).collect();
        let mut pieces = Vec::new();
        for part in &parts {
            pieces.push(Clip::new(&voice.say(part)?, part));
        }
        if parts.len() > 1 && (n / 4).is_multiple_of(2) {
            let whole = voice.say(&parts.join(" "))?;
            pieces = apart(&whole, pieces);
        }
        let groups: Vec<_> = pieces.into_iter().map(|clip| vec![clip]).collect();
        self.add(source, expects, groups)
    }

    fn next_pause(&mut self, source: Source) -> u64 {
        self.pauses += 1;
        if source == Source::Opening {
            let (from, to) = THINKING_MS;
            return from + Dice::new(self.pauses).next() % (to - from + 1);
        }
        PAUSES_MS[Dice::new(self.pauses).next() as usize % PAUSES_MS.len()]
    }
}

/// Words as a recogniser that knows grammar writes them: a mark at a sentence's end, none elsewhere.
fn as_heard(words: &mut [Word]) {
    let is_mark = |c: char| matches!(c, '.' | ',' | ';' | ':' | '!' | '?' | '…');
    for word in &mut *words {
        let open = word.text.ends_with("...") || word.text.ends_with([',', ';', ':']);
        let mark = word.text.chars().last().filter(|c| !open && matches!(c, '.' | '!' | '?'));
        let mut text = word.text.trim_matches(is_mark).to_owned();
        text.extend(mark);
        word.text = text;
    }
    if let Some(last) = words.last_mut()
        && !last.text.ends_with(['.', '!', '?'])
    {
        last.text.push('.');
    }
}

fn quiet(ms: u64) -> Vec<f32> {
    vec![0.0; ms as usize * PER_MS]
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn clip(ms: usize, text: &str) -> Clip {
        let pcm: Vec<f32> = (0..ms * PER_MS).map(|i| 0.3 * (i as f32 * 0.5).sin()).collect();
        Clip::new(&pcm, text)
    }

    #[test]
    fn a_turn_knows_its_pauses_its_words_and_its_end() {
        let mut maker = Maker::default();
        let groups = vec![vec![clip(500, "I would,")], vec![clip(300, "like"), clip(400, "to pay")]];
        maker.add(Source::Voice, Expectation::Open, groups).unwrap();
        let turn = &maker.turns[0];
        let (from, to) = turn.pauses[0];
        assert_eq!(from, LEAD_MS + 500);
        assert!(PAUSES_MS.contains(&(to - from)));
        assert_eq!(turn.end_ms, to + 300 + BREATH_MS + 400);
        assert_eq!(turn.name, "I would like to pay.");
        assert_eq!(turn.said_by(from + 10), "I would");
        assert_eq!(turn.pause_at(from + 50), Some((from, to)));
        assert_eq!(turn.pause_at(turn.end_ms + 200), None);
        assert_eq!(clips::length_ms(&turn.pcm), turn.end_ms + TAIL_MS);
    }

    #[test]
    fn sentences_keep_their_ends_and_lose_all_other_marks() {
        let word = |text: &str| Word { text: text.into(), from_ms: 0, to_ms: 0 };
        let mut words: Vec<_> =
            ["...has", "left.", "Well,", "is...", "is", "it?", "thank", "you"].map(word).into();
        as_heard(&mut words);
        let texts: Vec<_> = words.iter().map(|w| w.text.as_str()).collect();
        assert_eq!(texts, ["has", "left.", "Well", "is", "is", "it?", "thank", "you."]);
    }

    #[test]
    fn halves_and_noise_go_by_the_number_of_the_turn() {
        let mut maker = Maker::default();
        for _ in 0..12 {
            maker.add(Source::Voice, Expectation::Open, vec![vec![clip(300, "yes")]]).unwrap();
        }
        assert_eq!(maker.turns.iter().filter(|t| t.held_out).count(), 6);
        assert_eq!(maker.turns.iter().filter(|t| t.noisy && t.held_out).count(), 2);
    }
}
