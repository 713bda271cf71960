//! Types of memory nodes that teams declared, with what was counted of them.

use chrono::{DateTime, SubsecRound, Utc};
use serde_json::Value;

use super::tenant::{Scope, TenantStore};
use super::{Conn, taken};
use crate::clock::now;
use crate::error::{Step, StorageError};
use crate::organisation::{Decision, ExtensionType, Layer, NewExtensionType, TypeState};

const NO_TYPE: StorageError = StorageError::NotFound { what: "extension type" };

#[derive(sqlx::FromRow)]
struct ExtensionTypeRow {
    #[sqlx(rename = "type")]
    name: String,
    layer: Layer,
    team_id: Option<String>,
    description: String,
    properties_schema: Option<String>,
    state: TypeState,
    #[sqlx(try_from = "i64")]
    nodes: u64,
    #[sqlx(try_from = "i64")]
    retrievals: u64,
    reason: Option<String>,
    decided_by: Option<String>,
    decided_at: Option<DateTime<Utc>>,
    evidence: Option<String>,
    created_at: DateTime<Utc>,
}

macro_rules! select_types {
    ($rest:literal) => {
        concat!(
            "select type, layer, team_id, description, properties_schema, state, nodes, retrievals, reason,
                decided_by, decided_at, evidence, created_at
             from extension_types where tenant_id = $1 ",
            $rest
        )
    };
}

impl TenantStore {
    pub(crate) async fn extension_types(&self) -> Result<Vec<ExtensionType>, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        core.db.named(list(&mut conn, &core.scope).await)
    }

    pub(crate) async fn extension_type(&self, name: &str) -> Result<Option<ExtensionType>, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        core.db.named(by_name(&mut conn, &core.scope, name).await)
    }

    pub(crate) async fn declare_extension_type(
        &self,
        new: &NewExtensionType,
    ) -> Result<ExtensionType, StorageError> {
        let core = &*self.core;
        let mut write = core.db.write().await?;
        let step = declare(write.conn(), &core.scope, new).await;
        write.finish(step).await
    }

    pub(crate) async fn decide_extension_type(
        &self,
        name: &str,
        decision: &Decision,
    ) -> Result<ExtensionType, StorageError> {
        let core = &*self.core;
        let mut write = core.db.write().await?;
        let step = decide(write.conn(), &core.scope, name, decision).await;
        write.finish(step).await
    }
}

/// A name that holds what no name can finds nothing, on either back end.
async fn by_name(conn: &mut Conn, scope: &Scope, name: &str) -> Step<Option<ExtensionType>> {
    if name.contains('\0') {
        return Ok(None);
    }
    let query = sqlx::query_as(select_types!("and type = $2")).bind(scope.tenant).bind(name);
    query.fetch_optional(conn).await?.map(open).transpose()
}

async fn list(conn: &mut Conn, scope: &Scope) -> Step<Vec<ExtensionType>> {
    let query = sqlx::query_as(select_types!("order by type limit 500")).bind(scope.tenant);
    query.fetch_all(conn).await?.into_iter().map(open).collect()
}

async fn declare(conn: &mut Conn, scope: &Scope, new: &NewExtensionType) -> Step<ExtensionType> {
    sqlx::query(
        "insert into extension_types (tenant_id, type, layer, team_id, description, properties_schema, state,
            created_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8)",
    )
    .bind(scope.tenant)
    .bind(&new.name)
    .bind(new.layer)
    .bind(&new.team_id)
    .bind(&new.description)
    .bind(new.properties_schema.as_ref().map(Value::to_string))
    .bind(TypeState::Experimental)
    .bind(now())
    .execute(&mut *conn)
    .await
    .map_err(|error| taken(error, "type"))?;
    by_name(conn, scope, &new.name).await?.ok_or(NO_TYPE.into())
}

async fn decide(conn: &mut Conn, scope: &Scope, name: &str, decision: &Decision) -> Step<ExtensionType> {
    let found = by_name(conn, scope, name).await?.ok_or(NO_TYPE)?;
    if found.state != decision.from || !decision.is_upward() {
        let what = "the type is in another state by now: read it again";
        return Err(StorageError::Invalid { what }.into());
    }
    sqlx::query(
        "update extension_types set state = $4, reason = $5, decided_by = $6, decided_at = $7, evidence = $8
         where tenant_id = $1 and type = $2 and state = $3",
    )
    .bind(scope.tenant)
    .bind(name)
    .bind(decision.from)
    .bind(decision.to)
    .bind(&decision.reason)
    .bind(&decision.by)
    .bind(decision.at.trunc_subsecs(6))
    .bind(decision.evidence.to_string())
    .execute(&mut *conn)
    .await?;
    by_name(conn, scope, name).await?.ok_or(NO_TYPE.into())
}

/// Counts a node; nothing when its type is no team's.
pub(super) async fn count_node(conn: &mut Conn, scope: &Scope, name: &str) -> Step<()> {
    let sql = "update extension_types set nodes = nodes + 1 where tenant_id = $1 and type = $2";
    sqlx::query(sql).bind(scope.tenant).bind(name).execute(conn).await?;
    Ok(())
}

/// Counts a use of a node; nothing when its type is no team's.
pub(super) async fn count_retrieval(conn: &mut Conn, scope: &Scope, name: &str) -> Step<()> {
    let sql = "update extension_types set retrievals = retrievals + 1 where tenant_id = $1 and type = $2";
    sqlx::query(sql).bind(scope.tenant).bind(name).execute(conn).await?;
    Ok(())
}

fn open(kept: ExtensionTypeRow) -> Step<ExtensionType> {
    let parse = |text: Option<String>| {
        let not_json = |_| StorageError::Invalid { what: "a type's record is not JSON" };
        text.map(|text| serde_json::from_str(&text).map_err(not_json)).transpose()
    };
    Ok(ExtensionType {
        properties_schema: parse(kept.properties_schema)?,
        evidence: parse(kept.evidence)?,
        name: kept.name,
        layer: kept.layer,
        team_id: kept.team_id,
        description: kept.description,
        state: kept.state,
        nodes: kept.nodes,
        retrievals: kept.retrievals,
        reason: kept.reason,
        decided_by: kept.decided_by,
        decided_at: kept.decided_at,
        created_at: kept.created_at,
    })
}
