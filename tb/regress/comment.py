# SPDX-License-Identifier: Apache-2.0
"""A run in short as a comment on a pull request of GitHub or a merge request of GitLab: one comment, updated by every push.

APIs: GitHub's "REST API endpoints for issue comments" (a pull request is an issue), GitLab's "Notes API". A comment that cannot be
written changes no verdict: pull requests from forks have no token that may write.
"""

from __future__ import annotations

import json
import os
import re
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from goldbeat.pymodels.errors import GoldbeatError, UsageError
from goldbeat.tb.regress.brief import Brief
from goldbeat.tb.regress.ci import Service, coverage_shares
from goldbeat.tb.regress.store import Run, Store
from goldbeat.tb.regress.summary import cells, recorded_text
from goldbeat.tb.visible import visible

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._/-]{0,60}", re.ASCII)
_MOST_FAILURES, _MOST_CELLS, _MOST_TEXT = 20, 30, 300
_MOST_BODY = 60_000
"""Characters; GitHub takes 65,536 of a comment."""
_MOST_PAGES = 100
_TIMEOUT_S = 20.0
_REFUSED = (401, 403, 404)


class NoCommentError(GoldbeatError):
    """The server takes no comment from this job; the message says why."""


@dataclass(frozen=True)
class CommentPlace:
    """Where comments of a request go.

    Attributes:
        service: whose API it is.
        thread: address of the comments: GET lists, POST adds.
        one: address of a comment, before its number.
        me: address of the user whose token this is; None: unknown.
        headers: with the token.
    """

    service: Service
    thread: str
    one: str
    me: str | None
    headers: Mapping[str, str]


# -- where ------------------------------------------------------------------------------------------------------------


def find_place(service: Service) -> CommentPlace:
    """From what the server says in the job's environment.

    Raises:
        NoCommentError: the job is of no pull or merge request, or has no token.
    """
    return _github() if service == "github" else _gitlab()


def _variable(name: str, pattern: str, why: str) -> str:
    value = os.environ.get(name, "")
    if not value:
        raise NoCommentError(f"{name} is not set: {why}")
    if not re.fullmatch(pattern, value, re.ASCII):
        raise NoCommentError(f"{name} is {value!r}, expected {pattern}")
    return value.rstrip("/")


_ADDRESS = r"https?://[^\s?#@]+"


def _github() -> CommentPlace:
    number = _pull_request().get("number")
    if not isinstance(number, int):
        raise NoCommentError("this job is of no pull request")
    api = _variable("GITHUB_API_URL", _ADDRESS, "this is no job of GitHub")
    repository = _variable("GITHUB_REPOSITORY", r"[\w.-]+/[\w.-]+", "this is no job of GitHub")
    token = _variable("GITHUB_TOKEN", r"\S+", "the step needs env: GITHUB_TOKEN: ${{ github.token }}")
    issues = f"{api}/repos/{repository}/issues"
    headers = {"Authorization": f"Bearer {token}", "Accept": "application/vnd.github+json"}
    return CommentPlace("github", f"{issues}/{number}/comments", f"{issues}/comments", None, headers)


def _pull_request() -> dict[str, Any]:
    """What GitHub's event says of the pull request; empty without one."""
    try:
        found = json.loads(Path(os.environ.get("GITHUB_EVENT_PATH", "")).read_bytes())["pull_request"]
    except (OSError, ValueError, KeyError, TypeError):
        return {}
    return found if isinstance(found, dict) else {}


def _gitlab() -> CommentPlace:
    number = _variable("CI_MERGE_REQUEST_IID", r"\d+", "this job is of no merge request")
    api = _variable("CI_API_V4_URL", _ADDRESS, "this is no job of GitLab")
    # Of a merge request from a fork, CI_PROJECT_ID may be the fork.
    project = _variable("CI_MERGE_REQUEST_PROJECT_ID", r"\d+", "this job is of no merge request")
    token = _variable("GOLDBEAT_TOKEN", r"\S+", "a token with scope api (a job token may not comment)")
    notes = f"{api}/projects/{project}/merge_requests/{number}/notes"
    return CommentPlace("gitlab", notes, notes, f"{api}/user", {"PRIVATE-TOKEN": token})


# -- sending ----------------------------------------------------------------------------------------------------------


def put_comment(place: CommentPlace, name: str, text: str) -> str:
    """Update our comment of this name, or add one; what became of it.

    Args:
        place: where.
        name: of the regression, as several may comment on one request.
        text: of the comment.

    Raises:
        NoCommentError: the server refuses or cannot be reached.
        UsageError: the name cannot be used.
    """
    body = {"body": f"{_marker(name)}\n{text}"}
    number = next((one["id"] for one in _comments(place) if str(one.get("body", "")).startswith(_marker(name))), None)
    if number is not None:
        try:
            _call(place, "PATCH" if place.service == "github" else "PUT", f"{place.one}/{int(number)}", body)
        except _RefusedError:
            # It is somebody else's, or has just been deleted.
            pass
        else:
            return "comment updated"
    _call(place, "POST", place.thread, body)
    return "comment added"


def _marker(name: str) -> str:
    """The first line of a comment, which pages do not show."""
    if not _NAME.fullmatch(name) or "--" in name:
        raise UsageError(f"--name {name!r}: expected letters, digits, spaces, '.', '_', '/' and single '-'")
    return f"<!-- goldbeat: {name} -->"


def _comments(place: CommentPlace) -> Iterator[Mapping[str, Any]]:
    """Comments that this job may take for its own: anybody can write a marker."""
    me = None if place.me is None else _call(place, "GET", place.me)["id"]
    for page in range(1, _MOST_PAGES + 1):
        found = _call(place, "GET", f"{place.thread}?per_page=100&page={page}")
        for one in found:
            if _is_trusted(one) if me is None else one["author"]["id"] == me:
                yield one
        if len(found) < 100:
            return


def _is_trusted(one: Mapping[str, Any]) -> bool:
    """Whether GitHub says that a comment is by a bot, as the job is, or by somebody who may write to the repository."""
    author = one.get("user") or {}
    return author.get("type") == "Bot" or one.get("author_association") in ("OWNER", "MEMBER", "COLLABORATOR")


class _RefusedError(NoCommentError):
    """The token may not do this, or there is no such comment."""


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirection would take the token elsewhere."""

    def redirect_request(self, *_: Any) -> None:
        return None


def _call(place: CommentPlace, method: Literal["GET", "POST", "PATCH", "PUT"], url: str, body: Any = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    headers = {**place.headers, "Content-Type": "application/json", "User-Agent": "goldbeat"}
    request = urllib.request.Request(url, data, headers, method=method)
    try:
        with urllib.request.build_opener(_NoRedirect).open(request, timeout=_TIMEOUT_S) as answer:
            return json.loads(answer.read())
    except urllib.error.HTTPError as error:
        kind = _RefusedError if error.code in _REFUSED else NoCommentError
        fork = "; a pull request from a fork has no token that may write" if error.code == 403 else ""
        raise kind(f"the server answers {error.code} to {method} {url}{fork}") from None
    except (OSError, ValueError) as error:
        raise NoCommentError(f"{method} {url}: {error}") from None


# -- text -------------------------------------------------------------------------------------------------------------


def comment_text(store: Store, run: Run | None) -> str:
    """A run in short.

    Names and messages are code: in plain text, ``fifo/random#3`` would refer to issue 3 of a repository ``fifo/random``, and an
    ``@`` would notify somebody.

    Args:
        store: where it is.
        run: the run; None: there are no results.
    """
    if run is None:
        return f"## NO RESULTS\n\nNo shard left results that could be merged; the log says why.\n{_origin()}"
    rows = store.briefs(run.id)
    bad = [r for r in rows if not r.passed]
    recorded = recorded_text(sum(cell.recorded for cell in cells(rows).values()))
    lines = [
        f"## {_code(run.title)} {run.status.upper()}: {len(rows) - len(bad)} of {run.total} cases pass{recorded}",
        "",
    ]
    lines += [f"* {_code(text)}" for text in run.missing]
    lines += ["", *_failures(bad), *_table(rows)]
    if covered := store.coverage(run.id):
        lines += ["", "Code coverage: " + ", ".join(f"{kind} {v:.1%}" for kind, v in coverage_shares(covered).items())]
    return _cut("\n".join(lines)) + _origin()


def _failures(bad: Sequence[Brief]) -> Iterator[str]:
    if not bad:
        return
    yield from ("| case | first failure |", "|---|---|")
    for row in bad[:_MOST_FAILURES]:
        why = row.mismatch if row.status is not None else "not run"
        yield f"| {_code(row.key)} | {_code(why[:_MOST_TEXT])} |"
    if len(bad) > _MOST_FAILURES:
        yield f"\n... and {len(bad) - _MOST_FAILURES} more"
    yield ""


def _table(rows: Sequence[Brief]) -> Iterator[str]:
    found = list(cells(rows).values())
    yield from ("| design | case | pass | of | cycles |", "|---|---|---:|---:|---:|")
    for cell in found[:_MOST_CELLS]:
        yield f"| {_code(cell.design)} | {_code(cell.case)} | {cell.passed} | {cell.total} | {cell.cycles:,} |"
    if len(found) > _MOST_CELLS:
        yield f"\n... and {len(found) - _MOST_CELLS} more rows"


def _code(text: str) -> str:
    return "`" + (visible(text).replace("\n", " ").replace("`", "'").replace("|", "\\|") or "-") + "`"


def _cut(text: str) -> str:
    return text if len(text) <= _MOST_BODY else text[:_MOST_BODY].rpartition("\n")[0] + "\n\n... cut"


def _origin() -> str:
    """The commit, and where the job is."""
    said = os.environ.get
    # Of a pull request, GITHUB_SHA is a merge that nobody has made.
    head = _pull_request().get("head") or {}
    commit = str(head.get("sha") or said("GITHUB_SHA") or said("CI_COMMIT_SHA") or "")
    page = said("CI_PIPELINE_URL") or ""
    if repository := said("GITHUB_REPOSITORY"):
        page = f"{said('GITHUB_SERVER_URL', '')}/{repository}/actions/runs/{said('GITHUB_RUN_ID', '')}"
    job = f"[job]({page})" if re.fullmatch(_ADDRESS, page, re.ASCII) and not set(page) & set("()<>") else "job"
    return f"\n\n{job}, commit {_code(commit[:12])}\n" if commit else "\n"
