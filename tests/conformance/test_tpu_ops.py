# SPDX-License-Identifier: Apache-2.0
"""Op tests of the vendor's compiler, as tests/benchmarks/make_tpu_ops.py keeps them: equal to its functional models, or refused."""

import os
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.tpu.execute.model import StaticNet, TensorPlace
from goldbeat.pymodels.tpu.execute.numbers import to_numbers
from goldbeat.pymodels.tpu.streams.bmodel import BModel
from goldbeat.pymodels.tpu.streams.container import read_container

CHIPS = ("bm1684x", "bm1688", "bm1690", "bm1690e", "bm1684x2", "cv184x", "sgtpuv8")


def parts(places: list[TensorPlace], path: Path) -> dict[str, np.ndarray]:
    """Tensors that lie one behind the other in a file, as numbers."""
    raw, found, at = np.fromfile(path, np.uint8), {}, 0
    for one in places:
        stored = raw[at : at + one.bytes].view(one.element.stored)
        found[one.name] = to_numbers(stored, one.element).reshape(one.shape)
        at += one.bytes
    return found


def outcome(folder: Path) -> str:
    """Equal, wrong, or the reason of the refusal."""
    try:
        model = read_container(folder / "model.bmodel")
        assert isinstance(model, BModel)
        net = StaticNet(model)
        found = net.run(parts(net.inputs, folder / "input.dat")).outputs
    except (UsageError, InputError) as error:
        return f"refused: {str(error).partition('not modelled: ')[2] or error}"
    expected = parts(net.outputs, folder / "output.dat")
    same = all(np.array_equal(found[name], expected[name], equal_nan=True) for name in expected)
    return "equal" if same else f"wrong: {folder.parent.name}/{folder.name}"


@pytest.mark.slow
@pytest.mark.parametrize("name", CHIPS)
def test_op_tests_are_equal_or_refused(name: str):
    if not os.environ.get("GOLDBEAT_TPU_OPS"):
        pytest.skip("GOLDBEAT_TPU_OPS does not name the folder that make_tpu_ops.py has filled")
    folders = sorted(Path(os.environ["GOLDBEAT_TPU_OPS"]).glob(f"*/{name}/*/*/output.dat"))
    if not folders:
        pytest.skip(f"no models of {name} in GOLDBEAT_TPU_OPS")
    found = Counter(outcome(one.parent) for one in folders)
    for said, many in found.most_common():
        print(name, many, said)
    assert not [said for said in found if said.startswith("wrong")]
    assert found["equal"]
