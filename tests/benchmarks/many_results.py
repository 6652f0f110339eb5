# SPDX-License-Identifier: Apache-2.0
"""Runs with very many results, recorded through the store as a regression does it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from goldbeat.tb.regress.item import Item, ItemResult, Status
from goldbeat.tb.regress.store import Run, Store

_BINS = (
    *(f"gap {n}" for n in ("0", "1", "2-3", "4-15", "16-63", "64+")),
    *(f"frame {n}" for n in ("1", "2-3", "4-15", "16-63", "64+")),
    *("back-to-back frames", "frames apart", "part of a beat kept", "nothing kept"),
    *(f"stall {n}" for n in ("1", "2-3", "4-15", "16-63", "64+")),
)
_BATCH = 1000


def make_run(store: Store, count: int, *, seed: int = 0, settings: Mapping[str, Any] | None = None) -> Run:
    """A run of ``count`` cases of 20 designs with four cases each; one of 500 fails, one of 100 takes other cycles by seed.

    Args:
        store: where to.
        count: of cases.
        seed: of what differs from run to run.
        settings: what the run records of its beginning.
    """
    items = [
        Item(
            index=n,
            key=f"design_{n % 20}/case_{n // 20 % 4}/DEPTH={8 << n % 3}#{n}",
            design=f"design_{n % 20}",
            case=f"case_{n // 20 % 4}",
            params={"DEPTH": 8 << n % 3},
            seed=n,
        )
        for n in range(count)
    ]
    run = store.begin("many", items, git="0123456789ab", code="0" * 16, host="here", seed=0, settings=settings or {})
    rng = np.random.default_rng(seed)
    for start in range(0, count, _BATCH):
        store.record(run.id, [_result(item, rng) for item in items[start : start + _BATCH]])
    store.end(run.id, "fail", {"built": 20, "cached": 0, "wall_s": 3600.0, "counts": store.counts(run.id)})
    return store.run(run.id)


def _result(item: Item, rng: np.random.Generator) -> ItemResult:
    share, hits = float(rng.uniform(0.2, 1)), rng.integers(0, 100, len(_BINS)).tolist()
    good = rng.integers(500) != 0
    figures = {"beats": 100, "frames": 7, "mb_per_s": round(1000 * share, 3), "msamples_per_s": None, "share": share}
    return ItemResult(
        item.index,
        item.key,
        Status.PASS if good else Status.FAIL,
        cycles=1000 + item.seed % 977 + int(rng.integers(100) == 0),
        sim_ps=4_000_000 + item.seed,
        wall_s=0.01,
        compared=100,
        episodes=1,
        trace_hash=f"{item.seed * 0x9E3779B97F4A7C15 % (1 << 128):032x}",
        failures=()
        if good
        else ("port m_axis, beat 1: data differs: expected fffe0071, got ffff0071\n" + "  x" * 200,),
        ports={"s_axis": {"direction": "in", **figures}, "m_axis": {"direction": "out", **figures}},
        latency={"s_axis->m_axis": {"by": "beat", "mean": round(40_000 * share), "max": 90_000}},
        coverage={port: dict(zip(_BINS, hits, strict=True)) for port in ("s_axis", "m_axis")},
        log="" if good else "a line of the log\n" * 30,
        worker="here:1234",
    )
