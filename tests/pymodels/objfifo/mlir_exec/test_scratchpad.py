# SPDX-License-Identifier: Apache-2.0
"""Parameters of the scratchpad, and configurations that a sequence begins with."""

from __future__ import annotations

import numpy as np
import pytest

from goldbeat.pymodels.errors import GoldbeatError
from goldbeat.pymodels.objfifo.live.execute import run_live
from goldbeat.pymodels.objfifo.mlir_exec.device_build import TextArray
from goldbeat.pymodels.objfifo.mlir_exec.scalars import bf16_bits, bf16_value

TEXT = """
module {{
  aiex.scratchpad_parameter @p : {kind}
  aie.device(npu2) @empty {{ }}
  aie.device(npu2) @test {{
    %s = aie.tile(0, 0)
    %t = aie.tile(0, 2)
    %raw = aie.buffer(%t) {{sym_name = "raw"}} : memref<2xi32>
    %go = aie.lock(%t, 15) {{init = 0 : i32}}
    aie.objectfifo @x (%s, {{%t}}, 1 : i32) : !aie.objectfifo<memref<4xi32>>
    aie.objectfifo @y (%t, {{%s}}, 1 : i32) : !aie.objectfifo<memref<4x{type}>>
    aie.core(%t) {{
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      {core}
      %e = aie.objectfifo.acquire @y (Produce, 1) : !aie.objectfifosubview<memref<4x{type}>>
      %b = aie.objectfifo.subview.access %e[0] : !aie.objectfifosubview<memref<4x{type}>> -> memref<4x{type}>
      memref.store %v, %b[%c0] : memref<4x{type}>
      aie.objectfifo.release @y (Produce, 1)
      aie.end
    }}
    aie.runtime_sequence @sequence(%i : memref<16xi32>, %o : memref<4x{type}>) {attributes}{{
      {before}
      %r = aiex.dma_configure_task_for @y {{
        aie.dma_bd(%o : memref<4x{type}> offset = 0 len = 4)
        aie.end
      }} {{issue_token = true}}
      aiex.dma_start_task(%r)
      {sequence}
      aiex.dma_await_task(%r)
    }}
  }}
}}
"""
READ = "%v = aiex.read_scratchpad_parameter @p : {kind}"
TAKE = """%f = aie.objectfifo.acquire @x (Consume, 1) : !aie.objectfifosubview<memref<4xi32>>
      %a = aie.objectfifo.subview.access %f[0] : !aie.objectfifosubview<memref<4xi32>> -> memref<4xi32>
      %v = memref.load %a[%c0] : memref<4xi32>
      aie.objectfifo.release @x (Consume, 1)"""
MOVED = """%q = aiex.dma_configure_task_for @x {
        aie.dma_bd(%i : memref<16xi32> offset = 2 len = 4) {offset_parameter = @p}
        aie.end
      }
      aiex.dma_start_task(%q)"""
LOADS = """aiex.npu.load_pdi { device_ref = @empty }
      aiex.npu.load_pdi { device_ref = @test }"""


@pytest.fixture
def pad(tmp_path):
    """Execute the text with parts of it replaced."""

    def run(value=0, kind="i32", core=READ, **parts):
        fields = {
            "kind": kind,
            "type": kind,
            "core": core.format(kind=kind),
            "attributes": "",
            "before": LOADS,
            "sequence": "",
        }
        path = tmp_path / "pad.mlir"
        path.write_text(TEXT.format(**fields | parts))
        given = {"i": np.arange(16, dtype=np.int32)}
        return run_live(TextArray(path).build, given | (value if isinstance(value, dict) else {"p": value}))

    return run


@pytest.mark.parametrize(
    ("kind", "value", "wanted"),
    [("i32", 7, 7), ("i32", -1, (1 << 30) - 1), ("i16", -5, -5), ("i8", 200, -56), ("i8", -3, -3)],
)
def test_a_core_reads_thirty_bits(pad, kind, value, wanted):
    found = pad(value, kind, type=kind)
    assert found.completes
    assert not found.differing
    assert found.hosts["o"][0] == wanted


def test_brain_floats(pad):
    core = READ + "\n      %w = arith.mulf %u, %u : bf16".replace("%w", "%v")
    found = pad(1.5, "bf16", core.replace("%v = aiex", "%u = aiex"))
    assert bf16_value(found.hosts["o"][0]) == 2.25
    assert [bf16_bits(v) for v in (1.0, -2.0, 1 + 2**-8, 1 + 3 * 2**-8, float("inf"))] == [
        0x3F80, 0xC000, 0x3F80, 0x3F82, 0x7F80]  # fmt: skip
    assert np.isnan(bf16_value(bf16_bits(float("nan"))))


def test_cores_wait_for_the_sequence_to_fetch_them(pad):
    never = "attributes {emit_parameter_sync_preamble = false} "
    found = pad(7, attributes=never)
    assert not found.completes
    assert any("parameters of the scratchpad" in line for line in found.report)
    assert pad(7, attributes=never, sequence="aiex.sync_scratchpad_parameters_from_host").hosts["o"][0] == 7


def test_a_parameter_moves_a_transfer(pad):
    found = pad(5, core=TAKE, sequence=MOVED)
    assert found.hosts["o"][0] == 7
    with pytest.raises(GoldbeatError, match="moved by p, which the sequence has not fetched"):
        pad(5, core=TAKE, sequence=MOVED, attributes="attributes {emit_parameter_sync_preamble = false} ")


def test_the_state_table_is_added_to_a_buffer(pad):
    core = """aie.use_lock(%go, Acquire, 1)
      %v = memref.load %raw[%c0] : memref<2xi32>"""
    update = "aiex.npu.update_from_scratchpad {state_table_idx = 1 : ui8, buffer = @raw, address = 0 : ui32}\n      "
    sequence = "aiex.npu.create_scratchpad {size = 8 : ui32}\n      " + 2 * update + "aiex.set_lock(%go, 1)"
    found = pad({"scratchpad": np.array([1, 4 * 9 + 3], np.uint32)}, core=core, sequence=sequence)
    assert found.hosts["o"][0] == 4 * 18  # the low bits are lost after each of the two
    with pytest.raises(GoldbeatError, match="entry 1 of a scratchpad of 1 words"):
        pad({}, core=core, sequence=sequence.replace("size = 8", "size = 4"))
    with pytest.raises(GoldbeatError, match="added to the first words"):
        pad({}, core=core, sequence=sequence.replace("address = 0", "address = 4"))


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"kind": "f32"}, "a scratchpad parameter of f32"),
        ({"value": 1 << 30}, "a whole number of 30 bits"),
        ({"value": 1.5}, "a whole number of 30 bits"),
        ({"core": READ.replace("@p", "@q")}, "no scratchpad parameter q"),
        ({"before": "aiex.npu.load_pdi { device_ref = @empty }"}, "@empty, expected the device at hand, @test"),
        ({"sequence": LOADS}, "a configuration in the middle of the sequence"),
    ],
)
def test_what_is_not_executed(pad, parts, message):
    with pytest.raises(GoldbeatError, match=message):
        pad(**parts)


def test_locks_with_numbers_are_not_those_of_fifos(pad, tmp_path):
    core = """aie.use_lock(%go, AcquireGreaterEqual, 1)
      %v = arith.constant 5 : i32"""
    pad(core=core, sequence="aiex.set_lock(%go, 1)")
    path = tmp_path / "pad.mlir"
    path.write_text(path.read_text().replace("aie.lock(%t, 15)", "aie.lock(%t, 0)"))
    found = run_live(TextArray(path).build)
    assert found.completes
    assert found.hosts["o"][0] == 5
    path.write_text(path.read_text().replace("aiex.set_lock(%go, 1)", ""))
    assert not run_live(TextArray(path).build).completes
