//! Scripted conversations, as data: `agents/dialogue/tests/scripts/*.toml`.

use std::collections::BTreeMap;
use std::path::Path;

use pipeline::ports::{AfterReply, Language, SecretDigits, TurnInput};
use serde::Deserialize;

use super::{LEXICAL, Phone, WORLD, World};

#[derive(Deserialize)]
struct File {
    call: Vec<Conversation>,
}

#[derive(Deserialize)]
struct Conversation {
    name: String,
    #[serde(default)]
    caller_number: bool,
    /// Language of the greeting.
    #[serde(default)]
    language: Language,
    /// What the line speaks; the greeting's language alone when empty.
    #[serde(default)]
    spoken: Vec<Language>,
    /// Needs the sentence model.
    #[serde(default)]
    model: bool,
    turn: Vec<Exchange>,
    #[serde(default)]
    files: Vec<Expected>,
    #[serde(default)]
    unfinished: Vec<Expected>,
    #[serde(default)]
    urgent: bool,
    #[serde(default)]
    hangs_up: bool,
}

#[derive(Deserialize)]
struct Exchange {
    #[serde(default)]
    say: Option<String>,
    #[serde(default)]
    keys: Option<String>,
    /// A secret, keyed or said.
    #[serde(default)]
    secret: Option<String>,
    /// What the recogniser takes the caller's language for, before this turn.
    #[serde(default)]
    recognised: Option<Language>,
    /// Languages in which the reply is voiced, in the order they begin.
    #[serde(default)]
    voiced: Vec<Language>,
    #[serde(default)]
    silence: Option<u32>,
    #[serde(default)]
    noise: bool,
    /// The recogniser is not sure of the words.
    #[serde(default)]
    unsure: bool,
    /// What the words may have been instead.
    #[serde(default)]
    alternatives: Vec<String>,
    /// The offered times go to somebody else before this turn.
    #[serde(default)]
    steal: bool,
    /// Parts that must be heard, in any letter case.
    #[serde(default)]
    hear: Vec<String>,
    #[serde(default)]
    not: Vec<String>,
    #[serde(default)]
    expects: Option<String>,
}

#[derive(Deserialize)]
struct Expected {
    task: String,
    #[serde(default)]
    incomplete: bool,
    #[serde(default)]
    priority: Option<String>,
    #[serde(default)]
    fields: BTreeMap<String, String>,
}

fn conversations() -> Vec<Conversation> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scripts");
    let mut files: Vec<_> = std::fs::read_dir(dir).unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    files
        .iter()
        .flat_map(|f| {
            let text = std::fs::read_to_string(f).unwrap();
            toml::from_str::<File>(&text).unwrap_or_else(|e| panic!("{}: {e}", f.display())).call
        })
        .collect()
}

fn input(turn: &Exchange) -> TurnInput {
    match (&turn.say, &turn.keys, turn.silence) {
        (Some(text), ..) => TurnInput::Said {
            text: text.clone(),
            unsure: turn.unsure,
            alternatives: turn.alternatives.clone(),
        },
        (_, Some(digits), _) => TurnInput::Digits { digits: digits.clone() },
        _ if turn.secret.is_some() => {
            TurnInput::Secret(SecretDigits::new(turn.secret.clone().unwrap_or_default()))
        }
        (.., Some(times)) => TurnInput::Silence { times },
        _ if turn.noise => TurnInput::Unintelligible,
        _ => panic!("a turn without input"),
    }
}

/// Plays a conversation; gives what was wrong with it.
fn play(world: &World, call: &Conversation) -> Result<(), String> {
    let mut phone = Phone::speaking(world, call.caller_number, call.language, &call.spoken);
    let mut log = String::new();
    for turn in &call.turn {
        if turn.steal {
            let offered = phone.state.tasks.last().and_then(|t| t.chosen.clone());
            phone.taken.extend(offered.map(|o| o.id));
        }
        if let Some(language) = turn.recognised {
            phone.state = world.dialogue.language_heard(&phone.state, language);
        }
        let input = input(turn);
        let reply = phone.input(&input);
        log.push_str(&format!("   caller {input:?}\n   agent  {reply}\n"));
        let lower = reply.to_lowercase();
        let missing = turn.hear.iter().find(|h| !lower.contains(&h.to_lowercase()));
        let extra = turn.not.iter().find(|h| lower.contains(&h.to_lowercase()));
        if let Some(part) = missing {
            return Err(format!("{}: not heard: {part:?}\n{log}", call.name));
        }
        if let Some(part) = extra {
            return Err(format!("{}: heard: {part:?}\n{log}", call.name));
        }
        let mut voiced: Vec<Language> =
            phone.last.iter().flat_map(|s| s.say.iter().map(|say| say.language)).collect();
        voiced.dedup();
        if !turn.voiced.is_empty() && voiced != turn.voiced {
            return Err(format!("{}: voiced in {voiced:?}\n{log}", call.name));
        }
        let secret = turn.secret.as_deref().filter(|s| s.len() >= 4 && s.chars().all(|c| c.is_ascii_digit()));
        let kept = format!(
            "{:?} {}",
            phone.state,
            serde_json::to_string(&phone.last.as_ref().map(|s| (&s.note, &s.state))).unwrap()
        );
        if secret.is_some_and(|secret| kept.contains(secret)) {
            return Err(format!("{}: a secret was kept\n{log}", call.name));
        }
        let expects = phone.last.as_ref().map(|s| serde_json::to_value(s.expects).unwrap());
        if let Some(wanted) = &turn.expects
            && expects != Some(serde_json::json!(wanted))
        {
            return Err(format!("{}: expects {expects:?}, not {wanted}\n{log}", call.name));
        }
    }
    check_end(&phone, call).map_err(|e| format!("{}: {e}\n{log}", call.name))
}

fn check_end(phone: &Phone<'_>, call: &Conversation) -> Result<(), String> {
    same_work(&phone.filed, &call.files).map_err(|e| format!("filed: {e}"))?;
    same_work(&phone.world.dialogue.unfinished(&phone.state), &call.unfinished)
        .map_err(|e| format!("unfinished: {e}"))?;
    let hung_up = phone.last.as_ref().is_some_and(|s| s.then == AfterReply::HangUp);
    if hung_up != call.hangs_up || phone.urgent != call.urgent {
        return Err(format!("hung up {hung_up}, urgent {}", phone.urgent));
    }
    Ok(())
}

fn same_work(filed: &[super::Filing], expected: &[Expected]) -> Result<(), String> {
    if filed.len() != expected.len() {
        return Err(format!("{} instead of {}: {filed:?}", filed.len(), expected.len()));
    }
    for (filing, wanted) in filed.iter().zip(expected) {
        let priority = wanted.priority.as_deref().is_none_or(|p| p == filing.priority.as_str());
        let fields = wanted.fields.iter().all(|(k, v)| match k.as_str() {
            "caller_number" => filing.use_caller_number == (v == "yes"),
            "booked" => filing.booking.is_some() == (v == "yes"),
            k => filing.fields.get(k).map_or("", String::as_str) == v,
        });
        if filing.task != wanted.task || filing.incomplete != wanted.incomplete || !priority || !fields {
            return Err(format!("{filing:?}"));
        }
    }
    Ok(())
}

fn play_all(world: &World) {
    let all = conversations();
    assert!(all.len() >= 40, "only {} scripts", all.len());
    let playable = all.iter().filter(|c| world.has_model() || !c.model);
    let wrong: Vec<String> = playable.filter_map(|call| play(world, call).err()).collect();
    assert!(wrong.is_empty(), "{} of {}:\n\n{}", wrong.len(), all.len(), wrong.join("\n"));
}

#[test]
fn every_script_plays() {
    play_all(&WORLD);
}

#[test]
fn every_script_plays_without_a_model() {
    play_all(&LEXICAL);
}

#[test]
fn spanish_is_played_through() {
    let spanish = |c: &&Conversation| c.language == Language::Es || c.spoken.contains(&Language::Es);
    let all = conversations();
    assert!(all.iter().filter(spanish).count() >= 20);
    // Notices on a line without Spanish.
    let only_english =
        |c: &&Conversation| c.turn.iter().any(|t| t.hear.iter().any(|h| h.contains("solo habla inglés")));
    assert!(all.iter().filter(only_english).count() >= 4);
}
