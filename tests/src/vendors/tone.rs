//! What simulated voices say: a tone as long as the text, made once and shared.

use std::sync::LazyLock;
use std::time::Duration;

use bytes::Bytes;

/// Longest piece of it: two seconds.
const LONGEST: usize = 16_000;

/// How a simulated voice behaves.
#[derive(Clone, Debug)]
pub struct VoiceOptions {
    /// Key that clients must bring.
    pub key: String,
    /// Length of the audio, ms for each character of the text.
    pub letter_ms: u32,
    /// From the flush to the first piece.
    pub first_after: Duration,
    /// Draws it anew for each text instead.
    pub drawn_first: Option<fn() -> Duration>,
    /// Length of a piece, ms.
    pub piece_ms: u32,
    /// Between two pieces.
    pub spacing: Duration,
    /// Times of characters with the audio, where the provider has such a thing.
    pub alignment: bool,
    /// Closes connections on which nothing came for so long. None: as the client asks.
    pub inactivity: Option<Duration>,
    /// Texts are remembered for the test to look at.
    pub remember: bool,
}

impl Default for VoiceOptions {
    fn default() -> Self {
        Self {
            key: "test-key".to_owned(),
            letter_ms: 60,
            first_after: Duration::from_millis(80),
            drawn_first: None,
            piece_ms: 200,
            spacing: Duration::from_millis(10),
            alignment: true,
            inactivity: None,
            remember: true,
        }
    }
}

impl VoiceOptions {
    pub(super) fn draw_first(&self) -> Duration {
        self.drawn_first.map_or(self.first_after, |draw| draw())
    }

    /// Mu-law bytes of a text's audio.
    #[must_use]
    pub fn bytes_of(&self, text: &str) -> usize {
        text.trim().chars().count() * self.letter_ms as usize * 8
    }
}

/// 400 Hz at half of full scale, mu-law.
static TONE: LazyLock<Bytes> = LazyLock::new(|| {
    let sample = |i: usize| {
        let angle = i as f32 * std::f32::consts::TAU * 400.0 / 8_000.0;
        pipeline::audio::g711::mulaw_encode((angle.sin() * 16_000.0) as i16)
    };
    (0..LONGEST).map(sample).collect::<Vec<u8>>().into()
});

/// So many bytes of it, shared.
#[must_use]
pub fn tone(bytes: usize) -> Bytes {
    TONE.slice(..bytes.min(LONGEST))
}
