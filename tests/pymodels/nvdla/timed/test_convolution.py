# SPDX-License-Identifier: Apache-2.0
"""The convolution core: cycles worked out by hand from docs/nvdla-convolution.md, and what bounds those of whole layers."""

from __future__ import annotations

import numpy as np
import pytest
from nvdla_groups import Group, sdp

from goldbeat.pymodels.axi.memory import MemoryImage, MemoryTiming, Region
from goldbeat.pymodels.nvdla.engines.registers import csb_register
from goldbeat.pymodels.nvdla.timed import predict
from goldbeat.pymodels.nvdla.timed.conv_compute import stripes, weight_blocks
from goldbeat.pymodels.stimulus import Access, Stimulus

PARAMS = {"LINE_ATOMS": 1024}
BLOCKS = ("CACC", "CMAC_A", "CMAC_B", "CSC", "CDMA")
DATA, WEIGHTS, OUT = 0x1_0000, 0x10_0000, 0x80_0000


def post(block, name, value):
    return Access("post", csb_register(block, name).address, value)


def conv(size=(1, 1), channels=8, kernel=(1, 1), kernels=8, stride=(1, 1), banks=(16, 16), **misc):
    """A convolution without padding; its weights are padded to 128 bytes."""
    group = Group()
    wide, high = size
    for block in ("CDMA", "CSC"):
        group.put(block, "D_MISC_CFG", **misc)
        group.put(block, "D_BANK", DATA_BANK=banks[0] - 1, WEIGHT_BANK=banks[1] - 1)
        group.put(block, "D_ENTRY_PER_SLICE", wide * -(-channels // 8) - 1)
    group.put("CDMA", "D_DATAIN_SIZE_0", DATAIN_WIDTH=wide - 1, DATAIN_HEIGHT=high - 1)
    group.put("CDMA", "D_DATAIN_SIZE_1", channels - 1)
    group.put("CDMA", "D_DAIN_ADDR_LOW_0", DATA)
    group.put("CDMA", "D_LINE_STRIDE", 8 * wide)
    group.put("CDMA", "D_SURF_STRIDE", 8 * wide * high)
    group.put("CDMA", "D_WEIGHT_ADDR_LOW", WEIGHTS)
    weights = kernels * channels * kernel[0] * kernel[1]
    group.put("CDMA", "D_WEIGHT_BYTES", weights + -weights % 128)
    group.put("CSC", "D_DATAIN_SIZE_EXT_0", DATAIN_WIDTH_EXT=wide - 1, DATAIN_HEIGHT_EXT=high - 1)
    group.put("CSC", "D_DATAIN_SIZE_EXT_1", channels - 1)
    group.put("CSC", "D_WEIGHT_SIZE_EXT_0", WEIGHT_WIDTH_EXT=kernel[0] - 1, WEIGHT_HEIGHT_EXT=kernel[1] - 1)
    group.put("CSC", "D_WEIGHT_SIZE_EXT_1", WEIGHT_CHANNEL_EXT=channels - 1, WEIGHT_KERNEL=kernels - 1)
    out = tuple((n - k) // s + 1 for n, k, s in zip(size, kernel, stride, strict=True))
    group.put("CSC", "D_DATAOUT_SIZE_0", DATAOUT_WIDTH=out[0] - 1, DATAOUT_HEIGHT=out[1] - 1)
    group.put("CSC", "D_CONV_STRIDE_EXT", CONV_X_STRIDE_EXT=stride[0] - 1, CONV_Y_STRIDE_EXT=stride[1] - 1)
    group.put("CSC", "D_RELEASE", high - 1)
    return group, out


def taker(out, kernels):
    group = sdp(*out, kernels, 8 * out[0], 8 * out[0] * out[1], BS_BYPASS=1)
    group.put("SDP", "D_FEATURE_MODE_CFG", FLYING_MODE=1)
    group.put("SDP", "D_DST_BASE_ADDR_LOW", OUT)
    return group


def programmed(group, blocks, number=0):
    steps = [post(block, "S_POINTER", number) for block in blocks]
    return [*steps, *(Access("post", a, v) for a, v in sorted(group.values.items()))]


def enabled(blocks):
    return [post(block, "D_OP_ENABLE", 1) for block in blocks]


def play(steps, timing=None, size=1 << 20):
    rng = np.random.default_rng(0)
    regions = (
        Region("data", DATA, rng.integers(0, 256, 0x8_0000, dtype=np.uint8)),
        Region("weights", WEIGHTS, rng.integers(0, 256, 0x20_0000, dtype=np.uint8)),
        Region("out", OUT, np.zeros(size, np.uint8)),
    )
    image = MemoryImage(regions, timing or MemoryTiming(read_latency=32, max_reads=256, max_writes=256))
    return predict(PARAMS, Stimulus({}, program={"csb": tuple(steps)}, memories={"dbb": image}))


@pytest.mark.parametrize("latency", [1, 20, 32])
def test_one_atom_cycle_by_cycle(latency):
    group, out = conv(kernels=1)
    steps = [*programmed(taker(out, 1), ("SDP",)), *enabled(["SDP"]), *programmed(group, BLOCKS), *enabled(BLOCKS)]
    timing = MemoryTiming(read_latency=latency, max_reads=8, write_latency=5)
    log = play(steps, timing).memories["dbb"].log
    # Program steps are taken at edges 1, 2, ...; CDMA's enable is the last one, and stands two edges later.
    s = len(steps) + 2
    # Data and weights ask at s + 2: data are granted first, and their address is on the bus in the next cycle.
    data, weights = s + 3, s + 4
    t = data + latency
    first = max(weights + latency, t + 1)
    # One entry of weights, then the slice, is counted; the block is loaded, taken, and makes its step.
    loaded = first + 2 + 1
    taken = max(loaded + 1, t + 6 + 1)
    fed = taken + 1 + 10 + 1
    # Ten stages of SDP, accepted, granted, address.
    write = fed + 10 + 1 + 1 + 1
    assert [tuple(int(v) for v in row) for row in log] == [
        (0, 2, DATA, 0, data, t, t, t),
        (0, 3, WEIGHTS, 15, weights, first, first + 15, first + 15),
        (1, 0, OUT, 0, write, write + 1, write + 1, write + 6),
    ]


@pytest.mark.parametrize("bit", [16, 18, 20])
def test_status_bits_are_set_one_by_one(bit):
    group, out = conv(kernels=1)
    steps = [post("GLB", "S_INTR_MASK", 0x3F_FFFF & ~(1 << bit))]
    steps += [*programmed(taker(out, 1), ("SDP",)), *enabled(["SDP"]), *programmed(group, BLOCKS), *enabled(BLOCKS)]
    s = len(steps) + 2
    steps += [Access("wait_for", port="dla_intr")]
    answer = play(steps, MemoryTiming(read_latency=20)).accesses["csb"][-1].cycle
    t = s + 3 + 20
    last = t + 16
    fed = t + 6 + 1 + 1 + 10 + 1
    data, weights = t + 6 + 1, last + 2 + 1
    # A bit that is set at edge d makes an interrupt after edge d + 1, which is seen at d + 2.
    assert answer == {16: data, 18: weights, 20: max(fed, weights) + 1}[bit] + 2


def cycles(log):
    return int(log["done"].max() - log["cycle"].min())


SHAPES = [
    # size, channels, kernel, kernels: bounded by the steps
    ((28, 28), 1, (5, 5), 20, 43_200),
    ((12, 12), 20, (5, 5), 50, 33_600),
    ((16, 16), 16, (3, 3), 16, 196 * 2 * 2 * 9),
    ((20, 9), 8, (1, 1), 16, 360),
    # by the weights
    ((4, 4), 50, (4, 4), 96, 96 * 800 // 8),
    ((1, 1), 512, (1, 1), 64, 4096),
]


@pytest.mark.parametrize(("size", "channels", "kernel", "kernels", "bound"), SHAPES)
def test_a_layer_takes_little_more_than_its_bound(size, channels, kernel, kernels, bound):
    group, out = conv(size, channels, kernel, kernels)
    steps = [*programmed(taker(out, kernels), ("SDP",)), *enabled(["SDP"]), *programmed(group, BLOCKS)]
    log = play([*steps, *enabled(BLOCKS)]).memories["dbb"].log
    # The first slices come before, the last chunk after; surfaces of one point are fetched beat by beat between weights.
    alone = 18 * -(-channels // 8) if size == (1, 1) else 0
    assert bound < cycles(log) < bound + 800 + alone
    beats = {ident: int((log["len"] + 1)[(log["kind"] == 0) & (log["id"] == ident)].sum()) for ident in (2, 3)}
    surfaces = -(-channels // 8)
    weights = kernels * channels * kernel[0] * kernel[1]
    assert beats == {2: size[0] * size[1] * surfaces, 3: (weights + -weights % 128) // 8}
    written = log["kind"] == 1
    assert int((log["len"] + 1)[written].sum()) == out[0] * out[1] * -(-kernels // 8)


def test_the_next_layer_is_fetched_while_one_is_at_work():
    first, out = conv((16, 16), 16, (3, 3), 16, banks=(4, 4))
    second, _ = conv((16, 16), 16, (3, 3), 16, banks=(4, 4))
    other, _ = conv((16, 16), 16, (3, 3), 16, banks=(5, 4))
    found = []
    for after in (second, other):
        steps = []
        for number, group in enumerate((first, after)):
            steps += [*programmed(taker(out, 16), ("SDP",), number), *enabled(["SDP"])]
            steps += [*programmed(group, BLOCKS, number), *enabled(BLOCKS)]
        log = play(steps).memories["dbb"].log
        reads = log[log["kind"] == 0]
        found.append((int(reads["cycle"].max()), int(log["done"].max())))
    (overlapped, end), (waited, later) = found
    # With other banks the buffer must be empty first.
    assert overlapped < end // 2 < waited
    assert end < later


def test_without_sdp_the_fifo_fills_and_compute_waits():
    group, out = conv((16, 16), 8, (1, 1), 8)
    steps = [*programmed(group, BLOCKS), *enabled(BLOCKS), Access("wait", cycles=3000)]
    look = [Access("read", csb_register(b, "S_STATUS").address) for b in ("CDMA", "CSC", "CACC")]
    status = Access("read", csb_register("GLB", "S_INTR_STATUS").address)
    late = [*programmed(taker(out, 8), ("SDP",)), *enabled(["SDP"]), Access("wait", cycles=3000), *look, status]
    answers = [a.value for a in play([*steps, *look, status, *late]).accesses["csb"] if a.value is not None]
    assert answers == [0, 1, 1, 0b0101 << 16, 0, 0, 0, 0b0001_0101 << 16 | 1]


def test_compute_stops_when_no_sums_are_taken():
    group, out = conv((16, 16), 16, (3, 3), 16)
    late = 10_000
    steps = [*programmed(taker(out, 16), ("SDP",)), *programmed(group, BLOCKS), *enabled(BLOCKS)]
    log = play([*steps, Access("wait", cycles=late), *enabled(["SDP"])]).memories["dbb"].log
    # 14 x 14 outputs: of the first group, 64 fit into the FIFO; all others are worked out when SDP takes sums.
    steps_left = (2 * 196 - 64 - 16) * 2 * 9
    assert int(log["done"].max()) - late > steps_left


def test_only_one_operation_is_fetched_ahead():
    group, _ = conv((4, 4), 8)
    steps = []
    for number in (0, 1):
        steps += [*programmed(group, BLOCKS, number), *enabled(BLOCKS)]
    # Nobody takes sums: the first compute goes on for ever, and CDMA's first group is free again.
    steps += [Access("wait", cycles=2000), *programmed(group, ("CDMA",), 0), *enabled(["CDMA"])]
    status = Access("read", csb_register("CDMA", "S_STATUS").address)
    found = play([*steps, Access("wait", cycles=2000), status])
    reads = found.memories["dbb"].log
    assert [int(n) for n in np.bincount(reads["id"])[2:]] == [8, 2]
    assert found.accesses["csb"][-1].value == 1


def test_pieces_of_two_planes_wait_for_the_pixels_before():
    group, _ = conv((70, 1), 3)
    for block in ("CDMA", "CSC"):
        group.put(block, "D_ENTRY_PER_SLICE", -(-70 * 3 // 8) - 1)
    group.put("CDMA", "D_DATAIN_FORMAT", DATAIN_FORMAT=1, PIXEL_FORMAT=28)
    group.put("CDMA", "D_DAIN_ADDR_LOW_1", DATA + 0x1000)
    group.put("CDMA", "D_PIXEL_OFFSET", PIXEL_X_OFFSET=5)
    steps = [*programmed(group, ("CDMA",)), *enabled(["CDMA"])]
    log = play([*steps, Access("wait", cycles=1000)]).memories["dbb"].log
    data = log[log["id"] == 2]
    # Pixels 0 .. 58 in 8 beats of one plane, in 15 (from pixel -1 on) of the other; then 11 pixels.
    rows = [(int(r["address"]) - DATA, int(r["len"]) + 1) for r in data]
    assert rows == [(0, 8), (0x1000, 15), (64, 2), (0x1000 + 120, 1), (0x1000 + 128, 2)]
    t = int(data["last"][1])
    assert int(data["cycle"][2]) == t + 59 + 1 + 2


def test_stripes_cover_a_group_and_none_is_short_but_of_short_outputs():
    for atoms in range(1, 200):
        found = stripes(atoms)
        assert sum(found) == atoms
        assert all(16 <= n < 32 for n in found) or len(found) == 1


@pytest.mark.parametrize(
    ("kernels", "depth", "rows", "columns", "joined"),
    [(8, 8, 3, 3, 1), (3, 5, 2, 2, 1), (1, 1, 3, 3, 1), (7, 2, 5, 1, 4)],
)
def test_blocks_load_every_entry_once(kernels, depth, rows, columns, joined):
    blocks = weight_blocks(kernels, depth, rows, columns, joined)
    size = kernels * depth * rows * columns
    assert sum(block.entries for block in blocks) == -(-size // 8)
    assert sum(block.passes for block in blocks) == -(-depth // 8) * rows * columns
    assert blocks[-1].end == size // 8
    needed = 0
    for block in blocks:
        assert block.first == needed
        needed += block.entries
