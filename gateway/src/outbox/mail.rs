//! Alarms by e-mail: one message an alarm, given to a mail relay on this machine, which sends it on.

use std::net::SocketAddr;
use std::time::Duration;

use chrono::Utc;
use sha2::{Digest, Sha256};
use storage::outbox_records::Outgoing;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::deliver::Delivery;
use crate::config::alarms::Mail;

/// Longest wait for the relay to answer, in all.
const RELAY: Duration = Duration::from_secs(15);
/// Bytes of one answer of the relay.
const LONGEST_ANSWER: u64 = 8 * 1024;

/// Gives the relay one message for all receivers.
pub async fn send(mail: &Mail, row: &Outgoing, console: &str) -> Delivery {
    let text = message(mail, row, console);
    match timeout(RELAY, hand_over(mail.relay, mail, &text)).await {
        Ok(Ok(())) => Delivery::Done(None),
        Ok(Err(Refused::Passing)) => Delivery::Again("relay_busy"),
        Ok(Err(Refused::ForGood)) => Delivery::Never("refused"),
        Ok(Err(Refused::Broken)) => Delivery::Again("unreachable"),
        Err(_) => Delivery::Again("timeout"),
    }
}

/// Why the relay did not take it.
#[derive(Debug)]
enum Refused {
    /// It may take it later.
    Passing,
    /// It says no to this message.
    ForGood,
    /// It is not there, or went away.
    Broken,
}

impl From<std::io::Error> for Refused {
    fn from(_: std::io::Error) -> Self {
        Self::Broken
    }
}

/// The conversation of RFC 5321, as short as it can be.
async fn hand_over(relay: SocketAddr, mail: &Mail, text: &str) -> Result<(), Refused> {
    let mut relay = BufReader::new(TcpStream::connect(relay).await?);
    answer(&mut relay, 220).await?;
    ask(&mut relay, "EHLO localhost", 250).await?;
    ask(&mut relay, &format!("MAIL FROM:<{}>", mail.from), 250).await?;
    for to in &mail.to {
        ask(&mut relay, &format!("RCPT TO:<{to}>"), 250).await?;
    }
    ask(&mut relay, "DATA", 354).await?;
    ask(&mut relay, &format!("{text}\r\n."), 250).await?;
    // It has the message; how the conversation ends changes nothing.
    let _ = ask(&mut relay, "QUIT", 221).await;
    Ok(())
}

async fn ask(relay: &mut BufReader<TcpStream>, line: &str, expected: u16) -> Result<(), Refused> {
    relay.get_mut().write_all(format!("{line}\r\n").as_bytes()).await?;
    answer(relay, expected).await
}

/// Reads an answer to its last line, which has a space after its code.
async fn answer(relay: &mut BufReader<TcpStream>, expected: u16) -> Result<(), Refused> {
    let mut lines = relay.take(LONGEST_ANSWER);
    let mut line = String::new();
    loop {
        line.clear();
        if lines.read_line(&mut line).await? == 0 {
            return Err(Refused::Passing);
        }
        if line.as_bytes().get(3) == Some(&b'-') {
            continue;
        }
        return match line.get(..3).and_then(|code| code.parse::<u16>().ok()) {
            Some(code) if code == expected || (code == 251 && expected == 250) => Ok(()),
            Some(500..=599) => Err(Refused::ForGood),
            _ => Err(Refused::Passing),
        };
    }
}

/// The message: what waits and where to find it, no word of the caller. The same alarm has the same id, so that one sent
/// twice can be told.
fn message(mail: &Mail, row: &Outgoing, console: &str) -> String {
    let told = |name: &str| row.payload[name].as_str().unwrap_or_default();
    let (reference, priority, kind) = (told("reference"), told("priority"), told("kind"));
    let id = Sha256::digest(row.idempotency_key.as_bytes());
    let id: String = id.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    [
        format!("From: <{}>", mail.from),
        format!("To: {}", mail.to.iter().map(|to| format!("<{to}>")).collect::<Vec<_>>().join(", ")),
        format!("Subject: Nobody has taken on {reference} ({priority})"),
        format!("Date: {}", Utc::now().to_rfc2822()),
        format!("Message-ID: <{id}@quandura.invalid>"),
        "Auto-Submitted: auto-generated".to_owned(),
        "Content-Type: text/plain; charset=utf-8".to_owned(),
        String::new(),
        format!("The request {reference} ({kind}, {priority}) cannot wait, and nobody has taken it on."),
        format!("It has waited since {}. This is alarm {}.", told("waiting_since"), row.payload["alarms"]),
        String::new(),
        format!("{}/#/work/{}", console.trim_end_matches('/'), told("work_item_id")),
    ]
    .join("\r\n")
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;
    use serde_json::json;
    use storage::OutboxId;
    use storage::outbox_records::OutboxState;
    use tokio::net::TcpListener;

    use super::*;

    fn row() -> Outgoing {
        let at = DateTime::UNIX_EPOCH;
        Outgoing {
            id: OutboxId::new(),
            idempotency_key: "alarm/1".into(),
            destination: "alarm:mail:duty".into(),
            tool: "alarm".into(),
            state: OutboxState::Pending,
            attempts: 1,
            next_at: at,
            call_id: None,
            passport_id: None,
            payload: json!({ "work_item_id": "w1", "reference": "INC-1", "priority": "urgent", "kind": "incident",
                "alarms": 1, "waiting_since": "2026-01-01T00:00:00Z" }),
            answer: None,
            problem: None,
            decided_by: None,
            decided_at: None,
            created_at: at,
            updated_at: at,
        }
    }

    /// A relay that answers RCPT with `code`; what it was told.
    async fn relay(code: &'static str) -> (Mail, tokio::task::JoinHandle<String>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let relay = listener.local_addr().unwrap();
        let told = tokio::spawn(async move {
            let (socket, _) = listener.accept().await.unwrap();
            let (mut lines, mut told) = (BufReader::new(socket), String::new());
            lines.get_mut().write_all(b"220 here\r\n").await.unwrap();
            let mut in_message = false;
            loop {
                let mut line = String::new();
                if lines.read_line(&mut line).await.unwrap_or(0) == 0 {
                    return told;
                }
                told.push_str(&line);
                let answer = match line.trim_end() {
                    "." => "250 taken",
                    _ if in_message => continue,
                    "DATA" => "354 go on",
                    "QUIT" => "221 bye",
                    to if to.starts_with("RCPT") => code,
                    ehlo if ehlo.starts_with("EHLO") => "250-here\r\n250 SIZE",
                    _ => "250 ok",
                };
                in_message = answer.starts_with("354");
                lines.get_mut().write_all(format!("{answer}\r\n").as_bytes()).await.unwrap();
            }
        });
        let (from, to) = ("gateway@example.gov".to_owned(), vec!["duty@example.gov".to_owned()]);
        (Mail { name: "duty".into(), relay, from, to, tenants: None }, told)
    }

    #[tokio::test]
    async fn a_relay_is_given_the_message_once_and_says_whether_it_takes_it() {
        let (mail, told) = relay("250 ok").await;
        assert_eq!(send(&mail, &row(), "https://voice.example.gov/").await, Delivery::Done(None));
        let told = told.await.unwrap();
        for part in [
            "MAIL FROM:<gateway@example.gov>\r\nRCPT TO:<duty@example.gov>\r\nDATA\r\n",
            "Subject: Nobody has taken on INC-1 (urgent)\r\n",
            "https://voice.example.gov/#/work/w1\r\n.\r\nQUIT\r\n",
        ] {
            assert!(told.contains(part), "{part} is missing in {told}");
        }
        let (full, _told) = relay("452 full").await;
        assert_eq!(send(&full, &row(), "").await, Delivery::Again("relay_busy"));
        let (unknown, _told) = relay("550 nobody").await;
        assert_eq!(send(&unknown, &row(), "").await, Delivery::Never("refused"));
        let (gone, told) = relay("250 ok").await;
        told.abort();
        let _ = told.await;
        assert_eq!(send(&gone, &row(), "").await, Delivery::Again("unreachable"));
    }
}
