# SPDX-License-Identifier: Apache-2.0
"""The encoder: columns of fields become bytes, so that decoding them gives the columns back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.tpu.streams.tables import LINE, CommandField, CommandForm, EngineTable

Values = npt.ArrayLike | int


def _column(value: Values, n: int, what: str, width: int) -> npt.NDArray[np.uint64]:
    array = np.asarray(value)
    if array.dtype == object or array.dtype.kind not in "biu":
        # Python integers of 64 bits, or something that is no integer at all.
        wide = [int(v) for v in np.atleast_1d(np.asarray(value, dtype=object)).tolist()]
        if any(v < 0 or v >> width for v in wide):
            raise UsageError(f"{what}: found a value that does not fit, expected 0..{(1 << width) - 1}")
        array = np.array(wide, np.uint64).reshape(array.shape)
    if array.shape not in ((), (n,)):
        raise UsageError(f"{what}: found a column of shape {array.shape}, expected ({n},)")
    if array.size and (int(array.min()) < 0 or int(array.max()) >> width):
        bad = int(array.min()) if int(array.min()) < 0 else int(array.max())
        raise UsageError(f"{what}: found {bad}, expected 0..{(1 << width) - 1}")
    return np.broadcast_to(array.astype(np.uint64), (n,))


def _put(words: npt.NDArray[np.uint64], bit: int, width: int, value: npt.NDArray[np.uint64]) -> None:
    """Overwrite bits of (n, words); value (n,)."""
    word, shift = divmod(bit, 64)
    mask = (1 << width) - 1
    words[:, word] = words[:, word] & np.uint64(~(mask << shift) & (1 << 64) - 1) | value << np.uint64(shift)
    if shift + width > 64:
        words[:, word + 1] = words[:, word + 1] & np.uint64(
            ~(mask >> (64 - shift)) & (1 << 64) - 1
        ) | value >> np.uint64(64 - shift)


def encode_commands(
    engine: EngineTable,
    kind: CommandForm,
    fields: Mapping[str, Values] | None = None,
    *,
    n: int | None = None,
    func: Values | None = None,
    id: Values | None = None,  # noqa: A002 - the field's own name
    dep: Values | None = None,
) -> npt.NDArray[np.uint8]:
    """Encode n commands of one form.

    Args:
        engine: whose form it is.
        kind: the form; short bit and type of the head come from it.
        fields: by name, columns of (n,) or one number for all; what is not named is 0.
        n: how many commands, if no column says it.
        func: the head's func, unless ``fields`` hold it; the form's lowest otherwise.
        id: the head's id, where the head has one.
        dep: the id of the other engine to wait for, 0 for none; sets the enable bit too, where there is one.

    Returns:
        (n, bytes) uint8.

    Raises:
        UsageError: a field that is not there, a value that does not fit, a func that the form has not.
    """
    given = dict(fields or {})
    n = _rows(f"{engine.name} {kind.name}", [*given.items(), ("func", func), ("id", id), ("dep", dep)], n)
    words = np.zeros((n, -(-kind.bytes // 8)), np.uint64)
    placed: list[CommandField] = []
    for name, value in given.items():
        if name not in kind.by_name:
            raise UsageError(f"{engine.chip} {kind.name} has no field {name!r}; there are {', '.join(kind.by_name)}")
        one = kind.by_name[name]
        _put(words, one.bit, one.width, _column(value, n, f"{kind.name}.{name}", one.width))
        placed.append(one)

    def said(bit: int, width: int) -> bool:
        return any(one.bit < bit + width and bit < one.end for one in placed)

    head = engine.head
    for item, fixed in (("short", kind.short), ("type", kind.type)):
        if item in head and fixed is not None and not said(*head[item]):
            _put(words, *head[item], np.full(n, fixed, np.uint64))
    if "func" in head:
        bit, width = head["func"]
        width = width if kind.func_bits is None else kind.func_bits
        if func is not None or not said(bit, width):
            value = kind.default_func() if func is None else func
            _put(words, bit, width, _column(value, n, f"{kind.name} func", width))
    if id is not None:
        if "id" not in head or not kind.has_id:
            raise UsageError(f"{engine.chip} {engine.name} {kind.name} has no id in its head: it is counted")
        _put(words, *head["id"], _column(id, n, f"{kind.name} id", head["id"][1]))
    if dep is not None:
        _put_dep(engine, kind, words, dep)
    _check_key(engine, kind, words)
    return np.ascontiguousarray(words).view(np.uint8).reshape(n, 8 * words.shape[1])[:, : kind.bytes]


def _put_dep(engine: EngineTable, kind: CommandForm, words: npt.NDArray[np.uint64], dep: Values) -> None:
    """The id to wait for, and the bit that says so."""
    head = engine.head
    wanted = _column(dep, len(words), f"{kind.name} dep", head["dep"][1] if "dep" in head else 64)
    if "dep" in head and kind.has_dep:
        _put(words, *head["dep"], wanted)
        if "dep_enable" in head:
            _put(words, *head["dep_enable"], (wanted > 0).astype(np.uint64))
    elif wanted.any():
        raise UsageError(f"{engine.chip} {engine.name} {kind.name} cannot wait: its head has no dependency")


def _rows(what: str, columns: Iterable[tuple[str, Values | None]], n: int | None) -> int:
    """How many commands the columns make."""
    for name, value in columns:
        shape = () if value is None else np.shape(value)
        if shape:
            n = shape[0] if n is None else n
            if shape != (n,):
                raise UsageError(f"{what} {name}: found a column of shape {shape}, expected ({n},)")
    return 1 if n is None else n


def _check_key(engine: EngineTable, kind: CommandForm, words: npt.NDArray[np.uint64]) -> None:
    if not engine.head or not len(words):
        return
    low = words[:, 0]
    high = words[:, 1] if words.shape[1] > 1 else low
    found = engine.lookup[engine.key(low, high)]
    bad = np.flatnonzero(found != kind.index)
    if len(bad):
        row = int(bad[0])
        func = int(engine.item("func", low[row : row + 1], high[row : row + 1])[0])
        raise UsageError(
            f"{engine.chip} {engine.name} {kind.name}: found a head with func {func} that another form or none has, "
            f"expected type {kind.type}, short {kind.short}, func one of {sorted(f for f in kind.ops if f >= 0)}"
        )


class Templates:
    """Single commands that say no more than operation, id and dependency, as integers (byte 0 lowest).

    Args:
        engine: whose commands.
    """

    def __init__(self, engine: EngineTable) -> None:
        self._engine = engine
        self._known: dict[tuple[int, int], int] = {}

    def value(self, kind: CommandForm, func: int, number: int | None = None, dep: int = 0) -> int:
        """The command.

        Args:
            kind: its form.
            func: its operation.
            number: the id, where the head has one.
            dep: the id waited for, 0 for none.
        """
        head = self._engine.head
        if (kind.index, func) not in self._known:
            raw = encode_commands(self._engine, kind, func=func if "func" in head else None)[0]
            self._known[(kind.index, func)] = int.from_bytes(raw.tobytes(), "little")
        value = self._known[(kind.index, func)]
        if number is not None:
            value |= self._item(kind, "id", number)
        if dep:
            if "dep" not in head or not kind.has_dep:
                raise UsageError(
                    f"{self._engine.chip} {self._engine.name} {kind.name} cannot wait: its head has no dependency"
                )
            value |= self._item(kind, "dep", dep)
            if "dep_enable" in head:
                value |= 1 << head["dep_enable"][0]
        return value

    def _item(self, kind: CommandForm, item: str, number: int) -> int:
        bit, width = self._engine.head[item]
        if number >> width:
            raise UsageError(f"{kind.name} {item}: found {number}, expected 0..{(1 << width) - 1}")
        return number << bit


def end_command(engine: EngineTable) -> bytes:
    """The END command, empty for engines without."""
    if engine.end is None:
        return b""
    kind, func = engine.end
    return encode_commands(engine, kind, func=func).tobytes()


def padded(engine: EngineTable, body: bytes) -> bytes:
    """A stream that ends as the engine wants it: END where there is one, zeros up to a whole line."""
    body += end_command(engine)
    return body + bytes(-len(body) % LINE) if engine.end is not None else body


def interleave(parts: Sequence[tuple[npt.NDArray[np.int64], npt.NDArray[np.uint8]]]) -> npt.NDArray[np.uint8]:
    """Put commands of several forms into one stream.

    Args:
        parts: a (n,) array of places and the (n, bytes) commands for them, for each form; the places of all together
            are 0, 1, 2, ...

    Returns:
        (bytes,) uint8.
    """
    total = sum(len(place) for place, _ in parts)
    length = np.zeros(total, np.int64)
    for place, commands in parts:
        length[place] = commands.shape[1]
    if total and (length == 0).any():
        raise UsageError(f"places of {total} commands that are not 0..{total - 1}, each once")
    offset = np.concatenate([[0], np.cumsum(length)])
    stream = np.zeros(int(offset[-1]), np.uint8)
    for place, commands in parts:
        size = commands.shape[1]
        # Views of 4-byte words: all lengths are multiples of 4, and so the scatter is four times shorter.
        source = np.ascontiguousarray(commands).view("<u4")
        target = stream.view("<u4")
        for word in range(size // 4):
            target[(offset[place] >> 2) + word] = source[:, word]
    return stream
