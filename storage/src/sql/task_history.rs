//! What became of earlier tasks.

use chrono::{DateTime, SubsecRound, Utc};

use super::tenant::{Scope, TenantStore};
use super::{Conn, page_size};
use crate::error::{Step, StorageError};
use crate::ids::{PassportId, TaskRecordId};
use crate::organisation::{NewTask, Task, TaskFilter};
use crate::zones::{TASK_GOAL, TASK_PLAN, TASK_RESULTS};

#[derive(sqlx::FromRow)]
struct TaskRow {
    id: TaskRecordId,
    task_id: String,
    passport_id: Option<PassportId>,
    team_id: String,
    goal_sealed: Vec<u8>,
    plan_sealed: Vec<u8>,
    results_sealed: Vec<u8>,
    success: i64,
    #[sqlx(try_from = "i64")]
    duration_ms: u64,
    cost_tokens: Option<i64>,
    cost_micros: Option<i64>,
    created_at: DateTime<Utc>,
    completed_at: Option<DateTime<Utc>>,
}

impl TenantStore {
    pub(crate) async fn task_history(&self, filter: &TaskFilter) -> Result<Vec<Task>, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        core.db.named(list(&mut conn, &core.scope, filter).await)
    }

    pub(crate) async fn record_task(&self, task: &NewTask) -> Result<bool, StorageError> {
        let core = &*self.core;
        let mut write = core.db.write().await?;
        let step = record(write.conn(), &core.scope, task).await;
        write.finish(step).await
    }
}

async fn list(conn: &mut Conn, scope: &Scope, filter: &TaskFilter) -> Step<Vec<Task>> {
    if filter.task_id.as_ref().is_some_and(|id| id.contains('\0')) {
        return Ok(Vec::new());
    }
    let kept: Vec<TaskRow> = sqlx::query_as(
        "select id, task_id, passport_id, team_id, goal_sealed, plan_sealed, results_sealed, success, duration_ms,
            cost_tokens, cost_micros, created_at, completed_at
         from task_history
         where tenant_id = $1 and ($2 is null or task_id = $2) and ($3 is null or success = $3)
           and ($4 is null or id < $4)
         order by id desc limit $5",
    )
    .bind(scope.tenant)
    .bind(&filter.task_id)
    .bind(filter.success.map(i64::from))
    .bind(filter.after)
    .bind(page_size(filter.limit))
    .fetch_all(conn)
    .await?;
    kept.into_iter().map(|kept| open(scope, kept)).collect()
}

/// `false`: a task of this id is on record, and stays as it is.
pub(super) async fn record(conn: &mut Conn, scope: &Scope, new: &NewTask) -> Step<bool> {
    if [&new.task_id, &new.team_id].iter().any(|name| name.is_empty() || name.contains('\0')) {
        return Err(StorageError::Invalid { what: "a task's id and team are names" }.into());
    }
    let id = TaskRecordId::new();
    let row = id.0.as_bytes();
    let figure = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
    let done = sqlx::query(
        "insert into task_history (tenant_id, id, task_id, passport_id, team_id, goal_sealed, plan_sealed,
            results_sealed, success, duration_ms, cost_tokens, cost_micros, created_at, completed_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
         on conflict do nothing",
    )
    .bind(scope.tenant)
    .bind(id)
    .bind(&new.task_id)
    .bind(new.passport_id)
    .bind(&new.team_id)
    .bind(scope.sealer.seal(TASK_GOAL, row, new.goal.as_bytes())?)
    .bind(scope.sealer.seal_json(TASK_PLAN, row, &new.plan)?)
    .bind(scope.sealer.seal_json(TASK_RESULTS, row, &new.results)?)
    .bind(i64::from(new.success))
    .bind(figure(new.duration_ms))
    .bind(new.cost_tokens.map(figure))
    .bind(new.cost_micros.map(figure))
    .bind(new.created_at.trunc_subsecs(6))
    .bind(new.completed_at.map(|at| at.trunc_subsecs(6)))
    .execute(conn)
    .await?;
    Ok(done.rows_affected() > 0)
}

fn open(scope: &Scope, kept: TaskRow) -> Step<Task> {
    let row = kept.id.0.as_bytes();
    let figure = |n: i64| u64::try_from(n).unwrap_or_default();
    Ok(Task {
        goal: scope.sealer.open_text(TASK_GOAL, row, &kept.goal_sealed)?,
        plan: scope.sealer.open_json(TASK_PLAN, row, &kept.plan_sealed)?,
        results: scope.sealer.open_json(TASK_RESULTS, row, &kept.results_sealed)?,
        id: kept.id,
        task_id: kept.task_id,
        passport_id: kept.passport_id,
        team_id: kept.team_id,
        success: kept.success != 0,
        duration_ms: kept.duration_ms,
        cost_tokens: kept.cost_tokens.map(figure),
        cost_micros: kept.cost_micros.map(figure),
        created_at: kept.created_at,
        completed_at: kept.completed_at,
    })
}
