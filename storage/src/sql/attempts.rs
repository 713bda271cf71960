//! Failures to sign in, counted by all gateways in one place.

use chrono::{DateTime, Utc};

use super::Conn;
use super::platform::PlatformStore;
use crate::attempts::{AttemptBegun, AttemptKey, FORGOTTEN, Tally};
use crate::error::{Step, StorageError};
use crate::store::Attempts;

impl Attempts for PlatformStore {
    async fn begin_attempt(
        &self,
        keys: Vec<AttemptKey>,
        now: DateTime<Utc>,
    ) -> Result<AttemptBegun, StorageError> {
        let mut write = self.db.write().await?;
        let step = begin(write.conn(), &keys, now).await;
        if let Ok(AttemptBegun::Waits(_)) = step {
            // Nothing was counted: what was taken is let go as it was, without a write.
            drop(write);
            return self.db.named(step);
        }
        write.finish(step).await
    }

    async fn attempt_succeeded(
        &self,
        login: [u8; 32],
        address: [u8; 32],
        now: DateTime<Utc>,
    ) -> Result<(), StorageError> {
        let mut write = self.db.write().await?;
        let step = succeeded(write.conn(), login, address, now).await;
        write.finish(step).await
    }

    async fn forget_attempts(&self, now: DateTime<Utc>) -> Result<u64, StorageError> {
        let mut write = self.db.write().await?;
        let step = forget(write.conn(), now).await;
        write.finish(step).await
    }
}

/// Each row is taken before it is read, and kept to the end: of a hundred attempts at the same moment each sees those before
/// it. Whoever takes two takes a login first and an address second, so that no two wait for one another.
async fn begin(conn: &mut Conn, keys: &[AttemptKey], now: DateTime<Utc>) -> Step<AttemptBegun> {
    let mut tallies = Vec::with_capacity(keys.len());
    for key in keys {
        let tally: Tally = sqlx::query_as(
            "insert into sign_in_attempts (key_hash, failed, last_at, free_at) values ($1, 0, $2, $2)
             on conflict (key_hash) do update set failed = sign_in_attempts.failed
             returning failed, last_at, free_at",
        )
        .bind(&key.hash[..])
        .bind(now)
        .fetch_one(&mut *conn)
        .await?;
        tallies.push(tally);
    }
    if tallies.iter().any(|tally| tally.wait(now).is_some()) {
        return Ok(AttemptBegun::Waits(tallies));
    }
    for (key, tally) in keys.iter().zip(&mut tallies) {
        *tally = tally.failed(key.free, now);
        keep(&mut *conn, key.hash, tally).await?;
    }
    Ok(AttemptBegun::Counted(tallies))
}

async fn keep(conn: &mut Conn, key: [u8; 32], tally: &Tally) -> Step<()> {
    sqlx::query("update sign_in_attempts set failed = $2, last_at = $3, free_at = $4 where key_hash = $1")
        .bind(&key[..])
        .bind(i64::from(tally.failed))
        .bind(tally.last_at)
        .bind(tally.free_at)
        .execute(conn)
        .await?;
    Ok(())
}

async fn succeeded(conn: &mut Conn, login: [u8; 32], address: [u8; 32], now: DateTime<Utc>) -> Step<()> {
    sqlx::query("delete from sign_in_attempts where key_hash = $1")
        .bind(&login[..])
        .execute(&mut *conn)
        .await?;
    // As in `Tally::forgiven`, without reading it first.
    sqlx::query(
        "update sign_in_attempts set failed = case when failed > 0 then failed - 1 else 0 end, free_at = $2
         where key_hash = $1",
    )
    .bind(&address[..])
    .bind(now)
    .execute(conn)
    .await?;
    Ok(())
}

async fn forget(conn: &mut Conn, now: DateTime<Utc>) -> Step<u64> {
    let done = sqlx::query("delete from sign_in_attempts where last_at < $1")
        .bind(now - FORGOTTEN)
        .execute(conn)
        .await?;
    Ok(done.rows_affected())
}
