# SPDX-License-Identifier: Apache-2.0
"""Names of sources that do not depend on where the sources are."""

from __future__ import annotations

from pathlib import Path

from goldbeat.tb.design.source_names import link_sources, real_name, short_place, source_names


def test_every_source_has_a_name_of_its_own_that_leads_back_to_it(tmp_path):
    sources = [tmp_path / "a" / "x.sv", tmp_path / "b" / "x.sv", tmp_path / "b" / "y.sv", tmp_path / "c" / "x.sv"]
    for path in sources:
        path.parent.mkdir(exist_ok=True)
        path.write_text(str(path))
    names = source_names(sources)
    assert list(names) == ["rtl/x.sv", "rtl/1/x.sv", "rtl/y.sv", "rtl/3/x.sv"]
    assert list(names.values()) == sources
    assert list(source_names([Path("/elsewhere") / p.relative_to(tmp_path) for p in sources])) == list(names)
    link_sources(names, tmp_path / "build")
    assert [(tmp_path / "build" / name).read_text() for name in names] == [str(path) for path in sources]


def test_messages_show_the_source_itself():
    names = source_names([Path("/mine/x.sv")])
    assert real_name("rtl/x.sv:3:1: wrong", names) == "/mine/x.sv:3:1: wrong"
    assert real_name("rtl/x.sv", names) == "/mine/x.sv"
    assert real_name("harness.sv:3:1: wrong", names) == "harness.sv:3:1: wrong"
    assert short_place("rtl/x.sv:3") == "x.sv:3"
