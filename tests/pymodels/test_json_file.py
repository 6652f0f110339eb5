# SPDX-License-Identifier: Apache-2.0
"""Files from anywhere cost bounded memory, and damage has a place."""

import gzip
import zipfile

import numpy as np
import pytest

from goldbeat.pymodels import json_file, packed
from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.json_file import read_json
from goldbeat.pymodels.packed import PackedReader

DAMAGED = {
    "nested": (b"[" * 100_000, "nested too deeply"),
    "keys": (b'{"a":' * 100_000, "nested too deeply"),
    "cut": (b'{"a":\n[1,', ":2: "),
    "latin": (b'{"a": "\xe9"}', "byte 7: found byte 0xe9"),
    "packed_cut": (gzip.compress(b"[1, 2]")[:-3], "cut off"),
    "packed_damaged": (b"\x1f\x8b" + b"x" * 20, "as JSON"),
    "digits": (b"1" * 5000, "digits"),
    "bomb": (gzip.compress(b" " * 5000 + b"1"), "more than 4096 bytes"),
    "missing": (None, "no such file"),
}


@pytest.mark.parametrize("kind", DAMAGED)
def test_damage_is_an_error_with_its_place(tmp_path, monkeypatch, kind):
    monkeypatch.setattr(json_file, "LARGEST", 4096)
    raw, said = DAMAGED[kind]
    path = tmp_path / "x.json"
    if raw is not None:
        path.write_bytes(raw)
    with pytest.raises(InputError, match=r"x\.json") as error:
        read_json(path, "a trace")
    assert said in str(error.value)


def test_whole_files_are_read(tmp_path):
    for raw in (b'{"a": [1]}', gzip.compress(b'{"a": [1]}'), b'\xef\xbb\xbf{"a": [1]}'):
        (tmp_path / "x.json").write_bytes(raw)
        assert read_json(tmp_path / "x.json", "a trace") == {"a": [1]}


def test_a_bomb_in_an_archive_is_not_unpacked(tmp_path, monkeypatch):
    monkeypatch.setattr(packed, "MOST", 1 << 20)
    path = tmp_path / "x.npz"
    np.savez_compressed(path, small=np.arange(9), zeros=np.zeros(1 << 20))
    with zipfile.ZipFile(path) as archive:
        assert archive.getinfo("zeros.npy").compress_size < 1 << 16
    with PackedReader(path, "arrays") as arrays:
        assert arrays.get("small").tolist() == list(range(9))
        with pytest.raises(InputError, match="zeros: 8388736 bytes when unpacked"):
            arrays.get("zeros")
