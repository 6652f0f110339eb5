# SPDX-License-Identifier: Apache-2.0
"""Verilator builds, cached by content.

A build is named by a hash over everything that goes into it. It is made in a scratch folder and renamed when it is whole, so
a killed build leaves nothing that the next one could mistake for a result, and a lock makes two
processes that want the same build compile it once.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from filelock import FileLock

from pymodels.errors import ToolError, UsageError
from tb.design import Design
from tb.harness import TOP, make_harness, misfits
from tb.paths import build_root
from tb.toolchain import Verilator, has_fst, verilator

_EXECUTABLE = "sim"
# Objects of Verilator's own runtime: the same for all builds with the same switches, and most of the compile time.
_RUNTIME = ("verilated", "verilated_dpi", "verilated_vpi", "verilated_threads", "verilated_vcd_c", "verilated_fst_c")


@dataclass(frozen=True)
class Build:
    """A simulator that is ready to run.

    Attributes:
        executable: the program.
        folder: where it lies, with its log.
        waves: the wave file's ending (``vcd`` or ``fst``), None for a build without waves.
        seconds: time it took to make, 0.0 when it was in the cache.
    """

    executable: Path
    folder: Path
    waves: str | None
    seconds: float


def waves_format() -> str:
    """``fst`` where its headers are installed, else ``vcd``."""
    return "fst" if has_fst() else "vcd"


def build(design: Design, params: Mapping[str, Any], *, waves: bool = False) -> Build:
    """Build a design for one set of parameter values, or take it from the cache.

    Raises:
        ToolError: Verilator or the compiler failed; the message ends with what they said.
    """
    tool = verilator()
    harness = make_harness(design, params)
    sources, extra = design.sources(), design.compile_flags()
    kind = waves_format() if waves else None
    key = _key(tool, harness, [*sources, *design.included_files()], kind, extra)
    root = build_root() / "sim"
    folder = root / f"{design.name}-{key}"
    executable = folder / _EXECUTABLE
    if executable.is_file():
        return Build(executable, folder, kind, 0.0)
    root.mkdir(parents=True, exist_ok=True)
    started = time.monotonic()
    with FileLock(root / f"{design.name}-{key}.lock"):
        if not executable.is_file():
            scratch = root / f"{design.name}-{key}.part"
            shutil.rmtree(scratch, ignore_errors=True)
            scratch.mkdir()
            _compile(tool, design, harness, sources, scratch, kind, extra)
            shutil.rmtree(folder, ignore_errors=True)
            scratch.rename(folder)
    return Build(executable, folder, kind, time.monotonic() - started)


def _key(tool: Verilator, harness: str, sources: list[Path], waves: str | None, extra: list[str]) -> str:
    digest = hashlib.sha256()
    for part in (tool.version, str(tool.executable), version("cocotb"), str(waves), harness, *extra):
        digest.update(part.encode() + b"\0")
    for path in (Path(__file__), *sources):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def _compile(
    tool: Verilator,
    design: Design,
    harness: str,
    sources: list[Path],
    folder: Path,
    waves: str | None,
    extra: list[str],
) -> None:
    import cocotb_tools.config

    (folder / f"{TOP}.sv").write_text(harness)
    # Only the harness is visible from outside: making everything public slows big designs several times.
    (folder / "public.vlt").write_text(f'`verilator_config\npublic_flat_rw -module "{TOP}" -var "*"\n')
    libraries = cocotb_tools.config.libs_dir
    main = Path(cocotb_tools.config.share_dir) / "lib" / "verilator" / "verilator.cpp"
    trace = {None: [], "vcd": ["--trace-vcd"], "fst": ["--trace-fst"]}[waves]
    flags = ["-cc", "--exe", "--vpi", "--prefix", "Vtop", "--timescale", "1ps/1ps", "--x-initial", "unique"]
    flags += ["--top-module", TOP, "-Mdir", ".", "-o", _EXECUTABLE, *trace, "-Wno-fatal", *extra]
    flags += ["-LDFLAGS", f"-Wl,-rpath,{libraries} -L{libraries} -lcocotbvpi_verilator"]
    inputs = ["public.vlt", *map(str, sources), f"{TOP}.sv", str(main)]
    log = folder / "build.log"
    _call([str(tool.executable), *flags, *inputs], folder, tool, log, design)
    wrong = misfits(log.read_text(errors="replace"))
    if wrong:
        raise UsageError(f"the description of {design.name} does not fit its RTL:\n" + "\n".join(wrong))
    runtime = _runtime_folder(tool, waves)
    with FileLock(f"{runtime}.lock"):
        for name in _RUNTIME:
            ready = runtime / f"{name}.o"
            if ready.is_file():
                shutil.copyfile(ready, folder / ready.name)
    make = ["make", "-f", "Vtop.mk", f"-j{os.cpu_count() or 1}", "OPT_FAST=-O2", *tool.make_variables]
    _call(make, folder, tool, log, design)
    with FileLock(f"{runtime}.lock"):
        runtime.mkdir(parents=True, exist_ok=True)
        for name in _RUNTIME:
            fresh = folder / f"{name}.o"
            if fresh.is_file() and not (runtime / fresh.name).is_file():
                part = runtime / f"{name}.part"
                shutil.copyfile(fresh, part)
                part.rename(runtime / fresh.name)
    for leftover in [*folder.glob("*.o"), *folder.glob("*.a"), *folder.glob("*.d")]:
        leftover.unlink()


def _runtime_folder(tool: Verilator, waves: str | None) -> Path:
    name = hashlib.sha256(f"{tool.version}\0{tool.executable}\0{waves}".encode()).hexdigest()[:16]
    folder = build_root() / "runtime" / name
    folder.parent.mkdir(parents=True, exist_ok=True)
    return folder


def _call(command: list[str], folder: Path, tool: Verilator, log: Path, design: Design) -> None:
    with log.open("a") as stream:
        stream.write(json.dumps(command) + "\n")
        stream.flush()
        run = subprocess.run(
            command, cwd=folder, env=tool.environment(), stdout=stream, stderr=subprocess.STDOUT, check=False
        )
    if run.returncode:
        tail = "\n".join(log.read_text(errors="replace").splitlines()[-25:])
        raise ToolError(
            f"building {design.name} failed ({command[0]} ended with {run.returncode}), log in {log}:\n{tail}"
        )
