# SPDX-License-Identifier: Apache-2.0
"""Damage in the cache is noticed, named and mended."""

from __future__ import annotations

import os
import shutil
import subprocess
import time

import pytest

from goldbeat.tb.build.compile import EXECUTABLE, Recipe, compile_model
from goldbeat.tb.build.sealed import is_whole, seal
from goldbeat.tb.paths import cache_root

SOURCE = "module tiny (input wire clk, output reg q); always @(posedge clk) q <= ~q; endmodule\n"


def test_every_kind_of_damage_is_seen(tmp_path, capfd):
    path = tmp_path / "made"
    assert not is_whole(path)
    for damage in (lambda: os.truncate(path, 5), lambda: path.write_bytes(b""), lambda: path.write_bytes(b"x" * 1000)):
        path.write_bytes(bytes(range(250)) * 4)
        seal(path)
        assert is_whole(path)
        damage()
        assert not is_whole(path)
        assert f"note: {path} is damaged" in capfd.readouterr().err
        assert not is_whole(path, tell=False)
        assert capfd.readouterr().err == ""
    path.write_bytes(b"1")
    seal(path)
    path.with_name("made.sha256").unlink()
    assert not is_whole(path)


@pytest.mark.slow
@pytest.mark.sim
def test_damaged_builds_and_objects_are_built_again(monkeypatch, tmp_path, capfd):
    source = tmp_path / "tiny.sv"
    source.write_text(SOURCE)

    def build(flag):
        return compile_model(Recipe("tiny", "tiny", [source], flags=[flag], optimize="-O0"))

    # The objects that this simulator needs, from those of all builds: compiling them would take half a minute.
    shared = cache_root() / "runtime" / "objects"
    started = time.time() - 1
    build("+define+A")
    own = tmp_path / "build" / "runtime" / "objects"
    own.mkdir(parents=True)
    for path in shared.glob("*.o"):
        if path.stat().st_mtime >= started:
            for one in (path, path.with_name(f"{path.name}.sha256")):
                shutil.copy2(one, own)
    # Other tests may have used objects of their own meanwhile; those that are used here become newer.
    for path in own.glob("*.o"):
        os.utime(path, (started, started))
    monkeypatch.setenv("GOLDBEAT_CACHE", str(tmp_path / "build"))
    built = build("+define+A")
    assert build("+define+A").seconds == 0
    # The smallest is the quickest to compile again.
    used = [path for path in own.glob("*.o") if path.stat().st_mtime > started]
    smallest = min(used, key=lambda path: path.stat().st_size)
    damaged = (built.executable, smallest)
    for path in damaged:
        path.write_bytes(path.read_bytes()[:100])
    again = build("+define+A")
    assert again.seconds > 0
    assert again.compiled == 1
    said = capfd.readouterr().err
    for path in damaged:
        assert said.count(f"{path} is damaged") == 1
        assert is_whole(path)
    assert again.executable == built.folder / EXECUTABLE
    run = subprocess.run(["file", "-b", again.executable], capture_output=True, text=True, check=False)
    assert not run.stdout or "ELF" in run.stdout
    assert build("+define+A").seconds == 0
