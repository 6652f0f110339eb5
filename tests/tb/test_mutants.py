# SPDX-License-Identifier: Apache-2.0
"""Break the RTL on purpose: every break must be seen. A bench that passes on these is worth nothing."""

from __future__ import annotations

import shutil

import pytest

from tb.benches import designs
from tb.paths import HDL
from tb.run import Request, run

DESIGNS = designs()

# design, file, what stands there, what stands there instead, case that must notice
MUTANTS: list[tuple[str, str, str, str, str]] = []


@pytest.mark.sim
@pytest.mark.parametrize(("name", "file", "old", "new", "case"), MUTANTS)
def test_the_bench_sees(name, file, old, new, case, tmp_path):
    root = tmp_path / "hdl"
    shutil.copytree(HDL, root)
    text = (root / file).read_text()
    assert text.count(old) == 1, f"{file}: {old!r} stands there {text.count(old)} times"
    (root / file).write_text(text.replace(old, new))
    design = DESIGNS[name].model_copy(update={"root": root})
    results = run(Request(design, design.case(case), range(12)), tmp_path / "run")
    assert not all(r.passed for r in results)
    assert all(r.failures for r in results if not r.passed)
