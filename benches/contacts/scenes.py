"""The scenes of the comparison. Everything random has a fixed seed."""

import math

import numpy as np

from scene import G, Scene, matrix, quaternion, times

X, Y, Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)
FLAT = [1.0, 0.0, 0.0, 0.0]


def box(*size):
    return {"type": "box", "size": list(size)}


def sphere(radius):
    return {"type": "sphere", "radius": radius}


def cylinder(radius, length):
    return {"type": "cylinder", "radius": radius, "length": length}


def capsule(radius, length):
    return {"type": "capsule", "radius": radius, "length": length}


def stack(name, masses, edge=0.1, gap=0.0, friction=0.5, duration=2.0, dimension=3, expect="rest", note=""):
    s = Scene(name, "stacks", edge, duration, friction, dimension=dimension, expect=expect, note=note)
    s.floor()
    for i, m in enumerate(masses):
        height = edge / 2 + gap + i * (edge + gap)
        s.add(box(edge, edge, edge), m, [0, 0, height] if dimension == 3 else [0, height, 0])
    return s


def stacks():
    yield stack("stack-10", [1.0] * 10, duration=5.0, note="Ten cubes on each other.")
    yield stack("stack-20", [1.0] * 20, note="Twenty cubes on each other.")
    yield stack("stack-10-dropped", [1.0] * 10, gap=0.005, expect="", note="Ten cubes dropped onto each other from 5 mm.")
    yield stack("stack-10-plane-dropped", [1.0] * 10, gap=0.005, dimension=2, expect="", note="The same in the plane.")
    yield stack("stack-heavy-on-light", [0.01, 10.0], note="A cube on one that is a thousand times lighter.")
    yield stack("stack-mass-ratios", [1.0, 0.001, 1.0, 0.001, 1.0], note="Masses 1000:1 up and down.")
    yield stack("stack-growing", [10.0 ** (i - 1) for i in range(4)], note="Each cube ten times as heavy as the one below.")
    s = Scene("cards", "stacks", 0.1, 2.0, 0.6, expect="rest", note="Slabs, each 5 mm off the one below.")
    s.floor()
    for i in range(8):
        s.add(box(0.2, 0.1, 0.02), 0.5, [0.005 * i, 0, 0.01 + 0.02 * i])
    yield s


def pyramid(name, rows, edge=0.1, dimension=3, gap=0.01):
    s = Scene(name, "stacks", edge, 2.0, 0.5, dimension=dimension, expect="rest")
    s.floor()
    for row in range(rows):
        for i in range(rows - row):
            x, h = (i - (rows - row - 1) / 2) * (edge + gap), edge / 2 + row * edge
            s.add(box(edge, edge, edge), 1.0, [x, 0, h] if dimension == 3 else [x, h, 0])
    return s


def pyramids():
    yield pyramid("pyramid-5", 5)
    yield pyramid("pyramid-10", 10)
    yield pyramid("pyramid-10-plane", 10, dimension=2)
    s = Scene("pyramid-square-4", "stacks", 0.1, 2.0, 0.5, expect="rest", note="30 cubes on a square base.")
    s.floor()
    for row in range(4):
        n = 4 - row
        for i in range(n):
            for j in range(n):
                s.add(box(0.1, 0.1, 0.1), 1.0, [(i - (n - 1) / 2) * 0.105, (j - (n - 1) / 2) * 0.105, 0.05 + 0.1 * row])
    yield s


def wall(name, columns, rows, ball=None, duration=2.0):
    brick = (0.2, 0.1, 0.075)
    s = Scene(name, "walls", 0.1, duration, 0.6, expect="" if ball else "rest", note=f"{columns * rows} bricks" + (", hit by a ball." if ball else "."))
    s.floor()
    for row in range(rows):
        for i in range(columns):
            # less than half a brick: shifted by half, the last brick of the top row balances on an edge, and tips with exp(8.4 t)
            shift = 0.08 if row % 2 else 0.0
            s.add(box(*brick), 3.0, [i * 0.201 + shift - columns * 0.1, 0, 0.0375 + 0.075 * row])
    if ball:
        s.add(sphere(0.12), 20.0, [0.02, -0.6, 0.3], velocity=[0, ball, 0])
    return s


def walls():
    yield wall("wall-20", 5, 4)
    yield wall("wall-50", 5, 10)
    yield wall("wall-50-hit", 5, 10, ball=6.0)
    yield wall("wall-20-hit-slowly", 5, 4, ball=1.5)


def dominoes(n, dimension):
    """Pushed at the first by its own velocities: it turns about its front lower edge."""
    w, h, d, pitch = 0.007, 0.048, 0.024, 0.025
    s = Scene(f"dominoes-{n}-{'plane' if dimension == 2 else 'space'}", "dominoes", w, 0.6 + 0.035 * n, 0.4, dimension=dimension, step=1e-3, output_step=0.025)
    s.duration = round(s.duration / 0.05) * 0.05
    s.floor()
    for i in range(n):
        s.add(box(w, d, h) if dimension == 3 else box(w, h, d), 0.01, [i * pitch, 0, h / 2] if dimension == 3 else [i * pitch, h / 2, 0])
    first, rate = s.bodies[0], 4.0
    if dimension == 3:
        first.omega, first.velocity = [0, rate, 0], [rate * h / 2, 0, rate * w / 2]
    else:
        first.omega, first.velocity = [0, 0, -rate], [rate * h / 2, rate * w / 2, 0]
    return s


def all_dominoes():
    for n in (5, 10, 20, 50, 100):
        yield dominoes(n, 2)
        yield dominoes(n, 3)


def bin_of(s, half, friction=None):
    s.floor(friction)
    for normal, at in (((1, 0, 0), (-half, 0, 0)), ((-1, 0, 0), (half, 0, 0)), ((0, 1, 0), (0, -half, 0)), ((0, -1, 0), (0, half, 0))):
        s.plane(list(normal), list(at), friction)


def heap(n, friction, shape="sphere", duration=None, restitution=0.0):
    """Bodies on a loose lattice above a bin whose floor about a fifth of them covers, with jitter."""
    r = 0.05
    across = max(2, round((n / 1.5) ** (1 / 3)))
    pitch = 2.4 * r if shape == "sphere" else 4.0 * r
    label = {0.0: "smooth"}.get(friction, "rough")
    duration = duration or min(2.0 + n / 200, 3.0)
    s = Scene(f"heap-{n}-{shape}s-{label}".replace("mixeds", "mixed").replace("boxs", "boxes"), "heaps", 2 * r, duration, friction, restitution)
    bin_of(s, (across * pitch + 0.02) / 2)
    random = np.random.default_rng(n)
    for i in range(n):
        layer, rest = divmod(i, across * across)
        j, k = divmod(rest, across)
        middle = (across - 1) / 2
        place = np.array([(j - middle) * pitch, (k - middle) * pitch, 0.6 * pitch + layer * pitch]) + random.uniform(-0.05, 0.05, 3) * r
        turn = times(quaternion(Z, random.uniform(0, 6.28)), quaternion(X, random.uniform(0, 3.14)))
        kind = shape if shape != "mixed" else ("sphere", "box", "capsule", "cylinder")[i % 4]
        form = {
            "sphere": lambda: sphere(r),
            "box": lambda: box(2 * r, 1.6 * r, 1.2 * r),
            "capsule": lambda: capsule(0.7 * r, 1.4 * r),
            "cylinder": lambda: cylinder(0.8 * r, 1.6 * r),
        }[kind]()
        volume = {"sphere": 4 / 3 * math.pi * r**3, "box": 2 * 1.6 * 1.2 * r**3, "capsule": 3.6 * r**3, "cylinder": 3.2 * r**3}[kind]
        s.add(form, float(2500 * volume), place, rotation=FLAT if kind == "sphere" else [float(c) for c in turn])
    return s


def heaps():
    for n in (10, 20, 50, 100, 200, 500):
        yield heap(n, 0.0)
        yield heap(n, 0.5)
    yield heap(50, 0.5, "box")
    yield heap(50, 0.5, "capsule")
    yield heap(60, 0.5, "mixed")
    s = heap(1000, 0.3, duration=2.0)
    s.name, s.note = "heap-1000-spheres", "A thousand spheres."
    yield s


def landing(shape, name, tilt, friction=0.4):
    s = Scene(f"{name}-lands-{tilt}", "landing", 0.1, 2.0, friction, note=f"Tilted by {tilt} degrees, dropped from 20 cm.")
    s.floor()
    s.add(shape, 2.0, [0, 0, 0.4], rotation=quaternion(Y, math.radians(tilt)))
    return s


def landings():
    for tilt in (0, 10, 30, 45, 60, 85, 90):
        yield landing(cylinder(0.1, 0.3), "cylinder", tilt)
    for tilt in (0, 30, 60, 90):
        yield landing(capsule(0.1, 0.3), "capsule", tilt)
    s = landing(box(0.2, 0.3, 0.1), "box", 35)
    s.bodies[0].rotation = times(quaternion(Z, 0.4), times(quaternion(X, 0.7), quaternion(Y, 0.5)))
    yield s


def sliding():
    s = Scene("boxes-slide-off-with-yaw", "sliding", 0.1, 1.5, 0.2, note="The upper box slides off the lower one and turns.")
    s.floor()
    s.add(box(0.3, 0.3, 0.1), 5.0, [0, 0, 0.05])
    s.add(box(0.2, 0.12, 0.1), 1.0, [0, 0, 0.15], rotation=quaternion(Z, 0.3), velocity=[1.4, 0.1, 0], omega=[0, 0, 2.0])
    yield s
    s = Scene("box-slides-with-yaw", "sliding", 0.1, 1.5, 0.3, note="v = 2 m/s and 6 rad/s on a floor.")
    s.floor()
    s.add(box(0.2, 0.2, 0.1), 1.0, [0, 0, 0.05], velocity=[2, 0, 0], omega=[0, 0, 6.0])
    yield s
    for label, factor in (("holds", 0.9999), ("slides", 1.0001)):
        angle = math.radians(20)
        turn = quaternion(Y, angle)
        s = Scene(f"box-on-slope-{label}", "sliding", 0.1, 2.0, math.tan(angle) / factor, note=f"At {factor} of the slope that friction holds.")
        s.expect = "rest" if factor < 1 else ""
        normal = matrix(turn) @ np.array(Z)
        s.plane([float(x) for x in normal], [0, 0, 0])
        s.add(box(0.2, 0.2, 0.1), 1.0, 0.05 * normal, rotation=turn)
        yield s
    s = Scene("sphere-begins-to-roll", "sliding", 0.1, 1.5, 0.2, note="v = 2 m/s: rolls at 5/7 v from t = 2 v/(7 mu g).")
    s.floor()
    s.add(sphere(0.05), 1.0, [0, 0, 0.05], velocity=[2, 0, 0])
    yield s
    s = Scene("turntable", "sliding", 0.1, 3.0, 0.3, note="A cube rides at 0.9 of the speed at which it would slip.")
    radius = 0.5
    rate = 0.9 * math.sqrt(s.friction * G / radius)
    s.add(box(2.0, 2.0, 0.1), 5.0, [0, 0, -0.05], omega=[0, 0, rate], kind="driven")
    s.add(box(0.1, 0.1, 0.1), 1.0, [radius, 0, 0.05], velocity=[0, rate * radius, 0], omega=[0, 0, rate])
    yield s
    s = Scene("turntable-slips", "sliding", 0.1, 2.0, 0.3, note="The same at 1.2 of it.")
    rate = 1.2 * math.sqrt(s.friction * G / radius)
    s.add(box(2.0, 2.0, 0.1), 5.0, [0, 0, -0.05], omega=[0, 0, rate], kind="driven")
    s.add(box(0.1, 0.1, 0.1), 1.0, [radius, 0, 0.05], velocity=[0, rate * radius, 0], omega=[0, 0, rate])
    yield s
    s = Scene("conveyor", "sliding", 0.1, 2.0, 0.4, note="Boxes and a sphere dropped onto a belt of 1 m/s.")
    s.add(box(6, 0.5, 0.1), 5.0, [-1, 0, -0.05], velocity=[1, 0, 0], kind="driven")
    s.add(box(0.1, 0.1, 0.1), 1.0, [0, 0, 0.06])
    s.add(box(0.1, 0.12, 0.08), 1.0, [0.3, 0.05, 0.05], rotation=quaternion(Z, 0.5))
    s.add(sphere(0.05), 1.0, [0.6, 0, 0.06])
    yield s


def single():
    s = Scene("spinning-coin", "single", 0.02, 3.0, 0.3, step=5e-4, note="On its edge, 20 rad/s about the vertical, 5 degrees off it.")
    s.floor()
    tilt = math.radians(85)
    turn = quaternion(X, tilt)
    s.add(cylinder(0.012, 0.002), 0.006, [0, 0, 0.012 * math.sin(tilt) + 0.001 * math.cos(tilt) + 1e-9], rotation=turn, omega=[0, 0, 20.0])
    yield s
    s = Scene("falling-rod", "single", 0.05, 1.5, 0.3, note="A slender box that stands nearly upright, falls and slides.")
    s.floor()
    tilt = math.radians(5)
    s.add(box(0.02, 0.02, 0.5), 0.5, [0, 0, 0.25 * math.cos(tilt) + 0.01 * math.sin(tilt)], rotation=quaternion(Y, tilt))
    yield s
    s = Scene("bouncing-spheres", "single", 0.1, 2.0, 0.2, restitution=0.7, note="Five spheres, e = 0.7.")
    s.floor()
    for i in range(5):
        s.add(sphere(0.05), 1.0, [0.3 * i, 0, 0.3 + 0.1 * i], velocity=[0.5, 0, 0])
    yield s
    s = Scene("bouncing-boxes", "single", 0.1, 2.0, 0.3, restitution=0.5, note="Three tumbling boxes, e = 0.5.")
    s.floor()
    for i in range(3):
        s.add(box(0.2, 0.15, 0.1), 1.0, [0.5 * i, 0, 0.5], rotation=quaternion((1, 2, i), 0.7 + i), omega=[3, 1, 2])
    yield s
    s = Scene("billiards", "single", 0.057, 1.5, 0.1, restitution=0.9, note="A break: 15 balls in a triangle.")
    s.floor()
    r = 0.0286
    for row in range(5):
        for i in range(row + 1):
            s.add(sphere(r), 0.17, [row * (2 * r * 0.8661), (i - row / 2) * (2 * r * 1.0005), r])
    s.add(sphere(r), 0.17, [-0.5, 0.001, r], velocity=[5, 0, 0])
    yield s


def arch(blocks=9, friction=0.7):
    """Half a ring of wedges on its two springings; the front is in the x, z plane."""
    s = Scene(f"arch-{blocks}", "hulls", 0.1, 2.0, friction, expect="rest", note="Half a ring of wedge blocks.")
    s.floor()
    inner, outer, depth = 0.4, 0.55, 0.2
    from scene import hull_properties

    for i in range(blocks):
        a, b = (math.pi * (i + k) / blocks for k in (0, 1))
        # two flat sides and chords in place of arcs
        ring = [(rr * math.cos(t), rr * math.sin(t)) for rr, t in ((inner, a), (outer, a), (outer, b), (inner, b))]
        corners = [(x, y, z) for x, z in ring for y in (-depth / 2, depth / 2)]
        volume, centre, _ = hull_properties(corners)
        vertices = [[float(c) for c in np.array(v) - centre] for v in corners]
        s.add({"type": "hull", "vertices": vertices}, float(2000 * volume), centre)
    return s


def hulls():
    yield arch(9)
    yield arch(21, 0.6)
    s = Scene("tetrahedra", "hulls", 0.1, 2.0, 0.5, note="Twelve tetrahedra dropped in a heap.")
    bin_of(s, 0.3)
    random = np.random.default_rng(1)
    corners = np.array([(1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1)]) * 0.05
    for i in range(12):
        j, k = divmod(i % 4, 2)
        turn = times(quaternion(Z, random.uniform(0, 6)), quaternion(X, random.uniform(0, 3)))
        s.add({"type": "hull", "vertices": corners.tolist()}, 0.8, [(j - 0.5) * 0.2, (k - 0.5) * 0.2, 0.12 + 0.2 * (i // 4)], rotation=[float(c) for c in turn])
    yield s


def every():
    """All scenes by name."""
    found = {}
    for group in (stacks, pyramids, walls, all_dominoes, heaps, landings, sliding, single, hulls):
        for s in group():
            assert s.name not in found, s.name
            found[s.name] = s
    return found
