# SPDX-License-Identifier: Apache-2.0
"""Code generation: stores and their decorators, id nodes, groups, streams by key."""

import io

import numpy as np
import pytest

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.tpu.streams.bmodel import BModel
from goldbeat.pymodels.tpu.streams.checks import check_streams
from goldbeat.pymodels.tpu.streams.codegen import (
    CodeGen,
    CommandStore,
    FileDump,
    IdNode,
    Profile,
    VectorDump,
    runtime_form,
)
from goldbeat.pymodels.tpu.streams.decode import decode_stream
from goldbeat.pymodels.tpu.streams.schedule import Cost
from goldbeat.pymodels.tpu.streams.tables import chip


def test_a_store_and_its_decorators_return_the_same_words():
    engine = chip("BM1684X").engine("tiu")
    kind = engine.kind("sAR")
    plain = CommandStore(engine).store(kind, {"res0_n": 3}, func=14, id=5, dep=2)
    assert plain.dtype == np.uint32
    assert len(plain) == 16
    file = io.BytesIO()
    dump = VectorDump(FileDump(Profile(CommandStore(engine), {"sAR": Cost(2, 1)}), file))
    words = dump.store(kind, {"res0_n": 3}, func=14, id=5, dep=2)
    assert (words == plain).all()
    assert bytes(dump.buffer) == file.getvalue() == plain.tobytes()
    profile = dump._inner._inner
    assert (profile.commands, profile.cycles) == ({"sAR": 1}, {"sAR": 5})


def test_nodes_divide_and_merge():
    node = IdNode({"tiu": 4, "gdma": 2})
    left, right = node.divide()
    left.ids["tiu"] = 6
    right.ids["gdma"] = 9
    assert node.ids == {"tiu": 4, "gdma": 2}
    node.merge(left, right)
    assert node.ids == {"tiu": 6, "gdma": 9}


def test_parallel_parts_do_not_wait_for_each_other():
    made = CodeGen(chip("BM1690"))
    made.emit("gdma", "DMA_matrix")
    made.emit("tiu", "SYS", func=1)
    with made.parallel() as (left, right):
        made.emit("gdma", "DMA_matrix", node=left)
        made.emit("gdma", "DMA_matrix", node=left)
        made.emit("tiu", "SYS", func=1, node=right)
    made.emit("tiu", "SYS", func=1)
    made.emit("gdma", "DMA_matrix")
    of = chip("BM1690")
    tiu = decode_stream(of.engine("tiu"), made.lookup("tiu0")[0])
    dma = decode_stream(of.engine("gdma"), made.lookup("gdma:0:0")[0])
    assert tiu.dep.tolist() == [1, 1, 3, 0]
    assert dma.dep.tolist() == [0, 1, 1, 3, 0]


@pytest.mark.parametrize("name", ["BM1684", "BM1684X", "BM1690"])
def test_groups_split_at_the_limit(name):
    made = CodeGen(chip(name), group_limit=100)
    kind = {"BM1684": "ar_op", "BM1684X": "SYSID", "BM1690": "SYS"}[name]
    dma = "dma_tensor" if name == "BM1684" else "DMA_matrix"
    splits = 0
    for _ in range(60):
        splits += made.checkpoint()
        for _ in range(7):
            made.emit("tiu", kind, func=1 if name != "BM1684" else 0)
        made.emit("gdma", dma)
    end = name != "BM1684"
    counts = [len(decode_stream(chip(name).engine("tiu"), raw)) for raw in made.lookup("tiu0")]
    assert splits == 3
    assert counts == [105 + end] * 4
    for raw in made.lookup("tiu0"):
        assert decode_stream(chip(name).engine("tiu"), raw).id.tolist() == list(range(1, 106 + end))
    model = BModel.parse(made.bmodel())
    assert [s.count for s in model.streams()] == [105 + end, 15 + end] * 4
    assert check_streams(chip(name), model.streams(), model) == []


def test_the_limits_are_those_of_the_chips():
    assert [chip(n).group_limit for n in ("BM1684", "BM1684X", "BM1688", "BM1690")] == [30000, 0xFF000, None, 0x3FFFF]


def test_a_group_cannot_end_in_between():
    made = CodeGen(chip("BM1690"), group_limit=1)
    made.emit("tiu", "SYS", func=1)
    made.emit("tiu", "SYS", func=1)
    with made.parallel(), pytest.raises(UsageError, match="parallel parts"):
        made.checkpoint()
    assert made.checkpoint()


def test_ids_that_run_out_are_refused():
    made = CodeGen(chip("BM1684"), group_limit=1 << 20)
    made._lines[("tiu", 0, 0)].count = 65535
    with pytest.raises(UsageError, match="16 bits"):
        made.emit("tiu", "ar_op")


def test_streams_by_key():
    made = CodeGen(chip("BM1690"), cores=2)
    made.emit("gdma:1", "DMA_matrix")
    made.emit("gdma:0:1", "DMA_matrix")
    made.emit("sdma0", "DMA_general")
    assert len(made.lookup("gdma:0:1")[0]) == 128
    assert made.lookup("gdma1") == made.lookup("gdma:1:0") == made.lookup("gdma:1")
    assert made.lookup("gdma0") != made.lookup("gdma1")
    for key in ("gdma:2", "gpu0", "gdma:0:1:2", "gdma0:1", "gdma:0:7", "sdma1"):
        with pytest.raises(UsageError):
            made.lookup(key)
    with pytest.raises(UsageError, match="behind the end"):
        made.emit("tiu", "SYS", func=1)


def test_decorators_by_key():
    made = CodeGen(chip("BM1690"))
    profile = made.decorate("tiu0", Profile, {}, Cost(3))
    made.emit("tiu", "SYS", func=1)
    assert profile.cycles == {"SYS": 3}
    assert len(made.lookup("tiu0")[0]) == 128


def test_end_and_padding():
    for name in ("BM1684X", "BM1688", "BM1690", "CV184X", "SG2380"):
        made = CodeGen(chip(name))
        of = chip(name)
        for key in ("tiu0", "gdma0"):
            (raw,) = made.lookup(key)
            found = decode_stream(of.engine(key[:-1]), raw)
            assert len(raw) == 128
            assert found.is_end.tolist() == [True]
            assert found.id.tolist() == [1]


def test_the_runtime_form_of_bm1684():
    made = CodeGen(chip("BM1684"))
    made.emit("tiu", "ar_op", {"cmd_en": 1})
    made.emit("tiu", "ar_op", {"cmd_en": 1})
    made.emit("gdma", "dma_tensor")
    of = chip("BM1684")
    (raw,) = made.lookup("tiu0")
    armed = runtime_form(of.engine("tiu"), raw)
    back = np.frombuffer(armed, "<u4").reshape(-1, 32)[:, ::-1].tobytes()
    assert back[:128] == raw[:128]
    assert back[128] == raw[128] | 2
    (dma,) = made.lookup("gdma0")
    assert runtime_form(of.engine("gdma"), dma)[0] == dma[0] | 4
    with pytest.raises(UsageError, match="as they are"):
        runtime_form(chip("BM1690").engine("tiu"), raw)
    with pytest.raises(UsageError, match="whole commands"):
        runtime_form(of.engine("tiu"), raw[:100])


def test_what_is_refused():
    with pytest.raises(UsageError, match="records"):
        CodeGen(chip("CV183X"))
    with pytest.raises(UsageError, match="cores"):
        CodeGen(chip("BM1684X"), cores=2)
    with pytest.raises(UsageError, match="SEND and WAIT"):
        CodeGen(chip("BM1684X")).barrier(1)
    with pytest.raises(UsageError, match="bits are there"):
        CodeGen(chip("BM1688")).barrier(500)
    made = CodeGen(chip("BM1690"))
    made.emit("tiu:0:1", "SYS", func=1)
    made.emit("sdma", "DMA_general")
    with pytest.raises(UsageError, match="second tiu thread"):
        made.bmodel()
