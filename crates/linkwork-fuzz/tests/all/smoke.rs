//! A few cases of every target with every test run, and the harness itself: a reader that goes wrong is found.

use linkwork_fuzz::targets::{NAMES, Target};
use linkwork_fuzz::{Tally, damaged, judge, run};
use std::time::Duration;

/// Cases of each target.
const CASES: [u64; NAMES.len()] = [400, 150, 300, 150, 300, 3000, 4000];

#[test]
fn keeps_readers_calm() {
    for (name, most) in NAMES.into_iter().zip(CASES) {
        let target = Target::named(name).unwrap();
        let tally = run(&target, 1, Duration::from_secs(600), most).unwrap_or_else(|finding| {
            panic!("{name}: {}\n{}", finding.what, String::from_utf8_lossy(&finding.input))
        });
        println!("{name}: {tally:?}");
        assert_eq!(tally.cases, most, "{name}");
        // damage that is always seen at the first byte would test nothing, and damage that is never seen either
        assert!(tally.accepted > most / 100 && tally.accepted < most, "{name}: {tally:?}");
        assert!(tally.vague * 20 < most, "{name}: {tally:?}");
    }
}

#[test]
fn exact_seeds_are_sound_and_cases_repeat() {
    for name in NAMES {
        let target = Target::named(name).unwrap();
        assert!(target.seeds.len() >= 5, "{name}");
        for number in [0, 7, 1 << 40] {
            assert_eq!(damaged(&target, number), damaged(&target, number), "{name}");
        }
        let mut tally = Tally::default();
        for seed in target.seeds.iter().take(6) {
            judge(&target, seed, &mut tally).unwrap_or_else(|finding| panic!("{name}: {}", finding.what));
        }
        assert_eq!(tally.accepted, tally.cases, "{name}: a seed was refused");
    }
}
