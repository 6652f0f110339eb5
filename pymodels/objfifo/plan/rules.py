# SPDX-License-Identifier: Apache-2.0
"""The rules of object FIFOs by name, and the error that carries one.

Sources: mlir-aie's verifiers and lowering for the plain rules; for those marked as unchecked, its lowering accepts the
design and the data is lost or the array hangs. A few rules are Goldbeat's own and say so.
"""

from __future__ import annotations

from dataclasses import dataclass

from goldbeat.pymodels.errors import GoldbeatError


@dataclass(frozen=True)
class Rule:
    """One rule.

    Attributes:
        name: what an error carries.
        text: what must hold, in a line.
        unchecked: True where mlir-aie does not check it.
        lax: what ``strict=False`` does instead of refusing; None where it refuses too: mlir-aie checks the rule, or
            nothing that can be planned follows.
    """

    name: str
    text: str
    unchecked: bool = False
    lax: str | None = None


_ALL = (
    # -- making fifos and handles
    Rule("name-unique", "every fifo has a name of its own"),
    Rule("object-type", "an object is an array of known shape and element type"),
    Rule("object-words", "an object is a whole number of 32-bit words"),
    Rule("depth-positive", "a depth is at least 1", unchecked=True),
    Rule("depth-list", "a list of depths has one entry for the producer and one for each consumer"),
    Rule("fifo-ends", "a fifo has one producer and at least one consumer, each with a place"),
    Rule(
        "stream-end",
        "a fifo with an aie_stream end has one consumer; that end is on a core tile and its port is 0 or 1",
    ),
    Rule(
        "stream-plain", "no dims, repeat, iteration count, initial values or link at an aie_stream end, no dims from it"
    ),
    Rule("transport", "only a fifo that can be shared asks for shared memory alone, one that cannot for packets"),
    Rule("channel-pin", "a channel that a fifo names is one of its tile, no other fifo's, and moves its data"),
    Rule("stream-access", "a core does not acquire or release a fifo at an aie_stream end"),
    Rule("tile-exists", "a tile lies inside the device"),
    Rule("handle-kind", "split and forward take a consumer's handle, join a producer's; others are not given"),
    Rule("leg-counts", "names, depths, types and dims of a split or join are as many as its offsets"),
    # -- acquire and release
    Rule("acquire-count", "acquire and release take at least one object"),
    Rule(
        "acquire-depth",
        "no more objects are acquired than the fifo is deep",
        unchecked=True,
        lax="the core waits for ever",
    ),
    Rule("release-depth", "no more objects are released than the fifo is deep"),
    Rule("release-held", "no more objects are released than are held", unchecked=True),
    # -- links
    Rule("link-sides", "a link joins or distributes: only one of its sides is a list"),
    Rule("link-fifos", "a link names fifos that exist, each once"),
    Rule("link-once", "a fifo stands in at most one link: between two memory tiles there is a core"),
    Rule("link-shared-tile", "a tile consumes every input and produces every output of a link"),
    Rule("link-mem-tile", "a join or distribute stands on a memory tile, and no link on a shim"),
    Rule("link-offsets", "a join or distribute has one offset per leg, and none on its other side; nor has a 1:1 link"),
    Rule("link-access", "a core does not acquire or release a fifo at the end that a link uses"),
    Rule(
        "offsets-sorted",
        "the offsets of a link rise",
        unchecked=True,
        lax="lengths are differences of offsets, negative ones too",
    ),
    Rule(
        "segments-cover",
        "the segments of a link follow each other and fill the object exactly",
        unchecked=True,
        lax="a segment reaches from its offset to the next one, the last to the end of the object; the offset of a 1:1 "
        "link is ignored",
    ),
    Rule(
        "leg-size",
        "a leg's object is its segment, or divides it where the link says rechunk=True",
        unchecked=True,
        lax="the segment's length is moved, whatever the leg's object",
    ),
    Rule("repeat-equal", "the outputs of a distribute have the same repeat count"),
    Rule(
        "rechunk-core",
        "a link between objects of different numbers of elements is on a memory tile",
        unchecked=True,
        lax="each side moves as many elements as its own object has",
    ),
    Rule(
        "type-equal",
        "the fifos of a join or distribute have the same element size, as has a side with dims of a 1:1 link",
        unchecked=True,
        lax="bytes are moved as they are; dims count elements of the pool",
    ),
    # -- repeat, iterations, initial values
    Rule("repeat-positive", "a repeat count is at least 1"),
    Rule("init-count", "there are as many initial values as the producer's depth"),
    Rule("init-shape", "an initial value has the shape of the object"),
    Rule(
        "init-leg",
        "no initial values on a leg of a distribute",
        unchecked=True,
        lax="the initial values are dropped",
    ),
    Rule("shim-side", "no dims, repeat or initial values on the shim's own side"),
    Rule("iter-range", "an iteration count is 1 to 256"),
    Rule("iter-mem-tile", "an iteration count needs an end on a memory tile"),
    # -- data layout
    Rule("dims-form", "dims are pairs of size and stride, both at least 1"),
    Rule("dims-consumers", "there is one list of dims for each consumer"),
    Rule("dims-count", "no more dims than a buffer descriptor of the tile has"),
    Rule(
        "dims-words",
        "for elements under 32 bit: inner stride 1, inner run and outer strides in whole words",
        unchecked=True,
    ),
    Rule("dims-product", "the product of the dims' sizes is the length of the transfer, with its padding"),
    Rule("dims-inside", "a walk stays inside its segment"),
    Rule(
        "dims-once",
        "a walk from the stream writes every word of its segment once (Goldbeat's own rule)",
        unchecked=True,
        lax="words are overwritten, others keep what they held",
    ),
    Rule(
        "pad-mem-tile",
        "padding is for what a memory tile sends",
        unchecked=True,
        lax="the padding is dropped",
    ),
    Rule(
        "pad-form",
        "padding is one pair of numbers for each of at most three dims, the inner one in whole words",
        unchecked=True,
    ),
    Rule(
        "pad-bits",
        "padding fits its field: 6, 5 and 4 bits for dimensions 0, 1 and 2",
        unchecked=True,
        lax="the padding is planned as it is",
    ),
    Rule("pad-value", "padding of another value than 0 is on a device that has it (npu2), and has padDimensions"),
    # -- what a tile has
    Rule("wrap-bits", "a dim's size fits its field"),
    Rule("step-bits", "a dim's step fits its field", unchecked=True, lax="the step is planned as it is"),
    Rule("length-bits", "a length fits its field", unchecked=True, lax="the length is planned as it is"),
    Rule("memory", "the buffers fit the tile's memory", unchecked=True, lax="addresses run past the end"),
    Rule("channels", "a tile's channels suffice in each direction"),
    Rule("bds", "a tile's buffer descriptors suffice, on a memory tile for even and odd channels apart"),
    Rule("locks", "a tile's locks suffice"),
    Rule("lock-range", "a lock never counts above 63", unchecked=True, lax="the value is planned as it is"),
    Rule("packet-ids", "a design has at most 32 packet streams"),
    # -- the shim's transfers
    Rule(
        "transfer-objects",
        "a fifo's fills or drains move whole objects in all (Goldbeat's own rule)",
        unchecked=True,
        lax="the last object is left partly filled",
    ),
    Rule("transfer-inside", "a fill or drain stays inside its host array"),
    Rule("transfer-shim", "a fill or drain uses a fifo's end on a shim, a bd_id that no drain since the last wait has"),
)
RULES: dict[str, Rule] = {rule.name: rule for rule in _ALL}
"""Every rule by name."""


class RuleError(GoldbeatError, ValueError):
    """A design breaks a rule.

    It is a ValueError too, as mlir-aie's Python raises one for many of these.

    Attributes:
        rule: the rule's name, a key of :data:`RULES`.
        text: what is wrong, with the numbers.
    """

    def __init__(self, rule: str, text: str) -> None:
        self.rule = RULES[rule].name
        self.text = text
        super().__init__(f"{text} [{rule}]")


def rules_text() -> str:
    """The rules for people: name, what must hold, and what mlir-aie does with it."""
    wide = max(map(len, RULES))
    return "\n".join(f"{r.name:<{wide}}  {'*' if r.unchecked else ' '} {r.text}" for r in _ALL)
