//! A tenant's TOML file: shown, checked, applied.

use std::fs;
use std::io::{IsTerminal, Write, stdin, stdout};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use axum::http::Method;
use serde_json::{Value, json};

use super::super::client::Api;
use crate::api::tenant_config::{Applied, Checked};
use crate::tenant_config::read::{Fault, Reading};
use crate::tenant_config::{TenantConfig, check as rules, read as reader};

/// A file that was read and is sound in itself.
#[derive(Debug)]
pub struct File {
    path: PathBuf,
    reading: Reading,
}

/// Reads a file; an error lists everything that is wrong with it.
pub fn read(path: &Path) -> anyhow::Result<File> {
    let text = fs::read_to_string(path).with_context(|| format!("{} cannot be read", path.display()))?;
    let mut reading = reader::toml(&text);
    if reading.faults.is_empty() {
        reading.faults = rules::check(&reading.config);
        if reading.config.slug.is_empty() {
            reading.faults.push(Fault::new("slug", "is missing: it says which tenant the file is of"));
        }
    }
    let file = File { path: path.to_owned(), reading };
    file.sound(&file.reading.faults)?;
    Ok(file)
}

impl File {
    fn sound(&self, faults: &[Fault]) -> anyhow::Result<()> {
        if faults.is_empty() {
            return Ok(());
        }
        let mut faults = faults.to_vec();
        self.reading.place(&mut faults);
        let told = faults.iter().map(|fault| {
            let line = fault.line.map(|line| format!("{line}:")).unwrap_or_default();
            let key = if fault.key.is_empty() { String::new() } else { format!("{} ", fault.key) };
            format!("{}:{line} {key}{}", self.path.display(), fault.message)
        });
        bail!("{}", told.collect::<Vec<_>>().join("\n"))
    }
}

/// A tenant as a file.
pub async fn shown(api: &Api, tenant: &str) -> anyhow::Result<String> {
    let config: TenantConfig = serde_json::from_value(api.send(Method::GET, &path(tenant), None).await?)?;
    Ok(config.to_toml()?)
}

fn path(tenant: &str) -> String {
    format!("/v1/tenants/{tenant}/config")
}

/// Says what would change; `None`: there is no such tenant yet.
pub async fn check(api: &Api, file: &File) -> anyhow::Result<Option<Vec<String>>> {
    let config = &file.reading.config;
    let listed = api.send(Method::GET, "/v1/tenants", None).await?;
    let tenants = listed["items"].as_array().map(Vec::as_slice).unwrap_or_default();
    if !tenants.iter().any(|tenant| tenant["slug"] == config.slug.as_str()) {
        let lines: Vec<&str> = config.lines.iter().map(|line| line.number.as_str()).collect();
        println!("{} ({}) is new; lines: {}", config.name, config.slug, lines.join(" "));
        return Ok(None);
    }
    let asked = format!("{}/check", path(&config.slug));
    let checked: Checked =
        serde_json::from_value(api.send(Method::POST, &asked, Some(json!(config))).await?)?;
    file.sound(&checked.faults)?;
    for change in &checked.changes {
        println!("{change}");
    }
    if checked.changes.is_empty() {
        println!("{} is as the file says", config.slug);
    }
    Ok(Some(checked.changes))
}

/// Shows what would change, asks, and does it.
pub async fn apply(api: &Api, file: &File, yes: bool) -> anyhow::Result<()> {
    let changes = check(api, file).await?;
    if changes.as_ref().is_some_and(Vec::is_empty) {
        return Ok(());
    }
    if !yes && !agreed()? {
        bail!("nothing was changed");
    }
    let config = &file.reading.config;
    if changes.is_none() {
        api.send(Method::POST, "/v1/tenants", Some(new_tenant(config))).await?;
    }
    put(api, config).await?;
    println!("{} is as the file says from the next call on", config.slug);
    Ok(())
}

/// What makes the tenant itself; everything else is put.
pub fn new_tenant(config: &TenantConfig) -> Value {
    // With its first line: where that is another's, no tenant is made.
    let line = config.lines.first().map(|line| &line.number);
    json!({ "slug": config.slug, "name": config.name, "timezone": config.zone(), "line": line })
}

/// Puts a document.
pub async fn put(api: &Api, config: &TenantConfig) -> anyhow::Result<Applied> {
    Ok(serde_json::from_value(api.send(Method::PUT, &path(&config.slug), Some(json!(config))).await?)?)
}

/// Whether whoever is at the terminal says yes.
pub fn agreed() -> anyhow::Result<bool> {
    if !stdin().is_terminal() {
        bail!("nobody is there to be asked: give --yes");
    }
    print!("Apply this? [y/N] ");
    stdout().flush()?;
    let mut answer = String::new();
    stdin().read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}
