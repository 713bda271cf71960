//! After-action reviews, the agents' records, and their levels of autonomy.

use chrono::{DateTime, Utc};

use super::tenant::{Scope, TenantStore};
use super::{Conn, page_size, passports};
use crate::error::{Step, StorageError};
use crate::ids::PassportId;
use crate::review_records::{AgentLevel, AutonomyChange, Calibration, NewReview, Review};
use crate::store::Reviews;
use crate::zones::REVIEW;

#[derive(sqlx::FromRow)]
struct Kept {
    success: i64,
    effectiveness: f64,
    reviewed_at: DateTime<Utc>,
    document_sealed: Vec<u8>,
}

impl Reviews for TenantStore {
    async fn file_review(&self, new: NewReview) -> Result<bool, StorageError> {
        let core = &*self.core;
        let mut write = core.db.write().await?;
        let step = file(write.conn(), &core.scope, &new).await;
        write.finish(step).await
    }

    async fn review(&self, passport: PassportId) -> Result<Option<Review>, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        core.db.named(by_passport(&mut conn, &core.scope, passport).await)
    }

    async fn unreviewed(&self, limit: u32) -> Result<Vec<PassportId>, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        core.db.named(finished(&mut conn, &core.scope, limit).await)
    }

    async fn calibrations(&self) -> Result<Vec<Calibration>, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        core.db.named(records(&mut conn, &core.scope).await)
    }

    async fn autonomy_changes(&self) -> Result<Vec<AutonomyChange>, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        core.db.named(changes(&mut conn, &core.scope).await)
    }

    async fn autonomy_levels(&self) -> Result<Vec<AgentLevel>, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        core.db.named(levels(&mut conn, &core.scope).await)
    }
}

/// `false`: the passport was reviewed before, and nothing is written.
async fn file(conn: &mut Conn, scope: &Scope, new: &NewReview) -> Step<bool> {
    let done = sqlx::query(
        "insert into reviews (tenant_id, passport_id, success, effectiveness, reviewed_at, document_sealed)
         values ($1, $2, $3, $4, $5, $6) on conflict (tenant_id, passport_id) do nothing",
    )
    .bind(scope.tenant)
    .bind(new.passport)
    .bind(i64::from(new.success))
    .bind(new.effectiveness)
    .bind(new.reviewed_at)
    .bind(scope.sealer.seal_json(REVIEW, new.passport.0.as_bytes(), &new.document)?)
    .execute(&mut *conn)
    .await?;
    if done.rows_affected() == 0 {
        return Ok(false);
    }
    if let Some(change) = &new.change {
        passports::update(conn, scope, change).await?;
    }
    for record in &new.calibration {
        put_record(conn, scope, record).await?;
    }
    for change in &new.autonomy {
        sqlx::query(
            "insert into autonomy_changes (tenant_id, id, agent_id, from_level, to_level, reason, changed_at)
             values ($1, $2, $3, $4, $5, $6, $7)",
        )
        .bind(scope.tenant)
        .bind(change.id)
        .bind(&change.agent_id)
        .bind(i64::from(change.from_level))
        .bind(i64::from(change.to_level))
        .bind(&change.reason)
        .bind(change.changed_at)
        .execute(&mut *conn)
        .await?;
    }
    Ok(true)
}

async fn put_record(conn: &mut Conn, scope: &Scope, record: &Calibration) -> Step<()> {
    sqlx::query(
        "insert into calibration (tenant_id, agent_id, task_type, completed, correct, escalated, brier_sum, updated_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8)
         on conflict (tenant_id, agent_id, task_type) do update set
            completed = calibration.completed + excluded.completed,
            correct = calibration.correct + excluded.correct,
            escalated = calibration.escalated + excluded.escalated,
            brier_sum = calibration.brier_sum + excluded.brier_sum,
            updated_at = excluded.updated_at",
    )
    .bind(scope.tenant)
    .bind(&record.agent_id)
    .bind(&record.task_type)
    .bind(i64::from(record.completed))
    .bind(i64::from(record.correct))
    .bind(i64::from(record.escalated))
    .bind(record.brier_sum)
    .bind(record.updated_at)
    .execute(conn)
    .await?;
    Ok(())
}

async fn by_passport(conn: &mut Conn, scope: &Scope, passport: PassportId) -> Step<Option<Review>> {
    let kept: Option<Kept> = sqlx::query_as(
        "select success, effectiveness, reviewed_at, document_sealed from reviews
         where tenant_id = $1 and passport_id = $2",
    )
    .bind(scope.tenant)
    .bind(passport)
    .fetch_optional(conn)
    .await?;
    let Some(kept) = kept else { return Ok(None) };
    Ok(Some(Review {
        passport,
        success: kept.success != 0,
        effectiveness: kept.effectiveness,
        reviewed_at: kept.reviewed_at,
        document: scope.sealer.open_json(REVIEW, passport.0.as_bytes(), &kept.document_sealed)?,
    }))
}

/// Passports whose call is over and whose work is done, oldest first. Of one that is forgotten there is nothing to review.
async fn finished(conn: &mut Conn, scope: &Scope, limit: u32) -> Step<Vec<PassportId>> {
    let query = sqlx::query_scalar(
        "select p.id from passports p
         where p.tenant_id = $1
           and not exists (select 1 from reviews r where r.tenant_id = $1 and r.passport_id = p.id)
           and not exists (select 1 from calls c where c.tenant_id = $1 and c.id = p.call_id and c.state = 'live')
           and not exists (select 1 from jobs j where j.tenant_id = $1 and j.passport_id = p.id
                and j.state in ('queued', 'running'))
           and (p.status in ('completed', 'failed', 'blocked', 'escalated')
                or exists (select 1 from work_items w where w.tenant_id = $1 and w.passport_id = p.id)
                    and not exists (select 1 from work_items w where w.tenant_id = $1 and w.passport_id = p.id
                        and w.status in ('open', 'in_progress')))
           and p.status <> 'pending'
           and not exists (select 1 from forgotten f
               where f.tenant_id = $1 and f.kind = 'passport' and f.subject_id = p.id)
         order by p.id limit $2",
    )
    .bind(scope.tenant)
    .bind(page_size(limit));
    Ok(query.fetch_all(conn).await?)
}

async fn records(conn: &mut Conn, scope: &Scope) -> Step<Vec<Calibration>> {
    let query = sqlx::query_as(
        "select agent_id, task_type, completed, correct, escalated, brier_sum, updated_at from calibration
         where tenant_id = $1 order by agent_id, task_type",
    )
    .bind(scope.tenant);
    Ok(query.fetch_all(conn).await?)
}

async fn changes(conn: &mut Conn, scope: &Scope) -> Step<Vec<AutonomyChange>> {
    let query = sqlx::query_as(
        "select id, agent_id, from_level, to_level, reason, changed_at from autonomy_changes
         where tenant_id = $1 order by id desc limit 500",
    )
    .bind(scope.tenant);
    Ok(query.fetch_all(conn).await?)
}

async fn levels(conn: &mut Conn, scope: &Scope) -> Step<Vec<AgentLevel>> {
    let query = sqlx::query_as(
        "select agent_id, to_level as level from autonomy_changes c
         where tenant_id = $1 and not exists (
            select 1 from autonomy_changes later
            where later.tenant_id = c.tenant_id and later.agent_id = c.agent_id and later.id > c.id)
         order by agent_id",
    )
    .bind(scope.tenant);
    Ok(query.fetch_all(conn).await?)
}
