"""A batch of double pendulums from Python: Linkwork's `Batch` against `mujoco.rollout`, one thread, equal method (RK4) and step.

    pip install . mujoco && python benches/python/batch.py

Both run the same pendulums from the same starts for the same time, in turn; the best round of each counts. What is compared at the end are the angles.
"""

import time

import linkwork as lw
import mujoco
import mujoco.rollout
import numpy as np

COUNT, STEP, STEPS, ROUNDS = 4096, 2e-3, 500, 5

XML = f"""
<mujoco>
  <option timestep="{STEP}" integrator="RK4" gravity="0 0 -9.81"><flag contact="disable" constraint="disable"/></option>
  <worldbody>
    <body>
      <joint type="hinge" axis="0 -1 0"/>
      <inertial pos="0.5 0 0" mass="1" diaginertia="1e-9 {1 / 12} {1 / 12}"/>
      <body pos="1 0 0">
        <joint type="hinge" axis="0 -1 0"/>
        <inertial pos="0.5 0 0" mass="1" diaginertia="1e-9 {1 / 12} {1 / 12}"/>
      </body>
    </body>
  </worldbody>
</mujoco>
"""


def main() -> None:
    starts = np.random.default_rng(0).uniform(-1, 1, size=(COUNT, 2))
    model = (
        lw.Model.planar("double pendulum")
        .points(A=[0, 0], B=[1, 0], C=[2, 0])
        .ground(["A"])
        .body("upper", ["A", "B"], mass=1)
        .body("lower", ["B", "C"], mass=1)
        .settings(formulation="recursive", integrator="rk4", step=STEP, duration=STEP * STEPS, output_step=STEP * STEPS)
    )
    batch = lw.Batch(model, threads=1)
    theirs = mujoco.MjModel.from_xml_string(XML)
    data = mujoco.MjData(theirs)
    initial = np.zeros((COUNT, mujoco.mj_stateSize(theirs, mujoco.mjtState.mjSTATE_FULLPHYSICS)))
    initial[:, 1:3] = starts

    def of_linkwork() -> np.ndarray:
        result = batch.run(start=(starts, [[0.0, 0.0]]), columns=["joint.A.q", "joint.B.q"])
        assert result.finished.all()
        return np.column_stack([result["joint.A.q"], result["joint.B.q"]])

    def of_mujoco() -> np.ndarray:
        states, _ = mujoco.rollout.rollout(theirs, data, initial, nstep=STEPS)
        return states[:, -1, 1:3]

    ours, best = of_linkwork(), {}
    gap = np.abs(ours - of_mujoco())
    print(f"the angles differ by {np.median(gap):.1e} rad in the middle, {gap.max():.1e} at most")
    assert np.median(gap) < 1e-6  # one method and one step: roundings, and what chaos makes of them
    for _ in range(ROUNDS):
        for name, run in {"mujoco.rollout": of_mujoco, "linkwork.Batch": of_linkwork}.items():
            began = time.process_time()
            run()
            best[name] = min(best.get(name, np.inf), time.process_time() - began)
    for name, seconds in best.items():
        print(f"{name:16} {1e9 * seconds / (COUNT * STEPS):7.0f} ns a step")
    print(f"ratio {best['mujoco.rollout'] / best['linkwork.Batch']:.1f}")


if __name__ == "__main__":
    main()
