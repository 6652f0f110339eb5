# SPDX-License-Identifier: Apache-2.0
"""Arrays that a user gives, as arrays of a design: converted where every value stays what it is, else refused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.arrays import load_array
from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.objfifo.plan.object_type import ObjectType

Values = npt.NDArray[Any]
_BFLOAT_BITS = 16


@dataclass(frozen=True, eq=False)
class ArrayFile:
    """An array of a ``.npy`` file, whose type is that of the file until it is known what the design takes.

    Attributes:
        path: the file.
        values: as they were read.
    """

    path: Path
    values: Values

    def as_type(self, name: str, kind: ObjectType, *, elements: int | None) -> Values:
        """Its elements as those of a design's array; see :func:`exact_values`."""
        return exact_values(self.values, name, kind, elements=elements, file=self.path)


def array_file(path: Path) -> ArrayFile:
    """Read a ``.npy`` file.

    Raises:
        InputError: no such file, not an array, or one of Python objects.
    """
    return ArrayFile(path, load_array(path))


def exact_values(
    values: Values, name: str, kind: ObjectType, *, elements: int | None, file: Path | None = None
) -> Values:
    """Values in the type of a design's array, in one row, in the order of the last index first.

    Args:
        values: of any shape, byte order and memory layout.
        name: of the array, for messages.
        kind: what the design takes.
        elements: how many it takes; None for any number.
        file: where they are from.

    Raises:
        InputError: another number of elements, a type that does not stand for numbers, or a value that does not fit.
    """
    flat = np.ascontiguousarray(values).reshape(-1)
    flat = flat.astype(flat.dtype.newbyteorder("="), copy=False)
    found, wanted = f"{values.dtype}", f"{kind.element} for {name}"
    if flat.dtype.names is not None or flat.dtype.kind not in "biufcV":
        raise InputError(f"{found}, which are no plain numbers", wanted, file=file)
    if flat.dtype.kind == "b" and kind.dtype.kind != "b":
        raise InputError(f"{found}, which are no numbers", f"{wanted}: convert them, such as with astype", file=file)
    if kind.untyped:
        flat = _as_words(flat, kind, elements)
    if elements is not None and flat.size != elements:
        shape = "x".join(map(str, values.shape)) or "1"
        raise InputError(f"{values.size} elements ({shape} {found})", f"{elements} of {wanted}", file=file)
    made, fits = _bfloats(flat) if kind.bfloat else _numbers(flat, kind.dtype)
    if made is None:
        raise InputError(found, wanted + _advice(flat.dtype, kind), file=file)
    bad = np.flatnonzero(~fits)
    if len(bad):
        _refuse(values, int(bad[0]), found, wanted + _advice(flat.dtype, kind), file)
    return made.view(kind.dtype)


def initial_values(name: str, kind: ObjectType, value: npt.ArrayLike) -> Values:
    """First contents of a buffer or object in its type: whole numbers keep their values, others are rounded.

    Raises:
        InputError: a value that a whole type does not hold.
    """
    found = np.asarray(value)
    if kind.dtype.kind not in "iu" or kind.bfloat:
        return np.asarray(value, kind.dtype)
    return exact_values(found, name, kind, elements=None).reshape(found.shape)


def _refuse(values: Values, at: int, found: str, wanted: str, file: Path | None) -> NoReturn:
    """Name the first value that does not fit by its place in the array as it was given."""
    place = np.unravel_index(at, values.shape) if values.ndim else ()
    where = f"[{', '.join(str(int(n)) for n in place)}]"
    raise InputError(f"{found} with {values[tuple(place)]} at {where}, which does not fit", wanted, file=file)


def _advice(dtype: np.dtype[Any], kind: ObjectType) -> str:
    if kind.bfloat:
        return ": save its bits as uint16, or numbers that it holds exactly as float32"
    if dtype.kind in "iu" and kind.dtype.kind in "iu" and dtype.itemsize == kind.dtype.itemsize:
        return f": array.view('{kind.dtype}') keeps the bits"
    return ""


def _as_words(flat: Values, kind: ObjectType, elements: int | None) -> Values:
    """Arrays of compiled files are words, whatever their elements were: as many bytes are taken as they are."""
    if elements is not None and flat.nbytes == elements * kind.dtype.itemsize:
        return flat.view(kind.dtype)
    return flat


def _numbers(flat: Values, dtype: np.dtype[Any]) -> tuple[Values | None, npt.NDArray[np.bool_]]:
    """Values in another type, and which of them are the same there."""
    same = np.ones(flat.size, np.bool_)
    if flat.dtype == dtype or (flat.dtype.kind == dtype.kind == "V" and flat.dtype.itemsize == dtype.itemsize):
        return flat.view(dtype), same
    if "V" in (flat.dtype.kind, dtype.kind) or (flat.dtype.kind == "c") > (dtype.kind == "c"):
        return None, same
    with np.errstate(all="ignore"):
        made = flat.astype(dtype)
        if flat.dtype.kind in "iu" and dtype.kind in "iub":
            same = (made.astype(flat.dtype) == flat) & ((made < 0) == (flat < 0))
        elif flat.dtype.kind == "f" and dtype.kind in "iub":
            low, high = (0, 1) if dtype.kind == "b" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
            same = (flat >= float(low)) & (flat < float(high) + 1) & (np.trunc(flat) == flat)
        elif flat.dtype.kind in "iu":
            low, high = np.iinfo(flat.dtype).min, np.iinfo(flat.dtype).max
            real = made.real
            # A limit may be infinite in a narrow type; so may a value.
            same = np.isfinite(real) & (real >= float(low)) & (real < float(high) + 1)
            same &= np.where(same, real, 0).astype(flat.dtype) == flat
        else:
            same = (made.astype(flat.dtype) == flat) | (np.isnan(flat) & np.isnan(made))
    return made, same


def _bfloats(flat: Values) -> tuple[Values | None, npt.NDArray[np.bool_]]:
    """Bits of bfloat16: as they are in 16-bit files of no other meaning, else of numbers."""
    same = np.ones(flat.size, np.bool_)
    if flat.dtype.kind in "uV" and flat.dtype.itemsize * 8 == _BFLOAT_BITS:
        return flat.view(np.uint16), same
    if flat.dtype.kind in "Vc" or flat.dtype == np.int16:
        return None, same
    single, same = _numbers(flat, np.dtype(np.float32))
    assert single is not None
    words = single.view(np.uint32)
    return (words >> 16).astype(np.uint16), same & (words & 0xFFFF == 0)


# -- comparing ------------------------------------------------------------------------------------------------------------


def expected_array(hosts: Mapping[str, Values], name: str) -> Values:
    """The array that is compared.

    Raises:
        UsageError: no such array.
    """
    if name not in hosts:
        raise UsageError(f"--expect {name}: no such array; there are: {', '.join(hosts) or 'none'}")
    return hosts[name]


def unequal(got: Values, wanted: Values, *, bfloat: bool = False) -> npt.NDArray[np.intp]:
    """Places of the elements whose bits differ; NaN is equal to NaN.

    Args:
        got: elements.
        wanted: as many, of the same type.
        bfloat: 16-bit elements are those of bfloat16.
    """
    differs = (_bytes_of(got) != _bytes_of(wanted)).any(axis=1)
    if bfloat:
        differs &= ~(_bfloat_nan(got) & _bfloat_nan(wanted))
    elif got.dtype.kind in "fc":
        differs &= ~(np.isnan(got) & np.isnan(wanted)).reshape(-1)
    return np.flatnonzero(differs)


def _bytes_of(values: Values) -> npt.NDArray[np.uint8]:
    """A row of bytes for each element."""
    return np.frombuffer(values.tobytes(), np.uint8).reshape(values.size, values.dtype.itemsize)


def _bfloat_nan(values: Values) -> npt.NDArray[np.bool_]:
    return (np.frombuffer(values.tobytes(), np.uint16) & 0x7FFF) > 0x7F80


def difference(name: str, got: Values, wanted: Values, *, bfloat: bool = False) -> str | None:
    """What differs between two arrays of as many elements: how many, and the first one; None where nothing does."""
    got, wanted = got.reshape(-1), wanted.reshape(-1)
    bad = unequal(got, wanted, bfloat=bfloat)
    if not len(bad):
        return None
    first = int(bad[0])
    return f"{name}: {len(bad)} of {got.size} elements differ; [{first}] is {got[first]}, expected {wanted[first]}"
