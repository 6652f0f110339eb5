# SPDX-License-Identifier: Apache-2.0
"""Loadables made here: reading, refusing, layouts, addresses, the driver's order of things."""

from __future__ import annotations

import re
import struct

import flatbuffers
import numpy as np
import pytest
from flatbuffers import number_types
from flatbuffers.table import Table
from nvdla_network import classifier

from goldbeat.pymodels.errors import GoldbeatError, InputError, UsageError
from goldbeat.pymodels.nvdla.driver.driver import drive_task
from goldbeat.pymodels.nvdla.driver.driver_steps import DriverStep
from goldbeat.pymodels.nvdla.driver.instant_hardware import IdealHardware, loadable_program, record_driver
from goldbeat.pymodels.nvdla.driver.program_text import parse_trace, to_cfg, to_csv, to_trace
from goldbeat.pymodels.nvdla.engines.hardware import run_operation
from goldbeat.pymodels.nvdla.execute import execute
from goldbeat.pymodels.nvdla.listing import graph, info, network_dot, operations
from goldbeat.pymodels.nvdla.loadable.compose import ComposedLayer, Data, compose
from goldbeat.pymodels.nvdla.loadable.layouts import (
    DATA_DONE,
    OP_COMPLETED,
    OP_ENABLED,
    OP_PROGRAMMED,
    dtype,
    layout_dict,
)
from goldbeat.pymodels.nvdla.loadable.loadable import (
    Loadable,
    LoadableMemory,
    LoadableTensor,
    Version,
    parse_loadable,
    to_bytes,
)
from goldbeat.pymodels.nvdla.loadable.network import dla_tasks, network
from goldbeat.pymodels.nvdla.loadable.placement import place_memories


def cube(address, width=8, height=8, channel=16, kind=0):
    line, surface = width * 8, width * height * 8
    size = surface * (-(-channel // 8))
    shape = {"width": width, "height": height, "channel": channel, "line_stride": line, "surf_stride": surface}
    return {"type": kind, "address": address, "size": size if kind != 2 else 0, **shape}


X1 = {"enable": 1, "alu_type": 2, "type": 2, "act": 1, "alu_operand": 3, "mul_operand": 1}
SDP = {"batch_num": 1, "lut_index": -1, "out_cvt": {"scale": 1, "enable": 1}, "x1_op": X1}
PDP = {"split_num": 1, "pool_mode": 1, "stride_x": 1, "stride_y": 1}


def sdp(source, target, **more):
    return ComposedLayer("SDP", SDP, {"src_data": cube(source), "dst_data": cube(target)}, **more)


def pdp(source, target, **more):
    return ComposedLayer("PDP", PDP, {"src_data": cube(source), "dst_data": cube(target)}, **more)


def memories(count, size=1024):
    rng = np.random.default_rng(1)
    first = Data(contents=rng.integers(0, 256, size).astype(np.uint8))
    return [first, *(Data(size) for _ in range(count - 1))]


@pytest.mark.parametrize("layout", ["cube28", "cube32"])
@pytest.mark.parametrize("identifier", [b"NVDA", b""])
def test_what_is_written_is_read(layout, identifier):
    made = compose([sdp(0, 1)], memories(2), layout=layout)
    made = Loadable(
        **{**vars(made), "tensors": (LoadableTensor("in", 3, 5, n=1, c=16, h=8, w=8, strides=tuple(range(8))),)}
    )
    read = parse_loadable(to_bytes(made, identifier=identifier))
    for name in ("version", "tasks", "memories", "addresses", "tensors", "submits"):
        assert getattr(read, name) == getattr(made, name)
    assert [(b.name, b.data.tolist()) for b in read.blobs] == [(b.name, b.data.tolist()) for b in made.blobs]
    found = network(read, read.tasks[0])
    assert found.choice.layout == layout
    assert found.operations[0].member == "sdp"
    assert layout_dict(found.operations[0].surface["src_data"])["width"] == 8


def test_the_flatbuffers_package_reads_what_is_written():
    data = to_bytes(compose([sdp(0, 1)], memories(2)))
    root = Table(data, struct.unpack_from("<I", data)[0])
    assert data[4:8] == b"NVDA"
    place_of_version = root.Offset(4) + root.Pos
    assert list(data[place_of_version : place_of_version + 3]) == [0, 7, 0]
    slot = root.Offset(8)
    assert root.VectorLen(slot) == 7
    memory = Table(data, root.Indirect(root.Vector(slot) + 4))
    assert memory.String(memory.Vector(memory.Offset(14))) == b"ops"
    assert memory.Get(number_types.Uint64Flags, memory.Pos + memory.Offset(10)) == 116
    assert (memory.Pos + memory.Offset(10)) % 8 == 0


def test_a_file_of_the_flatbuffers_package_is_read():
    builder = flatbuffers.Builder()
    name = builder.CreateString("late")
    builder.StartObject(6)
    builder.PrependUOffsetTRelativeSlot(0, name, 0)
    builder.PrependUint64Slot(1, 99, 0)
    blob = builder.EndObject()
    builder.StartVector(4, 1, 4)
    builder.PrependUOffsetTRelative(blob)
    blobs = builder.EndVector()
    builder.StartObject(9)
    builder.PrependUOffsetTRelativeSlot(5, blobs, 0)
    builder.Prep(1, 3)
    for part in (0, 7, 0):
        builder.PrependUint8(part)
    builder.PrependStructSlot(0, builder.Offset(), 0)
    builder.Finish(builder.EndObject())
    (found,) = parse_loadable(bytes(builder.Output())).blobs
    assert (found.name, found.size, found.version, len(found.data)) == ("late", 99, None, 0)


@pytest.mark.parametrize("version", [(0, 5, 0), (0, 6, 0), (1, 7, 0)])
def test_other_schema_versions_are_refused_by_name(version):
    made = compose([], [])
    data = to_bytes(Loadable(**{**vars(made), "version": Version(*version)}))
    wanted = ".".join(map(str, version))
    with pytest.raises(InputError, match=f"loadable of schema version {wanted}, expected schema version 0.7.0"):
        parse_loadable(data)


def test_every_truncation_is_refused_or_read():
    data = to_bytes(compose([sdp(0, 1)], memories(2, 64)))
    for size in range(len(data)):
        try:
            explore(data[:size])
        except GoldbeatError:
            continue


def explore(data):
    loadable = parse_loadable(data)
    info(loadable)
    placement = place_memories(loadable)
    operations(placement)
    network_dot(loadable)
    placement.regions()
    loadable_program(placement)


def test_damage_gives_own_errors_only():
    data = to_bytes(compose([sdp(0, 1), pdp(1, 2)], memories(3, 64), layout="cube28"))
    rng = np.random.default_rng(3)
    survived = 0
    for _ in range(600):
        mutant = bytearray(data)
        for _ in range(int(rng.integers(1, 4))):
            mutant[rng.integers(len(mutant))] = rng.integers(256)
        try:
            explore(bytes(mutant))
            survived += 1
        except GoldbeatError:
            continue
    assert 0 < survived < 600


def test_parts_used_over_and_over_are_refused():
    # A vector of a thousand tables that are all one table with a large vector.
    made = compose([], [Data(contents=np.zeros(4096, np.uint8))])
    data = bytearray(to_bytes(made))
    root = struct.unpack_from("<I", data)[0]
    vtable = root - struct.unpack_from("<i", data, root)[0]
    slot = struct.unpack_from("<H", data, vtable + 4 + 2 * 5)[0]
    vector = root + slot + struct.unpack_from("<I", data, root + slot)[0]
    blob = vector + 4 + 20 + struct.unpack_from("<I", data, vector + 4 + 20)[0]
    at = len(data)
    data += struct.pack("<I", 1000)
    data += bytes(4000)
    # Forwards only: the table is copied behind the vector.
    copy = len(data)
    data += bytes(-copy % 8)
    copy = len(data)
    start = blob - struct.unpack_from("<i", data, blob)[0]
    data += data[start:at]
    for i in range(1000):
        place_of = at + 4 + 4 * i
        struct.pack_into("<I", data, place_of, copy + blob - start - place_of)
    struct.pack_into("<I", data, root + slot, at - root - slot)
    with pytest.raises(InputError, match="used over and over"):
        parse_loadable(bytes(data))


def test_structures_have_the_sizes_of_the_lists():
    assert dtype("sdp_op_desc").itemsize == 116
    assert dtype("bdma_surface_desc").itemsize == 644
    assert dtype("common_op_desc").itemsize == 36
    assert dtype("lut_param").itemsize == 700
    assert dtype("data_cube", "cube28").itemsize + 4 == dtype("data_cube", "cube32").itemsize


def test_sense_decides_where_the_version_lies():
    made = compose([sdp(0, 1)], memories(2), layout="cube28")
    liar = [type(b)(b.name, b.size, b.interface, b.sub_interface, Version(0, 12, 3), b.data) for b in made.blobs]
    lied = Loadable(**{**vars(made), "blobs": tuple(liar)})
    choice = network(lied, lied.tasks[0]).choice
    assert choice.layout == "cube28"
    assert "the fields decide against the version: cube28" in choice.reasons


def test_addresses_follow_position_id_memory_and_offset():
    made = compose([sdp(0, 1)], memories(2))
    addresses = tuple(type(a)(a.id, a.mem_id, 64 if a.id == 5 else 0, 0) for a in made.addresses)
    placement = place_memories(Loadable(**{**vars(made), "addresses": addresses}))
    (found,) = operations(placement)
    assert found["surfaces"]["src_data"]["address"] == placement.bases[5] + 64
    assert found["surfaces"]["src_data"]["memory"] == 5
    assert found["union_member"] == "sdp_op, sdp_surface"


def test_memories_hold_several_blobs():
    made = compose([], [Data(contents=np.arange(8, dtype=np.uint8))])
    memory = LoadableMemory(9, size=32, contents=("", "data0", "data0"), offsets=(0, 4, 20))
    both = Loadable(**{**vars(made), "memories": (*made.memories, memory)})
    expected = np.zeros(32, np.uint8)
    expected[4:12] = expected[20:28] = np.arange(8)
    assert np.array_equal(both.image(memory), expected)
    with pytest.raises(InputError, match="memory 9 with contents 'no', expected the name of a blob"):
        both.image(LoadableMemory(9, size=32, contents=("no",), offsets=(0,)))
    with pytest.raises(InputError, match="blob 'data0' of 8 bytes at 30 of memory 9, expected to fit into 32"):
        both.image(LoadableMemory(9, size=32, contents=("data0",), offsets=(30,)))


def registers_of(steps):
    return {s.address: s.value for s in steps if s.kind == "write"}


def test_program_does_what_the_descriptors_say():
    placement = place_memories(compose([sdp(0, 1)], memories(2)))
    result = run_operation("SDP", registers_of(loadable_program(placement)), placement.regions())
    source = placement.regions()[-2].data.view(np.int8).astype(int)
    assert np.array_equal(result.memory["memory6"].view(np.int8), np.clip(np.maximum(source + 3, 0), -128, 127))


def events(steps, *words):
    return [s.text for s in steps if s.kind == "note" and s.text.startswith(words)]


def test_groups_alternate_and_the_third_operation_waits_for_a_group():
    layers = [
        sdp(0, 1, consumers={"SDP": (1, OP_COMPLETED)}),
        sdp(1, 2, consumers={"SDP": (2, OP_COMPLETED)}, waits=1),
        sdp(2, 3, waits=1),
    ]
    steps = loadable_program(place_memories(compose(layers, memories(4))))
    assert events(steps, "Program", "Enable", "Completed") == [
        "Program SDP operation index 0 ROI 0 Group[0]",
        "Enable SDP operation index 0 ROI 0",
        "Program SDP operation index 1 ROI 0 Group[1]",
        "Completed SDP operation index 0 ROI 0",
        "Enable SDP operation index 1 ROI 0",
        "Program SDP operation index 2 ROI 0 Group[0]",
        "Completed SDP operation index 1 ROI 0",
        "Enable SDP operation index 2 ROI 0",
        "Completed SDP operation index 2 ROI 0",
    ]
    pointers = [s.value for s in steps if s.kind == "write" and s.address == 0x9004]
    assert pointers == [0, 0, 1, 1, 0, 0]


def test_dependencies_between_engines():
    layers = [
        sdp(0, 1, consumers={"PDP": (1, OP_COMPLETED)}),
        pdp(1, 2, consumers={"SDP": (2, OP_ENABLED)}, waits=1),
        sdp(2, 3, waits=1),
    ]
    loadable = compose(layers, memories(4))
    edges = graph(loadable)["edges"]
    assert [(e["from"], e["to"], e["event"]) for e in edges] == [
        ("0.0", "0.1", "completed"),
        ("0.1", "0.2", "enabled"),
    ]
    # Operation 2 hangs behind operation 0 of its type only through the list, which names no consumer: it is never reached.
    with pytest.raises(InputError, match=r"operation 0\.2 \(SDP\) is never submitted"):
        loadable_program(place_memories(loadable))


def test_sdp_hands_on_to_pdp_without_memory():
    flow = {"type": 2, "width": 8, "height": 8, "channel": 16}
    into = ComposedLayer(
        "SDP", SDP, {"src_data": cube(0), "dst_data": flow}, consumers={"PDP": (1, OP_PROGRAMMED)}, waits=1
    )
    pool = {**PDP, "pool_width": 1, "pool_height": 1, "stride_x": 2, "stride_y": 2}
    # PDP must be enabled first: it takes what SDP sends.
    out = ComposedLayer("PDP", pool, {"src_data": flow, "dst_data": cube(1, 4, 4)}, fused=(0, OP_ENABLED), waits=1)
    placement = place_memories(compose([into, out], memories(2)))
    found = execute(placement)
    source = placement.regions()[-2].data.view(np.int8).astype(int).reshape(2, 8, 8, 8)
    sums = np.clip(np.maximum(source + 3, 0), -128, 127)
    pooled = sums.reshape(2, 4, 2, 4, 2, 8).max(axis=(2, 4))
    assert np.array_equal(found[6][:256].view(np.int8), pooled.reshape(-1))


@pytest.mark.parametrize(
    ("more", "found"),
    [
        ({"fused": (1, OP_ENABLED)}, r"fused_parent.index 1, an operation of type PDP, expected one of type CONV"),
        ({"fused": (2, OP_ENABLED)}, r"fused_parent.index 2, expected -1\.\.1"),
        ({"consumers": {"CDP": (1, OP_COMPLETED)}}, r"consumers\[CDP\].index 1, an operation of type PDP"),
        ({"consumers": {"PDP": (0, OP_COMPLETED)}}, r"consumers\[PDP\].index 0, an operation of type SDP"),
        ({"consumers": {"PDP": (-2, OP_COMPLETED)}}, r"consumers\[PDP\].index -2, expected -1\.\.1"),
        ({"consumers": {"SDP": (0, OP_COMPLETED)}}, r"consumers\[SDP\].index 0, expected another SDP operation"),
        ({"consumers": {"PDP": (1, 6)}}, r"consumers\[PDP\].event 6, expected one of 1, 2, 3"),
        ({"consumers": {"PDP": (1, DATA_DONE)}}, r"consumers\[PDP\].event 5, expected one of 1, 2, 3"),
    ],
)
def test_links_lead_to_operations_of_their_type(more, found):
    placement = place_memories(compose([sdp(0, 1, **more), pdp(1, 2, waits=1)], memories(3)))
    for view in (loadable_program, execute):
        with pytest.raises(InputError, match=r"task 0: operation 0 \(SDP\) " + found):
            view(placement)


def test_heads_lead_to_operations_of_their_type():
    model = compose([sdp(0, 1), pdp(1, 2)], memories(3))
    data = model.blobs[0].data
    data[: dtype("network_desc").itemsize].view(dtype("network_desc"))["op_head"] = [-1, -1, 1, 0, -1, -1]
    with pytest.raises(InputError, match=r"op_head\[SDP\] 1, an operation of type PDP, expected one of type SDP"):
        loadable_program(place_memories(model))


def test_an_event_too_many_is_refused():
    layers = [sdp(0, 1, consumers={"SDP": (1, OP_PROGRAMMED)}), sdp(1, 2)]
    with pytest.raises(InputError, match="operation 1 told of more events than its dependency count"):
        loadable_program(place_memories(compose(layers, memories(3))))


def test_lookup_tables_are_loaded_entry_by_entry():
    lut = {
        "linear_exp_table": np.arange(65),
        "linear_only_table": np.arange(257) - 100,
        "linear_exp_offset": {"frac_bits": -2},
        "linear_only_offset": {"frac_bits": 3},
        "linear_exp_end": 1 << 34,
        "linear_only_underflow_slope": {"scale": -5, "shifter": 3},
        "method": 1,
    }
    cdp = ComposedLayer("CDP", {"local_size": 5, "lut_index": 0}, {"src_data": cube(0), "dst_data": cube(1)})
    steps = loadable_program(place_memories(compose([cdp], memories(2), luts=[lut])))
    data = [s.value for s in steps if s.kind == "write" and s.address == 0xD00C]
    assert len(data) == 65 + 257
    assert data[65] == (-100) & 0xFFFFFFFF
    writes = registers_of(steps)
    assert writes[0xD008] == 1 << 17 | 1 << 16
    assert writes[0xD010] == 1
    assert writes[0xD014] == 3 << 16 | 0xFE << 8
    assert (writes[0xD020], writes[0xD024]) == (0, 4)
    assert (writes[0xD040], writes[0xD044]) == ((-5) & 0xFFFF, 3)
    assert writes[0xD070] == 1


def test_two_lookup_tables_wait_for_each_other():
    def layer(lut, **more):
        desc = {**SDP, "lut_index": lut}
        return ComposedLayer("SDP", desc, {"src_data": cube(0), "dst_data": cube(1)}, **more)

    layers = [layer(0, consumers={"SDP": (1, OP_COMPLETED)}), layer(1, waits=1)]
    steps = loadable_program(place_memories(compose(layers, memories(2), luts=[{}, {}])))
    assert events(steps, "Program", "Enable", "Completed") == [
        "Program SDP operation index 0 ROI 0 Group[0]",
        "Enable SDP operation index 0 ROI 0",
        "Completed SDP operation index 0 ROI 0",
        "Program SDP operation index 1 ROI 0 Group[1]",
        "Enable SDP operation index 1 ROI 0",
        "Completed SDP operation index 1 ROI 0",
    ]


def test_a_driver_acts_on_what_it_reads():
    placement = place_memories(compose([sdp(0, 1)], memories(2)))
    hardware = IdealHardware()
    hardware.consumer = {"SDP": 1, "SDP_RDMA": 1}
    steps = record_driver(drive_task(dla_tasks(placement.loadable)[0], placement), hardware)
    assert events(steps, "Program") == ["Program SDP operation index 0 ROI 0 Group[1]"]
    assert [s.value for s in steps if s.kind == "read" and s.address == 0x100C] == [2, 0]


def test_more_than_one_region_of_interest_is_refused():
    made = compose([sdp(0, 1)], memories(2))
    made.blobs[0].data[28] = 2
    with pytest.raises(UsageError, match="regions of interest are beyond this driver"):
        loadable_program(place_memories(made))


@pytest.mark.parametrize(
    ("place", "number", "said"),
    [
        (34, 3, "task 0: dependency_graph_index 3, expected below num_addresses, 3"),
        (34, 5, "task 0: operation 0 (SDP) src_data.address 5, expected below num_addresses, 5"),
        (28, 0, "task 0: operation 0 (SDP) roi_index 0, expected below num_rois, 0"),
    ],
)
def test_positions_and_regions_beyond_their_numbers_are_refused(place, number, said):
    made = compose([sdp(0, 1)], memories(2))
    made.blobs[0].data[place] = number
    with pytest.raises(InputError, match=re.escape(f"found {said}")):
        loadable_program(place_memories(made))


def test_program_texts(tmp_path):
    steps = loadable_program(place_memories(compose([pdp(0, 1)], memories(2))))
    path = tmp_path / "program.trace"
    path.write_text(to_trace(steps))
    cycles, again = parse_trace(path)
    assert set(cycles) == {0}
    assert again == [s for s in steps if s.kind != "interrupt"]
    table = to_csv(steps).splitlines()
    assert len(table) == len(steps) + 1
    assert any(",PDP.D_POOLING_KERNEL_CFG,0x00000000,KERNEL_WIDTH=0 " in row for row in table)
    assert "PDP.D_OP_ENABLE 0x00000001\n# wait for the interrupt\n" in to_cfg(steps)
    path.write_text("0 write_reg 0x1000\n")
    with pytest.raises(InputError, match=r"program\.trace:1: found '0 write_reg 0x1000'"):
        parse_trace(path)


def test_steps_outside_of_the_map_are_shown_by_address():
    assert "0x0fffc 0x00000001" in to_cfg([DriverStep("write", 0xFFFC, 1)])


def test_an_operation_has_the_index_of_its_place():
    model = to_bytes(classifier())
    loadable = parse_loadable(model)
    first = network(loadable, dla_tasks(loadable)[0]).dependencies[:1].tobytes()
    at = model.index(first) + dtype("common_op_desc").fields["index"][1]
    wrong = parse_loadable(model[:at] + b"\5" + model[at + 1 :])
    with pytest.raises(InputError, match=r"operation 0 \(CONV\) index 5, expected 0"):
        network(wrong, dla_tasks(wrong)[0])
