# SPDX-License-Identifier: Apache-2.0
"""Commands as readers of damaged files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass
from io import BytesIO, TextIOWrapper
from itertools import count, cycle
from pathlib import Path
from typing import Any

from mutations import survey
from typer.main import get_command

from goldbeat.pymodels.errors import GoldbeatError
from goldbeat.tb.cli import app

COMMAND = get_command(app)


class RefusedError(GoldbeatError):
    """A command's exit code 2, with what it said."""


@dataclass
class Reader:
    """Good files, and who reads them.

    Attributes:
        files: each is read without an error.
        read: takes a file's bytes.
        words: what the format knows.
    """

    files: Sequence[bytes]
    read: Callable[[bytes], Any]
    words: Sequence[bytes] = ()

    def check(self, mutations: int, seed: int) -> None:
        """Read so many mutated files; fails with what was found."""
        found = survey(self.read, self.files, mutations, seed, self.words)
        assert not found, "\n".join(found)


def goldbeat(*arguments: Any) -> str:
    """What a command prints; exit codes 0, 1 and 3 are answers, 2 is a typed error, and nothing else may come."""
    # As a pipe: what has no bytes in UTF-8 cannot be printed.
    out, err = (TextIOWrapper(BytesIO(), "utf-8", write_through=True) for _ in range(2))
    code: Any = 0
    with redirect_stdout(out), redirect_stderr(err):
        try:
            COMMAND.main([str(a) for a in arguments], prog_name="goldbeat")
        except SystemExit as stop:
            code = stop.code or 0
    printed, said = (stream.buffer.getvalue().decode() for stream in (out, err))  # type: ignore[attr-defined]
    # An option that is gone would refuse every file.
    assert "Usage:" not in said, said
    if code == 2 and "rror" in said:
        raise RefusedError(said)
    assert code in (0, 1, 3), f"exit code {code}: {said}"
    return printed


EACH = 16
"""Every so many files go through a whole command, which takes much longer than to read them."""


def commands(path: Path, direct: Callable[[Path], Any], *lines: str) -> Callable[[bytes], None]:
    """Put the bytes into a file and read it.

    Args:
        path: the file.
        direct: reads every file, and takes the good ones.
        lines: commands, ``{}`` being the file's name and ``{folder}`` its folder; in turn, for every :data:`EACH`-th file.
    """
    turn, number = cycle(lines), count()

    def read(data: bytes) -> None:
        path.write_bytes(data)
        if next(number) % EACH == 0:
            line = next(turn).replace("{folder}", str(path.parent))
            with suppress(RefusedError):
                goldbeat(*line.replace("{}", str(path)).split())
        direct(path)

    return read
