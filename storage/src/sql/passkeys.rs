//! Passkeys, and what devices are asked to sign. [`super::credentials`] hands on to here.

use std::time::Duration;

use super::auth::expiry;
use super::{Conn, taken};
use crate::clock::now;
use crate::crypto::secret_hash;
use crate::error::Step;
use crate::ids::{PasskeyId, UserId};
use crate::platform_records::{NewPasskey, Passkey};

macro_rules! select_passkeys {
    ($rest:literal) => {
        concat!(
            "select id, user_id, credential_id, public_key, uses, name, created_at, used_at from passkeys ",
            $rest
        )
    };
}

pub(super) async fn insert_challenge(
    conn: &mut Conn,
    user: Option<UserId>,
    challenge: &str,
    lives: Duration,
) -> Step<()> {
    sqlx::query("delete from sign_in_challenges where expires_at < $1")
        .bind(now())
        .execute(&mut *conn)
        .await?;
    sqlx::query("insert into sign_in_challenges (secret_hash, user_id, expires_at) values ($1, $2, $3)")
        .bind(secret_hash(challenge))
        .bind(user)
        .bind(expiry(lives))
        .execute(conn)
        .await?;
    Ok(())
}

/// Taking the row out is what makes it single use.
pub(super) async fn use_challenge(conn: &mut Conn, challenge: &str, user: Option<UserId>) -> Step<bool> {
    let done = sqlx::query(
        "delete from sign_in_challenges
         where secret_hash = $1 and user_id is not distinct from $2 and expires_at >= $3",
    )
    .bind(secret_hash(challenge))
    .bind(user)
    .bind(now())
    .execute(conn)
    .await?;
    Ok(done.rows_affected() > 0)
}

pub(super) async fn add(conn: &mut Conn, new: NewPasskey) -> Step<Passkey> {
    let id = PasskeyId::new();
    sqlx::query(
        "insert into passkeys (id, user_id, credential_id, public_key, uses, name, created_at)
         values ($1, $2, $3, $4, $5, $6, $7)",
    )
    .bind(id)
    .bind(new.user_id)
    .bind(&new.credential_id)
    .bind(new.public_key)
    .bind(i64::from(new.uses))
    .bind(new.name)
    .bind(now())
    .execute(&mut *conn)
    .await
    .map_err(|error| taken(error, "passkey"))?;
    Ok(sqlx::query_as(select_passkeys!("where id = $1")).bind(id).fetch_one(conn).await?)
}

pub(super) async fn find(conn: &mut Conn, credential_id: &[u8]) -> Step<Option<Passkey>> {
    let query = sqlx::query_as(select_passkeys!("where credential_id = $1")).bind(credential_id);
    Ok(query.fetch_optional(conn).await?)
}

pub(super) async fn of_user(conn: &mut Conn, user: UserId) -> Step<Vec<Passkey>> {
    let query = sqlx::query_as(select_passkeys!("where user_id = $1 order by id"));
    Ok(query.bind(user).fetch_all(conn).await?)
}

pub(super) async fn used(conn: &mut Conn, id: PasskeyId, uses: u32) -> Step<bool> {
    let done = sqlx::query(
        "update passkeys set uses = $2, used_at = $3 where id = $1 and (uses < $2 or (uses = 0 and $2 = 0))",
    )
    .bind(id)
    .bind(i64::from(uses))
    .bind(now())
    .execute(conn)
    .await?;
    Ok(done.rows_affected() > 0)
}

pub(super) async fn rename(conn: &mut Conn, user: UserId, id: PasskeyId, name: &str) -> Step<bool> {
    let query = sqlx::query("update passkeys set name = $3 where user_id = $1 and id = $2");
    let done = query.bind(user).bind(id).bind(name).execute(conn).await?;
    Ok(done.rows_affected() > 0)
}

pub(super) async fn remove(conn: &mut Conn, user: UserId, id: PasskeyId) -> Step<bool> {
    let query = sqlx::query("delete from passkeys where user_id = $1 and id = $2");
    Ok(query.bind(user).bind(id).execute(conn).await?.rows_affected() > 0)
}
