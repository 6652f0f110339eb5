# SPDX-License-Identifier: Apache-2.0
import json
from pathlib import Path

from tests.support.objfifo_cli import goldbeat
from tests.support.objfifo_compiled import LONG_TXN, hex_bytes, xclbin_bytes


def test_dis_and_asm_are_inverse(tmp_path: Path) -> None:
    for name, data in (("insts.bin", hex_bytes(LONG_TXN)), ("design.xclbin", xclbin_bytes())):
        (tmp_path / name).write_bytes(data)
        done = goldbeat("objfifo", "dis", tmp_path / name, "-o", tmp_path / "text")
        assert (done.code, done.stdout) == (0, "")
        again = goldbeat("objfifo", "asm", tmp_path / "text", "-o", tmp_path / "again", "--json")
        assert json.loads(again.stdout)["bytes"] == len(data)
        assert (tmp_path / "again").read_bytes() == data
        (tmp_path / "again").unlink()
        (tmp_path / "text").unlink()


def test_dis_as_json(tmp_path: Path) -> None:
    (tmp_path / "insts.bin").write_bytes(hex_bytes(LONG_TXN))
    found = json.loads(goldbeat("objfifo", "dis", tmp_path / "insts.bin", "--json").stdout)
    part = found["parts"][0]
    assert (part["kind"], part["version"], len(part["operations"])) == ("txn", "0.1", 7)
    assert part["operations"][2]["note"] == "DMA_S2MM_0_Task_Queue: bd=1 repeat=0 token=1"


def test_nothing_is_overwritten_and_damage_is_named(tmp_path: Path) -> None:
    (tmp_path / "insts.bin").write_bytes(hex_bytes(LONG_TXN)[:-4])
    done = goldbeat("objfifo", "dis", tmp_path / "insts.bin")
    assert done.code == 2
    assert "byte 12: found a size of 272 bytes, expected 268, the bytes of the file" in " ".join(done.stderr.split())
    (tmp_path / "out").write_text("mine")
    (tmp_path / "text").write_text(".txn version=0.1 generation=3 rows=6 columns=1\nwrite 1\n")
    assert goldbeat("objfifo", "asm", tmp_path / "text", "-o", tmp_path / "out").code == 2
    assert (tmp_path / "out").read_text() == "mine"
    wrong = goldbeat("objfifo", "asm", tmp_path / "text", "-o", tmp_path / "new")
    assert wrong.code == 2
    assert "text:2: found 1, expected an address" in " ".join(wrong.stderr.split())
    assert not (tmp_path / "new").exists()
