# SPDX-License-Identifier: Apache-2.0
"""What decides about registers at the next edge: whether ports move together, and whether one falls without another."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from goldbeat.tb.build.compiling import symbol_kind
from goldbeat.tb.design.pin_names import is_reset, rests
from goldbeat.tb.probe.taken import fixed_number, inside, settled_arms
from goldbeat.tb.probe.wiring import Graph, assigned_names, names_in, path_of, without_casts

_NAMED = ("NamedValue", "HierarchicalValue")
_MOST_EDGES = 8
"""Beyond so many it is no fixed latency."""
_MOST_ECHOES = 3
"""So many registers in a row."""


class Steps:
    """Assignments of the clocked blocks of a hierarchy, each with all that it depends on.

    Args:
        graph: of the hierarchy.
        ports: names by path.
    """

    def __init__(self, graph: Graph, ports: Mapping[str, str]) -> None:
        self.graph, self.ports = graph, ports
        self.paths = {name: path for path, name in ports.items()}
        self.sources: dict[str, set[str]] = defaultdict(set)
        self.constants: dict[str, list[tuple[int, frozenset[str]]]] = defaultdict(list)
        self._resets = {path for _, path, _, edge in graph.resets if edge}
        self._made: dict[str, frozenset[str]] = {}
        self._conditions: set[str] = set()
        self._asked: frozenset[str] | None = None
        self._next: dict[str, set[str]] = {}
        self._echoes: dict[str, frozenset[str]] = {}
        for kind, node in graph.makes:
            if kind == "ProceduralBlock" and symbol_kind(node.body) == "Timed":
                self._walk(node.body.stmt, frozenset())

    def _walk(self, statement: Any, around: frozenset[str]) -> None:
        kind = symbol_kind(statement)
        if kind == "Conditional" and settled_arms(statement) is None:
            around = around.union(*(names_in(one.expr) for one in statement.conditions))
        elif kind == "Case" and settled_arms(statement) is None:
            labels = (names_in(label) for item in statement.items for label in item.expressions)
            around = around.union(names_in(statement.expr), *labels)
        if kind == "Conditional" and settled_arms(statement) is None:
            for arm in filter(None, (statement.ifTrue, statement.ifFalse)):
                self._walk(arm, around)
        elif kind == "ExpressionStatement" and symbol_kind(statement.expr) == "Assignment":
            self._note(statement.expr, around)
        else:
            for one in inside(statement):
                self._walk(one, around)

    def _note(self, assignment: Any, around: frozenset[str]) -> None:
        left, right = without_casts(assignment.left), assignment.right
        self._conditions |= around
        targets = set(assigned_names(left))
        for target in targets:
            self.sources[target] |= around | names_in(right) | names_in(left) - targets
        value = fixed_number(right)
        if symbol_kind(left) in _NAMED and value is not None:
            self.constants[path_of(left)].append((value, around))

    # -- questions ----------------------------------------------------------------------------------------------

    def turns(self, one: str, other: str) -> bool:
        """Whether one port has a part in another, at once or at the next edge; or no register has."""
        behind = self._behind(other)
        return self.paths[one] in behind or not behind & self.graph.flops.keys()

    def only_stored(self, name: str, stored: Iterable[str]) -> bool | None:
        """Whether no decision asks for an input, nor for the registers that store it; None: one asks for these.

        Args:
            name: of the input.
            stored: paths of the registers.
        """
        if self._asked is None:
            self._asked = frozenset(self._at_once(self._conditions))
        if self.paths[name] in self._asked:
            return False
        return None if self._asked.intersection(stored) else True

    def beside(self, one: str, other: str) -> bool:
        """Whether a register looks at an input, and none does without another one."""
        parts = [near for path in self.sources if self.paths[one] in (near := self._at_once(self.sources[path]))]
        return bool(parts) and all(self.paths[other] in near for near in parts)

    def echoes(self, name: str) -> frozenset[str]:
        """Paths of the registers that an input alone makes, as those that delay it or find its edge."""
        if name in self._echoes:
            return self._echoes[name]
        mine, found = self.paths[name], set[str]()
        for _ in range(_MOST_ECHOES):
            near = {mine, *found}
            found |= {path for path in self.sources if (leaves := self._leaves(path)) and leaves <= near}
        self._echoes[name] = frozenset(found)
        return self._echoes[name]

    def _leaves(self, path: str) -> set[str]:
        """The registers and inputs that make a register at the next edge, without resets."""
        if path not in self._next:
            self._next[path] = set(self._counting(self._at_once(self.sources[path])))
        return self._next[path]

    def edges(self, one: str, other: str, stored: str) -> int | None:
        """The fewest edges on the way from an input to an output; None: there is no way.

        Args:
            one: the input.
            other: the output.
            stored: another input: what stores it is a memory, through which no way goes; empty: there is none.
        """
        near, seen, memory = self._at_once([self.paths[other]]), set[str](), self.paths.get(stored)
        for count in range(_MOST_EDGES):
            if self.paths[one] in near:
                return count
            flops = {path for path in near - seen if path in self.graph.flops}
            seen |= near
            made = {path: self._at_once(self.sources.get(path, ())) for path in flops}
            near = set[str]().union(*(behind for behind in made.values() if memory not in behind)) - seen
        return None

    def related(self, one: str, other: str) -> bool:
        """Whether two outputs have a register or an input in common, at once or one edge before; or one has no register."""
        first, second = self._behind(one) - {self.paths[other]}, self._behind(other) - {self.paths[one]}
        kept = self.graph.flops.keys()
        return not (first & kept and second & kept) or bool(first & second)

    def pops(self, name: str, valid: str, word: str, beside: Iterable[str]) -> bool:
        """Whether an input moves a register on that makes an output, and one that makes a word, as a count and a pointer do.

        Args:
            name: of the input.
            valid: the output that says that a word is there.
            word: the output with the word.
            beside: inputs that may move them as well; no other one does.
        """
        known = {self.paths[one] for one in (name, *beside)}

        def moved(output: str) -> bool:
            own = {self.paths[output], self.graph.origin(self.paths[output])[0]}
            for path in self._at_once([self.paths[output]]) & self.graph.flops.keys() - own:
                near = set(self._counting(self._at_once(self.sources.get(path, ()))))
                inputs = near & self.ports.keys() - self.graph.flops.keys()
                if path in near and self.paths[name] in inputs and inputs <= known:
                    return True
            return False

        return moved(valid) and moved(word)

    def tells_of(self, one: str, other: str) -> bool:
        """Whether an output is made at once of registers that make another one, and of nothing else: it is no register itself."""
        path = self.paths[one]
        made = self._at_once([path])
        kept = made & self.graph.flops.keys()
        inputs = made & self.ports.keys() - {path}
        alone = self.graph.origin(path)[0] not in self.graph.flops and not inputs
        return alone and bool(kept) and kept <= self._at_once([self.paths[other]])

    def falls_alone(self, valid: str, ready: str, *, low: bool) -> bool:
        """Whether a register that is a valid is cleared where the ready has no say, and no reset nor clear has.

        Args:
            valid: an output.
            ready: an input.
            low: the valid offers something when it is low.
        """
        path, turned = self.graph.origin(self.paths[valid])
        resting = int(low != turned)
        return any(
            value == resting and self.paths[ready] not in (behind := self._at_once(around)) and not self._clears(behind)
            for value, around in self.constants.get(path, ())
        )

    def _clears(self, behind: Iterable[str]) -> bool:
        """Whether a decision is that of a reset, or of an input that asks for nothing when it is 0."""
        near = [p for p in behind if (p in self.graph.flops or p in self.ports) and p not in self._resets]
        names = [self.ports.get(path, path.rpartition(".")[2]) for path in near]
        return all(is_reset(name) or rests(name) for name in names)

    def _behind(self, name: str) -> frozenset[str]:
        """Registers and inputs that make a port, and those that decide about these registers."""
        if name not in self._made:
            now = self._at_once([self.paths[name]])
            before = self._at_once(source for path in now for source in self.sources.get(path, ()))
            self._made[name] = frozenset(self._counting(now | before))
        return self._made[name]

    def _counting(self, paths: Iterable[str]) -> Iterator[str]:
        for path in paths:
            if (path in self.graph.flops or path in self.ports) and not is_reset(path.rpartition(".")[2]):
                yield path

    def _at_once(self, paths: Iterable[str]) -> set[str]:
        return set().union(*map(self.graph.makers, paths))
