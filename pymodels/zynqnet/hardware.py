# SPDX-License-Identifier: Apache-2.0
"""The accelerator's parameters, constants and error codes. Contract: docs/zynqnet-hardware.md."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.zynqnet.memory_map import MemoryMap, Space
from goldbeat.pymodels.zynqnet.network import CH_OUT_STEP, Layer, Network

# Parameters, Constants
MUL_LATENCY = 3
ADD_LATENCY = 3
FEED_LATENCY = 2
PE_LATENCY = FEED_LATENCY + MUL_LATENCY + 10 * ADD_LATENCY
HAZARD_3X3 = 5
HAZARD_1X1 = 32
ACC = 256
SETUP = 16
OUT_DEPTH = 32
DRAIN_LATENCY = 8
AW_LATENCY = 3
BURST = 16
READS = 8
WRITES = 16
POOL_PIXEL = 8
POOL_WAIT = 8
GO_LATENCY = 2
"""From the data handshake of the start to go (Start and end)."""
RESTART_LATENCY = 2
"""From the end of a layer to go of the next one, with auto-restart (What the host sees)."""

# Caches
PACKED_1X1 = 8
LINE_ENTRIES = 256
LINE_LANES = 8
WEIGHT_ROWS = 3072
WEIGHT_PES = 16

MAX_SIZE = 256
MAX_CH_OUT = 512
ALIGNED_BYTES = 16
ALIGNED_WORDS = 4
MEM_WORDS = 5_965_344


class ErrorCode(IntEnum):
    """The register ERROR; the lowest that applies is the one."""

    NONE = 0
    KERNEL = 1
    STRIDE = 2
    SIZE = 3
    CH_IN = 4
    CH_OUT = 5
    IMAGE_CACHE = 6
    WEIGHTS_CACHE = 7
    NUM_WEIGHTS = 8
    SPLIT = 9
    ALIGNMENT = 10
    MEMORY = 11
    OVERLAP = 12
    SHIFTS = 13
    READ_RESPONSE = 32
    WRITE_RESPONSE = 33


@dataclass(frozen=True)
class Hardware:
    """The parameters of a build.

    Attributes:
        npe: processing elements.
        data_w: width of the AXI4 port in bits.
        int8: number format.
        lines: of the image cache.
    """

    npe: int = 16
    data_w: int = 128
    int8: bool = False
    lines: int = 8

    def __post_init__(self) -> None:
        for name, known in (("npe", (4, 8, 16)), ("data_w", (32, 64, 128)), ("lines", (4, 8))):
            if getattr(self, name) not in known:
                raise UsageError(f"{name.upper()}: found {getattr(self, name)}, expected one of {known}")

    @classmethod
    def of(cls, params: Mapping[str, Any]) -> Hardware:
        """From the parameters of a build."""
        return cls(int(params["NPE"]), int(params["DATA_W"]), bool(params["INT8"]), int(params["LINES"]))

    @property
    def lanes(self) -> int:
        """Words in a beat."""
        return self.data_w // 32


def configuration_error(layer: Layer, memory: Space, hardware: Hardware) -> ErrorCode:
    """What keeps a layer from running, the first in the order of the codes."""
    return next((code for code, _ in _problems(layer, memory, hardware)), ErrorCode.NONE)


def check_layer(layer: Layer, memory: Space, hardware: Hardware | None = None) -> None:
    """Refuse a layer that cannot run; a :class:`UsageError` with the first reason."""
    for code, why in _problems(layer, memory, hardware or Hardware()):
        raise UsageError(f"layer {layer.name}: {why} ({code.name})")


def check_network(network: Network, hardware: Hardware | None = None) -> None:
    """Refuse a network with a layer that cannot run; a :class:`UsageError` with the first reason."""
    memory = MemoryMap(network)
    for layer in network.layers:
        check_layer(layer, memory, hardware)


def _problems(layer: Layer, memory: Space, hardware: Hardware) -> Iterator[tuple[ErrorCode, str]]:
    """What is wrong, in the order of the codes; NUM_WEIGHTS and SPLIT cannot be, a :class:`Layer` does not have them."""
    width, height, ch_in, ch_out = layer.width, layer.height, layer.ch_in, layer.ch_out
    if layer.kernel not in (1, 3):
        yield ErrorCode.KERNEL, f"a kernel of {layer.kernel}, expected 1 or 3"
    if layer.stride not in (1, 2):
        yield ErrorCode.STRIDE, f"a stride of {layer.stride}, expected 1 or 2"
    if not 0 < width <= MAX_SIZE or not 0 < height <= MAX_SIZE:
        yield ErrorCode.SIZE, f"{width} x {height} pixels, expected 1 to {MAX_SIZE}"
    if layer.stride == 2 and (width % 2 or height % 2):
        yield ErrorCode.SIZE, f"{width} x {height} pixels, expected even sizes for stride 2"
    if ch_in <= 0 or width * ch_in < ALIGNED_WORDS:
        yield ErrorCode.CH_IN, f"rows of {width} x {ch_in} words, expected at least {ALIGNED_WORDS} words"
    if not 0 < ch_out <= MAX_CH_OUT or ch_out % CH_OUT_STEP:
        yield ErrorCode.CH_OUT, f"{ch_out} output channels, expected a multiple of {CH_OUT_STEP} up to {MAX_CH_OUT}"
    if (entries := -(-width // 4) * -(-ch_in // LINE_LANES)) > LINE_ENTRIES:
        yield ErrorCode.IMAGE_CACHE, f"a line takes {entries} entries of the image cache, there are {LINE_ENTRIES}"
    rows = (ch_in if layer.kernel == 3 else -(-ch_in // PACKED_1X1)) * (ch_out // hardware.npe)
    if rows > (most := WEIGHT_ROWS * WEIGHT_PES // hardware.npe):
        yield ErrorCode.WEIGHTS_CACHE, f"{rows} rows of weights, the weights cache has {most}"
    offsets = (memory.weights_offset, memory.data_offset, layer.mem_in, layer.mem_out, layer.mem_weights)
    if memory.base % ALIGNED_BYTES or any(word % ALIGNED_WORDS for word in offsets):
        yield ErrorCode.ALIGNMENT, f"addresses that are no multiples of {ALIGNED_BYTES} bytes"
    if (end := _end(layer, memory)) > (size := memory.words):
        yield ErrorCode.MEMORY, f"words up to {end - 1} are not inside a memory of {size} words"
    source, target = memory.layer_input(layer), memory.layer_output(layer)
    if source.first < target.end and target.first < source.end:
        yield ErrorCode.OVERLAP, "the output overlaps the input"


def _end(layer: Layer, memory: Space) -> int:
    """The word behind the last one that a layer reads or writes."""
    pool, image = memory.layer_pool(layer), memory.layer_input(layer)
    read = image.first + -(-image.words // ALIGNED_WORDS) * ALIGNED_WORDS
    others = (memory.layer_weights(layer).end, memory.layer_output(layer).end)
    return max(read, *others, 0 if pool is None else pool.end)
