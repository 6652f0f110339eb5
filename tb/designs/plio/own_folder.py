# SPDX-License-Identifier: Apache-2.0
"""A folder of files that a command writes again and again, beside files of the user."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.json_file import read_json
from goldbeat.pymodels.plio_file.store import store
from goldbeat.tb.run.seal import file_digest

MANIFEST = "app.json"
"""What names the files of a folder, and their hashes."""
_SCHEMA = "goldbeat.plio.app"


@dataclass(frozen=True)
class OwnFolder:
    """A folder; files whose content is still what was written may be replaced.

    Attributes:
        root: the folder.
        force: others may be replaced too.
    """

    root: Path
    force: bool

    def prepare(self, *names: Iterable[str]) -> None:
        """Make the folder and delete files of an earlier run.

        Raises:
            UsageError: a file that was not written here, or that was edited since; or a file in place of the folder.
        """
        if self.root.exists() and not self.root.is_dir():
            raise UsageError(f"{self.root} is a file, expected a folder; --out DIR chooses another")
        kept = self._kept()
        wanted = [self.root / name for some in names for name in some]
        for path in wanted:
            if path.is_dir() or (path.exists() and not self.force and kept.get(self._name(path)) != file_digest(path)):
                raise UsageError(
                    f"{path} was not written by this command, or was edited since; "
                    "--force replaces files, --out DIR chooses another folder"
                )
        # What an earlier run has written under another name would be taken for this one's.
        old = [path for name in kept if (path := self.root / name) not in wanted and path.is_file()]
        for path in old:
            if kept[self._name(path)] == file_digest(path):
                path.unlink()
        for path in wanted:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.unlink(missing_ok=True)

    def keep(self, names: Iterable[str | PurePath]) -> None:
        """Note the hashes of files that were written."""
        found = {str(name): file_digest(self.root / name) for name in names}
        kept = {name: digest for name, digest in self._kept().items() if (self.root / name).exists()}
        text = json.dumps({"schema": _SCHEMA, "files": {**kept, **found}}, indent=2) + "\n"
        store(self.root / MANIFEST, text.encode(), force=True)

    def _name(self, path: Path) -> str:
        return str(path.relative_to(self.root))

    def _kept(self) -> dict[str, str]:
        path = self.root / MANIFEST
        if not path.exists():
            return {}
        said: Any = read_json(path, "the list of written files")
        if not isinstance(said, dict) or said.get("schema") != _SCHEMA or not isinstance(said.get("files"), dict):
            raise InputError(
                "another file",
                "the list of files that this command writes; --out DIR chooses another folder",
                file=path,
            )
        files: dict[str, str] = said["files"]
        return files
