# SPDX-License-Identifier: Apache-2.0
"""The ZynqNet accelerator in RTL against its golden model: every byte of memory, register, burst and cycle."""

import json
import os
import pty
import re
import subprocess
import sys
from contextlib import suppress
from dataclasses import asdict

import numpy as np
import plain_zynqnet
import pytest
from typer.main import get_command

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.zynqnet import device_map as reg
from goldbeat.pymodels.zynqnet import synth
from goldbeat.pymodels.zynqnet.device import REGISTERS
from goldbeat.pymodels.zynqnet.golden import Golden, quantised
from goldbeat.pymodels.zynqnet.hardware import ErrorCode, Hardware
from goldbeat.pymodels.zynqnet.memory_map import MemoryMap
from goldbeat.pymodels.zynqnet.networks import mini
from goldbeat.pymodels.zynqnet.registers import COUNTERS
from goldbeat.pymodels.zynqnet.timing import Accelerator
from goldbeat.tb.cli import app
from goldbeat.tb.cli.options import as_pairs, split_sets
from goldbeat.tb.designs.zynqnet.answer import answer
from goldbeat.tb.designs.zynqnet.bench import DESIGN
from goldbeat.tb.designs.zynqnet.errors import MISTAKES, mistakes
from goldbeat.tb.inside.job import Record
from goldbeat.tb.run.runs import Request, predict, run
from goldbeat.tb.run.simulate import PULSE_S

HOST = ("restart", "polling", "edges", "registers", "reset", "responses")
# The smallest build: the default one takes more than a minute.
SMALL = {"NPE": 4, "DATA_W": 64, "LINES": 4}


def passed(case, params, folder, seed=1, **options):
    (result,) = run(Request(DESIGN, DESIGN.case(case), [seed], params, options), folder)
    assert result.passed, "\n".join([*result.failures[:3], result.request.command(seed)])
    assert result.compared > 100
    return result


@pytest.mark.slow
@pytest.mark.sim
def test_a_small_build(tmp_path):
    result = passed("mini", SMALL, tmp_path / "mini")
    (table,) = result.findings()
    model, go = Accelerator(Hardware.of(SMALL | {"INT8": 0})), 0
    for row, layer in zip(table.rows, mini().layers, strict=False):
        times = model.run(layer, MemoryMap(mini()), go)
        go = times.done + 1
        assert row[:3] == (layer.name, str(times.cycles), str(times.issues))
    assert table.rows[-1][0] == "all"
    passed("random", SMALL, tmp_path / "random", layers=30)
    passed("errors", SMALL, tmp_path / "errors")
    for case in HOST:
        passed(case, SMALL, tmp_path / case)


@pytest.mark.slow
@pytest.mark.sim
def test_progress_follows_the_layers(tmp_path, monkeypatch):
    monkeypatch.setattr("goldbeat.tb.run.simulate.PULSE_S", PULSE_S / 25)
    request = Request(DESIGN, DESIGN.case("mini"), (0,), SMALL, {"memory_latency": 2000, "clock_mhz": 100})
    seen = []
    (result,) = run(request, tmp_path, watch=seen.append)
    assert result.passed, result.failures
    (episode,) = result.episodes
    phases = {phase.name: phase for phase in episode.expected.phases}
    named = [where for where in seen if where.phase]
    assert len(named) > 5
    assert [where.cycle for where in seen] == sorted(where.cycle for where in seen)
    order = [layer.name for layer in mini().layers]
    assert [order.index(where.phase) for where in named] == sorted(order.index(where.phase) for where in named)
    assert all(phases[where.phase].first <= where.cycle <= phases[where.phase].last for where in named)
    cycles = int(result.findings()[0].rows[-1][1])
    assert seen[-1].pace == f"{1e8 / cycles:.1f} frames/s at 100 MHz"
    end = seen[-1]
    assert (end.cycle, end.done) == (end.cycles, 1)
    # The prediction of the whole: the program's last answer, and the time that the run looks on after it.
    last = episode.record.accesses[REGISTERS][-1].cycle
    assert 0 < end.cycles - last < 200


def on_a_terminal(*arguments):
    """What a command writes to a terminal on stderr, and its stdout."""
    ours, theirs = pty.openpty()
    environment = os.environ | {"TERM": "xterm", "COLUMNS": "160"}
    command = [sys.executable, "-m", "goldbeat.tb.cli", "run", "zynqnet", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=theirs, env=environment) as process:
        os.close(theirs)
        shown = b""
        # Linux: reading fails when the other side has been closed.
        with suppress(OSError):
            while part := os.read(ours, 1 << 16):
                shown += part
        out = process.stdout.read()
    os.close(ours)
    assert process.returncode == 0
    return shown.decode(errors="replace"), out.decode()


@pytest.mark.slow
@pytest.mark.sim
def test_a_bar_on_terminals_only():
    small = [f"--{key.replace('_', '-')}={value}" for key, value in SMALL.items()]
    long = [*small, "--memory-latency", "2000", "--name", "zynqnet-bar"]
    bar, out = on_a_terminal(*long)
    for text in ("f3/s3", " k cycles", "frames/s at 200 MHz", ":0"):
        assert text in bar, text
    assert "frames/s at" not in out
    assert on_a_terminal(*long, "--json")[0] == ""


def test_options_are_checked_before_anything_runs():
    case = DESIGN.case("layer")
    assert split_sets(DESIGN, case, as_pairs(["memory_latency=0x10", "number=int8"])) == (
        {"INT8": 1},
        {"memory_latency": 16},
    )
    for wrong in ("memory_latency=x", "clock_mhz=fast"):
        with pytest.raises(UsageError, match="whole number"):
            split_sets(DESIGN, case, as_pairs([wrong]))
    request = Request(DESIGN, case, (0,), {}, {"clock_mhz": 0})
    with pytest.raises(UsageError, match="clock_mhz"):
        predict(request, 0)


def accesses(case, params, **options):
    """What the host does in each episode, with the answers that the model predicts."""
    plan = predict(Request(DESIGN, DESIGN.case(case), (0,), params, options), 0)
    return [list(zip(s.program[REGISTERS], e.accesses[REGISTERS], strict=True)) for s, e in plan.steps]


@pytest.mark.parametrize("params", [SMALL, {"NPE": 8}, {"INT8": 1, "NPE": 8, "DATA_W": 32}])
def test_every_error_is_reached_and_the_first_one_counts(params):
    (steps,) = accesses("errors", params)
    found = [answer.value for access, answer in steps if access.op == "read" and access.address == reg.ERROR][1:]
    known = [code for code in MISTAKES if params.get("INT8") or code is not ErrorCode.SHIFTS]
    for mistake, code in zip(mistakes(), found, strict=False):
        wrong = [c for c in known if any(one.items() <= mistake.items() for one in MISTAKES[c])]
        assert code == min(wrong, default=0), mistake
    assert set(known) <= set(found)


def values(steps, address):
    return [a.value for access, a in steps if access.op == "read" and access.address == address]


def test_accesses_fall_into_every_cycle_around_the_end():
    episodes = accesses("edges", SMALL)
    layers, isr = ([values(steps, address)[-1] for steps in episodes] for address in (COUNTERS["LAYERS"], reg.ISR))
    # From four cycles before the end to four after it: clearing auto-restart, start, toggling ISR, writing IER.
    assert layers[:18] == 2 * [1, 1, 1, 1, 2, 2, 2, 2, 2]
    assert isr[18:27] == [1, 1, 1, 1, 1, 0, 0, 0, 0]
    assert isr[27:36] == [3, 3, 3, 3, 1, 1, 1, 1, 1]
    # Looks at AP_CTRL, ISR, CYCLES, LAYERS and ERROR.
    for at, address in ((45, reg.AP_CTRL), (54, reg.ISR), (63, COUNTERS["CYCLES"]), (72, COUNTERS["LAYERS"])):
        looks = [values(steps, address)[0] for steps in episodes[at : at + 9]]
        assert len(set(looks[:4])) == len(set(looks[4:])) == 1
        assert looks[3] != looks[4]
    assert [values(steps, reg.ERROR)[0] for steps in episodes[81:90]] == 3 * [0] + 6 * [ErrorCode.CH_OUT]
    # Idle for one cycle between two layers.
    last = [values(steps, reg.AP_CTRL)[0] for steps in episodes[108:117]]
    again = reg.AP_CTRL_AUTO_RESTART
    idle, later = (
        again | reg.AP_CTRL_DONE | reg.AP_CTRL_READY | reg.AP_CTRL_IDLE,
        again | reg.AP_CTRL_DONE | reg.AP_CTRL_READY | reg.AP_CTRL_START,
    )
    assert last == 4 * [again | reg.AP_CTRL_START] + [idle] + 4 * [later]


def test_host_programs_reach_what_they_are_for():
    runs = accesses("restart", SMALL)
    starts = [sum(a.op == "write" and a.address == 0 and a.value & 1 for a, _ in steps) for steps in runs]
    layers = [values(steps, COUNTERS["LAYERS"])[-1] for steps in runs]
    assert all(many > once for many, once in zip(layers[:4] + layers[6:], starts[:4] + starts[6:], strict=False))
    codes = {values(steps, reg.ERROR)[0] for steps in accesses("responses", SMALL)}
    assert codes == {ErrorCode.READ_RESPONSE, ErrorCode.WRITE_RESPONSE}
    # A poll ends with the first read that finds the bit, four cycles after the last one that did not.
    for steps in accesses("polling", SMALL):
        polls = [n for n, (access, _) in enumerate(steps) if access.op == "poll"]
        spent = [steps[n][1].cycle - steps[n - 1][1].cycle for n in polls]
        assert all(cycles % 4 == 0 and cycles > 100 for cycles in spent)


@pytest.mark.sim
@pytest.mark.slow
@pytest.mark.parametrize(
    "params", DESIGN.variants, ids=lambda p: "-".join(f"{k}{v}" for k, v in p.items()) or "default"
)
def test_200_random_layers(params, tmp_path):
    passed("random", params, tmp_path, layers=200)
    for case in ("errors", *HOST):
        passed(case, params, tmp_path, seed=2)


@pytest.mark.sim
@pytest.mark.slow
def test_codes_of_a_narrow_int8_build(tmp_path):
    params = {"INT8": 1, "NPE": 8, "DATA_W": 32}
    for case in ("errors", *HOST):
        passed(case, params, tmp_path)


@pytest.mark.sim
@pytest.mark.slow
@pytest.mark.parametrize(("width", "cycles"), [(128, 4_474_888), (64, 6_077_766), (32, 9_655_590)])
def test_the_whole_network(width, cycles, tmp_path):
    (table,) = passed("full", {"DATA_W": width}, tmp_path).findings()
    assert table.rows[-1][:2] == ("all", str(cycles))


@pytest.mark.sim
@pytest.mark.slow
@pytest.mark.parametrize("layer", ["f3/s1", "f7/e3", "c10/p2"])
def test_whole_layers_behind_a_memory_that_holds_back(layer, tmp_path):
    passed("layer", {}, tmp_path, layer=layer, memory="random")


ODD = {
    "name": "odd",
    "input": {"width": 8, "height": 6, "channels": 3},
    "layer": [
        {"name": "c1", "ch_out": 10, "stride": 2},
        {"name": "f2/e1", "ch_out": 5, "kernel": 1, "split": "first"},
        {"name": "f2/e3", "ch_out": 5, "split": "second"},
        {"name": "p3", "ch_out": 7, "kernel": 1, "relu": False, "gpool": True},
    ],
}


@pytest.mark.sim
def test_a_network_with_padded_channels_and_what_a_run_of_it_keeps(tmp_path, monkeypatch, capfd):
    monkeypatch.setattr("goldbeat.tb.cli.run.build_root", lambda: tmp_path)
    rng = np.random.default_rng(1)
    (tmp_path / "odd.json").write_text(json.dumps(ODD))
    weights = rng.standard_normal(28 * 10 + 11 * 5 + 91 * 5 + 11 * 7).astype(np.float32)
    image = (rng.standard_normal((6, 8, 3)) * 50).astype(np.float32)
    np.save(tmp_path / "weights.npy", weights)
    np.save(tmp_path / "image.npy", image)
    outputs, scores = plain_zynqnet.run(ODD, weights, image)
    sets = [f"{key}={value}" for key, value in SMALL.items()]
    sets += [f"{key}={tmp_path / file}" for key, file in (("network", "odd.json"), ("image", "image.npy"))]
    arguments = [word for item in [*sets, f"weights={tmp_path / 'weights.npy'}"] for word in ("--set", item)]
    with pytest.raises(SystemExit) as caught:
        get_command(app).main(args=["run", "zynqnet", *arguments])
    shown = capfd.readouterr().out
    assert not caught.value.code, shown
    assert "PASS zynqnet mini, network odd: 1 episode(s)" in shown
    best = int(np.argmax(scores))
    assert re.search(rf"odd: classes in RTL.*\n(.*\n){{3}}│ {best} ", shown), shown
    folder = tmp_path / "runs" / "zynqnet-mini"
    report = json.loads((folder / "report.json").read_text())
    assert (report["network"], report["classes"][0]["number"]) == ("odd", best)
    assert [np.float32(one["score"]) for one in report["classes"]] == np.sort(scores)[::-1][:5].tolist()
    assert list(report["outputs"]) == ["c1", "f2/e1", "f2/e3", "p3"]
    for name, entry in report["outputs"].items():
        kept = np.load(folder / entry["file"])
        assert kept.tobytes() == outputs[name].tobytes(), name
        assert (list(kept.shape), str(kept.dtype)) == (entry["shape"], entry["dtype"])


@pytest.mark.parametrize(("layer", "count", "classes"), [("all", 7, 5), ("c4/p1,c4/p2", 2, 5), ("f2/e1", 1, 0)])
def test_classes_where_the_last_layer_ran(layer, count, classes):
    # What the model predicts in place of what the RTL does, in both formats.
    for params, number in ((SMALL, "fp32"), (SMALL | {"INT8": 1}, "int8")):
        request = Request(DESIGN, DESIGN.case("mini"), (0,), params, {"layer": layer})
        ((stimulus, expected),) = predict(request, 0).steps
        found = answer(request.setting(0), stimulus, Record(expected))
        assert (found.subject, len(found.outputs), len(found.facts.get("classes", ()))) == (
            "network mini",
            count,
            classes,
        )
        weights, image = synth.weights(mini()), synth.image(mini().input)
        golden = Golden(mini(), weights, image) if number == "fp32" else quantised(mini(), weights, image).golden()
        values = {out.layer.name: out.values.copy() for out in golden.run()}
        assert all(np.array_equal(array, values[name]) for name, array in found.outputs.items())
        if classes:
            assert found.facts["classes"] == [asdict(one) for one in golden.top(5)]


def test_cases_without_a_network_have_no_answer():
    request = Request(DESIGN, DESIGN.case("polling"), (0,), SMALL)
    stimulus, expected = predict(request, 0).steps[0]
    assert answer(request.setting(0), stimulus, Record(expected)) is None
