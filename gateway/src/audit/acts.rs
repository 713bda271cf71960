//! What people and programs did, one function a kind. The list in `docs/guides/audit.md` names them all.
//!
//! An entry holds ids, names of settings and counts: no word of a caller. Logins that somebody else gave are personal.

use pipeline::ports::NotesState;
use serde_json::{Value, json};
use storage::audit::{NewAudit, Outcome, Party};
use storage::campaigns::{Campaign, EntryCount};
use storage::dials::{Dial, DialResult};
use storage::outreach::{Outreach, OutreachResult, Purpose};
use storage::records::WorkItem;
use storage::retention::Hold;
use storage::{
    ApiToken, BegunBy, CallId, CampaignId, ContactId, DialId, DocumentId, HoldId, OpenidNews, OutboxId,
    PasskeyId, PassportId, SessionId, Tenant, TokenId, User, WorkItemId,
};

use crate::auth::{Kind, Principal};

/// Whoever makes a request: `user`, `token`, or `operator` for those who hold the machine.
#[must_use]
pub fn actor(principal: &Principal) -> Party {
    let kind = match principal.kind {
        Kind::Session(_) => "user",
        Kind::ApiToken(_) => "token",
        Kind::AdminToken | Kind::LocalToken => "operator",
    };
    Party::new(kind, &principal.subject)
}

fn by(principal: &Principal, action: &str, subject: Party) -> NewAudit {
    NewAudit::new(action, actor(principal), subject).with("role", principal.role.as_str())
}

/// Somebody signed in to the console.
#[must_use]
pub fn signed_in(user: &User, by: BegunBy) -> NewAudit {
    NewAudit::new("session.started", Party::new("user", &user.login), Party::new("user", user.id))
        .with("role", user.role.as_str())
        .with("by", by.as_str())
}

/// A password was not good. Nothing of what was typed is told, a login that nobody has as little as the password.
#[must_use]
pub fn password_refused(user: Option<&User>) -> NewAudit {
    let subject = user.map_or_else(|| Party::new("door", "password"), |user| Party::new("user", user.id));
    NewAudit::new("session.refused", Party::new("stranger", ""), subject)
        .with("by", BegunBy::Password.as_str())
        .outcome(Outcome::Denied)
}

/// A provider's answer let nobody in. `why`: one word of ours.
#[must_use]
pub fn openid_refused(why: &str) -> NewAudit {
    NewAudit::new("session.refused", Party::new("stranger", ""), Party::new("door", "openid"))
        .with("by", BegunBy::Openid.as_str())
        .with("why", why)
        .outcome(Outcome::Denied)
}

/// A provider let somebody in for the first time, or gave them another role or tenant.
#[must_use]
pub fn user_of_provider(user: &User, news: OpenidNews) -> NewAudit {
    let action = match news {
        OpenidNews::Created => "user.created",
        OpenidNews::Changed => "user.changed",
    };
    NewAudit::new(action, Party::new("provider", "openid"), Party::new("user", user.id))
        .with("user_role", user.role.as_str())
        .personal(json!({ "login": user.login, "name": user.display_name }))
}

/// A passkey let nobody in. `why`: one word of ours.
#[must_use]
pub fn passkey_refused(why: &str) -> NewAudit {
    NewAudit::new("session.refused", Party::new("stranger", ""), Party::new("door", "passkey"))
        .with("by", BegunBy::Passkey.as_str())
        .with("why", why)
        .outcome(Outcome::Denied)
}

/// Somebody added a passkey of their own, or took one away.
#[must_use]
pub fn passkey_changed(principal: &Principal, act: &str, passkey: PasskeyId) -> NewAudit {
    by(principal, &format!("passkey.{act}"), Party::new("passkey", passkey))
}

/// Somebody has another password from now on.
#[must_use]
pub fn password_set(principal: &Principal, user: &User) -> NewAudit {
    by(principal, "password.set", Party::new("user", user.id))
}

/// Somebody wanted another password, and did not know the old one.
#[must_use]
pub fn password_kept(principal: &Principal, user: &User) -> NewAudit {
    by(principal, "password.set", Party::new("user", user.id)).outcome(Outcome::Denied)
}

/// An administrator took away all that a user signs in with.
#[must_use]
pub fn credentials_reset(principal: &Principal, user: &User) -> NewAudit {
    by(principal, "user.credentials_reset", Party::new("user", user.id))
}

/// Somebody ended sessions of their own: one, or (`None`) all others.
#[must_use]
pub fn sessions_ended(principal: &Principal, user: &User, session: Option<SessionId>) -> NewAudit {
    by(principal, "session.ended", Party::new("user", user.id))
        .with("session", session.map_or_else(|| "others".to_owned(), |id| id.to_string()))
}

/// A sign-in link or token was not good.
#[must_use]
pub fn sign_in_refused() -> NewAudit {
    NewAudit::new("session.refused", Party::new("stranger", ""), Party::new("door", "sign-in"))
        .outcome(Outcome::Denied)
}

/// A request came with a token that is none.
#[must_use]
pub fn token_refused() -> NewAudit {
    NewAudit::new("token.refused", Party::new("stranger", ""), Party::new("door", "api"))
        .outcome(Outcome::Denied)
}

/// Somebody signed out.
#[must_use]
pub fn signed_out(principal: &Principal) -> NewAudit {
    by(principal, "session.ended", Party::new("user", &principal.subject))
}

/// A role was too low for what was asked. `permission` as the refusal names it.
#[must_use]
pub fn not_allowed(principal: &Principal, permission: &str) -> NewAudit {
    by(principal, "access.denied", Party::new("permission", permission)).outcome(Outcome::Denied)
}

/// Another tenant was named. That tenant's audit hears nothing of it: to them it does not exist either.
#[must_use]
pub fn other_tenant(principal: &Principal, named: &str) -> NewAudit {
    by(principal, "access.other_tenant", Party::new("tenant", named)).outcome(Outcome::Denied)
}

#[must_use]
pub fn token_created(principal: &Principal, token: &ApiToken) -> NewAudit {
    by(principal, "token.created", Party::new("token", token.id))
        .with("token_name", token.name.clone())
        .with("token_role", token.role.as_str())
        .with("expires_at", json!(token.expires_at))
}

#[must_use]
pub fn token_revoked(principal: &Principal, token: TokenId) -> NewAudit {
    by(principal, "token.revoked", Party::new("token", token))
}

#[must_use]
pub fn user_created(principal: &Principal, user: &User) -> NewAudit {
    by(principal, "user.created", Party::new("user", user.id))
        .with("user_role", user.role.as_str())
        .personal(json!({ "login": user.login, "name": user.display_name }))
}

#[must_use]
pub fn user_removed(principal: &Principal, user: &User) -> NewAudit {
    by(principal, "user.removed", Party::new("user", user.id))
        .with("user_role", user.role.as_str())
        .personal(json!({ "login": user.login, "name": user.display_name }))
}

/// Nobody took away the last who runs the platform under a name of their own.
#[must_use]
pub fn user_kept(principal: &Principal, user: &User) -> NewAudit {
    user_removed(principal, user).outcome(Outcome::Denied)
}

/// A one-time link that signs a user in was made.
#[must_use]
pub fn link_issued(principal: &Principal, login: &str) -> NewAudit {
    by(principal, "link.issued", Party::new("user", login))
}

#[must_use]
pub fn tenant_created(principal: &Principal, tenant: &Tenant) -> NewAudit {
    by(principal, "tenant.created", Party::new("tenant", tenant.id)).with("slug", tenant.slug.clone())
}

/// Somebody took on, gave away, wrote about or closed what a caller left to be done. `status`: as it stands now.
#[must_use]
pub fn work_item_changed(principal: &Principal, item: WorkItemId, status: &str) -> NewAudit {
    by(principal, "work_item.changed", Party::new("work_item", item)).with("status", status)
}

/// Somebody held what the line said and did on a call right, or wrong.
#[must_use]
pub fn call_judged(principal: &Principal, call: CallId, line_right: bool) -> NewAudit {
    by(principal, "call.judged", Party::new("call", call)).with("line_was_right", line_right).traced(call.0)
}

/// Nobody had taken on a request that cannot wait, and people were told. `alarms`: how often by now.
#[must_use]
pub fn work_item_alarmed(item: &WorkItem) -> NewAudit {
    NewAudit::new("work_item.alarmed", Party::new("system", "alarms"), Party::new("work_item", item.id))
        .with("priority", item.priority.as_str())
        .with("alarms", item.alarms)
}

/// Somebody is about to have whoever left a request called. No number is told.
#[must_use]
pub fn work_item_called(principal: &Principal, item: WorkItemId, dial: DialId) -> NewAudit {
    by(principal, "work_item.called", Party::new("work_item", item)).with("dial", json!(dial))
}

/// What came of that call.
#[must_use]
pub fn work_item_call_ended(dial: &Dial, result: DialResult) -> NewAudit {
    NewAudit::new("work_item.call_ended", Party::new("system", "dials"), Party::new("work_item", dial.item))
        .with("dial", json!(dial.id))
        .with("result", result.as_str())
}

/// Somebody put a number on the list of those that are not called, or took it off. The number is not told.
#[must_use]
pub fn do_not_call_changed(principal: &Principal, listed: bool) -> NewAudit {
    by(principal, "do_not_call.changed", Party::new("setting", "do_not_call")).with("listed", listed)
}

/// Somebody saw a caller's own data. `kind`: of the token; what it stands for is not told, the reason is sealed.
#[must_use]
pub fn personal_revealed(principal: &Principal, item: WorkItemId, kind: String, reason: &str) -> NewAudit {
    let entry = by(principal, "personal.revealed", Party::new("work_item", item)).with("kind", kind);
    if reason.is_empty() { entry } else { entry.personal(json!({ "reason": reason })) }
}

/// The new value is not told: it may hold names.
#[must_use]
pub fn setting_changed(principal: &Principal, setting: &str) -> NewAudit {
    by(principal, "settings.changed", Party::new("setting", setting))
}

#[must_use]
pub fn rules_replaced(principal: &Principal, rules: usize) -> NewAudit {
    by(principal, "rules.replaced", Party::new("setting", "rules")).with("rules", rules)
}

/// A node of the organisation's memory. `act`: `written`, `forgotten`, `pinned`, `unpinned`.
#[must_use]
pub fn memory_node(principal: &Principal, act: &str, node: impl ToString) -> NewAudit {
    by(principal, "organisation.node", Party::new("memory_node", node.to_string())).with("act", act)
}

/// A type of the organisation's memory. `act`: `declared`, `raised`.
#[must_use]
pub fn memory_type(principal: &Principal, act: &str, name: &str) -> NewAudit {
    by(principal, "organisation.type", Party::new("memory_type", name)).with("act", act)
}

/// A caller is forgotten because somebody of the office asked for it.
#[must_use]
pub fn contact_forgotten(principal: &Principal, contact: ContactId) -> NewAudit {
    by(principal, "memory.contact_forgotten", Party::new("contact", contact))
}

/// A person's word on an effect that waited for one. `act`: `approved`, `rejected`.
#[must_use]
pub fn effect_decided(principal: &Principal, act: &str, effect: OutboxId, tool: &str) -> NewAudit {
    by(principal, "outbox.decided", Party::new("effect", effect)).with("act", act).with("tool", tool)
}

/// A program used a tool over MCP.
#[must_use]
pub fn tool_used(principal: &Principal, tool: &str) -> NewAudit {
    by(principal, "tool.used", Party::new("tool", tool))
}

#[must_use]
pub fn memory_relation(principal: &Principal, relation: impl ToString) -> NewAudit {
    by(principal, "organisation.relation", Party::new("memory_relation", relation.to_string()))
}

#[must_use]
pub fn documents_posted(principal: &Principal, ids: &[DocumentId]) -> NewAudit {
    let first: Vec<Value> = ids.iter().take(20).map(|id| json!(id)).collect();
    let subject = Party::new("document", ids.first().map(ToString::to_string).unwrap_or_default());
    by(principal, "knowledge.posted", subject).with("documents", ids.len()).with("ids", first)
}

/// Calls of one number are looked for. The number itself is on no audit.
#[must_use]
pub fn caller_looked_up(principal: &Principal) -> NewAudit {
    by(principal, "caller.looked_up", Party::new("calls", "list"))
}

#[must_use]
pub fn document_deleted(principal: &Principal, id: DocumentId) -> NewAudit {
    by(principal, "knowledge.deleted", Party::new("document", id))
}

#[must_use]
pub fn call_hung_up(principal: &Principal, call: CallId) -> NewAudit {
    by(principal, "call.hangup", Party::new("call", call)).traced(call.0)
}

/// The agent is about to call somebody. No number is told.
#[must_use]
pub fn call_placed(principal: &Principal, call: CallId, purpose: Purpose) -> NewAudit {
    by(principal, "call.placed", Party::new("call", call)).with("purpose", purpose.as_str()).traced(call.0)
}

/// The same once more, for whoever was not reached: the call that was the first names who asked for it.
#[must_use]
pub fn call_placed_again(call: CallId, first: &Outreach) -> NewAudit {
    NewAudit::new("call.placed", Party::new("system", "gateway"), Party::new("call", call))
        .with("purpose", first.purpose.as_str())
        .with("first", first.id.to_string())
        .traced(call.0)
}

/// The same for a number of a campaign, which names who asked for it.
#[must_use]
pub fn call_placed_listed(call: CallId, campaign: &Campaign) -> NewAudit {
    NewAudit::new("call.placed", Party::new("system", "gateway"), Party::new("call", call))
        .with("purpose", campaign.purpose.as_str())
        .with("campaign", campaign.id.to_string())
        .traced(call.0)
}

/// The same where nobody asked for it but the schedule: about an appointment that is near, or a request in which something is
/// missing.
#[must_use]
pub fn call_placed_unasked(call: CallId, by: &str, purpose: Purpose, item: &str) -> NewAudit {
    let what = if purpose == Purpose::Appointment { "appointment" } else { "request" };
    NewAudit::new("call.placed", Party::new("system", by), Party::new("call", call))
        .with("purpose", purpose.as_str())
        .with(what, item)
        .traced(call.0)
}

/// Somebody has a list of numbers called. No number is told.
#[must_use]
pub fn campaign_created(principal: &Principal, campaign: &Campaign, numbers: usize) -> NewAudit {
    by(principal, "campaign.created", Party::new("campaign", campaign.id))
        .with("purpose", campaign.purpose.as_str())
        .with("numbers", numbers)
}

/// Somebody paused, resumed or canceled it: `action`.
#[must_use]
pub fn campaign_turned(principal: &Principal, campaign: CampaignId, action: &str) -> NewAudit {
    by(principal, action, Party::new("campaign", campaign))
}

/// Every number of it is done with: how many came to what.
#[must_use]
pub fn campaign_ended(campaign: CampaignId, counts: &[EntryCount]) -> NewAudit {
    let entry =
        NewAudit::new("campaign.ended", Party::new("system", "gateway"), Party::new("campaign", campaign));
    counts.iter().fold(entry, |entry, one| entry.with(one.reason.as_deref().unwrap_or("none"), one.count))
}

/// No attempt follows any more. `reason`: what the last came to, or the rule that is against another.
#[must_use]
pub fn call_retries_ended(first: CallId, reason: &str, attempts: usize) -> NewAudit {
    NewAudit::new("call.retries_ended", Party::new("system", "gateway"), Party::new("call", first))
        .with("reason", reason)
        .with("attempts", attempts)
        .traced(first.0)
}

/// Somebody wants no further attempts.
#[must_use]
pub fn call_retries_canceled(principal: &Principal, first: CallId) -> NewAudit {
    by(principal, "call.retries_canceled", Party::new("call", first)).traced(first.0)
}

/// What came of that.
#[must_use]
pub fn call_placed_ended(call: CallId, result: OutreachResult) -> NewAudit {
    NewAudit::new("call.placed_ended", Party::new("system", "carrier"), Party::new("call", call))
        .with("result", result.as_str())
        .traced(call.0)
}

/// Somebody agreed to be called for a purpose, or does not any more. The number is not told.
#[must_use]
pub fn consent_changed(principal: &Principal, purpose: Purpose, given: bool, source: &str) -> NewAudit {
    by(principal, "consent.changed", Party::new("setting", "consents"))
        .with("purpose", purpose.as_str())
        .with("given", given)
        .with("source", source)
}

/// A live call is about to be put through to one of the tenant's targets.
#[must_use]
pub fn call_transferred(principal: &Principal, call: CallId, target: &str) -> NewAudit {
    by(principal, "call.transferred", Party::new("call", call)).with("target", target).traced(call.0)
}

/// What came of that.
#[must_use]
pub fn call_transfer_ended(call: CallId, result: &str) -> NewAudit {
    NewAudit::new("call.transfer_ended", Party::new("system", "carrier"), Party::new("call", call))
        .with("result", result)
        .traced(call.0)
}

/// How notes of what a caller and the person who took the call say stand.
#[must_use]
pub fn call_notes(call: CallId, state: NotesState, target: &str) -> NewAudit {
    NewAudit::new("call.notes", Party::new("system", "call"), Party::new("call", call))
        .with("notes", state.name())
        .with("target", target)
        .traced(call.0)
}

/// Somebody is about to hear a live call. `channel`: `caller`, `agent` or `both`.
#[must_use]
pub fn listening_began(principal: &Principal, call: CallId, channel: &str) -> NewAudit {
    by(principal, "call.listen_started", Party::new("call", call)).with("channel", channel).traced(call.0)
}

/// They hear it no more.
#[must_use]
pub fn listening_ended(principal: &Principal, call: CallId, channel: &str) -> NewAudit {
    by(principal, "call.listen_ended", Party::new("call", call)).with("channel", channel).traced(call.0)
}

/// Somebody wanted to hear a call that may not be listened to.
#[must_use]
pub fn listening_refused(principal: &Principal, call: CallId) -> NewAudit {
    by(principal, "call.listen_started", Party::new("call", call)).outcome(Outcome::Denied).traced(call.0)
}

/// Somebody is about to be given a recording.
#[must_use]
pub fn recording_played(principal: &Principal, call: CallId, format: &str) -> NewAudit {
    by(principal, "recording.played", Party::new("call", call)).with("format", format).traced(call.0)
}

/// A live call's recording is silent from here on, or no more.
#[must_use]
pub fn recording_paused(principal: &Principal, call: CallId, paused: bool) -> NewAudit {
    let action = if paused { "recording.paused" } else { "recording.resumed" };
    by(principal, action, Party::new("call", call)).traced(call.0)
}

/// A person took a live call from the agent, or (`from`) from another person.
#[must_use]
pub fn call_taken(principal: &Principal, call: CallId, from: Option<&str>) -> NewAudit {
    let entry = by(principal, "call.taken_over", Party::new("call", call)).traced(call.0);
    match from {
        Some(holder) => entry.with("from", holder),
        None => entry,
    }
}

/// Somebody asked whoever has a live call for it.
#[must_use]
pub fn call_asked_for(principal: &Principal, call: CallId, holder: &str) -> NewAudit {
    by(principal, "call.asked_for", Party::new("call", call)).traced(call.0).with("of", holder)
}

/// Whoever had it handed it to them.
#[must_use]
pub fn call_handed_over(principal: &Principal, call: CallId, to: &str) -> NewAudit {
    by(principal, "call.handed_over", Party::new("call", call)).traced(call.0).with("to", to)
}

/// They gave it back. The note is personal: it is about the caller.
#[must_use]
pub fn call_given_back(principal: &Principal, call: CallId, note: Option<&str>) -> NewAudit {
    let entry = by(principal, "call.given_back", Party::new("call", call)).traced(call.0);
    match note {
        Some(note) => entry.personal(json!({ "note": note })),
        None => entry,
    }
}

/// A person told the agent something (`until`: `next`, `withdrawn`, `now`), or had it say a line (`said`). The words are
/// personal.
#[must_use]
pub fn call_whispered(principal: &Principal, call: CallId, until: &str, text: &str) -> NewAudit {
    by(principal, "call.whispered", Party::new("call", call))
        .with("until", until)
        .traced(call.0)
        .personal(json!({ "text": text }))
}

/// Raw text is about to be given out. `what`: `transcript`, `audit`, `holds`.
#[must_use]
pub fn raw_read(principal: &Principal, what: &str, subject: Party) -> NewAudit {
    by(principal, "raw.read", subject).with("what", what)
}

/// A recorder was attached: raw journals of calls go out.
#[must_use]
pub fn recorder_attached(principal: &Principal) -> NewAudit {
    by(principal, "recorder.attached", Party::new("gateway", "recorder"))
}

/// Entries `first` to `last` are about to be given out.
#[must_use]
pub fn exported(principal: &Principal, first: u64, last: u64) -> NewAudit {
    by(principal, "audit.exported", Party::new("audit", format!("{first}-{last}")))
}

/// The reason is personal: it may name who goes to court.
#[must_use]
pub fn hold_set(principal: &Principal, hold: &Hold) -> NewAudit {
    by(principal, "hold.set", Party::new("hold", hold.id))
        .with("kind", hold.kind.clone())
        .with("subject", json!(hold.subject))
        .personal(json!({ "reason": hold.reason }))
}

#[must_use]
pub fn hold_lifted(principal: &Principal, hold: HoldId) -> NewAudit {
    by(principal, "hold.lifted", Party::new("hold", hold))
}

/// A person opened a Passport.
#[must_use]
pub fn passport_opened(principal: &Principal, passport: PassportId) -> NewAudit {
    by(principal, "passport.opened", Party::new("passport", passport))
}

/// A person changed a Passport. `version`: the one that was made.
#[must_use]
pub fn passport_changed(principal: &Principal, passport: PassportId, version: u32) -> NewAudit {
    by(principal, "passport.changed", Party::new("passport", passport)).with("version", version)
}
