# SPDX-License-Identifier: Apache-2.0
"""Blocks of the TPU command front end alone: heads against the contract's table, message counters against plain arithmetic."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from goldbeat.pymodels.stimulus import Outcome, Stimulus
from goldbeat.pymodels.tpu.front_end.kinds import BM1684X, DMA_COUNT, ONE_FORM
from goldbeat.pymodels.tpu.streams.tables import chip as chip_tables
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.design.case import Case
from goldbeat.tb.design.design import Design
from goldbeat.tb.design.ports.stream import StreamPort, silent
from goldbeat.tb.designs.tpu.programs import END, NUMBERS, SEND, WAIT, Command, absent, kinds
from goldbeat.tb.designs.tpu.scene import CHIP_TABLES
from goldbeat.tb.paths import HDL
from goldbeat.tb.run.runs import Request, run

HERE = Path(__file__).resolve().parent
ENGINES, MESSAGES = 4, 8


def one_way(name, direction, width):
    return StreamPort(name=name, direction=direction, width=width, signals=silent(name))


def block(name, files, ports, model, make):
    return Design(
        name=name,
        summary="a block",
        top=name,
        files=(*(str(HDL / "tpu" / f) for f in files), str(HERE / f"{name}.sv")),
        root=HDL,
        include_dirs=("common",),
        streams=ports,
        model=model,
        cases=(Case(name="random", summary="random", make=make),),
    )


def offered(setting, data, port, gaps=0):
    clock = setting.clocks["aclk"]
    cycle = np.cumsum(np.random.default_rng(setting.seed).integers(0, gaps + 1, len(data)) + 1)
    return Stimulus(
        {port: Trace.from_bytes(data, cycle=cycle, clock_ps=clock.period_ps, offset_ps=clock.offset_ps)},
        {},
        setting.clocks,
    )


# -- heads -------------------------------------------------------------------------------------------------------------


def every_kind(chip, dma):
    found = [*kinds(chip, dma), END[dma]]
    return found + ([SEND[dma], WAIT[dma]] if chip != BM1684X else [])


def head_words(chip, dma, rng):
    """Every kind that is there and every one that is not, with what must be read from their heads."""
    for there, some in ((True, every_kind(chip, dma)), (False, absent(chip, dma))):
        for kind in some:
            message = kind in (SEND[dma], WAIT[dma]) and chip != BM1684X
            free = dma or kind.type not in (7, 12)
            dep = int(rng.integers(1 << 20)) if free else 0
            number = int(rng.integers(1, 1 << 20))
            msg = int(rng.integers(NUMBERS[chip])) if message else None
            command = Command(kind, dep, msg, int(rng.integers(128)) if message else 0)
            yield kind, there, command, number, command.head(chip, number, rng)


def decoded_kinds(name, engine):
    """(short, type, sub) of every operation that the decoder's tables have."""
    found = set()
    for form in chip_tables(name).engine(engine).kinds:
        shorts = {None: (False,), 0: (False,), 1: (True,)}[form.short]
        if engine == "tiu" and form.type in ONE_FORM:
            shorts = (False,)
        found |= {(short, form.type, sub) for short in shorts for sub in form.ops}
    return found


@pytest.mark.parametrize("chip", NUMBERS)
@pytest.mark.parametrize("engine", ["tiu", "gdma"])
def test_kinds_and_messages_are_those_of_the_decoder(chip, engine):
    dma, tables = engine == "gdma", chip_tables(CHIP_TABLES[chip])
    here = {(k.short, k.type, k.sub) for k in every_kind(chip, dma)}
    assert decoded_kinds(CHIP_TABLES[chip], engine) == here
    send = tables.engine(engine).send
    assert (1 << send.id[1] if send else 0) == NUMBERS[chip]
    if dma and send:
        assert 96 + send.count[0] == DMA_COUNT[chip]


def fields(word):
    """The fields of the block's answer."""
    number = int.from_bytes(word, "little")

    def take(low, width):
        return number >> low & ((1 << width) - 1)

    names = ("known", "end", "send", "wait", "has_id")
    flags = {name: bool(take(14 + i, 1)) for i, name in enumerate(names)}
    layout = {"beats": (0, 4), "kind": (4, 10), "id": (32, 20), "dep": (64, 24), "message": (96, 9), "count": (112, 7)}
    return flags | {name: take(*where) for name, where in layout.items()}


@pytest.mark.sim
def test_every_head_of_every_chip(tmp_path):
    rng = np.random.default_rng(3)
    wanted = [(c, d, *one) for c in NUMBERS for d in (False, True) for one in head_words(c, d, rng)]
    data = np.array([list(one[-1]) for one in wanted], np.uint8)

    def make(setting):
        return [offered(setting, data, "head")]

    def model(params, stimulus):
        # Only when the block answers: what it says is looked at below, for the chip and engine that the beat is meant for.
        head = stimulus.inputs["head"]
        nothing = np.zeros((len(head), 192), np.uint8)
        stamps = {"clock_ps": head.clock_ps, "offset_ps": head.offset_ps}
        return Outcome({"head": head, "said": Trace.from_bytes(nothing, cycle=head.cycle + 1, **stamps)})

    ports = (one_way("head", "in", 128), one_way("said", "out", 1536))
    design = block("heads", ["tpu_head.sv"], ports, model, make)
    (result,) = run(Request(design, design.case("random"), [0]), tmp_path)
    got = result.episodes[0].record.outcome.ports["said"]
    assert (got.cycle == result.episodes[0].stimulus.inputs["head"].cycle + 1).all()
    assert len(got) == len(wanted) > 2000
    for row, (chip, dma, kind, there, command, number, _) in zip(got.data, wanted, strict=True):
        at = 16 * (2 * chip + dma)
        said = fields(row[at : at + 16].tobytes())
        assert said["kind"] == kind.code
        assert said["known"] == there, (chip, kind)
        if not there:
            continue
        assert said["beats"] == kind.beats, (chip, kind)
        assert said["end"] == (kind == END[dma])
        assert said["send"] == (kind == SEND[dma] and chip != BM1684X)
        assert said["wait"] == (kind == WAIT[dma] and chip != BM1684X)
        assert said["dep"] == command.dep, (chip, kind)
        assert said["has_id"] == (chip == BM1684X and (dma or kind.type != 7))
        if said["has_id"]:
            assert said["id"] == number
        if said["send"] or said["wait"]:
            assert (said["message"], said["count"]) == (command.message, command.count)


# -- messages ----------------------------------------------------------------------------------------------------------


def act(rng, beats):
    """Random SENDs and grants, in favour of few messages so that they meet."""
    words = np.zeros((beats, ENGINES), np.uint32)
    few = rng.integers(1, MESSAGES + 1, beats)[:, None]
    words |= (rng.random((beats, ENGINES)) < 0.4).astype(np.uint32)
    words |= (rng.integers(0, few, (beats, ENGINES)) << 8).astype(np.uint32)
    words |= (rng.integers(0, 6, (beats, ENGINES)) << 16).astype(np.uint32)
    words |= (rng.random((beats, ENGINES)) < 0.4).astype(np.uint32) << np.uint32(24)
    words |= (rng.integers(0, few, (beats, ENGINES)) << 28).astype(np.uint32)
    return words


def count(params, stimulus):
    """The state before each beat."""
    beats = stimulus.inputs["act"]
    sent, left = [0] * MESSAGES, [0] * MESSAGES
    states = np.zeros((len(beats), MESSAGES), np.uint32)
    for row, words in enumerate(beats.data.view("<u4").tolist()):
        for m in range(MESSAGES):
            seen = sent[words[m // 2] >> 28 & 7] & 0xFF
            states[row, m] = sent[m] | left[m] << 16 | seen << 23
        for m in range(MESSAGES):
            grants = sum(w >> 24 & 1 for w in words if w >> 28 & 7 == m)
            counts = [w >> 16 & 0x7F for w in words if w & 1 and w >> 8 & 7 == m]
            if grants:
                over = grants >= left[m]
                sent[m], left[m] = (0, 0) if over else (sent[m], left[m] - grants)
            if counts:
                sent[m], left[m] = (sent[m] + len(counts)) & 0xFFFF, counts[0]
    stamps = {"clock_ps": beats.clock_ps, "offset_ps": beats.offset_ps}
    return Outcome({"act": beats, "state": Trace.from_bytes(states.view(np.uint8), cycle=beats.cycle, **stamps)})


@pytest.mark.sim
def test_message_counters(tmp_path):
    def make(setting):
        rng = np.random.default_rng([setting.seed, 1])
        return [offered(setting, act(rng, 2000).view(np.uint8), "act", gaps=2)]

    ports = (one_way("act", "in", 32 * ENGINES), one_way("state", "out", 32 * MESSAGES))
    design = block("messages", ["tpu_messages.sv"], ports, count, make)
    results = run(Request(design, design.case("random"), range(3)), tmp_path)
    assert all(r.passed for r in results), results[0].failures[:2]
