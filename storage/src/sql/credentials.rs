//! By what users prove who they are: passwords; and the sessions that they have open.

use super::Conn;
use super::platform::PlatformStore;
use crate::clock::now;
use crate::error::{Fault, Step, StorageError};
use crate::ids::{SessionId, UserId};
use crate::platform_records::{KeptPassword, OpenSession};
use crate::store::Credentials;

impl Credentials for PlatformStore {
    async fn password(&self, user: UserId) -> Result<Option<KeptPassword>, StorageError> {
        let mut conn = self.db.read().await?;
        self.db.named(password(&mut conn, user).await)
    }

    async fn set_password(
        &self,
        user: UserId,
        hash: &str,
        keep: Option<SessionId>,
    ) -> Result<(), StorageError> {
        let mut write = self.db.write().await?;
        let step = set_password(write.conn(), user, hash, keep).await;
        write.finish(step).await
    }

    async fn reset_credentials(&self, user: UserId) -> Result<(), StorageError> {
        let mut write = self.db.write().await?;
        let step = reset_credentials(write.conn(), user).await;
        write.finish(step).await
    }

    async fn sessions_of(&self, user: UserId) -> Result<Vec<OpenSession>, StorageError> {
        let mut conn = self.db.read().await?;
        self.db.named(sessions_of(&mut conn, user).await)
    }

    async fn end_session_of(&self, user: UserId, id: SessionId) -> Result<bool, StorageError> {
        let mut write = self.db.write().await?;
        let step = end_session_of(write.conn(), user, id).await;
        write.finish(step).await
    }

    async fn end_sessions_of(&self, user: UserId, keep: Option<SessionId>) -> Result<(), StorageError> {
        let mut write = self.db.write().await?;
        let step = end_sessions_of(write.conn(), user, keep).await;
        write.finish(step).await
    }
}

async fn password(conn: &mut Conn, user: UserId) -> Step<Option<KeptPassword>> {
    let query = sqlx::query_as("select hash, set_at from passwords where user_id = $1").bind(user);
    Ok(query.fetch_optional(conn).await?)
}

async fn set_password(conn: &mut Conn, user: UserId, hash: &str, keep: Option<SessionId>) -> Step<()> {
    sqlx::query(
        "insert into passwords (user_id, hash, set_at) values ($1, $2, $3)
         on conflict (user_id) do update set hash = excluded.hash, set_at = excluded.set_at",
    )
    .bind(user)
    .bind(hash)
    .bind(now())
    .execute(&mut *conn)
    .await
    .map_err(|error| match &error {
        sqlx::Error::Database(said) if said.is_foreign_key_violation() => {
            Fault::from(StorageError::NotFound { what: "user" })
        }
        _ => error.into(),
    })?;
    sqlx::query("delete from sign_in_links where user_id = $1").bind(user).execute(&mut *conn).await?;
    end_sessions_of(conn, user, keep).await
}

async fn reset_credentials(conn: &mut Conn, user: UserId) -> Step<()> {
    sqlx::query("delete from passwords where user_id = $1").bind(user).execute(&mut *conn).await?;
    sqlx::query("delete from sign_in_links where user_id = $1").bind(user).execute(&mut *conn).await?;
    end_sessions_of(conn, user, None).await
}

async fn sessions_of(conn: &mut Conn, user: UserId) -> Step<Vec<OpenSession>> {
    let query = sqlx::query_as(
        "select id, begun_by, created_at, coalesce(seen_at, created_at) as seen_at, expires_at from sessions
         where user_id = $1 and expires_at >= $2 order by id desc",
    );
    Ok(query.bind(user).bind(now()).fetch_all(conn).await?)
}

async fn end_session_of(conn: &mut Conn, user: UserId, id: SessionId) -> Step<bool> {
    let query = sqlx::query("delete from sessions where user_id = $1 and id = $2").bind(user).bind(id);
    Ok(query.execute(conn).await?.rows_affected() > 0)
}

async fn end_sessions_of(conn: &mut Conn, user: UserId, keep: Option<SessionId>) -> Step<()> {
    sqlx::query("delete from sessions where user_id = $1 and id is distinct from $2")
        .bind(user)
        .bind(keep)
        .execute(conn)
        .await?;
    Ok(())
}
