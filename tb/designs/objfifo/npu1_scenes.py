# SPDX-License-Identifier: Apache-2.0
"""The experiments by which the profile ``npu1`` is judged, as scenes of one engine (npu1.md, Experiments)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from goldbeat.pymodels.objfifo.engine.npu1_shim import fill_gaps
from goldbeat.pymodels.objfifo.engine.registers import QUEUE_DEPTH, Descriptor, EngineShape, EngineTask
from goldbeat.pymodels.pattern import Pattern
from goldbeat.pymodels.stimulus import Stimulus
from goldbeat.tb.design.case import CaseContext
from goldbeat.tb.designs.objfifo.scene import EngineScene, engine_stimulus

OPENING = 60
"""The word before which a lock is opened is offered this late."""

HELD = 200
"""The edge from which a closed output is ready."""

SMALL_BDS = 30
"""Descriptors of :func:`closed_sink`."""

_STREAM = 256


@dataclass(frozen=True)
class Experiment:
    """A scene, and how its streams behave.

    Attributes:
        scene: descriptors, locks, words.
        gaps: by input, before each word.
        closed: outputs that are not ready before edge :data:`HELD`.
    """

    scene: EngineScene
    gaps: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    closed: tuple[int, ...] = ()

    def fits(self, shape: EngineShape) -> bool:
        """Whether an engine has the channels, descriptors and words of memory that it takes."""
        scene = self.scene
        return (
            max(scene.words, default=0) < shape.ns
            and max(task.channel for task in scene.tasks) < shape.channels
            and max(scene.descriptors) < shape.nbd
            and max((first + len(words) for first, words in scene.memory.items()), default=0) <= shape.mem_words
        )


def _words(count: int) -> np.ndarray[tuple[int], np.dtype[np.uint32]]:
    return np.arange(count, dtype=np.uint32)


def fill_ring(words: int, core: bool) -> Experiment:
    """X1, X2: a ring of two descriptors, whose locks are open, and a source that is always ready."""
    scene = EngineScene(words={0: _words(64)}, core=core)
    scene.tasks = [EngineTask(0, scene.ring(0, [Descriptor(n * words, words, acquire=(0, 1)) for n in range(2)]))]
    scene.locks = {0: 63}
    return Experiment(scene)


def closed_lock(words: int, core: bool = True) -> Experiment:
    """X3, X4: descriptors behind a closed lock; another channel opens it with a late word of its own."""
    scene = EngineScene(words={0: _words(64), 1: _words(1)}, core=core, cores=(1,))
    ring = [Descriptor(n * words, words, acquire=(0, 1)) for n in range(64 // words)]
    scene.chain(0, ring)
    scene.chain(len(ring), [Descriptor(512, 1, release=(0, 63))])
    scene.tasks = [EngineTask(0, 0), EngineTask(1, len(ring))]
    return Experiment(scene, {1: (OPENING,)})


def send_block(shape: EngineShape, core: bool, step: int = 1) -> Experiment:
    """X5, X11: 256 words behind a lock, in steps of so many words."""
    scene = EngineScene(core=core, locks={0: 1})
    scene.memory = {n * step: _words(n + 1)[-1:] for n in range(_STREAM)} if step > 1 else {0: _words(_STREAM)}
    scene.chain(0, [Descriptor(0, _STREAM, steps=(step, 0, 0, 0), acquire=(0, 1))])
    scene.tasks = [EngineTask(shape.ns, 0)]
    return Experiment(scene)


def closed_sink(shape: EngineShape, core: bool = False, words: int = 4) -> Experiment:
    """X6, X12: 30 small descriptors into an output that is held."""
    scene = EngineScene(core=core, memory={0: _words(128)})
    scene.chain(0, [Descriptor(words * n, words) for n in range(SMALL_BDS)])
    scene.tasks = [EngineTask(shape.ns, 0)]
    return Experiment(scene, closed=(0,))


def relay(shape: EngineShape) -> Experiment:
    """X7: what comes in is sent on, two buffers of 16 words."""
    scene = EngineScene(words={0: _words(64)}, locks={0: 2})
    fill = [Descriptor(16 * n, 16, acquire=(0, 1), release=(1, 1)) for n in range(2)]
    drain = [Descriptor(16 * n, 16, acquire=(1, 1), release=(0, 1)) for n in range(2)]
    scene.tasks = [EngineTask(0, scene.ring(0, fill)), EngineTask(shape.ns, scene.ring(2, drain))]
    return Experiment(scene)


def two_senders(shape: EngineShape, apart: int) -> Experiment:
    """X9: two channels send 256 words each; their addresses differ by so many words modulo all banks."""
    scene = EngineScene(memory={0: _words(_STREAM), 512: _words(_STREAM + apart)}, locks={0: 1, 1: 1})
    for n, base in enumerate((0, 512 + apart)):
        scene.chain(n, [Descriptor(base, _STREAM, acquire=(n, 1))])
        scene.tasks.append(EngineTask(shape.ns + n, n))
    return Experiment(scene)


def hammered(shape: EngineShape, every: int) -> Experiment:
    """X10: a channel of a core tile sends 256 words, another one writes words into one bank, one in so many cycles."""
    count = _STREAM // every
    scene = EngineScene(core=True, memory={0: _words(_STREAM)}, locks={0: 1}, words={0: _words(count)})
    scene.chain(0, [Descriptor(0, _STREAM, acquire=(0, 1))])
    # Every 64 words the same bank; the row is written again and again.
    scene.ring(1, [Descriptor(512, count, steps=(0, 0, 0, 0))])
    scene.tasks = [EngineTask(shape.ns, 0), EngineTask(0, 1)]
    return Experiment(scene, {0: (every - 1,) * count})


def handed_to_core(shape: EngineShape) -> Experiment:
    """D14, L1: a core takes what a channel has brought, two objects; the first acquire waits, the second one does not."""
    scene = EngineScene(words={0: _words(32)}, locks={0: 2}, core=True, cores=(shape.ns,))
    fill = [Descriptor(16 * n, 16, acquire=(0, 1), release=(1, 1)) for n in range(2)]
    scene.tasks = [EngineTask(0, scene.chain(0, fill)), EngineTask(shape.ns, 2)]
    scene.chain(2, [Descriptor(0, 32, acquire=(1, 1)), Descriptor(16, 16, acquire=(1, 1))])
    return Experiment(scene)


def slow_core(shape: EngineShape, words: int = 64) -> EngineScene:
    """X8: a core with two buffers of 8 words that holds each object for 64 cycles."""
    scene = EngineScene(words={0: _words(words)}, locks={0: 2}, core=True, cores=(shape.ns,))
    fill = [Descriptor(8 * n, 8, acquire=(0, 1), release=(1, 1)) for n in range(2)]
    # 63 words and the cycle between two descriptors.
    hold = [Descriptor(8 * n, 63, (8, 8, 0), (1, 0, 0, 0), acquire=(1, 1), release=(0, 1)) for n in range(2)]
    scene.tasks = [EngineTask(0, scene.ring(0, fill)), EngineTask(shape.ns, scene.ring(2, hold))]
    return scene


def overfull_queue(shape: EngineShape) -> Experiment:
    """X14: five tasks of four words, pushed at once into one queue."""
    scene = EngineScene(memory={0: _words(4)})
    scene.chain(0, [Descriptor(0, 4)])
    scene.tasks = [EngineTask(shape.ns, 0)] * (QUEUE_DEPTH + 1)
    return Experiment(scene)


def closed_tile() -> Experiment:
    """X12: what enters a tile whose lock stays closed."""
    scene = EngineScene(words={0: _words(64)})
    scene.chain(0, [Descriptor(0, 64, acquire=(0, 1))])
    scene.tasks = [EngineTask(0, 0)]
    return Experiment(scene)


def array_experiments(shape: EngineShape) -> dict[str, Callable[[], Experiment]]:
    """Those in which words go between tiles, by name."""
    return {
        "X8": lambda: Experiment(slow_core(shape)),
        "X12 in": closed_tile,
        "X12 out": lambda: closed_sink(shape, words=1),
        "X12 out core": lambda: closed_sink(shape, core=True, words=1),
    }


def dressed_experiment(name: str, experiment: Experiment, setting: CaseContext) -> Stimulus:
    """The episode of one engine; wide words have a scene's number in each 32-bit part."""
    lanes, scene = EngineShape.of(setting.params).lanes, experiment.scene
    words, memory = ({at: np.repeat(one, lanes) for at, one in them.items()} for them in (scene.words, scene.memory))
    stimulus = engine_stimulus(replace(scene, words=words, memory=memory), setting)
    inputs = {**stimulus.inputs}
    for c, gaps in experiment.gaps.items():
        inputs[f"s_axis_{c}"] = inputs[f"s_axis_{c}"].with_gaps(np.array(gaps, np.int64))
    ready = {f"m_axis_{c}": Pattern("array", values=(0,) * HELD + (1,) * HELD) for c in experiment.closed}
    return replace(stimulus, inputs=inputs, ready=ready, label=name)


def core_requests(shape: EngineShape, locked: bool) -> Experiment:
    """L1: a core that takes an open lock for each word, or none."""
    scene = EngineScene(core=True, cores=(shape.ns,), memory={0: _words(4)}, locks={0: 63})
    scene.chain(0, [Descriptor(n, 1, acquire=(0, 1) if locked else None) for n in range(4)])
    scene.tasks = [EngineTask(shape.ns, 0)]
    return Experiment(scene)


def host_fills(tasks: Sequence[int]) -> Experiment:
    """X15, X16: fills of the host, queued at once, into large open buffers."""
    words = sum(tasks)
    scene = EngineScene(words={0: _words(words)}, locks={0: 63})
    scene.tasks = [EngineTask(0, scene.ring(0, [Descriptor(n * 512, 512, acquire=(0, 1)) for n in range(2)]))]
    return Experiment(scene, {0: tuple(fill_gaps(tasks, np.random.default_rng(0)).tolist())})


def experiments(shape: EngineShape) -> dict[str, Callable[[], Experiment]]:
    """All of one engine, by name."""
    return {
        "X1": lambda: fill_ring(16, core=False),
        "X2": lambda: fill_ring(8, core=True),
        "X3": lambda: closed_lock(64),
        "X4": lambda: closed_lock(16),
        "X4 of 8": lambda: closed_lock(8),
        "X5": lambda: send_block(shape, core=True),
        "X6": lambda: closed_sink(shape),
        "X6 core": lambda: closed_sink(shape, core=True),
        "X7": lambda: relay(shape),
        "X9 one bank": lambda: two_senders(shape, 0),
        "X9 sibling": lambda: two_senders(shape, 4),
        "X10": lambda: hammered(shape, 7),
        "X11 1": lambda: send_block(shape, core=False),
        "X11 4": lambda: send_block(shape, core=False, step=4),
        "X11 16": lambda: send_block(shape, core=False, step=16),
        "X11 64": lambda: send_block(shape, core=False, step=64),
        "X14": lambda: overfull_queue(shape),
        "X15 64": lambda: host_fills([64]),
        "X15 4096": lambda: host_fills([4096]),
        "X16": lambda: host_fills([64] * 8),
        "L1": lambda: core_requests(shape, locked=True),
        "L1 free": lambda: core_requests(shape, locked=False),
        "D14": lambda: handed_to_core(shape),
    }
