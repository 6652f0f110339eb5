# SPDX-License-Identifier: Apache-2.0
"""Streams that the vendor's compiler wrote, on the RTL: every byte, id and cycle; and the compiler's own timelines."""

import json
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from goldbeat.pymodels.axi.memory import MemoryTiming
from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.pattern import Pattern
from goldbeat.pymodels.tpu.front_end.kinds import BM1684X, BM1688, BM1690
from goldbeat.pymodels.tpu.streams.bmodel import CommandStream
from goldbeat.pymodels.tpu.streams.container import commands
from goldbeat.pymodels.tpu.streams.profile import parse_profile
from goldbeat.pymodels.tpu.streams.tables import chip as chip_tables
from goldbeat.tb.design.case import Case
from goldbeat.tb.designs.tpu.bench import DESIGN
from goldbeat.tb.designs.tpu.model_case import CHIPS as MODEL_CHIPS
from goldbeat.tb.designs.tpu.model_case import check_heads
from goldbeat.tb.designs.tpu.programs import END, Command, CommandGroup
from goldbeat.tb.designs.tpu.scene import BY_ID, FrontEndScene, front_end_stimulus
from goldbeat.tb.run.runs import Request, run

CHIPS = {"BM1684X": BM1684X, "BM1688": BM1688, "CV186X": BM1688, "BM1690": BM1690}
ENGINES = {"tiu": 0, "dma": 1, "sdma": 2}
# The heads and kinds of CV184X's streams here are those of BM1690.
TIMELINE_CHIPS = {"BM1684X": BM1684X, "BM1688": BM1688, "CV184X": BM1690}
MANY_CORES = "cnn_bm1690_8c_f16"
REFUSED = {("cnn_bm1684x2_f16", "tiu"): "tiu command 21 (arith.mul)"}
"""Streams that the front end would read otherwise than their chip: a short command of another length."""
TIMINGS = (
    MemoryTiming(read_latency=1),
    MemoryTiming(read_latency=40, read_jitter=25, max_reads=3, seed=5),
    MemoryTiming(read_latency=9, r_gaps=Pattern.parse("random:0.5", seed=6)),
)
UNIT = 8
"""Cycles for one of the compiler's: as many as it takes to put the longest command together."""
READY = ("none", "random:0.5", "bursty:16")

pytestmark = pytest.mark.sim


def data() -> Path:
    if not os.environ.get("GOLDBEAT_DATA"):
        pytest.skip("GOLDBEAT_DATA does not name the directory of reference data")
    return Path(os.environ["GOLDBEAT_DATA"]) / "data" / "tpu"


def variant(chip: int) -> dict[str, int]:
    """The parameters of the build that other tests use for this chip; cores without a program stay idle."""
    return next(dict(v) for v in DESIGN.variants if v.get("CHIP") == chip)


def count_of(raw: bytes) -> int:
    """Commands of an SDMA stream: they are all of 16 bytes."""
    end = int.from_bytes(Command(END[True]).head(BM1690, 1, np.random.default_rng(0))[4:5], "little")
    return next(i for i in range(len(raw) // 16) if raw[16 * i + 4] == end) + 1


def load(folder: Path, rows: list[dict]) -> dict[int, CommandGroup]:
    """The group of each core."""
    groups: dict[int, CommandGroup] = {}
    for row in rows:
        core = int(row["file"].split(".")[0].removeprefix("core"))
        engine = ENGINES[row["engine"]]
        raw = (folder / row["file"]).read_bytes()
        group = groups.setdefault(core, CommandGroup([[], [], []]))
        group.raw[engine] = raw
        group.counts[engine] = row["count"] if "count" in row else count_of(raw)
    return groups


def episodes(groups: dict[int, CommandGroup], setting) -> list:
    cores, engines = setting.params["CORES"], setting.params["ENGINES"]
    program = [[replace(g, streams=g.streams[:engines])] if (g := groups.get(c)) else [] for c in range(cores)]
    found = []
    for n, (timing, ready) in enumerate(zip(TIMINGS, READY, strict=True)):
        scene = FrontEndScene(program, [timing], duration=(1, 7, 3)[n])
        stimulus = front_end_stimulus(scene, setting, np.random.default_rng([setting.seed, n]))
        patterns = {name: Pattern.parse(ready, seed=salt) for salt, name in enumerate(setting.outputs)}
        found.append(replace(stimulus, ready=patterns))
    return found


def check(groups: dict[int, CommandGroup], params: dict[str, int], tmp_path: Path) -> int:
    case = Case(name="streams", summary="the vendor's", make=lambda setting: episodes(groups, setting))
    (result,) = run(Request(DESIGN, case, [0], params), tmp_path)
    assert result.passed, result.failures[:2]
    engines = result.request.all_params["ENGINES"]
    commands = 0
    for episode in result.episodes:
        for core, group in groups.items():
            for engine, raw in group.raw.items():
                trace = episode.record.outcome.ports[f"m_axis_{core * engines + engine}"]
                assert len(trace) == group.counts[engine]
                assert (trace.tuser >> np.uint64(10) == np.arange(1, len(trace) + 1)).all()
                sent = trace.data[trace.keep].tobytes()
                assert sent == raw[: len(sent)]
                assert len(raw) - len(sent) < 128
                assert trace.last.tolist() == [False] * (len(trace) - 1) + [True]
                commands += len(trace)
    return commands


@pytest.mark.slow
@pytest.mark.parametrize("chip", ["BM1684X", "CV186X", "BM1688", "BM1690"])
def test_every_stream_of_a_chip(chip, tmp_path):
    folder = data() / "cmdbuf"
    rows = [r for r in json.loads((folder / "MANIFEST.json").read_text()) if r["chip"] == chip]
    models = sorted({r["model"] for r in rows} - {MANY_CORES})
    assert models
    for model in models:
        groups = load(folder / model, [r for r in rows if r["model"] == model])
        assert check(groups, variant(CHIPS[chip]), tmp_path / model) >= 3 * 11


@pytest.mark.slow
def test_a_model_for_eight_cores(tmp_path):
    folder = data() / "cmdbuf"
    rows = [r for r in json.loads((folder / "MANIFEST.json").read_text()) if r["model"] == MANY_CORES]
    groups = load(folder / MANY_CORES, rows)
    params = {"CHIP": BM1690, "CORES": 8, "ENGINES": 3}
    assert check(groups, params, tmp_path) == 3 * sum(sum(g.counts.values()) for g in groups.values())


@pytest.mark.parametrize(
    "model",
    [
        pytest.param(f"{model}_{chip}", marks=[pytest.mark.slow] * ((model, chip) != ("tiny", "cv184x")))
        for chip in ("bm1684x", "bm1688", "cv184x")
        for model in ("tiny", "cnn")
    ],
)
def test_the_compiler_s_durations_give_its_timeline(model, tmp_path):
    folder = data() / "timeline" / model
    meta = json.loads((folder / "meta.json").read_text())
    profile = parse_profile((folder / "compiler_profile_0.txt").read_text())
    lines = [profile["tiu"], profile["gdma"]]
    group = CommandGroup([[], [], []], {}, {0: meta["tiu_num"], 1: meta["dma_num"]})
    group.raw = {0: (folder / "tiu.bin").read_bytes(), 1: (folder / "dma.bin").read_bytes()}

    def make(setting):
        tables = {}
        for engine, line in enumerate(lines):
            tables[engine] = dict(zip(line.id.tolist(), (UNIT * line.duration).tolist(), strict=True))
            tables[engine][group.counts[engine]] = UNIT
        one = [replace(group, streams=group.streams[: setting.params["ENGINES"]])]
        scene = FrontEndScene([one, *([] for _ in range(setting.params["CORES"] - 1))], [MemoryTiming(read_latency=1)])
        scene.table = (BY_ID, tables)
        return [front_end_stimulus(scene, setting, np.random.default_rng(0))]

    params = variant(TIMELINE_CHIPS[meta["chip"]])
    case = Case(name="timeline", summary="the compiler's", make=make)
    (result,) = run(Request(DESIGN, case, [0], params), tmp_path)
    assert result.passed, result.failures[:2]
    ports = result.episodes[0].record.outcome.ports
    # The first DMA command starts when it has been fetched; from there on everything is as the compiler says. Commands for which
    # it reckons no time at all take a cycle here: all of them together are less than one of its cycles.
    assert sum(int((line.duration == 0).sum()) for line in lines) < UNIT
    late = ports["m_axis_1"].cycle[0] - profile["gdma"].start[0]
    for engine, line in enumerate(lines):
        start, end = ports[f"m_axis_{engine}"].cycle, ports[f"evt_{engine}"].cycle - 1
        assert len(start) == len(line) + 1
        assert ((start[:-1] - late) // UNIT).tolist() == line.start.tolist()
        assert ((end[:-1] + 1 - late) // UNIT).tolist() == (line.end + 1).tolist()


def test_heads_of_every_stream_are_read_or_refused_by_name():
    folder = data() / "cmdbuf"
    read, refused = set(), {}
    for row in json.loads((folder / "MANIFEST.json").read_text()):
        name = row["chip"]
        if name not in MODEL_CHIPS:
            assert name == "BM1684"
            continue
        engine = "gdma" if row["engine"] == "dma" else row["engine"]
        file = folder / row["model"] / row["file"]
        stream = CommandStream(row["file"], engine, np.fromfile(file, np.uint8), 0)
        for found in commands(chip_tables(name), stream, file).values():
            try:
                check_heads(MODEL_CHIPS[name], name, stream, found, file)
                read.add(name)
            except UsageError as error:
                refused[row["model"], engine] = str(error)
    assert read == set(MODEL_CHIPS)
    assert refused.keys() == REFUSED.keys()
    assert all(REFUSED[key] in text for key, text in refused.items())


def test_a_container_without_an_end_is_refused():
    file = data() / "containers" / "tiny_bm1684.bmodel"
    with pytest.raises(UsageError, match="found BM1684"):
        run(Request(DESIGN, DESIGN.case("model"), options={"bmodel": str(file)}), file.parent)
