# SPDX-License-Identifier: Apache-2.0
"""``goldbeat zynqnet``: the accelerator's golden model, memory map and register programs, without a simulator."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.table import Table

from goldbeat.pymodels.axi.memory import MemoryTiming
from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.zynqnet.classify import Class
from goldbeat.pymodels.zynqnet.golden import Golden, LayerOutput, quantised, sha256
from goldbeat.pymodels.zynqnet.hardware import Hardware
from goldbeat.pymodels.zynqnet.layer_run import NUMBERS
from goldbeat.pymodels.zynqnet.memory_map import DRAM_BASE, MemoryMap, Stretch
from goldbeat.pymodels.zynqnet.registers import RegisterRow, layer_rows, setup_rows
from goldbeat.pymodels.zynqnet.timing import Accelerator
from goldbeat.tb.cli.common import Force, Json, check_drawing, clock_period, examples, print_json, say, working
from goldbeat.tb.cli.screen import literal, show_findings, show_table
from goldbeat.tb.designs.zynqnet import HELP
from goldbeat.tb.designs.zynqnet.inputs import find_image, find_network, find_weights
from goldbeat.tb.designs.zynqnet.report import LayerRow, layer_table
from goldbeat.tb.visible import visible

app = typer.Typer(help=HELP, no_args_is_help=True)

NetworkName = Annotated[
    str, typer.Option("--network", metavar="NAME|FILE", help="zynqnet, mini, or a TOML or JSON file.")
]
Base = Annotated[str, typer.Option("--base", metavar="ADDRESS", help="Byte address of the memory.")]

DataWidth = Annotated[int, typer.Option("--data-width", metavar="BITS", help="AXI4 port: 32, 64 or 128.")]
Elements = Annotated[int, typer.Option("--npe", metavar="N", help="Processing elements: 4, 8 or 16.")]
Latency = Annotated[
    int, typer.Option("--memory-latency", metavar="N", min=1, help="Cycles from the address of a read to its data.")
]

_BASE = hex(DRAM_BASE)
_LATENCY = MemoryTiming().read_latency
_SCORE_DIGITS = 4


@app.command(
    epilog=examples(
        "goldbeat zynqnet golden",
        "goldbeat zynqnet golden --weights synth:1 --image synth:7 --json",
        "goldbeat zynqnet golden --weights weights.bin --image cat.jpg",
        "goldbeat zynqnet golden --network mini --number int8",
    ),
)
def golden(
    network: NetworkName = "zynqnet",
    weights: Annotated[
        str, typer.Option("--weights", metavar="synth:SEED|FILE", help="synth:SEED, or a float32 file (.bin, .npy).")
    ] = "synth:1",
    image: Annotated[
        str, typer.Option("--image", metavar="synth:SEED|FILE", help="synth:SEED, a picture, .npy or .bin.")
    ] = "synth:7",
    number: Annotated[str, typer.Option("--number", metavar="FORMAT", help="fp32 or int8.")] = "fp32",
    count: Annotated[int, typer.Option("--top", metavar="N", min=1, help="Classes to print.")] = 5,
    as_json: Json = False,
) -> None:
    """Run a network in the golden model.

    Prints the sha256 of each layer's output (little-endian words, float32 or for int8 int32, in the order
    row, column, channel) and the most probable classes. For int8, fraction lengths are chosen from an
    fp32 run on the same image. In JSON, numbers that are not finite are null, and so are probabilities if
    a score is NaN or the largest is infinite.
    """
    if number not in NUMBERS:
        raise UsageError(f"--number: unknown format {number!r}; known: {', '.join(NUMBERS)}")
    net = find_network(network)
    int8 = number == "int8"
    words, pixels = find_weights(weights, net, finite=int8), find_image(image, net, finite=int8)
    steps = len(net.layers) * (2 if int8 else 1)
    with working(f"{net.name}, {number}", steps) as step:
        model = quantised(net, words, pixels, lambda _: step()).golden() if int8 else Golden(net, words, pixels)
        rows, spoiled = [], []
        for out in model.run():
            rows.append(_facts(out))
            spoiled += [out.layer.name] if out.padding_spoiled else []
            step()
    classes = model.top(count) if net.layers[-1].gpool else ()
    lost = int(np.count_nonzero(~np.isfinite(model.scores()))) if classes else 0
    if as_json:
        found: dict[str, Any] = {
            "network": net.name,
            "number": number,
            "weights": weights,
            "image": image,
            "weights_sha256": sha256(model.dram[: net.weights]),
            "layers": rows,
            "pool_sums_sha256": sha256(model.sums()) if classes else None,
            "top": [asdict(c) for c in classes],
            "scores_not_finite": lost,
            "padding_not_zero": spoiled,
        }
        print_json(found)
        return
    title = f"{net.name}, {number}, weights {weights}, image {image}"
    _show_layers(title, rows, classes)
    if spoiled:
        say(
            f"note: padded channels of {', '.join(spoiled)} are NaN, as zero times infinity is: what follows is that of the "
            "hardware, not of the network without padding"
        )
    if lost:
        say(f"note: {lost} of {len(model.scores())} scores are NaN or infinite; those that are NaN rank last")


def _show_layers(title: str, rows: Sequence[Mapping[str, Any]], classes: Sequence[Class]) -> None:
    """Table of the layers' outputs, and the likeliest classes."""
    table = _table(title)
    for name in ("layer", "output", "min", "max", "mean", "sha256"):
        table.add_column(name, justify="left" if name in ("layer", "output", "sha256") else "right", no_wrap=True)
    for row in rows:
        values = [_shown(row[name]) for name in ("min", "max", "mean")]
        table.add_row(literal(row["layer"]), "x".join(map(str, row["shape"])), *values, row["sha256"][:16])
    show_table(table, piped=110)
    for one in classes:
        share = "   undefined" if one.probability is None else f"{100 * one.probability:8.4f} %"
        score = "not finite" if one.score is None else f"{one.score:.{_SCORE_DIGITS}f}"
        say(f"class {one.number:4}  {share}  score {score}")


def _facts(out: LayerOutput) -> dict[str, Any]:
    values = out.values
    row: dict[str, Any] = {"layer": out.layer.name, "shape": list(values.shape), "sha256": out.sha256}
    # Infinities of both signs have no mean.
    with np.errstate(invalid="ignore"):
        mean = values.mean(dtype=np.float64)
    row |= {"min": _plain(values.min()), "max": _plain(values.max()), "mean": _plain(mean)}
    if out.layer.shifts is not None:
        row["shifts"] = out.layer.shifts.model_dump()
    return row


def _plain(value: Any) -> float | None:
    """A number for JSON, which knows no infinities."""
    return float(value) if np.isfinite(value) else None


def _shown(value: float | None) -> str:
    return "not finite" if value is None else f"{value:.6g}"


@app.command(
    "time",
    epilog=examples(
        "goldbeat zynqnet time",
        "goldbeat zynqnet time --data-width 32 --memory-latency 40",
        "goldbeat zynqnet time --network my.toml --json",
    ),
)
def time_command(
    network: NetworkName = "zynqnet",
    data_w: DataWidth = 128,
    npe: Elements = 16,
    latency: Latency = _LATENCY,
    clock: Annotated[float, typer.Option("--clock", metavar="MHZ", help="Clock of the accelerator.")] = 200.0,
    as_json: Json = False,
) -> None:
    """Print the cycles of every layer and what it waits for.

    The timed golden model gives exactly the cycles of the RTL, from the start of a layer to its end,
    without the host's register writes.
    """
    hardware = Hardware(npe, data_w)
    net = find_network(network, hardware)
    memory = MemoryMap(net)
    model, go = Accelerator(hardware, MemoryTiming(read_latency=latency)), 0
    rows = []
    with working(f"{net.name}, {data_w} bit", len(net.layers)) as step:
        for layer in net.layers:
            times = model.run(layer, memory, go)
            go = times.done + 1
            rows.append(LayerRow(layer.name, times.counters() | {"LAYERS": 1}))
            step()
    period = clock_period(clock)
    assert period is not None
    if as_json:
        total = sum(row.cycles for row in rows)
        layers = [{"layer": row.name, **row.counters} for row in rows]
        print_json({"network": net.name, "cycles": total, "frames_per_s": 1e12 / (total * period), "layers": layers})
        return
    show_findings(layer_table(rows, period, f"{net.name}: {npe} PEs, {data_w} bit, memory latency {latency}"))


@app.command(
    "plot",
    epilog=examples(
        "goldbeat zynqnet plot --layer f4/e3 --out layer.png",
        "goldbeat zynqnet plot --network my.toml --layer c1 --data-width 32 --out c1.png",
    ),
)
def plot_command(
    layer: Annotated[str, typer.Option("--layer", metavar="NAME", help="The layer.")],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="PNG", help="The picture.")],
    network: NetworkName = "zynqnet",
    data_w: DataWidth = 128,
    npe: Elements = 16,
    latency: Latency = _LATENCY,
    force: Force = False,
) -> None:
    """Draw what a layer reads, computes and writes over time.

    The timed golden model gives exactly the cycles of the RTL.
    """
    check_drawing("goldbeat zynqnet plot --out", out, force)
    hardware = Hardware(npe, data_w)
    net = find_network(network, hardware)
    with working(f"{net.name} {layer}"):
        times = Accelerator(hardware, MemoryTiming(read_latency=latency)).run(net.layer(layer), MemoryMap(net))
        # matplotlib takes a second to import.
        from goldbeat.tb.designs.zynqnet.plot import plot_layer

        plot_layer(
            times, out, f"{net.name} {layer}: {times.cycles} cycles, {data_w}-bit port, memory latency {latency}"
        )


@app.command(
    "map",
    epilog=examples(
        "goldbeat zynqnet map",
        "goldbeat zynqnet map --network my.toml",
        "goldbeat zynqnet map --base 0x10000000 --json",
    ),
)
def memory_map(network: NetworkName = "zynqnet", base: Base = _BASE, as_json: Json = False) -> None:
    """Print the memory map of a network.

    Also says whether the original host program would reserve enough.
    """
    net = find_network(network)
    memory = MemoryMap(net, _address(base))
    memory.check()
    overrun = memory.overrun()
    if as_json:
        print_json(
            {
                "network": net.name,
                "base": memory.base,
                "words": memory.words,
                "weights_words": net.weights,
                "data_offset": memory.data_offset,
                "data_words": memory.data_words,
                "original_host": None
                if overrun is None
                else {"layer": overrun.layer, "reserved": overrun.reserved, "overrun_bytes": overrun.bytes},
                "padding": {layer.name: layer.padding for layer in net.layers if layer.padding},
                "stretches": [{**asdict(s), "byte_address": memory.byte(s.first)} for s in memory.stretches()],
            }
        )
        return
    table = _table(f"{net.name}: {memory.words} words from {memory.base:#010x}")
    table.add_column("what", no_wrap=True)
    for name in ("first word", "last word", "words", "byte address"):
        table.add_column(name, justify="right", no_wrap=True)
    for one in _sections(memory):
        table.add_row(
            literal(one.name), str(one.first), str(one.end - 1), str(one.words), f"{memory.byte(one.first):#010x}"
        )
    table.add_section()
    for one in memory.stretches():
        table.add_row(
            literal(one.name), str(one.first), str(one.end - 1), str(one.words), f"{memory.byte(one.first):#010x}"
        )
    show_table(table, piped=110)
    for layer in net.layers:
        if layer.padding:
            say(f"note: {layer.name} has {layer.used_out} output channels, {layer.ch_out} in memory")
    if overrun is not None:
        say(f"note: {overrun}")


def _sections(memory: MemoryMap) -> Iterator[Stretch]:
    yield Stretch("weights", memory.weights_offset, memory.data_offset)
    yield Stretch("data", memory.data_offset, memory.words)


@app.command(
    epilog=examples(
        "goldbeat zynqnet program --layer c1",
        "goldbeat zynqnet program --network my.toml --json",
    ),
)
def program(
    network: NetworkName = "zynqnet",
    layer: Annotated[
        list[str] | None, typer.Option("--layer", metavar="NAME", help="Only this layer; may be repeated.")
    ] = None,
    base: Base = _BASE,
    as_json: Json = False,
) -> None:
    """Print the register writes of the host."""
    net = find_network(network)
    memory = MemoryMap(net, _address(base))
    chosen = net.layers if not layer else [net.layer(name) for name in layer]
    parts = [("setup", list(setup_rows(memory)))] + [(one.name, list(layer_rows(one))) for one in chosen]
    if as_json:
        print_json([{"part": name, "writes": [asdict(row) for row in rows]} for name, rows in parts])
        return
    for name, rows in parts:
        _print_program(name, rows, wait=name != "setup")


def _print_program(name: str, rows: list[RegisterRow], wait: bool) -> None:
    typer.secho(visible(name), bold=True)
    for row in rows:
        say(f"  {row.address:#06x}  {row.value:#010x}  {row.register}")
    if wait:
        say("  wait until AP_CTRL reads with bit 1 (done)")


def _address(text: str) -> int:
    try:
        return int(text, 0)
    except ValueError:
        raise UsageError(f"--base: {text!r} is not an address") from None


def _table(title: str) -> Table:
    return Table(title=literal(title), title_justify="left")
