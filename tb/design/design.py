# SPDX-License-Identifier: Apache-2.0
"""One description per design: all that run, regress, signoff, tests and docs need to know."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import Field

from goldbeat.pymodels.bus_models import Route
from goldbeat.pymodels.errors import UsageError, naming_description
from goldbeat.pymodels.mapped_registers import Elsewhere
from goldbeat.pymodels.stimulus import GoldenModel, Stimulus
from goldbeat.tb.design.address_map import AddressRange
from goldbeat.tb.design.case import Case, CaseContext
from goldbeat.tb.design.filelist import Sources, read_filelist
from goldbeat.tb.design.includes import RtlReach, reached
from goldbeat.tb.design.measurements import MeasurementTable, RunAnswer
from goldbeat.tb.design.parameter import ClockPort, Parameter
from goldbeat.tb.design.ports.bundle import Bundle, Frozen, StatusPort, all_lanes, number
from goldbeat.tb.design.ports.memory import MemoryPort
from goldbeat.tb.design.ports.register import RegisterPort
from goldbeat.tb.design.ports.stream import StreamPort


def itself(design: Design) -> Design:
    """A design, as what :func:`naming_description` takes."""
    return design


class Design(Frozen):
    """The one description of a design.

    Attributes:
        name: name of the design.

        summary: one line for `goldbeat list`.
        top: name of the top module.
        files: source files relative to ``root``; a file list (``.f``) is replaced by its files, relative to the list.
        root: folder of the sources.
        include_dirs: folders for ```include``, relative to ``root``.
        library_dirs: folders, relative to ``root``, searched by name for modules that no source file defines.
        defines: macros by name; an empty text defines a macro without a value.
        cxx_flags: switches for the C++ compiler; ``-march=native`` lets loops over lanes become vector instructions.
        flags: more switches for Verilator.
        optimize: the C++ compiler's switch for what Verilator makes; large designs compile long with ``-O3``.
        parameters: parameters of the top module with their defaults.
        words: names that users know for parameter values: option -> word -> parameters, as ``number`` -> ``int8``.
        clocks: at least one; resets are released with the first.
        streams, registers, memories, status: the ports.
        waive: accepted violations of protocol rules, as ``RULE`` or ``RULE:PORT``; reports count them.
        ready_bound: warn if a beat or an AXI transfer waits more cycles for the design's ready; None: never.
        ties: inputs tied to a constant; -1 means all ones.
        ignored: outputs that are left open and not checked.
        unchecked: signals of bundles that are tied, left open or not predicted, each with the reason why that is right.
        guesses: signals whose part in a bundle is a guess, each with what speaks for it: what differs may come of one.
        obligations: obligations that need not be met (docs/verify.md), as patterns, each with the reason.
        obligations_required: runs that leave obligations of ports open are partial.
        address_spans: parameters -> by slave, first addresses and bytes of what its accesses go to; None: it is not known.
        routes: parameters -> where the addresses of its slaves lead, as its ready-made model has it; None: it has none.
        found_ranges: of the address map, those that the RTL itself was asked for: nothing shows that they are right.
        uncompared: parameters -> further signals of bundles that the model does not predict, and why.
        masked: parameters -> fields of register maps whose values are not compared; None: it has none.
        elsewhere: parameters -> by slave with a register map, what it answers beside the map; None: there is none.
        model: the golden model.
        ready_model: name of the ready-made model that it is, of the streams where there are buses as well; empty: it is another.
        blurred: the model uses ``Stimulus.blur_ps``: with blurred clock crossings, cycles are compared with the earliest and
            the latest that it predicts. Without it, only data and order are compared then.
        timed: compare the cycles that the model predicts. False: compare values and order; the report says so.
        ordered: compare beats in order. False: compare whole frames in any order, or words where no port has TLAST; the report
            says so.
        cycles_per_beat: without ``timed``: extra cycles per beat before the run looks whether anything still moves.
        cases: cases by name; the first is the default.
        variants: sets of parameter values for lint and tests, as differences from the defaults.
        findings: parameters, stimulus and record of an episode -> tables of what it has measured beside its ports.
        slow: all cases are too long for the quick tests.
        slow_parameters: builds with variants of these parameters are too long as well.
        foreign: folder of a user's RTL, file that describes it and top module -> the same design on that RTL; None where there is
            no such thing.
        timeline: side of an episode (:class:`goldbeat.tb.timeline.side.TimelineSide`), model or RTL -> the design's own rows of a
            timeline (:class:`goldbeat.tb.timeline.compose.OwnRows`).
        coverage: parameters -> items (:class:`goldbeat.pymodels.coverpoints.CoverageItem`) that are counted in every episode of
            every case, beside what is counted of the ports.
        answer: setting, stimulus and record of an episode -> what it has computed; None where that is of no use to anybody.
        blessed: file with recordings of what the design does, for one without a golden model; None: it has a model.
        file: of its description, for messages; None: it is made in Python.
    """

    name: str
    summary: str
    top: str
    files: tuple[str, ...]
    root: Path
    include_dirs: tuple[str, ...] = ()
    library_dirs: tuple[str, ...] = ()
    defines: Mapping[str, str] = {}
    cxx_flags: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    optimize: str = "-O3"
    parameters: Mapping[str, Parameter] = {}
    words: Mapping[str, Mapping[str, Mapping[str, Any]]] = {}
    clocks: tuple[ClockPort, ...] = (ClockPort(name="aclk", reset="aresetn", period_ps=4000),)
    streams: tuple[StreamPort, ...] = ()
    registers: tuple[RegisterPort, ...] = ()
    memories: tuple[MemoryPort, ...] = ()
    status: tuple[StatusPort, ...] = ()
    waive: tuple[str, ...] = ()
    ready_bound: int | None = Field(default=None, ge=0)
    ties: Mapping[str, int] = {}
    ignored: tuple[str, ...] = ()
    unchecked: Mapping[str, str] = {}
    guesses: Mapping[str, str] = {}
    obligations: Mapping[str, str] = {}
    obligations_required: bool = False
    address_spans: Callable[[Mapping[str, Any]], Mapping[str, Sequence[tuple[int, int]]]] | None = None
    routes: Callable[[Mapping[str, Any]], Sequence[Route]] | None = None
    found_ranges: tuple[AddressRange, ...] = ()
    uncompared: Callable[[Mapping[str, Any]], Mapping[str, str]] | None = None
    masked: Callable[[Mapping[str, Any]], Sequence[str]] | None = None
    elsewhere: Callable[[Mapping[str, Any]], Mapping[str, Elsewhere]] | None = None
    model: GoldenModel
    ready_model: str = ""
    blurred: bool = False
    timed: bool = True
    ordered: bool = True
    cycles_per_beat: int = 8
    cases: tuple[Case, ...]
    variants: tuple[Mapping[str, Any], ...] = ({},)
    findings: Callable[[Mapping[str, Any], Stimulus, Any], Sequence[MeasurementTable]] | None = None
    answer: Callable[[CaseContext, Stimulus, Any], RunAnswer | None] | None = None
    timeline: Callable[[Any], Any] | None = None
    coverage: Callable[[Mapping[str, Any]], Iterable[Any]] | None = None
    slow: bool = False
    slow_parameters: tuple[str, ...] = ()
    foreign: Callable[[Path, Path | None, str | None], Design] | None = None
    blessed: Path | None = None
    file: Path | None = None

    def case(self, name: str | None) -> Case:
        """A case by name; None gives the first one."""
        if name is None:
            return self.cases[0]
        for case in self.cases:
            if case.name == name:
                return case
        # Wanted for the error alone: every simulator imports this module.
        from goldbeat.pymodels.nearest import known_names

        known = [c.name for c in self.cases]
        raise UsageError(f"{self.name} has no case {name!r}{known_names(name, known)}")

    def params(
        self, case: Case, overrides: Mapping[str, Any], options: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """All parameter values of a run.

        Args:
            case: its values come behind the defaults.
            overrides: the user's, which come last.
            options: case options that differ from their defaults, for values that follow from them; None: leave those out.

        Raises:
            UsageError: an unknown parameter.
        """
        for name in overrides:
            if name not in self.parameters:
                raise UsageError(f"{self.name} has no parameter {name!r}; it has: {', '.join(self.parameters)}")
        values: dict[str, Any] = {name: p.default for name, p in self.parameters.items()}
        fitted = {} if case.fit is None or options is None else case.fit({**case.options, **options})
        return values | dict(case.params) | dict(fitted) | dict(overrides)

    @property
    def ports(self) -> tuple[Bundle, ...]:
        """All ports but the status outputs, arrays as one and widths as described."""
        return (*self.streams, *self.registers, *self.memories)

    @naming_description(itself)
    def bundles(self, params: Mapping[str, Any]) -> list[StreamPort]:
        """The stream ports with arrays taken apart and widths as numbers."""
        return all_lanes(self.streams, params)

    @naming_description(itself)
    def register_ports(self, params: Mapping[str, Any]) -> list[RegisterPort]:
        """The register ports with arrays taken apart and widths as numbers."""
        return all_lanes(self.registers, params)

    @naming_description(itself)
    def memory_ports(self, params: Mapping[str, Any]) -> list[MemoryPort]:
        """The AXI4 ports with arrays taken apart and widths as numbers."""
        return all_lanes(self.memories, params)

    @naming_description(itself)
    def status_ports(self, params: Mapping[str, Any]) -> list[StatusPort]:
        """The status outputs with widths as numbers."""
        return [s.model_copy(update={"width": number(s.width, params)}) for s in self.status]

    def undriven(self) -> dict[str, str]:
        """Inputs that nothing drives in a run, and what holds them; bundles that nothing answers, likewise."""
        found = {name: f"tied to {'all ones' if value == -1 else value}" for name, value in self.ties.items()}
        for register in self.registers:
            if register.direction == "out" and "out" not in register.native:
                found[register.name] = "not driven: no slave model is attached"
        return found

    def unread(self, params: Mapping[str, Any]) -> list[str]:
        """Outputs that nothing checks, and fields of register maps whose values are not compared."""
        return [*self.ignored, *([] if self.masked is None else self.masked(params))]

    @property
    def resettable(self) -> bool:
        """True when some clock has a reset."""
        return any(c.reset is not None for c in self.clocks)

    def listed(self) -> Sources:
        """What ``files`` names, with what file lists name: paths, include folders and macros."""
        found = Sources()
        for path in (self.root / f for f in self.files):
            found += read_filelist(path, relative=True) if path.suffix == ".f" else Sources((path,))
        # Lists may reach one file by several ways.
        files, folders = ([Path(os.path.normpath(p)) for p in paths] for paths in (found.files, found.include_dirs))
        return Sources(tuple(dict.fromkeys(files)), tuple(dict.fromkeys(folders)), found.defines, lists=found.lists)

    @naming_description(itself)
    def sources(self) -> list[Path]:
        """The source files, checked to be there."""
        paths = list(self.listed().files)
        for path in paths:
            if not path.is_file():
                raise UsageError(f"{self.name}: no such source file: {path}")
        return paths

    def include_paths(self) -> list[Path]:
        """The folders for ```include``, checked to be there."""
        return list(dict.fromkeys((*self._folders(self.include_dirs, "include"), *self.listed().include_dirs)))

    def library_paths(self) -> list[Path]:
        """The folders of modules, checked to be there."""
        return self._folders(self.library_dirs, "library")

    @naming_description(itself)
    def _folders(self, names: Sequence[str], kind: str) -> list[Path]:
        paths = [self.root / d for d in names]
        for path in paths:
            if not path.is_dir():
                raise UsageError(f"{self.name}: no such {kind} folder: {path}")
        return paths

    def reached(self) -> RtlReach:
        """What an ```include`` or the name of a module may reach, to tell whether anything has changed."""
        return reached(self.sources(), self.include_paths(), self.library_paths())

    def included_files(self) -> list[Path]:
        """The files of :meth:`reached`."""
        return list(self.reached().files)

    def data_folders(self) -> list[Path]:
        """Where files that the RTL reads (``$readmemh``) are looked for: in the current folder, the description's, the sources'."""
        folders = (Path.cwd(), self.root, *(path.parent for path in self.listed().files))
        return list(dict.fromkeys(folder.absolute() for folder in folders))

    def build_flags(self) -> list[str]:
        """The C++ compiler's switches as Verilator hands them on."""
        return [word for flag in self.cxx_flags for word in ("-CFLAGS", flag)]

    def macros(self) -> list[str]:
        """What is defined for the sources, as ``NAME`` or ``NAME=VALUE``; those among the further switches too."""
        return [flag.removeprefix("-D") for flag in self.compile_flags() if flag.startswith("-D")]

    def compile_flags(self) -> list[str]:
        """Include folders, libraries, macros and further switches as Verilator takes them."""
        defines = {**self.listed().defines, **self.defines}
        macros = [f"-D{name}={value}" if value else f"-D{name}" for name, value in defines.items()]
        libraries = [switch for path in self.library_paths() for switch in ("-y", str(path))]
        return [*(f"-I{path}" for path in self.include_paths()), *libraries, *macros, *self.flags]
