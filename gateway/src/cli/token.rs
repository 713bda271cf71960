//! `quandura token`.

use axum::http::Method;
use serde_json::{Value, json};

use super::args;
use super::client::Api;
use crate::config::Config;

/// Runs the chosen act.
pub async fn run(config: &Config, command: args::Token) -> anyhow::Result<()> {
    let api = Api::open(config).await?;
    match command {
        args::Token::Create { name, role, tenant, days } => {
            let body = json!({ "name": name, "role": role, "tenant": tenant, "days": days });
            let answer = api.send(Method::POST, "/v1/tokens", Some(body)).await?;
            println!("{}", answer["secret"].as_str().unwrap_or_default());
            eprintln!("(shown this once; its id is {})", answer["id"].as_str().unwrap_or_default());
        }
        args::Token::List { tenant } => {
            let answer = api.send(Method::GET, &of_tenant("/v1/tokens", tenant.as_deref()), None).await?;
            answer["items"].as_array().into_iter().flatten().for_each(show);
        }
        args::Token::Revoke { id, tenant } => {
            api.send(Method::DELETE, &of_tenant(&format!("/v1/tokens/{id}"), tenant.as_deref()), None)
                .await?;
            println!("revoked");
        }
    }
    api.close().await;
    Ok(())
}

/// `path` for one tenant, or for the platform.
pub fn of_tenant(path: &str, tenant: Option<&str>) -> String {
    match tenant.and_then(|tenant| serde_urlencoded::to_string([("tenant", tenant)]).ok()) {
        Some(query) => format!("{path}?{query}"),
        None => path.to_owned(),
    }
}

fn show(token: &Value) {
    let text = |name: &str| token[name].as_str().unwrap_or_default();
    let state = match (token["revoked_at"].as_str(), token["expires_at"].as_str()) {
        (Some(at), _) => format!("revoked {at}"),
        (None, Some(at)) => format!("expires {at}"),
        (None, None) => "until revoked".to_owned(),
    };
    println!("{}  {:<16} {:<24} {state}", text("id"), text("role"), text("name"));
}
