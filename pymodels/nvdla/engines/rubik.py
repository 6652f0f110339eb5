# SPDX-License-Identifier: Apache-2.0
"""RUBIK: feature cubes to planes and back, and the interleaving behind a deconvolution (contract).

Source: public C model of nvdla/hw, branch nvdlav1 (``cmod/rubik``).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.nvdla.engines.address_space import AddressSpace, atom_addresses
from goldbeat.pymodels.nvdla.engines.arithmetic import Ints
from goldbeat.pymodels.nvdla.engines.configuration import BYTES
from goldbeat.pymodels.nvdla.engines.registers import Values

MODES = ("contract", "split", "merge")
"""By code."""
Bytes = npt.NDArray[np.uint8]


class _Rubik:
    def __init__(self, values: Values, memory: AddressSpace) -> None:
        self._values, self._memory = values, memory
        self._atom = values.configuration.atom
        precision = self._of("D_MISC_CFG", "IN_PRECISION")
        if precision not in values.configuration.precisions:
            raise UsageError(
                f"RBK.D_MISC_CFG.IN_PRECISION is {precision}: {values.configuration.name} does not know it"
            )
        self._element = BYTES[precision]
        self._lanes = self._atom // self._element
        self._width, self._height = (self._of("D_DATAIN_SIZE_0", f"DATAIN_{side}") + 1 for side in ("WIDTH", "HEIGHT"))
        self._channels = self._of("D_DATAIN_SIZE_1", "DATAIN_CHANNEL") + 1
        self._out_channels = self._of("D_DATAOUT_SIZE_1", "DATAOUT_CHANNEL") + 1

    def _of(self, name: str, field: str | None = None) -> int:
        return self._values.get("RBK", name, field)

    def _places(self, end: str, shape: tuple[int, int, int], line: int, surface: int, size: int) -> Ints:
        """Addresses (surfaces, height, width) on the side ``DAIN`` or ``DAOUT``."""
        base = self._of(f"D_{end}_ADDR_HIGH") << 32 | self._of(f"D_{end}_ADDR_LOW")
        return atom_addresses(base, shape[2], shape[1], shape[0], line, surface, size)

    def _plane_lines(self, end: str, planes: int) -> Ints:
        """Addresses (planes, height, atoms) of lines of whole atoms."""
        atoms = -(-self._width * self._element // self._atom)
        line, plane = self._of(f"D_{end}_LINE_STRIDE"), self._of(f"D_{end}_PLANAR_STRIDE")
        return self._places(end, (planes, self._height, atoms), line, plane, self._atom)

    def split(self) -> None:
        """A cube to planes; lines are filled up with zeros to whole atoms."""
        surfaces = -(-self._out_channels // self._lanes)
        shape = (surfaces, self._height, self._width)
        strides = self._of("D_DAIN_LINE_STRIDE"), self._of("D_DAIN_SURF_STRIDE")
        atoms = self._memory.read(self._places("DAIN", shape, *strides, self._atom), self._atom)
        cube = atoms.reshape(*shape, self._lanes, self._element).transpose(0, 3, 1, 2, 4)
        planes = cube.reshape(surfaces * self._lanes, self._height, -1)[: self._out_channels]
        places = self._plane_lines("DAOUT", self._out_channels)
        full = np.zeros((*places.shape[:2], places.shape[2] * self._atom), np.uint8)
        full[..., : planes.shape[2]] = planes
        self._memory.write(places, full.reshape(*places.shape, self._atom))

    def merge(self) -> None:
        """Planes to a cube; lanes without a channel are 0."""
        places = self._plane_lines("DAIN", self._channels)
        lines = self._memory.read(places, self._atom).reshape(*places.shape[:2], -1)
        planes = lines[..., : self._width * self._element]
        surfaces = -(-self._channels // self._lanes)
        full = np.zeros((surfaces * self._lanes, self._height, self._width * self._element), np.uint8)
        full[: self._channels] = planes
        shape = (surfaces, self._height, self._width)
        cube = full.reshape(surfaces, self._lanes, self._height, self._width, self._element).transpose(0, 2, 3, 1, 4)
        self._write(shape, np.ascontiguousarray(cube).reshape(*shape, self._atom))

    def contract(self) -> None:
        """Cubes one behind the other, one for each place in a block of points, to one cube of such blocks."""
        across, down = (self._of("D_DECONV_STRIDE", f"DECONV_{axis}_STRIDE") + 1 for axis in "XY")
        surfaces = -(-self._out_channels // self._lanes)
        shape = (across * down * surfaces, self._height, self._width)
        strides = self._of("D_DAIN_LINE_STRIDE"), self._of("D_DAIN_SURF_STRIDE")
        atoms = self._memory.read(self._places("DAIN", shape, *strides, self._atom), self._atom)
        parts = atoms.reshape(down, across, surfaces, self._height, self._width, self._atom)
        cube = parts.transpose(2, 3, 0, 4, 1, 5).reshape(surfaces, self._height, down, self._width * across, self._atom)
        # A block's lines lie a line apart, the blocks below as far as a register of their own says.
        line, surface = self._of("D_DAOUT_LINE_STRIDE"), self._of("D_DAOUT_SURF_STRIDE")
        blocks = self._of("D_CONTRACT_STRIDE_1")
        for row in range(down):
            places = self._places("DAOUT", (surfaces, self._height, self._width * across), blocks, surface, self._atom)
            self._memory.write(places + row * line, cube[:, :, row])

    def _write(self, shape: tuple[int, int, int], atoms: Bytes) -> None:
        strides = self._of("D_DAOUT_LINE_STRIDE"), self._of("D_DAOUT_SURF_STRIDE")
        self._memory.write(self._places("DAOUT", shape, *strides, self._atom), atoms)


def run_rubik(values: Values, memory: AddressSpace, incoming: Ints | None = None) -> Ints:
    """Carry out the operation.

    Args:
        values: the group's registers of RBK.
        memory: written to.
        incoming: None.

    Returns:
        an empty array: nothing goes on to another engine.

    Raises:
        UsageError: a mode or precision that there is not.
        InputError: a cube lies outside of the memory.
    """
    mode = values.get("RBK", "D_MISC_CFG", "RUBIK_MODE")
    if mode >= len(MODES):
        raise UsageError(f"RBK.D_MISC_CFG.RUBIK_MODE is {mode}, expected 0, 1 or 2")
    work = _Rubik(values, memory)
    {"contract": work.contract, "split": work.split, "merge": work.merge}[MODES[mode]]()
    return np.zeros((0, 0, 0, 0), np.int64)
