# SPDX-License-Identifier: Apache-2.0
"""Containers: our writer against our reader and against the public flatbuffers package, and what is refused."""

import hashlib
import struct
import time
from itertools import pairwise

import numpy as np
import pytest
from flatbuffers import encode as fb_encode
from flatbuffers import number_types as fb
from flatbuffers.table import Table as FbTable

from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.flatbuffer import SCALARS, STRUCTS, Reader, Writer
from goldbeat.pymodels.tpu.streams import container
from goldbeat.pymodels.tpu.streams.bmodel import HEADER, SCHEMA, AreaWriter, BModel, bounded, write_bmodel
from goldbeat.pymodels.tpu.streams.codegen import CodeGen
from goldbeat.pymodels.tpu.streams.cvimodel import HEADER as CVI_HEADER
from goldbeat.pymodels.tpu.streams.cvimodel import SCHEMA as CVI_SCHEMA
from goldbeat.pymodels.tpu.streams.cvimodel import CviModel
from goldbeat.pymodels.tpu.streams.encode import encode_commands, padded
from goldbeat.pymodels.tpu.streams.tables import chip

FLAGS = {
    "u8": fb.Uint8Flags,
    "i8": fb.Int8Flags,
    "bool": fb.BoolFlags,
    "i32": fb.Int32Flags,
    "u32": fb.Uint32Flags,
    "i64": fb.Int64Flags,
    "u64": fb.Uint64Flags,
    "f32": fb.Float32Flags,
}


def public_read(buffer: bytes, schema: dict, name: str) -> dict:
    """The same tables through the public package's accessors."""
    at = fb_encode.Get(fb.UOffsetTFlags.packer_type, buffer, 0)
    return public_table(FbTable(bytearray(buffer), at), schema, name)


def public_table(table: FbTable, schema: dict, name: str) -> dict:
    made = {}
    for index, (field, kind) in enumerate(schema[name]):
        at = table.Offset(4 + 2 * index)
        if at:
            made[field] = public_value(table, schema, kind, at)
    return made


def public_value(table: FbTable, schema: dict, kind: str, at: int):
    where = at + table.Pos
    if kind in SCALARS:
        assert where % SCALARS[kind][1] == 0, "not aligned"
        return table.Get(FLAGS[kind], where)
    if kind in STRUCTS:
        assert where % STRUCTS[kind][2] == 0, "not aligned"
        return struct.unpack_from(STRUCTS[kind][0], table.Bytes, where)
    if kind == "string":
        return table.String(where).decode()
    if not kind.startswith("["):
        return public_table(FbTable(table.Bytes, table.Indirect(where)), schema, kind)
    inner, start, count = kind[1:-1], table.Vector(at), table.VectorLen(at)
    if inner == "u8":
        return bytes(table.Bytes[start : start + count])
    size = SCALARS[inner][1] if inner in SCALARS else STRUCTS[inner][1] if inner in STRUCTS else 4
    made = []
    for i in range(count):
        place = start + i * size
        made.append(public_value(table, schema, inner, place - table.Pos))
    return made


def random_table(rng: np.random.Generator, schema: dict, name: str, depth: int = 0) -> dict:
    made = {}
    for field, kind in schema[name]:
        if rng.random() < 0.7:
            made[field] = random_value(rng, schema, kind, depth)
    return made


def random_value(rng: np.random.Generator, schema: dict, kind: str, depth: int):
    if kind == "f32":
        return float(rng.integers(-99, 99))
    if kind == "bool":
        return bool(rng.integers(2))
    if kind in SCALARS:
        low, high = (0, 1 << 8 * SCALARS[kind][1]) if kind[0] == "u" else (-100, 100)
        return int(rng.integers(low, high - 1, dtype=np.uint64 if kind[0] == "u" else np.int64))
    if kind == "Version":
        return tuple(rng.integers(0, 256, 3).tolist())
    if kind in STRUCTS:
        return tuple(rng.integers(0, 1 << 40, 2).tolist())
    if kind == "string":
        return "x€" * int(rng.integers(0, 5))
    if kind.startswith("["):
        count = int(rng.integers(0, 4 if depth < 4 else 2))
        if kind == "[u8]":
            return bytes(rng.integers(0, 256, count, dtype=np.uint8))
        return [random_value(rng, schema, kind[1:-1], depth + 1) for _ in range(count)]
    return random_table(rng, schema, kind, depth + 1)


@pytest.mark.parametrize("schema", [SCHEMA, CVI_SCHEMA], ids=["bmodel", "cvimodel"])
def test_what_is_written_reads_the_same_here_and_with_the_public_package(schema):
    rng = np.random.default_rng(5)
    for _ in range(40):
        table = random_table(rng, schema, "Model")
        raw = Writer(schema).write("Model", table)
        assert Reader(memoryview(raw), schema).root("Model") == table
        assert public_read(raw, schema, "Model") == table


def sample() -> bytes:
    made = CodeGen(chip("BM1688"), cores=2)
    for core in (0, 1):
        made.emit(f"gdma:{core}", "DMA_tensor", {"src_nsize": 3})
        made.emit(f"tiu:{core}", "sAR", {"res0_n": 1}, func=2)
    made.barrier(1)
    return made.bmodel("two", b"weights" * 9, version="2.2")


def test_a_model_from_the_code_generator():
    raw = sample()
    model = BModel.parse(raw)
    assert model.chip == "BM1688"
    assert model.area % 4096 == 0
    names = [s.name for s in model.streams()]
    assert names == ["core0.sub0.g0.tiu", "core0.sub0.g0.dma", "core1.sub0.g0.tiu", "core1.sub0.g0.dma"]
    assert [(s.count, s.bytes) for s in model.streams()] == [(4, 128), (4, 256)] * 2
    one = model.coefficients()[0]
    assert one.ok
    assert one.found == hashlib.sha256(b"weights" * 9).hexdigest()
    _, _, flat, _ = HEADER.unpack_from(raw, 0)
    public = public_read(raw[64 : 64 + flat], SCHEMA, "Model")
    assert public == model.model
    assert public["net"][0]["parameter"][0]["sub_net"][0]["core_commands"][1]["gdma_tiu_commands"][0]["bdc_num"] == 4


def test_several_nets_and_stages_have_names_that_differ():
    area = AreaWriter()
    stream = area.add(bytes(128))
    group = [{"bdc_num": 1, "binary_bdc": stream, "bdc_cmd_byte": 128}]
    parameter = {"sub_net": [{"cmd_group": group}]}
    old = {"cmd_group": group}
    net = [{"name": "a", "parameter": [parameter, parameter]}, {"name": "b", "parameter": [old]}]
    model = BModel.parse(write_bmodel({"chip": "BM1684", "net": net}, area.data))
    assert [s.name for s in model.streams()] == [
        "net0.stage0.core0.sub0.g0.tiu",
        "net0.stage1.core0.sub0.g0.tiu",
        "net1.stage0.core0.sub0.g0.tiu",
    ]


def changed(at: int, form: str, value: int) -> bytes:
    raw = bytearray(sample())
    struct.pack_into(form, raw, at, value)
    return bytes(raw)


@pytest.mark.parametrize(
    ("raw", "offset", "found"),
    [
        (b"", 0, "0 bytes"),
        (changed(0, "<I", 7), 0, "magic"),
        (changed(4, "<I", 60), 4, "header of 60"),
        (changed(8, "<I", 1 << 30), 8, "FlatBuffer"),
        (changed(12, "<Q", 1 << 40), 12, "binary area"),
        (changed(64, "<I", 1 << 31), None, "inside the buffer"),
        (changed(64, "<I", 0), None, "vtable"),
        (sample()[:-300], 12, "binary area"),
    ],
)
def test_a_broken_header_or_root_is_refused(raw, offset, found):
    with pytest.raises(InputError, match=found) as caught:
        BModel.parse(raw)
    assert offset is None or caught.value.offset == offset
    assert caught.value.offset is not None


def test_a_binary_outside_of_the_area_is_refused():
    with pytest.raises(InputError, match="inside the area"):
        write_bmodel({"net": [{"parameter": [{"net_profile": (10, 10)}]}]}, bytes(12))


def test_references_that_multiply_are_refused():
    # A vector of tables that are all the same table, with a vector of the same kind in it: 4^12 tables out of 200 bytes.
    schema = {"Node": [("next", "[Node]")]}
    out = bytearray(4)
    levels = []
    for _ in range(24):
        vtable = len(out)
        out += struct.pack("<HHHH", 6, 8, 4, 0)
        table = len(out)
        out += struct.pack("<iI", table - vtable, 4) + struct.pack("<I", 4) + bytes(16)
        levels.append(table)
    for here, there in pairwise(levels):
        for i in range(4):
            at = here + 12 + 4 * i
            struct.pack_into("<I", out, at, there - at)
    for i in range(4):
        struct.pack_into("<I", out, levels[-1] + 12 + 4 * i, 0)
    struct.pack_into("<I", out, levels[-1] + 8, 0)
    struct.pack_into("<I", out, 0, levels[0])
    with pytest.raises(InputError, match="larger together"):
        Reader(memoryview(bytes(out)), schema).root("Node")


def aliased(entries: int, size: int) -> bytes:
    """A BModel whose sub-nets all name the same bytes."""
    engine = chip("BM1690").engine("gdma")
    area = AreaWriter()
    place = area.add(padded(engine, encode_commands(engine, engine.kind("sDMA_sys"), func=1, n=size // 16).tobytes()))
    subnets = [{"cmd_group": [{"binary_gdma": place}]} for _ in range(entries)]
    return write_bmodel({"chip": "BM1690", "net": [{"parameter": [{"sub_net": subnets}]}]}, area.data)


def test_streams_that_share_their_bytes_are_bounded_by_the_file():
    # 500 entries on 1 MB took 39 s and 1.4 GB.
    raw = aliased(500, 1 << 20)
    model = BModel.parse(raw)
    begin = time.process_time()
    with pytest.raises(InputError, match="streams that are larger together than 4 times the file"):
        model.streams()
    assert time.process_time() - begin < 1
    twice = BModel.parse(aliased(2, 1 << 12))
    assert len(twice.streams()) == 2
    # Many small ones are work as well.
    bounded([(0, 16)] * 16, 1024, "streams", None)
    with pytest.raises(InputError, match="byte 7: found streams"):
        bounded([(7, 16)] * 17, 1024, "streams", None)


def with_coefficients(places: list[tuple[int, int]], area: bytes) -> BModel:
    digest = hashlib.sha256(area).digest()
    stages = [{"coeff_mem": {"binary_coeff": place, "check_code": digest}} for place in places]
    return BModel.parse(write_bmodel({"net": [{"parameter": stages}]}, area))


def test_stages_may_share_their_coefficients():
    area = bytes(range(256)) * 256
    shared = with_coefficients([(0, len(area))] * 100, area).coefficients()
    assert len(shared) == 100
    assert all(one.ok for one in shared)
    with pytest.raises(InputError, match="coefficients that are larger together"):
        with_coefficients([(at, len(area) - at) for at in range(100)], area).coefficients()


def test_what_the_writer_refuses():
    with pytest.raises(UsageError, match="no field colour"):
        Writer(SCHEMA).write("Model", {"colour": 1})
    with pytest.raises(UsageError, match=r"Model\.device_num"):
        Writer(SCHEMA).write("Model", {"device_num": -1})
    with pytest.raises(UsageError, match="expected Binary"):
        Writer(SCHEMA).write("Model", {"kernel_module": {"binary": (1,)}})


def cvi(section: bytes) -> bytes:
    sections = [
        {"type": 0, "name": "weight", "size": 8},
        {"type": 1, "name": "c", "size": len(section), "offset": 8},
    ]
    flat = Writer(CVI_SCHEMA).write("Model", {"name": "m", "sections": sections})
    body = flat + bytes(8) + section
    return CVI_HEADER.pack(b"CviModel", len(flat), 1, 4, hashlib.md5(body).digest(), b"cv181x") + body


def test_a_cvimodel():
    of = chip("CV181X")
    tiu = encode_commands(
        of.engine("tiu"), of.engine("tiu").kind("conv"), {"cmd_id_tpu": 1, "cmd_id_gdma": 1}
    ).tobytes()
    dma = encode_commands(of.engine("gdma"), of.engine("gdma").kind("tdma"), {"cmd_id": 1}).tobytes()
    section = bytes([0xA7, 64, 2, 0, 0, 0, 0, 0]) + dma + bytes([0xA7, 112, 0, 0, 0, 0, 0, 0]) + tiu
    raw = cvi(section)
    model = container.parse_container(raw)
    assert isinstance(model, CviModel)
    assert model.chip == "cv181x"
    (stream,) = model.streams()
    found = container.commands(of, stream)
    assert {name: one.id.tolist() for name, one in found.items()} == {"tiu": [1], "gdma": [1]}
    assert found["tiu"].dep.tolist() == [1]
    assert found["tiu"].place.tolist() == [1]
    assert model.coefficients()[0].ok
    assert not CviModel.parse(raw[:-1] + b"\1").coefficients()[0].ok
    with pytest.raises(InputError, match="section 'c'"):
        CviModel.parse(raw[:-1])
    with pytest.raises(InputError, match="a header of 48"):
        CviModel.parse(raw[:40])
