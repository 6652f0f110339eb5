# SPDX-License-Identifier: Apache-2.0
"""A runner for cocotb_tools that builds simulators with the kernel.

::

    from goldbeat.tb.build.runner import GoldbeatVerilator

    runner = GoldbeatVerilator()
    runner.build(sources=["dut.sv"], hdl_toplevel="dut")
    runner.test(hdl_toplevel="dut", test_module="test_dut", seed=1)

or, after :func:`register`, ``cocotb_tools.runner.get_runner("goldbeat-verilator")``.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import cocotb_tools.config
from cocotb_tools import runner as cocotb_runner
from cocotb_tools.runner import VerilatorControlFile, Verilog

from goldbeat.pymodels.errors import UsageError
from goldbeat.tb.build.compile import Build, Recipe, compile_model, waves_format
from goldbeat.tb.kernel.launch import FORCES, python_entries, seed_arguments, with_entry
from goldbeat.tb.kernel.waivers import ENVIRONMENT, parse_waivers
from goldbeat.tb.paths import IMPORT_ROOT

NAME = "goldbeat-verilator"


class GoldbeatVerilator(cocotb_runner.Verilator):  # type: ignore[misc]
    """cocotb's runner for Verilator with our event loop, a build cache and explicit seeds.

    What differs from cocotb's own:

    * ``build(waves=True)`` makes another simulator than ``build()``; the fast one has no trace code. ``test(waves=True)`` needs the
      former and writes ``dump.fst`` or ``dump.vcd``, whatever this machine can.
    * Builds are cached by content (see ``goldbeat cache``); ``always`` and ``clean`` are not needed.
    * Over VPI the ports of the top module are visible, not every signal; see ``public``.
    * ``test(seed=N)`` also seeds the simulator's initial values; without a seed it is 1.
    * ``SIM_CMD_PREFIX`` (``perf record``, ``gdb --args``) is put before the simulator's command, as with cocotb's.

    Attributes:
        public: ``ports``: the top module's ports are visible over VPI; ``all``: every signal is, which slows big designs
            several times; None: only what the sources or a ``.vlt`` file among them make public.
        waivers: protocol rules that may be broken in every test.
        built: the latest build.
    """

    def __init__(self, public: Literal["ports", "all"] | None = "ports", *, waive: Sequence[str] = ()) -> None:
        """See the class; ``waive`` has waivers as ``RULE`` or ``RULE:PORT``.

        Raises:
            UsageError: a waiver of an unknown rule.
        """
        super().__init__()
        self.public = public
        self.waivers = parse_waivers(waive)
        self.built: Build | None = None

    def _build_command(self) -> Sequence[list[str]]:
        sources = [*self._sources, *self._verilog_sources]
        for source in sources:
            if source.tag not in (Verilog, VerilatorControlFile):
                raise UsageError(f"{source.value}: Verilator takes Verilog and .vlt files only")
        if self.hdl_toplevel is None:
            raise UsageError("build() needs hdl_toplevel")
        flags = [arg.value for arg in self._build_args]
        flags += ["--timescale", "/".join(self.timescale or ("1ps", "1ps"))]
        flags += self._get_define_options(self.defines) + self._get_parameter_options(self.parameters)
        flags += self._get_include_options(self.includes)
        included = [f for folder in self.includes for f in sorted(Path(folder).iterdir()) if f.is_file()]
        self.built = compile_model(
            Recipe(
                name=self.hdl_toplevel,
                top=self.hdl_toplevel,
                sources=[Path(s.value) for s in sources],
                watched=included,
                flags=flags,
                waves=waves_format() if self.waves else None,
                public=self.public,
            )
        )
        # Where test() looks, also in another process.
        link = Path(self.build_dir) / self.hdl_toplevel
        fresh = link.with_name(f"{link.name}.{os.getpid()}")
        fresh.symlink_to(self.built.executable)
        fresh.replace(link)
        return []

    def _waves_file(self) -> str:
        return f"dump.{waves_format()}"

    def _set_env_test(self) -> None:
        super()._set_env_test()
        self.env.setdefault("COCOTB_RANDOM_SEED", "1")
        # cocotb's plugin for pytest has entries of its own.
        users = self.env.get("PYGPI_USERS") or ",".join(python_entries())
        self.env["PYGPI_USERS"] = with_entry(users, FORCES)
        if self.waivers:
            self.env[ENVIRONMENT] = ",".join(map(str, self.waivers))
        # A simulator is the same for all installations, and so does not know where this one has cocotb's libraries.
        libraries = [str(cocotb_tools.config.libs_dir), self.env.get("LD_LIBRARY_PATH", "")]
        self.env["LD_LIBRARY_PATH"] = os.pathsep.join(p for p in libraries if p)
        # The tests' process must find the kernel's Python side, installed or not.
        self.env["PYTHONPATH"] = os.pathsep.join([self.env["PYTHONPATH"], str(IMPORT_ROOT)])

    def _test_command(self) -> Sequence[list[str]]:
        commands: list[list[str]] = super()._test_command()
        seed = seed_arguments(int(self.env["COCOTB_RANDOM_SEED"]))
        given = [*self.plusargs, *self.test_args]
        if not any(str(arg).startswith("+verilator+seed+") for arg in given):
            commands[-1] += seed
        return commands


def register() -> None:
    """Make ``get_runner("goldbeat-verilator")`` know this runner."""
    runners: dict[str, Any] = cocotb_runner.SUPPORTED_RUNNERS
    runners[NAME] = GoldbeatVerilator
