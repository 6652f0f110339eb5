# SPDX-License-Identifier: Apache-2.0
"""More of mlir-aie's tests in text: packets, control packets, sizes at run time, resets, several runs."""

from __future__ import annotations

from typing import Any

import numpy as np
from upstream_cases import XRT, UpstreamCase
from upstream_shapes import i32, text_case

from goldbeat.pymodels.objfifo.live.core_registers import RegisterRead

_X = i32(1, 65)
_COPIES = np.tile(i32(1, 257), 8)


def _plus_one(source: Any, target: Any, *_: Any) -> None:
    target[:] = source + 1


def _twice(source: Any, target: Any, *_: Any) -> None:
    target[:] = 2 * source


def _three_times(source: Any, target: Any, *_: Any) -> None:
    target[:] = 3 * source


def _scaled(source: Any, target: Any, factor: Any, *_: Any) -> None:
    target[:] = source * factor[0]


def _read_words(target: Any, first: int, count: int, step: int) -> Any:
    """Registers of the core's own tile."""
    for number in range(int(count)):
        target[number] = yield RegisterRead(int(first) + number * int(step))


def _lock_writes() -> Any:
    """For each of four tiles two control packets: locks 0 and 2 are set to 2."""
    words = []
    for offset in (0x1F000, 0x1F020):
        words += [offset | (1 - bin(offset).count("1") % 2) << 31, 2]
    return np.tile(np.array(words, np.uint32), 4).view(np.int32)


def _adds() -> list[UpstreamCase]:
    call = {"add_one": _plus_one, "scale_by_two": _twice}
    lanes = {f"i{n}": i32(n, 64 + n) for n in range(3)}
    found = [
        text_case("add_one_cpp_aiecc", {"in": _X}, {"out": _X + 1}),
        text_case("add_one_objFifo_elf", {"in": _X}, {"out": _X + 41}),
        text_case("add_one_func_link_with_peano", {"in": _X}, {"out": _X + 1}, kernels=call),
        text_case("add_one_scale_func_link_with_peano", {"in": _X}, {"out": 2 * (_X + 1)}, kernels=call),
        text_case("vector_scalar_using_dma", {"arg0": i32(1, 4097)}, {"arg2": 3 * i32(1, 4097)},
                  kernels={"scale_int32": _three_times}),
    ]  # fmt: skip
    for name, devices, plus in (
        ("add_one_two_txn", ("add_one", "add_two"), (1, 102)),
        ("add_one_two_runlist", ("aie_add_1", "aie_add_2"), (1, 2)),
    ):
        for device, more in zip(devices, plus, strict=True):
            found.append(
                UpstreamCase(
                    f"{name} ({device})", f"{XRT}/{name}/aie.mlir", {"in": _X}, {"out": _X + more}, device=device
                )
            )
    for device, more in (("aie_add_1", 1), ("aie_add_2", 2)):
        outs = {f"o{n}": lanes[f"i{n}"] + more for n in range(3)}
        name = "add_multi_arg_runlist"
        found.append(UpstreamCase(f"{name} ({device})", f"{XRT}/{name}/aie.mlir", lanes, outs, device=device))
    return found


def _packets() -> list[UpstreamCase]:
    locks = {"arg1": _lock_writes()}
    sums = {"arg2": np.tile(i32(7, 15), 4)}
    merged = np.concatenate([i32(1, 9), i32(101, 109)])
    return [
        text_case("add_one_ctrl_packet_4_cores", locks, sums),
        text_case("add_one_ctrl_packet_col_overlay", locks, sums),
        text_case("multi_source_packet_flow", {}, {"out": merged}, any_order=True),
        text_case("packet_flow_same_id_merge_3way", {}, {"arg0": np.repeat(i32(1, 4), 256).astype(np.int8)},
                  any_order=True),
        text_case("objectfifo_pad_value_i32", {"arg0": i32(1, 14)},
                  {"arg1": np.pad(i32(1, 14), (2, 1), constant_values=42)}),
    ]  # fmt: skip


def _sizes() -> list[UpstreamCase]:
    """Sizes and branches that the host decides at run time."""
    into = {"in": i32(1, 257), "n": 8}
    untouched = np.full(2048, -12345, np.int32)
    branch = f"{XRT}/dynamic_conditional_passthrough/aie.mlir"
    return [
        text_case("dynamic_pingpong_passthrough", into, {"out": _COPIES}),
        text_case("dynamic_pingpong_trace", into, {"out": _COPIES}),
        UpstreamCase("dynamic_conditional_passthrough (copy)", branch, {**into, "do_copy": 1}, {"out": _COPIES}),
        UpstreamCase(
            "dynamic_conditional_passthrough (no copy)", branch, {**into, "out": untouched}, {"out": untouched}
        ),
    ]


def _resets() -> list[UpstreamCase]:
    counted = np.repeat(i32(2), 8)
    good = i32(100, 108)
    scaled = {"arg0": i32(4096), "arg1": np.full(1, 3, np.int32)}
    kernels = {"vector_scalar_mul_aie_scalar": lambda a, c, factor, n: c.__setitem__(slice(None), a * factor[0])}
    return [
        text_case("local_reset/core", {}, {"arg0": counted}),
        text_case("local_reset/core_reset_op", {}, {"arg0": counted}),
        text_case("local_reset/dma", {}, {"arg0": good}),
        text_case("local_reset/dma_channel_reset_op", {}, {"arg0": good}),
        text_case(
            "tile_mapped_read", {}, {"out": np.tile(i32(42, 50), 8)}, kernels={"read_processor_bus": _read_words}
        ),
        text_case("xrt_handle_lifetime", {"arg0": i32(64)}, {"arg2": i32(1, 65)}),
        text_case("vec_mul_event_trace", scaled, {"arg2": 3 * i32(4096)}, kernels=kernels),
        text_case("vec_mul_trace_distribute_lateral", scaled, {"arg2": 3 * i32(4096)}, kernels=kernels),
    ]


def text_cases() -> list[UpstreamCase]:
    """All of them."""
    return [*_adds(), *_packets(), *_sizes(), *_resets()]
