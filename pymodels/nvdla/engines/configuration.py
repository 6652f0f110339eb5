# SPDX-License-Identifier: Apache-2.0
"""NVDLA's configurations: what the hardware has, how wide its atoms and multipliers are, where its registers lie.

Registers have nv_small's addresses everywhere inside; :meth:`Configuration.page_address` and
:meth:`Configuration.register_address` translate at the edges. Source: nvdla/hw, ``spec/defs`` of branch nv_small and the
register manual of branch nvdlav1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.nearest import known_names

PRECISIONS = ("int8", "int16", "fp16")
"""By code."""
INT8, INT16, FP16 = range(3)
BYTES = (1, 2, 2)
"""Of an element, by precision."""
KINDS = ("|i1", "<i2", "<f2")
"""numpy's names of elements, little-endian, by precision."""
ENGINES = ("BDMA", "RUBIK")
"""Engines that not every configuration has."""

_PAGE = 0x1000
_PAGES = (
    *("CFGROM", "GLB", "MCIF", "CDMA", "CSC", "CMAC_A", "CMAC_B", "CACC", "SDP_RDMA", "SDP", "PDP_RDMA", "PDP"),
    *("CDP_RDMA", "CDP", "GEC", "CVIF", "BDMA", "RBK"),
)
_FULL_PAGES = (
    *("GLB", "GEC", "MCIF", "CVIF", "BDMA", "CDMA", "CSC", "CMAC_A", "CMAC_B", "CACC", "SDP_RDMA", "SDP"),
    *("PDP_RDMA", "PDP", "CDP_RDMA", "CDP", "RBK"),
)


@dataclass(frozen=True)
class Configuration:
    """One configuration.

    Attributes:
        name: as nvdla/hw calls it.
        atom: bytes of an atom: what one surface holds of a point.
        depth: channels of a block of weights.
        kernels: of a group, by precision.
        precisions: codes of those that the hardware has.
        element_wise: SDP has the element-wise stage with its lookup table.
        engines: those of :data:`ENGINES` that the hardware has.
        second_memory: there is a port to a second memory, too.
        pages: register blocks in the order of their pages of 4 KiB.
        absent_blocks: blocks of the pages that the hardware leaves out: they read 0 and ignore writes.
        address_bits: of its memory.
        banks: of the convolution buffer.
        bank: entries of a bank and bytes of an entry; None: not known.
    """

    name: str
    atom: int
    depth: int
    kernels: Mapping[int, int] = field(hash=False)
    precisions: tuple[int, ...] = (INT8,)
    element_wise: bool = False
    engines: tuple[str, ...] = ()
    second_memory: bool = False
    pages: tuple[str, ...] = _PAGES
    absent_blocks: frozenset[str] = frozenset()
    address_bits: int = 40
    banks: int = 16
    bank: tuple[int, int] | None = None

    def lanes(self, precision: int) -> int:
        """Elements of an atom."""
        return self.atom // BYTES[precision]

    def register_address(self, address: int) -> int:
        """An address inside, where blocks have nv_small's pages, as this configuration has it."""
        if self.pages == _PAGES:
            return address
        page = address // _PAGE
        return self.pages.index(_PAGES[page]) * _PAGE + address % _PAGE

    def page_address(self, address: int) -> int | None:
        """The other way round; None where there is no block."""
        page, offset = divmod(address, _PAGE)
        if page >= len(self.pages):
            return None
        return _PAGES.index(self.pages[page]) * _PAGE + offset

    @property
    def subject(self) -> str:
        """Who cannot do what is refused: hardware that lacks it, or the model of hardware that may have it."""
        return self.name if self.pages == _PAGES and not self.element_wise else f"the model of {self.name}"


NV_SMALL = Configuration(
    "nv_small",
    atom=8,
    depth=8,
    kernels={INT8: 8},
    absent_blocks=frozenset({"GEC", "CVIF", "BDMA", "RBK"}),
    address_bits=32,
    banks=32,
    bank=(512, 8),
)
NV_SMALL_256 = replace(NV_SMALL, name="nv_small_256", depth=32, bank=(128, 32))
NV_LARGE = Configuration(
    "nv_large",
    atom=32,
    depth=64,
    kernels={INT8: 32},
    element_wise=True,
    engines=ENGINES,
    second_memory=True,
    bank=(512, 64),
)
NV_FULL = Configuration(
    "nv_full",
    atom=32,
    depth=64,
    kernels={INT8: 32, INT16: 16, FP16: 16},
    precisions=(INT8, INT16, FP16),
    element_wise=True,
    engines=ENGINES,
    second_memory=True,
    pages=_FULL_PAGES,
)
CONFIGURATIONS = {one.name: one for one in (NV_SMALL, NV_SMALL_256, NV_LARGE, NV_FULL)}


def configuration_named(name: str) -> Configuration:
    """The configuration of a name.

    Raises:
        UsageError: there is none.
    """
    try:
        return CONFIGURATIONS[name]
    except KeyError:
        raise UsageError(f"unknown configuration {name!r}{known_names(name, CONFIGURATIONS)}") from None
