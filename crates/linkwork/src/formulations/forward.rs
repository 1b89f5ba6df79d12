//! Methods of a formulation around another one that only pass the call on.

/// Writes methods of `System` or `Formulate` that call those of `self.inner`.
macro_rules! forward {
    (begin_series) => {
        fn begin_series(&mut self, order: usize) -> Result<(), Vec<$crate::formulations::NotCovered>> {
            self.inner.begin_series(order)
        }
    };
    (body_accelerations) => {
        fn body_accelerations(&mut self, y: &[f64], dy: &[f64], out: &mut [$crate::formulations::Twist]) {
            self.inner.body_accelerations(y, dy, out)
        }
    };
    (component_bodies) => {
        fn component_bodies(&self, i: usize) -> Vec<usize> {
            self.inner.component_bodies(i)
        }
    };
    (component_name) => {
        fn component_name(&self, i: usize) -> String {
            self.inner.component_name(i)
        }
    };
    (counters) => {
        fn counters(&self) -> $crate::formulations::Counters {
            self.inner.counters()
        }
    };
    (dimension) => {
        fn dimension(&self) -> usize {
            self.inner.dimension()
        }
    };
    (displace) => {
        fn displace(&mut self, y: &mut [f64], change: &[f64]) {
            self.inner.displace(y, change)
        }
    };
    (joint_coordinates) => {
        fn joint_coordinates(&self) -> Vec<$crate::results::StateCoordinate> {
            self.inner.joint_coordinates()
        }
    };
    (error_scale) => {
        fn error_scale(&self, scale: &mut [f64]) {
            self.inner.error_scale(scale)
        }
    };
    (has_joint_inertia) => {
        fn has_joint_inertia(&self, index: usize) -> bool {
            self.inner.has_joint_inertia(index)
        }
    };
    (hold) => {
        fn hold(&mut self, closed: &[$crate::contact::ClosedContact]) {
            self.inner.hold(closed)
        }
    };
    (independence) => {
        fn independence(&mut self, out: &mut Vec<f64>) {
            self.inner.independence(out)
        }
    };
    (is_bound) => {
        fn is_bound(&self) -> bool {
            self.inner.is_bound()
        }
    };
    (is_place) => {
        fn is_place(&self, i: usize) -> bool {
            self.inner.is_place(i)
        }
    };
    (jump) => {
        fn jump(&mut self, t: f64, y: &mut [f64], wanted: &[(usize, f64)]) -> Result<$crate::formulations::Jump, $crate::formulations::MotionError> {
            self.inner.jump(t, y, wanted)
        }
    };
    (locate_bodies) => {
        fn locate_bodies(&mut self, y: &[f64], motions: &mut [$crate::interactions::Motion]) {
            self.inner.locate_bodies(y, motions)
        }
    };
    (rates) => {
        fn rates(&self) -> std::ops::Range<usize> {
            $crate::integrate::System::rates(&*self.inner)
        }
    };
    (respond) => {
        fn respond(&mut self, pulls: &[$crate::interactions::BodyWrench], change: &mut [f64]) -> Result<f64, $crate::formulations::MotionError> {
            self.inner.respond(pulls, change)
        }
    };
    (row_name) => {
        fn row_name(&self, row: usize) -> String {
            self.inner.row_name(row)
        }
    };
    (set_loads) => {
        fn set_loads(&mut self, pulls: &[$crate::interactions::BodyWrench]) {
            self.inner.set_loads(pulls)
        }
    };
    (sizes) => {
        fn sizes(&self) -> (usize, usize) {
            self.inner.sizes()
        }
    };
    (start) => {
        fn start(&self) -> Vec<f64> {
            self.inner.start()
        }
    };
    (switch) => {
        fn switch(&mut self, switch: usize, on: bool) {
            self.inner.switch(switch, on)
        }
    };
    (to_body_axes) => {
        fn to_body_axes(&self, y: &mut [f64]) {
            self.inner.to_body_axes(y)
        }
    };
    (to_world_axes) => {
        fn to_world_axes(&self, y: &mut [f64]) {
            self.inner.to_world_axes(y)
        }
    };
    (twists) => {
        fn twists(&mut self, y: &[f64], rates: &[f64], out: &mut [$crate::formulations::Twist]) {
            self.inner.twists(y, rates, out)
        }
    };
    (work_index) => {
        fn work_index(&self) -> usize {
            self.inner.work_index()
        }
    };
    ($($method:ident),+) => {
        $(forward!($method);)+
    };
}

pub(super) use forward;
