# SPDX-License-Identifier: Apache-2.0
"""Pixel input of convolutions against plain loops, and through a loadable."""

from __future__ import annotations

import numpy as np
import pytest
from nvdla_groups import Group
from nvdla_pixels import CODES, pixel_loadable

from goldbeat.pymodels.axi.memory import Region
from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.nvdla.driver.instant_hardware import loadable_program
from goldbeat.pymodels.nvdla.engines.hardware import run_operation
from goldbeat.pymodels.nvdla.engines.registers import csb_register
from goldbeat.pymodels.nvdla.engines.target import target
from goldbeat.pymodels.nvdla.engines.weights import pack_weights
from goldbeat.pymodels.nvdla.execute import execute
from goldbeat.pymodels.nvdla.loadable.loadable import OUTPUT, parse_loadable, to_bytes
from goldbeat.pymodels.nvdla.loadable.placement import place_memories

# Letters from the lowest byte on, as the formats' names say from the highest one on; what stands where RGBA or YUVA belongs.
LETTERS = {
    "R8": ["R"],
    "A8B8G8R8": ["RGBA"],
    "X8B8G8R8": ["RGBA"],
    "A8R8G8B8": ["BGRA"],
    "X8R8G8B8": ["BGRA"],
    "B8G8R8A8": ["ARGB"],
    "B8G8R8X8": ["ARGB"],
    "R8G8B8A8": ["ABGR"],
    "R8G8B8X8": ["ABGR"],
    "A8Y8U8V8": ["BGRA"],
    "V8U8Y8A8": ["ARGB"],
    "Y8___U8V8_N444": ["R", "BG"],
    "Y8___V8U8_N444": ["R", "GB"],
}
LINE, UV = 256, 320
PLANES, WEIGHTS = (0x1000, 0x9000), 0x20000


class Case:
    """Random registers and memory of an operation."""

    def __init__(self, form, seed):
        rng = np.random.default_rng(seed)

        def one(low, high):
            return int(rng.integers(low, high))

        self.form, self.channels = form, sum(map(len, LETTERS[form]))
        self.image = rng.integers(0, 256, (self.channels, one(1, 7), one(4, 12))).astype(np.uint8)
        self.first = one(0, 8 // len(LETTERS[form][0]))
        self.pad = one(0, 4), one(0, 4), one(0, 3)
        self.value = one(-128, 128)
        self.stride = one(1, 4), one(1, 3)
        columns, self.joined = one(1, 4), 0
        if self.channels * columns <= 4:
            self.joined = one(0, 3 if self.channels * columns <= 2 else 2)
        self.weights = rng.integers(-128, 128, (one(1, 20), self.channels, one(1, 6), columns)).astype(np.int8)
        padded = self.pad[0] + self.image.shape[2] + self.pad[1]
        self.out = (padded - columns) // self.stride[0] + 1, one(1, 6)
        self.convert, self.mean, self.signed = (bool(one(0, 2)) for _ in range(3))
        self.offset, self.scale, self.shift = one(-300, 300), one(-9, 9), one(0, 4)
        self.means = rng.integers(-300, 300, 4).tolist()

    def group(self):
        group, height, width = Group(), *self.image.shape[1:]
        for block in ("CSC", "CDMA", "CACC"):
            group.put(block, "D_MISC_CFG", 0)
        group.put(
            "CDMA", "D_DATAIN_FORMAT", DATAIN_FORMAT=1, PIXEL_FORMAT=CODES[self.form], PIXEL_SIGN_OVERRIDE=self.signed
        )
        group.put("CDMA", "D_DATAIN_SIZE_0", DATAIN_WIDTH=width - 1, DATAIN_HEIGHT=height - 1)
        group.put("CDMA", "D_DATAIN_SIZE_1", self.channels - 1)
        group.put("CDMA", "D_PIXEL_OFFSET", PIXEL_X_OFFSET=self.first)
        group.put("CDMA", "D_DAIN_ADDR_LOW_0", PLANES[0])
        group.put("CDMA", "D_DAIN_ADDR_LOW_1", PLANES[1])
        group.put("CDMA", "D_LINE_STRIDE", LINE)
        group.put("CDMA", "D_LINE_UV_STRIDE", UV)
        group.put("CDMA", "D_ZERO_PADDING", PAD_LEFT=self.pad[0], PAD_RIGHT=self.pad[1], PAD_TOP=self.pad[2])
        group.put("CDMA", "D_CVT_CFG", CVT_EN=self.convert, CVT_TRUNCATE=self.shift)
        group.put("CDMA", "D_CVT_OFFSET", self.offset & 0xFFFF)
        group.put("CDMA", "D_CVT_SCALE", self.scale & 0xFFFF)
        group.put("CDMA", "D_MEAN_FORMAT", self.mean)
        ry, gu, bv, ax = (m & 0xFFFF for m in self.means)
        group.put("CDMA", "D_MEAN_GLOBAL_0", MEAN_RY=ry, MEAN_GU=gu)
        group.put("CDMA", "D_MEAN_GLOBAL_1", MEAN_BV=bv, MEAN_AX=ax)
        group.put("CDMA", "D_WEIGHT_ADDR_LOW", WEIGHTS)
        kernels, _, rows, columns = self.weights.shape
        group.put("CSC", "D_DATAIN_FORMAT", 1)
        group.put("CSC", "D_DATAIN_SIZE_EXT_1", self.channels - 1)
        group.put("CSC", "D_POST_Y_EXTENSION", self.joined)
        group.put("CSC", "D_WEIGHT_SIZE_EXT_0", WEIGHT_HEIGHT_EXT=rows - 1)
        group.put(
            "CSC", "D_WEIGHT_SIZE_EXT_1", WEIGHT_CHANNEL_EXT=columns * self.channels - 1, WEIGHT_KERNEL=kernels - 1
        )
        group.put("CSC", "D_DATAOUT_SIZE_0", DATAOUT_WIDTH=self.out[0] - 1, DATAOUT_HEIGHT=self.out[1] - 1)
        group.put(
            "CSC", "D_CONV_STRIDE_EXT", CONV_X_STRIDE_EXT=self.stride[0] - 1, CONV_Y_STRIDE_EXT=self.stride[1] - 1
        )
        # The left padding is CDMA's; CSC's own field does nothing.
        group.put("CSC", "D_ZERO_PADDING", PAD_LEFT=self.pad[0], PAD_TOP=self.pad[2])
        for block in ("CDMA", "CSC"):
            group.put(block, "D_ZERO_PADDING_VALUE", self.value & 0xFFFF)
        return group

    def memory(self):
        height, width = self.image.shape[1:]
        planes = [np.full((height, LINE), 0xA5, np.uint8), np.full((height, UV), 0x5A, np.uint8)]
        for plane, letters in zip(planes, LETTERS[self.form], strict=False):
            per = 8 // len(letters)
            for y in range(height):
                for x in range(width):
                    for i, letter in enumerate(letters):
                        plane[y, (self.first % per + x) * len(letters) + i] = self.image["RGBA".index(letter), y, x]
        # Element by element in the order of a line: kernels are as wide as one element.
        kernels, _, rows, _ = self.weights.shape
        lines = self.weights.transpose(0, 3, 1, 2).reshape(kernels, -1, rows, 1)
        return (
            Region("first", PLANES[0], planes[0].reshape(-1)),
            Region("second", PLANES[1], planes[1].reshape(-1)),
            Region("weights", WEIGHTS, pack_weights(lines, 1 << self.joined)),
        )

    def converted(self, byte, channel):
        number = byte - 256 if byte > 127 and (self.signed or not self.convert) else byte
        if not self.convert:
            return number
        product = (number - (self.means[channel] if self.mean else self.offset)) * self.scale
        half = (1 << self.shift) >> 1
        rounded = (abs(product) + half >> self.shift) * (1 if product > 0 else -1)
        return max(-128, min(127, rounded))

    def expected(self):
        kernels, _, rows, columns = self.weights.shape
        _, height, width = self.image.shape
        out = np.zeros((kernels, self.out[1], self.out[0]), np.int64)
        for k, oy, ox in np.ndindex(out.shape):
            for c, r, s in np.ndindex(self.channels, rows, columns):
                y, x = oy * self.stride[1] + r - self.pad[2], ox * self.stride[0] + s - self.pad[0]
                inside = 0 <= y < height and 0 <= x < width
                number = self.converted(int(self.image[c, y, x]), c) if inside else self.value
                out[k, oy, ox] += int(self.weights[k, c, r, s]) * number
        return out


@pytest.mark.parametrize("form", LETTERS)
def test_pixels_from_registers(form):
    for seed in range(4):
        case = Case(form, seed)
        got = run_operation("CONV", case.group().values, case.memory()).output
        expected = case.expected()
        plain = got.transpose(0, 3, 1, 2).reshape(-1, *expected.shape[1:])
        assert np.array_equal(plain[: len(expected)], expected), seed
        assert not plain[len(expected) :].any()


def test_all_formats_of_8_bits_are_there():
    assert set(CODES) == set(LETTERS)
    assert {CODES["R8"], CODES["A8B8G8R8"], CODES["V8U8Y8A8"], CODES["Y8___V8U8_N444"]} == {0, 0xC, 0x1B, 0x1D}


@pytest.mark.parametrize(
    ("block", "name", "fields", "message"),
    [
        (
            "CDMA",
            "D_DATAIN_FORMAT",
            {"DATAIN_FORMAT": 1, "PIXEL_FORMAT": 3},
            r"pixel format R16 \(3\): nv_small has R8, ",
        ),
        ("CDMA", "D_DATAIN_FORMAT", {"DATAIN_FORMAT": 1, "PIXEL_FORMAT": 63}, "pixel format 63"),
        (
            "CDMA",
            "D_DATAIN_FORMAT",
            {"DATAIN_FORMAT": 1, "PIXEL_FORMAT": 12, "PIXEL_MAPPING": 1},
            "PIXEL_MAPPING is 1: nv_small has pitch linear",
        ),
        ("CDMA", "D_DATAIN_FORMAT", {"DATAIN_FORMAT": 0}, "CSC.D_DATAIN_FORMAT is 1, CDMA.D_DATAIN_FORMAT 0"),
        ("CDMA", "D_PIXEL_OFFSET", {"PIXEL_X_OFFSET": 2}, "PIXEL_X_OFFSET is 2: .* at most 1"),
        ("CDMA", "D_DATAIN_SIZE_1", {"DATAIN_CHANNEL": 2}, "DATAIN_CHANNEL: 3 channels, pixels of A8B8G8R8 have 4"),
        ("CSC", "D_DATAIN_SIZE_EXT_1", {"DATAIN_CHANNEL_EXT": 0}, "DATAIN_CHANNEL_EXT: 1 channels"),
        ("CSC", "D_WEIGHT_SIZE_EXT_0", {"WEIGHT_WIDTH_EXT": 1}, "WEIGHT_WIDTH_EXT: 2 columns, pixel input has 1"),
        ("CSC", "D_POST_Y_EXTENSION", {"Y_EXTENSION": 3}, "Y_EXTENSION is 3"),
        ("CSC", "D_POST_Y_EXTENSION", {"Y_EXTENSION": 2}, "Y_EXTENSION is 2 with .* elements"),
        ("CSC", "D_DATAOUT_SIZE_0", {"DATAOUT_WIDTH": 99}, "DATAOUT_WIDTH: 100 windows"),
    ],
)
def test_what_pixel_input_cannot_do_is_said_by_field(block, name, fields, message):
    case = Case("A8B8G8R8", 1)
    group = case.group()
    group.values[csb_register(block, name).address] = csb_register(block, name).pack(**fields)
    with pytest.raises(UsageError, match=message):
        run_operation("CONV", group.values, case.memory())


@pytest.mark.parametrize("name", ["D_DAIN_ADDR_LOW_0", "D_DAIN_ADDR_LOW_1", "D_LINE_STRIDE", "D_LINE_UV_STRIDE"])
def test_pixels_in_mid_atom_are_refused(name):
    case = Case("Y8___U8V8_N444", 1)
    group = case.group()
    group.values[csb_register("CDMA", name).address] |= 4
    with pytest.raises(
        UsageError, match=rf"CDMA\.{name} is 0x\w+4, expected a multiple of 8|{name} is 0x\w+c, expected"
    ):
        run_operation("CONV", group.values, case.memory())


def test_pixels_outside_of_the_memory():
    case = Case("R8", 0)
    group = case.group()
    group.put("CDMA", "D_LINE_STRIDE", 1 << 20)
    with pytest.raises(InputError, match="DMA address"):
        run_operation("CONV", group.values, case.memory())


def test_a_loadable_with_pixel_input():
    model, image, weights = pixel_loadable()
    placement = place_memories(parse_loadable(to_bytes(model)))
    assert target(placement.loadable).small
    written = {s.address: s.value for s in loadable_program(placement) if s.kind == "write"}
    assert written[csb_register("CDMA", "D_DATAIN_FORMAT").address] == 1 | CODES["A8R8G8B8"] << 8
    mean = np.array([100, 110, 120, 0]).reshape(4, 1, 1)
    # The driver writes a scale of 1 and a shift of 1: halves away from zero.
    twice = image.astype(int) - mean
    lines = np.pad(np.sign(twice) * (abs(twice) + 1 >> 1), ((0, 0), (0, 0), (1, 0))).clip(-128, 127)
    sums = np.zeros((8, 3, 6), int)
    for k, y, x in np.ndindex(sums.shape):
        sums[k, y, x] = (weights[k].astype(int) * lines[:, y : y + 2, x : x + 2]).sum()
    expected = (np.sign(sums) * (abs(sums) + 8 >> 4)).clip(-128, 127)
    (out,) = (m.id for m in placement.loadable.memories if m.flags & OUTPUT)
    assert np.array_equal(execute(placement)[out].view(np.int8).reshape(3, 6, 8).transpose(2, 0, 1), expected)


def test_a_format_that_nv_small_lacks_is_refused_before_it_is_programmed():
    model, *_ = pixel_loadable("R16")
    with pytest.raises(InputError, match=r"operation 0 \(CONV\) of pixel format R16 \(3\), expected one of nv_small"):
        loadable_program(place_memories(model))
