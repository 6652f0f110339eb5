# SPDX-License-Identifier: Apache-2.0
"""Parts of a plan for machines that know nothing of each other (``goldbeat regress --shard K/N``).

Every machine makes the whole plan and takes its part; an item keeps its number in the plan. What a shard records of the
whole lets :mod:`goldbeat.tb.regress.merge` refuse shards that do not belong together.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from goldbeat.pymodels.errors import UsageError
from goldbeat.tb.paths import HDL
from goldbeat.tb.regress.item import Item
from goldbeat.tb.regress.plan import BuildKey, build_key
from goldbeat.tb.regress.recorded import ShardSettings
from goldbeat.tb.regress.revision import revision_of
from goldbeat.tb.regress.trust import project_root

SHARD = "shard"
"""Under this name, a run's settings say which part of a plan it is."""
MOST_SHARDS = 10_000
_MOST_TOGETHER = 64
"""Items of one simulator that stay together: each shard that has some of them builds it."""
PLACES = {"project": "project:", "goldbeat": "goldbeat:"}
"""What paths of :attr:`ShardSettings.revision` begin with, in place of :func:`roots`."""
_ELSEWHERE = {"source", "options", "inputs"}
"""Of an item: they hold paths, which differ between machines; :func:`revision_of` has the content."""


@dataclass(frozen=True)
class Shard:
    """Which part of a plan: ``number`` counts from 1 to ``count``."""

    number: int
    count: int

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"


def parse_shard(text: str) -> Shard:
    """``2/8``.

    Raises:
        UsageError: it is something else.
    """
    match = re.fullmatch(r"([1-9]\d{0,5})/([1-9]\d{0,5})", text, re.ASCII)
    shard = Shard(int(match[1]), int(match[2])) if match else None
    if shard is None or not shard.number <= shard.count <= MOST_SHARDS:
        raise UsageError(f"--shard {text}: expected K/N with K from 1 to N, N at most {MOST_SHARDS}")
    return shard


def items_of_shard(items: Sequence[Item], shard: Shard) -> list[Item]:
    """The items of a shard, in the plan's order; each is in one shard, and shards have alike numbers of them.

    Raises:
        UsageError: there are more shards than items.
    """
    if shard.count > len(items):
        raise UsageError(f"--shard {shard}: the plan has {len(items)} cases; use at most {len(items)} shards")
    most = max(1, min(_MOST_TOGETHER, len(items) // (4 * shard.count)))
    keys: dict[tuple[Any, ...], BuildKey] = {}
    chunks: dict[BuildKey, list[list[Item]]] = {}
    for item in items:
        short = (item.source, item.group)
        if short not in keys:
            keys[short] = build_key(item)
        found = chunks.setdefault(keys[short], [[]])
        if len(found[-1]) == most:
            found.append([])
        found[-1].append(item)
    parts: list[list[Item]] = [[] for _ in range(shard.count)]
    for some in chunks.values():
        for chunk in some:
            min(parts, key=len).extend(chunk)
    return sorted(parts[shard.number - 1], key=lambda item: item.index)


def plan_hash(items: Sequence[Item]) -> str:
    """Of everything that a plan says except for paths: the same on every machine."""
    digest = hashlib.sha256()
    for item in items:
        digest.update(item.model_dump_json(exclude=_ELSEWHERE).encode() + b"\n")
    return digest.hexdigest()[:16]


def roots() -> dict[str, str]:
    """The folders that paths of results begin with, by name."""
    return {"project": str(project_root()), "goldbeat": str(HDL)}


def moved(value: Any, before: Mapping[str, str], now: Mapping[str, str]) -> Any:
    """The same with paths below the folders of one machine as they are on another one.

    Args:
        value: text, or lists and mappings of it; a path may follow a word (``input /x/y``).
        before: :func:`roots` of the machine that made it.
        now: of the other one.
    """
    if isinstance(value, str):
        # One of them may be below another.
        for name, root in sorted(before.items(), key=lambda one: -len(one[1])):
            head, found, tail = value.partition(f"{root}/")
            if found and name in now and (not head or head.endswith(" ")):
                return f"{head}{now[name]}/{tail}"
        return value
    if isinstance(value, Mapping):
        return {moved(key, before, now): moved(one, before, now) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(moved(one, before, now) for one in value)
    return value


def shard_settings(items: Sequence[Item], shard: Shard, required: Sequence[str]) -> dict[str, Any]:
    """What a shard records of the whole.

    Args:
        items: of the whole plan.
        shard: which part.
        required: designs whose open obligations make the whole partial; a shard alone leaves some open.
    """
    here = roots()
    said = ShardSettings(
        id=uuid4().hex,
        number=shard.number,
        count=shard.count,
        total=len(items),
        plan=plan_hash(items),
        roots=here,
        revision=moved(revision_of(items), here, PLACES),
        required=tuple(required),
    )
    return said.model_dump(mode="json")


def shard_of(settings: Mapping[str, Any]) -> ShardSettings | None:
    """What the settings of a run say of the whole; None: it is no shard."""
    found = settings.get(SHARD)
    return None if found is None else ShardSettings.model_validate(found)
