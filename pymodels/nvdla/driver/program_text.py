# SPDX-License-Identifier: Apache-2.0
"""A register program as text: as the trace of a run, as a table with named fields, or as register writes only.

The trace form is that of recorded runs: ``<cycle> write_reg|read_reg <byte address> <value>`` and ``# <cycle> event``.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from io import StringIO
from os import PathLike
from pathlib import Path

from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.nvdla.driver.driver_steps import DriverStep
from goldbeat.pymodels.nvdla.engines.configuration import NV_SMALL, Configuration
from goldbeat.pymodels.nvdla.engines.registers import register_at

FORMATS = ("trace", "csv", "cfg")


def to_trace(steps: Sequence[DriverStep], configuration: Configuration = NV_SMALL) -> str:
    """Every step in order. A program has no cycles: they are written as 0."""
    lines = []
    for step in steps:
        if step.kind == "note":
            lines.append(f"# 0 {step.text}")
        elif step.kind != "interrupt":
            address = configuration.register_address(step.address)
            lines.append(f"0 {step.kind}_reg 0x{address:05x} 0x{step.value:08x}")
    return "\n".join(lines) + "\n"


def to_csv(steps: Sequence[DriverStep], configuration: Configuration = NV_SMALL) -> str:
    """One row a step: number, what, byte address, register, value, fields as ``NAME=value``, notes as text."""
    text = StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(["step", "kind", "address", "register", "value", "fields", "text"])
    for number, step in enumerate(steps):
        if step.kind in ("note", "interrupt"):
            table.writerow([number, step.kind, "", "", "", "", step.text])
            continue
        one = register_at(step.address)
        name = "" if one is None else one.full_name
        fields = "" if one is None else " ".join(f"{k}={v}" for k, v in one.unpack(step.value).items())
        address = configuration.register_address(step.address)
        table.writerow([number, step.kind, f"0x{address:05x}", name, f"0x{step.value:08x}", fields, ""])
    return text.getvalue()


def to_cfg(steps: Sequence[DriverStep], _: Configuration = NV_SMALL) -> str:
    """Register writes by name, grouped by the driver's notes; what is read and waited for stands in comments."""
    lines = []
    for step in steps:
        one = register_at(step.address)
        name = f"0x{step.address:05x}" if one is None else one.full_name
        if step.kind == "note":
            lines.append(f"# {step.text}")
        elif step.kind == "interrupt":
            lines.append("# wait for the interrupt")
        elif step.kind == "read":
            lines.append(f"# read {name} 0x{step.value:08x}")
        else:
            lines.append(f"{name} 0x{step.value:08x}")
    return "\n".join(lines) + "\n"


def parse_trace(path: str | PathLike[str]) -> tuple[list[int], list[DriverStep]]:
    """The cycles and steps of a trace file; the kinds are ``read``, ``write`` and ``note``.

    Raises:
        InputError: a line that is none of these.
    """
    cycles, steps = [], []
    for number, line in enumerate(Path(path).read_text(encoding="utf-8").splitlines(), start=1):
        parts = line.split(maxsplit=2 if line.startswith("#") else 3)
        if not parts:
            continue
        try:
            if parts[0] == "#":
                cycles.append(int(parts[1]))
                steps.append(DriverStep("note", text=parts[2]))
            else:
                cycle, what, address, value = parts
                kinds = {"write_reg": "write", "read_reg": "read"}
                cycles.append(int(cycle))
                steps.append(DriverStep(kinds[what], int(address, 16), int(value, 16)))  # type: ignore[arg-type]
        except (ValueError, KeyError, IndexError):
            raise InputError(
                repr(line), "<cycle> write_reg|read_reg <address> <value>, or # <cycle> text", file=path, line=number
            ) from None
    return cycles, steps
