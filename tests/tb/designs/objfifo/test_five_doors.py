# SPDX-License-Identifier: Apache-2.0
"""Script, text before and after lowering, compiled files and a record of one design: equal arrays, cycle-equal RTL runs."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from goldbeat.pymodels.objfifo.artefact.listing import decode_compiled, from_listing, to_listing
from goldbeat.pymodels.objfifo.plan.lower import plan as lower
from goldbeat.tb.designs.objfifo.bench_engine import DESIGN
from goldbeat.tb.run.runs import Request, run
from tests.support.objfifo_cli import goldbeat
from tests.support.objfifo_door_scripts import DOOR_SCRIPTS
from tests.support.objfifo_doors import (
    FILES,
    Door,
    by_record,
    doors,
    episode_state,
    executed,
    host_inputs,
)  # fmt: skip
from tests.support.objfifo_shape import plan_shape

QUICK = ("add_one", "turns", "packets")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def differing(found: dict[str, Door]) -> list[str]:
    """What differs between the doors of a design, by door."""
    inputs = host_inputs(found["script"].design)
    shapes = {name: plan_shape(lower(door.design)) for name, door in found.items()}
    runs = {name: executed(door, inputs) for name, door in found.items()}
    first = runs["script"]
    assert first.run.episodes
    assert not first.run.refused
    wanted = [episode_state(one) for one in first.run.episodes]
    lines = []
    for name in FILES[1:]:
        pairs: list[tuple[str, Any, Any]] = [
            ("plan", shapes[name], shapes["script"]),
            ("before", runs[name].before, first.before),
            ("after", runs[name].after, first.after),
            ("record", [episode_state(one) for one in runs[name].run.episodes], wanted),
        ]
        lines += [f"{name}: {what}" for what, got, expected in pairs if got != expected]
    stored = by_record(Path(), first.run)
    lines += [] if [episode_state(one) for one in stored.episodes] == wanted else ["record: file"]
    hosts = stored.result.hosts
    same = all(np.array_equal(hosts[name], one) for name, one in first.run.result.hosts.items())
    return lines if same and len(hosts) == len(inputs) else [*lines, "record: hosts"]


@pytest.mark.parametrize("name", [n if n in QUICK else pytest.param(n, marks=pytest.mark.slow) for n in DOOR_SCRIPTS])
def test_five_doors_of_one_design(name: str) -> None:
    assert differing(doors(Path(), DOOR_SCRIPTS[name])) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", ["add", "add_one"])
def test_doors_of_a_design_that_is_sent_as_packets(name: str) -> None:
    found = doors(Path(), DOOR_SCRIPTS[name], packets=True)
    lowered, compiled = (executed(found[n], host_inputs(found["script"].design)) for n in ("lowered", "compiled"))
    assert lowered.before == compiled.before
    assert lowered.after == compiled.after
    assert any("packet" in str(one) or one.out_of_order or one.words for one in lowered.run.episodes)


BREAKS = {
    "fifos": ("fifos.mlir", "{%mem_tile_0_1}, 2", "{%mem_tile_0_1}, 3", ["fifos: plan", "fifos: before"]),
    "lowered": ("lowered.mlir", "%tile_0_2, 0) {init = 2", "%tile_0_2, 0) {init = 1", ["lowered: plan", "lowered: before"]),
    "compiled": ("main.cdo", "write 0,2+1F000 2", "write 0,2+1F000 1", ["compiled: plan", "compiled: before"]),
}  # fmt: skip


@pytest.mark.parametrize("door", BREAKS)
def test_a_door_that_is_broken_shows(door: str) -> None:
    file, old, new, wanted = BREAKS[door]
    found, path = doors(Path(), DOOR_SCRIPTS["add_one"]), Path(file)
    compiled = door == "compiled"
    text = "\n".join(to_listing(decode_compiled(path.read_bytes()))) if compiled else path.read_text()
    broken = re.sub(" ; .*", "", text).replace(old, new, 1) if compiled else text.replace(old, new, 1)
    path.write_bytes(from_listing(broken).encode() if compiled else broken.encode())
    assert old in text
    lines = differing(found)
    assert lines[:2] == wanted
    assert {line.partition(":")[0] for line in lines} == {door}


# -- in RTL -------------------------------------------------------------------------------------------------------------


def _ports(door: Door, case: str, folder: Path, inputs: tuple[str, ...]) -> list[dict[str, Any]]:
    """Data and cycles of every port, by episode."""
    words = {"design": str(door.path), "arguments": " ".join(door.arguments), "inputs": inputs}
    (result,) = run(Request(DESIGN, DESIGN.case(case), options=words), folder)
    assert result.passed, (door, result.failures)
    return [
        {
            name: (one.data.tolist(), one.cycle.tolist(), one.last.tolist())
            for name, one in episode.record.outcome.ports.items()
        }
        for episode in result.episodes
    ]


@pytest.mark.sim
@pytest.mark.slow
@pytest.mark.parametrize("name", DOOR_SCRIPTS)
def test_runs_in_rtl_are_equal_in_every_cycle(name: str, tmp_path: Path) -> None:
    found = doors(tmp_path, DOOR_SCRIPTS[name])
    given = host_inputs(found["script"].design)
    for host, values in given.items():
        np.save(f"{host}.npy", values)
        np.save(f"{host}-words.npy", values.reshape(-1).view(np.int32))
    # Lowered forms have words.
    inputs = {
        door: tuple(f"{host}={host}{'' if door in ('script', 'fifos') else '-words'}.npy" for host in given)
        for door in FILES
    }
    for case in ("executed", "design"):
        runs = {door: _ports(found[door], case, tmp_path / f"{case}-{door}", inputs[door]) for door in FILES}
        if case == "executed":
            by_record(tmp_path, executed(found["script"], given).run)
            runs["record"] = _ports(Door(tmp_path / "design.npz", ()), case, tmp_path / "record", ())
        assert [door for door, ports in runs.items() if ports != runs["script"]] == [], case


# -- on the command line ------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_doors_on_the_command_line() -> None:
    found = doors(Path(), DOOR_SCRIPTS["add_one"])
    np.save("in.npy", data := np.arange(64, dtype=np.int32))
    np.save("out.npy", data + 1)
    text = goldbeat("objfifo", "plan", "design.py", "--fifos")
    assert text.stdout.strip() == Path("fifos.mlir").read_text().strip()
    assert goldbeat("objfifo", "compile", "design.py", "-o", "made").code == 0
    assert goldbeat("objfifo", "compile", "design.py", "-o", "made").code == 2
    for name in ("insts.bin", "main.cdo"):
        assert (Path("made") / name).read_bytes() == Path(name).read_bytes()
    given = ("--input", "arg0=in.npy", "--expect", "arg1=out.npy")
    for name, door in found.items():
        for command in ("exec", "check"):
            more = given if command == "exec" else ()
            done = goldbeat("objfifo", command, door.path, *more, "--", *door.arguments)
            assert done.code == 0, (name, command, done.stdout, done.stderr)
    assert goldbeat("objfifo", "exec", "design.py", *given, "--record", "run.npz").code == 0
    for command in ("exec", "check", "plan"):
        done = goldbeat("objfifo", command, "run.npz")
        assert (done.code, "a record is for goldbeat objfifo run" in " ".join(done.stderr.split())) == (2, True)
    refused = goldbeat("objfifo", "run", "run.npz", "--input", "arg0=in.npy")
    assert (refused.code, "a record, which has its own data" in " ".join(refused.stderr.split())) == (2, True)


@pytest.mark.sim
@pytest.mark.slow
def test_a_record_on_the_command_line() -> None:
    doors(Path(), DOOR_SCRIPTS["add_one"])
    np.save("in.npy", data := np.arange(64, dtype=np.int32))
    np.save("out.npy", data + 1)
    assert goldbeat("objfifo", "exec", "design.py", "--input", "arg0=in.npy", "--record", "run.npz").code == 0
    for expected, code in ((data + 1, 0), (data, 1)):
        np.save("out.npy", expected)
        done = goldbeat("objfifo", "run", "run.npz", "--expect", "arg1=out.npy", "--json", "--force")
        assert (done.code, json.loads(done.stdout)["status"]) == (code, "fail" if code else "pass")
