# SPDX-License-Identifier: Apache-2.0
"""Headers in the compiler's own form: made once, for who reads them often, and taken by the compiler."""

from __future__ import annotations

import os
import subprocess

import pytest

from goldbeat.tb.build.compile import Recipe, compile_model
from goldbeat.tb.build.object_store import ObjectStore
from goldbeat.tb.build.precompiled import link_header, precompiled


class Maker:
    """Compiles a small header, and counts how often."""

    def __init__(self, folder, text="inline int one() { return 1; }\n"):
        self.header = folder / "first.h"
        self.header.write_text("#pragma once\n" + text)
        self.store = ObjectStore(folder / "objects", [folder])
        self.kept = self.store.place([self.header], ["-O1"])
        self.made = 0

    def make(self):
        out = self.header.with_name("first.o")
        subprocess.run(["g++", "-O1", "-x", "c++-header", "-c", "-o", str(out), str(self.header)], check=True)
        self.made += 1
        return out

    def ask(self, files=1):
        return precompiled(self.store, self.kept, files, self.make)


def test_the_second_build_makes_it_and_later_ones_take_it(tmp_path):
    maker = Maker(tmp_path)
    assert [(maker.ask(), maker.made) for _ in range(4)] == [(False, 0), (True, 1), (True, 1), (True, 1)]


def test_a_build_of_many_files_makes_it_at_once_and_a_damaged_one_is_made_again(tmp_path, capfd):
    maker = Maker(tmp_path)
    assert not maker.ask(files=3)
    maker.kept.with_suffix(".asked").unlink()
    assert maker.ask(files=4)
    assert maker.made == 1
    maker.kept.write_bytes(b"short")
    assert maker.ask(files=4)
    assert maker.made == 2
    assert "is damaged" in capfd.readouterr().err


@pytest.mark.parametrize(("switch", "taken"), [("-O1", True), ("-O0", False)])
def test_the_compiler_takes_it_or_the_header_itself(tmp_path, switch, taken):
    maker = Maker(tmp_path)
    assert maker.ask(files=9)
    place = link_header(tmp_path / "here", maker.header, maker.kept)
    source = tmp_path / "part.cpp"
    source.write_text('#include "first.h"\nint two() { return one() + 1; }\n')
    command = ["g++", switch, "-H", "-include", str(place), "-c", "-o", str(tmp_path / "part.o"), str(source)]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    assert (f"! {place}.gch" in told) == taken


@pytest.mark.sim
def test_models_are_compiled_with_it(tmp_path):
    for number in range(3):
        source = tmp_path / f"tiny_{number}.sv"
        # What the compiler gets is new, or the object of an earlier run would be taken.
        marks = f"{os.getpid()}_{number}"
        source.write_text(
            f"module tiny (input wire clk, output reg q_{marks}); always @(posedge clk) q_{marks} <= 1; endmodule\n"
        )
        log = (compile_model(Recipe("tiny", "tiny", [source], optimize="-O0")).folder / "build.log").read_text()
    assert "headers_0/draws.h" in log
    assert "invalid-pch" not in log.replace("-Winvalid-pch", "")
