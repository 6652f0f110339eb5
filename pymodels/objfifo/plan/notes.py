# SPDX-License-Identifier: Apache-2.0
"""Remarks on designs that break no rule: where mlir-aie's compiled result differs, and words that a walk leaves out.

Source: what mlir-aie's lowering of object FIFOs makes of such designs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from goldbeat.pymodels.objfifo.plan.access import Loop, Steps
from goldbeat.pymodels.objfifo.plan.design import FifoDesign
from goldbeat.pymodels.objfifo.plan.layout import DesignLayout, EndKey, Joint, end_key
from goldbeat.pymodels.objfifo.plan.strides import extent, in_words, product
from goldbeat.pymodels.objfifo.plan.tile import TileKind


@dataclass(frozen=True)
class Note:
    """One remark.

    Attributes:
        name: its kind.
        text: what is meant, with names and numbers.
    """

    name: str
    text: str


def notes(design: FifoDesign) -> list[Note]:
    """The remarks on a design that breaks no rule, in the order of its programs and links."""
    if design.fixed is not None:
        named = {
            "left-out": design.fixed.remarks,
            "unsupported": design.fixed.unsupported,
            "core": design.fixed.waiting,
        }
        return [Note(name, text) for name, texts in named.items() for text in texts]
    layout = DesignLayout(design)
    found = [*_repeats(layout), *_free_running(layout)]
    for joint in (layout.joints[link.outs[0], 0] for link in design.links):
        found += [*_core_link(layout, joint), *_rereads(layout, joint)]
    return found


def _repeats(layout: DesignLayout) -> Iterator[Note]:
    """Programs that put objects into a fifo that sends each of them several times."""
    for core, steps in zip(layout.design.cores, layout.programs.values(), strict=True):
        for fifo in layout.design.fifos:
            key = (fifo.name, 0)
            if fifo.repeat_count > 1 and _acquires(steps, key) * (2 if core.endless else 1) > 1:
                yield Note(
                    "repeat-core-program",
                    f"{core.name} acquires objects of {fifo.name}, which repeats {fifo.repeat_count} times; from the "
                    "second acquire on, mlir-aie's compiled core waits for 0 units, so it can overwrite an object "
                    f"that is still being sent; here it waits for {fifo.repeat_count}",
                )


def _free_running(layout: DesignLayout) -> Iterator[Note]:
    """Fifos without locks."""
    for fifo in layout.design.fifos:
        if fifo.free_running:
            yield Note(
                "no-locks",
                f"{fifo.name} has no locks (disable_synchronization): nothing waits for its objects; that none is read "
                "before it is written, or written while it is read, is up to the design",
            )


def _acquires(steps: Steps, key: EndKey) -> int:
    """How often a program acquires at an end; a loop counts as two passes."""
    found = 0
    for step in steps:
        if isinstance(step, Loop):
            found += _acquires(step.body, key) * (1 if step.count == 1 else 2)
        elif step.acquire and end_key(step.fifo, step.port, step.consumer) == key:
            found += 1
    return found


def _core_link(layout: DesignLayout, joint: Joint) -> Iterator[Note]:
    """Links on a core whose sides are not equally deep."""
    if joint.tile.kind is not TileKind.CORE:
        return
    first, last = layout.fifos[joint.link.ins[0]], layout.fifos[joint.link.outs[0]]
    taken, given = first.end_depth(1 + first.consumers.index(joint.tile)), last.end_depth(0)
    if taken == given and isinstance(first.depth, int) and isinstance(last.depth, int):
        return
    pool = layout.depth(layout.fifos[joint.owner], joint.end)
    yield Note(
        "core-link-depths",
        f"{joint.link} on {joint.tile}: depth {taken} of {first.name} and {given} of {last.name} there; both rings have "
        f"{pool} buffer descriptors here, where mlir-aie's may have fewer (2 where the lists say 3) and then takes "
        "objects in another order; write one depth for both",
    )


def _rereads(layout: DesignLayout, joint: Joint) -> Iterator[Note]:
    """Outputs of 1:1 links whose dims, written for their own objects, do not visit all of the pool's."""
    fifo = layout.fifos[joint.link.outs[0]]
    if joint.link.kind != "forward" or not fifo.to_stream or fifo.padding:
        return
    walk = in_words(fifo.to_stream, layout.itemsize(fifo, 0), fifo.name)
    length = layout.length(fifo, 0)
    if product(walk) != length and not extent(walk, length)[1]:
        yield Note(
            "dims-again",
            f"{joint.link}: dims {list(fifo.to_stream)} of {fifo.name} are for {product(walk)} words, the pool's objects "
            f"have {length}: the walk goes on, sends some words again and others never",
        )
