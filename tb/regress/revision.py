# SPDX-License-Identifier: Apache-2.0
"""What the results of a run depend on, as hashes: results of two revisions must not stand in one run unnoticed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path

from goldbeat.pymodels.errors import GoldbeatError
from goldbeat.tb.design.named_files import files_named_in
from goldbeat.tb.paths import build_root
from goldbeat.tb.regress.fingerprint import code_hash, content_hash
from goldbeat.tb.regress.item import Item
from goldbeat.tb.regress.plan import item_design

GOLDBEAT = "Goldbeat"
_INPUT = "input "


def revision_of(items: Iterable[Item]) -> dict[str, str]:
    """Hashes by name: Goldbeat's own Python and C++ sources, each design's RTL and description, each input file."""
    designs: dict[str, Item] = {}
    inputs: set[str] = set()
    for item in items:
        designs.setdefault(item.source or item.design, item)
        inputs.update(_files_of(item))
    found = {GOLDBEAT: code_hash()}
    found |= {name: _design_hash(item) for name, item in designs.items()}
    return found | {f"{_INPUT}{file}": file_hash(Path(file)) for file in sorted(inputs)}


def names_of(item: Item) -> list[str]:
    """The names under which :func:`revision_of` has what an item's build and stimulus read, Goldbeat left out."""
    return [item.source or item.design, *(f"{_INPUT}{file}" for file in _files_of(item))]


def _files_of(item: Item) -> list[str]:
    """The files that are an item's stimulus, or that its options or parameters name."""
    files = list(item.inputs.values())
    words = [value for value in item.params.values() if isinstance(value, str)]
    if words:
        try:
            files += map(str, files_named_in((), item_design(item).data_folders(), words))
        except GoldbeatError:
            # Told when the item runs.
            return files
    if item.options:
        try:
            named = item_design(item).case(item.case).files
        except GoldbeatError:
            # Told when the item runs.
            return files
        for name in named:
            value = item.options.get(name, ())
            files += [str(one) for one in (value if isinstance(value, tuple) else (value,))]
    return [file for file in files if file]


def changed(before: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    """The names whose hash is another one."""
    return [name for name, value in now.items() if before.get(name, value) != value]


def _design_hash(item: Item) -> str:
    own: list[Path] = []
    if item.source is not None:
        # A description may use the Python files beside it.
        source = Path(item.source)
        own = [source, *sorted(p for p in source.parent.glob("*.py") if p != source)]
    try:
        design = item_design(item)
        if design.blessed is not None and design.blessed.is_file():
            own.append(design.blessed)
        code = [*design.sources(), *design.included_files()]
        defaults = [one.default for one in design.parameters.values() if isinstance(one.default, str)]
        files = [*own, *code, *files_named_in(code, design.data_folders(), defaults)]
        # What lies in other folders may be what a run writes.
        beside = [] if item.source is None else [Path(item.source).absolute().parent]
        named = files_named_in((path for path in own if path.suffix == ".py"), beside)
        files += [path for path in named if path.is_relative_to(beside[0]) and not path.is_relative_to(build_root())]
    except GoldbeatError as error:
        # What is missing is told when its simulator is built.
        return str(error)
    digest = hashlib.sha256()
    for path in files:
        digest.update(f"{path.name} {file_hash(path)}\n".encode())
    return digest.hexdigest()[:16]


def file_hash(path: Path) -> str:
    """Of a file's content; of one that cannot be read, the reason."""
    try:
        return content_hash(path.read_bytes())[:16]
    except OSError as error:
        return str(error)
