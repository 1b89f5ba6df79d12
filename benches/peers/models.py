"""The trees that all participants build, as JSON.

A model file holds

  name, gravity            world axes, m/s^2
  links[]                  parents before their children
    parent                 number of the parent link, -1 for the ground
    joint                  revolute, prismatic, spherical, floating, fixed
    axis                   of a revolute or prismatic joint, unit vector, in joint axes
    rotation, translation  placement of the joint in the parent's axes (rotation row by row, from joint to parent)
    mass, com, inertia     com and inertia (xx yy zz xy xz yz, about com) in link axes
  states[]                 q, v, tau

Link axes are joint axes moved by the joint. By joint, q and v are

  revolute, prismatic      angle or way, and its rate
  spherical                quaternion w x y z from link to joint axes; angular velocity in link axes
  floating                 place of the link's origin in joint axes, quaternion; velocity of the origin, then angular velocity, both in link axes

and tau is the force that does power on v. An answer is the derivative of v, number by number.
The first state is the one that is timed alone; batches run through all of them.
"""

import json
import math
import random

GRAVITY = [0.0, 0.0, -9.81]
STATES = 64
POSITIONS = {"revolute": 1, "prismatic": 1, "spherical": 4, "floating": 7, "fixed": 0}
RATES = {"revolute": 1, "prismatic": 1, "spherical": 3, "floating": 6, "fixed": 0}
IDENTITY = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]
AXES = {"x": [1.0, 0.0, 0.0], "y": [0.0, 1.0, 0.0], "z": [0.0, 0.0, 1.0]}


def unit(rng, size):
    """A random direction of `size` numbers."""
    while True:
        x = [rng.gauss(0.0, 1.0) for _ in range(size)]
        length = math.sqrt(sum(a * a for a in x))
        if length > 1e-3:
            return [a / length for a in x]


def rotation(quaternion):
    w, x, y, z = quaternion
    return [
        1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
        2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
        2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y),
    ]  # fmt: skip


def box_inertia(mass, sides, turn=IDENTITY):
    """Inertia of a box, turned: xx yy zz xy xz yz."""
    a, b, c = (s * s for s in sides)
    diagonal = [mass * (b + c) / 12, mass * (a + c) / 12, mass * (a + b) / 12]
    full = [[sum(turn[3 * i + k] * diagonal[k] * turn[3 * j + k] for k in range(3)) for j in range(3)] for i in range(3)]
    return [full[0][0], full[1][1], full[2][2], full[0][1], full[0][2], full[1][2]]


def random_link(rng, parent, joint, axis=None, turned=True):
    """A box of 0.5 to 2 kg, its centre 5 to 15 cm from the joint, 20 to 30 cm from the parent's joint."""
    mass = rng.uniform(0.5, 2.0)
    sides = [rng.uniform(0.05, 0.3) for _ in range(3)]
    reach, arm = rng.uniform(0.2, 0.3), rng.uniform(0.05, 0.15)
    return {
        "parent": parent,
        "joint": joint,
        "axis": axis or unit(rng, 3),
        "rotation": rotation(unit(rng, 4)) if turned else IDENTITY,
        "translation": [reach * x for x in unit(rng, 3)] if parent >= 0 else [0.0, 0.0, 0.0],
        "mass": mass,
        "com": [arm * x for x in unit(rng, 3)],
        "inertia": box_inertia(mass, sides, rotation(unit(rng, 4))),
    }


def random_states(rng, links, count=STATES):
    states = []
    for _ in range(count):
        q, v, tau = [], [], []
        for link in links:
            joint = link["joint"]
            if joint in ("revolute", "prismatic"):
                q.append(rng.uniform(-math.pi, math.pi) if joint == "revolute" else rng.uniform(-0.1, 0.1))
            elif joint == "spherical":
                q += unit(rng, 4)
            elif joint == "floating":
                q += [rng.uniform(-1.0, 1.0) for _ in range(3)] + unit(rng, 4)
            v += [rng.uniform(-1.0, 1.0) for _ in range(RATES[joint])]
            tau += [rng.uniform(-1.0, 1.0) for _ in range(RATES[joint])]
        states.append({"q": q, "v": v, "tau": tau})
    return states


def model(name, group, links, seed):
    return {"name": name, "group": group, "gravity": GRAVITY, "links": links, "states": random_states(random.Random(seed), links)}


def chain(n):
    """Revolute joints about directions at random."""
    rng = random.Random(1000 + n)
    return model(f"chain-{n}", "revolute chain, any axes", [random_link(rng, i - 1, "revolute") for i in range(n)], n)


def aligned_chain(n):
    """Revolute joints about x, y, z, x, ..., in parallel axes."""
    rng = random.Random(2000 + n)
    links = [random_link(rng, i - 1, "revolute", AXES["xyz"[i % 3]], turned=False) for i in range(n)]
    return model(f"xyz-{n}", "revolute chain, axes x y z", links, n)


def binary_tree(n):
    rng = random.Random(3000 + n)
    return model(f"tree-{n}", "binary tree, revolute", [random_link(rng, (i - 1) // 2 if i else -1, "revolute") for i in range(n)], n)


def floating_chain(n):
    """A free body and n - 1 spherical joints."""
    rng = random.Random(4000 + n)
    links = [random_link(rng, i - 1, "spherical" if i else "floating", turned=i > 0) for i in range(n)]
    return model(f"floating-{n}", "floating base, spherical chain", links, n)


def mixed_tree(n):
    """Every kind of joint: what the peers agree on is the exchange format itself."""
    rng = random.Random(5000 + n)
    kinds = ["spherical", "prismatic", "revolute", "fixed"]
    links = [random_link(rng, -1, "floating", turned=False)]
    links += [random_link(rng, rng.randrange(max(0, i - 3), i), kinds[i % 4]) for i in range(1, n)]
    return model(f"mixed-{n}", "every kind of joint", links, n)


def placed(parent, joint, axis, at, mass, com, sides):
    return {
        "parent": parent, "joint": joint, "axis": AXES[axis], "rotation": IDENTITY, "translation": at,
        "mass": mass, "com": com, "inertia": box_inertia(mass, sides),
    }  # fmt: skip


def arm():
    """An arm of seven axes and 21 kg with a tool fixed to it."""
    rows = [
        ("z", [0, 0, 0.16], 3.8, [0, -0.03, 0.12], [0.13, 0.15, 0.25]),
        ("y", [0, 0, 0.18], 3.9, [0, 0.04, 0.06], [0.13, 0.14, 0.25]),
        ("z", [0, 0, 0.21], 3.1, [0, 0.03, 0.13], [0.12, 0.13, 0.25]),
        ("y", [0, 0, 0.19], 2.7, [0, 0.04, 0.03], [0.12, 0.13, 0.22]),
        ("z", [0, 0, 0.21], 2.5, [0, 0.02, 0.08], [0.11, 0.12, 0.20]),
        ("y", [0, 0, 0.19], 2.4, [0, -0.01, 0.01], [0.10, 0.11, 0.15]),
        ("z", [0, 0, 0.08], 0.7, [0, 0, 0.02], [0.08, 0.08, 0.05]),
    ]
    links = [placed(i - 1, "revolute", *row) for i, row in enumerate(rows)]
    links.append(placed(6, "fixed", "z", [0, 0, 0.05], 1.9, [0, 0.01, 0.07], [0.05, 0.20, 0.12]))
    return model("arm-7", "robots", links, 7)


def humanoid():
    """A free pelvis, 3 axes of the waist, 2 of the neck, 7 of each arm and 6 of each leg: 31 revolute joints, 67 kg."""
    links = [placed(-1, "floating", "z", [0, 0, 0], 9.0, [0, 0, 0.03], [0.18, 0.25, 0.15])]

    def limb(parent, rows):
        for row in rows:
            links.append(placed(parent, "revolute", *row))
            parent = len(links) - 1
        return parent

    chest = limb(0, [
        ("z", [0, 0, 0.1], 1.5, [0, 0, 0.03], [0.1, 0.1, 0.06]),
        ("x", [0, 0, 0.06], 1.5, [0, 0, 0.03], [0.1, 0.1, 0.06]),
        ("y", [0, 0, 0.06], 16.0, [0, 0, 0.18], [0.2, 0.32, 0.4]),
    ])  # fmt: skip
    limb(chest, [
        ("z", [0, 0, 0.42], 0.8, [0, 0, 0.03], [0.08, 0.08, 0.08]),
        ("y", [0, 0, 0.06], 3.5, [0.02, 0, 0.1], [0.18, 0.15, 0.22]),
    ])  # fmt: skip
    for side in (1, -1):
        limb(chest, [
            ("y", [0, 0.19 * side, 0.36], 0.8, [0, 0.03 * side, 0], [0.08, 0.08, 0.08]),
            ("x", [0, 0.05 * side, 0], 0.8, [0, 0, -0.03], [0.08, 0.08, 0.08]),
            ("z", [0, 0, -0.08], 1.6, [0, 0, -0.08], [0.08, 0.08, 0.22]),
            ("y", [0, 0, -0.2], 0.5, [0, 0, -0.03], [0.07, 0.07, 0.07]),
            ("z", [0, 0, -0.06], 1.0, [0, 0, -0.07], [0.06, 0.06, 0.18]),
            ("y", [0, 0, -0.18], 0.2, [0, 0, -0.01], [0.05, 0.05, 0.05]),
            ("x", [0, 0, -0.02], 0.5, [0, 0, -0.07], [0.04, 0.09, 0.15]),
        ])  # fmt: skip
        limb(0, [
            ("z", [0, 0.1 * side, -0.06], 1.0, [0, 0, -0.03], [0.09, 0.09, 0.08]),
            ("x", [0, 0, -0.05], 1.0, [0, 0, -0.02], [0.09, 0.09, 0.08]),
            ("y", [0, 0, 0], 6.5, [0, 0, -0.18], [0.15, 0.14, 0.4]),
            ("y", [0, 0, -0.4], 3.0, [0, 0, -0.17], [0.1, 0.1, 0.38]),
            ("y", [0, 0, -0.39], 0.4, [0, 0, -0.01], [0.06, 0.06, 0.05]),
            ("x", [0, 0, -0.02], 1.0, [0.04, 0, -0.04], [0.25, 0.1, 0.06]),
        ])  # fmt: skip
    return model("humanoid", "robots", links, 31)


def all_trees():
    """Every tree: makers by name, so that only what is asked for is built."""
    makers = {}
    for n in (2, 7, 10, 30, 100, 300, 1000):
        makers[f"chain-{n}"] = lambda n=n: chain(n)
    for n in (2, 7, 10, 30, 100, 300, 1000):
        makers[f"xyz-{n}"] = lambda n=n: aligned_chain(n)
    for n in (30, 127):
        makers[f"tree-{n}"] = lambda n=n: binary_tree(n)
    for n in (7, 30, 60, 100):
        makers[f"floating-{n}"] = lambda n=n: floating_chain(n)
    makers["mixed-24"] = lambda: mixed_tree(24)
    makers["arm-7"] = arm
    makers["humanoid"] = humanoid
    return makers


def write(tree, folder):
    file = folder / f"{tree['name']}.json"
    file.write_text(json.dumps(tree))
    return file
