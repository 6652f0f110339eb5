# SPDX-License-Identifier: Apache-2.0
"""What a failed build says first: errors of Verilator, of the C++ compiler and of the linker, out of the log of the build."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from goldbeat.tb.design.source_names import real_name

# The last words of each tool repeat that there were errors.
_LAST_WORDS = re.compile(r"%Error: (Exiting due to|Command Failed)|collect2: error|make(\[\d+\])?: \*\*\*")
_VERILATOR = re.compile(r"%Error(?:-[A-Z0-9_]+)?: (.*)")
_COMPILER = re.compile(r"(\S+:\d+(?::\d+)?: (?:fatal )?error: .*)")
_LINKER = re.compile(r"(.*(?:undefined reference to|multiple definition of|cannot find -l).*)")
# The source line and the mark below it.
_CONTEXT = re.compile(r"\s+\d*\s*\|")
_SHOWN = 5
_CONTEXT_LINES = 2


def first_errors(log: str) -> list[list[str]]:
    """The errors in a log, in order: each with its place and text in the first line, then the source's line if there is one."""
    found: list[list[str]] = []
    open_error = False
    for line in log.splitlines():
        text = _error(line)
        if text is not None:
            if [text] not in [error[:1] for error in found]:
                found.append([text])
                open_error = True
        elif open_error and _CONTEXT.match(line):
            if len(found[-1]) <= _CONTEXT_LINES:
                found[-1].append(line)
        else:
            open_error = False
    return found


def _error(line: str) -> str | None:
    if _LAST_WORDS.match(line):
        return None
    for kind in (_VERILATOR, _COMPILER, _LINKER):
        if match := kind.match(line):
            return match[1].strip()
    return None


def failure(
    name: str, command: Sequence[str], code: int, log: str, place: str, names: Mapping[str, Path] | None = None
) -> str:
    """The text of the error for a failed build.

    Args:
        name: of what was built.
        command: what failed.
        code: how it ended.
        log: everything that the tools have said.
        place: where the log is.
        names: the sources by the names that they have in the log.
    """
    errors = first_errors(log)
    if not errors:
        tail = "\n".join(log.splitlines()[-25:])
        return f"building {name} failed ({command[0]} ended with {code}), log in {place}:\n{tail}"
    lines = [line for first, *more in errors[:_SHOWN] for line in (real_name(first, names or {}), *more)]
    hidden = len(errors) - _SHOWN
    rest = f"{hidden} more error(s); " if hidden > 0 else ""
    return "\n".join([f"building {name} failed: {lines[0]}", *lines[1:], f"{rest}log in {place}"])
