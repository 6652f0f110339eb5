# SPDX-License-Identifier: Apache-2.0
"""Model of one DMA engine between traces: the golden model of the design.

Contracts: objfifo-engine.md, npu1.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from goldbeat.pymodels.axis.elastic import clock_of, offered, ready_from, transferred, unhindered
from goldbeat.pymodels.axis.skid import SKID_DEPTH, SKID_LATENCY
from goldbeat.pymodels.objfifo.engine.engine import (
    MM2S_LATENCY,
    NEVER,
    OUT_DEPTH,
    START_BITS,
    START_TO_POP,
    Engine,
    Hang,
    Words,
    run_engines,
    sent,
    sink_of,
)
from goldbeat.pymodels.objfifo.engine.npu1_ends import Npu1Input, Npu1Output
from goldbeat.pymodels.objfifo.engine.npu1_engine import Npu1Engine
from goldbeat.pymodels.objfifo.engine.registers import EngineRegisters, EngineShape, Reply, TimingProfile
from goldbeat.pymodels.pattern import Pattern
from goldbeat.pymodels.stimulus import Outcome, Stimulus, answered
from goldbeat.pymodels.trace import Trace


class _Input:
    """The skid buffer of an input: when its next word stands at its output."""

    def __init__(self, trace: Trace, first_ready: int, words: Words, memory: list[int]) -> None:
        self.trace = trace
        self.accepts: list[int] = []
        self._row = words.add(trace.data)  # the next word
        self._memory = memory
        self._taken = 0
        self._gaps = iter(trace.gaps.tolist())
        self._next_offer = 0
        for _ in range(SKID_DEPTH):
            self._accept(first_ready)

    def _accept(self, free: int) -> None:
        for gap in self._gaps:
            offer = self._next_offer + gap
            accept = offer if offer > free else free
            self.accepts.append(accept)
            self._next_offer = accept + 1
            return

    def due(self) -> int:
        """The first edge at which a word can leave."""
        return self.accepts[self._taken] + SKID_LATENCY if self._taken < len(self.accepts) else NEVER

    def word(self, edge: int, address: int) -> int:
        """A word goes to memory at this edge; from when on the next one can."""
        self._memory[address] = self._row
        self._row += 1
        self._taken += 1
        self._accept(edge + 1)
        due = self.due()
        return due if due > edge else edge + 1


class _Output:
    """An output: credits, and when its words transfer."""

    def __init__(self, pattern: Pattern, memory: list[int]) -> None:
        self.outs: list[int] = []
        self.rows: list[int] = []
        self.lasts: list[int] = []
        self._memory = memory
        self._take = sink_of(pattern)
        self._last = 0

    def due(self) -> int:
        """The first edge at which there is a credit."""
        spent = len(self.outs) - OUT_DEPTH
        return self.outs[spent] + 1 if spent >= 0 else 0

    def word(self, edge: int, address: int) -> int:
        """A word of memory is issued at this edge; from when on the next one can be."""
        return self.put(edge, self._memory[address])

    def last(self) -> None:
        """The word that was issued last carries TLAST."""
        self.lasts.append(len(self.outs) - 1)

    def put(self, edge: int, row: int) -> int:
        """Any word is issued at this edge; from when on the next one can be."""
        offer = edge + MM2S_LATENCY
        if offer <= self._last:
            offer = self._last + 1
        self._last = last = self._take(offer)
        outs = self.outs
        outs.append(last)
        self.rows.append(row)
        spent = len(outs) - OUT_DEPTH
        return outs[spent] + 1 if spent >= 0 and outs[spent] > edge else edge + 1


class _Alone:
    """An engine between traces."""

    def __init__(self, params: Mapping[str, Any], stimulus: Stimulus) -> None:
        self.registers = EngineRegisters(EngineShape.of(params))
        self.before = self.registers.apply(stimulus.program.get("s_axil", ()))
        shape = self.registers.shape
        self.clock = clock_of(stimulus, "aclk")
        self.words = Words(shape.word_bytes)
        first = ready_from(stimulus)
        traces = [offered(stimulus, f"s_axis_{n}", shape.word_w, self.clock) for n in range(shape.ns)]
        patterns = [stimulus.pattern(f"m_axis_{n}") for n in range(shape.nm)]
        self.engine, self.inputs, self.outputs = self._made(traces, patterns, first)
        self.start = offered(stimulus, "start", START_BITS, self.clock)
        self.starts = unhindered(self.start.gaps, first)
        if len(self.starts) and self.engine.start():
            run_engines([self.engine], int(self.starts[0]) + START_TO_POP)
        self.engine.settle()

    def _made(
        self, traces: list[Trace], patterns: list[Pattern], first: int
    ) -> tuple[Engine, Sequence[_Input | Npu1Input], Sequence[_Output | Npu1Output]]:
        """The engine of the profile, with its ends."""
        ns = self.registers.shape.ns
        if self.registers.shape.profile is TimingProfile.NPU1:
            engine = Npu1Engine(self.registers, self.words)
            ins = [Npu1Input(trace, first, self.words) for trace in traces]
            outs = [Npu1Output(p, engine.tile, partial(engine.sent, ns + n)) for n, p in enumerate(patterns)]
            engine.ends = [*ins, *outs]
            return engine, ins, outs
        plain = Engine(self.registers, self.words)
        inputs = [_Input(trace, first, self.words, plain.memory) for trace in traces]
        outputs = [_Output(pattern, plain.memory) for pattern in patterns]
        plain.ends = [*inputs, *outputs]
        return plain, inputs, outputs

    def after(self, stimulus: Stimulus) -> list[Reply]:
        """The answers to the accesses behind the streams."""
        return self.registers.apply(stimulus.after.get("s_axil", ()))

    def outcome(self) -> Outcome:
        """What has transferred."""
        ports = {f"s_axis_{n}": transferred(i.trace, self.clock, i.accepts) for n, i in enumerate(self.inputs)}
        ports["start"] = transferred(self.start, self.clock, self.starts)
        for n, output in enumerate(self.outputs):
            name = f"m_axis_{n}"
            ports[name] = sent(name, self.words, output.rows, output.outs, output.lasts, self.clock)
        events, ports["lock"] = self.engine.logs(self.clock)
        ports |= {f"evt_{c}": trace for c, trace in enumerate(events)}
        return Outcome(ports, {"irq": self.registers.irq})


# -- what it is asked for --------------------------------------------------------------------------------------------


def predict(params: Mapping[str, Any], stimulus: Stimulus) -> Outcome:
    """Golden model; parameters ``NS NM NBD NLOCK NBANK MEM_WORDS WORD_W``.

    The run ends when nothing can change any more. A :class:`UsageError` where it never does, or where an output would
    carry memory that nobody has written.
    """
    alone = _Alone(params, stimulus)
    outcome = alone.outcome()
    answers = answered(stimulus, alone.before, alone.after(stimulus))
    return replace(outcome, accesses={"s_axil": answers})


def predict_accesses(params: Mapping[str, Any], stimulus: Stimulus) -> tuple[list[Reply], list[Reply]]:
    """The answers to the accesses of ``s_axil`` before and after the streams."""
    alone = _Alone(params, stimulus)
    return alone.before, alone.after(stimulus)


def final_state(params: Mapping[str, Any], stimulus: Stimulus) -> EngineRegisters:
    """The registers, locks and memory after the streams."""
    return _Alone(params, stimulus).registers


def hanging(params: Mapping[str, Any], stimulus: Stimulus) -> tuple[Hang, ...]:
    """What every channel that is not done waits for at the end of a run."""
    return _Alone(params, stimulus).engine.hanging()
