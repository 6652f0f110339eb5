# SPDX-License-Identifier: Apache-2.0
"""Sample types of AI Engine streams, and how they lie in the bytes of a beat.

Source: UG1076 (PLIO data types); bfloat16 and the unsigned types are met in practice.
The first sample of a beat sits in its lowest bits, numbers are little-endian.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from pymodels.errors import InputError, UsageError

Kind = Literal["int", "uint", "float", "bfloat"]


@dataclass(frozen=True)
class SampleType:
    """One sample type.

    Arrays of samples have shape (n,) for real types and for ``cfloat`` (complex64), and (n, 2) with
    columns re, im for ``cint16`` and ``cint32``: numpy has no complex integers. ``bfloat16`` values are float32
    whose low 16 bits are zero.

    Attributes:
        name: the name used in PLIO descriptions and on the command line.
        kind: how one part is encoded.
        part_bits: width of one part (re or im) in bits.
        parts: 1 for real, 2 for complex.
    """

    name: str
    kind: Kind
    part_bits: int
    parts: int

    @property
    def bits(self) -> int:
        """Width of a whole sample in bits."""
        return self.part_bits * self.parts

    @property
    def bytes(self) -> int:
        """Width of a whole sample in bytes."""
        return self.bits // 8

    @property
    def part_dtype(self) -> np.dtype[Any]:
        """Little-endian dtype one part is stored with (``uint16`` for bfloat16)."""
        letter = {"int": "i", "uint": "u", "float": "f", "bfloat": "u"}[self.kind]
        return np.dtype(f"<{letter}{self.part_bits // 8}")

    @property
    def is_integer(self) -> bool:
        """True where a part is a plain integer."""
        return self.kind in ("int", "uint")

    @property
    def part_range(self) -> tuple[int, int]:
        """Smallest and largest value of an integer part."""
        if self.kind == "uint":
            return 0, (1 << self.part_bits) - 1
        return -(1 << (self.part_bits - 1)), (1 << (self.part_bits - 1)) - 1

    def per_beat(self, width: int) -> int:
        """Samples in a beat of ``width`` bits; a type wider than the port is a :class:`UsageError`."""
        if width % self.bits or width < self.bits:
            raise UsageError(f"{self.name} ({self.bits} bit) does not fit a {width}-bit port")
        return width // self.bits

    def empty(self) -> npt.NDArray[Any]:
        """An array of no samples, with the shape and dtype of this type."""
        return self.decode(np.zeros(0, np.uint8))

    def encode(self, samples: npt.ArrayLike) -> npt.NDArray[np.uint8]:
        """Samples to bytes, shape (n * bytes,).

        Raises:
            InputError: a value that the type cannot hold, or an array of the wrong shape.
        """
        array = np.asarray(samples)
        if self.parts == 2 and np.iscomplexobj(array):
            array = np.stack([array.real, array.imag], axis=-1)
        wanted = "(n,) complex or (n, 2)" if self.parts == 2 else "(n,) real"
        shape_ok = array.ndim == 2 and array.shape[1] == 2 if self.parts == 2 else array.ndim == 1
        if not shape_ok or (self.parts == 1 and np.iscomplexobj(array)):
            found = f"an array of shape {array.shape}, {array.dtype}"
            raise InputError(found, f"{self.name} samples of shape {wanted}")
        flat = array.reshape(-1)
        if flat.size == 0:
            return np.zeros(0, np.uint8)
        if flat.dtype.kind not in "biuf":
            raise InputError(f"values of type {flat.dtype}", f"numbers for {self.name}")
        if self.is_integer:
            return np.ascontiguousarray(self._integers(flat)).view(np.uint8)
        single = np.ascontiguousarray(flat, dtype="<f4")
        if self.kind == "float":
            return single.view(np.uint8)
        return float_to_bfloat16(single).view(np.uint8)

    def _integers(self, flat: npt.NDArray[Any]) -> npt.NDArray[Any]:
        low, high = self.part_range
        if flat.dtype.kind == "f":
            with np.errstate(invalid="ignore"):
                whole = np.isfinite(flat) & (np.floor(flat) == flat)
            if not whole.all():
                at = int(np.argmin(whole))
                raise InputError(f"{flat[at]} in sample {at // self.parts}", f"a whole number for {self.name}")
        # Compare in the array's own type: uint64 and int64 do not mix without loss.
        bad = (flat > high) | (flat < low)
        if bad.any():
            at = int(np.argmax(bad))
            raise InputError(f"{flat[at]} in sample {at // self.parts}", f"{self.name} from {low} to {high}")
        return flat.astype(self.part_dtype)

    def decode(self, raw: npt.NDArray[np.uint8]) -> npt.NDArray[Any]:
        """Bytes, shape (n * bytes,), to samples.

        Raises:
            InputError: the number of bytes is not a whole number of samples.
        """
        if raw.size % self.bytes:
            raise InputError(f"{raw.size} bytes", f"a multiple of {self.bytes} for {self.name}")
        parts = np.ascontiguousarray(raw).view(self.part_dtype)
        if self.kind == "bfloat":
            parts = bfloat16_to_float(parts)
        if self.parts == 1:
            return parts
        if self.kind == "float":
            return parts.view(np.complex64)
        return parts.reshape(-1, 2)


def float_to_bfloat16(values: npt.NDArray[np.float32]) -> npt.NDArray[np.uint16]:
    """Round float32 to bfloat16, half to even; NaN stays NaN."""
    bits = np.ascontiguousarray(values, dtype="<f4").view("<u4").astype(np.uint64)
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
    quiet = (bits >> 16) | 0x0040
    nan = (bits & 0x7FFFFFFF) > 0x7F800000
    return np.where(nan, quiet, rounded).astype("<u2")


def bfloat16_to_float(bits: npt.NDArray[np.uint16]) -> npt.NDArray[np.float32]:
    """bfloat16 bit patterns to float32, exactly."""
    return (bits.astype("<u4") << 16).view("<f4")


_ALL = (
    *(SampleType(f"int{b}", "int", b, 1) for b in (8, 16, 32, 64)),
    *(SampleType(f"uint{b}", "uint", b, 1) for b in (8, 16, 32, 64)),
    SampleType("cint16", "int", 16, 2),
    SampleType("cint32", "int", 32, 2),
    SampleType("float", "float", 32, 1),
    SampleType("cfloat", "float", 32, 2),
    SampleType("bfloat16", "bfloat", 16, 1),
)
SAMPLE_TYPES: dict[str, SampleType] = {t.name: t for t in _ALL}


def sample_type(name: str | SampleType) -> SampleType:
    """Look a sample type up by name; an unknown name is a :class:`UsageError` listing the known ones."""
    if isinstance(name, SampleType):
        return name
    try:
        return SAMPLE_TYPES[name]
    except KeyError:
        raise UsageError(f"unknown sample type {name!r}; known: {', '.join(SAMPLE_TYPES)}") from None
