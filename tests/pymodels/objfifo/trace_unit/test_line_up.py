# SPDX-License-Identifier: Apache-2.0
"""Two traces side by side: the same, and every way of parting."""

import json

import pytest

from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.objfifo.artefact.operation import OpKind, RegisterOp
from goldbeat.pymodels.objfifo.trace_unit.configuration import read_setups, setups
from goldbeat.pymodels.objfifo.trace_unit.events import event_name, event_number
from goldbeat.pymodels.objfifo.trace_unit.line_up import line_up
from goldbeat.pymodels.objfifo.trace_unit.packets import TraceKind, TraceSource, trace_text
from goldbeat.pymodels.objfifo.trace_unit.timeline_json import (
    ModuleTrace,
    read_raw_trace,
    read_trace_json,
    trace_json,
    write_trace_words,
)

BD, RUN = "DMA_S2MM_SEL0_FINISHED_BD", "PORT_RUNNING_0"


def module(column=0, move=0, **events):
    rows = {name: [(b + move, e + move) for b, e in spans] for name, spans in events.items()}
    return ModuleTrace(TraceSource(TraceKind.MEMTILE, 1, column), rows)


def pulses(*cycles):
    return [(c, c + 1) for c in cycles]


BASE = {BD: pulses(20, 37, 54, 71), RUN: [(3, 19), (20, 36), (37, 53), (54, 70)]}


def test_the_same_at_another_time_and_column():
    found = line_up([module(1, 324000, **BASE)], [module(**BASE)], bound=0)
    assert found.partings == ()
    assert found.moves == {"memtile_trace for tile1,1": 324000}
    assert [(e.event, e.paired, e.largest, e.active) for e in found.events] == [
        (BD, 4, 0, (4, 4)), (RUN, 4, 0, (64, 64))]  # fmt: skip


@pytest.mark.parametrize(
    ("events", "kind", "index", "text"),
    [
        ({BD: pulses(20, 37, 54)}, "missing", 3, "missing in run"),
        ({BD: pulses(20, 54, 71)}, "missing", 1, "missing in run"),
        ({BD: pulses(20, 37, 45, 54, 71)}, "missing", 2, "missing in silicon"),
        ({BD: pulses(20, 37, 60, 77)}, "drift", 2, "silicon is 6 cycles earlier than run"),
        ({RUN: [(3, 19), (20, 36), (37, 43), (54, 70)]}, "length", 2, "active for 16 cycles in silicon, 6 in run"),
        ({BD: pulses(1, 18, 35, 52), RUN: [(9, 18), (20, 36), (37, 53), (54, 70)]}, "order", 0, "begins before"),
    ],
)
def test_where_they_part(events, kind, index, text):
    found = line_up([module(**BASE)], [module(**(BASE | events))], bound=5)
    right = [p for p in found.partings if p.kind == kind and text in p.text]
    assert right, found.partings
    assert right[0].index == index
    assert json.loads(json.dumps(found.json()))["same"] is False


def test_slow_drift_is_found_once_it_is_too_large():
    run = {BD: pulses(*range(20, 420, 20))}
    silicon = {BD: pulses(*(20 + 21 * n for n in range(20)))}
    found = line_up([module(**silicon)], [module(**run)], bound=5)
    (parting,) = found.partings
    assert (parting.kind, parting.index, parting.cycle, parting.other) == ("drift", 6, 146, 140)
    assert found.events[0].paired == 20
    assert line_up([module(**silicon)], [module(**run)], bound=19).partings == ()


def test_what_one_side_alone_has():
    other = ModuleTrace(TraceSource(TraceKind.CORE, 2, 0), {"LOCK_STALL": pulses(4)})
    found = line_up([module(**BASE), other], [module(**{BD: BASE[BD], "PORT_RUNNING_4": [(9, 10)]})])
    assert found.partings == ()
    assert found.only == (
        f"memtile_trace for tile1,0 {RUN} (silicon)",
        "memtile_trace for tile1,0 PORT_RUNNING_4 (run)",
        "core_trace for tile2,0 (silicon)",
    )
    assert line_up([other], [module(**BASE)]).partings[0].kind == "module"


@pytest.mark.parametrize(
    ("kind", "number", "name"),
    [
        (TraceKind.MEM, 23, "DMA_S2MM_0_FINISHED_BD"),
        (TraceKind.MEM, 34, "DMA_MM2S_1_STALLED_LOCK"),
        (TraceKind.MEM, 45, "LOCK_SEL0_ACQ_GE"),
        (TraceKind.MEM, 80, "CONFLICT_DM_BANK_3"),
        (TraceKind.SHIM, 22, "DMA_S2MM_0_FINISHED_TASK"),
        (TraceKind.SHIM, 30, "DMA_S2MM_0_STREAM_STARVATION"),
        (TraceKind.SHIM, 41, "LOCK_0_REL"),
        (TraceKind.MEMTILE, 28, "DMA_MM2S_SEL1_FINISHED_BD"),
        (TraceKind.MEMTILE, 44, "DMA_MM2S_SEL1_MEMORY_STARVATION"),
        (TraceKind.MEMTILE, 108, "PORT_RUNNING_7"),
        (TraceKind.CORE, 75, "PORT_RUNNING_0"),
        (TraceKind.CORE, 26, "LOCK_STALL"),
        (TraceKind.CORE, 199, "EVENT_199"),
    ],
)
def test_numbers_and_names(kind, number, name):
    assert event_name(kind, number) == name
    if not name.startswith("EVENT"):
        assert event_number(kind, name) == number


def writes(tile, control, ident, events):
    packed = [sum(n << 8 * i for i, n in enumerate(events[k : k + 4])) for k in (0, 4)]
    values = {control: 0x79007800, control + 4: ident, control + 0x10: packed[0], control + 0x14: packed[1]}
    return [(tile[0] << 25 | tile[1] << 20 | offset, value) for offset, value in values.items()]


def test_setups_by_register():
    events = [24, 27, 80, 84, 0, 0, 0, 1]
    found = setups([*writes((0, 1), 0x940D0, 3, events), *writes((0, 0), 0x340D0, 2, [14] * 8), (0x1D000, 5)])
    assert set(found) == {TraceSource(TraceKind.MEMTILE, 1, 0, 3), TraceSource(TraceKind.SHIM, 0, 0, 2)}
    assert found[TraceSource(TraceKind.MEMTILE, 1, 0, 3)].names()[:4] == (
        "DMA_MM2S_SEL1_START_TASK", "DMA_MM2S_SEL0_FINISHED_BD", "PORT_RUNNING_0", "PORT_RUNNING_1")  # fmt: skip


def test_raw_words_with_names_by_text(tmp_path):
    events = [25, 80, 0, 0, 0, 0, 0, 0]
    lines = [
        f"aiex.npu.write32 {{address = {a & 0xFFFFF} : ui32, column = {a >> 25} : i32, row = {a >> 20 & 31} : i32, "
        f"value = {v} : ui32}}"
        for a, v in writes((0, 1), 0x940D0, 1, events)
    ]
    config, raw = tmp_path / "aie.mlir", tmp_path / "trace.txt"
    config.write_text("\n".join(lines))
    raw.write_text(trace_text(write_trace_words([module(1, 0, **BASE)], timer=1000)))
    (found,) = read_raw_trace(raw, read_setups(config))
    assert (found.source.row, found.source.column) == (1, 0)
    assert found.events[BD] == [(b + 1001, e + 1001) for b, e in BASE[BD]]
    assert line_up([found], [module(**BASE)], bound=0).partings == ()
    (plain,) = read_raw_trace(raw)
    assert plain.source.column == 1
    assert plain.events["SLOT_0"] == found.events[BD]


def test_a_file_that_configures_nothing(tmp_path):
    file = tmp_path / "aie.mlir"
    file.write_text("module {}")
    with pytest.raises(InputError, match="trace unit"):
        read_setups(file)
    assert RegisterOp(OpKind.WRITE, 0, (0,)).kind is OpKind.WRITE


def test_json_there_and_back(tmp_path):
    modules = [module(**BASE), ModuleTrace(TraceSource(TraceKind.CORE, 2, 0), {"LOCK_STALL": pulses(4), "ACTIVE": []})]
    file = tmp_path / "trace.json"
    items = trace_json(modules)
    file.write_text(json.dumps(items))
    assert {(m.key, *((n, *s) for n, s in m.events.items())) for m in read_trace_json(file)} == {
        (m.key, *((n, *s) for n, s in m.events.items())) for m in modules
    }
    assert items[0] == {"name": "process_name", "ph": "M", "pid": 0, "args": {"name": "core_trace for tile2,0"}}
    assert items[1] == {"name": "thread_name", "ph": "M", "pid": 0, "tid": 0, "args": {"name": "LOCK_STALL"}}
    begin = next(i for i in items if i["ph"] == "B")
    assert begin == {"name": RUN, "ts": 3, "ph": "B", "pid": 1, "tid": 1, "args": {}}


@pytest.mark.parametrize("text", ["{", "[1]", "{}", "[]", '[{"ph": "E", "pid": 0, "tid": 0, "ts": 3}]'])
def test_json_that_is_none(tmp_path, text):
    file = tmp_path / "trace.json"
    file.write_text(text)
    with pytest.raises(InputError):
        read_trace_json(file)


def test_json_with_an_end_before_its_begin(tmp_path):
    items = trace_json([module(**BASE)])
    file = tmp_path / "trace.json"
    file.write_text(json.dumps([i for i in items if i["ph"] != "B"]))
    with pytest.raises(InputError, match="ends at"):
        read_trace_json(file)
