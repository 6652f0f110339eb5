# SPDX-License-Identifier: Apache-2.0
"""The classes of buses, discovered: the modules beside this one, and ``ports.py`` in the folders of designs."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from goldbeat.pymodels.errors import UsageError
from goldbeat.tb.design.ports.bundle import Bundle
from goldbeat.tb.design.user_code import load_class

_HERE = __name__.rpartition(".")[0]


def _classes(module: str) -> Iterator[type[Bundle]]:
    """The buses that a module defines."""
    for value in vars(importlib.import_module(module)).values():
        if isinstance(value, type) and issubclass(value, Bundle) and "spec" in vars(value):
            yield value


@cache
def common_buses() -> dict[str, type[Bundle]]:
    """The buses of this package by name."""
    folder = importlib.import_module(_HERE).__path__
    modules = sorted(f"{_HERE}.{m.name}" for m in pkgutil.iter_modules(folder) if m.name != "discovery")
    return {one.spec.name: one for module in modules for one in _classes(module)}


@cache
def all_buses() -> dict[str, type[Bundle]]:
    """The same with those of designs."""
    # By name: what designs are made of never imports one.
    home = importlib.import_module("goldbeat.tb.designs")
    folders = [Path(place) for place in home.__path__]
    names = sorted(file.parent.name for folder in folders for file in folder.glob("*/ports.py"))
    found = (one for name in names for one in _classes(f"{home.__name__}.{name}.ports"))
    return {one.spec.name: one for one in found} | common_buses()


def bus_class(name: str, family: type[Bundle], folder: Path | None) -> type[Bundle]:
    """A bus as a description names it.

    Args:
        name: a bus's, or ``file.py:Class``.
        family: the class must be derived from this one.
        folder: where file names count from.

    Raises:
        UsageError: there is no such bus, or it is of another family.
    """
    if ":" in name:
        file, _, own = name.partition(":")
        found: type[Bundle] | None = load_class(((folder or Path()) / file).resolve(), own)
    else:
        known = common_buses() if name in common_buses() else all_buses()
        found = known.get(name)
    if found is None or not issubclass(found, family):
        fitting = ", ".join(sorted(n for n, one in all_buses().items() if issubclass(one, family)))
        raise UsageError(f"bus: found {name!r}, expected file.py:Class or one of {fitting}")
    return found
