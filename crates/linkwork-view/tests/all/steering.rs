//! Play, pause, parameters, formulations, the hand: what a page can do to a model that runs.

use crate::host::{Host, PENDULUM, Page, quarter_period};
use serde_json::json;

#[test]
fn keeps_a_page_informed() {
    let host = Host::new(PENDULUM);
    let mut page = host.page();
    let hello = page.hello.clone();
    assert_eq!((&hello["data"]["kind"], &hello["state"]), (&json!("live"), &json!("running")));
    assert_eq!(page.scene.name, "pendulum");
    let l = &hello["parameters"][0];
    assert_eq!(
        l,
        &json!({ "name": "l", "label": "l", "value": 1000.0, "low": 0.0, "high": 2000.0, "unit": "mm" })
    );
    assert_eq!(hello["parameters"][1]["unit"], "");
    for (list, known) in [("formulations", "newton-euler"), ("integrators", "dop853")] {
        assert!(hello[list].as_array().unwrap().contains(&json!(known)), "{list}");
    }
    let columns = hello["data"]["table"]["columns"].as_array().unwrap();
    assert!(columns.contains(&json!({ "name": "point.B.x", "unit": "m" })));
    let status = page.told("status", |status| status["factor"].as_f64().unwrap() > 0.5);
    assert_eq!(
        (&status["state"], &status["speed"], &status["watchers"]),
        (&json!("running"), &json!(1.0), &json!(1))
    );
    assert_ne!(status["integrator"], "auto", "what is at work, not what was asked for");
    // the model's own duration is not the end
    page.frame_that(|shot| shot.pose.t > 1.2);
    page.watch(&["point.B.x", "nobody", "t"]);
    let shot = page.frame();
    assert!((shot.values[2] - shot.pose.t).abs() < 1e-5 && shot.values[1].is_nan());
    // the centre of mass is half way to the tip
    let x = shot.pose.bodies[0].unwrap().at[0];
    assert!((x - 0.5 * shot.values[0]).abs() < 1e-3, "{x} {}", shot.values[0]);
}

#[test]
fn keeps_still_when_paused_and_goes_on_from_there() {
    let host = Host::new(PENDULUM);
    let (mut page, mut other) = (host.page(), host.page());
    page.frame_that(|shot| shot.pose.t > 0.3);
    page.say("pause");
    let paused_at = page.told_state("paused")["t"].as_f64().unwrap();
    other.told_state("paused");
    page.until_still();
    // one that comes now sees where it stands
    let late = host.page().frame().pose.t;
    assert_eq!(late, paused_at);
    for i in 1..=3 {
        page.say("step");
        let t = page.frame().pose.t;
        assert!((t - paused_at - f64::from(i) / 60.0).abs() < 1e-9, "{t} after {paused_at}");
    }
    page.say("play");
    let next = page.frame_that(|shot| shot.pose.t > paused_at + 0.051).pose.t;
    assert!(next < paused_at + 0.15, "no leap: {paused_at} {next}");
    page.say("reset");
    page.told("hello", |_| true);
    assert_eq!(page.frame().pose.t, 0.0);
    assert!(page.told("status", |_| true)["factor"].as_f64().unwrap() >= 0.0);
    other.told("hello", |_| true);
    assert!(other.frame().pose.t < paused_at);
}

#[test]
fn keeps_the_speed_that_is_asked_for() {
    let host = Host::new(PENDULUM);
    let mut page = host.page();
    for speed in [4.0, 0.25] {
        page.send(json!({ "type": "speed", "value": speed }));
        page.told("status", |status| {
            let factor = status["factor"].as_f64().unwrap();
            status["speed"] == json!(speed) && factor > 0.8 * speed && factor < 1.25 * speed
        });
        let times: Vec<f64> = (0..20).map(|_| page.frame().pose.t).collect();
        let steps = times.windows(2).filter(|pair| (pair[1] - pair[0] - speed / 60.0).abs() < 1e-9).count();
        assert!(steps > 9, "sixty frames a second at {speed}: {times:?}");
    }
}

/// When x passes through zero, by the frames before and after; and how far these are apart.
fn passes_zero(page: &mut Page) -> (f64, f64) {
    let (mut t, mut x) = (0.0, 1.0);
    loop {
        let shot = page.frame();
        let now = (shot.pose.t, shot.values[0]);
        if now.1 <= 0.0 {
            return (t + (now.0 - t) * x / (x - now.1), now.0 - t);
        }
        (t, x) = now;
    }
}

#[test]
fn exact_quarter_period_of_other_lengths() {
    let host = Host::with(PENDULUM, |options| options.paused = true);
    let mut page = host.page();
    for l in [1.0, 0.25, 1.5] {
        page.send(json!({ "type": "set", "name": "l", "value": 1000.0 * l }));
        page.told("status", |status| {
            (status["parameters"][0]["value"].as_f64().unwrap() - 1000.0 * l).abs() < 1e-9
        });
        page.watch(&["point.B.x"]);
        page.say("play");
        let (found, apart) = passes_zero(&mut page);
        // x is read off between frames, and its curve is straight there but for the third order
        assert!((found - quarter_period(l)).abs() < 0.1 * apart, "{l}: {found} {}", quarter_period(l));
        page.say("pause");
        page.told_state("paused");
        page.say("reset");
        page.told("hello", |_| true);
    }
}

#[test]
fn keeps_the_old_value_where_a_new_one_is_refused() {
    let host = Host::new(PENDULUM);
    let mut page = host.page();
    page.send(json!({ "type": "set", "name": "l", "value": 0.0 }));
    let told = page.told("faults", |_| true);
    assert!(told["text"].as_str().unwrap().contains("rod"), "{told}");
    let status = page.told("status", |_| true);
    assert_eq!((&status["state"], &status["parameters"][0]["value"]), (&json!("running"), &json!(1000.0)));
    page.frame();
    // a good one takes the fault away
    page.send(json!({ "type": "set", "name": "m", "value": 2.0 }));
    page.told("faults", |told| told["text"] == "");
    page.told("status", |status| status["parameters"][1]["value"] == json!(2.0));
}

/// A four-bar that a driver turns: with another crank it cannot be where it was.
#[test]
fn keeps_running_from_the_start_where_it_cannot_go_on() {
    let text = r#"
        format = 1
        [model]
        name = "driven"
        dimension = 2
        [parameters]
        l = 1.0
        [points]
        A = [0, 0]
        B = ["l", 0]
        C = ["l", "3 * l"]
        D = ["4 * l", 0]
        [bodies]
        ground = { points = ["A", "D"] }
        crank = { points = ["A", "B"], mass = 1.0 }
        coupler = { points = ["B", "C"], mass = 1.0 }
        rocker = { points = ["C", "D"], mass = 1.0 }
        [drivers]
        turn = { joint = "A", value = "t" }
    "#;
    let host = Host::new(text);
    let mut page = host.page();
    page.frame_that(|shot| shot.pose.t > 0.5);
    page.send(json!({ "type": "set", "name": "l", "value": 2.0 }));
    page.told("hello", |hello| hello["parameters"][0]["value"] == json!(2.0));
    page.frame();
    page.told("status", |status| status["state"] == "running");
}

const DOUBLE: &str = r#"
format = 1
[model]
name = "double pendulum"
dimension = 2
gravity = [0, -9.81]
[points]
A = [0, 0]
B = [0.8, 0]
C = [1.2, 0.4]
[bodies]
ground = { points = ["A"] }
upper = { points = ["A", "B"], mass = 1.0 }
lower = { points = ["B", "C"], mass = 0.5 }
"#;

/// Energy is kept, and no body moves farther between two frames than it can: all through the changes.
#[test]
fn same_motion_in_another_formulation_and_integrator() {
    let host = Host::new(DOUBLE);
    let mut page = host.page();
    page.watch(&["energy.total", "energy.kinetic"]);
    let mut before = page.frame();
    let start = before.values[0];
    let choices = [
        json!({ "type": "choose", "formulation": "points" }),
        json!({ "type": "choose", "formulation": "newton-euler", "integrator": "dop853" }),
        json!({ "type": "choose", "formulation": "joints" }),
        json!({ "type": "choose", "integrator": "radau5" }),
        json!({ "type": "choose", "formulation": "momentum", "integrator": "dopri5" }),
    ];
    for choice in choices {
        page.send(choice.clone());
        let (mut frames, mut changed) = (0, false);
        while frames < 20 || !changed {
            match page.hear() {
                crate::host::Heard::Text(told) => {
                    assert!(told["type"] == "status", "{told}");
                    changed |= ["formulation", "integrator"]
                        .iter()
                        .all(|key| choice[*key].is_null() || choice[*key] == told[*key]);
                }
                crate::host::Heard::Frame(shot) => {
                    frames += 1;
                    let dt = shot.pose.t - before.pose.t;
                    assert!((-1e-9..0.3).contains(&dt), "{dt}");
                    assert!((shot.values[0] - start).abs() < 1e-4, "{} {start} in {choice}", shot.values[0]);
                    for (b, mass) in [1.0_f64, 0.5].into_iter().enumerate() {
                        let [then, now] = [&before, &shot].map(|s| s.pose.bodies[b].unwrap().at);
                        let moved = then.iter().zip(now).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
                        // all energy there is in this body alone
                        let most = (2.0 * 20.0 / mass).sqrt();
                        assert!(moved <= most * dt + 1e-3, "{moved} in {dt} s in {choice}");
                    }
                    before = shot;
                }
            }
        }
    }
    page.send(json!({ "type": "choose", "formulation": "kane", "integrator": "rattle" }));
    page.told("faults", |told| told["text"].as_str().unwrap().contains("rattle"));
    page.frame();
}

#[test]
fn keeps_a_body_on_the_hand() {
    // it hangs down, at rest
    let text = PENDULUM.replace("B = [\"l\", 0]", "B = [0, \"-l\"]");
    let host = Host::new(&text);
    let (mut page, mut other) = (host.page(), host.page());
    page.watch(&["point.B.x", "point.B.y"]);
    let rod = page.body("rod");
    page.send(json!({ "type": "grab", "body": rod, "at": [0, -0.5, 0], "to": [0, -1, 0] }));
    page.send(json!({ "type": "move", "to": [0.8, -0.6, 0] }));
    // someone else's hand is not this one
    other.send(json!({ "type": "move", "to": [-5, 0, 0] }));
    other.say("release");
    let shot = page.frame_that(|shot| shot.pose.t > 2.5);
    // the weight, 9.81 N at half the length, against k = (3π)² N/m at its end: it hangs a little below
    assert!((shot.values[0] - 0.8).abs() < 0.1 && shot.values[0] < 0.8, "{:?}", shot.values);
    page.send(json!({ "type": "move", "to": [-0.8, -0.6, 0] }));
    page.frame_that(|shot| shot.values[0] < -0.6);
    page.say("release");
    // let go, it swings through
    page.frame_that(|shot| shot.values[0] > 0.2);
    // and one who leaves lets go as well
    page.send(json!({ "type": "grab", "body": rod, "at": [0, -0.5, 0], "to": [0, 0.9, 0] }));
    page.frame_that(|shot| shot.values[1] > -0.2);
    drop(page);
    other.watch(&["point.B.y"]);
    other.frame_that(|shot| shot.values[0] < -0.8);
}

const FREE: &str = r#"
format = 1
[model]
name = "free"
dimension = 3
[points]
A = [0, 0, 0]
B = [1, 0, 0]
C = [0, 1, 0]
[bodies]
upper = { points = ["A", "B", "C"], mass = 1.0, shape = { type = "box", size = [1, 0.5, 0.2] } }
"#;

/// A pointer that is dragged to the end of the world and messages with every hostile number: the engine answers, lets go and starts again.
#[test]
fn keeps_answering_after_a_drag_far_away() {
    for model in [DOUBLE, FREE] {
        let host = Host::new(model);
        let mut page = host.page();
        let body = page.body("upper");
        let begun = std::time::Instant::now();
        for to in [[1e9, 1e9, 0.0], [-1e9, 1e-300, 1e9], [1e9, -1e9, -1e9]] {
            page.send(json!({ "type": "grab", "body": body, "at": [0.3, 0, 0], "to": to }));
            page.send(json!({ "type": "move", "to": to }));
            let now = page.frame().pose.t;
            page.frame_that(|shot| shot.pose.t > now + 0.3);
        }
        for hostile in [
            r#"{"type":"move","to":[1e308,0,0]}"#,
            r#"{"type":"move","to":[1e999,0,0]}"#,
            r#"{"type":"move","to":[NaN,0,0]}"#,
            r#"{"type":"move","to":[null,0,0]}"#,
            r#"{"type":"grab","body":18446744073709551615,"at":[0,0,0],"to":[0,0,0]}"#,
            r#"{"type":"grab","body":1,"at":[1e308,0,0],"to":[0,0,0]}"#,
            r#"{"type":"speed","value":1e308}"#,
            r#"{"type":"set","name":"l","value":1e308}"#,
        ] {
            page.socket.send(tungstenite::Message::text(hostile)).unwrap();
            page.told("faults", |told| !told["text"].as_str().unwrap().is_empty());
        }
        page.say("release");
        page.say("reset");
        page.told("hello", |_| true);
        page.frame_that(|shot| shot.pose.t < 0.2);
        page.frame_that(|shot| shot.pose.t > 0.5);
        println!("{}: {:.1} s", page.scene.name, begun.elapsed().as_secs_f64());
    }
}

#[test]
fn keeps_showing_the_end() {
    let host = Host::new(&format!("{PENDULUM}stop = \"point.B.x < 0\"\n"));
    let mut page = host.page();
    let status = page.told_state("ended");
    assert!((status["t"].as_f64().unwrap() - quarter_period(1.0)).abs() < 1e-6, "{status}");
    page.until_still();
    page.say("reset");
    assert_eq!(page.told("hello", |_| true)["state"], "running");
    page.told_state("ended");
}

#[test]
fn keeps_all_pages_alike() {
    let host = Host::new(PENDULUM);
    let mut pages: Vec<Page> = (0..5).map(|_| host.page()).collect();
    pages[3].send(json!({ "type": "set", "name": "m", "value": 3.0 }));
    for page in &mut pages {
        page.told("status", |status| {
            status["parameters"][1]["value"] == json!(3.0) && status["watchers"] == 5
        });
    }
    pages[1].say("pause");
    let stood: Vec<f64> =
        pages.iter_mut().map(|page| page.told_state("paused")["t"].as_f64().unwrap()).collect();
    assert!(stood.iter().all(|t| *t == stood[0]), "{stood:?}");
}

/// A rod without gravity on a motor: its angle is T t² / 2J, J = m l² / 3. The motor's torque is an input.
#[test]
fn exact_motion_of_an_input() {
    let text = PENDULUM.replace("gravity = [0, -9.81]", "").replace(
        "[simulation]",
        "[inputs]\ntorque = { unit = \"mN m\", limits = [-500, 500] }\nfree = {}\n[actuators]\nmotor = { joint = \"A\", torque = \"input.torque\" }\n[simulation]",
    );
    let host = Host::new(&text);
    let mut page = host.page();
    let slider = json!({ "name": "torque", "value": 0.0, "low": -500.0, "high": 500.0, "unit": "mN m" });
    assert_eq!(page.hello["inputs"], json!([slider]), "those with limits have sliders");
    page.watch(&["joint.A.q", "joint.A.v", "input.torque"]);
    page.send(json!({ "type": "input", "name": "torque", "value": 200.0 }));
    page.told("status", |status| status["inputs"][0]["value"] == json!(200.0));
    let turning = |page: &mut Page| page.frame_that(|shot| shot.values[1] > 0.0);
    let (one, other) = (turning(&mut page), page.frame_that(|shot| shot.values[1] > 0.3));
    let rate = (other.values[1] - one.values[1]) / (other.pose.t - one.pose.t);
    assert!((rate - 0.2 * 3.0).abs() < 1e-4, "{rate}");
    // it goes on in another formulation, and stays through a reset
    page.send(json!({ "type": "choose", "formulation": "newton-euler" }));
    page.told("status", |status| status["formulation"] == "newton-euler");
    page.frame_that(|shot| shot.values[1] > other.values[1]);
    page.say("reset");
    page.told("hello", |hello| hello["inputs"][0]["value"] == json!(200.0));
    page.send(json!({ "type": "input", "name": "nobody", "value": 1.0 }));
    page.told("faults", |told| told["text"].as_str().unwrap().contains("torque"));
}

/// The model waits at its start until somebody looks, however long that takes: other requests do not count.
#[test]
fn keeps_waiting_for_the_first_page() {
    let host = Host::new(PENDULUM);
    for _ in 0..40 {
        assert!(host.get("/").starts_with("HTTP/1.1 200"));
    }
    let mut page = host.page();
    assert_eq!(page.frame().pose.t, 0.0);
    page.frame_that(|shot| shot.pose.t > 0.1);
}
