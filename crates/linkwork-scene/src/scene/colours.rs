//! Colours of bodies: neighbours differ.

use super::Scene;

/// Colours of the palette; the first is the ground's.
pub const PALETTE: usize = 10;

/// Gives every body, chain and beam a colour: the one that is least used so far among those that no neighbour has.
pub(super) fn paint(scene: &mut Scene) {
    let mut neighbours: Vec<Vec<usize>> = vec![Vec::new(); scene.bodies.len()];
    for joint in &scene.joints {
        let [a, b] = joint.spots.map(|spot| spot.body);
        neighbours[a].push(b);
        neighbours[b].push(a);
    }
    let mut used = [0_usize; PALETTE];
    let mut pick = |taken: [bool; PALETTE]| {
        let free = |c: &usize| !taken[*c];
        let best = (1..PALETTE).filter(free).min_by_key(|&c| used[c]);
        // more neighbours than colours: any will do
        let colour = best.or_else(|| (1..PALETTE).min_by_key(|&c| used[c])).unwrap_or(1);
        used[colour] += 1;
        colour
    };
    for b in (1..scene.bodies.len()).filter(|&b| !scene.bodies[b].auxiliary).collect::<Vec<_>>() {
        let mut taken = [false; PALETTE];
        neighbours[b].iter().filter(|&&n| n < b).for_each(|&n| taken[scene.bodies[n].colour] = true);
        scene.bodies[b].colour = pick(taken);
    }
    for chain in &mut scene.chains {
        chain.colour = pick([false; PALETTE]);
    }
    for beam in &mut scene.beams {
        beam.colour = pick([false; PALETTE]);
    }
}
