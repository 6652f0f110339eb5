# SPDX-License-Identifier: Apache-2.0
"""Bisection: the search over small repositories without a simulator, and one planted fault with it."""

import json
import subprocess

import pytest
from typer.testing import CliRunner

from goldbeat.pymodels.errors import ToolError, UsageError
from goldbeat.tb.cli import app
from goldbeat.tb.regress.bisect import CaseTester, CommitRun, bisect
from goldbeat.tb.regress.commits import History, git
from goldbeat.tb.regress.item import Item, Status
from goldbeat.tb.regress.run import Settings, begin
from goldbeat.tb.regress.store import Store
from goldbeat.tb.regress.worktree import checked_out, worktree_place

WIRE = """// SPDX-License-Identifier: Apache-2.0
module slice (
  input  logic        clk, rst,
  input  logic [31:0] s_tdata, input  logic s_tlast, s_tvalid, output logic s_tready,
  output logic [31:0] m_tdata, output logic m_tlast, m_tvalid, input  logic m_tready
);
  assign s_tready = !m_tvalid || m_tready;
  always_ff @(posedge clk) begin
    if (s_tready) {m_tvalid, m_tlast, m_tdata} <= {s_tvalid, s_tlast, s_tdata};
    if (rst) m_tvalid <= 1'b0;
  end
endmodule
"""


@pytest.fixture
def repository(own_root, tmp_path, monkeypatch):
    """An empty repository, which is the current folder."""
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{role}_NAME", "somebody")
        monkeypatch.setenv(f"GIT_{role}_EMAIL", "somebody@example.org")
    root = tmp_path / "project"
    root.mkdir()
    monkeypatch.chdir(root)
    call("init", "--quiet", "--initial-branch", "main")
    return root


def call(*words):
    return subprocess.run(["git", *words], check=True, capture_output=True, text=True).stdout.strip()


def commit(name, text=None):
    """A commit that writes a file ``state``."""
    if text is not None:
        with open("state", "w") as stream:
            stream.write(text)
        call("add", "state")
    call("commit", "--quiet", "--allow-empty", "-m", name)


def judged(state):
    """A tester by what the file ``state`` says at a commit."""
    runs = {
        "bad": CommitRun(Status.FAIL, "differs"),
        "error": CommitRun(Status.ERROR, "no stimulus"),
        "broken": CommitRun(None, "syntax error"),
    }

    def test(one):
        text = git(state, "show", f"{one.id}:state")
        return runs.get(text, CommitRun(Status.PASS))

    return test


def search(root, good="start", bad="main"):
    history = History(root)
    return bisect(history, history.find(good), history.find(bad), judged(root))


@pytest.mark.parametrize("planted", [1, 23, 41, 64])
def test_the_first_bad_commit_of_64_takes_8_runs(repository, planted):
    commit("base", "good")
    call("tag", "start")
    for n in range(1, 65):
        commit(f"number {n}", "bad" if n == planted else None)
    found = search(repository)
    assert found.first.subject == f"number {planted}"
    assert len(found.looks) <= 8
    assert found.files == ["state"]


def test_commits_that_cannot_be_tested_are_skipped_and_named(repository):
    commit("base", "good")
    call("tag", "start")
    for n in range(1, 33):
        commit(f"number {n}", {12: "broken", 18: "good", 22: "error", 23: "bad"}.get(n))
    found = search(repository)
    assert found.first is None
    assert [one.subject for one in found.among] == ["number 22", "number 23"]
    assert {one.commit.subject for one in found.skipped} >= {"number 22"}
    # Errors are what is looked for, where the bad commit has one.
    assert search(repository, bad="main~10").first.subject == "number 22"


def test_a_merge_leads_to_the_commit_of_its_branch(repository):
    commit("base", "good")
    call("tag", "start")
    call("switch", "--quiet", "-c", "topic")
    for n in range(5):
        commit(f"topic {n}", "bad" if n == 2 else None)
    call("switch", "--quiet", "main")
    for n in range(5):
        commit(f"main {n}")
    call("merge", "--quiet", "--no-edit", "topic")
    commit("later")
    assert search(repository).first.subject == "topic 2"
    with pytest.raises(UsageError, match="not an ancestor of the bad one"):
        search(repository, good="topic~3", bad="main~2")


@pytest.mark.parametrize(
    ("good", "bad", "said"),
    [
        ("start~1", "start", "the case passes with the bad commit"),
        ("start~3", "main", "the good commit .* fails: differs"),
        ("start~2", "main", "the good commit .* cannot be tested: syntax error"),
        ("start", "start", "the same commit"),
        ("nosuch", "main", "nosuch: no commit"),
        ("--all", "main", "--all: no commit"),
    ],
)
def test_ends_that_do_not_fit_are_said(repository, good, bad, said):
    for n, state in enumerate(("bad", "broken", "good", "good")):
        commit(f"number {n}", state)
    call("tag", "start")
    commit("last", "bad")
    with pytest.raises(UsageError, match=said):
        search(repository, good, bad)


# -- work trees ---------------------------------------------------------------------------------------------------------


def trees():
    return call("worktree", "list", "--porcelain").count("worktree ")


def interrupted_in(repository, place, one):
    """A look that Ctrl-C ends."""
    with worktree_place(place, repository) as tree:
        with pytest.raises(UsageError, match="another bisection"), worktree_place(place, repository):
            pass
        with checked_out(repository, tree, one):
            assert (tree / "state").read_text() == "good"
            raise KeyboardInterrupt


def test_work_trees_go_whatever_happens(repository, tmp_path):
    commit("base", "good")
    place, tree = tmp_path / "place", tmp_path / "place" / "tree"
    (repository / "state").write_text("my own change")
    with pytest.raises(KeyboardInterrupt):
        interrupted_in(repository, place, History(repository).find("main"))
    assert (trees(), tree.exists()) == (1, False)
    # Of a process that was killed, and of a git that was: the next one begins in an empty folder.
    call("worktree", "add", "--quiet", "--detach", str(tree))
    (tree / ".git").unlink()
    with worktree_place(place, repository):
        assert not tree.exists()
    assert trees() == 1
    assert (repository / "state").read_text() == "my own change"


def test_submodules_come_from_the_clones_that_are_there(repository, tmp_path):
    commit("base", "good")
    call("init", "--quiet", str(tmp_path / "ip"))
    call("-C", str(tmp_path / "ip"), "commit", "--quiet", "--allow-empty", "-m", "ip")
    call("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(tmp_path / "ip"), "lib/ip")
    call("commit", "--quiet", "-m", "with ip")
    history = History(repository)
    with worktree_place(tmp_path / "place", repository) as tree:
        with checked_out(repository, tree, history.find("main")):
            assert (tree / "lib/ip/.git").exists()
        call("update-index", "--cacheinfo", f"160000,{history.find('main').id},lib/ip")
        call("commit", "--quiet", "-m", "a commit that ip has not got")
        with pytest.raises(ToolError, match="submodule lib/ip"), checked_out(repository, tree, history.find("main")):
            pass
    assert trees() == 1
    assert call("-C", "lib/ip", "worktree", "list").count("\n") == 0


# -- the command --------------------------------------------------------------------------------------------------------


def recorded(root, source):
    """The case as a regression would have recorded it."""
    item = Item(index=0, key="slice/random#3", design="slice", source=source, case="random", seed=3)
    with Store() as store:
        begin(store, "own", [item], Settings(), seed=3)


def goldbeat(*words):
    done = CliRunner().invoke(app, [str(word) for word in words])
    return done.exit_code, done.output


@pytest.mark.parametrize(
    ("source", "said"), [(None, "comes with Goldbeat"), ("/elsewhere/x.toml", "outside this project")]
)
def test_a_design_of_another_place_is_refused(repository, source, said):
    commit("base", "good")
    recorded(repository, source)
    code, output = goldbeat("bisect", "slice/random#3", "--good", "main")
    assert code == 2
    assert said in " ".join(output.split())


@pytest.mark.sim
def test_a_planted_commit_is_found(repository, monkeypatch):
    (repository / "slice.sv").write_text(WIRE)
    assert goldbeat("new", "bench", "slice.sv", "--model", "identity")[0] == 0
    call("add", "slice.sv")
    commit("without a bench", "0")
    call("add", "bench")
    commit("base", "1")
    call("tag", "start")
    for n in range(1, 9):
        changed = {3: WIRE.replace("endmodule", ""), 5: WIRE.replace("s_tdata}", "~s_tdata}"), 4: WIRE}.get(n)
        if changed:
            (repository / "slice.sv").write_text(changed)
            call("add", "slice.sv")
        commit(f"number {n}", str(n))
    (repository / "slice.sv").write_text("not yet\n")
    recorded(repository, str(repository / "bench" / "slice.toml"))
    code, output = goldbeat("bisect", "slice/random#3", "--good", "start", "--json")
    assert code == 0, output
    found = json.loads(output[output.index("{\n") :])
    assert found["first_bad"]["subject"] == "number 5"
    assert found["first_bad"]["files"] == ["slice.sv", "state"]
    assert found["runs"] == len(found["looks"]) <= 6
    assert sum(look["build_s"] > 0 for look in found["looks"]) <= 2
    assert (trees(), (repository / "slice.sv").read_text()) == (1, "not yet\n")

    code, output = goldbeat("bisect", "slice/random#3", "--good", "start~1")
    assert code == 2
    assert "cannot be tested: bench/slice.toml is not in this commit" in " ".join(output.split())

    def interrupted(self, item):
        raise KeyboardInterrupt

    monkeypatch.setattr(CaseTester, "_run", interrupted)
    code, output = goldbeat("bisect", "slice/random#3", "--good", "start")
    assert (code, trees()) == (130, 1)
