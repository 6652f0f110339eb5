# SPDX-License-Identifier: Apache-2.0
"""Tensors over several files and back, from every kind of file; pacing per file; packets compared per id."""

from __future__ import annotations

import json
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from commands import plio

from goldbeat.pymodels.plio_file import read


def mat(name: str, array: np.ndarray, *, packed: bool) -> bytes:
    """A MATLAB file by the format's description: double arrays, stored as int16, or complex ones as double."""

    def element(kind: int, content: bytes) -> bytes:
        if len(content) <= 4:
            return struct.pack("<HH", kind, len(content)) + content.ljust(4, b"\0")
        return struct.pack("<II", kind, len(content)) + content + bytes(-len(content) % 8)

    is_complex = np.iscomplexobj(array)
    flat = array.ravel(order="F")
    parts = [(9, flat.real.astype("<f8")), (9, flat.imag.astype("<f8"))] if is_complex else [(3, flat.astype("<i2"))]
    body = element(6, struct.pack("<II", 6 | (0x800 if is_complex else 0), 0))
    body += element(5, struct.pack(f"<{array.ndim}i", *array.shape)) + element(1, name.encode())
    body += b"".join(element(kind, values.tobytes()) for kind, values in parts)
    whole = struct.pack("<II", 14, len(body)) + body
    if packed:
        content = zlib.compress(whole)
        whole = struct.pack("<II", 15, len(content)) + content
    return b"MATLAB 5.0 MAT-file".ljust(124) + struct.pack("<HH", 0x0100, 0x4D49) + whole


def samples(path: Path, dtype: str = "int16", width: int = 64) -> list[int]:
    return read(path, dtype, width, clock_ps=4000).trace.samples(dtype).tolist()


MATRIX = np.arange(8 * 16, dtype=np.int16).reshape(8, 16)


@pytest.mark.parametrize(
    ("how", "order", "parts"),
    [
        ("phases:4", "row", [MATRIX.ravel()[n::4] for n in range(4)]),
        ("phases:2", "column", [MATRIX.T.ravel()[n::2] for n in range(2)]),
        ("blocks:4", "row", list(MATRIX.reshape(4, -1))),
        ("rows:2", "column", [MATRIX[:4].T, MATRIX[4:].T]),
        ("columns:4", "row", [MATRIX[:, 4 * n : 4 * n + 4] for n in range(4)]),
        ("tiles:2x2", "row", [MATRIX[4 * r : 4 * r + 4, 8 * c : 8 * c + 8] for r in range(2) for c in range(2)]),
        ("tiles:2x4", "column", [MATRIX[4 * r : 4 * r + 4, 4 * c : 4 * c + 4].T for r in range(2) for c in range(4)]),
    ],
)
def test_a_tensor_over_several_files_and_back(tmp_path: Path, how: str, order: str, parts: list[np.ndarray]) -> None:
    np.save(tmp_path / "a.npy", MATRIX)
    base = ["-t", "int16", "-w", 64, "--order", order]
    plio("pack", tmp_path / "a.npy", tmp_path / "in_{}.txt", *base, "--split", how)
    assert len(list(tmp_path.glob("in_*.txt"))) == len(parts)
    for number, part in enumerate(parts):
        assert samples(tmp_path / f"in_{number}.txt") == np.asarray(part).ravel().tolist()
    plio("unpack", tmp_path / "in_{}.txt", tmp_path / "b.npy", *base, "--join", how, "--shape", "8x16")
    assert np.array_equal(np.load(tmp_path / "b.npy"), MATRIX)


def test_complex_samples_and_names_of_tiles(tmp_path: Path) -> None:
    pairs = np.stack([MATRIX, -MATRIX], axis=-1)
    np.save(tmp_path / "a.npy", pairs)
    base = ["-t", "cint16", "-w", 32]
    plio("pack", tmp_path / "a.npy", tmp_path / "t{r}_{c}.csv", *base, "--split", "tiles:2x2")
    assert samples(tmp_path / "t1_0.csv", "cint16", 32) == pairs[4:, :8].reshape(-1, 2).tolist()
    plio("unpack", tmp_path / "t{r}_{c}.csv", tmp_path / "b.npy", *base, "--join", "tiles:2x2", "--shape", "8x16")
    assert np.array_equal(np.load(tmp_path / "b.npy"), pairs)


def test_every_kind_of_file(tmp_path: Path) -> None:
    (tmp_path / "a.mat").write_bytes(mat("a", MATRIX.astype(float), packed=True))
    (tmp_path / "b.mat").write_bytes(mat("longer_name", MATRIX.astype(float), packed=False))
    (tmp_path / "c.csv").write_text("\n".join(";".join(map(str, row)) for row in MATRIX.tolist()))
    (tmp_path / "d.txt").write_text("# rows\n" + "\n".join(" ".join(map(str, row)) for row in MATRIX.tolist()))
    for name in ("a.mat", "b.mat", "c.csv", "d.txt"):
        plio("pack", tmp_path / name, tmp_path / "o_{}.txt", "-t", "int16", "-w", 64, "--split", "rows:2", "--force")
        assert samples(tmp_path / "o_1.txt") == MATRIX[4:].ravel().tolist(), name
    row = np.array([[1 + 2j, -3.5j]])
    (tmp_path / "e.mat").write_bytes(mat("z", row, packed=True))
    (tmp_path / "f.txt").write_text("1+2i\n-3.5i\n")
    for name in ("e.mat", "f.txt"):
        plio("pack", tmp_path / name, tmp_path / "z.txt", "-t", "cfloat", "-w", 64, "--force")
        assert samples(tmp_path / "z.txt", "cfloat") == row[0].tolist(), name
    (tmp_path / "g.txt").write_text("9223372036854775807\n-9223372036854775808\n")
    plio("pack", tmp_path / "g.txt", tmp_path / "g_out.txt", "-t", "int64", "-w", 64)
    assert samples(tmp_path / "g_out.txt", "int64") == [2**63 - 1, -(2**63)]


@pytest.mark.parametrize("text", ["1,5;2,5\n3,5;4,5\n", "1;2\n3,4\n", '"1,5","2,5"\n', "1_0\n"])
def test_numbers_that_may_be_others_are_refused(tmp_path: Path, text: str) -> None:
    source = tmp_path / "in.csv"
    source.write_text(text)
    said = plio("pack", source, tmp_path / "out.txt", "-t", "float", "-w", "32", code=2).stderr
    assert "in.csv:" in said
    assert not (tmp_path / "out.txt").exists()


def test_quoted_numbers_are_read_and_arrays_have_a_known_name(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text('"1"\n"2"\n"3"\n"4"\n')
    plio("pack", tmp_path / "in.csv", tmp_path / "out.txt", "-t", "float", "-w", "32")
    assert read(tmp_path / "out.txt", "float", 32).trace.samples("float").tolist() == [1, 2, 3, 4]
    said = plio("unpack", tmp_path / "out.txt", tmp_path / "x.mat", "-t", "float", "-w", "32", code=2).stderr
    assert "expected a name that ends in .npy" in said


def test_a_join_of_some_of_the_files_is_refused(tmp_path: Path) -> None:
    np.save(tmp_path / "in.npy", np.arange(24, dtype=np.int32))
    plio("pack", tmp_path / "in.npy", tmp_path / "q_{}.txt", "-t", "int32", "-w", 32, "--split", "phases:4")
    words = (tmp_path / "q_{}.txt", tmp_path / "out.npy", "-t", "int32", "-w", 32, "--join")
    assert "q_3.txt is one more file; expected 3" in plio("unpack", *words, "phases:3", code=2).stderr
    plio("unpack", *words, "phases:4")
    np.save(tmp_path / "none.npy", np.zeros(0, np.int32))
    said = plio(
        "pack", tmp_path / "none.npy", tmp_path / "n_{}.txt", "-t", "int32", "-w", 32, "--split", "phases:2", code=2
    )
    assert "missing samples" in said.stderr


def test_what_cannot_be_packed_is_refused(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", MATRIX)
    two = mat("a", MATRIX[:1].astype(float), packed=True) + mat("b", MATRIX[:1].astype(float), packed=True)[128:]
    (tmp_path / "two.mat").write_bytes(two)
    (tmp_path / "new.mat").write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(600))
    (tmp_path / "cut.mat").write_bytes(two[:-20])
    (tmp_path / "half.txt").write_text("1 2\n3.5 4\n")
    (tmp_path / "ragged.csv").write_text("1,2\n3\n")
    words = ["-t", "int16", "-w", 64]
    for source, out, more, said in (
        ("a.npy", "o_{}.txt", ["--split", "tiles:3x2"], "3x2 equal tiles"),
        ("a.npy", "o_{}.txt", ["--split", "phases:5"], "a multiple of 5"),
        ("a.npy", "o.txt", ["--split", "rows:2"], "expected {} in the name"),
        ("a.npy", "o_{}.txt", ["--split", "rings:2"], "expected phases:N"),
        ("a.npy", "o.txt", ["--shape", "3x3"], "9 for --shape 3x3"),
        ("a.npy", "o.txt", ["--order", "up"], "row or column"),
        ("two.mat", "o.txt", [], "2 numeric variables (a, b)"),
        ("two.mat", "o.txt", ["--variable", "c"], "no such variable 'c'"),
        ("new.mat", "o.txt", [], "save it with save(..., '-v7')"),
        ("cut.mat", "o.txt", [], "a damaged file"),
        ("half.txt", "o.txt", [], "round them first"),
        ("ragged.csv", "o.txt", [], "ragged.csv:2: found 1 numbers, expected 2"),
        (
            "a.npy",
            "o_{}.csv",
            ["--split", "rows:2", "--delay", "1,2,3"],
            "3 numbers, expected one, or one for each of 2",
        ),
        ("a.npy", "o.txt", ["--delay", "3"], "cannot hold idle cycles"),
    ):
        assert said in plio("pack", tmp_path / source, tmp_path / out, *words, *more, code=2).stderr.replace(
            "missing", "no"
        )
        assert not list(tmp_path.glob("o*"))
    plio("pack", tmp_path / "two.mat", tmp_path / "o.txt", *words, "--variable", "b")


def test_delay_repeat_and_pace_of_each_file(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", MATRIX)
    more = ["--split", "rows:2", "--delay", "0,7", "--repeat", "1,3", "--pace", "2,1"]
    plio("pack", tmp_path / "a.npy", tmp_path / "o_{}.csv", "-t", "int16", "-w", 64, *more)
    one, other = (read(tmp_path / f"o_{n}.csv", "int16", 64, clock_ps=4000).trace for n in range(2))
    assert one.cycle.tolist() == list(range(0, 32, 2))
    assert other.cycle.tolist() == list(range(7, 7 + 48))
    assert other.samples("int16").tolist() == 3 * MATRIX[4:].ravel().tolist()
    words = ["-t", "int16", "-w", 64, "-p", "ramp", "--samples", 16, "--delay", 5, "--pace", 3, "--repeat", 2]
    plio("gen", tmp_path / "g.csv", *words)
    assert read(tmp_path / "g.csv", "int16", 64, clock_ps=4000).trace.cycle.tolist() == [5 + 3 * n for n in range(8)]


def test_packets_are_compared_per_id(tmp_path: Path) -> None:
    one, other = tmp_path / "one.txt", tmp_path / "other.txt"
    words = ["-t", "int32", "-w", 32]
    plio("gen", one, *words, "-p", "ramp", "--samples", 48, "--frame", 8, "--packets", "0,1,5")
    packets, current = [], list[str]()
    for line in one.read_text().splitlines():
        current.append(line)
        if len(current) > 1 and current[-2] == "TLAST":
            packets.append(current)
            current = []
    order = [1, 0, 3, 2, 5, 4]
    other.write_text("\n".join("\n".join(packets[n]) for n in order) + "\n")
    plio("diff", one, other, *words, code=1)
    assert plio("diff", one, other, *words, "--packets").stdout.count("equal: 2 packets, 18 beats") == 3
    # Wrong data of id 5 alone; then two packets of id 0 in the wrong order.
    packets[5][-1] = "77"
    other.write_text("\n".join("\n".join(packets[n]) for n in order) + "\n")
    found = json.loads(plio("diff", one, other, *words, "--packets", "--json", code=1).stdout)
    assert [(row["id"], row["equal"], row["mismatches"]) for row in found["ids"]] == [
        (0, True, 0),
        (1, True, 0),
        (5, False, 1),
    ]
    assert "id 5: 2 and 2 packets differ" in plio("diff", one, other, *words, "--packets", code=1).stdout
    other.write_text("\n".join("\n".join(packets[n]) for n in [3, 1, 2, 0, 4]) + "\n")
    found = json.loads(plio("diff", one, other, *words, "--packets", "--json", code=1).stdout)
    assert [row["equal"] for row in found["ids"]] == [False, True, False]
    assert "--offset" in plio("diff", one, other, *words, "--packets", "--offset", 1, code=2).stderr
    for path in (one, other):
        path.write_text("1000\nTLAST\n1\n1008\nTLAST\n2\n")
    said = plio("diff", one, other, *words, "--packets", code=2).stderr
    assert "one.txt: found 0x000003e8 in beat 0, where frame 0 begins, expected a packet header" in said
