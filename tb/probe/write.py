# SPDX-License-Identifier: Apache-2.0
"""What was found, as a description: the object, and the TOML text that says the same."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from goldbeat.pymodels.bus_models import BUS_MODELS
from goldbeat.pymodels.buses import AXIS
from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.stimulus import Outcome
from goldbeat.pymodels.stock_models import READY_MODELS
from goldbeat.tb.build.harness import make_harness
from goldbeat.tb.design.description import READY, CaseTable, Description, TrafficTable
from goldbeat.tb.design.design import Design
from goldbeat.tb.design.filelist import Sources
from goldbeat.tb.design.library import VENDOR
from goldbeat.tb.design.map_case import RegisterMapTable
from goldbeat.tb.design.parameter import Parameter
from goldbeat.tb.design.ports.memory import MemoryPort
from goldbeat.tb.design.ports.register import RegisterPort
from goldbeat.tb.design.ports.stream import StreamPort
from goldbeat.tb.design.rules_model import RULES
from goldbeat.tb.probe.find import Found
from goldbeat.tb.run.runs import Request, predict

MODEL = "model.py:predict"
_TOML_BITS = 64
_ADDRESSES = ("base", "target", "bytes")
"""Numbers that people read in hexadecimal digits."""


class NothingToDriveError(UsageError):
    """RTL without a stream into it and without a slave port."""


def describe(
    found: Found,
    sources: Sources,
    folder: Path,
    *,
    name: str | None = None,
    model: str = MODEL,
    register_map: Path | None = None,
) -> Description:
    """The description of what was found.

    Args:
        found: from :func:`goldbeat.tb.probe.find.find`.
        sources: what was compiled.
        folder: where the description will lie: file names count from there.
        name: of the design; the top module's when None.
        model: a ready-made model's name, or ``file.py:function``.
        register_map: the SystemRDL file of the only slave that is not AXI4.

    Raises:
        UsageError: nothing that could be driven was found, something refuses to be, or the model does not fit the ports.
    """
    top = found.module.title
    _check_fit(found)
    _check_model(found, model, mapped=register_map is not None)
    if text := undriven(found, model):
        raise NothingToDriveError(text)
    try:
        description = _description(found, sources, folder, name or top, model, register_map)
        if model in READY and model != "interconnect":
            _try_model(description, folder)
    except ValidationError as error:
        raise UsageError(f"{top}: {error.errors()[0]['msg'].removeprefix('Value error, ')}") from None
    except UsageError as error:
        own = "; without --model, you write the model" if model in READY and found.bundles else ""
        raise UsageError(_with_reasons(found, f"{top}: {error}{own}")) from None
    return description


def _description(
    found: Found, sources: Sources, folder: Path, name: str, model: str, register_map: Path | None
) -> Description:
    top = found.module.title
    inward = any(s.direction == "in" for s in found.streams)
    slaves = _slaves(found, model)
    cases = tuple(
        CaseTable(
            name=f"ram_{r.name}" if len(slaves) > 1 else "ram",
            summary=f"random writes and reads of {r.name}, every read checked as if it were a memory",
            make=f"ram:{r.name}",
        )
        for r in slaves
        if r.lanes is None and not _on_buses(model) and register_map is None
    )
    source = not inward and not slaves
    return Description(
        name=name,
        summary=f"{top}: streams {_list(s.name for s in found.streams)}" if found.streams else top,
        top=found.module.name,
        files=(*(_copied(p) or _relative(p, folder) for p in sources.files), *_flat_files(found)),
        include_dirs=tuple(_relative(p, folder) for p in sources.include_dirs),
        model=model,
        compare_time=model not in READY,
        compare_order=model != "merge",
        ignored=found.ignored,
        unchecked=dict(found.unchecked),
        beside=dict(found.beside),
        guesses=found.all_guesses,
        defines=dict(sources.defines),
        parameters=_values(found),
        ties=dict(found.ties),
        clocks=found.clocks,
        streams=tuple(map(_with_rules, found.streams)),
        registers=found.registers,
        memories=found.memories,
        traffic=_traffic(found) if inward or source else None,
        cases=cases,
        **_more(found, model, None if register_map is None else _relative(register_map, folder)),
    )


def _with_rules(port: StreamPort) -> StreamPort:
    """The same without the rules of AXI-Stream, if its names are others."""
    return port if port.spec is not AXIS or port.standard else port.model_copy(update={"house": True})


def undriven(found: Found, model: str) -> str:
    """Why nothing of a module can be driven with a model, and the option that would help; empty: something can."""
    if found.streams or _slaves(found, model):
        return ""
    text = f"{found.module.title}: no stream and no slave port found; there is nothing to drive{_way_out(found)}"
    return _with_reasons(found, text)


def _way_out(found: Found) -> str:
    """The option that makes a stream of the ports that are left, for an error."""
    if found.module.carried.toggles:
        asks, answers = next(iter(found.module.carried.toggles.items()))
        what = f"{asks} and {answers} change level once per word (two phases)"
        return f": {what}, which no option describes: wrap the module with a valid and a ready"
    left = [pin for pin in found.module.ports if pin.name in found.unplaced and pin.width and not pin.unpacked]
    left = [pin for pin in left if pin.way == "input"]
    single = [pin for pin in left if pin.width == 1]
    wide = [pin for pin in left if pin.width > 1] or single[1:]
    if not single:
        # The valids of an array of streams.
        single = [pin for pin in left if any(_shares(one.width, pin.width) for one in left)]
        wide = [pin for pin in left if single and pin not in single and _shares(pin.width, single[0].width)]
    if not single or not wide:
        return ", and no input could say when others are valid: wrap the module with a valid"
    valids, payload = " or ".join(pin.name for pin in single[:4]), ",".join(pin.name for pin in wide[:4])
    return f": if {valids} says when {payload} is valid, give --bundle in={payload},tvalid:{single[0].name}"


def _shares(width: int, count: int) -> bool:
    """Whether so many streams have several of these bits each."""
    return width > count and width % count == 0


def _check_model(found: Found, model: str, *, mapped: bool) -> None:
    """Refuse a ready-made model for a module that lacks what the model is about.

    Raises:
        UsageError: it names what is missing.
    """
    buses = (*found.registers, *found.memories)
    slaves, masters = ([b for b in buses if b.direction == way] for way in ("in", "out"))
    lacks = ""
    if model == "register_file" and not mapped:
        lacks = (
            "needs a register map: give one with --rdl MAP.rdl. Without a map, give --model rules instead, then set in the "
            'description that it writes: model = "register_file" and, in [[registers]], storage = [{ base = 0, words = N }]'
        )
    elif model in READY_MODELS and not found.streams:
        lacks = f"needs streams; none was found{_way_out(found)}"
    elif model in BUS_MODELS and not slaves:
        lacks = "needs a slave on a memory-mapped bus; none was found"
    elif model in ("adapter", "interconnect") and not masters:
        lacks = "needs a master on a memory-mapped bus; none was found"
    if lacks:
        raise UsageError(_with_reasons(found, f"{found.module.title}: model {model} {lacks}"))


def _try_model(description: Description, folder: Path) -> None:
    """Predict the first case, so that a bench that is written can run.

    Raises:
        GoldbeatError: what the model says.
    """
    design = description.design(folder.resolve())
    predict(Request(design, design.case(None)), seed=0)


def _with_reasons(found: Found, text: str) -> str:
    """An error with what was found to be no bundle, which may be why."""
    return "\n  ".join([text, *(note for note in found.notes if ": not a bundle: " in note)])


def _more(found: Found, model: str, register_map: str | None) -> dict[str, Any]:
    """What some descriptions have; what is not written stays out of the file."""
    maps = {} if register_map is None else {"register_maps": (_map_table(found, register_map),)}
    # A first guess that nothing speaks against: the streams' beats are taken, and what comes out is not compared.
    return maps | ({"stream_model": RULES} if model in BUS_MODELS and found.streams else {})


def _on_buses(model: str) -> bool:
    """Whether a ready-made model drives buses by itself."""
    return model in (*BUS_MODELS, RULES)


def _slaves(found: Found, model: str) -> list[RegisterPort | MemoryPort]:
    """What a model writes and reads; a ready-made one takes what can only be written, or only be read."""
    registers: list[RegisterPort | MemoryPort] = [
        r for r in found.registers if r.direction == "in" and (r.whole or _on_buses(model))
    ]
    return [*registers, *(m for m in found.memories if m.direction == "in")]


def _map_table(found: Found, file: str) -> RegisterMapTable:
    slaves = [r.name for r in found.registers if r.direction == "in" and r.whole]
    if len(slaves) != 1:
        known = ", ".join(slaves) or "none"
        raise UsageError(f"--rdl: expected one slave (not AXI4), found: {known}; write [[register_maps]] for each")
    return RegisterMapTable(
        file=file, port=slaves[0], unmapped="error", forbidden="error", strobes="bytes", hardware="mask"
    )


def made_files(found: Found, description: Description) -> dict[str, str]:
    """The files that a description names and nobody has written, by name: beside it, it needs nothing of the installation."""
    cells = {_copied(path): path for path in VENDOR.glob("*.sv")}
    copies = {name: cells[name].read_text(encoding="utf-8") for name in description.files if name in cells}
    return _flat_files(found) | copies


def _flat_files(found: Found) -> dict[str, str]:
    """The wrapper with plain ports and the empty modules of untaken branches, by file, where the module needs them."""
    flat = found.module.flat
    texts = {} if flat is None else {f"{flat.name}.sv": flat.text}
    return texts | ({f"{found.module.title}_absent.sv": found.module.absent} if found.module.absent else {})


def _copied(path: Path) -> str:
    return f"vendor_{path.name}" if path.parent == VENDOR else ""


def bare_design(found: Found, sources: Sources | None = None, folder: Path = Path()) -> Design:
    """What was found as a design without a model and without cases; files that it needs beside its sources go to a folder."""
    texts = _flat_files(found) if sources else {}
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    values = _values(found)
    return Design(
        name=found.module.title,
        summary="",
        top=found.module.name,
        files=tuple(
            str(p.resolve()) for p in (*(sources.files if sources else ()), *(folder / name for name in texts))
        ),
        root=Path(),
        include_dirs=tuple(str(p.resolve()) for p in sources.include_dirs) if sources else (),
        defines=dict(sources.defines) if sources else {},
        parameters={n: v if isinstance(v, Parameter) else Parameter(default=v) for n, v in values.items()},
        clocks=found.clocks,
        streams=found.streams,
        registers=found.registers,
        memories=found.memories,
        ties=found.ties,
        ignored=found.ignored,
        model=lambda params, stimulus: Outcome({}),
        cases=(),
    )


def wrapper(found: Found) -> str:
    """The harness of what was found, also where nothing drives its ports yet, and the wrapper with plain ports that it needs.

    Raises:
        UsageError: something refuses to be connected.
    """
    _check_fit(found)
    design = bare_design(found)
    return "\n".join(
        [make_harness(design, {n: p.default for n, p in design.parameters.items()}), *_flat_files(found).values()]
    )


def _check_fit(found: Found) -> None:
    top = found.module.title
    if found.refused:
        reasons = [f"{port}: {reason}" for port, reason in found.refused.items()]
        why = "\n".join(f"  {line}" for line in (*reasons, *(w.splitlines()[0] for w in found.module.warnings)))
        raise UsageError(f"{top}: no harness can be made:\n{why}")
    if not found.clocks:
        raise UsageError(f"{top}: no clock found; wrap the module and give the wrapper a clock")


def _values(found: Found) -> dict[str, int | str | Parameter]:
    """The parameters that a description names: those whose default depends on no other, and that TOML can hold."""
    return {
        p.name: Parameter(default=p.value, enum=p.enum) if p.enum else p.value
        for p in found.module.parameters
        if p.free and p.value is not None and (isinstance(p.value, str) or p.value.bit_length() < _TOML_BITS)
    }


def _traffic(found: Found) -> TrafficTable:
    """Random frames; where bytes can be left out, a frame's last beat leaves some out."""
    partial = any(s.direction == "in" and s.has("tlast") and s.has("tkeep") for s in found.streams)
    return TrafficTable(kind="random", keep="bytes" if partial else "full", finish=True)


def _list(names: Iterable[str]) -> str:
    return ", ".join(names)


def _relative(path: Path, folder: Path) -> str:
    return os.path.relpath(path.resolve(), folder.resolve())


# -- TOML -----------------------------------------------------------------------------------------------------------


def to_toml(description: Description, comments: Iterable[str] = ()) -> str:
    """A description as TOML.

    Args:
        description: what to write.
        comments: lines for the head of the file.
    """
    values = description.model_dump(mode="json", exclude_none=True, exclude_unset=True)
    lines = [f"# {c}".rstrip() for c in comments]
    tables: list[str] = []
    for key, value in values.items():
        if isinstance(value, dict):
            if value:
                tables += ["", f"[{key}]", *(f"{_key(k)} = {_value(v)}" for k, v in value.items())]
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            for item in value:
                tables += ["", f"[[{key}]]"]
                tables += [f"{_key(k)} = {_address(v) if k in _ADDRESSES else _value(v)}" for k, v in _in_order(item)]
        elif value != []:
            lines.append(f"{_key(key)} = {_value(value)}")
    return "\n".join([*lines, *tables]) + "\n"


def _in_order(table: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """A table's entries as people read them: what it is first, the long list of signals last; nothing that says nothing."""
    first, last = ("name", "direction", "clock", "lanes", "layout"), ("users", "signals")
    middle = [k for k in table if k not in (*first, *last)]
    silent = set() if "lanes" in table else {"layout"}
    return [(k, table[k]) for k in (*first, *middle, *last) if k in table and k not in silent and table[k] != {}]


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else json.dumps(name)


def _address(value: Any) -> str:
    return hex(value) if isinstance(value, int) else _value(value)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(k)} = {_value(v)}" for k, v in value.items()) + " }"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_value, value)) + "]"
    return str(value)
