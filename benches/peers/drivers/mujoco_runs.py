"""MuJoCo: whole runs of an open chain of rods in the plane. mj_step takes all steps between two rows in one call; contacts and constraints are off."""

from protocol import Variant, serve  # isort: skip
import time

import mujoco
import numpy as np

INTEGRATORS = {"rk4": "RK4", "euler": "Euler"}
STEPS = {"rk4": ("1e-2", "1e-3"), "euler": ("1e-3", "1e-4")}


def xml(model, integrator, step):
    """Rod after rod, hinges about z; the frame of a rod begins at its first point, x along it."""
    if model["kind"] != "rods" or not model.get("open"):
        raise RuntimeError("closed loops are soft constraints here: not the same problem")
    g = model["gravity"]
    inside = ""
    points = np.array(model["points"], float)
    turned = 0.0
    for i, (a, b, mass) in enumerate(model["rods"]):
        along = points[b] - points[a]
        length, angle = float(np.linalg.norm(along)), float(np.arctan2(along[1], along[0]))
        back = np.array([[np.cos(turned), np.sin(turned)], [-np.sin(turned), np.cos(turned)]])
        at = points[a] if i == 0 else back @ (points[a] - points[model["rods"][i - 1][0]])
        inside += f"<body pos='{float(at[0])!r} {float(at[1])!r} 0' euler='0 0 {angle - turned!r}'>"
        # the hinge only sees the moment about z; the others are made up
        j = mass * length**2 / 12
        inside += f"<inertial pos='{length / 2!r} 0 0' mass='{mass!r}' diaginertia='{j / 2!r} {j!r} {j!r}'/><joint type='hinge' axis='0 0 1'/>"
        turned = angle
    tip = f"<site name='tip' pos='{length!r} 0 0'/>"
    flags = "constraint='disable' contact='disable' eulerdamp='disable' autoreset='disable' sensor='disable'"
    return (
        f"<mujoco><compiler angle='radian'/><option gravity='{g[0]} {g[1]} 0' timestep='{step}' integrator='{integrator}'><flag {flags}/></option>"
        f"<worldbody>{inside}{tip}{'</body>' * len(model['rods'])}</worldbody></mujoco>"
    )


def load(model):
    def variant(method, step):
        compiled = mujoco.MjModel.from_xml_string(xml(model, INTEGRATORS[method], step))
        data = mujoco.MjData(compiled)
        count = round(model["duration"] / model["rows"] / float(step))

        def run(rows):
            mujoco.mj_resetData(compiled, data)
            spent = 0.0
            for _ in range(model["rows"]):
                begin = time.perf_counter()
                mujoco.mj_step(compiled, data, count)
                mujoco.mj_kinematics(compiled, data)
                spent += time.perf_counter() - begin
                rows += list(data.site("tip").xpos[:2])
            return spent

        def answer(_):
            rows = []
            run(rows)
            return rows

        return Variant(answer, lambda k: sum(run([]) for _ in range(k)))

    return {f"{method}-{step}": variant(method, step) for method, steps in STEPS.items() for step in steps}


serve(load)
