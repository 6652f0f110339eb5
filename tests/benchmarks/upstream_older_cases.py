# SPDX-License-Identifier: Apache-2.0
"""mlir-aie's programming examples as they were until April 2026: the command line names the device, arrays are given."""

from __future__ import annotations

from typing import Any

import numpy as np
from upstream_cases import BASIC, UpstreamCase
from upstream_shapes import copy_kernel, i32


def _older(name: str, file: str, wanted: Any, *arguments: str, **more: Any) -> UpstreamCase:
    """An example that is no function to call; its arrays are the numbers in a row."""
    size = more.pop("size")
    data = more.pop("inputs", {"arg0": i32(size)})
    return UpstreamCase(f"basic/{name}", f"{BASIC}/{file}", data, wanted, arguments, before_jit=True, **more)


def older_cases() -> list[UpstreamCase]:
    """All of them."""
    lines, lanes, matrix = i32(4096), i32(32768), i32(64 * 64)
    tile = np.zeros((16, 128), np.int32)
    tile[:8, :16] = i32(16 * 128).reshape(16, 128)[:8, :16] + 1
    turned = matrix.reshape(64, 64).T.reshape(-1)
    copy = ("-d", "npu", "-l", "32768", "-co", "4", "-ch", "2", "-b")
    call = {"passThroughLine": copy_kernel}
    found = []
    for form in ("", "_placed"):
        found += [
            _older(f"passthrough_dmas{form} (command line)", f"passthrough_dmas/passthrough_dmas{form}.py",
                   {"arg2": lines}, "4096", "npu", "0", size=4096),
            _older(f"vector_scalar_add{form} (command line)", f"vector_scalar_add/vector_scalar_add{form}.py",
                   {"arg1": i32(1, 1025)}, "npu", "0", size=1024),
            _older(f"matrix_scalar_add{form} (command line)", f"matrix_scalar_add/matrix_scalar_add{form}.py",
                   {"arg2": tile}, "npu", "0", size=16 * 128),
        ]  # fmt: skip
    for form in ("", "_iron", "_placed"):
        found.append(_older(f"dma_transpose{form}", f"dma_transpose/dma_transpose{form}.py", {"arg2": turned},
                            "npu", "64", "64", size=64 * 64))  # fmt: skip
    found.append(_older("vector_vector_add_BDs_init_values (command line)",
                        "vector_vector_add_BDs_init_values/vector_vector_add.py", {"arg2": 2 * i32(256) + 1},
                        "npu", "0", size=256, inputs={"arg0": i32(1, 257)}))  # fmt: skip
    small = i32(64 * 32)
    found += [
        _older("dma_transpose_packet", "dma_transpose_packet/dma_transpose_placed.py",
               {"arg2": small.reshape(64, 32).T.reshape(-1)}, "npu", "64", "32", size=64 * 32, packets=True),
        _older("memcpy (command line, bypass)", "memcpy/memcpy.py", {"arg1": lanes}, *copy, "True", size=32768),
        _older("memcpy (command line, cores)", "memcpy/memcpy.py", {"arg1": lanes}, *copy, "False", size=32768,
               kernels=call),
    ]  # fmt: skip
    return found
