# SPDX-License-Identifier: Apache-2.0
"""``goldbeat tpu check`` and hazards: text, JSON, exit codes."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tpu_faults import FaultPlanter
from tpu_safe import SafeMaker, SafeProgram
from tpu_single import one_command
from typer.testing import CliRunner

from goldbeat.pymodels.tpu.hazards.memory import MEMORY
from goldbeat.pymodels.tpu.hazards.report import HAZARD_RULES, check_hazards
from goldbeat.pymodels.tpu.streams.bmodel import CommandStream
from goldbeat.pymodels.tpu.streams.codegen import CodeGen
from goldbeat.pymodels.tpu.streams.container import read_container
from goldbeat.pymodels.tpu.streams.tables import chip
from goldbeat.tb.cli import app

RUN = CliRunner()
RACES = {"read-after-write", "write-after-read", "write-after-write"}


def check(folder: Path, streams: list[CommandStream], name: str, *more: str) -> tuple[int, str]:
    paths = []
    for one in streams:
        paths.append(folder / f"{one.name}.bin")
        paths[-1].write_bytes(one.data.tobytes())
    done = RUN.invoke(app, ["tpu", "check", *map(str, paths), "--chip", name, *more])
    return done.exit_code, done.output


@pytest.fixture(scope="module")
def program() -> SafeProgram:
    return SafeMaker("BM1690", 2).make(10)


@pytest.fixture(scope="module")
def planter(program: SafeProgram) -> FaultPlanter:
    return FaultPlanter(program.chip, program.streams())


def test_a_sound_program_passes(program, tmp_path):
    code, text = check(tmp_path, program.streams(), "BM1690")
    assert code == 0, text
    assert text.splitlines()[-1].startswith("PASS BM1690: 2 streams")


def test_a_race_names_both_commands_and_the_missing_edge(planter, tmp_path):
    fault = next(one for one in planter.dependencies() if one.races)
    code, text = check(tmp_path, fault.streams, "BM1690", "--json")
    said = json.loads(text)
    assert code == 1
    assert not said["ok"]
    race = next(one for one in said["findings"] if one["rule"] in RACES)
    first, second = race["first"], race["second"]
    assert {first["engine"], second["engine"]} == {"tiu", "gdma"}
    assert "write" in (first["access"], second["access"])
    assert race["missing"]["before"] == first["id"]
    assert first["memory"] == second["memory"] == race["overlap"]["memory"]
    assert max(first["start"], second["start"]) <= race["overlap"]["byte"] < min(first["end"], second["end"])
    assert said["hazards"]["commands"] > 0
    assert said["hazards"]["not_modelled"] == []
    code, text = check(tmp_path, fault.streams, "BM1690")
    assert code == 1
    assert f"FAIL {race['rule']}" in text
    assert "expected" in text


def test_a_missing_command_leaves_a_trace(planter):
    for fault in planter.deletions():
        found = {one.rule for one in check_hazards(planter.chip, fault.streams).findings}
        assert found & {"unread", "unwritten", "waits-end", *RACES}


def test_what_is_not_modelled_is_counted_and_its_first_byte_compared(program, planter):
    gdma = next(one for one in program.streams() if one.engine == "gdma")
    engine = program.chip.engine("gdma")
    assert engine.end is not None
    kind = engine.kind("DMA_tensor")
    bit = kind.by_name["localmem_mask_l32"].bit
    data = gdma.data.copy()
    data[bit // 8 : bit // 8 + 4] = 0x0F
    report = check_hazards(program.chip, [replace(gdma, data=data)])
    assert report.omitted.total() == 1
    assert next(iter(report.omitted)).reason == "lane mask"
    assert report.as_json()["not_modelled"][0]["count"] == 1


def test_an_operand_over_the_end_of_a_lane(program):
    tiu = next(one for one in program.streams() if one.engine == "tiu")
    engine = program.chip.engine("tiu")
    field = engine.kind("sAR").by_name["res0_h"]
    data = tiu.data.copy()
    assert field.bit % 8 == 0
    data[field.bit // 8 : field.bit // 8 + 2] = np.frombuffer((0xFFFF).to_bytes(2, "little"), np.uint8)
    assert "outside" in {one.rule for one in check_hazards(program.chip, [replace(tiu, data=data)]).findings}


COPY = {**dict.fromkeys(("res0_n", "res0_c", "res0_h", "res0_w", "tsk_opd_num"), 1), "res0_addr": 0x80}
MOVE = {**{f"src_{axis}size": 1 for axis in "nchw"}, "nchw_copy": 1, "stride_enable": 1}


@pytest.mark.parametrize("name", ["BM1684X", "BM1688", "BM1690", "BM1690E", "BM1684X2", "SG2380", "CV184X", "SGTPUV8"])
def test_an_operand_in_no_memory(name):
    """Addresses of the TIU behind the static memory, and of moves with bits that no local memory has."""

    def outside(engine, form, func, fields):
        found = one_command(name, engine, form, func, fields)
        stream = CommandStream(f"core0.sub0.g0.{engine}", engine, found.data, 0)
        return [one.text for one in check_hazards(chip(name), [stream]).findings if one.rule == "outside"]

    static = 0x9000000 if name == "BM1684X" else 1 << MEMORY[name].static_bit
    for address, wrong in ((0x40, 0), (static, 0), (static + 0x10000, 1), (1 << 31, 1), (0xFFFFFFFF, 1)):
        for operand in ("opd0_addr", "res0_addr"):
            assert len(outside("tiu", "sAR", 19, COPY | {operand: address})) == wrong
        # A constant is no address.
        assert outside("tiu", "sAR", 19, COPY | {"opd0_addr": address, "opd0_const": 1}) == []
    if (tag := MEMORY[name].tag) is None:
        return
    for bit in range(MEMORY[name].static_bit, tag[0]):
        address = MEMORY[name].local_tags[0] << tag[0] | 1 << bit
        for end in ("src", "dst"):
            fields = [
                f for f in chip(name).engine("gdma").kind("DMA_tensor").fields if f.name.startswith(f"{end}_start_addr")
            ]
            parts = {f.name: address & 0xFFFFFFFF if f.width == 32 else address >> 32 for f in fields}
            found = outside("gdma", "DMA_tensor", 0, MOVE | parts)
            assert len(found) == (bit != MEMORY[name].static_bit)
            assert all("no memory" in text and text.endswith("expected an address of a memory") for text in found)


@pytest.mark.parametrize(("messages", "code"), [((5, 5), 1), ((5, 6), 0), ((5, 6, 5), 0)])
def test_a_message_used_again_before_all_have_left(tmp_path, messages, code):
    gen = CodeGen(chip("BM1690"), 2)
    for message in messages:
        gen.barrier(message)
    path = tmp_path / "net.bmodel"
    path.write_bytes(gen.bmodel("net"))
    done = RUN.invoke(app, ["tpu", "check", str(path)])
    assert ("message-reuse: core" in done.output) == (code == 1), done.output
    assert done.exit_code == code


def test_crossed_messages_are_a_deadlock(tmp_path):
    """Each core waits for the other's message before it sends."""
    of = chip("BM1690")
    dma = of.engine("gdma")
    gen = CodeGen(of, 2)
    for core in (0, 1):
        for spec, message in ((dma.wait, 5 + core), (dma.send, 6 - core)):
            value = message << spec.id[0] | 1 << spec.count[0]
            gen.emit(f"gdma:{core}", dma.end[0].name, {spec.field: value}, func=spec.func)
    (tmp_path / "n.bmodel").write_bytes(gen.bmodel("net"))
    streams = [one for one in read_container(tmp_path / "n.bmodel").streams() if len(one.data)]
    code, text = check(tmp_path, streams, "BM1690")
    assert (code, text.count("FAIL deadlock: ")) == (1, 2), text


def test_one_send_and_one_wait_are_sound(tmp_path):
    """In bare streams of two cores; a second WAIT, or another count, is not."""
    of = chip("BM1690")
    dma = of.engine("gdma")
    for waits, count, code in ((1, 1, 0), (2, 1, 1), (1, 2, 1)):
        gen = CodeGen(of, 2)
        for core, spec, many, said in ((0, dma.send, 1, 1), (1, dma.wait, waits, count)):
            value = 40 << spec.id[0] | said << spec.count[0]
            for _ in range(many):
                gen.emit(f"gdma:{core}", dma.end[0].name, {spec.field: value}, func=spec.func)
        (tmp_path / "n.bmodel").write_bytes(gen.bmodel("net"))
        streams = [one for one in read_container(tmp_path / "n.bmodel").streams() if len(one.data)]
        got, text = check(tmp_path, streams, "BM1690")
        assert got == code, text
        assert ("sync-count" in text) == (code == 1)


def _copy(gen, core, source, target):
    fields = {"src_nsize": 1, "src_csize": 1, "src_hsize": 1, "src_wsize": 64, "src_data_format": 1}
    fields |= {"nchw_copy": 1, "stride_enable": 1, "src_wstride": 1, "dst_wstride": 1}
    fields |= {f"localmem_mask_{half}32": 0xFFFFFFFF for half in "lh"}
    for end, address in (("src", source), ("dst", target)):
        fields |= {f"{end}_start_addr_l32": address, f"{end}_start_addr_h13": 1 << 8}
    gen.emit(f"gdma:{core}", "DMA_tensor", fields)


@pytest.mark.parametrize(
    ("reader", "send", "wait", "code"),
    [(1, None, None, 1), (0, None, None, 0), (1, 0, 1, 0), (1, 0, 0, 0), (1, 1, 1, 0)],
    ids=["two cores", "one core", "message over the border", "message in a group", "message in the next group"],
)
def test_groups_are_ordered_on_one_core_and_by_messages(reader, send, wait, code, tmp_path):
    """Core 0 writes in group 0, ``reader`` reads in group 1; SEND and WAIT are in groups ``send`` and ``wait``."""
    of = chip("BM1690")
    dma = of.engine("gdma")

    def message(gen, core, spec):
        gen.emit(f"gdma:{core}", dma.end[0].name, {spec.field: 40 << spec.id[0] | 1 << spec.count[0]}, func=spec.func)

    streams = []
    for group in (0, 1):
        gen = CodeGen(of, 2)
        if wait == group:
            message(gen, reader, dma.wait)
        _copy(gen, 1 - reader if group else 0, 0x100000 * (1 + group), 0x800000 * (1 + group))
        _copy(gen, reader if group else 1, 0x800000 if group else 0x300000, 0x900000 + 0x100000 * group)
        if send == group:
            message(gen, 0, dma.send)
        (tmp_path / "n.bmodel").write_bytes(gen.bmodel("net"))
        here = [one for one in read_container(tmp_path / "n.bmodel").streams() if len(one.data)]
        streams += [replace(one, name=one.name.replace(".g0", f".g{group}"), group=group) for one in here]
    got, text = check(tmp_path, streams, "BM1690")
    assert got == code, text
    wanted = "core 1 gdma command 1 of group 1 (dma.tensor) reads src"
    assert (wanted in text and "core 0 gdma command 1 of group 0 (dma.tensor) writes" in text) is (
        send is wait is None and code == 1
    )


@pytest.mark.parametrize(
    ("target", "noted"), [(0x100020, True), (0x0FFFE0, True), (0x100000, False), (0x110000, False)]
)
def test_a_result_over_a_part_of_its_own_operand(tmp_path, target, noted):
    gen = CodeGen(chip("BM1690"), 1)
    _copy(gen, 0, 0x100000, target)
    (tmp_path / "n.bmodel").write_bytes(gen.bmodel("net"))
    done = RUN.invoke(app, ["tpu", "check", str(tmp_path / "n.bmodel")])
    assert done.exit_code == 0, done.output
    assert ("note over-operand" in done.output and "writes dst" in done.output) == noted, done.output


@pytest.mark.parametrize(("field", "operand"), [("res0_c", "res0"), ("res0_w", "opd0"), (None, None)])
def test_tensors_without_elements_fail(tmp_path, field, operand):
    gen = CodeGen(chip("BM1688"), 1)
    sizes = {f"{one}_{axis}": 1 for one in ("res0", "opd0") for axis in ("n", "c", "h", "w")}
    sizes = {name: value for name, value in sizes.items() if name in gen.chip.engine("tiu").kind("sCW&sBC").by_name}
    gen.emit("tiu", "sCW&sBC", sizes | ({field: 0} if field else {}), func=0)
    (tmp_path / "n.bmodel").write_bytes(gen.bmodel("net"))
    done = RUN.invoke(app, ["tpu", "check", str(tmp_path / "n.bmodel")])
    text = " ".join(done.output.split())
    assert (
        f"FAIL no-elements: core0.sub0.g0.tiu: {operand} of tiu command 1" in text
        if field
        else "no-elements" not in text
    )


def test_another_chip_is_a_usage_error(program, tmp_path):
    assert check(tmp_path, program.streams(), "NOSUCH")[0] == 2


def test_rules_are_listed():
    text = RUN.invoke(app, ["tpu", "rules"]).output
    assert all(name in text for name in HAZARD_RULES)
    assert "repeated-in-place*" in text
