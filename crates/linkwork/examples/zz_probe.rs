//! Probe.
use linkwork::model::{Formulation, Integrator, Model};
fn main() {
    let args: Vec<String> = std::env::args().collect();
    for file in args[1].split(',') {
        let text = std::fs::read_to_string(file).unwrap();
        for form in args[2].split(',') {
            for int in args[3].split(',') {
                let t0 = std::time::Instant::now();
                let mut model = match Model::from_toml(&text) {
                    Ok(m) => m,
                    Err(e) => {
                        println!("{e}");
                        continue;
                    }
                };
                if form != "auto" {
                    model.settings.formulation =
                        Formulation::ALL.iter().copied().find(|f| f.name() == form).unwrap();
                }
                model.settings.integrator =
                    Integrator::ALL.iter().copied().find(|f| f.name() == int).unwrap();
                if let Some(tol) = args.get(4).and_then(|x| x.parse::<f64>().ok()) {
                    model.settings.tolerance = tol;
                }
                let name = file.rsplit('/').next().unwrap();
                print!("{name:20} {form:12} {int:7} ");
                let mechanism = match model.assemble() {
                    Ok(m) => m,
                    Err(e) => {
                        println!(
                            "ASSEMBLE {}",
                            e.list
                                .iter()
                                .map(|f| format!("{} {} | {:?}", f.path, f.message, f.help))
                                .collect::<Vec<_>>()
                                .join("; ")
                        );
                        continue;
                    }
                };
                match mechanism.simulate() {
                    Err(e) => println!("REFUSED {}", e.list[0].message),
                    Ok(run) => {
                        let s = &run.summary;
                        if args.get(5).is_some_and(|x| x == "m") {
                            let point = mechanism
                                .points
                                .iter()
                                .position(|p| p.name == "B0")
                                .or(mechanism.points.iter().position(|p| p.name == "B"))
                                .unwrap();
                            let f = run.frames.last().unwrap().positions[point];
                            let code = match &s.status {
                                linkwork::simulation::Status::Failed(f) => f.code,
                                _ => "ok",
                            };
                            println!(
                                "\n@ {name} {form} {code} {:e} {:e} {:e} {:e} {:.2} {}",
                                s.energy_drift,
                                f[0],
                                f[1],
                                f[2],
                                t0.elapsed().as_secs_f64(),
                                s.remarks.iter().filter(|r| r.code == "singular-position").count()
                            );
                            continue;
                        }
                        let sing = s.remarks.iter().filter(|r| r.code == "singular-position").count();
                        let last = run.frames.last().unwrap();
                        let p =
                            last.positions.iter().fold(0.0, |a, p| a * 0.7 + p[0] + 2.0 * p[1] + 3.0 * p[2]);
                        println!(
                            "{:.2}s drift {:.1e} steps {} rej {} leaps {} eval {} sing {} t {} p {:.10} {:?}",
                            t0.elapsed().as_secs_f64(),
                            s.energy_drift,
                            s.steps.accepted_steps,
                            s.steps.rejected_steps,
                            s.steps.leaps,
                            s.steps.derivative_evaluations,
                            sing,
                            last.t,
                            p,
                            match &s.status {
                                linkwork::simulation::Status::Failed(f) =>
                                    format!("FAILED {} {} {} | {}", f.t, f.code, f.message, f.advice),
                                other => format!("{other:?}"),
                            }
                        );
                        if args.get(5).is_some() {
                            for r in &s.remarks {
                                println!("    {:?} {} {}", r.t, r.code, r.message);
                            }
                        }
                    }
                }
            }
        }
    }
}
