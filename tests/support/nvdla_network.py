# SPDX-License-Identifier: Apache-2.0
"""A small classifier as the vendor's compiler would write it, and what it gives in plain numpy.

Convolution, pooling and a fully connected layer on the hardware, softmax on the processor; weights of 544 bytes, a bias of 20 bytes
that ends in mid-atom, and results in memories with and without the flag of an output.
"""

from __future__ import annotations

import numpy as np
from nvdla_models import maximum

from goldbeat.pymodels.nvdla.engines.cubes import pack_feature
from goldbeat.pymodels.nvdla.engines.weights import pack_weights
from goldbeat.pymodels.nvdla.loadable.compose import ComposedLayer, Data, Processor, compose
from goldbeat.pymodels.nvdla.loadable.layouts import MEM_HW, OP_COMPLETED, OP_ENABLED, OP_PROGRAMMED
from goldbeat.pymodels.nvdla.loadable.loadable import ALLOC, INPUT, OUTPUT

DATA, KERNELS, BIAS, ACTIVE, POOLED, DENSE, DENSE_BIAS, LOGITS, PROB = range(9)
SHAPE = (3, 8, 8)
SHIFTS = (9, 10)
"""Of the output converters behind the two layers."""
FACTORS = {"input_scale_factor": 0.05, "output_scale_factor": 1 / 127}

_RNG = np.random.default_rng(8)
WEIGHTS = _RNG.integers(-20, 21, (20, 3, 3, 3)).astype(np.int8)
DENSE_WEIGHTS = _RNG.integers(-40, 41, (10, 20, 4, 4)).astype(np.int8)
BIASES = (_RNG.integers(-9000, 9000, 20).astype("<i2"), _RNG.integers(-9000, 9000, 10).astype("<i2"))


def memory(number):
    """The id of a memory in the file."""
    return 5 + number


def cube(address, channels, height, width, **more):
    line, atoms = 8 * width, -(-channels // 8)
    sides = {"width": width, "height": height, "channel": channels}
    return {
        "address": address,
        **sides,
        "size": line * height * atoms,
        "line_stride": line,
        "surf_stride": line * height,
        **more,
    }


def flying(channels, height, width):
    return cube(-1, channels, height, width, type=MEM_HW)


def convolution(source, weights, number, target, pad, **more):
    channels, rows, columns = weights.shape[1:]
    height, width = source["height"], source["width"]
    one = dict.fromkeys(("batch", "fetch_grain", "dilation_x", "dilation_y", "conv_stride_x", "conv_stride_y"), 1)
    desc = {
        **one,
        "data_format": 36,
        "entry_per_slice": width * -(-channels // 8),
        "data_bank": 1,
        "weight_bank": 1,
        "release": height,
        "input_width_csc": width,
        "input_height_csc": height,
        "input_channel_csc": channels,
        "kernel_width_csc": columns,
        "kernel_height_csc": rows,
        "kernel_channel_csc": channels,
        "input_width_cmac": target["width"],
        "input_height_cmac": target["height"],
        "bytes_per_kernel": channels * rows * columns,
        "in_cvt": {"scale": 1, "enable": 1},
        "out_cvt": {"scale": 1, "enable": 1},
        **dict.fromkeys(("pad_x_left", "pad_x_right", "pad_y_top", "pad_y_bottom"), pad),
    }
    size = weights.size + -weights.size % 8
    held = {"address": number, "width": columns, "height": rows, "channel": channels, "size": size}
    return ComposedLayer("CONV", desc, {"src_data": source, "dst_data": target, "weight_data": held}, **more)


def biased(source, bias, target, shift, relu, **more):
    channels = source["channel"]
    x1 = {"enable": 1, "alu_type": 2, "type": 2, "mode": 1, "precision": 1, "mul_operand": 1, "act": relu}
    desc = {
        "batch_num": 1,
        "lut_index": -1,
        "out_cvt": {"scale": 3, "truncate": shift, "enable": 1},
        "x1_op": x1,
    }
    operand = {"address": bias, "width": 1, "height": 1, "channel": channels, "size": 2 * channels}
    operand |= {"line_stride": 16, "surf_stride": 16}
    return ComposedLayer("SDP", desc, {"src_data": source, "dst_data": target, "x1_data": operand}, **more)


def _layers():
    conv, dense = flying(20, 8, 8), flying(10, 1, 1)
    active, pooled, logits = cube(ACTIVE, 20, 8, 8), cube(POOLED, 20, 4, 4), cube(LOGITS, 10, 1, 1)
    after = {"SDP": (1, OP_PROGRAMMED), "CONV": (3, OP_PROGRAMMED)}
    return [
        convolution(cube(DATA, *SHAPE), WEIGHTS, KERNELS, conv, 1, waits=1, consumers=after),
        biased(
            conv, BIAS, active, SHIFTS[0], 1,
            waits=1, fused=(0, OP_ENABLED), consumers={"PDP": (2, OP_COMPLETED), "SDP": (4, OP_PROGRAMMED)},
        ),
        maximum(active, pooled, waits=1, consumers={"CONV": (3, OP_COMPLETED)}),
        convolution(pooled, DENSE_WEIGHTS, DENSE, dense, 0, waits=3, consumers={"SDP": (4, OP_PROGRAMMED)}),
        biased(dense, DENSE_BIAS, logits, SHIFTS[1], 0, waits=2, fused=(3, OP_ENABLED)),
    ]  # fmt: skip


def weight_bytes(weights):
    """As they lie in the file, to a whole word."""
    packed = pack_weights(weights)
    return packed[: weights.size + -weights.size % 8]


def classifier(layout="cube32"):
    """The network as a loadable: tensors ``data`` and ``prob``, two tasks."""
    code = {"cube28": 0, "cube32": 1}[layout]
    atoms = {"size": 16, "format": code, "width": 1, "height": 1, "channel": 10, "line_stride": 8, "surf_stride": 8}
    softmax = Processor(
        "softmax",
        {"address": LOGITS, **atoms},
        {"address": PROB, **atoms},
        {"axis": 1, **(FACTORS if layout == "cube32" else {})},
    )
    data = [
        Data(512, flags=ALLOC | INPUT, tensor="data", shape=SHAPE),
        Data(contents=weight_bytes(WEIGHTS)),
        Data(contents=BIASES[0].view(np.uint8)),
        Data(3 * 512),
        Data(3 * 128, flags=ALLOC | OUTPUT, tensor="features", shape=(20, 4, 4)),
        Data(contents=weight_bytes(DENSE_WEIGHTS)),
        Data(contents=BIASES[1].view(np.uint8)),
        Data(16),
        Data(16, flags=ALLOC | OUTPUT, tensor="prob", shape=(10, 1, 1)),
    ]
    return compose(_layers(), data, layout=layout, then=[[softmax]])


def _converted(sums, bias, shift):
    scaled = (sums + bias[:, None, None]) * 3
    return np.sign(scaled) * ((np.abs(scaled) + (1 << shift - 1)) >> shift)


def _sums(data, weights, pad):
    channels, rows, columns = weights.shape[1:]
    padded = np.pad(data.astype(int), ((0, 0), (pad, pad), (pad, pad)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (channels, rows, columns))[0]
    return np.einsum("yxcrs,kcrs->kyx", windows, weights.astype(int))


def reference(data, layout="cube32"):
    """Memory number to int8 (C, H, W), of everything that the network writes."""
    active = np.clip(
        _converted(np.maximum(_sums(data, WEIGHTS, 1) + BIASES[0][:, None, None], 0), 0 * BIASES[0], SHIFTS[0]),
        -128,
        127,
    )
    pooled = active.reshape(20, 4, 2, 4, 2).max(axis=(2, 4))
    logits = np.clip(_converted(_sums(pooled, DENSE_WEIGHTS, 0), BIASES[1], SHIFTS[1]), -128, 127)
    into, out = FACTORS.values() if layout == "cube32" else (1, 1)
    x = (logits.reshape(-1).astype(np.float32) * np.float32(into)).astype(np.float16).astype(np.float32)
    e = np.exp(x - x.max())
    prob = np.trunc((e / e.sum()).astype(np.float16).astype(np.float32) / np.float32(out))
    found = {ACTIVE: active, POOLED: pooled, LOGITS: logits, PROB: prob.reshape(10, 1, 1)}
    return {number: array.astype(np.int8) for number, array in found.items()}


def picture(seed):
    return np.random.default_rng(seed).integers(-128, 128, SHAPE).astype(np.int8)


def packed(seed):
    return pack_feature(picture(seed))
