# SPDX-License-Identifier: Apache-2.0
"""What Yosys's SystemVerilog reader gets of a design: a command file with its sources, macros, folders and parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from goldbeat.tb.build.harness import literal
from goldbeat.tb.build.yosys import Yosys
from goldbeat.tb.design.design import Design

_UNDERSTOOD = ("-D", "+define+", "+libext+")
"""Switches that a description may have for Verilator and that the reader takes too; the others say nothing of the RTL."""

_MOST_ROUNDS = 1 << 17
"""Of a loop that sets a memory to its first values."""


def command_file(
    tool: Yosys,
    design: Design,
    params: Mapping[str, Any],
    folder: Path,
    *,
    top: str | None = None,
    more: Sequence[Path] = (),
) -> str:
    """The text of a command file for ``read_slang -f``.

    Args:
        tool: whose names of files are used.
        design: whose sources.
        params: of its top module.
        folder: for copies of sources that the reader refuses as they are.
        top: another top module, which has no parameters; None: the design's.
        more: further sources.

    Raises:
        UsageError: a source is not there, or its path cannot be given to Yosys; a parameter is out of range.
    """
    # WebAssembly has no threads.
    words = ["--threads 1" if tool.inside else "", f"--unroll-limit {_MOST_ROUNDS}", f"--top {top or design.top}"]
    if top is None:
        words += [_quoted("-G", f"{n}={literal(n, p, params[n])}") for n, p in design.parameters.items()]
    # What runs a design alone needs no slang.
    from goldbeat.tb.synth.readable import readable_sources

    sources = readable_sources(design, params, folder)
    # A copy includes what lies beside its source.
    beside = [path.parent for path, copy in zip(design.sources(), sources, strict=True) if path != copy]
    words += [_quoted("-I", tool.place(path)) for path in dict.fromkeys([*design.include_paths(), *beside])]
    words += [_quoted("-y", tool.place(path)) for path in design.library_paths()]
    words += [_quoted(word) for word in design.compile_flags() if word.startswith(_UNDERSTOOD)]
    words += [_quoted(tool.place(path)) for path in (*sources, *more)]
    return "\n".join([word for word in words if word] + [""])


def _quoted(*words: str) -> str:
    escaped = (word.replace("\\", "\\\\").replace('"', '\\"') for word in words)
    return " ".join(f'"{word}"' for word in escaped)


def content_settings(design: Design, params: Mapping[str, Any]) -> list[str]:
    """What a command file says beside names of files: parameters and macros, for the key of what is kept."""
    values = [f"{n}={literal(n, p, params[n])}" for n, p in design.parameters.items()]
    return values + [word for word in design.compile_flags() if word.startswith(_UNDERSTOOD)]
