"""Runs a thousand double pendulums that differ by a millionth, and shows how they part."""

import linkwork as lw
import numpy as np

mechanism = lw.examples["double-pendulum"].assemble(duration=10, output_step=0.05, integrator="rk4", step=2e-3, formulation="recursive")
batch = lw.Batch(mechanism)
q, u = batch.start
starts = q + np.array([2.0, 2.0]) + 1e-6 * np.random.default_rng(0).normal(size=(1000, 2))
result = batch.run(start=(starts, u), columns=["t", "joint.A.q", "joint.B.q"], rows="all")
assert result.finished.all() and result.in_lanes == 1000

# %%
# How fast do they part?
t = result["t"][0]
spread = result["joint.B.q"].std(axis=0)
growth = np.polyfit(t[20:120], np.log(spread[20:120]), 1)[0]
print(f"the pendulums part by e every {1 / growth:.2f} s")
assert growth > 0.3 and spread[0] < 2e-6

# %%
try:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
except ImportError:
    print("no picture: there is no matplotlib")
else:
    figure, axes = plt.subplots()
    axes.semilogy(t, spread)
    axes.set(xlabel="t, s", ylabel="spread of the second angle, rad")
    figure.savefig("spread.svg")
