//! What people do is on the audit, and the audit can be checked: here, over the API, and by a program of others.

use std::fs;
use std::path::Path;
use std::process::Command;

use reqwest::{Client, StatusCode};
use secrecy::{ExposeSecret, SecretString};
use serde_json::{Value, json};
use storage::audit::{NewAudit, Party};
use storage::outbox_records::NewOutgoing;
use storage::{Auth, Directory, NewTenant, NewToken, Outbox, Role, TenantStore};

use crate::audit::export::VERIFY;
use crate::cli;
use crate::simulated::TestGateway;

const ADMIN: &str = "an-admin-token-of-the-test";

async fn gateway() -> TestGateway {
    TestGateway::start(|config| config.admin_token = Some(SecretString::from(ADMIN))).await
}

async fn get(test: &TestGateway, path: &str, token: &str) -> (StatusCode, Value) {
    let answer = Client::new().get(test.url(path)).bearer_auth(token).send().await.unwrap();
    (answer.status(), answer.json().await.unwrap_or_default())
}

async fn token(test: &TestGateway, slug: &str, role: Role) -> String {
    let store = test.gateway.app.platform.store();
    let tenant = store.tenant_by_slug(slug).await.unwrap().unwrap().id;
    let new = NewToken { tenant_id: Some(tenant), name: format!("{role}-token"), role, expires_at: None };
    store.create_token(new).await.unwrap().secret.expose_secret().to_owned()
}

async fn riverbend(test: &TestGateway) -> TenantStore {
    let platform = &test.gateway.app.platform;
    let tenant = platform.store().tenant_by_slug("riverbend").await.unwrap().unwrap();
    platform.tenant(tenant.id).await.unwrap()
}

/// Entries of an action, newest first.
async fn entries(test: &TestGateway, tenant: &str, action: &str) -> Vec<Value> {
    let answer = get(test, &format!("/v1/audit?tenant={tenant}&action={action}"), ADMIN).await.1;
    answer["items"].as_array().unwrap_or_else(|| panic!("{answer}")).clone()
}

#[tokio::test]
async fn what_people_change_is_on_the_audit_with_who_and_the_trace_of_the_request() {
    let test = gateway().await;
    let head = token(&test, "riverbend", Role::TenantAdmin).await;
    let http = Client::new();
    let body = json!({ "name": "ci", "role": "supervisor" });
    let answer = http.post(test.url("/v1/tokens")).bearer_auth(&head).json(&body).send().await.unwrap();
    let request = answer.headers()["x-request-id"].to_str().unwrap().replace('-', "");
    let made: Value = answer.json().await.unwrap();
    let entry = entries(&test, "riverbend", "token.created").await.remove(0);
    assert_eq!(entry["actor"], json!({ "kind": "token", "id": "tenant-admin-token" }));
    assert_eq!((&entry["subject"]["id"], &entry["trace_id"]), (&made["id"], &json!(request)));
    assert_eq!(entry["details"]["token_role"], "supervisor");
    assert!(!entry.to_string().contains(made["secret"].as_str().unwrap()));

    let id = made["id"].as_str().unwrap();
    http.delete(test.url(&format!("/v1/tokens/{id}"))).bearer_auth(&head).send().await.unwrap();
    let user = json!({ "login": "wilhelmina", "name": "Wilhelmina", "role": "supervisor" });
    http.post(test.url("/v1/users")).bearer_auth(&head).json(&user).send().await.unwrap();
    let words = json!({ "vocabulary": ["Puyallup"] });
    http.put(test.url("/v1/tenants/riverbend/vocabulary"))
        .bearer_auth(&head)
        .json(&words)
        .send()
        .await
        .unwrap();
    let document = json!({ "source": "a.md", "title": "A", "content": "Wombats." });
    http.post(test.url("/v1/knowledge/documents")).bearer_auth(&head).json(&document).send().await.unwrap();
    for action in ["token.revoked", "user.created", "settings.changed", "knowledge.posted"] {
        assert_eq!(entries(&test, "riverbend", action).await.len(), 1, "{action}");
    }
    let created = entries(&test, "riverbend", "user.created").await.remove(0);
    assert_eq!(created["has_personal"], true);
    assert!(!created.to_string().contains("ilhelmina"), "{created}");
    let oakdale = json!({ "slug": "oakdale", "name": "Oakdale" });
    http.post(test.url("/v1/tenants")).bearer_auth(ADMIN).json(&oakdale).send().await.unwrap();
    let entry = entries(&test, "oakdale", "tenant.created").await.remove(0);
    assert_eq!(entry["actor"]["kind"], "operator");
}

#[tokio::test]
async fn what_is_refused_is_on_the_audit() {
    let test = gateway().await;
    let new = NewTenant { slug: "oakdale".into(), name: "Oakdale".into(), timezone: "UTC".into() };
    test.gateway.app.platform.create_tenant(new).await.unwrap();
    let supervisor = token(&test, "riverbend", Role::Supervisor).await;
    assert_eq!(get(&test, "/v1/audit", &supervisor).await.0, StatusCode::FORBIDDEN);
    assert_eq!(get(&test, "/v1/calls?tenant=oakdale", &supervisor).await.0, StatusCode::NOT_FOUND);
    assert_eq!(get(&test, "/v1/calls", "a wrong token").await.0, StatusCode::UNAUTHORIZED);
    let http = Client::builder().redirect(reqwest::redirect::Policy::none()).build().unwrap();
    http.post(test.url("/sign-in")).form(&[("token", "a guess")]).send().await.unwrap();

    let denied = entries(&test, "riverbend", "access.denied").await.remove(0);
    assert_eq!((&denied["outcome"], &denied["subject"]["id"]), (&json!("denied"), &json!("read the audit")));
    let other = entries(&test, "riverbend", "access.other_tenant").await.remove(0);
    assert_eq!(other["subject"]["id"], "oakdale");
    assert!(entries(&test, "oakdale", "access.other_tenant").await.is_empty());
    assert_eq!(entries(&test, "_platform", "token.refused").await.len(), 1);
    let refused = entries(&test, "_platform", "session.refused").await.remove(0);
    assert!(!refused.to_string().contains("guess"));
}

#[tokio::test]
async fn what_a_person_decides_of_a_held_effect_is_on_the_audit_with_who_and_what() {
    let test = gateway().await;
    let store = riverbend(&test).await;
    let (supervisor, auditor) =
        (token(&test, "riverbend", Role::Supervisor).await, token(&test, "riverbend", Role::Auditor).await);
    let mut held = Vec::new();
    for key in ["k1", "k2"] {
        let new = NewOutgoing {
            idempotency_key: key.into(),
            destination: crate::outbox::deliver::DESK.into(),
            tool: "take_message".into(),
            held: true,
            call_id: None,
            passport_id: None,
            payload: json!({ "message": "Maria Lopez wants her fence back." }),
        };
        held.push(store.put_outgoing(new).await.unwrap().id.to_string());
    }
    let (first, second) = (held[0].as_str(), held[1].as_str());
    for (id, word, token, status) in [
        (first, "approve", &auditor, StatusCode::FORBIDDEN),
        (first, "approve", &supervisor, StatusCode::OK),
        (second, "reject", &supervisor, StatusCode::OK),
        (second, "approve", &supervisor, StatusCode::CONFLICT),
    ] {
        let path = test.url(&format!("/v1/outbox/{id}/{word}"));
        let answer = Client::new().post(path).bearer_auth(token).send().await.unwrap();
        assert_eq!(answer.status(), status, "{word} {id}");
    }
    let decided = entries(&test, "riverbend", "outbox.decided").await;
    let told: Vec<_> = decided
        .iter()
        .rev()
        .map(|e| (e["subject"]["id"].as_str().unwrap(), e["details"]["act"].as_str().unwrap()))
        .collect();
    assert_eq!(told, [(first, "approved"), (second, "rejected")]);
    for entry in &decided {
        assert_eq!(entry["actor"], json!({ "kind": "token", "id": "supervisor-token" }));
        let words = (&entry["details"]["tool"], &entry["outcome"], &entry["has_personal"]);
        assert_eq!(words, (&json!("take_message"), &json!("done"), &json!(false)));
        assert!(!entry.to_string().contains("Lopez"), "{entry}");
    }
    assert_eq!(entries(&test, "riverbend", "access.denied").await.len(), 1);
}

#[tokio::test]
async fn an_auditor_reads_the_own_audit_and_nobody_elses() {
    let test = gateway().await;
    let new = NewTenant { slug: "oakdale".into(), name: "Oakdale".into(), timezone: "UTC".into() };
    test.gateway.app.platform.create_tenant(new).await.unwrap();
    let auditor = token(&test, "riverbend", Role::Auditor).await;
    riverbend(&test).await.audit().record(entry(1)).await.unwrap();
    let (status, page) = get(&test, "/v1/audit?limit=1", &auditor).await;
    assert_eq!((status, &page["items"][0]["action"]), (StatusCode::OK, &json!("call.guard")));
    assert_eq!(get(&test, "/v1/audit/verify", &auditor).await.1["whole"], true);
    for path in ["/v1/audit", "/v1/audit/verify", "/v1/audit/export"] {
        for tenant in ["oakdale", "_platform"] {
            let (status, _) = get(&test, &format!("{path}?tenant={tenant}"), &auditor).await;
            assert_eq!(status, StatusCode::NOT_FOUND, "{path} of {tenant}");
        }
    }
    let head = get(&test, "/v1/audit/verify", ADMIN).await.1["head"].as_str().unwrap().to_owned();
    let noted = format!("/v1/audit/verify?head={head}");
    assert_eq!(get(&test, &noted, ADMIN).await.1["whole"], true);
    let (seq, _) = head.split_once(':').unwrap();
    let other = format!("/v1/audit/verify?head={seq}:{}", "0".repeat(64));
    let verdict = get(&test, &other, ADMIN).await.1;
    assert_eq!(verdict["broken"]["seq"], json!(seq.parse::<u64>().unwrap()), "{verdict}");
}

fn entry(n: u32) -> NewAudit {
    NewAudit::new("call.guard", Party::new("system", "call"), Party::new("call", format!("c{n}")))
        .with("n", n)
        .personal(json!({ "said": format!("words of caller {n}") }))
}

/// What `verify.py` says of an export, and whether it found it whole.
fn checked(folder: &Path, export: &str) -> (bool, String) {
    let (file, program) = (folder.join("export.jsonl"), folder.join("verify.py"));
    fs::write(&file, export).unwrap();
    fs::write(&program, VERIFY).unwrap();
    let ran = Command::new("python3").arg(&program).arg(&file).output().expect("python3");
    (ran.status.success(), String::from_utf8(ran.stdout).unwrap())
}

async fn exported(test: &TestGateway, query: &str, token: &str) -> String {
    let url = test.url(&format!("/v1/audit/export?{query}"));
    let answer = Client::new().get(url).bearer_auth(token).send().await.unwrap();
    assert_eq!(answer.status(), StatusCode::OK);
    answer.text().await.unwrap()
}

#[tokio::test]
async fn an_export_is_checked_without_our_software_and_a_change_in_it_is_named() {
    let (test, folder) = (gateway().await, tempfile::tempdir().unwrap());
    let audit = riverbend(&test).await.audit();
    for n in 1..=8 {
        audit.record(entry(n)).await.unwrap();
    }
    let whole = exported(&test, "", ADMIN).await;
    let (is_whole, said) = checked(folder.path(), &whole);
    assert!(is_whole && said.contains("entries 1 to 8, 0 withheld"), "{said}");
    assert!(!whole.contains("words of caller"));

    let redacted = exported(&test, "redact=call.guard&subject=c3", ADMIN).await;
    let (is_whole, said) = checked(folder.path(), &redacted);
    assert!(is_whole && said.contains("withheld, 1 without details"), "{said}");
    assert!(!redacted.contains(r#"\"n\":3"#) && !redacted.contains(r#""subject_id":"c4""#), "{redacted}");

    let raw = exported(&test, "personal=true", ADMIN).await;
    assert!(checked(folder.path(), &raw).0 && raw.contains("words of caller 5"));
    assert_eq!(entries(&test, "riverbend", "audit.exported").await.len(), 3);
    assert_eq!(entries(&test, "riverbend", "raw.read").await.len(), 1);

    let lines: Vec<&str> = whole.lines().collect();
    let without = |at: usize| [&lines[..at], &lines[at + 1..]].concat().join("\n");
    let swapped = {
        let mut lines = lines.clone();
        lines.swap(2, 3);
        lines.join("\n")
    };
    for (tampered, named) in [
        (whole.replace(r#"\"n\":4"#, r#"\"n\":40"#), "entry 4 was changed"),
        (whole.replacen("call.guard", "call.ended", 1), "entry 1 was changed"),
        (raw.replace("words of caller 5", "words of nobody"), "entry 5 was changed"),
        (redacted.replacen("body_hash\":\"", "body_hash\":\"00", 1), "entry 1 was changed"),
        (without(3), "entry 3 is missing"),
        (without(1), "entry 1 is missing"),
        (without(lines.len() - 1), "cut off"),
        (without(lines.len() - 2), "does not end where it says"),
        (swapped, "entry 2 is missing"),
        (format!("{whole}{}", lines[2]), "behind the end"),
        ("{}".to_owned(), "not an export"),
        (String::new(), "not readable"),
    ] {
        let (is_whole, said) = checked(folder.path(), &tampered);
        assert!(!is_whole && said.contains(named), "{named}: {said}");
    }
}

#[tokio::test]
async fn raw_text_needs_its_permission_and_leaves_an_entry_first() {
    let test = gateway().await;
    let store = riverbend(&test).await;
    let call = super::settings::said(&store, "my number is +12025550143").await;
    let (reader, supervisor) =
        (token(&test, "riverbend", Role::Auditor).await, token(&test, "riverbend", Role::Supervisor).await);
    let path = format!("/v1/calls/{call}/transcript");
    assert_eq!(get(&test, &path, &reader).await.1["turns"][0]["text"], "my number is ⟨phone:1⟩");
    assert!(entries(&test, "riverbend", "raw.read").await.is_empty());
    let raw = format!("{path}?raw=true");
    assert_eq!(get(&test, &raw, &supervisor).await.0, StatusCode::FORBIDDEN);
    assert_eq!(get(&test, &raw, &reader).await.1["turns"][0]["text"], "my number is +12025550143");
    let read = entries(&test, "riverbend", "raw.read").await.remove(0);
    assert_eq!(
        (&read["actor"]["id"], &read["subject"]["id"]),
        (&json!("auditor-token"), &json!(call.to_string()))
    );
    let denied = entries(&test, "riverbend", "access.denied").await.remove(0);
    assert_eq!(denied["subject"]["id"], "read raw text");
}

/// The command line, beside the running gateway and on the folder that it left.
#[tokio::test]
async fn the_command_line_checks_and_exports_a_running_and_a_stopped_gateway() {
    let test = gateway().await;
    let (folder, mut config) = (tempfile::tempdir().unwrap(), test.gateway.app.config.clone());
    config.bind = test.gateway.addr;
    let store = riverbend(&test).await;
    for n in 1..=3 {
        store.audit().record(entry(n)).await.unwrap();
    }
    let out = folder.path().join("all.jsonl");
    let export = ["audit", "export", "--tenant", "riverbend", "--from", "2020-01-01", "--out"];
    let export: Vec<String> =
        export.map(str::to_owned).into_iter().chain([out.display().to_string()]).collect();
    let verify = ["audit".to_owned(), "verify".to_owned(), "--all".to_owned()];
    cli::run_words(&config, &verify).await.unwrap();
    cli::run_words(&config, &export).await.unwrap();
    let ran = Command::new("python3").arg(folder.path().join("verify.py")).arg(&out).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stdout));

    let id = store.id();
    drop(store);
    let TestGateway { gateway, _dir } = test;
    gateway.shutdown().await;
    // Whoever waits for the end of the gateway finds its folder let go.
    cli::run_words(&config, &verify).await.unwrap();
    cli::run_words(&config, &export).await.unwrap();
    fs::remove_file(config.data_dir.join("audit").join(format!("{id}.head"))).unwrap();
    fs::write(config.data_dir.join("audit").join(format!("{id}.head")), format!("99:{}\n", "0".repeat(64)))
        .unwrap();
    let broken = cli::run_words(&config, &verify).await.unwrap_err();
    assert!(broken.to_string().contains("1 audit(s) are not as they were written"), "{broken}");
}

#[tokio::test]
async fn what_is_too_old_goes_unless_it_is_held_and_both_are_on_the_audit() {
    let test = gateway().await;
    let (store, app) = (riverbend(&test).await, &test.gateway.app);
    let call = super::settings::said(&store, "words").await;
    storage::Calls::end_call(&store, call, "caller_hung_up", chrono::Utc::now()).await.unwrap();
    let head = token(&test, "riverbend", Role::TenantAdmin).await;
    let http = Client::new();
    let days = json!({ "event_days": 30 });
    let put = http.put(test.url("/v1/tenants/riverbend/retention")).bearer_auth(&head).json(&days);
    let kept: Value = put.send().await.unwrap().json().await.unwrap();
    assert_eq!(kept, json!({ "event_days": 30, "task_days": 180, "recording_days": 90 }));
    let none = json!({ "event_days": 0 });
    let put = http.put(test.url("/v1/tenants/riverbend/retention")).bearer_auth(&head).json(&none);
    assert_eq!(put.send().await.unwrap().status(), StatusCode::BAD_REQUEST);

    let supervisor = token(&test, "riverbend", Role::Supervisor).await;
    let hold = json!({ "kind": "call", "subject": call, "reason": "Smith against the county" });
    let post = |token: &str| http.post(test.url("/v1/holds")).bearer_auth(token.to_owned()).json(&hold);
    assert_eq!(post(&supervisor).send().await.unwrap().status(), StatusCode::FORBIDDEN);
    let set: Value = post(&head).send().await.unwrap().json().await.unwrap();
    for kind in ["call", "passport"] {
        let none = json!({ "kind": kind, "subject": storage::CallId::new(), "reason": "a slip" });
        let answer = http.post(test.url("/v1/holds")).bearer_auth(&head).json(&none).send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::BAD_REQUEST, "{kind}");
        let said: Value = answer.json().await.unwrap();
        assert!(said["error_message"].as_str().unwrap().contains("nothing would be held"), "{said}");
    }
    let later = chrono::Utc::now() + chrono::TimeDelta::days(31);
    assert!(crate::retention::sweep(app, &store, later).await.unwrap().is_nothing());
    let lift =
        http.delete(test.url(&format!("/v1/holds/{}", set["id"].as_str().unwrap()))).bearer_auth(&head);
    assert_eq!(lift.send().await.unwrap().status(), StatusCode::NO_CONTENT);
    assert_eq!(get(&test, "/v1/holds", &head).await.1["items"][0]["lifted_by"], "tenant-admin-token");
    let read = entries(&test, "riverbend", "raw.read").await.remove(0);
    assert_eq!(
        (&read["details"]["what"], &read["actor"]["id"]),
        (&json!("holds"), &json!("tenant-admin-token"))
    );
    assert_eq!(crate::retention::sweep(app, &store, later).await.unwrap().calls, 1);
    let transcript = get(&test, &format!("/v1/calls/{call}/transcript"), ADMIN).await.1;
    assert_eq!(transcript["turns"], json!([]));
    for action in ["hold.set", "hold.lifted", "retention.swept"] {
        let entry = entries(&test, "riverbend", action).await.remove(0);
        assert!(!entry.to_string().contains("Smith"), "{entry}");
    }
}
