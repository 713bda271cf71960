use super::*;

const WHOLE: &str = r#"
name: A pothole on Maple Street
about: Reports a hole, and is interrupted by nobody.
tags: [quick, incident]
call:
  from: "+12405550163"
  language: en
  line: { noise_db: 16, loss_percent: 3, speakerphone_db: 20 }
steps:
  - say: "Hi, um, <900> there's a huge hole in the road."
    expect: { contains: [report, "where|street"], not: 911, max_ms: 2000 }
  - say: Stop.
    over: { at_word: permit }
  - say: Mm-hm.
    over: { after_ms: 900, yields: false }
  - keys: "4417#"
    wait_ms: 500
  - silence_ms: 9000
    expect: { contains: still there }
  - converse: 12
  - wav: bye.wav
  - hang_up: true
answers:
  - { asked: "what('s| is) your name", say: ["Daniel Ortega.", "O R T E G A."] }
expect:
  hears: filed
  not_hears: [lawyer]
  tools: [file_report]
  work:
    - { kind: incident, fields: { where: maple, phone: from }, missing: [name] }
  attention: watch
  latency: { p95_ms: 1500 }
  max_silence_ms: 5000
  max_interruptions: 0
"#;

fn parse(text: &str) -> Result<Scenario, Fault> {
    super::parse(text, Path::new("scenarios/pothole.yaml"))
}

#[test]
fn a_whole_file_is_read_and_allowed_by_the_published_schema() {
    let scenario = parse(WHOLE).unwrap();
    assert_eq!(scenario.id(), "pothole");
    assert_eq!(scenario.steps.len(), 8);
    assert_eq!(scenario.steps[0].line, 10);
    assert_eq!(scenario.steps[6].deed, Deed::Wav("scenarios/bye.wav".into()));
    assert!(
        !scenario.steps[2].over.as_ref().unwrap().yields && scenario.steps[1].over.as_ref().unwrap().yields
    );
    assert_eq!(scenario.expect.max_interruptions, Some(0));
    let schema: serde_json::Value = serde_json::from_str(SCHEMA).unwrap();
    let schema = jsonschema::validator_for(&schema).unwrap();
    let written: serde_json::Value = serde_saphyr::from_str(WHOLE).unwrap();
    let faults: Vec<String> =
        schema.iter_errors(&written).map(|e| format!("{} {e}", e.instance_path())).collect();
    assert!(faults.is_empty(), "{faults:?}");
    // And it refuses what the reader refuses.
    for wrong in
        ["name: x\nsteps: []\n", "name: x\nsteps: [{say: a, keys: '1'}]\n", "name: x\nstep: [{say: a}]\n"]
    {
        let written: serde_json::Value = serde_saphyr::from_str(wrong).unwrap();
        assert!(!schema.is_valid(&written), "{wrong}");
        assert!(parse(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn every_scenario_that_ships_is_read_and_allowed_by_the_schema() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scenarios");
    let scenarios = read_all(&[folder]).unwrap_or_else(|faults| panic!("{faults:?}"));
    assert!(scenarios.len() >= 20, "{}", scenarios.len());
    let schema: serde_json::Value = serde_json::from_str(SCHEMA).unwrap();
    let schema = jsonschema::validator_for(&schema).unwrap();
    for scenario in scenarios {
        let text = std::fs::read_to_string(&scenario.file).unwrap();
        let written: serde_json::Value = serde_saphyr::from_str(&text).unwrap();
        let faults: Vec<String> =
            schema.iter_errors(&written).map(|e| format!("{} {e}", e.instance_path())).collect();
        assert!(faults.is_empty(), "{}: {faults:?}", scenario.file.display());
        assert!(!scenario.about.is_empty(), "{} says not what it is about", scenario.file.display());
    }
}

#[test]
fn a_fault_names_file_line_and_key() {
    let faults = [
        ("name: x\nsteps:\n  - say: hello\n    expekt: {}\n", 4, "expekt"),
        ("name: x\nsteps:\n  - say: hello\n    wait_ms: soon\n", 4, "wait_ms"),
        ("name: x\nsteps:\n  - say: hello\n    keys: '1'\n", 3, "say, wav, keys"),
        ("name: x\nsteps:\n  - say: hello\n    expect: { matches: '(' }\n", 4, "regular expression"),
        ("name: x\nsteps:\n  - say: 'hello <900'\n", 3, "pause"),
        ("name: x\nsteps:\n  - say: hello\n  - keys: '12x'\n", 4, "pressed"),
        ("name: x\ncall: { language: fr }\nsteps:\n  - say: hello\n", 2, "fr"),
        ("name: x\nsteps:\n  - say: hello\n    over: {}\n", 3, "after_ms or at_word"),
        ("name: x\nsteps:\n  - say: hello\nexpect:\n  hears: '...'\n", 5, "no word"),
        ("name: x\nsteps:\n\t- say: hello\n", 3, ""),
    ];
    for (text, line, part) in faults {
        let fault = parse(text).unwrap_err().to_string();
        assert!(fault.starts_with(&format!("scenarios/pothole.yaml, line {line}: ")), "{text}{fault}");
        assert!(fault.contains(part), "{text}{fault}");
        assert_eq!(fault.lines().count(), 1, "{fault}");
    }
    assert!(parse("name: x\nsteps:\n  - converse: 3\n").unwrap_err().to_string().contains("answers"));
    assert!(
        read(Path::new("nowhere.yaml")).unwrap_err().to_string().contains("nowhere.yaml: cannot be read")
    );
}

#[test]
fn a_folder_is_read_in_order_and_every_file_that_is_wrong_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let put = |name: &str, text: &str| std::fs::write(dir.path().join(name), text).unwrap();
    std::fs::create_dir(dir.path().join("more")).unwrap();
    put("b.yaml", "name: b\nsteps: [{ say: b }]\n");
    put("a.yml", "name: a\nsteps: [{ say: a }]\n");
    put("more/c.yaml", "name: c\nsteps: [{ say: c }]\n");
    put("README.md", "no scenario");
    let names = |all: Vec<Scenario>| all.into_iter().map(|one| one.name).collect::<Vec<_>>();
    assert_eq!(names(read_all(&[dir.path().to_owned()]).unwrap()), ["a", "b", "c"]);
    put("d.yaml", "name: d\n");
    put("e.yaml", "steps: [{ say: e }]\n");
    assert_eq!(read_all(&[dir.path().to_owned()]).unwrap_err().len(), 2);
}
