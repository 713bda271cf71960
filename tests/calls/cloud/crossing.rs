//! One address for a vendor whose services are simulated by two servers: requests go by their path.

use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};

/// Longest request line that is looked at.
const HEAD: usize = 4_096;

/// A port on loopback. What asks for a path goes to the first base URL whose word is in it. Gives its own base URL.
pub async fn crossing(ways: Vec<(&'static str, String)>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(pass(stream, ways.clone()));
        }
    });
    base
}

async fn pass(mut client: TcpStream, ways: Vec<(&'static str, String)>) -> std::io::Result<()> {
    let mut head = Vec::new();
    while !head.contains(&b'\n') && head.len() < HEAD {
        let mut part = [0; 1_024];
        match client.read(&mut part).await? {
            0 => return Ok(()),
            n => head.extend_from_slice(&part[..n]),
        }
    }
    let line = String::from_utf8_lossy(&head);
    let path = line.lines().next().unwrap_or_default();
    let Some((_, base)) = ways.iter().find(|(word, _)| path.contains(word)) else { return Ok(()) };
    let mut server = TcpStream::connect(base.rsplit('/').next().unwrap_or_default()).await?;
    server.write_all(&head).await?;
    copy_bidirectional(&mut client, &mut server).await.map(drop)
}
