#!/usr/bin/env python3
"""Confidence intervals of `linkwork fit` in many repeats, and its estimates beside those of scipy.optimize.least_squares.

    python3 studies/fit_coverage.py [--linkwork FILE] [--environment DIR] [--repeats N]

A damped pendulum with known length and damping runs, its angle is disturbed by normal errors with a seed, and `linkwork fit` finds length and damping
again. Prints how many 95 % intervals cover the truth: of 200 repeats with two parameters, 93 to 97 % is what chance allows. Of the first three data sets
scipy.optimize.least_squares finds the parameters too, with `linkwork run` as the simulator; prints the largest difference in parts of the standard error.

Makes an environment with numpy and scipy from PyPI unless DIR has one, and builds the command with cargo unless --linkwork names one.
"""

import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MODEL = ROOT / "crates/linkwork-optimize/tests/data/pendulum-fit.toml"
TRUTH = {"l": 0.5, "c": 0.01}
NOISE = 0.02
STEP, COUNT = 0.05, 40


def environment(folder: Path) -> None:
    """Runs this script again with numpy and scipy."""
    python = folder / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        subprocess.run([str(python), "-m", "pip", "install", "--quiet", "numpy", "scipy"], check=True)
    if Path(sys.prefix).resolve() != folder.resolve():
        os.execv(str(python), [str(python), *sys.argv])


def angles(linkwork: Path, folder: Path, l: float, c: float) -> list[float]:
    """The angle at the times of the data, by a run."""
    command = [linkwork, "run", MODEL, "--set", f"l={float(l)!r}", "--set", f"c={float(c)!r}", "-o", folder, "--quiet"]
    subprocess.run([str(part) for part in command], check=True, stdout=subprocess.DEVNULL)
    with (folder / "results.csv").open() as file:
        rows = list(csv.DictReader(file))
    return [float(row["joint.A.q"]) for row in rows[1 : COUNT + 1]]


def fit(linkwork: Path, data: Path, folder: Path) -> dict:
    command = [linkwork, "fit", MODEL, "--data", data, "--map", "angle=joint.A.q", "-o", folder, "--format", "json", "--jobs", "1"]
    found = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    return json.loads(found.stdout)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--linkwork", type=Path)
    parser.add_argument("--environment", type=Path, default=Path(tempfile.gettempdir()) / "linkwork-fit")
    parser.add_argument("--repeats", type=int, default=200)
    args = parser.parse_args()
    environment(args.environment)
    import numpy as np
    from scipy.optimize import least_squares

    linkwork = args.linkwork
    if linkwork is None:
        subprocess.run(["cargo", "build", "--release", "-p", "linkwork-cli"], cwd=ROOT, check=True)
        linkwork = ROOT / "target/release/linkwork"
    covered = {name: 0 for name in TRUTH}
    apart = 0.0
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        exact = np.array(angles(linkwork, folder / "run", **TRUTH))
        for seed in range(args.repeats):
            measured = exact + NOISE * np.random.default_rng(seed).standard_normal(COUNT)
            data = folder / "data.csv"
            with data.open("w") as file:
                file.write("t,angle\n")
                file.writelines(f"{STEP * (k + 1)!r},{float(x)!r}\n" for k, x in enumerate(measured))
            found = fit(linkwork, data, folder / "fit")
            estimates = {one["name"]: one for one in found["estimates"]}
            for name, truth in TRUTH.items():
                low, high = estimates[name]["interval"]
                covered[name] += low <= truth <= high
            if seed < 3:

                def residuals(x):
                    return np.array(angles(linkwork, folder / "run", x[0], x[1])) - measured

                bounds = ([0.3, 0.0], [0.8, 0.1])
                peer = least_squares(residuals, [0.45, 0.02], bounds=bounds, x_scale=[0.5, 0.1], diff_step=1e-4, jac="3-point", xtol=1e-12, ftol=1e-12, gtol=1e-12)
                for name, value in zip(TRUTH, peer.x):
                    error = estimates[name]["standard_error"]
                    apart = max(apart, abs(estimates[name]["value"] - value) / error)
                    print(f"  {name}: {estimates[name]['value']:.10f}, scipy {value:.10f}, standard error {error:.2e}")
    for name, count in covered.items():
        print(f"{name}: {count} of {args.repeats} intervals cover, {100 * count / args.repeats:.1f} %")
    total = 100 * sum(covered.values()) / (len(covered) * args.repeats)
    print(f"together {total:.1f} %; largest difference from scipy {apart:.1e} standard errors")
    return 0 if 93 <= total <= 97 and apart < 1e-3 else 1


if __name__ == "__main__":
    sys.exit(main())
