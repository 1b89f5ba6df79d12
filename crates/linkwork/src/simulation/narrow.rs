//! Narrow things within a step: found by bounds on the laws, weighed by the equations of motion.
//!
//! Every trial step that has passed its own tests is looked into before it is accepted ([`Inspector`]). A mechanism whose forces are
//! plain (springs, gravity, polynomials) has no laws to look at and pays nothing. Others pay by stages:
//!
//! 1. names of all laws at three places, and bounds over both halves: where every step of every formula is calm (V2), that is all;
//! 2. names at nine places, and bounds between them: where (L1) finds something hidden, that stretch is halved until the thing is
//!    found or the bounds close on what the places show. A thing seen at one or two of the places only is found already;
//! 3. what was found at s, in a stretch of 2w, is weighed: with f = y' on about the motion of the step,
//!
//! ```text
//!   (N1)  J = |h| 2w ‖f(s) − ½ (f(s − w) + f(s + w))‖        in units of the tolerance
//! ```
//!
//! If J exceeds a tenth, the step is shortened: to end before the thing, or within it if it is near. In there the thing is as wide as a step, and the
//! method's own error estimate sees it.
//!
//! Corners (`if`, `abs`, tables of straight pieces) are seen by every estimate, but none is made for them: by luck it may be a thousand times too small. Where
//! a corner lies at s,
//!
//! ```text
//!   (N2)  0.1 |h| ‖f(s − w) − 2 f(s) + f(s + w)‖ / 2w  >  1000 tolerances,  w → 0       shortens the step to end at the corner
//! ```

use crate::expressions::interval::Interval;
use crate::formulations::Formulate;
use crate::integrate::{Inspector, Trial, Verdict};
use crate::interactions::{LawKind, LawScratch, Laws, Workspace};
use crate::mechanism::Mechanism;

/// Stretches of stage 2.
const STRETCHES: usize = 8;
/// Places of stage 2 that a thing spans at most if a method could miss it: between the third and the fifth of Dormand and Prince's places is a fourth.
const SPAN: usize = 3;
/// Part of all that a step of a formula does for which a thing counts.
const PROMINENT: f64 = 0.35;
/// (N2): the part of a step's error that a corner makes, and how many tolerances of it an estimate may miss.
const CORNER: f64 = 0.1;
const LUCK: f64 = 1e3;
/// How often a stretch with a corner is halved, and how many corners of a step are looked at.
const CORNER_HALVINGS: usize = 8;
const MOST_CORNERS: usize = 2;
/// (L1)
const HIDDEN: (f64, f64) = (0.25, 0.5);
/// Part of what may be hidden that makes it found.
const FOUND: f64 = 0.1;
/// J beyond this shortens the step.
const MATTERS: f64 = 0.1;
/// Stretches narrower than this part of the step are not halved any more.
const NARROWEST: f64 = 1e-8;
/// Places that are read, and things that are weighed, within one step at most.
const MOST_PLACES: usize = 400;
const MOST_WEIGHED: usize = 8;
/// Where there were more, steps above this part of the duration are halved.
const SHORT: f64 = 1e-6;
/// Part of the force that would matter below which nothing is looked for. Arms and inertias are not known here.
const FAINT: f64 = 1e-4;

/// Looks into the steps of a run.
pub(super) struct NarrowWatch<'m> {
    mechanism: &'m Mechanism,
    laws: Laws,
    ws: Workspace,
    scratch: LawScratch,
    /// A force that moves the lightest body by its size in a second.
    force: f64,
    /// Names of all laws at the places of stage 2, and what each law shows there.
    names: [Vec<f64>; STRETCHES + 1],
    shown: [Vec<f64>; STRETCHES + 1],
    bounds: Vec<Interval>,
    /// How much each step of a formula does over the whole step.
    spans: Vec<f64>,
    /// Open stretches of stage 2, the leftmost last.
    open: Vec<Stretch>,
    spare: Vec<Stretch>,
    y: Vec<f64>,
    f: [Vec<f64>; 3],
    places: usize,
    weighed: usize,
    corners: usize,
    /// Whether all laws were calm in the last step.
    calm: bool,
}

/// A part of a step, with the names of all laws and what one law shows at both ends.
#[derive(Default)]
struct Stretch {
    s: [f64; 2],
    names: [Vec<f64>; 2],
    shown: [Vec<f64>; 2],
    /// How much the names bend.
    bend: Vec<f64>,
}

impl<'m> NarrowWatch<'m> {
    /// Nothing is known of the last step.
    pub(super) fn forget(&mut self) {
        self.calm = true;
    }

    pub(super) fn new(mechanism: &'m Mechanism) -> Self {
        let interactions = &mechanism.interactions;
        let masses = mechanism.bodies.iter().map(|b| b.particles.properties.mass).filter(|&m| m > 0.0);
        let lightest = masses.fold(f64::INFINITY, f64::min);
        let size = mechanism.size.min(mechanism.size * mechanism.size);
        let adaptive = mechanism.model.settings.fixed_step().is_none();
        NarrowWatch {
            mechanism,
            laws: if adaptive { Laws::new(interactions) } else { Laws::default() },
            ws: Workspace::new(interactions, mechanism.bodies.len()),
            scratch: LawScratch::default(),
            force: if lightest.is_finite() { lightest * size } else { 0.0 },
            names: Default::default(),
            shown: Default::default(),
            bounds: Vec::new(),
            spans: Vec::new(),
            open: Vec::new(),
            spare: Vec::new(),
            y: Vec::new(),
            f: Default::default(),
            places: 0,
            weighed: 0,
            corners: 0,
            calm: true,
        }
    }

    /// Whether there is anything to look at.
    pub(super) fn is_idle(&self) -> bool {
        self.laws.list.is_empty()
    }

    /// Whether no law did anything in the last step that needed a closer look.
    pub(super) fn was_calm(&self) -> bool {
        self.calm
    }

    /// The names of all laws at a place of the step.
    fn read<F: Formulate>(&mut self, system: &mut F, trial: &Trial<'_>, s: f64, names: &mut Vec<f64>) {
        self.places += 1;
        self.y.resize(system.dimension(), 0.0);
        trial.sketch(s, &mut self.y);
        system.locate_bodies(&self.y, &mut self.ws.motions);
        let auxiliary = &self.y[system.work_index() + 1..];
        let at = (trial.t() + s * trial.h(), auxiliary);
        self.laws.read(&self.mechanism.interactions, &mut self.ws, at, &mut self.scratch, names);
    }

    /// The names at a place of stage 2.
    fn read_place<F: Formulate>(&mut self, system: &mut F, trial: &Trial<'_>, i: usize) {
        let mut names = std::mem::take(&mut self.names[i]);
        self.read(system, trial, i as f64 / STRETCHES as f64, &mut names);
        self.names[i] = names;
    }

    /// Changes of a law below this do not matter.
    fn faint(&self, law: usize, trial: &Trial<'_>) -> f64 {
        match self.laws.list[law].kind {
            LawKind::Effort => FAINT * trial.tolerance() * self.force / trial.h().abs(),
            LawKind::Place => FAINT * FAINT * trial.tolerance() * self.mechanism.size.min(1.0),
            LawKind::Measure => 0.0,
        }
    }

    /// Stage 1 for a law: whether it is calm over the whole step.
    fn is_calm(&mut self, law: usize, trial: &Trial<'_>) -> bool {
        const MIDDLE: usize = STRETCHES / 2;
        let faint = self.faint(law, trial);
        let [first, middle, last] = [0, MIDDLE, STRETCHES].map(|i| &self.names[i]);
        let bend = |i: usize| 0.25 * (first[i] - 2.0 * middle[i] + last[i]).abs();
        let law = &self.laws.list[law];
        let (mut calm, mut all) = (true, None::<Interval>);
        for pair in [[first, middle], [middle, last]] {
            let pair = pair.map(Vec::as_slice);
            calm &= law.enclose(pair, bend, &mut self.scratch, &mut self.bounds).0;
            let value = self.bounds[self.bounds.len() - 1];
            all = Some(all.map_or(value, |all| all.hull(value)));
        }
        calm || all.is_some_and(|all| all.width() <= faint)
    }

    /// (L1) for what a law shows between two places: how much is hidden in the worst of its steps, and which that is. `spans`: how much each
    /// does over the whole step.
    fn hidden(bounds: &[Interval], [a, b]: [&[f64]; 2], spans: &[f64], faint: f64) -> Option<(usize, f64)> {
        let last = bounds.len() - 1;
        let beyond = |k: usize| bounds[k].beyond(Interval::new(a[k], b[k]));
        // what the law as a whole does not show does not matter
        if beyond(last) <= faint {
            return None;
        }
        let mut worst = None;
        for k in 0..last {
            let hidden = beyond(k);
            let shown = HIDDEN.0 * spans[k] + HIDDEN.1 * (b[k] - a[k]).abs();
            if hidden > shown && worst.is_none_or(|(_, most)| hidden / (shown + f64::MIN_POSITIVE) > most) {
                worst = Some((k, hidden / (shown + f64::MIN_POSITIVE)));
            }
        }
        worst.map(|(k, _)| (k, beyond(k)))
    }

    /// (N1) of a thing at s within ±w: the part of the step that may be taken, if it matters.
    fn weigh<F: Formulate>(&mut self, system: &mut F, trial: &Trial<'_>, s: f64, w: f64) -> Option<f64> {
        self.weighed += 1;
        // as far on both sides
        let w = w.min(s).min(1.0 - s).max(1e-12);
        match self.bend(system, trial, s, w) {
            // no place to be in: shorter steps will tell
            None => return Some(0.5),
            Some(bend) if 2.0 * w * bend <= MATTERS => return None,
            Some(_) => {}
        }
        let left = s - w;
        Some(if left > 0.2 { left } else { s.max(2.0 * w).min(0.5) })
    }

    /// |h| ‖f(s) − ½ (f(s − w) + f(s + w))‖ in units of the tolerance; nothing where f has no value.
    fn bend<F: Formulate>(&mut self, system: &mut F, trial: &Trial<'_>, s: f64, w: f64) -> Option<f64> {
        for (k, place) in [s, s - w, s + w].into_iter().enumerate() {
            self.y.resize(system.dimension(), 0.0);
            self.f[k].resize(system.dimension(), 0.0);
            trial.sketch(place, &mut self.y);
            let t = trial.t() + place * trial.h();
            system.derivative(t, &self.y, &mut self.f[k]).ok()?;
        }
        let [f, g, k] = &self.f;
        Some(trial.bump(f, [g, k], 1.0))
    }

    /// A stretch of stage 2, with its names and how much they bend.
    fn stretch(&mut self, i: usize) -> Stretch {
        let mut stretch = self.spare.pop().unwrap_or_default();
        stretch.s = [i, i + 1].map(|i| i as f64 / STRETCHES as f64);
        for (names, j) in stretch.names.iter_mut().zip([i, i + 1]) {
            names.clone_from(&self.names[j]);
        }
        stretch.bend.clear();
        for k in 0..self.names[0].len() {
            let bend =
                |j: usize| (self.names[j - 1][k] - 2.0 * self.names[j][k] + self.names[j + 1][k]).abs();
            let around = [i, i + 1].into_iter().filter(|&j| j > 0 && j < STRETCHES);
            stretch.bend.push(0.25 * around.map(bend).fold(0.0, f64::max));
        }
        stretch
    }

    /// (N2) of the first corner in a stretch of stage 2: the part of the step that may be taken, if it bends the motion more than a method's
    /// estimate may miss.
    fn corner<F: Formulate>(
        &mut self,
        system: &mut F,
        trial: &Trial<'_>,
        law: usize,
        i: usize,
    ) -> Option<f64> {
        let mut stretch = self.stretch(i);
        let mut middle = std::mem::take(&mut stretch.shown[0]);
        let mut lies = true;
        for halving in 0..=CORNER_HALVINGS {
            let names = [&stretch.names[0][..], &stretch.names[1][..]];
            let bend = |k: usize| stretch.bend[k];
            lies = self.laws.list[law].enclose(names, bend, &mut self.scratch, &mut self.bounds).1;
            if !lies || halving == CORNER_HALVINGS {
                break;
            }
            let [from, to] = stretch.s;
            let half = 0.5 * (from + to);
            self.read(system, trial, half, &mut middle);
            stretch.bend.iter_mut().for_each(|bend| *bend *= 0.25);
            let first = [&stretch.names[0][..], &middle[..]];
            let bend = |k: usize| stretch.bend[k];
            let left = self.laws.list[law].enclose(first, bend, &mut self.scratch, &mut self.bounds).1;
            stretch.s = if left { [from, half] } else { [half, to] };
            stretch.names[usize::from(left)].clone_from(&middle);
        }
        let [from, to] = stretch.s;
        stretch.shown[0] = middle;
        self.spare.push(stretch);
        let s = 0.5 * (from + to);
        let w = (4.0 * (to - from)).min(s).min(1.0 - s);
        if !lies || w < to - from {
            return None;
        }
        self.corners += 1;
        let bend = self.bend(system, trial, s, w);
        // f(s ± w) − f(s) of a corner grow as w does
        let turn = bend.map_or(f64::INFINITY, |bend| CORNER * bend / w);
        (turn > LUCK).then_some(if s > 0.2 { s } else { 0.3 })
    }

    /// Stage 2 and 3 for a law.
    fn search<F: Formulate>(&mut self, system: &mut F, trial: &Trial<'_>, law: usize) -> Option<f64> {
        let faint = self.faint(law, trial);
        for i in 0..=STRETCHES {
            let mut shown = std::mem::take(&mut self.shown[i]);
            self.laws.list[law].trace(&self.names[i], &mut self.scratch, &mut shown);
            self.shown[i] = shown;
        }
        let count = self.shown[0].len();
        let mut spans = std::mem::take(&mut self.spans);
        spans.clear();
        spans.extend((0..count).map(|k| {
            let values = self.shown.iter().map(|shown| shown[k]);
            let ends = values.fold((f64::INFINITY, f64::NEG_INFINITY), |e, v| (e.0.min(v), e.1.max(v)));
            ends.1 - ends.0
        }));
        let found = self.search_with(system, trial, law, &spans, faint);
        self.spans = spans;
        found
    }

    fn search_with<F: Formulate>(
        &mut self,
        system: &mut F,
        trial: &Trial<'_>,
        law: usize,
        spans: &[f64],
        faint: f64,
    ) -> Option<f64> {
        let count = spans.len();
        let place = |i: usize| i as f64 / STRETCHES as f64;
        for i in 0..STRETCHES {
            // things that one or two places show
            let last = count - 1;
            for l in i + 2..=(i + SPAN).min(STRETCHES) {
                for k in 0..last {
                    let [u, v] = [self.shown[i][k], self.shown[l][k]];
                    let outer = Interval::new(u, v);
                    let off = |j: usize| Interval::point(self.shown[j][k]).beyond(outer);
                    let Some(j) = (i + 1..l).max_by(|&a, &b| off(a).total_cmp(&off(b))) else { continue };
                    let whole = Interval::new(self.shown[i][last], self.shown[l][last]);
                    let matters = Interval::point(self.shown[j][last]).beyond(whole) > faint;
                    if off(j) > PROMINENT * spans[k] && spans[k] > 0.0 && matters {
                        let w = (place(l) - place(i)) / 2.0;
                        let found = self.weigh(system, trial, place(j), w);
                        if found.is_some() {
                            return found;
                        }
                    }
                }
            }
            let found = self.halve(system, trial, law, i, spans, faint);
            if found.is_some() {
                return found;
            }
            if self.corners < MOST_CORNERS {
                let found = self.corner(system, trial, law, i);
                if found.is_some() {
                    return found;
                }
            }
        }
        None
    }

    /// Halves a stretch of stage 2 for as long as something may be hidden in it.
    fn halve<F: Formulate>(
        &mut self,
        system: &mut F,
        trial: &Trial<'_>,
        law: usize,
        i: usize,
        spans: &[f64],
        faint: f64,
    ) -> Option<f64> {
        let mut stretch = self.stretch(i);
        for (shown, j) in stretch.shown.iter_mut().zip([i, i + 1]) {
            shown.clone_from(&self.shown[j]);
        }
        self.open.push(stretch);
        let mut found = None;
        while let Some(mut stretch) = self.open.pop() {
            let names = [&stretch.names[0][..], &stretch.names[1][..]];
            let bend = |n: usize| stretch.bend[n];
            self.laws.list[law].enclose(names, bend, &mut self.scratch, &mut self.bounds);
            let shown = [&stretch.shown[0][..], &stretch.shown[1][..]];
            let hidden = Self::hidden(&self.bounds, shown, spans, faint);
            let [from, to] = stretch.s;
            if found.is_some() || hidden.is_none() || self.exhausted() || to - from < NARROWEST {
                if found.is_none() && hidden.is_some() && !self.exhausted() {
                    found = self.weigh(system, trial, 0.5 * (from + to), to - from);
                }
                self.spare.push(stretch);
                continue;
            }
            let Some((k, most)) = hidden else { continue };
            let middle = 0.5 * (from + to);
            let mut right = self.spare.pop().unwrap_or_default();
            let (mut names, mut shown) =
                (std::mem::take(&mut right.names[0]), std::mem::take(&mut right.shown[0]));
            self.read(system, trial, middle, &mut names);
            self.laws.list[law].trace(&names, &mut self.scratch, &mut shown);
            let outer = Interval::new(stretch.shown[0][k], stretch.shown[1][k]);
            if Interval::point(shown[k]).beyond(outer) >= FOUND * most {
                found = self.weigh(system, trial, middle, 0.5 * (to - from));
            }
            for n in 0..names.len() {
                let bend = 0.0625 * (stretch.names[0][n] - 2.0 * names[n] + stretch.names[1][n]).abs();
                stretch.bend[n] = bend.max(0.125 * stretch.bend[n]);
            }
            right.bend.clone_from(&stretch.bend);
            right.s = [middle, to];
            std::mem::swap(&mut right.names[1], &mut stretch.names[1]);
            std::mem::swap(&mut right.shown[1], &mut stretch.shown[1]);
            stretch.s = [from, middle];
            stretch.names[1].clone_from(&names);
            stretch.shown[1].clone_from(&shown);
            (right.names[0], right.shown[0]) = (names, shown);
            self.open.push(right);
            self.open.push(stretch);
        }
        found
    }

    /// Evaluations of y' within a step.
    fn evaluations(&self) -> u64 {
        3 * (self.weighed + self.corners) as u64
    }

    fn exhausted(&self) -> bool {
        self.places >= MOST_PLACES || self.weighed >= MOST_WEIGHED
    }
}

impl<F: Formulate> Inspector<F> for NarrowWatch<'_> {
    fn inspect(&mut self, system: &mut F, trial: &Trial<'_>) -> Verdict {
        if self.is_idle() {
            return Verdict::Calm;
        }
        (self.places, self.weighed, self.corners) = (0, 0, 0);
        for i in [0, STRETCHES / 2, STRETCHES] {
            self.read_place(system, trial, i);
        }
        let mut all = false;
        self.calm = true;
        for law in 0..self.laws.list.len() {
            if self.is_calm(law, trial) {
                continue;
            }
            self.calm = false;
            if !std::mem::replace(&mut all, true) {
                for i in (0..=STRETCHES).filter(|i| i % (STRETCHES / 2) != 0) {
                    self.read_place(system, trial, i);
                }
            }
            if let Some(part) = self.search(system, trial, law) {
                return Verdict::Shorten(part, self.evaluations());
            }
        }
        let long = trial.h().abs() > SHORT * self.mechanism.model.settings.duration;
        match self.weighed + self.corners {
            _ if self.exhausted() && long => Verdict::Shorten(0.5, self.evaluations()),
            0 => Verdict::Calm,
            _ => Verdict::Looked(self.evaluations()),
        }
    }
}
