//! Loud stretches of audio, and the words that are said in them.

use std::sync::LazyLock;

use pipeline::audio::g711::mulaw_decode;

/// Mean loudness from which 20 ms count as speech.
const LOUD: u32 = 250;
/// Silence that ends a stretch, ms.
const GAP_MS: u64 = 100;
const STEP: usize = 160;

static LOUDNESS: LazyLock<[u16; 256]> =
    LazyLock::new(|| std::array::from_fn(|code| mulaw_decode(code as u8).unsigned_abs()));

/// A word and where it began.
#[derive(Clone, Debug)]
pub struct Spoken {
    pub text: String,
    pub start_ms: u64,
}

/// Follows the audio of one connection.
#[derive(Debug)]
pub struct Ear {
    texts: Vec<String>,
    next: usize,
    word_ms: u64,
    /// Audio so far.
    pub ms: u64,
    step: usize,
    sum: u32,
    /// Words of the stretch that is being spoken, not said yet.
    coming: Vec<String>,
    began_ms: Option<u64>,
    said: u64,
    pub last_loud_ms: u64,
    /// Words said and not yet given out.
    pub words: Vec<Spoken>,
}

impl Ear {
    pub fn new(texts: &[String], word_ms: u64) -> Self {
        Self {
            texts: texts.to_vec(),
            next: 0,
            word_ms,
            ms: 0,
            step: 0,
            sum: 0,
            coming: Vec::new(),
            began_ms: None,
            said: 0,
            last_loud_ms: 0,
            words: Vec::new(),
        }
    }

    /// Takes audio; `each` is called after every 20 ms.
    pub fn push(&mut self, audio: &[u8], mut each: impl FnMut(&mut Self)) {
        for byte in audio {
            self.sum += u32::from(LOUDNESS[usize::from(*byte)]);
            self.step += 1;
            if self.step == STEP {
                let loud = self.sum / STEP as u32 >= LOUD;
                (self.step, self.sum) = (0, 0);
                self.ms += 20;
                self.hear(loud);
                each(self);
            }
        }
    }

    fn hear(&mut self, loud: bool) {
        if loud {
            self.last_loud_ms = self.ms;
            if self.began_ms.is_none() {
                self.began_ms = Some(self.ms - 20);
                self.said = 0;
                let text = self.texts.get(self.next).or(self.texts.last()).cloned().unwrap_or_default();
                self.next += 1;
                self.coming = text.split_whitespace().rev().map(str::to_owned).collect();
            }
        }
        let Some(began) = self.began_ms else { return };
        let over = self.ms - self.last_loud_ms >= GAP_MS;
        while !self.coming.is_empty() && (over || began + (self.said + 1) * self.word_ms <= self.last_loud_ms)
        {
            let start_ms = (began + self.said * self.word_ms).min(self.last_loud_ms.saturating_sub(20));
            let text = self.coming.pop().unwrap_or_default();
            self.words.push(Spoken { text, start_ms });
            self.said += 1;
        }
        if over {
            self.began_ms = None;
        }
    }

    /// Everything that was begun is taken to be said: the client wants to know now.
    pub fn finish(&mut self) {
        let silent = self.ms.saturating_sub(self.last_loud_ms) >= 60;
        while silent && let Some(text) = self.coming.pop() {
            self.words.push(Spoken { text, start_ms: self.last_loud_ms.saturating_sub(20) });
        }
        if silent {
            self.began_ms = None;
        }
    }

    pub const fn speaks(&self) -> bool {
        self.began_ms.is_some()
    }

    pub fn silence_ms(&self) -> u64 {
        self.ms.saturating_sub(self.last_loud_ms)
    }
}

/// Words as one text.
pub fn joined(words: &[Spoken]) -> String {
    words.iter().map(|w| w.text.as_str()).collect::<Vec<_>>().join(" ")
}
