//! What a page may ask for.

use super::clients::ClientId;
use linkwork::model::{Formulation, Integrator};
use serde::Deserialize;
use serde_json::json;

/// A wish, and whose.
#[derive(Debug)]
pub(super) struct Order {
    pub from: ClientId,
    pub command: Command,
}

/// What a client, the model file or the one who began it all may want.
#[derive(Debug, PartialEq)]
pub(super) enum Command {
    Play,
    Pause,
    Reset,
    Step,
    Speed(f64),
    Set(String, f64),
    Input(String, f64),
    Choose(Option<Formulation>, Option<Integrator>),
    Grab {
        body: usize,
        at: [f64; 3],
        to: [f64; 3],
    },
    Move([f64; 3]),
    Release,
    Watch(Vec<String>),
    /// Somebody has come.
    Join,
    /// Somebody has gone.
    Leave,
    /// The model file has another text.
    File(Vec<u8>),
    /// The model file cannot be read any more, and why.
    FileGone(String),
}

/// The message as it comes.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "lowercase", deny_unknown_fields)]
enum Wire {
    Play {},
    Pause {},
    Reset {},
    Step {},
    Speed { value: f64 },
    Set { name: String, value: f64 },
    Input { name: String, value: f64 },
    Choose { formulation: Option<String>, integrator: Option<String> },
    Grab { body: usize, at: Place, to: Place },
    Move { to: Place },
    Release {},
    Watch { columns: Vec<String> },
}

/// A place; in the plane two numbers will do.
#[derive(Deserialize)]
#[serde(untagged)]
enum Place {
    Space([f64; 3]),
    Plane([f64; 2]),
}

impl Place {
    fn vector(self) -> Result<[f64; 3], String> {
        let place = match self {
            Place::Space(place) => place,
            Place::Plane([x, y]) => [x, y, 0.0],
        };
        let near = place.iter().all(|x| x.is_finite() && x.abs() <= FARTHEST);
        if near { Ok(place) } else { Err("a place must be finite, and within 10⁹ m".into()) }
    }
}

/// Places and values beyond this are no wishes, m.
const FARTHEST: f64 = 1e9;

/// So many columns can be watched at a time.
const MOST_COLUMNS: usize = 256;

/// Slowest and fastest, seconds of the model for a second of the clock.
pub(super) const SPEEDS: [f64; 2] = [1e-3, 100.0];

impl Command {
    /// Reads a message; the error is for people.
    pub fn parse(text: &str) -> Result<Self, String> {
        let wire = serde_json::from_str(text)
            .map_err(|error| format!("the page sent a message that means nothing: {error}"))?;
        Ok(match wire {
            Wire::Play {} => Command::Play,
            Wire::Pause {} => Command::Pause,
            Wire::Reset {} => Command::Reset,
            Wire::Step {} => Command::Step,
            Wire::Speed { value } => Command::Speed(check_speed(value)?),
            Wire::Set { name, value } => Command::Set(name, value),
            Wire::Input { name, value } => Command::Input(name, value),
            Wire::Choose { formulation, integrator } => Command::Choose(
                formulation
                    .map(|name| named(&name, "formulation", &Formulation::CHOICES, Formulation::name))
                    .transpose()?,
                integrator
                    .map(|name| named(&name, "integrator", &Integrator::ALL, Integrator::name))
                    .transpose()?,
            ),
            Wire::Grab { body, at, to } => Command::Grab { body, at: at.vector()?, to: to.vector()? },
            Wire::Move { to } => Command::Move(to.vector()?),
            Wire::Release {} => Command::Release,
            Wire::Watch { columns } if columns.len() > MOST_COLUMNS => {
                return Err(format!("at most {MOST_COLUMNS} columns can be watched, not {}", columns.len()));
            }
            Wire::Watch { columns } => Command::Watch(columns),
        })
    }
}

/// A speed that can be had.
pub(super) fn check_speed(speed: f64) -> Result<f64, String> {
    let [least, most] = SPEEDS;
    if (least..=most).contains(&speed) {
        Ok(speed)
    } else {
        Err(format!("the speed must be between {least} and {most}, it is {speed}"))
    }
}

fn named<T: Copy>(name: &str, what: &str, all: &[T], name_of: fn(T) -> &'static str) -> Result<T, String> {
    all.iter()
        .copied()
        .find(|one| name_of(*one) == name)
        .ok_or_else(|| format!("there is no {what} `{name}`"))
}

/// The message that tells what is wrong; an empty text: nothing any more.
pub(super) fn fault_text(text: &str) -> String {
    json!({ "type": "faults", "text": text }).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_commands() {
        let of = |text: &str| Command::parse(text).unwrap();
        assert_eq!(of(r#"{"type":"play"}"#), Command::Play);
        assert_eq!(of(r#"{"type":"set","name":"l","value":0.5}"#), Command::Set("l".into(), 0.5));
        assert_eq!(
            of(r#"{"type":"choose","formulation":"points"}"#),
            Command::Choose(Some(Formulation::Points), None)
        );
        let grab = Command::Grab { body: 1, at: [1.0, 2.0, 0.0], to: [3.0, 4.0, 5.0] };
        assert_eq!(of(r#"{"type":"grab","body":1,"at":[1,2],"to":[3,4,5]}"#), grab);
        for bad in [
            "",
            "[]",
            r#"{"type":"quit"}"#,
            r#"{"type":"join"}"#,
            r#"{"type":"play","now":true}"#,
            r#"{"type":"speed","value":0}"#,
            r#"{"type":"speed","value":1e9}"#,
            r#"{"type":"choose","formulation":"magic"}"#,
            r#"{"type":"move","to":[1e300,0,0]}"#,
            r#"{"type":"grab","body":-1,"at":[0,0],"to":[0,0]}"#,
        ] {
            assert!(Command::parse(bad).is_err(), "{bad}");
        }
    }
}
