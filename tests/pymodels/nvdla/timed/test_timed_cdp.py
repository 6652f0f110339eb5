# SPDX-License-Identifier: Apache-2.0
"""CDP: cycles worked out by hand from docs/nvdla-cdp.md, and its tables behind their access registers."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from nvdla_groups import Group, pdp, sdp

from goldbeat.pymodels.axi.memory import MemoryImage, MemoryTiming, Region
from goldbeat.pymodels.nvdla.engines.registers import csb_register
from goldbeat.pymodels.nvdla.timed import predict
from goldbeat.pymodels.stimulus import Access, Stimulus

PARAMS = {"LINE_ATOMS": 1024}
SOURCE, TARGET = 0x1_0000, 0x10_0000
CONVERT, PIPELINE = 5, 20


def post(block, name, value):
    return Access("post", csb_register(block, name).address, value)


def look(name):
    return Access("read", csb_register("CDP", name).address)


def cdp(width, height, channel):
    """Every value as it is, whatever the tables hold: both are 0, and the output is shifted left by its scale."""
    group = Group()
    for name, value in (("WIDTH", width), ("HEIGHT", height), ("CHANNEL", channel)):
        group.put("CDP_RDMA", f"D_DATA_CUBE_{name}", value - 1)
    line = 8 * width
    for block, way, base in (("CDP_RDMA", "SRC", SOURCE), ("CDP", "DST", TARGET)):
        group.put(block, f"D_{way}_BASE_ADDR_LOW", base)
        group.put(block, f"D_{way}_LINE_STRIDE", line)
        group.put(block, f"D_{way}_SURFACE_STRIDE", line * height)
    return group


def programmed(group, number=0):
    steps = [post(block, "S_POINTER", number) for block in ("CDP_RDMA", "CDP")]
    steps += [Access("post", a, v) for a, v in sorted(group.values.items())]
    return [*steps, post("CDP_RDMA", "D_OP_ENABLE", 1), post("CDP", "D_OP_ENABLE", 1)]


def table(number, first, entries):
    return [
        post("CDP", "S_LUT_ACCESS_CFG", 1 << 17 | number << 16 | first),
        *(post("CDP", "S_LUT_ACCESS_DATA", int(e) & 0xFFFF) for e in entries),
    ]


def play(steps, timing=None):
    rng = np.random.default_rng(0)
    regions = (
        Region("in", SOURCE, rng.integers(0, 256, 0x4_0000, dtype=np.uint8)),
        Region("out", TARGET, np.zeros(0x4_0000, np.uint8)),
    )
    image = MemoryImage(regions, timing or MemoryTiming())
    return predict(PARAMS, Stimulus({}, program={"csb": tuple(steps)}, memories={"dbb": image}))


def rows(log, kind):
    return [tuple(int(v) for v in row)[2:] for row in log if row["kind"] == kind]


@pytest.mark.parametrize("latency", [1, 8, 32])
def test_one_atom_cycle_by_cycle(latency):
    steps = programmed(cdp(1, 1, 1))
    s = len(steps) + 2
    steps += [Access("wait_for", port="dla_intr"), Access("read", csb_register("GLB", "S_INTR_STATUS").address)]
    found = play(steps, MemoryTiming(read_latency=latency, write_latency=5))
    # Accepted s + 1, granted s + 2, address s + 3; eight steps; accepted, granted, address.
    read = s + 3 + latency
    write = read + CONVERT + 7 + PIPELINE + 1 + 1 + 1
    assert [tuple(int(v) for v in row) for row in found.memories["dbb"].log] == [
        (0, 4, SOURCE, 0, s + 3, read, read, read),
        (1, 4, TARGET, 0, write, write + 1, write + 1, write + 6),
    ]
    # Done at b + 1, status after it, interrupt after the next edge, seen one later.
    assert found.accesses["csb"][-2].cycle == write + 6 + 1 + 2
    assert found.accesses["csb"][-1].value == 1 << 2


def test_chunks_come_surface_by_surface_in_blocks_of_columns():
    steps = programmed(cdp(18, 2, 9))
    log = play([*steps, Access("wait", cycles=3000)]).memories["dbb"].log
    order = [(144 * y + 288 * s + 8 * x, min(16, 18 - x) - 1) for y in range(2) for x in (0, 16) for s in range(2)]
    for kind, base in ((0, SOURCE), (1, TARGET)):
        # Every place begins a chunk or is where one goes on behind a multiple of 128.
        found, wanted = [(row[0], row[1]) for row in rows(log, kind)], []
        for offset, length in order:
            at, left = base + offset, length + 1
            while left:
                now = min(left, 16 - at // 8 % 16)
                wanted.append((at, now - 1))
                at, left = at + 8 * now, left - now
        assert found == wanted


def test_an_element_per_cycle_and_a_chunk_when_its_neighbour_is_there():
    """One line of two blocks, three surfaces: reads of a fast memory are ahead, so steps follow each other."""
    steps = programmed(cdp(32, 1, 24))
    s = len(steps) + 2
    timing = MemoryTiming(read_latency=4, write_latency=1, max_reads=16, max_writes=16)
    log = play([*steps, Access("wait", cycles=2000)], timing).memories["dbb"].log
    last = [row[4] for row in rows(log, 0)]
    # Accepted s + 1, then as the cutter is free; its data come one beat per cycle.
    assert last[0] == s + 3 + 4 + 15
    first_step = last[1] + CONVERT
    writes = [row[2] for row in rows(log, 1)]
    # The last of 128 steps, then the pipeline; accepted, granted, address.
    assert writes == [first_step + 128 * n + 127 + PIPELINE + 3 for n in range(6)]


def test_the_slot_of_a_chunk_is_free_three_chunks_later():
    """Chunk 3 is asked for behind the last step of chunk 0, and so on."""
    steps = programmed(cdp(16, 1, 48))
    timing = MemoryTiming(read_latency=4, write_latency=1, max_reads=16, max_writes=16)
    log = play([*steps, Access("wait", cycles=2000)], timing).memories["dbb"].log
    reads = rows(log, 0)
    first_step = reads[1][4] + CONVERT
    addresses = [row[2] for row in reads]
    assert addresses[3:] == [first_step + 128 * n + 127 + 1 + 2 for n in range(3)]
    # The three in front are only held by the cutter: granted, free, accepted, granted, address.
    assert addresses[:3] == [addresses[0], addresses[0] + 2, addresses[0] + 4]


def test_a_last_chunk_waits_for_no_other():
    """Two blocks of one surface, the reads far apart."""
    steps = programmed(cdp(32, 1, 8))
    timing = MemoryTiming(read_latency=500, max_reads=1, write_latency=1)
    log = play([*steps, Access("wait", cycles=3000)], timing).memories["dbb"].log
    reads, writes = rows(log, 0), rows(log, 1)
    assert [w[2] for w in writes] == [r[4] + CONVERT + 127 + PIPELINE + 3 for r in reads]


@pytest.mark.parametrize("slow", [8, 9, 40])
def test_a_chunk_waits_for_its_write_slot(slow):
    """Writes whose data are held back: chunk n begins behind the last data of chunk n - 2."""
    steps = programmed(cdp(16, 1, 40))
    timing = MemoryTiming(read_latency=4, write_latency=1, write_bandwidth=(1, slow))
    log = play([*steps, Access("wait", cycles=8000)], timing).memories["dbb"].log
    writes = rows(log, 1)
    sent = [row[4] for row in writes]
    for n in range(2, 5):
        filled = sent[n - 2] + 1 + 127 + PIPELINE
        # Accepted when it is filled, and the write port is free.
        assert writes[n][2] == max(filled + 3, sent[n - 1] + 2)


def test_both_groups_one_behind_the_other():
    first, second = cdp(1, 1, 8), cdp(2, 1, 8)
    steps = [*programmed(first), *programmed(second, 1)]
    steps += [Access("wait", cycles=400), look("S_POINTER"), look("S_STATUS")]
    steps += [Access("read", csb_register("GLB", "S_INTR_STATUS").address)]
    found = play(steps)
    log = found.memories["dbb"].log
    done = int(log["done"][1]) + 1
    # Idle from d + 1 on: accepted, granted, address.
    assert int(log["cycle"][2]) == done + 1 + 3
    assert [a.value for a in found.accesses["csb"][-3:]] == [1, 0, 0b1100]


def test_table_access_registers():
    steps = [
        *(look("S_LUT_ACCESS_CFG"), look("S_LUT_ACCESS_DATA")),
        *table(0, 62, [-1, 0x12345, 7, 8]),
        look("S_LUT_ACCESS_CFG"),
        look("S_LUT_ACCESS_DATA"),
        look("S_LUT_ACCESS_CFG"),
        # A read with the right to write does not step.
        *(post("CDP", "S_LUT_ACCESS_CFG", 1 << 17 | 62), look("S_LUT_ACCESS_DATA"), look("S_LUT_ACCESS_CFG")),
        post("CDP", "S_LUT_ACCESS_CFG", 62),
        *(look("S_LUT_ACCESS_DATA") for _ in range(4)),
        look("S_LUT_ACCESS_CFG"),
        # Without the right to write.
        post("CDP", "S_LUT_ACCESS_DATA", 9),
        look("S_LUT_ACCESS_DATA"),
        # Beyond the last entry: the first one is seen, nothing is written, the address goes on.
        *table(0, 65, [5]),
        look("S_LUT_ACCESS_CFG"),
        post("CDP", "S_LUT_ACCESS_CFG", 0),
        look("S_LUT_ACCESS_DATA"),
        *table(1, 1023, [5]),
        look("S_LUT_ACCESS_CFG"),
        *table(1, 255, [1, 2, 3]),
        look("S_LUT_ACCESS_CFG"),
        *table(1, 257, []),
        look("S_LUT_ACCESS_DATA"),
        *table(1, 0, [6]),
        post("CDP", "S_LUT_ACCESS_CFG", 1 << 16 | 300),
        look("S_LUT_ACCESS_DATA"),
        look("S_LUT_ACCESS_CFG"),
    ]
    write, lo = 1 << 17, 1 << 16
    values = [a.value for a in play(steps).accesses["csb"] if a.value is not None]
    assert values == [
        *(0, 0, write | 64, 8, write | 64, 0xFFFF, write | 62),
        *(0xFFFF, 0x2345, 8, 8, 64, 8),
        *(write | 66, 0, write | lo, write | lo | 256, 0, 6, lo | 301),
    ]


def test_entries_are_not_shown_while_cdp_works():
    group = cdp(1, 1, 8)
    steps = [*table(0, 0, [3] * 65), post("CDP", "S_LUT_ACCESS_CFG", 0), *programmed(group)]
    begin = len(steps)
    steps += [look("S_LUT_ACCESS_DATA") for _ in range(60)]
    found = play(steps, MemoryTiming(read_latency=4, write_latency=5))
    done = int(found.memories["dbb"].log["done"][-1]) + 1
    # The enable is taken at edge `begin`: it starts at the second edge behind.
    s = begin + 2
    answers = found.accesses["csb"][begin:]
    for answer in answers:
        taken = answer.cycle - 2
        assert answer.value == (0 if s <= taken < done else 3), taken
    assert {a.value for a in answers} == {0, 3}
    assert answers[-1].value == 3


def test_a_table_is_used_by_the_operations_behind_it():
    """Every entry 128, output shifted by 7: each value is what it was."""
    group = cdp(5, 2, 11)
    group.put("CDP", "D_DATOUT_SHIFTER", 7)
    group.put("CDP", "D_FUNC_BYPASS", SQSUM_BYPASS=1)
    # Precisions, upper addresses and the like are ignored.
    for name in ("D_DATA_FORMAT", "D_CYA", "D_DST_BASE_ADDR_HIGH"):
        group.put("CDP", name, 0xFFFF_FFFF)
    steps = [*table(0, 0, [128] * 65), *table(1, 0, [128] * 257), *programmed(group), Access("wait", cycles=2000)]
    regions = play(steps).memories["dbb"].regions
    size = 5 * 2 * 8 * 2
    given = regions["in"][:size].reshape(2, 10, 8).copy()
    given[1, :, 3:] = 0
    assert np.array_equal(regions["out"][:size], given.reshape(-1))


def test_cdp_takes_its_turn_behind_pdp_and_before_sdp():
    """Reads of SDP (0), PDP (1) and CDP (4) that ask at once are granted in the order of the ids."""
    engines = {"SDP": sdp(64, 1, 8, 512, 512, BS_BYPASS=1), "CDP": cdp(64, 1, 8)}
    engines["PDP"] = pdp((64, 1), 8, 1, (1, 1), (1, 1), (0, 0), (64, 1), 512, 512)
    steps = []
    for name, group in engines.items():
        blocks = (f"{name}_RDMA", name)
        steps += [post(block, "S_POINTER", 0) for block in blocks]
        steps += [Access("post", a, v) for a, v in sorted(group.values.items())]
    steps += [post(f"{name}{part}", "D_OP_ENABLE", 1) for name in engines for part in ("_RDMA", "")]
    timing = MemoryTiming(read_latency=60, max_reads=1)
    log = play([*steps, Access("wait", cycles=4000)], timing).memories["dbb"].log
    ids = [int(row["id"]) for row in log if row["kind"] == 0]
    assert {0, 1, 4} == set(ids)
    # From the third on all three ask: each burst is followed by one of the next engine, as long as all have some left.
    after = {0: 1, 1: 4, 4: 0}
    middle = ids[2:8]
    assert all(after[a] == b for a, b in pairwise(middle)), ids
