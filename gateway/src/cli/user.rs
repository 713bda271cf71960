//! `quandura user`.

use axum::http::Method;
use serde_json::{Value, json};

use super::args;
use super::client::Api;
use super::token::of_tenant;
use crate::config::Config;

/// Runs the chosen act.
pub async fn run(config: &Config, command: args::User) -> anyhow::Result<()> {
    let api = Api::open(config).await?;
    match command {
        args::User::List { tenant } => {
            let answer = api.send(Method::GET, &of_tenant("/v1/users", tenant.as_deref()), None).await?;
            answer["items"].as_array().into_iter().flatten().for_each(show);
        }
        args::User::Create { login, name, role, tenant } => {
            let body = json!({ "login": login, "name": name, "role": role, "tenant": tenant });
            show(&api.send(Method::POST, "/v1/users", Some(body)).await?);
        }
        args::User::Link { login, reset } => {
            let body = json!({ "login": login, "reset": reset });
            let answer = api.send(Method::POST, "/v1/users/links", Some(body)).await?;
            println!("{}", answer["url"].as_str().unwrap_or_default());
            eprintln!("(signs in once within 15 minutes)");
        }
    }
    api.close().await;
    Ok(())
}

fn show(user: &Value) {
    let text = |name: &str| user[name].as_str().unwrap_or_default();
    println!("{:<24} {:<16} {:<28} {}", text("login"), text("role"), text("name"), text("id"));
}
