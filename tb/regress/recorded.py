# SPDX-License-Identifier: Apache-2.0
"""What stands as JSON in the columns of the results, taken apart and held against what the reports need of it."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, TypeAdapter

from goldbeat.tb.regress.item import ItemResult


class _Open(BaseModel):
    model_config = ConfigDict(extra="allow", allow_inf_nan=False)


class _Port(_Open):
    direction: str
    beats: int
    frames: int
    mb_per_s: float | None
    share: float | None


class _Latency(_Open):
    mean: float
    max: float


class _Facts(_Open):
    wall_s: float = 0.0
    built: int = 0
    cached: int = 0
    signal: int = 0
    interrupted: bool = False
    changed_meanwhile: tuple[str, ...] = ()


class _Mixed(_Open):
    git: str
    changed: tuple[str, ...]


class _Suite(_Open):
    file: str
    hash: str


class _Settings(_Open):
    files: dict[str, Any] = {}
    mixed: tuple[_Mixed, ...] = ()
    suite: _Suite | None = None
    code: dict[str, str] = {}


_RESULT = TypeAdapter(ItemResult)
_PORTS = TypeAdapter(dict[str, _Port])
_LATENCIES = TypeAdapter(dict[str, _Latency])
_NAMES = TypeAdapter(dict[str, str])


def read_result(text: str | None) -> ItemResult | None:
    """A result; None for None. Raises :class:`ValueError` as all functions here do."""
    if text is None:
        return None
    found = _RESULT.validate_python(_parse(text))
    _PORTS.validate_python(found.ports)
    _LATENCIES.validate_python(found.latency)
    return found


def read_artefacts(text: str | None) -> Mapping[str, str]:
    """Files by name."""
    return _NAMES.validate_python(_parse(text or "{}"))


def read_facts(text: str) -> Mapping[str, Any]:
    """What is known of a run at its end."""
    found = _parse(text)
    _Facts.model_validate(found)
    return dict(found)


def read_settings(text: str) -> Mapping[str, Any]:
    """What a run was asked for."""
    found = _parse(text)
    _Settings.model_validate(found)
    return dict(found)


def _parse(text: str) -> Any:
    try:
        return json.loads(text, parse_float=_finite, parse_constant=_finite)
    except RecursionError:
        raise ValueError("brackets within brackets without end") from None


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"the number {text}")
    return value
