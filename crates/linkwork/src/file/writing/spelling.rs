//! A formula as an expression: for one whose own text no longer tells it, since parameters or other names in it have become numbers.

use super::number::number;
use crate::expressions::{Comparison, Function, Op, units};
use crate::expressions::{Formula, TIME, Target};

/// How tight a part of an expression binds: the levels of its grammar, loose to tight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Either,
    Both,
    Denied,
    Compared,
    Sum,
    Term,
    Signed,
    Power,
    Atom,
}

/// A part of an expression.
struct Part {
    text: String,
    level: Level,
}

impl Part {
    fn new(text: String, level: Level) -> Self {
        Part { text, level }
    }

    /// The text where at least this level is expected.
    fn at(&self, level: Level) -> String {
        if self.level >= level { self.text.clone() } else { format!("({})", self.text) }
    }
}

/// The text of a formula, with numbers in SI units. Nothing where it has a number that cannot be written.
pub(crate) fn spell(formula: &Formula) -> Option<String> {
    let mut stack: Vec<Part> = Vec::new();
    for &op in formula.steps() {
        let rest = stack.len().checked_sub(op.arguments())?;
        let parts = stack.split_off(rest);
        stack.push(spell_step(op, &parts, formula)?);
    }
    stack.pop().map(|part| part.text)
}

fn spell_step(op: Op, parts: &[Part], formula: &Formula) -> Option<Part> {
    use Level::{Atom, Both, Compared, Denied, Either, Power, Signed, Sum, Term};
    let joined = |left: Level, sign: &str, right: Level, level: Level| {
        Part::new(format!("{} {sign} {}", parts[0].at(left), parts[1].at(right)), level)
    };
    let arguments = || parts.iter().map(|part| part.text.as_str()).collect::<Vec<_>>().join(", ");
    Some(match op {
        Op::Number(value, _) if !value.is_finite() => return None,
        Op::Number(value, _) => {
            Part::new(number(value), if value.is_sign_negative() { Signed } else { Atom })
        }
        Op::Name(index) => Part::new(formula.references().get(index)?.target.to_string(), Atom),
        Op::Negate => Part::new(format!("-{}", parts[0].at(Signed)), Signed),
        Op::Add => joined(Sum, "+", Term, Sum),
        Op::Subtract => joined(Sum, "-", Term, Sum),
        Op::Multiply => product(parts, "*"),
        Op::Divide => product(parts, "/"),
        Op::Power => Part::new(format!("{}^{}", parts[0].at(Atom), parts[1].at(Signed)), Power),
        Op::Compare(comparison) => joined(Sum, sign(comparison), Sum, Compared),
        Op::And => joined(Both, "and", Denied, Both),
        Op::Or => joined(Either, "or", Both, Either),
        Op::Not => Part::new(format!("not {}", parts[0].at(Denied)), Denied),
        Op::Call(function, _) => {
            let (name, ..) = Function::ALL.iter().find(|(.., known)| *known == function)?;
            Part::new(format!("{name}({})", arguments()), Atom)
        }
        Op::Table(index) => {
            let name = Target::Name(vec![formula.tables().get(index)?.name.clone()]);
            Part::new(format!("{name}({})", arguments()), Atom)
        }
    })
}

/// A product or quotient. After a number, a name that is a unit, too, would be the unit: parentheses part them. Only `t` is the time after a `*`.
fn product(parts: &[Part], sign: &str) -> Part {
    let (left, right) = (parts[0].at(Level::Term), parts[1].at(Level::Signed));
    let word = right.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).next().unwrap_or_default();
    let time = word == TIME && sign == "*";
    let left = match units::unit(word) {
        Some(_) if !time && left.ends_with(|c: char| c.is_ascii_digit()) => format!("({left})"),
        _ => left,
    };
    Part::new(format!("{left} {sign} {right}"), Level::Term)
}

fn sign(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::Less => "<",
        Comparison::LessOrEqual => "<=",
        Comparison::Greater => ">",
        Comparison::GreaterOrEqual => ">=",
        Comparison::Equal => "==",
        Comparison::NotEqual => "!=",
    }
}

/// Whether two formulas do the same, to the last bit.
pub(crate) fn same_program(a: &Formula, b: &Formula) -> bool {
    let same = |pair: (&Op, &Op)| match pair {
        (Op::Number(a, _), Op::Number(b, _)) => a.to_bits() == b.to_bits(),
        (a, b) => a == b,
    };
    let targets = |formula: &Formula| -> Vec<_> {
        formula.references().iter().map(|reference| reference.target.clone()).collect()
    };
    let tables =
        |formula: &Formula| -> Vec<_> { formula.tables().iter().map(|table| table.name.clone()).collect() };
    a.steps().len() == b.steps().len()
        && a.steps().iter().zip(b.steps()).all(same)
        && targets(a) == targets(b)
        && tables(a) == tables(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The spelled formula is the same program.
    #[test]
    fn same_program_after_spelling() {
        let texts = [
            ("1 + 2 * t - (3 - t) - (t - 1)", "1 + 2 * t - (3 - t) - (t - 1)"),
            ("-t^2 + (-t)^2 + 2^-t + (2^t)^3 + t^3^2", "-t^2 + (-t)^2 + 2^-t + (2^t)^3 + t^9"),
            ("t / (2 * t) / 3 * -t", "t / (2 * t) / 3 * -t"),
            ("30 deg * t", "0.5235987755982988 * t"),
            ("not (t > 1 and t < 2) or t == 3", "not (t > 1 and t < 2) or t == 3"),
            ("(t > 1) == (t < 2 or t > 3)", "(t > 1) == (t < 2 or t > 3)"),
            (
                "if(t > 1, step5(t, 0, 0, 2, 90 mm), min(t, 1, -2))",
                "if(t > 1, step5(t, 0, 0, 2, 0.09), min(t, 1, -2))",
            ),
            ("point.`front left`.x + distance(A, `B 2`)", "point.`front left`.x + distance(A, `B 2`)"),
            ("`bump stop`(2 * t) + profile(t)", "`bump stop`(2 * t) + profile(t)"),
            ("(2) * m + 3 * m2 + (4) / h + (5) / t", "(2) * m + 3 * m2 + (4) / h + (5) / t"),
            ("1e-9 * t - 2e9", "1e-9 * t - 2e9"),
        ];
        for (text, spelled) in texts {
            let formula = Formula::parse(text).unwrap();
            assert_eq!(spell(&formula).as_deref(), Some(spelled));
            let again = Formula::parse(spelled).unwrap();
            assert_eq!(spell(&again).as_deref(), Some(spelled));
            assert!(same_program(&formula, &again), "{text}");
        }
    }
}
