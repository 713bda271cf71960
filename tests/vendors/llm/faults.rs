//! Everything that goes wrong at the preferred model: the caller hears a whole answer, soon, and each word once.

use tests::vendors::anthropic::AnthropicServer;
use tests::vendors::fault::Fault;
use tests::vendors::model::{Script, Step};
use tests::vendors::openai::OpenAiServer;

use super::*;

const PACE: Pace = Pace { first: Duration::from_millis(120), between: Duration::from_millis(8), chars: 4 };
const ANSWER: &str =
    "Sí, señora: your appointment is on Monday at nine – 🙂 please bring a photo of the permit.";

/// Gives the answer; asked to go on, gives the rest of it.
fn writer(request: &Value) -> Script {
    Script::say(&ANSWER[said_so_far(request, ANSWER).len()..])
}

/// Gives the whole answer again when it is asked to go on.
fn stubborn(_request: &Value) -> Script {
    Script::say(ANSWER)
}

/// What the model before said of its answer, when the next is asked to go on.
fn said_so_far(request: &Value, answer: &str) -> String {
    if !last_words(request).contains("cut off by a technical fault") {
        return String::new();
    }
    let messages = request["messages"].as_array().unwrap();
    let before = &messages[messages.len() - 2];
    assert_eq!(before["role"], "assistant");
    let said = match &before["content"] {
        Value::String(text) => text.clone(),
        parts => parts[0]["text"].as_str().unwrap().to_owned(),
    };
    assert!(answer.starts_with(&said), "{said:?}");
    said
}

struct Pair {
    claude: AnthropicServer,
    chat: OpenAiServer,
}

impl Pair {
    async fn start(write: fn(&Value) -> Script) -> Self {
        let claude = AnthropicServer::start(PACE, write).await;
        Self { claude, chat: OpenAiServer::start(PACE, write).await }
    }

    /// A fail-over with fresh breakers.
    fn model(&self, claude_first: bool) -> FailoverModel {
        let (claude, chat) = (claude_at(self.claude.base()), chat_at(self.chat.base()));
        if claude_first { ranked(&[&claude, &chat]) } else { ranked(&[&chat, &claude]) }
    }

    fn spoil(&self, claude: bool, fault: Fault) {
        let faults = if claude { &self.claude.faults } else { &self.chat.faults };
        faults.set(fault);
    }
}

/// Every fault of the issue, and the notes that must tell of it, each in short.
fn faults() -> Vec<(Fault, &'static str)> {
    let status = |status, retry_after| Fault::Status { status, retry_after };
    vec![
        (Fault::Stall, "slow took_over"),
        (Fault::HalfOpen, "slow took_over"),
        (Fault::StallAfter(1), "slow took_over"),
        (Fault::StallAfter(9), "failed took_over"),
        (Fault::Drip(Duration::from_millis(700)), "slow took_over"),
        (Fault::Garbage, "failed took_over"),
        (Fault::CloseAfter(0), "failed took_over"),
        (Fault::CloseAfter(60), "failed took_over"),
        (Fault::CloseAfter(1_100), "failed took_over"),
        (status(401, None), "failed took_over"),
        (status(429, Some(20.0)), "failed took_over"),
        (status(500, None), "failed took_over"),
        (status(529, None), "failed took_over"),
        (Fault::ErrorFrame("overloaded_error".into()), "failed took_over"),
    ]
}

async fn every_fault(write: fn(&Value) -> Script, claude_first: bool) {
    for (fault, notes) in faults() {
        let pair = Pair::start(write).await;
        pair.spoil(claude_first, fault.clone());
        let heard = ask(&pair.model(claude_first), vec![caller("When do I come?")]).await;
        let first = heard.first.unwrap();
        let states: Vec<&str> = heard.notes.iter().map(|n| n.state.name()).collect();
        println!("{fault:?}: first words after {first:?}, all after {:?}, {states:?}", heard.whole);
        assert_eq!(heard.text, ANSWER, "{fault:?}");
        assert!(first < BEARABLE, "{fault:?}: {first:?}");
        assert_eq!(states.join(" "), notes, "{fault:?}: {:?}", heard.notes);
        assert_eq!((heard.stop, heard.failure), (Some(Stop::End), None), "{fault:?}");
    }
}

#[tokio::test]
async fn whatever_happens_to_claude_the_caller_hears_the_answer_once_and_soon() {
    every_fault(writer, true).await;
}

#[tokio::test]
async fn whatever_happens_to_a_chat_server_the_caller_hears_the_answer_once_and_soon() {
    every_fault(writer, false).await;
}

#[tokio::test]
async fn a_standby_that_begins_again_from_the_start_is_not_heard_twice() {
    every_fault(stubborn, true).await;
}

/// Closes the connection after every so many bytes of an answer; gives how the answers were put together.
async fn cut_everywhere(pair: &Pair, claude_first: bool, bytes: usize, check: impl Fn(usize, &Heard)) {
    let mut taken_over = 0;
    for at in (0..bytes).step_by(23).chain([1, 2, 3]) {
        pair.spoil(claude_first, Fault::CloseAfter(at));
        let heard = ask(&pair.model(claude_first), vec![caller("When do I come?")]).await;
        assert_eq!(heard.failure, None, "closed after {at}: {:?}", heard.notes);
        assert!(heard.first.unwrap() < BEARABLE, "closed after {at}");
        taken_over += usize::from(heard.states().iter().any(|(_, s)| *s == ProviderState::TookOver));
        check(at, &heard);
    }
    println!("{taken_over} answers were finished by the standby");
    assert!(taken_over > 20);
}

#[tokio::test]
async fn a_connection_closed_at_any_byte_of_the_text_loses_and_repeats_no_word() {
    let quick = |write: fn(&Value) -> Script| async move {
        let claude = AnthropicServer::start(Pace::QUICK, write).await;
        Pair { claude, chat: OpenAiServer::start(Pace::QUICK, write).await }
    };
    let pair = quick(writer).await;
    // 3,300 bytes and 4,000 bytes are whole answers; half a character of ñ and of the picture are among the cuts.
    let whole = |at: usize, heard: &Heard| assert_eq!(heard.text, ANSWER, "closed after {at}");
    cut_everywhere(&pair, true, 3_300, whole).await;
    pair.spoil(true, Fault::None);
    cut_everywhere(&pair, false, 4_000, whole).await;
}

#[tokio::test]
async fn a_connection_closed_in_the_middle_of_a_character_loses_and_repeats_no_word() {
    let claude = AnthropicServer::start(Pace::QUICK, writer).await;
    let pair = Pair { claude, chat: OpenAiServer::start(Pace::QUICK, writer).await };
    let url = format!("{}/v1/messages", pair.claude.base());
    let body = json!({ "model": "m", "max_tokens": 9, "stream": true,
        "messages": [{ "role": "user", "content": [{ "type": "text", "text": "Hi" }] }] });
    let request = reqwest::Client::new().post(url).header("x-api-key", claude::KEY);
    let request = request.header("anthropic-version", anthropic::VERSION).body(body.to_string());
    let bytes = request.send().await.unwrap().bytes().await.unwrap();
    let starts = bytes.windows(2).enumerate().filter(|(_, w)| w[0] >= 0xc2 && (0x80..0xc0).contains(&w[1]));
    let cuts: Vec<usize> = starts.map(|(at, _)| at + 1).collect();
    assert!(cuts.len() >= 4, "í, ñ, the dash and the picture: {cuts:?}");
    for at in cuts {
        // The model's name differs in length from the one above.
        let shift = "claude-haiku-4-5".len() - 1;
        pair.spoil(true, Fault::CloseAfter(at + shift));
        let heard = ask(&pair.model(true), vec![caller("When do I come?")]).await;
        assert_eq!(heard.text, ANSWER, "closed after {at}");
    }
}

fn clerk(request: &Value) -> Script {
    const FIRST: &str = "Let me see. ";
    let rest = &FIRST[said_so_far(request, FIRST).len()..];
    let script = if rest.trim().is_empty() { Script::default() } else { Script::say(rest) };
    script.and_call("find_appointment", json!({ "phone": "⟨phone:1⟩", "name": "Señora Núñez" }))
}

#[tokio::test]
async fn a_connection_closed_at_any_byte_of_a_tool_call_gives_the_call_once_and_whole() {
    let claude = AnthropicServer::start(Pace::QUICK, clerk).await;
    let pair = Pair { claude, chat: OpenAiServer::start(Pace::QUICK, clerk).await };
    let check = |at: usize, heard: &Heard| {
        let inputs: Vec<&Value> = heard.calls.iter().map(|c| &c.input).collect();
        assert_eq!(inputs, [&json!({ "phone": "⟨phone:1⟩", "name": "Señora Núñez" })], "closed after {at}");
        assert_eq!(
            (heard.text.trim_end(), heard.stop),
            ("Let me see.", Some(Stop::Tools)),
            "closed after {at}"
        );
    };
    cut_everywhere(&pair, true, 2_600, check).await;
    pair.spoil(true, Fault::None);
    cut_everywhere(&pair, false, 3_000, check).await;
}

#[tokio::test]
async fn an_error_in_mid_stream_is_taken_over() {
    let broken = |_: &Value| {
        Script::say("Sí, señora: your appointment is on Mon").then(Step::Break("overloaded_error".into()))
    };
    let claude = AnthropicServer::start(PACE, broken).await;
    let chat = OpenAiServer::start(PACE, writer).await;
    let model = ranked(&[&claude_at(claude.base()), &chat_at(chat.base())]);
    let heard = ask(&model, vec![caller("When?")]).await;
    assert_eq!(heard.text, ANSWER);
    assert_eq!(heard.notes[0].reason, "overloaded: in the stream overloaded_error (request req_simulated)");
    assert_eq!(heard.notes[1].reason, "goes on in mid-answer");
}

#[tokio::test]
async fn an_answer_that_drips_more_slowly_than_it_is_spoken_is_taken_over() {
    let drip = Pace { first: Duration::from_millis(50), between: Duration::from_millis(1_200), chars: 4 };
    let claude = AnthropicServer::start(drip, writer).await;
    let chat = OpenAiServer::start(PACE, writer).await;
    let model = ranked(&[&claude_at(claude.base()), &chat_at(chat.base())]);
    let heard = ask(&model, vec![caller("When?")]).await;
    println!("whole answer after {:?}", heard.whole);
    assert_eq!(heard.text, ANSWER);
    assert_eq!(heard.notes[0].reason, "stalled: the answer drips");
    assert!(heard.whole < Duration::from_millis(2_500), "{:?}", heard.whole);
}

#[tokio::test]
async fn silence_in_mid_answer_lasts_no_longer_than_the_deadline_and_a_standbys_first_token() {
    let pair = Pair::start(writer).await;
    pair.spoil(true, Fault::StallAfter(9));
    let mut stream = pair.model(true).ask(request(vec![caller("When?")]));
    let (mut last, mut gap) = (None, Duration::ZERO);
    while let Some(event) = stream.events.recv().await {
        if let ModelEvent::Text(_) = event {
            let now = Instant::now();
            gap = gap.max(last.map_or(Duration::ZERO, |before| now - before));
            last = Some(now);
        }
    }
    println!("longest gap {gap:?}");
    assert!(gap > Duration::from_millis(1_400) && gap < Duration::from_millis(1_900), "{gap:?}");
}

#[tokio::test]
async fn when_both_fail_that_is_told_once_and_no_third_request_is_made() {
    let pair = Pair::start(writer).await;
    pair.spoil(true, Fault::Status { status: 500, retry_after: None });
    pair.spoil(false, Fault::Status { status: 429, retry_after: Some(30.0) });
    let heard = ask(&pair.model(true), vec![caller("When?")]).await;
    let states = heard.states();
    assert_eq!(
        states,
        [
            ("anthropic", ProviderState::Failed),
            ("openai", ProviderState::Failed),
            ("openai", ProviderState::Exhausted)
        ]
    );
    assert_eq!((pair.claude.requests().len(), pair.chat.requests().len()), (1, 1));
    assert!(heard.tally.usage().is_empty(), "refused requests cost nothing");
}

#[tokio::test]
async fn one_server_alone_is_asked_once_more_after_a_broken_connection() {
    let claude = AnthropicServer::start(PACE, writer).await;
    claude.faults.queue([Fault::CloseAfter(900)]);
    let heard = ask(&ranked(&[&claude_at(claude.base())]), vec![caller("When?")]).await;
    assert_eq!((heard.text.as_str(), heard.failure), (ANSWER, None));
    assert_eq!(claude.requests().len(), 2);
}

#[tokio::test]
async fn both_requests_of_a_hedge_are_counted() {
    let pair = Pair::start(writer).await;
    // Its first event counts the input; then silence.
    pair.spoil(true, Fault::StallAfter(1));
    let heard = ask(&pair.model(true), vec![caller("When?")]).await;
    assert_eq!(heard.states()[0], ("anthropic", ProviderState::Slow));
    let claude =
        heard.amount("anthropic", Meter::InputTokens) + heard.amount("anthropic", Meter::CacheWriteTokens);
    assert!(claude > 100, "{:?}", heard.tally.usage());
    assert!(heard.amount("openai", Meter::InputTokens) > 100);
    assert!(heard.amount("openai", Meter::OutputTokens) > 10);
}

#[tokio::test]
async fn the_preferred_server_is_back_at_the_next_turn() {
    let pair = Pair::start(writer).await;
    let model = pair.model(true);
    pair.claude.faults.queue([Fault::Garbage]);
    assert_eq!(ask(&model, vec![caller("When?")]).await.states()[1], ("openai", ProviderState::TookOver));
    assert_eq!(ask(&model, vec![caller("When?")]).await.states(), [("anthropic", ProviderState::Recovered)]);
    assert_eq!(ask(&model, vec![caller("When?")]).await.states(), []);
}
