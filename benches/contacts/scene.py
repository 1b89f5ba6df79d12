"""A scene, described once, and its three forms: a Linkwork model file, an MJCF for MuJoCo, a JSON for Rapier's driver.

Lengths in m, masses in kg. Gravity is along -z in space and -y in the plane. A body is a uniform solid about its centre of mass; cylinders and capsules have their
axis along z of the body. In the plane bodies have a depth (the third edge of a box, the length of a cylinder), so that peers that know space only
can run them with three of their six freedoms locked.
"""

import json
import math
from dataclasses import dataclass, field

import numpy as np

G = 9.81


def quaternion(axis, angle):
    """Rotation by `angle` about `axis`, as w, x, y, z."""
    axis = np.asarray(axis, float) / np.linalg.norm(axis)
    return [math.cos(angle / 2), *(math.sin(angle / 2) * axis)]


def matrix(q):
    w, x, y, z = np.asarray(q, float) / np.linalg.norm(q)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def times(a, b):
    """The product of two quaternions."""
    w, v, u, s = a[0], np.array(a[1:]), b[0], np.array(b[1:])
    return [w * u - v @ s, *(w * s + u * v + np.cross(v, s))]


@dataclass
class Body:
    shape: dict
    mass: float
    position: list
    rotation: list = field(default_factory=lambda: [1.0, 0.0, 0.0, 0.0])
    velocity: list = field(default_factory=lambda: [0.0, 0.0, 0.0])
    omega: list = field(default_factory=lambda: [0.0, 0.0, 0.0])
    kind: str = "free"  # or "fixed", or "driven": keeps its velocity or angular velocity, whatever pushes it

    def inertia(self):
        """About the centre of mass, in body axes: a matrix."""
        s, m = self.shape, self.mass
        if s["type"] == "sphere":
            return np.eye(3) * 0.4 * m * s["radius"] ** 2
        if s["type"] == "box":
            x, y, z = (e * e for e in s["size"])
            return np.diag([y + z, x + z, x + y]) * m / 12
        if s["type"] == "cylinder":
            r, h = s["radius"], s["length"]
            across = m * (3 * r * r + h * h) / 12
            return np.diag([across, across, m * r * r / 2])
        if s["type"] == "capsule":
            r, h = s["radius"], s["length"]
            body, ends = math.pi * r * r * h, 4 / 3 * math.pi * r**3
            mb, me = m * body / (body + ends), m * ends / (body + ends)
            along = mb * r * r / 2 + me * 0.4 * r * r
            across = mb * (3 * r * r + h * h) / 12 + me * (0.4 * r * r + h * h / 4 + 3 * h * r / 8)
            return np.diag([across, across, along])
        return hull_properties(s["vertices"])[2] * m

    def reach(self):
        """Half the body's largest extent, roughly."""
        s = self.shape
        if s["type"] == "sphere":
            return s["radius"]
        if s["type"] == "box":
            return min(s["size"]) / 2
        if s["type"] in ("cylinder", "capsule"):
            return s["radius"]
        return float(np.ptp(np.array(s["vertices"]), axis=0).min()) / 2


def hull_properties(vertices):
    """Volume, centre and inertia about it per unit mass of a convex hull, by tetrahedra from its middle."""
    v = np.array(vertices, float)
    inside = v.mean(axis=0)
    volume, first, second = 0.0, np.zeros(3), np.zeros((3, 3))
    for a, b, c in hull_faces(v):
        p = np.array([v[a], v[b], v[c]]) - inside
        six = abs(np.linalg.det(p))
        total = p.sum(axis=0)
        volume += six / 6
        first += six / 24 * total
        second += six / 120 * (np.outer(total, total) + p.T @ p)
    centre = first / volume
    spread = second / volume - np.outer(centre, centre)
    return volume, centre + inside, np.trace(spread) * np.eye(3) - spread


def hull_faces(v):
    """Triangles of the convex hull of a few points, each by brute force."""
    faces, n = [], len(v)
    seen = set()
    for a in range(n):
        for b in range(a + 1, n):
            for c in range(b + 1, n):
                normal = np.cross(v[b] - v[a], v[c] - v[a])
                if np.linalg.norm(normal) < 1e-12:
                    continue
                side = (v - v[a]) @ normal / np.linalg.norm(normal)
                if (side > 1e-9).any() and (side < -1e-9).any():
                    continue
                plane = tuple(np.flatnonzero(abs(side) < 1e-9))
                if plane in seen:
                    continue
                seen.add(plane)
                middle = v[list(plane)].mean(axis=0)
                e1 = v[plane[0]] - middle
                e1 /= np.linalg.norm(e1)
                e2 = np.cross(normal / np.linalg.norm(normal), e1)
                ring = sorted(plane, key=lambda i: math.atan2((v[i] - middle) @ e2, (v[i] - middle) @ e1))
                faces += [(ring[0], ring[i], ring[i + 1]) for i in range(1, len(ring) - 1)]
    return faces


@dataclass
class Plane:
    normal: list
    at: list = field(default_factory=lambda: [0.0, 0.0, 0.0])
    friction: float | None = None  # the scene's, if left out; no larger than it


@dataclass
class Scene:
    name: str
    group: str
    size: float  # of a typical body: what penetration is measured against
    duration: float
    friction: float
    restitution: float = 0.0
    dimension: int = 3
    step: float = 2e-3
    output_step: float = 0.05
    bodies: list = field(default_factory=list)
    planes: list = field(default_factory=list)
    note: str = ""
    expect: str = ""  # "rest": nothing should move

    def add(self, shape, mass, position, **more):
        self.bodies.append(Body(shape, mass, [float(x) for x in position], **more))
        return self.bodies[-1]

    def floor(self, friction=None):
        up = [0, 0, 1] if self.dimension == 3 else [0, 1, 0]
        self.planes.append(Plane(up, friction=friction))

    def plane(self, normal, at, friction=None):
        self.planes.append(Plane(normal, at, friction))

    @property
    def gravity(self):
        return [0.0, 0.0, -G] if self.dimension == 3 else [0.0, -G, 0.0]

    @property
    def movers(self):
        return [b for b in self.bodies if b.kind != "fixed"]

    @property
    def free(self):
        return [b for b in self.bodies if b.kind == "free"]

    def as_json(self):
        def plane(p):
            friction = self.friction if p.friction is None else p.friction
            return {"at": p.at, "normal": p.normal, "friction": friction, "restitution": self.restitution}

        def body(b):
            plain = dict(vars(b), friction=self.friction, restitution=self.restitution)
            return json.loads(json.dumps(plain, default=float))

        return {
            "name": self.name,
            "dimension": self.dimension,
            "gravity": self.gravity,
            "size": self.size,
            "duration": self.duration,
            "step": self.step,
            "output_step": self.output_step,
            "bodies": [body(b) for b in self.bodies],
            "planes": [plane(p) for p in self.planes],
        }

    def as_toml(self, settings=""):
        return Toml(self).text(settings)

    def as_mjcf(self, options=""):
        return mjcf(self, options)


def numbers(values):
    return "[" + ", ".join(repr(float(x)) for x in values) + "]"


def names(values):
    return "[" + ", ".join(f'"{v}"' for v in values) + "]"


class Toml:
    """A scene as a Linkwork model file."""

    def __init__(self, scene):
        self.scene = scene
        self.d = scene.dimension

    def vector(self, x):
        return numbers(x[: self.d])

    def shape(self, b):
        r, s = matrix(b.rotation), b.shape
        x, y, z = r[:, 0], r[:, 1], r[:, 2]
        if s["type"] == "sphere":
            return f'type = "sphere", radius = {s["radius"]!r}'
        if s["type"] == "box":
            side = f", side = {self.vector(y)}" if self.d == 3 else ""
            return f'type = "box", size = {numbers(s["size"][: self.d])}, axis = {self.vector(x)}{side}'
        if s["type"] == "hull":
            corners = ", ".join(self.vector(np.array(b.position) + r @ v) for v in outline(s["vertices"], self.d))
            return f'type = "hull", vertices = [{corners}]'
        if self.d == 2 and s["type"] == "cylinder":
            return f'type = "disc", radius = {s["radius"]!r}'
        return f'type = "{s["type"]}", radius = {s["radius"]!r}, length = {s["length"]!r}, axis = {self.vector(z)}'

    def inertia(self, b):
        r = matrix(b.rotation)
        i = r @ b.inertia() @ r.T
        if self.d == 2:
            return repr(float(i[2, 2]))
        return numbers([i[0, 0], i[1, 1], i[2, 2], i[0, 1], i[0, 2], i[1, 2]])

    def text(self, settings):
        sc = self.scene
        index = {id(b): i for i, b in enumerate(sc.bodies)}
        points, bodies, surfaces, joints, drivers, velocity, omega = [], [], [], [], [], [], []
        ground = []
        names_of = {}
        for b in sc.bodies:
            i = index[id(b)]
            if b.kind == "fixed":
                names_of[i] = f"s{i}"
                surfaces.append(f"s{i} = {{ {self.shape(b)}, center = {self.vector(b.position)} }}" if b.shape["type"] != "hull" else f"s{i} = {{ {self.shape(b)} }}")
                continue
            points.append(f"P{i} = {self.vector(b.position)}")
            if b.shape["type"] == "hull":
                bodies.append(f'b{i} = {{ points = ["P{i}"], mass = {b.mass!r}, com = "P{i}", inertia = {self.inertia(b)} }}')
                surfaces.append(f's{i} = {{ {self.shape(b)}, body = "b{i}" }}')
                names_of[i] = f"s{i}"
            else:
                bodies.append(f'b{i} = {{ points = ["P{i}"], mass = {b.mass!r}, shape = {{ {self.shape(b)} }} }}')
                names_of[i] = f"b{i}"
            if b.kind == "driven":
                turns = any(b.omega)
                direction = np.array(b.omega if turns else b.velocity, float)
                speed = float(np.linalg.norm(direction))
                points.append(f"G{i} = {self.vector(b.position)}")
                ground.append(f"G{i}")
                axis = f"\naxis = {self.vector(direction / speed)}" if not turns or self.d == 3 else ""
                kind = "revolute" if turns else "prismatic"
                joints.append(f'[joints.j{i}]\ntype = "{kind}"\nbodies = ["ground", "b{i}"]\nat = ["G{i}", "P{i}"]{axis}\n')
                drivers.append(f'd{i} = {{ joint = "j{i}", value = "{speed!r} * t" }}')
                continue
            if any(b.velocity):
                velocity.append(f"P{i} = {self.vector(b.velocity)}")
            if any(b.omega):
                omega.append(f"b{i} = {numbers(b.omega) if self.d == 3 else repr(float(b.omega[2]))}")
        for k, p in enumerate(sc.planes):
            surfaces.append(f'plane{k} = {{ type = "plane", at = {self.vector(p.at)}, normal = {self.vector(p.normal)} }}')
        movers = [names_of[index[id(b)]] for b in sc.movers]
        free = [names_of[index[id(b)]] for b in sc.free]
        fixed = [names_of[index[id(b)]] for b in sc.bodies if b.kind == "fixed"]
        law = f"friction = {sc.friction!r}, restitution = {sc.restitution!r}"
        contacts = []
        if len(movers) > 1:
            contacts.append(f"heap = {{ among = {names(movers)}, {law} }}")
        if fixed:
            contacts.append(f"fixed = {{ between = [{names(free)}, {names(fixed)}], {law} }}")
        for k, p in enumerate(sc.planes):
            friction = sc.friction if p.friction is None else p.friction
            contacts.append(f'plane{k} = {{ between = [{names(free)}, "plane{k}"], friction = {friction!r}, restitution = {sc.restitution!r} }}')
        gravity = '"-z"' if self.d == 3 else '"-y"'
        lines = [f"# {sc.name}: a scene of benches/contacts. {sc.note}".rstrip(), "format = 1", "", "[model]", f'name = "{sc.name}"', f"dimension = {self.d}", f"gravity = {gravity}"]
        lines += ["", "[points]", *points, "", "[bodies]"]
        if ground:
            lines.append(f"ground = {{ points = {names(ground)} }}")
        lines += [*bodies, "", *joints]
        if drivers:
            lines += ["[drivers]", *drivers, ""]
        if surfaces:
            lines += ["[surfaces]", *surfaces, ""]
        lines += ["[contacts]", *contacts, ""]
        if velocity:
            lines += ["[initial.velocities]", *velocity, ""]
        if omega:
            lines += ["[initial.angular_velocities]", *omega, ""]
        lines += ["[simulation]", f"duration = {sc.duration!r}", f"output_step = {sc.output_step!r}", settings]
        return "\n".join(lines) + "\n"


def outline(vertices, dimension):
    """The corners of a hull; in the plane those of its front."""
    return vertices if dimension == 3 else [v for v in vertices if v[2] > 0]


def mjcf(sc, options):
    """A scene as an MJCF. Driven bodies are so heavy that they keep their velocity."""
    law = f'friction="{sc.friction} 0 0" condim="3"' if sc.friction else 'condim="1"'
    text = lambda values: " ".join(repr(float(x)) for x in values)  # noqa: E731
    lines = [
        "<mujoco>",
        '<compiler angle="radian" autolimits="true" inertiafromgeom="true" boundmass="0" boundinertia="0"/>',
        f'<option timestep="{sc.step!r}" gravity="{text(sc.gravity)}" {options}/>',
        '<size memory="1G"/>',
        "<asset>",
    ]
    for i, b in enumerate(sc.bodies):
        if b.shape["type"] == "hull":
            lines.append(f'<mesh name="m{i}" vertex="{text(np.array(b.shape["vertices"]).ravel())}"/>')
    lines += ["</asset>", "<worldbody>"]
    for p in sc.planes:
        friction = sc.friction if p.friction is None else p.friction
        its = f'friction="{friction} 0 0" condim="3"' if friction else 'condim="1"'
        lines.append(f'<geom type="plane" size="0 0 1" pos="{text(p.at)}" zaxis="{text(p.normal)}" priority="1" {its}/>')
    for i, b in enumerate(sc.bodies):
        s = b.shape
        size = {
            "sphere": lambda: [s["radius"]],
            "box": lambda: [e / 2 for e in s["size"]],
            "cylinder": lambda: [s["radius"], s["length"] / 2],
            "capsule": lambda: [s["radius"], s["length"] / 2],
            "hull": lambda: None,
        }[s["type"]]()
        form = f'type="mesh" mesh="m{i}"' if s["type"] == "hull" else f'type="{s["type"]}" size="{text(size)}"'
        place = f'pos="{text(b.position)}" quat="{text(b.rotation)}"'
        if b.kind == "fixed":
            lines.append(f"<geom {form} {place} {law}/>")
            continue
        if b.kind == "driven":
            turns = any(b.omega)
            axis = b.omega if turns else b.velocity
            # the axis is given in axes of the body
            axis = matrix(b.rotation).T @ np.array(axis)
            joint = f'<joint type="{"hinge" if turns else "slide"}" axis="{text(axis)}"/>'
            lines.append(f'<body {place} gravcomp="1">{joint}<geom {form} mass="{b.mass * 1e6!r}" {law}/></body>')
            continue
        if sc.dimension == 3:
            joint = "<freejoint/>"
        else:
            r = matrix(b.rotation).T
            x, y, z = (text(r @ np.array(e)) for e in np.eye(3))
            joint = f'<joint type="slide" axis="{x}"/><joint type="slide" axis="{y}"/><joint type="hinge" axis="{z}"/>'
        lines.append(f'<body {place}>{joint}<geom {form} mass="{b.mass!r}" {law}/></body>')
    lines += ["</worldbody>", "</mujoco>"]
    return "\n".join(lines)
