//! Numbers in lines of text: a line of column names, then lines of numbers, separated by commas. Empty lines and lines that begin with `#` are left out, quotes
//! around a cell as well.

/// What is wrong, and in which line, from one on; none if there is no line at all.
pub(crate) struct WrongLine {
    pub line: Option<usize>,
    pub what: String,
}

/// The lines of a text.
pub(crate) struct NumberLines<'t> {
    /// Line number and text of those that count.
    lines: Box<dyn Iterator<Item = (usize, &'t str)> + 't>,
    /// The names of the columns.
    pub names: Vec<&'t str>,
    /// The line that they stand in.
    pub head: (usize, &'t str),
}

/// A name or number, without quotes around it.
fn cell(text: &str) -> &str {
    let text = text.trim();
    text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text).trim()
}

impl<'t> NumberLines<'t> {
    /// Reads the names.
    pub fn new(text: &'t str) -> Result<Self, WrongLine> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let lines = text.lines().enumerate().map(|(i, line)| (i + 1, line.trim()));
        let mut lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        let Some(head) = lines.next() else {
            return Err(WrongLine { line: None, what: "it is empty".into() });
        };
        Ok(NumberLines { lines: Box::new(lines), names: head.1.split(',').map(cell).collect(), head })
    }

    /// The next line: its number, and the numbers of the columns with these places. Nothing at the end.
    pub fn next(&mut self, places: &[usize], row: &mut Vec<f64>) -> Result<Option<usize>, WrongLine> {
        row.clear();
        let Some((at, line)) = self.lines.next() else { return Ok(None) };
        let wrong = |what: String| WrongLine { line: Some(at), what };
        let cells: Vec<&str> = line.split(',').map(cell).collect();
        if cells.len() != self.names.len() {
            let (has, names) = (cells.len(), self.names.len());
            return Err(wrong(format!("this line has {has} cells, the first has {names} names")));
        }
        for &place in places {
            match cells[place].parse::<f64>() {
                Ok(value) if value.is_finite() => row.push(value),
                _ => {
                    let (name, text) = (self.names[place], cells[place]);
                    return Err(wrong(format!("column `{name}`: `{text}` is not a finite number")));
                }
            }
        }
        Ok(Some(at))
    }
}
