# SPDX-License-Identifier: Apache-2.0
"""Whole files of the vendor's compiler: BModels, a CviModel, four groups, and the compiler's own timelines."""

import json
import lzma

import numpy as np
import pytest

from goldbeat.pymodels.axi.memory import Region
from goldbeat.pymodels.flatbuffer import Reader, Writer
from goldbeat.pymodels.tpu.front_end.engine import Front, FrontEndSettings, GroupSettings, StreamSettings, run_front_end
from goldbeat.pymodels.tpu.streams.assemble import assemble
from goldbeat.pymodels.tpu.streams.bmodel import SCHEMA, BModel, write_bmodel
from goldbeat.pymodels.tpu.streams.checks import check_streams
from goldbeat.pymodels.tpu.streams.container import commands, read_container
from goldbeat.pymodels.tpu.streams.decode import decode_stream
from goldbeat.pymodels.tpu.streams.listing import as_text
from goldbeat.pymodels.tpu.streams.profile import parse_profile
from goldbeat.pymodels.tpu.streams.schedule import in_sequence, lane, schedule
from goldbeat.pymodels.tpu.streams.tables import chip

DATA = "tpu"

MODELS = ["bm1684", "bm1684x2", "bm1684x_f16", "bm1688", "bm1690", "bm1690e", "cv184x", "sg2380"]
TIMELINES = ["cnn_bm1684x", "cnn_bm1688", "cnn_cv184x", "tiny_bm1684x", "tiny_bm1688", "tiny_cv184x"]


@pytest.mark.parametrize("name", MODELS)
def test_a_bmodel(folder, name):
    model = read_container(folder / "containers" / f"tiny_{name}.bmodel")
    assert isinstance(model, BModel)
    of = chip(model.chip)
    streams = model.streams()
    manifest = json.loads((folder / "cmdbuf" / "MANIFEST.json").read_text())
    by_name = {e["file"]: e for e in manifest if e["model"] == f"tiny_{name}"}
    assert {s.file_name for s in streams} == set(by_name)
    for stream in streams:
        raw = (folder / "cmdbuf" / f"tiny_{name}" / stream.file_name).read_bytes()
        assert stream.data.tobytes() == raw
        if stream.count is not None:
            assert len(commands(of, stream)[stream.engine]) == stream.count
    assert [c.ok and c.size > 0 for c in model.coefficients()] == [True]
    assert check_streams(of, streams, model) == []
    assert Reader(memoryview(Writer(SCHEMA).write("Model", model.model)), SCHEMA).root("Model") == model.model
    _, made = assemble("".join(as_text(of, streams)).splitlines())
    assert [bytes(one.data) for one in made] == [s.data.tobytes() for s in streams]


def test_the_cvimodel(folder):
    model = read_container(folder / "cvx" / "cnn_cv183x_int8.cvimodel")
    (stream,) = model.streams()
    assert stream.data.tobytes() == (folder / "cvx" / "cv183x.cmdbuf.bin").read_bytes()
    assert model.coefficients()[0].ok
    of = chip(model.chip)
    assert {name: len(one) for name, one in commands(of, stream).items()} == {"tiu": 10, "gdma": 15}
    assert check_streams(of, [stream], model) == []
    assert bytes(assemble("".join(as_text(of, [stream])).splitlines())[1][0].data) == stream.data.tobytes()


def test_four_groups(folder):
    raw = lzma.decompress((folder / "groups" / "lstm2048_bm1684.bmodel.xz").read_bytes())
    model = BModel.parse(raw)
    of = chip(model.chip)
    tiu = [commands(of, s)["tiu"] for s in model.streams() if s.engine == "tiu"]
    assert [len(one) for one in tiu] == [30004, 30004, 30004, 16484]
    for one in tiu:
        assert one.id.tolist() == list(range(1, len(one) + 1))
    gdma = [commands(of, s)["gdma"] for s in model.streams() if s.engine == "gdma"]
    assert check_streams(of, model.streams(), model) == []
    groups = [schedule([lane(a), lane(b)], [3, 40]) for a, b in zip(tiu, gdma, strict=True)]
    whole = in_sequence(groups)
    assert [len(start) for start in whole.start] == [106496, sum(map(len, gdma))]
    assert (np.diff(whole.start[0]) > 0).all()
    assert BModel.parse(write_bmodel(model.model, model.data[model.area :].tobytes())).model == model.model


@pytest.mark.parametrize("name", TIMELINES)
def test_a_timeline_has_every_start_and_end(folder, name):
    place = folder / "timeline" / name
    of = chip(json.loads((place / "meta.json").read_text())["chip"])
    said = parse_profile((place / "compiler_profile_0.txt").read_text())
    lanes, took = [], []
    for engine, file in (("tiu", "tiu.bin"), ("gdma", "dma.bin")):
        found = decode_stream(of.engine(engine), (place / file).read_bytes())
        lanes.append(lane(found))
        cycles = np.zeros(len(found), np.int64)
        cycles[said[engine].id - 1] = said[engine].duration
        took.append(cycles)
        # Only END has no entry.
        assert len(said[engine]) == len(found) - 1
        assert (found.dep[said[engine].id - 1] == said[engine].dep).all()
    found = schedule(lanes, took)
    for index, engine in enumerate(("tiu", "gdma")):
        rows = said[engine].id - 1
        assert (found.start[index][rows] == said[engine].start).all()
        assert (found.end[index][rows] == said[engine].end).all()


@pytest.mark.parametrize("name", [n for n in TIMELINES if "cv184x" not in n])
def test_the_front_end_starts_commands_in_the_compilers_order(folder, name):
    place = folder / "timeline" / name
    of = chip(json.loads((place / "meta.json").read_text())["chip"])
    said = parse_profile((place / "compiler_profile_0.txt").read_text())
    front = Front(["BM1684X", "BM1688", "BM1690"].index(of.name))
    streams, regions, tables, lanes = {}, [], {}, []
    for index, (engine, file) in enumerate((("tiu", "tiu.bin"), ("gdma", "dma.bin"))):
        raw = (place / file).read_bytes()
        found = decode_stream(of.engine(engine), raw)
        lanes.append(lane(found))
        base = 0x10000 * (index + 1)
        regions.append(Region(engine, base, np.frombuffer(raw, np.uint8).copy()))
        streams[index] = StreamSettings(base // 128, len(raw) // 128, len(found))
        table = np.ones(1024, np.int64)
        # Ten times the compiler's: long commands of one cycle are then no shorter than their own fetch.
        table[said[engine].id] = 10 * np.maximum(said[engine].duration, 1)
        tables[index] = table
    result = run_front_end(front, FrontEndSettings([[GroupSettings(streams)]], 2, 1, tables), regions)
    wanted = schedule(lanes, [tables[i][lanes[i].id] for i in range(2)])
    shift = result.engines[1].start[0] - wanted.start[1][0]
    for index in range(2):
        assert (result.engines[index].start - shift == wanted.start[index]).all()
        assert (result.engines[index].end - shift == wanted.end[index]).all()


def test_barriers_of_eight_cores(folder):
    place = folder / "cmdbuf" / "cnn_bm1690_8c_f16"
    of = chip("BM1690")
    lanes = []
    for core in range(8):
        for engine, file in (("tiu", "g0.tiu"), ("gdma", "g0.dma"), ("sdma", "sdma0")):
            found = decode_stream(of.engine(engine), (place / f"core{core}.sub0.{file}.bin").read_bytes())
            lanes.append(lane(found, core))
    result = schedule(lanes, [7 + i % 5 for i in range(24)])
    assert not result.blocked
    counts = {int(c) for one in lanes for c in one.count[one.role > 0]}
    assert counts == {24}
