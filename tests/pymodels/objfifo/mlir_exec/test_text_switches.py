# SPDX-License-Identifier: Apache-2.0
"""Routes that text writes out: where words go, and packets that wait for an arbiter."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.objfifo.live.execute import LiveResult, run_live
from goldbeat.pymodels.objfifo.mlir_exec.device_build import TextArray
from tests.support.objfifo_cli import goldbeat

BLOCK = 64


_Channel = tuple[str, int, list[tuple[str, str, str, str]]]


def _ring(tile: str, lines: list[_Channel]) -> str:
    """A DMA program: channels with rings of (acquired lock, buffer and range, released lock, packet)."""
    text = ["%one = arith.constant 1 : i32"]
    for number, (way, channel, bds) in enumerate(lines):
        after = f"^s{number + 1}" if number + 1 < len(lines) else "^end"
        text.append(f"%d{number} = aie.dma_start({way}, {channel}, ^c{number}b0, {after})")
        for at, (take, what, give, packet) in enumerate(bds):
            following = f"^c{number}b{(at + 1) % len(bds)}"
            text += [
                f"^c{number}b{at}:",
                f"aie.use_lock({take}, AcquireGreaterEqual, %one)",
                f"aie.dma_bd({what}){packet}",
                f"aie.use_lock({give}, Release, %one)",
                f"aie.next_bd {following}",
            ]
        text.append(f"{after}:")
    return "\n".join([*text, "aie.end"])


def _switches(a: int, b: int, rules: str) -> str:
    """Inputs 0 and 1 reach the core's tile by its ports South 1 and 0, and pass arbiters ``a`` and ``b`` there."""
    return f"""aie.switchbox(%t0) {{
  aie.connect<South : 3, North : 3>
  aie.connect<South : 7, North : 5>
  aie.connect<North : 0, South : 2>
}}
aie.shim_mux(%t0) {{
  aie.connect<DMA : 0, North : 3>
  aie.connect<DMA : 1, North : 7>
  aie.connect<North : 2, DMA : 0>
}}
aie.switchbox(%t1) {{
  aie.connect<South : 3, DMA : 0>
  aie.connect<South : 5, DMA : 1>
  aie.connect<North : 0, South : 0>
  %0 = aie.amsel<0> (0)
  %1 = aie.amsel<1> (0)
  %2 = aie.masterset(North : 0, %1)
  %3 = aie.masterset(North : 1, %0)
  aie.packet_rules(DMA : 1) {{ aie.rule(31, 1, %1) }}
  aie.packet_rules(DMA : 0) {{ aie.rule(31, 0, %0) }}
}}
aie.switchbox(%t2) {{
  aie.connect<DMA : 0, South : 0>
  %0 = aie.amsel<{a}> (0)
  %1 = aie.amsel<{b}> (1)
  %2 = aie.masterset(DMA : 0, %0)
  %3 = aie.masterset(DMA : 1, %1)
  aie.packet_rules(South : 1) {{ aie.rule(31, 0, %0) }}
  aie.packet_rules(South : 0) {{ aie.rule(31, 1, %1) }}
  {rules}
}}
"""


def _join(blocks: int, arbiters: tuple[int, int], rules: str = "") -> str:
    """A memory tile sends blocks of two inputs to a core's tile, which needs them in turn; the host sends one after the other.

    mlir-aie's ``hw_verdicts`` at 0036fa6b have such designs on npu2: ``mj3_arb_dst`` (4 blocks, inputs on one arbiter) hangs,
    ``j2m_n1loop_arb`` (1 block) passes.
    """
    size = blocks * BLOCK
    memory, core, send, take = [], [], [], []
    for n in range(2):
        memory.append(f'%m{n} = aie.buffer(%t1) {{sym_name = "m{n}"}} : memref<{size}xi32>')
        memory.append(f"%m{n}p = aie.lock(%t1) {{init = {blocks} : i32}}\n%m{n}c = aie.lock(%t1) {{init = 0 : i32}}")
        core.append(f'%i{n} = aie.buffer(%t2) {{sym_name = "i{n}"}} : memref<{BLOCK}xi32>')
        core.append(f"%i{n}p = aie.lock(%t2) {{init = 1 : i32}}\n%i{n}c = aie.lock(%t2) {{init = 0 : i32}}")
        parts = [f"%m{n} : memref<{size}xi32> offset = {b * BLOCK} len = {BLOCK}" for b in range(blocks)]
        packet = f" {{packet = #aie.packet_info<pkt_type = 0, pkt_id = {n}>}}"
        send.append(("S2MM", n, [(f"%m{n}p", part, f"%m{n}c", "") for part in parts]))
        send.append(("MM2S", n, [(f"%m{n}c", part, f"%m{n}p", packet) for part in parts]))
        take.append(("S2MM", n, [(f"%i{n}p", f"%i{n} : memref<{BLOCK}xi32> offset = 0 len = {BLOCK}", f"%i{n}c", "")]))
    turns = [(f"%i{n}c", f"%i{n} : memref<{BLOCK}xi32> offset = 0 len = {BLOCK}", f"%i{n}p", "") for n in range(2)]
    return f"""module {{ aie.device(npu2) {{
%t0 = aie.tile(0, 0)
%t1 = aie.tile(0, 1)
%t2 = aie.tile(0, 2)
{chr(10).join((*memory, *core))}
{_switches(*arbiters, rules)}aie.memtile_dma(%t1) {{ {_ring("%t1", send)} }}
aie.mem(%t2) {{ {_ring("%t2", [*take, ("MM2S", 0, turns)])} }}
aie.shim_dma_allocation @a(%t0, MM2S, 0)
aie.shim_dma_allocation @b(%t0, MM2S, 1)
aie.shim_dma_allocation @o(%t0, S2MM, 0)
aie.runtime_sequence(%in: memref<{2 * size}xi32>, %out: memref<{2 * size}xi32>) {{
  {_move("in", 0, size, 0, "a", size)}
  {_move("out", 0, 2 * size, 1, "o", size)}
  aiex.npu.dma_wait {{symbol = @a}}
  {_move("in", size, size, 2, "b", size)}
  aiex.npu.dma_wait {{symbol = @o}}
}} }} }}"""


def _move(name: str, first: int, count: int, number: int, metadata: str, size: int) -> str:
    what = f"%{name}[0, 0, 0, {first}][1, 1, 1, {count}][0, 0, 0, 1]"
    more = f"{{id = {number} : i64, issue_token = true, metadata = @{metadata}}}"
    return f"aiex.npu.dma_memcpy_nd({what}) {more} : memref<{2 * size}xi32>"


def _run(folder: Path, text: str, data: Any) -> LiveResult:
    (folder / "x.mlir").write_text(text)
    return run_live(TextArray(folder / "x.mlir").build, {"in": data})


@pytest.mark.parametrize(("blocks", "arbiters"), [(4, (0, 1)), (1, (0, 0)), (1, (0, 1))])
def test_words_go_where_switches_lead_them(tmp_path: Path, blocks: int, arbiters: tuple[int, int]) -> None:
    data = np.arange(2 * blocks * BLOCK, dtype=np.int32)
    found = _run(tmp_path, _join(blocks, arbiters), data)
    assert found.completes, found.report
    np.testing.assert_array_equal(found.hosts["out"], data.reshape(2, blocks, BLOCK).swapaxes(0, 1).reshape(-1))


def test_a_packet_that_holds_an_arbiter_hangs_the_other(tmp_path: Path) -> None:
    found = _run(tmp_path, _join(4, (0, 0)), np.arange(8 * BLOCK, dtype=np.int32))
    assert not found.completes
    wanted = "a packet of DMA 1 of mem tile (0, 1) waits for arbiter 0 of the switch of core tile (0, 2)"
    assert f"{wanted}: a packet of DMA 0 of mem tile (0, 1) holds it until its last word" in found.report


def test_what_is_no_connection_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"'aie.tile', expected what connects ports"):
        _run(tmp_path, _join(1, (0, 1), "%x = aie.tile(0, 3)"), np.zeros(2, np.int32))
    with pytest.raises(InputError, match="arbiter 8, expected 0 to 7"):
        _run(tmp_path, _join(1, (0, 8)), np.zeros(2, np.int32))


def _two_senders(arbiter: int, rings: list[_Channel], joined: bool) -> str:
    """Two cores' channels send four packets each by the switch of the first; ``joined``: to one channel of the memory tile."""
    parts = []
    for n, tile in enumerate(("%t2", "%t3"), 1):
        parts.append(f"%o{n} = aie.buffer({tile}) : memref<64xi32> = dense<{n}>")
        parts.append(
            f"%go{n} = aie.lock({tile}, 0) {{init = 4 : i32}}\n%no{n} = aie.lock({tile}, 1) {{init = 0 : i32}}"
        )
        packet = f" {{packet = #aie.packet_info<pkt_type = 0, pkt_id = {n}>}}"
        ring = _ring(
            tile, [("MM2S", 0, [(f"%go{n}", f"%o{n} : memref<64xi32> offset = 0 len = 64", f"%no{n}", packet)])]
        )
        parts.append(f"aie.mem({tile}) {{ {ring} }}")
    return f"""module {{ aie.device(npu2) {{
%t0 = aie.tile(0, 0)
%t1 = aie.tile(0, 1)
%t2 = aie.tile(0, 2)
%t3 = aie.tile(0, 3)
%m = aie.buffer(%t1) {{sym_name = "m"}} : memref<128xi32>
%cap = aie.lock(%t1, 0) {{init = 1 : i32}}
%w = aie.lock(%t1, 1) {{init = 0 : i32}}
%r = aie.lock(%t1, 2) {{init = 0 : i32}}
{chr(10).join(parts)}
aie.switchbox(%t3) {{
  %0 = aie.amsel<0> (0)
  %1 = aie.masterset(South : 1, %0)
  aie.packet_rules(DMA : 0) {{ aie.rule(31, 2, %0) }}
}}
aie.switchbox(%t2) {{
  %0 = aie.amsel<0> (0)
  %1 = aie.amsel<{arbiter}> (1)
  %2 = aie.masterset(South : 0, %0)
  %3 = aie.masterset(South : 1, %1)
  aie.packet_rules(DMA : 0) {{ aie.rule(31, 1, %0) }}
  aie.packet_rules(North : 1) {{ aie.rule(31, 2, %1) }}
}}
aie.switchbox(%t1) {{
  aie.connect<DMA : 0, South : 0>
  %0 = aie.amsel<0> (0)
  %1 = aie.amsel<1> (0)
  %2 = aie.masterset(DMA : 0, %0)
  %3 = aie.masterset(DMA : 1, %1)
  aie.packet_rules(North : 0) {{ aie.rule(31, 1, %0) }}
  aie.packet_rules(North : 1) {{ aie.rule(31, 2, %{int(not joined)}) }}
}}
aie.switchbox(%t0) {{ aie.connect<North : 0, South : 2> }}
aie.shim_mux(%t0) {{ aie.connect<North : 2, DMA : 0> }}
aie.memtile_dma(%t1) {{ {_ring("%t1", rings)} }}
aie.shim_dma_allocation @o(%t0, S2MM, 0)
aie.runtime_sequence(%out: memref<512xi32>) {{
  aiex.npu.dma_memcpy_nd(%out[0, 0, 0, 0][1, 1, 1, 512][0, 0, 0, 1]) {{id = 0 : i64, issue_token = true, metadata = @o}} :
    memref<512xi32>
  aiex.npu.dma_wait {{symbol = @o}}
}} }} }}"""


def _part(first: int, count: int = 64) -> str:
    return f"%m : memref<128xi32> offset = {first} len = {count}"


CHAIN = [
    ("S2MM", 0, [("%w", _part(0), "%r", "")]),
    ("S2MM", 1, [("%cap", _part(64), "%w", "")]),
    ("MM2S", 0, [("%r", _part(0, 128), "%cap", "")]),
]
"""What comes to channel 1 is taken first, then what comes to channel 0."""
GATHER = [
    ("S2MM", 0, [("%cap", _part(0), "%w", ""), ("%w", _part(64), "%r", "")]),
    ("MM2S", 0, [("%r", _part(0, 128), "%cap", "")]),
]
"""The first packet that comes goes to the first half."""


def _said(folder: Path, command: str, text: str) -> tuple[int, str]:
    (folder / "x.mlir").write_text(text)
    done = goldbeat("objfifo", command, folder / "x.mlir")
    return done.code, done.stdout


@pytest.mark.parametrize("command", ["check", "exec"])
def test_an_arbiter_against_the_order_of_locks_hangs_with_some_timing(tmp_path: Path, command: str) -> None:
    assert _said(tmp_path, command, _two_senders(1, CHAIN, False))[0] == 0
    code, said = _said(tmp_path, command, _two_senders(0, CHAIN, False))
    assert code == 1
    assert "the design hangs" in said
    assert "of DMA 0 of core tile (0, 2) waits for arbiter 0 of the switch of core tile (0, 2)" in said
    assert "without its lock" not in said


@pytest.mark.parametrize("command", ["check", "exec"])
def test_packets_of_two_sources_for_one_ring_come_in_any_order(tmp_path: Path, command: str) -> None:
    code, said = _said(tmp_path, command, _two_senders(1, GATHER, True))
    assert code == 1
    assert (
        "unordered: packets of DMA 0 of core tile (0, 2) and DMA 0 of core tile (0, 3) come in any order: out" in said
    )
    assert "without its lock" not in said
