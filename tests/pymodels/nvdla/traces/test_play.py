# SPDX-License-Identifier: Apache-2.0
"""A trace test passes only if it compares something, and all that it enables is done."""

import re

import pytest
from nvdla_network import classifier

from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.nvdla.driver.instant_hardware import IdealHardware
from goldbeat.pymodels.nvdla.engines.clients import check_memories
from goldbeat.pymodels.nvdla.engines.configuration import NV_FULL, NV_SMALL
from goldbeat.pymodels.nvdla.engines.hardware import check_operation
from goldbeat.pymodels.nvdla.engines.registers import Values, csb_register
from goldbeat.pymodels.nvdla.loadable.placement import place_memories
from goldbeat.pymodels.nvdla.traces.export import export_trace
from goldbeat.pymodels.nvdla.traces.play import play_trace
from goldbeat.pymodels.nvdla.traces.reading import read_nvdla_trace
from goldbeat.pymodels.nvdla.traces.surfaces import read_pieces

SDP = """\
mem_init(pri_mem, 0x80000000, 0x1000, FIVEA);
reg_write(NVDLA_SDP.D_DATA_CUBE_WIDTH_0, 0x3);
reg_write(NVDLA_SDP_RDMA.D_DATA_CUBE_WIDTH_0, 0x3);
reg_write(NVDLA_SDP_RDMA.D_SRC_BASE_ADDR_LOW_0, 0x80000000); reg_write(NVDLA_SDP_RDMA.D_SRC_DMA_CFG_0, 0x1);
reg_write(NVDLA_SDP.D_DST_BASE_ADDR_LOW_0, 0x80000800); reg_write(NVDLA_SDP.D_DST_DMA_CFG_0, 0x1);
reg_write(NVDLA_SDP_RDMA.D_FEATURE_MODE_CFG_0, 0x0);
"""
ENABLE = {block: f"reg_write(NVDLA_{block}.D_OP_ENABLE_0, 0x1);\n" for block in ("SDP", "SDP_RDMA", "PDP", "PDP_RDMA")}
BOTH = SDP + ENABLE["SDP"] + ENABLE["SDP_RDMA"]
FLYING = "reg_write(NVDLA_SDP.D_FEATURE_MODE_CFG_0, 0x1);\n"
DONE = "intr_notify(SDP_0, done)\n"
# Bypassed stages, scale 1 as reset: all 0, since the converter's scale is 0 after reset.
RESULT = "check_crc(done, pri_mem, 0x80000800, 0x20, 0x190a55ad);\n"


def played(tmp_path, text, name="test.cfg"):
    (tmp_path / name).write_text(text)
    return play_trace(read_nvdla_trace(tmp_path / name))


def test_what_a_test_leaves_in_flight_is_computed(tmp_path):
    found = played(tmp_path, BOTH)
    assert bytes(found.memory["memory_80000000"][0x800:0x820]) == bytes(32)
    assert found.interrupt
    assert found.failures == ()
    assert found.partial == ("test compares nothing that it has written or that an operation writes",)


def test_a_check_of_what_an_operation_writes_counts(tmp_path):
    found = played(tmp_path, BOTH + DONE + RESULT)
    assert (found.failures, found.partial) == ((), ())
    assert "expected the checksum" in played(tmp_path, BOTH + DONE + RESULT.replace("ad);", "ae);")).failures[0]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "reg_read_check(NVDLA_SDP.S_POINTER_0, 0x0);\n",
        "poll_reg_equal(NVDLA_SDP.S_STATUS_0, 0x0);\n",
        SDP + "sync_notify(NVDLA_SDP, done);\n" + RESULT.replace("190a55ad", "9139d123"),
        BOTH + DONE + "check_nothing(done);\n",
        BOTH + DONE + RESULT.replace("0x80000800", "0x80000000").replace("190a55ad", "9139d123"),
    ],
    ids=["empty", "constant", "true at once", "no operation", "check_nothing", "other memory"],
)
def test_a_test_that_compares_nothing_is_no_pass(text, tmp_path):
    found = played(tmp_path, text)
    assert found.failures == ()
    assert found.partial == ("test compares nothing that it has written or that an operation writes",)


def test_a_check_of_memory_that_is_written_later_says_so(tmp_path):
    early = RESULT.replace("done", "early").replace("190a55ad", "9139d123")
    found = played(tmp_path, BOTH + "sync_notify(NVDLA_SDP, early);\n" + early)
    line = (BOTH + "\n").count("\n") + 1
    assert found.failures == ()
    (why,) = found.partial
    assert why == (
        f"test.cfg:{line}: the check comes before the operation that writes its memory is done; missing: a wait before it"
    )
    # Beside a good check it proves as little.
    both = played(tmp_path, BOTH + "sync_notify(NVDLA_SDP, early);\n" + early + DONE + RESULT)
    assert (both.failures, both.partial, both.counted, len(both.checks)) == ((), (), 1, 2)
    assert both.notes == (
        f"test.cfg:{line}: the check compares nothing that an operation has written by then, and does not count",
    )


def test_registers_that_the_test_has_written_count(tmp_path):
    text = "reg_write(NVDLA_SDP.D_DATA_CUBE_WIDTH_0, 0x3);\nreg_read_check(NVDLA_SDP.D_DATA_CUBE_WIDTH_0, 0x3);\n"
    assert played(tmp_path, text).partial == ()
    width = csb_register("SDP", "D_DATA_CUBE_WIDTH").address
    for mask, partial in ((0xFFFF, False), (0, True)):
        found = played(tmp_path, f"write_reg 0x{width:x} 3\nread_reg 0x{width:x} 0x{mask:x} 3\n", "input.txn")
        assert bool(found.partial) is partial


@pytest.mark.parametrize(
    ("text", "lacks"),
    [
        (SDP + ENABLE["SDP"], "SDP group 0 is enabled and never done: SDP_RDMA group 0 is not enabled"),
        (SDP + ENABLE["SDP_RDMA"], "SDP_RDMA group 0 is enabled and never done: SDP group 0 is not enabled"),
        (SDP + FLYING + ENABLE["SDP"], "SDP group 0 is enabled and never done: nothing feeds it on the fly"),
        (ENABLE["PDP_RDMA"], "PDP_RDMA group 0 is enabled and never done: PDP group 0 is not enabled"),
        (
            SDP + "reg_write(NVDLA_SDP.S_POINTER_0, 0x1);\n" + BOTH,
            "SDP group 1 and SDP_RDMA group 0 are enabled and never done: SDP group 0 is not enabled",
        ),
        (DONE + "check_nothing(done);\n", "the test waits for an interrupt, but enables no operation"),
    ],
    ids=["no RDMA", "RDMA alone", "no producer", "PDP_RDMA alone", "other group", "nothing"],
)
@pytest.mark.parametrize("awaited", [False, True])
def test_what_is_enabled_and_never_done_fails(text, lacks, awaited, tmp_path):
    found = played(tmp_path, text + (DONE + "check_nothing(done);\n" if awaited else ""))
    assert lacks in found.failures[0]
    assert "test.cfg: " in found.failures[0]


@pytest.mark.parametrize("source", ["SDP_1", "CDP_0"])
def test_an_interrupt_that_no_operation_gives_is_named(source, tmp_path):
    found = played(tmp_path, BOTH + DONE.replace("SDP_0", source) + RESULT)
    assert found.failures == (
        f"test.cfg: no enabled operation gives an interrupt that the test waits for: {source} (line 9)",
    )


def test_an_operation_that_the_models_lack_is_named_and_no_pass(tmp_path):
    text = BOTH.replace("0x0);\n", "0x0);\nreg_write(NVDLA_SDP.D_DATA_FORMAT_0, 0xa);\n", 1)
    found = played(tmp_path, text + "reg_read_check(NVDLA_SDP.D_DATA_FORMAT_0, 0xa);\n")
    assert found.failures == ()
    assert re.match("test enables an operation that was not computed: SDP", found.partial[0])


def test_many_pieces_and_the_line_of_a_wrong_one(tmp_path):
    """Each piece is read once: twenty thousand of them in an instant."""
    file, count = tmp_path / "d.dat", 20_000
    pieces = [f"{{offset:0x{4 * i:x}, size:4, payload:0x24 0x35 0x15 0x12}} ," for i in range(count)]
    file.write_text("\n".join(["{", *pieces, "}"]))
    found = read_pieces(file)
    assert (len(found), found[-1]) == (count, (4 * count - 4, b"\x24\x35\x15\x12"))
    for wrong, message in (
        ("{offset:0x0, size:4, payload:0x24}", "1 bytes, expected the 4 bytes"),
        ("nonsense", "'nonsense', expected"),
        ("{offset:0x0, size:4, payload:0x24 0x35", "expected {offset:0x0, size:1, payload:0x00}"),
        ("{offset:0x0, size:1, payload:0xzz}", "'0xzz', expected bytes"),
    ):
        file.write_text("\n".join(["{", *pieces[:-2], wrong, pieces[-1], "}"]))
        with pytest.raises(InputError) as error:
            read_pieces(file)
        assert message in str(error.value)
        assert error.value.line == count


def test_until_and_byte_addresses(tmp_path):
    """The same operation with word addresses, byte addresses, and a poll instead of a wait."""
    writes = re.findall(r"reg_write\(NVDLA_(\w+)\.(\w+)_0, (\w+)\);", BOTH)
    (tmp_path / "in.dat").write_text("0x5a " * 0x1000)
    (tmp_path / "out.dat").write_text("0x00 " * 32)
    status = csb_register("GLB", "S_INTR_STATUS").address
    for address in (lambda byte: byte, lambda byte: 0xFFFF0000 | byte >> 2):
        rows = ["load_mem 0x80000000 0x1000 in.dat"]
        rows += [f"write_reg 0x{address(csb_register(b, n).address):x} {v}" for b, n, v in writes]
        ends = [f"until 0x{address(status):x} 0x00000001", f"until 0x{address(status):x} 0x1 0xffffffff"]
        for end in ends:
            text = "\n".join([*rows, end, "dump_mem 0x80000800 0x20 out.dat"])
            found = played(tmp_path, text, "input.txn")
            assert (found.failures, found.partial) == ((), ())
        found = played(tmp_path, "\n".join([*rows, f"until 0x{address(status):x} 2"]), "input.txn")
        assert "S_INTR_STATUS is 0x00000001, expected 0x00000002" in found.failures[0]
        # Nothing is loaded where the results go, and nothing compares them: transactions write there all the same.
        text = "\n".join([rows[0].replace("0x1000", "0x20"), *rows[1:], ends[0]])
        assert played(tmp_path, text, "input.txn").written == ((0x80000800, 0x80000820),)
        with pytest.raises(InputError, match="DMA address 0x80001000 of the operation of SDP"):
            played(tmp_path, text.replace("0x80000000\n", "0x80001000\n"), "input.txn")
    (tmp_path / "in.dat").write_text("{offset:0, payload:0x5a}")
    with pytest.raises(InputError, match=r"found 0 bytes in in\.dat to load at 0x80000000"):
        played(tmp_path, rows[0], "input.txn")
    for wrong in ("0x9009", "0x10009004", "0xfffe2401"):
        with pytest.raises(InputError, match="or byte address"):
            played(tmp_path, f"write_reg {wrong} 1", "input.txn")


CLIENTS = {
    "SDP": ("SDP_RDMA.D_SRC_DMA_CFG.SRC_RAM_TYPE", "SDP.D_DST_DMA_CFG.DST_RAM_TYPE"),
    "PDP": ("PDP_RDMA.D_SRC_RAM_CFG.SRC_RAM_TYPE", "PDP.D_DST_RAM_CFG.DST_RAM_TYPE"),
    "CDP": ("CDP_RDMA.D_SRC_DMA_CFG.SRC_RAM_TYPE", "CDP.D_DST_DMA_CFG.DST_RAM_TYPE"),
    "CONV": ("CDMA.D_DAIN_RAM_TYPE.DATAIN_RAM_TYPE", "CDMA.D_WEIGHT_RAM_TYPE.WEIGHT_RAM_TYPE"),
}
FROM_MEMORY = (
    ("SDP.D_DATA_FORMAT", 0),
    ("SDP_RDMA.D_FEATURE_MODE_CFG", 0),
    *((f"SDP.D_DP_{stage}_CFG", 0x10) for stage in ("BS", "BN")),
    *((f"SDP.D_DP_{stage}_ALU_CFG", 1) for stage in ("BS", "BN")),
    *((f"SDP_RDMA.D_{reader}_CFG", 0x22) for reader in ("BRDMA", "NRDMA")),
)
"""Both stages add and multiply; what they add comes from the first memory."""


def values_of(writes, configuration=NV_SMALL, **other):
    registers = dict(writes) | other
    named = ((csb_register(*name.split(".")), value) for name, value in registers.items())
    return Values({one.address: value for one, value in named}, ([0] * 65, [0] * 257), configuration)


@pytest.mark.parametrize(("engine", "client"), [(engine, one) for engine, all_ in CLIENTS.items() for one in all_])
def test_the_second_memory_of_nv_small_is_refused_by_name(engine, client):
    first = {"PDP.D_OPERATION_MODE_CFG": 0x10, "SDP_RDMA.D_FEATURE_MODE_CFG": 0}
    first |= {one.rpartition(".")[0]: 1 for one in CLIENTS[engine]}
    check_memories(engine, values_of(first.items()))
    first[client.rpartition(".")[0]] = 0
    with pytest.raises(UsageError, match=rf"{re.escape(client)} is 0, expected 1: nv_small has no second memory"):
        check_memories(engine, values_of(first.items()))
    check_memories(engine, values_of(first.items(), NV_FULL))


def test_only_clients_that_move_data_need_the_first_memory():
    moved = {"SDP_RDMA.D_SRC_DMA_CFG": 1, "SDP.D_DST_DMA_CFG": 1}
    check_memories("SDP", values_of(FROM_MEMORY, **moved))
    for reader in ("BRDMA", "NRDMA"):
        there = {**moved, f"SDP_RDMA.D_{reader}_CFG": 0x02}
        with pytest.raises(UsageError, match=rf"SDP_RDMA\.D_{reader}_CFG\.{reader}_RAM_TYPE is 0"):
            check_memories("SDP", values_of(FROM_MEMORY, **there))
    # On the fly from CACC and to PDP, no operand: nothing moves.
    check_memories("SDP", values_of([("SDP.D_FEATURE_MODE_CFG", 3)]))
    check_memories("PDP", values_of([("PDP.D_DST_RAM_CFG", 1)]))


@pytest.mark.parametrize("reader", ["BRDMA", "NRDMA", "ERDMA"])
def test_a_reader_whose_operands_nobody_takes_is_refused(reader, tmp_path):
    on = f"reg_write(NVDLA_SDP_RDMA.D_{reader}_CFG_0, 0x30);\n"
    with pytest.raises(
        UsageError, match=rf"SDP_RDMA\.D_{reader}_CFG\.{reader}_DISABLE is 0, expected 1: SDP\...* waits"
    ):
        played(tmp_path, SDP + on + ENABLE["SDP"] + ENABLE["SDP_RDMA"] + DONE + RESULT)


def test_a_reader_that_is_off_is_refused():
    check_operation("SDP", values_of(FROM_MEMORY, **{"SDP_RDMA.D_SRC_DMA_CFG": 1, "SDP.D_DST_DMA_CFG": 1}))
    for stage, reader in (("BS", "BRDMA"), ("BN", "NRDMA")):
        with pytest.raises(UsageError, match=rf"SDP\.{stage} wants operands from memory, but {reader} is disabled"):
            check_operation("SDP", values_of(FROM_MEMORY, **{f"SDP_RDMA.D_{reader}_CFG": 0x23}))


def test_fields_of_pdp_rdma_without_effect_are_noted(tmp_path):
    """The vendor's tests and driver leave them free, so the verdict stays; a field that nothing writes is not noted."""
    names = ("PDP.D_DATA_CUBE_IN_WIDTH", "PDP.D_DATA_CUBE_OUT_WIDTH", "PDP_RDMA.D_DATA_CUBE_IN_WIDTH")
    values = {"PDP.D_OPERATION_MODE_CFG": 0x11, "PDP_RDMA.D_SRC_RAM_CFG": 1, "PDP.D_DST_RAM_CFG": 1} | dict.fromkeys(
        names, 3
    )
    values |= {"PDP_RDMA.D_SRC_BASE_ADDR_LOW": 0x8000_0000, "PDP.D_DST_BASE_ADDR_LOW": 0x8000_0800}
    text = SDP.partition("\n")[0] + "".join(f"\nreg_write(NVDLA_{name}_0, {value});" for name, value in values.items())
    ends = (
        "\n" + ENABLE["PDP_RDMA"] + ENABLE["PDP"] + DONE.replace("SDP", "PDP") + RESULT.replace("190a55ad", "c2a7aa0d")
    )
    sound = played(tmp_path, text + ends)
    assert sound.notes == ()
    for name, value, told in (
        ("D_FLYING_MODE", 0, "D_FLYING_MODE.FLYING_MODE is 0, PDP.D_OPERATION_MODE_CFG.FLYING_MODE is 1"),
        ("D_POOLING_PADDING_CFG", 5, "D_POOLING_PADDING_CFG.PAD_WIDTH is 5, PDP.D_POOLING_PADDING_CFG.PAD_LEFT is 0"),
    ):
        found = played(tmp_path, f"{text} reg_write(NVDLA_PDP_RDMA.{name}_0, {value});{ends}")
        assert found.notes == (f"test.cfg:11: PDP_RDMA.{told}: the hardware ignores the former",)
        assert found.failures == sound.failures


def convolved(folder, change):
    """The classifier's trace test, each line changed; its convolutions take biases on the fly."""
    made = export_trace(place_memories(classifier()))
    for name, data in made.data.items():
        (folder / name).write_text(data)
    return played(folder, "".join(change(line) + "\n" for line in made.configuration.splitlines()))


def test_readers_on_the_fly(tmp_path):
    """SDP behind a convolution needs its reader where it takes operands; PDP on the fly leaves its reader alone."""
    assert convolved(tmp_path, str).failures == ()
    asleep = convolved(
        tmp_path, lambda line: line.replace("SDP_RDMA.D_OP_ENABLE_0, 0x1", "SDP_RDMA.D_OP_ENABLE_0, 0x0")
    )
    assert "SDP group 0 is enabled and never done: SDP_RDMA group 0 is not enabled" in asleep.failures[0].replace(
        "0, 1", "0"
    )
    with pytest.raises(
        UsageError, match=r"SDP_RDMA\.D_FEATURE_MODE_CFG\.FLYING_MODE is 0: SDP expects data from the conv"
    ):
        convolved(
            tmp_path,
            lambda line: line.replace("SDP_RDMA.D_FEATURE_MODE_CFG_0, 0x1", "SDP_RDMA.D_FEATURE_MODE_CFG_0, 0x0"),
        )
    with pytest.raises(UsageError, match=r"SDP_RDMA\.D_DATA_CUBE_WIDTH\.WIDTH is 6: SDP has 7"):
        convolved(
            tmp_path,
            lambda line: line.replace("SDP_RDMA.D_DATA_CUBE_WIDTH_0, 0x7", "SDP_RDMA.D_DATA_CUBE_WIDTH_0, 0x6"),
        )


@pytest.mark.parametrize(("feature", "left"), [(0, True), (1, False)])
def test_a_reader_that_runs_ahead_stays_for_a_later_operation(feature, left):
    """Behind a convolution SDP takes no operands: an SDP_RDMA that reads belongs to what follows, one that does not is done."""
    hardware = IdealHardware()
    writes = {"SDP.D_FEATURE_MODE_CFG": 1, "SDP_RDMA.D_FEATURE_MODE_CFG": feature}
    for name, value in writes.items():
        hardware.write(csb_register(*name.split(".")).address, value)
    for block in ("SDP", "SDP_RDMA", "CACC", "CMAC_A", "CMAC_B", "CSC", "CDMA"):
        hardware.write(csb_register(block, "D_OP_ENABLE").address, 1)
    for _ in range(3):
        hardware.advance()
    assert hardware.enabled == ([("SDP_RDMA", 0)] if left else [])


@pytest.mark.parametrize(
    ("register", "field"),
    [
        ("CDMA.D_MISC_CFG", "SKIP_DATA_RLS"),
        ("CDMA.D_DATAIN_SIZE_EXT_0", "DATAIN_HEIGHT_EXT"),
        ("CDMA.D_ZERO_PADDING", "PAD_TOP"),
        ("CDMA.D_BANK", "WEIGHT_BANK"),
        ("CDMA.D_WEIGHT_SIZE_1", "WEIGHT_KERNEL"),
        ("CMAC_A.D_MISC_CFG", "PROC_PRECISION"),
        ("CMAC_B.D_MISC_CFG", "CONV_MODE"),
        ("CACC.D_DATAOUT_SIZE_1", "DATAOUT_CHANNEL"),
    ],
)
def test_blocks_of_a_convolution_agree(register, field, tmp_path):
    """A field of one block alone, in both operations: its lowest bit turned."""
    part = csb_register(*register.split(".")).field(field)

    def turned(line):
        found = re.fullmatch(rf"reg_write\(NVDLA_{re.escape(register)}_0, (0x\w+)\);", line)
        return line if found is None else line.replace(found[1], f"0x{int(found[1], 16) ^ 1 << part.lsb:x}")

    with pytest.raises(UsageError, match=rf"{re.escape(register)}\.{field} is \d+: CSC has \d+"):
        convolved(tmp_path, turned)


@pytest.mark.parametrize(
    ("register", "value", "found"),
    [
        ("D_BANK", 0x1E_0001, r"DATA_BANK 1 and WEIGHT_BANK 30, 2 and 31 banks: nv_small has 32"),
        ("D_DATAIN_SIZE_EXT_1", 0, r"DATAIN_CHANNEL_EXT is 0: CDMA\.D_DATAIN_SIZE_1\.DATAIN_CHANNEL is \d+"),
        ("D_ENTRY_PER_SLICE", 0, r"ENTRIES is 0, expected at least \d+: a slice has"),
        ("D_ENTRY_PER_SLICE", 0xFFF, r"DATA_BANK is \d+, room for \d+ entries: \d+ slices of 4096 entries"),
        ("D_WEIGHT_BYTES", 8, r"WEIGHT_BYTES is 8, expected at least \d+"),
        ("D_RELEASE", 0x800, r"RLS_SLICES is 2048, expected at most \d+"),
    ],
)
def test_sizes_that_the_convolution_buffer_cannot_hold(register, value, found, tmp_path):
    """A register of CSC, and the same of CDMA where it has one, in every operation."""
    pattern = re.compile(rf"(reg_write\(NVDLA_(?:CSC|CDMA)\.{register}_0), 0x\w+\);")
    with pytest.raises(UsageError, match=rf"CSC\.D_.*{found}.*the operation is enabled"):
        convolved(tmp_path, lambda line: pattern.sub(rf"\1, 0x{value:x});", line))


@pytest.mark.parametrize("register", ["CDMA.D_DAIN_ADDR_HIGH_0", "CDMA.D_WEIGHT_ADDR_HIGH", "SDP.D_DST_BASE_ADDR_HIGH"])
def test_an_address_of_64_bits_is_outside_of_the_memory(register, tmp_path):
    pattern = re.compile(rf"(reg_write\(NVDLA_{re.escape(register)}_0), 0x\w+\);")
    with pytest.raises(InputError, match=r"DMA address 0x80000000\w{8} of the operation"):
        convolved(tmp_path, lambda line: pattern.sub(r"\1, 0x80000000);", line))
