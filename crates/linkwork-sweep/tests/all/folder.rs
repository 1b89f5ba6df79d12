//! Folders: shards, interruptions, damage.

use linkwork::model::ModelFile;
use linkwork_sweep::{
    CaseStatus, Cases, Changes, Error, PLAN_FILE, PartState, Plan, Progress, Sampling, Selection, Shard,
    Study, SweepFolder, Watch, merge,
};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

const TEXT: &str = r#"
    format = 1
    model = { name = "swept", gravity = "-y" }
    parameters = { l = "30 cm", m = "2 kg" }
    points = { A = [0, 0], B = ["l", 0] }
    bodies.ground = { points = ["A"] }
    bodies.rod = { points = ["A", "B"], mass = "m" }
    simulation = { duration = 0.02, output_step = 0.01, integrator = "rk4", step = 0.005 }
"#;

fn study(sets: &[&str], sampling: Sampling) -> Study {
    let file = ModelFile::parse("swept.toml", TEXT).unwrap();
    let plan = Plan::read(&file, sets, sampling, 5).unwrap();
    Study::new(file, plan, Changes::default(), &["final(point.B.y)", "integral(energy.kinetic)"]).unwrap()
}

fn sampled() -> Study {
    study(&["l=20 cm..50 cm", "m=normal(2 kg, 0.1 kg)"], Sampling::Latin(137))
}

/// Stops after so many fresh parts.
struct Until(usize, Arc<AtomicBool>);

impl Progress for Until {
    fn part(&mut self, _: u64, _: &Cases, fresh: bool) {
        self.0 -= usize::from(fresh).min(self.0);
        self.1.store(self.0 == 0, Ordering::Relaxed);
    }
}

fn fill(folder: &SweepFolder, study: &Study, selection: Selection, parts: usize) -> bool {
    let watch = Watch { threads: 2, ..Watch::default() };
    let mut until = Until(parts, watch.stop.clone());
    folder.run(study, selection, &watch, &mut until).unwrap()
}

fn merged(folder: &SweepFolder, name: &str) -> Vec<u8> {
    let path = folder.path().join(name);
    merge(folder, &path).unwrap();
    std::fs::read(path).unwrap()
}

fn whole(dir: &Path, study: &Study) -> SweepFolder {
    let folder = SweepFolder::begin(dir, study, 10, false).unwrap();
    assert!(fill(&folder, study, Selection::default(), usize::MAX));
    folder
}

#[test]
fn same_bytes_from_sixteen_shards_and_after_an_interruption() {
    let dir = tempfile::tempdir().unwrap();
    let study = sampled();
    let one = whole(&dir.path().join("one"), &study);
    let sharded = SweepFolder::begin(dir.path().join("sharded"), &study, 10, true).unwrap();
    for i in (1..=16).rev() {
        let shard = Shard::read(&format!("{i}/16"), &|_| None).unwrap();
        assert!(fill(&sharded, &study, Selection { shard, retry_failed: false }, usize::MAX));
    }
    let stopped = SweepFolder::begin(dir.path().join("stopped"), &study, 10, false).unwrap();
    assert!(!fill(&stopped, &study, Selection::default(), 5));
    assert_eq!(stopped.state(4).unwrap(), PartState::Whole { finished: 10, failed: 0, refused: 0 });
    assert_eq!(stopped.state(5).unwrap(), PartState::Missing);
    assert!(merge(&stopped, &dir.path().join("a.csv")).unwrap_err().to_string().contains("part-00005"));
    // a file that a killed process has left goes, unless it is so young that somebody may be writing to it
    for (name, age) in [(".part-00006.parquet-left", 3600), (".part-00007.parquet-young", 0)] {
        let file = std::fs::File::create(stopped.path().join(name)).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(age)).unwrap();
    }
    let stopped = SweepFolder::begin(dir.path().join("stopped"), &study, 10, true).unwrap();
    assert!(fill(&stopped, &study, Selection::default(), usize::MAX));
    assert!(!stopped.path().join(".part-00006.parquet-left").exists());
    assert!(stopped.path().join(".part-00007.parquet-young").exists());
    for name in ["all.parquet", "all.csv"] {
        let expected = merged(&one, name);
        assert_eq!(merged(&sharded, name), expected);
        assert_eq!(merged(&stopped, name), expected);
    }
    // parts of another size give the same table, apart from the hash of the plan
    let larger = SweepFolder::begin(dir.path().join("larger"), &study, 64, false).unwrap();
    assert!(fill(&larger, &study, Selection::default(), usize::MAX));
    assert_eq!(merged(&larger, "all.csv"), merged(&one, "all.csv"));
    assert_eq!(merged(&one, "all.csv").iter().filter(|byte| **byte == b'\n').count(), 138);
}

/// A case that cannot be has a row of its own, and the others their numbers.
#[test]
fn failing_cases_keep_their_own_record() {
    let dir = tempfile::tempdir().unwrap();
    let study = study(&["m=-1..1:5", "l=0.2,0.4"], Sampling::Grid);
    let folder = whole(dir.path(), &study);
    let cases = folder.read(0).unwrap();
    assert_eq!(cases.status[..6], [CaseStatus::Refused; 6]);
    assert_eq!(cases.status[6..], [CaseStatus::Finished; 4]);
    assert!(cases.codes[0] == "model" && cases.codes[9].is_empty());
    assert!(cases.results[0][0].is_nan() && cases.results[0][9].is_finite());
    assert_eq!(folder.state(0).unwrap(), PartState::Whole { finished: 4, failed: 0, refused: 6 });
    // tried again they end as before, bit by bit
    let before = std::fs::read(folder.part(0)).unwrap();
    assert!(fill(&folder, &study, Selection { retry_failed: true, ..Selection::default() }, usize::MAX));
    assert_eq!(std::fs::read(folder.part(0)).unwrap(), before);
}

#[test]
fn another_sweep_and_damage_are_refused_by_name() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("out");
    let study = sampled();
    let folder = whole(&path, &study);
    let begin =
        |study: &Study, size, resume| SweepFolder::begin(&path, study, size, resume).unwrap_err().to_string();
    assert!(begin(&study, 10, false).contains("--resume"));
    assert!(begin(&study, 20, true).contains("--part-size"));
    assert!(begin(&self::study(&["l=0.2..0.5", "m=2"], Sampling::Latin(137)), 10, true).contains("--set"));
    assert!(
        begin(&self::study(&["l=20 cm..50 cm", "m=normal(2 kg, 0.1 kg)"], Sampling::Latin(138)), 10, true)
            .contains("--sample")
    );
    let other = ModelFile::parse("swept.toml", TEXT.replace("0.02", "0.03")).unwrap();
    let plan = study.plan().clone();
    let other = Study::new(other, plan, Changes::default(), &["point.B.y"]).unwrap();
    assert!(begin(&other, 10, true).contains("the model"));
    // every tenth byte of a part, changed, is noticed; so is a part that is cut, and one that belongs elsewhere
    let part = folder.part(3);
    let bytes = std::fs::read(&part).unwrap();
    for at in (0..bytes.len()).step_by(10) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x20;
        std::fs::write(&part, damaged).unwrap();
        let error = folder.read(3).unwrap_err();
        assert!(matches!(&error, Error::Damaged { file, .. } if *file == part), "{at}: {error}");
    }
    std::fs::write(&part, &bytes[..bytes.len() - 1]).unwrap();
    assert!(folder.read(3).unwrap_err().to_string().contains("part-00003.parquet is damaged"));
    std::fs::copy(folder.part(4), &part).unwrap();
    assert!(folder.read(3).unwrap_err().to_string().contains("other cases"));
    std::fs::write(&part, &bytes).unwrap();
    assert!(folder.read(3).is_ok());
    // the plan
    let plan = path.join(PLAN_FILE);
    let text = std::fs::read_to_string(&plan).unwrap();
    for damaged in [
        text.replace("137", "138"),
        text.replace("30 cm", "31 cm"),
        text[..text.len() / 2].to_owned(),
        "{}".into(),
    ] {
        std::fs::write(&plan, damaged).unwrap();
        let error = SweepFolder::open(&path).unwrap_err();
        assert!(matches!(&error, Error::Damaged { file, .. } if *file == plan), "{error}");
    }
    assert!(SweepFolder::open(dir.path()).unwrap_err().to_string().contains("plan.json"));
}

#[test]
fn wrong_columns_are_named() {
    for (columns, words) in [
        (vec!["point.B.q"], "no result column `point.B.q`"),
        (vec!["at(5, point.B.y)"], "after the end"),
        (vec!["max(point.B.y)", "max(point.B.y)"], "two columns"),
    ] {
        let file = ModelFile::parse("swept.toml", TEXT).unwrap();
        let plan = Plan::read(&file, &["l=0.3"], Sampling::Grid, 0).unwrap();
        let error = Study::new(file, plan, Changes::default(), &columns).unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
    }
    let file = ModelFile::parse("swept.toml", TEXT).unwrap();
    for (set, words) in [
        ("ll=1", "no parameter `ll`"),
        ("l=2 kg..3 kg:2", "a mass"),
        ("l=1 cubit", "cubit"),
        ("l", "NAME=VALUES"),
    ] {
        let error = Plan::read(&file, &[set], Sampling::Grid, 0).unwrap_err();
        assert!(error.to_string().contains(words), "{set}: {error}");
    }
}
