# SPDX-License-Identifier: Apache-2.0
"""What ``goldbeat verify`` is given: a design, a description, or RTL, for which it makes a bench."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from inspect import signature
from itertools import permutations
from pathlib import Path
from typing import Any

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.stock_models import READY_MODELS
from goldbeat.tb.build.compiling import Compiled, compile_sources
from goldbeat.tb.cli import probe
from goldbeat.tb.cli.narrower import Narrower
from goldbeat.tb.design.catalog import find_design
from goldbeat.tb.design.filelist import Sources
from goldbeat.tb.design.library import VENDOR
from goldbeat.tb.design.pin_names import enables_all, is_enable, is_reset, rests
from goldbeat.tb.design.ports.avalon_stream import AvalonStreamPort
from goldbeat.tb.design.ports.register import RegisterPort
from goldbeat.tb.design.ports.stream import StreamPort
from goldbeat.tb.design.ports.wishbone import WishbonePort
from goldbeat.tb.design.ports.words import other_units
from goldbeat.tb.design.rules_model import RULES
from goldbeat.tb.design.unchecked import left_out
from goldbeat.tb.paths import build_root, plain_name
from goldbeat.tb.probe.find import Found
from goldbeat.tb.probe.model_guess import guessed_model, no_model, reworked
from goldbeat.tb.probe.names import affinity
from goldbeat.tb.probe.write import MODEL
from goldbeat.tb.run.seal import file_digest

_RTL = (".v", ".sv")
_MADE = ".made"
"""Beside a bench that this command has made: its hash."""
_UNCHECKED, _TRAFFIC = "\n[unchecked]\n", "\n[traffic]\n"
_LATENCIES = (1, 2)
"""Ready latencies of Avalon-ST that are tried where 0 fails."""
_LONE_RULE = "wishbone_answer_without_cyc"
_NO_MAP = (
    f"address map: not found by trial accesses, so model {RULES} in place of interconnect; if the failures do not "
    'say why, write model = "interconnect" and [[address_map]] in a copy of {path}'
)
_NO_MODEL = "the ports suggest none that predicts values ({}), so none are compared; write one with `goldbeat new`"


@dataclass(frozen=True)
class VerifySubject:
    """What to verify.

    Attributes:
        name: of the design, or the path of its description.
        notes: what was guessed, and why.
        doubts: inputs that are tied and may matter, and to what; streams that cannot be held back, and why.
        model: of the bench that was made for it; empty: there is one.
        guessed: nobody has named the model.
        remake: makes the bench again with another model; false: this module cannot have it.
        variants: makes benches with other readings of guesses, for these failures: the description of each, and by port what it
            says if nothing fails with it.
        narrow: makes it again with less traffic, and with attributes that are not compared.
        pace: makes it again for so many cycles per beat.
        constant: outputs that are.
        tied_payload: bundles with signals that are made of an input that nobody has asked to tie, and which.
        unseen: gives inputs that no output depends on.
        stored: words, and bits of one, of each array in RTL.
        rooms: gives words of each of them, where an output waits for TLAST of an input.
        apart: gives slaves whose answers depend on no signal of another one.
        title: of the top module of RTL.
        tied: inputs that the bench holds, although nobody has asked for it, and at what.
        compiled: reads the RTL with these values of parameters in place of those that it has; None: no RTL was given.
        reworked: what the RTL does with words beside storage and selection, where a guessed model says that they only pass.
        far_resets: bundles whose clock has a reset that only flip-flops of other clocks use, and what that means.
    """

    name: str
    notes: list[str] = field(default_factory=list)
    doubts: Mapping[str, str] = field(default_factory=dict)
    model: str = ""
    guessed: bool = False
    remake: Callable[[str], bool] = lambda model: False
    variants: Callable[[Sequence[str]], Iterator[tuple[str, dict[str, str]]]] = lambda failures: iter(())
    narrow: Callable[[Narrower], None] = lambda less: None
    pace: Callable[[int], None] = lambda cycles: None
    constant: Collection[str] = ()
    reworked: str = ""
    far_resets: Mapping[str, str] = field(default_factory=dict)
    tied_payload: Mapping[str, str] = field(default_factory=dict)
    unseen: Callable[[], Collection[str]] = tuple
    stored: Collection[tuple[int, int]] = ()
    rooms: Callable[[], Collection[int]] = tuple
    apart: Callable[[], Collection[str]] = tuple
    title: str = ""
    tied: Mapping[str, int] = field(default_factory=dict)
    compiled: Callable[[Mapping[str, int | str]], Compiled] | None = None

    @property
    def path(self) -> str | None:
        """The file of the description; None for a design of Goldbeat."""
        return self.name if self.name.endswith((".toml", ".py")) else None


def find_subject(given: Mapping[str, Any]) -> VerifySubject:
    """The design or description that is asked for, made now for RTL."""
    words, model, rdl = list(given["subject"] or ()), given["model"], given["rdl"]
    if not _is_rtl(words, given):
        return VerifySubject(words[0])
    sources, found = probe.find_module([Path(word) for word in words], **_taken(probe.find_module, given))
    notes, doubts = list[str](), dict[str, str]()
    guessed, made, paces, wide = model is None and rdl is None, list[str](), list[int](), list[str]()
    if guessed:
        model, said = _guess(found)
        doubts = _tied(found, given["ties"] or ()) | _unheld(found)
        notes.append(said)
    make_as = partial(probe.make_bench, sources=sources, found=found, force=True, err=True)

    def make(folder: Path) -> Path:
        made.append(model or "")
        path = make_as(folder, model=model or MODEL, rdl=rdl)
        if model != "interconnect" or find_design(str(path)).found_ranges:
            return path
        # What accesses do that lead nowhere is worth a verdict, too: protocol rules show what is wrong.
        notes.append(_NO_MAP.format(path=path))
        made.append(RULES)
        return make_as(folder, model=RULES)

    def remake(other: str) -> bool:
        path.unlink(missing_ok=True)
        path.with_suffix(_MADE).unlink(missing_ok=True)
        _bench(given, found.module.title, partial(make_as, model=other))
        made.append(other)
        wide[:] = [path.read_text()]
        write(*wide)
        return other != "interconnect" or bool(find_design(str(path)).found_ranges)

    def variants(failures: Sequence[str]) -> Iterator[tuple[str, dict[str, str]]]:
        make_other = partial(probe.make_bench, sources=sources, rdl=rdl, force=True, err=True)
        models = (model_made, made[-1]) if made else ()
        return _variants(found, failures, models, path.parent.parent, make_other)

    def write(text: str) -> None:
        path.write_text(_paced(text, *paces))
        if (mark := path.with_suffix(_MADE)).is_file():
            mark.write_text(file_digest(path))

    def narrow(less: Narrower) -> None:
        write(_narrowed(wide[0], less))

    def pace(cycles: int) -> None:
        paces[:] = [cycles]
        write(*wide)

    path = _bench(given, found.module.title, make)
    wide.append(path.read_text())
    _check_same(path, found, sources)
    # A bench that was there has the model that its owner wants.
    model_made = made[-1] if made else ""
    rest = _facts(found, given["ties"] or (), passes=guessed and model_made in READY_MODELS)
    compiled = partial(_compiled, _with_wrapper(sources, path, found), found.module.name, given["generics"] or ())
    made_with = (str(path), notes, doubts, model_made, guessed, remake, variants, narrow, pace)
    return VerifySubject(*made_with, compiled=compiled, **rest)


def _with_wrapper(sources: Sources, path: Path, found: Found) -> Sources:
    """The sources, and those of a bench that make plain ports of interfaces: they have the parameters of these."""
    made = () if found.module.flat is None else find_design(str(path)).sources()
    given = {one.resolve() for one in sources.files}
    return sources + Sources(tuple(one for one in made if one.resolve() not in given))


def _compiled(sources: Sources, top: str, generics: Sequence[str], values: Mapping[str, int | str]) -> Compiled:
    """RTL with other values of parameters beside those of the command line."""
    given = dict(text.split("=", 1) for text in generics)
    return compile_sources(sources, top, given | {name: str(value) for name, value in values.items()})


def verify_folder(name: str, variant: str = "") -> Path:
    """Where the results of a design are, or those of one of its configurations."""
    return build_root() / "verify" / plain_name(name) / variant


def _is_rtl(words: Sequence[str], given: Mapping[str, Any]) -> bool:
    """Whether RTL is given, not one design or description."""
    if any(Path(word).suffix in _RTL or word.startswith("+") for word in words) or given["lists"] or given["near"]:
        return True
    if len(words) != 1 or any(given[name] for name in ("model", "rdl", "bench")):
        raise UsageError("give RTL, one design, or one description; --model, --rdl and --bench are for RTL")
    return False


def _guess(found: Found) -> tuple[str, str]:
    """The model that the ports suggest, and what is said of it."""
    model, why = guessed_model(found) or (RULES, _NO_MODEL.format(no_model(found)))
    other = "; registers that are no memory need --rdl MAP, or --model rules" if model == "memory" else ""
    return model, f"model {model}, guessed: {why}; --model names another{other}"


def _with_ports(found: Found, changed: Mapping[str, RegisterPort | StreamPort]) -> Found:
    """The same with other ports, by name."""
    registers = [r if isinstance(r := changed.get(port.name), RegisterPort) else port for port in found.registers]
    streams = [s if isinstance(s := changed.get(port.name), StreamPort) else port for port in found.streams]
    return replace(found, registers=tuple(registers), streams=tuple(streams))


def _variants(
    found: Found, failures: Sequence[str], models: Sequence[str], folder: Path, make: Callable[..., Path]
) -> Iterator[tuple[str, dict[str, str]]]:
    """Benches in ``folder`` that read ports in another way, or send other traffic.

    Args:
        found: the ports as they are.
        failures: of the bench.
        models: of the first bench, and of the last one; empty: there are no variants.
        folder: where they go.
        make: writes one.
    """
    for number, (changed, said) in enumerate(_readings(found, failures) if models else ()):
        other = _with_ports(found, changed)
        # With other ports, the first guess may be right.
        bench = make(folder / f"variant{number}", found=other, model=models[other == found] or MODEL)
        if other == found:
            bench.write_text(bench.read_text().replace(_TRAFFIC, f"{_TRAFFIC}steady = true\n"))
        yield str(bench), dict.fromkeys(changed, said)


def _readings(found: Found, failures: Sequence[str]) -> Iterator[tuple[Mapping[str, RegisterPort | StreamPort], str]]:
    """Other readings of ports: those that change, and what is said if nothing fails with them.

    Ports as they are get other traffic: their frames keep TDEST and TID.
    """
    switched = [port for port in found.streams if port.direction == "in" and port.tdest is not None]
    outputs = [port.lanes for port in found.streams if port.direction == "out"]
    if switched and (len(outputs) > 1 or any(outputs)):
        why = "nothing fails where frames keep their TDEST and TID: steady = true in [traffic] if they always do"
        yield {port.name: port for port in switched}, why
    sinks = [port for port in found.streams if isinstance(port, AvalonStreamPort) and port.direction == "in"]
    for cycles in _LATENCIES if any(port.has("tready") for port in sinks) else ():
        why = f"nothing fails with ready_latency = {cycles} for it, which no RTL tells"
        yield {port.name: port.model_copy(update={"ready_latency": cycles}) for port in sinks}, why
    for changed in other_units(found.registers, found.notes):
        names = {name: "it" if len(changed) == 1 else name for name in changed}
        units = " and ".join(
            f'address_unit = "{port.address_unit}" for {names[name]}' for name, port in changed.items()
        )
        yield changed, f"nothing differs with {units}"
    wishbone = [port for port in found.registers if isinstance(port, WishbonePort) and port.direction == "in"]
    if any(port.lone_strobe for port in wishbone) and not any(_LONE_RULE in text for text in failures):
        why = "nothing fails with lone_strobe = false for it; its master may never raise STB without CYC"
        yield {port.name: port.model_copy(update={"lone_strobe": False}) for port in wishbone}, why
    if any(port.drops for port in wishbone):
        why = (
            "nothing fails with aborts = false for it: its master may never end a cycle at an error while more is open"
        )
        yield {port.name: port.model_copy(update={"aborts": False}) for port in wishbone}, why


def _tied_payload(found: Found, tied: Collection[str]) -> dict[str, str]:
    """Bundles with signals that are made of one of these inputs, which are tied."""
    values, found_ties = found.module.carried.values, dict[str, str]()
    for one in found.bundles:
        pins = [pin.lstrip("!") for pin in (one.signals or {}).values()]
        names = set(tied) & set[str]().union(*(values.get(pin, frozenset()) for pin in pins))
        if names:
            name = max(sorted(names), key=partial(affinity, one.name))
            found_ties[one.name] = f"signals of it are made of {name}, which is tied; give --tie {name}=VALUE"
    return found_ties


def _far_resets(found: Found) -> dict[str, str]:
    """Bundles whose clock has a reset that only flip-flops of other clocks use: it takes some of their edges to get there."""
    uses = {(use.clock, use.reset) for use in found.module.wiring.resets}
    resets = {clock.name: clock.reset for clock in found.clocks if clock.reset is not None}
    far = {
        clock: f"no flip-flop of {clock} uses {reset}, which has to come over from another clock first"
        for clock, reset in resets.items()
        if (clock, reset) not in uses and any(other == reset for _, other in uses)
    }
    return {one.name: far[one.clock] for one in found.bundles if one.clock in far}


def _narrowed(text: str, less: Narrower) -> str:
    """A description with options of ``[accesses]`` and ``[traffic]``, and with more signals that are not compared."""
    accesses = "".join(f"{name} = {json.dumps(value)}\n" for name, value in less.options.items())
    pins = "".join(f'{pin} = "a constant of the RTL"\n' for pin in less.unchecked)
    if less.longest:
        text = text.replace(_TRAFFIC, f"{_TRAFFIC}longest = {less.longest}\n")
    if _UNCHECKED in text:
        text = text.replace(_UNCHECKED, _UNCHECKED + pins)
    elif pins:
        text += _UNCHECKED + pins
    return text + (f"\n[accesses]\n{accesses}" if accesses else "")


def _paced(text: str, cycles: int = 0) -> str:
    """A description with cycles per beat; 0: as it is."""
    plain = "\ncompare_time = false\n"
    return text.replace(plain, f"{plain}cycles_per_beat = {cycles}\n", 1) if cycles else text


def _taken(function: Callable[..., Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """The options that a function takes."""
    return {name: given[name] for name in signature(function).parameters if name in given}


def _tied(found: Found, asked: Collection[str]) -> dict[str, str]:
    """Inputs that nobody has asked to tie and that may matter, and what they are tied to."""
    unread = found.module.carried.unread
    matters = [port for port in _unasked(found, asked) if port not in unread and tie_matters(port, found.ties)]
    return {port: left_out(port, found.ties) for port in matters}


def _unasked(found: Found, asked: Collection[str]) -> dict[str, int]:
    """Inputs that are held although no text of ``--tie`` has asked for it, and at what; resets left out."""
    known = {text.partition("=")[0] for text in asked}
    return {name: value for name, value in found.ties.items() if name not in known and not is_reset(name)}


def _facts(found: Found, asked: Collection[str], *, passes: bool) -> dict[str, Any]:
    """Attributes of a subject that are found in RTL; ``passes``: a guessed model passes words."""
    tied = _unasked(found, asked)
    payload = _tied_payload(found, [name for name in tied if tie_matters(name, tied)])
    done = reworked(found) if passes else ""
    carried = found.module.carried
    return {
        "constant": carried.constant,
        "reworked": done,
        "far_resets": _far_resets(found),
        "tied_payload": payload,
        "unseen": partial(_unseen, found),
        "stored": carried.stored,
        "rooms": partial(_rooms, found),
        "apart": partial(_apart, found),
        "title": found.module.title,
        "tied": tied,
    }


def _apart(found: Found) -> list[str]:
    """Slaves whose answers depend on no signal of another one: they have storage of their own."""
    ways = {pin.name: pin.way for pin in found.module.ports}
    slaves = [one for one in found.bundles if one.direction == "in" and not isinstance(one, StreamPort)]
    pins = {one.name: {pin.lstrip("!") for pin in (one.signals or {}).values()} for one in slaves}
    given = {name: {pin for pin in all_of if ways.get(pin) == "input"} for name, all_of in pins.items()}
    lead = {name: found.module.carried.depends(all_of - given[name]) for name, all_of in pins.items()}
    return [two for one, two in permutations(pins, 2) if not given[one] & lead[two]]


def _unseen(found: Found) -> set[str]:
    """Inputs that no output depends on."""
    outputs = [pin.name for pin in found.module.ports if pin.way == "output"]
    return {pin.name for pin in found.module.ports} - found.module.carried.depends(outputs)


def _rooms(found: Found) -> list[int]:
    """Words of each array, where some output may wait for TLAST of an input."""
    ends = {one.pin("tlast") for one in found.streams if one.direction == "in" and one.has("tlast")}
    valids = [one.pin("tvalid").lstrip("!") for one in found.streams if one.direction == "out"]
    waits = ends & found.module.carried.depends(valids)
    return [words for words, _ in found.module.carried.stored] if waits else []


def _unheld(found: Found) -> dict[str, str]:
    """Streams into a module that cannot hold them back although its outputs wait: it may lose what has no room."""
    if not any(one.direction == "out" and one.has("tready") for one in found.streams):
        return {}
    why = "has no ready: what has no room while an output waits may be lost (--set ready=none lets none wait)"
    return {one.name: why for one in found.streams if one.direction == "in" and not one.has("tready")}


def tie_matters(port: str, ties: Mapping[str, int]) -> bool:
    """Whether what a module does may hang on an input that is tied: a selection, a mode; but no enable of all that is on."""
    if ties[port] == -1:
        return is_enable(port) and not enables_all(port)
    return ties[port] == 0 and not (rests(port) or is_reset(port))


def _check_same(path: Path, found: Found, sources: Sources) -> None:
    """Refuse a bench of other RTL than what was given."""
    design = find_design(str(path))
    there = {one.resolve() for one in design.sources()}
    missing = [one for one in sources.files if one.resolve() not in there and one.parent != VENDOR]
    tops = [found.module.title, found.module.name]
    if missing or design.top not in tops:
        raise UsageError(
            f"--bench: {path} is a bench of {design.top}, not of {missing[0] if missing else tops[0]}; give another "
            f"folder, or run `goldbeat verify {path}`"
        )


def _bench(given: Mapping[str, Any], title: str, make: Callable[[Path], Path]) -> Path:
    """The description of the bench: the one that is in a folder of the user's, or a new one."""
    folder = given["bench"]
    if folder is not None:
        there = sorted(folder.glob("*.toml"))
        if len(there) > 1:
            raise UsageError(f"--bench {folder}: several descriptions: {', '.join(p.name for p in there)}")
        return there[0] if there else make(folder)
    folder = verify_folder(title, given.get("variant", "")) / "bench"
    for path in sorted(folder.glob("*.toml")):
        mark = path.with_suffix(_MADE)
        if not mark.is_file() or mark.read_text() != file_digest(path):
            raise UsageError(f"{path} was edited; run `goldbeat verify {path}`, or copy it and give --bench DIR")
        path.unlink()
        mark.unlink()
    made = make(folder)
    made.with_suffix(_MADE).write_text(file_digest(made))
    return made
