# SPDX-License-Identifier: Apache-2.0
"""Suites and plans."""

from pathlib import Path

import pytest

from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.tb.design.catalog import designs
from goldbeat.tb.paths import REPOSITORY
from goldbeat.tb.regress.plan import MOST_ITEMS, make_batches, make_plan
from goldbeat.tb.regress.suite import Suite, find_suite, load_suite, suite_names
from goldbeat.tb.regress.worker import make_request
from goldbeat.tb.run.runs import predict


def plan(folder=Path(), **entry):
    more = {k: entry.pop(k) for k in ("seed", "seeds_asked", "filters") if k in entry}
    suite = Suite.model_validate({"seeds": 2, "run": [entry]})
    if "seeds_asked" in more:
        more["seeds"] = more.pop("seeds_asked")
    return [i.key for i in make_plan(suite, folder, **more)]


def test_the_suites_that_come_with_it_are_whole():
    assert {"smoke", "nightly"} <= set(suite_names())
    for name in suite_names():
        path = find_suite(name)
        items = make_plan(load_suite(path), path.parent)
        assert {i.design for i in items} == set(designs())
        assert len({i.key for i in items}) == len(items)
        assert [i.index for i in items] == list(range(len(items)))


def test_keys_say_everything():
    assert plan(designs=["axis_skid"], cases=["random"]) == ["axis_skid/random#0", "axis_skid/random#1"]
    assert plan(designs=["axis_skid"], cases=["random"], params={"DATA_W": [8, 16]}, options={"beats": 9}, seeds=1) == [
        "axis_skid/random/DATA_W=8+beats=9#0",
        "axis_skid/random/DATA_W=16+beats=9#0",
    ]
    assert plan(designs=["axis_skid"], cases=["random"], transactors="cocotbext", seeds=1) == [
        "axis_skid/random/cocotbext#0"
    ]


def test_payload_of_an_entry_reaches_its_runs():
    entry = {"designs": ["axis_skid"], "cases": ["random"], "seeds": 1, "payload": ["hold", "s_axis=ones"]}
    (item,) = make_plan(Suite.model_validate({"run": [entry]}), Path())
    assert item.key == "axis_skid/random/payload=hold,s_axis=ones#0"
    design = designs()["axis_skid"]
    (episode,) = predict(make_request(item, design), 0).episodes(design)
    assert episode.payload == {"s_axis": "ones", "m_axis": "hold"}


def test_seeds_come_from_the_suite_the_entry_or_the_command_line():
    one = {"designs": ["axis_skid"], "cases": ["random"]}
    assert len(plan(**one)) == 2
    assert plan(**one, seed=40) == ["axis_skid/random#40", "axis_skid/random#41"]
    assert len(plan(**one, seeds_asked=5)) == 5
    assert len(plan(**one, seeds=1, seeds_asked=5)) == 1


def test_variants_and_sweeps_make_every_combination():
    keys = plan(designs=["axis_skid"], cases=["random"], variants=True, options={"beats": [5, 6]}, seeds=1)
    assert len(keys) == 6
    assert len(set(keys)) == 6


def test_a_sweep_over_all_designs_goes_through_those_that_have_it():
    keys = plan(params={"ID_W": [1, 2]}, cases=["random"], seeds=1)
    assert keys
    assert all(k.startswith("axis_") for k in keys)


def test_files_that_a_case_is_about(tmp_path):
    """A case that is about a file is there where the suite names one, from the suite's folder on."""
    everything = plan(designs=["tpu", "nvdla"], seeds=1)
    assert "tpu/random#0" in everything
    assert not [key for key in everything if key.partition("#")[0] in ("tpu/model", "nvdla/loadable")]
    options = {"loadable": ["a/one.nvdla", "two.nvdla"], "read_latency": 8}
    suite = Suite.model_validate({"seeds": 1, "run": [{"designs": ["nvdla"], "options": options}]})
    items = make_plan(suite, tmp_path)
    assert [i.key for i in items] == [
        "nvdla/loadable/loadable=one.nvdla+read_latency=8#0",
        "nvdla/loadable/loadable=two.nvdla+read_latency=8#0",
    ]
    assert [i.options["loadable"] for i in items] == [str(tmp_path / "a" / "one.nvdla"), str(tmp_path / "two.nvdla")]


def test_an_item_is_there_once():
    suite = Suite.model_validate({"run": [{"designs": ["axis_skid"]}, {"designs": ["axis_*"]}]})
    keys = [i.key for i in make_plan(suite, Path())]
    assert len(keys) == len(set(keys))


def test_entries_that_want_a_case_in_different_ways_are_refused(tmp_path):
    one = {"designs": ["axis_skid"], "cases": ["random"]}
    limits = {"port": {"m_axis": {"max_gap_ns": 40}}}

    def both(other):
        return [i.key for i in make_plan(Suite.model_validate({"run": [one, one | other]}), tmp_path)]

    assert both({}) == ["axis_skid/random#0"]
    for name, value in {"limits": limits, "waive": ["axis_valid_held"], "timeout_s": 7.0}.items():
        with pytest.raises(UsageError, match=rf"run\.1 of the suite: .*another {name}"):
            both({name: value})
    # Other stimulus is another case.
    assert both({"inputs": {"s_axis": "a.txt"}}) == ["axis_skid/random#0", "axis_skid/random/s_axis=a.txt#0"]
    # An own design that is called like one that comes with Goldbeat.
    (tmp_path / "own.py").write_text("from goldbeat.tb.designs.axis.bench_skid import DESIGN\n")
    with pytest.raises(UsageError, match="another source"):
        both({"designs": ["own.py"]})


def test_filters():
    assert plan(designs=["axis_skid"], filters=["sweep"]) == ["axis_skid/sweep#0", "axis_skid/sweep#1"]
    assert plan(designs=["axis_skid"], filters=["*/sweep#1", "sizes#0"]) == ["axis_skid/sweep#1", "axis_skid/sizes#0"]
    with pytest.raises(UsageError, match="none of"):
        plan(designs=["axis_skid"], filters=["nosuch"])


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"designs": ["nosuch"]}, "unknown design"),
        ({"cases": ["nosuch"]}, "matches no case"),
        ({"params": {"NOSUCH": 1}}, "matches no case"),
    ],
)
def test_an_entry_that_fits_nothing_is_refused(entry, said):
    with pytest.raises(UsageError, match=said):
        plan(**entry)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("run = 3", "run"),
        ("", "missing run"),
        ("seeds = 0\n[[run]]\n", "seeds = 0"),
        ("[[run]]\nsedes = 3\n", "unknown setting run.0.sedes, expected one of designs"),
        ("sedes = 3\n[[run]]\n", "unknown setting sedes, expected one of summary"),
        ("[[run]\n", "expected a suite"),
        ("[[run]]\n[run.limits.port.m]\nmin_mb_per_s = -1\n", "min_mb_per_s"),
    ],
)
def test_bad_suites_say_what_is_wrong(text, said, tmp_path):
    path = tmp_path / "bad.toml"
    path.write_text(text)
    with pytest.raises((InputError, UsageError), match=said) as caught:
        load_suite(path)
    assert "bad.toml" in str(caught.value)


def test_no_such_suite(tmp_path):
    with pytest.raises(UsageError, match="known: nightly, smoke"):
        find_suite("nosuch")
    with pytest.raises(InputError, match="no such file"):
        load_suite(tmp_path / "nosuch.toml")


def test_batches_share_a_simulator_and_lose_nothing():
    suite = Suite.model_validate({"seeds": 300, "run": [{"designs": ["axis_skid", "axis_fifo"]}]})
    items = make_plan(suite, Path())
    batches = make_batches(items, 2)
    assert len(batches) == 2
    flat = [i for chunks in batches.values() for chunk in chunks for i in chunk]
    assert sorted(i.index for i in flat) == list(range(len(items)))
    for chunks in batches.values():
        for chunk in chunks:
            assert len(chunk) <= MOST_ITEMS
            assert len({(i.design, i.transactors) for i in chunk}) == 1


def test_batches_of_slow_items_are_small():
    suite = Suite.model_validate({"seeds": 20, "run": [{"designs": ["axis_skid"], "cases": ["random"]}]})
    batches = make_batches(make_plan(suite, Path()), 2, lambda item: 3.0)
    assert [len(c) for c in next(iter(batches.values()))] == [2] * 5 + [1] * 10


def test_batches_get_smaller_and_the_longest_design_comes_first():
    entry = {"designs": ["axis_fifo", "axis_skid"], "cases": ["random"]}
    items = make_plan(Suite.model_validate({"seeds": 100, "run": [entry]}), Path())
    # Nobody knows what they take: a third of what is left for each worker, down to four.
    sizes = [len(c) for chunks in make_batches(items, 2).values() for c in chunks]
    assert sizes[:3] == [34, 28, 23]
    assert sizes[-1] <= 4
    batches = make_batches(items, 2, lambda item: 1 / 16 if item.design == "axis_skid" else 1 / 64)
    assert [design for design, _, _ in batches] == ["axis_skid", "axis_fifo"]
    skid, fifo = ([len(c) for c in chunks] for chunks in batches.values())
    # A sixth of 100 / 16 + 100 / 64 s, and of what is left in items.
    assert skid[0] == 20
    assert skid == sorted(skid, reverse=True)
    assert fifo[:3] == [16, 14, 12]
    assert fifo[-1] <= 4


def test_a_user_design_beside_the_suite(tmp_path):
    (tmp_path / "mine.py").write_text(
        "from goldbeat.tb.design.catalog import designs\nDESIGN = designs()['axis_skid'].model_copy(update={'name': 'mine'})\n"
    )
    assert plan(tmp_path, designs=["mine.py"], cases=["random"], seeds=1) == ["mine/random#0"]


def test_the_suite_in_the_guide_is_one(tmp_path):
    guide = (REPOSITORY / "docs" / "regress.md").read_text()
    path = tmp_path / "guide.toml"
    path.write_text(
        guide.partition("```toml\n")[2].partition("```")[0].replace("bench/my_fifo/my_fifo.toml", "axis_fifo")
    )
    suite = load_suite(path)
    assert len(suite.run) == 5
    assert make_plan(suite, tmp_path, filters=["plio_fir/filter"])
