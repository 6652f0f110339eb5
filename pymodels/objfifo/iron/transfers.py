# SPDX-License-Identifier: Apache-2.0
"""Who takes the transfers that handles and flows start inside a sequence's function, and which part they move."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from types import SimpleNamespace
from typing import Any, Protocol

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.iron.element_pattern import ElementPattern
from goldbeat.pymodels.objfifo.iron.keywords import only_harmless

_PARTS = ("sizes", "strides", "offset", "transfer_len")
_MORE = (*_PARTS, "managed", "offset_parameter", "length_parameter", "length_unit")
_DIMS = 4
"""Dimensions of a shim's descriptor, with its iteration; walks of more are written in fewer."""
_UNIT_BYTES = 16
"""``length_unit`` is a multiple of so many (mlir-aie ``python/iron/runtime/dmatask.py``)."""


class TransferTaker(Protocol):
    """A sequence that is being declared, or one that runs."""

    def transfer(self, handle: Any, data: Any, tap: Any, wait: bool, group: Any, packet: Any = None) -> Any:
        """A fill or drain of a handle or a flow's end; ``tap`` is False if it moves nothing."""

    def finish(self, group: Any) -> None:
        """Wait for the transfers of a group."""


_taker: ContextVar[TransferTaker | None] = ContextVar("transfer_taker", default=None)


def transfer_taker() -> TransferTaker:
    """The sequence at hand; a :class:`UsageError` outside of one."""
    found = _taker.get()
    if found is None:
        raise UsageError("fill and drain belong inside the function of a Runtime")
    return found


@contextmanager
def transfers_to(taker: TransferTaker) -> Iterator[None]:
    """Let a sequence take them."""
    token = _taker.set(taker)
    try:
        yield
    finally:
        _taker.reset(token)


def start_transfer(
    what: str, end: Any, data: Any, tap: Any, wait: bool, packet: Any, group: Any, more: dict[str, Any]
) -> Any:
    """Start a fill or drain.

    Args:
        what: ``fill`` or ``drain``.
        end: a handle or a flow's end.
        data: the host's array.
        tap: which part of it.
        wait: report the end.
        packet: type and id of a header.
        group: what it belongs to.
        more: the pattern's ``sizes``, ``strides``, ``offset`` and ``transfer_len`` in place of ``tap``;
            ``offset_parameter`` moves it, ``length_parameter`` lengthens it by so many ``length_unit``;
            ``managed=False`` for one that the sequence waits for itself.

    Raises:
        UsageError: parts that do not belong together.
    """
    only_harmless(what, {name: value for name, value in more.items() if name not in _MORE})
    if more.get("managed") is False:
        group = SimpleNamespace(waited=[])
    given = {name: more[name] for name in _PARTS if more.get(name) is not None}
    if tap is not None and given:
        raise UsageError(f"{what} with a pattern (tap) and {', '.join(given)}, expected one of them")
    grows, shifts = more.get("length_parameter"), more.get("offset_parameter")
    if given:
        tap = _pattern(what, data, **given, grows=grows is not None)
    if grows is not None:
        tap = _lengthened(what, data, tap, given.get("transfer_len"), grows, more.get("length_unit"))
    if shifts is not None and tap is not False:
        walk = _whole(data) if tap is None else tap
        tap = ElementPattern(walk.tensor_dims, walk.offset + shifts.elements(), walk.sizes, walk.strides)
    if isinstance(tap, ElementPattern) and tap.padding is not None:
        raise UsageError(f"{what} with a padded pattern, expected one without: only memory tiles pad")
    if isinstance(tap, ElementPattern) and tap.rank > _DIMS:
        tap = tap.coalesce()
    return transfer_taker().transfer(end, data, tap, wait, group, packet)


def _whole(data: Any) -> ElementPattern:
    return ElementPattern(list(data.shape), 0, [math.prod(data.shape)], [1])


def _pattern(
    what: str, data: Any, sizes: Sequence[Any] | None = None, strides: Sequence[Any] | None = None, offset: Any = 0,
    transfer_len: Any = None, grows: bool = False,
) -> ElementPattern:  # fmt: skip
    """A pattern from its parts; without sizes it is a row of elements."""
    row = math.prod(data.shape) if transfer_len is None else max(1, int(transfer_len))
    counts = [row] if sizes is None else [int(n) for n in sizes]
    steps = [*[0] * (len(counts) - 1), 1] if strides is None else [int(n) for n in strides]
    if len(counts) != len(steps):
        raise UsageError(f"{what} with {len(counts)} sizes and {len(steps)} strides, expected as many of both")
    if sizes is not None and not grows and transfer_len not in (None, math.prod(counts[-3:])):
        raise UsageError(f"{what} with transfer_len={transfer_len}, expected {math.prod(counts[-3:])}, as sizes say")
    return ElementPattern(list(data.shape), int(offset), counts, steps)


def _lengthened(what: str, data: Any, tap: Any, length: Any, parameter: Any, unit: Any) -> ElementPattern | bool:
    """A row of elements that is longer by a parameter's number of units; False if nothing is left to move."""
    walk = _whole(data) if tap is None else tap
    size = data.obj.dtype.itemsize
    if unit is None or int(unit) < 1 or int(unit) * size % _UNIT_BYTES:
        raise UsageError(f"{what} with length_unit={unit} of {size} bytes, expected a multiple of {_UNIT_BYTES} bytes")
    run = 1
    for count, step in zip(reversed(walk.sizes), reversed(walk.strides), strict=True):
        if count > 1 and step != run:
            raise UsageError(
                f"{what} with a length_parameter and strides {list(walk.strides)}, expected a row of elements"
            )
        run *= count
    total = (run if length is None else int(length)) + parameter.elements() * int(unit)
    if walk.offset + total > math.prod(walk.tensor_dims):
        raise UsageError(
            f"{what} of elements {walk.offset} to {walk.offset + total - 1}, expected some of {data.shape}"
        )
    return ElementPattern(walk.tensor_dims, walk.offset, [total], [1]) if total > 0 else False
