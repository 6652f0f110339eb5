# SPDX-License-Identifier: Apache-2.0
"""The description of a PL kernel beside an AI Engine graph: what comes in at each port, and the files that go out."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, Field

from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.plio_file.generate import SINE_FREQUENCY, Wave, generate
from goldbeat.pymodels.plio_file.tensor import load_tensor
from goldbeat.pymodels.samples import SampleType
from goldbeat.tb.toml import load_model

_FILES = frozenset({"file", "plio"})
_SOURCES = ("pattern", "values", "file")


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class ApplicationOutput(_Table):
    """An output of the kernel.

    Attributes:
        plio: name of the file for the vendor's simulator; ``.csv`` keeps idle cycles. None: ``PORT.txt``.
    """

    plio: str | None = None


class ApplicationInput(ApplicationOutput):
    """An input of the kernel: one of ``pattern``, ``values`` and ``file``.

    Attributes:
        pattern, samples, amplitude, noise, frequency, seed: samples that are made.
        values, variable: samples from a ``.npy``, ``.mat``, ``.csv`` or ``.txt`` file.
        file: a PLIO file, such as the graph's output.
        frame: samples per frame.
        packets: ids of packets, a frame each.
        stall, delay, repeat, pace: when the beats come, as the options of ``goldbeat plio gen``.
    """

    pattern: Wave | None = None
    values: Path | None = None
    file: Path | None = None
    variable: str | None = None
    samples: int | None = Field(default=None, ge=1, strict=True)
    amplitude: float | None = Field(default=None, strict=True)
    noise: float = Field(default=0.0, strict=True)
    frequency: float = Field(default=SINE_FREQUENCY, strict=True)
    seed: int = Field(default=0, ge=0, strict=True)
    frame: int | None = Field(default=None, ge=1, strict=True)
    packets: str | None = None
    stall: str = "none"
    delay: int = Field(default=0, ge=0, strict=True)
    repeat: int = Field(default=1, ge=1, strict=True)
    pace: int = Field(default=1, ge=1, strict=True)

    def make(self, folder: Path, kind: SampleType) -> npt.NDArray[Any]:
        """The samples; paths are relative to a folder."""
        if self.values is not None:
            return load_tensor(folder / self.values, kind, self.variable)[0]
        assert self.pattern is not None
        assert self.samples is not None
        tone = {"amplitude": self.amplitude, "noise": self.noise, "frequency": self.frequency}
        return generate(self.pattern, self.samples, kind, seed=self.seed, frame=self.frame, **tone)  # type: ignore[arg-type]


class Application(_Table):
    """A whole description.

    Attributes:
        design: name of a design, or the path of its description.
        limits: the limits file.
        case: of the design; None: the first one that takes files.
        seeds, seed: number of seeds to run, and the first one.
        sets: parameters of the design and options of the case.
        inputs, outputs: by port.
    """

    design: str
    limits: Path
    case: str | None = None
    seeds: int = Field(default=1, ge=1, strict=True)
    seed: int = Field(default=0, ge=0, strict=True)
    sets: Mapping[str, str | int | float | bool] = Field(default={}, alias="set")
    inputs: Mapping[str, ApplicationInput] = Field(alias="input")
    outputs: Mapping[str, ApplicationOutput] = Field(default={}, alias="output")

    def plio_name(self, port: str) -> str:
        """Name of a port's file for the vendor's simulator."""
        table = self.inputs.get(port) or self.outputs.get(port)
        return f"{port}.txt" if table is None or table.plio is None else PurePosixPath(table.plio).name


def load_application(path: Path) -> Application:
    """Read a description.

    Raises:
        InputError: not TOML, an unknown key, a wrong value, or keys that exclude each other.
    """
    found = load_model(Application, path, "an application (.toml)")
    for name, table in found.inputs.items():
        given = [key for key in _SOURCES if getattr(table, key) is not None]
        if len(given) != 1:
            raise InputError(f"[input.{name}] with {' and '.join(given) or 'no samples'}", _one_source(), file=path)
        unused = sorted(table.model_fields_set - _used(table))
        if unused:
            raise InputError(f"[input.{name}] {unused[0]} beside {given[0]}", "it left out", file=path)
        if table.pattern is not None and table.samples is None:
            raise InputError(f"[input.{name}] pattern without samples", "samples = N", file=path)
    tables = [(f"{kind}.{n}", t) for kind in ("input", "output") for n, t in getattr(found, f"{kind}s").items()]
    for name, output in tables:
        said = PurePosixPath("x.txt" if output.plio is None else output.plio)
        if len(said.parts) != 1 or said.suffix not in (".txt", ".csv"):
            raise InputError(f'[{name}] plio = "{output.plio}"', "a file name ending in .txt or .csv", file=path)
    return found


def _one_source() -> str:
    return f"one of {', '.join(_SOURCES)}"


def _used(table: ApplicationInput) -> frozenset[str]:
    """The keys that mean something for the source of an input."""
    if table.file is not None:
        return _FILES
    every = frozenset(ApplicationInput.model_fields) - {"file"}
    made = {"pattern", "samples", "amplitude", "noise", "frequency"} | ({"seed"} if table.stall == "none" else set())
    if table.values is not None:
        return every - made
    return every - {"values", "variable"} - (set() if table.pattern == "sine" else {"frequency"})
