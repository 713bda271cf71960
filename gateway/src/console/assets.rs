//! Serves the console's files. Any path without a file extension is the single page.

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use rust_embed::{EmbeddedFile, RustEmbed};

use crate::error::ApiError;
use crate::webhooks;

#[derive(RustEmbed)]
#[folder = "console/dist"]
struct Dist;

/// File names below this folder change with their content.
const HASHED: &str = "assets/";

/// What the console may load and run: its own files only, and the browser phone's audio.
pub const CONTENT_SECURITY_POLICY: &str = "default-src 'self'; connect-src 'self' ws: wss:; img-src 'self' data:; \
    media-src 'self' blob:; worker-src 'self' blob:; object-src 'none'; \
    frame-ancestors 'none'; base-uri 'none'; form-action 'self'";

/// Answers a GET that no route took.
pub async fn serve(uri: Uri, headers: HeaderMap) -> Response {
    let path = uri.path().trim_start_matches('/');
    if let Some(file) = Dist::get(path) {
        return respond(path, &file, &headers);
    }
    let is_page = !path.rsplit('/').next().is_some_and(|name| name.contains('.')) && !is_machine_path(path);
    match Dist::get("index.html") {
        Some(index) if is_page => respond("index.html", &index, &headers),
        _ => ApiError::not_found("page").into_response(),
    }
}

/// Paths of programs: a typo there must be a 404, not a page.
fn is_machine_path(path: &str) -> bool {
    let first = path.split('/').next().unwrap_or_default();
    ["v1", "health", "ready", "metrics"].contains(&first) || webhooks::is_carrier(first)
}

fn respond(path: &str, file: &EmbeddedFile, request: &HeaderMap) -> Response {
    let zipped =
        Some(request).filter(|request| takes_gzip(request)).and_then(|_| Dist::get(&format!("{path}.gz")));
    let etag = etag(zipped.as_ref().unwrap_or(file));
    if request.get(header::IF_NONE_MATCH).is_some_and(|seen| seen.as_bytes() == etag.as_bytes()) {
        return StatusCode::NOT_MODIFIED.into_response();
    }
    let caching = if path.starts_with(HASHED) { "public, max-age=31536000, immutable" } else { "no-cache" };
    let sent = zipped.as_ref().unwrap_or(file);
    let mut response = Response::new(Body::from(sent.data.to_vec()));
    let headers = response.headers_mut();
    headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    if zipped.is_some() {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    if let Ok(mime) = HeaderValue::from_str(&content_type(file.metadata.mimetype())) {
        headers.insert(header::CONTENT_TYPE, mime);
    }
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(caching));
    if let Ok(etag) = HeaderValue::from_str(&etag) {
        headers.insert(header::ETAG, etag);
    }
    response
}

/// Whether the browser takes the compressed form that the build made. "gzip;q=0" says that it does not.
fn takes_gzip(request: &HeaderMap) -> bool {
    let accepted =
        request.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or_default();
    accepted.split(',').map(|one| one.trim().replace(' ', "").to_ascii_lowercase()).any(|one| {
        let (name, quality) = one.split_once(";q=").unwrap_or((one.as_str(), "1"));
        name == "gzip" && quality.parse::<f32>().is_ok_and(|quality| quality > 0.0)
    })
}

fn content_type(mime: &str) -> String {
    let is_text = mime.starts_with("text/") || mime.ends_with("javascript") || mime.ends_with("json");
    if is_text { format!("{mime}; charset=utf-8") } else { mime.to_owned() }
}

fn etag(file: &EmbeddedFile) -> String {
    let hex: String = file.metadata.sha256_hash().iter().take(12).map(|b| format!("{b:02x}")).collect();
    format!("\"{hex}\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn get(path: &str) -> Response {
        serve(path.parse().unwrap(), HeaderMap::new()).await
    }

    #[tokio::test]
    async fn a_screen_of_the_console_is_the_page_and_a_missing_file_is_not() {
        for path in ["/", "/calls/42"] {
            let response = get(path).await;
            assert_eq!(response.status(), StatusCode::OK, "{path}");
            assert_eq!(response.headers()[header::CONTENT_TYPE], "text/html; charset=utf-8");
            assert_eq!(response.headers()[header::CACHE_CONTROL], "no-cache");
        }
        for path in ["/assets/gone.js", "/v1/nothing", "/twilio/nothing"] {
            assert_eq!(get(path).await.status(), StatusCode::NOT_FOUND, "{path}");
        }
    }

    #[tokio::test]
    async fn who_takes_gzip_gets_it_and_no_one_else() {
        for (accepted, zipped) in
            [("gzip, deflate, br", true), ("br;q=1.0, gzip;q=0.8", true), ("gzip;q=0", false), ("br", false)]
        {
            let headers =
                HeaderMap::from_iter([(header::ACCEPT_ENCODING, HeaderValue::from_static(accepted))]);
            let response = serve("/".parse().unwrap(), headers).await;
            assert_eq!(response.headers().contains_key(header::CONTENT_ENCODING), zipped, "{accepted}");
            assert_eq!(response.headers()[header::CONTENT_TYPE], "text/html; charset=utf-8");
            let body = axum::body::to_bytes(response.into_body(), 100_000).await.unwrap();
            assert_eq!(body.starts_with(&[0x1f, 0x8b]), zipped, "{accepted}");
        }
    }

    #[tokio::test]
    async fn an_unchanged_file_is_not_sent_again() {
        let etag = get("/").await.headers()[header::ETAG].clone();
        let headers = HeaderMap::from_iter([(header::IF_NONE_MATCH, etag)]);
        assert_eq!(serve("/".parse().unwrap(), headers).await.status(), StatusCode::NOT_MODIFIED);
    }
}
