# SPDX-License-Identifier: Apache-2.0
"""How fast the object FIFO engine moves words, how fast it is simulated, and how fast designs are planned.

Words and cycles are those of the RTL, which is
compared with its model in every cycle of every run; simulation speeds are medians of runs that alternate with the
peer's (cocotbext-axi's classes on the same build, or the engine without a profile).
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
from measured import Row, benchmark

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

FILES = (
    "hdl/objfifo/*.sv",
    "pymodels/objfifo/plan/*.py",
    "pymodels/objfifo/engine/*.py",
    "tb/designs/objfifo/scene.py",
    "tb/kernel/**/*.*",
)
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
PEER_OBJECTS = 40


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


def rows_of_cases(count: int) -> Iterator[Row]:
    """Words per cycle at the busiest input and output of each case."""
    for name, options in list(CASES.items())[:count]:
        _, ports = outcome(DESIGN.case(name), {}, options)
        for way, column in (("s_axis", "input"), ("m_axis", "output")):
            best = max((rate(t) for port, t in ports.items() if port.startswith(way)), default=0.0)
            yield Row(name, best, column=column, table="cases")


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


def rows_of_channels() -> Iterator[Row]:
    """Bubbles between descriptors that wait for nothing, and all channels at once."""
    case = Case(name="streams", summary="", make=_streams)
    _, ports = outcome(case, {"NS": 1, "NM": 1, "NBANK": 4, "NBD": 16, "NLOCK": 16}, {})
    for port, way in (("s_axis_0", "to"), ("m_axis_0", "from")):
        trace = ports[port]
        steady = trace.cycle[2:] if port.startswith("s") else trace.cycle  # two words wait in front of the engine
        bubbles = int(np.sum(np.diff(steady) - 1)) / (len(trace) / LONG - 1)
        yield Row(f"bubbles per descriptor, {way} memory", bubbles, "cycles", goal="0", table="speed")
    _, ports = outcome(case, WIDE, {})
    streams = [t for name, t in ports.items() if name[:6] in ("s_axis", "m_axis")]
    first = max(int(t.cycle[4]) for t in streams)
    last = min(int(t.cycle[-1]) for t in streams)
    words = sum(int(np.sum((t.cycle >= first) & (t.cycle < last))) for t in streams)
    total = words / (last - first)
    yield Row("12 channels at once, 16 banks", total, "words/cycle", "channels", 12, table="speed")


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


def rows_of_simulation(rounds: int, objects: int) -> Iterator[Row]:
    """Words a second through the engine, native and cocotbext-axi."""
    rates: dict[str, list[float]] = {"native": [], "cocotbext": []}
    sizes: tuple[tuple[Backend, int], ...] = (("native", objects), ("cocotbext", PEER_OBJECTS))
    for _ in range(rounds):
        for backend, count in sizes:
            seconds, words, _ = _seconds(backend, count)
            rates[backend].append(words / seconds)
    native, peer = (statistics.median(rates[name]) for name in ("native", "cocotbext"))
    yield Row("simulation of forward", native, "words/s", "cocotbext-axi", peer, table="speed")


def rows_of_profiles(rounds: int, objects: int) -> Iterator[Row]:
    """Cycles a second of the engine's simulation, with the timing of silicon and with its own."""
    rates: dict[str, list[float]] = {"ideal": [], "npu1": []}
    for _ in range(rounds):
        for number, name in enumerate(rates):
            seconds, _, cycles = _seconds("native", objects, {"PROFILE": number})
            rates[name].append(cycles / seconds)
    npu1, ideal = (statistics.median(rates[name]) for name in ("npu1", "ideal"))
    yield Row("simulation of forward, npu1", npu1, "cycles/s", "without the profile", ideal, table="speed")


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


def rows_of_whole(rounds: int, objects: int) -> Iterator[Row]:
    """Cycles a second of a whole design on two engines, and of one engine alone, both under ``npu1``."""
    rates: dict[str, list[float]] = {"whole": [], "alone": []}
    for _ in range(rounds):
        ends = [_whole_seconds(words) for words in (64, 64 * 500)]
        rates["whole"].append((ends[1][1] - ends[0][1]) / (ends[1][0] - ends[0][0]))
        seconds, _, cycles = _seconds("native", objects, {"PROFILE": 1})
        rates["alone"].append(cycles / seconds)
    whole, alone = (statistics.median(rates[name]) for name in ("whole", "alone"))
    yield Row("whole design, npu1", whole, "cycles/s", "one engine", alone, table="speed")


def rows_of_planning() -> Iterator[Row]:
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
    yield Row("planning a design on 32 cores", seconds, "s", goal="1 s", table="speed")


def run_all(cases: int, rounds: int, objects: int) -> Iterator[Row]:
    """Measure everything."""
    yield from rows_of_cases(cases)
    yield from rows_of_channels()
    yield from rows_of_simulation(rounds, objects)
    yield from rows_of_profiles(rounds, objects)
    yield from rows_of_whole(rounds, objects)
    yield from rows_of_planning()


if __name__ == "__main__":
    full = {"cases": len(CASES), "rounds": 3, "objects": 2000}
    benchmark(run_all, FILES, full, {"cases": 3, "rounds": 1, "objects": 300})
