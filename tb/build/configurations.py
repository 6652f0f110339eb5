# SPDX-License-Identifier: Apache-2.0
"""Values of parameters that switch on other code of a module: what one set of values leaves out, no traffic can try."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from goldbeat.pymodels.errors import GoldbeatError
from goldbeat.tb.build.compared_values import Value, compared_values, constant_of
from goldbeat.tb.build.comparisons import instances_below, is_taken
from goldbeat.tb.build.compiling import Compiled, operator_of, symbol_kind

Values = dict[str, Value]
Choice = tuple[str, int, bool]
"""A file, where in it a condition of constants or a generate block begins, and what it is there."""

_ENDS = ("$error", "$fatal", "$finish", "$stop")
_JOINS = ("LogicalAnd", "LogicalOr")
_REPORTS = ("$error", "$fatal")
_LARGEST = 1 << 16
"""Values above are addresses and the like, which switch nothing."""
_SMALL = 4
_MOST = 300
"""Sets of values that are read at most."""


@dataclass(frozen=True)
class ParameterSet:
    """Parameter values, and what is elaborated with them alone.

    Attributes:
        values: of the parameters that differ from their defaults.
        places: conditions of constants that are otherwise with them than with all configurations before; 0: another size alone.
        first: the first of these, as ``file.sv:LINE``; empty: there is none.
    """

    values: Values
    places: int
    first: str


@dataclass(frozen=True)
class OtherValues:
    """What other values of parameters there are.

    Attributes:
        sets: those to run.
        refused: changes of a parameter that the module refuses, and why.
        left_out: generate blocks that are in no set, and not with the values as they are: as ``file.sv:LINE``.
    """

    sets: list[ParameterSet]
    refused: list[tuple[Values, str]]
    left_out: list[str]


class _RefusedError(Exception):
    """The module ends at its start with these values."""


class _Reader:
    """What constants choose in a module, by parameter values; each set of values is read once.

    Args:
        compiled: reads the sources with these values of parameters.
        relaxed: what slang calls an error refuses no values.
    """

    def __init__(self, compiled: Callable[[Values], Compiled], *, relaxed: bool) -> None:
        self._compiled, self._relaxed = compiled, relaxed
        self._read: dict[tuple[tuple[str, Value], ...], frozenset[Choice] | None] = {}
        self.lines: dict[tuple[str, int], str] = {}
        self.refused: list[tuple[Values, str]] = []
        self.blocks: set[tuple[str, int]] = set()

    @property
    def spent(self) -> bool:
        """Whether enough was read."""
        return len(self._read) >= _MOST

    def choices(self, values: Values) -> frozenset[Choice] | None:
        """What constants choose; None: the module refuses these values."""
        key = tuple(sorted(values.items()))
        if key not in self._read:
            try:
                self._read[key] = self._choices(values)
            except (GoldbeatError, _RefusedError) as refused:
                self._read[key] = None
                self.refused.append((values, str(refused).partition("\n")[0]))
        return self._read[key]

    def _choices(self, values: Values) -> frozenset[Choice] | None:
        compiled = self._compiled(values)
        if not self._relaxed and (errors := compiled.errors()):
            raise _RefusedError(errors[0])
        found: set[Choice] = set()
        seen: set[tuple[str, ...]] = set()

        def note(node: Any, chosen: bool | None) -> None:
            where = node.sourceRange.start if hasattr(node, "sourceRange") else node.location
            file = str(compiled.manager.getFileName(where))
            line = compiled.manager.getLineNumber(where)
            self.lines[file, where.offset] = f"{file.rpartition('/')[2]}:{line}"
            if chosen is None:
                self.blocks.add((file, where.offset))
            else:
                found.add((file, where.offset, chosen))

        def visit(body: Any) -> None:
            key = (body.definition.name, *(str(one.value) for one in body.parameters if hasattr(one, "value")))
            if key not in seen:
                seen.add(key)
                _read_scope(body, note)
                for inner in instances_below(body):
                    visit(inner.body)

        for top in compiled.tops():
            visit(top.body)
        return frozenset(found)


def other_configurations(compiled: Callable[[Values], Compiled], most: int, *, relaxed: bool = False) -> OtherValues:
    """Changes of parameters that switch on other code, the one with the most first; then other sizes.

    Each is one parameter, so that a failure says whose it is; two where one asks for the other. A module refuses values by an
    error of elaboration, or where it ends in an ``initial`` block under a condition of constants.

    Args:
        compiled: reads the sources with these values of parameters, all others as they are.
        most: how many sets.
        relaxed: what slang calls an error refuses no values.
    """
    reader = _Reader(compiled, relaxed=relaxed)
    known = set(reader.choices({}) or ())
    plain = compiled({})
    now = _parameters(plain)
    compared = compared_values(plain, now)
    changes: list[Values] = [{name: value} for name, one in now.items() for value in _others(one)]
    changes += [{name: value} for name, some in compared.items() for value in some if {name: value} not in changes]
    found: list[ParameterSet] = []
    while len(found) < most:
        values = max(changes, key=lambda one: _gain(reader, one, known), default={})
        if not _gain(reader, values, known):
            values = _pair(reader, changes, known)
        if not values:
            break
        fresh = (reader.choices(values) or frozenset()) - known
        found.append(ParameterSet(values, len(fresh), reader.lines[min(fresh)[:2]]))
        known |= fresh
    found += _sizes(compiled, reader, now, {name for one in found for name in one.values})[: most - len(found)]
    left_out = sorted(reader.lines[place] for place in reader.blocks - {choice[:2] for choice in known})
    tried = [one.values for one in found]
    refused = [
        (values, why)
        for values, why in reader.refused
        if len(values) == 1 and (left_out or all(now[name] in (0, 1) for name in values))
    ]
    return OtherValues(
        found, [one for one in refused if not any(one[0].items() <= values.items() for values in tried)], left_out
    )


def _sizes(compiled: Callable[[Values], Compiled], reader: _Reader, now: Values, done: set[str]) -> list[ParameterSet]:
    """Twice the size of each parameter that is a size; first of those that change no port, which are depths."""
    ports = _port_widths(compiled({}))
    depths, widths = list[ParameterSet](), list[ParameterSet]()
    for name, value in now.items():
        if name in done or not isinstance(value, int) or not 1 < value <= _LARGEST:
            continue
        values: Values = {name: 2 * value}
        if not reader.spent and reader.choices(values) is not None:
            same = _port_widths(compiled(values)) == ports
            (depths if same else widths).append(ParameterSet(values, 0, ""))
    return depths + widths


def _port_widths(compiled: Compiled) -> list[int]:
    ports = compiled.tops()[0].body.portList
    return [int(one.type.bitWidth) if hasattr(one, "type") else 0 for one in ports]


def _pair(reader: _Reader, changes: list[Values], known: set[Choice]) -> Values:
    """Two changes that together bring what is not known; none: empty."""
    pairs = (
        {**one, **other}
        for number, one in enumerate(changes)
        for other in changes[:number]
        if one.keys() != other.keys()
    )
    return next((pair for pair in pairs if _gain(reader, pair, known)), {})


def _gain(reader: _Reader, values: Values, known: set[Choice]) -> int:
    """How much is not known of what these values choose; 0: nothing, or they are refused."""
    if reader.spent:
        return 0
    return len((reader.choices(values) or frozenset()) - known)


def _parameters(compiled: Compiled) -> Values:
    """The parameters of the top module that may be set, with the values that they have: integers and texts."""
    found: Values = {}
    for one in compiled.tops()[0].body.parameters:
        value = None if one.isLocalParam else constant_of(getattr(one, "value", None))
        if isinstance(value, int) and '"' in str(one.syntax):
            # Without a type, a text is as many bytes.
            value = f'"{value.to_bytes(-(-value.bit_length() // 8), "big").decode(errors="replace")}"'
        if value is not None:
            found[str(one.name)] = value
    return found


def _others(now: Value) -> Iterator[int]:
    """Other values that may choose other code than a parameter's own: switches, small modes, sizes that are half or double."""
    if isinstance(now, str):
        return
    if 0 <= now <= 1:
        yield 1 - now
    if 1 <= now <= _LARGEST:
        yield 2 * now
    if now > 1:
        yield now // 2
    if 1 < now <= _SMALL:
        yield 0


def _read_scope(scope: Any, note: Callable[[Any, bool | None], None]) -> None:
    """Note what constants choose in a module, instances in it left out; None of a generate block that is left out.

    Raises:
        _RefusedError: the module ends at its start.
    """
    from pyslang.ast import EvalContext, VisitAction

    def truth(node: Any) -> bool | None:
        value = constant_of(node.eval(EvalContext(scope)))
        return bool(value) if isinstance(value, int) else None

    def look(node: Any) -> Any:
        kind = symbol_kind(node)
        if kind == "BinaryOp" and operator_of(node) in _JOINS:
            asked, arms = [node.left, node.right], (None, None)
        elif kind == "Conditional":
            asked, arms = [one.expr for one in node.conditions], (node.ifTrue, node.ifFalse)
        elif kind == "ConditionalOp":
            asked, arms = [one.expr for one in node.conditions], (node.left, node.right)
        else:
            return VisitAction.Advance
        known = [truth(one) for one in asked]
        for one, chosen in zip(asked, known, strict=True):
            if chosen is not None:
                note(one, chosen)
        if kind == "BinaryOp" or None in known:
            return VisitAction.Advance
        # What the other arm asks is never asked.
        if (arm := arms[not all(known)]) is not None:
            arm.visit(look)
        return VisitAction.Skip

    def read(members: Any) -> None:
        for member in members:
            kind = symbol_kind(member)
            if kind in ("GenerateBlock", "GenerateBlockArray"):
                if is_taken(member):
                    note(member, True)
                    read(member)
                elif not any(word in str(member.syntax) for word in _REPORTS):
                    note(member, None)
            elif kind != "ProceduralBlock":
                if kind not in ("Instance", "InstanceArray"):
                    member.visit(look)
            elif str(member.procedureKind).endswith("Initial"):
                if _ends(member.body, truth):
                    raise _RefusedError
            else:
                member.visit(look)

    read(scope)


def _ends(node: Any, truth: Callable[[Any], bool | None]) -> bool:
    """Whether a statement of an ``initial`` block surely ends the simulation, or says that something is wrong."""
    kind = symbol_kind(node)
    if kind == "Block":
        return _ends(node.body, truth)
    if kind == "List":
        return any(_ends(one, truth) for one in node.list)
    if kind == "Conditional":
        chosen = truth(node.conditions[0].expr) if len(node.conditions) == 1 else None
        arm = {True: node.ifTrue, False: node.ifFalse, None: None}[chosen]
        return arm is not None and _ends(arm, truth)
    if kind == "ImmediateAssertion":
        return truth(node.cond) is False
    return kind == "ExpressionStatement" and str(getattr(node.expr, "subroutineName", "")) in _ENDS
