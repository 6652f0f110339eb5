# SPDX-License-Identifier: Apache-2.0
"""Objects by content: what two simulators have in common is compiled once, whatever designs, parameters or folders they are of."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from goldbeat.tb.build.sealed import is_whole, seal

_INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]+"([^"]+)"', re.MULTILINE)


class ObjectStore:
    """The objects that builds have left.

    Args:
        store: where they lie.
        folders: where an include of a source is looked for; what is elsewhere is taken as part of the compiler.
    """

    def __init__(self, store: Path, folders: Sequence[Path]) -> None:
        self._store, self._folders = store, tuple(folders)
        self._read: dict[Path, tuple[bytes, tuple[str, ...]]] = {}
        store.mkdir(parents=True, exist_ok=True)

    def place(self, sources: Sequence[Path], switches: Iterable[str]) -> Path:
        """Where a source's object is kept.

        Args:
            sources: the file, and headers that it begins with; what they include counts too.
            switches: everything else that decides what the object is: compiler, its switches.
        """
        digest = hashlib.sha256()
        for text in (*switches, sources[0].name):
            digest.update(text.encode(errors="surrogateescape") + b"\0")
        for name, content in self._contents(sources):
            digest.update(name.encode(errors="surrogateescape") + b"\0" + content)
        return self._store / f"{digest.hexdigest()[:32]}.o"

    def has(self, kept: Path) -> bool:
        """Whether an object is there as it was made; it counts as used now."""
        if not is_whole(kept):
            return False
        with suppress(OSError):
            os.utime(kept)
        return True

    def _contents(self, sources: Sequence[Path]) -> list[tuple[str, bytes]]:
        """Hashes of the sources and of whatever they include, in the order of the names."""
        found: dict[str, bytes] = {}
        todo = list(sources)
        while todo:
            path = todo.pop()
            found[path.name], names = self._file(path)
            for name in names:
                if Path(name).name not in found:
                    todo += [path for path in (f / name for f in self._folders) if path.is_file()][:1]
        return sorted(found.items())

    def _file(self, path: Path) -> tuple[bytes, tuple[str, ...]]:
        """Hash and includes of a file."""
        if path not in self._read:
            text = path.read_bytes()
            names = tuple(name.decode(errors="surrogateescape") for name in _INCLUDE.findall(text))
            self._read[path] = hashlib.sha256(text).digest(), names
        return self._read[path]


def put(made: Path, shared: Path) -> None:
    """Put a file where other builds look for it, whole or not at all; two may do so at once."""
    part = shared.with_name(f"{shared.name}.{os.getpid()}.part")
    shutil.copyfile(made, part)
    seal(part, shared.name)
    part.rename(shared)
