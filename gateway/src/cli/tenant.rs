//! `quandura tenant`.

use axum::http::Method;
use serde_json::{Value, json};

use super::args;
use super::client::Api;
use crate::config::Config;

/// Runs the chosen act.
pub async fn run(config: &Config, command: args::Tenant) -> anyhow::Result<()> {
    let api = Api::open(config).await?;
    match command {
        args::Tenant::List => {
            let answer = api.send(Method::GET, "/v1/tenants", None).await?;
            answer["items"].as_array().into_iter().flatten().for_each(show);
        }
        args::Tenant::Create { slug, name, timezone, line } => {
            let body = json!({ "slug": slug, "name": name, "timezone": timezone, "line": line });
            show(&api.send(Method::POST, "/v1/tenants", Some(body)).await?);
        }
    }
    api.close().await;
    Ok(())
}

fn show(tenant: &Value) {
    let lines = tenant["lines"].as_array().map(Vec::as_slice).unwrap_or_default();
    let numbers: Vec<_> = lines.iter().filter_map(|line| line["number"].as_str()).collect();
    let text = |name: &str| tenant[name].as_str().unwrap_or_default();
    println!("{:<16} {:<28} {}  {}", text("slug"), text("name"), text("id"), numbers.join(" "));
}
