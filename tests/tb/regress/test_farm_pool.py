# SPDX-License-Identifier: Apache-2.0
"""Which workers of a cluster take part, and how long it is waited for them; with workers that are threads of this process."""

import os
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace

import pytest

pytest.importorskip("distributed", reason="dask.distributed is not installed (extra farm)")

import dry
from distributed import Client, LocalCluster, get_worker

from goldbeat.tb.regress import blobs, farm_pool
from goldbeat.tb.regress.budget import RankedChunk
from goldbeat.tb.regress.engine import ClusterLostError, Hooks
from goldbeat.tb.regress.farm_pool import FarmExecutor
from goldbeat.tb.regress.farm_versions import Versions, differences, versions
from goldbeat.tb.regress.fingerprint import content_hash
from goldbeat.tb.regress.item import Batch
from goldbeat.tb.regress.ranked_engine import RankedEngine

HERE = versions()


def ask():
    """The worker called 1 has another numpy, the one called 2 no answer."""
    name = str(get_worker().name)
    if name == "2":
        raise ModuleNotFoundError("No module named 'goldbeat.tb.regress.farm_versions'")
    return HERE if name != "1" else replace(HERE, named={**HERE.named, "numpy": "1.2.3"})


def who():
    return str(get_worker().name)


def slow():
    time.sleep(0.5)
    return who()


@contextmanager
def farm(workers, **more):
    with (
        LocalCluster(
            n_workers=workers, threads_per_worker=1, processes=False, dashboard_address=None, protocol="inproc"
        ) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        executor = FarmExecutor(client, HERE, ask=ask, **more)
        try:
            yield executor, cluster
        finally:
            executor.shutdown()


def notes(executor, wanted, most_s=30):
    end = time.monotonic() + most_s
    said = []
    while time.monotonic() < end:
        said += executor.check()
        if all(any(w in s for s in said) for w in wanted):
            return said
        time.sleep(0.05)
    raise AssertionError(said)


def test_workers_of_other_versions_are_left_out_by_name():
    with farm(3) as (executor, _):
        done = [executor.submit(who) for _ in range(20)]
        assert {f.result(30) for f in done} == {"0"}
        said = notes(executor, ["1 is left out", "2 is left out"])
        assert f"1 is left out: it runs numpy 1.2.3 instead of {HERE.named['numpy']}" in said
        assert any("ModuleNotFoundError" in s for s in said)
        assert executor.check() == [], "told once"


def test_a_worker_that_comes_later_is_asked_too_and_takes_part(monkeypatch):
    monkeypatch.setattr(farm_pool, "_LOOK_S", 0.1)
    with farm(1) as (executor, cluster):
        assert executor.submit(who).result(30) == "0"
        cluster.scale(4)
        notes(executor, ["1 is left out"])
        end = time.monotonic() + 30
        while time.monotonic() < end and len(executor._good) < 2:
            time.sleep(0.05)
        assert {f.result(30) for f in [executor.submit(slow) for _ in range(8)]} == {"0", "3"}


def test_a_farm_without_workers_has_a_limit(monkeypatch):
    monkeypatch.setattr(farm_pool, "_LOOK_S", 0.1)
    monkeypatch.setattr(farm_pool, "_TELL_S", 0.3)
    with farm(0, wait_s=2.0) as (executor, _):
        future = executor.submit(who)
        notes(executor, ["waiting for a worker: the farm has none; the run ends after 2 s of that"])
        time.sleep(2)
        with pytest.raises(ClusterLostError, match=r"the farm has none, for \d s; --resume"):
            executor.check()
        assert not future.done()


def test_workers_that_are_still_to_come_are_waited_for(monkeypatch):
    monkeypatch.setattr(farm_pool, "_LOOK_S", 0.1)
    with farm(0, wait_s=0.3) as (executor, _):
        executor.submit(who)
        executor.outside = lambda: (["2 jobs wait"], True)
        time.sleep(0.5)
        assert executor.check() == ["2 jobs wait"]
        executor.outside = lambda: ([], False)
        time.sleep(0.5)
        with pytest.raises(ClusterLostError):
            executor.check()


def test_a_task_moves_when_its_workers_have_all_gone(monkeypatch):
    monkeypatch.setattr(farm_pool, "_LOOK_S", 0.1)
    with farm(1) as (executor, cluster):
        assert executor.submit(who).result(30) == "0"
        tasks = [executor.submit(slow) for _ in range(4)]
        cluster.scale(0)
        end = time.monotonic() + 30
        while time.monotonic() < end and executor._names:
            time.sleep(0.05)
        cluster.scale(1)
        assert len([f.result(30) for f in tasks]) == 4


def test_differences_are_said_with_both_sides():
    other = Versions({**HERE.named, "Python": "3.1"}, HERE.flags)
    assert differences(HERE, other, native=False) == [f"Python 3.1 instead of {HERE.named['Python']}"]
    plain = Versions(HERE.named, frozenset())
    ours = Versions(HERE.named, frozenset(["avx2", "fma"]))
    assert differences(ours, plain, native=False) == []
    assert differences(ours, plain, native=True) == ["a processor without avx2, fma"]
    assert differences(plain, ours, native=True) == []


# -- contents -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("damage", [b"", b"a simulatoR", b"a simulator and more"])
def test_a_damaged_blob_is_missing_and_replaced(tmp_path, monkeypatch, damage):
    monkeypatch.setenv("GOLDBEAT_BUILD", str(tmp_path))
    name = content_hash(b"a simulator")
    roles = {"simulator": name}
    assert blobs.missing_blobs(roles) == (name,)
    blobs.keep_blob(name, blobs.pack(b"a simulator"))
    assert blobs.missing_blobs(roles) == ()
    blobs.blob_path(name).write_bytes(damage)
    assert blobs.missing_blobs(roles) == (name,)
    blobs.keep_blob(name, blobs.pack(b"a simulator"))
    assert blobs.missing_blobs(roles) == ()
    assert os.access(blobs.blob_path(name), os.X_OK)


def test_a_damaged_file_of_an_archive_is_written_again(tmp_path, monkeypatch):
    monkeypatch.setenv("GOLDBEAT_BUILD", str(tmp_path / "build"))
    (tmp_path / "bench.py").write_text("ONE = 1\n")
    (tmp_path / "helper.py").write_text("TWO = 2\n")
    data = blobs.archive(tmp_path / "bench.py")
    name = content_hash(data)
    blobs.keep_blob(name, blobs.pack(data))
    path = blobs.unpack_archive(name, "bench.py")
    path.write_text("")
    (path.parent / "helper.py").unlink()
    assert blobs.unpack_archive(name, "bench.py").read_text() == "ONE = 1\n"
    assert (path.parent / "helper.py").read_text() == "TWO = 2\n"


def test_a_run_with_a_budget_gives_a_farm_no_more_than_its_workers_take():
    enough, done = 20, []

    def record(results, coverage):
        done.extend(result.index for result in results)
        return results

    hooks = Hooks(lambda chunk, simulator: Batch(tuple(chunk), simulator), record)
    chunks = [RankedChunk(("dry", None, ""), [one]) for one in dry.items(1000)]
    with farm(1) as (executor, _), ThreadPoolExecutor(1) as pool:
        engine = RankedEngine(
            *(executor, pool, hooks),
            runner=dry.run_slowly,
            build=dry.build,
            over=lambda: len(done) >= enough,
            jobs=1,
        )
        engine.run_ranked(chunks)
        assert (executor.room(""), executor.room("large")) == (2, 1)
        assert not executor._waiting
    assert done == list(range(len(done)))
    # What runs comes to its end: the rest of the last batches, one that runs and one that is next.
    assert enough <= len(done) <= enough + 3
