//! Formulations agree; what is drawn is a chain.

use super::shared::{finish, nodes};
use crate::suite::{G, settings};
use linkwork::linalg::vec3::{norm, sub};
use linkwork::model::*;

/// A rope of n segments with a heavy end that swings down from the horizontal through the air.
fn swing(n: usize, dimension: Dimension, kind: ChainKind, lumping: Lumping) -> Model {
    let spatial = dimension == Dimension::Spatial;
    let down = if spatial { [0.0, 0.0, -G] } else { [0.0, -G, 0.0] };
    let wind = if spatial { [1.0, 3.0, 0.5] } else { [1.0, -0.5, 0.0] };
    let along = if spatial { [2.0, 0.3, 0.5] } else { [2.0, 0.5, 0.0] };
    let model = if spatial { Model::spatial("swing") } else { Model::planar("swing") };
    let chain = Chain::new("rope", "A", n, 0.5).to("B").masses(lumping).drag(ChainDrag {
        diameter: 0.02,
        normal: 1.1,
        tangential: 0.05,
        linear: 0.02,
        wind,
        ..Default::default()
    });
    model
        .gravity(down)
        .point("A", [0.0; 3])
        .point("B", along)
        .ground(["A"])
        .body(Body::particle("weight", "B", 1.5))
        .chain(if kind == ChainKind::Rods { chain.rods() } else { chain })
        .settings(settings(2.0, 0.25, 1e-13))
}

/// Runs a model in all formulations that are wanted.
fn agree(model: &Model, wanted: &[Formulation]) {
    let mechanism = model.assemble().unwrap_or_else(|e| panic!("{e}"));
    let mut reference: Option<Vec<Vec<[f64; 3]>>> = None;
    for &formulation in wanted {
        let unsupported = formulation.unsupported(&mechanism);
        assert!(unsupported.is_empty(), "{}: {unsupported:?}", formulation.name());
        let settings = Settings { formulation, ..model.settings.clone() };
        let (mechanism, run) = finish(&model.clone().settings(settings));
        let all: Vec<Vec<[f64; 3]>> = run.frames.iter().map(|f| nodes(&mechanism, f)).collect();
        let reference = reference.get_or_insert_with(|| all.clone());
        let mut off = 0.0_f64;
        for (a, b) in reference.iter().flatten().zip(all.iter().flatten()) {
            off = off.max(norm(sub(*a, *b)));
        }
        println!("  {}: off by {off:.1e} m, {:?}", formulation.name(), run.summary.wall);
        assert!(off < 1e-9, "{}: {off}", formulation.name());
    }
}

#[test]
fn cross_planar_chains_agree() {
    use Formulation::*;
    for (kind, lumping) in [
        (ChainKind::Lumped, Lumping::Far),
        (ChainKind::Lumped, Lumping::Halves),
        (ChainKind::Rods, Lumping::Halves),
    ] {
        println!("{} {}", kind.name(), lumping.name());
        let model = swing(20, Dimension::Planar, kind, lumping);
        agree(&model, &[Points, Recursive, Momentum, NewtonEuler, Kane]);
        // `joints` and `tmt` take 60 s and 17 s for twenty segments, where they are off by 1.7e-10 m
        let model = swing(5, Dimension::Planar, kind, lumping);
        agree(&model, &[Points, Joints, Tmt]);
    }
}

#[test]
fn cross_chains_in_space_agree() {
    use Formulation::*;
    for (kind, lumping) in [
        (ChainKind::Lumped, Lumping::Far),
        (ChainKind::Lumped, Lumping::Halves),
        (ChainKind::Rods, Lumping::Halves),
    ] {
        println!("{} {}", kind.name(), lumping.name());
        let model = swing(20, Dimension::Spatial, kind, lumping);
        agree(&model, &[Points, Recursive, NewtonEuler]);
        // the others take up to 20 s each for twenty segments, where they are off by 3e-11 m
        let model = swing(5, Dimension::Spatial, kind, lumping);
        agree(&model, &[Points, Momentum, Joints, Tmt]);
    }
}

/// As drawn every segment has its length, and the last node is where the chain ends.
#[test]
fn exact_drawn_arcs() {
    let length = 2.0;
    for spatial in [false, true] {
        let mut ends =
            vec![[1.0, 0.0, 0.0], [0.0, 1.3, 0.0], [0.0, -1.3, 0.0], [0.0; 3], [1.9999999, 0.0, 0.0]];
        ends.extend(spatial.then_some([0.3, -0.4, 0.5]));
        ends.extend(spatial.then_some([0.0, 0.0, -0.5]));
        for end in ends {
            for n in [2, 3, 17, 200] {
                let model = if spatial { Model::spatial("arc") } else { Model::planar("arc") };
                let down = if spatial { [0.0, 0.0, -G] } else { [0.0, -G, 0.0] };
                let model = model
                    .gravity(down)
                    .point("A", [0.0; 3])
                    .point("B", end)
                    .ground(["A", "B"])
                    .chain(Chain::new("rope", "A", n, 0.1).to("B").length(length));
                let mechanism = model.assemble().unwrap_or_else(|e| panic!("{spatial} {end:?} {n}: {e}"));
                let plain = mechanism.chains()[0].nodes.iter().map(|&k| mechanism.points()[k].node);
                let columns = mechanism.columns();
                let place = |node: usize| -> [f64; 3] {
                    let mut r = [0.0; 3];
                    match mechanism.coordinates().iter().position(|&c| c == node) {
                        Some(b) => {
                            r[..columns]
                                .copy_from_slice(&mechanism.start_positions()[b * columns..][..columns]);
                        }
                        None => r = if node == mechanism.points()[0].node { [0.0; 3] } else { end },
                    }
                    r
                };
                let at: Vec<[f64; 3]> = plain.map(place).collect();
                for pair in at.windows(2) {
                    let l = norm(sub(pair[1], pair[0]));
                    assert!((l - length / n as f64).abs() < 1e-12 * length, "{end:?} {n}: {l}");
                }
            }
        }
    }
}
