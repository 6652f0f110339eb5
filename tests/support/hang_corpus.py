# SPDX-License-Identifier: Apache-2.0
"""A hundred hangs and more, each with one planted mistake, and the same designs without it.

Every family is a function of ``hang`` and of sizes. What was planted is written beside it: the cause that must be named
first, or among the changes that end it, and the fifo, core, lock or channel that it is about.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from hangs import CASES, LAX
from objfifo_designs import CONSUME, FAR, MEM, PRODUCE, SHIM, C, make, moves, one, program, ty
from objfifo_texts import LOWERED_MLIR, plus_one

from goldbeat.pymodels.objfifo.iron.placed import object_fifo, object_fifo_link
from goldbeat.pymodels.objfifo.mlir_exec.text_design import text_design
from goldbeat.pymodels.objfifo.plan.design import FifoDesign
from goldbeat.pymodels.objfifo.plan.tile import Tile, TileKind


@dataclass(frozen=True)
class Planted:
    """A design with a mistake, and without it.

    Attributes:
        build: with True the design that hangs, with False the near miss.
        kinds: the cause, or kinds of changes that end it, one of which must be named.
        where: a part of a name that the cause or such a change must have.
        lax: planned without the rules that upstream does not check.
    """

    build: Callable[[bool], FifoDesign]
    kinds: frozenset[str]
    where: str
    lax: bool = False


def _pair(name: str, depth: Any, words: int, near: bool = False) -> Any:
    ends = (C[0], C[1]) if near else (FAR[0], FAR[1])
    return object_fifo(name, *ends, depth, ty(words))


def _shallow_lag(hang: bool, lag: int, words: int) -> None:
    """A second way needs ``lag`` objects before it gives its first."""
    a, b, c = FAR[:3]
    both = object_fifo("both", a, [b, c], [1, lag, lag - 1 if hang else lag], ty(words))
    late = object_fifo("late", b, c, 1, ty(words))
    program(a, *one(both, PRODUCE), times=4 * lag)
    program(b, (both, CONSUME, lag), (late, PRODUCE, 1), (both, CONSUME, -lag), (late, PRODUCE, -1), times=4)
    program(c, *one(late, CONSUME), *one(both, CONSUME, lag), times=4)


def _wrong_order(hang: bool, near: bool, words: int, count: int) -> None:
    """Two cores of which both take first."""
    ends = (C[0], C[1]) if near else (FAR[0], FAR[1])
    x, y = object_fifo("x", *ends, 2, ty(words)), object_fifo("y", *reversed(ends), 2, ty(words))
    first = [*one(y, CONSUME), *one(x, PRODUCE)]
    program(ends[0], *(first if hang else [*one(x, PRODUCE), *one(y, CONSUME)]), times=count)
    program(ends[1], *one(x, CONSUME), *one(y, PRODUCE), times=count)


def _cyclic_cores(hang: bool, cores: int, near: bool) -> None:
    """Cores in a ring of fifos that are all empty."""
    tiles = (C if near else FAR)[:cores]
    fifos = [
        object_fifo(
            f"r{i}",
            tiles[i],
            tiles[(i + 1) % cores],
            2,
            ty(8),
            initValues=None if hang or i < cores - 1 else [[1] * 8, [2] * 8],
        )
        for i in range(cores)
    ]
    for i in range(cores):
        program(tiles[i], *one(fifos[i - 1], CONSUME), *one(fifos[i], PRODUCE), times=3)


def _acquire_many(hang: bool, depth: int, more: int, produce: bool) -> None:
    """One side wants more objects at once than its pool has."""
    wanted = depth + more
    deep = depth if hang else wanted
    x = object_fifo("x", FAR[0], FAR[1], [deep, 1] if produce else [1, deep], ty(8))
    if produce:
        program(FAR[0], (x, PRODUCE, wanted), (x, PRODUCE, -wanted), times=2)
        program(FAR[1], *one(x, CONSUME), times=2 * wanted)
    else:
        program(FAR[0], *one(x, PRODUCE), times=2 * wanted)
        program(FAR[1], (x, CONSUME, wanted), (x, CONSUME, -wanted), times=2)


def _keeps(hang: bool, window: int, kept: int, near: bool) -> None:
    """A consumer keeps some of its window, and waits for another fifo behind it."""
    x, y = _pair("x", [window, window], 8, near), _pair("y", 1, 8, near)
    tiles = (C[0], C[1]) if near else (FAR[0], FAR[1])
    # As many more as there is room for at the producer, on the way, and at the consumer.
    more = window if near else 2 * window
    program(tiles[0], *one(x, PRODUCE, window + more), *one(y, PRODUCE))
    give = window - kept if hang else window
    steps = [(x, CONSUME, window), *([(x, CONSUME, -give)] if give else []), *one(y, CONSUME)]
    program(tiles[1], *steps)


def _ends_early(hang: bool, needed: int, missing: int, near: bool) -> None:
    """A producer that ends before its consumer has enough."""
    x = _pair("x", 2, 8, near)
    tiles = (C[0], C[1]) if near else (FAR[0], FAR[1])
    program(tiles[0], *one(x, PRODUCE), times=needed - missing if hang else needed)
    program(tiles[1], *one(x, CONSUME), times=needed)


def _leaves_early(hang: bool, given: int, depth: int) -> None:
    """A consumer that ends while its producer still has objects and no room."""
    x = _pair("x", depth, 8, near=True)
    program(C[0], *one(x, PRODUCE), times=given)
    program(C[1], *one(x, CONSUME), times=given - depth - 1 if hang else given - depth)


def _long_drain(hang: bool, objects: int, words: int) -> None:
    """A drain that asks for an object more than a core makes."""
    x = object_fifo("x", C[0], SHIM, 2, ty(words))
    program(C[0], *one(x, PRODUCE), times=objects)
    moves((x, words * (objects + 1 if hang else objects)))


def _short_host(hang: bool, window: int, results: int) -> None:
    """Data of the host that end inside of the last result's window."""
    x, y = object_fifo("x", SHIM, C[0], window, ty(8)), object_fifo("y", C[0], SHIM, 2, ty(8))
    steps = [(x, CONSUME, window), (y, PRODUCE, 1), (x, CONSUME, -window), (y, PRODUCE, -1)]
    program(C[0], *steps, times=results)
    moves((x, 8 * (window * results - (1 if hang else 0))), (y, 8 * results))


def _never_filled(hang: bool, words: int, near: bool) -> None:
    """A core needs two inputs, the host's sequence starts one of them."""
    tile = C[0] if near else FAR[1]
    a, b = object_fifo("a", SHIM, tile, 2, ty(words)), object_fifo("b", SHIM, tile, 2, ty(words))
    out = object_fifo("out", tile, SHIM, 2, ty(words))
    program(tile, (a, CONSUME, 1), (b, CONSUME, 1), (out, PRODUCE, 1), (a, CONSUME, -1), (b, CONSUME, -1),
            (out, PRODUCE, -1), times=4)  # fmt: skip
    moves((a, 4 * words), *(() if hang else ((b, 4 * words),)), (out, 4 * words))


def _slow_broadcast(hang: bool, consumers: int, taken: int) -> None:
    """One consumer of a broadcast stops taking."""
    x = object_fifo("x", FAR[0], FAR[1 : 1 + consumers], 2, ty(16))
    program(FAR[0], *one(x, PRODUCE), times=10)
    for n in range(consumers):
        program(FAR[1 + n], *one(x, CONSUME), times=taken if hang and n == consumers - 1 else 10)


def _leg_order(hang: bool, words: int, legs: int, split: bool) -> None:
    """A core that is done with one leg before it begins with the next."""
    ends = (SHIM, MEM) if split else (MEM, SHIM)
    whole = object_fifo("whole", *ends, 2, ty(words * legs))
    mine = [object_fifo(f"leg{i}", *((MEM, FAR[0]) if split else (FAR[0], MEM)), 2, ty(words)) for i in range(legs)]
    offsets = [words * i for i in range(legs)]
    object_fifo_link(*((whole, mine, [], offsets) if split else (mine, whole, offsets, [])))
    port, n = (CONSUME if split else PRODUCE), 8
    if hang:
        program(FAR[0], *[step for leg in mine for step in one(leg, port, n)])
    else:
        program(FAR[0], *[step for leg in mine for step in one(leg, port)], times=n)
    moves((whole, n * words * legs))


def _join_leg_ends(hang: bool, legs: int, missing: int) -> None:
    """One leg of a join ends early."""
    whole = object_fifo("out", MEM, SHIM, 2, ty(8 * legs))
    mine = [object_fifo(f"out{i}", FAR[i], MEM, 2, ty(8)) for i in range(legs)]
    object_fifo_link(mine, whole, [8 * i for i in range(legs)], [])
    for i, leg in enumerate(mine):
        program(FAR[i], *one(leg, PRODUCE), times=6 - missing if hang and i == legs - 1 else 6)
    moves((whole, 6 * 8 * legs))


def _puts_before(hang: bool, objects: int) -> None:
    """A core that fills its own fifo before it takes."""
    x = object_fifo("x", C[0], C[0], objects - 1 if hang else objects, ty(8))
    program(C[0], *one(x, PRODUCE, objects), *one(x, CONSUME, objects), times=2)


def _few_iterations(hang: bool, rounds: int) -> None:
    """A memory tile's ring ends a round before its consumer."""
    a = object_fifo("a", FAR[0], MEM, 2, ty(8))
    b = object_fifo("b", MEM, FAR[1], 2, ty(8), iter_count=rounds - 1 if hang else rounds)
    object_fifo_link(a, b)
    program(FAR[0], *one(a, PRODUCE), times=2 * rounds)
    program(FAR[1], *one(b, CONSUME), times=2 * rounds)


def _sent_once(hang: bool, times: int) -> None:
    """Weights that the host sends once, and that a core takes for each of its objects."""
    w = object_fifo("w", SHIM, MEM, 1, ty(8))
    b = object_fifo("b", MEM, FAR[0], 1, ty(8), repeat_count=1 if hang else times)
    object_fifo_link(w, b)
    x = object_fifo("x", SHIM, FAR[0], 2, ty(8))
    program(FAR[0], *one(b, CONSUME), *one(x, CONSUME), times=times)
    moves((w, 8), (x, 8 * times))


def _rechunk_short(hang: bool, ratio: int, extra: int) -> None:
    """More small objects are taken than the host's large ones hold."""
    a = object_fifo("a", SHIM, MEM, 2, ty(16 * ratio))
    b = object_fifo("b", MEM, FAR[0], 2, ty(16))
    object_fifo_link(a, b)
    program(FAR[0], *one(b, CONSUME), times=ratio + extra)
    moves((a, 16 * ratio * (1 if hang else 2)))


_TILE = Tile(0, 2, TileKind.CORE)


def _lowered(hang: bool, changes: tuple[tuple[str, str], ...]) -> FifoDesign:
    text = LOWERED_MLIR
    for old, new in changes if hang else ():
        assert old in text, old
        text = text.replace(old, new)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "design.mlir"
        file.write_text(text)
        return text_design(file, {_TILE: plus_one})


_TEXT_CHANGES: dict[str, tuple[tuple[tuple[str, str], ...], set[str], str]] = {
    "bd_without_release": ((("aie.use_lock(%m_cons, Release, 1)", ""),), {"no-giver"}, "m_cons"),
    "bd_without_release_back": ((("aie.use_lock(%m_prod, Release, 1)", ""),), {"no-giver"}, "m_prod"),
    "one_bd_without_release": (
        (("%m1 : memref<16xi32>, 0, 16) {bd_id = 1 : i32, next_bd_id = 0 : i32}\n      aie.use_lock(%m_cons, Release, 1)",
          "%m1 : memref<16xi32>, 0, 16) {bd_id = 1 : i32, next_bd_id = 0 : i32}"),), {"no-giver"}, "m_cons"),
    "lock_starts_at_zero": ((("init = 2 : i32", "init = 0 : i32"),), {"circle"}, ""),
    "wants_too_many_units": (
        (("%m_cons, AcquireGreaterEqual, 1", "%m_cons, AcquireGreaterEqual, 9"),), {"acquire", "circle"}, "m"),
    "fill_is_short": ((("[1, 1, 1, %c64_i64]", "[1, 1, 1, 48]"),), {"host", "fill"}, "shim"),
    "drain_is_long": ((("%arg1 : memref<64xi32>, 0, 64, [<size = 1, stride = 0>, <size = 64, stride = 1>]",
                        "%arg1 : memref<72xi32>, 0, 72, [<size = 1, stride = 0>, <size = 72, stride = 1>]"),
                       ("%arg1: memref<64xi32>", "%arg1: memref<72xi32>")),
                      {"host", "fill", "drain"}, ""),
    "sends_less_than_is_wanted": ((("memref<16xi32>, 0, 16, [<size = 16, stride = 1>]", "memref<16xi32>, 0, 13"),),
                                  {"host", "fill", "drain"}, ""),
    "sender_never_started": ((("%1 = aie.dma_start(MM2S, 0, ^bb4, ^bb6)", "aie.end"),), {"not-started"}, ""),
    "receiver_never_started": ((("%0 = aie.dma_start(S2MM, 0, ^bb1, ^bb3)", "aie.end"),), {"not-started"}, ""),
}  # fmt: skip


def _planted(family: Callable[..., None], kinds: set[str], where: str, *sizes: tuple[Any, ...], lax: bool = False
             ) -> dict[str, Planted]:  # fmt: skip
    """A case for each set of sizes."""
    found = {}
    for size in sizes:
        name = "_".join([family.__name__.strip("_"), *(str(s).lower() for s in size)])
        found[name] = Planted(partial(_made, family, size), frozenset(kinds), where, lax)
    return found


def _made(family: Callable[..., None], size: tuple[Any, ...], hang: bool) -> FifoDesign:
    return make(family, hang, *size)


CORPUS: dict[str, Planted] = {
    **_planted(_shallow_lag, {"depth"}, "both", *((lag, words) for lag in (2, 3, 4) for words in (16, 40))),
    **_planted(_wrong_order, {"order"}, "core of tile", (True, 8, 4), (True, 16, 1), (True, 8, 9), (False, 8, 4),
               (False, 24, 1), (False, 8, 9)),
    **_planted(_cyclic_cores, {"initial"}, "r", (2, False), (3, False), (4, False), (5, False), (2, True), (3, True)),
    **_planted(_acquire_many, {"acquire"}, "x", (2, 1, False), (2, 3, False), (4, 1, False), (1, 2, False),
               (1, 1, True), (2, 2, True), lax=True),
    **_planted(_keeps, {"release"}, "core of tile", *((w, k, n) for w, k in ((2, 1), (3, 1), (3, 2), (4, 2))
                                                      for n in (True, False))),
    **_planted(_ends_early, {"core-ended"}, "core of tile", *((n, m, near) for n, m in ((5, 1), (9, 3), (20, 2))
                                                              for near in (True, False))),
    **_planted(_leaves_early, {"core-ended"}, "core of tile", (6, 1), (6, 2), (9, 3), (20, 2), (12, 4)),
    **_planted(_long_drain, {"drain"}, "x", (2, 8), (3, 16), (1, 8), (7, 24), (12, 8)),
    **_planted(_short_host, {"fill"}, "x", (1, 4), (2, 3), (3, 2), (3, 5), (4, 4), (5, 2)),
    **_planted(_never_filled, {"not-started"}, "b", (8, True), (24, True), (8, False), (40, False)),
    **_planted(_slow_broadcast, {"core-ended"}, "core of tile", (2, 1), (2, 4), (3, 1), (3, 3), (4, 2), (5, 1)),
    **_planted(_leg_order, {"order"}, "core of tile", *((words, legs, split) for words in (16, 40)
                                                        for legs in (2,) for split in (True, False))),
    **_planted(_join_leg_ends, {"core-ended"}, "core of tile", (2, 1), (2, 3), (3, 1), (4, 2), (5, 1)),
    **_planted(_puts_before, {"depth"}, "x", (2,), (3,), (4,), (6,)),
    **_planted(_few_iterations, {"iterations"}, "b", (2,), (3,), (5,), (9,)),
    **_planted(_sent_once, {"repeat"}, "b", (2,), (3,), (5,), (16,)),
    **_planted(_rechunk_short, {"fill"}, "a", (2, 1), (4, 2), (4, 4), (8, 3), (3, 1)),
}  # fmt: skip
for _name, (_changes, _kinds, _where) in _TEXT_CHANGES.items():
    CORPUS[f"lowered_{_name}"] = Planted(partial(_lowered, changes=_changes), frozenset(_kinds), _where)
_OLD = {
    "diamond": ("depth", "both"), "crossed": ("order", "core of"), "deep_acquire": ("acquire", "x"),
    "deep_produce": ("acquire", "x"), "never_released": ("release", "core of"), "too_few": ("core-ended", "core of"),
    "too_many": ("core-ended", "core of"), "long_drain": ("drain", "x"), "short_fill": ("fill", "x"),
    "uneven_join": ("core-ended", "core of"), "idle_leg": ("core-ended", "core of"), "repeat_mismatch": ("fill", "other"),
    "iterations": ("iterations", "b"), "split_order": ("order", "core of"), "join_order": ("order", "core of"),
    "own_fifo": ("depth", "x"), "ring": ("initial", "r"), "batches": ("depth", "x"), "broadcast": ("core-ended", "core of"),
    "rechunk": ("fill", "a"),
}  # fmt: skip
CORPUS |= {f"twenty_{n}": Planted(CASES[n], frozenset({kind}), where, n in LAX) for n, (kind, where) in _OLD.items()}
