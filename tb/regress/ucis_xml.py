# SPDX-License-Identifier: Apache-2.0
"""Functional coverage as UCIS XML (Accellera UCIS 1.0, chapter 9)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from xml.etree import ElementTree as ET

from goldbeat.tb.run.user_coverage import PREFIX

FILE = "coverage.ucis.xml"
_OWN, _PORTS = "coverage", "ports"
"""Covergroups of a design: the items of its description, and what is counted of its ports."""
_PLACE = {"file": "1", "line": "1", "inlineCount": "1"}
_GOAL = {"weight": "1", "goal": "100", "at_least": "1"}


def write_ucis(
    functional: Mapping[str, Mapping[str, Mapping[str, int]]], path: Path, *, passed: bool, date: str
) -> None:
    """Write the hits of every bin: per design an instance, with a covergroup of its ports and one of its own items.

    Args:
        functional: hits by design, port or item, and bin.
        path: of the file.
        passed: the run did.
        date: when it began, ISO 8601.
    """
    # UTC without an offset: pyucis, which many read such files with, refuses one.
    date = datetime.fromisoformat(date).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S")
    root = ET.Element("UCIS", ucisVersion="1.0", writtenBy="goldbeat", writtenTime=date)
    ET.SubElement(root, "sourceFiles", fileName="goldbeat", id="1")
    tool = {
        "toolCategory": "goldbeat",
        "vendorId": "goldbeat",
        "vendorTool": "goldbeat",
        "vendorToolVersion": "unknown",
    }
    node = {"historyNodeId": "0", "logicalName": "regression", "ucisVersion": "1.0", "date": date}
    ET.SubElement(root, "historyNodes", node | tool, testStatus=str(passed).lower())
    for number, (design, items) in enumerate(functional.items()):
        names = {"name": design, "key": str(number), "instanceId": str(number), "moduleName": f"goldbeat.{design}"}
        instance = ET.SubElement(root, "instanceCoverages", names)
        ET.SubElement(instance, "id", _PLACE)
        groups = ET.SubElement(instance, "covergroupCoverage")
        keys = map(str, count())
        for group, own in ((_OWN, True), (_PORTS, False)):
            members = {name: bins for name, bins in items.items() if name.startswith(PREFIX) == own}
            if members:
                _write_group(ET.SubElement(groups, "cgInstance", name=group, key=next(keys)), group, members)
    ET.indent(root)
    ET.ElementTree(root).write(path, encoding="utf-8", xml_declaration=True)


def _write_group(group: ET.Element, name: str, members: Mapping[str, Mapping[str, int]]) -> None:
    ET.SubElement(group, "options", _GOAL, per_instance="true", merge_instances="true")
    names = ET.SubElement(group, "cgId", cgName=name, moduleName=name)
    ET.SubElement(names, "cginstSourceId", _PLACE)
    ET.SubElement(names, "cgSourceId", _PLACE)
    for key, (item, bins) in enumerate(members.items()):
        point = ET.SubElement(group, "coverpoint", name=item.removeprefix(PREFIX), key=str(key))
        ET.SubElement(point, "options", _GOAL)
        for number, (one, hits) in enumerate(bins.items()):
            made = ET.SubElement(point, "coverpointBin", name=one, type="bins", key=str(number))
            # Bins have names; the format wants numbers too.
            spot = ET.SubElement(made, "range", {"from": str(number), "to": str(number)})
            ET.SubElement(spot, "contents", coverageCount=str(hits))
