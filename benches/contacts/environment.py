"""What the comparison needs: a virtual environment with MuJoCo at a pinned version, and our programs. Everything lies under target/contacts."""

import os
import subprocess
import sys
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
FOLDER = ROOT / "target" / "contacts"
PINNED = ["mujoco==4.0.0", "numpy==2.4.6"]


def say(text):
    print(text, file=sys.stderr, flush=True)


def python():
    return FOLDER / "bin" / "python"


def packages():
    """The environment, installed once for a list of versions."""
    stamp = FOLDER / "installed"
    wanted = "\n".join(PINNED)
    if stamp.exists() and stamp.read_text() == wanted and python().exists():
        return
    say("making the environment of the peers in target/contacts")
    venv.create(FOLDER, with_pip=True, symlinks=True)
    subprocess.run([str(python()), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *PINNED], check=True)
    stamp.write_text(wanted)


def programs():
    """Linkwork's and Rapier's programs; Rapier's only if its crate can be fetched."""
    target = Path(os.environ.get("CARGO_TARGET_DIR", FOLDER / "cargo"))
    if not target.is_absolute():
        target = ROOT / target
    flags = dict(os.environ, CARGO_TARGET_DIR=str(target))
    command = ["cargo", "build", "--release", "--quiet", "--manifest-path", str(HERE / "participant" / "Cargo.toml")]
    say("building our programs")
    if subprocess.run([*command, "--features", "rapier"], env=flags).returncode:
        say("without Rapier, then")
        subprocess.run(command, env=flags, check=True)
    release = target / "release"
    found = {"linkwork": release / "linkwork-contacts"}
    if (release / "rapier-contacts").exists():
        found["rapier"] = release / "rapier-contacts"
    return found
