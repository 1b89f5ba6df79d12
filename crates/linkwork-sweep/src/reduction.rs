//! Numbers made of the samples of a run while it goes on.
//!
//! Between samples a result goes straight from one value to the next, so that with Δt_k = t_(k+1) − t_k
//!
//!   (R1)  integral = Σ Δt_k (x_k + x_(k+1)) / 2
//!   (R2)  mean     = integral / Σ Δt_k
//!   (R3)  rms²     = Σ Δt_k (x_k² + x_k x_(k+1) + x_(k+1)²) / 3 / Σ Δt_k       exact for straight lines
//!   (R4)  at(t)    = x_k + (x_(k+1) − x_k) (t − t_k) / Δt_k
//!
//! Where an event gives two samples at one time, `at` takes the later one. Where a result is not there (its column is empty), nothing is added; a run of a single instant
//! has its value as mean.

use crate::Error;
use linkwork::batch;
use linkwork::model::Reduction;
use linkwork::results::Column;

/// A column of a sweep: something made of a column of the results.
#[derive(Clone, Debug, PartialEq)]
pub struct ResultColumn {
    /// As the user wrote it.
    pub name: String,
    /// What is made.
    pub kind: Reduction,
    /// Of which column of the results.
    pub of: String,
}

impl ResultColumn {
    /// Reads `final(NAME)`, `at(TIME, NAME)`, `max(NAME)`, `min(NAME)`, `mean(NAME)`, `rms(NAME)`, `integral(NAME)`, or `NAME` for its last value.
    ///
    /// # Errors
    /// A time that is not one.
    pub fn read(text: &str) -> Result<ResultColumn, Error> {
        let text = text.trim();
        let plain = [
            ("final", Reduction::Final),
            ("max", Reduction::Max),
            ("min", Reduction::Min),
            ("mean", Reduction::Mean),
            ("rms", Reduction::Rms),
            ("integral", Reduction::Integral),
        ];
        let inner = |word: &str| text.strip_prefix(word)?.strip_prefix('(')?.strip_suffix(')');
        let found = plain.into_iter().find_map(|(word, kind)| Some((kind, inner(word)?)));
        let (kind, of) = match (found, inner("at")) {
            (Some(found), _) => found,
            (None, Some(arguments)) => {
                let Some((time, of)) = arguments.split_once(',') else {
                    return Err(Error::wrong(
                        "--columns",
                        format!("`{text}`: write at(TIME, COLUMN), as in at(0.5, point.B.y)"),
                    ));
                };
                match time.trim().parse::<f64>() {
                    Ok(t) if t >= 0.0 && t.is_finite() => (Reduction::At(t), of),
                    _ => {
                        let why = format!("`{text}`: `{}` is not a time in seconds", time.trim());
                        return Err(Error::wrong("--columns", why));
                    }
                }
            }
            (None, None) => (Reduction::Final, text),
        };
        Ok(ResultColumn { name: text.to_owned(), kind, of: of.trim().to_owned() })
    }

    /// Its unit, where the column of the results has this one.
    pub(crate) fn unit(&self, of: &Column) -> String {
        match (self.kind, &*of.unit) {
            (Reduction::Integral, "") => "s".into(),
            (Reduction::Integral, unit) => format!("{unit} s"),
            (_, unit) => unit.to_owned(),
        }
    }

    fn wants_every_row(&self) -> bool {
        self.kind != Reduction::Final
    }
}

/// Cuts a list at its commas, but not within parentheses.
pub fn split_columns(list: &str) -> Vec<&str> {
    let (mut depth, mut first, mut parts) = (0_i32, 0, Vec::new());
    for (i, c) in list.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth <= 0 => {
                parts.push(&list[first..i]);
                first = i + 1;
            }
            _ => {}
        }
    }
    parts.push(&list[first..]);
    parts
}

/// One number on its way.
#[derive(Clone, Copy, Debug)]
struct Running {
    kind: Reduction,
    /// Its place among the columns that are kept.
    place: usize,
    last: f64,
    /// Extreme, sum or value so far; not a number where there is none.
    value: f64,
    /// Time summed over.
    time: f64,
}

/// A number made of samples that are all there: what a sweep makes of a run.
///
/// ```
/// use linkwork::model::Reduction;
/// use linkwork_sweep::reduced;
/// assert_eq!(reduced(Reduction::Mean, &[0.0, 1.0, 3.0], &[0.0, 2.0, 2.0]), 5.0 / 3.0);
/// ```
pub fn reduced(kind: Reduction, t: &[f64], x: &[f64]) -> f64 {
    let mut running = Running { kind, place: 0, last: f64::NAN, value: f64::NAN, time: 0.0 };
    let mut before = None;
    for (t, x) in t.iter().zip(x) {
        running.add(before, *t, *x);
        before = Some(*t);
    }
    running.result()
}

/// All numbers of a case.
#[derive(Clone, Debug)]
pub(crate) struct Reducer {
    t: Option<f64>,
    running: Vec<Running>,
    every: bool,
}

impl Reducer {
    /// For these columns, which stand at these places among those that are kept.
    pub fn new(columns: &[ResultColumn], places: &[usize]) -> Self {
        let new = |(column, place): (&ResultColumn, &usize)| {
            let value = f64::NAN;
            Running { kind: column.kind, place: *place, last: value, value, time: 0.0 }
        };
        let every = columns.iter().any(ResultColumn::wants_every_row);
        Reducer { t: None, running: columns.iter().zip(places).map(new).collect(), every }
    }

    /// The numbers, once the run has ended.
    pub fn results(&self) -> impl Iterator<Item = f64> {
        self.running.iter().map(Running::result)
    }
}

impl batch::Reduction for Reducer {
    fn row(&mut self, t: f64, columns: &[f64]) {
        let before = self.t.replace(t);
        for running in &mut self.running {
            let x = columns.get(running.place).copied().unwrap_or(f64::NAN);
            running.add(before, t, x);
        }
    }

    fn wants_every_row(&self) -> bool {
        self.every
    }
}

impl Running {
    fn add(&mut self, before: Option<f64>, t: f64, x: f64) {
        let old = std::mem::replace(&mut self.last, x);
        let step = before.map_or(0.0, |before| t - before);
        match self.kind {
            Reduction::Final => self.value = x,
            Reduction::Max => self.value = self.value.max(x),
            Reduction::Min => self.value = self.value.min(x),
            Reduction::At(at) => match before {
                _ if t == at => self.value = x,
                Some(before) if before < at && at < t => {
                    self.value = old + (x - old) * ((at - before) / step); // (R4)
                }
                _ => {}
            },
            Reduction::Mean | Reduction::Rms | Reduction::Integral => {
                let part = match self.kind {
                    Reduction::Rms => step * (old * old + old * x + x * x) / 3.0, // (R3)
                    _ => step * 0.5 * (old + x),                                  // (R1)
                };
                if step > 0.0 && part.is_finite() {
                    self.value = if self.value.is_nan() { part } else { self.value + part };
                    self.time += step;
                }
            }
        }
    }

    fn result(&self) -> f64 {
        let single = self.time == 0.0;
        match self.kind {
            Reduction::Mean if single => self.last,
            Reduction::Rms if single => self.last.abs(),
            Reduction::Integral if single && self.last.is_finite() => 0.0,
            Reduction::Mean => self.value / self.time, // (R2)
            // rounding may leave a sum of nothing below zero
            Reduction::Rms => (self.value / self.time).max(0.0).sqrt(),
            _ => self.value,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use linkwork::batch::Reduction as _;

    fn reduced(names: &str, rows: &[(f64, f64)]) -> Vec<f64> {
        let columns: Vec<ResultColumn> =
            split_columns(names).into_iter().map(|name| ResultColumn::read(name).unwrap()).collect();
        let mut reducer = Reducer::new(&columns, &vec![0; columns.len()]);
        rows.iter().for_each(|(t, x)| reducer.row(*t, &[*x]));
        reducer.results().collect()
    }

    /// x goes from 1 straight to 3 in 2 s, then to -1 in 1 s: areas of trapezia, and ∫x² of straight lines.
    #[test]
    fn exact_reductions_of_straight_lines() {
        let rows = [(0.0, 1.0), (2.0, 3.0), (3.0, -1.0)];
        let found =
            reduced("final(x), max(x),min(x),integral(x),mean(x),rms(x),at(0.5, x),at(2, x),x", &rows);
        let squares: f64 = 26.0 / 3.0 + 7.0 / 3.0; // (27 - 1) / (3·1) and (9 - 3 + 1) / 3
        let expected = [-1.0, 3.0, -1.0, 5.0, 5.0 / 3.0, (squares / 3.0).sqrt(), 1.5, 3.0, -1.0];
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-15, "{found} {expected}");
        }
    }

    /// Two samples at the time of an event, and a result that is not there for a while.
    #[test]
    fn exact_jumps_and_gaps() {
        let rows = [(0.0, 1.0), (1.0, 1.0), (1.0, 5.0), (2.0, 5.0), (3.0, f64::NAN), (4.0, 2.0), (5.0, 2.0)];
        let found = reduced("at(1, x),integral(x),mean(x),max(x),at(9, x)", &rows);
        assert_eq!(found[..4], [5.0, 8.0, 8.0 / 3.0, 5.0]);
        assert!(found[4].is_nan());
        assert_eq!(reduced("mean(x),rms(x),integral(x)", &[(0.0, -2.0)]), [-2.0, 2.0, 0.0]);
    }

    #[test]
    fn exact_lists_are_cut_outside_parentheses() {
        assert_eq!(split_columns("at(1, x),max(y),z"), ["at(1, x)", "max(y)", "z"]);
        let column = ResultColumn::read("at(0.5, point.B.y)").unwrap();
        assert_eq!((column.kind, &*column.of), (Reduction::At(0.5), "point.B.y"));
        assert_eq!(ResultColumn::read("maximum").unwrap().kind, Reduction::Final);
        for wrong in ["at(point.B.y)", "at(-1, x)", "at(soon, x)"] {
            assert!(ResultColumn::read(wrong).unwrap_err().to_string().contains(wrong));
        }
    }
}
