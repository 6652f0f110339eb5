# SPDX-License-Identifier: Apache-2.0
"""What runs on the ZynqNet accelerator in its bench: host programs, memories, random layers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.axi.memory import MemoryImage, MemoryTiming, Region
from goldbeat.pymodels.pattern import Pattern
from goldbeat.pymodels.stimulus import Access, Clock, Stimulus
from goldbeat.pymodels.zynqnet import device_map as reg
from goldbeat.pymodels.zynqnet.device import INTERRUPT, MEMORY, REGISTERS
from goldbeat.pymodels.zynqnet.golden import Floats, Golden, quantised
from goldbeat.pymodels.zynqnet.hardware import ErrorCode, Hardware, configuration_error
from goldbeat.pymodels.zynqnet.layer_run import word_type
from goldbeat.pymodels.zynqnet.memory_map import WORD_BYTES, MemoryMap
from goldbeat.pymodels.zynqnet.network import Layer, Network, parse_network
from goldbeat.pymodels.zynqnet.registers import COUNTERS, RegisterRow, layer_rows, setup_rows
from goldbeat.tb.design.traffic import AFTER_VALID, Rng

FILL = 0x5A
"""Bytes of memory that nobody has written yet."""
_PATIENCE = 100_000
_CYCLES_A_WORD = 64
_CYCLES_A_ISSUE = 4
_LEAST_CYCLES = 50
"""How long to look on after a program, for what should not come any more."""
_SPECIALS = np.array(
    (0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, -1e-40, 1.2e-38, 3.4e38, -3.4e38, 1.0, -1.0), np.float32
)


def layer_patience(layer: Layer) -> int:
    """Cycles after which a layer counts as hanging, even behind a slow memory."""
    words = layer.words_in + layer.weights + layer.width_out * layer.height_out * layer.ch_out
    return _PATIENCE + _CYCLES_A_WORD * words + _CYCLES_A_ISSUE * layer.macs // 16


def setup(memory: MemoryMap) -> list[Access]:
    """What the host does once: memory and interrupts."""
    accesses = [row.access() for row in setup_rows(memory)]
    return [*accesses, Access("write", reg.GIE, 1), Access("write", reg.IER, 1)]


def play_layer(rows: Iterable[RegisterRow], cycles: int) -> list[Access]:
    """Start a layer, wait for it, acknowledge it, and read all that it leaves in the registers."""
    accesses = [row.access() for row in rows]
    accesses += [Access("wait_for", port=INTERRUPT, cycles=cycles), Access("write", reg.ISR, 1)]
    accesses += [Access("read", reg.AP_CTRL), Access("read", reg.ERROR)]
    return accesses + [Access("read", address) for address in COUNTERS.values()]


def network_program(network: Network, layers: Sequence[Layer]) -> tuple[Access, ...]:
    """The host's program for some layers of a network, one after the other."""
    accesses = [Access("read", reg.ID), Access("read", reg.CONFIG), *setup(MemoryMap(network))]
    for layer in layers:
        accesses += play_layer(layer_rows(layer), layer_patience(layer))
    return tuple(accesses)


def memory_image(network: Network, words: npt.NDArray[Any], timing: MemoryTiming) -> MemoryImage:
    """The memory in regions: weights, image, and a region for every output, so that a difference says whose it is."""
    memory = MemoryMap(network)
    begins = {0: "weights", memory.data_offset: "image"}
    for layer in network.layers:
        if layer.split != "second":
            begins[memory.layer_output(layer).first] = f"output of {layer.name}"
    edges = [*sorted(begins), len(words)]
    data = words.view(np.uint8)
    regions = []
    for first, end in pairwise(edges):
        part = data[WORD_BYTES * first : WORD_BYTES * end]
        regions.append(Region(begins[first], memory.byte(first), part, writable=first != 0))
    return MemoryImage(tuple(regions), timing)


def stimulus(
    network: Network,
    words: npt.NDArray[Any],
    layers: Sequence[Layer],
    timing: MemoryTiming,
    clocks: Mapping[str, Clock],
) -> Stimulus:
    """An episode: some layers of a network on this memory."""
    (clock,) = clocks.values()
    return Stimulus(
        inputs={},
        clocks=clocks,
        program={REGISTERS: network_program(network, layers)},
        memories={MEMORY: memory_image(network, words, timing)},
        least_ps=_LEAST_CYCLES * clock.period_ps,
    )


def prepared(network: Network, weights: Floats, image: Floats, int8: bool) -> Golden:
    """The memory before the first layer; everything that is neither weights nor image holds :data:`FILL`."""
    model = quantised(network, weights, image).golden() if int8 else Golden(network, weights, image)
    end = model.memory.layer_input(network.layers[0]).end
    model.dram[end:].view(np.uint8)[:] = FILL
    return model


def random_network(rng: Rng, hardware: Hardware) -> Network:
    """One layer, or a split pair, small, of any kind that the hardware can run."""
    while True:
        stride = int(rng.integers(1, 3))
        # Tiles, rows and bursts need some pixels to show; wide images come with few channels.
        width, height = (stride * int(rng.integers(1, 1 + most)) for most in (rng.choice([6, 14, 40]), 8))
        channels = int(rng.integers(1, 1 + rng.choice([4, 20, 70])))
        layer: dict[str, Any] = {
            "ch_out": 16 * int(rng.integers(1, 1 + rng.choice([2, 4, 8]))),
            "kernel": int(rng.choice([1, 3])),
            "stride": stride,
            "relu": bool(rng.integers(2)),
            "gpool": bool(rng.random() < 0.3),
        }
        if hardware.int8:
            layer["shifts"] = {
                "bias": int(rng.integers(-6, 9)),
                "out": int(rng.integers(-3, 16)),
                "concat": int(rng.integers(-3, 4)),
            }
        pair = rng.random() < 0.3
        names = [("a", "first"), ("b", "second")] if pair else [("a", "none")]
        network = parse_network(
            {
                "name": "random",
                "input": {"width": width, "height": height, "channels": channels},
                "layer": [layer | {"name": name, "split": split} for name, split in names],
            }
        )
        memory = MemoryMap(network)
        legal = all(configuration_error(one, memory, hardware) is ErrorCode.NONE for one in network.layers)
        if legal and network.macs < 1_500_000:
            return network


def random_memory(rng: Rng, network: Network, int8: bool) -> npt.NDArray[Any]:
    """A memory full of numbers: fp32 of many sizes, now and then special ones; int8 with arbitrary bits above."""
    count = MemoryMap(network).words
    if int8:
        return rng.integers(-(1 << 31), 1 << 31, count).astype(word_type("int8"))
    values = (rng.standard_normal(count) * 10.0 ** rng.integers(-3, 4, count)).astype(np.float32)
    if rng.random() < 0.3:
        values = np.where(rng.random(count) < 0.02, rng.choice(_SPECIALS, count), values)
    return values


def late_timing(rng: Rng, seed: int) -> MemoryTiming:
    """A memory that is late and holds back."""
    gaps = ("none", "random:0.3", "random:0.6", "bursty:12", "worst")
    ready = (*gaps, AFTER_VALID)
    chosen = [Pattern.parse(str(rng.choice(gaps if n > 2 else ready)), seed=seed * 5 + n) for n in range(5)]
    return MemoryTiming(
        read_latency=int(rng.integers(1, 40)),
        read_jitter=int(rng.choice([0, 7, 30])),
        write_latency=int(rng.integers(1, 40)),
        write_jitter=int(rng.choice([0, 7, 30])),
        max_reads=int(rng.choice([1, 4, 16])),
        max_writes=int(rng.choice([1, 4, 16])),
        read_bandwidth=((1, 1), (3, 4))[int(rng.integers(2))],
        seed=seed,
        aw_ready=chosen[0],
        w_ready=chosen[1],
        ar_ready=chosen[2],
        r_gaps=chosen[3],
        b_gaps=chosen[4],
    )
