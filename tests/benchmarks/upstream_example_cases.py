# SPDX-License-Identifier: Apache-2.0
"""More of mlir-aie's scripts: tests and programming examples whose kernels are scalar or have simple functions in their place."""

from __future__ import annotations

from typing import Any

import numpy as np
from upstream_cases import BASIC, XRT, UpstreamCase
from upstream_shapes import copy_kernel, i32, own_case, script_case

_CYCLES = (
    "acquire_in_loop",
    "both_outer_inner",
    "multiple_fifos",
    "sibling_loops",
    "two_core_mutual",
    "zero_trip_guard",
)
_ALGORITHMS = ("for_each", "transform", "transform_binary", "transform_parallel", "transform_parallel_binary")


def _add(a: Any, b: Any, c: Any, *_: Any) -> None:
    c[:] = a + b


def _turn(source: Any, target: Any) -> None:
    target[:] = source.reshape(16, 16).T.reshape(-1)


def _biased(tile: Any, bias: Any, out: Any) -> None:
    out[:] = (tile.reshape(-1, len(bias)) + bias).reshape(-1)


def _total(source: Any, target: Any, _: int) -> None:
    target[:] = np.sum(source, dtype=np.int32)


def _least(source: Any, target: Any, _: int) -> None:
    target[:] = np.min(source)


def _plus_one(source: Any, target: Any, _: int) -> None:
    target[:] = source + 1


def _tests() -> list[UpstreamCase]:
    found = []
    for name in _CYCLES:
        whole = f"objectfifo_cyclostatic_{name}"
        found.append(own_case(whole, f"{XRT}/{whole}/test.py"))
    copies = np.tile(i32(1, 257), 8)
    found.append(script_case("rolled_pingpong_passthrough", {"arg0": i32(1, 257)}, {"arg1": copies}))
    return found


def _basic() -> list[UpstreamCase]:
    transposes = f"{BASIC}/transposes/transposes.py"
    copy = {"passThroughLine": copy_kernel, "passthrough": copy_kernel}
    found = [
        own_case("basic/passthrough_pykernel", f"{BASIC}/passthrough_pykernel/passthrough_pykernel.py"),
        own_case("basic/passthrough_kernel", f"{BASIC}/passthrough_kernel/passthrough_kernel.py", kernels=copy),
        own_case("basic/inline_kernel", f"{BASIC}/inline_kernel/inline_kernel.py", "--num-elements", "1024",
                 kernels={"add_one": _plus_one}),
        own_case("basic/row_wise_bias_add", f"{BASIC}/row_wise_bias_add/row_wise_bias_add.py",
                 kernels={"row_wise_bias_add_f32_f32": _biased}),
        own_case("basic/transposes (dma)", transposes, "-s", "dma"),
        own_case("basic/transposes (dma_packet)", transposes, "-s", "dma_packet"),
        own_case("basic/transposes (shuffle)", transposes, "-s", "shuffle", kernels={"transpose_16x16": _turn}),
        own_case("basic/tiling_exploration/per_tile", f"{BASIC}/tiling_exploration/per_tile/per_tile.py"),
        own_case("basic/tiling_exploration/tile_group", f"{BASIC}/tiling_exploration/tile_group/tile_group.py"),
        own_case("basic/vector_vector_add", f"{BASIC}/vector_vector_add/vector_vector_add.py"),
        own_case("basic/vector_vector_modulo", f"{BASIC}/vector_vector_modulo/vector_vector_modulo.py"),
        own_case("basic/vector_vector_mul", f"{BASIC}/vector_vector_mul/vector_vector_mul.py"),
        own_case("basic/vector_reduce_add", f"{BASIC}/vector_reduce_add/vector_reduce_add.py",
                 kernels={"reduce_add": _total}),
        own_case("basic/vector_reduce_min", f"{BASIC}/vector_reduce_min/vector_reduce_min.py",
                 kernels={"reduce_min": _least}),
        UpstreamCase("basic/vector_vector_add_BDs_init_values",
                     f"{BASIC}/vector_vector_add_BDs_init_values/vector_vector_add.py",
                     {"arg0": i32(1, 257)}, {"arg1": 2 * i32(256) + 1}, marker="@iron.jit"),
    ]  # fmt: skip
    return found + [
        own_case(f"algorithms/{name}", f"programming_examples/algorithms/{name}.py") for name in _ALGORITHMS
    ]


def example_cases() -> list[UpstreamCase]:
    """All of them."""
    return [*_tests(), *_basic()]
