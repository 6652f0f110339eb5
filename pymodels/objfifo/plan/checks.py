# SPDX-License-Identifier: Apache-2.0
"""Every rule that can be told from a design before anything is allocated."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from goldbeat.pymodels.objfifo.plan.access import Loop, Steps
from goldbeat.pymodels.objfifo.plan.design import Dims, Fifo, FifoDesign, Link, Transfer
from goldbeat.pymodels.objfifo.plan.layout import DesignLayout, EndKey, end_key, moved_elements, pool_owner, shared_tile
from goldbeat.pymodels.objfifo.plan.plan import FifoEnd, Pad
from goldbeat.pymodels.objfifo.plan.rules import RULES, RuleError
from goldbeat.pymodels.objfifo.plan.strides import extent, in_words, pads_in_words, product, reach
from goldbeat.pymodels.objfifo.plan.tile import PAD_BITS, WORD_BYTES, Tile, TileKind


def check_design(design: FifoDesign, *, strict: bool = True) -> list[RuleError]:
    """Every broken rule, in the order of declaration.

    Args:
        design: what was written.
        strict: with False, rules that mlir-aie does not look at are left out where what it does is defined.
    """
    found: list[RuleError] = []
    for stage in (_names, _fifos, _links, _layouts, _cores, _transfers):
        new = [e for e in stage(design) if strict or RULES[e.rule].lax is None]
        found += new
        if new and stage in (_names, _links):
            return found  # what follows takes names and links to be sound
    return found


# -- names and fifos --------------------------------------------------------------------------------------------------


def _names(design: FifoDesign) -> Iterator[RuleError]:
    for name, times in Counter(f.name for f in design.fifos).items():
        if times > 1:
            yield RuleError("name-unique", f"{times} fifos are called {name}")
    known = {f.name: f for f in design.fifos}
    for link in design.links:
        names = [*link.ins, *link.outs]
        for name in names:
            if name not in known:
                yield RuleError("link-fifos", f"{link}: there is no fifo {name}")
        for name, times in Counter(names).items():
            if times > 1:
                yield RuleError("link-fifos", f"{link}: {name} stands in it {times} times")
        if not link.ins or not link.outs:
            yield RuleError("link-fifos", f"{link}: one side has no fifo")
    for fifo in design.fifos:
        if not fifo.consumers:
            yield RuleError("fifo-ends", f"{fifo.name} has no consumer")
        if not isinstance(fifo.depth, int) and len(fifo.depth) != 1 + len(fifo.consumers):
            yield RuleError(
                "depth-list",
                f"{fifo.name}: {len(fifo.depth)} depths, expected {1 + len(fifo.consumers)}: "
                f"one for the producer and one for each of {len(fifo.consumers)} consumers",
            )
        for depth in [fifo.depth] if isinstance(fifo.depth, int) else fifo.depth:
            if depth < 1:
                yield RuleError("depth-positive", f"{fifo.name}: depth {depth}, expected at least 1")
        if fifo.from_stream and len(fifo.from_stream) != len(fifo.consumers):
            yield RuleError(
                "dims-consumers",
                f"{fifo.name}: {len(fifo.from_stream)} lists of dims from the stream for {len(fifo.consumers)} consumers",
            )


def _fifos(design: FifoDesign) -> Iterator[RuleError]:
    for fifo in design.fifos:
        for tile in (fifo.producer, *fifo.consumers):
            try:
                design.device.require(tile)
            except RuleError as error:
                yield RuleError(error.rule, f"{fifo.name}: {error.text}")
        if fifo.obj.size % WORD_BYTES:
            yield RuleError(
                "object-words", f"{fifo.name}: an object of {fifo.obj} has {fifo.obj.size} bytes, not a multiple of 4"
            )
        if fifo.repeat_count < 1:
            yield RuleError("repeat-positive", f"{fifo.name}: repeat count {fifo.repeat_count}, expected at least 1")
        yield from _shim_side(fifo)
        yield from _pins(fifo, design)
        if fifo.stream is not None:
            yield from _stream(fifo, design)
        if fifo.iter_count is not None:
            if not 1 <= fifo.iter_count <= 256:
                yield RuleError("iter-range", f"{fifo.name}: iteration count {fifo.iter_count}, expected 1 to 256")
            if all(t.kind is not TileKind.MEM for t in (fifo.producer, *fifo.consumers)):
                yield RuleError(
                    "iter-mem-tile", f"{fifo.name}: iteration count {fifo.iter_count}, but neither end is a memory tile"
                )
        if fifo.init_values is not None and len(fifo.init_values) != fifo.end_depth(0):
            yield RuleError(
                "init-count",
                f"{fifo.name}: {len(fifo.init_values)} initial values for a producer's depth of {fifo.end_depth(0)}",
            )
        if fifo.padding and fifo.producer.kind is not TileKind.MEM:
            yield RuleError("pad-mem-tile", f"{fifo.name}: padding {list(fifo.padding)} is sent by {fifo.producer}")
        if fifo.pad_value and not design.device.pad_values:
            yield RuleError("pad-value", f"{fifo.name}: padding of {fifo.pad_value}, on {design.device.name} it is 0")
        elif fifo.pad_value and not fifo.padding:
            yield RuleError("pad-value", f"{fifo.name}: padding of {fifo.pad_value}, but no dim has padding")


def _stream(fifo: Fifo, design: FifoDesign) -> Iterator[RuleError]:
    """An end that is a core's stream port."""
    assert fifo.stream is not None
    which, port = fifo.stream
    if which not in (0, 1, 2) or port not in (0, 1):
        yield RuleError(
            "stream-end", f"{fifo.name}: aie_stream ({which}, {port}), expected end 0, 1 or 2 and port 0 or 1"
        )
    if len(fifo.consumers) != 1:
        yield RuleError("stream-end", f"{fifo.name}: an aie_stream end and {len(fifo.consumers)} consumers, expected 1")
    for end, tile in ((0, fifo.producer), *((1, t) for t in fifo.consumers)):
        if fifo.streams(end) and tile.kind is not TileKind.CORE:
            yield RuleError("stream-end", f"{fifo.name}: an aie_stream end on {tile}, expected a core tile")
    given = {
        f"dims from the stream {list(fifo.from_stream)}": any(fifo.from_stream),
        f"dims to the stream {list(fifo.to_stream)}": fifo.streams(0) and fifo.to_stream,
        f"a repeat count of {fifo.repeat_count}": fifo.streams(0) and fifo.repeat_count > 1,
        f"an iteration count of {fifo.iter_count}": fifo.streams(0) and fifo.iter_count is not None,
        f"{len(fifo.init_values or ())} initial values": fifo.streams(0) and fifo.init_values is not None,
    }
    for link in design.links:
        given[f"{link}"] = (fifo.name in link.outs and fifo.streams(0)) or (fifo.name in link.ins and fifo.streams(1))
    for what, there in given.items():
        if there:
            yield RuleError("stream-plain", f"{fifo.name}: {what} with an aie_stream end")


def _pins(fifo: Fifo, design: FifoDesign) -> Iterator[RuleError]:
    """Channels by their numbers."""
    if fifo.channels and len(fifo.channels) != 1 + len(fifo.consumers):
        found = f"{len(fifo.channels) - 1} channels for {len(fifo.consumers)} consumers"
        yield RuleError("channel-pin", f"{fifo.name}: {found}, expected one for each")
        return
    for end, tile in enumerate((fifo.producer, *fifo.consumers)):
        number = fifo.channel(end)
        if number is None:
            continue
        name = f"channel {'S2MM' if end else 'MM2S'} {number} of {tile}"
        if fifo.streams(end):
            yield RuleError("channel-pin", f"{fifo.name}: {name} for an end that is a core's stream port")
        if not 0 <= number < tile.limits.channels:
            yield RuleError("channel-pin", f"{fifo.name}: {name}, expected 0 to {tile.limits.channels - 1}")
        users = [
            one.name
            for one in design.fifos
            for other, where in enumerate((one.producer, *one.consumers))
            if (where, one.channel(other), other > 0) == (tile, number, end > 0)
        ]
        if users.index(fifo.name) == 0 and len(users) > 1:
            yield RuleError("channel-pin", f"{', '.join(users)}: {name} for each, expected one fifo on it")


def _ways(fifo: Fifo, layout: DesignLayout) -> Iterator[RuleError]:
    """Shared memory or DMAs, as they are asked for."""
    shared = layout.shared(fifo) is not None
    if shared and (fifo.packet is not None or any(n is not None for n in fifo.channels)):
        what, rule = ("packets", "transport") if fifo.packet is not None else ("a channel that is named", "channel-pin")
        yield RuleError(rule, f"{fifo.name}: {what}, but its ends share a memory, expected transport dma")
    if shared or not fifo.shared_only:
        return
    linked = any((fifo.name, end) in layout.joints for end in (0, 1))
    reasons = {
        "it is sent by DMAs or as packets": fifo.via_dma or fifo.packet is not None,
        "it has more than one consumer": len(fifo.consumers) > 1,
        "an end is a core's stream port": fifo.stream is not None,
        "it is linked": linked,
        "it repeats objects": fifo.repeat_count > 1,
        "it has dims": bool(fifo.to_stream) or any(fifo.from_stream),
    }
    why = next((reason for reason, there in reasons.items() if there), "its ends share no memory")
    yield RuleError("transport", f"{fifo.name}: transport shared_mem, but {why}")


def _shim_side(fifo: Fifo) -> Iterator[RuleError]:
    if fifo.producer.kind is TileKind.SHIM:
        given = {
            f"dims to the stream {list(fifo.to_stream)}": fifo.to_stream,
            f"a repeat count of {fifo.repeat_count}": fifo.repeat_count > 1,
            f"{len(fifo.init_values or ())} initial values": fifo.init_values is not None,
        }
        for what, there in given.items():
            if there:
                yield RuleError("shim-side", f"{fifo.name}: {what} on {fifo.producer}")
    for number, tile in enumerate(fifo.consumers):
        if tile.kind is TileKind.SHIM and number < len(fifo.from_stream) and fifo.from_stream[number]:
            yield RuleError(
                "shim-side", f"{fifo.name}: dims from the stream {list(fifo.from_stream[number])} on {tile}"
            )


# -- links ------------------------------------------------------------------------------------------------------------


def _links(design: FifoDesign) -> Iterator[RuleError]:
    fifos = {f.name: f for f in design.fifos}
    seen: dict[str, Link] = {}
    for link in design.links:
        for name in (*link.ins, *link.outs):
            if name in seen:
                yield RuleError("link-once", f"{name} stands in two links: {seen[name]}, and {link}")
            seen[name] = link
    for link in design.links:
        yield from _link(link, fifos)


def _link(link: Link, fifos: dict[str, Fifo]) -> Iterator[RuleError]:
    if len(link.ins) > 1 and len(link.outs) > 1:
        yield RuleError(
            "link-sides", f"{link}: {len(link.ins)} inputs and {len(link.outs)} outputs; a link joins or distributes"
        )
        return
    tile = shared_tile(link, fifos)
    if tile is None:
        ends = [f"{n} ends at {', '.join(map(str, fifos[n].consumers))}" for n in link.ins]
        ends += [f"{n} starts at {fifos[n].producer}" for n in link.outs]
        yield RuleError("link-shared-tile", f"{link}: no tile is shared: {'; '.join(ends)}")
        return
    if tile.kind is TileKind.SHIM or (link.kind != "forward" and tile.kind is not TileKind.MEM):
        yield RuleError("link-mem-tile", f"{link}: a {link.kind} on {tile}, expected a memory tile")
        return
    if link.kind == "forward":
        yield from _forward(link, tile, fifos)
    else:
        yield from _several(link, fifos)


def _forward(link: Link, tile: Tile, fifos: dict[str, Fifo]) -> Iterator[RuleError]:
    first, last = fifos[link.ins[0]], fifos[link.outs[0]]
    offsets = (*link.src_offsets, *link.dst_offsets)
    if link.src_offsets and link.dst_offsets:
        yield RuleError("link-offsets", f"{link}: offsets on both sides of a 1:1 link, expected one side at most")
    for offset in offsets:
        if offset:
            yield RuleError("segments-cover", f"{link}: offset {offset} of a link with one leg; it starts at 0")
    if tile.kind is TileKind.CORE and first.obj.elements != last.obj.elements:
        sizes = f"{first.name} has objects of {first.obj.elements} elements, {last.name} of {last.obj.elements}"
        yield RuleError("rechunk-core", f"{link}: {sizes}; on {tile} they must be equal")
    owner = pool_owner(link, tile, fifos)
    item = owner.obj.dtype.itemsize
    for fifo, dims in ((first, first.dims_from(first.consumers.index(tile))), (last, last.to_stream)):
        if dims and fifo.obj.dtype.itemsize != item:
            yield RuleError(
                "type-equal",
                f"{link}: dims {list(dims)} of {fifo.name}, whose elements are {fifo.obj.dtype}, "
                f"would count elements of {owner.name}, which are {owner.obj.dtype}",
            )
        moved = moved_elements(fifo, owner, tile) * item
        if moved % WORD_BYTES:
            yield RuleError(
                "object-words", f"{link}: {fifo.name} moves {moved} bytes of the pool, not a multiple of {WORD_BYTES}"
            )


def _several(link: Link, fifos: dict[str, Fifo]) -> Iterator[RuleError]:
    join = link.kind == "join"
    whole = fifos[link.outs[0] if join else link.ins[0]]
    legs, offsets = [fifos[n] for n in link.legs], link.offsets
    if link.turns:
        yield from _turns(link, whole, legs)
        return
    other = link.dst_offsets if join else link.src_offsets
    if len(offsets) != len(legs) or other:
        yield RuleError(
            "link-offsets",
            f"{link}: {len(offsets)} offsets for {len(legs)} legs of a {link.kind}"
            + (f", and {len(other)} for its other side" if other else ""),
        )
        return
    item, total = whole.obj.dtype.itemsize, whole.obj.elements
    if any(o * item % WORD_BYTES for o in offsets):
        yield RuleError(
            "object-words", f"{link}: offsets {list(offsets)} of {8 * item}-bit elements are not whole words"
        )
    for leg in legs:
        if leg.obj.dtype.itemsize != item:
            yield RuleError(
                "type-equal", f"{link}: {leg.name} has {leg.obj.dtype} elements, {whole.name} {whole.obj.dtype}"
            )
    if not join:
        repeats = [f.repeat_count for f in legs]
        if len(set(repeats)) > 1:
            yield RuleError("repeat-equal", f"{link}: the outputs repeat {repeats} times; they must be equal")
        for leg in legs:
            if leg.init_values is not None:
                yield RuleError(
                    "init-leg", f"{link}: {len(leg.init_values)} initial values of {leg.name}, a leg of a distribute"
                )
    lengths = [b - a for a, b in zip(offsets, [*offsets[1:], total], strict=True)]
    if any(n <= 0 for n in lengths):
        yield RuleError(
            "offsets-sorted",
            f"{link}: offsets {list(offsets)} of an object of {total} elements do not rise inside it; "
            f"the lengths would be {lengths}",
        )
        return
    if offsets[0] != 0:
        yield RuleError(
            "segments-cover", f"{link}: the first offset is {offsets[0]}; {offsets[0]} elements have no leg"
        )
    sizes = [f.obj.size // item for f in legs]
    if not link.rechunk and sum(sizes) != total:
        yield RuleError(
            "segments-cover",
            f"{link}: the legs' objects {sizes} add up to {sum(sizes)} elements, {whole.name} has {total}",
        )
    for leg, size, length in zip(legs, sizes, lengths, strict=True):
        if size != length and (not link.rechunk or length % size):
            how = "divide" if link.rechunk else "equal"
            yield RuleError(
                "leg-size", f"{link}: {leg.name} has objects of {size} elements, its segment {length}; they must {how}"
            )


def _turns(link: Link, whole: Fifo, legs: list[Fifo]) -> Iterator[RuleError]:
    """A merge or dispatch: whole objects, nothing else."""
    if link.src_offsets or link.dst_offsets:
        yield RuleError("link-offsets", f"{link}: offsets of fifos that take turns with whole objects")
    for leg in legs:
        if leg.obj.dtype.itemsize != whole.obj.dtype.itemsize:
            yield RuleError(
                "type-equal", f"{link}: {leg.name} has {leg.obj.dtype} elements, {whole.name} {whole.obj.dtype}"
            )
        elif leg.obj.elements != whole.obj.elements:
            yield RuleError(
                "leg-size",
                f"{link}: {leg.name} has objects of {leg.obj.elements} elements, {whole.name} of {whole.obj.elements}; "
                "fifos that take turns have equal objects",
            )
    for one in (whole, *legs):
        if one.init_values is not None:
            yield RuleError(
                "init-leg", f"{link}: {len(one.init_values)} initial values of {one.name}, which takes turns"
            )
    repeats = [fifo.repeat_count for fifo in (legs if link.kind == "distribute" else [whole])]
    if set(repeats) != {1}:
        yield RuleError(
            "repeat-equal", f"{link}: the outputs repeat {repeats} times; fifos that take turns do not repeat"
        )


# -- data layout ------------------------------------------------------------------------------------------------------


def _layouts(design: FifoDesign) -> Iterator[RuleError]:
    layout = DesignLayout(design)
    for fifo in design.fifos:
        yield from _ways(fifo, layout)
        for end in range(1 + len(fifo.consumers)):
            tile = fifo.producer if end == 0 else fifo.consumers[end - 1]
            dims = fifo.to_stream if end == 0 else fifo.dims_from(end - 1)
            if tile.kind is not TileKind.SHIM and not fifo.streams(end):
                try:
                    yield from _layout(layout, fifo, end, tile, dims)
                except RuleError as error:
                    yield error


def _layout(layout: DesignLayout, fifo: Fifo, end: int, tile: Tile, dims: Dims) -> Iterator[RuleError]:
    padding = fifo.padding if end == 0 and tile.kind is TileKind.MEM else ()
    side = "to the stream" if end == 0 else "from the stream"
    what = f"{fifo.name}, dims {list(dims)} {side} at {tile}"
    length = layout.length(fifo, end)
    parts = layout.parts(fifo, end)
    if not dims:
        if padding:
            raise RuleError("pad-form", f"{fifo.name}: padding {list(padding)} without dims to the stream")
        for _, part in parts:
            if layout.joints.get((fifo.name, end)) is not None and len(parts) == 1 and length > part.length:
                yield RuleError(
                    "dims-inside", f"{what}: {length} words are moved, the objects there have {part.length}"
                )
        return
    item = layout.itemsize(fifo, end)
    walk = in_words(dims, item, what, padded=bool(padding))
    if len(walk) > tile.limits.dims:
        yield RuleError("dims-count", f"{what}: {len(walk)} dims, a buffer descriptor has {tile.limits.dims}")
    pads: tuple[Pad, ...] = ()
    if padding:
        if len(padding) != len(dims) or any(p != (0, 0) for p in padding[: max(0, len(padding) - 3)]):
            raise RuleError("pad-form", f"{what}: padding {list(padding)}, expected a pair for each of up to 3 dims")
        pads = pads_in_words(padding, item, what)
        for number, (pad, bits) in enumerate(zip(pads, PAD_BITS, strict=False)):
            if max(pad.before, pad.after) >= 1 << bits:
                yield RuleError(
                    "pad-bits",
                    f"{what}: padding ({pad.before}, {pad.after}) of dim {number}, its field ends at {(1 << bits) - 1}",
                )
    moved = product(walk, pads)
    joint = layout.joints.get((fifo.name, end))
    own = length if joint is not None and joint.link.kind != "forward" else fifo.obj.elements * item // WORD_BYTES
    wanted = sorted({p.length for _, p in parts}) if joint is not None and len(parts) > 1 else sorted({own, length})
    if moved not in wanted or (len(parts) > 1 and len(wanted) > 1):
        padded = f" with padding {list(padding)}" if padding else ""
        yield RuleError(
            "dims-product",
            f"{what}: the sizes{padded} make {moved} words, the transfer has {' or '.join(map(str, wanted))}",
        )
        return
    room = min(p.length for _, p in parts)
    far, single = (reach(walk), True) if pads else extent(walk, length)
    if far >= room:
        yield RuleError("dims-inside", f"{what}: the walk reaches word {far}, the segment ends at {room - 1}")
    elif end > 0 and not single:
        yield RuleError("dims-once", f"{what}: some words are written twice and others never")


# -- programs ---------------------------------------------------------------------------------------------------------


def _cores(design: FifoDesign) -> Iterator[RuleError]:
    layout = DesignLayout(design)
    seen: dict[Tile, str] = {}
    for core in design.cores:
        if core.tile in seen:
            yield RuleError("tile-exists", f"{core.name} and {seen[core.tile]} are both on {core.tile}")
        seen[core.tile] = core.name
    try:
        programs = layout.programs
    except RuleError as error:
        yield error
        return
    for core, steps in zip(design.cores, programs.values(), strict=True):
        yield from _accesses(core.name, steps, layout, {}, set())


def _accesses(
    name: str, steps: Steps, layout: DesignLayout, held: dict[EndKey, int], told: set[tuple[EndKey, str, int]]
) -> Iterator[RuleError]:
    for step in steps:
        if isinstance(step, Loop):
            for _ in range(min(2, 2 if step.count is None else step.count)):
                yield from _accesses(name, step.body, layout, held, told)
            continue
        key = end_key(step.fifo, step.port, step.consumer)
        what = "acquire" if step.acquire else "release"
        joint = layout.joints.get(key)
        if joint is not None:
            if (key, "link-access", 0) not in told:
                told.add((key, "link-access", 0))
                yield RuleError(
                    "link-access", f"{name}: {what} of {step.fifo} to {step.port}; at {joint.tile} {joint.link} uses it"
                )
            continue
        if layout.fifos[step.fifo].streams(key[1]):
            if (key, "stream-access", 0) not in told:
                told.add((key, "stream-access", 0))
                text = f"{name}: {what} of {step.fifo} to {step.port}, which is a stream port"
                yield RuleError("stream-access", text)
            continue
        depth = layout.fifos[step.fifo].end_depth(key[1])
        line = "" if step.line is None else f", line {step.line.line}"
        where = f"{name}{line}: {what} of {step.count} object(s) of {step.fifo} to {step.port}"
        have = held.get(key, 0)
        broken: RuleError | None = None
        if step.acquire and step.count > depth:
            broken = RuleError("acquire-depth", f"{where}, which is {depth} deep")
        elif not step.acquire and step.count > have:
            rule = "release-depth" if step.count > depth else "release-held"
            broken = RuleError(rule, f"{where}, {have} are held and it is {depth} deep")
        if broken is not None and (key, broken.rule, step.count) not in told:
            told.add((key, broken.rule, step.count))
            yield broken
        held[key] = max(have, step.count) if step.acquire else max(0, have - step.count)


# -- the host ---------------------------------------------------------------------------------------------------------


def transfer_waves(design: FifoDesign) -> Iterator[list[tuple[int, Transfer, Tile]]]:
    """The host's transfers between waits: the number, the transfer, and its shim."""
    wave: list[tuple[int, Transfer, Tile]] = []
    for number, move in enumerate(design.transfers):
        if move.waited and wave:
            yield wave
            wave = []
        tile = shim_of(design.fifo(move.fifo), move.port)
        if tile is not None:
            wave.append((number, move, tile))
    yield wave


def _descriptors(design: FifoDesign) -> Iterator[RuleError]:
    seen: set[Tile] = set()
    for wave in transfer_waves(design):
        for tile in {tile: None for _, _, tile in wave}.keys() - seen:
            mine = [f"{'fill' if m.port is FifoEnd.PRODUCE else 'drain'} of {m.fifo}" for _, m, t in wave if t == tile]
            if len(mine) > (have := tile.limits.bds):
                seen.add(tile)
                parts = ", ".join(f"{count} for the {what}" for what, count in Counter(mine).items())
                text = f"{tile} needs {len(mine)} buffer descriptors with no wait in between and has {have}"
                yield RuleError("bds", f"{text}: {len(mine) - have} too many ({parts})")


def _transfers(design: FifoDesign) -> Iterator[RuleError]:
    yield from _descriptors(design)
    hosts = {h.name: h for h in design.hosts}
    receivers: set[tuple[Tile, int]] = set()
    moved: dict[tuple[str, FifoEnd], tuple[int, list[str]]] = {}
    for number, move in enumerate(design.transfers):
        fifo, host = design.fifo(move.fifo), hosts[move.host]
        where = f"{move.where}: " if move.where else ""
        what = f"{where}transfer {number}, {'fill' if move.port is FifoEnd.PRODUCE else 'drain'} of {fifo.name}"
        tile = shim_of(fifo, move.port)
        if move.waited:
            receivers.clear()
        if tile is None:
            yield RuleError("transfer-shim", f"{what}: that end is not on a shim tile")
            continue
        if move.bd is not None:
            if not 0 <= move.bd < tile.limits.bds:
                yield RuleError("transfer-shim", f"{what}: bd_id {move.bd}, {tile} has 0 to {tile.limits.bds - 1}")
            if (tile, move.bd) in receivers:
                yield RuleError("transfer-shim", f"{what}: bd_id {move.bd} of {tile} is in use already")
            if move.port is FifoEnd.CONSUME:
                receivers.add((tile, move.bd))
        if any(size < 1 or stride < 0 for size, stride in move.dims) or len(move.dims) > 4:
            yield RuleError("dims-form", f"{what}: {list(move.dims)}, expected up to 4 sizes from 1 and strides from 0")
            continue
        elements = 1
        for size, _ in move.dims:
            elements *= size
        last = move.offset + sum((size - 1) * stride for size, stride in move.dims)
        if move.offset < 0 or last >= host.obj.elements:
            yield RuleError(
                "transfer-inside",
                f"{what}: elements {move.offset} to {last} of {host.name}, which has {host.obj.elements}",
            )
        before, parts = moved.get((move.fifo, move.port), (0, []))
        moved[move.fifo, move.port] = before + elements * host.obj.dtype.itemsize, [*parts, what]
    yield from _cut_objects(design, moved)


def _cut_objects(design: FifoDesign, moved: Mapping[tuple[str, FifoEnd], tuple[int, list[str]]]) -> Iterator[RuleError]:
    """Ends whose last object is moved in part; several transfers may share an object."""
    for (name, _), (size, parts) in moved.items():
        whole = design.fifo(name).obj.size
        if size % whole:
            some = f", the last of {len(parts)}" if len(parts) > 1 else ""
            yield RuleError(
                "transfer-objects",
                f"{parts[-1]}{some}: {size} bytes are {size / whole:.3g} objects of {whole}; the last stays unfinished",
            )


def shim_of(fifo: Fifo, port: FifoEnd) -> Tile | None:
    """The shim tile at one end of a fifo, None if there is none."""
    ends = (fifo.producer,) if port is FifoEnd.PRODUCE else fifo.consumers
    return next((t for t in ends if t.kind is TileKind.SHIM), None)
