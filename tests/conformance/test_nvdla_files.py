# SPDX-License-Identifier: Apache-2.0
"""Public loadables: layouts, listings, and the driver's register program against recorded runs on nv_small."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from nvdla_edges import without_each_edge
from turns import TURN

from goldbeat.pymodels.errors import GoldbeatError, InputError, UsageError
from goldbeat.pymodels.nvdla.driver.instant_hardware import loadable_program
from goldbeat.pymodels.nvdla.engines.hardware import run_operation
from goldbeat.pymodels.nvdla.execute import execute
from goldbeat.pymodels.nvdla.listing import info, network_dot, operations
from goldbeat.pymodels.nvdla.loadable.layouts import OP_COMPLETED
from goldbeat.pymodels.nvdla.loadable.loadable import parse_loadable, read_loadable, to_bytes
from goldbeat.pymodels.nvdla.loadable.network import dla_tasks, network
from goldbeat.pymodels.nvdla.loadable.placement import place_memories
from goldbeat.pymodels.nvdla.order_check import order_findings

ROOT = os.environ.get("GOLDBEAT_DATA")
pytestmark = pytest.mark.skipif(not ROOT, reason="GOLDBEAT_DATA does not name the reference data")
DATA = Path(ROOT or ".") / "data" / "nvdla"
SMALL = ["SDP_X1_L0_0_small", "PDP_L0_0_small", "CONV_D_L0_0_small"]

LAYOUTS = {
    "BDMA_L0_0_fbuf": "cube28",
    "CONV_D_L0_0_small_fbuf": "cube28",
    # Its name speaks of an older schema; the file itself says 0.7.0 and reads as such.
    "CONV_D_small_preMay2018_e298d8978f31_fbuf": "cube28",
    "NN_L0_0_fbuf": "cube28",
    "PDP_L0_0_fbuf": "cube28",
    "PDP_L0_0_small_fbuf": "cube28",
    "SDP_X1_L0_0_large_fbuf": "cube28",
    "SDP_X1_L0_0_small_fbuf": "cube28",
    "wyanzhao_fast-math.nvdla": "cube32",
}


def test_all_files_are_known():
    assert {p.name for p in (DATA / "loadables").iterdir()} == set(LAYOUTS)


@pytest.mark.parametrize("name", LAYOUTS)
def test_every_file_parses_with_its_layout(name):
    loadable = read_loadable(DATA / "loadables" / name)
    assert str(loadable.version) == "0.7.0"
    (task,) = dla_tasks(loadable)
    found = network(loadable, task)
    assert found.choice.layout == LAYOUTS[name]
    assert not found.choice.doubts[found.choice.layout]
    again = parse_loadable(to_bytes(loadable))
    assert again.memories == loadable.memories
    assert again.tasks == loadable.tasks
    assert all(np.array_equal(a.data, b.data) for a, b in zip(again.blobs, loadable.blobs, strict=True))


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_file_of_another_version_is_refused_by_version(name):
    data = bytearray((DATA / "loadables" / name).read_bytes())
    at = data.index(b"\0\7\0", 24)
    data[at + 1] = 5
    with pytest.raises(InputError, match=r"loadable of schema version 0\.5\.0, expected schema version 0\.7\.0"):
        parse_loadable(bytes(data))


def test_layers_of_a_real_network():
    loadable = read_loadable(DATA / "loadables" / "NN_L0_0_fbuf")
    found = network(loadable, dla_tasks(loadable)[0])
    types = [o.type for o in found.operations]
    assert types == ["CONV", "SDP", "PDP", "CONV", "SDP", "PDP", "CONV", "SDP", "SDP", "CONV", "SDP"]
    weights = found.operations[0].cubes["weight_data"]
    assert (int(weights.record["width"]), int(weights.record["height"]), int(weights.record["channel"])) == (5, 5, 1)
    assert found.of_type("PDP")["pool_width"].tolist() == [1, 1]


def recorded(name):
    lines = (DATA / "cosim" / f"{name}.kmd_pre0.12_on_nv_small.trace").read_text().splitlines()
    return [line.split(maxsplit=2)[2] if line[0] == "#" else line.split(maxsplit=1)[1] for line in lines]


@pytest.mark.parametrize("name", SMALL)
def test_register_program_equals_the_recorded_run(name):
    steps = loadable_program(place_memories(read_loadable(DATA / "loadables" / f"{name}_fbuf")))
    ours = [
        s.text if s.kind == "note" else f"{s.kind}_reg 0x{s.address:05x} 0x{s.value:08x}"
        for s in steps
        if s.kind != "interrupt"
    ]
    assert ours == recorded(name)


@pytest.mark.parametrize(("name", "engine"), [("SDP_X1_L0_0_small", "SDP"), ("PDP_L0_0_small", "PDP")])
def test_output_memory_equals_that_of_the_hardware(name, engine):
    placed = place_memories(read_loadable(DATA / "loadables" / f"{name}_fbuf"))
    registers = {s.address: s.value for s in loadable_program(placed) if s.kind == "write"}
    result = run_operation(engine, registers, placed.regions())
    region = np.fromfile(DATA / "cosim" / f"{name}.output_region.bin", np.uint8)
    assert np.array_equal(result.memory["memory5"], region)
    golden = np.fromfile(DATA / "golden" / f"{name}.dimg", np.uint8)[36:].reshape(32, 8, 8)
    # The goldens were read out as if atoms had 32 bytes, so they cover 704 bytes only.
    c, h, w = np.meshgrid(np.arange(32), np.arange(8), np.arange(8), indexing="ij")
    assert np.array_equal(golden, result.memory["memory5"][h * 64 + w * 32 + c])


@pytest.mark.parametrize(
    ("name", "memory"), [("SDP_X1_L0_0_small", 5), ("PDP_L0_0_small", 5), ("CONV_D_L0_0_small", 6)]
)
def test_a_loadable_runs_on_the_functional_models(name, memory):
    found = execute(place_memories(read_loadable(DATA / "loadables" / f"{name}_fbuf")))
    assert np.array_equal(found[memory], np.fromfile(DATA / "cosim" / f"{name}.output_region.bin", np.uint8))


def test_what_nv_small_lacks_is_said():
    with pytest.raises(UsageError, match="nv_small has no BDMA engine"):
        loadable_program(place_memories(read_loadable(DATA / "loadables" / "BDMA_L0_0_fbuf")))
    with pytest.raises(
        InputError, match=r"a loadable for nv_full \(atoms of 32 bytes, fp16\), expected one for nv_small"
    ):
        loadable_program(place_memories(read_loadable(DATA / "loadables" / "NN_L0_0_fbuf")))


def explore(data):
    """Everything that a listing of the file touches."""
    loadable = parse_loadable(data)
    info(loadable)
    placement = place_memories(loadable)
    operations(placement)
    network_dot(loadable)
    loadable_program(placement)


def places(data):
    """Bytes worth changing: all but the insides of large blobs."""
    keep = np.ones(len(data), bool)
    for blob in parse_loadable(data).blobs:
        if len(blob.data) > 4096:
            at = data.index(blob.data.tobytes())
            keep[at + 64 : at + len(blob.data) - 64] = False
    return np.flatnonzero(keep)


def mutants(count, seed):
    sources = [(DATA / "loadables" / n).read_bytes() for n in LAYOUTS]
    where = [places(data) for data in sources]
    # A mutant of a large file takes a hundred times as long.
    weight = np.array([1 / len(data) for data in sources])
    rng = np.random.default_rng(seed)
    for number in rng.choice(len(sources), count, p=weight / weight.sum()):
        data = bytearray(sources[number])
        for _ in range(int(rng.integers(1, 5))):
            kind, at = rng.integers(4), int(rng.choice(where[number]))
            if at >= len(data):
                continue
            if kind == 0:
                data[at] = rng.integers(256)
            elif kind == 1:
                data[at] ^= 1 << rng.integers(8)
            elif kind == 2:
                data[at : at + 4] = int(rng.integers(0, 2**32)).to_bytes(4, "little")
            else:
                del data[at : at + int(rng.integers(1, 64))]
        yield bytes(data)


def survive(count, seed):
    refused = 0
    for data in mutants(count, seed):
        try:
            explore(data)
        except GoldbeatError:
            refused += 1
    assert 0 < refused < count


def test_mutations_give_own_errors_only():
    survive(500, 7)


@pytest.mark.slow
def test_ten_thousand_mutations_give_own_errors_only():
    survive(10_000, 8 + TURN)


@pytest.mark.parametrize("name", LAYOUTS)
def test_dependencies_order_every_access(name):
    assert order_findings(read_loadable(DATA / "loadables" / name)) == []


def test_each_missing_data_dependency_of_a_compiled_network_is_found():
    """Which ones carry data is known: all that are told at the end of an operation."""
    faults = list(without_each_edge(read_loadable(DATA / "loadables" / "NN_L0_0_fbuf")))
    assert len(faults) == 21
    for teller, told, event, loadable in faults:
        pairs = {one.operations for one in order_findings(loadable)}
        assert pairs == ({(teller, told)} if event == OP_COMPLETED else set())
