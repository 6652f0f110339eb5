# SPDX-License-Identifier: Apache-2.0
"""The NVDLA hardware in RTL: many random operations against timed and functional models, and breaks that must be seen."""

from __future__ import annotations

import shutil
from dataclasses import replace

import numpy as np
import pytest

from goldbeat.pymodels.nvdla.engines import hardware
from goldbeat.pymodels.nvdla.engines.registers import register_at
from goldbeat.pymodels.nvdla.timed.memory import READ, WRITE
from goldbeat.pymodels.stimulus import Clock
from goldbeat.tb.design.case import CaseContext
from goldbeat.tb.designs.nvdla.bench import DESIGN
from goldbeat.tb.designs.nvdla.traffic import Space, program, random_pdp, random_sdp, random_timing
from goldbeat.tb.paths import HDL
from goldbeat.tb.run.runs import Request, run

# file, what stands there, what stands there instead, case that must notice
QUICK = [
    # Right data, one cycle late: only the cycles tell.
    (
        "read_port",
        "assign load = ask != '0 && (!valid_q || arready);",
        "assign load = ask != '0 && !valid_q;",
        "random",
    ),
]
SLOW = [
    ("round_shift", "(!x[IN_W-1] || lost != '0)", "1'b1", "sdp"),
    ("sdp_unit", "cfg.alu_shift[5] ? 6'd32 : cfg.alu_shift", "cfg.alu_shift", "sdp"),
    ("sdp_unit", "cfg.mul_prelu && !alu_q[32]", "cfg.mul_prelu && !alu_q[31]", "sdp"),
    ("sdp_convert", "{rounded[16], {7{!rounded[16]}}}", "rounded[7:0]", "sdp"),
    (
        "sdp_operands",
        "cfg.wide ? {bytes[4*l+2*o+1], bytes[4*l+2*o]}",
        "cfg.wide ? {bytes[4*l+2*o], bytes[4*l+2*o+1]}",
        "sdp",
    ),
    ("pdp_scale", "(!product_q[ProductW-1] || product_q[14:0] != '0)", "1'b1", "pdp"),
    ("pdp_core", "cfg.pad_value[missing_rows_q[2:0]]", "cfg.pad_value[missing_q[2:0]]", "pdp"),
    ("pdp_rows", "top[17] ? 3'(-top) : 3'd0", "3'd0", "pdp"),
    ("cutter", "5'd16 - {1'b0, addr_q[3:0]}", "5'd16", "random"),
    ("write_port", "may == 2'b11 ? !last_q : may[1]", "!may[0]", "sweep"),
    ("writer", "open_q < 2'd2", "open_q < 2'd1", "sdp"),
    ("block", "consumer_q           <= !consumer_q;", "", "random"),
    ("glb", "intr_q   <= (status_q & ~mask_q) != '0;", "intr_q   <= status_q != '0;", "interrupt"),
    ("csb", "complete_q <= valid_q && write_q && nposted_q;", "complete_q <= valid_q && write_q;", "random"),
    ("conv_stub", "conv_time > cdma_time ? conv_time : cdma_time", "conv_time", "engines"),
    ("regfile", "!(double && locked[producer])", "1'b1", "locked"),
    ("glb", "(status_q & ~clear) | set", "(status_q | set) & ~clear", "interrupt"),
    ("block", "enable_q[producer_q] <= 1'b1;", "enable_q[producer_q] <= !enable_q[producer_q];", "locked"),
    ("write_port", "open_q[e] < 4'(MaxWrites)", "1'b1", "outstanding"),
    ("pkg", "MaxWrites  = 8;", "MaxWrites  = 7;", "outstanding"),
    ("map_pkg", "32'h00000071};  // SDP.S_LUT_CFG", "32'h00000070};  // SDP.S_LUT_CFG", "registers"),
    ("sdp", "cfg.to_memory && ", "", "start"),
    ("sdp_config", "from_memory[u] && !rdma[OperandFirst+OperandStep*u][0]", "from_memory[u]", "starved"),
    ("sdp_operands", "cfg.read && cfg.mul", "cfg.read", "starved"),
    ("sdp_reader", "use_source == '0 && used_q < 2'd2", "use_source == '0", "outstanding"),
    ("sdp_config", "!cfg.flying || from_memory != '0", "!cfg.flying", "engines"),
    ("writer", "walked && cutter_free && quiet", "walked && quiet", "sdp"),
    ("pdp_scale", "product_q[15+OUT_W] && product_q[ProductW-1]", "product_q[ProductW-1]", "pdp"),
    ("sdp_core", "late_q[UnitLatency-1][l][1]", "late_q[UnitLatency-2][l][1]", "sdp"),
    ("pdp", "14'(cfg.in.width) < 14'(LINE_ATOMS)", "14'(cfg.in.width) <= 14'(LINE_ATOMS)", "start"),
    ("pdp", "cfg.from_memory && ", "", "start"),
    ("pdp_config", "pdp[OutH][12:0], pdp[InC][12:3]", "pdp[OutH][12:0], pdp[8][12:3]", "fields"),
    ("pdp_core", "padding = SumW'(rows)", "padding = SumW'(rows[2:0])", "fields"),
    ("pdp_rows", "surface_q == in.surfaces", "surface_q[1:0] == in.surfaces[1:0]", "large"),
    ("pdp_reader", "!ask_first || used_q < 2'd2", "!ask_first || used_q < 2'd1", "pdp"),
    ("pdp_combine", "sum < x ? sum : x", "unsigned'(sum) < unsigned'(x) ? sum : x", "pdp"),
    ("chunks", "chunk_q == size.width[12:Shift]", "5'(chunk_q) == 5'(size.width[12:Shift])", "large"),
    ("lines", "line_q    <= surface_next;", "line_q    <= line_q + cube.line_stride;", "sdp"),
    ("cdp_stub", "cdp_time == '0 ? STUB_CYCLES : cdp_time", "cdp_time", "engines"),
    ("glb", "mask_q   <= '0;", "mask_q   <= mask_q;", "reset"),
    ("top", "flying_q == '1 ? flying_q : flying_q + 2'd1", "flying_q + 2'd1", "start"),
    ("top", "if (conv_done && !take_flying) begin", "if (conv_done) begin", "start"),
    ("top", "if (!rst_n) begin", "if (1'b0) begin", "reset"),
]
MUTANTS = [pytest.param(*m, id=m[0]) for m in QUICK]
MUTANTS += [pytest.param(*m, id=f"{m[0]}-{i}", marks=pytest.mark.slow) for i, m in enumerate(SLOW)]


def check(case, seeds, tmp_path, design=DESIGN, **options):
    results = run(Request(design, design.case(case), seeds, {}, options), tmp_path)
    broken = [r for r in results if not r.passed]
    assert not broken, "\n".join([*broken[0].failures[:2], "repeat: " + broken[0].request.command(broken[0].seed)])
    return sum(r.compared for r in results)


@pytest.mark.sim
@pytest.mark.slow
@pytest.mark.parametrize("case", ["sdp", "pdp"])
def test_200_operations(case, tmp_path):
    """50 seeds of 4 operations: data, every burst and every access to the cycle."""
    assert check(case, range(2000, 2050), tmp_path, operations=4) > 10_000


@pytest.mark.sim
@pytest.mark.slow
def test_all_engines_at_once(tmp_path):
    assert check("engines", range(3000, 3100), tmp_path, operations=6) > 10_000


def functional(params, stimulus):
    """What the memory holds after all operations, each taken by itself by the functional model; no cycles."""
    outcome = DESIGN.model(params, stimulus)
    producer, values = {}, {}
    memory = [replace(r, data=r.data.copy()) for r in stimulus.memories["dbb"].regions]
    for access in stimulus.program["csb"]:
        if access.op not in ("write", "post") or (one := register_at(access.address)) is None:
            continue
        if one.name == "S_POINTER":
            producer[one.block] = access.value
        elif one.name == "D_OP_ENABLE" and one.block in ("SDP", "PDP"):
            group = {a: v for (a, block), v in values.items() if block in (one.block, f"{one.block}_RDMA")}
            after = hardware.run(one.block, group, memory).memory
            memory = [replace(r, data=after[r.name].copy()) for r in memory]
        elif one.name.startswith("D_"):
            values[access.address, one.block] = access.value
    contents = {r.name: r.data for r in memory}
    return replace(outcome, memories={"dbb": replace(outcome.memories["dbb"], regions=contents, log=None)})


@pytest.mark.sim
def test_operations_equal_the_functional_models(tmp_path):
    """The same results as the models that know nothing of our hardware, three operations of each engine a seed."""

    def make(setting):
        rng = np.random.default_rng(setting.seed)
        space = Space(rng)
        operations = [make_one(rng, space) for make_one in (random_sdp, random_pdp) for _ in range(3)]
        timing = random_timing(rng, setting.seed)
        stimulus = DESIGN.case("random").make(setting)[0]
        image = space.image(timing)
        return [replace(stimulus, program={"csb": program(operations, rng)}, memories={"dbb": image})]

    case = DESIGN.case("random").model_copy(update={"make": make})
    design = DESIGN.model_copy(update={"model": functional, "cases": (case,)})
    assert check("random", range(12), tmp_path, design) > 1000


@pytest.mark.parametrize("seed", range(4))
def test_engines_reach_all_the_writes_that_they_may_have_open(seed):
    """The memory of ``outstanding`` is late enough for both limits of docs/nvdla-hardware.md: no case is needed beyond it."""
    clocks = {c.name: Clock(c.period_ps, c.period_ps) for c in DESIGN.clocks}
    params = {name: p.default for name, p in DESIGN.parameters.items()}
    most = dict.fromkeys((READ, WRITE), 0)
    for stimulus in DESIGN.case("outstanding").make(CaseContext(params, {}, seed, clocks=clocks)):
        log = DESIGN.model(params, stimulus).memories["dbb"].log
        for kind in most:
            for engine in (0, 1):
                mine = log[(log["kind"] == kind) & (log["id"] == engine)]
                here = max(int(((mine["cycle"] <= c) & (mine["done"] > c)).sum()) for c in mine["cycle"])
                most[kind] = max(most[kind], here)
    assert most[WRITE] == 8
    assert most[READ] > 8


@pytest.mark.sim
@pytest.mark.parametrize(("file", "old", "new", "case"), MUTANTS)
def test_breaks_are_seen(file, old, new, case, tmp_path):
    shutil.copytree(HDL, tmp_path / "hdl")
    path = tmp_path / "hdl" / "nvdla" / f"nvdla_{file}.sv"
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))
    broken = DESIGN.model_copy(update={"root": tmp_path / "hdl"})
    results = run(Request(broken, broken.case(case), range(20), {}, {}), tmp_path / "run")
    assert any(not r.passed for r in results)
