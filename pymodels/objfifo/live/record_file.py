# SPDX-License-Identifier: Apache-2.0
"""A recorded execution as a file: what each tile's engine is given, what it must send, and the host's arrays.

Such a file runs on the engine in RTL without the design: ``goldbeat objfifo exec --record FILE``, ``goldbeat objfifo run FILE``.
It is a numpy archive (``.npz``): ``record`` holds JSON, in which ``@N`` names array ``N``.
"""

from __future__ import annotations

import io
import json
import types
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Union, get_args, get_origin, get_type_hints

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.objfifo.live.execute import LiveResult
from goldbeat.pymodels.objfifo.live.record_scene import LiveEpisode
from goldbeat.pymodels.objfifo.live.timings import ArrayOrder
from goldbeat.pymodels.objfifo.plan.object_type import ObjectType

SUFFIX = ".npz"
_FORMAT = 1
_EXPECTED = "a record that goldbeat objfifo exec --record has written"


@dataclass(frozen=True, eq=False)
class RecordedRun:
    """An execution for the engine.

    Attributes:
        design: name of the file that was executed.
        result: of its last run.
        episodes: of all runs.
        refused: what the engine does not have, a text for each.
    """

    design: str
    result: LiveResult
    episodes: tuple[LiveEpisode, ...]
    refused: tuple[str, ...]


@dataclass(frozen=True)
class _Kind:
    """The type of a host's array, as of :class:`ObjectType`; ``dtype`` as numpy reads it."""

    shape: tuple[int, ...]
    dtype: str
    bits: bool
    untyped: bool


@dataclass(frozen=True, eq=False)
class _Stored:
    """What the file holds of an execution that completes; ``hosts`` are bytes."""

    design: str
    episodes: tuple[LiveEpisode, ...]
    refused: tuple[str, ...]
    hosts: dict[str, npt.NDArray[np.uint8]]
    kinds: dict[str, _Kind]
    words: dict[str, int]
    remarks: tuple[str, ...]
    pairs: tuple[str, ...]
    left: tuple[str, ...]

    def run(self) -> RecordedRun:
        """As the execution gave it."""
        kinds = {n: ObjectType(k.shape, np.dtype(k.dtype), k.bits, k.untyped) for n, k in self.kinds.items()}
        hosts = {n: raw.view(kinds[n].dtype).reshape(kinds[n].shape) for n, raw in self.hosts.items()}
        order = ArrayOrder(pairs=self.pairs, left=self.left)
        result = LiveResult(True, hosts, (), order, (), self.remarks, self.words, kinds)
        return RecordedRun(self.design, result, self.episodes, self.refused)


def save_record(path: Path, run: RecordedRun) -> None:
    """Write the record of an execution that completes, whatever the timing."""
    arrays: dict[str, npt.NDArray[Any]] = {}
    found, order = run.result, run.result.order
    kinds = {
        name: _Kind(one.shape, "<u2" if one.bfloat else one.dtype.str, one.bfloat, one.untyped)
        for name, one in found.types.items()
    }
    hosts = {name: np.ascontiguousarray(one).reshape(-1).view(np.uint8) for name, one in found.hosts.items()}
    stored = _Stored(
        run.design, run.episodes, run.refused, hosts, kinds, found.words, found.remarks, order.pairs, order.left
    )
    text = json.dumps({"format": _FORMAT, "run": _plain(stored, arrays)})
    with path.open("wb") as file:
        np.savez_compressed(file, allow_pickle=False, record=np.array(text), **arrays)


def load_record(path: Path) -> RecordedRun:
    """Read a record.

    Raises:
        InputError: no such file, or another one.
    """
    if not path.is_file():
        raise InputError("no file", _EXPECTED, file=path)
    try:
        with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
            found = json.loads(str(arrays.pop("record")[()]))
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, AttributeError) as error:
        raise InputError(f"{type(error).__name__}: {error}", _EXPECTED, file=path) from None
    if not isinstance(found, dict) or found.get("format") != _FORMAT:
        raise InputError("another format", f"{_EXPECTED}, of format {_FORMAT}", file=path)
    try:
        stored: _Stored = _read(_Stored, found["run"], arrays)
        return stored.run()
    except (TypeError, ValueError, KeyError, AttributeError) as error:
        raise InputError(f"{type(error).__name__}: {error}", _EXPECTED, file=path) from None


def _plain(value: Any, arrays: dict[str, npt.NDArray[Any]]) -> Any:
    if isinstance(value, np.ndarray):
        name = f"a{len(arrays)}"
        arrays[name] = value
        return f"@{name}"
    if is_dataclass(value):
        return {one.name: _plain(getattr(value, one.name), arrays) for one in fields(value)}
    if isinstance(value, Mapping):
        return [[key, _plain(one, arrays)] for key, one in value.items()]
    if isinstance(value, tuple | list):
        return [_plain(one, arrays) for one in value]
    return value if value is None or isinstance(value, str) else int(value)


def _read(kind: Any, value: Any, arrays: Mapping[str, npt.NDArray[Any]]) -> Any:
    """A value of a type from plain values; TypeError, ValueError or KeyError for another one."""
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        return None if value is None else _read(inner[0], value, arrays)
    if origin is np.ndarray:
        found = arrays[str(value).removeprefix("@")]
        wanted = get_args(inner[1])[0]
        if found.dtype != np.dtype(wanted) or found.ndim != 1:
            raise TypeError(f"an array of {found.dtype}, expected one of {np.dtype(wanted)}")
        return found
    if origin is dict:
        return {_read(inner[0], key, arrays): _read(inner[1], one, arrays) for key, one in value}
    if origin is list:
        return [_read(inner[0], one, arrays) for one in value]
    if origin is tuple:
        kinds = [inner[0]] * len(value) if inner[1:] == (...,) else inner
        return tuple(_read(one, part, arrays) for one, part in zip(kinds, value, strict=True))
    if isinstance(kind, type) and is_dataclass(kind):
        hints = get_type_hints(kind)
        return kind(**{one.name: _read(hints[one.name], value[one.name], arrays) for one in fields(kind)})
    if kind is bool and value in (0, 1):
        return bool(value)
    if not isinstance(value, str if issubclass(kind, StrEnum) else kind):
        raise TypeError(f"{value!r}, expected {kind.__name__}")
    return kind(value)
