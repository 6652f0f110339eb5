# SPDX-License-Identifier: Apache-2.0
"""Disassembly and assembly."""

import csv
import io
import json

import numpy as np
import pytest
from tpu_streams import every_engine, random_stream

from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.tpu.streams.assemble import assemble
from goldbeat.pymodels.tpu.streams.bmodel import CommandStream
from goldbeat.pymodels.tpu.streams.encode import encode_commands, padded
from goldbeat.pymodels.tpu.streams.listing import as_csv, as_text, commands_json
from goldbeat.pymodels.tpu.streams.tables import chip

ENGINES = [one for one in every_engine() if one[0].magic is None]


@pytest.mark.parametrize(("of", "engine"), ENGINES, ids=[f"{c.name}-{e.name}" for c, e in ENGINES])
def test_assembling_a_listing_gives_the_bytes(of, engine):
    rng = np.random.default_rng(11)
    raw, _, _ = random_stream(engine, 120, rng)
    stream = CommandStream("s", engine.name, np.frombuffer(raw, np.uint8), 0x40)
    text = "".join(as_text(of, [stream]))
    same, made = assemble(text.splitlines())
    assert same is of
    assert bytes(made[0].data) == raw


def test_records_of_both_engines():
    of = chip("CV183X")
    rng = np.random.default_rng(12)
    raw = b""
    for _ in range(20):
        name = ("tiu", "gdma")[int(rng.integers(2))]
        engine = of.engine(name)
        kind = engine.kinds[int(rng.integers(len(engine.kinds)))]
        header = bytes([0xA5, kind.bytes, (0 if name == "tiu" else 2) | 0x30, 9, 1, 2, 3, 4])
        raw += header + encode_commands(engine, kind, {"layer_info" if name == "tiu" else "layer_ID": 77}).tobytes()
    raw += bytes(24)
    text = "".join(as_text(of, [CommandStream("s", "tiu", np.frombuffer(raw, np.uint8), 0)]))
    assert bytes(assemble(text.splitlines())[1][0].data) == raw


def test_garbage_between_commands_is_kept():
    engine = chip("BM1688").engine("gdma")
    raw = bytearray(padded(engine, b""))
    raw[100] = 7
    raw += padded(engine, encode_commands(engine, engine.kind("DMA_gather")).tobytes())
    stream = CommandStream("s", "gdma", np.frombuffer(bytes(raw), np.uint8), 0)
    text = "".join(as_text(chip("BM1688"), [stream]))
    assert ".bytes" in text
    assert bytes(assemble(text.splitlines())[1][0].data) == raw


def test_a_line_is_what_the_page_says():
    engine = chip("BM1690").engine("tiu")
    raw = padded(
        engine,
        encode_commands(engine, engine.kind("sAR"), {"res0_addr": 0x4000, "res0_n": 2}, func=14, dep=1).tobytes(),
    )
    stream = CommandStream("s", "tiu", np.frombuffer(raw, np.uint8), 0x100)
    lines = "".join(as_text(chip("BM1690"), [stream])).splitlines()
    assert lines[:4] == [
        ".chip BM1690",
        "",
        ".stream s tiu",
        "     1 arith.cast             sAR                wait=1     res0_n=2 res0_addr=0x4000  ; 0x100",
    ]


def test_json_and_csv_say_the_same():
    rng = np.random.default_rng(13)
    engine = chip("BM1684X").engine("tiu")
    raw, _, _ = random_stream(engine, 50, rng)
    stream = CommandStream("s", "tiu", np.frombuffer(raw, np.uint8), 0)
    objects = json.loads("".join(commands_json(chip("BM1684X"), [stream])))
    rows = list(csv.DictReader(io.StringIO("".join(as_csv(chip("BM1684X"), [stream])))))
    assert len(objects) == len(rows) == 51
    for one, row in zip(objects, rows, strict=True):
        assert [str(one[name]) for name in ("id", "dep", "offset", "kind", "name")] == [
            row[name] for name in ("id", "dep", "offset", "kind", "name")
        ]
        fields = dict(part.split("=") for part in row["fields"].split())
        assert {name: int(value, 0) for name, value in fields.items()} == {n: v for n, v in one["fields"].items() if v}
    assert json.loads("".join(commands_json(chip("BM1684X"), []))) == []


HEAD = ".chip BM1690\n.stream s tiu\n"


@pytest.mark.parametrize(
    ("text", "line", "found"),
    [
        ("", 0, "the end of the text"),
        ("1 arith.cast sAR wait=-", 1, "a command"),
        (".stream s tiu", 1, ".stream"),
        (".chip BM1690\n.stream s", 2, ".stream s"),
        (".chip BM1690\n.stream s cpu", 2, "no engine 'cpu'"),
        (".chip X1", 1, "missing chip"),
        (HEAD + ".chip BM1690", 3, ".chip"),
        (HEAD + ".bytes 123", 3, ".bytes 123"),
        (HEAD + ".zeros 99999999999", 3, ".zeros"),
        (HEAD + "1 arith.cast sAR", 3, "arith.cast"),
        (HEAD + "x arith.cast sAR wait=-", 3, "x arith"),
        (HEAD + "2 arith.cast sAR wait=-", 3, "id 2"),
        (HEAD + "1 arith.cost sAR wait=-", 3, "operation arith.cost"),
        (HEAD + "1 arith.cast tAR wait=-", 3, "no command form"),
        (HEAD + "1 arith.cast sAR res0_n=1", 3, "res0_n=1"),
        (HEAD + "1 arith.cast sAR wait=1 wait=2", 3, "field wait"),
        (HEAD + "1 arith.cast sAR wait=- res0_n=1 res0_n=1", 3, "arith.cast"),
        (HEAD + "1 arith.cast sAR wait=- res0_n=65536", 3, "res0_n=65536"),
        (HEAD + "1 arith.cast sAR wait=- res0_x=1", 3, "field res0_x"),
        (HEAD + "1 arith.cast sAR wait=- res0_n=-1", 3, "res0_n=-1"),
        (HEAD + "1 arith.cast sAR wait=9999999", 3, "dep"),
    ],
)
def test_what_cannot_be_assembled_is_named_with_its_line(text, line, found):
    with pytest.raises(InputError) as caught:
        assemble(text.splitlines())
    assert caught.value.line == line
    assert found in str(caught.value)
