# SPDX-License-Identifier: Apache-2.0
"""The timed model: cycles worked out by hand from the contract, data against the functional models."""

from __future__ import annotations

import numpy as np
import pytest
from nvdla_groups import pdp, random_pdp, random_sdp, sdp

from goldbeat.pymodels.axi.burst import READ, WRITE
from goldbeat.pymodels.axi.memory import MemoryImage, MemoryTiming, Region
from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.nvdla.engines.hardware import run_operation
from goldbeat.pymodels.nvdla.engines.registers import csb_register
from goldbeat.pymodels.nvdla.timed import predict
from goldbeat.pymodels.nvdla.timed.memory import Burst, TimedMemory
from goldbeat.pymodels.pattern import Pattern
from goldbeat.pymodels.stimulus import Access, Stimulus

PARAMS = {"LINE_ATOMS": 1024}


def at(name):
    return csb_register(*name.split(".")).address


def post(name, value):
    return Access("post", at(name), value)


def programmed(group, blocks, number=0):
    """Posts that fill a register group and enable it, the main block last."""
    steps = [post(f"{block}.S_POINTER", number) for block in blocks]
    steps += [Access("post", a, v) for a, v in sorted(group.values.items())]
    return [*steps, *(post(f"{block}.D_OP_ENABLE", 1) for block in blocks)]


def play(steps, regions=(), timing=None):
    image = MemoryImage(tuple(regions), timing or MemoryTiming())
    return predict(PARAMS, Stimulus({}, program={"csb": tuple(steps)}, memories={"dbb": image}))


def test_posts_go_one_a_cycle_and_reads_answer_two_later():
    steps = [
        post("SDP.D_CVT_SCALE", 7),
        Access("read", at("SDP.D_CVT_SCALE")),
        Access("write", at("GLB.S_INTR_MASK"), 1),
    ]
    answers = play(steps).accesses["csb"]
    # The post is taken at edge 1 and stands after edge 2, at which the read is taken.
    assert [(a.value, a.cycle) for a in answers] == [(None, 1), (7, 4), (None, 7)]


def test_registers_hold_what_their_masks_let_through():
    steps = [
        Access("write", at("SDP.D_DP_BS_CFG"), 0xFFFFFFFF),
        Access("read", at("SDP.D_DP_BS_CFG")),
        Access("write", at("SDP.S_POINTER"), 1),
        Access("read", at("SDP.D_DP_BS_CFG")),
        Access("read", at("CFGROM.CFGROM_CDMA_BASE_ATOMIC_C")),
        Access("write", 0xE000, 0xFF),
        Access("read", 0xE000),
        Access("read", 0xFFFC),
        Access("read", at("CDMA.S_CBUF_FLUSH_STATUS")),
    ]
    values = [a.value for a in play(steps).accesses["csb"] if a.value is not None]
    assert values == [0x7F, 0x73, 8, 0, 0, 1]


def test_interrupt_set_mask_and_clear():
    steps = [
        Access("post", at("GLB.S_INTR_SET"), 0b101),
        Access("wait_for", port="dla_intr"),
        Access("read", at("GLB.S_INTR_STATUS")),
        Access("write", at("GLB.S_INTR_STATUS"), 0b001),
        Access("read", at("GLB.S_INTR_STATUS")),
        Access("write", at("GLB.S_INTR_MASK"), 0b100),
    ]
    found = play(steps)
    # Set after edge 2, so the interrupt stands after edge 3 and is seen at edge 4.
    assert found.accesses["csb"][1].cycle == 4
    assert [a.value for a in found.accesses["csb"] if a.value is not None] == [0b101, 0b100]
    assert found.status["dla_intr"] == 0


@pytest.mark.parametrize("latency", [1, 8, 32])
def test_one_atom_of_sdp_cycle_by_cycle(latency):
    group = sdp(1, 1, 8, 8, 8, BS_BYPASS=1)
    steps = programmed(group, ("SDP_RDMA", "SDP"))
    steps += [Access("wait_for", port="dla_intr")]
    target = np.zeros(8, np.uint8)
    regions = (Region("in", 0x1000, np.arange(8, dtype=np.uint8)), Region("out", 0x100000, target))
    found = play(steps, regions, MemoryTiming(read_latency=latency, write_latency=5))
    enable = len(steps) - 1
    s = enable + 2
    # Accepted s + 1, granted s + 2, address s + 3; fed the cycle after its data; ten stages; accepted, granted.
    read = s + 3 + latency
    write = read + 1 + 10 + 1 + 1 + 1
    log = found.memories["dbb"].log
    assert [tuple(int(v) for v in row) for row in log] == [
        (0, 0, 0x1000, 0, s + 3, read, read, read),
        (1, 0, 0x100000, 0, write, write + 1, write + 1, write + 6),
    ]
    # Done at b + 1, status after it, interrupt after the next edge, seen one later.
    assert found.accesses["csb"][-1].cycle == write + 6 + 1 + 2
    assert np.array_equal(found.memories["dbb"].regions["out"], np.arange(8))
    assert not target.any()


TIMINGS = [
    MemoryTiming(),
    MemoryTiming(read_latency=20, read_jitter=30, write_jitter=20, max_reads=3, order="by_id", seed=3),
    MemoryTiming(
        order="interleaved",
        read_bandwidth=(2, 3),
        write_bandwidth=(1, 2),
        max_writes=2,
        ar_ready=Pattern("random", p=0.4, seed=1),
        aw_ready=Pattern("bursty", burst=5, seed=2),
        r_gaps=Pattern("random", p=0.2, seed=3),
        b_gaps=Pattern("random", p=0.3, seed=4),
        seed=9,
    ),
]


@pytest.mark.parametrize("seed", range(12))
def test_both_engines_and_both_groups_at_once(seed):
    both_groups(seed)


@pytest.mark.slow
def test_two_hundred_operations_of_each_engine_equal_the_functional_models():
    for seed in range(100, 200):
        both_groups(seed)


def both_groups(seed):
    """Two operations of SDP and two of PDP in flight, under one of the memory's timings."""
    rng = np.random.default_rng(seed)
    source = rng.integers(0, 256, 1 << 15).astype(np.uint8)
    regions = [Region("in", 0x10000, source, writable=False)]
    steps, expected, left = [], {}, {"SDP": 0, "PDP": 0}
    for number in range(4):
        engine = ("SDP", "PDP")[number % 2]
        base = 0x100000 * (number + 1)
        group = (random_sdp if engine == "SDP" else random_pdp)(rng, 0x10000, base)
        target = Region(f"out{number}", base, rng.integers(0, 256, 1 << 14).astype(np.uint8))
        regions.append(target)
        after = run_operation(engine, group.values, (regions[0], target)).memory[target.name]
        expected[target.name] = after
        steps += programmed(group, (f"{engine}_RDMA", engine), number // 2)
        left[engine] += 1
    for engine in left:
        steps.append(Access("poll", at(f"{engine}.S_STATUS"), 0, mask=0x30003))
    found = play(steps, regions, TIMINGS[seed % 3])
    for name, after in expected.items():
        assert np.array_equal(found.memories["dbb"].regions[name], after), name
    assert found.status["dla_intr"] == 1


def cut(value, bits):
    """The low bits as a signed number."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def averages(data, kernel, table, line_bits):
    """Padding of kernel - 1 on all sides, stride 1: the window's sum at each output point, its lines cut to ``line_bits``."""
    height, width = data.shape
    out = np.zeros((height + kernel - 1, width + kernel - 1), np.int64)
    for oy, ox in np.ndindex(*out.shape):
        rows = [y for y in range(oy - kernel + 1, oy + 1) if 0 <= y < height]
        columns = [x for x in range(ox - kernel + 1, ox + 1) if 0 <= x < width]
        lines = [sum(int(data[y, x]) for x in columns) + table[kernel - len(columns)] for y in rows]
        total = sum(cut(line, line_bits) for line in lines) + kernel * table[kernel - len(rows)]
        out[oy, ox] = cut(total, 14)
    return out


def padded_both_ways(kernel, data, table):
    """An average whose reciprocals are an eighth each, by the timed and by the functional model."""
    height, width = data.shape
    out = (width + kernel - 1, height + kernel - 1)
    line = 8 * width
    pads = (kernel - 1, kernel - 1)
    group = pdp((width, height), 8, 0, (kernel, kernel), (1, 1), pads, out, line, line * height)
    for n in range(1, 8):
        group.put("PDP", f"D_POOLING_PADDING_VALUE_{n}_CFG", table[n] & 0x7FFFF)
    group.put("PDP", "D_RECIP_KERNEL_WIDTH", 0x2000)
    group.put("PDP", "D_RECIP_KERNEL_HEIGHT", 0x2000)
    source = np.repeat(data.astype(np.int8).reshape(-1, 1), 8, axis=1).view(np.uint8).reshape(-1)
    regions = (Region("in", 0x1000, source), Region("out", 0x100000, np.zeros(8 * out[0] * out[1], np.uint8)))
    steps = [*programmed(group, ("PDP_RDMA", "PDP")), Access("poll", at("PDP.S_STATUS"), 0)]
    timed = play(steps, regions).memories["dbb"].regions["out"]
    functional = run_operation("PDP", group.values, regions).memory["out"]
    return [a.view(np.int8).reshape(out[1], out[0], 8)[..., 0] for a in (timed, functional)]


def eighths(sums):
    """An eighth and an eighth of that, halves away from zero, both as the hardware cuts them."""
    for bits in (11, 8):
        product = sums * 0x2000
        low = product & 0xFFFF
        below = (product >> 16) + (low > 0x8000)
        above = ((product >> 16) & ((1 << (bits - 1)) - 1)) + (low >> 15)
        sums = np.array([cut(int(v), bits) for v in np.where(product < 0, below, above).flat]).reshape(sums.shape)
    return sums


@pytest.mark.parametrize("value", [-128, -1, 127])
@pytest.mark.parametrize("low", [True, False])
def test_int8_padding_never_leaves_the_sums(value, low):
    """Here nv_small's 11 bits of a line make no difference."""
    data = np.full((3, 5), -128 if low else 127)
    table = [n * value for n in range(8)]
    wanted = averages(data, 8, table, 11)
    assert np.array_equal(wanted, averages(data, 8, table, 64))
    timed, functional = padded_both_ways(8, data, table)
    assert np.array_equal(timed, eighths(wanted))
    assert np.array_equal(functional, eighths(wanted))


@pytest.mark.parametrize("seed", range(6))
def test_other_padding_wraps_as_the_contract_says(seed):
    rng = np.random.default_rng(seed)
    kernel = int(rng.integers(2, 9))
    data = rng.integers(-128, 128, (3, 4))
    table = [0, *rng.integers(-(1 << 18), 1 << 18, 7).tolist()]
    timed, functional = padded_both_ways(kernel, data, table)
    assert np.array_equal(timed, eighths(averages(data, kernel, table, 64)))
    assert np.array_equal(functional, eighths(averages(data, kernel, table, 11)))
    assert not np.array_equal(timed, functional)


def test_a_program_that_waits_for_ever_is_refused(monkeypatch):
    with pytest.raises(UsageError, match="step 0, wait_for dla_intr: waits for ever, as nothing is at work"):
        play([Access("wait_for", port="dla_intr")])
    with pytest.raises(UsageError, match="step 0, poll 0x9000: waits for ever"):
        play([Access("poll", at("SDP.S_STATUS"), 1)])
    monkeypatch.setattr("goldbeat.pymodels.nvdla.timed.model.LONGEST", 200)
    long = [post("CDP_RDMA.D_DATA_CUBE_WIDTH", 100), post("CDP_RDMA.D_OP_ENABLE", 1), post("CDP.D_OP_ENABLE", 1)]
    with pytest.raises(UsageError, match="step 3, wait_for dla_intr: nothing after 200 cycles"):
        play([*long, Access("wait_for", port="dla_intr")])


def test_an_unknown_step_is_refused():
    with pytest.raises(UsageError, match="expected write, post, read, poll, wait, host, or wait_for dla_intr"):
        play([Access("wait_for", port="done")])


@pytest.mark.parametrize("late", [False, True])
def test_late_writes_are_read_behind_their_response(late):
    memory = TimedMemory(MemoryImage((Region("m", 0, np.zeros(8, np.uint8)),), MemoryTiming(1, 0, 9, late_writes=late)))
    write = Burst(WRITE, 0, 0, 1, data=np.full(8, 7, np.uint8))
    memory.take_address(write, 0)
    assert memory.take_data(write, 1)
    seen = []
    for cycle in range(2, 13):
        memory.take_address(Burst(READ, 1, 0, 1), cycle)
        beat = memory.read_beat(cycle + 1)
        memory.response(cycle + 1)
        seen.append(int(beat[1][0]))
    assert seen == ([0] * 8 + [7] * 3 if late else [7] * 11)
