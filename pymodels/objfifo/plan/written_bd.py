# SPDX-License-Identifier: Apache-2.0
"""A descriptor as text and scripts write it: in elements of its buffer, sizes and strides outermost first."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from goldbeat.pymodels.objfifo.plan.design import Dims
from goldbeat.pymodels.objfifo.plan.object_type import ObjectType
from goldbeat.pymodels.objfifo.plan.plan import Iteration, PacketHeader


@dataclass(kw_only=True)
class WrittenBd:
    """A descriptor.

    Attributes:
        offset, length, dims, pads: the walk; no length: all of the walk, or of the buffer.
        iteration: in elements.
        packet: the header of its packets.
        number: the one that it asks for.
        slot: id of a packet that an out-of-order channel fills it with.
        pad_value: what padding holds.
    """

    offset: int = 0
    length: int | None = None
    dims: Dims = ()
    pads: Dims = ()
    iteration: Iteration = field(default_factory=Iteration)
    packet: PacketHeader | None = None
    number: int | None = None
    slot: int | None = None
    pad_value: int = 0

    def total(self, obj: ObjectType) -> int:
        """Elements that it moves of a buffer of this type."""
        if self.length is not None:
            return self.length
        return walked(self.dims, self.pads) if self.dims else obj.elements


def walked(dims: Sequence[tuple[int, int]], pads: Sequence[tuple[int, int]]) -> int:
    """Elements of a walk with its padding."""
    return math.prod(size + (sum(pads[n]) if n < len(pads) else 0) for n, (size, _) in enumerate(dims))
