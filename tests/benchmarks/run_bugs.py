# SPDX-License-Identifier: Apache-2.0
"""Bugs that others have found and fixed in their own RTL: does a bench see the one before the fix, and is it silent after it?

Run as a script, with a folder of clones (``OWNER+NAME/repo`` or ``OWNER-NAME``, git directories or checkouts): each bug of
``bugs.toml`` is taken out of the history twice, as the fixing commit left it and as its parent was. Both get a bench from
``goldbeat new`` and the same runs with the same options. Prints a table, and writes all text that Goldbeat printed beside
the sources under ``--work``. What has a result there is not run again.

    python tests/benchmarks/run_bugs.py ../clones --work build/bugs --only axis_pipeline_fifo

``--unguided``: ``goldbeat verify`` with its defaults in place of those options. Of the table's it gets only what a bench
needs: ``--relaxed``, inputs that are tied, and the model where it is no function; ``--parameters``: and the parameters;
``--configurations N``: and parameter values that ``verify`` finds itself. A bug counts if something that the version before
fails with is gone in the version after, with the same parameters.

``--prove``: like ``--unguided``, but with ``goldbeat prove`` and its defaults. A bug counts if a property that is refuted in the
version before, and confirmed by the simulator, is not refuted in the version after.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tomllib
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
GOLDBEAT = str(Path(sys.executable).parent / "goldbeat")
TIME_LIMIT_S = 1800
PASS, FAIL, PARTIAL = 0, 1, 3
BEHIND = " | "
"""Between parameter values and what fails with them."""


@dataclass(frozen=True)
class Bug:
    """One fixing commit; ``files`` count from the root of the repository, ``buggy_files`` where the two are different files.

    ``beside`` are other repositories that it needs, as ``owner/name@commit:folder``, the same for both versions. With ``guess``
    nobody names the model for ``--unguided``.
    """

    name: str
    repo: str
    fix: str
    top: str
    files: list[str]
    new: list[str]
    runs: list[str]
    buggy_files: list[str] = field(default_factory=list)
    buggy_top: str = ""
    folders: list[str] = field(default_factory=lambda: ["rtl"])
    beside: list[str] = field(default_factory=list)
    edits: list[list[str]] = field(default_factory=list)
    wrong: str = ""
    guess: bool = False


@dataclass(frozen=True)
class Verdict:
    """What came of one version.

    Attributes:
        code: exit code of the first run that failed.
        line: that says why.
        failures: all of them, those of other parameter values behind these.
        open: obligations.
        ran: parameter values that were run, as failures have them.
    """

    code: int
    line: str
    failures: tuple[str, ...] = ()
    open: tuple[str, ...] = ()
    ran: tuple[str, ...] = ()

    @property
    def word(self) -> str:
        return {PASS: "PASS", FAIL: "FAIL", PARTIAL: "PARTIAL"}.get(self.code, f"exit {self.code}")


def git_directory(clones: Path, repo: str) -> Path:
    """The clone of a repository. Raises FileNotFoundError."""
    for name in (repo.replace("/", "+") + "/repo", repo.replace("/", "+"), repo.replace("/", "-"), repo):
        folder = clones / name
        if (folder / ".git").exists():
            return folder / ".git"
        if (folder / "HEAD").is_file():
            return folder
    raise FileNotFoundError(f"no clone of {repo} in {clones}")


def extract(git: Path, commit: str, folders: list[str], into: Path) -> None:
    """The files of a commit, as they are. A folder that the commit does not have is an error of git's."""
    into.mkdir(parents=True, exist_ok=True)
    packed = subprocess.run(
        ["git", f"--git-dir={git}", "archive", commit, *folders], check=True, capture_output=True
    ).stdout
    subprocess.run(["tar", "-x", "-C", str(into)], input=packed, check=True)


def said(command: list[str], folder: Path) -> tuple[int, str]:
    """Exit code and text of a command; one that takes too long counts as failed for another reason."""
    try:
        done = subprocess.run(
            command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=TIME_LIMIT_S
        )
    except subprocess.TimeoutExpired:
        return 3, f"took more than {TIME_LIMIT_S} s\n"
    return done.returncode, done.stdout


def first_reason(text: str) -> str:
    """The first line that tells a difference: what follows ``failed:``, else the last line."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    for number, line in enumerate(lines):
        if line.endswith("failed:") and number + 1 < len(lines):
            return lines[number + 1]
    return lines[-1] if lines else ""


def taken_out(bug: Bug, clones: Path, buggy: bool, folder: Path) -> list[str]:
    """Take out one version; the words that name its files, top module and libraries."""
    source = folder / "source"
    if not source.is_dir():
        for one in bug.beside:
            where, inside = one.split(":")
            repo, commit = where.split("@")
            extract(git_directory(clones, repo), commit, [inside], source / repo.replace("/", "-"))
        extract(
            git_directory(clones, bug.repo),
            f"{bug.fix}^" if buggy and not bug.buggy_files else bug.fix,
            bug.folders,
            source,
        )
    files = bug.buggy_files if buggy and bug.buggy_files else bug.files
    top = bug.buggy_top if buggy and bug.buggy_top else bug.top
    command = [*(f"source/{one}" for one in files), "--top", top]
    for library in sorted({str(path.parent.relative_to(folder)) for path in source.rglob("*.*v")}):
        command += ["-y", library]
    for include in sorted({str(path.relative_to(folder)) for path in source.rglob("include") if path.is_dir()}):
        command += ["-I", include]
    return command


def judge(bug: Bug, clones: Path, buggy: bool, folder: Path) -> Verdict:
    """Take out one version, make its bench, run it."""
    words = taken_out(bug, clones, buggy, folder)
    code, log = said([GOLDBEAT, "new", "bench", "--force", *words, "--name", "bug", *bug.new], folder)
    verdict = Verdict(2, "goldbeat new: " + first_reason(log)) if code else Verdict(PASS, "")
    if not code:
        description = folder / "bench" / "bug.toml"
        text = description.read_text()
        for old, new in bug.edits:
            text = text.replace(old, new.replace("{benchmarks}", str(HERE)))
        description.write_text(text)
        for number, run in enumerate(bug.runs):
            code, text = said(
                [GOLDBEAT, "run", "bench/bug.toml", *run.split(), "--allow-partial", "--name", f"run{number}"], folder
            )
            log += text
            verdict = Verdict(code, first_reason(text))
            if code:
                break
    (folder / "log.txt").write_text(log)
    return verdict


def needed(bug: Bug, parameters: bool, configurations: int) -> list[str]:
    """Of a bug's options, those that a bench cannot do without, and what is asked for beside them."""
    words = iter(bug.new)
    found = ["--configurations", str(configurations)] if configurations else []
    for word in words:
        if word == "--relaxed":
            found.append(word)
        elif (value := next(words)) and (
            word == "--tie" or (word == "--model" and not bug.guess) or (parameters and word == "-G")
        ):
            found += [word, value]
    return found


def verified(bug: Bug, clones: Path, buggy: bool, folder: Path, options: list[str], prove: bool) -> Verdict:
    """Take out one version and verify it, or prove it, with defaults."""
    how = ["prove"] if prove else ["verify", "--mutants", "0"]
    code, text = said([GOLDBEAT, *how, *taken_out(bug, clones, buggy, folder), *options, "--json"], folder)
    (folder / "log.txt").write_text(text)
    return reported(code, text)


def reported(code: int, text: str) -> Verdict:
    """What ``goldbeat verify --json`` or ``goldbeat prove --json`` has printed, behind its messages."""
    begin = text.find("{\n")
    if begin < 0:
        return Verdict(code, first_reason(text))
    report = json.loads(text[begin:])
    if "properties" in report:
        refuted = tuple(one["name"] for one in report["properties"] if one["status"] == "refuted")
        return Verdict(code, (*refuted, report["status"])[0], refuted)
    runs = [("", report), *((f"{one['values']}{BEHIND}", one) for one in report["configurations"])]
    failures = tuple(
        values + one.splitlines()[0]
        for values, run in runs
        for one in run["failures"]
        if not one.startswith("repeat: ")
    )
    opened = tuple(f"{o['kind']} {o['place']}: {o['what']}" for o in report["list"] if not o["met"])
    return Verdict(code, (*failures, report["status"])[0], failures, opened, tuple(values for values, _ in runs))


def gone(buggy: Verdict, fixed: Verdict) -> list[str]:
    """What fails before the fix, and not in any place or with any number after it."""
    left = {kind(one) for one in fixed.failures}
    # What was run with values that the other version has not had says nothing.
    return [
        one
        for one in buggy.failures
        if kind(one) not in left and (BEHIND not in one or one.partition(BEHIND)[0] + BEHIND in fixed.ran)
    ]


def kind(line: str) -> str:
    """What a failure is about, and in which kind of episode, whatever its numbers and its accesses are."""
    values, _, line = line.rpartition(BEHIND)
    episode, _, what = line.partition(": ") if line.startswith("episode ") else ("", "", line)
    return values + re.sub(
        r"0x[0-9a-f]+|\b[0-9a-f]*[0-9][0-9a-f]*\b",
        "N",
        f"{episode}: {what.partition(': expected')[0].partition('(')[0]}",
    )


def kept(bug: Bug, clones: Path, buggy: bool, asked: argparse.Namespace) -> Verdict:
    """The verdict of an earlier start with the same entry of the table, or a new one."""
    folder = asked.work.resolve() / bug.name / ("buggy" if buggy else "fixed")
    path = folder / "verdict.json"
    options: list[str] = []
    how = {key: value for key, value in vars(bug).items() if key != "wrong"}
    if asked.unguided:
        options = needed(bug, asked.parameters, asked.configurations)
        how |= {"unguided": options, "new": [], "runs": []} | ({"prove": True} if asked.prove else {})
    if path.is_file():
        old: dict[str, Any] = json.loads(path.read_text())
        if old["asked"] == how:
            return (
                reported(old["code"], (folder / "log.txt").read_text())
                if asked.unguided
                else Verdict(old["code"], old["line"])
            )
    folder.mkdir(parents=True, exist_ok=True)
    take = partial(verified, options=options, prove=asked.prove) if asked.unguided else judge
    verdict = take(bug, clones, buggy, folder)
    path.write_text(json.dumps({"asked": how, "code": verdict.code, "line": verdict.line}, indent=1))
    return verdict


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clones", type=Path)
    parser.add_argument("--table", type=Path, default=HERE / "bugs.toml")
    parser.add_argument("--work", type=Path, default=Path("build/bugs"))
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--unguided", action="store_true")
    parser.add_argument("--parameters", action="store_true")
    parser.add_argument("--prove", action="store_true")
    parser.add_argument("--configurations", type=int, default=0)
    asked = parser.parse_args()
    asked.unguided |= asked.prove
    bugs = [Bug(**entry) for entry in tomllib.loads(asked.table.read_text())["bug"]]
    caught = tried = 0
    for bug in bugs:
        if asked.only and bug.name not in asked.only:
            continue
        fixed = kept(bug, asked.clones.resolve(), False, asked)
        buggy = kept(bug, asked.clones.resolve(), True, asked)
        good = buggy.code == FAIL and fixed.code == PASS
        if asked.unguided and (lost := gone(buggy, fixed)):
            good, buggy = True, replace(buggy, line=lost[0])
        tried, caught = tried + 1, caught + good
        print(f"{'caught' if good else 'NOT   '} {bug.name} {bug.fix}")
        print(f"  buggy {buggy.word}: {buggy.line}\n  fixed {fixed.word}: {fixed.line}", flush=True)
        if asked.unguided and not good:
            print(*(f"  open: {one}" for one in buggy.open), sep="\n")
    print(f"{caught} of {tried} bugs caught on the buggy version and silent on the fixed one")
    sys.exit(PASS if caught == tried else FAIL)


if __name__ == "__main__":
    main()
