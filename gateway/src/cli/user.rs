//! `quandura user`.

use anyhow::Context;
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
        args::User::Remove { login, tenant } => {
            let tenant = tenant.as_deref();
            let users = api.send(Method::GET, &of_tenant("/v1/users", tenant), None).await?;
            let id = id_of(&users, &login).with_context(|| {
                let whose = tenant.map_or_else(|| "the platform".to_owned(), |name| format!("tenant {name}"));
                format!("{whose} has no user {login}; `quandura user list` shows who is there, --tenant whose they are")
            })?;
            api.send(Method::DELETE, &of_tenant(&format!("/v1/users/{id}"), tenant), None).await?;
            println!("removed");
        }
    }
    api.close().await;
    Ok(())
}

/// A login is one whatever its case.
fn id_of<'a>(users: &'a Value, login: &str) -> Option<&'a str> {
    let login = login.trim().to_lowercase();
    let mut items = users["items"].as_array().into_iter().flatten();
    items.find(|user| user["login"].as_str().is_some_and(|it| it.to_lowercase() == login))?["id"].as_str()
}

fn show(user: &Value) {
    let text = |name: &str| user[name].as_str().unwrap_or_default();
    println!("{:<24} {:<16} {:<28} {}", text("login"), text("role"), text("name"), text("id"));
}
