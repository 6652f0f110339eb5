# SPDX-License-Identifier: Apache-2.0
"""Fit the cost model of TPU commands to half of the profiles at hand, and print its error on the other half.

Each of the ``--folders`` has one folder per compiled network, with a BModel
(or ``tiu.bin``, ``dma.bin`` and ``meta.json``) and the compiler's ``compiler_profile_N.txt``. ``make_tpu_profiles.py`` makes such
folders. The names of networks (the part of a folder's name before the first ``_``) are sorted, and every second one is in the half
that is fitted to, on all chips. ``--write yes`` puts the rates into ``pymodels/tpu/cost/rates.json``.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from measured import Row, Skipped, benchmark

from goldbeat.pymodels.errors import GoldbeatError
from goldbeat.pymodels.tpu.cost.estimate import estimate
from goldbeat.pymodels.tpu.cost.rates import rates_of
from goldbeat.pymodels.tpu.cost.work import dma_work, tiu_work
from goldbeat.pymodels.tpu.hazards.operands import chip_memory, engine_builders
from goldbeat.pymodels.tpu.streams.bmodel import CommandStream
from goldbeat.pymodels.tpu.streams.container import commands, load_streams
from goldbeat.pymodels.tpu.streams.decode import Commands, decode_stream
from goldbeat.pymodels.tpu.streams.profile import core_of, fit, read_sections
from goldbeat.pymodels.tpu.streams.schedule import lane, schedule
from goldbeat.pymodels.tpu.streams.tables import chip

RATES = Path(__file__).parents[2] / "pymodels/tpu/cost/rates.json"
FILES = ("pymodels/tpu/cost/*.*",)
SOURCE = "fitted to the profiles that the vendor's compiler (tpu_mlir 1.30.2) writes; its timing, not that of silicon"
_STEPS = (1, 2, 4, 8, 16, 32, 64, 128)
_BURSTS = (0, 64, 128, 256, 512, 1024)
Rows = dict[tuple[str, str], dict[str, list[tuple[int, ...]]]]
"""By engine and form, by key: cycles, repeats, line, depth, bytes, runs."""


@dataclass
class Profiled:
    """A compiled network with its profile: commands of both engines, and their cycles by the profile (-1: not in it)."""

    name: str
    chip: str
    members: list[tuple[CommandStream | None, Commands, np.ndarray]] = field(default_factory=list)

    @property
    def network(self) -> str:
        """Its name without chip and mode."""
        return self.name.split("_")[0]


def _streams(folder: Path) -> tuple[str, list[tuple[int, int, Commands]]]:
    """Chip; core, sub-net and commands."""
    container = next(iter(sorted(folder.glob("*.bmodel"))), None)
    if container is not None:
        of, streams, _ = load_streams(container)
        return of.name, [(s.core, s.subnet, one) for s in streams for one in commands(of, s, container).values()]
    of = chip(json.loads((folder / "meta.json").read_text())["chip"])
    files = (("tiu", "tiu.bin"), ("gdma", "dma.bin"))
    return of.name, [(0, 0, decode_stream(of.engine(e), (folder / f).read_bytes())) for e, f in files]


def read_folder(folder: Path) -> Profiled:
    """Read a network; raises GoldbeatError where profile and streams do not fit."""
    name, found = _streams(folder)
    made = Profiled(folder.name, name)
    took = {id(one): np.full(len(one), -1, np.int64) for _, _, one in found}
    for file in sorted(folder.glob("compiler_profile_*.txt")):
        subnets: dict[int, list[Commands]] = {}
        for core, subnet, one in found:
            if core == core_of(file):
                subnets.setdefault(subnet, []).append(one)
        named = [(str(number), parts) for number, parts in subnets.items()]
        for one, durations in fit(read_sections(file), named, file):
            took[id(one)][durations.rows] = durations.cycles
    made.members = [(None, one, took[id(one)]) for _, _, one in found]
    return made


def networks(folders: list[Path]) -> Iterator[Profiled]:
    """All that have a profile which fits, and a chip whose memories are known."""
    for folder in sorted(one for root in folders for one in root.iterdir() if one.is_dir()):
        has = any(folder.glob("*.bmodel")) or (folder / "meta.json").exists()
        if not has or not any(folder.glob("compiler_profile_*.txt")):
            continue
        try:
            made = read_folder(folder)
        except GoldbeatError as error:
            print(f"left out: {folder.name}: {str(error)[:100]}", file=sys.stderr)
            continue
        if chip_memory(made.chip) is not None and made.chip != "BM1684":
            yield made


def rows_of(found: list[Profiled]) -> Rows:
    """Cycles and work of all commands that a profile has."""
    made: Rows = defaultdict(lambda: defaultdict(list))
    for network in found:
        memory = chip_memory(network.chip)
        assert memory is not None
        for _, one, took in network.members:
            engine = "tiu" if one.engine.name == "tiu" else "dma"
            for b in engine_builders(memory, one):
                work = (tiu_work if engine == "tiu" else dma_work)(b, [one.op(int(row)) for row in b.rows])
                numbers = np.stack([took[work.rows], work.repeats, work.line, work.depth, work.bytes, work.runs], 1)
                for key, row in zip(work.key, numbers.tolist(), strict=True):
                    if row[0] >= 0:
                        made[engine, b.kind.name][key].append(tuple(row))
    return made


def fit_tiu(rows: list[tuple[int, ...]]) -> list[float]:
    """line, depth, step, start with the least mean error; of equal ones the narrowest."""
    x = np.array(rows, np.float64)
    took, weight = x[:, 0], 1 / np.maximum(x[:, 0], 1)
    if (x[:, 1:4] == 1).all():
        return [1, 1, round(float(np.median(took)), 2), 0.0]
    best: tuple[float, list[float]] | None = None
    for line in _STEPS:
        for depth in _STEPS if x[:, 3].max() > 1 else (1,):
            units = x[:, 1] * np.ceil(x[:, 2] / line) * np.ceil(x[:, 3] / depth)
            for start in (False, True):
                columns = np.stack([np.ones_like(units), units], 1)[:, 0 if start else 1 :]
                if start:
                    found = np.linalg.lstsq(columns * weight[:, None], took * weight, rcond=None)[0]
                else:
                    found = np.array([np.median(took / units)])
                if (found < 0).any():
                    continue
                # A start, or less than a cycle per step, must be worth it.
                penalty = 0.005 * start + 0.02 * bool(found[-1] < 0.9)
                error = round(float(np.mean(np.abs(columns @ found - took) * weight)), 3) + penalty
                if best is None or error < best[0]:
                    numbers = [line, depth, round(float(found[-1]), 4), round(float(found[0]), 2) if start else 0.0]
                    best = (error, numbers)
    assert best is not None
    return best[1]


def fit_dma(rows: list[tuple[int, ...]]) -> list[float]:
    """start, burst, cycles per byte with the least mean error."""
    x = np.array(rows, np.float64)
    took = np.maximum(x[:, 0], 1)
    if not x[:, 4].any():
        return [round(float(np.median(x[:, 0])), 2), 0, 0.0]
    best: tuple[float, list[float]] | None = None
    for burst in _BURSTS:
        moved = np.maximum(x[:, 4], x[:, 5] * burst)
        for start in (False, True):
            columns = np.stack([np.ones_like(moved), moved], 1)[:, 0 if start else 1 :]
            found = np.linalg.lstsq(columns / took[:, None], np.ones_like(took), rcond=None)[0]
            error = float(np.mean(np.abs(columns @ found / took - 1)))
            if (found >= 0).all() and (best is None or error < best[0] - 0.003):
                best = (error, [round(float(found[0]), 2) if start else 0.0, burst, round(float(found[-1]), 6)])
    return best[1] if best is not None else [round(float(np.median(took)), 2), 0, 0.0]


def fit_chip(found: list[Profiled]) -> dict[str, object]:
    """A chip's entry of the table."""
    made: dict[str, dict[str, dict[str, list[float]]]] = {"tiu": {}, "dma": {}}
    count = 0
    for (engine, form), keys in sorted(rows_of(found).items()):
        one = fit_tiu if engine == "tiu" else fit_dma
        groups: dict[str, list[tuple[int, ...]]] = {}
        for key, rows in keys.items():
            count += len(rows)
            groups[key] = rows
            for name in {f"{key.split(' ')[0]} *", "*"}:
                groups[name] = groups.get(name, []) + rows
        made[engine][form] = {key: one(rows) for key, rows in sorted(groups.items())}
    return {"profiles": len(found), "commands": count, **made}


def _total(network: Profiled, cycles: list[np.ndarray]) -> int:
    engines = {one.engine.name: (one, took) for (_, one, _), took in zip(network.members, cycles, strict=True)}
    pair = [engines[name] for name in ("tiu", "gdma") if name in engines]
    return schedule([lane(one) for one, _ in pair], [took for _, took in pair]).last + 1


def errors(name: str, row: dict[str, object], found: list[Profiled]) -> dict[str, object]:
    """Errors per form and of whole networks, of the half that is reported."""
    rates = rates_of(name, SOURCE, row)
    forms: dict[str, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
    totals = []
    for network in found:
        guesses = []
        for _, one, took in network.members:
            cycles = estimate(rates, name, one).cycles
            guesses.append(cycles)
            for kind in one.kinds():
                rows = one.rows(kind)
                rows = rows[(took[rows] >= 0) & ~one.is_end[rows]]
                forms[kind.name][0].extend(took[rows].tolist())
                forms[kind.name][1].extend(cycles[rows].tolist())
        if len(network.members) == 2 and all((took >= 0).sum() for _, _, took in network.members):
            real = _total(network, [np.maximum(took, 0) for _, _, took in network.members])
            totals.append(_total(network, guesses) / real - 1)
    made: dict[str, object] = {}
    for form, (real_, guess) in sorted(forms.items()):
        if real_:
            t, p = np.array(real_, float), np.array(guess, float)
            mean = float(np.mean(np.abs(p - t) / np.maximum(t, 1)))
            whole = float(p.sum() / max(t.sum(), 1) - 1)
            made[form] = {"commands": len(t), "mean": round(mean, 4), "sum": round(whole, 4)}
    worst = max(totals, key=abs, default=0.0)
    mean = float(np.mean(np.abs(totals))) if totals else 0.0
    made["networks"] = {"count": len(totals), "mean": round(mean, 4), "worst": round(worst, 4)}
    return made


def _rates_text(chips: dict[str, object]) -> str:
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
    fitted = sorted({one.network for found in by_chip.values() for one in found})[::2]
    chips: dict[str, object] = {}
    for name, found in sorted(by_chip.items()):
        row = chips[name] = fit_chip([one for one in found if one.network in fitted])
        for form, one in errors(name, row, [one for one in found if one.network not in fitted]).items():
            assert isinstance(one, dict)
            yield Row(form, 100 * one["mean"], "%", column=name)
            if "worst" in one:
                yield Row("networks, worst", 100 * abs(one["worst"]), "%", column=name)
                yield Row("networks reported", one["count"], column=name)
    if write:
        RATES.write_text(_rates_text(chips), encoding="utf-8")


if __name__ == "__main__":
    benchmark(run, FILES, {"folders": (), "write": ""}, {})
