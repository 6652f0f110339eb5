# SPDX-License-Identifier: Apache-2.0
"""Twenty designs that hang, each with a near miss that does not.

``CASES`` maps a name to a builder; called with True it makes the design that hangs, with False the near miss. ``LAX``
are those that strict planning refuses. ``LOCKS`` names a lock that somebody waits for in the hang.
"""

from objfifo_designs import CONSUME, FAR, MEM, PRODUCE, SHIM, C, join, make, moves, one, program, ty

from goldbeat.pymodels.objfifo.iron.placed import object_fifo, object_fifo_link


def _diamond(hang):
    """Two ways to one core, one of them through a core that needs two objects first."""
    a, b, c = FAR[:3]
    both = object_fifo("both", a, [b, c], [1, 2, 1 if hang else 2], ty(64))
    late = object_fifo("late", b, c, 1, ty(64))
    program(a, *one(both, PRODUCE), times=8)
    program(b, (both, CONSUME, 2), (late, PRODUCE, 1), (both, CONSUME, -2), (late, PRODUCE, -1), times=4)
    program(c, *one(late, CONSUME), *one(both, CONSUME, 2), times=4)


def _crossed(hang):
    """Two cores that both wait for the other one first."""
    x = object_fifo("x", C[0], C[1], 2, ty(8))
    y = object_fifo("y", C[1], C[0], 2, ty(8))
    first = [*one(y, CONSUME), *one(x, PRODUCE)]
    program(C[0], *(first if hang else [*one(x, PRODUCE), *one(y, CONSUME)]), times=4)
    program(C[1], *one(x, CONSUME), *one(y, PRODUCE), times=4)


def _deep_acquire(hang):
    """A consumer that wants more at once than there is room for."""
    x = object_fifo("x", FAR[0], FAR[1], [1, 2 if hang else 3], ty(8))
    program(FAR[0], *one(x, PRODUCE), times=6)
    program(FAR[1], (x, CONSUME, 3), (x, CONSUME, -3), times=2)


def _deep_produce(hang):
    """A producer that wants two places of one."""
    x = object_fifo("x", FAR[0], FAR[1], [1 if hang else 2, 1], ty(8))
    program(FAR[0], (x, PRODUCE, 2), (x, PRODUCE, -2), times=3)
    program(FAR[1], *one(x, CONSUME), times=6)


def _never_released(hang):
    """A consumer that keeps one of the objects it got."""
    x, y = object_fifo("x", C[0], C[1], 2, ty(8)), object_fifo("y", C[0], C[1], 1, ty(8))
    program(C[0], *one(x, PRODUCE, 4), *one(y, PRODUCE))
    program(C[1], (x, CONSUME, 2), (x, CONSUME, -1), *([] if hang else [(x, CONSUME, -1)]), *one(y, CONSUME), times=1)


def _too_few(hang):
    """A consumer that waits for a fifth object of four."""
    x = object_fifo("x", C[0], C[1], 2, ty(8))
    program(C[0], *one(x, PRODUCE), times=4 if hang else 5)
    program(C[1], *one(x, CONSUME), times=5)


def _too_many(hang):
    """A producer with more objects than are ever taken and fit."""
    x = object_fifo("x", C[0], C[1], 2, ty(8))
    program(C[0], *one(x, PRODUCE), times=6 if hang else 5)
    program(C[1], *one(x, CONSUME), times=3)


def _long_drain(hang):
    """The host waits for three objects of two."""
    x = object_fifo("x", C[0], SHIM, 2, ty(8))
    program(C[0], *one(x, PRODUCE), times=2 if hang else 3)
    moves((x, 24))


def _short_fill(hang):
    """Two results need six objects, the host sends four."""
    x, y = object_fifo("x", SHIM, C[0], 3, ty(8)), object_fifo("y", C[0], SHIM, 2, ty(8))
    steps = [(x, CONSUME, 3), (y, PRODUCE, 1), (x, CONSUME, -3), (y, PRODUCE, -1)]
    program(C[0], *steps, times=2)
    moves((x, 32 if hang else 48), (y, 16))


def _uneven_join(hang):
    """One leg of a join ends early."""
    whole, legs = join([16, 16])
    program(FAR[0], *one(legs[0], PRODUCE), times=2)
    program(FAR[1], *one(legs[1], PRODUCE), times=1 if hang else 2)
    moves((whole, 64))


def _idle_leg(hang):
    """One leg of a distribute stops taking its part."""
    whole = object_fifo("whole", SHIM, MEM, 2, ty(128))
    legs = [object_fifo(f"leg{i}", MEM, FAR[i], 2, ty(64)) for i in range(2)]
    object_fifo_link(whole, legs, [], [0, 64])
    program(FAR[0], *one(legs[0], CONSUME), times=8)
    program(FAR[1], *one(legs[1], CONSUME), times=1 if hang else 8)
    moves((whole, 8 * 128))


def _repeat_mismatch(hang):
    """One input comes twice, the other once."""
    a, b = object_fifo("a", SHIM, MEM, 2, ty(8)), object_fifo("b", MEM, C[0], 2, ty(8))
    object_fifo_link(a, b)
    b.set_repeat_count(2)
    other, out = object_fifo("other", SHIM, C[0], 2, ty(8)), object_fifo("out", C[0], SHIM, 2, ty(8))
    steps = [(b, CONSUME, 1), (other, CONSUME, 1), (out, PRODUCE, 1)]
    steps += [(f, p, -n) for f, p, n in steps]
    program(C[0], *steps, times=8)
    moves((a, 32), (other, 32 if hang else 64), (out, 64))


def _iterations(hang):
    """A ring that is run twice where three rounds are waited for."""
    a = object_fifo("a", FAR[0], MEM, 2, ty(8))
    b = object_fifo("b", MEM, FAR[1], 2, ty(8), iter_count=2 if hang else 3)
    object_fifo_link(a, b)
    program(FAR[0], *one(a, PRODUCE), times=6)
    program(FAR[1], *one(b, CONSUME), times=6)


def _split_order(hang):
    """A core that empties one leg before it looks at the other."""
    whole = object_fifo("whole", SHIM, MEM, 2, ty(128))
    x, y = object_fifo("x", MEM, FAR[0], 2, ty(64)), object_fifo("y", MEM, FAR[0], 2, ty(64))
    object_fifo_link(whole, [x, y], [], [0, 64])
    n = 6 if hang else 5
    program(FAR[0], *one(x, CONSUME, n), *one(y, CONSUME, n))
    moves((whole, n * 128))


def _join_order(hang):
    """A core that fills one leg of a join before the other."""
    whole = object_fifo("whole", MEM, SHIM, 2, ty(128))
    x, y = object_fifo("x", FAR[0], MEM, 2, ty(64)), object_fifo("y", FAR[0], MEM, 2, ty(64))
    object_fifo_link([x, y], whole, [0, 64], [])
    n = 6 if hang else 5
    program(FAR[0], *one(x, PRODUCE, n), *one(y, PRODUCE, n))
    moves((whole, n * 128))


def _own_fifo(hang):
    """A core that puts two objects into its own fifo before it takes one."""
    x = object_fifo("x", C[0], C[0], 1 if hang else 2, ty(8))
    program(C[0], *one(x, PRODUCE, 2), *one(x, CONSUME, 2), times=3)


def _ring(hang):
    """Three cores in a ring, and nothing in it to begin with."""
    start = None if hang else [[1] * 8, [2] * 8]
    fifos = [
        object_fifo(f"r{i}", FAR[i], FAR[(i + 1) % 3], 2, ty(8), initValues=start if i == 2 else None) for i in range(3)
    ]
    for i in range(3):
        program(FAR[i], *one(fifos[i - 1], CONSUME), *one(fifos[i], PRODUCE), times=4)


def _batches(hang):
    """A producer in batches, a consumer in turns."""
    x = object_fifo("x", C[0], C[1], 2 if hang else 3, ty(8))
    y = object_fifo("y", C[0], C[1], 2, ty(8))
    program(C[0], *one(x, PRODUCE, 4), *one(y, PRODUCE, 4))
    program(C[1], *one(x, CONSUME), *one(y, CONSUME), times=4)


def _broadcast(hang):
    """One consumer of a broadcast leaves."""
    x = object_fifo("x", FAR[0], FAR[1:3], 2, ty(64))
    program(FAR[0], *one(x, PRODUCE), times=8)
    program(FAR[1], *one(x, CONSUME), times=8)
    program(FAR[2], *one(x, CONSUME), times=1 if hang else 8)


def _rechunk(hang):
    """Four small objects come of a large one, six are wanted."""
    a, b = object_fifo("a", SHIM, MEM, 2, ty(256)), object_fifo("b", MEM, FAR[0], 2, ty(64))
    object_fifo_link(a, b)
    program(FAR[0], *one(b, CONSUME), times=6)
    moves((a, 256 if hang else 512))


_BUILDERS = {
    "diamond": (_diamond, "both_1_cons_prod_lock_0"),
    "crossed": (_crossed, "y_cons_lock_0"),
    "deep_acquire": (_deep_acquire, "x_cons_cons_lock_0"),
    "deep_produce": (_deep_produce, "x_prod_lock_0"),
    "never_released": (_never_released, "x_prod_lock_0"),
    "too_few": (_too_few, "x_cons_lock_0"),
    "too_many": (_too_many, "x_prod_lock_0"),
    "long_drain": (_long_drain, "x_cons_lock_0"),
    "short_fill": (_short_fill, "x_cons_cons_lock_0"),
    "uneven_join": (_uneven_join, "out_cons_lock_1"),
    "idle_leg": (_idle_leg, "leg1_cons_prod_lock_0"),
    "repeat_mismatch": (_repeat_mismatch, "other_cons_cons_lock_0"),
    "iterations": (_iterations, "b_cons_cons_lock_0"),
    "split_order": (_split_order, "x_cons_cons_lock_0"),
    "join_order": (_join_order, "x_prod_lock_0"),
    "own_fifo": (_own_fifo, "x_prod_lock_0"),
    "ring": (_ring, "r2_cons_cons_lock_0"),
    "batches": (_batches, "x_prod_lock_0"),
    "broadcast": (_broadcast, "x_1_cons_prod_lock_0"),
    "rechunk": (_rechunk, "b_cons_cons_lock_0"),
}
CASES = {name: (lambda hang, build=build: make(build, hang)) for name, (build, _) in _BUILDERS.items()}
LOCKS = {name: lock for name, (_, lock) in _BUILDERS.items()}
LAX = frozenset({"deep_acquire", "deep_produce"})
"""Refused by the rule ``acquire-depth`` unless planned with ``strict=False``."""
STORAGE = {"diamond": 64, "idle_leg": 128, "split_order": 64, "join_order": 64, "broadcast": 320}
"""Words that every stream would have to hold under way for the design to complete; far more than a switch does."""
