# SPDX-License-Identifier: Apache-2.0
"""The picture in the README: what `make run` prints and draws. `make picture` calls this."""

import os
import subprocess
import sys
from pathlib import Path
from xml.sax.saxutils import escape

COLUMNS = 80
LEFT, LINE, LETTER = 20, 16, 13
PLOT = (1040, 540)


def printed(folder: Path) -> list[str]:
    """The lines that the run prints, without the folder's name.

    Args:
        folder: of `make run`; its stimulus is run again.

    Raises:
        subprocess.CalledProcessError: if the run fails
    """
    run = ["goldbeat", "run", "plio_fir", "--input", f"s_axis={folder / 'stimulus.txt'}", "--name", folder.name]
    done = subprocess.run(
        [str(Path(sys.executable).with_name("goldbeat")), *run[1:]],
        env=os.environ | {"COLUMNS": str(COLUMNS)},
        capture_output=True,
        text=True,
        check=True,
    )
    return [f"$ {' '.join(run)}", *(line.rstrip() for line in done.stdout.splitlines() if not line.startswith("in "))]


def picture(lines: list[str], plot: str) -> str:
    """An SVG of the lines in a terminal's letters, with the run's plot below them."""
    width, height = PLOT
    top = LINE * (len(lines) + 2)
    texts = "\n".join(
        f'<text x="{LEFT}" y="{LINE * (number + 2)}" xml:space="preserve">{escape(line)}</text>'
        for number, line in enumerate(lines)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {top + height}">\n'
        f'<rect width="100%" height="100%" fill="#1f2933"/>\n'
        f'<g font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="{LETTER}" fill="#f5f7fa">\n'
        f"{texts}\n</g>\n"
        f'<g transform="translate(0 {top})">\n{plot}\n</g>\n</svg>\n'
    )


if __name__ == "__main__":
    run, target = Path(sys.argv[1]), Path(sys.argv[2])
    lines = printed(run)
    target.write_text(picture(lines, (run / "plot.svg").read_text(encoding="utf-8")), encoding="utf-8")
    print(f"wrote {target}")
