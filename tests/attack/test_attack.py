# SPDX-License-Identifier: Apache-2.0
"""The attack itself: its kinds are those of the documentation, its draw repeats, and a tiny one ends well."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
DOCS = HERE.parents[1] / "docs" / "regress.md"


def attack(*words, code=0):
    done = subprocess.run(
        [sys.executable, str(HERE / "attack.py"), *words], capture_output=True, text=True, check=False, timeout=850
    )
    assert done.returncode == code, done.stdout[-3000:] + done.stderr[-6000:]
    return done.stdout


def test_the_table_has_every_kind_once():
    table = DOCS.read_text().partition("| fault | what happens | attack |")[2].partition("\n\n")[0]
    named = [
        name for line in table.splitlines() for name in re.findall(r"`([^`]+)`", line.rstrip("| ").rpartition("|")[2])
    ]
    assert sorted(named) == json.loads(attack("--list", "--json"))
    assert len(set(named)) == len(named)


@pytest.mark.slow
def test_bad_usage_is_refused():
    attack("--kind", "nothing-of-the-kind", code=2)
    attack("--faults", "0", code=2)


@pytest.mark.sim
@pytest.mark.slow
def test_a_tiny_attack():
    said = json.loads(attack("--cheap", "--json", "--seed", "3", "--jobs", "1"))
    assert len(said["faults"]) >= 10
    assert said["broken"] == 0
    # Each made its fault: an attack that did nothing would say nothing.
    assert all(fault["what"] for fault in said["faults"])


@pytest.mark.sim
@pytest.mark.slow
def test_a_lost_result_is_found():
    """Break it on purpose: a case that disappears, and one that is a lie."""
    sys.path.insert(0, str(HERE))
    try:
        from arena import BrokenError
        from kinds import same
    finally:
        sys.path.remove(str(HERE))

    class Fake:
        def __init__(self, ends):
            self.found = ends

        def ends(self, run):
            return self.found

    good = {0: ("pass", 1, "a", 2), 1: ("fail", 1, "b", 2)}
    same(Fake(good), good)
    with pytest.raises(BrokenError, match=r"cases \[0\], expected \[0, 1\]"):
        same(Fake({0: good[0]}), good)
    with pytest.raises(BrokenError, match="differ from the undisturbed run"):
        same(Fake({**good, 1: ("pass", 1, "b", 2)}), good)
