//! Legal holds, and the deletion of what is old.

use chrono::{DateTime, Utc};
use serde_json::json;
use uuid::Uuid;

use super::tenant::{Core, Scope, TenantStore};
use super::{Conn, forget, taken};
use crate::clock::now;
use crate::error::{Step, StorageError};
use crate::ids::{CallId, HoldId, PassportId};
use crate::retention::{Held, Hold, NewHold, SweepLimits, Swept};
use crate::store::Retention;
use crate::zones::{PASSPORT, REASON, REVIEW};

const NO_HOLD: StorageError = StorageError::NotFound { what: "legal hold" };

/// Whether a call is under a hold; `c` is the call.
macro_rules! call_is_held {
    () => {
        "exists (select 1 from legal_holds h where h.tenant_id = c.tenant_id and h.lifted_at is null
            and (h.kind = 'tenant' or (h.kind = 'call' and h.subject_id = c.id)
              or (h.kind = 'passport' and h.subject_id = c.passport_id)
              or (h.kind = 'caller' and h.caller_hash = c.caller_hash)))"
    };
}

pub(super) use call_is_held;

#[derive(sqlx::FromRow)]
struct HoldRow {
    id: HoldId,
    kind: String,
    subject_id: Option<Uuid>,
    reason_sealed: Vec<u8>,
    set_by: String,
    set_at: DateTime<Utc>,
    lifted_by: Option<String>,
    lifted_at: Option<DateTime<Utc>>,
}

impl Retention for TenantStore {
    async fn set_hold(&self, new: NewHold) -> Result<Hold, StorageError> {
        let core = &*self.core;
        let mut write = core.db.write().await?;
        let step = set_hold(write.conn(), &core.scope, &new).await;
        write.finish(step).await
    }

    async fn holds(&self) -> Result<Vec<Hold>, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        core.db.named(holds(&mut conn, &core.scope).await)
    }

    async fn lift_hold(&self, id: HoldId, by: &str) -> Result<(), StorageError> {
        let core = &*self.core;
        let mut write = core.db.write().await?;
        let step = lift_hold(write.conn(), &core.scope, id, by).await;
        write.finish(step).await
    }

    async fn sweep(&self, limits: SweepLimits) -> Result<Swept, StorageError> {
        let core = &*self.core;
        let (calls, passports) = {
            let mut conn = core.db.read().await?;
            let calls = core.db.named(old_calls(&mut conn, &core.scope, &limits).await)?;
            (calls, core.db.named(old_passports(&mut conn, &core.scope, &limits).await)?)
        };
        let mut swept = Swept::default();
        // A transaction each: a live call's log waits for one at most.
        for call in calls {
            if let Some(rows) = core.forget(Due::Call(call)).await? {
                swept.calls += 1;
                swept.rows += rows;
            }
        }
        for passport in passports {
            if let Some(rows) = core.forget(Due::Passport(passport, limits.tasks_before)).await? {
                swept.passports += 1;
                swept.rows += rows;
            }
        }
        swept.tasks = core.forget_tasks(&limits).await?;
        swept.effects = core.forget_effects(&limits).await?;
        swept.callers = core.forget_callers(&limits).await?;
        Ok(swept)
    }
}

/// Something that is old enough.
#[derive(Clone, Copy)]
enum Due {
    Call(CallId),
    /// Last changed before that time.
    Passport(PassportId, DateTime<Utc>),
}

impl Core {
    /// Deletes it, and gives how many rows of its log went. `None`: another node did, or a hold or a change came in
    /// between.
    async fn forget(&self, due: Due) -> Result<Option<u64>, StorageError> {
        let mut write = self.db.write().await?;
        let step = forget_one(write.conn(), &self.scope, due).await;
        match write.finish(step).await {
            Ok(rows) => Ok(Some(rows.unsigned_abs())),
            Err(StorageError::Taken { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    async fn forget_tasks(&self, limits: &SweepLimits) -> Result<u64, StorageError> {
        let mut write = self.db.write().await?;
        let step = forget_tasks(write.conn(), &self.scope, limits).await;
        write.finish(step).await
    }

    async fn forget_effects(&self, limits: &SweepLimits) -> Result<u64, StorageError> {
        let mut write = self.db.write().await?;
        let step = forget_effects(write.conn(), &self.scope, limits).await;
        write.finish(step).await
    }

    async fn forget_callers(&self, limits: &SweepLimits) -> Result<u64, StorageError> {
        let mut write = self.db.write().await?;
        let step = forget_callers(write.conn(), &self.scope, limits).await;
        write.finish(step).await
    }
}

/// The note first: without it no row of a log can be deleted.
async fn forget_one(conn: &mut Conn, scope: &Scope, due: Due) -> Step<i64> {
    let (kind, subject) = match due {
        Due::Call(call) => ("call", call.0),
        Due::Passport(passport, _) => ("passport", passport.0),
    };
    sqlx::query("insert into forgotten (tenant_id, kind, subject_id, forgotten_at) values ($1, $2, $3, $4)")
        .bind(scope.tenant)
        .bind(kind)
        .bind(subject)
        .bind(now())
        .execute(&mut *conn)
        .await
        .map_err(|error| taken(error, "subject"))?;
    match due {
        Due::Call(call) => Ok(forget::call_log(conn, scope.tenant, call).await.map_err(held)?),
        Due::Passport(passport, before) => {
            empty_passport(conn, scope, passport, before).await?;
            Ok(forget::ledger(conn, scope.tenant, passport).await.map_err(held)?)
        }
    }
}

/// Writes over what is in a Passport and its review. It may have been held, opened or changed since it was looked up.
async fn empty_passport(
    conn: &mut Conn,
    scope: &Scope,
    passport: PassportId,
    before: DateTime<Utc>,
) -> Step<()> {
    let empty = json!({ "forgotten": true });
    let done = sqlx::query(
        "update passports set document_sealed = $3, version = version + 1
         where tenant_id = $1 and id = $2 and status in ('completed', 'failed') and updated_at < $4
           and not exists (select 1 from legal_holds h
               left join calls c on c.tenant_id = passports.tenant_id and c.id = passports.call_id
               where h.tenant_id = passports.tenant_id and h.lifted_at is null
                 and (h.kind = 'tenant' or (h.kind = 'call' and h.subject_id = passports.call_id)
                   or (h.kind = 'passport' and h.subject_id = passports.id)
                   or (h.kind = 'caller' and h.caller_hash = c.caller_hash)))",
    )
    .bind(scope.tenant)
    .bind(passport)
    .bind(scope.sealer.seal_json(PASSPORT, passport.0.as_bytes(), &empty)?)
    .bind(before)
    .execute(&mut *conn)
    .await?;
    if done.rows_affected() == 0 {
        return Err(StorageError::Taken { what: "subject" }.into());
    }
    sqlx::query("update reviews set document_sealed = $3 where tenant_id = $1 and passport_id = $2")
        .bind(scope.tenant)
        .bind(passport)
        .bind(scope.sealer.seal_json(REVIEW, passport.0.as_bytes(), &empty)?)
        .execute(conn)
        .await?;
    Ok(())
}

/// A hold that was set since it was looked up.
fn held(error: sqlx::Error) -> crate::error::Fault {
    match &error {
        sqlx::Error::Database(said) if said.message().contains("append-only") => {
            StorageError::Taken { what: "subject" }.into()
        }
        _ => error.into(),
    }
}

async fn old_calls(conn: &mut Conn, scope: &Scope, limits: &SweepLimits) -> Step<Vec<CallId>> {
    const SQL: &str = concat!(
        "select c.id from calls c
         where c.tenant_id = $1 and c.state = 'ended' and c.ended_at < $2
           and not exists (select 1 from forgotten f
               where f.tenant_id = c.tenant_id and f.kind = 'call' and f.subject_id = c.id)
           and not ",
        call_is_held!(),
        " order by c.ended_at limit $3"
    );
    let query = sqlx::query_scalar(SQL).bind(scope.tenant).bind(limits.events_before);
    Ok(query.bind(i64::from(limits.most)).fetch_all(conn).await?)
}

async fn old_passports(conn: &mut Conn, scope: &Scope, limits: &SweepLimits) -> Step<Vec<PassportId>> {
    let query = sqlx::query_scalar(
        "select p.id from passports p left join calls c on c.tenant_id = p.tenant_id and c.id = p.call_id
         where p.tenant_id = $1 and p.status in ('completed', 'failed') and p.updated_at < $2
           and not exists (select 1 from forgotten f
               where f.tenant_id = p.tenant_id and f.kind = 'passport' and f.subject_id = p.id)
           and not exists (select 1 from legal_holds h where h.tenant_id = p.tenant_id and h.lifted_at is null
               and (h.kind = 'tenant' or (h.kind = 'call' and h.subject_id = p.call_id)
                 or (h.kind = 'passport' and h.subject_id = p.id)
                 or (h.kind = 'caller' and h.caller_hash = c.caller_hash)))
         order by p.updated_at limit $3",
    );
    let query = query.bind(scope.tenant).bind(limits.tasks_before).bind(i64::from(limits.most));
    Ok(query.fetch_all(conn).await?)
}

/// Records of the task history are of a Passport or of nobody.
async fn forget_tasks(conn: &mut Conn, scope: &Scope, limits: &SweepLimits) -> Step<u64> {
    let query = sqlx::query(
        "delete from task_history where tenant_id = $1 and id in (select t.id from task_history t
            left join passports p on p.tenant_id = t.tenant_id and p.id = t.passport_id
            left join calls c on c.tenant_id = p.tenant_id and c.id = p.call_id
            where t.tenant_id = $1 and t.created_at < $2
              and not exists (select 1 from legal_holds h where h.tenant_id = t.tenant_id and h.lifted_at is null
                  and (h.kind = 'tenant' or (h.kind = 'call' and h.subject_id = c.id)
                    or (h.kind = 'passport' and h.subject_id = t.passport_id)
                    or (h.kind = 'caller' and h.caller_hash = c.caller_hash)))
            order by t.created_at limit $3)",
    );
    let query = query.bind(scope.tenant).bind(limits.tasks_before).bind(i64::from(limits.most));
    Ok(query.execute(conn).await?.rows_affected())
}

/// Effects that were made, refused or given up.
async fn forget_effects(conn: &mut Conn, scope: &Scope, limits: &SweepLimits) -> Step<u64> {
    let query = sqlx::query(
        "delete from outbox where tenant_id = $1 and id in (select o.id from outbox o
            left join calls c on c.tenant_id = o.tenant_id and c.id = o.call_id
            where o.tenant_id = $1 and o.state in ('sent', 'failed', 'rejected') and o.updated_at < $2
              and not exists (select 1 from legal_holds h where h.tenant_id = o.tenant_id and h.lifted_at is null
                  and (h.kind = 'tenant' or (h.kind = 'call' and h.subject_id = o.call_id)
                    or (h.kind = 'passport' and h.subject_id = o.passport_id)
                    or (h.kind = 'caller' and h.caller_hash = c.caller_hash)))
            order by o.updated_at limit $3)",
    );
    let query = query.bind(scope.tenant).bind(limits.tasks_before).bind(i64::from(limits.most));
    Ok(query.execute(conn).await?.rows_affected())
}

/// Calls stay on the books without their callers' numbers. While there is a log or a Passport of the call, the number
/// stays: a hold on the caller finds them by it.
async fn forget_callers(conn: &mut Conn, scope: &Scope, limits: &SweepLimits) -> Step<u64> {
    const SQL: &str = concat!(
        "update calls set caller_sealed = null, caller_hash = null
         where tenant_id = $1 and id in (select c.id from calls c
            where c.tenant_id = $1 and c.state = 'ended' and c.ended_at < $2
              and (c.caller_sealed is not null or c.caller_hash is not null) and not ",
        call_is_held!(),
        " and exists (select 1 from forgotten f
                where f.tenant_id = c.tenant_id and f.kind = 'call' and f.subject_id = c.id)
              and not exists (select 1 from passports p
                where p.tenant_id = c.tenant_id and p.id = c.passport_id
                  and not exists (select 1 from forgotten g
                      where g.tenant_id = p.tenant_id and g.kind = 'passport' and g.subject_id = p.id))
            order by c.ended_at limit $3)"
    );
    let query = sqlx::query(SQL).bind(scope.tenant).bind(limits.tasks_before).bind(i64::from(limits.most));
    Ok(query.execute(conn).await?.rows_affected())
}

async fn set_hold(conn: &mut Conn, scope: &Scope, new: &NewHold) -> Step<Hold> {
    let (kind, subject, hash) = match &new.on {
        Held::Call(call) => ("call", Some(call.0), None),
        Held::Passport(passport) => ("passport", Some(passport.0), None),
        Held::Caller(number) => {
            let hash = scope.sealer.lookup_hash(number);
            (
                "caller",
                None,
                Some(hash.ok_or(StorageError::Invalid { what: "a caller is held by a phone number" })?),
            )
        }
        Held::Tenant => ("tenant", None, None),
    };
    let (id, at) = (HoldId::new(), now());
    sqlx::query(
        "insert into legal_holds (tenant_id, id, kind, subject_id, caller_hash, reason_sealed, set_by, set_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8)",
    )
    .bind(scope.tenant)
    .bind(id)
    .bind(kind)
    .bind(subject)
    .bind(hash.as_ref().map(|hash| hash.as_bytes()))
    .bind(scope.sealer.seal(REASON, id.0.as_bytes(), new.reason.as_bytes())?)
    .bind(&new.by)
    .bind(at)
    .execute(conn)
    .await?;
    Ok(Hold {
        id,
        kind: kind.to_owned(),
        subject,
        reason: new.reason.clone(),
        set_by: new.by.clone(),
        set_at: at,
        lifted_by: None,
        lifted_at: None,
    })
}

async fn holds(conn: &mut Conn, scope: &Scope) -> Step<Vec<Hold>> {
    let kept: Vec<HoldRow> = sqlx::query_as(
        "select id, kind, subject_id, reason_sealed, set_by, set_at, lifted_by, lifted_at from legal_holds
         where tenant_id = $1 order by (lifted_at is not null), id desc limit 500",
    )
    .bind(scope.tenant)
    .fetch_all(conn)
    .await?;
    let open = |kept: HoldRow| {
        Ok(Hold {
            reason: scope.sealer.open_text(REASON, kept.id.0.as_bytes(), &kept.reason_sealed)?,
            id: kept.id,
            kind: kept.kind,
            subject: kept.subject_id,
            set_by: kept.set_by,
            set_at: kept.set_at,
            lifted_by: kept.lifted_by,
            lifted_at: kept.lifted_at,
        })
    };
    kept.into_iter().map(open).collect()
}

async fn lift_hold(conn: &mut Conn, scope: &Scope, id: HoldId, by: &str) -> Step<()> {
    let done = sqlx::query(
        "update legal_holds set lifted_by = $3, lifted_at = $4
         where tenant_id = $1 and id = $2 and lifted_at is null",
    )
    .bind(scope.tenant)
    .bind(id)
    .bind(by)
    .bind(now())
    .execute(conn)
    .await?;
    if done.rows_affected() == 0 { Err(NO_HOLD.into()) } else { Ok(()) }
}
