# SPDX-License-Identifier: Apache-2.0
"""Scripts whose fifos are packets, and scripts with streams of their own."""

from __future__ import annotations

import numpy as np
import pytest

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.script.load_script import ScriptArray

X = np.arange(32, dtype=np.int32)
FORWARD = """
import numpy as np
from aie.iron import ObjectFifo, Program, Runtime
from aie.iron.device import NPU1Col1

whole = np.ndarray[(32,), np.dtype[np.int32]]
part = np.ndarray[(8,), np.dtype[np.int32]]
fifos = [ObjectFifo(part, name=f"x{n}") for n in range(2)]
outs = [one.cons().forward(name=f"y{n}") for n, one in enumerate(fifos)]

def sequence(a, b, *handles):
    for n in range(2):
        handles[n].fill(a, sizes=[1, 1, 2, 8], strides=[0, 0, 16, 1], offset=8 * n)
    for n in range(2):
        handles[2 + n].drain(b, sizes=[1, 1, 1, 16], strides=[0, 0, 0, 1], offset=16 * n, wait=True)

ends = [*(one.prod() for one in fifos), *(one.cons() for one in outs)]
print(Program(NPU1Col1(), Runtime(sequence, [whole, whole, *ends])).resolve_program())
"""


@pytest.fixture
def script(tmp_path):
    def write(text):
        path = tmp_path / "design.py"
        path.write_text(text)
        return path

    return write


@pytest.mark.parametrize("packets", [False, True])
def test_fifos_as_packets(script, packets):
    found = ScriptArray(script(FORWARD), [], {}, packets=packets)
    array = found.build()
    assert any(way.id is not None for ways in array.streams.routes.values() for way in ways) is packets
    array.close()
    result = found.execute({"arg0": X})[0]
    assert result.completes
    np.testing.assert_array_equal(result.hosts["arg1"], X.reshape(2, 2, 8).transpose(1, 0, 2).reshape(-1))


ENDS = """
import numpy as np
import aie.iron as iron
from aie.dialects._aie_enum_gen import AIETileType, DMAChannelDir
from aie.iron import Acquire, Bd, Buffer, DmaChannel, Flow, In, Lock, Out, Program, Release, Runtime, TileDma
from aie.iron.device import NPU2Col1, Tile

@iron.jit
def design(a: In, c: Out):
    whole = np.ndarray[(4, 8), np.dtype[np.int32]]
    shim, near, far = (Tile(tile_type=t) for t in (AIETileType.ShimNOCTile, AIETileType.MemTile, AIETileType.CoreTile))
    last = Tile(tile_type=AIETileType.CoreTile)
    into, on, back, out = Flow(shim, near), Flow(near, [far, last]), [Flow(far, near), Flow(last, near)], Flow(near, shim)
    held = Buffer(tile=near, type=np.ndarray[(16,), np.dtype[np.int32]], name="held")
    both = Buffer(tile=near, type=np.ndarray[(32,), np.dtype[np.int32]], name="both")
    ends = [Buffer(tile=t, type=np.ndarray[(16,), np.dtype[np.int32]], name=f"end{n}") for n, t in enumerate((far, last))]
    locks = [[Lock(tile=t, init=1), Lock(tile=t)] for t in (near, far, last)]
    room, full = Lock(tile=near, init=2), Lock(tile=near)

    def receive(flow, tile, buffer, pair):
        bd = Bd(buffer, acquires=[Acquire(pair[0])], releases=[Release(pair[1])])
        return DmaChannel(DMAChannelDir.S2MM, flow.endpoint(tile), [bd])

    def give(n, tile):
        bd = Bd(ends[n], sizes=[2, 8] if n else [], strides=[1, 2] if n else [], acquires=[Acquire(locks[1 + n][1])],
                releases=[Release(locks[1 + n][0])])
        return DmaChannel(DMAChannelDir.MM2S, back[n].endpoint(tile), [bd])

    def gather(n):
        bd = Bd(both, offset=16 * n, length=16, acquires=[Acquire(room)], releases=[Release(full)])
        return DmaChannel(DMAChannelDir.S2MM, back[n].endpoint(near), [bd])

    leave = Bd(both, acquires=[Acquire(full, value=2)], releases=[Release(room, value=2)])
    programs = [
        TileDma(near, [receive(into, near, held, locks[0]), gather(0), gather(1),
                       DmaChannel(DMAChannelDir.MM2S, out.endpoint(near), [leave])]),
        *(TileDma(t, [receive(on, t, ends[n], locks[1 + n]), give(n, t)]) for n, t in enumerate((far, last))),
    ]

    def sequence(a, c):
        into.fill(a, tap=a[1::2, :])
        bd = Bd(held, acquires=[Acquire(locks[0][1])], releases=[Release(locks[0][0])])
        on.endpoint(near).task(bd, wait=True).start().await_().free()
        out.drain(c, tap=c[...], wait=True)

    rt = Runtime(sequence, [whole, whole])
    for one in (into, on, *back, out):
        rt.add_flow(one)
    for one in programs:
        rt.add_tile_dma(one)
    return Program(NPU2Col1(), rt).resolve_program()

a = iron.arange(32, shape=(4, 8), dtype=np.int32)
c = iron.zeros(32, dtype=np.int32)
design(a, c)
odd = a.numpy()[1::2]
assert np.array_equal(c.numpy(), np.concatenate([odd.ravel(), odd.reshape(8, 2).T.ravel()])), c.numpy()
"""


def test_flows_whose_ends_are_used_get_channels_of_their_own(script):
    found = ScriptArray(script(ENDS), [], {}).execute()
    assert found[-1].completes
    words = found[-1].words
    assert words["S2MM 1 of mem tile (0, 1)"] == words["S2MM 2 of mem tile (0, 1)"] == 16
    assert words["MM2S 0 of mem tile (0, 1)"] == 16  # the broadcast: named first, so its channel is the first one
    assert words["MM2S 1 of mem tile (0, 1)"] == 32


def test_a_tile_without_a_channel_left(script):
    many = ENDS.replace("gather(0), gather(1),", "gather(0), gather(1), *extra,").replace(
        "    programs = [",
        "    more = [Flow(far, near) for _ in range(4)]\n"
        "    extra = [DmaChannel(DMAChannelDir.S2MM, f.endpoint(near), [Bd(both)]) for f in more]\n"
        "    back += more\n    programs = [",
    )
    with pytest.raises(UsageError, match=r"has no (S2MM|MM2S) channel left for a flow"):
        ScriptArray(script(many), [], {}).execute()


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ("into.fill(a, tap", "on.fill(a, tap", "a fill of a flow without such an end at a shim"),
        ("on.endpoint(near).task", "on.endpoint(shim).task", "the flow does not end there"),
        (".start().await_()", ".await_()", "a wait for a task that was not started"),
    ],
)
def test_ends_that_are_not_there(script, old, new, text):
    assert old in ENDS
    with pytest.raises(UsageError, match=text):
        ScriptArray(script(ENDS.replace(old, new)), [], {}).execute()
