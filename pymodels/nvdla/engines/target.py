# SPDX-License-Identifier: Apache-2.0
"""Which NVDLA configuration a loadable was compiled for, by what its descriptors say.

A file does not name its configuration. Configurations differ in the size of an atom, which shows in the strides of feature cubes,
and in precisions and engines, which operations name. Source: nvdla/hw, ``spec/defs``; nvdla/sw, ``dla_interface.h``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.nvdla.engines.configuration import (
    ENGINES,
    NV_FULL,
    NV_SMALL,
    PRECISIONS,
    Configuration,
    configuration_named,
)
from goldbeat.pymodels.nvdla.loadable.loadable import Loadable
from goldbeat.pymodels.nvdla.loadable.network import FEATURE, NetworkOperation, dla_tasks, network

_ATOMS = (8, 16, 32, 64)
_PRECISION_FIELDS = ("in_precision", "out_precision", "src_precision", "dst_precision", "precision")


@dataclass(frozen=True)
class LoadableTarget:
    """What a loadable was compiled for.

    Attributes:
        atom: bytes of an atom; None where no feature cube tells.
        precisions: of the operations, in the order of :data:`PRECISIONS`.
        engines: those of :data:`ENGINES` that it uses.
    """

    atom: int | None
    precisions: tuple[str, ...]
    engines: tuple[str, ...] = ()

    @property
    def fits(self) -> bool:
        """Whether atoms and precisions are nv_small's."""
        return self.suits(NV_SMALL)

    def suits(self, configuration: Configuration) -> bool:
        """Whether atoms and precisions are a configuration's."""
        known = {PRECISIONS[code] for code in configuration.precisions}
        return self.atom in (None, configuration.atom) and known.issuperset(self.precisions)

    @property
    def small(self) -> bool:
        """Whether it is for nv_small."""
        return self.fits and not self.engines

    @property
    def name(self) -> str:
        """``nv_small``, ``nv_full``, ``nv_large or nv_full``, or ``another configuration``."""
        if self.small:
            return NV_SMALL.name
        if self.atom is None and self.engines:
            return "nv_large or nv_full"
        if self.precisions not in ((), (PRECISIONS[0],)):
            return "nv_full"
        return "nv_large or nv_full" if self.atom in (32, 64) else "another configuration"

    @property
    def reason(self) -> str:
        """What tells: ``atoms of 32 bytes, fp16``."""
        atom = "" if self.atom is None else f"atoms of {self.atom} bytes"
        return ", ".join(part for part in (atom, *self.precisions, *self.engines) if part)


def target(loadable: Loadable) -> LoadableTarget:
    """What a loadable was compiled for.

    An atom is taken to be another one than nv_small's where lines without gaps have it and no cube has nv_small's.

    Raises:
        InputError: descriptors that make no sense.
    """
    operations = [op for task in dla_tasks(loadable) for op in network(loadable, task).operations]
    precisions = {code for op in operations for code in _precisions(op)}
    atoms = [atom for op in operations for atom in _atoms(op)]
    known = {PRECISIONS[code] if code < len(PRECISIONS) else f"precision {code}" for code in precisions}
    order = {name: i for i, name in enumerate(PRECISIONS)}
    names = tuple(sorted(known, key=lambda name: (order.get(name, len(order)), name)))
    atom = NV_SMALL.atom if NV_SMALL.atom in atoms else max(set(atoms), key=atoms.count) if atoms else None
    return LoadableTarget(
        atom, names, tuple(engine for engine in ENGINES if any(op.type == engine for op in operations))
    )


def check_configuration(loadable: Loadable, configuration: Configuration = NV_SMALL) -> None:
    """Refuse what was compiled for another configuration's atoms or precisions; engines are left to the driver.

    Raises:
        InputError: which one, and what tells.
    """
    found = target(loadable)
    if not found.suits(configuration):
        known = ", ".join(PRECISIONS[code] for code in configuration.precisions)
        raise InputError(
            f"a loadable for {found.name} ({found.reason})",
            f"one for {configuration.name} (atoms of {configuration.atom} bytes, {known})",
            file=loadable.file,
        )


def configuration_of(loadable: Loadable, name: str | None = None) -> Configuration:
    """The configuration that models and driver work with.

    Args:
        loadable: the file.
        name: of the configuration; None: nv_small where the file is for it, else nv_full, which does all that nv_large does.

    Raises:
        InputError: the file is for none of them, or not for the one that is named.
        UsageError: no such configuration.
    """
    guess = NV_SMALL if target(loadable).small else NV_FULL
    found = guess if name is None else configuration_named(name)
    check_configuration(loadable, found)
    return found


def _precisions(operation: NetworkOperation) -> Iterator[int]:
    names = operation.desc.dtype.names or ()
    yield from (int(operation.desc[field]) for field in _PRECISION_FIELDS if field in names)


def _atoms(operation: NetworkOperation) -> Iterator[int]:
    """Sizes of an atom at which an operation's cubes have neither gaps between lines nor between surfaces."""
    for name in ("src_data", "dst_data"):
        cube = operation.cubes.get(name)
        if cube is None or cube.entry is None or not cube.used:
            continue
        if name == "src_data" and operation.type == "CONV" and int(operation.desc["data_format"]) != FEATURE:
            continue  # Lines of pixels have no atoms.
        width, height, line, surface = (int(cube.record[f]) for f in ("width", "height", "line_stride", "surf_stride"))
        # A cube of a single point may have any strides: it has no second line.
        sizes = _ATOMS if width * height > 1 else (NV_SMALL.atom,)
        yield from (size for size in sizes if line == width * size and surface == line * height)
