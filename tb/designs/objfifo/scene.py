# SPDX-License-Identifier: Apache-2.0
"""What one engine is given in an episode: descriptors, tasks, locks, memory and words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.objfifo.engine import engine_map as reg
from goldbeat.pymodels.objfifo.engine.registers import (
    Descriptor,
    EngineShape,
    EngineTask,
    disarm,
    final_reads,
    memory_reads,
)
from goldbeat.pymodels.objfifo.engine.registers import engine_program as register_program
from goldbeat.pymodels.stimulus import Access, Stimulus
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.design.case import CaseContext
from goldbeat.tb.design.traffic import Rng


@dataclass
class EngineScene:
    """What an episode is made of, before it becomes a register program.

    Attributes:
        descriptors, tasks, locks: as the program writes them.
        words: by S2MM channel, 32-bit parts of the words offered to it.
        memory: 32-bit parts by word address.
        pads: what padding holds, by MM2S channel.
        out_of_order: S2MM channels that take packets by the ids in their headers.
        read_back: first word and number of words read after the run.
        core: the engine stands for a core tile.
        cores: channels that stand for the tile's core.
    """

    descriptors: dict[int, Descriptor] = field(default_factory=dict)
    tasks: list[EngineTask] = field(default_factory=list)
    locks: dict[int, int] = field(default_factory=dict)
    words: dict[int, npt.NDArray[np.uint32]] = field(default_factory=dict)
    memory: dict[int, npt.NDArray[np.uint32]] = field(default_factory=dict)
    pads: dict[int, int] = field(default_factory=dict)
    out_of_order: tuple[int, ...] = ()
    read_back: tuple[int, int] | None = None
    core: bool = False
    cores: tuple[int, ...] = ()

    def program(self) -> tuple[Access, ...]:
        """All of it as register accesses, but for the words."""
        return register_program(
            self.descriptors,
            self.tasks,
            locks=self.locks,
            memory=self.memory,
            pads=self.pads,
            out_of_order=self.out_of_order,
            core=self.core,
            cores=self.cores,
        )

    def ring(self, first: int, descriptors: Sequence[Descriptor]) -> int:
        """Put descriptors into the table as an endless ring; the number of the first one."""
        for n, descriptor in enumerate(descriptors):
            self.descriptors[first + n] = replace(descriptor, next=first + (n + 1) % len(descriptors))
        return first

    def chain(self, first: int, descriptors: Sequence[Descriptor]) -> int:
        """Put descriptors into the table one after the other; the number of the first one."""
        for n, descriptor in enumerate(descriptors):
            self.descriptors[first + n] = replace(descriptor, next=first + n + 1 if n + 1 < len(descriptors) else None)
        return first


def rough_access(rng: Rng, address: int) -> list[Access]:
    """A register is written, often in part, and read; bits 1:0 of addresses mean nothing."""
    strobe = 0xF if rng.random() < 0.6 else int(rng.integers(0xF))
    write = Access("write", address + int(rng.integers(4)), int(rng.integers(1 << 32)), strobe)
    return [write, Access("read", address + int(rng.integers(4)))]


def random_halves(shape: EngineShape, rng: Rng, count: int) -> npt.NDArray[np.uint32]:
    """Random words as 32-bit parts."""
    return rng.integers(0, 1 << 32, count * shape.lanes, dtype=np.uint32)


def engine_stimulus(scene: EngineScene, setting: CaseContext, *, start: int = 0) -> Stimulus:
    """An episode without gaps and patterns; the start trigger comes at edge ``start``."""
    shape, clock = EngineShape.of(setting.params), setting.clocks["aclk"]
    stamps = {"clock_ps": clock.period_ps, "offset_ps": clock.offset_ps}
    inputs = {"start": Trace.from_bytes(np.zeros((1, 1), np.uint8), cycle=[start], **stamps)}
    for c in range(shape.ns):
        data = scene.words.get(c, np.zeros(0, np.uint32)).astype("<u4").view(np.uint8)
        inputs[f"s_axis_{c}"] = Trace.from_bytes(data.reshape(-1, shape.word_bytes), **stamps)
    after = final_reads(shape)
    if scene.read_back is not None:
        first, count = scene.read_back
        after += (*disarm(), *memory_reads(first, count * shape.lanes))
        after += tuple(Access("read", reg.CHANNEL + 4 * c) for c in range(shape.channels))
    return Stimulus(inputs, {}, setting.clocks, {"s_axil": scene.program()}, {"s_axil": after})


_GAP_SALT, _READY_SALT = 1, 100


def dressed_scene(stimulus: Stimulus, setting: CaseContext) -> Stimulus:
    """The stimulus with more gaps before its words and patterns at its outputs as the options say; the start trigger stays."""
    inputs = {}
    for n, (name, made) in enumerate(sorted(stimulus.inputs.items())):
        # Beats keep their own gaps, a file's or the host's, and get the case's on top.
        trace = setting.inputs.get(name, made)
        extra = setting.pattern("gaps", _GAP_SALT + n).gaps(len(trace))
        inputs[name] = made if name == "start" else trace.with_gaps(trace.gaps + extra)
    ready = {name: setting.pattern("ready", _READY_SALT + n) for n, name in enumerate(setting.outputs)}
    return replace(stimulus, inputs=inputs, ready=ready)
