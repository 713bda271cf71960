//! A tenant as one document: read, refused, laid down, and heard on the next call.

use std::sync::Arc;
use std::time::Duration;

use agents::FrontDesk;
use chrono::Utc;
use dialogue::TenantFacts;
use futures_util::future::BoxFuture;
use knowledge::Retriever;
use parking_lot::Mutex;
use pipeline::ports::{CallBrief, Language, ReplyCommand, ReplyEvent, ReplyStream, Responder, TurnInput};
use pipeline::turn::TurnId;
use reqwest::header::{ACCEPT, CONTENT_TYPE, ETAG, IF_MATCH};
use reqwest::{Client, RequestBuilder, StatusCode};
use secrecy::{ExposeSecret, SecretString};
use serde_json::{Value, json};
use storage::versions::{NewVersion, VersionKind};
use storage::{Auth, Claims, Directory, NewToken, PlatformOptions, Role, Slots, Tenant, Versions};
use uuid::Uuid;

use crate::config::Config;
use crate::demo;
use crate::providers::{Loaded, Providers, agent};
use crate::simulated::{TestGateway, engines};
use crate::tenant_config::check::check;
use crate::tenant_config::{follow, read, versions};

const ADMIN: &str = "an-admin-token-of-the-test";
const GUIDE: &str = include_str!("../../../docs/guides/county-from-a-file.md");
const RIVERBEND: &str = "/v1/tenants/riverbend/config";
const OAKDALE: &str = "/v1/tenants/oakdale/config";

/// The file that the guide shows.
fn file() -> &'static str {
    GUIDE.split("```toml\n").nth(1).unwrap().split("```").next().unwrap()
}

/// A gateway whose desk is the real one.
async fn gateway() -> (TestGateway, FrontDesk) {
    let kept: Arc<Mutex<Option<FrontDesk>>> = Arc::default();
    let noted = kept.clone();
    let loaded = move |platform: storage::Platform| -> BoxFuture<'static, anyhow::Result<Loaded>> {
        Box::pin(async move {
            let retriever = Arc::new(Retriever::lexical());
            let desk = agent::start(&platform, retriever.clone(), None, Default::default()).await?;
            *noted.lock() = Some(desk.clone());
            let (adopt, rules) = (agent::adopter(&desk), agent::lawgiver(&desk));
            Ok(Providers { adopt, rules, retriever, ..engines(platform).await? }.into())
        })
    };
    let admin = |config: &mut Config| config.admin_token = Some(SecretString::from(ADMIN));
    let test = TestGateway::with(admin, loaded).await;
    let desk = kept.lock().clone().unwrap();
    (test, desk)
}

async fn sent(request: RequestBuilder) -> (StatusCode, Value) {
    let answer = request.bearer_auth(ADMIN).send().await.unwrap();
    (answer.status(), answer.json().await.unwrap_or_default())
}

fn put(test: &TestGateway, path: &str, text: &str) -> RequestBuilder {
    Client::new().put(test.url(path)).header(CONTENT_TYPE, "application/toml").body(text.to_owned())
}

async fn oakdale(test: &TestGateway) -> Tenant {
    let new = json!({"slug": "oakdale", "name": "Oakdale"});
    sent(Client::new().post(test.url("/v1/tenants")).json(&new)).await;
    test.gateway.app.platform.store().tenant_by_slug("oakdale").await.unwrap().unwrap()
}

struct Call(ReplyStream, u32);

impl Call {
    fn open(desk: &FrontDesk, tenant: &Tenant, line: &str) -> Self {
        let brief = CallBrief {
            call: pipeline::turn::CallId(Uuid::now_v7()),
            tenant: tenant.id.0,
            passport: Uuid::now_v7(),
            caller: None,
            line: line.to_owned(),
            language: Language::En,
            spoken: vec![Language::En],
            recalled: Vec::new(),
            outbound: false,
            reminder: None,
            follow_up: None,
            consent: Default::default(),
            hand_over: Default::default(),
        };
        Self(desk.open(brief).unwrap(), 0)
    }

    /// Of somebody whom we called.
    fn to_them(desk: &FrontDesk, tenant: &Tenant) -> Self {
        let brief = CallBrief {
            call: pipeline::turn::CallId(Uuid::now_v7()),
            tenant: tenant.id.0,
            passport: Uuid::now_v7(),
            caller: None,
            line: "+12025550171".to_owned(),
            language: Language::En,
            spoken: vec![Language::En],
            recalled: Vec::new(),
            outbound: true,
            reminder: None,
            follow_up: None,
            consent: Default::default(),
            hand_over: Default::default(),
        };
        Self(desk.open(brief).unwrap(), 0)
    }

    async fn hears(&mut self, input: TurnInput) -> String {
        let turn = TurnId(self.1);
        self.1 += 1;
        self.0.commands.send(ReplyCommand::Start { turn, input, speculative: false }).await.unwrap();
        let mut text = String::new();
        while let Ok(Some(event)) = tokio::time::timeout(Duration::from_secs(5), self.0.events.recv()).await {
            match event {
                ReplyEvent::Segment(segment) => text = format!("{text}{} ", segment.text),
                ReplyEvent::Done { .. } => break,
                _ => {}
            }
        }
        text
    }
}

#[test]
fn the_file_of_the_guide_is_sound() {
    let reading = read::toml(file());
    assert_eq!(reading.faults, []);
    assert_eq!(check(&reading.config), []);
    let again = read::toml(&reading.config.to_toml().unwrap());
    assert_eq!((again.faults, again.config), (Vec::new(), reading.config));
}

#[tokio::test]
async fn a_second_county_is_made_from_a_file_and_answers_by_it_on_the_next_call() {
    let (test, desk) = gateway().await;
    let tenant = oakdale(&test).await;
    let mut bare = Call::open(&desk, &tenant, "+12025550171");
    let greeting = bare.hears(TurnInput::Opened).await;
    assert!(greeting.contains("Oakdale"), "{greeting}");
    let hours = bare.hears(TurnInput::said("what are your office hours")).await;
    assert!(!hours.contains("Monday") && !hours.contains(" at ,") && !hours.contains("county"), "{hours}");

    let (status, applied) = sent(put(&test, OAKDALE, file())).await;
    assert_eq!(status, StatusCode::OK, "{applied}");
    assert!(applied["changes"].to_string().contains("hours friday"), "{applied}");
    let mut call = Call::open(&desk, &tenant, "+12025550171");
    let greeting = call.hears(TurnInput::Opened).await;
    assert!(greeting.contains("Thank you for calling City of Oakdale"), "{greeting}");
    let hours = call.hears(TurnInput::said("what are your office hours")).await;
    assert!(
        hours.contains("The city's main office is at 2 Mill Road.")
            && hours.contains("Monday through Thursday, 7:30 a.m. to 6 p.m., and Friday, 8 a.m. to noon."),
        "{hours}"
    );

    let opening = Call::to_them(&desk, &tenant).hears(TurnInput::Opened).await;
    assert!(opening.starts_with("I'm an automated assistant."), "we called them: {opening}");

    let platform = &test.gateway.app.platform;
    let line = platform.store().line("+12025550171").await.unwrap().unwrap();
    assert_eq!((line.tenant_id, line.languages.len()), (tenant.id, 2));
    let store = platform.tenant(tenant.id).await.unwrap();
    assert_eq!(store.claim("clm 30001").await.unwrap().unwrap().holder.name, "Pat Quist");
    assert_eq!(store.free_slots(Utc::now(), 500).await.unwrap().len(), 3 * 2 * 3);
    let listed = sent(Client::new().get(test.url("/v1/tenants"))).await.1;
    assert!(listed.to_string().contains("City of Oakdale"), "{listed}");

    let (_, again) = sent(put(&test, OAKDALE, file())).await;
    assert_eq!(again["changes"], json!([]), "laid down twice, nothing is left to change");
    let follows_up = format!("follow_up_calls = true\n{}", file());
    let (_, changed) = sent(put(&test, OAKDALE, &follows_up)).await;
    assert_eq!(changed["changes"].as_array().unwrap().len(), 1, "{changed}");
    let (_, again) = sent(put(&test, OAKDALE, &follows_up)).await;
    assert_eq!(again["changes"], json!([]));
    let (_, kept) = sent(Client::new().get(test.url(OAKDALE))).await;
    assert!(!kept.to_string().contains("Quist"), "claims are never given out: {kept}");
}

#[tokio::test]
async fn every_fault_is_told_with_its_place_and_nothing_is_changed() {
    let (test, _) = gateway().await;
    let before = sent(Client::new().get(test.url(RIVERBEND))).await.1;
    oakdale(&test).await;
    let wrong = "name = \"Oakdale\"\nremind_hours = 169\n[office]\nphone = \"five\"\n[hours]\n\
                 weekdays = \"17:00-8:00\"\n[[line]]\n\
                 number = \"+12025550100\"\nlanguages = [\"fr\"]\n[wording.en]\nno_such = [\"Hello.\"]\n";
    let check = Client::new().post(test.url(&format!("{OAKDALE}/check")));
    let (status, told) = sent(check.header(CONTENT_TYPE, "application/toml").body(wrong)).await;
    assert_eq!((status, &told["valid"]), (StatusCode::OK, &json!(false)));
    let mut places: Vec<(u64, &str)> = told["faults"]
        .as_array()
        .unwrap()
        .iter()
        .map(|f| (f["line"].as_u64().unwrap(), f["key"].as_str().unwrap()))
        .collect();
    places.sort_unstable();
    assert_eq!(
        places,
        [
            (2, "remind_hours"),
            (4, "office.phone"),
            (6, "hours.weekdays"),
            (8, "line[1].number"),
            (9, "line[1].languages[1]"),
            (11, "wording.en.no_such")
        ]
    );
    let (status, refused) = sent(put(&test, OAKDALE, wrong)).await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(refused["error_details"]["faults"], told["faults"]);
    assert_eq!(sent(Client::new().get(test.url(RIVERBEND))).await.1, before);
}

#[tokio::test]
async fn the_demo_county_is_given_as_a_file_that_changes_nothing_and_an_old_version_is_refused() {
    let (test, _) = gateway().await;
    let asked = Client::new().get(test.url(RIVERBEND)).header(ACCEPT, "application/toml").bearer_auth(ADMIN);
    let answer = asked.send().await.unwrap();
    let version = answer.headers()[ETAG].to_str().unwrap().to_owned();
    let text = answer.text().await.unwrap();
    assert!(text.contains("weekdays = \"8:00-17:00\"") && text.contains("[[appointments]]"), "{text}");
    let (status, applied) = sent(put(&test, RIVERBEND, &text).header(IF_MATCH, &version)).await;
    assert_eq!((status, &applied["changes"]), (StatusCode::OK, &json!([])), "{applied}");
    // The console sends the document as it was given to it.
    let (_, document) = sent(Client::new().get(test.url(RIVERBEND)).bearer_auth(ADMIN)).await;
    let check = test.url(&format!("{RIVERBEND}/check"));
    let (_, told) = sent(Client::new().post(check).bearer_auth(ADMIN).json(&document)).await;
    assert_eq!((&told["valid"], &told["changes"]), (&json!(true), &json!([])), "{told}");
    let moved = text.replace("100 Court Square", "1 New Square");
    let (status, applied) = sent(put(&test, RIVERBEND, &moved).header(IF_MATCH, &version)).await;
    assert_eq!((status, applied["changes"].as_array().unwrap().len()), (StatusCode::OK, 1), "{applied}");
    let (status, _) = sent(put(&test, RIVERBEND, &text).header(IF_MATCH, &version)).await;
    assert_eq!(status, StatusCode::PRECONDITION_FAILED);
}

#[tokio::test]
async fn what_another_gateway_lays_down_is_taken_up_here() {
    let (test, desk) = gateway().await;
    let tenant = oakdale(&test).await;
    let app = &test.gateway.app;
    let mut seen = follow::Seen::now(app).await.unwrap();
    let store = app.platform.tenant(tenant.id).await.unwrap();
    let lay = async |address: &str| {
        let facts = TenantFacts { office_address: address.to_owned(), ..read::toml(file()).config.facts() };
        let settings = vec![(demo::FACTS, serde_json::to_value(&facts).unwrap())];
        let (kind, name, actor) = (VersionKind::Config, String::new(), "another gateway".to_owned());
        let (changes, body) = (Vec::new(), Some("{}".to_owned()));
        let expected = versions::newest(&store).await.unwrap();
        let new = NewVersion { kind, name, expected, actor, changes, body, settings };
        store.keep_version(new).await.unwrap();
    };
    let told = async || {
        let mut call = Call::open(&desk, &tenant, "+12025550171");
        call.hears(TurnInput::said("what are your office hours")).await
    };
    lay("2 Mill Road").await;
    assert!(!told().await.contains("2 Mill Road"), "nobody told this one");
    follow::look(app, &mut seen).await.unwrap();
    assert!(told().await.contains("2 Mill Road"));
    lay("7 Church Street").await;
    follow::look(app, &mut seen).await.unwrap();
    assert!(told().await.contains("7 Church Street"));
}

#[tokio::test]
async fn a_tenants_admin_writes_its_own_document_and_no_other_role_does() {
    let (test, _) = gateway().await;
    let tenant = oakdale(&test).await;
    let store = test.gateway.app.platform.store();
    for (role, own, other) in [
        (Role::TenantAdmin, StatusCode::OK, StatusCode::NOT_FOUND),
        (Role::Supervisor, StatusCode::FORBIDDEN, StatusCode::FORBIDDEN),
    ] {
        let new = NewToken { tenant_id: Some(tenant.id), name: "t".to_owned(), role, expires_at: None };
        let token = store.create_token(new).await.unwrap().secret.expose_secret().to_owned();
        for (path, expected) in [(OAKDALE, own), (RIVERBEND, other)] {
            let asked = put(&test, path, "name = \"Oakdale Town\"\n").bearer_auth(&token);
            assert_eq!(asked.send().await.unwrap().status(), expected, "{role} {path}");
        }
    }
    let entries = sent(Client::new().get(test.url("/v1/audit")).header("x-tenant", "oakdale")).await.1;
    assert!(entries.to_string().contains("settings.changed"), "{entries}");
}

#[tokio::test]
async fn the_command_line_makes_shows_and_changes_a_tenant_without_a_gateway() {
    let dir = tempfile::tempdir().unwrap();
    let config = Config::for_test(dir.path());
    let path = dir.path().join("oakdale.toml");
    std::fs::write(&path, file()).unwrap();
    let run = async |words: &[&str]| {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        crate::cli::run_words(&config, &words).await
    };
    let name = path.to_str().unwrap();
    run(&["tenant", "apply", name, "--yes"]).await.unwrap();
    run(&["tenant", "apply", name, "--yes"]).await.unwrap();
    run(&["tenant", "create", "Town of Lee", "--line", "+12025550181", "--hours", "8:00-16:30"])
        .await
        .unwrap();
    let taken = run(&["tenant", "create", "Village of Po", "--line", "+12025550181"]).await;
    assert!(taken.is_err());
    run(&["tenant", "history", "oakdale"]).await.unwrap();
    run(&["tenant", "rollback", "oakdale", "1", "--yes"]).await.unwrap();
    assert!(run(&["tenant", "rollback", "oakdale", "77", "--yes"]).await.is_err());
    std::fs::write(&path, "slug = \"oakdale\"\nname = \"Oakdale\"\n[ofice]\n").unwrap();
    let wrong = run(&["tenant", "check", name]).await.unwrap_err().to_string();
    assert!(wrong.contains("oakdale.toml:3: ofice is not known"), "{wrong}");

    let platform = storage::Platform::open(PlatformOptions::new(&config.data_dir)).await.unwrap();
    let tenants = platform.store().tenants().await.unwrap();
    let slugs: Vec<&str> = tenants.iter().map(|tenant| tenant.slug.as_str()).collect();
    assert_eq!(slugs, ["oakdale", "riverbend", "town-of-lee"]);
    let lee = crate::demo::facts(&platform, &tenants[2]).await.unwrap();
    assert_eq!(lee.hours(Language::En), "Monday through Friday, 8 a.m. to 4:30 p.m");
}

#[tokio::test]
async fn documents_without_a_tenants_name_are_refused_where_there_are_several() {
    let (test, _) = gateway().await;
    let page = test._dir.path().join("page.md");
    std::fs::write(&page, "# Dogs\n\nDogs need a license.\n").unwrap();
    let mut config = Config::for_test(test._dir.path());
    config.admin_token = Some(SecretString::from(ADMIN));
    let words = |more: &[&str]| -> Vec<String> {
        let url = format!("http://{}", test.gateway.addr);
        ["import-docs", page.to_str().unwrap(), "--url", &url]
            .iter()
            .chain(more)
            .map(|w| (*w).to_owned())
            .collect()
    };
    crate::cli::run_words(&config, &words(&[])).await.unwrap();
    oakdale(&test).await;
    let refused = crate::cli::run_words(&config, &words(&[])).await.unwrap_err().to_string();
    assert!(refused.contains("oakdale, riverbend"), "{refused}");
    crate::cli::run_words(&config, &words(&["--tenant", "oakdale"])).await.unwrap();
}
