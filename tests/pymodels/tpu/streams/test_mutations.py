# SPDX-License-Identifier: Apache-2.0
"""Damaged containers, streams and listings: only the package's own errors, in bounded time and memory."""

import hashlib
import json
import resource
import time

import numpy as np
import pytest
from cvimodels import whole
from tpu_profile import section as profile_section
from tpu_streams import segmented
from turns import TURN, TURNS

from goldbeat.pymodels.errors import GoldbeatError
from goldbeat.pymodels.flatbuffer import Writer
from goldbeat.pymodels.tpu.streams.assemble import assemble
from goldbeat.pymodels.tpu.streams.bmodel import CommandStream
from goldbeat.pymodels.tpu.streams.checks import check_streams
from goldbeat.pymodels.tpu.streams.codegen import CodeGen
from goldbeat.pymodels.tpu.streams.container import commands, parse_container
from goldbeat.pymodels.tpu.streams.cvimodel import HEADER, SCHEMA, CviModel
from goldbeat.pymodels.tpu.streams.decode import decode_records, decode_stream
from goldbeat.pymodels.tpu.streams.encode import encode_commands
from goldbeat.pymodels.tpu.streams.listing import as_text, command_objects
from goldbeat.pymodels.tpu.streams.profile import fit, read_sections
from goldbeat.pymodels.tpu.streams.schedule import lane, schedule
from goldbeat.pymodels.tpu.streams.tables import Tables, chip, tables

QUICK, ALL = 1_500, 100_000
SLOWEST_S = 5.0
"""What hangs takes more processor time than this (the inputs are a few KiB)."""


def bmodel(name: str) -> bytes:
    made = CodeGen(chip(name), cores=2 if name in ("BM1688", "BM1690") else 1)
    engine = chip(name).engine("tiu")
    for kind in engine.kinds[:12]:
        made.emit("tiu", kind.name)
        made.emit("gdma", chip(name).engine("gdma").kinds[0].name)
    if name in ("BM1688", "BM1690"):
        made.barrier(1)
    if name == "BM1690":
        made.emit("sdma", "DMA_general")
    return made.bmodel("m", b"weights", version="1", time="now")


def cvimodel() -> bytes:
    of = chip("CV183X")
    section = b""
    for number in range(4):
        for name in ("gdma", "tiu"):
            engine = of.engine(name)
            kind = engine.kinds[0]
            section += bytes([0xA5, kind.bytes, 0 if name == "tiu" else 2, 0, 0, 0, 0, 0])
            section += encode_commands(engine, kind, id=number + 1, dep=number).tobytes()
    flat = Writer(SCHEMA).write("Model", {"name": "m", "sections": [{"type": 1, "name": "c", "size": len(section)}]})
    return HEADER.pack(b"CviModel", len(flat), 1, 4, hashlib.md5(flat + section).digest(), b"cv183x") + flat + section


def mutate(raw: bytes, rng: np.random.Generator, hot: int) -> bytes:
    """One to four changes: bits, bytes, words of odd values, cuts, copies, insertions; mostly in the first ``hot`` bytes."""
    data = bytearray(raw)
    for _ in range(int(rng.integers(1, 5))):
        if not data:
            break
        at = int(rng.integers(min(hot, len(data)) if rng.random() < 0.7 else len(data)))
        what = int(rng.integers(8))
        if what == 0:
            data[at] ^= 1 << int(rng.integers(8))
        elif what == 1:
            data[at] = int(rng.integers(256))
        elif what == 2:
            word = int(
                rng.choice([0, 1, 4, 0x7F, 0xFF, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0xFFFFFFFC])
            )
            at -= at % 4
            data[at : at + 4] = word.to_bytes(4, "little")[: len(data) - at]
        elif what == 3:
            del data[at:]
        elif what == 4:
            del data[at : at + int(rng.integers(1, 65))]
        elif what == 5:
            data[at:at] = bytes(rng.integers(0, 256, int(rng.integers(1, 65)), dtype=np.uint8))
        elif what == 6:
            to = int(rng.integers(len(data)))
            data[at : at + 16] = data[to : to + 16]
        else:
            data[at : at + 8] = (int(rng.integers(1 << 62)) << 1).to_bytes(8, "little")
    return bytes(data)


def use_container(raw: bytes) -> None:
    model = parse_container(raw)
    model.coefficients()
    streams = model.streams()
    if isinstance(model, CviModel):
        names = [name for name, _ in model.parts()]
        assert len(set(names)) == len(names)
        assert all("/" not in name for name in names)
        assert all(w.offset is None or w.offset <= len(model.data) for w in model.weights())
        model.programs()
    try:
        of = tables().chip(model.chip)
    except GoldbeatError:
        of = tables().chip("BM1690")
    check_streams(of, streams, model)
    for stream in streams[:4]:
        for _ in command_objects(of, [stream]):
            pass


def use_stream(raw: bytes, name: str, engine: str) -> None:
    of = chip(name)
    if of.magic is not None:
        for one in decode_records(of, raw, strict=False).values():
            for kind in one.kinds():
                one.fields(kind)
        decode_records(of, raw)
        return
    stream = CommandStream("core0.sub0.g0." + engine, engine, np.frombuffer(raw, np.uint8), 0)
    check_streams(of, [stream])
    commands(of, stream, strict=False)
    found = decode_stream(of.engine(engine), raw)
    for kind in found.kinds():
        found.fields(kind)
    text = "".join(as_text(of, [stream]))
    assert bytes(assemble(text.splitlines())[1][0].data) == raw


def use_profile(raw: bytes, path) -> None:
    path.write_bytes(raw)
    streams = segmented("BM1690", [([1, 1], [0])]), segmented("BM1690", [([1], [0, 1])])
    found = [[decode_stream(chip("BM1690").engine(one.engine), one.data) for one in part] for part in streams]
    for commands_, durations in fit(read_sections(path), [("a", found[0]), ("b", found[1])]):
        took = np.zeros(len(commands_), np.int64)
        took[durations.rows] = durations.cycles
        schedule([lane(commands_)], [took])


def use_text(raw: bytes) -> None:
    assemble(raw.decode("utf-8", "replace").splitlines())


def use_tables(raw: bytes, path) -> None:
    path.write_bytes(raw)
    known = Tables(path)
    for name in known.names()[13:]:
        assert known.chip(name).engines


def sources(tmp_path):
    """Name, bytes, hot bytes and user of every kind of input."""
    made = []
    for name in ("BM1684", "BM1684X", "BM1688", "BM1690", "SG2380"):
        raw = bmodel(name)
        model = parse_container(raw)
        made.append((raw, model.area, use_container))
        for stream in model.streams()[:3]:
            made.append((stream.data.tobytes(), 1 << 20, lambda r, n=name, e=stream.engine: use_stream(r, n, e)))
    raw = cvimodel()
    made.append((raw, 400, use_container))
    section = parse_container(raw).streams()[0].data.tobytes()
    made.append((section, 1 << 20, lambda r: use_stream(r, "CV183X", "tiu")))
    text = "".join(as_text(chip("BM1688"), parse_container(bmodel("BM1688")).streams())).encode()
    made.append((text, 1 << 20, use_text))
    made.append((whole(), 1500, use_container))
    text = profile_section([(1, 1, 5), (2, 1, 3)], [(1, 0, 10)])
    text += profile_section([(1, 1, 4)], [(1, 0, 6), (2, 1, 2)])
    made.append((text.encode(), 1 << 20, lambda r: use_profile(r, tmp_path / "compiler_profile_0.txt")))
    table = json.dumps(
        {
            "format": 1,
            "heads": {"h": {"type": [0, 4], "func": [4, 4], "dep": [8, 8]}},
            "layouts": {"l": "a:4 b:4 c@16:16 d:32"},
            "chips": {
                "N": {
                    "engines": {
                        "tiu": {
                            "head": "h",
                            "end": "K",
                            "end_func": 1,
                            "kinds": [
                                {"kind": "K", "layout": "l", "bytes": 16, "type": 1, "ops": {"0": "x", "1": "end"}}
                            ],
                        }
                    }
                }
            },
        }
    ).encode()
    made.append((table, 1 << 20, lambda r: use_tables(r, tmp_path / "t.json")))
    return made


def run(count: int, seed: int, tmp_path) -> None:
    inputs = sources(tmp_path)
    rng = np.random.default_rng(seed)
    refused = 0
    for number in range(count):
        raw, hot, use = inputs[number % len(inputs)]
        bad = mutate(raw, rng, hot)
        begin = time.process_time()
        try:
            use(bad)
        except GoldbeatError:
            refused += 1
        assert time.process_time() - begin < SLOWEST_S, (number, seed)
    assert count // 10 < refused < count
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < 1 << 20, "more than 1 GiB"


@pytest.mark.slow
def test_damaged_inputs_quick(tmp_path):
    run(QUICK, 1, tmp_path)


@pytest.mark.slow
def test_damaged_inputs(tmp_path):
    run(ALL // TURNS, 100 + TURN, tmp_path)
