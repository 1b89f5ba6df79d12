#!/usr/bin/env python3
"""The robots of `example-robot-data` in Linkwork beside Pinocchio: what is imported, where it stands, how it accelerates; Cassie hangs from its pelvis.

    python3 studies/robots.py [--linkwork FILE] [--environment DIR] [--states N] [--only TEXT] [--cassie SECONDS]

Makes an environment with pin and example-robot-data from PyPI (130 MB) unless DIR has one, and builds the command with cargo unless --linkwork names one.

- Every URDF file of the package: `linkwork import`, then total mass, degrees of freedom, and place, axis, mass, centre of mass and inertia of every joint's body at
  the zero pose, against pin.buildModelFromUrdf. `linkwork check` assembles each.
- Talos, Panda, Go2: accelerations of a point beside each body at random states, against pin.aba.
- Cassie's five SDF files with `--base fixed`: they assemble, hang for five seconds, and say how far their loops open.
"""

import argparse
import csv
import json
import re
import subprocess
import sys
import tempfile
import tomllib
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# versions of what pin is linked with, which its own metadata leaves open
PACKAGES = ["pin>=3.9,<4", "example-robot-data==6.0.0", "numpy", "cmeel-urdfdom<5", "cmeel-tinyxml2<11"]
DYNAMICS = ["talos_data/robots/talos_full_v2.urdf", "panda_description/urdf/panda.urdf", "go2_description/urdf/go2.urdf"]


def environment(folder):
    """The interpreter of an environment with the packages."""
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
    done = subprocess.run([python, "-c", "import pinocchio"], capture_output=True)
    if done.returncode != 0:
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-deps", PACKAGES[1]], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", PACKAGES[0], *PACKAGES[2:]], check=True)
    return python


def robots(folder):
    """Where the package has put its robots."""
    return next(folder.glob("lib/python3*/site-packages/cmeel.prefix/share/example-robot-data/robots"))


def run(linkwork, *arguments, **more):
    return subprocess.run([linkwork, *map(str, arguments)], capture_output=True, text=True, **more)


def imported(linkwork, file, *options):
    """The model as a dictionary, its text and the table of substitutions; or the refusal."""
    done = run(linkwork, "import", file, "--format", "json", *options)
    told = json.loads(done.stdout)
    return (told, tomllib.loads(told["model"])) if done.returncode == 0 else (told, None)


def centre_of(model, body):
    """The centre of mass as drawn, which may be a named point."""
    import numpy as np

    com = body["com"]
    return np.array(model["points"][com] if isinstance(com, str) else com)


def inertia(body):
    import numpy as np

    given = body["inertia"] + [0, 0, 0]
    xx, yy, zz, xy, xz, yz = given[:6]
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def at_zero_pose(linkwork, file, told, model):
    """The largest difference of places, axes, masses (relative), and centres; degrees of freedom of both."""
    import numpy as np
    import pinocchio as pin

    theirs = pin.buildModelFromUrdf(str(file))
    data = theirs.createData()
    q = pin.neutral(theirs)
    for note in told["substitutions"]:  # drawn at the offset
        if note["what"] == "a mimic joint with an offset":
            name = re.search("`(.*)`", note["item"])[1]
            q[theirs.joints[theirs.getJointId(name)].idx_q] = float(note["done"].split()[-1])
    pin.forwardKinematics(theirs, data, q)
    held = {re.search("`(.*)`", n["item"])[1] for n in told["substitutions"] if n["done"].startswith("held fixed")}
    replaced = {re.search("`(.*)`", n["item"])[1] for n in told["substitutions"] if n["done"].startswith("the nearest possible") or "without inertia" in n["what"]}
    worst = {"place": 0.0, "axis": 0.0, "mass": 0.0, "centre": 0.0, "inertia": 0.0}
    joints, bodies, points = model.get("joints", {}), model["bodies"], model.get("points", {})
    for joint_id in range(1, theirs.njoints):
        name = theirs.names[joint_id]
        if name in held:
            continue
        joint = joints[name]
        body_name = joint["bodies"][1]
        body = bodies[body_name]
        place, own = data.oMi[joint_id], theirs.inertias[joint_id]
        point = np.array(points[joint["at"] if isinstance(joint["at"], str) else joint["at"][0]])
        worst["place"] = max(worst["place"], np.abs(point - place.translation).max())
        worst["mass"] = max(worst["mass"], abs(body["mass"] - own.mass) / max(own.mass, 1e-9))
        if "axis" in joint and theirs.joints[joint_id].nv == 1:
            subspace = theirs.joints[joint_id].createData().S if hasattr(theirs.joints[joint_id].createData(), "S") else None
            motion = pin.Motion(np.asarray(subspace).reshape(6)) if subspace is not None else None
            if motion is not None:
                local = motion.angular if np.abs(motion.angular).max() > 0.5 else motion.linear
                worst["axis"] = max(worst["axis"], np.abs(place.rotation @ local - np.array(joint["axis"])).max())
        if own.mass > 0 and not held:
            centre = place.translation + place.rotation @ own.lever
            worst["centre"] = max(worst["centre"], np.abs(centre - centre_of(model, body)).max())
            if body_name not in replaced:
                turned = place.rotation @ own.inertia @ place.rotation.T
                size = max(np.abs(turned).max(), 1e-9)
                worst["inertia"] = max(worst["inertia"], np.abs(turned - inertia(body)).max() / size)
    theirs_mass = sum(theirs.inertias[n].mass for n in range(1, theirs.njoints))
    ours_mass = sum(body["mass"] for name, body in bodies.items() if name != "ground")
    free = theirs.njoints == 1  # nothing but a base: Linkwork lets it fly
    if not free:
        worst["total"] = abs(ours_mass - theirs_mass) / max(theirs_mass, 1e-9)
    lost = sum(theirs.joints[theirs.getJointId(name)].nv for name in held)
    expected = 6 if free else theirs.nv - lost - len(model.get("couplings", {}))
    with tempfile.NamedTemporaryFile("w", suffix=".toml") as written:
        written.write(told["model"])
        written.flush()
        checked = run(linkwork, "check", written.name)
    freedom = re.search(r"(\d+) degrees? of freedom", checked.stdout)
    return worst, expected, int(freedom[1]) if freedom else None, checked.stderr


def accelerations(linkwork, file, states, seed=1):
    """The largest difference of accelerations of a point beside each body, relative to the largest acceleration of the state."""
    import numpy as np
    import pinocchio as pin

    theirs = pin.buildModelFromUrdf(str(file))
    theirs.gravity.linear = np.array([0, 0, -9.81])
    data = theirs.createData()
    told, model = imported(linkwork, file)
    random = np.random.default_rng(seed)
    # a tree without friction, dampers and stops: what aba computes
    text = re.sub(r", (damping|friction) = (\"[^\"]*\"|[-0-9.e]+)", "", told["model"])
    text = re.sub(r", impact_limits = (\{.*?\})(?= \})", "", text)
    for section in ["couplings", "initial.joints", "inputs", "actuators"]:
        text = re.sub(rf"\n\[{re.escape(section)}\]\n(?:(?!\[)[^\n]*\n)*", "\n", text)
    pin.forwardKinematics(theirs, data, pin.neutral(theirs))
    probes = []
    points, measures = [], []
    for joint_id in range(1, theirs.njoints):
        body = model["joints"][theirs.names[joint_id]]["bodies"][1]
        at = centre_of(model, model["bodies"][body]) + random.uniform(0.05, 0.15, 3)
        probes.append((joint_id, data.oMi[joint_id].actInv(at)))
        points.append(f'"probe {joint_id}" = {at.tolist()}')
        measures += [f'"{c}{joint_id}" = "point.`probe {joint_id}`.a{c}"' for c in "xyz"]
        key = f'"{body}"' if re.search(r"[^A-Za-z0-9_-]", body) else body
        text = re.sub(rf'(?m)^({re.escape(key)} *= {{ points = \[)', rf'\1"probe {joint_id}", ', text)
    text = text.replace("[points]\n", "[points]\n" + "\n".join(points) + "\n", 1) + "\n[measures]\n" + "\n".join(measures)
    worst = 0.0
    for _ in range(states):
        q, v = pin.neutral(theirs), random.uniform(-1, 1, theirs.nv)
        initial = []
        for joint_id in range(1, theirs.njoints):
            joint = theirs.joints[joint_id]
            angle = random.uniform(-1.2, 1.2) if joint.nq == 2 else random.uniform(
                max(theirs.lowerPositionLimit[joint.idx_q], -1.2), min(theirs.upperPositionLimit[joint.idx_q], 1.2))
            if joint.nq == 2:
                q[joint.idx_q], q[joint.idx_q + 1] = np.cos(angle), np.sin(angle)
            else:
                q[joint.idx_q] = angle
            initial.append(f'"{theirs.names[joint_id]}" = {{ q = {float(angle)!r}, v = {float(v[joint.idx_v])!r} }}')
        a = pin.aba(theirs, data, q, v, np.zeros(theirs.nv))
        pin.forwardKinematics(theirs, data, q, v, a)
        expected = []
        for joint_id, r in probes:
            velocity, acceleration = data.v[joint_id], data.a[joint_id]
            w, u = velocity.angular, velocity.linear
            local = acceleration.linear + np.cross(acceleration.angular, r) + np.cross(w, u + np.cross(w, r))
            expected.append(data.oMi[joint_id].rotation @ local)
        with tempfile.TemporaryDirectory() as folder:
            written = Path(folder) / "robot.toml"
            extra = "\n[initial.joints]\n" + "\n".join(initial) + "\n[simulation]\nduration = 1e-7\noutput_step = 1e-7\n"
            written.write_text(text + "\n" + extra)
            done = run(linkwork, "run", written, "-o", Path(folder) / "out", "--quiet")
            results = Path(folder) / "out" / "results.csv"
            if not results.exists():
                raise RuntimeError(done.stderr[:600])
            with open(results) as rows:
                row = next(csv.DictReader(rows))
        found = np.array([[float(row[f"measure.{c}{joint_id}"]) for c in "xyz"] for joint_id, _ in probes])
        expected = np.array(expected)
        worst = max(worst, np.abs(found - expected).max() / np.abs(expected).max())
    return theirs.nv, worst


def cassie(linkwork, file, seconds):
    """What `run` says of a Cassie that hangs from its pelvis."""
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "cassie.toml"
        # as given, cassie.sdf holds its shins in a rigid triangle (docs/how-to/coming-from-drake.md)
        loops = "fewest" if file.name == "cassie.sdf" else "as-given"
        done = run(linkwork, "import", file, "--base", "fixed", "--loops", loops, "-o", model)
        if done.returncode:
            return done.stderr[:200]
        checked = run(linkwork, "check", model)
        freedom = re.search(r"(\d+) degrees? of freedom", checked.stdout)
        redundant = re.search(r"(\d+) redundant", checked.stdout)
        done = run(linkwork, "run", model, "--duration", seconds, "-o", Path(folder) / "out")
        summary = json.loads((Path(folder) / "out" / "summary.json").read_text())
        residual = re.search(r"constraint residual +(\S+) m", done.stdout + done.stderr)
        drift = re.search(r"energy drift .*?, (\S+) of the energies", done.stdout + done.stderr)
        return (f"{freedom and freedom[1]} degrees of freedom, {redundant[1] if redundant else 0} redundant constraints, "
                f"{summary.get('status')}; loops closed to {residual and residual[1]} m, energy to {drift and drift[1]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--linkwork")
    parser.add_argument("--environment", type=Path, default=Path(tempfile.gettempdir()) / "linkwork-robots")
    parser.add_argument("--states", type=int, default=20)
    parser.add_argument("--only", default="")
    parser.add_argument("--cassie", type=float, default=5)
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if not args.inside:
        python = environment(args.environment)
        if not args.linkwork:
            subprocess.run(["cargo", "build", "--release", "-p", "linkwork-cli"], cwd=ROOT, check=True)
            args.linkwork = str(ROOT / "target" / "release" / "linkwork")
        return subprocess.run([python, __file__, "--inside", *sys.argv[1:], "--linkwork", args.linkwork]).returncode

    folder = robots(args.environment)
    files = sorted(file for file in folder.rglob("*.urdf") if args.only in str(file))
    print(f"{len(files)} URDF files: largest difference at the zero pose")
    good, differing = 0, []
    for file in files:
        name = file.relative_to(folder)
        told, model = imported(args.linkwork, file)
        if model is None:
            print(f"  {str(name):62} refused: {json.dumps(told)[:200]}")
            differing.append(f"{name.name} (refused)")
            continue
        try:
            worst, expected, found, stderr = at_zero_pose(args.linkwork, file, told, model)
        except Exception as error:  # a peer that does not read the file
            print(f"  {str(name):62} {type(error).__name__}: {str(error)[:120]}")
            differing.append(f"{name.name} (not compared)")
            continue
        fine = max(worst.values()) < 1e-9 and expected == found
        good += fine
        differing += [] if fine else [name.name]
        figures = " ".join(f"{what} {value:.0e}" for what, value in worst.items())
        print(f"  {str(name):62} {'good' if fine else 'DIFFERS'}  dof {found} of {expected}  {figures}")
        if found is None:
            print("    " + stderr[:300])
    print(f"{good} of {len(files)} agree to 1e-9; not: {', '.join(differing) or 'none'}")

    print(f"accelerations at {args.states} states against pin.aba, relative to the largest one")
    for name in (name for name in DYNAMICS if args.only in name):
        freedoms, worst = accelerations(args.linkwork, folder / name, args.states)
        print(f"  {name:62} {freedoms} coordinates: {worst:.1e}")

    print(f"Cassie hangs for {args.cassie} s")
    for file in sorted(folder.rglob("*.sdf")):
        if args.only in str(file):
            print(f"  {file.name:30} {cassie(args.linkwork, file, args.cassie)}")


if __name__ == "__main__":
    sys.exit(main())
