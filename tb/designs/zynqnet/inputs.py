# SPDX-License-Identifier: Apache-2.0
"""Networks, weights and images by name or from files, for the ZynqNet commands and benches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.arrays import load_array
from goldbeat.pymodels.errors import InputError, ToolError, UsageError, naming
from goldbeat.pymodels.zynqnet import synth
from goldbeat.pymodels.zynqnet.golden import check_image
from goldbeat.pymodels.zynqnet.hardware import Hardware, check_network
from goldbeat.pymodels.zynqnet.network import InputShape, Layer, Network, load_network
from goldbeat.pymodels.zynqnet.networks import mini, zynqnet
from goldbeat.pymodels.zynqnet.padding import pad_weights
from goldbeat.pymodels.zynqnet.picture import from_rgb
from goldbeat.tb.extras import install_hint

NETWORKS: dict[str, Callable[[], Network]] = {"zynqnet": zynqnet, "mini": mini}
SYNTH = "synth:"
_MOST_PIXELS = 1 << 26
"""Larger pictures are refused before anything is decoded: a few bytes can claim any size."""

Floats = npt.NDArray[np.float32]


def find_network(name: str, hardware: Hardware | None = None) -> Network:
    """A network that comes with Goldbeat, or a TOML or JSON file.

    Args:
        name: of the network or file.
        hardware: that it must run on; None: the standard one.

    Raises:
        UsageError: an unknown name, or a layer that cannot run; the message has the name.
    """
    if name not in NETWORKS and Path(name).suffix.lower() not in (".toml", ".json"):
        raise UsageError(f"unknown network {name!r}; known: {', '.join(NETWORKS)}, or a .toml or .json file")
    network = NETWORKS[name]() if name in NETWORKS else load_network(name)
    try:
        check_network(network, hardware)
    except UsageError as error:
        raise UsageError(f"{name}: {error}") from None
    return network


def chosen_layers(network: Network, text: str) -> Sequence[Layer]:
    """``all``, or names with commas; in the order of their names."""
    return network.layers if text == "all" else [network.layer(name) for name in text.split(",")]


def find_weights(text: str, network: Network, *, finite: bool = False) -> Floats:
    """``synth:SEED``, a ``.npy`` file, or little-endian float32 in the order of the memory (the original's weights.bin).

    Files hold the weights of the network as described; those of padded channels are added
    (:mod:`goldbeat.pymodels.zynqnet.padding`). With ``finite``, as int8 needs it, infinities and NaN are refused.
    """
    if (seed := _synth(text)) is not None:
        return synth.weights(network, seed)
    path = Path(text)
    values = (
        np.ravel(load_array(path))
        if path.suffix.lower() == ".npy"
        else _raw_floats(path, network.used_weights, "weight")
    )
    with naming(path):
        return pad_weights(network, _floats(values, "float32", path, finite))


def find_image(text: str, network: Network, *, finite: bool = False) -> Floats:
    """``synth:SEED``, a picture (PNG, JPEG), a ``.npy`` file, or a ``.bin`` file as the original's ``indata.bin``.

    A picture is scaled until its shorter side fits, cut around its centre, and turned as the network wants it. A ``.npy`` of
    uint8 is a picture (rows, columns, red green blue) of the right size; one of float32 lies as the memory has it,
    (height, width, channels). A ``.bin`` is the same as little-endian float32 without a header: the original's host copies
    its ``indata.bin`` to the memory as it is, and its converter has turned the picture already. ``finite`` is as for
    :func:`find_weights`.
    """
    if (seed := _synth(text)) is not None:
        return synth.image(network.input, seed)
    path = Path(text)
    if path.suffix.lower() == ".bin":
        shape = network.input
        count = shape.height * shape.width * shape.channels
        raw = _raw_floats(path, count, "number of the image")
        return _floats(raw, "float32", path, finite).reshape(shape.height, shape.width, shape.channels)
    with naming(path):
        if path.suffix.lower() != ".npy":
            return from_rgb(_picture(path, network.input), network.input)
        values = load_array(path)
        if values.dtype == np.uint8:
            return from_rgb(values, network.input)
        found = _floats(values, "uint8 or float32", path, finite)
        check_image(network, found)
        return found


def _synth(text: str) -> int | None:
    if not text.startswith(SYNTH):
        return None
    seed = text.removeprefix(SYNTH)
    if not seed.isdigit():
        raise UsageError(f"{text!r}: expected {SYNTH} and a whole number")
    return int(seed)


def _raw_floats(path: Path, count: int, what: str) -> Floats:
    """So many little-endian float32 without a header; the size is looked at before anything is read."""
    try:
        if path.is_dir():
            raise InputError("a folder", f"a file, or {SYNTH}SEED", file=path)
        size = path.stat().st_size
        if size != 4 * count:
            raise InputError(f"{size} bytes", f"{4 * count}: one float32 for each {what}", file=path)
        return np.frombuffer(path.read_bytes(), "<f4").astype(np.float32)
    except FileNotFoundError:
        raise InputError("no such file", f"a file, or {SYNTH}SEED", file=path) from None


def _floats(values: npt.NDArray[Any], expected: str, path: Path, finite: bool) -> Floats:
    """Floating-point numbers of any width as float32; those that it does not hold exactly are refused."""
    if values.dtype.kind != "f":
        raise InputError(f"numbers of type {values.dtype}", expected, file=path)
    with np.errstate(over="ignore"):
        found = values.astype(np.float32)
    lost = np.flatnonzero((found != values) & ~np.isnan(values))
    if len(lost):
        wrong = f"{values.reshape(-1)[lost[0]]} ({values.dtype}) as number {lost[0]}"
        expected = "numbers that float32 holds exactly; round the array with astype(np.float32)"
        raise InputError(wrong, expected, file=path)
    if finite and len(bad := np.flatnonzero(~np.isfinite(found))):
        raise InputError(f"{found.reshape(-1)[bad[0]]} at word {bad[0]}", "finite numbers for int8", file=path)
    return found


def _picture(path: Path, shape: InputShape) -> npt.NDArray[np.uint8]:
    try:
        from PIL import Image, ImageOps
    except ModuleNotFoundError:
        raise ToolError(f"reading pictures needs the Python package pillow: {install_hint('images')}") from None
    if not path.exists():
        raise InputError("no such file", f"a picture, a .npy file, or {SYNTH}SEED", file=path)
    try:
        with Image.open(path) as opened:
            if opened.width * opened.height > _MOST_PIXELS:
                size = f"{opened.width} x {opened.height} pixels"
                raise InputError(size, f"a picture of at most {_MOST_PIXELS}", file=path)
            # Pillow would cut values above 255 off.
            if opened.mode.startswith(("I", "F")):
                raise InputError(f"a picture of mode {opened.mode}", "8 bits per channel; convert it first", file=path)
            colours = ImageOps.exif_transpose(opened).convert("RGB")
    except InputError:
        raise
    except Exception as error:
        # Each of Pillow's formats raises what its own parser raises.
        reason = error.strerror if isinstance(error, OSError) else None
        raise InputError(reason or "a damaged picture, or none", "a picture", file=path) from None
    # The network's rows are the picture's columns.
    fitted = ImageOps.fit(colours, (shape.height, shape.width), Image.Resampling.BILINEAR)
    return np.asarray(fitted, np.uint8)
