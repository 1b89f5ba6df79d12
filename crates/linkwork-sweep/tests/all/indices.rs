//! Sensitivity indices.

use linkwork::model::ModelFile;
use linkwork_sweep::{
    Changes, Plan, Progress, Sampling, Selection, Study, SweepFolder, Watch, page, sensitivity,
};

struct Silent;

impl Progress for Silent {
    fn part(&mut self, _: u64, _: &linkwork_sweep::Cases, _: bool) {}
}

/// First-order and total indices of the Ishigami function [ishigami1990] with a = 7, b = 0.1: the closed form, and SALib on the same samples
/// (`tests/data/references.py`).
#[test]
fn exact_ishigami_indices() {
    let text = include_str!("../data/ishigami.toml");
    let file = ModelFile::parse("ishigami.toml", text).unwrap();
    let sets = ["x1", "x2", "x3"].map(|name| format!("{name}=-3.141592653589793..3.141592653589793"));
    let plan = Plan::read(&file, &sets, Sampling::Saltelli(4096), 0).unwrap();
    let study = Study::new(file, plan, Changes::default(), &["f"]).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let folder = SweepFolder::begin(dir.path().join("out"), &study, 1000, false).unwrap();
    assert!(folder.run(&study, Selection::default(), &Watch::default(), &mut Silent).unwrap());
    let list = sensitivity(&folder).unwrap();
    let closed = [
        (0.31390519114781146, 0.5575888552099592),
        (0.4424111447900409, 0.4424111447900409),
        (0.0, 0.24368366406214773),
    ];
    let salib = [
        (0.31410641868894057, 0.5574345763096967),
        (0.44247275212021153, 0.4424541534958444),
        (-6.487942625889069e-05, 0.24329312192218316),
    ];
    assert_eq!(list.len(), 3);
    for ((found, closed), salib) in list.iter().zip(closed).zip(salib) {
        println!("{}: {} {}", found.parameter, found.first, found.total);
        assert_eq!((found.points, found.left_out), (4096, 0));
        // a percent of the variance: what the sample of 4096 leaves
        assert!((found.first - closed.0).abs() < 0.01 && (found.total - closed.1).abs() < 0.01);
        // sums of 4096 terms of order one in another order, and sines of another library
        assert!((found.first - salib.0).abs() < 1e-12 && (found.total - salib.1).abs() < 1e-12);
    }
    let html = page(&folder).unwrap();
    // a histogram, three scatter plots, and nothing from elsewhere
    assert_eq!(html.matches("<svg").count(), 4);
    assert!(html.contains("first order") && html.contains("0.4425"));
    assert!(!html.contains("<script") && !html.contains(" src=") && !html.contains("href="));
}

#[test]
fn indices_need_their_plan() {
    let text = include_str!("../data/ishigami.toml");
    let file = ModelFile::parse("ishigami.toml", text).unwrap();
    let plan = Plan::read(&file, &["x1=0..1"], Sampling::Sobol(4), 0).unwrap();
    let study = Study::new(file, plan, Changes::default(), &["f"]).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let folder = SweepFolder::begin(dir.path(), &study, 1000, false).unwrap();
    assert!(sensitivity(&folder).unwrap_err().to_string().contains("saltelli:N"));
}
