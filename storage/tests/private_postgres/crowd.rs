//! Other programs that take all of a server's connections.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use super::{Cluster, TestDatabase};

/// Connections of others. Dropped, they are free again.
#[derive(Debug)]
pub struct Crowd(Vec<UnixStream>);

impl Crowd {
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// And those that were refused before.
    pub fn join(&mut self, more: Self) {
        self.0.extend(more.0);
    }
}

impl Cluster {
    /// From the next start on it takes so many connections, three of which are the administrator's.
    pub fn limit_connections(&self, most: u32) {
        self.sql("postgres", &format!("alter system set max_connections = {most}"));
        self.crash();
        self.start();
    }

    /// Opens connections of another program until the server refuses one.
    pub fn crowd(&self, database: &TestDatabase) -> Crowd {
        let mut held = Vec::new();
        while let Some(connection) = enter(database) {
            held.push(connection);
        }
        Crowd(held)
    }
}

/// One connection as the owner, who needs no password here; `None` when it is refused.
fn enter(database: &TestDatabase) -> Option<UnixStream> {
    let mut stream = UnixStream::connect(database.socket()).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(5))).ok()?;
    let words = format!("user\0quandura_owner\0database\0{}\0\0", database.name);
    let length = u32::try_from(words.len() + 8).ok()?;
    let mut message = length.to_be_bytes().to_vec();
    // Protocol 3.0.
    message.extend(196_608_u32.to_be_bytes());
    message.extend(words.as_bytes());
    stream.write_all(&message).ok()?;
    loop {
        let mut head = [0; 5];
        stream.read_exact(&mut head).ok()?;
        let [kind, length @ ..] = head;
        let rest = u32::from_be_bytes(length).checked_sub(4)?;
        std::io::copy(&mut Read::by_ref(&mut stream).take(u64::from(rest)), &mut std::io::sink()).ok()?;
        match kind {
            // Ready for a query.
            b'Z' => return Some(stream),
            // Refused.
            b'E' => return None,
            _ => {}
        }
    }
}
