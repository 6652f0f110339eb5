# SPDX-License-Identifier: Apache-2.0
"""``goldbeat merge``."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from goldbeat.tb.cli.common import Json, examples
from goldbeat.tb.cli.regress import end_run, print_run
from goldbeat.tb.cli.regress_options import Ci
from goldbeat.tb.cli.screen import Screen
from goldbeat.tb.regress.merge import find_shards, merge_shards
from goldbeat.tb.regress.reports import write_reports
from goldbeat.tb.regress.store import Store
from goldbeat.tb.regress.trust import code_of_project


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(
        "merge",
        epilog=examples(
            "goldbeat merge shards                       every results.sqlite below this folder",
            "goldbeat merge shard-1/results.sqlite shard-2/results.sqlite",
            "goldbeat merge shards --ci github",
        ),
    )(merge_command)


def merge_command(
    paths: Annotated[
        list[Path], typer.Argument(metavar="FOLDER|FILE...", help="Results of shards, or folders that hold some.")
    ],
    new: Annotated[bool, typer.Option("--new", help="Begin another run, even if these shards are merged.")] = False,
    ci: Ci = None,
    as_json: Json = False,
) -> None:
    """Merge the shards of a regression into one run.

    The run equals that of one machine. Shards that are missing can be merged later; the same shards merged
    again change nothing. Shards of different code, suites or seeds are refused.

    Exit code: 0 all cases pass, 1 a case failed, 2 bad input, 3 shards or results are missing, or
    obligations are open that have to be met.
    """
    err = Screen(stderr=True, highlight=False)
    # Results name code that is not of this project; none of it is run.
    with Store() as store, ExitStack() as stack, code_of_project(trust=False):
        shards, notes = find_shards(paths, stack)
        for text in notes:
            err.print(text, style="yellow", markup=False, soft_wrap=True)
        merge = merge_shards(store, shards, new=new)
        run = merge.run
        write_reports(store, run)
        added, known = ([str(one.info.number) for one in some] for some in (merge.added, merge.known))
        err.print(
            f"run {run.id}: {run.suite}, shards merged: {', '.join(added) or 'none'}"
            + (f"; merged before: {', '.join(known)}" if known else ""),
            markup=False,
            soft_wrap=True,
        )
        print_run(store, run, as_json=as_json)
        end_run(store, run, ci)
