use std::path::Path;

use super::*;
use crate::scenario::evidence::{Tool, Turn};
use crate::scenario::file;
use crate::scenario::work::Filed;

/// `v` is 100 ms of voice, `-` of silence.
fn voiced(pattern: &str) -> Vec<bool> {
    pattern.chars().flat_map(|mark| [mark == 'v'; 5]).collect()
}

fn turn(turn: u64, speaker: &str, text: &str) -> Turn {
    let (speaker, text) = (speaker.to_owned(), text.to_owned());
    let started_at = chrono::DateTime::UNIX_EPOCH;
    Turn { turn, speaker, text, started_at, ended_at: None, interrupted: false, heard_text: None }
}

/// A greeting of a second, an utterance, and a reply after 800 ms.
fn evidence() -> Evidence {
    let spoken =
        Spoken { step: 0, text: "a hole".into(), kind: Kind::Said, from: 100, onset: 100, last: 149 };
    Evidence {
        spoken: vec![spoken],
        said: voiced("--------------------vvvvvvvvvv------------------"),
        heard: voiced("vvvvvvvvvv----------------------------vvvvvvvvvv"),
        told: vec![(1, 0), (2, 170)],
        transcript: vec![
            turn(1, "agent", "Thank you for calling."),
            turn(1, "caller", "a hole"),
            turn(2, "agent", "I'll take a report. Where is the hole?"),
        ],
        tools: vec![Tool { name: "file_report".into(), ok: true }],
        work: vec![Filed {
            kind: "incident".into(),
            reference: "R".into(),
            fields: vec![("where".into(), "Mabel Street".into())],
        }],
        language: "en-US".into(),
        attention: "none".into(),
        hung_up: true,
        ..Evidence::default()
    }
}

fn findings(expect: &str) -> Vec<String> {
    let text = format!("name: x\nsteps:\n  - say: a hole\n{expect}");
    let scenario = file::parse(&text, Path::new("x.yaml")).unwrap();
    let line = |line: Option<u64>| line.map_or(String::new(), |line| format!("{line}: "));
    judge(&scenario, &evidence()).into_iter().map(|f| format!("{}{}", line(f.line), f.what)).collect()
}

#[test]
fn a_call_as_it_was_wanted_has_no_findings() {
    let all = "    expect: { contains: [report, hole], any_of: [lamp, where], not: 911, matches: 'where .*\\?$', language: en, \
        max_ms: 900, answered: true }\nexpect:\n  greeting: { contains: thank you }\n  hears: report\n  not_hears: [lawyer]\n  \
        tools: [file_report]\n  not_tools: [look_up_claim]\n  work: [{ kind: incident, fields: { where: mabel } }]\n  \
        not_work: [escalation]\n  never: [maple]\n  language: en\n  attention: none\n  ended_by: caller\n  \
        latency: { max_ms: 900, p95_ms: 900 }\n  max_silence_ms: 900\n  max_interruptions: 0\n";
    assert_eq!(findings(all), Vec::<String>::new());
}

#[test]
fn everything_that_is_otherwise_is_found_with_its_line() {
    let step = "    expect: { contains: permit, any_of: [lamp], not: hole, matches: 'x', language: es, max_ms: 500, answered: false }\n";
    let found = findings(step);
    assert_eq!(found.len(), 7, "{found:?}");
    assert!(found.iter().all(|finding| finding.starts_with("3: ")), "{found:?}");
    assert!(found[0].contains("lacks \"permit\"; heard: \"I'll take a report."), "{found:?}");
    for (expect, part) in [
        ("greeting: { not: calling }", "the greeting must not say"),
        ("hears: permit", "never heard: \"permit\""),
        ("not_hears: report", "must not be: \"report\""),
        ("tools: [book]", "the tool book"),
        ("not_tools: [file_report]", "was used"),
        ("work: []", "nobody wanted it"),
        ("work: [{ kind: incident, fields: { where: maple } }]", "where is \"Mabel Street\", not maple"),
        ("not_work: [incident]", "incident was filed"),
        ("never: mabel", "holds \"mabel\""),
        ("state: 0123456789abcdef", "has the hash"),
        ("team: claims", "the team is \"\""),
        ("language: es", "language is \"en\""),
        ("attention: urgent", "attention is \"none\""),
        ("ended_by: agent", "the caller who hung up"),
        ("latency: { max_ms: 700 }", "after 820 ms"),
        ("latency: { p95_ms: 700 }", "within 820 ms"),
        ("max_silence_ms: 700", "silence of 800 ms"),
    ] {
        let found = findings(&format!("expect:\n  {expect}\n"));
        assert!(found.len() == 1 && found[0].contains(part), "{expect}: {found:?}");
    }
}

#[test]
fn a_missed_step_an_interruption_talked_through_and_a_stopped_nod_are_found() {
    let text = "name: x\nsteps:\n  - say: stop\n  - say: mm\n    expect: { contains: x }\nexpect: { max_interruptions: 0 }\n";
    let scenario = file::parse(text, Path::new("x.yaml")).unwrap();
    let spoken =
        |kind, from: usize, last| Spoken { step: 0, text: String::new(), kind, from, onset: from, last };
    let evidence = Evidence {
        spoken: vec![
            spoken(Kind::Interruption, 10, 30),
            spoken(Kind::BackChannel, 40, 50),
            // A reply begins within this one.
            spoken(Kind::Said, 260, 330),
        ],
        heard: [vec![true; 250], vec![false; 50], vec![true; 100]].concat(),
        clears: vec![60],
        ..Evidence::default()
    };
    let found: Vec<String> = judge(&scenario, &evidence).into_iter().map(|f| f.what).collect();
    for part in ["never reached", "talked through", "1 of 1 back-channels", "interrupted 1 times"] {
        assert!(found.iter().any(|what| what.contains(part)), "{part}: {found:?}");
    }
    let manners = manners(&evidence);
    assert_eq!((manners.turns, manners.cut_off, manners.yields_ms), (2, 1, vec![None]));
}
