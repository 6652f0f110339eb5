# SPDX-License-Identifier: Apache-2.0
"""Sizes that files claim: refused by name, in little memory; operands that end in mid-atom; damaged files."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from mutations import MANY, QUICK, bounded, survey
from nvdla_groups import Group
from nvdla_network import classifier
from nvdla_pixels import pixel_loadable
from turns import TURN

from goldbeat.pymodels.axi.memory import Region
from goldbeat.pymodels.errors import GoldbeatError, InputError, UsageError
from goldbeat.pymodels.nvdla.driver.instant_hardware import loadable_program
from goldbeat.pymodels.nvdla.engines.address_space import AddressSpace
from goldbeat.pymodels.nvdla.engines.cubes import pack_feature
from goldbeat.pymodels.nvdla.engines.hardware import run_operation
from goldbeat.pymodels.nvdla.execute import execute
from goldbeat.pymodels.nvdla.listing import info, operations
from goldbeat.pymodels.nvdla.loadable.compose import ComposedLayer, Data, Processor, compose
from goldbeat.pymodels.nvdla.loadable.layouts import dtype, emu_dtype
from goldbeat.pymodels.nvdla.loadable.loadable import ALLOC, INPUT, OUTPUT, parse_loadable, to_bytes
from goldbeat.pymodels.nvdla.loadable.placement import place_memories


def cube(address, side=4, channel=10, **fields):
    line, surfaces = side * 8, -(-channel // 8)
    sides = {"width": side, "height": side, "channel": channel, "size": surfaces * side * line}
    return {"address": address, **sides, "line_stride": line, "surf_stride": side * line, **fields}


def add_bias(bias=32, source=None, target=None):
    """A bias of 10 numbers of 16 bits, in a memory of ``bias`` bytes."""
    x1 = {"enable": 1, "alu_type": 2, "type": 2, "mode": 1, "precision": 1, "mul_operand": 1}
    desc = {"batch_num": 1, "lut_index": -1, "out_cvt": {"scale": 1, "enable": 1}, "x1_op": x1}
    operand = {"address": 1, "width": 1, "height": 1, "channel": 10, "size": 20, "line_stride": 16, "surf_stride": 16}
    surface = {"src_data": cube(0, **(source or {})), "dst_data": cube(2, **(target or {})), "x1_data": operand}
    data = pack_feature(np.arange(160).reshape(10, 4, 4) % 50)
    numbers = np.zeros(bias, np.uint8)
    numbers[:20] = (np.arange(10) * 7 - 30).astype("<i2").view(np.uint8)
    memories = [Data(contents=data, flags=ALLOC | INPUT), Data(contents=numbers), Data(256, flags=ALLOC | OUTPUT)]
    return compose([ComposedLayer("SDP", desc, surface)], memories)


def edited(model, blob, kind, field, value):
    """A model with another number in the first entry of one of its lists."""
    blobs = []
    for one in model.blobs:
        data = one.data.copy()
        if one.name == blob:
            data[: kind.itemsize].view(kind)[field] = value
        blobs.append(replace(one, data=data))
    return replace(model, blobs=tuple(blobs))


def test_an_operand_ends_in_mid_atom():
    whole, cut = (execute(place_memories(parse_loadable(to_bytes(add_bias(size))))) for size in (32, 20))
    assert len(cut[6]) == 20
    assert np.array_equal(cut[7], whole[7])
    assert cut[7].view(np.int8)[128] == 128 % 50 + 8 * 7 - 30


def test_what_begins_in_a_region_is_read_to_its_end():
    space = AddressSpace([Region("a", 0x100, np.full(20, 7, np.uint8)), Region("b", 0x118, np.full(8, 9, np.uint8))])
    assert space.read(np.array([0x110]), 8)[0].tolist() == [7] * 4 + [0] * 4
    assert space.read(np.array([0x118]), 32)[0].tolist() == [9] * 8 + [0] * 24
    with pytest.raises(InputError, match="DMA address 0x114"):
        space.read(np.array([0x114]), 8)
    with pytest.raises(InputError, match="DMA address 0x110"):  # The next region is another one.
        space.read(np.array([0x110]), 16)
    with pytest.raises(InputError, match="DMA address 0x110"):
        space.write(np.array([0x110]), np.zeros((1, 8), np.uint8))
    assert [len(data) for data in space.contents().values()] == [20, 8]


HUGE = {"width": 8192, "height": 8192, "channel": 8192, "line_stride": 65536, "surf_stride": 1 << 29}


@pytest.mark.parametrize("action", [loadable_program, execute])
@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (HUGE, r"operation 0 \(SDP\) src_data.surf_stride 536870912, expected .* within 256 bytes"),
        ({"width": 8192, "height": 8192, "channel": 8192, "line_stride": 0, "surf_stride": 0}, "src_data.width 8192"),
        ({"width": 0}, r"src_data.width 0, expected 1\.\.8192"),
        ({"channel": 65535}, r"src_data.channel 65535, expected 1\.\.8192"),
        ({"line_stride": 0xFFFFFFF8}, "src_data.line_stride 4294967288"),
        ({"surf_stride": 0xFFFFFFF8}, "src_data.surf_stride 4294967288"),
        ({"offset": 1 << 30}, "src_data"),
        ({"size": 0}, r"src_data.size 0, expected \d+ to 256"),
        ({"size": 128}, r"src_data.size 128, expected \d+ to 256"),
        ({"size": 257}, r"src_data.size 257, expected \d+ to 256"),
    ],
)
def test_cubes_are_held_against_their_memories(action, fields, message):
    for model, wanted in ((add_bias(source=fields), message), (add_bias(target=fields), message.replace("src", "dst"))):
        with bounded(5, 200 << 20), pytest.raises(InputError, match=wanted):
            action(place_memories(model))


@pytest.mark.parametrize(
    ("size", "shown"), [(1 << 39, ""), ((1 << 28) + 1, ""), (1 << 40, "40 address bits"), (1 << 63, "40 address bits")]
)
def test_a_memory_larger_than_the_model_takes_on(size, shown):
    model = add_bias()
    model = replace(model, memories=(*model.memories[:-1], replace(model.memories[-1], size=size)))
    with bounded(5, 200 << 20):
        assert info(model)["memories"][-1]["size"] == size
        with pytest.raises(GoldbeatError, match=shown or f"memory 7 of {size} bytes"):
            execute(place_memories(model, base=0))


def test_lists_end_with_what_the_file_sets():
    model = add_bias()
    model = replace(model, memories=tuple(replace(m, size=max(m.size, 1 << 30)) for m in model.memories))
    for field, value, message in (
        ("num_operations", 65535, "dependency_graph: 65535 entries of 36 bytes at 0 of memory 3, expected at most 1"),
        ("num_luts", 9000, "lut_data: 9000 entries of 700 bytes at 0 of memory 4, expected at most 0"),
    ):
        bad = edited(
            edited(model, "net", dtype("network_desc"), "lut_data_index", 4), "net", dtype("network_desc"), field, value
        )
        for action in (
            info,
            lambda m: operations(place_memories(m, base=0)),
            lambda m: loadable_program(place_memories(m, base=0)),
        ):
            with bounded(5, 200 << 20), pytest.raises(InputError, match=message):
                action(bad)


def processor(**fields):
    buffer = {"size": 64, "format": 1, "width": 1, "height": 1, "channel": 8, "line_stride": 8, "surf_stride": 8}
    one = Processor("power", {"address": 0, **buffer, **fields}, {"address": 1, **buffer})
    model = add_bias()
    extra = [Data(contents=np.zeros(64, np.uint8)), Data(64)]
    return compose([ComposedLayer("SDP", {}, {})], extra, then=[[one]]), model


def test_lists_and_buffers_of_the_processor():
    model, _ = processor()
    bad = edited(model, "task1-net", emu_dtype("network", "cube32"), "num_operations", 32767)
    with bounded(5, 200 << 20), pytest.raises(InputError, match="EMU buffer descriptors"):
        info(bad)
    for fields, message in (
        (
            {"width": 65535, "height": 65535, "channel": 65535},
            "EMU buffer up to byte 281462092005374, expected at most 63",
        ),
        ({"channel": 0}, "1 x 1 x 0"),
        ({"height": 2, "line_stride": 1 << 31}, "EMU buffer up to byte 2147483655"),
        ({"channel": 16}, r"EMU power from \(16, 1, 1\) to \(8, 1, 1\)"),
    ):
        model, _ = processor(**fields)
        emu = model.tasks[-1]
        with bounded(5, 200 << 20), pytest.raises(InputError, match=message):
            execute(place_memories(model), tasks=[emu])


def test_convolutions_are_measured_before_they_are_carried_out():
    memory = (Region("in", 0x1000, np.zeros(4096, np.uint8)), Region("weights", 0x9000, np.zeros(4096, np.uint8)))

    def group(**out):
        made = Group()
        made.put("CSC", "D_MISC_CFG", 0)
        made.put("CDMA", "D_DATAIN_FORMAT", 0)
        made.put("CDMA", "D_DAIN_ADDR_LOW_0", 0x1000)
        made.put("CDMA", "D_WEIGHT_ADDR_LOW", 0x9000)
        made.put("CSC", "D_WEIGHT_SIZE_EXT_1", WEIGHT_CHANNEL_EXT=0, WEIGHT_KERNEL=out.pop("kernels", 0))
        made.put("CSC", "D_DATAOUT_SIZE_0", **out)
        return made

    for made, error, message in (
        (group(DATAOUT_WIDTH=8191, DATAOUT_HEIGHT=8191), UsageError, "a convolution of 67108864 output values"),
        (group(kernels=8191), InputError, "DMA address 0x9000"),
    ):
        with bounded(5, 200 << 20), pytest.raises(error, match=message):
            run_operation("CONV", made.values, memory)
    weights = add_bias()
    conv = ComposedLayer(
        "CONV", {"data_format": 36}, {"src_data": cube(0), "weight_data": {"address": 1, "size": 1 << 31}}
    )
    model = compose([conv], [Data(256), Data(64)])
    with pytest.raises(InputError, match=r"weight_data.size 2147483648, expected at most 64"):
        loadable_program(place_memories(model))
    assert loadable_program(place_memories(weights))


def _through(data):
    """Info, listing, program and execution of one file; typed errors are taken."""
    model = parse_loadable(data)
    for step in (
        info,
        lambda m: operations(place_memories(m)),
        lambda m: loadable_program(place_memories(m)),
        lambda m: execute(place_memories(m)),
    ):
        try:
            step(model)
        except GoldbeatError:
            continue


@pytest.mark.parametrize(("count", "seed"), [(QUICK, 8), pytest.param(MANY, 9 + TURN, marks=pytest.mark.slow)])
def test_damaged_loadables_end_in_typed_errors(count, seed):
    models = (classifier(), classifier("cube28"), pixel_loadable()[0], add_bias(20))
    assert survey(_through, [to_bytes(m) for m in models], count, seed=seed) == []


@pytest.mark.parametrize(
    ("where", "value", "found"),
    [
        (("x1_op", "alu_type"), 9, r"SDP.D_DP_BS_CFG BS_ALU_ALGO 9, expected 0 to 3"),
        (("x1_op", "alu_operand"), 40000, r"BS_ALU_OPERAND 40000, expected -32768 to 32767"),
        (("x1_op", "shift_value"), 64, r"BS_ALU_SHIFT_VALUE 64, expected 0 to 63"),
        (("x1_op", "act"), 9, r"x1_op.act 9, expected 0 to 3"),
        (("x1_op", "mode"), 3, r"x1_op.mode 3, expected 0 to 2"),
        (("x2_op", "type"), 4, r"x2_op.type 4, expected 0 to 3"),
        (("out_cvt", "truncate"), 99, r"SDP.D_CVT_SHIFT 99, expected 0 to 63"),
    ],
)
def test_values_that_do_not_fit_their_register_are_refused(where, value, found):
    x1 = {"enable": 1, "alu_type": 2, "type": 2, "mul_operand": 1}
    desc = {"batch_num": 1, "lut_index": -1, "out_cvt": {"scale": 1, "enable": 1}, "x1_op": x1, "x2_op": {}}
    desc[where[0]][where[1]] = value
    cubes = {"src_data": cube(0), "dst_data": cube(1)}
    model = compose([ComposedLayer("SDP", desc, cubes)], [Data(256), Data(256, flags=ALLOC | OUTPUT)])
    with pytest.raises(InputError, match=r"operation 0 \(SDP\): .*" + found):
        loadable_program(place_memories(model))


@pytest.mark.parametrize(
    ("end", "fields", "found"),
    [
        ("target", {"line_stride": 24}, "dst_data.line_stride 24, expected at least 32: lines overlap"),
        ("target", {"line_stride": 0}, "dst_data.line_stride 0, expected at least 32: lines overlap"),
        ("source", {"line_stride": 24}, "src_data.line_stride 24, expected at least 32: lines overlap"),
        ("target", {"surf_stride": 96}, "dst_data.surf_stride 96, expected at least 128: surfaces overlap"),
        ("target", {"line_stride": 64, "surf_stride": 32}, None),
    ],
)
def test_lines_and_surfaces_that_overlap_are_refused(end, fields, found):
    placement = place_memories(add_bias(**{end: fields}))
    if found is None:
        execute(placement)  # Lines of one surface between those of another.
        loadable_program(placement)
        return
    for view in (execute, loadable_program):
        with pytest.raises(InputError, match=rf"operation 0 \(SDP\) {found}"):
            view(placement)


@pytest.mark.parametrize(
    ("op", "line", "found"),
    [
        ({"mode": 2}, 32, None),
        ({"mode": 2}, 24, "x1_data.line_stride 24, expected at least 32: lines overlap"),
        ({"mode": 2, "precision": 1}, 56, "x1_data.line_stride 56, expected at least 64: lines overlap"),
        ({"mode": 2, "type": 3}, 56, "x1_data.line_stride 56, expected at least 64: lines overlap"),
        ({"mode": 1}, 0, None),
    ],
)
def test_operands_whose_lines_overlap_are_refused(op, line, found):
    """A value for each point has lines; a value for each channel has none."""
    desc = {"batch_num": 1, "lut_index": -1, "out_cvt": {"scale": 1, "enable": 1}, "x2_op": {}, "y_op": {}}
    desc["x1_op"] = {"enable": 1, "alu_type": 2, "type": 2} | op
    cubes = {"src_data": cube(0), "dst_data": cube(1), "x1_data": cube(2, line_stride=line, surf_stride=4 * line)}
    data = [Data(256), Data(256, flags=ALLOC | OUTPUT), Data(512)]
    placement = place_memories(compose([ComposedLayer("SDP", desc, cubes)], data))
    if found is None:
        assert loadable_program(placement)
        return
    with pytest.raises(InputError, match=rf"operation 0 \(SDP\) {found}"):
        loadable_program(placement)


POOL = {"split_num": 1, "pool_mode": 1, "pool_width": 1, "pool_height": 1, "stride_x": 2, "stride_y": 2}
SPLIT = {f"partial_{way}width_{part}": n for way, n in (("in_", 2), ("", 1)) for part in ("first", "last")}


def layer(kind, desc, source, target):
    base = {"SDP": {"batch_num": 1, "lut_index": -1}, "PDP": POOL, "CDP": {"lut_index": -1, "local_size": 3}}[kind]
    whole = cube(1, 2 if kind == "PDP" else 4, 8)
    cubes = {"src_data": cube(0, channel=8, **source), "dst_data": whole | target}
    return compose([ComposedLayer(kind, base | desc, cubes)], [Data(256), Data(256, flags=ALLOC | OUTPUT)])


@pytest.mark.parametrize(
    ("kind", "desc", "source", "target", "found"),
    [
        ("PDP", SPLIT | {"split_num": 2}, {}, {}, None),
        ("PDP", {"pad_right": 1}, {}, {}, "pad_right 1, expected 0 or 2: .* leave 1 over"),
        ("PDP", {"pad_left": 1}, {}, {"width": 3, "line_stride": 24, "size": 48}, "pad_right 0, expected 1: .* 1 over"),
        ("PDP", {"pad_top": 1, "stride_y": 8}, {}, {}, "pad_bottom 0, expected 5: .* leave 3 over"),
        ("PDP", {"pad_left": 1, "pad_right": 1}, {}, {"width": 3, "line_stride": 24, "size": 48}, None),
        (
            "PDP",
            {"pad_left": 1, "pad_right": 1},
            {},
            {"width": 4, "line_stride": 32, "size": 64},
            "dst_data.width 4, expected 3: src_data.width",
        ),
        ("SDP", {}, {"type": 3}, {}, r"src_data.type 3, expected 0 \(DRAM\), 1 \(SRAM\), 2 \(HW\)"),
        ("PDP", {}, {}, {"type": 3}, "dst_data.type 3"),
        ("CDP", {}, {}, {"type": 1}, r"dst_data.type 1, expected 0 \(DRAM\): nv_small has no second memory"),
        ("SDP", {"out_cvt": {"enable": 2}}, {}, {}, "out_cvt.enable 2, expected 0 or 1"),
        ("SDP", {"x2_op": {"enable": 3}}, {}, {}, "x2_op.enable 3, expected 0 or 1"),
        ("SDP", {"y_op": {"cvt": {"mul_cvt": {"enable": 255}}}}, {}, {}, "y_op.cvt.mul_cvt.enable 255"),
        ("SDP", {"conv_mode": 2}, {}, {}, "conv_mode 2, expected 0 or 1"),
        ("CDP", {"bypass_sqsum": 2}, {}, {}, "bypass_sqsum 2, expected 0 or 1"),
        ("PDP", {"split_num": 2}, {}, {}, "partial_in_width_first 0, expected at least 1, as split_num is 2"),
        ("PDP", SPLIT | {"split_num": 3}, {}, {}, "partial_in_width_mid 0, expected at least 1"),
        (
            "PDP",
            SPLIT | {"split_num": 2, "partial_width_last": 2},
            {},
            {},
            "of 2 parts, 3 in all, expected 2, dst_data",
        ),
        ("PDP", {}, {}, {"width": 1}, "dst_data.width 1, expected 2: src_data.width is 4 with padding, kernel 2, str"),
        ("PDP", {"pad_top": 2}, {}, {}, "dst_data.height 2, expected 3: src_data.height is 6 with padding"),
        ("PDP", {}, {}, {"channel": 4}, "dst_data.channel 4, expected 8, that of src_data"),
        ("SDP", {}, {}, {"width": 3}, "dst_data.width 3, expected 4, that of src_data"),
        ("SDP", {}, {}, {"channel": 4}, "dst_data.channel 4, expected 8, that of src_data"),
        ("CDP", {}, {}, {"height": 3}, "dst_data.height 3, expected 4, that of src_data"),
    ],
)
def test_fields_that_contradict_each_other_are_refused(kind, desc, source, target, found):
    placement = place_memories(layer(kind, desc, source, target))
    for view in (execute, loadable_program):
        if found is None:
            assert view(placement)
        else:
            with pytest.raises(InputError, match=rf"operation 0 \({kind}\) .*{found}"):
                view(placement)
