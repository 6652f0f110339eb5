# SPDX-License-Identifier: Apache-2.0
"""Proofs by ABC, which comes inside Yosys: bounded model checking, then property-directed reachability (induction).

Yosys makes one clock cycle of the harness a circuit of gates; flip-flops without an initial value start at any. ABC says nothing
that can be read where it is linked into Yosys, so results are read from the files that it writes.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from goldbeat.pymodels.errors import ToolError, UsageError
from goldbeat.tb.build.harness import make_harness
from goldbeat.tb.build.yosys import Yosys, broken, run_yosys
from goldbeat.tb.design.design import Design
from goldbeat.tb.prove.aiger import Circuit, read_aiger
from goldbeat.tb.prove.harness import ProofHarness
from goldbeat.tb.prove.sheet import BEYOND, TOP
from goldbeat.tb.synth.sources import command_file

LOG = "yosys.log"
DEFINED = "GOLDBEAT_PROVE"
"""The macro of assertions for proofs: not FORMAL, with which RTL of others differs from what is simulated."""
OWN_HIT = "ownhit_"
_OF_SYNTHESIS = re.compile(
    r"(?i:/[/*]\s*(?:synthesis|synopsys|pragma|xilinx)\s+(?:translate|synthesis)_off\b)|`(?:ifn?def|elsif)\s+(?:SYNTHESIS|YOSYS)\b"
)
PREPARE_S = 240
"""Processor seconds of each step that makes the circuit; the first one ever compiles Yosys."""
MOST_BITS = 8192
"""Of memories that become flip-flops; with more, only traces are looked at that write few words of each."""
_MEMORY = re.compile(r"^  cell \$mem_v2 .*\n((?:    .*\n)*)", re.MULTILINE)
_STATEMENT = re.compile(r"(?:(\w+)\s*:\s*)?\bassert\b\s*(?:property|final|#0)?\s*\(")
_CONCURRENT = "unsupported SVA feature"
_NUMBER = r"^    parameter (?:signed )?\\{} (\d+)$"
_STATUS = re.compile(r"^(?:snl_)?(SAT|UNSAT|UNK|UNKNOWN)\s+(-?\d+)\s+\S+(?:\s+(\d+)\s+(\d+))?")
_PREPARE = (
    *("hierarchy -top {top}", "proc", "flatten", "opt_expr", "opt_clean", "check -assert"),
    *("async2sync", "chformal -lower", "chformal -assume -assume2assert", "memory_collect"),
)
_FEW_WORDS = Path(__file__).parent / "templates" / "few_words.v"
WORDS = 4
"""Words of a large memory that a trace writes at most."""
FLIP_FLOPS = ("memory_map", "opt -fast", "setundef -undriven -anyseq", "setundef -anyconst", "opt -fast")
GATES = ("dffunmap", "techmap", "opt -fast", "dffunmap", "aigmap", "setundef -anyseq", "opt_clean -purge")
_DUMMY = ("read_verilog <<GOLDBEAT", "module none(input a, output b); assign b = ~a; endmodule", "GOLDBEAT", "techmap")


@dataclass(frozen=True)
class Answer:
    """What ABC says of a file.

    Attributes:
        found: an output is high in some cycle.
        proven: none ever is.
        output, cycle: which, and when.
        frames: cycles that were looked at.
        inputs: the values that lead there, a cycle each; bit k of a row is input k.
    """

    found: bool = False
    proven: bool = False
    output: int = 0
    cycle: int = 0
    frames: int = 0
    inputs: tuple[str, ...] = ()


def make_circuit(
    tool: Yosys,
    design: Design,
    params: Mapping[str, Any],
    proof: ProofHarness,
    folder: Path,
    tell: Callable[[str], None],
) -> tuple[Circuit, dict[str, str]]:
    """The circuit of a proof, and the design's own assertions by name of the output (``own_N``).

    Large memories are noted on the proof's sheet.

    Raises:
        ToolError: Yosys cannot read the design.
        UsageError: the design has latches, or flip-flops of another clock.
    """
    (folder / "harness.sv").write_text(make_harness(design, params, proof.free))
    (folder / "prover.sv").write_text(proof.text)
    commands = folder / "sources.f"
    more = [folder / "harness.sv", folder / "prover.sv"]
    commands.write_text(command_file(tool, design, params, folder, top=TOP, more=more) + f"-D {DEFINED}\n")
    flat, bits = _flattened(tool, design, commands, folder, tell)
    if bits > MOST_BITS:
        why = f"{bits} bits are too many: only traces that write at most {WORDS} words of each memory are looked at"
        proof.sheet.unproven["memories"] = why
    own = _assertions_as_outputs(flat)
    script = [f"read_rtlil {tool.place(flat)}", f"hierarchy -top {TOP}", *GATES]
    circuit = read_circuit(tool, script, design, folder, tell)
    # Yosys leaves names out that are another's as well; outputs come in the order of the ports.
    ports = [(f"bad_{n}", one.width) for n, one in enumerate(proof.properties)]
    ports += [(f"hit_{n}", 1) for n in range(len(proof.properties))]
    ports += [(f"see_{n}", width) for n, width in enumerate(proof.seen.values())] + [
        (one, 1) for name in own for one in (name, name.replace("own_", OWN_HIT))
    ]
    named = [(name, bit) for name, width in ports for bit in range(width)]
    if len(named) != len(circuit.outputs) or any(named[n] != one for n, one in circuit.output_names.items()):
        raise ToolError(f"yosys failed on {design.name}: the outputs of {folder} are not those of the harness")
    return replace(circuit, output_names=dict(enumerate(named))), own


def unseen_places(design: Design) -> list[str]:
    """File and line of what makes RTL another one for synthesis, which the simulator does not see so."""
    return [
        f"{path.name}:{number}"
        for path in design.sources()
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1)
        if _OF_SYNTHESIS.search(line)
    ]


def dropped_assertions(design: Design, own: Mapping[str, str]) -> list[str]:
    """File and line of assertions in the RTL that are not among those of the circuit: concurrent, or not for synthesis."""
    found = []
    for path in design.sources():
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            match = _STATEMENT.search(line.partition("//")[0])
            if match is None:
                continue
            marks = [f"{path.name}:{number}.", *([match[1]] if match[1] else [])]
            if not any(mark in name for mark in marks for name in own.values()):
                found.append(f"{path.name}:{number}")
    return found


def memory_bits(flat: str) -> int:
    """Bits of the memories of a flat design, which Yosys has collected."""
    return sum(_number(cell, "SIZE") * _number(cell, "WIDTH") for cell in _MEMORY.findall(flat))


def _number(cell: str, parameter: str) -> int:
    found = re.search(_NUMBER.format(parameter), cell, re.MULTILINE)
    return int(found[1]) if found else 0


def _flattened(
    tool: Yosys, design: Design, commands: Path, folder: Path, tell: Callable[[str], None]
) -> tuple[Path, int]:
    """The flat design with its harness, which a command file reads, as Yosys keeps it, and the bits of its memories."""
    flat = folder / "flat.il"
    script = [*(one.format(top=TOP) for one in _PREPARE), f"write_rtlil {tool.place(flat)}"]
    read = f"read_slang -f {tool.place(commands)}"
    try:
        run_step(tool, [read, *script], design, folder, tell)
    except ToolError as error:
        if _CONCURRENT not in str(error):
            raise
        # What is left out is named by dropped_assertions().
        run_step(tool, [f"{read} --ignore-assertions", *script], design, folder, tell)
    memories = _MEMORY.findall(flat.read_text())
    bits = memory_bits(flat.read_text())
    few: list[str] = []
    if bits > MOST_BITS:
        if any(not _UNSET.search(cell) for cell in memories):
            raise UsageError(
                f"{design.name} has {bits} bits of memory, some with initial values; a proof takes at most {MOST_BITS} such. "
                "Give smaller parameters, by --set of a design or -G of RTL"
            )
        rules = folder / _FEW_WORDS.name
        rules.write_text(_FEW_WORDS.read_text())
        few = [f"techmap -autoproc -map {tool.place(rules)} t:$mem_v2", "opt -fast"]
    script = [f"read_rtlil {tool.place(flat)}", f"hierarchy -top {TOP}", *few, *FLIP_FLOPS]
    run_step(tool, [*script, f"write_rtlil {tool.place(flat)}"], design, folder, tell)
    _limited(flat)
    return flat, bits


def _limited(flat: Path) -> None:
    """Let what the rules for large memories assume decide which traces are looked at: :data:`BEYOND` is high in others."""
    text = flat.read_text()
    limits = _ASSUME.findall(text)
    more = [f"  wire \\beyond_{n}" for n in range(len(limits))]
    for n, (_, holds, enabled) in enumerate(limits):
        more += [f"  cell $_ANDNOT_ \\beyond_cell_{n}", f"    connect \\A {enabled}", f"    connect \\B {holds}"]
        more += [f"    connect \\Y \\beyond_{n}", "  end"]
    text = re.sub(rf"^  wire input \d+ \\{BEYOND}$", rf"  wire \\{BEYOND}", _ASSUME.sub("", text), flags=re.MULTILINE)
    if limits:
        together = " ".join(f"\\beyond_{n}" for n in range(len(limits)))
        more += [
            "  cell $reduce_or \\beyond_any",
            "    parameter \\A_SIGNED 0",
            f"    parameter \\A_WIDTH {len(limits)}",
        ]
        more += [
            "    parameter \\Y_WIDTH 1",
            f"    connect \\A {{ {together} }}",
            f"    connect \\Y \\{BEYOND}",
            "  end",
        ]
    else:
        more.append(f"  connect \\{BEYOND} 1'0")
    end = text.rindex("\nend\n") + 1
    flat.write_text(text[:end] + "\n".join([*more, ""]) + text[end:])


def read_circuit(
    tool: Yosys, script: Sequence[str], design: Design, folder: Path, tell: Callable[[str], None]
) -> Circuit:
    """The circuit of a design of one clock, whose gates a script makes.

    Raises:
        UsageError: it has latches, or flip-flops of another clock or edge.
    """
    aig, names, clocks = folder / "whole.aig", folder / "whole.map", folder / "clocks.txt"
    clock = design.clocks[0].name
    more = [
        "select -set clocked t:$_DFF_P_",
        f"select -set right w:{clock} %co1:+[C] @clocked %i",
        f"tee -q -o {tool.place(clocks)} select -list t:$_DFF_N_ t:*LATCH* @clocked @right %d",
        f"write_aiger -zinit -map {tool.place(names)} {tool.place(aig)}",
    ]
    run_step(tool, [*script, *more], design, folder, tell)
    if other := [line for line in clocks.read_text().splitlines() if "/" in line]:
        raise UsageError(
            f"{design.name}: {len(other)} flip-flops or latches do not follow the rising edge of {clock} "
            f"(such as {other[0].partition('/')[2]}); a proof takes designs of one clock and edge"
        )
    return read_aiger(aig, names)


def run_step(tool: Yosys, script: Sequence[str], design: Design, folder: Path, tell: Callable[[str], None]) -> None:
    """Run a script on a design, and raise what Yosys says if it fails."""
    log = folder / LOG
    if code := run_yosys(tool.within(PREPARE_S), script, log, lambda step: tell(f"preparing {design.name}: {step}")):
        raise broken(design.name, log, code)


_ASSERT = re.compile(
    r"((?:^  attribute \S+ .*\n)*)^  cell \$assert (\S+)\n(?:    parameter .*\n)*"
    r"    connect \\A (.+)\n    connect \\EN (.+)\n  end\n",
    re.MULTILINE,
)
_ASSUME = re.compile(_ASSERT.pattern.replace("assert", "assume").replace("((?:^", "(?:(?:^", 1), re.MULTILINE)
_UNSET = re.compile(r"parameter \\INIT (?:\d+'x+|x+)$", re.MULTILINE)
_SOURCE = re.compile(r'\\src "([^"|]+)')


def _assertions_as_outputs(flat: Path) -> dict[str, str]:
    """Make each assertion an output that is high where it fails, and one where it is judged; what they are called."""
    text, found = flat.read_text(), dict[str, str]()

    def changed(match: re.Match[str]) -> str:
        output = f"own_{len(found)}"
        place = _SOURCE.search(match[1])
        found[output] = _assertion_name(match[2], place[1] if place else "")
        hit = output.replace("own_", OWN_HIT)
        return (
            f"  wire output {100000 + 2 * len(found)} \\{output}\n"
            f"  wire output {100001 + 2 * len(found)} \\{hit}\n  connect \\{hit} {match[4]}\n"
            f"  cell $_ANDNOT_ {match[2]}\n    connect \\A {match[4]}\n    connect \\B {match[3]}\n"
            f"    connect \\Y \\{output}\n  end\n"
        )

    flat.write_text(_ASSERT.sub(changed, text))
    return found


def _assertion_name(cell: str, place: str) -> str:
    """What a message calls an assertion: its name if it has one, else where it stands."""
    name = cell.lstrip("\\$").removeprefix("flatten").lstrip("\\").removeprefix("bench.dut.")
    file, _, rest = place.rpartition("/")
    where = rest or file
    return f"{name} ({where})" if "$" not in name and where else where or name


def ask_abc(
    tool: Yosys, circuit: Circuit, groups: Sequence[Sequence[int]], commands: str, folder: Path, limit_s: float
) -> list[Answer]:
    """Let ABC look for cycles in which outputs are high, for one group of outputs after the other.

    Args:
        tool: has ABC.
        circuit: the circuit.
        groups: of each, one output that is high is enough.
        commands: ABC's, for each group: ``bmc3 -F 20 -T 5``, ``pdr -T 5``.
        folder: for files.
        limit_s: processor seconds of all; whatever is not known by then stays open.
    """
    for old in (*folder.glob("ask-*.status"), *folder.glob("ask-*.cex")):
        old.unlink()
    lines = []
    for number, outputs in enumerate(groups):
        aig, status, trace = (folder / f"ask-{number}.{end}" for end in ("aig", "status", "cex"))
        aig.write_bytes(circuit.chosen(outputs))
        lines += [f"read_aiger {tool.place(aig)}", commands]
        lines += [f"write_status {tool.place(status)}", f"write_cex -a {tool.place(trace)}"]
    run_abc(tool, lines, folder, limit_s)
    return [_answer(folder / f"ask-{n}.status", folder / f"ask-{n}.cex") for n in range(len(groups))]


def run_abc(tool: Yosys, commands: Sequence[str], folder: Path, limit_s: float) -> None:
    """Let ABC do commands; what it has come to is in the files that they write, whatever ends it.

    Args:
        tool: has ABC.
        commands: a line each.
        folder: for files.
        limit_s: processor seconds.
    """
    script = folder / "ask.abc"
    script.write_text("\n".join([*commands, ""]))
    # Where ABC is linked in, it ends Yosys with it.
    run_yosys(tool.within(int(limit_s) + 5), [*_DUMMY, f"abc -script {tool.place(script)}"], folder / "ask.log")


def _answer(status: Path, trace: Path) -> Answer:
    match = _STATUS.match(status.read_text()) if status.is_file() else None
    if match is None:
        return Answer()
    word, frames = match[1], max(0, int(match[2]))
    if word == "UNSAT":
        return Answer(proven=True, frames=frames)
    if word != "SAT" or match[3] is None:
        return Answer(frames=frames)
    rows = (
        [line for line in trace.read_text().splitlines() if line and not line.startswith("#")]
        if trace.is_file()
        else []
    )
    return Answer(found=True, output=int(match[3]), cycle=int(match[4]), frames=frames, inputs=tuple(rows[1:]))


class Stopwatch:
    """Processor seconds of a budget that are left, tools included: what is proven does not depend on what else is running."""

    def __init__(self, budget_s: float) -> None:
        self._end = _processor_s() + budget_s

    @property
    def left(self) -> float:
        """At least 0."""
        return max(0.0, self._end - _processor_s())


def _processor_s() -> float:
    return sum(os.times()[:4])
