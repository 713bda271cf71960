//! `quandura import-docs`.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use base64::Engine as _;
use knowledge::read::{KINDS, extension_kind, is_packed};
use reqwest::Client;
use secrecy::{ExposeSecret, SecretString};
use serde_json::{Value, json};

use super::args;
use super::client::{base_url, http, token};
use crate::auth::scope::TENANT_HEADER;
use crate::config::Config;

/// Posts every document to a running gateway, which embeds and keeps it.
pub async fn run(config: &Config, args: args::ImportDocs) -> anyhow::Result<()> {
    let base = base_url(config, args.target.url.as_deref())?;
    let Some(token) = token(config, &base) else {
        bail!(
            "no gateway runs on this data folder: start one with `quandura serve`, or give --url and ADMIN_TOKEN"
        )
    };
    let http = http()?;
    if args.tenant.is_none() {
        only_tenant(&http, &base, &token).await?;
    }
    let mut files = Vec::new();
    for path in &args.paths {
        collect(path, &mut files)?;
    }
    if files.is_empty() {
        let known: Vec<&str> = KINDS.iter().map(|(extension, _)| *extension).collect();
        bail!("no file was found there that ends in one of: {}", known.join(", "));
    }
    for file in &files {
        put(&http, &base, &token, args.tenant.as_deref(), file).await?;
        println!("{}", file.display());
    }
    eprintln!("{} documents imported", files.len());
    Ok(())
}

/// Documents without a tenant's name go to the only one there is; among several nobody guesses.
async fn only_tenant(http: &Client, base: &str, token: &SecretString) -> anyhow::Result<()> {
    let asked = http.get(format!("{base}/v1/tenants")).bearer_auth(token.expose_secret());
    let answer = asked.send().await;
    let answer =
        answer.with_context(|| format!("{base} does not answer: start the gateway with `quandura serve`"))?;
    // A token of one tenant may not list them, and needs no name.
    if !answer.status().is_success() {
        return Ok(());
    }
    let answer: Value = answer.json().await.unwrap_or_default();
    let tenants = answer["items"].as_array().map(Vec::as_slice).unwrap_or_default();
    let slugs: Vec<&str> = tenants.iter().filter_map(|tenant| tenant["slug"].as_str()).collect();
    if slugs.len() > 1 {
        bail!(
            "there are several tenants: say whose documents these are with --tenant ({})",
            slugs.join(", ")
        );
    }
    Ok(())
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    let kind = fs::metadata(path).with_context(|| format!("{} cannot be read", path.display()))?;
    if !kind.is_dir() {
        if media_type(path).is_some() {
            files.push(path.to_owned());
        }
        return Ok(());
    }
    let mut entries =
        fs::read_dir(path)?.map(|entry| entry.map(|e| e.path())).collect::<Result<Vec<_>, _>>()?;
    entries.sort();
    entries.iter().try_for_each(|entry| collect(entry, files))
}

fn media_type(path: &Path) -> Option<&'static str> {
    extension_kind(path.extension()?.to_str()?)
}

async fn put(
    http: &Client,
    base: &str,
    token: &SecretString,
    tenant: Option<&str>,
    file: &Path,
) -> anyhow::Result<()> {
    let kind = media_type(file);
    let content = if kind.is_some_and(is_packed) {
        let bytes = fs::read(file).with_context(|| format!("{} cannot be read", file.display()))?;
        base64::engine::general_purpose::STANDARD.encode(bytes)
    } else {
        fs::read_to_string(file).with_context(|| format!("{} is no text file", file.display()))?
    };
    let body =
        json!({ "source": file.to_string_lossy(), "title": "", "content": content, "media_type": kind });
    let mut request = http.post(format!("{base}/v1/knowledge/documents")).json(&body);
    if let Some(tenant) = tenant {
        request = request.header(TENANT_HEADER, tenant);
    }
    let answer = request.bearer_auth(token.expose_secret()).send().await;
    let answer =
        answer.with_context(|| format!("{base} does not answer: start the gateway with `quandura serve`"))?;
    if answer.status().is_success() {
        return Ok(());
    }
    let error: Value = answer.json().await.unwrap_or_default();
    bail!("{}: {}", file.display(), error["error_message"].as_str().unwrap_or("the gateway refused it"))
}
