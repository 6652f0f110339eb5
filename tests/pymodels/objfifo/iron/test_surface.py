# SPDX-License-Identifier: Apache-2.0
"""The level without tiles, and what of the placed level the other tests do not meet."""

import json
from types import SimpleNamespace

import numpy as np
import pytest
from objfifo_designs import CONSUME, FAR, MEM, PRODUCE, C, distribute, forward, join, make, ty

import goldbeat.pymodels.objfifo as surface
from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.objfifo import (
    NPU1,
    NPU2,
    AIEDevice,
    AnyMemTile,
    AnyShimTile,
    Kernel,
    NPU1Col1,
    ObjectFifo,
    Program,
    RuleError,
    Runtime,
    SequentialPlacer,
    T,
    TensorAccessPattern,
    Worker,
    arith,
    core,
    device,
    memref,
    mlir_mod_ctx,
    npu_dma_memcpy_nd,
    object_fifo,
    object_fifo_link,
    plan,
    range_,
    runtime_sequence,
    tile,
    to_dot,
    to_json,
)
from goldbeat.pymodels.objfifo.iron.program import open_design
from goldbeat.pymodels.objfifo.iron.scope import fresh
from goldbeat.pymodels.objfifo.open_design import open_fifo_design
from goldbeat.pymodels.objfifo.plan.design import FifoDesign
from goldbeat.pymodels.objfifo.plan.mlir import to_mlir
from goldbeat.pymodels.objfifo.plan.object_type import ObjectType, object_type
from goldbeat.pymodels.objfifo.plan.plan import Direction, FifoEnd
from goldbeat.pymodels.objfifo.untimed.deadlock import DesignVerdict, analyse
from goldbeat.pymodels.objfifo.untimed.functional import run_untimed

BIG, THIRD = ty(48), ty(16)


@pytest.fixture(autouse=True)
def own_scope():
    with fresh() as scope:
        yield scope


def split_and_join(workers=3, dev=None):
    """A vector is split over cores, each adds one, and the parts are joined."""
    offsets = [16 * i for i in range(workers)]
    whole = ty(16 * workers)
    source, result = ObjectFifo(whole, name="in"), ObjectFifo(whole, name="out")
    ins = source.cons().split(offsets, obj_types=[THIRD] * workers)
    outs = result.prod().join(offsets, obj_types=[THIRD] * workers)

    def add(a, b):
        x, y = a.acquire(1), b.acquire(1)
        for i in range_(16):
            y[i] = x[i] + 1
        a.release(1)
        b.release(1)

    cores = [Worker(add, [a.cons(), b.prod()]) for a, b in zip(ins, outs, strict=True)]
    rt = Runtime()
    with rt.sequence(whole, whole) as (a, b):
        rt.start(*cores)
        rt.fill(source.prod(), a)
        rt.drain(result.cons(), b, wait=True)
    return Program(NPU1Col1() if dev is None else dev, rt).resolve_program(SequentialPlacer())


def test_split_and_join():
    module = split_and_join()
    design = module.design
    assert [f.name for f in design.fifos] == [
        "in",
        "out",
        "in_split0",
        "in_split1",
        "in_split2",
        "out_join0",
        "out_join1",
        "out_join2",
    ]
    assert [c.tile.name for c in design.cores] == ["tile_0_2", "tile_0_3", "tile_0_4"]
    assert {link.kind for link in design.links} == {"distribute", "join"}
    assert analyse(design).verdict is DesignVerdict.COMPLETES
    x = np.arange(48, dtype=np.int32)
    result = run_untimed(design, {"arg0": x})
    assert (result.hosts["arg1"] == x + 1).all()
    assert "aie.device(npu1_1col)" in str(module)
    assert module.operation.verify() is True


def test_distribute_and_join_with_tiles():
    with mlir_mod_ctx() as ctx:

        @device(AIEDevice.npu1_1col)
        def body():
            shim, mem, cores = tile(0, 0), tile(0, 1), [tile(0, 2 + i) for i in range(3)]
            whole, part = T.memref(24, T.i32()), T.memref(8, T.i32())
            a = object_fifo("in", shim, mem, 2, whole)
            parts = [object_fifo(f"in{i}", mem, cores[i], 2, part) for i in range(3)]
            object_fifo_link(a, parts, [], [0, 8, 16])
            b = object_fifo("out", mem, shim, 2, whole)
            sums = [object_fifo(f"out{i}", cores[i], mem, 2, part) for i in range(3)]
            object_fifo_link([s.name for s in sums], "out", [0, 8, 16], [])
            for i in range(3):

                @core(cores[i])
                def add():
                    for _ in range_(2):
                        # The loop's i as it is now: a core's body belongs to where it is declared.
                        a, b = parts[i], sums[i]  # noqa: B023
                        x, y = a.acquire(CONSUME, 1), b.acquire(PRODUCE, 1)
                        for j in range_(8):
                            memref.store(arith.addi(memref.load(x, [j]), arith.constant(1, T.i32())), y, [j])
                        a.release(CONSUME, 1)
                        b.release(PRODUCE, 1)

            @runtime_sequence(T.memref(48, T.i32()), T.memref(48, T.i32()))
            def sequence(source, target):
                npu_dma_memcpy_nd(metadata=b.name, bd_id=0, mem=target, sizes=[1, 1, 1, 48])
                npu_dma_memcpy_nd(metadata=a, bd_id=1, mem=source, sizes=[1, 1, 1, 48])

    design = ctx.module.design
    x = np.arange(48, dtype=np.int32)
    assert (run_untimed(design, {"arg0": x}).hosts["arg1"] == x + 1).all()
    shim = ctx.module.plan().tile(design.device.tile(0, 0))
    assert [(c.name, [bd.id for bd in c.bds], c.queue[0].token) for c in shim.channels] == [
        ("MM2S 0", [1], False),
        ("S2MM 0", [0], True),
    ]


def test_names_and_defaults():
    of = ObjectFifo(BIG, 3, "in")
    leg = of.cons().split([0, 16, 32], obj_types=[THIRD] * 3)[1]
    assert (leg.name, leg.depth, leg.shape) == ("in_split1", 3, (16,))
    assert ObjectFifo(BIG, name="x").cons(4).forward().name == "x_fwd"
    assert ObjectFifo(BIG, name="y").cons(4).forward().depth == 4
    assert ObjectFifo(BIG, name="z").prod().join([0], names=["mine"])[0].obj_type is BIG
    assert ObjectFifo(BIG).name == "of0"
    assert ObjectFifo(BIG).name == "of1"
    assert of.prod() is of.prod()
    assert of.cons() is not of.cons()
    assert ObjectFifo(BIG).depth == 2


def test_later_names():
    dims = [(3, 16), (16, 1)]
    of = ObjectFifo(BIG, name="a", to_stream=dims, from_stream=dims)
    assert of.dims_to_stream == dims
    assert of.cons().dims_from_stream == dims
    assert ObjectFifo(BIG).cons(from_stream=dims).dims_from_stream == dims
    out = of.cons().forward(tile=AnyMemTile, to_stream=dims, from_stream=dims)
    assert out.dims_to_stream == out.cons().dims_from_stream == dims
    legs = ObjectFifo(BIG).prod().join([0], tile=tile(0, 1), to_stream=[dims], from_stream=[dims])
    assert legs[0].consumers[0].dims_from_stream == dims
    assert Worker(None, [], tile=tile(0, 3)).tile == tile(0, 3)
    with pytest.raises(UsageError, match="same argument"):
        ObjectFifo(BIG, dims_to_stream=dims, to_stream=dims)


@pytest.mark.parametrize(
    ("act", "rule", "text"),
    [
        (lambda of: of.prod().split([0]), "handle-kind", "cannot split a prod handle"),
        (lambda of: of.prod().forward(), "handle-kind", "cannot forward a prod handle"),
        (lambda of: of.cons().join([0]), "handle-kind", "cannot join a cons handle"),
        (lambda of: Worker(None, [of]), "handle-kind", "is a fifo"),
        (lambda of: of.cons().split([0, 8], depths=[2]), "leg-counts", "1 depths for 2 offsets"),
        (lambda of: of.cons().split([0, 8], obj_types=[THIRD]), "leg-counts", "1 obj_types for 2"),
        (lambda of: of.cons().split([0, 8], names=["a"]), "leg-counts", "1 names for 2"),
        (lambda of: of.cons().split([0, 8], dims_to_stream=[[]]), "leg-counts", "1 dims_to_stream"),
        (lambda of: of.prod().join([0], dims_from_stream=[[], []]), "leg-counts", "2 dims_from_stream"),
        (lambda of: of.prod(0), "depth-positive", "depth 0"),
        (lambda of: of.cons(-1), "depth-positive", "depth -1"),
        (lambda of: of.cons().acquire(3), "acquire-depth", "acquire of 3 .* 2 deep"),
        (lambda of: of.cons().acquire(0), "acquire-count", "acquire of 0"),
        (lambda of: of.prod().release(3), "release-depth", "release of 3 .* 2 deep"),
        (lambda of: of.prod().release(0), "acquire-count", "release of 0"),
        (lambda of: of.set_iter_count(0), "iter-range", "count 0"),
        (lambda of: of.set_repeat_count(0), "repeat-positive", "count 0"),
        (lambda of: ObjectFifo(BIG, 0), "depth-positive", "depth 0"),
        (lambda of: ObjectFifo(int), "object-type", "int"),
    ],
)
def test_errors_while_writing(act, rule, text):
    with pytest.raises(RuleError, match=text) as caught:
        act(ObjectFifo(BIG, name="of"))
    assert caught.value.rule == rule
    assert isinstance(caught.value, ValueError)


def test_usage_errors():
    of = ObjectFifo(BIG, depth=None, name="of")
    with pytest.raises(UsageError, match="each handle needs one"):
        of.prod()
    of.prod(2)
    with pytest.raises(UsageError, match="2 already, not 3"):
        of.prod(3)
    Worker(None, [of.prod()])
    with pytest.raises(UsageError, match="used by worker idle already"):
        Worker(None, [of.prod()])
    with pytest.raises(UsageError, match="inside a worker"):
        of.prod().acquire(1)
    with pytest.raises(UsageError, match="has no core"):
        Worker(None, [], placement=tile(0, 1))
    with pytest.raises(UsageError, match="is no tile"):
        Worker(None, [], placement=(0, 2))
    rt = Runtime()
    with pytest.raises(UsageError, match="not finished"), rt.sequence(BIG):
        rt.task_group()
    rt = Runtime()
    with rt.sequence(BIG) as a:
        with pytest.raises(RuleError, match="cannot drain a prod"):
            rt.drain(ObjectFifo(BIG).prod(), a)
        with pytest.raises(UsageError, match="not this sequence's"):
            rt.fill(ObjectFifo(BIG).prod(), SimpleNamespace())
        with pytest.raises(UsageError, match="takes workers"):
            rt.start(3)
    with pytest.raises(UsageError, match="no device"):
        device("npu9")(lambda: None)


def test_fifo_without_ends(own_scope):
    of = ObjectFifo(BIG, name="of")
    with pytest.raises(RuleError, match="no consumer") as caught:
        open_design(own_scope)
    assert caught.value.rule == "fifo-ends"
    Worker(None, [of.cons()])
    with pytest.raises(RuleError, match="of has no producer"):
        open_design(own_scope)


def test_depths_of_handles(own_scope):
    of = ObjectFifo(THIRD, 2, "of")
    Worker(None, [of.prod(1)], placement=FAR[0])
    Worker(None, [of.cons(3)], placement=FAR[1])
    Worker(None, [of.cons()], placement=FAR[2])
    design = open_design(own_scope)
    assert design.fifos[0].depth == (1, 3, 2)
    assert [p.depth for p in plan(design).pools] == [1, 3, 2]


def test_placement_of_many():
    assert {link.tile.name for link in split_and_join(4, NPU2()).plan().links} == {"mem_tile_0_1"}
    with fresh():
        module = split_and_join(6, NPU2())
    names = [c.tile.name for c in module.design.cores]
    assert names == ["tile_0_2", "tile_0_3", "tile_0_4", "tile_0_5", "tile_1_2", "tile_1_3"]
    # One memory tile has no room for the seven channels that both links send with.
    assert {link.tile.name for link in module.plan().links} == {"mem_tile_0_1", "mem_tile_1_1"}


def test_placement_fails_with_numbers():
    with pytest.raises(RuleError, match="5 workers want a core, npu1_1col has 4 left") as caught:
        split_and_join(5)
    assert caught.value.rule == "tile-exists"
    with fresh(), pytest.raises(RuleError, match="7 MM2S") as caught:
        split_and_join(7, NPU2())
    assert caught.value.rule == "channels"


def test_drains_of_one_consumer():
    of = ObjectFifo(THIRD, name="of")
    worker = Worker(lambda out: (out.acquire(1), out.release(1)), [of.prod()])
    rt = Runtime()
    with rt.sequence(BIG, BIG) as (a, b):
        rt.start(worker)
        group = rt.task_group()
        rt.drain(of.cons(), a, task_group=group, wait=True)
        rt.finish_task_group(group)
        rt.drain(of.cons(), b, placement=AnyShimTile)
    design = Program(NPU1(), rt).resolve_program().design
    assert len(design.fifos[0].consumers) == 1
    channel = plan(design).tile(design.fifos[0].consumers[0]).channel(Direction.S2MM, 0)
    assert [t.token for t in channel.queue] == [True, False]
    assert [bd.base_bytes for bd in channel.bds] == [0, 4096]


def test_transfers_walk_the_host(own_scope):
    of = ObjectFifo(THIRD, name="of")
    fwd = of.cons().forward()
    rt = Runtime()
    with rt.sequence(ty(4, 8), ty(64)) as (a, b):
        tap = TensorAccessPattern((4, 8), 1, [2, 2, 4, 1], [0, 16, 8, 1])
        rt.fill(of.prod(), a, tap=TensorAccessPattern((4, 8), 1, [2, 1, 4, 4], [0, 0, 8, 1]))
        rt.drain(fwd.cons(), b, tap=TensorAccessPattern((64,), 0, [1, 1, 1, 32], [0, 0, 0, 1]))
    assert tap.offset == 1
    design = Program(None, rt).resolve_program().design
    x = np.arange(32, dtype=np.int32).reshape(4, 8)
    out = run_untimed(design, {"arg0": x}).hosts["arg1"]
    wanted = np.concatenate([x[:, 1:5].reshape(-1)] * 2)
    assert (out[:32] == wanted).all()
    assert not out[32:].any()
    shim = next(t for t in plan(design).tiles if t.tile.row == 0)
    assert shim.channel(Direction.MM2S, 0).queue[0].repeat == 1


def test_declared_accesses(own_scope):
    x = ObjectFifo(THIRD, name="x")
    Worker(None, accesses=[(x.prod(), 1), (x.prod(), -1)])
    c = x.cons()
    Worker(None, accesses=[(c, 2), (c, -1), (c, -1)])
    design = open_design(own_scope)
    assert analyse(design).verdict is DesignVerdict.COMPLETES
    with pytest.raises(UsageError, match="only declared"):
        run_untimed(design, iterations=1)


def test_kernels_do_nothing_without_a_model(own_scope):
    kernel = Kernel("f", "f.o", [THIRD])
    assert kernel(1) is None
    assert surface.external_func("g", [THIRD])(1) is None


def test_object_types():
    assert object_type(ty(4, 8, dtype=np.int8)) == ObjectType((4, 8), np.dtype(np.int8))
    assert object_type(np.ndarray[(4,), np.dtype[np.float32]]).words == 4
    assert object_type(T.memref(2, 3, T.i16())).size == 12
    assert surface.np_ndarray_type_get_shape(THIRD) == (16,)
    assert surface.np_ndarray_type_get_dtype(THIRD) == np.int32
    assert str(object_type(ty(4, 8))) == "4x8 int32"


# -- forms of a plan --------------------------------------------------------------------------------------------------


def test_json_is_stable():
    module = split_and_join()
    first, second = (json.dumps(to_json(module.plan())) for _ in range(2))
    assert first == second
    found = json.loads(first)
    assert found["format"] == 1
    assert list(found) == ["format", "device", "tiles", "fifos", "links", "pools", "flows", "hosts"]
    mem = next(t for t in found["tiles"] if t["tile"]["kind"] == "mem")
    bd = mem["channels"][0]["bds"][1]
    assert bd["base_words"] * 4 == bd["base_bytes"]
    assert bd["acquire"] == {"lock": 2, "value": 1}
    assert bd["dims"] == []
    assert set(bd) == {
        "id", "buffer", "base_bytes", "base_words", "length", "dims", "iteration", "padding", "acquire", "release",
        "next", "packet", "suppress_tlast", "segment",
    }  # fmt: skip


def test_mlir_text():
    kwargs = {"dimensionsToStream": [(61, 56), (56, 1)], "padDimensions": [(2, 1), (4, 4)], "iter_count": 3}
    text = to_mlir(plan(make(lambda: forward((61, 56), (64, 64), dtype=np.int8, **kwargs)), packets=True))
    assert "aie.dma_bd(%a_cons_buff_0, 0, 1024, [<size = 61, stride = 14>, <size = 14, stride = 1>]" in text
    assert "[<const_pad_before = 2, const_pad_after = 1>, <const_pad_before = 1, const_pad_after = 1>]" in text
    assert "aie.dma_start(MM2S, 0, ^bd2, repeat_count = 2) // b" in text
    assert "aie.packet_flow(1)" in text
    assert "packet = <pkt_type = 0, pkt_id = 1>" in text
    assert text.count("{") == text.count("}")


def test_dot():
    text = to_dot(plan(make(lambda: (distribute([8, 8]), join([8, 8])))))
    assert text.startswith("digraph")
    assert text.count("subgraph") == 4
    assert '"in_cons" -> "mem_tile_0_1 MM2S 0"' in text
    assert '"mem_tile_0_1 MM2S 0" -> "tile_2_2 S2MM 0" [label="in0", style=bold]' in text


def test_lookups():
    found = plan(make(forward))
    assert found.pool("a_cons").fifo == "a"
    assert found.fifo("b").ends[0].linked
    mem = found.tile(MEM)
    assert mem.lock(0).port is FifoEnd.PRODUCE
    for look in (
        lambda: found.tile(C[3]),
        lambda: found.fifo("no"),
        lambda: found.pool("no"),
        lambda: mem.lock(9),
        lambda: mem.buffer("no"),
        lambda: mem.channel(Direction.S2MM, 5),
    ):
        with pytest.raises(KeyError):
            look()


def wide(columns):
    """Split and join in every column: four cores, a memory tile, a shim tile each."""
    for col in range(columns):
        tiles = [surface.Device("d", 64).tile(col, row) for row in range(6)]
        a, b = (
            object_fifo(f"a{col}", tiles[0], tiles[1], 2, ty(64)),
            object_fifo(f"b{col}", tiles[1], tiles[0], 2, ty(64)),
        )
        ins = [object_fifo(f"a{col}_{i}", tiles[1], tiles[2 + i], 2, ty(16)) for i in range(4)]
        outs = [object_fifo(f"b{col}_{i}", tiles[2 + i], tiles[1], 2, ty(16)) for i in range(4)]
        object_fifo_link(a, ins, [], [0, 16, 32, 48])
        object_fifo_link(outs, b, [0, 16, 32, 48], [])
        for i in range(4):

            @core(tiles[2 + i])
            def add(i=i, ins=ins, outs=outs):
                for _ in range_(2**63 - 1):
                    outs[i].acquire(PRODUCE, 1)[:] = ins[i].acquire(CONSUME, 1) + 1
                    ins[i].release(CONSUME, 1)
                    outs[i].release(PRODUCE, 1)


def test_planning_of_many_tiles():
    design: FifoDesign = make(wide, 6)
    assert len(plan(design).tiles) == 36


def test_32_tiles_work():
    x = np.arange(5 * 64, dtype=np.int32).reshape(5, 64)
    design = make(wide, 2)
    assert analyse(design, iterations=20).verdict is DesignVerdict.COMPLETES
    result = run_untimed(design, {"a0": x, "a1": -x})
    assert (result.outputs["b0"] == x + 1).all()
    assert (result.outputs["b1"] == 1 - x).all()


# -- files ------------------------------------------------------------------------------------------------------------


def test_load(tmp_path, capsys):
    path = tmp_path / "design.py"
    path.write_text(
        "import sys\nfrom goldbeat.pymodels.objfifo import *\nimport numpy as np\nprint('hello')\n"
        "kind = np.ndarray[(int(sys.argv[1]),), np.dtype[np.int32]]\n"
        "object_fifo('x', tile(0, 2), tile(2, 2), 2, kind)\n"
    )
    design = open_fifo_design(path, ["24"])
    assert design.fifos[0].obj.elements == 24
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("x = 1\n", "missing design"),
        ("x = 1\ny = nobody\n", "py:2: found NameError"),
        ("x = (\n", "SyntaxError"),
        ("import sys\nsys.exit(3)\n", "the script ends with: 3"),
    ],
)
def test_files_that_are_no_designs(tmp_path, text, found):
    path = tmp_path / "design.py"
    path.write_text(text)
    with pytest.raises(InputError, match=found):
        open_fifo_design(path)
    with pytest.raises(InputError, match="missing file"):
        open_fifo_design(tmp_path / "nothing.py")
