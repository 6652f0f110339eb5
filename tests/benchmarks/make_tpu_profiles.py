# SPDX-License-Identifier: Apache-2.0
"""Compile small random networks with the vendor's compiler, for their streams and profiles.

``python tests/benchmarks/make_tpu_profiles.py TPU_MLIR OUT --chips BM1688,CV184X --modes F16,INT8 --seeds 4``: TPU_MLIR is the
folder ``tpu_mlir`` of the public wheel ``tpu_mlir-1.30.2`` unpacked (BSD-2-Clause); only its program ``bin/tpuc-opt`` is started.
OUT gets a folder per network, chip and mode. What the compiler refuses is reported and left out.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np

Value = tuple[str, tuple[int, ...] | None]
_MATMUL = (
    "do_relu=false,right_transpose=false,left_transpose=false,output_transpose=false,hdim_is_batch=false,keep_dims=true"
)

_SERIAL = "--mlir-disable-threading"


class TopNet:
    """A network in the compiler's Top dialect, as text; weights are random."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.lines: list[str] = []
        self.weights: dict[str, np.ndarray] = {}
        self.inputs: list[tuple[int, ...]] = []
        self.random = np.random.default_rng(sum(map(ord, name)))
        self.outputs: list[Value] = []

    none: Value = ("%0", None)

    def _new(self) -> str:
        return f"%{len(self.lines) + 1}"

    def input(self, *shape: int) -> Value:
        """A further input."""
        value, of = self._new(), _type(shape)
        self.inputs.append(shape)
        many = len(self.inputs)
        self.lines.append(f'{value} = "top.Input"(%arg{many - 1}) : ({of}) -> {of} loc("in{many}")')
        return value, shape

    def weight(self, *shape: int) -> Value:
        """A constant of random numbers."""
        value, name = self._new(), f"w{len(self.lines)}"
        self.weights[name] = self.random.standard_normal(shape).astype(np.float32) * np.float32(0.1)
        self.lines.append(f'{value} = "top.Weight"() : () -> {_type(shape)} loc("{name}")')
        return value, shape

    def op(self, name: str, operands: list[Value], shape: tuple[int, ...], attributes: str = "") -> Value:
        """An operation with one result."""
        value = self._new()
        types = ", ".join(_type(one[1]) for one in operands)
        names = ", ".join(one[0] for one in operands)
        where = f'loc("{name}_{len(self.lines)}")'
        self.lines.append(f'{value} = "top.{name}"({names}) {{{attributes}}} : ({types}) -> {_type(shape)} {where}')
        return value, shape

    def conv(self, x: Value, out: int, kernel: int, stride: int = 1, group: int = 1, relu: bool = False) -> Value:
        """A convolution that keeps the size, but for its stride."""
        n, c, h, w = x[1] or ()
        pad = (kernel - 1) // 2
        shape = (n, out, *((size + 2 * pad - kernel) // stride + 1 for size in (h, w)))
        kernels, bias = self.weight(out, c // group, kernel, kernel), self.weight(out)
        pair = f"[{kernel},{kernel}],pads=[{pad},{pad},{pad},{pad}],strides=[{stride},{stride}],dilations=[1,1]"
        attributes = f"kernel_shape={pair},group={group}:i64,do_relu={str(relu).lower()}"
        return self.op("Conv", [x, kernels, bias], shape, attributes)

    def pool(self, kind: str, x: Value) -> Value:
        """A pooling of 2 x 2."""
        n, c, h, w = x[1] or ()
        same = "do_relu=false,count_include_pad=false,keepdims=true,is_adaptive=false,ceil_mode=false"
        attributes = f"kernel_shape=[2,2],pads=[0,0,0,0],strides=[2,2],{same}"
        return self.op(kind, [x], (n, c, h // 2, w // 2), attributes)

    def dense(self, x: Value, out: int) -> Value:
        """A product with a weight, and a bias."""
        shape = x[1] or ()
        return self.op("MatMul", [x, self.weight(shape[-1], out), self.weight(out)], (*shape[:-1], out), _MATMUL)

    def text(self) -> str:
        """The module."""
        results = ", ".join(_type(one[1]) for one in self.outputs)
        names = ", ".join(one[0] for one in self.outputs)
        given = ", ".join(f'%arg{i}: {_type(shape)} loc("arg{i}")' for i, shape in enumerate(self.inputs))
        body = "\n".join(['%0 = "top.None"() : () -> none loc("none")', *self.lines])
        states = (
            'module.chip = "ALL", module.platform = "ONNX", module.state = "TOP_F32", module.top_run_mode = "STATIC"'
        )
        head = f'module @{self.name} attributes {{{states}, module.weight_file = "{self.name}_top.npz"}} {{'
        end = f'return {names} : {results} loc("ret")\n}} loc("main")\n}} loc("module")\n'
        return f"{head}\nfunc.func @main({given}) -> ({results}) {{\n{body}\n{end}"


def _type(shape: tuple[int, ...] | None) -> str:
    return "none" if shape is None else f"tensor<{'x'.join(map(str, shape))}xf32>"


def small_nets(seed: int) -> list[TopNet]:
    """A convolutional network, a perceptron, elementwise operations, an attention block."""
    random = np.random.default_rng(seed)

    def one_of(*sizes: int) -> int:
        return int(random.choice(sizes))

    cnn = TopNet(f"cnn{seed}")
    y = cnn.conv(cnn.input(1, 3, one_of(32, 48, 64), one_of(32, 40, 64)), one_of(16, 32, 24), 3, relu=True)
    y = cnn.pool("MaxPool", cnn.conv(y, one_of(32, 64, 40), 3, stride=2, relu=True))
    shape = y[1] or ()
    added = "do_relu=true,coeff=[1.0,1.0],is_scalar=false"
    y = cnn.op("Add", [cnn.conv(y, shape[1], 3, group=shape[1]), y], shape, added)
    y = cnn.conv(y, one_of(64, 128, 96), 1)
    cnn.outputs = [cnn.pool("AvgPool", cnn.op("SiLU", [y], y[1] or ()))]
    mlp = TopNet(f"mlp{seed}")
    y = mlp.dense(mlp.input(one_of(4, 16, 64), one_of(64, 128, 200)), one_of(96, 256, 512))
    y = mlp.dense(mlp.op("GELU", [y], y[1] or (), 'approx_mode = "normal"'), one_of(10, 64, 128))
    mlp.outputs = [mlp.op("Softmax", [y], y[1] or (), "axis=1:si32,log=false,beta=1.0:f64")]
    eltw = TopNet(f"eltw{seed}")
    shape = (1, one_of(16, 48, 64, 100), one_of(16, 28), one_of(16, 28, 56))
    x, z = eltw.input(*shape), eltw.input(*shape)
    y = eltw.op("Mul", [x, z], shape, "do_relu=false")
    y = eltw.op("Sub", [y, z], shape, "do_relu=false,coeff=[1.0,1.0],is_reverse=false")
    y = eltw.op("Max", [eltw.op("Sigmoid", [y], shape, "scale=1.0:f64,bias=0.0:f64"), x], shape)
    eltw.outputs = [eltw.op("Permute", [y], (shape[0], shape[2], shape[1], shape[3]), "order=[0,2,1,3]")]
    return [cnn, mlp, eltw, _attention(seed, one_of(32, 64, 50), one_of(64, 96, 128))]


def _attention(seed: int, length: int, width: int) -> TopNet:
    net = TopNet(f"attn{seed}")
    x = net.input(1, length, width)
    norm = "axis=2:si32,normalized_shape=[],eps=1.0e-05:f64"
    y = net.op("LayerNorm", [x, net.weight(width), net.weight(width)], (1, length, width), norm)
    query, key, value = (net.dense(y, width) for _ in range(3))
    key = net.op("Permute", [key], (1, width, length), "order=[0,2,1]")
    scores = net.op("MatMul", [query, key, net.none], (1, length, length), _MATMUL)
    share = net.op("Softmax", [scores], (1, length, length), "axis=2:si32,log=false,beta=1.0:f64")
    mixed = net.op("MatMul", [share, value, net.none], (1, length, width), _MATMUL)
    net.outputs = [net.op("Add", [mixed, x], (1, length, width), "do_relu=false,coeff=[1.0,1.0],is_scalar=false")]
    return net


def compile_net(net: TopNet, tool: Path, folder: Path, chip: str, mode: str, cores: int) -> None:
    """Write BModel and profiles into the folder; raises CalledProcessError where the compiler gives up."""
    folder.mkdir(parents=True, exist_ok=True)
    text = net.text()
    (folder / "top.mlir").write_text(text)
    np.savez(folder / f"{net.name}_top.npz", **net.weights)
    names = re.findall(r'loc\("((?:in\d+|[A-Z]\w*_\d+))"\)', text)
    (folder / "cali").write_text("# name threshold min max\n" + "".join(f"{one} 4.0 -4.0 4.0\n" for one in names))
    compile_steps(net.name, tool, folder, chip, mode, cores)


def compile_top(name: str, top: Path, tool: Path, folder: Path, chip: str, mode: str) -> None:
    """As compile_net, of a network in the Top dialect whose weights and calibration table (``cali``) lie beside it."""
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(top, folder / "top.mlir")
    for beside in (*top.parent.glob("*.npz"), top.parent / "cali"):
        shutil.copy(beside, folder)
    compile_steps(name, tool, folder, chip, mode, 1)


def compile_steps(name: str, tool: Path, folder: Path, chip: str, mode: str, cores: int) -> None:
    """Run the compiler on ``top.mlir``, and remove what it leaves but the results."""
    table = ["--import-calibration-table=file=cali asymmetric=False"] if mode == "INT8" else []
    assign = f"chip={chip.lower()} mode={mode} num_device=1 num_core={cores} addr_mode=auto high_precision=False"
    lower = "weightFileName=lowered.npz asymmetric=False doWinograd=False q_group_size=0 q_symmetric=False"
    group = "--layer-group=opt=2 group_by_cores=auto compress_mode=none"
    divide = ["--weight-reorder", "--subnet-divide=dynamic=False", "--op-reorder", "--topo-sort"]
    place = ["--core-parallel", "--after-layergroup-weight-reorder", "--address-assign"]
    # The check of addresses refuses streams that the compiler itself makes for BM1684X2 and SG2380.
    codegen = f"model_file={name}.bmodel embed_debug_info=True model_version=latest gdma_check=False"
    steps = [
        ["--struct-optimize", "--shape-infer", "--canonicalize", "--extra-optimize"],
        [
            f"--processor-assign={assign}",
            *table,
            "--processor-top-optimize",
            f"--convert-top-to-tpu={lower}",
            "--canonicalize",
            "--weight-fold",
        ],
        [_SERIAL, "--strip-io-quant", "--processor-tpu-optimize", "--dev-parallel", *divide, group, *place],
        [_SERIAL, f"--codegen={codegen}"],
    ]
    root = tool.parent.parent
    # The wheel brings its own C library; the system's must be found first.
    system = "/lib/x86_64-linux-gnu:/lib64"
    env = {**os.environ, "TPUC_ROOT": str(root), "LD_LIBRARY_PATH": f"{system}:{root}/lib"}
    source = "top.mlir"
    for number, options in enumerate(steps):
        target = f"step{number}.mlir"
        subprocess.run(
            [str(tool), source, *options, "-o", target],
            cwd=folder,
            env=env,
            check=True,
            capture_output=True,
            timeout=600,
        )
        source = target
    for rest in (*folder.glob("*.npz"), *folder.glob("*.profile"), *folder.glob("step*.mlir")):
        rest.unlink()


def main() -> None:
    """Compile all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tpu_mlir", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--chips", default="BM1684X,BM1688,BM1684X2,CV184X,SG2380,SGTPUV8")
    parser.add_argument("--modes", default="F16,F32,INT8")
    parser.add_argument("--seeds", type=int, default=7)
    parser.add_argument("--cores", type=int, default=1)
    given = parser.parse_args()
    tool = (given.tpu_mlir / "bin/tpuc-opt").resolve()
    for chip in given.chips.split(","):
        for mode in given.modes.split(","):
            for net in (one for seed in range(given.seeds) for one in small_nets(seed)):
                cores = f"_{given.cores}c" if given.cores > 1 else ""
                folder = given.out / f"{net.name}_{chip.lower()}_{mode.lower()}{cores}"
                try:
                    compile_net(net, tool, folder, chip, mode, given.cores)
                except subprocess.SubprocessError as error:
                    print(f"left out: {folder.name}: {str(error)[:80]}")


if __name__ == "__main__":
    main()
