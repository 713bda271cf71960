//! The audit: one chain a tenant.

use serde_json::Value;

use super::tenant::{Core, Scope, TenantStore};
use super::{Conn, page_size};
use crate::audit::chain::{START, body, entry_mac, head_mac, link, text_hash};
use crate::audit::writer::AuditSink;
use crate::audit::{AuditEntry, AuditFilter, AuditPage, AuditRange, Head, NewAudit, spelled};
use crate::clock::now;
use crate::crypto::random_salt;
use crate::error::{Step, StorageError};
use crate::store::Audit;
use crate::zones::PERSONAL;

const TOO_LONG: StorageError = StorageError::Invalid { what: "an audit longer than numbers reach" };

/// An entry's columns.
macro_rules! select_audit {
    () => {
        "select seq, id, at, trace_id, actor_kind, actor_id, action, subject_kind, subject_id, outcome, details,
            details_salt, personal_sealed, personal_hash, prev_hash, hash, mac
         from audit_log where tenant_id = $1 "
    };
}

impl Audit for TenantStore {
    async fn audit_page(&self, after: u64, limit: u32) -> Result<AuditPage, StorageError> {
        let core = &*self.core;
        let mut snapshot = core.db.snapshot().await?;
        core.db.named(page(&mut snapshot, &core.scope, after, limit).await)
    }

    async fn list_audit(&self, filter: AuditFilter) -> Result<Vec<AuditEntry>, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        core.db.named(list(&mut conn, &core.scope, &filter).await)
    }

    async fn audit_range(&self, filter: AuditFilter) -> Result<Option<AuditRange>, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        core.db.named(range(&mut conn, &core.scope, &filter).await)
    }
}

#[cfg(test)]
impl TenantStore {
    /// Past the task that groups entries: as another node does.
    pub(crate) async fn append_audit(&self, batch: &[NewAudit]) -> Result<Head, StorageError> {
        self.core.append_audit(batch).await
    }
}

impl AuditSink for std::sync::Arc<Core> {
    async fn append_audit(&self, batch: &[NewAudit]) -> Result<Head, StorageError> {
        let mut write = self.db.write().await?;
        let step = append(write.conn(), &self.scope, batch).await;
        write.finish(step).await
    }
}

/// Appends a batch behind the end of the chain. A batch that is on the audit already is left as it is: whoever lost
/// the connection in a commit may give it again.
async fn append(conn: &mut Conn, scope: &Scope, batch: &[NewAudit]) -> Step<Head> {
    let count = i64::try_from(batch.len()).map_err(|_| TOO_LONG)?;
    open_chain(conn, scope).await?;
    // Raising the number takes the row: another node waits here until this transaction is over.
    let (last, hash): (i64, Vec<u8>) =
        sqlx::query_as("update audit_heads set seq = seq + $2 where tenant_id = $1 returning seq, hash")
            .bind(scope.tenant)
            .bind(count)
            .fetch_one(&mut *conn)
            .await?;
    if let Some(first) = batch.first()
        && let Some(head) = written_before(conn, scope, first, count).await?
    {
        return put_head(conn, scope, last - count, hash).await.map(|_| head);
    }
    let mut before = hash;
    for (seq, new) in ((last - count + 1)..).zip(batch) {
        let entry = entry(scope, seq.unsigned_abs(), new, &before)?;
        insert(conn, scope, seq, &entry).await?;
        before = entry.hash;
    }
    put_head(conn, scope, last, before).await
}

async fn open_chain(conn: &mut Conn, scope: &Scope) -> Step<()> {
    sqlx::query(
        "insert into audit_heads (tenant_id, seq, hash, mac) values ($1, 0, $2, $3)
         on conflict (tenant_id) do nothing",
    )
    .bind(scope.tenant)
    .bind(START.as_slice())
    .bind(head_mac(&scope.sealer, 0, &START))
    .execute(conn)
    .await?;
    Ok(())
}

async fn put_head(conn: &mut Conn, scope: &Scope, seq: i64, hash: Vec<u8>) -> Step<Head> {
    let mac = head_mac(&scope.sealer, seq.unsigned_abs(), &hash);
    sqlx::query("update audit_heads set seq = $2, hash = $3, mac = $4 where tenant_id = $1")
        .bind(scope.tenant)
        .bind(seq)
        .bind(&hash)
        .bind(&mac)
        .execute(conn)
        .await?;
    Ok(Head { seq: seq.unsigned_abs(), hash, mac })
}

/// The end of a batch that was written by an earlier try: its entries stand together.
async fn written_before(conn: &mut Conn, scope: &Scope, first: &NewAudit, count: i64) -> Step<Option<Head>> {
    let found: Option<(i64, Vec<u8>)> = sqlx::query_as(
        "select l.seq, l.hash from audit_log f
         join audit_log l on l.tenant_id = f.tenant_id and l.seq = f.seq + $3 - 1
         where f.tenant_id = $1 and f.id = $2",
    )
    .bind(scope.tenant)
    .bind(first.id)
    .bind(count)
    .fetch_optional(conn)
    .await?;
    let head = |(seq, hash): (i64, Vec<u8>)| {
        let seq = seq.unsigned_abs();
        Head { seq, mac: head_mac(&scope.sealer, seq, &hash), hash }
    };
    Ok(found.map(head))
}

fn entry(scope: &Scope, seq: u64, new: &NewAudit, before: &[u8]) -> Step<AuditEntry> {
    let personal = new.personal.as_ref().map(|personal| seal_personal(scope, seq, personal)).transpose()?;
    let (personal_sealed, personal_hash) = personal.unzip();
    let mut entry = AuditEntry {
        seq,
        id: new.id,
        at: spelled(now()),
        trace_id: new.trace_id.clone(),
        actor_kind: new.actor.kind.clone(),
        actor_id: new.actor.id.clone(),
        action: new.action.clone(),
        subject_kind: new.subject.kind.clone(),
        subject_id: new.subject.id.clone(),
        outcome: new.outcome.as_str().to_owned(),
        details: Value::Object(new.details.clone()).to_string(),
        details_salt: random_salt().to_vec(),
        personal_sealed,
        personal_hash,
        prev_hash: before.to_vec(),
        hash: Vec::new(),
        mac: Vec::new(),
    };
    entry.hash = link(before, &body(scope.tenant, &entry));
    entry.mac = entry_mac(&scope.sealer, &entry.hash);
    Ok(entry)
}

/// The sealed part and the commitment to it.
fn seal_personal(scope: &Scope, seq: u64, personal: &Value) -> Step<(Vec<u8>, Vec<u8>)> {
    let (salt, text) = (random_salt(), zeroize::Zeroizing::new(personal.to_string()));
    let plain = zeroize::Zeroizing::new([salt.as_slice(), text.as_bytes()].concat());
    let sealed = scope.sealer.seal(PERSONAL, &seq.to_be_bytes(), &plain)?;
    Ok((sealed, text_hash(&salt, &text)))
}

async fn insert(conn: &mut Conn, scope: &Scope, seq: i64, entry: &AuditEntry) -> Step<()> {
    sqlx::query(
        "insert into audit_log (tenant_id, seq, id, at, trace_id, actor_kind, actor_id, action, subject_kind,
            subject_id, outcome, details, details_salt, personal_sealed, personal_hash, prev_hash, hash, mac)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)",
    )
    .bind(scope.tenant)
    .bind(seq)
    .bind(entry.id)
    .bind(&entry.at)
    .bind(&entry.trace_id)
    .bind(&entry.actor_kind)
    .bind(&entry.actor_id)
    .bind(&entry.action)
    .bind(&entry.subject_kind)
    .bind(&entry.subject_id)
    .bind(&entry.outcome)
    .bind(&entry.details)
    .bind(&entry.details_salt)
    .bind(&entry.personal_sealed)
    .bind(&entry.personal_hash)
    .bind(&entry.prev_hash)
    .bind(&entry.hash)
    .bind(&entry.mac)
    .execute(conn)
    .await?;
    Ok(())
}

async fn page(conn: &mut Conn, scope: &Scope, after: u64, limit: u32) -> Step<AuditPage> {
    let entries = sqlx::query_as(concat!(select_audit!(), "and seq > $2 order by seq limit $3"))
        .bind(scope.tenant)
        .bind(i64::try_from(after).map_err(|_| TOO_LONG)?)
        .bind(i64::from(limit))
        .fetch_all(&mut *conn)
        .await?;
    let head: Option<(i64, Vec<u8>, Vec<u8>)> =
        sqlx::query_as("select seq, hash, mac from audit_heads where tenant_id = $1")
            .bind(scope.tenant)
            .fetch_optional(conn)
            .await?;
    let head = head.map(|(seq, hash, mac)| Head { seq: seq.unsigned_abs(), hash, mac });
    Ok(AuditPage { head, entries })
}

/// The same conditions for lists and ranges; every text names every parameter, as binding demands.
macro_rules! filtered {
    ($query:expr, $scope:expr, $filter:expr) => {{
        let before = $filter.before.map(i64::try_from).transpose().map_err(|_| TOO_LONG)?;
        $query
            .bind($scope.tenant)
            .bind(&$filter.action)
            .bind(&$filter.actor)
            .bind(&$filter.subject)
            .bind($filter.from.map(spelled))
            .bind($filter.to.map(spelled))
            .bind(before)
    }};
}

macro_rules! audit_where {
    () => {
        "and ($2 is null or action = $2) and ($3 is null or actor_id = $3) and ($4 is null or subject_id = $4)
         and ($5 is null or at >= $5) and ($6 is null or at < $6) and ($7 is null or seq < $7) "
    };
}

async fn list(conn: &mut Conn, scope: &Scope, filter: &AuditFilter) -> Step<Vec<AuditEntry>> {
    const SQL: &str = concat!(select_audit!(), audit_where!(), "order by seq desc limit $8");
    let query = filtered!(sqlx::query_as(SQL), scope, filter).bind(page_size(filter.limit));
    Ok(query.fetch_all(conn).await?)
}

async fn range(conn: &mut Conn, scope: &Scope, filter: &AuditFilter) -> Step<Option<AuditRange>> {
    const SQL: &str =
        concat!("select min(seq), max(seq) from audit_log where tenant_id = $1 ", audit_where!());
    let query = filtered!(sqlx::query_as(SQL), scope, filter);
    let (first, last): (Option<i64>, Option<i64>) = query.fetch_one(conn).await?;
    Ok(first
        .zip(last)
        .map(|(first, last)| AuditRange { first: first.unsigned_abs(), last: last.unsigned_abs() }))
}
