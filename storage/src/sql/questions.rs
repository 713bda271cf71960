//! What callers asked, and which page answered it.

use super::tenant::Scope;
use super::{Conn, page_size};
use crate::error::Step;
use crate::figures::{NewQuestion, QuestionCount, Span, Topic, Unanswered};

/// On record once a turn: a turn that was decided anew has the later answer.
pub(super) async fn put(conn: &mut Conn, scope: &Scope, new: &NewQuestion) -> Step<()> {
    sqlx::query(
        "insert into questions (tenant_id, call_id, turn, asked_at, source) values ($1, $2, $3, $4, $5)
         on conflict (tenant_id, call_id, turn) do update set source = excluded.source",
    )
    .bind(scope.tenant)
    .bind(new.call_id)
    .bind(i64::from(new.turn))
    .bind(new.asked_at)
    .bind(&new.source)
    .execute(conn)
    .await?;
    Ok(())
}

pub(super) async fn count(conn: &mut Conn, scope: &Scope, span: Span) -> Step<QuestionCount> {
    let query = sqlx::query_as(
        "select count(source) as answered, count(*) - count(source) as unanswered from questions
         where tenant_id = $1 and asked_at >= $2 and asked_at < $3",
    )
    .bind(scope.tenant)
    .bind(span.from)
    .bind(span.to);
    Ok(query.fetch_one(conn).await?)
}

/// The pages that answered most.
pub(super) async fn topics(conn: &mut Conn, scope: &Scope, span: Span, most: u32) -> Step<Vec<Topic>> {
    let query = sqlx::query_as(
        "select source, count(*) as times from questions
         where tenant_id = $1 and asked_at >= $2 and asked_at < $3 and source is not null
         group by source order by count(*) desc, source limit $4",
    )
    .bind(scope.tenant)
    .bind(span.from)
    .bind(span.to)
    .bind(page_size(most));
    Ok(query.fetch_all(conn).await?)
}

/// Those that no page answered, the newest first.
pub(super) async fn unanswered(
    conn: &mut Conn,
    scope: &Scope,
    span: Span,
    most: u32,
) -> Step<Vec<Unanswered>> {
    let query = sqlx::query_as(
        "select call_id, turn, asked_at from questions
         where tenant_id = $1 and asked_at >= $2 and asked_at < $3 and source is null
         order by asked_at desc, call_id, turn limit $4",
    )
    .bind(scope.tenant)
    .bind(span.from)
    .bind(span.to)
    .bind(page_size(most));
    Ok(query.fetch_all(conn).await?)
}
