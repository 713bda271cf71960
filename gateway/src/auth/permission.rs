//! What each role may do, one type a permission, so that a route cannot forget to ask for one.

use storage::Role;

/// Something that a route needs.
pub trait Permission: Send + Sync + 'static {
    /// For the message of a refusal.
    const NAME: &'static str;
    fn allows(role: Role) -> bool;
}

macro_rules! permissions {
    ($($(#[$doc:meta])* $name:ident = $text:literal: $($role:ident)|+;)+) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name;

        impl Permission for $name {
            const NAME: &'static str = $text;

            fn allows(role: Role) -> bool {
                matches!(role, $(Role::$role)|+)
            }
        }
    )+

        /// Whom the permission of this name allows it to, as the API document and refusals name it.
        #[cfg(test)]
        pub fn by_name(name: &str) -> Option<fn(Role) -> bool> {
            [$(($text, <$name as Permission>::allows as fn(Role) -> bool)),+]
                .into_iter()
                .find(|(text, _)| *text == name)
                .map(|(_, allows)| allows)
        }
    };
}

permissions! {
    /// To know who one is.
    SeeSelf = "sign in": Clerk | Supervisor | AgentAdmin | TenantAdmin | Auditor | PlatformAdmin;
    /// Calls, transcripts, latencies, passports, work items, live events.
    ReadCalls = "read calls": Clerk | Supervisor | AgentAdmin | TenantAdmin | Auditor | PlatformAdmin;
    /// Hear a live call. Who listens, and from when to when, is on the audit.
    Listen = "listen to calls": Supervisor | TenantAdmin | PlatformAdmin;
    /// Hang up, whisper and take over.
    Act = "act on calls": Supervisor | TenantAdmin | PlatformAdmin;
    /// Take on what callers left to be done, and close it.
    WorkRequests = "work on requests": Clerk | Supervisor | TenantAdmin | PlatformAdmin;
    /// See one caller's number, name or address to serve them. Every look is on the audit.
    RevealPersonal = "see personal data of a request": Clerk | Supervisor | TenantAdmin | PlatformAdmin;
    /// What is remembered of callers, what was suggested, and why it was decided so.
    ReadMemory = "read memory of callers": Supervisor | AgentAdmin | TenantAdmin | Auditor | PlatformAdmin;
    /// Delete what is remembered of a caller who asks for it.
    ForgetCallers = "have callers forgotten": Supervisor | TenantAdmin | PlatformAdmin;
    /// Call a line from the browser.
    UsePhone = "use the browser phone": Supervisor | AgentAdmin | TenantAdmin | PlatformAdmin;
    ReadKnowledge = "search knowledge": Clerk | Supervisor | AgentAdmin | TenantAdmin | Auditor | PlatformAdmin;
    WriteKnowledge = "change knowledge": AgentAdmin | TenantAdmin | PlatformAdmin;
    ReadOrganisation = "read organisational memory": Supervisor | AgentAdmin | TenantAdmin | Auditor | PlatformAdmin;
    WriteOrganisation = "change organisational memory": AgentAdmin | TenantAdmin | PlatformAdmin;
    /// Have a text checked for personal data and for attacks on a model. Nothing of it is kept.
    CheckText = "have texts checked": Supervisor | AgentAdmin | TenantAdmin | Auditor | PlatformAdmin;
    /// Use tools that only read, over MCP.
    UseTools = "use tools": Supervisor | AgentAdmin | TenantAdmin | Auditor | PlatformAdmin;
    /// Use tools with an effect, over MCP.
    WriteTools = "use tools with an effect": Supervisor | AgentAdmin | TenantAdmin | PlatformAdmin;
    /// What may not be said or done, and whether something may.
    ReadRules = "read rules": Supervisor | AgentAdmin | TenantAdmin | Auditor | PlatformAdmin;
    /// Teams and their versions; have words tried.
    ReadTeams = "read teams": Supervisor | AgentAdmin | TenantAdmin | Auditor | PlatformAdmin;
    /// Change the tenant's teams.
    WriteTeams = "change teams": AgentAdmin | TenantAdmin | PlatformAdmin;
    /// Levels of autonomy, and why agents are on them.
    ReadAutonomy = "read levels of autonomy": TenantAdmin | Auditor | PlatformAdmin;
    /// Users and tokens of a tenant.
    ManageTenant = "manage users and tokens": TenantAdmin | PlatformAdmin;
    /// Tenants, and users and tokens of the platform.
    ManagePlatform = "manage the platform": PlatformAdmin;
    /// The audit: who did what.
    ReadAudit = "read the audit": TenantAdmin | Auditor | PlatformAdmin;
    /// What callers said, as they said it. Every read is on the audit.
    ReadRaw = "read raw text": TenantAdmin | Auditor | PlatformAdmin;
    /// Play recordings of calls and take them out. Every time is on the audit.
    PlayRecordings = "play recordings": Supervisor | TenantAdmin | Auditor | PlatformAdmin;
    /// Delete them, unless a legal hold is on the call.
    DeleteRecordings = "delete recordings": TenantAdmin | PlatformAdmin;
    /// Take raw journals of calls.
    Record = "record calls": PlatformAdmin;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_auditor_reads_and_never_acts() {
        assert!(ReadCalls::allows(Role::Auditor) && ReadKnowledge::allows(Role::Auditor));
        assert!(
            !Act::allows(Role::Auditor) && !Listen::allows(Role::Auditor) && !UsePhone::allows(Role::Auditor)
        );
        assert!(
            !WriteKnowledge::allows(Role::Auditor)
                && !WriteTools::allows(Role::Auditor)
                && !ManageTenant::allows(Role::Auditor)
        );
    }

    #[test]
    fn a_clerk_works_on_requests_and_leaves_live_calls_alone() {
        assert!(WorkRequests::allows(Role::Clerk) && RevealPersonal::allows(Role::Clerk));
        assert!(
            !Act::allows(Role::Clerk) && !ReadAudit::allows(Role::Clerk) && !ReadMemory::allows(Role::Clerk)
        );
        for role in [Role::Auditor, Role::AgentAdmin] {
            assert!(!WorkRequests::allows(role) && !RevealPersonal::allows(role));
        }
    }

    #[test]
    fn raw_text_and_the_audit_are_not_for_everyone() {
        for role in [Role::Supervisor, Role::AgentAdmin] {
            assert!(!ReadRaw::allows(role) && !ReadAudit::allows(role));
        }
        assert!(ReadAudit::allows(Role::Auditor) && ReadRaw::allows(Role::TenantAdmin));
    }

    #[test]
    fn raw_journals_are_for_the_platform_admin_alone() {
        for role in [Role::Supervisor, Role::AgentAdmin, Role::TenantAdmin, Role::Auditor] {
            assert!(!Record::allows(role));
        }
        assert!(Record::allows(Role::PlatformAdmin));
    }
}
