# SPDX-License-Identifier: Apache-2.0
"""Archives of numpy arrays, each compressed by Zstandard, written and read one array at a time.

A packed archive is a zip file, as ``.npz`` is: member ``NAME.npy.zst`` is one Zstandard frame that holds a ``.npy`` file. zlib, as
in ``np.savez_compressed``, takes longer to compress the traces of a run than the run takes to simulate (docs/performance.md).
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from os import PathLike
from typing import Any

import numpy as np
import numpy.typing as npt
import zstandard

from goldbeat.pymodels.arrays import read_stream
from goldbeat.pymodels.errors import InputError

SUFFIX = ".npy.zst"
LARGEST = 1 << 28
"""Bytes of an array at most, header included; writers split longer ones. A damaged size asks for no more than that."""
MOST = 1 << 32
"""Bytes of a member at most when unpacked: of an ``.npz`` that somebody else has written."""
_LEVEL = 1
"""Of Zstandard: higher levels take several times as long and gain less than a tenth on traces."""


class PackedWriter:
    """Writes a packed archive; a context manager.

    Args:
        path: the file, overwritten.
    """

    def __init__(self, path: str | PathLike[str]) -> None:
        self._zip = zipfile.ZipFile(path, "w", zipfile.ZIP_STORED)
        self._compressor = zstandard.ZstdCompressor(_LEVEL)

    def __enter__(self) -> PackedWriter:
        return self

    def __exit__(self, *_: object) -> None:
        self._zip.close()

    def add(self, name: str, values: npt.ArrayLike) -> None:
        """Append an array of at most :data:`LARGEST` bytes."""
        stream = BytesIO()
        np.lib.format.write_array(stream, np.asarray(values), allow_pickle=False)
        # Without a date of its own: equal arrays make equal files.
        self._zip.writestr(zipfile.ZipInfo(name + SUFFIX), self._compressor.compress(stream.getbuffer()))


class PackedReader:
    """Reads a packed archive, or an ``.npz``; a context manager.

    Args:
        path: the file.
        expected: what it should be, for messages.

    Raises:
        InputError: no such file, or not an archive.
    """

    def __init__(self, path: str | PathLike[str], expected: str) -> None:
        self._path, self._expected = path, expected
        with self._plain_errors():
            self._zip = zipfile.ZipFile(path)
        self._names = {name.removesuffix(SUFFIX).removesuffix(".npy"): name for name in self._zip.namelist()}

    def __enter__(self) -> PackedReader:
        return self

    def __exit__(self, *_: object) -> None:
        self._zip.close()

    def __contains__(self, name: str) -> bool:
        return name in self._names

    @property
    def names(self) -> list[str]:
        """Of the arrays."""
        return list(self._names)

    def get(self, name: str) -> npt.NDArray[Any]:
        """The array of that name.

        Raises:
            InputError: there is none, or it is damaged.
        """
        if name not in self._names:
            raise InputError(f"no array {name!r}", self._expected, file=self._path)
        with self._plain_errors():
            member = self._zip.getinfo(self._names[name])
            if member.file_size > MOST:
                raise ValueError(f"{name}: {member.file_size} bytes when unpacked, of {MOST} at most")
            if not member.filename.endswith(SUFFIX):
                with self._zip.open(member) as stream:
                    return read_stream(stream, member.file_size)
            frame = self._zip.read(member)
            size = zstandard.frame_content_size(frame)
            if not 0 <= size <= LARGEST:
                raise ValueError(f"{name}: a frame of {size} bytes")
            return read_stream(BytesIO(zstandard.ZstdDecompressor().decompress(frame)), size)

    @contextmanager
    def _plain_errors(self) -> Iterator[None]:
        """Damage makes zip, Zstandard and numpy raise whatever they raise; all of that is one error."""
        try:
            yield
        except FileNotFoundError:
            raise InputError("no such file", self._expected, file=self._path) from None
        except Exception as error:
            raise InputError(str(error) or type(error).__name__, self._expected, file=self._path) from error


def narrow(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Whole numbers in the smallest type that holds them all."""
    if not len(values):
        return values
    kinds = np.min_scalar_type(int(values.min())), np.min_scalar_type(int(values.max()))
    return values.astype(np.result_type(*kinds))
