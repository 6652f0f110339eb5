# SPDX-License-Identifier: Apache-2.0
"""A new bench: description, golden-model stub, test."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import jinja2

from goldbeat.pymodels.errors import UsageError
from goldbeat.tb.design.description import READY, Description
from goldbeat.tb.probe.address_search import find_address_map
from goldbeat.tb.probe.find import Found
from goldbeat.tb.probe.write import made_files, to_toml


def comments(found: Found) -> list[str]:
    """What the head of a description tells about how it came to be."""
    lines = [f"Description of {found.module.title}, made from its source. Guesses are listed below: correct them here."]
    lines += [f"  note: {note}" for note in found.notes]
    lines += [f"  not placed: {name}, {what}" for name, what in found.unplaced.items()]
    return lines


def with_address_map(description: Description, folder: Path, tell: Callable[[str], None]) -> Description:
    """The description of an interconnect with the address map that is found by asking it; as it is where none is found.

    Args:
        description: of a bench that is written.
        folder: of it.
        tell: is told of the build.

    Raises:
        GoldbeatError: the design cannot be built.
    """
    design = description.design(folder.resolve())
    slaves, masters = description.sides({name: one.default for name, one in design.parameters.items()})
    if not slaves or not masters:
        return description
    ranges = find_address_map(design, slaves, masters, tell)
    return description.model_copy(update={"address_map": tuple(ranges)}) if ranges else description


def write_bench(folder: Path, found: Found, description: Description, *, force: bool = False) -> list[Path]:
    """Write a bench that runs.

    Args:
        folder: made when it is not there.
        found: for the notes in the description's head.
        description: what to write.
        force: overwrite files of an earlier bench.

    Returns:
        the files written, the description first.

    Raises:
        UsageError: a file is there already.
    """
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("goldbeat.tb.probe", "templates"),
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
    )
    name = description.name
    texts = {folder / f"{name}.toml": to_toml(description, comments(found))}
    texts |= {folder / file: text for file, text in made_files(found, description).items()}
    if description.model not in READY:
        outputs = [s.name for s in description.streams if s.direction == "out"]
        inputs = [s.name for s in description.streams if s.direction == "in"]
        texts[folder / "model.py"] = environment.get_template("model.py.j2").render(
            description=description, inputs=inputs, outputs=outputs
        )
    there = [path for path in texts if path.exists()]
    if there and not force:
        raise UsageError(f"{', '.join(map(str, there))} exists; --force overwrites")
    folder.mkdir(parents=True, exist_ok=True)
    for path, text in texts.items():
        path.write_text(text, encoding="utf-8")
    return list(texts)
