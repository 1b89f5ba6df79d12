//! The grammar of expressions.
//!
//!   either  = both ("or" both)*
//!   both    = denied ("and" denied)*
//!   denied  = "not" denied | compared
//!   compared = sum (("<" | "<=" | ">" | ">=" | "==" | "!=") sum)?
//!   sum     = term (("+" | "-") term)*
//!   term    = signed (("*" | "/") signed)*
//!   signed  = ("-" | "+") signed | power
//!   power   = atom ("^" signed)?                     so -2^2 = -4 and 2^3^2 = 2^9
//!   atom    = number units? | name | name "(" either ("," either)* ")" | "(" either ")"
//!   units   = unit (("*" | "/")? unit)*              unit = ("1" | symbol) ("^" integer)?
//!   name    = part ("." part)*                       part = letters, digits and `_`, or anything in backticks
//!
//! A unit must follow a number; there it wins over a parameter of the same name, and a `*` or `/` that
//! is followed by a unit symbol belongs to the unit. Write `(250 N) / m` to divide by a parameter `m`. After a `*`
//! `t` is the time, not the tonne: `3 rad/s * t`.
//!
//! A call of a built-in function takes expressions, one of a [`PointFunction`] takes names of points, and a call of
//! any other name with one argument looks it up in the table of that name.

use super::units::{self, Dims};
use super::{
    CONSTANTS, Comparison, Expression, Function, MAX_EXPRESSION_BYTES, MAX_EXPRESSION_DEPTH, Op,
    PointFunction, Problem, Reference, TIME, Target, WORDS,
};
use crate::error::names::nearest;
use std::ops::Range;

impl Expression {
    /// Compiles a text.
    pub fn compile(text: &str) -> Result<Expression, Problem> {
        if text.len() > MAX_EXPRESSION_BYTES {
            let message =
                format!("an expression may have {MAX_EXPRESSION_BYTES} characters, this has {}", text.len());
            return Err(Problem::new(0..text.len(), message).help("move parts of it into [parameters]"));
        }
        let tokens = tokenize(text)?;
        let expression = Expression { steps: Vec::new(), references: Vec::new(), tables: Vec::new() };
        let mut parser = Parser { text, tokens, next: 0, depth: 0, expression };
        if parser.tokens.is_empty() {
            return Err(Problem::new(0..text.len(), "an expression is empty"));
        }
        parser.either()?;
        match parser.peek() {
            None => Ok(parser.expression),
            Some(_) => Err(parser.unexpected("an operator")),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Token {
    Number(f64),
    Name,
    Symbol(u8),
    Compare(Comparison),
}

fn tokenize(text: &str) -> Result<Vec<(Token, Range<usize>)>, Problem> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let mut i = 0;
    let run = |from: usize, accept: fn(u8) -> bool| {
        from + bytes[from..].iter().take_while(|&&byte| accept(byte)).count()
    };
    while i < bytes.len() {
        let start = i;
        let token = match bytes[i] {
            b' ' | b'\t' | b'\n' | b'\r' => {
                i += 1;
                continue;
            }
            b'0'..=b'9' | b'.' => {
                i = run(i, |byte| byte.is_ascii_digit());
                if bytes.get(i) == Some(&b'.') {
                    i = run(i + 1, |byte| byte.is_ascii_digit());
                }
                if matches!(bytes.get(i), Some(b'e' | b'E')) {
                    let sign = usize::from(matches!(bytes.get(i + 1), Some(b'+' | b'-')));
                    let end = run((i + 1 + sign).min(bytes.len()), |byte| byte.is_ascii_digit());
                    if end > i + 1 + sign {
                        i = end;
                    }
                }
                match text[start..i].parse::<f64>() {
                    Ok(value) if value.is_finite() => Token::Number(value),
                    Ok(_) => return Err(Problem::new(start..i, "this number is too large to be finite")),
                    Err(_) => return Err(Problem::new(start..i, "this is not a number")),
                }
            }
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'`' => {
                i = name_end(text, i)?;
                Token::Name
            }
            byte @ (b'+' | b'-' | b'*' | b'/' | b'^' | b'(' | b')' | b',' | b'%') => {
                i += 1;
                Token::Symbol(byte)
            }
            byte @ (b'<' | b'>' | b'=' | b'!') => {
                let equal = bytes.get(i + 1) == Some(&b'=');
                i += 1 + usize::from(equal);
                Token::Compare(match (byte, equal) {
                    (b'<', false) => Comparison::Less,
                    (b'<', true) => Comparison::LessOrEqual,
                    (b'>', false) => Comparison::Greater,
                    (b'>', true) => Comparison::GreaterOrEqual,
                    (b'=', true) => Comparison::Equal,
                    (b'!', true) => Comparison::NotEqual,
                    (b'=', _) => return Err(no_meaning(text, start).help("equal is `==`")),
                    _ => return Err(no_meaning(text, start).help("write `not`; unequal is `!=`")),
                })
            }
            b'&' => return Err(no_meaning(text, start).help("write `and`")),
            b'|' => return Err(no_meaning(text, start).help("write `or`")),
            _ => return Err(no_meaning(text, start)),
        };
        tokens.push((token, start..i));
    }
    Ok(tokens)
}

fn no_meaning(text: &str, at: usize) -> Problem {
    let c = text[at..].chars().next().unwrap_or(' ');
    let message = format!("`{}` has no meaning in an expression", c.escape_debug());
    let problem = Problem::new(at..at + c.len_utf8(), message);
    let help = match c {
        '\u{2212}' | '\u{2010}'..='\u{2015}' => "this is not the minus sign of the keyboard: write `-`",
        '\u{d7}' | '\u{b7}' | '\u{22c5}' | '\u{2217}' => "write `*`",
        '\u{f7}' | '\u{2215}' | ':' => "write `/`",
        '\u{b2}' => "write `^2`",
        '\u{b3}' => "write `^3`",
        '\u{b0}' => "write `deg`",
        '\u{b5}' | '\u{3bc}' => "write `u` for micro, as in `um`",
        '\u{3c0}' => "write `pi`",
        '\u{221a}' => "write `sqrt(...)`",
        '\u{a0}' | '\u{2009}' | '\u{202f}' | '\u{200b}' => "this is not an ordinary space: type it again",
        '[' | '{' => "write `(` and `)`",
        '\'' | '"' => "units have names: `ft`, `in`, `deg`",
        '$' | '@' => "a parameter is written with its name alone",
        _ => return problem,
    };
    problem.help(help)
}

/// Where the dotted name that begins at `at` ends.
fn name_end(text: &str, at: usize) -> Result<usize, Problem> {
    let bytes = text.as_bytes();
    let word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let mut i = at;
    loop {
        if bytes.get(i) == Some(&b'`') {
            let length = text[i + 1..].find('`');
            let Some(length) = length else {
                return Err(Problem::new(i..text.len(), "a backtick is never closed"));
            };
            if length == 0 {
                return Err(Problem::new(i..i + 2, "a name is empty"));
            }
            i += length + 2;
        } else {
            i += bytes[i..].iter().take_while(|byte| word(byte)).count();
        }
        // a dot goes on only where a part follows
        match bytes.get(i..i + 2) {
            Some([b'.', next]) if word(next) || *next == b'`' => i += 1,
            _ => return Ok(i),
        }
    }
}

/// The parts of a name as it is written.
fn parts(name: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut quoted = false;
    for c in name.chars() {
        match (c, parts.last_mut()) {
            ('`', _) => quoted = !quoted,
            ('.', _) if !quoted => parts.push(String::new()),
            (c, Some(part)) => part.push(c),
            (_, None) => {}
        }
    }
    parts
}

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<(Token, Range<usize>)>,
    next: usize,
    depth: usize,
    expression: Expression,
}

impl Parser<'_> {
    fn peek(&self) -> Option<Token> {
        self.tokens.get(self.next).map(|(token, _)| *token)
    }

    /// Where the next token stands; the end of the text if there is none.
    fn here(&self) -> Range<usize> {
        self.tokens.get(self.next).map_or(self.text.len()..self.text.len(), |(_, span)| span.clone())
    }

    fn word(&self) -> &str {
        &self.text[self.here()]
    }

    fn take(&mut self, symbol: u8) -> bool {
        let found = self.peek() == Some(Token::Symbol(symbol));
        self.next += usize::from(found);
        found
    }

    fn unexpected(&self, expected: &str) -> Problem {
        let message = match self.peek() {
            None => format!("the expression ends where {expected} is expected"),
            Some(_) => format!("found `{}` where {expected} is expected", self.word()),
        };
        let problem = Problem::new(self.here(), message);
        match self.peek() {
            Some(Token::Name) if self.next > 0 => {
                let listed = || format!("units are: {}", units::symbols().collect::<Vec<_>>().join(" "));
                let help = match self.tokens[self.next - 1].0 {
                    // a unit stands after a number or after another unit
                    Token::Number(_) => units::meant(self.word()).unwrap_or_else(listed),
                    Token::Name
                        if units::unit(&self.text[self.tokens[self.next - 1].1.clone()]).is_some() =>
                    {
                        units::meant(self.word()).unwrap_or_else(listed)
                    }
                    Token::Symbol(b'/' | b'*') => units::meant(self.word()).unwrap_or_else(listed),
                    _ => "write an operator between the two, such as `*`".into(),
                };
                problem.help(help)
            }
            // 2,5 mm
            Some(Token::Symbol(b',')) if self.decimal_comma() => {
                problem.help("a decimal fraction is written with a point: `2.5`")
            }
            Some(Token::Number(_)) if self.next > 0 => match self.tokens[self.next - 1].0 {
                Token::Name => problem.help("a product is written with `*`, a power with `^`"),
                _ => problem,
            },
            _ => problem,
        }
    }

    /// Whether digits stand directly before and after the comma that comes next.
    fn decimal_comma(&self) -> bool {
        let at = self.here();
        let number = |i: Option<usize>| {
            let (token, span) = self.tokens.get(i?)?;
            matches!(token, Token::Number(_)).then(|| span.clone())
        };
        let (before, after) = (number(self.next.checked_sub(1)), number(Some(self.next + 1)));
        matches!((before, after), (Some(a), Some(b)) if a.end == at.start && b.start == at.end)
    }

    /// From the start of the token at `first` to the end of the last one read.
    fn span(&self, first: usize) -> Range<usize> {
        self.tokens[first].1.start..self.tokens[self.next - 1].1.end
    }

    fn push(&mut self, op: Op, first: usize) {
        let span = self.span(first);
        self.expression.steps.push((op, span));
    }

    /// Whether the next token is this word of the grammar; takes it then.
    fn take_word(&mut self, word: &str) -> bool {
        let found = self.peek() == Some(Token::Name) && self.word() == word;
        self.next += usize::from(found);
        found
    }

    fn either(&mut self) -> Result<(), Problem> {
        let first = self.next;
        self.both()?;
        while self.take_word("or") {
            self.both()?;
            self.push(Op::Or, first);
        }
        Ok(())
    }

    fn both(&mut self) -> Result<(), Problem> {
        let first = self.next;
        self.denied()?;
        while self.take_word("and") {
            self.denied()?;
            self.push(Op::And, first);
        }
        Ok(())
    }

    fn denied(&mut self) -> Result<(), Problem> {
        let first = self.next;
        if !self.take_word("not") {
            return self.compared();
        }
        self.deeper()?;
        self.denied()?;
        self.push(Op::Not, first);
        self.depth -= 1;
        Ok(())
    }

    fn compared(&mut self) -> Result<(), Problem> {
        let first = self.next;
        self.sum()?;
        let Some(Token::Compare(comparison)) = self.peek() else { return Ok(()) };
        self.next += 1;
        self.sum()?;
        self.push(Op::Compare(comparison), first);
        match self.peek() {
            Some(Token::Compare(_)) => {
                let problem = Problem::new(self.here(), "comparisons cannot follow each other");
                Err(problem.help("join them: `a < b and b < c`"))
            }
            _ => Ok(()),
        }
    }

    /// Every recursion of the grammar passes here.
    fn deeper(&mut self) -> Result<(), Problem> {
        self.depth += 1;
        match self.depth > MAX_EXPRESSION_DEPTH {
            true => {
                let message = format!("an expression may nest {MAX_EXPRESSION_DEPTH} deep");
                Err(Problem::new(self.here(), message))
            }
            false => Ok(()),
        }
    }

    fn sum(&mut self) -> Result<(), Problem> {
        let first = self.next;
        self.term()?;
        loop {
            let op = match self.peek() {
                Some(Token::Symbol(b'+')) => Op::Add,
                Some(Token::Symbol(b'-')) => Op::Subtract,
                _ => return Ok(()),
            };
            self.next += 1;
            self.term()?;
            self.push(op, first);
        }
    }

    fn term(&mut self) -> Result<(), Problem> {
        let first = self.next;
        self.signed()?;
        loop {
            let op = match self.peek() {
                Some(Token::Symbol(b'*')) => Op::Multiply,
                Some(Token::Symbol(b'/')) => Op::Divide,
                _ => return Ok(()),
            };
            self.next += 1;
            self.signed()?;
            self.push(op, first);
        }
    }

    fn signed(&mut self) -> Result<(), Problem> {
        let first = self.next;
        self.deeper()?;
        if self.take(b'-') {
            self.signed()?;
            self.push(Op::Negate, first);
        } else if self.take(b'+') {
            self.signed()?;
        } else {
            self.atom()?;
            if self.take(b'^') {
                self.signed()?;
                self.push(Op::Power, first);
            }
        }
        self.depth -= 1;
        Ok(())
    }

    fn atom(&mut self) -> Result<(), Problem> {
        let first = self.next;
        match self.peek() {
            Some(Token::Number(value)) => {
                self.next += 1;
                let op = match self.units()? {
                    Some((size, dims)) => Op::Number(value * size, Some(dims)),
                    None => Op::Number(value, None),
                };
                self.push(op, first);
                Ok(())
            }
            Some(Token::Name) => {
                let name = self.word().to_owned();
                let span = self.here();
                if WORDS.contains(&name.as_str()) {
                    return Err(self.unexpected("a number, a name or `(`"));
                }
                self.next += 1;
                if self.take(b'(') {
                    return self.call(&name, first);
                }
                if name == "if" {
                    return Err(Problem::new(span, "`if` is a function: if(condition, value, other value)"));
                }
                if let Some(&(_, value)) = CONSTANTS.iter().find(|(constant, _)| *constant == name) {
                    self.push(Op::Number(value, None), first);
                    return Ok(());
                }
                self.refer(Target::Name(parts(&name)), first);
                Ok(())
            }
            Some(Token::Symbol(b'(')) => {
                self.next += 1;
                self.either()?;
                if self.take(b')') { Ok(()) } else { Err(self.unexpected("`)`")) }
            }
            _ => Err(self.unexpected("a number, a name or `(`")),
        }
    }

    /// Pushes the value of what is referred to from the token at `first` on.
    fn refer(&mut self, target: Target, first: usize) {
        let span = self.span(first);
        let references = &mut self.expression.references;
        let index = references.iter().position(|known| known.target == target).unwrap_or_else(|| {
            references.push(Reference { target, span });
            references.len() - 1
        });
        self.push(Op::Name(index), first);
    }

    fn call(&mut self, name: &str, first: usize) -> Result<(), Problem> {
        if let Some(&function) = PointFunction::ALL.iter().find(|function| function.name() == name) {
            return self.call_points(function, first);
        }
        let known = Function::ALL.iter().find(|(known, ..)| *known == name).copied();
        let table = parts(name);
        // as long as it is called like a table, it may be one
        let none = |span: Range<usize>| {
            let functions = Function::ALL.iter().map(|(name, ..)| *name);
            let functions: Vec<_> = functions.chain(PointFunction::ALL.map(PointFunction::name)).collect();
            let help = nearest(name, functions.iter().copied());
            Problem::new(span, format!("there is no function `{name}`"))
                .help(help.unwrap_or_else(|| format!("functions are: {}", functions.join(" "))))
        };
        if known.is_none() && table.len() > 1 {
            return Err(none(self.tokens[first].1.clone()));
        }
        let mut count = 0;
        loop {
            self.either()?;
            count += 1;
            if !self.take(b',') {
                break;
            }
        }
        if !self.take(b')') {
            return Err(self.unexpected("`,` or `)`"));
        }
        let Some((_, arity, function)) = known else {
            if count != 1 {
                return Err(none(self.tokens[first].1.clone()));
            }
            let (name, span) = (table.into_iter().next().unwrap_or_default(), self.tokens[first].1.clone());
            let tables = &mut self.expression.tables;
            let index = tables.iter().position(|(known, _)| *known == name).unwrap_or_else(|| {
                tables.push((name, span));
                tables.len() - 1
            });
            self.push(Op::Table(index), first);
            return Ok(());
        };
        let any = matches!(function, Function::Min | Function::Max);
        if count != arity && !(any && count >= arity) {
            return Err(self.wrong_count(name, arity, "argument", count, first));
        }
        self.push(Op::Call(function, count), first);
        Ok(())
    }

    /// The rest of a call whose arguments are names of points.
    fn call_points(&mut self, function: PointFunction, first: usize) -> Result<(), Problem> {
        let mut points = Vec::new();
        loop {
            let name = match self.peek() {
                Some(Token::Name) => parts(self.word()),
                _ => return Err(self.unexpected("the name of a point")),
            };
            let [name] = <[String; 1]>::try_from(name).map_err(|_| {
                Problem::new(self.here(), format!("`{}` takes names of points", function.name()))
                    .help("write the name alone, as in `distance(A, B)`; one with a dot in backticks")
            })?;
            points.push(name);
            self.next += 1;
            if !self.take(b',') {
                break;
            }
        }
        if !self.take(b')') {
            return Err(self.unexpected("`,` or `)`"));
        }
        if points.len() != function.points() {
            return Err(self.wrong_count(function.name(), function.points(), "point", points.len(), first));
        }
        self.refer(Target::Call { function, points }, first);
        Ok(())
    }

    fn wrong_count(&self, name: &str, arity: usize, what: &str, count: usize, first: usize) -> Problem {
        let plural = if arity == 1 { "" } else { "s" };
        Problem::new(self.span(first), format!("`{name}` takes {arity} {what}{plural}, found {count}"))
    }

    /// A unit suffix, if one follows the number just read.
    fn units(&mut self) -> Result<Option<(f64, Dims)>, Problem> {
        let start = self.next;
        // `10 1/s`: a one begins a suffix only if a division by a unit follows
        let one = self.peek() == Some(Token::Number(1.0)) && self.word() == "1";
        let mut total = if one {
            self.next += 1;
            (1.0, Dims::NONE)
        } else {
            match self.unit()? {
                Some(unit) => unit,
                None => return Ok(None),
            }
        };
        loop {
            let before = self.next;
            let divide = self.take(b'/');
            let times = !divide && self.take(b'*');
            let operator = divide || times;
            if times && self.peek() == Some(Token::Name) && self.word() == TIME {
                self.next = before;
                break;
            }
            let factor = match self.unit_or_group(divide)? {
                Some(factor) => factor,
                None if operator || before == start + 1 && one => {
                    self.next = before;
                    break;
                }
                None => break,
            };
            let dims = if divide { total.1.over(factor.1) } else { total.1.times(factor.1) };
            let size = if divide { total.0 / factor.0 } else { total.0 * factor.0 };
            let Some(dims) = dims else {
                return Err(Problem::new(self.span(start), "this unit has too large a power"));
            };
            total = (size, dims);
        }
        if one && self.next == start + 1 {
            self.next = start;
            return Ok(None);
        }
        Ok(Some(total))
    }

    /// A unit, or after a division units in parentheses; nothing is read if it is neither.
    fn unit_or_group(&mut self, divided: bool) -> Result<Option<(f64, Dims)>, Problem> {
        if !(divided && self.peek() == Some(Token::Symbol(b'('))) {
            return self.unit();
        }
        let start = self.next;
        self.next += 1;
        let mut total: Option<(f64, Dims)> = None;
        loop {
            if total.is_some() {
                self.take(b'*');
            }
            match self.unit()? {
                Some((size, dims)) => {
                    let before = total.unwrap_or((1.0, Dims::NONE));
                    let Some(dims) = before.1.times(dims) else { break };
                    total = Some((before.0 * size, dims));
                }
                None => break,
            }
        }
        if total.is_none() || !self.take(b')') {
            self.next = start;
            return Ok(None);
        }
        Ok(total)
    }

    /// One unit with its power; nothing is read if the next token is no unit.
    fn unit(&mut self) -> Result<Option<(f64, Dims)>, Problem> {
        let first = self.next;
        let Some((size, dims)) = (match self.peek() {
            Some(Token::Name | Token::Symbol(b'%')) => units::unit(self.word()),
            _ => None,
        }) else {
            return Ok(None);
        };
        self.next += 1;
        if !self.take(b'^') {
            return Ok(Some((size, dims)));
        }
        let negative = self.take(b'-');
        let power = match self.peek() {
            Some(Token::Number(n)) if n.fract() == 0.0 && n <= 30.0 => n as i32,
            _ => return Err(self.unexpected("a whole power of the unit")),
        };
        self.next += 1;
        let power = if negative { -power } else { power };
        match dims.power(power) {
            Some(dims) => Ok(Some((size.powi(power), dims))),
            None => Err(Problem::new(self.span(first), "this unit has too large a power")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> f64 {
        let expression = Expression::compile(text).unwrap_or_else(|problem| panic!("{text}: {problem:?}"));
        let values: Vec<f64> = (expression.references.iter())
            .map(|reference| match reference.target.to_string().as_str() {
                "x" => 3.0,
                "m" => 5.0,
                "t" => 2.0,
                other => panic!("{other}"),
            })
            .collect();
        let steps = expression.steps.iter().map(|(op, _)| *op);
        super::super::run(steps, &values, |_| None, &mut Vec::new())
    }

    #[test]
    #[rustfmt::skip]
    fn exact_values_of_expressions() {
        let pi = std::f64::consts::PI;
        let cases = [
            ("1", 1.0), ("1.5", 1.5), (".5", 0.5), ("1e-3", 1e-3), ("2.", 2.0), ("1E+2", 100.0),
            ("1 + 2 * 3", 7.0), ("(1 + 2) * 3", 9.0), ("7 - 2 - 1", 4.0), ("8 / 4 / 2", 1.0),
            ("2 ^ 3 ^ 2", 512.0), ("-2 ^ 2", -4.0), ("2 ^ -1", 0.5), ("--1", 1.0), ("+1", 1.0), ("2 * -x", -6.0),
            ("x ^ 2", 9.0), ("sqrt(16)", 4.0), ("cbrt(27)", 3.0), ("abs(-2)", 2.0), ("min(3, 1, 2)", 1.0),
            ("max(3, x + 1)", 4.0), ("hypot(3, 4)", 5.0), ("atan2(1, 0)", pi / 2.0), ("sign(-3)", -1.0),
            ("sign(0)", 0.0), ("floor(1.7) + ceil(1.2)", 3.0), ("ln(e)", 1.0), ("log10(100)", 2.0), ("exp(0)", 1.0),
            ("cos(pi)", -1.0), ("tau / 2", pi), ("sin(30 deg)", (pi / 6.0).sin()), ("tan(0) + asin(0) + acos(1) + atan(0)", 0.0),
            ("30 deg", pi / 6.0), ("250 N/mm", 250e3), ("9.81 m/s^2", 9.81), ("7850 kg/m^3", 7850.0),
            ("1.2e-3 kg m^2", 1.2e-3), ("1.2e-3 kg*m^2", 1.2e-3), ("1500 rpm", 50.0 * pi), ("5 %", 0.05),
            ("10 1/s", 10.0), ("2 s^-1", 2.0), ("2 N/(mm s)", 2e3), ("3 mm^2", 3e-6), ("1 km/h", 1.0 / 3.6),
            ("2 mm * x", 6e-3), ("2 * m", 10.0), ("(250 N) / m", 50.0), ("2 m / x", 2.0 / 3.0), ("x * 2 mm + 1", 1.006),
            ("2 mm*(1 + x)", 8e-3), ("3 rad/s * t", 6.0), ("3 m/s^2*t^2", 12.0), ("2 t", 2000.0), ("2 N*m", 2.0), ("1 / 4", 0.25), ("2 m / (1 + x)", 0.5), ("3 - 1", 2.0), ("2 m - 1 m", 1.0),
        ];
        for (text, expected) in cases {
            let found = value(text);
            // a few roundings of the conversion factors
            assert!((found - expected).abs() <= 4.0 * f64::EPSILON * expected.abs(), "{text}: {found} {expected}");
        }
    }

    #[test]
    #[rustfmt::skip]
    fn exact_problems_point_at_the_place() {
        let cases = [
            ("", 0..0, "empty"), ("1 +", 3..3, "ends"), ("1 2", 2..3, "operator"), ("(1", 2..2, "`)`"),
            ("1 )", 2..3, "operator"), ("foo(1, 2)", 0..3, "no function"), ("sin(1, 2)", 0..9, "takes 1 argument"),
            ("atan2(1)", 0..8, "takes 2 arguments"), ("3 furlong", 2..9, "operator"), ("1e400", 0..5, "finite"),
            ("2 # 3", 2..3, "no meaning"), ("2 m^0.5", 4..7, "whole power"), ("1..2", 2..4, "operator"), (".", 0..1, "not a number"),
            ("2 é", 2..4, "no meaning"), ("2 m^31", 4..6, "whole power"), ("sin()", 4..5, "number"), ("1 m^20 m^20", 2..11, "power"),
            ("2 1", 2..3, "operator"), ("1 < 2 < 3", 6..7, "follow"), ("x = 2", 2..3, "no meaning"), ("!x", 0..1, "no meaning"),
            ("x && x", 2..3, "no meaning"), ("and x", 0..3, "number"), ("x or", 4..4, "ends"), ("not", 3..3, "ends"), ("if + 1", 0..2, "function"),
            ("if(x, 1)", 0..8, "takes 3"), ("step(x, 1, 2)", 0..13, "takes 5"), ("a.b(x)", 0..3, "no function"), ("a.", 1..2, "not a number"),
            ("`a", 0..2, "closed"), ("``", 0..2, "empty"), ("a.`b", 2..4, "closed"), ("distance(A)", 0..11, "takes 2 points"),
            ("angle(A, B)", 0..11, "takes 3 points"), ("speed(2)", 6..7, "name of a point"), ("speed(a.b)", 6..9, "names of points"),
            ("speed(A + B)", 8..9, "`)`"), ("1 + atn(x, 2)", 4..7, "no function"), ("foo(1", 5..5, "`)`"),
        ];
        for (text, span, word) in cases {
            let problem = Expression::compile(text).expect_err(text);
            assert_eq!(problem.span, span, "{text}: {problem:?}");
            assert!(problem.message.contains(word), "{text}: {problem:?}");
        }
    }

    /// What was probably meant, for what beginners write.
    #[test]
    #[rustfmt::skip]
    fn exact_near_misses_are_advised() {
        let cases = [
            ("5 Nm", "`N m`"), ("5 kNm", "`kN m`"), ("30 degrees", "`deg`"), ("30 °", "`deg`"), ("5 kmh", "`km/h`"), ("2,5 mm", "point"),
            ("1500 RPM", "`rpm`"), ("2 Kg", "`kg`"), ("9.81 m/s²", "`^2`"), ("5 − 3", "`-`"), ("2 × 3", "`*`"), ("3 inches", "`in`"),
            ("1 kgm2", "`kg m^2`"), ("2 newtons", "`N`"), ("2 x", "units are"), ("5 ton", "`t`"), ("4 hz", "`Hz`"), ("2 meters", "`m`"), ("2 Nmm/rad", "`N mm`"),
            ("30 DEG", "`deg`"), ("2 mph", "m/s"), ("3 secs", "`s`"), ("x x", "operator"), ("10 lbs", "`lb`"), ("2 Ns/m", "`N s`"), ("2 Nms", "`N m s`"),
        ];
        for (text, word) in cases {
            let problem = Expression::compile(text).expect_err(text);
            assert!(problem.help.as_ref().is_some_and(|help| help.contains(word)), "{text}: {problem:?}");
        }
    }

    #[test]
    fn exact_limits_hold() {
        let deep = format!("{}1{}", "(".repeat(400), ")".repeat(400));
        let texts = [
            deep,
            "-".repeat(900) + "1",
            "2^".repeat(400) + "2",
            "not ".repeat(200) + "1",
            "f(".repeat(200) + "1",
        ];
        for text in texts {
            assert!(Expression::compile(&text).unwrap_err().message.contains("deep"));
        }
        assert!(Expression::compile(&"1+".repeat(600)).unwrap_err().message.contains("1000"));
        assert_eq!(value(&("1".to_owned() + &"+1".repeat(499))), 500.0);
        assert_eq!(value(&format!("{}1{}", "(".repeat(60), ")".repeat(60))), 1.0);
    }

    #[test]
    fn exact_names_are_kept_in_parts() {
        let text = "point.A.x * 2 + `my point`.`a.b`.3 - distance(A, `front left`) + point.A.x + t + profile(`odd`(t))";
        let expression = Expression::compile(text).unwrap();
        let name = |parts: &[&str]| Target::Name(parts.iter().map(|part| part.to_string()).collect());
        let points = vec!["A".to_owned(), "front left".to_owned()];
        let expected = [
            name(&["point", "A", "x"]),
            name(&["my point", "a.b", "3"]),
            Target::Call { function: PointFunction::Distance, points },
            name(&["t"]),
        ];
        let spelled = ["point.A.x", "`my point`.`a.b`.3", "distance(A, `front left`)", "t"];
        assert_eq!(expression.references.len(), 4);
        for ((reference, target), spelled) in expression.references.iter().zip(expected).zip(spelled) {
            assert_eq!(reference.target, target);
            assert_eq!(reference.target.to_string(), spelled);
            assert_eq!(&text[reference.span.clone()], spelled);
        }
        let tables: Vec<_> =
            expression.tables.iter().map(|(name, at)| (name.as_str(), &text[at.clone()])).collect();
        assert_eq!(tables, [("odd", "`odd`"), ("profile", "profile")]);
    }
}
