//! `quandura audit`.

use std::io::{IsTerminal, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use axum::http::Method;
use chrono::{DateTime, NaiveDate, Utc};
use serde_json::Value;
use storage::PLATFORM_SLUG;

use super::args;
use super::client::Api;
use crate::audit::export::VERIFY;
use crate::config::Config;

/// Runs the chosen act.
pub async fn run(config: &Config, command: args::Audit) -> anyhow::Result<()> {
    let api = Api::open(config).await?;
    let outcome = match command {
        args::Audit::Verify(asked) => verify(&api, asked).await,
        args::Audit::Export(asked) => export(&api, asked).await,
    };
    api.close().await;
    outcome
}

/// Checks one tenant or all, and fails when one is broken, after all were checked.
async fn verify(api: &Api, asked: args::AuditVerify) -> anyhow::Result<()> {
    let tenants = if asked.all { all_tenants(api).await? } else { vec![asked.tenant.clone()] };
    let mut broken = 0;
    for tenant in tenants {
        let path = address("/v1/audit/verify", &[("tenant", tenant.clone()), ("head", asked.head.clone())])?;
        let verdict = waiting(tenant.as_deref(), api.send(Method::GET, &path, None)).await?;
        println!("{}", shown(&verdict));
        broken += u32::from(verdict["whole"] != true);
    }
    match broken {
        0 => Ok(()),
        _ => bail!(
            "{broken} audit(s) are not as they were written: keep the database as it is and find out who could write to it"
        ),
    }
}

async fn all_tenants(api: &Api) -> anyhow::Result<Vec<Option<String>>> {
    let answer = api.send(Method::GET, "/v1/tenants", None).await?;
    let slugs = answer["items"].as_array().into_iter().flatten().filter_map(|t| t["slug"].as_str());
    Ok(slugs.chain([PLATFORM_SLUG]).map(|slug| Some(slug.to_owned())).collect())
}

fn shown(verdict: &Value) -> String {
    let tenant = verdict["tenant"].as_str().unwrap_or_default();
    if verdict["whole"] == true {
        let head = verdict["head"].as_str().unwrap_or("none");
        return format!("{tenant}: whole, {} entries; its end is {head}", verdict["entries"]);
    }
    format!("{tenant}: BROKEN: {}", verdict["broken"]["problem"].as_str().unwrap_or_default())
}

/// Shows on a terminal that something goes on.
async fn waiting<T>(tenant: Option<&str>, work: impl Future<Output = T>) -> T {
    let tenant = tenant.unwrap_or("the tenant");
    let (began, mut beat) = (Instant::now(), tokio::time::interval(Duration::from_secs(1)));
    tokio::pin!(work);
    loop {
        tokio::select! {
            biased;
            done = &mut work => {
                if std::io::stderr().is_terminal() {
                    eprint!("\r\x1b[2K");
                }
                return done;
            }
            _ = beat.tick() => if std::io::stderr().is_terminal() {
                eprint!("\r\x1b[2Kreading the audit of {tenant} … {} s", began.elapsed().as_secs());
            },
        }
    }
}

/// Writes the export, and beside it the program that checks it.
async fn export(api: &Api, asked: args::AuditExport) -> anyhow::Result<()> {
    let time = |text: &Option<String>| text.as_deref().map(moment).transpose();
    let path = address(
        "/v1/audit/export",
        &[
            ("tenant", asked.tenant.clone()),
            ("from", time(&asked.from)?),
            ("to", time(&asked.to)?),
            ("subject", asked.subject.clone()),
            ("withhold", joined(&asked.withhold)),
            ("redact", joined(&asked.redact)),
            ("personal", asked.personal.then(|| "true".to_owned())),
        ],
    )?;
    let unfinished = asked.out.with_extension("part");
    let cannot = || format!("{} cannot be written", asked.out.display());
    let mut file = std::fs::File::create(&unfinished).with_context(cannot)?;
    let bytes = waiting(asked.tenant.as_deref(), api.download(&path, &mut file)).await;
    let bytes = bytes.and_then(|bytes| Ok(file.sync_all().map(|()| bytes)?)).inspect_err(|_| {
        let _ = std::fs::remove_file(&unfinished);
    })?;
    std::fs::rename(&unfinished, &asked.out).with_context(cannot)?;
    let checker = asked.out.parent().unwrap_or(Path::new("")).join("verify.py");
    std::fs::File::create(&checker).and_then(|mut file| file.write_all(VERIFY.as_bytes()))?;
    println!("{}: {bytes} bytes; check it with: python3 {} {0}", asked.out.display(), checker.display());
    Ok(())
}

fn joined(words: &[String]) -> Option<String> {
    (!words.is_empty()).then(|| words.join(","))
}

/// A day (its begin, UTC) or a time, as the API takes it.
fn moment(text: &str) -> anyhow::Result<String> {
    let at = match text.parse::<NaiveDate>() {
        Ok(day) => day.and_time(chrono::NaiveTime::MIN).and_utc(),
        Err(_) => DateTime::parse_from_rfc3339(text)
            .with_context(|| {
                format!("`{text}` is no time: give a day (2026-11-30) or RFC 3339 (2026-11-30T09:00:00Z)")
            })?
            .with_timezone(&Utc),
    };
    Ok(at.to_rfc3339_opts(chrono::SecondsFormat::Micros, true))
}

fn address(path: &str, parameters: &[(&str, Option<String>)]) -> anyhow::Result<String> {
    let given: Vec<_> = parameters.iter().filter_map(|(name, value)| Some((name, value.as_ref()?))).collect();
    Ok(format!("{path}?{}", serde_urlencoded::to_string(given)?))
}
