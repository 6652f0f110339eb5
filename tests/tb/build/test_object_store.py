# SPDX-License-Identifier: Apache-2.0
"""Objects by content, and which simulators are compiled quickly."""

from __future__ import annotations

from dataclasses import replace

import pytest

from goldbeat.pymodels.errors import UsageError
from goldbeat.tb.build import simulator
from goldbeat.tb.build.compile import Build
from goldbeat.tb.build.object_store import ObjectStore, put
from goldbeat.tb.build.workshop import together
from goldbeat.tb.design.catalog import find_design
from goldbeat.tb.regress import worker
from goldbeat.tb.regress.item import Item
from goldbeat.tb.run import runs


class BuiltError(Exception):
    """The build is made; nothing is simulated."""


def stop():
    raise BuiltError


def sources(folder, part='#include "top.h"\nint f() { return one(); }\n', inner="int one();\n"):
    folder.mkdir()
    (folder / "part.cpp").write_text(part)
    (folder / "top.h").write_text('#include <vector>\n#include "inner.h"\n#include "elsewhere.h"\n')
    (folder / "inner.h").write_text(inner)
    return folder


def compiled(folder, switches=("-O1",)):
    """Whether the object was there already; if not it is made, and kept."""
    store = ObjectStore(folder.parent / "store", [folder])
    kept = store.place([folder / "part.cpp"], switches)
    found = store.has(kept)
    if not found:
        (folder / "part.o").write_bytes(b"object of " + folder.name.encode())
        put(folder / "part.o", kept)
    return found


def test_an_object_is_kept_for_the_same_text_and_switches_only(tmp_path):
    assert not compiled(sources(tmp_path / "first"))
    assert compiled(sources(tmp_path / "again"))
    (kept,) = (tmp_path / "store").glob("*.o")
    assert kept.read_bytes() == b"object of first"
    assert not compiled(sources(tmp_path / "edited", part="int f() { return 2; }\n"))
    assert not compiled(sources(tmp_path / "header", inner="long one();\n"))
    assert not compiled(sources(tmp_path / "spaced", part='  #  include "inner.h"\n', inner="int one();\n"))
    assert not compiled(sources(tmp_path / "spaced-2", part='  #  include "inner.h"\n', inner="long one();\n"))
    assert not compiled(sources(tmp_path / "switch"), switches=("-O3",))
    assert compiled(sources(tmp_path / "last"))


def test_what_a_source_includes_from_other_folders_counts(tmp_path):
    folder, other = sources(tmp_path / "first"), tmp_path / "elsewhere"
    other.mkdir()
    store = tmp_path / "store"
    before = ObjectStore(store, [folder, other]).place([folder / "part.cpp"], ())
    (other / "elsewhere.h").write_text("int two();\n")
    after = ObjectStore(store, [folder, other]).place([folder / "part.cpp"], ())
    (other / "elsewhere.h").write_text("int three();\n")
    assert len({before, after, ObjectStore(store, [folder, other]).place([folder / "part.cpp"], ())}) == 3


def test_a_damaged_object_is_named_and_made_again(tmp_path, capsys):
    compiled(sources(tmp_path / "first"))
    (kept,) = (tmp_path / "store").glob("*.o")
    kept.write_bytes(b"x")
    assert not compiled(sources(tmp_path / "again"))
    assert f"{kept} is damaged" in capsys.readouterr().err
    assert compiled(sources(tmp_path / "last"))
    assert kept.read_bytes() == b"object of again"


def test_small_files_are_compiled_together_and_large_ones_alone():
    sizes = {"a": 3, "b": 90, "c": 4, "d": 5, "e": 2}
    assert together("abcde", sizes, 8) == [["b"], ["a", "c"], ["d", "e"]]
    assert together("", {}, 8) == []


@pytest.fixture
def asked(monkeypatch):
    """The optimisation of every build that is asked for; none is made."""
    found = []
    monkeypatch.delenv(simulator.ASKED)
    monkeypatch.setattr(simulator, "is_built", lambda recipe: False)

    def compile_model(recipe, tell):
        found.append(recipe.optimize)
        return Build("sim", ".", None, 0.0)

    monkeypatch.setattr(simulator, "compile_model", compile_model)
    return found


def test_a_quick_build_is_taken_unless_the_fast_one_is_there(asked, monkeypatch):
    design = find_design("axis_skid")
    params = design.params(design.cases[0], {}, {})
    simulator.build(design, params, quick="-O1")
    simulator.build(design, params, quick="-O0")
    simulator.build(design, params)
    for switch in ("-Os", "-O1", "-O0"):
        simulator.build(design.model_copy(update={"optimize": switch}), params, quick="-O1")
    assert asked == ["-O1", "-O0", "-O3", "-Os", "-O1", "-O0"]
    for there in ("-O3", "-O1", "-O0"):
        asked.clear()
        monkeypatch.setattr(simulator, "is_built", lambda recipe, there=there: recipe.optimize == there)
        simulator.build(design, params, quick="-O0")
        simulator.build(design, params, quick="-O1")
        assert asked == [there, max(there, "-O1")]


def test_the_environment_can_ask_for_one_switch_for_all(asked, monkeypatch):
    design = find_design("axis_skid")
    params = design.params(design.cases[0], {}, {})
    monkeypatch.setenv(simulator.ASKED, "-O1")
    simulator.build(design, params)
    simulator.build(design, params, quick="-O0")
    assert asked == ["-O1", "-O1"]
    monkeypatch.setenv(simulator.ASKED, "-O9")
    with pytest.raises(UsageError, match="GOLDBEAT_OPTIMIZE=-O9: expected one of -O0, -O1, -O2, -O3"):
        simulator.build(design, params)


def test_short_runs_and_few_cases_get_the_quick_build(asked, monkeypatch):
    design = find_design("axis_skid")
    request = runs.Request(design, design.case("random"))
    with pytest.raises(BuiltError):
        runs.run(request, begin=stop)
    for limit in ("QUICKEST_CYCLES", "QUICK_CYCLES"):
        monkeypatch.setattr(runs, limit, 1)
        with pytest.raises(BuiltError):
            runs.run(request, begin=stop)
    monkeypatch.undo()
    assert asked == ["-O0", "-O1", "-O3"]


def test_a_driver_of_unknown_length_gets_the_fast_build(asked, monkeypatch):
    def unpredicted(*arguments):
        plan = planned(*arguments)
        return replace(plan, steps=tuple((stimulus, None) for stimulus, _ in plan.steps))

    planned = runs.predict
    monkeypatch.setattr(runs, "predict", unpredicted)
    design = find_design("axis_skid")
    with pytest.raises(BuiltError):
        runs.run(runs.Request(design, design.case("random")), begin=stop)
    assert asked == ["-O3"]


def test_regressions_compile_quickly_for_few_cases(asked):
    item = Item(index=0, key="axis_skid/random#0", design="axis_skid", case="random", seed=0)
    worker.build_simulator(item, None, cases=worker.FEW)
    worker.build_simulator(item, None, cases=worker.FEW + 1)
    assert asked == [simulator.QUICK, "-O3"]
