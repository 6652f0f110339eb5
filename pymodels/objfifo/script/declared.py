# SPDX-License-Identifier: Apache-2.0
"""What a script declared: its fifos, its explicit level, its sequence."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Any

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.iron.endpoint import AnyTile
from goldbeat.pymodels.objfifo.iron.keywords import only_harmless
from goldbeat.pymodels.objfifo.iron.placed import device, runtime_sequence
from goldbeat.pymodels.objfifo.iron.placement import tile
from goldbeat.pymodels.objfifo.iron.program import Program, transfers_of
from goldbeat.pymodels.objfifo.iron.resolved import ResolvedModule
from goldbeat.pymodels.objfifo.iron.runtime import Runtime, RuntimeData, RuntimeScalar
from goldbeat.pymodels.objfifo.iron.scope import Scope, entered, scope
from goldbeat.pymodels.objfifo.iron.surroundings import frozen
from goldbeat.pymodels.objfifo.iron.transfers import transfers_to
from goldbeat.pymodels.objfifo.iron.worker import Worker
from goldbeat.pymodels.objfifo.plan.design import FifoDesign
from goldbeat.pymodels.objfifo.plan.device import Device
from goldbeat.pymodels.objfifo.plan.tile import Tile, TileKind
from goldbeat.pymodels.objfifo.script.core_calls import WorkerBarrier
from goldbeat.pymodels.objfifo.script.explicit import (
    Explicit,
    ScriptBuffer,
    ScriptLock,
    enum_text,
    explicit,
    explicit_ends,
    explicit_scope,
)
from goldbeat.pymodels.objfifo.script.host_calls import HostArray, LiveTransfers, host_now


@dataclass
class Declared:
    """A design as a script declared it.

    Attributes:
        design: fifos, links, cores.
        explicit: what it declares beside them.
        types: of the arguments of the sequence.
        sequence: called with an array for each type.
        runtime: whose sequence it is, at the level without tiles.
        scope: of the device's body, at the placed level.
    """

    design: FifoDesign
    explicit: Explicit
    types: Sequence[Any] = ()
    sequence: Callable[..., Any] | None = None
    runtime: Runtime | None = None
    scope: Scope | None = None


@dataclass
class Declarations:
    """All designs of a script, in order."""

    designs: list[Declared] = field(default_factory=list)


_found: ContextVar[Declarations | None] = ContextVar("declarations", default=None)


def declarations() -> Declarations:
    """Where designs go; those outside of a script are forgotten."""
    return _found.get() or Declarations()


def declaring(found: Declarations) -> Any:
    """Let designs go there; gives the token for :func:`declared_all`."""
    return _found.set(found)


def declared_all(token: Any) -> None:
    """The end of it."""
    _found.reset(token)


# -- the placed level -----------------------------------------------------------------------------------------------------


def script_device(which: Any = None, *_: Any, **more: Any) -> Callable[[Callable[[], Any]], ResolvedModule]:
    """``@device``: a body with fifos and explicit declarations."""
    only_harmless("device", more, ("sym_name",))

    def take(body: Callable[[], Any]) -> ResolvedModule:
        found = Explicit()
        token = explicit_scope(found)
        try:
            module = device(which)(body)
        finally:
            explicit_ends(token)
        types, sequence = found.sequence or ((), None)
        body_scope = scope().bodies[-1][1]
        declarations().designs.append(Declared(module.design, found, types, sequence, scope=body_scope))
        return module

    return take


def planned_form(found: Declared) -> FifoDesign:
    """A design with the transfers of its sequence, which is called once for them.

    Raises:
        UsageError: it has parts that no plan has.
    """
    own = found.explicit
    if own.buffers or own.locks or own.flows or own.programs or own.cascades or own.switches:
        raise UsageError(
            "buffers, locks, streams, cascades and DMA programs of their own are executed (goldbeat objfifo exec), "
            "not planned"
        )
    if own.parameters:
        names = ", ".join(one.name for one in own.parameters)
        raise UsageError(f"scratchpad parameters ({names}) are executed (goldbeat objfifo exec), not planned")
    if found.runtime is not None and found.runtime.scalars:
        names = ", ".join(one.name for one in found.runtime.scalars)
        raise UsageError(f"a sequence with numbers ({names}) is executed (goldbeat objfifo exec), not planned")
    if found.runtime is not None:
        found.runtime.declare()
        return replace(found.design, **transfers_of([found.runtime]))
    if found.scope is not None and found.sequence is not None:
        where = found.scope
        where.hosts, where.transfers, where.live, where.waited = [], [], False, False
        with entered(where):
            runtime_sequence(*found.types)(found.sequence)
        where.live = True
        return replace(found.design, hosts=list(where.hosts), transfers=list(where.transfers))
    return found.design


def script_sequence(*types: Any, **more: Any) -> Callable[[Callable[..., Any]], None]:
    """``@runtime_sequence``: kept for the run, or declared at once where nothing is executed."""
    only_harmless("runtime_sequence", more, ("sym_name",))

    def take(body: Callable[..., Any]) -> None:
        if scope().live:
            explicit().sequence = (types, body)
        else:
            runtime_sequence(*types)(body)

    return take


# -- the level without tiles ----------------------------------------------------------------------------------------------


class ScriptAnyTile(AnyTile):
    """Any tile of a kind; known after placement."""

    def __init__(self, kind: TileKind) -> None:
        super().__init__(kind)
        self.placed: Tile | None = None

    def copy(self) -> ScriptAnyTile:
        """Another one."""
        return ScriptAnyTile(self.kind)

    @property
    def op(self) -> Tile:
        """The tile; the first one of its kind where nothing placed it."""
        rows = {TileKind.SHIM: 0, TileKind.MEM: 1, TileKind.CORE: 2}
        return self.placed or Tile(0, rows[self.kind], self.kind)


ANY_TILES = {"AnyComputeTile": TileKind.CORE, "AnyMemTile": TileKind.MEM, "AnyShimTile": TileKind.SHIM}
"""Names of tiles without a place; each script gets objects of its own."""


def tile_or_any(col: int | None = None, row: int | None = None, *_: Any, tile_type: Any = None, **more: Any) -> Any:
    """``Tile``: the one at a place, or any of a kind."""
    only_harmless("Tile", more, ("allocation_scheme",))
    if col is None or row is None:
        text = enum_text(tile_type)
        kind = TileKind.SHIM if "Shim" in text else TileKind.MEM if "Mem" in text else TileKind.CORE
        return ScriptAnyTile(kind)
    return tile(col, row)


class ScriptWorker(Worker):
    """A worker that may have buffers, locks and users' own parts among its arguments."""

    def __init__(
        self,
        core_fn: Any,
        fn_args: Any = None,
        tile: Any = None,
        while_true: bool = True,
        *,
        placement: Any = None,
        **more: Any,
    ) -> None:
        super().__init__(core_fn, fn_args or [], placement, while_true, tile=tile, **more)
        self.wished = tile or placement
        self.barriers = [arg.lock() for arg in flat(self.fn_args) if isinstance(arg, WorkerBarrier)]

    @staticmethod
    def grid(rows: int, cols: int, factory: Callable[[int, int], ScriptWorker]) -> list[list[ScriptWorker]]:
        """Workers by row and column, each made by a function of both."""
        return [[factory(row, column) for column in range(cols)] for row in range(rows)]

    def adopt(self) -> None:
        """After placement: give the arguments their tile."""
        for lock in self.barriers:
            lock.tile = self.tile
        if isinstance(self.wished, ScriptAnyTile):
            self.wished.placed = self.tile
        for arg in flat(self.fn_args):
            if isinstance(arg, ScriptBuffer | ScriptLock):
                arg.tile = arg.tile or self.tile
            elif isinstance(arg, WorkerBarrier):
                continue
            elif hasattr(arg, "resolve") and not isinstance(arg, type):
                arg.resolve()


def flat(values: Sequence[Any]) -> list[Any]:
    """Lists inside lists as one."""
    found: list[Any] = []
    for value in values:
        found += flat(value) if isinstance(value, list | tuple) else [value]
    return found


class ScriptProgram(Program):
    """A program with explicit parts; what it resolves to is executed."""

    def resolve_program(self, placer: Any = None, device_name: str = "main", **_: Any) -> ResolvedModule:
        """Place everything."""
        found = explicit()
        found.device_name = device_name
        module = super().resolve_program(placer)
        rt, workers = scope().programs[-1]
        for worker in workers:
            if isinstance(worker, ScriptWorker):
                worker.adopt()
        found.flows += rt.flows
        found.programs += [one.program() for one in rt.tile_dmas]
        place_open_tiles(found, module.design.device, [w.tile for w in workers])
        types: list[Any] = [*(data.obj for data in rt.data), *rt.scalars]
        declarations().designs.append(Declared(module.design, found, types, _sequence(rt), runtime=rt))
        return module

    def enable_trace(self, *_: Any, **__: Any) -> None:
        """Traces are not executed."""


def place_open_tiles(found: Explicit, device: Device, taken: Sequence[Any]) -> None:
    """Give cores without a place, among explicit parts, one each; other tiles without a place are the first of their kind.

    Raises:
        UsageError: no core is left.
    """
    named = [f.source[0] for f in found.flows] + [end[0] for f in found.flows for end in f.dests]
    named += [b.tile for b in found.buffers] + [k.tile for k in found.locks] + [p.tile for p in found.programs]
    used = {t for t in (*taken, *named) if isinstance(t, Tile)}
    used |= {t.placed for t in named if isinstance(t, ScriptAnyTile) and t.placed is not None}
    free = (t for c in range(min(device.columns, 8)) for r in range(1 + device.mem_rows, device.rows)
            if (t := device.tile(c, r)) not in used)  # fmt: skip
    for one in named:
        if isinstance(one, ScriptAnyTile) and one.kind is TileKind.CORE and one.placed is None:
            one.placed = next(free, None)
            if one.placed is None:
                raise UsageError(f"{device.name} has no core left for a tile without a place")


def _sequence(rt: Any) -> Callable[..., Any]:
    """A runtime's sequence as a function of the host's arrays."""

    def run(*given: Any) -> None:
        arrays: list[HostArray] = [*given[: len(rt.data)]]
        names: dict[str, Any] = {array.name: array for array in arrays}
        numbers = dict(zip(rt.scalars, given[len(rt.data) :], strict=True))

        def argument(one: Any) -> Any:
            if isinstance(one, list):
                return [argument(inner) for inner in one]
            if isinstance(one, RuntimeScalar):
                return numbers[one]
            return names[one.name] if isinstance(one, RuntimeData) else one

        taker = LiveTransfers(host_now())
        with transfers_to(taker):
            if rt.function is not None:
                frozen(rt.function)(*[argument(one) for one in rt.arguments])
            for event in rt.events if rt.function is None else ():
                if callable(event):
                    event()
                elif hasattr(event, "handle"):
                    array = names[event.data.name]
                    taker.transfer(event.handle, array, event.tap, event.wait, event.group, where=event.where)
                else:
                    taker.finish(event)
            taker.finish(None)

    if rt.function is None and not rt.data:
        raise UsageError("a Runtime without a sequence")
    return run
