# SPDX-License-Identifier: Apache-2.0
"""Functional coverage as UCIS XML (Accellera UCIS 1.0, chapter 9), written by pyucis."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

from goldbeat.tb.run.user_coverage import PREFIX

FILE = "coverage.ucis.xml"
_PACKAGE = "ucis"
_OWN, _PORTS = "coverage", "ports"
"""Covergroups of a design: the items of its description, and what is counted of its ports."""


def ucis_writable() -> bool:
    """The package that writes it is there (``goldbeat[ucis]``)."""
    return find_spec(_PACKAGE) is not None


def write_ucis(
    functional: Mapping[str, Mapping[str, Mapping[str, int]]], path: Path, *, passed: bool, date: str
) -> None:
    """Write the hits of every bin: an instance a design, a covergroup of its ports and one of its own items, a coverpoint each.

    Args:
        functional: hits by design, port or item, and bin.
        path: of the file.
        passed: the run did.
        date: when it began, ISO 8601.
    """
    import ucis
    from ucis.mem.mem_factory import MemFactory
    from ucis.source_info import SourceInfo
    from ucis.test_data import TestData
    from ucis.xml.xml_factory import XmlFactory

    base = MemFactory.create()
    status = ucis.UCIS_TESTSTATUS_OK if passed else ucis.UCIS_TESTSTATUS_ERROR
    node = base.createHistoryNode(None, "regression", "regression", ucis.UCIS_HISTORYNODE_TEST)
    node.setTestData(TestData(teststatus=status, toolcategory="goldbeat", date=date))
    source = SourceInfo(base.createFileHandle("goldbeat", "."), 1, 1)
    for design, items in functional.items():
        kind = ucis.UCIS_ENABLED_STMT | ucis.UCIS_INST_ONCE | ucis.UCIS_SCOPE_UNDER_DU
        unit = base.createScope(f"goldbeat.{design}", source, 1, ucis.UCIS_OTHER, ucis.UCIS_DU_MODULE, kind)
        instance = base.createInstance(
            design, source, 1, ucis.UCIS_OTHER, ucis.UCIS_INSTANCE, unit, ucis.UCIS_INST_ONCE
        )
        for group, own in ((_OWN, True), (_PORTS, False)):
            members = {name: bins for name, bins in items.items() if name.startswith(PREFIX) == own}
            if not members:
                continue
            scope = instance.createCovergroup(group, source, 1, ucis.UCIS_OTHER)
            for name, bins in members.items():
                point = scope.createCoverpoint(name.removeprefix(PREFIX), source, 1, ucis.UCIS_OTHER)
                for one, hits in bins.items():
                    point.createBin(one, source, 1, hits, one)
    XmlFactory.write(base, str(path))
