//! The door: a port on the loopback interface, a page behind it and a socket, nothing else.

use super::Limits;
use super::clients::Clients;
use super::commands::Order;
use super::gate::Gate;
use super::http::{self, Request, Unread};
use super::page::page;
use super::socket;
use super::stop::Stop;
use serde_json::Value;
use std::io;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// So many ports are tried, one after the other.
const TRIED_PORTS: u16 = 50;

/// What the page is made from; changes with the model.
#[derive(Default)]
pub(super) struct PageData(Mutex<Arc<Value>>);

impl PageData {
    /// Puts other data into the page.
    pub fn put(&self, data: Arc<Value>) {
        *self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = data;
    }

    fn get(&self) -> Arc<Value> {
        Arc::clone(&self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner()))
    }
}

/// A bound port. Port 0 takes any that is free; another that is taken gives the next one.
pub(super) fn bind(port: u16) -> io::Result<TcpListener> {
    let mut last = None;
    for next in port..=port.saturating_add(if port == 0 { 0 } else { TRIED_PORTS - 1 }) {
        match TcpListener::bind((Ipv4Addr::LOCALHOST, next)) {
            Ok(listener) => return Ok(listener),
            Err(error) => last = Some(error),
        }
    }
    Err(last.unwrap_or_else(|| io::Error::other("there is no port to try")))
}

/// What connections share.
pub(super) struct Server<'a> {
    pub gate: &'a Gate,
    pub data: &'a PageData,
    pub clients: &'a Clients,
    pub orders: &'a SyncSender<Order>,
    pub limits: &'a Limits,
    pub stop: &'a Stop,
}

/// Counts a connection for as long as it lives.
struct Counted<'a>(&'a AtomicUsize);

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Server<'_> {
    /// Takes connections until all ends, and waits until they have ended too.
    pub fn serve(&self, listener: &TcpListener) {
        let count = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            while !self.stop.is_said() {
                let Ok((stream, _)) = listener.accept() else {
                    // out of files, most likely: others may end soon
                    self.stop.wait(Duration::from_millis(50));
                    continue;
                };
                if self.stop.is_said() {
                    break;
                }
                if count.fetch_add(1, Ordering::SeqCst) >= self.limits.connections {
                    count.fetch_sub(1, Ordering::SeqCst);
                    continue;
                }
                let counted = Counted(&count);
                // one that cannot be served is dropped with its stream
                let _ = std::thread::Builder::new().name("viewer in".into()).spawn_scoped(scope, move || {
                    let _counted = counted;
                    self.connection(stream);
                });
            }
            self.clients.close();
        });
    }

    fn connection(&self, mut stream: TcpStream) {
        let request = match http::read_request(&mut stream, self.limits.head) {
            Ok(request) => request,
            Err(Unread::Gone) => return,
            Err(Unread::TooLong) => {
                return http::answer_plainly(&mut stream, "431 Request Header Fields Too Large");
            }
            Err(Unread::Bad) => return http::answer_plainly(&mut stream, "400 Bad Request"),
        };
        if let Some(refusal) = self.refusal(&request) {
            return http::answer_plainly(&mut stream, refusal);
        }
        if request.path == "/" {
            return match page(&self.data.get(), self.gate) {
                Ok((html, policy)) => http::answer(&mut stream, "200 OK", "text/html", &policy, &html),
                Err(_) => http::answer_plainly(&mut stream, "500 Internal Server Error"),
            };
        }
        let Some(key) = request.field("Sec-WebSocket-Key").map(str::to_owned) else {
            return http::answer_plainly(&mut stream, "400 Bad Request");
        };
        if self.clients.count() >= self.limits.clients {
            return http::answer_plainly(&mut stream, "503 Service Unavailable");
        }
        if stream
            .set_write_timeout(Some(self.limits.send))
            .and_then(|()| http::switch_protocols(&mut stream, &key))
            .is_ok()
        {
            let _ = socket::serve(stream, request.rest, self.clients, self.orders, self.limits);
        }
    }

    /// Why a request is not answered as it wishes.
    fn refusal(&self, request: &Request) -> Option<&'static str> {
        const FORBIDDEN: Option<&str> = Some("403 Forbidden");
        if !request.field("Host").is_some_and(|host| self.gate.is_host(host)) {
            return FORBIDDEN;
        }
        let live = request.path == "/live";
        if (live || request.has("Origin"))
            && !request.field("Origin").is_some_and(|origin| self.gate.is_origin(origin))
        {
            return FORBIDDEN;
        }
        if request.method != "GET" {
            return Some("405 Method Not Allowed");
        }
        if request.path == "/favicon.ico" {
            return Some("404 Not Found");
        }
        if !self.gate.knows_token(&request.query) {
            return FORBIDDEN;
        }
        if request.path != "/" && !live {
            return Some("404 Not Found");
        }
        let upgrades = request.lists("Connection", "upgrade")
            && request.lists("Upgrade", "websocket")
            && request.field("Sec-WebSocket-Version") == Some("13");
        if live && !upgrades { Some("426 Upgrade Required") } else { None }
    }
}
