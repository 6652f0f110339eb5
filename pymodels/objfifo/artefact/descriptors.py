# SPDX-License-Identifier: Apache-2.0
"""Buffer descriptors from their registers."""

from __future__ import annotations

from goldbeat.pymodels.objfifo.artefact import tile_registers as reg
from goldbeat.pymodels.objfifo.plan.plan import Bd, Dim, Iteration, LockUse, PacketHeader, Pad
from goldbeat.pymodels.objfifo.plan.tile import WORD_BYTES, Tile, TileKind

_OWN_WORDS = 0x20000
"""Words of a memory tile; a base counts from the tile to the west."""
_OWN_LOCKS = 64
EXECUTED = ("acquires a lock that equals", "compresses")
"""How those of them begin that an execution of the whole has."""


def read_bd(tile: Tile, number: int, words: tuple[int, ...]) -> tuple[Bd, tuple[str, ...]]:
    """A descriptor from its words, without its buffer's name, and what it asks for that a plan cannot say.

    The base of a shim's is its offset in the host's array.

    Args:
        tile: where it is; column 0 has no memory tile to its west.
        number: its id.
        words: 6 of a core tile, 8 of the others.
    """
    fields = {name: field.of(words) for name, field in reg.BD_FIELDS[tile.kind].items()}
    wrong: list[str] = []
    if not fields["valid"]:
        wrong.append("is not valid")
    if fields.get("compression"):
        wrong.append("compresses")
    if fields["length"] == 0:
        wrong.append("has no words")
    shim = tile.kind is TileKind.SHIM
    base = 0 if shim else fields["base"]
    if tile.kind is TileKind.MEM:
        base = _own(tile, base, _OWN_WORDS, "memory", wrong)
    padding = tuple(Pad(fields.get(f"before{d}", 0), fields.get(f"after{d}", 0)) for d in range(3))
    padded = any(p.before or p.after for p in padding)
    dims = _dims(tile, fields, padding)
    bd = Bd(
        id=number,
        buffer="",
        base_bytes=base * WORD_BYTES,
        length=fields["length"],
        dims=dims,
        iteration=_iteration(fields),
        padding=padding[: len(dims)] if padded else (),
        acquire=_acquire(tile, fields, wrong),
        release=_release(tile, fields, wrong),
        next=fields["next"] if fields["use_next"] else None,
        packet=PacketHeader(fields["packet_id"], fields["packet_type"]) if fields["packet"] else None,
        suppress_tlast=bool(fields["tlast_off"]),
    )
    return bd, tuple(wrong)


def _own(tile: Tile, number: int, count: int, what: str, wrong: list[str]) -> int:
    """The tile's own part of three neighbours' memory or locks."""
    if number < count:
        if tile.col:
            wrong.append(f"uses {what} of the memory tile to the west")
        return number
    if number >= 2 * count:
        wrong.append(f"uses {what} of the memory tile to the east")
        return number - 2 * count
    return number - count


def _acquire(tile: Tile, fields: dict[str, int], wrong: list[str]) -> LockUse | None:
    if not fields["acquire"]:
        return None
    value = reg.signed_value(fields["acquire_value"])
    if value > 0:
        wrong.append(f"acquires a lock that equals {value}")
    lock = _lock(tile, fields["acquire_lock"], wrong)
    return LockUse(lock, -value) if value < 0 else None


def _release(tile: Tile, fields: dict[str, int], wrong: list[str]) -> LockUse | None:
    value = reg.signed_value(fields["release_value"])
    if value < 0:
        wrong.append(f"releases a lock by {value}")
    return LockUse(_lock(tile, fields["release_lock"], wrong), value) if value > 0 else None


def _lock(tile: Tile, number: int, wrong: list[str]) -> int:
    return _own(tile, number, _OWN_LOCKS, "locks", wrong) if tile.kind is TileKind.MEM else number


def _iteration(fields: dict[str, int]) -> Iteration:
    if fields["iteration_wrap"] == 0:
        return Iteration()
    return Iteration(fields["iteration_wrap"] + 1, fields["iteration_step"] + 1, fields["iteration_current"])


def _dims(tile: Tile, fields: dict[str, int], padding: tuple[Pad, ...]) -> tuple[Dim, ...]:
    """The walk, innermost first: the dimension after the last wrap has no size, length ends it."""
    left, dims = fields["length"], []
    count = tile.limits.dims
    for number in range(count):
        step = fields[f"step{number}"] + 1
        wrap = fields.get(f"wrap{number}", 0)
        pad = padding[number] if number < len(padding) else Pad(0, 0)
        if number == count - 1 or wrap == 0:
            dims.append(Dim(max(1, left - pad.before - pad.after), step))
            break
        dims.append(Dim(wrap, step))
        left = -(-left // (wrap + pad.before + pad.after))
    padded = max((n + 1 for n, p in enumerate(padding) if p.before or p.after), default=0)
    while len(dims) > max(1, padded) and dims[-1].size == 1:
        dims.pop()
    if dims == [Dim(fields["length"], 1)]:
        dims = []
    return tuple(dims)
