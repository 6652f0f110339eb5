# SPDX-License-Identifier: Apache-2.0
"""docs/new-bus.md, followed: a seventh bus is a class in a user's folder, from its description to its verdict."""

from __future__ import annotations

import pickle
import re

import pytest

from goldbeat.pymodels.errors import GoldbeatError
from goldbeat.tb.design.description import load_description
from goldbeat.tb.paths import REPOSITORY
from goldbeat.tb.run.runs import Request, run

PAGE = (REPOSITORY / "docs" / "new-bus.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```\w+\n(?://|#) (mail/\S+)\n(.*?)^```", PAGE, flags=re.S | re.M)
WAITS = "m_ack <= m_req && !m_ack;"


@pytest.fixture
def mail(tmp_path):
    (tmp_path / "mail").mkdir()
    for path, text in BLOCKS:
        (tmp_path / path).write_text(text)
    return tmp_path / "mail"


def _run(mail, **options):
    design = load_description(mail / "box.toml")
    (result,) = run(Request(design, design.case("sweep"), **options), mail / "run")
    return result


def test_the_page_has_every_part():
    assert [path for path, _ in BLOCKS] == ["mail/box.sv", "mail/mailbus.py", "mail/mailmaster.py", "mail/box.toml"]


def test_the_class_goes_where_the_simulator_is(mail):
    (port,) = load_description(mail / "box.toml").register_ports({})
    (again,) = (pickle.loads(pickle.dumps(one)) for one in (port,))
    assert again == port
    assert type(again) is type(port)
    assert [(w.name, w.width, w.way) for w in port.wires()][-2:] == [("ack", 1, "output"), ("rdata", 32, "output")]


@pytest.mark.parametrize(
    ("bus", "message"),
    [
        ("absent.py:MailPort", "absent.py: no such file"),
        ("mailbus.py:PostPort", "mailbus.py: missing class 'PostPort'"),
        ("mailbus.py:BUS", "mailbus.py: missing class 'BUS'"),
        (
            "mailbus.py:BusSignal",
            "found 'mailbus.py:BusSignal', expected file.py:Class or one of apb, avalon, axil",
        ),
    ],
)
def test_a_class_that_is_none_is_refused(mail, bus, message):
    text = (mail / "box.toml").read_text()
    (mail / "box.toml").write_text(text.replace("mailbus.py:MailPort", bus))
    with pytest.raises(GoldbeatError, match=message):
        load_description(mail / "box.toml")


@pytest.mark.sim
def test_a_slave_that_is_right_passes(mail):
    result = _run(mail, waive=("mail_ack_without_request:m",))
    assert result.passed, result.failures
    assert result.compared > 300
    assert result.waived == {"mail_ack_without_request:m": 0}


@pytest.mark.sim
@pytest.mark.parametrize(
    ("change", "failure", "waits"),
    [
        ("m_ack <= m_req && !m_ack && m_addr != 6'd8;", "mail_no_answer: m: access ", "req without ack"),
        ("m_ack <= m_req ? !m_ack : 1'b1;", "mail_ack_without_request: m, cycle ", None),
    ],
)
def test_a_slave_that_is_wrong_fails_by_its_own_names(mail, change, failure, waits):
    rtl = mail / "box.sv"
    assert WAITS in rtl.read_text()
    rtl.write_text(rtl.read_text().replace(WAITS, change))
    result = _run(mail)
    texts = [f.partition(": ")[2] for f in result.failures]
    assert any(t.startswith(failure) for t in texts), result.failures
    hanging = [text for e in result.episodes for text in e.record.hanging]
    assert (not hanging and waits is None) or all(text.endswith(f": {waits}") for text in hanging)
