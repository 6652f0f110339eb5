# SPDX-License-Identifier: Apache-2.0
"""The bit tables, and what is refused in a table of one's own."""

import json
from pathlib import Path

import numpy as np
import pytest

from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.tpu.streams.tables import Tables, chip, extract, tables

CHIPS = ["BM1684", "BM1684X", "BM1688", "BM1690", "BM1690E", "BM1684X2", "SG2380", "CV184X", "SGTPUV8"]
CV18XX = ["CV183X", "CV182X", "CV181X", "CV180X"]

NAMED_BY_CLASS = {
    "DMA_masked_select": "dma.masked_select",
    "sDMA_masked_select": "dma.masked_select",
    "DMA_cw_transpose": "dma.cw_transpose",
    "DMA_nonzero": "dma.nonzero",
    "sDMA_nonzero": "dma.nonzero",
    "DMA_gather": "gdma.gather",
    "DMA_scatter": "gdma.scatter",
}

MINE = {
    "format": 1,
    "heads": {"mine": {"type": [0, 2], "func": [2, 2], "dep": [8, 8]}},
    "layouts": {"mine": "typ:2 func:2 wide@40:64 last@120:8"},
    "chips": {
        "mine": {
            "engines": {
                "tiu": {
                    "head": "mine",
                    "end": "MINE",
                    "end_func": 3,
                    "kinds": [
                        {"kind": "MINE", "layout": "mine", "bytes": 16, "type": 1, "ops": {"0": "go", "3": "end"}}
                    ],
                }
            }
        }
    },
}


def write(path: Path, table: dict) -> Path:
    path.write_text(json.dumps(table))
    return path


def test_every_chip_is_there_and_names_its_source():
    assert tables().names() == CHIPS + CV18XX
    assert "BSD-2" in tables().source
    assert chip("CV186X") is chip("bm1688")
    with pytest.raises(UsageError, match="no chip 'BM9'"):
        chip("BM9")
    with pytest.raises(UsageError, match="no engine 'hau'"):
        chip("BM1684").engine("hau")


@pytest.mark.parametrize("name", CHIPS + CV18XX)
def test_fields_cover_each_command_without_gap_or_overlap(name):
    kinds = 0
    for engine in chip(name).engines.values():
        for kind in engine.kinds:
            at = 0
            for one in kind.fields:
                assert one.bit == at, (engine.name, kind.name, one)
                assert 1 <= one.width <= 64
                at = one.end
            assert at == 8 * kind.bytes, (engine.name, kind.name)
            kinds += 1
    assert kinds


def test_lengths_are_those_of_the_fact_sheet():
    wanted = {7: 16, 12: 16, 15: 16}
    short = {
        0: {64},
        1: {64},
        6: {48},
        13: {48},
        14: {48},
        4: {32},
        5: {32},
        9: {32},
        10: {32},
        2: {32, 48},
        3: {64, 16},
    }
    for name in ("BM1684X", "BM1688", "BM1690", "BM1690E", "CV184X", "SGTPUV8", "SG2380"):
        for kind in chip(name).engine("tiu").kinds:
            if kind.type in wanted:
                assert kind.bytes == wanted[kind.type], (name, kind.name)
            elif kind.short == 0:
                assert kind.bytes == 128, (name, kind.name)
            elif kind.type == 10 and name.startswith("BM1690"):
                assert kind.bytes == 48, (name, kind.name)
            else:
                assert kind.bytes in short[kind.type], (name, kind.name)
        for kind in chip(name).engine("gdma").kinds:
            assert kind.bytes == (16 if kind.type == 6 else 96)


def test_no_operation_is_without_name():
    """Seven GDMA forms of BM1684X were named `none`; the vendor's operation classes name them."""
    for name in CHIPS + CV18XX:
        for engine in chip(name).engines.values():
            assert not [kind.name for kind in engine.kinds if "none" in kind.ops.values()], (name, engine.name)
    gdma = chip("BM1684X").engine("gdma")
    assert {kind: gdma.kind(kind).op(0) for kind in NAMED_BY_CLASS} == NAMED_BY_CLASS


@pytest.mark.parametrize("name", [name for name in CHIPS if chip(name).engine("tiu").send is not None])
def test_messages_are_where_a_command_has_a_field(name):
    for engine in chip(name).engines.values():
        if engine.send is None:
            continue
        assert engine.end is not None
        held = engine.end[0].by_name[engine.send.field]
        assert sum(engine.send.id) <= engine.send.count[0]
        assert sum(engine.send.count) <= held.width


def test_a_field_across_two_words_is_read_whole():
    words = np.array([[0x8000_0000_0000_0001], [0x5]], np.uint64)
    assert extract((words[0], words[1]), 63, 4).tolist() == [0b1011]


def test_a_chip_of_ones_own_is_a_table(tmp_path):
    own = Tables(write(tmp_path / "mine.json", MINE)).chip("mine")
    fields = own.engine("tiu").kind("MINE").fields
    assert [(f.name, f.bit, f.width) for f in fields] == [
        ("typ", 0, 2),
        ("func", 2, 2),
        ("unnamed", 4, 36),
        ("wide", 40, 64),
        ("unnamed_1", 104, 16),
        ("last", 120, 8),
    ]


def change(table: dict, layout: str | None = None, **kind: object) -> dict:
    made = json.loads(json.dumps(table))
    if layout is not None:
        made["layouts"]["mine"] = layout
    made["chips"]["mine"]["engines"]["tiu"]["kinds"][0] |= kind
    return made


def messages(field: str, low: tuple[int, int] = (0, 7)) -> dict:
    made = change(MINE)
    send = {"func": 0, "field": field, "id": list(low), "count": [8, 8]}
    made["chips"]["mine"]["engines"]["tiu"] |= {"send": send, "wait": {"func": 1}}
    return made


def no_end(table: dict) -> dict:
    made = change(table)
    del made["chips"]["mine"]["engines"]["tiu"]["end"]
    return made


@pytest.mark.parametrize(
    ("table", "complaint"),
    [
        (change(MINE, "a:8 b@4:8"), "overlaps"),
        (change(MINE, "a:65"), "1 to 64 bits"),
        (change(MINE, "a:64 b:64 c:1"), "at most 128"),
        (change(MINE, "a:8 a_1:8 a:8 a_2:4"), None),
        (change(MINE, "a"), "as in docs/tpu.md"),
        (change(MINE, bytes=14), "whole words"),
        (change(MINE, type=4), "what the head can hold"),
        (change(MINE, kind="OTHER"), "a form that there is"),
        (messages("imm"), "SEND's field imm"),
        (messages("wide", (60, 7)), "bits of wide"),
        (messages("wide", (-1, 7)), "bits of wide"),
        (no_end(messages("wide")), "SEND without END"),
        ({"format": 2}, "command table"),
        ({"format": 1, "chips": []}, "an object"),
    ],
)
def test_a_table_that_contradicts_itself_is_refused(tmp_path, table, complaint):
    path = write(tmp_path / "mine.json", table)
    if complaint is None:
        names = [f.name for f in Tables(path).chip("mine").engine("tiu").kinds[0].fields]
        assert len(set(names)) == len(names)
        return
    with pytest.raises(InputError, match=complaint):
        Tables(path).chip("mine")


def test_two_forms_with_one_head_are_refused(tmp_path):
    twin = change(MINE)
    kinds = twin["chips"]["mine"]["engines"]["tiu"]["kinds"]
    kinds.append({**kinds[0], "kind": "TWIN"})
    with pytest.raises(InputError, match="have the same head"):
        Tables(write(tmp_path / "twin.json", twin)).chip("mine")


@pytest.mark.parametrize("place", ["type", "bytes", "end_func"])
def test_infinite_numbers_in_a_table_are_refused(place, tmp_path):
    kind = {"kind": "SYS", "layout": "l", "bytes": 16, "type": 15, "ops": {"31": "end"}}
    engine = {"head": "h", "end": "SYS", "end_func": 31, "kinds": [kind]}
    (engine if place == "end_func" else kind)[place] = float("inf")
    table = {"format": 1, "layouts": {"l": "type:4 func:5 rest:55"}, "heads": {"h": {"type": [0, 4], "func": [4, 5]}}}
    path = tmp_path / "more.json"
    path.write_text(json.dumps(table | {"chips": {"MINE": {"engines": {"tiu": engine}}}}))
    with pytest.raises(InputError, match=r"more\.json: found chip MINE: OverflowError"):
        Tables(path).chip("mine")
