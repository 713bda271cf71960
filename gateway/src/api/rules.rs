//! `GET`/`PUT /v1/rules` and `POST /v1/rules/check`: what an agent may not say or do.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use dialogue::TenantFacts;
use governance::meaning::{Meaning, Meant};
use governance::rules::{
    Category, Destination, Known, ProposedTool, RuleAction, RuleError, RuleSet, Spoken, Stakes, Tier,
    Violation, permitted,
};
use knowledge::Seen;
use pipeline::ports::Language;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use storage::Settings;

use crate::app::App;
use crate::audit::acts;
use crate::auth::Scoped;
use crate::auth::permission::{ManageTenant, ReadRules};
use crate::demo;
use crate::error::{ApiError, ErrorCode, JsonBody};

/// Largest body of a check, in bytes.
pub const MAX_BODY: usize = 256 * 1024;
/// Characters of a text that is checked.
const LONGEST: usize = 4_000;
/// Texts that may have been shown.
const MOST_SHOWN: usize = 16;

/// A text of rules as it is put.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PutRules {
    text: String,
}

#[derive(Debug, Serialize)]
pub struct Rules {
    tenant_text: String,
    shipped: Vec<ShippedText>,
    /// Each as [`governance::rules::Rule`] is written.
    rules: Vec<Value>,
}

#[derive(Debug, Serialize)]
struct ShippedText {
    name: &'static str,
    text: &'static str,
}

impl From<&RuleSet> for Rules {
    fn from(set: &RuleSet) -> Self {
        let shipped = RuleSet::shipped_texts().iter().map(|&(name, text)| ShippedText { name, text });
        Self {
            tenant_text: set.tenant_text().to_owned(),
            shipped: shipped.collect(),
            rules: set.rules().iter().map(|rule| json!(**rule)).collect(),
        }
    }
}

/// `GET /v1/rules`.
pub async fn get(State(app): State<Arc<App>>, scope: Scoped<ReadRules>) -> Result<Json<Rules>, ApiError> {
    let facts = facts(&app, &scope).await?;
    Ok(Json(Rules::from(&in_force(&scope, &facts).await?)))
}

/// `PUT /v1/rules`: the tenant's whole text. Holds from the next sentence of every call; with a mistake nothing changes.
pub async fn put(
    State(app): State<Arc<App>>,
    scope: Scoped<ManageTenant>,
    JsonBody(asked): JsonBody<PutRules>,
) -> Result<Json<Rules>, ApiError> {
    let facts = facts(&app, &scope).await?;
    let set = RuleSet::load(&asked.text, &facts.numbers()).map_err(|error| refused(&error))?;
    let answer = Rules::from(&set);
    {
        // What is kept and what is in force stay the same when two texts are put at once.
        let _one_at_a_time = app.rules.lock().await;
        scope.store.put_setting(demo::RULES, &json!(asked.text)).await?;
        if let Some(ready) = app.ready.get() {
            (ready.providers.rules)(scope.tenant.id, set);
        }
    }
    let replaced = acts::rules_replaced(&scope.principal, answer.rules.len());
    app.audit.record(Some(scope.tenant.id), replaced).await?;
    Ok(Json(answer))
}

async fn facts<P>(app: &App, scope: &Scoped<P>) -> Result<TenantFacts, ApiError> {
    demo::facts(&app.platform, &scope.tenant).await.map_err(|error| ApiError::internal(&error))
}

async fn in_force<P>(scope: &Scoped<P>, facts: &TenantFacts) -> Result<RuleSet, ApiError> {
    demo::rules_in_force(&scope.store, facts).await.map_err(|error| ApiError::internal(&error))
}

fn refused(error: &RuleError) -> ApiError {
    let RuleError { file, line, column, message, fix, excerpt, .. } = error;
    ApiError::new(ErrorCode::InvalidParameter, error.to_string())
        .with_status(StatusCode::UNPROCESSABLE_ENTITY)
        .with_details(json!({
            "parameter": "text", "file": file, "line": line, "column": column, "message": message, "excerpt": excerpt,
        }))
        .advise(fix.clone())
}

// ---------------------------------------------------------------- checks

/// What would be said or done.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleCheckRequest {
    kind: Kind,
    #[serde(default)]
    text: String,
    #[serde(default)]
    language: Language,
    #[serde(default)]
    caller_words: String,
    #[serde(default)]
    is_first: bool,
    #[serde(default)]
    is_emergency: bool,
    /// What documents or records showed.
    #[serde(default)]
    shown: Vec<String>,
    #[serde(default)]
    tool: String,
    arguments: Option<Value>,
    #[serde(default)]
    involves_pii: bool,
    #[serde(default)]
    destination: Destination,
    #[serde(default)]
    stakes_level: Stakes,
    #[serde(default)]
    has_human_approval: bool,
    #[serde(default)]
    is_decision: bool,
    #[serde(default)]
    audit_entry_created: bool,
    #[serde(default)]
    has_recording_notice: bool,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Words,
    Reply,
    Tool,
}

/// The source's `RuleCheckResult`.
#[derive(Debug, Serialize)]
pub struct RuleCheckResult {
    permitted: bool,
    /// Never.
    override_possible: bool,
    /// Whether the encoder saw the sentence; otherwise patterns and words held alone.
    meaning_read: bool,
    violations: Vec<RuleViolation>,
}

#[derive(Debug, Serialize)]
struct RuleViolation {
    rule_id: String,
    rule_name: String,
    category: Category,
    action: RuleAction,
    tier: Tier,
    reason: String,
    citation: String,
    replacement: Option<String>,
    drops_rest: bool,
    /// What the sentence was read as, and how surely, in percent, where the rule asks what it means.
    #[serde(skip_serializing_if = "Option::is_none")]
    read_as: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sure: Option<u16>,
}

/// `POST /v1/rules/check`. Nothing is said or done, kept or logged.
pub async fn check(
    State(app): State<Arc<App>>,
    scope: Scoped<ReadRules>,
    JsonBody(asked): JsonBody<RuleCheckRequest>,
) -> Result<Json<RuleCheckResult>, ApiError> {
    sound(&asked)?;
    let facts = facts(&app, &scope).await?;
    let set = in_force(&scope, &facts).await?;
    let language = asked.language;
    let meant = match asked.kind {
        Kind::Words => meant(&app, &asked.text).await,
        Kind::Reply | Kind::Tool => None,
    };
    let violations = violations(&set, &asked, meant);
    Ok(Json(RuleCheckResult {
        permitted: permitted(&violations),
        override_possible: false,
        meaning_read: meant.is_some_and(|meant| meant.is_whole()),
        violations: violations.into_iter().map(|violation| told(&violation, language)).collect(),
    }))
}

fn sound(asked: &RuleCheckRequest) -> Result<(), ApiError> {
    let long = |text: &str| text.chars().count() > LONGEST;
    for (name, text) in [("text", &asked.text), ("caller_words", &asked.caller_words), ("tool", &asked.tool)]
    {
        if long(text) {
            return Err(ApiError::invalid(name, format_args!("has more than {LONGEST} characters")));
        }
    }
    let (name, given) = match asked.kind {
        Kind::Words | Kind::Reply => ("text", &asked.text),
        Kind::Tool => ("tool", &asked.tool),
    };
    if given.trim().is_empty() {
        return Err(ApiError::new(ErrorCode::MissingParameter, format!("the check has no `{name}`")));
    }
    if asked.shown.len() > MOST_SHOWN {
        return Err(ApiError::invalid("shown", format_args!("holds more than {MOST_SHOWN} texts")));
    }
    if asked.arguments.as_ref().is_some_and(|arguments| !arguments.is_object()) {
        return Err(ApiError::invalid("arguments", "is no JSON object"));
    }
    Ok(())
}

/// What a sentence means; where the encoder is not loaded or not in time, by its words alone.
async fn meant(app: &App, sentence: &str) -> Option<Meant> {
    let seen = match app.ready.get().and_then(|ready| ready.providers.retriever.embedder()) {
        Some(embedder) => embedder.see(sentence).await,
        None => None,
    };
    Meaning::shipped().ok()?.read(sentence, seen.as_ref().map(Seen::to_read))
}

fn violations(set: &RuleSet, asked: &RuleCheckRequest, meant: Option<Meant>) -> Vec<Violation> {
    let mut shown = Known::default();
    asked.shown.iter().for_each(|text| shown.learn(text));
    let mut named = Known::default();
    named.learn_values(&asked.caller_words);
    let spoken = Spoken {
        caller_words: &asked.caller_words,
        is_first: asked.is_first,
        is_emergency: asked.is_emergency,
        shown: Some(&shown),
        caller: Some(&named),
        meant,
        ..Spoken::new(&asked.text, asked.language)
    };
    match asked.kind {
        Kind::Words => set.check_words(&spoken),
        Kind::Reply => set.check_reply(&spoken),
        Kind::Tool => set.check_tool(&ProposedTool {
            name: &asked.tool,
            language: asked.language,
            arguments: asked.arguments.as_ref(),
            involves_pii: asked.involves_pii,
            destination: asked.destination,
            stakes_level: asked.stakes_level,
            has_human_approval: asked.has_human_approval,
            is_decision: asked.is_decision,
            audit_entry_created: asked.audit_entry_created,
            has_recording_notice: asked.has_recording_notice,
            is_emergency: asked.is_emergency,
        }),
    }
}

fn told(violation: &Violation, language: Language) -> RuleViolation {
    let rule = &violation.rule;
    RuleViolation {
        rule_id: rule.id.clone(),
        rule_name: rule.name.clone(),
        category: rule.category,
        action: rule.action,
        tier: rule.tier,
        reason: violation.reason.clone(),
        citation: rule.citation.clone(),
        replacement: rule.replacement.as_ref().map(|phrasing| phrasing.of(language).to_owned()),
        drops_rest: rule.drops_rest,
        read_as: violation.meant.map(|(kind, _)| kind.name()),
        sure: violation.meant.map(|(_, sure)| sure / 10),
    }
}
