# SPDX-License-Identifier: Apache-2.0
"""The pages build as a site without a warning, and nothing in it needs a network."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from goldbeat.tb.paths import REPOSITORY


@pytest.mark.slow
def test_the_site_builds_without_warnings_and_without_a_network(tmp_path: Path) -> None:
    # Strict: a dead link, a page in no group, or a docstring that cannot be read is an error.
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", str(tmp_path / "site")],
        cwd=REPOSITORY,
        env={"NO_MKDOCS_2_WARNING": "1", "DISABLE_MKDOCS_2_WARNING": "true", "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    pages = list((tmp_path / "site").rglob("*.html"))
    assert len(pages) > 40
    loaded = re.compile(r'(?:src|<link[^>]*rel="(?:stylesheet|preconnect)"[^>]*href)="https?:')
    assert [page.name for page in pages if loaded.search(page.read_text(encoding="utf-8"))] == []
    toml = (tmp_path / "site" / "reference" / "toml.html").read_text(encoding="utf-8")
    assert "max_backlog_beats" in toml
    assert "[[streams]]" in toml


@pytest.mark.slow
def test_the_picture_in_the_readme_is_what_make_run_prints_and_draws(tmp_path: Path) -> None:
    made = tmp_path / "picture.svg"
    subprocess.run(["make", "picture", f"PICTURE={made}"], cwd=REPOSITORY, capture_output=True, check=True)
    kept = REPOSITORY / "docs" / "images" / "make-run.svg"
    assert f"({kept.relative_to(REPOSITORY)})" in (REPOSITORY / "README.md").read_text(encoding="utf-8")
    assert made.read_text(encoding="utf-8") == kept.read_text(encoding="utf-8")
    assert kept.stat().st_size < 100_000
