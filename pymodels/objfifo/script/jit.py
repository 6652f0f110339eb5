# SPDX-License-Identifier: Apache-2.0
"""Designs that a script calls like functions: each call is executed, and the script's own check sees its result."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from contextvars import ContextVar
from enum import Enum
from types import SimpleNamespace
from typing import Any

import numpy as np

from goldbeat.pymodels.errors import GoldbeatError, UsageError
from goldbeat.pymodels.objfifo.iron.scope import fresh
from goldbeat.pymodels.objfifo.live.array import LiveArray
from goldbeat.pymodels.objfifo.live.execute import LiveResult, run_live
from goldbeat.pymodels.objfifo.live.open_live import KernelFunctions
from goldbeat.pymodels.objfifo.live.record import unrecorded
from goldbeat.pymodels.objfifo.plan.device import ANY, AIEDevice, Device, device_of
from goldbeat.pymodels.objfifo.plan.object_type import ObjectType, object_type
from goldbeat.pymodels.objfifo.plan.rules import RuleError
from goldbeat.pymodels.objfifo.script.build_script import build_script
from goldbeat.pymodels.objfifo.script.declared import (
    Declarations,
    Declared,
    declarations,
    declared_all,
    declaring,
)
from goldbeat.pymodels.objfifo.script.explicit import Explicit, explicit_ends, explicit_scope
from goldbeat.pymodels.objfifo.script.tensor import ScriptTensor


class CalledUse(Enum):
    """What becomes of a design that a script calls."""

    EXECUTED = "executed"
    """Its execution decides."""
    PLANNED = "planned"
    """Its plan decides; it is executed for the script's own check."""
    ENDS = "ends"
    """The script ends there: its plan decides, or the rule that it breaks."""


class ScriptSession:
    """What calls of designs are given, and what they came to.

    Attributes:
        kernels: stand-ins.
        results: of every call, in order.
        device: the device at hand.
        use: what becomes of a design that is called, up to the first one that is planned. None: all are executed.
        planned: the first design that is planned; None: there is none.
    """

    def __init__(
        self, kernels: KernelFunctions, device: Any = None, use: Callable[[Declared], CalledUse] | None = None
    ) -> None:
        self.kernels, self.device, self.use = kernels, device, use
        self.results: list[LiveResult] = []
        self.planned: Declared | None = None

    def plans(self, found: Declared) -> bool:
        """A called design is planned. It is executed all the same for the script's own check, unless it ends the script."""
        use = CalledUse.EXECUTED if self.use is None or self.planned is not None else self.use(found)
        if use is not CalledUse.EXECUTED:
            declarations().designs.append(found)
            self.planned = found
        if use is CalledUse.ENDS:
            raise SystemExit(0)
        return self.planned is not None


_session: ContextVar[ScriptSession | None] = ContextVar("script_session", default=None)


def session() -> ScriptSession:
    """The session at hand.

    Raises:
        UsageError: there is none: the script is run by Python itself.
    """
    found = _session.get()
    if found is None:
        raise UsageError("a design is called like a function: run the script with `goldbeat objfifo exec`")
    return found


@contextmanager
def script_session(found: ScriptSession) -> Any:
    """A session for calls of designs."""
    token = _session.set(found)
    try:
        yield found
    finally:
        _session.reset(token)


@contextmanager
def own_declarations() -> Any:
    """Designs and explicit parts of a block by themselves."""
    found = Declarations()
    first, second = declaring(found), explicit_scope(Explicit())
    try:
        yield found
    finally:
        explicit_ends(second)
        declared_all(first)


class DispatchTime:
    """``DispatchTime[np.int32]``: a number that may differ from one call of a design to the next."""

    def __init__(self, kind: Any) -> None:
        self.dtype = np.dtype(kind)
        if self.dtype.kind not in "iu":
            raise UsageError(f"DispatchTime[{self.dtype}]: expected a whole number's type such as np.int32")

    def __class_getitem__(cls, kind: Any) -> DispatchTime:
        return cls(kind)

    def parameter(self, name: str) -> type[Any]:
        """What a design gets for a number that is not known yet: its type, which remembers the name."""
        return type(name, (self.dtype.type,), {"parameter": name})

    def fitting(self, name: str, value: Any) -> int:
        """A number of a call.

        Raises:
            UsageError: not a whole number of the type.
        """
        limits = np.iinfo(self.dtype)
        if not isinstance(value, int | np.integer) or not limits.min <= int(value) <= limits.max:
            raise UsageError(f"{name} = {value!r}, expected a whole number of {self.dtype}")
        return int(value)


def dispatch_numbers(function: Callable[..., Any]) -> dict[str, tuple[DispatchTime, Any]]:
    """Parameters of a design that differ from call to call, with their defaults."""
    found: dict[str, tuple[DispatchTime, Any]] = {}
    if not hasattr(function, "__code__"):
        return found
    for name, one in inspect.signature(function).parameters.items():
        kind = one.annotation
        if isinstance(kind, str) and "DispatchTime" in kind:
            kind = eval(kind, function.__globals__)
        if isinstance(kind, DispatchTime):
            found[name] = (kind, one.default)
    return found


class JitDesign:
    """A function that declares a design.

    Args:
        function: of tensors, and of keywords that are known at compile time.
        packets: every fifo as packets.
        bound: keywords that were chosen before the call.
    """

    def __init__(
        self, function: Callable[..., Any], packets: bool = False, bound: Mapping[str, Any] | None = None
    ) -> None:
        self.function, self.packets, self.bound = function, packets, dict(bound or {})
        self.numbers = {n: one for n, one in dispatch_numbers(function).items() if n not in self.bound}
        self._specialized: Declared | None = None
        self._kernel_cache: dict[Any, Any] = {}
        self.__name__ = getattr(function, "__name__", "design")
        self.compilable = SimpleNamespace(
            mlir_generator=function, aiecc_flags=["--packet-sw-objFifos"] * packets, dispatch_params=[*self.numbers]
        )

    def declare(self, tensors: Any, keywords: dict[str, Any]) -> Declared:
        """Run the function: what it declares."""
        types = {name: kind.parameter(name) for name, (kind, _) in self.numbers.items()}
        with fresh() as inner, own_declarations() as found:
            inner.live = inner.silent = True
            self.function(*tensors, **{**self.bound, **keywords, **types})
        if not found.designs:
            raise UsageError(f"{self.__name__} declares no design: no Program is resolved in it")
        last: Declared = found.designs[-1]
        return last

    def specialize(self, **keywords: Any) -> JitDesign:
        """The design with keywords, ready to be called. If it is not, its arrays are those of the command line."""
        kinds = dispatch_numbers(self.function)
        typed = {n: kinds[n][0].dtype.type(kinds[n][0].fitting(n, v)) if n in kinds else v for n, v in keywords.items()}
        made = JitDesign(self.function, self.packets, {**self.bound, **typed})
        made._specialized = made.declare([None] * self._count(), {})
        declarations().designs.append(made._specialized)
        return made

    def _called_numbers(self, keywords: dict[str, Any]) -> dict[str, int]:
        """Numbers of a call, which are taken out of its keywords.

        Raises:
            TypeError: one was chosen before the call.
            UsageError: one is missing, or does not fit.
        """
        found: dict[str, int] = {}
        if wrong := [name for name in keywords if name in self.bound and name in dispatch_numbers(self.function)]:
            raise TypeError(f"{self.__name__}: {wrong[0]} is specialized to {self.bound[wrong[0]]}")
        for name, (kind, default) in self.numbers.items():
            value = keywords.pop(name, default)
            if value is inspect.Parameter.empty:
                raise UsageError(f"{self.__name__}: no value for {name}")
            found[name] = kind.fitting(name, value)
        return found

    def _by_name(self, given: tuple[Any, ...], keywords: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Numbers of a call that are given by their places, as keywords."""
        names = [] if _takes_any(self.function) else [*inspect.signature(self.function).parameters]
        at = {n: names[n] for n in range(min(len(given), len(names))) if names[n] in dispatch_numbers(self.function)}
        if twice := [name for name in at.values() if name in keywords]:
            raise UsageError(f"{self.__name__}: found {twice[0]} by its place and by its name, expected one of them")
        tensors = tuple(one for n, one in enumerate(given) if n not in at)
        return tensors, {**keywords, **{name: given[n] for n, name in at.items()}}

    def _count(self) -> int:
        """How many arrays a design takes by their places."""
        if _takes_any(self.function):
            return 16
        names = [*inspect.signature(self.function).parameters][: self.function.__code__.co_argcount]
        return len([name for name in names if name not in dispatch_numbers(self.function)])

    def as_mlir(self) -> str:
        """Nothing is printed."""
        return ""

    def compile(self, **_: Any) -> tuple[None, None]:
        """Nothing is compiled."""
        return None, None

    def __call__(self, *tensors: Any, **keywords: Any) -> None:
        """Execute the design on tensors, which hold its results afterwards.

        Algorithms were called with their function first until April 2026: ``jit(transform)(function, tensor, tensor)``.
        """
        if len(tensors) > 1 and callable(tensors[0]):
            work, tensors = tensors[0], tensors[1:]
            JitDesign(lambda *_, **more: self.function(work, tensors[0], **more), self.packets)(*tensors, **keywords)
            return
        now = session()
        tensors, keywords = self._by_name(tensors, keywords)
        numbers = self._called_numbers(keywords)
        if self._specialized in declarations().designs:
            declarations().designs.remove(self._specialized)
        found = self.declare(tensors, keywords)
        inputs: dict[str, Any] = {f"arg{n}": _given(found, n, t) for n, t in enumerate(tensors)}
        inputs |= {name: number for name, number in numbers.items() if name in _numbers_of(found)}
        result = self._result(now, found, inputs)
        self._kernel_cache.setdefault(self.__name__, result)  # one kernel serves calls with any numbers
        for number, tensor in enumerate(tensors):
            if isinstance(tensor, ScriptTensor) and f"arg{number}" in result.hosts:
                tensor.take(result.hosts[f"arg{number}"])
        if not result.completes:
            raise UsageError(f"{self.__name__} hangs: " + "; ".join(result.report))

    def _result(self, now: ScriptSession, found: Declared, inputs: Mapping[str, Any]) -> LiveResult:
        """Execute a design; the script ends at one that is planned and cannot be executed, or hangs: its plan says why."""
        planned = now.plans(found)

        def build() -> LiveArray:
            return build_script(found, now.kernels, packets=self.packets)

        try:
            with unrecorded() if planned else nullcontext():
                result = run_live(build, inputs)
        except GoldbeatError:
            if not planned:
                raise
            raise SystemExit(0) from None
        if planned and not result.completes:
            raise SystemExit(0)
        if not planned:
            now.results.append(result)
        return result


def _given(found: Declared, number: int, tensor: Any) -> Any:
    """An argument of a call: the bytes of a tensor are handed over as they are.

    Raises:
        UsageError: as many elements as the design's array has, of another size.
    """
    kind: ObjectType | None = None
    if isinstance(tensor, ScriptTensor) and number < len(found.types):
        with suppress(RuleError):
            kind = object_type(found.types[number])
    if kind is None or kind.dtype == tensor.dtype:
        return np.asarray(tensor)
    if tensor.nbytes < kind.size or (tensor.size == kind.elements and tensor.nbytes != kind.size):
        raise UsageError(f"argument {number}: found {tensor.size} elements of {tensor.dtype}, expected {kind}")
    return tensor.array.reshape(-1).view(kind.dtype)


def _numbers_of(found: Declared) -> set[str]:
    """Names of the numbers that a design's sequence takes."""
    return {one.name for one in found.runtime.scalars} if found.runtime is not None else set()


def _takes_any(function: Any) -> bool:
    return not hasattr(function, "__code__") or bool(function.__code__.co_flags & 4)


def jit(function: Callable[..., Any] | None = None, aiecc_flags: Sequence[str] = (), **_: Any) -> Any:
    """``@iron.jit``, with or without arguments; of the compiler's options those for packets count."""
    packets = "--packet-sw-objFifos" in aiecc_flags
    return (lambda made: JitDesign(made, packets)) if function is None else JitDesign(function, packets)


# -- devices --------------------------------------------------------------------------------------------------------------


def named_device(name: str | None, n_cols: Any = None) -> Device:
    """A device by the name of a command line."""
    if name is None:
        return ANY
    base = {"npu": "npu1"}.get(name, name)
    full = base if n_cols is None else f"{base}_{n_cols}col"
    known = {one.value.name: one.value for one in AIEDevice}
    if full in known or base in known:
        return known.get(full, known[base]) if base in known else known[full]
    raise UsageError(f"no device {name}; known: {', '.join(known)}")


def current_device() -> Any:
    """The device at hand, any if there is none."""
    found = _session.get()
    return ANY if found is None or found.device is None else found.device


class ScriptRuntime:
    """``_get_default_npu_runtime()``: says which NPU is there.

    Attributes:
        npu_str: ``npu1`` or ``npu2``.
    """

    def __init__(self, device: Device) -> None:
        self.npu_str = device.name.partition("_")[0]


def script_runtime() -> ScriptRuntime:
    """The NPU at hand.

    Raises:
        UsageError: none was named.
    """
    found = device_of(current_device())
    if found is ANY:
        raise UsageError("the script asks which NPU there is: name it with --device, for example --device npu1")
    return ScriptRuntime(found)


def set_device(found: Any) -> None:
    """Take a device."""
    now = _session.get()
    if now is not None:
        now.device = found
