"""Balances a pole on a cart, a thousand times a second, in a loop that this program owns."""

import linkwork as lw
import numpy as np

model = (
    lw.Model.planar("inverted pendulum")
    .points(O=[0, 0], C=[0, 0], P=[0, 1])
    .ground(["O"])
    .body("cart", ["C"], mass=1, com=[0, 0], inertia=1)
    .body("pole", ["C", "P"], mass=0.2)
    .joint("rail", "prismatic", bodies=["ground", "cart"], at=["O", "C"], axis=[1, 0])
    .input("push", unit="N", limits=[-40, 40])
    .actuator("motor", joint="rail", force="input.push")
    .measure("tilt", "atan2(point.P.x - point.C.x, point.P.y - point.C.y)")
    .initial(velocities={"C": [0, 0], "P": [0.4, 0]})
    .settings(duration=10)
)

# %%
# The port has arrays that are read and written in place.
with model.assemble().simulation() as simulation:
    loop = simulation.port(inputs=["push"], outputs=["measure.tilt", "joint.C.v", "point.C.x", "point.C.vx"])
    integral, tilts = 0.0, []
    for _ in range(5000):
        tilt, turning, x, v = loop.y
        integral += 1e-3 * tilt
        loop.u[0] = 60 * tilt - 12 * turning + 20 * integral + 3 * x + 5 * v
        loop.advance(1e-3)
        tilts.append(tilt)

# %%
print(f"largest tilt {np.degrees(np.max(np.abs(tilts))):.1f} degrees, after 5 s {np.degrees(tilts[-1]):.3f}")
assert abs(tilts[-1]) < 0.01  # it stands
