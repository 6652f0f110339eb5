# SPDX-License-Identifier: Apache-2.0
"""A deeper network: every engine of the hardware, pooling on the fly and from memory, softmax on the processor.

Three convolutions (the last is a fully connected layer) with bias, SDP that hands its atoms to PDP, normalisation by CDP.
"""

from __future__ import annotations

import numpy as np
from nvdla_models import maximum
from nvdla_network import FACTORS, biased, convolution, cube, flying, weight_bytes

from goldbeat.pymodels.nvdla.loadable.compose import ComposedLayer, Data, Processor, compose
from goldbeat.pymodels.nvdla.loadable.layouts import OP_COMPLETED, OP_ENABLED, OP_PROGRAMMED
from goldbeat.pymodels.nvdla.loadable.loadable import ALLOC, INPUT, OUTPUT

(PICTURE, KERNELS_1, BIAS_1, POOLED_1, NORMAL, KERNELS_2, BIAS_2, ACTIVE, POOLED_2, DENSE, DENSE_BIAS, LOGITS, PROB) = (
    range(13)
)
SIDES = (3, 16, 16)

_RNG = np.random.default_rng(22)
_WEIGHTS = [_RNG.integers(-20, 21, shape).astype(np.int8) for shape in ((20, 3, 3, 3), (24, 20, 3, 3), (10, 24, 4, 4))]
_BIASES = [_RNG.integers(-3000, 3000, len(weights)).astype("<i2") for weights in _WEIGHTS]
_LUT = {
    "linear_exp_table": _RNG.integers(-200, 200, 65),
    "linear_only_table": _RNG.integers(20, 90, 257),
    "method": 1,
    "linear_exp_offset": {"frac_bits": 8},
    "linear_only_offset": {"frac_bits": 7},
    "linear_exp_end": 64 << 8,
    "linear_only_end": 256 << 7,
}


def normalised(source, target, **more):
    """CDP with windows of five channels and the table of squares."""
    desc = {
        "lut_index": 0,
        "local_size": 5,
        "in_cvt": {"scale": 1, "enable": 1},
        "out_cvt": {"scale": 1, "truncate": 6, "enable": 1},
    }
    return ComposedLayer("CDP", desc, {"src_data": source, "dst_data": target}, **more)


def _layers():
    sums_1, handed = flying(20, 16, 16), flying(20, 16, 16)
    sums_2, dense = flying(24, 8, 8), flying(10, 1, 1)
    pooled_1, normal = cube(POOLED_1, 20, 8, 8), cube(NORMAL, 20, 8, 8)
    active, pooled_2, logits = cube(ACTIVE, 24, 8, 8), cube(POOLED_2, 24, 4, 4), cube(LOGITS, 10, 1, 1)
    return [
        convolution(
            cube(PICTURE, *SIDES), _WEIGHTS[0], KERNELS_1, sums_1, 1,
            waits=1, consumers={"SDP": (1, OP_PROGRAMMED), "CONV": (4, OP_PROGRAMMED)},
        ),
        biased(
            sums_1, BIAS_1, handed, 9, 1, waits=2, fused=(0, OP_ENABLED),
            consumers={"PDP": (2, OP_PROGRAMMED), "SDP": (5, OP_PROGRAMMED)},
        ),
        maximum(
            handed, pooled_1, waits=1, fused=(1, OP_ENABLED),
            consumers={"CDP": (3, OP_COMPLETED), "PDP": (6, OP_PROGRAMMED)},
        ),
        normalised(pooled_1, normal, waits=1, consumers={"CONV": (4, OP_COMPLETED)}),
        convolution(
            normal, _WEIGHTS[1], KERNELS_2, sums_2, 1,
            waits=3, consumers={"SDP": (5, OP_PROGRAMMED), "CONV": (7, OP_PROGRAMMED)},
        ),
        biased(
            sums_2, BIAS_2, active, 9, 1, waits=2, fused=(4, OP_ENABLED),
            consumers={"PDP": (6, OP_COMPLETED), "SDP": (8, OP_PROGRAMMED)},
        ),
        maximum(active, pooled_2, waits=2, consumers={"CONV": (7, OP_COMPLETED)}),
        convolution(pooled_2, _WEIGHTS[2], DENSE, dense, 0, waits=3, consumers={"SDP": (8, OP_PROGRAMMED)}),
        biased(dense, DENSE_BIAS, logits, 10, 0, waits=2, fused=(7, OP_ENABLED)),
    ]  # fmt: skip


def chain():
    """The network as a loadable: tensors ``picture`` and ``prob``, two tasks."""
    atoms = {"size": 16, "format": 1, "width": 1, "height": 1, "channel": 10, "line_stride": 8, "surf_stride": 8}
    softmax = Processor("softmax", {"address": LOGITS, **atoms}, {"address": PROB, **atoms}, {"axis": 1, **FACTORS})
    weights = [Data(contents=weight_bytes(one)) for one in _WEIGHTS]
    biases = [Data(contents=one.view(np.uint8)) for one in _BIASES]
    data = [
        Data(8 * 16 * 16, flags=ALLOC | INPUT, tensor="picture", shape=SIDES),
        *(weights[0], biases[0], Data(3 * 512), Data(3 * 512)),
        *(weights[1], biases[1], Data(3 * 512), Data(3 * 128)),
        *(weights[2], biases[2], Data(16)),
        Data(16, flags=ALLOC | OUTPUT, tensor="prob", shape=(10, 1, 1)),
    ]
    return compose(_layers(), data, luts=[_LUT], then=[[softmax]])
