# SPDX-License-Identifier: Apache-2.0
"""The pages as a site: ``python docs/site/build.py FOLDER`` makes FOLDER/site with Zensical.

The pages of the reference are made from the code: commands from their help, TOML keys from their models, the Python API.
"""

from __future__ import annotations

import inspect
import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import redirect_stdout, suppress
from io import StringIO
from pathlib import Path
from types import NoneType
from typing import Any, Literal, TextIO, get_args, get_origin

import griffe
import typer
import zensical
from pydantic import BaseModel
from pydantic.fields import FieldInfo
from roles import plain

import goldbeat
from goldbeat.tb.cli import app
from goldbeat.tb.dashboard.testplan import PlanFile
from goldbeat.tb.design.description import Description
from goldbeat.tb.design.design import Design
from goldbeat.tb.mutate.waivers import WaiverFile
from goldbeat.tb.regress.suite import Suite
from goldbeat.tb.run.signoff import Limits

_DOCS = Path(__file__).resolve().parents[1]

FILES: Mapping[str, tuple[str, type[BaseModel], str]] = {
    "Description of a bench": ("goldbeat run FILE.toml", Description, "own-rtl.md"),
    "Suite": ("goldbeat regress FILE.toml", Suite, "regress.md"),
    "Limits": ("goldbeat signoff RUN --limits FILE.toml", Limits, "signoff.md"),
    "Test plan": ("testplan.toml beside a design", PlanFile, "dashboard.md"),
    "Waived mutants": ("mutants.toml beside a design", WaiverFile, "mutate.md"),
}


def commands(out: TextIO) -> None:
    """A heading and the help for each command."""
    # Rich and the help formatter read the width of the terminal from here.
    os.environ["COLUMNS"] = "100"
    out.write("# Commands\n\nThe help text of every command.\n")
    root = typer.main.get_command(app)
    for path in _paths(root, ()):
        text = StringIO()
        with redirect_stdout(text), suppress(SystemExit):
            root.main([*path, "--help"], prog_name="goldbeat")
        out.write(f"\n## {' '.join(('goldbeat', *path))}\n\n```text\n{text.getvalue().rstrip()}\n```\n")


def _paths(command: Any, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    yield path
    for name in getattr(command, "commands", {}):
        yield from _paths(command.get_command(None, name), (*path, name))


def toml_keys(out: TextIO) -> None:
    """A table of keys for each kind of file and each table in it."""
    out.write("# TOML keys\n\nEvery key of every file. Keys without a default are required; unknown keys are errors.\n")
    for title, (use, model, page) in FILES.items():
        out.write(f"\n## {title}\n\n`{use}`, explained in [{page}](../{page}).\n")
        for heading, table in _tables(model, "", set()):
            out.write(f"\n### {title}: {heading or 'top level'}\n\n" + _rows(table))


def _tables(model: type[BaseModel], name: str, seen: set[type[BaseModel]]) -> Iterator[tuple[str, type[BaseModel]]]:
    seen.add(model)
    yield name, model
    for key, field in _shown(model):
        for inner, repeated, named in _models(field.annotation):
            if inner not in seen:
                whole = ".".join(part for part in (name.strip("[]`"), key, "NAME" if named else "") if part)
                yield from _tables(inner, f"`[[{whole}]]`" if repeated else f"`[{whole}]`", seen)


def _models(annotation: Any) -> Iterator[tuple[type[BaseModel], bool, bool]]:
    """The models in an annotation, each with whether it is in a list, and whether a name chooses it."""
    if inspect.isclass(annotation) and issubclass(annotation, BaseModel):
        yield annotation, False, False
        return
    origin = get_origin(annotation)
    for inner in get_args(annotation):
        for model, repeated, named in _models(inner):
            yield model, repeated or origin is tuple, named or origin is Mapping


def _shown(model: type[BaseModel]) -> list[tuple[str, FieldInfo]]:
    return [(key, field) for key, field in model.model_fields.items() if not key.startswith("_")]


def _rows(model: type[BaseModel]) -> str:
    texts = _texts(Design) | _texts(model) if model is Description else _texts(model)
    rows = ["| key | value | default | meaning |", "|---|---|---|---|"]
    for key, field in _shown(model):
        default = "" if field.is_required() else _default(field)
        cells = (f"`{key}`", _kind(field.annotation), default, texts.get(key, ""))
        rows.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(rows) + "\n"


def _default(field: FieldInfo) -> str:
    value = field.get_default(call_default_factory=True)
    if value is None or value in ({}, (), ""):
        return "none"
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


def _kind(annotation: Any) -> str:
    words = {int: "integer", float: "number", str: "text", bool: "true or false", NoneType: ""}
    if annotation in words:
        return words[annotation]
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return ", ".join(f"`{str(one).lower() if isinstance(one, bool) else one}`" for one in inner)
    if inspect.isclass(annotation) and issubclass(annotation, BaseModel):
        return "table"
    if origin in (tuple, list):
        kinds = " and ".join(dict.fromkeys(kind for one in inner if one is not ... and (kind := _kind(one))))
        return f"list of {kinds}" if kinds else "list"
    if inspect.isclass(origin) and issubclass(origin, Mapping):
        return f"table: name = {_kind(inner[1])}"
    return " or ".join(dict.fromkeys(kind for one in inner if (kind := _kind(one))))


def _texts(model: type) -> dict[str, str]:
    """What the docstrings of a class and its bases say of each attribute."""
    found: dict[str, str] = {}
    for one in reversed(model.__mro__):
        for section in griffe.Docstring(inspect.cleandoc(one.__dict__.get("__doc__") or ""), parser="google").parse():
            if isinstance(section, griffe.DocstringSectionAttributes):
                for attribute in section.value:
                    text = " ".join(plain(attribute.description).split())
                    found |= {name.strip(): text for name in attribute.name.split(",")}
    return found


def python_names(out: TextIO) -> None:
    """One directive for each public name; mkdocstrings reads the docstring behind it."""
    out.write(
        "# Python API\n\n`import goldbeat` has these names; [Calling a design from Python](../python-api.md) uses them.\n"
    )
    for name in sorted(goldbeat.__all__, key=str.lower):
        module, attribute = goldbeat._HOMES[name]
        out.write(f"\n::: {module}.{attribute}\n")


def build(folder: Path) -> None:
    """Make the site; a dead link, or a docstring that cannot be read, is an error.

    Args:
        folder: gets ``pages``, the Markdown of the site, and ``site``. Older ones are overwritten.
    """
    pages, site = folder / "pages", folder / "site"
    for old in (pages, site):
        shutil.rmtree(old, ignore_errors=True)
    shutil.copytree(_DOCS, pages, ignore=shutil.ignore_patterns("site"))
    (pages / "reference").mkdir()
    for page, write in {"commands.md": commands, "toml.md": toml_keys, "python.md": python_names}.items():
        with (pages / "reference" / page).open("w", encoding="utf-8") as opened:
            write(opened)
    settings = shutil.copy(_DOCS / "site" / "zensical.toml", folder)
    zensical.build(str(Path(settings).resolve()), {"strict": True, "clean": True})


if __name__ == "__main__":
    build(Path(sys.argv[1]))
