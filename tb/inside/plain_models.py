# SPDX-License-Identifier: Apache-2.0
"""A stand-in for pydantic inside the simulator, where models only come out of a job: they were checked where they were made.

Importing pydantic and making the models' validators takes longer than a short simulation. While the job is read, classes that are
derived from ``pydantic.BaseModel`` are plain ones; afterwards an import of pydantic gives the real one. Only for jobs that load no
file of a user's, which may check values of its own.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any, Self


class PlainModel:
    """What :class:`pydantic.BaseModel` is to a model that is never made here."""

    def __init_subclass__(cls, **_: Any) -> None:
        """Settings of the model are for its validation."""

    def __init__(self, **values: Any) -> None:
        """Refused: nothing would be checked."""
        raise TypeError(f"{type(self).__name__}: descriptions are not made inside the simulator")

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        vars(self).update(state["__dict__"])

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]

    def model_copy(self, *, update: Mapping[str, Any]) -> Self:
        """The same with other values."""
        copy = type(self).__new__(type(self))
        vars(copy).update(vars(self) | dict(update))
        return copy


def _keep(**_: Any) -> Callable[[Any], Any]:
    """In place of what makes a validator of a method: the method."""
    return lambda method: method


_stand_in = ModuleType("pydantic")
vars(_stand_in).update(
    BaseModel=PlainModel,
    ConfigDict=dict,
    Field=lambda default=None, **_: default,
    PrivateAttr=lambda default=None: default,
    model_validator=_keep,
)


def enter() -> None:
    """From now on an import of pydantic gives what descriptions need of it, without checks."""
    sys.modules.setdefault("pydantic", _stand_in)


def leave() -> None:
    """From now on it gives pydantic."""
    if sys.modules.get("pydantic") is _stand_in:
        del sys.modules["pydantic"]
