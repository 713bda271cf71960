//! The HTTP surface.

use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};

use crate::api::memory;
use crate::api::{
    account, audit, autonomy, call_list, calls, campaigns, capabilities, control, dictation, do_not_call,
    documents, events, judgement, knowledge, listen, mcp, me, openapi, outbox, outreach, overview, passkeys,
    passport, passports, phone, queue, record, recording, retention, rules, speak, supervise, teams,
    tenant_calendar, tenant_config, tenant_settings, tenant_versions, tenants, text_checks, tokens,
    transcript, understand, users, validate, work_calls, work_item_actions, work_items,
};
use crate::api::{organisation, organisation_types};
use crate::app::App;
use crate::auth::openid::routes as openid;
use crate::auth::passkey::routes as passkey;
use crate::auth::{by_password, guard, sign_in};
use crate::calls::accept;
use crate::console::assets;
use crate::error::{ApiError, ErrorCode};
use crate::http_server;
use crate::routes::Routes;
use crate::telemetry::{health, request};
use crate::webhooks;

/// Largest JSON body: a few hundred documents.
const MAX_BODY: usize = 16 * 1024 * 1024;

/// Every route on one screen. What is added here is added to `data/openapi` too: a test holds one against the other.
#[must_use]
pub fn routes() -> Routes {
    let carrier = calling_out(webhooks::routes(Routes::default()));
    let process = carrier
        .get("/health", health::health)
        .get("/ready", health::ready)
        .get("/metrics", health::metrics)
        .get("/openapi.json", openapi::handle);
    people_on_calls(organisational_memory(tenant_documents(team_routes(signing_in(process)))))
        .get("/v1/me", me::handle)
        .get("/v1/capabilities", capabilities::handle)
        .get("/v1/overview", overview::handle)
        .get("/v1/calls", call_list::list)
        .get("/v1/calls/{id}", calls::one)
        .get("/v1/calls/{id}/transcript", transcript::handle)
        .get("/v1/calls/{id}/latency", calls::latency)
        .get("/v1/calls/{id}/judgement", judgement::read)
        .post("/v1/calls/{id}/judgement", judgement::judge)
        .get("/v1/calls/{id}/passport", passport::handle)
        .get("/v1/passports", passports::list)
        .get("/v1/passports/{id}", passports::one)
        .patch("/v1/passports/{id}", passports::change)
        .get("/v1/passports/{id}/ledger", passports::ledger)
        .get("/v1/work-items", work_items::list)
        .get("/v1/work-items/{id}", work_items::one)
        .post("/v1/work-items/{id}/claim", work_item_actions::claim)
        .post("/v1/work-items/{id}/assign", work_item_actions::assign)
        .post("/v1/work-items/{id}/note", work_item_actions::note)
        .post("/v1/work-items/{id}/close", work_item_actions::close)
        .post("/v1/work-items/{id}/reopen", work_item_actions::reopen)
        .post("/v1/work-items/{id}/reveal", work_item_actions::reveal)
        .get("/v1/memory/contacts", memory::contacts)
        .get("/v1/memory/contacts/{id}", memory::contact)
        .delete("/v1/memory/contacts/{id}", memory::forget)
        .get("/v1/memory/suggestions", memory::suggestions)
        .get("/v1/memory/notes", memory::notes)
        .get("/v1/memory/playbook-updates", memory::playbook_updates)
        .get("/v1/memory/events", memory::events)
        .get("/v1/memory/roles", memory::roles)
        .get("/v1/outbox", outbox::list)
        .post("/v1/outbox/{id}/approve", outbox::approve)
        .post("/v1/outbox/{id}/reject", outbox::reject)
        .get("/v1/autonomy", autonomy::handle)
        .get("/v1/events", events::handle)
        .post("/v1/phone", phone::dial)
        .get(phone::MEDIA_PATH, accept::phone)
        .get("/v1/knowledge/documents", documents::list)
        .post("/v1/knowledge/documents", knowledge::put)
        .get("/v1/knowledge/documents/{id}", documents::one)
        .put("/v1/knowledge/documents/{id}", documents::replace)
        .delete("/v1/knowledge/documents/{id}", documents::delete)
        .post("/v1/knowledge/search", knowledge::search)
        .post_bounded("/v1/safety/check", text_checks::MAX_BODY, text_checks::safety_check)
        .post_bounded("/v1/guard/sanitize", text_checks::MAX_BODY, text_checks::sanitize)
        .post_bounded("/v1/validate", validate::MAX_BODY, validate::handle)
        .post_bounded("/v1/understand", understand::MAX_BODY, understand::handle)
        .post_bounded("/mcp", mcp::MAX_BODY, mcp::handle)
        .get("/v1/audit", audit::list)
        .get("/v1/audit/verify", audit::verify)
        .get("/v1/audit/export", audit::export)
        .get("/v1/rules", rules::get)
        .put("/v1/rules", rules::put)
        .post_bounded("/v1/rules/check", rules::MAX_BODY, rules::check)
        .get("/v1/holds", retention::holds)
        .post("/v1/holds", retention::set_hold)
        .delete("/v1/holds/{id}", retention::lift_hold)
        .get("/v1/tenants/{id}/retention", retention::retention)
        .put("/v1/tenants/{id}/retention", retention::put_retention)
        .get("/v1/record", record::handle)
        .get("/v1/tenants", tenants::list)
        .post("/v1/tenants", tenants::create)
        .get("/v1/tenants/{id}/vocabulary", tenant_settings::vocabulary)
        .put("/v1/tenants/{id}/vocabulary", tenant_settings::put_vocabulary)
        .get("/v1/tenants/{id}/pronunciations", tenant_settings::pronunciations)
        .put("/v1/tenants/{id}/pronunciations", tenant_settings::put_pronunciations)
        .get("/v1/tenants/{id}/budget", tenant_settings::budget)
        .put("/v1/tenants/{id}/budget", tenant_settings::put_budget)
        .get("/v1/users", users::list)
        .post("/v1/users", users::create)
        .delete("/v1/users/{id}", users::remove)
        .post("/v1/users/links", users::link)
        .get("/v1/tokens", tokens::list)
        .post("/v1/tokens", tokens::create)
        .delete("/v1/tokens/{id}", tokens::revoke)
}

/// How people come in and leave, and what they do about their own sign-in.
fn signing_in(routes: Routes) -> Routes {
    routes
        .get("/sign-in", sign_in::page)
        .post("/sign-in", sign_in::submit)
        .post_bounded("/sign-in/password", by_password::MAX_BODY, by_password::submit)
        .get("/sign-in/ways", sign_in::ways)
        .post("/sign-in/passkey/options", passkey::options)
        .post("/sign-in/passkey", passkey::submit)
        .get("/sign-in/openid", openid::begin)
        .get(openid::CALLBACK, openid::finish)
        .post("/sign-out", sign_in::sign_out)
        .get("/v1/me/sign-in", account::sign_in)
        .put("/v1/me/password", account::set_password)
        .post("/v1/me/passkeys/options", passkeys::options)
        .post("/v1/me/passkeys", passkeys::add)
        .patch("/v1/me/passkeys/{id}", passkeys::rename)
        .delete("/v1/me/passkeys/{id}", passkeys::remove)
        .get("/v1/me/sessions", account::sessions)
        .delete("/v1/me/sessions", account::end_others)
        .delete("/v1/me/sessions/{id}", account::end_one)
}

/// Calls that are placed or put through.
fn calling_out(routes: Routes) -> Routes {
    routes
        .post("/v1/calls", outreach::place)
        .delete("/v1/calls/{id}/retries", outreach::cancel)
        .get("/v1/campaigns", campaigns::list)
        .post_bounded("/v1/campaigns", campaigns::MAX_BODY, campaigns::create)
        .get("/v1/campaigns/{id}", campaigns::one)
        .post("/v1/campaigns/{id}/pause", campaigns::pause)
        .post("/v1/campaigns/{id}/resume", campaigns::resume)
        .post("/v1/campaigns/{id}/cancel", campaigns::cancel)
        .post("/v1/calls/{id}/transfer", control::transfer)
        .get("/v1/transfers/queue", queue::handle)
        .post("/v1/work-items/{id}/call", work_calls::call)
        .post("/v1/consents", outreach::consent)
        .post("/v1/do-not-call", do_not_call::put)
}

/// Organisational memory, and the question to all of memory.
fn organisational_memory(routes: Routes) -> Routes {
    routes
        .post("/v1/memory/search", organisation_types::ask)
        .get("/v1/memory/organisation/nodes", organisation::list)
        .post("/v1/memory/organisation/nodes", organisation::create)
        .get("/v1/memory/organisation/nodes/{id}", organisation::one)
        .delete("/v1/memory/organisation/nodes/{id}", organisation::forget)
        .put("/v1/memory/organisation/nodes/{id}/pin", organisation::pin)
        .get("/v1/memory/organisation/nodes/{id}/relations", organisation::relations)
        .post("/v1/memory/organisation/relations", organisation::relate)
        .post("/v1/memory/organisation/search", organisation::search)
        .post("/v1/memory/organisation/precedents/search", organisation::precedents)
        .get("/v1/memory/organisation/associations", organisation::associations)
        .get("/v1/memory/organisation/types", organisation_types::list)
        .post("/v1/memory/organisation/types", organisation_types::declare)
        .get("/v1/memory/organisation/types/{type}", organisation_types::one)
        .post("/v1/memory/organisation/types/{type}/promotion", organisation_types::promote)
}

/// A tenant as one document, its versions, and parts of it by themselves.
fn tenant_documents(routes: Routes) -> Routes {
    routes
        .get("/v1/tenants/{id}/config", tenant_config::get)
        .put("/v1/tenants/{id}/config", tenant_config::put)
        .post_bounded("/v1/tenants/{id}/config/check", tenant_config::MAX_BODY, tenant_config::check)
        .get("/v1/tenants/{id}/config/versions", tenant_versions::list)
        .get("/v1/tenants/{id}/config/versions/{number}", tenant_versions::one)
        .post("/v1/tenants/{id}/config/versions/{number}/rollback", tenant_versions::roll_back)
        .get("/v1/tenants/{id}/slots", tenant_calendar::slots)
        .put("/v1/tenants/{id}/slots", tenant_calendar::put_slots)
        .post_bounded("/v1/tenants/{id}/slots/check", tenant_calendar::MAX_BODY, tenant_calendar::check_slots)
        .get("/v1/tenants/{id}/holidays", tenant_calendar::holidays)
        .put("/v1/tenants/{id}/holidays", tenant_calendar::put_holidays)
}

/// The teams of a tenant.
fn team_routes(routes: Routes) -> Routes {
    routes
        .get("/v1/teams", teams::list)
        .post_bounded("/v1/teams/check", teams::MAX_BODY, teams::check)
        .post_bounded("/v1/teams/try", teams::MAX_BODY, teams::try_words)
        .get("/v1/teams/{team}", teams::one)
        .put("/v1/teams/{team}", teams::put)
        .delete("/v1/teams/{team}", teams::remove)
        .get("/v1/teams/{team}/versions", teams::versions)
        .get("/v1/teams/{team}/versions/{number}", teams::version)
        .post("/v1/teams/{team}/versions/{number}/rollback", teams::roll_back)
}

/// What people of the office do in live calls.
fn people_on_calls(routes: Routes) -> Routes {
    routes
        .post("/v1/calls/{id}/hangup", control::hang_up)
        .get("/v1/calls/{id}/listen", listen::handle)
        .post("/v1/calls/{id}/whisper", supervise::whisper)
        .post("/v1/calls/{id}/answer", supervise::answer)
        .post_bounded("/v1/calls/{id}/dictation", dictation::MAX_BODY, dictation::handle)
        .post("/v1/calls/{id}/takeover", supervise::take_over)
        .post("/v1/calls/{id}/handover", supervise::hand_over)
        .post("/v1/calls/{id}/release", supervise::release)
        .get("/v1/calls/{id}/speak", speak::handle)
        .get("/v1/calls/{id}/recording", recording::sound)
        .delete("/v1/calls/{id}/recording", recording::remove)
        .post("/v1/calls/{id}/recording/pause", recording::pause)
        .post("/v1/calls/{id}/recording/resume", recording::resume)
}

/// The whole HTTP surface.
pub fn router(app: Arc<App>) -> Router {
    let body = app.config.limits.body;
    routes()
        .into_router()
        .fallback(elsewhere)
        .method_not_allowed_fallback(wrong_method)
        .layer(DefaultBodyLimit::max(MAX_BODY))
        .layer(from_fn_with_state(app.clone(), guard::refuse_foreign_host))
        .layer(from_fn(move |request, next| http_server::bound_body(body, request, next)))
        .layer(from_fn(request::harden))
        .layer(from_fn(request::observe))
        .with_state(app)
}

/// What no route took: the console's files, for those who read.
async fn elsewhere(method: Method, uri: Uri, headers: HeaderMap) -> Response {
    if matches!(method, Method::GET | Method::HEAD) {
        return assets::serve(uri, headers).await;
    }
    ApiError::not_found("address").into_response()
}

async fn wrong_method() -> impl IntoResponse {
    ApiError::new(ErrorCode::InvalidRequest, "this address does not take that method")
        .with_status(StatusCode::METHOD_NOT_ALLOWED)
}
