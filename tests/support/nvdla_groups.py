# SPDX-License-Identifier: Apache-2.0
"""SDP and PDP operations as values of one register group."""

from __future__ import annotations

from goldbeat.pymodels.nvdla.engines.registers import csb_register

ATOM = 8


class Group:
    """Registers by name."""

    def __init__(self):
        self.values = {}

    def put(self, block, name, value=None, **fields):
        one = csb_register(block, name)
        self.values[one.address] = one.pack(**fields) if value is None else value & 0xFFFFFFFF


def sdp(width, height, channel, line, surface, **bs):
    group = Group()
    for block in ("SDP", "SDP_RDMA"):
        for name, value in (("WIDTH", width), ("HEIGHT", height), ("CHANNEL", channel)):
            group.put(block, f"D_DATA_CUBE_{name}", value - 1)
    group.put("SDP_RDMA", "D_FEATURE_MODE_CFG", 0)
    group.put("SDP", "D_DATA_FORMAT", 0)
    group.put("SDP_RDMA", "D_SRC_BASE_ADDR_LOW", 0x1000)
    group.put("SDP_RDMA", "D_SRC_LINE_STRIDE", line)
    group.put("SDP_RDMA", "D_SRC_SURFACE_STRIDE", surface)
    group.put("SDP", "D_DST_BASE_ADDR_LOW", 0x100000)
    group.put("SDP", "D_DST_LINE_STRIDE", line)
    group.put("SDP", "D_DST_SURFACE_STRIDE", surface)
    group.put("SDP", "D_DP_BS_CFG", **bs)
    group.put("SDP", "D_CVT_SCALE", 1)
    return group


def pdp(size, channel, method, kernel, stride, pad, out, line, surface):
    group = Group()
    names = ("WIDTH", "HEIGHT", "CHANNEL")
    for block in ("PDP", "PDP_RDMA"):
        for name, value in zip(names, (*size, channel), strict=True):
            group.put(block, f"D_DATA_CUBE_IN_{name}", value - 1)
    for name, value in zip(names, (*out, channel), strict=True):
        group.put("PDP", f"D_DATA_CUBE_OUT_{name}", value - 1)
    group.put("PDP", "D_OPERATION_MODE_CFG", POOLING_METHOD=method, FLYING_MODE=1)
    group.put(
        "PDP",
        "D_POOLING_KERNEL_CFG",
        KERNEL_WIDTH=kernel[0] - 1,
        KERNEL_HEIGHT=kernel[1] - 1,
        KERNEL_STRIDE_WIDTH=stride[0] - 1,
        KERNEL_STRIDE_HEIGHT=stride[1] - 1,
    )
    group.put("PDP", "D_POOLING_PADDING_CFG", PAD_LEFT=pad[0], PAD_TOP=pad[1])
    group.put("PDP", "D_RECIP_KERNEL_WIDTH", 65536 // kernel[0])
    group.put("PDP", "D_RECIP_KERNEL_HEIGHT", 65536 // kernel[1])
    group.put("PDP_RDMA", "D_SRC_BASE_ADDR_LOW", 0x1000)
    group.put("PDP_RDMA", "D_SRC_LINE_STRIDE", line)
    group.put("PDP_RDMA", "D_SRC_SURFACE_STRIDE", surface)
    group.put("PDP", "D_DST_BASE_ADDR_LOW", 0x100000)
    group.put("PDP", "D_DST_LINE_STRIDE", out[0] * ATOM)
    group.put("PDP", "D_DST_SURFACE_STRIDE", out[0] * out[1] * ATOM)
    return group


def random_sdp(rng, source, target):
    """An operation that reads everything at ``source`` and writes at ``target``; sizes up to 40 x 4 x 16."""
    width, height, channel = (int(v) for v in rng.integers(1, [41, 5, 17]))
    line = width * ATOM + 8 * int(rng.integers(3))
    surface = line * height + 8 * int(rng.integers(3))
    alu, mul, prelu, relu = (bool(v) for v in rng.integers(0, 2, 4))
    group = sdp(
        width,
        height,
        channel,
        line,
        surface,
        BS_BYPASS=rng.integers(4) == 0,
        BS_ALU_BYPASS=not alu,
        BS_ALU_ALGO=int(rng.integers(4)),
        BS_MUL_BYPASS=not mul,
        BS_MUL_PRELU=prelu,
        BS_RELU_BYPASS=not relu,
    )
    group.put("SDP_RDMA", "D_SRC_BASE_ADDR_LOW", source)
    group.put("SDP", "D_DST_BASE_ADDR_LOW", target)
    group.put("SDP", "D_DP_BN_CFG", BN_BYPASS=int(rng.integers(2)), BN_ALU_ALGO=2, BN_MUL_BYPASS=int(rng.integers(2)))
    for unit, dma in (("BS", "BRDMA"), ("BN", "NRDMA")):
        config = {
            f: int(v)
            for f, v in csb_register("SDP", f"D_DP_{unit}_CFG")
            .unpack(group.values[csb_register("SDP", f"D_DP_{unit}_CFG").address])
            .items()
        }
        both = [not config[f"{unit}_{p}_BYPASS"] and bool(rng.integers(2)) for p in ("ALU", "MUL")]
        group.put(
            "SDP",
            f"D_DP_{unit}_ALU_CFG",
            **{f"{unit}_ALU_SRC": both[0], f"{unit}_ALU_SHIFT_VALUE": int(rng.integers(4))},
        )
        group.put(
            "SDP",
            f"D_DP_{unit}_MUL_CFG",
            **{f"{unit}_MUL_SRC": both[1], f"{unit}_MUL_SHIFT_VALUE": int(rng.integers(8))},
        )
        group.put("SDP", f"D_DP_{unit}_ALU_SRC_VALUE", int(rng.integers(2**16)))
        group.put("SDP", f"D_DP_{unit}_MUL_SRC_VALUE", int(rng.integers(2**16)))
        use = 2 if all(both) else int(both[0])
        size, element = int(rng.integers(2)), int(rng.integers(2))
        off = config[f"{unit}_BYPASS"] or not any(both)
        fields = {"DISABLE": int(off), "DATA_USE": use, "DATA_SIZE": size, "DATA_MODE": element}
        group.put("SDP_RDMA", f"D_{dma}_CFG", **{f"{dma}_{k}": v for k, v in fields.items()})
        point = ATOM * (size + 1) * (2 if use == 2 else 1)
        group.put("SDP_RDMA", f"D_{unit}_BASE_ADDR_LOW", source + 8 * int(rng.integers(64)))
        group.put("SDP_RDMA", f"D_{unit}_LINE_STRIDE", width * point)
        group.put("SDP_RDMA", f"D_{unit}_SURFACE_STRIDE", width * height * point)
    group.put("SDP", "D_CVT_OFFSET", int(rng.integers(-100, 100)))
    group.put("SDP", "D_CVT_SCALE", int(rng.integers(2**16)))
    group.put("SDP", "D_CVT_SHIFT", int(rng.integers(20)))
    return group


def random_pdp(rng, source, target):
    """An operation of legal padding that reads everything at ``source`` and writes at ``target``."""
    kernel = tuple(int(v) for v in rng.integers(1, 9, 2))
    size = tuple(int(v) for v in rng.integers(kernel, [36, 12]))
    stride = tuple(int(v) for v in rng.integers(1, 5, 2))
    pad = tuple(int(v) for v in rng.integers(0, kernel))
    far = tuple(int(v) for v in rng.integers(0, kernel))
    out = tuple((size[i] + pad[i] + far[i] - kernel[i]) // stride[i] + 1 for i in range(2))
    line = size[0] * ATOM + 8 * int(rng.integers(3))
    channel = int(rng.integers(1, 17))
    group = pdp(size, channel, int(rng.integers(3)), kernel, stride, pad, out, line, line * size[1])
    group.put("PDP_RDMA", "D_SRC_BASE_ADDR_LOW", source)
    group.put("PDP", "D_DST_BASE_ADDR_LOW", target)
    value = int(rng.integers(-128, 128))
    for i in range(1, 8):
        group.put("PDP", f"D_POOLING_PADDING_VALUE_{i}_CFG", i * value & 0x7FFFF)
    return group
