# SPDX-License-Identifier: Apache-2.0
"""The case ``fields``: without any bit of a descriptor's fields, something else comes out."""

from __future__ import annotations

from dataclasses import replace

import pytest

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.engine import engine_map as reg
from goldbeat.pymodels.objfifo.engine.alone import predict
from goldbeat.tb.designs.objfifo.bench_engine import DESIGN
from goldbeat.tb.run.runs import Request, run

REQUEST = Request(DESIGN, DESIGN.case("fields"))
ENOUGH = 48
FIELDS = [(name, field) for name, r in reg.REGISTERS.items() if name.startswith("BD.") for field in r.fields]
FEW = [("BD.ADDRESS", "BASE", 19), ("BD.LOCKS", "RELEASE_LOCK", 5)]


def outcome(episode):
    """What an episode shows, by the model; None: it is refused."""
    try:
        found = predict(REQUEST.all_params, episode)
    except UsageError:
        return None
    ports = {name: (t.data.tobytes(), t.cycle.tobytes(), t.last.tobytes()) for name, t in found.ports.items()}
    return ports, found.accesses, found.status


def without(episode, word, bit):
    """The episode with a bit left out of every descriptor."""
    place = reg.REGISTERS[word].address - reg.BD
    accesses = tuple(
        replace(a, value=a.value & ~(1 << bit))
        if reg.BD <= a.address < reg.LOCK and (a.address - reg.BD) % reg.BD_STRIDE == place
        else a
        for a in episode.program["s_axil"]
    )
    return replace(episode, program={"s_axil": accesses})


def missing(bits, count):
    """Those of some bits without which so many episodes show the same."""
    episodes = REQUEST.case.make(replace(REQUEST, options={"episodes": count}).setting(0))
    whole = {}
    found = []
    for word, lsb, bit in bits:
        for number, episode in enumerate(episodes):
            if number not in whole:
                whole[number] = outcome(episode)
            if outcome(without(episode, word, lsb + bit)) != whole[number]:
                break
        else:
            found.append((word, lsb + bit))
    return found


def test_high_bits_count():
    lsb = {(word, field.name): field.lsb for word, field in FIELDS}
    assert missing([(word, lsb[word, name], bit) for word, name, bit in FEW], 8) == []


@pytest.mark.slow
def test_every_bit_counts():
    assert missing([(word, field.lsb, bit) for word, field in FIELDS for bit in range(field.width)], ENOUGH) == []


@pytest.mark.sim
@pytest.mark.slow
@pytest.mark.parametrize("case", ["fields", "fields_npu1"])
@pytest.mark.parametrize("params", [*DESIGN.variants[:3], {"NBD": 64, "NLOCK": 64, "NS": 6, "NM": 6}])
def test_fields_of_every_variant(case, params, tmp_path):
    results = run(Request(DESIGN, DESIGN.case(case), range(5), params), tmp_path)
    assert [failure for result in results for failure in result.failures] == []
