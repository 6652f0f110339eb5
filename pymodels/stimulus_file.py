# SPDX-License-Identifier: Apache-2.0
"""Stimulus as a file: the episodes of a case in JSON, to keep a failure for good. Reading one runs nobody's code.

Arrays are lists; bytes of a beat are a text of hexadecimal digits, byte 0 first, and bits one of 0 and 1. What has its default is
left out.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from functools import cache
from os import PathLike
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.axi.burst import Bursts
from goldbeat.pymodels.errors import GoldbeatError, InputError, UsageError
from goldbeat.pymodels.json_file import read_json
from goldbeat.pymodels.stimulus import Access, Stimulus

VERSION = 1
_KIND = "goldbeat stimulus"
_CODE = {Stimulus: ("drivers",), Access: ("call",)}
"""Fields that hold functions; a file has none."""


@dataclass(frozen=True)
class KeptStimulus:
    """The episodes of one seed of a case, and where they are from.

    Attributes:
        design, case, seed: where.
        episodes: the stimulus.
        params: parameter values that differ from the case's.
        options: options of the case that differ from their defaults.
        failure: what was wrong when it was kept; for people.
    """

    design: str
    case: str
    seed: int
    episodes: tuple[Stimulus, ...]
    params: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    failure: str = ""


def check_keepable(stimuli: Sequence[Stimulus]) -> None:
    """Refuse stimulus that consists of functions.

    Raises:
        UsageError: a driver, or an access that calls a function.
    """
    for stimulus in stimuli:
        steps = (a for program in (stimulus.program, stimulus.after) for accesses in program.values() for a in accesses)
        if stimulus.drivers or any(a.call is not None for a in steps):
            raise UsageError("the stimulus acts on what it reads, by functions: a file cannot hold it")


def write_stimulus(path: str | PathLike[str], kept: KeptStimulus) -> None:
    """Write a file; raises :class:`UsageError` as :func:`check_keepable` does."""
    check_keepable(kept.episodes)
    document = {"kind": _KIND, "version": VERSION, **_plain(kept)}
    Path(path).write_text(json.dumps(document, indent=1) + "\n")


def canonical_text(stimulus: Stimulus) -> str:
    """Everything about a stimulus as one line of JSON, the same for equal stimuli; functions by their names."""
    return json.dumps(_plain(stimulus), sort_keys=True, default=lambda one: getattr(one, "__qualname__", "a function"))


def read_stimulus(path: str | PathLike[str]) -> KeptStimulus:
    """Read a file.

    Raises:
        InputError: it is no such file; with the place in it.
    """
    document = read_json(path, "a stimulus")
    if not isinstance(document, dict) or document.pop("kind", None) != _KIND:
        raise InputError("no stimulus", f'a JSON object with "kind": "{_KIND}"', file=path)
    if (version := document.pop("version", None)) != VERSION:
        raise InputError(f"version {version}", f"version {VERSION}", file=path)
    try:
        kept = _made(KeptStimulus, document, "")
    except _WrongError as error:
        raise InputError(f"{error.where}: {error.found}", error.expected, file=path) from None
    assert isinstance(kept, KeptStimulus)
    return kept


class _WrongError(Exception):
    def __init__(self, where: str, found: str, expected: str) -> None:
        self.where, self.found, self.expected = where or "the file", found, expected


# -- to JSON ----------------------------------------------------------------------------------------------------------


def _plain(value: Any) -> Any:
    if isinstance(value, Bursts):
        return {one.name: getattr(value, one.name).astype(int).tolist() for one in fields(value)}
    if is_dataclass(value):
        return {one.name: _plain(getattr(value, one.name)) for one in fields(value) if not _is_default(value, one)}
    if isinstance(value, np.ndarray):
        return _plain_array(value)
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, (tuple, list)):
        return [_plain(one) for one in value]
    return value.item() if isinstance(value, np.generic) else value


def _is_default(value: Any, one: Any) -> bool:
    was = getattr(value, one.name)
    if isinstance(was, np.ndarray):
        return False
    if one.default is not MISSING:
        return bool(was == one.default)
    return one.default_factory is not MISSING and bool(was == one.default_factory())


def _plain_array(array: npt.NDArray[Any]) -> Any:
    if array.ndim == 2:
        return {"width": array.shape[1]} if not len(array) else [_plain_array(row) for row in array]
    if array.dtype == np.bool_:
        return "".join("1" if bit else "0" for bit in array)
    return array.tobytes().hex() if array.dtype == np.uint8 else array.tolist()


# -- from JSON --------------------------------------------------------------------------------------------------------


@cache
def _hints(kind: type) -> Mapping[str, Any]:
    return get_type_hints(kind)


def _made(hint: Any, value: Any, where: str) -> Any:
    """A value of a type, from JSON."""
    origin = get_origin(hint)
    if origin in (Union, UnionType):
        if value is None and NoneType in get_args(hint):
            return None
        return _made(next(one for one in get_args(hint) if one is not NoneType), value, where)
    if origin is np.ndarray or hint is np.ndarray:
        return _array(hint, value, where)
    if hint is Bursts:
        return _bursts(value, where)
    if isinstance(hint, type) and is_dataclass(hint):
        return _object(hint, value, where)
    if origin is tuple:
        return _tuple(get_args(hint), value, where)
    if origin is Mapping or (isinstance(origin, type) and issubclass(origin, Mapping)):
        _check(isinstance(value, dict), where, value, "an object")
        return {key: _made(get_args(hint)[1], one, f"{where}.{key}") for key, one in value.items()}
    if origin is Literal:
        _check(value in get_args(hint), where, value, f"one of {', '.join(map(str, get_args(hint)))}")
        return value
    return _scalar(hint, value, where)


def _scalar(hint: Any, value: Any, where: str) -> Any:
    if hint is Any:
        return tuple(value) if isinstance(value, list) else value
    _check(hint in (int, float, bool, str), where, value, "nothing: it holds no data")
    kinds: dict[Any, Any] = {int: int, float: (int, float), bool: bool, str: str}
    right = isinstance(value, kinds[hint]) and (hint is bool or not isinstance(value, bool))
    _check(right, where, value, {int: "a whole number", float: "a number", bool: "true or false", str: "a text"}[hint])
    return value


def _object(kind: type, value: Any, where: str) -> Any:
    _check(isinstance(value, dict), where, value, "an object")
    known = {one.name: one for one in fields(kind) if one.init and one.name not in _CODE.get(kind, ())}
    for key in value:
        _check(key in known, f"{where}.{key}".lstrip("."), "a key", f"one of {', '.join(known)}")
    for name, one in known.items():
        needed = one.default is MISSING and one.default_factory is MISSING
        _check(not needed or name in value, f"{where}.{name}".lstrip("."), "nothing", "a value")
    hints = _hints(kind)
    given = {name: _made(hints[name], one, f"{where}.{name}".lstrip(".")) for name, one in value.items()}
    try:
        return kind(**given)
    except GoldbeatError as error:
        raise _WrongError(where, str(error), f"a {kind.__name__} that can be") from None


def _bursts(value: Any, where: str) -> Bursts:
    _check(isinstance(value, dict), where, value, "an object")
    names = [one.name for one in fields(Bursts)]
    for key, column in value.items():
        _check(key in names, f"{where}.{key}", "a key", f"one of {', '.join(names)}")
        whole = isinstance(column, list) and all(isinstance(v, int) for v in column)
        _check(whole, f"{where}.{key}", column, "a list of whole numbers")
    for name in ("kind", "address", "len", "size"):
        _check(name in value, f"{where}.{name}", "nothing", "a value")
    try:
        return Bursts(**value)
    except (GoldbeatError, OverflowError) as error:
        raise _WrongError(where, str(error), "bursts that can be") from None


def _tuple(parts: tuple[Any, ...], value: Any, where: str) -> tuple[Any, ...]:
    _check(isinstance(value, list), where, value, "a list")
    if parts[-1] is not Ellipsis:
        _check(len(value) == len(parts), where, value, f"{len(parts)} values")
        return tuple(_made(part, one, f"{where}[{i}]") for i, (part, one) in enumerate(zip(parts, value, strict=True)))
    return tuple(_made(parts[0], one, f"{where}[{i}]") for i, one in enumerate(value))


def _array(hint: Any, value: Any, where: str) -> npt.NDArray[Any]:
    dtype = np.dtype(get_args(get_args(hint)[1])[0])
    if isinstance(value, dict):
        # No beats; how wide they would be counts.
        _check(list(value) == ["width"] and isinstance(value["width"], int), where, value, "a width")
        return np.zeros((0, value["width"]), dtype)
    if isinstance(value, list) and dtype in (np.uint8, np.bool_):
        rows = [_row(one, dtype, f"{where}[{i}]") for i, one in enumerate(value)]
        _check(len({len(row) for row in rows}) < 2, where, "rows of several lengths", "rows of one length")
        return np.array(rows, dtype=dtype).reshape(len(rows), -1 if rows else 0)
    if dtype in (np.uint8, np.bool_):
        return _row(value, dtype, where)
    _check(isinstance(value, list) and all(isinstance(v, int) for v in value), where, value, "a list of whole numbers")
    try:
        return np.array(value, dtype=dtype)
    except OverflowError:
        raise _WrongError(where, "numbers that are too large", f"{dtype}") from None


def _row(value: Any, dtype: np.dtype[Any], where: str) -> npt.NDArray[Any]:
    _check(isinstance(value, str), where, value, "a text")
    if dtype == np.bool_:
        return _bits(value, where)
    try:
        return np.frombuffer(bytes.fromhex(value), np.uint8).copy()
    except ValueError:
        raise _WrongError(where, repr(value), "hexadecimal digits, two a byte") from None


def _bits(value: str, where: str) -> npt.NDArray[np.bool_]:
    _check(not value.strip("01"), where, value, "zeros and ones")
    return np.array([c == "1" for c in value], np.bool_)


def _check(right: bool, where: str, found: Any, expected: str) -> None:
    if not right:
        text = found if isinstance(found, str) else json.dumps(found, default=str)
        raise _WrongError(where, text if len(text) < 60 else text[:57] + "...", expected)
