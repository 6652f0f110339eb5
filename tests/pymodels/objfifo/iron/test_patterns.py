# SPDX-License-Identifier: Apache-2.0
"""Patterns that are made from others, fifos that are walked by them, and which way objects take."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from goldbeat.pymodels.errors import GoldbeatError
from goldbeat.pymodels.objfifo.iron.element_pattern import TensorAccessPattern
from goldbeat.pymodels.objfifo.live.execute import LiveResult
from goldbeat.pymodels.objfifo.plan.lower import plan
from goldbeat.pymodels.objfifo.script.load_script import ScriptArray

WHOLE = TensorAccessPattern.full((6, 8))
ARRAY = np.arange(48).reshape(6, 8)


def tiles(array, rows, columns):
    grid = array.reshape(array.shape[0] // rows, rows, array.shape[1] // columns, columns)
    return grid.transpose(0, 2, 1, 3)


@pytest.mark.parametrize(
    ("pattern", "wanted"),
    [
        (WHOLE, ARRAY),
        (WHOLE.T, ARRAY.T),
        (WHOLE[1:5, ::3], ARRAY[1:5, ::3]),
        (WHOLE[-1], ARRAY[-1]),
        (WHOLE[..., None, 2], ARRAY[..., None, 2]),
        (WHOLE.T[2:4], ARRAY.T[2:4]),
        (WHOLE.split(1, 4), ARRAY),
        (WHOLE.split(1, 4).permute((1, 0, 2)), ARRAY.reshape(6, 2, 4).transpose(1, 0, 2)),
        (WHOLE[2:4].repeat(3), np.tile(ARRAY[2:4].reshape(-1), 3)),
        (WHOLE.tile((2, 4)), tiles(ARRAY, 2, 4)),
        (WHOLE.tile((2, 4))[1, 0], tiles(ARRAY, 2, 4)[1, 0]),
        (WHOLE.tile((2, 4)).permute((1, 0, 3, 2)), tiles(ARRAY, 2, 4).transpose(1, 0, 3, 2)),
        (WHOLE.tile((2, 4))[:, 1], tiles(ARRAY, 2, 4)[:, 1]),
        (WHOLE.partition(3)[2], np.array_split(ARRAY, 3)[2]),
        (WHOLE.partition(4, dim=-1)[1], np.array_split(ARRAY, 4, axis=1)[1]),
        (TensorAccessPattern.full((48,)).partition(6)[2], ARRAY.reshape(-1)[16:24]),
        (WHOLE[:, 0:4].pad([(1, 0), (0, 2)]), np.pad(ARRAY[:, 0:4], ((1, 0), (0, 2)), constant_values=-7)),
    ],
)
def test_patterns_move_what_numpy_takes(pattern, wanted):
    sent = pattern.gather(ARRAY, pad_value=-7)
    assert sent.tolist() == np.asarray(wanted).reshape(-1).tolist()
    assert sent.size == np.prod(pattern.padded_sizes)
    if pattern.padding is None:
        assert pattern.coalesce() == pattern
        assert pattern.coalesce().gather(ARRAY).tolist() == sent.tolist()


@pytest.mark.parametrize("pattern", [WHOLE.T, WHOLE.tile((2, 4)), WHOLE.tile((3, 2)).permute((1, 0, 3, 2))])
def test_an_inverse_brings_back_the_order_of_rows(pattern):
    assert pattern.inverse().gather(pattern.gather(ARRAY)).tolist() == [*range(48)]
    assert pattern.scatter(pattern.gather(ARRAY)).tolist() == ARRAY.tolist()


def test_rows_are_iterated():
    assert [one.gather(ARRAY).tolist() for one in WHOLE[::2]] == ARRAY[::2].tolist()
    assert WHOLE.split(0, 2).merge(0) == WHOLE
    assert (WHOLE.T == WHOLE, hash(WHOLE.coalesce()) == hash(WHOLE)) == (False, True)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: WHOLE[5:5], "no walk forwards"),
        (lambda: WHOLE[::-1], "no walk forwards"),
        (lambda: WHOLE[[1, 2]], "expected numbers, slices"),
        (lambda: WHOLE.permute((0, 0)), "each of"),
        (lambda: WHOLE.split(0, 4), "dimension 0 of 6 elements, expected a multiple of 4"),
        (lambda: WHOLE.tile((2, 3)), "dimension 1 of 8 elements"),
        (lambda: WHOLE.tile((2,)), "1 sizes of a tile"),
        (lambda: WHOLE[:, 0:4].merge(0), "stride 8 of dimension 0, expected 4"),
        (lambda: WHOLE[1:].inverse(), "no inverse"),
        (lambda: WHOLE.pad([(1, 1)]), "a pair from 0 for each of 2 dimensions"),
        (lambda: WHOLE.pad([(1, 1), (0, 0)]).T, r"expected pad\(\) at the end"),
        (lambda: WHOLE.pad([(1, 1), (0, 0)]).scatter(ARRAY), "only a sender pads"),
    ],
)
def test_patterns_that_are_none(make, message):
    with pytest.raises(ValueError, match=message):
        make()


# -- fifos ----------------------------------------------------------------------------------------------------------------

FIFOS = """
import numpy as np
from aie.helpers.taplib import TensorAccessPattern
from aie.iron import ObjectFifo, Packet, Port, Program, Runtime, Transport, Worker
from aie.iron.device import NPU2Col1, Tile

small, large = np.ndarray[(4, 8), np.dtype[np.int32]], np.ndarray[(48,), np.dtype[np.int32]]
turned = TensorAccessPattern.full((8, 4)).T
padded = TensorAccessPattern.full((4, 8)).pad([(1, 1), (0, 0)])
x, z = ObjectFifo(small, name="x"), ObjectFifo(small, name="z")
y = x.cons().forward(name="y", to_stream=turned)
out = z.cons(from_stream=turned).forward(obj_type=large, name="out", to_stream=padded, pad_value=5)

def work(x, z):
    a, b = x.acquire(1), z.acquire(1)
    for i in range(4):
        for j in range(8):
            b[i, j] = a[i, j] + 100
    x.release(1)
    z.release(1)

def seq(A, C, x, out):
    x.fill(A)
    out.drain(C, wait=True)

rt = Runtime(seq, [small, large, x.prod(), out.cons()])
Program(NPU2Col1(), rt, workers=[Worker(work, [y.cons(), z.prod()])]).resolve_program()
"""


def executed(folder: Path, text: str) -> LiveResult:
    path = folder / "design.py"
    path.write_text(text)
    return ScriptArray(path, [], {}).execute({"arg0": np.arange(32, dtype=np.int32)})[-1]


def test_fifos_are_walked_by_patterns(tmp_path):
    found = executed(tmp_path, FIFOS)
    turned = TensorAccessPattern.full((8, 4)).T
    made = turned.scatter(turned.gather(np.arange(32)) + 100).reshape(4, 8)
    assert found.hosts["arg1"].tolist() == np.pad(made, ((1, 1), (0, 0)), constant_values=5).reshape(-1).tolist()
    assert made.reshape(-1).tolist() == [*range(100, 132)]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("to_stream=turned", "to_stream=turned[1:]", r"design.py:11: found a to_stream pattern with offset 1"),
        ("cons(from_stream=turned)", "cons(from_stream=padded)", "a from_stream pattern with padding"),
        (
            "to_stream=padded,",
            "to_stream=padded, pad_dimensions=[(1, 1), (0, 0)],",
            "padding of a pattern and pad_dimensions",
        ),
        ("x.fill(A)", "x.fill(A, tap=padded)", "only memory tiles pad"),
    ],
)
def test_walks_that_no_fifo_has(tmp_path, old, new, message):
    assert old in FIFOS
    with pytest.raises(GoldbeatError, match=message):
        executed(tmp_path, FIFOS.replace(old, new))


def test_a_walk_in_many_dimensions_is_written_in_fewer(tmp_path):
    whole = "TensorAccessPattern.full((4, 8)).split(0, 2).split(2, 4).split(3, 2)"
    text = FIFOS.replace("x.fill(A)", f"x.fill(A, tap={whole})")
    assert executed(tmp_path, text).hosts["arg1"].tolist() == executed(tmp_path, FIFOS).hosts["arg1"].tolist()


WAYS = """
import numpy as np
from aie.iron import ObjectFifo, Packet, Port, Program, Runtime, Transport, Worker
from aie.iron.device import NPU2Col1, Tile

ty = np.ndarray[(8,), np.dtype[np.int32]]
x, y, z = ObjectFifo(ty, name="x"), ObjectFifo(ty, name="y", transport=WAY), ObjectFifo(ty, name="z")

def work(x, y):
    a, b = x.acquire(1), y.acquire(1)
    b[:] = a
    x.release(1)
    y.release(1)

def seq(A, C, x, z):
    x.fill(A)
    z.drain(C, wait=True)

workers = [Worker(work, [x.cons(), y.prod(PORT)], tile=Tile(0, 2)), Worker(work, [y.cons(), z.prod()], tile=Tile(0, 3))]
Program(NPU2Col1(), Runtime(seq, [ty, ty, x.prod(), z.cons()]), workers=workers).resolve_program()
"""


@pytest.mark.parametrize(
    ("way", "dma"),
    [
        ("None", False),
        ("'auto'", False),
        ("'shared_mem'", False),
        ("Transport.auto()", False),
        ("'dma'", True),
        ("Transport.dma()", True),
        ("Transport.dma(packet=Packet())", True),
        ("Transport.dma(packet=Packet(id=7))", True),
    ],
)
def test_neighbours_use_dmas_if_they_must(tmp_path, way, dma):
    found = executed(tmp_path, WAYS.replace("WAY", way).replace("PORT", "port=Port.dma()"))
    assert found.hosts["arg1"][:8].tolist() == [*range(8)]
    assert ("MM2S 0 of core tile (0, 2)" in found.words) is dma


@pytest.mark.parametrize(
    ("way", "port", "message"),
    [
        ("'stream'", "", r"design.py:7: found transport 'stream', expected one of auto, shared_mem, dma"),
        ("None", "port=Port.dma(1)", "y: a channel that is named, but its ends share a memory"),
        ("'dma'", "port=Port.dma(2)", r"y: channel MM2S 2 of core tile \(0, 2\), expected 0 to 1"),
        ("'dma'", "channel=1, port=Port.stream(0)", "y: .* for an end that has"),
        ("'dma'", "port=Port.dma(1)), y.prod(channel=0", "y: .*number=0.* for an end that has .*number=1"),
        ("'shared_mem'", "port=Port.stream(0)", "y: transport shared_mem, but an end is a core's stream port"),
        ("Transport('auto', Packet())", "", "y: packets, but its ends share a memory"),
        ("None", "port=Port.stream(2)", "found stream port 2, expected 0 to 1"),
    ],
)
def test_ways_that_a_fifo_has_not(tmp_path, way, port, message):
    with pytest.raises(GoldbeatError, match=message):
        executed(tmp_path, WAYS.replace("WAY", way).replace("PORT", port))


@pytest.mark.parametrize("port", ["port=Port.dma(1)", "channel=1"])
def test_a_fifo_names_its_channel(tmp_path, port):
    found = executed(tmp_path, WAYS.replace("WAY", "'dma'").replace("PORT", port))
    assert found.hosts["arg1"][:8].tolist() == [*range(8)]
    assert found.words["MM2S 1 of core tile (0, 2)"] == 8
    assert "MM2S 0 of core tile (0, 2)" not in found.words


def test_packets_of_one_fifo(tmp_path):
    (tmp_path / "design.py").write_text(WAYS.replace("WAY", "Transport.dma(packet=Packet(id=7))").replace("PORT", ""))
    found = plan(ScriptArray(tmp_path / "design.py", [], {}).planned())
    assert [(f.fifo, f.packet and f.packet.id) for f in found.flows] == [("x", None), ("y", 7), ("z", None)]


def test_a_stream_port_of_a_core_is_the_end_of_a_fifo(tmp_path):
    (tmp_path / "design.py").write_text(WAYS.replace("WAY", "None").replace("PORT", "port=Port.stream(0)"))
    (design,) = [f for f in ScriptArray(tmp_path / "design.py", [], {}).planned().fifos if f.name == "y"]
    assert design.stream == (0, 0)
