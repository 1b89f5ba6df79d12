//! The parameters of a model file that can be set: plain numbers, with or without a unit. What is computed from others follows them.

use linkwork::model::{Formula, Model, ParameterRange};
use serde_json::{Value, json};

/// A parameter that has a slider.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Slider {
    pub name: String,
    /// As the file says, in SI units.
    value: f64,
    /// As the file says; empty where it has none.
    unit: String,
    /// The unit in SI units.
    size: f64,
    /// Between what it is moved and what it is called, where the file says so.
    range: ParameterRange,
}

impl Slider {
    /// The parameters of a model that can be set, in the order of its file.
    pub fn all(model: &Model) -> Vec<Slider> {
        let Some(provenance) = &model.provenance else { return Vec::new() };
        let mut found: Vec<(usize, Slider)> = provenance
            .spans
            .iter()
            .filter_map(|(path, span)| {
                // the keys of one that is a table are none of their own
                let name = path.strip_prefix("parameters.").filter(|name| !name.contains('.'))?;
                let mut slider = Slider::read(name, provenance.text.get(span.clone())?)?;
                slider.range = provenance.ranges.get(name).cloned().unwrap_or_default();
                Some((span.start, slider))
            })
            .collect();
        found.sort_by_key(|(start, _)| *start);
        found.into_iter().map(|(_, slider)| slider).collect()
    }

    /// From what stands in the file; nothing for an expression.
    fn read(name: &str, written: &str) -> Option<Slider> {
        let text = written.trim().trim_matches(['"', '\'']).trim();
        // TOML lets digits be grouped
        let plain = || text.replace('_', "").parse::<f64>().ok();
        if let Some(value) = plain() {
            return value.is_finite().then(|| Slider {
                name: name.into(),
                value,
                unit: String::new(),
                size: 1.0,
                range: ParameterRange::default(),
            });
        }
        let split = text.find(|c: char| c.is_whitespace() || c.is_alphabetic() && !matches!(c, 'e' | 'E'))?;
        let (number, unit) = text.split_at(split);
        let (number, unit) = (number.trim().parse::<f64>().ok()?, unit.trim());
        let size = Formula::parse(&format!("1 {unit}")).ok()?.is_constant()?;
        // `2 m + 1 m` is no unit
        let whole = Formula::parse(text).ok()?.is_constant()?;
        let same = (whole - number * size).abs() <= 1e-12 * whole.abs();
        (same && size > 0.0 && !unit.contains(['+', '-'])).then(|| Slider {
            name: name.into(),
            value: whole,
            unit: unit.into(),
            size,
            range: ParameterRange::default(),
        })
    }

    /// A value in the slider's unit, in SI units.
    pub fn to_si(&self, value: f64) -> f64 {
        value * self.size
    }

    /// For the page: what it is now, between what.
    pub fn json(&self, now: Option<f64>) -> Value {
        let drawn = self.value / self.size;
        let value = now.map_or(drawn, |now| now / self.size);
        let (mut low, mut high) = match drawn {
            _ if self.unit == "deg" => (-180.0, 180.0),
            v if v > 0.0 => (0.0, 2.0 * v),
            v if v < 0.0 => (2.0 * v, 0.0),
            _ => (-1.0, 1.0),
        };
        let [min, max] = [self.range.min, self.range.max].map(|end| end.map(|end| end / self.size));
        // where one end is given the other one must be on its other side
        low = min.unwrap_or_else(|| max.map_or(low, |max| low.min(max - drawn.abs().max(1.0))));
        high = max.unwrap_or_else(|| min.map_or(high, |min| high.max(min + drawn.abs().max(1.0))));
        let (low, high) = (low.min(value), high.max(value));
        let label = self.range.label.as_deref().unwrap_or(&self.name);
        json!({ "name": self.name, "label": label, "value": value, "low": low, "high": high, "unit": self.unit })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_sliders_of_a_file() {
        let model = Model::from_toml(
            r#"
            format = 1
            [model]
            name = "a"
            dimension = 2
            [parameters]
            l = 0.5
            m = "200 g"
            start = "-30 deg"
            k = '91.6 kN/m'
            twice = "2 * l"
            sum = "1 m + 1 m"
            z = 0
            n = -1_000
            given = { value = "30 cm", min = "0.1 m", max = 0.6, label = "length of the rod" }
            half = { value = "2 deg", min = 0 }
            [points]
            A = [0, 0]
            B = ["l", 0]
            [bodies]
            ground = { points = ["A"] }
            rod = { points = ["A", "B"], mass = "m" }
            "#,
        )
        .unwrap();
        let sliders = Slider::all(&model);
        let names: Vec<&str> = sliders.iter().map(|slider| slider.name.as_str()).collect();
        assert_eq!(names, ["l", "m", "start", "k", "z", "n", "given", "half"]);
        let list: Vec<Value> = sliders.iter().map(|slider| slider.json(None)).collect();
        assert_eq!(
            list[0],
            json!({ "name": "l", "label": "l", "value": 0.5, "low": 0.0, "high": 1.0, "unit": "" })
        );
        assert_eq!(
            list[1],
            json!({ "name": "m", "label": "m", "value": 200.0, "low": 0.0, "high": 400.0, "unit": "g" })
        );
        assert_eq!(list[2]["low"], json!(-180.0));
        assert!((list[2]["value"].as_f64().unwrap() + 30.0).abs() < 1e-12);
        assert_eq!((&list[3]["unit"], &list[3]["high"]), (&json!("kN/m"), &json!(183.2)));
        assert_eq!((&list[4]["low"], &list[4]["high"]), (&json!(-1.0), &json!(1.0)));
        assert_eq!((&list[5]["low"], &list[5]["high"]), (&json!(-2000.0), &json!(0.0)));
        let given = json!({ "name": "given", "label": "length of the rod", "value": 30.0, "low": 10.0, "high": 60.0, "unit": "cm" });
        assert_eq!(list[6], given);
        assert_eq!((&list[7]["low"], &list[7]["high"]), (&json!(0.0), &json!(180.0)));
        assert!((sliders[1].to_si(300.0) - 0.3).abs() < 1e-15);
        assert_eq!(sliders[0].json(Some(3.0))["high"], json!(3.0));
    }
}
