# SPDX-License-Identifier: Apache-2.0
"""Sample types of AI Engine streams, and how they lie in the bytes of a beat.

Source: UG1076 (PLIO data types), UG1603 (types of AI Engine-ML buffers: the 4-bit ones, float16); bfloat16 and the
unsigned types are met in practice. The first sample of a beat sits in its lowest bits, numbers are little-endian.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.narrow import FLOAT8_E4M3, FLOAT8_E5M2, FLOAT16, Narrow

Kind = Literal["int", "uint", "float", "bfloat", "half", "e4m3", "e5m2"]
_NARROW: dict[Kind, Narrow] = {"half": FLOAT16, "e4m3": FLOAT8_E4M3, "e5m2": FLOAT8_E5M2}


@dataclass(frozen=True)
class SampleType:
    """One sample type.

    Arrays of samples have shape (n,) for real types and for complex floats (complex64), and (n, 2) with columns re, im
    for complex integers: numpy has none. Floats narrower than 32 bits are float32 that the type can hold. 4-bit
    integers are int8 or uint8, one per sample; in the bytes of a beat the first of two is the low half.

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
        """Bytes of a whole sample; of two where they share a byte. Valid bytes are always a multiple of it."""
        return max(1, self.bits // 8)

    @property
    def part_dtype(self) -> np.dtype[Any]:
        """Little-endian dtype one part has in an array: ``uint16`` or ``uint8`` patterns for floats narrower than 32 bits.

        4-bit parts take a byte each, and half a byte in a beat: see :meth:`pack` and :meth:`unpack`.
        """
        letter = {"int": "i", "uint": "u", "float": "f"}.get(self.kind, "u")
        return np.dtype(f"<{letter}{max(1, self.part_bits // 8)}")

    @property
    def group(self) -> int:
        """Samples in :attr:`bytes` bytes: 1, or 2 where two share a byte."""
        return self.bytes * 8 // self.bits

    def samples_in(self, size: int) -> int:
        """Whole samples in ``size`` bytes."""
        return size * 8 // self.bits

    def pack(self, parts: npt.NDArray[Any]) -> npt.NDArray[np.uint8]:
        """(m,) parts in :attr:`part_dtype` to the bytes of beats; 4-bit parts must be an even number."""
        raw = np.ascontiguousarray(parts).view(np.uint8)
        return raw if self.part_bits >= 8 else ((raw[0::2] & 0xF) | (raw[1::2] << 4)).astype(np.uint8)

    def unpack(self, raw: npt.NDArray[np.uint8]) -> npt.NDArray[Any]:
        """The bytes of beats to (m,) parts in :attr:`part_dtype`."""
        raw = np.ascontiguousarray(raw).reshape(-1)
        if self.part_bits >= 8:
            return raw.view(self.part_dtype)
        # The upper half is where the sign is; shifting right brings it down.
        upper = np.stack([raw << 4, raw & 0xF0], axis=-1).reshape(-1).view(self.part_dtype)
        return upper >> 4

    def to_float(self, parts: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
        """(m,) parts of a float type to float32."""
        if self.kind == "bfloat":
            return bfloat16_to_float(parts)
        return parts if self.kind == "float" else _NARROW[self.kind].widen(parts)

    def from_float(self, values: npt.NDArray[np.float32]) -> npt.NDArray[Any]:
        """(m,) float32 to parts of a float type, half to even; what is too large becomes infinite (E4M3: NaN)."""
        if self.kind == "bfloat":
            return float_to_bfloat16(values)
        return values if self.kind == "float" else _NARROW[self.kind].narrow(values)

    def overflows(self, values: npt.NDArray[np.float32], parts: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
        """(m,) where :meth:`from_float` met a number that the type cannot hold."""
        if self.kind in _NARROW:
            return _NARROW[self.kind].overflows(values, parts)
        infinite = np.isinf(self.to_float(parts)) if self.kind == "bfloat" else np.isinf(parts)
        return infinite & np.isfinite(values)

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

    @property
    def largest(self) -> float:
        """The largest number of an integer part, or the largest finite one of a float type."""
        if self.is_integer:
            return float(self.part_range[1])
        if self.kind in _NARROW:
            return _NARROW[self.kind].largest
        return float(np.finfo(np.float32).max) if self.kind == "float" else float.fromhex("0x1.fep127")

    def per_beat(self, width: int) -> int:
        """Samples in a beat of ``width`` bits; a type wider than the port is a :class:`UsageError`."""
        if width % self.bits or width < self.bits:
            raise UsageError(f"{self.name} ({self.bits} bit) does not fit a {width}-bit port")
        return width // self.bits

    def empty(self) -> npt.NDArray[Any]:
        """An array of no samples, with the shape and dtype of this type."""
        return self.decode(np.zeros(0, np.uint8))

    def encode(self, samples: npt.ArrayLike, *, shared: bool = False) -> npt.NDArray[np.uint8]:
        """Samples to bytes, shape (n * bytes,).

        Args:
            samples: as the class describes them.
            shared: the bytes may be those of ``samples`` itself, where nothing has to be done to them.

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
        if not self.is_integer:
            return self.pack(self._floats(flat))
        parts = self._integers(flat, shared=shared)
        if self.part_bits < 8 and len(parts) % 2:
            raise InputError(f"{len(parts)} samples of {self.name}", "an even number, as two share a byte")
        return self.pack(parts)

    def _floats(self, flat: npt.NDArray[Any]) -> npt.NDArray[Any]:
        with np.errstate(over="ignore"):
            single = np.ascontiguousarray(flat, dtype="<f4")
        parts = self.from_float(single)
        bad = self.overflows(single, parts) | (np.isinf(single) & np.isfinite(flat))
        if bad.any():
            at = int(np.argmax(bad))
            raise InputError(f"{flat[at]} in sample {at // self.parts}", f"a number that {self.name} can hold")
        return parts

    def _integers(self, flat: npt.NDArray[Any], *, shared: bool) -> npt.NDArray[Any]:
        low, high = self.part_range
        if flat.dtype.kind == "f":
            with np.errstate(invalid="ignore"):
                whole = np.isfinite(flat) & (np.floor(flat) == flat)
            if not whole.all():
                at = int(np.argmin(whole))
                raise InputError(f"{flat[at]} in sample {at // self.parts}", f"a whole number for {self.name}")
        if flat.dtype == self.part_dtype and self.part_bits == 8 * flat.dtype.itemsize:
            return flat if shared else flat.copy()
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
        parts = self.unpack(raw)
        if not self.is_integer:
            parts = self.to_float(parts)
            return parts if self.parts == 1 else parts.view(np.complex64)
        return parts if self.parts == 1 else parts.reshape(-1, 2)


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
    *(SampleType(f"int{b}", "int", b, 1) for b in (4, 8, 16, 32, 64)),
    *(SampleType(f"uint{b}", "uint", b, 1) for b in (4, 8, 16, 32, 64)),
    *(SampleType(f"cint{b}", "int", b, 2) for b in (8, 16, 32)),
    SampleType("float", "float", 32, 1),
    SampleType("cfloat", "float", 32, 2),
    SampleType("bfloat16", "bfloat", 16, 1),
    SampleType("cbfloat16", "bfloat", 16, 2),
    SampleType("float16", "half", 16, 1),
    SampleType("float8_e4m3", "e4m3", 8, 1),
    SampleType("float8_e5m2", "e5m2", 8, 1),
)
SAMPLE_TYPES: dict[str, SampleType] = {t.name: t for t in _ALL}

ALIASES = {
    **{f"{t.name}_t": t.name for t in _ALL if t.is_integer},
    "float32": "float",
    "cfloat32": "cfloat",
    "complex64": "cfloat",
    "bf16": "bfloat16",
    "fp16": "float16",
    "half": "float16",
    "fp32": "float",
    "float8_e4m3fn": "float8_e4m3",
}
"""Other names of the types, as C++, numpy and machine learning frameworks have them."""

_BLOCK = "block floating point has no public PLIO format; use raw bytes as uint8"
_EIGHT = "ambiguous; use float8_e4m3 or float8_e5m2"
_REFUSED = (
    *((name, _EIGHT) for name in ("float8", "bfloat8", "fp8", "bf8")),
    *((name, _BLOCK) for name in ("bfp16", "bfp16ebs8", "bfp16ebs16", "mx4", "mx6", "mx9")),
    ("double", "64-bit floats are not supported on streams"),
    ("float64", "64-bit floats are not supported on streams"),
)


def sample_type(name: str | SampleType) -> SampleType:
    """Look a sample type up by its name or an alias.

    Raises:
        UsageError: an unknown name (the message lists the known ones), or a format that cannot be read (and why).
    """
    if isinstance(name, SampleType):
        return name
    found = SAMPLE_TYPES.get(ALIASES.get(name, name))
    if found is not None:
        return found
    why = dict(_REFUSED).get(name)
    if why is not None:
        raise UsageError(f"sample type {name!r}: {why}")
    raise UsageError(f"unknown sample type {name!r}; known: {', '.join(SAMPLE_TYPES)}")
