"""Writes pinocchio.json: random trees of links, states, and what Pinocchio says about their dynamics.

Run by hand, `python make_pinocchio.py`, with Pinocchio (`pip install pin`) and numpy; made with Pinocchio 4.1.0. The test
`recursive_pinocchio.rs` reads the result and needs neither.

Links are told as `linkwork::recursive::Link` has them. Pinocchio's ball joints and floating links have their rates v and forces in
the axes of the link, with quaternions (x, y, z, w); ours have them in world axes, with (w, x, y, z). With R the link's frame in the
world, w its angular velocity, and T the matrix with R for every three such rates and 1 for every axis,

    u = T v,   du/dt = T dv/dt + w x u  (of such joints),   tau = T tau_p,   M = T M_p T^t

and derivatives by positions follow with the chain rule: a displacement along rate e turns all links that it moves by w_e, so that

    dR = [w_e] R,   dv = -R^t (w_e x u),   d(dv/dt) = -R^t (w_e x (du/dt - w x u)) - R^t (dw x u)
    dw = sum of w_e x w_b u_b over the axes b between e and the link
"""

import json
import pathlib

import numpy as np
import pinocchio as pin

rng = np.random.default_rng(20240607)
GRAVITY = np.array([0.4, -1.1, -9.7])


def rotation():
    q = rng.normal(size=4)
    return pin.Quaternion(q / np.linalg.norm(q)).toRotationMatrix()


def random_link(parent, joint):
    axis = rng.normal(size=3)
    a, b, c = rng.uniform(0.02, 0.06, size=3)
    tilt = rotation()
    return {
        "parent": parent,
        "joint": joint,
        "axis": list(axis / np.linalg.norm(axis)),
        "rotation": rotation().tolist(),
        "translation": rng.uniform(-0.3, 0.3, size=3).tolist(),
        "mass": rng.uniform(0.5, 1.5),
        "com": rng.uniform(-0.2, 0.2, size=3).tolist(),
        "inertia": (tilt @ np.diag([b + c, a + c, a + b]) @ tilt.T).tolist(),
    }


def build(links):
    model = pin.Model()
    model.gravity.linear = GRAVITY
    ids = []
    for i, link in enumerate(links):
        joint = {
            "revolute": lambda: pin.JointModelRevoluteUnaligned(np.array(link["axis"])),
            "prismatic": lambda: pin.JointModelPrismaticUnaligned(np.array(link["axis"])),
            "ball": pin.JointModelSpherical,
            "free": pin.JointModelFreeFlyer,
        }[link["joint"]]()
        parent = 0 if link["parent"] is None else ids[link["parent"]]
        place = pin.SE3(np.array(link["rotation"]), np.array(link["translation"]))
        ids.append(model.addJoint(parent, joint, place, f"joint{i}"))
        inertia = pin.Inertia(link["mass"], np.array(link["com"]), np.array(link["inertia"]))
        model.appendBodyToJoint(ids[-1], inertia, pin.SE3.Identity())
    return model, ids


def moved_by(links, i):
    """The links from i to the ground."""
    while i is not None:
        yield i
        i = links[i]["parent"]


def case(name, links):
    model, ids = build(links)
    data = model.createData()
    n = model.nv
    q = np.zeros(model.nq)
    ours = []
    for link, at in zip(links, ids):
        first = model.joints[at].idx_q
        if link["joint"] in ("revolute", "prismatic"):
            q[first] = rng.uniform(-3, 3) if link["joint"] == "revolute" else rng.uniform(-0.3, 0.3)
            ours.append(q[first])
            continue
        if link["joint"] == "free":
            q[first : first + 3] = rng.uniform(-1, 1, size=3)
            # ours is told in world axes from where the frame stands at q = 0, Pinocchio's in the frame that stands there
            ours.extend(np.array(link["rotation"]) @ q[first : first + 3])
            first += 3
        x = rng.normal(size=4)
        q[first : first + 4] = x / np.linalg.norm(x)
        ours.extend([q[first + 3], *q[first : first + 3]])
    v, a = rng.uniform(-1, 1, size=n), rng.uniform(-1, 1, size=n)

    pin.forwardKinematics(model, data, q, v, a)
    frames = [data.oMi[at].rotation.copy() for at in ids]
    spins = [frames[i] @ data.v[at].angular for i, at in enumerate(ids)]
    first = [model.joints[at].idx_v for at in ids]
    T = np.eye(n)
    # w_e of each rate, and its link
    turns, of_link = np.zeros((n, 3)), np.zeros(n, dtype=int)
    for i, link in enumerate(links):
        f, R = first[i], frames[i]
        if link["joint"] in ("revolute", "prismatic"):
            of_link[f] = i
            if link["joint"] == "revolute":
                turns[f] = R @ np.array(link["axis"])
            continue
        count = 3 if link["joint"] == "ball" else 6
        of_link[f : f + count] = i
        for b in range(f, f + count, 3):
            T[b : b + 3, b : b + 3] = R
        turns[f + count - 3 : f + count] = np.eye(3)
    u = T @ v
    du = T @ a
    threes = []
    for i, link in enumerate(links):
        if link["joint"] in ("ball", "free"):
            count = 3 if link["joint"] == "ball" else 6
            for b in range(first[i], first[i] + count, 3):
                threes.append((i, b))
                du[b : b + 3] += np.cross(spins[i], u[b : b + 3])

    tau_p = pin.rnea(model, data, q, v, a).copy()
    M_p = pin.crba(model, data, q).copy()
    M_p = np.triu(M_p) + np.triu(M_p, 1).T
    dq_p, dv_p, _ = (x.copy() for x in pin.computeRNEADerivatives(model, data, q, v, a))
    tau, M = T @ tau_p, T @ M_p @ T.T
    by_position, by_rate = T @ dq_p @ T.T, T @ dv_p @ T.T
    if threes:
        dv = np.zeros((n, n))
        da = np.zeros((n, n))
        da_du = np.zeros((n, n))
        for e in range(n):
            w_e = turns[e]
            for i, b in threes:
                path = list(moved_by(links, i))
                if of_link[e] not in path:
                    continue
                Rt = frames[i].T
                rate, acceleration = u[b : b + 3], du[b : b + 3]
                dw = np.zeros(3)
                for k in path:
                    if k >= of_link[e] and links[k]["joint"] == "revolute":
                        dw += np.cross(w_e, turns[first[k]]) * u[first[k]]
                dv[b : b + 3, e] = -Rt @ np.cross(w_e, rate)
                da[b : b + 3, e] = -Rt @ (
                    np.cross(w_e, acceleration - np.cross(spins[i], rate)) + np.cross(dw, rate)
                )
                by_position[b : b + 3, e] += np.cross(w_e, tau[b : b + 3])
                # dv/dt = R^t (du/dt - w x u), in which w and u change with the rate e
                unit = np.zeros(3)
                if b <= e < b + 3:
                    unit[e - b] = 1.0
                da_du[b : b + 3, e] = -Rt @ (np.cross(w_e, rate) + np.cross(spins[i], unit))
        by_position += T @ (dv_p @ dv + M_p @ da)
        by_rate += T @ M_p @ da_du
        inverse = np.linalg.inv(M)
        forward = (-inverse @ by_position, -inverse @ by_rate, inverse)
    else:
        forward = [x.copy() for x in pin.computeABADerivatives(model, data, q, v, tau_p)]
        upper = np.triu(forward[2])
        forward[2] = upper + np.triu(upper, 1).T
    lower = lambda m: [m[i, j] for i in range(n) for j in range(i + 1)]
    flat = lambda m: m.flatten().tolist()
    return {
        "name": name,
        "links": links,
        "q": ours,
        "u": u.tolist(),
        "accelerations": du.tolist(),
        "tau": tau.tolist(),
        "mass_lower": lower(M),
        "tau_by_position": flat(by_position),
        "tau_by_rate": flat(by_rate),
        "acceleration_by_position": flat(forward[0]),
        "acceleration_by_rate": flat(forward[1]),
        "inverse_lower": lower(forward[2]),
    }


def chain(n, joints):
    return [random_link(i - 1 if i else None, joints(i)) for i in range(n)]


def tree(n, joints):
    """A link hangs on the one before it or a few links further inward: Pinocchio wants branches in a row."""
    links = []
    for i in range(n):
        parent = i - 1 if i else None
        for _ in range(int(rng.integers(0, 3))):
            parent = links[parent]["parent"] if parent else parent
        links.append(random_link(parent, joints(i)))
    return links


cases = [
    case("revolute chain 7", chain(7, lambda i: "revolute")),
    case("revolute chain 30", chain(30, lambda i: "revolute")),
    case("tree of axes 14", tree(14, lambda i: "prismatic" if i % 5 == 3 else "revolute")),
    case("floating and spherical 7", chain(7, lambda i: "ball" if i else "free")),
    case(
        "floating tree of all kinds 10",
        tree(10, lambda i: "free" if not i else ["revolute", "ball", "prismatic"][i % 3]),
    ),
]
file = pathlib.Path(__file__).with_name("pinocchio.json")
text = json.dumps({"made_with": f"Pinocchio {pin.__version__}", "gravity": GRAVITY.tolist(), "cases": cases})
file.write_text(text.replace("}, {", "},\n{") + "\n")
print(file, file.stat().st_size)
