# SPDX-License-Identifier: Apache-2.0
"""``goldbeat tpu compare``: the first tensor that differs, its layer, and the command that made it."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tpu_twice import write_model
from typer.testing import CliRunner

from goldbeat.pymodels.tpu.execute import elementwise
from goldbeat.tb.cli import app

RUN = CliRunner()
X = np.arange(64, dtype=np.float32) / 8
SLICE = "n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [1], d_idx = [0], d_slice = [1], h_idx = [0], h_slice = [1]"
GROUP = f"#tpu.lg<out_addr = {{}}, out_size = 128, eu_align = true, {SLICE}, w_idx = [0], w_slice = [64], group_type = {{}}>"
FLOATS, HALVES = "tensor<1x1x1x64xf32>", "tensor<1x1x1x64xf16>"
LAYERS = f"""#loc = loc(unknown)
#loc1 = loc("sum")
module @twice {{
  %1 = "tpu.Load"(%0) {{ginfo = {GROUP.format(0x4000, 0)}}} : ({FLOATS}) -> {FLOATS} loc("load_x")
  %2 = "tpu.Cast"(%1) {{ginfo = {GROUP.format(0x8000, 0)}}} : ({FLOATS}) -> {HALVES} loc("half")
  %3 = "tpu.Add"(%2, %2) {{ginfo = {GROUP.format(0xC000, 4)}}} : ({HALVES}, {HALVES}) -> {HALVES} loc(#loc1)
  %4 = "tpu.Store"(%3) : ({HALVES}) -> tensor<1x64xf16, {0xA0 << 32} : i64> loc("y")
}}
"""
PROFILE = f"""{"ENGINE_BD":<60}ENGINE_GDMA
{"":<60}Load_4|GDMA_TENSOR|s:0|b:0|g:1|e:99|t:100|dr:0|sz:256|bw:1.00
{"Cast_5|AR|s:100|b:1|g:1|e:107|t:8":<60}
{"Add_6|AR|s:108|b:2|g:1|e:115|t:8":<60}
{"":<60}Store_7|GDMA_TENSOR|s:116|b:2|g:2|e:165|t:50|dr:1|sz:128|bw:1.00
API_END total_cycle:166|b:2|g:2
"""


def call(*arguments: object) -> tuple[int, str]:
    done = RUN.invoke(app, ["tpu", "compare", *map(str, arguments)])
    return done.exit_code, done.output


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """As the compiler leaves one: model, layers, profile, tensors."""
    write_model(tmp_path / "m.bmodel")
    (tmp_path / "net_final.mlir").write_text(LAYERS)
    (tmp_path / "compiler_profile_0.txt").write_text(PROFILE)
    X.tofile(tmp_path / "input_ref_data.dat")
    (2 * X).astype(np.float16).tofile(tmp_path / "output_ref_data.dat")
    np.savez(tmp_path / "x.npz", x=X.reshape(1, 64))
    return tmp_path


def report(folder: Path, **reference: Any) -> dict[str, Any]:
    """Against tensors by name."""
    np.savez(folder / "r.npz", **reference)
    given = ["--input", folder / "x.npz", "--layers", folder / "net_final.mlir"]
    profile = folder / "compiler_profile_0.txt"
    command = ["tpu", "compare", folder / "m.bmodel", "--reference", folder / "r.npz", *given, "--profile", profile]
    return json.loads(RUN.invoke(app, [*map(str, command), "--json"]).stdout)


def test_a_folder_of_the_compiler_is_equal(folder: Path):
    code, text = call(folder / "m.bmodel", "--reference", folder, "--page", folder / "p.html")
    assert code == 0, text
    assert "y  1x64 fp16, output: equal" in text
    assert "PASS 1 tensors, 64 elements compared" in text
    assert "         8          0            0          0          0  sum (Add, line 6)" in text
    assert "         0        100            0        256          0  load_x (Load, line 4)" in text
    page = (folder / "p.html").read_text()
    assert 'class="badge pass"' in page
    assert "load_x" in page


def test_a_flipped_bit_of_an_output_is_led_back_to_its_calculation(folder: Path):
    raw = bytearray((folder / "output_ref_data.dat").read_bytes())
    raw[2 * 40] ^= 1
    (folder / "output_ref_data.dat").write_bytes(raw)
    code, text = call(folder / "m.bmodel", "--reference", folder, "--page", folder / "p.html")
    assert code == 1
    assert "FAIL y of Store in line 7: element [0, 40] is 10, expected 10.0078; 1 of 64 differ" in text
    made, moved = text.index("made by core0.sub0.g0.tiu command 2 (arith.add), layer sum"), text.index("moved by core0")
    assert made < moved
    assert "opd0=%R0x8000: 1x1x1x64xfp16" in text
    assert "made by core0.sub0.g0.tiu command 2" in (folder / "p.html").read_text()


def test_middle_tensors_are_compared_in_their_order(folder: Path):
    half, total = X.reshape(1, 64).copy(), (2 * X).reshape(1, 64)
    assert report(folder, half=half, sum=total, y=total)["equal"]
    half[0, 9] += 1
    found = report(folder, sum=total + 1, y=total, half=half)
    assert [one["tensor"] for one in found["tensors"]] == ["half", "sum", "y"]
    first = found["first"]
    assert (first["layer"], first["operation"], first["line"], first["index"]) == ("half", "Cast", 5, [0, 0, 0, 9])
    assert (first["found"], first["expected"], first["largest"]) == (X[9], X[9] + 1, 1)
    assert [(one["id"], one["engine"]) for one in first["commands"]] == [(1, "tiu")]


def test_what_execute_doubts_is_no_pass(folder: Path):
    write_model(folder / "m.bmodel", loaded=63)
    (folder / "compiler_profile_0.txt").unlink()
    (2 * X * (np.arange(64) < 63)).astype(np.float16).tofile(folder / "output_ref_data.dat")
    code, text = call(folder / "m.bmodel", "--reference", folder)
    assert code == 3, text
    assert "PARTIAL 1 tensors, 64 elements compared" in text
    assert "(arith.cast) reads 4 bytes of opd0 that nothing wrote" in text


def test_a_mistake_in_the_model_is_named_with_its_layer(folder: Path, monkeypatch: pytest.MonkeyPatch):
    right = elementwise.combined_floats
    monkeypatch.setattr(elementwise, "combined_floats", lambda step, a, b, kind: right(step, a, b + (a > 6), kind))
    found = report(folder, half=X, sum=2 * X, y=2 * X)
    assert (found["first"]["layer"], found["first"]["different"]) == ("sum", 15)
    assert not found["tensors"][0]["different"]


def test_a_tolerance_and_what_has_no_place(folder: Path):
    np.savez(folder / "r.npz", y=2 * X + np.float32(0.01), elsewhere=X)
    given = [folder / "m.bmodel", "--reference", folder / "r.npz", "--input", folder / "x.npz"]
    code, text = call(*given, "--tolerance", "0.001")
    assert code == 3
    assert "no memory was seen to hold elsewhere (without --layers and --profile, only outputs are)" in text
    assert call(*given)[0] == 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda f: (f / "output_ref_data.dat").write_bytes(bytes(100)), "found 100 bytes, expected 128, the tensors y"),
        (lambda f: (f / "input_ref_data.dat").unlink(), "has no input.dat or input_ref_data.dat"),
        (lambda f: (f / "net_final.mlir").write_text("module {}\n"), "missing operation, expected lines such as"),
    ],
)
def test_folders_that_lack_something(folder: Path, change: Any, message: str):
    change(folder)
    code, text = call(folder / "m.bmodel", "--reference", folder)
    assert code == 2
    assert message in " ".join(text.split())


def test_a_command_that_is_not_modelled_ends_the_comparison(folder: Path):
    write_model(folder / "m.bmodel", func=22)
    found = report(folder, half=X + 1, y=X)
    assert found["first"]["tensor"] == "half"
    assert "is not modelled" in found["partial"][0]
