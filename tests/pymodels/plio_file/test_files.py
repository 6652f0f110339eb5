# SPDX-License-Identifier: Apache-2.0
"""Files on disk: suffixes, no overwriting, nothing half-written, readable errors."""

import io
import os

import numpy as np
import pytest

from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.plio_file import read, write, write_csv, write_text
from goldbeat.pymodels.trace import Trace


@pytest.fixture
def trace():
    return Trace.from_samples(np.arange(8), "int16", 32, clock_ps=4000, last=True)


@pytest.mark.parametrize("name", ["a.txt", "a.csv", "a.CSV", "a", "a.data"])
def test_suffix(tmp_path, trace, name):
    path = tmp_path / name
    write(path, trace, "int16")
    assert path.read_bytes().startswith(b"CMD") == name.lower().endswith("csv")
    file = read(path, "int16", 32, clock_ps=4000)
    assert file.trace == trace
    assert read(str(path), "int16", 32).timed == (not name.lower().endswith("csv"))


def test_overwriting_must_be_forced(tmp_path, trace):
    path = tmp_path / "a.txt"
    path.write_text("mine")
    with pytest.raises(UsageError, match="exists"):
        write(path, trace, "int16")
    assert path.read_text() == "mine"
    write(path, trace, "int16", force=True)
    assert read(path, "int16", 32).trace == trace


@pytest.mark.parametrize("name", ["a.txt", "a.csv"])
def test_nothing_left_behind_by_an_error(tmp_path, trace, name):
    path = tmp_path / name
    with pytest.raises(UsageError, match="does not fit"):
        write(path, trace, "cfloat")
    path.write_text("mine")
    with pytest.raises(UsageError, match="does not fit"):
        write(path, trace, "cfloat", force=True)
    assert path.read_text() == "mine"
    assert [p.name for p in tmp_path.iterdir()] == [name]


def test_nothing_half_written(tmp_path, trace, monkeypatch):
    path = tmp_path / "a.txt"
    path.write_text("mine")

    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.replace", fail)
    with pytest.raises(UsageError, match="No space left"):
        write(path, trace, "int16", force=True)
    assert path.read_text() == "mine"
    assert len(list(tmp_path.iterdir())) == 1


def test_places_that_cannot_be_written(tmp_path, trace):
    with pytest.raises(UsageError, match="is a directory"):
        write(tmp_path, trace, "int16", force=True)
    with pytest.raises(UsageError, match="no such directory"):
        write(tmp_path / "none" / "a.txt", trace, "int16")


def test_a_link_stays_a_link(tmp_path, trace):
    real, link = tmp_path / "real.txt", tmp_path / "link.txt"
    real.write_text("mine")
    link.symlink_to(real)
    write(link, trace, "int16", force=True)
    assert link.is_symlink()
    assert read(real, "int16", 32).trace == trace


def test_devices_and_streams(trace):
    write(os.devnull, trace, "int16")
    for writer, head in ((write_text, b"T 0 s\n"), (write_csv, b"CMD,")):
        stream = io.BytesIO()
        writer(stream, trace, "int16")
        assert stream.getvalue().startswith(head)


def test_unreadable(tmp_path):
    with pytest.raises(InputError, match=r"none\.txt: no such file, expected a PLIO file"):
        read(tmp_path / "none.txt", "int16", 32)
    with pytest.raises(InputError, match="directory"):
        read(tmp_path, "int16", 32)
    with pytest.raises(UsageError, match="does not fit"):
        read(tmp_path / "none.txt", "cint32", 32)
