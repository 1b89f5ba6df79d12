//! Building a tape: constants are folded, and what is there already is found again.

use super::{Changes, Function, Level, Node, Number, Op, Tape, power};
use std::collections::HashMap;

/// What makes two operations the same; K makes two numbers the same.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Key<K> {
    Constant(K),
    Time,
    Input(u32),
    Sum(Vec<(Node, K)>, K),
    Product(Node, Node),
    Quotient(Node, Node),
    Root(Node),
    Power(Node, u64),
    Function(Function, Node),
    Angle(Node, Node, Option<u32>),
    Rate(Node),
    Either(Node, Node, [Node; 2]),
}

/// A tape being built. Nodes of one builder must not be used with another.
#[derive(Clone, Debug)]
pub struct Builder<N: Number = f64> {
    ops: Vec<Op<N>>,
    levels: Vec<Level>,
    terms: Vec<(Node, N)>,
    known: HashMap<Key<N::Key>, Node>,
}

impl<N: Number> Default for Builder<N> {
    fn default() -> Self {
        Builder { ops: Vec::new(), levels: Vec::new(), terms: Vec::new(), known: HashMap::new() }
    }
}

impl<N: Number> Builder<N> {
    fn push(&mut self, op: Op<N>, level: Level) -> Node {
        self.ops.push(op);
        self.levels.push(level);
        Node((self.ops.len() - 1) as u32)
    }

    fn once(&mut self, key: Key<N::Key>, op: Op<N>, level: Level) -> Node {
        if let Some(&node) = self.known.get(&key) {
            return node;
        }
        let node = self.push(op, level);
        self.known.insert(key, node);
        node
    }

    /// What a node depends on.
    pub fn level(&self, node: Node) -> Level {
        self.levels[node.0 as usize]
    }

    fn above(&self, nodes: &[Node]) -> Level {
        nodes.iter().map(|&n| self.level(n)).max().unwrap_or(Level::Time)
    }

    /// The number, if a node is one.
    pub fn number(&self, node: Node) -> Option<&N> {
        match &self.ops[node.0 as usize] {
            Op::Constant(c) => Some(c),
            _ => None,
        }
    }

    /// The value of the number, if a node is one.
    pub fn value(&self, node: Node) -> Option<f64> {
        self.number(node).map(Number::value)
    }

    /// Whether a node is zero, whatever is varied.
    pub fn is_zero(&self, node: Node) -> bool {
        self.number(node).is_some_and(|c| c.is(0.0))
    }

    /// A number that nothing varies.
    pub fn constant(&mut self, c: f64) -> Node {
        self.fixed(N::of(c))
    }

    /// A number.
    pub fn fixed(&mut self, c: N) -> Node {
        self.once(Key::Constant(c.key()), Op::Constant(c), Level::Time)
    }

    /// Time.
    pub fn time(&mut self) -> Node {
        self.once(Key::Time, Op::Time, Level::Time)
    }

    /// A coordinate.
    pub fn input(&mut self, i: usize) -> Node {
        self.once(Key::Input(i as u32), Op::Input(i as u32), Level::Positions)
    }

    /// Σ w a + c, of weights that nothing varies.
    pub fn sum(&mut self, terms: &[(Node, f64)], c: f64) -> Node {
        let terms: Vec<(Node, N)> = terms.iter().map(|&(node, w)| (node, N::of(w))).collect();
        self.weighted(&terms, N::of(c))
    }

    /// Σ w a + c
    pub fn weighted(&mut self, terms: &[(Node, N)], c: N) -> Node {
        let mut c = c;
        let mut kept: Vec<(Node, N)> = Vec::new();
        for (node, w) in terms {
            if w.is(0.0) {
                continue;
            }
            match &self.ops[node.0 as usize] {
                Op::Constant(value) => c = c.plus(w, value),
                // sums of sums are one sum: velocities of points are read through several
                Op::Sum(from, to, inner) if (to - from) as usize <= 4 => {
                    c = c.plus(w, inner);
                    for (node, v) in &self.terms[*from as usize..*to as usize] {
                        gather(&mut kept, *node, w.times(v));
                    }
                }
                _ => gather(&mut kept, *node, w.clone()),
            }
        }
        kept.retain(|t| !t.1.is(0.0));
        kept.sort_by_key(|t| t.0);
        match &kept[..] {
            [] => return self.fixed(c),
            [(node, w)] if c.is(0.0) && w.is(1.0) => return *node,
            _ => {}
        }
        let key = Key::Sum(kept.iter().map(|t| (t.0, t.1.key())).collect(), c.key());
        if let Some(&node) = self.known.get(&key) {
            return node;
        }
        let level = self.above(&kept.iter().map(|t| t.0).collect::<Vec<_>>());
        let from = self.terms.len() as u32;
        self.terms.extend(kept);
        let node = self.push(Op::Sum(from, self.terms.len() as u32, c), level);
        self.known.insert(key, node);
        node
    }

    /// a + b
    pub fn add(&mut self, a: Node, b: Node) -> Node {
        self.sum(&[(a, 1.0), (b, 1.0)], 0.0)
    }

    /// a − b
    pub fn sub(&mut self, a: Node, b: Node) -> Node {
        self.sum(&[(a, 1.0), (b, -1.0)], 0.0)
    }

    /// w a
    pub fn scale(&mut self, w: f64, a: Node) -> Node {
        self.sum(&[(a, w)], 0.0)
    }

    /// w a, with a number as a node.
    fn scaled(&mut self, w: Node, a: Node) -> Node {
        let w = self.number(w).cloned().unwrap_or_else(|| N::of(f64::NAN));
        self.weighted(&[(a, w)], N::of(0.0))
    }

    /// a b
    pub fn mul(&mut self, a: Node, b: Node) -> Node {
        match (self.number(a).is_some(), self.number(b).is_some()) {
            (true, _) => self.scaled(a, b),
            (_, true) => self.scaled(b, a),
            _ if a == b => self.once(Key::Product(a, a), Op::Square(a), self.level(a)),
            _ => {
                let (a, b) = (a.min(b), a.max(b));
                self.once(Key::Product(a, b), Op::Product(a, b), self.above(&[a, b]))
            }
        }
    }

    /// a / b
    pub fn div(&mut self, a: Node, b: Node) -> Node {
        match (self.number(a).cloned(), self.number(b).cloned()) {
            (Some(a), Some(b)) => self.fixed(a.over(&b)),
            (_, Some(w)) => self.weighted(&[(a, N::of(1.0).over(&w))], N::of(0.0)),
            (Some(zero), _) if zero.is(0.0) => a,
            _ => self.once(Key::Quotient(a, b), Op::Quotient(a, b), self.above(&[a, b])),
        }
    }

    /// √a
    pub fn sqrt(&mut self, a: Node) -> Node {
        match self.number(a) {
            Some(c) => {
                let root = c.value().sqrt();
                let c = c.through(root, 0.5 / root);
                self.fixed(c)
            }
            None => self.once(Key::Root(a), Op::Root(a), self.level(a)),
        }
    }

    /// The cube root.
    pub fn cbrt(&mut self, a: Node) -> Node {
        self.real_power(a, 1.0 / 3.0)
    }

    fn real_power(&mut self, a: Node, exponent: f64) -> Node {
        match self.number(a) {
            Some(c) => {
                let (x, u) = (c.value(), power(c.value(), exponent));
                let c = c.through(u, exponent * u / x);
                self.fixed(c)
            }
            None => self.once(Key::Power(a, exponent.to_bits()), Op::Power(a, exponent), self.level(a)),
        }
    }

    /// A whole power, by multiplication.
    pub fn powi(&mut self, a: Node, n: u32) -> Node {
        match n {
            0 => self.constant(1.0),
            1 => a,
            _ => {
                let half = self.powi(a, n / 2);
                let square = self.mul(half, half);
                if n % 2 == 1 { self.mul(square, a) } else { square }
            }
        }
    }

    /// a^c
    pub fn powf(&mut self, a: Node, c: f64) -> Node {
        const BY_MULTIPLICATION: f64 = 64.0;
        if c.fract() == 0.0 && c.abs() <= BY_MULTIPLICATION {
            let power = self.powi(a, c.abs() as u32);
            let one = self.constant(1.0);
            return if c < 0.0 { self.div(one, power) } else { power };
        }
        if c == 0.5 { self.sqrt(a) } else { self.real_power(a, c) }
    }

    /// a^b
    pub fn pow(&mut self, a: Node, b: Node) -> Node {
        match self.number(b) {
            Some(c) if c.slopes().is_empty() => self.powf(a, c.value()),
            _ => {
                let ln = self.ln(a);
                let u = self.mul(b, ln);
                self.exp(u)
            }
        }
    }

    /// A function by its slope; `slope` is called with the function's own node.
    fn through(
        &mut self,
        f: Function,
        a: Node,
        sign: f64,
        slope: impl FnOnce(&mut Self, Node) -> Node,
    ) -> Node {
        if let Some(c) = self.number(a) {
            let c = c.through(f.of(c.value()), f.slope(c.value()));
            return self.fixed(c);
        }
        let key = Key::Function(f, a);
        if let Some(&node) = self.known.get(&key) {
            return node;
        }
        let node = self.push(Op::Through(f, a, a, sign), self.level(a));
        self.known.insert(key, node);
        let w = slope(self, node);
        self.ops[node.0 as usize] = Op::Through(f, a, w, sign);
        node
    }

    /// eᵃ
    pub fn exp(&mut self, a: Node) -> Node {
        self.through(Function::Exp, a, 1.0, |_, own| own)
    }

    /// Natural logarithm.
    pub fn ln(&mut self, a: Node) -> Node {
        self.through(Function::Ln, a, 1.0, |b, _| {
            let one = b.constant(1.0);
            b.div(one, a)
        })
    }

    /// Sine.
    pub fn sin(&mut self, a: Node) -> Node {
        self.through(Function::Sin, a, 1.0, |b, _| b.cos(a))
    }

    /// Cosine.
    pub fn cos(&mut self, a: Node) -> Node {
        self.through(Function::Cos, a, -1.0, |b, _| b.sin(a))
    }

    /// Hyperbolic sine.
    pub fn sinh(&mut self, a: Node) -> Node {
        self.through(Function::Sinh, a, 1.0, |b, _| b.cosh(a))
    }

    /// Hyperbolic cosine.
    pub fn cosh(&mut self, a: Node) -> Node {
        self.through(Function::Cosh, a, 1.0, |b, _| b.sinh(a))
    }

    /// Tangent.
    pub fn tan(&mut self, a: Node) -> Node {
        self.through(Function::Tan, a, 1.0, |b, own| {
            let square = b.mul(own, own);
            b.sum(&[(square, 1.0)], 1.0)
        })
    }

    /// Hyperbolic tangent.
    pub fn tanh(&mut self, a: Node) -> Node {
        self.through(Function::Tanh, a, 1.0, |b, own| {
            let square = b.mul(own, own);
            b.sum(&[(square, -1.0)], 1.0)
        })
    }

    /// 1 / √(1 − a²)
    fn arc_slope(&mut self, a: Node) -> Node {
        // without cancellation near the ends
        let (less, more) = (self.sum(&[(a, -1.0)], 1.0), self.sum(&[(a, 1.0)], 1.0));
        let square = self.mul(less, more);
        let root = self.sqrt(square);
        let one = self.constant(1.0);
        self.div(one, root)
    }

    /// Arc sine.
    pub fn asin(&mut self, a: Node) -> Node {
        self.through(Function::Asin, a, 1.0, |b, _| b.arc_slope(a))
    }

    /// Arc cosine.
    pub fn acos(&mut self, a: Node) -> Node {
        self.through(Function::Acos, a, -1.0, |b, _| b.arc_slope(a))
    }

    /// Arc tangent.
    pub fn atan(&mut self, a: Node) -> Node {
        self.through(Function::Atan, a, 1.0, |b, _| {
            let square = b.mul(a, a);
            let below = b.sum(&[(square, 1.0)], 1.0);
            let one = b.constant(1.0);
            b.div(one, below)
        })
    }

    /// The angle of (x, y), near the turn with this number if one is given.
    pub fn atan2(&mut self, y: Node, x: Node, turn: Option<usize>) -> Node {
        let turn = turn.map(|k| k as u32);
        if let (Some(b), Some(a), None) = (self.number(y), self.number(x), turn) {
            let angle = b.value().atan2(a.value());
            let square = a.value().powi(2) + b.value().powi(2);
            let rest = a.through(0.0, -b.value() / square);
            let c = b.through(angle, a.value() / square).plus(&N::of(1.0), &rest);
            return self.fixed(c);
        }
        let key = Key::Angle(y, x, turn);
        if let Some(&node) = self.known.get(&key) {
            return node;
        }
        let (yy, xx) = (self.mul(y, y), self.mul(x, x));
        let square = self.add(yy, xx);
        let (c, s) = (self.div(x, square), self.div(y, square));
        self.once(key, Op::Angle { y, x, c, s, turn }, self.above(&[y, x]))
    }

    /// The rate of a function of time or of coordinates.
    ///
    /// # Panics
    /// If it depends on rates itself: accelerations are not known in time.
    pub fn rate(&mut self, a: Node) -> Node {
        assert!(self.level(a) != Level::Rates, "accelerations are not known in time");
        match &self.ops[a.0 as usize] {
            Op::Constant(_) => self.constant(0.0),
            Op::Time => self.constant(1.0),
            // the sum of rates is shared where the rate of a sum is not
            Op::Sum(from, to, _) => {
                let terms: Vec<_> = self.terms[*from as usize..*to as usize].to_vec();
                let terms: Vec<_> = terms.into_iter().map(|(n, w)| (self.rate(n), w)).collect();
                self.weighted(&terms, N::of(0.0))
            }
            _ => self.once(Key::Rate(a), Op::Rate(a), Level::Rates),
        }
    }

    /// The first of the options while p < q, else the second. Where p and q are functions of time, steps end where they meet, and the series is that of the stretch ahead; elsewhere it is that of
    /// the place, which serves an instant and no step.
    pub fn either(&mut self, p: Node, q: Node, options: [Node; 2]) -> Node {
        if let (Some(p), Some(q)) = (self.value(p), self.value(q)) {
            return options[usize::from(p >= q)];
        }
        let ahead = self.above(&[p, q]) == Level::Time;
        let level = self.above(&[p, q, options[0], options[1]]);
        self.once(Key::Either(p, q, options), Op::Either { p, q, options, ahead }, level)
    }

    /// Which nodes the outputs need.
    fn needed(&self, outputs: &[Node]) -> Vec<bool> {
        let mut needed = vec![false; self.ops.len()];
        let mut open: Vec<Node> = outputs.to_vec();
        while let Some(node) = open.pop() {
            if std::mem::replace(&mut needed[node.0 as usize], true) {
                continue;
            }
            match &self.ops[node.0 as usize] {
                Op::Constant(_) | Op::Time | Op::Input(_) => {}
                &Op::Sum(from, to, _) => {
                    open.extend(self.terms[from as usize..to as usize].iter().map(|t| t.0));
                }
                &Op::Product(a, b) | &Op::Quotient(a, b) | &Op::Through(_, a, b, _) => open.extend([a, b]),
                &Op::Square(a) | &Op::Root(a) | &Op::Power(a, _) | &Op::Rate(a) => open.push(a),
                &Op::Angle { y, x, c, s, .. } => open.extend([y, x, c, s]),
                &Op::Either { p, q, options, .. } => open.extend([p, q].into_iter().chain(options)),
            }
        }
        needed
    }

    /// The tape for these outputs, with room for coefficients up to `order`.
    pub fn finish(self, order: usize, outputs: &[Node]) -> Tape {
        let needed = self.needed(outputs);
        let mut levels: [Vec<u32>; 3] = Default::default();
        for (i, &level) in self.levels.iter().enumerate().filter(|&(i, _)| needed[i]) {
            levels[level as usize].push(i as u32);
        }
        let stride = order + 1;
        let either = self.ops.iter().any(|op| matches!(op, Op::Either { .. }));
        let mut changes = Changes::default();
        for (i, op) in self.ops.iter().enumerate().filter(|&(i, _)| needed[i]) {
            if let Op::Constant(c) | Op::Sum(_, _, c) = op
                && !c.slopes().is_empty()
            {
                changes.constants.push((i, c.slopes().to_vec()));
            }
            if let &Op::Sum(from, to, _) = op {
                let terms = (from as usize..to as usize).map(|t| (t, self.terms[t].1.slopes()));
                changes
                    .weights
                    .extend(terms.filter(|t| !t.1.is_empty()).map(|(t, slopes)| (t, slopes.to_vec())));
            }
        }
        Tape {
            chosen: if either { vec![false; self.ops.len()] } else { Vec::new() },
            c: vec![0.0; self.ops.len() * stride],
            ops: self.ops.into_iter().map(Op::plain).collect(),
            terms: self.terms.into_iter().map(|(node, w)| (node, w.value())).collect(),
            levels,
            stride,
            changes,
        }
    }
}

impl<N: Number> Op<N> {
    /// With plain numbers.
    fn plain(self) -> Op {
        match self {
            Op::Constant(c) => Op::Constant(c.value()),
            Op::Time => Op::Time,
            Op::Input(i) => Op::Input(i),
            Op::Sum(from, to, c) => Op::Sum(from, to, c.value()),
            Op::Product(a, b) => Op::Product(a, b),
            Op::Square(a) => Op::Square(a),
            Op::Quotient(a, b) => Op::Quotient(a, b),
            Op::Root(a) => Op::Root(a),
            Op::Power(a, c) => Op::Power(a, c),
            Op::Through(f, a, w, sign) => Op::Through(f, a, w, sign),
            Op::Angle { y, x, c, s, turn } => Op::Angle { y, x, c, s, turn },
            Op::Rate(a) => Op::Rate(a),
            Op::Either { p, q, options, ahead } => Op::Either { p, q, options, ahead },
        }
    }
}

fn gather<N: Number>(terms: &mut Vec<(Node, N)>, node: Node, w: N) {
    match terms.iter_mut().find(|t| t.0 == node) {
        Some(t) => t.1 = t.1.plus(&N::of(1.0), &w),
        None => terms.push((node, w)),
    }
}
