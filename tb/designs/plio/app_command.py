# SPDX-License-Identifier: Apache-2.0
"""``goldbeat plio app``: stimulus, run, sign-off and the vendor's files of all ports of a PL kernel."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import numpy.typing as npt
import typer

from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.plio_file import TextStyle, write
from goldbeat.pymodels.samples import sample_type
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.cli.common import PARTIAL, Json, check_free, examples, print_json, say
from goldbeat.tb.cli.options import split_sets
from goldbeat.tb.cli.run import Asked, asked_by, run_case
from goldbeat.tb.cli.run_options import PageWish
from goldbeat.tb.cli.signoff import judge
from goldbeat.tb.design.ports.stream import StreamPort
from goldbeat.tb.designs.plio.application import Application, ApplicationInput, load_application
from goldbeat.tb.designs.plio.emit import Emitted, Pacing, check_emitted, emit
from goldbeat.tb.designs.plio.own_folder import MANIFEST, OwnFolder
from goldbeat.tb.paths import build_root, plain_name
from goldbeat.tb.run.inputs import file_ports
from goldbeat.tb.run.report import kept_trace
from goldbeat.tb.run.run_folder import run_folder
from goldbeat.tb.run.runs import setting_text
from goldbeat.tb.run.signoff import Limits, by_port, load_limits, load_run, packet_ports


def register(app: typer.Typer) -> None:
    """Mount the command."""
    below = examples(
        "goldbeat plio app app.toml",
        "goldbeat plio app app.toml --out ../graph/data --junit signoff.xml --page",
        "goldbeat plio app app.toml --json",
    )
    described = (
        'design = "kernel.toml"',
        'limits = "limits.toml"',
        'set = { gaps = "none", ready = "none" }',
        '[input.a]  # pattern, values = "a.npy", or file = "aiesimulator_output/data/a.txt"',
        'pattern = "chirp"',
        "samples = 1024",
        "[output.sum]",
        'plio = "graph_in.txt"',
    )
    below += "\n\n" + "\n".join(["\b", "A description:", *(f"  {line}" for line in described)])
    app.command("app", no_args_is_help=True, epilog=below)(run_application)


def run_application(
    file: Annotated[Path, typer.Argument(metavar="APP.toml", help="Description of the application.")],
    out: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="Folder for the simulator's files [build/plio/NAME].")
    ] = None,
    name: Annotated[
        str | None, typer.Option("--name", "-n", metavar="NAME", help="Folder under build/runs [name of APP.toml].")
    ] = None,
    junit: Annotated[
        Path | None, typer.Option("--junit", metavar="XML", help="Write JUnit XML of the sign-off for a CI server.")
    ] = None,
    page: PageWish = False,
    force: Annotated[
        bool, typer.Option("--force", help="Replace files that this command did not write, or that were edited.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Run all ports of a PL kernel beside an AI Engine graph.

    Makes the stimulus of every input and runs the RTL. Compares every output with the golden model, values
    and cycles. Checks all ports against one limits file. Writes a PLIO file per port for aiesimulator and
    x86simulator, only if the run passes.

    Exit code: 0 the run passes and all limits are kept, 1 outputs differ or a limit is broken,
    2 bad usage or bad input, 3 nothing differs, but some outputs were not compared.
    """
    if junit is not None:
        check_free(junit, force)
    job = _plan(file, load_application(file), out, name, junit, force)
    for port, (one, pacing) in job.emitted.items():
        emit(one, job.samples[port], pacing)
    job.folder.keep([one.out.relative_to(job.folder.root) for one, _ in job.emitted.values()])
    found: dict[str, Any] = {"passed": False, "run": None, "signoff": None, "files": {}}
    code = job.run(found, page=page, as_json=as_json)
    if code:
        said = "partial" if code == PARTIAL else "failed"
        if not as_json:
            say(f"not signed off, and no files for the simulator: the run {said}")
    else:
        code = job.sign_off(found, junit, force=force, as_json=as_json)
    if as_json:
        print_json(found | {"passed": not code})
    if code:
        raise typer.Exit(code)


@dataclass(frozen=True)
class _Job:
    """What is made, run and written.

    Attributes:
        asked: the run.
        limits: of the sign-off.
        folder: of all files.
        ports: stream ports, by name.
        emitted, samples: stimulus files that are made, by port.
        vendor: files for the simulator in the folder, by port that carries samples.
    """

    asked: Asked
    limits: Limits
    folder: OwnFolder
    ports: Mapping[str, StreamPort]
    emitted: Mapping[str, tuple[Emitted, Pacing]]
    samples: Mapping[str, npt.NDArray[Any]]
    vendor: Mapping[str, str]

    def run(self, found: dict[str, Any], *, page: bool, as_json: bool) -> int:
        """Run the RTL; the exit code."""
        design, case, words, inputs, wishes = self.asked
        try:
            run_case(design, case, words, inputs, replace(wishes, page=page, as_json=as_json), _into(found, "run"))
        except typer.Exit as end:
            return end.exit_code
        return 0

    def sign_off(self, found: dict[str, Any], junit: Path | None, *, force: bool, as_json: bool) -> int:
        """Check the limits of a run that passed and write the simulator's files; the exit code."""
        made = run_folder(build_root(), self.asked[-1].label, "")
        what, code = load_run(made), 0
        try:
            judge(what, self.limits, junit, force=force, tell=_into(found, "signoff") if as_json else None)
        except typer.Exit as end:
            code = end.exit_code
        packets = packet_ports(what, self.limits)
        for name, file in self.vendor.items():
            _write(self.ports[name], Trace.load(made / kept_trace(name)), self.folder.root / file, name in packets)
            if not as_json:
                say(f"{name} ({self.ports[name].direction}): {self.folder.root / file}")
        found["files"] = {name: str(self.folder.root / file) for name, file in self.vendor.items()}
        self.folder.keep(self.vendor.values())
        return code


def _into(found: dict[str, Any], key: str) -> Callable[[Any], None]:
    return lambda said: found.update({key: said})


def _plan(
    file: Path, described: Application, out: Path | None, name: str | None, junit: Path | None, force: bool
) -> _Job:
    """Everything that can be refused before something is written."""
    label, limits_file = name or plain_name(file.stem), file.parent / described.limits
    run_folder(build_root(), label, "")
    limits = load_limits(limits_file)
    folder = OwnFolder(build_root() / "plio" / label if out is None else out, force)
    made = [port for port, one in described.inputs.items() if one.file is None]
    files = {port: f"stimulus/{port}.txt" for port in made}
    asked = _asked(described, file.parent, label, {port: folder.root / name for port, name in files.items()})
    # An edit of values or of this description shows nowhere else.
    inputs = _inputs(described, file, limits_file)
    made_from = tuple(str(path.absolute()) for said, path in inputs.items() if not said.startswith("design"))
    asked = (*asked[:-1], replace(asked[-1], made_from=made_from))
    ports = _ports(asked, described, file)
    limited = [*by_port(limits, list(ports)).port, *(port for pair in limits.pairs() for port in pair)]
    if unknown := [port for port in limited if port not in ports]:
        known = f"one of {', '.join(ports)}"
        raise InputError(f"a limit for unknown port {unknown[0]!r}", known, file=limits_file)
    emitted = {}
    for port in made:
        try:
            emitted[port] = _emitted(described.inputs[port], asked, ports[port], folder.root / files[port])
        except UsageError as error:
            raise UsageError(f"{file}: [input.{port}]: {error}") from None
    samples = {port: described.inputs[port].make(file.parent, one.kind) for port, (one, _) in emitted.items()}
    vendor = {name: described.plio_name(name) for name, port in ports.items() if port.dtype is not None}
    if twice := [name for name in vendor.values() if list(vendor.values()).count(name) > 1]:
        raise InputError(f"two ports with the file {twice[0]}", "a name for each port: plio = NAME", file=file)
    written = [folder.root / name for name in (*files.values(), *vendor.values())]
    if junit is not None and junit.resolve() in {path.resolve() for path in (*written, folder.root / MANIFEST)}:
        raise UsageError(f"--junit {junit}: this command writes that file itself; expected another name")
    _keep_inputs(inputs, file, [*written, *([] if junit is None else [junit])])
    folder.prepare(files.values(), vendor.values())
    return _Job(asked, limits, folder, ports, emitted, samples, vendor)


def _inputs(described: Application, file: Path, limits: Path) -> dict[str, Path]:
    """The files that a run is made from, by what the description calls them."""
    found = {"the description": file, f"limits = {described.limits}": limits}
    for port, one in described.inputs.items():
        for key in ("file", "values"):
            if (given := getattr(one, key)) is not None:
                found[f"{key} = {given} of [input.{port}]"] = file.parent / given
    if (path := file.parent / described.design).is_file():
        found[f"design = {described.design}"] = path
    return found


def _keep_inputs(inputs: Mapping[str, Path], file: Path, written: Iterable[Path]) -> None:
    """Refuse an input that this run would write over."""
    lost = {path.resolve() for path in written}
    for said, path in inputs.items():
        if path.resolve() in lost:
            raise InputError(f"{said}, which this command writes", "a copy of it elsewhere", file=file)


def _asked(described: Application, folder: Path, label: str, made: Mapping[str, Path]) -> Asked:
    """The run, as the words of ``goldbeat run`` would ask for it."""
    design = described.design
    words = [str(folder / design) if design.endswith((".toml", ".py")) else design, "--name", label]
    words += ["--seed", str(described.seed), "--seeds", str(described.seeds)]
    words += [] if described.case is None else ["--case", described.case]
    for key, value in described.sets.items():
        words += ["--set", f"{key}={setting_text(value)}"]
    for port, one in described.inputs.items():
        words += ["--input", f"{port}={made[port] if one.file is None else folder / one.file}"]
    return asked_by(words)


def _ports(asked: Asked, described: Application, file: Path) -> dict[str, StreamPort]:
    """The stream ports; every input that takes files has a table, and every table is of a port with samples."""
    design, case, words, *_ = asked
    params = design.params(case, *split_sets(design, case, words))
    every = {port.name: port for port in design.bundles(params)}
    for kind, tables, direction in (("input", described.inputs, "in"), ("output", described.outputs, "out")):
        known = [name for name, port in every.items() if port.direction == direction]
        if unknown := [name for name in tables if name not in known]:
            raise InputError(f"[{kind}.{unknown[0]}] for an unknown port", f"one of {', '.join(known)}", file=file)
        if untyped := [name for name in tables if every[name].dtype is None]:
            expected = f"dtype in the [[streams]] of {untyped[0]}"
            raise InputError(f"port {untyped[0]} without a sample type", expected, file=file)
    if missing := [name for name in file_ports(design, params) if name not in described.inputs]:
        raise InputError(f"no [input.{missing[0]}]", "a table for each input of the design", file=file)
    return every


def _emitted(table: ApplicationInput, asked: Asked, port: StreamPort, out: Path) -> tuple[Emitted, Pacing]:
    """The stimulus file of a port, with times on the port's clock."""
    clock = next(one for one in asked[0].clocks if one.name == port.clock)
    if "period_ps" not in clock.model_fields_set:
        raise UsageError(f"clock {clock.name} of {asked[0].name} has no period_ps, which times of a stimulus need")
    assert port.dtype is not None
    pacing = Pacing(table.stall, table.delay, table.repeat, table.pace, table.seed)
    kind, mhz = sample_type(port.dtype), 1e6 / clock.period_ps
    check_emitted(out, True, mhz, pacing)
    pacing.gaps(1)
    return Emitted(out, kind, int(port.width), table.frame, table.packets, mhz, time=True, force=True), pacing


def _write(port: StreamPort, trace: Trace, path: Path, packets: bool) -> None:
    """A file as the simulator reads it: without times; CSV holds idle cycles as STALL."""
    assert port.dtype is not None
    headed = packets and sample_type(port.dtype).name in ("int32", "uint32")
    style = TextStyle(time_lines=False, trail="", words="packets" if headed else "natural")
    write(path, trace, port.dtype, style=style, force=True)
