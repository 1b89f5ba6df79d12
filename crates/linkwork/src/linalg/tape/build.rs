//! Building a tape: constants are folded, and what is there already is found again.

use super::{Function, Level, Node, Op, Tape, power};
use std::collections::HashMap;

/// What makes two operations the same.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Key {
    Constant(u64),
    Time,
    Input(u32),
    Sum(Vec<(Node, u64)>, u64),
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
#[derive(Clone, Debug, Default)]
pub struct Builder {
    ops: Vec<Op>,
    levels: Vec<Level>,
    terms: Vec<(Node, f64)>,
    known: HashMap<Key, Node>,
}

impl Builder {
    fn push(&mut self, op: Op, level: Level) -> Node {
        self.ops.push(op);
        self.levels.push(level);
        Node((self.ops.len() - 1) as u32)
    }

    fn once(&mut self, key: Key, op: Op, level: Level) -> Node {
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
    pub fn value(&self, node: Node) -> Option<f64> {
        match self.ops[node.0 as usize] {
            Op::Constant(c) => Some(c),
            _ => None,
        }
    }

    /// A number.
    pub fn constant(&mut self, c: f64) -> Node {
        let c = c + 0.0; // one zero
        self.once(Key::Constant(c.to_bits()), Op::Constant(c), Level::Time)
    }

    /// Time.
    pub fn time(&mut self) -> Node {
        self.once(Key::Time, Op::Time, Level::Time)
    }

    /// A coordinate.
    pub fn input(&mut self, i: usize) -> Node {
        self.once(Key::Input(i as u32), Op::Input(i as u32), Level::Positions)
    }

    /// Σ w a + c
    pub fn sum(&mut self, terms: &[(Node, f64)], c: f64) -> Node {
        let mut c = c;
        let mut kept: Vec<(Node, f64)> = Vec::new();
        for &(node, w) in terms {
            match (self.value(node), self.ops[node.0 as usize]) {
                _ if w == 0.0 => {}
                (Some(value), _) => c += w * value,
                // sums of sums are one sum: velocities of points are read through several
                (_, Op::Sum(from, to, inner)) if (to - from) as usize <= 4 => {
                    c += w * inner;
                    for i in from as usize..to as usize {
                        let (node, v) = self.terms[i];
                        gather(&mut kept, node, w * v);
                    }
                }
                _ => gather(&mut kept, node, w),
            }
        }
        kept.retain(|t| t.1 != 0.0);
        kept.sort_by_key(|t| t.0);
        match kept[..] {
            [] => return self.constant(c),
            [(node, 1.0)] if c == 0.0 => return node,
            _ => {}
        }
        let key = Key::Sum(kept.iter().map(|t| (t.0, t.1.to_bits())).collect(), (c + 0.0).to_bits());
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

    /// a b
    pub fn mul(&mut self, a: Node, b: Node) -> Node {
        match (self.value(a), self.value(b)) {
            (Some(w), _) => self.scale(w, b),
            (_, Some(w)) => self.scale(w, a),
            _ if a == b => self.once(Key::Product(a, a), Op::Square(a), self.level(a)),
            _ => {
                let (a, b) = (a.min(b), a.max(b));
                self.once(Key::Product(a, b), Op::Product(a, b), self.above(&[a, b]))
            }
        }
    }

    /// a / b
    pub fn div(&mut self, a: Node, b: Node) -> Node {
        match (self.value(a), self.value(b)) {
            (Some(a), Some(b)) => self.constant(a / b),
            (_, Some(w)) => self.scale(1.0 / w, a),
            (Some(0.0), _) => a,
            _ => self.once(Key::Quotient(a, b), Op::Quotient(a, b), self.above(&[a, b])),
        }
    }

    /// √a
    pub fn sqrt(&mut self, a: Node) -> Node {
        match self.value(a) {
            Some(c) => self.constant(c.sqrt()),
            None => self.once(Key::Root(a), Op::Root(a), self.level(a)),
        }
    }

    /// The cube root.
    pub fn cbrt(&mut self, a: Node) -> Node {
        self.real_power(a, 1.0 / 3.0)
    }

    fn real_power(&mut self, a: Node, c: f64) -> Node {
        match self.value(a) {
            Some(x) => self.constant(power(x, c)),
            None => self.once(Key::Power(a, c.to_bits()), Op::Power(a, c), self.level(a)),
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
        match self.value(b) {
            Some(c) => self.powf(a, c),
            None => {
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
        if let Some(c) = self.value(a) {
            return self.constant(f.of(c));
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
        if let (Some(a), Some(b), None) = (self.value(y), self.value(x), turn) {
            return self.constant(a.atan2(b));
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
        match self.ops[a.0 as usize] {
            Op::Constant(_) => self.constant(0.0),
            Op::Time => self.constant(1.0),
            // the sum of rates is shared where the rate of a sum is not
            Op::Sum(from, to, _) => {
                let terms: Vec<_> = self.terms[from as usize..to as usize].to_vec();
                let terms: Vec<_> = terms.into_iter().map(|(n, w)| (self.rate(n), w)).collect();
                self.sum(&terms, 0.0)
            }
            _ => self.once(Key::Rate(a), Op::Rate(a), Level::Rates),
        }
    }

    /// The first of the options while p < q, else the second. p and q are functions of time, and steps end where they meet.
    ///
    /// # Panics
    /// If p or q depend on anything but time.
    pub fn either(&mut self, p: Node, q: Node, options: [Node; 2]) -> Node {
        assert!(self.above(&[p, q]) == Level::Time, "only time is known ahead");
        if let (Some(p), Some(q)) = (self.value(p), self.value(q)) {
            return options[usize::from(p >= q)];
        }
        let level = self.above(&options);
        self.once(Key::Either(p, q, options), Op::Either { p, q, options }, level)
    }

    /// Which nodes the outputs need.
    fn needed(&self, outputs: &[Node]) -> Vec<bool> {
        let mut needed = vec![false; self.ops.len()];
        let mut open: Vec<Node> = outputs.to_vec();
        while let Some(node) = open.pop() {
            if std::mem::replace(&mut needed[node.0 as usize], true) {
                continue;
            }
            match self.ops[node.0 as usize] {
                Op::Constant(_) | Op::Time | Op::Input(_) => {}
                Op::Sum(from, to, _) => {
                    open.extend(self.terms[from as usize..to as usize].iter().map(|t| t.0));
                }
                Op::Product(a, b) | Op::Quotient(a, b) | Op::Through(_, a, b, _) => open.extend([a, b]),
                Op::Square(a) | Op::Root(a) | Op::Power(a, _) | Op::Rate(a) => open.push(a),
                Op::Angle { y, x, c, s, .. } => open.extend([y, x, c, s]),
                Op::Either { p, q, options } => open.extend([p, q].into_iter().chain(options)),
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
        Tape {
            chosen: if either { vec![false; self.ops.len()] } else { Vec::new() },
            c: vec![0.0; self.ops.len() * stride],
            ops: self.ops,
            terms: self.terms,
            levels,
            stride,
        }
    }
}

fn gather(terms: &mut Vec<(Node, f64)>, node: Node, w: f64) {
    match terms.iter_mut().find(|t| t.0 == node) {
        Some(t) => t.1 += w,
        None => terms.push((node, w)),
    }
}
