# SPDX-License-Identifier: Apache-2.0
"""What the user sets on the command line, as parameters, case options and files."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any, NoReturn

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.nearest import did_you_mean
from goldbeat.tb.design.case import Case
from goldbeat.tb.design.design import Design

Pair = tuple[str, str]
"""A parameter, option or word, and its value as text."""
_SWITCH = {"1": True, "true": True, "True": True, "0": False, "false": False, "False": False}


def parse_value(text: str) -> Any:
    """``8`` and ``0x10`` as integers, ``1,2,3`` as a tuple of them, anything else as text."""
    try:
        if "," in text:
            return tuple(int(part, 0) for part in text.split(",") if part.strip())
        return int(text, 0)
    except ValueError:
        return text


class _Settings(argparse.ArgumentParser):
    """What a design and its cases may be set by, as options of the command line."""

    def __init__(self, design: Design, cases: Sequence[Case]) -> None:
        super().__init__(prog="", usage=argparse.SUPPRESS, add_help=False, allow_abbrev=False)
        told = f"settings of {design.name}" + (f", case {cases[0].name}" if len(cases) == 1 else "")
        self._group = self.add_argument_group(
            told, "As --NAME VALUE or --set NAME=VALUE; files also as --input NAME=FILE."
        )
        defaults = {name: p.default for name, p in design.parameters.items()}
        defaults |= {name: value for case in reversed(cases) for name, value in case.options.items()}
        for name, default in defaults.items():
            # A switch may stand alone.
            alone: dict[str, Any] = {"nargs": "?", "const": "1"} if isinstance(default, bool) else {}
            self._add(name, help=_shown_default(default), metavar="VALUE", **alone)
        for name, values in design.words.items():
            self._add(name, metavar="|".join(values))

    def _add(self, name: str, **more: Any) -> None:
        first, *others = _spellings(name)
        self._group.add_argument(first, dest=name, action="append", **more)
        for other in others:
            self.add_argument(other, dest=name, action="append", **{**more, "help": argparse.SUPPRESS})

    def error(self, message: str) -> NoReturn:
        """Raises UsageError: a value is missing."""
        raise UsageError(message.removeprefix("argument "))


def _spellings(name: str) -> list[str]:
    """``--memory-latency`` and ``--memory_latency``; parameters in capitals the other way round."""
    dashed, plain = f"--{name.replace('_', '-')}", f"--{name}"
    return list(dict.fromkeys((plain, dashed) if name.isupper() else (dashed, plain)))


def _shown_default(value: Any) -> str | None:
    shown = ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
    # A default stands for itself in the help, not for a format.
    return f"[{shown}]".replace("%", "%%") if shown else None


def own_options(design: Design, cases: Sequence[Case], words: Sequence[str], common: Sequence[Any] = ()) -> list[Pair]:
    """``--memory-latency 40 --layer c1 --layer c2`` as ``memory_latency`` = 40 and ``layer`` = c1,c2; a switch is 1.

    Args:
        design: what is run.
        cases: of it, those that may run.
        words: the words of the command line that the command itself does not know.
        common: the options of the command itself, as click has them: they may have been meant.

    Raises:
        UsageError: neither the design nor one of the cases has such an option, or its value is missing.
    """
    parser = _Settings(design, cases)
    found, unknown = parser.parse_known_args(words)
    if unknown:
        word = unknown[0].partition("=")[0]
        if not word.startswith("-"):
            if word in {case.name for case in cases}:
                raise UsageError(f"{word} is a case, expected --case {word}")
            raise UsageError(f"{word}: expected an option")
        known = {*design.parameters, *design.words, *(name for case in cases for name in case.options)}
        spelled = [*(_spellings(name)[0] for name in known), *(word for one in common for word in one.opts)]
        hint = did_you_mean(word, spelled) or f"; `goldbeat run {design.name} --help` lists its options"
        raise UsageError(f"{design.name} has no option {word}{hint}")
    return [(name, ",".join(values)) for name, values in vars(found).items() if values is not None]


def settings_help(design: Design, cases: Sequence[Case]) -> str:
    """The options that :func:`own_options` takes, with their defaults, a line each."""
    return _Settings(design, cases).format_help()


def as_pairs(sets: list[str]) -> list[Pair]:
    """``--set`` as names and values."""
    for item in sets:
        if "=" not in item:
            raise UsageError(f"--set {item}: expected KEY=VALUE")
    return [(key, text) for key, _, text in (item.partition("=") for item in sets)]


def split_inputs(case: Case, inputs: list[str]) -> tuple[dict[str, str], dict[str, Any]]:
    """Files for ports by name, and files that are options of the case.

    A file without a name is for the option ``input``, which takes several where it is a list. A case with an option ``inputs``
    takes files by names of its own.

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
        if isinstance(case.options.get(key), tuple):
            options[key] = (*options.get(key, ()), file)
            continue
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
            known = [*design.parameters, *case.options, *design.words]
            said = f"neither a parameter of {design.name} nor an option of {case.name}{did_you_mean(key, known)}"
            raise UsageError(f"--set {key}: {said}{' Known' if said.endswith('?') else '; known'}: {', '.join(known)}")
    return params, options


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
