//! Every English prompt that ships, spoken by the built-in voice over a telephone line and heard again by the built-in
//! recogniser: what is heard is what is written.
//!
//! Tolerance: of each prompt [`SLIPS`] words, or [`WRONG_OF_ONE`] of them, or as much of its letters where words are only
//! divided otherwise ("anytime", "clm"); of all prompts together [`WRONG_OF_ALL`]. None whatever for the written-out
//! form of an abbreviation that the prompt does not hold: "number" for "No.", "Sunday" for "sun.".

use std::collections::BTreeSet;
use std::sync::Arc;

use agents::FrontDesk;
use dialogue::builtin::Script;
use gateway::config::Config;
use gateway::demo;
use gateway::providers::phrasebook::Phrasebook;
use knowledge::Retriever;
use pipeline::ports::{
    Language, SpeechToText, SttCommand, SttEvent, SttStream, TextToSpeech, TtsCommand, TtsEvent,
};
use pipeline::turn::{Expectation, ReplySegment, SegmentId, SegmentKind, TurnId, UtteranceId};
use speech::LocalSpeech;
use storage::{Directory, Platform, PlatformOptions};
use telephony::media::{AudioFrame, FRAME_BYTES, MULAW_SILENCE};

use super::models;

const WRONG_OF_ONE: f64 = 0.3;
const SLIPS: usize = 2;
const WRONG_OF_ALL: f64 = 0.05;

/// What the templates' places hold here.
const PLACES: [(&str, &str); 30] = [
    ("{address}", "two hundred Main Street"),
    ("{answer}", "the landfill is closed on holidays."),
    ("{beside}", "there is a dog in the yard"),
    ("{called}", "your name"),
    ("{body}", "county"),
    ("{callback}", "tomorrow morning"),
    ("{county}", "Riverbend County"),
    ("{date}", "Friday"),
    ("{day}", "Friday"),
    ("{holiday}", "Thanksgiving"),
    ("{hours}", "Monday through Friday, eight to five"),
    ("{injured}", "nobody was hurt"),
    ("{minutes}", "four minutes"),
    ("{name}", "Maria Lopez"),
    ("{number}", "555 0142"),
    ("{of_body}", "of the county"),
    ("{office_phone}", "555 0100"),
    ("{openings}", "Monday at nine, or Tuesday at ten"),
    ("{opening}", "Monday at nine"),
    ("{parts}", "the place, or the time"),
    ("{part}", "555"),
    ("{phone}", "555 0142"),
    ("{place}", "second"),
    ("{priority}", "A person will look at it today."),
    ("{target}", "the county clerk"),
    ("{task}", "report"),
    ("{time}", "half past nine"),
    ("{week}", "Monday through Friday, eight to five"),
    ("{what}", "a tree is down"),
    ("{where}", "at the corner of Main and First"),
];
/// Places whose meaning a prompt's own words decide.
const MORE_PLACES: [(&str, &str); 11] = [
    ("{amount}", "five feet"),
    ("{limit}", "six feet"),
    ("{about}", "a pothole"),
    ("{reference}", "four eight two one"),
    ("{first}", "a new license"),
    ("{second}", "an old one"),
    ("{source}", "the county handbook"),
    ("{Source}", "The county handbook"),
    ("{status}", "under review"),
    ("{value}", "the old bridge"),
    ("{when}", "This morning"),
];

/// What short forms are written out as. Heard where it is not written, the voice said what is not so.
const WRITTEN_OUT: [&str; 40] = [
    "number",
    "sunday",
    "saturday",
    "wednesday",
    "thursday",
    "january",
    "february",
    "march",
    "august",
    "september",
    "october",
    "november",
    "december",
    "inches",
    "inch",
    "feet",
    "foot",
    "department",
    "avenue",
    "boulevard",
    "highway",
    "parkway",
    "apartment",
    "suite",
    "mister",
    "missus",
    "junior",
    "senior",
    "professor",
    "reverend",
    "governor",
    "sergeant",
    "lieutenant",
    "captain",
    "incorporated",
    "limited",
    "corporation",
    "association",
    "versus",
    "extension",
];

/// All English prompts: those that are said in the same words each time as they are, the others with something in each
/// place. A part in brackets is said.
async fn prompts() -> BTreeSet<String> {
    let dir = tempfile::tempdir().unwrap();
    let platform = Platform::open(PlatformOptions::new(dir.path())).await.unwrap();
    demo::seed_first_start(&platform).await.unwrap();
    let tenant = platform.store().tenant_by_slug(demo::SLUG).await.unwrap().unwrap();
    let desk = FrontDesk::new(Arc::new(Retriever::lexical())).unwrap();
    let facts = demo::facts(&platform, &tenant).await.unwrap();
    desk.put_tenant(tenant.id.0, platform.tenant(tenant.id).await.unwrap(), facts);
    let book = Phrasebook::new(&Config::for_test(dir.path()), &desk, true);
    let batches = book.of(tenant.id, &Arc::default());
    let english = batches.into_iter().find(|batch| batch.saying.language == Language::En).unwrap();
    let mut all: BTreeSet<String> = english.texts.into_iter().collect();

    let script = Script::front_desk(Language::En).unwrap();
    let templates = script.fixed_phrases().map(str::to_owned).chain(script.tasks.iter().flat_map(|task| {
        let whole = task.summary.iter().chain(&task.done).chain(&task.done_incomplete).cloned();
        whole.chain(task.slots.iter().filter_map(|slot| slot.read.clone()))
    }));
    all.extend(templates.filter(|text| text.contains(['{', '['])).map(|text| filled(&text)));
    // Said to those who speak Spanish, by whichever voice there is: nothing for an English ear.
    all.retain(|text| !text.contains("español"));
    all
}

fn filled(template: &str) -> String {
    let text = template.replace(['[', ']'], "");
    let text =
        PLACES.iter().chain(&MORE_PLACES).fold(text, |text, (place, value)| text.replace(place, value));
    assert!(!text.contains('{'), "a place that this test does not know: {text}");
    text
}

/// Words as they sound, whoever wrote them: small letters, digits one by one. Nothing here comes from the product, so that
/// its faults cannot excuse themselves.
fn words(text: &str) -> Vec<String> {
    const DIGITS: [&str; 10] =
        ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];
    let mut plain = String::new();
    for c in text.to_lowercase().chars() {
        match c {
            '0'..='9' => plain.push_str(&format!(" {} ", DIGITS[c as usize - '0' as usize])),
            c if c.is_alphanumeric() || c == '\'' => plain.push(c),
            '\u{2019}' => plain.push('\''),
            // "a.m." is two letters that are said, however they are written.
            '.' => {}
            _ => plain.push(' '),
        }
    }
    plain.split_whitespace().map(str::to_owned).collect()
}

/// Words to put in, take out or change.
fn distance(a: &[String], b: &[String]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, left) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, right) in b.iter().enumerate() {
            let changed = diagonal + usize::from(left != right);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

async fn say(voice: &dyn TextToSpeech, text: &str) -> Vec<u8> {
    let mut stream = voice.open(&Language::En.into()).unwrap();
    let id = SegmentId { turn: TurnId(1), index: 0 };
    let segment = ReplySegment { id, text: text.to_owned(), kind: SegmentKind::Reply, fixed: false };
    stream.commands.send(TtsCommand::Speak(segment)).await.unwrap();
    let mut spoken = vec![MULAW_SILENCE; 250 * 8];
    loop {
        match stream.events.recv().await.unwrap() {
            TtsEvent::Audio { mulaw, .. } => spoken.extend(mulaw),
            TtsEvent::Done { .. } => break,
            TtsEvent::Failed { failure, .. } => panic!("{text}: {failure}"),
            TtsEvent::Provider(_) | TtsEvent::Used(_) => {}
        }
    }
    spoken.resize(spoken.len() + 200 * 8, MULAW_SILENCE);
    spoken
}

async fn hear(stream: &mut SttStream, number: u32, audio: &[u8]) -> String {
    let utterance = UtteranceId(number);
    for (at, piece) in audio.chunks(FRAME_BYTES).enumerate() {
        let mut frame = [MULAW_SILENCE; FRAME_BYTES];
        frame[..piece.len()].copy_from_slice(piece);
        // As a session would: speech is noticed a moment after it began.
        if at == 17 {
            stream.commands.send(SttCommand::SpeechStarted { utterance }).await.unwrap();
        }
        stream.commands.send(SttCommand::Audio(AudioFrame(frame))).await.unwrap();
    }
    stream.commands.send(SttCommand::Pause { utterance, pause: 1, asked: Expectation::Open }).await.unwrap();
    let text = loop {
        match stream.events.recv().await.expect("the recogniser goes on") {
            // A better text of the prompt before may still come.
            SttEvent::Final { text, utterance: of, .. } if of == utterance => break text,
            SttEvent::Lost { failure } => panic!("{failure}"),
            _ => {}
        }
    };
    stream.commands.send(SttCommand::Ended { utterance }).await.unwrap();
    text
}

/// A prompt and what was heard of it.
async fn read_out(speech: Arc<LocalSpeech>, prompts: Vec<String>) -> Vec<(String, String)> {
    let (voice, mut ear) = (speech.voice(), speech.recogniser().open(&Language::En.into()).unwrap());
    let mut heard = Vec::new();
    for (prompt, number) in prompts.into_iter().zip(1..) {
        let audio = say(&voice, &prompt).await;
        let text = hear(&mut ear, number, &audio).await;
        heard.push((prompt, text));
    }
    heard
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_prompt_that_ships_is_heard_as_it_is_written() {
    let speech = Arc::new(LocalSpeech::load(&models(), 0).unwrap());
    let prompts: Vec<String> = prompts().await.into_iter().collect();
    assert!(prompts.len() > 200, "{}", prompts.len());
    let (first, second): (Vec<_>, Vec<_>) = prompts.into_iter().enumerate().partition(|(at, _)| at % 2 == 0);
    let half = |part: Vec<(usize, String)>| part.into_iter().map(|(_, prompt)| prompt).collect();
    let reading = [first, second].map(|part| tokio::spawn(read_out(speech.clone(), half(part))));
    let mut heard = Vec::new();
    for part in reading {
        heard.extend(part.await.unwrap());
    }
    let (mut wrong, mut total, mut faults) = (0, 0, Vec::new());
    for (prompt, heard) in &heard {
        let (expected, got) = (words(prompt), words(heard));
        let edits = distance(&expected, &got);
        wrong += edits;
        total += expected.len();
        let invented =
            got.iter().find(|word| WRITTEN_OUT.contains(&word.as_str()) && !expected.contains(word));
        let letters =
            [&expected, &got].map(|words| words.concat().chars().map(String::from).collect::<Vec<_>>());
        let is_far = |wrong: usize, of: usize| wrong as f64 > of as f64 * WRONG_OF_ONE;
        let is_wrong = edits > SLIPS
            && is_far(edits, expected.len())
            && is_far(distance(&letters[0], &letters[1]), letters[0].len());
        if edits > 0 {
            println!("{edits} of {}: {prompt:?} heard as {heard:?}", expected.len());
        }
        if is_wrong || invented.is_some() {
            faults.push(format!("{edits} of {}: {prompt:?} heard as {heard:?}", expected.len()));
        }
    }
    println!("{wrong} of {total} words of {} prompts", heard.len());
    assert!(faults.is_empty(), "{faults:#?}");
    assert!(wrong as f64 <= total as f64 * WRONG_OF_ALL, "{wrong} of {total} words are heard as others");
}
