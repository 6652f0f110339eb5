# SPDX-License-Identifier: Apache-2.0
"""What layers cost on the convolution core, from the timed model alone, and how fast the model is.

Each layer is run alone: cycles from its first to its last burst. LeNet is run as a whole, operation after operation.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
from measured import Row, benchmark

from goldbeat.pymodels.axi.memory import MemoryTiming
from goldbeat.pymodels.nvdla.timed import predict
from goldbeat.pymodels.stimulus import Access, Stimulus
from goldbeat.tb.designs.nvdla.convolutions import ConvolutionShape, draw_convolution
from goldbeat.tb.designs.nvdla.traffic import DrawnOperation, MemorySpace, OperationProgram, random_pdp

FILES = ("pymodels/nvdla/**/*.py", "tb/designs/nvdla/convolutions.py", "tb/designs/nvdla/traffic.py")
PARAMS = {"LINE_ATOMS": 1024}
LENET = {
    "LeNet conv1, 28x28x1, 5x5, 20": ConvolutionShape((28, 28), 1, (5, 5), 20),
    "LeNet pool1, 24x24x20": (24, 24, 20),
    "LeNet conv2, 12x12x20, 5x5, 50": ConvolutionShape((12, 12), 20, (5, 5), 50),
    "LeNet pool2, 8x8x50": (8, 8, 50),
    "LeNet ip1, 4x4x50, 500": ConvolutionShape((4, 4), 50, (4, 4), 500),
    "LeNet ip2, 500, 10": ConvolutionShape((1, 1), 500, (1, 1), 10),
}
LAYERS = LENET | {
    "32x32x16, 3x3, 16, padded": ConvolutionShape((32, 32), 16, (3, 3), 16, pad=(1, 1, 1, 1)),
    "32x32x16, 1x1, 16": ConvolutionShape((32, 32), 16, (1, 1), 16),
    "13x15x64, 5x3, 16": ConvolutionShape((13, 15), 64, (5, 3), 16, pad=(1, 0, 2, 1)),
    "24x33x55, 5x5, 25, stride 4x3": ConvolutionShape((24, 33), 55, (5, 5), 25, (4, 3), pad=(2, 2, 3, 3)),
    "64x64 pixels of 4, 7x7, 16, stride 2": ConvolutionShape((64, 64), 4, (7, 7), 16, (2, 2), form=12),
}


def operations(shape: ConvolutionShape | tuple[int, int, int], space: MemorySpace) -> list[DrawnOperation]:
    """A convolution with an SDP operation that reads nothing, or a pooling over 2 x 2."""
    rng = np.random.default_rng(1)
    if isinstance(shape, ConvolutionShape):
        drawn = draw_convolution(rng, space, shape)
        for unit in ("BS", "BN"):
            drawn.sdp.set("SDP", f"D_DP_{unit}_CFG", **{f"{unit}_BYPASS": 1})
        return [drawn.sdp, drawn.conv]
    pool = random_pdp(rng, space, size=shape, windows=(1, 1))
    pool.set("PDP", "D_OPERATION_MODE_CFG", POOLING_METHOD=1)
    sides = {"KERNEL_WIDTH": 1, "KERNEL_STRIDE_WIDTH": 1, "KERNEL_HEIGHT": 1, "KERNEL_STRIDE_HEIGHT": 1}
    pool.set("PDP", "D_POOLING_KERNEL_CFG", **sides)
    for name, size in zip(("WIDTH", "HEIGHT"), shape, strict=False):
        pool.set("PDP", f"D_DATA_CUBE_OUT_{name}", **{f"CUBE_OUT_{name}": size // 2 - 1})
    return [pool]


def run(steps: list[Access], space: MemorySpace, latency: int) -> tuple[int, int, float]:
    """Cycles from the first to the last burst, those of all of the program, and processor seconds."""
    timing = MemoryTiming(read_latency=latency, max_reads=256, max_writes=256)
    begun = time.process_time()
    stimulus = Stimulus({}, program={"csb": tuple(steps)}, memories={"dbb": space.image(timing)})
    outcome = predict(PARAMS, stimulus)
    log = outcome.memories["dbb"].log
    whole = outcome.accesses["csb"][-1].cycle or 0
    return int(log["done"].max() - log["cycle"].min()), whole, time.process_time() - begun


def measure(latency: int, layers: int) -> Iterator[Row]:
    """A line for each layer, then LeNet."""
    for name, shape in list(LAYERS.items())[:layers]:
        space = MemorySpace(np.random.default_rng(1))
        made = OperationProgram(np.random.default_rng(1))
        for op in operations(shape, space):
            made.run(op)
        cycles, _, seconds = run(made.steps, space, latency)
        if isinstance(shape, ConvolutionShape):
            yield Row(name, shape.steps, column="steps")
            yield Row(name, shape.weight_bytes // 8, column="weight beats")
        yield Row(name, cycles, column="cycles")
        yield Row(name, seconds, "s", column="model")
    space = MemorySpace(np.random.default_rng(1))
    made = OperationProgram(np.random.default_rng(1))
    for shape in LENET.values():
        for op in operations(shape, space):
            made.run(op)
        made.settle()
    _, whole, seconds = run(made.steps, space, latency)
    yield Row("LeNet, one operation after the other, register accesses included", whole, column="cycles")
    yield Row("LeNet, one operation after the other, register accesses included", seconds, "s", column="model")


if __name__ == "__main__":
    benchmark(measure, FILES, {"latency": 32, "layers": len(LAYERS)}, {"layers": 4})
