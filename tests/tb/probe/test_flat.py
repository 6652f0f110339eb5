# SPDX-License-Identifier: Apache-2.0
"""Interfaces, structs, enums, unions and arrays of them at the top: bundles inside are found, Verilator takes the wrapper."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner

from goldbeat.pymodels.errors import UsageError
from goldbeat.tb.build.harness import TOP, misfits
from goldbeat.tb.build.toolchain import verilator
from goldbeat.tb.cli import app
from goldbeat.tb.design.description import load_description
from goldbeat.tb.design.filelist import Sources
from goldbeat.tb.probe.chosen import packed, read_bundle
from goldbeat.tb.probe.discover import discover
from goldbeat.tb.probe.elaborate import elaborate
from goldbeat.tb.probe.find import Choices, Found, find
from goldbeat.tb.probe.handshakes import with_handshakes
from goldbeat.tb.probe.type_guesses import width_kind
from goldbeat.tb.probe.write import wrapper
from goldbeat.tb.run.runs import Request, RunResult, run

RTL = Path(__file__).parent / "rtl"


def probe(name: str, choices: Choices | None = None, **parameters: str) -> Found:
    return find(elaborate(Sources((RTL / f"{name}.sv",)), name, parameters), choices)


def shape(found: Found) -> dict[str, str]:
    """Each bundle as text: direction, lanes, widths."""
    values = {p.name: p.value for p in found.module.parameters}
    texts = {}
    for port in found.bundles:
        widths = port.resolved(values).widths()
        lanes = "" if port.lanes is None else f"{port.lanes} x "
        texts[port.name] = f"{port.bus} {port.direction} {lanes}{' '.join(str(widths[w]) for w in sorted(widths))}"
    return texts


def lint(found: Found, folder: Path) -> str:
    """What Verilator says of the harness that it should not."""
    harness = folder / f"{TOP}.sv"
    harness.write_text(wrapper(found))
    tool = verilator()
    command = [str(tool.executable), "--lint-only", "-Wno-fatal", "--top-module", TOP]
    command += [str(RTL / f"{found.module.title}.sv"), str(harness)]
    run = subprocess.run(command, env=tool.environment(), capture_output=True, text=True, check=False)
    return "\n".join([*misfits(run.stderr), run.stderr if run.returncode else ""]).strip()


def test_interfaces_with_modports(tmp_path: Path) -> None:
    found = probe("modport_switch")
    assert shape(found) == {
        "s_axis": "axis in S_COUNT x 1 0 0 0 8",
        "m_axis": "axis out 1 0 0 0 8",
        "s_axil": "axil in 12 4 32",
    }
    assert found.streams[0].width == "S_AXIS_DATA_W"
    assert found.ties == {"s_axis_tid": 0}
    assert lint(found, tmp_path) == ""


def test_parameters_of_interfaces_are_the_wrappers(tmp_path: Path) -> None:
    found = probe("modport_switch", DATA_W="16", S_AXIL_DATA_W="64", S_COUNT="2", S_AXIS_ID_EN="1")
    # One name for all interfaces that have it; the longer one is one interface's.
    assert shape(found) == {
        "s_axis": "axis in S_COUNT x 2 0 8 0 16",
        "m_axis": "axis out 2 0 0 0 16",
        "s_axil": "axil in 12 8 64",
    }
    assert lint(found, tmp_path) == ""
    with pytest.raises(UsageError, match="modport_switch has no parameter 'WIDTH'; it has: S_COUNT, S_AXIS_DATA_W"):
        probe("modport_switch", WIDTH="3")


def test_requests_and_responses_join(tmp_path: Path) -> None:
    found = probe("request_mux")
    assert shape(found) == {
        "apb": "apb in 32 4 32",
        "slv": "axi in 2 x 32 1 1 1 4 32 4 8 1 1",
        "mst": "axi out 32 1 1 1 4 32 4 8 1 1",
    }
    assert list(found.unplaced) == [
        *("slv_awatop", "mst_awatop", "speed_i", "either_i"),
        *("status_level", "status_speed", "status_ok_0", "status_ok_1"),
    ]
    assert found.module.flat is not None
    # Fields of a packed struct stand highest first, as it declares them.
    assert ".apb_resp_o({apb_pready, apb_prdata, apb_pslverr})" in found.module.flat.text
    assert "{slv_awready[i0], slv_arready[i0], slv_wready[i0], slv_bvalid[i0], slv_bid[i0]" in found.module.flat.text
    assert "parameter AxiAddrWidth: 32, guessed from its name, as its default is 32'd0" in found.notes
    assert lint(found, tmp_path) == ""


def test_given_values_are_not_guessed(tmp_path: Path) -> None:
    found = probe("request_mux", AxiIdWidth="6", DATA_WIDTH="64", Cfg="'{NoSlvPorts: 3, default: '0}")
    (slaves, master) = found.memories
    assert (slaves.lanes, master.id_width, master.data_width) == (3, "AxiIdWidth", "DATA_WIDTH")
    assert not any("Cfg" in note or "AxiIdWidth" in note for note in found.notes)
    assert lint(found, tmp_path) == ""


FIELDS = "desc=tvalid:desc_go,tready:desc_free,desc_addr,desc_len"


def chosen(*texts: str) -> Found:
    bundles = tuple(read_bundle(text) for text in texts)
    sources = Sources((RTL / "split_channels.sv",))
    module = elaborate(sources)
    if packs := packed(bundles, module.ports):
        module = elaborate(sources, packs=packs)
    return find(module, Choices(bundles=bundles))


def test_bundles_that_the_user_names(tmp_path: Path) -> None:
    found = chosen("m=data_o,valid_o,ready_i")
    assert found.module.flat is None
    assert found.streams[0].signals == {"tdata": "data_o", "tvalid": "valid_o", "tready": "ready_i"}
    found = chosen(FIELDS, "done=done_tag,done_valid", "tick=tvalid:valid_i,tready:ready_o")
    widths = {s.name: (s.direction, s.width, s.pin("tdata")) for s in found.streams}
    assert widths["desc"] == ("in", 24, "desc_tdata")
    assert widths["done"] == ("out", 8, "done_tdata")
    assert widths["tick"] == ("in", 8, "tick_tdata")
    assert found.module.flat is not None
    assert "assign {desc_addr, desc_len} = desc_tdata[23:0];" in found.module.flat.text
    assert "assign done_tdata = 8'({done_tag});" in found.module.flat.text
    assert not {"desc_addr", "desc_go", "done_tag"} & found.unplaced.keys()
    assert lint(found, tmp_path) == ""


COLLIDING = """package p; typedef struct packed {logic [7:0] dut; logic r_and;} i0_t; endpackage
module s_flat; endmodule
module s #(parameter int m_tdata = 8) (input logic clk, rst, dut, input p::i0_t [1:0] i0, output p::i0_t [1:0] gen_i0_0,
  input logic i0_all, input logic [7:0] a, input logic [3:0] b, input logic go, output logic free,
  output logic [7:0] x, output logic [3:0] s_tdata, output logic full, input logic take);
  s_flat other ();
  assign free = !full || take;
  always @(posedge clk) begin
    if (free) begin full <= go; x <= a; s_tdata <= b; gen_i0_0 <= i0; end
    if (rst | dut) full <= 0;
  end
endmodule
"""


def test_names_of_the_wrapper_collide_with_none_of_the_design(tmp_path: Path) -> None:
    """Vectors, nets, loops and the instance, with ports, parameters, members, a module and reserved words."""
    (tmp_path / "s.sv").write_text(COLLIDING)
    given = ["s=a,b,tvalid:go,tready:free", "m=x,s_tdata,tvalid:full,tready:take"]
    more = [word for text in given for word in ("--bundle", text)]
    command = ["new", str(tmp_path / "b"), str(tmp_path / "s.sv"), "--top", "s", "--model", "identity", *more]
    assert CliRunner().invoke(app, command).exit_code == 0
    design = load_description(tmp_path / "b" / "s.toml")
    assert {s.name: s.pin("tdata") for s in design.streams} == {"s": "s_tdata", "m": "m_tdata_2"}
    # Beats have no bits that the wrapper would have to drop.
    assert [(s.width, s.padding) for s in design.streams] == [(16, 4), (16, 4)]
    (result,) = run(Request(design, design.case(None)), tmp_path / "run")
    assert not result.failures
    # What passes beside the two is named.
    members = ("i0_dut", "i0_rand", "gen_i0_0_dut", "gen_i0_0_rand", "i0_all")
    assert {text.partition(":")[0] for text in result.open} == {*members}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("m", "expected NAME=PORT,PORT"),
        ("m=nowhere,valid_o", "the module has no port 'nowhere'"),
        ("m=data_o,ready_i", "no valid among its ports"),
        ("m=data_i,valid_o", "data_i has the opposite direction of valid_o"),
        ("m=desc_len,done_valid", "desc_len has the opposite direction of done_valid"),
    ],
)
def test_bundles_that_cannot_be(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        chosen(text)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("x.vhd", "entity x is end;", "VHDL is not supported: convert it"),
        (
            "x.sv",
            "module x(input logic a);\n`pragma protect begin_protected\nendmodule",
            "encrypted sources are not supported",
        ),
        ("x.sv", "module x; endmodule", "it has no ports, like a test bench"),
        (
            "x.sv",
            "module x(output logic c);\n initial forever #5 c = !c;\nendmodule",
            r"waits inside a block \(.*x.sv:2\)",
        ),
        (
            "x.sv",
            "module x(interface.m p); endmodule",
            "generic interface with modport m: name one with -G p=INTERFACE",
        ),
        ("x.sv", "module x(input real r, input logic [1:0] y [2]); endmodule", "r: type real"),
    ],
)
def test_what_no_bench_can_be_made_for(tmp_path: Path, name: str, text: str, message: str) -> None:
    (tmp_path / name).write_text(text + "\n")
    with pytest.raises(UsageError, match=message):
        wrapper(find(elaborate(Sources((tmp_path / name,)))))


def test_types_without_a_default(tmp_path: Path) -> None:
    found = probe("open_types")
    assert shape(found) == {
        "slv": "axi in 32 1 1 1 4 32 4 8 1 1",
        "mst": "axi out 32 1 1 1 4 32 4 8 1 1",
    }
    assert "parameter AddrWidth: 32, guessed from its name, as it has no default" in found.notes
    assert found.ties["mode_i"] == 0
    assert lint(found, tmp_path) == ""
    assert "types axi_req_t, axi_resp_t: guessed from their names" in found.notes[1]
    assert shape(probe("open_types", AddrWidth="40"))["slv"] == "axi in 40 1 1 1 4 32 4 8 1 1"


@pytest.mark.parametrize(
    ("name", "kind"),
    [("AxiAddrWidth", "address"), ("S_DW", "data"), ("axi_iw", "id"), ("BYPASS_AW", None), ("COUNT", None)],
)
def test_widths_by_their_names(name: str, kind: str | None) -> None:
    assert width_kind(name) == kind


LANES = """module lanes #(parameter int W = 1, parameter int StrbWidth = W, parameter type strb_t = logic)
  (input logic clk_i, input logic [W-1:0][7:0] data_i, input strb_t valid_i, output strb_t ready_o,
   output logic [W-1:0][7:0] data_o, output strb_t valid_o, input strb_t ready_i);
  for (genvar i = 0; i < W; i++) begin : gen_lane
    assign {data_o[i], valid_o[i], ready_o[i]} = {data_i[i], valid_i[i], ready_i[i]};
  end
endmodule
"""


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        # Verilator has no index of a scalar: the module's own width, or else one bit, is nearest to the default.
        (LANES, "logic [StrbWidth-1:0]"),
        (LANES.replace("parameter int StrbWidth = W, ", ""), "logic [0:0]"),
        (re.sub(r"  for.*|  end\n", "", LANES).replace("[i]", ""), None),
    ],
    ids=["own width", "one bit", "kept"],
)
def test_a_type_keeps_a_default_that_elaborates(tmp_path: Path, text: str, kind: str | None) -> None:
    (tmp_path / "lanes.sv").write_text(text)
    found = discover(Sources((tmp_path / "lanes.sv",)))
    assert not {"DATA_WIDTH", "ADDR_WIDTH"} & {parameter.name for parameter in found.module.parameters}
    guessed = dict.fromkeys(("valid_i", "ready_o", "valid_o", "ready_i"), f"its type strb_t is {kind} by its name")
    assert found.all_guesses == ({} if kind is None else guessed)


def test_types_by_their_use(tmp_path: Path) -> None:
    found = with_handshakes(probe("own_request", DATA_WIDTH="64"))
    (stream,) = found.streams
    assert stream.fields == {"reg_addr": "ADDR_WIDTH", "reg_write": 1, "reg_wstrb": 8, "reg_wdata": "DATA_WIDTH"}
    assert stream.signals == {"tvalid": "reg_valid", "tready": "reg_ready"}
    assert list(found.unplaced) == ["reg_rdata", "reg_error"]
    assert lint(found, tmp_path) == ""


def test_single_channels_join(tmp_path: Path) -> None:
    found = with_handshakes(probe("channel_ports"))
    assert shape(found) == {
        # A channel alone is a handshake.
        "log_aw": "axis in 9 0 0 0 72",
        "slv": "axi in NoBus x 32 1 1 1 4 32 4 8 1 1",
        "mst": "axi out 32 1 4 32 4 8 1",
    }
    assert found.memories[0].pin("awready") == "slv_awready"
    assert list(found.unplaced) == ["slv_awatop"]
    assert lint(found, tmp_path) == ""


def test_requests_that_only_their_direction_tells_apart(tmp_path: Path) -> None:
    found = probe("same_names")
    assert {b.name: (b.bus, b.direction) for b in found.bundles} == {"slv": ("axi", "in"), "mst": ("axi", "out")}
    assert lint(found, tmp_path) == ""


HALVES = """package words;
  typedef struct packed {logic [7:0] data; logic valid;} fwd_t;
  typedef struct packed {logic BACK;} bwd_t;
endpackage
interface link; words::fwd_t req; words::bwd_t resp; MORE modport s(input req, output resp); modport m(output req, input resp);
endinterface
module halves (input clk, input rst, link.s a, link.m b);
  assign a.resp.BACK = b.resp.BACK, b.req = a.req;
endmodule
"""


@pytest.mark.parametrize(
    ("back", "more", "readies"),
    [
        ("ready", "", ["a_ready", "b_ready"]),
        ("ready", "words::bwd_t own;", ["a_ready", "b_ready"]),
        ("valid", "", ["", ""]),
    ],
)
def test_the_two_structs_of_an_interface_are_one_bundle(
    back: str, more: str, readies: list[str], tmp_path: Path
) -> None:
    (tmp_path / "halves.sv").write_text(HALVES.replace("BACK", back).replace("MORE", more))
    found = with_handshakes(find(elaborate(Sources((tmp_path / "halves.sv",)), "halves", {})))
    assert [port.pin("tready") if port.has("tready") else "" for port in found.streams] == readies


def test_structs_without_a_name(tmp_path: Path) -> None:
    found = probe("own_structs")
    assert shape(found) == {"m_axis": "axis out 1 0 0 0 8", "s_axis": "axis in 1 0 0 0 8"}
    assert [stream.width for stream in found.streams] == ["W", "W"]
    assert found.module.flat is not None
    assert ".extra_i('{data: extra_data, part: '{extra_part_0, extra_part_1}})" in found.module.flat.text
    assert "assign s_axis_ready = dut.s_axis_o.ready;" in found.module.flat.text
    assert lint(found, tmp_path) == ""


@pytest.mark.sim
def test_enums_and_widths_follow_the_parameters_or_are_refused(tmp_path: Path) -> None:
    runner = CliRunner()
    made = runner.invoke(app, ["new", str(tmp_path), str(RTL / "own_structs.sv"), "--model", "identity"])
    assert made.exit_code == 0, made.output
    text = (tmp_path / "own_structs.toml").read_text()
    assert 'MODE = { default = 1, enum = "own_structs_pkg::mode_e" }' in text
    design = load_description(tmp_path / "own_structs.toml")
    left = run(Request(design, design.case("random"), params={"MODE": 0}))[0].open
    assert "extra_o_data: left open; it carries data" in left
    assert {text.partition(":")[0] for text in left} == {*design.ties, *design.ignored}
    design = design.model_copy(update={"unchecked": dict.fromkeys((*design.ties, *design.ignored), "another block's")})

    def outcome(**params: int) -> RunResult:
        return run(Request(design, design.case("random"), params=params))[0]

    # Inverted data are not the identity's, straight ones are.
    assert "m_axis" in outcome().failures[0]
    assert outcome(MODE=0).passed
    # All follows but a vector of vectors.
    with pytest.raises(UsageError, match=r"own_structs_flat.sv.* does not fit these parameter values") as refused:
        outcome(MODE=0, W=16)
    assert "'side_i' expects 32 bits" in str(refused.value)
    wrapper_file = tmp_path / "own_structs_flat.sv"
    wrapper_file.write_text(wrapper_file.read_text().replace("[15:0] side_pair", "[2*W-1:0] side_pair"))
    assert outcome(MODE=0, W=16).passed
    wrapper_file.write_text(wrapper_file.read_text().replace(".side_i(side_pair),", ""))
    with pytest.raises(UsageError, match=r"own_structs_flat.sv.* does not match its RTL; .*\nside_i: a port"):
        outcome(MODE=0)


OWN_PORTS = """interface flow_if (input logic aclk, input logic arst, input logic test_mode, output logic idle);
  logic [7:0] data; logic valid, ready;
  modport snk(input aclk, arst, data, valid, output ready);
  modport src(input aclk, arst, output data, valid, input ready);
endinterface
module stage (PORTS flow_if.snk s, flow_if.src m);
  assign s.ready = !m.valid || m.ready;
  always_ff @(posedge s.aclk or posedge s.arst)
    if (s.arst) m.valid <= 0;
    else if (s.ready) begin m.valid <= s.valid; m.data <= s.data; end
endmodule
"""


@pytest.mark.parametrize(
    ("ports", "connected", "clocks"),
    [
        (
            "input logic clk_i, rst_ni,",
            ".aclk(clk_i), .arst(~rst_ni), .test_mode(test_mode), .idle()",
            "clk_i rst_ni 0",
        ),
        ("", ".aclk(aclk), .arst(arst), .test_mode(test_mode), .idle()", "aclk arst 1"),
    ],
)
def test_ports_of_an_interface_itself(tmp_path: Path, ports: str, connected: str, clocks: str) -> None:
    (tmp_path / "stage.sv").write_text(OWN_PORTS.replace("PORTS", ports))
    found = discover(Sources((tmp_path / "stage.sv",)))
    assert shape(found) == {"s": "axis in 1 0 0 0 8", "m": "axis out 1 0 0 0 8"}
    assert [f"{c.name} {c.reset} {c.active_high:d}" for c in found.clocks] == [clocks]
    # Its flip-flops are found behind the modport.
    assert [note for note in found.notes if "flip-flop" in note] == []
    assert found.unplaced == {"test_mode": "input, 1 bit: tied to 0"}
    text = found.module.flat.text
    assert [text.count(f"flow_if {name} ({connected});") for name in "sm"] == [1, 1]


def test_clocks_of_interfaces_by_their_names(tmp_path: Path) -> None:
    ports = "input logic s_clk, m_clk, rst,"
    (tmp_path / "stage.sv").write_text(OWN_PORTS.replace("PORTS", ports))
    found = discover(Sources((tmp_path / "stage.sv",)))
    assert [f".aclk({name}_clk), .arst(rst)" in found.module.flat.text for name in "sm"] == [True, True]
    assert "s: aclk of its interface is connected to s_clk, by its name" in found.notes


def test_interfaces_without_directions(tmp_path: Path) -> None:
    found = probe("bare_interfaces", S_SIDE_DATA_W="32", M_SIDE_DATA_W="32")
    assert shape(found) == {
        "s_axis": "axis in 2 0 0 0 16",
        "m_axis": "axis out 2 x 2 0 0 0 16",
        "s_side": "axis in 4 0 0 0 32",
        "m_side": "axis out 4 0 0 0 32",
    }
    assert found.notes[:2] == (
        "s_axis: flow_if without a modport: directions inferred from what the module writes",
        "m_axis: flow_if without a modport: directions inferred from what the module writes",
    )
    assert "s_side: a generic interface: flow_if, which fits" in found.notes
    assert lint(found, tmp_path) == ""


def test_a_generic_interface_is_named(tmp_path: Path) -> None:
    more = "\ninterface other_if; logic tdata; modport snk(input tdata); endinterface\n"
    source = tmp_path / "two.sv"
    source.write_text((RTL / "bare_interfaces.sv").read_text() + more)
    with pytest.raises(UsageError, match="-G s_side=INTERFACE; those that fit: flow_if, other_if"):
        elaborate(Sources((source,)), "bare_interfaces")
    with pytest.raises(UsageError, match="-G s_side=nowhere: no such interface; there are: flow_if, other_if"):
        elaborate(Sources((source,)), "bare_interfaces", {"s_side": "nowhere"})
    module = elaborate(Sources((source,)), "bare_interfaces", {"s_side": "flow_if", "m_side": "flow_if"})
    assert {"s_side_tdata", "m_side_tdata"} <= {port.name for port in module.ports}


def test_new_writes_the_wrapper_beside_the_description(tmp_path: Path) -> None:
    said = CliRunner().invoke(
        app, ["new", str(tmp_path), str(RTL / "with_interface.sv"), "--ignore", "pad", "--model", "rules"]
    )
    assert said.exit_code == 0, said.output
    design = load_description(tmp_path / "with_interface.toml")
    assert [path.name for path in design.sources()] == ["with_interface.sv", "with_interface_flat.sv"]
    assert (design.name, design.top) == ("with_interface", "with_interface_flat")
