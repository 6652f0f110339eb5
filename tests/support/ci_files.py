# SPDX-License-Identifier: Apache-2.0
"""Follows workflows of GitHub and pipelines of GitLab word by word, as far as ours go: what is not known here is an error.

Actions of others are stand-ins that take the same inputs. A job is a fresh clone in a fresh folder with a home of its own.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

SHELL = ["bash", "--noprofile", "--norc", "-eo", "pipefail"]


@dataclass
class Server:
    """What outlives jobs.

    Attributes:
        origin: the repository.
        root: folder of caches, artifacts and jobs.
        tools: programs of the job's image: pip, and nothing of ours.
        env: of every job.
        lost: jobs whose machine is lost.
        log: what the last run printed, by job.
    """

    origin: Path
    root: Path
    tools: Path
    env: Mapping[str, str]
    lost: frozenset[str] = frozenset()
    log: dict[str, str] = field(default_factory=dict)

    def clone(self, job: str) -> tuple[Path, dict[str, str]]:
        """The folder of a fresh job with the repository, and its environment."""
        folder = self.root / "jobs" / job.replace(" ", "-").replace("/", "-")
        shutil.rmtree(folder, ignore_errors=True)
        (folder / "home").mkdir(parents=True)
        shutil.copytree(self.tools, folder / "bin")
        subprocess.run(["git", "clone", "-q", str(self.origin), str(folder / "work")], check=True)
        path = f"{folder / 'bin'}{os.pathsep}/usr/bin{os.pathsep}/bin"
        self.log[job] = ""
        return folder, {"PATH": path, "HOME": str(folder / "home"), "CI": "true", **self.env}

    def shell(self, job: str, script: str, work: Path, env: Mapping[str, str]) -> bool:
        """Run a script; whether it ended well."""
        path = work.parent / "script.sh"
        path.write_text(script)
        done = subprocess.run(
            [*SHELL, str(path)], cwd=work, env=dict(env), text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        self.log[job] += f"$ {script}\n{done.stdout}"
        return done.returncode == 0

    def store(self, kind: str, name: str, source: Path) -> None:
        """Keep a folder, if it is there."""
        if source.is_dir():
            shutil.copytree(source, self.root / kind / name, dirs_exist_ok=True, symlinks=True)

    def restore(self, kind: str, name: str, target: Path) -> None:
        """Get it back."""
        shutil.copytree(self.root / kind / name, target, dirs_exist_ok=True, symlinks=True)


# -- GitHub -----------------------------------------------------------------------------------------------------------

_WORD = re.compile(r"'[^']*'|\d+|&&|\|\||==|!=|!|[()]|[A-Za-z_][\w.-]*(?:\(\))?")


def evaluate(text: str, contexts: Mapping[str, Any], *, failed: bool = False) -> Any:
    """An expression of GitHub, without its braces."""
    functions = {"always()": True, "cancelled()": False, "failure()": failed, "success()": not failed}
    words = []
    assert not re.sub(r"\s", "", _WORD.sub("", text)), f"unknown expression {text}"
    for word in _WORD.findall(text):
        if word in functions:
            words.append(str(functions[word]))
        elif re.match(r"[A-Za-z_]", word):
            value: Any = contexts
            names = word.split(".")
            for before, name in zip(["", *names], names, strict=False):
                # An output that no step has set is empty; of all else, a name that is not there is a mistake.
                value = value.get(name, "") if before == "outputs" else value[name]
            words.append(repr(value))
        else:
            words.append({"&&": " and ", "||": " or ", "!": " not "}.get(word, word))
    return eval("".join(words), {"__builtins__": {}})


def filled(value: Any, contexts: Mapping[str, Any]) -> str:
    """A text with the values of its expressions."""
    return re.sub(r"\$\{\{(.*?)\}\}", lambda m: str(evaluate(m[1], contexts)), str(value))


ACTIONS = {
    "actions/checkout@v4": {"persist-credentials"},
    "actions/setup-python@v5": {"python-version"},
    "actions/cache/restore@v4": {"path", "key", "restore-keys"},
    "actions/cache/save@v4": {"path", "key"},
    "actions/upload-artifact@v4": {"name", "path", "overwrite"},
    "actions/download-artifact@v4": {"pattern", "path"},
}
"""Actions of others, and those of their inputs that a stand-in has."""
_STEP = {"uses", "with", "run", "if", "env", "shell", "id", "name"}


class GitHubJob:
    """A job of a workflow."""

    def __init__(self, server: Server, name: str, contexts: Mapping[str, Any]) -> None:
        self.server, self.name = server, name
        self.folder, self.env = server.clone(name)
        self.work = self.folder / "work"
        self.contexts = {**contexts, "runner": {"os": "Linux"}}
        self.failed = False
        self.env |= {
            "GITHUB_ACTIONS": "true",
            "GITHUB_EVENT_PATH": str(self.folder / "event.json"),
            "GITHUB_OUTPUT": str(self.folder / "output"),
            "GITHUB_STEP_SUMMARY": str(self.folder / "summary"),
        }
        (self.folder / "event.json").write_text(json.dumps(contexts["github"]["event"]))

    def steps(self, steps: list[dict[str, Any]], contexts: Mapping[str, Any], env: Mapping[str, str]) -> dict[str, Any]:
        """Run steps of a job or of a composite action; the outputs by step."""
        outputs: dict[str, Any] = {}
        for step in steps:
            assert step.keys() <= _STEP, step
            # A condition without a function asks for success too.
            condition = re.sub(r"^\$\{\{(.*)\}\}$", r"\1", str(step.get("if", "success()")))
            if "()" not in condition:
                condition = f"success() && ({condition})"
            if not evaluate(condition, contexts, failed=self.failed):
                continue
            more = {**env, **{k: filled(v, contexts) for k, v in step.get("env", {}).items()}}
            if "run" in step:
                assert "${{" not in step["run"], "text in an expression would be run as a part of the script"
                outputs[step.get("id", "")] = {"outputs": self._run(step["run"], more)}
            else:
                given = {
                    k: filled(str(v).lower() if isinstance(v, bool) else v, contexts) for k, v in step["with"].items()
                }
                self._use(step["uses"], given, more)
        return outputs

    def _run(self, script: str, env: Mapping[str, str]) -> dict[str, str]:
        output = Path(self.env["GITHUB_OUTPUT"])
        output.write_text("")
        self.failed |= not self.server.shell(self.name, script, self.work, {**self.env, **env})
        return dict(line.split("=", 1) for line in output.read_text().splitlines())

    def _use(self, uses: str, given: dict[str, str], env: Mapping[str, str]) -> None:
        if uses.startswith("./"):
            action = yaml.safe_load((self.work / uses / "action.yml").read_text())
            assert given.keys() <= action["inputs"].keys()
            inputs = {}
            for name, one in action["inputs"].items():
                assert name in given or not one.get("required"), f"{uses} needs {name}"
                inputs[name] = given.get(name) or filled(one.get("default", ""), self.contexts)
            found = self.steps(action["runs"]["steps"], {**self.contexts, "inputs": inputs}, env)
            self.outputs = {k: filled(o["value"], {"steps": found}) for k, o in action.get("outputs", {}).items()}
            return
        assert given.keys() <= ACTIONS[uses], (uses, given)
        # What a stand-in does is named like the action.
        name = uses.partition("@")[0].removeprefix("actions/").replace("/", "_").replace("-", "_")
        getattr(self, f"_{name}")(**{k.replace("-", "_"): v for k, v in given.items()})

    def _checkout(self, persist_credentials: str) -> None:
        assert persist_credentials == "false"

    def _setup_python(self, python_version: str) -> None:
        assert re.fullmatch(r"3\.\d+", python_version)

    def _path(self, text: str) -> Path:
        return self.work / text.replace("~", self.env["HOME"])

    def _cache_restore(self, path: str, key: str, restore_keys: str) -> None:
        there = sorted(one.name for one in (self.server.root / "cache").glob("*"))
        for wanted in [key, *restore_keys.split()]:
            if found := [name for name in there if name.startswith(wanted)]:
                self.server.log[self.name] += f"cache: {found[-1]}\n"
                return self.server.restore("cache", found[-1], self._path(path))
        return None

    def _cache_save(self, path: str, key: str) -> None:
        if not (self.server.root / "cache" / key).exists():
            self.server.store("cache", key, self._path(path))

    def _upload_artifact(self, name: str, path: str, overwrite: str) -> None:
        assert overwrite == "true"
        assert not set(name) & set('":<>|*?\\/'), "names of artifacts"
        self.server.store("artifacts", name, self._path(path))

    def _download_artifact(self, pattern: str, path: str) -> None:
        for one in (self.server.root / "artifacts").glob(pattern):
            self.server.restore("artifacts", one.name, self._path(path) / one.name)


def run_github(server: Server, workflow: Path, event: Mapping[str, Any], github: Mapping[str, Any]) -> dict[str, Any]:
    """Run a workflow; how its jobs ended, and outputs of the last action of each.

    Args:
        server: where.
        workflow: its file.
        event: what it is run for.
        github: more of the context ``github``.
    """
    said = yaml.safe_load(workflow.read_text())
    shutil.rmtree(server.root / "artifacts", ignore_errors=True)
    # YAML 1.1 reads the key "on" as true.
    assert github["event_name"] in said[True]
    contexts = {"github": {**github, "event": event}, "env": said.get("env", {})}
    ended: dict[str, Any] = {}
    for name, job in said["jobs"].items():
        needed = job.get("needs", [])
        bad = any(not ended[one]["green"] for one in ([needed] if isinstance(needed, str) else needed))
        if not evaluate(str(job.get("if", "success()")).strip("${} "), contexts, failed=bad):
            continue
        strategy = job.get("strategy", {"matrix": {"": [None]}})
        ((variable, values),) = strategy["matrix"].items()
        results = []
        for value in values:
            title = name if value is None else f"{name} {value}"
            if title in server.lost:
                results.append(False)
                continue
            more = {"matrix": {variable: value}, "strategy": {"job-total": len(values)}}
            one = GitHubJob(server, title, {**contexts, **more})
            one.steps([{"with": {}, **s} for s in job["steps"]], one.contexts, said.get("env", {}))
            results.append(not one.failed)
        ended[name] = {"green": all(results), "outputs": getattr(one, "outputs", {}), "folder": one.folder}
    return ended


# -- GitLab -----------------------------------------------------------------------------------------------------------

_JOB = {"extends", "image", "variables", "before_script", "script", "after_script", "parallel", "timeout", "rules"}
_JOB |= {"cache", "artifacts", "needs", "environment", "coverage"}


def _expanded(text: str, env: Mapping[str, str]) -> str:
    return re.sub(r"\$(\w+)", lambda m: env.get(m[1], ""), text)


def _job(said: Mapping[str, Any], name: str) -> dict[str, Any]:
    """A job with what it extends: mappings are merged, all else is replaced."""
    job = said[name]
    if "extends" not in job:
        return dict(job)
    base = _job(said, job["extends"])
    both = {k: {**base[k], **job[k]} for k in base.keys() & job.keys() if isinstance(job[k], dict)}
    return {**base, **job, **both}


def _rule(job: Mapping[str, Any], env: Mapping[str, str]) -> str | None:
    """When a job is run; None: not at all."""
    for rule in job["rules"]:
        left, right = rule["if"].split(" == ")
        values = [env.get(w[1:]) if w.startswith("$") else w.strip('"') for w in (left, right)]
        if values[0] == values[1]:
            return str(rule.get("when", "on_success"))
    return None


def run_gitlab(server: Server, pipeline: Path, variables: Mapping[str, str]) -> dict[str, Any]:
    """Run a pipeline; how its jobs ended.

    Args:
        server: where.
        pipeline: its file.
        variables: what GitLab sets for the whole pipeline.
    """
    said = yaml.safe_load(pipeline.read_text())
    shutil.rmtree(server.root / "artifacts", ignore_errors=True)
    ended: dict[str, Any] = {}
    for name in (key for key in said if not key.startswith(".") and key != "variables"):
        job = _job(said, name)
        assert job.keys() <= _JOB, job.keys() - _JOB
        when = _rule(job, variables)
        fine = all(ended[one]["green"] for one in job.get("needs", []))
        if when is None or (when == "on_success" and not fine):
            continue
        count = job.get("parallel")
        titles = [name] if count is None else [f"{name} {n}/{count}" for n in range(1, count + 1)]
        results = []
        for number, title in enumerate(titles, 1):
            node = {} if count is None else {"CI_NODE_INDEX": str(number), "CI_NODE_TOTAL": str(count)}
            results.append(
                title not in server.lost and _run_job(server, title, job, said["variables"], {**variables, **node})
            )
        ended[name] = {
            "green": all(results),
            "folder": server.root / "jobs" / titles[-1].replace(" ", "-").replace("/", "-"),
        }
    return ended


def _run_job(
    server: Server, title: str, job: dict[str, Any], shared: Mapping[str, str], given: Mapping[str, str]
) -> bool:
    folder, env = server.clone(title)
    work = folder / "work"
    env |= {**given, "GITLAB_CI": "true", "CI_PROJECT_DIR": str(work)}
    # Variables of the project come before those of the file.
    for name, value in {**shared, **job.get("variables", {})}.items():
        if name not in given:
            env[name] = _expanded(str(value), env)
    for one in job.get("needs", []):
        for stored in (server.root / "artifacts").glob(f"{one}*"):
            server.restore("artifacts", stored.name, work)
    cache = job.get("cache")
    if cache and (server.root / "cache" / _expanded(cache["key"], env)).is_dir():
        server.log[title] += f"cache: {_expanded(cache['key'], env)}\n"
        server.restore("cache", _expanded(cache["key"], env), work)
    good = server.shell(title, "\n".join([*job.get("before_script", []), *job["script"]]), work, env)
    if "after_script" in job:
        server.shell(title, "\n".join(job["after_script"]), work, env)
    for part, kind, name in (
        (cache, "cache", _expanded((cache or {}).get("key", ""), env)),
        (job["artifacts"], "artifacts", title.replace(" ", "-").replace("/", "-")),
    ):
        for path in (part or {}).get("paths", []):
            if good or part["when"] == "always":
                server.store(kind, f"{name}/{_expanded(path, env)}", work / _expanded(path, env))
    return good
