//! What must hold for any order of inputs.

use proptest::prelude::*;
use telephony::media::{AudioFrame, CallTime, FRAME_BYTES, MarkId, MediaCommand};

use crate::event::{ControlReason, EventBody, Holder};
use crate::ports::{
    AfterReply, LogEvent, ReplyCommand, ReplyEvent, StaffWord, SttCommand, SttEvent, TtsCommand, TtsEvent,
};
use crate::session::{Input, Output, Port, Session, SessionConfig, Supervisor};
use crate::turn::{Expectation, ReplySegment, SegmentId, SegmentKind, TurnId, UtteranceId};

fn segment() -> impl Strategy<Value = SegmentId> {
    (0u32..12, 0u16..3).prop_map(|(turn, index)| SegmentId { turn: TurnId(turn), index })
}

fn supervisor() -> impl Strategy<Value = Supervisor> {
    let (by, text) = (|| "pat".to_owned(), || "Say it kindly.".to_owned());
    prop_oneof![
        3 => (1u32..4).prop_map(move |lease| Supervisor::TakeOver { lease, by: by() }),
        2 => (1u32..4, any::<bool>()).prop_map(move |(lease, note)| Supervisor::Release {
            lease, note: note.then(text) }),
        1 => Just(Supervisor::Whisper { by: by(), word: StaffWord::Next(text()) }),
        1 => Just(Supervisor::Say { by: by(), text: text() }),
    ]
}

fn any_input() -> impl Strategy<Value = Input> {
    let text = prop::sample::select(vec!["", "uh-huh", "hello there", "stop", "this is an emergency"]);
    prop_oneof![
        6 => (0u8..=1).prop_map(|s| Input::Vad(f32::from(s) * 0.9)),
        2 => Just(Input::Frame(AudioFrame::SILENCE)),
        1 => prop::sample::select(vec!['0', '5', '#', '*']).prop_map(Input::Digit),
        2 => (0u64..40).prop_map(|m| Input::MarkPlayed(MarkId(m))),
        2 => (0u32..6, text.clone()).prop_map(|(u, t)| Input::Stt(SttEvent::Interim {
            utterance: UtteranceId(u), text: t.into() })),
        3 => (0u32..6, 0u32..4, text.clone()).prop_map(|(u, pause, t)| Input::Stt(SttEvent::Final {
            utterance: UtteranceId(u), pause, text: t.into(), confidence: 0.8,
            alternatives: Vec::new(), settled: pause % 2 == 0 })),
        1 => (0u32..6, 0u32..4, 0f32..1.0).prop_map(|(u, pause, probability)| Input::Stt(SttEvent::TurnEnd {
            utterance: UtteranceId(u), pause, probability })),
        3 => (segment(), text.clone()).prop_map(|(id, t)| Input::Reply(ReplyEvent::Segment(ReplySegment {
            id, text: t.into(), kind: SegmentKind::Reply, fixed: false }))),
        2 => (0u32..12, any::<bool>()).prop_map(|(turn, end)| Input::Reply(ReplyEvent::Done {
            turn: TurnId(turn), expects: Expectation::YesNo,
            then: if end { AfterReply::HangUp } else { AfterReply::Listen } })),
        1 => (0u32..12).prop_map(|turn| Input::Reply(ReplyEvent::Failed { turn: TurnId(turn), reason: "x".into() })),
        4 => (segment(), 1usize..4_000).prop_map(|(segment, n)| Input::Tts(TtsEvent::Audio {
            segment, mulaw: vec![0x30; n] })),
        2 => segment().prop_map(|segment| Input::Tts(TtsEvent::Done { segment, words: Vec::new() })),
        1 => segment().prop_map(|segment| Input::Tts(TtsEvent::Failed { segment, failure: crate::provider::Failure::stalled("x") })),
        3 => (0u64..60).prop_map(|seq| Input::Log(LogEvent::Durable { seq })),
        2 => supervisor().prop_map(Input::Supervisor),
        3 => (1u32..4).prop_map(|lease| Input::Voice { lease, frame: AudioFrame([0x11; FRAME_BYTES]) }),
        2 => (0u8..=1).prop_map(|s| Input::PersonVad(f32::from(s) * 0.9)),
        2 => (0u32..4, 0u32..3, text.clone()).prop_map(|(u, pause, t)| Input::PersonStt(SttEvent::Final {
            utterance: UtteranceId(u), pause, text: t.into(), confidence: 0.8,
            alternatives: Vec::new(), settled: pause % 2 == 0 })),
        4 => Just(Input::Tick),
    ]
}

fn rare_end() -> impl Strategy<Value = Input> {
    prop_oneof![
        Just(Input::CarrierStopped),
        Just(Input::CarrierLost),
        Just(Input::Log(LogEvent::Failed { seq: 1 })),
        prop::sample::select(vec![Port::Stt, Port::Reply, Port::Tts, Port::Log]).prop_map(Input::PortLost),
    ]
}

/// Watches the outputs of one session for what must never be.
#[derive(Default)]
struct Watch {
    cancelled: Vec<TurnId>,
    started: Vec<TurnId>,
    /// Turns that were committed, and those of them that were taken back.
    committed: Vec<TurnId>,
    taken_back: Vec<TurnId>,
    ended: bool,
    closed: bool,
    seq: u64,
    /// The lease under which a person has the call.
    person: Option<u32>,
}

impl Watch {
    /// One lease at a time, and each end of one belongs to the last that began.
    fn change_hands(&mut self, holder: Holder, reason: ControlReason, lease: u32) {
        match (holder, reason) {
            (Holder::Person, ControlReason::TakenOver) => self.person = Some(lease),
            (Holder::Person, _) => assert_eq!(self.person, Some(lease), "only who took over speaks"),
            (Holder::Agent, ControlReason::Refused) => {}
            (Holder::Agent, _) => {
                assert_eq!(self.person.take(), Some(lease), "only who has it gives it back")
            }
        }
    }

    fn see(&mut self, output: &Output, now: CallTime) -> bool {
        match output {
            Output::Wait(at) => {
                assert!(*at > now, "waits in the future");
                return false;
            }
            Output::Ended(_) => {
                assert!(!self.ended, "ends once");
                self.ended = true;
            }
            Output::Carrier(MediaCommand::Close) => self.closed = true,
            Output::Carrier(_) => assert!(!self.closed, "nothing is sent after the close"),
            Output::Emit(EventBody::Control { holder, reason, lease, .. }) => {
                self.change_hands(*holder, *reason, *lease)
            }
            Output::Reply(ReplyCommand::Start { turn, speculative, .. }) => {
                assert_eq!(self.person, None, "the agent begins no reply while a person has the call");
                if !speculative {
                    self.committed.push(*turn);
                }
                assert!(self.started.last().is_none_or(|t| t < turn), "epochs ascend");
                self.started.push(*turn);
            }
            Output::Reply(ReplyCommand::Commit { turn }) => {
                assert_eq!(self.person, None, "nor is one committed");
                assert!(!self.cancelled.contains(turn), "a cancelled reply is never committed");
                assert_eq!(self.started.last(), Some(turn), "only the latest reply is committed");
                self.committed.push(*turn);
            }
            Output::Reply(ReplyCommand::Cancel { turn }) => self.cancelled.push(*turn),
            Output::Reply(ReplyCommand::TakenBack { turn }) => {
                assert!(self.committed.contains(turn), "only what counted is taken back");
                assert!(self.cancelled.contains(turn), "what is taken back was cancelled first");
                assert!(!self.taken_back.contains(turn), "nothing is taken back twice");
                self.taken_back.push(*turn);
            }
            Output::Reply(ReplyCommand::Heard(heard)) => {
                assert!(
                    !self.taken_back.contains(&heard.turn),
                    "of a turn taken back nothing is told any more"
                );
            }
            Output::Tts(TtsCommand::Speak(s)) => {
                assert!(!self.cancelled.contains(&s.id.turn), "nothing is synthesised for a cancelled reply");
            }
            Output::Log(entry) => {
                assert_eq!(entry.seq, self.seq + 1, "records are numbered without gaps");
                self.seq = entry.seq;
            }
            Output::Stt(SttCommand::Audio(_)) => assert!(!self.ended),
            _ => {}
        }
        true
    }
}

fn step(session: &mut Session, watch: &mut Watch, now: CallTime, input: Input) {
    session.handle_input(now, input);
    for n in 0.. {
        assert!(n < 5_000, "draining ends");
        if !watch.see(&session.poll_output(), now) {
            break;
        }
    }
    assert_eq!(session.regions().illegal(), None);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn any_order_of_inputs_keeps_the_rules_and_the_call_can_always_end(
        inputs in prop::collection::vec((0u64..200, any_input()), 1..250), end in rare_end(),
    ) {
        let mut session = Session::new(SessionConfig::default(), CallTime::ZERO);
        let mut watch = Watch::default();
        while watch.see(&session.poll_output(), CallTime::ZERO) {}
        let mut now = CallTime::ZERO;
        for (gap, input) in inputs {
            now += std::time::Duration::from_millis(gap);
            step(&mut session, &mut watch, now, input);
        }
        step(&mut session, &mut watch, now, end);
        step(&mut session, &mut watch, now, Input::CarrierStopped);
        for _ in 0..200 {
            now += std::time::Duration::from_millis(500);
            step(&mut session, &mut watch, now, Input::Tick);
        }
        prop_assert!(watch.ended, "the call is over {:?}", session.regions());
    }
}
