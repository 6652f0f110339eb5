# SPDX-License-Identifier: Apache-2.0
"""Folders of runs as `goldbeat run` leaves them, made of traces without a simulator."""

import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import numpy as np

from goldbeat.pymodels.measure import measure, measures_dict
from goldbeat.pymodels.trace import Trace
from goldbeat.pymodels.transactions import Transactions
from goldbeat.tb.run.episodes import FILE, WholeEpisode, save_episodes

BROWSER = next((b for b in ("chromium", "chromium-browser", "google-chrome") if shutil.which(b)), None)
NO_BROWSER = "no chromium; apt-get install chromium"


def beats(count: int, *, gaps=0, frame: int = 8, first: int = 0, width: int = 32, seed: int = 0) -> Trace:
    """Random data; a TLAST after each frame; ``gaps`` idle cycles before each beat."""
    rng = np.random.default_rng(seed)
    data = rng.integers(0, 256, (count, width // 8), np.uint8)
    cycle = first + np.cumsum(np.broadcast_to(gaps, count) + 1) - 1
    last = np.arange(1, count + 1) % frame == 0
    return Trace.from_bytes(data, last=last, cycle=cycle, clock_ps=4000, offset_ps=4000)


def transactions(count: int) -> Transactions:
    """Reads and writes in turn, 10 cycles apart, of 64 bytes and 20 cycles."""
    begin = 10 * np.arange(count)
    columns = {"begin": begin, "first": begin + 4, "end": begin + 20, "bytes": np.full(count, 64)}
    return Transactions.of(4000, write=begin % 20 == 10, **columns)


def keep_run(folder: Path, ports, *, buses=None, data: bool = True, **said) -> Path:
    """Write a run.

    Args:
        folder: made.
        ports: (direction, what was recorded, what was expected) by name.
        buses: transactions by bus port.
        data: keep the traces, not their times alone.
        said: of the report.
    """
    entries = {}
    for name, (direction, got, expected) in ports.items():
        entry = {"direction": direction, "dtype": None, "width": got.width, "trace": None, "expected": None}
        entry["throughput"] = measures_dict(measure(got))
        if expected is not None:
            entry["model"] = "equal" if got == expected else "differs"
        for kind, trace in (("traces", got), ("expected", expected)):
            if data and trace is not None:
                (folder / kind).mkdir(parents=True, exist_ok=True)
                trace.save(folder / kind / f"{name}.trace")
                entry["trace" if kind == "traces" else "expected"] = f"{kind}/{name}.trace"
        entries[name] = entry
    folder.mkdir(parents=True, exist_ok=True)
    save_episodes([WholeEpisode(0, 0, {n: p[1] for n, p in ports.items()}, buses or {})], folder / FILE)
    report = {
        "design": "mover",
        "case": "random",
        "seed": 0,
        "status": "pass",
        "compared": 7,
        "episodes": 1,
        "main_episode": 0,
        "params": {"DEPTH": 16},
        "options": {"gaps": "any"},
        "ports": entries,
        "repeat": "goldbeat run mover.toml --case random --seed 0",
        "repeat_in": "/a/b",
        "measured": {"file": FILE, "whole": 1, "cut": 0, "dtypes": dict.fromkeys(entries)},
        **said,
    }
    (folder / "report.json").write_text(json.dumps(report))
    return folder


class Links(HTMLParser):
    """Everything that a page refers to, its ids and its tags."""

    def __init__(self):
        super().__init__()
        self.links, self.ids, self.tags = [], set(), []

    def handle_starttag(self, tag, attrs):
        named = dict(attrs)
        self.tags.append(tag)
        self.links += [v for k, v in named.items() if k in ("href", "src")]
        if "id" in named:
            self.ids.add(named["id"])


def check_links(page: Path) -> Links:
    """Every link of a page leads to a part of it, to a file beside it or to an inlined picture; nothing is loaded."""
    found = Links()
    text = page.read_text()
    found.feed(text)
    assert "@import" not in text
    assert "url(" not in text
    for link in found.links:
        if link.startswith("#"):
            assert link[1:] in found.ids, link
        elif not link.startswith("data:"):
            assert (page.parent / link).is_file(), link
    return found


def browse(page: Path, scratch: Path, *more: str) -> subprocess.CompletedProcess[str]:
    """Open a page in a browser without a window."""
    assert BROWSER is not None
    return subprocess.run(
        [
            *(BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
            *("--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars"),
            *("--enable-logging=stderr", f"--user-data-dir={scratch / 'profile'}", "--allow-file-access-from-files"),
            *(*more, page.as_uri()),
        ],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def on_phone(page: Path, scratch: Path, script: str = "") -> dict[str, str]:
    """What a page says of itself 390 pixels wide, after a script has run in it: ``name=value`` pairs; console messages too."""
    return in_frame(page.read_text(), page.parent, scratch, script, 390)


CUT = """
const cut = [...document.querySelectorAll("body, .scroll, .diagram, pre")].filter((e) =>
  e.scrollWidth > e.clientWidth + 1 && e.clientWidth);
const tools = [...document.querySelectorAll(".tools, .live, nav")].filter((e) => e.getClientRects().length);
const open = [...document.querySelectorAll("details pre")].filter((e) => e.checkVisibility()).length;
globalThis.said = `cut=${cut.length};tools=${tools.length};open=${open};paper=${getComputedStyle(document.body).backgroundColor};`;
"""


def on_paper(page: Path, scratch: Path) -> dict[str, str]:
    """The same of a page as printed on A4: what is wider than its place, buttons, and failures that are not folded."""
    text = page.read_text()
    assert text.count("@media print") == 1
    assert text.count("@media screen and (prefers-color-scheme") == text.count("(prefers-color-scheme: dark) {")
    return in_frame(text.replace("@media print", "@media all"), page.parent, scratch, CUT, 718)


def in_frame(text: str, folder: Path, scratch: Path, script: str, width: int) -> dict[str, str]:
    """What a page of this folder says of itself after a script, in a frame of so many pixels."""
    probe = folder / "probe.html"
    said = "document.title = `width=${document.documentElement.scrollWidth};${globalThis.said || ''}`;"
    probe.write_text(text.replace("</body>", f"<script>{script};{said}</script></body>"))
    frame = scratch / "frame.html"
    after = "f.onload = () => setTimeout(() => { document.body.dataset.said = f.contentDocument.title }, 500)"
    inner = f'<iframe id="f" style="width:{width}px;height:900px;border:0" src="{probe.as_uri()}"></iframe>'
    frame.write_text(f"<!doctype html><body>{inner}<script>{after}</script></body>")
    done = browse(frame, scratch, "--virtual-time-budget=3000", "--dump-dom")
    probe.unlink()
    found = re.search(r'data-said="([^"]*)"', done.stdout)
    assert found, done.stdout[-500:] + done.stderr[-500:]
    console = "".join(re.findall(r".*CONSOLE.*", done.stderr))
    return {"console": console, **dict(pair.split("=", 1) for pair in found[1].split(";") if "=" in pair)}
