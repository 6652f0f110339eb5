# SPDX-License-Identifier: Apache-2.0
"""``[[contents]]``: files in the memories behind masters."""

from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.tb.cli import app
from goldbeat.tb.design.case import CaseContext
from goldbeat.tb.design.description import load_description
from goldbeat.tb.design.memory_contents import hex_bytes

RTL = Path(__file__).parents[1] / "run" / "bus_rtl" / "bridges.sv"


def memories(folder, *tables):
    """What stands behind the masters of the bridges with these ``[[contents]]``."""
    if not (folder / "bridges.toml").exists():
        said = CliRunner().invoke(app, ["new", str(folder), str(RTL)], catch_exceptions=False)
        assert said.exit_code == 0, said.output
        (folder / "plain.toml").write_text((folder / "bridges.toml").read_text())
    text = (folder / "plain.toml").read_text()
    (folder / "bridges.toml").write_text(text + "".join(f"\n[[contents]]\n{table}\n" for table in tables))
    design = load_description(folder / "bridges.toml")
    case = design.case("ram_s_axil")
    setting = CaseContext(design.params(case, {}), case.options, 0)
    return case.make(setting)[0].memories


def test_files_fill_and_extend_a_memory(tmp_path):
    before = memories(tmp_path)
    words = np.arange(6, dtype=">u2")
    np.save(tmp_path / "w.npy", words)
    (tmp_path / "w.bin").write_bytes(b"abc")
    (tmp_path / "w.hex").write_text("// boot\n@2 1234_5678 /* one\nmore */ 9\n")
    found = memories(
        tmp_path,
        'port = "m_axi"\nfile = "w.npy"\nbase = 0x10',
        'port = "m_axil"\nfile = "w.bin"\nbase = 0x101',
        'port = "m_axil"\nfile = "w.hex"',
    )
    data = found["m_axi"].regions[0].data
    assert data[0x10:0x1C].tobytes() == words.astype("<u2").tobytes()
    assert np.array_equal(data[:0x10], before["m_axi"].regions[0].data[:0x10])
    lite = found["m_axil"].regions[0].data
    assert lite[0x101:0x104].tobytes() == b"abc"
    assert lite[:16].tobytes() == bytes(8) + bytes.fromhex("78563412") + bytes([9, 0, 0, 0])


@pytest.mark.parametrize(
    ("table", "kind", "message"),
    [
        ('port = "m_none"\nfile = "w.bin"', UsageError, "no master 'm_none'; there are: "),
        ('port = "m_axi"\nfile = "none.bin"', InputError, "none.bin: no such file"),
        ('port = "m_axi"\nfile = "w.txt"', InputError, "expected .bin, .npy, .hex"),
        ('port = "m_axi"\nfile = "flags.npy"', InputError, "flags.npy: found bool, expected an array of numbers"),
        ('port = "m_axi"\nfile = "words.npy"', InputError, "words.npy: found <U5, expected an array of numbers"),
        ('port = "m_axi"\nfile = "w.bin"\nbase = 0xFFFF', UsageError, "w.bin ends at 0x10002, beyond 16 address bits"),
    ],
)
def test_what_does_not_fit_a_memory_is_refused(table, kind, message, tmp_path):
    (tmp_path / "w.bin").write_bytes(b"abc")
    np.save(tmp_path / "flags.npy", np.ones(4, np.bool_))
    np.save(tmp_path / "words.npy", np.array(["words"]))
    with pytest.raises(kind, match=message):
        memories(tmp_path, table)


@pytest.mark.parametrize(
    ("text", "message"), [("1 2\nzz", r"w\.hex:2.*'zz'"), ("/*\n*/ 1FF", r"w\.hex:2.*word of 8 bits")]
)
def test_what_is_wrong_with_a_hex_file_is_said_with_its_line(text, message, tmp_path):
    path = tmp_path / "w.hex"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        hex_bytes(path, 1)
