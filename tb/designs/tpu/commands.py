# SPDX-License-Identifier: Apache-2.0
"""``goldbeat tpu``: TPU command streams without a simulator."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.tpu.hazards.report import HAZARD_ADVICE, HAZARD_RULES, HazardReport, check_hazards
from goldbeat.pymodels.tpu.streams import checks
from goldbeat.pymodels.tpu.streams.assemble import Assembled, assemble
from goldbeat.pymodels.tpu.streams.bmodel import BModel, CommandStream
from goldbeat.pymodels.tpu.streams.container import Container, commands, is_container, load_streams, read_container
from goldbeat.pymodels.tpu.streams.cvimodel import CviModel, CviTensor, kind_of
from goldbeat.pymodels.tpu.streams.listing import as_csv, as_text, commands_json
from goldbeat.pymodels.tpu.streams.tables import Chip, Tables
from goldbeat.tb.cli.common import FAILED, PARTIAL, Force, Json, check_free, examples, facts, print_json, say, working
from goldbeat.tb.designs.tpu import HELP, compare_command, execute_command, time_command, view_command
from goldbeat.tb.designs.tpu.together import TpuChipName, TpuTables, streams_together

_SHOWN = 8
_LISTED = 20
"""Findings of one rule in text."""

app = typer.Typer(help=HELP, no_args_is_help=True)

File = Annotated[Path, typer.Argument(metavar="FILE", help="BModel, CviModel, or the bare stream of one engine.")]
EngineName = Annotated[
    str | None,
    typer.Option("--engine", metavar="ENGINE", help="tiu, gdma (dma), sdma, hau or cdma [from the file name]."),
]


@app.command(
    no_args_is_help=True, epilog=examples("goldbeat tpu info net.bmodel", "goldbeat tpu info net.bmodel --json")
)
def info(file: File, as_json_: Json = False, table: TpuTables = None) -> None:
    """Show chip, nets, streams and coefficients of a model."""
    container = read_container(file)
    known = Tables(table)
    chip: Chip | None = None
    try:
        chip = known.chip(container.chip)
    except UsageError:
        chip = None
    rows = [_stream_row(chip, stream, file) for stream in container.streams()]
    coefficients: list[dict[str, Any]] = [
        {"name": c.name, "offset": c.offset, "bytes": c.size, "checksum": "ok" if c.ok else "differs"}
        for c in container.coefficients()
    ]
    if as_json_:
        print_json(
            {
                "kind": container.magic,
                "chip": container.chip,
                "known": chip is not None,
                "bytes": len(container.data),
                "nets": _nets(container),
                "streams": rows,
                "coefficients": coefficients,
                **(_cvi_parts(container) if isinstance(container, CviModel) else {}),
            }
        )
        return
    facts(
        str(file),
        [
            (container.magic, f"{len(container.data)} bytes"),
            ("chip", container.chip + ("" if chip is not None else " (not in the tables)")),
            *[
                (key, str(container.model[key]).strip())
                for key in ("version", "time", "build_time")
                if container.model.get(key)
            ],
        ],
    )
    for net in _nets(container):
        ports, outs = (", ".join(map(_described, net[way])) for way in ("inputs", "outputs"))
        facts(
            f"net {net['name']}", [("stages", str(net["stages"])), ("inputs", ports or "-"), ("outputs", outs or "-")]
        )
    facts("streams", [(row["name"], _stream_text(row)) for row in rows] or [("", "none")])
    facts(
        "data",
        [(c["name"], f"{c['bytes']} bytes at {c['offset']:#x}, checksum {c['checksum']}") for c in coefficients]
        or [("", "none")],
    )
    if isinstance(container, CviModel):
        beside = _cvi_parts(container)
        facts(
            "sections",
            [(s["name"], f"{s['kind']}, {s['bytes']} bytes at {s['offset']:#x}") for s in beside["sections"]],
        )
        facts("weights", [(w["name"], _weight(w)) for w in beside["weights"]] or [("", "none")])


def _stream_row(chip: Chip | None, stream: CommandStream, file: Path) -> dict[str, Any]:
    """What is known of a stream: less where the tables have no such chip."""
    row: dict[str, Any] = {
        "name": stream.name,
        "offset": stream.offset,
        "bytes": len(stream.data),
        "commands": stream.count,
    }
    if chip is not None:
        found = commands(chip, stream, file, strict=False)
        row["decoded"] = {name: len(one) for name, one in found.items()}
        row["segments"] = {name: int(one.segment[-1]) + 1 if len(one) else 0 for name, one in found.items()}
        row["problems"] = [p.rule for one in found.values() for p in one.problems]
    return row


def _stream_text(row: dict[str, Any]) -> str:
    counts = row.get("decoded")
    what = " + ".join(f"{n} {name}" for name, n in counts.items()) if counts else f"{row['commands']}"
    several = max(row.get("segments", {}).values(), default=1)
    parts = f" in {several} segments" if several > 1 else ""
    bad = f", {', '.join(row['problems'])}" if row.get("problems") else ""
    return f"{what} commands{parts}, {row['bytes']} bytes at {row['offset']:#x}{bad}"


def _port(tensor: CviTensor) -> dict[str, Any]:
    return {"name": tensor.name, "shape": tensor.shape, "bytes": tensor.bytes, "type": tensor.type}


def _described(tensor: dict[str, Any]) -> str:
    """Name, shape and, where the container tells it by name, type."""
    shape = "x".join(map(str, tensor["shape"]))
    return " ".join(part for part in (str(tensor["name"]), shape, str(tensor.get("type", ""))) if part)


def _weight(weight: dict[str, Any]) -> str:
    where = "not in the weight section" if weight["offset"] is None else f"at {weight['offset']:#x}"
    return f"{'x'.join(map(str, weight['shape']))} {weight['type']}, {weight['bytes']} bytes {where}"


def _cvi_parts(container: CviModel) -> dict[str, list[dict[str, Any]]]:
    """What a CviModel has beside streams: all sections, and the weight map."""
    sections = [
        {
            "name": one.get("name", ""),
            "kind": kind_of(one) + "".join(f" ({how}ed)" for how in ("encrypt", "compress") if one.get(how)),
            "offset": container.area + one.get("offset", 0),
            "bytes": one.get("size", 0),
        }
        for one in container.sections()
    ]
    return {"sections": sections, "weights": [asdict(one) for one in container.weights()]}


def _nets(container: Container) -> list[dict[str, Any]]:
    if isinstance(container, CviModel):
        return [
            {
                "name": one.name,
                "stages": 1,
                "inputs": [_port(tensor) for tensor in one.inputs],
                "outputs": [_port(tensor) for tensor in one.outputs],
            }
            for one in container.programs()
        ]

    def tensors(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [
            {"name": t.get("name", ""), "shape": (t.get("shape") or [{}])[0].get("dim", []), "bytes": t.get("size", 0)}
            for t in found
        ]

    made = []
    for net in container.model.get("net", ()):
        stages = net.get("parameter", [])
        first = stages[0] if stages else {}
        inputs, outputs = (tensors(first.get(f"{d}_tensor", [])) for d in ("input", "output"))
        made.append({"name": net.get("name", ""), "stages": len(stages), "inputs": inputs, "outputs": outputs})
    return made


@app.command(
    no_args_is_help=True,
    epilog=examples("goldbeat tpu extract net.bmodel streams/", "goldbeat tpu extract net.bmodel streams/ --force"),
)
def extract(
    file: File,
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder for the streams; created if missing.")],
    force: Force = False,
) -> None:
    """Write each stream and the coefficients to files."""
    container = read_container(file)
    bad = [c.name for c in container.coefficients() if not c.ok]
    if bad and not force:
        raise UsageError(f"{', '.join(bad)}: the checksum differs; --force extracts what is there")
    parts = [(s.file_name, s.data) for s in container.streams()]
    if isinstance(container, BModel):
        parts += [
            (f"{c.name}.bin", container.data[c.offset : c.offset + c.size]) for c in container.coefficients() if c.size
        ]
    if isinstance(container, CviModel):
        parts += container.parts()
    folder.mkdir(parents=True, exist_ok=True)
    for name, _ in parts:
        check_free(folder / name, force)
    for name, data in parts:
        (folder / name).write_bytes(data.tobytes())
        say(f"{folder / name}: {len(data)} bytes")


@app.command(
    no_args_is_help=True,
    epilog=examples(
        "goldbeat tpu dis net.bmodel",
        "goldbeat tpu dis net.bmodel --engine gdma --format csv -o net.csv",
        "goldbeat tpu dis core0.sub0.g0.tiu.bin --chip BM1690 --format json",
    ),
)
def dis(
    file: File,
    chip: TpuChipName = None,
    engine: EngineName = None,
    form: Annotated[str, typer.Option("--format", metavar="FORMAT", help="text, json or csv.")] = "text",
    output: Annotated[Path | None, typer.Option("--out", "-o", metavar="FILE", help="Output file [stdout].")] = None,
    force: Force = False,
    table: TpuTables = None,
) -> None:
    """Disassemble to text, JSON lines or CSV.

    `goldbeat tpu asm` reads the text back.
    """
    writers = {"text": as_text, "json": commands_json, "csv": as_csv}
    if form not in writers:
        raise UsageError(f"--format {form}: expected text, json or csv")
    if output is not None:
        check_free(output, force)
    of, streams, _ = load_streams(file, chip, engine, Tables(table))
    text = writers[form](of, streams, file)
    if output is None:
        for part in text:
            say(part, nl=False)
        return
    with working(f"disassembling {file.name}"), output.open("w", encoding="utf-8") as target:
        for part in text:
            target.write(part)


@app.command(
    no_args_is_help=True,
    epilog=examples("goldbeat tpu asm tiu.s tiu.bin", "goldbeat tpu asm net.s streams/   several streams: a directory"),
)
def asm(
    file: Annotated[Path, typer.Argument(metavar="FILE.s", help="Text that `goldbeat tpu dis` has written.")],
    output: Annotated[Path, typer.Argument(metavar="OUT", help="File for one stream, folder for several.")],
    force: Force = False,
    table: TpuTables = None,
) -> None:
    """Assemble a disassembly back to bytes."""
    try:
        text = file.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise UsageError(f"{file} is not text") from None
    _, made = assemble(text.splitlines(), file=file, known=Tables(table))
    if not made:
        raise UsageError(f"{file}: no .stream in it")
    targets = _targets(made, output)
    if len(made) > 1:
        output.mkdir(parents=True, exist_ok=True)
    for target, _ in targets:
        check_free(target, force)
    for target, one in targets:
        target.write_bytes(bytes(one.data))
        say(f"{target}: {one.count} commands, {len(one.data)} bytes")


def _targets(made: list[Assembled], output: Path) -> list[tuple[Path, Assembled]]:
    if len(made) == 1 and not output.is_dir():
        return [(output, made[0])]
    names = [one.name for one in made]
    for name in names:
        if name != Path(name).name or names.count(name) > 1:
            raise UsageError(f".stream {name}: expected plain names that differ")
    return [(output / f"{one.name}.bin", one) for one in made]


@app.command(
    no_args_is_help=True,
    epilog=examples(
        "goldbeat tpu check net.bmodel",
        "goldbeat tpu check core0.sub0.g0.tiu.bin core0.sub0.g0.dma.bin --chip BM1688",
        "goldbeat tpu check net.bmodel --json",
    ),
)
def check(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="A container, or bare streams of one program.")
    ],
    chip: TpuChipName = None,
    engine: EngineName = None,
    as_json_: Json = False,
    table: TpuTables = None,
) -> None:
    """Check framing, dependencies, deadlocks and hazards.

    Exit code: 0 sound, 1 something is wrong, 2 bad usage or bad input, 3 not wrong, but hazards could not be checked.
    """
    of, streams, container = streams_together(files, chip, engine, Tables(table))
    if len(files) == 1 and not is_container(files[0].read_bytes()[:8]) and of.magic is None:
        say("note: one engine's stream alone; what waits for the other engine is not checked", err=True)
    file = files[0] if len(files) == 1 else None
    groups = len({(s.net, s.stage, s.subnet, s.group) for s in streams})
    with working(f"checking {files[0].name}", groups) as step:
        found = checks.check_streams(of, streams, container, file)
        hazards = check_hazards(of, streams, file, step)
    found += hazards.findings
    advice = checks.ADVICE | HAZARD_ADVICE
    wrong = any(one.rule not in advice for one in found)
    verdict = "FAIL" if wrong else "PARTIAL" if hazards.partial else "PASS"
    if as_json_:
        listed = [f.as_json() for f in found]
        report = {"chip": of.name, "streams": len(streams), "ok": verdict == "PASS", "findings": listed}
        report |= {"verdict": verdict.lower(), "partial": hazards.partial}
        print_json({**report, "hazards": hazards.as_json()})
    else:
        shown: Counter[str] = Counter()
        for one in found:
            shown[one.rule] += 1
            if shown[one.rule] <= _LISTED:
                say(f"{'note' if one.rule in advice else 'FAIL'} {one}")
        for rule, many in shown.items():
            if many > _LISTED:
                say(f"{'note' if rule in advice else 'FAIL'} {rule}: {many - _LISTED} more; --json lists them")
        if wrong and chip is not None:
            view_command.warn_of_chip(Tables(table), of, streams)
        for line in _left_out(hazards):
            say(f"note {line}")
        counts = sum(len(c) for s in streams for c in commands(of, s, strict=False).values())
        say(f"{verdict} {of.name}: {len(streams)} streams, {counts} commands, {len(found)} findings")
    if verdict != "PASS":
        raise typer.Exit(FAILED if wrong else PARTIAL)


def _left_out(hazards: HazardReport) -> list[str]:
    """What the check of hazards could not see."""
    lines = hazards.partial
    if hazards.omitted:
        some = [f"{o.op} {o.operand}, {o.reason} ({n})" for o, n in hazards.omitted.most_common(_SHOWN)]
        more = f"; {len(hazards.omitted) - _SHOWN} more kinds" if len(hazards.omitted) > _SHOWN else ""
        lines.append(f"{hazards.omitted.total()} operands are not modelled: {'; '.join(some)}{more}")
    return lines


# Help lists commands in the order in which they are mounted.
execute_command.register(app)
compare_command.register(app)
view_command.register(app)
time_command.register(app)


@app.command(epilog=examples("goldbeat tpu chips", "goldbeat tpu chips --tables mine.json"))
def chips(table: TpuTables = None, as_json_: Json = False) -> None:
    """List chips, their engines and command forms."""
    known = Tables(table)
    rows = [(c.name, {e.name: [k.name for k in e.kinds] for e in c.engines.values()}) for c in known]
    if as_json_:
        print_json(dict(rows))
        return
    facts(
        "chips", [(name, ", ".join(f"{e} {len(k)}" for e, k in engines.items()) + " forms") for name, engines in rows]
    )
    say(known.source)


@app.command(epilog=examples("goldbeat tpu rules"))
def rules() -> None:
    """List the rules of `check`; those with a star are advice."""
    for name, text in {**checks.RULES, **HAZARD_RULES}.items():
        say(f"{name + ('*' if name in checks.ADVICE | HAZARD_ADVICE else ''):<18} {text}")
