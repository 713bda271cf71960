//! The versions of a tenant's document.

use anyhow::bail;
use axum::http::Method;
use serde_json::Value;

use super::super::client::Api;
use super::file::agreed;
use crate::api::tenant_config::Applied;
use crate::api::tenant_versions::VersionItem;

/// Prints every version, the newest first.
pub async fn list(api: &Api, tenant: &str) -> anyhow::Result<()> {
    let path = format!("/v1/tenants/{tenant}/config/versions?limit=200");
    let listed = api.send(Method::GET, &path, None).await?;
    print_versions(listed["items"].clone())
}

/// Prints versions as a route lists them.
pub fn print_versions(items: Value) -> anyhow::Result<()> {
    let items: Vec<VersionItem> = serde_json::from_value(items)?;
    if items.is_empty() {
        println!("nothing was changed yet");
    }
    for VersionItem { number, made_at, actor, changes, .. } in items {
        println!("{number:>4}  {}  {actor}", made_at.format("%Y-%m-%d %H:%M UTC"));
        changes.iter().for_each(|change| println!("      {change}"));
    }
    Ok(())
}

/// Shows what going back would change, asks, and does it.
pub async fn roll_back(api: &Api, tenant: &str, version: u32, yes: bool) -> anyhow::Result<()> {
    let path = format!("/v1/tenants/{tenant}/config/versions/{version}");
    let found = api.send(Method::GET, &path, None).await?;
    let changes = found["differences"].as_array().map(Vec::as_slice).unwrap_or_default();
    if changes.is_empty() {
        println!("{tenant} is as version {version} says");
        return Ok(());
    }
    changes.iter().filter_map(Value::as_str).for_each(|change| println!("{change}"));
    if !yes && !agreed()? {
        bail!("nothing was changed");
    }
    let answer = api.send(Method::POST, &format!("{path}/rollback"), None).await?;
    let applied: Applied = serde_json::from_value(answer)?;
    let kept_as = applied.kept_as.unwrap_or(version);
    println!("{tenant} is as version {version} says from the next call on; kept as version {kept_as}");
    Ok(())
}
