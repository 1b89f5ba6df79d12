//! A thousand times in and out: nothing is left behind.

#[path = "all/host.rs"]
mod host;

use host::{Host, PENDULUM};
use serde_json::json;
use std::time::{Duration, Instant};

/// Threads and open files of this process, where the system tells.
fn open_things() -> Option<[usize; 2]> {
    let count = |path| Some(std::fs::read_dir(path).ok()?.count());
    Some([count("/proc/self/task")?, count("/proc/self/fd")?])
}

/// Waits until there are no more threads and files than before.
fn assert_given_back(before: Option<[usize; 2]>) {
    let until = Instant::now() + host::LONG;
    loop {
        let now = open_things();
        let fewer = before.zip(now).is_none_or(|(before, now)| now[0] <= before[0] && now[1] <= before[1]);
        if fewer {
            return;
        }
        assert!(Instant::now() < until, "threads and files before {before:?}, now {now:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn keeps_nothing_of_a_thousand_visits() {
    let begun = Instant::now();
    let before = open_things();
    {
        let host = Host::with(PENDULUM, |options| options.limits.look = Duration::from_millis(2));
        host.page().frame();
        let within = open_things();
        for i in 0..1000 {
            let mut page = host.page();
            page.say("play");
            page.frame();
            page.say("pause");
            if i % 5 == 0 {
                let name = format!("visit {i}");
                host.edit(&PENDULUM.replace("\"pendulum\"", &format!("\"{name}\"")));
                page.told("hello", |hello| hello["data"]["scene"]["name"] == name.as_str());
            }
            match i % 4 {
                0 => page.say("reset"),
                1 => page.send(json!({ "type": "grab", "body": 1, "at": [0, 0, 0], "to": [0, 0, 0] })),
                2 => page.send(json!({ "type": "set", "name": "m", "value": 1.0 + f64::from(i) })),
                _ => {}
            }
            // in good order and otherwise
            if i % 2 == 0 {
                let _ = page.socket.close(None);
            }
        }
        assert_given_back(within);
        println!("1,000 visits with 200 reloads in {:.1} s", begun.elapsed().as_secs_f64());
        // whoever looks in at the end still sees it move
        let mut page = host.page();
        page.say("play");
        let t = page.frame().pose.t;
        page.frame_that(|shot| shot.pose.t > t + 0.1);
        host.end();
    }
    for _ in 0..50 {
        let host = Host::new(PENDULUM);
        let page = host.page();
        host.end();
        drop(page);
    }
    assert_given_back(before);
    println!(
        "and 50 viewers begun and ended: {:.1} s in all, threads and files {before:?} before, {:?} after",
        begun.elapsed().as_secs_f64(),
        open_things()
    );
    assert!(begun.elapsed() < Duration::from_secs(120), "{:?}", begun.elapsed());
}
