# SPDX-License-Identifier: Apache-2.0
"""What the user sets on the command line, as parameters, case options and files."""

from __future__ import annotations

from typing import Any

from goldbeat.pymodels.errors import UsageError
from goldbeat.tb.design.case import Case
from goldbeat.tb.design.design import Design

Pair = tuple[str, str | None]
"""A parameter, option or word, and its value as text; None for an option that stands alone, a switch."""
_SWITCH = {"1": True, "true": True, "True": True, "0": False, "false": False, "False": False}


def parse_value(text: str) -> Any:
    """``8`` and ``0x10`` as integers, ``1,2,3`` as a tuple of them, anything else as text."""
    try:
        if "," in text:
            return tuple(int(part, 0) for part in text.split(",") if part.strip())
        return int(text, 0)
    except ValueError:
        return text


def own_options(words: list[str]) -> list[Pair]:
    """``--memory-latency 40 --layer c1 --layer c2`` as ``memory_latency`` = 40 and ``layer`` = c1,c2; a switch is on."""
    found: dict[str, list[str]] = {}
    switches: list[Pair] = []
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if not word.startswith("--"):
            raise UsageError(f"{word}: expected an option")
        key, equals, value = word[2:].partition("=")
        key = key.replace("-", "_")
        if not equals and (not rest or rest[0].startswith("--")):
            switches.append((key, None))
            continue
        found.setdefault(key, []).append(value if equals else rest.pop(0))
    return [*((key, ",".join(values)) for key, values in found.items()), *switches]


def as_pairs(sets: list[str]) -> list[Pair]:
    """``--set`` as names and values."""
    for item in sets:
        if "=" not in item:
            raise UsageError(f"--set {item}: expected KEY=VALUE")
    return [(key, text) for key, _, text in (item.partition("=") for item in sets)]


def split_inputs(case: Case, inputs: list[str]) -> tuple[dict[str, str], dict[str, Any]]:
    """Files for ports by name, and files that are options of the case.

    A file without a name is for the option ``input``. A case with an option ``inputs`` takes files by names of its own.

    Raises:
        UsageError: no such form, or a name that is given twice.
    """
    ports: dict[str, str] = {}
    options: dict[str, Any] = {}
    for item in inputs:
        key, equals, file = item.partition("=")
        if not equals and "input" in case.options:
            key, file = "input", item
        elif not equals:
            raise UsageError(f"--input {item}: expected PORT=FILE")
        if key in ports or key in options:
            raise UsageError(f"--input {item}: {key} is given twice")
        if key in case.options:
            options[key] = file
        elif "inputs" in case.options:
            options["inputs"] = (*options.get("inputs", ()), item)
        else:
            ports[key] = file
    return ports, options


def split_sets(design: Design, case: Case, words: list[Pair]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Parameters of the design and options of the case.

    Raises:
        UsageError: neither of the two, or a value of the wrong kind.
    """
    params: dict[str, Any] = {}
    options: dict[str, Any] = {}
    for key, text in words:
        if text is None:
            options[key] = _switched_on(design, case, key)
        elif key in design.parameters:
            wanted, value = design.parameters[key], parse_value(text)
            params[key] = (value,) if wanted.bits is not None and isinstance(value, int) else value
        elif key in case.options:
            options[key] = option_value(key, text, case.options[key])
        elif key in design.words:
            if text not in design.words[key]:
                raise UsageError(f"--set {key}={text}: expected {key}={' or '.join(design.words[key])}")
            params.update(design.words[key][text])
        else:
            known = ", ".join([*design.parameters, *case.options, *design.words])
            raise UsageError(f"--set {key}: neither a parameter of {design.name} nor an option of {case.name}: {known}")
    return params, options


def _switched_on(design: Design, case: Case, key: str) -> bool:
    """True, the value of an option without one."""
    if isinstance(case.options.get(key), bool):
        return True
    shown = f"--{key.replace('_', '-')}"
    known = key in design.parameters or key in case.options or key in design.words
    raise UsageError(f"{shown}: expected a value behind it" if known else f"no option {shown}")


def option_value(key: str, text: str, default: Any) -> Any:
    """An option of a case as its default's type.

    Raises:
        UsageError: it is no such value.
    """
    if isinstance(default, bool):
        if text not in _SWITCH:
            raise UsageError(f"--set {key}={text}: expected {' or '.join(_SWITCH)}")
        return _SWITCH[text]
    if isinstance(default, str):
        return text if default == "" else parse_value(text)
    value = parse_value(text)
    if default == () and isinstance(value, str):
        return tuple(value.split(","))
    if isinstance(default, int) and not isinstance(value, int):
        raise UsageError(f"--set {key}={text}: expected a whole number")
    return (value,) if isinstance(default, tuple) and isinstance(value, int) else value
