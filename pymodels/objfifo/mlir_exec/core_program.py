# SPDX-License-Identifier: Apache-2.0
"""A core's program in text: locks, object fifos, streams and cascades beside its arithmetic."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from goldbeat.pymodels.objfifo.live.agent import LiveProgram
from goldbeat.pymodels.objfifo.live.array import LiveArray
from goldbeat.pymodels.objfifo.live.core_ports import CorePorts
from goldbeat.pymodels.objfifo.live.from_plan import LiveEnd
from goldbeat.pymodels.objfifo.mlir_exec.dma_text import lock_of
from goldbeat.pymodels.objfifo.mlir_exec.interpreter import Env, ScalarProgram, Waits
from goldbeat.pymodels.objfifo.mlir_exec.scalars import OperationError
from goldbeat.pymodels.objfifo.mlir_text.core_ops import read_access
from goldbeat.pymodels.objfifo.mlir_text.dma_ops import read_use
from goldbeat.pymodels.objfifo.mlir_text.tree import MlirOp
from goldbeat.pymodels.objfifo.plan.plan import FifoEnd

READ_PARAMETER = "aiex.read_scratchpad_parameter"
_NOTHING = ("aie.end", "aie.event", "func.func", "aie.debug", "vector.print")


class CoreProgram(ScalarProgram):
    """A core.

    Args:
        file, functions, kernels: as of :class:`ScalarProgram`.
        array: where it is.
        find: its hold on the end of a fifo.
        ports: its stream and cascade ports.
    """

    def __init__(
        self,
        file: Path | None,
        functions: Mapping[str, MlirOp],
        kernels: Mapping[str, Callable[..., Any]],
        array: LiveArray,
        find: Callable[[MlirOp, str, FifoEnd], LiveEnd],
        ports: CorePorts,
    ) -> None:
        super().__init__(file, functions, kernels)
        self.array, self.find, self.ports = array, find, ports

    def program(self, op: MlirOp, env: Env) -> LiveProgram:
        """The core's body, once; one that reads parameters of the scratchpad waits for them before."""
        self.endless = 0
        reads = any(o.name == READ_PARAMETER for o in op.everything)
        if op.attributes.get("emit_parameter_sync_preamble", reads):
            yield self.array.scratchpad.wait()
        yield from self.region(op.blocks, env)

    def waits_of(self, stand_in: Generator[Any, Any, Any]) -> Waits:
        """Run a stand-in that uses the cascade."""
        answer = yield from self.ports.serve(stand_in)
        return answer

    def other(self, op: MlirOp) -> None:
        """Prepare an operation of ``aie``."""
        if op.name == "aie.use_lock":
            op.flow = self._lock(op)
        elif op.name == "aie.objectfifo.acquire":
            op.flow = self._acquire(op)
        elif op.name == "aie.objectfifo.release":
            op.code = self._release(op)
        elif op.name == "aie.objectfifo.subview.access":
            op.code = _element(op)
        elif op.name in ("aie.get_stream", "aie.get_cascade"):
            op.flow = self._get(op)
        elif op.name in ("aie.put_stream", "aie.put_cascade"):
            op.flow = self._put(op)
        elif op.name == READ_PARAMETER:
            op.code = self._parameter(op)
        elif op.name in _NOTHING:
            op.code = lambda env: None
        else:
            super().other(op)

    def _lock(self, op: MlirOp) -> Callable[[Env], Waits]:
        def use(env: Env) -> Waits:
            line = read_use(op, env)
            lock = lock_of(line, env)
            if line.action == "Release":
                self.array.at = f"line {op.token.line}: "
                lock.value += line.count
            else:
                yield lock.blocked(line.count, equal=line.action == "Acquire")

        return use

    def _end_of(self, op: MlirOp) -> tuple[LiveEnd, int]:
        line = read_access(op)
        return self.find(op, line.fifo, FifoEnd.PRODUCE if line.port == "Produce" else FifoEnd.CONSUME), line.count

    def _acquire(self, op: MlirOp) -> Callable[[Env], Waits]:
        end, count = self._end_of(op)
        # Text before August 2026 names a window, whose objects another operation takes out.
        window = any("objectfifosubview" in t.text for t in op.tokens)
        if not window and op.results and len(op.results) != count:
            self.fail(op, f"{count} objects for {len(op.results)} names", "a name for each object")

        def acquire(env: Env) -> Waits:
            wait = end.acquire(count)
            if wait is not None:
                yield wait
            found = end.views(self.array, count)
            for number, result in enumerate(op.results):
                env[result] = found if window else found[number]

        return acquire

    def _release(self, op: MlirOp) -> Callable[[Env], None]:
        end, count = self._end_of(op)

        def release(env: Env) -> None:
            self.array.at = f"line {op.token.line}: "
            end.release(count)

        return release

    def _get(self, op: MlirOp) -> Callable[[Env], Waits]:
        cascade = op.name.endswith("cascade")
        kind = self._stream_type(op) if not cascade else ""

        def get(env: Env) -> Waits:
            wait, found = self.ports.get_cascade() if cascade else self.ports.get_stream(_channel(op, env))
            yield wait
            env[op.results[0]] = found[0] if cascade else word_value(found[0], kind)

        return get

    def _parameter(self, op: MlirOp) -> Callable[[Env], None]:
        name, result = op.symbols[0], op.results[0]

        def read(env: Env) -> None:
            env[result] = self.array.scratchpad.value(name)

        return read

    def _stream_type(self, op: MlirOp) -> str:
        """The type of a word: the last one that is named."""
        kind = [t.text for t in op.tokens if t.kind == "word"][-1:] or ["i32"]
        if kind[0] not in ("i32", "f32"):
            self.fail(op, f"a stream of {kind[0]}", "i32 or f32")
        return kind[0]

    def _put(self, op: MlirOp) -> Callable[[Env], Waits]:
        cascade = op.name.endswith("cascade")
        kind = self._stream_type(op) if not cascade else ""

        def put(env: Env) -> Waits:
            value = env[op.operands[-1 if not cascade else 0]]
            if cascade:
                yield self.ports.put_cascade(value)
            else:
                yield self.ports.put_stream(_channel(op, env), value_word(value, kind))

        return put


def word_value(word: int, kind: str) -> Any:
    """A word, a signed number, as a value of ``i32`` or ``f32``."""
    return float(np.array([word], np.int32).view(np.float32)[0]) if kind == "f32" else word


def value_word(value: Any, kind: str) -> int:
    """A value of ``i32`` or ``f32`` as a word."""
    return int(np.array([value], np.float32).view(np.int32)[0]) if kind == "f32" else int(value)


def _channel(op: MlirOp, env: Env) -> int:
    names = op.operands
    numbers = [t for t in op.tokens if t.kind == "number"]
    return int(env[names[0]]) if names and not numbers else int(numbers[0].text, 0) if numbers else 0


def _element(op: MlirOp) -> Callable[[Env], None]:
    source, result = op.operands[0], op.results[0]
    number = next(int(t.text, 0) for t in op.tokens if t.kind == "number")

    def access(env: Env) -> None:
        held = env[source]
        if not 0 <= number < len(held):
            raise OperationError(f"object {number} of the {len(held)} that are acquired", "an object that is acquired")
        env[result] = held[number]

    return access
