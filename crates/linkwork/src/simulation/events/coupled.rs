//! Impacts that act on each other at one instant, and what a run says of them.

use crate::model::ImpactLaw;
use crate::simulation::Remark;

/// Instants with impacts that act on each other.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Coupled {
    /// How many there were.
    instants: u64,
    /// The first one, s.
    first: f64,
    /// The longest sequence.
    rounds: u64,
    /// How many sequences had to be cut short.
    cut: u64,
}

impl Coupled {
    pub(super) fn note(&mut self, t: f64, rounds: usize, cut: bool) {
        if rounds > 1 {
            if self.instants == 0 {
                self.first = t;
            }
            self.instants += 1;
            self.rounds = self.rounds.max(rounds as u64);
            self.cut += u64::from(cut);
        }
    }

    /// What there is to be said of them.
    pub(super) fn remarks(&self, law: ImpactLaw, remarks: &mut Vec<Remark>) {
        let Coupled { instants, first, rounds, cut } = *self;
        if instants > 0 && !remarks.iter().any(|remark| remark.code == "coupled-impacts") {
            let taken = match law {
                ImpactLaw::Sequential => {
                    format!("they were taken one after the other, in up to {rounds} rounds")
                }
                ImpactLaw::Simultaneous => "they were taken all at once".into(),
                ImpactLaw::Poisson => {
                    "they were taken all at once, in a phase of compression and one of expansion".into()
                }
            };
            let message = format!(
                "at {instants} instant{} contacts were struck through others that touch: {taken} (`impact = \"{}\"`); the other laws give other motions",
                if instants == 1 { "" } else { "s" },
                law.name(),
            );
            remarks.push(Remark { t: Some(first), code: "coupled-impacts", message });
        }
        if cut > 0 && !remarks.iter().any(|remark| remark.code == "impacts-cut") {
            let message = format!(
                "{cut} sequence{} of impacts did not end within 1000 rounds and ten more for each contact: what was left of the approach was taken away without restitution",
                if cut == 1 { "" } else { "s" },
            );
            remarks.push(Remark { t: Some(first), code: "impacts-cut", message });
        }
    }
}

crate::keep::keep!(Coupled { instants, first, rounds, cut });
