# SPDX-License-Identifier: Apache-2.0
"""Random designs on the model of the engine: every stream's data by numpy indexing from what was written, no plan."""

import collections

import numpy as np
import objfifo_numpy as plain
import pytest

from goldbeat.pymodels.objfifo.engine.alone import final_state, predict
from goldbeat.pymodels.objfifo.engine.registers import EngineShape
from goldbeat.pymodels.objfifo.plan.tile import TileKind
from goldbeat.tb.designs.objfifo.bench_engine import DESIGN
from goldbeat.tb.designs.objfifo.draw import draw
from goldbeat.tb.designs.objfifo.scene import engine_stimulus
from goldbeat.tb.run.runs import Request

SHAPES = [{}, {"NS": 1, "NM": 1, "NBANK": 1, "NBD": 16, "NLOCK": 16}, {"NS": 6, "NM": 6}]


def objects(stream, fifo, elements=None):
    return plain.chunks(stream.view(fifo.obj.dtype), elements or fifo.obj.elements)


def sent(fifo, found):
    """Objects as they leave the memory tile by a fifo."""
    if fifo.padding:
        (rows, _), (columns, _) = fifo.to_stream
        found = plain.pad(found, rows, columns, fifo.padding, fifo.pad_value)
    elif fifo.to_stream:
        found = plain.gather(found, fifo.to_stream)
    return plain.repeat(found, fifo.repeat_count)


def arrived(fifo, found):
    return plain.scatter(found, fifo.from_stream[0]) if fifo.from_stream else found


def rounds(fifo, depth, found):
    """A ring that ends: so many rounds of the pool."""
    return found if fifo.iter_count is None else found[: fifo.iter_count * depth]


def of_a_forward(first, last, stream):
    most = max(first.obj.size, 0 if last.padding else last.obj.size) // first.obj.dtype.itemsize
    found = arrived(first, objects(stream, first, most)) if first.from_stream else objects(stream, first, most)
    owner = (
        last.end_depth(0)
        if last.init_values is not None or (last.obj.size > first.obj.size and not last.padding)
        else first.end_depth(1)
    )
    found = rounds(first, owner, found)
    if last.init_values is not None:
        found = plain.start_with(np.array(last.init_values), found)
    return sent(last, rounds(last, owner, found))


def of_a_memory_tile(design, streams):
    fifos = {f.name: f for f in design.fifos}
    wanted = {}
    for link in design.links:
        ins, outs = [fifos[n] for n in link.ins], [fifos[n] for n in link.outs]
        if link.kind == "forward":
            wanted[outs[0].name] = of_a_forward(ins[0], outs[0], streams[ins[0].name])
        elif link.kind == "distribute":
            parts = plain.distribute(objects(streams[ins[0].name], ins[0]), list(link.dst_offsets))
            for leg, part in zip(outs, parts, strict=True):
                wanted[leg.name] = sent(leg, rounds(leg, ins[0].end_depth(1), part))
        else:
            depth = outs[0].end_depth(0)
            parts = [rounds(f, depth, arrived(f, objects(streams[f.name], f))) for f in ins]
            wanted[outs[0].name] = sent(outs[0], rounds(outs[0], depth, plain.join(parts)))
    return wanted


def of_a_core(design, tile, streams):
    wanted = {}
    for fifo in design.fifos:
        if fifo.producer == tile:
            found = objects(streams[fifo.name], fifo)
            wanted[fifo.name] = plain.gather(found, fifo.to_stream) if fifo.to_stream else found
        elif tile in fifo.consumers:
            wanted[fifo.name] = arrived(fifo, objects(streams[fifo.name], fifo))
    return wanted


@pytest.mark.parametrize("params", SHAPES, ids=["default", "least", "most"])
def test_every_word_by_plain_indexing(params):
    request = Request(DESIGN, DESIGN.case("random"), params=params)
    shape = EngineShape.of(request.all_params)
    seen = collections.Counter()
    for seed in range(100):
        drawn = draw(np.random.default_rng([seed, 5]), shape, 60)
        streams = {name: drawn.scene.words[n] for n, name in enumerate(drawn.sources)}
        wanted = of_a_core(drawn.design, drawn.tile, streams) if drawn.core else of_a_memory_tile(drawn.design, streams)
        stimulus = engine_stimulus(drawn.scene, request.setting(seed))
        outcome = predict(request.all_params, stimulus)
        for n, name in enumerate(drawn.sinks):
            got = outcome.ports[f"m_axis_{n}"].data.view("<u4").reshape(-1)
            assert got.tolist() == np.ascontiguousarray(wanted[name]).reshape(-1).view("<u4").tolist(), (seed, name)
            seen["words"] += len(got)
        assert final_state(request.all_params, stimulus).error == 0
        seen.update(k.kind for k in drawn.design.links)
        seen.update(
            what
            for f in drawn.design.fifos
            for what, there in {
                "dims": f.to_stream,
                "walks": f.from_stream,
                "padding": f.padding,
                "values": f.pad_value,
                "repeat": f.repeat_count > 1,
                "inits": f.init_values,
                "rounds": f.iter_count,
                "bytes": f.obj.dtype.itemsize == 1,
            }.items()
            if there is not None and there
        )
        seen.update([str(drawn.tile.kind)])
    kinds = {"forward", "dims", "walks", "padding", "values", "repeat", "inits", "rounds", "bytes"}
    kinds |= {str(TileKind.CORE), str(TileKind.MEM)} | ({"join", "distribute"} if shape.ns > 1 else set())
    assert not kinds - set(seen), seen
    assert seen["words"] > 5000
