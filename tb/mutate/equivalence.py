# SPDX-License-Identifier: Apache-2.0
"""Mutants that Yosys proves to be equivalent: no stimulus can tell them from the original.

Both versions of the design, flattened, with memories as flip-flops, are compared at their flip-flops and outputs: from the same
state and inputs they have to reach the same state and outputs (``equiv_simple``), or to stay alike once they have been alike for
some cycles (``equiv_induct``; only with one clock). What assertions look at counts as an output, and an unknown value (``'x``) as
any value, in each version by itself. What Yosys cannot read or has no model for, and what takes too long, leaves a mutant unproven.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from goldbeat.pymodels.errors import GoldbeatError
from goldbeat.tb.build.yosys import Yosys, run_yosys
from goldbeat.tb.design.design import Design
from goldbeat.tb.mutate.asserted import asserted_names
from goldbeat.tb.mutate.mutant import Mutant
from goldbeat.tb.mutate.points import parse_sources
from goldbeat.tb.mutate.rewrite import rewrite_alone
from goldbeat.tb.regress.item import Item
from goldbeat.tb.synth.checks import check_rtl
from goldbeat.tb.synth.sources import command_file

PROVEN = "proven by Yosys"
LIMIT_S = 60
"""Processor time for one mutant with one set of parameter values."""
_CYCLES = 4
"""For so many cycles both have to be alike before induction says that they stay so; a bench holds the reset for as long."""
_PREPARE = (
    *("hierarchy -auto-top", "proc", "flatten", "opt_expr", "memory_collect", "memory_map", "dffunmap"),
    # Loops and several drivers are errors; assertions are compared by what they look at.
    *("opt_clean", "check -assert", "delete t:$check t:$print t:$assert t:$assume t:$cover"),
    *("setundef -undriven -anyseq", "setundef -anyseq", "opt_clean -purge"),
    # What has a name in both is compared: flip-flops, ports and what is kept.
    "rename -hide w:* t:$dff %co1:+[Q] %d a:keep %d",
)
_COMPARE = ("equiv_make gold gate equiv", "hierarchy -top equiv", "opt_clean", "equiv_struct", "equiv_simple")


def parameter_sets(items: Sequence[Item], design: Design) -> list[dict[str, Any]]:
    """The sets of all parameter values that cases have, each once."""
    found: list[dict[str, Any]] = []
    for item in items:
        values = design.params(design.case(item.case), item.params, item.options)
        if values not in found:
            found.append(values)
    return found


class EquivalenceProver:
    """Proves mutants of one design.

    Args:
        tool: what proves.
        design: the original.
        params: the sets of all parameter values for which a mutant has to be equivalent.
        folder: for files.
        limit_s: processor seconds for each mutant and set.
    """

    def __init__(
        self, tool: Yosys, design: Design, params: Sequence[Mapping[str, Any]], folder: Path, limit_s: int = LIMIT_S
    ) -> None:
        self._tool = tool.within(limit_s)
        self._design, self._params, self._folder = design, params, folder
        self._sound = self._checked(tool)
        tree, _, _ = parse_sources(design.sources(), include_dirs=design.include_paths(), defines=design.macros())
        self._seen = sorted(asserted_names(tree.root))

    def _checked(self, tool: Yosys) -> bool:
        """Whether Yosys reads the original, and finds nothing in it that it would model in another way."""
        try:
            return all(check.passed for params in self._params for check in check_rtl(tool, self._design, params))
        except GoldbeatError:
            return False

    def proven(self, mutants: Sequence[Mutant], jobs: int) -> Iterator[tuple[Mutant, bool]]:
        """Try mutants, several at a time; each as soon as it is known whether it is proven.

        Args:
            mutants: some of the design's.
            jobs: so many at a time.
        """
        with ThreadPoolExecutor(jobs) as pool:
            waiting = {pool.submit(self.proves, mutant): mutant for mutant in mutants}
            try:
                for one in as_completed(waiting):
                    yield waiting[one], one.result()
            finally:
                for one in waiting:
                    one.cancel()

    def proves(self, mutant: Mutant) -> bool:
        """Whether a mutant is equivalent with every set of parameter values."""
        return self._sound and all(self._equal(mutant, params) for params in self._params)

    def _equal(self, mutant: Mutant, params: Mapping[str, Any]) -> bool:
        with tempfile.TemporaryDirectory(dir=self._folder, prefix=f"proof-{mutant.number}-") as name:
            place = Path(name)
            changed = place / mutant.place.file.name
            changed.write_text(rewrite_alone(mutant), errors="surrogateescape")
            sources = self._design.sources()
            # A file may include what lies beside its original.
            folders = dict.fromkeys([*self._design.include_paths(), *(path.parent for path in sources)])
            change: dict[str, Any] = {
                "files": tuple(str(changed if path == mutant.place.file else path) for path in sources),
                "include_dirs": tuple(map(str, folders)),
            }
            sides = {"gold": self._design, "gate": self._design.model_copy(update=change)}
            return run_yosys(self._tool, self._script(place, sides, params), place / "yosys.log") == 0

    def _script(self, place: Path, sides: Mapping[str, Design], params: Mapping[str, Any]) -> list[str]:
        script = []
        for name, design in sides.items():
            commands = place / f"{name}.f"
            commands.write_text(command_file(self._tool, design, params, place / name))
            script += [f"read_slang -f {self._tool.place(commands)}", *_PREPARE[:3]]
            script += [f"setattr -set keep 1 w:{seen} w:*.{seen}" for seen in self._seen]
            script += [*_PREPARE[3:], f"rename -top {name}", f"design -stash {name}"]
        script += [f"design -copy-from {name} {name}" for name in sides]
        induct = (f"equiv_induct -seq {_CYCLES}",) if len(self._design.clocks) == 1 else ()
        return [*script, *_COMPARE, *induct, "equiv_status -assert"]
