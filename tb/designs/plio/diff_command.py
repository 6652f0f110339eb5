# SPDX-License-Identifier: Apache-2.0
"""``goldbeat plio diff``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from goldbeat.pymodels.align import align, find_offset
from goldbeat.pymodels.compare import Comparison, Cycles, Near, compare
from goldbeat.pymodels.errors import InputError, UsageError, naming
from goldbeat.pymodels.packet_header import parse_header
from goldbeat.pymodels.packet_payload import check_headers
from goldbeat.pymodels.plio_file import PlioFile
from goldbeat.pymodels.tolerance import Tolerance
from goldbeat.pymodels.trace import Time
from goldbeat.tb.cli.common import FAILED, ClockMhz, Dtype, Json, Width, duration, examples, ns, print_json, say
from goldbeat.tb.cli.trace_files import names, read_file

TimeOption = Annotated[
    str | None,
    typer.Option("--time", metavar="exact|ignore|TOL", help="Times: exact, ignore, or a tolerance such as 5ns."),
]
Atol = Annotated[float, typer.Option("--atol", metavar="A", help="Accept absolute errors up to A.")]
Rtol = Annotated[float, typer.Option("--rtol", metavar="R", help="Accept errors up to R times the expected value.")]
Lsb = Annotated[int, typer.Option("--lsb", metavar="N", help="Accept integer errors up to N.")]
Ulp = Annotated[int, typer.Option("--ulp", metavar="N", help="Accept float errors up to N units in the last place.")]
Offset = Annotated[
    int | None,
    typer.Option("--offset", metavar="K", help="GOT is K samples late (negative: early); compares by sample."),
]
Search = Annotated[
    int | None,
    typer.Option("--search", metavar="N", help="Find the offset, at most N samples, at which most values agree."),
]
ByIds = Annotated[
    bool, typer.Option("--packets", help="Compare the packets of each id, in whatever order the ids take turns.")
]


def register(app: typer.Typer) -> None:
    """Mount the command."""
    below = examples(
        "goldbeat plio diff golden.txt out.txt --dtype cint16 --width 32",
        "goldbeat plio diff golden.txt out.txt -t cint16 -w 32 --time ignore --lsb 1",
        "goldbeat plio diff aie.txt rtl.txt -t cint16 -w 32 --time 8ns",
        "goldbeat plio diff golden.txt out.txt -t int32 -w 32 --packets",
        "goldbeat plio diff golden.txt out.txt -t float -w 64 --rtol 1e-5 --ignore-tlast --search 64",
    )
    app.command("diff", no_args_is_help=True, epilog=below)(diff)


def diff(
    expected: Annotated[Path, typer.Argument(metavar="EXPECTED", help="The reference.")],
    got: Annotated[Path, typer.Argument(metavar="GOT", help="File to compare with the reference.")],
    dtype: Dtype,
    width: Width,
    time: TimeOption = None,
    atol: Atol = 0.0,
    rtol: Rtol = 0.0,
    lsb: Lsb = 0,
    ulp: Ulp = 0,
    ignore_tlast: Annotated[bool, typer.Option("--ignore-tlast", help="Do not compare TLAST.")] = False,
    offset: Offset = None,
    search: Search = None,
    packets: ByIds = False,
    clock: ClockMhz = None,
    as_json: Json = False,
) -> None:
    """Compare two files: values, TLAST, TKEEP and times.

    By default, times are compared exactly if both files have them. With --offset or --search, samples
    are compared one by one, without times and TKEEP.

    Exit code: 0 equal, 1 different, 2 bad usage or bad input.
    """
    given = Tolerance(atol, rtol, lsb, ulp)
    paths = [expected, got]
    files = [read_file(path, dtype, width, clock, packets=packets) for path in paths]
    given.check(files[0].dtype)
    near = None if given == Tolerance() else Near(files[0].dtype, given, files[0].style.words == "packets")
    if packets:
        if offset is not None or search is not None:
            raise UsageError("--packets compares packets by their ids, without --offset and --search")
        _by_id(
            files, paths, "ignore" if time is None else _times(files, paths, time, clock), near, ignore_tlast, as_json
        )
        return
    left_out = None
    if offset is not None or search is not None:
        if offset is not None and search is not None:
            raise UsageError("--offset and --search: give one of them")
        if time not in (None, "ignore"):
            raise UsageError(f"--time {time}: with an offset, samples are compared without times")
        how: Time = "ignore"
        offset, left_out, files = _aligned(files, offset, search, given)
    else:
        how = _times(files, paths, time, clock)
    cycles: Cycles = "both" if offset is None else "none"
    result = compare(files[0].trace, files[1].trace, time=how, tlast=not ignore_tlast, cycles=cycles, near=near)
    what = _what(given, how, ignore_tlast, offset)
    if as_json:
        print_json(_diff_json(result, files, str(how), offset, left_out, ignore_tlast))
    else:
        _say(result, files, paths, what, offset, left_out)
    if not result.equal:
        raise typer.Exit(FAILED)


def _by_id(
    files: list[PlioFile], paths: list[Path], how: Time, near: Near | None, ignore_tlast: bool, as_json: bool
) -> None:
    """Compare the packets of each id, and exit where some differ."""
    parts = [_ids(file, path) for file, path in zip(files, paths, strict=True)]
    results, texts = dict[int, Comparison](), list[str]()
    for number in sorted({*parts[0], *parts[1]}):
        pair = [of.get(number, replace(file, trace=file.trace[:0])) for of, file in zip(parts, files, strict=True)]
        found = compare(pair[0].trace, pair[1].trace, time=how, tlast=not ignore_tlast, near=near)
        results[number] = found
        counts = [int(one.trace.last.sum()) for one in pair]
        if found.equal:
            texts.append(f"id {number}: equal: {counts[0]} packets, {found.compared} beats")
        else:
            texts.append(f"id {number}: {counts[0]} and {counts[1]} packets differ:")
            texts.append(found.text(unit="beat") + _samples_of(found, pair, single=False))
    equal = all(found.equal for found in results.values())
    if as_json:
        ids = [
            {"id": n, "equal": r.equal, "compared": r.compared, "mismatches": r.mismatches} for n, r in results.items()
        ]
        print_json({"equal": equal, "time": str(how), "ids": ids})
    else:
        say("\n".join([f"{paths[0]} and {paths[1]}, by id, {'equal' if equal else 'differ'}:", *texts]))
    if not equal:
        raise typer.Exit(FAILED)


def _ids(file: PlioFile, path: Path) -> dict[int, PlioFile]:
    """The beats of each id's packets, as files of their own."""
    trace = file.trace
    starts = np.concatenate([[True], trace.last[:-1]])
    if trace.width < 32 or not trace.keep[starts, :4].all():
        raise InputError("a packet of fewer bytes than a header", "a packet stream", file=path)
    with naming(path):
        check_headers(trace)
    header = parse_header(np.ascontiguousarray(trace.data[starts, :4]).view("<u4").reshape(-1))
    ids = header.packet_id[np.cumsum(starts) - 1]
    return {int(n): replace(file, trace=trace[ids == n], lines=file.lines[ids == n]) for n in np.unique(ids)}


def _aligned(
    files: list[PlioFile], offset: int | None, search: int | None, given: Tolerance
) -> tuple[int, tuple[int, int, int, int], list[PlioFile]]:
    """Offset, samples left out, and the files with one sample per beat."""
    a, b = files
    if offset is None:
        assert search is not None
        offset = find_offset(a.trace, b.trace, a.dtype, search, given)
    found = align(a.trace, b.trace, a.dtype, offset)
    pairs = ((a, found.expected, found.beat_expected), (b, found.got, found.beat_got))
    return offset, found.left_out, [replace(f, trace=t, lines=f.lines[beat]) for f, t, beat in pairs]


def _times(files: Sequence[PlioFile], paths: Sequence[Path], time: str | None, clock: float | None) -> Time:
    """How times are compared.

    Raises:
        UsageError: one file has times and the other has none, and nobody said to ignore them.
    """
    how: Time | None = time if time in ("exact", "ignore") else None if time is None else duration(time)  # type: ignore[assignment]
    both_csv = all(f.csv for f in files)
    # Two CSV files count cycles alike, and need no clock for it.
    timed = [f.timed or (f.csv and (clock is not None or both_csv)) for f in files]
    if isinstance(how, int) and both_csv and clock is None:
        raise UsageError("CSV files count cycles; a tolerance in time needs --clock MHZ")
    if how is None and timed[0] == timed[1]:
        how = "exact" if timed[0] else "ignore"
    if how is None or (how != "ignore" and not all(timed)):
        without = [p for p, has in zip(paths, timed, strict=True) if not has]
        csv = any(f.csv for f, has in zip(files, timed, strict=True) if not has)
        raise UsageError(
            f"{names(without)} without times cannot be compared in time; give --time ignore"
            + (", or --clock MHZ for the CSV file" if csv else "")
        )
    return how


def _what(given: Tolerance, how: Time, ignore_tlast: bool, offset: int | None) -> str:
    """What is compared, and how."""
    words = ["values" if given == Tolerance() else f"values within {given}"]
    if offset is None:
        words += ["TKEEP"] if ignore_tlast else ["TLAST", "TKEEP"]
        words.append(
            {"exact": "times exactly", "ignore": "times ignored"}.get(str(how)) or f"times within {ns(float(how))}"
        )
    elif not ignore_tlast:
        words.append("TLAST")
    if ignore_tlast:
        words.append("TLAST ignored")
    return ", ".join(words)


def _say(
    result: Comparison,
    files: Sequence[PlioFile],
    paths: Sequence[Path],
    what: str,
    offset: int | None,
    left_out: tuple[int, int, int, int] | None,
) -> None:
    """The result for people."""
    unit = "beats" if offset is None else "samples"
    if result.equal:
        say(f"equal: {result.compared} {unit}; {what}")
    else:
        say(f"{paths[0]} and {paths[1]} differ ({what}):")
        say(result.text(unit=unit[:-1]) + _samples_of(result, files, offset is not None))
    if result.worst is not None:
        say(f"largest difference {result.worst:.9g}; {result.tolerated} value(s) differ within the tolerance")
    if offset is not None:
        assert left_out is not None
        where = f"{abs(offset)} sample(s) {'late' if offset > 0 else 'early'}" if offset else "neither late nor early"
        ends = f"{left_out[0]} + {left_out[1]} of {paths[0]}, {left_out[2]} + {left_out[3]} of {paths[1]}"
        say(f"{paths[1]} is {where}; samples not compared at the start + end: {ends}")


def _beat_samples(file: PlioFile, beat: int, single: bool) -> list[Any] | None:
    if beat >= len(file.trace):
        return None
    values = file.dtype.decode(file.trace.data[beat][file.trace.keep[beat]])
    if np.iscomplexobj(values):
        values = values.view(np.float32).reshape(-1, 2)
    found: list[Any] = values.tolist()
    return found[:1] if single else found


def _lines(result: Comparison, files: Sequence[PlioFile]) -> list[int | None]:
    beat = 0 if result.first is None else result.first.beat
    return [int(f.lines[beat]) if beat < len(f.lines) else None for f in files]


def _samples_of(result: Comparison, files: Sequence[PlioFile], single: bool) -> str:
    """The samples of the beat that differs, and their lines."""
    if result.first is None or result.first.what == "width":
        return ""
    text = ""
    for name, file, line in zip(("expected", "got"), files, _lines(result, files), strict=True):
        values = _beat_samples(file, result.first.beat, single)
        if values is not None:
            text += f"\n{name + ':':<10}{' '.join(_sample(v) for v in values)}" + (f"   (line {line})" if line else "")
    return text


def _sample(value: Any) -> str:
    if isinstance(value, list):
        return f"({', '.join(_sample(v) for v in value)})"
    return f"{value:.9g}" if isinstance(value, float) else str(value)


def _diff_json(
    result: Comparison,
    files: Sequence[PlioFile],
    how: str,
    offset: int | None,
    left_out: tuple[int, int, int, int] | None,
    ignore_tlast: bool,
) -> dict[str, Any]:
    found: dict[str, Any] = {
        "equal": result.equal,
        "compared": result.compared,
        "mismatches": result.mismatches,
        "time": how,
        "tlast": not ignore_tlast,
    }
    if result.worst is not None:
        # JSON has no infinity.
        worst = result.worst if np.isfinite(result.worst) else None
        found |= {"largest_difference": worst, "tolerated": result.tolerated}
    if offset is not None:
        found |= {"offset": offset, "left_out": left_out}
    found["first"] = None
    if result.first is not None:
        lines = _lines(result, files)
        found["first"] = asdict(result.first) | {"line_expected": lines[0], "line_got": lines[1]}
    return found
