# SPDX-License-Identifier: Apache-2.0
"""``goldbeat objfifo time``: where the time of a design goes on silicon, by the timing profile npu1."""

from __future__ import annotations

import shlex

import typer

from goldbeat.pymodels.errors import UsageError, UserCodeError
from goldbeat.tb.cli.common import FAILED, PARTIAL, Json, print_json, say
from goldbeat.tb.designs.objfifo.run_command import Arguments, Design, Inputs, Iterations, Kernels, Lax, Seed, Work


def design_time(
    design: Design,
    arguments: Arguments = None,
    inputs: Inputs = None,
    iterations: Iterations = None,
    seed: Seed = 0,
    kernel: Kernels = None,
    work: Work = None,
    lax: Lax = False,
    as_json: Json = False,
) -> None:
    """Print where the time goes: controller, shim, streams, cores.

    The design is executed, then the timed model of run --array --profile npu1 runs it. No RTL is built.
    The critical chain leads from the start to the end of the host's last task; every cycle of it has one cause.
    A bound is what one part needs if it never waits for another.

    Exit code: 0 done, 1 the design hangs or is wrong, 2 bad input, 3 nothing moves or unordered accesses.
    """
    # Bench, models and tables are only needed here.
    from goldbeat.tb.cli.screen import show_findings
    from goldbeat.tb.designs.objfifo.bench_array import DESIGN
    from goldbeat.tb.designs.objfifo.time_report import time_report
    from goldbeat.tb.designs.objfifo.user_design import opened_of
    from goldbeat.tb.run.runs import Request

    case = DESIGN.case("design")
    options = {
        **case.options,
        "design": str(design),
        "arguments": shlex.join(arguments or ()),
        "inputs": tuple(inputs or ()),
        "iterations": iterations or 0,
        "kernels": shlex.join(kernel or ()),
        "work": shlex.join(work or ()),
        "lax": lax,
    }
    try:
        found = time_report(Request(DESIGN, case, [seed], {"PROFILE": 1}, options).setting(seed))
    except UserCodeError as error:
        say(str(error))
        raise typer.Exit(FAILED) from None
    if not found.chain:
        raise UsageError(f"{design}: the host has no task that ends, so there is no time to explain")
    order, _ = opened_of(options).order
    if as_json:
        print_json(found.as_json() | {"unordered": [*order.wrong, *order.unshown]})
    else:
        for table in found.tables():
            show_findings(table)
        if found.unknown:
            say(f"without the controller's writes and waits: {found.unknown}")
        say(f"{found.cycles:.0f} cycles from the start to the end of the host's last task")
        for line in (*order.wrong, *order.unshown):
            say(line)
    if order.wrong:
        raise typer.Exit(FAILED)
    if order.unshown:
        raise typer.Exit(PARTIAL)
