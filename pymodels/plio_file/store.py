# SPDX-License-Identifier: Apache-2.0
"""Files in and out: readable errors, nothing overwritten unasked, nothing half-written."""

from __future__ import annotations

import os
from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import IO

from goldbeat.pymodels.errors import InputError, UsageError


def load_bytes(path: str | PathLike[str]) -> bytes:
    """The bytes of a file; a file that cannot be read is an :class:`InputError`."""
    try:
        return Path(path).read_bytes()
    except FileNotFoundError:
        raise InputError("no such file", "a PLIO file", file=path) from None
    except OSError as error:
        raise InputError(error.strerror or str(error), "a PLIO file", file=path) from error


def check_target(target: str | PathLike[str] | IO[bytes], force: bool) -> None:
    """Refuse early what :func:`store` would refuse.

    Raises:
        UsageError: the file exists and ``force`` is not set, or there is no such directory.
    """
    if not isinstance(target, (str, PathLike)):
        return
    path = Path(target)
    if path.is_dir():
        raise UsageError(f"{path} is a directory")
    if path.is_file() and not force:
        raise UsageError(f"{path} exists; use force to overwrite it")
    if not path.absolute().parent.is_dir():
        raise UsageError(f"{path}: no such directory")


def store(target: str | PathLike[str] | IO[bytes], content: bytes | Iterable[bytes], *, force: bool) -> None:
    """Write a whole file at once, or nothing.

    A new file takes its name only when it is complete; it is written part by part. Streams and devices (a pipe, say) are written
    directly, when all parts are there.

    Raises:
        UsageError: as :func:`check_target` says, or the system refuses.
    """
    parts = [content] if isinstance(content, bytes) else content
    if not isinstance(target, (str, PathLike)):
        target.write(b"".join(parts))
        return
    check_target(target, force)
    path = Path(target)
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(b"".join(parts))
            return
        # A link stays a link: the file it points to is replaced.
        path = Path(os.path.realpath(path))
        temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
        try:
            with temporary.open("wb") as stream:
                stream.writelines(parts)
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise UsageError(f"cannot write {target}: {error.strerror or error}") from error
