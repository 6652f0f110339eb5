# SPDX-License-Identifier: Apache-2.0
"""Which chips streams can be of: those with whose tables and memories nothing is wrong with them."""

from __future__ import annotations

from collections.abc import Iterable

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.tpu.hazards.report import HAZARD_ADVICE, check_hazards
from goldbeat.pymodels.tpu.streams.bmodel import CommandStream
from goldbeat.pymodels.tpu.streams.checks import ADVICE, bare, check_streams
from goldbeat.pymodels.tpu.streams.tables import Chip, Tables


def fits_chip(chip: Chip, streams: Iterable[CommandStream]) -> bool:
    """Whether the checks of framing, ids and hazards find nothing, advice aside."""
    listed = [one if one.count is not None else bare(one) for one in streams]
    try:
        found = [*check_streams(chip, listed), *check_hazards(chip, listed).findings]
    except UsageError:
        return False
    return all(one.rule in ADVICE | HAZARD_ADVICE for one in found)


def chip_doubt(known: Tables, chip: Chip, streams: Iterable[CommandStream]) -> str | None:
    """Why streams are probably not of a chip: it does not fit and others do. None if there is no reason.

    Chips have heads and forms in common: where nothing tells them apart, a wrong one is not noticed.
    """
    listed = list(streams)
    if fits_chip(chip, listed):
        return None
    others = [one.name for one in known if one.name != chip.name and fits_chip(one, listed)]
    return f"the streams do not fit {chip.name}; they fit {', '.join(others)}" if others else None
