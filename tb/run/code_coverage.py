# SPDX-License-Identifier: Apache-2.0
r"""Code coverage as Verilator writes it (``coverage.dat``), merged, and as LCOV.

The format, from the files themselves and Verilator's ``verilated_cov``: after a first line that says what it is, one line a
point, ``C '<fields>' <hits>``; a field is ``\x01name\x02value``. The names used here: ``f`` file, ``l`` line, ``n`` column,
``page`` (``v_line/module``, ``v_toggle/module``, ``v_user/module``, ...), ``o`` what is counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from goldbeat.pymodels.errors import InputError
from goldbeat.tb.build.harness import TOP
from goldbeat.tb.design.source_names import real_name
from goldbeat.tb.paths import HDL

FILE = "coverage.dat"
KINDS = ("line", "branch", "toggle", "user", "fsm_state", "fsm_arc", "expr")
_HEADER = "# SystemC::Coverage"


@dataclass(frozen=True)
class Point:
    """Something that is counted.

    Attributes:
        kind: ``line``, ``branch``, ``toggle``, ``user``, ``fsm_state``, ``fsm_arc`` or ``expr``.
        file: its path where it was built.
        line, column: in that file.
        what: which branch, which bit and direction, which cover statement.
    """

    kind: str
    file: str
    line: int
    column: int
    what: str

    def text(self) -> str:
        """As it is stored."""
        return "\t".join([self.kind, self.file, str(self.line), str(self.column), self.what])

    @classmethod
    def of(cls, text: str) -> Point:
        """From how it is stored."""
        kind, file, line, column, what = text.split("\t")
        return cls(kind, file, int(line), int(column), what)


def read_counts(path: Path, names: Mapping[str, Path] | None = None) -> dict[str, int]:
    """The hits of every point, instances of a module taken together; the generated harness is left out.

    Args:
        path: the file that a simulator has written.
        names: the sources by the names that they had where it was built.

    Raises:
        InputError: not such a file.
    """
    counts: dict[str, int] = {}
    with path.open(encoding="utf-8", errors="replace") as stream:
        if not stream.readline().startswith(_HEADER):
            raise InputError("another kind of file", f"{_HEADER} in the first line", file=path, line=1)
        for number, line in enumerate(stream, 2):
            point, hits = _parse(line, path, number, names or {})
            if point is not None:
                text = point.text()
                counts[text] = counts.get(text, 0) + hits
    return counts


def read_all_counts(path: Path, names: Mapping[str, Path] | None = None) -> dict[str, int]:
    """The same of all files of a simulator: each time the design gets new initial values, it begins another one.

    Args:
        path: the last one; nothing is read where there is none.
        names: as :func:`read_counts` takes them.
    """
    counts: dict[str, int] = {}
    for file in (*path.parent.glob(f"{path.name}.[0-9]*"), path):
        if file.is_file():
            add(counts, read_counts(file, names))
    return counts


def _parse(line: str, path: Path, number: int, names: Mapping[str, Path]) -> tuple[Point | None, int]:
    head, quote, tail = line.rpartition("' ")
    if not head.startswith("C '") or not quote or not tail.strip().isdigit():
        raise InputError(repr(line[:40]), "C '<fields>' <hits>", file=path, line=number)
    fields = dict(part.partition("\x02")[::2] for part in head[3:].split("\x01") if part)
    file = fields.get("f", "")
    # The harness is ours, and its file has no folder.
    if Path(file).stem == TOP:
        return None, 0
    kind = fields.get("page", "").partition("/")[0].removeprefix("v_")
    line_number, column = (int(text) if (text := fields.get(k, "")).isdigit() else 0 for k in ("l", "n"))
    return Point(kind, real_name(file, names), line_number, column, fields.get("o", "")), int(tail)


def add(total: dict[str, int], more: Mapping[str, int]) -> None:
    """Merge counts into others."""
    for point, hits in more.items():
        total[point] = total.get(point, 0) + hits


@dataclass(frozen=True)
class FileCoverage:
    """One file.

    Attributes:
        file: as people know it.
        hit, total: points by kind.
        lines: hits by line; a line with several points counts its least.
        missed: points that were never hit.
    """

    file: str
    hit: Mapping[str, int]
    total: Mapping[str, int]
    lines: Mapping[int, int]
    missed: tuple[Point, ...]

    def share(self, kind: str) -> float | None:
        """Part of the points that were hit, None where there are none."""
        return self.hit.get(kind, 0) / self.total[kind] if self.total.get(kind) else None


def by_file(counts: Mapping[str, int]) -> list[FileCoverage]:
    """Merged counts as one entry a file, in the order of their names."""
    return [_file(_shown(name), points) for name, points in points_by_file(counts).items()]


def points_by_file(counts: Mapping[str, int]) -> dict[str, list[tuple[Point, int]]]:
    """Points and their hits by file, in the order of the files' names."""
    files: dict[str, list[tuple[Point, int]]] = {}
    for text, hits in counts.items():
        point = Point.of(text)
        files.setdefault(point.file, []).append((point, hits))
    return dict(sorted(files.items()))


def line_hits(points: Iterable[tuple[Point, int]]) -> dict[int, int]:
    """Hits of each line of a file that can run, in order: the most of its points, as reports of lines have it."""
    lines: dict[int, int] = {}
    for point, hits in points:
        if point.kind in ("line", "branch"):
            lines[point.line] = max(hits, lines.get(point.line, 0))
    return dict(sorted(lines.items()))


def _shown(file: str) -> str:
    """A path below the designs or the current folder without what all have in common."""
    for root in (HDL, Path.cwd()):
        if Path(file).is_relative_to(root):
            return Path(file).relative_to(root).as_posix()
    return file


def _file(name: str, points: list[tuple[Point, int]]) -> FileCoverage:
    hit: dict[str, int] = {}
    total: dict[str, int] = {}
    lines: dict[int, int] = {}
    for point, hits in points:
        total[point.kind] = total.get(point.kind, 0) + 1
        hit[point.kind] = hit.get(point.kind, 0) + bool(hits)
        if point.kind in ("line", "branch"):
            lines[point.line] = min(hits, lines.get(point.line, hits))
    missed = sorted((p for p, hits in points if not hits), key=lambda p: (p.line, p.column, p.what))
    return FileCoverage(name, hit, total, lines, tuple(missed))


def lcov(counts: Mapping[str, int]) -> str:
    """Merged counts as an LCOV tracefile: lines, and every branch, toggle and cover statement as a branch."""
    return "\n".join(_lcov_lines(counts)) + "\n"


def _lcov_lines(counts: Mapping[str, int]) -> Iterator[str]:
    for name, points in points_by_file(counts).items():
        yield "TN:goldbeat"
        yield f"SF:{name}"
        others = sorted(
            ((p, h) for p, h in points if p.kind != "line"),
            key=lambda x: (x[0].line, x[0].kind, x[0].column, x[0].what),
        )
        number: dict[int, int] = {}
        for point, hits in others:
            index = number[point.line] = number.get(point.line, -1) + 1
            yield f"BRDA:{point.line},{KINDS.index(point.kind) if point.kind in KINDS else 9},{index},{hits}"
        if others:
            yield f"BRF:{len(others)}"
            yield f"BRH:{sum(1 for _, hits in others if hits)}"
        lines = line_hits(points)
        for line, hits in lines.items():
            yield f"DA:{line},{hits}"
        yield f"LF:{len(lines)}"
        yield f"LH:{sum(1 for hits in lines.values() if hits)}"
        yield "end_of_record"
