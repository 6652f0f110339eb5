# SPDX-License-Identifier: Apache-2.0
"""Arrays from numpy files that may be damaged: ``.npy`` and ``.npz``.

numpy believes a header: it allocates what the header says before it looks how much there is, and a damaged header raises whatever
the tokenizer and the parser behind it raise. Here sizes are held against the file first, and all of that is one error.
"""

from __future__ import annotations

import zipfile
from math import prod
from os import PathLike
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from pymodels.errors import InputError


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
            return _read(stream, Path(path).stat().st_size)
    except FileNotFoundError:
        raise InputError("no such file", expected, file=path) from None
    except Exception as error:
        raise InputError(str(error) or type(error).__name__, expected, file=path) from error


def load_archive(path: str | PathLike[str], expected: str = "arrays (.npz)") -> dict[str, npt.NDArray[Any]]:
    """The arrays of a ``.npz`` file by name; arguments and errors as of :func:`load_array`."""
    found: dict[str, npt.NDArray[Any]] = {}
    try:
        with zipfile.ZipFile(path) as archive:
            for member in archive.infolist():
                with archive.open(member) as stream:
                    found[member.filename.removesuffix(".npy")] = _read(stream, member.file_size)
    except FileNotFoundError:
        raise InputError("no such file", expected, file=path) from None
    except Exception as error:
        raise InputError(str(error) or type(error).__name__, expected, file=path) from error
    return found


def _read(stream: IO[bytes], size: int) -> npt.NDArray[Any]:
    """One array out of a stream of so many bytes."""
    magic = stream.read(4)
    stream.seek(0)
    if magic == b"PK\3\4":
        raise ValueError("an archive of arrays")
    version = np.lib.format.read_magic(stream)
    header = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, _, dtype = header(stream)
    if any(n < 0 for n in shape) or prod(shape) * max(1, dtype.itemsize) > size:
        raise ValueError(f"a header for {shape} of {dtype} in {size} bytes")
    stream.seek(0)
    values: npt.NDArray[Any] = np.lib.format.read_array(stream, allow_pickle=False)
    return values
