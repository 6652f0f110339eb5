# SPDX-License-Identifier: Apache-2.0
"""Faults of what a user writes: models and stimulus makers that fall over, loop, leave or print; RTL that crashes or hangs."""

from __future__ import annotations

import json
import random
import xml.etree.ElementTree as ET
from functools import partial

from arena import MOODY, Arena, demand
from kinds import FAILED, REGRESS, ended, kind, same, undisturbed

_SEEDS = 5
# Of the mood: what becomes of its case, a part of the reason, and the suite's time-out.
_MOODS: dict[str, tuple[str, str, float]] = {
    "raise": ("error", "raised ZeroDivisionError: a stimulus maker that falls over", 120),
    "gone": ("error", "weights.bin", 120),
    "reset": ("error", "the licence server has gone", 120),
    "half": ("error", "half a pair", 120),
    "control": ("error", "raised ValueError", 120),
    "exit": ("error", "raised SystemExit", 120),
    "loop": ("timeout", "was still running after 3 s", 3),
    "stuck": ("timeout", "did not return to Python", 3),
    "print": ("pass", "", 120),
    "crash": ("crash", "ended by signal 11", 120),
    "hang": ("timeout", "still running after 3 s", 3),
    "end": ("error", "stopped in episode 0", 120),
    "lie": ("fail", "m_axis", 120),
}
_KINDS: dict[str, tuple[str, ...]] = {
    "model-raises": ("raise",),
    "model-oserror": ("gone", "reset"),
    "model-surrogates": ("half",),
    "model-control-characters": ("control",),
    "model-leaves": ("exit",),
    "model-loops": ("loop",),
    "model-stuck-in-c": ("stuck",),
    "model-prints": ("print",),
    "case-crashes": ("crash",),
    "case-hangs": ("hang",),
    "case-ends-early": ("end",),
    "case-lies": ("lie",),
}


def _clean(text: str, what: str) -> None:
    bad = sorted({c for c in text if (ord(c) < 32 and c not in "\n\t") or 0x7F <= ord(c) < 0xA0})
    demand(not bad, f"{what} has control characters: {bad}")


def _reports(arena: Arena) -> None:
    """What people and machines read is text, whatever the design says."""
    folder = arena.build / "regress" / "run-1"
    for name in ("index.html", "junit.xml", "report.json"):
        _clean((folder / name).read_text(), name)
    demand("<script>alert" not in (folder / "index.html").read_text(), "markup reached the page")
    ET.parse(folder / "junit.xml")
    json.loads((folder / "report.json").read_text())


def _moody(moods: tuple[str, ...], arena: Arena, rng: random.Random) -> str:
    mood = rng.choice(moods)
    status, text, timeout_s = _MOODS[mood]
    seeds = rng.sample(range(_SEEDS), rng.choice([1, 1, 2]))
    expected = undisturbed(arena, seeds=_SEEDS)
    suite = arena.suite(seeds=_SEEDS, moods=" ".join(f"{mood}@{s}" for s in seeds), timeout_s=timeout_s)
    said = arena.goldbeat("regress", suite, *REGRESS, "--json")
    ended(said, 0 if status == "pass" else FAILED)
    _clean(said.out, "stdout")
    _clean(said.err, "stderr")
    report = json.loads(said.out)
    demand(report["status"] == ("pass" if status == "pass" else "fail"), "the JSON has another verdict")
    same(arena, expected, but=frozenset(seeds))
    for seed in seeds:
        demand(arena.ends()[seed][0] == status, f"case {seed} is {arena.ends()[seed]}, expected {status}")
        demand(status == "pass" or text in arena.why()[seed], f"nothing says {text!r}: {arena.why()}")
    _reports(arena)
    return f"{mood} at {seeds}"


for _name, _all in _KINDS.items():
    kind(_name, cheap=_name in ("model-raises", "model-prints"))(partial(_moody, _all))


@kind("run-model", weight=3)
def _run(arena: Arena, rng: random.Random) -> str:
    mood = rng.choice(sorted(_MOODS))
    status, text, timeout_s = _MOODS[mood]
    line = ["run", MOODY, "--seed", "0", "--set", f"moods={mood}@0", "--timeout", str(timeout_s), "--name", "x"]
    said = arena.goldbeat(*line)
    texts = {"end": "", "crash": "", "stuck": "most recent call first"}
    demand(said.code in ((0,) if status == "pass" else (1, 2)), f"exit code {said.code}: {said.err[-1000:]}")
    demand(texts.get(mood, text) in said.out + said.err, f"nothing says {text!r}: {said.out[-500:]} {said.err[-1000:]}")
    # What a model raises is shown from the model on; nothing of Goldbeat's way there.
    demand(mood == "stuck" or "tb/cli" not in said.out + said.err, f"a traceback of Goldbeat's own: {said.err[-2000:]}")
    _clean(said.out, "stdout")
    _clean(said.err, "stderr")
    ended(arena.goldbeat("run", MOODY, "--seed", "0", "--name", "x"), 0)
    return f"{mood}: exit code {said.code}"
