# SPDX-License-Identifier: Apache-2.0
"""File lists: every form, nesting, and mistakes with their line."""

from __future__ import annotations

from pathlib import Path

import pytest

from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.tb.design.filelist import Sources, macros, read_filelist
from goldbeat.tb.probe.elaborate import elaborate

LISTS = Path(__file__).parent / "rtl" / "lists"


def test_nested_lists() -> None:
    found = read_filelist(LISTS / "top.f", relative=True)
    assert [p.name for p in found.files] == ["needs_define.sv"]
    assert [p.name for p in found.include_dirs] == ["inc"]
    assert found.defines == {"LIST_DELAY": "", "LIST_UNUSED": "3"}
    assert elaborate(found).name == "needs_define"


def test_every_form(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RTL_HOME", str(tmp_path))
    for name in ("a.sv", "b.sv", "c.sv", "d e.sv"):
        (tmp_path / name).touch()
    (tmp_path / "x.f").write_text(
        "+incdir+one+two -I three\n-Ifour +define+A=1+B\n-D C -DD=x\n"
        'a.sv b.sv // a.sv\n$RTL_HOME/c.sv ${RTL_HOME}/a.sv\n"d e.sv" /* c.sv\n b.sv */\n# b.sv\n'
    )
    found = read_filelist(Path("x.f"))
    assert [p.name for p in found.files] == ["a.sv", "b.sv", "c.sv", "a.sv", "d e.sv"]
    assert [str(p) for p in found.include_dirs] == ["one", "two", "three", "four"]
    assert found.defines == {"A": "1", "B": "", "C": "", "D": "x"}


def test_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Current folder first, then the list's own; with -F the list's own alone."""
    here, there = tmp_path / "here", tmp_path / "there"
    for folder in (here, there):
        folder.mkdir()
        (folder / "both.sv").touch()
    (there / "near.sv").touch()
    (there / "x.f").write_text("both.sv near.sv\n")
    monkeypatch.chdir(here)
    assert [p.resolve() for p in read_filelist(there / "x.f").files] == [here / "both.sv", there / "near.sv"]
    relative = read_filelist(there / "x.f", relative=True)
    assert [p.resolve() for p in relative.files] == [there / "both.sv", there / "near.sv"]


def test_library_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What sources use is added before its user, whatever its file is called; nothing else is."""
    monkeypatch.chdir(tmp_path)
    lib = tmp_path / "lib"
    lib.mkdir()
    (lib / "types.sv").write_text("package a_pkg; typedef logic [7:0] byte_t; endpackage\n")
    (lib / "leaf.sv").write_text("module leaf import a_pkg::*; (input byte_t x); endmodule\n")
    (lib / "unused.sv").write_text("module unused; endmodule\n")
    (lib / "old.vh").write_text("module old; endmodule\n")
    (tmp_path / "top.sv").write_text("// unused\nmodule top(input logic [7:0] x); leaf l(.x); old o(); endmodule\n")
    (tmp_path / "x.f").write_text("top.sv -y lib +libext+.sv+.vh\n")
    assert [p.name for p in read_filelist(Path("x.f")).files] == ["types.sv", "leaf.sv", "old.vh", "top.sv"]
    (tmp_path / "x.f").write_text("top.sv -y lib\n")
    assert [p.name for p in read_filelist(Path("x.f")).files] == ["types.sv", "leaf.sv", "top.sv"]


def test_no_module_of_a_library_folder_is_the_top(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    lib = tmp_path / "lib"
    lib.mkdir()
    more = "module spare #(W); wire [W-1:0] x; endmodule module other (input clk); wrong u(); endmodule"
    (lib / "cells.sv").write_text(f"module leaf (input x); endmodule {more}\n")
    head = "module top #(parameter int WIDTH{}) (input clk, input x); leaf l(.x); endmodule"
    (tmp_path / "x.f").write_text("top.sv -y lib\n")
    (tmp_path / "top.sv").write_text(head.format(" = 1"))
    found = read_filelist(Path("x.f"))
    assert (found + Sources((Path("top.sv"),))).added == found.added == (lib.relative_to(tmp_path) / "cells.sv",)
    assert (found + Sources(found.added)).added == ()
    assert elaborate(found).name == elaborate(found, parameters={"WIDTH": "3"}).name == "top"
    with pytest.raises(UsageError, match="unknown module 'wrong'"):
        elaborate(found, "other")
    # The library's own modules say nothing about a top that lacks a value, or is one of two.
    (tmp_path / "top.sv").write_text(head.format(""))
    with pytest.raises(UsageError, match=r"^top: no default for parameter WIDTH: give it with -G WIDTH=VALUE$"):
        elaborate(found)
    (lib / "cells.sv").write_text("module leaf (input x); endmodule module other (input clk); endmodule\n")
    (tmp_path / "top.sv").write_text(head.format(" = 1") + " module second (input clk); endmodule")
    with pytest.raises(UsageError, match=r"choose one with --top: second, top$"):
        elaborate(found)
    (tmp_path / "top.sv").write_text("package numbers; localparam leaf = 1; endpackage\n")
    with pytest.raises(UsageError, match="no module of the source files could be the top; name one with --top"):
        elaborate(read_filelist(Path("x.f")))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("\n/* over\nlines */\n-v lib\n", "x.f:4: found option -v"),
        ("\n-y lib\n", "x.f:2: found lib, which does not exist, expected a folder of sources"),
        ("absent.sv\n", "x.f:1: found absent.sv, which does not exist"),
        ("-f\n", "x.f:1: found -f at the end of the line"),
        ("$NOT_SET_AT_ALL/a.sv\n", "x.f:1: found $NOT_SET_AT_ALL, which is not set"),
        ('"a.sv\n', "x.f:1: found No closing quotation"),
        ("-f x.f\n", "x.f: found a file list that includes itself"),
        ("-f absent.f\n", "absent.f: no such file"),
    ],
)
def test_mistakes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, message: str) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.f").write_text(text)
    with pytest.raises(InputError) as caught:
        read_filelist(Path("x.f"))
    assert str(caught.value).startswith(message)


def test_macros() -> None:
    assert macros(["A", "B=1", "C=x=y", ""]) == {"A": "", "B": "1", "C": "x=y"}
