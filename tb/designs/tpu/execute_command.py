# SPDX-License-Identifier: Apache-2.0
"""``goldbeat tpu execute``: what a compiled model computes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
import typer

from goldbeat.pymodels.errors import UsageError, naming
from goldbeat.pymodels.packed import PackedReader
from goldbeat.pymodels.tpu.execute.model import ExecutedNet, StaticNet
from goldbeat.pymodels.tpu.streams.bmodel import BModel
from goldbeat.pymodels.tpu.streams.container import read_container
from goldbeat.tb.cli.common import PARTIAL, Force, Json, check_free, examples, print_json, say, working


def register(app: typer.Typer) -> None:
    """Mount the command."""
    below = examples(
        "goldbeat tpu execute net.bmodel --input x.npz --out y.npz",
        "goldbeat tpu execute net.bmodel --input x.npz --out y.npz --net detector --stage 1",
    )
    app.command("execute", no_args_is_help=True, epilog=below)(execute_model_command)


NetName = Annotated[str | None, typer.Option("--net", metavar="NET", help="Name or number of the net [the first].")]
Stage = Annotated[int, typer.Option("--stage", metavar="N", help="Stage of the net.")]
_SHOWN = 10
"""Operands that are read without having been written."""


def execute_model_command(
    file: Annotated[Path, typer.Argument(metavar="MODEL.bmodel", help="Compiled model.")],
    given: Annotated[Path, typer.Option("--input", metavar="X.npz", help="Input tensors by name.")],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="Y.npz", help="File for the output tensors.")],
    net: NetName = None,
    stage: Stage = 0,
    as_json_: Json = False,
    force: Force = False,
) -> None:
    """Execute the commands of a BModel.

    Exit code: 0 done, 2 bad input or a command that is not modelled, 3 an output that no command writes, an
    operand that nothing wrote all of, or commands that race.
    """
    check_free(out, force)
    chosen = static_net(file, net, stage)
    inputs = named_arrays(given)
    with naming(given), working(f"executing {file.name}", chosen.commands) as step:
        found = chosen.run(inputs, step)
    said = in_doubt(chosen, found)
    with out.open("wb") as target:
        np.savez(target, allow_pickle=False, **found.outputs)
    _print(chosen.model, found, said, out, as_json_)
    for text in found.rounded:
        say(f"note: {text}", err=True)
    for text in said:
        say(f"partial: {text}", err=True)
    if said:
        raise typer.Exit(PARTIAL)


def static_net(file: Path, net: str | None, stage: int) -> StaticNet:
    """One stage of one net of a BModel, by the options of a command.

    Raises:
        UsageError: another container, or there is no such net.
    """
    model = read_container(file)
    if not isinstance(model, BModel):
        raise UsageError(f"{file} is a {model.magic}, expected a BModel")
    return StaticNet(model, net or 0, stage)


def in_doubt(net: StaticNet, found: ExecutedNet) -> list[str]:
    """Why the outputs of a net that has run may be others than those of a chip; empty: there is no reason."""
    said = []
    if found.unwritten or not found.outputs:
        said.append(f"no command writes all of {', '.join(found.unwritten) or 'an output'}")
    said += found.part_read[:_SHOWN]
    if (more := len(found.part_read) - _SHOWN) > 0:
        said.append(f"... and {more} more operands read bytes that nothing wrote")
    return [*said, *filter(None, [net.races()])]


def _print(model: BModel, found: ExecutedNet, said: list[str], out: Path, as_json_: bool) -> None:
    if as_json_:
        print_json({**_report(model, found, out), "partial": said})
        return
    nets = len(model.model.get("net", ()))
    which = f"net {found.net}" + (f" (one of {nets})" if nets > 1 else "") + f", stage {found.stage}"
    say(f"{model.chip}: {which}, {sum(found.operations.values())} commands on {_cores(found.cores)}")
    for name, array in found.outputs.items():
        say(f"  {name}  {'x'.join(map(str, array.shape))} {array.dtype}, {_range(array)}")
    say(f"in {out}")


def _cores(many: int) -> str:
    return f"{many} core" + ("s" if many > 1 else "")


def _range(array: npt.NDArray[Any]) -> str:
    return f"{array.min():.6g} to {array.max():.6g}" if array.size else "empty"


def _report(model: BModel, found: ExecutedNet, out: Path) -> dict[str, Any]:
    return {
        "chip": model.chip,
        "net": found.net,
        "stage": found.stage,
        "cores": found.cores,
        "commands": sum(found.operations.values()),
        "operations": found.operations,
        "unwritten": found.unwritten,
        "part_read": found.part_read,
        "rounded": found.rounded,
        "outputs": {name: {"shape": list(a.shape), "type": str(a.dtype)} for name, a in found.outputs.items()},
        "file": str(out),
    }


def named_arrays(path: Path) -> dict[str, npt.NDArray[Any]]:
    """The arrays of an ``.npz``, by the names of tensors."""
    with PackedReader(path, "an .npz with arrays by the names of tensors") as file:
        return {name: file.get(name) for name in file.names}
