# SPDX-License-Identifier: Apache-2.0
"""What commands say of a loadable whose dependencies do not order its operations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import typer

from goldbeat.pymodels.errors import GoldbeatError
from goldbeat.pymodels.nvdla.execute import check_executable
from goldbeat.pymodels.nvdla.loadable.loadable import Loadable
from goldbeat.pymodels.nvdla.order_check import OrderFinding
from goldbeat.tb.cli.common import FAILED, say


def order_rows(findings: Sequence[OrderFinding]) -> list[dict[str, Any]]:
    """The findings for machines."""
    names = ("task", "operations", "text", "unordered")
    return [{name: getattr(one, name) for name in names} for one in findings]


def say_refused(loadable: Loadable, *, err: bool = False) -> None:
    """Say if the file cannot be executed: what a command has shown of it is then no statement about hardware."""
    try:
        check_executable(loadable)
    except GoldbeatError as error:
        say(f"note  goldbeat nvdla execute refuses this file: {error}", err=err)


def end_with_order(findings: Sequence[OrderFinding], *, err: bool = False) -> None:
    """Print the findings and end the command as failed; without findings do nothing.

    Args:
        findings: of the loadable.
        err: print to stderr, because stdout is for machines.
    """
    for one in findings:
        say(f"FAIL  {one.text}", err=err)
    if findings:
        raise typer.Exit(FAILED)
