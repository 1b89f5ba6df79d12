"""A mechanism in space that branches, as a model of Linkwork, as URDF and as MJCF: a prismatic joint and six hinges with dampers about axes in all directions.

All bodies are drawn with their axes along those of the world. `AT` has the coordinates and rates at which it is asked about.
"""

G = 9.81

# name, parent, place of the joint, axis, kind, damping; mass, centre of mass against the joint, moments of inertia
LINKS = [
    ("trunk", "ground", (0.0, 0.0, 0.0), (0.0, 0.0, 1.0), "revolute", 0.4, 3.0, (0.05, -0.02, 0.3), (0.11, 0.13, 0.05)),
    ("slide", "trunk", (0.1, 0.0, 0.6), (0.6, 0.0, 0.8), "prismatic", 0.0, 1.2, (0.02, 0.05, 0.04), (0.02, 0.03, 0.025)),
    ("left", "slide", (0.1, 0.2, 0.7), (1.0, 0.0, 0.0), "revolute", 0.2, 0.9, (0.1, 0.25, -0.05), (0.03, 0.008, 0.031)),
    ("left_hand", "left", (0.2, 0.7, 0.6), (0.0, 0.6, 0.8), "revolute", 0.1, 0.5, (0.05, 0.1, 0.02), (0.004, 0.003, 0.005)),
    ("right", "slide", (0.1, -0.2, 0.7), (0.8, 0.6, 0.0), "revolute", 0.25, 0.8, (0.0, -0.3, 0.1), (0.028, 0.007, 0.029)),
    ("right_hand", "right", (0.1, -0.8, 0.9), (0.0, 0.0, 1.0), "revolute", 0.1, 0.4, (0.1, -0.05, 0.0), (0.002, 0.005, 0.006)),
    ("tail", "trunk", (-0.3, 0.0, 0.2), (0.0, 1.0, 0.0), "revolute", 0.15, 0.7, (-0.3, 0.04, -0.1), (0.01, 0.03, 0.028)),
]

AT = {
    "trunk": (0.4, 0.7), "slide": (0.05, -0.2), "left": (-0.5, 0.6), "left_hand": (0.8, -1.1), "right": (0.3, 0.5), "right_hand": (-0.6, 0.9),
    "tail": (0.2, -0.4),
}


def linkwork(moving):
    """The model file; at rest where it is drawn, or at `AT`."""
    lines = ["format = 1", "[model]", 'name = "tree in space"', f"gravity = [0, 0, -{G}]", "[points]"]
    lines += [f"{name} = {list(place)}" for name, _, place, *_ in LINKS]
    children = {}
    for name, parent, *_ in LINKS:
        children.setdefault(parent, []).append(name)
    lines += ["[bodies]", f"ground = {{ points = {children['ground']!r} }}"]
    for name, _, place, _, _, _, mass, com, inertia in LINKS:
        centre = [a + b for a, b in zip(place, com)]
        lines.append(f"{name} = {{ points = {[name] + children.get(name, [])!r}, mass = {mass}, com = {centre}, inertia = {list(inertia)} }}")
    lines.append("[joints]")
    for name, parent, _, axis, kind, damping, *_ in LINKS:
        damped = f", damping = {damping}" if damping else ""
        lines.append(f'{name} = {{ type = "{kind}", bodies = ["{parent}", "{name}"], at = "{name}", axis = {list(axis)}{damped} }}')
    if moving:
        lines += ["[initial.joints]"] + [f"{name} = {{ q = {q}, v = {v} }}" for name, (q, v) in AT.items()]
    return "\n".join(lines).replace("'", '"') + "\n"


def numbers(values):
    return " ".join(str(value) for value in values)


def offsets():
    """Places of the joints against those of their parents."""
    places = {name: place for name, _, place, *_ in LINKS} | {"ground": (0.0, 0.0, 0.0)}
    return {name: [a - b for a, b in zip(places[name], places[parent])] for name, parent, *_ in LINKS}


def urdf():
    text = '<robot name="tree"><link name="ground"/>'
    for name, parent, _, axis, kind, damping, mass, com, (xx, yy, zz) in LINKS:
        kind = "continuous" if kind == "revolute" else kind
        limit = '<limit effort="1e9" lower="-9" upper="9" velocity="1e9"/>' if kind == "prismatic" else ""
        text += (f'<link name="{name}"><inertial><origin xyz="{numbers(com)}"/><mass value="{mass}"/>'
                 f'<inertia ixx="{xx}" iyy="{yy}" izz="{zz}" ixy="0" ixz="0" iyz="0"/></inertial></link>'
                 f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{name}"/><origin xyz="{numbers(offsets()[name])}"/>'
                 f'<axis xyz="{numbers(axis)}"/><dynamics damping="{damping}"/>{limit}</joint>')
    return text + "</robot>"


def mjcf():
    def body(name):
        inner = "".join(body(child) for child, parent, *_ in LINKS if parent == name)
        _, _, _, axis, kind, damping, mass, com, inertia = next(link for link in LINKS if link[0] == name)
        kind = "hinge" if kind == "revolute" else "slide"
        return (f'<body name="{name}" pos="{numbers(offsets()[name])}"><joint name="{name}" type="{kind}" axis="{numbers(axis)}" damping="{damping}"/>'
                f'<inertial pos="{numbers(com)}" mass="{mass}" diaginertia="{numbers(inertia)}"/>{inner}</body>')
    return (f'<mujoco><compiler angle="radian"/><option gravity="0 0 {-G}" integrator="Euler"><flag eulerdamp="disable"/></option><worldbody>'
            + body("trunk") + "</worldbody></mujoco>")
