# SPDX-License-Identifier: Apache-2.0
"""The designs that come with Goldbeat, discovered: ``bench.py`` and ``bench_*.py`` in the folders of tb/designs.

A module is a bench when it has a ``DESIGN``; a user's own description file is the same thing kept elsewhere.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from goldbeat.pymodels.code_trust import allow_files, code_is_limited
from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.nearest import did_you_mean
from goldbeat.tb.design.case import Case
from goldbeat.tb.design.design import Design
from goldbeat.tb.design.families import families
from goldbeat.tb.design.user_code import load_module


def designs() -> dict[str, Design]:
    """All designs that come with Goldbeat, by name."""
    found = (_design_of(module) for module in _benches())
    return dict(sorted((design.name, design) for design in found if design is not None))


def folder_of(name: str) -> Path | None:
    """The folder of the design of this name that comes with Goldbeat; None: there is none."""
    for module in _benches():
        design = _design_of(module)
        if design is not None and design.name == name:
            return Path(str(importlib.import_module(module).__file__)).parent
    return None


def _benches() -> Iterator[str]:
    """The modules that may hold a design."""
    for package in families().values():
        for module in pkgutil.iter_modules(importlib.import_module(package).__path__):
            if module.name.partition("_")[0] == "bench":
                yield f"{package}.{module.name}"


def _design_of(module: str) -> Design | None:
    design = getattr(importlib.import_module(module), "DESIGN", None)
    return design if isinstance(design, Design) else None


def _built_in(name: str) -> Design | None:
    """A design that comes with Goldbeat: importing them all takes longer than a short run, so those go first that say its name."""
    for module in _benches():
        spec = find_spec(module)
        if spec is None or spec.origin is None or f'"{name}"'.encode() not in Path(spec.origin).read_bytes():
            continue
        design = _design_of(module)
        if design is not None and design.name == name:
            return design
    # A name may be made of parts.
    return designs().get(name)


def load_design(path: Path) -> Design:
    """The design that a user's description file (Python, with a ``DESIGN``) describes.

    Raises:
        InputError: no such file, it does not run, or it describes nothing.
    """
    module = load_module(path)
    design = getattr(module, "DESIGN", None)
    if not isinstance(design, Design):
        raise InputError("no DESIGN", "a DESIGN = Design(...)", file=path)
    return design


def find_design(name: str) -> Design:
    """A design by name, or by the path of its description file."""
    if name.endswith((".py", ".toml")):
        design = load_design(Path(name)) if name.endswith(".py") else _described(Path(name))
        if code_is_limited():
            # Who may run the description may build its RTL, wherever it is.
            allow_files((*design.sources(), *design.included_files()))
        return design
    built_in = _built_in(name)
    if built_in is None:
        raise UsageError(_unknown(name))
    return built_in


def _described(path: Path) -> Design:
    # What reads TOML takes longer to import than all else here.
    from goldbeat.tb.design.description import load_description

    return load_description(path)


def _unknown(name: str) -> str:
    """Why a name is no design, and what to do."""
    path = Path(name)
    if path.is_dir():
        files = sorted(p.name for p in path.glob("*.toml"))
        if files:
            return f"{name} is a folder, expected a design or a description in it: {', '.join(files)}"
        return f"{name} is a folder, expected a design or a description; `goldbeat new DIR FILES` makes one"
    if path.suffix in (".v", ".sv", ".svh", ".f"):
        given = f"-f {name}" if path.suffix == ".f" else name
        made = f"bench/{path.stem}"
        return f"{name} is RTL; make a bench for it: `goldbeat new {made} {given}`, then `goldbeat run {made}/{path.stem}.toml`"
    if path.exists() or path.suffix:
        kind = "a file without a description's name" if path.exists() else "no such file"
        return f"{name}: {kind}, expected a design, or a description (.toml or .py)"
    known = sorted(designs())
    hint = did_you_mean(name, known)
    return f"unknown design {name!r}{hint}" + (
        "" if hint else f"; known: {', '.join(known)} (or the path of a description)"
    )


def find_case(name: str, case: str | None) -> tuple[Design, Case]:
    """A design and one of its cases, its first where ``case`` is None.

    A block that has a bench of its own, a design called ``DESIGN_BLOCK``, goes by ``DESIGN`` and case ``BLOCK`` too.
    """
    design = find_design(name)
    if case is not None and case not in {c.name for c in design.cases}:
        block = _built_in(f"{design.name}_{case}")
        if block is not None:
            return block, block.case(None)
    return design, design.case(case)
