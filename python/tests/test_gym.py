"""Environments of Gymnasium."""

from __future__ import annotations

import warnings

import linkwork as lw
import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")


def environment(**options: object) -> gymnasium.Env:
    model = (
        lw.Model.planar("pendulum")
        .points(O=[0, 0], P=[0, -1])
        .ground(["O"])
        .body("rod", ["O", "P"], mass=1)
        .settings(duration=2, integrator="rk4", step=5e-3, formulation="recursive")
    )
    given = dict(
        action=["joint.O"],
        observation=["point.P.x", "point.P.y", "joint.O.v"],
        limits=2.0,
        dt=0.05,
        reward=lambda y, a: float(y[1] - 0.01 * y[2] ** 2),
        start=lambda random: (random.uniform(-1, 1, 1), np.zeros(1)),
        render_mode="rgb_array",
    )
    return lw.gym.Environment(model.assemble(), **(given | options))


def test_gymnasium_accepts_it() -> None:
    from gymnasium.utils.env_checker import check_env

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # observations of a mechanism have no bounds, which the checker remarks on
        warnings.filterwarnings("ignore", message=".*(infinity|normalized).*")
        warnings.filterwarnings("ignore", message=".*different from the unwrapped version.*")
        gymnasium.register("LinkworkPendulum-v0", entry_point=environment)
        check_env(gymnasium.make("LinkworkPendulum-v0", render_mode="rgb_array").unwrapped)


def test_episodes() -> None:
    env = environment()
    first, _ = env.reset(seed=3)
    steps = [env.step(np.array([0.5]))[0] for _ in range(10)]
    again, _ = env.reset(seed=3)
    np.testing.assert_array_equal(again, first)
    np.testing.assert_array_equal([env.step(np.array([0.5]))[0] for _ in range(10)], steps)
    truncated = False
    for _ in range(30):
        assert not truncated
        _, _, terminated, truncated, _ = env.step(np.array([0.0]))
        assert not terminated
    assert truncated
    picture = env.render()
    assert picture.shape == (320, 320, 3) and (picture != 255).any()
    env = environment(terminated=lambda y: y[0] > 0.1, start=lambda random: (np.array([0.3]), np.zeros(1)))
    env.reset(seed=0)
    assert env.step(np.array([0.0]))[2]


def test_vectors_are_their_environments() -> None:
    """Each copy in a vector does what it does alone, bit by bit, and begins again after its end."""
    many = lw.gym.VectorEnvironment(environment, 5)
    alone = [environment() for _ in range(5)]
    first, _ = many.reset(seed=7)
    np.testing.assert_array_equal(first, [env.reset(seed=7 + i)[0] for i, env in enumerate(alone)])
    random = np.random.default_rng(0)
    for k in range(40):
        actions = random.uniform(-2, 2, size=(5, 1))
        observations, rewards, terminated, truncated, _ = many.step(actions)
        told = [env.step(action) for env, action in zip(alone, actions, strict=True)]
        np.testing.assert_array_equal(observations, [each[0] for each in told])
        np.testing.assert_array_equal(rewards, [each[1] for each in told])
        assert not terminated.any() and truncated.all() == (k == 39)
    observations, rewards, *_ = many.step(actions)
    assert many.action_space.shape == (5, 1) and (rewards == 0).all()
    # the pendulum stands where an episode begins: within 1 rad of hanging
    assert (observations[:, 1] < -0.5).all()
    with pytest.raises(lw.InputError):
        many.step(np.full((5, 1), np.nan))


def test_what_makes_no_environment() -> None:
    for wrong in ({"dt": 0.0}, {"dt": 9.0}, {"action": ["joint.X"]}, {"observation": ["x"]}, {"render_mode": "human"}):
        with pytest.raises(lw.InputError):
            environment(**wrong)
