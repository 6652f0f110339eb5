# SPDX-License-Identifier: Apache-2.0
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.engine import engine_map as reg
from goldbeat.pymodels.objfifo.engine.registers import (
    ChannelStatus,
    Code,
    Descriptor,
    EngineRegisters,
    EngineShape,
    EngineTask,
    arm,
    decode_descriptor,
    descriptor_writes,
    disarm,
    encode_descriptor,
    engine_program,
    memory_reads,
    memory_writes,
    task_writes,
)
from goldbeat.pymodels.stimulus import Access

PARAMS = {"NS": 2, "NM": 3, "NBD": 48, "NLOCK": 16, "NBANK": 4, "MEM_WORDS": 64, "WORD_W": 32}


def file(**params):
    return EngineRegisters(EngineShape.of(PARAMS | params))


def read(registers, *addresses):
    return [value if not error else "SLVERR" for value, error in registers.apply(Access("read", a) for a in addresses)]


def write(registers, address, value, strobe=0xF):
    """Whether it was taken."""
    return not registers.apply([Access("write", address, value, strobe)])[0][1]


def bits(count):
    return st.integers(0, (1 << count) - 1)


def triple(*counts):
    return st.tuples(*(bits(c) for c in counts))


descriptors = st.builds(
    Descriptor,
    base=bits(20),
    length=bits(18),
    wraps=triple(10, 10, 10),
    steps=triple(17, 17, 17, 17),
    iteration_size=st.integers(1, 64),
    iteration_step=bits(17),
    iteration_start=bits(6),
    pad_before=triple(6, 5, 4),
    pad_after=triple(6, 5, 4),
    acquire=st.none() | triple(6, 6),
    acquire_equal=st.booleans(),
    release=st.none() | st.tuples(bits(6), st.integers(1, 63)),
    next=st.none() | bits(6),
    tlast=st.booleans(),
    packet=st.none() | triple(5, 3),
    ooo_id=bits(6),
    valid=st.booleans(),
)


@given(descriptors)
def test_descriptors_through_the_table(descriptor):
    words = encode_descriptor(descriptor)
    assert decode_descriptor(words) == descriptor
    registers = file()
    assert not any(error for _, error in registers.apply(descriptor_writes(5, descriptor)))
    assert registers.descriptors()[5] == descriptor
    assert read(registers, *(reg.BD + 5 * 64 + 4 * n for n in range(11))) == list(words)


def test_fields_of_a_descriptor():
    words = encode_descriptor(
        Descriptor(
            0x12345,
            0x3FFFF,
            (1, 2, 3),
            (4, 5, 6, 7),
            iteration_size=9,
            iteration_step=10,
            iteration_start=11,
            pad_before=(12, 13, 14),
            pad_after=(1, 2, 3),
            acquire=(5, 6),
            acquire_equal=True,
            release=(7, 8),
            next=9,
            tlast=False,
            packet=(10, 5),
            ooo_id=33,
        )
    )
    assert words == (
        0x12345,
        0x3FFFF,
        1 | 4 << 10,
        2 | 5 << 10,
        3 | 6 << 10,
        7,
        8 | 10 << 6 | 11 << 23,
        12 | 13 << 8 | 14 << 16,
        1 | 2 << 8 | 3 << 16,
        5 | 6 << 8 | 1 << 14 | 1 << 15 | 7 << 16 | 8 << 24,
        9 | 1 << 8 | 1 << 9 | 1 << 10 | 1 << 11 | 10 << 12 | 5 << 20 | 33 << 24,
    )


@pytest.mark.parametrize(
    "bad", [{"base": 1 << 20}, {"steps": (0, 1 << 17, 0, 0)}, {"iteration_size": 0}, {"acquire": (0, 64)}, {"next": 64}]
)
def test_values_that_do_not_fit(bad):
    with pytest.raises(UsageError, match="descriptor: "):
        encode_descriptor(replace(Descriptor(), **bad))


def test_after_reset():
    registers = file()
    assert read(registers, 0, 4, 8, 12, 16, 20) == [0x4F464D44, 2 | 3 << 4 | 48 << 8 | 16 << 16 | 32 << 24, 0, 0, 0, 0]
    assert read(registers, 0x100, 0x110, 0x180, 0x190, 0x1000, 0x1BE8, 0x2000, 0x203C) == [0] * 8
    assert not registers.descriptors()[0].valid
    assert read(registers, 0x400) == [0]


@pytest.mark.parametrize(
    "address",
    [0x1C, 0xFC, 0x114, 0x194, 0x200, 0x214, 0x27C, 0x28C, 0x408, 0x102C, 0x103C, 0x1C00, 0x2040, 0x3000, 0xFFFC],
)
def test_what_cannot_be_read(address):
    assert read(file(), address) == ["SLVERR"]


@pytest.mark.parametrize("address", [0x0, 0x4, 0x100, 0x110, 0x1C, 0x214, 0x28C, 0x102C, 0x1C00, 0x2040])
def test_what_cannot_be_written(address):
    assert not write(file(), address, 1)


@pytest.mark.parametrize("address", [0x8, 0xC, 0x10, 0x14, 0x18, 0x180, 0x200, 0x280, 0x400, 0x404, 0x1000, 0x2000])
@pytest.mark.parametrize("strobe", [0x0, 0x1, 0x7, 0xE])
def test_every_strobe_must_be_set(address, strobe):
    registers = file()
    assert not write(registers, address, 1, strobe)
    assert not registers.queues[0]
    assert write(registers, address, 1)


def test_fields_that_are_not_there_read_zero():
    registers = file()
    full = (
        *(0xFFFFF, 0x3FFFF, 0x7FFFFFF, 0x7FFFFFF, 0x7FFFFFF, 0x1FFFF),
        *(0x1FFFFFFF, 0xF1F3F, 0xF1F3F, 0x3F3FFF3F, 0x3F71FF3F),
    )
    for n, mask in enumerate(full):
        assert write(registers, 0x1000 + 4 * n, 0xFFFFFFFF)
        assert read(registers, 0x1000 + 4 * n) == [mask]
    for address, mask in ((0x8, 0x1F0003), (0x10, 0x8000001F), (0x18, 3), (0x288, 0xFFFFFFFF), (0x2000, 63)):
        write(registers, address, 0xFFFFFFFF)
        assert read(registers, address) == [mask]


def test_the_memory_window():
    registers = file()
    registers.apply(memory_writes(3, [0x11223344, 0x55667788]))
    assert read(registers, reg.MEM_ADDRESS) == [5]
    assert registers.memory[3].tolist() == [0x44, 0x33, 0x22, 0x11]
    assert registers.apply(memory_reads(2, 3)) == [
        (None, False),
        (None, False),
        (0x11223344, False),
        (0x55667788, False),
    ]
    assert registers.apply(memory_reads(64, 1)) == [(None, False), (None, True)]
    assert registers.apply(memory_writes(64, [1])) == [(None, False), (None, True)]
    assert read(registers, reg.MEM_ADDRESS) == [64]


def test_wide_words_go_through_the_window_lowest_part_first():
    registers = file(WORD_W=128)
    registers.apply(memory_writes(1, range(1, 9)))
    assert registers.memory[1].tolist() == [1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0]
    assert read(registers, reg.MEM_ADDRESS) == [3]
    assert [v for v, _ in registers.apply(memory_reads(2, 4))[1:]] == [5, 6, 7, 8]
    assert not registers.known[3]


def test_tasks_wait_in_a_queue_of_four():
    registers = file()
    registers.apply(task_writes([EngineTask(1, 5, 7, True), EngineTask(1, 63, 255)]))
    assert list(registers.queues[1]) == [(5, 7, True), (63, 255, False)]
    assert read(registers, 0x104) == [1 | 2 << 4]
    assert write(registers, 0x204, 0)
    assert write(registers, 0x204, 0)
    assert not write(registers, 0x204, 0)
    assert read(registers, 0x14, 0xC, 0x104) == [4 | 1 << 8, 1 << 31, 1 | 4 << 4]
    assert registers.irq == 0
    write(registers, 0x10, 1 << 31)
    assert registers.irq == 1
    write(registers, 0xC, 1 << 31)
    assert registers.irq == 0
    write(registers, 0x14, 0)
    assert read(registers, 0x14) == [0]


def test_disarming_empties_the_queues():
    registers = file()
    registers.apply((*arm(), *task_writes([EngineTask(0, 1)])))
    registers.running, registers.status = True, [ChannelStatus(True), ChannelStatus(True, True)] + [ChannelStatus()] * 3
    assert read(registers, 0x100, 0x104) == [1 | 1 << 4, 3]
    registers.apply(disarm())
    assert read(registers, 0x100, 0x104, 8) == [0, 2, 0]
    assert not registers.running


def test_the_first_error_stays():
    registers = file()
    registers.fail(Code.BAD_ADDRESS, 3, 17)
    registers.fail(Code.LOCK_OVERFLOW, 0, 2)
    assert read(registers, 0x14) == [2 | 3 << 8 | 17 << 16]


def test_tokens_are_cleared_by_any_write():
    registers = file()
    registers.count_token(4)
    assert read(registers, 0x190, 0xC) == [1, 1 << 4]
    assert write(registers, 0x190, 99)
    assert read(registers, 0x190, 0xC) == [0, 1 << 4]


def test_tables_and_memory_are_locked_while_running():
    registers = file()
    registers.running = True
    for address in (reg.BD, reg.MEM_DATA):
        assert read(registers, address) == ["SLVERR"]
        assert not write(registers, address, 1)
    assert not write(registers, reg.PAD_VALUE, 1)
    assert not write(registers, reg.OUT_OF_ORDER, 1)
    assert read(registers, reg.PAD_VALUE) == [0]
    with pytest.raises(UsageError, match="disarm"):
        write(registers, reg.LOCK, 1)
    with pytest.raises(UsageError, match="disarm"):
        write(registers, reg.TASK, 1)


def test_iteration_counters_begin_where_the_table_says():
    registers = file()
    registers.apply(descriptor_writes(2, Descriptor(iteration_size=8, iteration_start=5)))
    assert [counters[2] for counters in registers.iterations] == [5] * 5


def test_a_program_loads_everything():
    parts = {"locks": {4: 5}, "memory": {6: np.array([7])}, "pads": {2: 8}, "out_of_order": (1,)}
    accesses = engine_program({1: Descriptor(2, 3)}, [EngineTask(0, 1)], **parts)
    registers = file()
    assert not any(error for _, error in registers.apply(accesses))
    assert registers.descriptors()[1] == Descriptor(2, 3)
    assert (registers.armed, registers.locks[4], registers.memory[6, 0]) == (True, 5, 7)
    assert (registers.pad_values, registers.out_of_order) == ([0, 0, 8], 2)
    assert [len(q) for q in registers.queues] == [1, 0, 0, 0, 0]


@pytest.mark.parametrize(
    ("name", "value"), [("NS", 0), ("NM", 7), ("NBD", 65), ("NLOCK", 0), ("NBANK", 3), ("MEM_WORDS", 0), ("WORD_W", 64)]
)
def test_parameters_out_of_range(name, value):
    with pytest.raises(UsageError, match=f"parameter {name} = {value}"):
        file(**{name: value})


def test_unknown_accesses_are_refused():
    with pytest.raises(UsageError, match="unknown access"):
        file().apply([Access("erase", 0)])
    with pytest.raises(UsageError, match="does not fit 16 bits"):
        file().apply([Access("read", 0x10000)])
