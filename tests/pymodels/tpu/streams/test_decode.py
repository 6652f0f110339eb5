# SPDX-License-Identifier: Apache-2.0
"""Decoder and encoder against each other and against commands worked out by hand."""

import numpy as np
import pytest
from tpu_streams import every_engine, free_fields, funcs_of, random_fields, random_stream

from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.tpu.streams import framing as walk_module
from goldbeat.pymodels.tpu.streams.decode import decode_records, decode_stream
from goldbeat.pymodels.tpu.streams.encode import encode_commands, end_command, interleave, padded
from goldbeat.pymodels.tpu.streams.tables import chip

ENGINES = every_engine()
IDS = [f"{c.name}-{e.name}" for c, e in ENGINES]


@pytest.mark.parametrize(("of", "engine"), ENGINES, ids=IDS)
def test_decoding_what_was_encoded_gives_it_back(of, engine):
    rng = np.random.default_rng(7)
    for kind in engine.kinds:
        n = 9
        funcs = funcs_of(engine, kind)
        if not funcs:
            continue
        fields = random_fields(engine, kind, n, rng)
        func = rng.choice(funcs, n)
        raw = encode_commands(engine, kind, fields, n=n, func=func if engine.head else None)
        assert raw.shape == (n, kind.bytes)
        if of.magic is not None:
            number = next(k for k, v in of.record_engines.items() if v == engine.name)
            header = bytes([of.magic, kind.bytes, number, 0, 0, 0, 0, 0])
            found = decode_records(of, b"".join(header + one.tobytes() for one in raw))[engine.name]
        else:
            found = decode_stream(engine, padded(engine, raw.tobytes()))
        rows = np.arange(n)
        assert (found.kind[:n] == kind.index).all()
        columns = found.fields(kind, rows)
        for name, column in fields.items():
            assert (columns[name] == column).all(), (kind.name, name)
        again = encode_commands(engine, kind, columns)
        assert (again == raw).all(), kind.name


@pytest.mark.parametrize(("of", "engine"), ENGINES, ids=IDS)
def test_a_random_stream_is_decoded_whole(of, engine, monkeypatch):
    monkeypatch.setattr(walk_module, "_CHUNK", 64)
    if of.magic is not None:
        return
    rng = np.random.default_rng(8)
    raw, which, fields = random_stream(engine, 300, rng)
    found = decode_stream(engine, raw)
    has_end = engine.end is not None
    assert found.kind[: len(which)].tolist() == which.tolist()
    assert len(found) == len(which) + has_end
    assert bool(len(found) and found.is_end[-1]) == has_end
    assert found.offset.tolist() == [0, *np.cumsum(found.length)[:-1].tolist()]
    for index, columns in fields.items():
        kind = engine.kinds[index]
        decoded = found.fields(kind, np.flatnonzero(which == index))
        for name, column in columns.items():
            assert (decoded[name] == column).all(), (kind.name, name)


def test_the_worked_head():
    # short 1, id 1, dep 1, typ 3, eu 14: arithmetic cast that waits for GDMA command 1.
    engine = chip("BM1684X").engine("tiu")
    raw = bytes.fromhex("0300200000c6a100") + bytes(56)
    found = decode_stream(engine, padded(engine, raw))
    assert (found.op(0), found.id[0], found.dep[0], len(found)) == ("arith.cast", 1, 1, 2)
    made = encode_commands(engine, engine.kind("sAR"), func=14, id=1, dep=1)
    words = int.from_bytes(made.tobytes()[:8], "little"), int.from_bytes(raw[:8], "little")
    assert words[0] & 0x3FFFFFFFFFFFF == words[1] & 0x3FFFFFFFFFFFF


@pytest.mark.parametrize("name", ["BM1690", "SG2380", "CV184X"])
def test_a_dependency_counts_only_with_its_enable_bit(name):
    engine = chip(name).engine("tiu")
    kind = engine.kind("SYS")
    waits = encode_commands(engine, kind, func=1, dep=77)
    idle = encode_commands(engine, kind, {"cmd_id_dep": 77}, func=1)
    found = decode_stream(engine, padded(engine, waits.tobytes() + idle.tobytes()))
    assert found.dep.tolist() == [77, 0, 0]
    assert found.id.tolist() == [1, 2, 3]


def test_commands_without_a_dependency_in_their_head_never_wait():
    engine = chip("BM1690").engine("tiu")
    kind = engine.kind("SYS_TR_ACC")
    raw = encode_commands(engine, kind, {"imm0": 0xFFFFFFFF, "reg_idx0": 0xFF, "reg_idx1": 0xFF}, n=1)
    found = decode_stream(engine, padded(engine, raw.tobytes()))
    assert (found.dep[0], found.op(0)) == (0, "system_tr_wr.wr_imm")
    with pytest.raises(UsageError, match="cannot wait"):
        encode_commands(engine, kind, dep=3)


def test_several_segments():
    engine = chip("SG2380").engine("gdma")
    one = padded(engine, encode_commands(engine, engine.kind("DMA_matrix"), n=2).tobytes())
    found = decode_stream(engine, one + bytes(256) + one)
    assert found.segment.tolist() == [0, 0, 0, 1, 1, 1]
    assert found.id.tolist() == [1, 2, 3, 1, 2, 3]
    assert found.is_end.tolist() == [False, False, True] * 2


def test_groups_count_from_where_they_are_told():
    engine = chip("BM1688").engine("tiu")
    assert decode_stream(engine, padded(engine, b""), first_id=9).id.tolist() == [9]


ENGINE = chip("BM1684X").engine("tiu")
AR = encode_commands(ENGINE, ENGINE.kind("sAR")).tobytes()


@pytest.mark.parametrize(
    ("raw", "rule", "offset"),
    [
        (b"", "missing-end", 0),
        (bytes(256), "missing-end", 0),
        (AR, "missing-end", 64),
        (AR + bytes(64), "missing-end", 64),
        (AR[:48], "truncated", 0),
        (AR + AR[:20], "truncated", 64),
        (AR + b"\0\0\0\0\0\x10" + b"\xff" * 10, "unknown-kind", 64),
        (padded(ENGINE, AR) + b"\xff" * 5, "truncated", 128),
        (padded(ENGINE, AR)[:-1] + b"\1", "padding", 127),
    ],
    ids=range(9),
)
def test_damaged_framing_is_named(raw, rule, offset):
    found = decode_stream(ENGINE, raw, strict=False)
    assert [(p.rule, p.offset) for p in found.problems] == [(rule, offset)]
    if found.problems[0].fatal:
        with pytest.raises(InputError) as caught:
            decode_stream(ENGINE, raw)
        assert caught.value.offset == offset
    else:
        assert len(decode_stream(ENGINE, raw)) == 2


def test_a_missing_command_of_a_fixed_length_engine():
    engine = chip("BM1684").engine("tiu")
    raw = encode_commands(engine, engine.kind("conv_op"), {"cmd_en": 1}, n=3, id=np.arange(1, 4)).tobytes()
    assert decode_stream(engine, raw).id.tolist() == [1, 2, 3]
    assert decode_stream(engine, raw + bytes(512)).id.tolist() == [1, 2, 3]
    with pytest.raises(InputError, match="60 bytes"):
        decode_stream(engine, raw[:-68])
    early = raw[:0x80] + bytes([raw[0x80] | 2]) + raw[0x81:]
    assert [(p.rule, p.offset) for p in decode_stream(engine, early).problems] == [("early-last", 0x80)]


def test_records_of_another_chip():
    of = chip("CV183X")
    raw = bytes([0xA7, 112, 0, 0, 0, 0, 0, 0]) + bytes(112)
    with pytest.raises(InputError, match="magic 0xa7"):
        decode_records(of, raw)
    with pytest.raises(InputError, match="record of 64"):
        decode_records(of, bytes([0xA5, 64]) + raw[2:])


def test_what_cannot_be_encoded():
    engine = ENGINE
    kind = engine.kind("sAR")
    with pytest.raises(UsageError, match=r"sAR\.res0_n: found 65536"):
        encode_commands(engine, kind, {"res0_n": [1, 65536]})
    with pytest.raises(UsageError, match="no field 'resO_n'"):
        encode_commands(engine, kind, {"resO_n": 1})
    with pytest.raises(UsageError, match="func 31"):
        encode_commands(engine, kind, func=31)
    with pytest.raises(UsageError, match="another form"):
        encode_commands(engine, kind, {"tsk_typ": 15})
    with pytest.raises(UsageError, match="no command form 'sXX'"):
        engine.kind("sXX")
    with pytest.raises(UsageError, match="column of shape"):
        encode_commands(engine, kind, {"res0_n": [1, 2], "res0_c": [1, 2, 3]})
    with pytest.raises(UsageError, match="is counted"):
        encode_commands(chip("BM1690").engine("tiu"), chip("BM1690").engine("tiu").kind("sAR"), id=1)
    with pytest.raises(UsageError, match="each once"):
        interleave(
            [
                (np.array([0, 2]), encode_commands(engine, kind, n=2)),
                (np.array([2]), encode_commands(engine, kind, n=1)),
            ]
        )


def test_end_and_padding():
    engine = chip("BM1690").engine("gdma")
    assert end_command(engine).hex() == "08000000060000000000000000000000"
    assert len(padded(engine, bytes(96))) == 128
    assert len(padded(engine, bytes(128))) == 256
    assert free_fields(engine, engine.kind("sDMA_sys"))
