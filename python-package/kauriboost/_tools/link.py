"""Puts Kauri's library under an installed XGBoost, and takes it away again.

    python -m kauriboost.link xgboost
    python -m kauriboost.link xgboost --undo

XGBoost's Python package then runs on Kauri: its estimators, pickles and tools stay as they are. Its own library is kept
in the same folder, as ``libxgboost.so.original``. Kauri's library is copied together with the libraries that it needs.
So the package still works when `kauriboost` or they are removed, and both may be used in one process. After an update
of either package, link again.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

from .._binding.errors import FileError, KauriError, ParameterError
from .._binding.library import find_library
from .companions import find_companions, names_needed_by

_OLDEST, _NEWEST = (1, 7), (3, 4)  # range of package versions that were tested
_MARK = b"KauriGetLastErrorKind"  # a name that only Kauri's library has
_PLUGIN = "libkauri_cuda.so"
_TRIAL = "import xgboost; print('KAURI_VERSION' in xgboost.build_info())"


class _Installed:
    """The library of an installed package, and the files in its folder."""

    def __init__(self, package: Path) -> None:
        self.package = package
        self.library = package / "lib" / "libxgboost.so"
        self.original = package / "lib" / "libxgboost.so.original"
        self.plugin = package / "lib" / _PLUGIN

    def is_linked(self) -> bool:
        """Return whether the library is Kauri's."""
        return _MARK in self.library.read_bytes()

    def require_known(self) -> None:
        """Raise an error unless the package has a version and layout that Kauri supports."""
        if not self.library.is_file():
            raise ParameterError(
                f"XGBoost at {self.package} has no lib/libxgboost.so, as its wheels for Linux have; "
                "install one with `pip install xgboost-cpu`."
            )
        text = (self.package / "VERSION").read_text(encoding="utf-8").strip()
        numbers = tuple(int(part) for part in text.split(".")[:2] if part.isdigit())
        if not _OLDEST <= numbers <= _NEWEST:
            oldest, newest = (".".join(map(str, version)) for version in (_OLDEST, _NEWEST))
            raise ParameterError(
                f"XGBoost at {self.package} is of version {text}; Kauri knows {oldest} to {newest}. "
                f"Install one of them, as in `pip install 'xgboost-cpu~={newest}.0'`."
            )

    def run_trial(self) -> None:
        """Raise an error unless a fresh Python imports the package with Kauri's library."""
        found = {**os.environ, "PYTHONPATH": str(self.package.parent)}
        done = subprocess.run([sys.executable, "-c", _TRIAL], env=found, capture_output=True, text=True, check=False)
        if done.stdout.strip() != "True":
            reason = (done.stderr.strip() or done.stdout.strip() or "it ended without a word").splitlines()[-1]
            raise FileError(
                f"XGBoost at {self.package} does not start on Kauri's library: {reason}. Its own is back in place. "
                "Where a library is missing, install it."
            )


def _find_package(name: str) -> _Installed:
    if name != "xgboost":
        raise ParameterError(f"Kauri stands in for xgboost, not for {name!r}; say xgboost.")
    spec = importlib.util.find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        raise ParameterError(f"{sys.executable} has no package xgboost; install it with `pip install xgboost-cpu`.")
    return _Installed(Path(next(iter(spec.submodule_search_locations))))


def _replace(source: Path, target: Path) -> None:
    """Copy a file atomically: at every moment either the old or the new one exists."""
    beside = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        shutil.copyfile(source, beside)
        beside.chmod(0o755)
        beside.replace(target)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise FileError(f"{target} cannot be written: {error.strerror}; check the rights of its folder.") from error


def link(name: str = "xgboost") -> str:
    """Put Kauri's library under the package; return a sentence about what was done."""
    installed = _find_package(name)
    installed.require_known()
    ours = find_library().resolve()
    before = installed.library.read_bytes()
    if before == ours.read_bytes():
        return f"{installed.library} is Kauri's library already."
    had_link = _MARK in before
    if not had_link:
        _replace(installed.library, installed.original)
    _replace(ours, installed.library)
    if (ours.parent / _PLUGIN).exists():
        _replace(ours.parent / _PLUGIN, installed.plugin)
    for needed, place in find_companions(ours).items():
        _replace(place, installed.library.parent / needed)
    try:
        installed.run_trial()
    except KauriError:
        _restore(installed)
        raise
    done = "is Kauri's library of now" if had_link else f"is Kauri's library; XGBoost's is kept as {installed.original}"
    return f"{installed.library} {done}."


def unlink(name: str = "xgboost") -> str:
    """Restore XGBoost's own library; return a sentence about what was done."""
    installed = _find_package(name)
    if not installed.library.exists() or not installed.is_linked():
        installed.original.unlink(missing_ok=True)  # left by a version before an update
        return f"{installed.library} is XGBoost's own library already."
    if not installed.original.exists():
        raise FileError(
            f"{installed.original}, where XGBoost's own library was kept, is gone; "
            "install it again with `pip install --force-reinstall --no-deps xgboost-cpu`."
        )
    _restore(installed)
    return f"{installed.library} is XGBoost's own library again."


def _restore(installed: _Installed) -> None:
    needed = names_needed_by(installed.library)
    installed.original.replace(installed.library)
    installed.plugin.unlink(missing_ok=True)
    for name in needed:
        (installed.library.parent / name).unlink(missing_ok=True)


def main(arguments: list[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m kauriboost.link", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("package", help="the installed package to put Kauri's library under: xgboost")
    parser.add_argument("--undo", action="store_true", help="put the package's own library back")
    options = parser.parse_args(arguments)
    try:
        print(unlink(options.package) if options.undo else link(options.package))
    except KauriError as error:
        print(f"kauriboost.link: {error}", file=sys.stderr)
        return 1
    return 0
