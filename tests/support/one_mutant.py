# SPDX-License-Identifier: Apache-2.0
"""A mutant by itself: its change written into a copy of the RTL, a simulator of its own, a process for each case."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from goldbeat.tb.build.simulator import QUICKEST, build
from goldbeat.tb.design.design import Design
from goldbeat.tb.mutate.mutant import Mutant
from goldbeat.tb.mutate.rewrite import rewrite_alone
from goldbeat.tb.regress.item import Item
from goldbeat.tb.run.runs import Request, run


def verdict_alone(design: Design, mutant: Mutant, items: Sequence[Item], folder: Path) -> str:
    """``killed`` or ``survived``.

    Args:
        design: the original.
        mutant: of its sources.
        items: the cases.
        folder: a new one; it is removed.
    """
    folder.mkdir()
    sources = [*design.sources()]
    changed = folder / mutant.place.file.name
    changed.write_text(rewrite_alone(mutant))
    files = tuple(str(changed if path == mutant.place.file else path) for path in sources)
    # A file may include what lies beside its original.
    folders = dict.fromkeys([*design.include_paths(), *(path.parent for path in sources)])
    alone = design.model_copy(update={"files": files, "include_dirs": tuple(map(str, folders))})
    failed = False
    for item in items:
        request = Request(alone, alone.case(item.case), (item.seed,), item.params, item.options)
        build(alone, request.all_params, quick=QUICKEST)
        failed = failed or any(not result.passed for result in run(request, folder / "sim"))
    shutil.rmtree(folder)
    return "killed" if failed else "survived"
