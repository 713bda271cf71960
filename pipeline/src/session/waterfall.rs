//! Where a turn's time went, from moments noted as they pass.

use std::collections::BTreeMap;
use std::time::Duration;

use telephony::media::CallTime;

use crate::latency::{Stage, StageTime, TurnLatency};
use crate::turn::TurnId;

/// Most stages that one reply may tell; many times what a responder has reason to.
pub(super) const MAX_STAGES: usize = 256;

/// The moments of one turn. Those that came before the decision cost the caller nothing: work overlapped the wait.
#[derive(Clone, Debug)]
pub(super) struct Moments {
    /// Last speech frame of the caller.
    pub speech_ended: CallTime,
    /// The turn was taken to be over.
    pub decided: CallTime,
    /// The final text was there.
    pub text_ready: CallTime,
    /// The reply was asked for, or the one begun on a guess was taken: later than both where the caller seemed to go on.
    pub committed: CallTime,
    pub first_segment: Option<CallTime>,
    pub first_audio: Option<CallTime>,
    /// What the responder says its stages took (microseconds), in the order in which they ran, and when it said so.
    pub stages: Vec<(Stage, u64, CallTime)>,
    pub judged_complete: bool,
    pub speculative: bool,
    pub filler: bool,
}

impl Moments {
    /// Of a turn whose speech ended, and that was decided, then; its text is there now.
    pub fn at(speech_ended: CallTime, decided: CallTime, now: CallTime) -> Self {
        Self {
            speech_ended,
            decided,
            text_ready: now,
            committed: now,
            first_segment: None,
            first_audio: None,
            stages: Vec::new(),
            judged_complete: false,
            speculative: false,
            filler: false,
        }
    }

    /// The waterfall, once the first reply frame has left. Stages lie side by side and sum to the total.
    pub fn waterfall(&self, turn: TurnId, first_frame: CallTime) -> TurnLatency {
        let decided = self.decided.max(self.speech_ended);
        let text = self.text_ready.max(decided);
        let committed = self.committed.max(text);
        let segment = self.first_segment.unwrap_or(committed).max(committed);
        let audio = self.first_audio.unwrap_or(segment).max(segment);
        let frame = first_frame.max(audio);
        let mut took = BTreeMap::new();
        let endpointing = decided.since(self.speech_ended) + committed.since(text);
        took.insert(Stage::Endpointing, endpointing);
        took.insert(Stage::SttFinal, text.since(decided));
        let unattributed = self.reply_stages(committed, segment, &mut took);
        took.insert(Stage::TtsFirstByte, audio.since(segment));
        took.insert(Stage::Pacing, frame.since(audio));
        let stages = took.into_iter().map(|(stage, took)| StageTime { stage, ms: millis(took) });
        TurnLatency {
            turn,
            total_ms: millis(frame.since(self.speech_ended)),
            stages: stages.collect(),
            unattributed_ms: millis(unattributed),
            filler: self.filler,
            speculative: self.speculative,
            judged_complete: self.judged_complete,
        }
    }

    /// Lays the reply's own stages out on the clock and gives each what the caller waited for of it, from the commit to
    /// the first words. Gives what none of them explains.
    ///
    /// A stage ended when it was told, or where the stage after it began if that was earlier; so two stages never lie on
    /// one moment, and what ran while the turn's end was still awaited is not counted a second time.
    fn reply_stages(
        &self,
        committed: CallTime,
        segment: CallTime,
        took: &mut BTreeMap<Stage, Duration>,
    ) -> Duration {
        let (mut end, mut named) = (segment, Duration::ZERO);
        // What is told after the first words did not delay them.
        let told = self.stages.iter().rev().filter(|(_, _, at)| *at <= segment);
        for (stage, micros, at) in told {
            end = end.min(*at);
            let began = CallTime::from_micros(end.as_micros().saturating_sub(*micros));
            let waited = end.since(began.max(committed));
            *took.entry(*stage).or_default() += waited;
            named += waited;
            end = began;
        }
        segment.since(committed).saturating_sub(named)
    }
}

fn millis(took: Duration) -> f64 {
    took.as_secs_f64() * 1_000.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const OWN: [Stage; 6] = [
        Stage::Guard,
        Stage::Retrieval,
        Stage::Orchestrator,
        Stage::LlmFirstToken,
        Stage::FirstClause,
        Stage::Rules,
    ];

    fn at(ms: u64) -> CallTime {
        CallTime::from_ms(ms)
    }

    fn of(latency: &TurnLatency, stage: Stage) -> f64 {
        latency.stages.iter().filter(|s| s.stage == stage).map(|s| s.ms).sum()
    }

    /// A turn that ended at 1,000, was decided at 1,300 and whose reply gave its first words at 4,400.
    fn moments(stages: Vec<(Stage, u64, CallTime)>) -> Moments {
        Moments {
            speech_ended: at(1_000),
            decided: at(1_300),
            text_ready: at(1_200),
            committed: at(1_300),
            first_segment: Some(at(4_400)),
            first_audio: Some(at(4_500)),
            stages,
            judged_complete: true,
            speculative: true,
            filler: false,
        }
    }

    #[test]
    fn a_guess_that_ran_beside_the_wait_costs_only_what_the_caller_waited_for() {
        // Begun at 1,200: guard to 1,250, then 3,150 ms for the model, of which 3,100 came after the decision.
        let told = vec![(Stage::Guard, 50_000, at(1_250)), (Stage::LlmFirstToken, 3_150_000, at(4_400))];
        let latency = moments(told).waterfall(TurnId(1), at(4_520));
        let got = [Stage::Endpointing, Stage::Guard, Stage::LlmFirstToken].map(|stage| of(&latency, stage));
        assert_eq!(got, [300.0, 0.0, 3_100.0]);
        assert_eq!((latency.unattributed_ms, latency.total_ms), (0.0, 3_520.0));
    }

    #[test]
    fn a_stage_told_twice_or_too_late_is_one_stage_and_never_more_than_passed() {
        let told = vec![
            (Stage::Guard, 10_000, at(1_310)),
            (Stage::LlmFirstToken, 3_000_000, at(4_310)),
            (Stage::Guard, 10_000, at(4_320)),
            (Stage::Orchestrator, 9_000_000, at(4_400)),
            (Stage::Rules, 7_000_000, at(4_401)),
        ];
        let latency = moments(told).waterfall(TurnId(1), at(4_520));
        assert_eq!(latency.stages.iter().filter(|s| s.stage == Stage::Guard).count(), 1);
        assert_eq!((of(&latency, Stage::Orchestrator), of(&latency, Stage::Rules)), (3_100.0, 0.0));
    }

    proptest! {
        #[test]
        fn in_any_order_of_events_stages_and_the_rest_sum_to_the_total(
            moment in prop::collection::vec(0u64..5_000, 7), frame in 0u64..6_000,
            told in prop::collection::vec((0usize..OWN.len(), 0u64..2_000_000, 0u64..6_000), 0..12),
        ) {
            let moments = Moments {
                speech_ended: at(moment[0]), decided: at(moment[1]), text_ready: at(moment[2]),
                committed: at(moment[3]), first_segment: Some(at(moment[4])), first_audio: Some(at(moment[5])),
                stages: told.iter().map(|(stage, us, ms)| (OWN[*stage], *us, at(*ms))).collect(),
                judged_complete: true, speculative: true, filler: false,
            };
            let w = moments.waterfall(TurnId(1), at(frame));
            let sum: f64 = w.stages.iter().map(|s| s.ms).sum::<f64>() + w.unattributed_ms;
            prop_assert!((sum - w.total_ms).abs() < 0.001, "{sum} {w:?}");
            prop_assert!(w.stages.iter().all(|s| s.ms >= 0.0) && w.unattributed_ms >= 0.0);
            prop_assert!(w.stages.windows(2).all(|s| s[0].stage < s[1].stage), "each once, in order");
        }

        #[test]
        fn a_reply_that_tells_each_of_its_moments_leaves_nothing_unattributed(
            spans in prop::collection::vec((0usize..OWN.len(), 0u64..900), 1..12), head_start in 0u64..2_000,
        ) {
            // The reply begins `head_start` before its commit; each stage is told as it ends.
            let mut clock = 10_000 - head_start;
            let mut told = Vec::new();
            for (stage, ms) in spans {
                clock += ms;
                told.push((OWN[stage], ms * 1_000, at(clock)));
            }
            let segment = at(clock);
            let moments = Moments {
                speech_ended: at(9_700), decided: at(10_000), text_ready: at(9_900), committed: at(10_000),
                first_segment: Some(segment), first_audio: Some(segment), stages: told,
                judged_complete: true, speculative: true, filler: false,
            };
            let w = moments.waterfall(TurnId(1), segment.max(at(10_000)));
            prop_assert!(w.unattributed_ms < 0.001, "{w:?}");
        }
    }
}
