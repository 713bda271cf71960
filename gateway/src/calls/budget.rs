//! What calls may cost: the operator's caps, and a tenant's own in their place.
//!
//! A day is a day in UTC, as on providers' bills. A call counts for the day on which it began.

use chrono::{DateTime, NaiveTime, Utc};
use serde::{Deserialize, Serialize};
use storage::{Calls, Settings, StorageError, TenantStore};

use crate::config::Budget;
use crate::config::budget::micros;

/// Setting under which a tenant's own caps are kept.
pub const SETTING: &str = "budget";

/// A tenant's own caps, US dollars; absent: the operator's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TenantBudget {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_usd: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant_day_usd: Option<f64>,
}

impl TenantBudget {
    /// The caps that hold: the tenant's own, else the operator's.
    #[must_use]
    pub fn over(self, operators: Budget) -> Budget {
        Budget {
            call_micros: self.call_usd.and_then(micros).or(operators.call_micros),
            tenant_day_micros: self.tenant_day_usd.and_then(micros).or(operators.tenant_day_micros),
        }
    }
}

/// The tenant's own caps, as they are kept.
pub async fn own(store: &TenantStore) -> Result<TenantBudget, StorageError> {
    let Some(kept) = store.setting(SETTING).await? else { return Ok(TenantBudget::default()) };
    Ok(serde_json::from_value(kept).unwrap_or_else(|_| {
        tracing::error!(tenant = %store.id(), "the budget of a tenant has another shape than expected: not used");
        TenantBudget::default()
    }))
}

/// Midnight, from which a day's spend is counted.
#[must_use]
pub fn day_began(now: DateTime<Utc>) -> DateTime<Utc> {
    now.with_time(NaiveTime::MIN).single().unwrap_or(now)
}

/// What a call that begins now may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allowance {
    /// This much, millionths of a US dollar; `None`: no cap.
    Call(Option<u64>),
    /// Nothing: the day's budget is spent.
    Spent,
}

/// Asks the books. Where they do not answer, the call is served: a caller is worth more than a cap.
pub async fn allowance(operators: Budget, store: &TenantStore) -> Allowance {
    look_up(operators, store).await.unwrap_or_else(|error| {
        tracing::error!(%error, "a tenant's budget could not be read: the call is served under the operator's cap");
        Allowance::Call(operators.call_micros)
    })
}

async fn look_up(operators: Budget, store: &TenantStore) -> Result<Allowance, StorageError> {
    let budget = own(store).await?.over(operators);
    if let Some(most) = budget.tenant_day_micros
        && store.spent_since(day_began(Utc::now())).await? >= most
    {
        return Ok(Allowance::Spent);
    }
    Ok(Allowance::Call(budget.call_micros))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tenants_own_cap_stands_in_for_the_operators() {
        let operators = Budget { call_micros: Some(1_000_000), tenant_day_micros: None };
        let own = TenantBudget { call_usd: Some(0.25), tenant_day_usd: Some(10.0) };
        let caps = own.over(operators);
        assert_eq!((caps.call_micros, caps.tenant_day_micros), (Some(250_000), Some(10_000_000)));
        assert_eq!(TenantBudget::default().over(operators), operators);
    }

    #[test]
    fn a_day_begins_at_midnight_utc() {
        let now: DateTime<Utc> = "2026-11-22T03:27:45.5Z".parse().unwrap();
        assert_eq!(day_began(now).to_rfc3339(), "2026-11-22T00:00:00+00:00");
    }
}
