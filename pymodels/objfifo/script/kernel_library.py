# SPDX-License-Identifier: Apache-2.0
"""``aie.iron.kernels``: mlir-aie's own kernels as Python functions, so that scripts that use them need no stand-ins.

What a kernel computes is taken from its documentation and its use in mlir-aie's examples. Floats are computed in 32 bits and
rounded once, so they agree with silicon within the tolerance of the examples' own checks, not bit by bit. Whole numbers
wrap, as they do unless a kernel turns saturation on.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.iron import worker
from goldbeat.pymodels.objfifo.live.core_ports import CascadeGet, CascadePut
from goldbeat.pymodels.objfifo.plan.object_type import bfloat16_type, object_type
from goldbeat.pymodels.objfifo.script.jit import current_device

Array = npt.NDArray[Any]


class ScriptFunction(worker.Kernel):
    """``ExternalFunction``: a kernel with its source."""

    _instances: ClassVar[set[Any]] = set()

    def __init__(self, name: str, object_file_name: str = "", arg_types: Any = None, **_: Any) -> None:
        super().__init__(name, object_file_name, arg_types)

    @property
    def object_file_name(self) -> str:
        """The file that it is compiled into."""
        return self.bin_name

    def arg_shape(self, index: int = 0) -> tuple[int, ...]:
        """The shape of an argument."""
        return object_type(self.arg_types[index]).shape

    def arg_dtype(self, index: int = 0) -> np.dtype[Any]:
        """The element type of an argument."""
        return object_type(self.arg_types[index]).dtype

    def tile_size(self, index: int = 0) -> int:
        """Elements in the first dimension of an argument."""
        return self.arg_shape(index)[0]


class LibraryKernel(ScriptFunction):
    """A kernel of the library.

    Args:
        name: of the function that makes it; a stand-in for this name, or for the symbol, takes the model's place.
        symbol: of the compiled function.
        arg_types: of its arguments.
        model: what it computes; None needs a stand-in.
    """

    def __init__(
        self, name: str, symbol: str, arg_types: Sequence[Any], model: Callable[..., Any] | None = None, **more: Any
    ) -> None:
        super().__init__(name, symbol, list(arg_types))
        self.library_model = model
        self.__dict__.update(more)

    def __call__(self, *args: Any) -> Any:
        """Run the stand-in that was given, or else the model."""
        given = self.model or worker.given_stand_in(self.name, self.bin_name)
        return worker.run_kernel(self.name, self.bin_name, given or self.library_model, args)


def _array(size: int, dtype: Any) -> Any:
    return np.ndarray.__class_getitem__(((int(size),), np.dtype.__class_getitem__(dtype)))


def _stored(value: Array, dtype: np.dtype[Any]) -> Array:
    """A result in its type."""
    with np.errstate(over="ignore", invalid="ignore"):
        return value.astype(dtype)


def _wide(value: Any) -> Array:
    """Numbers to compute with: 64-bit whole numbers, or 32-bit floats."""
    found = np.asarray(value)
    return found.astype(np.int64 if found.dtype.kind in "iu" else np.float32)


def _each(function: Callable[..., Array], count: int) -> Callable[..., None]:
    """A model of element-wise work on ``count`` arrays, whose next argument is the result's array."""

    def model(*args: Any) -> None:
        with np.errstate(over="ignore", invalid="ignore"):
            found = function(*(_wide(one).reshape(-1) for one in args[:count]))
        out = args[count].reshape(-1)
        out[:] = _stored(found[: out.size], out.dtype)

    return model


# -- element by element ----------------------------------------------------------------------------------------------------


def passthrough(tile_size: int = 4096, dtype: Any = np.int32) -> LibraryKernel:
    """Copies."""
    tile = _array(tile_size, dtype)

    def model(source: Array, target: Array, count: int) -> None:
        target.reshape(-1)[:count] = source.reshape(-1)[:count]

    return LibraryKernel("passthrough", "passThroughLine", [tile, tile, np.int32], model)


def scale(tile_size: int = 1024, dtype: Any = np.int32, vectorized: bool = True, **_: Any) -> LibraryKernel:
    """Multiplies by a number in memory."""
    tile = _array(tile_size, dtype)

    def model(source: Array, target: Array, factor: Array, count: int) -> None:
        made = _wide(source).reshape(-1)[:count] * int(factor.reshape(-1)[0])
        target.reshape(-1)[:count] = _stored(made, target.dtype)

    symbol = f"vector_scalar_mul_{'vector' if vectorized else 'scalar'}"
    return LibraryKernel("scale", symbol, [tile, tile, _array(1, np.int32), np.int32], model)


def _eltwise(name: str, symbol: str, count: int, function: Callable[..., Array]) -> Callable[..., LibraryKernel]:
    def make(tile_size: int = 1024, dtype: Any = None, vectorized: bool = True) -> LibraryKernel:
        tile = _array(tile_size, bfloat16_type(name))
        text = symbol.format("vector" if vectorized else "scalar")
        return LibraryKernel(name, text, [tile] * (count + 1), _each(function, count))

    return make


def _silu(x: Array) -> Array:
    return np.asarray(x / (1 + np.exp(-x)))


def _tanh_gelu(x: Array) -> Array:
    return np.asarray(0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))))


def _softmax(x: Array) -> Array:
    found = np.exp(x - x.max())
    return np.asarray(found / found.sum())


def softmax_kernel(tile_size: int = 1024) -> LibraryKernel:
    """Softmax of a tile."""
    tile = _array(tile_size, bfloat16_type("softmax"))
    return LibraryKernel("softmax", "softmax_bf16", [tile, tile, np.int32], _each(_softmax, 1))


def exp2f_vec(tile_size: int = 1024, min_x: float = -111.0) -> LibraryKernel:
    """2 to the power of 32-bit floats, which are raised to ``min_x`` at least."""

    def model(source: Array, target: Array, count: int) -> None:
        target.reshape(-1)[:count] = _exp2(np.maximum(source.reshape(-1)[:count], np.float32(min_x)))

    tile = _array(tile_size, np.float32)
    return LibraryKernel("exp2f_vec", "exp2f_vec_f32", [tile, tile, np.int32], model)


def _exp2(x: Any) -> Array:
    value = np.asarray(x)
    return _stored(np.exp2(value.astype(np.float64)), value.dtype)


def reference(function: Callable[[Array], Array]) -> Callable[..., Array]:
    """``relu_ref`` and others: what a script compares a kernel with, in the type of its argument."""

    def ref(x: Any, *, tile_size: int | None = None) -> Array:
        value = np.asarray(x)
        rows = _wide(value).reshape(-1, tile_size or value.size)
        with np.errstate(over="ignore", invalid="ignore"):
            found = np.array([function(row) for row in rows]).astype(value.dtype)
        return found.reshape(value.shape)

    return ref


# -- reductions ------------------------------------------------------------------------------------------------------------


def _whole_words(dtype: Any) -> Any:
    """An array of one number, and of as many more as fill 4 bytes."""
    return _array(max(1, 4 // np.dtype(dtype).itemsize), dtype)


def _reduction(name: str, function: Callable[[Array], Any]) -> Callable[..., LibraryKernel]:
    def make(tile_size: int = 1024, dtype: Any = np.int32, vectorized: bool = True) -> LibraryKernel:
        def model(source: Array, target: Array, count: int) -> None:
            made = np.asarray(function(_wide(source).reshape(-1)[:count]))
            target.reshape(-1)[0] = _stored(made, target.dtype)

        types = [_array(tile_size, dtype), _whole_words(dtype), np.int32]
        return LibraryKernel(name, f"{name}_{'vector' if vectorized else 'scalar'}", types, model)

    return make


def compute_max(dtype: Any = np.int32) -> LibraryKernel:
    """The larger of two numbers."""

    def model(a: Array, b: Array, target: Array) -> None:
        target.reshape(-1)[0] = max(a.reshape(-1)[0], b.reshape(-1)[0])

    return LibraryKernel("compute_max", "compute_max", [_whole_words(dtype)] * 3, model)


# -- matrices --------------------------------------------------------------------------------------------------------------

_BLOCKS = {
    (1, "int8"): (4, 8, 8), (1, "int16"): (4, 4, 4), (1, "bfloat16"): (4, 8, 4),
    (2, "int8"): (8, 8, 8), (2, "int16"): (4, 4, 8), (2, "bfloat16"): (4, 8, 8),
}  # fmt: skip
"""Rows, depth and columns of the blocks in which a matrix product has its matrices, by generation and element."""


def _generation() -> int:
    return 1 if current_device().name.startswith("npu1") else 2


def _blocks(array: Any, shape: tuple[int, int], block: tuple[int, int], *, turned: bool = False) -> Array:
    """A view of a matrix that is stored block after block as (rows, block rows, columns, block columns)."""
    (rows, columns), (down, right) = shape, block
    if turned:
        stored = array.reshape(columns // right, rows // down, right, down)
        return np.asarray(stored.transpose(1, 3, 0, 2))
    return np.asarray(array.reshape(rows // down, columns // right, down, right).transpose(0, 2, 1, 3))


def _product(size: tuple[int, int, int], block: tuple[int, int, int], turned: tuple[bool, bool]) -> Any:
    """C += A * B on matrices in blocks; ``turned``: B, C are stored column by column."""
    (m, k, n), (r, s, t) = size, block

    def model(a: Array, b: Array, c: Array) -> None:
        left = _wide(_blocks(a, (m, k), (r, s))).reshape(m, k)
        right = _wide(_blocks(b, (k, n), (s, t), turned=turned[0])).reshape(k, n)
        view = _blocks(c, (m, n), (r, t), turned=turned[1])
        view[:] = _stored((_wide(view).reshape(m, n) + left @ right).reshape(view.shape), c.dtype)

    return model


def _zeros(array: Array) -> None:
    array[...] = 0


def mm(
    dim_m: int = 64, dim_k: int = 64, dim_n: int = 64, input_dtype: Any = np.int16, output_dtype: Any = np.int16,
    vectorized: bool = True, b_col_maj: bool = False, c_col_maj: bool = False, use_chess: bool = False,
    emulate_bf16_mmul_with_bfp16: bool = False,
) -> LibraryKernel:  # fmt: skip
    """C += A * B in blocks of ``mac_dims``; ``zero`` clears C.

    Raises:
        UsageError: element types that it does not take.
    """
    name, generation = np.dtype(input_dtype).name, _generation()
    if (generation, name) not in _BLOCKS:
        raise UsageError(f"mm of {name}; known: int8, int16, bfloat16")
    block = _BLOCKS[generation, name]
    if emulate_bf16_mmul_with_bfp16 and generation == 2 and name == "bfloat16":
        block = (8, 8, 8)
    used = block if vectorized else (1, 1, 1)
    model = _product((dim_m, dim_k, dim_n), used, (b_col_maj, c_col_maj))
    result = _array(dim_m * dim_n, output_dtype)
    types = [_array(dim_m * dim_k, input_dtype), _array(dim_k * dim_n, input_dtype), result]
    symbol = f"matmul_{'' if vectorized else 'scalar_'}{name}_{np.dtype(output_dtype).name}"
    zero = LibraryKernel("mm.zero", "zero", [result], _zeros)
    return LibraryKernel("mm", symbol, types, model, mac_dims=block, zero=zero)


def mv(
    dim_m: int = 32, dim_k: int = 32, input_dtype: Any = np.int16, output_dtype: Any = np.int32,
    vectorized: bool = True, use_chess: bool = False,
) -> LibraryKernel:  # fmt: skip
    """C += A * b; with vectors, A is stored transposed in words of 32 bits; ``zero`` clears c."""

    def model(a: Array, b: Array, c: Array) -> None:
        matrix = _wide(a).reshape(dim_m, dim_k)
        if vectorized:
            matrix = _wide(a).reshape(dim_k // 2, dim_m, 2).transpose(1, 0, 2).reshape(dim_m, dim_k)
        c.reshape(-1)[:] = _stored(_wide(c).reshape(-1) + matrix @ _wide(b).reshape(-1), c.dtype)

    types = [_array(dim_m * dim_k, input_dtype), _array(dim_k, input_dtype), _array(dim_m, output_dtype)]
    zero = LibraryKernel("mv.zero", "zero", types[2:], _zeros)
    return LibraryKernel("mv", f"matvec_{'vectorized' if vectorized else 'scalar'}", types, model, zero=zero)


def cascade_mm(
    dim_m: int = 64, dim_k: int = 64, dim_n: int = 64, input_dtype: Any = np.int16, output_dtype: Any = np.int16,
    use_chess: bool = False,
) -> LibraryKernel:  # fmt: skip
    """Parts of C = A * B that pass from core to core by the cascade: ``put_only``, ``put_get``, ``get_only``."""

    def model(gets: bool, puts: bool) -> Callable[..., Generator[Any, Any, None]]:
        def run(a: Array, b: Array, c: Array) -> Generator[Any, Any, None]:
            made = _wide(a).reshape(dim_m, dim_k) @ _wide(b).reshape(dim_k, dim_n)
            if gets:
                made = made + (yield CascadeGet())
            if puts:
                yield CascadePut(made)
            else:
                c.reshape(-1)[:] = _stored(_wide(c).reshape(-1) + made.reshape(-1), c.dtype)

        return run

    result = _array(dim_m * dim_n, output_dtype)
    types = [_array(dim_m * dim_k, input_dtype), _array(dim_k * dim_n, input_dtype), result]
    found = {
        name: LibraryKernel(f"cascade_mm.{name}", f"cascade_{name}", types, model(gets, puts))
        for name, gets, puts in (("get_only", True, False), ("put_only", False, True), ("put_get", True, True))
    }
    zero = LibraryKernel("cascade_mm.zero", "zero", [result], _zeros)
    made = LibraryKernel("cascade_mm", "cascade", types, found["get_only"].model, zero=zero, mac_dims=(1, 1, 1))
    made.__dict__.update(found)
    return made


# -- lines of pictures -----------------------------------------------------------------------------------------------------


def _rgba2gray(rgba: Array) -> Array:
    red, green, blue, _ = rgba.reshape(-1, 4).T
    return np.asarray((19595 * red + 38470 * green + 7471 * blue + 32768) >> 16)


def _gray2rgba(gray: Array) -> Array:
    return np.stack([gray, gray, gray, np.full_like(gray, 255)], 1).reshape(-1)


def _line(name: str, inside: int, outside: int, function: Callable[..., Array]) -> Callable[..., LibraryKernel]:
    def make(line_width: int = 1920, use_chess: bool = False) -> LibraryKernel:
        types = [_array(line_width * inside, np.uint8), _array(line_width * outside, np.uint8), np.int32]
        return LibraryKernel(name, f"{name}Line", types, _each(function, 1))

    return make


def _bitwise(name: str, symbol: str, function: Callable[..., Array]) -> Callable[..., LibraryKernel]:
    def make(line_width: int = 1920, dtype: Any = np.uint8, use_chess: bool = False) -> LibraryKernel:
        line = _array(line_width, dtype)
        return LibraryKernel(name, symbol, [line] * 3 + [np.int32], _each(function, 2))

    return make


def filter2d(line_width: int = 1920, use_chess: bool = False) -> LibraryKernel:
    """A 3 x 3 filter with 12 fractional bits on three lines; the border repeats."""

    def model(above: Array, here: Array, below: Array, target: Array, width: int, kernel: Array) -> None:
        padded = [np.pad(_wide(line)[:width], 1, mode="edge") for line in (above, here, below)]
        weights = _wide(kernel).reshape(3, 3)
        total = sum(weights[row, n] * padded[row][n : n + width] for row in range(3) for n in range(3))
        target[:width] = np.clip((np.asarray(total) + 2048) >> 12, 0, 255)

    line = _array(line_width, np.uint8)
    types = [line, line, line, line, np.int32, _array(9, np.int16)]
    return LibraryKernel("filter2d", "filter2dLine", types, model)


def add_weighted(line_width: int = 1920, dtype: Any = np.uint8, use_chess: bool = False) -> LibraryKernel:
    """Two lines with weights of 14 fractional bits, and a constant."""

    def model(a: Array, b: Array, target: Array, width: int, alpha: int, beta: int, gamma: int) -> None:
        total = ((_wide(a)[:width] * int(alpha) + _wide(b)[:width] * int(beta) + 8192) >> 14) + int(gamma)
        target[:width] = np.clip(total, 0, np.iinfo(target.dtype).max)

    line = _array(line_width, dtype)
    types = [line, line, line, np.int32, np.int16, np.int16, np.int8]
    return LibraryKernel("add_weighted", "addWeightedLine", types, model)


# -- the library -----------------------------------------------------------------------------------------------------------

_KNOWN: dict[str, Any] = {
    "passthrough": passthrough, "scale": scale, "softmax": softmax_kernel, "compute_max": compute_max, "mm": mm, "mv": mv,
    "cascade_mm": cascade_mm, "filter2d": filter2d, "add_weighted": add_weighted,
    "exp2f_vec": exp2f_vec, "exp2f_vec_ref": _exp2,
    "add": _eltwise("add", "eltwise_add_bf16_{}", 2, np.add),
    "mul": _eltwise("mul", "eltwise_mul_bf16_{}", 2, np.multiply),
    "relu": _eltwise("relu", "bf16_relu", 1, lambda x: np.maximum(x, 0)),
    "silu": _eltwise("silu", "silu_bf16", 1, _silu),
    "gelu": _eltwise("gelu", "gelu_bf16", 1, _tanh_gelu),
    "bf16_exp": _eltwise("bf16_exp", "exp_bf16_1024", 1, np.exp),
    "swiglu": _eltwise("swiglu", "swiglu_bf16", 3, lambda x, w, v: (x * w) * _silu(x * v)),
    "reduce_add": _reduction("reduce_add", np.sum), "reduce_min": _reduction("reduce_min", np.min),
    "reduce_max": _reduction("reduce_max", np.max),
    "rgba2gray": _line("rgba2gray", 4, 1, _rgba2gray), "gray2rgba": _line("gray2rgba", 1, 4, _gray2rgba),
    "bitwise_or": _bitwise("bitwise_or", "bitwiseORLine", np.bitwise_or),
    "bitwise_and": _bitwise("bitwise_and", "bitwiseANDLine", np.bitwise_and),
    "relu_ref": reference(lambda x: np.maximum(x, 0)), "silu_ref": reference(_silu),
    "gelu_ref": reference(_tanh_gelu), "bf16_exp_ref": reference(np.exp), "softmax_ref": reference(_softmax),
}  # fmt: skip


class KernelLibrary:
    """``kernels``: one that is not known here is a kernel of its name, without a model."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        return _KNOWN.get(name) or (lambda *_, **__: LibraryKernel(name, name, []))
