# SPDX-License-Identifier: Apache-2.0
"""mlir-aie's tests of later states than 14 August 2026."""

from __future__ import annotations

from typing import Any

import numpy as np
from upstream_cases import BASIC, XRT, UpstreamCase
from upstream_shapes import copy_kernel, i32, own_case, script_case, text_case

from goldbeat.pymodels.objfifo.live.core_ports import CascadeGet, CascadePut

FLEXIBLE = f"{BASIC}/flexible_data_movement"
HEAD = f"{XRT}/deadlock_model_head_of_line/aie.mlir"


def _own_turns(in0: Any, in1: Any, out0: Any, out1: Any, full: Any, free: Any, room: Any, done: Any) -> None:
    """A kernel that takes turns with its buffers by itself."""
    for turn in range(8):
        full.acquire()
        room.acquire()
        source, target = ((in0, out0), (in1, out1))[turn % 2]
        target[:] = 3 * source
        free.release()
        done.release()


def _queues() -> list[UpstreamCase]:
    data = i32(65536)
    overflow = f"{XRT}/dma_queue_overflow/aie.mlir"
    fourteen = np.tile(data[:2048], 14)
    chunks = i32(1, 4097).reshape(4, 1024)
    halves = i32(2048).reshape(8, 2, 128)[:, ::-1].reshape(-1)
    a, b = i32(1, 10), np.array([100, 200, 300, 400], np.int32)
    total = np.array([a.sum() + b.sum()], np.int32)
    lost = {"lose_pushes": True}
    waits = "the host's sequence waits for a token of S2MM 0 of shim tile (0, 0)"
    found = [
        UpstreamCase("dma_queue_overflow", overflow, {"buf_a": data}, {"output": fourteen}),
        UpstreamCase("dma_queue_overflow (queue not polled)", overflow, {"buf_a": data}, hangs=waits, options=lost),
        text_case("bd_iteration_dma_task", {"arg0": chunks}, {"arg1": chunks[[2, 3, 0, 1]]}),
        text_case("buffer_clear_op", {}, {"arg0": np.concatenate([i32(1, 9), 0 * i32(8)])}),
        text_case("dynamic_chain_passthrough", {"in": i32(2048), "n": 8}, {"out": halves}),
    ]
    for sequence in ("first_a", "first_b"):
        name = f"deadlock_model_head_of_line ({sequence})"
        found.append(UpstreamCase(name, HEAD, {"a": a, "b": b}, {"r": total}, sequence=sequence))
    return found


def _autumn() -> list[UpstreamCase]:
    """Tests of September 2026 and later."""
    data = i32(65536)
    copies = np.tile(i32(1, 257), 8)
    overflow = np.tile(data[:2048], 14)
    whole, tiles, length = i32(1, 4097), 3, "scratchpad_length_parameter"
    blank = np.full(256, -1, np.int32)
    added = np.concatenate([i32(1, 8 * tiles + 1), blank[8 * tiles :]])
    return [
        text_case("dynamic_pingpong_iterarg_await", {"in": i32(1, 257), "n": 8}, {"out": copies}),
        text_case("dma_queue_overflow_memcpy_nd", {"buf_a": data}, {"output": overflow}),
        text_case("memtile_dmas/dma_configure_task_static_bd", {"arg0": whole}, {"arg1": whole}),
        text_case(
            "memtile_dmas/dma_configure_task_runtime_len", {"in": whole, "n": tiles}, {"out": whole[: 512 * tiles]}
        ),
        text_case("memtile_dma_starts_at_load", {}, {"arg0": i32(256)}),
        text_case("local_reset/switch", {}, {"arg0": i32(100, 108)}),
        text_case("full_elf_event_trace", {"in": i32(64)}, {"out": i32(64)}),
        UpstreamCase(length, f"test/python/npu-xrt/{length}/aie_design.py",
                     {"arg0": i32(256), "arg1": blank, "tiles": tiles}, {"arg1": added}),
    ]  # fmt: skip


def _gathered() -> list[UpstreamCase]:
    data = i32(32768)
    sizes, strides = [2, 3, 4, 2, 8, 16], [16384, 4096, 16, 1024, 128, 1]
    at = sum(np.indices(sizes)[n] * strides[n] for n in range(6)).reshape(-1)
    pairs, whole = (np.arange(17393)[:, None] * 3 + np.arange(2)).reshape(-1), i32(65536)
    moved = np.zeros(65536, np.int32)
    moved[pairs] = whole[pairs]
    return [
        script_case("decompose_nd_task", {"arg0": data}, {"arg1": np.tile(data[at], 2)}),
        script_case("decompose_split_tasks", {"arg0": whole}, {"arg1": moved}),
    ]


def _kept() -> list[UpstreamCase]:
    """Weights that stay in the array over several runs."""
    x, weights = i32(256), i32(1, 257)
    runs = {"runs": 5}
    return [
        script_case("dma_channel_reset_for", {"arg0": x}, {"arg1": x + weights}, options=runs),
        script_case(
            "objectfifo_lock_c_api", {"arg0": i32(8192)}, {"arg1": 3 * i32(8192)}, kernels={"scale_kernel": _own_turns}
        ),
        script_case("objectfifo_init_values_relaunch", {"arg0": x}, {"arg1": x + weights}, options=runs),
    ]


def _examples() -> list[UpstreamCase]:
    data = (i32(512) % 256).astype(np.uint8)
    tiles = (i32(4096) % 251).astype(np.uint8)
    twice = np.repeat(tiles.reshape(8, 1, 2, 256), 2, axis=1).reshape(-1)
    copy = {"passThroughLine": copy_kernel}
    lanes = i32(32768)
    return [
        own_case("flow_endpoints", f"{XRT}/flow_endpoints/flow_endpoints.py", "-d", "npu2"),
        own_case("basic/dma_slice_memcpy (DMA)", f"{BASIC}/dma_slice_memcpy/tile_dma.py"),
        own_case("basic/dma_slice_memcpy (fifos)", f"{BASIC}/dma_slice_memcpy/objectfifo.py"),
        UpstreamCase("basic/bandwidth/memcpy.py", f"{BASIC}/bandwidth/memcpy.py", {"arg0": lanes}, {"arg2": lanes}),
        UpstreamCase("basic/flexible_data_movement/02", f"{FLEXIBLE}/02_packet_switch_mux/aie2.py",
                     {"arg0": data}, {"arg1": data}, kernels=copy),
        UpstreamCase("basic/flexible_data_movement/04", f"{FLEXIBLE}/04_bd_chain_streaming/aie2.py",
                     {"arg0": tiles}, {"arg1": twice}, kernels=copy),
        UpstreamCase("basic/flexible_data_movement/06", f"{FLEXIBLE}/06_runtime_memtile_hub/aie2.py",
                     {"arg0": data}, {"arg1": data}, kernels=copy),
    ]  # fmt: skip


def _parameters() -> list[UpstreamCase]:
    """Designs whose host program alone has what they are given and what it expects."""
    folder = "test/python/npu-xrt"
    numbers = {f"arg{n}": i32(100 + n, 101 + n) for n in range(8)}
    moved = {"arg0": i32(32), "input_offset": 8}
    return [
        UpstreamCase("full_elf_42", f"{folder}/full_elf_42/aie_design.py", {}, {"arg0": i32(42, 43)}),
        UpstreamCase("full_elf_many_args", f"{folder}/full_elf_many_args/aie_design.py", {}, numbers),
        UpstreamCase("scratchpad_addr_offset (script)", f"{folder}/scratchpad_addr_offset/aie_design.py",
                     moved, {"arg1": i32(8, 16)}),
    ]  # fmt: skip


def _reconfigured() -> list[UpstreamCase]:
    """Devices that the host configures one after the other."""
    plus = np.repeat(np.array([2, 3, 0, 5], np.int32), 4)
    twice = np.tile(np.array([11, 22, 33, 44], np.int32), 2)
    return [
        text_case("reconfigure_loadpdi", {"arg": i32(16)}, {"arg": i32(16) + plus}),
        text_case("reconfigure_loadpdi_persistent_memtile", {"arg": i32(8)}, {"arg": twice}),
    ]


def _tile_product(k_tiles: int, *, get: bool = False, put: bool = False) -> Any:
    """A product of matrices in blocks, of numbers; sums come from the core before and go to the next one."""

    def kernel(a: Any, b: Any, c: Any) -> Any:
        for row, column, part in np.ndindex(c.shape[1], c.shape[0], k_tiles):
            made = a[part, row] @ b[column, part]
            for at in np.ndindex(made.shape):
                before = (yield CascadeGet()) if get and part == 0 else 0
                c[column, row][at] += made[at] + before
                if put and part == k_tiles - 1:
                    yield CascadePut(int(c[column, row][at]))

    return kernel


def _products() -> list[UpstreamCase]:
    """A product of matrices on one core, on four, and as a sum that goes from core to core."""
    rng = np.random.default_rng(0)
    a, b = (rng.integers(-1000, 1000, (16, 16), np.int32) for _ in range(2))
    # Behind the product the host program has room for a trace, of which nothing comes here.
    given = {"arg0": a, "arg1": b, "arg2": np.zeros(256 + 4 * 8192, np.int32)}
    chain = {
        f"matmul_scalar_{name}_4x1x4_4x4x4_i32_i32": _tile_product(1, get="get" in name, put="put" in name)
        for name in ("put", "put_get", "get")
    }
    kernels = {
        "plainx1": {"matmul_scalar_4x2x4_4x8x4_i32_i32": _tile_product(2)},
        "plainx4": {"matmul_scalar_2x2x2_4x8x4_i32_i32": _tile_product(2)},
        "bufferx4": {},
        "cascadex4": chain,
    }
    folder = "matrix_multiplication_using_cascade"
    return [
        UpstreamCase(f"{folder} ({name})", f"{XRT}/{folder}/aie_{name}.mlir", given, {"arg2": (a @ b).reshape(-1)},
                     kernels=own)
        for name, own in kernels.items()
    ]  # fmt: skip


def late_cases() -> list[UpstreamCase]:
    """All of them."""
    return [
        *_reconfigured(),
        *_products(),
        *_parameters(),
        *_queues(),
        *_autumn(),
        *_gathered(),
        *_kept(),
        *_examples(),
    ]
