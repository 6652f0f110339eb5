# SPDX-License-Identifier: Apache-2.0
"""The layer that a host's registers describe, right or wrong; what is wrong with it, and what the blocks are told of it.

Contract: docs/zynqnet-hardware.md, Errors and The memory controller alone.
"""

from __future__ import annotations

from collections.abc import Mapping

from goldbeat.pymodels.zynqnet import device_map as reg
from goldbeat.pymodels.zynqnet.hardware import ACC, LINE_LANES, ErrorCode, Hardware, configuration_error
from goldbeat.pymodels.zynqnet.memory_map import Space
from goldbeat.pymodels.zynqnet.network import Layer
from goldbeat.pymodels.zynqnet.shifts import Shifts

DERIVED_WORDS = 17
_BYTES = (1 << 32) - 1


def described_layer(values: Mapping[int, int]) -> tuple[Layer, Space]:
    """The layer that registers describe, and the memory.

    Args:
        values: by address; the name may be missing.
    """
    v = values
    shifts = reg.REGISTERS["SHIFTS"].unpack(v[reg.SHIFTS]).values()
    bias, out, concat = (s - 256 if s > 127 else s for s in shifts)
    name = v.get(reg.NAME, 0) | v.get(reg.NAME + 4, 0) << 32
    layer = Layer.model_construct(
        name=name.to_bytes(8, "little").rstrip(b"\0").decode("latin-1"),
        width=v[reg.WIDTH],
        height=v[reg.HEIGHT],
        ch_in=v[reg.CH_IN],
        ch_out=v[reg.CH_OUT],
        kernel=v[reg.KERNEL],
        stride=v[reg.STRIDE],
        relu=bool(v[reg.RELU]),
        split="second" if v[reg.SECOND_SPLIT] else "first" if v[reg.FIRST_SPLIT] else "none",
        gpool=bool(v[reg.GLOBAL_POOL]),
        mem_in=v[reg.MEM_IN],
        mem_out=v[reg.MEM_OUT],
        mem_weights=v[reg.MEM_WEIGHTS],
        shifts=Shifts.model_construct(bias=bias, out=out, concat=concat),
    )
    return layer, Space(v[reg.DRAM_BASE], v[reg.WEIGHTS_OFFSET], v[reg.INPUT_OFFSET], v[reg.MEM_WORDS])


def description_error(values: Mapping[int, int], hardware: Hardware) -> ErrorCode:
    """The code with the lowest number that applies to the layer of these registers."""
    layer, space = described_layer(values)
    found = configuration_error(layer, space, hardware)
    wrong = [] if found is ErrorCode.NONE else [found]
    if values[reg.NUM_WEIGHTS] != layer.weights:
        wrong.append(ErrorCode.NUM_WEIGHTS)
    if values[reg.FIRST_SPLIT] and values[reg.SECOND_SPLIT]:
        wrong.append(ErrorCode.SPLIT)
    shifts = layer.shifts or Shifts()
    in_range = -16 <= shifts.bias <= 15 and -16 <= shifts.out <= 31 and -8 <= shifts.concat <= 7
    if hardware.int8 and not in_range:
        wrong.append(ErrorCode.SHIFTS)
    return min(wrong, default=ErrorCode.NONE)


def derived_words(values: Mapping[int, int], hardware: Hardware) -> list[int]:
    """What a judged layer is to the blocks: 17 words as on ``m_layer``, all but the code 0 if the layer is refused."""
    if (error := description_error(values, hardware)) is not ErrorCode.NONE:
        return [int(error), *[0] * (DERIVED_WORDS - 1)]
    layer, space = described_layer(values)
    lanes = hardware.lanes
    row = layer.width * layer.ch_in
    ahead = 2 if layer.kernel == 3 and layer.height > 1 else 1
    groups, blocks = layer.ch_out // hardware.npe, -(-layer.ch_in // LINE_LANES)
    flags = [
        layer.kernel == 3,
        layer.stride == 2,
        layer.relu,
        layer.split != "none",
        layer.gpool,
        layer.ch_in % lanes != 0,
    ]
    places = [space.layer_input(layer).first, space.layer_weights(layer).first, space.layer_output(layer).first]
    places.append(space.data_offset + layer.pool_offset)
    return [
        sum(flag << 8 + n for n, flag in enumerate(flags)) | ahead << 14,
        layer.width_out | layer.height_out << 16,
        layer.width | layer.height << 16,
        layer.ch_in | layer.ch_out << 16,
        blocks | (layer.ch_in if layer.kernel == 3 else blocks) << 16,
        groups | min(ACC // groups, layer.width_out) << 16,
        (layer.ch_in - 1) * groups,
        (layer.ch_in + 1) * groups,
        row,
        -(-ahead * row // lanes),
        layer.weights // lanes,
        -(-layer.words_in // lanes),
        *(space.byte(place) & _BYTES for place in places),
        values[reg.SHIFTS],
    ]
