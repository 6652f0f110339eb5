# SPDX-License-Identifier: Apache-2.0
"""``goldbeat tpu`` end to end, on a BModel made by the code generator."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from console import commands, matches, printed_in, run, share_simulators
from cvimodels import container, records, whole
from tpu_profile import section
from tpu_streams import segmented, with_subnets
from typer.testing import CliRunner

from goldbeat.pymodels.tpu.streams.bmodel import AreaWriter, write_bmodel
from goldbeat.pymodels.tpu.streams.codegen import CodeGen
from goldbeat.pymodels.tpu.streams.tables import chip
from goldbeat.tb.cli import app
from goldbeat.tb.paths import REPOSITORY

RUN = CliRunner()


def goldbeat(*args: object) -> tuple[int, str]:
    done = RUN.invoke(app, ["tpu", *map(str, args)])
    return done.exit_code, done.output


_SUM = {"res0_n": 1, "res0_c": 3, "res0_h": 1, "res0_w": 1, "res0_addr": 0x4004000}
"""To static memory, where nothing needs to read it."""


def make(name: str = "BM1690", cores: int = 2) -> CodeGen:
    made = CodeGen(chip(name), cores=cores)
    for core in range(cores):
        made.emit(f"gdma:{core}", "DMA_tensor", {"src_nsize": 1, "constant_value": 5})
        made.emit(f"tiu:{core}", "sAR", _SUM, func=14)
        made.emit(f"sdma:{core}", "DMA_general", {})
    made.barrier(3, ("tiu", "gdma", "sdma"))
    return made


@pytest.fixture
def net(tmp_path: Path) -> Path:
    path = tmp_path / "net.bmodel"
    path.write_bytes(make().bmodel("tiny", bytes(range(200)), version="2.2"))
    return path


def test_info(net: Path):
    code, text = goldbeat("info", net)
    assert code == 0
    assert "BM1690" in text
    assert "core1.sub0.sdma0" in text
    assert "checksum ok" in text
    code, text = goldbeat("info", net, "--json")
    said = json.loads(text)
    assert code == 0
    assert said["chip"] == "BM1690"
    assert [s["decoded"] for s in said["streams"][:2]] == [{"tiu": 4}, {"gdma": 4}]
    assert len(said["streams"]) == 6


def test_extract_dis_and_asm_give_the_same_bytes(net: Path, tmp_path: Path):
    code, _ = goldbeat("extract", net, tmp_path / "streams")
    assert code == 0
    names = sorted(p.name for p in (tmp_path / "streams").iterdir())
    assert names[:3] == ["core0.sub0.g0.dma.bin", "core0.sub0.g0.tiu.bin", "core0.sub0.sdma0.bin"]
    assert "net0.stage0.coeff.bin" in names
    assert goldbeat("extract", net, tmp_path / "streams")[0] == 2
    listing = tmp_path / "net.s"
    assert goldbeat("dis", net, "-o", listing)[0] == 0
    assert "arith.cast" in listing.read_text()
    again = tmp_path / "again"
    assert goldbeat("asm", listing, again)[0] == 0
    for path in again.iterdir():
        assert path.read_bytes() == (tmp_path / "streams" / path.name).read_bytes()
    assert len(list(again.iterdir())) == 6
    one = tmp_path / "streams" / "core1.sub0.g0.tiu.bin"
    code, text = goldbeat("dis", one, "--chip", "1690")
    assert code == 0
    (tmp_path / "one.s").write_text(text)
    assert goldbeat("asm", tmp_path / "one.s", tmp_path / "one.bin")[0] == 0
    assert (tmp_path / "one.bin").read_bytes() == one.read_bytes()


def test_dis_as_json_and_csv(net: Path):
    code, text = goldbeat("dis", net, "--engine", "tiu", "--format", "json")
    said = json.loads(text)
    assert code == 0
    assert [one["name"] for one in said[:4]] == ["arith.cast", "system.send_msg", "system.wait_msg", "system.end"]
    assert set(said[0]) == {"stream", "engine", "id", "dep", "offset", "bytes", "raw", "kind", "name", "fields"}
    assert said[-1]["raw"] == "0000000000fe03000000000000000000"
    assert (said[0]["dep"], said[0]["fields"]["res0_addr"]) == (1, 0x4004000)
    code, text = goldbeat("dis", net, "--engine", "gdma", "--format", "csv")
    assert code == 0
    assert text.splitlines()[0] == "stream,engine,id,dep,offset,bytes,kind,name,fields"
    assert "constant_value=5" in text


def test_check(net: Path, tmp_path: Path):
    assert goldbeat("check", net)[0] == 0
    raw = bytearray(net.read_bytes())
    raw[4096 + 17] ^= 1  # a coefficient
    (tmp_path / "bad.bmodel").write_bytes(raw)
    code, text = goldbeat("check", tmp_path / "bad.bmodel")
    assert code == 1
    assert "checksum" in text
    code, text = goldbeat("check", tmp_path / "bad.bmodel", "--json")
    assert code == 1
    assert json.loads(text)["findings"][0]["rule"] == "checksum"
    assert goldbeat("extract", tmp_path / "bad.bmodel", tmp_path / "x")[0] == 2


def test_time(net: Path, tmp_path: Path):
    code, text = goldbeat("time", net, "--cost", "sAR=10+1", "--cost", "DMA_tensor=50", "--default", 2, "--json")
    rows = {(r["stream"], r["id"]): (r["start"], r["end"]) for r in json.loads(text)["commands"]}
    assert code == 0
    assert rows[("core0.sub0.g0.dma", 1)] == (0, 49)
    assert rows[("core0.sub0.g0.tiu", 1)] == (50, 62)
    code, text = goldbeat("time", net)
    assert code == 0
    assert text.splitlines()[0].split() == ["start", "end", "waited", "id", "command"]
    profile = tmp_path / "profile.txt"
    profile.write_text("a|GDMA_TENSOR|s:0|b:0|g:1|e:6|t:7|dr:3\n")
    made = CodeGen(chip("BM1688"))
    made.emit("gdma", "DMA_tensor")
    made.emit("tiu", "SYS", func=1)
    for key, name in (("tiu0", "core0.sub0.g0.tiu.bin"), ("gdma0", "core0.sub0.g0.dma.bin")):
        (tmp_path / name).write_bytes(made.lookup(key)[0])
    names = [tmp_path / "core0.sub0.g0.tiu.bin", tmp_path / "core0.sub0.g0.dma.bin"]
    code, text = goldbeat("time", *names, "--chip", "BM1688", "--profile", profile, "--json")
    assert code == 3
    assert "partial: 1 commands have no entry in the profile" in text
    text = text[: text.rindex("}") + 1]
    assert json.loads(text)["without_entry"] == 1
    assert [(r["name"], r["start"]) for r in json.loads(text)["commands"]][:2] == [("dma.tensor", 0), ("system.spb", 7)]
    profile.write_text("a|GDMA_TENSOR|s:0|b:0|g:9|e:6|t:7|dr:3\n")
    assert goldbeat("time", *names, "--chip", "BM1688", "--profile", profile)[0] == 2
    assert goldbeat("time", net, "--cost", "sAR")[0] == 2
    made = CodeGen(chip("BM1688"))
    made.nodes[0].ids["gdma"] = 9
    made.emit("tiu", "SYS", func=1)
    (tmp_path / "hang.bmodel").write_bytes(made.bmodel())
    code, text = goldbeat("time", tmp_path / "hang.bmodel")
    assert code == 1
    assert "deadlock: core 0 tiu command 1 waits for gdma command 9" in text


def test_time_by_rates(net: Path):
    code, text = goldbeat("time", net, "--json")
    assert code == 0
    report = json.loads(text)
    assert "fitted to the profiles" in report["rates"]
    assert report["cycles"] == max(row["end"] for row in report["commands"]) + 1
    path = [row for row in report["commands"] if row["critical"]]
    assert sum(row["end"] - row["start"] + 1 for row in path) == report["cycles"]
    busy = {one["engine"]: one["busy"] for one in report["engines"]}
    assert sum(one["cycles"] for one in report["path"]) == report["cycles"]
    assert 0 < busy["gdma"] <= report["cycles"]
    code, text = goldbeat("time", net, "--set", "ddr=2x", "--summary")
    assert code == 0
    assert "start" not in text
    faster = int(text.split("cycles")[1].split()[0])
    assert faster < report["cycles"] == int(text.split("without --set")[1].split()[0])
    assert goldbeat("time", net, "--set", "ddr=fast")[0] == 2
    assert goldbeat("time", net, "--set", "ddr=2x", "--default", 1)[0] == 2
    code, text = goldbeat("rates", "CV184X")
    assert code == 0
    assert "bytes per cycle" in text
    assert json.loads(goldbeat("rates", "BM1688", "--json")[1])["BM1688"]["tiu"]["sCONV"]
    assert goldbeat("rates", "BM1684")[0] == 2


def profiled(cores: int = 1) -> tuple[bytes, list[str]]:
    """A model with two sub-nets (and one for the CPU between them), and the profile of each core."""
    parts = []
    for waits in ([1, 1], [1]):
        made = CodeGen(chip("BM1688"), cores=cores)
        for core in range(cores):
            made.emit(f"gdma:{core}", "DMA_tensor")
            for _ in waits:
                made.emit(f"tiu:{core}", "SYS", func=1)
        parts.append(made)
    texts = []
    for core in range(cores):
        first = section([(1, 1, 30 + core), (2, 1, 5)], [(1, 0, 100)])
        texts.append((first + section([(1, 1, 7)], [(1, 0, 10 + core)])).replace("GDMA_NOP", "GDMA_TENSOR"))
    return with_subnets(parts, idle=[0]), texts


def last_end(text: str) -> int:
    return max(row["end"] for row in json.loads(text)["commands"])


def test_time_of_several_sub_nets(tmp_path: Path):
    raw, (text,) = profiled()
    net, profile = tmp_path / "net.bmodel", tmp_path / "compiler_profile_0.txt"
    net.write_bytes(raw)
    profile.write_text(text)
    code, out = goldbeat("time", net, "--profile", profile, "--json")
    assert code == 0
    # 100 + 30 + 5 cycles, then 10 + 7.
    assert last_end(out) == 151
    rows = {(r["stream"], r["id"]): (r["start"], r["end"]) for r in json.loads(out)["commands"]}
    assert rows[("core0.sub0.g0.tiu", 1)] == (100, 129)
    assert rows[("core0.sub2.g0.dma", 1)] == (135, 144)
    profile.write_text(text.replace("|dr:3", "|dr:3|sz:1", 1))
    assert goldbeat("time", net, "--profile", profile)[0] == 0
    profile.write_text(text[: text.rindex("API_END")])
    code, out = goldbeat("time", net, "--profile", profile)
    assert (code, "partial: " in out, "ends without API_END; entries may be missing" in out) == (3, True, True)
    # Dependencies, commands or sub-nets of another model.
    for wrong in (
        text.replace("|b:2|g:1|", "|b:2|g:0|"),
        text.replace("|dr:3", "|dr:3|sz:2", 1),
        text + section([(1, 0, 1)], []),
        text.replace("|b:2|", "|b:5|"),
    ):
        profile.write_text(wrong)
        code, out = goldbeat("time", net, "--profile", profile)
        assert code == 2
        assert "compiler_profile_0.txt:" in out


def test_the_section_of_bare_streams(tmp_path: Path):
    """By the name of the streams, by --section, and named."""
    raw, (text,) = profiled()
    (tmp_path / "net.bmodel").write_bytes(raw)
    profile = tmp_path / "compiler_profile_0.txt"
    profile.write_text(text)
    assert goldbeat("extract", tmp_path / "net.bmodel", tmp_path / "streams")[0] == 0
    bare = sorted((tmp_path / "streams").glob("core0.sub2.*.bin"))
    code, out = goldbeat("time", *bare, "--chip", "BM1688", "--profile", profile)
    assert code == 0, out
    assert "section 1 (line 4) is that of core0.sub2" in " ".join(out.split())
    assert "durations: fitted" not in out
    assert re.search(r"cycles +17\n", out)
    code, out = goldbeat("time", *bare, "--chip", "BM1688", "--profile", profile, "--section", 0)
    assert (code, "found tiu command 2, expected 1 to 1, the commands of core0.sub2" in " ".join(out.split())) == (
        2,
        True,
    )
    assert goldbeat("time", tmp_path / "net.bmodel", "--profile", profile, "--section", 1)[0] == 2


def test_time_of_several_cores(tmp_path: Path):
    raw, texts = profiled(2)
    net = tmp_path / "net.bmodel"
    net.write_bytes(raw)
    files = [tmp_path / f"compiler_profile_{core}.txt" for core in range(2)]
    for file, text in zip(files, texts, strict=True):
        file.write_text(text)
    code, out = goldbeat("time", net, "--profile", files[1], "--profile", files[0], "--json")
    assert code == 0
    rows = {(r["stream"], r["id"]): (r["start"], r["end"]) for r in json.loads(out)["commands"]}
    assert rows[("core0.sub0.g0.tiu", 1)] == (100, 129)
    assert rows[("core1.sub0.g0.tiu", 1)] == (100, 130)
    # The second sub-net begins when both cores are done with the first one, and ends on core 1.
    assert rows[("core1.sub2.g0.dma", 1)] == (136, 146)
    assert last_end(out) == 153
    code, out = goldbeat("time", net, "--profile", files[1])
    assert code == 3
    assert "no profile of core 0" in out
    assert "partial: 5 commands have no entry" in out
    (tmp_path / "other.txt").write_text(texts[0])
    (tmp_path / "compiler_profile_7.txt").write_text(texts[0])
    (tmp_path / "again_compiler_profile_1.txt").write_text(texts[1])
    assert "does not tell the core" in goldbeat("time", net, "--profile", tmp_path / "other.txt")[1]
    assert "no stream of core 7" in goldbeat("time", net, "--profile", tmp_path / "compiler_profile_7.txt")[1]
    code, out = goldbeat("time", net, "--profile", files[1], "--profile", tmp_path / "again_compiler_profile_1.txt")
    assert code == 2
    assert "core 1 has the profile" in " ".join(out.split())


def test_time_refuses_by_name(net: Path, tmp_path: Path):
    profile = tmp_path / "compiler_profile_0.txt"
    profile.write_bytes(bytes(range(256)))
    code, out = goldbeat("time", net, "--profile", profile)
    assert code == 2
    assert "byte 128" in out
    for option in (
        "--cost=sARR=3",
        "--cost=sAR=" + "9" * 400,
        "--cost=sAR=1+" + "9" * 30,
        "--default=nan",
        "--default=-1",
    ):
        code, out = goldbeat("time", net, option)
        assert code == 2, option
    code, out = goldbeat("time", net, "--cost", "sARR=3")
    assert "BM1690 has no form sARR, but sAR" in " ".join(out.split())
    assert goldbeat("time", net, f"--default={1 << 40}")[0] == 0


def test_damage_is_named_with_its_own_file(tmp_path: Path):
    made = CodeGen(chip("BM1688"))
    made.emit("gdma", "DMA_tensor")
    made.emit("tiu", "SYS", func=1)
    names = [tmp_path / "core0.sub0.g0.tiu.bin", tmp_path / "core0.sub0.g0.dma.bin"]
    for key, name in zip(("tiu0", "gdma0"), names, strict=True):
        name.write_bytes(made.lookup(key)[0])
    names[1].write_bytes(names[1].read_bytes()[:40])
    code, out = goldbeat("time", *names, "--chip", "BM1688")
    assert code == 2
    assert f"{names[1]}: byte 0: found nothing but zeros" in " ".join(out.split())


@pytest.mark.parametrize("imm", [0x10000, 0])
def test_messages_without_a_count_are_refused_by_time(tmp_path: Path, imm: int):
    made = CodeGen(chip("BM1688"))
    made.emit("tiu", "SYS", {"imm": imm}, func=chip("BM1688").engine("tiu").send.func)
    made.emit("tiu", "SYS", {"imm": 0x10000}, func=chip("BM1688").engine("tiu").wait.func)
    name = tmp_path / "core0.sub0.g0.tiu.bin"
    name.write_bytes(made.lookup("tiu0")[0])
    code, out = goldbeat("time", name, "--chip", "BM1688")
    assert code == (0 if imm else 2), out
    said = f"{name}: byte 0: found command 1 (system.send_msg) of core0.sub0.g0.tiu with count 0, expected 1 or more"
    assert (said in " ".join(out.split())) == (not imm)


def test_segments(tmp_path: Path):
    streams = segmented("SG2380", [([0], [0]), ([2], [0, 0])])
    area = AreaWriter()
    group = {"binary_bdc": area.add(streams[0].data), "binary_gdma": area.add(streams[1].data), "bdc_num": 4}
    model = {"chip": "SG2380", "net": [{"parameter": [{"sub_net": [{"cmd_group": [group]}]}]}]}
    path = tmp_path / "two.bmodel"
    path.write_bytes(write_bmodel(model, area.data))
    code, text = goldbeat("info", path)
    assert code == 0
    assert "4 tiu commands in 2 segments" in text
    assert goldbeat("check", path)[0] == 0
    code, text = goldbeat("time", path, "--cost", "sDMA_sys=10", "--default", 1, "--json")
    rows = [(r["engine"], r["segment"], r["id"], r["start"]) for r in json.loads(text)["commands"]]
    assert code == 0
    # The second segment's TIU command waits for the second GDMA command of the same segment.
    assert ("tiu", 1, 1, 30) in rows
    assert ("gdma", 1, 1, 10) in rows


def test_a_cvimodel(tmp_path: Path):
    path = tmp_path / "net.cvimodel"
    path.write_bytes(whole())
    code, text = goldbeat("info", path)
    assert code == 0
    for line in ("inputs   x 1x3x8x8 uint8, mask 1x2 bf16", "outputs  y -1x10 fp32", "b    4 int32, 16 bytes at"):
        assert line in text
    assert "far  1 int16, 2 bytes not in the weight section" in text
    assert "packed     cmdbuf (compressed), 3 bytes" in text
    said = json.loads(goldbeat("info", path, "--json")[1])
    assert [net["name"] for net in said["nets"]] == ["m.0", "m.1"]
    assert [one["name"] for one in said["weights"]] == ["w", "b", "far"]
    assert [one["kind"] for one in said["sections"]][-1] == "cmdbuf (compressed)"
    code, text = goldbeat("extract", path, tmp_path / "parts")
    assert code == 0
    names = {p.name for p in (tmp_path / "parts").iterdir()}
    streams = {f"core0.sub{n}.g0.cmdbuf.bin" for n in range(2)}
    assert names == {*streams, "weight.bin", "func_x86.bin", "cmdbuf.packed.bin"}
    assert (tmp_path / "parts" / "weight.bin").read_bytes() == bytes(range(200))


def test_usage_errors(net: Path, tmp_path: Path):
    bare = tmp_path / "core0.sub0.g0.tiu.bin"
    bare.write_bytes(make().lookup("tiu0")[0])
    assert goldbeat("dis", bare)[0] == 2
    assert goldbeat("dis", bare, "--chip", "BM9")[0] == 2
    assert goldbeat("dis", bare, "--chip", "BM1690", "--format", "xml")[0] == 2
    code, text = goldbeat("check", bare, "--chip", "BM1690")
    assert (code, "PARTIAL BM1690" in text) == (3, True)
    assert "hazards not checked: core0.sub0.g0: messages that never arrive" in text
    nameless = tmp_path / "stream"
    nameless.write_bytes(bare.read_bytes())
    assert goldbeat("dis", nameless, "--chip", "BM1690")[0] == 2
    assert goldbeat("dis", nameless, "--chip", "BM1690", "--engine", "tiu")[0] == 0
    assert goldbeat("info", bare)[0] == 2
    assert goldbeat("check", net, bare, "--chip", "BM1690")[0] == 2
    assert goldbeat("dis", tmp_path / "missing")[0] == 2
    (tmp_path / "bad.s").write_text(".chip BM1690\n.stream a tiu\n 1 arith.cast sAR wait=- res0_n=70000\n")
    code, text = goldbeat("asm", tmp_path / "bad.s", tmp_path / "bad.bin")
    assert code == 2
    assert "bad.s:3" in text


@pytest.mark.parametrize("name", ["CV183X", "CV181X"])
def test_a_check_that_models_no_operand_is_partial(tmp_path: Path, name: str):
    path = tmp_path / "net.cvimodel"
    commands = [("gdma", "tdma", {}), ("tiu", "conv", {}), ("tiu", "matmul", {})]
    path.write_bytes(container(name, [({"type": 1, "name": "c"}, records(name, commands))]))
    code, text = goldbeat("check", path)
    assert code == 3, text
    assert "note hazards not checked: no operand is modelled" in text
    assert f"PARTIAL {name}: 1 streams, 3 commands, 0 findings" in text
    said = json.loads(goldbeat("check", path, "--json")[1])
    assert (said["ok"], said["verdict"], said["hazards"]["modelled"]) == (False, "partial", 0)


def test_files_without_commands_are_no_pass(tmp_path: Path):
    path = tmp_path / "net.cvimodel"
    path.write_bytes(container("CV183X", []))
    for command, files in (("check", [path]), ("diff", [path, path])):
        code, text = goldbeat(command, *files)
        assert (code, "no commands to c" in text) == (3, True), text


def test_commands_without_work_are_no_pass(tmp_path: Path):
    path = tmp_path / "net.bmodel"
    for work in range(2):
        gen = CodeGen(chip("BM1688"))
        for _ in range(work):
            gen.emit("tiu", "SYS", {}, func=30)
        path.write_bytes(gen.bmodel("net"))
        code, text = goldbeat("check", path)
        assert (code, "note nothing to check: no command has an operand" in text) == (3, True), text


def test_chips_and_rules():
    code, text = goldbeat("chips")
    assert code == 0
    assert "SGTPUV8" in text
    assert "BSD-2-Clause" in text
    code, text = goldbeat("rules")
    assert code == 0
    assert "never-met" in text


def follow_the_page(folder: Path, *, simulate: bool) -> list[str]:
    """Run the blocks of the page in order, and compare what they print; the commands that ran."""
    text = (REPOSITORY / "docs" / "tpu.md").read_text(encoding="utf-8")
    done: list[str] = []
    for language, block in re.findall(r"^```(python|json|console)\n(.*?)^```", text, flags=re.S | re.M):
        if language == "python":
            exec(compile(block, "docs/tpu.md", "exec"), {})
        elif language == "json":
            (folder / "mine.json").write_text(block)
        else:
            for command, printed in commands(block):
                if command.startswith("goldbeat run ") and not simulate:
                    continue
                _, found = run(command)
                lines = printed_in(folder, found)
                assert matches(lines, printed), f"{command}:\n" + "\n".join(lines)
                done.append(command)
    return done


def test_the_page_prints_what_comes_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture):
    monkeypatch.chdir(tmp_path)
    assert len(follow_the_page(tmp_path, simulate=False)) > 5
    said = capsys.readouterr().out
    assert "core0.sub0.g0.dma DMA_tensor [0, 1] [0, 2]" in said


@pytest.mark.slow
@pytest.mark.sim
def test_the_model_of_the_page_runs_on_rtl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    share_simulators(tmp_path)
    assert "goldbeat run tpu --bmodel twice.bmodel --latency 40 --timeline" in follow_the_page(tmp_path, simulate=True)
    (twice,) = np.load(tmp_path / "y.npz").values()
    assert twice.tolist() == [list(range(0, 128, 2))]


def test_moves_without_sz_are_not_compared_with_the_summary(tmp_path: Path):
    made, path = CodeGen(chip("BM1688")), tmp_path / "compiler_profile_0.txt"
    size = {"src_nsize": 1, "src_csize": 3, "src_hsize": 1, "src_wsize": 10, "nchw_copy": 1, "src_data_format": 1}
    made.emit("gdma", "DMA_tensor", size | {"src_start_addr_h8": 0x90, "dst_start_addr_l32": 0x4000})
    (tmp_path / "core0.sub0.g0.dma.bin").write_bytes(made.lookup("gdma0")[0])
    text = "|GDMA_TENSOR|s:0|b:0|g:1|e:9|t:10|dr:0\nAPI_END total_cycle:10|b:0|g:1\nGDMA SUMMARY : |dr[0] S2L:60\n"
    path.write_text(text)
    code, said = goldbeat("time", tmp_path / "core0.sub0.g0.dma.bin", "--chip", "BM1688", "--profile", path)
    assert code == 0, said
    assert ":3: 1 moves have no sz; GDMA SUMMARY is not compared with them" in said.replace("\n", "")


def test_bare_streams_without_a_number_take_the_only_section_that_fits(tmp_path: Path):
    made, path = CodeGen(chip("BM1688")), tmp_path / "compiler_profile_0.txt"
    made.emit("gdma", "sDMA_sys", {}, func=1)
    bare = tmp_path / "dma.bin"
    bare.write_bytes(made.lookup("gdma0")[0])
    path.write_text(section([], [(1, 0, 5)]) + section([], [(1, 0, 6)]))
    code, said = goldbeat("time", bare, "--chip", "BM1688", "--profile", path)
    assert code == 2
    assert "found sections 0, 1 that fit core0, expected one; choose it with --section" in " ".join(said.split())
    code, said = goldbeat("time", bare, "--chip", "BM1688", "--profile", path, "--section", 1)
    assert (code, bool(re.search(r"cycles +6\n", said))) == (0, True), said


def test_a_message_that_never_arrives_is_named(tmp_path: Path):
    (tmp_path / "core0.sub0.g0.tiu.bin").write_bytes(make().lookup("tiu0")[0])
    _, text = goldbeat("check", tmp_path / "core0.sub0.g0.tiu.bin", "--chip", "BM1690")
    text = " ".join(text.split())
    assert "tiu command 3 (system.wait_msg) of core0.sub0.g0.tiu waits for message 3 (byte 0x50)" in text
