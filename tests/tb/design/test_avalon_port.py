# SPDX-License-Identifier: Apache-2.0
"""Avalon-MM agents and hosts of a user: right ones pass under every traffic, each wrong one fails by port and by what is wrong."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from bus_bridges import bench, bridges
from port_boxes import probed
from typer.testing import CliRunner

from goldbeat.pymodels.axi.burst import READ, WRITE
from goldbeat.pymodels.buses import AVALON
from goldbeat.pymodels.errors import GoldbeatError
from goldbeat.pymodels.register_traffic import RegisterTraffic
from goldbeat.tb.cli import app
from goldbeat.tb.design.description import load_description
from goldbeat.tb.design.filelist import Sources
from goldbeat.tb.design.ports.avalon import AvalonPort
from goldbeat.tb.obligations.buses import bus_obligations
from goldbeat.tb.paths import REPOSITORY
from goldbeat.tb.probe.discover import discover
from goldbeat.tb.run.runs import Request, run

RTL = REPOSITORY / "tests" / "tb" / "kernel" / "registers_rtl"
RIGHT = ("s_0", "s_1", "f_0", "z")
# What a failure of each wrong agent must begin with.
NAMES = {
    "s_2": "s_2: access ",
    "s_3": "avalon_data_without_request: s_3, cycle ",
    "s_4": "avalon_data_without_request: s_4, cycle ",
    "s_5": "avalon_no_answer: s_5: access ",
    "s_7": "s_7: access ",
    "s_8": "avalon_response_without_request: s_8, cycle ",
    "s_9": "s_9: access ",
    "f_1": "f_1: access ",
}
PIPED = ("address", "read", "write", "writedata", "byteenable", "waitrequest", "readdata", "readdatavalid")
PIPED += ("response", "writeresponsevalid")
HEAD = """\
name = "avalon_modes"
top = "avalon_modes"
files = ["{rtl}/avalon_modes.sv"]
model = "identity"
compare_time = false
parameters = {{ N = 10, L = 2 }}
ready_bound = 20
[[clocks]]
name = "clk"
reset = "rst_n"
"""
PORT = """\
[[registers]]
bus = "avalon"
name = "{name}"
clock = "clk"
storage = [{{ words = 16 }}]
signals = {{ {signals} }}
{more}
"""
# In place of the signal of the other side of a bridge of wires, one in each lane from 1 on.
FAULTS = {
    "{m}_byteenable": "4'b1111",
    "{m}_writedata": "{s}_writedata & 32'hfeffffff",
    "{s}_readdata": "{m}_readdata | 32'h00000100",
    "{s}_response": "2'b00",
    "{m}_address": "{s}_address | 12'h004",
    "{m}_address ": "{s}_address + {{11'd0, {m}_waitrequest}} * 12'd4",
    "{m}_byteenable ": "{s}_byteenable == 4'd8 & {s}_read ? 4'd0 : {s}_byteenable",
}


def _design(folder):
    text = HEAD.format(rtl=RTL)
    for name, roles, more in (
        ("s", PIPED, 'lanes = "N"\naddress_width = 6\naddress_unit = "words"'),
        ("f", (*PIPED[:4], "readdata"), 'lanes = "L"\naddress_width = 6\nread_latency = 2'),
        (
            "z",
            (*PIPED[:4], "chipselect", "waitrequest", "readdata"),
            'address_width = 4\naddress_unit = "words"\ndata_width = 16',
        ),
    ):
        text += PORT.format(name=name, signals=", ".join(f'{r} = "{name}_{r}"' for r in roles), more=more)
    (folder / "modes.toml").write_text(text)
    return load_description(folder / "modes.toml")


@pytest.mark.slow
@pytest.mark.sim
def test_sweep_names_what_is_wrong_with_an_agent(tmp_path):
    design = _design(tmp_path)
    (result,) = run(Request(design, design.case("sweep")), tmp_path / "run")
    texts = [f.partition(": ")[2] for f in result.failures]
    for name in RIGHT:
        assert not [t for t in texts if t.startswith((f"{name}:", f"{name},")) or f" {name}:" in t], texts
    for name, begin in NAMES.items():
        assert any(t.startswith(begin) for t in texts), (name, [t for t in texts if name in t][:20])
    hangs = [text for e in result.episodes for text in e.record.hanging]
    assert any(text.startswith("s_5: access ") and text.endswith(": write with waitrequest") for text in hangs)
    (late,) = result.warnings
    assert late.startswith("avalon_ready_late: s_6, cycle ")


@pytest.mark.slow
@pytest.mark.sim
@pytest.mark.parametrize("absent", [(), ("readdatavalid", "writeresponsevalid")], ids=["piped", "waiting"])
def test_a_memory_answers_hosts_and_each_fault_of_a_bridge_is_found(tmp_path, absent):
    some = replace(AVALON, signals=tuple(one for one in AVALON.signals if one.name not in (*absent, "burstcount")))
    path = bench(tmp_path, bridges(some, FAULTS, 12))
    # Agents are taken to count words, and hosts bytes: these wires do not change the address.
    path.write_text(path.read_text().replace('address_unit = "words"', 'address_unit = "bytes"'))
    design = load_description(path)
    (result,) = run(Request(design, design.case("sweep"), (0,)))
    for lane, name in enumerate(FAULTS, 1):
        assert any(f"s_{lane}" in text or f"m_{lane}" in text for text in result.failures), name
    assert not [text for text in result.failures if "s_0" in text or "m_0" in text]
    assert any("avalon_payload_stable: m_6" in text for text in result.failures)


def test_the_bus_does_what_it_can_of_a_traffic():
    asked = RegisterTraffic("any", gap=3, outstanding=4, b_ready="random:0.5", seed=9, rest=5)
    port = AvalonPort(name="s", data_width=16, address_width=10, address_unit="words")
    assert port.fitting(asked) == RegisterTraffic(gap=3, outstanding=4, seed=9, rest=5)
    assert (port.address_bits, port.strobes, port.has("response")) == (11, True, False)
    assert (port.answers(READ), port.answers(WRITE)) == (False, False)
    levels = {"read": 1, "write": 0}
    assert port.waits(reads=True, level=levels.__getitem__) == "read with waitrequest"
    assert port.waits(reads=False, level=levels.__getitem__) == "no writeresponsevalid"
    answered = AvalonPort(name="s", signals={r: r for r in ("read", "readdata", "response")})
    assert (answered.answers(READ), answered.answers(WRITE), answered.writable) == (True, False, False)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("data_width = 128", "data_width: found 128, expected 8, 16, 32 or 64"),
        ('signals = { read = "s" }', "signals: read and readdata are there together, or both are absent"),
        ('signals = { address = "a" }', "signals: read and write are missing"),
        ("read_latency = 1", "read_latency: found 1, expected 0 with readdatavalid"),
        (
            'direction = "out"\nsignals = { read = "r", readdata = "d" }',
            "read_latency: found 0, expected 1 or more for a host without waitrequest and readdatavalid",
        ),
    ],
)
def test_mistakes_in_a_description(tmp_path, line, message):
    (tmp_path / "d.toml").write_text(f'{HEAD.format(rtl=RTL)}[[registers]]\nbus = "avalon"\nname = "s"\n{line}\n')
    with pytest.raises(GoldbeatError, match=message):
        load_description(tmp_path / "d.toml")


AGENT = (
    "in:{p}address{i}:8 in:{p}read{i} in:{p}write{i} in:{p}writedata{i}:32 out:{q}readdata{o}:32 out:{q}waitrequest{o}"
)


@pytest.mark.parametrize(
    ("ports", "name", "pin"),
    [
        (AGENT.format(p="avs_", q="avs_", i="", o=""), "avs", "avs_readdata"),
        (AGENT.format(p="i_av_", q="o_av_", i="", o=""), "av", "o_av_readdata"),
        (AGENT.format(p="", q="", i="_i", o="_o"), "avalon", "readdata_o"),
    ],
)
def test_names_of_all_kinds_are_recognised(tmp_path, ports, name, pin):
    found = probed(tmp_path, ports)
    (port,) = found["registers"]
    assert (port["bus"], port["name"], port["address_unit"]) == ("avalon", name, "words")
    assert port["signals"]["readdata"] == pin
    assert any(
        "data come in the cycle that takes a read; if later, set read_latency" in note for note in found["notes"]
    )


@pytest.mark.parametrize(
    ("read", "wait", "latency"),
    [
        ("assign readdata = m[address];", "0", 0),
        ("always @(posedge clk) readdata <= m[address];", "0", 1),
        ("reg [3:0] a; always @(posedge clk) a <= address; assign readdata = m[a];", "0", 1),
        ("reg [3:0] a; always @(posedge clk) begin a <= address; readdata <= m[a]; end", "0", 2),
        ("reg w; always @(posedge clk) begin readdata <= m[address]; w <= read & ~w; end", "read & ~w", 0),
    ],
    ids=["at_once", "data", "address", "both", "waits"],
)
def test_registers_say_when_data_come(tmp_path, read, wait, latency):
    kind = "wire" if "assign readdata" in read else "reg"
    (tmp_path / "ram.v").write_text(
        f"""module ram(input clk, input [3:0] address, input read, input write, input [31:0] writedata,
          output {kind} [31:0] readdata, output waitrequest); reg [31:0] m [0:15]; {read}
          assign waitrequest = {wait}; always @(posedge clk) if (write) m[address] <= writedata; endmodule"""
    )
    (port,) = discover(Sources((tmp_path / "ram.v",))).bundles
    assert (port.bus, port.read_latency) == ("avalon", latency)


def test_a_host_counts_bytes_and_its_bursts_have_a_width(tmp_path):
    turned = (
        AGENT.format(p="avm_", q="avm_", i="", o="").replace("in:", "out#").replace("out:", "in:").replace("#", ":")
    )
    (port,) = probed(tmp_path, f"{turned} out:avm_burstcount:4 in:avm_readdatavalid")["registers"]
    assert (port["direction"], port.get("address_unit", "bytes"), port["burst_width"]) == ("out", "bytes", 4)
    assert "readdatavalid" in port["signals"]


BURSTS = """\
name = "{top}"
top = "{top}"
files = ["{rtl}/avalon_bursts.sv"]
model = "{model}"
compare_time = false
parameters = {{ FAULT = 0 }}
[[clocks]]
name = "clk"
reset = "rst"
active_high = true
"""
SIDE = """\
[[registers]]
bus = "avalon"
name = "{name}"
direction = "{way}"
clock = "clk"
address_width = 8
{more}
signals = {{ {signals} }}
"""
SHAPES = {
    f"a {way} in a burst of {n}" for way in ("read", "write") for n in ("one word", "several words", "8 words or more")
}
SHAPES |= {"a write in a burst that WRITE pauses in"}
ALLOWED = {f"a {way} in a transfer 2 after WAITREQUEST" for way in ("read", "write")}
PLAIN = tuple(role for role in PIPED[:8] if role != "byteenable")


def test_probe_finds_an_allowance_among_the_parameters(tmp_path):
    text = (
        (RTL / "avalon_bursts.sv")
        .read_text()
        .replace("FAULT = 0", "FAULT = 0, parameter int WAITREQUEST_ALLOWANCE = 2")
    )
    (tmp_path / "one.sv").write_text(text)
    words = ["probe", str(tmp_path / "one.sv"), "--top", "avalon_allowed", "--json"]
    found = json.loads(CliRunner().invoke(app, words, catch_exceptions=False).stdout)
    assert [port["waitrequest_allowance"] for port in found["registers"]] == [2, 2]


@pytest.mark.sim
@pytest.mark.parametrize(
    ("fault", "begin"),
    [
        (0, ""),
        (1, "avalon_no_answer: s: access "),
        (2, "s: access "),
        (3, "s: access "),
        (4, "w: access "),
        (5, "avalon_allowance: m, cycle "),
    ],
)
def test_bursts_and_an_allowance_are_driven_and_answered(fault, begin, tmp_path):
    benches = {
        "avalon_bursts": ("memory", {"s": ("in", (*PIPED[:8], "burstcount", "beginbursttransfer"), "burst_width = 4")}),
        "avalon_allowed": (
            "adapter",
            {name: (way, PLAIN, "waitrequest_allowance = 2") for name, way in (("w", "in"), ("m", "out"))},
        ),
    }
    for top, (model, sides) in benches.items():
        if fault and (fault > 3) != (top == "avalon_allowed"):
            continue
        text = BURSTS.format(top=top, rtl=RTL, model=model)
        for name, (way, roles, more) in sides.items():
            signals = ", ".join(f'{role} = "{name}_{role}"' for role in roles)
            text += SIDE.format(name=name, way=way, more=more, signals=signals)
        (tmp_path / f"{top}.toml").write_text(text)
        design = load_description(tmp_path / f"{top}.toml")
        (result,) = run(Request(design, design.case("sweep"), params={"FAULT": fault}), tmp_path / top)
        if fault:
            assert any(f.partition(": ")[2].startswith(begin) for f in result.failures), result.failures[:9]
            continue
        assert result.failures == ()
        tried = {one.what: one.met for one in bus_obligations(result) if one.kind == "sizes"}
        assert tried == dict.fromkeys(SHAPES if model == "memory" else ALLOWED, True)
