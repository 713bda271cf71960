//! `GET /v1/audit`, `/v1/audit/verify` and `/v1/audit/export`.

use std::sync::Arc;

use axum::Json;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use chrono::{DateTime, Utc};
use futures_util::stream;
use serde::Deserialize;
use serde_json::{Value, json};
use storage::audit::{AuditFilter, AuditRange, Head, Party, Verdict, spelled, verify as check};
use storage::{Audit, StorageError, Tenant, TenantStore};

use super::page::{Page, PageQuery};
use crate::app::App;
use crate::audit::acts;
use crate::audit::export::{self, Choice};
use crate::auth::Scoped;
use crate::auth::permission::{ReadAudit, ReadRaw};
use crate::error::{ApiError, QueryOf};

/// Entries read at a time.
const PAGE: u32 = 500;

/// `?action=&actor=&subject=&from=&to=` beside the page.
#[derive(Debug, Default, Deserialize)]
pub struct Filter {
    action: Option<String>,
    actor: Option<String>,
    subject: Option<String>,
    from: Option<DateTime<Utc>>,
    to: Option<DateTime<Utc>>,
    limit: Option<u32>,
    cursor: Option<String>,
}

/// `?head=`: an end of the chain that was noted elsewhere.
#[derive(Debug, Deserialize)]
pub struct Noted {
    head: Option<String>,
}

/// Which entries to export, and what of them.
#[derive(Debug, Default, Deserialize)]
pub struct Wanted {
    from: Option<DateTime<Utc>>,
    to: Option<DateTime<Utc>>,
    subject: Option<String>,
    withhold: Option<String>,
    redact: Option<String>,
    #[serde(default)]
    personal: bool,
}

/// `GET /v1/audit`: newest first.
pub async fn list(
    scope: Scoped<ReadAudit>,
    QueryOf(asked): QueryOf<Filter>,
) -> Result<Json<Page<Value>>, ApiError> {
    let page = PageQuery { limit: asked.limit, cursor: asked.cursor };
    let filter = AuditFilter {
        action: asked.action,
        actor: asked.actor,
        subject: asked.subject,
        from: asked.from,
        to: asked.to,
        before: page.after()?,
        limit: page.fetch()?,
    };
    let rows = scope.store.list_audit(filter).await?;
    Ok(Json(page.page(rows, |entry| entry.seq.to_string(), export::item)))
}

/// `GET /v1/audit/verify`: whether the chain is whole, or the first entry that is not as it was written.
pub async fn verify(
    scope: Scoped<ReadAudit>,
    QueryOf(asked): QueryOf<Noted>,
) -> Result<Json<Value>, ApiError> {
    let noted = match &asked.head {
        Some(text) => vec![
            Head::noted(text)
                .ok_or_else(|| ApiError::invalid("head", "is not NUMBER:HASH as verify gave it"))?,
        ],
        None => Vec::new(),
    };
    let verdict = check(&scope.store, &noted, |_| ()).await?;
    Ok(Json(match verdict {
        Verdict::Whole { entries, head } => json!({
            "tenant": scope.tenant.slug, "whole": true, "entries": entries, "head": head.map(|h| h.to_string()),
        }),
        Verdict::Broken(broken) => {
            tracing::error!(tenant = %scope.tenant.slug, seq = broken.seq, "the audit is not as it was written");
            json!({
                "tenant": scope.tenant.slug, "whole": false,
                "broken": { "seq": broken.seq, "problem": broken.to_string() },
            })
        }
    }))
}

/// `GET /v1/audit/export`: JSON Lines, as `verify.py` checks them.
pub async fn export(
    State(app): State<Arc<App>>,
    scope: Scoped<ReadAudit>,
    QueryOf(asked): QueryOf<Wanted>,
) -> Result<Response, ApiError> {
    let scope = if asked.personal {
        scope.also::<ReadRaw>(&app).await?.also::<ReadAudit>(&app).await?
    } else {
        scope
    };
    let filter = AuditFilter { from: asked.from, to: asked.to, ..AuditFilter::default() };
    let range =
        scope.store.audit_range(filter).await?.ok_or_else(|| ApiError::not_found("entry of that time"))?;
    let choice = Choice {
        subject: asked.subject,
        withhold: export::listed(asked.withhold.as_deref()),
        redact: export::listed(asked.redact.as_deref()),
        personal: asked.personal,
    };
    let told = acts::exported(&scope.principal, range.first, range.last)
        .with("withhold", choice.withhold.clone())
        .with("redact", choice.redact.clone())
        .with("personal", choice.personal);
    app.audit.record(Some(scope.tenant.id), told).await?;
    if choice.personal {
        let read = acts::raw_read(&scope.principal, "audit", Party::new("audit", scope.tenant.id));
        app.audit.record(Some(scope.tenant.id), read).await?;
    }
    let reader = Reader::new(scope.tenant, scope.store, range, choice);
    let lines = stream::try_unfold(reader, Reader::next);
    Ok(([(header::CONTENT_TYPE, "application/jsonl")], Body::from_stream(lines)).into_response())
}

/// Reads a range page by page.
struct Reader {
    tenant: Tenant,
    store: TenantStore,
    range: AuditRange,
    choice: Choice,
    /// Number of the last entry that was read, and its hash.
    after: u64,
    last: Vec<u8>,
    written: u64,
    done: bool,
}

impl Reader {
    fn new(tenant: Tenant, store: TenantStore, range: AuditRange, choice: Choice) -> Self {
        let after = range.first.saturating_sub(1);
        Self { tenant, store, range, choice, after, last: Vec::new(), written: 0, done: false }
    }

    /// The lines of the next entries; `None` after the last line. An error cuts the export off, which its reader sees.
    async fn next(mut self) -> Result<Option<(Bytes, Self)>, StorageError> {
        if self.done {
            return Ok(None);
        }
        let page = self.store.audit_page(self.after, PAGE).await?;
        let mut text = String::new();
        if let Some(first) = page.entries.first().filter(|_| self.written == 0) {
            let line = export::first_line(&self.tenant, self.range, &first.prev_hash, &spelled(Utc::now()));
            push(&mut text, &line);
        }
        for entry in page.entries.iter().take_while(|entry| entry.seq <= self.range.last) {
            push(&mut text, &self.choice.line(&self.tenant, entry, self.store.sealer())?);
            self.written += 1;
            (self.after, self.last) = (entry.seq, entry.hash.clone());
        }
        self.done = self.after >= self.range.last || page.entries.is_empty();
        if self.done {
            push(&mut text, &export::last_line(self.written, &self.last, page.head.as_ref()));
        }
        Ok(Some((Bytes::from(text), self)))
    }
}

fn push(text: &mut String, line: &Value) {
    text.push_str(&line.to_string());
    text.push('\n');
}
