# SPDX-License-Identifier: Apache-2.0
"""From a design to what is proven of it: the harness, a random simulation, bounded model checking, induction."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from goldbeat.pymodels.stimulus import Stimulus
from goldbeat.tb.build.yosys import Yosys
from goldbeat.tb.design.design import Design
from goldbeat.tb.prove.aiger import Circuit
from goldbeat.tb.prove.engine import (
    OWN_HIT,
    Answer,
    Stopwatch,
    ask_abc,
    dropped_assertions,
    make_circuit,
    unseen_places,
)
from goldbeat.tb.prove.harness import ProofHarness, make_proof
from goldbeat.tb.prove.lemmas import LANES, proven_by_lemmas
from goldbeat.tb.prove.sheet import CAPACITY, RESET_CYCLES, Property

Status = Literal["proven", "bounded", "refuted", "undecided", "vacuous"]
_LANES = 256
_SIMULATED, _LEAST_SIMULATED, _GATES, _TURN, _REST = 400, 16, 6_000_000, 100, 30
"""Most and least cycles of a random simulation; in between, gates times cycles are at most so many. Cycles of one pace, and
those at its end in which nothing is asked for."""
_REQUESTS = ("awvalid_free", "arvalid_free", "tvalid_free", "psel_free", "stb_free")
_ADDRESSES, _NEAR = ("_address_free", "tracked_at_any", "addr_free", "_word_any"), 4
"""Ends of the names of inputs that are addresses, and their bits that are random in all lanes of a random simulation but one."""
_SAMPLE = 3
"""Bits of a wide property that are tried before all others."""
_PHASES = ((0.1, 2), (0.4, 15))
"""Of each: share of the budget for traces of few cycles, then seconds for the induction of one bit."""
_TOGETHER = 16
"""Bits that are proven by one process."""
_SHORTEN_S = 5.0
_MOST_REFUTED = 8
"""Properties with a counterexample, behind which no further one is looked for."""


@dataclass
class ClaimVerdict:
    """What is known of a property.

    Attributes:
        claim: the property.
        outputs: of the circuit, that are high where it is broken.
        occurs: output that is high where it is put to the test; None: it always is.
        status: ``bounded``: no trace of :attr:`cycles` cycles breaks it.
        cycles: behind the reset; of a refuted one, the cycle that breaks it.
        seconds: of its proof by itself.
        inputs: the circuit's inputs in each cycle of the trace that breaks it.
        longer: likewise, of a longer trace that rests less on what registers hold at first; empty: there is none.
        reached: it was put to the test in some trace.
        note: why it is not proven, or what the proof rests on.
        open: outputs that are not proven to stay low; of a refuted one, that which is high.
        shortest: no shorter trace breaks it.
    """

    claim: Property
    outputs: tuple[int, ...]
    occurs: int | None
    status: Status = "undecided"
    cycles: int = 0
    seconds: float = 0.0
    inputs: tuple[str, ...] = ()
    longer: tuple[str, ...] = ()
    reached: bool = False
    note: str = ""
    open: list[int] = field(default_factory=list)
    shortest: bool = False

    def __post_init__(self) -> None:
        self.open = list(self.outputs)


@dataclass
class Proof:
    """A design's proof as far as it has come.

    Attributes:
        harness, circuit: what it is about.
        verdicts: one per property.
        flip_flops: of the design, with those of the bench's side.
        seconds: wall time.
        followed: it was tried what follows from where the followed beats are.
    """

    harness: ProofHarness
    circuit: Circuit
    verdicts: list[ClaimVerdict] = field(default_factory=list)
    flip_flops: int = 0
    seconds: float = 0.0
    followed: bool = False


def prove(
    tool: Yosys,
    design: Design,
    params: Mapping[str, Any],
    model: str,
    stimuli: Sequence[Stimulus],
    folder: Path,
    *,
    budget_s: float,
    depth: int,
    within: int,
    free: Mapping[str, int] = {},
    confirmed: Callable[[Proof], bool] = lambda proof: True,
    tell: Callable[[str], None] = lambda text: None,
) -> Proof:
    """Prove or refute what can be claimed of a design.

    Args:
        tool: Yosys with ABC.
        design: its description.
        params: values of its parameters.
        model: ready-made model of its streams; empty: none.
        stimuli: of its cases.
        folder: for files.
        budget_s: seconds for all properties together, the circuit left out.
        depth: most cycles of bounded model checking, behind the reset.
        within: cycles in which something has to move.
        free: inputs that may have any value in every cycle, and their widths.
        confirmed: whether something that is refuted so far is a fault, which ends the search.
        tell: is told what is going on.
    """
    began = time.monotonic()
    harness = make_proof(design, params, model, stimuli, within, {}, free)
    circuit, own = make_circuit(tool, design, params, harness, folder, tell)
    fitted = {name: (most + 1).bit_length() for name, most in _highest(circuit, harness).items()}
    if any(width < harness.sheet.counters[name] for name, width in fitted.items()):
        harness = make_proof(design, params, model, stimuli, within, fitted, free)
        circuit, own = make_circuit(tool, design, params, harness, folder, tell)
    _name_unread(design, harness, own)
    proof = Proof(harness, circuit, list(_claims(circuit, harness, own)), len(circuit.latches))
    watch = Stopwatch(budget_s)
    _simulate(proof)
    _shorten(tool, proof, folder, watch)
    for share, each_s in _PHASES:
        tell("bounded model checking")
        _bounded(tool, proof, folder, Stopwatch(min(watch.left, share * budget_s)), depth)
        if _refuted(proof) and confirmed(proof):
            # The first failures end the search, as in a simulation.
            break
        _reach(tool, proof, folder, watch, depth)
        tell("induction")
        _induction(tool, proof, folder, watch, each_s)
    _reach(tool, proof, folder, watch, depth)
    for one in proof.verdicts:
        if not one.reached and one.status in ("proven", "bounded"):
            one.status, one.note = "vacuous", "nothing that was tried puts it to the test"
    _rest_on_capacity(proof)
    proof.verdicts += _structural(circuit, harness, design, params)
    proof.seconds = time.monotonic() - began
    return proof


def _refuted(proof: Proof) -> bool:
    return any(one.status == "refuted" and not one.claim.name.startswith(CAPACITY) for one in proof.verdicts)


def _name_unread(design: Design, harness: ProofHarness, own: Mapping[str, str]) -> None:
    """Note what of the RTL Yosys does not read, or reads otherwise than the simulator."""
    if lost := dropped_assertions(design, own):
        why = "concurrent, or not for synthesis: Yosys does not read them"
        harness.sheet.unproven["assertions " + ", ".join(lost)] = why
    if places := unseen_places(design):
        why = "a proof takes it as synthesis does, and the simulator does not"
        harness.sheet.unproven["RTL beside " + ", ".join(places)] = why


def _claims(circuit: Circuit, harness: ProofHarness, own: Mapping[str, str]) -> Iterator[ClaimVerdict]:
    bad, hit, mine, judged = (circuit.numbers(prefix) for prefix in ("bad_", "hit_", "own_", OWN_HIT))
    for number, claim in enumerate(harness.properties):
        occurs = hit[f"hit_{number}"][0] if claim.occurs else None
        yield ClaimVerdict(claim, tuple(bad[f"bad_{number}"]), occurs, reached=occurs is None)
    for output, name in own.items():
        claim = Property(f"rtl_assertion {name}", f"the assertion {name} holds", "")
        yield ClaimVerdict(claim, tuple(mine[output]), judged[output.replace("own_", OWN_HIT)][0], reached=False)


# -- simulation -------------------------------------------------------------------------------------------------------


def random_inputs(circuit: Circuit, lanes: int, cycles: int, seed: int = 1) -> Iterator[list[int]]:
    """Inputs that reach much: of handshakes, some lanes are busy, some idle, some always ready.

    At the end of each turn half of the lanes ask for nothing more, and all that is open may end: what is stuck is seen then.
    """
    draw = random.Random(seed)
    names = [circuit.input_names.get(n, ("", 0))[0] for n in range(circuit.input_count)]
    shakes = [n for n, name in enumerate(names) if name.endswith(("valid_free", "ready_free"))]
    asking = [n for n, name in enumerate(names) if name.endswith(_REQUESTS)]
    resting = sum(2 << n for n in range(0, lanes, 2))
    # Accesses of few places meet.
    few = [n for n, name in enumerate(names) if name.endswith(_ADDRESSES) and circuit.input_names[n][1] >= _NEAR]
    # The lanes in which each of some handshakes is of each kind: all pairs of kinds occur.
    kinds = [[sum(1 << n for n in range(lanes) if n >> 2 * at & 3 == k) for k in range(4)] for at in range(3)]
    ones = (1 << lanes) - 1
    for cycle in range(cycles):
        row = [draw.getrandbits(lanes) for _ in names]
        for at, n in enumerate(shakes):
            more, less = row[n] | draw.getrandbits(lanes), row[n] & draw.getrandbits(lanes) & draw.getrandbits(lanes)
            # What was filled is emptied later.
            turn = cycle // _TURN % 4
            of = kinds[at % 3][turn:] + kinds[at % 3][:turn]
            row[n] = row[n] & of[0] | more & of[1] | less & of[2] | ones & of[3]
        for n in few:
            row[n] &= 1
        if cycle % _TURN >= _TURN - _REST:
            for n in shakes:
                row[n] |= resting
            for n in asking:
                row[n] &= ~resting
        yield row


def _cycles(circuit: Circuit) -> int:
    return max(_LEAST_SIMULATED, min(_SIMULATED, _GATES // max(1, circuit.head[4])))


def _highest(circuit: Circuit, harness: ProofHarness) -> dict[str, int]:
    """The highest value that each counter reaches in a random simulation."""
    if not harness.sheet.counters:
        return {}
    shown = circuit.numbers("see_")
    places = {name: shown[f"see_{n}"] for n, name in enumerate(harness.seen) if name in harness.sheet.counters}
    found = dict.fromkeys(places, 0)
    for row in circuit.simulate(random_inputs(circuit, _LANES, _cycles(circuit)), _LANES):
        for name, bits in places.items():
            possible = (1 << _LANES) - 1
            value = 0
            for n in reversed(range(len(bits))):
                if high := possible & row[bits[n]]:
                    possible, value = high, value | 1 << n
            found[name] = max(found[name], value)
    return found


def _simulate(proof: Proof) -> None:
    """Note which properties a random simulation puts to the test, and which it breaks."""
    given: list[list[int]] = []

    def recorded() -> Iterator[list[int]]:
        for row in random_inputs(proof.circuit, _LANES, _cycles(proof.circuit)):
            given.append(row)
            yield row

    for cycle, row in enumerate(proof.circuit.simulate(recorded(), _LANES)):
        for one in proof.verdicts:
            one.reached |= one.occurs is not None and row[one.occurs] != 0
            broken = next((output for output in one.outputs if row[output]), None)
            if broken is not None and one.status != "refuted":
                lane = (row[broken] & -row[broken]).bit_length() - 1
                one.status, one.cycles, one.open = "refuted", cycle - RESET_CYCLES, [broken]
                one.inputs = tuple("".join(str(bit >> lane & 1) for bit in earlier) for earlier in given)


def _shorten(tool: Yosys, proof: Proof, folder: Path, watch: Stopwatch) -> None:
    """Look for the shortest traces that do what those of the random simulation do."""
    for one in [one for one in proof.verdicts if one.status == "refuted"][:_MOST_REFUTED]:
        limit = min(_SHORTEN_S, watch.left)
        answer = _ask(tool, proof, one.open, f"bmc3 -F {one.cycles + RESET_CYCLES}", folder, limit)
        if answer.found:
            one.longer = one.inputs
            one.cycles, one.inputs, one.shortest = answer.cycle - RESET_CYCLES, answer.inputs, True


# -- bounded model checking -------------------------------------------------------------------------------------------


def _bounded(tool: Yosys, proof: Proof, folder: Path, watch: Stopwatch, depth: int) -> None:
    """Look for traces that break something, shortest first; of wide properties, some bits stand for all."""
    open_ = [one for one in proof.verdicts if one.status in ("undecided", "bounded")]
    known = min((one.cycles + RESET_CYCLES for one in open_ if one.status == "bounded"), default=0)
    samples = [(one, output) for one in open_ for output in _sample(one.outputs)]
    frames = _search(tool, proof, folder, samples, watch, depth, known)
    for one in open_:
        if one.status != "refuted" and frames > RESET_CYCLES:
            one.status, one.cycles = "bounded", max(one.cycles, frames - RESET_CYCLES)
            if len(one.outputs) > _SAMPLE:
                one.note = f"so far as {_SAMPLE} of {len(one.outputs)} bits go"


def _sample(outputs: Sequence[int]) -> tuple[int, ...]:
    if len(outputs) <= _SAMPLE:
        return tuple(outputs)
    return outputs[0], outputs[len(outputs) // 2], outputs[-1]


def _search(
    tool: Yosys,
    proof: Proof,
    folder: Path,
    claims: list[tuple[ClaimVerdict, int]],
    watch: Stopwatch,
    depth: int,
    frames: int,
) -> int:
    """Refute what can be; the cycles that nothing that is left breaks, of which some are known to be."""
    while claims and watch.left > 1:
        outputs = [output for _, output in claims]
        answer = _ask(tool, proof, outputs, f"bmc3 -F {depth + RESET_CYCLES} -S {frames}", folder, watch.left)
        if not answer.found:
            return max(frames, answer.frames)
        broken = claims[answer.output][0]
        broken.status, broken.cycles = "refuted", answer.cycle - RESET_CYCLES
        broken.inputs, broken.reached, broken.shortest = answer.inputs, True, True
        frames = answer.cycle
        claims = [(one, output) for one, output in claims if one is not broken]
        if sum(one.status == "refuted" for one in proof.verdicts) >= _MOST_REFUTED:
            break
    return frames


def _ask(tool: Yosys, proof: Proof, outputs: Sequence[int], commands: str, folder: Path, limit_s: float) -> Answer:
    seconds = max(1, int(limit_s))
    return ask_abc(tool, proof.circuit, [outputs], f"{commands} -T {seconds}", folder, seconds)[0]


def _reach(tool: Yosys, proof: Proof, folder: Path, watch: Stopwatch, depth: int) -> None:
    """Look for traces that put to the test what a random simulation has not."""
    for one in proof.verdicts:
        if not one.reached and one.occurs is not None and watch.left > 1:
            answer = _ask(tool, proof, [one.occurs], f"bmc3 -F {depth + RESET_CYCLES}", folder, min(5.0, watch.left))
            one.reached = answer.found


# -- induction --------------------------------------------------------------------------------------------------------


def _induction(tool: Yosys, proof: Proof, folder: Path, watch: Stopwatch, each_s: float) -> None:
    """Prove for ever what can be, narrow properties first; a wide one whose first bit does not come is left."""
    left = [one for one in proof.verdicts if one.status in ("undecided", "bounded")]
    first = [(one, one.open[0]) for one in left]
    _prove_bits(tool, proof, folder, watch, each_s, first)
    if not proof.followed:
        proof.followed = True
        _by_lemmas(tool, proof, folder, watch)
    others = [(one, bit) for one in left if one.open and len(one.open) < len(one.outputs) for bit in one.open]
    _prove_bits(tool, proof, folder, watch, each_s, others)
    for one in left:
        if not one.open and one.status != "refuted":
            one.status, one.note = "proven", ""


def _by_lemmas(tool: Yosys, proof: Proof, folder: Path, watch: Stopwatch) -> None:
    """Prove what follows from where the followed beats are: the order of queues, above all."""
    hidden = {f"see_{n}": name for n, name in enumerate(proof.harness.seen)}
    for followed in proof.harness.sheet.followed:
        left = [one for one in proof.verdicts if one.status in ("undecided", "bounded")]
        outputs = [output for one in left for output in one.open]
        # Where the first bit has come by itself, the others do, too.
        if not any(one.claim.name.startswith("order ") and len(one.open) == len(one.outputs) for one in left):
            return
        began = time.monotonic()
        inputs = random_inputs(proof.circuit, LANES, _cycles(proof.circuit))
        proven = proven_by_lemmas(tool, proof.circuit, hidden, followed, outputs, inputs, folder, watch)
        for one in left:
            if set(one.open) <= proven:
                one.status, one.note = "proven", ""
                one.seconds += time.monotonic() - began
            one.open = [output for output in one.open if output not in proven]


def _prove_bits(
    tool: Yosys, proof: Proof, folder: Path, watch: Stopwatch, each_s: float, bits: Sequence[tuple[ClaimVerdict, int]]
) -> None:
    # Starting Yosys takes longer than most proofs: many go together.
    for at in range(0, len(bits), _TOGETHER):
        some = [(one, bit) for one, bit in bits[at : at + _TOGETHER] if one.status != "refuted"]
        if watch.left < 1 or not some:
            return
        began = time.monotonic()
        each = max(1, int(min(each_s, watch.left / len(some))))
        commands = f"dc2; pdr -T {each}"
        limit_s = min(watch.left, each * len(some))
        answers = ask_abc(tool, proof.circuit, [[bit] for _, bit in some], commands, folder, limit_s)
        if odd := [n for n, one in enumerate(answers) if one == Answer()]:
            # It does not decide what hangs on no flip-flop.
            for n, answer in zip(
                odd, ask_abc(tool, proof.circuit, [[some[n][1]] for n in odd], "ind -F 2", folder, 10), strict=True
            ):
                answers[n] = answer if answer.proven else Answer()
        seconds = (time.monotonic() - began) / len(some)
        for (one, bit), answer in zip(some, answers, strict=True):
            one.seconds += seconds
            if answer.proven:
                one.open.remove(bit)
            elif answer.found:
                one.status, one.cycles, one.inputs = "refuted", answer.cycle - RESET_CYCLES, answer.inputs


def _structural(
    circuit: Circuit, harness: ProofHarness, design: Design, params: Mapping[str, Any]
) -> Iterator[ClaimVerdict]:
    """That no output of a bus follows an input of it within a cycle: no gates lead from one to the other."""
    shown = circuit.numbers("see_")
    places = {name: shown[f"see_{n}"] for n, name in enumerate(harness.seen)}
    for port in (*design.register_ports(params), *design.memory_ports(params)):
        for rule, _, outputs in port.paths():
            own = {n for n, (name, _) in circuit.input_names.items() if name.startswith(f"{port.name}_")}
            wrong = [role for role in outputs for bit in places[f"{port.name}_{role}"] if circuit.support(bit) & own]
            claim = Property(f"{rule} {port.name}", "no output of the bus follows an input of it within a cycle", "")
            note = f"gates lead from inputs to {wrong[0]}; simulation tries whether it follows them" if wrong else ""
            yield ClaimVerdict(claim, (), None, "undecided" if wrong else "proven", reached=True, note=note)


def _rest_on_capacity(proof: Proof) -> None:
    """What is proven by a counter that may run over is proven as far as the counter reaches."""
    for capacity in proof.verdicts:
        if not capacity.claim.name.startswith(CAPACITY) or capacity.status == "proven":
            continue
        place = capacity.claim.name.removeprefix(CAPACITY).strip()
        for one in proof.verdicts:
            if (
                one is not capacity
                and one.claim.counted
                and one.claim.name.endswith(f" {place}")
                and one.status == "proven"
            ):
                one.status, one.cycles = "bounded", max(1, capacity.cycles)
                one.note = f"proven as long as {capacity.claim.text}"
