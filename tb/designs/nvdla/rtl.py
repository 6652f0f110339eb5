# SPDX-License-Identifier: Apache-2.0
"""NVDLA hardware that is not ours: where the user's generated nv_small lies and how it is built.

Source of the defaults: the layout of ``outdir/nv_small/vmod`` that nvdla/hw generates, and its own switches for FPGA builds.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.stimulus import Outcome, Stimulus
from goldbeat.tb.design.design import Design
from goldbeat.tb.designs.nvdla.loadable_case import loadable_case
from goldbeat.tb.designs.nvdla.ports import CLOCK, CSB, DBB, INTERRUPT
from goldbeat.tb.designs.nvdla.trace_case import trace_case
from goldbeat.tb.toml import load_model

NAME = "nvdla"
"""What the design is called, on whichever RTL it runs."""
DESCRIPTION = "goldbeat.toml"
"""The description that is looked for in the user's folder."""


class RtlDescription(BaseModel):
    """What must be known of the user's RTL beyond its folder; paths and patterns count from that folder.

    Attributes:
        top: the top module, with the ports of NV_nvdla.
        sources: patterns of files that are compiled as they are: the top module and files with several modules.
        libraries: patterns of folders in which all other modules are looked for by name, RAM models among them.
        include_dirs: patterns of folders of included files.
        defines: macros; an empty text defines without a value.
        ties: inputs tied to a constant; -1 means all ones.
        flags: more switches for Verilator.
        optimize: the C++ compiler's switch.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    top: str = "NV_nvdla"
    sources: tuple[str, ...] = (
        "vmod/nvdla/top/NV_nvdla.v",
        "vmod/nvdla/nocif/NV_NVDLA_XXIF_libs.v",
        "vmod/fifos/*.v",
    )
    libraries: tuple[str, ...] = ("vmod/nvdla/*", "vmod/vlibs", "vmod/rams/fpga", "vmod/rams/fpga/model")
    include_dirs: tuple[str, ...] = ("vmod/include",)
    defines: Mapping[str, str] = {
        **dict.fromkeys(("SYNTHESIS", "NV_SYNTHESIS", "VERILINT", "DISABLE_TESTPOINTS", "NO_PLI"), ""),
        **dict.fromkeys(("DESIGNWARE_NOEXIST", "FPGA", "NV_FPGA_FIFOGEN", "RAM_DISABLE_POWER_GATING_FPGA"), "1"),
        **dict.fromkeys(("VLIB_BYPASS_POWER_CG", "FIFOGEN_MASTER_CLK_GATING_DISABLED"), "1"),
    }
    ties: Mapping[str, int] = {
        "global_clk_ovr_on": 0,
        "tmc2slcg_disable_clock_gating": 1,
        "direct_reset_": 1,
        "test_mode": 0,
        **{f"nvdla_pwrbus_ram_{part}_pd": 0 for part in ("c", "ma", "mb", "p", "o", "a")},
    }
    flags: tuple[str, ...] = ("-Wno-lint", "-Wno-style", "-Wno-TIMESCALEMOD", "--output-split", "20000")
    optimize: str = "-O1"

    def design(self, root: Path) -> Design:
        """The design, with every file and folder found.

        Raises:
            UsageError: nothing there fits a pattern.
        """
        if not root.is_dir():
            raise UsageError(f"--rtl {root}: no such folder; expected the folder of your generated RTL")
        # Verilator runs in the build's folder.
        root = root.resolve()
        return Design(
            name=NAME,
            summary="NVDLA in the user's own RTL",
            top=self.top,
            files=_find(root, self.sources, "sources", folders=False),
            root=root,
            include_dirs=_find(root, self.include_dirs, "include_dirs"),
            library_dirs=_find(root, self.libraries, "libraries"),
            defines=self.defines,
            flags=self.flags,
            optimize=self.optimize,
            clocks=(CLOCK.model_copy(update={"also": ("dla_csb_clk",)}),),
            registers=(CSB,),
            memories=(DBB,),
            status=(INTERRUPT,),
            ties=self.ties,
            model=_no_model,
            timed=False,
            cases=(loadable_case(own=False), trace_case(own=False)),
        )


def _no_model(params: Mapping[str, object], stimulus: Stimulus) -> Outcome:
    raise UsageError("the user's RTL has no timed model")


def _find(root: Path, patterns: tuple[str, ...], key: str, *, folders: bool = True) -> tuple[str, ...]:
    """What the patterns of a key of the description fit, relative to the root, each once and in order."""
    found: list[str] = []
    for pattern in patterns:
        fits = sorted(str(p.relative_to(root)) for p in root.glob(pattern) if (p.is_dir() if folders else p.is_file()))
        if not fits:
            what = "folder" if folders else "file"
            raise UsageError(f"{root}: no {what} fits {pattern!r} of {key}; is it a generated tree, with vmod in it?")
        found += fits
    return tuple(dict.fromkeys(found))


def load_rtl_description(file: Path) -> RtlDescription:
    """Read a description.

    Raises:
        InputError: no such file, no TOML, an unknown key or a wrong type.
    """
    return load_model(RtlDescription, file, "a description (.toml)")


def find_rtl(folder: Path, description: Path | None = None, top: str | None = None) -> Design:
    """The design in the user's folder, described by a file, by ``goldbeat.toml`` in it, or by the defaults."""
    if description is None and (folder / DESCRIPTION).is_file():
        description = folder / DESCRIPTION
    found = RtlDescription() if description is None else load_rtl_description(description)
    if top is not None:
        found = found.model_copy(update={"top": top})
    return found.design(folder)
