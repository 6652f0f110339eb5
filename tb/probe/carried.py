# SPDX-License-Identifier: Apache-2.0
"""Which ports of an elaborated module go along with the beats, by what the RTL does with them, whatever they are called."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from goldbeat.tb.build.compiling import symbol_kind
from goldbeat.tb.design.pin_names import is_reset
from goldbeat.tb.probe.conditions import Conditions
from goldbeat.tb.probe.gates import find_gates
from goldbeat.tb.probe.guarded import find_guards
from goldbeat.tb.probe.indexed import index_bits
from goldbeat.tb.probe.looks import Looks
from goldbeat.tb.probe.module import Branch, MadeValues, PortValues
from goldbeat.tb.probe.reworked import Reworks
from goldbeat.tb.probe.taken import inside, settled_arms, visit_taken
from goldbeat.tb.probe.wiring import (
    Graph,
    case_terms,
    closure,
    is_masked,
    masked_names,
    names_in,
    signed_terms,
    values_moved,
    without_casts,
)

_Edge = tuple[str, frozenset[str] | None]
"""Target, and what must be high for the assignment; None: it is no statement."""


def carried(
    top: Any,
    graph: Graph,
    conditions: Conditions,
    looks: Callable[[], Looks],
    inputs: Iterable[str],
    outputs: Iterable[str],
) -> PortValues:
    """Follow every port's value.

    Args:
        top: pyslang's instance symbol.
        graph: of it.
        conditions: of it.
        looks: of it, made when they are needed.
        inputs: names of its input ports.
        outputs: names of its output ports.
    """
    prefix = f"{top.name}."
    ways = {prefix + name: name for name in inputs}, {prefix + name: name for name in outputs}
    moves = _Moves(top, graph, {*ways[0], *ways[1]})
    shown = {name: moves.shown_by(path) for path, name in ways[0].items()}
    used = {name: moves.branches(path, moves.any) for path, name in ways[0].items()}
    guarded, only_with, held, told, loads, lasts = find_guards(
        prefix, graph, conditions, ways[0].values(), ways[1].values()
    )

    def taken(output: str, name: str) -> bool:
        return any(told(output, needed) for _, needed in used[name])

    def reworked(given: Collection[str], shown: Collection[str], beside: Collection[str], bits: int) -> str:
        data, words, others = ([prefix + name for name in names] for names in (given, shown, beside))
        return Reworks(graph)(data, words, others, bits)

    return PortValues(
        {name: moves.branches(path, moves.plain) for path, name in ways[0].items()},
        used,
        {name: frozenset(one for one, all_of in shown.items() if path in all_of) for path, name in ways[1].items()},
        frozenset(name for path, name in ways[0].items() if not moves.is_read(path)),
        frozenset(name for path, name in ways[1].items() if moves.is_constant(path)),
        frozenset(name for path, name in ways[1].items() if not moves.is_driven(path)),
        {
            name: frozenset(ways[0][one] for one in moves.made_of(path) & ways[0].keys())
            for path, name in ways[1].items()
        },
        partial(_made, moves, ways[0], ways[1]),
        replace(
            find_gates(graph, conditions, ways, used, looks, guarded),
            only_with=only_with,
            held=held,
            taken=taken,
            loads=loads,
            lasts=lasts,
        ),
        index_bits(top, ways[0].values()),
        dict(_toggles(moves, conditions, graph, *ways)),
        reworked,
        partial(_depends, graph, ways[0], prefix),
        frozenset(moves.stored),
    )


def _depends(graph: Graph, inputs: Mapping[str, str], prefix: str, outputs: Collection[str]) -> frozenset[str]:
    """Names of the inputs that outputs depend on."""
    return frozenset(inputs[path] for path in graph.decided(prefix + name for name in outputs) & inputs.keys())


def _toggles(
    moves: _Moves, conditions: Conditions, graph: Graph, inputs: Mapping[str, str], outputs: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """Inputs that are compared with the output that takes their level over: each change of level is a word."""
    shown = {graph.origin(path)[0]: name for path, name in outputs.items()}
    for path, name in inputs.items():
        kept = {target for target, _ in moves.branches(path, moves.plain)}
        found = {other for one, other in conditions.compared if graph.origin(one)[0] == path} & kept & shown.keys()
        yield from ((name, shown[one]) for one in found)


def _made(
    moves: _Moves, inputs: Mapping[str, str], outputs: Mapping[str, str], name: str, data: Collection[str]
) -> MadeValues:
    """What is made of an input.

    Args:
        moves: all assignments.
        inputs: names by path.
        outputs: names by path.
        name: of the input.
        data: inputs that have a part in nothing that counts.
    """
    paths = {name: path for path, name in inputs.items()}
    stores, shown = moves.made(paths[name], {paths[one] for one in data})
    named = {branch: frozenset(outputs[path] for path in after & outputs.keys()) for branch, after in stores.items()}
    return MadeValues(named, frozenset(outputs[path] for path in shown & outputs.keys()))


class _Moves:
    """Assignments of a hierarchy: those of a value as it is, and those of anything made of it."""

    def __init__(self, top: Any, graph: Graph, ports: set[str]) -> None:
        self.graph, self.ports = graph, ports
        self.plain: dict[str, set[_Edge]] = defaultdict(set)
        self.any: dict[str, set[_Edge]] = defaultdict(set)
        self.parts: dict[str, set[tuple[str, frozenset[str] | None, frozenset[str]]]] = defaultdict(set)
        self.sources: dict[str, set[str]] = defaultdict(set)
        self.masks: dict[tuple[str, str], frozenset[str]] = {}
        self._known: dict[tuple[str, bool], set[str]] = {}
        self.needs: dict[str, frozenset[str]] = {}
        self.stored = set[tuple[int, int]]()
        visit_taken(top, self._look)

    def _look(self, node: Any) -> None:
        kind = symbol_kind(node)
        if kind == "ContinuousAssign" and symbol_kind(node.assignment) == "Assignment":
            self._wire(values_moved(node.assignment.left), node.assignment.right)
        elif kind == "Net" and node.initializer is not None:
            self._wire({node.hierarchicalPath}, node.initializer)
        elif kind == "Variable" and symbol_kind(words := node.type.canonicalType) == "FixedSizeUnpackedArrayType":
            self.stored.add((int(words.fixedRange.width), int(words.elementType.bitWidth)))
        elif kind == "ProceduralBlock":
            self._walk(node.body, frozenset())
        elif kind == "Instance":
            for connection in node.portConnections:
                self._port(connection)

    def _wire(self, targets: set[str], right: Any) -> None:
        self._add(targets, right, None)
        for target in targets if len(targets) == 1 else ():
            self.needs[target] = frozenset(signed_terms(right))

    def _port(self, connection: Any) -> None:
        inner, expression = getattr(connection.port, "internalSymbol", None), connection.expression
        if inner is None or expression is None:
            return
        if symbol_kind(expression) == "Assignment":
            path = inner.hierarchicalPath
            for target in values_moved(expression.left):
                self.plain[path].add((target, None))
                self.any[path].add((target, None))
                self.parts[path].add((target, None, frozenset([path])))
                self.sources[target].add(path)
        else:
            self._wire({inner.hierarchicalPath}, expression)

    def _add(self, targets: set[str], right: Any, needed: frozenset[str] | None) -> None:
        mentioned = names_in(right)
        for edges, sources in ((self.plain, values_moved(right)), (self.any, mentioned)):
            for source in sources:
                edges[source] |= {(target, needed) for target in targets}
        masked = masked_names(right) if is_masked(right) else ((source, frozenset[str]()) for source in mentioned)
        for source, terms in masked:
            for target in targets:
                if terms or (source, target) in self.masks:
                    self.masks[source, target] = terms & self.masks.get((source, target), terms)
        for part in _parts(right):
            for source in part:
                self.parts[source] |= {(target, needed, part) for target in targets}
        for target in targets:
            self.sources[target] |= names_in(right)

    def _walk(self, statement: Any, needed: frozenset[str]) -> None:
        kind = symbol_kind(statement)
        if kind == "Conditional" and settled_arms(statement) is None:
            self._walk(statement.ifTrue, needed.union(*(signed_terms(one.expr) for one in statement.conditions)))
            if statement.ifFalse is not None:
                self._walk(statement.ifFalse, needed)
        elif kind == "Case" and settled_arms(statement) is None:
            for item in statement.items:
                self._walk(item.stmt, needed.union(case_terms(statement, item.expressions)))
            if statement.defaultCase is not None:
                self._walk(statement.defaultCase, needed)
        elif kind == "ExpressionStatement" and symbol_kind(statement.expr) == "Assignment":
            self._add(values_moved(statement.expr.left), statement.expr.right, needed)
        else:
            for inner in inside(statement):
                self._walk(inner, needed)

    # -- questions ----------------------------------------------------------------------------------------------

    def branches(self, start: str, edges: Mapping[str, set[_Edge]]) -> frozenset[Branch]:
        """The first statements that store a value."""
        found: set[Branch] = set()
        seen, todo = {start}, [(start, frozenset[str]())]
        while todo:
            name, before = todo.pop()
            for target, needed in edges.get(name, ()):
                terms = before | self.masks.get((name, target), frozenset())
                if needed is not None:
                    found.add((target, self._spelled(needed | terms)))
                if target not in seen and target not in self.graph.flops:
                    seen.add(target)
                    todo.append((target, terms))
        return frozenset(found)

    def made(self, start: str, data: set[str]) -> tuple[dict[Branch, set[str]], set[str]]:
        """The first statements that store what is made of an input and of no data, and what it alone makes at once.

        Counters and sums, which are made of themselves, do not count.

        Args:
            start: the input.
            data: inputs, none of which may have a part in the value.

        Returns:
            by statement, everything that depends on what it stores; and paths.
        """
        stores: dict[Branch, set[str]] = {}
        shown: set[str] = set()
        seen, todo = {start}, [(start, frozenset[str]())]
        while todo:
            name, beside = todo.pop()
            for target, needed, part in self.parts.get(name, ()):
                others = beside | part - {name}
                if any(self._around(other, ahead=False) & data for other in others):
                    continue
                if needed is not None and not others & (after := self._around(target, ahead=True)):
                    stores[target, self._spelled(needed)] = after
                if target in self.graph.flops or target in seen:
                    continue
                shown |= set() if others else {target}
                seen.add(target)
                todo.append((target, others))
        return stores, shown

    def _around(self, name: str, *, ahead: bool) -> set[str]:
        """Everything that is made of a value, or that it is made of, and itself."""
        if (name, ahead) not in self._known:
            one_step = self._next if ahead else lambda one: self.sources.get(one, ())
            self._known[name, ahead] = closure([name], one_step)
        return self._known[name, ahead]

    def _next(self, name: str) -> Iterator[str]:
        return (target for target, _ in self.any.get(name, ()))

    def shown_by(self, start: str) -> set[str]:
        """Everything that has an input's value as it is, at once or later."""
        return closure([start], lambda name: (target for target, _ in self.plain.get(name, ()))) - {start}

    def made_of(self, start: str) -> set[str]:
        """Everything whose value has a part in an output's; through gates and black boxes, whatever is before them."""
        return closure(
            [start], lambda name: self.sources[name] if self.sources.get(name) else self.graph.before.get(name, set())
        )

    def is_read(self, start: str) -> bool:
        """Whether a flip-flop or a port depends on an input."""
        after = closure([start], lambda name: self.graph.after.get(name, ()))
        return bool(after & self.graph.readers.keys() or after & self.ports - {start})

    def is_constant(self, start: str) -> bool:
        """Whether an output depends on no flip-flop and on no port."""
        before = closure([start], lambda name: self.graph.before.get(name, ()))
        return not (before & self.graph.flops.keys() or before & self.ports - {start})

    def is_driven(self, start: str) -> bool:
        """Whether something gives an output a value, if only a constant."""
        return bool(closure([start], lambda name: self.graph.before.get(name, ())) & self.graph.driven)

    def _spelled(self, names: frozenset[str]) -> frozenset[str]:
        """Conditions, and those whose conjunction they are; without resets."""
        seen = self.graph.signed_conjuncts(names, self.needs)
        return frozenset(name for name in seen if not is_reset(name.lstrip("!").rpartition(".")[2]))


def _parts(expression: Any) -> Iterator[frozenset[str]]:
    """Paths of the values in each part of an expression: a concatenation has several, and what selects is in none."""
    expression = without_casts(expression)
    kind = symbol_kind(expression)
    if kind == "ConditionalOp":
        both = [*_parts(expression.left), *_parts(expression.right)]
        yield from both if any(both) else (frozenset(names_in(one.expr)) for one in expression.conditions)
    elif kind in ("Concatenation", "SimpleAssignmentPattern", "StructuredAssignmentPattern"):
        for inner in expression.operands if kind == "Concatenation" else expression.elements:
            yield from _parts(inner)
    else:
        yield frozenset(names_in(expression))
