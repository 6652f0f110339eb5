# SPDX-License-Identifier: Apache-2.0
"""What a run was made from: the content of its files as hashes, and the versions of its tools."""

from __future__ import annotations

import inspect
import os
import platform
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from goldbeat.pymodels.errors import GoldbeatError
from goldbeat.tb.build.toolchain import find_verilator
from goldbeat.tb.design.files_read import Reads, reads_below
from goldbeat.tb.git import top_level
from goldbeat.tb.inside.job import Record
from goldbeat.tb.paths import IMPORT_ROOT, REPOSITORY, build_root, cache_root
from goldbeat.tb.run.runs import Request
from goldbeat.tb.run.seal import MISSING, file_digest
from goldbeat.tb.versions import version_of


def sources_of(request: Request, records: Iterable[Record]) -> dict[str, Any]:
    """What a report keeps of a run's sources: ``sources`` and ``processes``.

    ``sources`` are the files by kind, each with the hash of its content, by absolute path. Files that are not there count where
    they would be read in place of others. Kinds are ``RTL``, ``data file`` (that the RTL has read), ``description``, ``model`` and
    ``stimulus``. Of a model that comes with Goldbeat these are all files of its package, of a user's those beside the description,
    and what the model has opened in the project. ``processes`` are programs that the user's code
    has started: what they read is not among the files.
    """
    reads = _reads(request)
    kinds: dict[str, Iterator[Path]] = {
        "RTL": _rtl(request),
        "data file": _data_files(request, records),
        "description": _descriptions(request),
        "model": _model(request, reads.files),
        "stimulus": _stimulus(request),
    }
    hashes = {
        kind: {str(path.absolute()): file_digest(path) for path in dict.fromkeys(paths)}
        for kind, paths in kinds.items()
    }
    return {"sources": hashes, "processes": list(reads.programs)}


def tool_versions() -> dict[str, str]:
    """Of Goldbeat, Python and the simulator."""
    simulator, _ = find_verilator()
    said = {"goldbeat": version_of("goldbeat"), "python": platform.python_version()}
    return said if simulator is None else {**said, "simulator": simulator.version}


def changed_sources(kept: Mapping[str, Mapping[str, str]], moved: Sequence[tuple[Path, Path]] = ()) -> list[str]:
    """The files whose content is another one than a report's ``sources`` have, with their kind; or that are missing.

    Args:
        kept: hashes by kind and path.
        moved: where the run's folder was made and where it is now. In a copied project, a file that lies as its original lay
            from there is the one to look at.
    """
    found = []
    for kind, files in kept.items():
        for said, digest in files.items():
            copies = (os.path.normpath(now / os.path.relpath(said, then)) for then, now in moved)
            path = next((copy for copy in copies if _stands_for(copy)), said)
            if (now := file_digest(Path(path))) != digest:
                what = "is missing" if now == MISSING else "was not there" if digest == MISSING else "has changed"
                found.append(f"{kind} {path} {what}")
    return found


def _stands_for(copy: str) -> bool:
    """Whether a copy has a file, or has something else where the file or one of its folders would be.

    A link that leads nowhere is the copy's own: it hides no original.
    """
    if os.path.lexists(copy):
        return True
    there = next(folder for folder in Path(copy).parents if os.path.lexists(folder))
    return not there.is_dir()


def _rtl(request: Request) -> Iterator[Path]:
    try:
        found = request.design.reached()
        yield from (*request.design.listed().lists, *request.design.sources(), *found.files, *found.absent)
    except GoldbeatError:
        # What the build could not find has failed the run.
        return


def _data_files(request: Request, records: Iterable[Record]) -> Iterator[Path]:
    """What the RTL has read, and where it was looked for before."""
    folders = request.design.data_folders()
    for name, place in dict(pair for record in records for pair in record.data_files.items()).items():
        for path in (folder / name for folder in folders):
            yield path
            if str(path) == place:
                break
        if place:
            yield Path(place)


def _descriptions(request: Request) -> Iterator[Path]:
    for text in (request.origin.source, request.origin.description):
        if text is not None:
            yield Path(text)
    if request.design.blessed is not None and request.design.blessed.is_file():
        yield request.design.blessed


def _model(request: Request, read: Sequence[Path]) -> Iterator[Path]:
    if request.origin.source is not None:
        # A description may use the Python files beside it.
        yield from sorted(Path(request.origin.source).absolute().parent.glob("*.py"))
    yield from read
    for file in _code_file(request.design.model):
        yield from sorted(file.absolute().parent.glob("*.py"))


def _reads(request: Request) -> Reads:
    """What the user's code has opened below the description's folder and the current one, or the clones of git they are in."""
    source = request.origin.source
    folders = [Path.cwd(), *([] if source is None else [Path(source).absolute().parent])]
    clones = [top for folder in folders if (top := top_level(folder)) is not None]
    own = (IMPORT_ROOT / "goldbeat", REPOSITORY / "pymodels", REPOSITORY / "tb")
    return reads_below([*folders, *clones], [build_root(), cache_root(), *own])


def _code_file(function: Any) -> Iterator[Path]:
    """The file that a function, or the class of a callable object, is written in."""
    while isinstance(function, partial):
        function = function.func
    function = inspect.unwrap(function)
    code = getattr(function, "__code__", None)
    file = getattr(sys.modules.get(type(function).__module__), "__file__", None) if code is None else code.co_filename
    if file is not None and Path(file).is_file():
        yield Path(file)


def _stimulus(request: Request) -> Iterator[Path]:
    yield from _code_file(request.case.make)
    yield from map(Path, (*request.origin.files.values(), *request.origin.made_from))
    if request.origin.stimulus is not None:
        yield Path(request.origin.stimulus)
    for value in {**request.case.options, **request.options}.values():
        for one in value if isinstance(value, tuple) else (value,):
            # As FILE or NAME=FILE.
            text = str(one)
            yield from (Path(path) for path in (text, text.partition("=")[2]) if path and Path(path).is_file())
