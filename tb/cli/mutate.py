# SPDX-License-Identifier: Apache-2.0
"""``goldbeat mutate``: does the bench notice when the RTL is wrong?"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from fnmatch import fnmatch
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import MofNCompleteColumn, TimeElapsedColumn, TimeRemainingColumn

from goldbeat.pymodels.errors import UsageError
from goldbeat.tb.build.yosys import Yosys, yosys
from goldbeat.tb.cli.common import FAILED, Json, complete_design, examples, print_json
from goldbeat.tb.cli.farm import Keys
from goldbeat.tb.cli.regress_options import EngineAddress, WaitSeconds
from goldbeat.tb.cli.screen import Screen, progress
from goldbeat.tb.design.catalog import find_design
from goldbeat.tb.design.design import Design
from goldbeat.tb.mutate.campaign import Campaign, Fate, plan_cases
from goldbeat.tb.mutate.equivalence import PROVEN, EquivalenceProver, parameter_sets
from goldbeat.tb.mutate.journal import Journal, fingerprint
from goldbeat.tb.mutate.mutant import Mutant
from goldbeat.tb.mutate.points import draw_mutants, mutants_of_design
from goldbeat.tb.mutate.report import PAGE, score, summary_dict, write_results
from goldbeat.tb.mutate.waivers import MutantWaiver, match, waivers_of_design
from goldbeat.tb.paths import build_root
from goldbeat.tb.regress.farm_pool import WAIT_S
from goldbeat.tb.regress.item import Item
from goldbeat.tb.regress.run import LOCAL

_SHOWN = 40
"""Mutants that are printed one by one."""
_GOAL = 98.0
_UNNOTICED = ("survived", "not reached")
_REPLACED = "{} simulator(s) replaced, because a mutant had changed them"
_Runner = Callable[[Sequence[Mutant]], Iterator[Fate]]
"""Runs some mutants, here or on a farm."""

Name = Annotated[
    str,
    typer.Argument(
        metavar="DESIGN|FILE.toml", autocompletion=complete_design, help="A design's name, or a description file."
    ),
]
Files = Annotated[
    list[str] | None, typer.Option("--files", metavar="GLOB", help="Change only these sources (glob of name or path).")
]
Cases = Annotated[
    list[str] | None,
    typer.Option("--case", "-c", metavar="NAME", help="Cases to run (glob) [random and all quick cases]."),
]
Seeds = Annotated[
    int | None, typer.Option("--seeds", metavar="N", min=1, help="Number of seeds per case [random: 3, others: 1].")
]
Sample = Annotated[
    int | None, typer.Option("--sample", metavar="N", min=1, help="Try only N mutants, drawn with --seed.")
]
Seed = Annotated[
    int, typer.Option("--seed", "-s", metavar="S", min=0, help="Seed of --sample, and first seed of the cases.")
]
Only = Annotated[list[int] | None, typer.Option("--mutant", metavar="N", help="Try only the mutant with this number.")]
Jobs = Annotated[
    int | None,
    typer.Option("--jobs", "-j", metavar="J", min=1, help="Number of simulators at the same time [one per core]."),
]
Waivers = Annotated[
    Path | None,
    typer.Option("--waive", metavar="FILE", help="File of accepted mutants, with reasons (TOML)."),
]
Goal = Annotated[float, typer.Option("--goal", metavar="PERCENT", min=0, max=100, help="Lowest score that passes.")]
Resume = Annotated[bool, typer.Option("--resume", help="Resume the last campaign of this design.")]
Prove = Annotated[
    bool,
    typer.Option("--prove", help="Let Yosys prove mutants equivalent that survive or are not reached."),
]
ListOnly = Annotated[bool, typer.Option("--list", help="List the mutants; build and run nothing.")]
Out = Annotated[Path | None, typer.Option("--out", metavar="DIR", help="Folder of the results [build/mutate/DESIGN].")]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(
        "mutate",
        epilog=examples(
            "goldbeat mutate my_fifo                      all mutants against the quick cases",
            "goldbeat mutate my_fir --sample 100 --seed 1",
            "goldbeat mutate bench/fir.toml --files 'fir_*.v' --case random --seeds 10",
            "goldbeat mutate my_fifo --list               list the changes",
            "goldbeat mutate my_fifo --mutant 17          one of them again",
            "goldbeat mutate my_fifo --prove              equivalent ones do not count",
            "goldbeat mutate my_fir --engine tls://10.0.0.5:8786 --tls keys",
        ),
    )(mutate_command)


def mutate_command(
    name: Name,
    files: Files = None,
    cases: Cases = None,
    seeds: Seeds = None,
    sample: Sample = None,
    seed: Seed = 0,
    only: Only = None,
    jobs: Jobs = None,
    waive: Waivers = None,
    goal: Goal = _GOAL,
    resume: Resume = False,
    prove: Prove = False,
    list_only: ListOnly = False,
    engine: EngineAddress = LOCAL,
    keys: Keys = None,
    wait_s: WaitSeconds = WAIT_S,
    out: Out = None,
    as_json: Json = False,
) -> None:
    """Count the small changes of the RTL that a bench notices.

    All mutants are built into one simulator. A mutant is killed if a case fails, and survives if all
    pass. It is not reached if the changed place never made a difference. With --prove, mutants that
    Yosys proves equivalent to the original do not count.

    Exit code: 0 the score reaches --goal, 1 it does not, 2 bad input, or a case fails without mutants.
    """
    design = find_design(name)
    mutants = _mutants(design, files or [])
    if list_only:
        _show_list(mutants, as_json)
        return
    chosen = _chosen(mutants, sample, seed, only or [])
    reasons, stale = _waived(design, name, waive, mutants, parts=bool(files))
    items = plan_cases(name, cases or (), seeds, seed)
    tool = yosys() if prove else None
    # A farm that is not there is refused before anything is written.
    with _runner(engine, keys, wait_s, items, jobs):
        pass
    folder = (out or build_root() / "mutate" / design.name).absolute()
    folder.mkdir(parents=True, exist_ok=True)
    journal = Journal(folder, fingerprint(items, mutants), resume=resume)
    fates = {n: Fate(m, "waived", reason=reasons[n]) for m in chosen if (n := m.number) in reasons}
    fates |= {n: fate for n, fate in journal.known(chosen).items() if n not in fates}
    left = [m for m in chosen if m.number not in fates]
    if left:
        with (
            tempfile.TemporaryDirectory(prefix="mutate-", dir=folder) as place,
            Campaign(items, left, Path(place), _say) as campaign,
            _runner(engine, keys, wait_s, items, jobs) as runner,
        ):
            _run(campaign, left, journal, fates, partial(runner, campaign))
    if tool is not None:
        _prove(tool, design, items, journal, fates, folder, jobs)
    found = [fates[m.number] for m in chosen]
    result = summary_dict(design.name, [i.key for i in items], found, stale, Path.cwd())
    result |= {"of": len(mutants), "parts": [*(files or []), *(cases or []), *map(str, only or [])]}
    write_results(folder, result, found, Path.cwd())
    _end(design, found, stale, result, folder, goal, as_json=as_json)


def _end(
    design: Design,
    found: Sequence[Fate],
    stale: Sequence[MutantWaiver],
    result: Mapping[str, Any],
    folder: Path,
    goal: float,
    *,
    as_json: bool,
) -> None:
    """Print the results; a score below the goal fails."""
    if as_json:
        print_json(result)
    else:
        _show(design, found, stale, folder)
    share = score(found).share
    if share is not None and 100 * share < goal:
        raise typer.Exit(FAILED)


def _waived(
    design: Design, name: str, more: Path | None, mutants: Sequence[Mutant], *, parts: bool
) -> tuple[dict[int, str], tuple[MutantWaiver, ...]]:
    """Reasons by number of the mutant, and the waivers that fit none; of parts of the sources, those about these parts."""
    waivers = waivers_of_design(design, Path(name) if name.endswith((".toml", ".py")) else None, more)
    reasons, stale = match(waivers, mutants)
    changed = {m.place.file.name for m in mutants}
    return reasons, tuple(waiver for waiver in stale if not parts or waiver.file in changed)


def _mutants(design: Design, patterns: Sequence[str]) -> list[Mutant]:
    sources = design.sources()
    only = [p for p in sources if any(fnmatch(p.name, g) or fnmatch(str(p), g) for g in patterns)]
    if patterns and not only:
        raise UsageError(f"--files {' '.join(patterns)}: matches none of {', '.join(p.name for p in sources)}")
    found = mutants_of_design(design, only)
    if not found:
        raise UsageError(f"{design.name}: its sources have nothing to mutate")
    return found


def _chosen(mutants: Sequence[Mutant], sample: int | None, seed: int, only: Sequence[int]) -> list[Mutant]:
    for number in only:
        if not 1 <= number <= len(mutants):
            raise UsageError(f"--mutant {number}: expected a number from 1 to {len(mutants)}")
    if only:
        return [m for m in mutants if m.number in only]
    return list(mutants) if sample is None else draw_mutants(mutants, sample, seed)


def _say(text: str) -> None:
    Screen(stderr=True, highlight=False).print(text, markup=False, soft_wrap=True)


@contextmanager
def _runner(
    engine: str, keys: Path | None, wait_s: float, items: Sequence[Item], jobs: int | None
) -> Iterator[Callable[[Campaign, Sequence[Mutant]], Iterator[Fate]]]:
    """What runs mutants of a campaign: simulators of this machine, or a farm."""
    if engine == LOCAL:
        at_a_time = jobs or len(os.sched_getaffinity(0))
        yield lambda campaign, some: campaign.fates(some, at_a_time)
        return
    from goldbeat.tb.mutate.farm import MutantFarm
    from goldbeat.tb.mutate.farm_task import run_mutants
    from goldbeat.tb.regress.farm import connect
    from goldbeat.tb.regress.farm_task import run_apart
    from goldbeat.tb.regress.farm_versions import need_native

    with connect(engine, keys, native=need_native(items), wait_s=wait_s) as executor:

        def tick() -> None:
            for text in executor.check():
                _say(text)

        farm = MutantFarm(executor, tick, partial(run_apart, executor.topic, run_mutants))
        yield farm.fates
        if farm.replaced:
            _say(_REPLACED.format(farm.replaced))


def _run(campaign: Campaign, left: Sequence[Mutant], journal: Journal, fates: dict[int, Fate], runner: _Runner) -> None:
    """Run mutants; those that survive once more, to tell whether they are reached."""
    campaign.check_original()
    columns = (MofNCompleteColumn(), "survived", TimeElapsedColumn(), TimeRemainingColumn())
    with progress(Screen(stderr=True), *columns) as bar:
        task = bar.add_task("mutants", total=len(left), survived="")
        survivors = []
        for fate in runner(left):
            fates[fate.mutant.number] = fate
            if fate.status == "killed":
                journal.add(fate)
            else:
                survivors.append(fate.mutant)
            bar.update(task, advance=1, survived=f"{len(survivors)} survived" if survivors else "")
        if survivors:
            bar.update(task, description="are they reached?", total=len(left) + len(survivors))
            campaign.watch(survivors)
            for fate in runner(survivors):
                fates[fate.mutant.number] = fate
                journal.add(fate)
                bar.update(task, advance=1)
    if campaign.replaced:
        _say(_REPLACED.format(campaign.replaced))


def _prove(
    tool: Yosys,
    design: Design,
    items: Sequence[Item],
    journal: Journal,
    fates: dict[int, Fate],
    folder: Path,
    jobs: int | None,
) -> None:
    """Those that no case has noticed and that Yosys proves to be equivalent get this fate."""
    open_ones = [fate.mutant for fate in fates.values() if fate.status in _UNNOTICED]
    if not open_ones:
        return
    columns = (MofNCompleteColumn(), "proven", TimeElapsedColumn())
    with (
        tempfile.TemporaryDirectory(prefix="proofs-", dir=folder) as place,
        progress(Screen(stderr=True), *columns) as bar,
    ):
        task = bar.add_task("are they equivalent?", total=len(open_ones), proven="")
        prover = EquivalenceProver(tool, design, parameter_sets(items, design), Path(place).resolve())
        count = 0
        for mutant, proven in prover.proven(open_ones, jobs or len(os.sched_getaffinity(0))):
            if proven:
                count += 1
                fates[mutant.number] = Fate(mutant, "equivalent", reason=PROVEN)
                journal.add(fates[mutant.number])
            bar.update(task, advance=1, proven=f"{count} proven")


def _show_list(mutants: Sequence[Mutant], as_json: bool) -> None:
    if as_json:
        rows = [(m.number, str(m.place.file), m.place.line, m.place.column, m.operator, m.change) for m in mutants]
        print_json(
            [dict(zip(("mutant", "file", "line", "column", "operator", "change"), r, strict=True)) for r in rows]
        )
        return
    out = Screen(highlight=False)
    for m in mutants:
        where = f"{m.place.file.name}:{m.place.line}:{m.place.column}"
        out.print(f"{m.number:5}  {where}  {m.operator}: {m.change}", markup=False, soft_wrap=True)


def _show(design: Design, fates: Sequence[Fate], stale: Sequence[MutantWaiver], folder: Path) -> None:
    out = Screen(highlight=False)
    notable = [f for f in fates if f.status in _UNNOTICED]
    for fate in notable[:_SHOWN]:
        place = fate.mutant.place
        where = f"{place.file.name}:{place.line}:{place.column}"
        text = f"{fate.status}: mutant {fate.mutant.number}, {where}, {fate.mutant.operator}: {fate.mutant.change}"
        out.print(text, markup=False, soft_wrap=True)
    if len(notable) > _SHOWN:
        out.print(f"and {len(notable) - _SHOWN} more; see the page")
    for waiver in stale:
        out.print(
            f"waiver matches no mutant: {waiver.file}: {waiver.line}", style="yellow", markup=False, soft_wrap=True
        )
    counted = score(fates)
    by = ", ".join(f"{name} {n}" for name, n in sorted(counted.by.items(), key=lambda one: -one[1]))
    counts = ", ".join(
        f"{counted.counts[s]} {s}" for s in ("killed", *_UNNOTICED, "equivalent", "waived") if s in counted.counts
    )
    out.print(f"{design.name}: {counts} of {len(fates)} mutants", markup=False, soft_wrap=True)
    if by:
        out.print(f"killed by: {by}", markup=False, soft_wrap=True)
    if counted.share is not None:
        out.print(f"score: {100 * counted.share:.1f} %", markup=False)
    out.print(f"page: {folder / PAGE}", markup=False, soft_wrap=True)
