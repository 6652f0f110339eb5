# SPDX-License-Identifier: Apache-2.0
"""Which clock drives and reads each port of a top module, and what resets what, from the elaborated source.

Every symbol of the hierarchy is a node, known by its path. Continuous assignments, combinational blocks and port connections are
edges; an assignment in a block that waits for an edge makes its target a flip-flop. Bits of a vector are not told apart: a
port may then have several clocks, and the caller falls back on names.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from goldbeat.tb.build.compiling import operator_of, symbol_kind
from goldbeat.tb.design.pin_names import is_clock
from goldbeat.tb.probe.module import ResetUse, Wiring
from goldbeat.tb.probe.taken import fixed_number, inside, settled_arms, visit_taken

_NOT = ("LogicalNot", "BitwiseNot")
_ANY_OF = ("LogicalOr", "LogicalAnd", "BinaryOr", "BinaryAnd")
_AND = ("LogicalAnd", "BinaryAnd")
_OR = ("LogicalOr", "BinaryOr")
_SAME = ("Equality", "CaseEquality")
_OTHER = ("Inequality", "CaseInequality")
_ONE_INPUT = ("buf", "not")
_LEAVE = ("Return", "Disable")
_SKIP = ("Break", "Continue")
_NAMED = ("NamedValue", "HierarchicalValue")


def path_of(value: Any) -> str:
    """The path of a named value; of a member of a modport, that of the interface's signal."""
    symbol = value.symbol
    if symbol_kind(symbol) == "ModportPort" and symbol.internalSymbol is not None:
        symbol = symbol.internalSymbol
    return str(symbol.hierarchicalPath)


def names_in(node: Any) -> set[str]:
    """Paths of every value that an expression or a statement mentions."""
    found: set[str] = set()

    def look(inner: Any) -> None:
        if symbol_kind(inner) in _NAMED:
            found.add(path_of(inner))

    visit_taken(node, look)
    return found


def without_casts(expression: Any) -> Any:
    """An expression without conversions and without choices that constants make."""
    while True:
        kind = symbol_kind(expression)
        if kind == "Conversion":
            expression = expression.operand
        elif kind == "ConditionalOp" and (arms := settled_arms(expression)) is not None:
            (expression,) = arms
        else:
            return expression


def plain_value(expression: Any) -> tuple[str, bool] | None:
    """A plain value or its negation: path and whether it is inverted."""
    expression, inverted = without_casts(expression), False
    while symbol_kind(expression) == "UnaryOp" and operator_of(expression) in _NOT:
        expression, inverted = without_casts(expression.operand), not inverted
    if symbol_kind(expression) in ("ElementSelect", "RangeSelect") and expression.value.type.bitWidth == 1:
        # The only bit of a vector, as generate loops over one channel write it.
        expression = expression.value
    if symbol_kind(expression) in _NAMED:
        return path_of(expression), inverted
    return None


def values_moved(expression: Any) -> set[str]:
    """Paths of the values that an expression has as they are: without operators, and without what selects among them."""
    expression = without_casts(expression)
    kind = symbol_kind(expression)
    if kind in _NAMED:
        return {path_of(expression)}
    if kind in ("ElementSelect", "RangeSelect", "MemberAccess"):
        return values_moved(expression.value)
    if kind == "ConditionalOp":
        return values_moved(expression.left) | values_moved(expression.right)
    if kind == "Concatenation":
        return set().union(*map(values_moved, expression.operands))
    if kind in ("SimpleAssignmentPattern", "StructuredAssignmentPattern"):
        return set().union(*map(values_moved, expression.elements))
    return set()


def assigned_names(left: Any) -> Iterator[str]:
    """Paths of what an assignment changes, without what selects a part of it."""
    left = without_casts(left)
    kind = symbol_kind(left)
    if kind in _NAMED:
        yield path_of(left)
    elif kind in ("ElementSelect", "RangeSelect", "MemberAccess"):
        yield from assigned_names(left.value)
    elif kind == "Concatenation":
        for one in left.operands:
            yield from assigned_names(one)


def is_and(node: Any) -> bool:
    """Whether an operator is a conjunction."""
    return operator_of(node) in _AND


def is_or(node: Any) -> bool:
    """Whether an operator is a disjunction."""
    return operator_of(node) in _OR


def negated_and(node: Any) -> Any:
    """The conjunction that a negation is of; None: it is of something else."""
    inner = without_casts(node.operand)
    turned = operator_of(node) in _NOT
    return inner if turned and symbol_kind(inner) == "BinaryOp" and is_and(inner) else None


def _one_bit(expression: Any) -> tuple[str, bool] | None:
    """A plain value, its negation, or a bit that is compared with a constant: path and whether it is inverted."""
    value = plain_value(expression)
    if value is not None or symbol_kind(expression) != "BinaryOp":
        return value
    op = operator_of(expression)
    for side, other in ((expression.left, expression.right), (expression.right, expression.left)):
        value, number = plain_value(side), fixed_number(other)
        if (
            op in (*_SAME, *_OTHER)
            and value is not None
            and number in (0, 1)
            and without_casts(side).type.bitWidth == 1
        ):
            return value[0], value[1] ^ (number == 0) ^ (op in _OTHER)
    return None


def signed_terms(expression: Any) -> Iterator[str]:
    """What must be high, or with ``!`` low, for an expression to be high."""
    expression = without_casts(expression)
    if symbol_kind(expression) == "BinaryOp" and is_and(expression):
        yield from signed_terms(expression.left)
        yield from signed_terms(expression.right)
    elif (value := _one_bit(expression)) is not None:
        yield f"{'!' * value[1]}{value[0]}"


def case_levels(statement: Any, labels: Iterable[Any]) -> Iterator[tuple[Any, bool]]:
    """The conditions of one bit that an arm of a ``case`` needs, and their levels.

    Of ``case ({a && b, c})`` these are the parts, of ``case (1'b1)`` the only label.

    Args:
        statement: the ``case``.
        labels: of the arm.
    """
    asked, labels = without_casts(statement.expr), list(labels)
    if fixed_number(asked) == 1 and asked.type.bitWidth == 1:
        yield from ((one, True) for one in labels if len(labels) == 1)
        return
    parts = list(asked.operands) if symbol_kind(asked) == "Concatenation" else [asked]
    numbers = [number for one in labels if (number := fixed_number(one)) is not None]
    if len(numbers) < len(labels) or any(part.type.bitWidth != 1 for part in parts):
        return
    for place, part in enumerate(reversed(parts)):
        bits = {number >> place & 1 for number in numbers}
        if len(bits) == 1:
            yield part, bits == {1}


def case_terms(statement: Any, labels: Iterable[Any]) -> Iterator[str]:
    """What must be high, or with ``!`` low, for an arm of a ``case``."""
    for part, level in case_levels(statement, labels):
        yield from signed_terms(part) if level else (f"{'!' * (not low)}{path}" for path, low in _plain_bit(part))


def is_masked(expression: Any) -> bool:
    """Whether an expression may be ``{N{put}} & word | ...``."""
    expression = without_casts(expression)
    wide = symbol_kind(expression) == "BinaryOp" and expression.type.bitWidth > 1
    return wide and (is_or(expression) or is_and(expression))


def masked_names(expression: Any) -> Iterator[tuple[str, frozenset[str]]]:
    """The values in ``{N{put}} & word | {N{~put}} & kept``, each with what lets it through; of others none do."""
    expression = without_casts(expression)
    if symbol_kind(expression) == "BinaryOp" and is_or(expression):
        yield from masked_names(expression.left)
        yield from masked_names(expression.right)
        return
    terms = frozenset[str]()
    if symbol_kind(expression) == "BinaryOp" and is_and(expression):
        for one in map(without_casts, (expression.left, expression.right)):
            if symbol_kind(one) == "Replication" and one.concat.type.bitWidth == 1:
                (bit,) = one.concat.operands
                terms |= frozenset(signed_terms(bit))
    yield from ((name, terms) for name in names_in(expression))


def _plain_bit(expression: Any) -> Iterator[tuple[str, bool]]:
    """The bit that an expression is, and whether it is inverted."""
    if (value := _one_bit(without_casts(expression))) is not None:
        yield value


def blocking_terms(expression: Any) -> Iterator[str]:
    """What must be high, or with ``!`` low, for a disjunction to be low."""
    expression = without_casts(expression)
    if symbol_kind(expression) == "BinaryOp" and is_or(expression):
        yield from blocking_terms(expression.left)
        yield from blocking_terms(expression.right)
    elif (value := _one_bit(expression)) is not None:
        yield f"{'!' * (not value[1])}{value[0]}"


def _conditions(expression: Any, inverted: bool = False) -> Iterator[tuple[str, bool]]:
    """The values of which each alone makes a condition true, with whether it does when low."""
    expression = without_casts(expression)
    kind = symbol_kind(expression)
    if kind in _NAMED:
        yield path_of(expression), inverted
    elif kind == "UnaryOp" and operator_of(expression) in _NOT:
        yield from _conditions(expression.operand, not inverted)
    elif kind == "BinaryOp":
        op = operator_of(expression)
        if op in _ANY_OF:
            # In a conjunction, as that of an enable and a reset's inactive level, none decides alone.
            if (op in _AND) != inverted:
                return
            yield from _conditions(expression.left, inverted)
            yield from _conditions(expression.right, inverted)
        elif op in (*_SAME, *_OTHER):
            for side, other in ((expression.left, expression.right), (expression.right, expression.left)):
                value, constant = plain_value(side), without_casts(other).constant
                if value is not None and constant is not None:
                    low = str(constant).endswith("0")
                    yield value[0], value[1] ^ inverted ^ low ^ op.endswith("Inequality")


def _decisions(statement: Any) -> Iterator[Any]:
    """The outermost ``if`` statements of a block."""
    kind = symbol_kind(statement)
    if kind == "Conditional" and settled_arms(statement) is None:
        yield statement
    elif kind in ("Timed", "Block", "List", "Conditional"):
        for inner in inside(statement):
            yield from _decisions(inner)


def closure(starts: Iterable[str], after: Callable[[str], Iterable[str]]) -> set[str]:
    """Names and everything that leads on from them.

    Args:
        starts: where to begin.
        after: what comes next behind a name.
    """
    todo = list(starts)
    seen = set(todo)
    while todo:
        fresh = set(after(todo.pop())) - seen
        seen |= fresh
        todo += fresh
    return seen


def _combined(
    statement: Any, asked: frozenset[str], written: Collection[str]
) -> Iterator[tuple[Collection[str], Collection[str]]]:
    """The edges of a block, sources and targets: each value is made of what it is given, and of what decides about that.

    Args:
        statement: of the block.
        asked: what decides about it.
        written: all that the block assigns, which depends on everything of a statement that is not followed.
    """
    kind = symbol_kind(statement)
    if kind in ("Conditional", "Case") and settled_arms(statement) is None:
        around = asked.union(*map(names_in, _asked(statement)))
        for inner in _arms(statement):
            yield from _combined(inner, around, written)
    elif kind == "ForLoop" and not _jumps(statement):
        yield from _combined(statement.body, asked | names_in(statement.stopExpr), written)
    elif kind in ("Conditional", "Case", "List", "Block", "Timed"):
        for inner in inside(statement):
            yield from _combined(inner, asked, written)
    elif kind == "VariableDeclaration":
        value = statement.symbol.initializer
        yield asked | names_in(value) if value is not None else (), [str(statement.symbol.hierarchicalPath)]
    elif kind == "ExpressionStatement" and symbol_kind(statement.expr) == "Assignment":
        mentioned, targets = names_in(statement.expr.left), set(assigned_names(statement.expr.left))
        yield asked | names_in(statement.expr.right) | mentioned - targets, targets or mentioned
    elif kind != "Empty":
        own = set() if _jumps(statement, _LEAVE) else _written(statement)
        known = bool(own) or kind == "ImmediateAssertion"
        yield asked | names_in(statement), own if known else written


class Graph:
    """Everything found on one walk through the hierarchy.

    Attributes:
        makes: kind and node of what gives values: assignments, wires, instances and blocks.
    """

    def __init__(self, top: Any) -> None:
        self.driven: set[str] = set()
        self.before: dict[str, set[str]] = defaultdict(set)
        self.after: dict[str, set[str]] = defaultdict(set)
        self.plain: dict[str, tuple[str, bool]] = {}
        self.flops: dict[str, set[str]] = defaultdict(set)
        self.readers: dict[str, set[str]] = defaultdict(set)
        self.blocks: Counter[str] = Counter()
        self.resets: set[tuple[str, str, bool, bool]] = set()
        self.clears: list[tuple[str, str, int]] = []
        self.checks: list[Any] = []
        self.makes: list[tuple[str, Any]] = []
        self._clocked: list[tuple[Any, set[str], set[str]]] = []
        self._stored: dict[str, set[str]] = defaultdict(set)
        visit_taken(top, self._look)
        ports = {f"{top.name}.{port.name}" for port in top.body.portList}
        uses = Counter(name for _, _, used in self._clocked for name in used)
        for body, written, used in self._clocked:
            # What nobody else looks at prints or counts what should not be.
            elsewhere = any(self.after.get(name, set()) - written or uses[name] > (name in used) for name in written)
            if elsewhere or written & ports:
                self._note_resets(body)
            else:
                self.checks.append(body)

    def _look(self, node: Any) -> None:
        kind = symbol_kind(node)
        if kind == "ContinuousAssign" and symbol_kind(node.assignment) == "Assignment":
            self._assign(node.assignment.left, node.assignment.right)
        elif kind == "Net" and node.initializer is not None:
            self._connect(node.hierarchicalPath, node.initializer)
        elif kind == "Variable" and node.initializer is not None:
            self.driven.add(node.hierarchicalPath)
        elif kind == "Instance":
            for connection in node.portConnections:
                self._port(connection)
        elif kind == "PrimitiveInstance":
            self._primitive(node)
        elif kind == "ProceduralBlock":
            self._block(node.body)
        else:
            return
        self.makes.append((kind, node))

    def _primitive(self, gate: Any) -> None:
        """A gate of the language, as ``not (rst_n, rst)``."""
        ends = [end for end in gate.portConnections if end is not None]
        sources = [end for end in ends if symbol_kind(end) != "Assignment"]
        value = plain_value(sources[0]) if gate.primitiveType.name in _ONE_INPUT and sources else None
        for target in (name for end in ends if symbol_kind(end) == "Assignment" for name in names_in(end.left)):
            self.driven.add(target)
            for name in (name for source in sources for name in names_in(source)):
                self._edge(name, target)
            if value is not None:
                self.plain[target] = value[0], value[1] != (gate.primitiveType.name == "not")

    def _edge(self, source: str, target: str) -> None:
        self.before[target].add(source)
        self.after[source].add(target)

    def _connect(self, target: str, source: Any) -> None:
        self.driven.add(target)
        for name in names_in(source):
            self._edge(name, target)
        value = plain_value(source)
        if value is not None:
            self.plain[target] = value

    def _assign(self, left: Any, right: Any) -> None:
        for one, value in _each(left, right):
            for target in names_in(one):
                self._connect(target, value)

    def _port(self, connection: Any) -> None:
        port, expression = connection.port, connection.expression
        inner = getattr(port, "internalSymbol", None)
        if inner is None or expression is None:
            return
        path = inner.hierarchicalPath
        if symbol_kind(expression) == "Assignment":
            for name in names_in(expression.left):
                self._edge(path, name)
            if (outer := plain_value(expression.left)) is not None and not outer[1]:
                self.plain[outer[0]] = path, False
        else:
            self._connect(path, expression)

    def _block(self, body: Any) -> None:
        events = list(_events(body.timing)) if symbol_kind(body) == "Timed" else []
        written = _written(body)
        self.driven |= written
        if not events:
            for sources, targets in _combined(body, frozenset(), written):
                self._edges(sources, targets)
            return
        used = names_in(body.stmt)
        edges = dict(events)
        clocks = [name for name in edges if name not in used] or list(edges)[:1]
        clock = clocks[0]
        self.blocks[clock] += 1
        for target in written:
            self.flops[target].add(clock)
        for name in used:
            self.readers[name].add(clock)
        self._clocked.append((body, written, used))

    def _edges(self, sources: Iterable[str], targets: Iterable[str]) -> None:
        for target in targets:
            for source in sources:
                self._edge(source, target)

    def _note_resets(self, body: Any) -> None:
        edges = dict(_events(body.timing))
        used = names_in(body.stmt)
        clock = ([name for name in edges if name not in used] or list(edges))[0]
        decisions = list(_decisions(body))
        if decisions and (cleared := _cleared(decisions[0]) or _cleared_behind(body, decisions)) is not None:
            self.clears.append((clock, *cleared))
        for decision in decisions:
            # What works in its first branch, and sets constants in the other, is reset in that.
            other = decision.ifFalse
            works = _varies(decision.ifTrue) and other is not None and _is_constant(other)
            found = [one for condition in decision.conditions for one in _conditions(condition.expr)]
            for name, low in found:
                self.resets.add((clock, name, low if works and len(found) == 1 else not low, name in edges))

    def origin(self, path: str) -> tuple[str, bool]:
        """Follow plain connections up to where a value comes from, and whether it arrives inverted."""
        inverted, seen = False, set()
        while path in self.plain and path not in seen:
            seen.add(path)
            path, turned = self.plain[path]
            inverted ^= turned
        return path, inverted

    def decided(self, paths: Iterable[str]) -> set[str]:
        """Everything that values depend on, registers and what decides about them included, and themselves."""
        if not self._stored:
            for body, written, _ in self._clocked:
                for sources, targets in _combined(body, frozenset(), written):
                    for target in targets:
                        self._stored[target].update(sources)
        return closure(paths, lambda name: (*self.before.get(name, ()), *self._stored.get(name, ())))

    def makers(self, path: str) -> set[str]:
        """What a value is made of, up to the registers."""
        return closure([path], lambda name: () if name in self.flops else self.before.get(name, ()))

    def conjuncts(self, names: Iterable[str], needs: Mapping[str, Iterable[str]]) -> set[str]:
        """Conditions, and those whose conjunction they are; ``needs``: of a wire, what must be high for it."""
        return closure(names, lambda name: (*needs.get(name, ()), self.origin(name)[0]))

    def signed_conjuncts(self, terms: Iterable[str], needs: Mapping[str, Iterable[str]]) -> set[str]:
        """The same of terms: a ``!`` goes along with what is connected.

        Args:
            terms: names, with ``!`` those that must be low.
            needs: terms that must hold for a wire to be high.
        """

        def behind(term: str) -> Iterator[str]:
            path, turned = self.origin(term.lstrip("!"))
            yield f"{'!' * (turned != term.startswith('!'))}{path}"
            yield from needs.get(term, ())

        return closure(terms, behind)

    def reach(self, start: str, edges: dict[str, set[str]], stops: dict[str, set[str]]) -> set[str]:
        """The clocks of the first flip-flops met on every way from a symbol."""
        clocks: set[str] = set()
        seen, todo = {start}, [start]
        while todo:
            name = todo.pop()
            if name in stops:
                clocks |= stops[name]
                if stops is self.flops:
                    continue
            for follower in edges.get(name, ()):
                if follower not in seen:
                    seen.add(follower)
                    todo.append(follower)
        return clocks


def _each(left: Any, right: Any) -> Iterator[tuple[Any, Any]]:
    """The parts of an assignment, where both sides are put together of parts of one bit: ``{a, b} = {2{c}}``."""
    wide, value = without_casts(left), without_casts(right)
    parts = list(wide.operands) if symbol_kind(wide) == "Concatenation" else []
    given: list[Any] = []
    if parts and symbol_kind(value) == "Concatenation":
        given = list(value.operands)
    elif parts and symbol_kind(value) == "Replication" and value.concat.type.bitWidth == 1:
        given = [value.concat.operands[0]] * len(parts)
    single = all(one.type.bitWidth == 1 for one in (*parts, *given))
    yield from zip(parts, given, strict=True) if given and single and len(given) == len(parts) else [(left, right)]


def _arms(decision: Any) -> Iterator[Any]:
    """The statements among which an ``if`` or a ``case`` decides."""
    if symbol_kind(decision) == "Case":
        yield from inside(decision)
    else:
        yield from filter(None, (decision.ifTrue, decision.ifFalse))


def _asked(decision: Any) -> list[Any]:
    """What an ``if`` or a ``case`` looks at."""
    if symbol_kind(decision) == "Conditional":
        return [one.expr for one in decision.conditions]
    return [decision.expr, *(label for item in decision.items for label in item.expressions)]


def _jumps(statement: Any, kinds: Sequence[str] = (*_LEAVE, *_SKIP)) -> bool:
    """Whether a statement may leave a block, or a loop: what follows depends on it then."""
    found: list[bool] = []

    def look(node: Any) -> None:
        found.append(symbol_kind(node) in kinds)

    visit_taken(statement, look)
    return any(found)


def _events(timing: Any) -> Iterator[tuple[str, bool]]:
    """The edges that a block waits for: path and whether it is the rising one."""
    if symbol_kind(timing) == "EventList":
        for event in timing.events:
            yield from _events(event)
    elif symbol_kind(timing) == "SignalEvent":
        edge = str(timing.edge).rpartition(".")[2]
        value = plain_value(timing.expr)
        if value is not None and edge in ("PosEdge", "NegEdge"):
            yield value[0], edge == "PosEdge"


def _cleared(decision: Any) -> tuple[str, int] | None:
    """What alone decides that registers get constants, else values, and how many; None: the decision is another one."""
    conditions = [value for one in decision.conditions for value in _conditions(one.expr)]
    if len(conditions) != 1 or decision.ifFalse is None or not _varies(decision.ifFalse) or _varies(decision.ifTrue):
        return None
    targets = _written(decision.ifTrue)
    return (conditions[0][0], len(targets)) if targets else None


def _cleared_behind(body: Any, decisions: Sequence[Any]) -> tuple[str, int] | None:
    """The same of a decision that others stand before. It counts as one register if it sets few of the block's.

    Memories do not count. A block of many data registers and few pointers may have a reset, but its name has to say so.
    """
    for decision in decisions[1:]:
        conditions = [value for one in decision.conditions for value in _conditions(one.expr)]
        if len(conditions) != 1 or _varies(decision.ifTrue):
            continue
        cleared, counted = _registers(decision.ifTrue), _registers(body)
        rest = _registers(*(one for one in decisions if one is not decision), decision.ifFalse)
        if cleared and cleared <= rest:
            return conditions[0][0], len(cleared) if 2 * len(cleared) > len(counted) else 1
    return None


def _registers(*statements: Any) -> set[str]:
    """What statements assign as a whole: no words of memories."""
    found: set[str] = set()

    def look(node: Any) -> None:
        if symbol_kind(node) == "Assignment" and (target := plain_value(node.left)) is not None:
            found.add(target[0])

    for statement in statements:
        if statement is not None:
            visit_taken(statement, look)
    return found


def _varies(statement: Any) -> bool:
    """Whether a statement stores anything that is no constant."""
    found: list[bool] = []

    def look(node: Any) -> None:
        if symbol_kind(node) == "Assignment":
            for one in _chosen(node.right):
                one.visit(value)

    def value(node: Any) -> None:
        found.append(symbol_kind(node) in _NAMED and symbol_kind(node.symbol) not in ("Parameter", "EnumValue"))

    statement.visit(look)
    return any(found)


def _is_constant(statement: Any) -> bool:
    """Whether a statement stores constants alone, under no condition."""
    asked: list[Any] = []

    def look(node: Any) -> None:
        if symbol_kind(node) in ("Conditional", "Case") and settled_arms(node) is None:
            asked.append(node)

    statement.visit(look)
    return not asked and bool(_written(statement)) and not _varies(statement)


def _chosen(expression: Any) -> Iterator[Any]:
    """The values among which an expression chooses: of ``full ? 1 : 0`` two constants."""
    inner = without_casts(expression)
    if symbol_kind(inner) == "ConditionalOp":
        yield from _chosen(inner.left)
        yield from _chosen(inner.right)
    else:
        yield expression


def _written(body: Any) -> set[str]:
    """What a block assigns."""
    targets: set[str] = set()

    def look(node: Any) -> None:
        if symbol_kind(node) == "Assignment":
            targets.update(names_in(node.left))

    visit_taken(body, look)
    return targets


def _clock_finder(graph: Graph, known: Mapping[str, str]) -> Callable[[str], str | None]:
    """What gives the input that a clock is, or that it is made of by gates and dividers; None: there is not one.

    Args:
        graph: of the hierarchy.
        known: names of inputs by path.
    """
    direct = {origin for path in graph.blocks if (origin := graph.origin(path)[0]) in known}

    def behind(path: str) -> Iterable[str]:
        return graph.flops[path] if path in graph.flops else graph.before.get(path, ())

    @cache
    def clock_of(path: str) -> str | None:
        if (origin := graph.origin(path)[0]) in known:
            return known[origin]
        made_of = closure([path], behind) & known.keys()
        # What enables a gate, or selects, is no clock.
        found = {one for one in made_of if is_clock(known[one])} or made_of & direct
        return known[min(found)] if len(found) == 1 else None

    return clock_of


def trace(graph: Graph, top: str, inputs: Sequence[str], outputs: Iterable[str]) -> Wiring:
    """Follow clocks and resets through an elaborated hierarchy.

    Args:
        graph: of it.
        top: name of its top module.
        inputs: names of its input ports.
        outputs: names of its output ports.
    """
    prefix = f"{top}."
    known = {f"{prefix}{name}": name for name in inputs}
    clock_of = _clock_finder(graph, known)
    counts: Counter[str] = Counter()
    for path, blocks in graph.blocks.items():
        name = clock_of(path)
        if name is not None:
            counts[name] += blocks
    uses = set()
    for clock, reset, high, edge in graph.resets:
        domain, (origin, inverted) = clock_of(clock), graph.origin(reset)
        if origin in known:
            # The level counts whatever the clock is.
            uses.add(ResetUse(domain or "", known[origin], high ^ inverted, edge and domain is not None))

    firsts: dict[str, Counter[str]] = defaultdict(Counter)
    sets: Counter[str] = Counter()
    for clock, path, targets in graph.clears:
        origin, _ = graph.origin(path)
        firsts[clock_of(clock) or ""][origin] += 1
        sets[origin] += targets
    clears = {
        known[path]: sets[path]
        for domain, blocks in firsts.items()
        for path, number in blocks.items()
        if domain and path in known and 2 * number > blocks.total()
    }

    def clocks(found: set[str]) -> frozenset[str]:
        return frozenset(name for name in map(clock_of, found) if name is not None)

    return Wiring(
        tuple(name for name, _ in counts.most_common()),
        tuple(sorted(uses, key=lambda u: (u.clock, u.reset, u.active_high))),
        {name: clocks(graph.reach(f"{prefix}{name}", graph.before, graph.flops)) for name in outputs},
        {name: clocks(graph.reach(f"{prefix}{name}", graph.after, graph.readers)) for name in inputs},
        clears,
    )
