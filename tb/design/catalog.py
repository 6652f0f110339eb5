# SPDX-License-Identifier: Apache-2.0
"""The designs that come with Goldbeat, discovered: ``bench.py`` and ``bench_*.py`` in the folders of tb/designs.

A module is a bench when it has a ``DESIGN``; a user's own description file is the same thing kept elsewhere.
"""

from __future__ import annotations

import importlib
import pkgutil
from pathlib import Path

from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.tb.design.case import Case
from goldbeat.tb.design.description import load_description
from goldbeat.tb.design.design import Design
from goldbeat.tb.design.families import families
from goldbeat.tb.design.user_code import load_module


def designs() -> dict[str, Design]:
    """All designs that come with Goldbeat, by name."""
    found = {}
    for package in families().values():
        for module in pkgutil.iter_modules(importlib.import_module(package).__path__):
            if module.name.partition("_")[0] != "bench":
                continue
            design = getattr(importlib.import_module(f"{package}.{module.name}"), "DESIGN", None)
            if isinstance(design, Design):
                found[design.name] = design
    return dict(sorted(found.items()))


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
    if name.endswith(".py"):
        return load_design(Path(name))
    if name.endswith(".toml"):
        return load_description(Path(name))
    known = designs()
    if name not in known:
        raise UsageError(f"unknown design {name!r}; known: {', '.join(sorted(known))} (or the path of a description)")
    return known[name]


def find_case(name: str, case: str | None) -> tuple[Design, Case]:
    """A design and one of its cases, its first where ``case`` is None.

    A block that has a bench of its own, a design called ``DESIGN_BLOCK``, goes by ``DESIGN`` and case ``BLOCK`` too.
    """
    design = find_design(name)
    block = f"{design.name}_{case}"
    if case is not None and case not in {c.name for c in design.cases} and block in designs():
        design, case = designs()[block], None
    return design, design.case(case)
