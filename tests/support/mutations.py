# SPDX-License-Identifier: Apache-2.0
"""Readers against damaged files: seeded mutations of good ones, and what a reader does with them.

A reader may take a mutation or refuse it with a :class:`GoldbeatError`; anything else is a finding: another exception, more
than ``SECONDS`` of processor time, more than ``MEMORY`` bytes. A mutation is known by files, seed and number alone.
"""

from __future__ import annotations

import random
import re
import resource
import signal
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from goldbeat.pymodels.errors import GoldbeatError

SECONDS = 10
MEMORY = 2 << 30
QUICK, MANY = 100, 1_000
"""Mutations of a default test, and of a slow one in a turn."""

_NUMBERS = (
    "0",
    "-1",
    "1",
    "255",
    "4294967296",
    "99999999999999999999999",
    "-9223372036854775808",
    "0.5",
    "1e999",
    "nan",
)
_ENDS = (0, 1, 2, 3, 4, 7, 8, 15, 16, 31, 32, 63, 64, 127, 128, 255)
_TEXT = re.compile(rb"-?\d+")


class TooSlow(BaseException):
    """A reader has had its time; no exception that a reader could catch."""


def mutation(files: Sequence[bytes], number: int, seed: int = 0, words: Sequence[bytes] = ()) -> bytes:
    """One damaged file: one to four changes to one of the files.

    Args:
        files: good ones.
        number: which.
        seed: of all of them.
        words: what the format knows, put in here and there.
    """
    rng = random.Random(f"{seed} {number}")
    data = bytearray(rng.choice(files))
    for _ in range(rng.choice((1, 1, 2, 4))):
        rng.choice(_CHANGES)(data, rng, files, words)
    return bytes(data)


def _place(data: bytearray, rng: random.Random) -> int:
    # Headers decide most: every other change is within the first 256 bytes.
    return rng.randrange(min(256, len(data) + 1) if rng.random() < 0.5 else len(data) + 1)


def _span(data: bytearray, rng: random.Random) -> slice:
    first = _place(data, rng)
    return slice(first, first + rng.choice((1, 2, 4, 8, 16, 64, rng.randrange(1 + len(data)))))


def _flip(data: bytearray, rng: random.Random, *_: Any) -> None:
    if data:
        data[_place(data, rng) % len(data)] ^= 1 << rng.randrange(8)


def _byte(data: bytearray, rng: random.Random, *_: Any) -> None:
    if data:
        data[_place(data, rng) % len(data)] = rng.choice((*_ENDS, rng.randrange(256)))


def _integer(data: bytearray, rng: random.Random, *_: Any) -> None:
    """A small, large or negative number, or one about the size of the file, over 2, 4 or 8 bytes."""
    size = rng.choice((2, 4, 4, 8))
    top = 1 << 8 * size
    near = (
        rng.choice(_ENDS),
        top - 1 - rng.choice(_ENDS),
        top // 2 - rng.choice((0, 1)),
        len(data) + rng.randrange(-9, 9),
    )
    first = _place(data, rng)
    first -= first % size if rng.random() < 0.8 else 0
    data[first : first + size] = (rng.choice((*near, rng.randrange(top))) % top).to_bytes(size, "little")


def _number(data: bytearray, rng: random.Random, *_: Any) -> None:
    """Another decimal number where one stands as text."""
    found = list(_TEXT.finditer(data))
    if found:
        one = rng.choice(found)
        data[one.start() : one.end()] = rng.choice(_NUMBERS).encode()


def _cut(data: bytearray, rng: random.Random, *_: Any) -> None:
    del data[_span(data, rng)]


def _shorten(data: bytearray, rng: random.Random, *_: Any) -> None:
    del data[rng.randrange(1 + len(data)) :]


def _double(data: bytearray, rng: random.Random, *_: Any) -> None:
    part = bytes(data[_span(data, rng)])
    first = _place(data, rng)
    data[first:first] = part * rng.choice((1, 1, 2, max(1, min(20_000, 1 << 16) // (1 + len(part)))))


def _insert(data: bytearray, rng: random.Random, *_: Any) -> None:
    first = _place(data, rng)
    data[first:first] = rng.randbytes(rng.choice((1, 2, 4, 16, 100)))


def _word(data: bytearray, rng: random.Random, files: Sequence[bytes], words: Sequence[bytes]) -> None:
    if words:
        span = _span(data, rng)
        data[span if rng.random() < 0.5 else slice(span.start, span.start)] = rng.choice(words)


def _splice(data: bytearray, rng: random.Random, files: Sequence[bytes], words: Sequence[bytes]) -> None:
    """A part of another file, or of the same one, over what stands there."""
    other = bytearray(rng.choice(files))
    part = other[_span(other, rng)]
    first = _place(data, rng)
    data[first : first + len(part)] = part


def _line(data: bytearray, rng: random.Random, *_: Any) -> None:
    """A line taken away, doubled, or put elsewhere."""
    lines = data.splitlines(keepends=True)
    if len(lines) > 1:
        one = lines[rng.randrange(len(lines))]
        kind = rng.randrange(3)
        if kind != 1:
            lines.remove(one)
        if kind != 0:
            lines.insert(rng.randrange(1 + len(lines)), one)
        data[:] = b"".join(lines)


_CHANGES = (_flip, _byte, _integer, _integer, _number, _cut, _shorten, _double, _insert, _word, _splice, _line)


@contextmanager
def bounded(seconds: float = SECONDS, memory: int = MEMORY) -> Iterator[Callable[[], None]]:
    """Bound processor time and memory of what runs inside; the function it gives begins the time anew."""

    def stop(*_: Any) -> None:
        raise TooSlow(f"more than {seconds} s")

    before = signal.signal(signal.SIGPROF, stop)
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + memory, hard))
    try:
        yield lambda: signal.setitimer(signal.ITIMER_PROF, seconds) and None
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def survey(
    read: Callable[[bytes], Any],
    files: Sequence[bytes],
    count: int,
    seed: int = 0,
    words: Sequence[bytes] = (),
) -> list[str]:
    """Findings of a reader, one of each kind. Good files must be read.

    Args:
        read: takes a file's bytes.
        files: good ones; each must be read without an error.
        count: how many mutations.
        seed: of the mutations.
        words: see :func:`mutation`.
    """
    for file in files:
        read(file)
    found: dict[str, str] = {}
    with bounded() as begin:
        for number in range(count):
            data = mutation(files, number, seed, words)
            begin()
            try:
                read(data)
            except GoldbeatError:
                continue
            except (Exception, TooSlow) as error:
                where = traceback.extract_tb(error.__traceback__)[-4:]
                key = f"{type(error).__name__} {where[-1].filename}:{where[-1].lineno}"
                if key not in found:
                    calls = " < ".join(f"{Path(f.filename).name}:{f.lineno}" for f in reversed(where))
                    found[key] = (
                        f"number {number}, seed {seed}: {type(error).__name__}: {error} in {calls}: {data[:120]!r}"
                    )
    return list(found.values())


def at(path: Path, read: Callable[[Path], Any]) -> Callable[[bytes], Any]:
    """A reader of files as a reader of bytes."""

    def from_bytes(data: bytes) -> Any:
        path.write_bytes(data)
        return read(path)

    return from_bytes
