# SPDX-License-Identifier: Apache-2.0
"""Streams that the vendor's compiler wrote: counts, bytes, and every field that the vendor's disassembler names."""

import hashlib
import json
import re
from pathlib import Path

import numpy as np
import pytest

from goldbeat.pymodels.tpu.streams.decode import Commands, decode_records, decode_stream
from goldbeat.pymodels.tpu.streams.encode import encode_commands
from goldbeat.pymodels.tpu.streams.tables import chip

DATA = "tpu"

FIELDS = 41_196
"""Fields in all vendor_reg.json together: none is left out."""


@pytest.fixture(scope="module")
def manifest(folder: Path) -> list[dict]:
    return json.loads((folder / "cmdbuf" / "MANIFEST.json").read_text())


def load(folder: Path, entry: dict) -> bytes:
    return (folder / "cmdbuf" / entry["model"] / entry["file"]).read_bytes()


def test_counts_and_bytes_are_those_of_the_manifest(folder, manifest):
    streams = 0
    for entry in manifest:
        raw = load(folder, entry)
        assert hashlib.sha256(raw).hexdigest() == entry["sha256"]
        assert len(raw) == entry["bytes"]
        engine = chip(entry["chip"]).engine(entry["engine"])
        found = decode_stream(engine, raw)
        assert not found.problems, entry
        # Streams of SDMA have no count in the manifest.
        assert len(found) == entry.get("count", len(found)), entry
        assert found.id.tolist() == list(range(1, len(found) + 1)), entry
        behind = int(found.offset[-1] + found.length[-1])
        assert not any(raw[behind:])
        assert len(raw) - behind < 128
        streams += 1
    assert streams == len(manifest) > 60


def clean(name: str) -> str:
    return re.sub(r"\s+", "_", name.strip()).replace("（", "(").replace("）", ")")


def check_fields(found: Commands, reference: list[dict], is_1684: bool) -> int:
    compared = 0
    assert len(reference) == len(found)
    for row, said in enumerate(reference):
        kind = found.engine.kinds[int(found.kind[row])]
        values = {name: int(column[0]) for name, column in found.fields(kind, np.array([row])).items()}
        for name, value in said["cmd"].items():
            ours = clean(name)
            # Where a form has several fields called "reserved" the vendor shows the last one.
            same = [n for n in values if re.fullmatch(re.escape(ours) + r"(_\d+)?", n)]
            last = max(same, key=lambda n: kind.by_name[n].bit) if name.lower() == "reserved" else ours
            assert values[last] == value, (kind.name, name)
            compared += 1
        assert said["extra"]["cmd_id"] == found.id[row]
        assert said["name"] == ({"dma_tensor": "dma"}.get(kind.name, kind.name) if is_1684 else found.op(row)), (
            row,
            kind.name,
        )
    return compared


def test_every_field_is_what_the_vendor_says(folder, manifest):
    compared = 0
    for entry in manifest:
        path = folder / "cmdbuf" / entry["model"] / "vendor_reg.json"
        if entry["engine"] == "sdma" or not path.is_file():
            continue
        core, sub, group = (int(part[-1]) for part in entry["file"].split(".")[:3])
        said = json.loads(path.read_text())[f"core({core}).subnet({sub}).group({group})"][entry["engine"]]
        found = decode_stream(chip(entry["chip"]).engine(entry["engine"]), load(folder, entry))
        compared += check_fields(found, said, entry["chip"] == "BM1684")
    assert compared == FIELDS


def test_encoding_the_fields_gives_the_bytes(folder, manifest):
    for entry in manifest:
        raw = load(folder, entry)
        engine = chip(entry["chip"]).engine(entry["engine"])
        found = decode_stream(engine, raw)
        for kind in found.kinds():
            again = encode_commands(engine, kind, found.fields(kind))
            for row, one in zip(found.rows(kind), again, strict=True):
                assert one.tobytes() == found.raw(int(row)), (entry, kind.name)


def test_the_cv183x_section_has_25_records(folder):
    raw = (folder / "cvx" / "cv183x.cmdbuf.bin").read_bytes()
    found = decode_records(chip("CV183X"), raw)
    assert sum(map(len, found.values())) == 25
    ends = [int((one.offset + one.length).max()) for one in found.values()]
    assert max(ends) == len(raw) == 2280
    for name, one in found.items():
        assert one.id.tolist() == list(range(1, len(one) + 1)), name
