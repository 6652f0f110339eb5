# SPDX-License-Identifier: Apache-2.0
"""The files of examples/ci, followed word by word on a real suite; and comments on an API server that is not there."""

import json
import os
import re
import shutil
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import ci_files
import pytest
import yaml
from typer.testing import CliRunner

from goldbeat.pymodels.errors import UsageError
from goldbeat.tb.build.simulator import ASKED
from goldbeat.tb.cli import app
from goldbeat.tb.paths import REPOSITORY
from goldbeat.tb.regress import comment
from goldbeat.tb.regress.item import Item, ItemResult, Status
from goldbeat.tb.regress.run import Settings, begin
from goldbeat.tb.regress.store import Store

CI = REPOSITORY / "examples" / "ci"
GOLDBEAT = Path(sys.executable).with_name("goldbeat")
NAME = "d" * 2500
SUITE = '[[run]]\ndesigns = ["saturate.toml"]\ncases = ["random"]\n'
PIP = f"""#!{sys.executable}
import re, sys, tomllib
from pathlib import Path
command, wheel = sys.argv[1:]
name, extras = re.fullmatch(r"(\\S+[.]whl)\\[([a-z,]+)\\]", wheel).groups()
known = tomllib.loads(Path({str(REPOSITORY / "pyproject.toml")!r}).read_text())["project"]["optional-dependencies"]
assert command == "install" and Path(name).is_file() and set(extras.split(",")) <= set(known)
script = Path(__file__).with_name("goldbeat")
script.write_text(f"#!/bin/sh\\nexec {{Path(__file__).with_name('program').read_text()}} \\"$@\\"\\n")
script.chmod(0o755)
"""
STUB = """#!/bin/bash
echo "goldbeat $*, token $GITHUB_TOKEN"
case $1 in
  regress)
    mkdir -p "${GOLDBEAT_BUILD:-build}/regress" "${GOLDBEAT_CACHE:-$HOME/.cache/goldbeat}"
    echo "$4" > "${GOLDBEAT_BUILD:-build}/regress/results.sqlite"
    [ "$4" != "$BAD" ] ;;
  merge) [ "$(find shards -name results.sqlite -exec cat {} + | sort | tr '\\n' ' ')" = "1/3 2/3 3/3 " ] && [ -z "$BAD" ] ;;
esac
"""
"""In the place of Goldbeat: what it was called with; it fails for shard BAD, and merges three shards alone."""


class FakeApi(ThreadingHTTPServer):
    """Comments of one request, by GitHub's API and GitLab's."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), _Handler)
        # Somebody has written our marker; and there is more than a page.
        stranger = {"user": {"type": "User"}, "author_association": "NONE", "author": {"id": 1}}
        self.comments = [{"id": n, "body": "looks good", **stranger} for n in range(120)]
        self.comments[3]["body"] = "<!-- goldbeat: regression -->\nmine"
        self.calls = []

    @property
    def ours(self):
        return [one["body"] for one in self.comments if one["id"] >= 1000]

    @property
    def address(self):
        return f"http://127.0.0.1:{self.server_port}/api"


class _Handler(BaseHTTPRequestHandler):
    def _answer(self, code, content=None):
        body = json.dumps(content).encode()
        self.send_response(code)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _handle(self):
        server = self.server
        token = self.headers.get("Authorization") or self.headers.get("PRIVATE-TOKEN") or ""
        data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        path, _, query = self.path.removeprefix("/api").partition("?")
        server.calls.append((self.command, path))
        if not token.endswith("writes") and (self.command != "GET" or not token):
            return self._answer(403)
        if path == "/user":
            return self._answer(200, {"id": 7})
        thread = re.fullmatch(r"/repos/o/r/issues/12/comments|/projects/5/merge_requests/12/notes", path)
        one = re.fullmatch(r"(?:/repos/o/r/issues/comments|/projects/5/merge_requests/12/notes)/(\d+)", path)
        if thread and self.command == "GET":
            page = int(re.search(r"(?<!_)page=(\d+)", query)[1])
            return self._answer(200, server.comments[100 * (page - 1) : 100 * page])
        if thread and self.command == "POST":
            more = {"id": 1000 + len(server.ours), "user": {"type": "Bot"}, "author": {"id": 7}}
            server.comments.append({**json.loads(data), **more})
            return self._answer(201, server.comments[-1])
        if one and self.command == ("PATCH" if "repos" in path else "PUT"):
            (found,) = (c for c in server.comments if c["id"] == int(one[1]))
            found["body"] = json.loads(data)["body"]
            return self._answer(200, found)
        return self._answer(404)

    do_GET = do_POST = do_PATCH = do_PUT = _handle  # noqa: N815

    def log_message(self, *_):
        pass


@pytest.fixture
def api(monkeypatch):
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    server = FakeApi()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


# -- the files --------------------------------------------------------------------------------------------------------


class Project:
    """A repository with a bench and our files, and a CI server that runs them."""

    def __init__(self, root, api, program=GOLDBEAT):
        self.origin, self.api = root / "origin", api
        shutil.copytree(
            REPOSITORY / "examples" / "filter", self.origin / "bench", ignore=shutil.ignore_patterns("build")
        )
        (self.origin / "bench" / "suite.toml").write_text(SUITE)
        (self.origin / "tools").mkdir()
        (self.origin / "tools" / "goldbeat-0.1.0-py3-none-any.whl").write_bytes(b"PK")
        (root / "tools").mkdir()
        (root / "tools" / "pip").write_text(PIP)
        (root / "tools" / "pip").chmod(0o755)
        (root / "tools" / "program").write_text(str(program))
        for name in ("regress", "merge"):
            shutil.copytree(CI / name, self.origin / ".github" / "actions" / "goldbeat" / name)
        self._git("init", "-q", "-b", "main")
        env = {"no_proxy": "127.0.0.1", **({ASKED: os.environ[ASKED]} if ASKED in os.environ else {})}
        self.server = ci_files.Server(self.origin, root, root / "tools", env)
        self.sha = ""

    def _git(self, *words):
        who = ["-c", "user.name=a", "-c", "user.email=a@b"]
        return subprocess.run(["git", *who, *words], cwd=self.origin, check=True, text=True, capture_output=True).stdout

    def push(self, service, *, wrong=False, lost=(), token="writes"):
        """Run all jobs for a new commit, whose RTL may be wrong; the jobs, and the log of the merge."""
        path = self.origin / "bench" / "saturate.v"
        text = path.read_text().replace("? low + 1 : sample", "? low : sample")
        path.write_text(text.replace("? low : sample", "? low + 1 : sample") if wrong else text)
        self._git("add", "-A")
        self._git("commit", "-qm", "a change", "--allow-empty")
        self.sha = self._git("rev-parse", "HEAD").strip()
        self.server.lost = frozenset(lost)
        return (self._github if service == "github" else self._gitlab)(token)

    def _github(self, token):
        said = {"event_name": "pull_request", "sha": self.sha, "ref": "refs/pull/12/merge", "token": token}
        self.server.env |= {"GITHUB_API_URL": self.api.address, "GITHUB_REPOSITORY": "o/r", "GITHUB_SHA": "0" * 40}
        self.server.env |= {"GITHUB_SERVER_URL": "https://github.com", "GITHUB_RUN_ID": "99"}
        event = {"pull_request": {"number": 12, "head": {"sha": self.sha}}}
        return ci_files.run_github(self.server, CI / "github.yml", event, said)

    def _gitlab(self, token):
        said = {"CI_PIPELINE_SOURCE": "merge_request_event", "CI_API_V4_URL": self.api.address, "CI_PROJECT_ID": "6"}
        said |= {"CI_MERGE_REQUEST_IID": "12", "CI_MERGE_REQUEST_PROJECT_ID": "5", "CI_COMMIT_SHA": self.sha}
        said |= {"CI_PIPELINE_URL": "https://gitlab.com/p/99", "GOLDBEAT_TOKEN": token}
        return ci_files.run_gitlab(self.server, CI / "gitlab.yml", said)


def titles(service):
    return (
        ["regress 1", "regress 2", "regress 3"]
        if service == "github"
        else ["regress 1/3", "regress 2/3", "regress 3/3"]
    )


@pytest.mark.parametrize("service", ["github", "gitlab"])
def test_the_files_hand_every_shard_to_the_merge(service, api, tmp_path):
    (tmp_path / "stub").write_text(STUB)
    (tmp_path / "stub").chmod(0o755)
    project = Project(tmp_path, api, tmp_path / "stub")
    jobs, log = project.push(service), project.server.log
    assert [jobs["regress"]["green"], jobs["merge"]["green"]] == [True, True], log
    for number, title in enumerate(titles(service), 1):
        assert f"goldbeat regress bench/suite.toml --shard {number}/3 --seeds 20 --coverage, token \n" in log[title]
    assert f"goldbeat merge shards --ci {service}, token \n" in log["merge"]
    said = " --name regression, token writes" if service == "github" else ", token "
    assert f"goldbeat comment --ci {service}{said}\n" in log["merge"]
    # The cache and the results of a job that fails are kept, and the merge runs: it is red, and comments.
    project.server.env |= {"BAD": "2/3"}
    jobs = project.push(service)
    assert [jobs["regress"]["green"], jobs["merge"]["green"]] == [False, False]
    assert all("cache: goldbeat-" in log[title] for title in titles(service))
    assert f"goldbeat comment --ci {service}" in log["merge"]
    project.server.env |= {"BAD": ""}
    jobs = project.push(service, lost={titles(service)[1]})
    assert [jobs["regress"]["green"], jobs["merge"]["green"]] == [False, False]
    assert f"goldbeat comment --ci {service}" in log["merge"]


@pytest.mark.slow
@pytest.mark.sim
@pytest.mark.parametrize("service", ["github", "gitlab"])
def test_pushes_through_the_files_of_a_ci_server(service, api, tmp_path):
    project = Project(tmp_path, api)
    log = project.server.log
    jobs = project.push(service)
    assert {name: one["green"] for name, one in jobs.items()} == {"regress": True, "merge": True}, log
    (body,) = api.ours
    assert body.startswith("<!-- goldbeat: regression -->\n## `bench/suite.toml` PASS: 20 of 20 cases pass\n")
    assert "| `saturate` | `random` | 20 | 20 |" in body
    assert f"/99), commit `{project.sha[:12]}`" in body
    assert "line 100.0%" in body

    # Some cases fail: a shard and the merge are red, and the same comment names them.
    jobs = project.push(service, wrong=True)
    assert not jobs["merge"]["green"]
    (body,) = api.ours
    failed = re.findall(r"^\| `(saturate/random#\d+)` \| `port m_axis, beat", body, re.M)
    assert failed
    assert f"FAIL: {20 - len(failed)} of 20 cases pass" in body
    if service == "github":
        assert jobs["merge"]["outputs"] == {"status": "fail", "failed": str(len(failed))}
        assert f",title={failed[0]}::port m_axis" in log["merge"]
        assert failed[0].replace("_", "\\_") in (jobs["merge"]["folder"] / "summary").read_text()
    else:
        report = json.loads(
            next((jobs["merge"]["folder"] / "work").glob("build/regress/run-*/codequality.json")).read_text()
        )
        assert [one["description"].partition(":")[0] for one in report] == failed
        pattern = yaml.safe_load((CI / "gitlab.yml").read_text())["merge"]["coverage"].strip("/")
        assert re.search(pattern, log["merge"])
    # The cache was saved after it too: the last push builds nothing.
    jobs = project.push(service, wrong=True, lost={titles(service)[1]}, token="reads")
    assert jobs["regress"]["green"] is jobs["merge"]["green"] is False
    assert "cache: goldbeat-" in log[titles(service)[2]]
    assert "403" in log["merge"]
    assert api.ours == [body]
    jobs = project.push(service, lost={titles(service)[1]})
    assert not jobs["merge"]["green"]
    (body,) = api.ours
    assert "INCOMPLETE" in body
    assert re.search(r"^\* `missing: shard 2 of 3, \d+ of 20 cases`$", body, re.M), body
    assert api.comments[3]["body"].endswith("mine")


def test_actions_take_no_text_into_their_scripts():
    for name in ("regress", "merge"):
        action = yaml.safe_load((CI / name / "action.yml").read_text())
        scripts = [step["run"] for step in action["runs"]["steps"] if "run" in step]
        assert scripts
        assert not any("${{" in script for script in scripts)
    said = yaml.safe_load((CI / "github.yml").read_text())
    assert said["permissions"] == {"contents": "read"}
    assert set(said[True]) == {"push", "pull_request"}
    assert "permissions" not in said["jobs"]["regress"]


# -- comments ---------------------------------------------------------------------------------------------------------

GITHUB = {"GITHUB_REPOSITORY": "o/r", "GITHUB_TOKEN": "writes"}
GITLAB = {"CI_MERGE_REQUEST_IID": "12", "CI_MERGE_REQUEST_PROJECT_ID": "5", "GOLDBEAT_TOKEN": "writes"}


@pytest.fixture
def job(api, tmp_path, monkeypatch):
    """A job of each server, with a run that failed with a message that is markup."""
    monkeypatch.setenv("GOLDBEAT_BUILD", str(tmp_path))
    (tmp_path / "event.json").write_text('{"pull_request": {"number": 12, "head": {"sha": "abc"}}}')
    monkeypatch.setenv("GITHUB_EVENT_PATH", str(tmp_path / "event.json"))
    monkeypatch.setenv("GITHUB_API_URL", api.address)
    monkeypatch.setenv("CI_API_V4_URL", api.address)
    for name, value in {**GITHUB, **GITLAB}.items():
        monkeypatch.setenv(name, value)
    return tmp_path


def record(text):
    item = Item(index=0, key="a/b#3", design="axis_skid", case="random", seed=0)
    with Store() as store:
        run = begin(store, "nightly|x", [item], Settings(), seed=0)
        store.record(run.id, [ItemResult(0, item.key, Status.FAIL, failures=(text,))], {})
        return run.id


def said(*words):
    done = CliRunner().invoke(app, ["comment", *words])
    return done.exit_code, done.output


@pytest.mark.parametrize("service", ["github", "gitlab"])
def test_a_comment_has_names_and_messages_as_code(service, job, api):
    assert said("--ci", service) == (0, "comment added\n")
    assert "NO RESULTS" in api.ours[0]
    record("@all see #3 `a|b`\n/close [x](http://y) <img src=x>")
    assert said("--ci", service) == (0, "comment updated\n")
    (body,) = api.ours
    assert r"| `a/b#3` | `@all see #3 'a\|b'" in body
    plain = re.sub(r"`[^`\n]*`", "", body)
    assert not re.search(r"[@#]\w|img|\]\(http://y|^/", plain, re.M)
    assert said("--ci", service, "--name", "other") == (0, "comment added\n")
    assert len(api.ours) == 2
    assert all(call[0] in ("GET", "POST", "PATCH", "PUT") for call in api.calls)


@pytest.mark.parametrize(
    ("service", "name", "value", "why"),
    [
        ("github", "GITHUB_TOKEN", "reads", "the server answers 403 to POST"),
        ("github", "GITHUB_TOKEN", "", "GITHUB_TOKEN is not set"),
        ("github", "GITHUB_EVENT_PATH", "", "this job is of no pull request"),
        ("github", "GITHUB_REPOSITORY", "o/r/../x", "GITHUB_REPOSITORY is 'o/r/../x'"),
        ("github", "GITHUB_API_URL", "file:///etc", "GITHUB_API_URL is 'file:///etc'"),
        ("github", "GITHUB_API_URL", "http://127.0.0.1:9/api", "GET http://127.0.0.1:9/api"),
        ("gitlab", "GOLDBEAT_TOKEN", "reads", "the server answers 403 to POST"),
        ("gitlab", "GOLDBEAT_TOKEN", "", "GOLDBEAT_TOKEN is not set"),
        ("gitlab", "CI_MERGE_REQUEST_IID", "", "this job is of no merge request"),
    ],
)
def test_where_no_comment_can_be_written_the_verdict_stays(service, name, value, why, job, api, monkeypatch):
    record("wrong")
    monkeypatch.setenv(name, value)
    code, text = said("--ci", service)
    assert (code, text.partition(": ")[0]) == (0, "no comment")
    assert why in text
    assert not api.ours


def test_a_name_that_would_end_the_marker_is_refused(job):
    for name in ("a --> b", "a--b", "", "a\nb", "é"):
        assert said("--ci", "github", "--name", name)[0] == 2
    with pytest.raises(UsageError):
        comment.put_comment(comment.find_place("github"), "a<b", "text")


def test_a_long_comment_is_cut_at_a_line(job, api):
    items = [
        Item(index=n, key=f"{NAME}/random#{n}", design="axis_skid", case=f"{n}" + "c" * 900, seed=n) for n in range(60)
    ]
    with Store() as store:
        run = begin(store, "nightly", items, Settings(), seed=0)
        store.record(run.id, [ItemResult(i.index, i.key, Status.FAIL, failures=("é" * 900,)) for i in items], {})
    assert said("--ci", "github")[0] == 0
    assert len(api.ours[0]) < 65_536
    assert "... and 40 more" in api.ours[0]
