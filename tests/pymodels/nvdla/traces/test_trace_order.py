# SPDX-License-Identifier: Apache-2.0
"""What the waits of a trace test order, and writes to the registers of an enabled group."""

import pytest
from nvdla_edges import without_each_edge
from nvdla_network import classifier

from goldbeat.pymodels.nvdla.driver.instant_hardware import IdealHardware
from goldbeat.pymodels.nvdla.engines.registers import all_registers, csb_register
from goldbeat.pymodels.nvdla.loadable.layouts import OP_COMPLETED
from goldbeat.pymodels.nvdla.loadable.placement import place_memories
from goldbeat.pymodels.nvdla.traces.export import export_trace
from goldbeat.pymodels.nvdla.traces.play import play_trace
from goldbeat.pymodels.nvdla.traces.reading import read_nvdla_trace

SDP_SETTINGS = {"SDP.D_DATA_CUBE_WIDTH": 3, "SDP_RDMA.D_DATA_CUBE_WIDTH": 3, "SDP_RDMA.D_FEATURE_MODE_CFG": 0}
PDP_SETTINGS = {
    "PDP.D_OPERATION_MODE_CFG": 0x11,
    **{f"PDP.D_DATA_CUBE_{side}_WIDTH": 3 for side in ("IN", "OUT")},
    "PDP_RDMA.D_DATA_CUBE_IN_WIDTH": 3,
}
MAIN_MEMORY = {
    "SDP": {"SDP_RDMA.D_SRC_DMA_CFG": 1, "SDP.D_DST_DMA_CFG": 1},
    "PDP": {"PDP_RDMA.D_SRC_RAM_CFG": 1, "PDP.D_DST_RAM_CFG": 1},
}


def write(register, value):
    return f"reg_write(NVDLA_{register}_0, 0x{value:x});\n"


def settings(values):
    return "".join(write(name, value) for name, value in values.items())


def addresses(engine, source, target):
    memory = settings(MAIN_MEMORY[engine]).replace("\n", " ")
    return memory + write(f"{engine}_RDMA.D_SRC_BASE_ADDR_LOW", source) + write(f"{engine}.D_DST_BASE_ADDR_LOW", target)


def enable(*blocks):
    return "".join(write(f"{block}.D_OP_ENABLE", 1) for block in blocks)


def wait(block, event="done"):
    return f"sync_wait(NVDLA_{block}, {event});\n"


def notify(block, event):
    return f"sync_notify(NVDLA_{block}, {event});\n"


def poll(register, value):
    return f"poll_reg_equal(NVDLA_{register}_0, 0x{value:x});\n"


A, B, C = 0x8000_0000, 0x8000_0800, 0x8000_0C00
START = "mem_init(pri_mem, 0x80000000, 0x1000, FIVEA);\n"
FIRST = START + settings(SDP_SETTINGS) + addresses("SDP", A, B) + enable("SDP_RDMA", "SDP")
DONE = "intr_notify(SDP_0, done)\n"
POOLED = "intr_notify(PDP_0, pooled)\ncheck_crc(pooled, pri_mem, 0x80000c00, 0x20, 0x190a55ad);\n"


def chained(fetch="", pool="", source=B, target=C, done=DONE):
    """PDP behind SDP; text in front of the enables of PDP_RDMA and PDP."""
    program = settings(PDP_SETTINGS) + addresses("PDP", source, target)
    return FIRST + done + program + fetch + enable("PDP_RDMA") + pool + enable("PDP") + POOLED


IDLE = notify("SDP", "idle") + wait("PDP", "idle")
SOUND = {
    "both wait": chained(wait("PDP_RDMA"), wait("PDP")),
    "PDP_RDMA waits": chained(wait("PDP_RDMA")),
    "PDP waits": chained("", wait("PDP")),
    "handed on": chained(wait("GLB") + notify("GLB", "go") + wait("PDP", "go")),
    "any interrupt": chained(wait("PDP"), done="intr_notify(done)\n" + wait("GLB") + write("GLB.S_INTR_STATUS", 1)),
    "status polled": chained(poll("SDP.S_STATUS", 0) + IDLE),
    "pointer polled": chained(poll("SDP.S_POINTER", 0x10000) + IDLE),
    "enable polled": chained(poll("SDP.D_OP_ENABLE", 0) + IDLE),
    "interrupt polled": chained(
        notify("SDP", "on")
        + wait("GLB", "on")
        + poll("GLB.S_INTR_STATUS", 1)
        + notify("GLB", "go")
        + wait("PDP", "go"),
        done="",
    ),
    "other bytes": chained(source=A),
    "groups of one engine": FIRST
    + write("SDP.S_POINTER", 1)
    + write("SDP_RDMA.S_POINTER", 1)
    + settings(SDP_SETTINGS)
    + addresses("SDP", B, C)
    + enable("SDP_RDMA", "SDP")
    + POOLED.replace("PDP_0", "SDP_1"),
}
WRITES_READS = (
    "SDP group 0 (line {sdp}) writes, PDP group 0 (line {pdp}) reads: 32 bytes (0x80000800..0x8000081f); missing: "
)
WAITS = WRITES_READS + "sync_wait(NVDLA_PDP, done) before line {pdp}"
ENDS = "SDP group 0 (line {sdp}) %s, PDP group 0 (line {pdp}) writes: 32 bytes (0x80000%s..0x80000%s)"
RACES = {
    "nobody waits": (chained(), WAITS),
    "another block waits": (chained(wait("CDP")), WAITS),
    "the wait is behind": (chained() + wait("PDP"), WAITS),
    "no interrupt": (
        chained(done=""),
        WRITES_READS + "intr_notify(SDP_0, EVENT) and sync_wait(NVDLA_PDP, EVENT) before line {pdp}",
    ),
    "notified before": (chained(notify("SDP", "early") + wait("PDP", "early")), WAITS),
    "own status polled": (chained(poll("PDP.S_STATUS", 0)), WAITS),
    "one of two events": (chained(wait("PDP")) + notify("CDP", "done"), WAITS),
    "polled without a wait": (chained(poll("SDP.S_STATUS", 0)), WAITS),
    "polled by a block that may come first": (
        chained(wait("GLB", "free") + poll("GLB.S_INTR_STATUS", 0) + notify("GLB", "go") + wait("PDP", "go")).replace(
            DONE, DONE + notify("SDP", "free")
        ),
        WAITS,
    ),
    "written while it is read": (chained(source=B + 64, target=A), ENDS % ("reads", "000", "01f")),
    "written twice": (chained(source=A, target=B), ENDS % ("writes", "800", "81f")),
}


def played(folder, text, name="test.cfg"):
    (folder / name).write_text(text)
    return play_trace(read_nvdla_trace(folder / name))


@pytest.mark.parametrize("name", SOUND)
def test_what_is_ordered_raises_no_alarm(name, tmp_path):
    found = played(tmp_path, SOUND[name])
    assert (found.stuck, found.unordered, found.notes) == ((), (), ())


@pytest.mark.parametrize("name", RACES)
def test_what_nothing_orders_is_named(name, tmp_path):
    text, wanted = RACES[name]
    found = played(tmp_path, text)
    assert len(found.unordered) == 1
    sdp, pdp = (
        max(n for n, row in enumerate(text.splitlines(), 1) if enable(b).strip() == row) for b in ("SDP", "PDP")
    )
    assert f"test.cfg: unordered: {wanted.format(sdp=sdp, pdp=pdp)}" in found.failures[0]


@pytest.mark.parametrize(
    ("target", "found"), [(A, ""), (A + 8, "0x80000008..0x8000001f"), (A - 8, "0x80000000..0x80000017")]
)
def test_an_operation_may_write_what_it_reads_only_in_place(target, found, tmp_path):
    text = START.replace("80000000", "7ffff000").replace("0x1000", "0x2000") + settings(SDP_SETTINGS)
    text += addresses("SDP", A, target) + enable("SDP_RDMA", "SDP") + DONE
    unordered = played(tmp_path, text).unordered
    assert bool(unordered) == bool(found)
    for one in unordered:
        what = "test.cfg: unordered: SDP group 0 (line 8) writes over what it still reads: bytes "
        assert one == f"{what}{found}; missing: another place for its result"


def test_a_check_of_bytes_that_another_operation_may_still_write(tmp_path):
    found = played(tmp_path, chained(wait("PDP")) + "check_crc(done, pri_mem, 0x80000800, 0x420, 0x0);\n")
    assert found.unordered == (
        "test.cfg: unordered: PDP group 0 (line 18) writes, the check in line 21 reads: 32 bytes "
        "(0x80000c00..0x80000c1f); missing: a check when pooled has happened",
    )


@pytest.mark.parametrize(
    ("last", "sound"), [("wait", True), ("until 0x100c 1", True), ("read_reg 0x9000 0x3 0x1", False)]
)
def test_transactions(last, sound, tmp_path):
    """One program: a wait, or a poll of the interrupt's status; S_POINTER is PRODUCER and CONSUMER."""
    (tmp_path / "in.dat").write_text("0x5a " * 0x1000)
    rows = ["load_mem 0x80000000 0x1000 in.dat"]
    here = {**SDP_SETTINGS, **MAIN_MEMORY["SDP"]}
    for name, value in {**here, "SDP_RDMA.D_SRC_BASE_ADDR_LOW": A, "SDP.D_DST_BASE_ADDR_LOW": B}.items():
        rows.append(f"write_reg 0x{csb_register(*name.split('.')).address:x} {value}")
    rows += [f"write_reg 0x{csb_register(b, 'D_OP_ENABLE').address:x} 1" for b in ("SDP", "SDP_RDMA")] + [last]
    here = {**PDP_SETTINGS, **MAIN_MEMORY["PDP"]}
    for name, value in {**here, "PDP_RDMA.D_SRC_BASE_ADDR_LOW": B, "PDP.D_DST_BASE_ADDR_LOW": C}.items():
        rows.append(f"write_reg 0x{csb_register(*name.split('.')).address:x} {value}")
    rows += [f"write_reg 0x{csb_register(b, 'D_OP_ENABLE').address:x} 1" for b in ("PDP", "PDP_RDMA")]
    found = played(tmp_path, "\n".join(rows), "input.txn")
    assert bool(found.unordered) is not sound


def test_every_edge_of_a_network_that_its_data_need(tmp_path):
    """Trace tests of a loadable without one of its dependencies: those that the loadable's own check finds."""
    for number, (_, _, event, loadable) in enumerate(without_each_edge(classifier())):
        folder = tmp_path / str(number)
        folder.mkdir()
        made = export_trace(place_memories(loadable))
        for name, text in made.data.items():
            (folder / name).write_text(text)
        assert bool(played(folder, made.configuration).unordered) is (event == OP_COMPLETED)


# -- registers of an enabled group


def test_a_write_to_an_enabled_group_is_ignored_and_said(tmp_path):
    late = write("PDP.D_DST_BASE_ADDR_LOW", A) + enable("PDP_RDMA")
    sound = SOUND["both wait"]
    found, wanted = played(tmp_path, sound + late), played(tmp_path, sound)
    assert found.failures == ()
    assert found.memory["memory_80000000"].tobytes() == wanted.memory["memory_80000000"].tobytes()
    assert found.notes == (
        "test.cfg:22: PDP.D_DST_BASE_ADDR_LOW is written while group 0 is enabled (line 19): the hardware ignores the write",
        "test.cfg:23: PDP_RDMA.D_OP_ENABLE is written while group 0 is enabled (line 17): the hardware ignores the write",
    )
    again = "sync_wait(NVDLA_PDP, pooled);\n" + write("PDP.D_DST_BASE_ADDR_LOW", A)
    assert played(tmp_path, sound + again).notes == ()


@pytest.mark.parametrize("group", [0, 1])
def test_registers_of_every_block_are_locked_from_enable_to_done(group):
    hardware = IdealHardware()
    blocks = sorted({one.block for one in all_registers() if one.name == "D_OP_ENABLE"})
    assert len(blocks) >= 11
    ours = [one for one in all_registers() if one.block in blocks and one.name.startswith("D_") and one.write_mask]
    for block in blocks:
        hardware.write(csb_register(block, "S_POINTER").address, group)
        assert hardware.write(csb_register(block, "D_OP_ENABLE").address, 1)
    for one in ours:
        assert not hardware.write(one.address, one.reset ^ one.write_mask)
        assert hardware.read(one.address) == (1 if one.name == "D_OP_ENABLE" else one.reset & one.read_mask)
    for block in blocks:
        hardware.write(csb_register(block, "S_POINTER").address, 1 - group)
    for one in (one for one in ours if one.name != "D_OP_ENABLE"):
        assert hardware.write(one.address, one.reset ^ one.write_mask)
