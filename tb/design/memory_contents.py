# SPDX-License-Identifier: Apache-2.0
"""``[[contents]]``: what the memory behind a master holds at first, from a file."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Self

import numpy as np
import numpy.typing as npt
from pydantic import Field

from goldbeat.pymodels.arrays import load_array
from goldbeat.pymodels.axi.memory import MemoryImage, Region
from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.tb.design.ports.bundle import Bundle, Frozen

_HEX = (".hex", ".mem", ".vmem")
_MOST_HEX_BYTES = 1 << 28


class MemoryContentTable(Frozen):
    """``[[contents]]``: bytes of the memory behind a master.

    Attributes:
        port: name of the master port; one bundle of an array by its own name.
        file: ``.bin`` (bytes), ``.npy`` (the array's bytes, little endian), or words as ``$readmemh`` reads them (``.hex``,
            ``.mem``, ``.vmem``).
        base: address of the first byte.
        word_bits: width of a word of a hex file.
    """

    port: str
    file: str
    base: int = Field(default=0, ge=0)
    word_bits: int = Field(default=32, ge=8, multiple_of=8)

    def placed(self, folder: Path) -> Self:
        """The same with the file's whole path."""
        return self.model_copy(update={"file": str(folder / self.file)})

    def read(self) -> npt.NDArray[np.uint8]:
        """The bytes.

        Raises:
            InputError: no such file, or not of its kind; of a hex file with the line.
        """
        path = Path(self.file)
        try:
            if path.suffix == ".bin":
                return np.frombuffer(path.read_bytes(), np.uint8)
            if path.suffix == ".npy":
                array = load_array(path, "an array of numbers (.npy)")
                if array.dtype.kind not in "iufc":
                    raise InputError(f"{array.dtype}", "an array of numbers (.npy)", file=path)
                little = np.ascontiguousarray(array.astype(array.dtype.newbyteorder("<")))
                return np.frombuffer(little.tobytes(), np.uint8)
            if path.suffix in _HEX:
                return hex_bytes(path, self.word_bits // 8)
        except FileNotFoundError:
            raise InputError("no such file", "the contents of a memory", file=path) from None
        except ValueError as error:
            raise InputError(str(error), "an array of numbers (.npy)", file=path) from None
        raise InputError(f"{path.suffix or 'no ending'}", ".bin, .npy, .hex, .mem or .vmem", file=path)


def hex_bytes(path: Path, size: int) -> npt.NDArray[np.uint8]:
    """A file for ``$readmemh`` with words of ``size`` bytes; addresses count words, and what is left out is 0.

    Raises:
        InputError: something that is no word or address, or a word that is too large: with the line.
    """
    # Comments of several lines keep their lines.
    text = re.sub(r"/\*.*?\*/", lambda found: "\n" * found[0].count("\n"), path.read_text(encoding="utf-8"), flags=re.S)
    words: dict[int, int] = {}
    at = 0
    for number, line in enumerate(text.splitlines(), 1):
        for token in line.partition("//")[0].split():
            digits = token.removeprefix("@").replace("_", "")
            if not re.fullmatch(r"[0-9A-Fa-f]+", digits):
                raise InputError(repr(token), "hexadecimal words, or @ADDRESS", file=path, line=number)
            value = int(digits, 16)
            if token.startswith("@"):
                at = value
                continue
            if value >> 8 * size or (at + 1) * size > _MOST_HEX_BYTES:
                raise InputError(f"{token} at word 0x{at:x}", f"a word of {8 * size} bits", file=path, line=number)
            words[at] = value
            at += 1
    data = np.zeros(size * (max(words, default=-1) + 1), np.uint8)
    for place, value in words.items():
        data[place * size : (place + 1) * size] = np.frombuffer(value.to_bytes(size, "little"), np.uint8)
    return data


def filled(image: MemoryImage, port: Bundle, tables: Iterable[MemoryContentTable]) -> MemoryImage:
    """The memory of a master with the bytes of its files.

    Args:
        image: what it holds without; changed in place where files reach into its regions.
        port: the master, widths as numbers.
        tables: files, of all masters.

    Raises:
        UsageError: a file begins or ends within a region, or beyond the port's addresses.
    """
    regions = list(image.regions)
    for number, table in enumerate(table for table in tables if table.port == port.name):
        data = table.read()
        end = table.base + len(data)
        if end > 1 << port.address_bits:
            raise UsageError(
                f"contents of {port.name}: {table.file} ends at 0x{end:x}, beyond {port.address_bits} address bits"
            )
        around = [region for region in regions if region.base < end and table.base < region.end]
        if not around:
            regions.append(Region(f"file_{number}", table.base, data.copy()))
        elif around[0].base <= table.base and end <= around[0].end:
            around[0].data[table.base - around[0].base : end - around[0].base] = data
        else:
            name = around[0].name
            raise UsageError(f"contents of {port.name}: {table.file} begins or ends outside of region {name}")
    return replace(image, regions=tuple(regions))
