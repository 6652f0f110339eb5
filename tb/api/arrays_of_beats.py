# SPDX-License-Identifier: Apache-2.0
"""Arrays of samples as the beats of a port, and back."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.clock import Clock
from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.samples import SampleType, sample_type
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.design.ports.stream import StreamPort
from goldbeat.tb.inside.job import RawBeats

Array = npt.NDArray[Any]


def type_of(port: StreamPort, values: Array | None, asked: str | None) -> SampleType:
    """The sample type of a port: as asked, else the port's own, else that of the array.

    Raises:
        UsageError: nothing says it, or the type does not exist.
    """
    if asked is not None:
        return sample_type(asked)
    if port.dtype is not None:
        return sample_type(port.dtype)
    if values is None:
        raise UsageError(f"port {port.name} has no sample type; give one: dtype='uint32'")
    try:
        return sample_type(values.dtype.name)
    except UsageError as error:
        raise UsageError(f"port {port.name}: {error}; give the type of the samples: dtype='int16'") from None


def beats_of_array(
    values: Any, port: StreamPort, clock: Clock, *, dtype: str | None = None, frame: int | None = None
) -> tuple[RawBeats | Trace, SampleType]:
    """Samples as back-to-back beats of a port: as bytes where all beats are whole, else as a trace.

    Args:
        values: (n,) samples; complex integers also as (n, 2), re and im, or as a complex array of whole numbers.
        port: with its width as a number.
        clock: the port's.
        dtype: sample type; None: see :func:`type_of`.
        frame: samples per frame; None: TLAST stands on the last beat, where the port has one.

    Raises:
        InputError: the type cannot hold a value, the shape is another, or the samples do not fill whole beats.
        UsageError: the type does not fit the port.
    """
    array = np.asarray(values)
    kind = type_of(port, array, dtype)
    if np.iscomplexobj(array) and kind.is_integer and kind.parts == 2:
        parts = np.stack([array.real, array.imag], axis=-1)
        whole = np.rint(parts).astype(np.int64)
        if not np.array_equal(whole, parts):
            raise InputError(
                "complex numbers with fractions", f"whole numbers, as port {port.name} carries {kind.name}"
            )
        array = whole
    ends = port.has("tlast")
    if frame is not None and not ends:
        raise UsageError(f"port {port.name} has no TLAST, so it has no frames")
    return _packed(array, kind, port, clock, frame, last=ends), kind


def _packed(
    array: Array, kind: SampleType, port: StreamPort, clock: Clock, frame: int | None, *, last: bool
) -> RawBeats | Trace:
    """The beats; as bytes alone where all are whole, which is most of the work less."""
    width = int(port.width)
    per_beat = kind.per_beat(width)
    size = len(array) if frame is None else frame
    if not len(array) or size < 1 or size % per_beat or len(array) % size:
        return Trace.from_samples(
            array, kind, width, clock_ps=clock.period_ps, frame=frame, last=last, offset_ps=clock.offset_ps
        )
    data = kind.encode(array, shared=True).reshape(-1, width // 8)
    step = size // per_beat
    ends = np.arange(step - 1, len(data), step) if last else np.zeros(0, np.int64)
    return RawBeats(data, ends, clock.period_ps, clock.offset_ps)


def array_of_bytes(data: npt.NDArray[np.uint8], kind: SampleType, *, as_complex: bool) -> Array:
    """The samples of (n, B) bytes that are all kept."""
    return _as_asked(kind.decode(data.reshape(-1)), kind, as_complex=as_complex)


def array_of_beats(trace: Trace, kind: SampleType, *, as_complex: bool) -> Array:
    """The samples of a trace; complex integers as a complex array if asked.

    Raises:
        InputError: a beat's valid bytes are not a whole number of samples.
    """
    return _as_asked(trace.samples(kind), kind, as_complex=as_complex)


def _as_asked(values: Array, kind: SampleType, *, as_complex: bool) -> Array:
    if as_complex and kind.is_integer and kind.parts == 2:
        joined: Array = values[:, 0] + 1j * values[:, 1]
        return joined
    return values
