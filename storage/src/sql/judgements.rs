//! What people held of whole calls.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::tenant::Scope;
use super::{Conn, reviews};
use crate::clock::now;
use crate::error::{Step, StorageError};
use crate::ids::{CallId, PassportId};
use crate::review_records::{Judgement, NewJudgement};

/// Judgements of one call that are given: the newest.
const MOST: i64 = 100;

#[derive(sqlx::FromRow)]
struct JudgementRow {
    judged_at: DateTime<Utc>,
    actor: String,
    line_right: i64,
}

pub(super) async fn put(conn: &mut Conn, scope: &Scope, new: &NewJudgement) -> Step<Judgement> {
    let passport: Option<Option<PassportId>> =
        sqlx::query_scalar("select passport_id from calls where tenant_id = $1 and id = $2")
            .bind(scope.tenant)
            .bind(new.call)
            .fetch_optional(&mut *conn)
            .await?;
    let passport = passport.ok_or(StorageError::NotFound { what: "call" })?;
    let judged_at = now();
    sqlx::query(
        "insert into call_judgements (tenant_id, id, call_id, passport_id, judged_at, actor, line_right)
         values ($1, $2, $3, $4, $5, $6, $7)",
    )
    .bind(scope.tenant)
    .bind(Uuid::now_v7())
    .bind(new.call)
    .bind(passport)
    .bind(judged_at)
    .bind(&new.actor)
    .bind(i64::from(new.line_right))
    .execute(&mut *conn)
    .await?;
    if let Some(passport) = passport {
        reviews::unsettle(conn, scope, passport, judged_at).await?;
    }
    Ok(Judgement { judged_at, actor: new.actor.clone(), line_right: new.line_right })
}

pub(super) async fn list(conn: &mut Conn, scope: &Scope, call: CallId) -> Step<Vec<Judgement>> {
    let kept: Vec<JudgementRow> = sqlx::query_as(
        "select judged_at, actor, line_right from call_judgements
         where tenant_id = $1 and call_id = $2 order by id desc limit $3",
    )
    .bind(scope.tenant)
    .bind(call)
    .bind(MOST)
    .fetch_all(conn)
    .await?;
    let open = |kept: JudgementRow| Judgement {
        judged_at: kept.judged_at,
        actor: kept.actor,
        line_right: kept.line_right != 0,
    };
    Ok(kept.into_iter().rev().map(open).collect())
}
