# SPDX-License-Identifier: Apache-2.0
"""Trace tests: every statement, every form of data, what is refused, and loadables as trace tests."""

from __future__ import annotations

import re
import zlib
from dataclasses import replace

import numpy as np
import pytest
from nvdla_chain import chain
from nvdla_models import after_sdp, both, cube, maximum, pooled
from nvdla_network import FACTORS

from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.nvdla.engines.cubes import pack_feature
from goldbeat.pymodels.nvdla.engines.registers import csb_register
from goldbeat.pymodels.nvdla.loadable.compose import Data, Processor, compose
from goldbeat.pymodels.nvdla.loadable.placement import place_memories
from goldbeat.pymodels.nvdla.traces.checks import trace_regions
from goldbeat.pymodels.nvdla.traces.export import export_trace
from goldbeat.pymodels.nvdla.traces.play import play_trace
from goldbeat.pymodels.nvdla.traces.reading import read_nvdla_trace
from goldbeat.pymodels.nvdla.traces.schedule import trace_steps
from goldbeat.pymodels.nvdla.traces.surfaces import pieces_text, read_pieces

DATA = np.random.default_rng(3).integers(-128, 128, (8, 4, 4)).astype(np.int8)


def written(folder, text, **data):
    for name, content in data.items():
        (folder / f"{name}.dat").write_text(content)
    file = folder / "test.cfg"
    file.write_text(text)
    return read_nvdla_trace(file)


def exported(folder, model, inputs=None):
    """The test of a model, on disk."""
    made = export_trace(place_memories(model), inputs)
    for name, text in made.data.items():
        (folder / name).write_text(text)
    (folder / "test.cfg").write_text(made.configuration)
    return folder / "test.cfg"


def pool_test(folder):
    """A pooling operation, as text."""
    model = compose([maximum(cube(0, 8, 4), cube(1, 8, 2))], [Data(contents=pack_feature(DATA)), Data(32)])
    return exported(folder, model).read_text()


def test_a_model_is_a_test_that_passes(tmp_path):
    given = np.random.default_rng(1).integers(-128, 128, (16, 6, 6)).astype(np.int8)
    file = exported(tmp_path, both(16, 6), {5: pack_feature(given)})
    played = play_trace(read_nvdla_trace(file))
    assert [one.failure for one in played.checks] == ["", ""]
    for wanted in (after_sdp(given), pooled(after_sdp(given))):
        data = pack_feature(wanted).tobytes()
        assert f"0x{zlib.crc32(data):08x});" in file.read_text()


def test_a_network_of_every_engine_is_a_test_that_passes(tmp_path):
    made = export_trace(place_memories(chain()))
    assert [task.id for task in made.left_out] == [1]
    played = play_trace(read_nvdla_trace(exported(tmp_path, chain())))
    assert len(played.checks) >= 5
    assert [one.failure for one in played.checks if one.failure] == []


_IN_ATOMS = {
    "CDMA": ("D_DAIN_ADDR_LOW_0", "D_WEIGHT_ADDR_LOW", "D_LINE_STRIDE", "D_SURF_STRIDE"),
    **dict.fromkeys(("CDP_RDMA", "PDP_RDMA"), ("D_SRC_BASE_ADDR_LOW", "D_SRC_LINE_STRIDE", "D_SRC_SURFACE_STRIDE")),
    **dict.fromkeys(("CDP", "PDP", "SDP"), ("D_DST_BASE_ADDR_LOW", "D_DST_LINE_STRIDE", "D_DST_SURFACE_STRIDE")),
    "SDP_RDMA": ("D_BS_BASE_ADDR_LOW",),
}


def test_addresses_and_strides_in_mid_atom_are_refused_by_name(tmp_path):
    trace = read_nvdla_trace(exported(tmp_path, chain()))
    refused = set()
    for number, one in enumerate(trace.statements):
        name = "" if one.register is None else one.register.name
        if one.register is None or name not in _IN_ATOMS.get(one.register.block, ()):
            continue
        others = [*trace.statements]
        others[number] = replace(one, value=one.value | 4)
        try:
            assert play_trace(replace(trace, statements=others)).failures == ()
        except UsageError as error:
            wrong = re.match(r"(\w+)\.(\w+) is 0x\w+, expected a multiple of 8: .* \(test\.cfg:\d+: ", str(error))
            refused.add(wrong and wrong.groups())
    assert refused == {(block, name) for block, names in _IN_ATOMS.items() for name in names}


@pytest.mark.parametrize(
    ("block", "register", "field", "bit"),
    [
        ("PDP_RDMA", "D_DATA_CUBE_IN_WIDTH", "CUBE_IN_WIDTH", 0),
        ("PDP_RDMA", "D_DATA_CUBE_IN_HEIGHT", "CUBE_IN_HEIGHT", 0),
        ("PDP_RDMA", "D_DATA_CUBE_IN_CHANNEL", "CUBE_IN_CHANNEL", 0),
        ("PDP_RDMA", "D_DATA_FORMAT", "INPUT_DATA", 0),
        ("PDP_RDMA", "D_SRC_LINE_STRIDE", "SRC_LINE_STRIDE", 10),
        ("PDP_RDMA", "D_SRC_SURFACE_STRIDE", "SRC_SURFACE_STRIDE", 10),
        ("PDP_RDMA", "D_OPERATION_MODE_CFG", "SPLIT_NUM", 0),
        ("PDP_RDMA", "D_POOLING_KERNEL_CFG", "KERNEL_WIDTH", 0),
        ("PDP_RDMA", "D_POOLING_KERNEL_CFG", "KERNEL_STRIDE_WIDTH", 4),
        ("PDP", "D_DATA_CUBE_OUT_WIDTH", "CUBE_OUT_WIDTH", 0),
        ("PDP", "D_DATA_CUBE_OUT_HEIGHT", "CUBE_OUT_HEIGHT", 0),
        ("PDP", "D_DATA_CUBE_OUT_CHANNEL", "CUBE_OUT_CHANNEL", 0),
        ("SDP_RDMA", "D_FEATURE_MODE_CFG", "WINOGRAD", 1),
        ("SDP_RDMA", "D_FEATURE_MODE_CFG", "OUT_PRECISION", 6),
        ("SDP_RDMA", "D_FEATURE_MODE_CFG", "BATCH_NUMBER", 8),
    ],
)
def test_a_reader_that_contradicts_its_core_is_refused_by_name(tmp_path, block, register, field, bit):
    trace = read_nvdla_trace(exported(tmp_path, both(16, 6)))
    refused = set()
    for number, one in enumerate(trace.statements):
        if one.register is None or (one.register.block, one.register.name) != (block, register):
            continue
        others = [*trace.statements]
        others[number] = replace(one, value=one.value ^ 1 << bit)
        try:
            play_trace(replace(trace, statements=others))
        except UsageError as error:
            refused.add(re.match(rf"{block}\.{register}\.{field} is \d+.*\(test\.cfg:\d+: ", str(error)) is not None)
    assert refused == {True}


@pytest.mark.parametrize(("pads", "text"), [(0x100, "leaves 1 over"), (0x010, "along the height leaves 1 over")])
def test_windows_of_pooling_leave_nothing_over(tmp_path, pads, text):
    trace = read_nvdla_trace(exported(tmp_path, chain()))
    padding = ("PDP", "D_POOLING_PADDING_CFG")
    others = [
        replace(one, value=pads) if one.register and (one.register.block, one.register.name) == padding else one
        for one in trace.statements
    ]
    with pytest.raises(UsageError, match=text):
        play_trace(replace(trace, statements=others))


def test_a_wrong_checksum_is_said(tmp_path):
    text = pool_test(tmp_path)
    crc = re.search(r"0x([0-9a-f]{8})\);\n$", text)[1]
    played = play_trace(written(tmp_path, text.replace(f"0x{crc}", "0x12345678")))
    assert f"expected the checksum 0x12345678, got 0x{crc}" in played.checks[0].failure
    assert re.match(r"test\.cfg:\d+: memory from 0x\w+ on, 32 bytes: ", played.checks[0].failure)


def test_a_file_is_compared_byte_by_byte(tmp_path):
    wanted = bytearray(pack_feature(pooled(DATA)).tobytes())
    text = re.sub(
        r"check_crc\((\w+), (\w+), (\w+), (\w+), \w+\)", r'check_file(\1, \2, \3, \4, "out.dat")', pool_test(tmp_path)
    )
    played = play_trace(written(tmp_path, text, out=pieces_text(wanted)))
    assert [one.failure for one in played.checks] == [""]
    wanted[5] ^= 1
    wanted[9] ^= 1
    played = play_trace(written(tmp_path, text, out=pieces_text(wanted)))
    assert "2 bytes differ from the file, the first one at 0x80005005" in played.checks[0].failure


def test_memory_is_what_the_statements_say(tmp_path):
    trace = written(
        tmp_path,
        """mem_init(pri_mem, 0x80000040, 0x80, ONES); // the whole
        mem_init(pri_mem, 0x80000050, 16, ADDR); mem_init(pri_mem, 0x80000060, 8, AFIVE);
        mem_init(pri_mem, 0x80000068, 8, FIVEA); mem_init(pri_mem, 0x80000070, "d.dat", ALL_ZERO);
        mem_load(pri_mem, 0x80001000, "d.dat"); mem_init(pri_mem, 0x80002000, 64, RANDOM);""",
        d="{ {offset:0x2, size:3, payload:0x01 0x02 0x03} ,\n {offset:6, size:1, payload:ff} , }",
    )
    first, second, third, checks = trace_regions(trace)
    assert (first.base, second.base, third.base) == (0x8000_0040, 0x8000_1000, 0x8000_2000)
    expected = bytearray(b"\xff" * 0x80)
    expected[0x10:0x40] = bytes(range(0x50, 0x60)) + b"\xa5" * 8 + b"\x5a" * 8 + b"\0" * 7 + b"\xff" * 9
    assert first.data.tobytes() == bytes(expected)
    assert second.data[:8].tolist() == [0, 0, 1, 2, 3, 0, 255, 0]
    assert len(np.unique(third.data)) > 20
    assert checks.base == 1 << 32


ORDER = """
reg_write(NVDLA_SDP.D_CVT_SCALE_0, 1);
sync_wait(NVDLA_SDP, go);
reg_write(NVDLA_SDP.D_CVT_SCALE_0, 2);
reg_write(NVDLA_PDP.D_CYA_0, 3);
sync_wait(NVDLA_PDP, done);
reg_write(NVDLA_PDP.D_CYA_0, 4);
sync_notify(NVDLA_CDP, go);
poll_reg_equal(NVDLA_CDMA.S_CBUF_FLUSH_STATUS_0, 1);
reg_read_check(NVDLA_SDP.S_STATUS_0, 0);
reg_read(NVDLA_SDP.S_STATUS_0, variable);
intr_notify(SDP_1, done);
intr_notify(CDMA_DAT_0, data);
check_nothing(done);
"""


def test_blocks_run_side_by_side_and_wait_for_events(tmp_path):
    """A block goes on when its event has happened; of those that may, the one first in the file."""
    steps = trace_steps(written(tmp_path, ORDER), "irq", "mem")
    sdp, pdp = (csb_register(*pair).address for pair in (("SDP", "D_CVT_SCALE"), ("PDP", "D_CYA")))
    status = csb_register("GLB", "S_INTR_STATUS").address
    seen, step, found = [], next(steps), iter([1 << 16, 0, 1 << 1])
    while True:
        seen.append((step.op, step.port or step.address, step.value))
        answer = next(found) if step.op == "read" and step.address == status else 0
        try:
            step = steps.send(answer)
        except StopIteration:
            break
    flush, state = (csb_register(*p).address for p in (("CDMA", "S_CBUF_FLUSH_STATUS"), ("SDP", "S_STATUS")))
    looked = [("wait_for", "irq", None), ("read", status, None)]
    assert seen == [
        *(("post", sdp, 1), ("post", pdp, 3), ("post", sdp, 2), ("poll", flush, 1)),
        *(("read", state, 0), ("read", state, None)),
        *(*looked, ("post", status, 1 << 16), *looked, ("post", status, 0), *looked, ("post", status, 2)),
        ("post", pdp, 4),
    ]


def test_an_event_that_nobody_notifies_is_named(tmp_path):
    trace = written(tmp_path, "sync_wait(NVDLA_SDP, never);\nreg_write(NVDLA_SDP.D_CVT_SCALE_0, 1);\n")
    with pytest.raises(InputError, match=r"test\.cfg:1: found never is never notified, expected an event"):
        play_trace(trace)


@pytest.mark.parametrize(
    ("old", "new", "line", "found"),
    [
        (
            "sync_wait(NVDLA_GLB, event_0);",
            "sync_wait(NVDLA_GLB, evnt_0);",
            None,
            "evnt_0 is never .*, such as event_0",
        ),
        (
            "",
            "reg_read_check(NVDLA_SDP.D_CVT_SCALE_0, 0x7);\n",
            1,
            "SDP.D_CVT_SCALE is 0x00000000, expected 0x00000007",
        ),
        (
            "",
            "poll_reg_equal(NVDLA_SDP.D_CVT_SCALE_0, 0x7);\n",
            1,
            "SDP.D_CVT_SCALE is 0x00000000, expected 0x00000007",
        ),
        (
            r"(PDP_RDMA.D_SRC_BASE_ADDR_LOW_0), 0x\w+",
            r"\1, 0x90000000",
            None,
            "DMA address 0x90000000 of the operation of PDP that is enabled here",
        ),
    ],
    ids=["event", "read", "poll", "address"],
)
def test_what_fails_is_named_with_its_line(old, new, line, found, tmp_path):
    text = pool_test(tmp_path)
    changed = re.sub(old, new, text, count=1) if "\\" in old else text.replace(old, new, 1)
    assert changed != text
    wanted = rf"test\.cfg:{line or ''}\d*: found {found}"
    if line == 1:
        # A register without its value is a failure of the test, as a wrong checksum is.
        (failure,) = play_trace(written(tmp_path, changed)).failures
        assert re.search(wanted, failure)
        return
    with pytest.raises(InputError, match=wanted):
        play_trace(written(tmp_path, changed))


def test_an_interrupt_of_any_engine(tmp_path):
    text = pool_test(tmp_path)
    names = re.findall(r"intr_notify\((\w+), (\w+)\);", text)
    assert [name for name, _ in names] == ["PDP_0"]
    played = play_trace(written(tmp_path, text.replace("intr_notify(PDP_0, ", "intr_notify(")))
    assert [one.failure for one in played.checks] == [""]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("reg_write(NVDLA_BDMA.CFG_CMD_0, 1);", r":1: found NVDLA_BDMA\.CFG_CMD_0, expected a register of nv_small"),
        ("\nreg_write(SDP, 1);", r":2: found SDP, expected a register"),
        ("reg_write(NVDLA_SDP.S_POINTER_0);", r":1: found reg_write with 1 argument\(s\), expected 2 of them"),
        ("reg_write(NVDLA_SDP.S_POINTER_0, x);", r":1: found 'x', expected a number"),
        ("\nreg_write(NVDLA_SDP.D_DATA_CUBE_WIDTH_0, -1);", r":2: found '-1', expected a number of 32 bits, 0 to 0xff"),
        ("reg_write(NVDLA_SDP.D_DATA_CUBE_WIDTH_0, 0x100000000);", r":1: found '0x100000000', expected a number of 32"),
        ("reg_read_check(NVDLA_SDP.S_POINTER_0, -1);", r":1: found '-1', expected a number of 32 bits"),
        ("poll_reg_equal(NVDLA_SDP.S_STATUS_0, -1);", r":1: found '-1', expected a number of 32 bits"),
        ("check_crc(a, pri_mem, 0x80000000, 4, -1);", r":1: found '-1', expected a number of 32 bits"),
        ("reg_wirte(NVDLA_SDP.S_POINTER_0, 1);", r":1: found reg_wirte, expected one of mem_init"),
        ("what is this", r":1: found 'what is this', expected a statement"),
        ("mem_init(sec_mem, 0x50000000, 4, ALL_ZERO);", r":1: found memory sec_mem, expected pri_mem"),
        ("mem_init(pri_mem, 0x50000000, 4, ALL_ODD);", r":1: found pattern ALL_ODD, expected one of ALL_ZERO"),
        ("mem_init(pri_mem, 0xfffffffc, 8, ALL_ZERO);", r":1: found 8 bytes at 0xfffffffc, expected at most"),
        ('mem_load(pri_mem, 0x80000000, "no.dat");', r"no\.dat: no such file, expected the data"),
        ("check_crc(a, pri_mem, 0x80000000, 0, 0);", r":1: found a check of 0 bytes, expected at least one"),
        ('check_file(a, pri_mem, 0x80000000, 0, "d");', r":1: found a check of 0 bytes, expected at least one"),
        ("intr_notify(RUBIK_0, a);", r":1: found interrupt RUBIK_0, expected one of SDP_0"),
    ],
)
def test_what_makes_no_sense_is_named(text, message, tmp_path):
    with pytest.raises(InputError, match=message):
        play_trace(written(tmp_path, text))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"d\.dat:1: missing \{offset"),
        ("{\n{offset:0x0, size:2, payload:0x01} ,\n}", r"d\.dat:2: found 1 bytes, expected the 2 bytes"),
        (
            "{\n{offset:0x0, size:1, payload:0x01} ,\n{ofset:0x1, size:1, payload:0x02} ,\n}",
            r"d\.dat:3: found 'ofset:0x1, size:1, payload:0x02.*expected \{offset:0x0",
        ),
        ("{\n{offset:0x0, size:1, payload:zz} ,\n}", r"d\.dat:2: found 'zz', expected bytes such as 0x3f"),
        (
            "version https://git-lfs.github.com/spec/v1\n",
            r"d\.dat:1: found a Git LFS pointer, expected .* git lfs pull",
        ),
    ],
)
def test_data_of_another_form_are_refused(text, message, tmp_path):
    (tmp_path / "d.dat").write_text(text)
    with pytest.raises(InputError, match=message):
        read_pieces(tmp_path / "d.dat")


def test_pieces_come_back(tmp_path):
    data = bytes(range(77))
    (tmp_path / "d.dat").write_text(pieces_text(data))
    assert b"".join(part for _, part in read_pieces(tmp_path / "d.dat")) == data


def test_transactions(tmp_path):
    """The same pooling operation as transactions: words, waits, loads and a dump."""
    writes = re.findall(r"reg_write\(NVDLA_(\w+)\.(\w+)_0, (\w+)\);", pool_test(tmp_path))
    rows = ["# load_mem(addr, offset, file)", "load_mem 0x80004000 0x80 in.dat # the input"]
    for block, name, value in writes:
        rows.append(
            f"write_reg 0x{0xFFFF0000 | csb_register(block, name).address >> 2:x} {value} #NVDLA_{block}.{name}_0"
        )
    status = 0xFFFF0000 | csb_register("GLB", "S_INTR_STATUS").address >> 2
    rows += ["wait", f"read_reg 0x{status:x} 0xffffffff 0x00000010", f"write_reg 0x{status:x} 0x10"]
    rows += [f"read_reg 0x{status:x} 0xffffffff 0", "dump_mem 0x80005000 0x20 out.dat"]
    folder = tmp_path / "pool"
    folder.mkdir()
    (folder / "in.dat").write_text("W=0x4\n" + " ".join(f"0x{b:02x}" for b in pack_feature(DATA).tobytes()))
    (folder / "out.dat").write_text(" ".join(f"0x{b:02x}" for b in pack_feature(pooled(DATA)).tobytes()))
    (folder / "input.txn").write_text("\n".join(rows))
    trace = read_nvdla_trace(folder / "input.txn")
    assert trace.name == "pool"
    assert [one.failure for one in play_trace(trace).checks] == [""]
    (folder / "input.txn").write_text("\n".join(rows).replace("0x00000010", "0x00000011"))
    (failure,) = play_trace(read_nvdla_trace(folder / "input.txn")).failures
    assert "input.txn:" in failure
    assert "GLB.S_INTR_STATUS is 0x00000010, expected 0x00000011" in failure


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("write_reg 0xffff0001", r":2: found 'write_reg 0xffff0001', expected one of write_reg"),
        (
            "write_reg 0xffffffff 1",
            r":2: found 0xffffffff, expected the word address \(0xffff\.\.\.\.\) or byte address of a register",
        ),
        ("write_reg here 1", r":2: found 'here', expected a number"),
        ("write_reg 0x9000 -1", r":2: found '-1', expected a number of 32 bits, 0 to 0xffffffff"),
        ("until 0x100c 0x100000000", r":2: found '0x100000000', expected a number of 32 bits"),
        ("load_mem 0 4 no.dat", r"no\.dat: no such file"),
        ("dump_mem 0 4 two.dat", r":2: found 2 bytes in two\.dat for a dump of 4, expected every byte"),
        ("dump_mem 0 4 none.dat", r":2: found 0 bytes in none\.dat for a dump of 4, expected every byte"),
        ("dump_mem 0 0 two.dat", r":2: found 0 bytes in two\.dat for a dump of 0, expected every byte"),
    ],
)
def test_transactions_of_another_form_are_refused(row, message, tmp_path):
    (tmp_path / "two.dat").write_text("0x01 0x02")
    (tmp_path / "none.dat").write_text("W=0x4")
    (tmp_path / "input.txn").write_text(f"# a comment\n{row}\n")
    with pytest.raises(InputError, match=message):
        read_nvdla_trace(tmp_path / "input.txn")


def test_the_processor_between_two_tasks_is_refused():
    sides = {"width": 1, "height": 1, "channel": 10, "size": 16, "line_stride": 8, "surf_stride": 8}
    buffer = {"address": 1, **sides, "format": 1}
    softmax = Processor("softmax", buffer, {**buffer, "address": 2}, FACTORS)
    first, last = (maximum(cube(a, 10, 1), cube(b, 10, 1)) for a, b in ((0, 1), (2, 3)))
    model = compose([first], [Data(16)] * 4, then=[[softmax], [last]])
    with pytest.raises(UsageError, match="task 1 of the processor comes before one of the hardware"):
        export_trace(place_memories(model))
