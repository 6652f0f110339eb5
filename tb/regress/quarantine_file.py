# SPDX-License-Identifier: Apache-2.0
"""``quarantine.toml`` of a project: cases whose failures are known, why, and until when they fail no regression."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, StringConstraints

from goldbeat.pymodels.errors import GoldbeatError, InputError
from goldbeat.tb.toml import Reason, Refused, explain, load_model

FILE = "quarantine.toml"
QUARANTINE = "quarantine"
"""Under this name, a run's settings keep the entries that were there when it began."""


class QuarantineEntry(BaseModel):
    """``[[quarantine]]``.

    Attributes:
        case: name or pattern of ``design/case/K=V#seed``; without ``#``, of all seeds.
        reason: why it may fail.
        until: last day, in UTC, on which its failures do not fail a regression.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    case: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
    reason: Reason
    until: date

    def fits(self, key: str) -> bool:
        """Whether a case is in quarantine by this entry."""
        return fnmatchcase(key, self.case) or fnmatchcase(key.rpartition("#")[0], self.case)

    def holds(self, started: str) -> bool:
        """Whether it is in force for a run that began then (ISO 8601, UTC)."""
        return date.fromisoformat(started[:10]) <= self.until

    @property
    def text(self) -> str:
        """For people."""
        return f"{self.case} (until {self.until}: {self.reason})"


class _Quarantine(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    quarantine: tuple[QuarantineEntry, ...] = ()


def load_quarantine(root: Path) -> tuple[QuarantineEntry, ...]:
    """The entries of a project; none without a file.

    Raises:
        InputError: an entry without a case, a reason or a date, or an unknown key.
    """
    path = root / FILE
    return load_model(_Quarantine, path, "a quarantine (.toml)", _explain).quarantine if path.is_file() else ()


def _explain(refused: Refused) -> GoldbeatError:
    if refused.kind == "missing":
        return InputError(f"no {refused.key}", "case, reason and until = YYYY-MM-DD", file=refused.path)
    return explain(refused)


def entries_of(settings: Any) -> tuple[QuarantineEntry, ...]:
    """Those that a run's settings keep."""
    return tuple(QuarantineEntry.model_validate(one) for one in settings.get(QUARANTINE, ()))


def entry_of(key: str, entries: Iterable[QuarantineEntry]) -> QuarantineEntry | None:
    """The entry of a case that ends last; None: it is not in quarantine."""
    return max((one for one in entries if one.fits(key)), key=lambda one: one.until, default=None)
