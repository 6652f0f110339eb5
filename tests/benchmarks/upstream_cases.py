# SPDX-License-Identifier: Apache-2.0
"""What mlir-aie's tests without vector work are given and must give, by their paths in that repository.

The formulas are those of the host programs that come with the tests; kernels in C++ have Python functions in their place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.objfifo.live.core_ports import CascadeGet, CascadePut
from goldbeat.pymodels.objfifo.live.core_registers import RegisterRead, RegisterWrite

Arrays = dict[str, npt.NDArray[Any]]
XRT, BASIC = "test/npu-xrt", "programming_examples/basic"


@dataclass(frozen=True)
class UpstreamCase:
    """One test.

    Attributes:
        name: as the table says.
        path: of the design in the repository.
        inputs: the host's arrays; None for a script that makes its own and checks them.
        wanted: what arrays begin with afterwards.
        arguments: command line of a script.
        kernels: stand-ins.
        hangs: what the report of its hang must say; empty for a test that completes.
        options: of the execution, such as ``runs``.
        device, sequence: of text that has several; the NPU that a script finds.
        any_order: elements are compared sorted, as the host program does.
        marker: text that the file must have; without it it has another calling form.
        before_jit: of a script from before its design was a function to call.
        packets: every fifo of a script as packets.
    """

    name: str
    path: str
    inputs: Arrays | None = None
    wanted: Arrays = field(default_factory=dict)
    arguments: tuple[str, ...] = ()
    kernels: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    hangs: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    device: str | None = None
    sequence: str | None = None
    any_order: bool = False
    marker: str = ""
    before_jit: bool = False
    packets: bool = False


def _i32(*bounds: int) -> npt.NDArray[np.int32]:
    return np.arange(*bounds, dtype=np.int32)


def _zeros(size: int, dtype: Any = np.int32) -> npt.NDArray[Any]:
    return np.zeros(size, dtype)


def _copy(source: Any, target: Any, *_: Any) -> None:
    target[:] = source


def _add(a: Any, b: Any, c: Any) -> None:
    c[:] = a + b


def _add_two(a: Any, b: Any) -> None:
    b[:] = a + 2


def _double(a: Any, b: Any) -> None:
    b[:] = a * 2


def _concat(a: Any, b: Any, c: Any, *_: Any) -> None:
    c[:] = np.concatenate([a, b])[: len(c)]


def _threshold(source: Any, target: Any, width: int, limit: int, most: int, *_: Any) -> None:
    target[:] = np.where(source > limit, most, 0)


def _threshold_line(source: Any, target: Any, width: int, limit: int, most: int, *_: Any) -> None:
    target[:] = np.where(source > limit, np.uint8(most & 255), 0)


def _first() -> Any:
    yield CascadePut(14)


def _second() -> Any:
    yield CascadeGet()
    yield CascadePut(114)


def _third(buffer: Any, count: int) -> Any:
    value = yield CascadeGet()
    buffer[:] = 0
    buffer[5] = value + 100


def _sum(a: Any, c: Any) -> None:
    c += a


def _zero(c: Any) -> None:
    c[:] = 0


def _twice_padded(rows: int, width: int, before: int, after: int, plus: int, dtype: Any) -> npt.NDArray[Any]:
    data = np.arange(1, rows * width + 1).astype(dtype).reshape(rows, width)
    return np.pad(data, ((0, 0), (before, after))).reshape(-1) + dtype(plus)


def _text(name: str, inputs: Arrays, wanted: Arrays, **more: Any) -> UpstreamCase:
    return UpstreamCase(name, f"{XRT}/{name}/aie.mlir", inputs, wanted, **more)


def _script(
    name: str, inputs: Arrays, wanted: Arrays, *arguments: str, file: str = "aie2.py", **more: Any
) -> UpstreamCase:
    return UpstreamCase(name, f"{XRT}/{name}/{file}", inputs, wanted, arguments, **more)


def _own(name: str, path: str, *arguments: str, **more: Any) -> UpstreamCase:
    return UpstreamCase(name, path, None, {}, arguments, **more)


def _adds() -> list[UpstreamCase]:
    x = _i32(64)
    first, odd = _i32(1, 9), np.full(8, 0x37373737, np.uint32)
    first[4] = 42
    odd[0] = odd[0] & ~np.uint32(0xF0F0F0F0) | np.uint32(0x12345678 & 0xF0F0F0F0)
    odd[1] = odd[1] & ~np.uint32(0x0F0F0F0F) | np.uint32(0x9ABCDEF0 & 0x0F0F0F0F)
    ones = np.ones(61 * 56, np.int8)
    plane = np.pad(ones.reshape(61, 56), ((2, 1), (4, 4))).reshape(-1) + np.int8(12)
    return [
        _text("add_one_objFifo", {"in": x}, {"out": x + 41}),
        _text("add_one_using_dma", {"arg0": x}, {"arg2": x + 1}),
        _text("add_314_using_dma_op", {"arg0": x}, {"arg2": x + 314}),
        _text("add_256_using_dma_op_no_double_buffering", {"arg0": x}, {"arg2": x + 256}),
        _text("add_21_i8_using_dma_op_with_padding", {"arg0": _i32(1, 33).astype(np.int8)},
              {"arg2": _twice_padded(4, 8, 4, 4, 21, np.int8)}),
        _text("add_378_i32_using_dma_op_with_padding", {"arg0": _i32(1, 53)},
              {"arg2": _twice_padded(4, 13, 2, 1, 378, np.int32)}),
        _text("add_12_i8_using_2d_dma_op_with_padding", {"arg0": ones}, {"arg2": plane}),
        _text("add_blockwrite", {"arg0": x + 1}, {"arg2": x + 1 + np.tile(first, 8)}),
        _text("add_maskwrite", {}, {"arg0": (odd + 1).view(np.int32)}),
        _text("add_one_ctrl_packet", {"arg1": _control()}, {"arg2": _i32(7, 15), "arg0": _i32(8, 16)}),
        _text("add_one_two", {"in": x}, {"out": x + 1}),
    ]  # fmt: skip


def _control() -> npt.NDArray[np.int32]:
    """Two locks set to 2 and eight words read, as control packets."""

    def header(address: int, operation: int, beats: int, stream: int) -> int:
        word = stream << 24 | operation << 22 | beats << 20 | address
        return word | (1 - bin(word).count("1") % 2) << 31

    words = [header(0x1F000, 0, 0, 0), 2, header(0x1F020, 0, 0, 0), 2]
    words += [header(0x440 + 16 * n, 1, 3, 2) for n in range(2)]
    return np.array([*words, 0, 0], np.uint32).view(np.int32)


def _dmas() -> list[UpstreamCase]:
    found = []
    for place in ("core_dmas/dma_configure_task_lock", "core_dmas/dma_configure_task_token"):
        found.append(_text(place, {"arg0": _i32(1, 1025)}, {"arg1": _i32(1, 1025)}))
    x = _i32(1, 4097)
    mixed = np.concatenate([x[2048:3072], x[:1024], x[3072:], x[1024:2048]])
    for name in ("writebd", "writebd_tokens", "blockwrite_using_locks"):
        found.append(_text(f"tile_dmas/{name}", {"arg0": x}, {"arg2": x}))
        found.append(_text(f"memtile_dmas/{name}", {"arg0": x}, {"arg2": x}))
    for name in ("dma_configure_task_lock", "dma_configure_task_token"):
        found.append(_text(f"memtile_dmas/{name}", {"arg0": x}, {"arg1": mixed}))
    a, b, c = _i32(5), _i32(1, 97), _i32(2, 98)
    sums = np.concatenate([[a.sum()], (b + c).reshape(8, 12).sum(axis=1)]).astype(np.int32)
    found.append(_text("dmabd_task_queue", {"arg0": a, "arg1": b, "arg2": c}, {"arg3": sums}))
    a, b = _i32(1, 2561), _i32(10000, 12560)
    turns = np.concatenate([np.concatenate([a[s : s + 256], b[s : s + 256]]) for s in range(0, 2560, 256)])
    found.append(_text("shim_dma_bd_reuse", {"buf_a": a, "buf_b": b}, {"output": turns}))
    return found


def _moves() -> list[UpstreamCase]:
    x = _i32(1, 4097)
    big = _i32(65536)
    matrix = _i32(7 * 19)
    even = (2 * _i32(2048)).astype(np.int16)
    a, b = (2 * _i32(8)).astype(np.int16), (2 * _i32(12) + 1).astype(np.int16)
    together = [0, 0, 0, 2, 8, 10, 4, 6, 12, 14, 1, 3, 9, 11, 17, 19, 5, 7, 13, 15, 21, 23]
    lines = _i32(256).reshape(16, 16).sum(axis=1).astype(np.int32)
    return [
        _script("column_specific", {"arg0": x}, {"arg2": x}, "4096"),
        _script("device_width", {"arg0": x}, {"arg2": x}, "4096"),
        _script("dma_task_large_linear", {"arg0": big}, {"arg1": big + 1}),
        _script("dma_complex_dims", {"arg0": _i32(160)}, {"arg2": _walked(_i32(160))}, "8", "5", "20", "4", "5"),
        _script("matrix_transpose", {"arg0": matrix}, {"arg1": matrix.reshape(7, 19).T.reshape(-1)},
                kernels={"passthrough": _copy}),
        _script("nd_memcpy_linear_repeat", {"arg0": even}, {"arg2": np.tile(even, 3)}),
        _script("nd_memcpy_transforms", {"arg0": a, "arg1": b, "arg2": _zeros(22, np.int16)},
                {"arg2": np.array(together, np.int16)}, kernels={"concat": _concat}),
        _script("sync_task_complete_token", {"arg0": _i32(256), "arg1": _zeros(16)}, {"arg1": lines}),
        _script("sync_task_complete_token_bd_chaining", {"arg0": _i32(256), "arg1": _zeros(16)}, {"arg1": lines}),
        _script("neighbor_tile_memory_access", {"arg0": _i32(1, 1025)}, {"arg1": _i32(2, 1026)}),
        _text("runtime_cumsum", {"xy": np.concatenate([_i32(16), _zeros(112)])}, {"xy": _doubling(_i32(16))},
              kernels={"sum": _sum, "zero": _zero}),
        _text("many_buffers", {f"in{n}": _i32(64) * (n + 1) for n in range(8)},
              {f"out{n}": _i32(64) * (n + 1) for n in range(8)}),
    ]  # fmt: skip


def _walked(data: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """8 x 20 in tiles of 8 x 5, gathered by the memory tile and scattered by the core by their walks."""
    m, k, whole, r, s = 8, 5, 20, 4, 5
    at = np.arange(whole // k)[:, None, None, None] * (m * k) + np.arange(k // s)[:, None, None] * s
    at = (at + np.arange(m)[:, None] * k + np.arange(s)).reshape(-1, m * k)
    found = np.zeros((whole // k, m * k), np.int32)
    into = (
        np.arange(k // s)[:, None, None] * (r * s) + np.arange(m // r)[:, None] * (r * k) + np.arange(r * s)
    ).reshape(-1)
    for number, row in enumerate(at):
        found[number][into] = data[row]
    return found.reshape(-1)


def _doubling(row: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    rows = [row]
    for _ in range(7):
        rows.append(sum(rows))  # type: ignore[arg-type]
    return np.concatenate(rows).astype(np.int32)


def _fifos() -> list[UpstreamCase]:
    x = _i32(1, 4097)
    rows = np.repeat(_i32(10), 10)
    windows = np.repeat(_i32(10) + np.maximum(_i32(10) - 1, 0), 10).astype(np.int32)
    bytes_ = (_i32(16384) % 251).astype(np.uint8)
    chunks = np.concatenate([np.tile(c, 2) for c in bytes_.reshape(16, 1024)])
    thirds = _i32(1, 37)
    spread = np.concatenate([thirds[:18] + 1, thirds[18:] + 2])
    image = (np.random.default_rng(0).integers(0, 255, 8192)).astype(np.uint8)
    dark = np.where(image > 50, 255, 0).astype(np.uint8)
    kernels = {"passthrough_10_i32": _copy, "passthrough_64_i32": _copy, "add_10_i32": _add}
    return [
        _script("objectfifo_repeat/simple_repeat", {"arg0": x}, {"arg2": np.tile(x, 4)}, "4096"),
        _script("objectfifo_repeat/compute_repeat", {"arg0": x}, {"arg2": np.tile(x, 4)}, "4096"),
        _script("objectfifo_repeat/init_values_repeat", {}, {"arg2": np.tile(x, 4)}),
        _script("objectfifo_repeat/distribute_repeat", {"arg0": thirds}, {"arg2": spread}, "36"),
        _script("bd_chain_repeat_on_memtile", {"arg0": bytes_}, {"arg1": chunks}, kernels={"passThroughLine": _copy}),
        _script("dynamic_object_fifo/ping_pong", {"arg0": _i32(1024), "arg1": _zeros(1024)}, {"arg1": _i32(1024)},
                kernels=kernels),
        _script("dynamic_object_fifo/nested_loops", {"arg0": np.repeat(_i32(5), 10), "arg1": _zeros(250)},
                {"arg1": np.repeat(_i32(5), 50)}, kernels=kernels),
        _script("dynamic_object_fifo/reduction", {"arg0": rows, "arg1": _zeros(50)},
                {"arg1": np.repeat(4 * _i32(5) + 1, 10)}, kernels=kernels),
        _script("dynamic_object_fifo/sliding_window", {"arg0": rows}, {"arg1": windows}, kernels=kernels),
        _script("dynamic_object_fifo/sliding_window_conditional", {"arg0": rows}, {"arg1": windows}, kernels=kernels),
        _script("dynamic_object_fifo/two_core_sliding_window", {"arg0": rows}, {"arg1": windows}, kernels=kernels),
        _text("two_col", {"in": image}, {"out": dark}, kernels={"thresholdLine": _threshold}),
        _text("cascade_flows", {"in": _i32(1, 65)}, {"out": np.where(_i32(64) == 5, 214, 0).astype(np.int32)},
              kernels={"extern_kernel1": _first, "extern_kernel2": _second, "extern_kernel3": _third}),
    ]  # fmt: skip


def _streams() -> list[UpstreamCase]:
    one = np.ones((64, 64), np.int8)
    two = np.ones((128, 64), np.int8)
    halves = np.concatenate([one + 12, one + 7])
    x, table = _i32(1, 257), _i32(256)
    large = np.ones(96000, np.int32)
    spread = "ext_to_core_L2_placed.py"
    # Data that differ from element to element show one that is lost, doubled or sent to another core.
    counted, folded, short = (((_i32(16384) % n) + 1).astype(np.int8) for n in (256, 128, 64))
    cores = np.repeat(_i32(12, 16), 4096).astype(np.int8)
    return [
        _text("packet_flow", {"arg0": one}, {"arg2": one + 12}),
        _text("packet_flow_fanin", {"arg0": two}, {"arg2": halves}),
        _text("packet_flow_fanout", {"arg0": two}, {"arg2": halves}),
        _script("adjacent_memtile_access/two_memtiles", {"arg0": x}, {"arg2": x + table}),
        _script("adjacent_memtile_access/three_memtiles", {"arg0": x}, {"arg2": x + table}),
        _script("adjacent_memtile_allocation/onelargefifo_on_2memtile", {"arg0": large}, {"arg2": _i32(8) * 0 + 2}, "npu",
                file=spread),
        _script("adjacent_memtile_allocation/onelargefifo_on_3memtile", {"arg0": large}, {"arg2": _i32(8) * 0 + 2}, "npu",
                file=spread),
        _script("adjacent_memtile_allocation/twofifo_one_2memtile", {"arg0": large}, {"arg2": _i32(8) * 0 + 2}, "npu",
                file=spread),
        _text("static_L1_init", {"arg0": x}, {"arg2": x + table}),
        _text("vec_vec_add_memtile_init", {"arg0": x}, {"arg2": x + table}),
        _text("vec_vec_add_tile_init", {"arg0": x}, {"arg2": x + table}),
        _script("vec_vec_add_objfifo_init", {"arg1": x}, {"arg2": x + table + 1}, "npu", "0"),
        _text("ctrl_packet_reconfig", {"arg1": counted[:4096]}, {"arg2": counted[:4096] + np.int8(12)}),
        _text("ctrl_packet_reconfig_1x4_cores", {"arg0": counted}, {"arg1": counted + cores}),
        _text("ctrl_packet_reconfig_4x1_cores", {"arg0": folded}, {"arg1": folded + cores}),
        _text("ctrl_packet_reconfig_elf", {"arg0": short[:4096]}, {"arg1": short[:4096] + np.int8(3)}),
        _text("dma_op_pad_value_i32", {"arg0": _i32(1, 14)}, {"arg1": np.pad(_i32(1, 14), (2, 1), constant_values=42)}),
    ]  # fmt: skip


def _scripts() -> list[UpstreamCase]:
    data = (_i32(256) % 10).astype(np.int8)
    sent = {"arg0": data, "arg1": _zeros(256, np.int8)}
    rows = np.concatenate([np.arange(100, 116), np.arange(200, 216), np.arange(400, 416)]).astype(np.int32)
    switch = f"{BASIC}/packet_switch/packet_switch.py"
    kernels = {
        "add": _add_two,
        "mul": _double,
    }
    return [
        _own("bd_iteration", f"{XRT}/bd_iteration/bd_iteration.py"),
        _own("objectfifo_cyclostatic_two_core_pipeline", f"{XRT}/objectfifo_cyclostatic_two_core_pipeline/test.py"),
        _own("basic/passthrough_dmas", f"{BASIC}/passthrough_dmas/passthrough_dmas.py"),
        _own("basic/vector_scalar_add", f"{BASIC}/vector_scalar_add/vector_scalar_add.py"),
        _own("basic/matrix_scalar_add", f"{BASIC}/matrix_scalar_add/matrix_scalar_add.py"),
        _own("basic/memcpy", f"{BASIC}/memcpy/memcpy.py", "-co", "4", "-ch", "2", "-l", "32768"),
        _own("basic/manual_switchbox", f"{BASIC}/manual_switchbox/manual_switchbox.py"),
        _own("basic/dma_padding (fifos)", f"{BASIC}/dma_padding/objectfifo.py"),
        _own("basic/dma_padding (DMA)", f"{BASIC}/dma_padding/tile_dma.py"),
        UpstreamCase("basic/packet_switch (add)", switch, sent, {"arg1": data + np.int8(2)}, ("--op", "add"), kernels),
        UpstreamCase("basic/packet_switch (mul)", switch, sent, {"arg1": data * np.int8(2)}, ("--op", "mul"), kernels),
        UpstreamCase("basic/chaining_channels", f"{BASIC}/chaining_channels/chaining_channels.py", {},
                     {"arg0": _i32(1, 257)}),
        UpstreamCase("basic/custom_dma", f"{BASIC}/custom_dma/custom_dma.py", {}, {"arg1": rows}, ("-d", "npu2")),
        *(_compression(device) for device in ("npu1", "npu2")),
    ]  # fmt: skip


def _placed() -> list[UpstreamCase]:
    """Packets that go where their headers say, parameters, a barrier."""
    core, script = f"{XRT}/dma_s2mm_ooo_core", f"{XRT}/dma_s2mm_ooo/dma_s2mm_ooo.py"
    turned = _i32(64).reshape(2, 2, 16)[:, ::-1].reshape(-1)
    shim = np.concatenate([_i32(101, 109), _i32(1, 9)])
    options = {
        "memory tile, 8 senders, 2 channels": "--recv-tile mem --channels 2 -n 8",
        "core, 7 senders, 2 channels": "--recv-tile core --channels 2 -n 7",
        "several packets": "--recv-tile mem --channels 2 -n 4 --packets 4",
        "unequal counts": "--recv-tile core --channels 1 -n 4 --nonuniform",
        "rounds": "--recv-tile core --channels 2 -n 6 --repeat-count 1",
        "rounds of unequal counts": "--recv-tile mem --channels 1 -n 4 --nonuniform --repeat-count 2",
        "back-pressure": "--recv-tile core --channels 1 -n 1 --repeat-count 8 --recv-backpressure",
    }
    return [
        UpstreamCase("dma_s2mm_ooo_core/core_merge_release_only", f"{core}/core_merge_release_only.mlir",
                     {"arg0": _i32(32)}, {"arg1": turned[:32]}),
        UpstreamCase("dma_s2mm_ooo_core/core_merge_backpressure", f"{core}/core_merge_backpressure.mlir",
                     {"arg0": _i32(64)}, {"arg1": turned}),
        _text("dma_s2mm_ooo_shim_recv", {}, {"out": shim}),
        _text("loadpdi", {"a": _i32(512)}, {"a": _i32(512) + 2}),
        _text("scratchpad_params", {"foo": 1.5, "bar": 2.25}, {"out": np.array([0x4058], np.uint16)}),
        _text("scratchpad_addr_offset", {"in": _i32(32), "input_offset": 8}, {"out": _i32(8, 16)}),
        _text("scratchpad_regwrite", {"scratchpad": np.array([42 << 2], np.uint32)}, {"out": _i32(42, 43)}),
        _own("vision/color_threshold", "programming_examples/vision/color_threshold/color_threshold.py", "-W", "64", "-H",
             "16", kernels={"threshold": _threshold_line}),
        *[_own(f"dma_s2mm_ooo ({what})", script, *given.split()) for what, given in options.items()],
    ]  # fmt: skip


_BD_WORDS = [0x1D004 + 0x20 * number for number in range(4)]
_CONTROLS = [0x1DE00, 0x1DE10]
_COMPRESSION = 1 << 31


def _enable(first: int, control: int) -> Any:
    """A kernel that sets the compression bits of two descriptors and of a channel."""
    for offset in _BD_WORDS[first : first + 2]:
        yield RegisterWrite(offset, _COMPRESSION)
    yield RegisterWrite(control, 1 << 4)


def _dump(values: Any) -> Any:
    """A kernel that reads registers, writes compression bits, and reads them again."""
    words = values.view(np.uint32)
    words[10:] = 0
    for number, offset in enumerate([*_BD_WORDS, *_CONTROLS]):
        words[number] = yield RegisterRead(offset)
    for number, offset in enumerate(_BD_WORDS, 6):
        yield RegisterWrite(offset, _COMPRESSION)
        words[number] = yield RegisterRead(offset)


def _compression(device: str) -> UpstreamCase:
    kernels = {
        "enable_mm2s_compression": lambda: _enable(2, _CONTROLS[1]),
        "enable_s2mm_decompression": lambda: _enable(0, _CONTROLS[0]),
        "dump_compress_regs": _dump,
    }
    path = f"{BASIC}/dma_compression/test_dma_compression.py"
    return UpstreamCase(f"basic/dma_compression ({device})", path, kernels=kernels, device=device)


def upstream_cases() -> list[UpstreamCase]:
    """All of them."""
    return [*_adds(), *_dmas(), *_moves(), *_fifos(), *_streams(), *_scripts(), *_placed()]
