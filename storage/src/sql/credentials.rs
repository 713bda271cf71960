//! By what users prove who they are: passwords; and the sessions that they have open.

use std::time::Duration;

use secrecy::SecretString;

use super::platform::PlatformStore;
use super::{Conn, auth, passkeys};
use crate::clock::now;
use crate::crypto::random_secret;
use crate::error::{Fault, Step, StorageError};
use crate::ids::{PasskeyId, SessionId, UserId};
use crate::platform_records::{
    KeptPassword, NewOpenidUser, NewPasskey, NewUser, OpenSession, OpenidNews, Passkey, User,
};
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

    async fn issue_challenge(
        &self,
        user: Option<UserId>,
        lives: Duration,
    ) -> Result<SecretString, StorageError> {
        let challenge = random_secret("qc_");
        let mut write = self.db.write().await?;
        let step = passkeys::insert_challenge(write.conn(), user, &challenge, lives).await;
        write.finish(step).await.map(|()| challenge.into())
    }

    async fn use_challenge(&self, challenge: &str, user: Option<UserId>) -> Result<bool, StorageError> {
        let mut write = self.db.write().await?;
        let step = passkeys::use_challenge(write.conn(), challenge, user).await;
        write.finish(step).await
    }

    async fn add_passkey(&self, new: NewPasskey) -> Result<Passkey, StorageError> {
        let mut write = self.db.write().await?;
        let step = passkeys::add(write.conn(), new).await;
        write.finish(step).await
    }

    async fn passkey(&self, credential_id: &[u8]) -> Result<Option<Passkey>, StorageError> {
        let mut conn = self.db.read().await?;
        self.db.named(passkeys::find(&mut conn, credential_id).await)
    }

    async fn passkeys_of(&self, user: UserId) -> Result<Vec<Passkey>, StorageError> {
        let mut conn = self.db.read().await?;
        self.db.named(passkeys::of_user(&mut conn, user).await)
    }

    async fn passkey_used(&self, id: PasskeyId, uses: u32) -> Result<bool, StorageError> {
        let mut write = self.db.write().await?;
        let step = passkeys::used(write.conn(), id, uses).await;
        write.finish(step).await
    }

    async fn rename_passkey(&self, user: UserId, id: PasskeyId, name: &str) -> Result<bool, StorageError> {
        let mut write = self.db.write().await?;
        let step = passkeys::rename(write.conn(), user, id, name).await;
        write.finish(step).await
    }

    async fn remove_passkey(&self, user: UserId, id: PasskeyId) -> Result<bool, StorageError> {
        let mut write = self.db.write().await?;
        let step = passkeys::remove(write.conn(), user, id).await;
        write.finish(step).await
    }

    async fn openid_user(&self, new: NewOpenidUser) -> Result<(User, Option<OpenidNews>), StorageError> {
        let mut write = self.db.write().await?;
        let step = openid_user(write.conn(), new).await;
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
    sqlx::query("delete from passkeys where user_id = $1").bind(user).execute(&mut *conn).await?;
    sqlx::query("delete from sign_in_links where user_id = $1").bind(user).execute(&mut *conn).await?;
    end_sessions_of(conn, user, None).await
}

async fn openid_user(conn: &mut Conn, new: NewOpenidUser) -> Step<(User, Option<OpenidNews>)> {
    let found: Option<UserId> =
        sqlx::query_scalar("select user_id from openid_identities where issuer = $1 and subject = $2")
            .bind(&new.issuer)
            .bind(&new.subject)
            .fetch_optional(&mut *conn)
            .await?;
    if let Some(id) = found
        && let Some(user) = auth::user(conn, id).await?
    {
        let is_same = (user.role, user.tenant_id) == (new.role, new.tenant_id);
        sqlx::query("update users set role = $2, tenant_id = $3, display_name = $4 where id = $1")
            .bind(id)
            .bind(new.role)
            .bind(new.tenant_id)
            .bind(&new.display_name)
            .execute(&mut *conn)
            .await?;
        let user = User { role: new.role, tenant_id: new.tenant_id, display_name: new.display_name, ..user };
        if is_same {
            return Ok((user, None));
        }
        end_sessions_of(conn, id, None).await?;
        return Ok((user, Some(OpenidNews::Changed)));
    }
    let is_taken = auth::user_by_login(conn, &new.login).await?.is_some();
    // Two people may have one address, one after the other.
    let login = if is_taken { format!("{}#{}", new.login, new.subject) } else { new.login };
    let user = NewUser { tenant_id: new.tenant_id, login, display_name: new.display_name, role: new.role };
    let user = auth::create_user(conn, user).await?;
    sqlx::query(
        "insert into openid_identities (issuer, subject, user_id, created_at) values ($1, $2, $3, $4)",
    )
    .bind(&new.issuer)
    .bind(&new.subject)
    .bind(user.id)
    .bind(user.created_at)
    .execute(conn)
    .await?;
    Ok((user, Some(OpenidNews::Created)))
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
