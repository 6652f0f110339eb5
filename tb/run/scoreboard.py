# SPDX-License-Identifier: Apache-2.0
"""Golden model against record. It cannot pass silently: comparing nothing is a failure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.compare import Comparison, compare
from goldbeat.pymodels.null_bytes import has_null_bytes, without_null_bytes
from goldbeat.pymodels.register_traffic import RegisterTraffic
from goldbeat.pymodels.stimulus import ANY_RESPONSE, Access, AccessAnswer, Outcome, Stimulus
from goldbeat.pymodels.trace import SIDEBANDS, Trace
from goldbeat.tb.design.design import Design
from goldbeat.tb.inside.job import AccessResult, Record
from goldbeat.tb.run.attribute_check import check_attributes
from goldbeat.tb.run.burst_check import RESPONSES, check_bursts
from goldbeat.tb.run.prediction import function_name

_MOST_EXPLAINED = 100
"""Reads that differ, of a port, whose neighbours in time are named."""
_SORTED = "\n(frames are sorted by what they hold, each word where no port has TLAST; beats count in that order)"


@dataclass(frozen=True)
class Verdict:
    """What the scoreboard says of one episode.

    Attributes:
        ports: the comparison of every stream port.
        compared: output beats, register reads, bytes and responses of bursts, steps and bursts with predicted cycles, status
            outputs other than 0 and bytes of memory that change which were looked at.
        failures: everything that is wrong, each a text that stands alone; empty means pass.
        moved: stream beats, memory bursts and bursts of masters that were recorded, and bytes of memory that change: what
            shows that the design did anything at all.
    """

    ports: Mapping[str, Comparison] = field(default_factory=dict)
    compared: int = 0
    failures: tuple[str, ...] = ()
    moved: int = 0


def check_episode(
    design: Design, params: Mapping[str, Any], stimulus: Stimulus, expected: Outcome, record: Record
) -> Verdict:
    """Compare everything that a run recorded with everything that the model predicts."""
    failures = [*_rules_broken(stimulus, expected, record), *_check_names(design, params, stimulus, expected)]
    if stimulus.cut or (stimulus.stop_ps is not None and not design.ordered):
        # Frames in any order have no beginning to compare: the episode behind it shows what the reset has left.
        return Verdict(failures=tuple(failures))
    ports: dict[str, Comparison] = {}
    compared = 0
    moved = sum(len(trace) for trace in record.outcome.ports.values())
    want = compared_part(design, stimulus, expected)
    # Without any TLAST, each word is a frame.
    words = not any(port.has("tlast") for port in design.bundles(params))
    for port in design.bundles(params):
        if port.name not in want.ports:
            continue
        got = record.outcome.ports[port.name][: stimulus.take]
        if (earliest := want.earliest.get(port.name)) is not None:
            result, outside = _compare_range(stimulus, want.ports[port.name], earliest, got)
            failures += [f"port {port.name}: {text}" for text in outside]
        else:
            expects = want.ports[port.name]
            if (frames := want.bytewise.get(port.name)) is not None:
                expects, got = _bytes_of(expects, frames), _bytes_of(got, frames)
            result = _compare(design, stimulus, port.direction, expects, got, words=words)
        ports[port.name] = result
        compared += result.compared if port.direction == "out" else 0
        if not result.equal:
            failures.append(result.text(port.name) + ("" if design.ordered else _SORTED))
        elif (queues := want.queues.get(port.name)) and not design.ordered:
            # Most runs need none of it, here and below.
            from goldbeat.tb.run.queue_order import overtaken

            early = overtaken(want.ports[port.name], got, queues, words=words)
            what = f"port {port.name}, beat {early}: data differs: expected the next of what an input has, got what is behind it"
            failures += [] if early is None else [what]
    if stimulus.stop_ps is None:
        for status in design.status:
            was, should = record.outcome.status[status.name], expected.status.get(status.name)
            # A counter that should have moved says as much as a beat; one that stays 0 says nothing.
            compared += bool(should)
            if should is not None and was != should:
                failures.append(f"status {status.name}: expected {should}, got {was}")
        changed, bursts = _check_memories(stimulus, want, record, failures)
        compared += changed + bursts
        moved += changed
    moved += sum(len(m.log) for m in record.outcome.memories.values() if m.log is not None)
    if failures and record.hanging:
        failures.append("at the end of the run: " + "; ".join(record.hanging))
    accesses, reads = _check_accesses(design, params, stimulus, expected, record)
    answers, values, over = check_bursts(stimulus, record)
    return Verdict(ports, compared + reads + values, (*failures, *accesses, *answers), moved + over)


def compared_part(design: Design, stimulus: Stimulus, expected: Outcome) -> Outcome:
    """What of a prediction is compared: nothing behind the stop, where the exact time of everything is known."""
    return expected.until(stimulus.stop_ps) if design.timed and not expected.earliest else expected


def _rules_broken(stimulus: Stimulus, expected: Outcome, record: Record) -> list[str]:
    """Violations of rules; what is under way at the end counts where it is known how long all of it takes."""
    if not expected.unknown and stimulus.take is None:
        return list(record.violations)
    return [text for text in record.violations if not text.partition(":")[0].endswith("_outstanding")]


def _check_names(design: Design, params: Mapping[str, Any], stimulus: Stimulus, expected: Outcome) -> Iterator[str]:
    """What the model leaves out, and what it predicts that is not there."""
    who = f"the golden model {function_name(design.model)}"
    bundles = {b.name: b for b in design.bundles(params)}
    for name, port in bundles.items():
        if name in expected.unknown:
            continue
        if name not in expected.ports:
            yield f"port {name}: {who} does not predict it"
        elif expected.ports[name].width != port.width:
            yield f"port {name}: {who} predicts {expected.ports[name].width} bit, the port is {port.width} bit wide"
    has: list[tuple[str, Mapping[str, Any], list[str]]] = [("port", expected.ports, list(bundles))]
    if stimulus.stop_ps is None:
        has += [("status", expected.status, [s.name for s in design.status])]
        has += [("memory", expected.memories, list(stimulus.memories))]
        for kind, predicted, names in has[1:]:
            yield from (
                f"{kind} {n}: {who} does not predict it"
                for n in names
                if n not in predicted and n not in expected.unknown
            )
    for kind, predicted, names in has:
        yield from (
            f"{kind} {n}: {who} predicts it, but the design does not have it; known: {', '.join(names) or 'none'}"
            for n in predicted
            if n not in names
        )


def _compare(
    design: Design, stimulus: Stimulus, direction: str, expected: Trace, got: Trace, *, words: bool
) -> Comparison:
    if design.timed:
        return compare(expected, got)
    if stimulus.stop_ps is not None:
        # Without cycles, what a reset cuts off is unknown; what came before it is still the beginning of it all.
        expected = expected[: len(got)]
    if not design.ordered and direction == "out":
        # Sorted frames have lost their cycles.
        return compare(_by_content(expected, words=words), _by_content(got, words=words), time="ignore", cycles="none")
    return compare(expected, got, time="ignore", cycles="got")


def _bytes_of(trace: Trace, frames: npt.NDArray[np.bool_]) -> Trace:
    """A trace without the null bytes of some frames; of one of them that has no end, without the beat that may go on."""
    found = without_null_bytes(trace, frames=frames) if has_null_bytes(trace) else trace
    number = int(np.count_nonzero(found.last))
    goes_on = len(found) > 0 and not found.last[-1] and number < len(frames) and frames[number]
    return found[:-1] if goes_on else found


def _compare_range(
    stimulus: Stimulus, latest: Trace, earliest: npt.NDArray[np.int64], got: Trace
) -> tuple[Comparison, list[str]]:
    """Compare data exactly, and cycles with the earliest and the latest ones; what is wrong with the cycles, as texts."""
    expected, outside = latest, []
    if stimulus.stop_ps is not None:
        # How much has transferred when the reset comes is as open as the cycles are.
        least = int(np.count_nonzero(latest.time_ps < stimulus.stop_ps))
        most = int(np.count_nonzero(latest.with_cycles(earliest).time_ps < stimulus.stop_ps))
        if not least <= len(got) <= most:
            outside.append(f"{len(got)} beats before the reset, expected {least} to {most}")
        expected = latest[: len(got)]
    n = min(len(expected), len(got))
    wrong = np.flatnonzero((got.cycle[:n] < earliest[:n]) | (got.cycle[:n] > expected.cycle[:n]))
    if len(wrong):
        at = int(wrong[0])
        outside.append(
            f"{len(wrong)} of {n} beats outside the cycles that blurred crossings allow, the first is beat {at}: "
            f"expected cycle {earliest[at]} to {expected.cycle[at]}, got {got.cycle[at]}"
        )
    return compare(expected, got, time="ignore", cycles="got"), outside


def _by_content(trace: Trace, *, words: bool) -> Trace:
    """The same frames, or words, sorted by what they hold."""
    from goldbeat.tb.run.queue_order import frame_bounds, frame_contents

    bounds = frame_bounds(trace, words=words)
    keys = frame_contents(trace, bounds)
    order = [int(i) for n in sorted(range(len(keys)), key=keys.__getitem__) for i in range(*bounds[n])]
    sides: dict[str, Any] = {n: None if (c := getattr(trace, n)) is None else c[order] for n in SIDEBANDS}
    return replace(trace, data=trace.data[order], keep=trace.keep[order], last=trace.last[order], **sides)


def nothing_compared(verdicts: Sequence[Verdict], *, still: bool = False) -> tuple[str, ...]:
    """The failure of a case that has shown nothing, over all of its episodes.

    Args:
        verdicts: of the episodes.
        still: streams and memories may rest: the case, or the design, is about registers and status outputs alone.
    """
    compared = sum(v.compared for v in verdicts)
    if not compared:
        return ("nothing was compared: no output beat, register read or status output in any episode",)
    if still or any(v.moved for v in verdicts):
        return ()
    return (
        "nothing moved: no beat, no burst and no changed byte of memory in any episode; "
        f"the {compared} values compared are only registers and status outputs",
    )


def _check_memories(stimulus: Stimulus, want: Outcome, record: Record, failures: list[str]) -> tuple[int, int]:
    """Compare what memories hold and which bursts they saw; changed bytes, and bursts compared."""
    changed = bursts = 0
    for port, image in stimulus.memories.items():
        if port not in want.memories:
            continue
        was = record.outcome.memories[port].regions
        predicted = want.memories[port].regions
        names = [region.name for region in image.regions]
        failures += [
            f"memory {port}, region {name}: predicted, but there is no such region; known: {', '.join(names)}"
            for name in predicted
            if name not in names
        ]
        for region in image.regions:
            should = predicted.get(region.name, region.data)
            if should.shape != region.data.shape:
                failures.append(
                    f"memory {port}, region {region.name}: the golden model predicts {should.size} bytes, "
                    f"the region has {region.data.size}"
                )
                continue
            # Bytes that nothing should have changed are compared too, but say nothing by themselves.
            changed += int(np.count_nonzero(should != region.data))
            wrong = np.flatnonzero(was[region.name] != should)
            if len(wrong):
                at = int(wrong[0])
                failures.append(
                    f"memory {port}, region {region.name}: {len(wrong)} of {len(should)} bytes differ, the first at "
                    f"0x{region.base + at:x}: expected 0x{should[at]:02x}, got 0x{was[region.name][at]:02x}"
                )
        log = record.outcome.memories[port].log
        bursts += _check_log(port, want.memories[port].log, log, failures)
        if (carried := want.memories[port].carried) is not None and log is not None:
            texts, arrived = check_attributes(port, carried, log)
            failures += texts
            bursts += arrived
    return changed, bursts


def _check_log(port: str, want: npt.NDArray[Any] | None, got: npt.NDArray[Any] | None, failures: list[str]) -> int:
    """Compare the bursts of a memory, in the order of their addresses, in the columns that the model predicts."""
    if want is None or got is None:
        return 0
    both, names = min(len(want), len(got)), want.dtype.names or ()
    differs = np.zeros(both, np.bool_)
    for name in names:
        differs |= want[name][:both] != got[name][:both]
    if len(want) != len(got):
        failures.append(f"memory {port}: {len(want)} bursts expected, {len(got)} made")
    if differs.any():
        at = int(np.argmax(differs))
        texts = [", ".join(f"{n} {_number(n, row[n])}" for n in names) for row in (want[at], got[at])]
        failures.append(
            f"memory {port}: {int(differs.sum())} bursts differ, the first is number {at}: expected {texts[0]}; got {texts[1]}"
        )
    return both


def _number(name: str, value: Any) -> str:
    return f"0x{int(value):x}" if name == "address" else str(int(value))


def _check_accesses(
    design: Design, params: Mapping[str, Any], stimulus: Stimulus, expected: Outcome, record: Record
) -> tuple[list[str], int]:
    """Compare the steps of the register programs with what the model predicts of them, or else with what they say themselves."""
    failures: list[str] = []
    compared = 0
    for port in design.register_ports(params):
        asked = tuple(stimulus.program.get(port.name, ()))
        if stimulus.stop_ps is None:
            asked += tuple(stimulus.after.get(port.name, ()))
        got: Sequence[AccessResult] = record.accesses.get(port.name, ())
        if len(asked) != len(got):
            failures.append(f"{port.name}: {len(asked)} accesses expected, {len(got)} made")
        if port.name in expected.unknown:
            continue
        answers = expected.accesses.get(port.name)
        if answers is not None and len(answers) != len(asked):
            failures.append(f"{port.name}: the golden model predicts {len(answers)} of {len(asked)} accesses")
        if answers is None:
            answers = (AccessAnswer(),) * len(asked)
        compared += _check_answers(port.name, asked, answers, got, stimulus.traffic_of(port.name), failures)
    return failures, compared


def _check_answers(
    port: str,
    asked: Sequence[Access],
    answers: Sequence[AccessAnswer],
    got: Sequence[AccessResult],
    traffic: RegisterTraffic,
    failures: list[str],
) -> int:
    """Compare the steps of one port; how many values and cycles were compared."""
    compared = 0
    values: list[str] = []
    cycles: list[str] = []
    for i, (access, answer, result) in enumerate(zip(asked, answers, got, strict=False)):
        where = f"{port}: access {i} ({access.name})"
        error = access.error if answer.error is None else answer.error
        # Predicted cycles are those of plain traffic.
        timed = traffic.plain and answer.cycle is not None and result.cycle is not None
        # A model that knows nothing of values leaves them to the access.
        own = access.value if access.op == "read" and answer.error is None else None
        value = own if answer.value is None else answer.value
        valued = value is not None and not error
        compared += valued or timed
        exact = answer.error is None and None not in (access.response, result.response)
        anything = access.response == ANY_RESPONSE
        if not anything and (result.error != error or (exact and result.response != access.response)):
            want, got_ = (access.response, result.response) if exact else (error, result.error)
            failures.append(f"{where}: expected {_answer(want)}, got {_answer(got_)}{_accepted(access, result)}")
        elif value is not None and not error and _differing(access, value, result):
            # These look through all accesses.
            beside = _circumstances(asked, got, i) if len(values) < _MOST_EXPLAINED else ""
            how = _in_fields(access, value, result.value or 0) + beside + _accepted(access, result)
            values.append(f"{where}: expected 0x{value:08x}, got 0x{result.value or 0:08x}{how}")
        if timed and result.cycle != answer.cycle:
            cycles.append(f"{where}: expected to end in cycle {answer.cycle}, ended in {result.cycle}")
    # Of a walk, the first one tells most: each word is read again and again.
    failures += values if traffic.plain else values[:1]
    if values and not traffic.plain:
        failures.append(f"{port}: {len(values)} reads differ in all, with {traffic}")
    failures += cycles[:1]
    if len(cycles) > 1:
        failures.append(f"{port}: {len(cycles)} cycles of accesses differ in all")
    return compared


def _differing(access: Access, value: int, result: AccessResult) -> int:
    """The bits of a read that are compared and differ; all where nothing came."""
    compared = -1 if access.mask is None or access.op != "read" else access.mask
    return compared if result.value is None else (result.value ^ value) & compared


def _in_fields(access: Access, value: int, got: int) -> str:
    """What differs, by the names of the register map; empty for an access that has none."""
    if not access.register:
        return ""
    left = (value ^ got) & (-1 if access.mask is None else access.mask)
    texts = []
    for name, lsb, width in access.fields:
        bits = (1 << width) - 1 << lsb
        if left & bits:
            was, should = (got & bits) >> lsb, (value & bits) >> lsb
            texts.append(f"; {access.register}.{name} expected 0x{should:x}, got 0x{was:x}")
            left &= ~bits
    if left:
        texts.append(f"; {access.register}: reserved bits 0x{left:x} differ")
    return "".join(texts)


def _circumstances(asked: Sequence[Access], got: Sequence[AccessResult], at: int) -> str:
    """What a slave may have mixed up as it was read: the last write of the word, and the accesses beside it."""
    texts = []
    writes = [i for i in range(at) if asked[i].op in ("write", "post") and asked[i].address == asked[at].address]
    if writes:
        texts.append(f"last written by access {writes[-1]} with strobe 0b{asked[writes[-1]].strobe:04b}")
    times = [(r.first, r.cycle) for r in got]
    first, last = times[at]
    beside = [
        f"{i} ({asked[i].name})"
        for i, (begin, end) in enumerate(times)
        if i != at
        and first is not None
        and last is not None
        and begin is not None
        and end is not None
        and begin <= last
        and first <= end
    ]
    if beside:
        texts.append(f"beside access {', '.join(beside)}")
    return "".join(f"; {text}" for text in texts)


def _accepted(access: Access, result: AccessResult) -> str:
    """The setting under which an answer is right that no map says anything about."""
    if not access.rule:
        return ""
    as_is = "error" if result.error else "bytes" if access.rule == "strobes" else "any" if result.value else "zero"
    return f'; accepted with {access.rule} = "{as_is}" in [[register_maps]], or "skip" to leave it out'


def _answer(response: bool | int | None) -> str:
    """A response, or whether there is one that is an error."""
    if isinstance(response, bool) or response is None:
        return "an error response" if response else "OKAY"
    return RESPONSES[response]
