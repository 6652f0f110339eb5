# SPDX-License-Identifier: Apache-2.0
"""The bit tables: which chip has which engines, which commands they take, and where every field lies.

All of it is data, in ``commands.json`` beside this module, which names its source and licence. A chip is added by a
table of the same form (docs/tpu.md); nothing here knows a chip by name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from os import PathLike
from pathlib import Path
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.json_file import read_json

GRANULE = 16
"""Commands begin at multiples of so many bytes."""
LINE = 128
"""Streams are fetched in lines of so many bytes; after an END the rest of the line is padding."""
MAX_COMMAND = 128
HEAD_ITEMS = ("short", "type", "func", "id", "dep", "dep_enable")
_FORMAT = 1


@dataclass(frozen=True)
class CommandField:
    """Bits ``bit`` to ``bit + width - 1`` of a command, bit 0 being the lowest bit of byte 0."""

    name: str
    bit: int
    width: int

    @property
    def end(self) -> int:
        """The bit behind it."""
        return self.bit + self.width


@dataclass(frozen=True)
class Message:
    """How a SEND or a WAIT says which message and how many: bits of one field."""

    func: int
    field: str
    id: tuple[int, int]
    count: tuple[int, int]


@dataclass(frozen=True, eq=False)
class CommandForm:
    """One form of command of one engine.

    Attributes:
        index: its number within the engine.
        name: the vendor's name of the form, such as ``sCONV``.
        fields: in the order of their bits, covering the command without gap or overlap.
        bytes: length.
        short: what the head's short bit (CV183X: the lookup flag) must be, None where it does not matter.
        type: what the head's type is.
        ops: operation names by the head's func; key -1 stands for all others.
        func_bits: width of func in this form, where it is narrower than in the head.
        has_dep, has_id: whether the head's dependency and id are there in this form.
    """

    index: int
    name: str
    fields: tuple[CommandField, ...]
    bytes: int
    short: int | None
    type: int
    ops: Mapping[int, str]
    func_bits: int | None = None
    has_dep: bool = True
    has_id: bool = True
    by_name: Mapping[str, CommandField] = field(default_factory=dict)

    def op(self, func: int) -> str:
        """The operation's name; with ``#func`` where the name alone does not tell."""
        if self.func_bits is not None:
            func &= (1 << self.func_bits) - 1
        if func not in self.ops:
            return f"{self.ops.get(-1, self.name)}#{func}"
        name = self.ops[func]
        twins = sum(other == name for known, other in self.ops.items() if known >= 0)
        return name if twins == 1 else f"{name}#{func}"

    def func_of(self, op: str) -> int | None:
        """The func that ``op`` names, None if it is not an operation of this form."""
        _, mark, number = op.rpartition("#")
        if mark and number.isdecimal():
            func = int(number)
            return func if self.op(func) == op else None
        return next((func for func, known in self.ops.items() if func >= 0 and known == op), None)

    def default_func(self) -> int:
        """The lowest func that there is."""
        return max(0, min(self.ops))


@dataclass(frozen=True, eq=False)
class EngineTable:
    """One engine of one chip: head, kinds, how a stream ends.

    Attributes:
        chip, name: whose it is; ``tiu``, ``gdma``, ``sdma``, ``hau`` or ``cdma``.
        head: (bit, width) of each head item that there is.
        kinds: all forms.
        end: the (kind, func) that ends a stream, None where nothing does.
        last: (bit, width) of the last-command flag of engines without END.
        send, wait: the func of the system commands of a barrier, and where they keep message and count.
        lookup: kind index by head key (:meth:`key`), -1 where there is none.
    """

    chip: str
    name: str
    head: Mapping[str, tuple[int, int]]
    kinds: tuple[CommandForm, ...]
    end: tuple[CommandForm, int] | None
    last: tuple[int, int] | None
    send: Message | None
    wait: Message | None
    lookup: npt.NDArray[np.int16]

    @property
    def widths(self) -> tuple[int, int, int]:
        """Bits of short, type and func in the key."""
        return tuple(self.head[name][1] if name in self.head else 0 for name in ("short", "type", "func"))  # type: ignore[return-value]

    @property
    def fixed_bytes(self) -> int:
        """The length where all commands are equally long, else 0."""
        lengths = {kind.bytes for kind in self.kinds}
        return lengths.pop() if len(lengths) == 1 else 0

    def item(self, name: str, low: npt.NDArray[np.uint64], high: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
        """(n,) a head item from the first two 64-bit words of n commands; zeros where the head has none."""
        if name not in self.head:
            return np.zeros(len(low), np.uint64)
        bit, width = self.head[name]
        return extract((low, high), bit, width)

    def key(self, low: npt.NDArray[np.uint64], high: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
        """(n,) short, func and type packed, type lowest."""
        _, types, funcs = self.widths
        if (
            types
            and funcs
            and sum(self.head["type"]) == self.head["func"][0]
            and self.head["type"][0] + types + funcs <= 64
        ):
            # Neighbours, as on most chips: taken out together.
            packed = low >> np.uint64(self.head["type"][0])
            packed &= np.uint64((1 << types + funcs) - 1)
        else:
            packed = self.item("type", low, high) | self.item("func", low, high) << np.uint64(types)
        if "short" in self.head:
            packed |= self.item("short", low, high) << np.uint64(types + funcs)
        return packed.view(np.int64)

    def kind(self, name: str) -> CommandForm:
        """A form by its name."""
        for kind in self.kinds:
            if kind.name == name:
                return kind
        known = ", ".join(kind.name for kind in self.kinds)
        raise UsageError(f"{self.chip} {self.name} has no command form {name!r}; there are {known}")


@dataclass(frozen=True, eq=False)
class Chip:
    """One chip: its engines, and how many commands a group may hold.

    Attributes:
        name, aliases: how it is called, upper case.
        engines: by name, in the order of the table.
        group_limit: commands of one engine after which CodeGen begins a new group, None for no limit.
        max_cores: how many cores the chip has.
        magic: first byte of each record where a stream is a sequence of records of both engines (CV18xx), else None.
        record_engines: engine name by the number in the record.
    """

    name: str
    aliases: tuple[str, ...]
    engines: Mapping[str, EngineTable]
    group_limit: int | None
    max_cores: int
    magic: int | None
    record_engines: Mapping[int, str]

    def engine(self, name: str) -> EngineTable:
        """An engine by name; ``dma`` and ``bdc`` are understood."""
        found = self.engines.get({"dma": "gdma", "bdc": "tiu", "bd": "tiu", "tdma": "gdma"}.get(name, name))
        if found is None:
            raise UsageError(f"{self.name} has no engine {name!r}; there are {', '.join(self.engines)}")
        return found


def extract(words: Sequence[npt.NDArray[np.uint64]], bit: int, width: int) -> npt.NDArray[np.uint64]:
    """(n,) the bits of a field from the 64-bit words of n commands, across word borders where need be."""
    word, shift = divmod(bit, 64)
    value = words[word] >> np.uint64(shift)
    if shift + width > 64:
        value = value | words[word + 1] << np.uint64(64 - shift)
    return value if width == 64 else value & np.uint64((1 << width) - 1)


class Tables:
    """All chips of a table file.

    Args:
        path: another file of the same form, read after the package's own and adding to it or replacing chips.
    """

    def __init__(self, path: str | PathLike[str] | None = None) -> None:
        own = Path(__file__).with_name("commands.json")
        raw = load_table(own)
        self.source = f"{raw['source']} {raw['licence']}"
        self._layouts: dict[str, str] = dict(raw["layouts"])
        self._heads: dict[str, Any] = dict(raw["heads"])
        self._chips: dict[str, Any] = dict(raw["chips"])
        self._file: Path = own
        if path is not None:
            self._file = Path(path)
            more = load_table(self._file)
            self._layouts |= _section(more, "layouts", self._file)
            self._heads |= _section(more, "heads", self._file)
            self._chips |= {name.upper(): one for name, one in _section(more, "chips", self._file).items()}
        self._made: dict[str, Chip] = {}

    def __iter__(self) -> Iterator[Chip]:
        return (self.chip(name) for name in self._chips)

    def names(self) -> list[str]:
        """Every chip's name."""
        return list(self._chips)

    def chip(self, name: str) -> Chip:
        """A chip by name or alias, in any case.

        Raises:
            UsageError: there is none.
            InputError: its table contradicts itself.
        """
        wanted = name.upper()
        for known, raw in self._chips.items():
            if wanted == known or wanted in (str(a).upper() for a in raw.get("aliases", ())):
                if known not in self._made:
                    self._made[known] = self._make(known, raw)
                return self._made[known]
        raise UsageError(f"no chip {name!r} in the tables; there are {', '.join(self._chips)}")

    # -- making one ---------------------------------------------------------------------------------------------

    def _make(self, name: str, raw: Any) -> Chip:
        try:
            engines: dict[str, EngineTable] = {}
            for one, what in raw["engines"].items():
                if isinstance(what.get("kinds"), str):
                    what = {**what, "kinds": raw["engines"][what["kinds"]]["kinds"]}
                engines[one] = self._engine(name, one, what)
            record = raw.get("record")
            return Chip(
                name,
                tuple(raw.get("aliases", ())),
                engines,
                raw.get("group_limit"),
                int(raw.get("max_cores", 1)),
                None if record is None else int(record["magic"]),
                {} if record is None else {int(k): v for k, v in record["engines"].items()},
            )
        except (KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError) as error:
            raise self._wrong(f"chip {name}: {type(error).__name__} {error}", "a table as in docs/tpu.md") from None

    def _engine(self, chip: str, name: str, raw: Any) -> EngineTable:
        where = f"{chip} {name}"
        if "frame" in raw:
            # Commands nobody has a table of, all of one length: words of 32 bits without names.
            words = " ".join(f"w{i}:32" for i in range(int(raw["frame"]) // 4))
            self._layouts.setdefault(f"frame{raw['frame']}", words)
            raw = {
                "kinds": [
                    {
                        "kind": name,
                        "layout": f"frame{raw['frame']}",
                        "bytes": raw["frame"],
                        "type": 0,
                        "ops": {"*": name},
                    }
                ]
            }
            head: dict[str, tuple[int, int]] = {}
        else:
            head = {k: (int(v[0]), int(v[1])) for k, v in self._heads[raw["head"]].items()}
        for item, (bit, width) in head.items():
            if item not in HEAD_ITEMS or bit < 0 or width < 1 or bit + width > 128 or width > 32:
                raise self._wrong(
                    f"{where}: head item {item} at bit {bit}, {width} wide", "an item in the first 128 bits"
                )
        kinds = tuple(self._kind(where, i, k) for i, k in enumerate(raw["kinds"]))
        if len({kind.name for kind in kinds}) < len(kinds):
            raise self._wrong(f"{where}: two command forms of one name", "names that differ")
        lookup = self._lookup(where, head, kinds)
        end = None
        if raw.get("end") is not None:
            last = next((kind for kind in kinds if kind.name == raw["end"]), None)
            if last is None:
                raise self._wrong(f"{where}: END is of form {raw['end']}", "a form that there is")
            end = (last, int(raw["end_func"]))
        send = _message(raw.get("send"))
        wait = None if send is None else Message(int(raw["wait"]["func"]), send.field, send.id, send.count)
        if send is not None:
            self._check_message(where, send, end)
        flag = raw.get("last")
        return EngineTable(
            chip, name, head, kinds, end, None if flag is None else (flag[0], flag[1]), send, wait, lookup
        )

    def _check_message(self, where: str, send: Message, end: tuple[CommandForm, int] | None) -> None:
        """SEND and WAIT are commands of END's form: their field must be there, and hold message and count."""
        if end is None:
            raise self._wrong(f"{where}: SEND without END", "an end form, whose commands SEND and WAIT are")
        held = end[0].by_name.get(send.field)
        if held is None:
            raise self._wrong(f"{where}: SEND's field {send.field}", f"one of {', '.join(end[0].by_name)}")
        for name, (bit, width) in (("message", send.id), ("count", send.count)):
            if bit < 0 or width < 1 or bit + width > held.width:
                found = f"{where}: the {name} of SEND at bit {bit}, {width} wide"
                raise self._wrong(found, f"bits of {send.field}, which has {held.width}")

    def _kind(self, where: str, index: int, raw: Any) -> CommandForm:
        name, size = str(raw["kind"]), int(raw["bytes"])
        if size % 4 or not 0 < size <= MAX_COMMAND:
            raise self._wrong(f"{where} {name}: {size} bytes", f"whole words up to {MAX_COMMAND}")
        fields = self._fields(f"{where} {name}", self._layouts[raw["layout"]], 8 * size)
        ops = {-1 if k == "*" else int(k): str(v) for k, v in raw["ops"].items()}
        return CommandForm(
            index,
            name,
            fields,
            size,
            raw.get("short"),
            int(raw["type"]),
            ops,
            raw.get("func_bits"),
            bool(raw.get("dep", True)),
            bool(raw.get("id", True)),
            {one.name: one for one in fields},
        )

    def _fields(self, where: str, text: str, bits: int) -> tuple[CommandField, ...]:
        """``name:width`` follows the field before it, ``name@bit:width`` stands where it says; gaps are filled."""
        placed: list[CommandField] = []
        at = 0
        for part in text.split():
            name, _, width = part.partition(":")
            name, _, bit = name.partition("@")
            begin = int(bit) if bit else at
            if not 1 <= int(width) <= 64:
                raise self._wrong(f"{where}: field {name} of {width} bits", "1 to 64 bits")
            if begin < at:
                raise self._wrong(
                    f"{where}: field {name} at bit {begin} overlaps the one before it, to {at - 1}", "no overlap"
                )
            while at < begin:
                placed.append(CommandField("-", at, min(64, begin - at)))
                at = placed[-1].end
            placed.append(CommandField(name, begin, int(width)))
            at = begin + int(width)
        if at > bits:
            raise self._wrong(f"{where}: fields of {at} bits in all", f"at most {bits}, the length of the command")
        while at < bits:
            placed.append(CommandField("-", at, min(64, bits - at)))
            at = placed[-1].end
        taken = {one.name for one in placed}
        seen: dict[str, int] = {}
        named: list[CommandField] = []
        for one in placed:
            base = "unnamed" if one.name == "-" else one.name
            count = seen.get(base, 0)
            name = base if count == 0 else f"{base}_{count}"
            while count and name in taken:
                count += 1
                name = f"{base}_{count}"
            seen[base] = count + 1
            named.append(CommandField(name, one.bit, one.width))
        if len({one.name for one in named}) < len(named):
            raise self._wrong(f"{where}: two fields of one name", "names that differ")
        return tuple(named)

    def _lookup(
        self, where: str, head: Mapping[str, tuple[int, int]], kinds: tuple[CommandForm, ...]
    ) -> npt.NDArray[np.int16]:
        short_w, type_w, func_w = (head[n][1] if n in head else 0 for n in ("short", "type", "func"))
        if short_w + type_w + func_w > 20:
            raise self._wrong(f"{where}: a head key of {short_w + type_w + func_w} bits", "at most 20")
        table = np.full((1 << short_w, 1 << func_w, 1 << type_w), -1, np.int16)
        for kind in kinds:
            if kind.type >= 1 << type_w or (kind.short or 0) >= 1 << short_w:
                raise self._wrong(
                    f"{where} {kind.name}: type {kind.type}, short {kind.short}", "what the head can hold"
                )
            shorts = range(1 << short_w) if kind.short is None else (kind.short,)
            narrow = (1 << (func_w if kind.func_bits is None else kind.func_bits)) - 1
            funcs = [f for f in range(1 << func_w) if -1 in kind.ops or (f & narrow) in kind.ops]
            for short in shorts:
                other = table[short, funcs, kind.type]
                if (other >= 0).any():
                    twin = kinds[int(other.max())].name
                    raise self._wrong(f"{where}: {kind.name} and {twin} have the same head", "heads that differ")
                table[short, funcs, kind.type] = kind.index
        return table.reshape(-1)

    def _wrong(self, found: str, expected: str) -> InputError:
        return InputError(found, expected, file=self._file)


def _message(raw: Any) -> Message | None:
    if raw is None:
        return None
    (i, iw), (c, cw) = raw["id"], raw["count"]
    return Message(int(raw["func"]), str(raw["field"]), (int(i), int(iw)), (int(c), int(cw)))


def _section(raw: dict[str, Any], name: str, path: Path) -> dict[str, Any]:
    part = raw.get(name, {})
    if not isinstance(part, dict):
        raise InputError(f"{name} of type {type(part).__name__}", "an object", file=path)
    return part


def load_table(path: Path) -> dict[str, Any]:
    """A command table as JSON has it.

    Raises:
        InputError: the file is no command table.
    """
    raw = read_json(path, "a command table")
    if not isinstance(raw, dict) or raw.get("format") != _FORMAT:
        raise InputError("another kind of file", f'a command table with "format": {_FORMAT}', file=path)
    return cast(dict[str, Any], raw)


@cache
def tables() -> Tables:
    """The package's own tables."""
    return Tables()


def chip(name: str) -> Chip:
    """A chip of the package's own tables."""
    return tables().chip(name)
