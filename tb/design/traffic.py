# SPDX-License-Identifier: Apache-2.0
"""Stimulus that benches share: random frames, and the standard cases of a streaming design."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.axi.memory import MemoryImage, MemoryTiming
from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.pattern import Pattern
from goldbeat.pymodels.sidebands import strobe_bits
from goldbeat.pymodels.stimulus import Clock, Stimulus
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.design.case import Case, CaseContext, StimulusMaker
from goldbeat.tb.design.clocks import draw_clocks

Rng = np.random.Generator
Traffic = Callable[[CaseContext, Rng, int], Stimulus]
"""setting, random generator, beats -> a stimulus without gaps and patterns, about so many beats long."""

_LONG_BLOCK = 1 << 16
"""Beats of a long stimulus that are drawn at once."""
FILL = 4200
"""Beats that fill the queues of a design of which nothing is known: more than 4096 places."""
FILLS = (FILL, 17_000, 132_000)
"""Beats that are tried one after the other, until every ready of the design stays low: for 4096, 16 Ki and 128 Ki places."""
_LONGER = 8
"""How much longer sinks are away where all frames are short."""
_ALONE, _BEATS_ALONE = 8, 40
"""Outputs that are each held back alone, and inputs that each send alone, at most, and beats that these send."""
_NARROWER = 16
"""Beats that a design may make of one: a sink that was away is ready for as many cycles, before it is away again."""
_RUN = 4000
"""Beats of a long run, of which rare moments and counters see many."""
SLOW_SINKS, SLOW_SOURCES, KEPT = "slow sinks", "slow sources", "sinks away at first and at last"
"""Labels of the episodes of long runs."""
_FILLED, _LESS_FULL, _REST = 700, 2500, 12_000
"""Beats that fill queues, beats that leave them full and less full in turn, and cycles in which they get empty."""
_SLOWLY, _TRICKLE, _FAST = 12, 850, 1500
"""Cycles between two beats at most of those that come slowly in between, how many they are, and beats without gaps before them."""
_SMALL, _OFTEN, _EXACT = 64, 3, 8000
"""The largest number of the RTL whose pauses sinks make meanwhile, how often each, and cycles of all of them."""
_RESTS = 3
"""How much longer than a sink is away the other lanes rest, so that it comes back and takes all meanwhile."""
_ALIKE = 5
"""Beats of the frames that fill queues twice."""
_AT_RANDOM, _THERE, _GONE = (8000, 6000), 7000, 14_000
"""Cycles of sinks that are ready at random, before and behind these pauses, that are always ready, and that are away again."""
FILLING = "filling queues"
"""How the labels of the episodes begin that do."""
KEEPS = ("full", "words", "bytes", "least", "any", "holes", "hole", "empty")
"""What TKEEP of random traffic may be."""
FRAME = (1, 12)
"""Shortest and longest frame in beats, unless a bench says otherwise."""
LONGEST = 4098
"""Beats of the longest frame of a design of which nothing is known."""
_CORNERS = 400
"""Beats of corner values, beside those for each value of the RTL."""
_PAUSE, _LONGEST_PAUSE = 600, 20_000
"""Cycles of a pause, and of the longest that the RTL's numbers ask for."""
_SOON, _AT_MOST = 64, 320
"""Cycles that a beat may take behind them where no model says so, and beats that a design may make of one."""
_MOST_IN_FRAMES = 1 << 16
"""Beats of all frames of the episode of many lengths."""
_PATTERNS = ("none", "random:0.3", "random:0.7", "bursty:16", "bursty:3", "worst")
_POSITIONS = 1 / 8
"""Of the bytes that are kept, where a stream has position bytes."""
RESETS = 12
"""Of the case ``reset``."""
AFTER_VALID = "after-valid:4"
"""The back-pressure of sweeps that a source which waits for ready cannot pass."""

SENDS_ALONE = "sends alone"
"""Of the label of an episode in which the other inputs send nothing."""
_LEAST_IDLE, _MOST_IDLE, _AROUND = 24, 1 << 16, (-3, 5)
"""The smallest number of cycles that is looked for one by one, cycles of all such pauses together, and how far around each."""
_LONG_FRAME, _PAUSES = 66, "array:" + ",".join([*["0"] * 4, "66", *["0"] * 17])
"""Beats of the long frame of ``sizes``, and gaps of its sources."""
_GAPS = ("none", "random:0.5", "bursty:16", "worst")
_PAIRS = (*product(_GAPS, (AFTER_VALID,)), *product(_GAPS, ("none", "random:0.3", "random:0.7", "bursty:16", "worst")))
"""Gaps and back-pressure that a sweep goes through."""
_AWAY = "array:" + ",".join("0" * 80 + "1")
_CUTS = {5: ("none", _AWAY), 11: ("none", "random:0.3"), 17: ("bursty:3", "worst"), 23: ("none", "none")}
"""Gaps and back-pressure of the episodes that a reset cuts off, by the episode of a sweep that comes next."""


def _placed(
    sides: dict[str, npt.NDArray[np.uint64]], last: npt.NDArray[np.bool_], dests: int, *, steady: bool
) -> dict[str, npt.NDArray[np.uint64]]:
    """Sidebands with TDEST below a number, if it is not 0; if they are steady, TDEST and TID are those of a frame's first beat."""
    if dests and "tdest" in sides:
        sides["tdest"] = sides["tdest"] % np.uint64(dests)
    if not steady or not len(last):
        return sides
    first = np.maximum.accumulate(np.where(np.r_[True, last[:-1]], np.arange(len(last)), 0))
    return {name: side[first] if name in ("tid", "tdest") else side for name, side in sides.items()}


def random_trace(
    rng: Rng,
    width: int,
    beats: int,
    clock: Clock,
    *,
    frame: tuple[int, int] = FRAME,
    frames: Sequence[int] = (),
    keep: str = "words",
    finish: bool = True,
    sidebands: Mapping[str, int] | None = None,
    positions: bool = False,
    corners: Sequence[tuple[int, int]] | None = None,
    steady: bool = False,
    dests: int = 0,
) -> Trace:
    """Random data in random frames, back to back.

    Args:
        rng: randomness.
        width: port width in bits.
        beats: how many.
        clock: the port's clock.
        frame: shortest and longest frame in beats.
        frames: lengths of frames in beats, in place of ``frame``; what is left of the beats is one more frame.
        keep: ``full``; ``words``: the last beat of a frame has a random number (at least 1) of whole low words, others are
            full; ``bytes``: the same in bytes; ``least``: the last beat of a frame has its lowest byte alone; ``any``: every
            keep bit at random on every beat; ``holes``: the same, but each frame keeps a byte; ``hole``: one beat leaves bytes
            out in front of kept ones; ``empty``: one frame keeps none.
        finish: end on TLAST.
        sidebands: widths by name (``tid``, ``tdest``, ``tuser``).
        positions: one of eight bytes that are kept has no TSTRB, at random.
        corners: data and sidebands are corner values, these among them, as :attr:`CaseContext.corners`.
        steady: TDEST and TID of a frame are those of its first beat.
        dests: TDEST is below this number; 0: it has any value.
    """
    lanes = width // 8
    last = np.zeros(beats, np.bool_)
    ends = np.cumsum(frames or rng.integers(frame[0], frame[1] + 1, size=beats)) - 1
    last[ends[ends < beats]] = True
    if beats:
        last[-1] = finish
    mask = _mask(rng, keep, last, lanes)
    if corners is None:
        sides = {n: rng.integers(0, 1 << w, beats, dtype=np.uint64) for n, w in (sidebands or {}).items()}
        data = rng.integers(0, 256, (beats, lanes), dtype=np.uint8)
    else:
        sides = {n: corner_values(rng, w, beats, corners).view(np.uint64)[:, 0] for n, w in (sidebands or {}).items()}
        data = corner_values(rng, width, beats, corners)[:, :lanes]
    sides = _placed(sides, last, dests, steady=steady)
    if positions:
        sides["tstrb"] = strobe_bits(mask & (rng.random(mask.shape) >= _POSITIONS))
    return Trace.from_bytes(
        data,
        keep=mask,
        last=last,
        clock_ps=clock.period_ps,
        offset_ps=clock.offset_ps,
        **sides,
    )


def _mask(rng: Rng, keep: str, last: npt.NDArray[np.bool_], lanes: int) -> npt.NDArray[np.bool_]:
    """(n, B) bytes that are kept: ``keep`` of :func:`random_trace`."""
    beats = len(last)
    mask = np.ones((beats, lanes), np.bool_)
    first = np.concatenate([[True], last[:-1]])[:beats]
    if keep in ("any", "holes"):
        mask = rng.integers(0, 2, (beats, lanes)).astype(np.bool_)
        if keep == "holes":
            mask[first, rng.integers(lanes, size=int(first.sum()))] = True
    elif keep in ("words", "bytes"):
        unit = 4 if keep == "words" and lanes >= 4 else 1
        count = unit * rng.integers(1, lanes // unit + 1, beats)
        mask = np.where(last[:, None], np.arange(lanes) < count[:, None], True)
    elif keep == "least":
        mask[last, 1:] = False
    elif keep == "hole" and lanes > 1 and beats:
        row = int(rng.integers(beats))
        mask[row] = rng.integers(0, 2, lanes)
        left_out, kept = sorted(rng.choice(lanes, 2, replace=False))
        mask[row, left_out], mask[row, kept] = False, True
    elif keep == "hole" and not last.all():
        # Of one lane, a beat that keeps nothing, in front of others of its frame.
        mask[rng.choice(np.flatnonzero(~last))] = False
    elif keep == "empty" and beats:
        frame = np.cumsum(first)
        mask[frame == rng.integers(1, frame[-1] + 1)] = False
    elif keep not in KEEPS:
        raise UsageError(f"option keep: found {keep!r}, expected {', '.join(KEEPS)}")
    return mask


def corner_values(rng: Rng, width: int, count: int, values: Sequence[tuple[int, int]]) -> npt.NDArray[np.uint8]:
    """Payload that designs are most likely to treat in a special way.

    Each is 0, all ones, a single bit, what was there before, one of the values alone or with random bits around it, or random.

    Args:
        rng: randomness.
        width: bits of the payload.
        count: how many.
        values: with the bits of each.

    Returns:
        (count, B) rows of whole 64-bit words, lowest byte first.
    """
    size = -(-width // 64) * 8
    data = rng.integers(0, 256, (count, size), dtype=np.uint8)
    fitting = [(value, bits) for value, bits in values if value.bit_length() <= width]
    whole = (1 << width) - 1
    for row in range(count):
        kind = int(rng.integers(8 if fitting else 6))
        before = int.from_bytes(data[row - 1].tobytes(), "little") if row else 0
        word = int.from_bytes(data[row].tobytes(), "little")
        if kind < 4:
            word = (0, whole, 1 << int(rng.integers(width)), before)[kind]
        elif kind > 5:
            value, bits = fitting[int(rng.integers(len(fitting)))]
            bits = min(bits, width)
            unit = 8 if bits >= 8 else 1
            at = unit * int(rng.integers((width - bits) // unit + 1)) if kind == 7 else 0
            word = value if kind == 6 else word & ~(((1 << bits) - 1) << at) | value << at
        data[row] = np.frombuffer((word & whole).to_bytes(size, "little"), np.uint8)
    return data


WHOLE_BUNDLE = {"width": "DATA_W", "tid": "ID_W", "tdest": "DEST_W", "tuser": "USER_W"}
"""Widths of a stream with all sidebands, by the parameters that name them."""


def pass_through(setting: CaseContext, rng: Rng, beats: int) -> Stimulus:
    """Traffic for what must carry every bit of a :data:`WHOLE_BUNDLE` unchanged: any keep, all sidebands, no last TLAST."""
    return Stimulus({"s_axis": _whole_trace(setting, rng, beats, setting.clocks["aclk"])}, clocks=setting.clocks)


def pass_between_clocks(setting: CaseContext, rng: Rng, beats: int) -> Stimulus:
    """The same for a stream that goes from ``s_aclk`` to another clock."""
    clocks = draw_clocks(setting, rng)
    return Stimulus({"s_axis": _whole_trace(setting, rng, beats, clocks["s_aclk"])}, clocks=clocks)


def _whole_trace(setting: CaseContext, rng: Rng, beats: int, clock: Clock) -> Trace:
    widths = {role: setting.params[name] for role, name in WHOLE_BUNDLE.items()}
    return random_trace(
        rng, widths.pop("width"), beats, clock, keep="any", finish=False, sidebands=widths, frames=setting.frames
    )


def withheld(image: MemoryImage, seed: int) -> MemoryImage:
    """The same memory, never ready for an address or for data before they are offered, at first for an address before its data."""
    aw, w, ar = (Pattern.parse(AFTER_VALID, seed=seed + salt) for salt in range(3))
    return replace(image, timing=replace(image.timing, aw_ready=aw, w_ready=w, ar_ready=ar, await_data=True))


def rough_timing(rng: Rng, *, interleaved: bool = True) -> MemoryTiming:
    """A memory's latencies, order and back-pressure at random.

    Args:
        rng: randomness.
        interleaved: read data of different IDs may come between each other.
    """
    names = ("none", "random:0.3", "random:0.7", "bursty:6")
    ready = [Pattern.parse(str(rng.choice(names)), seed=int(rng.integers(1 << 30))) for _ in range(5)]
    made = MemoryTiming(
        read_latency=int(rng.choice([1, 2, 8, 30])),
        read_jitter=int(rng.choice([0, 3, 20])),
        write_latency=int(rng.choice([1, 2, 8])),
        write_jitter=int(rng.choice([0, 3, 20])),
        max_reads=int(rng.choice([1, 4, 16])),
        max_writes=int(rng.choice([1, 4, 16])),
        data_ahead=int(rng.choice([0, 4])),
        order=rng.choice(["in_order", "by_id", *(["interleaved"] if interleaved else [])]),
        seed=int(rng.integers(1 << 30)),
        aw_ready=ready[0],
        w_ready=ready[1],
        ar_ready=ready[2],
        r_gaps=ready[3],
        b_gaps=ready[4],
    )
    # A master that does not wait for the response to a write reads what was there before.
    return replace(made, late_writes=made.seed % 2 == 1)


def _roughened(image: MemoryImage, seed: int) -> MemoryImage:
    """The same memory with a timing of its own, unless the user has given one."""
    if image.timing != MemoryTiming():
        return image
    return replace(image, timing=rough_timing(np.random.default_rng([seed, 24])))


def _dress(stimulus: Stimulus, gaps: str, ready: str, setting: CaseContext, seed: int) -> Stimulus:
    inputs = {}
    for salt, (name, made) in enumerate(stimulus.inputs.items()):
        # A file's beats keep their own gaps, and get the case's on top.
        trace, own = (setting.inputs[name], setting.inputs[name].gaps) if name in setting.inputs else (made, 0)
        inputs[name] = trace.with_gaps(own + Pattern.parse(gaps, seed=seed + salt).gaps(len(trace)))
    sinks = {name: Pattern.parse(ready, seed=seed + 100 + salt) for salt, name in enumerate(setting.outputs)}
    memories = stimulus.memories
    if ready == AFTER_VALID:
        memories = {n: withheld(image, seed + 200 + 3 * salt) for salt, (n, image) in enumerate(memories.items())}
    elif ready != "none" and not setting.timed:
        memories = {n: _roughened(image, seed + 200 + salt) for salt, (n, image) in enumerate(memories.items())}
    clocks = {**setting.clocks, **stimulus.clocks}
    return replace(stimulus, inputs=inputs, ready=sinks, memories=memories, clocks=clocks)


def blocks_of(trace: Trace) -> Iterator[Trace]:
    """A trace in parts, at least one, which may have no beats."""
    yield from trace.parts(_LONG_BLOCK) if len(trace) else (trace,)


def spaced(parts: Iterable[Trace], pattern: Pattern) -> Iterator[Trace]:
    """Parts of a trace with a pattern's gaps on top of their own.

    Args:
        parts: in order, and their cycles those of the whole trace.
        pattern: of the source.
    """
    beats, own, placed = 0, -1, -1
    for part in parts:
        if not len(part):
            yield part
            continue
        gaps = part.gaps_after(own) + pattern.gaps(len(part), beats)
        beats, own = beats + len(part), int(part.cycle[-1])
        part = part.with_cycles(placed + np.cumsum(gaps + 1))
        placed = int(part.cycle[-1])
        yield part


def one_after_the_other(traces: Iterable[Trace]) -> Iterator[Trace]:
    """Traces as the parts of one, back to back."""
    end = 0
    for trace in traces:
        if len(trace):
            yield trace.with_cycles(trace.cycle + end)
            end += int(trace.cycle[-1]) + 1


def _ended(traffic: Traffic) -> Traffic:
    """The same; where nothing drives the design, with the number of beats of its outputs that are compared."""

    def made(setting: CaseContext, rng: Rng, beats: int) -> Stimulus:
        found = traffic(setting, rng, beats)
        if found.inputs or found.program or found.bursts or found.drivers or found.take is not None:
            return found
        slowest = max(clock.period_ps for clock in found.clocks.values())
        return replace(found, take=beats, least_ps=max(found.least_ps, beats * slowest))

    return made


def long_case(traffic: Traffic) -> Case:
    """One episode of any length for a design with one stream input, drawn and kept in parts.

    Args:
        traffic: makes some beats of it; all but the input of the first ones' episode is left out.
    """

    def long(setting: CaseContext) -> list[Stimulus]:
        rng = np.random.default_rng([setting.seed, 7])
        beats = int(setting.options["beats"])
        if beats < 1:
            raise UsageError(f"option beats: found {beats}, expected at least 1")
        first = traffic(setting, rng, min(beats, _LONG_BLOCK))
        ((port, begin),) = first.inputs.items()
        given = setting.inputs.get(port)

        def blocks() -> Iterator[Trace]:
            yield begin
            for start in range(_LONG_BLOCK, beats, _LONG_BLOCK):
                yield traffic(setting, rng, min(_LONG_BLOCK, beats - start)).inputs[port]

        parts = one_after_the_other(blocks()) if given is None else blocks_of(given)
        trace = setting.shelf.keep(spaced(parts, setting.pattern("gaps")))
        ready = {name: setting.pattern("ready", 1 + salt) for salt, name in enumerate(setting.outputs)}
        return [replace(first, inputs={port: trace}, ready=ready)]

    return Case(
        name="long",
        summary="one episode of N beats, limited by the disk",
        make=long,
        options={"beats": 1000, "gaps": "none", "ready": "none"},
    )


def stop_after(stimulus: Stimulus, clock: Clock, cycle: int) -> Stimulus:
    """The same stimulus, reset right after edge ``cycle``, at a moment when no clock rises, with jitter or without."""
    stop = clock.time(cycle) + 1
    while not all(c.divides(stop) for c in stimulus.clocks.values()):
        stop += 1
    return replace(stimulus, stop_ps=stop)


def filling(traffic: Traffic, setting: CaseContext, extremes: Sequence[int] = ()) -> list[Stimulus]:
    """Episodes that fill queues: as many beats as option ``fill`` says, to sinks that are away for as many cycles.

    Limits pass over them: their latencies are those of the sinks.

    Args:
        traffic: makes the stimulus.
        setting: of the case.
        extremes: lengths of frames in beats, an episode each besides that of the traffic's own: a ready that counts frames may
            hide that beats overflow, and the other way round.
    """
    fill = int(setting.options["fill"])
    if fill < 1 or not setting.outputs:
        return []

    def held(
        number: int,
        setting: CaseContext,
        names: Iterable[str],
        cycles: int,
        label: str,
        gap: int = 0,
        slow: Sequence[int] = (),
    ) -> Stimulus:
        """These sinks are away for so long, the others never; ``gap``: cycles before a beat; ``slow``: ready before it stays."""
        rng = np.random.default_rng([setting.seed, 8, *([number] * (number > 0))])
        gaps = f"array:{gap}" if gap else "none"
        made = _dress(traffic(setting, rng, fill), gaps, "none", setting, int(rng.integers(1 << 31)))
        # It is away once: a design may make many narrow beats of each.
        back = fill * max(1 + 3 * gap, _NARROWER)
        away = Pattern("array", values=(0,) * cycles + tuple(slow) + (1,) * back)
        return replace(made, ready={**made.ready, **dict.fromkeys(names, away)}, aside=True, label=label)

    found = []
    for number, length in enumerate((0, *(() if setting.inputs else extremes))):
        framed, label, cycles = setting, FILLING, fill
        slow: tuple[int, ...] = ()
        if length:
            framed = replace(setting, frames=(length,) * (fill // length))
            label += f" with frames of {length} beat(s)"
        if length and length == min(extremes):
            # A design may take long for each frame, and count bytes.
            cycles *= _LONGER
            # What counts frames is at its limit for long: a full queue that something leaves now and then.
            slow = (1, 0, 0, 0) * (fill // 8)
            if setting.options.get("keep") in ("bytes", "any"):
                framed = replace(framed, options={**setting.options, "keep": "least"})
        # Idle payload comes before each place of a queue, where no frames differ in an episode of its own.
        gap = int(bool(length) and length == max(extremes))
        found.append(held(number, framed, setting.outputs, cycles * (1 + gap), label, gap, slow))
    if not setting.inputs and not extremes:
        found.append(held(2, setting, (), 0, "a gap before each beat", 1))
    # Behind one of several outputs may be a queue that is full while the others go on, and while they rest.
    single = setting.outputs[:_ALONE] if len(setting.outputs) > 1 else ()
    alone = [held(_ALONE + n, setting, [name], fill, f"{name} away alone") for n, name in enumerate(single)]
    if not setting.inputs and len(alone) > 1:
        alone = [_others_rest(one, number, fill // 4, _RESTS * fill) for number, one in enumerate(alone)]
    return [*found, *alone]


def _others_rest(stimulus: Stimulus, lane: int, beats: int, cycles: int) -> Stimulus:
    """The same, but inputs of other lanes pause for long after about so many beats; where there is one input for all, it does not.

    They do not end: lanes may move together.
    """
    if len(stimulus.inputs) < 2:
        return stimulus
    inputs = {}
    for number, (name, trace) in enumerate(stimulus.inputs.items()):
        ends = np.flatnonzero(trace.last[:-1])
        whole = ends[ends < beats]
        gaps = np.zeros(len(trace), np.int64)
        if number != lane and len(whole):
            gaps[int(whole[-1]) + 1] = cycles
        inputs[name] = trace.with_gaps(gaps)
    return replace(stimulus, inputs=inputs)


def long_runs(traffic: Traffic, setting: CaseContext, extremes: Sequence[int] = ()) -> list[Stimulus]:
    """Long episodes: with slow sinks, with slow sources, and one that fills queues at its beginning and at its end.

    Args:
        traffic: makes the stimulus.
        setting: of the case.
        extremes: least and most beats of frames, which traffic of :attr:`CaseContext.frames` makes; empty: it makes none.
    """
    if int(setting.options["fill"]) < 1 or not setting.outputs or setting.inputs:
        return []
    rng = np.random.default_rng([setting.seed, 13])

    def dressed(setting: CaseContext, gaps: str, ready: str, label: str, count: int = _RUN) -> Stimulus:
        made = _dress(traffic(setting, rng, count), gaps, ready, setting, int(rng.integers(1 << 31)))
        return replace(made, aside=True, label=label)

    found = [
        dressed(setting, "none", "random:0.9", SLOW_SINKS),
        dressed(setting, "random:0.9", "random:0.3", SLOW_SOURCES),
    ]
    away = _exact_sinks(setting.numbers(), rng)
    count = _RUN + _FAST + sum(away) + _TRICKLE
    alike = setting
    if extremes:
        # What is held may depend on frames, so that they are alike.
        beats = min(max(_ALIKE, min(extremes)), max(extremes))
        alike = replace(setting, frames=(beats,) * (count // beats))
    kept = dressed(alike, "none", "none", KEPT, count)
    before, behind = (rng.integers(0, 2, cycles).tolist() for cycles in _AT_RANDOM)
    ready = (*[0] * _FILLED, *before, *away, *behind, *[1] * _THERE, *[0] * _GONE)
    pattern = Pattern("array", values=(*ready, *(1,) * (count * _NARROWER)))
    pauses = rng.integers(0, 4, _LESS_FULL) * (rng.random(_LESS_FULL) < 0.6)
    slow = rng.integers(0, _SLOWLY + 1, _TRICKLE)
    between = np.concatenate([np.zeros(_FILLED, np.int64), pauses, np.zeros(_FAST + sum(away), np.int64), slow])
    inputs = {}
    for name, trace in kept.inputs.items():
        gaps = np.zeros(len(trace), np.int64)
        gaps[: len(between)] = between[: len(gaps)]
        # Nothing stays in queues that wait for the end of a frame.
        ends = np.flatnonzero(trace.last[:-1])
        ends = ends[ends >= len(between)]
        if len(ends):
            gaps[ends[0] + 1] = _REST
        inputs[name] = trace.with_gaps(gaps)
    return [*found, replace(kept, inputs=inputs, ready=dict.fromkeys(setting.outputs, pattern))]


def _exact_sinks(numbers: Iterable[int], rng: np.random.Generator) -> list[int]:
    """When sinks are ready that pause for about as many cycles as small numbers of the RTL say, each time for some beats."""
    around = [
        cycles
        for number in sorted({n for n in numbers if 1 < n <= _SMALL})
        for cycles in range(max(1, number + _AROUND[0]), number + _AROUND[1])
    ]
    ready: list[int] = []
    for cycles in rng.permutation(around * _OFTEN).tolist():
        ready += [*[0] * cycles, *[1] * int(rng.integers(1, 5))]
        if len(ready) > _EXACT:
            break
    return ready


def frame_lengths(longest: int, numbers: Iterable[int] = ()) -> list[int]:
    """Lengths of frames around every power of two, and around numbers of the RTL, in beats; the smallest first.

    Args:
        longest: of them.
        numbers: that counters of the design may be compared with; frames of up to 2 beats more are sent.
    """
    powers = [1 << n for n in range(longest.bit_length() - 1)]
    lengths = {longest, *(p + more for p in powers for more in (-1, 0, 1))} - {0}
    left = _MOST_IN_FRAMES - sum(lengths)
    for length in sorted({n + more for n in numbers for more in (-1, 0, 1, 2)} - lengths - {0}):
        if (left := left - length) < 0:
            break
        lengths.add(length)
    return sorted(lengths)


def framing(traffic: Traffic, setting: CaseContext) -> list[Stimulus]:
    """An episode of frames of many lengths, up to option ``longest`` and to what the RTL's numbers say; limits pass over it.

    Where ``longest`` is smaller than usual, numbers allow no longer ones.
    """
    longest = int(setting.options.get("longest", 0))
    if longest < 1 or setting.inputs:
        return []
    rng = np.random.default_rng([setting.seed, 9])
    numbers = [n for n in setting.numbers() if longest >= LONGEST or n + 2 <= longest]
    lengths = tuple(rng.permutation(frame_lengths(longest, numbers)).tolist())
    made = traffic(replace(setting, frames=lengths), rng, sum(lengths))
    label = f"frames of up to {max(lengths)} beats; longest = N in [traffic] limits them"
    return [replace(_dress(made, "none", "random:0.3", setting, int(rng.integers(1 << 31))), aside=True, label=label)]


def cornering(traffic: Traffic, setting: CaseContext) -> list[Stimulus]:
    """Episodes of corner values, and of long pauses: longer than what the RTL's numbers say; limits pass over them."""
    if setting.inputs:
        return []
    rng = np.random.default_rng([setting.seed, 11])
    values = tuple(setting.values())
    beats = _CORNERS + 12 * len(values)
    made = traffic(replace(setting, corners=values), rng, beats)
    corner = _dress(made, "random:0.3", "random:0.3", setting, int(rng.integers(1 << 31)))
    pause = max([_PAUSE, *(n for n in setting.numbers() if n <= _LONGEST_PAUSE)]) + 2
    some = [int(n) for n in rng.integers(3, 40, 3)]
    gaps = Pattern("array", values=tuple(gap for n in some for gap in (pause, *[0] * n)))
    # Slow designs have the time at the end, and so have those that make many beats of one.
    absent = [bit for n in some for bit in (*[0] * pause, *[1] * n)]
    away = Pattern("array", values=(*absent, *[1] * (_AT_MOST * sum(some))))
    plain = _dress(traffic(setting, rng, sum(some)), "none", "none", setting, int(rng.integers(1 << 31)))
    paused = {name: trace.with_gaps(gaps.gaps(len(trace))) for name, trace in plain.inputs.items()}
    return [
        replace(corner, aside=True, label="corner values"),
        replace(plain, inputs=paused, aside=True, label=f"sources pause for {pause} cycles"),
        replace(
            plain,
            ready=dict.fromkeys(setting.outputs, away),
            # Where no model says when the last beat comes.
            least_ps=(len(absent) + _SOON * sum(some)) * max(clock.period_ps for clock in plain.clocks.values()),
            aside=True,
            label=f"sinks are away for {pause} cycles",
        ),
        *_exact_pauses(traffic, setting),
    ]


def pauses_around(numbers: Iterable[int]) -> list[int]:
    """Cycles around numbers that counters of idle cycles may be compared with, as many as fit into a run; the smallest first."""
    found, left = list[int](), _MOST_IDLE
    for number in sorted({n for n in numbers if _LEAST_IDLE <= n <= _LONGEST_PAUSE}):
        around = range(number + _AROUND[0], number + _AROUND[1])
        if (left := left - sum(around)) < 0:
            break
        found += around
    return found


def _exact_pauses(traffic: Traffic, setting: CaseContext) -> list[Stimulus]:
    """Pauses of sources, then of sinks, each a cycle longer than the one before: one of them ends in the cycle that counts."""
    if not (pauses := pauses_around(setting.numbers())):
        return []
    rng = np.random.default_rng([setting.seed, 15])
    some = [int(n) for n in rng.integers(2, 5, len(pauses))]
    beats, idle = sum(some), sum(pauses)
    plain = _dress(traffic(setting, rng, beats), "none", "none", setting, int(rng.integers(1 << 31)))
    gaps = Pattern(
        "array", values=tuple(gap for n, pause in zip(some, pauses, strict=True) for gap in (pause, *[0] * (n - 1)))
    )
    absent = [bit for n, pause in zip(some, pauses, strict=True) for bit in (*[0] * pause, *[1] * n)]
    away = Pattern("array", values=(*absent, *[1] * (_AT_MOST * beats)))
    least_ps = (idle + _SOON * beats) * max(clock.period_ps for clock in plain.clocks.values())
    paused = {name: trace.with_gaps(gaps.gaps(len(trace))) for name, trace in plain.inputs.items()}
    label = f"pauses of {pauses[0]} to {pauses[-1]} cycles"
    return [
        replace(plain, inputs=paused, aside=True, label=f"{label} of sources"),
        replace(
            plain, ready=dict.fromkeys(setting.outputs, away), least_ps=least_ps, aside=True, label=f"{label} of sinks"
        ),
    ]


CUT_OFF = "cut off by a reset"
"""Label of an episode that a reset ends in mid-flight."""


def cut_off(traffic: Traffic, setting: CaseContext, pair: tuple[str, str], number: int) -> Stimulus:
    """An episode that a reset ends in mid-flight, while sinks are away or the traffic is dense."""
    rng = np.random.default_rng([setting.seed, 10, number])
    made = _dress(traffic(setting, rng, 40), *pair, setting, int(rng.integers(1 << 31)))
    made = replace(made, label=CUT_OFF)
    return stop_after(made, next(iter(made.clocks.values())), int(rng.integers(8, 70)))


def _each_alone(traffic: Traffic, setting: CaseContext, sides: Collection[str], *, cut: bool) -> list[Stimulus]:
    """Each of several inputs sends while the others are silent, and each of several sinks is there before the others.

    With ``cut`` each comes behind a reset in mid-flight: what that leaves may be hidden by another input that sends first.
    """
    found: list[Stimulus] = []
    if setting.inputs:
        return found
    rng = np.random.default_rng([setting.seed, 12])
    made = _dress(traffic(setting, rng, _BEATS_ALONE), "none", "none", setting, int(rng.integers(1 << 31)))
    late = Pattern("array", values=(0,) * _BEATS_ALONE + (1,) * _LONGEST_PAUSE)

    def add(more: Stimulus) -> None:
        if cut:
            found.append(cut_off(traffic, setting, ("none", _AWAY), 100 + len(found)))
        found.append(more)

    for name in [*made.inputs][:_ALONE] if len(made.inputs) > 1 and "in" in sides else ():
        inputs = {one: trace if one == name else trace[:0] for one, trace in made.inputs.items()}
        add(replace(made, inputs=inputs, label=f"{name} {SENDS_ALONE}"))
    for name in setting.outputs[:_ALONE] if len(setting.outputs) > 1 and "out" in sides else ():
        away = {one: late for one in setting.outputs if one != name}
        add(replace(made, ready={**made.ready, **away}, label=f"{name} is ready alone at first"))
    return found


def stream_cases(
    traffic: Traffic,
    fill: int = 0,
    longest: int = 0,
    *,
    extremes: Sequence[int] = (),
    cuts: bool = False,
    corners: bool = False,
    pauses: bool = False,
    keep: str = "",
    alone: Collection[str] = (),
) -> tuple[Case, ...]:
    """The cases that every streaming design has: ``random``, ``sweep``, ``sizes`` and ``reset``.

    ``sweep`` has more episodes than there are :data:`~goldbeat.tb.design.clocks.RELATIONS` of two clocks, and goes
    through all of them.

    Args:
        traffic: makes the stimulus.
        fill: beats of more episodes of ``sweep``, which fill the design's queues; 0: there are none.
        longest: beats of the longest frame of one more, which traffic of :attr:`CaseContext.frames` makes; 0: there is none.
        extremes: lengths of frames that queues are filled with, which traffic of :attr:`CaseContext.frames` makes.
        cuts: resets end some more episodes of ``sweep``.
        corners: the traffic makes the payload of :attr:`CaseContext.corners`; ``sweep`` has some more episodes.
        pauses: ``sizes`` has one more episode, of long pauses and, where the traffic makes :attr:`CaseContext.frames`, a long
            frame.
        alone: ``in``: inputs do not wait for each other, so each sends alone in an episode of ``sweep``; ``out``: each sink is
            ready before the others in one.
        keep: what TKEEP of ``sweep`` is, if the traffic reads that option; empty: there is no such option.
    """
    traffic = _ended(traffic)

    def sweep(setting: CaseContext) -> list[Stimulus]:
        beats = int(setting.options["beats"])
        # Every relation of two clocks comes with other patterns in every seed.
        first = int(np.random.default_rng([setting.seed, 6]).integers(len(_PAIRS)))
        generators = {waits: np.random.default_rng([setting.seed, 5 if waits else 1]) for waits in (True, False)}
        episodes = [
            _dress(
                traffic(replace(setting, relation=first + i), rng, beats), *pair, setting, int(rng.integers(1 << 31))
            )
            for i, pair in enumerate(_PAIRS)
            for rng in (generators[pair[1] == AFTER_VALID],)
        ]
        for number in reversed(_CUTS) if cuts else ():
            # What a reset leaves behind shows in the episode after it.
            episodes.insert(number, cut_off(traffic, setting, _CUTS[number], number))
        more = cornering(traffic, setting) if corners else []
        single = _each_alone(traffic, setting, alone, cut=cuts) if alone else []
        deep = [*filling(traffic, setting, extremes), *long_runs(traffic, setting, extremes)]
        return [*episodes, *single, *deep, *framing(traffic, setting), *more]

    def random(setting: CaseContext) -> list[Stimulus]:
        rng = np.random.default_rng([setting.seed, 2])
        gaps = str(setting.options["gaps"])
        ready = str(setting.options["ready"])
        gaps = str(rng.choice(_PATTERNS)) if gaps == "any" else gaps
        ready = str(rng.choice(_PATTERNS)) if ready == "any" else ready
        beats = int(rng.integers(1, int(setting.options["beats"]) + 1))
        return [_dress(traffic(setting, rng, beats), gaps, ready, setting, int(rng.integers(1 << 31)))]

    def sizes(setting: CaseContext) -> list[Stimulus]:
        rng = np.random.default_rng([setting.seed, 3])
        runs = [
            _dress(traffic(setting, rng, beats), "none", ready, setting, int(rng.integers(1 << 31)))
            for beats in (1, 2, 3, 4, 5, int(setting.options["largest"]))
            for ready in ("none", "random:0.5")
        ]
        if not pauses:
            return runs
        length = min(_LONG_FRAME, longest or _LONG_FRAME)
        frames = (length,) * (2 * _LONG_FRAME // length - 1)
        long = traffic(replace(setting, frames=frames), rng, 2 * _LONG_FRAME)
        return [*runs, _dress(long, _PAUSES, "none", setting, int(rng.integers(1 << 31)))]

    def reset(setting: CaseContext) -> list[Stimulus]:
        rng = np.random.default_rng([setting.seed, 4])
        episodes = []
        for _ in range(int(setting.options["resets"])):
            whole = traffic(setting, rng, 40)
            gaps, ready = str(rng.choice(_PATTERNS[:-1])), str(rng.choice((*_PATTERNS[:-1], _AWAY)))
            dressed = _dress(whole, gaps, ready, setting, int(rng.integers(1 << 31)))
            clock = next(iter(dressed.clocks.values()))
            stopped = stop_after(dressed, clock, int(rng.integers(0, 70)))
            episodes.append(replace(stopped, one_edge=bool(setting.options["one_edge"])))
        return [*episodes, _dress(traffic(setting, rng, 40), "none", "random:0.3", setting, int(rng.integers(1 << 31)))]

    return (
        Case(
            name="random",
            summary="one episode of random length, gaps and back-pressure, all from the seed",
            make=random,
            options={"beats": 100, "gaps": "any", "ready": "any"},
        ),
        Case(
            name="sweep",
            summary="every gap pattern against every back-pressure pattern",
            make=sweep,
            options={
                "beats": 60,
                "fill": fill,
                **({"longest": longest} if longest else {}),
                **({"keep": keep} if keep else {}),
            },
            fills=True,
        ),
        Case(
            name="sizes",
            summary="one beat, a few beats, and one long run",
            make=sizes,
            options={"largest": 1000},
        ),
        Case(
            name="reset",
            summary="resets in mid-flight, then a whole run",
            make=reset,
            options={"resets": RESETS, "one_edge": False},
        ),
    )


def registers_case(make: StimulusMaker, what: str = "the whole register map, strobes and error answers") -> Case:
    """The case ``registers``: accesses all over the map, which no input of a user replaces."""
    return Case(name="registers", summary=what, make=make, inputs=False, registers=True)
