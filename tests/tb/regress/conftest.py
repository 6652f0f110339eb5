# SPDX-License-Identifier: Apache-2.0
"""Every test here has results of its own; simulators come from the common cache."""

import sys

import pytest

from goldbeat.tb.paths import cache_root
from goldbeat.tb.regress import pool


@pytest.fixture(autouse=True)
def _quick_workers(monkeypatch):
    """Workers are copies of this process even where pytest-xdist has threads in it: a new one takes a second."""
    monkeypatch.setattr(pool, "may_be_copied", lambda: sys.platform.startswith("linux"))


@pytest.fixture
def own_root(tmp_path, monkeypatch):
    """A folder for everything made, with the simulators and objects that are there already."""
    cache = cache_root()
    root = tmp_path / "build"
    root.mkdir()
    for name in ("sim", "runtime"):
        (cache / name).mkdir(parents=True, exist_ok=True)
        (root / name).symlink_to(cache / name)
    monkeypatch.setenv("GOLDBEAT_BUILD", str(root))
    monkeypatch.setenv("GOLDBEAT_CACHE", str(root))
    return root
