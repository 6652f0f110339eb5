# SPDX-License-Identifier: Apache-2.0
"""Payload while valid is low: what uses it is found, with the policy that shows it, on every bus and both directions."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.register_traffic import RegisterTraffic
from goldbeat.pymodels.stimulus import Access, Clock, Stimulus
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.cli import app
from goldbeat.tb.design.description import load_description
from goldbeat.tb.design.design import Design
from goldbeat.tb.inside.job import Backend
from goldbeat.tb.run.payload import payload_policies
from goldbeat.tb.run.runs import Request, check_request, predict, run

RTL = Path(__file__).parent / "idle_rtl"
LANES = {"axis": 8, "axil": 8, "axi": 5, "apb": 4}
EARLY, UNSEEN = "axis_6", "axis_7"
"""TDATA taken a cycle before TVALID; TLAST taken without TVALID."""


def bench(folder: Path, source: str, model: str) -> Path:
    """The description that ``goldbeat new`` writes, streams compared as they are."""
    said = CliRunner().invoke(app, ["new", str(folder), str(RTL / source), "--model", model], catch_exceptions=False)
    assert said.exit_code == 0, said.output
    path = folder / f"{Path(source).stem}.toml"
    # A posted write cannot be refused.
    confirmed = '[unchecked]\ns_apb_pslverr = "one lane posts its writes"\n' if "idle_faults" in source else ""
    path.write_text(path.read_text().replace('stream_model = "rules"', 'stream_model = "identity"') + confirmed)
    return path


def wrong(design: Design, *payload: str) -> set[str]:
    """The pairs of ports (``axis_3``) that failures name."""
    request = Request(design, design.case("random"), options={"beats": 100}, payload=payload)
    ((stimulus, _),) = predict(request, 0).steps
    # PSEL of accesses back to back never falls.
    gaps = {f"s_apb_{lane}": RegisterTraffic(gap=4) for lane in range(LANES["apb"])}
    stimulus = replace(stimulus, traffic={**stimulus.traffic, **gaps})
    (result,) = run(replace(request, stimuli=(stimulus,)))
    assert result.compared > 5000
    texts = result.failures
    assert all(re.search(r"\b[sm]_axi?[a-z]*_\d|\b[sm]_apb_\d", text) for text in texts), texts[:3]
    return {found for text in texts for found in re.findall(r"\b[sm]_((?:axis|axil|axi|apb)_\d)\b", text)}


@pytest.mark.slow
@pytest.mark.sim
def test_whatever_uses_payload_without_valid_is_found(tmp_path: Path) -> None:
    path = bench(tmp_path, "idle_faults.sv", "adapter")
    design = load_description(path)
    assert wrong(design) == {f"{bus}_{i}" for bus, count in LANES.items() for i in range(1, count)}
    # What stays after the transfer shows no late sampler.
    assert wrong(design, "hold") == {EARLY, UNSEEN}
    assert EARLY not in wrong(design, "next")
    assert UNSEEN not in wrong(design, "zeros")
    # One port alone, an array, and the description.
    assert wrong(design, "hold", "s_axis_2=random", "s_axil=ones") >= {"axis_2", *(f"axil_{i}" for i in range(1, 5))}
    path.write_text(path.read_text().replace('name = "s_axis"', 'name = "s_axis"\npayload = "hold"'))
    assert {one for one in wrong(load_description(path)) if one.startswith("axis")} == {EARLY, UNSEEN}


def _registers(seed: int) -> tuple[Access, ...]:
    """Whole words written and read back."""
    values = np.random.default_rng(seed).integers(1, 1 << 32, 12).tolist()
    return tuple(
        step
        for n, value in enumerate(values)
        for step in (Access("write", 4 * (n % 2), value), Access("read", 4 * (n % 2), value))
    )


@pytest.mark.sim
@pytest.mark.parametrize("transactors", ["native", "cocotbext"])
def test_both_back_ends_are_hostile(transactors: Backend, tmp_path: Path) -> None:
    design = load_description(bench(tmp_path, "idle_slaves.sv", "memory"))
    last = np.arange(40) % 8 == 7
    beats = Trace.from_bytes(
        np.arange(80, dtype=np.uint8).reshape(40, 2), last=last, cycle=np.arange(40) * 5, clock_ps=4000
    )
    gaps = {port: RegisterTraffic(gap=4) for port in ("s_axil", "s_apb")}
    programs = {"s_axil": _registers(1), "s_apb": _registers(2)}
    stimulus = Stimulus({"s_axis": beats}, clocks={"clk": Clock(4000, 4000)}, program=programs, traffic=gaps)

    def wrong_ports(*payload: str) -> set[str]:
        case = design.case("random")
        (result,) = run(Request(design, case, stimuli=(stimulus,), transactors=transactors, payload=payload))
        assert result.compared
        return {port for text in result.failures for port in ("m_axis", "s_axil", "s_apb") if port in text}

    assert wrong_ports() == {"m_axis", "s_axil", "s_apb"}
    # cocotbext-axi's source lets TLAST fall with TVALID.
    assert wrong_ports("hold") == ({"m_axis"} if transactors == "native" else set())
    assert wrong_ports("zeros", "s_axil=hold") == {"s_apb"}


def test_policies_of_ports(tmp_path: Path) -> None:
    path = bench(tmp_path, "idle_slaves.sv", "memory")
    path.write_text(path.read_text().replace('name = "s_apb"', 'name = "s_apb"\npayload = "hold"'))
    design = load_description(path)
    assert payload_policies(design, {}, []) == {"s_apb": "hold"}
    assert payload_policies(design, {}, ["s_apb=random"]) == {}
    everything = payload_policies(design, {}, ["s_axis=next", "zeros"])
    assert everything == {"s_axis": "next", "m_axis": "zeros", "s_axil": "zeros", "s_apb": "zeros"}
    for wishes, message in (
        (["wild"], "--payload wild: expected random, hold, zeros, ones or next"),
        (["s_axi=hold"], "idle_slaves has no port s_axi"),
        (["hold", "ones"], "all ports have hold already"),
        (["s_apb=hold", "s_apb=ones"], "s_apb is given twice"),
    ):
        with pytest.raises(UsageError, match=message):
            payload_policies(design, {}, wishes)
    request = Request(design, design.case("random"), payload=("s_apb=next",), transactors="cocotbext")
    assert "--payload s_apb=next" in request.command()
    with pytest.raises(UsageError, match="--payload next needs the native transactors"):
        check_request(request)
