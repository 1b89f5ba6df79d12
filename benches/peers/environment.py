"""What the comparison needs: a virtual environment with the peers at pinned versions, the C++ drivers, and our own participants.

Everything lies under target/peers. What is there already is used again; `pip` and `cargo` are asked only if something changed.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
FOLDER = ROOT / "target" / "peers"

# cmeel-eigen: the headers that Pinocchio's need. opensim: the only wheel that holds Simbody.
PINNED = [
    "pin==4.1.0",
    "cmeel-eigen==3.4.1",
    "mujoco==4.0.0",
    "exudyn==1.13.6",
    "drake==1.51.1",
    "opensim==4.6",
]
OPTIONAL = {"opensim==4.6"}

PINOCCHIO = {
    "native": ["-march=native"],
    # short vectors of 3 and 6: AVX-512 is not always the faster choice
    "avx2": ["-march=native", "-mno-avx512f"],
    # the wheel's own compiled library; Eigen's alignment must be that of the wheel, so no -march
    "wheel": ["-DPINOCCHIO_ENABLE_TEMPLATE_INSTANTIATION"],
}
DEFINITIONS = [
    "-std=c++17",
    "-O3",
    "-DNDEBUG",
    "-DBOOST_MPL_LIMIT_LIST_SIZE=30",
    "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS",
    "-DBOOST_FUSION_INVOKE_MAX_ARITY=10",
]


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
    say("making the environment of the peers in target/peers")
    venv.create(FOLDER, with_pip=True)
    pip = [str(python()), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, *(p for p in PINNED if p not in OPTIONAL)], check=True)
    for package in OPTIONAL:
        if subprocess.run([*pip, package]).returncode:
            say(f"{package} cannot be installed here: left out")
    stamp.write_text(wanted)


def site():
    return next((FOLDER / "lib").glob("python3*")) / "site-packages"


def compiled(name, source, options):
    """A driver, compiled again if its sources or options changed; None if the compiler fails."""
    target = FOLDER / "drivers" / name
    texts = b"".join((HERE / "drivers" / f).read_bytes() for f in (source, "tree.hpp"))
    key = hashlib.sha256(texts + " ".join(options).encode()).hexdigest()
    stamp = target.with_suffix(".key")
    if target.exists() and stamp.exists() and stamp.read_text() == key:
        return target
    if not shutil.which("g++"):
        say(f"no g++: {name} is left out")
        return None
    target.parent.mkdir(parents=True, exist_ok=True)
    say(f"compiling {name}")
    done = subprocess.run(["g++", str(HERE / "drivers" / source), "-o", str(target), *options], capture_output=True, text=True)
    if done.returncode:
        say(f"{name} does not compile and is left out:\n{done.stderr[-2000:]}")
        return None
    stamp.write_text(key)
    return target


def drivers():
    prefix = site() / "cmeel.prefix"
    common = [*DEFINITIONS, "-isystem", str(prefix / "include"), "-isystem", str(prefix / "include" / "eigen3")]
    link = [f"-L{prefix / 'lib'}", f"-Wl,-rpath,{prefix / 'lib'}", "-lboost_json"]
    found = {}
    for name, flags in PINOCCHIO.items():
        library = ["-lpinocchio_default"] if name == "wheel" else []
        found[f"pinocchio-{name}"] = compiled(
            f"pinocchio-{name}", "pinocchio.cpp", [*common, *flags, f'-DBUILD="{name}"', *link, *library]
        )
    mujoco = site() / "mujoco"
    library = next(iter(mujoco.glob("libmujoco.so*")), None)
    if library:
        options = [*common, "-march=native", "-isystem", str(mujoco / "include"), *link, str(library), f"-Wl,-rpath,{mujoco}"]
        found["mujoco"] = compiled("mujoco", "mujoco.cpp", options)
    return found


def participants(portable):
    """Linkwork's and Rapier's programs; Rapier's only if its crate can be fetched."""
    target = Path(os.environ.get("CARGO_TARGET_DIR", FOLDER / "cargo"))
    if not target.is_absolute():
        target = ROOT / target
    flags = dict(os.environ, CARGO_TARGET_DIR=str(target))
    if not portable:
        flags["RUSTFLAGS"] = "-C target-cpu=native"
    command = ["cargo", "build", "--release", "--quiet", "--manifest-path", str(HERE / "participant" / "Cargo.toml")]
    say("building our participants")
    if subprocess.run([*command, "--features", "rapier"], env=flags).returncode:
        say("without Rapier, then")
        subprocess.run(command, env=flags, check=True)
    release = target / "release"
    found = {"linkwork": release / "linkwork-peer"}
    if (release / "rapier-peer").exists():
        found["rapier"] = release / "rapier-peer"
    return found
