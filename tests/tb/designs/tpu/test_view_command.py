# SPDX-License-Identifier: Apache-2.0
"""``goldbeat tpu operands``, ``goldbeat tpu diff``, and the warning about the chip."""

import json
from pathlib import Path

import pytest
from tpu_twice import write_model
from typer.testing import CliRunner

from goldbeat.tb.cli import app

RUN = CliRunner()


def call(*arguments: object) -> tuple[int, str]:
    done = RUN.invoke(app, ["tpu", *map(str, arguments)])
    return done.exit_code, done.output


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return write_model(tmp_path / "a.bmodel")


def test_operands_have_names_types_and_places(model: Path):
    code, text = call("operands", model)
    assert code == 0
    assert "arith.cast(opd0=%R0x4000: 1x1x1x64xfp32 strides [256, 256, 256, 4])" in text
    assert "-> (res0=%R0x8000: 1x1x1x64xfp16 strides [128, 128, 128, 2]) wait=1" in text
    assert "src=%G0x9000000000 x: 1x1x1x64x32 bits" in text


def test_operands_show_constants(tmp_path: Path):
    add = {"opt_opd1_const": 1, "opd1_addr": 0x3C00}
    code, text = call("operands", write_model(tmp_path / "c.bmodel", sum_fields=add))
    assert code == 0
    assert "256, 4]" in text
    assert "strides [128, 128, 128, 2], opd1=%C0x3c00: fp16) -> (res0" in text


def test_operands_as_json(model: Path):
    code, text = call("operands", model, "--json", "--engine", "gdma")
    load = json.loads(text)[0]
    assert code == 0
    assert load["operands"][0] | {"tensor": "x", "memory": "global", "address": 0x90 << 32} == load["operands"][0]
    assert load["not_described"] == []


def test_diff_says_what_changed(model: Path, tmp_path: Path):
    assert call("diff", model, model)[0] == 0
    code, text = call("diff", model, write_model(tmp_path / "b.bmodel", func=3))
    assert code == 1
    assert "core0.sub0.g0.dma: equal" in text
    assert "removed arith.add" in text
    assert "added arith.sub" in text
    code, text = call("diff", model, tmp_path / "b.bmodel", "--json")
    assert code == 1
    assert [c["change"] for c in json.loads(text)["streams"]["core0.sub0.g0.tiu"]] == ["removed", "added"]


def test_a_chip_that_does_not_fit_is_said(model: Path):
    _, text = call("operands", model, "--chip", "BM1684X")
    assert "the streams do not fit BM1684X; they fit " in text
    assert "BM1688" in text
    assert "warning" not in call("operands", model, "--chip", "BM1688")[1]
