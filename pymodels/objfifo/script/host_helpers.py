# SPDX-License-Identifier: Apache-2.0
"""What the host's part of a script imports: checks of results, benchmarks, options, paths."""

from __future__ import annotations

import argparse
import math
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.plan.object_type import bfloat16_type
from goldbeat.pymodels.objfifo.script.jit import named_device, set_device

# -- results ---------------------------------------------------------------------------------------------------------------

_RELATIVE = 0.128
"""What mlir-aie allows bfloat16 kernels that work with tables."""


def _floats(value: Any) -> npt.NDArray[np.float32]:
    return np.asarray(value).astype(np.float32)


def nearly_equal(a: Any, b: Any, *, rtol: float = _RELATIVE, atol: float | None = None) -> npt.NDArray[np.bool_]:
    """Equal, or closer than ``atol`` or ``rtol`` of the sum of both sizes."""
    first, second = _floats(a), _floats(b)
    limits = np.finfo(np.float32)
    with np.errstate(over="ignore", invalid="ignore"):
        size = np.minimum(np.abs(first) + np.abs(second), limits.max)
        allowed = np.maximum(limits.tiny if atol is None else atol, rtol * size)
        return np.asarray((first == second) | (np.abs(first - second) < allowed))


def count_mismatches(
    actual: Any, ref: Any, *, rtol: float = _RELATIVE, atol: float | None = None, stop_at_nonfinite: bool = True
) -> tuple[int, int]:
    """How many elements differ, of how many: up to the first that is not finite.

    Raises:
        ValueError: arrays of different sizes.
    """
    first, second = _floats(actual).reshape(-1), _floats(ref).reshape(-1)
    if first.size != second.size:
        raise ValueError(f"found {first.size} elements, expected {second.size}")
    odd = np.flatnonzero(~(np.isfinite(first) & np.isfinite(second)))
    end = int(odd[0]) if stop_at_nonfinite and odd.size else first.size
    return int(np.sum(~nearly_equal(first[:end], second[:end], rtol=rtol, atol=atol))), end


def assert_pass(
    actual: Any, expected: Any, *, rtol: float | None = None, atol: float | None = None, fail_msg: str | None = None,
    print_pass: bool = True,
) -> None:  # fmt: skip
    """End the script with a message if two arrays differ; without a tolerance they must be equal."""
    if rtol is None and atol is None:
        near = np.array_equal(np.asarray(actual), np.asarray(expected))
    else:
        near = count_mismatches(actual, expected, rtol=_RELATIVE if rtol is None else rtol, atol=atol)[0] == 0
    if not near:
        sys.exit("FAIL!" if fail_msg is None else f"FAIL! {fail_msg}")


def assert_close_with_benchmark(
    actual: Any, expected: Any, *, float_rtol: float = 0.05, float_atol: float = 0.5, fail_msg: str | None = None,
    bench: Any = None, ops: Any = None, gflops_fmt: str = "", mismatch_indices: bool = False,
) -> None:  # fmt: skip
    """The same: whole numbers are equal, floats close."""
    exact = np.asarray(expected).dtype.kind in "iub"
    tolerance: dict[str, Any] = {} if exact else {"rtol": float_rtol, "atol": float_atol}
    assert_pass(actual, expected, fail_msg=fail_msg, **tolerance)


VERIFY = {one.__name__: one for one in (nearly_equal, count_mismatches, assert_pass, assert_close_with_benchmark)}

# -- benchmarks ------------------------------------------------------------------------------------------------------------


@dataclass
class NoTimes:
    """Times that were not taken: execution has none."""

    avg_us: float = math.nan
    min_us: float = math.nan
    max_us: float = math.nan


@dataclass
class Bench:
    """What ``run_iters`` gives."""

    e2e: NoTimes
    npu: NoTimes


def run_all(design: Callable[..., Any], *args: Any, warmup: int = 0, iters: int = 1, **more: Any) -> Bench:
    """``run_iters``: call a design; again and again only where a call changes what the next one is given."""
    names = getattr(getattr(design, "function", None), "__annotations__", {})
    changes = any("InOut" in str(getattr(kind, "__name__", kind)) for kind in names.values())
    for _ in range(warmup + iters if changes else 1):
        design(*args, **more)
    return Bench(NoTimes(), NoTimes())


class NoTrace:
    """``TraceConfig``: traces are not executed."""

    physical_mlir_path = None

    def __init__(self, trace_size: int = 0, **_: Any) -> None:
        self.trace_size = trace_size


# -- options ---------------------------------------------------------------------------------------------------------------


def add_compile_args(
    parser: argparse.ArgumentParser,
    *,
    with_dev: bool = True,
    default_dev: str | None = None,
    short_dev: str | None = "-d",
    **_: Any,
) -> None:
    """Options of compiling: which device; the others have no effect."""
    if with_dev:
        parser.add_argument(*([short_dev] if short_dev else []), "--dev", default=default_dev)
    for name in ("--xclbin-path", "--insts-path", "--elf-path", "--full-elf-path", "--pdi-path", "--work-dir"):
        parser.add_argument(name, default=None)
    parser.add_argument("--emit-mlir", action="store_true")


def add_benchmark_args(parser: argparse.ArgumentParser, *, default_warmup: int = 0, default_iters: int = 1) -> None:
    """Options of benchmarks."""
    parser.add_argument("-w", "--warmup", type=int, default=default_warmup)
    parser.add_argument("-i", "--iters", type=int, default=default_iters)


def add_trace_arg(parser: argparse.ArgumentParser, *, with_short: bool = True, default: int = 0) -> None:
    """The size of a trace, which is not executed."""
    parser.add_argument(*(["-t"] if with_short else []), "--trace_size", type=int, default=default)


def add_runtime_args(parser: argparse.ArgumentParser, **_: Any) -> None:
    """Options of running: none has an effect."""
    for name in ("--warmup", "--iters", "--trace-size", "--verbosity"):
        parser.add_argument(name, type=int, default=0)


def device_from_args(args: Any, *, dev_attr: str = "dev", n_cols: Any = "auto") -> Any:
    """The device that the options name."""
    name = getattr(args, dev_attr, None)
    if name is None:
        return None
    return named_device(name, (getattr(args, "n_cols", None) or 1) if n_cols == "auto" else n_cols)


ARGUMENTS = {one.__name__: one for one in (
    add_compile_args, add_benchmark_args, add_trace_arg, add_runtime_args, device_from_args)}  # fmt: skip


def run_design_cli(
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
    found = device(opts) if callable(device) else device
    if found is None and getattr(opts, "dev", None) is not None:
        found = named_device(opts.dev)
    if found is not None:
        set_device(found)
    if validate is not None:
        validate(opts)
    if run_and_verify is not None:
        run_and_verify(opts)
        return
    keywords = compile_kwargs(opts) if callable(compile_kwargs) else dict(compile_kwargs or {})
    design.specialize(**keywords)


# -- names of types, paths --------------------------------------------------------------------------------------------------

_DTYPES = {"i8": np.int8, "i16": np.int16, "i32": np.int32, "f32": np.float32}


class DataShaper:
    """Orders the elements of arrays for convolutions.

    An order has a letter per dimension, outermost first. A number behind one is the size of an inner block: ``YCXC8`` of
    ``CYX`` splits C into blocks of 8, which go last.
    """

    def reorder_mat(self, mat: Any, order: str, given: str) -> npt.NDArray[Any]:
        """The elements of an array, flat, in another order; inner blocks of the given order are joined.

        Raises:
            UsageError: another order, or a dimension that its blocks do not divide.
        """
        array = np.asarray(mat)
        wanted, now = (re.findall(r"([A-Z])(\d*)", text) for text in (order, given))
        if "".join(a + b for a, b in wanted + now) != order + given or {a for a, _ in wanted} != {a for a, _ in now}:
            raise UsageError(
                f"found the orders {order!r} and {given!r}, expected letters and sizes, as 'YCXC8' and 'CYX'"
            )
        letters = sorted({letter for letter, _ in wanted})
        axes = [n for letter in letters for n, (a, _) in enumerate(now) if a == letter]
        sizes = {a: math.prod(array.shape[n] for n, (b, _) in enumerate(now) if a == b) for a in letters}
        parts = [(a, int(b) if b else 0) for a in letters for x, b in wanted if x == a]
        shape = []
        for letter, size in parts:
            inner = math.prod(n for a, n in parts if a == letter and n)
            if sizes[letter] % inner:
                raise UsageError(f"found {sizes[letter]} elements of {letter}, expected a multiple of {inner}")
            shape.append(size or sizes[letter] // inner)
        places = [wanted.index((a, str(n) if n else "")) for a, n in parts]
        return array.transpose(axes).reshape(shape).transpose(np.argsort(places)).reshape(-1)


def str_to_dtype(name: str) -> Any:
    """An element type by its short name.

    Raises:
        UsageError: another name.
    """
    if name not in (*_DTYPES, "bf16"):
        raise UsageError(f"no element type {name}; known: {', '.join(_DTYPES)}, bf16")
    return _DTYPES[name] if name in _DTYPES else bfloat16_type()


def dtype_to_str(dtype: Any) -> str:
    """The short name of an element type.

    Raises:
        UsageError: another type.
    """
    wanted = np.dtype(dtype)
    found = next((name for name, kind in _DTYPES.items() if np.dtype(kind) == wanted), None)
    if found is None and wanted.name != "bfloat16":
        raise UsageError(f"no short name of {wanted}; known: {', '.join(_DTYPES)}, bf16")
    return found or "bf16"


def ceildiv(a: int, b: int) -> int:
    """The quotient, rounded up."""
    return -(-a // b)


def no_path() -> str:
    """A folder of mlir-aie's installation: nothing is compiled, so the name alone is needed."""
    return "mlir-aie"


CONFIG = dict.fromkeys(
    ("root_path", "cxx_header_path", "peano_install_dir", "peano_cxx_path", "peano_linker_path", "aiecc_path"), no_path
)
