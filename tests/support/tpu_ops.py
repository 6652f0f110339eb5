# SPDX-License-Identifier: Apache-2.0
"""Op tests of the vendor's compiler, as tests/benchmarks/make_tpu_ops.py keeps them, run by the model."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.tpu.execute.model import StaticNet, tensors_of_file
from goldbeat.pymodels.tpu.streams.bmodel import BModel
from goldbeat.pymodels.tpu.streams.container import read_container

CHIPS = ("bm1684x", "bm1688", "bm1690", "bm1690e", "bm1684x2", "cv184x", "sgtpuv8")
_MODE = re.compile(r"_(f32|f16|bf16|w4int8|int8|int4|f8e4m3|f8e5m2)(_sym|_asym)?$")
_NO_COMMANDS = ("is dynamic", "expected TPU commands")


def models(folder: Path, chip: str) -> list[Path]:
    """Folders of a chip's models, in order."""
    return sorted(one.parent for one in folder.glob(f"*/{chip}/*/*/output.dat"))


def quantisation(folder: Path) -> str:
    """Of a model, by its name."""
    found = _MODE.search(folder.name)
    return found[1] if found else "other"


def alike(found: np.ndarray, expected: np.ndarray) -> bool:
    """Whether all numbers are equal, zeros with their sign; what is no number counts as one value."""
    same = np.array_equal(found, expected, equal_nan=found.dtype.kind == "f")
    return bool(
        same and (found.dtype.kind != "f" or np.array_equal(*(np.signbit(x) | np.isnan(x) for x in (found, expected))))
    )


def outcome(folder: Path) -> str:
    """``equal``, ``wrong: ...``, ``undecided: ...`` where commands race, ``no commands`` of a dynamic net, or ``refused: ...``."""
    try:
        model = read_container(folder / "model.bmodel")
        assert isinstance(model, BModel)
        net = StaticNet(model)
        found = net.run(tensors_of_file(net.inputs, folder / "input.dat")).outputs
    except (UsageError, InputError) as error:
        if any(part in str(error) for part in _NO_COMMANDS):
            return "no commands"
        return f"refused: {str(error).partition('not modelled: ')[2] or error}"
    expected = tensors_of_file(net.outputs, folder / "output.dat")
    good = all(alike(np.asarray(found[name]), expected[name]) for name in expected)
    if not good and (why := net.races()):
        return f"undecided: {why}"
    return "equal" if good else f"wrong: {folder.parent.name}/{folder.name}"
