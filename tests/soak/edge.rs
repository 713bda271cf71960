//! Strangers at the door: what anybody on the network may try without a key, in the middle of everything else.

use std::time::Duration;

use tests::caller::{self, StreamOrder};
use tests::gateway::LINE;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio_tungstenite::connect_async;
use tokio_tungstenite::tungstenite::Message;

/// One thing that a stranger does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stranger {
    /// Sockets on the media routes that never say who they are.
    SilentSockets,
    /// Requests whose headers never end.
    SlowHeaders,
    /// Messages that make no sense, after a token that is nobody's.
    Garbage,
    /// The webhook of a call that is over, once more.
    ReplayedWebhook,
}

pub const ALL: [Stranger; 4] =
    [Stranger::SilentSockets, Stranger::SlowHeaders, Stranger::Garbage, Stranger::ReplayedWebhook];

/// Does it for so long, then lets go of everything.
pub async fn intrude(kind: Stranger, base: &str, ended: Option<String>, length: Duration) {
    let address = base.trim_start_matches("http://").to_owned();
    let streams = format!("ws://{address}");
    match kind {
        Stranger::SilentSockets => {
            let mut held = Vec::new();
            for number in 0..64 {
                let route = if number % 2 == 0 { "/twilio/media" } else { "/v1/phone/media" };
                if let Ok((socket, _)) = connect_async(format!("{streams}{route}")).await {
                    held.push(socket);
                }
            }
            tokio::time::sleep(length).await;
        }
        Stranger::SlowHeaders => {
            let mut held = Vec::new();
            for _ in 0..64 {
                if let Ok(mut socket) = TcpStream::connect(&address).await {
                    let _ = socket.write_all(b"POST /twilio/voice HTTP/1.1\r\nhost: line\r\nx-slow: ").await;
                    held.push(socket);
                }
            }
            let end = tokio::time::Instant::now() + length;
            while tokio::time::Instant::now() < end {
                for socket in &mut held {
                    let _ = socket.write_all(b"a").await;
                }
                tokio::time::sleep(Duration::from_millis(500)).await;
            }
        }
        Stranger::Garbage => {
            let order = StreamOrder {
                url: format!("{streams}/twilio/media"),
                parameters: [("token".to_owned(), "nobody's".to_owned())].into(),
                call_sid: caller::call_sid(),
            };
            for number in 0..64_u32 {
                let Ok((mut socket, _)) = connect_async(&order.url).await else { continue };
                use futures_util::SinkExt;
                let start = caller::start_message(&order, "MZ00000000000000000000000000000000");
                let message = match number % 4 {
                    0 => Message::binary(vec![0xff; 4_096]),
                    1 => Message::text("{".repeat(10_000)),
                    2 => caller::text(&caller::media_message("MZ1", 1, &[0; 160])),
                    _ => caller::text(&start),
                };
                let _ = socket.send(caller::text(&caller::connected_message())).await;
                let _ = socket.send(message).await;
            }
            tokio::time::sleep(length).await;
        }
        Stranger::ReplayedWebhook => {
            let Some(sid) = ended else { return };
            for _ in 0..20 {
                let _ = caller::webhook(base, LINE, &sid).await;
            }
            tokio::time::sleep(length).await;
        }
    }
}
