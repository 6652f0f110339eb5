# SPDX-License-Identifier: Apache-2.0
"""The report of a run, read back from its folder."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.json_file import read_json
from goldbeat.pymodels.validation import first_mistake
from goldbeat.tb.run.run_folder import REPORT

Model = TypeVar("Model", bound=BaseModel)


def read_report(model: type[Model], folder: Path) -> Model:
    """What a model takes of ``report.json``.

    Args:
        model: the part of the report that is needed.
        folder: that ``goldbeat run`` has left.

    Raises:
        InputError: no report, or a damaged one; with the file, and the line or the key.
    """
    path = folder / REPORT
    if not path.is_file():
        raise InputError(f"no {REPORT}", "a folder that `goldbeat run` has written", file=folder)
    try:
        return model.model_validate(read_json(path, "the report of a run"))
    except ValidationError as error:
        wrong = first_mistake(error)
        raise InputError(wrong.found, f"the report of a run ({wrong.expected})", file=path) from None
