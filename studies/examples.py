#!/usr/bin/env python3
"""Writes the examples that consist of many alike bodies: `python3 studies/examples.py [NAME]...`. Edit this, not the files."""

import math
import random
import sys
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"


def names(prefix, count):
    return "[" + ", ".join(f'"{prefix}{i}"' for i in range(1, count + 1)) + "]"


def number(x):
    return f"{x:.9g}" if abs(x) > 1e-12 else "0"


def vector(*x):
    return "[" + ", ".join(number(c) for c in x) + "]"


def wrapped(head, items, tail="]", width=190):
    """A list over several lines."""
    lines, line = [head], "    "
    for item in items:
        if len(line) + len(item) > width:
            lines.append(line.rstrip())
            line = "    "
        line += item + ", "
    return "\n".join([*lines, line.rstrip().rstrip(",") + ",", tail])


def roller_conveyor():
    r, pitch, gap, count, after = 0.03, 0.065, 0.105, 12, 7
    places = [i * pitch + (gap - pitch if i >= after else 0) for i in range(count)]
    points = [f"R{i} = {vector(x, -r)}" for i, x in enumerate(places, 1)]
    rollers = [f'roller{i} = {{ points = ["R{i}"], mass = 1, shape = {{ type = "disc", radius = "30 mm" }} }}' for i in range(1, count + 1)]
    drivers = [f'roller{i} = {{ joint = "R{i}", value = "-speed / r * t" }}' for i in range(1, count + 1)]
    middle = (places[after - 1] + places[after]) / 2
    loads = [("ball1", 0.26, 0.018), ("box1", 0.11, 0.04), ("ball2", -0.01, 0.018), ("box2", -0.13, 0.03), ("ball3", -0.25, 0.018)]
    new_line = "\n"
    return f"""# A roller conveyor that sorts: boxes ride on over a gap between the driven rollers, balls fall through it into the bin below.
# Shows driven bodies that carry others by friction, contacts between lists of bodies, and surfaces of the ground. Written by studies/examples.py.
format = 1

[model]
name = "roller conveyor"
gravity = "-y"

[parameters]
r = "30 mm"                    # of the rollers
speed = "0.5 m/s"              # of their rims

[points]
{new_line.join(points)}
{new_line.join(f"{n} = {vector(x, y)}" for n, x, y in loads).replace("ball", "Ball").replace("box", "Box")}

[bodies]
ground = {{ points = {names("R", count)} }}
{new_line.join(rollers)}
box1 = {{ points = ["Box1"], mass = "2 kg", shape = {{ type = "box", size = ["150 mm", "80 mm"], axis = [1, 0] }} }}
box2 = {{ points = ["Box2"], mass = "1.5 kg", shape = {{ type = "box", size = ["150 mm", "60 mm"], axis = [1, 0] }} }}
ball1 = {{ points = ["Ball1"], mass = "0.1 kg", shape = {{ type = "disc", radius = "18 mm" }} }}
ball2 = {{ points = ["Ball2"], mass = "0.1 kg", shape = {{ type = "disc", radius = "18 mm" }} }}
ball3 = {{ points = ["Ball3"], mass = "0.1 kg", shape = {{ type = "disc", radius = "18 mm" }} }}

[drivers]
{new_line.join(drivers)}

[surfaces]
table = {{ type = "box", center = {vector(-0.205, -0.01)}, size = [0.3, 0.02] }}
bottom = {{ type = "box", center = {vector(middle, -0.26)}, size = [0.3, 0.02] }}
left = {{ type = "box", center = {vector(middle - 0.16, -0.21)}, size = [0.02, 0.12] }}
right = {{ type = "box", center = {vector(middle + 0.16, -0.21)}, size = [0.02, 0.12] }}
end = {{ type = "box", center = {vector(places[-1] + 0.205, -0.01)}, size = [0.3, 0.02] }}

[contacts.rollers]
between = [["box1", "box2", "ball1", "ball2", "ball3"], {names("roller", count)}]
friction = 0.5

[contacts.loads]
among = ["box1", "box2", "ball1", "ball2", "ball3"]
friction = 0.1

[contacts.frame]
between = [["box1", "box2", "ball1", "ball2", "ball3"], ["table", "bottom", "left", "right", "end"]]
friction = 0.2

[initial.velocities]
Box1 = ["speed", 0]
Box2 = ["speed", 0]
Ball1 = ["speed", 0]
Ball2 = ["speed", 0]
Ball3 = ["speed", 0]

[simulation]
duration = 2
output_step = 0.02
"""


def rolling_bearing():
    inner, r, count, sides = 0.03, 0.008, 14, 60
    # full: balls that touch, and a race whose flat sides leave a little play
    centre = (r * 1.01) / math.sin(math.pi / count)
    inner, race = centre - r - 2e-6, centre + r + 2e-5
    new_line = "\n"
    balls = [(centre * math.cos(a), centre * math.sin(a)) for a in (math.tau * (i + 0.5) / count - math.pi / 2 for i in range(count))]
    # flat pieces that meet at their inner edges
    thick, chord = 0.006, 2 * race * math.tan(math.pi / sides)
    ring = race + thick / 2
    angles = [math.tau * i / sides for i in range(sides)]
    pieces = [
        f'race{i} = {{ type = "box", center = {vector(ring * math.cos(a), ring * math.sin(a))}, size = {vector(chord, thick)}, axis = {vector(-math.sin(a), math.cos(a))} }}'
        for i, a in enumerate(angles, 1)
    ]
    return f"""# A ball bearing without a cage: a shaft that turns rests on {count} balls between itself and the outer race, which keep each other apart by touching.
# Shows a race made of {sides} flat pieces, a driver that turns a body which only contacts hold, and the load that each ball carries. Written by studies/examples.py.
format = 1

[model]
name = "ball bearing"
gravity = "-y"

[parameters]
speed = "300 rpm"

[points]
C = [0, 0]
{new_line.join(f"B{i} = {vector(x, y)}" for i, (x, y) in enumerate(balls, 1))}

[bodies]
shaft = {{ points = ["C"], mass = "4 kg", shape = {{ type = "disc", radius = "{number(inner * 1e3)} mm" }} }}
{new_line.join(f'ball{i} = {{ points = ["B{i}"], mass = "16 g", shape = {{ type = "disc", radius = "8 mm" }} }}' for i in range(1, count + 1))}

[drivers]
shaft = {{ body = "shaft", value = "-speed * (t - 0.1 * (1 - exp(-t / (100 ms))))" }}

[surfaces]
{new_line.join(pieces)}

[contacts.inner]
between = ["shaft", {names("ball", count)}]
friction = 0.1

{wrapped("[contacts.outer]" + new_line + "between = [" + names("ball", count) + ", [", [f'"race{i}"' for i in range(1, sides + 1)], "]]")}
friction = 0.1

[contacts.balls]
among = {names("ball", count)}
friction = 0.05

[simulation]
duration = 0.5
output_step = 0.005
step = "0.1 ms" # steps that follow the tolerance are ten times longer: the race then lifts the balls, by 0.6 % of the energies
"""


def brick_wall():
    length, width, height, rows, columns = 0.24, 0.115, 0.071, 6, 4
    bricks = []
    for row in range(rows):
        widths = [length] * columns if row % 2 == 0 else [length / 2, *[length] * (columns - 1), length / 2]
        x = -columns * length / 2
        for w in widths:
            bricks.append((x + w / 2, height * (row + 0.5), w))
            x += w
    new_line = "\n"
    count = len(bricks)
    body = lambda i, w: f'brick{i} = {{ points = ["P{i}"], density = "1800 kg/m^3", shape = {{ type = "box", size = {vector(w - 0.001, width, height)}, axis = [1, 0, 0], side = [0, 1, 0] }} }}'  # noqa: E731
    return f"""# A dry wall of {count} bricks in running bond stands, until a ball of 12 kg flies into it.
# Shows boxes that stand on each other in space, an impact that runs through them, and time steps over many contacts. Written by studies/examples.py.
format = 1

[model]
name = "brick wall"
dimension = 3
gravity = "-z"

[points]
{new_line.join(f"P{i} = {vector(x, 0, z)}" for i, (x, z, _) in enumerate(bricks, 1))}
Ball = [0.05, -0.6, 0.28]

[bodies]
{new_line.join(body(i, w) for i, (_, _, w) in enumerate(bricks, 1))}
ball = {{ points = ["Ball"], mass = "12 kg", shape = {{ type = "sphere", radius = "90 mm" }} }}

[surfaces]
floor = {{ type = "plane", normal = [0, 0, 1] }}

{wrapped("[contacts.wall]" + new_line + "among = [", [f'"brick{i}"' for i in range(1, count + 1)] + ['"ball"'])}
friction = 0.6

{wrapped("[contacts.floor]" + new_line + "between = [[", [f'"brick{i}"' for i in range(1, count + 1)] + ['"ball"'], '], "floor"]')}
friction = 0.6

[initial.velocities]
Ball = ["0", "5 m/s", "1 m/s"]

[simulation]
duration = 0.5
output_step = 0.01
contact_method = "steps"
tolerance = 1e-4
"""


def hundred_dominoes():
    count, pitch, w, h = 100, 0.022, 0.0075, 0.048
    new_line = "\n"
    return f"""# A hundred dominoes in a row. The first is pushed, and the wave runs to the end.
# Shows many contacts of boxes, treated by time steps, and neighbours that meet: each domino only with the next three. Written by studies/examples.py.
format = 1

[model]
name = "hundred dominoes"
gravity = "-y"

[points]
{new_line.join(f"D{i} = {vector((i - 1) * pitch, h / 2)}" for i in range(1, count + 1))}

[bodies]
{new_line.join(f'd{i} = {{ points = ["D{i}"], mass = "8 g", shape = {{ type = "box", size = ["7.5 mm", "48 mm"], axis = [1, 0] }} }}' for i in range(1, count + 1))}

[surfaces]
floor = {{ type = "plane", normal = [0, 1] }}

{wrapped("[contacts.floor]" + new_line + "between = [[", [f'"d{i}"' for i in range(1, count + 1)], '], "floor"]')}
friction = 0.5

{new_line.join(f'[contacts.f{i}]' + new_line + f'between = ["d{i}", [' + ", ".join(f'"d{j}"' for j in range(i + 1, min(i + 4, count + 1))) + ']]' + new_line + 'friction = 0.2' + new_line for i in range(1, count))}
[initial]
velocities = {{ D1 = ["0.12 m/s", "18.75 mm/s"] }}
angular_velocities = {{ d1 = "-5 rad/s" }}        # about its lower right corner

[simulation]
duration = 3
output_step = 0.02
contact_method = "steps"
"""


def sand_heap():
    count, r = 500, 0.01
    random.seed(5)
    points, layer, i = [], 0, 0
    while i < count:
        for j in range(7):
            for k in range(7):
                if i < count:
                    jitter = lambda: random.uniform(-0.08, 0.08) * r  # noqa: E731
                    points.append((2.2 * r * (j - 3) + jitter(), 2.2 * r * (k - 3) + jitter(), r + 2.05 * r * layer))
                    i += 1
        layer += 1
    new_line = "\n"
    return f"""# {count} spheres stand in a column, fall apart and fill a tray to a heap.
# Shows contacts among hundreds of bodies, and friction that holds a slope. Written by studies/examples.py.
format = 1

[model]
name = "sand heap"
dimension = 3
gravity = "-z"

[points]
{new_line.join(f"P{i} = {vector(*p)}" for i, p in enumerate(points, 1))}

[bodies]
{new_line.join(f'g{i} = {{ points = ["P{i}"], density = "2500 kg/m^3", shape = {{ type = "sphere", radius = "10 mm" }} }}' for i in range(1, count + 1))}

[surfaces]
floor = {{ type = "plane", normal = [0, 0, 1] }}
left = {{ type = "box", center = ["-140 mm", 0, "15 mm"], size = ["10 mm", "290 mm", "30 mm"] }}
right = {{ type = "box", center = ["140 mm", 0, "15 mm"], size = ["10 mm", "290 mm", "30 mm"] }}
front = {{ type = "box", center = [0, "-140 mm", "15 mm"], size = ["270 mm", "10 mm", "30 mm"] }}
back = {{ type = "box", center = [0, "140 mm", "15 mm"], size = ["270 mm", "10 mm", "30 mm"] }}

{wrapped("[contacts.grains]" + new_line + "among = [", [f'"g{i}"' for i in range(1, count + 1)])}
friction = 0.5

{wrapped("[contacts.tray]" + new_line + "between = [[", [f'"g{i}"' for i in range(1, count + 1)], '], ["floor", "left", "right", "front", "back"]]')}
friction = 0.5

[simulation]
duration = 1
output_step = 0.05
"""


FILES = {"conveyor": roller_conveyor, "rolling-bearing": rolling_bearing, "brick-wall": brick_wall, "hundred-dominoes": hundred_dominoes, "sand-heap": sand_heap}


if __name__ == "__main__":
    for name in sys.argv[1:] or FILES:
        (EXAMPLES / f"{name}.toml").write_text(FILES[name]())
