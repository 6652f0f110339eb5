# SPDX-License-Identifier: Apache-2.0
"""Whether RTL checks a handshake itself: whether an enable changes any state while its flag is low."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import chain
from typing import Any

from goldbeat.tb.build.compiling import symbol_kind
from goldbeat.tb.design.pin_names import is_reset
from goldbeat.tb.probe.conditions import Conditions
from goldbeat.tb.probe.taken import fixed_number, inside, settled_arms, visit_taken
from goldbeat.tb.probe.wiring import (
    Graph,
    assigned_names,
    case_levels,
    closure,
    is_and,
    names_in,
    path_of,
    values_moved,
    without_casts,
)

_NAMED = ("NamedValue", "HierarchicalValue")
_NOT = ("LogicalNot", "BitwiseNot")
_OR = ("LogicalOr", "BinaryOr")
_SAME = ("Equality", "CaseEquality")
_OTHER = ("Inequality", "CaseInequality")
_IDLE = re.compile(r"(?:idle|ready|rdy)\w*$", re.IGNORECASE)
_BUSY = re.compile(r"(?:busy|run|running|active)\w*$", re.IGNORECASE)
"""Ends of names of what is high while nothing is under way, and of what is low then."""
_ANYTHING = "*"
"""What a task may change."""
_Use = tuple[frozenset[str], frozenset[str]]
"""What must hold for a value to matter, with ``!`` what must be low, and what it then changes."""


def find_guards(
    prefix: str, graph: Graph, conditions: Conditions, inputs: Iterable[str], outputs: Iterable[str]
) -> tuple[Callable[..., bool], ...]:
    """What :class:`~goldbeat.tb.probe.module.Gates` says of levels: ``guarded``, ``only_with``, ``held`` and the three behind.

    Args:
        prefix: of the paths of the top module's ports.
        graph: of the module.
        conditions: of the module.
        inputs: names of its input ports.
        outputs: names of its output ports.
    """
    code = _Uses(graph, [prefix + name for name in inputs if not is_reset(name)], [prefix + name for name in outputs])
    uses = code.found
    claims, flops = conditions.claims, {*graph.flops, _ANYTHING}
    names, outs = [*inputs, *outputs], frozenset(outputs)
    origins = {name: graph.origin(prefix + name) for name in names}
    makers = {name: graph.makers(prefix + name) for name in names}

    def guarded(enable: str, flag: str, high: bool, late: Iterable[str] = ()) -> bool:
        if flag not in origins:
            return False
        path, low = origins[flag]
        terms = {f"{'!' * (high == low)}{path}", *(f"{no}{one}" for one in late for no in ("", "!"))}
        seen, beside = {prefix + enable}, False
        # Who asserts that both are never high relies on it; of two inputs that says nothing.
        if flag in outs and any(prefix + enable in one and one & {*makers[flag], path} for one in claims):
            return False
        todo = list(seen)
        while todo:
            for needed, targets in uses[todo.pop()]:
                if not needed.isdisjoint(terms):
                    beside = True
                    continue
                if targets & flops:
                    return False
                # What the flag itself makes of it counts while the flag is high.
                todo += targets - seen - {path}
                seen |= targets
        return beside

    def only_with(output: str, name: str, high: bool) -> bool:
        path, low = origins.get(output, (prefix + output, False))
        # What a register keeps is high when the input is low again.
        held = low or path in graph.flops
        return not held and all(
            f"{'!' * (not high)}{prefix + name}" in one for one in code.sets.get(path, [frozenset()])
        )

    def held(output: str, flag: str, high: bool) -> bool:
        (path, _), (other, low) = origins[output], origins[flag]
        loads = code.sets.get(path, []) if path in graph.flops else []
        return bool(loads) and all(f"{'!' * (high == low)}{other}" in needed for needed in loads)

    return guarded, only_with, held, *_find_taken(code, graph, origins), partial(_lasts, code, graph, prefix)


def _lasts(code: _Uses, graph: Graph, prefix: str, name: str) -> bool:
    """As :attr:`~goldbeat.tb.probe.module.Gates.lasts`."""
    path = prefix + name
    return any(path in needed and not _rests(needed - {path}, path, graph) for needed in chain(*code.steps.values()))


def _rests(needed: Iterable[str], path: str, graph: Graph) -> bool:
    """Whether one of some terms says that nothing is under way: a register that is low, or a name.

    Args:
        needed: the terms.
        path: of an input, which has no part in such a term.
        graph: of the module.
    """
    for term in needed:
        name = term.removeprefix("!")
        if is_reset(name.rpartition(".")[2]) or path in graph.makers(name):
            continue
        low = term.startswith("!")
        if (low and graph.origin(name)[0] in graph.flops) or (_BUSY if low else _IDLE).search(name):
            return True
    return False


def _find_taken(
    code: _Uses, graph: Graph, origins: Mapping[str, tuple[str, bool]]
) -> tuple[Callable[..., bool], Callable[..., bool]]:
    """``taken`` and ``loads``."""

    def told(output: str, needed: frozenset[str]) -> bool:
        path, low = origins[output]
        sets = code.sets.get(path, [])
        if low or path in graph.flops or not (sets and needed):
            return False
        terms = {
            f"{'!' * (turned != term.startswith('!'))}{origin}"
            for term in needed
            for origin, turned in (graph.origin(term.lstrip("!")),)
        }
        # What an ``else`` needs is not among what is needed: nothing else is high then.
        return all(terms <= one and all(term.startswith("!") for term in one - terms - {path}) for one in sets)

    cleared = {graph.origin(name)[0] for _, name, _ in graph.clears}

    def loads(output: str, word: str) -> bool:
        (path, low), (stored, _) = origins[output], origins[word]
        sets, loads, moves = code.sets.get(path, []), code.sets.get(stored, []), code.moves.get(path, [])
        if low or len(sets) != 1 or len(moves) > 1 or not loads or not {path, stored} <= graph.flops.keys():
            return False
        # It follows a condition, or falls wherever none sets it.
        falls = [
            needed
            for needed in (moves or [one for one in code.clears.get(path, []) if one < sets[0]])
            if all((name := term.lstrip("!")) in cleared or is_reset(name.rpartition(".")[2]) for term in needed)
        ]
        return bool(falls) and bool(sets[0] - falls[0]) and all(sets[0] <= one for one in loads)

    return told, loads


class _Uses:
    """Where values matter that inputs make at once."""

    def __init__(self, graph: Graph, inputs: list[str], outputs: list[str]) -> None:
        self.graph = graph
        self.found: dict[str, list[_Use]] = defaultdict(list)
        # What must hold for each assignment that does not make a value 0.
        self.sets: dict[str, list[frozenset[str]]] = defaultdict(list)
        # What must hold for it to get 0.
        self.clears: dict[str, list[frozenset[str]]] = defaultdict(list)
        # What must hold for it to get a value that is no constant.
        self.moves: dict[str, list[frozenset[str]]] = defaultdict(list)
        # What must hold for a step of it, which is made of what it is.
        self.steps: dict[str, list[frozenset[str]]] = defaultdict(list)
        self._drivers: dict[str, Any] = {}
        self._near = closure(inputs, lambda name: graph.after.get(name, ()))
        for kind, node in graph.makes:
            self._note_driver(kind, node)
        self._flags = {
            path: driver for one in outputs for path, _ in (graph.origin(one),) if (driver := self._driver(path))
        }
        self._texts = {_text(driver): path for path, driver in self._flags.items()}
        self._kinds = {(symbol_kind(driver), _operator(driver)) for driver in self._flags.values()}
        for kind, node in graph.makes:
            self._look(kind, node)

    def _note_driver(self, kind: str, node: Any) -> None:
        if kind == "ContinuousAssign":
            left = without_casts(node.assignment.left)
            if symbol_kind(left) in _NAMED:
                self._drivers[path_of(left)] = without_casts(node.assignment.right)
        elif kind == "Net":
            self._drivers[str(node.hierarchicalPath)] = without_casts(node.initializer)

    def _driver(self, path: str) -> Any:
        """The expression that makes a wire; None: no single one does."""
        return self._drivers.get(path)

    # -- what holds ---------------------------------------------------------------------------------------------

    def _terms(self, expression: Any, holds: bool, seen: frozenset[str] = frozenset()) -> Iterator[str]:
        """What must be high, or with ``!`` low, where a condition is true, or false."""
        expression = without_casts(expression)
        kind, op = symbol_kind(expression), _operator(expression)
        if (kind, op) in self._kinds and (flag := self._texts.get(_text(expression))) is not None:
            yield f"{'!' * (not holds)}{flag}"
        if kind == "UnaryOp" and (op == "LogicalNot" or (op == "BitwiseNot" and _bits(expression) == 1)):
            yield from self._terms(expression.operand, not holds, seen)
        elif kind == "BinaryOp" and op in _SAME + _OTHER:
            yield from self._compared(expression, holds == (op in _SAME), seen)
        elif kind == "BinaryOp" and (is_and(expression) if holds else op in _OR) and _bits(expression) == 1:
            yield from self._terms(expression.left, holds, seen)
            yield from self._terms(expression.right, holds, seen)
        elif kind in _NAMED and _bits(expression) == 1:
            path = path_of(expression)
            origin, turned = self.graph.origin(path)
            yield f"{'!' * (holds == turned)}{origin}"
            driver = self._driver(path)
            if driver is not None and path not in seen:
                yield from self._terms(driver, holds, seen | {path})

    def _compared(self, node: Any, equal: bool, seen: frozenset[str]) -> Iterator[str]:
        for side, other in ((node.left, node.right), (node.right, node.left)):
            value, constant = without_casts(side), fixed_number(other)
            if constant is None:
                continue
            if _bits(value) == 1:
                yield from self._terms(value, (constant != 0) == equal, seen)
            else:
                yield from self._flags_at(value, constant, equal)

    def _flags_at(self, value: Any, constant: int, equal: bool) -> Iterator[str]:
        """The flags that the value of a register settles."""
        if symbol_kind(value) not in _NAMED:
            return
        path, _ = self.graph.origin(path_of(value))
        for flag, driver in self._flags.items():
            known = self._value(driver, path, constant)
            if not equal:
                known = None if known is None or not self._asks(driver, path, constant) else int(not known)
            if known is not None:
                yield f"{'!' * (not known)}{flag}"

    def _asks(self, node: Any, path: str, constant: int) -> bool:
        """Whether an expression compares a register with a constant, and nothing else."""
        if symbol_kind(node) != "BinaryOp" or _operator(node) not in _SAME + _OTHER:
            return False
        for side, other in ((node.left, node.right), (node.right, node.left)):
            side = without_casts(side)
            if symbol_kind(side) in _NAMED and self.graph.origin(path_of(side))[0] == path:
                return fixed_number(other) == constant
        return False

    def _value(self, node: Any, path: str, constant: int, depth: int = 0) -> int | None:
        """The value of an expression where a register has one; None: it depends on more, or is no simple one."""
        node = without_casts(node)
        kind, op = symbol_kind(node), _operator(node)
        if (number := fixed_number(node)) is not None or depth > 20:
            return number
        if kind in _NAMED:
            name = path_of(node)
            if self.graph.origin(name) == (path, False):
                return constant
            driver = self._driver(name)
            return None if driver is None else self._value(driver, path, constant, depth + 1)
        if kind == "ElementSelect" and node.value.type.isIntegral and node.value.type.fixedRange.right == 0:
            whole, index = self._value(node.value, path, constant, depth + 1), fixed_number(node.selector)
            return None if whole is None or index is None or _bits(node) != 1 else whole >> index & 1
        if kind == "UnaryOp" and op in _NOT and _bits(node) == 1:
            inner = self._value(node.operand, path, constant, depth + 1)
            return None if inner is None else int(not inner)
        if kind != "BinaryOp":
            return None
        left, right = (self._value(one, path, constant, depth + 1) for one in (node.left, node.right))
        if op in _SAME + _OTHER:
            return None if left is None or right is None else int((left == right) == (op in _SAME))
        if _bits(node) != 1 or not (is_and(node) or op in _OR):
            return None
        # One side may settle it.
        deciding = op in _OR
        if any(one is not None and bool(one) == deciding for one in (left, right)):
            return int(deciding)
        return None if left is None or right is None else int(not deciding)

    # -- what matters -------------------------------------------------------------------------------------------

    def _look(self, kind: str, node: Any) -> None:
        if kind == "ContinuousAssign":
            targets = names_in(node.assignment.left)
            if not self._near.isdisjoint(targets.union(*(self.graph.before.get(one, ()) for one in targets))):
                self._assign(node.assignment, frozenset())
        elif kind == "Net":
            self._use(node.initializer, frozenset(), frozenset({str(node.hierarchicalPath)}))
        elif kind == "Instance":
            for connection in node.portConnections:
                self._connection(connection)
        elif kind == "ProceduralBlock" and not self._near.isdisjoint(names_in(node.body)):
            self._walk(node.body, frozenset())

    def _connection(self, connection: Any) -> None:
        inner, expression = getattr(connection.port, "internalSymbol", None), connection.expression
        if inner is None or expression is None:
            return
        path = str(inner.hierarchicalPath)
        if symbol_kind(expression) == "Assignment":
            self._note(path, frozenset(), frozenset(names_in(expression.left)))
        elif not self._near.isdisjoint(self.graph.before.get(path, ())):
            self._use(expression, frozenset(), frozenset({path}))

    def _assign(self, assignment: Any, needed: frozenset[str]) -> None:
        targets = frozenset(assigned_names(assignment.left))
        self._use(assignment.right, needed, targets)
        if symbol_kind(assignment.left) in _NAMED and fixed_number(assignment.right) == 0:
            self.clears[path_of(assignment.left)].append(needed)
        elif symbol_kind(assignment.left) in _NAMED:
            if fixed_number(assignment.right) is None:
                self.moves[path_of(assignment.left)].append(needed)
                if path_of(assignment.left) in names_in(assignment.right) - values_moved(assignment.right):
                    self.steps[path_of(assignment.left)].append(needed)
            self.sets[path_of(assignment.left)].append(needed.union(self._terms(assignment.right, True)))
        # What selects a word or a part of it.
        for name in names_in(assignment.left) - targets:
            self._note(name, needed, targets)

    def _walk(self, statement: Any, needed: frozenset[str]) -> None:
        """Note the uses below a statement; ``needed``: what must hold for it."""
        kind = symbol_kind(statement)
        if kind == "Conditional" and settled_arms(statement) is None:
            targets, asked = _assigned(statement), [one.expr for one in statement.conditions]
            for one in asked:
                self._use(one, needed, targets)
            self._walk(statement.ifTrue, needed.union(*(self._terms(one, True) for one in asked)))
            if statement.ifFalse is not None:
                alone = self._terms(asked[0], False) if len(asked) == 1 else ()
                self._walk(statement.ifFalse, needed.union(alone))
        elif kind == "Case" and settled_arms(statement) is None:
            self._cases(statement, needed)
        elif kind == "ExpressionStatement" and symbol_kind(statement.expr) == "Assignment":
            self._assign(statement.expr, needed)
        elif kind in ("ExpressionStatement", "VariableDeclaration"):
            self._hidden(statement, needed)
        else:
            for one in inside(statement):
                self._walk(one, needed)

    def _hidden(self, statement: Any, needed: frozenset[str]) -> None:
        """Note values that go to tasks and to variables of a block, which are not followed."""
        kind = symbol_kind(statement)
        value = statement.symbol.initializer if kind == "VariableDeclaration" else statement.expr
        if value is not None and not getattr(value, "isSystemCall", False):
            for name in names_in(value):
                self._note(name, needed, frozenset({_ANYTHING}))

    def _cases(self, statement: Any, needed: frozenset[str]) -> None:
        targets, asked = _assigned(statement), without_casts(statement.expr)
        self._use(asked, needed, targets)
        for item in statement.items:
            for label in item.expressions:
                self._use(label, needed, targets)
            number = fixed_number(item.expressions[0]) if len(item.expressions) == 1 else None
            told = [] if number is None else [*self._flags_at(asked, number, True)]
            for part, level in case_levels(statement, item.expressions):
                told += self._terms(part, level)
            self._walk(item.stmt, needed.union(told))
        if statement.defaultCase is not None:
            self._walk(statement.defaultCase, needed)

    def _use(self, expression: Any, needed: frozenset[str], targets: frozenset[str]) -> None:
        """Note the values that an expression depends on.

        Args:
            expression: where.
            needed: what must hold for it to matter.
            targets: what it changes.
        """
        expression = without_casts(expression)
        kind, op = symbol_kind(expression), _operator(expression)
        if kind in _NAMED:
            self._note(path_of(expression), needed, targets)
        elif kind == "UnaryOp":
            self._use(expression.operand, needed, targets)
        elif kind == "BinaryOp":
            left, right = expression.left, expression.right
            joins = _bits(expression) == 1 and (is_and(expression) or op in _OR)
            for one, other in ((left, right), (right, left)):
                beside = self._terms(other, op not in _OR) if joins else self._mask(other) if is_and(expression) else ()
                self._use(one, needed.union(beside), targets)
        elif kind == "ConditionalOp":
            asked = [one.expr for one in expression.conditions]
            for one in asked:
                self._use(one, needed, targets)
            self._use(expression.left, needed.union(*(self._terms(one, True) for one in asked)), targets)
            alone = self._terms(asked[0], False) if len(asked) == 1 else ()
            self._use(expression.right, needed.union(alone), targets)
        elif kind == "Concatenation":
            for one in expression.operands:
                self._use(one, needed, targets)
        elif kind == "Replication":
            self._use(expression.concat, needed, targets)
        else:
            for name in names_in(expression):
                self._note(name, needed, targets)

    def _mask(self, expression: Any) -> Iterator[str]:
        """What must hold where a bit for all bits of a word lets it through."""
        inner = without_casts(expression)
        if symbol_kind(inner) == "Replication" and _bits(inner.concat) == 1:
            yield from self._terms(inner.concat, True)

    def _note(self, name: str, needed: frozenset[str], targets: frozenset[str]) -> None:
        if name in self._near:
            self.found[name].append((needed, targets - {name}))


def _operator(node: Any) -> str:
    return str(getattr(node, "op", "")).rpartition(".")[2]


def _bits(node: Any) -> int:
    return int(node.type.bitWidth)


def _text(node: Any) -> tuple[str, frozenset[str]]:
    """What an expression says, and of which values."""
    return "".join(str(node.syntax or "").split()), frozenset(names_in(node))


def _assigned(statement: Any) -> frozenset[str]:
    """What is assigned below a statement."""
    found: set[str] = set()

    def look(node: Any) -> None:
        if symbol_kind(node) == "Assignment":
            found.update(assigned_names(node.left))

    visit_taken(statement, look)
    return frozenset(found)
