# SPDX-License-Identifier: Apache-2.0
"""Error answers and attributes across adapters: what swallows, changes or mixes them up is found, and by name."""

import re

import numpy as np
import pytest
from bus_bridges import bench, bridges

from goldbeat.pymodels.axi.attributes import CACHES, AskedWords, AttributeDraw, Carried
from goldbeat.pymodels.axi.burst import FIXED, INCR, READ, WRITE, Bursts
from goldbeat.pymodels.axi.memory import MemoryImage
from goldbeat.pymodels.axi.program import BurstProgram
from goldbeat.pymodels.bus_models import Route, bus_outcome
from goldbeat.pymodels.buses import APB, AXI, AXIL, WISHBONE
from goldbeat.pymodels.stimulus import Stimulus
from goldbeat.tb.design.address_map import AddressStretch
from goldbeat.tb.design.bus_ports import BusPorts
from goldbeat.tb.design.description import load_description
from goldbeat.tb.design.ports.apb import ApbPort
from goldbeat.tb.design.ports.lite import LitePort
from goldbeat.tb.design.ports.memory import MemoryPort
from goldbeat.tb.design.ports.wishbone import WishbonePort
from goldbeat.tb.run.attribute_check import check_attributes
from goldbeat.tb.run.runs import Request, run

LITE = {
    "{s}_bresp": "2'b00",
    "{s}_rresp": "2'b00",
    "{s}_rresp ": "{{{m}_rresp[0], {m}_rresp[1]}}",
    "{s}_rresp  ": "{{{m}_rresp[1], 1'b0}}",
    "{m}_awprot": "3'b000",
    "{m}_arprot": "{{1'b0, {s}_arprot[1:0]}}",
    "{m}_arprot ": "{s}_awprot",
}
"""What is assigned in place of the signal of the other side, one in each lane from 1 on."""
PERIPHERAL = {
    "{s}_pslverr": "1'b0",
    "{s}_pslverr ": "{m}_pslverr & {m}_pwrite",
    "{s}_pslverr  ": "{m}_pslverr & ~{m}_pwrite",
    "{m}_pprot": "3'b010",
}
BURSTS = {
    "{s}_bresp": "2'b00",
    "{s}_bresp ": "{m}_bresp[1] ? 2'b10 : {m}_bresp",
    "{s}_rresp": "{m}_rlast ? 2'b00 : {m}_rresp",
    "{m}_awprot": "{s}_awprot & 3'b110",
    "{m}_arcache": "{s}_arcache | 4'b0010",
    "{m}_awqos": "4'b0000",
    "{m}_arregion": "4'b0000",
    "{m}_awuser": "2'b00",
    "{m}_arlock": "1'b0",
    "{m}_awlock": "1'b0",
    "{m}_wuser": "{s}_wuser & 3'b110",
    "{s}_buser": "2'b00",
    "{s}_ruser": "{m}_rlast ? {m}_ruser : 9'd0",
}
LEFT_OUT = ("wuser", "buser", "ruser")


def failures(path):
    design = load_description(path)
    (result,) = run(Request(design, design.case("sweep"), (0,)))
    assert not result.warnings
    return result


@pytest.mark.sim
@pytest.mark.parametrize(
    ("bus", "faults", "width"),
    [(AXIL, LITE, 12), (APB, PERIPHERAL, 12), pytest.param(AXI, BURSTS, 16, marks=pytest.mark.slow)],
    ids=["axil", "apb", "axi"],
)
def test_each_fault_is_found_in_its_lane_and_the_right_lane_passes(tmp_path, bus, faults, width):
    result = failures(bench(tmp_path, bridges(bus, faults, width)))
    assert result.open == ()
    for lane, name in enumerate(faults, 1):
        signal = name.strip().format(s="s", m="m")
        # Without its lock, an exclusive access is one of the others to its bytes, but its answer is not EXOKAY.
        arrives = signal.startswith("m_") and "lock" not in signal
        begin = f"memory m_{lane}: {signal} of " if arrives else f"s_{lane}: "
        found = [text for text in result.failures if begin in text]
        assert found, (name, result.failures[:5])
    strange = [text for text in result.failures if re.search(r"\b[sm]_0\b", text)]
    assert strange == []


@pytest.mark.slow
@pytest.mark.sim
def test_a_confirmed_attribute_is_not_compared(tmp_path):
    path = bench(tmp_path, bridges(AXIL, {"{m}_awprot": "3'b000"}, 12))
    assert any("m_awprot of " in text and "[unchecked]" in text for text in failures(path).failures)
    path.write_text(path.read_text() + '\n[unchecked]\nm_awprot = "this bridge is for one kind of access"\n')
    result = failures(path)
    assert (result.status, result.open) == ("pass", ())


@pytest.mark.parametrize(
    ("address", "once", "said"),
    [
        ([0, 4, 4, 8], {READ, WRITE}, []),
        ([4, 0, 8], {WRITE}, ["memory m: the write of 0x0 arrives behind that of 0x4, expected in front of it"]),
        ([0, 4, 4], {WRITE}, []),
        (
            [2, 4, 4, 8, 4],
            {WRITE},
            ["memory m: writes of 1 of 3 words arrive more often than they were made, the first at 0x4"],
        ),
        ([0, 4, 4, 8, 4], {READ}, []),
    ],
)
def test_an_access_arrives_once(address, once, said):
    asked = np.array([0, 4, 4, 8], np.uint64)
    words = {WRITE: AskedWords(4, asked, np.zeros(4, np.bool_))}
    carried = Carried(
        np.full(4, WRITE),
        asked,
        asked + np.uint64(4),
        {},
        once=frozenset(once),
        ordered=frozenset(once),
        slave=np.zeros(4, np.int64),
        place=np.arange(4),
        words=words,
    )
    columns = [("kind", np.uint8), ("address", np.uint64), ("len", np.uint8), ("size", np.uint8), ("burst", np.uint8)]
    log = np.array([(WRITE, at, 0, 0, 1) for at in address], columns)
    texts, _ = check_attributes("m", carried, log)
    assert [text.partition(": expected")[0] for text in texts] == said


def test_each_beat_of_a_fixed_burst_arrives():
    """Of four reads of one word three: a queue behind it would give one word twice."""
    words = {READ: AskedWords(4, np.array([8, 8, 8, 8, 0], np.uint64), np.array([True] * 4 + [False]))}
    carried = Carried(np.zeros(0, np.uint8), *np.zeros((2, 0), np.uint64), {}, words=words)
    columns = [("kind", np.uint8), ("address", np.uint64), ("len", np.uint8), ("size", np.uint8), ("burst", np.uint8)]
    for beats, said in (
        (3, []),
        (2, ["of 1 words arrive less often than they were made, the first at 0x8: expected 4, got 3"]),
    ):
        log = np.array([(READ, 8, 0, 2, INCR), (READ, 8, beats - 1, 2, FIXED)], columns)
        texts, _ = check_attributes("m", carried, log)
        assert [text.partition("bursts of 1 ")[2] for text in texts] == said


def test_what_the_words_of_bursts_are():
    """Of a wider bus, each half that a beat reads or has a strobe for; none is due of what is refused."""
    bursts = Bursts([READ, WRITE, READ], [4, 8, 16], [1, 1, 1], [2, 3, 2], [FIXED, FIXED, INCR])
    lanes = np.zeros((6, 8), np.bool_)
    lanes[2:4] = [[True] * 4 + [False] * 4, [False] * 8]
    program = BurstProgram(bursts, np.zeros((6, 8), np.uint8), lanes, ~lanes, np.zeros(3, np.int64))
    stimulus = Stimulus({}, {}, {}, bursts={"s": program}, memories={"m": MemoryImage(())})
    (found,) = bus_outcome(stimulus, [Route("s", 0, 64, "m", 0, unit=4)]).memories.values()
    kinds = {
        kind: list(zip(one.address.tolist(), one.fixed.tolist(), strict=True))
        for kind, one in found.carried.words.items()
    }
    assert kinds[READ] == [(4, True), (4, True), (16, False), (20, False)]
    assert kinds[WRITE] == [(8, True), (12, False), (8, False), (12, False)]


@pytest.mark.parametrize(
    ("change", "kinds"),
    [
        ({}, {READ, WRITE}),
        ({"data_width": 64}, set()),
        ({"signals": {"rty": "m_rty"}}, set()),
        ({"signals": {"cti": "m_cti"}}, set()),
        ({"signals": {"stall": "m_stall"}}, set()),
        ({"signals": {"sel": None}}, {WRITE}),
    ],
)
def test_buses_whose_accesses_arrive_once(change, kinds):
    """One width, no bursts, no retries; without strobes a bridge reads first."""
    more = change.pop("signals", {})
    signals = {role: f"m_{role}" for role in WISHBONE.roles if role not in ("rty", "cti", "bte", "stall")} | more
    master = WishbonePort(name="m", direction="out").model_copy(
        update={"signals": {role: pin for role, pin in signals.items() if pin}, **change}
    )
    (route,) = joined(LitePort(name="s", direction="in"), master).routes()
    assert route.ordered == kinds


def axi(name, direction, *left_out):
    port = MemoryPort(name=name, direction=direction, id_width=4, users={"awuser": 2, "aruser": 2})
    roles = [role for role in AXI.roles if role not in (*left_out, *LEFT_OUT)]
    return port.model_copy(update={"signals": {role: f"{name}_{role}" for role in roles}})


def joined(slave, master, *unchecked):
    return BusPorts([slave], [master], [AddressStretch(0, 4096, ("s",), "m")], unchecked=frozenset(unchecked))


def test_users_of_data_are_compared_where_both_sides_have_them():
    """Not where the widths of the signals differ, nor, of data, where those of the buses do."""

    def port(name, direction, data=32, **users):
        made = axi(name, direction).model_copy(
            update={"users": {"awuser": 2, "aruser": 2, **users}, "data_width": data}
        )
        assert made.signals is not None
        return made.model_copy(update={"signals": {**made.signals, **{role: f"{name}_{role}" for role in users}}})

    users = {"wuser": 3, "buser": 2, "ruser": 4}
    both = joined(port("s", "in", **users), port("m", "out", **users))
    assert both.open() == {}
    assert both.data_users(*both.slaves, *both.masters) == {"wuser": "m_wuser", "buser": "s_buser", "ruser": "s_ruser"}
    other = joined(port("s", "in", **users), port("m", "out", 64, **{**users, "buser": 1}))
    assert other.data_users(*other.slaves, *other.masters) == {}
    assert other.open()["s_ruser"] == "not compared: m has another data width"
    assert other.open()["s_buser"] == "not compared: m has nothing equal to it"
    alone = joined(port("s", "in", **users), axi("m", "out"), "s_wuser", "s_ruser")
    assert list(alone.open()) == ["s_buser"]


def test_what_one_side_lacks_is_named():
    assert joined(axi("s", "in"), axi("m", "out")).open() == {}
    found = joined(axi("s", "in", "arqos"), axi("m", "out", "awcache")).open()
    assert found == {
        "m_arqos": "not predicted: nothing that is equal to it leads to m",
        "s_awcache": "not compared: m has nothing equal to it",
    }
    assert joined(axi("s", "in"), axi("m", "out", "awcache"), "s_awcache").open() == {}
    narrow = axi("m", "out").model_copy(update={"users": {"awuser": 1, "aruser": 2}})
    assert list(joined(axi("s", "in"), narrow).open()) == ["m_awuser", "s_awuser"]
    blind = joined(axi("s", "in", "bresp"), axi("m", "out")).open()
    assert blind == {"m_bresp": "not compared: s has no response to writes"}
    # AXI-Lite has no AxCACHE: nothing of it can arrive. What an AXI4 master makes of it, nobody knows, but for the lock.
    lite = LitePort(name="m", direction="out", address_width=12)
    assert list(joined(axi("s", "in"), lite).open()) == ["s_arprot", "s_awprot"]
    apb = ApbPort(name="s", direction="in", address_width=12)
    opened = joined(apb, axi("m", "out")).open()
    kinds = ("cache", "prot", "qos", "region", "user")
    assert list(opened) == [f"m_{way}{name}" for name in kinds for way in ("ar", "aw")]


def test_exclusive_accesses_are_made_where_they_arrive():
    slave, master = axi("s", "in"), axi("m", "out")
    assert joined(slave, master).exclusive(slave, master) == (4, 64)
    assert joined(slave, master, "m_awlock").exclusive(slave, master) == (0, 0)
    other = slave.model_copy(update={"name": "t"})
    shared = BusPorts([slave, other], [master], [AddressStretch(0, 4096, ("s", "t"), "m")])
    assert shared.exclusive(slave, master) == (0, 0)
    assert "share the IDs" in shared.open()["s_awlock"]


def test_attributes_are_legal_and_alike_in_a_chunk():
    address = np.arange(0, 1 << 16, 4, dtype=np.uint64)
    kind = np.full(len(address), WRITE, np.uint8)
    drawn = AttributeDraw(3, 64, (0, 2), frozenset({(WRITE, "qos")})).columns(kind, address)
    assert set(drawn["cache"].tolist()) == set(CACHES)
    assert set(drawn["prot"].tolist()) == set(range(8))
    assert set(drawn["user"].tolist()) == set(range(4))
    assert set(drawn["qos"].tolist()) == {0}
    for name, size in (("prot", 64), ("region", 4096)):
        rows = drawn[name].reshape(-1, size // 4)
        assert (rows == rows[:, :1]).all()
        assert len(set(rows[:, 0].tolist())) > 4
    other = AttributeDraw(3, 64, (0, 2)).columns(np.full(len(address), READ, np.uint8), address)
    assert (other["prot"] != drawn["prot"]).any()
    assert (other["region"] == drawn["region"]).all()
    assert not other["user"].any()
