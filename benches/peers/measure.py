"""Agreement, then times: forward dynamics of one state, of many states, and whole runs."""

import json
import os
import platform
import subprocess
import sys
from importlib import metadata

import models
import numpy as np
import runs
from environment import FOLDER, HERE, PINNED, python, say
from participants import Clock, Left, Participant, interleaved

SLOW = {"chain-300", "chain-1000", "xyz-300", "xyz-1000", "four-bars-400", "ladder-20"}
BATCHES = {"chain-7", "chain-30", "chain-100", "xyz-30", "tree-30", "floating-30", "arm-7", "humanoid"}
STATES_COMPARED = 3
RUN_LIMIT = 6.0  # s: a whole run that would take longer is left out, and told
PEERS = ["pinocchio", "mujoco", "drake", "simbody", "exudyn", "rapier"]


def start(drivers, ours, without):
    """Participants by the name of the library; Pinocchio has a program for each way it was compiled."""
    script = lambda name: [python(), HERE / "drivers" / name]  # noqa: E731
    commands = {name: [program] for name, program in drivers.items() if program}
    commands |= {"drake": script("drake_tree.py"), "simbody": script("simbody_tree.py")}
    commands |= {"exudyn": script("exudyn_tree.py"), "exudyn-runs": script("exudyn_runs.py")}
    commands |= {"mujoco-runs": script("mujoco_runs.py"), "drake-runs": script("drake_runs.py")}
    commands |= {name: [program] for name, program in ours.items()}
    return {n: Participant(n.split("-")[0], c) for n, c in commands.items() if n not in without and n.split("-")[0] not in without}


def everything(programs, trees, whole, chosen):
    found = {"about": about(chosen), "trees": [], "batches": [], "runs": []}
    for name, maker in trees.items():
        say(f"{name}: agreement and times")
        single, batch = tree(programs, (name, maker), chosen.quick)
        found["trees"].append(single)
        if batch:
            found["batches"].append(batch)
    for name, maker in whole.items():
        say(f"{name}: whole runs")
        found["runs"].append(run(programs, (name, maker), chosen.quick))
    found["about"]["load after"] = os.getloadavg()[0]
    return found


def about(chosen):
    """Where and how: processor, compilers, versions."""

    def told(*command):
        try:
            return subprocess.run(command, capture_output=True, text=True).stdout.splitlines()[0]
        except (OSError, IndexError):
            return "unknown"

    cpu = platform.processor() or "unknown"
    try:
        with open("/proc/cpuinfo") as file:
            cpu = next((line.split(":")[1].strip() for line in file if line.startswith("model name")), cpu)
    except OSError:
        pass
    versions = {}
    for package in PINNED:
        try:
            versions[package.split("==")[0]] = metadata.version(package.split("==")[0])
        except metadata.PackageNotFoundError:
            pass
    lock = (HERE / "participant" / "Cargo.lock").read_text().split("[[package]]")
    for block in lock:
        if 'name = "rapier3d-f64"' in block:
            versions["rapier3d-f64"] = block.split('version = "')[1].split('"')[0]
    versions["linkwork"] = told("git", "-C", str(HERE), "describe", "--always", "--dirty")
    return {
        "processor": cpu,
        "cores": os.cpu_count(),
        "system": platform.platform(),
        "load before": os.getloadavg()[0],
        "versions": versions,
        "compilers": [told("g++", "--version"), told("rustc", "--version")],
        "flags": "Linkwork and Rapier: fat LTO" + ("" if chosen.portable else ", target-cpu=native") + "; Pinocchio and drivers: -O3 -march=native and others, best counts",
        "quick": chosen.quick,
        "python": sys.version.split()[0],
    }


def model_file(maker, module):
    """The model as a file, made again only if what makes it changed."""
    folder = FOLDER / "models"
    folder.mkdir(parents=True, exist_ok=True)
    source = max(os.path.getmtime(HERE / "models.py"), os.path.getmtime(HERE / "runs.py"))
    name = maker[0]
    file = folder / f"{name}.json"
    if not file.exists() or os.path.getmtime(file) < source:
        module.write(maker[1](), folder)
    return file, json.loads(file.read_text())


def difference(a, b):
    a, b = np.array(a), np.array(b)
    if a.shape != b.shape or not np.all(np.isfinite(a)):
        return float("inf")
    return float(abs(a - b).max() / abs(b).max())


def tree(programs, maker, quick):
    file, model = model_file(maker, models)
    entry = {"name": model["name"], "group": model["group"], "bodies": len(model["links"]), "participants": {}, "left out": {}}
    moving = [(n, p) for n, p in programs.items() if not n.endswith("-runs")]
    loaded = []
    for name, program in moving:
        try:
            program.load(file)
            loaded += [(name, program, v) for v in program.variants()]
        except Left as why:
            entry["left out"][name] = str(why)
    judge = next((p for n, p, _ in loaded if n == "pinocchio-native"), None)
    reference, entry["reference"] = reference_answers(loaded, judge)
    usable = []
    for name, program, variant in loaded:
        try:
            answers = [program.answer(variant, s) for s in range(STATES_COMPARED)]
        except Left as why:
            entry["left out"][f"{name} {variant}"] = str(why)
            continue
        off = max(difference(a, r) for a, r in zip(answers, reference))
        residual = missed(judge, answers)
        usable.append((program, variant, off, residual))
    racing = [u for u in usable if can(u[0], "repeat", u[1])]
    clocks = [Clock(p, v) for p, v, _, _ in racing]
    interleaved(clocks, 0.002 if quick else 0.003, 7 if quick else 31)
    collect(entry, racing, clocks, 1)
    if model["name"] not in BATCHES:
        return entry, None
    batch = {k: entry[k] for k in ("name", "group", "bodies")} | {"states": len(model["states"]), "participants": {}}
    racing = [u for u in usable if can(u[0], "batch", u[1])]
    clocks = [Clock(p, v, "batch") for p, v, _, _ in racing]
    interleaved(clocks, 0.002 if quick else 0.003, 7 if quick else 31)
    collect(batch, racing, clocks, len(model["states"]))
    return entry, batch


def can(program, what, variant):
    try:
        return program.seconds(what, variant, 1) >= 0.0
    except Left:
        return False


def missed(judge, answers):
    """How far answers miss the given forces, by Pinocchio's rnea; None where Pinocchio cannot."""
    if judge is None:
        return None
    return max(float(judge.ask(f"residual {s} " + " ".join(map(repr, a)))) for s, a in enumerate(answers))


def reference_answers(loaded, judge):
    """Those of Pinocchio in local axes; of another peer where Pinocchio cannot, or where its own rnea finds them wrong."""
    order = [("pinocchio-native", "aba-local-native"), ("drake", "derivatives"), ("mujoco", "lean")]
    for name, variant in order:
        for n, program, v in loaded:
            if (n, v) == (name, variant):
                answers = [program.answer(v, s) for s in range(STATES_COMPARED)]
                off = missed(judge, answers)
                if off is None or off < 1e-6:
                    return answers, name.split("-")[0]
    raise Left("no peer can be the reference")


def collect(entry, usable, clocks, evaluations):
    """By library: the best variant, and all others beside it."""
    for (program, variant, off, residual), clock in zip(usable, clocks):
        ns = 1e9 * clock.best / entry["bodies"] / evaluations
        spread = float(np.median(clock.rounds) / clock.best)
        one = {"variant": variant, "ns per body": ns, "median over best": spread, "difference": off, "residual": residual}
        entry["participants"].setdefault(program.name, []).append(one)
    for variants in entry["participants"].values():
        variants.sort(key=lambda v: v["ns per body"])


def step_of(variant):
    """The end of a variant's name, where it is a number: step or tolerance."""
    at = variant.rfind("-1e-")
    return float(variant[at + 1 :]) if at >= 0 else None


def run(programs, maker, quick):
    file, model = model_file(maker, runs)
    entry = {"name": model["name"], "title": model["title"], "truth": model["truth"], "variants": [], "left out": {}}
    truth = np.array(model["reference"]).ravel()
    points = []
    limit = RUN_LIMIT / 20 if quick else RUN_LIMIT
    for name in ("exudyn-runs", "mujoco-runs", "drake-runs", "linkwork"):
        program = programs.get(name)
        if program is None:
            continue
        try:
            program.load(file)
            names = program.variants()
        except Left as why:
            entry["left out"][name] = str(why)
            continue
        cost = {}  # by name without the step: (step, seconds) of the last run
        for variant in sorted(names, key=lambda v: -(step_of(v) or 0.0)):
            stem, step = variant.rsplit("-1e-", 1)[0], step_of(variant)
            if fixed_step(variant) and stem in cost and cost[stem][1] * cost[stem][0] / step > limit:
                entry["left out"][f"{program.name} {variant}"] = "would take too long"
                continue
            try:
                answer = np.array(program.answer(variant))
                seconds = program.seconds("repeat", variant, 1)
            except Left as why:
                entry["left out"][f"{program.name} {variant}"] = str(why)
                continue
            cost[stem] = (step, seconds)
            if answer.shape != truth.shape or not np.all(np.isfinite(answer)):
                entry["left out"][f"{program.name} {variant}"] = "rows are missing"
                continue
            points.append((program, variant, float(abs(answer - truth).max()), seconds))
    kept = worth_timing(points)
    clocks = [Clock(p, v) for p, v, _, _ in kept]
    for clock, (_, _, _, seconds) in zip(clocks, kept):
        clock.k = max(1, int((0.005 if quick else 0.02) / seconds))
    for _ in range(2 if quick else 5):
        for clock in clocks:
            clock.round()
    for (program, variant, off, _), clock in zip(kept, clocks):
        entry["variants"].append({"participant": program.name, "variant": variant, "ms": 1e3 * clock.best, "error": off})
    return entry


def family(variant):
    """Methods of fixed step that are compared at the same step: those of order 2, and RK4; None with error control."""
    if any(m in variant for m in ("alpha", "trapezoidal", "index3")):
        return "order 2"
    return "rk4" if "rk4" in variant else "order 1" if "euler" in variant else None


def fixed_step(variant):
    return family(variant) is not None


def worth_timing(points):
    """Those that no other run of the same library beats clearly in time and error both; of each step size the fastest two."""
    kept = []
    for p in points:
        program, variant, off, seconds = p
        same = [o for o in points if o[0] is program]
        beaten = any(o[2] <= off and o[3] < 0.6 * seconds for o in same)
        alike = [o for o in same if fixed_step(variant) and family(o[1]) == family(variant) and step_of(o[1]) == step_of(variant)]
        peers = sorted(alike, key=lambda o: o[3])
        if not beaten or p in peers[:2]:
            kept.append(p)
    return kept
