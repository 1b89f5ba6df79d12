//! Simulations that Python steps.

use crate::errors::{guarded, internal, raised, wrong};
use crate::model::Mechanism;
use crate::watch::Lookout;
use linkwork::mechanism::Mechanism as Assembled;
use linkwork::results::{columns, row};
use linkwork::simulation::{InputId, Outputs, Progress, event_json};
use linkwork::{Error, State};
use numpy::{PyArray1, PyArrayMethods, ToPyArray};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

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
    u: Py<PyArray1<f64>>,
    y: Py<PyArray1<f64>>,
    /// Away while the simulation goes on, without Python's lock.
    passing: Mutex<Option<Box<Passing>>>,
}

/// What a port needs while it is passed: buffers, which stay, and the pace of equal steps.
struct Passing {
    u: Vec<f64>,
    outputs: Outputs,
    y: Vec<f64>,
    pace: Pace,
}

/// Where equal steps began, s, how many there were, and how long they are, s.
#[derive(Clone, Copy, Default)]
struct Pace {
    began: f64,
    steps: f64,
    length: f64,
}

/// How far a port goes.
#[derive(Clone, Copy)]
enum Goal {
    /// Nowhere.
    Here,
    /// To a time, s.
    To(f64),
    /// So many seconds further.
    By(f64),
}

impl Pace {
    /// The end of a step of this length: equal ones, one after the other, end at multiples of it.
    fn next(&mut self, now: f64, dt: f64) -> f64 {
        let goes_on = self.length == dt && (now - (self.began + self.steps * dt)).abs() <= 1e-9 * dt;
        *self = match goes_on {
            true => Pace { steps: self.steps + 1.0, ..*self },
            false => Pace { began: now, steps: 1.0, length: dt },
        };
        self.began + self.steps * dt
    }
}

impl Passing {
    /// Sets the inputs and goes on; reads the outputs.
    fn pass(
        &mut self,
        moving: &mut Moving,
        set: &[Actuation],
        goal: Goal,
        lookout: &mut Option<Lookout>,
    ) -> Result<Progress, Error> {
        let mut progress = Progress::Reached;
        let t = match goal {
            Goal::Here => None,
            Goal::To(t) => Some(t),
            Goal::By(dt) => Some(self.pace.next(moving.t(), dt)),
        };
        if let Some(t) = t {
            set.iter().zip(&self.u).try_for_each(|(set, value)| set.set(moving, *value))?;
            if !t.is_finite() || t <= moving.t() {
                moving.advance_to(t)?; // which says what is wrong with it
            }
            while moving.t() < t && moving.status().is_none() {
                progress = moving.step_toward(t)?;
                // most are there with one step
                let arrived = moving.t() >= t;
                if !arrived && lookout.get_or_insert_with(|| Lookout::new(None)).look(moving.t()).is_break() {
                    break;
                }
            }
        }
        moving.read(&mut self.outputs, &mut self.y)?;
        Ok(if progress == Progress::Finished { progress } else { Progress::Reached })
    }
}

#[pymethods]
impl Port {
    /// Inputs and forces by name, and result columns; with arrays to be read and written, such as rows of larger ones, or new ones.
    #[new]
    #[pyo3(signature = (simulation, inputs, outputs, u=None, y=None))]
    fn new<'py>(
        py: Python<'py>,
        simulation: Py<Simulation>,
        inputs: Vec<String>,
        outputs: Vec<String>,
        u: Option<Bound<'py, PyArray1<f64>>>,
        y: Option<Bound<'py, PyArray1<f64>>>,
    ) -> PyResult<Self> {
        guarded(py, || {
            let (set, passing) = simulation.get().with(py, |moving| {
                let set: Result<Vec<_>, Error> = inputs.iter().map(|name| actuation(moving, name)).collect();
                let set = set?;
                let u: Vec<f64> = set.iter().map(|Actuation(id)| moving.value(*id)).collect();
                let y = vec![0.0; outputs.len()];
                let outputs = moving.outputs(outputs)?;
                Ok((set, Passing { u, outputs, y, pace: Pace::default() }))
            })?;
            let (u, y) = (array_of(py, u, &passing.u)?, array_of(py, y, &passing.y)?);
            let passing = Mutex::new(Some(Box::new(passing)));
            let port = Port { simulation: simulation.clone_ref(py), set, u, y, passing };
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

    /// The outputs as they are now, in an array of their own.
    fn values<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let mut passing = self.begin(py)?;
        let read = self.simulation.get().with(py, |moving| moving.read(&mut passing.outputs, &mut passing.y));
        let values = read.map(|()| passing.y.to_pyarray(py));
        *self.passing() = Some(passing);
        values
    }

    /// Reads the outputs.
    fn read(&self, py: Python<'_>) -> PyResult<()> {
        self.go(py, Goal::Here).map(|_| ())
    }

    /// Sets the inputs, goes on to a time, s, and reads the outputs.
    fn advance_to<'py>(&self, py: Python<'py>, t: f64) -> PyResult<&'py Bound<'py, PyString>> {
        self.go(py, Goal::To(t)).map(|progress| known_word(py, progress))
    }

    /// As `advance_to`, for so many seconds. Equal steps, one after the other, end at multiples of their length.
    fn advance<'py>(&self, py: Python<'py>, dt: f64) -> PyResult<&'py Bound<'py, PyString>> {
        self.go(py, Goal::By(dt)).map(|progress| known_word(py, progress))
    }
}

/// An array with these values: the one that is given, or a new one.
fn array_of(
    py: Python<'_>,
    given: Option<Bound<'_, PyArray1<f64>>>,
    values: &[f64],
) -> PyResult<Py<PyArray1<f64>>> {
    let Some(given) = given else { return Ok(values.to_pyarray(py).unbind()) };
    let fits = given.try_readwrite().is_ok_and(|mut array| match array.as_slice_mut() {
        Ok(to) if to.len() == values.len() => {
            to.copy_from_slice(values);
            true
        }
        _ => false,
    });
    match fits {
        true => Ok(given.unbind()),
        false => Err(wrong(py, format!("a port takes a contiguous array of {} numbers", values.len()))),
    }
}

/// The word for it, made once.
fn known_word(py: Python<'_>, progress: Progress) -> &Bound<'_, PyString> {
    match progress {
        Progress::Reached => intern!(py, "reached"),
        Progress::Event => intern!(py, "event"),
        Progress::Finished => intern!(py, "finished"),
    }
}

impl Port {
    fn go(&self, py: Python<'_>, goal: Goal) -> PyResult<Progress> {
        let mut lookout = None;
        let mut passing = self.begin(py)?;
        let simulation = self.simulation.get();
        let went = simulation.with(py, |moving| passing.pass(moving, &self.set, goal, &mut lookout));
        let shown = self.end(py, passing, went.is_ok());
        let progress = went?;
        shown?;
        lookout.and_then(|lookout| lookout.error).map_or(Ok(progress), Err)
    }

    /// The buffers, with what is to be set. Where another thread has them, waits for it.
    fn begin(&self, py: Python<'_>) -> PyResult<Box<Passing>> {
        loop {
            if let Some(passing) = self.try_begin(py)? {
                return Ok(passing);
            }
            py.detach(|| std::thread::sleep(Duration::from_micros(50)));
            py.check_signals()?;
        }
    }

    /// The same, or `None` where they are away.
    fn try_begin(&self, py: Python<'_>) -> PyResult<Option<Box<Passing>>> {
        let u = self.u.bind(py).to_vec()?;
        let passing = self.passing().take();
        Ok(passing.map(|mut passing| {
            passing.u = u;
            passing
        }))
    }

    /// Gives the buffers back, and writes the outputs to their array if there are any.
    fn end(&self, py: Python<'_>, passing: Box<Passing>, read: bool) -> PyResult<()> {
        let shown = match read {
            true => self.show(py, &passing.y),
            false => Ok(()),
        };
        *self.passing() = Some(passing);
        shown
    }

    fn show(&self, py: Python<'_>, values: &[f64]) -> PyResult<()> {
        let mut y = self.y.bind(py).try_readwrite()?;
        y.as_slice_mut()?.copy_from_slice(values);
        Ok(())
    }

    fn passing(&self) -> MutexGuard<'_, Option<Box<Passing>>> {
        self.passing.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

/// Advances many ports, each to a time of its own, s, on so many threads (0: all cores); of each what went wrong, or `finished` where its simulation is over.
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
            let begun = port.try_begin(py).and_then(|begun| {
                begun.ok_or_else(|| wrong(py, "a port is given twice, or another thread advances it"))
            });
            match begun {
                Ok(passing) => jobs.push((port, passing, t, None)),
                Err(error) => {
                    // those before it have their buffers back
                    jobs.into_iter()
                        .try_for_each(|(port, passing, ..): Job<'_>| port.end(py, passing, false))?;
                    return Err(error);
                }
            }
        }
        let share = jobs.len().div_ceil(threads).max(1);
        let work = |jobs: &mut [Job<'_>]| {
            for (port, passing, t, went) in jobs {
                // signals are looked at when all have come to their times
                let mut lookout = None;
                let mut moving = port.simulation.get().lock();
                *went = Some(passing.pass(&mut moving, &port.set, Goal::To(*t), &mut lookout));
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
        let mut outcomes = Vec::with_capacity(jobs.len());
        for (port, passing, _, went) in jobs {
            port.end(py, passing, matches!(went, Some(Ok(_))))?;
            outcomes.push(match went {
                Some(Err(error)) => Some(raised(py, &error).into_value(py).into_any()),
                Some(Ok(Progress::Finished)) => {
                    Some(known_word(py, Progress::Finished).clone().into_any().unbind())
                }
                // one that a panic left out is reported below
                Some(Ok(_)) | None => None,
            });
        }
        done.map_err(|panic| internal(py, &*panic))?;
        py.check_signals()?;
        Ok(outcomes)
    })
}

/// A port under way: its buffers, its time, s, and how it went.
type Job<'a> = (&'a Port, Box<Passing>, f64, Option<Result<Progress, Error>>);
