# SPDX-License-Identifier: Apache-2.0
"""Small compiled models whose results are one line of numpy."""

from __future__ import annotations

import numpy as np

from goldbeat.pymodels.nvdla.loadable.compose import ComposedLayer, Data, compose
from goldbeat.pymodels.nvdla.loadable.layouts import MEM_HW, OP_COMPLETED, OP_ENABLED
from goldbeat.pymodels.nvdla.loadable.loadable import ALLOC, INPUT, OUTPUT

BIAS = 3


def cube(number, channels, size, gap=0):
    line = 8 * size + gap
    surface = line * size
    total = surface * -(-channels // 8)
    sides = {"width": size, "height": size, "channel": channels}
    return {"address": number, **sides, "size": total, "line_stride": line, "surf_stride": surface}


def bias_and_relu(source, target, **more):
    x1 = {"enable": 1, "type": 2, "alu_type": 2, "act": 1, "alu_operand": BIAS, "mul_operand": 1}
    desc = {"batch_num": 1, "lut_index": -1, "out_cvt": {"scale": 1, "enable": 1}, "x1_op": x1}
    return ComposedLayer("SDP", desc, {"src_data": source, "dst_data": target}, **more)


def maximum(source, target, **more):
    pool = {"split_num": 1, "pool_mode": 1, "pool_width": 1, "pool_height": 1, "stride_x": 2, "stride_y": 2}
    return ComposedLayer("PDP", pool, {"src_data": source, "dst_data": target}, **more)


def after_sdp(data):
    return np.clip(np.maximum(data.astype(int) + BIAS, 0), -128, 127)


def pooled(data):
    c, h, w = data.shape
    return data.reshape(c, h // 2, 2, w // 2, 2).max(axis=(2, 4))


def both(channels, size, gap=0):
    """SDP, then PDP; the input's lines lie ``gap`` bytes apart."""
    source, middle, target = cube(0, channels, size, gap), cube(1, channels, size), cube(2, channels, size // 2)
    layers = [
        bias_and_relu(source, middle, consumers={"PDP": (1, OP_COMPLETED)}),
        maximum(middle, target, waits=1),
    ]
    flags = (ALLOC | INPUT, ALLOC, ALLOC | OUTPUT)
    return compose(layers, [Data(c["size"], flags=f) for c, f in zip((source, middle, target), flags, strict=True)])


def fused():
    """SDP that hands its data on to PDP."""
    on_the_fly = cube(0, 8, 4) | {"type": MEM_HW, "address": -1}
    layers = [
        bias_and_relu(cube(0, 8, 4), on_the_fly, waits=1),
        maximum(on_the_fly, cube(1, 8, 2), fused=(0, OP_ENABLED)),
    ]
    return compose(layers, [Data(128, flags=ALLOC | INPUT), Data(32, flags=ALLOC | OUTPUT)])


def race(*, ordered, waits=0):
    """SDP, operation 0, reads what PDP, operation 1, writes; nothing but ``ordered`` orders them."""
    told = {"consumers": {"SDP": (0, OP_COMPLETED)}} if ordered else {}
    layers = [
        bias_and_relu(cube(1, 8, 2), cube(2, 8, 2), waits=int(ordered) + waits),
        maximum(cube(0, 8, 4), cube(1, 8, 2), **told),
    ]
    picture = Data(contents=np.arange(128, dtype=np.uint8), flags=ALLOC | INPUT)
    return compose(layers, [picture, Data(32), Data(32, flags=ALLOC | OUTPUT)])
