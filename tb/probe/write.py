# SPDX-License-Identifier: Apache-2.0
"""What was found, as a description: the object, and the TOML text that says the same."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pymodels.errors import UsageError
from pymodels.ready import READY_MODELS
from tb.description import CaseTable, Description, TrafficTable
from tb.probe.filelist import Sources
from tb.probe.find import Found

MODEL = "model.py:predict"


def describe(
    found: Found, sources: Sources, folder: Path, *, name: str | None = None, model: str = MODEL
) -> Description:
    """The description of what was found.

    Args:
        found: from :func:`tb.probe.find.find`.
        sources: what was compiled.
        folder: where the description will lie: file names count from there.
        name: of the design; the top module's when None.
        model: a ready-made model's name, or ``file.py:function``.

    Raises:
        UsageError: nothing that could be driven was found, or something refuses to be.
    """
    top = found.module.name
    if found.refused:
        why = "\n".join(f"  {port}: {reason}" for port, reason in found.refused.items())
        raise UsageError(f"{top}: no harness can be made:\n{why}")
    if not found.clocks:
        raise UsageError(f"{top}: no clock found; a module without one needs a wrapper that has one")
    inward = any(s.direction == "in" for s in found.streams)
    slaves = [r for r in found.registers if r.direction == "in" and r.has("awvalid") and r.has("arvalid")]
    cases = tuple(
        CaseTable(
            name=f"ram_{r.name}" if len(slaves) > 1 else "ram",
            summary=f"random writes and reads of {r.name}, every read checked as if it were a memory",
            make=f"ram:{r.name}",
        )
        for r in slaves
        if r.lanes is None
    )
    if not inward and not cases:
        raise UsageError(f"{top}: neither a stream that goes in nor an AXI-Lite slave was found; nothing can be driven")
    ready = model in READY_MODELS
    framed = any(s.direction == "in" and s.has("tlast") for s in found.streams)
    return Description(
        name=name or top,
        summary=f"{top}: streams {_list(s.name for s in found.streams)}" if found.streams else top,
        top=top,
        files=tuple(_relative(p, folder) for p in sources.files),
        include_dirs=tuple(_relative(p, folder) for p in sources.include_dirs),
        model=model,
        compare_time=not ready,
        compare_order=model != "merge",
        ignored=found.ignored,
        defines=dict(sources.defines),
        parameters={
            p.name: p.value
            for p in found.module.parameters
            if p.free and (isinstance(p.value, str) or (p.value is not None and p.value.bit_length() < 64))
        },
        ties=dict(found.ties),
        clocks=found.clocks,
        streams=found.streams,
        registers=found.registers,
        memories=found.memories,
        traffic=TrafficTable(frame=(1, 12) if framed else (1, 1)) if inward else None,
        cases=cases,
    )


def _list(names: Iterable[str]) -> str:
    return ", ".join(names)


def _relative(path: Path, folder: Path) -> str:
    return os.path.relpath(path.resolve(), folder.resolve())


# -- TOML -----------------------------------------------------------------------------------------------------------


def to_toml(description: Description, comments: Iterable[str] = ()) -> str:
    """A description as TOML.

    Args:
        description: what to write.
        comments: lines for the head of the file.
    """
    values = description.model_dump(mode="json", exclude_none=True, exclude_unset=True)
    lines = [f"# {c}".rstrip() for c in comments]
    tables: list[str] = []
    for key, value in values.items():
        if isinstance(value, dict):
            if value:
                tables += ["", f"[{key}]", *(f"{_key(k)} = {_value(v)}" for k, v in value.items())]
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            for item in value:
                tables += ["", f"[[{key}]]"]
                tables += [f"{_key(k)} = {_value(v)}" for k, v in item.items() if v not in ({}, None)]
        elif value != []:
            lines.append(f"{_key(key)} = {_value(value)}")
    return "\n".join([*lines, *tables]) + "\n"


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else json.dumps(name)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(k)} = {_value(v)}" for k, v in value.items()) + " }"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_value, value)) + "]"
    return str(value)
