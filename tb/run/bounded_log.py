# SPDX-License-Identifier: Apache-2.0
"""A log file that cannot fill the disk: its head and its tail, whatever a process prints."""

from __future__ import annotations

import os
import re
import select
import threading
from collections import deque
from pathlib import Path

HEAD = 4 << 20
"""Bytes kept from the beginning."""
TAIL = 1 << 20
"""Bytes kept from the end."""
_CHUNK = 1 << 16
_CUT = re.compile(rb"\n\[goldbeat: (\d+) bytes cut\]\n")
_WORDS = 1 << 14


class BoundedLog:
    """The output of a process, from a pipe to a file.

    A thread takes what comes. The head is on disk at once; the tail is written by :meth:`finish`, with a line between the two that
    says how many bytes were cut.

    Args:
        path: of the file.
        append: go on with the file of processes before.

    Attributes:
        pipe: the file descriptor for the process to write to; close it in this process with :meth:`started`.
    """

    def __init__(self, path: Path, *, append: bool = False) -> None:
        self.path = path
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | (0 if append else os.O_TRUNC), 0o666)
        self._size = os.fstat(self._file).st_size
        self._tail: deque[bytes] = deque()
        self._kept, self._cut = 0, 0
        self._error: OSError | None = None
        self._guard = threading.Lock()
        self._take_over()
        self._read, self.pipe = os.pipe()
        self._wake, self._stop = os.pipe()
        self._thread: threading.Thread | None = threading.Thread(target=self._follow, daemon=True)
        self._thread.start()

    def started(self) -> None:
        """The process has its end of the pipe, or there is none: this process gives up its own."""
        if self.pipe >= 0:
            os.close(self.pipe)
            self.pipe = -1

    def finish(self) -> None:
        """Write the tail. Call it when the process has ended; more calls do nothing.

        Raises:
            OSError: something could not be written, as on a full disk.
        """
        if self._thread is None:
            return
        self.started()
        os.close(self._stop)
        self._thread.join()
        self._thread = None
        if self._cut:
            self._write(b"\n[goldbeat: %d bytes cut]\n" % self._cut)
        for chunk in self._tail:
            self._write(chunk)
        self._tail.clear()
        for one in (self._read, self._wake, self._file):
            os.close(one)
        if self._error is not None:
            raise self._error

    def end(self, lines: int) -> str:
        """The last lines by now, at most 16 KiB of them."""
        with self._guard:
            text = b"".join(self._tail)[-_WORDS:]
        if len(text) < _WORDS:
            with self.path.open("rb") as stream:
                stream.seek(max(0, stream.seek(0, os.SEEK_END) - _WORDS))
                text = (stream.read() + text)[-_WORDS:]
        return "\n".join(text.decode(errors="replace").splitlines()[-lines:])

    def _take_over(self) -> None:
        """Take the tail of earlier processes out of the file again."""
        if self._size > HEAD:
            rest = os.pread(self._file, self._size - HEAD, HEAD)
            os.ftruncate(self._file, HEAD)
            self._size = HEAD
            if found := _CUT.match(rest):
                self._cut, rest = int(found[1]), rest[found.end() :]
            self._keep(rest)

    def _follow(self) -> None:
        os.set_blocking(self._read, False)
        while True:
            # Whoever the process has started may keep its end of the pipe open: what is there at the end is all.
            ready = select.select([self._read, self._wake], [], [])[0]
            try:
                chunk = os.read(self._read, _CHUNK)
            except BlockingIOError:
                if self._wake in ready:
                    return
                continue
            if not chunk:
                return
            with self._guard:
                self._take(chunk)

    def _take(self, chunk: bytes) -> None:
        room = 0 if self._tail else max(0, HEAD - self._size)
        if room:
            self._write(chunk[:room])
        self._keep(chunk[room:])

    def _keep(self, chunk: bytes) -> None:
        if chunk:
            self._tail.append(chunk)
            self._kept += len(chunk)
        while self._kept > TAIL:
            first = self._tail.popleft()
            over = min(len(first), self._kept - TAIL)
            if over < len(first):
                self._tail.appendleft(first[over:])
            self._kept -= over
            self._cut += over

    def _write(self, data: bytes) -> None:
        # A process must never wait for a full disk: what comes then is read and dropped, and reported at the end.
        self._size += len(data)
        try:
            while data and self._error is None:
                data = data[os.write(self._file, data) :]
        except OSError as error:
            error.filename = str(self.path)
            self._error = error
