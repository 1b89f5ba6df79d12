#!/usr/bin/env python3
"""Path synthesis of four-bar linkages from random starts, timed on one core.

    python3 studies/path_synthesis.py [--linkwork FILE] [--seeds N]

The first two problems of Cabrera, Simon and Prado: six places on a line with free timing (a linkage that passes them all exists), and five places at given angles of the crank with an order of the
links (the least sum of squares that is known is 2.5637e-4). For every seed the objective, the evaluations and the seconds of CPU.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "crates/linkwork-optimize/tests/data"
CASES = [("path-free.toml", 60_000, 1e-12), ("path-timed.toml", 30_000, 2.57e-4)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--linkwork", type=Path)
    parser.add_argument("--seeds", type=int, default=10)
    args = parser.parse_args()
    linkwork = args.linkwork
    if linkwork is None:
        subprocess.run(["cargo", "build", "--release", "-p", "linkwork-cli"], cwd=ROOT, check=True)
        linkwork = ROOT / "target/release/linkwork"
    good = True
    with tempfile.TemporaryDirectory() as folder:
        for name, runs, bar in CASES:
            for seed in range(1, args.seeds + 1):
                command = [linkwork, "optimize", DATA / name, "--global", "--runs", runs, "--seed", seed, "--jobs", 1, "-o", folder, "--format", "json"]
                before = os.times()
                done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
                after = os.times()
                seconds = after.children_user + after.children_system - before.children_user - before.children_system
                found = json.loads(done.stdout)
                reached = found["objective"] is not None and found["objective"] <= bar and all(one["holds"] for one in found["constraints"])
                good &= reached and seconds < 10
                print(f"{name} seed {seed}: {found['objective']:.4e} after {found['evaluations']} evaluations, {seconds:.1f} s{'' if reached else '  NOT REACHED'}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
