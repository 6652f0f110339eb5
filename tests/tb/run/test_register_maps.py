# SPDX-License-Identifier: Apache-2.0
"""``goldbeat new --rdl``: registers that are as their map says pass; each way of being wrong is found by the map's names."""

import re
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.mapped_registers import AnswerRules, Elsewhere, MappedBits, MappedFile, MappedWord
from goldbeat.pymodels.mapped_walks import WALKS
from goldbeat.tb.cli import app
from goldbeat.tb.design.description import load_description
from goldbeat.tb.design.map_case import RegisterMapTable
from goldbeat.tb.design.map_file import mapped_words, unmapped_spans
from goldbeat.tb.design.ports.apb import ApbPort
from goldbeat.tb.paths import REPOSITORY
from goldbeat.tb.run.runs import Request, run

RTL = Path(__file__).parent / "map_rtl"
# What a message about each fault must say, behind the port.
FAULTS = {
    1: r"read 0x004 CTRL\): expected 0x0000a005, got 0x0000a004; CTRL.MODE expected 0x5, got 0x4",
    2: r"read 0x004 CTRL\): .*CTRL.LEVEL expected",
    3: r"read 0x008 W1C\): .*W1C.VALUE expected 0x0, got 0xff",
    4: r"read 0x00c W1S\): .*W1S.VALUE expected",
    5: r"read 0x010 W0C\): .*W0C.VALUE expected",
    6: r"read 0x014 RC\): .*RC.VALUE expected 0x0, got 0x3c",
    7: r"read 0x018 RS\): .*RS.VALUE expected 0xff, got 0x3c",
    8: r"read 0x01c PULSE\): .*; PULSE.GO expected 0x0, got 0x1",
    9: r"read 0x08[8c] DATA\[[23]\]\): .*DATA\[[23]\].VALUE expected",
    10: r"read 0x084 DATA\[1\]\): .*DATA\[1\].VALUE expected",
    11: r"read 0x004 CTRL\): .*CTRL: reserved bits 0x10 differ",
    12: r"read 0x04[048c] PAIR.*PAIR\[[01]\].*VALUE expected",
    13: r"read 0x028 \(unmapped\)\): expected an error response, got OKAY; accepted with unmapped = .(zero|any). in",
    14: r"read 0x020 WO\): expected an error response, got OKAY; accepted with forbidden = .(zero|any). in",
    15: r"write 0x000 ID\): expected an error response, got OKAY; accepted with forbidden = .(zero|any). in",
    16: r"read 0x080 DATA\[0\]\): .*DATA\[0\].VALUE expected",
    17: r"read 0x100 \(unmapped\)\): expected an error response, got OKAY; accepted with unmapped = .(zero|any). in",
    18: r"read 0x050 WOT\): .*WOT.VALUE expected",
    19: r"read 0x054 W0S\): .*W0S.VALUE expected",
    20: r"read 0x058 W0T\): .*W0T.VALUE expected",
    21: r"read 0x05c WCLR\): .*WCLR.VALUE expected",
    22: r"read 0x060 WSET\): .*WSET.VALUE expected",
    23: r"read 0x064 IRQ\): .*IRQ.ENABLE expected 0x[13579bdf], got",
    24: r"read 0x068 TIMER\): .*TIMER: reserved bits 0x\w*000000 differ",
}


def invoke(*words):
    return CliRunner().invoke(app, [*map(str, words)], catch_exceptions=False)


MASKED = ["COUNT.VALUE", "IRQ.EVENT", "TIMER.GO", "TIMER.TICKS", "TIMER.MARK"]


@pytest.mark.sim
@pytest.mark.parametrize(
    ("top", "blocks"),
    [
        *(("map_faults", 3), ("map_axil", 3)),
        *(pytest.param(top, 25, marks=pytest.mark.slow) for top in ("map_faults", "map_axil")),
    ],
)
def test_each_fault_is_found_and_named(top, blocks, tmp_path):
    sources = (RTL / "map_block.sv", RTL / f"{top}.sv", "--top", top, "-G", f"N={blocks}")
    said = invoke("new", tmp_path, *sources, "--rdl", RTL / "map_block.rdl")
    assert said.exit_code == 0, said.output
    masked = re.findall(r"not checked: (\S+),", said.output)
    assert masked == MASKED
    design = load_description(tmp_path / f"{top}.toml")
    (port,) = design.registers
    (result,) = run(Request(design, design.case("registers")))
    found = {n: [f for f in result.failures if f"{port.name}_{n}:" in f] for n in range(blocks)}
    assert found[0] == []
    for number, pattern in list(FAULTS.items())[: blocks - 1]:
        assert any(re.search(pattern, text) for text in found[number]), (number, found[number][:5])
    last = result.episodes[-1].stimulus
    assert last.traffic[f"{port.name}_0"].outstanding == (4 if top == "map_axil" else 1)
    errors = [one.error for one in last.program[f"{port.name}_0"] if one.op == "write"]
    assert {(True, False), (False, True)} <= set(pairwise(errors))


@pytest.mark.slow
@pytest.mark.sim
def test_fields_of_a_still_hardware_are_compared(tmp_path):
    said = invoke("new", tmp_path, RTL / "map_block.sv", "--rdl", RTL / "map_block.rdl")
    assert said.exit_code == 0, said.output
    path = tmp_path / "map_block.toml"
    design = load_description(path)
    assert design.unread(design.params(design.cases[0], {})) == [*design.ignored, *MASKED]
    path.write_text(path.read_text().replace('hardware = "mask"', 'hardware = "still"'))
    design = load_description(path)
    assert design.unread(design.params(design.cases[0], {})) == list(design.ignored)

    def failures(busy):
        (result,) = run(Request(design, design.case("registers"), params={"BUSY": busy}))
        return " ".join(result.failures)

    assert failures(0) == ""
    texts = failures(1)
    for field in MASKED:
        assert f"{field} expected" in texts, field
    assert "IRQ.ENABLE" not in texts


@pytest.mark.parametrize(
    ("base", "said"),
    [
        ("0x10000", r"found \S+ at 0x10\w+, expected addresses below 0x\w+"),
        ("2", r"found \S+ at 0x2, expected a multiple of 4 bytes, with the base of the map"),
    ],
)
def test_a_map_that_its_port_cannot_have_is_refused(tmp_path, base, said):
    assert invoke("new", tmp_path, RTL / "map_block.sv", "--rdl", RTL / "map_block.rdl").exit_code == 0
    path = tmp_path / "map_block.toml"
    path.write_text(path.read_text().replace('hardware = "mask"', 'hardware = "mask"\nbase = ' + base))
    design = load_description(path)
    with pytest.raises(InputError, match=r"map_block\.rdl: " + said):
        run(Request(design, design.case("registers")))


def test_words_of_a_map_follow_its_bus():
    words = mapped_words(RTL / "map_block.rdl", {"WORDS": 2}, 4, base=0x100)
    by_name = {word.name: word for word in words}
    assert by_name["PAIR[1].HIGH"].address == 0x14C
    assert [word.address for word in words][-2:] == [0x180, 0x184]
    wide = {word.name: word for word in mapped_words(RTL / "map_block.rdl", {}, 8)}
    (low, *_, high) = wide["PAIR[0].LOW+PAIR[0].HIGH"].bits
    assert (low.name, low.lsb, high.name, high.lsb, high.width) == ("VALUE", 0, "HIGH.VALUE", 32, 8)
    narrow = {word.name: word for word in mapped_words(RTL / "map_block.rdl", {}, 2)}
    assert narrow["CTRL[15:0]"].bits[1].reset == 0xA0
    assert narrow["ID[31:16]"].bits[0].reset == 0x1234


def test_accesses_with_effects_elsewhere_are_not_made(tmp_path):
    path = tmp_path / "m.rdl"
    path.write_text(
        "addrmap m { reg { field { donttest; } A[3:0] = 0; } R @ 0; reg { field {hw = r;} B[3:0] = 5; } S @ 4; };"
    )
    file = MappedFile(mapped_words(path, {}, 4), 4, AnswerRules())
    assert (file.read(0), file.write(0, 1)) == ([], [])
    assert [(a.value, a.mask) for a in file.read(4)] == [(5, 0xFFFFFFFF)]
    assert [a.error for a in (*file.read(8), *file.write(8, 1))] == [True, True]


def test_fields_that_others_lock_are_not_checked(tmp_path):
    path = tmp_path / "m.rdl"
    fields = (
        "reg { field {} L = 0; } LOCK @ 0; reg { field { hw = r; } A[7:0] = 0; field { hw = r; } B[8:8] = 0; } CFG @ 4;"
    )
    path.write_text(f"addrmap m {{ {fields} CFG.A -> swwel = LOCK.L; }};")
    assert [bits.tested for word in mapped_words(path, {}, 4) for bits in word.bits] == [True, False, True]


def test_some_words_of_memories_are_checked(tmp_path):
    path = tmp_path / "m.rdl"
    path.write_text("addrmap m { external mem { mementries = 64; memwidth = 32; } RAM @ 0x100; };")
    words = mapped_words(path, {}, 4)
    assert [w.name for w in words] == [f"RAM[{n}]" for n in (0, 1, 2, 4, 8, 16, 32, 63)]
    assert words[-1].address == 0x1FC
    assert unmapped_spans(path, {}) == [range(0x100, 0x200)]


def test_what_is_wrong_with_a_map_is_said_with_its_line(tmp_path):
    path = tmp_path / "wrong.rdl"
    path.write_text("addrmap wrong {\n  reg { field {} A[3:0]; field {} B[2:1]; } R @ 0;\n};\n")
    with pytest.raises(InputError, match=r"wrong\.rdl:2"):
        mapped_words(path, {}, 4)
    with pytest.raises(InputError, match="no such file"):
        mapped_words(tmp_path / "none.rdl", {}, 4)
    with pytest.raises(InputError, match="NONE"):
        mapped_words(RTL / "map_block.rdl", {"NONE": 1}, 4)


def test_a_map_needs_one_slave(tmp_path):
    bridges = Path(__file__).parent / "bus_rtl" / "bridges.sv"
    said = invoke("new", tmp_path, bridges, "--rdl", RTL / "map_block.rdl")
    assert said.exit_code == 2
    assert "--rdl: expected one slave (not AXI4), found: s_apb, s_axil" in " ".join(said.output.split())


_MAP = "addrmap t {{ reg {{ field {{ sw = rw; }} {}; }} R @ 0; }};\n"


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"\n\x01" + _MAP.format("V[7:0]").encode(), r"map\.rdl:2: found '\\x01' \(U\+0001\), expected text"),
        (
            (_MAP.format("V[7:0]") + "\naddrmap other { reg { field {} V; } R; };").encode(),
            r"map\.rdl:1: found address maps \w+ and other, neither part of the other, expected one; move",
        ),
        (_MAP.format("V[7:１]").encode(), r"map\.rdl:1: found '\\uff11' \(U\+FF11\), expected ASCII outside comments"),
        (("// é\n" + _MAP.format("Vé[7:0]")).encode(), r"map\.rdl:2: found '\\xe9'"),
        (('/* "é\n é" */\n' + _MAP.format("V[7:0]") + "\u200b").encode(), r"map\.rdl:4: found '\\u200b'"),
        (
            ("//\n// é\n" + _MAP.format("V[7:0]")).encode("latin-1"),
            r"map\.rdl:2: found byte 0xe9, expected text in UTF-8",
        ),
        (_MAP.format("V[7:0]").encode("utf-16"), r"map\.rdl:1: found byte 0xff"),
        (b'`include "part.rdl"\n', r"part\.rdl:3: found '\\xe9'"),
        (b'`include "gone.rdl"\n' + _MAP.format("V[7:0]").encode(), r"map\.rdl:1: found Could not find 'gone\.rdl'"),
        (b"", r"map\.rdl: found Could not find any 'addrmap'"),
        (b"addrmap t { };\n", r"map\.rdl: found Address map 't' must contain"),
        (b"<% die() %%>\naddrmap t { };\n", r"map\.rdl"),
    ],
)
def test_a_damaged_map_is_told_in_one_line(data, said, tmp_path):
    path = tmp_path / "map.rdl"
    path.write_bytes(data)
    (tmp_path / "part.rdl").write_text("// one\n// two\naddrmap é {};\n", encoding="utf-8")
    with pytest.raises(InputError, match=said) as raised:
        mapped_words(path, {}, 4)
    assert str(raised.value).count("\n") == 0


def test_a_folder_is_no_map(tmp_path):
    with pytest.raises(InputError, match="found a folder, expected a register map"):
        mapped_words(tmp_path, {}, 4)


def test_a_map_of_maps_is_one(tmp_path):
    path = tmp_path / "map.rdl"
    path.write_text(_MAP.format("V[7:0]") + "addrmap whole { t one @ 0; t other @ 16; };\n", encoding="utf-8")
    assert [word.address for word in mapped_words(path, {}, 4)] == [0, 16]


def test_characters_of_all_scripts_stand_in_texts(tmp_path):
    path = tmp_path / "map.rdl"
    text = '/* é */ addrmap t { desc = "a \\" é \n é"; reg { field { sw = rw; } V[7:0]; } R @ 0; }; // é'
    path.write_text("\ufeff" + text, encoding="utf-8")
    assert [word.name for word in mapped_words(path, {}, 4)] == ["R"]


@pytest.mark.sim
def test_words_that_nothing_has_written_may_differ(tmp_path):
    """A memory without reset, with other initial values: only what was written has a value."""
    rtl = REPOSITORY / "tests" / "benchmarks" / "planted" / "buses" / "apb_ram.sv"
    (tmp_path / "m.rdl").write_text("addrmap m { external mem { mementries = 2048; memwidth = 32; } M @ 0; };")
    said = invoke("new", tmp_path / "bench", rtl, "--rdl", tmp_path / "m.rdl")
    assert said.exit_code == 0, said.output
    design = load_description(tmp_path / "bench" / "apb_ram.toml")
    (result,) = run(Request(design, design.case("registers"), x_check=True))
    assert (result.failures, result.x_check) == ((), ())
    reads = [one for one in result.episodes[0].stimulus.program["s_apb"] if one.op == "read"]
    assert {one.unset for one in reads} == {0xFFFFFFFF}


@pytest.mark.parametrize(("size", "patterns"), [(2, 4), (4, 16), (8, 256), (16, 60)])
def test_each_register_gets_every_telling_pattern_of_strobes_and_no_byte_that_it_holds(size, patterns):
    words = [MappedWord(name, at * size, (MappedBits("V", 0, 8 * size),)) for at, name in enumerate("ab")]
    program = list(WALKS["strobes"](MappedFile(words, size, AnswerRules()), np.random.default_rng(0), 8))
    held = dict.fromkeys((word.address for word in words), 0)
    sent = {address: set() for address in held}
    for access in program:
        if access.op == "read":
            held[access.address] = access.value
        else:
            assert all((access.value ^ held[access.address]) >> 8 * lane & 0xFF for lane in range(size))
            sent[access.address].add(access.strobe)
    # Whole words are written by the other walks.
    assert [len(of) for of in sent.values()] == [patterns - 1] * 2
    assert all(of >= {0, 1, 2, (1 << size) - 2} for of in sent.values())


def test_neighbours_are_read_behind_each_telling_value():
    words = [MappedWord(str(at), 4 * at, (MappedBits("V", 0, 32),)) for at in range(16)]
    program = list(WALKS["values"](MappedFile(words, 4, AnswerRules()), np.random.default_rng(0), 8))
    behind = set()
    for before, access in enumerate(program):
        if access.op == "write" and access.address == 20 and access.value == 0xFFFFFFFF:
            reads = program[before + 1 : before + 6]
            behind |= {(a.address, bit, a.value >> bit & 1) for a in reads if a.op == "read" for bit in range(32)}
    assert behind >= {(20 ^ 4 << turn, bit, level) for turn in range(4) for bit in range(32) for level in (0, 1)}


def test_addresses_with_two_bits_turned_are_written_with_something():
    words = [MappedWord(name, at * 4, (MappedBits("V", 0, 32),)) for at, name in enumerate("abcdefgh")]
    program = list(WALKS["unmapped"](MappedFile(words, 4, AnswerRules()), np.random.default_rng(3), 8))
    written = {access.address: access.value for access in program if access.op == "write"}
    assert {n ^ pair for n in range(0, 32, 4) for pair in (0xC0, 0xA0)} <= written.keys()
    assert sum(not value for value in written.values()) < 2


def test_what_cannot_be_written_is_written_with_both_values_of_each_bit():
    words = [
        MappedWord("ID", 0, (MappedBits("V", 0, 32, writable=False, reset=0x5A5A_0FF0),)),
        MappedWord("R", 4, (MappedBits("V", 0, 32),)),
    ]
    program = list(WALKS["bits"](MappedFile(words, 4, AnswerRules(forbidden="any")), np.random.default_rng(0), 8))
    written = [one for one in program if one.op == "write" and one.address == 0]
    assert {one.value for one in written} >= {0, 0xFFFF_FFFF}
    assert not any(one.error for one in written)


def test_a_bus_without_a_wire_for_errors_is_not_asked_for_any(tmp_path):
    (tmp_path / "one.rdl").write_text("addrmap one { reg { field { sw = rw; hw = r; } V[31:0] = 0; } R @ 0; };\n")
    pins = {name: name for name in ("psel", "penable", "pwrite", "paddr", "pwdata", "prdata", "pready")}
    table = RegisterMapTable(file="one.rdl", port="s")
    for more, rule in (({}, "any"), ({"pslverr": "pslverr"}, "error")):
        port = ApbPort(name="s", clock="clk", address_width=4, data_width=32, signals=pins | more)
        assert table.file_after_reset(tmp_path, {}, port).rules.unmapped == rule
        assert table.elsewhere(tmp_path, {}, port) == Elsewhere(rule, (range(4),))
