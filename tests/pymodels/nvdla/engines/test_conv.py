# SPDX-License-Identifier: Apache-2.0
"""Convolution and memory layouts against plain loops."""

from __future__ import annotations

import numpy as np
import pytest
from nvdla_groups import Group

from goldbeat.pymodels.axi.memory import Region
from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.nvdla.engines.configuration import (
    INT8,
    INT16,
    NV_FULL,
    NV_LARGE,
    NV_SMALL,
    NV_SMALL_256,
)
from goldbeat.pymodels.nvdla.engines.conv import Convolution
from goldbeat.pymodels.nvdla.engines.cubes import (
    KINDS,
    PIXELS,
    ElementForm,
    pack_feature,
    pack_pixels,
    pack_planar,
    unpack_feature,
    unpack_pixels,
    unpack_planar,
)
from goldbeat.pymodels.nvdla.engines.hardware import run_operation
from goldbeat.pymodels.nvdla.engines.weights import pack_weights, unpack_weights


def naive(data, weights, stride, dilation, pad, value, out):
    kernels, channels, rows, columns = weights.shape
    result = np.zeros((kernels, out[1], out[0]), object)
    for k in range(kernels):
        for oy in range(out[1]):
            for ox in range(out[0]):
                total = 0
                for r in range(rows):
                    for s in range(columns):
                        y, x = oy * stride[1] - pad[1] + r * dilation[1], ox * stride[0] - pad[0] + s * dilation[0]
                        inside = 0 <= y < data.shape[1] and 0 <= x < data.shape[2]
                        for c in range(channels):
                            total += int(weights[k, c, r, s]) * (int(data[c, y, x]) if inside else value)
                result[k, oy, ox] = total
    return result


def shapes(rng):
    kernels, channels = (int(v) for v in rng.integers(1, 20, 2))
    rows, columns = (int(v) for v in rng.integers(1, 4, 2))
    stride, dilation = (tuple(int(v) for v in rng.integers(1, 3, 2)) for _ in range(2))
    pad = tuple(int(v) for v in rng.integers(0, 3, 2))
    out = tuple(int(v) for v in rng.integers(1, 5, 2))
    width = max(1, (out[0] - 1) * stride[0] + (columns - 1) * dilation[0] + 1 - pad[0] - int(rng.integers(2)))
    height = max(1, (out[1] - 1) * stride[1] + (rows - 1) * dilation[1] + 1 - pad[1])
    return (channels, height, width), (kernels, channels, rows, columns), stride, dilation, pad, out


FORMS = [(NV_SMALL, INT8)] * 12 + [(NV_SMALL_256, INT8), (NV_LARGE, INT8), (NV_FULL, INT8)] * 4 + [(NV_FULL, INT16)] * 8


@pytest.mark.parametrize("seed", range(32))
def test_convolution_from_registers(seed):
    configuration, precision = FORMS[seed]
    rng = np.random.default_rng(seed)
    size, shape, stride, dilation, pad, out = shapes(rng)
    if seed >= 12:
        # More channels than a block, more kernels than a group.
        size, shape = (size[0] + 60, *size[1:]), (shape[0] + 28, shape[1] + 60, *shape[2:])
    most = 128 << 8 * precision
    data, weights = rng.integers(-most, most, size), rng.integers(-most, most, shape)
    value, truncate = int(rng.integers(-most, most)), int(rng.integers(8)) + 10 * precision
    group = Group()
    form = ElementForm(configuration.atom, KINDS[precision])
    line = (size[2] + 1) * form.atom
    surface = line * size[1] + 2 * form.atom
    for block in ("CSC", "CDMA", "CACC"):
        group.put(
            block, "D_MISC_CFG", **dict.fromkeys(("IN_PRECISION", "PROC_PRECISION")[block == "CACC" :], precision)
        )
    group.put("CDMA", "D_DATAIN_SIZE_0", DATAIN_WIDTH=size[2] - 1, DATAIN_HEIGHT=size[1] - 1)
    group.put("CDMA", "D_DATAIN_SIZE_1", size[0] - 1)
    group.put("CDMA", "D_DAIN_ADDR_LOW_0", 0x1000)
    group.put("CDMA", "D_LINE_STRIDE", line)
    group.put("CDMA", "D_SURF_STRIDE", surface)
    group.put("CDMA", "D_WEIGHT_ADDR_LOW", 0x90000)
    group.put("CSC", "D_WEIGHT_SIZE_EXT_0", WEIGHT_WIDTH_EXT=shape[3] - 1, WEIGHT_HEIGHT_EXT=shape[2] - 1)
    group.put("CSC", "D_WEIGHT_SIZE_EXT_1", WEIGHT_CHANNEL_EXT=shape[1] - 1, WEIGHT_KERNEL=shape[0] - 1)
    group.put("CSC", "D_DATAOUT_SIZE_0", DATAOUT_WIDTH=out[0] - 1, DATAOUT_HEIGHT=out[1] - 1)
    group.put("CSC", "D_CONV_STRIDE_EXT", CONV_X_STRIDE_EXT=stride[0] - 1, CONV_Y_STRIDE_EXT=stride[1] - 1)
    group.put("CSC", "D_DILATION_EXT", X_DILATION_EXT=dilation[0] - 1, Y_DILATION_EXT=dilation[1] - 1)
    group.put("CSC", "D_ZERO_PADDING", PAD_LEFT=pad[0], PAD_TOP=pad[1])
    group.put("CSC", "D_ZERO_PADDING_VALUE", value & 0xFFFF)
    group.put("CACC", "D_CLIP_CFG", truncate)
    memory = (
        Region("in", 0x1000, pack_feature(data, line, surface, form)),
        Region("weights", 0x90000, pack_weights(weights, 1, configuration, precision)),
    )
    got = run_operation("CONV", group.values, memory, configuration=configuration).output
    expected = naive(data, weights, stride, dilation, pad, value, out)
    step = 1 << truncate
    expected = [int(np.sign(v)) * min((abs(v) + step // 2) // step, (1 << 31) - (v > 0)) for v in expected.reshape(-1)]
    lanes = form.lanes
    surfaces = -(-shape[0] // lanes)
    assert got.shape == (surfaces, out[1], out[0], lanes)
    plain = got.transpose(0, 3, 1, 2).reshape(surfaces * lanes, out[1], out[0])
    assert plain[: shape[0]].reshape(-1).tolist() == expected
    assert not plain[shape[0] :].any()


def test_sums_and_output_saturate():
    data, weights = np.full((8, 1, 1), -128), np.full((1, 8, 1, 1), -128, np.int8)
    assert Convolution()(data, weights).item() == 8 * 128 * 128
    big = np.full((1, 1, 1), 1 << 30)
    assert Convolution()(big, np.full((1, 1, 1, 1), 127, np.int8)).item() == (1 << 31) - 1
    assert Convolution(truncate=4)(big, np.full((1, 1, 1, 1), 127, np.int8)).item() == ((1 << 33) - 1 + 8) >> 4


def test_what_the_convolution_cannot_do_is_said():
    group = Group()
    group.put("CSC", "D_MISC_CFG", 0)
    group.put("CSC", "D_WEIGHT_FORMAT", 1)
    with pytest.raises(UsageError, match="WEIGHT_FORMAT is 1: nv_small has no weight decompression"):
        run_operation("CONV", group.values, ())


@pytest.mark.parametrize("shape", [(1, 1, 1, 1), (8, 8, 1, 1), (9, 17, 3, 2), (32, 4, 5, 5)])
def test_weights_there_and_back(shape):
    weights = np.random.default_rng(2).integers(-128, 128, shape).astype(np.int8)
    packed = pack_weights(weights)
    assert len(packed) % 128 == 0
    assert np.array_equal(unpack_weights(packed, shape), weights)


def test_order_of_weights():
    kernels, channels, rows, columns = 10, 12, 2, 2
    weights = np.arange(kernels * channels * rows * columns).reshape(kernels, channels, rows, columns)
    expected = []
    for first in (0, 8):
        for block in (0, 8):
            for r in range(rows):
                for s in range(columns):
                    for k in range(first, min(first + 8, kernels)):
                        expected += [weights[k, c, r, s] for c in range(block, min(block + 8, channels))]
    packed = pack_weights((weights % 256).astype(np.uint8).view(np.int8))
    assert packed[: weights.size].tolist() == [v % 256 for v in expected]
    with pytest.raises(InputError, match="weights of 3 bytes, expected at least 480"):
        unpack_weights(packed[:3], (kernels, channels, rows, columns))


@pytest.mark.parametrize("strides", [(None, None), (48, 400)])
def test_feature_cubes(strides):
    cube = np.random.default_rng(3).integers(-128, 128, (11, 7, 5)).astype(np.int8)
    packed = pack_feature(cube, *strides)
    line, surface = strides if strides[0] else (40, 280)
    assert len(packed) == 2 * surface
    for c, h, w in ((0, 0, 0), (7, 6, 4), (8, 3, 2), (10, 6, 4)):
        assert packed.view(np.int8)[c // 8 * surface + h * line + w * 8 + c % 8] == cube[c, h, w]
    assert np.array_equal(unpack_feature(packed, *cube.shape, *strides), cube)
    with pytest.raises(UsageError, match="strides 8 and 280"):
        pack_feature(cube, 8, 280)
    with pytest.raises(InputError, match="expected at least"):
        unpack_feature(packed[:100], *cube.shape, *strides)


def test_planes_and_pixels():
    rng = np.random.default_rng(4)
    cube = rng.integers(-128, 128, (3, 4, 5)).astype(np.int8)
    assert np.array_equal(unpack_planar(pack_planar(cube, 8), 3, 4, 5, 8), cube)
    assert np.array_equal(pack_planar(cube).view(np.int8), cube.reshape(-1))
    image = rng.integers(0, 256, (4, 2, 3)).astype(np.uint8)
    for form, order in PIXELS.items():
        part = image[: len(order)]
        packed = pack_pixels(part, form)
        assert len(packed) == 2 * (16 if len(order) == 4 else 8)
        assert np.array_equal(unpack_pixels(packed, form, 2, 3), part)
    # The format's name has the highest byte first.
    assert pack_pixels(image[:, :1, :1], "A8R8G8B8")[:4].tolist() == image[[2, 1, 0, 3], 0, 0].tolist()
    with pytest.raises(UsageError, match="unknown pixel format"):
        pack_pixels(image, "CMYK")
