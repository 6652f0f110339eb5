# SPDX-License-Identifier: Apache-2.0
"""What no bench can be made for: sources in another language, encrypted ones, and test benches."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from goldbeat.pymodels.errors import UsageError
from goldbeat.tb.probe.leaves import symbol_kind

_VHDL = (".vhd", ".vhdl")
_ENCRYPTED = re.compile(
    rb"^[ \t]*`(?:pragma[ \t]+protect[ \t]+(?:begin_protected|data_block)|protected\b)", re.MULTILINE
)


def check_readable(files: Iterable[Path]) -> None:
    """Refuse sources that neither slang nor Verilator reads.

    Raises:
        UsageError: VHDL, or encrypted; it says what to do.
    """
    for path in files:
        if path.suffix.lower() in _VHDL:
            raise UsageError(
                f"{path}: VHDL is not supported: convert it with `ghdl synth --out=verilog` and give that file"
            )
        if path.is_file() and _ENCRYPTED.search(path.read_bytes()):
            raise UsageError(
                f"{path}: encrypted sources are not supported: use the vendor's plain simulation model, or write one"
            )


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
    """Whether a block waits for time, or an initial block for anything."""
    initial = str(block.procedureKind).rpartition(".")[2] in ("Initial", "Final")
    found = []

    def look(node: Any) -> None:
        if symbol_kind(node) == "Timed" and (initial or symbol_kind(node.timing).startswith("Delay")):
            found.append(node)

    block.body.visit(look)
    return bool(found)
