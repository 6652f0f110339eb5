# SPDX-License-Identifier: Apache-2.0
"""Test plans: all of our designs have one, and one that is wrong is refused with its place."""

import pytest

from goldbeat.pymodels.errors import InputError
from goldbeat.tb.dashboard.testplan import STAGES, plan_of
from goldbeat.tb.design.catalog import designs, find_design


@pytest.mark.parametrize("name", sorted(designs()))
def test_every_design_has_points_of_the_first_stages(name):
    points = plan_of(find_design(name), None)
    assert {"V1", "V2"} <= {point.stage for point in points} <= set(STAGES)
    covered = {case for point in points for case in point.cases}
    assert {"random", "sweep"} <= covered


POINT = '[[testpoint]]\nname = "a"\nstage = "V1"\nchecks = "x"\ncases = ["random"]\n'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (POINT.replace("random", "nothing"), r"test point 'a' names case 'nothing'.*axis_skid: random"),
        (POINT + POINT, "two test points 'a'"),
        (POINT.replace("V1", "V9"), "testpoint.0.stage"),
        ("", "testpoint"),
    ],
)
def test_a_wrong_plan_is_refused(tmp_path, text, said):
    (tmp_path / "testplan.toml").write_text(text)
    with pytest.raises(InputError, match=said) as refused:
        plan_of(find_design("axis_skid"), tmp_path / "bench.toml")
    assert "testplan.toml" in str(refused.value)


def test_points_of_other_designs_are_left_out(tmp_path):
    (tmp_path / "testplan.toml").write_text(POINT + 'designs = ["other", "axis_f*"]\n' + POINT.replace('"a"', '"b"'))
    assert [point.name for point in plan_of(find_design("axis_skid"), tmp_path / "bench.toml")] == ["b"]
    assert [point.name for point in plan_of(find_design("axis_fifo"), tmp_path / "bench.toml")] == ["a", "b"]
