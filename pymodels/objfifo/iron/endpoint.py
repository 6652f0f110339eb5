# SPDX-License-Identifier: Apache-2.0
"""Who uses an end of an object FIFO, and where: workers, links, the host."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.plan.plan import FifoEnd
from goldbeat.pymodels.objfifo.plan.tile import Tile, TileKind


class AnyTile:
    """Asks for any tile of a kind."""

    def __init__(self, kind: TileKind) -> None:
        self.kind = kind


AnyComputeTile = AnyTile(TileKind.CORE)
AnyMemTile = AnyTile(TileKind.MEM)
AnyShimTile = AnyTile(TileKind.SHIM)


class Handle(Protocol):
    """An end of a fifo, as placement sees it."""

    @property
    def fifo(self) -> Any:
        """The ``ObjectFifo``."""

    @property
    def name(self) -> str:
        """The fifo's name."""

    @property
    def port(self) -> FifoEnd:
        """Which end it is."""

    def far_ends(self) -> Sequence[Place]:
        """Who uses the fifo's other handles; those that nobody uses are left out."""


class Place:
    """Who uses handles, and where."""

    kind = TileKind.CORE

    def __init__(self, where: Any, what: str) -> None:
        if where is not None and not isinstance(where, Tile | AnyTile):
            raise UsageError(f"{what}: {where!r} is no tile")
        self.asked = where if isinstance(where, Tile) else None
        if isinstance(where, AnyTile):
            self.kind = where.kind
        self.what = what
        self.tile: Tile | None = self.asked

    def handles(self) -> Sequence[Handle]:
        """The handles that it uses."""
        raise NotImplementedError


class LinkPlace(Place):
    """A link between handles."""

    kind = TileKind.MEM

    def __init__(
        self,
        ins: Sequence[Handle],
        outs: Sequence[Handle],
        src_offsets: list[int],
        dst_offsets: list[int],
        where: Any,
        rechunk: bool,
        turns: bool = False,
    ) -> None:
        super().__init__(where, f"the link of {ins[0].name} and {outs[0].name}")
        self.ins, self.outs = ins, outs
        self.src_offsets, self.dst_offsets = src_offsets, dst_offsets
        self.rechunk, self.turns = rechunk, turns

    def handles(self) -> Sequence[Handle]:
        """Both sides' handles."""
        return [*self.ins, *self.outs]


class PinnedPlace(Place):
    """``ObjectFifoEndpoint``: an end at a tile that nobody uses, such as of initial values in a memory tile."""

    def __init__(self, tile: Any) -> None:
        super().__init__(tile, f"the end at {tile}")
        self.held: list[Handle] = []

    def handles(self) -> Sequence[Handle]:
        """The handles that are given it."""
        return self.held


class ShimPlace(Place):
    """The host's sequence at one end of a fifo."""

    kind = TileKind.SHIM

    def __init__(self, handle: Handle, where: Any) -> None:
        super().__init__(where, f"the host's {'fill' if handle.port is FifoEnd.PRODUCE else 'drain'} of {handle.name}")
        self._handle = handle

    def handles(self) -> Sequence[Handle]:
        """The one handle."""
        return [self._handle]
