//! `quandura test` over the real wire, against a gateway with simulated engines. Callers here press keys: they need no models.

use std::path::Path;

use secrecy::SecretString;

use super::super::run_words;
use super::*;
use crate::simulated::TestGateway;

const PASSES: &str = "name: passes\nsteps:\n  - keys: '5'\n    expect: { contains: digits }\n";
const FAILS: &str = "name: fails\nsteps:\n  - keys: '7'\n    expect: { contains: no such words }\n";

fn put(folder: &Path, name: &str, text: &str) {
    fs::write(folder.join(name), text).unwrap();
}

#[tokio::test]
async fn scenarios_run_at_once_and_the_run_is_kept_shown_and_compared() {
    let admin = || Some(SecretString::from("an-admin-token-of-the-test"));
    let test = TestGateway::start(|config| config.admin_token = admin()).await;
    let mut config = Config::for_test(test._dir.path());
    config.admin_token = admin();
    let dir = tempfile::tempdir().unwrap();
    let suite = dir.path().join("suite");
    fs::create_dir(&suite).unwrap();
    put(&suite, "a.yaml", PASSES);
    put(&suite, "b.yaml", &format!("known_failure: it cannot yet\n{FAILS}"));
    let at = |name: &str| dir.path().join(name).display().to_string();
    let url = test.url("");
    let run = async |more: &[&str]| {
        let words = ["test", suite.to_str().unwrap(), "--jobs", "3", "--url", &url];
        let words: Vec<String> = words.iter().chain(more).map(|word| (*word).to_owned()).collect();
        run_words(&config, &words).await
    };
    let (json, junit, html) = (at("old.json"), at("out.xml"), at("html"));
    run(&["--json", &json, "--junit", &junit, "--html", &html]).await.unwrap();
    assert!(fs::read_to_string(&junit).unwrap().contains("known failure: it cannot yet"));
    for file in ["index.html", "a.html", "audio/b-agent.wav"] {
        assert!(Path::new(&html).join(file).is_file(), "{file}");
    }
    let old = kept(Path::new(&json)).unwrap();
    assert_eq!((old.figures.passed.hits, old.figures.task_completion.hits), (2, 1));
    // What is fixed must lose its mark, and what fails fails the run.
    put(&suite, "a.yaml", FAILS);
    put(&suite, "b.yaml", &format!("known_failure: it cannot yet\n{PASSES}"));
    let error = run(&["--json", &at("new.json"), "--compare", &json]).await.unwrap_err().to_string();
    assert!(error.contains("2 of 2") && error.contains("a, b"), "{error}");
    let text = table::comparison(&old, &kept(Path::new(&at("new.json"))).unwrap());
    assert!(text.contains("a: passed → failed") && text.contains("b: known failure → passes"), "{text}");
    test.gateway.shutdown().await;
}

#[tokio::test]
async fn a_call_that_fails_is_held_again_and_told_apart() {
    let dir = tempfile::tempdir().unwrap();
    let attempts = Attempts { retries: 1, folder: Some(dir.path().to_owned()) };
    let held = |outcome: Outcome| {
        let runs = crate::scenario::report::page::tests::run().scenarios;
        runs.into_iter().find(|held| held.outcome == outcome).unwrap()
    };
    let outcome = async |calls: [Outcome; 2]| {
        persistently(|attempt| std::future::ready((held(calls[attempt]), Evidence::default())), &attempts)
            .await
    };
    let flaky = outcome([Outcome::Failed, Outcome::Passed]).await;
    assert_eq!((flaky.outcome, flaky.findings.len(), flaky.earlier.len()), (Outcome::Flaky, 0, 1));
    assert!(table::lines(&flaky).join("\n").contains("at first: line 7: the reply lacks"));
    assert!(dir.path().join("pothole.failed-0.html").is_file() && dir.path().join("couch.html").is_file());
    let failed = outcome([Outcome::Failed; 2]).await;
    assert_eq!((failed.outcome, failed.findings.len(), failed.earlier.len()), (Outcome::Failed, 1, 1));
    // What passes, and what is known to fail, is not held again.
    assert_eq!(outcome([Outcome::Passed, Outcome::Failed]).await.outcome, Outcome::Passed);
    assert_eq!(outcome([Outcome::KnownFailure, Outcome::Passed]).await.outcome, Outcome::KnownFailure);
}

#[tokio::test]
async fn what_is_wrong_is_said_before_a_call_is_made() {
    let dir = tempfile::tempdir().unwrap();
    let config = Config::for_test(dir.path());
    let run = async |words: &[&str]| -> Result<(), String> {
        let words: Vec<String> =
            std::iter::once("test").chain(words.iter().copied()).map(str::to_owned).collect();
        run_words(&config, &words).await.map_err(|error| format!("{error:#}"))
    };
    put(dir.path(), "good.yaml", "name: good\ntags: [quick]\nsteps: [{ say: hello }]\n");
    let good = dir.path().join("good.yaml").display().to_string();
    run(&[&good, "--check"]).await.unwrap();
    run(&["--schema"]).await.unwrap();
    assert!(run(&[]).await.unwrap_err().contains("DIR-or-FILE"));
    assert!(run(&[&good, "--tag", "slow"]).await.unwrap_err().contains("tags"));
    assert!(run(&[&good]).await.unwrap_err().contains("make build"));
    assert!(run(&[&good, "--compare", &good]).await.unwrap_err().contains("--json"));
    assert!(run(&["--from-call", "x", "-o", &good]).await.unwrap_err().contains("is there already"));
    put(dir.path(), "bad.yaml", "name: bad\nsteps: [{ shout: hello }]\n");
    let all = dir.path().display().to_string();
    assert!(run(&[&all]).await.unwrap_err().contains("bad.yaml, line 2: "));
}
