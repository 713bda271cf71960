//! `quandura tenant create`: asks what a line needs to know.

use std::io::{IsTerminal, Write, stdin, stdout};

use anyhow::bail;
use axum::http::Method;
use dialogue::builtin::Body;

use super::super::args::TenantCreate;
use super::super::client::Api;
use super::{file, show};
use crate::tenant_config::check::check;
use crate::tenant_config::{Hours, LineConfig, Office, TenantConfig};

/// Makes a tenant of what was given, and of what is answered at a terminal.
pub async fn run(api: &Api, asked: TenantCreate) -> anyhow::Result<()> {
    let config = config(if stdin().is_terminal() { answered(asked)? } else { asked })?;
    let faults = check(&config);
    if !faults.is_empty() {
        bail!("{}", faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"));
    }
    let made = api.send(Method::POST, "/v1/tenants", Some(file::new_tenant(&config))).await?;
    file::put(api, &config).await?;
    let listed = api.send(Method::GET, "/v1/tenants", None).await?;
    let own = listed["items"].as_array().into_iter().flatten().find(|tenant| tenant["id"] == made["id"]);
    show(own.unwrap_or(&made));
    Ok(())
}

fn config(asked: TenantCreate) -> anyhow::Result<TenantConfig> {
    let name = asked.name.or(asked.name_option).unwrap_or_default();
    let kind = match asked.kind.as_deref() {
        None => None,
        Some(tag) => match Body::ALL.into_iter().find(|body| body.tag() == tag) {
            Some(body) => Some(body),
            None => bail!("--kind: \"{tag}\" is none of {}", Body::ALL.map(Body::tag).join(", ")),
        },
    };
    let languages = if asked.languages.is_empty() { vec!["en".to_owned()] } else { asked.languages };
    let lines = asked.line.map(|number| LineConfig { number, languages, ..LineConfig::default() });
    Ok(TenantConfig {
        slug: asked.slug.unwrap_or_else(|| slug(&name)),
        kind,
        timezone: asked.timezone.unwrap_or_default(),
        office: Office {
            address: asked.address.unwrap_or_default(),
            phone: asked.phone.unwrap_or_default(),
            area_code: String::new(),
        },
        hours: Hours { weekdays: asked.hours, ..Hours::default() },
        lines: lines.into_iter().collect(),
        name,
        ..TenantConfig::default()
    })
}

/// "Oakdale City" is `oakdale-city`.
fn slug(name: &str) -> String {
    let plain: String =
        name.to_lowercase().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { ' ' }).collect();
    plain.split_whitespace().collect::<Vec<_>>().join("-").chars().take(40).collect()
}

/// Asks for everything that was not given. An empty answer leaves it out.
fn answered(mut asked: TenantCreate) -> anyhow::Result<TenantCreate> {
    println!("An empty answer leaves it out: the line does not speak of what is not known.");
    ask("Address of the main office", &mut asked.address)?;
    ask("Number of the main office", &mut asked.phone)?;
    ask("Hours from Monday to Friday, such as 8:00-17:00", &mut asked.hours)?;
    ask("IANA time zone [America/New_York]", &mut asked.timezone)?;
    ask("Number that callers dial", &mut asked.line)?;
    if asked.line.is_some() && asked.languages.is_empty() {
        let mut languages = None;
        ask("Languages of the line, en, es, or both: en,es [en]", &mut languages)?;
        asked.languages = languages
            .iter()
            .flat_map(|all: &String| all.split(','))
            .map(|tag| tag.trim().to_owned())
            .collect();
    }
    Ok(asked)
}

fn ask(question: &str, into: &mut Option<String>) -> anyhow::Result<()> {
    if into.is_some() {
        return Ok(());
    }
    print!("{question}: ");
    stdout().flush()?;
    let mut answer = String::new();
    stdin().read_line(&mut answer)?;
    *into = Some(answer.trim().to_owned()).filter(|answer| !answer.is_empty());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slug_is_made_of_the_name() {
        assert_eq!(slug("City of  Oakdale, N.J."), "city-of-oakdale-n-j");
    }
}
