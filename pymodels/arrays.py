# SPDX-License-Identifier: Apache-2.0
"""Arrays from numpy files that may be damaged: ``.npy``, alone or within archives (:mod:`goldbeat.pymodels.packed`).

numpy believes a header: it allocates what the header says before it looks how much there is, and a damaged header raises whatever
the tokenizer and the parser behind it raise. Here sizes are held against the file first, and all of that is one error.
"""

from __future__ import annotations

from math import prod
from os import PathLike
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import InputError


def load_array(path: str | PathLike[str], expected: str = "an array (.npy)") -> npt.NDArray[Any]:
    """The array of a ``.npy`` file.

    Args:
        path: the file.
        expected: what it should be, for messages.

    Raises:
        InputError: no such file, or not an array: damaged, cut off, an archive, or of Python objects.
    """
    try:
        with open(path, "rb") as stream:
            return read_stream(stream, Path(path).stat().st_size)
    except FileNotFoundError:
        raise InputError("no such file", expected, file=path) from None
    except _DamageError as error:
        raise InputError(str(error), expected, file=path) from error
    except OSError as error:
        raise InputError(error.strerror or "a file that cannot be read", expected, file=path) from error
    except Exception as error:
        raise InputError("a damaged header, or data that do not fit it", expected, file=path) from error


def load_numbers(path: str | PathLike[str], wanted: str, expected: str) -> npt.NDArray[Any]:
    """The array of a ``.npy`` file that is to hold ``wanted`` numbers: flags are none.

    Raises:
        InputError: as :func:`load_array`, or an array of bool.
    """
    found = load_array(path, expected)
    if found.dtype.kind == "b":
        raise InputError("values of type bool", f"numbers for {wanted}: convert them, such as with astype", file=path)
    return found


class _DamageError(ValueError):
    """What is wrong with a file, in our words: numpy's name its own functions."""


def read_stream(stream: IO[bytes], size: int) -> npt.NDArray[Any]:
    """One array out of the ``.npy`` stream of ``size`` bytes; damage raises ValueError, or whatever numpy raises."""
    magic = stream.read(4)
    stream.seek(0)
    if magic == b"PK\3\4":
        raise _DamageError("an archive of arrays")
    if magic[:1] != b"\x93":
        raise _DamageError(f"{'a file that begins with' if magic else 'an empty file'} {magic.hex(' ')}".rstrip())
    version = np.lib.format.read_magic(stream)
    header = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, _, dtype = header(stream)
    if dtype.hasobject:
        raise _DamageError("Python objects, which are never loaded")
    if any(n < 0 for n in shape) or prod(shape) * max(1, dtype.itemsize) > size:
        raise _DamageError(f"a header for {shape} of {dtype} in {size} bytes")
    stream.seek(0)
    values: npt.NDArray[Any] = np.lib.format.read_array(stream, allow_pickle=False)
    return values
