# SPDX-License-Identifier: Apache-2.0
"""BDMA and RUBIK, from registers and from loadables, against plain loops."""

from __future__ import annotations

import numpy as np
import pytest
from nvdla_groups import Group

from goldbeat.pymodels.axi.memory import Region
from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.nvdla.driver.instant_hardware import loadable_program
from goldbeat.pymodels.nvdla.driver.program_text import to_cfg, to_trace
from goldbeat.pymodels.nvdla.engines.configuration import NV_FULL, NV_LARGE, NV_SMALL
from goldbeat.pymodels.nvdla.engines.hardware import run_operation
from goldbeat.pymodels.nvdla.engines.target import configuration_of
from goldbeat.pymodels.nvdla.execute import execute
from goldbeat.pymodels.nvdla.loadable.compose import ComposedLayer, Data, compose
from goldbeat.pymodels.nvdla.loadable.layouts import OP_COMPLETED, OP_PROGRAMMED
from goldbeat.pymodels.nvdla.loadable.placement import place_memories

ATOM = 32
MARK = 0xA5


def memory(data, size=65536):
    return (Region("in", 0x1000, data, writable=False), Region("out", 0x100000, np.full(size, MARK, np.uint8)))


def noise(seed, size=65536):
    return np.random.default_rng(seed).integers(0, 256, size).astype(np.uint8)


# -- BDMA -----------------------------------------------------------------------------------------------------------


def test_a_transfer_copies_lines_of_surfaces():
    group = Group()
    group.put("BDMA", "CFG_SRC_ADDR_LOW", 0x1020)
    group.put("BDMA", "CFG_DST_ADDR_LOW", 0x100040)
    for name, value in (("LINE", 2), ("LINE_REPEAT", 4), ("SURF_REPEAT", 1)):
        group.put("BDMA", f"CFG_{name}", value)
    for end, line, surface in (("SRC", 128, 1024), ("DST", 96, 512)):
        group.put("BDMA", f"CFG_{end}_LINE", line)
        group.put("BDMA", f"CFG_{end}_SURF", surface)
    data = noise(1)
    got = run_operation("BDMA", group.values, memory(data), configuration=NV_FULL).memory["out"]
    wanted = np.full(len(got), MARK, np.uint8)
    for surface in range(2):
        for line in range(5):
            source, target = 0x20 + surface * 1024 + line * 128, 0x40 + surface * 512 + line * 96
            wanted[target : target + 96] = data[source : source + 96]
    assert np.array_equal(got, wanted)


def transfer(source, target, **fields):
    sizes = {"line_size": 64, "line_repeat": 3, "surface_repeat": 2, "source_line": 64, "destination_line": 96}
    strides = {"source_surface": 192, "destination_surface": 320}
    return {"source_address": source, "destination_address": target, **sizes, **strides, **fields}


def copies(*transfers, **layer):
    surface = {"source_type": 0, "destination_type": 1, "num_transfers": len(transfers), "transfers": list(transfers)}
    return ComposedLayer("BDMA", {"num_transfers": len(transfers)}, surface, **layer)


def copied(data, before, *transfers):
    out = before.copy()
    for _ in transfers:
        for surface in range(2):
            for line in range(3):
                source, target = surface * 192 + line * 64, surface * 320 + line * 96
                out[target : target + 64] = data[source : source + 64]
    return out


def test_copies_of_a_loadable_follow_each_other():
    first, third = noise(2, 384), noise(3, 384)
    layers = [
        copies(transfer(0, 2), transfer(1, 3), consumers={"BDMA": (1, OP_COMPLETED)}),
        copies(transfer(2, 4, source_line=96, source_surface=320), waits=1, consumers={"BDMA": (2, OP_COMPLETED)}),
        copies(transfer(1, 5), waits=1),
    ]
    model = compose(layers, [Data(contents=first), Data(contents=third), Data(640), Data(640), Data(640), Data(640)])
    configuration = configuration_of(model)
    assert configuration is NV_FULL
    left = execute(place_memories(model), configuration=configuration)
    empty = np.zeros(640, np.uint8)
    one, two = copied(first, empty, 1), copied(third, empty, 1)
    assert [np.array_equal(left[5 + n], wanted) for n, wanted in ((2, one), (3, two), (4, one), (5, two))] == [True] * 4


def test_the_driver_queues_transfers_and_launches_a_group():
    model = compose([copies(transfer(0, 1))], [Data(384), Data(640)])
    steps = loadable_program(place_memories(model), configuration=NV_FULL)
    text = to_cfg(steps).splitlines()
    start = text.index("BDMA.CFG_SRC_ADDR_LOW 0x80004000")
    assert text[start - 1] == "# read BDMA.STATUS 0x00000114"
    names = [line.split()[0].removeprefix("BDMA.CFG_") for line in text[start : start + 13]]
    assert names == [
        *("SRC_ADDR_LOW", "SRC_ADDR_HIGH", "DST_ADDR_LOW", "DST_ADDR_HIGH", "LINE", "CMD", "LINE_REPEAT"),
        *("SRC_LINE", "DST_LINE", "SURF_REPEAT", "SRC_SURF", "DST_SURF", "OP"),
    ]
    assert text[start + 4 : start + 6] == ["BDMA.CFG_LINE 0x00000001", "BDMA.CFG_CMD 0x00000001"]
    assert "BDMA.CFG_LAUNCH0 0x00000001" in text[start + 13 :]
    # nv_full has its own pages, nv_large has nv_small's.
    assert "0 write_reg 0x04034 0x00000001" in to_trace(steps, NV_FULL)
    assert "0 write_reg 0x10034 0x00000001" in to_trace(steps, NV_LARGE)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"line_size": 40}, "line_size 40, expected a multiple of 32"),
        ({"line_size": 0}, "line_size 0, expected a multiple of 32"),
        ({"source_line": 72}, "source_line 72, expected a multiple of 32"),
        ({"destination_line": 100}, "destination_line 100, expected a multiple of 32"),
        ({"source_surface": 196}, "source_surface 196, expected a multiple of 32"),
        ({"line_repeat": 0}, r"line_repeat 0, expected 1\.\.8192"),
        ({"surface_repeat": 8193}, r"surface_repeat 8193, expected 1\.\.8192"),
        ({"source_line": 32}, "source_line 32, expected at least 64"),
        ({"destination_surface": 256}, "destination_surface 256, expected at least 288"),
    ],
)
def test_transfers_that_make_no_sense_are_refused(fields, message):
    model = compose([copies(transfer(0, 1, **fields))], [Data(384), Data(640)])
    with pytest.raises(InputError, match=message):
        loadable_program(place_memories(model), configuration=NV_FULL)


def test_an_operation_without_transfers_waits_for_another_interrupt():
    """The driver takes it for done when it is enabled, and sees that when it looks at events the next time."""
    layers = [copies(consumers={"BDMA": (1, OP_PROGRAMMED)}), copies(transfer(0, 1), waits=1)]
    model = compose(layers, [Data(contents=noise(4, 384)), Data(640)])
    with pytest.raises(InputError, match=r"operation 0 \(BDMA\) is never done"):
        loadable_program(place_memories(compose([copies()], [Data(384)])), configuration=NV_FULL)
    left = execute(place_memories(model), configuration=NV_FULL)
    assert left[6].any()


# -- RUBIK ----------------------------------------------------------------------------------------------------------


def rubik(mode, size, channels, out_channels, strides, precision, deconvolution=(1, 1)):
    """``strides``: line and plane or surface of the source, then of the destination."""
    group = Group()
    group.put("RBK", "D_MISC_CFG", RUBIK_MODE=mode, IN_PRECISION=precision)
    group.put("RBK", "D_DATAIN_SIZE_0", DATAIN_WIDTH=size[0] - 1, DATAIN_HEIGHT=size[1] - 1)
    group.put("RBK", "D_DATAIN_SIZE_1", channels - 1)
    group.put("RBK", "D_DATAOUT_SIZE_1", out_channels - 1)
    for end, base, (line, step) in (("DAIN", 0x1000, strides[:2]), ("DAOUT", 0x100000, strides[2:])):
        group.put("RBK", f"D_{end}_ADDR_LOW", base)
        group.put("RBK", f"D_{end}_LINE_STRIDE", line)
        group.put("RBK", f"D_{end}_SURF_STRIDE", step)
        group.put("RBK", f"D_{end}_PLANAR_STRIDE", step)
    group.put("RBK", "D_CONTRACT_STRIDE_1", strides[2] * deconvolution[1])
    fields = {f"DECONV_{axis}_STRIDE": n - 1 for axis, n in zip("XY", deconvolution, strict=True)}
    group.put("RBK", "D_DECONV_STRIDE", **fields)
    return group.values


@pytest.mark.parametrize("precision", [0, 1, 2])
@pytest.mark.parametrize("size", [(1, 1, 1), (3, 2, 40), (70, 3, 33), (32, 2, 16)])
def test_planes_and_cubes(size, precision):
    width, height, channels = size
    element = 2 if precision else 1
    lanes, atoms = ATOM // element, -(-width * element // ATOM)
    line, plane = (atoms + 1) * ATOM, (atoms + 1) * ATOM * height + 64
    cube_line, surface = width * ATOM + 32, (width * ATOM + 32) * height
    data = noise(width, 1 << 18)
    merged = rubik(2, size[:2], channels, channels, (line, plane, cube_line, surface), precision)
    got = run_operation("RUBIK", merged, memory(data, 1 << 16), configuration=NV_FULL).memory["out"]
    wanted = np.full(len(got), MARK, np.uint8)
    split = np.full(len(got), MARK, np.uint8)
    for c in range(-(-channels // lanes) * lanes):
        for y in range(height):
            if c < channels:
                split[c * plane + y * line :][: atoms * ATOM] = 0
            for x in range(width):
                at = c // lanes * surface + y * cube_line + x * ATOM + c % lanes * element
                from_plane = c * plane + y * line + x * element
                wanted[at : at + element] = data[from_plane : from_plane + element] if c < channels else 0
                if c < channels:
                    split[from_plane : from_plane + element] = data[at : at + element]
    assert np.array_equal(got, wanted)
    apart = rubik(1, size[:2], channels, channels, (cube_line, surface, line, plane), precision)
    got = run_operation("RUBIK", apart, memory(data, 1 << 16), configuration=NV_FULL).memory["out"]
    assert np.array_equal(got, split)


@pytest.mark.parametrize("precision", [0, 1])
@pytest.mark.parametrize("blocks", [(1, 1), (2, 3), (9, 2)])
def test_contract(blocks, precision):
    (across, down), width, height, channels = blocks, 3, 2, 40
    lanes = ATOM // (precision + 1)
    surfaces = -(-channels // lanes)
    line, surface = width * ATOM, width * ATOM * height
    out_line, out_surface = width * across * ATOM, width * across * ATOM * height * down
    data = noise(across)
    strides = (line, surface, out_line, out_surface)
    values = rubik(0, (width, height), channels, channels, strides, precision, blocks)
    got = run_operation("RUBIK", values, memory(data), configuration=NV_FULL).memory["out"]
    wanted = np.full(len(got), MARK, np.uint8)
    for s in range(surfaces):
        for y in range(height * down):
            for x in range(width * across):
                part = y % down * across + x % across
                source = (part * surfaces + s) * surface + y // down * line + x // across * ATOM
                target = s * out_surface + y * out_line + x * ATOM
                wanted[target : target + ATOM] = data[source : source + ATOM]
    assert np.array_equal(got, wanted)


def cube(address, width, height, channel, **fields):
    line = width * ATOM
    sides = {"width": width, "height": height, "channel": channel, "size": line * height * -(-channel // ATOM)}
    return {"address": address, **sides, "line_stride": line, "surf_stride": line * height, **fields}


def test_a_loadable_turns_a_cube_to_planes_and_back():
    width, height, channel = 5, 4, 32
    there = ComposedLayer(
        "RUBIK",
        {"mode": 1, "stride_x": 1, "stride_y": 1},
        {
            "src_data": cube(0, width, height, channel),
            "dst_data": cube(1, width, height, channel, line_stride=32, plane_stride=128),
        },
        consumers={"RUBIK": (1, OP_COMPLETED)},
    )
    back = ComposedLayer(
        "RUBIK",
        {"mode": 2, "stride_x": 1, "stride_y": 1},
        {
            "src_data": cube(1, width, height, channel, line_stride=32, plane_stride=128),
            "dst_data": cube(2, width, height, channel),
        },
        waits=1,
    )
    data = noise(6, width * height * ATOM)
    model = compose([there, back], [Data(contents=data), Data(32 * 128), Data(len(data))])
    placement = place_memories(model)
    left = execute(placement, configuration=NV_FULL)
    assert np.array_equal(left[7], data)
    planes = left[6].reshape(channel, height, 32)
    assert np.array_equal(planes[..., :width], data.reshape(height, width, ATOM).transpose(2, 0, 1))
    assert not planes[..., width:].any()
    text = to_cfg(loadable_program(placement, configuration=NV_FULL))
    assert "RBK.D_MISC_CFG 0x00000001" in text
    assert text.count("RBK.D_OP_ENABLE 0x00000001") == 2
    with pytest.raises(UsageError, match="nv_small has no RUBIK engine"):
        loadable_program(place_memories(compose([ComposedLayer("RUBIK")], [])), configuration=NV_SMALL)


@pytest.mark.parametrize(
    ("desc", "source", "message"),
    [
        ({"mode": 3}, {}, "mode 3 and precision 0, expected known ones"),
        ({"mode": 0}, {"type": 2}, "a cube on the fly, expected both in memory"),
        ({"mode": 2}, {"plane_stride": 40}, "plane_stride 40, expected a multiple of 32"),
    ],
)
def test_a_rubik_operation_that_makes_no_sense_is_refused(desc, source, message):
    surface = {"src_data": cube(0, 1, 1, 32, **source), "dst_data": cube(1, 1, 1, 32)}
    model = compose([ComposedLayer("RUBIK", desc, surface)], [Data(64), Data(64)])
    with pytest.raises(InputError, match=message):
        loadable_program(place_memories(model), configuration=NV_FULL)


def test_what_rubik_cannot_do_is_said():
    with pytest.raises(UsageError, match="RUBIK_MODE is 3, expected 0, 1 or 2"):
        run_operation("RUBIK", rubik(3, (1, 1), 1, 1, (32, 32, 32, 32), 0), (), configuration=NV_FULL)
    with pytest.raises(UsageError, match="IN_PRECISION is 1: nv_large does not know it"):
        run_operation("RUBIK", rubik(0, (1, 1), 1, 1, (32, 32, 32, 32), 1), (), configuration=NV_LARGE)
