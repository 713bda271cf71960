//! All servers outside, and what of them one tenant's desk may use.

use std::sync::Arc;

use serde_json::Value;
use uuid::Uuid;

use super::{MAX_TEXT, Remote, Said, Settings};
use crate::tools::Asked;
use crate::tools::registry::Registered;
use crate::tools::ruling::proposed;
use governance::pii::Redactor;
use governance::rules::{ProposedTool, RuleAction, RuleSet};
use models::conversation::{ToolCall, ToolSpec};

/// Destination in the outbox of a server's tools goes on with its name.
pub const DESTINATION: &str = "mcp:";

/// A server, and the tenants that it is for; none named: all.
type Served = (Arc<Remote>, Option<Vec<Uuid>>);

/// Every server of the configuration.
#[derive(Clone, Debug, Default)]
pub struct Outside {
    servers: Arc<[Served]>,
}

/// A tool outside as a call is offered it.
#[derive(Clone, Debug)]
pub struct Offered {
    /// Name that a model is told: providers take no dots.
    pub shown: Arc<str>,
    pub remote: Arc<Remote>,
    pub known: Arc<Registered>,
}

impl Outside {
    /// Servers with the tenants that may use them; `tenant` finds one by its slug.
    ///
    /// # Errors
    /// What is wrong with a server's settings, and whose.
    pub fn new(servers: Vec<Settings>, tenant: impl Fn(&str) -> Option<Uuid>) -> Result<Self, String> {
        let servers = servers.into_iter().map(|settings| {
            let slugs = settings.tenants.clone();
            let tenants = slugs.map(|slugs| slugs.iter().filter_map(|slug| tenant(slug)).collect());
            let name = settings.name.clone();
            let remote = Remote::new(settings).map_err(|problem| format!("mcp server {name}: {problem}"))?;
            Ok((Arc::new(remote), tenants))
        });
        Ok(Self { servers: servers.collect::<Result<Vec<_>, String>>()?.into() })
    }

    pub fn servers(&self) -> impl Iterator<Item = &Arc<Remote>> {
        self.servers.iter().map(|(remote, _)| remote)
    }

    /// Servers that a tenant may use.
    pub fn of_tenant(&self, tenant: Uuid) -> impl Iterator<Item = &Arc<Remote>> {
        let theirs =
            move |tenants: &Option<Vec<Uuid>>| tenants.as_ref().is_none_or(|all| all.contains(&tenant));
        self.servers.iter().filter(move |(_, tenants)| theirs(tenants)).map(|(remote, _)| remote)
    }

    /// What a tenant's calls are offered now. A call keeps its list to its end.
    pub fn offered(&self, tenant: Uuid) -> Arc<[Offered]> {
        let of = |remote: &Arc<Remote>| {
            let tools: Vec<Offered> = remote
                .tools()
                .iter()
                .map(|known| Offered {
                    shown: shown(&known.tool.name).into(),
                    remote: remote.clone(),
                    known: known.clone(),
                })
                .collect();
            tools
        };
        let mut all: Vec<Offered> = self.of_tenant(tenant).flat_map(of).collect();
        all.retain(|offered| offered.shown.len() <= 64);
        all.into()
    }
}

/// The name that a model is told of a tool: providers take no dots. The rules know it by this name too.
fn shown(tool: &str) -> String {
    tool.replacen('.', "__", 1).replace('.', "_")
}

/// Whether a rule blocks an effect that was allowed when it was asked for: it may be younger, and nobody's approval lifts it.
#[must_use]
pub fn is_blocked(rules: &RuleSet, tool: &str, input: &Value) -> bool {
    let call = ToolCall { id: String::new(), name: shown(tool), input: input.clone() };
    let tool = ProposedTool { has_human_approval: true, ..proposed(&call, &Asked::Outside) };
    rules.check_tool(&tool).iter().any(|violation| violation.rule.action == RuleAction::Block)
}

impl Offered {
    pub fn spec(&self) -> ToolSpec {
        let tool = &self.known.tool;
        ToolSpec {
            name: self.shown.clone(),
            description: tool.description.as_str().into(),
            input: tool.input_schema.clone(),
        }
    }

    /// What is sent: personal data as itself where the server may have it.
    ///
    /// # Errors
    /// There is personal data in it, and it may not leave.
    pub fn sent(&self, input: &Value, redactor: &Redactor) -> Result<Value, String> {
        let revealed = revealed(input, redactor);
        if revealed != *input && !self.remote.settings.personal_data {
            return Err("This tool may be given no personal data. Leave it out, or ask for something else."
                .to_owned());
        }
        Ok(revealed)
    }
}

fn revealed(input: &Value, redactor: &Redactor) -> Value {
    match input {
        Value::String(text) => Value::String(redactor.reveal(text)),
        Value::Array(all) => Value::Array(all.iter().map(|value| revealed(value, redactor)).collect()),
        Value::Object(fields) => Value::Object(
            fields.iter().map(|(name, value)| (name.clone(), revealed(value, redactor))).collect(),
        ),
        other => other.clone(),
    }
}

/// What of an answer is told when there is no text in it: the structured part.
pub fn words(said: &Said) -> String {
    match &said.structured {
        Some(structured) if said.text.trim().is_empty() => {
            structured.to_string().chars().take(MAX_TEXT).collect()
        }
        _ => said.text.clone(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use language::Screen;
    use serde_json::json;

    use super::*;
    use crate::tools::registry::Effect;

    fn settings(tenants: Option<Vec<String>>, personal_data: bool) -> Settings {
        Settings {
            name: "permits".into(),
            url: "http://127.0.0.1:9/mcp".into(),
            headers: Vec::new(),
            allow: vec!["find".into()],
            tenants,
            effect: Effect::Read,
            autonomy: 1,
            time_limit_ms: 1_000,
            personal_data,
        }
    }

    #[test]
    fn a_server_is_for_the_tenants_that_are_named() {
        let river = Uuid::from_u128(1);
        let find = |slug: &str| (slug == "river").then_some(river);
        let named = vec![settings(Some(vec!["river".into(), "gone".into()]), false)];
        let outside = Outside::new(named, find).unwrap();
        assert_eq!(outside.of_tenant(river).count(), 1);
        assert_eq!(outside.of_tenant(Uuid::from_u128(2)).count(), 0);
        let all = Outside::new(vec![settings(None, false)], find).unwrap();
        assert_eq!(all.of_tenant(Uuid::from_u128(2)).count(), 1);
        let bad = Settings { headers: vec![("no name".into(), "x".into())], ..settings(None, false) };
        assert!(Outside::new(vec![bad], find).unwrap_err().contains("permits"));
    }

    #[test]
    fn personal_data_leaves_only_where_the_configuration_says_so() {
        let mut redactor = Redactor::default();
        redactor.screen("202-555-0143");
        let schema = json!({ "type": "object" });
        let listed = json!({ "name": "find", "description": "Finds a permit.", "inputSchema": schema });
        let offered = |personal_data| {
            let settings = settings(None, personal_data);
            let known = Arc::new(super::super::vet::vet(&listed, &settings).unwrap());
            Offered { shown: "permits__find".into(), remote: Arc::new(Remote::new(settings).unwrap()), known }
        };
        let input = json!({ "who": [{ "phone": "⟨phone:1⟩" }] });
        assert!(offered(false).sent(&input, &redactor).is_err());
        assert_eq!(offered(false).sent(&json!({ "n": "P-7" }), &redactor), Ok(json!({ "n": "P-7" })));
        let sent = offered(true).sent(&input, &redactor).unwrap();
        assert!(sent["who"][0]["phone"].as_str().unwrap().contains("2025550143"), "{sent}");
    }
}
