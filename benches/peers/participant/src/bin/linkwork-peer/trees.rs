//! Forward dynamics of trees by `linkwork::recursive`.
//!
//! Rates of spherical and floating joints are in world axes there and in link axes in the file. With R the link's rotation, ω its angular
//! velocity and w the rate in link axes, u = R w and u̇ = R ẇ + ω × u. States are translated once, answers when they are asked for; nothing of that
//! is timed. Fixed links are merged into their parents.

use linkwork::linalg::vec3::{Mat3, Vec3, add, apply, apply_transposed, cross, dot, scale, sub};
use linkwork::recursive::lane::{PACK, Pack};
use linkwork::recursive::{Dynamics, Kernel, Link, LinkJoint, Octet, Tree};
use peers_participant::protocol::{Loaded, Variant};
use peers_participant::tree::{self, Joint, State};
use std::hint::black_box;
use std::rc::Rc;

/// One state in the kernel's conventions, and what leads back.
struct Translated {
    q: Vec<f64>,
    u: Vec<f64>,
    tau: Vec<f64>,
    /// By link of the file: rotation to world axes, angular velocity in world axes.
    frames: Vec<(Mat3, Vec3)>,
}

struct Problem {
    file: tree::Tree,
    states: Vec<Translated>,
}

fn three(x: &[f64]) -> Vec3 {
    [x[0], x[1], x[2]]
}

fn product(a: &Mat3, b: &Mat3) -> Mat3 {
    std::array::from_fn(|i| std::array::from_fn(|j| (0..3).map(|k| a[i][k] * b[k][j]).sum()))
}

fn rows(m: &[f64; 9]) -> Mat3 {
    [three(&m[0..3]), three(&m[3..6]), three(&m[6..9])]
}

fn quaternion(q: &[f64]) -> Mat3 {
    let (w, v) = (q[0], three(&q[1..4]));
    let s = 2.0 / (w * w + dot(v, v));
    let column = |e: Vec3| {
        let t = cross(v, e);
        add(e, add(scale(s * w, t), scale(s, cross(v, t))))
    };
    let [x, y, z] = [column([1.0, 0.0, 0.0]), column([0.0, 1.0, 0.0]), column([0.0, 0.0, 1.0])];
    [[x[0], y[0], z[0]], [x[1], y[1], z[1]], [x[2], y[2], z[2]]]
}

/// The rotation about a unit axis.
fn turn(axis: Vec3, angle: f64) -> Mat3 {
    let (s, c) = (angle / 2.0).sin_cos();
    quaternion(&[c, s * axis[0], s * axis[1], s * axis[2]])
}

fn symmetric(j: &[f64; 6]) -> Mat3 {
    [[j[0], j[3], j[4]], [j[3], j[1], j[5]], [j[4], j[5], j[2]]]
}

/// m (c·c 1 − c cᵀ).
fn of_point(m: f64, c: Vec3) -> Mat3 {
    std::array::from_fn(|i| std::array::from_fn(|j| m * (if i == j { dot(c, c) } else { 0.0 } - c[i] * c[j])))
}

/// Adds a rigid part to a link.
fn merge(link: &mut Link, mass: f64, com: Vec3, inertia: &Mat3) {
    let total = link.mass + mass;
    let centre = scale(1.0 / total, add(scale(link.mass, link.com), scale(mass, com)));
    let (a, b) = (of_point(link.mass, sub(link.com, centre)), of_point(mass, sub(com, centre)));
    for i in 0..3 {
        for j in 0..3 {
            link.inertia[i][j] += inertia[i][j] + a[i][j] + b[i][j];
        }
    }
    (link.mass, link.com) = (total, centre);
}

fn compile(file: &tree::Tree) -> Result<Tree, String> {
    let mut links: Vec<Link> = Vec::new();
    // of each link of the file: the link that holds it, and its place there
    let mut held: Vec<(usize, Mat3, Vec3)> = Vec::new();
    for l in &file.links {
        let (mut rotation, mut translation, mut parent) = (rows(&l.rotation), l.translation, None);
        if l.parent >= 0 {
            let (link, r, t) = held[l.parent as usize];
            (rotation, translation, parent) =
                (product(&r, &rotation), add(t, apply(&r, translation)), Some(link));
        }
        let joint = match l.joint {
            Joint::Revolute => LinkJoint::revolute(l.axis),
            Joint::Prismatic => LinkJoint::prismatic(l.axis),
            Joint::Spherical => LinkJoint::Ball,
            Joint::Floating => LinkJoint::Free,
            Joint::Fixed => {
                let link = parent.ok_or("a link is fixed to the ground")?;
                let turned = product(&product(&rotation, &symmetric(&l.inertia)), &transposed(&rotation));
                merge(&mut links[link], l.mass, add(translation, apply(&rotation, l.com)), &turned);
                held.push((link, rotation, translation));
                continue;
            }
        };
        held.push((links.len(), linkwork::linalg::vec3::IDENTITY, [0.0; 3]));
        let (mass, com, inertia) = (l.mass, l.com, symmetric(&l.inertia));
        links.push(Link { parent, joint, rotation, translation, mass, com, inertia, spare: [[0.0; 3]; 3] });
    }
    Tree::new(&links, file.gravity).map_err(|e| e.to_string())
}

fn transposed(m: &Mat3) -> Mat3 {
    std::array::from_fn(|i| std::array::from_fn(|j| m[j][i]))
}

fn translate(file: &tree::Tree, state: &State) -> Translated {
    let (q, mut u, mut tau) = (state.q.clone(), state.v.clone(), state.tau.clone());
    let mut frames: Vec<(Mat3, Vec3)> = Vec::new();
    for (l, (iq, iv)) in file.links.iter().zip(file.starts()) {
        let (outer, spin) = if l.parent < 0 {
            (linkwork::linalg::vec3::IDENTITY, [0.0; 3])
        } else {
            frames[l.parent as usize]
        };
        let joint = product(&outer, &rows(&l.rotation));
        let mut world = |at: usize, r: &Mat3| {
            for list in [&mut u, &mut tau] {
                let turned = apply(r, three(&list[at..]));
                list[at..at + 3].copy_from_slice(&turned);
            }
            three(&u[at..])
        };
        frames.push(match l.joint {
            Joint::Revolute => {
                let r = product(&joint, &turn(l.axis, state.q[iq]));
                let about = apply(&r, l.axis);
                (r, add(spin, scale(state.v[iv], about)))
            }
            Joint::Prismatic | Joint::Fixed => (joint, spin),
            Joint::Spherical => {
                let r = product(&joint, &quaternion(&state.q[iq..]));
                let relative = world(iv, &r);
                (r, add(spin, relative))
            }
            Joint::Floating => {
                let r = product(&joint, &quaternion(&state.q[iq + 3..]));
                world(iv, &r);
                let own = world(iv + 3, &r);
                (r, own)
            }
        });
    }
    Translated { q, u, tau, frames }
}

impl Problem {
    /// Accelerations of the kernel in the conventions of the file.
    fn back(&self, s: usize, given: &[f64]) -> Vec<f64> {
        let (mut a, state) = (given.to_vec(), &self.states[s]);
        for (i, (l, (_, iv))) in self.file.links.iter().zip(self.file.starts()).enumerate() {
            let (r, omega) = &state.frames[i];
            let parts = match l.joint {
                Joint::Spherical => 1,
                Joint::Floating => 2,
                _ => 0,
            };
            for at in (0..parts).map(|k| iv + 3 * k) {
                let link_axes =
                    apply_transposed(r, sub(three(&given[at..]), cross(*omega, three(&state.u[at..]))));
                a[at..at + 3].copy_from_slice(&link_axes);
            }
        }
        a
    }
}

/// One state at a time.
struct One {
    problem: Rc<Problem>,
    dynamics: Dynamics,
    out: Vec<f64>,
}

impl One {
    fn evaluate(&mut self, s: usize) {
        let state = &self.problem.states[s];
        self.dynamics.forward(black_box(&state.q), &state.u, &state.tau, &mut self.out);
        black_box(&self.out);
    }
}

impl Variant for One {
    fn answer(&mut self, s: usize) -> Result<Vec<f64>, String> {
        self.evaluate(s);
        Ok(self.problem.back(s, &self.out))
    }

    fn repeat(&mut self, k: usize) -> Result<(), String> {
        (0..k).for_each(|_| self.evaluate(0));
        Ok(())
    }

    fn batch(&mut self, k: usize) -> Result<(), String> {
        for _ in 0..k {
            (0..self.problem.states.len()).for_each(|s| self.evaluate(s));
        }
        Ok(())
    }
}

/// Eight states at a time.
struct Eight {
    problem: Rc<Problem>,
    octet: Octet,
    packs: Vec<[Vec<Pack>; 3]>,
    out: Vec<Pack>,
}

impl Eight {
    fn new(problem: Rc<Problem>, tree: Tree) -> Self {
        let pack = |list: &[&Vec<f64>]| -> Vec<Pack> {
            (0..list[0].len()).map(|i| Pack(std::array::from_fn(|lane| list[lane][i]))).collect()
        };
        let packs = problem
            .states
            .chunks_exact(PACK)
            .map(|eight| {
                let each = |f: fn(&Translated) -> &Vec<f64>| pack(&eight.iter().map(f).collect::<Vec<_>>());
                [each(|s| &s.q), each(|s| &s.u), each(|s| &s.tau)]
            })
            .collect();
        let out = vec![Pack([0.0; PACK]); problem.file.dof()];
        Eight { problem, octet: Octet::new(tree), packs, out }
    }

    fn evaluate(&mut self, chunk: usize) {
        let [q, u, tau] = &self.packs[chunk];
        self.octet.forward(black_box(q), u, tau, &mut self.out);
        black_box(&self.out);
    }
}

impl Variant for Eight {
    fn answer(&mut self, s: usize) -> Result<Vec<f64>, String> {
        self.evaluate(s / PACK);
        let lane: Vec<f64> = self.out.iter().map(|p| p.0[s % PACK]).collect();
        Ok(self.problem.back(s, &lane))
    }

    fn repeat(&mut self, _: usize) -> Result<(), String> {
        Err("eight states at a time".into())
    }

    fn batch(&mut self, k: usize) -> Result<(), String> {
        for _ in 0..k {
            (0..self.packs.len()).for_each(|chunk| self.evaluate(chunk));
        }
        Ok(())
    }
}

pub fn load(json: serde_json::Value) -> Result<Loaded, String> {
    let file: tree::Tree = serde_json::from_value(json).map_err(|e| e.to_string())?;
    let tree = compile(&file)?;
    let (bodies, dof) = (file.links.len(), file.dof());
    let states = file.states.iter().map(|s| translate(&file, s)).collect();
    let problem = Rc::new(Problem { file, states });
    let one = |kernel: Kernel| -> Box<dyn Variant> {
        let dynamics = Dynamics::with_kernel(tree.clone(), kernel);
        Box::new(One { problem: problem.clone(), dynamics, out: vec![0.0; dof] })
    };
    let variants = vec![
        ("single".to_owned(), one(Kernel::Single)),
        ("packed".to_owned(), one(Kernel::Packed)),
        ("octet".to_owned(), Box::new(Eight::new(problem.clone(), tree.clone())) as Box<dyn Variant>),
    ];
    Ok(Loaded { bodies, variants })
}
