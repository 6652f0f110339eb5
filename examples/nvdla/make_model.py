# SPDX-License-Identifier: Apache-2.0
"""A small loadable without a compiler: bias and ReLU, then 2 x 2 maximum pooling."""

import numpy as np

from goldbeat.pymodels.nvdla.engines.cubes import pack_feature
from goldbeat.pymodels.nvdla.loadable.compose import ComposedLayer, Data, compose
from goldbeat.pymodels.nvdla.loadable.layouts import OP_COMPLETED
from goldbeat.pymodels.nvdla.loadable.loadable import ALLOC, INPUT, OUTPUT, to_bytes


def cube(memory, size):
    line = 8 * size
    shape = {"width": size, "height": size, "channel": 8, "size": line * size}
    return {"address": memory, **shape, "line_stride": line, "surf_stride": line * size}


relu = {"enable": 1, "type": 2, "alu_type": 2, "act": 1, "alu_operand": 3, "mul_operand": 1}
sdp = ComposedLayer(
    "SDP",
    {"batch_num": 1, "lut_index": -1, "out_cvt": {"scale": 1, "enable": 1}, "x1_op": relu},
    {"src_data": cube(0, 4), "dst_data": cube(1, 4)},
    consumers={"PDP": (1, OP_COMPLETED)},
)
pool = {"split_num": 1, "pool_mode": 1, "pool_width": 1, "pool_height": 1, "stride_x": 2, "stride_y": 2}
pdp = ComposedLayer("PDP", pool, {"src_data": cube(1, 4), "dst_data": cube(2, 2)}, waits=1)
image = pack_feature(np.arange(-64, 64, dtype=np.int8).reshape(8, 4, 4))
memories = [Data(contents=image, flags=ALLOC | INPUT), Data(128), Data(32, flags=ALLOC | OUTPUT)]
with open("model.nvdla", "wb") as file:
    file.write(to_bytes(compose([sdp, pdp], memories)))
