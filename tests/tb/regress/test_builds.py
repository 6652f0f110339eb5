# SPDX-License-Identifier: Apache-2.0
"""What is built, and when: nothing twice, and after a change only what the changed file goes into."""

import shutil
from pathlib import Path

import pytest

from goldbeat.tb.paths import HDL
from goldbeat.tb.regress.plan import make_plan
from goldbeat.tb.regress.run import Observer, Settings, begin, go_on
from goldbeat.tb.regress.store import Store
from goldbeat.tb.regress.suite import Suite

DESCRIPTION = """
from pathlib import Path
from goldbeat.tb.design.catalog import designs
DESIGN = designs()["{name}"].model_copy(update={{"name": "my_{name}", "root": Path(__file__).parent / "hdl"}})
"""


@pytest.mark.slow
@pytest.mark.sim
def test_a_change_rebuilds_what_it_goes_into(own_root, tmp_path):
    shutil.copytree(HDL, tmp_path / "hdl")
    names = ("axis_skid", "axis_fifo")
    for name in names:
        (tmp_path / f"{name}.py").write_text(DESCRIPTION.format(name=name))
    suite = Suite.model_validate({"seeds": 2, "run": [{"designs": [f"{n}.py" for n in names], "cases": ["random"]}]})
    settings = Settings(jobs=1, waves=0)

    def built():
        with Store() as store:
            run = begin(store, "mine", make_plan(suite, tmp_path), settings, seed=0)
            run = go_on(store, run, settings, Observer())
            assert run.status == "pass"
            return run.facts["built"], run.facts["cached"]

    built()
    assert built() == (0, 2)
    # What follows stands in a file that axis_fifo includes and axis_skid does not.
    with (tmp_path / "hdl" / "axis" / "fifo_sync.sv").open("a") as stream:
        stream.write(f"// changed in {Path(tmp_path).name}\n")
    assert built() == (1, 1)
    assert built() == (0, 2)


@pytest.mark.sim
def test_a_failed_build_is_told_by_the_designs_own_line(own_root, tmp_path):
    shutil.copytree(HDL, tmp_path / "hdl")
    (tmp_path / "axis_skid.py").write_text(DESCRIPTION.format(name="axis_skid"))
    broken = tmp_path / "hdl" / "axis" / "axis_skid.sv"
    text = broken.read_text()
    broken.write_text(text.replace("endmodule", "  assign nowhere = nothing;\nendmodule"))
    line = text[: text.index("endmodule")].count("\n") + 1
    suite = Suite.model_validate({"seeds": 2, "run": [{"designs": ["axis_skid.py"], "cases": ["random"]}]})
    with Store() as store:
        run = begin(store, "mine", make_plan(suite, tmp_path), Settings(jobs=1, waves=0), seed=0)
        run = go_on(store, run, Settings(jobs=1, waves=0), Observer())
        results = [row.result for row in store.rows(run.id)]
    assert len(results) == 2
    for result in results:
        (failure,) = result.failures
        assert failure.startswith(f"building my_axis_skid failed: {broken}:{line}:")
        assert "assign nowhere = nothing;" in result.log
        log = Path(result.log.splitlines()[-1].rpartition("log in ")[2])
        assert "%Error" in log.read_text()
