# SPDX-License-Identifier: Apache-2.0
"""Compile small networks of many families with the vendor's compiler, for their streams and profiles.

``python3.10 tests/benchmarks/make_tpu_nets.py TPU_MLIR OUT --chips BM1684X,BM1690 --modes F16,INT8``: TPU_MLIR and the Python are
those of make_tpu_ops.py. Networks are drawn as ONNX with random weights. OUT gets a folder per network, chip and mode, with the
BModel and its profile; one that is there is not made again. INT8 has one threshold for all tensors: times do not depend on it.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from make_tpu_ops import again_with_paths
from make_tpu_profiles import compile_top

FAMILIES: dict[str, Callable[[Net, Pick], None]] = {}
Pick = Callable[..., int]
"""One of its arguments, drawn at random."""


class Net:
    """An ONNX graph that grows; values are names, their shapes are inferred."""

    def __init__(self, name: str) -> None:
        from onnx import TensorProto, helper

        self.name, self._helper, self._float = name, helper, TensorProto.FLOAT
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.inputs: list[Any] = []
        self.shapes: dict[str, tuple[int, ...]] = {}
        self.random = np.random.default_rng(sum(map(ord, name)))

    def input(self, *shape: int) -> str:
        """A further input of floats."""
        name = f"x{len(self.inputs)}"
        self.inputs.append(self._helper.make_tensor_value_info(name, self._float, shape))
        self.shapes[name] = shape
        return name

    def constant(self, values: Sequence[float] | np.ndarray, kind: type = np.int64) -> str:
        """A constant; of whole numbers unless said otherwise."""
        from onnx import numpy_helper

        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.array(values, kind), name))
        return name

    def weight(self, *shape: int) -> str:
        """Random numbers."""
        return self.constant(self.random.standard_normal(shape) * 0.1, np.float32)

    def op(self, kind: str, *operands: str, outputs: int = 1, **attributes: Any) -> Any:
        """An operation; gives the name of its result, or of each of several."""
        import onnx

        names = [f"{kind.lower()}_{len(self.nodes)}_{one}" for one in range(outputs)]
        self.nodes.append(self._helper.make_node(kind, operands, names, **attributes))
        found = onnx.shape_inference.infer_shapes(self.model(names), strict_mode=True, data_prop=True)
        for value in found.graph.output:
            self.shapes[value.name] = tuple(one.dim_value for one in value.type.tensor_type.shape.dim)
        return names[0] if outputs == 1 else names

    def model(self, results: list[str] | None = None) -> Any:
        """All that was drawn; results are those of the last operation unless said otherwise."""
        values = [
            self._helper.make_tensor_value_info(name, self._float, self.shapes.get(name))
            if name in self.shapes
            else self._helper.make_empty_tensor_value_info(name)
            for name in (results or self.nodes[-1].output)
        ]
        graph = self._helper.make_graph(self.nodes, self.name, self.inputs, values, self.constants)
        return self._helper.make_model(graph, opset_imports=[self._helper.make_opsetid("", 13)], ir_version=8)

    def conv(
        self, x: str, out: int, kernel: int, stride: int = 1, group: int = 1, act: str = "Relu", **more: Any
    ) -> str:
        """A convolution that keeps the size, but for its stride, and a function."""
        inner = self.shapes[x][1] // group
        many = len(self.shapes[x]) - 2
        reach = more.get("dilations", [1])[0] * (kernel - 1)
        same = {"pads": [reach // 2] * 2 * many, "strides": [stride] * many, "kernel_shape": [kernel] * many}
        kernels, bias = self.weight(out, inner, *[kernel] * many), self.weight(out)
        y = self.op("Conv", x, kernels, bias, group=group, **same, **more)
        return str(self.op(act, y)) if act else y

    def dense(self, x: str, out: int) -> str:
        """A product with a weight, and a bias."""
        return str(self.op("Add", self.op("MatMul", x, self.weight(self.shapes[x][-1], out)), self.weight(out)))

    def reshape(self, x: str, *shape: int) -> str:
        """The same elements in another shape."""
        return str(self.op("Reshape", x, self.constant(shape)))

    def turn(self, x: str, *order: int) -> str:
        """Transposed."""
        return str(self.op("Transpose", x, perm=order))

    def scaled(self, x: str, by: float) -> str:
        """Times a constant."""
        return str(self.op("Mul", x, self.constant([by], np.float32)))

    def norm(self, x: str) -> str:
        """Layer normalisation over the last axis, in its parts."""
        width = self.shapes[x][-1]
        apart = self.op("Sub", x, self.op("ReduceMean", x, axes=[-1], keepdims=1))
        spread = self.op("ReduceMean", self.op("Mul", apart, apart), axes=[-1], keepdims=1)
        root = self.op("Sqrt", self.op("Add", spread, self.constant([1e-5], np.float32)))
        return str(self.op("Add", self.op("Mul", self.op("Div", apart, root), self.weight(width)), self.weight(width)))

    def gelu(self, x: str) -> str:
        """By the error function."""
        share = self.op("Add", self.op("Erf", self.scaled(x, 0.7071)), self.constant([1], np.float32))
        return self.scaled(self.op("Mul", x, share), 0.5)

    def attention(self, x: str, heads: int) -> str:
        """Several heads of attention to itself."""
        n, length, width = self.shapes[x]
        one = width // heads
        query, key, value = (
            self.turn(self.reshape(self.dense(x, width), n, length, heads, one), *order)
            for order in ((0, 2, 1, 3), (0, 2, 3, 1), (0, 2, 1, 3))
        )
        share = self.op("Softmax", self.scaled(self.op("MatMul", query, key), one**-0.5), axis=-1)
        mixed = self.turn(self.op("MatMul", share, value), 0, 2, 1, 3)
        return self.dense(self.reshape(mixed, n, length, width), width)

    def block(self, x: str, heads: int, wide: int) -> str:
        """Attention and a perceptron, each with a sum around it."""
        x = self.op("Add", x, self.attention(self.norm(x), heads))
        inner = self.dense(self.gelu(self.dense(self.norm(x), wide)), self.shapes[x][-1])
        return str(self.op("Add", x, inner))


def family(draw: Callable[[Net, Pick], None]) -> Callable[[Net, Pick], None]:
    """A kind of networks."""
    FAMILIES[draw.__name__] = draw
    return draw


@family
def residual(net: Net, pick: Pick) -> None:
    """ResNet."""
    x = net.conv(net.input(1, 3, pick(64, 96, 112), pick(64, 96)), pick(16, 32, 64), 7, 2)
    x = net.op("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    for out, stride in ((pick(32, 64), 1), (pick(64, 128), 2)):
        side = net.conv(x, out, 1, stride, act="")
        x = net.op("Relu", net.op("Add", net.conv(net.conv(x, out, 3, stride), out, 3, act=""), side))
    net.op("Gemm", net.op("Flatten", net.op("GlobalAveragePool", x)), net.weight(net.shapes[x][1], 100))


@family
def mobile(net: Net, pick: Pick) -> None:
    """MobileNet with squeeze and excitation."""
    x = net.conv(net.input(1, 3, pick(64, 96), 64), 16, 3, 2, act="HardSwish" if pick(0, 1) else "Relu")
    for out, kernel, stride in ((24, 3, 2), (40, 5, 1), (pick(48, 80), 5, 2)):
        wide = net.shapes[x][1] * pick(3, 4, 6)
        y = net.conv(net.conv(x, wide, 1), wide, kernel, stride, group=wide)
        few = net.conv(net.op("GlobalAveragePool", y), wide // 4, 1)
        x = net.conv(net.op("Mul", y, net.conv(few, wide, 1, act="HardSigmoid")), out, 1, act="")
    net.conv(x, 128, 1)


@family
def perceptron(net: Net, pick: Pick) -> None:
    """Dense layers."""
    x = net.input(pick(1, 16, 100), pick(256, 784))
    for wide in (pick(512, 1000, 300), pick(256, 128)):
        x = net.op("Relu", net.dense(x, wide))
    net.op("Softmax", net.dense(x, pick(10, 100)), axis=1)


@family
def encoder(net: Net, pick: Pick) -> None:
    """A transformer's encoder."""
    x = net.input(pick(1, 2), pick(64, 100, 128), pick(128, 192, 256))
    for _ in range(2):
        x = net.block(x, pick(2, 4), 4 * net.shapes[x][2])


@family
def vision(net: Net, pick: Pick) -> None:
    """A transformer of image patches."""
    size, side, width = pick(96, 128), pick(8, 16), pick(128, 192)
    x = net.op("Conv", net.input(1, 3, size, size), net.weight(width, 3, side, side), strides=[side, side])
    x = net.turn(net.reshape(x, 1, width, -1), 0, 2, 1)
    x = net.block(net.op("Add", x, net.weight(*net.shapes[x])), 4, 2 * width)
    net.dense(net.op("ReduceMean", net.norm(x), axes=[1], keepdims=0), 100)


@family
def windows(net: Net, pick: Pick) -> None:
    """Attention in windows of an image that is rolled."""
    edge, part, width = pick(28, 56), 7, pick(64, 96)
    x, many = net.input(1, edge, edge, width), edge // 7
    one, two = (net.op("Slice", x, *map(net.constant, at)) for at in (([3], [edge], [1]), ([0], [3], [1])))
    x = net.reshape(net.op("Concat", one, two, axis=1), 1, many, part, many, part, width)
    x = net.reshape(net.turn(x, 0, 1, 3, 2, 4, 5), many * many, part * part, width)
    x = net.turn(net.reshape(net.attention(net.norm(x), 2), 1, many, many, part, part, width), 0, 1, 3, 2, 4, 5)
    net.dense(net.reshape(x, 1, edge * edge, width), width)


@family
def lstm(net: Net, pick: Pick) -> None:
    """Recurrent with memory, in one or both directions."""
    length, wide, hidden, ways = pick(10, 16, 24), pick(64, 100), pick(64, 128), pick(1, 2)
    x = net.input(length, pick(1, 4), wide)
    weights = (net.weight(ways, 4 * hidden, wide), net.weight(ways, 4 * hidden, hidden), net.weight(ways, 8 * hidden))
    way = "bidirectional" if ways == 2 else "forward"
    y = net.op("LSTM", x, *weights, outputs=3, hidden_size=hidden, direction=way)[0]
    net.dense(net.reshape(net.turn(y, 0, 2, 1, 3), length, -1, ways * hidden), 32)


@family
def gru(net: Net, pick: Pick) -> None:
    """Gated recurrent units."""
    length, wide, hidden = pick(10, 20), pick(48, 80), pick(64, 96)
    x = net.input(length, pick(1, 3), wide)
    weights = (net.weight(1, 3 * hidden, wide), net.weight(1, 3 * hidden, hidden), net.weight(1, 6 * hidden))
    y = net.op("GRU", x, *weights, outputs=2, hidden_size=hidden, linear_before_reset=1)[0]
    net.dense(net.op("Squeeze", y, net.constant([1])), 20)


@family
def pyramid(net: Net, pick: Pick) -> None:
    """Feature maps that are made larger and added."""
    one = net.conv(net.input(1, 3, pick(64, 128), 64), pick(16, 32), 3, 2)
    two = net.conv(one, pick(32, 64), 3, 2)
    three = net.conv(two, pick(64, 96), 3, 2)
    y = net.conv(three, 48, 1, act="")
    for side in (two, one):
        y = net.op("Resize", y, "", net.constant([1, 1, 2, 2], np.float32), mode="nearest", **_STEPS)
        y = net.op("Add", y, net.conv(side, 48, 1, act=""))
    net.conv(y, 24, 3)


_STEPS = {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}


@family
def bilinear(net: Net, pick: Pick) -> None:
    """Segmentation whose map is made as large as the image."""
    x = net.conv(net.conv(net.input(1, 3, pick(48, 64), 64), 24, 3, 2), pick(32, 48), 3, 2)
    x = net.conv(net.conv(x, 32, 3, dilations=[2, 2]), pick(8, 21), 1, act="")
    grown = net.constant([1, 1, 4, 4], np.float32)
    net.op("Resize", x, "", grown, mode="linear", coordinate_transformation_mode="half_pixel")


@family
def embedding(net: Net, pick: Pick) -> None:
    """Rows that are looked up in a table, and dense layers."""
    many, wide, length = pick(500, 2000), pick(64, 128), pick(20, 64)
    where = net.op("Cast", net.op("Abs", net.input(1, length)), to=7)
    x = net.op("Gather", net.weight(many, wide), where, axis=0)
    x = net.op("ReduceMean", net.op("Tanh", net.dense(x, 96)), axes=[1], keepdims=0)
    net.dense(x, 50)


@family
def shuffled(net: Net, pick: Pick) -> None:
    """Channels that are split, shuffled and joined."""
    x = net.conv(net.input(1, 3, 64, pick(64, 80)), pick(48, 64), 3, 2)
    for _ in range(2):
        one, two = net.op("Split", x, outputs=2, axis=1)
        half = net.shapes[one][1]
        two = net.conv(net.conv(net.conv(two, half, 1), half, 3, group=half, act=""), half, 1)
        x, shape = net.op("Concat", one, two, axis=1), net.shapes[x]
        x = net.reshape(net.turn(net.reshape(x, 1, 2, half, *shape[2:]), 0, 2, 1, 3, 4), *shape)
    net.op("GlobalAveragePool", net.conv(x, 128, 1))


@family
def unet(net: Net, pick: Pick) -> None:
    """Down, and up again by transposed convolutions."""
    one = net.conv(net.input(1, pick(1, 3), 64, pick(64, 96)), pick(16, 24), 3)
    two = net.conv(net.op("MaxPool", one, kernel_shape=[2, 2], strides=[2, 2]), pick(32, 48), 3)
    y = net.conv(net.op("MaxPool", two, kernel_shape=[2, 2], strides=[2, 2]), 64, 3)
    for side in (two, one):
        many = net.shapes[side][1]
        y = net.op("ConvTranspose", y, net.weight(net.shapes[y][1], many, 2, 2), kernel_shape=[2, 2], strides=[2, 2])
        y = net.conv(net.op("Concat", y, side, axis=1), many, 3)
    net.conv(y, 2, 1, act="Sigmoid")


@family
def super_resolution(net: Net, pick: Pick) -> None:
    """Channels that become places."""
    x = net.conv(net.input(1, 1, pick(48, 64), 64), pick(32, 64), 5, act="Tanh")
    factor = pick(2, 3)
    net.op("DepthToSpace", net.conv(net.conv(x, 32, 3), factor**2, 3, act=""), blocksize=factor)


@family
def channels_last(net: Net, pick: Pick) -> None:
    """ConvNeXt: wide depthwise kernels, and dense layers over the channels."""
    x = net.conv(net.input(1, 3, 64, 64), pick(48, 64), 4, 4, act="")
    for _ in range(2):
        many = net.shapes[x][1]
        y = net.turn(net.conv(x, many, 7, group=many, act=""), 0, 2, 3, 1)
        y = net.dense(net.gelu(net.dense(net.norm(y), 4 * many)), many)
        x = net.op("Add", x, net.turn(y, 0, 3, 1, 2))


@family
def dilated(net: Net, pick: Pick) -> None:
    """Sound: gated convolutions of one axis."""
    x = net.conv(net.input(1, pick(20, 40), pick(200, 512)), pick(32, 64), 1, act="")
    for reach in (1, 2, 4):
        many = net.shapes[x][1]
        parts = (net.conv(x, many, 3, act=act, dilations=[reach]) for act in ("Tanh", "Sigmoid"))
        x = net.op("Add", x, net.conv(net.op("Mul", *parts), many, 1, act=""))
    net.conv(x, 30, 1)


@family
def inception(net: Net, pick: Pick) -> None:
    """Branches that are joined."""
    x = net.conv(net.input(1, 3, pick(56, 64), 56), 32, 3, 2)
    for _ in range(2):
        pooled = net.op("AveragePool", x, kernel_shape=[3, 3], strides=[1, 1], pads=[1, 1, 1, 1])
        parts = [net.conv(x, pick(16, 32), 1), net.conv(net.conv(x, 24, 1), pick(32, 48), 3)]
        parts += [net.conv(net.conv(x, 16, 1), 24, 5), net.conv(pooled, 16, 1)]
        x = net.op("Concat", *parts, axis=1)
    net.op("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2])


@family
def functions(net: Net, pick: Pick) -> None:
    """Elementwise mathematics."""
    shape = (1, pick(16, 64, 100), pick(28, 56), pick(28, 56))
    x, z = net.op("Abs", net.input(*shape)), net.input(*shape)
    y = net.op("Add", net.op("Exp", net.scaled(x, -1.0)), net.op("Sqrt", x))
    y = net.op("Div", net.op("Mul", y, z), net.op("Add", x, net.constant([1], np.float32)))
    y = net.op("Max", net.op("Softplus", y), net.op("LeakyRelu", z, alpha=0.1))
    net.op("Clip", net.op("Elu", y), net.constant(0.1, np.float32), net.constant(6, np.float32))


@family
def masked(net: Net, pick: Pick) -> None:
    """Attention with a mask that is an input, and a choice by comparison."""
    heads, length, wide = pick(2, 4), pick(50, 80), pick(32, 64)
    query, key, value = (net.input(1, heads, length, wide) for _ in range(3))
    scores = net.op("Add", net.op("MatMul", query, net.turn(key, 0, 1, 3, 2)), net.input(1, 1, length, length))
    mixed = net.op("MatMul", net.op("Softmax", scores, axis=-1), value)
    net.op("Where", net.op("Greater", mixed, query), mixed, query)


@family
def mixer(net: Net, pick: Pick) -> None:
    """Dense layers over patches and over channels in turn."""
    x = net.input(1, pick(49, 64, 100), pick(96, 128))
    for _ in range(2):
        y = net.turn(net.norm(x), 0, 2, 1)
        y = net.dense(net.gelu(net.dense(y, 64)), net.shapes[y][2])
        x = net.op("Add", x, net.turn(y, 0, 2, 1))
        x = net.op("Add", x, net.dense(net.gelu(net.dense(net.norm(x), 256)), net.shapes[x][2]))


@family
def detector(net: Net, pick: Pick) -> None:
    """A head of boxes, scores and classes."""
    x = net.conv(net.conv(net.input(1, 3, 64, pick(64, 96)), 32, 3, 2), pick(48, 64), 3, 2)
    x = net.op("Mul", x, net.op("Sigmoid", x))
    kinds = pick(20, 80)
    y = net.conv(x, 3 * (5 + kinds), 1, act="")
    height, width = net.shapes[y][2:]
    y = net.op("Sigmoid", net.turn(net.reshape(y, 1, 3, 5 + kinds, height, width), 0, 1, 3, 4, 2))
    box, size, rest = net.op("Split", y, net.constant([2, 2, 1 + kinds]), outputs=3, axis=4)
    size = net.op("Mul", net.op("Mul", size, size), net.weight(1, 3, 1, 1, 2))
    y = net.op("Concat", net.op("Add", box, net.weight(1, 1, height, width, 2)), size, rest, axis=4)
    net.reshape(y, 1, 3 * height * width, 5 + kinds)


@family
def grouped_norm(net: Net, pick: Pick) -> None:
    """Convolutions with instance normalisation, at the edges reflected."""
    x = net.input(1, 3, pick(48, 64), 64)
    for many in (pick(16, 32), pick(32, 48)):
        x = net.op("Pad", x, net.constant([0, 0, 1, 1, 0, 0, 1, 1]), mode="reflect" if pick(0, 1) else "constant")
        x = net.op("Conv", x, net.weight(many, net.shapes[x][1], 3, 3), net.weight(many), kernel_shape=[3, 3])
        x = net.op("InstanceNormalization", x, net.weight(many), net.weight(many))
        x = net.op("PRelu", x, net.weight(many, 1, 1))


@family
def volumes(net: Net, pick: Pick) -> None:
    """Convolutions of three axes."""
    x = net.conv(net.input(1, pick(1, 3), 8, pick(24, 32), 32), 16, 3)
    x = net.op("MaxPool", x, kernel_shape=[2, 2, 2], strides=[2, 2, 2])
    net.conv(net.conv(x, pick(24, 32), 3), 16, 1)


@family
def picked(net: Net, pick: Pick) -> None:
    """Places that are chosen by index, repeated, and summed."""
    many, wide = pick(100, 400), pick(32, 64)
    x = net.dense(net.input(1, many, 16), wide)
    y = net.op("Gather", x, net.constant(net.random.integers(0, many, pick(64, 200))), axis=1)
    y = net.op("Mul", y, net.op("Expand", net.weight(1, 1, wide), net.constant(net.shapes[y])))
    where = net.constant(net.random.integers(0, wide, net.shapes[y]))
    net.op("ReduceSum", net.op("GatherElements", y, where, axis=2), net.constant([1]), keepdims=0)


@family
def planes(net: Net, pick: Pick) -> None:
    """Matrices that are transposed, sliced by steps and tiled."""
    x = net.turn(net.input(pick(2, 4), 12, pick(40, 64), pick(30, 64)), 0, 3, 2, 1)
    x = net.op("Slice", x, *map(net.constant, ([0], [28], [1], [2])))
    x = net.turn(net.op("Tile", x, net.constant([1, 1, 1, 2])), 2, 0, 1, 3)
    y = net.op("ReduceMax", net.op("Concat", x, net.scaled(x, 2.0), axis=2), axes=[3], keepdims=1)
    net.op("Sub", net.op("Concat", x, x, axis=2), y)


@family
def ranking(net: Net, pick: Pick) -> None:
    """Two towers, cosine of both."""
    one, two = (net.op("Relu", net.dense(net.input(pick(8, 32), pick(64, 128)), 96)) for _ in range(2))
    one = net.op("Slice", one, *map(net.constant, ([0], [8], [0])))
    two = net.op("Slice", two, *map(net.constant, ([0], [8], [0])))
    both = net.op("ReduceSum", net.op("Mul", one, two), net.constant([1]), keepdims=1)
    sizes = [net.op("ReduceL2", x, axes=[1], keepdims=1) for x in (one, two)]
    net.op("Div", both, net.op("Mul", *sizes))


@family
def heat(net: Net, pick: Pick) -> None:
    """A map of places, scaled up by kernels of 4, and the greatest of each."""
    x = net.conv(net.conv(net.input(1, 3, 64, 48), 32, 3, 2), pick(48, 64), 3, 2)
    for many in (pick(32, 48), 24):
        pair = {"kernel_shape": [4, 4], "strides": [2, 2], "pads": [1, 1, 1, 1]}
        x = net.op(
            "Relu", net.op("ConvTranspose", x, net.weight(net.shapes[x][1], many, 4, 4), net.weight(many), **pair)
        )
    x = net.conv(x, 17, 1, act="")
    net.op("ReduceMax", net.reshape(x, 1, 17, -1), axes=[2], keepdims=1)


@family
def grouped(net: Net, pick: Pick) -> None:
    """ResNeXt: convolutions in groups, and sums along an axis."""
    x = net.conv(net.input(pick(1, 2), 3, 56, pick(56, 64)), pick(32, 64), 3, 2)
    for _ in range(2):
        wide = 2 * pick(32, 64)
        y = net.conv(net.conv(x, wide, 1), wide, 3, group=pick(4, 8, 16))
        x = net.op("Relu", net.op("Add", net.conv(y, net.shapes[x][1], 1, act=""), x))
    net.op("ReduceMean", x, axes=[3], keepdims=0)


def draw(name: str, seed: int) -> Net:
    """A network of a family."""
    net = Net(f"{name}{seed}")
    random = np.random.default_rng([seed, *name.encode()])
    FAMILIES[name](net, lambda *choices: int(random.choice(choices)))
    return net


def translate(net: Net, wheel: Path, folder: Path) -> Path:
    """The network in the compiler's Top dialect, with a calibration table beside it."""
    import onnx

    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"{net.name}.mlir"
    if not target.exists():
        onnx.save(net.model(), str(folder / "net.onnx"))
        command = [sys.executable, str(wheel / "python/tools/model_transform.py"), "--model_name", net.name]
        command += ["--model_def", "net.onnx", "--mlir", target.name]
        subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=600)
    names = re.findall(r'loc\("([^"]+)"', target.read_text())
    rows = "".join(f"{one} 4.0 -4.0 4.0\n" for one in dict.fromkeys(names))
    (folder / "cali").write_text(f"# name threshold min max\n{rows}")
    return target


def main() -> None:
    """Compile all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wheel", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--chips", default="BM1684X,BM1688,BM1690,BM1690E")
    parser.add_argument("--modes", default="F16,INT8,F32")
    parser.add_argument("--families", default=",".join(FAMILIES))
    parser.add_argument("--seeds", type=int, default=2)
    given = parser.parse_args()
    again_with_paths(given.wheel.resolve())
    for seed in range(given.seeds):
        for name in given.families.split(","):
            try:
                net = draw(name, seed)
                top = translate(net, given.wheel.resolve(), (given.out / "top" / f"{name}{seed}").resolve())
            except Exception as error:  # Whatever the compiler's tools refuse.
                print(f"left out: {name}{seed}: {str(getattr(error, 'stderr', None) or error)[-300:]}", flush=True)
                continue
            for chip in given.chips.split(","):
                for mode in given.modes.split(","):
                    folder = given.out / f"{net.name}_{chip.lower()}_{mode.lower()}"
                    if any(folder.glob("*.bmodel")):
                        continue
                    try:
                        compile_top(net.name, top, given.wheel.resolve() / "bin/tpuc-opt", folder, chip, mode)
                    except subprocess.SubprocessError as error:
                        print(f"left out: {folder.name}: {str(error)[:80]}", flush=True)
                print(f"{net.name} {chip}", flush=True)


if __name__ == "__main__":
    main()
