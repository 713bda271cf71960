//! What row-level security, rights and triggers hold back, tried past the stores with the application's own role.

use sqlx::{AssertSqlSafe, Connection, PgConnection, Row};

use super::{Cluster, TestDatabase, core, fixture_on, raw, state};
use crate::audit::{Broken, Verdict, Wrong, verify};
use crate::conformance::audit::{entry, whole};
use crate::conformance::calls::{row, said};
use crate::conformance::knowledge::new_document;
use crate::conformance::organisation::one_of_each;
use crate::conformance::passports::new_passport;
use crate::conformance::retention::{all, old_call};
use crate::conformance::work::{new_claim, new_item, slots};
use crate::conformance::{Fixture, new_call};
use crate::postgres::schema::PLATFORM_TABLES;
use crate::records::{NewBooking, WorkKind};
use crate::retention::{Held, NewHold};
use crate::review_records::NewJudgement;
use crate::work_acts::{NewWorkAct, WorkMove};
use crate::{Calls, Claims, Knowledge, Passports, Retention, Reviews, Settings, Slots, WorkItems};

const FORBIDDEN: &str = "42501";

/// Every table of the catalogue that is neither the platform's nor a list of migrations.
async fn tenant_tables(conn: &mut PgConnection) -> Vec<String> {
    let tables: Vec<String> = sqlx::query_scalar(
        "select relname::text from pg_class where relnamespace = 'public'::regnamespace
           and relkind in ('r', 'p') and relname not like '\\_sqlx%' and not relname = any($1) order by 1",
    )
    .bind(PLATFORM_TABLES.as_slice())
    .fetch_all(conn)
    .await
    .unwrap();
    assert!(tables.len() >= 12, "{tables:?}");
    tables
}

async fn count(conn: &mut PgConnection, table: &str) -> i64 {
    let sql = AssertSqlSafe(format!("select count(*) from {table}"));
    sqlx::query_scalar(sql).fetch_one(conn).await.unwrap()
}

async fn plant_everywhere(f: &Fixture) {
    // What is swept leaves a row behind; before anything else is planted.
    old_call(&f.river, "+12025550177").await;
    f.river.sweep(all()).await.unwrap();
    let call = f.river.begin_call(new_call()).await.unwrap().id;
    f.river.append(call, &[row(1, said(1, "x"))]).await.unwrap();
    f.river.create_passport(new_passport()).await.unwrap();
    let item = f.river.file_work_item(new_item(WorkKind::Incident, "k")).await.unwrap().id;
    let claim = NewWorkAct { item, actor: "pat".into(), made: WorkMove::Claim };
    f.river.act_on_work_item(claim).await.unwrap();
    let slots = slots(1);
    f.river.insert_slots(&slots).await.unwrap();
    f.river.book_slot(NewBooking { slot: slots[0].id, idempotency_key: "k".into() }).await.unwrap();
    f.river.insert_claim(new_claim()).await.unwrap();
    f.river.replace_document(new_document("a.md", &["one"])).await.unwrap();
    one_of_each(f).await;
    crate::conformance::calls::what_callers_ask_is_counted_by_the_page_that_answered(f).await;
    f.river.mark_seeded().await.unwrap();
    f.river.count_up("n").await.unwrap();
    f.river.set_hold(NewHold { on: Held::Tenant, reason: "r".into(), by: "pat".into() }).await.unwrap();
    f.river.audit().record(entry("call.hangup")).await.unwrap();
    crate::conformance::memory::planted(&f.river).await;
    crate::conformance::jobs::a_job_is_filed_once_for_its_key(f).await;
    crate::conformance::outbox::an_effect_is_kept_once_a_key(f).await;
    crate::conformance::dials::planted(&f.river).await;
    crate::conformance::outreach::planted(&f.river).await;
    crate::conformance::retries::planted(&f.river).await;
    crate::conformance::campaigns::planted(&f.river).await;
    crate::conformance::transfers::planted(&f.river).await;
    crate::conformance::waits::planted(&f.river).await;
    crate::conformance::recordings::planted(&f.river).await;
    crate::conformance::versions::planted(&f.river).await;
    crate::conformance::reviews::a_passport_is_reviewed_once(f).await;
    let judged = NewJudgement { call, actor: "pat".into(), line_right: true };
    f.river.judge_call(judged).await.unwrap();
}

/// A database where the tenant `river` has a row in every table, and a connection of the application's role.
async fn planted() -> (TestDatabase, Fixture, PgConnection) {
    let database = Cluster::shared().database();
    let f = fixture_on(&database).await;
    plant_everywhere(&f).await;
    let app = raw(&database.app()).await;
    (database, f, app)
}

async fn as_tenant(conn: &mut PgConnection, tenant: &str) {
    sqlx::query("select set_config('app.tenant_id', $1, true)").bind(tenant).execute(conn).await.unwrap();
}

#[tokio::test]
async fn without_a_tenant_every_tenant_table_is_empty_and_no_error() {
    let (database, f, mut app) = planted().await;
    let mut superuser = raw(&database.url("postgres")).await;
    let river = f.river.id().to_string();
    for table in tenant_tables(&mut superuser).await {
        assert!(count(&mut superuser, &table).await > 0, "nothing was planted in {table}");
        assert_eq!(count(&mut app, &table).await, 0, "{table}, on a connection that never had a tenant");
        let mut transaction = app.begin().await.unwrap();
        as_tenant(&mut transaction, &river).await;
        assert!(count(&mut transaction, &table).await > 0, "{table}, as its tenant");
        transaction.commit().await.unwrap();
        assert_eq!(count(&mut app, &table).await, 0, "{table}, after the transaction of its tenant");
        let mut transaction = app.begin().await.unwrap();
        // Every tenant that was opened has a gate of its own for its memory.
        let own = i64::from(table == "memory_authority");
        as_tenant(&mut transaction, &f.lake.id().to_string()).await;
        assert_eq!(count(&mut transaction, &table).await, own, "{table}, as another tenant");
    }
}

#[tokio::test]
async fn the_owner_is_bound_as_well() {
    let (database, _f, _app) = planted().await;
    let mut owner = raw(&database.owner()).await;
    for table in tenant_tables(&mut owner).await {
        assert_eq!(count(&mut owner, &table).await, 0, "{table}");
    }
}

#[tokio::test]
async fn every_tenant_table_has_a_forced_policy_for_reads_and_writes() {
    let (_database, _f, mut app) = planted().await;
    let tables = tenant_tables(&mut app).await;
    let kept = sqlx::query(
        "select c.relname::text, c.relrowsecurity and c.relforcerowsecurity as forced,
            (select count(*) from pg_policy p where p.polrelid = c.oid and p.polcmd = '*' and p.polpermissive
                and p.polroles = '{0}' and p.polqual is not null and p.polwithcheck is not null) as whole,
            (select count(*) from pg_policy p where p.polrelid = c.oid) as policies,
            exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant_id'
                and a.attnotnull and not a.attisdropped) as has_tenant
         from pg_class c where c.relname = any($1)",
    )
    .bind(&tables)
    .fetch_all(&mut app)
    .await
    .unwrap();
    assert_eq!(kept.len(), tables.len());
    for table in kept {
        let name: String = table.get(0);
        let (whole, policies): (i64, i64) = (table.get("whole"), table.get("policies"));
        assert!(table.get::<bool, _>("forced") && table.get::<bool, _>("has_tenant"), "{name}");
        // A second permissive policy would widen the first.
        assert_eq!((whole, policies), (1, 1), "{name}");
    }
}

#[tokio::test]
async fn a_forged_tenant_id_gives_nothing_and_changes_nothing() {
    let (database, f, mut app) = planted().await;
    let (river, lake) = (f.river.id().to_string(), f.lake.id().to_string());
    for table in tenant_tables(&mut app).await {
        let named = AssertSqlSafe(format!("select count(*) from {table} where tenant_id = $1::uuid"));
        let mut transaction = app.begin().await.unwrap();
        as_tenant(&mut transaction, &lake).await;
        let seen: i64 = sqlx::query_scalar(named).bind(&river).fetch_one(&mut *transaction).await.unwrap();
        assert_eq!(seen, 0, "{table}");
        let moved = AssertSqlSafe(format!("update {table} set tenant_id = $1::uuid"));
        match sqlx::query(moved).bind(&lake).execute(&mut *transaction).await {
            Ok(done) => assert_eq!(done.rows_affected(), 0, "{table}"),
            Err(error) => assert_eq!(state(&error), FORBIDDEN, "{table}: {error}"),
        }
    }
    let mut transaction = app.begin().await.unwrap();
    as_tenant(&mut transaction, &lake).await;
    let planted = sqlx::query("insert into settings (tenant_id, name, value) values ($1::uuid, 'a', '1')");
    let refused = planted.bind(&river).execute(&mut *transaction).await.unwrap_err();
    assert_eq!(state(&refused), FORBIDDEN, "{refused}");
    drop(transaction);
    let mut transaction = app.begin().await.unwrap();
    as_tenant(&mut transaction, &lake).await;
    let deleted = sqlx::query("delete from claims").execute(&mut *transaction).await.unwrap();
    assert_eq!(deleted.rows_affected(), 0);
    transaction.commit().await.unwrap();
    let left = Cluster::shared().sql(&database.name, "select count(*) from claims");
    assert_eq!(left, "1", "the superuser sees what is there");
}

#[tokio::test]
async fn the_application_can_not_switch_its_bounds_off() {
    let (database, f, mut app) = planted().await;
    let attempts = [
        "alter table calls disable row level security",
        "alter table calls no force row level security",
        "drop policy tenant on calls",
        "alter policy tenant on calls using (true)",
        "create policy mine on calls using (true)",
        "alter table calls owner to quandura_app",
        "alter role quandura_app bypassrls",
        "set role quandura_owner",
        "set session authorization postgres",
        "alter table call_log disable trigger append_only",
        "drop trigger append_only on call_log",
        "select keep_tenants_apart('calls')",
        "create or replace function refuse_change() returns trigger language plpgsql as 'begin return old; end'",
        "truncate call_log",
        "truncate settings",
        "update call_log set at_ms = 0",
        "delete from call_log",
        "delete from passport_ledger",
        "update audit_log set outcome = 'done'",
        "delete from audit_log",
        "delete from memory_decisions",
        "update event_log set detail = ''",
        "alter table contacts disable trigger of_manager",
        "drop trigger of_manager on memories",
        "drop trigger gate on memory_authority",
        "create or replace function of_memory_manager() returns trigger language plpgsql as 'begin return new; end'",
        "set row_security = off; select count(*) from calls",
        "update _sqlx_migrations_tenant set checksum = ''",
        "create table mine (id int)",
    ];
    for attempt in attempts {
        let refused = sqlx::raw_sql(attempt).execute(&mut app).await.expect_err(attempt);
        assert_eq!(state(&refused), FORBIDDEN, "{attempt}: {refused}");
        sqlx::raw_sql("reset row_security").execute(&mut app).await.unwrap();
    }
    assert_eq!(f.river.list_calls(crate::records::CallFilter::default()).await.unwrap().len(), 8);
    drop(database);
}

/// Whoever has the application's role and no more can not write what the memory manager writes: not by a pass that it
/// makes up, not by a gate of its own.
#[tokio::test]
async fn the_memory_manager_s_gate_does_not_open_to_the_application_s_role() {
    let (_database, f, mut app) = planted().await;
    let river = f.river.id().to_string();
    let attempts: [&[&'static str]; 6] = [
        &["delete from memories"],
        &["update memory_authority set pass = 'guess'", "update contacts set stage = 'new'"],
        &["update memory_authority set pass = key_hash", "delete from contacts"],
        &["update memory_authority set key_hash = encode(sha256('mine'), 'hex')"],
        &["delete from memory_authority"],
        &[
            "create temporary table memory_authority as select tenant_id,
                encode(sha256('mine'), 'hex') as key_hash, 'mine' as pass from public.memory_authority",
            "set local search_path = pg_temp, public",
            "delete from memories",
        ],
    ];
    for attempt in attempts {
        let mut transaction = app.begin().await.unwrap();
        as_tenant(&mut transaction, &river).await;
        let (last, before) = attempt.split_last().unwrap();
        for sql in before {
            sqlx::query(*sql).execute(&mut *transaction).await.unwrap();
        }
        let refused = sqlx::query(*last).execute(&mut *transaction).await.expect_err(last);
        let named = crate::postgres::fault::name(refused.into(), "here");
        assert!(matches!(named, crate::StorageError::RefusedWrite { .. }), "{attempt:?}: {named}");
    }
}

#[tokio::test]
async fn logs_can_not_be_changed_even_by_their_owner() {
    let (database, f, _app) = planted().await;
    let mut owner = raw(&database.owner()).await;
    let river = f.river.id().to_string();
    let attempts = [
        "update call_log set at_ms = 0",
        "delete from call_log",
        "truncate call_log",
        "update passport_ledger set recorded_at = now()",
        "delete from passport_ledger",
        "truncate passport_ledger",
        "update audit_log set outcome = 'done'",
        "delete from audit_log",
        "truncate audit_log",
    ];
    for attempt in attempts {
        let mut transaction = owner.begin().await.unwrap();
        as_tenant(&mut transaction, &river).await;
        let refused = sqlx::raw_sql(attempt).execute(&mut *transaction).await.expect_err(attempt);
        assert!(refused.to_string().contains("append-only"), "{attempt}: {refused}");
    }
}

#[tokio::test]
async fn a_tenant_does_not_outlive_its_transaction_on_a_pooled_connection() {
    let (_database, f, _app) = planted().await;
    let whole = crate::postgres::Database::whole(core(&f).db.server.clone());
    for _ in 0..40 {
        assert!(f.river.seeded().await.unwrap());
        let mut read = whole.read().await.unwrap();
        assert_eq!(count(&mut read, "settings").await, 0);
        assert!(!f.lake.seeded().await.unwrap());
    }
}

#[tokio::test]
async fn a_superuser_who_changes_the_audit_is_found_out() {
    let (database, f, _app) = planted().await;
    f.river.audit().record(entry("token.created")).await.unwrap();
    whole(&f.river, &[]).await;
    let mut superuser = raw(&database.url("postgres")).await;
    let change =
        "alter table audit_log disable trigger all; update audit_log set actor_id = 'nobody' where seq = 2";
    sqlx::raw_sql(change).execute(&mut superuser).await.unwrap();
    let verdict = verify(&f.river, &[], |_| ()).await.unwrap();
    assert_eq!(verdict, Verdict::Broken(Broken { seq: 2, wrong: Wrong::Changed }));
}

#[tokio::test]
async fn a_log_is_deleted_from_by_the_sweep_alone_and_never_against_a_hold() {
    let (_database, f, mut app) = planted().await;
    let (call, _) = old_call(&f.river, "+12025550178").await;
    let river = f.river.id().to_string();
    let mut attempt = async |sql: String| {
        let mut transaction = app.begin().await.unwrap();
        as_tenant(&mut transaction, &river).await;
        sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut *transaction).await.unwrap_err()
    };
    let noted = format!("insert into forgotten values ('{river}', 'call', '{call}', now());");
    let refused = attempt(format!("{noted} delete from call_log where call_id = '{call}'")).await;
    assert_eq!(state(&refused), FORBIDDEN, "{refused}");
    // Without its note, and with its note under the hold that is planted: the function deletes nothing.
    let function = format!("select forget_call_log('{river}', '{call}')");
    for sql in [function.clone(), format!("{noted} {function}")] {
        let refused = attempt(sql).await;
        assert!(refused.to_string().contains("append-only"), "{refused}");
    }
    assert_eq!(f.river.call_log(call).await.unwrap().len(), 2);
}
