# SPDX-License-Identifier: Apache-2.0
"""``goldbeat objfifo check``: the rules of a design, then whether it hangs, by its plan or by an execution of the whole."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import typer

from goldbeat.pymodels.errors import GoldbeatError, UsageError
from goldbeat.pymodels.objfifo.compiled_design import SUFFIXES, TEXT
from goldbeat.pymodels.objfifo.diagnose.hang import HangDiagnosis, explain_hang, hang_json
from goldbeat.pymodels.objfifo.iron.worker import NoStandInError
from goldbeat.pymodels.objfifo.live.execute import LiveResult
from goldbeat.pymodels.objfifo.live.timings import ArrayOrder, joined_order
from goldbeat.pymodels.objfifo.plan.design import FifoDesign
from goldbeat.pymodels.objfifo.plan.notes import Note, notes
from goldbeat.pymodels.objfifo.plan.rules import RULES, RuleError
from goldbeat.pymodels.objfifo.untimed.deadlock import ITERATIONS, DesignVerdict, Report, analyse
from goldbeat.tb.cli.common import FAILED, PARTIAL, Force, Json, check_free, draw_order, print_json, say
from goldbeat.tb.designs.objfifo.exec_command import Inputs, host_values, say_unused
from goldbeat.tb.designs.objfifo.opened_design import OpenedDesign, broken_rules, opened_design, spreads
from goldbeat.tb.designs.objfifo.run_command import Arguments, Design, Kernels, Lax, OneDevice


@dataclass
class _Checked:
    """What is known of a design, so far."""

    broken: list[RuleError] = field(default_factory=list)
    lowered: bool = False
    remarks: list[Note] = field(default_factory=list)
    report: Report | None = None
    why: HangDiagnosis | None = None
    results: list[LiveResult] = field(default_factory=list)
    order: ArrayOrder = field(default_factory=ArrayOrder)
    unchecked: str = ""
    missing: str = ""
    zeros: tuple[str, ...] = ()

    @property
    def undecided(self) -> bool:
        """No verdict, or one that may not hold: a kernel has no stand-in, or control packets are zeros of host arrays."""
        if self.report is not None and self.report.verdict is DesignVerdict.UNDECIDED:
            return not self.order.wrong
        if self.missing and self.good:
            return True
        return bool(self.zeros) and any(one.steered for one in self.results)

    @property
    def good(self) -> bool:
        """It completes, with every timing the same."""
        if self.order.wrong:
            return False
        if self.results:
            return all(one.good for one in self.results)
        return self.report is not None and self.report.verdict is DesignVerdict.COMPLETES

    @property
    def called(self) -> bool:
        """Kernels have been looked for, as the design was executed, whole or for its order."""
        return bool(self.results) or (self.good and not self.idle and not self.unchecked and not self.missing)

    @property
    def idle(self) -> bool:
        """Nothing moved, and no rule was checked."""
        if self.results:
            return not any(one.active for one in self.results)
        return self.report is not None and self.report.idle


def check(
    design: Design,
    arguments: Arguments = None,
    iterations: Annotated[
        int, typer.Option("--iterations", metavar="N", min=1, help="Passes of programs that never end.")
    ] = ITERATIONS,
    lax: Lax = False,
    inputs: Inputs = None,
    kernel: Kernels = None,
    device: OneDevice = None,
    page: Annotated[
        Path | None, typer.Option("--page", metavar="FILE.html", help="Draw accesses that nothing orders.")
    ] = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Check all rules, then whether the design hangs.

    A design with parts that no plan has is executed, with host arrays of --input or zeros. Others are checked without
    data, and refuse --input.
    Notes list where mlir-aie's compiler gives another result; they do not change the exit code.

    Exit code: 0 sound, 1 a rule is broken or the design hangs, 2 bad usage or bad input,
    3 undecided, nothing to check, unordered accesses, or words of the host left over.
    """
    if page is not None:
        check_free(page, force)
    found = _Checked()
    opened, given = opened_design(design, arguments or (), kernel or (), device), host_values(inputs)
    try:
        made = _written(opened)
        if made is not None:
            found.lowered = made.fixed is not None
            found.broken = [opened.placed(one) for one in broken_rules(made, strict=not lax)]
        if not found.broken:
            _decide(found, opened, made, iterations, lax, given)
    except RuleError as error:
        found.broken = [opened.placed(error)]
    if found.called:
        say_unused(opened.functions)
    if as_json:
        print_json(_as_json(found))
    else:
        _print(found)
    if page is not None:
        draw_order(page, design.name, found.order.pictures, quiet=as_json)
    if not found.good and not found.undecided:
        raise typer.Exit(FAILED)
    if found.undecided or found.idle or found.order.unshown:
        raise typer.Exit(PARTIAL)


def _written(opened: OpenedDesign) -> FifoDesign | None:
    """The design for planning; None for a script with parts that are only executed."""
    try:
        return opened.written
    except RuleError:
        raise
    except GoldbeatError:
        if opened.script is None or not opened.script.ran_well or not opened.script.declares:
            raise
    return None


def _decide(
    found: _Checked,
    opened: OpenedDesign,
    made: FifoDesign | None,
    iterations: int,
    lax: bool,
    given: Mapping[str, Any],
) -> None:
    fixed = None if made is None else made.fixed
    text = opened.path.suffix == TEXT and not opened.arguments
    whole = opened.path.suffix in SUFFIXES and opened.path.suffix != TEXT and opened.only_executed
    lacks = () if fixed is None else (*fixed.unsupported, *fixed.waiting)
    roomy = made is not None and not lax and spreads(made)
    # Where no channel moves, programs of cores may still hand something over.
    still = made is not None and fixed is not None and text and analyse(made, search=False, strict=not lax).idle
    if made is None or made.unplanned or roomy or still or whole or (text and lacks):
        try:
            found.results = opened.called or opened.execute(given, None)
            if not opened.called:
                found.zeros = tuple(name for name in found.results[-1].types if name not in given)
            found.order = joined_order(one.order for one in found.results)
            return
        except NoStandInError as error:
            if made is None or made.unplanned or roomy:
                raise
            found.missing = str(error)
    assert made is not None
    if given:
        raise UsageError(
            f"--input {next(iter(given))}: {opened.path} is checked without data; --input is for exec and run"
        )
    found.remarks = notes(made)
    found.report = analyse(made, iterations=iterations, strict=not lax)
    found.why = explain_hang(made, found.report, iterations=iterations, strict=not lax)
    if found.good and not found.idle:
        try:
            found.order, found.unchecked = opened.order
        except NoStandInError as error:
            found.missing = str(error)


def _print(found: _Checked) -> None:
    for one in found.broken:
        say(f"{one.rule}: {one.text}")
    if found.broken:
        return
    rules = "read in lowered form: its compiler checked the rules" if found.lowered else f"{len(RULES)} rules hold"
    if found.results:
        say("executed as a whole" if found.report is None and not found.lowered else rules)
        for result in found.results:
            ends = "the design completes" if result.completes else "the design hangs"
            say(f"undecided: {ends} with zeros as control packets" if found.undecided else ends)
            for line in (*result.report, *result.unfinished, *result.remarks):
                say(f"  {line}")
        if found.zeros:
            say(f"note: zeros are in {', '.join(found.zeros)}; give data with --input {found.zeros[0]}=FILE")
        if found.idle:
            say("nothing moves: no word and no object moves, so nothing is checked")
    elif found.report is not None:
        say(rules)
        for note in found.remarks:
            say(f"note {note.name}: {note.text}")
        told = "the design hangs" if found.order.hangs else found.report.text()
        say("\n".join([told, *(found.why.lines() if found.why is not None else ())]))
        if found.missing:
            say(f"{'undecided' if found.undecided else 'note'}: not executed: {found.missing}")
        for line in found.order.remarks:
            say(f"  {line}")
    for line in found.order.lines:
        say(f"  {line}")
    if found.unchecked:
        say(f"note: the order of accesses is not checked: {found.unchecked}")


def _as_json(found: _Checked) -> dict[str, Any]:
    made: dict[str, Any] = {
        "broken": [{"rule": e.rule, "text": e.text} for e in found.broken],
        "notes": [{"name": n.name, "text": n.text} for n in found.remarks],
        "run": None,
    }
    report = found.report
    if found.results:
        hangs = any(not one.completes for one in found.results)
        made["run"] = {
            "verdict": (DesignVerdict.HANGS if hangs else DesignVerdict.COMPLETES).value,
            "executed": True,
            "zeros": list(found.zeros),
            "undecided": found.undecided,
            "idle": found.idle,
            "waits": [line for one in found.results for line in one.report],
            "unfinished": [line for one in found.results for line in one.unfinished],
            "remarks": [line for one in found.results for line in one.remarks],
            "unordered": list(found.order.unordered),
            "pairs": list(found.order.pairs),
        }
    elif report is not None:
        made["run"] = {
            "verdict": (DesignVerdict.HANGS if found.order.hangs else report.verdict).value,
            "executed": False,
            "waits": list(found.order.hangs),
            "unordered": list(found.order.unordered),
            "pairs": list(found.order.pairs),
            "remarks": list(found.order.remarks),
            "undecided": found.undecided,
            "order_unchecked": found.unchecked or found.missing,
            "reason": report.reason,
            "iterations": report.iterations,
            "idle": report.idle,
            "cycle": list(report.cycle),
            "why": hang_json(found.why),
            "blocked": [
                {
                    "waiter": b.waiter,
                    "tile": b.tile.name,
                    "lock": b.lock,
                    "lock_id": b.lock_id,
                    "value": b.value,
                    "needed": b.needed,
                    "fifo": b.fifo,
                    "holders": list(b.holders),
                }
                for b in report.blocked
            ],
            "help": None
            if report.help is None
            else [{"fifo": f, "end": e, "now": n, "depth": d} for f, e, n, d in report.help.depths],
        }
    return made
