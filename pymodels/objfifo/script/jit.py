# SPDX-License-Identifier: Apache-2.0
"""Designs that a script calls like functions: each call is executed, and the script's own check sees its result."""

from __future__ import annotations

import argparse
import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from enum import Enum
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import GoldbeatError, UsageError
from goldbeat.pymodels.objfifo.iron.fifo import ObjectFifo
from goldbeat.pymodels.objfifo.iron.runtime import Runtime
from goldbeat.pymodels.objfifo.iron.scope import fresh
from goldbeat.pymodels.objfifo.live.array import LiveArray
from goldbeat.pymodels.objfifo.live.execute import LiveResult, run_live
from goldbeat.pymodels.objfifo.live.open_live import KernelFunctions
from goldbeat.pymodels.objfifo.live.record import unrecorded
from goldbeat.pymodels.objfifo.plan.access import range_
from goldbeat.pymodels.objfifo.plan.device import ANY, AIEDevice, Device, device_of
from goldbeat.pymodels.objfifo.plan.object_type import ObjectType, object_type
from goldbeat.pymodels.objfifo.script.build_script import build_script
from goldbeat.pymodels.objfifo.script.declared import (
    Declarations,
    Declared,
    ScriptProgram,
    ScriptWorker,
    declarations,
    declared_all,
    declaring,
)
from goldbeat.pymodels.objfifo.script.explicit import Explicit, explicit_ends, explicit_scope


class ScriptTensor:
    """An array that a script hands to a design."""

    def __init__(self, array: npt.ArrayLike, dtype: Any = None, **_: Any) -> None:
        self.array = np.array(array, dtype=dtype)

    @property
    def shape(self) -> tuple[int, ...]:
        """Its shape."""
        return self.array.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """Its element's type."""
        return self.array.dtype

    def numpy(self) -> npt.NDArray[Any]:
        """Its contents."""
        return self.array

    def numel(self) -> int:
        """How many elements."""
        return int(self.array.size)

    def __len__(self) -> int:
        return len(self.array)

    def __getitem__(self, index: Any) -> Any:
        return self.array[index]

    def __setitem__(self, index: Any, value: Any) -> None:
        self.array[index] = value

    def __array__(self, dtype: Any = None, copy: Any = None) -> npt.NDArray[Any]:
        return self.array if dtype is None else self.array.astype(dtype)


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
            UsageError: one is missing, or does not fit.
        """
        found: dict[str, int] = {}
        for name, (kind, default) in self.numbers.items():
            value = keywords.pop(name, default)
            if value is inspect.Parameter.empty:
                raise UsageError(f"{self.__name__}: no value for {name}")
            found[name] = kind.fitting(name, value)
        return found

    def _count(self) -> int:
        return 16 if _takes_any(self.function) else int(self.function.__code__.co_argcount)

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
        numbers = self._called_numbers(keywords)
        if self._specialized in declarations().designs:
            declarations().designs.remove(self._specialized)
        found = self.declare(tensors, keywords)
        inputs: dict[str, Any] = {f"arg{n}": np.asarray(t) for n, t in enumerate(tensors)}
        inputs |= {name: number for name, number in numbers.items() if name in _numbers_of(found)}
        result = self._result(now, found, inputs)
        for number, tensor in enumerate(tensors):
            if isinstance(tensor, ScriptTensor) and f"arg{number}" in result.hosts:
                words = result.hosts[f"arg{number}"].reshape(-1)
                tensor.array = words.view(tensor.array.dtype).reshape(tensor.array.shape)
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


def _numbers_of(found: Declared) -> set[str]:
    """Names of the numbers that a design's sequence takes."""
    return {one.name for one in found.runtime.scalars} if found.runtime is not None else set()


def _takes_any(function: Any) -> bool:
    return not hasattr(function, "__code__") or bool(function.__code__.co_flags & 4)


def jit(function: Callable[..., Any] | None = None, aiecc_flags: Sequence[str] = (), **_: Any) -> Any:
    """``@iron.jit``, with or without arguments; of the compiler's options those for packets count."""
    packets = "--packet-sw-objFifos" in aiecc_flags
    return (lambda made: JitDesign(made, packets)) if function is None else JitDesign(function, packets)


# -- tensors, devices, command lines --------------------------------------------------------------------------------------


def script_zeros(*size: Any, dtype: Any = np.float32, **_: Any) -> ScriptTensor:
    """A tensor of zeros."""
    shape = size[0] if len(size) == 1 else size
    return ScriptTensor(np.zeros(shape, dtype))


def script_zeros_like(other: ScriptTensor, **_: Any) -> ScriptTensor:
    """A tensor of zeros, as another one."""
    return ScriptTensor(np.zeros_like(other.array))


def script_ones(*size: Any, dtype: Any = np.float32, **_: Any) -> ScriptTensor:
    """A tensor of ones."""
    shape = size[0] if len(size) == 1 else size
    return ScriptTensor(np.ones(shape, dtype))


def script_full(size: Any, fill_value: Any, dtype: Any = np.float32, **_: Any) -> ScriptTensor:
    """A tensor of one value."""
    return ScriptTensor(np.full(size, fill_value, dtype))


def script_arange(*bounds: Any, dtype: Any = np.int32, shape: Any = None, **_: Any) -> ScriptTensor:
    """A tensor of numbers in a row."""
    found = np.arange(*bounds).astype(dtype)
    return ScriptTensor(found if shape is None else found.reshape(shape))


def script_random(low: int, high: int, size: Any, dtype: Any = np.int32, **_: Any) -> ScriptTensor:
    """A tensor of random numbers, always the same ones."""
    return ScriptTensor(np.random.default_rng(0).integers(low, high, size).astype(dtype))


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


def compile_arguments(
    parser: argparse.ArgumentParser,
    *,
    with_dev: bool = True,
    default_dev: str | None = None,
    short_dev: str | None = "-d",
    **_: Any,
) -> None:
    """The usual options of a script."""
    if with_dev:
        parser.add_argument(*([short_dev] if short_dev else []), "--dev", default=default_dev)
    for name in ("--xclbin-path", "--insts-path", "--elf-path", "--full-elf-path", "--pdi-path", "--work-dir"):
        parser.add_argument(name, default=None)
    parser.add_argument("--emit-mlir", action="store_true")


def run_arguments(parser: argparse.ArgumentParser, **_: Any) -> None:
    """Options of running: none has an effect."""
    for name in ("--warmup", "--iters", "--trace-size", "--verbosity"):
        parser.add_argument(name, type=int, default=0)


def device_of_arguments(args: Any, *, dev_attr: str = "dev", n_cols: Any = "auto") -> Any:
    """The device that the options name."""
    name = getattr(args, dev_attr, None)
    if name is None:
        return None
    return named_device(name, (getattr(args, "n_cols", None) or 1) if n_cols == "auto" else n_cols)


def run_script_design(
    design: Any,
    opts: Any,
    *,
    compile_kwargs: Any = None,
    run_and_verify: Any = None,
    device: Any = None,
    validate: Any = None,
    **_: Any,
) -> None:
    """What a script's main function does: call the design and check it, or declare it where it has no check."""
    set_device(device(opts) if callable(device) else device)
    if validate is not None:
        validate(opts)
    if run_and_verify is not None:
        run_and_verify(opts)
        return
    keywords = compile_kwargs(opts) if callable(compile_kwargs) else dict(compile_kwargs or {})
    design.specialize(**keywords)


def assert_same_tensor(
    actual: Any, expected: Any, *, rtol: Any = None, atol: Any = None, fail_msg: Any = None, **_: Any
) -> None:
    """End the script with a message if two arrays differ."""
    actual, expected = np.asarray(actual), np.asarray(expected)
    near = (
        np.allclose(actual, expected, rtol or 1e-5, atol or 1e-8) if rtol or atol else np.array_equal(actual, expected)
    )
    if not near:
        sys.exit("FAIL!" if fail_msg is None else f"FAIL! {fail_msg}")


def transform_tiles(func: Any, *types: Any, tile_size: int = 16, **_: Any) -> Any:
    """``transform``: a function of each element, tile by tile, on one core."""
    kind, count = types[0], len(types)
    obj = object_type(kind) if not isinstance(kind, ScriptTensor) else ObjectType(kind.shape, kind.dtype)
    size, dtype = obj.elements, obj.dtype
    whole = np.ndarray.__class_getitem__(((size,), np.dtype.__class_getitem__(np.dtype(dtype).type)))
    tile = np.ndarray.__class_getitem__(((tile_size,), np.dtype.__class_getitem__(np.dtype(dtype).type)))
    ins = [ObjectFifo(tile, name=f"in{n}") for n in range(count)]
    out = ObjectFifo(tile, name="out")

    def body(*handles: Any) -> None:
        for _ in range_(size // tile_size):
            found = [h.acquire(1) for h in handles[:-1]]
            made = handles[-1].acquire(1)
            for i in range_(tile_size):
                made[i] = func(*[one[i] for one in found])
            for h in handles:
                h.release(1)

    def sequence(*args: Any) -> None:
        arrays, handles = args[: count + 1], args[count + 1 :]
        for handle, array in zip(handles[:-1], arrays[:-1], strict=True):
            handle.fill(array)
        handles[-1].drain(arrays[-1], wait=True)

    worker = ScriptWorker(body, [*(f.cons() for f in ins), out.prod()])
    rt = Runtime(sequence, [*[whole] * (count + 1), *(f.prod() for f in ins), out.cons()])
    return ScriptProgram(current_device(), rt, [worker]).resolve_program()
