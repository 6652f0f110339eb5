# SPDX-License-Identifier: Apache-2.0
import importlib
import sys
from importlib.machinery import EXTENSION_SUFFIXES

import pytest

from goldbeat.tb.design.files_read import reads_below, recording_reads

MADE = ("packfixc/__init__.py", "packfixc/deep.py", "spacefixc/part.py", "spacefixc/inner/last.py")
LOOKED_FOR = (
    ("packfixc.absent1", "packfixc/absent1.py"),
    ("packfixc.absent2", "packfixc/absent2/__init__.py"),
    ("packfixc.absent3", "packfixc/absent3" + EXTENSION_SUFFIXES[0]),
    ("packfixc.deep", "packfixc/deep/__init__.py"),
    ("spacefixc.part", "spacefixc.py"),
    ("spacefixc.part", "spacefixc/__init__.py"),
    ("spacefixc.part", "spacefixc/part" + EXTENSION_SUFFIXES[-1]),
    ("spacefixc.inner.last", "spacefixc/inner.py"),
    ("spacefixc.inner.last", "spacefixc/inner/last/__init__.py"),
)


@pytest.fixture
def modules(tmp_path, monkeypatch):
    for name in MADE:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    for name in [name for name in sys.modules if "fixc" in name]:
        del sys.modules[name]


@pytest.mark.parametrize(("module", "file"), LOOKED_FOR)
def test_a_file_that_would_be_read_in_place_of_a_module_counts(modules, module, file):
    with recording_reads():
        try:
            importlib.import_module(module)
        except ImportError:
            assert "absent" in module
        else:
            assert "absent" not in module
    files = reads_below([modules], []).files
    assert modules / file in files
    # What Python looks for behind the file that it takes is never read.
    assert modules / "packfixc" / "deep.pyc" not in files
