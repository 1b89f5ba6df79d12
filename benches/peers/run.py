#!/usr/bin/env python3
"""Linkwork against its peers on the same models, in one go.

    python3 benches/peers/run.py [--quick] [--only NAME]... [--out FILE]

See README.md beside this file for what is measured and how fair it is.
"""

import argparse
import fnmatch
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import environment  # noqa: E402


def options():
    p = argparse.ArgumentParser(description="Linkwork against its peers on the same models")
    p.add_argument("--quick", action="store_true", help="short slices and few rounds, small models: figures are rougher")
    p.add_argument("--only", action="append", default=[], metavar="NAME", help="only these models, by name or pattern: chain-*, vehicle; may be repeated")
    p.add_argument("--without", action="append", default=[], metavar="PEER", help="leave a participant out; may be repeated")
    p.add_argument("--out", type=Path, default=environment.FOLDER / "report", metavar="FILE", help="writes FILE.json and FILE.md; default target/peers/report")
    p.add_argument("--portable", action="store_true", help="build Linkwork without target-cpu=native, as users get it")
    p.add_argument("--list", action="store_true", help="name the models and stop")
    return p.parse_args()


def main():
    chosen = options()
    if Path(sys.prefix).resolve() != environment.FOLDER.resolve():
        environment.packages()
        os.execv(environment.python(), [str(environment.python()), *sys.argv])
    import measure  # needs the environment's numpy
    import models
    import report
    import runs

    trees, whole = models.all_trees(), runs.all_runs()
    if chosen.list:
        print("\n".join([*trees, *whole]))
        return
    wanted = [n for n in [*trees, *whole] if not chosen.only or any(fnmatch.fnmatch(n, o) for o in chosen.only)]
    if not wanted:
        sys.exit(f"no model is called {' or '.join(chosen.only)}; --list names them")
    if chosen.quick and not chosen.only:
        wanted = [n for n in wanted if n not in measure.SLOW]
    programs = measure.start(environment.drivers(), environment.participants(chosen.portable), chosen.without)
    try:
        found = measure.everything(programs, {n: trees[n] for n in wanted if n in trees}, {n: whole[n] for n in wanted if n in whole}, chosen)
    finally:
        for program in programs.values():
            program.close()
    report.write(found, chosen.out)


if __name__ == "__main__":
    main()
