//! Targets: quantities and what they should be.

use crate::analysis::configuration::Configuration;
use crate::analysis::position_quantity::{PositionQuantity, number};
use crate::expressions::units::Dims;
use crate::model::Fault;
use std::str::FromStr;

/// A quantity and what it should be: a value, the coordinates of a point, or a range.
///
/// Quantities are expressions of readings that depend on positions: `point.P.x`, `joint.A.q`, `body.tool.angle`, `distance(A, B)`, `measure.reach`; and
/// `point.P` or `body.tool` for all coordinates at once. Numbers are in SI units, or have one.
///
/// ```
/// use linkwork::analysis::pose::Target;
/// let targets = [
///     Target::at("point.P", [0.4, 0.2]),
///     Target::new("body.tool.angle", 0.5).weight(2.0),
///     Target::within("joint.A.q", [0.0, 1.5]),
///     "joint.B.q in [0, 90] deg".parse()?,
///     "point.P.z = 20 cm".parse()?,
/// ];
/// # let _ = targets;
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    pub(super) quantity: String,
    pub(super) demand: Demand,
    pub(super) weight: f64,
}

/// What a quantity should be.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Demand {
    Values(Vec<Amount>),
    Range([Amount; 2]),
}

/// A number in SI units, and its dimension if it was given with a unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Amount {
    pub value: f64,
    dims: Option<Dims>,
}

impl From<f64> for Amount {
    fn from(value: f64) -> Self {
        Amount { value, dims: None }
    }
}

impl Target {
    /// A quantity that should have a value.
    pub fn new(quantity: impl Into<String>, value: f64) -> Self {
        let demand = Demand::Values(vec![value.into()]);
        Target { quantity: quantity.into(), demand, weight: 1.0 }
    }

    /// `point.NAME` or `body.NAME` (its centre of mass) that should be somewhere: two coordinates in the plane, three in space.
    pub fn at<const N: usize>(quantity: impl Into<String>, place: [f64; N]) -> Self {
        let demand = Demand::Values(place.into_iter().map(Amount::from).collect());
        Target { quantity: quantity.into(), demand, weight: 1.0 }
    }

    /// A quantity that has to stay in a range, as if it had these limits: they come before all that should be met.
    pub fn within(quantity: impl Into<String>, range: [f64; 2]) -> Self {
        Target { quantity: quantity.into(), demand: Demand::Range(range.map(Amount::from)), weight: 1.0 }
    }

    /// How much it counts beside others where not all can be met; one if not given.
    pub fn weight(mut self, weight: f64) -> Self {
        self.weight = weight;
        self
    }

    /// What it speaks of.
    pub fn quantity(&self) -> &str {
        &self.quantity
    }
}

impl FromStr for Target {
    type Err = String;

    /// Reads `QUANTITY = VALUE`, `QUANTITY = [X, Y]` or `QUANTITY in [LOW, HIGH]`, with a unit behind the numbers or behind the bracket.
    fn from_str(text: &str) -> Result<Self, String> {
        const ADVICE: &str =
            "write QUANTITY = VALUE, point.P = [X, Y] or QUANTITY in [LOW, HIGH], as in 'joint.A.q = 30 deg'";
        let range = text.split_once(" in ");
        let (quantity, right) = match (range, text.split_once('=')) {
            (Some(parts), _) => parts,
            (None, Some(parts)) => parts,
            (None, None) => return Err(ADVICE.into()),
        };
        let (quantity, right) = (quantity.trim(), right.trim());
        if quantity.is_empty() || right.is_empty() {
            return Err(ADVICE.into());
        }
        let amounts = amounts(right)?;
        let demand = match (range, &amounts[..]) {
            (Some(_), &[low, high]) if low.value <= high.value => Demand::Range([low, high]),
            (Some(_), &[low, high]) => {
                return Err(format!(
                    "the range of `{quantity}` ends at {} before it begins at {}",
                    high.value, low.value
                ));
            }
            (Some(_), _) => return Err(format!("a range has two ends: {quantity} in [LOW, HIGH]")),
            (None, _) => Demand::Values(amounts),
        };
        Ok(Target { quantity: quantity.into(), demand, weight: 1.0 })
    }
}

/// Reads `VALUE` or `[A, B] UNIT`.
fn amounts(text: &str) -> Result<Vec<Amount>, String> {
    let one = |text: &str| number(text).map(|(value, dims)| Amount { value, dims });
    let Some(inner) = text.strip_prefix('[') else { return Ok(vec![one(text)?]) };
    let (inner, unit) = inner.rsplit_once(']').ok_or_else(|| format!("`{text}` has no closing bracket"))?;
    let with_unit = |part: &str| match unit.trim() {
        "" => one(part),
        unit => one(&format!("({}) * (1 {unit})", part.trim())),
    };
    inner.split(',').map(with_unit).collect()
}

/// A quantity that should have a value.
#[derive(Clone, Debug)]
pub(super) struct Aim {
    pub quantity: PositionQuantity,
    pub value: f64,
    pub weight: f64,
    pub scale: f64,
    /// The target it belongs to.
    pub target: usize,
}

/// A quantity that has to stay in a range.
#[derive(Clone, Debug)]
pub(in crate::analysis) struct Bound {
    pub quantity: PositionQuantity,
    pub range: [f64; 2],
    pub scale: f64,
    /// Whether it is a limit of the model, not a range of the user's.
    pub of_model: bool,
}

/// What targets ask for.
pub(super) fn bind(
    configuration: &Configuration<'_>,
    targets: &[Target],
    aims: &mut Vec<Aim>,
    bounds: &mut Vec<Bound>,
) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (i, target) in targets.iter().enumerate() {
        if let Err(message) = one(configuration, i, target, aims, bounds) {
            faults.push(Fault::error(format!("target `{}`", target.quantity), message));
        }
    }
    faults
}

fn one(
    configuration: &Configuration<'_>,
    index: usize,
    target: &Target,
    aims: &mut Vec<Aim>,
    bounds: &mut Vec<Bound>,
) -> Result<(), String> {
    let size = configuration.mechanism.size();
    if !(target.weight > 0.0 && target.weight.is_finite()) {
        return Err(format!("its weight is {}: give a positive number", target.weight));
    }
    let name = target.quantity.trim();
    let bound = |text: &str, amount: &[Amount]| -> Result<PositionQuantity, String> {
        let quantity = PositionQuantity::new(configuration, text)?;
        for amount in amount {
            if !amount.value.is_finite() {
                return Err(format!("{} is no value to aim at: give a finite number", amount.value));
            }
            if let (Some(given), Some(own)) = (amount.dims, quantity.dims)
                && given != own
            {
                return Err(format!("the value has the unit of {given}, the quantity is {own}"));
            }
        }
        Ok(quantity)
    };
    match &target.demand {
        Demand::Values(list) => {
            let mut dotted = name.split('.');
            let whole = matches!(dotted.next(), Some("point" | "body")) && dotted.count() == 1;
            let texts: Vec<String> = match whole {
                true => ["x", "y", "z"][..configuration.mechanism.columns()]
                    .iter()
                    .map(|axis| format!("{name}.{axis}"))
                    .collect(),
                false => vec![name.to_owned()],
            };
            if texts.len() != list.len() {
                let (wanted, given) = (texts.len(), list.len());
                return Err(format!("it has {wanted} values, and {given} are given"));
            }
            for (text, amount) in texts.iter().zip(list) {
                let quantity = bound(text, &[*amount])?;
                let scale = quantity.scale(size);
                let weight = target.weight;
                aims.push(Aim { quantity, value: amount.value, weight, scale, target: index });
            }
        }
        Demand::Range(range) => {
            let quantity = bound(name, range)?;
            let range = range.map(|amount| amount.value);
            if range[0] > range[1] {
                return Err(format!("the range ends at {} before it begins at {}", range[1], range[0]));
            }
            let scale = quantity.scale(size);
            bounds.push(Bound { quantity, range, scale, of_model: false });
        }
    }
    Ok(())
}

/// Values that quantities are held at.
pub(in crate::analysis) fn held_values(
    configuration: &Configuration<'_>,
    targets: &[Target],
    faults: &mut Vec<Fault>,
) -> Vec<(PositionQuantity, f64)> {
    let (mut aims, mut bounds) = (Vec::new(), Vec::new());
    faults.extend(bind(configuration, targets, &mut aims, &mut bounds));
    for bound in bounds {
        let message = "it is held at a value, not in a range: limits of joints stand in the model";
        faults.push(Fault::error(format!("target `{}`", bound.quantity.name), message));
    }
    aims.into_iter().map(|aim| (aim.quantity, aim.value)).collect()
}
