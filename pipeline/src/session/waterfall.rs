//! Where a turn's time went, from moments noted as they pass.

use telephony::media::CallTime;

use crate::latency::{Stage, StageTime, TurnLatency};
use crate::turn::TurnId;

/// The moments of one turn. Those that came before the decision cost the caller nothing: work overlapped the wait.
#[derive(Clone, Debug)]
pub(super) struct Moments {
    /// Last speech frame of the caller.
    pub speech_ended: CallTime,
    /// The turn was taken to be over.
    pub decided: CallTime,
    /// The final text was there.
    pub text_ready: CallTime,
    pub first_segment: Option<CallTime>,
    pub first_audio: Option<CallTime>,
    /// What the responder says its stages took.
    pub stages: Vec<(Stage, u64)>,
    pub judged_complete: bool,
    pub speculative: bool,
    pub filler: bool,
}

impl Moments {
    /// The waterfall, once the first reply frame has left. Stages lie side by side and sum to the total.
    pub fn waterfall(&self, turn: TurnId, first_frame: CallTime) -> TurnLatency {
        let decided = self.decided.max(self.speech_ended);
        let text = self.text_ready.max(decided);
        let segment = self.first_segment.unwrap_or(text).max(text);
        let audio = self.first_audio.unwrap_or(segment).max(segment);
        let mut stages =
            vec![time(Stage::Endpointing, self.speech_ended, decided), time(Stage::SttFinal, decided, text)];
        let unattributed_ms = self.spread(millis(text, segment), &mut stages);
        stages.push(time(Stage::TtsFirstByte, segment, audio));
        stages.push(time(Stage::Pacing, audio, first_frame.max(audio)));
        TurnLatency {
            turn,
            total_ms: millis(self.speech_ended, first_frame),
            stages,
            unattributed_ms,
            filler: self.filler,
            speculative: self.speculative,
            judged_complete: self.judged_complete,
        }
    }

    /// Gives the responder's wall time to the stages it named, never more than passed on the clock, and
    /// returns what none of them explains.
    fn spread(&self, wall_ms: f64, out: &mut Vec<StageTime>) -> f64 {
        let named: f64 = self.stages.iter().map(|(_, us)| *us as f64 / 1_000.0).sum();
        let scale = if named > wall_ms && named > 0.0 { wall_ms / named } else { 1.0 };
        let mut left = wall_ms;
        for (stage, us) in &self.stages {
            let ms = *us as f64 / 1_000.0 * scale;
            left -= ms;
            out.push(StageTime { stage: *stage, ms });
        }
        left.max(0.0)
    }
}

fn millis(from: CallTime, to: CallTime) -> f64 {
    to.since(from).as_secs_f64() * 1_000.0
}

fn time(stage: Stage, from: CallTime, to: CallTime) -> StageTime {
    StageTime { stage, ms: millis(from, to) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn stages_and_the_unattributed_rest_sum_to_the_total(
            speech in 0u64..5_000, decided in 0u64..1_000, text in 0u64..2_000, segment in 0u64..2_000,
            audio in 0u64..2_000, frame in 0u64..500, retrieval in 0u64..900_000, orchestrator in 0u64..900_000,
        ) {
            let at = CallTime::from_ms;
            let decided_at = at(speech + decided);
            let (text, segment, audio) = (at(speech + text), at(speech + segment), at(speech + audio));
            let last = decided_at.max(text).max(segment).max(audio);
            let moments = Moments {
                speech_ended: at(speech), decided: decided_at, text_ready: text,
                first_segment: Some(segment), first_audio: Some(audio),
                stages: vec![(Stage::Retrieval, retrieval), (Stage::Orchestrator, orchestrator)],
                judged_complete: true, speculative: true, filler: false,
            };
            let w = moments.waterfall(TurnId(1), last + std::time::Duration::from_millis(frame));
            let sum: f64 = w.stages.iter().map(|s| s.ms).sum::<f64>() + w.unattributed_ms;
            prop_assert!((sum - w.total_ms).abs() < 0.001, "{sum} {w:?}");
            prop_assert!(w.stages.iter().all(|s| s.ms >= 0.0));
        }
    }
}
