#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;

use super::*;

/// A shipped file with one thing changed.
fn broken(file: &str, from: &str, to: &str) -> TeamError {
    let text = FILES.iter().find(|(name, _)| *name == file).unwrap().1;
    assert!(text.contains(from), "{from} is not in {file}");
    Teams::read(&[(file, &text.replacen(from, to, 1))]).unwrap_err()
}

#[test]
fn every_shipped_team_is_read_and_has_what_the_platform_document_asks_for() {
    let teams = Teams::shipped().unwrap();
    let names: Vec<&str> = teams.all().iter().map(|team| team.id.as_str()).collect();
    assert_eq!(names.len(), FILES.len());
    let desk: Vec<&str> = teams.team(FRONT_DESK).unwrap().specialists.iter().map(|s| s.id.as_str()).collect();
    assert_eq!(desk, ["triage", "knowledge", "intake", "scheduling", "status"]);
    assert_eq!(teams.team("legal_research").unwrap().specialists.len(), 5);
    for team in teams.all() {
        assert!(team.specialists.iter().all(|s| s.autonomy <= team.autonomy), "{}", team.id);
    }
}

#[test]
fn every_tool_of_the_front_desk_has_one_owner() {
    let desk = Teams::shipped().unwrap().team(FRONT_DESK).unwrap();
    for tool in crate::tools::specs().iter() {
        assert!(desk.owner_of(&tool.name).is_some(), "{} belongs to nobody", tool.name);
    }
    assert_eq!(desk.owner_of("file_report").unwrap().id, "intake");
    assert_eq!(desk.owner_of("look_up_claim").unwrap().id, "status");
    assert_eq!(desk.owner_of("book_inspection").unwrap().id, "scheduling");
}

#[test]
fn specialists_come_after_those_they_wait_for() {
    for team in Teams::shipped().unwrap().all() {
        let mut done = BTreeSet::new();
        for specialist in team.in_order() {
            assert!(specialist.after.iter().all(|id| done.contains(id.as_str())), "{}", specialist.id);
            done.insert(specialist.id.as_str());
        }
        assert_eq!(done.len(), team.specialists.len());
    }
}

#[test]
fn a_mistake_is_told_with_file_key_and_fix() {
    let file = "incident_investigation.toml";
    for (from, to, key, word) in [
        ("\"find_work_items\"", "\"read_minds\"", "specialist.duplicates.tools", "read_minds"),
        (
            "\"intake_review\", \"severity\", \"dup",
            "\"nobody\", \"severity\", \"dup",
            "specialist.corrective_actions.after",
            "nobody",
        ),
        (
            "reads = [\"report\", \"call\"]",
            "reads = [\"report\", \"severity\"]",
            "specialist.intake_review.reads",
            "severity",
        ),
        ("type = \"object\"", "type = \"banana\"", "specialist.intake_review.output", "object"),
        ("{ type = \"boolean\" }", "{ type = \"banana\" }", "specialist.intake_review.output", "JSON Schema"),
        ("matter = \"incident\"", "matter = \"weather\"", "handles.weather", "incident"),
        ("confidence = 0.9", "confidence = 9.0", "handles.incident", "0 to 1"),
        ("autonomy = 2", "autonomy = 5", "specialist.intake_review.autonomy", "1 to 3"),
        ("id = \"severity\"", "id = \"intake_review\"", "specialist.intake_review.id", "twice"),
        ("id = \"severity\"", "id = \"librarian\"", "specialist.librarian.id", "no name"),
        (
            "escalate_when = [\"There is nothing to go on and nobody to call back\"]",
            "escalate_when = []",
            "specialist.intake_review.escalate_when",
            "person",
        ),
        ("autonomy = 2", "autonomy = 2\nmax_tokens = 10", "specialist.intake_review.max_tokens", "budget"),
    ] {
        let error = broken(file, from, to);
        assert_eq!((error.file.as_str(), error.key.as_str()), (file, key), "{error}");
        assert!(error.to_string().contains(word) && !error.fix.is_empty(), "{error}");
    }
    let unread = broken(file, "purpose =", "porpoise =");
    assert!(unread.to_string().contains("porpoise"), "{unread}");
}

#[test]
fn a_circle_is_refused_however_long() {
    let file = "front_desk.toml";
    let error = broken(file, "id = \"triage\"", "id = \"triage\"\nafter = [\"status\"]");
    assert_eq!(error.file, file);
    assert!(error.key.ends_with(".after") && error.problem.contains("itself"), "{error}");
}

#[test]
fn two_teams_have_two_names() {
    let (file, text) = FILES[0];
    let error = Teams::read(&[(file, text), ("other.toml", text)]).unwrap_err();
    assert_eq!((error.file.as_str(), error.key.as_str()), ("other.toml", "id"));
}

#[test]
fn a_teams_own_text_is_told_every_fault_with_its_line() {
    let sound = Teams::shipped_text("claims").unwrap();
    let draft = read_own(sound, Some("claims"));
    assert_eq!((draft.faults, draft.team.map(|team| team.id)), (Vec::new(), Some("claims".to_owned())));
    let line = |text: &str, word: &str| text.lines().position(|line| line.contains(word)).unwrap() + 1;
    let wrong = sound
        .replacen("name = \"Claims Team\"", "name = \"\"", 1)
        .replacen("\"find_work_items\"", "\"read_minds\"", 1)
        .replacen("confidence = 0.92", "confidence = 9.0", 1);
    let draft = read_own(&wrong, Some("claims"));
    let told: Vec<_> = draft.faults.iter().map(|f| (f.key.as_str(), f.line.unwrap_or(0))).collect();
    let expected = [
        ("name", line(&wrong, "name = \"\"")),
        ("handles[1]", line(&wrong, "[[handles]]")),
        ("specialist[3].tools", line(&wrong, "read_minds")),
    ];
    assert_eq!(told, expected, "{:#?}", draft.faults);
    assert!(draft.team.is_none());
    // What has the wrong form is told first, all of it.
    let misspelled =
        sound.replacen("purpose =", "porpoise =", 1).replacen("never_model = true", "never_model = 3", 1);
    let told: Vec<_> = read_own(&misspelled, None).faults.into_iter().map(|f| (f.key, f.line)).collect();
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told.contains(&("porpoise".to_owned(), Some(line(&misspelled, "porpoise")))), "{told:?}");
    let methodless = sound.replacen("method = \"triage\"\n", "", 1);
    let draft = read_own(&methodless, None);
    assert!(
        draft.faults[0].message.contains("method") && draft.faults[0].line.is_some(),
        "{:?}",
        draft.faults
    );
    let renamed = read_own(sound, Some("roads"));
    assert_eq!(renamed.faults[0].key, "id");
    assert_eq!(read_own("id = ", None).faults[0].line, Some(1));
}

#[test]
fn a_teams_own_text_has_bounds() {
    let sound = Teams::shipped_text("claims").unwrap();
    let many: Vec<String> = (0..201).map(|n| format!("\"example {n}\"")).collect();
    let text = sound.replacen("autonomy = ", &format!("examples = [{}]\nautonomy = ", many.join(", ")), 1);
    assert_eq!(read_own(&text, None).faults[0].key, "examples");
    let long =
        sound.replacen("autonomy = ", &format!("examples = [\"{}\"]\nautonomy = ", "a".repeat(301)), 1);
    assert_eq!(read_own(&long, None).faults[0].key, "examples[1]");
    assert!(read_own(&"#".repeat(MOST_TEXT + 1), None).team.is_none());
}
