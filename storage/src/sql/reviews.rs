//! After-action reviews, the agents' records, and their levels of autonomy.

use chrono::{DateTime, Utc};

use super::tenant::{Scope, TenantStore};
use super::{Conn, judgements, page_size, passports};
use crate::error::{Step, StorageError};
use crate::ids::{CallId, PassportId};
use crate::review_records::{
    AgentLevel, AgentOutcome, AutonomyChange, Calibration, Judgement, NewJudgement, NewReview, Review,
    Verdict,
};
use crate::store::Reviews;
use crate::zones::REVIEW;

#[derive(sqlx::FromRow)]
struct ReviewRow {
    success: i64,
    verdict: Option<Verdict>,
    effectiveness: f64,
    reviewed_at: DateTime<Utc>,
    unsettled_at: Option<DateTime<Utc>>,
    document_sealed: Vec<u8>,
}

impl Reviews for TenantStore {
    async fn file_review(&self, new: NewReview) -> Result<bool, StorageError> {
        let core = &*self.core;
        let mut write = core.db.write().await?;
        let step = file(write.conn(), &core.scope, &new).await;
        write.finish(step).await
    }

    async fn settle_review(&self, new: NewReview, unsettled_at: DateTime<Utc>) -> Result<bool, StorageError> {
        let core = &*self.core;
        let mut write = core.db.write().await?;
        let step = settle(write.conn(), &core.scope, &new, unsettled_at).await;
        write.finish(step).await
    }

    async fn judge_call(&self, new: NewJudgement) -> Result<Judgement, StorageError> {
        let core = &*self.core;
        let mut write = core.db.write().await?;
        let step = judgements::put(write.conn(), &core.scope, &new).await;
        write.finish(step).await
    }

    async fn judgements(&self, call: CallId) -> Result<Vec<Judgement>, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        core.db.named(judgements::list(&mut conn, &core.scope, call).await)
    }

    async fn unsettled(&self, limit: u32) -> Result<Vec<PassportId>, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        core.db.named(waiting(&mut conn, &core.scope, limit).await)
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
    // What people decided while the review was made is not in it: it is to be settled at once.
    let done = sqlx::query(
        "insert into reviews (tenant_id, passport_id, success, verdict, effectiveness, reviewed_at, document_sealed, unsettled_at)
         values ($1, $2, $3, $4, $5, $6, $7, (select max(at) from (
            select a.acted_at as at from work_acts a
            join work_items w on w.tenant_id = a.tenant_id and w.id = a.item_id
            where w.tenant_id = $1 and w.passport_id = $2 and a.acted_at >= $6
              and a.act in ('done', 'declined', 'reopened')
            union all
            select j.judged_at as at from call_judgements j
            where j.tenant_id = $1 and j.passport_id = $2 and j.judged_at >= $6) decided))
         on conflict (tenant_id, passport_id) do nothing",
    )
    .bind(scope.tenant)
    .bind(new.passport)
    .bind(i64::from(new.success))
    .bind(new.verdict)
    .bind(new.effectiveness)
    .bind(new.reviewed_at)
    .bind(scope.sealer.seal_json(REVIEW, new.passport.0.as_bytes(), &new.document)?)
    .execute(&mut *conn)
    .await?;
    if done.rows_affected() == 0 {
        return Ok(false);
    }
    follow(conn, scope, new).await?;
    Ok(true)
}

/// `false`: it is not as it was when this was made, and nothing is written.
async fn settle(conn: &mut Conn, scope: &Scope, new: &NewReview, unsettled_at: DateTime<Utc>) -> Step<bool> {
    let done = sqlx::query(
        "update reviews set success = $3, verdict = $4, effectiveness = $5, document_sealed = $6, unsettled_at = null
         where tenant_id = $1 and passport_id = $2 and unsettled_at = $7",
    )
    .bind(scope.tenant)
    .bind(new.passport)
    .bind(i64::from(new.success))
    .bind(new.verdict)
    .bind(new.effectiveness)
    .bind(scope.sealer.seal_json(REVIEW, new.passport.0.as_bytes(), &new.document)?)
    .bind(unsettled_at)
    .execute(&mut *conn)
    .await?;
    if done.rows_affected() == 0 {
        return Ok(false);
    }
    follow(conn, scope, new).await?;
    Ok(true)
}

/// Everything that is kept with a review.
async fn follow(conn: &mut Conn, scope: &Scope, new: &NewReview) -> Step<()> {
    if let Some(change) = &new.change {
        passports::update(conn, scope, change).await?;
    }
    for outcome in &new.outcomes {
        put_outcome(conn, scope, new, outcome).await?;
    }
    if let Some(verdict) = new.verdict {
        // The history of tasks said what their agents said of them.
        sqlx::query("update task_history set success = $3 where tenant_id = $1 and passport_id = $2")
            .bind(scope.tenant)
            .bind(new.passport)
            .bind(i64::from(verdict == Verdict::Right))
            .execute(&mut *conn)
            .await?;
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
    Ok(())
}

#[derive(sqlx::FromRow)]
struct OutcomeRow {
    task_type: String,
    predicted: f64,
    correct: Option<i64>,
    escalated: i64,
}

/// What a record gains, or loses where it is negative.
#[derive(Clone, Copy)]
struct Gain {
    tasks: i64,
    correct: i64,
    escalated: i64,
    brier: f64,
}

/// What an outcome is worth to a record; nothing while nobody has decided.
fn gain(predicted: f64, correct: Option<bool>, escalated: bool) -> Option<Gain> {
    let correct = correct?;
    let happened = if correct { 1.0 } else { 0.0 };
    let brier = (predicted - happened).powi(2);
    Some(Gain { tasks: 1, correct: i64::from(correct), escalated: i64::from(escalated), brier })
}

/// Counts an outcome into the agent's record, in the place of an earlier one of the same Passport.
async fn put_outcome(conn: &mut Conn, scope: &Scope, new: &NewReview, outcome: &AgentOutcome) -> Step<()> {
    let before: Option<OutcomeRow> = sqlx::query_as(
        "select task_type, predicted, correct, escalated from agent_outcomes
         where tenant_id = $1 and passport_id = $2 and agent_id = $3",
    )
    .bind(scope.tenant)
    .bind(new.passport)
    .bind(&outcome.agent_id)
    .fetch_optional(&mut *conn)
    .await?;
    sqlx::query(
        "insert into agent_outcomes (tenant_id, passport_id, agent_id, task_type, predicted, correct, escalated)
         values ($1, $2, $3, $4, $5, $6, $7)
         on conflict (tenant_id, passport_id, agent_id) do update set task_type = excluded.task_type,
            predicted = excluded.predicted, correct = excluded.correct, escalated = excluded.escalated",
    )
    .bind(scope.tenant)
    .bind(new.passport)
    .bind(&outcome.agent_id)
    .bind(&outcome.task_type)
    .bind(outcome.predicted)
    .bind(outcome.correct.map(i64::from))
    .bind(i64::from(outcome.escalated))
    .execute(&mut *conn)
    .await?;
    let agent = (outcome.agent_id.as_str(), new.reviewed_at);
    if let Some(before) = before {
        let earlier = gain(before.predicted, before.correct.map(|n| n != 0), before.escalated != 0);
        if let Some(Gain { tasks, correct, escalated, brier }) = earlier {
            let back = Gain { tasks: -tasks, correct: -correct, escalated: -escalated, brier: -brier };
            count(conn, scope, agent, &before.task_type, back).await?;
        }
    }
    match gain(outcome.predicted, outcome.correct, outcome.escalated) {
        Some(gain) => count(conn, scope, agent, &outcome.task_type, gain).await,
        None => Ok(()),
    }
}

async fn count(
    conn: &mut Conn,
    scope: &Scope,
    (agent, at): (&str, DateTime<Utc>),
    task_type: &str,
    gain: Gain,
) -> Step<()> {
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
    .bind(agent)
    .bind(task_type)
    .bind(gain.tasks)
    .bind(gain.correct)
    .bind(gain.escalated)
    .bind(gain.brier)
    .bind(at)
    .execute(conn)
    .await?;
    Ok(())
}

/// People decided something about an item: the review of its Passport, if there is one, is to be settled.
pub(super) async fn unsettle(
    conn: &mut Conn,
    scope: &Scope,
    passport: PassportId,
    at: DateTime<Utc>,
) -> Step<()> {
    sqlx::query("update reviews set unsettled_at = $3 where tenant_id = $1 and passport_id = $2")
        .bind(scope.tenant)
        .bind(passport)
        .bind(at)
        .execute(conn)
        .await?;
    Ok(())
}

async fn waiting(conn: &mut Conn, scope: &Scope, limit: u32) -> Step<Vec<PassportId>> {
    let query = sqlx::query_scalar(
        "select passport_id from reviews r where tenant_id = $1 and unsettled_at is not null
           and not exists (select 1 from forgotten f
               where f.tenant_id = $1 and f.kind = 'passport' and f.subject_id = r.passport_id)
         order by unsettled_at, passport_id limit $2",
    )
    .bind(scope.tenant)
    .bind(page_size(limit));
    Ok(query.fetch_all(conn).await?)
}

async fn by_passport(conn: &mut Conn, scope: &Scope, passport: PassportId) -> Step<Option<Review>> {
    let kept: Option<ReviewRow> = sqlx::query_as(
        "select success, verdict, effectiveness, reviewed_at, unsettled_at, document_sealed from reviews
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
        verdict: kept.verdict,
        effectiveness: kept.effectiveness,
        reviewed_at: kept.reviewed_at,
        unsettled_at: kept.unsettled_at,
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
           and not exists (select 1 from transfers t where t.tenant_id = $1 and t.call_id = p.call_id and t.notes <> 0
                and t.stage = 'accepted')
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
