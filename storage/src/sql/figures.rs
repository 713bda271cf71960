//! What is counted of calls and requests.

use chrono::{DateTime, Utc};
use serde_json::{Map, Value};

use super::tenant::{Scope, TenantStore};
use super::{Conn, questions};
use crate::error::{Step, StorageError};
use crate::figures::{CallFigure, QuestionCount, ResponseTime, Span, Topic, Unanswered, WorkFigure};
use crate::store::Figures;

impl Figures for TenantStore {
    async fn call_figures(&self, span: Span, most: u32) -> Result<Vec<CallFigure>, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        core.db.named(calls(&mut conn, &core.scope, span, most).await)
    }

    async fn work_figures(&self, span: Span, most: u32) -> Result<Vec<WorkFigure>, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        core.db.named(work(&mut conn, &core.scope, span, most).await)
    }

    async fn response_times(&self, span: Span, calls: u32) -> Result<Vec<ResponseTime>, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        core.db.named(response_times(&mut conn, &core.scope, span, calls).await)
    }

    async fn question_count(&self, span: Span) -> Result<QuestionCount, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        core.db.named(questions::count(&mut conn, &core.scope, span).await)
    }

    async fn topics(&self, span: Span, most: u32) -> Result<Vec<Topic>, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        core.db.named(questions::topics(&mut conn, &core.scope, span, most).await)
    }

    async fn unanswered(&self, span: Span, most: u32) -> Result<Vec<Unanswered>, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        core.db.named(questions::unanswered(&mut conn, &core.scope, span, most).await)
    }
}

async fn calls(conn: &mut Conn, scope: &Scope, span: Span, most: u32) -> Step<Vec<CallFigure>> {
    let query = sqlx::query_as(
        "select id, line, language, state, end_reason, started_at, ended_at, cost_micros, attention, attention_reason,
            exists (select 1 from call_log l where l.tenant_id = c.tenant_id and l.call_id = c.id
                and l.kind in ('caller_turn', 'digits')) as spoke
         from calls c where c.tenant_id = $1 and c.started_at >= $2 and c.started_at < $3
         order by c.started_at desc limit $4",
    )
    .bind(scope.tenant)
    .bind(span.from)
    .bind(span.to)
    .bind(i64::from(most));
    Ok(query.fetch_all(conn).await?)
}

async fn work(conn: &mut Conn, scope: &Scope, span: Span, most: u32) -> Step<Vec<WorkFigure>> {
    let query = sqlx::query_as(
        "select kind, status, priority, call_id, created_at from work_items
         where tenant_id = $1 and (created_at >= $2 and created_at < $3 or status in ('open', 'in_progress'))
         order by id desc limit $4",
    )
    .bind(scope.tenant)
    .bind(span.from)
    .bind(span.to)
    .bind(i64::from(most));
    Ok(query.fetch_all(conn).await?)
}

async fn response_times(conn: &mut Conn, scope: &Scope, span: Span, calls: u32) -> Step<Vec<ResponseTime>> {
    let rows: Vec<(DateTime<Utc>, String)> = sqlx::query_as(
        "select c.started_at, l.payload from
            (select id, started_at from calls where tenant_id = $1 and started_at >= $2 and started_at < $3
             order by started_at desc limit $4) c
         join call_log l on l.tenant_id = $1 and l.call_id = c.id and l.kind = 'latency'",
    )
    .bind(scope.tenant)
    .bind(span.from)
    .bind(span.to)
    .bind(i64::from(calls))
    .fetch_all(conn)
    .await?;
    let time = |(started_at, text): &(DateTime<Utc>, String)| {
        let payload: Map<String, Value> = serde_json::from_str(text).ok()?;
        // Measured to the microsecond: a fraction as a rule.
        let ms = payload.get("latency")?.get("total_ms")?.as_f64().filter(|ms| (0.0..1e9).contains(ms))?;
        let ms = ms.round() as u32;
        Some(ResponseTime { started_at: *started_at, ms })
    };
    Ok(rows.iter().filter_map(time).collect())
}
