#!/usr/bin/env python3
"""Installs wheels into empty environments from an index on this machine, and trains, predicts and explains there.

    python cmake/try_wheels.py FOLDER [3.9 ...]    FOLDER: what cmake/wheels.sh made; a Python: only this one

The index serves the wheels of FOLDER by their names, as PyPI would, so pip reads which Python and which packages they
need. Everything else comes from PyPI. Each Python is tried with the oldest packages that exist for it and that the
wheel accepts, and with the newest. A Python comes from $PATH or pyenv; one that is not there is reported as missing.
"""

from __future__ import annotations

import contextlib
import functools
import html
import http.server
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

SESSION = Path(__file__).resolve().parents[1] / "tests" / "python" / "wheel_session.py"
PYTHONS = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
EXTRAS = "pandas,sklearn,sparse"


class Claim(NamedTuple):
    """A Python 3.minor and the packages that are pinned there: the oldest ones, or none for the newest."""

    minor: int
    age: str
    pins: tuple[str, ...] = ()


CLAIMS = [
    Claim(9, "oldest", ("numpy==1.22.0", "pandas==1.4.0", "scikit-learn==1.2.0", "scipy==1.8.0")),
    Claim(9, "newest"),
    Claim(10, "oldest", ("numpy==1.22.0", "pandas==1.4.0", "scikit-learn==1.2.0", "scipy==1.8.0")),
    Claim(10, "newest"),
    Claim(11, "oldest", ("numpy==1.23.2", "pandas==1.5.1", "scikit-learn==1.2.0", "scipy==1.9.3")),
    Claim(11, "newest"),
    Claim(12, "oldest", ("numpy==1.26.0", "pandas==2.1.1", "scikit-learn==1.3.1", "scipy==1.11.3")),
    Claim(12, "newest"),
    Claim(13, "oldest", ("numpy==2.1.0", "pandas==2.2.3", "scikit-learn==1.5.2", "scipy==1.14.1")),
    Claim(13, "newest"),
]


class CommandError(Exception):
    """A command failed; the message is what it printed."""


def run(*command: object, cwd: Path | None = None) -> str:
    """Run a command without the variables of Kauri and Python, and return what it prints."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("KAURI_", "PYTHON"))}
    words = [str(part) for part in command]
    done = subprocess.run(words, env=kept, cwd=cwd, text=True, capture_output=True, check=False)
    if done.returncode != 0:
        raise CommandError(f"{' '.join(words)}\n{done.stdout}{done.stderr}")
    return done.stdout


def normalised(name: str) -> str:
    """Return the name by which an index knows a package."""
    return re.sub(r"[-_.]+", "-", name).lower()


class IndexPages(http.server.SimpleHTTPRequestHandler):
    """Answers /simple/NAME/ with links to the wheels of a package, and /FILE with the file."""

    def do_GET(self) -> None:
        """Answer a request."""
        asked = re.fullmatch(r"/simple/([^/]+)/?", self.path)
        if asked is None:
            super().do_GET()
            return
        names = [path.name for path in sorted(Path(self.directory).glob("*.whl"))]
        links = [name for name in names if normalised(name.split("-")[0]) == normalised(asked[1])]
        if not links:
            self.send_error(404)
            return
        page = "".join(f'<a href="/{html.escape(name)}">{html.escape(name)}</a>\n' for name in links).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(page)))
        self.end_headers()
        self.wfile.write(page)

    def log_message(self, *_: object) -> None:
        """Print nothing."""


@contextlib.contextmanager
def index_of(folder: Path) -> Iterator[str]:
    """Serve the wheels of a folder on this machine alone, and give the address for pip."""
    handler = functools.partial(IndexPages, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/simple/"
        server.shutdown()


def find_python(minor: int) -> Path | None:
    """Return a Python 3.minor that can make environments, from $PATH or pyenv."""
    at_hand = shutil.which(f"python3.{minor}")
    for place in [*sorted(PYTHONS.glob(f"3.{minor}.*/bin/python")), *([Path(at_hand)] if at_hand else [])]:
        done = subprocess.run([place, "-c", "import ensurepip, ssl"], capture_output=True, check=False)
        if done.returncode == 0:
            return place
    return None


def try_claim(claim: Claim, index: str, python: Path, folder: Path) -> str:
    """Install kauriboost by its name into an empty environment, use it, and return what the session prints."""
    run(python, "-m", "venv", folder / "venv")
    inside = folder / "venv" / "bin"
    options = ("--quiet", "--no-compile", "--only-binary=:all:", "--extra-index-url", index)
    run(inside / "pip", "install", *options, f"kauriboost[{EXTRAS}]", *claim.pins, cwd=folder)
    run(inside / "pip", "check")
    session = shutil.copy(SESSION, folder)
    out = run(inside / "python", "-I", session, folder)
    return out + run(inside / "kauri", "--version").splitlines()[0] + "\n"


def report(claim: Claim, index: str) -> bool:
    """Try a claim, print a line about it, and return whether it held."""
    python = find_python(claim.minor)
    if python is None:
        print(f"3.{claim.minor:<4} {claim.age}   no such Python here", flush=True)
        return True
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="kauri-wheel-") as folder:
        try:
            lines = try_claim(claim, index, python, Path(folder).resolve()).splitlines()
            held, outcome = lines[-2] == "all was done", f"{lines[-2]}: Python {lines[-3]}"
        except CommandError as failure:
            held, outcome = False, f"FAILED: {failure}"
    print(f"3.{claim.minor:<4} {claim.age}   {time.monotonic() - start:4.0f} s   {outcome}", flush=True)
    return held


def main(folder: Path, pythons: list[str]) -> int:
    """Try all claims about the Pythons, or about those that are named."""
    chosen = [claim for claim in CLAIMS if not pythons or f"3.{claim.minor}" in pythons]
    if not chosen or not list(folder.glob("kauriboost-*.whl")):
        raise SystemExit(f"error: no wheel of kauriboost in {folder}, or none of the Pythons {pythons} is claimed")
    with index_of(folder) as index:
        held = [report(claim, index) for claim in chosen]
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
