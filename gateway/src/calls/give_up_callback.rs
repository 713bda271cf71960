//! The call-back that is owed when we have to give up on a caller.
//!
//! It is filed before its line in the call's record is acknowledged, and the promise is spoken only after that: nobody
//! is told that they will be called who will not be.

use serde_json::json;
use storage::records::{NewWorkItem, Priority, WorkKind};
use storage::zones::CallerNumber;
use storage::{CallId, PassportId, StorageError, TenantStore, WorkItems};

use super::crash_cleanup;

/// Whom to call back, and for which call. Holds the caller's number, so it does not print itself.
#[derive(Clone)]
pub struct CallBack {
    store: TenantStore,
    call: CallId,
    passport: PassportId,
    line: String,
    caller: Option<CallerNumber>,
}

impl std::fmt::Debug for CallBack {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CallBack").field("call", &self.call).finish_non_exhaustive()
    }
}

impl CallBack {
    #[must_use]
    pub fn new(
        store: TenantStore,
        call: CallId,
        passport: PassportId,
        line: &str,
        caller: Option<CallerNumber>,
    ) -> Self {
        Self { store, call, passport, line: line.to_owned(), caller }
    }

    /// There is a number that can be dialled.
    #[must_use]
    pub const fn is_possible(&self) -> bool {
        self.caller.is_some()
    }

    /// Files the call-back; once a call, however often it is asked for, and not where somebody is to call them anyway.
    pub async fn file(&self) -> Result<(), StorageError> {
        if crash_cleanup::is_called_back(&self.store, self.call).await? {
            return Ok(());
        }
        let number = self.caller.as_ref().map(CallerNumber::as_str);
        let item = NewWorkItem {
            kind: WorkKind::Callback,
            idempotency_key: format!("{}/owed", self.call),
            reference: None,
            call_id: Some(self.call),
            passport_id: Some(self.passport),
            priority: Priority::High,
            caller: number.map(str::to_owned),
            fields: json!({
                "reason": "The call ended by a fault on our side. The caller was promised a call-back.",
                "phone": number,
                "line": self.line,
            }),
        };
        let filed = self.store.file_work_item(item).await?;
        tracing::warn!(call_id = %self.call, reference = %filed.reference, "a call-back is owed");
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use storage::records::WorkFilter;
    use storage::{NewTenant, Platform, PlatformOptions};

    use super::*;

    #[tokio::test]
    async fn a_call_back_is_filed_once_with_the_number_to_dial() {
        let dir = tempfile::tempdir().unwrap();
        let platform = Platform::open(PlatformOptions::new(dir.path())).await.unwrap();
        let new = NewTenant { slug: "a".into(), name: "A".into(), timezone: "UTC".into() };
        let store = platform.tenant(platform.create_tenant(new).await.unwrap().id).await.unwrap();
        let of = |from: &str| {
            let caller = CallerNumber::of(from);
            CallBack::new(store.clone(), CallId::new(), PassportId::new(), "+12025550100", caller)
        };
        for withheld in ["", "anonymous", "+266696687", "+7378742833", "sip:anonymous@anonymous.invalid"] {
            assert!(!of(withheld).is_possible(), "{withheld}");
        }
        let owed = of("(202) 555-0143");
        owed.file().await.unwrap();
        owed.file().await.unwrap();
        let items = store.list_work_items(WorkFilter::default()).await.unwrap();
        assert_eq!(items.len(), 1);
        assert_eq!((items[0].kind, &items[0].fields["phone"]), (WorkKind::Callback, &json!("+12025550143")));
    }
}
