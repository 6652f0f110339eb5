# SPDX-License-Identifier: Apache-2.0
"""The search for the smallest values, on functions in place of simulators."""

import itertools

import numpy as np
import pytest

from goldbeat.pymodels.errors import UsageError
from goldbeat.tb.design.catalog import find_design
from goldbeat.tb.size.size_point import SizePoint
from goldbeat.tb.size.size_search import SizeSearch, is_below, smallest
from goldbeat.tb.size.size_store import FILE, SizeStore
from goldbeat.tb.size.sized_parameter import SizedParameter, sized_parameters


def searched(keeps, *ranges, jobs=2, refused=lambda values: False):
    parameters = [SizedParameter(f"P{n}", tuple(values), 1) for n, values in enumerate(ranges)]

    def ask(sets):
        assert len(sets) == len(set(sets))
        return [SizePoint(v, not refused(v) and keeps(v), refused=refused(v)) for v in sets]

    search = SizeSearch(parameters, ask, jobs)
    return search, search.search()


@pytest.mark.parametrize("jobs", [1, 2, 5])
@pytest.mark.parametrize("least", [1, 2, 37, 99, 100])
def test_one_parameter_is_found_by_sections(least, jobs):
    search, found = searched(lambda v: v[0] >= least, range(1, 101), jobs=jobs)
    assert found.values == (least,)
    assert search.monotone
    assert len(search.points) < 25
    # What is just below has been run, not taken on trust.
    assert least == 1 or not search.points[(least - 1,)].keeps


def test_nothing_keeps_the_limits():
    search, found = searched(lambda v: False, range(1, 9))
    assert found is None
    assert len(search.points) == 8
    search, found = searched(lambda v: False, range(1, 9), range(1, 9))
    assert found is None


def test_values_that_the_design_refuses_are_passed_over():
    for least in (2, 4, 8, 16):
        _, found = searched(
            lambda v, n=least: v[0] >= n, range(1, 21), refused=lambda v: v[0] & (v[0] - 1) != 0 or v[0] < 2
        )
        assert found.values == (least,)


def test_what_is_not_monotone_is_run_one_after_the_other():
    search, found = searched(lambda v: v[0] in (5, 6) or (v[0] >= 9 and v[0] not in (16, 21)), range(1, 33), jobs=2)
    assert not search.monotone
    assert found.values == (5,)
    assert all((n,) in search.points for n in range(1, 6))


def test_several_parameters_end_where_none_can_be_lowered_alone():
    rng = np.random.default_rng(3)
    for _ in range(20):
        weights, bound = rng.integers(1, 5, 4), int(rng.integers(10, 60))
        least = rng.integers(1, 6, 4)

        def keeps(v, weights=weights, bound=bound, least=least):
            return int((weights * v).sum()) >= bound and all(a >= b for a, b in zip(v, least, strict=True))

        search, found = searched(keeps, *[range(1, 13)] * 4)
        if found is None:
            assert not keeps((12,) * 4)
            continue
        for number, value in enumerate(found.values):
            lower = (*found.values[:number], value - 1, *found.values[number + 1 :])
            assert value == 1 or not search.points[lower].keeps
        assert smallest(search.points.values()).total <= found.total


def test_several_parameters_that_are_not_monotone_end_too():
    rng = np.random.default_rng(4)
    table = {v: bool(rng.random() < 0.5) for v in itertools.product(range(1, 6), repeat=3)}
    table[5, 5, 5], table[1, 1, 1] = True, False
    search, found = searched(table.__getitem__, *[range(1, 6)] * 3)
    assert table[found.values]
    assert not search.monotone


def test_order_of_sets():
    assert is_below((1, 2), (1, 3))
    assert not is_below((2, 2), (1, 3))


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("DEPTH", [1, 2, 4, 8, 16, 32, 64, 128, 256]),
        ("DEPTH=2..5", [2, 3, 4, 5]),
        ("DEPTH=2..64*2", [2, 4, 8, 16, 32, 64]),
        ("DEPTH=8/2/4", [2, 4, 8]),
    ],
)
def test_values_of_a_parameter(text, values):
    (found,) = sized_parameters([text], find_design("axis_fifo"))
    assert (found.name, list(found.values), found.default) == ("DEPTH", values, 16)


def test_names_may_be_patterns_and_lists():
    design = find_design("axis_fifo")
    assert [p.name for p in sized_parameters(["DEPTH=1..4,DATA_W=8/16"], design)] == ["DEPTH", "DATA_W"]
    assert [p.name for p in sized_parameters(["*_W=1..4"], design)] == ["DATA_W", "ID_W", "DEST_W", "USER_W"]
    for text, said in (
        ("DEEP", "no parameter 'DEEP'; it has: DATA_W, DEPTH"),
        ("DEPTH=4..2", "LOW at most HIGH"),
        ("DEPTH=x", "expected NAME, NAME=LOW..HIGH"),
        ("DEPTH=1..2,DEPTH=3..4", "DEPTH is given twice"),
    ):
        with pytest.raises(UsageError) as caught:
            sized_parameters([text], design)
        assert said in str(caught.value)


def test_what_was_run_is_read_again(tmp_path):
    points = [SizePoint((n, 2), n > 1, reasons=("why",), measured={"m min": 1.5}, seconds=0.1) for n in range(3)]
    for point in points:
        SizeStore(tmp_path, "key").keep(point)
    with (tmp_path / FILE).open("a") as stream:
        stream.write('{"key": "key", "val')
    assert list(SizeStore(tmp_path, "key").load().values()) == points
    assert SizeStore(tmp_path, "other").load() == {}
