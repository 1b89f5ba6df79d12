//! Damaged models that still read are written and read again: the same model, and the same text the second time.

use linkwork::model::Model;
use linkwork_fuzz::damaged;
use linkwork_fuzz::targets::Target;

/// So many damaged files with every test run; `LINKWORK_FUZZ_CASES` for more.
const CASES: u64 = 2000;

fn told(model: &Model) -> String {
    format!("{:?}", Model { provenance: None, ..model.clone() })
}

#[test]
fn same_model_after_writing_damaged_files() {
    let cases = std::env::var("LINKWORK_FUZZ_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(CASES);
    let target = Target::named("model").unwrap();
    let mut sound = 0;
    for number in 0..cases {
        let input = damaged(&target, number);
        let Ok(model) = Model::parse("<stdin>", &input) else { continue };
        sound += 1;
        let shown = || String::from_utf8_lossy(&input);
        let text = model.to_toml().unwrap_or_else(|e| panic!("{number}: {e}\n{}", shown()));
        let again = Model::from_toml(&text).unwrap_or_else(|e| panic!("{number}: {e}\n{}\n{text}", shown()));
        // a model without a name is called after its file
        assert!(told(&again) == told(&model), "{number}: another model\n{}\n{text}", shown());
        let second = again.to_toml().unwrap_or_else(|e| panic!("{number}: {e}"));
        assert!(second == text, "{number}: another text\n{}\n----\n{text}\n----\n{second}", shown());
    }
    println!("{cases} damaged files, of which {sound} read: each is the same model after writing");
    assert!(sound > cases / 50, "{sound}");
}
