# SPDX-License-Identifier: Apache-2.0
"""Workers: Python functions that run on cores, and the kernels they call."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from goldbeat.pymodels.errors import GoldbeatError, InputError, UsageError, line_in, said_of
from goldbeat.pymodels.objfifo.iron.endpoint import Place
from goldbeat.pymodels.objfifo.iron.fifo import ObjectFifo, ObjectFifoHandle
from goldbeat.pymodels.objfifo.iron.keywords import only_harmless
from goldbeat.pymodels.objfifo.iron.renamed_arguments import either
from goldbeat.pymodels.objfifo.iron.scope import scope
from goldbeat.pymodels.objfifo.plan.access import LockAccess, of_package, written_at
from goldbeat.pymodels.objfifo.plan.core_object import unchecked
from goldbeat.pymodels.objfifo.plan.plan import FifoEnd
from goldbeat.pymodels.objfifo.plan.rules import RuleError
from goldbeat.pymodels.objfifo.plan.tile import TileKind
from goldbeat.pymodels.order.watched_memory import watched_call
from goldbeat.pymodels.process_end import process_goes_on

TRACE_CALLS = frozenset({"event0", "event1", "event_0", "event_1", "flush_trace"})
"""Compiled functions without arguments that mark a trace (mlir-aie ``aie_kernels``): without a stand-in they do nothing."""
_COMPILER = ("allocation_scheme", "trace", "trace_events", "dynamic_objfifo_lowering")
_stand_ins: ContextVar[Mapping[str, Callable[..., Any]] | None] = ContextVar("stand_ins", default=None)


_serve: ContextVar[Callable[[Generator[Any, Any, Any]], Any] | None] = ContextVar("serve_stand_in", default=None)


@contextmanager
def stand_ins_served(serve: Callable[[Generator[Any, Any, Any]], Any]) -> Iterator[None]:
    """``serve`` runs stand-ins that yield what they want of the core's ports, inside the block."""
    token = _serve.set(serve)
    try:
        yield
    finally:
        _serve.reset(token)


@contextmanager
def kernels_stand_in(found: Mapping[str, Callable[..., Any]]) -> Iterator[None]:
    """Python functions by the names of kernels or of their object files; a kernel that is run and has none is an error."""
    token = _stand_ins.set(found)
    try:
        yield
    finally:
        _stand_ins.reset(token)


class NoStandInError(UsageError):
    """A compiled kernel is run, and nothing stands for it."""


class StandInError(InputError):
    """A function that stands for a kernel raises, or cannot be called with the kernel's arguments."""


def call_stand_in(name: str, function: Callable[..., Any], args: Sequence[Any]) -> Any:
    """Call what stands for a kernel.

    Raises:
        StandInError: it raises something of its own, with its file and line; or what it yields from does.
    """
    with _its_errors(name, function), process_goes_on():
        found = watched_call(function, [unchecked(one) for one in args])
    return _resumed(name, function, found) if isinstance(found, Generator) else found


def _resumed(name: str, function: Callable[..., Any], wishes: Generator[Any, Any, Any]) -> Generator[Any, Any, Any]:
    resume: Callable[[Any], Any] = wishes.send
    answer: Any = None
    while True:
        # A block for each step: none may be open while others run.
        with _its_errors(name, function), process_goes_on():
            try:
                wish = resume(answer)
            except StopIteration as end:
                return end.value
        try:
            answer = yield wish
            resume = wishes.send
        except Exception as error:
            resume, answer = wishes.throw, error


@contextmanager
def _its_errors(name: str, function: Callable[..., Any]) -> Iterator[None]:
    try:
        yield
    except GoldbeatError:
        raise
    except (Exception, SystemExit) as error:
        code = getattr(inspect.unwrap(function), "__code__", None)
        file = None if code is None else code.co_filename
        found = f"{said_of(error)}, from the stand-in of {name}"
        line = line_in(error, file) or getattr(code, "co_firstlineno", None)
        at = written_at() if of_package(file) else None  # Of a model of the package: the line that calls it.
        if at is not None:
            file, line = at.file, at.line
        raise StandInError(found, "a function for the kernel's arguments", file=file, line=line) from error


def stand_in_of(name: str, file: str) -> Callable[..., Any] | None:
    """What stands for a kernel that is being declared; None if nothing is known."""
    known = _stand_ins.get() or {}
    return known.get(name) or known.get(file)


def given_stand_in(name: str, file: str) -> Callable[..., Any] | None:
    """What was named for a kernel that has a model of its own; None if nothing was."""
    known = _stand_ins.get() or {}
    return next((known[one] for one in (name, file) if one in known), None)


def run_kernel(name: str, file: str, model: Callable[..., Any] | None, args: Sequence[Any]) -> Any:
    """Run what stands for a kernel.

    Raises:
        UsageError: nothing does, where stand-ins are asked for; or it uses ports where nothing is executed.
    """
    known = _stand_ins.get()
    if model is None and known is not None:
        model = stand_in_of(name, file)
        if model is None and name in TRACE_CALLS and not args:
            return None
        if model is None:
            raise NoStandInError(f"{name} is compiled code; give a stand-in: --kernel {name}=FILE.py:FUNCTION")
    found = None if model is None else call_stand_in(name, model, [getattr(a, "array", a) for a in args])
    if not isinstance(found, Generator):
        return found
    serve = _serve.get()
    if serve is None:
        raise UsageError(f"{name} uses streams or the cascade: it is executed (goldbeat objfifo exec), not planned")
    return serve(found)


class ArgumentTypes(list[Any]):
    """Types of a kernel's arguments; mlir-aie's later versions call it for a copy."""

    def __call__(self) -> list[Any]:
        """A copy."""
        return list(self)


class Kernel:
    """A function compiled for the core.

    It does nothing by itself; for data, give a Python function that stands for it: ``kernel.model = function``.

    Args:
        name: of the function.
        bin_name: the object file it is in.
        arg_types: types of its arguments.
    """

    def __init__(self, name: str, bin_name: str = "", arg_types: Sequence[Any] | None = None) -> None:
        self.name = name
        self.bin_name = bin_name
        self.arg_types = ArgumentTypes([] if arg_types is None else arg_types)
        self.model: Callable[..., Any] | None = stand_in_of(name, bin_name)

    def __call__(self, *args: Any) -> Any:
        """Run the Python function that stands for it, if there is one."""
        return run_kernel(self.name, self.bin_name, self.model, args)


class Worker(Place):
    """A Python function on a core.

    Args:
        core_fn: called with ``fn_args``; None does nothing.
        fn_args: handles, kernels and whatever else the function takes.
        placement: the core's tile.
        while_true: call the function again and again.
        tile: later name of ``placement``.
        accesses: what one call acquires and releases, for functions that cannot be run without data: pairs such as
            ``(handle, 1)`` to acquire and ``(handle, -1)`` to release.
        stack_size: accepted, without effect, as are other options of the compiler.

    Raises:
        UsageError: a fifo where a handle is needed, a tile that has no core.
    """

    kind = TileKind.CORE

    def __init__(
        self,
        core_fn: Callable[..., Any] | None,
        fn_args: Sequence[Any] = (),
        placement: Any = None,
        while_true: bool = True,
        *,
        tile: Any = None,
        accesses: Sequence[tuple[ObjectFifoHandle, int]] | None = None,
        stack_size: int | None = None,
        **more: Any,
    ) -> None:
        only_harmless("Worker", more, _COMPILER)
        name = getattr(core_fn, "__name__", "idle")
        super().__init__(either("placement", placement, "tile", tile), f"worker {name}")
        if self.asked is not None and self.asked.kind is not TileKind.CORE:
            raise UsageError(f"{self.what}: {self.asked} has no core")
        self.core_fn = core_fn
        self.fn_args = list(fn_args or ())
        self.while_true = while_true
        self.accesses = accesses
        for arg in self.fn_args:
            if isinstance(arg, ObjectFifo):
                raise RuleError(
                    "handle-kind", f"{self.what}: {arg.name} is a fifo; give it a handle from prod() or cons()"
                )
        for handle in self.fifos:
            handle.endpoint = self
        scope().workers.append(self)

    @property
    def fifos(self) -> list[ObjectFifoHandle]:
        """The handles among its arguments and in its declared accesses, in order."""
        found: list[ObjectFifoHandle] = []
        for arg in _flat([*self.fn_args, *(h for h, _ in self.accesses or ())]):
            if isinstance(arg, ObjectFifoHandle) and arg not in found:
                found.append(arg)
        return found

    def handles(self) -> Sequence[ObjectFifoHandle]:
        """The same."""
        return self.fifos

    def run(self) -> Any:
        """Call the function once."""
        return None if self.core_fn is None else self.core_fn(*self.fn_args)

    def declared(self) -> tuple[LockAccess, ...] | None:
        """The declared accesses in the form of a design, None where there are none."""
        if self.accesses is None:
            return None
        return tuple(
            LockAccess(n > 0, h.name, h.port, 0 if h.port is FifoEnd.PRODUCE else h.fifo.consumers.index(h), abs(n))
            for h, n in self.accesses
        )


def _flat(values: Sequence[Any]) -> list[Any]:
    out: list[Any] = []
    for value in values:
        out += _flat(value) if isinstance(value, list | tuple) else [value]
    return out
