//! How subcommands reach the API: over HTTP where a gateway runs, else inside this process on the same data folder.
//! Either way the same handlers run, so there is one set of rules.

use std::io::Write;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::ConnectInfo;
use axum::http::{Method, Request, header};
use futures_util::StreamExt;
use reqwest::Client;
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use storage::Platform;
use tower::ServiceExt;

use crate::app::App;
use crate::auth::local::LocalToken;
use crate::config::{Config, PublicUrl};
use crate::demo;
use crate::quarantined_tenants::Damaged;
use crate::router::router;

const MAX_ANSWER: usize = 64 * 1024 * 1024;
const PATIENCE: Duration = Duration::from_secs(120);

/// A way to the API with platform-admin rights.
#[derive(Debug)]
pub enum Api {
    Remote { http: Client, base: String, token: SecretString },
    Inside { app: Arc<App>, router: Router },
}

impl Api {
    /// The gateway that runs on this data folder, or the folder itself when none does.
    pub async fn open(config: &Config) -> anyhow::Result<Self> {
        let base = base_url(config, None)?;
        if let Some(api) = Self::remote(config, base)
            && api.answers().await
        {
            return Ok(api);
        }
        let platform = Platform::open(config.storage()).await?;
        let turn = platform.start_turn().await?;
        demo::seed_first_start(&platform).await?;
        drop(turn);
        let public_url = config.public_url.clone().or_else(|| PublicUrl::of_listener(config.bind));
        let app = App::new(
            config.clone(),
            public_url.context("BIND is no URL; set PUBLIC_URL")?,
            platform,
            Damaged::default(),
        )?;
        Ok(Self::Inside { router: router(app.clone()), app })
    }

    /// A gateway at `base`, when we have a token for it.
    #[must_use]
    pub fn remote(config: &Config, base: String) -> Option<Self> {
        let token = token(config, &base)?;
        Some(Self::Remote { http: http().ok()?, base, token })
    }

    pub(super) async fn answers(&self) -> bool {
        self.send(Method::GET, "/v1/tenants", None).await.is_ok()
    }

    /// One request; the JSON of its answer, or the error's own words and advice.
    pub async fn send(&self, method: Method, path: &str, body: Option<Value>) -> anyhow::Result<Value> {
        let (status, bytes) = match self {
            Self::Remote { http, base, token } => remote(http, base, token, method, path, body).await?,
            Self::Inside { app, router } => inside(app, router, method, path, body).await?,
        };
        if !(200..300).contains(&status) {
            return Err(refusal(status, &bytes));
        }
        if bytes.is_empty() { Ok(Value::Null) } else { Ok(serde_json::from_slice(&bytes)?) }
    }

    /// Copies an answer into a file as it comes, and gives its length. It may take as long as it takes.
    pub async fn download(&self, path: &str, file: &mut std::fs::File) -> anyhow::Result<u64> {
        let mut body = match self {
            Self::Remote { http, base, token } => {
                let request = http.get(format!("{base}{path}")).bearer_auth(token.expose_secret());
                let response = request.send().await.with_context(|| format!("{base} does not answer"))?;
                let status = response.status().as_u16();
                if !response.status().is_success() {
                    return Err(refusal(status, &response.bytes().await?));
                }
                Body::from_stream(response.bytes_stream())
            }
            Self::Inside { app, router } => {
                let response = router.clone().oneshot(inside_request(app, Method::GET, path, None)?).await?;
                let status = response.status();
                if !status.is_success() {
                    return Err(refusal(status.as_u16(), &to_bytes(response.into_body(), MAX_ANSWER).await?));
                }
                response.into_body()
            }
        }
        .into_data_stream();
        let mut length = 0;
        while let Some(part) = body.next().await {
            let part = part.context("the answer was cut off: try again; the gateway's log has the cause")?;
            file.write_all(&part)?;
            length += part.len() as u64;
        }
        Ok(length)
    }

    /// Ends work on the data folder in order.
    pub async fn close(self) {
        if let Self::Inside { app, .. } = self {
            app.platform.close().await;
        }
    }
}

/// An error answer in its own words.
fn refusal(status: u16, bytes: &[u8]) -> anyhow::Error {
    let answer: Value = serde_json::from_slice(bytes).unwrap_or_default();
    let what = answer["error_message"]
        .as_str()
        .map_or_else(|| format!("the gateway refused ({status})"), str::to_owned);
    match answer["suggested_action"].as_str() {
        Some(advice) => anyhow::anyhow!("{what}: {advice}"),
        None => anyhow::anyhow!("{what}"),
    }
}

async fn remote(
    http: &Client,
    base: &str,
    token: &SecretString,
    method: Method,
    path: &str,
    body: Option<Value>,
) -> anyhow::Result<(u16, Vec<u8>)> {
    let mut request = http.request(method, format!("{base}{path}")).bearer_auth(token.expose_secret());
    if let Some(body) = body {
        request = request.json(&body);
    }
    let response =
        request.timeout(PATIENCE).send().await.with_context(|| format!("{base} does not answer"))?;
    Ok((response.status().as_u16(), response.bytes().await?.to_vec()))
}

async fn inside(
    app: &App,
    router: &Router,
    method: Method,
    path: &str,
    body: Option<Value>,
) -> anyhow::Result<(u16, Vec<u8>)> {
    let response = router.clone().oneshot(inside_request(app, method, path, body)?).await?;
    let status = response.status().as_u16();
    Ok((status, to_bytes(response.into_body(), MAX_ANSWER).await?.to_vec()))
}

fn inside_request(
    app: &App,
    method: Method,
    path: &str,
    body: Option<Value>,
) -> anyhow::Result<Request<Body>> {
    let mut request = Request::builder()
        .method(method)
        .uri(path)
        .header(header::CONTENT_TYPE, "application/json")
        .header(header::AUTHORIZATION, format!("Bearer {}", app.local_token.secret().expose_secret()))
        .body(body.map_or_else(Body::empty, |body| Body::from(body.to_string())))?;
    request.extensions_mut().insert(ConnectInfo(SocketAddr::from(([127, 0, 0, 1], 0))));
    Ok(request)
}

/// The HTTP client of subcommands.
pub fn http() -> anyhow::Result<Client> {
    Client::builder().connect_timeout(Duration::from_secs(5)).build().context("no HTTP client")
}

/// Where the gateway is: `--url`, else the address of BIND on this machine.
pub fn base_url(config: &Config, url: Option<&str>) -> anyhow::Result<String> {
    let base = match url {
        Some(text) => text.parse().map_err(|what| anyhow::anyhow!("--url: `{text}` {what}"))?,
        None => PublicUrl::of_listener(config.bind).context("BIND is no URL; give --url")?,
    };
    Ok(base.as_str().to_owned())
}

/// The token for a gateway at `base`: ADMIN_TOKEN, or the local token file when the gateway is on this machine.
#[must_use]
pub fn token(config: &Config, base: &str) -> Option<SecretString> {
    config.admin_token.clone().or_else(|| {
        let here = base.parse::<PublicUrl>().is_ok_and(|url| url.is_loopback());
        LocalToken::read(&config.data_dir).filter(|_| here)
    })
}
