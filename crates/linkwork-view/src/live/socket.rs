//! A client's WebSocket: one thread reads, one writes.

use super::Limits;
use super::clients::{ClientId, Clients, Outbox, Task};
use super::commands::{Command, Order, fault_text};
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::sync::mpsc::SyncSender;
use std::time::Instant;
use tungstenite::error::{CapacityError, Error};
use tungstenite::protocol::frame::coding::CloseCode;
use tungstenite::protocol::{CloseFrame, Role, WebSocketConfig};
use tungstenite::{Bytes, Message, WebSocket};

/// Messages from a client may be this long, bytes.
pub(super) const MAX_MESSAGE: usize = 64 << 10;

/// The side that reads. What the protocol wants to answer there, the side that writes sends.
struct ReadOnly(TcpStream);

impl Read for ReadOnly {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.0.read(out)
    }
}

impl Write for ReadOnly {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn config() -> WebSocketConfig {
    WebSocketConfig::default()
        .read_buffer_size(8 << 10)
        .write_buffer_size(32 << 10)
        .max_message_size(Some(MAX_MESSAGE))
        .max_frame_size(Some(MAX_MESSAGE))
}

/// Serves a client until it goes; `rest`: what came behind the head of its request.
pub(super) fn serve(
    stream: TcpStream,
    rest: Vec<u8>,
    clients: &Clients,
    orders: &SyncSender<Order>,
    limits: &Limits,
) -> io::Result<()> {
    stream.set_nodelay(true)?;
    stream.set_write_timeout(Some(limits.send))?;
    stream.set_read_timeout(Some(limits.idle / 4))?;
    let (reading, writing) = (stream.try_clone()?, stream.try_clone()?);
    let Some((id, outbox)) = clients.join(stream, limits.clients) else { return Ok(()) };
    std::thread::scope(|scope| {
        let (outbox, writer) = (&*outbox, WebSocket::from_raw_socket(writing, Role::Server, Some(config())));
        let spawned = std::thread::Builder::new()
            .name("viewer out".into())
            .spawn_scoped(scope, move || send_all(writer, outbox, limits));
        if spawned.is_ok() && orders.send(Order { from: id, command: Command::Join }).is_ok() {
            let reader =
                WebSocket::from_partially_read(ReadOnly(reading), rest, Role::Server, Some(config()));
            let code = read_all(reader, id, outbox, orders, limits);
            outbox.close(code);
            let _ = orders.send(Order { from: id, command: Command::Leave });
        }
        outbox.close(CloseCode::Away);
    });
    clients.leave(id);
    Ok(())
}

/// Reads commands until the client goes or must; tells why it ends.
fn read_all(
    mut socket: WebSocket<ReadOnly>,
    id: ClientId,
    outbox: &Outbox,
    orders: &SyncSender<Order>,
    limits: &Limits,
) -> CloseCode {
    let mut heard = Instant::now();
    loop {
        match socket.read() {
            Ok(message) => {
                heard = Instant::now();
                match message {
                    Message::Text(text) => match Command::parse(&text) {
                        Ok(command) => {
                            if orders.send(Order { from: id, command }).is_err() {
                                return CloseCode::Away;
                            }
                        }
                        Err(what) => outbox.keep(Message::text(fault_text(&what))),
                    },
                    Message::Binary(_) => return CloseCode::Unsupported,
                    Message::Ping(payload) => outbox.pong(payload),
                    Message::Close(_) => return CloseCode::Normal,
                    Message::Pong(_) | Message::Frame(_) => {}
                }
            }
            Err(Error::Io(error)) if is_timeout(&error) => {
                if heard.elapsed() >= limits.idle {
                    return CloseCode::Policy;
                }
            }
            Err(Error::Capacity(CapacityError::MessageTooLong { .. })) => return CloseCode::Size,
            Err(Error::Protocol(_)) => return CloseCode::Protocol,
            Err(Error::Utf8(_)) => return CloseCode::Invalid,
            Err(_) => return CloseCode::Away,
        }
    }
}

fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut | io::ErrorKind::Interrupted)
}

/// Sends what is queued, and pings, until the queue is closed or the client takes nothing any more.
fn send_all(mut socket: WebSocket<TcpStream>, outbox: &Outbox, limits: &Limits) {
    let every = limits.idle / 3;
    let mut ping = Instant::now() + every;
    let mut send = || -> Result<(), Error> {
        loop {
            match outbox.next(ping) {
                Task::Send(list) => {
                    list.into_iter().try_for_each(|message| socket.write(message))?;
                    socket.flush()?;
                }
                Task::Nothing => {}
                Task::Close(code) => {
                    if code != CloseCode::Abnormal {
                        let frame = CloseFrame { code, reason: "".into() };
                        let _ = socket.send(Message::Close(Some(frame)));
                    }
                    return Ok(());
                }
            }
            if Instant::now() >= ping {
                ping = Instant::now() + every;
                socket.send(Message::Ping(Bytes::new()))?;
            }
        }
    };
    // a client that is gone is nobody's fault
    let _ = send();
    outbox.cut();
}
