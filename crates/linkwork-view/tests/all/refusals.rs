//! What must not get in, and that the server goes on all the same.

use crate::host::{Host, LONG, PENDULUM};
use serde_json::json;
use std::io::{Read, Write};
use std::time::{Duration, Instant};
use tungstenite::Message;

fn status(answer: &str) -> &str {
    answer.strip_prefix("HTTP/1.1 ").and_then(|rest| rest.get(..3)).unwrap_or(answer)
}

/// It still serves.
fn assert_well(host: &Host) {
    assert_eq!(status(&host.get("/")), "200");
    host.page().frame();
}

#[test]
fn keeps_out_who_has_no_token_or_comes_from_elsewhere() {
    let host = Host::new(PENDULUM);
    let (own, token) = (host.host(), host.token.clone());
    let ask = |target: &str, fields: &str| host.ask(&format!("GET {target} HTTP/1.1\r\n{fields}\r\n"));
    let good = format!("/?token={token}");
    let at_home = format!("Host: {own}\r\n");
    assert_eq!(status(&ask(&good, &at_home)), "200");
    assert_eq!(status(&ask(&good, &format!("Host: localhost:{}\r\n", host.port))), "200");
    assert_eq!(status(&ask(&good, &format!("{at_home}Origin: http://{own}\r\n"))), "200");
    let other = token.chars().rev().collect::<String>();
    for (target, fields) in [
        ("/", at_home.clone()),
        ("/?token=", at_home.clone()),
        (&format!("/?token={other}"), at_home.clone()),
        (&format!("/?token={}", &token[..31]), at_home.clone()),
        (&good, String::new()),
        (&good, "Host: evil.example\r\n".into()),
        (&good, format!("Host: evil.example:{}\r\n", host.port)),
        (&good, format!("Host: {own}\r\nHost: evil.example\r\n")),
        (&good, "Host: 127.0.0.1\r\n".into()),
        (&good, format!("{at_home}Origin: http://evil.example\r\n")),
        (&good, format!("{at_home}Origin: null\r\n")),
        (&good, format!("{at_home}Origin: https://{own}\r\n")),
    ] {
        assert_eq!(status(&ask(target, &fields)), "403", "{target} {fields}");
    }
    assert_well(&host);
}

#[test]
fn keeps_the_socket_for_its_own_page() {
    let host = Host::new(PENDULUM);
    let (own, token) = (host.host(), host.token.as_str());
    let origin = format!("http://{own}");
    for (token, name, origin) in [
        ("", own.as_str(), Some(origin.as_str())),
        ("00000000000000000000000000000000", &own, Some(&origin)),
        (token, &own, None),
        (token, &own, Some("http://evil.example")),
        (token, &own, Some("null")),
        (token, "evil.example", Some(&origin)),
        (token, "evil.example", Some("http://evil.example")),
    ] {
        let refused = host.knock(token, name, origin).map(|_| ());
        assert_eq!(refused, Err("403 Forbidden".into()), "{token} {name} {origin:?}");
    }
    let plain = format!("GET /live?token={token} HTTP/1.1\r\nHost: {own}\r\nOrigin: {origin}\r\n\r\n");
    assert_eq!(status(&host.ask(&plain)), "426");
    assert_well(&host);
}

#[test]
fn keeps_to_get_and_to_its_own_pages() {
    let host = Host::new(PENDULUM);
    let (own, token) = (host.host(), host.token.as_str());
    for method in ["POST", "PUT", "DELETE", "OPTIONS", "HEAD", "CONNECT"] {
        let answer = host
            .ask(&format!("{method} /?token={token} HTTP/1.1\r\nHost: {own}\r\nContent-Length: 0\r\n\r\n"));
        assert_eq!(status(&answer), "405", "{method}");
    }
    for path in [
        "/../../../../etc/passwd",
        "/..%2f..%2fetc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "//etc/passwd",
        "/model.toml",
        "/live/../model.toml",
        "/./",
        "/index.html",
    ] {
        let answer = host.get(path);
        assert_eq!(status(&answer), "404", "{path}");
        assert!(!answer.contains("root:") && !answer.contains("gravity"), "{path}");
    }
    let icon = host.ask(&format!("GET /favicon.ico HTTP/1.1\r\nHost: {own}\r\n\r\n"));
    assert_eq!(status(&icon), "404");
    for bad in ["\x16\x03\x01\x02\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n"] {
        assert_eq!(status(&host.ask(bad)), "400", "{bad:?}");
    }
    assert_well(&host);
}

#[test]
fn keeps_the_page_to_itself() {
    let host = Host::new(PENDULUM);
    let page = host.get("/");
    let (head, body) = page.split_once("\r\n\r\n").unwrap();
    for line in [
        "Cache-Control: no-store",
        "X-Content-Type-Options: nosniff",
        "Referrer-Policy: no-referrer",
        "X-Frame-Options: DENY",
        "Content-Type: text/html; charset=utf-8",
    ] {
        assert!(head.lines().any(|known| known == line), "{line} in {head}");
    }
    let policy = head.lines().find_map(|line| line.strip_prefix("Content-Security-Policy: ")).unwrap();
    assert!(
        policy.starts_with("default-src 'none';") && policy.contains("frame-ancestors 'none'"),
        "{policy}"
    );
    let script = policy.split(';').find(|part| part.trim().starts_with("script-src")).unwrap();
    assert!(!script.contains("unsafe"), "{script}");
    let nonce = script.split('\'').nth(1).and_then(|word| word.strip_prefix("nonce-")).unwrap();
    assert!(
        body.contains(&format!("<script nonce=\"{nonce}\">"))
            && body.contains(&format!("<style nonce=\"{nonce}\">"))
    );
    assert!(!host.get("/").contains(nonce), "each page has a nonce of its own");
    assert!(!body.contains(&host.token), "the token stays in the address");
}

#[test]
fn keeps_heads_and_messages_within_bounds() {
    let host = Host::new(PENDULUM);
    let long = format!(
        "GET /?token={} HTTP/1.1\r\nHost: {}\r\nX: {}\r\n\r\n",
        host.token,
        host.host(),
        "x".repeat(9000)
    );
    assert_eq!(status(&host.ask(&long)), "431");
    let many = format!(
        "GET /?token={} HTTP/1.1\r\nHost: {}\r\n{}\r\n",
        host.token,
        host.host(),
        "X: y\r\n".repeat(200)
    );
    assert_eq!(status(&host.ask(&many)), "431");
    // a message of more than 64 kB, and one in pieces
    for pieces in [1, 40] {
        let mut page = host.page();
        let text = "x".repeat(70_000 / pieces);
        for i in 0..pieces {
            use tungstenite::protocol::frame::{
                Frame,
                coding::{Data, OpCode},
            };
            let kind = if i == 0 { Data::Text } else { Data::Continue };
            let frame = Frame::message(text.clone(), OpCode::Data(kind), i + 1 == pieces);
            // it may be gone before all is sent
            let _ = page.socket.send(Message::Frame(frame));
        }
        let until = Instant::now() + LONG;
        let gone = std::iter::from_fn(|| Some(page.socket.read())).find(|read| match read {
            Ok(message) => message.is_close(),
            Err(_) => true,
        });
        assert!(gone.is_some() && Instant::now() < until, "{pieces}");
    }
    let mut page = host.page();
    page.socket.send(Message::binary(vec![1, 2, 3])).unwrap();
    assert!(
        std::iter::from_fn(|| Some(page.socket.read()))
            .any(|read| !matches!(read, Ok(message) if !message.is_close()))
    );
    assert_well(&host);
}

#[test]
fn keeps_going_whatever_a_page_says() {
    let host = Host::new(PENDULUM);
    let mut page = host.page();
    for nonsense in [
        "",
        "{",
        "[]",
        "null",
        r#"{"type":"quit"}"#,
        r#"{"type":"set","name":"nobody","value":1}"#,
        r#"{"type":"speed","value":-1}"#,
    ] {
        page.socket.send(Message::text(nonsense)).unwrap();
        let told = page.told("faults", |_| true);
        assert!(!told["text"].as_str().unwrap().is_empty(), "{nonsense}");
    }
    for (body, at) in [(0, json!([0, 0, 0])), (77, json!([0, 0, 0]))] {
        page.send(json!({ "type": "grab", "body": body, "at": at, "to": [0, 0, 0] }));
        page.told("faults", |_| true);
    }
    // nothing is held: nothing happens
    page.send(json!({ "type": "move", "to": [1, 2, 3] }));
    page.say("release");
    page.frame();
    assert_well(&host);
}

#[test]
fn keeps_the_number_of_pages_within_bounds() {
    let host = Host::with(PENDULUM, |options| options.limits.clients = 3);
    let pages: Vec<_> = (0..3).map(|_| host.page()).collect();
    assert_eq!(host.try_socket().map(|_| ()), Err("503 Service Unavailable".into()));
    drop(pages);
    let until = Instant::now() + LONG;
    while host.try_socket().is_err() {
        assert!(Instant::now() < until, "places are not given back");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn keeps_nobody_waiting_for_those_who_dawdle() {
    let host = Host::with(PENDULUM, |options| options.limits.head = Duration::from_secs(1));
    let mut slow: Vec<_> = (0..10).map(|_| host.stream()).collect();
    let begun = Instant::now();
    // a byte at a time, for ever
    let mut dropped = 0;
    while dropped < slow.len() {
        assert!(begun.elapsed() < LONG, "{dropped} dropped");
        assert_well(&host);
        dropped = 0;
        for stream in &mut slow {
            let _ = stream.write_all(b"G");
            stream.set_read_timeout(Some(Duration::from_millis(1))).unwrap();
            let gone = match stream.read(&mut [0; 64]) {
                Ok(0) => true,
                Err(error) => error.kind() == std::io::ErrorKind::ConnectionReset,
                Ok(_) => false,
            };
            dropped += usize::from(gone);
        }
    }
    assert!(begun.elapsed() >= Duration::from_millis(900));
}

#[test]
fn keeps_nobody_who_is_gone() {
    let host = Host::with(PENDULUM, |options| options.limits.idle = Duration::from_millis(1500));
    // one that reads and so answers pings, and one that does not
    let (mut alive, silent) = (host.page(), host.page());
    alive.told("status", |status| status["watchers"] == 2);
    alive.told("status", |status| status["watchers"] == 1);
    drop(silent);
    // and the one that reads is still there when its own time would be up
    alive.frames_during(2.0);
}

/// One that takes nothing costs the others nothing: they get their frames.
#[test]
fn keeps_the_pace_beside_a_slow_page() {
    let host = Host::new(PENDULUM);
    let slow: Vec<_> = (0..4).map(|_| host.page()).collect();
    let mut quick = host.page();
    let frames = quick.frames_during(2.0);
    println!("{frames} frames for 2 s of motion beside {} that take none", slow.len());
    assert!(frames > 60, "{frames}");
}

#[test]
fn keeps_trying_ports() {
    let first = Host::with(PENDULUM, |options| options.port = 4817);
    let second = Host::with(PENDULUM, |options| options.port = first.port);
    assert!(second.port > first.port && second.port < first.port + 50);
    assert_ne!(first.token, second.token);
    assert_eq!(
        status(&second.ask(&format!(
            "GET /?token={} HTTP/1.1\r\nHost: {}\r\n\r\n",
            first.token,
            second.host()
        ))),
        "403"
    );
}
