# SPDX-License-Identifier: Apache-2.0
"""Code coverage as Cobertura XML, which GitLab, Jenkins and Azure read (DTD ``coverage-04``)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from xml.etree import ElementTree

from goldbeat.tb.run.code_coverage import Point, line_hits, points_by_file

_DOCTYPE = '<!DOCTYPE coverage SYSTEM "http://cobertura.sourceforge.net/xml/coverage-04.dtd">'


def cobertura(counts: Mapping[str, int], root: Path) -> str:
    """Merged counts as Cobertura XML: one class a file; branches, toggles and cover statements of a line are its conditions.

    Args:
        counts: hits by point, as stored.
        root: the folder that files are named from; files outside of it keep their whole path.
    """
    files = {_shown(name, root): points for name, points in points_by_file(counts).items()}
    top = ElementTree.Element("coverage", {"version": "1", "timestamp": "0", "complexity": "0"})
    ElementTree.SubElement(ElementTree.SubElement(top, "sources"), "source").text = str(root)
    packages = ElementTree.SubElement(top, "packages")
    package = ElementTree.SubElement(packages, "package", {"name": "hdl", "complexity": "0"})
    classes = ElementTree.SubElement(package, "classes")
    totals = [0, 0, 0, 0]
    for name, points in sorted(files.items()):
        facts = {"name": Path(name).stem, "filename": name, "complexity": "0"}
        one = ElementTree.SubElement(classes, "class", facts)
        ElementTree.SubElement(one, "methods")
        counted = _add_lines(ElementTree.SubElement(one, "lines"), points)
        _add_rates(one, counted)
        totals = [a + b for a, b in zip(totals, counted, strict=True)]
    _add_rates(package, totals)
    _add_rates(top, totals)
    names = ("lines-covered", "lines-valid", "branches-covered", "branches-valid")
    top.attrib |= {name: str(value) for name, value in zip(names, totals, strict=True)}
    ElementTree.indent(top)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{_DOCTYPE}\n{ElementTree.tostring(top, encoding="unicode")}\n'


def _shown(name: str, root: Path) -> str:
    path = Path(name)
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else name


def _add_lines(parent: ElementTree.Element, points: Iterable[tuple[Point, int]]) -> list[int]:
    """Add a file's lines; lines covered, lines, branches covered, branches."""
    points = list(points)
    lines = line_hits(points)
    conditions: dict[int, list[int]] = {}
    for point, hits in points:
        if point.kind != "line":
            conditions.setdefault(point.line, []).append(hits)
    covered = total = 0
    for number in sorted(lines.keys() | conditions.keys()):
        taken = conditions.get(number, [])
        hit = sum(1 for hits in taken if hits)
        # A line of nothing but toggles or cover statements is covered as soon as one of them is.
        facts = {"number": str(number), "hits": str(lines.get(number, max(taken, default=0)))}
        if taken:
            facts |= {"branch": "true", "condition-coverage": f"{100 * hit // len(taken)}% ({hit}/{len(taken)})"}
        ElementTree.SubElement(parent, "line", {"branch": "false", **facts})
        covered, total = covered + hit, total + len(taken)
    return [sum(1 for hits in lines.values() if hits), len(lines), covered, total]


def _add_rates(element: ElementTree.Element, counted: Iterable[int]) -> None:
    line, lines, branch, branches = counted
    element.set("line-rate", f"{line / lines if lines else 0:.4f}")
    element.set("branch-rate", f"{branch / branches if branches else 0:.4f}")
