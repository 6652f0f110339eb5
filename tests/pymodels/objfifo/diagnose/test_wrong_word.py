# SPDX-License-Identifier: Apache-2.0
"""A wrong word is followed back: object and element, descriptor and walk, stream by stream, to who made it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from objfifo_designs import CONSUME, FAR, MEM, PRODUCE, SHIM, make, moves, one, program, ty
from objfifo_texts import ADD

from goldbeat.pymodels.objfifo.diagnose.provenance import OriginMemory, wrong_element
from goldbeat.pymodels.objfifo.diagnose.stream_word import word_of_channel
from goldbeat.pymodels.objfifo.iron.placed import object_fifo, object_fifo_link
from goldbeat.pymodels.objfifo.open_design import open_fifo_design
from goldbeat.pymodels.objfifo.plan.lower import plan
from goldbeat.pymodels.objfifo.plan.plan import Direction
from goldbeat.pymodels.objfifo.plan.tile import WORD_BYTES
from goldbeat.pymodels.objfifo.untimed.functional import run_untimed


class Watched(OriginMemory):
    """Checks every word that moves against the descriptor that is said to move it."""

    def __init__(self, made):
        super().__init__(made)
        self.passed_on = {}
        self.checked = 0

    def move(self, flow, words):
        first = self.passed_on.get(flow.fifo, 0)
        self.passed_on[flow.fifo] = first + words
        ends = [(flow.source, Direction.MM2S), *((d, Direction.S2MM) for d in flow.dests)]
        for end, direction in ends:
            addresses = self.ahead(end.tile, direction, end.channel, words)
            bases = {b.name: b.address // WORD_BYTES for b in (*self.plan.tile(end.tile).buffers, *self.plan.hosts)}
            for k in range(0, words, max(1, words // 7)):
                said = word_of_channel(self.plan, end.tile, direction, end.channel, first + k)
                place = None if said.place is None else said.place + bases[said.buffer]
                assert place == (None if addresses[k] < 0 else addresses[k]), str(said)
                self.checked += 1
        super().move(flow, words)


def forward(depth, to_stream, from_stream, repeat=1):
    """Host to memory tile to host, 24 words an object."""

    def build():
        a = object_fifo("a", SHIM, MEM, depth, ty(24), None, [from_stream] if from_stream else None)
        b = object_fifo("b", MEM, SHIM, depth, ty(24), to_stream or None)
        object_fifo_link(a, b)
        if repeat > 1:
            b.set_repeat_count(repeat)
        moves((a, 96), (b, 96 * repeat))

    return make(build)


WALKS = [[], [(4, 1), (6, 4)], [(3, 2), (4, 6), (2, 1)], [(6, 4), (4, 1)]]


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 4), st.sampled_from(WALKS), st.sampled_from(WALKS), st.integers(1, 3))
def test_every_word_of_a_forward_comes_from_where_its_value_does(depth, to_stream, from_stream, repeat):
    design = forward(depth, to_stream, from_stream, repeat)
    made = plan(design)
    memory = Watched(made)
    result = run_untimed(design, {"arg0": np.arange(96, dtype=np.int32)}, plan=made, memory=memory)
    assert memory.checked > 20
    for word, value in enumerate(result.hosts["arg1"]):
        found = memory.origin("arg1", word)
        assert found.made == f"the host, word {value} of arg0"
        assert len(found.hops) == 2


def test_padding_is_said():
    def build():
        a = object_fifo("a", SHIM, MEM, 2, ty(4, 6))
        b = object_fifo("b", MEM, SHIM, 2, ty(6, 8), [(4, 6), (6, 1)], padDimensions=[(1, 1), (1, 1)])
        object_fifo_link(a, b)
        moves((a, 24), (b, 48))

    design = make(build)
    made = plan(design)
    memory = Watched(made)
    result = run_untimed(design, {"arg0": np.arange(100, 124, dtype=np.int32)}, plan=made, memory=memory)
    for word, value in enumerate(result.hosts["arg1"]):
        said = memory.origin("arg1", word)
        assert said.made == ("padding" if value == 0 else f"the host, word {value - 100} of arg0")
    sent = memory.origin("arg1", 0).hops[0][1]
    assert sent.place is None
    assert "padding" in str(sent)
    assert memory.origin("arg1", 9).hops[0][1].walk == (1, 1)


def test_a_wrong_element_of_cores_behind_a_join(tmp_path):
    file = tmp_path / "add.py"
    file.write_text(ADD)
    design = open_fifo_design(file)
    made = plan(design)
    memory = Watched(made)
    result = run_untimed(design, {"arg0": np.arange(96, dtype=np.int32)}, plan=made, memory=memory)
    expected = np.arange(1, 97, dtype=np.int32)
    assert wrong_element(memory, "arg1", result.hosts["arg1"], expected) == []
    expected[85] = 7
    expected[90] = 7
    head, *way = wrong_element(memory, "arg1", result.hosts["arg1"], expected)
    assert head == "arg1: 2 of 96 elements differ; element 85 is 86, expected 7"
    # Word 37 of the second object belongs to the third leg.
    assert way[-1] == "  made: the program of core tile (0, 4), object 1 of out_join2, element 5"
    assert "sent: word 85 of out (object 1, element 37): MM2S" in way[1]
    assert "word 5 of 16" in way[2]
    assert len(way) == 5
    assert wrong_element(memory, "arg1", result.hosts["arg1"], expected[:9]) == ["arg1: expected 9 elements, found 96"]


def test_halves_of_words():
    def build():
        x, y = (
            object_fifo("x", SHIM, FAR[0], 2, ty(8, dtype=np.int16)),
            object_fifo("y", FAR[0], SHIM, 2, ty(8, dtype=np.int16)),
        )
        program(FAR[0], *one(x, CONSUME), *one(y, PRODUCE), times=2)
        moves((x, 16), (y, 16), dtype=np.int16)

    design = make(build)
    made = plan(design)
    memory = Watched(made)
    result = run_untimed(design, {"arg0": np.arange(16, dtype=np.int16)}, plan=made, memory=memory)
    head, *way = wrong_element(memory, "arg1", result.hosts["arg1"], np.full(16, 3, np.int16) * (np.arange(16) == 13))
    assert head.startswith("arg1: 1 of 16 elements differ; element 13 is 0, expected 3")
    assert way[-1].endswith("object 1 of y, element 4")


def test_what_nobody_wrote():
    design = forward(1, [], [])
    made = plan(design)
    assert OriginMemory(made).origin("arg1", 3).made == "nobody wrote it"


@pytest.mark.parametrize(("word", "bd", "use", "at"), [(0, 0, 0, 0), (23, 0, 0, 23), (24, 1, 0, 0), (50, 0, 1, 2)])
def test_runs_of_a_ring(word, bd, use, at):
    made = plan(forward(2, [], []))
    found = word_of_channel(made, MEM, Direction.S2MM, 0, word)
    assert (found.bd, found.use, found.at, found.place) == (bd, use, at, at)


def test_behind_the_last_task():
    made = plan(forward(2, [], []))
    assert word_of_channel(made, SHIM, Direction.MM2S, 0, 95).word == 95
    assert word_of_channel(made, SHIM, Direction.MM2S, 0, 96) is None
