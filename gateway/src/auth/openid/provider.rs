//! What is asked of the provider: where its doors are, which keys it signs with, and what a code stands for.
//!
//! Every answer is bounded in time and size, no redirect is followed, and every address must be encrypted, unless the
//! provider is on this machine.

use std::sync::Arc;
use std::time::{Duration, Instant};

use jsonwebtoken::Header;
use jsonwebtoken::jwk::Jwk;
use reqwest::redirect::Policy;
use reqwest::{Client, RequestBuilder, Url};
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use serde_json::{Map, Value};
use tokio::sync::Mutex;

use super::Refusal;
use super::token::{self, Expected};
use crate::config::openid::OpenId;
use crate::config::public_url::is_loopback_host;

/// A whole answer.
const ANSWERS_WITHIN: Duration = Duration::from_millis(if cfg!(test) { 700 } else { 5_000 });
/// Bytes of an answer at most.
const LARGEST: usize = 1024 * 1024;
/// How long what was found holds.
const HOLDS: Duration = Duration::from_secs(60 * 60);
/// Between two looks for a key that was not there: whoever sends made-up keys has us ask no oftener.
const LOOKS_AGAIN: Duration = Duration::from_secs(10);

/// What the provider says of itself.
#[derive(Clone, Debug, Deserialize)]
pub struct Discovery {
    issuer: String,
    pub authorization_endpoint: String,
    token_endpoint: String,
    jwks_uri: String,
    userinfo_endpoint: Option<String>,
    pub end_session_endpoint: Option<String>,
    #[serde(default)]
    token_endpoint_auth_methods_supported: Vec<String>,
}

#[derive(Clone, Debug)]
struct Found {
    at: Instant,
    discovery: Arc<Discovery>,
    keys: Arc<Vec<Jwk>>,
}

#[derive(Debug, Default)]
struct Cache {
    found: Option<Found>,
    looked_again: Option<Instant>,
}

/// The provider of this installation.
#[derive(Debug)]
pub struct Provider {
    pub settings: OpenId,
    http: Client,
    cache: Mutex<Cache>,
}

/// What a code was exchanged for.
#[derive(Deserialize)]
struct Tokens {
    id_token: String,
    #[serde(default)]
    access_token: Option<String>,
}

/// What the answer to a sign-in is held against.
#[derive(Debug)]
pub struct Underway<'a> {
    pub code: &'a str,
    pub verifier: &'a str,
    pub nonce: &'a str,
    pub redirect_uri: &'a str,
}

impl Provider {
    /// Asks nothing yet: a provider that is down at our start is asked when somebody comes.
    pub fn new(settings: OpenId) -> reqwest::Result<Self> {
        let http = Client::builder().redirect(Policy::none()).timeout(ANSWERS_WITHIN).build()?;
        Ok(Self { settings, http, cache: Mutex::default() })
    }

    /// Where its doors are.
    pub async fn discovery(&self) -> Result<Arc<Discovery>, Refusal> {
        Ok(self.found().await?.discovery)
    }

    /// What the provider says of whoever brought the code.
    pub async fn claims(&self, underway: &Underway<'_>) -> Result<Map<String, Value>, Refusal> {
        let found = self.found().await?;
        let tokens = self.exchange(&found.discovery, underway).await?;
        let header = token::head(&tokens.id_token)?;
        let key = self.key(&found, &header).await?;
        let expected = Expected {
            issuer: &self.settings.issuer,
            client_id: &self.settings.client_id,
            nonce: underway.nonce,
        };
        let mut claims = token::verified(&tokens.id_token, &header, &key, expected)?;
        if !super::claims::are_enough(&self.settings, &claims) {
            self.ask_for_more(&found.discovery, tokens.access_token, &mut claims).await?;
        }
        Ok(claims)
    }

    async fn found(&self) -> Result<Found, Refusal> {
        let mut cache = self.cache.lock().await;
        if let Some(found) = &cache.found
            && found.at.elapsed() < HOLDS
        {
            return Ok(found.clone());
        }
        let found = self.find().await?;
        cache.found = Some(found.clone());
        Ok(found)
    }

    async fn find(&self) -> Result<Found, Refusal> {
        let issuer = &self.settings.issuer;
        let address = format!("{}/.well-known/openid-configuration", issuer.trim_end_matches('/'));
        let discovery: Discovery = self.read(self.http.get(&address), "its description").await?;
        // Whoever can answer at that address must not speak for another issuer.
        if discovery.issuer != *issuer {
            return Err(Refusal::Provider(
                "it calls itself by another name than the issuer of the settings".to_owned(),
            ));
        }
        let doors = [&discovery.authorization_endpoint, &discovery.token_endpoint, &discovery.jwks_uri];
        let more = [&discovery.userinfo_endpoint, &discovery.end_session_endpoint];
        for door in doors.into_iter().chain(more.into_iter().flatten()) {
            if !self.may_be_asked(door) {
                return Err(Refusal::Provider("one of its addresses is not encrypted".to_owned()));
            }
        }
        let keys = self.keys(&discovery).await?;
        Ok(Found { at: Instant::now(), discovery: Arc::new(discovery), keys: Arc::new(keys) })
    }

    fn may_be_asked(&self, address: &str) -> bool {
        let Ok(url) = Url::parse(address) else { return false };
        match url.scheme() {
            "https" => true,
            "http" => {
                self.settings.is_loopback
                    && url.host_str().is_some_and(|host| is_loopback_host(host.trim_matches(['[', ']'])))
            }
            _ => false,
        }
    }

    async fn keys(&self, discovery: &Discovery) -> Result<Vec<Jwk>, Refusal> {
        #[derive(Deserialize)]
        struct Set {
            keys: Vec<Value>,
        }
        let set: Set = self.read(self.http.get(&discovery.jwks_uri), "its keys").await?;
        // A key of a kind that we do not know is no reason to refuse the others.
        Ok(set.keys.into_iter().filter_map(|key| serde_json::from_value(key).ok()).collect())
    }

    /// The key of a token. A provider takes new ones now and then: one that is not there is looked for once more.
    async fn key(&self, found: &Found, header: &Header) -> Result<Jwk, Refusal> {
        if let Some(key) = token::key_of(header, &found.keys) {
            return Ok(key.clone());
        }
        let unknown =
            || Refusal::Token("it was signed with a key that the provider does not name".to_owned());
        let mut cache = self.cache.lock().await;
        if cache.looked_again.is_some_and(|at| at.elapsed() < LOOKS_AGAIN) {
            return Err(unknown());
        }
        cache.looked_again = Some(Instant::now());
        let keys = Arc::new(self.keys(&found.discovery).await?);
        if let Some(found) = &mut cache.found {
            found.keys = keys.clone();
        }
        token::key_of(header, &keys).cloned().ok_or_else(unknown)
    }

    async fn exchange(&self, discovery: &Discovery, underway: &Underway<'_>) -> Result<Tokens, Refusal> {
        let settings = &self.settings;
        let mut form = vec![
            ("grant_type", "authorization_code"),
            ("code", underway.code),
            ("redirect_uri", underway.redirect_uri),
            ("code_verifier", underway.verifier),
            ("client_id", settings.client_id.as_str()),
        ];
        let request = self.http.post(&discovery.token_endpoint);
        let methods = &discovery.token_endpoint_auth_methods_supported;
        let takes = |method: &str| methods.iter().any(|taken| taken == method);
        // Where nothing is said, basic is meant.
        let in_body = takes("client_secret_post") && !takes("client_secret_basic");
        let request = match &settings.client_secret {
            Some(secret) if in_body => {
                form.push(("client_secret", secret.expose_secret()));
                request
            }
            Some(secret) => {
                request.basic_auth(quoted(&settings.client_id), Some(quoted(secret.expose_secret())))
            }
            None => request,
        };
        self.read(request.form(&form), "its answer to the code").await
    }

    /// Some providers say who somebody is, and nothing more, in the token; the rest is asked for.
    async fn ask_for_more(
        &self,
        discovery: &Discovery,
        access_token: Option<String>,
        claims: &mut Map<String, Value>,
    ) -> Result<(), Refusal> {
        let (Some(door), Some(token)) = (&discovery.userinfo_endpoint, access_token) else { return Ok(()) };
        let token = SecretString::from(token);
        let asked = self.http.get(door).bearer_auth(token.expose_secret());
        let more: Map<String, Value> = self.read(asked, "what it knows of you").await?;
        if more.get("sub") != claims.get("sub") {
            return Err(Refusal::Token("the provider tells of somebody else (sub)".to_owned()));
        }
        for (name, value) in more {
            claims.entry(name).or_insert(value);
        }
        Ok(())
    }

    async fn read<T: serde::de::DeserializeOwned>(
        &self,
        request: RequestBuilder,
        what: &str,
    ) -> Result<T, Refusal> {
        // The provider's own words stay in its log: they are not ours to show, and may hold what we sent.
        let fault = |why: &str| Refusal::Provider(format!("{what}: {why}"));
        let mut answer = request.send().await.map_err(|error| {
            tracing::warn!(error = %error.without_url(), asked = what, "the OpenID provider does not answer");
            fault("no answer")
        })?;
        let status = answer.status();
        let mut body = Vec::new();
        while let Some(part) = answer.chunk().await.map_err(|_| fault("cut off"))? {
            if body.len() + part.len() > LARGEST {
                return Err(fault("too long"));
            }
            body.extend_from_slice(&part);
        }
        if !status.is_success() {
            return Err(fault(&format!("status {}", status.as_u16())));
        }
        serde_json::from_slice(&body).map_err(|_| fault("not to be read"))
    }
}

/// As a form writes it: RFC 6749, 2.3.1.
fn quoted(text: &str) -> String {
    serde_urlencoded::to_string([("q", text)]).map_or_else(|_| text.to_owned(), |pair| pair[2..].to_owned())
}
