# SPDX-License-Identifier: Apache-2.0
"""Slow spots of at least 64 cycles at half rate: each is found and named, and streams without one keep their limits."""

from __future__ import annotations

from pathlib import Path

from slow_spots import spotted_stream

from goldbeat.tb.run.signoff import LimitCheck, MeasuredPort, check_subject, file_subject, load_limits


def checked(folder: Path, seed: int, *, slow: bool) -> LimitCheck:
    stream = spotted_stream(seed, slow=slow)
    file = folder / "limits.toml"
    file.write_text(f'[port.p]\nleast_rate = {stream.rate}\nwindow = "64 cycles"\n')
    (found,) = check_subject(file_subject("p", {"p": MeasuredPort(stream.trace, "int32")}), load_limits(file))
    if stream.spot is not None:
        assert found.cycle is not None
        first, last = stream.spot
        assert first - 64 < found.cycle <= last, (seed, stream.spot, found.cycle)
    return found


def test_each_slow_spot_is_found_and_named(tmp_path: Path) -> None:
    assert [seed for seed in range(200) if checked(tmp_path, seed, slow=True).verdict != "fail"] == []


def test_streams_without_one_keep_their_limit(tmp_path: Path) -> None:
    assert [seed for seed in range(200) if not checked(tmp_path, seed, slow=False).passed] == []
