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

_INCLUDE = re.compile(r'^#include "([^"]+)"$', re.MULTILINE)


class ObjectStore:
    """The objects that other builds have left.

    Args:
        store: where they lie.
        folder: of the build: the sources, and the headers beside them.
        switches: everything else that decides what an object is: compiler, its switches, headers from elsewhere.
    """

    def __init__(self, store: Path, folder: Path, switches: Iterable[str]) -> None:
        self._store, self._folder, self._switches = store, folder, tuple(switches)
        self._lacking: dict[str, Path] = {}
        store.mkdir(parents=True, exist_ok=True)

    def fetch(self, source: Path, more: Sequence[str] = ()) -> bool:
        """Put a source's object into the folder, if there is one; ``more`` are switches of its own."""
        name = f"{source.stem}.o"
        kept = self._store / f"{self._key(source, more)}.o"
        if not is_whole(kept):
            self._lacking[name] = kept
            return False
        shutil.copyfile(kept, self._folder / name)
        with suppress(OSError):
            # The store is cleaned as a whole: what was used last goes last.
            os.utime(self._store)
        return True

    def keep(self) -> None:
        """Leave to other builds the objects that were not there, and are made now."""
        for name, kept in self._lacking.items():
            made = self._folder / name
            if made.is_file():
                put(made, kept)

    def _key(self, source: Path, more: Sequence[str]) -> str:
        digest = hashlib.sha256()
        for text in (*self._switches, *more, source.name):
            digest.update(text.encode(errors="surrogateescape") + b"\0")
        for text in self._texts(source):
            digest.update(text.encode(errors="surrogateescape") + b"\0")
        return digest.hexdigest()[:32]

    def _texts(self, source: Path) -> list[str]:
        """The source, and whatever it includes of the folder, in the order of the names."""
        found: dict[str, str] = {}
        todo = [source]
        while todo:
            path = todo.pop()
            text = path.read_text(errors="surrogateescape")
            found[path.name] = text
            beside = (self._folder / name for name in _INCLUDE.findall(text) if name not in found)
            todo += [path for path in beside if path.is_file()]
        return [text for name in sorted(found) for text in (name, found[name])]


def put(made: Path, shared: Path) -> None:
    """Put a file where other builds look for it, whole or not at all; two may do so at once."""
    part = shared.with_name(f"{shared.name}.{os.getpid()}.part")
    shutil.copyfile(made, part)
    seal(part, shared.name)
    part.rename(shared)
