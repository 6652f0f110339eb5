# SPDX-License-Identifier: Apache-2.0
"""``goldbeat nvdla profile``: cycles, multipliers, traffic and waits of every operation of a compiled model."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.json_file import read_json
from goldbeat.pymodels.nvdla.layer_tensor import layer_tensor
from goldbeat.pymodels.nvdla.loadable.loadable import read_loadable
from goldbeat.pymodels.nvdla.loadable.placement import place_memories
from goldbeat.pymodels.nvdla.observed import ObservedRun, observed_from_rows
from goldbeat.pymodels.nvdla.order_check import order_findings
from goldbeat.pymodels.nvdla.profile import MULTIPLIERS, OperationProfile, profile_operations
from goldbeat.pymodels.nvdla.timed.activity import OPERATIONS
from goldbeat.pymodels.nvdla.timed.model import predict
from goldbeat.tb.cli.common import check_free, print_json, say
from goldbeat.tb.cli.screen import show_findings
from goldbeat.tb.design.catalog import find_design
from goldbeat.tb.design.measurements import MeasurementTable
from goldbeat.tb.designs.nvdla.loadable_answer import OBSERVED
from goldbeat.tb.designs.nvdla.loadable_case import given_files
from goldbeat.tb.designs.nvdla.order_report import end_with_order, order_rows
from goldbeat.tb.designs.nvdla.pictures import chosen as chosen_convention
from goldbeat.tb.designs.nvdla.tensors import read_tensors
from goldbeat.tb.run.run_folder import REPORT
from goldbeat.tb.run.runs import Request, made_stimuli

_NOTES = (
    "cycles: start to done. MAC: used part of the 64 multipliers. KB: on DBB.",
    "waits: the two longest, in % of the cycles.",
)
_COLUMNS = ("operation", "output", "start", "cycles", "MAC", "KB in", "KB out", "waits")
_SHOWN_WAITS = 2


@dataclass(frozen=True)
class ProfileRequest:
    """The options of the command."""

    file: Path
    options: Mapping[str, Any]
    as_json: bool
    table: Path | None = None
    dump: str | None = None
    force: bool = False


def profile_command(request: ProfileRequest) -> None:
    """Predict with the timed model, show or write the operations."""
    dumped = None if request.dump is None else _operation_name(request.dump)
    target = None if dumped is None else Path(f"task{dumped[0]}.op{dumped[1]}.npy")
    for file in (request.table, target):
        if file is not None:
            check_free(file, force=request.force)
    source = _source(request)
    found, options = source.operations, source.options
    if dumped is not None and target is not None:
        np.save(target, _tensor(options, *dumped))
    if request.table is not None:
        _write(found, request.table)
    total = totals(found)
    order = order_findings(read_loadable(str(options["loadable"])))
    whole = {"loadable": options["loadable"], "source": source.text, "total": total}
    if request.as_json:
        print_json({**whole, "operations": [_entry(one) for one in found], "order": order_rows(order)})
        end_with_order(order, err=True)
        return
    notes = (*(_NOTES if any(one.waits for one in found) else _NOTES[:1]), *source.notes)
    rows = tuple(_cells(one) for one in found)
    show_findings(MeasurementTable(Path(options["loadable"]).name, _COLUMNS, rows, notes))
    use = "" if total["mac_use"] is None else f", {total['mac_use']:.1%} of the multipliers used"
    say(f"{total['cycles']} cycles from the first start to the last done{use}; source: {source.text}")
    end_with_order(order)


def profile_of(options: Mapping[str, Any]) -> list[OperationProfile]:
    """The operations of the case ``loadable`` with these options, by the timed model alone.

    Raises:
        GoldbeatError: as a run of them would be refused.
    """
    design = find_design("nvdla")
    request = Request(design, design.case("loadable"), (0,), {}, dict(options))
    # Cycles do not depend on the values: those of the first input are those of all.
    stimulus = made_stimuli(request, request.setting(0))[0]
    outcome = predict(request.all_params, stimulus)
    return profile_operations(read_loadable(str(options["loadable"])), outcome.details[OPERATIONS])


@dataclass(frozen=True)
class _Source:
    """Operations and where they come from.

    Attributes:
        operations: in the order of their starts.
        options: of the case.
        text: for people.
        notes: below the table.
    """

    operations: list[OperationProfile]
    options: Mapping[str, Any]
    text: str
    notes: tuple[str, ...] = ()


def _source(request: ProfileRequest) -> _Source:
    if not request.file.is_dir():
        chosen = {"loadable": str(request.file), **request.options}
        return _Source(profile_of(chosen), chosen, "timed model")
    report = _report(request.file)
    options = dict(report["options"])
    observed = request.file / "output" / OBSERVED
    if not observed.is_file():
        chosen = {**options, **request.options}
        text = f"RTL, equal to the timed model in every cycle ({request.file})"
        return _Source(profile_of(chosen), chosen, text)
    if request.options:
        raise UsageError(f"{request.file} ran on RTL without a timed model: its profile takes no other input or memory")
    found = _observed(observed, options)
    notes: tuple[str, ...] = ("Seen by the host and at DBB; done is when the host sees it.",)
    if found.other_bytes:
        notes += (f"{found.other_bytes} bytes in bursts of no operation.",)
    return _Source(found.operations, options, f"the run ({request.file})", notes)


def _observed(file: Path, options: Mapping[str, Any]) -> ObservedRun:
    try:
        kept = read_json(file, "what a run has written")
        placement = place_memories(read_loadable(str(options["loadable"])))
        return observed_from_rows(placement, kept["operations"], int(kept["other_bytes"]))
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(str(error), "what a run has written", file=file) from error


def _report(folder: Path) -> Any:
    """Of a run that has passed; on Goldbeat's RTL the timed model is equal to it in every cycle."""
    file = folder / REPORT
    if not file.is_file():
        raise InputError(f"no {REPORT}", "the folder of a run of a loadable", file=folder)
    report = read_json(file, "the report of a run")
    if report.get("design") != "nvdla" or report.get("case") != "loadable":
        raise InputError(
            f"a run of {report.get('design')}, case {report.get('case')}", "one of nvdla, case loadable", file=file
        )
    own = not (folder / "output" / OBSERVED).is_file()
    if report["status"] == "fail" or (own and (report["status"] != "pass" or not report["time_compared"])):
        why = "it did not pass" if report["status"] != "pass" else "its cycles were not compared"
        raise UsageError(f"{folder}: {why}, so there is no profile of the run; profile the loadable instead")
    return report


def _operation_name(text: str) -> tuple[int, int]:
    task, _, index = text.partition(".")
    if not (task.isdigit() and index.isdigit()):
        raise UsageError(f"--dump {text}: expected TASK.OPERATION, such as 0.3")
    return int(task), int(index)


def _tensor(options: Mapping[str, Any], task: int, index: int) -> npt.NDArray[np.int8]:
    """By the functional models, from the same input."""
    loadable = read_loadable(str(options["loadable"]))
    given = given_files(options)
    convention = chosen_convention(options.get("image_scale"), options.get("image_order"))
    inputs, _ = read_tensors(loadable, given, convention)
    return layer_tensor(place_memories(loadable), inputs[0], task, index)


def totals(found: Sequence[OperationProfile]) -> dict[str, Any]:
    """Sums over all operations."""
    cycles = max((one.done for one in found), default=0) - min((one.fetch for one in found), default=0)
    macs = sum(one.macs for one in found)
    sums = {name: sum(getattr(one, name) for one in found) for name in ("read", "weights_read", "written")}
    # The multipliers rest while other engines work alone.
    use = macs / (MULTIPLIERS * cycles) if macs else None
    return {"cycles": cycles, "macs": macs, "mac_use": use, **sums}


def _entry(one: OperationProfile) -> dict[str, Any]:
    return {**asdict(one), "cycles": one.cycles, "mac_use": one.mac_use}


def _cells(one: OperationProfile) -> tuple[str, ...]:
    most = sorted(one.waits.items(), key=lambda item: -item[1])[:_SHOWN_WAITS]
    return (
        f"{one.task}.{one.index} {one.engine}",
        "x".join(map(str, one.shape)),
        str(one.start),
        str(one.cycles),
        "-" if one.mac_use is None else f"{one.mac_use:.0%}",
        *(f"{size / 1000:.1f}" for size in (one.read + one.weights_read, one.written)),
        ", ".join(f"{name} {100 * count // one.cycles}" for name, count in most) or "-",
    )


def _write(found: Sequence[OperationProfile], file: Path) -> None:
    rows = [_entry(one) for one in found]
    for row in rows:
        row["shape"] = "x".join(map(str, row["shape"]))
        row |= {f"wait_{name}": count for name, count in row.pop("waits").items()}
    names = list(dict.fromkeys(name for row in rows for name in row))
    with file.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, names, restval=0)
        writer.writeheader()
        writer.writerows(rows)
