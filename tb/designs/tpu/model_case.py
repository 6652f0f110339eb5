# SPDX-License-Identifier: Apache-2.0
"""The case ``model``: the command streams of a compiled model on the front end in RTL.

Every group of every core runs in its order. The front end is compared with its golden model in every cycle, and every command
that it dispatches with the bytes of the file: complete, in order, none lost and none made up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.axi.memory import MemoryTiming
from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.stimulus import Stimulus
from goldbeat.pymodels.tpu.front_end.kinds import BM1684X, BM1688, BM1690
from goldbeat.pymodels.tpu.streams.bmodel import CommandStream
from goldbeat.pymodels.tpu.streams.container import commands, load_streams
from goldbeat.pymodels.tpu.streams.decode import Commands
from goldbeat.pymodels.tpu.streams.profile import core_of, fit, read_sections
from goldbeat.pymodels.tpu.streams.schedule import lane
from goldbeat.tb.design.case import Case, CaseContext
from goldbeat.tb.design.file_stamp import file_stamp
from goldbeat.tb.design.measurements import Check, MeasurementTable, RunAnswer
from goldbeat.tb.designs.tpu.programs import CommandGroup
from goldbeat.tb.designs.tpu.scene import BY_ID, FrontEndScene, at_rest, front_end_stimulus

CHIPS = {"BM1684X": BM1684X, "BM1688": BM1688, "CV186X": BM1688, "BM1690": BM1690, "CV184X": BM1690}
"""Chips whose command heads the front end reads, and the CHIP that does."""
_ENGINES = {"tiu": 0, "gdma": 1, "sdma": 2}
_TABLE = 1024
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
            "cores": 0,
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
class Model:
    """A file's streams on the front end.

    Attributes:
        chip: CHIP of the front end.
        cores: groups of each core, in the order in which they run.
        raw: by core and engine, the commands' bytes of all groups one behind the other.
        counts: by core and engine, the commands of all groups.
        messages: messages that SENDs and WAITs name, counted from 0.
        durations: by core and engine, cycles by id; empty without a profile.
    """

    chip: int
    cores: tuple[tuple[CommandGroup, ...], ...]
    raw: Mapping[tuple[int, int], bytes]
    counts: Mapping[tuple[int, int], int]
    messages: int
    durations: Mapping[tuple[int, int], Mapping[int, int]]

    @property
    def engines(self) -> int:
        """Engines per core that the streams use, at least two."""
        return max(2, *(engine + 1 for _, engine in self.raw))


_Member = tuple[CommandStream, Commands]


def _model(options: Mapping[str, Any]) -> Model:
    if not options["bmodel"]:
        raise UsageError("case model needs a compiled model: --bmodel FILE")
    file = Path(str(options["bmodel"]))
    profiles = tuple(Path(text) for text in str(options["profile"]).split(",") if text)
    return read_model(file, profiles, tuple(file_stamp(path) for path in (file, *profiles)))


@lru_cache(maxsize=2)
def read_model(file: Path, profiles: tuple[Path, ...], stamps: object = None) -> Model:
    """The streams of a container as groups of the front end.

    Args:
        file: BModel.
        profiles: ``compiler_profile_N.txt`` of core N, for durations.
        stamps: tells versions of the files apart, for the cache.

    Raises:
        InputError: the file is damaged, or a profile is not of these streams.
        UsageError: a chip, an engine or a number of cores that the front end does not have.
    """
    chip, streams, container = load_streams(file)
    if container is None or chip.name not in CHIPS:
        raise UsageError(f"{file}: the front end runs containers for {', '.join(CHIPS)}, found {chip.name}")
    members: list[_Member] = []
    for stream in streams:
        if not len(stream.data):
            continue
        if stream.engine not in _ENGINES:
            raise UsageError(f"{file}: {stream.name}: the front end has no engine {stream.engine}")
        if stream.core >= _MOST_CORES:
            raise UsageError(f"{file}: {stream.name}: the front end has up to {_MOST_CORES} cores")
        for one in commands(chip, stream, file).values():
            if len(one) and one.segment[-1] > 0:
                raise UsageError(f"{file}: {stream.name}: found an END within the stream, expected one at its end")
            members.append((stream, one))
    if not members:
        raise UsageError(f"{file}: no commands")
    return _arranged(CHIPS[chip.name], members, _durations(members, profiles))


def _arranged(chip: int, members: Sequence[_Member], durations: Mapping[tuple[int, int], Mapping[int, int]]) -> Model:
    """Groups of each core in the order of net, stage, sub-net and group."""
    found: dict[int, dict[tuple[int, ...], CommandGroup]] = {}
    raw: dict[tuple[int, int], bytes] = {}
    counts: dict[tuple[int, int], int] = {}
    messages = 0
    for stream, one in sorted(members, key=lambda m: (m[0].net, m[0].stage, m[0].subnet, m[0].group)):
        engine = _ENGINES[one.engine.name]
        key = (stream.net, stream.stage, stream.subnet, stream.group)
        group = found.setdefault(stream.core, {}).setdefault(key, CommandGroup([[], [], []]))
        group.raw[engine] = stream.data.tobytes()
        group.counts[engine] = len(one)
        end = int(one.offset[-1] + one.length[-1]) if len(one) else 0
        at = (stream.core, engine)
        raw[at] = raw.get(at, b"") + stream.data[:end].tobytes()
        counts[at] = counts.get(at, 0) + len(one)
        used = lane(one, stream.core)
        messages = max([messages, *(used.message[used.role > 0] + 1).tolist()])
    cores = tuple(tuple(found.get(core, {}).values()) for core in range(max(found) + 1))
    return Model(chip, cores, raw, counts, messages, durations)


def _durations(members: Sequence[_Member], profiles: Sequence[Path]) -> dict[tuple[int, int], dict[int, int]]:
    """Cycles by core and engine and id, as the compiler's profiles have them.

    Raises:
        UsageError: a profile of no core here, or durations that one table by id cannot hold.
    """
    made: dict[tuple[int, int], dict[int, int]] = {}
    cores = sorted({stream.core for stream, _ in members})
    for file in profiles:
        core = cores[0] if len(profiles) == len(cores) == 1 else core_of(file)
        if core not in cores:
            raise UsageError(f"{file}: expected compiler_profile_N.txt with N of {', '.join(map(str, cores))}")
        subnets: dict[str, list[Commands]] = {}
        for stream, one in members:
            if stream.core == core:
                subnets.setdefault(f"net{stream.net}.stage{stream.stage}.sub{stream.subnet}", []).append(one)
        for one, durations in fit(read_sections(file), list(subnets.items()), file):
            table = made.setdefault((core, _ENGINES[one.engine.name]), {})
            for ident, cycles in zip(one.id[durations.rows].tolist(), durations.cycles.tolist(), strict=True):
                if table.setdefault(ident % _TABLE, max(1, cycles)) != max(1, cycles):
                    raise UsageError(
                        f"{file}: id {ident} has two durations; the front end's table has one for each id modulo {_TABLE}"
                    )
    return made


def _fit(options: Mapping[str, Any]) -> dict[str, int]:
    """The front end that the model needs."""
    model = _model(options)
    cores, asked = len(model.cores), int(options["cores"])
    if asked and not cores <= asked <= _MOST_CORES:
        raise UsageError(f"--cores {asked}: the model uses {cores} cores, the front end has up to {_MOST_CORES}")
    messages = {} if model.messages <= 2 else {"NMSG": 1 << (model.messages - 1).bit_length()}
    return {"CHIP": model.chip, "CORES": asked or cores, "ENGINES": model.engines, "DEPTH": 32, **messages}


def _stimuli(context: CaseContext) -> list[Stimulus]:
    model, options = _model(context.options), context.options
    cores, engines = int(context.params["CORES"]), int(context.params["ENGINES"])
    program = [
        [replace(group, streams=group.streams[:engines]) for group in groups]
        for groups in (*model.cores, *(() for _ in range(cores - len(model.cores))))
    ]
    timing = MemoryTiming(read_latency=int(options["latency"]), read_jitter=int(options["jitter"]), seed=context.seed)
    scene = FrontEndScene(program, [timing], duration=int(options["duration"]))
    if model.durations:
        tables = {core * engines + engine: table for (core, engine), table in model.durations.items()}
        scene.table = (BY_ID, tables)
    stimulus = front_end_stimulus(scene, context, np.random.default_rng(context.seed))
    ready = {name: context.pattern("ready", salt) for salt, name in enumerate(context.outputs)}
    return [at_rest(replace(stimulus, ready=ready))]


def _dispatched(context: CaseContext, record: Any, core: int, engine: int) -> Any:
    return record.outcome.ports[f"m_axis_{core * int(context.params['ENGINES']) + engine}"]


def _check(context: CaseContext, stimulus: Stimulus, record: Any) -> Check:
    """Every command of the file was dispatched, byte for byte."""
    model = _model(context.options)
    failures, compared = [], 0
    for (core, engine), raw in model.raw.items():
        trace = _dispatched(context, record, core, engine)
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
    return Check(tuple(failures), compared)


def model_answer(context: CaseContext, stimulus: Stimulus, record: Any) -> RunAnswer | None:
    """When each engine began and ended; None for a case without a model."""
    if "bmodel" not in context.options:
        return None
    model = _model(context.options)
    rows, facts = [], []
    for core, engine in sorted(model.raw):
        trace = _dispatched(context, record, core, engine)
        name, count = list(_ENGINES)[engine], len(trace)
        first, last = (int(trace.cycle[0]), int(trace.cycle[-1])) if count else (0, 0)
        facts.append({"core": core, "engine": name, "commands": count, "first_cycle": first, "last_cycle": last})
        rows.append((f"core {core} {name}", str(count), str(first), str(last)))
    table = MeasurementTable("engines", ("engine", "commands", "first dispatch", "last dispatch"), tuple(rows))
    subject = Path(str(context.options["bmodel"])).name
    return RunAnswer(subject, facts={"engines": facts}, tables=[table])
