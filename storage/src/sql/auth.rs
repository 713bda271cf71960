//! Who may come in: users, one-time links, sessions, API tokens, stream nonces.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use secrecy::SecretString;

use super::platform::PlatformStore;
use super::{Conn, taken};
use crate::clock::now;
use crate::crypto::{random_secret, secret_hash};
use crate::error::{Step, StorageError};
use crate::ids::{SessionId, TenantId, TokenId, UserId};
use crate::platform_records::{
    ApiToken, BegunBy, IssuedToken, LOCAL_LOGIN, NewToken, NewUser, OpenSession, Removal, Role, Session, User,
};
use crate::store::Auth;

/// A used nonce is remembered for this long beyond its expiry, in case clocks differ.
const NONCE_GRACE: TimeDelta = TimeDelta::minutes(10);
/// Longest life of anything issued here, so that no date overflows.
const LONGEST: TimeDelta = TimeDelta::days(3650);

macro_rules! select_users {
    ($rest:literal) => {
        concat!(
            "select u.id, u.tenant_id, u.login, u.display_name, u.role, u.created_at from users u ",
            $rest
        )
    };
}

macro_rules! select_tokens {
    ($rest:literal) => {
        concat!(
            "select id, tenant_id, name, role, created_at, expires_at, revoked_at from api_tokens ",
            $rest
        )
    };
}

impl Auth for PlatformStore {
    async fn create_user(&self, new: NewUser) -> Result<User, StorageError> {
        let mut write = self.db.write().await?;
        let step = create_user(write.conn(), new).await;
        write.finish(step).await
    }

    async fn user(&self, id: UserId) -> Result<Option<User>, StorageError> {
        let mut conn = self.db.read().await?;
        self.db.named(user(&mut conn, id).await)
    }

    async fn user_by_login(&self, login: &str) -> Result<Option<User>, StorageError> {
        let mut conn = self.db.read().await?;
        self.db.named(user_by_login(&mut conn, login).await)
    }

    async fn users(&self, tenant: Option<TenantId>) -> Result<Vec<User>, StorageError> {
        let mut conn = self.db.read().await?;
        self.db.named(users(&mut conn, tenant).await)
    }

    async fn remove_user(&self, tenant: Option<TenantId>, id: UserId) -> Result<Removal, StorageError> {
        let mut write = self.db.write().await?;
        let step = remove_user(write.conn(), tenant, id).await;
        write.finish(step).await
    }

    async fn issue_link(&self, user: UserId, lives: Duration) -> Result<SecretString, StorageError> {
        let secret = random_secret("ql_");
        let mut write = self.db.write().await?;
        let step = insert_link(write.conn(), user, &secret, lives).await;
        write.finish(step).await.map(|()| secret.into())
    }

    async fn redeem_link(&self, secret: &str) -> Result<Option<User>, StorageError> {
        let mut write = self.db.write().await?;
        let step = redeem_link(write.conn(), secret).await;
        write.finish(step).await
    }

    async fn create_session(
        &self,
        user: UserId,
        begun_by: BegunBy,
        lives: Duration,
    ) -> Result<SecretString, StorageError> {
        let secret = random_secret("qs_");
        let mut write = self.db.write().await?;
        let step = insert_session(write.conn(), user, (begun_by, None), &secret, lives).await;
        write.finish(step).await.map(|()| secret.into())
    }

    async fn create_token_session(
        &self,
        user: UserId,
        token: TokenId,
        lives: Duration,
    ) -> Result<SecretString, StorageError> {
        let secret = random_secret("qs_");
        let mut write = self.db.write().await?;
        let step = insert_session(write.conn(), user, (BegunBy::Token, Some(token)), &secret, lives).await;
        write.finish(step).await.map(|()| secret.into())
    }

    async fn session(&self, secret: &str) -> Result<Option<Session>, StorageError> {
        let mut conn = self.db.read().await?;
        self.db.named(session(&mut conn, secret).await)
    }

    async fn end_session(&self, id: SessionId) -> Result<(), StorageError> {
        let mut write = self.db.write().await?;
        let step = end_session(write.conn(), id).await;
        write.finish(step).await
    }

    async fn session_used(&self, id: SessionId) -> Result<(), StorageError> {
        let mut write = self.db.write().await?;
        let step = session_used(write.conn(), id).await;
        write.finish(step).await
    }

    async fn create_token(&self, new: NewToken) -> Result<IssuedToken, StorageError> {
        let secret = random_secret("qt_");
        let mut write = self.db.write().await?;
        let step = insert_token(write.conn(), new, &secret).await;
        Ok(IssuedToken { token: write.finish(step).await?, secret: secret.into() })
    }

    async fn token(&self, secret: &str) -> Result<Option<ApiToken>, StorageError> {
        let mut conn = self.db.read().await?;
        self.db.named(token(&mut conn, secret).await)
    }

    async fn tokens(&self, tenant: Option<TenantId>) -> Result<Vec<ApiToken>, StorageError> {
        let mut conn = self.db.read().await?;
        self.db.named(tokens(&mut conn, tenant).await)
    }

    async fn revoke_token(&self, tenant: Option<TenantId>, id: TokenId) -> Result<bool, StorageError> {
        let mut write = self.db.write().await?;
        let step = revoke_token(write.conn(), tenant, id).await;
        write.finish(step).await
    }

    async fn use_nonce(&self, nonce: &str, expires_at: DateTime<Utc>) -> Result<bool, StorageError> {
        let mut write = self.db.write().await?;
        let step = use_nonce(write.conn(), nonce, expires_at).await;
        write.finish(step).await
    }
}

pub(super) fn expiry(lives: Duration) -> DateTime<Utc> {
    now() + TimeDelta::from_std(lives).unwrap_or(LONGEST).min(LONGEST)
}

/// Logins are one whatever their case.
fn login_key(login: &str) -> String {
    login.trim().to_lowercase()
}

// ---------------------------------------------------------------- users

pub(super) async fn create_user(conn: &mut Conn, new: NewUser) -> Step<User> {
    let user = User {
        id: UserId::new(),
        tenant_id: new.tenant_id,
        login: new.login,
        display_name: new.display_name,
        role: new.role,
        created_at: now(),
    };
    sqlx::query(
        "insert into users (id, tenant_id, login, login_key, display_name, role, created_at)
         values ($1, $2, $3, $4, $5, $6, $7)",
    )
    .bind(user.id)
    .bind(user.tenant_id)
    .bind(&user.login)
    .bind(login_key(&user.login))
    .bind(&user.display_name)
    .bind(user.role)
    .bind(user.created_at)
    .execute(conn)
    .await
    .map_err(|error| taken(error, "login"))?;
    Ok(user)
}

pub(super) async fn user(conn: &mut Conn, id: UserId) -> Step<Option<User>> {
    Ok(sqlx::query_as(select_users!("where u.id = $1")).bind(id).fetch_optional(conn).await?)
}

pub(super) async fn user_by_login(conn: &mut Conn, login: &str) -> Step<Option<User>> {
    let query = sqlx::query_as(select_users!("where u.login_key = $1")).bind(login_key(login));
    Ok(query.fetch_optional(conn).await?)
}

async fn users(conn: &mut Conn, tenant: Option<TenantId>) -> Step<Vec<User>> {
    let query =
        sqlx::query_as(select_users!("where u.tenant_id is not distinct from $1 order by u.login_key"));
    Ok(query.bind(tenant).fetch_all(conn).await?)
}

async fn remove_user(conn: &mut Conn, tenant: Option<TenantId>, id: UserId) -> Step<Removal> {
    let theirs: Option<Role> =
        sqlx::query_scalar("select role from users where tenant_id is not distinct from $1 and id = $2")
            .bind(tenant)
            .bind(id)
            .fetch_optional(&mut *conn)
            .await?;
    match theirs {
        None => return Ok(Removal::Unknown),
        Some(Role::PlatformAdmin) if is_last_administrator(&mut *conn, id).await? => {
            return Ok(Removal::LastAdministrator);
        }
        Some(_) => {}
    }
    sqlx::query("delete from sessions where user_id = $1").bind(id).execute(&mut *conn).await?;
    sqlx::query("delete from passwords where user_id = $1").bind(id).execute(&mut *conn).await?;
    sqlx::query("delete from passkeys where user_id = $1").bind(id).execute(&mut *conn).await?;
    sqlx::query("delete from sign_in_challenges where user_id = $1").bind(id).execute(&mut *conn).await?;
    sqlx::query("delete from openid_identities where user_id = $1").bind(id).execute(&mut *conn).await?;
    sqlx::query("delete from sign_in_links where user_id = $1").bind(id).execute(&mut *conn).await?;
    let done = sqlx::query("delete from users where id = $1").bind(id).execute(conn).await?;
    Ok(if done.rows_affected() > 0 { Removal::Done } else { Removal::Unknown })
}

/// Whether nobody else runs the platform under a name of their own.
///
/// The rows are written, unchanged, before they are counted: of two who take away one another, the second waits here, and then
/// sees that the first is gone.
async fn is_last_administrator(conn: &mut Conn, id: UserId) -> Step<bool> {
    sqlx::query("update users set role = role where tenant_id is null and role = $1")
        .bind(Role::PlatformAdmin)
        .execute(&mut *conn)
        .await?;
    let others: i64 = sqlx::query_scalar(
        "select count(*) from users where tenant_id is null and role = $1 and id <> $2 and login_key <> $3",
    )
    .bind(Role::PlatformAdmin)
    .bind(id)
    .bind(LOCAL_LOGIN)
    .fetch_one(conn)
    .await?;
    Ok(others == 0)
}

// ---------------------------------------------------------------- links

async fn insert_link(conn: &mut Conn, user: UserId, secret: &str, lives: Duration) -> Step<()> {
    sqlx::query("delete from sign_in_links where expires_at < $1").bind(now()).execute(&mut *conn).await?;
    sqlx::query("insert into sign_in_links (secret_hash, user_id, expires_at) values ($1, $2, $3)")
        .bind(secret_hash(secret))
        .bind(user)
        .bind(expiry(lives))
        .execute(conn)
        .await
        .map_err(unknown_user)?;
    Ok(())
}

/// Taking the row out is what makes it single use: of two that try, one finds it.
async fn redeem_link(conn: &mut Conn, secret: &str) -> Step<Option<User>> {
    let found: Option<UserId> = sqlx::query_scalar(
        "delete from sign_in_links where secret_hash = $1 and expires_at >= $2 returning user_id",
    )
    .bind(secret_hash(secret))
    .bind(now())
    .fetch_optional(&mut *conn)
    .await?;
    match found {
        Some(id) => user(conn, id).await,
        None => Ok(None),
    }
}

// ---------------------------------------------------------------- sessions

async fn insert_session(
    conn: &mut Conn,
    user: UserId,
    (begun_by, token): (BegunBy, Option<TokenId>),
    secret: &str,
    lives: Duration,
) -> Step<()> {
    sqlx::query("delete from sessions where expires_at < $1").bind(now()).execute(&mut *conn).await?;
    sqlx::query(
        "insert into sessions (id, secret_hash, user_id, created_at, expires_at, token_id, begun_by)
         values ($1, $2, $3, $4, $5, $6, $7)",
    )
    .bind(SessionId::new())
    .bind(secret_hash(secret))
    .bind(user)
    .bind(now())
    .bind(expiry(lives))
    .bind(token)
    .bind(begun_by)
    .execute(conn)
    .await
    .map_err(unknown_user)?;
    Ok(())
}

/// A session that was begun with a token is good for as long as the token is.
async fn session(conn: &mut Conn, secret: &str) -> Step<Option<Session>> {
    let found: Option<(UserId, OpenSession)> = sqlx::query_as::<_, SessionRow>(
        "select s.user_id, s.id, s.begun_by, s.created_at, coalesce(s.seen_at, s.created_at) as seen_at, s.expires_at
         from sessions s left join api_tokens t on t.id = s.token_id
         where s.secret_hash = $1 and s.expires_at >= $2 and (s.token_id is null
            or (t.revoked_at is null and (t.expires_at is null or t.expires_at >= $2)))",
    )
    .bind(secret_hash(secret))
    .bind(now())
    .fetch_optional(&mut *conn)
    .await?
    .map(|row| (row.user_id, row.session));
    let Some((user_id, OpenSession { id, begun_by, created_at, seen_at, expires_at })) = found else {
        return Ok(None);
    };
    let user = user(conn, user_id).await?;
    Ok(user.map(|user| Session { id, user, begun_by, created_at, seen_at, expires_at }))
}

#[derive(sqlx::FromRow)]
struct SessionRow {
    user_id: UserId,
    #[sqlx(flatten)]
    session: OpenSession,
}

async fn session_used(conn: &mut Conn, id: SessionId) -> Step<()> {
    sqlx::query("update sessions set seen_at = $2 where id = $1").bind(id).bind(now()).execute(conn).await?;
    Ok(())
}

async fn end_session(conn: &mut Conn, id: SessionId) -> Step<()> {
    sqlx::query("delete from sessions where id = $1").bind(id).execute(conn).await?;
    Ok(())
}

fn unknown_user(error: sqlx::Error) -> crate::error::Fault {
    match &error {
        sqlx::Error::Database(said) if said.is_foreign_key_violation() => {
            StorageError::NotFound { what: "user" }.into()
        }
        _ => error.into(),
    }
}

// ---------------------------------------------------------------- tokens

async fn insert_token(conn: &mut Conn, new: NewToken, secret: &str) -> Step<ApiToken> {
    let token = ApiToken {
        id: TokenId::new(),
        tenant_id: new.tenant_id,
        name: new.name,
        role: new.role,
        created_at: now(),
        expires_at: new.expires_at,
        revoked_at: None,
    };
    sqlx::query(
        "insert into api_tokens (id, tenant_id, name, role, secret_hash, created_at, expires_at)
         values ($1, $2, $3, $4, $5, $6, $7)",
    )
    .bind(token.id)
    .bind(token.tenant_id)
    .bind(&token.name)
    .bind(token.role)
    .bind(secret_hash(secret))
    .bind(token.created_at)
    .bind(token.expires_at)
    .execute(conn)
    .await?;
    Ok(token)
}

async fn token(conn: &mut Conn, secret: &str) -> Step<Option<ApiToken>> {
    let query = sqlx::query_as(select_tokens!(
        "where secret_hash = $1 and revoked_at is null and (expires_at is null or expires_at >= $2)"
    ));
    Ok(query.bind(secret_hash(secret)).bind(now()).fetch_optional(conn).await?)
}

async fn tokens(conn: &mut Conn, tenant: Option<TenantId>) -> Step<Vec<ApiToken>> {
    let query = sqlx::query_as(select_tokens!("where tenant_id is not distinct from $1 order by id"));
    Ok(query.bind(tenant).fetch_all(conn).await?)
}

async fn revoke_token(conn: &mut Conn, tenant: Option<TenantId>, id: TokenId) -> Step<bool> {
    let done = sqlx::query(
        "update api_tokens set revoked_at = $3
         where tenant_id is not distinct from $1 and id = $2 and revoked_at is null",
    )
    .bind(tenant)
    .bind(id)
    .bind(now())
    .execute(conn)
    .await?;
    Ok(done.rows_affected() > 0)
}

// ---------------------------------------------------------------- nonces

async fn use_nonce(conn: &mut Conn, nonce: &str, expires_at: DateTime<Utc>) -> Step<bool> {
    sqlx::query("delete from stream_nonces where expires_at < $1")
        .bind(now() - NONCE_GRACE)
        .execute(&mut *conn)
        .await?;
    let done = sqlx::query(
        "insert into stream_nonces (nonce, expires_at) values ($1, $2) on conflict (nonce) do nothing",
    )
    .bind(nonce)
    .bind(expires_at)
    .execute(conn)
    .await?;
    Ok(done.rows_affected() > 0)
}
