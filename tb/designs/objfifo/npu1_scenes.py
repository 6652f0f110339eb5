# SPDX-License-Identifier: Apache-2.0
"""The experiments by which the profile ``npu1`` is judged, as scenes of one engine (npu1.md, Experiments)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from goldbeat.pymodels.objfifo.engine.registers import Descriptor, EngineShape, EngineTask
from goldbeat.tb.designs.objfifo.scene import EngineScene

OPENING = 60
"""The word before which a lock is opened is offered this late."""

HELD = 200
"""The edge from which a closed output is ready."""

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


def closed_sink(shape: EngineShape, core: bool = False) -> Experiment:
    """X6: many descriptors of four words into an output that is held."""
    scene = EngineScene(core=core, memory={0: _words(128)})
    scene.chain(0, [Descriptor(4 * n, 4) for n in range(32)])
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
        "D14": lambda: handed_to_core(shape),
    }
