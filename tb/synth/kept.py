# SPDX-License-Identifier: Apache-2.0
"""Results of Yosys in the cache, by the content of all that they come from."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

from goldbeat.tb.build.cache import NETLISTS
from goldbeat.tb.build.compile import hold_cache
from goldbeat.tb.build.scratch import file_lock, scratch_folder
from goldbeat.tb.build.yosys import Yosys
from goldbeat.tb.design.design import Design
from goldbeat.tb.paths import cache_root, check_root, plain_name

LOG = "yosys.log"


def content_key(tool: Yosys, design: Design, texts: Iterable[str]) -> str:
    """A hash over a design's sources and the texts that say what is made of them.

    Args:
        tool: what makes it.
        design: whose sources.
        texts: scripts, parameters and generated files; names of the machine's folders do not belong here.
    """
    digest = hashlib.sha256()
    for text in (tool.version, design.name, design.top, *texts):
        digest.update(text.encode(errors="surrogateescape") + b"\0")
    # Which name a source has counts: Yosys writes it down.
    for path in (*design.sources(), *design.included_files()):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def kept(name: str, key: str, make: Callable[[Path], None]) -> tuple[Path, bool]:
    """A folder of the cache, made now unless it is there.

    Args:
        name: readable, for the folder.
        key: of :func:`content_key`.
        make: fills an empty folder.

    Returns:
        the folder, and whether it was there.
    """
    check_root(cache_root())
    hold_cache()
    root = cache_root() / NETLISTS
    root.mkdir(parents=True, exist_ok=True)
    folder = root / f"{plain_name(name)}-{key}"
    with file_lock(root / f"{folder.name}.lock"):
        if folder.is_dir():
            with suppress(OSError):
                # What was used last is cleaned last.
                os.utime(folder)
            return folder, True
        with scratch_folder(folder, keep=LOG) as scratch:
            make(scratch)
    return folder, False
