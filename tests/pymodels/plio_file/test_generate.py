# SPDX-License-Identifier: Apache-2.0
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.plio_file.generate import WAVES, generate, load_samples, repack_port
from goldbeat.pymodels.samples import SAMPLE_TYPES
from goldbeat.pymodels.trace import Trace

EVERY = pytest.mark.parametrize("name", sorted(SAMPLE_TYPES))


@EVERY
@pytest.mark.parametrize("wave", WAVES)
@pytest.mark.parametrize("noise", [0.0, 1e30])
def test_samples_always_fit_their_type(name: str, wave: Any, noise: float) -> None:
    kind = SAMPLE_TYPES[name]
    samples = generate(wave, 100, name, noise=noise, seed=3, frame=10)
    assert samples.shape == ((100, 2) if kind.parts == 2 and kind.is_integer else (100,))
    assert np.array_equal(kind.decode(kind.encode(samples)), samples)
    if noise and kind.is_integer:
        # It saturates, and does not wrap.
        assert {int(v) for v in samples.reshape(-1)} == set(kind.part_range)


@EVERY
def test_the_same_seed_gives_the_same_samples(name: str) -> None:
    first = generate("random", 64, name, seed=1)
    assert np.array_equal(first, generate("random", 64, name, seed=1))
    assert not np.array_equal(first, generate("random", 64, name, seed=2))


def test_ramps() -> None:
    assert generate("ramp", 4, "cint16").tolist() == [[0, 0], [1, -1], [2, -2], [3, -3]]
    assert generate("ramp", 130, "int8")[126:].tolist() == [126, 127, -128, -127]
    assert generate("ramp", 258, "uint8")[254:].tolist() == [254, 255, 0, 1]
    assert generate("ramp", 7, "int16", amplitude=2).tolist() == [0, 1, 2, 0, 1, 2, 0]
    assert generate("ramp", 3, "cfloat").tolist() == [0, 1 - 1j, 2 - 2j]


def test_impulses_stand_at_the_start_of_frames() -> None:
    assert generate("impulse", 6, "cint16", amplitude=9, frame=4).tolist() == [[9, 0]] + [[0, 0]] * 3 + [[9, 0], [0, 0]]
    assert generate("impulse", 3, "int8").tolist() == [64, 0, 0]


def test_a_sine_has_its_frequency_and_peak() -> None:
    real = generate("sine", 1000, "int16", amplitude=1000, frequency=0.1)
    spectrum = np.abs(np.fft.rfft(real))
    assert int(np.argmax(spectrum)) == 100
    assert spectrum[100] == pytest.approx(500_000, rel=1e-3)
    pairs = generate("sine", 1000, "cint16", amplitude=1000, frequency=0.1)
    turning = np.fft.fft(pairs[:, 0] + 1j * pairs[:, 1])
    assert int(np.argmax(np.abs(turning))) == 100


def test_a_chirp_rises_to_half_the_sample_rate() -> None:
    values = generate("chirp", 4096, "cfloat", amplitude=1.0)
    steps = np.angle(values[1:] / values[:-1]) / (2 * np.pi)
    assert steps[0] == pytest.approx(0, abs=1e-3)
    assert steps[2047] == pytest.approx(0.25, abs=1e-3)
    assert np.abs(values).tolist() == pytest.approx([1.0] * 4096, abs=1e-6)


def test_noise_has_its_deviation() -> None:
    quiet = generate("sine", 20_000, "int16", amplitude=1000)
    noisy = generate("sine", 20_000, "int16", amplitude=1000, noise=50)
    difference = noisy.astype(float) - quiet
    assert difference.std() == pytest.approx(50, rel=0.03)
    assert difference.mean() == pytest.approx(0, abs=2)


def test_random_fills_the_range_or_the_amplitude() -> None:
    assert set(generate("random", 5000, "int8").tolist()) == set(range(-128, 128))
    assert set(generate("random", 500, "int8", amplitude=2).tolist()) == {-2, -1, 0, 1, 2}
    assert set(generate("random", 500, "uint8", amplitude=2).tolist()) == {0, 1, 2}


@pytest.mark.parametrize(
    ("wave", "options"),
    [
        ("square", {}),
        ("ramp", {"samples": 0}),
        ("ramp", {"frame": 0}),
        ("ramp", {"seed": -1}),
        ("sine", {"frequency": 0.6}),
        ("sine", {"frequency": float("nan")}),
        ("sine", {"amplitude": 40_000}),
        ("sine", {"amplitude": 0}),
        ("sine", {"amplitude": float("inf")}),
        ("sine", {"noise": -1}),
        ("sine", {"noise": float("nan")}),
    ],
)
def test_options_out_of_range(wave: Any, options: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        generate(wave, options.pop("samples", 8), "int16", **options)


# -- files ----------------------------------------------------------------------------------------------------------


def test_samples_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "s.npy"
    np.save(path, np.array([1 + 2j, -3 - 4j]))
    assert load_samples(str(path), "cint16").tolist() == [[1, 2], [-3, -4]]
    assert load_samples(str(path), "cint16", 1).tolist() == [[1, 2]]
    with pytest.raises(InputError, match=r"s\.npy: found 2 samples, expected at least 3"):
        load_samples(str(path), "cint16", 3)
    np.save(tmp_path / "flags.npy", np.ones(4, np.bool_))
    with pytest.raises(InputError, match=r"flags\.npy: found values of type bool, expected numbers for int16"):
        load_samples(str(tmp_path / "flags.npy"), "int16")
    with pytest.raises(InputError, match=r"s\.npy: .*expected int16"):
        load_samples(str(path), "int16")


def test_files_that_hold_no_samples(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        load_samples(str(tmp_path / "none.npy"), "int16")
    text = tmp_path / "text.npy"
    text.write_text("1 2 3\n")
    np.save(tmp_path / "o.npy", np.array([object()]))
    np.savez(tmp_path / "z.npy.npz", a=np.zeros(3))
    (tmp_path / "z.npy.npz").rename(tmp_path / "z.npy")
    np.save(tmp_path / "range.npy", np.array([70_000]))
    for name in ("text", "o", "z", "range"):
        with pytest.raises(InputError, match=rf"{name}\.npy"):
            load_samples(str(tmp_path / f"{name}.npy"), "int16")


# -- other widths ---------------------------------------------------------------------------------------------------


@given(
    count=st.integers(0, 60),
    frame=st.none() | st.integers(1, 20),
    before=st.sampled_from([32, 64, 128]),
    after=st.sampled_from([32, 64, 128]),
)
def test_repacking_is_packing_anew(count: int, frame: int | None, before: int, after: int) -> None:
    count = count if frame is not None else count // 4 * 4
    samples = np.arange(count)
    start = Trace.from_samples(samples, "int32", before, clock_ps=4000, frame=frame)
    assert repack_port(start, after) == Trace.from_samples(samples, "int32", after, clock_ps=4000, frame=frame)


def test_repacking_does_not_lose_or_invent_words() -> None:
    open_end = Trace.from_samples(np.arange(3), "int32", 32, clock_ps=4000)
    with pytest.raises(InputError, match="12 bytes after the last TLAST, expected a multiple of 8"):
        repack_port(open_end, 64)
    with pytest.raises(UsageError):
        repack_port(open_end, 33)
    empty_last = Trace.from_bytes(np.zeros((2, 4)), clock_ps=4000, keep=[[1] * 4, [0] * 4], last=[1, 1])
    assert repack_port(empty_last, 64).last.tolist() == [True, True]
    assert repack_port(empty_last, 64).keep.sum(axis=1).tolist() == [4, 0]
