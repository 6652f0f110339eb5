# SPDX-License-Identifier: Apache-2.0
"""The cache of simulators: where it is, its size limit, and ``goldbeat cache``."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from goldbeat.pymodels.errors import UsageError
from goldbeat.tb.build import in_use
from goldbeat.tb.build.cache import cache_entries, size_limit, trim
from goldbeat.tb.build.compile import EXECUTABLE, Recipe, compile_model
from goldbeat.tb.cli import app
from goldbeat.tb.paths import REPOSITORY, build_root, cache_root


def goldbeat(*words):
    return CliRunner().invoke(app, [*map(str, words)], catch_exceptions=False)


@pytest.fixture
def cache(monkeypatch, tmp_path):
    """Three simulators of 1000 bytes and an object of 100, the later the newer; a log and a link that do not count."""
    monkeypatch.setenv("GOLDBEAT_CACHE", str(tmp_path))
    for n in range(3):
        folder = tmp_path / "sim" / f"fifo-{n}"
        folder.mkdir(parents=True)
        (folder / "sim").write_bytes(bytes(1000))
        (tmp_path / "sim" / f"fifo-{n}.lock").touch()
        os.utime(folder, (1e9 + n, 1e9 + n))
    objects = tmp_path / "runtime" / "objects"
    objects.mkdir(parents=True)
    (objects / "a.o").write_bytes(bytes(100))
    (objects / "a.o.sha256").touch()
    os.utime(objects / "a.o", (1e9 + 1.5, 1e9 + 1.5))
    (tmp_path / "sim" / "in-use.lock").touch()
    (tmp_path / "sim" / "mine").symlink_to(REPOSITORY)
    return tmp_path


def names(root):
    return [e.path.name for e in sorted(cache_entries(root), key=lambda e: e.used)]


def test_what_goes_while_it_is_listed_does_not_count(cache, monkeypatch):
    walk = os.walk

    def ending(path):
        """As builds of another process end: one folder goes before its time is read, of another one a file."""
        found = list(walk(path))
        if path.name == "fifo-0":
            shutil.rmtree(path)
        elif path.name == "fifo-1":
            (path / "sim").unlink()
        return found

    monkeypatch.setattr(os, "walk", ending)
    assert {e.path.name: e.size for e in cache_entries(cache)} == {"fifo-1": 0, "fifo-2": 1000, "a.o": 100}


def test_what_was_used_longest_ago_goes_first_until_the_limit_is_kept(cache, capsys):
    assert names(cache) == ["fifo-0", "fifo-1", "a.o", "fifo-2"]
    assert trim(cache, 3100) == 0
    assert capsys.readouterr().err == ""
    assert trim(cache, 3099) == 1000
    assert names(cache) == ["fifo-1", "a.o", "fifo-2"]
    assert not (cache / "sim" / "fifo-0.lock").exists()
    assert "GOLDBEAT_CACHE_SIZE" in capsys.readouterr().err
    assert trim(cache, 1050) == 1100
    assert names(cache) == ["fifo-2"]
    assert not list((cache / "runtime" / "objects").iterdir())
    assert (cache / "sim" / "mine").is_symlink()


def test_nothing_goes_while_another_process_uses_the_cache(cache):
    code = (
        "import sys; from pathlib import Path; from goldbeat.tb.build.in_use import hold\n"
        "hold(Path(sys.argv[1]) / 'sim'); print('ready', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", code, str(cache)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout.readline() == "ready\n"
        assert trim(cache, 0) == 0
        said = json.loads(goldbeat("cache", "clear", "--json").stdout)
        assert (said["removed"], len(said["in_use"])) == ([], 4)
        other.stdin.close()
    assert len(names(cache)) == 4
    assert trim(cache, 0) == 3100


@pytest.mark.parametrize(("text", "size"), [(None, 10 << 30), ("500M", 500 << 20), ("1.5k", 1536), ("0", 0)])
def test_the_limit_is_a_variable(monkeypatch, text, size):
    monkeypatch.delenv("GOLDBEAT_CACHE_SIZE", raising=False)
    if text is not None:
        monkeypatch.setenv("GOLDBEAT_CACHE_SIZE", text)
    assert size_limit() == size
    monkeypatch.setenv("GOLDBEAT_CACHE_SIZE", "much")
    with pytest.raises(UsageError, match="GOLDBEAT_CACHE_SIZE much: expected"):
        size_limit()


def test_list_size_and_clear(cache):
    assert goldbeat("cache", "list").output.split()[0] == str(cache)
    rows = json.loads(goldbeat("cache", "list", "--json").stdout)["entries"]
    assert [row["bytes"] for row in rows] == [1000, 1000, 1000, 100]
    size = json.loads(goldbeat("cache", "size", "--json").stdout)
    assert size == {"folder": str(cache), "bytes": 3100, "limit_bytes": size_limit(), "entries": 4}
    assert "limit" in goldbeat("cache", "size").output
    assert goldbeat("cache", "clear", "--keep", 1, "--dry-run").exit_code == 0
    assert len(names(cache)) == 4
    goldbeat("cache", "clear", "--max-size", "1100")
    assert names(cache) == ["a.o", "fifo-2"]
    assert goldbeat("cache", "clear", "--max-size", "much").exit_code == 2
    goldbeat("cache", "clear")
    assert names(cache) == []
    for command in ("list", "size", "clear"):
        assert "Examples:" in goldbeat("cache", command, "--help").output


def test_clean_leaves_a_cache_that_projects_share_unless_it_is_named(cache, monkeypatch):
    monkeypatch.setenv("GOLDBEAT_BUILD", str(cache / "results"))
    goldbeat("clean", "--keep", 0)
    assert len(names(cache)) == 4
    goldbeat("clean", "--keep", 0, "--only", "builds")
    assert names(cache) == []


def test_where_the_cache_is(monkeypatch, tmp_path, capsys):
    for name in ("GOLDBEAT_CACHE", "GOLDBEAT_BUILD", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    assert cache_root() == tmp_path / "home" / ".cache" / "goldbeat"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert cache_root() == tmp_path / "home" / ".cache" / "goldbeat"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_root() == tmp_path / "xdg" / "goldbeat"
    assert build_root() == tmp_path / "build"
    monkeypatch.setenv("GOLDBEAT_BUILD", "other")
    assert cache_root() == build_root() == tmp_path / "other"
    monkeypatch.setenv("GOLDBEAT_CACHE", str(tmp_path / "own"))
    assert (cache_root(), build_root()) == (tmp_path / "own", tmp_path / "other")
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("base", ["file", "with space"])
def test_without_a_folder_for_caches_simulators_go_to_the_results_and_stderr_says_so(
    monkeypatch, tmp_path, capsys, base
):
    for name in ("GOLDBEAT_CACHE", "GOLDBEAT_BUILD"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / base))
    monkeypatch.chdir(tmp_path)
    assert cache_root() == cache_root() == tmp_path / "build"
    said = capsys.readouterr().err
    assert said.startswith(f"note: simulators are kept in {tmp_path / 'build'}: ")
    assert said.count("\n") == 1


def test_only_a_build_that_adds_to_the_cache_looks_at_all_that_is_in_it(monkeypatch, tmp_path):
    trimmed = []
    monkeypatch.setenv("GOLDBEAT_CACHE", str(tmp_path))
    monkeypatch.setattr("goldbeat.tb.build.compile.trim", lambda root, limit: trimmed.append(root))
    monkeypatch.setattr(
        "goldbeat.tb.build.compile._compile", lambda tool, recipe, folder: (folder / EXECUTABLE).write_bytes(b"x")
    )
    for times in (1, 1, 1):
        monkeypatch.setattr(in_use, "_held", {})
        compile_model(Recipe("one", "one", []))
        assert len(trimmed) == times
    compile_model(Recipe("two", "two", []))
    assert len(trimmed) == 1, "this process holds the cache"
    monkeypatch.setattr(in_use, "_held", {})
    compile_model(Recipe("three", "three", []))
    assert trimmed == [tmp_path] * 2
