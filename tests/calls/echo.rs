//! Callers whose telephone gives our own voice back.

use std::collections::VecDeque;
use std::sync::Arc;

use pipeline::audio::earshot::EarshotVad;
use pipeline::audio::g711::{mulaw_decode, mulaw_encode};
use pipeline::ports::VoiceActivity;
use telephony::media::{FRAME_BYTES, MULAW_SILENCE};
use tests::caller::Caller;
use tests::doubles::HummingVoice;
use tests::gateway::{Doubles, LINE, TestGateway};

/// A voice that rises and falls as voices do: one of the gateway's own recordings, with its pauses.
const VOICE: &[u8] = include_bytes!("../../gateway/data/clips/en-call-back.ulaw");
/// From our frame to its echo, frames.
const DELAY: usize = 8;
/// Of the call, frames.
const LENGTH: usize = 220;

type Frame = [u8; FRAME_BYTES];
const QUIET: Frame = [MULAW_SILENCE; FRAME_BYTES];

/// 9 dB softer.
fn softer(frame: &[u8]) -> Frame {
    let soft = |code: &u8| mulaw_encode((f32::from(mulaw_decode(*code)) * 0.35) as i16);
    std::array::from_fn(|i| soft(&frame[i]))
}

/// A telephone that plays what comes and hears it again.
struct Phone {
    caller: Caller,
    taken: usize,
    to_play: VecDeque<u8>,
    air: VecDeque<Frame>,
}

impl Phone {
    fn new(caller: Caller) -> Self {
        Self { caller, taken: 0, to_play: VecDeque::new(), air: [QUIET; DELAY].into() }
    }

    /// Plays 20 ms; what its microphone would give.
    fn play(&mut self) -> Frame {
        let heard = self.caller.heard.lock();
        self.to_play.extend(heard.media.iter().flat_map(|(_, bytes)| bytes).skip(self.taken));
        self.taken = heard.bytes();
        drop(heard);
        let frame = std::array::from_fn(|_| self.to_play.pop_front().unwrap_or(MULAW_SILENCE));
        self.air.push_back(frame);
        self.air.pop_front().map_or(QUIET, |frame| softer(&frame))
    }
}

/// A greeting of four seconds, and what the microphone picks up meanwhile: our voice, or what `says` gives. Clears, and
/// turns of the caller's on the record.
async fn greeted(hands_free: bool, says: impl Fn(usize) -> Frame) -> (usize, usize) {
    let tts = Arc::new(HummingVoice { recorded: Some(VOICE), letter_ms: 190, ..HummingVoice::default() });
    let vad = || Box::new(EarshotVad::default()) as Box<dyn VoiceActivity>;
    let gateway = TestGateway::start(Doubles { tts, vad, ..Doubles::default() }).await.unwrap();
    let mut phone = Phone::new(Caller::dial(&gateway.base, LINE).await.unwrap());
    let sid = phone.caller.order.call_sid.clone();
    for n in 0..LENGTH {
        let echo = phone.play();
        phone.caller.frame(&if hands_free { echo } else { says(n) }).await.unwrap();
    }
    let heard = phone.caller.hang_up().await.unwrap();
    let path = format!("/v1/calls/{sid}");
    gateway.until(&path, |c| c["state"] == "ended").await.unwrap();
    let transcript = gateway.get(&format!("{path}/transcript")).await.unwrap();
    gateway.running.shutdown().await;
    let turns = transcript["turns"].as_array().unwrap().iter().filter(|t| t["speaker"] == "caller").count();
    (heard.lock().clears.len(), turns)
}

#[tokio::test]
async fn what_a_speakerphone_gives_back_neither_interrupts_us_nor_becomes_a_turn() {
    assert_eq!(greeted(true, |_| QUIET).await, (0, 0));
}

#[tokio::test]
async fn another_voice_of_the_same_loudness_does_interrupt_us() {
    // The same recording from another place: nothing that we are saying.
    let other = |frame: usize| {
        if frame < 60 {
            return QUIET;
        }
        let at = (VOICE.len() / 2 / FRAME_BYTES + frame) * FRAME_BYTES % (VOICE.len() - FRAME_BYTES);
        softer(&VOICE[at..at + FRAME_BYTES])
    };
    let (clears, turns) = greeted(false, other).await;
    assert!(clears >= 1 && turns >= 1, "{clears} clears, {turns} turns");
}
