# SPDX-License-Identifier: Apache-2.0
"""The pages build as a site without a warning, and nothing in it needs a network."""

import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
from kept_runs import BROWSER

import goldbeat
from goldbeat.tb.paths import REPOSITORY

LOADED = {"script": "src", "img": "src", "link": "href"}
SEARCH = """<script>
const all = (root) => [...root.querySelectorAll("*")].flatMap((one) => [one, ...(one.shadowRoot ? all(one.shadowRoot) : [])]);
const later = (call) => setTimeout(call, 1500);
later(() => {
  document.querySelector(".md-search__button").click();
  later(() => {
    const input = all(document).find((one) => one.tagName === "INPUT" && one.placeholder === "Search");
    input.value = "max_backlog_beats";
    input.dispatchEvent(new Event("input", { bubbles: true }));
    later(() => {
      const found = all(document).filter((one) => one.tagName === "A" && one.href.includes("?h="));
      document.title = "links " + found.map((one) => one.href);
    });
  });
});
</script>"""


class Loads(HTMLParser):
    """What a page loads: scripts, styles, pictures."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if (where := given.get(LOADED.get(tag, ""))) and given.get("rel") in (None, "stylesheet", "preconnect", "icon"):
            self.found.append(where)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pages")
    # A dead link or a docstring that cannot be read is an error.
    command = [sys.executable, "docs/site/build.py", str(folder)]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "site"


@pytest.mark.slow
def test_the_site_has_every_page_and_needs_no_network(site: Path) -> None:
    pages = [page for page in site.rglob("*.html") if page.name != "404.html"]
    assert len(pages) > 40
    loaded = {page: Loads(page).found for page in pages}
    assert [one for found in loaded.values() for one in found if one.startswith(("http", "//"))] == []
    lost = [(page.name, one) for page, found in loaded.items() for one in found if not (page.parent / one).is_file()]
    assert lost == []
    assert sum(map(len, loaded.values())) > 4 * len(pages)
    toml = (site / "reference" / "toml.html").read_text(encoding="utf-8")
    assert "max_backlog_beats" in toml
    assert "[[streams]]" in toml
    names = re.findall(
        r'id="goldbeat\.[\w.]+\.(\w+)"', (site / "reference" / "python.html").read_text(encoding="utf-8")
    )
    assert set(goldbeat.__all__) <= set(names)


@pytest.mark.slow
@pytest.mark.skipif(BROWSER is None, reason="no chromium; apt-get install chromium")
def test_the_search_works_from_a_disk(site: Path) -> None:
    page = (site / "install.html").read_text(encoding="utf-8")
    (site / "searching.html").write_text(page.replace("</body>", SEARCH + "</body>"), encoding="utf-8")
    options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=10000", "--dump-dom"]
    command = [str(BROWSER), *options, f"file://{site}/searching.html"]
    said = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120).stdout
    assert "reference/toml.html" in re.findall("<title>(.*?)</title>", said)[0]


@pytest.mark.slow
def test_the_picture_in_the_readme_is_what_make_run_prints_and_draws(tmp_path: Path) -> None:
    made = tmp_path / "picture.svg"
    subprocess.run(["make", "picture", f"PICTURE={made}"], cwd=REPOSITORY, capture_output=True, check=True)
    kept = REPOSITORY / "docs" / "images" / "make-run.svg"
    assert f"({kept.relative_to(REPOSITORY)})" in (REPOSITORY / "README.md").read_text(encoding="utf-8")
    assert made.read_text(encoding="utf-8") == kept.read_text(encoding="utf-8")
    assert kept.stat().st_size < 100_000
