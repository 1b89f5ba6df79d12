"""Tables of the comparison as Markdown, and every figure as JSON."""

import json

HEAD = ["", "finished", "CPU per s", "penetration", "energy gain", "creep", "moved", "contacts", "sweeps per step"]


def short(x):
    return "–" if x is None else f"{x:.1e}" if x and abs(x) < 0.01 else f"{x:.3g}"


def line(row, f):
    status = "yes" if f["status"] == "finished" else f["status"].replace("\n", " ").replace("|", "/")[:90]
    per_second = f["cpu"] / f["simulated"] if f.get("simulated") else None
    own = f.get("own") or {}
    sweeps = own["sweeps"] / max(own["contact_steps"], 1) if own.get("sweeps") is not None else None
    gain = None if f.get("driven") else f.get("gain")
    cells = [row, status, short(per_second), short(f.get("penetration")), short(gain), short(f.get("creep")), short(f.get("moved")), short(f.get("contacts")), short(sweeps)]
    return "| " + " | ".join(cells) + " |"


def summary(results):
    """What holds of all scenes, and what does not, for each row."""
    rows = list(dict.fromkeys(r for s in results.values() for r in s["rows"]))
    out = ["| | finished | no energy gain (1e-6) | penetration < 1e-4 | fastest |", "| --- | --- | --- | --- | --- |"]
    for row in rows:
        here = {n: s["rows"][row] for n, s in results.items() if row in s["rows"]}
        done = [n for n, f in here.items() if f["status"] == "finished"]
        calm = [n for n in done if here[n]["driven"] or here[n]["gain"] < 1e-6]
        shallow = [n for n in done if here[n]["penetration"] < 1e-4]
        fastest = [n for n in done if all(here[n]["cpu"] <= f["cpu"] for f in results[n]["rows"].values() if f["status"] == "finished")]
        out.append(f"| {row} | {len(done)} of {len(here)} | {len(calm)} | {len(shallow)} | {len(fastest)} |")
    return "\n".join(out)


def violations(results):
    out = []
    for n, s in results.items():
        for row, f in s["rows"].items():
            if not row.startswith("linkwork"):
                continue
            if f["status"] != "finished":
                out.append(f"- `{n}`, {row}: {f['status'][:300]}")
                continue
            if f["penetration"] >= 1e-4:
                out.append(f"- `{n}`, {row}: penetration {f['penetration']:.1e} of the size (its own report: {(f['own'].get('overlap') or 0) / s['size']:.1e})")
            if not f["driven"] and f["gain"] >= 1e-6:
                out.append(f"- `{n}`, {row}: gains energy, {f['gain']:.1e} of m g size")
            if s["expect"] == "rest" and f["creep"] > 1e-6:
                out.append(f"- `{n}`, {row}: should rest and creeps by {f['creep']:.1e} of the size in the last quarter")
    return "\n".join(out) or "none"


def write(results, file):
    file.with_suffix(".json").write_text(json.dumps(results, indent=1))
    text = ["# Scenes with contacts", "", summary(results), "", "Lengths are relative to the size of a body, energies to the weight of all bodies times that size or the first kinetic energy, whichever is more. CPU per s: seconds of computing per simulated second.", "", "## What Linkwork does not meet", "", violations(results)]
    for n, s in results.items():
        text += ["", f"## {n}", "", f"{s['note']} {s['bodies']} bodies, {s['duration']:g} s, steps of {s['step'] * 1e3:g} ms.".strip(), "", "| " + " | ".join(HEAD) + " |", "|" + " --- |" * len(HEAD)]
        text += [line(row, f) for row, f in s["rows"].items()]
    file.with_suffix(".md").write_text("\n".join(text) + "\n")
