# SPDX-License-Identifier: Apache-2.0
"""Which claims about signals of a design no input can break, after its reset: proven on the circuit that Yosys makes.

All inputs are free in every cycle; the reset is held at first, and then comes and goes. So what is proven here holds for any
bench. What memories hold is free too where they are large.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from goldbeat.pymodels.errors import ToolError, UsageError
from goldbeat.tb.build.harness import TOP, make_harness
from goldbeat.tb.build.yosys import Yosys, broken, run_yosys
from goldbeat.tb.design.design import Design
from goldbeat.tb.obligations.claims import Claim, claims_of
from goldbeat.tb.obligations.obligation import Obligation
from goldbeat.tb.prove.aiger import Circuit, read_aiger
from goldbeat.tb.prove.engine import (
    FLIP_FLOPS,
    GATES,
    LOG,
    MOST_BITS,
    PREPARE_S,
    Stopwatch,
    ask_abc,
    memory_bits,
    read_circuit,
    run_abc,
    unseen_places,
)
from goldbeat.tb.prove.gates import masked_outputs
from goldbeat.tb.prove.proof import random_inputs
from goldbeat.tb.prove.sheet import RESET_CYCLES
from goldbeat.tb.synth.sources import command_file

UNREACHABLE = "proven: no input and no reset brings it about"
"""Why what cannot be reached is waived."""
FOLLOWS = "proven: only what the description waives brings it about"
"""Why what nothing reaches as long as nothing happens that the description waives is waived too."""
_WATCH = "goldbeat_claims"
_PROBLEM = re.compile(r"claims\.sv:(\d+)(?::\d+)?: (?:error|ERROR):")
_PORT = re.compile(r'^  "name": "p_(\d+)"', re.MULTILINE)
"""What the reader says of a port whose expression some instance of the module does not have."""
_MOST_TRIES = 8
_LANES = 128
_SIMULATED, _GATE_CYCLES = 300, 8_000_000
"""Cycles of the random simulation, and gates times cycles that it takes at most."""
_PREPARED = (
    # A loop variable that is watched has no driver; loops and several drivers are errors.
    *(
        "hierarchy -top {top}",
        "proc",
        "flatten",
        "opt_expr",
        "opt_clean",
        "setundef -undriven -anyseq",
        "check -assert",
    ),
    *("delete t:$check t:$print t:$assert t:$assume t:$cover", "async2sync", "memory_collect"),
)
_RESET = """module goldbeat_release(input clock, input again, output live, output resetn);
  reg released = 1'b0;
  always @(posedge clock) released <= 1'b1;
  assign live = released;
  assign resetn = released & ~again;
endmodule
"""
"""The reset is held as long as a flip-flop is held at 0; afterwards it comes and goes."""
_WAIVED = """module goldbeat_waived(input clock, input live, input [{last}:0] bits, output off);
  reg [{last}:0] before;
  reg past = 1'b0;
  wire [{last}:0] high = {ones}, low = {zeros}, kept = {changes};
  wire now = live & |((high & bits) | (low & ~bits) | (kept & (bits ^ before)));
  always @(posedge clock) begin
    before <= bits;
    past <= live & (past | now);
  end
  assign off = now | past;
endmodule
"""
"""``off`` is high as soon as something has happened that is waived."""
_RESETS = (RESET_CYCLES, 2 * RESET_CYCLES)
"""Least and most cycles of the reset; what holds between them holds after any number, in practice."""
_WIRE = re.compile(r"^  wire (.*?)(\\\S+)$", re.MULTILINE)
_ROLE = re.compile(r"\b(input|output|inout) \d+ ")
_WATCHED = re.compile(rf"\.{_WATCH}\.p_(\d+)$")
_NEVER = {"true": (0,), "false": (1,), "change": (0, 1)}
"""Of a watched bit, the outputs that say so: one of them is never high."""
_PORTS = 100_000
"""Number of the first port that is added."""
_REDUCE = ("&scl", "&lcorr", "&scorr")
_WITNESSES = 64
"""Bits that runs have seen change, and that a proof may not call constant, at most."""
_PROVE_S = (2, 1)
"""Seconds of an induction over the bits of a signal together, and over each by itself."""


@dataclass(frozen=True)
class ProofAnswer:
    """What proofs say of obligations of kind ``values``.

    Attributes:
        obligations: all, in the same order; what cannot be reached is waived with :data:`UNREACHABLE`.
        asked: open ones of this kind.
        closed: of these, what cannot be reached.
        following: of these, what nothing reaches but something that the description waives.
    """

    obligations: list[Obligation]
    asked: int
    closed: int
    following: int

    def as_dict(self) -> dict[str, int]:
        """For JSON."""
        return {"asked": self.asked, "unreachable": self.closed, "following": self.following}


def without_unreachable(
    tool: Yosys,
    design: Design,
    params: Sequence[Mapping[str, Any]],
    obligations: Sequence[Obligation],
    folder: Path,
    *,
    budget_s: float,
    tell: Callable[[str], None] = lambda text: None,
) -> ProofAnswer:
    """Close the open obligations of the RTL's text that nothing can meet.

    Args:
        tool: Yosys with ABC.
        design: its description.
        params: the sets of parameter values that were run: what is closed cannot be reached with any.
        obligations: merged ones.
        folder: for files.
        budget_s: seconds of the proofs of each set, the circuits left out.
        tell: is told what is going on.

    Raises:
        ToolError: Yosys cannot read the design.
        UsageError: the design has several clocks, latches, flip-flops of another edge, or RTL that differs for synthesis.
    """
    left = {one.key for one in obligations if one.open and one.kind == "values"}
    asked, alone = len(left), set(left)
    waived, happened = _waived_bits(obligations, design), _changed_bits(obligations)
    for number, values in enumerate(params):
        claims = claims_of([one for one in obligations if one.key in left], design, values)
        if not claims:
            left = set()
            break
        place = folder / str(number)
        place.mkdir(parents=True, exist_ok=True)
        given, shown = (_each(claims_of(some, design, values)) for some in (waived, happened))
        found, more = unreachable(
            tool, design, values, _each(claims), place, given=given, shown=shown, budget_s=budget_s, tell=tell
        )
        left = {key for key, some in claims.items() if found.union(more).issuperset(some)}
        alone &= {key for key, some in claims.items() if found.issuperset(some)}
    reasons = {key: UNREACHABLE if key in alone else FOLLOWS for key in left}
    closed = [replace(one, waived=reasons.get(one.key, one.waived)) for one in obligations]
    return ProofAnswer(closed, asked, len(left & alone), len(left - alone))


def _waived_bits(obligations: Sequence[Obligation], design: Design) -> list[Obligation]:
    """Bits that the description waives, of which no run has shown a change."""
    names = (" rises", " falls")
    some = {one.key for one in obligations if not one.met and one.waived in design.obligations.values()}
    return [
        replace(one, waived=None)
        for one in obligations
        # Of conditions, an obligation says less than what is claimed: it counts only while the RTL asks.
        if one.what.endswith(names) and some.issuperset(one.key.removesuffix(one.what[-6:]) + name for name in names)
    ]


def _changed_bits(obligations: Sequence[Obligation]) -> list[Obligation]:
    """Some bits that runs have seen change, as open ones."""
    some = [one for one in obligations if one.met and one.kind == "values" and one.what.endswith((" rises", " falls"))]
    return [replace(one, met=False, waived=None) for one in some[:: len(some) // _WITNESSES + 1]]


def _each(claims: Mapping[str, Sequence[Claim]]) -> list[Claim]:
    """All of them, each once."""
    return [*dict.fromkeys(claim for some in claims.values() for claim in some)]


def unreachable(
    tool: Yosys,
    design: Design,
    params: Mapping[str, Any],
    claims: Sequence[Claim],
    folder: Path,
    *,
    given: Sequence[Claim] = (),
    shown: Sequence[Claim] = (),
    budget_s: float,
    tell: Callable[[str], None] = lambda text: None,
) -> tuple[set[Claim], set[Claim]]:
    """The claims that hold in all instances of their module, whatever the inputs do, and others that hold as long as some do.

    Args:
        tool: Yosys with ABC.
        design: its description.
        params: values of its parameters.
        claims: what is claimed.
        folder: for files.
        given: the claims that the others may rely on.
        shown: claims that runs have broken: nothing may prove them.
        budget_s: seconds of the proofs, the circuit left out.
        tell: is told what is going on.

    Raises:
        ToolError: Yosys cannot read the design, or the proof contradicts what runs have shown.
        UsageError: the design has several clocks, latches, flip-flops of another edge, or RTL that differs for synthesis;
            ``given`` contradicts what runs have shown.
    """
    wanted = {*claims, *shown}
    assumed = [claim for claim in given if claim not in wanted]
    watched = [*assumed, *dict.fromkeys([*claims, *shown])]
    circuit, bits = _watched_circuit(tool, design, params, watched, len(assumed), folder, tell)
    *found, off = circuit.outputs
    circuit = replace(circuit, outputs=tuple(found))
    # Of each watched bit, the first output is high while it is 1, the second while it is 0.
    asked = {2 * number + at for number, claim in enumerate(bits) for at in _NEVER[claim.never] if claim in wanted}
    watch = Stopwatch(budget_s / 2 if off else budget_s)
    waiting = asked - _seen(circuit)
    tell(f"proving {design.name}: {len(waiting)} of {len(asked)} values were not reached at random")
    alone = _proven(tool, circuit, waiting, bits, folder, watch)
    held = _held(bits, alone) & wanted
    if wrong := held.intersection(shown):
        raise ToolError(f"{design.name}: {_what(wrong)} although a run has seen it change; please report this")
    if not off or held.issuperset(claims):
        return held, set()
    masked = masked_outputs(circuit, off ^ 1)
    waiting = asked - alone - _seen(masked)
    tell(f"proving {design.name}: {len(waiting)} values again, as long as nothing happens that is waived")
    alone |= _proven(tool, masked, waiting, bits, folder, Stopwatch(budget_s / 2))
    more = (_held(bits, alone) & wanted) - held
    if wrong := more.intersection(shown):
        raise UsageError(
            f"{design.name}: as long as nothing happens that is waived, {_what(wrong)}, but it does in runs"
        )
    return held, more


def _watched_circuit(
    tool: Yosys,
    design: Design,
    params: Mapping[str, Any],
    watched: Sequence[Claim],
    given: int,
    folder: Path,
    tell: Callable[[str], None],
) -> tuple[Circuit, list[Claim]]:
    """The circuit with two outputs for each bit that is watched, and one that says that a given claim does not hold."""
    clock = design.clocks[0]
    if len(design.clocks) != 1 or clock.resetn is None:
        raise UsageError(f"{design.name}: what nothing can reach is proven of designs with one clock and a reset")
    if unseen := unseen_places(design):
        raise UsageError(f"{design.name}: {unseen[0]} is other RTL for synthesis than for simulation")
    flat = _flat(tool, design, params, watched, folder, tell)
    text, bits, waiver = _with_outputs(flat.read_text(), clock.resetn, clock.name, watched, given)
    flat.write_text(text)
    return _circuit(tool, design, flat, folder, tell, 2 * len(bits), waiver), bits


def _what(claims: Collection[Claim]) -> str:
    """One of them, in words."""
    one = min(claims, key=lambda claim: (claim.module, claim.expression))
    return f"{one.expression} of {one.module} never changes"


def _held(bits: Sequence[Claim], proven: set[int]) -> set[Claim]:
    """The claims that are proven of each bit that is watched for them."""
    held: dict[Claim, list[bool]] = defaultdict(list)
    for number, claim in enumerate(bits):
        held[claim].append(any(2 * number + at in proven for at in _NEVER[claim.never]))
    return {claim for claim, one in held.items() if all(one)}


def _flat(
    tool: Yosys,
    design: Design,
    params: Mapping[str, Any],
    claims: Sequence[Claim],
    folder: Path,
    tell: Callable[[str], None],
) -> Path:
    """The flat design with what is watched; what cannot be written at the edge of its module is left out."""
    harness, watched, commands, flat = (folder / name for name in ("harness.sv", "claims.sv", "sources.f", "flat.il"))
    harness.write_text(make_harness(design, params))
    commands.write_text(command_file(tool, design, params, folder, top=TOP, more=[harness, watched]))
    script = [f"read_slang -f {tool.place(commands)}", *(one.format(top=TOP) for one in _PREPARED)]
    script.append(f"write_rtlil {tool.place(flat)}")
    left, log = set(range(len(claims))), folder / LOG
    for _ in range(_MOST_TRIES):
        text, lines = _watching(claims, left)
        watched.write_text(text)
        code = run_yosys(tool.within(PREPARE_S), script, log, lambda step: tell(f"preparing {design.name}: {step}"))
        said = log.read_text(errors="replace") if code else ""
        wrong = {lines[int(line) - 1] for line in _PROBLEM.findall(said)} | {int(n) for n in _PORT.findall(said)}
        if not code or not wrong & left:
            break
        left -= wrong
    if code:
        raise broken(design.name, log, code)
    return flat


def _watching(claims: Sequence[Claim], left: Iterable[int]) -> tuple[str, list[int]]:
    """SystemVerilog that brings each expression out of its module, and the claim of each of its lines (-1: none)."""
    modules: dict[str, list[int]] = defaultdict(list)
    for number in sorted(left):
        modules[claims[number].module].append(number)
    lines, owners = [], []
    for module, numbers in modules.items():
        ports = ", ".join(f"(* keep *) input logic p_{n}" for n in numbers)
        lines += [f"module {_WATCH}_{module} ({ports}); endmodule", f"bind {module} {_WATCH}_{module} {_WATCH} ("]
        owners += [-1, -1]
        for n in numbers:
            # A `//` of the RTL must not hide the rest.
            expression = " ".join(claims[n].expression.split())
            lines.append(f"  .p_{n}({expression}){',' if n != numbers[-1] else ''}")
            owners.append(n)
        lines.append(");")
        owners.append(-1)
    return "\n".join([*lines, ""]), owners


def _with_outputs(
    text: str, reset: str, clock: str, claims: Sequence[Claim], given: int
) -> tuple[str, list[Claim], str]:
    """The flat design with two outputs for each bit that is watched, high while it is 1 and while it is 0, and their claims.

    What notices that one of the first claims, which are ``given``, does not hold is the third.
    """
    found: list[Claim] = []
    names: list[tuple[str, Claim]] = []
    cells: list[str] = []

    def changed(match: re.Match[str]) -> str:
        role, name = _ROLE.search(match[1]), match[2]
        width = _ROLE.sub("", match[1])
        if (watched := _WATCHED.search(name)) is not None:
            one, zero = (f"\\goldbeat_{word}_{len(found)}" for word in ("one", "zero"))
            cells.append(f"  wire output {_PORTS + 2 * len(found)} {one}\n  connect {one} {name}")
            cells.append(f"  wire output {_PORTS + 2 * len(found) + 1} {zero}")
            cells.append(f"  cell $_NOT_ $goldbeat$zero{len(found)}\n    connect \\A {name}")
            cells[-1] += f"\n    connect \\Y {zero}\n  end"
            found.append(claims[int(watched[1])])
            if int(watched[1]) < given:
                names.append((name, found[-1]))
        kept = f"{role[0]}" if role is not None and role[1] == "input" and name != f"\\{reset}" else ""
        return f"  wire {width}{kept}{name}"

    begin = text.index(f"\nmodule \\{TOP}\n")
    end = text.index("\nend\n", begin)
    body = _WIRE.sub(changed, text[begin:end])
    live = "  connect \\live \\goldbeat_live\n    connect"
    release = [
        f"  wire output {_PORTS + 2 * len(found)} \\goldbeat_off",
        f"  wire output {_PORTS + 2 * len(found) + 1} \\goldbeat_live\n  wire input {_PORTS - 1} \\goldbeat_again",
        f"  cell \\goldbeat_release \\goldbeat_release\n    connect \\clock \\{clock}",
        f"  {live} \\again \\goldbeat_again\n    connect \\resetn \\{reset}\n  end",
    ]
    if names:
        vector = " ".join(name for name, _ in reversed(names))
        release += [
            f"  cell \\goldbeat_waived \\goldbeat_waived\n    connect \\clock \\{clock}",
            f"  {live} \\bits {{ {vector} }}\n    connect \\off \\goldbeat_off\n  end",
        ]
    else:
        release.append("  connect \\goldbeat_off 1'0")
    text = "\n".join([text[:begin], body.removeprefix("\n"), *cells, *release]) + text[end:]
    return text, found, _waiver([claim for _, claim in names])


def _waiver(claims: Sequence[Claim]) -> str:
    """Verilog that notices when one of them does not hold, lowest bit first; empty: there are none."""
    if not claims:
        return ""
    masks = {
        never: f"{len(claims)}'b" + "".join(str(int(one.never == never)) for one in reversed(claims))
        for never in ("true", "false", "change")
    }
    return _WAIVED.format(last=len(claims) - 1, ones=masks["true"], zeros=masks["false"], changes=masks["change"])


def _circuit(
    tool: Yosys, design: Design, flat: Path, folder: Path, tell: Callable[[str], None], outputs: int, waiver: str
) -> Circuit:
    """The gates of the flat design, in the state behind its reset; its last output is high once something waived has happened."""
    release = folder / "release.v"
    release.write_text(_RESET + waiver)
    # What a large memory holds is anything.
    large = memory_bits(flat.read_text()) > MOST_BITS
    script = [
        f"read_verilog -sv {tool.place(release)}",
        f"read_rtlil {tool.place(flat)}",
        *(f"hierarchy -top {TOP}", "proc", "flatten", "opt_clean"),
        *(["delete t:$mem_v2"] if large else []),
        *_strict((*FLIP_FLOPS, *GATES[:-2], "setundef -anyconst", *GATES[-2:])),
    ]
    circuit = read_circuit(tool, script, design, folder, tell)
    *found, live = circuit.outputs
    latch = (live >> 1) - circuit.head[1] - 1
    if len(found) != outputs + 1 or live & 1 or not 0 <= latch < len(circuit.latches):
        raise ToolError(f"yosys failed on {design.name}: {folder} has {len(found)} outputs, not {outputs}")
    starts = list(circuit.settled(latch, _RESETS))
    starts[latch] = 1
    return replace(circuit, outputs=tuple(found), starts=tuple(starts))


def _strict(steps: Iterable[str]) -> Iterator[str]:
    """The same without what lets a flip-flop start as it likes: one that gets 0 later starts at 1 at times, and falls."""
    for one in steps:
        yield from ("opt_expr", "opt_merge", "opt_clean") if one == "opt -fast" else (one,)


def _seen(circuit: Circuit) -> set[int]:
    """Outputs that are high in a random simulation."""
    cycles = max(24, min(_SIMULATED, _GATE_CYCLES // max(1, circuit.head[4])))
    found: set[int] = set()
    for row in circuit.simulate(random_inputs(circuit, _LANES, cycles), _LANES):
        found |= {number for number, value in enumerate(row) if value}
    return found


def _proven(
    tool: Yosys, circuit: Circuit, waiting: set[int], owners: Sequence[Claim], folder: Path, watch: Stopwatch
) -> set[int]:
    """Outputs that are never high: by equivalent flip-flops first, the others by induction, those of one signal together."""
    order = sorted(waiting)
    reduced = _reduced(tool, replace(circuit, outputs=tuple(circuit.outputs[n] for n in order)), folder, watch.left)
    place = {n: at for at, n in enumerate(order)}
    proven = {n for n in order if reduced.outputs[place[n]] == 0}
    signals: dict[tuple[str, str], list[int]] = defaultdict(list)
    for n in order:
        if n not in proven:
            claim = owners[n // 2]
            signals[claim.module, claim.expression.partition("[")[0]].append(n)
    groups = sorted(signals.values(), key=len)
    for seconds in _PROVE_S:
        asked = [[place[n] for n in group] for group in groups]
        answers = ask_abc(tool, reduced, asked, f"pdr -T {seconds}", folder, watch.left) if asked and watch.left else []
        failed = []
        for group, answer in zip(groups, answers, strict=False):
            if answer.proven:
                proven.update(group)
            elif not answer.found or len(group) > 1:
                failed.append(group)
        groups = [[n] for group in failed for n in group]
    return proven


def _reduced(tool: Yosys, circuit: Circuit, folder: Path, limit_s: float) -> Circuit:
    """The same circuit without flip-flops that are constant or equal to another one."""
    whole, names = folder / "reduce.aig", folder / "no.map"
    whole.write_bytes(circuit.chosen(range(len(circuit.outputs))))
    names.write_text("")
    steps = [(folder / f"reduce-{n}.aig", command) for n, command in enumerate(_REDUCE)]
    for path, _ in steps:
        path.unlink(missing_ok=True)
    lines = [f"&r {tool.place(whole)}"]
    for path, command in steps:
        lines += [command, f"&write {tool.place(path)}"]
    run_abc(tool, lines, folder, limit_s)
    for path, _ in reversed(steps):
        if path.is_file() and len((found := read_aiger(path, names)).outputs) == len(circuit.outputs):
            return found
    return circuit
