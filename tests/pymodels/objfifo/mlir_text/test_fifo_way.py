# SPDX-License-Identifier: Apache-2.0
"""The way of a fifo in MLIR text, in the forms of several months of 2026."""

from __future__ import annotations

import numpy as np
import pytest

from goldbeat.pymodels.errors import GoldbeatError
from goldbeat.pymodels.objfifo.live.execute import run_live
from goldbeat.pymodels.objfifo.mlir_exec.device_build import TextArray
from goldbeat.pymodels.objfifo.mlir_exec.text_design import text_design
from goldbeat.pymodels.objfifo.plan.lower import plan
from goldbeat.pymodels.objfifo.plan.plan import Direction

TEXT = """module {{
  aie.device(npu2) {{
    %a = aie.tile(0, 2)
    %b = aie.tile(0, 3)
    %c = aie.tile(2, 3)
    aie.objectfifo @x(%a, {{{to}}}, 2 : i32) {{{attributes}}} : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @y(%a, {{%c}}, 2 : i32) {{transport = #aie.transport<dma>}} : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @z(%a, {{%b}}, 2 : i32) {{{last}}} : !aie.objectfifo<memref<16xi32>>
  }}
}}
"""
LINE = 6
NEAR, FAR = "%b", "%c"


def text(tmp_path, attributes, to=FAR, last=""):
    path = tmp_path / "aie.mlir"
    path.write_text(TEXT.format(attributes=attributes, to=to, last=last))
    return text_design(path)


def flows(design):
    """Channels of both ends of every flow, with the header of its packets."""
    return {
        one.fifo: (one.source.channel, one.dests[0].channel, one.packet and (one.packet.id, one.packet.type))
        for one in plan(design).flows
    }


@pytest.mark.parametrize(
    ("attributes", "to", "shared"),
    [
        ("", NEAR, True),
        ("transport = #aie.transport<auto>", NEAR, True),
        ("transport = #aie.transport<shared_mem>", NEAR, True),
        ("transport = #aie.transport<dma>", NEAR, False),
        ("via_DMA = true", NEAR, False),
        ("", FAR, False),
    ],
)
def test_shared_memory_or_dmas(tmp_path, attributes, to, shared):
    assert plan(text(tmp_path, attributes, to)).fifos[0].shared is shared


@pytest.mark.parametrize(
    ("attributes", "x"),
    [
        ("", (0, 0, None)),
        ("transport = #aie.transport<dma, packet = #aie.packet_info<>>", (0, 0, (0, 0))),
        ("transport = #aie.transport<auto, packet = #aie.packet_info<pkt_id = 7>>", (0, 0, (7, 0))),
        ("transport = #aie.transport<dma, packet = #aie.packet_info<pkt_type = 2, pkt_id = 3>>", (0, 0, (3, 2))),
        ("packet", (0, 0, (0, 0))),
        ("packet, packet_id = 3 : i8", (0, 0, (3, 0))),
        ("prod_port = #aie.end_port<DMA>", (0, 0, None)),
        ("prod_port = #aie.end_port<DMA : 0>, cons_ports = [#aie.end_port<DMA : 1>]", (0, 1, None)),
        ("prod_port = #aie.end_port<DMA : 1>, cons_ports = [#aie.end_port<DMA>]", (1, 0, None)),
        ("prod_dma_channel = 1 : i32, cons_dma_channels = array<i32: -1>", (1, 0, None)),
        ("prod_dma_channel = 1 : i32, cons_dma_channels = array<i32: 1>", (1, 1, None)),
    ],
)
def test_channels_and_packets(tmp_path, attributes, x):
    found = flows(text(tmp_path, attributes))
    assert found["x"] == x
    # The other fifo gets what is free.
    assert found["y"] == (1 - x[0], 1 - x[1], None)


def test_numbers_that_are_named_are_taken_before_free_ones_are_given(tmp_path):
    way = "transport = #aie.transport<dma, packet = #aie.packet_info<{}>>"
    found = flows(text(tmp_path, way.format(""), last=""))
    assert found["x"][2] == (0, 0)
    path = tmp_path / "aie.mlir"
    path.write_text(path.read_text().replace("{transport = #aie.transport<dma>}",
                    "{" + way.format("pkt_id = 0") + ", prod_port = #aie.end_port<DMA : 0>}"))  # fmt: skip
    assert flows(text_design(path)) == {"x": (1, 0, (1, 0)), "y": (0, 1, (0, 0))}
    sent = plan(text_design(path)).tiles[0]
    assert sent.channel(Direction.MM2S, 1).bds[0].packet.id == 1
    assert [c.index for c in sent.channels if c.direction is Direction.MM2S] == [0, 1]


@pytest.mark.parametrize(
    ("attributes", "stream"),
    [
        ("prod_port = #aie.end_port<Core : 0>", (0, 0)),
        ("cons_ports = [#aie.end_port<Core : 1>]", (1, 1)),
        ("prod_port = #aie.end_port<Core : 1>, cons_ports = [#aie.end_port<Core : 1>]", (2, 1)),
        ("transport = #aie.transport<stream, ends = both, port = 1>", (2, 1)),
        ("transport = #aie.transport<stream, ends = producer, port = 0>", (0, 0)),
        ("aie_stream = 1 : i32, aie_stream_port = 0 : i32", (1, 0)),
    ],
)
def test_ports_of_cores(tmp_path, attributes, stream):
    assert text(tmp_path, attributes).fifos[0].stream == stream


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ("transport = #aie.transport<cascade>", "found transport cascade, expected auto, shared_mem, dma or stream"),
        ("transport = #aie.transport<stream, ends = all, port = 1>", "expected ends = producer, consumer or both"),
        ("transport = #aie.transport<dma, lanes = 2>", r"found transport dma,lanes=2, expected packet = "),
        ("transport = #aie.transport<dma, packet = #aie.packet_info<pkt_id = 32>>", "packet id 32"),
        ("packet_id = 32 : i8", "packet id 32"),
        ("prod_port = #aie.end_port<North : 0>", "found port North:0, expected DMA, DMA : n or Core : n"),
        ("prod_port = #aie.end_port<Core>", "found port Core, expected DMA, DMA : n or Core : n"),
        ("cons_ports = [#aie.end_port<DMA>, #aie.end_port<DMA : 1>]", "found 2 ports of consumers, expected one"),
        ("prod_port = #aie.end_port<Core : 0>, cons_ports = [#aie.end_port<Core : 1>]", "found stream ports 0 and 1"),
    ],
)
def test_ways_that_there_are_not(tmp_path, attributes, message):
    with pytest.raises(GoldbeatError, match=rf"aie.mlir:{LINE}:.*{message}"):
        text(tmp_path, attributes)


SHARED = "transport = #aie.transport<shared_mem>"


@pytest.mark.parametrize(
    ("attributes", "to", "message"),
    [
        (SHARED, FAR, "x: transport shared_mem, but its ends share no memory"),
        (SHARED, "%b, %c", "x: transport shared_mem, but it has more than one consumer"),
        (f"{SHARED}, repeat_count = 2 : i32", NEAR, "x: transport shared_mem, but it repeats objects"),
        (f"{SHARED}, cons_ports = [#aie.end_port<Core : 0>]", NEAR, "but an end is a core's stream port"),
        ("transport = #aie.transport<shared_mem, packet = #aie.packet_info<>>", NEAR, "x: packets, but its ends share"),
        ("prod_port = #aie.end_port<DMA : 2>", FAR, "x: channel MM2S 2 of core tile"),
        ("prod_port = #aie.end_port<DMA : 1>", NEAR, "x: a channel that is named, but its ends share a memory"),
        ("prod_dma_channel = 1 : i32, aie_stream = 0 : i32, aie_stream_port = 0 : i32", FAR,
         "for an end that is a core's stream port"),
    ],
)  # fmt: skip
def test_rules(tmp_path, attributes, to, message):
    with pytest.raises(GoldbeatError, match=message):
        plan(text(tmp_path, attributes, to))


def test_a_channel_for_two(tmp_path):
    way = "prod_port = #aie.end_port<DMA : 1>"
    with pytest.raises(GoldbeatError, match=r"x, z: channel MM2S 1 of core tile .* for each, expected one fifo on it"):
        plan(text(tmp_path, way, last=f"{way}, via_DMA = true"))


SENT = """module {{
  aie.device(npu2) {{
    %s = aie.tile(0, 0)
    %m = aie.tile(0, 1)
    %n = aie.tile(1, 1)
    %o = aie.tile(1, 2)
    aie.packet_flow(0) {{
      aie.packet_source<%n, DMA : 0>
      aie.packet_dest<%o, DMA : 0>
    }}
    aie.objectfifo @x(%s, {{%m}}, 2 : i32) {{packet, prod_port = #aie.end_port<DMA : 1>}} : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @y(%m, {{%s}}, 2 : i32) {{packet, packet_id = 9 : i8}} : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo.link [@x] -> [@y] ([] [])
    aie.runtime_sequence @sequence(%p: memref<16xi32>, %q: memref<16xi32>) {{
{send}
      aiex.npu.dma_memcpy_nd(%q[0, 0, 0, 0][1, 1, 1, 16][0, 0, 0, 1])
        {{id = 1 : i64, metadata = @y, issue_token = true}} : memref<16xi32>
      aiex.npu.dma_wait {{symbol = @y}}
    }}
  }}
}}
"""
COPY = "aiex.npu.dma_memcpy_nd(%p[0, 0, 0, 0][1, 1, 1, 16][0, 0, 0, 1]) {id = 0 : i64, metadata = @x} : memref<16xi32>"
TASK = """%t = aiex.dma_configure_task_for @x {
        aie.dma_bd(%p : memref<16xi32>, 0, 16) {bd_id = 0 : i32}
        aie.end
      }
      aiex.dma_start_task(%t)"""


@pytest.mark.parametrize("send", [COPY, TASK])
def test_the_shim_sends_packets_too(tmp_path, send):
    path = tmp_path / "aie.mlir"
    path.write_text(SENT.format(send=send))
    found = run_live(TextArray(path).build, {"p": np.arange(16, dtype=np.int32)})
    assert found.completes
    assert found.hosts["q"].tolist() == [*range(16)]
    assert found.words["MM2S 1 of shim tile (0, 0)"] == 16
