//! How much the front desk's agents may do alone: what their records have earned, and never more than the team's file
//! and the operator allow.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use storage::{Reviews, TenantStore};
use tokio::sync::OnceCell;
use tokio::time::timeout;

use crate::department::teams_of;
use crate::hub::component;
use crate::teams::{FRONT_DESK, Teams};
use crate::tools::registry::Policy;

/// The level of an agent without a record.
const FIRST: u8 = 1;
/// How long a tool waits for what was begun with its call.
const PATIENCE: Duration = Duration::from_secs(1);

/// `most` with each tool at the level of the specialist that has it, as it is now. A tool of no specialist's, such as
/// one of a server outside, is at the level of the desk as a whole.
pub async fn measured(store: &TenantStore, most: Policy) -> Policy {
    let levels: BTreeMap<String, u8> = match store.autonomy_levels().await {
        Ok(levels) => levels.into_iter().map(|of| (of.agent_id, of.level)).collect(),
        Err(error) => {
            tracing::warn!(%error, "levels of autonomy could not be read: agents have the first");
            BTreeMap::new()
        }
    };
    // Without its file the team allows nothing.
    let teams = teams_of(store).await;
    let Some(desk) = teams.as_deref().and_then(|teams| teams.team(FRONT_DESK)) else {
        return most.measured(BTreeMap::new(), FIRST);
    };
    let level = |agent: &str, allowed: u8| levels.get(agent).map_or(FIRST, |level| *level).min(allowed);
    let mut of_tools = BTreeMap::new();
    for specialist in &desk.specialists {
        let of_agent = level(&component(FRONT_DESK, &specialist.id), specialist.autonomy.min(desk.autonomy));
        for tool in &specialist.tools {
            // Of several who have it, the first is whom its use is on record under.
            of_tools.entry(tool.clone()).or_insert(of_agent);
        }
    }
    most.measured(of_tools, level(FRONT_DESK, desk.autonomy))
}

/// `teams`: of the tenant. The most that the file of its team lets an agent do alone, by its name: `front_desk`, `front_desk/intake`. `None` for
/// whoever is of no team.
#[must_use]
pub fn most_of(teams: &Teams, agent_id: &str) -> Option<u8> {
    let (team, agent) =
        agent_id.split_once('/').map_or((agent_id, None), |(team, agent)| (team, Some(agent)));
    let team = teams.team(team)?;
    let Some(agent) = agent else { return Some(team.autonomy) };
    let specialist = team.specialists.iter().find(|specialist| specialist.id == agent)?;
    Some(specialist.autonomy.min(team.autonomy))
}

/// What the agents may do alone on one call: read once, when it begins, and beside it.
#[derive(Clone, Debug)]
pub struct Authority {
    store: TenantStore,
    most: Policy,
    read: Arc<OnceCell<Policy>>,
}

impl Authority {
    pub fn new(store: TenantStore, most: Policy) -> Self {
        Self { store, most, read: Arc::default() }
    }

    /// Begins to read: the greeting does not wait for it, and the first tool hardly will.
    pub fn warm(&self) {
        let own = self.clone();
        tokio::spawn(async move {
            own.reading().await;
        });
    }

    /// What holds for this call. A database that does not answer leaves the first level: a caller does not wait for it.
    pub async fn policy(&self) -> Policy {
        match timeout(PATIENCE, self.reading()).await {
            Ok(policy) => policy.clone(),
            Err(_) => self.most.clone().measured(BTreeMap::new(), FIRST),
        }
    }

    async fn reading(&self) -> &Policy {
        self.read.get_or_init(|| measured(&self.store, self.most.clone())).await
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use chrono::Utc;
    use serde_json::json;
    use storage::records::NewPassport;
    use storage::review_records::{AutonomyChange, NewReview};
    use storage::{NewTenant, PassportId, Passports, Platform, PlatformOptions};
    use uuid::Uuid;

    use super::*;
    use crate::tools::registry::{AuditLevel, Effect, Registered, Tool};

    fn tool(name: &str, least: u8) -> Registered {
        let object = json!({ "type": "object", "properties": {}, "additionalProperties": false });
        Registered::new(Tool {
            name: name.to_owned(),
            description: "Does something.".to_owned(),
            input_schema: object,
            output_schema: None,
            effect: Effect::Write,
            requires_sandbox: false,
            max_execution_time_ms: 1_000,
            allowed_autonomy_levels: (least..=5).collect(),
            audit_level: AuditLevel::Full,
            idempotent: true,
            needs_call: false,
        })
        .unwrap()
    }

    /// A review after which this agent is on that level.
    async fn moves(store: &TenantStore, agent: &str, to_level: u8) {
        let id = PassportId::new();
        let new = NewPassport {
            id,
            team_id: FRONT_DESK.into(),
            status: "completed".into(),
            call_id: None,
            document: json!({}),
        };
        store.create_passport(new).await.unwrap();
        let change = AutonomyChange {
            id: Uuid::now_v7(),
            agent_id: agent.to_owned(),
            from_level: 1,
            to_level,
            reason: "measured".to_owned(),
            changed_at: Utc::now(),
        };
        let review = NewReview {
            passport: id,
            success: true,
            verdict: None,
            effectiveness: 1.0,
            reviewed_at: Utc::now(),
            document: json!({}),
            change: None,
            outcomes: Vec::new(),
            autonomy: vec![change],
        };
        assert!(store.file_review(review).await.unwrap());
    }

    #[tokio::test]
    async fn a_tool_is_at_the_measured_level_of_its_agent_and_never_above_what_the_file_or_the_operator_allow()
     {
        let dir = tempfile::tempdir().unwrap();
        let platform = Platform::open(PlatformOptions::new(dir.path())).await.unwrap();
        let new = NewTenant { slug: "river".into(), name: "River".into(), timezone: "UTC".into() };
        let tenant = platform.create_tenant(new).await.unwrap();
        let store = platform.tenant(tenant.id).await.unwrap();
        let may = async |most: u8, name: &str, least: u8| {
            let policy = measured(&store, Policy::new(most, [])).await;
            policy.permit(&tool(name, least)).is_ok()
        };
        assert!(may(5, "take_message", 1).await);
        assert!(!may(5, "take_message", 2).await, "nobody has a record yet");

        moves(&store, "front_desk/intake", 4).await;
        assert!(may(5, "take_message", 2).await && may(5, "file_report", 2).await);
        assert!(!may(5, "take_message", 3).await, "the file allows intake 2");
        assert!(!may(1, "take_message", 2).await, "the operator allows 1");
        assert!(!may(5, "book_inspection", 2).await, "scheduling has a record of its own");

        moves(&store, "front_desk", 5).await;
        assert!(may(5, "permits.file", 3).await);
        assert!(!may(5, "permits.file", 4).await, "the file allows the desk 3");
        moves(&store, "front_desk", 1).await;
        assert!(!may(5, "permits.file", 2).await, "demoted");

        let call = Authority::new(store.clone(), Policy::new(5, []));
        assert!(call.policy().await.permit(&tool("take_message", 2)).is_ok());
        moves(&store, "front_desk/intake", 1).await;
        assert!(call.policy().await.permit(&tool("take_message", 2)).is_ok(), "read once a call");
    }
}
