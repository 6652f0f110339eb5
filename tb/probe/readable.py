# SPDX-License-Identifier: Apache-2.0
"""What no bench can be made for: test benches."""

from __future__ import annotations

from typing import Any

from goldbeat.pymodels.errors import UsageError
from goldbeat.tb.build.compiling import symbol_kind


def check_synthesizable(instance: Any, manager: Any) -> None:
    """Refuse a top module that is a test bench.

    Args:
        instance: slang's.
        manager: slang's, for the place.

    Raises:
        UsageError: it has no ports, or its own blocks wait for time to pass.
    """
    if not list(instance.body.portList):
        raise UsageError(
            f"{instance.name}: it has no ports, like a test bench: choose the module under test with --top"
        )
    for member in instance.body:
        if symbol_kind(member) == "ProceduralBlock" and _waits(member):
            where = f"{manager.getFileName(member.location)}:{manager.getLineNumber(member.location)}"
            raise UsageError(
                f"{instance.name}: it waits inside a block ({where}), like a test bench: choose the module under test with --top"
            )


def _waits(block: Any) -> bool:
    """Whether a block makes stimulus: it runs free, or begins once and assigns something between waits.

    Delays of 0, delays within assignments and delays behind a clock edge change nothing that is synthesized. A block that begins
    once, waits and only checks or prints is no stimulus either.
    """
    kind = str(block.procedureKind).rpartition(".")[2]
    waits: list[Any] = []
    assigns: list[Any] = []
    events: list[Any] = []

    def look(node: Any) -> None:
        found = symbol_kind(node)
        if found in ("Wait", "WaitFork", "WaitOrder") or (found == "Timed" and not _is_zero(node.timing)):
            (waits if _is_delay(getattr(node, "timing", None)) or found != "Timed" else events).append(node)
        elif found == "Assignment":
            assigns.append(node)

    block.body.visit(look)
    if kind in ("Initial", "Final"):
        return bool(assigns and (waits or events))
    return kind == "Always" and bool(waits) and not events


def _is_delay(timing: Any) -> bool:
    return timing is not None and symbol_kind(timing).startswith("Delay")


def _is_zero(timing: Any) -> bool:
    """Whether a wait ends in the same instant."""
    if not _is_delay(timing):
        return False
    literal = getattr(timing, "expr", None)
    while literal is not None and symbol_kind(literal) == "Conversion":
        literal = literal.operand
    return str(getattr(literal, "value", "")) in ("0", "0.0")
