//! `quandura doctor --online` against the simulated providers.

use gateway::cli;

use super::*;

/// The file of an operator who put everything into it.
fn file(vendors: &Vendors, dir: &std::path::Path) -> String {
    let section =
        |name: &str, key: &str, base: &str| format!("[{name}]\napi_key = \"{key}\"\nbase_url = \"{base}\"\n");
    let folder = dir.display();
    [
        format!("bind = \"127.0.0.1:0\"\ndata_dir = \"{folder}/data\"\nmodels_dir = \"{folder}/models\"\n"),
        LISTS.to_owned(),
        section("deepgram", "test-key", &vendors.deepgram_base),
        section("elevenlabs", "test-key", &vendors.eleven.base()),
        section("anthropic", anthropic::KEY, vendors.claude.base()),
        section("openai", openai::KEY, vendors.other.base()),
    ]
    .concat()
}

async fn doctor(vendors: &Vendors) -> anyhow::Result<()> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("q.toml");
    std::fs::write(&path, file(vendors, dir.path())).unwrap();
    let words = ["quandura", "--config", path.to_str().unwrap(), "doctor", "--online"];
    cli::run(cli::read(words).unwrap()).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_doctor_asks_every_provider_and_fails_for_one_that_does_not_answer() {
    let vendors = Vendors::start("When is the office open?").await;
    doctor(&vendors).await.unwrap();
    let asked = (vendors.ears.upgrades().len(), vendors.flux.upgrades().len());
    assert!(asked.0 > 0 && asked.1 > 0, "{asked:?}");
    assert!(vendors.eleven.seen().contains(&"Hello.".to_owned()), "{:?}", vendors.eleven.seen());
    assert!(!vendors.aura.seen().is_empty());
    assert_eq!((vendors.claude.requests().len(), vendors.other.requests().len()), (1, 1));
    assert_eq!(vendors.violations(), Vec::<String>::new());
    vendors.claude.faults.set(Fault::Status { status: 401, retry_after: None });
    let failed = doctor(&vendors).await.unwrap_err().to_string();
    assert!(failed.starts_with("1 of "), "{failed}");
}
