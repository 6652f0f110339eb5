# SPDX-License-Identifier: Apache-2.0
"""Folders that are there whole or not at all."""

import os
import time

import pytest

from tb.kernel.scratch import scratch_folder


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
    mine, forgotten, busy = (tmp_path / f"{name}.part" for name in ("thing-1.abc", "thing-2.abc", "thing-3.abc"))
    for left in (mine, forgotten, busy):
        left.mkdir()
    os.utime(forgotten, (time.time() - 100_000,) * 2)
    with scratch_folder(tmp_path / "thing-1", keep="log") as scratch:
        assert scratch != mine
    assert sorted(p.name for p in tmp_path.iterdir()) == ["thing-1", "thing-3.abc.part"]
