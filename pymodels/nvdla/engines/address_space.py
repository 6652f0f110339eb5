# SPDX-License-Identifier: Apache-2.0
"""Memory as an engine's DMA sees it: regions of bytes, read and written by arrays of addresses."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.axi.memory import Region, check_regions
from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.nvdla.engines.configuration import CONFIGURATIONS, NV_SMALL
from goldbeat.pymodels.nvdla.engines.registers import Values

ATOM = NV_SMALL.atom
"""Bytes of an atom of nv_small: 8 int8 channels of one point."""
LARGEST_CUBE = 1 << 24
"""Bytes of a cube that the models take on: they need some sixty times as many while they work."""
LARGEST_POINT = 4 * max(one.atom for one in CONFIGURATIONS.values())
"""Bytes that an engine reads at once: two 16-bit operands for each byte of an atom."""
_END = 1 << 62
"""End of all addresses: strides may be added to them."""

Transfer = tuple[npt.NDArray[np.int64], int]
"""Addresses on a regular grid, and how many bytes at each of them."""


class OutsideError(InputError):
    """An access outside of all regions.

    Attributes:
        written: what would have been written there; None for a read.
    """

    written: Transfer | None = None


class AddressSpace:
    """A private copy of some regions.

    Operands may end in mid-atom: what begins inside of a region is read to its end, 0 beyond the region's last byte.

    Args:
        regions: what the memory holds; their arrays stay as they are.

    Attributes:
        reads, runs, writes: addresses and bytes at each of them, call by call.
    """

    def __init__(self, regions: Sequence[Region]) -> None:
        check_regions(regions)
        self._regions: list[Region] = []
        self._held: list[npt.NDArray[np.uint8]] = []
        self.reads: list[Transfer] = []
        self.runs: list[Transfer] = []
        self.writes: list[Transfer] = []
        for region in regions:
            # Zeros up to the next region at most.
            behind = min((r.base for r in regions if r.base >= region.end), default=region.end + LARGEST_POINT)
            size = len(region.data)
            held = np.zeros(size + min(behind - region.end, LARGEST_POINT - 1), np.uint8)
            held[:size] = region.data
            self._held.append(held)
            self._regions.append(Region(region.name, region.base, held[:size], region.readable, region.writable))

    @property
    def regions(self) -> tuple[Region, ...]:
        """The regions as they are now."""
        return tuple(self._regions)

    def contents(self) -> dict[str, npt.NDArray[np.uint8]]:
        """Bytes by the name of the region."""
        return {r.name: r.data for r in self._regions}

    def read(self, addresses: npt.NDArray[np.int64], size: int) -> npt.NDArray[np.uint8]:
        """(..., size) bytes from each address on.

        Raises:
            InputError: an address outside of all regions, or without the right to read.
        """
        parts = self._split(addresses, size, write=False)
        if (total := addresses.size * size) > LARGEST_CUBE:
            raise UsageError(f"a DMA of {total} bytes: the model takes at most {LARGEST_CUBE}")
        self.reads.append((addresses, size))
        out = np.empty((*addresses.shape, size), np.uint8)
        for number, mine in parts:
            places = addresses[mine] - self._regions[number].base
            out[mine] = self._held[number][places[..., None] + np.arange(size)]
        return out

    def run(self, address: int, size: int) -> npt.NDArray[np.uint8]:
        """(size,) bytes one after the other.

        Raises:
            InputError: not all of them in one region, or no right to read.
        """
        check_address(address)
        addresses = np.array([address], np.int64)
        ((number, _),) = self._split(addresses, size, write=False)
        self.runs.append((addresses, size))
        first = address - self._regions[number].base
        return self._held[number][first : first + size]

    def write(self, addresses: npt.NDArray[np.int64], data: npt.NDArray[np.uint8]) -> None:
        """Write (..., size) bytes at each address.

        Raises:
            InputError: an address outside of all regions, or without the right to write.
        """
        size = data.shape[-1]
        self.writes.append((addresses, size))
        for number, mine in self._split(addresses, size, write=True):
            region = self._regions[number]
            region.data[(addresses[mine] - region.base)[..., None] + np.arange(size)] = data[mine]

    def _split(
        self, addresses: npt.NDArray[np.int64], size: int, *, write: bool
    ) -> list[tuple[int, npt.NDArray[np.bool_]]]:
        left = np.ones(addresses.shape, np.bool_)
        parts = []
        for number, region in enumerate(self._regions):
            end = region.end if write else region.base + len(self._held[number])
            mine = (addresses >= region.base) & (addresses < region.end) & (addresses + size <= end)
            if mine.any():
                if not (region.writable if write else region.readable):
                    raise InputError(
                        f"{'a write to' if write else 'a read from'} region {region.name}", "one that is allowed"
                    )
                parts.append((number, mine))
                left &= ~mine
        if left.any():
            names = ", ".join(f"{r.name} 0x{r.base:x}..0x{r.end - 1:x}" for r in self._regions)
            error = OutsideError(f"DMA address 0x{int(addresses[left][0]):x}", f"an address inside of {names}")
            error.written = (addresses[left], size) if write else None
            raise error
        return parts


def check_address(base: int) -> None:
    """Refuse an address that no memory has and that arrays of addresses cannot hold.

    Raises:
        OutsideError: the address.
    """
    if base >= _END:
        raise OutsideError(f"DMA address 0x{base:x}", f"an address below 0x{_END:x}")


def atom_addresses(
    base: int, width: int, height: int, surfaces: int, line_stride: int, surface_stride: int, size: int
) -> npt.NDArray[np.int64]:
    """(surfaces, height, width) addresses of the atoms of a cube; ``size`` bytes belong to each point of a surface."""
    if (total := surfaces * height * width * size) > LARGEST_CUBE:
        raise UsageError(
            f"a cube of {width} x {height} points and {surfaces} surfaces, {total} bytes: the model takes at most "
            f"{LARGEST_CUBE}"
        )
    check_address(base)
    s, y, x = np.ogrid[:surfaces, :height, :width]
    return np.asarray(base + s * surface_stride + y * line_stride + x * size, np.int64)


def check_alignment(values: Values, block: str, *registers: str, unit: int | None = None) -> None:
    """Refuse addresses and strides in mid-atom: hardware ignores their lower bits, so it would touch other bytes.

    Args:
        values: the group's registers.
        block: whose registers.
        registers: their names.
        unit: what they are a multiple of; None: an atom.

    Raises:
        UsageError: the register, its value, and what it must be a multiple of.
    """
    unit = values.configuration.atom if unit is None else unit
    for name in registers:
        if (found := values.get(block, name)) % unit:
            raise UsageError(
                f"{block}.{name} is 0x{found:x}, expected a multiple of {unit}: the hardware ignores the lower bits"
            )


OVERLAPS = ("lines", "surfaces")
"""What a stride keeps apart."""


def used_strides(size: tuple[int, int, int], line: str, surface: str) -> tuple[str, ...]:
    """Registers of the strides that a cube of width, height and surfaces has a use for."""
    return (*([line] if size[1] > 1 else []), *([surface] if size[2] > 1 else []))


def check_apart(
    values: Values, block: str, names: tuple[str, str], size: tuple[int, int, int], point: int | None = None
) -> None:
    """Refuse strides with which lines or surfaces of a cube share bytes.

    Args:
        values: the group's registers.
        block: whose registers.
        names: of the registers of line and surface stride.
        size: width, height and surfaces.
        point: bytes of each point of a surface; None: an atom.

    Raises:
        UsageError: the register, its value, and what it must be at least.
    """
    line, surface = (values.get(block, name) for name in names)
    found = shared_bytes(size, line, surface, values.configuration.atom if point is None else point)
    if found is not None:
        which, least = found
        what = f"{block}.{names[which]} is 0x{(line, surface)[which]:x}"
        raise UsageError(f"{what}, expected at least 0x{least:x}: {OVERLAPS[which]} overlap")


def shared_bytes(size: tuple[int, int, int], line: int, surface: int, point: int) -> tuple[int, int] | None:
    """The stride with which parts of a cube share bytes: 0 lines, 1 surfaces; and what it must be at least; None: neither.

    Args:
        size: width, height and surfaces.
        line: stride of lines.
        surface: stride of surfaces.
        point: bytes of each point of a surface.
    """
    width, height, surfaces = size
    row = width * point
    if height > 1 and abs(line) < row:
        return 0, row
    rows = (height - 1) * abs(line) + row
    if surfaces > 1 and abs(surface) < rows:
        # Lines of one surface may lie between those of another.
        starts = np.sort((np.arange(surfaces)[:, None] * surface + np.arange(height) * line).ravel())
        if (np.diff(starts) < row).any():
            return 1, rows
    return None


def cube_addresses(
    values: Values, block: str, prefix: str, size: tuple[int, int, int], point: int | None = None, first: int = 0
) -> npt.NDArray[np.int64]:
    """Where the atoms of a cube lie whose address and strides a block's registers hold.

    Args:
        values: the group's registers.
        block: ``SDP_RDMA``, for instance.
        prefix: of the registers' names, such as ``D_SRC``.
        size: width, height and surfaces.
        point: bytes of each point of a surface; None: an atom.
        first: column at which the cube begins.

    Returns:
        (surfaces, height, width) addresses.

    Raises:
        UsageError: an address or a stride in mid-atom, or lines or surfaces that overlap.
    """
    point = values.configuration.atom if point is None else point
    names = f"{prefix}_LINE_STRIDE", f"{prefix}_SURFACE_STRIDE"
    unit = min(point, values.configuration.atom)
    check_alignment(values, block, f"{prefix}_BASE_ADDR_LOW", *used_strides(size, *names), unit=unit)
    check_apart(values, block, names, size, point)
    line, surface = (values.get(block, name) for name in names)
    return atom_addresses(values.address(block, prefix) + first * point, *size, line, surface, point)
