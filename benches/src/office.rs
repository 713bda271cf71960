//! A person of the office, as the gateway's API and its sockets have them.

use std::time::Duration;

use anyhow::{Result, bail};
use futures_util::StreamExt;
use reqwest::Client;
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep, timeout};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};
use tokio_util::sync::CancellationToken;

use crate::child::Gateway;
use crate::console_ear::ConsoleEar;
use crate::phone_line::number_of;
use crate::providers::ADMIN;

pub type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// The gateway's API, as an administrator has it.
#[derive(Clone, Debug)]
pub struct Office {
    http: Client,
    pub base: String,
}

impl Office {
    #[must_use]
    pub fn of(gateway: &Gateway) -> Self {
        Self { http: Client::new(), base: gateway.base().to_owned() }
    }

    /// Asks.
    ///
    /// # Errors
    /// When the gateway does not answer, or refuses.
    pub async fn get(&self, path: &str) -> Result<Value> {
        let request = self.http.get(format!("{}{path}", self.base)).bearer_auth(ADMIN);
        Ok(request.send().await?.error_for_status()?.json().await?)
    }

    /// Does something that needs no words.
    ///
    /// # Errors
    /// As [`Office::get`].
    pub async fn post(&self, path: &str) -> Result<Value> {
        let request = self.http.post(format!("{}{path}", self.base)).bearer_auth(ADMIN).json(&json!({}));
        Ok(request.send().await?.error_for_status()?.json().await?)
    }

    /// Changes the document of the demo county.
    ///
    /// # Errors
    /// As [`Office::get`].
    pub async fn configure(&self, change: impl FnOnce(&mut Value)) -> Result<()> {
        let path = "/v1/tenants/riverbend/config";
        let document = self.get(path).await?;
        let mut config = document.get("config").cloned().unwrap_or(document);
        change(&mut config);
        let request = self.http.put(format!("{}{path}", self.base)).bearer_auth(ADMIN).json(&config);
        request.send().await?.error_for_status()?;
        Ok(())
    }

    /// Opens a person's socket.
    ///
    /// # Errors
    /// As [`Office::get`].
    pub async fn open(&self, path: &str) -> Result<Socket> {
        let url = format!("{}{path}", self.base.replacen("http", "ws", 1));
        let mut request = url.into_client_request()?;
        request.headers_mut().insert("authorization", format!("Bearer {ADMIN}").parse()?);
        Ok(connect_async(request).await?.0)
    }

    /// The id of a live call whose caller has heard that it may be listened to.
    ///
    /// # Errors
    /// When nobody told them within half a minute.
    pub async fn told(&self, sid: &str) -> Result<String> {
        for _ in 0..300 {
            if let Ok(call) = self.get(&format!("/v1/calls/{sid}")).await
                && let Some(id) = call["id"].as_str()
            {
                let told = self.get(&format!("/v1/audit?subject={id}&action=call.consent")).await?;
                if told["items"].as_array().is_some_and(|items| !items.is_empty()) {
                    return Ok(id.to_owned());
                }
            }
            sleep(Duration::from_millis(100)).await;
        }
        bail!("a caller was not told of listeners")
    }
}

/// What a listener heard.
#[derive(Debug, Default)]
pub struct Listened {
    /// Markers of the caller's, and when each came.
    pub came: Vec<(u16, Instant)>,
    /// The same, and when the console plays each.
    pub plays: Vec<(u16, Instant)>,
    /// How often the console would have run out of the caller's sound.
    pub under_runs: u32,
    pub frames: u64,
    /// Frames that the gateway says it could not send in time.
    pub lost: u64,
}

/// Listens until it is to stop, or the call is over.
pub async fn listen(mut socket: Socket, stop: CancellationToken) -> Listened {
    let (mut listened, mut ear) = (Listened::default(), ConsoleEar::open(Instant::now()));
    loop {
        let message = tokio::select! {
            message = socket.next() => message,
            () = stop.cancelled() => break,
        };
        let now = Instant::now();
        let Some(Ok(message)) = message else { break };
        let Message::Binary(bytes) = message else { continue };
        let mut rest: &[u8] = &bytes;
        while let Some((header, after)) = rest.split_at_checked(16) {
            let (sound, next) = after.split_at(if header[1] == 0 { 0 } else { after.len().min(160) });
            rest = next;
            listened.frames += u64::from(!sound.is_empty());
            listened.lost = number(&header[4..8]);
            match header[1] {
                0 => {}
                1 => {
                    let marker = number_of(sound);
                    listened.came.extend(marker.map(|marker| (marker, now)));
                    ear.caller(number(&header[8..]), now, marker);
                }
                _ => ear.other(number(&header[8..]), now),
            }
        }
    }
    (listened.plays, listened.under_runs) = ear.close();
    let _ = timeout(Duration::from_secs(2), socket.close(None)).await;
    listened
}

fn number(big_endian: &[u8]) -> u64 {
    big_endian.iter().fold(0, |number, byte| number << 8 | u64::from(*byte))
}
