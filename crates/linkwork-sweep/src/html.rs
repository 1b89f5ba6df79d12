//! Text for a page.

/// Text as HTML has it.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c => out.push(c),
        }
    }
    out
}

/// A table; the first row is its head.
pub(crate) fn table(rows: &[Vec<String>]) -> String {
    let mut out = String::from("<table>\n");
    for (i, row) in rows.iter().enumerate() {
        let tag = if i == 0 { "th" } else { "td" };
        let cells: String = row.iter().map(|cell| format!("<{tag}>{}</{tag}>", escaped(cell))).collect();
        out.push_str(&format!("<tr>{cells}</tr>\n"));
    }
    out + "</table>\n"
}

/// The head of a page, with its style: nothing is loaded from elsewhere.
pub(crate) const HEAD: &str = r#"<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem; color: #222; background: #fff }
h1 { font-size: 1.5rem } h2 { font-size: 1.15rem; margin-top: 2rem }
table { border-collapse: collapse; margin: 1rem 0 } th, td { padding: 0.2rem 0.8rem; border-bottom: 1px solid #ddd; text-align: left }
td { font-variant-numeric: tabular-nums }
.plots { display: flex; flex-wrap: wrap; gap: 1rem } .plots svg { width: 20rem; height: auto; border: 1px solid #eee }
</style>
"#;
