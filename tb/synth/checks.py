# SPDX-License-Identifier: Apache-2.0
"""What synthesis says of RTL: latches, loops, several drivers, no driver; each with file and line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from goldbeat.tb.build.yosys import Yosys, broken, run_yosys
from goldbeat.tb.design.design import Design
from goldbeat.tb.synth.kept import LOG, content_key, kept
from goldbeat.tb.synth.sources import command_file, content_settings

SUMMARIES = {
    "elaboration": "Yosys elaborates the RTL as synthesizable",
    "latches": "no latch",
    "loops": "no loop of combinational logic",
    "drivers": "no signal has two drivers",
    "undriven": "every signal that is read has a driver",
}
"""The checks in order. Where the first one fails, the others have seen nothing and are left out."""
_COMMANDS = "sources.f"
_SAID, _LATCHES, _BUFFERS, _WIRES = "check.txt", "latches.txt", "buffers.txt", "wires.txt"
_READ_ERROR = re.compile(r"^(\S.*?):(\d+): ERROR: (.*)$", re.MULTILINE)
_SOURCE = re.compile(r"([^|]+?):(\d+)\.\d+")
_CELL = re.compile(r"cell (\S+) \((\S+)\)(?: source: (.+))?")
_WIRE = re.compile(r"wire (\S+) (?:\[[^]]*\] )?source: (.+)")
_NAMED_BITS = 4
_HOLDS = ("$mux", "$pmux", "$buf", "$bwmux")
"""A loop through nothing else keeps a value: it is a latch."""


@dataclass(frozen=True)
class SynthFinding:
    """One thing that is wrong.

    Attributes:
        text: what.
        file, line: where; None where Yosys does not know.
    """

    text: str
    file: str | None = None
    line: int | None = None

    def __str__(self) -> str:
        where = "" if self.file is None else f"{self.file}:{self.line}: "
        return where + self.text


@dataclass(frozen=True)
class SynthCheck:
    """A check by name, with all that speaks against it."""

    name: str
    findings: tuple[SynthFinding, ...] = ()

    @property
    def passed(self) -> bool:
        """True where nothing was found."""
        return not self.findings

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        findings = [asdict(one) for one in self.findings]
        status = "pass" if self.passed else "fail"
        return {"name": self.name, "status": status, "summary": SUMMARIES[self.name], "findings": findings}


def check_rtl(
    tool: Yosys, design: Design, params: Mapping[str, Any], tell: Callable[[str], None] = lambda text: None
) -> tuple[SynthCheck, ...]:
    """Elaborate a design and check what comes of it.

    Raises:
        ToolError: Yosys failed on something other than the RTL.
        UsageError: as :func:`command_file`.
    """

    def make(folder: Path) -> None:
        (folder / _COMMANDS).write_text(command_file(tool, design, params, folder))
        log = folder / LOG
        code = run_yosys(tool, _script(tool, folder), log, lambda step: tell(f"checking {design.name}: {step}"))
        if code and _READ_ERROR.search(log.read_text(errors="replace")):
            return
        if not code and (cells := _made_up((folder / _BUFFERS).read_text(errors="replace"))):
            # Without them, Yosys tells what is read and has no driver; what nobody reads is left out.
            script = [_script(tool, folder)[0], *(f"delete c:{cell}" for cell in cells), *_script(tool, folder)[1:]]
            code = run_yosys(tool, script, log, lambda step: tell(f"checking {design.name} again: {step}"))
        if code:
            raise broken(design.name, log, code)

    # Which scripts are run follows from this file; findings name the sources by their paths.
    paths = map(str, design.sources())
    key = content_key(tool, design, [Path(__file__).read_text(), *paths, *content_settings(design, params)])
    folder, _ = kept(f"{design.name}-checks", key, make)
    return tuple(_judge(tool, folder))


def _script(tool: Yosys, folder: Path) -> list[str]:
    def file(name: str) -> str:
        return tool.place(folder / name)

    return [
        f"read_slang -f {file(_COMMANDS)}",
        f"tee -q -o {file(_SAID)} check",
        f"tee -q -o {file(_LATCHES)} dump t:$*latch*",
        f"tee -q -o {file(_BUFFERS)} dump t:$buf",
        f"tee -q -o {file(_WIRES)} dump w:*",
    ]


def _judge(tool: Yosys, folder: Path) -> Iterator[SynthCheck]:
    wrong = _READ_ERROR.findall((folder / LOG).read_text(errors="replace"))
    yield SynthCheck("elaboration", tuple(SynthFinding(text, _absolute(file), int(line)) for file, line, text in wrong))
    if wrong:
        return
    said, latches, wires = (
        tool.outside((folder / name).read_text(errors="replace")) for name in (_SAID, _LATCHES, _WIRES)
    )
    places = dict(_wire_places(wires))
    loops, held = _loops(said)
    yield SynthCheck("latches", (*_latches(latches, places), *held))
    yield SynthCheck("loops", loops)
    yield SynthCheck("drivers", tuple(_drivers(said, places)))
    yield SynthCheck("undriven", tuple(_undriven(said, places)))


def _absolute(file: str) -> str:
    """Yosys leaves the first slash out where it runs in the root folder."""
    return file if file.startswith("/") or not Path("/", file).exists() else f"/{file}"


def _place(sources: str) -> tuple[str | None, int | None]:
    """The first place of an attribute ``src``: ``a.sv:3.5-3.9|b.sv:...``."""
    match = _SOURCE.match(sources.strip('"'))
    return (None, None) if match is None else (_absolute(match[1]), int(match[2]))


def _blocks(dump: str) -> Iterator[tuple[str, list[str]]]:
    """Cells and wires of a dump: the attribute ``src``, and the lines from the name on."""
    source: str = ""
    lines: list[str] = []
    for line in dump.splitlines():
        words = line.split(None, 2)
        if not words:
            continue
        if words[0] == "attribute":
            source = words[2] if words[1] == "\\src" else source
        elif words[0] in ("cell", "wire"):
            lines = [line]
            if words[0] == "wire":
                yield source, lines
                source = ""
        elif words[0] == "end" and lines:
            yield source, lines
            source, lines = "", []
        else:
            lines.append(line)


def _wire_places(dump: str) -> Iterator[tuple[str, tuple[str | None, int | None]]]:
    for source, lines in _blocks(dump):
        yield _bare(lines[0].split()[-1]), _place(source)


def _bare(name: str) -> str:
    return name.removeprefix("\\")


def _connected(lines: Sequence[str], pin: str) -> str:
    """What a pin of a cell in a dump is connected to."""
    marks = (line.split(None, 2) for line in lines)
    return next((words[2] for words in marks if words[:2] == ["connect", f"\\{pin}"]), "?")


def _signal(text: str) -> str:
    r"""``\a [3:2]`` as ``a[3:2]``."""
    return re.sub(r"\\(\S+) ?", r"\1", text).strip()


def _latches(dump: str, places: Mapping[str, tuple[str | None, int | None]]) -> Iterator[SynthFinding]:
    for source, lines in _blocks(dump):
        signal = _signal(_connected(lines, "Q"))
        file, line = _place(source) if source else places.get(signal.partition("[")[0], (None, None))
        yield SynthFinding(f"latch for {signal}", file, line)


def _loops(said: str) -> tuple[tuple[SynthFinding, ...], tuple[SynthFinding, ...]]:
    """Loops, and those among them that are latches."""
    loops, held = [], []
    for text in re.split(r"^Warning: found logic loop in module \S+:\n", said, flags=re.MULTILINE)[1:]:
        inside = re.match(r"(?: +.*\n)*", text)
        block = inside[0] if inside else ""
        cells, wires = _CELL.findall(block), _WIRE.findall(block)
        signals = ", ".join(_bare(name) for name, _ in wires) or "signals without a name"
        sources = [source for _, _, source in cells if source] + [source for _, source in wires]
        file, line = _place(sources[0]) if sources else (None, None)
        if all(kind in _HOLDS for _, kind, _ in cells):
            held.append(SynthFinding(f"latch for {signals}: it keeps its value if nothing is assigned", file, line))
        else:
            loops.append(SynthFinding(f"loop through {signals}", file, line))
    return tuple(loops), tuple(held)


def _drivers(said: str, places: Mapping[str, tuple[str | None, int | None]]) -> Iterator[SynthFinding]:
    for name in re.findall(r"^Warning: multiple conflicting drivers for [^\s.]+\.(.*):$", said, re.MULTILINE):
        signal = _signal(name)
        yield SynthFinding(f"two drivers for {signal}", *places.get(signal.partition("[")[0].strip(), (None, None)))


def _undriven(said: str, places: Mapping[str, tuple[str | None, int | None]]) -> Iterator[SynthFinding]:
    bits: dict[str, list[str]] = {}
    for name in re.findall(r"^Warning: Wire [^\s.]+\.(.*) is used but has no driver\.$", said, re.MULTILINE):
        bits.setdefault(_signal(name).partition("[")[0].strip(), []).append(_signal(name))
    for signal, names in bits.items():
        told = ", ".join(names) if len(names) <= _NAMED_BITS else f"{len(names)} bits of {signal}"
        yield SynthFinding(f"nothing drives {told}", *places.get(signal, (None, None)))


def _made_up(buffers: str) -> list[str]:
    """The buffers with which the reader gives X to what nothing drives."""
    found = []
    for source, lines in _blocks(buffers):
        if not source and re.fullmatch(r"\d+'x+|x", _connected(lines, "A")):
            found.append(lines[0].split()[-1])
    return found
