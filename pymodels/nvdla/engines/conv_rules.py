# SPDX-License-Identifier: Apache-2.0
"""Sizes of a convolution that do not fit together or into the convolution buffer.

They are the rules of docs/nvdla-convolution.md, "Not allowed", by the buffer of each configuration. Source: constraints
``c_ias_entries``, ``c_ias_bank_size`` and ``c_ias_reuse_mode`` of the trace generator of nvdla/hw, branch nv_small.
"""

from __future__ import annotations

from math import ceil

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.nvdla.engines.configuration import BYTES, INT8
from goldbeat.pymodels.nvdla.engines.registers import Values

_STRIPES = 4
"""Atoms per kernel of a group from which an output needs more than one stripe."""


class _Sizes:
    """Registers of a convolution, by the names of docs/nvdla-convolution.md."""

    def __init__(self, values: Values) -> None:
        self._values = values
        self.pixels = bool(self.csc("D_DATAIN_FORMAT", "DATAIN_FORMAT"))
        precision = self.csc("D_MISC_CFG", "PROC_PRECISION") if len(values.configuration.precisions) > 1 else INT8
        self.element = BYTES[precision]
        self.banks = self.csc("D_BANK", "DATA_BANK") + 1, self.csc("D_BANK", "WEIGHT_BANK") + 1
        self.width, self.height, self.channels = (
            values.get("CDMA", f"D_DATAIN_SIZE_{number}", f"DATAIN_{name}") + 1
            for number, name in ((0, "WIDTH"), (0, "HEIGHT"), (1, "CHANNEL"))
        )
        self.slices = self.csc("D_DATAIN_SIZE_EXT_0", "DATAIN_HEIGHT_EXT") + 1
        self.entries = self.csc("D_ENTRY_PER_SLICE", "ENTRIES") + 1
        self.kernels = self.csc("D_WEIGHT_SIZE_EXT_1", "WEIGHT_KERNEL") + 1
        rows, columns = (self.csc("D_WEIGHT_SIZE_EXT_0", f"WEIGHT_{side}_EXT") + 1 for side in ("HEIGHT", "WIDTH"))
        depth = self.csc("D_WEIGHT_SIZE_EXT_1", "WEIGHT_CHANNEL_EXT") + 1
        self.kernel_bytes = rows * columns * depth * self.element
        wide, high = (self.csc("D_DATAOUT_SIZE_0", f"DATAOUT_{side}") + 1 for side in ("WIDTH", "HEIGHT"))
        group = values.configuration.kernels[precision]
        self.group = min(self.kernels, group)
        self.stripes = wide * high >= _STRIPES * group
        self.skip = self.csc("D_MISC_CFG", "SKIP_DATA_RLS"), self.csc("D_MISC_CFG", "SKIP_WEIGHT_RLS")

    def csc(self, register: str, field: str) -> int:
        """A field of CSC."""
        return self._values.get("CSC", register, field)

    def slice_entries(self, entry: int, atom: int) -> int:
        """Entries that a slice takes.

        Args:
            entry: bytes of one.
            atom: bytes of an atom; several may share an entry.
        """
        if self.pixels:
            left, right = (self._values.get("CDMA", "D_ZERO_PADDING", f"PAD_{side}") for side in ("LEFT", "RIGHT"))
            return ceil((left + self.width + right) * self.channels * self.element / entry)
        whole, rest = divmod(-(-self.channels * self.element // atom), entry // atom)
        share = entry // atom // rest if rest else 1
        return whole * self.width + (-(-self.width // share) if rest else 0)


def check_buffer(values: Values) -> None:
    """Refuse sizes of CSC that CDMA contradicts, and data or weights that the convolution buffer cannot hold.

    Args:
        values: the group's registers; fields that CSC shares with the other blocks agree.

    Raises:
        UsageError: the register, the field, its value and what it must be.
    """
    sizes = _Sizes(values)
    _check_agreement(values, sizes)
    weights = values.get("CSC", "D_WEIGHT_BYTES")
    needed = sizes.kernels * sizes.kernel_bytes
    if weights < needed:
        what = f"{sizes.kernels} kernels of {sizes.kernel_bytes} bytes"
        raise UsageError(f"CSC.D_WEIGHT_BYTES.WEIGHT_BYTES is {weights}, expected at least {needed}: {what}")
    released = values.get("CSC", "D_RELEASE", "RLS_SLICES")
    if released >= sizes.slices and not sizes.skip[0]:
        raise UsageError(
            f"CSC.D_RELEASE.RLS_SLICES is {released}, expected at most {sizes.slices - 1}: the input has "
            f"{sizes.slices} slices"
        )
    if sum(sizes.banks) > (there := values.configuration.banks):
        data, weight = sizes.banks
        raise UsageError(
            f"CSC.D_BANK has DATA_BANK {data - 1} and WEIGHT_BANK {weight - 1}, {data} and {weight} banks: "
            f"{values.configuration.name} has {there} together"
        )
    if values.configuration.bank is not None:
        _check_rings(values, sizes, *values.configuration.bank)


def _check_agreement(values: Values, sizes: _Sizes) -> None:
    """Width, height and channels of CSC are those of CDMA; only height may grow, by slices that were kept."""
    pairs = [
        ("D_DATAIN_SIZE_EXT_0", "DATAIN_WIDTH_EXT", "DATAIN_WIDTH", sizes.width),
        ("D_DATAIN_SIZE_EXT_1", "DATAIN_CHANNEL_EXT", "DATAIN_CHANNEL", sizes.channels),
    ]
    if not sizes.pixels:
        pairs.append(("D_WEIGHT_SIZE_EXT_1", "WEIGHT_CHANNEL_EXT", "DATAIN_CHANNEL", sizes.channels))
    if not values.get("CDMA", "D_MISC_CFG", "DATA_REUSE"):
        pairs.append(("D_DATAIN_SIZE_EXT_0", "DATAIN_HEIGHT_EXT", "DATAIN_HEIGHT", sizes.height))
    for register, mine, name, wanted in pairs:
        if (found := values.get("CSC", register, mine)) != wanted - 1:
            number = int(name == "DATAIN_CHANNEL")
            raise UsageError(f"CSC.{register}.{mine} is {found}: CDMA.D_DATAIN_SIZE_{number}.{name} is {wanted - 1}")


def _check_rings(values: Values, sizes: _Sizes, depth: int, entry: int) -> None:
    """Refuse slices or weights that do not fit into their banks of ``depth`` entries of ``entry`` bytes."""
    least = sizes.slice_entries(entry, values.configuration.atom)
    if sizes.entries < least:
        raise UsageError(
            f"CSC.D_ENTRY_PER_SLICE.ENTRIES is {sizes.entries - 1}, expected at least {least - 1}: a slice has "
            f"{least} entries of {entry} bytes"
        )
    if sizes.slices * sizes.entries > (room := sizes.banks[0] * depth):
        raise UsageError(
            f"CSC.D_BANK.DATA_BANK is {sizes.banks[0] - 1}, room for {room} entries: {sizes.slices} slices of "
            f"{sizes.entries} entries (D_ENTRY_PER_SLICE) need {sizes.slices * sizes.entries}"
        )
    kernels = sizes.kernels if sizes.skip[1] else sizes.group
    used = -(-kernels * sizes.kernel_bytes // entry)
    if used > (room := sizes.banks[1] * depth) and (sizes.skip[1] or sizes.stripes):
        why = "SKIP_WEIGHT_RLS keeps" if sizes.skip[1] else "several stripes need"
        raise UsageError(
            f"CSC.D_BANK.WEIGHT_BANK is {sizes.banks[1] - 1}, room for {room} entries: {why} {kernels} kernels at once, "
            f"{used} entries"
        )
