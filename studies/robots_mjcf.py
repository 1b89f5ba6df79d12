#!/usr/bin/env python3
"""MJCF files of `gymnasium`, `dm_control` and `robosuite` in Linkwork beside MuJoCo: what is imported, where it stands, what it weighs, how it accelerates;
and a four-bar linkage that MuJoCo closes softly.

    python3 studies/robots_mjcf.py --linkwork target/release/linkwork [--venv DIR] [--states 5] [--only TEXT]

Installs MuJoCo into a virtual environment and unpacks the wheels that carry robots there, all with pip and without their dependencies.

- Every MJCF file that MuJoCo loads: total mass, and of each moving body mass and centre; of each joint axis and place; all at the zero pose.
  Tolerance 1e-9 (m, and relative for masses); 1e-6 in files whose masses come from meshes, whose vertices MuJoCo rounds to single precision.
  Files in which nothing moves (objects, scenes) are imported with `--base floating`, and the masses and centres of what then floats are compared; those without masses, too, are
  refused as files in which nothing moves.
- What is left out of them, by kind.
- Every file in which something moves: accelerations of a point of each body at random states and with random controls, against MuJoCo's qacc without contacts, limits, dry friction
  and equalities.
- The linkages of the crate's tests, closed by `connect` and by `weld`: how far MuJoCo's loop opens, and Linkwork's.
"""

import argparse
import collections
import csv
import json
import os
import re
import subprocess
import sys
import tempfile
import tomllib
import venv
import zipfile
from pathlib import Path
from xml.etree import ElementTree

WHEELS = ["gymnasium", "dm_control", "robosuite"]
# bodies of 4e-10 kg beside one of 7 kg: rounding alone is some 1e-8
LIGHT = {"pusher": 1e-6}
LINKAGES = Path(__file__).parent.parent / "crates/linkwork-import/tests/data"


def prepare(folder):
    """A virtual environment with MuJoCo, and the wheels unpacked beside it; then this script again in it."""
    python = folder / "bin/python"
    if not python.exists():
        venv.create(folder, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "-q", "numpy", "mujoco"], check=True)
    for wheel in WHEELS:
        if not (folder / wheel).exists():
            subprocess.run([python, "-m", "pip", "download", "-q", "--no-deps", "-d", folder / "wheels", wheel], check=True)
            [file] = (folder / "wheels").glob(f"{wheel}-*.whl")
            with zipfile.ZipFile(file) as archive:
                archive.extractall(folder / wheel)
    if Path(sys.prefix).resolve() != folder.resolve():
        os.execv(python, [str(python), *sys.argv])


def run(linkwork, *arguments):
    return subprocess.run([str(linkwork), *map(str, arguments)], capture_output=True, text=True)


def imported(linkwork, file, top, *options):
    """What `linkwork import` says in JSON; files anywhere within the wheel may be read."""
    done = run(linkwork, "import", file, "--package", f"wheel={top}", "--format", "json", *options)
    try:
        return json.loads(done.stdout)
    except json.JSONDecodeError:
        return {"status": "refused", "error": done.stdout + done.stderr}


def refusal(told):
    return json.dumps({key: value for key, value in told.items() if key != "model"})[:300]


def load(file):
    import mujoco

    try:
        return mujoco.MjModel.from_xml_path(str(file)), None
    except ValueError as error:
        return None, str(error).splitlines()[0]


def weighed_by_mesh(model):
    """Whether the mass of a moving body may come from a mesh."""
    import mujoco

    return any(model.geom_type[g] == mujoco.mjtGeom.mjGEOM_MESH and model.body_weldid[model.geom_bodyid[g]] > 0 for g in range(model.ngeom))


def at_zero_pose(theirs, ours, moving=True):
    """The largest differences of what moves: masses, centres, axes and places of joints. A text if they do not have the same bodies or joints."""
    import mujoco
    import numpy as np

    data = mujoco.MjData(theirs)
    mujoco.mj_resetData(theirs, data)
    mujoco.mj_kinematics(theirs, data)
    groups = grouped(theirs, data, moving)
    bodies = [body for name, body in ours.get("bodies", {}).items() if name != "ground" and body["mass"] > 0]
    if len(bodies) != len(groups):
        return f"{len(bodies)} bodies and not {len(groups)}"
    worst = dict.fromkeys(["total mass", "mass", "centre", "axis", "place"], 0.0)
    total = 0.0
    for body, parts in zip(bodies, groups.values()):
        mass = sum(theirs.body_mass[part] for part in parts)
        centre = sum(theirs.body_mass[part] * data.xipos[part] for part in parts) / mass
        total += mass
        worst["mass"] = max(worst["mass"], abs(body["mass"] - mass) / mass)
        com = ours["points"][body["com"]] if isinstance(body["com"], str) else body["com"]
        worst["centre"] = max(worst["centre"], np.abs(np.array(com) - centre).max())
    if total:
        worst["total mass"] = abs(sum(body["mass"] for body in bodies) - total) / total
    joints = list(ours.get("joints", {}).values())[: theirs.njnt]
    if len(joints) != theirs.njnt:
        return f"{len(joints)} joints and not {theirs.njnt}"
    for number, joint in enumerate(joints):
        if theirs.jnt_type[number] in (mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE):
            worst["axis"] = max(worst["axis"], np.abs(np.array(joint["axis"]) - data.xaxis[number]).max())
        at = joint["at"] if isinstance(joint["at"], str) else joint["at"][0]
        worst["place"] = max(worst["place"], np.abs(np.array(ours["points"][at]) - data.xanchor[number]).max())
    return worst


def all_files(linkwork, folder):
    counts, left_out = collections.Counter(), collections.Counter()
    for wheel in WHEELS:
        top = folder / wheel
        for file in sorted(top.rglob("*.xml")):
            try:
                if ElementTree.parse(file).getroot().tag != "mujoco":
                    continue
            except ElementTree.ParseError:
                continue
            theirs, refused = load(file)
            name = file.relative_to(folder)
            if theirs is None:
                counts["refused by MuJoCo"] += 1
                continue
            counts["loaded by MuJoCo"] += 1
            told = imported(linkwork, file, top, "--keyframe", "none")
            moving = "nothing in the file moves" not in refusal(told)
            if not moving:
                told = imported(linkwork, file, top, "--base", "floating")
            if told.get("status") != "imported":
                weightless = "nothing in the file moves" in refusal(told) and theirs.body_mass.sum() == 0
                counts["in which nothing moves or weighs" if weightless else "refused"] += 1
                if not weightless:
                    print(f"  refused  {name}: {refusal(told)}")
                continue
            counts["imported" if moving else "in which nothing moves, compared floating"] += 1
            for note in told["substitutions"]:
                left_out[(note["severity"], re.sub(r"`[^`]*[./][^`]*`|[-0-9.e]{3,}", "…", note["what"]))] += 1
            found = at_zero_pose(theirs, tomllib.loads(told["model"]), moving)
            tolerance = 1e-6 if weighed_by_mesh(theirs) else 1e-9
            if isinstance(found, str) or max(found.values()) > tolerance:
                counts["differing"] += 1
                print(f"  differs  {name}: {found}")
            elif max(found.values()) > 1e-9:
                counts["differing by single precision of meshes"] += 1
    print("files: " + ", ".join(f"{count} {what}" for what, count in counts.items()))
    merged = sum(count for (severity, what), count in left_out.items() if what.startswith("fixed to"))
    left_out = {key: count for key, count in left_out.items() if not key[1].startswith("fixed to")}
    print(f"substitutions (and {merged} bodies merged with what they are fixed to):")
    for (severity, what), count in sorted(left_out.items(), key=lambda item: (item[0][0], -item[1])):
        print(f"  {count:5} {severity:10} {what}")
    return counts["differing"] + counts["refused"] == 0


def grouped(theirs, data, moving=True):
    """Bodies that are one, by the body that carries them: those that are welded together; of files in which nothing moves all that stands on one body of the world."""
    groups = collections.OrderedDict()
    for body in range(1, theirs.nbody):
        weld = theirs.body_weldid[body] if moving else theirs.body_rootid[body]
        if weld and theirs.body_mocapid[weld] < 0:
            groups.setdefault(weld, []).append(body)
    return {weld: parts for weld, parts in groups.items() if sum(theirs.body_mass[part] for part in parts) > 0}


def key(name):
    return f'"{name}"' if re.search(r"[^A-Za-z0-9_-]", name) else name


def without_constraints(text, joints):
    """A model without limits, dry friction, loops, couplings and surfaces, and without its start."""
    kept, section, seen = [], "", 0
    for line in text.splitlines():
        if line.startswith("["):
            section = line.strip("[]")
        if section in ["initial.joints", "couplings", "contacts", "surfaces", "looks"]:
            continue
        if section == "joints" and "{ type" in line:
            seen += 1
            if seen > joints:
                continue
            line = re.sub(r", impact_limits = (\{.*?\}|\[.*?\} ?\])(?= \}|,)", "", line)
            line = re.sub(r", friction = (\"[^\"]*\"|\[[^]]*\]|[-0-9.e]+)", "", line)
        kept.append(line)
    return "\n".join(kept) + "\n"


def accelerations(linkwork, theirs, text, states):
    """The largest difference of accelerations, relative to the largest one of the state."""
    import mujoco
    import numpy as np

    data = mujoco.MjData(theirs)
    theirs.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT  # contacts, limits, dry friction, equalities
    theirs.opt.density = theirs.opt.viscosity = 0
    mujoco.mj_resetData(theirs, data)
    mujoco.mj_kinematics(theirs, data)
    drawn = data.xmat.reshape(-1, 3, 3).copy()
    text = without_constraints(text, theirs.njnt)
    model = tomllib.loads(text)
    joints = list(model["joints"].items())
    random = np.random.default_rng(1)
    probes, points, measures = [], [], []
    weighing = [item for item in model["bodies"].items() if item[0] != "ground" and item[1]["mass"] > 0]
    centre = lambda com: np.array(model["points"][com] if isinstance(com, str) else com)
    for body, (name, ours) in zip(grouped(theirs, data), weighing, strict=True):
        at = centre(ours["com"]) + random.uniform(0.05, 0.15, 3)
        probes.append((body, data.xmat[body].reshape(3, 3).T @ (at - data.xpos[body])))
        points.append(f'"probe {body}" = {at.tolist()}')
        measures += [f'"{c}{body}" = "point.`probe {body}`.a{c}"' for c in "xyz"]
        text = re.sub(rf"(?m)^({re.escape(key(name))} *= {{ points = \[)", rf'\1"probe {body}", ', text)
    text = text.replace("[points]\n", "[points]\n" + "\n".join(points) + "\n", 1)
    if "\n[measures]\n" not in text:
        text += "\n[measures]\n"
    text = text.replace("\n[measures]\n", "\n[measures]\n" + "\n".join(measures) + "\n", 1)
    named = [theirs.actuator(n).name for n in range(theirs.nu)]
    inputs = list(model.get("inputs", {}))
    unnamed = iter([name for name in inputs if name not in named])
    of_kind = lambda *kinds: [n for n in range(theirs.njnt) if mujoco.mjtJoint(theirs.jnt_type[n]) in kinds]
    free, balls = of_kind(mujoco.mjtJoint.mjJNT_FREE), of_kind(mujoco.mjtJoint.mjJNT_BALL)
    single = of_kind(mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE)
    driven = [name or next(unnamed) for name in named]
    worst = 0.0
    for _ in range(states):
        mujoco.mj_resetData(theirs, data)
        data.qvel[:] = random.uniform(-1, 1, theirs.nv)
        coordinates = []
        for n in single:
            at, along = theirs.jnt_qposadr[n], theirs.jnt_dofadr[n]
            data.qpos[at] += random.uniform(-0.7, 0.7)
            coordinates.append(f"{key(joints[n][0])} = {{ q = {float(data.qpos[at] - theirs.qpos0[at])!r}, v = {float(data.qvel[along])!r} }}")
        limits = theirs.actuator_ctrlrange * theirs.actuator_ctrllimited[:, None]
        data.ctrl[:] = random.uniform(limits[:, 0], limits[:, 1])
        controls = [f"--input={name}={float(value)!r}" for name, value in zip(driven, data.ctrl) if name in inputs]
        mujoco.mj_forward(theirs, data)
        for n in free:  # free bodies and balls stand as drawn; they move
            along, body = theirs.jnt_dofadr[n], theirs.jnt_bodyid[n]
            rates = [*data.qvel[along : along + 3], *(data.xmat[body].reshape(3, 3) @ data.qvel[along + 3 : along + 6])]
            coordinates.append(f"{key(joints[n][0])} = {{ q = {[0] * 6}, v = {list(map(float, rates))} }}")
        for n in balls:
            along, body = theirs.jnt_dofadr[n], theirs.jnt_bodyid[n]
            rates = drawn[body] @ data.qvel[along : along + 3]
            coordinates.append(f"{key(joints[n][0])} = {{ q = [0, 0, 0], v = {rates.tolist()} }}")
        expected, jacobian, rate = [], np.zeros((3, theirs.nv)), np.zeros((3, theirs.nv))
        for body, local in probes:
            place = data.xpos[body] + data.xmat[body].reshape(3, 3) @ local
            mujoco.mj_jac(theirs, data, jacobian, None, place, body)
            mujoco.mj_jacDot(theirs, data, rate, None, place, body)
            expected.append(jacobian @ data.qacc + rate @ data.qvel)
        start = "\n[initial.joints]\n" + "\n".join(coordinates) + "\n"
        with tempfile.TemporaryDirectory() as folder:
            written = Path(folder) / "robot.toml"
            written.write_text(f"{text}{start}\n[simulation]\nduration = 1e-7\noutput_step = 1e-7\n")
            done = run(linkwork, "run", written, "-o", Path(folder) / "out", "--quiet", *controls)
            results = Path(folder) / "out/results.csv"
            if not results.exists():
                return done.stderr.strip()[:300]
            with open(results) as rows:
                row = next(csv.DictReader(rows))
        found = np.array([[float(row[f"measure.{c}{body}"]) for c in "xyz"] for body, _ in probes])
        worst = max(worst, np.abs(found - np.array(expected)).max() / max(np.abs(expected).max(), 9.81))
    return worst


def all_accelerations(linkwork, folder, states, wanted):
    """Accelerations of every file in which something moves; True if all agree."""
    print(f"accelerations at {states} states against qacc without constraints, relative to the largest one (at least to that of gravity)")
    good, skipped = True, collections.Counter()
    for wheel in WHEELS:
        top = folder / wheel
        for file in sorted(top.rglob("*.xml")):
            theirs, _ = load(file) if b"<mujoco" in file.read_bytes() else (None, None)
            if theirs is None or theirs.njnt == 0 or (wanted and wanted not in str(file)):
                continue
            told = imported(linkwork, file, top, "--keyframe", "none")
            if told.get("status") != "imported":
                skipped["not imported"] += 1
            else:
                found = accelerations(linkwork, theirs, told["model"], states)
                tolerance = 1e-5 if weighed_by_mesh(theirs) else LIGHT.get(file.stem, 1e-9)
                agrees = isinstance(found, float) and found < tolerance
                good &= agrees
                found = f"{found:.1e}" if isinstance(found, float) else found
                print(f"  {'' if agrees else 'DIFFERS '}{str(file.relative_to(top)):90} {theirs.nv:3} degrees of freedom  {found}")
    print("not compared: " + (", ".join(f"{count} {what}" for what, count in skipped.items()) or "none"))
    return good


def linkage(linkwork, kind, seconds=2.0):
    """The largest opening of MuJoCo's loop, and the crank's angle at the end in MuJoCo and in Linkwork."""
    import mujoco
    import numpy as np

    file = LINKAGES / f"four_bar_{kind}.xml"
    theirs, _ = load(file)
    data = mujoco.MjData(theirs)
    mujoco.mj_resetDataKeyframe(theirs, data, 0)
    # MuJoCo does not project velocities onto the loop: those of the other joints, so that it stays closed at first
    drawn = lambda: data.site_xpos[0] - [2, 0, 0] if kind == "connect" else data.body("upper").xpos - data.body("lower").xpos - data.body("lower").xmat.reshape(3, 3) @ [0, 0, 2]
    mujoco.mj_kinematics(theirs, data)
    mujoco.mj_comPos(theirs, data)
    jacobians = []
    for body, place in [("rocker", [2, 0, 0])] if kind == "connect" else [("upper", [2, 0, 2]), ("lower", [2, 0, 2])]:
        linear, angular = np.zeros((3, theirs.nv)), np.zeros((3, theirs.nv))
        mujoco.mj_jac(theirs, data, linear, angular, np.array(place, float), theirs.body(body).id)
        jacobians.append(linear if kind == "connect" else np.vstack([linear, angular]))
    rows = jacobians[0] if kind == "connect" else jacobians[0] - jacobians[1]
    data.qvel[1:] = np.linalg.lstsq(rows[:, 1:], -rows[:, 0] * data.qvel[0], rcond=None)[0]
    opening = 0.0
    while data.time < seconds - 1e-9:
        mujoco.mj_step(theirs, data)
        mujoco.mj_kinematics(theirs, data)
        opening = max(opening, np.abs(drawn()).max())
    with tempfile.TemporaryDirectory() as folder:
        written = Path(folder) / "linkage.toml"
        text = imported(linkwork, file, LINKAGES)["model"]
        written.write_text(f"{text}\n[simulation]\nduration = {seconds}\noutput_step = {seconds}\ntolerance = 1e-11\n")
        run(linkwork, "run", written, "-o", Path(folder) / "out", "--quiet")
        with open(Path(folder) / "out/results.csv") as table:
            angle = float(list(csv.DictReader(table))[-1]["joint.A.q"])
        summary = json.loads((Path(folder) / "out/summary.json").read_text())
    return opening, data.qpos[0], angle, summary


def residual(summary):
    """The largest number under a key that speaks of a residual."""
    found = [value for key, value in walk(summary) if "residual" in key and isinstance(value, float)]
    return max(found, default=float("nan"))


def walk(tree, path=""):
    for key, value in tree.items() if isinstance(tree, dict) else []:
        yield f"{path}.{key}", value
        yield from walk(value, f"{path}.{key}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--linkwork", type=Path, default=Path("target/release/linkwork"))
    parser.add_argument("--venv", type=Path, default=Path(tempfile.gettempdir()) / "linkwork-mjcf")
    parser.add_argument("--states", type=int, default=5)
    parser.add_argument("--only", help="accelerations of the files whose path has this in it")
    args = parser.parse_args()
    prepare(args.venv)
    import mujoco

    print(f"MuJoCo {mujoco.__version__}")
    good = args.only is not None or all_files(args.linkwork, args.venv)
    good &= all_accelerations(args.linkwork, args.venv, args.states, args.only)
    for kind in ["connect", "weld"]:
        opening, theirs, ours, summary = linkage(args.linkwork, kind)
        print(f"four-bar by {kind}: MuJoCo's loop opens by {opening:.1e} m, Linkwork's by {residual(summary):.1e} m; crank after 2 s {theirs:.6f} and {ours:.6f} rad")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
