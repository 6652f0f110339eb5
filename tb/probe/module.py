# SPDX-License-Identifier: Apache-2.0
"""A top module as the elaborator saw it, without any of the elaborator's own objects."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

from goldbeat.tb.design.ports.recognition import Pin, TopParameter
from goldbeat.tb.probe.flat import FlatModule


@dataclass(frozen=True)
class ResetUse:
    """An input found in a clocked block's first decision: at which level it resets.

    Attributes:
        clock: the input that the block's clock is made of; empty: there is not one.
        reset: the input.
        active_high: the level.
        edge: the block of a known clock waits for it.
    """

    clock: str
    reset: str
    active_high: bool
    edge: bool


@dataclass(frozen=True)
class Wiring:
    """Who clocks whom, seen from the top's ports.

    Attributes:
        clocks: inputs whose edges flip-flops follow, most flip-flop blocks first.
        resets: how inputs reset clocked blocks, each use once.
        driven: for every output, the clocks of the flip-flops that it comes from.
        read: for every input, the clocks of the flip-flops that it goes to.
        clears: inputs that alone decide first in most clocked blocks that begin with constants: else they store values.
            Each has the number of registers that it sets.
    """

    clocks: tuple[str, ...] = ()
    resets: tuple[ResetUse, ...] = ()
    driven: Mapping[str, frozenset[str]] = field(default_factory=dict)
    read: Mapping[str, frozenset[str]] = field(default_factory=dict)
    clears: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class FifoUse:
    """What the RTL says of a side.

    Attributes:
        guarded: the enable and what makes the flag are looked at together.
        register: the data are a register.
        late: it takes over data with the enable alone, so they come a cycle after it.
    """

    guarded: bool
    register: bool
    late: bool


Branch = tuple[str, frozenset[str]]
"""An assignment to a register or variable: its path, and what must be high for it."""


@dataclass(frozen=True)
class MadeValues:
    """What a module makes of an input.

    Attributes:
        stored: the assignments that store it, each with the outputs that depend on it then.
        shown: outputs that are made of it alone, at once.
    """

    stored: Mapping[Branch, frozenset[str]] = field(default_factory=dict)
    shown: frozenset[str] = frozenset()


def _nothing_made(name: str, data: Collection[str]) -> MadeValues:
    """What a module without streams makes of an input."""
    return MadeValues()


def _of_nothing(outputs: Collection[str]) -> frozenset[str]:
    """The inputs that outputs of a module without code depend on."""
    return frozenset()


def _never_reworked(inputs: Collection[str], outputs: Collection[str], beside: Collection[str], bits: int) -> str:
    """What a module without code does with words."""
    return ""


def _never_joined(one: str, other: str) -> bool:
    """What a module without code looks at together."""
    return False


def _no_level(one: str, other: str, high: bool) -> bool | None:
    """The level of a port beside another in a module without code."""
    return None


def _always_joined(one: str, other: str) -> bool:
    """Whether ports of a module without code move together: nothing speaks against it."""
    return True


def _never_falls(valid: str, ready: str, *, low: bool) -> bool:
    """Whether a valid of a module without code falls before it is taken."""
    return False


def _no_way(one: str, other: str, stored: str) -> int | None:
    """How many edges are between ports of a module without code."""
    return None


def _not_stored(name: str, stored: Collection[str]) -> bool | None:
    """Whether a module without code only stores an input."""
    return False


def _never_late(data: str, enable: str, flag: str) -> bool:
    """Whether the data of a module without code come late."""
    return False


def _never_pops(name: str, valid: str, word: str, beside: Collection[str]) -> bool:
    """Whether an input of a module without code moves a queue on."""
    return False


def _never_guarded(enable: str, flag: str, high: bool) -> bool:
    """Whether a module without code checks a handshake."""
    return False


def _never_beside(one: str, other: str, high: bool, take: str) -> bool:
    """Whether a module without code writes a FIFO that something leaves at the same time."""
    return False


def _never_asked(name: str) -> bool:
    """Whether a module without code has a memory."""
    return False


def _never_set(name: str, high: bool) -> bool:
    """Whether an input of a module without code sets registers to constants."""
    return False


def _never_begins(strobe: str, data: Collection[str]) -> bool:
    """Whether a module without code is busy behind a strobe."""
    return False


@dataclass(frozen=True)
class Gates:
    """Ports as conditions.

    Attributes:
        stored: by input, the ports that must have a level for it to be stored, or what is made of it, and that level.
        joined: whether one port and another, or what makes it, are looked at together.
        level: the level of the second port where the first has a level, in disjunctions such as ``!valid || ready``, or
            else in conjunctions; None: in none, or both levels.
        guarded: whether the first, an input, changes no state unless the second has a level.
        guarded_late: the same, where registers that the second alone makes count like it, such as one that finds its edge.
        guarded_beside: the same as ``guarded`` of what is not looked at together with the fourth port, an input.
        only_with: whether the first, an output, is high only while the second, an input, has a level.
        held: whether the first, an output, is a register that changes only while the second, an output, has a level.
        taken: whether the first, an output, is high whenever all holds that the second, an input, is stored under.
        loads: whether the first, an output, is a register that is high for a cycle where the second, an output, may change.
        lasts: whether a register takes steps only while an input is high, which does not only begin them.
        begins: whether an input that stores others begins something that goes on by itself.
        kept: whether a register gets something of an input, which the input does not only decide about.
        indexed: whether what is stored of an input is a word that another input selects.
        clears: whether an input sets a register to a constant, which a reset would.
        turns: whether the first has a part in the second, at once or at the next edge.
        related: whether two outputs come, at once or an edge later, from a register or an input that they have in common;
            or one has no register.
        tells_of: whether the first, an output, is made at once of registers that make the second, and of nothing else.
        pops: whether the first, an input, moves registers on that make the second and the third, outputs, which no other
            inputs than the last ones do.
        follows: whether the first has a part in the second, an output, at once.
        falls_alone: whether the first, an output, is cleared where the second has no say.
        edges: the fewest edges from the first, an input, to the second, an output, past what stores the third, if there is
            one; None: no way.
        beside: whether a register looks at the first, an input, and none does without the second.
        only_stored: whether no decision asks for an input, nor for the registers that have it; None: one asks for these.
        opposite: whether one port is the negation of the other.
    """

    stored: Mapping[str, frozenset[tuple[str, bool]]] = field(default_factory=dict)
    joined: Callable[[str, str], bool] = _never_joined
    level: Callable[[str, str, bool], bool | None] = _no_level
    guarded: Callable[[str, str, bool], bool] = _never_guarded
    guarded_late: Callable[[str, str, bool], bool] = _never_guarded
    guarded_beside: Callable[[str, str, bool, str], bool] = _never_beside
    only_with: Callable[[str, str, bool], bool] = _never_guarded
    held: Callable[[str, str, bool], bool] = _never_guarded
    taken: Callable[[str, str], bool] = _never_joined
    loads: Callable[[str, str], bool] = _never_joined
    lasts: Callable[[str], bool] = _never_asked
    begins: Callable[[str, Collection[str]], bool] = _never_begins
    kept: Callable[[str], bool] = _never_asked
    indexed: Callable[[str], bool] = _never_asked
    clears: Callable[[str, bool], bool] = _never_set
    turns: Callable[[str, str], bool] = _always_joined
    related: Callable[[str, str], bool] = _always_joined
    tells_of: Callable[[str, str], bool] = _never_joined
    pops: Callable[[str, str, str, Collection[str]], bool] = _never_pops
    follows: Callable[[str, str], bool] = _never_joined
    falls_alone: Callable[..., bool] = _never_falls
    edges: Callable[[str, str, str], int | None] = _no_way
    beside: Callable[[str, str], bool] = _never_joined
    only_stored: Callable[[str, Collection[str]], bool | None] = _not_stored
    opposite: Callable[[str, str], bool] = _never_joined


@dataclass(frozen=True)
class PortValues:
    """How values pass through a module.

    Attributes:
        moved: by input, the assignments that store its value as it is.
        used: by input, those that store anything made of it.
        shown: by output, the inputs whose value it shows as it is, at once or later.
        unread: inputs that no flip-flop and no output depends on.
        constant: outputs that depend on nothing.
        undriven: those of them that have no value at all.
        values: by output, the inputs whose value has a part in its own: those that only decide, or count, have none.
        made: what is made of an input without any of the data of streams; it takes both names.
        gates: which ports are conditions of others.
        indexed: the lowest bit of an input that selects one of the words that the module stores, by the bits of these words.
        toggles: inputs of which each change of level is a word, and the output that takes their level over.
        reworked: what is done with the words of some inputs on their way to some outputs beside storage and selection, for
            people; empty: nothing. It takes other outputs that count, and the bits of the narrowest words, too.
        depends: the inputs that outputs depend on in any way, at once or later; it takes their names.
        stored: words, and bits of one, of each array that the module has.
    """

    moved: Mapping[str, frozenset[Branch]] = field(default_factory=dict)
    used: Mapping[str, frozenset[Branch]] = field(default_factory=dict)
    shown: Mapping[str, frozenset[str]] = field(default_factory=dict)
    unread: frozenset[str] = frozenset()
    constant: frozenset[str] = frozenset()
    undriven: frozenset[str] = frozenset()
    values: Mapping[str, frozenset[str]] = field(default_factory=dict)
    made: Callable[[str, Collection[str]], MadeValues] = _nothing_made
    gates: Gates = field(default_factory=Gates)
    indexed: Mapping[str, Mapping[int, int]] = field(default_factory=dict)
    toggles: Mapping[str, str] = field(default_factory=dict)
    reworked: Callable[[Collection[str], Collection[str], Collection[str], int], str] = _never_reworked
    depends: Callable[[Collection[str]], frozenset[str]] = _of_nothing
    stored: frozenset[tuple[int, int]] = frozenset()


@dataclass(frozen=True)
class TopModule:
    """A top module.

    Attributes:
        name, ports, parameters, wiring: what the source says.
        warnings: errors of the elaborator that were let pass, with file and line.
        fifos: how it uses the ports of FIFOs, by the name of the enable.
        late: whether an output comes a cycle after the input that takes it, if the third port, an output, offers it.
        carried: how values pass through it.
        absent: text of empty modules that untaken branches use.
        flat: the wrapper with plain ports that this module is; None: it is the source's own.
    """

    name: str
    ports: Sequence[Pin]
    parameters: Sequence[TopParameter]
    wiring: Wiring
    warnings: tuple[str, ...] = ()
    flat: FlatModule | None = None
    fifos: Mapping[str, FifoUse] = field(default_factory=dict)
    carried: PortValues = field(default_factory=PortValues)
    absent: str = ""
    late: Callable[[str, str, str], bool] = _never_late

    @property
    def title(self) -> str:
        """The name of the source's own module."""
        return self.name if self.flat is None else self.flat.module
