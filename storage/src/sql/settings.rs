//! Small values by name.

use serde_json::Value;

use super::Conn;
use super::tenant::{Scope, TenantStore};
use crate::error::{Step, StorageError};
use crate::store::Settings;

const SEEDED: &str = "seeded";

impl Settings for TenantStore {
    async fn setting(&self, key: &str) -> Result<Option<Value>, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        core.db.named(read(&mut conn, &core.scope, key).await)
    }

    async fn put_setting(&self, key: &str, value: &Value) -> Result<(), StorageError> {
        let core = &*self.core;
        let mut write = core.db.write().await?;
        let step = put(write.conn(), &core.scope, key, value).await;
        write.finish(step).await
    }

    async fn count_up(&self, counter: &str) -> Result<i64, StorageError> {
        let core = &*self.core;
        let mut write = core.db.write().await?;
        let step = count_up(write.conn(), &core.scope, counter).await;
        write.finish(step).await
    }

    async fn seeded(&self) -> Result<bool, StorageError> {
        Ok(self.setting(SEEDED).await? == Some(Value::Bool(true)))
    }

    async fn mark_seeded(&self) -> Result<(), StorageError> {
        self.put_setting(SEEDED, &Value::Bool(true)).await
    }
}

async fn read(conn: &mut Conn, scope: &Scope, key: &str) -> Step<Option<Value>> {
    let text: Option<String> =
        sqlx::query_scalar("select value from settings where tenant_id = $1 and name = $2")
            .bind(scope.tenant)
            .bind(key)
            .fetch_optional(conn)
            .await?;
    let parse = |text: String| {
        serde_json::from_str(&text).map_err(|_| StorageError::Invalid { what: "a setting that is not JSON" })
    };
    Ok(text.map(parse).transpose()?)
}

pub(super) async fn put(conn: &mut Conn, scope: &Scope, key: &str, value: &Value) -> Step<()> {
    sqlx::query(
        "insert into settings (tenant_id, name, value) values ($1, $2, $3)
         on conflict (tenant_id, name) do update set value = excluded.value",
    )
    .bind(scope.tenant)
    .bind(key)
    .bind(value.to_string())
    .execute(conn)
    .await?;
    Ok(())
}

/// Adds one to a counter. On PostgreSQL its row is locked until the transaction ends.
pub(super) async fn count_up(conn: &mut Conn, scope: &Scope, counter: &str) -> Step<i64> {
    let query = sqlx::query_scalar(
        "insert into counters (tenant_id, name, value) values ($1, $2, 1)
         on conflict (tenant_id, name) do update set value = counters.value + 1
         returning value",
    )
    .bind(scope.tenant)
    .bind(counter);
    Ok(query.fetch_one(conn).await?)
}
