# SPDX-License-Identifier: Apache-2.0
"""CviModels: what goes in and comes out, weights, sections, and the names of operations."""

import pytest
from cvimodels import container, records, tensor, whole

from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.flatbuffer import Writer
from goldbeat.pymodels.tpu.streams.assemble import assemble
from goldbeat.pymodels.tpu.streams.cvimodel import HEADER, SCHEMA, CviModel
from goldbeat.pymodels.tpu.streams.listing import as_text, command_objects
from goldbeat.pymodels.tpu.streams.tables import chip

CHIPS = ("CV183X", "CV182X", "CV181X", "CV180X")


def test_inputs_and_outputs_of_each_program():
    model = CviModel.parse(whole())
    first, second = model.programs()
    assert (first.name, second.name) == ("m.0", "m.1")
    assert [(t.name, t.type, t.shape, t.bytes) for t in second.inputs] == [
        ("x", "uint8", (2, 3, 8, 8), 256),
        ("mask", "bf16", (2, 2), 8),
    ]
    # A size that is only known at run time.
    assert [(t.name, t.type, t.shape, t.bytes) for t in first.outputs] == [("y", "fp32", (-1, 10), 0)]
    (only,) = CviModel.parse(whole(programs=1)).programs()
    assert only.name == "m"
    lost = {"input_tensors": ["nowhere"], "tensor_map": [tensor("x", 9, 2)]}
    (one,) = CviModel.parse(container("CV181X", [], programs=[lost])).programs()
    assert [(t.name, t.shape, t.bytes) for t in one.inputs] == [("nowhere", (), 0)]


def test_weights_are_where_the_file_has_them():
    model = CviModel.parse(whole())
    weights = {one.name: one for one in model.weights()}
    place = weights["w"].offset
    assert place is not None
    assert model.data[place : place + 32].tolist() == list(range(16, 48))
    assert (weights["w"].type, weights["w"].shape, weights["w"].bytes) == ("int8", (4, 8), 32)
    assert (weights["b"].type, weights["b"].offset) == ("int32", place + 32)
    assert weights["far"].offset is None
    packed = container(
        "CV181X", [({"type": 0, "name": "weight", "encrypt": True}, bytes(64))], weight_map=[{"size": 4}]
    )
    assert [one.offset for one in CviModel.parse(packed).weights()] == [None]
    bare = CviModel.parse(container("CV181X", [], weight_map=[{"name": "w", "offset": 0, "size": 1}]))
    assert [one.offset for one in bare.weights()] == [None]


def test_every_section_is_a_stream_or_a_part():
    model = CviModel.parse(whole())
    assert [one.name for one in model.streams()] == ["core0.sub0.g0.cmdbuf", "core0.sub1.g0.cmdbuf"]
    parts = {name: data.tobytes() for name, data in model.parts()}
    assert parts == {"weight.bin": bytes(range(200)), "func_x86.bin": b"\x7fELF", "cmdbuf.packed.bin": b"xyz"}
    two = container("CV181X", [({"type": kind, "name": "n"}, bytes([kind])) for kind in (4, 4, 9)])
    assert [name for name, _ in CviModel.parse(two).parts()] == ["dmabuf0.bin", "dmabuf1.bin", "type9.bin"]


def test_sections_that_share_their_bytes_are_bounded_by_the_file():
    twice = container("CV181X", [({"type": 1, "name": "a"}, bytes(1 << 16))] * 2)
    assert len(CviModel.parse(twice).streams()) == 2
    tables = [{"type": 1, "name": "a", "size": 1 << 16, "offset": 0} for _ in range(400)]
    flat = Writer(SCHEMA).write("Model", {"name": "m", "sections": tables})
    head = HEADER.pack(b"CviModel", len(flat), 1, 4, bytes(16), b"cv181x")
    with pytest.raises(InputError, match="sections that are larger together than 4 times the file"):
        CviModel.parse(head + flat + bytes(1 << 16))


@pytest.mark.parametrize("name", CHIPS)
def test_operations_have_names(name):
    of = chip(name)
    lookup = ("tiu", "lookup", {}) if name == "CV183X" else ("tiu", "arith", {"tsk_eu_typ": 12})
    commands = [
        ("gdma", "tdma", {}),
        ("tiu", "conv", {}),
        ("tiu", "pooling", {"tsk_eu_typ": 0}),
        ("tiu", "pooling", {"tsk_eu_typ": 1}),
        ("tiu", "pooling", {"tsk_eu_typ": 2}),
        ("tiu", "matmul", {}),
        ("tiu", "arith", {"tsk_eu_typ": 2}),
        lookup,
        ("tiu", "arith", {"tsk_eu_typ": 17}),
        ("gdma", "tdma", {"spec_func": 1}),
        ("gdma", "tdma_copy", {}),
        ("gdma", "tdma_move", {"spec_func": 5}),
        ("gdma", "tdma_store", {}),
    ]
    raw = container(name, [({"type": 1, "name": "c"}, records(name, commands))])
    model = CviModel.parse(raw)
    (stream,) = model.streams()
    assert [one["name"] for one in command_objects(of, [stream])] == [
        "tdma.load",
        "conv",
        "pooling.max",
        "pooling.avg",
        "pooling.depthwise",
        "matmul",
        "arith.add",
        "arith.lookup",
        "arith#17",
        "tdma.load.transpose",
        "tdma.copy",
        "tdma.move#5",
        "tdma.store",
    ]
    text = "".join(as_text(of, [stream]))
    assert bytes(assemble(text.splitlines())[1][0].data) == stream.data.tobytes()
