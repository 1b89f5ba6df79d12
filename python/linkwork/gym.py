"""Mechanisms as environments of Gymnasium, for reinforcement learning: ``pip install linkwork[gym]``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _native
from ._errors import InputError, RunFailure
from ._model import Mechanism, Model
from ._run import Array
from ._simulation import Port, Simulation

try:
    import gymnasium
    import gymnasium.vector
    from gymnasium import spaces
except ImportError as missing:  # pragma: no cover
    raise ImportError("environments need the package `gymnasium`: pip install linkwork[gym]") from missing

Reward = Callable[[Array, Array], float]
"""A reward: of the observation after a step and of the action."""


class Environment(gymnasium.Env[Array, Array]):
    """A mechanism that an agent steps.

    ``action`` names what the agent sets: inputs of the model, or ``joint.A``, a force along the coordinate of a joint. ``limits`` are their bounds, (n, 2); those of the inputs
    of the model are taken where none are given. ``observation`` names result columns. A step takes ``dt`` seconds.

    ``terminated`` is a function of the observation, ``start`` one of a random generator that gives the coordinates and rates of a start as ``(q, u)``, in the coordinates of
    `Simulation.state`; without it each episode begins as the model does. An episode is truncated at the end of the model's ``duration``.
    """

    metadata: dict[str, Any] = {"render_modes": ["rgb_array"], "render_fps": 30}

    def __init__(
        self,
        mechanism: Mechanism | Model,
        *,
        action: Sequence[str],
        observation: Sequence[str],
        reward: Reward,
        dt: float,
        limits: Sequence[Sequence[float]] | Mapping[str, Sequence[float]] | float,
        terminated: Callable[[Array], bool] | None = None,
        start: Callable[[np.random.Generator], tuple[Array, Array]] | None = None,
        render_mode: str | None = None,
    ) -> None:
        self.mechanism = mechanism.assemble() if isinstance(mechanism, Model) else mechanism
        if dt <= 0 or dt > self.mechanism.duration:
            raise InputError("`dt` must be positive and less than the duration of the model")
        if render_mode not in (None, "rgb_array"):
            raise InputError("`render_mode` is `rgb_array` or None")
        self.action_names, self.observation_names = list(action), list(observation)
        self.reward, self.dt, self.render_mode = reward, dt, render_mode
        self._terminated, self._start = terminated, start
        if isinstance(limits, Mapping):
            bounds = np.array([limits[name] for name in self.action_names], dtype=np.float64)
        elif isinstance(limits, int | float):
            bounds = np.array([[-float(limits), float(limits)]] * len(self.action_names))
        else:
            bounds = np.array(limits, dtype=np.float64).reshape(len(self.action_names), 2)
        self._bounds = bounds
        self.action_space = spaces.Box(bounds[:, 0], bounds[:, 1], dtype=np.float64)
        size = (len(self.observation_names),)
        self.observation_space = spaces.Box(-np.inf, np.inf, size, dtype=np.float64)
        self._simulation: Simulation = self.mechanism.simulation()
        self._port: Port = self._simulation.port(self.action_names, self.observation_names)
        self._begin = self._simulation.save()
        self._steps = 0

    def _observation(self) -> Array:
        return self._port.y.copy()

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Array, dict[str, Any]]:
        """Begins an episode."""
        super().reset(seed=seed)
        self._simulation.restore(self._begin)
        self._port.u[:] = 0.0
        self._steps = 0
        if self._start is not None:
            q, u = self._start(self.np_random)
            self._simulation.set_state(q=q, u=u)
        self._port.read()
        return self._observation(), {}

    def step(self, action: Array) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        """Sets the action, goes on for ``dt``, and rewards."""
        failed = None
        try:
            self._port.advance_to(self._prepare(action))
        except RunFailure as failure:
            failed = failure
        return self._judge(action, failed)

    def _prepare(self, action: Array) -> float:
        """Sets an action; when the step ends. An action that is not finite is refused by the engine."""
        self._steps += 1
        self._port.u[:] = np.clip(action, self._bounds[:, 0], self._bounds[:, 1])
        return float(min(self._steps * self.dt, self.mechanism.duration))

    def _judge(self, action: Array, failure: RunFailure | None) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        """What a step has brought."""
        observation = self._observation()
        over = self._steps * self.dt >= self.mechanism.duration or self._simulation.over
        done = failure is not None or (self._terminated is not None and bool(self._terminated(observation)))
        info = {} if failure is None else {"failure": failure}
        return observation, float(self.reward(observation, np.asarray(action))), done, over and not done, info

    def render(self) -> NDArray[np.uint8] | None:
        """A picture of the mechanism as it stands, (height, width, 3)."""
        if self.render_mode != "rgb_array":
            return None
        return _drawn(self.mechanism, self._simulation)


class VectorEnvironment(gymnasium.vector.VectorEnv[Array, Array, NDArray[Any]]):
    """Many copies of an `Environment`, stepped at the same time on all cores.

    ``make`` makes one; the copies share its mechanism. An episode that has ended begins again with the next step (`AutoresetMode.NEXT_STEP`), as Gymnasium's own vectors do.

    >>> import numpy as np, linkwork as lw
    >>> model = lw.Model.planar("rod").points(A=[0, 0], B=[0, -1]).ground(["A"]).body("rod", ["A", "B"], mass=1)
    >>> make = lambda: lw.gym.Environment(model, action=["joint.A"], limits=1.0, observation=["joint.A.q"], reward=lambda y, a: -abs(y[0]), dt=0.05)
    >>> many = lw.gym.VectorEnvironment(make, 8)
    >>> many.reset(seed=1)[0].shape
    (8, 1)
    """

    metadata: dict[str, Any] = {"autoreset_mode": gymnasium.vector.AutoresetMode.NEXT_STEP}

    def __init__(self, make: Callable[[], Environment], count: int, *, threads: int = 0) -> None:
        self.environments = [make() for _ in range(count)]
        self.num_envs, self.threads = count, threads
        first = self.environments[0]
        self.single_action_space, self.single_observation_space = first.action_space, first.observation_space
        self.action_space = gymnasium.vector.utils.batch_space(first.action_space, count)
        self.observation_space = gymnasium.vector.utils.batch_space(first.observation_space, count)
        self._ended = np.zeros(count, dtype=bool)

    def reset(self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None) -> tuple[Array, dict[str, Any]]:
        """Begins an episode of each."""
        seeds = [None if seed is None else seed + i for i in range(self.num_envs)] if not isinstance(seed, list) else seed
        self._ended[:] = False
        return np.stack([env.reset(seed=each)[0] for env, each in zip(self.environments, seeds, strict=True)]), {}

    def step(self, actions: Array) -> tuple[Array, NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        """Steps all of them."""
        begun, self._ended = self._ended, np.zeros(self.num_envs, dtype=bool)
        going = [env for env, over in zip(self.environments, begun, strict=True) if not over]
        times = [env._prepare(action) for env, action, over in zip(self.environments, actions, begun, strict=True) if not over]
        failures = iter(_native.advance_all([env._port._native for env in going], times, self.threads))
        observations = np.zeros((self.num_envs, *(self.single_observation_space.shape or ())))
        rewards, terminated, truncated = np.zeros(self.num_envs), np.zeros(self.num_envs, dtype=bool), np.zeros(self.num_envs, dtype=bool)
        for i, (env, over) in enumerate(zip(self.environments, begun, strict=True)):
            if over:
                observations[i] = env.reset()[0]
                continue
            failure = next(failures)
            if isinstance(failure, Exception) and not isinstance(failure, RunFailure):
                raise failure
            failure = failure if isinstance(failure, RunFailure) else None
            observations[i], rewards[i], terminated[i], truncated[i], _ = env._judge(actions[i], failure)
        self._ended = terminated | truncated
        return observations, rewards, terminated, truncated, {}


def _drawn(mechanism: Mechanism, simulation: Simulation, size: int = 320) -> NDArray[np.uint8]:
    """Points as dots, bodies as lines between their points, seen along the last axis but one in space and from the front in the plane."""
    names = mechanism.check()
    axes = "xy" if mechanism.dimension == 2 else "xz"
    values = dict(zip(mechanism.columns, simulation.y, strict=True))
    span = 1.2 * float(names["size"])
    image = np.full((size, size, 3), 255, dtype=np.uint8)

    def pixel(point: str) -> Array:
        at = np.array([values[f"point.{point}.{axis}"] for axis in axes])
        return np.array([size / 2 + at[0] / span * size / 2, size / 2 - at[1] / span * size / 2])

    for number, body in enumerate(names["bodies"]):
        colour = np.array([(0, 114, 178), (213, 94, 0), (0, 158, 115), (204, 121, 167)][number % 4])
        places = [pixel(point) for point in body["points"] if f"point.{point}.x" in values]
        for a, b in zip(places, places[1:] or places, strict=False):
            for part in np.linspace(0, 1, 2 * size):
                x, y = np.round(a + part * (b - a)).astype(int)
                image[max(y - 1, 0) : y + 2, max(x - 1, 0) : x + 2] = colour
    return image
