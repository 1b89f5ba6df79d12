//! Simulations that Python steps.

use crate::errors::{guarded, internal, raised, wrong};
use crate::model::Mechanism;
use crate::watch::Lookout;
use linkwork::mechanism::Mechanism as Assembled;
use linkwork::results::{columns, row};
use linkwork::simulation::{InputId, Progress, event_json};
use linkwork::{Error, State};
use numpy::{PyArray1, PyArrayMethods, ToPyArray};
use pyo3::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard};

type Moving = linkwork::Simulation<'static>;

/// Something that can be set: an input of the model, or a force along a coordinate of a joint.
pub struct Actuation(InputId);

impl Actuation {
    /// Sets it from now on.
    pub fn set(&self, simulation: &mut linkwork::Simulation<'_>, value: f64) -> Result<(), Error> {
        simulation.set(self.0, value)
    }
}

/// What has a name: `throttle` or `input.throttle`, an input; `joint.A` or `joint.A.q2`, a force along a coordinate.
pub fn actuation(simulation: &mut linkwork::Simulation<'_>, name: &str) -> Result<Actuation, Error> {
    let inputs = &simulation.mechanism().model().inputs;
    let Some(joint) = name.strip_prefix("joint.").filter(|_| inputs.iter().all(|input| input.name != name))
    else {
        return simulation.input(name.strip_prefix("input.").unwrap_or(name)).map(Actuation);
    };
    let is_joint = simulation.mechanism().joints().iter().any(|known| known.name == joint);
    let (joint, coordinate) = match joint.rsplit_once(".q") {
        Some((joint, "")) if !is_joint => (joint.to_owned(), 1),
        Some((of, number)) if !is_joint && number.parse::<usize>().is_ok() => {
            (of.to_owned(), number.parse().unwrap_or(1))
        }
        _ => (joint.to_owned(), 1),
    };
    simulation.joint_force(&joint, coordinate).map(Actuation)
}

/// Places of columns by their names.
pub fn places(py: Python<'_>, mechanism: &Assembled, names: &[String]) -> PyResult<Vec<usize>> {
    let columns = columns(mechanism);
    let find = |name: &String| {
        let place = columns.iter().position(|column| column.name == *name);
        place.ok_or_else(|| wrong(py, format!("there is no result column `{name}`")))
    };
    names.iter().map(find).collect()
}

/// A mechanism in motion.
#[pyclass(frozen, module = "linkwork._native")]
pub struct Simulation {
    mechanism: Arc<Assembled>,
    moving: Mutex<Moving>,
}

/// A simulation as it stood.
#[pyclass(frozen, module = "linkwork._native")]
pub struct Saved(linkwork::simulation::Saved<'static>);

fn word(progress: Progress) -> &'static str {
    match progress {
        Progress::Reached => "reached",
        Progress::Event => "event",
        Progress::Finished => "finished",
    }
}

impl Simulation {
    /// Does something with the simulation while others may use Python.
    fn with<T: Send>(
        &self,
        py: Python<'_>,
        act: impl FnOnce(&mut Moving) -> Result<T, Error> + Send,
    ) -> PyResult<T> {
        let done = py.detach(|| catch_unwind(AssertUnwindSafe(|| act(&mut self.lock()))));
        match done {
            Ok(done) => done.map_err(|error| raised(py, &error)),
            Err(panic) => Err(internal(py, &*panic)),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Moving> {
        self.moving.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Goes on to a time, and looks at Python on the way.
    fn go_to(&self, py: Python<'_>, t: f64, to_event: bool) -> PyResult<&'static str> {
        let mut lookout = Lookout::new(None);
        let progress = self.with(py, |moving| {
            if !t.is_finite() || t - moving.t() <= 0.0 {
                return moving.advance_to(t);
            }
            loop {
                let progress = moving.step_toward(t)?;
                let over = moving.t() >= t || moving.status().is_some();
                if over || (to_event && progress == Progress::Event) || lookout.look(moving.t()).is_break() {
                    let happened = progress == Progress::Event && to_event;
                    return Ok(if happened || progress == Progress::Finished {
                        progress
                    } else {
                        Progress::Reached
                    });
                }
            }
        })?;
        lookout.error.map_or(Ok(word(progress)), Err)
    }
}

#[pymethods]
impl Simulation {
    /// A simulation of a mechanism, from its initial state.
    #[new]
    fn new(py: Python<'_>, mechanism: &Mechanism) -> PyResult<Self> {
        guarded(py, || {
            let mechanism = Arc::clone(&mechanism.assembled);
            let moving = py.detach(|| Moving::owned(Arc::clone(&mechanism)));
            let moving = moving.map_err(|error| raised(py, &error))?;
            Ok(Simulation { mechanism, moving: Mutex::new(moving) })
        })
    }

    /// The time, s.
    #[getter]
    fn t(&self, py: Python<'_>) -> PyResult<f64> {
        self.with(py, |moving| Ok(moving.t()))
    }

    /// Formulation and integrator at work.
    #[getter]
    fn method(&self, py: Python<'_>) -> PyResult<(&'static str, &'static str)> {
        self.with(py, |moving| Ok((moving.formulation().name(), moving.integrator().name())))
    }

    /// Goes on to a time, s: `reached`, `event` or `finished`.
    fn advance_to(&self, py: Python<'_>, t: f64, to_event: bool) -> PyResult<&'static str> {
        self.go_to(py, t, to_event)
    }

    /// One step of the method's own size.
    fn step(&self, py: Python<'_>) -> PyResult<&'static str> {
        self.with(py, |moving| moving.step()).map(word)
    }

    /// All result columns as they are now.
    fn row<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let values = self.with(py, |moving| {
            let mut values = Vec::new();
            row(&self.mechanism, moving.sample()?, &mut values);
            Ok(values)
        })?;
        Ok(PyArray1::from_vec(py, values))
    }

    /// Sets an input, in its unit, or a force along a coordinate of a joint, N or N m, from now on.
    fn set(&self, py: Python<'_>, name: &str, value: f64) -> PyResult<()> {
        self.with(py, |moving| actuation(moving, name)?.set(moving, value))
    }

    /// The value of an input, or of a force along a coordinate of a joint.
    fn get(&self, py: Python<'_>, name: &str) -> PyResult<f64> {
        self.with(py, |moving| {
            let Actuation(id) = actuation(moving, name)?;
            Ok(moving.value(id))
        })
    }

    /// Sets the force at the centre of mass of a body, N, and the moment on it, N m, in world axes.
    fn wrench(&self, py: Python<'_>, body: &str, force: [f64; 3], moment: [f64; 3]) -> PyResult<()> {
        self.with(py, |moving| {
            let id = moving.wrench(body)?;
            moving.set_wrench(id, force, moment)
        })
    }

    /// The state, as JSON.
    fn state(&self, py: Python<'_>) -> PyResult<String> {
        let state = self.with(py, |moving| Ok(moving.state()))?;
        serde_json::to_string(&state).map_err(|error| wrong(py, error.to_string()))
    }

    /// Goes to a state, given as JSON; by how much coordinates and rates were moved to meet the constraints.
    fn set_state(&self, py: Python<'_>, state: &str) -> PyResult<(f64, f64)> {
        let state: State =
            serde_json::from_str(state).map_err(|error| wrong(py, format!("not a state: {error}")))?;
        let moved = self.with(py, |moving| moving.set_state(&state))?;
        Ok((moved.coordinates, moved.rates))
    }

    /// Keeps the simulation as it stands.
    fn save(&self, py: Python<'_>) -> PyResult<Saved> {
        self.with(py, |moving| Ok(moving.save())).map(Saved)
    }

    /// Goes back to where it was saved.
    fn restore(&self, py: Python<'_>, saved: &Saved) -> PyResult<()> {
        self.with(py, |moving| moving.restore(&saved.0))
    }

    /// What has happened since the last call, as JSON.
    fn events(&self, py: Python<'_>) -> PyResult<String> {
        let events = self.with(py, |moving| Ok(moving.events()))?;
        let events: Vec<serde_json::Value> = events.iter().map(event_json).collect();
        Ok(serde_json::Value::from(events).to_string())
    }

    /// Whether the simulation is over.
    #[getter]
    fn over(&self, py: Python<'_>) -> PyResult<bool> {
        self.with(py, |moving| Ok(moving.status().is_some()))
    }
}

/// Arrays of inputs and outputs that a simulation reads and writes when it is advanced.
#[pyclass(frozen, module = "linkwork._native")]
pub struct Port {
    simulation: Py<Simulation>,
    set: Vec<Actuation>,
    places: Vec<usize>,
    u: Py<PyArray1<f64>>,
    y: Py<PyArray1<f64>>,
    row: Mutex<Vec<f64>>,
    /// Where equal steps began, s, how many there were, and how long they are, s.
    pace: Mutex<(f64, f64, f64)>,
}

#[pymethods]
impl Port {
    /// Inputs and forces by name, and result columns.
    #[new]
    fn new(
        py: Python<'_>,
        simulation: Py<Simulation>,
        inputs: Vec<String>,
        outputs: Vec<String>,
    ) -> PyResult<Self> {
        guarded(py, || {
            let moving = simulation.get();
            let places = places(py, &moving.mechanism, &outputs)?;
            let found = moving.with(py, |moving| {
                let set: Result<Vec<_>, Error> = inputs.iter().map(|name| actuation(moving, name)).collect();
                let set = set?;
                let values: Vec<f64> = set.iter().map(|Actuation(id)| moving.value(*id)).collect();
                Ok((set, values))
            })?;
            let (set, values) = found;
            let u = values.to_pyarray(py).unbind();
            let y = vec![0.0; places.len()].to_pyarray(py).unbind();
            let (row, pace) = (Mutex::default(), Mutex::default());
            let port = Port { simulation: simulation.clone_ref(py), set, places, u, y, row, pace };
            port.read(py)?;
            Ok(port)
        })
    }

    /// What is set when the simulation is advanced, in the order of the names.
    #[getter]
    fn u(&self, py: Python<'_>) -> Py<PyArray1<f64>> {
        self.u.clone_ref(py)
    }

    /// What was read when it had been advanced.
    #[getter]
    fn y(&self, py: Python<'_>) -> Py<PyArray1<f64>> {
        self.y.clone_ref(py)
    }

    /// Reads the outputs.
    fn read(&self, py: Python<'_>) -> PyResult<()> {
        self.go(py, None).map(|_| ())
    }

    /// Sets the inputs, goes on to a time, s, and reads the outputs.
    fn advance_to(&self, py: Python<'_>, t: f64) -> PyResult<&'static str> {
        self.go(py, Some(t))
    }

    /// As `advance_to`, for so many seconds. Equal steps, one after the other, end at multiples of their length.
    fn advance(&self, py: Python<'_>, dt: f64) -> PyResult<&'static str> {
        let now = self.simulation.get().with(py, |moving| Ok(moving.t()))?;
        let mut pace = self.pace.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let (began, steps, length) = *pace;
        let goes_on = length == dt && (now - (began + steps * dt)).abs() <= 1e-9 * dt;
        *pace = if goes_on { (began, steps + 1.0, dt) } else { (now, 1.0, dt) };
        let (began, steps, _) = *pace;
        drop(pace);
        self.go(py, Some(began + steps * dt))
    }
}

impl Port {
    fn go(&self, py: Python<'_>, t: Option<f64>) -> PyResult<&'static str> {
        let u = self.inputs(py)?;
        let mut lookout = Lookout::new(None);
        let simulation = self.simulation.get();
        let progress = simulation.with(py, |moving| self.pass(moving, &u, t, &mut lookout))?;
        self.show(py)?;
        lookout.error.map_or(Ok(word(progress)), Err)
    }

    fn inputs(&self, py: Python<'_>) -> PyResult<Vec<f64>> {
        Ok(self.u.bind(py).try_readonly()?.as_slice()?.to_vec())
    }

    /// Sets the inputs and goes on to a time, if there is one; reads the columns.
    fn pass(
        &self,
        moving: &mut Moving,
        u: &[f64],
        t: Option<f64>,
        lookout: &mut Lookout,
    ) -> Result<Progress, Error> {
        let mut progress = Progress::Reached;
        if let Some(t) = t {
            self.set.iter().zip(u).try_for_each(|(set, value)| set.set(moving, *value))?;
            if !t.is_finite() || t <= moving.t() {
                moving.advance_to(t)?; // which says what is wrong with it
            }
            while moving.t() < t && moving.status().is_none() && lookout.look(moving.t()).is_continue() {
                progress = moving.step_toward(t)?;
            }
        }
        row(&self.simulation.get().mechanism, moving.sample()?, &mut self.columns());
        Ok(if progress == Progress::Finished { progress } else { Progress::Reached })
    }

    fn columns(&self) -> MutexGuard<'_, Vec<f64>> {
        self.row.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Writes the outputs to their array.
    fn show(&self, py: Python<'_>) -> PyResult<()> {
        let columns = self.columns();
        let mut y = self.y.bind(py).try_readwrite()?;
        let places = self.places.iter();
        y.as_slice_mut()?.iter_mut().zip(places).for_each(|(y, &place)| *y = columns[place]);
        Ok(())
    }
}

/// Advances many ports, each to a time of its own, s, on so many threads (0: all cores); what went wrong with each.
#[pyfunction]
pub fn advance_all(
    py: Python<'_>,
    ports: Vec<Py<Port>>,
    times: Vec<f64>,
    threads: usize,
) -> PyResult<Vec<Option<Py<PyAny>>>> {
    guarded(py, || {
        if ports.len() != times.len() {
            return Err(wrong(py, "each port needs a time"));
        }
        let cores = || std::thread::available_parallelism().map_or(1, |cores| cores.get());
        let threads = if threads == 0 { cores() } else { threads };
        let mut jobs = Vec::with_capacity(ports.len());
        for (port, t) in ports.iter().zip(times) {
            let port = port.get();
            jobs.push((port, port.inputs(py)?, t, None));
        }
        let share = jobs.len().div_ceil(threads).max(1);
        let work = |jobs: &mut [(&Port, Vec<f64>, f64, Option<Error>)]| {
            for (port, u, t, failed) in jobs {
                // signals are looked at when all have come to their times
                let mut lookout = Lookout::new(None);
                let mut moving = port.simulation.get().lock();
                *failed = port.pass(&mut moving, u, Some(*t), &mut lookout).err();
            }
        };
        let done = py.detach(|| {
            catch_unwind(AssertUnwindSafe(|| match threads {
                1 => work(&mut jobs),
                _ => std::thread::scope(|scope| {
                    jobs.chunks_mut(share).for_each(|share| drop(scope.spawn(|| work(share))));
                }),
            }))
        });
        done.map_err(|panic| internal(py, &*panic))?;
        py.check_signals()?;
        let told = |(port, _, _, failed): &(&Port, Vec<f64>, f64, Option<Error>)| match failed {
            Some(error) => Ok(Some(raised(py, error).into_value(py).into_any())),
            None => port.show(py).map(|()| None),
        };
        jobs.iter().map(told).collect()
    })
}
