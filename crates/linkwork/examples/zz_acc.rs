//! Probe.
use linkwork::formulations::{Formulate, Momentum, Points};
use linkwork::integrate::{Stepper, System};
use linkwork::model::Model;
fn main() {
    let model =
        Model::from_toml(&std::fs::read_to_string(std::env::args().nth(1).unwrap()).unwrap()).unwrap();
    let mechanism = model.assemble().unwrap();
    let mut a = Points::new(&mechanism).unwrap();
    let mut b = Momentum::new(&mechanism).unwrap();
    let y0 = a.start();
    let n = a.dimension();
    let mut stepper = Stepper::dop853(n, 1e-11);
    stepper.start(&mut b, 0.0, &y0, 10.0).unwrap();
    let (mut da, mut db) = (vec![0.0; n], vec![0.0; n]);
    let mut k = 0;
    while !stepper.is_finished() {
        stepper.step(&mut b).unwrap();
        k += 1;
        if k % 100 == 0 {
            let y = stepper.y().to_vec();
            let before = a.counters().solves;
            a.derivative(stepper.t(), &y, &mut da).unwrap();
            let solves = a.counters().solves - before;
            b.derivative(stepper.t(), &y, &mut db).unwrap();
            let size = db.iter().fold(0.0_f64, |s, x| s.max(x.abs()));
            let off = da.iter().zip(&db).fold(0.0_f64, |s, (x, y)| s.max((x - y).abs()));
            let mut d = Vec::new();
            a.independence(&mut d);
            let least = d.iter().fold(f64::INFINITY, |s: f64, x| s.min(*x));
            if k == 200 {
                for (r, d) in d.iter().enumerate() {
                    println!("{d:.2e} {}", a.row_name(r));
                }
                for i in 0..n {
                    println!("{} {:.6} {:.1e}", a.component_name(i), da[i], da[i] - db[i]);
                }
            }
            println!(
                "t {:.3} h {:.1e} size {size:.2e} off {off:.1e} solves {solves} least {least:.1e}",
                stepper.t(),
                stepper.h()
            );
        }
    }
}
