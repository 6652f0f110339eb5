# SPDX-License-Identifier: Apache-2.0
"""Hazards in streams of the vendor's compiler: none as they are, each planted one; operands as its disassembler has them."""

import json
import lzma
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from tpu_faults import FaultPlanter

from goldbeat.pymodels.tpu.hazards.operands import chip_memory, engine_operands
from goldbeat.pymodels.tpu.hazards.report import HAZARD_ADVICE, check_hazards
from goldbeat.pymodels.tpu.streams.bmodel import CommandStream
from goldbeat.pymodels.tpu.streams.checks import ADVICE, bare, check_streams
from goldbeat.pymodels.tpu.streams.container import parse_container, read_container
from goldbeat.pymodels.tpu.streams.decode import decode_stream
from goldbeat.pymodels.tpu.streams.tables import chip

DATA = "tpu"

RACES = {"read-after-write", "write-after-read", "write-after-write"}
Group = tuple[str, str, list[CommandStream]]


@pytest.fixture(scope="module")
def groups(folder: Path) -> list[Group]:
    found: dict[tuple[str, str], list[CommandStream]] = {}
    for entry in json.loads((folder / "cmdbuf" / "MANIFEST.json").read_text()):
        raw = np.fromfile(folder / "cmdbuf" / entry["model"] / entry["file"], np.uint8)
        of = chip(entry["chip"])
        stream = CommandStream(entry["file"].removesuffix(".bin"), of.engine(entry["engine"]).name, raw, 0)
        found.setdefault((entry["model"], of.name), []).append(bare(stream))
    return [(model, name, streams) for (model, name), streams in found.items()]


def rules(name: str, streams: list[CommandStream]) -> set[str]:
    found = [*check_hazards(chip(name), streams).findings, *check_streams(chip(name), streams)]
    return {one.rule for one in found}


def test_no_alarm_on_streams(groups: list[Group]):
    for model, name, streams in groups:
        assert rules(name, streams) == set(), model
    assert len(groups) == 28


def test_no_alarm_on_timelines(folder: Path):
    for path in sorted((folder / "timeline").iterdir()):
        of = chip(json.loads((path / "meta.json").read_text())["chip"])
        files = (("tiu", "tiu.bin"), ("gdma", "dma.bin"))
        streams = [CommandStream(name, engine, np.fromfile(path / name, np.uint8), 0) for engine, name in files]
        assert rules(of.name, streams) == set(), path.name


def test_no_alarm_on_containers(folder: Path):
    files = [*sorted((folder / "containers").glob("*.bmodel")), *sorted((folder / "cvx").glob("*.cvimodel"))]
    for path in files:
        model = read_container(path)
        assert rules(model.chip, model.streams()) == set(), path.name
    packed = lzma.decompress((folder / "groups" / "lstm2048_bm1684.bmodel.xz").read_bytes())
    model = parse_container(packed)
    report = check_hazards(chip(model.chip), model.streams())
    assert report.findings == []
    assert report.commands == 118_790
    assert report.omitted.total() > 0


# -- operands -------------------------------------------------------------------------------------------------------

SIZES = {"f32": 4, "f16": 2, "bf16": 2} | {f"{s}i{b}": b // 8 for s in ("", "s", "u") for b in (8, 16, 32)}
OTHERWISE = {
    "tsbc.s_distribute": "the source is the static memory, the text says local",
    "tsbc.s_bc": "the source is the static memory, the text says local",
    "sg.pe_s_scatter_hzd": "the text shows the address of operand 0 for operand 1",
    "sg.pe_s_gather_hzd": "the text shows the address of operand 0 for operand 1",
    "sg.pe_s_gather_d1coor": "the text shows the address of operand 0 for operand 1",
    "quant.rq1": "one operand of three words here, three operands there",
    "quant.dq0": "one operand of two words here, two operands there",
    "sfu.taylor_4x": "the text counts channels, not lanes",
    "dma.tensor.broadcast": "the text says one channel",
    "dma.matrix": "the text takes one end for the other where addresses have tags",
    "mm2.nn": "the text takes a bias of BM1690 for fp32, whose field says fp16, as the functional model takes it, and in "
    "all lanes, where only those with rows of the result count",
    "conv.normal": "operand 4 of CV184X is not modelled",
}


def spelt(text: str):
    """Engine, id, core, operation and memory references of each line of the disassembler's text."""
    for line in text.splitlines():
        found = re.match(r'\s+(.*?) = "([^"]+)"\((.*?)\)\s*(?:\{.*?\})?\s*:\s*\((.*)\) -> \((.*)\)\s*$', line)
        if found is None:
            continue
        results, op, operands, inputs, outputs = found.groups()
        names = [part.strip() for part in results.split(",")]
        engine, number, core = re.match(r"%([BD])(\d+)(?:C(\d+))?", names[-1]).groups()
        references = []
        for written, shown, types in ((True, names, outputs), (False, operands.split(","), inputs)):
            kinds = re.findall(r"memref<[^>]*>|none|[a-z0-9]+", types)
            for name, kind in zip(shown, kinds, strict=False):
                shape = re.match(r"memref<(\d+)x(\d+)x(\d+)x(\d+)x(\w+), strides: \[(.*)\]>", kind)
                place = re.match(r"%R(\d+)(?:\.(0x[0-9a-f]+|\d+))?(?:\.L(0x[0-9a-f]+|\d+))?$", name.strip())
                if shape and place:
                    bank, offset, lane = (int(part or "0", 0) for part in place.groups())
                    strides = [int(part) for part in shape[6].split(",")]
                    sizes = [int(shape[k]) for k in range(1, 5)]
                    references.append((written, bank, offset, lane, sizes, strides, SIZES[shape[5]]))
        yield {"B": "tiu", "D": "gdma"}[engine], int(number), int(core or 0), op, references


def is_there(table, here, memory, reference) -> bool:
    written, bank, offset, lane, shape, strides, size = reference
    at = bank * (memory.lane_bytes // 16) + offset
    for index in here:
        if (int(table.lane[index]), int(table.offset[index]), bool(table.write[index])) != (lane, at, written):
            continue
        mine = [int(getattr(table, axis)[index]) for axis in "nchw"]
        steps = [int(getattr(table, f"{axis}_stride")[index]) for axis in ("n", "row", "h", "w")]
        # A stride counts only where there is a second element; that of channels where there is a second row.
        counts = [many > (memory.lanes - lane if axis == 1 else 1) for axis, many in enumerate(shape)]
        same = all(a == b * size for a, b, c in zip(steps, strides, counts, strict=True) if c)
        if mine == shape and same and int(table.size[index]) == size:
            return True
    return False


def test_operands_are_those_of_the_vendors_text(folder: Path, groups: list[Group]):
    equal, differ = 0, Counter()
    for model, name, streams in groups:
        path = folder / "cmdbuf" / model / "vendor_mlir.txt"
        memory = chip_memory(name)
        if not path.is_file() or name == "BM1684":
            continue
        lines = list(spelt(path.read_text()))
        for stream in streams:
            found = decode_stream(chip(name).engine(stream.engine), stream.data)
            table, *_ = engine_operands(memory, found)
            for engine, number, core, op, references in lines:
                if (engine, core) != (stream.engine, stream.core):
                    continue
                here = np.flatnonzero(table.row == np.flatnonzero(found.id == number)[0])
                for reference in references:
                    there = is_there(table, here, memory, reference)
                    equal += there
                    differ[op] += not there
    assert equal == 1588
    assert {op for op, many in differ.items() if many} <= set(OTHERWISE)


# -- planted faults -------------------------------------------------------------------------------------------------


def plant(model: str, name: str, streams: list[CommandStream]) -> Counter:
    """How each fault was found; every race must be found exactly where comparing all bytes finds it."""
    planter = FaultPlanter(chip(name), streams)
    found: Counter = Counter()
    for fault in (*planter.dependencies(), *planter.deletions(), *planter.duplicates()):
        said = rules(name, fault.streams)
        if fault.races is not None and "never-met" not in said:
            assert bool(said & RACES) == fault.races, (model, fault.kind)
        if fault.kind in ("deleted", "duplicated") or not fault.weaker:
            assert said, (model, fault.kind)
        failed = said - ADVICE - HAZARD_ADVICE
        how = "race" if said & RACES else "rule" if failed else "advice" if said else "harmless"
        found[fault.kind, how] += 1
    return found


def test_planted_faults_in_small_models(groups: list[Group]):
    total: Counter = Counter()
    for model, name, streams in groups:
        if model.startswith("tiny"):
            total += plant(model, name, streams)
    failed = sum(many for (_, how), many in total.items() if how in ("race", "rule"))
    assert failed >= 100
    assert {kind for kind, _ in total} == {"cleared", "lowered", "disabled", "deleted", "duplicated"}


@pytest.mark.slow
def test_planted_faults_in_all_models(groups: list[Group]):
    total: Counter = Counter()
    for model, name, streams in groups:
        if not model.startswith("tiny"):
            total += plant(model, name, streams)
    failed = {
        kind: sum(many for (k, how), many in total.items() if k == kind and how in ("race", "rule"))
        for kind, _ in total
    }
    assert sum(failed.values()) >= 1_000
    assert min(failed.values()) >= 40, failed


ONE_FORMAT = {"BM1690", "BM1690E", "BM1684X2", "SG2380", "CV184X", "SGTPUV8"}
"""Chips whose heads are the same: a stream of one can be a sound stream of another one."""


def test_streams_of_another_chip(groups: list[Group]):
    names = sorted({name for _, name, _ in groups})
    found = passed = 0
    for model, name, streams in groups:
        for other in names:
            if other == name:
                continue
            mine = [one for one in streams if one.engine in chip(other).engines]
            wrong = rules(other, mine) - ADVICE - HAZARD_ADVICE
            found, passed = found + bool(wrong), passed + (not wrong)
            assert wrong or {name, other} <= ONE_FORMAT, (model, other)
    assert found >= 170
