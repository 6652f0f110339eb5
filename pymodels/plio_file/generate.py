# SPDX-License-Identifier: Apache-2.0
"""Stimulus: numbers to feed a stream with. Pure functions: the same seed gives the same samples.

Samples come in the shapes that :class:`~goldbeat.pymodels.samples.SampleType` describes and always fit the type.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.arrays import load_numbers
from goldbeat.pymodels.errors import InputError, UsageError, naming
from goldbeat.pymodels.samples import SampleType, sample_type
from goldbeat.pymodels.trace import Trace

Wave = Literal["ramp", "random", "impulse", "sine", "chirp"]
WAVES: tuple[Wave, ...] = get_args(Wave)

SINE_FREQUENCY = 1 / 32
"""Default frequency of a sine, in cycles per sample."""
CHIRP_END = 0.5
"""A chirp sweeps from 0 to this frequency, in cycles per sample: half the sample rate."""


def full_scale(dtype: str | SampleType) -> float:
    """The largest amplitude a wave of this type can have: an integer type's largest value, and 1.0 for floats."""
    kind = sample_type(dtype)
    return float(kind.part_range[1]) if kind.is_integer else 1.0


def generate(
    wave: Wave,
    samples: int,
    dtype: str | SampleType,
    *,
    seed: int = 0,
    amplitude: float | None = None,
    noise: float = 0.0,
    frame: int | None = None,
    frequency: float = SINE_FREQUENCY,
) -> npt.NDArray[Any]:
    """Make samples.

    Args:
        wave: ``ramp``: 0, 1, 2... (complex: i, -i), so that a lost sample shows; an integer type wraps.
            ``random``: uniform. ``impulse``: one sample of ``amplitude`` at the start of each frame, zeros elsewhere.
            ``sine``: one tone (complex: cosine and sine). ``chirp``: a tone rising from 0 to half the sample rate over
            all samples.
        samples: how many.
        dtype: sample type.
        seed: of ``random`` and of the noise.
        amplitude: peak value; a ramp goes from 0 up to it and starts again. Left out: half the full scale for
            impulse, sine and chirp, all of it for random and ramp (floats: 1.0, and an endless ramp).
        noise: standard deviation of Gaussian noise added to each value, in the units of the samples; an integer type
            saturates.
        frame: samples per frame, for ``impulse``.
        frequency: of ``sine``, in cycles per sample.

    Raises:
        UsageError: an option out of range.
    """
    options: dict[str, Any] = {"amplitude": amplitude, "noise": noise, "frame": frame, "frequency": frequency}
    return next(generate_parts(wave, samples, dtype, max(1, samples), seed=seed, **options))


def generate_parts(
    wave: Wave,
    samples: int,
    dtype: str | SampleType,
    block: int,
    *,
    seed: int = 0,
    amplitude: float | None = None,
    noise: float = 0.0,
    frame: int | None = None,
    frequency: float = SINE_FREQUENCY,
) -> Iterator[npt.NDArray[Any]]:
    """Make the samples of :func:`generate`, ``block`` at a time.

    Raises:
        UsageError: an option out of range, with the first part.
    """
    kind = sample_type(dtype)
    if wave not in WAVES:
        raise UsageError(f"unknown pattern {wave!r}; known: {', '.join(WAVES)}, or a .npy file")
    if samples < 1:
        raise UsageError(f"{samples} samples; at least 1 is needed")
    if frame is not None and frame < 1:
        raise UsageError(f"frames of {frame} samples; at least 1 is needed")
    if seed < 0:
        raise UsageError(f"a seed of {seed} is negative")
    if not 0 <= frequency <= 0.5:
        raise UsageError(f"a frequency of {frequency} cycles a sample is not in [0, 0.5]")
    _check_levels(kind, amplitude, noise)
    rng = np.random.default_rng(seed)
    peak = full_scale(kind) / 2 if amplitude is None else amplitude
    for first in range(0, samples, block):
        i = np.arange(first, min(samples, first + block), dtype=np.int64)
        if wave == "ramp":
            parts = _ramp(kind, i, amplitude)
        elif wave == "random":
            parts = _random(kind, len(i), amplitude, rng)
        elif wave == "impulse":
            shape = (i % (frame or samples) == 0).astype(np.float64)
            parts = _parts(kind, shape * peak, np.zeros(len(i)))
        else:
            phase = frequency * i if wave == "sine" else CHIRP_END * i * (i / (2 * samples))
            parts = _turning(kind, phase, peak)
        yield _finish(parts, kind, noise, rng)


def _turning(kind: SampleType, phase: npt.NDArray[Any], peak: float) -> npt.NDArray[Any]:
    """(n, parts) of a tone with these phases, in cycles."""
    turn = 2 * np.pi * (phase % 1.0)
    # An unsigned type has no room below zero: swing about half the peak.
    low = kind.kind == "uint"
    real, imag = (peak * (f(turn) * 0.5 + 0.5 if low else f(turn)) for f in (np.cos, np.sin))
    return _parts(kind, imag if kind.parts == 1 else real, imag)


def _check_levels(kind: SampleType, amplitude: float | None, noise: float) -> None:
    if amplitude is not None and not 0 < amplitude < np.inf:
        raise UsageError(f"an amplitude of {amplitude} is not a positive number")
    if kind.is_integer and amplitude is not None and amplitude > full_scale(kind):
        raise UsageError(f"an amplitude of {amplitude:g} does not fit {kind.name}: at most {kind.part_range[1]}")
    if not 0 <= noise < np.inf:
        raise UsageError(f"a noise of {noise} is not a number of at least 0")


def _parts(kind: SampleType, real: npt.NDArray[Any], imag: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """(n, parts)."""
    return real[:, None] if kind.parts == 1 else np.stack([real, imag], axis=1)


def _ramp(kind: SampleType, i: npt.NDArray[np.int64], amplitude: float | None) -> npt.NDArray[Any]:
    if amplitude is not None:
        i = i % (int(amplitude) + 1)
    if not kind.is_integer:
        return _parts(kind, i, -i).astype(np.float64)
    ramp = _parts(kind, i, -i)
    if kind.part_bits < 8:
        low = kind.part_range[0]
        ramp = (ramp - low) % (1 << kind.part_bits) + low
    # Two's complement wraps by itself when the bits above the type are cut off.
    return ramp.astype(kind.part_dtype)


def _random(kind: SampleType, n: int, amplitude: float | None, rng: np.random.Generator) -> npt.NDArray[Any]:
    shape = (n, kind.parts)
    if not kind.is_integer:
        peak = 1.0 if amplitude is None else amplitude
        return rng.uniform(-peak, peak, shape)
    low, high = kind.part_range
    if amplitude is not None:
        high = min(high, int(amplitude))
        low = max(low, -high)
    return rng.integers(low, high, shape, dtype=kind.part_dtype.newbyteorder("="), endpoint=True)


def _finish(parts: npt.NDArray[Any], kind: SampleType, noise: float, rng: np.random.Generator) -> npt.NDArray[Any]:
    """Add noise, round, saturate and give the parts the type's own shape."""
    if noise:
        parts = parts.astype(np.float64) + rng.normal(0.0, noise, parts.shape)
    if kind.is_integer:
        if parts.dtype.kind == "f":
            parts = _saturate(np.rint(parts), kind)
        flat = parts.astype(kind.part_dtype)
        return flat if kind.parts == 2 else flat[:, 0]
    single = np.clip(parts, -kind.largest, kind.largest).astype(np.float32)
    # Through the bytes and back: what a file can hold, so bfloat16 comes rounded.
    pairs = single.reshape(-1).view(np.complex64) if kind.parts == 2 else single[:, 0]
    return kind.decode(kind.encode(pairs))


def _saturate(values: npt.NDArray[np.float64], kind: SampleType) -> npt.NDArray[Any]:
    low, high = kind.part_range
    # 2**63 - 1 is no float64: above the last float below it, put the integer itself.
    over = values >= float(high)
    inside = np.clip(values, float(low), np.nextafter(float(high), 0.0) if kind.part_bits == 64 else float(high))
    whole = inside.astype(kind.part_dtype)
    whole[over] = high
    return whole


def load_samples(path: str, dtype: str | SampleType, samples: int | None = None) -> npt.NDArray[Any]:
    """Samples from a ``.npy`` file, checked against the type.

    Args:
        path: an array of shape (n,), or (n, 2) or complex for complex types.
        dtype: sample type.
        samples: take so many from its start; None takes all.

    Raises:
        InputError: no such file, not an array of this type, or too short.
    """
    kind = sample_type(dtype)
    array = load_numbers(path, kind.name, "samples in a .npy file")
    with naming(path):
        decoded = kind.decode(kind.encode(array))
    if samples is not None and samples > len(decoded):
        raise InputError(f"{len(decoded)} samples", f"at least {samples}", file=path)
    return decoded[:samples]


def repack_port(trace: Trace, width: int) -> Trace:
    """The same bytes and frames on a port of another width, back to back.

    Times and sidebands do not survive: beats of another width have other times, which only a run can tell.

    Raises:
        InputError: beats without TLAST at the end do not fill a beat of the new width.
        UsageError: not a whole number of bytes.
    """
    if width < 8 or width % 8:
        raise UsageError(f"a port width of {width} bit is not a whole number of bytes")
    lanes = width // 8
    bounds = trace.frame_bounds()
    kept = trace.keep.sum(axis=1, dtype=np.int64)
    total = np.concatenate([[0], np.cumsum(kept)])
    size = total[bounds[:, 1]] - total[bounds[:, 0]]
    if len(trace) and not trace.last[-1] and size[-1] % lanes:
        raise InputError(f"{size[-1]} bytes after the last TLAST", f"a multiple of {lanes} for a {width}-bit port")
    # A frame of no bytes still has its TLAST beat.
    beats = np.maximum(-(-size // lanes), 1)
    start = np.concatenate([[0], np.cumsum(beats)])
    frame = np.repeat(np.arange(len(bounds)), size)
    within = np.arange(int(total[-1])) - np.repeat(total[bounds[:, 0]], size)
    data = np.zeros((int(start[-1]), lanes), np.uint8)
    keep = np.zeros(data.shape, np.bool_)
    at = (start[frame] + within // lanes, within % lanes)
    data[at] = trace.data[trace.keep]
    keep[at] = True
    last = np.zeros(len(data), np.bool_)
    if len(trace):
        last[start[1:] - 1] = True
        last[-1] = trace.last[-1]
    return Trace.from_bytes(data, keep=keep, last=last, clock_ps=trace.clock_ps, offset_ps=trace.offset_ps)
