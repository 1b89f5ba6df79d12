//! Trees as `models.py` writes them; see there for the conventions.

use serde::Deserialize;

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Joint {
    Revolute,
    Prismatic,
    Spherical,
    Floating,
    Fixed,
}

impl Joint {
    /// How many coordinates it has.
    pub fn positions(self) -> usize {
        match self {
            Joint::Revolute | Joint::Prismatic => 1,
            Joint::Spherical => 4,
            Joint::Floating => 7,
            Joint::Fixed => 0,
        }
    }

    /// How many rates it has.
    pub fn rates(self) -> usize {
        match self {
            Joint::Revolute | Joint::Prismatic => 1,
            Joint::Spherical => 3,
            Joint::Floating => 6,
            Joint::Fixed => 0,
        }
    }
}

#[derive(Debug, Deserialize)]
pub struct Link {
    pub parent: i64,
    pub joint: Joint,
    pub axis: [f64; 3],
    pub rotation: [f64; 9],
    pub translation: [f64; 3],
    pub mass: f64,
    pub com: [f64; 3],
    pub inertia: [f64; 6],
}

#[derive(Debug, Deserialize)]
pub struct State {
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    pub tau: Vec<f64>,
}

#[derive(Debug, Deserialize)]
pub struct Tree {
    pub name: String,
    pub gravity: [f64; 3],
    pub links: Vec<Link>,
    pub states: Vec<State>,
}

impl Tree {
    /// For each link, where its coordinates and its rates begin.
    pub fn starts(&self) -> Vec<(usize, usize)> {
        let mut at = (0, 0);
        self.links
            .iter()
            .map(|l| {
                let here = at;
                at = (at.0 + l.joint.positions(), at.1 + l.joint.rates());
                here
            })
            .collect()
    }

    pub fn dof(&self) -> usize {
        self.links.iter().map(|l| l.joint.rates()).sum()
    }
}
