"""Models: the builder, files, faults."""

from __future__ import annotations

import copy
import inspect
import json
import pickle
import random
from pathlib import Path

import linkwork as lw
import numpy as np
import pytest
from conftest import ROOT
from linkwork import _native

EXAMPLES = sorted((ROOT / "examples").glob("*.toml"))


def built() -> lw.Model:
    return (
        lw.Model.planar("four-bar linkage")
        .points(A=[0, 0], B=[0, 1], C=[2, 2], D=[2, 0], P=[1.2, 2.4])
        .ground(["A", "D"])
        .body("crank", ["A", "B"], mass=1.0)
        .body("coupler", ["B", "C", "P"], mass=2.0, shape="polygon")
        .body("rocker", ["C", "D"], mass=1.5)
        .initial(angular_velocities={"crank": "-3 rad/s"})
    )


def test_same_motion_built_and_read() -> None:
    text = """
    format = 1
    model = { name = "four-bar linkage", gravity = "-y" }
    points = { A = [0, 0], B = [0, 1], C = [2, 2], D = [2, 0], P = [1.2, 2.4] }
    bodies.ground = { points = ["A", "D"] }
    bodies.crank = { points = ["A", "B"], mass = 1.0 }
    bodies.coupler = { points = ["B", "C", "P"], mass = 2.0, shape = "polygon" }
    bodies.rocker = { points = ["C", "D"], mass = 1.5 }
    initial.angular_velocities.crank = "-3 rad/s"
    """
    run = lw.loads(text).simulate(duration=1)
    for model in (built(), lw.loads(built().to_toml()), pickle.loads(pickle.dumps(built())), copy.copy(built())):
        np.testing.assert_array_equal(model.simulate(duration=1).values, run.values)


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_same_model_by_its_document(file: Path) -> None:
    """The dictionaries of an example, built again, are the example: every section of the file can be said in Python."""
    model = lw.load(file)
    text = model.to_toml()
    other = lw.Model(copy.deepcopy(model.document))
    other._file = model._file  # files that it names stand beside it
    assert other.name == lw.load(file).name
    if "tables" not in other.document or not any("file" in table for table in other.document["tables"].values()):
        again, before = lw.loads(other.to_toml()), lw.loads(text)
        assert again.assemble().check() == before.assemble().check()


def test_the_builder_has_every_section() -> None:
    """A method for each section of the schema, in the singular where it adds an item."""
    methods = {name for name, _ in inspect.getmembers(lw.Model, inspect.isfunction)}
    singular = {"bodies": "body", "simulation": "settings", "initial": "initial", "model": "gravity", "points": "point", "optimize": "optimization", "modal_bodies": "modal_body"}
    for section in json.loads(_native.schema())["properties"]:
        if section != "format":
            assert singular.get(section, section.removesuffix("s")) in methods, section


def test_faults_of_a_file_have_places(tmp_path: Path) -> None:
    text = built().to_toml().replace("mass = 1.5", 'mass = "1.5 m"').replace('["A", "B"]', '["A", "X"]')
    file = tmp_path / "wrong.toml"
    file.write_text(text)
    with pytest.raises(lw.ModelError) as caught:
        lw.load(file)
    faults = {fault.path: fault for fault in caught.value.faults}
    assert len(faults) >= 2 and faults["bodies.rocker.mass"].file == str(file)
    fault = faults["bodies.rocker.mass"]
    assert fault.line is not None and "1.5 m" in text.splitlines()[fault.line - 1]
    assert "bodies.rocker.mass" in str(caught.value) and isinstance(pickle.loads(pickle.dumps(caught.value)), lw.ModelError)


def test_faults_of_a_built_model_name_the_same_items() -> None:
    model = built().set("bodies.rocker.mass", -1)
    with pytest.raises(lw.ModelError) as caught:
        model.assemble()
    (fault,) = caught.value.faults
    assert (fault.path, fault.file, fault.line) == ("bodies.rocker.mass", None, None)
    assert str(caught.value).startswith("error: bodies.rocker.mass: ")
    for wrong in (lambda: built().point("A", [1, 1]), lambda: built().set("format.x", 1), lambda: built().set("model.name", object()).assemble()):
        with pytest.raises(lw.InputError):
            wrong()
    with pytest.raises(lw.InputError, match="not finite"):
        built().set("bodies.rocker.mass", float("nan")).assemble()


def test_parameters() -> None:
    model = lw.examples["double-pendulum"]
    longer = model.with_parameters(l2=0.9)
    assert longer.parameters == {"l2": 0.9} and model.parameters == {}
    assert longer.assemble().check()["size"] > model.assemble().check()["size"]
    same = lw.load(ROOT / "examples" / "double-pendulum.toml", l2=0.9)
    np.testing.assert_array_equal(same.simulate(duration=0.5).values, longer.simulate(duration=0.5).values)
    with pytest.raises(lw.ModelError):
        model.with_parameters(l9=1.0)


def test_check_tells_what_the_model_is() -> None:
    mechanism = lw.examples["four-bar-in-space"].assemble()
    assert mechanism.dof == 1 and mechanism.redundant == 3 and mechanism.dimension == 3
    assert mechanism.check()["redundant_constraints"]["count"] == 3
    assert "3 redundant constraints" in mechanism.text
    assert mechanism.columns[0] == "t" and mechanism.units["t"] == "s"


def test_settings_are_checked() -> None:
    for wrong in ({"formulation": "guess"}, {"integrator": "guess"}, {"duration": -1.0}, {"tolerance": 0.0}):
        with pytest.raises(lw.ModelError):
            built().assemble(**wrong)
    mechanism = built().assemble(formulation="newton-euler", integrator="dop853", duration=0.5)
    summary = mechanism.simulate().summary
    assert (summary.formulation, summary.integrator) == ("newton-euler", "dop853")


def test_files_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(KeyError, match="did you mean `four-bar`"):
        lw.examples["fourbar"]
    assert "fourbar" not in lw.examples
    with pytest.raises(FileNotFoundError):
        lw.load(tmp_path / "none.toml")
    with pytest.raises(lw.Error):
        lw.load(tmp_path)


def test_damaged_models_raise_only_errors_of_the_package() -> None:
    """Model files with bytes changed, cut out and doubled: each is a model, or an `Error`."""
    chance = random.Random(20)
    texts = [file.read_bytes() for file in EXAMPLES if file.stat().st_size < 4000]
    refused, count = 0, 4000
    for _ in range(count):
        text = bytearray(chance.choice(texts))
        for _ in range(chance.randint(1, 6)):
            at, length = chance.randrange(len(text)), chance.randint(1, 12)
            match chance.randrange(4):
                case 0:
                    text[at] = chance.randrange(256)
                case 1:
                    del text[at : at + length]
                case 2:
                    text[at:at] = text[at : at + length]
                case _:
                    text[at:at] = chance.choice([b"1e400", b'"', b"[", b"-", b"0", b"nan", b"\n", b"= 3", b"{"])
        try:
            lw.loads(bytes(text)).assemble(duration=1e-3, output_step=1e-3).simulate(record=False)
        except lw.InternalError:
            raise
        except lw.Error:
            refused += 1
    assert count / 4 < refused < count


def test_robots_of_other_programs_are_read(tmp_path: Path) -> None:
    data = ROOT / "crates" / "linkwork-import" / "tests" / "data"
    assert lw.load(data / "arm.urdf").assemble().dof == 2
    with pytest.warns(UserWarning, match="offset"):
        assert lw.load(data / "gripper.urdf").assemble().dof == 1
    broken = tmp_path / "broken.urdf"
    broken.write_text("<robot name='r'><link/></robot>")
    with pytest.raises(lw.ModelError, match="`name` is missing"):
        lw.load(broken)
