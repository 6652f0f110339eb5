# SPDX-License-Identifier: Apache-2.0
"""``goldbeat tpu compare``: the first tensor of a model that a reference has otherwise, its layer, and the command that made it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
import typer

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.tpu.compare.costs import LayerCost, layer_costs
from goldbeat.pymodels.tpu.compare.layers import TpuLayer, read_layers
from goldbeat.pymodels.tpu.compare.verdict import ComparedTensor, as_json, compared
from goldbeat.pymodels.tpu.compare.watch import CommandKey, TensorWatch
from goldbeat.pymodels.tpu.cost.estimate import estimate
from goldbeat.pymodels.tpu.cost.rates import chip_rates
from goldbeat.pymodels.tpu.execute.memories import NotModelledError
from goldbeat.pymodels.tpu.execute.model import StaticNet, tensors_of_file
from goldbeat.pymodels.tpu.execute.operand_view import named_spans, operand_views
from goldbeat.pymodels.tpu.streams.bmodel import BModel
from goldbeat.pymodels.tpu.streams.profile import Durations
from goldbeat.tb.cli.common import FAILED, PARTIAL, Force, Json, check_free, examples, print_json, say, working
from goldbeat.tb.designs.tpu.execute_command import NetName, Stage, in_doubt, named_arrays, static_net
from goldbeat.tb.designs.tpu.time_command import said_by_profiles
from goldbeat.tb.page.run_page import page_environment

_SHOWN = 12
"""Tensors and layers that the text has; the page and JSON have all."""
_TEMPLATES = Path(__file__).resolve().parent / "templates"
Arrays = dict[str, npt.NDArray[Any]]


def register(app: typer.Typer) -> None:
    """Mount the command."""
    below = examples(
        "goldbeat tpu compare net.bmodel --reference vendor.npz --input x.npz",
        "goldbeat tpu compare net.bmodel --reference vendor.npz --input x.npz --layers final.mlir",
        "goldbeat tpu compare net.bmodel --reference compiled/ --page compare.html",
    )
    app.command("compare", no_args_is_help=True, epilog=below)(compare_model)


@dataclass
class _Given:
    """What the user brings."""

    inputs: Arrays
    reference: Arrays
    layers: dict[int, TpuLayer]
    profiles: list[Path]


@dataclass
class _Found:
    """What a comparison gave."""

    model: BModel
    net: StaticNet
    tensors: list[ComparedTensor] = field(default_factory=list)
    costs: dict[int, LayerCost] = field(default_factory=dict)
    owners: dict[int, npt.NDArray[np.int64]] = field(default_factory=dict)
    layers: dict[int, TpuLayer] = field(default_factory=dict)
    partial: list[str] = field(default_factory=list)

    @property
    def first(self) -> ComparedTensor | None:
        """The first tensor that differs."""
        return next((one for one in self.tensors if one.different), None)


def compare_model(
    file: Annotated[Path, typer.Argument(metavar="MODEL.bmodel", help="Compiled model.")],
    reference: Annotated[
        Path,
        typer.Option("--reference", metavar="R.npz|DIR", help="Tensors by name, or the folder of a compiled model."),
    ],
    given: Annotated[
        Path | None, typer.Option("--input", metavar="X.npz", help="Input tensors by name [those in DIR].")
    ] = None,
    layers: Annotated[
        Path | None, typer.Option("--layers", metavar="final.mlir", help="Layers of the model [that in DIR].")
    ] = None,
    profile: Annotated[
        list[Path] | None,
        typer.Option("--profile", metavar="FILE", help="compiler_profile_N.txt of core N; repeatable [those in DIR]."),
    ] = None,
    tolerance: Annotated[
        float,
        typer.Option("--tolerance", min=0.0, help="Largest difference, as a part of the tensor's greatest magnitude."),
    ] = 0.0,
    page: Annotated[Path | None, typer.Option("--page", metavar="FILE.html", help="Write a page.")] = None,
    net: NetName = None,
    stage: Stage = 0,
    as_json_: Json = False,
    force: Force = False,
) -> None:
    """Compare tensors with a reference, layer by layer.

    Executes the model and names the first tensor that differs, its layer, and the command that made it.

    Exit code: 0 equal, 1 a tensor differs, 2 bad input, 3 some tensors of the reference were not compared, or
    the result is in doubt as for `execute`.
    """
    if page is not None:
        check_free(page, force)
    chosen = static_net(file, net, stage)
    brought = _brought(chosen, reference, given, layers, profile or [])
    found = _compare(chosen.model, chosen, brought, tolerance)
    report = _report(found)
    if as_json_:
        print_json(report)
    else:
        _print(report)
    if page is not None:
        page.write_text(_page(file, report), encoding="utf-8")
        if not as_json_:
            say(f"page: {page}")
    for text in found.partial:
        say(f"partial: {text}", err=True)
    if found.first is not None:
        raise typer.Exit(FAILED)
    if found.partial:
        raise typer.Exit(PARTIAL)


# -- what is read -----------------------------------------------------------------------------------------------------


def _brought(
    net: StaticNet, reference: Path, given: Path | None, layers: Path | None, profiles: Sequence[Path]
) -> _Given:
    """Options, and where they are left out the files of a folder."""
    folder = reference if reference.is_dir() else None
    if given is None and folder is None:
        raise UsageError("--input is missing; expected an .npz with the input tensors")
    inputs = (
        named_arrays(given) if given else tensors_of_file(net.inputs, _only(folder, "input.dat", "input_ref_data.dat"))
    )
    tensors = (
        tensors_of_file(net.outputs, _only(folder, "output.dat", "output_ref_data.dat"))
        if folder
        else named_arrays(reference)
    )
    if folder is not None and layers is None:
        layers = next(iter(sorted(folder.glob("*final.mlir"))), None)
    if folder is not None and not profiles:
        profiles = sorted(one for one in folder.glob("*profile_*.txt"))
    return _Given(inputs, tensors, read_layers(layers) if layers else {}, list(profiles))


def _only(folder: Path | None, *names: str) -> Path:
    found = next((folder / name for name in names if (folder / name).exists()), None) if folder else None
    if found is None:
        raise UsageError(f"{folder} has no {' or '.join(names)}")
    return found


# -- what is found ----------------------------------------------------------------------------------------------------


def _compare(model: BModel, net: StaticNet, given: _Given, tolerance: float) -> _Found:
    members = [member for program in net.programs for member in program.members]
    said, cut = said_by_profiles(model.chip, given.profiles, None, members) if given.profiles else ({}, [])
    owners = {id(one): _lines(len(one), said.get(id(one), ()), given.layers) for _, one in members}
    found = _Found(model, net, owners=owners, layers=given.layers)
    found.partial += [f"{file} ends without API_END; entries may be missing" for file in cut]
    found.costs = layer_costs(
        net, owners, {id(one): _cycles(model.chip, one, said.get(id(one), ())) for _, one in members}
    )
    watch = TensorWatch(net, given.layers, owners, given.reference)
    try:
        with working("executing", net.commands) as step:
            done = net.run(given.inputs, step, watch)
        taken = watch.with_outputs(done)
        found.partial += in_doubt(net, done)
    except NotModelledError as error:
        found.partial.append(str(error))
        taken = watch.taken
    found.tensors = list(compared(net, taken, given.reference, tolerance))
    missing = sorted(set(given.reference) - {one.tensor.name for one in found.tensors})
    if missing:
        more = f" and {len(missing) - _SHOWN} more" if len(missing) > _SHOWN else ""
        found.partial.append(f"no memory was seen to hold {', '.join(missing[:_SHOWN])}{more} {_why(given)}".rstrip())
    return found


def _why(given: _Given) -> str:
    lacking = [text for text, has in (("--layers", given.layers), ("--profile", given.profiles)) if not has]
    return f"(without {' and '.join(lacking)}, only outputs are)" if lacking else ""


def _lines(many: int, parts: Sequence[Durations], layers: Mapping[int, TpuLayer]) -> npt.NDArray[np.int64]:
    """(many,) the line of each command's layer, where a profile names one that is there."""
    made = np.zeros(many, np.int64)
    for part in parts:
        for row, name in zip(part.rows.tolist(), part.layer, strict=True):
            op, _, number = name.rpartition("_")
            line = int(number) if number.isdecimal() else 0
            if line in layers and layers[line].op == op:
                made[row] = line
    return made


def _cycles(chip: str, one: Any, said: Sequence[Durations]) -> npt.NDArray[np.int64]:
    """Of each command: by a profile, else by the chip's rates."""
    rates = chip_rates(chip)
    made = estimate(rates, chip, one).cycles if rates is not None else np.zeros(len(one), np.int64)
    for part in said:
        made[part.rows] = part.cycles
    return made


# -- what is said -----------------------------------------------------------------------------------------------------


def _report(found: _Found) -> dict[str, Any]:
    net, first = found.net, found.first
    layers = []
    for line, cost in sorted((line, cost) for line, cost in found.costs.items() if cost.commands):
        layer = found.layers.get(line)
        name = {"layer": layer.name if layer else None, "operation": layer.op if layer else None, "line": line or None}
        layers.append({**name, **vars(cost)})
    return {
        "chip": found.model.chip,
        "net": net.name,
        "stage": net.stage,
        "commands": net.commands,
        "equal": first is None and bool(found.tensors),
        "first": as_json(first) | {"commands": _commands(found, first.commands)} if first else None,
        "tensors": [as_json(one) for one in found.tensors],
        "layers": layers,
        "partial": found.partial,
    }


def _commands(found: _Found, keys: Sequence[CommandKey]) -> list[dict[str, Any]]:
    """The commands that made an element, the one that calculated it first."""
    made = []
    names = named_spans(found.model)
    for number, member, row in reversed(keys):
        stream, listed = found.net.programs[number].members[member]
        view = next(v for at, v in enumerate(operand_views(found.model.chip, stream, listed, names)) if at == row)
        layer = found.layers.get(int(found.owners[id(listed)][row]))
        where = {"stream": stream.name, "engine": listed.engine.name, "layer": layer.name if layer else None}
        text = {"text": [*(f"-> {one}" for one in view.results), *map(str, view.operands)]}
        made.append({**where, **view.as_json(), **text})
    return made


def _print(report: dict[str, Any]) -> None:
    say(f"{report['chip']}: net {report['net']}, stage {report['stage']}, {report['commands']} commands")
    tensors = report["tensors"]
    for one in tensors[:_SHOWN]:
        say(f"  {_tensor_line(one)}")
    if len(tensors) > _SHOWN:
        say(f"  ... and {len(tensors) - _SHOWN} more tensors")
    _print_layers(report["layers"])
    if (first := report["first"]) is not None:
        _print_first(first)
    elif tensors:
        word = "PARTIAL" if report["partial"] else "PASS"
        say(f"{word} {len(tensors)} tensors, {sum(int(np.prod(one['shape'])) for one in tensors)} elements compared")


def _layer_text(one: dict[str, Any]) -> str:
    return f" of {one['operation']} in line {one['line']}" if one["line"] else ""


def _tensor_line(one: dict[str, Any]) -> str:
    shape = "x".join(map(str, one["shape"]))
    apart = f"{one['different']} differ, largest {_brief(one['largest'])}, cosine {one['cosine']:.6f}"
    return f"{one['tensor']}  {shape} {one['type']}, {one['memory']}: {apart if one['different'] else 'equal'}"


def _brief(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:.6g}"


def _print_layers(layers: Sequence[dict[str, Any]]) -> None:
    if not any(one["line"] for one in layers):
        return
    say(f"{'TIU cycles':>10} {'moves':>10} {'products':>12} {'read':>10} {'written':>10}  layer")
    longest = sorted(layers, key=lambda one: -(one["tiu"] + one["moves"]))[:_SHOWN]
    for one in longest:
        name = f"{one['layer']} ({one['operation']}, line {one['line']})" if one["line"] else "no layer"
        numbers = f"{one['tiu']:>10} {one['moves']:>10} {one['products']:>12} {one['read']:>10} {one['written']:>10}"
        say(f"{numbers}  {name}")


def _print_first(one: dict[str, Any]) -> None:
    say(
        f"FAIL {one['tensor']}{_layer_text(one)}: element {one['index']} is {_brief(one['found'])},"
        f" expected {_brief(one['expected'])}; {one['different']} of {int(np.prod(one['shape']))} differ"
    )
    for number, command in enumerate(one["commands"]):
        layer = f", layer {command['layer']}" if command["layer"] else ""
        verb = "moved by" if number else "made by"
        say(f"  {verb} {command['stream']} command {command['id']} ({command['operation']}){layer}")
        for text in command["text"]:
            say(f"    {text}")


def _page(file: Path, report: dict[str, Any]) -> str:
    most = max((one["tiu"] + one["moves"] for one in report["layers"]), default=0) or 1
    return (
        page_environment(_TEMPLATES)
        .get_template("compare.html.j2")
        .render(title=f"{file.name} against its reference", report=report, most=most)
    )
