# SPDX-License-Identifier: Apache-2.0
"""Slaves that are right pass every traffic of ``sweep``; each that is wrong fails, by port and by the name of what is wrong."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
import pytest
from commands import invoke
from register_slaves import SLAVES

from goldbeat.pymodels.axi.storage_traffic import Window
from goldbeat.pymodels.errors import GoldbeatError, UsageError
from goldbeat.pymodels.register_traffic import RegisterTraffic
from goldbeat.pymodels.register_walk import Word, storage_walk, telling_walk
from goldbeat.pymodels.stimulus import Access, Stimulus
from goldbeat.pymodels.telling import telling_strobes
from goldbeat.tb.design.case import Case
from goldbeat.tb.design.description import load_description
from goldbeat.tb.design.parameter import Parameter
from goldbeat.tb.design.ports.avalon import AvalonPort
from goldbeat.tb.design.ports.lite import LitePort
from goldbeat.tb.design.ports.wishbone import WishbonePort
from goldbeat.tb.design.register_accesses import AccessWalk
from goldbeat.tb.design.register_walks import quiet_case
from goldbeat.tb.paths import REPOSITORY
from goldbeat.tb.run.runs import Request, run

KERNEL = REPOSITORY / "tests" / "tb" / "kernel"
RIGHT = range(4)
# What a failure of each slave must begin with, behind the number of its episode; {} is the port.
NAMES = {
    4: "axil_valid_held: {}, cycle ",
    5: "axil_valid_held: {}, cycle ",
    6: "axil_no_answer: {}: access ",
    7: "axil_no_answer: {}: access ",
    8: "{}: access ",
    9: "axil_b_before_data: {}, cycle ",
    10: "axil_valid_waits: {}, cycle ",
    11: "axil_valid_waits: {}, cycle ",
    12: "{}: access ",
    13: "axil_no_answer: {}: access ",
    14: "axil_no_answer: {}: access ",
    15: "axil_payload_stable: {}, cycle ",
    16: "axil_no_answer: {}: access ",
    17: "axil_b_without_request: {}, cycle ",
    18: "axil_valid_waits: {}, cycle ",
    19: "axil_valid_waits: {}, cycle ",
}


def _failures(case, folder, **options):
    (result,) = run(Request(SLAVES, SLAVES.case(case), **options), folder)
    return result.failures


@pytest.mark.slow
@pytest.mark.sim
def test_sweep_names_what_is_wrong_with_a_slave(tmp_path):
    failures = _failures("sweep", tmp_path)
    texts = [f.partition(": ")[2] for f in failures]
    for number in RIGHT:
        assert not [t for t in texts if f"s_axil_{number}:" in t or f"s_axil_{number}," in t]
    for number, begin in NAMES.items():
        assert any(t.startswith(begin.format(f"s_axil_{number}")) for t in texts), (number, failures)


def test_the_bytes_that_a_write_leaves_out_are_read_beside_it():
    port = LitePort(name="s", clock="c", direction="in", address_width=8)
    walk, window = AccessWalk(np.random.default_rng(1), port, (True, True), []), Window.unknown(0, 16)
    for at in range(0, 16, 4):
        walk.write(window, at, 0xF)
    for number in range(80):
        walk.write_some(window, number % 4 * 4)
    found = [(one, other) for one, other in pairwise(walk.program) if other.beside]
    assert len(found) > 10
    for write, read in found:
        assert (write.op, read.op, write.address) == ("write", "read", read.address)
        assert read.mask == 0xFFFFFFFF ^ sum(0xFF << 8 * lane for lane in range(4) if write.strobe >> lane & 1)


@pytest.mark.parametrize("kind", [WishbonePort, AvalonPort])
def test_reads_ask_for_parts_of_words_where_the_bus_can(kind):
    port = kind(name="s", clock="c", direction="in", address_width=8)
    walk, window = AccessWalk(np.random.default_rng(1), port, (True, True), []), Window.unknown(0, 8)
    walk.write(window, 0, 0b0110)
    walk.write(window, 4, 0xF)
    for number in range(400):
        walk.read(window, number % 2 * 4, parts=True)
    found = {(one.address, one.lanes): one for one in walk.program if one.op == "read"}
    lanes = [0, 0b1, 0b10, 0b100, 0b1000, 0b11, 0b1100]
    assert found.keys() == {(at, part) for at in (0, 4) for part in lanes}
    for (at, part), one in found.items():
        assert one.mask == (sum(0xFF << 8 * lane for lane in range(4) if part >> lane & 1) or None)
        assert (one.value is not None) == (at == 4 or part in (0b10, 0b100))
    walk.read(window, 0)
    assert walk.program[-1].lanes == 0


def _once(setting):
    """A write and a read of each slave, as a host would make them."""
    program = (Access("write", 4, 7, 15, cycles=300), Access("read", 4, 7, cycles=300))
    return [Stimulus({}, clocks=setting.clocks, program={f"s_axil_{n}": program for n in (0, 18, 19)})]


@pytest.mark.slow
@pytest.mark.sim
def test_sweep_holds_responses_back_in_every_seed_without_storage(tmp_path):
    port = LitePort(name="s_axil", lanes="N", address_width=8)
    design = SLAVES.model_copy(update={"registers": (port,), "cases": (quiet_case(_once),)})
    for result in run(Request(design, design.case("sweep"), range(8)), tmp_path):
        rules = {(f.partition(":")[0], f.split(": ")[1].partition(",")[0]) for f in result.failures if f[:4] == "axil"}
        waits = {("axil_valid_waits", f"s_axil_{n}") for n in (18, 19)}
        assert rules == {*waits, *(("axil_no_answer", port) for _, port in waits)}, (result.seed, result.failures)


@pytest.mark.sim
def test_the_default_traffic_finds_one_of_them(tmp_path):
    assert {f.split(":")[1].partition(",")[0].strip() for f in _failures("hosted", tmp_path)} == {"s_axil_17"}


@pytest.mark.sim
@pytest.mark.slow
def test_the_reference_back_end_makes_the_traffic_too(tmp_path):
    failures = _failures("short", tmp_path, transactors="cocotbext")
    texts = [f.partition(": ")[2] for f in failures]
    for number in RIGHT:
        assert not [t for t in texts if f"s_axil_{number}:" in t or f"s_axil_{number}," in t], failures
    # It makes one access at a time: nothing comes while another one waits.
    for number in NAMES.keys() - {8, 13, 14, 16}:
        assert any(t.startswith(NAMES[number].format(f"s_axil_{number}")) for t in texts), (number, failures)


_LITE = """\
name = "lite"
top = "lite"
files = ["{rtl}"]
model = "identity"
compare_time = false
ignored = ["irq"]
waive = ["axil_combinational"]
[[clocks]]
name = "aclk"
reset = "aresetn"
[[registers]]
name = "s_axil"
address_width = 8
storage = [{{ words = 4 }}]
[[cases]]
name = "ram"
make = "ram:s_axil"
options = {{ bytes = 16, accesses = 60 }}
"""


@pytest.mark.parametrize(
    ("storage", "said"),
    [
        ("{ words = 0 }", "storage[0].words = 0, expected at least 1"),
        ("{ words = 1, mask = 0 }", "storage[0].mask = 0, expected at least 1"),
        ("{ base = 2, words = 1 }", "s_axil: storage[0]: found base = 0x2, expected a multiple of 4"),
        ("{ words = 1 }, { base = 8, words = 1, mask = 0x100000000 }", "s_axil: storage[1]: found mask = 0x100000000"),
        ("{ base = 252, words = 2 }", "storage[0]: found words up to 0x100, expected addresses below 0x100"),
        ("{ base = 8, words = 1 }, { words = 3 }", "storage[0]: found a word at 0x8, expected none that storage[1]"),
    ],
)
def test_storage_that_no_bus_has_is_refused(tmp_path, storage, said):
    text = _LITE.format(rtl=KERNEL / "lite.sv").replace("{ words = 4 }", storage)
    (tmp_path / "lite.toml").write_text(text)

    def swept():
        design = load_description(tmp_path / "lite.toml")
        run(Request(design, design.case("sweep")), tmp_path)

    with pytest.raises(GoldbeatError, match=re.escape(said)) as refused:
        swept()
    assert str(refused.value).startswith(str(tmp_path / "lite.toml"))


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("address_width = 8", 'address_width = "W"', "width 'W' is neither a number nor a parameter"),
        (".sv", ".svx", "lite: no such source file: "),
        ('["irq"]\n', "[]\nties = { irq = 0 }\n", "the description of lite does not match its RTL:"),
    ],
)
def test_errors_in_a_run_name_the_description_once(tmp_path, before, after, said):
    path = tmp_path / "lite.toml"
    path.write_text((text := _LITE.format(rtl=KERNEL / "lite.sv")).replace(before, after, 1))
    assert path.read_text() != text
    design = load_description(path)
    with pytest.raises(UsageError, match=f"^{re.escape(f'{path}: {said}')}") as refused:
        run(Request(design, design.case("sweep")), tmp_path)
    assert str(refused.value).count(path.name) == 1


@pytest.mark.slow
@pytest.mark.sim
def test_described_slaves_get_the_traffic_too(tmp_path):
    (tmp_path / "lite.toml").write_text(_LITE.format(rtl=KERNEL / "lite.sv"))
    design = load_description(tmp_path / "lite.toml")
    # The last episode of sweep, of values that tell words apart, is plain as well.
    for case, plain in (("ram", 1), ("sweep", 2)):
        (result,) = run(Request(design, design.case(case)), tmp_path / case)
        assert result.passed, result.failures
        traffic = [e.stimulus.traffic_of("s_axil") for e in result.episodes]
        assert sum(t.plain for t in traffic) == plain
        assert {t.outstanding > 1 for t in traffic} == {False, True}
        assert result.compared > 150


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"order": "both"}, "order: found 'both', expected one of together"),
        ({"distance": 0}, "distance: found 0, expected at least 1"),
        ({"outstanding": 0}, "outstanding: found 0, expected at least 1"),
        ({"r_ready": "seldom"}, "unknown pattern 'seldom'"),
    ],
)
def test_traffic_that_is_none_is_refused(changes, text):
    with pytest.raises(UsageError, match=text):
        RegisterTraffic(**changes)


def test_traffic_is_drawn_from_the_seed_and_never_plain():
    drawn = [RegisterTraffic.draw(np.random.default_rng(seed), overlap=True) for seed in range(50)]
    again = [RegisterTraffic.draw(np.random.default_rng(seed), overlap=True) for seed in range(50)]
    assert drawn == again
    assert not any(t.plain for t in drawn)
    assert all(RegisterTraffic.draw(np.random.default_rng(seed), overlap=False).outstanding == 1 for seed in range(50))


def test_a_walk_knows_what_its_registers_hold():
    words = [Word(0, 0xFFFF), Word(4, 0xFFFFFFFF), Word(8, 0xFF, False)]
    held = {}
    program = storage_walk(np.random.default_rng(1), words, 4, 300)
    for access in program:
        word = words[access.address // 4]
        if access.op == "read":
            assert access.value == held[word.address]
            continue
        assert word.strobes or access.strobe == 15
        bits = sum(0xFF << 8 * n for n in range(4) if access.strobe >> n & 1)
        held[word.address] = (held.get(word.address, 0) & ~bits | access.value & bits) & word.mask
    assert {a.strobe for a in program if a.op == "write"} == set(range(16))
    assert {a.address for a in program[-3:]} == {0, 4, 8}


def test_a_telling_walk_shows_an_alias_of_each_value_and_every_pattern_of_strobes():
    words = [Word(4 * n, 0xFFFFFFFF) for n in range(6)]
    program = telling_walk(np.random.default_rng(1), words, 4)

    def misses(top, bit, pattern, lane, same=None):
        """Reads of RTL where data with this top nibble reach a bit of word 5, a pattern of strobes one more byte of word 3, and
        word 2 does not take what another word holds."""
        held, wrong = dict.fromkeys((word.address for word in words), 0), 0
        for access in program:
            if access.op == "read":
                wrong += held[access.address] != access.value
                continue
            lanes = access.strobe | (access.address == 12 and access.strobe == pattern) << lane
            bits = sum(0xFF << 8 * n for n in range(4) if lanes >> n & 1)
            if same is None or access.address != 8 or access.value != held[4 * same]:
                held[access.address] = held[access.address] & ~bits | access.value & bits
            if access.address == 16 and access.value >> 28 == top:
                held[20] = held[20] & ~(1 << bit) | access.value & 1 << bit
        return wrong

    assert misses(None, 0, None, 0) == 0
    assert all(misses(top, bit, None, 0) for top in (0, 15) for bit in range(32))
    assert all(misses(None, 0, None, 0, same) for same in (0, 1, 3, 4, 5))
    assert all(misses(None, 0, pattern, lane) for pattern in range(16) for lane in range(4) if not pattern >> lane & 1)


def test_every_value_of_every_byte_is_read_back_and_replaces_another_one():
    words = [Word(8 * n, (1 << 64) - 1) for n in range(2)]
    told = {word.address: set() for word in words}
    held, written = dict.fromkeys(told, 0), None
    for access in telling_walk(np.random.default_rng(2), words, 8):
        if access.op == "write":
            written, before = access, held[access.address]
            held[access.address] = access.value
        elif written.strobe == 255 and (access.address, access.value) == (written.address, written.value):
            old, new = (np.frombuffer(value.to_bytes(8, "little"), np.uint8) for value in (before, access.value))
            told[access.address] |= {(lane, int(new[lane])) for lane in np.flatnonzero(old != new)}
    assert all(len(seen) == 8 * 256 for seen in told.values())
    assert telling_strobes(8) == [*range(256)]


@pytest.mark.sim
def test_an_answer_in_the_cycle_of_its_handshake_is_too_early_and_each_is_counted(tmp_path):
    port = LitePort(name="s_axil", address_width=6)
    program = tuple(Access(op, 4 * n, n + 7) for op in ("write", "read") for n in range(16))

    def make(setting):
        # Ready at once, and later than valid: the answer is taken in the cycle of its handshake, and behind it.
        shapes = (RegisterTraffic(), RegisterTraffic(b_ready="after-valid:2", r_ready="after-valid:2"))
        return [Stimulus({}, clocks=setting.clocks, program={"s_axil": program}, traffic={"s_axil": t}) for t in shapes]

    design = SLAVES.model_copy(
        update={
            "name": "early_slave",
            "top": "early_slave",
            "files": ("early_slave.sv",),
            "parameters": {"LATE": Parameter(default=0)},
            "registers": (port,),
            "cases": (Case(name="all", summary="", make=make, registers=True),),
        }
    )
    (late,) = run(Request(design, design.cases[0], params={"LATE": 1}), tmp_path / "late")
    assert late.failures == ()
    (early,) = run(Request(design, design.cases[0]), tmp_path / "early")
    for way, rule in (("b", "axil_b_without_request"), ("r", "axil_r_without_request")):
        begin = f"{rule}: s_axil, cycle "
        assert sum(begin in text for text in early.failures) == 32, early.failures
        assert f"{way}valid in the very cycle of the a{'wr'['br'.index(way)]}ready that it answers" in "".join(
            early.failures
        )
    assert len(early.failures) == 64


WALKED = """module walked (input logic clk, input logic rst, input logic [4:0] awaddr, input logic awvalid, output logic awready,
  input logic [31:0] wdata, input logic [3:0] wstrb, input logic wvalid, output logic wready, output logic [1:0] bresp,
  output logic bvalid, input logic bready, input logic [4:0] araddr, input logic arvalid, output logic arready,
  output logic [31:0] rdata, output logic [1:0] rresp, output logic rvalid, input logic rready);
  logic [31:0] mem [8]; logic held, one; logic [2:0] at; logic [31:0] d; logic [3:0] s; logic stored;
  assign {bresp, rresp, awready, wready, arready} = {4'd0, !held, !stored, !rvalid};
  always_ff @(posedge clk) begin
    one <= rst;
    if (awvalid && awready) begin held <= 1; at <= awaddr[4:2]; end
    if (wvalid && wready) begin stored <= 1; d <= wdata; s <= wstrb; end
    if (bready) bvalid <= 0;
    if (held && stored && (!bvalid || bready)) begin
      held <= 0; stored <= 0; bvalid <= 1;
      for (int i = 0; i < 4; i++) if (s[i]) mem[at][8*i +: 8] <= d[8*i +: 8];
    end
    if (rready) rvalid <= 0;
    if (arvalid && arready) begin rvalid <= 1; rdata <= mem[araddr[4:2]]; end
    if (rst) begin stored <= 0; bvalid <= 0; rvalid <= 0; RESET end
  end
endmodule
"""


@pytest.mark.sim
@pytest.mark.parametrize(
    ("reset", "fails"), [("held <= 0;", set()), ("", {False, True}), ("if (one) held <= 0;", {True})]
)
def test_the_case_reset_finds_half_an_access_that_a_reset_leaves(reset, fails, tmp_path):
    (tmp_path / "walked.sv").write_text(WALKED.replace("RESET", reset))
    assert invoke("new", tmp_path / "b", tmp_path / "walked.sv", "--model", "rules").exit_code == 0
    path = tmp_path / "b" / "walked.toml"
    text = path.read_text().replace('model = "rules"', 'model = "register_file"')
    path.write_text(text.replace("[[registers]]\n", "[[registers]]\nstorage = [{ words = 8 }]\n"))
    design = load_description(path)
    options = [{"one_edge": edge} for edge in (False, True)]
    ran = [run(Request(design, design.case("reset"), options=one))[0] for one in options]
    assert {one["one_edge"] for one, result in zip(options, ran, strict=True) if result.failures} == fails
    assert all(result.compared > 500 for result in ran)


HOSTILE = """module hostile (input logic clk, input logic rst,
  input logic [11:0] paddr, input logic psel, input logic penable, input logic pwrite, input logic [31:0] pwdata,
  output logic pready, output logic [31:0] prdata,
  input logic wb_cyc_i, input logic wb_stb_i, input logic wb_we_i, input logic [2:0] wb_adr_i, input logic [31:0] wb_dat_i,
  input logic [3:0] wb_sel_i, output logic [31:0] wb_dat_o, output logic wb_ack_o, output logic wb_stall_o);
  logic [31:0] a [4], b [8], late, new_; logic [2:0] at; logic wrote, asked; logic [3:0] sel;
  assign pready = 1'b1, prdata = a[paddr[3:2]], wb_stall_o = 1'b0;
  always_ff @(posedge clk) begin
    if (SELECT penable && pwrite && paddr < 16) a[paddr[3:2]] <= pwdata;
    // A write reaches the words a cycle later, and reads behind it get it from here.
    wrote <= wb_cyc_i && wb_stb_i && wb_we_i; at <= wb_adr_i; sel <= wb_sel_i; new_ <= wb_dat_i;
    if (wrote) for (int i = 0; i < 4; i++) if (sel[i]) b[at][8*i +: 8] <= new_[8*i +: 8];
    wb_ack_o <= wb_cyc_i && wb_stb_i && !rst;
    for (int i = 0; i < 4; i++)
      wb_dat_o[8*i +: 8] <= wrote && at == wb_adr_i && FORWARD ? new_[8*i +: 8] : b[wb_adr_i][8*i +: 8];
  end
endmodule
"""
HOSTILE_BENCH = """name = "hostile"
top = "hostile"
files = ["hostile.sv"]
model = "register_file"
compare_time = false
[[clocks]]
name = "clk"
reset = "rst"
active_high = true
[[registers]]
name = "apb"
bus = "apb"
clock = "clk"
address_width = 12
storage = [{ words = 4 }]
[registers.signals]
paddr = "paddr"
psel = "psel"
penable = "penable"
pwrite = "pwrite"
pwdata = "pwdata"
pready = "pready"
prdata = "prdata"
[[registers]]
name = "wb"
bus = "wishbone"
clock = "clk"
address_width = 3
address_unit = "words"
storage = [{ words = 8 }]
[registers.signals]
cyc = "wb_cyc_i"
stb = "wb_stb_i"
we = "wb_we_i"
adr = "wb_adr_i"
wdat = "wb_dat_i"
sel = "wb_sel_i"
rdat = "wb_dat_o"
ack = "wb_ack_o"
stall = "wb_stall_o"
"""


@pytest.mark.sim
@pytest.mark.parametrize(("select", "forward", "wrong"), [("psel &&", "sel[i]", set()), ("", "1'b1", {"apb", "wb"})])
def test_each_seed_shows_accesses_nobody_made_and_reads_right_behind_writes(select, forward, wrong, tmp_path):
    (tmp_path / "hostile.sv").write_text(HOSTILE.replace("SELECT", select).replace("FORWARD", forward))
    (tmp_path / "hostile.toml").write_text(HOSTILE_BENCH)
    design = load_description(tmp_path / "hostile.toml")
    for result in run(Request(design, design.case("sweep"), range(4))):
        found = {text.partition(": access")[0].rpartition(" ")[2] for text in result.failures if ": access" in text}
        assert found == wrong, result.failures[:3]
