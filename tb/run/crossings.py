# SPDX-License-Identifier: Apache-2.0
"""Signals of a design that are read on another clock than their own, found in the design that Verilator has elaborated.

Nothing is marked in the RTL: every register (and input) of one clock that a register or an output of another one depends on is
a crossing, with a synchroniser behind it or without.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from goldbeat.pymodels.errors import ToolError, UsageError
from goldbeat.tb.build.harness import TOP, make_harness
from goldbeat.tb.build.toolchain import need_programs, verilator
from goldbeat.tb.design.crossing import Crossing
from goldbeat.tb.design.design import Design

ResetUse = tuple[str, str]
"""A register, and its clock."""
_Node = Mapping[str, Any]


@dataclass
class _Block:
    """A process of the design.

    Attributes:
        edges: what its sensitivity list waits for an edge of; empty for combinational ones.
        reads: by what it assigns, what that depends on.
        blocking: what it assigns at once.
        copies: by what it assigns, variables whose whole value it takes.
        copied_if: by what it assigns, what its copies depend on.
        reset_if: by what it assigns, what its constants depend on.
        logic: what it assigns that is more than wires: under a condition or by an operator.
    """

    edges: tuple[str, ...]
    reads: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    blocking: set[str] = field(default_factory=set)
    copies: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    copied_if: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    reset_if: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    logic: set[str] = field(default_factory=set)


def find_crossings(design: Design, params: Mapping[str, Any]) -> tuple[Crossing, ...]:
    """The clock crossings of a design, for one set of parameter values.

    Raises:
        ToolError: Verilator failed.
        UsageError: no signal crosses between clocks.
    """
    clocks = [clock.name for clock in design.clocks]
    found = crossings_of(json.loads(_elaborated(design, params)), clocks, *_sides(design, params))
    if not found:
        raise UsageError(f"{design.name}: no signal crosses between its clocks: {', '.join(clocks)}")
    return found


def find_synchronisers(
    design: Design, params: Mapping[str, Any]
) -> tuple[tuple[Crossing, ...], tuple[ResetUse, ...], tuple[ResetUse, ...]]:
    """The clock crossings of a design, if there are any, and what :func:`resets_of` finds.

    Raises:
        ToolError: Verilator failed.
    """
    tree = json.loads(_elaborated(design, params))
    clocks = [clock.name for clock in design.clocks]
    return crossings_of(tree, clocks, *_sides(design, params)), *resets_of(tree, clocks)


def resets_of(tree: _Node, clocks: Iterable[str]) -> tuple[tuple[ResetUse, ...], tuple[ResetUse, ...]]:
    """Registers that release a reset on a clock and are its only flip-flop there; those with the reset of another clock.

    Args:
        tree: Verilator's, of a design in one module.
        clocks: inputs that are clocks.
    """
    from goldbeat.tb.run.crossing_bits import with_bits

    netlist = _Netlist([_block(node) for node in _blocks(with_bits(tree))], frozenset(clocks), {}, {})
    return tuple(sorted(netlist.lone_resets())), tuple(sorted(netlist.other_resets()))


def _sides(design: Design, params: Mapping[str, Any]) -> tuple[dict[str, str], dict[str, str]]:
    """The clocks of a harness's inputs, and of its outputs, by name."""
    ports = [*design.bundles(params), *design.register_ports(params), *design.memory_ports(params)]
    wires = [(f"{port.name}_{wire.name}", port.clock, wire.way) for port in ports for wire in port.wires()]
    inputs, outputs = ({name: clock for name, clock, way in wires if way == one} for one in ("input", "output"))
    return inputs, outputs


def _elaborated(design: Design, params: Mapping[str, Any]) -> str:
    """The design as Verilator has it, all instances in one module, as JSON."""
    tool = verilator()
    tool.need_crossings()
    need_programs("perl")
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / f"{TOP}.sv").write_text(make_harness(design, params))
        command = [str(tool.executable), "--json-only", "--flatten", "--json-only-output", "tree.json", "-Wno-fatal"]
        command += ["--top-module", TOP, "-Mdir", ".", *design.compile_flags()]
        command += [*(str(path.resolve()) for path in design.sources()), f"{TOP}.sv"]
        run = subprocess.run(command, cwd=folder, env=tool.environment(), capture_output=True, text=True, check=False)
        if run.returncode:
            tail = "\n".join(run.stderr.splitlines()[-25:])
            raise ToolError(f"looking for the clock crossings of {design.name} failed:\n{tail}")
        return (Path(folder) / "tree.json").read_text()


def crossings_of(
    tree: _Node, clocks: Iterable[str], inputs: Mapping[str, str], outputs: Mapping[str, str]
) -> tuple[Crossing, ...]:
    """The crossings of an elaborated design.

    Args:
        tree: Verilator's, of a design in one module.
        clocks: inputs that are clocks.
        inputs: the clocks of the other inputs, by name.
        outputs: the clocks of the outputs, by name.
    """
    # Runs of one clock need none of it.
    from goldbeat.tb.run.crossing_bits import with_bits

    given = (frozenset(clocks), inputs, outputs)
    found = _Netlist([_block(node) for node in _blocks(tree)], *given).crossings()
    # Bits of a vector have no names in the simulator; they are looked at for what is behind them alone.
    bits: dict[tuple[str, str], list[Crossing]] = defaultdict(list)
    known = {one.signal for one in found}
    for one in _Netlist([_block(node) for node in _blocks(with_bits(tree))], *given).crossings():
        bits[one.signal if one.signal in known else one.signal.rpartition("[")[0], one.clock].append(one)
    return tuple(_with_bits(one, bits[one.signal, one.clock] or [one]) for one in found)


def _with_bits(crossing: Crossing, bits: Iterable[Crossing]) -> Crossing:
    """A crossing with what is known of its flip-flops bit by bit."""
    first, used, behind, beside = (
        tuple(sorted({name for names in some for name in names}))
        for some in zip(*((one.first, one.used, one.behind_logic, one.beside) for one in bits), strict=True)
    )
    return replace(crossing, first=first, used=used, behind_logic=behind, beside=beside)


class _Netlist:
    """Who depends on whom."""

    def __init__(
        self, blocks: list[_Block], clocks: frozenset[str], inputs: Mapping[str, str], outputs: Mapping[str, str]
    ) -> None:
        self._clocks, self._outputs = clocks, outputs
        self._logic = {name for block in blocks for name in block.logic if not block.edges}
        self._wires: dict[str, set[str]] = defaultdict(set)
        self._aliases: dict[str, set[str]] = defaultdict(set)
        for block in blocks:
            if not block.edges:
                for name, reads in block.reads.items():
                    self._wires[name] |= reads
                    self._aliases[name] |= block.copies[name] if reads == block.copies[name] else {"", name}
        self._domains: dict[str, str] = dict(inputs)
        self._clocked = [(clock, block) for block in blocks if (clock := self._clock(block)) is not None]
        for clock, block in self._clocked:
            for name in block.reads:
                # Temporaries of functions, as `gray2bin__Vstatic__i`, are no registers.
                if "__V" not in name:
                    self._domains[name] = clock

    def _clock(self, block: _Block) -> str | None:
        """The clock of a process; an asynchronous reset is none, and one of several clocks is not known."""
        found = {clock for edge in block.edges for clock in self._roots([edge]) & self._clocks}
        return next(iter(found)) if len(found) == 1 else None

    def _roots(self, names: Iterable[str]) -> set[str]:
        """The registers and inputs that variables depend on by wires."""
        roots, seen, todo = set(), set(), list(names)
        while todo:
            name = todo.pop()
            if name in seen:
                continue
            seen.add(name)
            if name in self._domains or name not in self._wires:
                roots.add(name)
            else:
                todo += self._wires[name]
        return roots

    def _original(self, name: str) -> str:
        """What a wire is another name of."""
        for _ in range(len(self._aliases) + 1):
            aliases = self._aliases.get(name, set())
            if len(aliases) != 1 or name in self._domains:
                break
            (name,) = aliases
        return name

    def crossings(self) -> tuple[Crossing, ...]:
        found: dict[tuple[str, str], set[str]] = {}
        through: dict[tuple[str, str], set[str]] = defaultdict(set)
        for clock, block in self._clocked:
            for name, reads in block.reads.items():
                # What was assigned at once, earlier in the same process, is read as it is now.
                local: set[str] = set()
                todo = list(reads)
                while todo:
                    one = todo.pop()
                    if one not in local:
                        local.add(one)
                        todo += block.reads[one] if one in block.blocking else ()
                for root in self._foreign(local, clock):
                    copied = name not in block.blocking and {self._original(c) for c in block.copies[name]} == {root}
                    found.setdefault((root, clock), set()).update({name} if copied else ())
                    if not copied and name not in block.blocking and self._through_logic(name, block, root):
                        through[root, clock].add(name)
        for name, clock in self._outputs.items():
            for root in self._foreign([name], clock):
                found.setdefault((root, clock), set())
        used, always = self._used({name for names in (*found.values(), *through.values()) for name in names})
        return tuple(
            Crossing(
                *key,
                tuple(sorted(copies)),
                tuple(sorted(copies)),
                tuple(sorted(copies & used & always)),
                tuple(sorted(through[key] & always - used)),
                tuple(sorted(copies & always)) if len(copies & always) > 1 else (),
            )
            for key, copies in sorted(found.items())
        )

    def lone_resets(self) -> Iterator[tuple[str, str]]:
        """Registers that an edge of an asynchronous reset and a constant set, whose edges reset others, and their clocks."""
        released = {
            name: clock
            for clock, block in self._clocked
            for name, reads in block.reads.items()
            if len(block.edges) > 1 and self._roots(reads) <= self._roots(block.edges)
        }
        edges = {root for clock, block in self._clocked for root in self._roots(block.edges) - {clock}}
        yield from ((name, released[name]) for name in edges & released.keys())

    def other_resets(self) -> Iterator[tuple[str, str]]:
        """Registers that an input resets which is for most registers of another clock, and not for those of theirs."""
        uses: dict[str, Counter[str]] = defaultdict(Counter)
        blocks = [
            (clock, block, self._roots(block.edges) - {clock} - self._domains.keys()) for clock, block in self._clocked
        ]
        for clock, block, resets in blocks:
            uses[clock].update({reset: len(block.reads) for reset in resets})
        usual = {clock: counts.most_common(1)[0][0] for clock, counts in uses.items() if counts}
        for clock, block, resets in blocks:
            if resets and usual[clock] not in resets and resets & {usual[one] for one in usual}:
                yield from ((name, clock) for name in sorted(block.reads)[:1])

    def _through_logic(self, name: str, block: _Block, root: str) -> bool:
        """Whether logic stands between a register of another clock and one that takes what comes of it."""
        seen, todo = set[str](), [name]
        while todo:
            one = todo.pop()
            if one in seen:
                continue
            seen.add(one)
            if one == name or one in block.blocking:
                # What a function gives is assigned at once, in the same process.
                if one in block.logic:
                    return True
                todo += block.reads[one]
            elif one in self._wires and one not in self._domains and root in self._roots([one]):
                if one in self._logic:
                    return True
                todo += self._wires[one]
        return False

    def _used(self, copies: set[str]) -> tuple[set[str], set[str]]:
        """Registers that take a signal of another clock and are no flip-flop in front of another one; those that always take it.

        A register that takes the signal at times, and not only out of reset, holds data that rest.
        """
        found: set[str] = set()
        always: set[str] = set()
        read: set[str] = set()
        for _, block in self._clocked:
            for name, reads in block.reads.items():
                roots = self._roots(reads)
                taken = {self._original(one) for one in block.copies[name]}
                if name in copies and block.copied_if[name] <= block.reset_if[name]:
                    always.add(name)
                read |= roots
                found |= {one for one in roots & copies if name in block.blocking or taken != {one}}
        found |= {one for name in self._outputs for one in self._roots([name]) & copies}
        return found | (copies - read), always

    def _foreign(self, names: Iterable[str], clock: str) -> set[str]:
        return {root for root in self._roots(names) if self._domains.get(root, clock) != clock}


# -- Verilator's tree -------------------------------------------------------------------------------------------------


def _children(node: _Node) -> Iterator[_Node]:
    for value in node.values():
        if isinstance(value, list):
            yield from (child for child in value if isinstance(child, dict))


def _blocks(node: _Node) -> Iterator[_Node]:
    """The processes and continuous assignments of a tree."""
    if node.get("type", "").startswith("ALWAYS") or node.get("type") == "ASSIGNW":
        yield node
        return
    for child in _children(node):
        yield from _blocks(child)


def _variables(node: _Node, access: str) -> set[str]:
    """The variables that a tree reads (``RD``) or writes (``WR``)."""
    found = set()
    if node.get("type") == "VARREF" and access in (node["access"], node["access"].replace("RW", access)):
        found.add(str(node["name"]))
    for child in _children(node):
        found |= _variables(child, access)
    return found


_WIRING = frozenset({"VARREF", "CONST", "SEL", "CONCAT", "REPLICATE", "EXTEND", "EXTENDS", "NOT", "LOGNOT"})
"""Nodes in which a bit of the result depends on one bit alone, so that it has no glitches."""


def _is_wiring(node: _Node) -> bool:
    return node.get("type") in _WIRING and all(map(_is_wiring, _children(node)))


def _block(node: _Node) -> _Block:
    edges = [
        name
        for tree in node.get("sentreep", ())
        for item in tree.get("sensesp", ())
        if item.get("edgeType") in ("POS", "NEG", "BOTH")
        for name in _variables(item, "RD")
    ]
    block = _Block(tuple(edges))
    if node["type"] == "ASSIGNW":
        _statement(node, set(), block)
    for statement in node.get("stmtsp", ()):
        _statement(statement, set(), block)
    return block


def _statement(node: _Node, conditions: set[str], block: _Block) -> None:
    """Add what a statement assigns; it depends on its right side, its indices and the conditions around it."""
    written = _variables(node, "WR")
    if not written:
        return
    if not node["type"].startswith("ASSIGN"):
        inside = {key: value for key, value in node.items() if isinstance(value, list)}
        # The statements of a branch or loop depend on everything around them that is read and assigns nothing.
        plain = [c for part in inside.values() for c in part if isinstance(c, dict) and not _variables(c, "WR")]
        around = conditions.union(*(_variables(c, "RD") for c in plain))
        nested = [c for part in inside.values() for c in part if isinstance(c, dict) and _variables(c, "WR")]
        if not nested or node["type"] in ("VARREF", "CONCAT"):
            for name in written:
                block.reads[name] |= around | _variables(node, "RD")
            return
        for child in nested:
            _statement(child, around, block)
        return
    right, left = node.get("rhsp", ()), node.get("lhsp", ())
    reads = set(conditions).union(*(_variables(n, "RD") for n in (*right, *left)))
    for name in written:
        block.reads[name] |= reads
        if node["type"] == "ASSIGN":
            block.blocking.add(name)
    # ASSIGNW in a process of its own is a wire; `x <= y` takes a whole variable, constants are for resets.
    (one,) = written if len(written) == 1 else ("",)
    plain_left = len(left) == 1 and left[0]["type"] == "VARREF"
    if plain_left and len(right) == 1 and right[0]["type"] == "VARREF":
        block.copies[one].add(str(right[0]["name"]))
        block.copied_if[one] |= conditions
    elif plain_left and len(right) == 1 and right[0]["type"] == "CONST":
        block.reset_if[one] |= conditions
    else:
        for name in written:
            block.copies[name] |= {"", name}
            block.copied_if[name] |= conditions
    if not all(map(_is_wiring, right)) or (conditions and not block.edges):
        block.logic |= written
