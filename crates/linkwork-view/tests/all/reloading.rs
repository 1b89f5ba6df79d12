//! The model file is edited while it is viewed.

use crate::host::{Host, PENDULUM};
use serde_json::json;

#[test]
fn keeps_up_with_edits() {
    let host = Host::new(PENDULUM);
    let mut page = host.page();
    page.frame_that(|shot| shot.pose.t > 0.2);
    page.send(json!({ "type": "set", "name": "m", "value": 1.5 }));
    page.told("status", |status| status["parameters"][1]["value"] == json!(1.5));
    host.edit(&PENDULUM.replace("\"pendulum\"", "\"renamed\"").replace("1000 mm", "700 mm"));
    let hello = page.told("hello", |_| true);
    assert_eq!(page.scene.name, "renamed");
    assert_eq!(hello["parameters"][0]["value"], json!(700.0));
    // what was chosen stays
    assert_eq!(hello["parameters"][1]["value"], json!(1.5));
    assert!(page.frame().pose.t < 0.2, "from the start");
    assert!(host.get("/").contains("renamed"));
}

#[test]
fn keeps_the_old_model_while_the_new_one_is_wrong() {
    let host = Host::new(PENDULUM);
    let mut page = host.page();
    host.edit(&PENDULUM.replace("mass = \"m\"", "mas = \"m\""));
    let told = page.told("faults", |_| true);
    let text = told["text"].as_str().unwrap();
    assert!(text.contains("model.toml:") && text.contains("mas"), "{text}");
    assert!(!text.contains('\u{1b}'), "no colours in it: {text:?}");
    // the old motion goes on, and one that comes now is told
    let t = page.frame().pose.t;
    page.frame_that(|shot| shot.pose.t > t + 0.2);
    let mut late = host.page();
    late.told("faults", |told| told["text"].as_str().unwrap().contains("mas"));
    host.edit(&PENDULUM.replace("\"pendulum\"", "\"mended\""));
    page.told("hello", |hello| hello["data"]["scene"]["name"] == "mended");
    page.frame();
}

#[test]
fn keeps_on_without_the_file() {
    let host = Host::new(PENDULUM);
    let mut page = host.page();
    std::fs::remove_file(&host.file).unwrap();
    let told = page.told("faults", |_| true);
    assert!(told["text"].as_str().unwrap().contains("model.toml"), "{told}");
    let t = page.frame().pose.t;
    page.frame_that(|shot| shot.pose.t > t + 0.2);
    host.edit(&PENDULUM.replace("\"pendulum\"", "\"back\""));
    page.told("hello", |hello| hello["data"]["scene"]["name"] == "back");
}

/// What no longer fits a new file is given up, what does is kept.
#[test]
fn keeps_choices_that_fit() {
    let host = Host::new(PENDULUM);
    let mut page = host.page();
    page.send(json!({ "type": "choose", "formulation": "kane" }));
    page.told("status", |status| status["formulation"] == "kane");
    page.send(json!({ "type": "set", "name": "l", "value": 500.0 }));
    page.told("hello", |hello| hello["parameters"][0]["value"] == json!(500.0));
    // a loop is nothing for `kane`, and there is no `l` any more
    let text = PENDULUM
        .replace("l = \"1000 mm\"\n", "")
        .replace("B = [\"l\", 0]", "B = [1, 0]\nC = [2, 0]\nD = [1.5, 1]")
        .replace("points = [\"A\"] }", "points = [\"A\", \"C\"] }\nother = { points = [\"B\", \"D\"], mass = 1 }\nthird = { points = [\"D\", \"C\"], mass = 1 }");
    host.edit(&text);
    let hello = page.told("hello", |_| true);
    assert_ne!(hello["formulation"], "kane");
    assert_eq!(hello["parameters"].as_array().unwrap().len(), 1);
    page.frame();
}
