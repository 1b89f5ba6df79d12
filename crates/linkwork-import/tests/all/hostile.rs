//! Files that mean harm are refused by name, never followed.

use linkwork_import::{Options, import_text};

fn refusal(text: &str) -> String {
    import_text("hostile.xml", text, &Options::default()).unwrap_err().to_string()
}

#[test]
fn entity_bombs_are_refused() {
    let bomb =
        "<!DOCTYPE r [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;\">]><robot name=\"&b;\"/>";
    assert!(refusal(bomb).contains("has a DTD"), "{}", refusal(bomb));
    assert!(refusal("<robot name=\"&b;\"/>").contains("not well-formed"));
}

#[test]
fn deep_nesting_is_refused() {
    let deep = format!("{}{}", "<robot>".repeat(100_000), "</robot>".repeat(100_000));
    assert!(refusal(&deep).contains("nested deeper than 100"), "{}", refusal(&deep));
}

#[test]
fn unknown_roots_are_named() {
    assert!(refusal("<html/>").contains("<html> is the root of no format"));
}
