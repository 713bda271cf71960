//! Typed settings: one TOML file, overridden by the environment, checked as a whole before anything starts.
//!
//! Only this crate reads configuration; everything else is handed values.

pub mod alarms;
pub mod budget;
pub mod carrier;
pub mod cloud;
pub mod mcp;
pub mod openid;
pub mod prices;
pub mod problem;
pub mod providers;
pub mod public_url;
pub mod sign_in;
pub mod source;
pub mod tools;

use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::time::Duration;

use pipeline::provider::Endpoint;
use secrecy::SecretString;
use storage::{PlatformOptions, PostgresOptions, StorageError};
use work::tools::remote::Settings as RemoteSettings;

pub use budget::Budget;
pub use carrier::Carrier;
pub use cloud::Cloud;
pub use prices::PriceList;
pub use problem::{ConfigError, Problem};
pub use providers::{Llm, Named, ProviderLists, Stt, Tts};
pub use public_url::PublicUrl;
pub use sign_in::SignIn;
use source::{Env, Source};
pub use tools::Tools;

/// File that is read when `--config` names none and it exists in the working directory.
pub const DEFAULT_FILE: &str = "quandura.toml";

/// Everything the process is told from outside.
#[derive(Clone, Debug)]
pub struct Config {
    /// Address of the HTTP listener.
    pub bind: SocketAddr,
    pub data_dir: PathBuf,
    /// Everything is kept in PostgreSQL, not in files of `data_dir`.
    pub postgres: Option<PostgresOptions>,
    pub models_dir: PathBuf,
    /// Address under which carrier and browsers reach us. Absent: the address that is bound.
    pub public_url: Option<PublicUrl>,
    /// Bearer token with role platform-admin, for automation.
    pub admin_token: Option<SecretString>,
    pub carrier: Carrier,
    /// Which speech and language engines serve, in order of preference.
    pub providers: ProviderLists,
    /// Accounts and models of outside providers.
    pub cloud: Cloud,
    pub prices: PriceList,
    pub budget: Budget,
    pub limits: Limits,
    /// When people are told of what nobody has taken on.
    pub alarms: alarms::Alarms,
    pub tools: Tools,
    /// How people sign in, and for how long.
    pub sign_in: SignIn,
    /// Servers outside whose tools may be used.
    pub mcp: Vec<RemoteSettings>,
    pub log: Log,
    /// Base address of an OTLP collector over HTTP. Absent: no traces.
    pub otlp: Option<Endpoint>,
    /// Region where data stays, as the operator states it; shown by `doctor`.
    pub region: Option<String>,
    /// What was set but has no effect in this build, to be said at start.
    pub notices: Vec<String>,
}

/// Bounds that protect calls from each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Calls at a time. Absent: derived from the number of cores and from where speech is recognised.
    pub max_calls: Option<usize>,
    /// New callers hear the busy message while the machine is too busy to serve more of them well.
    pub refuse_when_strained: bool,
    /// Callers at a time that may listen to the busy message over a stream.
    pub max_busy_streams: usize,
    /// Calls that one caller's number may start in a minute. Absent: no limit.
    pub calls_per_number_per_minute: Option<u32>,
    /// How long running calls may go on after a stop signal.
    pub drain: Duration,
    /// Time from socket to `start`.
    pub handshake: Duration,
    /// A stream without media for this long is dead.
    pub idle: Duration,
    /// Longest wait for one message to leave; then the leg is sick and closed.
    pub send: Duration,
    /// Time from webhook to stream, after which the reaper closes the call.
    pub stream_wait: Duration,
    /// Time for the head of an HTTP request, and for the next one on a connection that is kept open.
    pub head: Duration,
    /// Time for the body of an HTTP request.
    pub body: Duration,
    /// Longest wait for a peer to take anything of its answer.
    pub answer: Duration,
    /// HTTP connections at a time, WebSockets and event streams among them.
    pub connections: usize,
    /// Calls that one tenant may have at a time. Absent: as many as the machine serves.
    pub tenant_calls: Option<u32>,
    /// Calls of one tenant that may arrive in a minute.
    pub tenant_calls_per_minute: NonZeroU32,
    /// Requests about one tenant in a second, in the long run; twice as many at once.
    pub tenant_requests_per_second: NonZeroU32,
    /// Event streams of one tenant at a time.
    pub tenant_event_streams: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_calls: None,
            refuse_when_strained: true,
            max_busy_streams: 20,
            calls_per_number_per_minute: None,
            drain: Duration::from_secs(30),
            handshake: Duration::from_secs(5),
            idle: Duration::from_secs(15),
            send: Duration::from_secs(2),
            stream_wait: Duration::from_secs(90),
            head: Duration::from_secs(15),
            body: Duration::from_secs(30),
            answer: Duration::from_secs(30),
            connections: 8_192,
            tenant_calls: None,
            tenant_calls_per_minute: NonZeroU32::new(6_000).unwrap_or(NonZeroU32::MIN),
            tenant_requests_per_second: NonZeroU32::new(1_000).unwrap_or(NonZeroU32::MIN),
            tenant_event_streams: 500,
        }
    }
}

/// Form and detail of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Log {
    pub format: LogFormat,
    /// Filter as `tracing-subscriber` reads it: `info`, `debug`, `gateway=debug,info`.
    pub filter: String,
}

/// How a log line looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// Pretty on a terminal, JSON otherwise.
    Auto,
    Json,
    Pretty,
}

impl Config {
    /// Reads `file`, or [`DEFAULT_FILE`] when it exists, and the process environment.
    pub fn load(file: Option<&Path>) -> Result<Self, ConfigError> {
        let (name, text) = read_file(file)?;
        Self::from_text(&text, &name, &|var| std::env::var(var).ok())
    }

    /// Reads settings from TOML text and an environment.
    pub fn from_text(text: &str, file: &str, env: Env<'_>) -> Result<Self, ConfigError> {
        let table = text.parse::<toml::Table>().map_err(|e| {
            let line = e.span().map_or(1, |span| text[..span.start].matches('\n').count() + 1);
            ConfigError::one(format!("{file} line {line}"), e.message().to_owned(), "correct the TOML there")
        })?;
        let mut source = Source::new(table, file.to_owned(), env);
        let config = Self::read(&mut source);
        let problems = source.finish();
        if problems.is_empty() { Ok(config) } else { Err(ConfigError(problems)) }
    }

    /// Settings of a gateway in a test: any free port, data below `dir`, nothing from outside.
    #[must_use]
    pub fn for_test(dir: &Path) -> Self {
        let mut source = Source::new(toml::Table::new(), DEFAULT_FILE.to_owned(), &|_| None);
        let mut config = Self::read(&mut source);
        config.bind = SocketAddr::from(([127, 0, 0, 1], 0));
        config.data_dir = dir.join("data");
        config.models_dir = dir.join("models");
        // A test's machine is busy with other tests.
        config.limits.refuse_when_strained = false;
        config
    }

    fn read(s: &mut Source<'_>) -> Self {
        let cloud = cloud::read(s);
        let providers = providers::read(s, &cloud);
        let notices = notices(&cloud, &providers);
        let bind = s.parsed("bind", Some("BIND"), "write it as HOST:PORT, for example 127.0.0.1:8080");
        let config = Self {
            bind: bind.unwrap_or_else(|| SocketAddr::from(([127, 0, 0, 1], 8080))),
            data_dir: s.path("data_dir", Some("DATA_DIR"), "./data"),
            postgres: read_postgres(s),
            models_dir: s.path("models_dir", Some("MODELS_DIR"), "./models"),
            public_url: read_public_url(s),
            admin_token: read_admin_token(s),
            carrier: carrier::read(s),
            providers,
            cloud,
            prices: prices::read(s),
            budget: budget::read(s),
            limits: read_limits(s),
            alarms: alarms::read(s),
            tools: tools::read(s),
            sign_in: sign_in::read(s),
            mcp: mcp::read(s),
            log: read_log(s),
            otlp: read_otlp(s),
            region: s.text("region", None).map(|(text, _)| text),
            notices,
        };
        refuse_missing_backends(s);
        config
    }

    /// The account with the carrier as somebody needs it who plays the carrier: Twilio's.
    #[must_use]
    pub fn carrier_account(&self) -> caller::dial::Account {
        let twilio = &self.carrier.twilio;
        caller::dial::Account {
            sid: twilio.account_sid.clone(),
            key: twilio.auth_token.clone(),
            public_url: self.public_url.as_ref().map(|url| url.as_str().to_owned()),
        }
    }

    /// Where and how everything is kept.
    #[must_use]
    pub fn storage(&self) -> PlatformOptions {
        PlatformOptions { postgres: self.postgres.clone(), ..PlatformOptions::new(&self.data_dir) }
    }

    /// True when carrier requests carry no signature that we could check.
    #[must_use]
    pub const fn unsigned(&self) -> bool {
        !self.carrier.has_key()
    }
}

fn read_file(file: Option<&Path>) -> Result<(String, String), ConfigError> {
    let path = file.unwrap_or(Path::new(DEFAULT_FILE));
    let name = path.display().to_string();
    match std::fs::read_to_string(path) {
        Ok(text) => Ok((name, text)),
        Err(e) if file.is_none() && e.kind() == std::io::ErrorKind::NotFound => Ok((name, String::new())),
        Err(e) => {
            Err(ConfigError::one(name, format!("cannot be read ({e})"), "check --config and its permissions"))
        }
    }
}

/// The addresses are read here; whether they lead anywhere is found out when the database is opened.
fn read_postgres(s: &mut Source<'_>) -> Option<PostgresOptions> {
    let url = s.text("database_url", Some("DATABASE_URL"));
    let owner = s.text("database_migration_url", Some("DATABASE_MIGRATION_URL"));
    let connections = s.number("database_connections", None, 2..=1_000);
    let Some((url, origin)) = url else {
        if let Some((_, origin)) = owner {
            let fix = "set DATABASE_URL to the same database as the role that serves with, or unset this";
            s.problem(origin, "is set without DATABASE_URL", fix);
        }
        return None;
    };
    let (owner_url, owner_origin) = owner.map(|(url, origin)| (url.into(), origin)).unzip();
    let defaults = PostgresOptions { owner_url, ..PostgresOptions::new(url) };
    for (checked, origin) in
        [(defaults.check_url(), Some(origin)), (defaults.check_owner_url(), owner_origin)]
    {
        if let (Err(StorageError::Unsuitable { problem, fix, .. }), Some(origin)) = (checked, origin) {
            s.problem(origin, problem, fix);
        }
    }
    let connections = connections.and_then(|n| u32::try_from(n).ok()).unwrap_or(defaults.connections);
    Some(PostgresOptions { connections, ..defaults })
}

fn read_public_url(s: &mut Source<'_>) -> Option<PublicUrl> {
    let (text, origin) = s.text("public_url", Some("PUBLIC_URL"))?;
    match text.parse() {
        Ok(url) => Some(url),
        Err(what) => {
            s.problem(origin, format!("`{text}` {what}"), "write it as https://voice.example.com");
            None
        }
    }
}

/// What was set and has no effect, as far as the operator may have meant otherwise.
fn notices(cloud: &Cloud, lists: &ProviderLists) -> Vec<String> {
    let mut notices = Vec::new();
    let keys = [
        ("DEEPGRAM_API_KEY", cloud.deepgram.account.key.is_some(), {
            let stt = lists.stt.iter().any(|p| *p != Stt::Local);
            stt || lists.tts.contains(&Tts::Deepgram)
        }),
        ("ELEVENLABS_API_KEY", cloud.elevenlabs.account.key.is_some(), lists.tts.contains(&Tts::ElevenLabs)),
        ("ANTHROPIC_API_KEY", cloud.anthropic.account.key.is_some(), lists.llm.contains(&Llm::Anthropic)),
        ("OPENAI_API_KEY", cloud.openai.account.key.is_some(), lists.llm.contains(&Llm::OpenAi)),
        (
            "OPENAI_BASE_URL",
            cloud.openai.account.is_moved && cloud.openai.account.key.is_none(),
            lists.llm.contains(&Llm::OpenAi),
        ),
    ];
    for (name, is_set, is_used) in keys {
        if is_set && !is_used {
            notices.push(format!("{name} is set, but STT, LLM and TTS name no provider that uses it"));
        }
    }
    let after_builtin = lists.llm.iter().skip_while(|llm| **llm != Llm::Builtin).skip(1);
    for llm in after_builtin {
        let name = llm.name();
        notices.push(format!("LLM names {name} after builtin, which never fails: {name} is never asked"));
    }
    notices
}

fn read_limits(s: &mut Source<'_>) -> Limits {
    let defaults = Limits::default();
    let mut seconds =
        |key, default: Duration, max| s.number(key, None, 1..=max).map_or(default, Duration::from_secs);
    let drain = seconds("limits.drain_seconds", defaults.drain, 86_400);
    let handshake = seconds("limits.handshake_seconds", defaults.handshake, 60);
    let idle = seconds("limits.idle_seconds", defaults.idle, 600);
    let stream_wait = seconds("limits.stream_wait_seconds", defaults.stream_wait, 3_600);
    let head = seconds("limits.http_head_seconds", defaults.head, 300);
    let body = seconds("limits.http_body_seconds", defaults.body, 3_600);
    let answer = seconds("limits.http_answer_seconds", defaults.answer, 3_600);
    let small = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
    let count = |n: u64| u32::try_from(n).unwrap_or(u32::MAX);
    let mut rate = |key, default: NonZeroU32| {
        s.number(key, None, 1..=1_000_000).and_then(|n| NonZeroU32::new(count(n))).unwrap_or(default)
    };
    let tenant_calls_per_minute = rate("limits.tenant_calls_per_minute", defaults.tenant_calls_per_minute);
    let tenant_requests_per_second =
        rate("limits.tenant_requests_per_second", defaults.tenant_requests_per_second);
    Limits {
        max_calls: s.number("limits.max_calls", None, 1..=100_000).map(small),
        refuse_when_strained: s
            .flag("limits.refuse_when_strained", None)
            .unwrap_or(defaults.refuse_when_strained),
        max_busy_streams: s
            .number("limits.max_busy_streams", None, 0..=10_000)
            .map_or(defaults.max_busy_streams, small),
        calls_per_number_per_minute: s
            .number("limits.calls_per_number_per_minute", None, 1..=100_000)
            .and_then(|n| u32::try_from(n).ok()),
        drain,
        handshake,
        idle,
        stream_wait,
        head,
        body,
        answer,
        connections: s
            .number("limits.http_connections", None, 16..=1_000_000)
            .map_or(defaults.connections, small),
        tenant_calls: s.number("limits.tenant_calls", None, 1..=100_000).map(count),
        tenant_calls_per_minute,
        tenant_requests_per_second,
        tenant_event_streams: s
            .number("limits.tenant_event_streams", None, 1..=100_000)
            .map_or(defaults.tenant_event_streams, count),
        send: defaults.send,
    }
}

/// Shortest `ADMIN_TOKEN`, characters, and how many of them must differ: whoever guesses it owns everything.
const ADMIN_TOKEN_CHARS: usize = 16;
const ADMIN_TOKEN_DIFFERENT: usize = 8;

fn read_admin_token(s: &mut Source<'_>) -> Option<SecretString> {
    let (text, origin) = s.text("admin_token", Some("ADMIN_TOKEN"))?;
    let mut different: Vec<char> = text.chars().collect();
    different.sort_unstable();
    different.dedup();
    if text.chars().count() < ADMIN_TOKEN_CHARS || different.len() < ADMIN_TOKEN_DIFFERENT {
        let what = format!(
            "is too easy to guess: it needs {ADMIN_TOKEN_CHARS} characters, {ADMIN_TOKEN_DIFFERENT} of them different"
        );
        s.problem(&origin, what, "make one with: openssl rand -hex 32");
        return None;
    }
    Some(text.into())
}

fn read_log(s: &mut Source<'_>) -> Log {
    let formats = [("auto", LogFormat::Auto), ("json", LogFormat::Json), ("pretty", LogFormat::Pretty)];
    Log {
        format: s.choice("log.format", None, &formats).unwrap_or(LogFormat::Auto),
        filter: s.text("log.filter", Some("RUST_LOG")).map_or_else(|| "info".to_owned(), |(text, _)| text),
    }
}

fn read_otlp(s: &mut Source<'_>) -> Option<Endpoint> {
    let (text, origin) = s.text("telemetry.otlp_endpoint", Some("OTEL_EXPORTER_OTLP_ENDPOINT"))?;
    match Endpoint::parse(&text) {
        Ok(endpoint) => Some(endpoint),
        Err(what) => {
            s.problem(origin, format!("`{text}` {what}"), "write it as http://collector:4318");
            None
        }
    }
}

/// Back ends that are settled by contract and not built yet: starting without them would put data elsewhere
/// than the operator said.
fn refuse_missing_backends(s: &mut Source<'_>) {
    if s.secret("nats_url", Some("NATS_URL")).is_some() {
        s.problem(
            "NATS_URL",
            "NATS is not in this build",
            "unset it: live events reach one node's supervisors only",
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(text: &str, vars: &[(&str, &str)]) -> Result<Config, ConfigError> {
        let vars: Vec<(String, String)> =
            vars.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        Config::from_text(text, "quandura.toml", &move |name| {
            vars.iter().find(|(k, _)| k == name).map(|(_, v)| v.clone())
        })
    }

    #[test]
    fn nothing_given_is_a_local_gateway_in_unsigned_mode() {
        let config = load("", &[]).unwrap();
        assert_eq!(config.bind.to_string(), "127.0.0.1:8080");
        assert_eq!(config.data_dir, PathBuf::from("./data"));
        assert!(config.unsigned());
    }

    #[test]
    fn the_environment_wins_over_the_file() {
        let config = load("bind = \"127.0.0.1:1\"\n", &[("BIND", "0.0.0.0:9000")]).unwrap();
        assert_eq!(config.bind.port(), 9000);
    }

    #[test]
    fn every_problem_is_named_at_once_with_its_key_and_fix() {
        let text = "bnid = \"x\"\n[limits]\nmax_calls = 0\n[log]\nformat = \"xml\"\n";
        let error = load(text, &[("PUBLIC_URL", "ftp://x")]).unwrap_err();
        let shown = error.to_string();
        assert_eq!(error.0.len(), 4, "{shown}");
        assert!(shown.contains("bnid (in quandura.toml): is not a setting; did you mean `bind`?"), "{shown}");
        assert!(shown.contains("limits.max_calls") && shown.contains("from 1 to 100000"), "{shown}");
        assert!(shown.contains("choose from auto, json, pretty"), "{shown}");
        assert!(shown.contains("PUBLIC_URL"), "{shown}");
    }

    #[test]
    fn secrets_are_never_shown() {
        let secrets = [
            ("ADMIN_TOKEN", "s3cret-admin-0123456789"),
            ("TWILIO_AUTH_TOKEN", "s3cret-carrier"),
            ("DATABASE_URL", "postgres://app:s3cret-app@localhost/quandura"),
            ("DATABASE_MIGRATION_URL", "postgres://owner:s3cret-owner@localhost/quandura"),
        ];
        let config = load("", &secrets).unwrap();
        assert!(!format!("{config:?}").contains("s3cret"));
        assert!(!config.unsigned());
    }

    #[test]
    fn a_database_url_chooses_postgres_and_an_owner_alone_is_refused() {
        assert!(load("", &[]).unwrap().storage().postgres.is_none());
        let config =
            load("database_connections = 8\n", &[("DATABASE_URL", "postgres://app@localhost/q")]).unwrap();
        let postgres = config.storage().postgres.unwrap();
        assert_eq!((postgres.connections, postgres.owner_url.is_none()), (8, true));
        let error =
            load("", &[("DATABASE_MIGRATION_URL", "postgres://o@localhost/q")]).unwrap_err().to_string();
        assert!(error.contains("DATABASE_MIGRATION_URL") && error.contains("DATABASE_URL"), "{error}");
    }

    #[test]
    fn an_address_that_is_none_is_named_by_its_key_and_not_shown() {
        let text = "database_url = \"mysql://app:s3cret@localhost/q\"\ndatabase_connections = 1\n";
        let vars = [("DATABASE_MIGRATION_URL", "postgres://owner:s3cret@db.example/q")];
        let error = load(text, &vars).unwrap_err();
        let shown = error.to_string();
        assert_eq!(error.0.len(), 3, "{shown}");
        assert!(!shown.contains("s3cret"), "{shown}");
        for part in [
            "database_url (in quandura.toml): is not the address of a PostgreSQL database",
            "postgres://role:password@host:5432/database",
            "DATABASE_MIGRATION_URL: names a database on another machine",
            "sslmode=verify-full",
            "database_connections (in quandura.toml)",
        ] {
            assert!(shown.contains(part), "{part:?} is not in {shown}");
        }
    }

    #[test]
    fn broken_toml_names_its_line() {
        let error = load("bind = \"127.0.0.1:1\"\nlog = [\n", &[]).unwrap_err().to_string();
        assert!(error.contains("quandura.toml line"), "{error}");
    }
}
