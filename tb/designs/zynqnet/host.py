# SPDX-License-Identifier: Apache-2.0
"""Host programs for the ZynqNet accelerator that do more than start a layer and wait for its interrupt.

Contract: docs/zynqnet-hardware.md, Start and end, and Registers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from goldbeat.pymodels.axi.memory import MemoryImage, MemoryTiming, Region
from goldbeat.pymodels.stimulus import Access, Clock, Stimulus
from goldbeat.pymodels.zynqnet import device_map as reg
from goldbeat.pymodels.zynqnet.device import INTERRUPT, MEMORY, REGISTERS, TimedAccelerator
from goldbeat.pymodels.zynqnet.hardware import BURST, Hardware
from goldbeat.pymodels.zynqnet.memory_map import MemoryMap
from goldbeat.pymodels.zynqnet.network import Network, parse_network
from goldbeat.pymodels.zynqnet.registers import COUNTERS, HELD, KNOWN, READ_ONLY, layer_rows, setup_rows
from goldbeat.pymodels.zynqnet.timing import Accelerator, LayerTimes
from goldbeat.tb.design.case import CaseContext
from goldbeat.tb.design.traffic import Rng
from goldbeat.tb.designs.zynqnet.traffic import late_timing, layer_patience, memory_image, random_memory, setup

_LEAST_CYCLES = 50
_AROUND = range(-4, 5)
"""Cycles around the end of a layer in which a host does something."""
_TAKEN = range(3)
"""Cycles behind the end of a layer in which a write meets the copy that the next layer takes."""
_ADDRESSES = range(0, 0x1000, 4)
_UNALIGNED = (0x001, 0x01A, 0x0BB, 0x10D)

Program = list[Access]


def host_write(address: int, value: int, strobe: int = 0xF) -> Access:
    """A write."""
    return Access("write", address, value, strobe)


def start(value: int = reg.AP_CTRL_START) -> Access:
    """Start a layer."""
    return host_write(reg.AP_CTRL, value)


def reads(*addresses: int) -> Program:
    """Read some registers."""
    return [Access("read", address) for address in addresses]


_EVERYTHING = reads(*(address for address in sorted(KNOWN)))
_RESULTS = reads(reg.AP_CTRL, reg.ISR, reg.ERROR, *COUNTERS.values())
_STOP = host_write(reg.AP_CTRL, 0)


@dataclass(frozen=True)
class NetworkScene:
    """A small network on a memory full of random numbers.

    Attributes:
        setting: of the run.
        network: two layers, 3x3 and 1x1 with pool sums; the second one's registers can be written while the first one runs.
        image: the memory.
    """

    setting: CaseContext
    network: Network
    image: MemoryImage

    @property
    def memory(self) -> MemoryMap:
        """Where everything lies."""
        return MemoryMap(self.network)

    @property
    def patience(self) -> int:
        """Cycles after which something counts as never coming."""
        return sum(layer_patience(layer) for layer in self.network.layers)

    def prepare(self, number: int) -> Program:
        """Write a layer's registers without the start."""
        return [row.access() for row in layer_rows(self.network.layers[number])][:-1]

    def poll(self, address: int, value: int, mask: int | None = None) -> Access:
        """Read a register until it has a value."""
        return Access("poll", address, value, mask=mask, cycles=self.patience)

    def idle(self) -> Access:
        """Poll until no layer runs."""
        return self.poll(reg.AP_CTRL, reg.AP_CTRL_IDLE, reg.AP_CTRL_IDLE)

    def wait(self, value: int = 1) -> Access:
        """Wait for the interrupt."""
        return Access("wait_for", value=value, port=INTERRUPT, cycles=self.patience)

    def episode(self, program: Sequence[Access], stop_ps: int | None = None) -> Stimulus:
        """A program from reset on."""
        return Stimulus(
            inputs={},
            clocks=self.setting.clocks,
            program={REGISTERS: tuple(program)},
            memories={MEMORY: self.image},
            stop_ps=stop_ps,
            least_ps=_LEAST_CYCLES * self.clock.period_ps,
        )

    @property
    def clock(self) -> Clock:
        """The clock."""
        (clock,) = self.setting.clocks.values()
        return clock

    def after(self, program: Sequence[Access]) -> int:
        """The last cycle of a program."""
        params = self.setting.params
        device = TimedAccelerator(Hardware.of(params), self.image, int(params["MEM_WORDS"]))
        last = device.run(tuple(program))[-1].cycle
        assert last is not None
        return last

    def done(self, program: Sequence[Access]) -> int:
        """The page's D of the layer that a program starts; interrupts are on."""
        return self.after([*program, self.wait()]) - 1

    def at(self, cycle: int, program: Sequence[Access], steps: Sequence[Access]) -> Program:
        """A program, then other steps, the first of which is made in that cycle."""
        pause = cycle - self.after(program) - 1
        return [*program, *([Access("wait", cycles=pause)] if pause > 0 else []), *steps]


def scene(setting: CaseContext, rng: Rng, timing: MemoryTiming | None = None) -> NetworkScene:
    """A small network with random sizes."""
    width, height = int(rng.integers(3, 8)), int(rng.integers(3, 6))
    layers: list[dict[str, Any]] = [
        {"name": "a", "ch_out": 16 * int(rng.integers(1, 3)), "kernel": 3, "relu": bool(rng.integers(2))},
        {"name": "b", "ch_out": 16, "kernel": 1, "gpool": True},
    ]
    if setting.params["INT8"]:
        for layer in layers:
            layer["shifts"] = {"bias": int(rng.integers(-6, 9)), "out": int(rng.integers(0, 12))}
    size = {"width": width, "height": height, "channels": int(rng.integers(2, 14))}
    network = parse_network({"name": "small", "input": size, "layer": layers})
    words = random_memory(rng, network, bool(setting.params["INT8"]))
    return NetworkScene(setting, network, memory_image(network, words, timing or MemoryTiming()))


def _rng(setting: CaseContext) -> Rng:
    return np.random.default_rng(setting.seed)


# -- auto-restart -----------------------------------------------------------------------------------------------------

_AGAIN = reg.AP_CTRL_START | reg.AP_CTRL_AUTO_RESTART


def restart(setting: CaseContext) -> Sequence[Stimulus]:
    """Layers that follow each other without a write of start."""
    rng = _rng(setting)
    makers: tuple[Callable[[NetworkScene], Program], ...] = (_same_layer, _next_layer, _bad_layer, _with_interrupts)
    episodes = []
    for make in makers:
        for timing in (MemoryTiming(), late_timing(rng, setting.seed)):
            small = scene(setting, rng, timing)
            episodes.append(small.episode([*setup(small.memory), *make(small), *_EVERYTHING]))
    return episodes


def _same_layer(small: NetworkScene) -> Program:
    """Three times, and once more: a layer that has begun when the bit is cleared comes to its end."""
    layers = COUNTERS["LAYERS"]
    return [
        *small.prepare(0),
        start(_AGAIN),
        small.poll(layers, 3),
        *reads(reg.AP_CTRL),
        _STOP,
        small.idle(),
        *_RESULTS,
    ]


def _next_layer(small: NetworkScene) -> Program:
    """The second layer is written while the first one runs; the start bit is never written again."""
    layers = COUNTERS["LAYERS"]
    steps = [*small.prepare(0), start(_AGAIN), *small.prepare(1), small.poll(layers, 1), *reads(reg.NAME)]
    return [*steps, _STOP, small.idle(), *_RESULTS]


def _bad_layer(small: NetworkScene) -> Program:
    """A layer that cannot run ends it; the bit stays."""
    steps = [*small.prepare(0), start(_AGAIN), host_write(reg.KERNEL, 2), small.poll(COUNTERS["LAYERS"], 1)]
    steps += [small.idle(), *_RESULTS, host_write(reg.KERNEL, 3), start(), small.idle(), *_RESULTS]
    return steps


def _with_interrupts(small: NetworkScene) -> Program:
    """An interrupt for each layer."""
    steps = [*small.prepare(0), start(_AGAIN)]
    for _ in range(3):
        steps += [small.wait(), host_write(reg.ISR, 1), small.wait(0), *reads(reg.AP_CTRL, COUNTERS["LAYERS"])]
    return [*steps, _STOP, small.wait(), small.idle(), *_RESULTS]


# -- polling ----------------------------------------------------------------------------------------------------------


def polling(setting: CaseContext) -> Sequence[Stimulus]:
    """A host without interrupts; every phase of its reads against the end of the layer."""
    rng = _rng(setting)
    episodes = []
    wanted = (
        (reg.AP_CTRL, reg.AP_CTRL_DONE),
        (reg.AP_CTRL, reg.AP_CTRL_IDLE),
        (reg.AP_CTRL, reg.AP_CTRL_READY),
        (reg.ISR, 2),
    )
    for number in range(2 * len(wanted)):
        address, bit = wanted[number // 2]
        small = scene(setting, rng, MemoryTiming() if number % 2 else late_timing(rng, setting.seed + number))
        steps = [*setup(small.memory), host_write(reg.GIE, 0), host_write(reg.IER, 2)]
        for phase in range(4):
            steps += [*small.prepare(phase % 2), start(), *([Access("wait", cycles=phase)] if phase else [])]
            steps += [small.poll(address, bit, bit), *_RESULTS, host_write(reg.ISR, 2)]
        episodes.append(small.episode([*steps, *_EVERYTHING]))
    return episodes


# -- at the end of a layer ----------------------------------------------------------------------------------------------


def edges(setting: CaseContext) -> Sequence[Stimulus]:
    """What a host does in the cycles around the end of a layer, each cycle in an episode of its own."""
    rng = _rng(setting)
    small = scene(setting, rng)
    layer = [*setup(small.memory), *small.prepare(0)]
    single, again = [*layer, start()], [*layer, start(_AGAIN)]
    bad = [*layer, host_write(reg.CH_OUT, 8), start()]
    other = small.network.layers[1].mem_out
    last = [small.poll(COUNTERS["LAYERS"], 1), _STOP]
    acts: tuple[tuple[Program, Program], ...] = (
        (again, [_STOP]),
        (single, [start()]),
        (single, [host_write(reg.ISR, 1)]),
        (single, [host_write(reg.IER, 3)]),
        (single, [host_write(reg.GIE, 0), host_write(reg.GIE, 1)]),
        (single, reads(reg.AP_CTRL)),
        (single, reads(reg.ISR)),
        (single, reads(COUNTERS["CYCLES"])),
        (single, reads(COUNTERS["LAYERS"])),
        (bad, reads(reg.ERROR)),
        (bad, reads(reg.AP_CTRL)),
        (again, [host_write(reg.MEM_OUT, other), *last]),
        (again, [*reads(reg.AP_CTRL), *last]),
        (again, [*reads(COUNTERS["CYCLES"]), *last]),
    )
    episodes = []
    for before, act in acts:
        done = small.done(before)
        for late in _AROUND:
            program = small.at(done + late, before, [*act, *reads(reg.AP_CTRL), small.idle(), *_RESULTS])
            episodes.append(small.episode(program))
    return episodes + _late_writes(small, again)


def _late_writes(small: NetworkScene, again: Program) -> list[Stimulus]:
    """Every register of a layer, written in the cycles in which the next layer takes them all; most values make it a bad one."""
    layer, memory = small.network.layers[0], small.memory
    bad = {"WIDTH": 0, "HEIGHT": 0, "CH_IN": 0, "CH_OUT": 8, "KERNEL": 2, "STRIDE": 3, "MEM_WORDS": 16}
    good = {"RELU": int(not layer.relu), "FIRST_SPLIT": 1, "SECOND_SPLIT": 1, "GLOBAL_POOL": 1, "SHIFTS": 0x010101}
    moved = [*setup_rows(memory), *(row for row in layer_rows(layer) if row.register in ("MEM_IN", "NUM_WEIGHTS"))]
    places = {row.register: row.value + 1 for row in moved if row.register not in bad}
    places |= {"MEM_OUT": layer.mem_out + 2, "MEM_WEIGHTS": layer.mem_weights + 2}
    done = small.done(again)
    episodes = []
    for name, value in (bad | good | places).items():
        act = [host_write(reg.REGISTERS[name].address, value), *reads(reg.AP_CTRL), _STOP, small.idle(), *_RESULTS]
        episodes += [small.episode(small.at(done + late, again, act)) for late in _TAKEN]
    return episodes


# -- registers ----------------------------------------------------------------------------------------------------------


def register_scenes(setting: CaseContext) -> Sequence[Stimulus]:
    """Writes while a layer runs, interrupts on and off, addresses where nothing is."""
    rng = _rng(setting)
    while_it_runs = [scene(setting, rng, late_timing(rng, setting.seed)) for _ in range(4)]
    episodes = [small.episode(_scribble(small, rng)) for small in while_it_runs]
    small = scene(setting, rng)
    episodes.append(small.episode(_interrupts(small)))
    episodes.append(small.episode(_nowhere(small, rng)))
    return episodes


def _scribble(small: NetworkScene, rng: Rng) -> Program:
    """While a layer runs, nothing that is written changes it, and it cannot be started again."""
    quiet = [address for address in HELD if address not in (reg.GIE, reg.IER)]
    steps = [*setup(small.memory), *small.prepare(0), start()]
    for address in rng.permutation(quiet).tolist():
        steps += [host_write(address, int(rng.integers(1 << 32)), int(rng.integers(16))), *reads(address)]
        if rng.random() < 0.2:
            steps.append(start())
    steps += [small.wait(), *_EVERYTHING, host_write(reg.ISR, 1)]
    steps += [*setup(small.memory), host_write(reg.SHIFTS, 0), *small.prepare(1), start(), small.wait(), *_EVERYTHING]
    return steps


def _interrupts(small: NetworkScene) -> Program:
    """Enables of all kinds; bits set and cleared by hand; strobes."""
    run = [*small.prepare(0), start(), small.idle(), *reads(reg.ISR)]
    memory = [access for access in setup(small.memory) if access.address not in (reg.GIE, reg.IER)]
    steps = [*memory, *run, host_write(reg.IER, 1), *reads(reg.ISR)]
    steps += [*run, small.wait(0), host_write(reg.GIE, 1), small.wait(), host_write(reg.ISR, 1), small.wait(0)]
    steps += [
        host_write(reg.ISR, 2),
        small.wait(),
        *reads(reg.ISR),
        host_write(reg.ISR, 3, 0xE),
        small.wait(),
        *reads(reg.ISR),
    ]
    steps += [
        host_write(reg.ISR, 3),
        *reads(reg.ISR),
        host_write(reg.IER, 0),
        *reads(reg.ISR),
        host_write(reg.ISR, 1),
        small.wait(0),
    ]
    steps += [
        host_write(reg.IER, 2),
        *run,
        small.wait(),
        host_write(reg.GIE, 0),
        small.wait(0),
        *run,
        host_write(reg.IER, 3),
        *run,
    ]
    steps += [
        host_write(reg.AP_CTRL, 0x81, 0xE),
        *reads(reg.AP_CTRL),
        host_write(reg.IER, 0xFF, 0),
        *_EVERYTHING,
        host_write(reg.GIE, 1),
    ]
    return steps


def _nowhere(small: NetworkScene, rng: Rng) -> Program:
    """Every address that is not there, and writes to what can only be read: answered with an error, and nothing changes."""
    steps = [host_write(address, int(rng.integers(1 << 32))) for address in HELD if address not in (reg.GIE, reg.IER)]
    strange = [address for address in (*_ADDRESSES, *_UNALIGNED) if address not in KNOWN]
    for address in strange:
        steps += [Access("write", address, 0xFFFF_FFFF, error=True), Access("read", address, error=True)]
    for address in READ_ONLY:
        steps.append(Access("write", address, 0xFFFF_FFFF, error=True))
    return [*steps, *_EVERYTHING, *setup(small.memory), *small.prepare(1), start(), small.wait(), *_EVERYTHING]


# -- reset --------------------------------------------------------------------------------------------------------------


def resets(setting: CaseContext) -> Sequence[Stimulus]:
    """Reset while a layer runs, in each of its phases; after it, registers and the same layer are as ever."""
    rng = _rng(setting)
    episodes = []
    for number in range(2):
        small = scene(setting, rng, late_timing(rng, setting.seed) if number else None)
        run = [*setup(small.memory), *small.prepare(1 - number), start(_AGAIN if number else reg.AP_CTRL_START)]
        last = small.after(run)
        fresh = [*_EVERYTHING, *run, *([_STOP] if number else []), small.wait(), *_EVERYTHING]
        for cycle in _phases(_times(small, 1 - number, last + 1), int(setting.options["random"]), rng):
            pause = max(0, cycle - last - _TO_START)
            period = small.clock.period_ps
            episodes += [small.episode(run, stop_ps=pause * period + period // 2), small.episode(fresh)]
    return episodes


_TO_START = 6
"""Cycles from the end of a program to the start of the streams, from which the time of a reset counts."""


def _times(small: NetworkScene, number: int, go: int) -> LayerTimes:
    hardware = Hardware.of(small.setting.params)
    return Accelerator(hardware, small.image.timing).run(small.network.layers[number], small.memory, go)


def _phases(times: LayerTimes, more: int, rng: Rng) -> list[int]:
    """A cycle of every phase: judging, first rows, weights, first and last issues, draining, writing, waiting for answers."""
    rows, tiles = times.reads, times.tiles
    found = [times.go + 8, int(rows[0, 2]) + 1, int(rows[0, 3]) + 1]
    found += [int(row) for row in rows[len(rows) // 4 :: max(1, len(rows) // 4), 3]]
    found += [int(tiles.first_issue[0]) + 3, int(tiles.last_issue[-1]), int(tiles.first_step[0]) + 2]
    found += [
        int(times.writes[0, 2]),
        int(times.writes[0, 3]),
        int(times.writes[-1, 4]) + 1,
        times.done - 1,
        times.done,
    ]
    return sorted(found + rng.integers(times.go + 8, times.done, more).tolist())


# -- error responses ----------------------------------------------------------------------------------------------------


def responses(setting: CaseContext) -> Sequence[Stimulus]:
    """Bursts that the memory refuses: the layer goes on to its end and says so; the one after it is as ever."""
    rng = _rng(setting)
    episodes = []
    for number in range(int(setting.options["layers"])):
        small = scene(setting, rng, late_timing(rng, setting.seed + number) if number % 2 else None)
        which = number // 2 % 2
        auto = _AGAIN if rng.random() < 0.5 else reg.AP_CTRL_START
        run = [*setup(small.memory), *small.prepare(which), start(auto)]
        times = _times(small, which, small.after(run) + 1)
        image = _refusing(small, times, rng)
        faulty = NetworkScene(setting, small.network, image)
        program = [*run, small.wait(), *_RESULTS, host_write(reg.ISR, 1)]
        # The other layer may meet the same places.
        program += [*small.prepare(1 - which), start(), small.wait(), *_EVERYTHING]
        episodes.append(faulty.episode(program))
    return episodes


def _refusing(small: NetworkScene, times: LayerTimes, rng: Rng) -> MemoryImage:
    """The memory with one to three bursts of a layer that must not be read or written."""
    block = BURST * Hardware.of(small.setting.params).data_w // 8
    beat = block // BURST
    refused: dict[int, tuple[bool, bool]] = {}
    for _ in range(int(rng.integers(1, 4))):
        write_side = bool(rng.integers(2))
        bursts = times.writes if write_side else times.reads
        first = int(bursts[rng.integers(len(bursts)), 0]) * beat // block
        readable, writable = refused.get(first, (True, True))
        refused[first] = (readable and write_side, writable and not write_side)
    regions = [part for region in small.image.regions for part in _cut(region, block, refused)]
    return MemoryImage(tuple(regions), small.image.timing, refusals=True)


def _cut(region: Region, block: int, refused: Mapping[int, tuple[bool, bool]]) -> list[Region]:
    """A region with some blocks of addresses as regions of their own, whose rights are taken away."""
    edges = {region.base, region.end}
    for number in refused:
        edges |= {edge for edge in (number * block, (number + 1) * block) if region.base < edge < region.end}
    parts = []
    for first, end in pairwise(sorted(edges)):
        readable, writable = refused.get(first // block, (True, True))
        parts.append(
            Region(
                region.name if len(edges) == 2 else f"{region.name}, from {first:#x}",
                first,
                region.data[first - region.base : end - region.base],
                region.readable and readable,
                region.writable and writable,
            )
        )
    return parts
