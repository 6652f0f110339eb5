# SPDX-License-Identifier: Apache-2.0
"""Fit the cost model of TPU commands to half of the profiles at hand, and print its error on the other half.

Each of the ``--folders`` has, at any depth, folders of compiled models, with a BModel (or ``tiu.bin``, ``dma.bin`` and
``meta.json``) and the compiler's profiles. ``make_tpu_profiles.py`` and ``make_tpu_nets.py`` make such folders of networks,
``make_tpu_ops.py`` of op tests. Of the networks, and of the op tests, the names of families (the part of a folder's name before a
number or the chip) are sorted, and every second one is in the half that is fitted to, on all chips. ``--write yes`` puts the rates
of these chips into ``pymodels/tpu/cost/rates.json``. Models whose profile has no time for some of their moves are named and left
out of the errors; the mean of networks is over models, of networks and op tests apart.

On BM1688 the compiler counts moves of layer groups with 5/8 of the bandwidth of others. Nothing in a command tells which it is, so
rates are those of layer groups, where profiles have both.
"""

from __future__ import annotations

import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from measured import Row, Skipped, benchmark

from goldbeat.pymodels.errors import GoldbeatError
from goldbeat.pymodels.tpu.cost.estimate import estimate
from goldbeat.pymodels.tpu.cost.rates import BORROWED, FLAGS, of_operand, rates_of
from goldbeat.pymodels.tpu.cost.work import dma_work, natural_width, tiu_work
from goldbeat.pymodels.tpu.hazards.operands import chip_memory, engine_builders
from goldbeat.pymodels.tpu.streams.container import commands, load_streams
from goldbeat.pymodels.tpu.streams.decode import Commands, decode_stream
from goldbeat.pymodels.tpu.streams.profile import core_of, fit, read_sections, untimed_moves
from goldbeat.pymodels.tpu.streams.schedule import lane, schedule
from goldbeat.pymodels.tpu.streams.tables import chip

RATES = Path(__file__).parents[2] / "pymodels/tpu/cost/rates.json"
FILES = ("pymodels/tpu/cost/*.*",)
SOURCE = "fitted to the profiles that the vendor's compiler (tpu_mlir 1.30.2) writes; its timing, not that of silicon"
_FAMILY = re.compile(r"[A-Za-z]+(?:_[A-Za-z]+(?=\d))*")
_STEPS = (1, 2, 4, 8, 16, 32, 64, 128)
_BURSTS = (0, 64, 128, 256, 512, 1024)
_CHANNELS = (1, 4)
_LEAST_STEP = 0.01
_NAMED = 3
"""Models with the greatest errors that are named."""
_FEWEST_MOVES = 4
"""Different moves that a rate of their own needs; others take that of similar ones."""
_SHARED = ("BM1688",)
"""Chips on which the compiler counts moves of layer groups with less bandwidth."""
_PASSES, _NEAR = 8, 0.002
"""Fits of a rate, each with less weight for rows of greater error; errors below _NEAR count alike."""
_MOST_ROWS = 4000
"""Commands that one rate is fitted to."""
Rows = dict[tuple[str, str], dict[str, list[tuple[float, ...]]]]
"""By engine and form, by key: cycles, repeats, line, depth, bytes, bytes of a run, share of the channels, width of the types."""


@dataclass
class Member:
    """Commands of an engine.

    Attributes:
        place: core, sub-net and group.
        commands: of the engine.
        took: cycles by the profile, -1 where it has none.
        grouped: whether the compiler made a command for a layer group.
    """

    place: tuple[int, int, int]
    commands: Commands
    took: np.ndarray
    grouped: np.ndarray


@dataclass
class Profiled:
    """A compiled model with its profile; ``op_test``: of the compiler, not a network; ``untimed``: moves without a time."""

    name: str
    chip: str
    op_test: bool
    members: list[Member] = field(default_factory=list)
    untimed: int = 0

    @property
    def family(self) -> str:
        """What it is one of, such as networks of other sizes."""
        found = _FAMILY.match(self.name)
        return found[0] if found else self.name


def _streams(folder: Path) -> tuple[str, list[tuple[tuple[int, int, int], Commands]]]:
    """Chip; core, sub-net and group, and commands."""
    container = next(iter(sorted(folder.glob("*.bmodel"))), None)
    if container is not None:
        of, streams, _ = load_streams(container)
        places = [((s.core, s.subnet, s.group), s) for s in streams]
        return of.name, [(place, one) for place, s in places for one in commands(of, s, container).values()]
    of = chip(json.loads((folder / "meta.json").read_text())["chip"])
    files = (("tiu", "tiu.bin"), ("gdma", "dma.bin"))
    return of.name, [((0, 0, 0), decode_stream(of.engine(e), (folder / f).read_bytes())) for e, f in files]


def read_folder(folder: Path) -> Profiled:
    """Read a network; raises GoldbeatError where profile and streams do not fit."""
    name, found = _streams(folder)
    made = Profiled(folder.name, name, (folder / "model.bmodel").exists())
    made.members = [
        Member(place, one, np.full(len(one), -1, np.int64), np.zeros(len(one), np.bool_)) for place, one in found
    ]
    by_commands = {id(member.commands): member for member in made.members}
    for file in sorted(folder.glob("*profile_*.txt")):
        subnets: dict[int, list[Commands]] = {}
        for (core, subnet, _), one in found:
            if core == core_of(file):
                subnets.setdefault(subnet, []).append(one)
        named = [(str(number), parts) for number, parts in subnets.items()]
        sections = read_sections(file)
        made.untimed += sum(map(untimed_moves, sections))
        for one, durations in fit(sections, named, file):
            member = by_commands[id(one)]
            member.took[durations.rows] = durations.cycles
            member.grouped[durations.rows] = [layer.startswith(("Load_", "Store_")) for layer in durations.layer]
    return made


def networks(folders: list[Path]) -> Iterator[Profiled]:
    """All that have a profile which fits, and a chip whose memories are known."""
    for folder in sorted({one.parent for root in folders for one in root.rglob("*profile_*.txt")}):
        if not any(folder.glob("*.bmodel")) and not (folder / "meta.json").exists():
            continue
        try:
            made = read_folder(folder)
        except GoldbeatError as error:
            print(f"left out: {folder.name}: {str(error)[:100]}", file=sys.stderr)
            continue
        if chip_memory(made.chip) is not None and made.chip != "BM1684":
            yield made


def rows_of(chip_name: str, found: list[Profiled]) -> Rows:
    """Cycles and work of all commands that a profile has."""
    made: Rows = defaultdict(lambda: defaultdict(list))
    grouped: Rows = defaultdict(lambda: defaultdict(list))
    for network in found:
        memory = chip_memory(network.chip)
        assert memory is not None
        for member in network.members:
            one, took = member.commands, member.took
            engine = "tiu" if one.engine.name == "tiu" else "dma"
            for b in engine_builders(memory, one):
                work = (tiu_work if engine == "tiu" else dma_work)(b, [one.op(int(row)) for row in b.rows])
                columns = (work.repeats, work.line, work.depth, work.bytes, work.run, work.share)
                widths = np.array([natural_width(memory, key) for key in work.key], np.int64)
                numbers = np.stack([took[work.rows], *columns, widths], 1)
                flags = member.grouped[work.rows].tolist()
                for key, row, flag in zip(work.key, numbers.tolist(), flags, strict=True):
                    # The compiler has no time for some moves.
                    if row[0] >= (row[4] > 0):
                        (grouped if flag else made)[engine, b.kind.name][key].append(tuple(row))
    for form, keys in grouped.items():
        for key, rows in keys.items():
            made[form][key] = rows if chip_name in _SHARED else made[form][key] + rows
    return made


def fit_tiu(rows: list[tuple[float, ...]]) -> list[float]:
    """line, depth, step, start with the least mean error; line 0, the width of the types, if that is about as good."""
    x = np.array(rows, np.float64)
    took, weight = x[:, 0], 1 / np.maximum(x[:, 0], 1)
    if (x[:, 1:4] == 1).all():
        return [0 if x[:, 7].all() else 1, 1, round(float(np.median(took)), 2), 0.0]
    best: tuple[float, list[float]] | None = None
    for line in (0, *_STEPS) if x[:, 7].all() else _STEPS:
        for depth in _STEPS if x[:, 3].max() > 1 else (1,):
            units = x[:, 1] * np.ceil(x[:, 2] / (line or x[:, 7])) * np.ceil(x[:, 3] / depth)
            for start in (False, True):
                columns = np.stack([np.ones_like(units), units], 1)[:, 0 if start else 1 :]
                if start:
                    found = np.linalg.lstsq(columns * weight[:, None], took * weight, rcond=None)[0]
                else:
                    found = np.array([np.median(took / units)])
                if (found < 0).any() or found[-1] < _LEAST_STEP:
                    continue
                # A start, or less than a cycle per step, must be worth it.
                penalty = 0.005 * start + 0.02 * bool(found[-1] < 0.9) + 0.01 * bool(line)
                error = round(float(np.mean(np.abs(columns @ found - took) * weight)), 3) + penalty
                if best is None or error < best[0]:
                    numbers = [line, depth, round(float(found[-1]), 4), round(float(found[0]), 2) if start else 0.0]
                    best = (error, numbers)
    return best[1] if best is not None else [1, 1, 0.0, round(float(np.median(took)), 2)]


def fit_dma(rows: list[tuple[float, ...]]) -> list[float]:
    """start, burst, cycles per byte, channels with the least mean error; a profile has whole cycles, rounded down."""
    x = np.array(rows, np.float64)
    if not x[:, 4].any():
        return [round(float(np.median(x[:, 0])), 2), 0, 0.0, 1]
    took = x[:, 0] + 0.5
    best: tuple[float, list[float]] | None = None
    for burst, channels in product(_BURSTS, _CHANNELS):
        moved = x[:, 4] * np.maximum(1, burst / np.maximum(x[:, 5], 1)) * (x[:, 6] if channels > 1 else 1)
        for start in (False, True):
            columns = np.stack([np.ones_like(moved), moved], 1)[:, 0 if start else 1 :]
            found = _least(columns / took[:, None])
            error = float(np.mean(np.abs(columns @ found / took - 1)))
            if (found >= 0).all() and (best is None or error < best[0] - 0.003):
                best = (
                    error,
                    [round(float(found[0]), 2) if start else 0.0, burst, round(float(found[-1]), 7), channels],
                )
    return best[1] if best is not None else [round(float(np.median(took)), 2), 0, 0.0, 1]


def _least(columns: np.ndarray) -> np.ndarray:
    """Factors with which the columns add up to about 1: least squares, then less weight for rows that are far off."""
    weight = np.ones(len(columns))
    for _ in range(_PASSES):
        found: np.ndarray = np.linalg.lstsq(columns * weight[:, None], weight, rcond=None)[0]
        weight = 1 / np.sqrt(np.abs(columns @ found - 1) + _NEAR)
    return found


def merged(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    """New rates, and those of the table for what these models have nothing like."""
    made = dict(new)
    for engine in ("tiu", "dma"):
        rates = {}
        for form in sorted({*old.get(engine, {}), *new[engine]}):
            mine = new[engine].get(form, {})
            kept = {key: rate for key, rate in old.get(engine, {}).get(form, {}).items() if of_operand(key) not in mine}
            rates[form] = dict(sorted((kept | mine).items()))
        made[engine] = rates
    return made


def fit_chip(name: str, found: list[Profiled]) -> dict[str, Any]:
    """A chip's entry of the table."""
    made: dict[str, dict[str, dict[str, list[float]]]] = {"tiu": {}, "dma": {}}
    count = 0
    for (engine, form), keys in sorted(rows_of(name, found).items()):
        groups: dict[str, list[tuple[float, ...]]] = {}
        for key, rows in keys.items():
            count += len(rows)
            groups[key] = rows
            plain = not key.endswith(tuple(FLAGS))
            for group in {
                f"{key.split(' ')[0]} *",
                "*",
                *([of_operand(key)] if engine == "tiu" and plain and ">" in key else []),
            }:
                groups[group] = groups.get(group, []) + rows
        for key, rows in sorted(groups.items()):
            if engine == "dma" and key != "*" and len({row[4:7] for row in rows}) < _FEWEST_MOVES:
                continue
            rows = rows[:: len(rows) // _MOST_ROWS + 1]
            fitted = fit_tiu(rows) if engine == "tiu" else fit_dma(rows)
            made[engine].setdefault(form, {})[key] = fitted
    return {"profiles": len(found), "commands": count, **made}


def _total(network: Profiled, cycles: list[np.ndarray]) -> int:
    """Cycles of all groups, one after the other."""
    groups: dict[tuple[int, int, int], list[tuple[Commands, np.ndarray]]] = defaultdict(list)
    for member, took in zip(network.members, cycles, strict=True):
        if member.commands.engine.name in ("tiu", "gdma"):
            groups[member.place].append((member.commands, took))
    return sum(
        schedule([lane(one) for one, _ in pair], [took for _, took in pair]).last + 1 for pair in groups.values()
    )


def _shares(real: list[int], guess: list[int]) -> dict[str, float]:
    """Errors of a form's commands: their mean, and that of the sum."""
    t, p = np.array(real, float), np.array(guess, float)
    mean = float(np.mean(np.abs(p - t) / np.maximum(t, 1)))
    return {"commands": len(t), "mean": round(mean, 4), "sum": round(float(p.sum() / max(t.sum(), 1) - 1), 4)}


def errors(name: str, row: dict[str, Any], found: list[Profiled]) -> dict[str, dict[str, float]]:
    """Errors per form and of whole models, of the half that is reported."""
    rates = rates_of(name, SOURCE, row)
    forms: dict[str, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
    totals: dict[str, list[tuple[float, str]]] = {"networks": [], "op tests": []}
    for model in found:
        if model.untimed:
            print(f"{name} {model.name}: no time for {model.untimed} moves, left out", file=sys.stderr)
            continue
        guesses = []
        for member in model.members:
            one, took = member.commands, member.took
            cycles = estimate(rates, name, one).cycles
            guesses.append(cycles)
            for kind in one.kinds():
                rows = one.rows(kind)
                rows = rows[(took[rows] >= 0) & ~one.is_end[rows]]
                forms[kind.name][0].extend(took[rows].tolist())
                forms[kind.name][1].extend(cycles[rows].tolist())
        one_core = all(member.place[0] == 0 for member in model.members)
        if one_core and any((member.took > 0).any() for member in model.members):
            real = _total(model, [np.maximum(member.took, 0) for member in model.members])
            totals["op tests" if model.op_test else "networks"].append((_total(model, guesses) / real - 1, model.name))
    made = {form: _shares(*both) for form, both in sorted(forms.items()) if both[0]}
    for what, each in totals.items():
        if each:
            shares = np.abs([share for share, _ in each])
            many = {"count": len(each), "mean": float(np.mean(shares)), "median": float(np.median(shares))}
            made[what] = many | {"worst": float(shares.max())}
            for share, which in sorted(each, key=lambda one: -abs(one[0]))[:_NAMED]:
                print(f"{name} {which}: {share:+.1%}", file=sys.stderr)
    return made


def _rates_text(chips: dict[str, dict[str, Any]]) -> str:
    """The table: a key per line."""
    text = json.dumps({"format": 1, "source": SOURCE, "chips": chips}, indent=1)
    lines, joined = text.split("\n"), []
    for line in lines:
        if (joined and joined[-1].endswith("[")) or (joined and joined[-1].count("[") > joined[-1].count("]")):
            joined[-1] += line.strip() + (" " if line.endswith(",") else "")
            joined[-1] = joined[-1].rstrip() if line.strip().startswith("]") else joined[-1]
        else:
            joined.append(line)
    return "\n".join(joined) + "\n"


def run(folders: tuple[str, ...], write: str) -> Iterator[Row | Skipped]:
    """Fit, report, and store if asked to."""
    if not folders:
        yield Skipped("name folders of compiled networks and their profiles with --folders")
        return
    by_chip: dict[str, list[Profiled]] = defaultdict(list)
    for network in networks([Path(folder) for folder in folders]):
        by_chip[network.chip].append(network)
    kinds = {
        op_test: {one.family for found in by_chip.values() for one in found if one.op_test == op_test}
        for op_test in (0, 1)
    }
    fitted = {(op_test, name) for op_test, names in kinds.items() for name in sorted(names)[1::2]}
    kept = json.loads(RATES.read_text(encoding="utf-8"))["chips"]
    chips: dict[str, dict[str, Any]] = {}
    for name, found in sorted(by_chip.items()):
        if name in BORROWED:
            continue
        mine = [one for one in found if (one.op_test, one.family) in fitted]
        chips[name] = merged(kept.get(name, {}), fit_chip(name, mine))
    for name, found in sorted(by_chip.items()):
        row = chips.get(BORROWED.get(name, name))
        if row is None:
            continue
        for form, one in errors(name, row, [one for one in found if (one.op_test, one.family) not in fitted]).items():
            yield Row(form, 100 * one["mean"], "%", column=name)
            if "worst" in one:
                yield Row(f"{form}, median", 100 * one["median"], "%", column=name)
                yield Row(f"{form}, worst", 100 * one["worst"], "%", column=name)
                yield Row(f"{form} reported", one["count"], column=name)
    if write:
        RATES.write_text(_rates_text(dict(sorted((kept | chips).items()))), encoding="utf-8")


if __name__ == "__main__":
    benchmark(run, FILES, {"folders": (), "write": ""}, {})
