//! The checks themselves. Each looks at one thing and names its fix.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

use secrecy::ExposeSecret;
use storage::StorageError;
use tokio::net::TcpListener;

use super::{Check, online, outside};
use crate::cli::client::{base_url, http};
use crate::config::{Config, ProviderLists};
use crate::providers::embedded;

/// Space below which nothing new is written for long.
const LITTLE_SPACE: u64 = 1 << 30;
const NO_SPACE: u64 = 200 << 20;
/// Characters below which an admin token can be guessed.
const SHORT_TOKEN: usize = 16;

/// All of them, in the order in which a start would meet them. `ask`: outside providers are asked for a little work.
pub async fn all(config: &Config, ask: bool) -> Vec<Check> {
    let mut checks =
        vec![data_folder(&config.data_dir), disk_space(&config.data_dir), master_key(&config.data_dir)];
    checks.push(database(config).await);
    if config.postgres.is_none() {
        checks.push(tenant_files(&config.data_dir).await);
    }
    let models = models(&config.models_dir, &config.providers);
    let try_speech = config.providers.need_speech_models() && models.verdict != super::Verdict::Fail;
    checks.push(models);
    if try_speech {
        checks.push(speech(&config.models_dir).await);
    }
    checks.push(port(config).await);
    checks.extend([carrier(config), admin_token(config)]);
    checks.extend(outside::lists(config));
    if ask {
        checks.extend(online::all(config).await);
    }
    checks.extend(outside::facts(config));
    checks.push(tls(config));
    checks
}

fn data_folder(folder: &Path) -> Check {
    let probe = folder.join(".write-test");
    let written = fs::create_dir_all(folder).and_then(|()| fs::write(&probe, b"x"));
    let _ = fs::remove_file(&probe);
    match written {
        Ok(()) => Check::ok("data folder", format!("{} can be written", folder.display())),
        Err(e) => Check::fail(
            "data folder",
            format!("{} cannot be written ({e})", folder.display()),
            "give this user write permission, or set DATA_DIR to another folder",
        ),
    }
}

fn disk_space(folder: &Path) -> Check {
    let free = match rustix::fs::statvfs(folder) {
        Ok(disk) => disk.f_bavail * disk.f_frsize,
        Err(e) => return Check::warn("disk space", format!("is not known ({e})"), "check it by hand"),
    };
    let detail = format!("{} MB free", free >> 20);
    match free {
        free if free < NO_SPACE => Check::fail("disk space", detail, "free some space: calls are kept there"),
        free if free < LITTLE_SPACE => Check::warn("disk space", detail, "free some space soon"),
        _ => Check::ok("disk space", detail),
    }
}

fn master_key(folder: &Path) -> Check {
    let file = folder.join("master.key");
    let Ok(found) = fs::metadata(&file) else {
        return Check::ok("master key", "none yet: the first start makes one");
    };
    let mode = found.permissions().mode() & 0o777;
    if mode & 0o077 == 0 {
        return Check::ok("master key", format!("{} is readable by its owner only", file.display()));
    }
    let fix = format!("chmod 600 {}", file.display());
    Check::fail("master key", format!("{} has mode {mode:o}: others can read it", file.display()), fix)
}

/// Connects as a start would, and changes nothing.
async fn database(config: &Config) -> Check {
    let Some(postgres) = &config.postgres else {
        return Check::ok("database", format!("SQLite, files in {}", config.data_dir.display()));
    };
    let found = match postgres.probe().await {
        Ok(found) => found,
        Err(StorageError::OlderSchema { database, detail }) if postgres.owner_url.is_some() => {
            let detail = format!("{database}: its schema is older than this program ({detail})");
            return Check::warn(
                "database",
                detail,
                "the next start, or `quandura migrate`, brings it up to date",
            );
        }
        Err(error) => return Check::fail("database", error.to_string(), "see docs/guides/postgresql.md"),
    };
    let tls = found.tls.as_deref().unwrap_or("in the clear");
    let detail = format!("{}, version {}, as {}, {tls}", found.database, found.version, found.role);
    if found.survives_power_cuts {
        Check::ok("database", detail)
    } else {
        let fix = "turn fsync and full_page_writes on in the server";
        Check::warn("database", format!("{detail}; a power cut there may lose what was said"), fix)
    }
}

/// One that is damaged keeps its own tenant from being served and nobody else.
async fn tenant_files(folder: &Path) -> Check {
    let (files, damaged) = storage::check_files(folder).await;
    let Some(first) = damaged.first() else {
        return Check::ok("tenants' files", format!("{files} files are sound"));
    };
    let detail = format!("{} of {files} cannot be used: {first}", damaged.len());
    Check::warn("tenants' files", detail, "repair it or restore it from a backup; it is left as it is")
}

fn models(folder: &Path, lists: &ProviderLists) -> Check {
    let needed = embedded::files(lists);
    if needed.is_empty() {
        return Check::ok("models", "none needed: every list names outside providers only");
    }
    let missing = embedded::missing(folder, lists);
    if missing.is_empty() {
        return Check::ok("models", format!("{} files in {}", needed.len(), folder.display()));
    }
    let fix = "run `make build`, set MODELS_DIR to where the models are, or leave `local` and `builtin` out of the \
        lists";
    Check::fail("models", format!("{} lacks {}", folder.display(), missing.join(", ")), fix)
}

/// Loads everything once, as a start does: finds a library of another version and damaged files.
async fn speech(folder: &Path) -> Check {
    let folder = folder.to_owned();
    let began = Instant::now();
    let loaded = tokio::task::spawn_blocking(move || speech::LocalSpeech::load(&folder, 1).map(drop)).await;
    match loaded {
        Ok(Ok(())) => Check::ok("speech", format!("engines load in {:.1} s", began.elapsed().as_secs_f64())),
        Ok(Err(e)) => Check::fail("speech", e.to_string(), "delete the models folder and run `make build`"),
        Err(e) => Check::fail("speech", e.to_string(), "delete the models folder and run `make build`"),
    }
}

async fn port(config: &Config) -> Check {
    match TcpListener::bind(config.bind).await {
        Ok(_) => Check::ok("port", format!("{} is free", config.bind)),
        Err(_) if is_gateway(config).await => {
            Check::ok("port", format!("a gateway answers at {}", config.bind))
        }
        Err(e) => {
            let detail = format!("{} cannot be bound ({e})", config.bind);
            Check::fail("port", detail, "stop the process that has it, or set BIND to another address")
        }
    }
}

async fn is_gateway(config: &Config) -> bool {
    let (Ok(base), Ok(http)) = (base_url(config, None), http()) else { return false };
    let answer = http.get(format!("{base}/health")).timeout(Duration::from_secs(3)).send().await;
    answer.is_ok_and(|answer| answer.headers().contains_key("x-request-id"))
}

fn carrier(config: &Config) -> Check {
    let (public, key) = (config.public_url.as_ref(), config.carrier.key_name());
    match (config.unsigned(), public) {
        (true, Some(url)) if !url.is_loopback() => Check::fail(
            "carrier",
            format!("PUBLIC_URL is public and {key} is not set: every carrier request is refused"),
            config.carrier.key_advice(),
        ),
        (true, _) => Check::warn(
            "carrier",
            "unsigned: only callers on this machine are served",
            format!("set {key} and PUBLIC_URL to take real calls"),
        ),
        (false, None) => Check::warn(
            "carrier",
            "signatures are checked against the bound address, which no carrier reaches",
            "set PUBLIC_URL to the address that the carrier calls",
        ),
        (false, Some(url)) => Check::ok("carrier", format!("signed requests to {url}")),
    }
}

fn admin_token(config: &Config) -> Check {
    match &config.admin_token {
        None => Check::ok("admin token", "not set: sign in by link, automate with `quandura token create`"),
        Some(token) if token.expose_secret().len() < SHORT_TOKEN => Check::warn(
            "admin token",
            "ADMIN_TOKEN is short enough to be guessed",
            "use 32 random characters, for example from `openssl rand -hex 16`",
        ),
        Some(_) => Check::ok("admin token", "set"),
    }
}

/// Decision 27.
fn tls(config: &Config) -> Check {
    match &config.public_url {
        Some(url) if url.is_https() => {
            Check::ok("tls", "the proxy in front ends TLS: restrict it to TLS 1.3 where both ends are yours")
        }
        Some(url) if !url.is_loopback() => Check::fail(
            "tls",
            format!("{url} is not encrypted, and carriers refuse such streams"),
            "put a TLS proxy in front and set PUBLIC_URL to its https address",
        ),
        _ => Check::ok("tls", "not needed on this machine alone"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Verdict;
    use super::*;

    fn config(vars: &[(&str, &str)]) -> Config {
        let vars: Vec<(String, String)> =
            vars.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        Config::from_text("", "x", &move |name| vars.iter().find(|(k, _)| k == name).map(|(_, v)| v.clone()))
            .unwrap()
    }

    #[test]
    fn a_public_address_without_a_key_or_without_tls_fails() {
        let open = config(&[("PUBLIC_URL", "http://voice.example.com")]);
        assert_eq!(carrier(&open).verdict, Verdict::Fail);
        assert_eq!(tls(&open).verdict, Verdict::Fail);
        let good = config(&[("PUBLIC_URL", "https://voice.example.com"), ("TWILIO_AUTH_TOKEN", "t")]);
        assert_eq!(carrier(&good).verdict, Verdict::Ok);
        assert_eq!(tls(&good).verdict, Verdict::Ok);
    }

    #[test]
    fn a_key_that_others_can_read_fails_with_the_command_that_mends_it() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("master.key");
        fs::write(&file, "k").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
        let check = master_key(dir.path());
        assert_eq!(check.verdict, Verdict::Fail);
        assert!(check.fix.unwrap().starts_with("chmod 600"));
    }

    #[tokio::test]
    async fn the_database_is_named_with_its_back_end_and_an_unreachable_one_fails() {
        let files = database(&config(&[("DATA_DIR", "/some/where")])).await;
        assert_eq!((files.verdict, files.detail.as_str()), (Verdict::Ok, "SQLite, files in /some/where"));
        let url = "postgres://app:s3cret@127.0.0.1:1/quandura";
        let away = database(&config(&[("DATABASE_URL", url)])).await;
        assert_eq!(away.verdict, Verdict::Fail);
        assert!(!away.detail.contains("s3cret"), "{}", away.detail);
        for part in ["PostgreSQL database quandura at 127.0.0.1:1", "does not answer", "DATABASE_URL"] {
            assert!(away.detail.contains(part), "{part:?} is not in {}", away.detail);
        }
    }

    #[test]
    fn missing_models_are_named() {
        let dir = tempfile::tempdir().unwrap();
        let check = models(dir.path(), &config(&[]).providers);
        assert_eq!(check.verdict, Verdict::Fail);
        assert!(check.detail.contains("libonnxruntime.so"));
    }
}
