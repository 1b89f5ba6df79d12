//! Those who watch: for each a queue of what is still to be sent.
//!
//! Nobody waits for a slow one. Of frames and of the status only the newest are kept for it, hello takes the place of all before, and who does not even fetch what must
//! not be lost is dropped.

use std::collections::VecDeque;
use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};
use tungstenite::protocol::frame::coding::CloseCode;
use tungstenite::{Bytes, Message};

/// So many frames wait for a client: a tenth of a second.
const MOST_FRAMES: usize = 6;

/// So many messages that must not be lost wait for a client.
const MOST_KEPT: usize = 32;

/// A client's name in here.
pub(super) type ClientId = u64;

/// What is still to be sent to a client.
#[derive(Default)]
struct Queue {
    kept: VecDeque<Message>,
    status: Option<Message>,
    frames: VecDeque<Message>,
    pong: Option<Bytes>,
    /// Whether it knows what is shown: frames mean nothing before.
    greeted: bool,
    closing: Option<CloseCode>,
}

impl Queue {
    fn is_empty(&self) -> bool {
        self.kept.is_empty() && self.status.is_none() && self.frames.is_empty() && self.pong.is_none()
    }
}

/// What the one that writes to a client has to do next.
pub(super) enum Task {
    /// Send these.
    Send(Vec<Message>),
    /// Nothing came until now.
    Nothing,
    /// Say so, and end.
    Close(CloseCode),
}

/// A client's queue.
pub(super) struct Outbox {
    queue: Mutex<Queue>,
    wake: Condvar,
    stream: TcpStream,
}

impl Outbox {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    fn change(&self, change: impl FnOnce(&mut Queue)) {
        let mut queue = self.queue();
        if queue.closing.is_none() {
            change(&mut queue);
            self.wake.notify_one();
        }
    }

    /// Ends the connection in good order.
    pub fn close(&self, code: CloseCode) {
        self.change(|queue| queue.closing = Some(code));
    }

    /// Ends the connection at once.
    pub fn cut(&self) {
        self.close(CloseCode::Abnormal);
        let _ = self.stream.shutdown(Shutdown::Both); // whoever reads or writes there finds out
    }

    /// Queues what must not be lost.
    pub fn keep(&self, message: Message) {
        let mut full = false;
        self.change(|queue| {
            full = queue.kept.len() >= MOST_KEPT;
            if !full {
                queue.kept.push_back(message);
            }
        });
        if full {
            self.cut();
        }
    }

    fn hello(&self, message: Message) {
        self.change(|queue| {
            // all before is void
            *queue = Queue { greeted: true, pong: queue.pong.take(), ..Queue::default() };
            queue.kept.push_back(message);
        });
    }

    fn status(&self, message: Message) {
        self.change(|queue| {
            if queue.greeted {
                queue.status = Some(message);
            }
        });
    }

    fn frame(&self, message: Message) {
        self.change(|queue| {
            if queue.greeted {
                if queue.frames.len() >= MOST_FRAMES {
                    queue.frames.pop_front();
                }
                queue.frames.push_back(message);
            }
        });
    }

    /// Queues the answer to a ping; the last one counts.
    pub fn pong(&self, payload: Bytes) {
        self.change(|queue| queue.pong = Some(payload));
    }

    /// Waits until there is something to do, or a time has come.
    pub fn next(&self, until: Instant) -> Task {
        let mut queue = self.queue();
        loop {
            if let Some(code) = queue.closing {
                return Task::Close(code);
            }
            if !queue.is_empty() {
                let pong = queue.pong.take().map(Message::Pong);
                let mut list: Vec<Message> = pong.into_iter().chain(queue.kept.drain(..)).collect();
                list.extend(queue.status.take());
                list.extend(queue.frames.drain(..));
                return Task::Send(list);
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Task::Nothing;
            }
            queue = self
                .wake
                .wait_timeout(queue, left.max(Duration::from_millis(1)))
                .map_or_else(|poisoned| poisoned.into_inner().0, |(queue, _)| queue);
        }
    }
}

#[derive(Default)]
struct List {
    last: ClientId,
    all: Vec<(ClientId, Arc<Outbox>)>,
    closed: bool,
}

/// All who watch.
#[derive(Default)]
pub(super) struct Clients {
    list: Mutex<List>,
}

impl Clients {
    fn list(&self) -> MutexGuard<'_, List> {
        self.list.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Takes in one more, unless there are too many.
    pub fn join(&self, stream: TcpStream, most: usize) -> Option<(ClientId, Arc<Outbox>)> {
        let mut list = self.list();
        if list.closed || list.all.len() >= most {
            return None;
        }
        list.last += 1;
        let outbox = Arc::new(Outbox { queue: Mutex::default(), wake: Condvar::new(), stream });
        let id = list.last;
        list.all.push((id, Arc::clone(&outbox)));
        Some((id, outbox))
    }

    /// One goes.
    pub fn leave(&self, id: ClientId) {
        self.list().all.retain(|(known, _)| *known != id);
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.list().all.len()
    }

    /// Sends all away, and takes in nobody any more.
    pub fn close(&self) {
        let mut list = self.list();
        list.closed = true;
        list.all.iter().for_each(|(_, outbox)| outbox.close(CloseCode::Away));
    }

    fn each(&self, to: Option<ClientId>, act: impl Fn(&Outbox)) {
        let list = self.list();
        list.all.iter().filter(|(id, _)| to.is_none_or(|to| to == *id)).for_each(|(_, outbox)| act(outbox));
    }

    /// Says what there is to see, to one or to all: what came before is void.
    pub fn hello(&self, to: Option<ClientId>, text: &str) {
        let message = Message::text(text);
        self.each(to, |outbox| outbox.hello(message.clone()));
    }

    /// Says something that must not be lost.
    pub fn tell(&self, to: Option<ClientId>, text: &str) {
        let message = Message::text(text);
        self.each(to, |outbox| outbox.keep(message.clone()));
    }

    /// Says how it goes; the last status counts.
    pub fn status(&self, text: &str) {
        let message = Message::text(text);
        self.each(None, |outbox| outbox.status(message.clone()));
    }

    /// Sends a frame to one or to each, as `made` makes it for whom.
    pub fn frame(&self, to: Option<ClientId>, mut made: impl FnMut(ClientId) -> Bytes) {
        let list = self.list();
        let those = list.all.iter().filter(|(id, _)| to.is_none_or(|to| to == *id));
        those.for_each(|(id, outbox)| outbox.frame(Message::Binary(made(*id))));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    fn outbox() -> (Clients, ClientId, Arc<Outbox>, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let other = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let clients = Clients::default();
        let (id, outbox) = clients.join(listener.accept().unwrap().0, 1).unwrap();
        (clients, id, outbox, other)
    }

    fn sent(outbox: &Outbox) -> Vec<Message> {
        match outbox.next(Instant::now()) {
            Task::Send(list) => list,
            _ => Vec::new(),
        }
    }

    #[test]
    fn keeps_the_newest_frames_and_all_that_matters() {
        let (clients, id, outbox, _other) = outbox();
        clients.frame(None, |_| Bytes::from_static(b"early"));
        assert!(sent(&outbox).is_empty(), "no frames before hello");
        clients.hello(Some(id), "hello");
        (0..100_u8).for_each(|i| clients.frame(None, |_| Bytes::copy_from_slice(&[i])));
        (0..100).for_each(|i| clients.status(&format!("status {i}")));
        clients.tell(None, "faults");
        let list = sent(&outbox);
        assert_eq!(list[..3], ["hello", "faults", "status 99"].map(Message::text));
        let frames: Vec<u8> = list[3..].iter().map(|m| m.clone().into_data()[0]).collect();
        assert_eq!(frames, [94, 95, 96, 97, 98, 99]);
        clients.frame(None, |_| Bytes::from_static(b"old"));
        clients.hello(None, "again");
        assert_eq!(sent(&outbox), [Message::text("again")], "what was drawn before is void");
    }

    #[test]
    fn keeps_no_more_than_so_much() {
        let (clients, id, outbox, _other) = outbox();
        assert!(clients.join(outbox.stream.try_clone().unwrap(), 1).is_none());
        clients.hello(Some(id), "hello");
        (0..MOST_KEPT).for_each(|_| clients.tell(None, "faults"));
        assert!(matches!(outbox.next(Instant::now()), Task::Close(CloseCode::Abnormal)));
    }
}
