#!/usr/bin/env python3
"""Scenes with contacts in Linkwork, Rapier and MuJoCo.

    python3 benches/contacts/run.py [--only NAME]... [--rounds N] [--limit S] [--out FILE]

See README.md beside this file for what is measured and how fair it is.
"""

import argparse
import fnmatch
import json
import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import environment  # noqa: E402

# name of a row: participant, its variant or the settings of the model file
ROWS = {
    "linkwork": ("linkwork", ""),
    "linkwork, same step": ("linkwork", 'contact_method = "steps"\nintegrator = "moreau"\nstep = {step!r}'),
    "rapier": ("rapier", "default"),
    "rapier, fine": ("rapier", "fine"),
    "mujoco": ("mujoco", "default"),
    "mujoco, fine": ("mujoco", "fine"),
}


def options():
    p = argparse.ArgumentParser(description="scenes with contacts in Linkwork, Rapier and MuJoCo")
    p.add_argument("--only", action="append", default=[], metavar="NAME", help="only these scenes, by name, group or pattern: heap-*; may be repeated")
    p.add_argument("--rows", action="append", default=[], metavar="ROW", help="only these rows of the table, by name or pattern: 'linkwork*'; may be repeated")
    p.add_argument("--rounds", type=int, default=3, metavar="N", help="how often each run is repeated; the best time counts. Default 3")
    p.add_argument("--limit", type=float, default=60.0, metavar="S", help="CPU time after which a run is cut off. Default 60 s")
    p.add_argument("--out", type=Path, default=environment.FOLDER / "report", metavar="FILE", help="writes FILE.json and FILE.md; default target/contacts/report")
    p.add_argument("--write", type=Path, metavar="FOLDER", help="writes all scenes as Linkwork model files into a folder, and stops")
    p.add_argument("--no-build", action="store_true", help="takes the programs that were built before")
    p.add_argument("--list", action="store_true", help="names the scenes and stops")
    return p.parse_args()


def command(programs, folder, scene, row, limit):
    participant, variant = ROWS[row]
    text = folder / scene.name
    if participant == "linkwork":
        file = text.with_name(f"{scene.name}-{'own' if not variant else 'steps'}.toml")
        file.write_text(scene.as_toml(variant.format(step=scene.step)))
        return [str(programs["linkwork"]), str(file), str(limit)]
    text.with_name(scene.name + ".json").write_text(json.dumps(scene.as_json()))
    if participant == "rapier":
        return [str(programs["rapier"]), f"{text}.json", variant, str(limit)]
    import mujoco_participant

    text.with_name(f"{scene.name}-{variant}.xml").write_text(scene.as_mjcf(mujoco_participant.VARIANTS[variant]))
    program = [str(environment.python()), str(environment.HERE / "mujoco_participant.py")]
    return [*program, f"{text}-{variant}.xml", f"{text}.json", variant, str(limit)]


def once(line, limit):
    """One run in a process of its own: its answer, and its peak memory."""
    try:
        # setting up is not under the limit that the program watches
        done = subprocess.run(line, capture_output=True, text=True, timeout=5 * limit + 120)
    except subprocess.TimeoutExpired:
        return {"status": "hangs: killed", "poses": []}
    if done.returncode:
        return {"status": f"crashed: {done.stderr.strip().splitlines()[-1:] or done.returncode}", "poses": []}
    return json.loads(done.stdout)


def since_the_drawing(scene, poses):
    """Linkwork's rotations begin with the drawing: those of the bodies' own axes instead."""
    from scene import times

    drawn = [body.rotation for body in scene.movers]
    for sample in poses:
        for pose, first in zip(sample, drawn):
            pose[3:7] = times(pose[3:7], first)


def measured(programs, folder, scene, rows, chosen):
    """Figures of all rows of a scene; the rounds are interleaved."""
    import check

    checker = check.Checker(scene)
    found = {}
    for turn in range(chosen.rounds):
        for row in rows:
            if turn and (found[row]["status"] != "finished" or found[row]["cpu"] > 0.1 * chosen.limit):
                continue
            answer = once(command(programs, folder, scene, row, chosen.limit), chosen.limit)
            poses = answer.pop("poses")
            if ROWS[row][0] == "linkwork":
                since_the_drawing(scene, poses)
            if row in found:
                for key in ("cpu", "wall", "setup"):
                    found[row][key] = min(found[row][key], answer[key])
                continue
            figures = {"status": answer["status"], **{k: answer.get(k) for k in ("cpu", "wall", "setup", "steps", "contacts", "own")}}
            if len(poses) > 1:
                figures |= checker.figures({"poses": poses})
                figures["simulated"] = answer["t"][-1]
            found[row] = figures
    return found


def main():
    chosen = options()
    if Path(sys.prefix).resolve() != environment.FOLDER.resolve():
        environment.packages()
        os.execv(environment.python(), [str(environment.python()), *sys.argv])
    import report
    import scenes

    every = scenes.every()
    if chosen.list:
        print("\n".join(f"{s.name:32} {s.group:10} {s.note}" for s in every.values()))
        return
    wanted = [s for s in every.values() if not chosen.only or any(fnmatch.fnmatch(s.name, o) or s.group == o for o in chosen.only)]
    if not wanted:
        sys.exit(f"no scene is called {' or '.join(chosen.only)}; --list names them")
    if chosen.write:
        chosen.write.mkdir(parents=True, exist_ok=True)
        for s in wanted:
            (chosen.write / f"{s.name}.toml").write_text(s.as_toml())
        return
    rows = [r for r in ROWS if not chosen.rows or any(fnmatch.fnmatch(r, o) for o in chosen.rows)]
    release = environment.FOLDER / "cargo" / "release"
    programs = {p: release / f"{p}-contacts" for p in ("linkwork", "rapier")} if chosen.no_build else environment.programs()
    rows = [r for r in rows if ROWS[r][0] in programs or ROWS[r][0] == "mujoco"]
    folder = environment.FOLDER / "scenes"
    folder.mkdir(parents=True, exist_ok=True)
    results = {}
    for s in wanted:
        environment.say(s.name)
        results[s.name] = {"group": s.group, "bodies": len(s.free), "duration": s.duration, "step": s.step, "size": s.size, "expect": s.expect, "note": s.note, "rows": measured(programs, folder, s, rows, chosen)}
        report.write(results, chosen.out)
    print(report.summary(results))


if __name__ == "__main__":
    main()
