# SPDX-License-Identifier: Apache-2.0
"""Files of TPU, ZynqNet, suites, limits, descriptions, run folders and results, mutated: answered or refused."""

import json
import sqlite3
import zipfile
from contextlib import suppress
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
import zstandard
from damaged import Reader, RefusedError, commands, goldbeat
from mutations import MANY, QUICK, bounded
from turns import TURN

from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.tpu.streams import tables as tables_module
from goldbeat.pymodels.tpu.streams.codegen import CodeGen
from goldbeat.pymodels.tpu.streams.container import commands as list_commands
from goldbeat.pymodels.tpu.streams.container import load_streams as load_streams
from goldbeat.pymodels.tpu.streams.container import read_container as read_container
from goldbeat.pymodels.tpu.streams.profile import parse_sections
from goldbeat.pymodels.tpu.streams.tables import Tables, chip, tables
from goldbeat.pymodels.trace import Trace
from goldbeat.pymodels.zynqnet import synth
from goldbeat.pymodels.zynqnet.memory_map import MemoryMap
from goldbeat.pymodels.zynqnet.network import parse_network
from goldbeat.tb.design.description import load_description
from goldbeat.tb.designs.zynqnet.inputs import find_image, find_network, find_weights
from goldbeat.tb.regress.item import Item, ItemResult, Status
from goldbeat.tb.regress.run import Settings, begin
from goldbeat.tb.regress.store import Store
from goldbeat.tb.regress.suite import load_suite
from goldbeat.tb.run.signoff import load_limits, load_run

OWN = Path(tables_module.__file__).with_name("commands.json")
_TOML = (
    b'[|]|[[|]]|=|\n|\'|"|{|}|,|#|true|inf|nan|-1|1e400|0x|99999999999999999999|[port.m_axis]|"a->b"|1979-05-27'.split(
        b"|"
    )
)
_JSON = b'{|}|[|]|:|,|"|null|true|NaN|Infinity|1e999|-1|"\\ud800"'.split(b"|")


def _bytes_of(**arrays):
    stream = BytesIO()
    np.savez(stream, **arrays)
    return stream.getvalue()


def _npy(values):
    stream = BytesIO()
    np.save(stream, values)
    return stream.getvalue()


# -- TPU --------------------------------------------------------------------------------------------------------------


def _container(path):
    made = read_container(path)
    made.coefficients()
    known = tables().chip(made.chip)
    for stream in made.streams():
        list_commands(known, stream, strict=False)


def _bare(path):
    of, streams, _ = load_streams(path, "BM1688", "tiu")
    for stream in streams:
        list_commands(of, stream, path)


def _codegen(name="BM1688"):
    made = CodeGen(chip(name), cores=2)
    for core in range(2):
        made.emit(f"gdma:{core}", "DMA_tensor", {"src_nsize": 1, "constant_value": 5})
        made.emit(f"tiu:{core}", "sAR", {"res0_n": 1, "res0_c": 3, "res0_addr": 0x4000}, func=14)
    made.barrier(3, ("tiu", "gdma"))
    return made


def _bmodel(tmp_path):
    files = [_codegen(name).bmodel("tiny", bytes(range(200)), version="2.2") for name in ("BM1688", "BM1690")]
    read = commands(
        tmp_path / "a.bmodel",
        _container,
        "tpu info {} --json",
        "tpu dis {} --format json",
        "tpu check {} --json",
        "tpu time {} --json",
        "tpu extract {} {folder}/streams --force",
    )
    return Reader(files, read)


def _stream(tmp_path):
    (tmp_path / "net.bmodel").write_bytes(_codegen().bmodel("tiny", b"", version="2.2"))
    goldbeat("tpu", "extract", tmp_path / "net.bmodel", tmp_path / "streams")
    files = [path.read_bytes() for path in sorted((tmp_path / "streams").glob("*.tiu.bin"))]
    of = "--chip BM1688 --engine tiu"
    lines = (f"tpu dis {{}} {of}", f"tpu check {{}} {of}", "tpu time {} --chip BM1688 --json")
    return Reader(files, commands(tmp_path / "core0.sub0.g0.tiu.bin", _bare, *lines))


_PROFILE = b"""A|GDMA_TENSOR|s:0|b:0|g:1|e:9|t:10|dr:0|sz:1|bw:1
B|AR|s:10|b:1|g:1|e:12|t:3     C|GDMA_TENSOR|s:10|b:0|g:2|e:10|t:1|dr:0
API_END total_cycle:13|b:1|g:2
D|AR|s:0|b:1|g:0|e:4|t:5
"""


def _profile(tmp_path):
    (tmp_path / "net.bmodel").write_bytes(_codegen().bmodel("tiny", b"", version="2.2"))
    path = tmp_path / "compiler_profile_0.txt"

    def read(data):
        path.write_bytes(data)
        # The command may refuse a profile that does not fit the stream; the reader alone takes it.
        with suppress(RefusedError):
            goldbeat("tpu", "time", tmp_path / "net.bmodel", "--profile", path, "--json")
        parse_sections(data.decode("latin-1"))

    return Reader([_PROFILE], read, (b"|s:", b"|b:", b"|g:", b"|e:", b"|t:", b"|dr:", b"API_END\n", b"9" * 20))


def _table(tmp_path):
    table = {
        "format": 1,
        "layouts": {"l": "short:1 type:4 func:5 id:16 rest:38"},
        "heads": {"h": {"short": [0, 1], "type": [1, 4], "func": [5, 5], "id": [10, 16]}},
        "chips": {
            "MINE": {
                "engines": {
                    "tiu": {
                        "head": "h",
                        "end": "SYS",
                        "end_func": 31,
                        "kinds": [
                            {"kind": "SYS", "layout": "l", "bytes": 16, "type": 15, "ops": {"31": "end", "*": "x"}}
                        ],
                    }
                }
            }
        },
    }
    (tmp_path / "one.bin").write_bytes(bytes([0xFE, 3, *bytes(126)]))
    lines = ("tpu dis {folder}/one.bin --chip MINE --engine tiu --tables {}",)
    return Reader(
        [json.dumps(table).encode()],
        commands(tmp_path / "a.json", lambda path: Tables(path).chip("MINE"), *lines),
        _JSON,
    )


# -- ZynqNet ----------------------------------------------------------------------------------------------------------

_TINY = """name = "tiny"
input = {width = 4, height = 4, channels = 3}
[[layer]]
name = "c1"
ch_out = 16
stride = 2
[[layer]]
name = "e1"
ch_out = 5
kernel = 1
split = "first"
relu = false
gpool = true
[[layer]]
name = "e3"
ch_out = 5
split = "second"
gpool = true
shifts = {bias = -2, out = 9, concat = 1}
"""


def _placed(path):
    MemoryMap(find_network(str(path))).check()


def _network(tmp_path):
    lines = ("zynqnet map --network {} --json", "zynqnet program --network {}", "zynqnet map --network {}")
    words = (*_TOML, b'split = "first"', b"[[layer]]", b"ch_out = 512", b'name = ""')
    return Reader([_TINY.encode()], commands(tmp_path / "a.toml", _placed, *lines), words)


def _network_json(tmp_path):
    import tomllib

    return Reader(
        [json.dumps(tomllib.loads(_TINY)).encode()],
        commands(tmp_path / "a.json", _placed, "zynqnet map --network {} --json"),
        _JSON,
    )


def _tiny(tmp_path):
    import tomllib

    (tmp_path / "tiny.toml").write_text(_TINY)
    network = parse_network(tomllib.loads(_TINY))
    used = np.random.default_rng(1).standard_normal(network.used_weights).astype(np.float32)
    return used, synth.image(network.input)


def _numbers(tmp_path, suffix, files, option):
    golden = f"zynqnet golden --network {{folder}}/tiny.toml {option} {{}} --json"
    network, find = find_network(str(tmp_path / "tiny.toml")), find_weights if option == "--weights" else find_image
    direct = lambda path: find(str(path), network)  # noqa: E731
    return Reader(files, commands(tmp_path / f"a{suffix}", direct, golden, f"{golden} --number int8"))


def _weights_bin(tmp_path):
    used, _ = _tiny(tmp_path)
    return _numbers(tmp_path, ".bin", [used.tobytes()], "--weights")


def _weights_npy(tmp_path):
    used, _ = _tiny(tmp_path)
    return _numbers(tmp_path, ".npy", [_npy(used), _npy(used.astype(np.float64))], "--weights")


def _image_bin(tmp_path):
    _, image = _tiny(tmp_path)
    return _numbers(tmp_path, ".bin", [image.tobytes()], "--image")


def _image_npy(tmp_path):
    _, image = _tiny(tmp_path)
    return _numbers(tmp_path, ".npy", [_npy(image), _npy(np.zeros((4, 4, 3), np.uint8))], "--image")


def _image_png(tmp_path):
    pillow = pytest.importorskip("PIL.Image")
    _tiny(tmp_path)
    stream = BytesIO()
    pillow.fromarray(np.arange(16 * 16 * 3, dtype=np.uint8).reshape(16, 16, 3)).save(stream, "png")
    return _numbers(tmp_path, ".png", [stream.getvalue()], "--image")


# -- limits, suites, descriptions -------------------------------------------------------------------------------------

_LIMITS = """[port.m_axis]
min_msamples_per_s = 1
max_gap_ns = 100
rate = "continuous"
[port.s_axis]
max_idle_cycles = 3
steady = true
[latency."s_axis->m_axis"]
by = "frame"
max_ns = 60.5
"""


def _run_folder(folder):
    (folder / "traces").mkdir(parents=True)
    entries = {}
    for number, name in enumerate(("s_axis", "m_axis")):
        trace = Trace.from_samples(
            np.zeros((32, 2), int), "cint16", 32, clock_ps=4000, frame=8, offset_ps=40_000 * number
        )
        trace.save(folder / "traces" / f"{name}.trace")
        entries[name] = {"direction": "in", "dtype": "cint16", "trace": f"traces/{name}.trace", "width": 32}
    report = {"design": "fir", "case": "smoke", "params": {"W": 32}, "seed": 1, "status": "pass", "ports": entries}
    (folder / "report.json").write_text(json.dumps(report))
    return folder


def _limits(tmp_path):
    _run_folder(tmp_path / "run")
    return Reader(
        [_LIMITS.encode()], commands(tmp_path / "a.toml", load_limits, "signoff {folder}/run --limits {} --json"), _TOML
    )


def _report(tmp_path):
    folder = _run_folder(tmp_path / "run")
    (folder / "limits.toml").write_text(_LIMITS)
    good = (folder / "report.json").read_bytes()
    return Reader(
        [good],
        commands(
            folder / "report.json", lambda _: load_run(folder), "signoff {folder} --limits {folder}/limits.toml --json"
        ),
        _JSON,
    )


def _signed(tmp_path):
    folder = _run_folder(tmp_path / "run")
    (folder / "limits.toml").write_text(_LIMITS)
    return folder / "traces" / "m_axis.trace"


def _trace(tmp_path):
    path = _signed(tmp_path)
    sign = "signoff {folder}/.. --limits {folder}/../limits.toml --json"
    return Reader([path.read_bytes()], commands(path, Trace.load, sign))


def _trace_columns(tmp_path):
    """A column of a trace mutated within a sound archive."""
    path = _signed(tmp_path)
    sign = commands(path, Trace.load, "signoff {folder}/.. --limits {folder}/../limits.toml --json")
    with zipfile.ZipFile(path) as archive:
        parts = {name: zstandard.decompress(archive.read(name)) for name in archive.namelist()}
    names = sorted(parts)

    def read(data):
        number, _, member = data.partition(b":")
        chosen = names[int.from_bytes(number[:1], "little") % len(names)]
        stream = BytesIO()
        with zipfile.ZipFile(stream, "w") as out:
            for name, part in parts.items():
                out.writestr(name, zstandard.compress(member if name == chosen else part))
        sign(stream.getvalue())

    return Reader([bytes([n]) + b":" + parts[name] for n, name in enumerate(names)], read)


def _older_trace(tmp_path):
    """A column of a trace of format 1 mutated within a sound archive."""
    path = tmp_path / "a.npz"
    trace = Trace.load(_signed(tmp_path))
    columns = {name: getattr(trace, name) for name in ("data", "keep", "last", "cycle", "clock_ps", "offset_ps")}
    parts = {name: _npy(values) for name, values in {"format": 1, **columns}.items()}
    names = sorted(parts)

    def read(data):
        number, _, member = data.partition(b":")
        chosen = names[int.from_bytes(number[:1], "little") % len(names)]
        with zipfile.ZipFile(path, "w") as out:
            for name, part in parts.items():
                out.writestr(f"{name}.npy", member if name == chosen else part)
        Trace.load(path)

    return Reader([bytes([n]) + b":" + parts[name] for n, name in enumerate(names)], read)


_SUITE = """summary = "a suite"
seeds = 2
[[run]]
designs = ["axis_fifo"]
cases = ["random"]
seeds = 3
params = {DEPTH = [4, 8]}
options = {beats = 40}
limits = {port = {m_axis = {max_gap_ns = 40}}}
[[run]]
designs = ["plio_f*"]
skip = ["*/sweep"]
variants = true
timeout_s = 3.5
"""


def _suite(tmp_path):
    return Reader([_SUITE.encode()], commands(tmp_path / "a.toml", load_suite, "regress {} --dry-run --json"), _TOML)


_DESCRIPTION = """name = "mine"
top = "mine"
files = ["mine.sv"]
model = "identity"
compare_time = false
[parameters]
W = 32
[[clocks]]
name = "clk"
reset = "rst_n"
[[streams]]
name = "in"
direction = "in"
clock = "clk"
width = "W"
dtype = "int16"
[[streams]]
name = "out"
direction = "out"
clock = "clk"
width = "2*W+0"
[streams.signals]
tdata = "o_data"
tvalid = "o_valid"
[[registers]]
name = "ctl"
direction = "in"
clock = "clk"
[traffic]
kind = "random"
frame = [1, 12]
[[cases]]
name = "memory"
make = "ram:ctl"
options = {bytes = 64}
"""


def _description(tmp_path):
    (tmp_path / "mine.sv").write_text("module mine; endmodule\n")
    return Reader([_DESCRIPTION.encode()], commands(tmp_path / "a.toml", load_description, "list {} --json"), _TOML)


# -- results ----------------------------------------------------------------------------------------------------------


def _results(tmp_path):
    root = tmp_path / "build" / "regress"
    with Store(root / "results.sqlite") as store:
        items = [
            Item(index=n, key=f"axis_fifo/random#{n}", design="axis_fifo", case="random", seed=n) for n in range(3)
        ]
        run = begin(store, "smoke", items, Settings(), seed=0)
        ports = {"m_axis": {"direction": "out", "beats": 9, "frames": 3, "mb_per_s": 9.5, "share": 0.5}}
        results = [
            ItemResult(
                n, item.key, Status.PASS if n else Status.FAIL, 7, 70, 0.1, failures=("no",) * (not n), ports=ports
            )
            for n, item in enumerate(items)
        ]
        store.record(run.id, results)
        store.end(run.id, "fail", {"wall_s": 1.5})
    base = sqlite3.connect(root / "results.sqlite")
    base.execute("PRAGMA journal_mode=DELETE")
    base.close()
    return root / "results.sqlite"


_SHOW = (
    "history --json",
    "show last --json",
    "show last",
    "show 1/axis_fifo/random#0",
    "show 1 --failed",
    "compare 1 1",
)


def _stored(path):
    with Store(path) as store:
        for run in store.runs():
            store.rows(run.id)
            store.briefs(run.id)
            list(store.measured(run.id))
            store.counts(run.id)


def _database(tmp_path):
    path = _results(tmp_path)

    read = commands(path, _stored, *_SHOW)

    def fresh(data):
        for extra in path.parent.glob("results.sqlite-*"):
            extra.unlink()
        read(data)

    return Reader([path.read_bytes()], fresh)


def _columns(tmp_path):
    """What stands in the columns of a sound results file, mutated."""
    path = _results(tmp_path)
    good = path.read_bytes()
    base = sqlite3.connect(path)
    places = [("runs", name) for name in ("settings", "facts", "started")]
    places += [("items", name) for name in ("spec", "result", "artefacts", "status")]
    values = [base.execute(f"SELECT {name} FROM {table}").fetchone()[0] or "{}" for table, name in places]
    base.close()
    read = commands(path, _stored, *_SHOW)

    def with_column(data):
        number, _, value = data.partition(b":")
        table, name = places[int.from_bytes(number[:1], "little") % len(places)]
        for extra in path.parent.glob("results.sqlite-*"):
            extra.unlink()
        path.write_bytes(good)
        changed = sqlite3.connect(path)
        # Nobody reads this file after a power cut, and a disk takes longer than all the rest.
        changed.execute("PRAGMA synchronous=OFF")
        changed.execute(f"UPDATE {table} SET {name}=?", (value.decode("latin-1"),))
        changed.commit()
        changed.close()
        read(path.read_bytes())

    files = [bytes([n]) + b":" + str(value).encode() for n, value in enumerate(values)]
    return Reader(files, with_column, _JSON)


READERS = (
    *(_bmodel, _stream, _profile, _table),
    *(_network, _network_json, _weights_bin, _weights_npy, _image_bin, _image_npy, _image_png),
    *(_limits, _report, _trace, _trace_columns, _older_trace, _suite, _description, _database, _columns),
)


@pytest.fixture(autouse=True)
def own_results(tmp_path, monkeypatch):
    monkeypatch.setenv("GOLDBEAT_BUILD", str(tmp_path / "build"))
    # The package's own tables are read once: they are most of the time of a command.
    own, load = tables(), tables_module.load_table
    raw = load(OWN)
    monkeypatch.setattr(tables_module, "load_table", lambda path: raw if path == OWN else load(path))
    for module in ("commands", "time_command"):
        monkeypatch.setattr(
            f"goldbeat.tb.designs.tpu.{module}.Tables",
            lambda path=None: own if path is None else tables_module.Tables(path),
        )


@pytest.mark.parametrize("value", ["6" * 5000, "[" * 100_000], ids=["digits", "brackets"])
@pytest.mark.parametrize("read", [load_limits, load_suite, load_description, find_network], ids=lambda f: f.__name__)
def test_numbers_and_brackets_without_end_in_toml(read, value, tmp_path):
    path = tmp_path / "a.toml"
    path.write_text(f"name = {value}\n")
    with pytest.raises(InputError, match=r"a\.toml"):
        read(str(path) if read is find_network else path)


@pytest.mark.parametrize("value", ["6" * 5000, "[" * 100_000], ids=["digits", "brackets"])
def test_numbers_and_brackets_without_end_in_json(value, tmp_path):
    (tmp_path / "report.json").write_text(f'{{"design": {value}')
    with pytest.raises(InputError, match=r"report\.json"):
        load_run(tmp_path)
    (tmp_path / "a.json").write_text(f'{{"name": {value}')
    with pytest.raises(InputError, match=r"a\.json"):
        find_network(str(tmp_path / "a.json"))


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("seeds = 4294967296", "more than 100000 cases"),
        ("options = {beats = inf}", "expected a finite number"),
        ("options = {beats = [1, nan]}", "expected finite numbers"),
        ("timeout_s = inf", "timeout_s"),
    ],
)
def test_suites_that_ask_for_too_much(entry, message, tmp_path):
    path = tmp_path / "a.toml"
    path.write_text(f'[[run]]\ndesigns = ["axis_fifo"]\ncases = ["random"]\n{entry}\n')
    with bounded(), pytest.raises(RefusedError, match=message):
        goldbeat("regress", path, "--dry-run", "--json")


@pytest.mark.parametrize("make", READERS, ids=lambda make: make.__name__[1:])
def test_damaged_files_are_refused_with_a_reason(make, tmp_path):
    make(tmp_path).check(QUICK, 1)


@pytest.mark.slow
@pytest.mark.parametrize("make", READERS, ids=lambda make: make.__name__[1:])
def test_many_damaged_files(make, tmp_path):
    make(tmp_path).check(MANY, 2 + TURN)
