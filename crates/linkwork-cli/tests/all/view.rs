//! `linkwork view` as a user starts and ends it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const PENDULUM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/pendulum.toml");

fn view(arguments: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_linkwork"))
        .arg("view")
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Prints its address, serves the page there, and ends well at Ctrl-C.
#[test]
fn keeps_going_until_ctrl_c() {
    let mut child = view(&[PENDULUM, "--port", "0", "--paused", "--speed", "0.5"]);
    let mut address = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut address).unwrap();
    let rest = address.trim().strip_prefix("http://").unwrap();
    let (host, query) = rest.split_once('/').unwrap();
    let mut stream = TcpStream::connect(host).unwrap();
    write!(stream, "GET /{query} HTTP/1.1\r\nHost: {host}\r\n\r\n").unwrap();
    let mut page = String::new();
    stream.read_to_string(&mut page).unwrap();
    assert!(page.starts_with("HTTP/1.1 200 OK") && page.contains("linkwork-data"), "{page}");
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let until = Instant::now() + Duration::from_secs(120);
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        assert!(Instant::now() < until, "it does not end");
        std::thread::sleep(Duration::from_millis(20));
    };
    assert_eq!(status.code(), Some(0));
    assert!(TcpStream::connect(host).is_err(), "nobody listens any more");
}

#[test]
fn keeps_bad_input_out() {
    for (arguments, word) in [
        (&["nowhere.toml"][..], "nowhere.toml"),
        (&[PENDULUM, "--speed", "-1"], "speed"),
        (&[PENDULUM, "--set", "nobody=1"], "nobody"),
        (&[PENDULUM, "--integrator", "rattle", "--formulation", "joints"], "rattle"),
        (&[PENDULUM, "--formulation", "magic"], "magic"),
    ] {
        let output = view(arguments).wait_with_output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {told}");
        assert!(told.contains(word), "{arguments:?}: {told}");
        assert!(output.stdout.is_empty());
    }
}
