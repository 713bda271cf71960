//! `GET /sign-in/openid` sends a browser to the provider; `GET /sign-in/openid/callback` takes it back.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::{Extensions, HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{TimeDelta, Utc};
use reqwest::Url;
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use sha2::{Digest, Sha256};
use storage::{Auth, BegunBy, Credentials, Directory, NewOpenidUser, User};

use super::provider::{Provider, Underway};
use super::{Refusal, claims};
use crate::app::App;
use crate::audit::acts;
use crate::auth::pages::{self, Again};
use crate::auth::{origin, secrets, session, sign_in};
use crate::error::{ApiError, QueryOf};

/// Where the provider sends people back to; it must know this address.
pub const CALLBACK: &str = "/sign-in/openid/callback";
const COOKIE: &str = "quandura_openid";
/// How long somebody may take at the provider.
const TAKES: Duration = Duration::from_secs(10 * 60);

/// What is kept in the browser while its person is at the provider.
struct Begun {
    state: SecretString,
    nonce: String,
    verifier: SecretString,
}

impl Begun {
    fn new() -> Self {
        Self {
            state: secrets::random_hex(16).into(),
            nonce: secrets::random_hex(16),
            verifier: secrets::random(),
        }
    }

    fn of(headers: &HeaderMap) -> Option<Self> {
        let kept = session::named(headers, COOKIE)?;
        let mut parts = kept.expose_secret().split('.');
        let begun = Self {
            state: parts.next()?.to_owned().into(),
            nonce: parts.next()?.to_owned(),
            verifier: parts.next()?.to_owned().into(),
        };
        (begun.state.expose_secret().len() == 32 && begun.nonce.len() == 32).then_some(begun)
    }

    fn text(&self) -> String {
        format!("{}.{}.{}", self.state.expose_secret(), self.nonce, self.verifier.expose_secret())
    }

    fn challenge(&self) -> String {
        URL_SAFE_NO_PAD.encode(Sha256::digest(self.verifier.expose_secret()))
    }
}

/// What the provider sends back.
#[derive(Debug, Default, Deserialize)]
pub struct Answer {
    code: Option<String>,
    #[serde(default)]
    state: String,
    iss: Option<String>,
    error: Option<String>,
}

/// `GET /sign-in/openid`.
pub async fn begin(State(app): State<Arc<App>>) -> Result<Response, ApiError> {
    let provider = provider(&app)?;
    let begun = Begun::new();
    match address(&app, provider, &begun).await {
        Ok(address) => Ok(kept(leads_to(&address), &app, &begun.text(), TAKES)),
        Err(refusal) => Ok(refused(&app, &refusal)),
    }
}

async fn address(app: &App, provider: &Provider, begun: &Begun) -> Result<String, Refusal> {
    let discovery = provider.discovery().await?;
    let settings = &provider.settings;
    let door = Url::parse(&discovery.authorization_endpoint);
    let mut address = door.map_err(|_| Refusal::Provider("its address is none".to_owned()))?;
    let scopes = std::iter::once("openid").chain(settings.scopes.iter().map(String::as_str));
    address
        .query_pairs_mut()
        .append_pair("response_type", "code")
        .append_pair("client_id", &settings.client_id)
        .append_pair("redirect_uri", &app.public_url.join(CALLBACK))
        .append_pair("scope", &scopes.collect::<Vec<_>>().join(" "))
        .append_pair("state", begun.state.expose_secret())
        .append_pair("nonce", &begun.nonce)
        .append_pair("code_challenge", &begun.challenge())
        .append_pair("code_challenge_method", "S256");
    Ok(address.into())
}

/// `GET /sign-in/openid/callback`.
pub async fn finish(
    State(app): State<Arc<App>>,
    extensions: Extensions,
    headers: HeaderMap,
    QueryOf(answer): QueryOf<Answer>,
) -> Result<Response, ApiError> {
    let provider = provider(&app)?;
    let response = match enter(&app, provider, &headers, &answer).await? {
        Ok(user) => sign_in::begin(&app, &user, BegunBy::Openid, None).await?,
        Err(refusal) => {
            // Whoever guesses waits; a provider that is down is nobody's fault.
            if !matches!(refusal, Refusal::Provider(_)) {
                app.gates.failed(origin::client(&extensions, &headers, &app.config.sign_in.proxies))?;
            }
            app.audit.stranger(acts::openid_refused(refusal.code())).await;
            tracing::warn!(
                audit = "session.refused",
                why = refusal.code(),
                "a provider's answer let nobody in"
            );
            refused(&app, &refusal)
        }
    };
    Ok(kept(response, &app, "", Duration::ZERO))
}

/// Who comes back from the provider.
async fn enter(
    app: &App,
    provider: &Provider,
    headers: &HeaderMap,
    answer: &Answer,
) -> Result<Result<User, Refusal>, ApiError> {
    let Some(begun) = Begun::of(headers).filter(|begun| secrets::matches(&answer.state, &begun.state)) else {
        return Ok(Err(Refusal::Stray));
    };
    // Once: the same answer again is somebody else's.
    let until = Utc::now() + TimeDelta::from_std(TAKES).unwrap_or(TimeDelta::MAX);
    if !app.platform.store().use_nonce(&format!("openid:{}", answer.state), until).await? {
        return Ok(Err(Refusal::Stray));
    }
    if let Some(error) = &answer.error {
        let word = error.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').take(64);
        return Ok(Err(Refusal::Denied(word.collect())));
    }
    // RFC 9207: an answer of another provider is none of ours.
    if answer.iss.as_ref().is_some_and(|issuer| *issuer != provider.settings.issuer) {
        return Ok(Err(Refusal::Stray));
    }
    let Some(code) = &answer.code else { return Ok(Err(Refusal::Stray)) };
    let redirect_uri = app.public_url.join(CALLBACK);
    let verifier = begun.verifier.expose_secret();
    let underway = Underway { code, verifier, nonce: &begun.nonce, redirect_uri: &redirect_uri };
    let said = match provider.claims(&underway).await {
        Ok(said) => said,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let settings = &provider.settings;
    match claims::known(settings, &said).and_then(|known| Ok((known, claims::mapped(settings, &said)?))) {
        Ok((known, mapped)) => {
            let tenant_id = match &mapped.tenant {
                None => None,
                Some(slug) => match app.platform.store().tenant_by_slug(slug).await? {
                    Some(tenant) => Some(tenant.id),
                    None => return Ok(Err(Refusal::NoTenant(slug.clone()))),
                },
            };
            let new = NewOpenidUser {
                issuer: settings.issuer.clone(),
                subject: known.subject,
                login: known.login,
                display_name: known.display_name,
                tenant_id,
                role: mapped.role,
            };
            let (user, news) = app.platform.store().openid_user(new).await?;
            if let Some(news) = news {
                app.audit.record(user.tenant_id, acts::user_of_provider(&user, news)).await?;
            }
            Ok(Ok(user))
        }
        Err(refusal) => Ok(Err(refusal)),
    }
}

/// Where a browser whose session a provider began goes to end it there too.
pub async fn leave(app: &App) -> Option<String> {
    let provider = app.openid.as_ref()?;
    // A provider that is down keeps nobody here.
    let discovery = provider.discovery().await.ok()?;
    let mut address = Url::parse(discovery.end_session_endpoint.as_deref()?).ok()?;
    address
        .query_pairs_mut()
        .append_pair("client_id", &provider.settings.client_id)
        .append_pair("post_logout_redirect_uri", &app.public_url.join("/"));
    Some(address.into())
}

fn provider(app: &App) -> Result<&Provider, ApiError> {
    app.openid.as_deref().ok_or_else(|| {
        ApiError::not_found("OpenID provider").advise("set [sign_in.openid]; see docs/guides/sign-in.md")
    })
}

fn refused(app: &App, refusal: &Refusal) -> Response {
    let status = match refusal {
        Refusal::Provider(_) => StatusCode::BAD_GATEWAY,
        _ => StatusCode::FORBIDDEN,
    };
    pages::refused(app, status, &Again { login: "", message: &refusal.to_string() })
}

fn leads_to(address: &str) -> Response {
    let mut response = StatusCode::SEE_OTHER.into_response();
    if let Ok(address) = HeaderValue::from_str(address) {
        response.headers_mut().insert(header::LOCATION, address);
    }
    response
}

/// Puts the cookie of what is under way, or (nothing, for no time) takes it away. `Lax`: the provider sends people back.
fn kept(mut response: Response, app: &App, value: &str, lives: Duration) -> Response {
    let secure = if app.public_url.is_https() { "; Secure" } else { "" };
    let seconds = lives.as_secs();
    let text =
        format!("{COOKIE}={value}; Path=/sign-in/openid; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}");
    if let Ok(mut cookie) = HeaderValue::from_str(&text) {
        cookie.set_sensitive(true);
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
    response
}
