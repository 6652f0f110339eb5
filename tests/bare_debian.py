# SPDX-License-Identifier: Apache-2.0
"""Run ``make run`` and ``make test`` in bare Debian file trees: the packages of docs/install.md and nothing else.

    sudo python tests/bare_debian.py [--run-only] [--keep] [--folder FOLDER] [12] [13]

Needs root, debootstrap, chroot and a network. apt and pip work inside as they do here: their configuration is copied, and
folders that pip's names are mounted. One line per release says whether it passed; the exit code is 1 if one failed.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
RELEASES = {"12": "bookworm", "13": "trixie"}
INSIDE = "goldbeat"
# The file with the certificates that are trusted here, for what names it.
_CERTIFICATES = ("PIP_CERT", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")
_PASSED_ON = (*_CERTIFICATES, "PIP_", "http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")


def packages(release: str) -> list[str]:
    """What docs/install.md says to install."""
    page = (REPOSITORY / "docs" / "install.md").read_text(encoding="utf-8")
    (line,) = re.findall(rf"^apt install ([^#\n]+)# Debian {release}$", page, flags=re.M)
    return line.split()


def environment() -> dict[str, str]:
    """That of the commands inside; of ours, what networks and pip need."""
    ours = {name: value for name, value in os.environ.items() if name.startswith(_PASSED_ON)}
    path = "/usr/sbin:/usr/bin:/sbin:/bin"
    return ours | {"PATH": path, "HOME": "/root", "LANG": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"}


def run(command: list[str], log: Path, *, cwd: Path | None = None) -> bool:
    """Run a command and append what it prints; whether it worked."""
    with log.open("a") as stream:
        stream.write(f"$ {' '.join(command)}\n")
        stream.flush()
        done = subprocess.run(command, cwd=cwd, env=environment(), stdout=stream, stderr=subprocess.STDOUT, check=False)
    return done.returncode == 0


def named_files() -> list[Path]:
    """Files and folders of this machine that pip's configuration names, and the configuration itself."""
    told = subprocess.run(
        [sys.executable, "-m", "pip", "config", "debug"], capture_output=True, text=True, check=False
    ).stdout
    texts = [told, *(value for name, value in os.environ.items() if name.startswith(_PASSED_ON))]
    # The links of an index lead to files beside it.
    names = {Path(name).parent for text in texts for name in re.findall(r"file://(/[^\s:,'\"]+)", text)}
    names |= {Path(name) for text in texts for name in re.findall(r"(?<![\w/:])/[^\s:,'\"]+", text)}
    return sorted(path for path in names if path.exists() and path.parent != path)


@contextmanager
def mounted(tree: Path) -> Iterator[None]:
    """With the system's file systems inside, and what pip needs of this machine."""
    with ExitStack() as stack:
        for source in (Path("/proc"), Path("/dev"), Path("/dev/shm"), *(p for p in named_files() if p.is_dir())):
            target = tree / source.relative_to("/")
            target.mkdir(parents=True, exist_ok=True)
            subprocess.run(["mount", "--bind", str(source), str(target)], check=True)
            # Lazily: a process that is still ending must not keep a bind mount below a folder that is removed.
            stack.callback(subprocess.run, ["umount", "--lazy", str(target)], check=True)
        yield


def configure(tree: Path) -> None:
    """Give apt and pip inside the configuration that they have here."""
    for source in (Path("/etc/resolv.conf"), Path("/etc/hosts"), *(p for p in named_files() if p.is_file())):
        target = tree / source.relative_to("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.unlink(missing_ok=True)
        shutil.copyfile(source, target)
    for folder in ("apt.conf.d", "auth.conf.d"):
        shutil.copytree(f"/etc/apt/{folder}", tree / "etc" / "apt" / folder, dirs_exist_ok=True)


def mirror() -> str:
    """The mirror that this machine's apt uses."""
    asked = ["apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages", "Origin: Debian"]
    lines = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.split()
    return next((line.rstrip("/") for line in lines if not line.rstrip("/").endswith("security")), "")


def try_release(release: str, folder: Path, targets: list[str]) -> str:
    """Make the tree, install, run; what to say of it, which begins with PASS or FAIL."""
    tree, log = folder / RELEASES[release], folder / f"debian-{release}.log"
    log.unlink(missing_ok=True)
    begin = time.monotonic()
    base = ["debootstrap", "--variant=minbase", RELEASES[release], str(tree), *filter(None, [mirror()])]
    if not run(base, log):
        return f"FAIL debootstrap: {log}"
    configure(tree)
    inside = ["chroot", str(tree)]
    with mounted(tree):
        steps = {
            "apt-get update": [*inside, "apt-get", "update", "-q"],
            "apt-get install": [*inside, "apt-get", "install", "-qy", "--no-install-recommends", *packages(release)],
            "git clone": ["git", "clone", "-q", "--no-hardlinks", str(REPOSITORY), str(tree / "root" / INSIDE)],
        }
        steps |= {f"make {target}": [*inside, "make", "-C", f"/root/{INSIDE}", target] for target in targets}
        times = []
        for name, command in steps.items():
            started = time.monotonic()
            if not run(command, log):
                return f"FAIL {name}: {log}"
            # A package that was installed may have brought certificates of its own.
            configure(tree)
            times.append(f"{name} {time.monotonic() - started:.0f} s")
    return f"PASS {', '.join(times)} ({time.monotonic() - begin:.0f} s)"


def main() -> int:
    """Try each release; 1 if one failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("releases", nargs="*", help="Debian releases: 12, 13. Default: all.")
    parser.add_argument("--run-only", action="store_true", help="Leave out make test.")
    parser.add_argument("--keep", action="store_true", help="Keep the file trees.")
    parser.add_argument("--folder", type=Path, help="Existing folder for trees and logs. Default: a temporary one.")
    given = parser.parse_args()
    if unknown := set(given.releases) - set(RELEASES):
        parser.error(f"unknown release {min(unknown)}, expected {' or '.join(RELEASES)}")
    if os.geteuid() or shutil.which("debootstrap") is None:
        parser.error("needs root and debootstrap; to get it: apt install debootstrap")
    folder = (given.folder or Path(tempfile.mkdtemp(prefix="bare-debian-"))).resolve()
    passed = True
    for release in given.releases or RELEASES:
        said = try_release(release, folder, ["run"] if given.run_only else ["run", "test"])
        print(f"Debian {release}: {said}", flush=True)
        passed &= said.startswith("PASS")
        if not given.keep:
            # Not what is mounted there, should anything still be.
            subprocess.run(["rm", "-rf", "--one-file-system", str(folder / RELEASES[release])], check=False)
    return not passed


if __name__ == "__main__":
    sys.exit(main())
