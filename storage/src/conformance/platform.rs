//! Tenants, lines, and who may come in.

use std::time::Duration;

use chrono::TimeDelta;
use secrecy::ExposeSecret;

use super::Fixture;
use crate::attempts::{AttemptBegun, AttemptKey};
use crate::clock::now;
use crate::ids::{TenantId, UserId};
use crate::{
    Attempts, Auth, Backend, BegunBy, Credentials, Directory, LOCAL_LOGIN, Line, NewOpenidUser, NewPasskey,
    NewTenant, NewToken, NewUser, OpenidNews, RecordingConsent, Removal, Role, StorageError, User,
};

const HOUR: Duration = Duration::from_secs(3600);

fn line(tenant_id: TenantId) -> Line {
    Line {
        number: "+12025550100".into(),
        tenant_id,
        name: "Front desk".into(),
        languages: vec!["en".into(), "es".into()],
        greeting: "Riverbend County.".into(),
        recording_consent: RecordingConsent::Notice,
    }
}

async fn ann(f: &Fixture) -> User {
    let new = NewUser {
        tenant_id: Some(f.river.id()),
        login: "Ann@river.example".into(),
        display_name: "Ann".into(),
        role: Role::TenantAdmin,
    };
    f.platform.store().create_user(new).await.unwrap()
}

pub(crate) async fn tenants_and_lines_are_found(f: &Fixture) {
    let store = f.platform.store();
    let tenant = store.tenant_by_slug("river").await.unwrap().unwrap();
    assert_eq!((tenant.id, tenant.timezone.as_str()), (f.river.id(), "America/New_York"));
    assert_eq!(store.tenants().await.unwrap().len(), 2);
    let again = NewTenant { slug: "river".into(), name: "x".into(), timezone: "UTC".into() };
    assert!(matches!(f.platform.create_tenant(again).await, Err(StorageError::Taken { what: "slug" })));
    let unknown = f.platform.tenant(TenantId::new()).await;
    assert!(matches!(unknown, Err(StorageError::NotFound { what: "tenant" })));
    store.put_line(line(f.river.id())).await.unwrap();
    assert_eq!(store.line("(202) 555-0100").await.unwrap(), Some(line(f.river.id())));
    assert_eq!(store.line("+12025550999").await.unwrap(), None);
    let renamed = Line { name: "Desk".into(), ..line(f.river.id()) };
    store.put_line(renamed.clone()).await.unwrap();
    assert_eq!(store.lines(f.river.id()).await.unwrap(), [renamed]);
}

pub(crate) async fn a_line_of_another_tenant_is_taken(f: &Fixture) {
    let store = f.platform.store();
    store.put_line(line(f.river.id())).await.unwrap();
    let refused = store.put_line(line(f.lake.id())).await;
    assert!(matches!(refused, Err(StorageError::Taken { what: "number" })), "{refused:?}");
    assert!(store.lines(f.lake.id()).await.unwrap().is_empty());
}

pub(crate) async fn a_tenant_is_renamed_and_loses_a_line(f: &Fixture) {
    let store = f.platform.store();
    store.put_line(line(f.river.id())).await.unwrap();
    assert!(!store.remove_line(f.lake.id(), "+12025550100").await.unwrap(), "it is another's");
    assert!(store.remove_line(f.river.id(), "(202) 555-0100").await.unwrap());
    assert!(store.lines(f.river.id()).await.unwrap().is_empty());
    store.rename_tenant(f.river.id(), "River City", "America/Chicago").await.unwrap();
    let tenant = store.tenant_by_slug("river").await.unwrap().unwrap();
    assert_eq!((tenant.name.as_str(), tenant.timezone.as_str()), ("River City", "America/Chicago"));
    let unknown = store.rename_tenant(TenantId::new(), "x", "UTC").await;
    assert!(matches!(unknown, Err(StorageError::NotFound { what: "tenant" })));
}

pub(crate) async fn a_link_works_once(f: &Fixture) {
    let (store, ann) = (f.platform.store(), ann(f).await);
    let secret = store.issue_link(ann.id, HOUR).await.unwrap();
    let racers: Vec<_> = (0..4)
        .map(|_| {
            let (platform, secret) = (f.platform.clone(), secret.expose_secret().to_owned());
            tokio::spawn(async move { platform.store().redeem_link(&secret).await.unwrap() })
        })
        .collect();
    let mut redeemed = Vec::new();
    for racer in racers {
        redeemed.extend(racer.await.unwrap());
    }
    assert_eq!(redeemed, [ann]);
    assert_eq!(store.redeem_link("ql_guess").await.unwrap(), None);
    let unknown = store.issue_link(UserId::new(), HOUR).await;
    assert!(matches!(unknown, Err(StorageError::NotFound { what: "user" })));
}

pub(crate) async fn an_expired_link_is_refused(f: &Fixture) {
    let (store, ann) = (f.platform.store(), ann(f).await);
    let secret = store.issue_link(ann.id, Duration::ZERO).await.unwrap();
    tokio::time::sleep(Duration::from_millis(5)).await;
    assert_eq!(store.redeem_link(secret.expose_secret()).await.unwrap(), None);
}

pub(crate) async fn sessions_end(f: &Fixture) {
    let (store, ann) = (f.platform.store(), ann(f).await);
    let secret = store.create_session(ann.id, BegunBy::Password, HOUR).await.unwrap();
    let session = store.session(secret.expose_secret()).await.unwrap().unwrap();
    assert_eq!((&session.user, session.begun_by), (&ann, BegunBy::Password));
    assert_eq!(session.seen_at, session.created_at);
    store.session_used(session.id).await.unwrap();
    let used = store.session(secret.expose_secret()).await.unwrap().unwrap();
    assert!(used.seen_at > session.seen_at);
    store.end_session(session.id).await.unwrap();
    assert_eq!(store.session(secret.expose_secret()).await.unwrap(), None);
    let short = store.create_session(ann.id, BegunBy::Link, Duration::ZERO).await.unwrap();
    tokio::time::sleep(Duration::from_millis(5)).await;
    assert_eq!(store.session(short.expose_secret()).await.unwrap(), None);
}

pub(crate) async fn a_new_password_ends_what_the_old_one_began(f: &Fixture) {
    let (store, ann) = (f.platform.store(), ann(f).await);
    assert_eq!(store.password(ann.id).await.unwrap(), None);
    store.set_password(ann.id, "one", None).await.unwrap();
    let begin = async || {
        let secret = store.create_session(ann.id, BegunBy::Password, HOUR).await.unwrap();
        store.session(secret.expose_secret()).await.unwrap().unwrap().id
    };
    let (old, here) = (begin().await, begin().await);
    let link = store.issue_link(ann.id, HOUR).await.unwrap();
    assert!(!store.end_session_of(UserId::new(), old).await.unwrap(), "it is another's");
    store.set_password(ann.id, "two", Some(here)).await.unwrap();
    assert_eq!(store.password(ann.id).await.unwrap().unwrap().hash, "two");
    let open = store.sessions_of(ann.id).await.unwrap();
    assert_eq!(open.iter().map(|session| session.id).collect::<Vec<_>>(), [here]);
    assert_eq!(store.redeem_link(link.expose_secret()).await.unwrap(), None);
    assert!(store.end_session_of(ann.id, here).await.unwrap());
    begin().await;
    store.reset_credentials(ann.id).await.unwrap();
    assert_eq!(store.password(ann.id).await.unwrap(), None);
    assert!(store.sessions_of(ann.id).await.unwrap().is_empty());
    let unknown = store.set_password(UserId::new(), "x", None).await;
    assert!(matches!(unknown, Err(StorageError::NotFound { what: "user" })), "{unknown:?}");
    store.set_password(ann.id, "three", None).await.unwrap();
    assert_eq!(
        store.remove_user(ann.tenant_id, ann.id).await.unwrap(),
        Removal::Done,
        "a password holds nobody"
    );
}

pub(crate) async fn a_provider_means_the_same_person_whatever_they_are_called(f: &Fixture) {
    let store = f.platform.store();
    let pat = |subject: &str, login: &str, role| NewOpenidUser {
        issuer: "https://id.example.gov".into(),
        subject: subject.into(),
        login: login.into(),
        display_name: "Pat".into(),
        tenant_id: Some(f.river.id()),
        role,
    };
    let (first, news) = store.openid_user(pat("7", "openid:pat", Role::Clerk)).await.unwrap();
    assert_eq!((first.login.as_str(), news), ("openid:pat", Some(OpenidNews::Created)));
    let secret = store.create_session(first.id, BegunBy::Openid, HOUR).await.unwrap();
    let (again, news) = store.openid_user(pat("7", "openid:renamed", Role::Clerk)).await.unwrap();
    assert_eq!((&again, news), (&first, None));
    assert!(store.session(secret.expose_secret()).await.unwrap().is_some());
    let elsewhere = NewOpenidUser { tenant_id: Some(f.lake.id()), ..pat("7", "x", Role::Clerk) };
    let (moved, news) = store.openid_user(elsewhere).await.unwrap();
    assert_eq!((moved.id, moved.tenant_id, news), (first.id, Some(f.lake.id()), Some(OpenidNews::Changed)));
    assert_eq!(store.session(secret.expose_secret()).await.unwrap(), None, "the old rights end");
    assert_eq!(store.user(first.id).await.unwrap(), Some(moved));
    let (other, _) = store.openid_user(pat("8", "OPENID:Pat", Role::Clerk)).await.unwrap();
    assert_eq!(other.login, "OPENID:Pat#8");
    let elsewhere =
        NewOpenidUser { issuer: "https://other.example".into(), ..pat("7", "openid:kim", Role::Clerk) };
    assert_ne!(store.openid_user(elsewhere).await.unwrap().0.id, first.id);
    assert_eq!(store.remove_user(Some(f.lake.id()), first.id).await.unwrap(), Removal::Done);
}

pub(crate) async fn a_passkey_is_kept_used_named_and_removed_by_its_user(f: &Fixture) {
    let (store, ann) = (f.platform.store(), ann(f).await);
    let new = |id: u8| NewPasskey {
        user_id: ann.id,
        credential_id: vec![id; 32],
        public_key: vec![1, 2],
        uses: 0,
        name: "Laptop".into(),
    };
    let kept = store.add_passkey(new(1)).await.unwrap();
    assert!(matches!(store.add_passkey(new(1)).await, Err(StorageError::Taken { what: "passkey" })));
    assert_eq!(store.passkey(&[1; 32]).await.unwrap(), Some(kept.clone()));
    assert_eq!(store.passkey(&[2; 32]).await.unwrap(), None);
    let mut noted = Vec::new();
    for uses in [0, 0, 4, 4, 3, 0, 5] {
        noted.push(store.passkey_used(kept.id, uses).await.unwrap());
    }
    assert_eq!(noted, [true, true, true, false, false, false, true], "once it counts, the count must rise");
    let other = UserId::new();
    assert!(!store.rename_passkey(other, kept.id, "x").await.unwrap());
    assert!(!store.remove_passkey(other, kept.id).await.unwrap());
    assert!(store.rename_passkey(ann.id, kept.id, "Phone").await.unwrap());
    let now = store.passkeys_of(ann.id).await.unwrap();
    assert_eq!((now[0].name.as_str(), now[0].uses(), now[0].used_at.is_some()), ("Phone", 5, true));
    assert!(store.remove_passkey(ann.id, kept.id).await.unwrap());
    store.add_passkey(new(3)).await.unwrap();
    store.reset_credentials(ann.id).await.unwrap();
    assert!(store.passkeys_of(ann.id).await.unwrap().is_empty());
    store.add_passkey(new(4)).await.unwrap();
    store.issue_challenge(Some(ann.id), HOUR).await.unwrap();
    assert_eq!(store.remove_user(ann.tenant_id, ann.id).await.unwrap(), Removal::Done);
}

pub(crate) async fn a_challenge_is_used_once_and_for_what_it_was_issued(f: &Fixture) {
    let (store, ann) = (f.platform.store(), ann(f).await);
    let anybodys = store.issue_challenge(None, HOUR).await.unwrap();
    let anns = store.issue_challenge(Some(ann.id), HOUR).await.unwrap();
    assert!(!store.use_challenge(anybodys.expose_secret(), Some(ann.id)).await.unwrap());
    assert!(!store.use_challenge(anns.expose_secret(), None).await.unwrap());
    assert!(store.use_challenge(anybodys.expose_secret(), None).await.unwrap());
    assert!(!store.use_challenge(anybodys.expose_secret(), None).await.unwrap());
    assert!(store.use_challenge(anns.expose_secret(), Some(ann.id)).await.unwrap());
    let short = store.issue_challenge(None, Duration::ZERO).await.unwrap();
    tokio::time::sleep(Duration::from_millis(5)).await;
    assert!(!store.use_challenge(short.expose_secret(), None).await.unwrap());
}

pub(crate) async fn tokens_are_found_until_revoked(f: &Fixture) {
    let store = f.platform.store();
    let tenant_id = Some(f.river.id());
    let new = NewToken { tenant_id, name: "ci".into(), role: Role::Auditor, expires_at: None };
    let issued = store.create_token(new.clone()).await.unwrap();
    let secret = issued.secret.expose_secret();
    assert_eq!(store.token(secret).await.unwrap().as_ref(), Some(&issued.token));
    assert_eq!(store.tokens(tenant_id).await.unwrap(), std::slice::from_ref(&issued.token));
    assert!(store.tokens(None).await.unwrap().is_empty());
    assert!(!store.revoke_token(Some(f.lake.id()), issued.token.id).await.unwrap());
    assert!(!store.revoke_token(None, issued.token.id).await.unwrap());
    assert!(store.revoke_token(tenant_id, issued.token.id).await.unwrap());
    assert_eq!(store.token(secret).await.unwrap(), None);
    let past = NewToken { expires_at: Some(now() - TimeDelta::seconds(1)), ..new };
    let past = store.create_token(past).await.unwrap();
    assert_eq!(store.token(past.secret.expose_secret()).await.unwrap(), None);
}

pub(crate) async fn logins_are_unique_in_any_case(f: &Fixture) {
    let (store, ann) = (f.platform.store(), ann(f).await);
    assert_eq!(store.user_by_login(" ann@RIVER.example").await.unwrap(), Some(ann.clone()));
    assert_eq!(store.user(ann.id).await.unwrap(), Some(ann.clone()));
    assert_eq!(store.users(ann.tenant_id).await.unwrap(), [ann]);
    let other = NewUser {
        tenant_id: None,
        login: "ANN@river.example".into(),
        display_name: "x".into(),
        role: Role::Auditor,
    };
    assert!(matches!(store.create_user(other).await, Err(StorageError::Taken { what: "login" })));
}

/// Of two who take away one another at the same moment, one stays.
pub(crate) async fn the_last_who_runs_the_platform_stays(f: &Fixture) {
    let store = f.platform.store();
    let admin = async |login: &str| {
        let new = NewUser {
            tenant_id: None,
            login: login.into(),
            display_name: login.into(),
            role: Role::PlatformAdmin,
        };
        store.create_user(new).await.unwrap()
    };
    admin(LOCAL_LOGIN).await;
    let sam = admin("sam").await;
    assert_eq!(store.remove_user(None, sam.id).await.unwrap(), Removal::LastAdministrator);
    let kim = admin("kim").await;
    assert_eq!(store.remove_user(Some(f.river.id()), kim.id).await.unwrap(), Removal::Unknown);
    let racers: Vec<_> = [sam.id, kim.id]
        .map(|id| {
            let platform = f.platform.clone();
            tokio::spawn(async move { platform.store().remove_user(None, id).await.unwrap() })
        })
        .into();
    let mut came = Vec::new();
    for racer in racers {
        came.push(racer.await.unwrap());
    }
    came.sort_by_key(|removal| *removal != Removal::Done);
    assert_eq!(came, [Removal::Done, Removal::LastAdministrator]);
    assert_eq!(store.users(None).await.unwrap().len(), 2, "the machine's own, and one with a name");
}

/// Whoever asks, and however many at once: five failures of a login are free, the sixth has a wait.
pub(crate) async fn attempts_to_sign_in_are_counted_one_by_one(f: &Fixture) {
    let (store, start) = (f.platform.store(), clock_of_the_database());
    let keys = |login: u8, address: u8| {
        vec![AttemptKey { hash: [login; 32], free: 5 }, AttemptKey { hash: [address; 32], free: 20 }]
    };
    let racers: Vec<_> = (0..20)
        .map(|n| {
            let (platform, keys) = (f.platform.clone(), keys(1, 100 + n));
            tokio::spawn(async move { platform.store().begin_attempt(keys, start).await.unwrap() })
        })
        .collect();
    let (mut counted, mut waits) = (Vec::new(), Vec::new());
    for racer in racers {
        match racer.await.unwrap() {
            AttemptBegun::Counted(tallies) => counted.push(tallies[0].failed),
            AttemptBegun::Waits(tallies) => waits.push(tallies[0].wait(start).unwrap()),
        }
    }
    counted.sort_unstable();
    assert_eq!(counted, [1, 2, 3, 4, 5, 6]);
    assert_eq!(waits, [Duration::from_secs(2); 14]);
    let later = start + TimeDelta::seconds(2);
    let AttemptBegun::Counted(tallies) = store.begin_attempt(keys(1, 99), later).await.unwrap() else {
        panic!("the wait is over")
    };
    assert_eq!((tallies[0].failed, tallies[1].failed), (7, 1));
    assert_eq!(tallies[0].wait(later), Some(Duration::from_secs(4)));
    store.attempt_succeeded([1; 32], [99; 32], later).await.unwrap();
    let AttemptBegun::Counted(tallies) = store.begin_attempt(keys(1, 99), later).await.unwrap() else {
        panic!("whoever succeeded is forgiven")
    };
    assert_eq!((tallies[0].failed, tallies[1].failed), (1, 1));
    assert_eq!(store.forget_attempts(later + TimeDelta::minutes(50)).await.unwrap(), 0);
    // Six addresses were counted at first, one later; the refused left nothing.
    assert_eq!(store.forget_attempts(later + TimeDelta::minutes(61)).await.unwrap(), 8);
}

/// Now, as exactly as every database keeps it.
fn clock_of_the_database() -> chrono::DateTime<chrono::Utc> {
    chrono::DateTime::from_timestamp_millis(now().timestamp_millis()).unwrap()
}

pub(crate) async fn a_nonce_is_used_once(f: &Fixture) {
    let store = f.platform.store();
    let soon = now() + TimeDelta::seconds(60);
    assert!(store.use_nonce("n1", soon).await.unwrap());
    assert!(!store.use_nonce("n1", soon).await.unwrap());
    assert!(store.use_nonce("n2", now() - TimeDelta::seconds(1)).await.unwrap());
    assert!(!store.use_nonce("n2", soon).await.unwrap(), "an expired nonce is remembered for a while");
}

pub(crate) async fn every_database_answers(f: &Fixture) {
    let health = f.platform.health().await;
    let databases: Vec<&str> = health.iter().map(|database| database.database.as_str()).collect();
    match f.platform.backend() {
        Backend::Sqlite => assert_eq!(databases.len(), 3, "{databases:?}"),
        Backend::Postgres => assert_eq!(databases, ["platform"]),
    }
    assert!(health.iter().all(|database| database.answer.is_ok()), "{health:?}");
}
