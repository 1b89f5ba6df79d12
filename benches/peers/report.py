"""Tables in text and Markdown, and everything as JSON."""

import json
from pathlib import Path

from measure import PEERS, family, step_of

METHOD = """\
All participants build the same models from the same files and run in one go, in turn, in slices of equal time; each figure is the best of its rounds. Ratios
are of the best variant of a library: above 1, Linkwork is faster. Differences are relative, of accelerations, the worst of three states, against
{reference}; residuals are Pinocchio's rnea of an answer less the given forces, relative. Nothing is in parallel: times are of one core."""


def table(head, rows):
    """Markdown that can be read as it stands: columns of equal width, numbers to the right."""
    rows = [[str(c) for c in r] for r in rows]
    widths = [max(len(str(r[i])) for r in [head, *rows]) for i in range(len(head))]
    line = lambda cells: "| " + " | ".join(c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(cells, widths))) + " |"  # noqa: E731
    rule = "| " + " | ".join("-" * w if i == 0 else "-" * (w - 1) + ":" for i, w in enumerate(widths)) + " |"
    return "\n".join([line(head), rule, *(line(r) for r in rows)])


def figure(x, digits=3):
    if x is None:
        return "–"
    if x >= 1000:
        return f"{x:.0f}"
    return f"{x:.{digits}g}"


def times(entries, ours_first):
    """ns per body of each library's best variant, the best peer, and the ratio."""
    present = [p for p in PEERS if any(p in e["participants"] for e in entries)]
    rows = []
    for e in entries:
        best = {p: e["participants"][p][0] for p in e["participants"]}
        ours = best.get("linkwork")
        cells = [e["name"]]
        cells += [figure(best[p]["ns per body"]) if p in best else "–" for p in present]
        cells += [f"{figure(ours['ns per body'])} ({ours['variant']})" if ours else "–"]
        for p in (ours_first, None):
            rivals = {n: b for n, b in best.items() if n != "linkwork" and p in (None, n)}
            if not ours or not rivals:
                cells.append("–")
                continue
            name, rival = min(rivals.items(), key=lambda item: item[1]["ns per body"])
            ratio = f"{rival['ns per body'] / ours['ns per body']:.1f}"
            cells.append(ratio if p else f"{ratio} ({name} {rival['variant']})")
        rows.append(cells)
    return table(["ns per body", *present, "linkwork", f"{ours_first} / ours", "best peer / ours"], rows)


def agreement(entries):
    names = [p for p in [*PEERS, "linkwork"] if any(p in e["participants"] for e in entries)]
    rows = []
    for e in entries:
        cells = [e["name"], e["reference"]]
        for n in names:
            variants = e["participants"].get(n)
            if not variants:
                cells.append("–")
                continue
            off = max(v["difference"] for v in variants)
            left = [v["residual"] for v in variants if v["residual"] is not None]
            cells.append(f"{off:.0e}" + (f" / {max(left):.0e}" if left else ""))
        rows.append(cells)
    return table(["difference / residual", "against", *names], rows)


def best_by(variants, key):
    return min(variants, key=key) if variants else None


def levels(run):
    """Of each peer the fastest run for each kind of method and each step or tolerance."""
    found = {}
    for v in run["variants"]:
        if v["participant"] != "linkwork":
            key = (v["participant"], family(v["variant"]) or v["variant"].split("-")[0], -(step_of(v["variant"]) or 0.0))
            if key not in found or v["ms"] < found[key]["ms"]:
                found[key] = v
    return [found[k] for k in sorted(found)]


def compared(rival, ours):
    head = [rival["participant"], f"{figure(rival['ms'])} ({rival['variant']})", f"{rival['error']:.1e}"]
    if not ours:
        return [*head, "–", "–", "–"]
    return [*head, f"{figure(ours['ms'])} ({ours['variant']})", f"{ours['error']:.1e}", f"{rival['ms'] / ours['ms']:.1f}"]


HEAD = ["peer", "peer, ms", "error, m", "linkwork, ms", "error, m", "ratio"]


def own(run, fits):
    return best_by([v for v in run["variants"] if v["participant"] == "linkwork" and fits(v)], lambda v: v["ms"])


def equal_step(runs):
    rows = []
    for r in runs:
        for rival in levels(r):
            kind, step = family(rival["variant"]), step_of(rival["variant"])
            if kind in ("order 2", "rk4"):
                ours = own(r, lambda v, kind=kind, step=step: family(v["variant"]) == kind and step_of(v["variant"]) == step)
                rows.append([r["title"], f"{kind}, {step:g} s", *compared(rival, ours)])
    return table(["run", "method, step", *HEAD], rows)


def equal_error(runs):
    rows = []
    for r in runs:
        for rival in levels(r):
            ours = own(r, lambda v, rival=rival: v["error"] <= rival["error"])
            rows.append([r["title"], *compared(rival, ours)])
    return table(["run", *HEAD], rows)


def left_out(found):
    lines = []
    for e in [*found["trees"], *found["runs"]]:
        lines += [f"- {e['name']}: {who}: {why}" for who, why in e["left out"].items()]
    return "\n".join(lines)


def text(found):
    about = found["about"]
    versions = ", ".join(f"{n} {v}" for n, v in about["versions"].items())
    parts = [
        "# Linkwork and its peers",
        f"{about['processor']}, {about['cores']} cores, {about['system']}; load {about['load before']:.1f} before, {about['load after']:.1f} after."
        f" {versions}. {'; '.join(about['compilers'])}. {about['flags']}." + (" Quick run: rough figures." if about["quick"] else ""),
        METHOD.format(reference="the peer named in the table"),
    ]
    if found["trees"]:
        parts += ["## Agreement", agreement(found["trees"])]
        parts += ["## Forward dynamics of one state", times(found["trees"], "pinocchio")]
    if found["batches"]:
        count = found["batches"][0]["states"]
        parts += [f"## Forward dynamics of {count} states, one core", times(found["batches"], "pinocchio")]
    if found["runs"]:
        parts += ["## Whole runs, equal step and order", equal_step(found["runs"])]
        parts += ["## Whole runs, equal error", equal_error(found["runs"])]
        truths = "\n".join(f"- {r['title']}: {r['truth']}" for r in found["runs"])
        parts += ["Errors are the largest distance from the truth over ten rows. The truth:\n\n" + truths]
    if left_out(found):
        parts += ["## Left out", left_out(found)]
    return "\n\n".join(parts) + "\n"


def write(found, out):
    out = Path(out)
    out.parent.mkdir(parents=True, exist_ok=True)
    stem = out.with_suffix("") if out.suffix in (".json", ".md") else out
    stem.with_suffix(".json").write_text(json.dumps(found, indent=1))
    stem.with_suffix(".md").write_text(text(found))
    print(text(found))
    print(f"written: {stem}.md, {stem}.json")
