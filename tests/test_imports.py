# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]


def _lint(root):
    code = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True))"
    return subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=False)


def test_imports_run_one_way():
    run = _lint(ROOT)
    assert run.returncode == 0, run.stdout
    assert "0 broken" in run.stdout


def test_the_rule_can_fail(tmp_path):
    for package in ("pymodels", "tb"):
        (tmp_path / package).mkdir()
        (tmp_path / package / "__init__.py").write_text("")
    (tmp_path / "pymodels" / "bad.py").write_text("import tb\nimport cocotb\n")
    rules = (ROOT / "pyproject.toml").read_text()
    for contract in tomllib.loads(rules)["tool"]["importlinter"]["contracts"]:
        for design in contract.get("modules", ()):
            (tmp_path / f"{design.replace('.', '/')}.py").write_text("")
    (tmp_path / "pyproject.toml").write_text(rules)
    run = _lint(tmp_path)
    assert run.returncode == 1
    assert "2 broken" in run.stdout


def test_models_work_without_a_simulator():
    code = (
        "import sys; sys.modules.update(dict.fromkeys(['cocotb', 'cocotbext', 'cocotbext.axi', 'cocotb_tools']))\n"
        "import pkgutil, importlib, pymodels\n"
        "for m in pkgutil.walk_packages(goldbeat.pymodels.__path__, 'pymodels.'): importlib.import_module(m.name)\n"
        "import goldbeat.tb.designs.objfifo.commands, goldbeat.tb.designs.plio.commands, goldbeat.tb.cli.signoff"
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
