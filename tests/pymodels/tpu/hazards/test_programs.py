# SPDX-License-Identifier: Apache-2.0
"""Random programs: safe ones are left alone, and a weaker dependency is found exactly where bytes say that it matters."""

from dataclasses import replace

import pytest
from tpu_safe import GEOMETRY, SafeMaker, conflicting
from turns import in_turn

from goldbeat.pymodels.tpu.hazards.report import HAZARD_ADVICE, check_hazards
from goldbeat.pymodels.tpu.streams.checks import ADVICE, check_streams

RACES = {"read-after-write", "write-after-read", "write-after-write"}


def program(seed: int, commands: int = 14):
    name = list(GEOMETRY)[seed % len(GEOMETRY)]
    cores = 2 if name in ("BM1688", "BM1690") and seed % 8 > 3 else 1
    return SafeMaker(name, seed, cores).make(commands)


def check_safe(seeds):
    commands = 0
    for seed in seeds:
        made = program(seed)
        report = check_hazards(made.chip, made.streams())
        found = [*report.findings, *check_streams(made.chip, made.streams())]
        assert [str(one) for one in found if one.rule not in ADVICE | HAZARD_ADVICE] == [], seed
        assert not report.omitted
        assert not report.unchecked
        commands += report.commands
    return commands


def test_safe_programs_raise_no_alarm():
    assert check_safe(range(12)) > 200


@pytest.mark.slow
def test_a_hundred_safe_programs_raise_no_alarm():
    assert check_safe(in_turn(range(100, 1100))) > 2_000


def weakened(made, key, row, dep):
    """The streams with another dependency, and whether two commands race now: one engine knows the other by prefix alone."""
    lanes = {other: [replace(one) for one in commands] for other, commands in made.lanes.items()}
    lanes[key][row].dep = dep
    core = key[0]
    races = False
    for one, two in (("tiu", "gdma"), ("gdma", "tiu")):
        known = 0
        for place, command in enumerate(lanes[core, one]):
            known = max(known, command.dep)
            for j, other in enumerate(lanes[core, two]):
                behind = max((it.dep for it in lanes[core, two][: j + 1]), default=0) > place
                if j >= known and not behind and conflicting(command, other):
                    races = True
    return replace(made, lanes=lanes).streams(), races


def check_weaker(seeds):
    found = silent = 0
    for seed in seeds:
        made = SafeMaker(list(GEOMETRY)[seed % len(GEOMETRY)], seed).make(10)
        for key, commands in made.lanes.items():
            for row, one in enumerate(commands):
                for dep in {0, one.dep - 1} if one.dep else ():
                    streams, races = weakened(made, key, row, dep)
                    rules = {f.rule for f in check_hazards(made.chip, streams).findings}
                    assert bool(rules & RACES) == races, (seed, key, row, dep)
                    found, silent = found + races, silent + (not races)
    return found, silent


def test_weaker_dependencies_are_found_where_they_matter():
    found, silent = check_weaker(range(4))
    assert found >= 15
    assert silent > 0


@pytest.mark.slow
def test_many_weaker_dependencies():
    found, silent = check_weaker(range(100, 180))
    assert found >= 300
    assert silent > 30
