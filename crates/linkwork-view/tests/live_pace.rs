//! The live viewer keeps real time.

#[path = "all/host.rs"]
mod host;

use host::Host;
use std::time::Instant;

/// Seconds of the model for a second of the clock, over three seconds of frames as they come in. The viewer is never ahead; on a machine that is
/// busy with other things it may fall behind for a while, so one of five stretches has to be in time.
#[test]
fn keeps_real_time_for_the_vehicle() {
    let host = Host::new(include_str!("../../../examples/vehicle.toml"));
    let mut page = host.page();
    page.frame_that(|shot| shot.pose.t > 0.2);
    let in_time = (0..5).any(|_| {
        let (begun, from) = (Instant::now(), page.frame().pose.t);
        let (mut frames, mut t) = (0, from);
        while begun.elapsed().as_secs_f64() < 3.0 {
            t = page.frame().pose.t;
            frames += 1;
        }
        let factor = (t - from) / begun.elapsed().as_secs_f64();
        println!("vehicle: {factor:.4} of real time, {frames} frames in 3 s");
        assert!(factor < 1.1, "{factor}");
        factor > 0.8
    });
    assert!(in_time, "it falls behind");
}
