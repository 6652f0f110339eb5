# SPDX-License-Identifier: Apache-2.0
"""slang, which Yosys reads our sources with, takes every design: it is stricter than Verilator on the order of declarations."""

import pyslang
import pytest

from goldbeat.tb.design.catalog import designs

DESIGNS = list(designs().values())


def errors(files, folders, top):
    manager = pyslang.SourceManager()
    options = pyslang.ast.CompilationOptions()
    options.topModules = {top}
    options.defaultTimeScale = pyslang.TimeScale.fromString("1ns/1ps")
    preprocessor = pyslang.parsing.PreprocessorOptions()
    preprocessor.additionalIncludePaths = [str(folder) for folder in folders]
    bag = pyslang.Bag()
    bag.compilationOptions, bag.preprocessorOptions = options, preprocessor
    compilation = pyslang.ast.Compilation(bag)
    buffers = [manager.readSource(str(path), None) for path in files]
    compilation.addSyntaxTree(pyslang.syntax.SyntaxTree.fromBuffers(buffers, manager, bag))
    found = [one for one in compilation.getAllDiagnostics() if one.isError()]
    return pyslang.DiagnosticEngine.reportAll(manager, found) if found else ""


@pytest.mark.parametrize("design", DESIGNS, ids=[one.name for one in DESIGNS])
def test_slang_finds_no_error(design):
    assert errors(design.sources(), design.include_paths(), design.top) == ""


def test_a_use_before_the_declaration_is_an_error(tmp_path):
    source = tmp_path / "early.sv"
    source.write_text(
        "module early (output logic q);\n  assign q = later;\n  logic later;\n  assign later = 1'b0;\nendmodule\n"
    )
    assert "used before its declaration" in errors([source], [], "early")
