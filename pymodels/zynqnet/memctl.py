# SPDX-License-Identifier: Apache-2.0
"""Golden model of the memory controller by itself. Contract: docs/zynqnet-hardware.md, The memory controller alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.axi.burst import OKAY, READ, WRITE, Bursts
from goldbeat.pymodels.axi.channels import ReadChannel, WriteChannel
from goldbeat.pymodels.axi.memory import MemoryImage, MemoryTiming, respond
from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.stimulus import MemoryContents, Outcome, Stimulus
from goldbeat.pymodels.trace import Trace
from goldbeat.pymodels.zynqnet import device_map as reg
from goldbeat.pymodels.zynqnet.described import derived_words, described_layer
from goldbeat.pymodels.zynqnet.hardware import (
    ALIGNED_BYTES,
    ALIGNED_WORDS,
    AW_LATENCY,
    DRAIN_LATENCY,
    OUT_DEPTH,
    SETUP,
    WRITES,
    Hardware,
)
from goldbeat.pymodels.zynqnet.memory_map import WORD_BYTES, Space
from goldbeat.pymodels.zynqnet.network import Layer
from goldbeat.pymodels.zynqnet.registers import HELD
from goldbeat.pymodels.zynqnet.timing_reader import LayerReader

MEMORY = "m_axi"
LAYERS, ROWS, STEPS, WORDS, EVENTS, JUDGED = "s_layer", "s_row", "s_drain", "m_words", "m_event", "m_layer"
LAYER_WORDS = 12
JUDGED_ALONE = 1 << 8
"""In the third word of a layer: it is judged and does not run."""
FIRST_STEP, LAST_STEP = 1 << 8, 1 << 9
"""In the word of a drain step that has the burst's length."""
READ_BEAT, READ_ERROR, WRITE_BEAT, WRITE_ERROR, END = (1 << bit for bit in range(5))

LOG = np.dtype([(n, np.int64) for n in ("address", "cycle", "first", "last", "done", "len", "kind", "response")])
"""Columns of the memory's log that are predicted."""

_WHOLE_WORDS = (
    *(reg.NUM_WEIGHTS, reg.MEM_IN, reg.MEM_WEIGHTS, reg.DRAM_BASE, reg.MEM_OUT),
    *(reg.WEIGHTS_OFFSET, reg.INPUT_OFFSET, reg.MEM_WORDS, reg.SHIFTS),
)
"""Registers that have a word of a layer's beat for themselves, in order."""

_HANDED_ON = 1
"""From a data handshake to the cycle in which the reader hands its words on."""

Words = npt.NDArray[np.uint32]
Cycles = npt.NDArray[np.int64]


class _Offers:
    """The beats of a source, taken one after the other."""

    def __init__(self, trace: Trace) -> None:
        self._gaps: list[int] = trace.gaps.tolist()
        # Nothing transfers at edge 0.
        self._free = 1
        self._offer = 0
        self.taken: list[int] = []

    def take(self, earliest: int) -> int:
        """Take the next beat in the first cycle from ``earliest`` on in which it is offered."""
        cycle = max(self._offer + self._gaps[len(self.taken)], self._free, earliest)
        self.taken.append(cycle)
        self._offer = self._free = cycle + 1
        return cycle


class _Recorder(ReadChannel):
    """A read channel that remembers every data handshake."""

    def __init__(self, timing: MemoryTiming) -> None:
        super().__init__(timing)
        self.moved: list[int] = []

    def burst(self, offer: int, beats: int, hold: int = 0) -> tuple[int, Sequence[int]]:
        """As the channel does it."""
        address, moved = super().burst(offer, beats, hold)
        self.moved.extend(moved)
        return address, moved


class _Writer:
    """Every rule of Writer in docs/zynqnet-hardware.md, for one drain step after the other."""

    def __init__(self, timing: MemoryTiming) -> None:
        self._channel = WriteChannel(timing)
        self._address = self._moved = -1
        self.data: list[int] = []
        self.addresses: list[int] = []
        self.firsts: list[int] = []
        self.lasts: list[int] = []
        self.responses: list[int] = []

    def credit(self) -> int:
        """The first cycle in which the next step has one."""
        number = len(self.data)
        return self.data[number - OUT_DEPTH] + 1 if number >= OUT_DEPTH else 0

    def step(self, cycle: int, first: bool, last: bool) -> None:
        """A drain step."""
        if first:
            offer = max(cycle + AW_LATENCY, self._address + 1)
            if len(self.responses) >= WRITES:
                offer = max(offer, self.responses[-WRITES] + 1)
            self._address = self._channel.address(offer)
            self.addresses.append(self._address)
        self._moved = self._channel.data(max(cycle + DRAIN_LATENCY, self._moved + 1, self._address + 1))
        self.data.append(self._moved)
        if first:
            self.firsts.append(self._moved)
        if last:
            self.lasts.append(self._moved)
            self.responses.append(self._channel.response(self._address, self._moved))


class _Controller:
    """Reader, writer and the memory behind them."""

    def __init__(self, hardware: Hardware, image: MemoryImage) -> None:
        self.hardware, self.beat_bytes = hardware, hardware.lanes * WORD_BYTES
        self.regions = [replace(region, data=region.data.copy()) for region in image.regions]
        self.channel = _Recorder(image.timing)
        self.writer = _Writer(image.timing)
        self.words: list[tuple[Cycles, Words, npt.NDArray[np.bool_], bool]] = []
        self.events: list[tuple[Cycles, int]] = []
        self.log: list[npt.NDArray[Any]] = []
        self.judged: list[tuple[int, list[int]]] = []

    def judge(self, values: Mapping[int, int], go: int) -> None:
        """What is said of a layer."""
        self.judged.append((go + SETUP, derived_words(values, self.hardware)))

    def layer(
        self, values: Mapping[int, int], rows: Trace, steps: Trace, go: int, offers: tuple[_Offers, _Offers]
    ) -> int:
        """One layer that runs; the cycle in which it ends."""
        start = go + SETUP
        layer, space = _layer(values)
        reader = LayerReader(self.hardware, layer, space, start, self.channel)
        last = start
        for base in rows.data.view(np.uint32)[:, 0].tolist():
            last = offers[0].take(start)
            reader.release(base & 0x1FF, last + 1)
        before = len(self.channel.moved)
        finished = reader.finish()
        self._read(layer, np.array(reader.log, np.int64), np.array(self.channel.moved[before:], np.int64))
        self._write(steps.data.view(np.uint32), start, offers[1])
        end = max(last + 1, offers[1].taken[-1] + 1, self.writer.responses[-1] + 1, finished)
        self.events.append((np.array([end], np.int64), END))
        return end

    def _answer(self, kind: int, beats: Cycles, sizes: Cycles) -> tuple[Bursts, Cycles, Cycles]:
        """Bursts at these beats, with their responses and regions."""
        size = self.beat_bytes.bit_length() - 1
        bursts = Bursts(kind=kind, address=beats * self.beat_bytes, len=sizes - 1, size=size)
        return (bursts, *respond(bursts, self.regions))

    def _log(self, bursts: Bursts, response: Cycles, **cycles: Any) -> None:
        rows = np.zeros(len(bursts), LOG)
        for name, column in {**cycles, "address": bursts.address, "len": bursts.len, "kind": bursts.kind}.items():
            rows[name] = column
        rows["response"] = response
        self.log.append(rows)

    def _read(self, layer: Layer, log: Cycles, moved: Cycles) -> None:
        """Words of a layer whose bursts are (n, 5): address in beats, beats, address, first and last data handshake."""
        lanes = self.hardware.lanes
        bursts, response, region = self._answer(READ, log[:, 0], log[:, 1])
        self._log(bursts, response, cycle=log[:, 2], first=log[:, 3], last=log[:, 4], done=log[:, 4])
        data = np.zeros((len(moved), self.beat_bytes), np.uint8)
        row = 0
        for (beat, size, *_), answer, index in zip(log.tolist(), response.tolist(), region.tolist(), strict=True):
            if answer == OKAY:
                at = beat * self.beat_bytes - self.regions[index].base
                source = self.regions[index].data[at : at + size * self.beat_bytes]
                data[row : row + size] = source.reshape(size, self.beat_bytes)
            row += size
        self.events.append((moved, READ_BEAT))
        self.events.append((moved[np.repeat(response != OKAY, log[:, 1])], READ_ERROR))
        # Rows 0 to pre - 1, weights, the other rows.
        ahead = min(layer.height, 2 if layer.kernel == 3 else 1)
        begin = -(-ahead * layer.width * layer.ch_in // lanes)
        end = begin + layer.weights // lanes
        words = data.view(np.uint32)
        for part, weights in ((slice(begin), False), (slice(begin, end), True), (slice(end, None), False)):
            narrow = not weights and layer.ch_in % lanes != 0
            self._hand_on(moved[part] + _HANDED_ON, words[part], narrow, weights)

    def _hand_on(self, cycles: Cycles, words: Words, narrow: bool, weights: bool) -> None:
        lanes = self.hardware.lanes
        if narrow:
            cycles = (cycles[:, None] + np.arange(lanes)).reshape(-1)
            alone = np.zeros((words.size, lanes), np.uint32)
            alone[:, 0] = words.reshape(-1)
            words = alone
        keep = np.ones((len(words), self.beat_bytes), np.bool_)
        keep[:, WORD_BYTES:] = not narrow
        self.words.append((cycles, words, keep, weights))

    def _write(self, steps: Words, start: int, offers: _Offers) -> None:
        writer, lanes = self.writer, self.hardware.lanes
        beat, burst = len(writer.data), len(writer.addresses)
        flags = steps[:, lanes + 1]
        for flag in flags.tolist():
            taken = offers.take(max(start, writer.credit()))
            writer.step(taken, bool(flag & FIRST_STEP), bool(flag & LAST_STEP))
        first = np.flatnonzero(flags & FIRST_STEP)
        sizes = (flags[first] & 0xFF).astype(np.int64) + 1
        addresses = steps[first, lanes].astype(np.int64) // self.beat_bytes
        bursts, response, region = self._answer(WRITE, addresses, sizes)
        columns = (writer.addresses, writer.firsts, writer.lasts, writer.responses)
        cycle, begun, ended, done = (np.array(column[burst:], np.int64) for column in columns)
        self._log(bursts, response, cycle=cycle, first=begun, last=ended, done=done)
        self.events.append((np.array(writer.data[beat:], np.int64), WRITE_BEAT))
        self.events.append((done[response != OKAY], WRITE_ERROR))
        for row, size, address, answer, index in zip(
            *(column.tolist() for column in (first, sizes, addresses, response, region)), strict=True
        ):
            if answer == OKAY:
                at = address * self.beat_bytes - self.regions[index].base
                data = np.ascontiguousarray(steps[row : row + size, :lanes]).view(np.uint8).reshape(-1)
                self.regions[index].data[at : at + len(data)] = data

    # -- what comes out

    def trace_words(self, like: Trace) -> Trace:
        """The stream of words."""
        cycles, words, keep, kinds = zip(*self.words, strict=True)
        tuser = np.repeat(np.array(kinds, np.uint64), [len(c) for c in cycles])
        return Trace.from_bytes(
            np.concatenate(words).view(np.uint8),
            keep=np.concatenate(keep),
            cycle=np.concatenate(cycles),
            clock_ps=like.clock_ps,
            offset_ps=like.offset_ps,
            tuser=tuser,
        )

    def trace_events(self, like: Trace) -> Trace:
        """The stream of events."""
        bits = np.repeat(np.array([bit for _, bit in self.events], np.uint8), [len(c) for c, _ in self.events])
        cycles, place = np.unique(np.concatenate([c for c, _ in self.events]), return_inverse=True)
        data = np.zeros(len(cycles), np.uint8)
        np.bitwise_or.at(data, place, bits)
        return Trace.from_bytes(data[:, None], cycle=cycles, clock_ps=like.clock_ps, offset_ps=like.offset_ps)

    def trace_judged(self, like: Trace) -> Trace:
        """The stream of judged layers."""
        cycles, words = zip(*self.judged, strict=True)
        data = np.array(words, np.uint32).view(np.uint8)
        return Trace.from_bytes(data, cycle=np.array(cycles), clock_ps=like.clock_ps, offset_ps=like.offset_ps)

    def contents(self) -> MemoryContents:
        """What the memory holds, and the bursts that it has answered."""
        log = np.concatenate(self.log)
        # In one cycle, the memory looks at writes first.
        log = log[np.lexsort((1 - log["kind"], log["cycle"]))]
        return MemoryContents({region.name: region.data for region in self.regions}, log)


def layer_beat(values: Mapping[int, int], alone: bool = False) -> list[int]:
    """The words of a beat of ``s_layer``.

    Args:
        values: of the registers, by address.
        alone: the layer is judged and does not run.
    """
    v = values
    flags = (v[reg.RELU], v[reg.FIRST_SPLIT], v[reg.SECOND_SPLIT], v[reg.GLOBAL_POOL])
    return [
        v[reg.WIDTH] | v[reg.HEIGHT] << 16,
        v[reg.CH_IN] | v[reg.CH_OUT] << 16,
        v[reg.KERNEL] | v[reg.STRIDE] << 2 | sum(flag << 4 + n for n, flag in enumerate(flags)) | JUDGED_ALONE * alone,
        *(v[address] for address in _WHOLE_WORDS),
    ]


def _values(config: list[int]) -> dict[int, int]:
    """The registers of a beat."""
    size, channels, kind, *words = config
    flags = (reg.RELU, reg.FIRST_SPLIT, reg.SECOND_SPLIT, reg.GLOBAL_POOL)
    return {
        reg.WIDTH: size & 0x1FF,
        reg.HEIGHT: size >> 16 & 0x1FF,
        reg.CH_IN: channels & 0x3FF,
        reg.CH_OUT: channels >> 16 & 0x3FF,
        reg.KERNEL: kind & 3,
        reg.STRIDE: kind >> 2 & 3,
        **{address: kind >> 4 + n & 1 for n, address in enumerate(flags)},
        **{address: word & HELD[address] for address, word in zip(_WHOLE_WORDS, words, strict=True)},
    }


def _layer(values: Mapping[int, int]) -> tuple[Layer, Space]:
    """The layer that runs, and where its memory is."""
    layer, space = described_layer(values)
    words, places = (
        values[reg.NUM_WEIGHTS],
        (space.weights_offset + layer.mem_weights, space.data_offset + layer.mem_in),
    )
    if layer.weights != words:
        raise UsageError(f"num_weights: found {words}, expected {layer.weights} for this layer")
    if space.base % ALIGNED_BYTES or any(place % ALIGNED_WORDS for place in places):
        raise UsageError(f"words {places} behind {space.base:#x}: expected multiples of {ALIGNED_BYTES} bytes")
    return layer, space


def predict(params: Mapping[str, Any], stimulus: Stimulus) -> Outcome:
    """Golden model of the memory controller by itself; parameters ``NPE DATA_W INT8 LINES``.

    Raises:
        UsageError: layers, base rows and drain steps do not belong together.
    """
    inputs = stimulus.inputs
    layers, rows, steps = (inputs[name] for name in (LAYERS, ROWS, STEPS))
    hardware = Hardware.of(params)
    controller = _Controller(hardware, stimulus.memories[MEMORY])
    sources = {name: _Offers(trace) for name, trace in inputs.items()}
    frames = list(zip(rows.frames(), steps.frames(), strict=False))
    configs = layers.data.view(np.uint32).tolist()
    running = sum(not config[2] & JUDGED_ALONE for config in configs)
    found = (len(list(rows.frames())), len(list(steps.frames())))
    if found != (running, running):
        counts = f"{running} layers that run, {found[0]} frames of base rows, {found[1]} of drain steps"
        raise UsageError(f"{counts}: expected as many of each")
    free = 0
    for config in configs:
        go = sources[LAYERS].take(free)
        controller.judge(values := _values(config), go)
        if config[2] & JUDGED_ALONE:
            free = go + SETUP
        else:
            free = controller.layer(values, *frames.pop(0), go, (sources[ROWS], sources[STEPS])) + 1
    ports = {name: trace.with_cycles(np.array(sources[name].taken, np.int64)) for name, trace in inputs.items()}
    ports |= {
        WORDS: controller.trace_words(layers),
        EVENTS: controller.trace_events(layers),
        JUDGED: controller.trace_judged(layers),
    }
    return Outcome(ports, memories={MEMORY: controller.contents()})
