# SPDX-License-Identifier: Apache-2.0
"""A loadable whose convolution takes pixels."""

from __future__ import annotations

import numpy as np

from goldbeat.pymodels.nvdla.engines.cubes import pack_pixels
from goldbeat.pymodels.nvdla.engines.pixels import FORMATS
from goldbeat.pymodels.nvdla.engines.weights import pack_weights
from goldbeat.pymodels.nvdla.loadable.compose import ComposedLayer, Data, compose
from goldbeat.pymodels.nvdla.loadable.layouts import MEM_HW, OP_ENABLED, OP_PROGRAMMED
from goldbeat.pymodels.nvdla.loadable.loadable import ALLOC, INPUT, OUTPUT

CODES = {form.name: code for code, form in FORMATS.items()}


def pixel_loadable(form="A8R8G8B8", **changes):
    """A convolution of 2 x 2 over 6 x 4 pixels, padded left, mean subtracted; its picture, weights and output."""
    rng = np.random.default_rng(3)
    image = rng.integers(0, 256, (4, 4, 6)).astype(np.uint8)
    weights = rng.integers(-4, 4, (8, 4, 2, 2)).astype(np.int8)
    packed = pack_weights(weights.transpose(0, 3, 1, 2).reshape(8, 8, 2, 1))
    desc = {
        "data_format": CODES.get(form, 3),
        "mean_format": 1,
        "mean_ry": 100,
        "mean_gu": 110,
        "mean_bv": 120,
        "mean_ax": 0,
        "in_cvt": {"enable": 1, "scale": 1, "truncate": 1},
        "out_cvt": {"scale": 1},
        "pad_x_left": 1,
        "input_width_csc": 6,
        "input_height_csc": 4,
        "input_channel_csc": 4,
        "kernel_width_csc": 1,
        "kernel_height_csc": 2,
        "kernel_channel_csc": 8,
        "input_width_cmac": 6,
        "input_height_cmac": 3,
        "conv_stride_x": 1,
        "conv_stride_y": 1,
        "dilation_x": 1,
        "dilation_y": 1,
        "batch": 1,
        "data_bank": 1,
        "weight_bank": 1,
        "entry_per_slice": 4,
        "fetch_grain": 1,
        "release": 4,
        "bytes_per_kernel": 16,
        **changes,
    }
    source = {"address": 0, "width": 6, "height": 4, "channel": 4, "size": 96, "line_stride": 24, "surf_stride": 96}
    flying = {"type": MEM_HW, "address": -1, "width": 6, "height": 3, "channel": 8, "size": 144}
    flying |= {"line_stride": 48, "surf_stride": 144}
    conv = ComposedLayer(
        "CONV",
        desc,
        {"src_data": source, "weight_data": {"address": 1, "size": 128}, "dst_data": flying},
        consumers={"SDP": (1, OP_PROGRAMMED)},
        waits=1,
    )
    sdp = ComposedLayer(
        "SDP",
        {"batch_num": 1, "lut_index": -1, "out_cvt": {"scale": 1, "enable": 1, "truncate": 4}},
        {"src_data": flying, "dst_data": {**flying, "type": 0, "address": 2}},
        fused=(0, OP_ENABLED),
        waits=1,
    )
    memories = [Data(contents=pack_pixels(image, "A8R8G8B8"), flags=ALLOC | INPUT), Data(contents=packed)]
    return compose([conv, sdp], [*memories, Data(144, flags=ALLOC | OUTPUT)]), image, weights
