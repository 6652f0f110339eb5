# SPDX-License-Identifier: Apache-2.0
"""A stimulus that names no clocks runs with those of the case's setting."""

from dataclasses import replace

from goldbeat.tb.design.catalog import find_design
from goldbeat.tb.run.prediction import make_stimuli
from goldbeat.tb.run.runs import Request


def test_clocks_that_a_stimulus_does_not_name_are_those_of_the_setting() -> None:
    design = find_design("axis_fifo")
    setting = Request(design, design.case("random")).setting(0)
    [made, *_] = design.case("random").make(setting)
    named = setting.clocks["aclk"]
    [filled] = make_stimuli(design, lambda _: [replace(made, clocks={})], "random", setting)
    assert filled.clocks == {"aclk": named}
    [kept] = make_stimuli(
        design,
        lambda _: [replace(made, clocks={"aclk": replace(named, period_ps=1234, offset_ps=1234)})],
        "random",
        setting,
    )
    assert kept.clocks["aclk"].period_ps == 1234
