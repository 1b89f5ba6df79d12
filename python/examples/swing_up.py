"""Trains a controller that swings a pendulum up, by the cross-entropy method.

The motor is too weak to lift the rod at once (2 N m against 4.9), so it has to swing. The policy is a small formula with four numbers: energy pumping while the rod hangs, a
proportional and derivative law while it is nearly upright. The method draws many policies, keeps the best, and draws again around them.
"""

import linkwork as lw
import numpy as np

model = (
    lw.Model.planar("pendulum")
    .points(O=[0, 0], P=[0, -1])
    .ground(["O"])
    .body("rod", ["O", "P"], mass=1)
    .settings(duration=8, integrator="rk4", step=0.01, formulation="recursive")
)
environment = lw.gym.Environment(
    model,
    action=["joint.O"],
    limits=2.0,
    observation=["point.P.x", "point.P.y", "joint.O.v"],
    reward=lambda y, a: float(y[1] - 0.02 * y[2] ** 2 * (y[1] > 0.8)),
    dt=0.05,
    start=lambda random: (random.uniform(-0.05, 0.05, 1), np.zeros(1)),
)


def policy(weights: np.ndarray, y: np.ndarray) -> np.ndarray:
    x, height, rate = y
    energy = rate**2 / 6 + 9.81 * (height - 1) / 2  # of the rod, zero upright and at rest
    upright = height > 0.9
    torque = -weights[0] * -x - weights[1] * rate if upright else -weights[2] * rate * energy + weights[3] * rate
    return np.array([torque])


def episode(weights: np.ndarray, seed: int) -> tuple[float, float]:
    """The sum of rewards, and the mean height over the last second."""
    y, _ = environment.reset(seed=seed)
    total, heights = 0.0, []
    while True:
        y, reward, terminated, truncated, _ = environment.step(policy(weights, y))
        total += reward
        heights.append(y[1])
        if terminated or truncated:
            return total, float(np.mean(heights[-20:]))


random = np.random.default_rng(0)
mean, spread = np.zeros(4), np.full(4, 5.0)
for generation in range(12):
    drawn = random.normal(mean, spread, size=(24, 4))
    scores = np.array([episode(weights, seed=generation)[0] for weights in drawn])
    best = drawn[np.argsort(scores)[-6:]]
    mean, spread = best.mean(axis=0), best.std(axis=0) + 0.05
    print(f"generation {generation}: best {scores.max():7.1f}, mean {scores.mean():7.1f}")

height = episode(mean, seed=99)[1]
print(f"weights {np.round(mean, 2)}, mean height in the last second {height:.3f} m")
assert height > 0.9  # it stands upright
