//! Plans: the values of all parameters in each case, computed from the number of the case.

use crate::random::{place, uniform};
use crate::{Error, Sampling, Sobol, Values};
use linkwork::model::ModelFile;

/// A plan may have this many cases.
pub const MOST_CASES: u64 = 1 << 30;

/// A parameter and its values.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its name in the model's `[parameters]`.
    pub name: String,
    /// The values that it takes.
    pub values: Values,
}

/// Which values the parameters take in each case.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    parameters: Vec<Parameter>,
    sampling: Sampling,
    seed: u64,
    cases: u64,
    sobol: Option<Sobol>,
    /// The first point of Sobol's sequence that is used.
    first_point: u64,
}

impl Plan {
    /// Reads `NAME=VALUES` for each parameter. Numbers have units that fit the parameters of the file, or none for SI units.
    ///
    /// # Errors
    /// A parameter that the file does not have or that is given twice; values that are not understood or do not suit the sampling.
    pub fn read(
        file: &ModelFile,
        settings: &[impl AsRef<str>],
        sampling: Sampling,
        seed: u64,
    ) -> Result<Plan, Error> {
        let parameters = settings.iter().map(|setting| {
            let setting = setting.as_ref();
            let option = || format!("--set {setting}");
            let Some((name, values)) = setting.split_once('=') else {
                return Err(Error::wrong(option(), "write NAME=VALUES, as in l=0.1..0.5:9"));
            };
            let name = name.trim();
            // a name that is not there is a fault of its own, whatever its values
            file.value(name, "0")?;
            let number = |text: &str| {
                file.value(name, text).map_err(|faults| match &faults.list[..] {
                    [fault, ..] => match &fault.help {
                        Some(help) => format!("{}; {help}", fault.message),
                        None => fault.message.clone(),
                    },
                    [] => format!("`{text}` is not a number"),
                })
            };
            let values = Values::read(values, &number).map_err(|why| Error::wrong(option(), why))?;
            Ok(Parameter { name: name.to_owned(), values })
        });
        Plan::new(parameters.collect::<Result<_, Error>>()?, sampling, seed)
    }

    /// A plan of these parameters.
    ///
    /// # Errors
    /// No parameter, or one that is given twice; values that do not suit the sampling; more than [`MOST_CASES`].
    pub fn new(parameters: Vec<Parameter>, sampling: Sampling, seed: u64) -> Result<Plan, Error> {
        if parameters.is_empty() {
            return Err(Error::wrong("--set", "give at least one parameter its values"));
        }
        for (i, parameter) in parameters.iter().enumerate() {
            if parameters[..i].iter().any(|other| other.name == parameter.name) {
                return Err(Error::wrong("--set", format!("gives `{}` twice", parameter.name)));
            }
        }
        let cases = count(&parameters, sampling)?;
        if cases.is_none_or(|cases| cases > MOST_CASES) {
            let why = format!("the plan has more than {MOST_CASES} cases: take fewer values, or sample them");
            return Err(Error::wrong("--sample", why));
        }
        let sobol = match sampling {
            Sampling::Sobol(_) => Some(Sobol::new(parameters.len())?),
            Sampling::Saltelli(_) => Some(Sobol::new(2 * parameters.len())?),
            _ => None,
        };
        // the corner 0 has no quantile of a normal distribution
        let first_point = u64::from(sobol.is_some() && parameters.iter().any(|p| p.values.is_unbounded()));
        Ok(Plan { parameters, sampling, seed, cases: cases.unwrap_or(0), sobol, first_point })
    }

    /// The parameters, in the order in which cases give their values.
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// How cases are chosen.
    pub fn sampling(&self) -> Sampling {
        self.sampling
    }

    /// The seed of random numbers.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// How many cases there are.
    pub fn cases(&self) -> u64 {
        self.cases
    }

    /// The first point of Sobol's sequence that the plan uses: 1 where a distribution has no value for the corner 0.
    pub fn first_point(&self) -> u64 {
        self.first_point
    }

    /// The values of the parameters in a case below [`Plan::cases`].
    pub fn case(&self, n: u64) -> Vec<f64> {
        let d = self.parameters.len();
        match self.sampling {
            Sampling::Grid => {
                let mut rest = n;
                let mut values = vec![0.0; d];
                for (value, parameter) in values.iter_mut().zip(&self.parameters).rev() {
                    let count = parameter.values.count().unwrap_or(1).max(1);
                    *value = parameter.values.nth(rest % count).unwrap_or(f64::NAN);
                    rest /= count;
                }
                values
            }
            Sampling::Pairs => self.parameters.iter().map(|p| p.values.nth(n).unwrap_or(f64::NAN)).collect(),
            Sampling::Random(_) => self.at(|j| uniform(self.seed, j, n)),
            Sampling::Latin(count) => self.at(|j| {
                let part = place(count, self.seed, j, n) as f64;
                ((part + uniform(self.seed, j, n)) / count as f64).min(1.0 - f64::EPSILON)
            }),
            Sampling::Sobol(_) => {
                let point = self.point(n, d);
                self.at(|j| point[j as usize])
            }
            Sampling::Saltelli(_) => {
                // A, then A with one coordinate of B at a time, then B
                let block = d as u64 + 2;
                let (row, k) = (n / block, n % block);
                let point = self.point(row, 2 * d);
                let from_b = |j: u64| k == block - 1 || k == j + 1;
                self.at(|j| point[if from_b(j) { d + j as usize } else { j as usize }])
            }
        }
    }

    fn point(&self, n: u64, dimensions: usize) -> Vec<f64> {
        let mut point = vec![0.0; dimensions];
        if let Some(sobol) = &self.sobol {
            sobol.point(n + self.first_point, &mut point);
        }
        point
    }

    fn at(&self, u: impl Fn(u64) -> f64) -> Vec<f64> {
        (0..).zip(&self.parameters).map(|(j, parameter)| parameter.values.quantile(u(j))).collect()
    }
}

/// How many cases there are; `None` if too many to be counted.
fn count(parameters: &[Parameter], sampling: Sampling) -> Result<Option<u64>, Error> {
    let counted = |parameter: &Parameter| match parameter.values.count() {
        Some(count) => Ok(count),
        None => Err(Error::wrong(
            format!("--set {}", parameter.name),
            format!(
                "the number of values is missing: FROM..TO:COUNT, or choose points with --sample {}",
                "latin:N, sobol:N or random:N"
            ),
        )),
    };
    Ok(match sampling {
        Sampling::Grid => {
            let counts = parameters.iter().map(counted).collect::<Result<Vec<u64>, Error>>()?;
            counts.into_iter().try_fold(1_u64, u64::checked_mul)
        }
        Sampling::Pairs => {
            let first = &parameters[0];
            let count = counted(first)?;
            for other in parameters {
                let n = counted(other)?;
                if n != count {
                    let why = format!(
                        "takes the values together, but `{}` has {count} and `{}` has {n}",
                        first.name, other.name
                    );
                    return Err(Error::wrong("--pairs", why));
                }
            }
            Some(count)
        }
        Sampling::Random(n) | Sampling::Latin(n) | Sampling::Sobol(n) => Some(n),
        Sampling::Saltelli(n) => n.checked_mul(parameters.len() as u64 + 2),
    })
}
