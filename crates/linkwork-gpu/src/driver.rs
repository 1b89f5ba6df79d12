//! The device, through its driver alone: opened when it is asked for, so that a program runs on machines without one.

use crate::ptx;
use cudarc::driver::sys::CUdevice_attribute;
use cudarc::driver::{
    CudaContext, CudaFunction, CudaSlice, CudaStream, DriverError, LaunchConfig, PushKernelArg,
};
use cudarc::nvrtc::Ptx;
use linkwork::straight::{Accelerator, AcceleratorError, Columns, Program, Steps};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Threads of a block.
const BLOCK: u32 = 128;
/// Operations of a program that are straight code at most: longer ones take the driver too long to compile, and their numbers no longer fit a multiprocessor.
const MOST_OPERATIONS: usize = 16_000;
/// A launch is to take no longer, so that a desktop stays alive.
const LAUNCH: Duration = Duration::from_millis(50);
/// Steps of the first launch, from which the length of the others follows.
const FIRST_STEPS: u64 = 8;
/// Kernels that are kept.
const KEPT: usize = 16;

/// An NVIDIA device.
pub struct Device {
    name: String,
    variants: usize,
    context: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    /// Kernels that were compiled already, the last one at the end.
    kernels: Mutex<Vec<(Program, CudaFunction)>>,
}

impl Device {
    /// The first device.
    ///
    /// # Errors
    /// Where there is none, or no driver.
    pub fn first() -> Result<Device, AcceleratorError> {
        Device::number(0)
    }

    /// How many devices there are; none without a driver.
    pub fn count() -> usize {
        let count = if driver_is_there() { CudaContext::device_count().unwrap_or(0) } else { 0 };
        usize::try_from(count).unwrap_or(0)
    }

    /// The device of a number, from 0.
    ///
    /// # Errors
    /// Where there is no such device, or no driver.
    pub fn number(ordinal: usize) -> Result<Device, AcceleratorError> {
        let failed =
            |message: String| AcceleratorError { device: format!("NVIDIA device {ordinal}"), message };
        if !driver_is_there() {
            return Err(failed("there is no NVIDIA driver on this machine".into()));
        }
        let open = || -> Result<Device, DriverError> {
            let context = CudaContext::new(ordinal)?;
            let processors =
                context.attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?;
            Ok(Device {
                name: context.name()?,
                variants: 1024 * usize::try_from(processors).unwrap_or(1).max(1),
                stream: context.default_stream(),
                kernels: Mutex::default(),
                context,
            })
        };
        open().map_err(|error| failed(error.to_string()))
    }

    /// The kernel of a program: compiled, or found among those that were.
    fn kernel(&self, program: &Program) -> Result<CudaFunction, DriverError> {
        let mut kernels = self.kernels.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(i) = kernels.iter().position(|(known, _)| known == program) {
            let found = kernels.remove(i);
            let kernel = found.1.clone();
            kernels.push(found);
            return Ok(kernel);
        }
        let module = self.context.load_module(Ptx::from_src(ptx::text(program)))?;
        let kernel = module.load_function(ptx::ENTRY)?;
        if kernels.len() >= KEPT {
            kernels.remove(0);
        }
        kernels.push((program.clone(), kernel.clone()));
        Ok(kernel)
    }

    fn move_all(&self, program: &Program, steps: Steps, columns: &mut Columns) -> Result<(), DriverError> {
        let n = columns.variants;
        let kernel = self.kernel(program)?;
        let stream = &self.stream;
        let mut states = stream.clone_htod(&columns.states)?;
        // an empty list has no address
        let parameters = if columns.parameters.is_empty() {
            stream.alloc_zeros(1)?
        } else {
            stream.clone_htod(&columns.parameters)?
        };
        let mut void: CudaSlice<u8> = stream.alloc_zeros(n)?;
        let (mut left, mut at_a_time) = (steps.count, FIRST_STEPS);
        while left > 0 {
            let now = left.min(at_a_time);
            left -= now;
            let last = if left == 0 { steps.last } else { steps.size };
            let clock = Instant::now();
            launch(stream, &kernel, &mut states, &parameters, &mut void, (n, now, steps.size, last))?;
            stream.synchronize()?;
            let each = clock.elapsed().max(Duration::from_micros(20)).as_secs_f64() / now as f64;
            at_a_time = ((LAUNCH.as_secs_f64() / each) as u64).clamp(1, 16 * at_a_time);
        }
        stream.memcpy_dtoh(&states, &mut columns.states)?;
        columns.void = stream.clone_dtoh(&void)?.into_iter().map(|flag| flag != 0).collect();
        Ok(())
    }
}

/// Starts the kernel on all variants.
fn launch(
    stream: &Arc<CudaStream>,
    kernel: &CudaFunction,
    states: &mut CudaSlice<f64>,
    parameters: &CudaSlice<f64>,
    void: &mut CudaSlice<u8>,
    (variants, steps, size, last): (usize, u64, f64, f64),
) -> Result<(), DriverError> {
    let blocks = variants.div_ceil(BLOCK as usize) as u32;
    let config = LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (BLOCK, 1, 1), shared_mem_bytes: 0 };
    let variants = variants as u64;
    let mut call = stream.launch_builder(kernel);
    call.arg(states).arg(parameters).arg(void).arg(&variants).arg(&steps).arg(&size).arg(&last);
    // SAFETY: the kernel is text of `ptx`, whose entry takes these seven parameters in this order and of these widths. A thread reads and writes `states` at
    // i·variants + its own number for i below `program.states()`, reads `parameters` likewise, and one byte of `void`: the lists were made that long from `columns`, whose lengths
    // `Device::run` has checked. Threads beyond `variants` end at once. The device writes to nothing else.
    #[allow(unsafe_code)]
    let launched = unsafe { call.launch(config) };
    launched.map(|_| ())
}

/// Whether the driver's library can be opened.
fn driver_is_there() -> bool {
    // SAFETY: opens and closes the driver's library, whose initialisers are those of the NVIDIA driver, and calls nothing.
    #[allow(unsafe_code)]
    let there = unsafe { cudarc::driver::sys::is_culib_present() };
    there
}

impl std::fmt::Debug for Device {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Device").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Accelerator for Device {
    fn name(&self) -> &str {
        &self.name
    }

    fn most_operations(&self) -> usize {
        MOST_OPERATIONS
    }

    fn variants_at_a_time(&self) -> usize {
        self.variants
    }

    fn run(&self, program: &Program, steps: Steps, columns: &mut Columns) -> Result<(), AcceleratorError> {
        let failed = |message: String| AcceleratorError { device: self.name.clone(), message };
        let n = columns.variants;
        let most = u32::MAX as usize;
        let fits = columns.states.len() == program.states() * n
            && columns.parameters.len() == program.parameters() * n;
        if !fits || n > most {
            return Err(failed(format!("the lists do not belong to {n} variants of this program")));
        }
        if n == 0 {
            return Ok(());
        }
        self.move_all(program, steps, columns).map_err(|error| failed(error.to_string()))
    }
}
