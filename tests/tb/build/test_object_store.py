# SPDX-License-Identifier: Apache-2.0
"""Objects by content, and which simulators are compiled quickly."""

from __future__ import annotations

from dataclasses import replace

import pytest

from goldbeat.tb.build import simulator
from goldbeat.tb.build.compile import Build
from goldbeat.tb.build.object_store import ObjectStore
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


def compiled(store, folder, switches=("-O1",), more=()):
    """Whether the object was there already; if not it is made, and kept."""
    parts = ObjectStore(store, folder, switches)
    found = parts.fetch(folder / "part.cpp", more)
    if not found:
        (folder / "part.o").write_bytes(b"object of " + folder.name.encode())
    parts.keep()
    return found


def test_an_object_is_fetched_for_the_same_text_and_switches_only(tmp_path):
    store = tmp_path / "store"
    assert not compiled(store, sources(tmp_path / "first"))
    again = sources(tmp_path / "again")
    assert compiled(store, again)
    assert (again / "part.o").read_bytes() == b"object of first"
    assert not compiled(store, sources(tmp_path / "edited", part="int f() { return 2; }\n"))
    assert not compiled(store, sources(tmp_path / "header", inner="long one();\n"))
    assert not compiled(store, sources(tmp_path / "switch"), switches=("-O3",))
    assert not compiled(store, sources(tmp_path / "own"), more=("slow",))
    assert compiled(store, sources(tmp_path / "last"))


def test_a_damaged_object_is_named_and_made_again(tmp_path, capsys):
    store = tmp_path / "store"
    compiled(store, sources(tmp_path / "first"))
    (kept,) = store.glob("*.o")
    kept.write_bytes(b"x")
    assert not compiled(store, sources(tmp_path / "again"))
    assert f"{kept} is damaged" in capsys.readouterr().err
    assert compiled(store, sources(tmp_path / "last"))
    assert kept.read_bytes() == b"object of again"


def test_a_part_that_was_not_compiled_is_not_kept(tmp_path):
    parts = ObjectStore(tmp_path / "store", sources(tmp_path / "first"), ())
    parts.fetch(tmp_path / "first" / "part.cpp")
    parts.keep()
    assert not list((tmp_path / "store").glob("*.o"))


@pytest.fixture
def asked(monkeypatch):
    """The optimisation of every build that is asked for; none is made."""
    found = []
    monkeypatch.setattr(simulator, "is_built", lambda recipe: False)

    def compile_model(recipe):
        found.append(recipe.optimize)
        return Build("sim", ".", None, 0.0)

    monkeypatch.setattr(simulator, "compile_model", compile_model)
    return found


def test_a_quick_build_is_taken_unless_the_fast_one_is_there(asked, monkeypatch):
    design = find_design("axis_skid")
    params = design.params(design.cases[0], {}, {})
    simulator.build(design, params, quick=True)
    simulator.build(design, params)
    simulator.build(design.model_copy(update={"optimize": "-Os"}), params, quick=True)
    monkeypatch.setattr(simulator, "is_built", lambda recipe: True)
    simulator.build(design, params, quick=True)
    assert asked == [simulator.QUICK, "-O3", "-Os", "-O3"]


def test_short_runs_and_few_cases_get_the_quick_build(asked, monkeypatch):
    design = find_design("axis_skid")
    request = runs.Request(design, design.case("random"))
    with pytest.raises(BuiltError):
        runs.run(request, begin=stop)
    monkeypatch.setattr(runs, "QUICK_CYCLES", 1)
    with pytest.raises(BuiltError):
        runs.run(request, begin=stop)
    monkeypatch.undo()
    assert asked == [simulator.QUICK, "-O3"]


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
