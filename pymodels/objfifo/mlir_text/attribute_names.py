# SPDX-License-Identifier: Apache-2.0
"""Names of attributes that operations of ``aie`` and ``aiex`` have: a name that nothing reads is refused, not dropped."""

from __future__ import annotations

from collections.abc import Iterable

from goldbeat.pymodels.objfifo.mlir_text.tree import MlirOp

_AT = ("column", "row", "buffer")
STARTS = ("issue_token", "repeat_count", "out_of_order", "pad_value")
_NAMES: dict[str, tuple[str, ...]] = {
    "aie.buffer": ("sym_name", "address", "aligned", "initial_value", "mem_bank"),
    "aie.cascade_flow": (),
    "aie.core": ("dynamic_objfifo_lowering", "elf_file", "link_files", "link_merge_files", "link_with", "stackSize",
                 "stack_size"),
    "aie.device": ("sym_name",),
    "aie.dma": (*STARTS, "loop", "sym_name"),
    "aie.dma_bd": ("bd_id", "next_bd_id", "burst_length", "iteration", "len", "offset", "offset_parameter",
                   "out_of_order_id", "packet", "pad_value", "compression", "enable_compression"),
    "aie.dma_bd_packet": (),
    "aie.dma_start": STARTS,
    "aie.external_buffer": ("sym_name", "address"),
    "aie.flow": (),
    "aie.lock": ("sym_name", "init"),
    "aie.mem": (),
    "aie.memtile_dma": (),
    "aie.next_bd": (),
    "aie.objectfifo.acquire": (),
    "aie.objectfifo.link": ("mode",),
    "aie.objectfifo.release": (),
    "aie.packet_flow": ("keep_pkt_header", "mask", "priority_route"),
    "aie.runtime_sequence": ("emit_parameter_sync_preamble", "sym_name"),
    "aie.shim_dma": (),
    "aie.shim_dma_allocation": ("plio",),
    "aie.use_lock": ("acq_en",),
    "aiex.dma_await_task": (),
    "aiex.dma_configure_task": STARTS,
    "aiex.dma_configure_task_for": STARTS,
    "aiex.dma_free_task": (),
    "aiex.dma_start_task": (),
    "aiex.npu.address_patch": ("addr", "arg_idx", "arg_plus"),
    "aiex.npu.blockwrite": (*_AT, "address"),
    "aiex.npu.dma_memcpy_nd": ("burst_length", "id", "issue_token", "metadata", "offset_parameter", "packet"),
    "aiex.npu.dma_wait": ("symbol",),
    "aiex.npu.maskwrite32": (*_AT, "address", "mask", "value"),
    "aiex.npu.push_queue": ("bd_id", "issue_token", "repeat_count"),
    "aiex.npu.rtp_write": (),
    "aiex.npu.sync": ("column", "row", "direction", "channel", "column_num", "row_num"),
    "aiex.npu.write32": (*_AT, "address", "value"),
    "aiex.set_lock": (),
}  # fmt: skip
"""By operation; others are not looked at."""
_WALKS = ("len", "offset", "pad", "pad_value", "sizes", "strides")


def check_attribute_names(op: MlirOp) -> None:
    """Refuse an attribute that an operation does not have; one with a dialect's prefix says nothing to it."""
    known = _NAMES.get(op.name)
    if known is not None:
        check_names(op, (name for name in op.attributes if "." not in name), known)


def check_names(op: MlirOp, names: Iterable[str], known: Iterable[str] = _WALKS) -> None:
    """Refuse a name that is none of those that are known."""
    known = tuple(known)
    for name in names:
        if name not in known:
            op.fail(f"{name} at {op.name}", f"one of {', '.join(known)}" if known else "no attribute")
