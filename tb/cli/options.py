# SPDX-License-Identifier: Apache-2.0
"""What the user sets on the command line, as parameters, case options and files."""

from __future__ import annotations

from typing import Any

from goldbeat.pymodels.errors import UsageError
from goldbeat.tb.design.case import Case
from goldbeat.tb.design.design import Design

Pair = tuple[str, str]
"""A parameter, option or word, and its value as text."""
ON = "\0on"
"""The value of an option that stands alone on the command line."""
SEPARATOR = "\0"
"""Between the parts of an option that is a tuple, where a comma may be part of a file's name."""
_SWITCH = {ON: True, "1": True, "true": True, "True": True, "0": False, "false": False, "False": False}


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
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if not word.startswith("--"):
            raise UsageError(f"{word}: expected an option")
        key, equals, value = word[2:].partition("=")
        if not equals:
            value = rest.pop(0) if rest and not rest[0].startswith("--") else ON
        found.setdefault(key.replace("-", "_"), []).append(value)
    return [(key, ",".join(values)) for key, values in found.items()]


def as_pairs(sets: list[str]) -> list[Pair]:
    """``--set`` as names and values."""
    for item in sets:
        if "=" not in item:
            raise UsageError(f"--set {item}: expected KEY=VALUE")
    return [(key, text) for key, _, text in (item.partition("=") for item in sets)]


def split_inputs(case: Case, inputs: list[str]) -> tuple[dict[str, str], list[Pair]]:
    """Files for ports by name, and files that are options of the case; one without a name is for the option ``input``."""
    ports: dict[str, str] = {}
    options: list[Pair] = []
    named: list[str] = []
    for item in inputs:
        key, equals, file = item.partition("=")
        if not equals and "input" in case.options:
            key, file = "input", item
        elif not equals:
            raise UsageError(f"--input {item}: expected PORT=FILE")
        if equals and "inputs" in case.options and key not in case.options:
            named.append(item)
            continue
        if key in ports or key in {k for k, _ in options}:
            raise UsageError(f"--input {item}: {key} is given twice")
        if key in case.options:
            options.append((key, file))
        else:
            ports[key] = file
    if named:
        options.append(("inputs", SEPARATOR.join(named)))
    return ports, options


def split_sets(design: Design, case: Case, words: list[Pair]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Parameters of the design and options of the case.

    Raises:
        UsageError: neither of the two, or a value of the wrong kind.
    """
    params: dict[str, Any] = {}
    options: dict[str, Any] = {}
    for key, text in words:
        if text == ON and not isinstance(case.options.get(key), bool):
            shown = f"--{key.replace('_', '-')}"
            raise UsageError(
                f"{shown}: expected a value behind it" if _known(design, case, key) else f"no option {shown}"
            )
        if key in design.parameters:
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


def _known(design: Design, case: Case, key: str) -> bool:
    return key in design.parameters or key in case.options or key in design.words


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
    if SEPARATOR in text:
        return tuple(text.split(SEPARATOR))
    value = parse_value(text)
    if default == () and isinstance(value, str):
        return tuple(value.split(","))
    if isinstance(default, int) and not isinstance(value, int):
        raise UsageError(f"--set {key}={text}: expected a whole number")
    return (value,) if isinstance(default, tuple) and isinstance(value, int) else value
