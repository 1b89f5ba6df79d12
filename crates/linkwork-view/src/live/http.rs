//! Just so much of HTTP as a page and a socket need: heads of a bounded size within a bounded time, answers that end the connection.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

/// A head may be this long, bytes.
pub(super) const MAX_HEAD: usize = 8 << 10;

/// A head may have this many fields.
const MAX_FIELDS: usize = 64;

/// What a request says, as far as anybody here asks.
#[derive(Debug, Default)]
pub(super) struct Request {
    pub method: String,
    pub path: String,
    pub query: String,
    fields: Vec<(String, String)>,
    /// What came behind the head.
    pub rest: Vec<u8>,
}

impl Request {
    /// A field of the head; nothing if it is not there, or more than once.
    pub fn field(&self, name: &str) -> Option<&str> {
        let mut found = self.fields.iter().filter(|(known, _)| known.eq_ignore_ascii_case(name));
        let first = found.next()?;
        if found.next().is_some() { None } else { Some(&first.1) }
    }

    /// Whether a field is there at all.
    pub fn has(&self, name: &str) -> bool {
        self.fields.iter().any(|(known, _)| known.eq_ignore_ascii_case(name))
    }

    /// Whether a field that is a list has an entry.
    pub fn lists(&self, name: &str, entry: &str) -> bool {
        self.field(name).is_some_and(|list| list.split(',').any(|one| one.trim().eq_ignore_ascii_case(entry)))
    }
}

/// Why there is no request.
#[derive(Debug)]
pub(super) enum Unread {
    /// The connection ended, or the head did not come in time.
    Gone,
    /// It is too long.
    TooLong,
    /// It is no HTTP.
    Bad,
}

/// Reads the head of a request.
pub(super) fn read_request(stream: &mut TcpStream, within: Duration) -> Result<Request, Unread> {
    let until = Instant::now() + within;
    let (mut head, mut part) = (Vec::new(), [0; 1024]);
    loop {
        // all of it together, not each piece, has that long
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() || stream.set_read_timeout(Some(left)).is_err() {
            return Err(Unread::Gone);
        }
        match stream.read(&mut part) {
            Ok(0) => return Err(Unread::Gone),
            Ok(n) => head.extend_from_slice(&part[..n]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => return Err(Unread::Gone),
        }
        if let Some(request) = parse(&head)? {
            return Ok(request);
        }
        if head.len() > MAX_HEAD {
            return Err(Unread::TooLong);
        }
    }
}

/// Whether bytes are the whole head of a request.
pub(super) fn is_request(head: &[u8]) -> bool {
    matches!(parse(head), Ok(Some(_)))
}

/// The request of a head; nothing while it is not whole.
fn parse(head: &[u8]) -> Result<Option<Request>, Unread> {
    let mut fields = [httparse::EMPTY_HEADER; MAX_FIELDS];
    let mut parsed = httparse::Request::new(&mut fields);
    let length = match parsed.parse(head) {
        Ok(httparse::Status::Complete(length)) if length > MAX_HEAD => return Err(Unread::TooLong),
        Ok(httparse::Status::Complete(length)) => length,
        Ok(httparse::Status::Partial) => return Ok(None),
        Err(httparse::Error::TooManyHeaders) => return Err(Unread::TooLong),
        Err(_) => return Err(Unread::Bad),
    };
    let target = parsed.path.unwrap_or("");
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let fields = parsed
        .headers
        .iter()
        .map(|field| (field.name.to_owned(), String::from_utf8_lossy(field.value).trim().to_owned()))
        .collect();
    Ok(Some(Request {
        method: parsed.method.unwrap_or("").to_owned(),
        path: path.to_owned(),
        query: query.to_owned(),
        fields,
        rest: head[length..].to_vec(),
    }))
}

/// What every answer says: nothing may be kept, framed, guessed or passed to others.
const ALWAYS: &str = "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\nX-Frame-Options: DENY\r\n\
    Cross-Origin-Resource-Policy: same-origin\r\nCross-Origin-Opener-Policy: same-origin\r\n";

/// Answers, and ends the connection.
pub(super) fn answer(stream: &mut TcpStream, status: &str, kind: &str, policy: &str, body: &str) {
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}; charset=utf-8\r\nContent-Length: {}\r\n{ALWAYS}Content-Security-Policy: {policy}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    let _ = stream.set_write_timeout(Some(Duration::from_secs(5)));
    let sent = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body.as_bytes()));
    if sent.is_ok() {
        linger(stream);
    }
}

/// Answers with a line of text.
pub(super) fn answer_plainly(stream: &mut TcpStream, status: &str) {
    answer(stream, status, "text/plain", "default-src 'none'", &format!("{status}\n"));
}

/// Gives the other side a moment to read the answer: unread bytes would make the system throw it away.
fn linger(stream: &mut TcpStream) {
    let _ = stream.shutdown(Shutdown::Write);
    let until = Instant::now() + Duration::from_millis(300);
    let (mut most, mut part) = (64 << 10, [0; 4096]);
    while most > 0 {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() || stream.set_read_timeout(Some(left)).is_err() {
            return;
        }
        match stream.read(&mut part) {
            Ok(n) if n > 0 => most -= n.min(most),
            _ => return,
        }
    }
}

/// Says that the connection is a WebSocket from now on.
pub(super) fn switch_protocols(stream: &mut TcpStream, key: &str) -> io::Result<()> {
    let accept = tungstenite::handshake::derive_accept_key(key.as_bytes());
    let head = format!(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: {accept}\r\n\r\n"
    );
    stream.write_all(head.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_heads() {
        assert!(matches!(parse(b"GET / HTTP/1.1\r\nHost: a"), Ok(None)));
        let request = parse(b"GET /live?token=x HTTP/1.1\r\nHost: a\r\nConnection: keep-alive, Upgrade\r\nX: 1\r\nx: 2\r\n\r\nrest").unwrap().unwrap();
        assert_eq!((request.path.as_str(), request.query.as_str()), ("/live", "token=x"));
        assert_eq!(request.field("host"), Some("a"));
        assert!(request.lists("connection", "upgrade") && !request.lists("connection", "up"));
        assert_eq!((request.field("x"), request.has("X")), (None, true));
        assert_eq!(request.rest, b"rest");
        assert!(matches!(parse(b"\x16\x03\x01\x02\x00\x01\x00\x01"), Err(Unread::Bad)));
        let many = format!("GET / HTTP/1.1\r\n{}\r\n", "A: b\r\n".repeat(100));
        assert!(matches!(parse(many.as_bytes()), Err(Unread::TooLong)));
    }
}
