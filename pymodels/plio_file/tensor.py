# SPDX-License-Identifier: Apache-2.0
"""Tensors: read from .npy, .mat, .csv and .txt files, and shared out over the files of several ports.

How a tensor is shared out is a list of places for each port, so that sharing out and joining are the same rule.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.arrays import load_numbers
from goldbeat.pymodels.errors import InputError, UsageError, naming
from goldbeat.pymodels.plio_file.mat import read_mat
from goldbeat.pymodels.plio_file.store import load_bytes
from goldbeat.pymodels.samples import SampleType

Order = Literal["row", "column"]
_QUOTED = re.compile(r'"([^",;\s]*)"')
_HOW = re.compile(r"(phases|blocks|rows|columns):(\d+)|tiles:(\d+)x(\d+)")
EXPECTED = "phases:N, blocks:N, rows:N, columns:N or tiles:RxC"


@dataclass(frozen=True)
class Split:
    """How a tensor is shared out.

    Attributes:
        kind: ``phases`` (sample i goes to port i modulo N), ``blocks`` (N equal parts of the flat tensor), or tiles of a
            matrix; rows and columns are tiles in one column or one row.
        down, across: tiles, or N and 1.
        text: as the user wrote it.
    """

    kind: Literal["phases", "blocks", "tiles"]
    down: int
    across: int
    text: str

    @classmethod
    def parse(cls, text: str) -> Split:
        """Of ``phases:4``, ``blocks:2``, ``rows:2``, ``columns:3``, ``tiles:2x4``.

        Raises:
            UsageError: anything else.
        """
        found = _HOW.fullmatch(text)
        if found is None or "0" in (found[2], found[3], found[4]):
            raise UsageError(f"{text!r}: expected {EXPECTED}")
        if found[1] is None:
            return cls("tiles", int(found[3]), int(found[4]), text)
        count = int(found[2])
        if found[1] in ("rows", "columns"):
            return cls("tiles", *((count, 1) if found[1] == "rows" else (1, count)), text)
        return cls("phases" if found[1] == "phases" else "blocks", count, 1, text)

    @property
    def ports(self) -> int:
        """Number of files."""
        return self.down * self.across

    def places(self, shape: Sequence[int], order: Order = "row") -> list[npt.NDArray[np.int64]]:
        """For each port, the places in the flat tensor of its samples, in their order; tiles go row by row.

        Args:
            shape: of the tensor, in samples.
            order: of the samples within a tile, or of the whole tensor before it is cut into phases or blocks.

        Raises:
            InputError: it does not divide.
        """
        number = np.arange(int(np.prod(shape)), dtype=np.int64).reshape(shape)
        layout: Literal["C", "F"] = "C" if order == "row" else "F"
        if self.kind != "tiles":
            flat = number.ravel(layout)
            if len(flat) % self.down:
                raise InputError(f"{len(flat)} samples", f"a multiple of {self.down} for {self.text}")
            return list(flat.reshape(-1, self.down).T) if self.kind == "phases" else list(flat.reshape(self.down, -1))
        if len(shape) != 2:
            raise InputError(f"a tensor of shape {_text(shape)}", f"a matrix for {self.text}; --shape HxW gives it one")
        if shape[0] % self.down or shape[1] % self.across:
            raise InputError(f"a matrix of {_text(shape)}", f"{self.down}x{self.across} equal tiles")
        high, wide = shape[0] // self.down, shape[1] // self.across
        tiles = (
            number[r * high : (r + 1) * high, c * wide : (c + 1) * wide] for r, c in np.ndindex(self.down, self.across)
        )
        return [tile.ravel(layout) for tile in tiles]


def _text(shape: Sequence[int]) -> str:
    return "x".join(map(str, shape))


def parse_shape(text: str) -> tuple[int, ...]:
    """``8x16`` as numbers.

    Raises:
        UsageError: anything else.
    """
    if not re.fullmatch(r"[1-9]\d*(x[1-9]\d*)*", text):
        raise UsageError(f"--shape {text}: expected numbers such as 8x16")
    return tuple(int(n) for n in text.split("x"))


def port_files(pattern: str, split: Split) -> list[Path]:
    """The file of each port: ``{}`` stands for its number, or ``{r}`` and ``{c}`` for its row and column of tiles.

    Raises:
        UsageError: no such place in the pattern, so that all would be one file.
    """
    if "{}" not in pattern and not ("{r}" in pattern and "{c}" in pattern):
        raise UsageError(
            f"{pattern}: expected {{}} in the name for the number of the port, or {{r}} and {{c}} for its tile"
        )
    places = np.ndindex(split.down, split.across)
    return [
        Path(pattern.replace("{}", str(n)).replace("{r}", str(r)).replace("{c}", str(c)))
        for n, (r, c) in enumerate(places)
    ]


def load_tensor(path: Path, kind: SampleType, variable: str | None = None) -> tuple[npt.NDArray[Any], tuple[int, ...]]:
    """The samples of a file in row order, as the type has them, and the shape of the tensor in samples.

    Args:
        path: ``.npy``; ``.mat`` (MATLAB, up to version 7); or ``.csv`` and ``.txt`` with numbers, a row per line. Of complex
            types, texts have ``1+2j`` or ``1-2i``, or the columns re and im.
        kind: sample type.
        variable: of a ``.mat`` file with several.

    Raises:
        InputError: no such file, not numbers, or numbers that the type does not have.
    """
    suffix = path.suffix.lower()
    if variable is not None and suffix != ".mat":
        raise UsageError(f"--variable is for .mat files; {path} has no names")
    if suffix == ".mat":
        array = read_mat(load_bytes(path), str(path), variable)
    elif suffix in (".csv", ".txt"):
        array = _numbers(load_bytes(path), path, kind)
    else:
        array = load_numbers(str(path), kind.name, "samples in a .npy, .mat, .csv or .txt file")
    pairs = kind.parts == 2 and array.dtype.kind != "c"
    shape = array.shape[:-1] if pairs else array.shape
    flat = array.reshape(-1, array.shape[-1]) if pairs and array.ndim else array.reshape(-1)
    if kind.is_integer and flat.dtype.kind in "fc":
        flat = _whole(flat, kind, path)
    with naming(path):
        return kind.decode(kind.encode(flat)), tuple(shape) or (1,)


def _whole(values: npt.NDArray[Any], kind: SampleType, path: Path) -> npt.NDArray[Any]:
    """Numbers of MATLAB or a text, which are floats, as integers; complex ones as pairs."""
    parts = (
        values.view(np.float64 if values.dtype == np.complex128 else np.float32) if values.dtype.kind == "c" else values
    )
    wrong = np.flatnonzero((parts != np.rint(parts)).reshape(-1))
    if len(wrong):
        raise InputError(
            f"{parts.reshape(-1)[wrong[0]]:g}", f"whole numbers for {kind.name}; round them first", file=path
        )
    whole = parts.astype(np.int64)
    return whole.reshape(-1, 2) if values.dtype.kind == "c" else whole


def _number(word: str) -> complex | int:
    if "_" in word:
        raise ValueError
    try:
        # Exact, also beyond what a float holds.
        return int(word, 0)
    except ValueError:
        return complex(word.replace("i", "j"))


def _numbers(raw: bytes, path: Path, kind: SampleType) -> npt.NDArray[Any]:
    """A matrix of a text: one row per line, parted by commas, semicolons or blanks; numbers may be quoted."""
    rows: list[list[complex | int]] = []
    mixed = ""
    for line, text in enumerate(raw.decode("utf-8-sig", "replace").splitlines(), 1):
        content = text.split("#", 1)[0].strip()
        if not content:
            continue
        mixed += "".join(set(content) & {",", ";"} - set(mixed))
        if len(mixed) > 1:
            said = f"commas and semicolons, {text.strip()[:40]!r}"
            raise InputError(said, "one of them between numbers, and decimal points", file=path, line=line)
        words = [w for w in re.split(r"[,;\s]+", _QUOTED.sub(r"\1", content)) if w]
        try:
            rows.append([_number(word) for word in words])
        except ValueError:
            raise InputError(f"{text.strip()[:40]!r}", "numbers, one row per line", file=path, line=line) from None
        if len(rows[-1]) != len(rows[0]):
            raise InputError(f"{len(rows[-1])} numbers", f"{len(rows[0])}, as in the first row", file=path, line=line)
    if not rows:
        raise InputError("no numbers", "one row per line", file=path)
    if all(isinstance(value, int) for row in rows for value in row):
        exact = np.array(rows)
        return exact[:, 0] if exact.shape[1] == 1 else exact
    found = np.array(rows, np.complex128)
    if found.imag.any() or (kind.parts == 2 and found.shape[1] != 2):
        return found if found.shape[1] > 1 else found[:, 0]
    real = found.real
    return real[:, 0] if real.shape[1] == 1 else real
