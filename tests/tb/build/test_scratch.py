# SPDX-License-Identifier: Apache-2.0
"""Folders that are there whole or not at all."""

import time

import pytest
from filelock import FileLock

from goldbeat.tb.build.scratch import scratch_folder


def test_it_takes_the_place_of_what_was_there(tmp_path):
    folder = tmp_path / "thing-1"
    folder.mkdir()
    (folder / "old").touch()
    with scratch_folder(folder, keep="log") as scratch:
        (scratch / "new").touch()
        assert (folder / "old").exists()
    assert [p.name for p in folder.iterdir()] == ["new"]
    assert [p.name for p in tmp_path.iterdir()] == ["thing-1"]


def test_a_failure_leaves_its_log_and_takes_no_room(tmp_path):
    def fail():
        with scratch_folder(tmp_path / "thing-1", keep="log") as scratch:
            (scratch / "log").write_text("why")
            (scratch / "large").write_text("x" * 1000)
            (scratch / "more").mkdir()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    (scratch,) = tmp_path.iterdir()
    assert [p.name for p in scratch.iterdir()] == ["log"]
    assert not (tmp_path / "thing-1").exists()


def test_what_killed_ones_have_left_is_removed(tmp_path):
    for name in ("thing-1.abc", "thing-2.abc", "thing-3.0.abc"):
        (tmp_path / f"{name}.part").mkdir()
    with FileLock(tmp_path / "thing-3.0.lock"), scratch_folder(tmp_path / "thing-1", keep="log") as scratch:
        assert scratch.name != "thing-1.abc.part"
        # Somebody is building the third one.
        assert sorted(p.name for p in tmp_path.glob("*.abc.part")) == ["thing-3.0.abc.part"]
    with scratch_folder(tmp_path / "thing-1", keep="log"):
        assert not list(tmp_path.glob("*.abc.part"))


@pytest.mark.parametrize("jump_s", [-1e8, -3600.0, 1e6, 1e8])
def test_a_clock_that_jumps_removes_no_build_in_progress(tmp_path, monkeypatch, jump_s):
    """Whoever builds holds a lock; how old its folder seems to be does not matter."""
    real = time.time
    with FileLock(tmp_path / "thing-2.lock"), scratch_folder(tmp_path / "thing-2", keep="log") as busy:
        monkeypatch.setattr(time, "time", lambda: real() + jump_s)
        with scratch_folder(tmp_path / "thing-1", keep="log"):
            assert busy.is_dir()
        (busy / "made").touch()
    assert (tmp_path / "thing-2" / "made").exists()
