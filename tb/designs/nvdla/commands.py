# SPDX-License-Identifier: Apache-2.0
"""``goldbeat nvdla``: compiled models for NVDLA without a simulator."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.nearest import known_names
from goldbeat.pymodels.nvdla.driver.instant_hardware import loadable_program as register_program
from goldbeat.pymodels.nvdla.driver.program_text import FORMATS, to_cfg, to_csv, to_trace
from goldbeat.pymodels.nvdla.engines.configuration import NV_SMALL, configuration_named
from goldbeat.pymodels.nvdla.engines.target import configuration_of
from goldbeat.pymodels.nvdla.execute import checking_hardware
from goldbeat.pymodels.nvdla.listing import graph as graph_of
from goldbeat.pymodels.nvdla.listing import info as info_of
from goldbeat.pymodels.nvdla.listing import memories, network_dot, operations
from goldbeat.pymodels.nvdla.loadable.loadable import read_loadable
from goldbeat.pymodels.nvdla.loadable.placement import BASE, place_memories
from goldbeat.pymodels.nvdla.order_check import order_findings
from goldbeat.tb.cli.common import Force, Json, ReplaceFolder, check_free, examples, facts, print_json, say
from goldbeat.tb.designs.nvdla import HELP
from goldbeat.tb.designs.nvdla.order_report import end_with_order, order_rows, say_refused

app = typer.Typer(help=HELP, no_args_is_help=True)

ImageScale = Annotated[
    str | None,
    typer.Option("--image-scale", metavar="runtime|half|offset", help="How a picture's bytes become numbers."),
]
ImageOrder = Annotated[
    str | None, typer.Option("--image-order", metavar="bgr|rgb", help="Order of a picture's colours.")
]
File = Annotated[Path, typer.Argument(metavar="FILE", help="A loadable (schema 0.7.0).")]
Base = Annotated[str, typer.Option("--base", metavar="ADDRESS", help="Address of the first memory.")]


ConfigurationName = Annotated[
    str | None,
    typer.Option(
        "--configuration",
        metavar="NAME",
        help="nv_small, nv_small_256, nv_large or nv_full [what the file was compiled for].",
    ),
]

_TIMING = ("read_latency", "write_latency", "read_jitter", "write_jitter", "max_reads", "max_writes")
"""Options of the case ``loadable`` that a profile takes."""
DEFAULT_BASE = f"0x{BASE:08x}"


def _base(text: str) -> int:
    try:
        return int(text, 0)
    except ValueError:
        raise UsageError(f"--base {text!r} is not an address such as 0x80000000") from None


@app.command(
    no_args_is_help=True, epilog=examples("goldbeat nvdla info model.nvdla", "goldbeat nvdla info model.nvdla --json")
)
def info(file: File, as_json: Json = False) -> None:
    """Show version, tasks, tensors and blobs of a loadable.

    Exit code 1 if its dependencies leave accesses unordered or operations waiting forever.
    """
    loadable = read_loadable(file)
    found, order = info_of(loadable), order_findings(loadable)
    if as_json:
        print_json({**found, "order": order_rows(order)})
        say_refused(loadable, err=True)
        end_with_order(order, err=True)
        return
    lists = ", ".join(f"{len(found[n])} {n}" for n in ("submits", "memories", "addresses", "events", "relocations"))
    facts(
        str(file), [("schema version", found["version"]), ("compiled for", _target(found["target"])), ("lists", lists)]
    )
    for task in found["tasks"]:
        rows = [("layout", task.get("layout", "-"))]
        rows += [("", reason) for reason in task.get("reasons", ())]
        counts = task.get("operations", {})
        rows.append(("operations", ", ".join(f"{n} {kind}" for kind, n in counts.items()) or "none"))
        facts(f"task {task['id']} ({task['interface']})", rows)
    rows = [(f"submit {s['id']}", "tasks " + " ".join(map(str, s["task_id"]))) for s in found["submits"]]
    rows += [(f"event {e['id']}", f"{e['op']} target {e['target']}, value {e['val']}") for e in found["events"]]
    rows += [
        (
            "relocation",
            f"{r['reloc_type']} of address {r['address_id']} at byte {r['offset']} of address {r['write_id']}",
        )
        for r in found["relocations"]
    ]
    if rows:
        facts("runtime", rows)
    if found["tensors"]:
        facts("tensors", [(t["name"], _tensor(t)) for t in found["tensors"]])
    facts(
        "blobs",
        [
            (b["name"], f"{b['bytes']} bytes, {b['interface']} {b['sub_interface']}, version {b['version']}")
            for b in found["blobs"]
        ]
        or [("", "none")],
    )
    say_refused(loadable)
    end_with_order(order)


def _target(built: dict[str, Any]) -> str:
    why = f" ({built['reason']})" if built["reason"] else ""
    return f"{built['name']}{why}" + ("" if built["small"] else "; the hardware here is nv_small's")


def _tensor(tensor: dict[str, Any]) -> str:
    shape = " x ".join(str(tensor[side]) for side in "nchw")
    kind = f"{tensor['data_type']} {tensor['data_category']}"
    return f"memory {tensor['mem_id']}, {shape} {kind}, {tensor['size']} bytes"


@app.command(
    no_args_is_help=True, epilog=examples("goldbeat nvdla ops model.nvdla", "goldbeat nvdla ops model.nvdla --json")
)
def ops(file: File, base: Base = DEFAULT_BASE, as_json: Json = False) -> None:
    """List the operations with surfaces, dependencies, fields."""
    found = operations(place_memories(read_loadable(file), _base(base)))
    if as_json:
        print_json(found)
        return
    for one in found:
        rows = [("union member", one["union_member"])] if "union_member" in one else []
        if "dependency_count" in one:
            rows.append(("waits for", f"{one['dependency_count']} event(s)"))
            rows += [("tells", f"{c['type']} {c['index']} when {c['event']}") for c in one["consumers"]]
            if one["fused_parent"]:
                rows.append(("fused with", f"{one['fused_parent']['index']}, told when {one['fused_parent']['event']}"))
        rows += [(name, _surface(surface)) for name, surface in one["surfaces"].items()]
        rows += [("transfer", _transfer(t)) for t in one.get("transfers", ())]
        rows += [(name, _flat(value)) for name, value in one["descriptor"].items()]
        facts(f"task {one['task']} operation {one['index']} {one['type']}", rows)


def _surface(surface: dict[str, Any]) -> str:
    size = " x ".join(str(surface[s]) for s in ("width", "height", "channel"))
    strides = f"{surface['size']} bytes, line {surface['line_stride']}, surface {surface['surf_stride']}"
    if "address" in surface:
        where = f"0x{surface['address']:08x} (memory {surface['memory']}, address id {surface['address_id']})"
    else:
        where = "on the fly" if surface.get("type") == "HW" else "nowhere"
    return f"{size} at {where}, {strides}"


def _transfer(transfer: dict[str, Any]) -> str:
    source, target = (f"0x{transfer[f'{end}_address']:08x}" for end in ("source", "destination"))
    return f"{transfer['line_size']} bytes x {transfer['line_repeat']} x {transfer['surface_repeat']} from {source} to {target}"


def _flat(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{k} {_flat(v)}" for k, v in value.items())
    return " ".join(map(_flat, value)) if isinstance(value, list) else str(value)


@app.command(
    no_args_is_help=True,
    epilog=examples("goldbeat nvdla memory model.nvdla", "goldbeat nvdla memory model.nvdla --base 0xc0000000"),
)
def memory(file: File, base: Base = DEFAULT_BASE, as_json: Json = False) -> None:
    """List memories with addresses and contents."""
    found = memories(place_memories(read_loadable(file), _base(base)))
    if as_json:
        print_json(found)
        return
    rows = []
    for m in found["memories"]:
        contents = ", ".join(f"{c['blob']} at {c['offset']}" for c in m["contents"])
        flags = " ".join(m["flags"])
        rows.append(
            (f"{m['id']}", f"0x{m['address']:08x}  {m['bytes']} bytes  {m['domain']}  {flags}  {contents}".rstrip())
        )
    facts("memories", rows or [("", "none")])
    rows = [
        (f"{a['id']}", f"0x{a['address']:08x}  memory {a['memory']} + {a['offset']}, {a['bytes']} bytes")
        for a in found["addresses"]
    ]
    facts("addresses", rows or [("", "none")])


@app.command(
    no_args_is_help=True,
    epilog=examples(
        "goldbeat nvdla graph model.nvdla", "goldbeat nvdla graph model.nvdla --dot | dot -Tsvg > model.svg"
    ),
)
def graph(
    file: File,
    as_json: Json = False,
    dot: Annotated[bool, typer.Option("--dot", help="Print a graph for graphviz.")] = False,
) -> None:
    """Show dependencies and fused operations.

    Exit code 1 if they leave accesses unordered or operations waiting forever.
    """
    if as_json and dot:
        raise UsageError("--json and --dot exclude each other")
    loadable = read_loadable(file)
    order = order_findings(loadable)
    if dot:
        say(network_dot(loadable))
        say_refused(loadable, err=True)
        end_with_order(order, err=True)
        return
    found = graph_of(loadable)
    if as_json:
        print_json({**found, "order": order_rows(order)})
        say_refused(loadable, err=True)
        end_with_order(order, err=True)
        return
    for node in found["nodes"]:
        rows = [
            ("fused with" if e["kind"] == "fused" else "tells", f"{e['to']} when {e['event']}")
            for e in found["edges"]
            if e["from"] == node["name"]
        ]
        facts(
            f"{node['name']} {node['type']}" + (" (on the fly)" if node["fused"] else ""),
            rows or [("", "no consumer")],
        )
    say_refused(loadable)
    end_with_order(order)


@app.command(
    no_args_is_help=True,
    epilog=examples(
        "goldbeat nvdla order model.nvdla --input 7.jpg          look for a timing that shows an unordered pair",
        "goldbeat nvdla order model.nvdla --rtl outdir/nv_small  on your RTL",
        "goldbeat nvdla order model.nvdla --page order.html      draw the accesses and the missing edges",
    ),
)
def order(
    file: File,
    given: Annotated[
        list[Path] | None, typer.Option("--input", "-i", metavar="FILE", help="Contents of the input memory [random].")
    ] = None,
    rtl: Annotated[Path | None, typer.Option("--rtl", metavar="FOLDER", help="Your generated RTL [ours].")] = None,
    page: Annotated[
        Path | None, typer.Option("--page", metavar="FILE.html", help="Draw each pair and the missing edge.")
    ] = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """List unordered accesses, and a timing that shows them.

    Exit code: 0 ordered, 1 another timing leaves other bytes, 3 no difference shown.
    """
    from goldbeat.tb.designs.nvdla.order_command import OrderRequest, order_command

    if page is not None:
        check_free(page, force)
    order_command(OrderRequest(file, given or (), rtl, page, as_json))


@app.command(
    no_args_is_help=True,
    epilog=examples(
        "goldbeat nvdla program model.nvdla                      the register program as a trace",
        "goldbeat nvdla program model.nvdla --format csv -o program.csv",
        "goldbeat nvdla program model.nvdla --image memory       each memory as memory/<address>.bin",
    ),
)
def program(
    file: File,
    form: Annotated[str, typer.Option("--format", metavar="trace|csv|cfg", help="Output format.")] = "trace",
    out: Annotated[Path | None, typer.Option("--out", "-o", metavar="FILE", help="Output file [stdout].")] = None,
    image: Annotated[
        Path | None, typer.Option("--image", metavar="FOLDER", help="Folder for the contents of the memories.")
    ] = None,
    base: Base = DEFAULT_BASE,
    configuration: ConfigurationName = None,
    force: Force = False,
) -> None:
    """Write the driver's register program.

    Every operation is assumed to finish at once.
    """
    if form not in FORMATS:
        raise UsageError(f"--format {form!r}; known: {', '.join(FORMATS)}")
    loadable = read_loadable(file)
    hardware = configuration_of(loadable, configuration)
    placement = place_memories(loadable, _base(base))
    regions = placement.regions() if image is not None else ()
    targets = [(image or Path()) / f"{r.base:08x}.bin" for r in regions]
    if image is not None and image.exists() and not image.is_dir():
        raise UsageError(f"{image} is not a folder")
    for target in ([out] if out is not None else []) + [t for t in targets if t.exists()]:
        check_free(target, force)
    text = {"trace": to_trace, "csv": to_csv, "cfg": to_cfg}[form](
        register_program(placement, checking_hardware(loadable, hardware), hardware), hardware
    )
    if image is not None:
        image.mkdir(parents=True, exist_ok=True)
    for target, region in zip(targets, regions, strict=True):
        target.write_bytes(region.data.tobytes())
    if out is None:
        say(text, nl=False)
    else:
        out.write_text(text, encoding="utf-8")


@app.command(
    no_args_is_help=True,
    epilog=examples(
        "goldbeat nvdla export model.nvdla traces/model                     a folder with model.cfg and its data",
        "goldbeat nvdla export lenet.nvdla traces/seven --input 7.jpg --image-scale half",
        "goldbeat run nvdla --trace traces/model                            play it on RTL",
    ),
)
def export(
    file: File,
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Where the trace test goes.")],
    given: Annotated[
        Path | None, typer.Option("--input", "-i", metavar="FILE", help="Contents of the input memory.")
    ] = None,
    image_scale: ImageScale = None,
    image_order: ImageOrder = None,
    base: Base = DEFAULT_BASE,
    force: Force = False,
) -> None:
    """Write a loadable as a trace test of the public hardware repository.

    It has the driver's register writes, what they wait for, the memories, and checksums of what must be left.
    """
    from goldbeat.tb.designs.nvdla.export_command import ExportRequest, export_command
    from goldbeat.tb.designs.nvdla.pictures import chosen

    export_command(ExportRequest(file, folder, given, chosen(image_scale, image_order), _base(base), force))


@app.command(
    no_args_is_help=True,
    epilog=examples(
        "goldbeat nvdla play traces/nv_large --configuration nv_large          all tests of a folder",
        "goldbeat nvdla play traceplayer/sdp_relu_int16 --configuration nv_full",
        "goldbeat nvdla play traces/model/model.cfg --json",
    ),
)
def play(
    path: Annotated[Path, typer.Argument(metavar="TRACE", help="A trace test (.cfg or .txn), or a folder of them.")],
    configuration: Annotated[
        str, typer.Option("--configuration", metavar="NAME", help="Hardware that the tests are for.")
    ] = NV_SMALL.name,
    as_json: Json = False,
) -> None:
    """Play trace tests on the functional models, without RTL."""
    from goldbeat.tb.designs.nvdla.play_command import play_command

    play_command(path, configuration_named(configuration), as_json=as_json)


@app.command(
    no_args_is_help=True,
    epilog=examples(
        "goldbeat nvdla execute model.nvdla --input cat.png",
        "goldbeat nvdla execute lenet.nvdla --input 3.jpg --input 7.jpg --image-scale half",
        "goldbeat nvdla execute model.nvdla --input batch.npy --json     int8 (N, C, H, W)",
    ),
)
def execute(
    file: File,
    inputs: Annotated[
        list[Path] | None,
        typer.Option("--input", "-i", metavar="FILE", help="Picture or .npy, with or without a batch axis."),
    ] = None,
    image_scale: ImageScale = None,
    image_order: ImageOrder = None,
    label: Annotated[
        str | None, typer.Option("--name", "-n", metavar="NAME", help="Folder under build/runs [nvdla-execute-FILE].")
    ] = None,
    configuration: ConfigurationName = None,
    force: ReplaceFolder = False,
    as_json: Json = False,
) -> None:
    """Run the functional models alone, without RTL.

    Every memory that operations write is kept as .npy.
    """
    from goldbeat.tb.designs.nvdla.execute_command import ExecuteRequest, execute_command
    from goldbeat.tb.designs.nvdla.pictures import chosen

    convention = chosen(image_scale, image_order)
    execute_command(ExecuteRequest(file, inputs or [], convention, label, as_json, force, configuration))


@app.command(
    no_args_is_help=True,
    epilog=examples(
        "goldbeat nvdla profile model.nvdla",
        "goldbeat nvdla profile lenet.nvdla --input 7.jpg --set read_latency=100",
        "goldbeat nvdla profile build/runs/nvdla-model.nvdla        a run on RTL that has passed",
        "goldbeat nvdla profile model.nvdla --dump 0.3              output of operation 3 of task 0",
        "goldbeat nvdla profile model.nvdla --csv profile.csv --json",
    ),
)
def profile(
    file: Annotated[Path, typer.Argument(metavar="FILE|RUN", help="A loadable, or the folder of a run of one.")],
    given: Annotated[
        Path | None, typer.Option("--input", "-i", metavar="FILE", help="Contents of the input memory.")
    ] = None,
    image_scale: ImageScale = None,
    image_order: ImageOrder = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=N", help="Timing of the memory, as for `goldbeat run nvdla`."),
    ] = None,
    table: Annotated[Path | None, typer.Option("--csv", metavar="FILE", help="Write the operations as CSV.")] = None,
    dump: Annotated[
        str | None, typer.Option("--dump", metavar="TASK.OP", help="Write one operation's output tensor as .npy.")
    ] = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Show cycles, multiplier use, traffic and waits per operation.

    The timed model predicts them, without RTL. On Goldbeat's RTL a run passes only if it is equal to this model in
    every cycle. For the folder of a run on other RTL, they are what its host saw.
    """
    from goldbeat.tb.designs.nvdla.profile_command import ProfileRequest, profile_command

    options = {"input": None if given is None else str(given), "image_scale": image_scale, "image_order": image_order}
    chosen: dict[str, Any] = {name: value for name, value in options.items() if value is not None}
    chosen |= _memory_timing(settings or [])
    profile_command(ProfileRequest(file, chosen, as_json, table, dump, force))


def _memory_timing(settings: list[str]) -> dict[str, int]:
    found = {}
    for text in settings:
        name, _, value = text.partition("=")
        if name not in _TIMING:
            raise UsageError(f"--set {text}: unknown name {name!r}{known_names(name, _TIMING)}")
        if not value.isdigit():
            raise UsageError(f"--set {text}: expected a whole number")
        found[name] = int(value)
    return found
