# SPDX-License-Identifier: Apache-2.0
"""Layers that the accelerator must refuse, one mistake and two at once. Contract: docs/zynqnet-hardware.md, Errors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np

from goldbeat.pymodels.axi.memory import MemoryTiming
from goldbeat.pymodels.stimulus import Access, Stimulus
from goldbeat.pymodels.zynqnet import device_map as reg
from goldbeat.pymodels.zynqnet.described import description_error
from goldbeat.pymodels.zynqnet.device import INTERRUPT, MEMORY, REGISTERS
from goldbeat.pymodels.zynqnet.hardware import ErrorCode, Hardware
from goldbeat.pymodels.zynqnet.memory_map import MemoryMap
from goldbeat.pymodels.zynqnet.network import Layer
from goldbeat.pymodels.zynqnet.networks import mini
from goldbeat.pymodels.zynqnet.registers import RegisterRow, layer_rows, setup_rows
from goldbeat.tb.design.case import CaseContext
from goldbeat.tb.design.traffic import Rng
from goldbeat.tb.designs.zynqnet.judged_layers import Registers, limit_layers, random_layer, wrong_layers
from goldbeat.tb.designs.zynqnet.traffic import layer_patience, memory_image, play_layer, random_memory, setup

_HIGHEST = (1 << 23) - 4

MISTAKES: Mapping[ErrorCode, tuple[Mapping[int, int], ...]] = {
    ErrorCode.KERNEL: ({reg.KERNEL: 2}, {reg.KERNEL: 0}),
    ErrorCode.STRIDE: ({reg.STRIDE: 0}, {reg.STRIDE: 3}),
    ErrorCode.SIZE: (
        {reg.WIDTH: 0},
        {reg.HEIGHT: 0},
        {reg.WIDTH: 257},
        {reg.HEIGHT: 257},
        {reg.STRIDE: 2, reg.WIDTH: 7},
        {reg.STRIDE: 2, reg.HEIGHT: 7},
    ),
    ErrorCode.CH_IN: ({reg.CH_IN: 0}, {reg.WIDTH: 1, reg.CH_IN: 3}),
    ErrorCode.CH_OUT: ({reg.CH_OUT: 0}, {reg.CH_OUT: 24}, {reg.CH_OUT: 528}),
    ErrorCode.IMAGE_CACHE: ({reg.WIDTH: 256, reg.CH_IN: 100}, {reg.WIDTH: 65, reg.CH_IN: 121}),
    ErrorCode.WEIGHTS_CACHE: ({reg.KERNEL: 3, reg.CH_IN: 1023, reg.CH_OUT: 64},),
    ErrorCode.NUM_WEIGHTS: ({reg.NUM_WEIGHTS: 17}, {reg.NUM_WEIGHTS: 0}),
    ErrorCode.SPLIT: ({reg.SECOND_SPLIT: 1},),
    ErrorCode.ALIGNMENT: (
        {reg.DRAM_BASE: 4},
        {reg.MEM_IN: 2},
        {reg.MEM_OUT: 6},
        {reg.MEM_WEIGHTS: 1},
        {reg.WEIGHTS_OFFSET: 2},
        {reg.INPUT_OFFSET: 3},
    ),
    ErrorCode.MEMORY: (
        {reg.MEM_WEIGHTS: _HIGHEST},
        {reg.MEM_IN: _HIGHEST},
        {reg.MEM_OUT: _HIGHEST},
        {reg.MEM_WORDS: 100},
    ),
    ErrorCode.OVERLAP: ({reg.MEM_OUT: 0, reg.MEM_IN: 0},),
    # Mistakes in int8 alone.
    ErrorCode.SHIFTS: (
        {reg.SHIFTS: 0x10},
        {reg.SHIFTS: 0xEF},
        {reg.SHIFTS: 0x2000},
        {reg.SHIFTS: 0xEF00},
        {reg.SHIFTS: 0x080000},
        {reg.SHIFTS: 0xF70000},
    ),
}
"""What makes a good layer (1x1, stride 1, first of a split pair) a bad one; the registers that are to hold something else."""


def mistakes() -> list[Mapping[int, int]]:
    """Each mistake alone, and the first ones of two codes together where they need different registers."""
    alone = [one for several in MISTAKES.values() for one in several]
    firsts = [several[0] for several in MISTAKES.values()]
    return [*alone, *({**one, **other} for one, other in combinations(firsts, 2) if not one.keys() & other.keys())]


def borders(memory: MemoryMap, layer: Layer) -> list[Mapping[int, int]]:
    """Changes that leave a layer good, but only just: what ends exactly with the memory, and the largest and smallest shifts."""
    room = memory.words - memory.data_offset
    return [
        {reg.MEM_IN: room - layer.words_in, reg.MEM_OUT: 0},
        {reg.MEM_OUT: room - layer.span_out, reg.MEM_IN: 0},
        {reg.MEM_WEIGHTS: memory.words - memory.weights_offset - layer.weights},
        {reg.SHIFTS: 0x071F0F},
        {reg.SHIFTS: 0xF8F0F0},
    ]


def refused_layers(rng: Rng, hardware: Hardware) -> list[Registers]:
    """Bad layers around every limit, and what one change makes of a good layer, if that is a bad one."""
    changed = wrong_layers(random_layer(rng, hardware.npe))
    return [one for one in (*limit_layers(), *changed) if description_error(one, hardware) is not ErrorCode.NONE]


def _play_refused(layers: Sequence[Registers], now: dict[int, int], patience: int) -> list[Access]:
    """Start one bad layer after the other, with no more writes than it takes, and read what each is told; ``now`` follows."""
    accesses = []
    for values in layers:
        accesses += [Access("write", address, values[address]) for address in now if values[address] != now[address]]
        now.update({address: values[address] for address in now})
        accesses.append(Access("write", reg.AP_CTRL, reg.AP_CTRL_START))
        accesses += [Access("wait_for", port=INTERRUPT, cycles=patience), Access("write", reg.ISR, 1)]
        accesses.append(Access("read", reg.ERROR))
    return accesses


def errors(setting: CaseContext) -> Sequence[Stimulus]:
    """Bad layers that must not start; good ones before and after them, and such as are only just good."""
    rng = np.random.default_rng(setting.seed)
    network = mini()
    words = random_memory(rng, network, bool(setting.params["INT8"]))
    memory = MemoryMap(network)
    good = next(layer for layer in network.layers if layer.split == "first")
    rows = list(layer_rows(good))
    kept = {row.address: row.value for row in (*rows, *setup_rows(memory))} | {reg.SHIFTS: 0}
    accesses = [*setup(memory), *play_layer(rows, layer_patience(good))]
    just_good = borders(memory, good)
    ends = {reg.MEM_IN, reg.MEM_OUT, reg.MEM_WEIGHTS}
    too_far = [{**one, reg.MEM_WORDS: memory.words - 1} for one in just_good if one.keys() & ends]
    for mistake in (*mistakes(), *just_good, *too_far):
        changes = [RegisterRow("mistake", address, value) for address, value in mistake.items()]
        # The start comes last.
        accesses += play_layer([*changes, rows[-1]], layer_patience(good))
        accesses += [Access("write", address, kept[address]) for address in mistake]
    now = {address: value for address, value in kept.items() if address != reg.AP_CTRL}
    accesses += _play_refused(refused_layers(rng, Hardware.of(setting.params)), now, layer_patience(good))
    accesses += [Access("write", address, kept[address]) for address in now if kept[address] != now[address]]
    accesses += play_layer(rows, layer_patience(good))
    accesses += [Access("read", address) for address in now]
    (clock,) = setting.clocks.values()
    return [
        Stimulus(
            inputs={},
            clocks=setting.clocks,
            program={REGISTERS: tuple(accesses)},
            memories={MEMORY: memory_image(network, words, MemoryTiming())},
            least_ps=50 * clock.period_ps,
        )
    ]
