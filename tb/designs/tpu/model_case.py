# SPDX-License-Identifier: Apache-2.0
"""The case ``model``: the command streams of a compiled model on the front end in RTL.

Every group of every core runs in its order. The front end is compared with its golden model in every cycle, and every command
that it dispatches with the bytes of the file: complete, in order, none lost and none made up.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.axi.memory import MemoryTiming
from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.stimulus import Stimulus
from goldbeat.pymodels.tpu.cost.directions import check_directions
from goldbeat.pymodels.tpu.front_end.kinds import BM1684X, BM1688, BM1690, BM1690E, CV184X, SG2380
from goldbeat.pymodels.tpu.streams.bmodel import BModel, CommandStream
from goldbeat.pymodels.tpu.streams.container import commands, load_streams
from goldbeat.pymodels.tpu.streams.decode import Commands, decode_stream
from goldbeat.pymodels.tpu.streams.profile import Durations, core_of, fit, missing_commands, read_sections, unclosed
from goldbeat.pymodels.tpu.streams.schedule import lane
from goldbeat.pymodels.tpu.streams.tables import chip as chip_tables
from goldbeat.tb.design.case import Case, CaseContext
from goldbeat.tb.design.file_stamp import file_stamp
from goldbeat.tb.design.measurements import Check
from goldbeat.tb.designs.tpu.programs import CommandGroup
from goldbeat.tb.designs.tpu.scene import BY_ID, CHIP_TABLES, FrontEndScene, at_rest, front_end_stimulus

CHIPS = {
    "BM1684X": BM1684X,
    "BM1688": BM1688,
    "CV186X": BM1688,
    "BM1690": BM1690,
    "BM1690E": BM1690E,
    "SG2380": SG2380,
    "CV184X": CV184X,
    "SGTPUV8": CV184X,
    "BM1684X2": BM1690,
}
"""Chips whose command heads the front end reads, and the CHIP that does. A stream in which the two differ is refused."""
UNIT = 8
"""Cycles of the front end for one of a profile: as many as it takes to fetch the longest command."""
_ENGINES = {"tiu": 0, "gdma": 1, "sdma": 2}
_END = re.compile(r"(?:^|[._])(?:end|nop)$")
"""Names of commands that do no work, on any engine."""
_TABLE = 1024
_LONGEST = 1 << 24
_MOST_CORES = 8


def model_case(patterns: Mapping[str, Any]) -> Case:
    """The case; ``patterns`` are the options of back-pressure."""
    return Case(
        name="model",
        summary="a compiled model: --bmodel FILE, with --profile FILE for the compiler's durations",
        make=_stimuli,
        options={
            "bmodel": "",
            "profile": "",
            "net": "",
            "cores": 0,
            "unit": 0,
            "duration": 1,
            "latency": 20,
            "jitter": 0,
            **patterns,
        },
        inputs=False,
        files=("bmodel", "profile"),
        fit=_fit,
        check=_check,
    )


@dataclass(frozen=True, eq=False)
class ModelPart:
    """The commands of an engine in one group.

    Attributes:
        commands: of the stream that they are in.
        rows: their places in it.
        cycles, start: (rows,) by the profile, -1 where it does not say.
    """

    commands: Commands
    rows: npt.NDArray[np.int64]
    cycles: npt.NDArray[np.int64]
    start: npt.NDArray[np.int64]

    @property
    def operations(self) -> list[str]:
        """Names, in order."""
        return [self.commands.op(int(row)) for row in self.rows]


@dataclass(frozen=True, eq=False)
class Model:
    """A file's streams on the front end.

    Attributes:
        chip: CHIP of the front end.
        cores: groups of each core, in the order in which they run.
        raw: by core and engine, the commands' bytes of all groups one behind the other.
        counts: by core and engine, the commands of all groups.
        messages: messages that SENDs and WAITs name, counted from 0.
        parts: by core, group and engine, the commands.
        profiled: whether a profile was given.
    """

    chip: int
    cores: tuple[tuple[CommandGroup, ...], ...]
    raw: Mapping[tuple[int, int], bytes]
    counts: Mapping[tuple[int, int], int]
    messages: int
    parts: Mapping[tuple[int, int, int], ModelPart]
    profiled: bool = False

    @property
    def engines(self) -> int:
        """Engines per core that the streams use, at least two."""
        return max(2, *(engine + 1 for _, engine in self.raw))


_Member = tuple[CommandStream, Commands]


def model_of(options: Mapping[str, Any]) -> Model:
    """The model that the options of a case name."""
    if not options["bmodel"]:
        raise UsageError("case model needs a compiled model: --bmodel FILE")
    file = Path(str(options["bmodel"]))
    profiles = tuple(Path(text) for text in str(options["profile"]).split(",") if text)
    stamps = tuple(file_stamp(path) for path in (file, *profiles))
    return read_model(file, profiles, str(options["net"]), stamps)


@lru_cache(maxsize=2)
def read_model(file: Path, profiles: tuple[Path, ...], net: str = "", stamps: object = None) -> Model:
    """The streams of a container as groups of the front end.

    Args:
        file: BModel.
        profiles: ``compiler_profile_N.txt`` of core N, for durations.
        net: name or number of the net to run; empty: all nets, one after the other.
        stamps: tells versions of the files apart, for the cache.

    Raises:
        InputError: the file is damaged, or a profile is not of these streams.
        UsageError: a chip, an engine or a number of cores that the front end does not have.
    """
    chip, streams, container = load_streams(file)
    if not isinstance(container, BModel) or chip.name not in CHIPS:
        raise UsageError(f"{file}: the front end runs containers for {', '.join(CHIPS)}, found {chip.name}")
    chosen = _net(container, net, file)
    members: list[_Member] = []
    for stream in streams:
        if not len(stream.data) or chosen not in (None, stream.net):
            continue
        if stream.engine not in _ENGINES:
            raise UsageError(f"{file}: {stream.name}: the front end has no engine {stream.engine}")
        if stream.core >= _MOST_CORES:
            raise UsageError(f"{file}: {stream.name}: the front end has up to {_MOST_CORES} cores")
        for one in commands(chip, stream, file).values():
            check_heads(CHIPS[chip.name], chip.name, stream, one, file)
            members.append((stream, one))
    if not members:
        raise UsageError(f"{file}: no commands")
    return _arranged(CHIPS[chip.name], members, _durations(chip.name, members, profiles), bool(profiles))


def _net(container: BModel, net: str, file: Path) -> int | None:
    """The number of a net; None for all."""
    if not net:
        return None
    nets: Any = container.model.get("net", ())
    names = [str(one.get("name", "")) for one in nets]
    if net in names:
        return names.index(net)
    if net.isdecimal() and int(net) < len(names):
        return int(net)
    raise UsageError(f"--net {net}: {file} has {', '.join(names)}; expected a name or 0 to {len(names) - 1}")


def check_heads(chip: int, name: str, stream: CommandStream, found: Commands, file: Path) -> None:
    """Refuse a stream that the front end would read otherwise than the chip does.

    Raises:
        UsageError: with the command.
    """
    if CHIP_TABLES[chip] == name:
        return
    theirs = decode_stream(chip_tables(CHIP_TABLES[chip]).engine(found.engine.name), stream.data, strict=False)
    many = min(len(theirs), len(found))
    one, other = lane(found, stream.core), lane(theirs, stream.core)
    pairs: list[tuple[npt.NDArray[Any], npt.NDArray[Any]]] = [
        (found.offset, theirs.offset),
        (one.dep, other.dep),
        (one.role, other.role),
    ]
    pairs += [(one.message, other.message), (one.count, other.count), (found.is_end, theirs.is_end)]
    wrong = np.flatnonzero(np.logical_or.reduce([a[:many] != b[:many] for a, b in pairs]))
    if len(wrong) or len(theirs) != len(found) or theirs.problems:
        at = int(wrong[0]) if len(wrong) else many
        if theirs.problems and not len(wrong):
            at = int(np.searchsorted(found.offset, theirs.problems[0].offset, side="right")) - 1
        at = min(at, len(found) - 1)
        what = f"{found.engine.name} command {int(found.id[at])} ({found.op(at)})"
        raise UsageError(
            f"{file}: {stream.name}: {what}: the front end reads heads of {CHIP_TABLES[chip]}, which differ from {name} here"
        )


def _arranged(chip: int, members: Sequence[_Member], durations: Mapping[int, list[Durations]], profiled: bool) -> Model:
    """Groups of each core in the order of net, stage, sub-net and group; a segment behind an END is a group."""
    found: dict[int, dict[tuple[int, ...], CommandGroup]] = {}
    parts: dict[tuple[int, tuple[int, ...], int], ModelPart] = {}
    raw: dict[tuple[int, int], bytes] = {}
    counts: dict[tuple[int, int], int] = {}
    messages = 0
    for stream, one in sorted(members, key=lambda m: (m[0].net, m[0].stage, m[0].subnet, m[0].group)):
        engine, at = _ENGINES[one.engine.name], (stream.core, _ENGINES[one.engine.name])
        cycles, start = np.full(len(one), -1, np.int64), np.full(len(one), -1, np.int64)
        for said in durations.get(id(one), ()):
            cycles[said.rows], start[said.rows] = said.cycles, said.start
        bounds = lane(one, stream.core).bounds()
        for segment, (first, end) in enumerate(pairwise(bounds)):
            key = (stream.net, stream.stage, stream.subnet, stream.group, segment)
            group = found.setdefault(stream.core, {}).setdefault(key, CommandGroup([[], [], []]))
            begin = int(one.offset[first]) if segment else 0
            stop = int(one.offset[end]) if end < len(one) else len(stream.data)
            used = int(one.offset[end - 1] + one.length[end - 1]) if end > first else begin
            group.raw[engine] = stream.data[begin:stop].tobytes()
            group.counts[engine] = end - first
            parts[stream.core, key, engine] = ModelPart(one, np.arange(first, end), cycles[first:end], start[first:end])
            raw[at] = raw.get(at, b"") + stream.data[begin:used].tobytes()
        counts[at] = counts.get(at, 0) + len(one)
        used_lane = lane(one, stream.core)
        messages = max([messages, *(used_lane.message[used_lane.role > 0] + 1).tolist()])
    order = {core: list(groups) for core, groups in found.items()}
    numbered = {(core, order[core].index(key), engine): part for (core, key, engine), part in parts.items()}
    cores = tuple(tuple(found.get(core, {}).values()) for core in range(max(found) + 1))
    return Model(chip, cores, raw, counts, messages, numbered, profiled)


def _durations(chip: str, members: Sequence[_Member], profiles: Sequence[Path]) -> dict[int, list[Durations]]:
    """What the compiler's profiles say, by the identity of commands.

    Raises:
        UsageError: a profile of no core here, or commands without an entry.
    """
    made: dict[int, list[Durations]] = {}
    cores = sorted({stream.core for stream, _ in members})
    for file in profiles:
        core = cores[0] if len(profiles) == len(cores) == 1 else core_of(file)
        if core not in cores:
            raise UsageError(f"{file}: expected compiler_profile_N.txt with N of {', '.join(map(str, cores))}")
        subnets: dict[str, list[Commands]] = {}
        for stream, one in members:
            if stream.core == core:
                subnets.setdefault(f"net{stream.net}.stage{stream.stage}.sub{stream.subnet}", []).append(one)
        sections = read_sections(file)
        if unclosed(sections):
            raise UsageError(f"{file}: the text ends before API_END; expected a whole profile")
        for one, durations in fit(sections, list(subnets.items()), file, alone=len(cores) == 1):
            check_directions(chip, one, durations, file)
            made.setdefault(id(one), []).append(durations)
    missing = sum(missing_commands(one, made.get(id(one), ())) for _, one in members) if profiles else 0
    if missing:
        names = ", ".join(map(str, profiles))
        raise UsageError(f"{names}: {missing} commands have no entry; expected whole profiles, one per core")
    return made


def _table(model: Model, engines: int, unit: int, duration: int) -> dict[int, dict[int, int]]:
    """Cycles by id modulo the table, by engine; END takes ``duration``, without a profile every command.

    Raises:
        UsageError: durations that one table by id cannot hold.
    """
    made: dict[int, dict[int, int]] = {}
    rest: dict[int, set[int]] = {}
    for (core, _, engine), part in model.parts.items():
        table = made.setdefault(core * engines + engine, {})
        others = rest.setdefault(core * engines + engine, set())
        for ident, cycles in zip(part.commands.id[part.rows].tolist(), part.cycles.tolist(), strict=True):
            if cycles < 0:
                others.add(ident % _TABLE)
                continue
            wanted = max(1, cycles * unit)
            if wanted >= _LONGEST:
                raise UsageError(f"id {ident}: {wanted} cycles, the front end counts below {_LONGEST}; set unit to 1")
            if table.setdefault(ident % _TABLE, wanted) != wanted:
                told = f"id {ident} has two durations; the front end's table has one for each id modulo {_TABLE}"
                raise UsageError(f"core {core} {list(_ENGINES)[engine]}: {told}")
    for number, others in rest.items():
        for ident in others:
            made[number].setdefault(ident, duration)
    return made


def unit_of(options: Mapping[str, Any], model: Model) -> int:
    """Cycles of the front end for one of the profile."""
    return int(options["unit"]) or (UNIT if model.profiled else 1)


def _fit(options: Mapping[str, Any]) -> dict[str, int]:
    """The front end that the model needs."""
    model = model_of(options)
    cores, asked = len(model.cores), int(options["cores"])
    if asked and not cores <= asked <= _MOST_CORES:
        raise UsageError(f"--cores {asked}: the model uses {cores} cores, the front end has up to {_MOST_CORES}")
    messages = {} if model.messages <= 2 else {"NMSG": 1 << (model.messages - 1).bit_length()}
    return {"CHIP": model.chip, "CORES": asked or cores, "ENGINES": model.engines, "DEPTH": 32, **messages}


def _stimuli(context: CaseContext) -> list[Stimulus]:
    model, options = model_of(context.options), context.options
    cores, engines = int(context.params["CORES"]), int(context.params["ENGINES"])
    program = [
        [replace(group, streams=group.streams[:engines]) for group in groups]
        for groups in (*model.cores, *(() for _ in range(cores - len(model.cores))))
    ]
    timing = MemoryTiming(read_latency=int(options["latency"]), read_jitter=int(options["jitter"]), seed=context.seed)
    scene = FrontEndScene(program, [timing], duration=int(options["duration"]))
    if model.profiled:
        scene.table = (BY_ID, _table(model, engines, unit_of(options, model), int(options["duration"])))
    stimulus = front_end_stimulus(scene, context, np.random.default_rng(context.seed))
    ready = {name: context.pattern("ready", salt) for salt, name in enumerate(context.outputs)}
    return [at_rest(replace(stimulus, ready=ready))]


def dispatched(context: CaseContext, record: Any, core: int, engine: int) -> Any:
    """What an engine has dispatched, a trace."""
    return record.outcome.ports[f"m_axis_{core * int(context.params['ENGINES']) + engine}"]


def _check(context: CaseContext, stimulus: Stimulus, record: Any) -> Check:
    """Every command of the file was dispatched, byte for byte."""
    model = model_of(context.options)
    failures, compared = [], 0
    for (core, engine), raw in model.raw.items():
        trace = dispatched(context, record, core, engine)
        name = f"core {core}, {list(_ENGINES)[engine]}"
        wanted = model.counts[core, engine]
        compared += min(wanted, len(trace))
        if len(trace) != wanted:
            failures.append(f"{name}: {wanted} commands in the file, {len(trace)} dispatched")
            continue
        sent = trace.data[trace.keep]
        want: npt.NDArray[np.uint8] = np.frombuffer(raw, np.uint8)
        n = min(len(sent), len(want))
        if len(wrong := np.flatnonzero(sent[:n] != want[:n])):
            at = int(wrong[0])
            failures.append(f"{name}: byte {at}: 0x{want[at]:02x} in the file, 0x{sent[at]:02x} dispatched")
        elif len(sent) != len(want):
            failures.append(f"{name}: {len(want)} bytes in the file, {len(sent)} dispatched")
    works = any(not _END.search(name) for part in model.parts.values() for name in part.operations)
    return Check(tuple(failures), compared, partial=() if works else ("no stream has a command but END",))
