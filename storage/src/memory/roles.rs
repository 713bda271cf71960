//! Who may do what with memory, as a table. An agent that is not listed has no customer memory.

use crate::records::word_enum;

word_enum! {
    /// The layer that an agent belongs to.
    MemoryRole {
        Manager = "memory_manager",
        Orchestrator = "orchestrator",
        Specialist = "specialist",
        /// Writes code, deploys, moves files, migrates: what it learnt wrongly it would act on.
        Without = "without_memory",
    }
}

word_enum! {
    MemoryTable {
        Contacts = "contacts",
        Memories = "memories",
        Interactions = "interactions",
        Suggestions = "memory_suggestions",
        Playbook = "playbook_updates",
        Events = "event_log",
        Notes = "agent_notes",
    }
}

word_enum! {
    MemoryAct { Read = "read", Append = "append", Write = "write" }
}

impl MemoryTable {
    pub const ALL: [Self; 7] = [
        Self::Contacts,
        Self::Memories,
        Self::Interactions,
        Self::Suggestions,
        Self::Playbook,
        Self::Events,
        Self::Notes,
    ];
}

impl MemoryRole {
    pub const ALL: [Self; 4] = [Self::Manager, Self::Orchestrator, Self::Specialist, Self::Without];

    /// Whether this layer may do this.
    #[must_use]
    pub const fn may(self, act: MemoryAct, table: MemoryTable) -> bool {
        use MemoryAct::{Append, Read, Write};
        use MemoryTable::{Contacts, Events, Interactions, Memories, Notes, Playbook, Suggestions};
        match (act, table) {
            (Write, Contacts | Memories) => matches!(self, Self::Manager),
            (Write, _) => false,
            (Append, Interactions | Events) => true,
            (Append, Suggestions | Playbook | Notes) => matches!(self, Self::Specialist),
            (Append, Contacts | Memories) => false,
            (Read, _) => !matches!(self, Self::Without),
        }
    }
}

/// The agents there are. Others have no customer memory.
pub const AGENTS: [(&str, MemoryRole); 19] = [
    ("memory_manager", MemoryRole::Manager),
    ("orchestrator", MemoryRole::Orchestrator),
    ("sarah_dispatcher", MemoryRole::Orchestrator),
    ("front_desk", MemoryRole::Orchestrator),
    ("gateway", MemoryRole::Orchestrator),
    ("memory_extractor", MemoryRole::Specialist),
    ("optimizer", MemoryRole::Specialist),
    ("spartan_responder", MemoryRole::Specialist),
    ("social_siege", MemoryRole::Specialist),
    ("outreach_scaler", MemoryRole::Specialist),
    ("hiring_captain", MemoryRole::Specialist),
    ("research_agent", MemoryRole::Specialist),
    ("followup_generator", MemoryRole::Specialist),
    ("coder", MemoryRole::Without),
    ("executor", MemoryRole::Without),
    ("code_writer", MemoryRole::Without),
    ("deployment", MemoryRole::Without),
    ("file_system", MemoryRole::Without),
    ("database_migration", MemoryRole::Without),
];

/// The layer of an agent.
#[must_use]
pub fn role_of(agent_id: &str) -> MemoryRole {
    let known = AGENTS.iter().find(|(name, _)| *name == agent_id);
    known.map_or(MemoryRole::Without, |(_, role)| *role)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tables(role: MemoryRole, act: MemoryAct) -> Vec<&'static str> {
        MemoryTable::ALL.into_iter().filter(|t| role.may(act, *t)).map(MemoryTable::as_str).collect()
    }

    #[test]
    fn only_the_manager_writes_and_only_what_is_canonical() {
        for role in MemoryRole::ALL {
            let expected: &[&str] = if role == MemoryRole::Manager { &["contacts", "memories"] } else { &[] };
            assert_eq!(tables(role, MemoryAct::Write), expected, "{role}");
        }
    }

    #[test]
    fn every_agent_logs_and_specialists_suggest() {
        for role in [MemoryRole::Manager, MemoryRole::Orchestrator, MemoryRole::Without] {
            assert_eq!(tables(role, MemoryAct::Append), ["interactions", "event_log"], "{role}");
        }
        assert_eq!(
            tables(MemoryRole::Specialist, MemoryAct::Append),
            ["interactions", "memory_suggestions", "playbook_updates", "event_log", "agent_notes"]
        );
    }

    #[test]
    fn whoever_is_not_listed_and_whoever_writes_code_reads_nothing() {
        for agent in
            ["coder", "deployment", "file_system", "database_migration", "", "Orchestrator", "new_one"]
        {
            assert_eq!(role_of(agent), MemoryRole::Without, "{agent}");
        }
        assert!(tables(MemoryRole::Without, MemoryAct::Read).is_empty());
        assert_eq!(tables(role_of("front_desk"), MemoryAct::Read).len(), MemoryTable::ALL.len());
    }
}
