# SPDX-License-Identifier: Apache-2.0
"""How fast the object FIFO engine moves words, how fast it is simulated, and how fast designs are planned.

Run as a script: prints tables and writes ``build/bench/objfifo.json``. Words and cycles are those of the RTL, which is
compared with its model in every cycle of every run; simulation speeds are medians of runs that alternate with the
peer's (cocotbext-axi's classes on the same build, or the engine without a profile).
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from goldbeat.pymodels.objfifo.engine.array import predict
from goldbeat.pymodels.objfifo.engine.registers import Descriptor, EngineShape, EngineTask
from goldbeat.pymodels.objfifo.plan.design import Fifo, Link
from goldbeat.pymodels.objfifo.plan.design import FifoDesign as ObjectFifos
from goldbeat.pymodels.objfifo.plan.device import AIEDevice
from goldbeat.pymodels.objfifo.plan.lower import plan
from goldbeat.pymodels.objfifo.plan.object_type import ObjectType
from goldbeat.pymodels.stimulus import Stimulus
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.build.simulator import build
from goldbeat.tb.design.case import Case, CaseContext
from goldbeat.tb.designs.objfifo.bench_array import DESIGN as ARRAY
from goldbeat.tb.designs.objfifo.bench_engine import DESIGN
from goldbeat.tb.designs.objfifo.scene import EngineScene, engine_stimulus, random_halves
from goldbeat.tb.inside.job import Backend, Episode
from goldbeat.tb.run.runs import Request, run
from goldbeat.tb.run.simulate import simulate

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from objfifo_scripts import ADD_THREE

OUT = Path("build/bench/objfifo.json")
ROUNDS = 3
CASES: dict[str, dict[str, int]] = {
    "forward": {"words": 64, "objects": 40},
    "distribute": {"words": 64, "objects": 20},
    "join": {"words": 64, "objects": 20},
    "broadcast": {"words": 64, "objects": 20},
    "transpose": {"rows": 8, "columns": 8, "objects": 40},
    "padding": {"objects": 40},
    "repeat": {"words": 64, "objects": 20},
    "init_values": {"words": 64, "objects": 40},
    "rechunk": {"objects": 60},
    "chain": {"words": 64},
}
WIDE = {"NS": 6, "NM": 6, "NBD": 24, "NLOCK": 16, "NBANK": 16, "MEM_WORDS": 4096}
LONG = 16
NATIVE_OBJECTS, PEER_OBJECTS = 2000, 40


def rate(trace: Trace) -> float:
    """Words a cycle between the first and the last."""
    return len(trace) / float(trace.cycle[-1] - trace.cycle[0] + 1) if len(trace) else 0.0


def outcome(case: Case, params: dict[str, int], options: dict[str, int]) -> tuple[Stimulus, dict[str, Trace]]:
    """A run on the RTL, compared with the model; what its ports did."""
    with tempfile.TemporaryDirectory() as folder:
        (result,) = run(Request(DESIGN, case, (0,), params, options), Path(folder))
    if not result.passed:
        raise SystemExit(f"{case.name} failed: {result.failures[0]}")
    return result.episodes[0].stimulus, dict(result.episodes[0].record.outcome.ports)


def rows_of_cases() -> list[dict[str, Any]]:
    """Words per cycle at the busiest input and output of each case."""
    found = []
    for name, options in CASES.items():
        _, ports = outcome(DESIGN.case(name), {}, options)
        for way in ("s_axis", "m_axis"):
            best = max((rate(t) for port, t in ports.items() if port.startswith(way)), default=0.0)
            found.append({"name": f"{name}, {way}", "value": best, "unit": "words/cycle", "peer": 1.0, "ratio": best})
    return found


def _streams(setting: CaseContext) -> list[Stimulus]:
    """Every channel moves LONG-word descriptors one after the other, each in its own part of memory, nothing to wait for."""
    shape = EngineShape.of(setting.params)
    rng = np.random.default_rng(0)
    scene = EngineScene(words={c: random_halves(shape, rng, 40 * LONG) for c in range(shape.ns)})
    scene.memory = {0: random_halves(shape, rng, 2 * LONG * shape.channels)}
    for c in range(shape.channels):
        # Neighbours begin in different banks.
        places = [2 * LONG * c + c, 2 * LONG * c + LONG + c]
        ring = [Descriptor(at % (2 * LONG * shape.channels - LONG), LONG) for at in places]
        first = scene.chain(2 * c, ring)
        scene.tasks.append(EngineTask(c, first, repeat=19))
    return [engine_stimulus(scene, setting)]


def rows_of_channels() -> list[dict[str, Any]]:
    """Bubbles between descriptors that wait for nothing, and all channels at once."""
    case = Case(name="streams", summary="", make=_streams)
    _, ports = outcome(case, {"NS": 1, "NM": 1, "NBANK": 4, "NBD": 16, "NLOCK": 16}, {})
    found = []
    for port in ("s_axis_0", "m_axis_0"):
        trace = ports[port]
        steady = trace.cycle[2:] if port.startswith("s") else trace.cycle  # two words wait in front of the engine
        bubbles = int(np.sum(np.diff(steady) - 1)) / (len(trace) / LONG - 1)
        found.append(
            {"name": f"bubbles a descriptor, {port}", "value": bubbles, "unit": "cycles", "peer": 0.0, "ratio": None}
        )
    _, ports = outcome(case, WIDE, {})
    streams = [t for name, t in ports.items() if name[:6] in ("s_axis", "m_axis")]
    first = max(int(t.cycle[4]) for t in streams)
    last = min(int(t.cycle[-1]) for t in streams)
    words = sum(int(np.sum((t.cycle >= first) & (t.cycle < last))) for t in streams)
    total = words / (last - first)
    found.append(
        {"name": "12 channels, 16 banks", "value": total, "unit": "words/cycle", "peer": 12.0, "ratio": total / 12}
    )
    return found


def _seconds(backend: Backend, objects: int, params: Mapping[str, int] | None = None) -> tuple[float, int, int]:
    """Wall time of a run without its start-up, its words in and out, and its cycles."""
    times, ends = [], []
    for count in (1, objects):
        request = Request(DESIGN, DESIGN.case("forward"), (0,), params or {}, {"words": 64, "objects": count})
        (stimulus,) = request.case.make(request.setting(0))
        cycles = 70 * count + 200
        episode = Episode(replace(stimulus, after={}), cycles * 4000 + 1)
        built = build(DESIGN, request.all_params)
        with tempfile.TemporaryDirectory() as folder:
            begin = time.perf_counter()
            result = simulate(DESIGN, request.all_params, built, [episode], Path(folder), transactors=backend)
            times.append(time.perf_counter() - begin)
        if result.failure or len(result.records[0].outcome.ports["m_axis_0"]) != 64 * count:
            raise SystemExit(f"{backend}: {result.failure or 'words are missing'}")
        ends.append(int(result.records[0].outcome.ports["m_axis_0"].cycle[-1]))
    return times[1] - times[0], 2 * 64 * (objects - 1), ends[1] - ends[0]


def rows_of_simulation() -> list[dict[str, Any]]:
    """Words a second through the engine, native and cocotbext-axi."""
    rates: dict[str, list[float]] = {"native": [], "cocotbext": []}
    sizes: Sequence[tuple[Backend, int]] = (("native", NATIVE_OBJECTS), ("cocotbext", PEER_OBJECTS))
    for _ in range(ROUNDS):
        for backend, objects in sizes:
            seconds, words, _ = _seconds(backend, objects)
            rates[backend].append(words / seconds)
    native, peer = (statistics.median(rates[name]) for name in ("native", "cocotbext"))
    return [{"name": "simulation", "value": native, "unit": "words/s", "peer": peer, "ratio": native / peer}]


def rows_of_profiles() -> list[dict[str, Any]]:
    """Cycles a second of the engine's simulation, with the timing of silicon and with its own."""
    rates: dict[str, list[float]] = {"ideal": [], "npu1": []}
    for _ in range(ROUNDS):
        for number, name in enumerate(rates):
            seconds, _, cycles = _seconds("native", NATIVE_OBJECTS, {"PROFILE": number})
            rates[name].append(cycles / seconds)
    npu1, ideal = (statistics.median(rates[name]) for name in ("npu1", "ideal"))
    return [{"name": "simulation, npu1", "value": npu1, "unit": "cycles/s", "peer": ideal, "ratio": npu1 / ideal}]


def _whole_seconds(words: int) -> tuple[float, int]:
    """Wall time of the simulation of a whole design under ``npu1``, and its cycles."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "design.py"
        file.write_text(ADD_THREE.replace("(96,)", f"({words},)").replace("(8,)", "(64,)"))
        case = ARRAY.case("design")
        request = Request(ARRAY, case, (0,), {"PROFILE": 1}, {**case.options, "design": str(file)})
        (stimulus,) = case.make(request.setting(0))
        built = build(ARRAY, request.all_params)
        cycles = int(predict(request.all_params, stimulus).ports["m_axis_0"].cycle[-1]) + 1
        episode = Episode(replace(stimulus, after={}), (cycles + 1000) * 4000 + 1)
        begin = time.perf_counter()
        result = simulate(ARRAY, request.all_params, built, [episode], Path(folder))
        seconds = time.perf_counter() - begin
    if result.failure or len(result.records[0].outcome.ports["m_axis_0"]) != words:
        raise SystemExit(f"whole design: {result.failure or 'words are missing'}")
    return seconds, cycles


def rows_of_whole() -> list[dict[str, Any]]:
    """Cycles a second of a whole design on two engines, and of one engine alone, both under ``npu1``."""
    rates: dict[str, list[float]] = {"whole": [], "alone": []}
    for _ in range(ROUNDS):
        ends = [_whole_seconds(words) for words in (64, 64 * 500)]
        rates["whole"].append((ends[1][1] - ends[0][1]) / (ends[1][0] - ends[0][0]))
        seconds, _, cycles = _seconds("native", NATIVE_OBJECTS, {"PROFILE": 1})
        rates["alone"].append(cycles / seconds)
    whole, alone = (statistics.median(rates[name]) for name in ("whole", "alone"))
    return [{"name": "whole design, npu1", "value": whole, "unit": "cycles/s", "peer": alone, "ratio": whole / alone}]


def rows_of_planning() -> list[dict[str, Any]]:
    """A design on 32 cores: in each of eight columns a vector is split over four cores and joined again."""
    device = AIEDevice.npu2.value
    part, whole = (ObjectType((n,), np.dtype(np.int32)) for n in (256, 1024))
    fifos, links = [], []
    for col in range(8):
        shim, mem, cores = device.tile(col, 0), device.tile(col, 1), [device.tile(col, 2 + n) for n in range(4)]
        names = [f"to{col}_{n}" for n in range(4)], [f"from{col}_{n}" for n in range(4)]
        fifos.append(Fifo(f"in{col}", shim, (mem,), 2, whole))
        fifos += [Fifo(name, mem, (core,), 2, part) for name, core in zip(names[0], cores, strict=True)]
        fifos += [Fifo(name, core, (mem,), 2, part) for name, core in zip(names[1], cores, strict=True)]
        fifos.append(Fifo(f"out{col}", mem, (shim,), 2, whole))
        offsets = (0, 256, 512, 768)
        links.append(Link((f"in{col}",), tuple(names[0]), (), offsets))
        links.append(Link(tuple(names[1]), (f"out{col}",), offsets, ()))
    times = []
    for _ in range(5):
        begin = time.process_time()
        plan(ObjectFifos(device, list(fifos), list(links)))
        times.append(time.process_time() - begin)
    seconds = statistics.median(times)
    return [{"name": "planning 32 cores", "value": seconds, "unit": "s", "peer": 1.0, "ratio": seconds}]


def main() -> None:
    """Measure everything, print it, keep it."""
    rows = [*rows_of_cases(), *rows_of_channels(), *rows_of_simulation(), *rows_of_profiles(), *rows_of_whole()]
    rows += rows_of_planning()
    for row in rows:
        ratio = "" if row["ratio"] is None else f"{row['ratio']:10.2f}"
        print(f"{row['name']:<34}{row['value']:12.4g} {row['unit']:<12}{row['peer']:12.4g}{ratio}")
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text(json.dumps(rows, indent=2) + "\n")


if __name__ == "__main__":
    main()
