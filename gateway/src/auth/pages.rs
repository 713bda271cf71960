//! The pages on which people sign in: they work without scripts, and before the console is there.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};

use crate::app::App;

/// The page's own styles are inline; nothing else is allowed on it.
const PAGE_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; \
    base-uri 'none'";
/// The console's colours.
const STYLE: &str = include_str!("sign_in.css");

const TOKEN: &str = "<details><summary>With a token or link</summary>\
    <p>Paste an API token, or run <code>quandura user link</code> on the gateway's machine and open the link that it \
    prints.</p><form method=\"post\" action=\"/sign-in\"><label>Token \
    <input type=\"password\" name=\"token\" autocomplete=\"off\" required></label>\
    <button>Sign in with it</button></form></details>";

/// Why somebody is here again.
#[derive(Debug)]
pub struct Again<'a> {
    pub login: &'a str,
    pub message: &'a str,
}

/// All ways to sign in.
#[must_use]
pub fn ways(app: &App, again: Option<&Again<'_>>) -> Response {
    // A link, not a form: a policy that names the provider as well would let any form lead there.
    let openid = app.openid.as_ref().map_or_else(String::new, |provider| {
        let name = escaped(&provider.settings.name);
        format!("<p><a class=\"way\" href=\"/sign-in/openid\">Sign in with {name}</a></p>")
    });
    let (login, note) = again.map_or_else(Default::default, |again| {
        (escaped(again.login), format!("<p role=\"alert\" class=\"wrong\">{}</p>", escaped(again.message)))
    });
    // Whoever is here again has only the password to type anew.
    let (first, second) = if login.is_empty() { (" autofocus", "") } else { ("", " autofocus") };
    html(&format!(
        "{note}{openid}<form method=\"post\" action=\"/sign-in/password\"><label>Login \
         <input name=\"login\" value=\"{login}\" autocomplete=\"username\" autocapitalize=\"none\" spellcheck=\"false\" \
         maxlength=\"200\" required{first}></label><label>Password \
         <input type=\"password\" name=\"password\" autocomplete=\"current-password\" maxlength=\"1000\" required{second}>\
         </label><button>Sign in</button></form>{TOKEN}"
    ))
}

/// The page that a one-time link opens.
#[must_use]
pub fn button(token: &str) -> Response {
    // Secrets are hex; anything else is not ours and must not reach the page.
    let token: String = token.chars().filter(|c| c.is_ascii_alphanumeric() || "-_.".contains(*c)).collect();
    html(&format!(
        "<p>This link signs this browser in, once.</p>\
         <form method=\"post\" action=\"/sign-in\"><input type=\"hidden\" name=\"token\" value=\"{token}\">\
         <button autofocus>Sign in to the console</button></form>"
    ))
}

/// The page of somebody who was not let in.
#[must_use]
pub fn refused(app: &App, status: StatusCode, again: &Again<'_>) -> Response {
    let mut response = ways(app, Some(again));
    *response.status_mut() = status;
    response
}

fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            c if c.is_control() => {}
            c => safe.push(c),
        }
    }
    safe
}

fn html(body: &str) -> Response {
    let page = format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>Sign in · Quandura Voice</title>\
         <meta name=\"viewport\" content=\"width=device-width\"><meta name=\"robots\" content=\"noindex\">\
         <style>{STYLE}</style></head><body><main><h1>Quandura Voice</h1>{body}</main></body></html>"
    );
    let mut response = Html(page).into_response();
    response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(PAGE_POLICY));
    response
}
