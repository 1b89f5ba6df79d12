//! What a step of a control loop costs: an arm of seven axes, torques set and angles read each millisecond.
//!
//! `cargo bench -p linkwork --bench control_loop`. Figures are the best of several repetitions, interleaved, so that a busy machine slows all of them alike.
//! `-- STEPS` makes one repetition of so many steps, for a profiler that counts instructions.

use linkwork::model::Model;
use linkwork::simulation::{InputId, Outputs};
use linkwork::{Error, Mechanism, Simulation};
use std::fmt::Write;
use std::time::Instant;

const AXES: usize = 7;
const STEP: f64 = 1e-3;
const SLICE: u32 = 200;
const REPETITIONS: usize = 50;

fn arm(integrator: &str) -> Result<Mechanism, Error> {
    let mut text = format!(
        "format = 1\nmodel = {{ name = \"arm\", dimension = 3, gravity = \"-z\" }}\n\
         simulation = {{ duration = 1e4, output_step = 1.0, step = {STEP}, integrator = \"{integrator}\", formulation = \"recursive\" }}\n[points]\n"
    );
    let mut say = |line: String| writeln!(text, "{line}").expect("a string takes all");
    for i in 0..=AXES {
        say(format!("J{i} = [0, 0, {}]", 0.2 * i as f64));
        say(format!("K{i} = [0, 0, {}]", 0.2 * i as f64));
    }
    say("[bodies]\nground = { points = [\"J0\"] }".into());
    for i in 0..AXES {
        let (z, next) = (0.2 * i as f64, i + 1);
        say(format!(
            "link{i} = {{ points = [\"K{i}\", \"J{next}\"], mass = {}, com = [0.01, -0.02, {}], inertia = [0.04, 0.05, 0.02, 0.001, 0, 0.002] }}",
            4.0 - 0.4 * i as f64,
            z + 0.1
        ));
    }
    say("[joints]".into());
    for i in 0..AXES {
        let on = if i == 0 { "ground".into() } else { format!("link{}", i - 1) };
        let axis = if i % 2 == 0 { "[0, 0, 1]" } else { "[0, 1, 0]" };
        say(format!(
            "axis{i} = {{ type = \"revolute\", bodies = [\"{on}\", \"link{i}\"], at = [\"J{i}\", \"K{i}\"], axis = {axis} }}"
        ));
    }
    Ok(Model::from_toml(&text)?.assemble()?)
}

/// A loop over a simulation.
struct Loop<'m> {
    simulation: Simulation<'m>,
    torques: Vec<InputId>,
    outputs: Outputs,
    y: [f64; 2 * AXES],
    k: u32,
}

impl<'m> Loop<'m> {
    fn new(mechanism: &'m Mechanism) -> Result<Self, Error> {
        let mut simulation = mechanism.simulation()?;
        let torques = (0..AXES).map(|i| simulation.joint_force(&format!("axis{i}"), 1));
        let torques = torques.collect::<Result<_, _>>()?;
        let names = ["q", "v"].into_iter().flat_map(|x| (0..AXES).map(move |i| format!("joint.axis{i}.{x}")));
        let outputs = simulation.outputs(names)?;
        Ok(Loop { simulation, torques, outputs, y: [0.0; 2 * AXES], k: 0 })
    }

    fn run(&mut self, steps: u32) -> Result<(), Error> {
        for _ in 0..steps {
            self.k += 1;
            self.simulation.read(&mut self.outputs, &mut self.y)?;
            for (i, &torque) in self.torques.iter().enumerate() {
                self.simulation.set(torque, 20.0 * (0.5 - self.y[i]) - self.y[AXES + i])?;
            }
            self.simulation.advance_to(STEP * f64::from(self.k))?;
        }
        Ok(())
    }
}

fn main() -> Result<(), Error> {
    let names = ["semi-implicit-euler", "rk4"];
    let mechanisms = names.map(arm);
    let mechanisms = mechanisms.into_iter().collect::<Result<Vec<_>, _>>()?;
    let mut loops = mechanisms.iter().map(Loop::new).collect::<Result<Vec<_>, _>>()?;
    if let Some(steps) = std::env::args().nth(1).and_then(|steps| steps.parse().ok()) {
        return loops[0].run(steps);
    }
    let mut best = [f64::INFINITY; 2];
    for _ in 0..REPETITIONS {
        for (each, best) in loops.iter_mut().zip(&mut best) {
            let began = Instant::now();
            each.run(SLICE)?;
            *best = best.min(began.elapsed().as_secs_f64() / f64::from(SLICE));
        }
    }
    for (name, seconds) in names.iter().zip(best) {
        println!("{name:22} {:6.2} µs a step", 1e6 * seconds);
    }
    Ok(())
}
