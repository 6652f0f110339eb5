# SPDX-License-Identifier: Apache-2.0
"""Damaged numpy files: one typed error, and nothing allocated that the file cannot hold."""

from io import BytesIO

import pytest
from mutations import bounded

from goldbeat.pymodels.arrays import load_array
from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.plio_file.generate import load_samples

HEADER = b"{'descr': '<i8', 'fortran_order': False, 'shape': (%s,), }"


def npy(shape=b"2", body=bytes(16), header=HEADER):
    text = header % shape if b"%s" in header else header
    text += b" " * (117 - len(text)) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + body


def archive(**members):
    import zipfile

    stream = BytesIO()
    with zipfile.ZipFile(stream, "w") as out:
        for name, data in members.items():
            out.writestr(f"{name}.npy", data)
    return stream.getvalue()


SAID = {
    "more than there is": "a header for",
    "a bracket left open": "a damaged header",
    "objects": "Python objects",
    "another magic": "a file that begins with 4e 55 4d 50",
    "nothing": "an empty file",
    "an archive": "an archive of arrays",
}
BAD = {
    "more than there is": npy(b"99999999999"),
    "less than nothing": npy(b"-2"),
    # numpy's reader lets the tokenizer's own error through.
    "a bracket left open": npy(header=b"{'descr': '<i8', 'fortran_order': False, 'shape': (2,"),
    "objects": npy(header=b"{'descr': '|O', 'fortran_order': False, 'shape': (2,), }"),
    "another magic": b"NUMPY",
    "nothing": b"",
    "an archive": archive(a=npy()),
}


@pytest.mark.parametrize("name", BAD)
def test_damaged_arrays_are_refused(name, tmp_path):
    path = tmp_path / "a.npy"
    path.write_bytes(BAD[name])
    with bounded(memory=64 << 20):
        with pytest.raises(InputError, match=rf"a\.npy.*{SAID.get(name, '')}"):
            load_array(path)
        with pytest.raises(InputError, match=r"a\.npy"):
            load_samples(str(path), "int32")
    path.write_bytes(npy())
    assert load_array(path).tolist() == [0, 0]
