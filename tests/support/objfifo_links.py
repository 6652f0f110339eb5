# SPDX-License-Identifier: Apache-2.0
"""Random designs of links."""

from __future__ import annotations

import numpy as np

from goldbeat.pymodels.objfifo.plan.design import Fifo, Link
from goldbeat.pymodels.objfifo.plan.device import ANY
from goldbeat.pymodels.objfifo.plan.object_type import ObjectType
from goldbeat.tb.designs.objfifo.draw import dims_of

INT = np.dtype(np.int32)


class Draft:
    """Links of two memory tiles between shims."""

    def __init__(self, rng):
        self.rng, self.fifos, self.links, self.column = rng, [], [], 1
        while len(self.links) < 4 and (not self.links or rng.random() < 0.6):
            getattr(self, str(rng.choice(["forward", "distribute", "join"])))(ANY.tile(len(self.links) % 2, 1))

    def shim(self):
        self.column += 1
        return ANY.tile(self.column, 0)

    def fifo(self, source, target, words, dims=True):
        order = dims_of(self.rng, words, INT, 3) if dims and source.row else ()
        depth = int(self.rng.integers(1, 4))
        made = Fifo(f"f{len(self.fifos)}", source, (target,), depth, ObjectType((words,), INT), order)
        self.fifos.append(made)
        return made.name

    def sizes(self):
        return self.rng.integers(1, 20, int(self.rng.integers(1, 3))).tolist()

    def forward(self, memory):
        words = int(self.rng.integers(1, 20))
        ends = self.fifo(self.shim(), memory, words), self.fifo(memory, self.shim(), words)
        self.links.append(Link(ends[:1], ends[1:]))

    def distribute(self, memory):
        sizes = self.sizes()
        whole = self.fifo(self.shim(), memory, sum(sizes))
        legs = tuple(self.fifo(memory, self.shim(), n) for n in sizes)
        self.links.append(
            Link((whole,), legs, (), tuple(np.cumsum([0, *sizes[:-1]]).tolist()) if len(legs) > 1 else ())
        )

    def join(self, memory):
        sizes = self.sizes()
        legs = tuple(self.fifo(self.shim(), memory, n) for n in sizes)
        whole = self.fifo(memory, self.shim(), sum(sizes), dims=False)
        self.links.append(Link(legs, (whole,), tuple(np.cumsum([0, *sizes[:-1]]).tolist()) if len(legs) > 1 else ()))
