# SPDX-License-Identifier: Apache-2.0
"""What pydantic refuses, in the words of every other message: which key, what was found, what was expected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from pydantic import ValidationError

from goldbeat.pymodels.nearest import did_you_mean

_KINDS = {
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_parsing_size": "a whole number of at most 4300 digits",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "finite_number": "a finite number",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "string_type": "text",
    "string_unicode": "text in UTF-8",
    "model_type": "a table",
    "model_attributes_type": "a table",
    "dataclass_type": "a table",
    "dict_type": "a table",
    "mapping_type": "a table",
    "list_type": "a list",
    "tuple_type": "a list",
    "set_type": "a list",
    "frozen_set_type": "a list",
    "iterable_type": "a list",
    "json_invalid": "JSON",
    "path_type": "a path",
    "extra_forbidden": "a known key",
    "missing": "a value",
}
_INSTANCES = {"Sequence": "a list", "Mapping": "a table", "Path": "a path"}
_BOUNDS = {
    "greater_than": "more than {gt}",
    "greater_than_equal": "at least {ge}",
    "less_than": "less than {lt}",
    "less_than_equal": "at most {le}",
    "multiple_of": "a multiple of {multiple_of}",
    "literal_error": "{expected}",
    "enum": "{expected}",
    "too_short": "at least {min_length} entries",
    "too_long": "at most {max_length} entries",
    "string_too_short": "at least {min_length} characters",
    "string_too_long": "at most {max_length} characters",
    "string_pattern_mismatch": "text like {pattern}",
}


class Mistake(NamedTuple):
    """The first entry that a model refuses.

    Attributes:
        place: keys and indices down to the entry.
        kind: pydantic's name for the mistake.
        expected: instead of what is there, in plain words.
        value: what is there.
    """

    place: tuple[int | str, ...]
    kind: str
    expected: str
    value: Any

    @property
    def key(self) -> str:
        """The place with dots between its parts; empty for the whole."""
        return ".".join(map(str, self.place))

    @property
    def found(self) -> str:
        """Key and value, for messages; ``no key K`` where it is missing."""
        if self.kind == "json_invalid":
            return "text that cannot be read"
        if self.kind == "missing":
            return f"no key {self.key}"
        shown = f"{self.value!r:.60}"
        return f"{self.key} = {shown}" if self.key else shown


def first_mistake(error: ValidationError, whole: Any = None) -> Mistake:
    """The first entry of what a model refuses.

    Args:
        error: of the model.
        whole: what it refuses. An entry that may be of several types is named as it is there then, by its innermost mistake.
    """
    mistakes = error.errors(include_url=False)
    first, place = mistakes[0], mistakes[0]["loc"]
    if whole is not None:
        outer = place = _within(whole, first["loc"], first["type"])
        for one in mistakes[1:]:
            inner = _within(whole, one["loc"], one["type"])
            if inner[: len(outer)] == outer and len(inner) > len(place):
                first, place = one, inner
    # A key that is misspelt is missing and unknown at once.
    table, near = first["loc"][:-1], ""
    beside = [one for one in mistakes if one["loc"][:-1] == table] if first["type"] == "missing" else []
    missing = [str(one["loc"][-1]) for one in beside if one["type"] == "missing"]
    for one in beside:
        if one["type"] == "extra_forbidden" and (near := did_you_mean(str(one["loc"][-1]), missing)):
            first, place = one, (*place[:-1], one["loc"][-1])
            break
    said, context = str(first["msg"]), first.get("ctx", {})
    return Mistake(place, first["type"], _expected(first["type"], said, context) + near, first["input"])


def _within(whole: Any, place: tuple[int | str, ...], kind: str) -> tuple[int | str, ...]:
    """A place without the names of types that pydantic puts into it."""
    found = list[int | str]()
    for number, part in enumerate(place):
        named = isinstance(whole, Mapping) and part in whole
        if named or (isinstance(whole, Sequence) and isinstance(part, int) and part < len(whole)):
            whole = whole[part]
        elif kind != "missing" or number < len(place) - 1:
            continue
        found.append(part)
    return tuple(found)


def validation_text(error: ValidationError) -> str:
    """The first mistake in one line: model, key, found and expected."""
    wrong = first_mistake(error)
    return f"{error.title}: {wrong.found.replace('no key ', 'missing ')}, expected {wrong.expected}"


def _expected(kind: str, said: str, context: Mapping[str, Any]) -> str:
    if kind in _KINDS:
        return _KINDS[kind]
    if kind in _BOUNDS:
        whole = {k: int(v) if isinstance(v, float) and v.is_integer() else v for k, v in context.items()}
        entries = _BOUNDS[kind].format(**whole)
        return entries.replace("1 entries", "1 entry").replace("1 characters", "1 character")
    if kind == "is_instance_of" and context["class"] in _INSTANCES:
        return _INSTANCES[context["class"]]
    plain = said.removeprefix("Value error, ").removeprefix("Input should be ")
    return plain if kind == "value_error" else plain[:1].lower() + plain[1:]
