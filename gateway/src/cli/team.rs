//! `quandura team`.

use std::fs;
use std::path::Path;

use anyhow::{Context, bail};
use axum::http::Method;
use serde_json::{Value, json};

use super::args;
use super::client::Api;
use super::tenant::{agreed, print_versions};
use crate::api::teams::TeamApplied;
use crate::api::tenant_config::Checked;
use crate::config::Config;

/// Runs the chosen act.
pub async fn run(config: &Config, command: args::TeamCommand) -> anyhow::Result<()> {
    let api = Api::open(config).await?;
    let done = act(&api, command).await;
    api.close().await;
    done
}

async fn act(api: &Api, args::TeamCommand { tenant, act }: args::TeamCommand) -> anyhow::Result<()> {
    let of = Of { api, tenant: tenant.as_deref() };
    match act {
        args::TeamAct::List => {
            let listed = of.send(Method::GET, "/v1/teams", None).await?;
            listed["items"].as_array().into_iter().flatten().for_each(show);
            Ok(())
        }
        args::TeamAct::Show { team } => {
            let found = of.send(Method::GET, &format!("/v1/teams/{team}"), None).await?;
            print!("{}", found["text"].as_str().unwrap_or_default());
            Ok(())
        }
        args::TeamAct::Check { file } => check(of, &file).await.map(drop),
        args::TeamAct::Apply { file, yes } => apply(of, &file, yes).await,
        args::TeamAct::Delete { team, yes } => {
            if !yes && !agreed()? {
                bail!("nothing was changed");
            }
            let answer = of.send(Method::DELETE, &format!("/v1/teams/{team}"), None).await?;
            told(&team, serde_json::from_value(answer)?);
            Ok(())
        }
        args::TeamAct::History { team } => {
            let listed = of.send(Method::GET, &format!("/v1/teams/{team}/versions?limit=200"), None).await?;
            print_versions(listed["items"].clone())
        }
        args::TeamAct::Rollback { team, number, yes } => roll_back(of, &team, number, yes).await,
        args::TeamAct::Try { words, matter, file } => {
            let draft = file.map(|file| text(&file)).transpose()?;
            let mut asked = json!({ "words": words.join(" ") });
            for (name, value) in [("matter", matter), ("draft", draft)] {
                if let Some(value) = value {
                    asked[name] = json!(value);
                }
            }
            let tried = of.send(Method::POST, "/v1/teams/try", Some(asked)).await?;
            println!("{}", serde_json::to_string_pretty(&tried)?);
            Ok(())
        }
    }
}

/// The API, on one tenant.
#[derive(Clone, Copy)]
struct Of<'a> {
    api: &'a Api,
    tenant: Option<&'a str>,
}

impl Of<'_> {
    async fn send(&self, method: Method, path: &str, body: Option<Value>) -> anyhow::Result<Value> {
        let tenant = self.tenant.map(|name| serde_urlencoded::to_string([("tenant", name)])).transpose()?;
        let mark = if path.contains('?') { '&' } else { '?' };
        let path = tenant.map_or_else(|| path.to_owned(), |tenant| format!("{path}{mark}{tenant}"));
        self.api.send(method, &path, body).await
    }
}

fn show(team: &Value) {
    let text = |name: &str| team[name].as_str().unwrap_or_default();
    println!("{:<24} {:<10} {:<28} {}", text("id"), text("source"), text("name"), text("purpose"));
}

fn text(file: &Path) -> anyhow::Result<String> {
    fs::read_to_string(file).with_context(|| format!("{} cannot be read", file.display()))
}

/// Says what is wrong with a file, or what it would change; its team and its text.
async fn check(of: Of<'_>, file: &Path) -> anyhow::Result<(String, String, bool)> {
    let text = text(file)?;
    let answer = of.send(Method::POST, "/v1/teams/check", Some(json!({ "text": text }))).await?;
    let checked: Checked = serde_json::from_value(answer)?;
    if !checked.valid {
        let told = checked.faults.iter().map(|fault| {
            let line = fault.line.map(|line| format!("{line}:")).unwrap_or_default();
            format!("{}:{line} {} {}", file.display(), fault.key, fault.message)
        });
        bail!("{}", told.collect::<Vec<_>>().join("\n"));
    }
    let read: toml::Table = text.parse()?;
    let id = read.get("id").and_then(toml::Value::as_str).unwrap_or_default().to_owned();
    checked.changes.iter().for_each(|change| println!("{change}"));
    if checked.changes.is_empty() {
        println!("{id} is as the file says");
    }
    Ok((id, text, !checked.changes.is_empty()))
}

async fn apply(of: Of<'_>, file: &Path, yes: bool) -> anyhow::Result<()> {
    let (id, text, is_change) = check(of, file).await?;
    if !is_change {
        return Ok(());
    }
    if !yes && !agreed()? {
        bail!("nothing was changed");
    }
    let answer = of.send(Method::PUT, &format!("/v1/teams/{id}"), Some(json!({ "text": text }))).await?;
    told(&id, serde_json::from_value(answer)?);
    Ok(())
}

async fn roll_back(of: Of<'_>, team: &str, version: u32, yes: bool) -> anyhow::Result<()> {
    let path = format!("/v1/teams/{team}/versions/{version}");
    let found = of.send(Method::GET, &path, None).await?;
    let changes = found["differences"].as_array().into_iter().flatten().filter_map(Value::as_str);
    changes.for_each(|change| println!("{change}"));
    if !yes && !agreed()? {
        bail!("nothing was changed");
    }
    let answer = of.send(Method::POST, &format!("{path}/rollback"), None).await?;
    told(team, serde_json::from_value(answer)?);
    Ok(())
}

fn told(team: &str, applied: TeamApplied) {
    println!(
        "{team} was changed, from the next task and the next call on; kept as version {}",
        applied.version
    );
}
