# SPDX-License-Identifier: Apache-2.0
"""TOML files as pydantic models, and what is said of a file that is none."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_args

from pydantic import BaseModel, StringConstraints, ValidationError
from pydantic.fields import FieldInfo

from goldbeat.pymodels.errors import GoldbeatError, InputError
from goldbeat.pymodels.validation import first_mistake

Model = TypeVar("Model", bound=BaseModel)
Reason = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
"""Why something is right as it is; not blank."""

_MISTAKE = re.compile(r"^(.*) \(at line (\d+), column \d+\)$")


@dataclass(frozen=True)
class Refused:
    """The first entry of a file that the model refuses.

    Attributes:
        path, text: the file.
        model: of the whole file.
        place: keys and indices down to the entry, as pydantic has them.
        kind: pydantic's name for the mistake.
        said: what is expected instead; of a validator of the model's own, its sentence.
        value: what stands there.
    """

    path: Path
    text: str
    model: type[BaseModel]
    place: tuple[int | str, ...]
    kind: str
    said: str
    value: Any

    @property
    def key(self) -> str:
        """The entry's place with dots between its parts."""
        return ".".join(map(str, self.place))

    @property
    def known(self) -> str:
        """The keys that the table around the entry may have."""
        model = self.model
        for part in self.place[:-1]:
            inner = [one for name, field in _keys(model).items() if name == part for one in _models(field.annotation)]
            if len(inner) == 1:
                model = inner[0]
        return f"one of {', '.join(_keys(model))}"


def _keys(model: type[BaseModel]) -> dict[str, FieldInfo]:
    """Fields by the keys that a file has for them."""
    return {field.alias or name: field for name, field in model.model_fields.items()}


def _models(annotation: Any) -> list[type[BaseModel]]:
    """The models of an annotation: of ``Mapping[str, X]``, ``tuple[X, ...]`` or ``X | None`` it is X."""
    if isinstance(annotation, type) and not get_args(annotation) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for part in get_args(annotation) for model in _models(part)]


def explain(refused: Refused) -> GoldbeatError:
    """The error for an entry that is refused: an unknown setting, or a wrong value."""
    if refused.kind == "extra_forbidden":
        return InputError(f"unknown setting {refused.key}", refused.known, file=refused.path)
    if refused.kind == "missing":
        return InputError(f"no key {refused.key}", "one", file=refused.path)
    found = f"{refused.key} = {refused.value!r:.60}" if refused.key else f"{refused.value!r:.60}"
    return InputError(found, refused.said, file=refused.path)


def load_model(
    model: type[Model],
    path: Path,
    expected: str,
    explain: Callable[[Refused], GoldbeatError] = explain,
    *,
    numbered: bool = False,
    context: Any = None,
) -> Model:
    """Read a file.

    Args:
        model: what stands in it.
        path: the file.
        expected: what it should be, for messages.
        explain: the error for an entry that the model refuses.
        numbered: the line of a mistake in the TOML stands behind the file's name, instead of in the message.
        context: for the model's own validators.

    Raises:
        InputError: no such file, no text, no TOML.
        GoldbeatError: what ``explain`` makes of an unknown key or a wrong value.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
        table = tomllib.loads(text)
    except FileNotFoundError:
        raise InputError("no such file", expected, file=path) from None
    except UnicodeDecodeError as error:
        raise InputError("bytes that are not UTF-8", expected, file=path, offset=error.start) from None
    except tomllib.TOMLDecodeError as error:
        match = _MISTAKE.match(str(error)) if numbered else None
        found, line = (str(error), None) if match is None else (match[1], int(match[2]))
        raise InputError(found, expected, file=path, line=line) from None
    except RecursionError:
        raise InputError("brackets within brackets without end", expected, file=path) from None
    except (OSError, ValueError) as error:
        # Such as a number of thousands of digits, which is Python's own error.
        raise InputError(str(error), expected, file=path) from error
    try:
        return model.model_validate(table, context=context)
    except ValidationError as error:
        place, kind, said, value = first_mistake(error, table)
        raise explain(Refused(path, text, model, place, kind, said, value)) from None
