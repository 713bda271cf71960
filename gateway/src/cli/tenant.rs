//! `quandura tenant`.

mod create;
mod file;
mod history;

use axum::http::Method;
use serde_json::Value;

use super::args;
use super::client::Api;
use crate::config::Config;

pub use file::agreed;
pub use history::print_versions;

/// Runs the chosen act.
pub async fn run(config: &Config, command: args::Tenant) -> anyhow::Result<()> {
    // Read before the data folder is opened: a file that is wrong needs no folder.
    let read = match &command {
        args::Tenant::Check { file } | args::Tenant::Apply { file, .. } => Some(file::read(file)?),
        _ => None,
    };
    let api = Api::open(config).await?;
    let done = act(&api, command, read).await;
    api.close().await;
    done
}

async fn act(api: &Api, command: args::Tenant, read: Option<file::File>) -> anyhow::Result<()> {
    match (command, read) {
        (args::Tenant::List, _) => {
            let answer = api.send(Method::GET, "/v1/tenants", None).await?;
            answer["items"].as_array().into_iter().flatten().for_each(show);
        }
        (args::Tenant::Create(asked), _) => create::run(api, *asked).await?,
        (args::Tenant::Show { tenant }, _) => print!("{}", file::shown(api, &tenant).await?),
        (args::Tenant::Check { .. }, Some(file)) => {
            file::check(api, &file).await?;
        }
        (args::Tenant::Apply { yes, .. }, Some(file)) => file::apply(api, &file, yes).await?,
        (args::Tenant::History { tenant }, _) => history::list(api, &tenant).await?,
        (args::Tenant::Rollback { tenant, number, yes }, _) => {
            history::roll_back(api, &tenant, number, yes).await?;
        }
        (args::Tenant::Check { .. } | args::Tenant::Apply { .. }, None) => {}
    }
    Ok(())
}

fn show(tenant: &Value) {
    let lines = tenant["lines"].as_array().map(Vec::as_slice).unwrap_or_default();
    let numbers: Vec<_> = lines.iter().filter_map(|line| line["number"].as_str()).collect();
    let text = |name: &str| tenant[name].as_str().unwrap_or_default();
    println!("{:<16} {:<28} {}  {}", text("slug"), text("name"), text("id"), numbers.join(" "));
}
