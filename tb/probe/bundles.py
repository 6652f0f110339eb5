# SPDX-License-Identifier: Apache-2.0
"""From ports that belong together by name to bundles of a description, or to the reason why not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import ValidationError

from goldbeat.tb.design.ports.bundle import Bundle
from goldbeat.tb.design.ports.recognition import NotABundleError, TopParameter, Wires
from goldbeat.tb.probe.module import PortValues
from goldbeat.tb.probe.names import PinGroup


@dataclass
class PlacedBundle:
    """A bundle, and what happened to the signals of it that are left out.

    Attributes:
        port: the bundle, still without its clock.
        wires: its ports, and those that were left out.
    """

    port: Bundle
    wires: Wires


def place_group(group: PinGroup, parameters: Sequence[TopParameter], values: PortValues | None = None) -> PlacedBundle:
    """Make a bundle of a group.

    Args:
        group: the ports.
        parameters: of the top module.
        values: how they pass through it; None: nothing is known of that.

    Raises:
        NotABundleError: with the reason.
    """
    values = values or PortValues()
    for one in group.buses:
        wires = Wires(group.name, group.pins, parameters, group.inverted, values.unread, values.indexed)
        try:
            port = one.recognise(wires)
        except ValidationError as error:
            raise NotABundleError(error.errors()[0]["msg"].removeprefix("Value error, ")) from None
        if port is not None:
            return PlacedBundle(port, wires)
    raise NotABundleError("no bus has these signals")
