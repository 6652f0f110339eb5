# SPDX-License-Identifier: Apache-2.0
"""Op tests of the vendor's compiler, as tests/benchmarks/make_tpu_ops.py keeps them: equal to its functional models, or refused."""

import os
from collections import Counter
from pathlib import Path

import pytest
from tpu_ops import CHIPS, models, outcome


@pytest.mark.slow
@pytest.mark.parametrize("name", CHIPS)
def test_op_tests_are_equal_or_refused(name: str):
    if not os.environ.get("GOLDBEAT_TPU_OPS"):
        pytest.skip("GOLDBEAT_TPU_OPS does not name the folder that make_tpu_ops.py has filled")
    folders = models(Path(os.environ["GOLDBEAT_TPU_OPS"]), name)
    if not folders:
        pytest.skip(f"no models of {name} in GOLDBEAT_TPU_OPS")
    found = Counter(outcome(one) for one in folders)
    for said, many in found.most_common():
        print(name, many, said)
    assert not [said for said in found if said.startswith("wrong")]
    assert found["equal"]
