//! Calls to a list of numbers. An attempt is counted in one transaction with the record of its call, so that a process that dies
//! neither loses nor doubles one, and a campaign that is paused or canceled begins none.

use chrono::{DateTime, TimeDelta, Utc};

use super::tenant::{Scope, TenantStore};
use super::{Conn, page_size};
use crate::campaigns::{Campaign, CampaignState, Entry, EntryCount, EntryState, NewCampaign, NewEntry};
use crate::clock::now;
use crate::error::{Step, StorageError};
use crate::ids::{CallId, CampaignEntryId, CampaignId};
use crate::outreach::{OutreachResult, Purpose};
use crate::retries::NewRetries;
use crate::store::Campaigns;
use crate::zones::CAMPAIGN_NUMBER;

const NO_CAMPAIGN: StorageError = StorageError::NotFound { what: "campaign" };
const NO_NUMBER: StorageError = StorageError::Invalid { what: "that is no telephone number" };
/// Campaigns that a claim looks at before it gives up for now: others take some of them at the same time.
const CANDIDATES: i64 = 8;

#[derive(sqlx::FromRow)]
struct Row {
    id: CampaignId,
    purpose: Purpose,
    actor: String,
    line: String,
    language: String,
    from_at: DateTime<Utc>,
    until_at: DateTime<Utc>,
    at_once: i64,
    retries: i64,
    every_s: i64,
    machines: i64,
    state: CampaignState,
    waits: Option<String>,
    created_at: DateTime<Utc>,
    ended_at: Option<DateTime<Utc>>,
}

impl From<Row> for Campaign {
    fn from(row: Row) -> Self {
        Self {
            id: row.id,
            purpose: row.purpose,
            actor: row.actor,
            line: row.line,
            language: row.language,
            from: row.from_at,
            until: row.until_at,
            at_once: counted(row.at_once),
            retries: NewRetries {
                most: counted(row.retries),
                every: TimeDelta::seconds(row.every_s),
                machines: row.machines != 0,
            },
            state: row.state,
            waits: row.waits,
            created_at: row.created_at,
            ended_at: row.ended_at,
        }
    }
}

#[derive(sqlx::FromRow)]
struct EntryRow {
    id: CampaignEntryId,
    campaign_id: CampaignId,
    position: i64,
    item: Option<String>,
    state: EntryState,
    due_at: Option<DateTime<Utc>>,
    attempts: i64,
    first_id: Option<CallId>,
    last_id: Option<CallId>,
    reason: Option<String>,
}

impl From<EntryRow> for Entry {
    fn from(row: EntryRow) -> Self {
        Self {
            id: row.id,
            campaign: row.campaign_id,
            position: counted(row.position),
            item: row.item,
            state: row.state,
            due_at: row.due_at,
            attempts: counted(row.attempts),
            first: row.first_id,
            last: row.last_id,
            reason: row.reason,
        }
    }
}

fn counted(count: i64) -> u32 {
    u32::try_from(count).unwrap_or_default()
}

macro_rules! select_campaigns {
    ($rest:literal) => {
        concat!(
            "select id, purpose, actor, line, language, from_at, until_at, at_once, retries, every_s, machines, state,
                waits, created_at, ended_at
             from campaigns where tenant_id = $1 ",
            $rest
        )
    };
}

macro_rules! select_entries {
    ($rest:literal) => {
        concat!(
            "select id, campaign_id, position, item, state, due_at, attempts, first_id, last_id, reason
             from campaign_entries where tenant_id = $1 ",
            $rest
        )
    };
}

impl Campaigns for TenantStore {
    async fn begin_campaign(&self, new: NewCampaign) -> Result<Campaign, StorageError> {
        let core = &*self.core;
        let mut write = core.db.write().await?;
        let step = begin(write.conn(), &core.scope, &new).await;
        write.finish(step).await
    }

    async fn campaign(&self, id: CampaignId) -> Result<Option<Campaign>, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        core.db.named(by_id(&mut conn, &core.scope, id).await)
    }

    async fn campaigns(&self, after: Option<CampaignId>, limit: u32) -> Result<Vec<Campaign>, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        let kept: Result<Vec<Row>, sqlx::Error> =
            sqlx::query_as(select_campaigns!("and ($2 is null or id < $2) order by id desc limit $3"))
                .bind(core.scope.tenant)
                .bind(after)
                .bind(page_size(limit))
                .fetch_all(&mut *conn)
                .await;
        core.db.named(kept.map(|kept| kept.into_iter().map(Campaign::from).collect()).map_err(Into::into))
    }

    async fn campaign_counts(&self, id: CampaignId) -> Result<Vec<EntryCount>, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        let sql = "select state, reason, count(*) from campaign_entries
            where tenant_id = $1 and campaign_id = $2 group by state, reason order by state, reason";
        let counts: Result<Vec<(EntryState, Option<String>, i64)>, sqlx::Error> =
            sqlx::query_as(sql).bind(core.scope.tenant).bind(id).fetch_all(&mut *conn).await;
        let told = |(state, reason, count)| EntryCount { state, reason, count: counted(count) };
        core.db.named(counts.map(|counts| counts.into_iter().map(told).collect()).map_err(Into::into))
    }

    async fn campaign_entries(&self, id: CampaignId) -> Result<Vec<Entry>, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        let kept: Result<Vec<EntryRow>, sqlx::Error> =
            sqlx::query_as(select_entries!("and campaign_id = $2 order by position, id"))
                .bind(core.scope.tenant)
                .bind(id)
                .fetch_all(&mut *conn)
                .await;
        core.db.named(kept.map(|kept| kept.into_iter().map(Entry::from).collect()).map_err(Into::into))
    }

    async fn turn_campaign(&self, id: CampaignId, to: CampaignState) -> Result<bool, StorageError> {
        let core = &*self.core;
        let mut write = core.db.write().await?;
        let step = turn(write.conn(), &core.scope, id, to).await;
        write.finish(step).await
    }

    async fn claim_campaign(
        &self,
        at: DateTime<Utc>,
        before: DateTime<Utc>,
        until: DateTime<Utc>,
    ) -> Result<Option<Campaign>, StorageError> {
        let core = &*self.core;
        // Most looks find nothing: they take no writer's turn.
        let due = {
            let mut conn = core.db.read().await?;
            core.db.named(due(&mut conn, &core.scope, at, before).await)?
        };
        if due.is_empty() {
            return Ok(None);
        }
        let mut write = core.db.write().await?;
        let step = claim(write.conn(), &core.scope, &due, at, until).await;
        write.finish(step).await
    }

    async fn release_campaign(&self, id: CampaignId, waits: Option<&str>) -> Result<(), StorageError> {
        let core = &*self.core;
        let mut write = core.db.write().await?;
        let done = sqlx::query(
            "update campaigns set claimed_until_at = null, looked_at = $3,
                waits = case when ended_at is null then $4 else waits end
             where tenant_id = $1 and id = $2",
        )
        .bind(core.scope.tenant)
        .bind(id)
        .bind(now())
        .bind(waits)
        .execute(write.conn())
        .await;
        write.finish(done.map(drop).map_err(Into::into)).await
    }

    async fn finish_campaign(&self, id: CampaignId, at: DateTime<Utc>) -> Result<bool, StorageError> {
        let core = &*self.core;
        let mut write = core.db.write().await?;
        let step = finish(write.conn(), &core.scope, id, at).await;
        write.finish(step).await
    }

    async fn campaign_results(
        &self,
        id: CampaignId,
        limit: u32,
    ) -> Result<Vec<OutreachResult>, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        let sql =
            "select result from outreach where tenant_id = $1 and campaign_id = $2 and result is not null
            order by id desc limit $3";
        let results: Result<Vec<OutreachResult>, sqlx::Error> = sqlx::query_scalar(sql)
            .bind(core.scope.tenant)
            .bind(id)
            .bind(page_size(limit))
            .fetch_all(&mut *conn)
            .await;
        core.db.named(results.map_err(Into::into))
    }

    async fn due_entries(
        &self,
        id: CampaignId,
        at: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<Entry>, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        let kept: Result<Vec<EntryRow>, sqlx::Error> = sqlx::query_as(select_entries!(
            "and campaign_id = $2 and state = 'waiting' and due_at <= $3 order by due_at, position limit $4"
        ))
        .bind(core.scope.tenant)
        .bind(id)
        .bind(at)
        .bind(page_size(limit))
        .fetch_all(&mut *conn)
        .await;
        core.db.named(kept.map(|kept| kept.into_iter().map(Entry::from).collect()).map_err(Into::into))
    }

    async fn entry_number(&self, id: CampaignEntryId) -> Result<Option<String>, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        core.db.named(number(&mut conn, &core.scope, id).await)
    }

    async fn entry_of_call(&self, call: CallId) -> Result<Option<Entry>, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        core.db.named(of_call(&mut conn, &core.scope, call).await)
    }

    async fn put_off_entry(
        &self,
        id: CampaignEntryId,
        until: DateTime<Utc>,
        reason: &str,
    ) -> Result<bool, StorageError> {
        let core = &*self.core;
        let mut write = core.db.write().await?;
        let done = sqlx::query(
            "update campaign_entries set due_at = $3, reason = $4, changed_at = $5
             where tenant_id = $1 and id = $2 and state = 'waiting'",
        )
        .bind(core.scope.tenant)
        .bind(id)
        .bind(until)
        .bind(reason)
        .bind(now())
        .execute(write.conn())
        .await;
        write.finish(done.map(|done| done.rows_affected() > 0).map_err(Into::into)).await
    }

    async fn end_entry(&self, id: CampaignEntryId, reason: &str) -> Result<bool, StorageError> {
        let core = &*self.core;
        let mut write = core.db.write().await?;
        let done = sqlx::query(
            "update campaign_entries set state = 'ended', due_at = null, number_sealed = null, reason = $3,
                changed_at = $4
             where tenant_id = $1 and id = $2 and state <> 'ended'",
        )
        .bind(core.scope.tenant)
        .bind(id)
        .bind(reason)
        .bind(now())
        .execute(write.conn())
        .await;
        write.finish(done.map(|done| done.rows_affected() > 0).map_err(Into::into)).await
    }
}

async fn begin(conn: &mut Conn, scope: &Scope, new: &NewCampaign) -> Step<Campaign> {
    sqlx::query(
        "insert into campaigns (tenant_id, id, purpose, actor, line, language, from_at, until_at, at_once, retries,
            every_s, machines, state, looked_at, created_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, 'paused', $13, $13)",
    )
    .bind(scope.tenant)
    .bind(new.id)
    .bind(new.purpose)
    .bind(&new.actor)
    .bind(&new.line)
    .bind(&new.language)
    .bind(new.from)
    .bind(new.until)
    .bind(i64::from(new.at_once))
    .bind(i64::from(new.retries.most))
    .bind(new.retries.every.num_seconds())
    .bind(i64::from(new.retries.machines))
    .bind(now())
    .execute(&mut *conn)
    .await?;
    for entry in &new.entries {
        keep(conn, scope, new, entry).await?;
    }
    by_id(conn, scope, new.id).await?.ok_or(NO_CAMPAIGN.into())
}

async fn keep(conn: &mut Conn, scope: &Scope, new: &NewCampaign, entry: &NewEntry) -> Step<()> {
    let id = CampaignEntryId::new();
    let number = entry.number.as_deref();
    let hash = number.map(|number| scope.sealer.lookup_hash(number).ok_or(NO_NUMBER)).transpose()?;
    let seal = |number: &str| scope.sealer.seal(CAMPAIGN_NUMBER, id.0.as_bytes(), number.as_bytes());
    let waits = number.is_some();
    sqlx::query(
        "insert into campaign_entries (tenant_id, id, campaign_id, position, number_hash, number_sealed, item, state,
            due_at, reason, changed_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) on conflict do nothing",
    )
    .bind(scope.tenant)
    .bind(id)
    .bind(new.id)
    .bind(i64::from(entry.position))
    .bind(hash.as_ref().map(|hash| hash.as_bytes()))
    .bind(number.map(seal).transpose()?)
    .bind(&entry.item)
    .bind(if waits { EntryState::Waiting } else { EntryState::Ended })
    .bind(waits.then_some(new.from))
    .bind((!waits).then_some("no_number"))
    .bind(now())
    .execute(conn)
    .await?;
    Ok(())
}

async fn by_id(conn: &mut Conn, scope: &Scope, id: CampaignId) -> Step<Option<Campaign>> {
    let query = sqlx::query_as::<_, Row>(select_campaigns!("and id = $2")).bind(scope.tenant).bind(id);
    Ok(query.fetch_optional(conn).await?.map(Campaign::from))
}

async fn turn(conn: &mut Conn, scope: &Scope, id: CampaignId, to: CampaignState) -> Step<bool> {
    let done = sqlx::query(
        "update campaigns set state = $3, waits = null, ended_at = $4
         where tenant_id = $1 and id = $2 and state in ('running', 'paused') and state <> $3",
    )
    .bind(scope.tenant)
    .bind(id)
    .bind(to)
    .bind(to.is_over().then(now))
    .execute(&mut *conn)
    .await?;
    if done.rows_affected() == 0 {
        return Ok(false);
    }
    if to.is_over() {
        end_waiting(conn, scope, id, to.as_str()).await?;
    }
    Ok(true)
}

async fn end_waiting(conn: &mut Conn, scope: &Scope, id: CampaignId, reason: &str) -> Step<()> {
    sqlx::query(
        "update campaign_entries set state = 'ended', due_at = null, number_sealed = null, reason = $3,
            changed_at = $4
         where tenant_id = $1 and campaign_id = $2 and state = 'waiting'",
    )
    .bind(scope.tenant)
    .bind(id)
    .bind(reason)
    .bind(now())
    .execute(conn)
    .await?;
    Ok(())
}

async fn finish(conn: &mut Conn, scope: &Scope, id: CampaignId, at: DateTime<Utc>) -> Step<bool> {
    let Some(kept) = by_id(conn, scope, id).await? else { return Ok(false) };
    if kept.until <= at && !kept.state.is_over() {
        end_waiting(conn, scope, id, "too_late").await?;
    }
    let done = sqlx::query(
        "update campaigns set state = 'ended', waits = null, ended_at = $3
         where tenant_id = $1 and id = $2 and state in ('running', 'paused') and not exists (
            select 1 from campaign_entries e where e.tenant_id = campaigns.tenant_id
                and e.campaign_id = campaigns.id and e.state <> 'ended')",
    )
    .bind(scope.tenant)
    .bind(id)
    .bind(now())
    .execute(conn)
    .await?;
    Ok(done.rows_affected() > 0)
}

/// Those that have something to do, the longest not looked at first.
async fn due(
    conn: &mut Conn,
    scope: &Scope,
    at: DateTime<Utc>,
    before: DateTime<Utc>,
) -> Step<Vec<CampaignId>> {
    let query = sqlx::query_scalar(
        "select id from campaigns
         where tenant_id = $1 and looked_at < $3 and (state = 'running' and from_at <= $2
                or state in ('running', 'paused') and until_at <= $2)
           and (claimed_until_at is null or claimed_until_at < $2)
         order by looked_at, id limit $4",
    );
    let query = query.bind(scope.tenant).bind(at).bind(before).bind(CANDIDATES);
    Ok(query.fetch_all(conn).await?)
}

async fn claim(
    conn: &mut Conn,
    scope: &Scope,
    due: &[CampaignId],
    at: DateTime<Utc>,
    until: DateTime<Utc>,
) -> Step<Option<Campaign>> {
    for id in due {
        let done = sqlx::query(
            "update campaigns set claimed_until_at = $4
             where tenant_id = $1 and id = $2 and state in ('running', 'paused')
               and (claimed_until_at is null or claimed_until_at < $3)",
        )
        .bind(scope.tenant)
        .bind(id)
        .bind(at)
        .bind(until)
        .execute(&mut *conn)
        .await?;
        if done.rows_affected() > 0 {
            return by_id(conn, scope, *id).await;
        }
    }
    Ok(None)
}

async fn number(conn: &mut Conn, scope: &Scope, id: CampaignEntryId) -> Step<Option<String>> {
    let sealed: Option<Option<Vec<u8>>> =
        sqlx::query_scalar("select number_sealed from campaign_entries where tenant_id = $1 and id = $2")
            .bind(scope.tenant)
            .bind(id)
            .fetch_optional(conn)
            .await?;
    let open = |sealed: Vec<u8>| scope.sealer.open_text(CAMPAIGN_NUMBER, id.0.as_bytes(), &sealed);
    Ok(sealed.flatten().map(open).transpose()?)
}

async fn of_call(conn: &mut Conn, scope: &Scope, call: CallId) -> Step<Option<Entry>> {
    let query = sqlx::query_as::<_, EntryRow>(select_entries!("and last_id = $2")).bind(scope.tenant);
    Ok(query.bind(call).fetch_optional(conn).await?.map(Entry::from))
}

/// The campaign of an entry, and the call that was its first attempt.
pub(super) async fn of_entry(
    conn: &mut Conn,
    scope: &Scope,
    id: CampaignEntryId,
) -> Step<(CampaignId, Option<CallId>)> {
    let query = sqlx::query_as::<_, EntryRow>(select_entries!("and id = $2")).bind(scope.tenant).bind(id);
    let entry = query.fetch_optional(conn).await?.ok_or(NO_CAMPAIGN)?;
    Ok((entry.campaign_id, entry.first_id))
}

/// The call is its next attempt.
///
/// # Errors
/// `NotFound` where it does not wait, or its campaign does not run: then there is no call either.
pub(super) async fn take(conn: &mut Conn, scope: &Scope, id: CampaignEntryId, call: CallId) -> Step<()> {
    let done = sqlx::query(
        "update campaign_entries set state = 'calling', attempts = attempts + 1, due_at = null, reason = null,
            first_id = coalesce(first_id, $3), last_id = $3, changed_at = $4
         where tenant_id = $1 and id = $2 and state = 'waiting' and exists (
            select 1 from campaigns c where c.tenant_id = campaign_entries.tenant_id
                and c.id = campaign_entries.campaign_id and c.state = 'running')",
    )
    .bind(scope.tenant)
    .bind(id)
    .bind(call)
    .bind(now())
    .execute(conn)
    .await?;
    if done.rows_affected() == 0 {
        return Err(StorageError::NotFound { what: "attempt" }.into());
    }
    Ok(())
}

/// The call is over: what follows it, if anything does.
pub(super) async fn follow(conn: &mut Conn, scope: &Scope, call: CallId, result: OutreachResult) -> Step<()> {
    let Some(entry) = of_call(conn, scope, call).await?.filter(|entry| entry.state == EntryState::Calling)
    else {
        return Ok(());
    };
    let Some(kept) = by_id(conn, scope, entry.campaign).await? else { return Ok(()) };
    let at = now() + kept.retries.every;
    let follows = result.is_miss(kept.retries.machines)
        && entry.attempts <= kept.retries.most
        && !kept.state.is_over()
        && at < kept.until;
    sqlx::query(
        "update campaign_entries set state = $3, due_at = $4, reason = $5, changed_at = $6,
            number_sealed = case when $7 then number_sealed else null end
         where tenant_id = $1 and id = $2 and state = 'calling'",
    )
    .bind(scope.tenant)
    .bind(entry.id)
    .bind(if follows { EntryState::Waiting } else { EntryState::Ended })
    .bind(follows.then_some(at))
    .bind(result.as_str())
    .bind(now())
    .bind(follows)
    .execute(conn)
    .await?;
    Ok(())
}

/// Whoever has this number is not called any more, by any campaign.
pub(super) async fn take_out(conn: &mut Conn, scope: &Scope, number_hash: &[u8]) -> Step<()> {
    sqlx::query(
        "update campaign_entries set state = 'ended', due_at = null, number_sealed = null, reason = 'do_not_call',
            changed_at = $3
         where tenant_id = $1 and number_hash = $2 and state = 'waiting'",
    )
    .bind(scope.tenant)
    .bind(number_hash)
    .bind(now())
    .execute(conn)
    .await?;
    Ok(())
}
