# SPDX-License-Identifier: Apache-2.0
"""Memory as an engine's DMA sees it: regions of bytes, read and written by arrays of addresses."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from pymodels.axi.memory import Region, check_regions
from pymodels.errors import InputError
from pymodels.nvdla.registers import Values

ATOM = 8
"""Bytes of an atom of nv_small: 8 int8 channels of one point."""


class AddressSpace:
    """A private copy of some regions.

    Args:
        regions: what the memory holds; their arrays stay as they are.
    """

    def __init__(self, regions: Sequence[Region]) -> None:
        check_regions(regions)
        self._regions = [Region(r.name, r.base, r.data.copy(), r.readable, r.writable) for r in regions]

    @property
    def regions(self) -> tuple[Region, ...]:
        """The regions as they are now."""
        return tuple(self._regions)

    def contents(self) -> dict[str, npt.NDArray[np.uint8]]:
        """Bytes by the name of the region."""
        return {r.name: r.data for r in self._regions}

    def read(self, addresses: npt.NDArray[np.int64], size: int = ATOM) -> npt.NDArray[np.uint8]:
        """(..., size) bytes from each address on.

        Raises:
            InputError: an address outside of all regions, or without the right to read.
        """
        out = np.empty((*addresses.shape, size), np.uint8)
        for region, mine in self._split(addresses, size, write=False):
            out[mine] = region.data[(addresses[mine] - region.base)[..., None] + np.arange(size)]
        return out

    def write(self, addresses: npt.NDArray[np.int64], data: npt.NDArray[np.uint8]) -> None:
        """Write (..., size) bytes at each address.

        Raises:
            InputError: an address outside of all regions, or without the right to write.
        """
        size = data.shape[-1]
        for region, mine in self._split(addresses, size, write=True):
            region.data[(addresses[mine] - region.base)[..., None] + np.arange(size)] = data[mine]

    def _split(
        self, addresses: npt.NDArray[np.int64], size: int, *, write: bool
    ) -> list[tuple[Region, npt.NDArray[np.bool_]]]:
        left = np.ones(addresses.shape, np.bool_)
        parts = []
        for region in self._regions:
            mine = (addresses >= region.base) & (addresses + size <= region.end)
            if mine.any():
                if not (region.writable if write else region.readable):
                    raise InputError(
                        f"{'a write to' if write else 'a read from'} region {region.name}", "one that is allowed"
                    )
                parts.append((region, mine))
                left &= ~mine
        if left.any():
            names = ", ".join(f"{r.name} 0x{r.base:x}..0x{r.end - 1:x}" for r in self._regions)
            raise InputError(f"DMA address 0x{int(addresses[left][0]):x}", f"an address inside of {names}")
        return parts


def atom_addresses(
    base: int, width: int, height: int, surfaces: int, line_stride: int, surface_stride: int, size: int = ATOM
) -> npt.NDArray[np.int64]:
    """(surfaces, height, width) addresses of the atoms of a cube; ``size`` bytes belong to each point of a surface."""
    s, y, x = np.ogrid[:surfaces, :height, :width]
    return np.asarray(base + s * surface_stride + y * line_stride + x * size, np.int64)


def cube_addresses(
    values: Values, block: str, prefix: str, size: tuple[int, int, int], point: int = ATOM, first: int = 0
) -> npt.NDArray[np.int64]:
    """Where the atoms of a cube lie whose address and strides a block's registers hold.

    Args:
        values: the group's registers.
        block: ``SDP_RDMA``, for instance.
        prefix: of the registers' names, such as ``D_SRC``.
        size: width, height and surfaces.
        point: bytes of each point of a surface.
        first: column at which the cube begins.

    Returns:
        (surfaces, height, width) addresses.
    """
    line, surface = (values.get(block, f"{prefix}_{side}_STRIDE") for side in ("LINE", "SURFACE"))
    return atom_addresses(values.address(block, prefix) + first * point, *size, line, surface, point)
