# SPDX-License-Identifier: Apache-2.0
"""Ready-made models of modules on AXI4, AXI-Lite and APB: no line of Python, and what is wrong is found."""

import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from typer.testing import CliRunner

from goldbeat.pymodels.axi.burst import DECERR, INCR, OKAY, SLVERR, WRITE
from goldbeat.pymodels.axi.program import ANY_ERROR
from goldbeat.pymodels.axi.storage_traffic import BurstShape, Window, storage_bursts
from goldbeat.pymodels.errors import UsageError
from goldbeat.tb.cli import app
from goldbeat.tb.design.address_map import AddressStretch
from goldbeat.tb.design.description import load_description
from goldbeat.tb.design.traffic import CUT_OFF
from goldbeat.tb.inside.job import BurstAnswers
from goldbeat.tb.run.burst_check import check_bursts
from goldbeat.tb.run.runs import Request, run

RTL = Path(__file__).parent / "bus_rtl"


def bench(folder, source, model, *more):
    """The description that ``goldbeat new`` writes."""
    words = ["new", folder, RTL / source, "--model", model, *more]
    said = CliRunner().invoke(app, [*map(str, words)], catch_exceptions=False)
    assert said.exit_code == 0, said.output
    return folder / f"{Path(source).stem}.toml"


def failures(design, case="sweep", seeds=(0,), params=None, **options):
    """What is wrong with a case, over all seeds, and how much was compared."""
    results = run(Request(design, design.case(case), seeds, params=params or {}, options=options))
    return [text for result in results for text in result.failures], sum(result.compared for result in results)


@pytest.mark.slow
@pytest.mark.sim
def test_a_memory_takes_every_burst(tmp_path):
    design = load_description(bench(tmp_path, "burst_ram.sv", "memory"))
    assert [case.name for case in design.cases] == ["sweep", "random", "load", "reset"]
    found, compared = failures(design, seeds=range(3), exclusive=True)
    assert not found
    assert compared > 100_000
    found, compared = failures(design, "load")
    assert not found
    assert compared > 10_000


@pytest.mark.sim
def test_what_a_reset_leaves_in_a_counter_of_beats_is_found(tmp_path):
    text, old = (RTL / "burst_ram.sv").read_text(), "s_axi_arlen, s_axi_arlen,"
    assert old in text
    (tmp_path / "burst_ram.sv").write_text(text.replace(old, "r.left == 8'd4 ? 8'd4 : s_axi_arlen, s_axi_arlen,"))
    found, _ = failures(load_description(bench(tmp_path, tmp_path / "burst_ram.sv", "memory")))
    assert any("axi_rlast" in text for text in found)


@pytest.mark.slow
@pytest.mark.sim
def test_a_memory_without_wrap_is_found(tmp_path):
    design = load_description(bench(tmp_path, "burst_ram.sv", "memory"))
    found, _ = failures(design, "random", params={"WRAPS": 0})
    assert any("bytes read differ" in text and "WRAP" in text for text in found)
    assert failures(design, "random", params={"WRAPS": 0}, kinds="incr,fixed")[0] == []
    # EXOKAY is what exclusive accesses of this memory get: a model that wants none would not see it.
    alone, _ = failures(design, "random", params={"WRAPS": 0}, kinds="incr", exclusive=True)
    assert alone == []


@pytest.mark.slow
@pytest.mark.sim
def test_bridges_pass_and_broken_ones_do_not(tmp_path):
    design = load_description(bench(tmp_path, "bridges.sv", "adapter"))
    assert design.undriven() == {}
    found, compared = failures(design, seeds=range(2))
    assert not found
    assert compared > 20_000
    found, _ = failures(design, "random", params={"BROKEN": 1})
    for port in ("s_axi: ", "s_axil: ", "s_apb: ", "memory m_axi, ", "memory m_axil, "):
        assert any(text.startswith(port) for text in found), (port, found)
    assert not any(text.startswith("memory m_apb") for text in found), found


@pytest.mark.sim
def test_memories_are_ready_early_and_refuse_halves_and_some_bytes(tmp_path):
    """PREADY in the setup phase, errors of writes without all strobes, and those of one half of a wide word."""
    design = load_description(bench(tmp_path, "apb_halves.sv", "adapter"))
    found, compared = failures(design, "random", range(2))
    for lane, begin in ((1, "apb_sequence: m_apb_1"), (2, "s_axi_2: access"), (3, "s_axi_3: access")):
        assert any(text.startswith(begin) for text in found), (lane, found)
    assert not [text for text in found if "_axi_0" in text or "_apb_0" in text]
    assert compared > 500


@pytest.mark.sim
def test_an_address_map_is_held_to(tmp_path):
    """The bridges as an interconnect: what leads to the wrong master, or to none, is found."""
    path = bench(tmp_path, "bridges.sv", "adapter")
    text = path.read_text().replace('model = "adapter"', 'model = "interconnect"')
    ranges = [("axi", 0x8000), ("axil", 0x1000), ("apb", 0x1000)]
    for name, size in ranges:
        text += f'\n[[address_map]]\nport = "m_{name}"\nbase = 0\nbytes = {size}\nslaves = ["s_{name}"]\n'
    path.write_text(text)
    design = load_description(path)
    assert failures(design, "random", unmapped=False)[0] == []
    # Behind 0x8000 there is no DECERR, but the same memory: the bridge has no decoder.
    found, _ = failures(design, "random")
    assert any(one.startswith("mem_bounds: m_axi") for one in found)
    path.write_text(text.replace('port = "m_axil"', 'port = "m_apb"'))
    found, _ = failures(load_description(path), "sweep", unmapped=False)
    assert any("mem_bounds: m_axil" in one for one in found)


@pytest.mark.sim
def test_a_slave_of_one_word_gets_traffic(tmp_path):
    for bits in (2, 3):
        path = bench(tmp_path / str(bits), "few_words.sv", "memory", "-G", f"AW={bits}")
        design = load_description(path)
        found, compared = failures(design)
        assert not found
        assert compared > 300
        assert failures(design, "random", params={"STUCK": 1})[0]


@pytest.mark.slow
@pytest.mark.sim
def test_streams_beside_buses_are_driven_and_compared(tmp_path):
    path = bench(tmp_path, "both.sv", "memory")
    text = path.read_text()
    assert 'stream_model = "rules"' in text
    (open_end,) = run(Request(load_description(path), load_description(path).case("random")))
    assert (open_end.status, open_end.failures) == ("partial", ())
    assert open_end.partial == ("output streams: stream_model 'rules' does not predict them",)
    assert open_end.compared > 0
    path.write_text(text.replace('stream_model = "rules"', 'stream_model = "identity"'))
    design = load_description(path)
    assert [case.name for case in design.cases] == ["sweep", "random", "sizes"]
    sweep = Request(design, design.case("sweep"))
    labels = [one.label for one in sweep.case.make(sweep.setting(0))]
    for begin in (CUT_OFF, "runs of up to 4096 accesses", "pauses and answers of", "requests 4 cycles apart"):
        assert any(label.startswith(begin) for label in labels), begin
    found, compared = failures(design)
    assert not found
    assert compared > 2000
    for fault, begin in ((1, "port m_axis"), (2, "s_apb: access"), (3, "s_apb: access")):
        texts, _ = failures(design, params={"FAULT": fault})
        assert any(begin in one for one in texts), (fault, texts[:3])
        assert any("port m_axis" in one for one in texts) == (fault == 1)
    for old, new, message in (
        ('"identity"', '"memory"', "expected one of identity, broadcast, route, merge, repack, repack_msb, rules"),
        ('stream_model = "identity"\n', "", "knows no streams, s_axis is one: set stream_model to one of"),
        ('model = "memory"', 'model = "identity"', "stream_model is for designs with streams and one of the models"),
    ):
        path.write_text(text.replace('stream_model = "rules"', 'stream_model = "identity"').replace(old, new, 1))
        with pytest.raises(UsageError, match=message):
            load_description(path)


def test_parts_of_small_stretches():
    def ends(size, slaves=1, word=4, base=0):
        stretch = AddressStretch(base, size, tuple("abc"[:slaves]), None, base)
        return stretch.ends(stretch.part(word, 2048))

    assert ends(4) == [(0, 4)]
    assert ends(8) == [(0, 8)]
    assert ends(12) == [(0, 4), (8, 4)]
    assert ends(16) == [(0, 8), (8, 8)]
    assert ends(8, slaves=2) == [(0, 8)]
    assert ends(64, slaves=2) == [(0, 32), (32, 32)]
    for size, slaves, base, message in (
        (4, 2, 0, "no room for 4 bytes for each of 2"),
        (4, 1, 2, "begins or ends within a word of 4 bytes"),
        (8, 3, 0, "no room for 4 bytes for each of 3"),
    ):
        with pytest.raises(UsageError, match=message):
            ends(size, slaves, base=base)


@pytest.mark.slow
@pytest.mark.sim
def test_an_address_map_is_found_by_asking(tmp_path):
    words = ["new", tmp_path, RTL / "apb_split.sv", "--model", "interconnect"]
    said = CliRunner().invoke(app, [*map(str, words)], catch_exceptions=False)
    assert "address map: 0x40001000 to 0x400010ff: m_apb_1 at 0x0" in said.output
    design = load_description(tmp_path / "apb_split.toml")
    text = (tmp_path / "apb_split.toml").read_text()
    ranges = re.findall(r'port = "(\w+)"\nbase = (\w+)\nbytes = (\w+)\ntarget = 0x0\n', text)
    assert ranges == [
        ("m_apb_0", "0x40000000", "0x1000"),
        ("m_apb_1", "0x40001000", "0x100"),
        ("m_apb_2", "0x812340c0", "0x40"),
    ]
    found, compared = failures(design)
    assert not found
    assert compared > 500
    # It is the RTL's with these parameters alone.
    assert failures(design, "random", params={"BASE": 0x5000_0000})[0]
    words = ["new", tmp_path / "alone", RTL / "burst_ram.sv", "--model", "interconnect"]
    said = CliRunner().invoke(app, [*map(str, words)], catch_exceptions=False)
    assert said.exit_code == 2
    assert "model interconnect needs a master" in said.output


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('model = "adapter"', 'model = "memory"', "m_apb is a master; models adapter and interconnect have them"),
        ('model = "adapter"', 'model = "interconnect"', "needs \\[\\[address_map\\]\\]"),
        ('model = "adapter"', 'model = "register_file"', "needs storage"),
        ("compare_time = false", "compare_time = true", "predicts no cycles"),
        ("compare_order = true", "compare_order = true\naccesses = { nothing = 1 }", "unknown option 'nothing'"),
    ],
)
def test_what_does_not_fit_is_refused(tmp_path, old, new, message):
    path = bench(tmp_path, "bridges.sv", "adapter")
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(UsageError, match=message):
        failures(load_description(path))


def test_bursts_ask_for_some_bytes_of_what_is_refused_and_keep_what_is_beside_it():
    window = Window(0, np.arange(64, dtype=np.uint8), np.ones(64, np.bool_))
    # Of one word all is refused, of another one the lower half.
    window.answers = np.zeros((2, 64), np.uint8)
    window.answers[:, 8:16] = window.answers[:, 32:36] = SLVERR
    held = window.data.copy()
    program = storage_bursts(np.random.default_rng(1), [window], BurstShape(8, longest=4, kinds=(INCR,)), 400)
    word, write = program.bursts.addresses() // np.uint64(8), (program.bursts.kind == WRITE)[program.bursts.of_beat]
    refused, sent = program.beat_answers == SLVERR, program.strobe.any(axis=1)
    whole, half = refused & write & (word == 1), write & (word == 4)
    assert (program.strobe[whole].any(axis=1) & ~program.strobe[whole].all(axis=1)).any()
    assert sent[whole].all()
    assert (refused & ~write & (word == 4)).any()
    # What is beside the refused half may be written or not, so it stays what it is, and no answer is compared.
    upper = program.strobe[half, 4:]
    assert (program.data[half, 4:] == held[36:40])[upper].all()
    assert np.array_equal(window.data[32:40], held[32:40])
    beside = (word == 4) & ~refused & (program.response[program.bursts.of_beat] != -1)
    assert not beside.any()
    assert not program.checked[word == 4].any()


def test_a_write_answered_with_no_error_that_it_met_fails():
    window = Window.unknown(0, 64)
    window.answers = np.repeat(np.array([[0] * 16, [SLVERR, DECERR] * 8], np.uint8), 4, axis=1)
    program = storage_bursts(np.random.default_rng(1), [window], BurstShape(4, longest=16, kinds=(INCR,)), 20)
    several = program.response == ANY_ERROR
    assert several.any()

    def failures(error):
        of = program.bursts.of_beat
        response = np.where(several, error, program.response)
        done = np.ones_like(response)
        answers = BurstAnswers(
            response, done, done, done, program.data, program.beat_answers, np.zeros(len(of), np.uint64)
        )
        record = SimpleNamespace(bursts={"s": answers})
        return check_bursts(SimpleNamespace(bursts={"s": program}), record)[0]

    assert not failures(SLVERR)
    assert not failures(DECERR)
    assert "expected an error that a beat has met, got OKAY" in failures(OKAY)[0]
