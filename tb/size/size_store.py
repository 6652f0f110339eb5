# SPDX-License-Identifier: Apache-2.0
"""What was run already: a line of JSON per set of values, kept as soon as it is known, so that a search goes on where it ended."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

from goldbeat.tb.design.design import Design
from goldbeat.tb.regress.fingerprint import code_hash
from goldbeat.tb.size.size_point import SizeJob, SizePoint

FILE = "points.jsonl"


def size_key(design: Design, names: Sequence[str], job: SizeJob, source: Path | None) -> str:
    """A hash of everything that a set of values is run with: RTL, description and Python beside it, traffic, limits, Goldbeat.

    Args:
        design: what is sized.
        names: of the parameters.
        job: what is run.
        source: file of the description; None for a design that comes with Goldbeat.
    """
    digest = hashlib.sha256(json.dumps([code_hash(), design.name, list(names), job.traffic]).encode())
    beside = [] if source is None else [source, *sorted(source.resolve().parent.glob("*.py"))]
    for path in (job.limits, *design.sources(), *design.included_files(), *beside):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:24]


class SizeStore:
    """The sets of values that were run with one key.

    Args:
        folder: an existing one; the file may hold other keys.
        key: from :func:`size_key`.
    """

    def __init__(self, folder: Path, key: str) -> None:
        self._path, self._key = folder / FILE, key

    def load(self) -> dict[tuple[int, ...], SizePoint]:
        """What is there; a line that a killed process has left half-written is passed over."""
        found = {}
        for line in self._path.read_text(encoding="utf-8").splitlines() if self._path.is_file() else ():
            try:
                said = json.loads(line)
                if said.pop("key") == self._key:
                    point = SizePoint.of(said)
                    found[point.values] = point
            except (ValueError, KeyError, TypeError):
                continue
        return found

    def keep(self, point: SizePoint) -> None:
        """Add one."""
        with self._path.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps({"key": self._key, **point.as_dict()}) + "\n")
