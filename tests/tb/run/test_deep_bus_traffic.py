# SPDX-License-Identifier: Apache-2.0
"""`sweep` of buses goes deep: what goes wrong after many accesses, long pauses, long stalls, at some values or after a reset."""

import numpy as np
import pytest
from bus_bridges import bench, bridges

from goldbeat.pymodels.axi.burst import READ, WRITE
from goldbeat.pymodels.axi.storage_traffic import BurstShape, Window, queued_bursts, telling_data
from goldbeat.pymodels.buses import AXI, AXIL
from goldbeat.pymodels.register_traffic import RegisterTraffic
from goldbeat.tb.design.description import load_description
from goldbeat.tb.run.runs import Request, run

CLOCKED = "always_ff @(posedge aclk) if (!aresetn) "
COUNT = "logic [{top}:0] n_L; " + CLOCKED + "n_L <= 0; else if ({when}) n_L <= {to};"
WAITED = COUNT.format(top=8, when="{busy}", to="n_L + 9'(!n_L[8]); else if ({over}) n_L <= 0")
# A state that only a reset in mid-flight can be in.
INSIDE = (
    "logic in_L, odd_L, new_L; always_ff @(posedge aclk) if (!aresetn) begin odd_L <= odd_L | in_L; in_L <= 0; new_L <= 1; end "
    "else begin if ({begins}) in_L <= 1; else if ({ends}) in_L <= 0; if ({moves}) begin odd_L <= 0; new_L <= 0; end end"
)
IDLE = WAITED.format(busy="!(s_awvalid | s_wvalid | s_bvalid | s_arvalid | s_rvalid)", over="{over}")
READS, MOVED = "s_rvalid & s_rready", "s_wvalid & s_wready"
OPEN = "n_L + 9'(s_arvalid & s_arready) - 9'(s_rvalid & s_rready & s_rlast)"
BURSTS = [
    (
        "{m}_wstrb",
        "n_L == 200 ? 4'h0 : {s}_wstrb",
        COUNT.format(top=7, when=f"{MOVED} & s_wlast & n_L != 201", to="n_L + 1"),
    ),
    ("{m}_wdata", "&n_L ? ~{s}_wdata : {s}_wdata", COUNT.format(top=12, when=MOVED, to="n_L + 1")),
    ("{s}_rdata", "&n_L ? ~{m}_rdata : {m}_rdata", COUNT.format(top=12, when=READS, to="n_L + 1")),
    ("{s}_rdata", "n_L > 16 ? ~{m}_rdata : {m}_rdata", COUNT.format(top=8, when="1", to=OPEN)),
    ("{s}_bresp", "n_L[8] ? 2'b10 : {m}_bresp", WAITED.format(busy="s_bvalid & !s_bready", over="s_bvalid")),
    ("{m}_wdata", "n_L[8] ? ~{s}_wdata : {s}_wdata", IDLE.format(over=MOVED)),
    ("{m}_wdata", "({s}_wdata == 32'hDEAD_BEEF) ? 32'h0 : {s}_wdata", ""),
    ("{m}_awaddr", "{{{s}_awaddr[12], {s}_awaddr[12], {s}_awaddr[10:0]}}", ""),
    (
        "{m}_wdata",
        "(odd_L & new_L) ? ~{s}_wdata : {s}_wdata",
        INSIDE.format(begins="s_awvalid & s_awready", ends="s_bvalid & s_bready", moves=MOVED),
    ),
]
"""Signal, what is assigned to it, and the state of the lane."""
LITE = [
    ("{m}_wstrb", "n_L == 200 ? 4'h0 : {s}_wstrb", COUNT.format(top=7, when=f"{MOVED} & n_L != 201", to="n_L + 1")),
    ("{s}_rdata", "n_L[8] ? ~{m}_rdata : {m}_rdata", IDLE.format(over=READS)),
    ("{m}_wdata", "({s}_wdata == 32'hDEAD_BEEF) ? 32'h0 : {s}_wdata", ""),
    ("{m}_wdata", "&{s}_wdata ? 32'h0 : {s}_wdata", ""),
    (
        "{s}_rdata",
        "(odd_L & new_L) ? ~{m}_rdata : {m}_rdata",
        INSIDE.format(begins="s_arvalid & s_arready", ends=READS, moves=READS),
    ),
]


@pytest.mark.sim
@pytest.mark.parametrize(
    ("bus", "faults"), [(AXIL, LITE), pytest.param(AXI, BURSTS, marks=pytest.mark.slow)], ids=["axil", "axi"]
)
def test_each_fault_is_found_in_its_lane_and_the_right_lane_passes(tmp_path, bus, faults):
    named = {name + " " * number: value for number, (name, value, _) in enumerate(faults)}
    design = load_description(bench(tmp_path, bridges(bus, named, 13, [state for _, _, state in faults])))
    (result,) = run(Request(design, design.case("sweep"), (0,)))
    assert result.open == ()
    for lane, fault in enumerate(faults, 1):
        assert any(f"s_{lane}:" in text or f" m_{lane}," in text for text in result.failures), (lane, fault)
    assert not any("s_0" in text or "m_0" in text for text in result.failures)


def test_long_runs_of_bursts_have_all_lengths_and_wait_between_runs():
    def drawn():
        windows = [Window.unknown(0, 2048), Window.unknown(0x3800, 2048), Window.unknown(0x1000, 4096)]
        windows[2].whole = True
        shape = BurstShape(4, 4, numbers=(0xDEAD_BEEF, 77))
        return queued_bursts(np.random.default_rng(3), windows, shape, 4096, 300)

    program = drawn()
    bursts = program.bursts
    assert len(bursts) >= 4096
    assert set(bursts.len + 1) == {1, 2, 16, 256}
    for kind in (READ, WRITE):
        assert int((bursts.len[bursts.kind == kind] + 1).sum()) > 8192
    # Within a run all are of one kind, and the second one waits for the pause.
    starts = np.flatnonzero(bursts.barrier)[::2]
    assert (bursts.gap[starts + 1] == 300).all()
    places, names = np.searchsorted([0x1000, 0x3800], bursts.address, "right"), set()
    together = []
    for first, end in zip(starts, [*starts[1:], len(bursts)], strict=True):
        assert len(set(bursts.kind[first:end])) == 1
        addresses = bursts.address[first:end]
        assert bursts.kind[first] == READ or len(set(addresses.tolist())) == len(addresses)
        names.add(min(len(set(bursts.id[first:end].tolist())), 5))
        # Behind each other at one place, in some runs.
        together.append(np.count_nonzero(np.diff(places[first:end])) < 3)
        if bursts.kind[first] == READ:
            assert int((bursts.len[first:end] + 1).sum()) >= 2048
    assert {1, 5} < names
    assert set(together) == {True, False}
    assert program.checked[(bursts.kind == READ)[bursts.of_beat]].all()
    assert np.array_equal(program.data, drawn().data)


def test_data_have_the_values_that_designs_compare_with():
    data = telling_data(np.random.default_rng(1), 2000, 4, (0xDEAD_BEEF, 1 << 40)).view("<u4")[:, 0]
    assert {0, 0xFFFF_FFFF, 0xDEAD_BEEF} <= set(data.tolist())
    assert (data[1:] == data[:-1]).sum() > 10
    assert len({value for value in data.tolist() if value.bit_count() == 1}) > 20


def test_long_patterns_are_short_in_messages():
    text = str(RegisterTraffic(b_ready="array:" + ",".join(["0"] * 900)))
    assert "b_ready='array of 900 cycles'" in text
