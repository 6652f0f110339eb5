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


def _packages(contract):
    """The packages that a contract names; patterns name none."""
    layers = [name.strip() for layer in contract.get("layers", ()) for name in layer.split("|")]
    return [name for name in (*contract.get("modules", ()), *layers) if "*" not in name]


def test_the_rules_can_fail(tmp_path):
    rules = (ROOT / "pyproject.toml").read_text()
    contracts = tomllib.loads(rules)["tool"]["importlinter"]["contracts"]
    names = {name for contract in contracts for name in _packages(contract)}
    wrong = {
        # A golden model that needs a simulator; a circle; designs that know each other, and are known.
        "goldbeat.pymodels.bad": "import goldbeat.tb\nimport cocotb\n",
        "goldbeat.pymodels.one": "import goldbeat.pymodels.other\n",
        "goldbeat.pymodels.other": "import goldbeat.pymodels.one\n",
        "goldbeat.pymodels.tpu.bad": "import goldbeat.pymodels.nvdla\n",
        "goldbeat.pymodels.order": "import goldbeat.pymodels.tpu\n",
        "goldbeat.tb.designs.x.bad": "import goldbeat.tb.designs.y\n",
        "goldbeat.tb.designs.y": "",
        "goldbeat.tb.run.bad": "import goldbeat.tb.designs.x\n",
    }
    for name in {*names, *wrong}:
        folder = tmp_path.joinpath(*name.split("."))
        for package in (folder, *folder.parents):
            if package == tmp_path:
                break
            package.mkdir(parents=True, exist_ok=True)
            (package / "__init__.py").touch()
        (folder / "__init__.py").write_text(wrong.get(name, ""))
    (tmp_path / "pyproject.toml").write_text(rules)
    run = _lint(tmp_path)
    assert run.returncode == 1
    assert f"{len(contracts)} broken" in run.stdout, run.stdout


def test_models_work_without_a_simulator():
    code = (
        "import sys; sys.modules.update(dict.fromkeys(['cocotb', 'cocotbext', 'cocotbext.axi', 'cocotb_tools']))\n"
        "import pkgutil, importlib, goldbeat.pymodels\n"
        "for m in pkgutil.walk_packages(goldbeat.pymodels.__path__, 'goldbeat.pymodels.'): importlib.import_module(m.name)\n"
        "import goldbeat.tb.designs.objfifo.commands, goldbeat.tb.designs.plio.commands, goldbeat.tb.cli.signoff"
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
