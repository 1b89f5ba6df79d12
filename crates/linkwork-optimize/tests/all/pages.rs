//! Pages and tables.

use crate::study;
use linkwork_optimize::{Data, Measured, Options, fit, fit_page, history_csv, optimize, page};

#[test]
fn exact_page_and_history() {
    let study = study("path<timed>.toml", include_str!("../data/path-timed.toml"));
    let found = optimize(&study, &Options { runs: 400, ..Options::default() }).unwrap();
    let html = page(&study, &found);
    for part in [
        "path&lt;timed&gt;.toml",
        "Before and after",
        "What limits the result",
        "<svg",
        "wanted",
        "gradient check",
        "grashof",
    ] {
        assert!(html.contains(part), "{part}");
    }
    assert!(!html.contains("http://") || html.contains("http://www.w3.org"), "nothing is loaded");
    let history = history_csv(&study, &found.history);
    let mut lines = history.lines();
    assert_eq!(lines.next(), Some("evaluation,solver,objective,violation,open,ground,crank,C.x,C.y,P.x,P.y"));
    assert_eq!(lines.count(), found.history.len());
}

#[test]
fn exact_page_of_a_fit() {
    let study = study("pendulum.toml", include_str!("../data/pendulum-fit.toml"));
    let t: Vec<f64> = (1..10).map(|k| 0.1 * f64::from(k)).collect();
    let values = t.iter().map(|t| -15.0 * t * t).collect();
    let data =
        Data { t, columns: vec![Measured { name: "angle".into(), quantity: "joint.A.q".into(), values }] };
    let found = fit(&study, &data, 300).unwrap();
    let html = fit_page(&study, &data, &found);
    for part in ["95 % interval", "angle: what is left over", "measured", "Correlations"] {
        assert!(html.contains(part), "{part}");
    }
}
