"""Designs a four-bar linkage: which lengths give the coupler point the straightest piece of its path?

A crank turns; the coupler point P draws a curve. A batch of variants runs at once, and the one whose path between two crank angles is nearest to a straight line wins.
"""

import linkwork as lw
import numpy as np

model = (
    lw.Model.planar("four-bar design", gravity="none")
    .parameter("coupler", 2.5)
    .parameter("rocker", 2.5)
    .parameter("reach", 5.0)
    .points(A=[0, 0], B=[1, 0], D=[2, 0])
    # C closes the loop: |C - B| = coupler, |C - D| = rocker
    .parameter("cx", "(coupler^2 - rocker^2 + 3) / 2")
    .point("C", ["cx", "sqrt(coupler^2 - (cx - 1)^2)"])
    .point("P", ["1 + (cx - 1) * reach / coupler", "sqrt(coupler^2 - (cx - 1)^2) * reach / coupler"])
    .ground(["A", "D"])
    .body("crank", ["A", "B"], mass=1)
    .body("coupler", ["B", "C", "P"], mass=1, com="C", inertia=1)
    .body("rocker", ["C", "D"], mass=1)
    .driver("motor", joint="A", value="2 * pi * t")
    .settings(duration=1, output_step=0.005)
)

# %%
# Thirteen variants of equal lengths run at once; their paths come back as arrays.
lengths = np.linspace(2.3, 2.9, 13)
variants = {"coupler": lengths, "rocker": lengths, "reach": 2 * lengths}
batch = lw.Batch(model).run(parameters=variants, columns=["point.P.x", "point.P.y"], rows="all")
x, y = batch["point.P.x"], batch["point.P.y"]


# %%
# How straight is a path?
def deviation(x: np.ndarray, y: np.ndarray) -> float:
    """The largest distance from the best line, over the half of the path that is straightest, as a part of its length."""
    n, found = len(x), np.inf
    for first in range(0, n, 5):
        piece = np.arange(first, first + n // 2) % n
        points = np.column_stack([x[piece], y[piece]])
        centred = points - points.mean(axis=0)
        across = np.linalg.svd(centred, full_matrices=False)[2][1]
        length = np.ptp(centred @ np.linalg.svd(centred, full_matrices=False)[2][0])
        found = min(found, np.abs(centred @ across).max() / length)
    return float(found)


# %%
ok = batch.finished
scores = [deviation(x[i], y[i]) if ok[i] else np.inf for i in range(len(lengths))]
best = int(np.argmin(scores))
print(f"length {lengths[best]:.2f}: the straight piece is straight to {scores[best]:.2e} of its length")
assert scores[best] < 0.01  # Chebyshev's linkage, 2.5, is among them

# %%
# The winner moves.
run = model.with_parameters(coupler=lengths[best], rocker=lengths[best], reach=2 * lengths[best]).simulate()
run.picture(t=0.2, trace=["P"]).save("four-bar-design.svg")
run.plot("point.P.y", x="point.P.x", title="path of the coupler point").save("path.svg")
