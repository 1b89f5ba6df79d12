//! Formulas: expressions that are kept in the model and evaluated during the run.

use super::edges::edges;
use super::interval::{Interval, enclose, has_corners, may_be_narrow};
use super::quantity::{State, dimension};
use super::table::{Interpolation, Table};
use super::{Comparison, Expression, Function, Op, Problem, Reference, TIME, run, step};
use crate::linalg::jet::Jet;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// What is wrong with a formula, and where in its text.
#[derive(Clone, Debug, PartialEq)]
pub struct FormulaError {
    /// The whole formula.
    pub text: String,
    /// Byte range in the text.
    pub span: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}

impl fmt::Display for FormulaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.message)?;
        if let Some(part) = self.text.get(self.span.clone()).filter(|part| !part.is_empty()) {
            write!(f, " (at `{part}` in `{}`)", self.text)?;
        }
        self.help.iter().try_for_each(|help| write!(f, "; {help}"))
    }
}

impl std::error::Error for FormulaError {}

/// A number, or an expression of time and of quantities of the mechanism.
///
/// Whoever evaluates a formula finds out once what each of its [`references`](Self::references) means, and then supplies
/// their values in that order. Where the formula has no value (the root of a negative number, a table that ended) the
/// result is not a number, and [`trouble`](Self::trouble) says why.
///
/// ```
/// use linkwork::linalg::jet::Jet;
/// use linkwork::model::Formula;
/// let formula = Formula::parse("30 deg + 2 * step5(t, 0, 0, 1, 90 deg)")?;
/// assert_eq!(formula.references()[0].target.single(), Some("t"));
/// let jet = formula.eval_jet(&[Jet::time(0.5)], &mut Vec::new());
/// assert!((jet.x - 120f64.to_radians()).abs() < 1e-15);
/// # Ok::<(), linkwork::model::FormulaError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Formula {
    text: String,
    references: Vec<Reference>,
    steps: Vec<Op>,
    /// The part of the text that each step stands for.
    spans: Vec<Range<usize>>,
    tables: Vec<TableReference>,
}

/// A table that a formula looks values up in.
#[derive(Clone, Debug, PartialEq)]
pub struct TableReference {
    /// The name.
    pub name: String,
    /// Where in the text it is first used, in bytes.
    pub span: Range<usize>,
    /// The table, once it has been found.
    pub table: Option<Arc<Table>>,
}

/// Zero.
impl Default for Formula {
    fn default() -> Self {
        Formula::constant(0.0)
    }
}

impl From<f64> for Formula {
    fn from(value: f64) -> Self {
        Formula::constant(value)
    }
}

impl Formula {
    /// A number.
    pub fn constant(value: f64) -> Self {
        let text = value.to_string();
        Formula {
            references: Vec::new(),
            steps: vec![Op::Number(value, None)],
            spans: std::iter::once(0..text.len()).collect(),
            text,
            tables: Vec::new(),
        }
    }

    /// An expression as the model file has them. Numbers with units are converted to SI units, and their dimensions
    /// must fit each other.
    pub fn parse(text: &str) -> Result<Formula, FormulaError> {
        let unknown = |expression: Expression| {
            dimension(&expression, |_| State::Unknown, |_| [State::Unknown; 2]).map(|_| expression)
        };
        match Expression::compile(text).and_then(unknown) {
            Ok(expression) => Ok(Formula::new(text, expression)),
            Err(problem) => Err(FormulaError::new(text, problem)),
        }
    }

    /// A compiled expression.
    pub(crate) fn new(text: &str, expression: Expression) -> Formula {
        let (steps, spans) = expression.steps.into_iter().unzip();
        let table = |(name, span)| TableReference { name, span, table: None };
        let tables = expression.tables.into_iter().map(table).collect();
        let formula =
            Formula { text: text.to_owned(), references: expression.references, steps, spans, tables };
        formula.fold(|_| None)
    }

    /// The text it was read from; of a constant the number.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The number, if it is one whatever the time.
    pub fn is_constant(&self) -> Option<f64> {
        match self.steps[..] {
            [Op::Number(value, _)] => Some(value),
            _ => None,
        }
    }

    /// Whether it is a name and nothing else.
    pub(crate) fn is_name(&self) -> bool {
        matches!(self.steps[..], [Op::Name(_)])
    }

    /// Whether it is an angle from `atan2`.
    pub(crate) fn is_atan2(&self) -> bool {
        matches!(self.steps.last(), Some(Op::Call(Function::Atan2, _)))
    }

    /// Its steps for a stack machine.
    pub(crate) fn steps(&self) -> &[Op] {
        &self.steps
    }

    /// What it refers to. The values for an evaluation come in this order.
    pub fn references(&self) -> &[Reference] {
        &self.references
    }

    /// The tables it looks values up in.
    pub fn tables(&self) -> &[TableReference] {
        &self.tables
    }

    /// Puts a number for each reference that `value` knows: these are then no longer referred to.
    pub fn fold(self, value: impl Fn(&Reference) -> Option<f64>) -> Formula {
        let mut references = Vec::new();
        let fate: Vec<Op> = self
            .references
            .into_iter()
            .map(|reference| match value(&reference) {
                Some(value) => Op::Number(value, None),
                None => {
                    references.push(reference);
                    Op::Name(references.len() - 1)
                }
            })
            .collect();
        let mut steps: Vec<Op> = Vec::with_capacity(self.steps.len());
        let mut spans: Vec<Range<usize>> = Vec::with_capacity(self.steps.len());
        for (op, span) in self.steps.into_iter().zip(self.spans) {
            let rest = steps.len() - op.arguments();
            let numbers = steps[rest..].iter().map_while(|op| match op {
                Op::Number(value, _) => Some(*value),
                _ => None,
            });
            // the steps of a constant argument are one number: so if these are all numbers, they are the arguments
            let arguments: Vec<f64> = numbers.collect();
            let known = arguments.len() == op.arguments();
            // where a part has no value, what is computed from it stays as it is written: so the place can be reported
            let tells = |op: Op| op.apply(&arguments).is_finite() || arguments.iter().all(|x| x.is_finite());
            let op = match op {
                Op::Name(index) => fate[index],
                Op::Table(_) | Op::Number(..) => op,
                _ if known && tells(op) => {
                    steps.truncate(rest);
                    spans.truncate(rest);
                    Op::Number(op.apply(&arguments), None)
                }
                _ => op,
            };
            steps.push(op);
            spans.push(span);
        }
        Formula { text: self.text, references, steps, spans, tables: self.tables }
    }

    /// The formula with its tables, found by name: before it is evaluated. The error names the first that `lookup` does not know.
    pub fn with_tables(
        mut self,
        lookup: impl Fn(&str) -> Option<Arc<Table>>,
    ) -> Result<Formula, FormulaError> {
        for table in &mut self.tables {
            table.table = lookup(&table.name);
            if table.table.is_none() {
                let message = format!("there is no function or table `{}`", table.name);
                return Err(FormulaError::new(&self.text, Problem::new(table.span.clone(), message)));
            }
        }
        Ok(self)
    }

    /// The value, for the values of the references. Allocates nothing once the stack has grown; what the stack holds does not matter.
    ///
    /// # Panics
    /// If there are fewer values than references.
    pub fn eval(&self, values: &[f64], stack: &mut Vec<f64>) -> f64 {
        run(self.steps.iter().copied(), values, |index| self.tables[index].table.as_deref(), stack)
    }

    /// The value with its first and second derivative by time, from those of the references. As [`eval`](Self::eval) else.
    pub fn eval_jet(&self, values: &[Jet], stack: &mut Vec<Jet>) -> Jet {
        run(self.steps.iter().copied(), values, |index| self.tables[index].table.as_deref(), stack)
    }

    /// How far a condition is from turning: above zero where it holds, not above where it does not, and continuous where
    /// it is made of comparisons of continuous quantities. `a > b` gives a − b, `and` the smaller, `or` the larger of two;
    /// anything else 1 where it is not zero, −1 where it is. Not a number where the formula has no value.
    ///
    /// # Panics
    /// If there are fewer values than references.
    pub fn margin(&self, values: &[f64], stack: &mut Vec<f64>) -> f64 {
        // what each value on the stack would be as a condition
        let mut margins: Vec<f64> = Vec::new();
        stack.clear();
        for &op in &self.steps {
            let rest = stack.len() - op.arguments();
            let (x, m) = (&stack[rest..], &margins[rest..]);
            let margin = match op {
                Op::Compare(Comparison::Less | Comparison::LessOrEqual) => Some(x[1] - x[0]),
                Op::Compare(Comparison::Greater | Comparison::GreaterOrEqual) => Some(x[0] - x[1]),
                Op::And => Some(m[0].min(m[1])),
                Op::Or => Some(m[0].max(m[1])),
                Op::Not => Some(-m[0]),
                _ => None,
            };
            let value = step(op, values, |index| self.tables[index].table.as_deref(), stack);
            margins.truncate(rest);
            margins.push(margin.unwrap_or(if value == 0.0 { -1.0 } else { 1.0 }));
            stack.push(value);
        }
        match stack.pop() {
            Some(value) if !value.is_nan() => margins.pop().unwrap_or(f64::NAN),
            _ => f64::NAN,
        }
    }

    /// All values while the references stay within bounds, or more. Each step that may do something narrow shows what it does, in order: its number, its
    /// values, and whether it is calm.
    pub(crate) fn enclose(
        &self,
        names: &[Interval],
        stack: &mut Vec<Interval>,
        mut show: impl FnMut(usize, Interval, bool),
    ) -> Interval {
        stack.clear();
        for (i, &op) in self.steps.iter().enumerate() {
            let rest = stack.len() - op.arguments();
            let table = |index: usize| self.tables[index].table.as_deref();
            let (value, calm) = enclose(op, &stack[rest..], names, table);
            stack.truncate(rest);
            stack.push(value);
            show(i, value, calm);
        }
        stack.pop().unwrap_or(Interval::ALL)
    }

    /// The value, and on the way that of each step, in order.
    pub(crate) fn trace(
        &self,
        values: &[f64],
        stack: &mut Vec<f64>,
        mut show: impl FnMut(usize, f64),
    ) -> f64 {
        stack.clear();
        for (i, &op) in self.steps.iter().enumerate() {
            let value = step(op, values, |index| self.tables[index].table.as_deref(), stack);
            stack.push(value);
            show(i, value);
        }
        stack.pop().unwrap_or(f64::NAN)
    }

    /// The steps that may do something narrow, which is invisible from a little way off, and those that use what they do: a difference of two wide
    /// things may be narrow.
    pub(crate) fn narrow_steps(&self) -> Vec<usize> {
        let constant = |i: usize| match i.checked_sub(1).map(|i| self.steps[i]) {
            Some(Op::Number(value, _)) => Some(value),
            _ => None,
        };
        let mut stack: Vec<bool> = Vec::new();
        let mut found = Vec::new();
        for (i, &op) in self.steps.iter().enumerate() {
            let rest = stack.len().saturating_sub(op.arguments());
            let narrow = may_be_narrow(op, constant(i)) || stack[rest..].contains(&true);
            stack.truncate(rest);
            stack.push(narrow);
            found.extend(narrow.then_some(i));
        }
        found
    }

    /// Whether a step has corners or jumps.
    pub(crate) fn has_corners(&self, step: usize) -> bool {
        match self.steps[step] {
            Op::Table(index) => self.tables[index].table.as_ref().is_some_and(|table| {
                matches!(table.interpolation(), Interpolation::Linear | Interpolation::Monotone)
            }),
            op => has_corners(op),
        }
    }

    /// Whether it uses the time itself.
    pub fn uses_time(&self) -> bool {
        self.references.iter().any(|reference| reference.target.single() == Some(TIME))
    }

    /// Times at which it changes its course, as far as they can be known in advance: corners of `step`, `clamp`, `if` and tables of
    /// the time. In no order.
    pub fn time_edges(&self) -> Vec<f64> {
        let time = |index: usize| self.references[index].target.single() == Some(TIME);
        edges(&self.steps, time, |index| self.tables[index].table.as_deref())
    }

    /// Why the formula has no finite value, or no finite derivatives, for these values of the references: the first part of
    /// the text that has none while its own parts have. Nothing if all is well.
    pub fn trouble(&self, values: &[Jet]) -> Option<FormulaError> {
        let finite = |x: &Jet| x.x.is_finite() && x.d.is_finite() && x.dd.is_finite();
        let mut stack = Vec::new();
        if finite(&self.eval_jet(values, &mut stack)) {
            return None;
        }
        // for each value on the stack, why it is none
        let mut causes: Vec<Option<FormulaError>> = Vec::new();
        stack.clear();
        for (&op, span) in self.steps.iter().zip(&self.spans) {
            let arguments = stack[stack.len() - op.arguments()..].to_vec();
            let mut inherited = causes.split_off(causes.len() - arguments.len());
            let value = step(op, values, |index| self.tables[index].table.as_deref(), &mut stack);
            let message = match op {
                // the branch that is not taken may be what it likes
                Op::Call(Function::If, _) => {
                    if arguments[0].x.is_finite() {
                        inherited.remove(if arguments[0].x == 0.0 { 1 } else { 2 });
                    }
                    None
                }
                _ if finite(&value) || !arguments.iter().all(finite) => None,
                Op::Table(index) => Some(self.outside(index, arguments[0].x)),
                _ if !value.x.is_finite() => {
                    let x: Vec<f64> = arguments.iter().map(|argument| argument.x).collect();
                    Some(op.no_value(&x, value.x).into())
                }
                _ => Some("this has no finite derivative by time".into()),
            };
            let own =
                message.map(|message| FormulaError::new(&self.text, Problem::new(span.clone(), message)));
            causes.push(own.or_else(|| inherited.into_iter().flatten().next()));
            stack.push(value);
        }
        causes.pop().flatten()
    }

    fn outside(&self, index: usize, x: f64) -> String {
        let TableReference { name, table, .. } = &self.tables[index];
        match table {
            Some(table) => {
                let (first, last) = (table.x()[0], table.x()[table.x().len() - 1]);
                format!("the table `{name}` reaches from {first} to {last}, it is asked at {x}")
            }
            None => format!("the table `{name}` is not there"),
        }
    }
}

impl FormulaError {
    pub(crate) fn new(text: &str, problem: Problem) -> Self {
        FormulaError { text: text.into(), span: problem.span, message: problem.message, help: problem.help }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expressions::{Extend, Interpolation};

    fn parse(text: &str) -> Formula {
        Formula::parse(text).unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn exact_constants_fold() {
        assert_eq!(parse("2 * 3 mm + sin(0)").is_constant(), Some(6e-3));
        assert_eq!(Formula::from(2.5).is_constant(), Some(2.5));
        assert_eq!(Formula::constant(2.5).text(), "2.5");
        assert_eq!(parse("t").is_constant(), None);
        let formula = parse("k * 2 + t / k");
        let formula = formula.fold(|reference| (reference.target.single() == Some("k")).then_some(4.0));
        assert_eq!(formula.references().len(), 1);
        assert_eq!(formula.eval(&[2.0], &mut Vec::new()), 8.5);
        assert_eq!(formula.steps.len(), 5);
        assert_eq!(formula.fold(|_| Some(2.0)).is_constant(), Some(8.5));
        // folding does not change values: the branch not taken, and what has no value
        assert_eq!(parse("if(1 > 2, 1 / 0, 3)").is_constant(), Some(3.0));
        assert!(parse("0 / 0").is_constant().unwrap().is_nan());
    }

    #[test]
    fn exact_values_come_in_the_order_of_references() {
        let formula = parse("point.A.x - 2 * distance(A, B) + t * point.A.x");
        let names: Vec<_> = formula.references().iter().map(|r| r.target.to_string()).collect();
        assert_eq!(names, ["point.A.x", "distance(A, B)", "t"]);
        let mut stack = vec![7.0; 3];
        assert_eq!(formula.eval(&[10.0, 3.0, 2.0], &mut stack), 24.0);
        let jet = formula.eval_jet(&[Jet::from(10.0), Jet::from(3.0), Jet::time(2.0)], &mut Vec::new());
        assert_eq!(jet, Jet::new(24.0, 10.0, 0.0));
    }

    #[test]
    fn exact_tables_are_found_once() {
        let table = Table::new([0.0, 1.0], [0.0, 3.0], Interpolation::Linear, Extend::Error).unwrap();
        let table = Arc::new(table);
        let formula = parse("1 + profile(2 * t)");
        assert!(formula.eval(&[0.2], &mut Vec::new()).is_nan());
        assert!(formula.trouble(&[Jet::time(0.2)]).unwrap().message.contains("not there"));
        let error = formula.clone().with_tables(|_| None).unwrap_err();
        assert_eq!(&error.text[error.span.clone()], "profile");
        let formula = formula.with_tables(|name| (name == "profile").then(|| table.clone())).unwrap();
        assert_eq!(formula.eval(&[0.25], &mut Vec::new()), 2.5);
        assert_eq!(formula.eval_jet(&[Jet::time(0.25)], &mut Vec::new()), Jet::new(2.5, 6.0, 0.0));
        let trouble = formula.trouble(&[Jet::time(0.75)]).unwrap();
        assert_eq!(trouble.message, "the table `profile` reaches from 0 to 1, it is asked at 1.5");
        assert_eq!(&trouble.text[trouble.span.clone()], "profile(2 * t)");
    }

    #[test]
    fn exact_trouble_points_at_the_place() {
        let reported = |text: &str, t: f64| {
            parse(text)
                .trouble(&[Jet::time(t)])
                .map(|error| (error.text[error.span].to_owned(), error.message))
        };
        let (place, message) = reported("2 + sqrt(t - 1) > 0", 0.0).unwrap();
        assert_eq!((place.as_str(), message.as_str()), ("sqrt(t - 1)", "this has no value (not a number)"));
        assert_eq!(reported("1 + 3 / t", 0.0).unwrap(), ("3 / t".into(), "this is infinite".into()));
        assert_eq!(reported("sqrt(t)", 0.0).unwrap().1, "this has no finite derivative by time");
        assert_eq!(reported("if(t > 0, 1 / t, 0)", 0.0), None);
        assert_eq!(reported("if(t > 0, 1 / t, 0) + ln(t)", 0.0).unwrap().0, "ln(t)");
    }

    #[test]
    fn exact_margins_change_sign_where_conditions_turn() {
        let margin = |text: &str, t: f64| parse(text).margin(&[t], &mut Vec::new());
        assert_eq!(margin("t > 2", 3.5), 1.5);
        assert_eq!(margin("t <= 2", 3.5), -1.5);
        assert_eq!(margin("t > 2 and t < 3", 2.75), 0.25);
        assert_eq!(margin("t > 2 or t < 1", 1.5), -0.5);
        assert_eq!(margin("not (t > 2)", 1.5), 0.5);
        assert_eq!(margin("t", 0.0), -1.0);
        assert_eq!(margin("t", -3.0), 1.0);
        assert_eq!(margin("if(t > 1, t > 2, t == 0)", 0.0), 1.0);
        assert!(margin("sqrt(t) > 1", -1.0).is_nan());
        assert!(margin("t > 0 and sqrt(t) > 1", -1.0).is_nan());
    }

    #[test]
    fn exact_errors_say_where() {
        let error = Formula::parse("2 * (t + 3 m) + 3 kg").unwrap_err();
        assert_eq!(&error.text[error.span.clone()], "3 kg");
        assert!(error.to_string().contains("(at `3 kg` in `2 * (t + 3 m)"), "{error}");
        assert!(Formula::parse("2 *").unwrap_err().to_string().contains("ends"));
        assert!(Formula::parse("sin(2 m * 3)").is_err());
        // at run time names may be anything
        assert!(Formula::parse("sin(point.A.x) + t").is_ok());
    }

    #[test]
    fn keeps_memory_while_evaluating() {
        let table = Table::new([0.0, 1.0], [0.0, 3.0], Interpolation::Cubic, Extend::Hold).unwrap();
        let table = Arc::new(table);
        let formula =
            parse("max(t, 1, 2) + profile(t) * step5(t, 0, 0, 1, point.A.x) ^ 2 - if(t > 1, sin(t), 2)");
        let formula = formula.with_tables(|_| Some(table.clone())).unwrap();
        let (mut stack, mut jets) = (Vec::new(), Vec::new());
        let mut evaluate = || {
            formula.eval(&[0.3, 0.2], &mut stack);
            formula.eval_jet(&[Jet::time(0.3), Jet::from(0.2)], &mut jets);
        };
        evaluate();
        assert_eq!(allocation_counter::measure(evaluate).count_total, 0);
    }
}
