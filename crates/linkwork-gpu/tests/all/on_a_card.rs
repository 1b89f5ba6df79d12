//! On a card: `cargo test -p linkwork-gpu -- --ignored`.

use super::{cases, here_and_there, same_bits, settings, spatial_chain};
use linkwork::batch::{Batch, Variant};
use linkwork::model::Integrator;
use linkwork_gpu::Device;
use std::time::Instant;

#[test]
#[ignore = "needs an NVIDIA card"]
fn same_bits_on_a_card() {
    let device = Device::first().expect("a card");
    let mut numbers = 0;
    for (name, model) in cases() {
        for runs in here_and_there(model, (Integrator::Rk4, 100), 20_000, &device) {
            numbers += same_bits(name, &runs);
        }
    }
    println!("{device:?}: {numbers} numbers have the same bits");
}

#[test]
#[ignore = "needs an NVIDIA card"]
fn ten_million_variants_stay_in_bounded_memory() {
    let device = Device::first().expect("a card");
    let base =
        spatial_chain(1, false, false, 0.0).settings(settings(Integrator::Rk4, 10)).assemble().unwrap();
    let batch = Batch::new(&base).columns(["joint.J0.q"]).unwrap();
    let clock = Instant::now();
    for part in 0..10 {
        let variants: Vec<Variant> = (0..1_000_000)
            .map(|k| Variant::new().start([1e-7 * f64::from(part * 1_000_000 + k)], [0.0]))
            .collect();
        assert!(batch.clone().on(&device).run(&variants).iter().all(|run| run.on_device));
    }
    println!("1e7 variants in {:.1} s", clock.elapsed().as_secs_f64());
}

/// Without a driver there is no device, and that is said.
#[test]
fn no_card_is_told() {
    if Device::count() == 0 {
        let error = Device::first().expect_err("no card");
        assert!(error.to_string().contains("NVIDIA"), "{error}");
    }
}
