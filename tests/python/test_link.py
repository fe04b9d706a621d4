"""Kauri's library installed under an XGBoost package, and removed again."""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import xgboost
from kauriboost._binding.library import find_library
from kauriboost._tools.link import main

# Packages that XGBoost imports if they are installed. Without them it starts in a quarter of the time.
OPTIONAL = ("dask", "distributed", "pandas", "pyarrow", "sklearn")
WITHOUT = f"import sys\nsys.modules.update(dict.fromkeys({OPTIONAL}))\n"
PACKAGE = Path(__file__).resolve().parents[2] / "python-package"


class Installed:
    """A copy of XGBoost's package in its own folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.package = folder / "xgboost"
        self.library = self.package / "lib" / "libxgboost.so"
        self.original = self.package / "lib" / "libxgboost.so.original"
        source = Path(xgboost.__file__).parent
        shutil.copytree(source, self.package, ignore=shutil.ignore_patterns("lib"))
        (folder / "sitecustomize.py").write_text(WITHOUT)
        for beside in source.parent.glob("xgboost*.libs"):  # its OpenMP, which scikit-learn would have loaded
            shutil.copytree(beside, folder / beside.name)
        self.library.parent.mkdir()
        shutil.copy(source / "lib" / "libxgboost.so", self.library)
        self.bytes = self.library.read_bytes()

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run Python with this XGBoost first on its path."""
        paths = os.pathsep.join([str(self.folder), str(PACKAGE)])
        found = {**os.environ, "PYTHONPATH": paths, "KAURI_LIBRARY": str(find_library())}
        return subprocess.run(
            [sys.executable, *arguments], env=found, capture_output=True, text=True, timeout=120, check=False
        )

    def link(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Call the command in this process, whose trial of the package still gets a process of its own."""
        out, err = io.StringIO(), io.StringIO()
        with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            patch.delitem(sys.modules, "xgboost")
            patch.syspath_prepend(self.folder)
            status = main(["xgboost", *arguments])
        return subprocess.CompletedProcess([*arguments], status, out.getvalue(), err.getvalue())

    def command(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run the command in a process."""
        return self.run("-m", "kauriboost.link", "xgboost", *arguments)

    def is_kauri(self) -> bool:
        """Return whether the package reports Kauri's library."""
        done = self.run("-c", "import xgboost; print('KAURI_VERSION' in xgboost.build_info())")
        assert done.returncode == 0, done.stderr
        return done.stdout.strip() == "True"


@pytest.fixture
def installed(tmp_path: Path) -> Installed:
    return Installed(tmp_path)


def test_there_and_back(installed: Installed) -> None:
    done = installed.command()
    assert done.returncode == 0, done.stderr
    assert "is kept as" in done.stdout, done.stderr
    assert installed.is_kauri()
    assert installed.original.read_bytes() == installed.bytes
    again = installed.link()
    assert again.returncode == 0
    assert "already" in again.stdout
    assert installed.original.read_bytes() == installed.bytes
    back = installed.command("--undo")
    assert back.returncode == 0, back.stderr
    assert "own library again" in back.stdout, back.stderr
    assert installed.library.read_bytes() == installed.bytes
    assert not installed.original.exists()
    assert not installed.is_kauri()
    assert "already" in installed.link("--undo").stdout
    assert sorted(path.name for path in installed.library.parent.iterdir()) == ["libxgboost.so"]


def test_an_older_kauri_is_replaced(installed: Installed) -> None:
    assert installed.link().returncode == 0
    installed.library.unlink()
    installed.library.write_bytes(find_library().read_bytes() + b"another build")
    done = installed.link()
    assert done.returncode == 0, done.stderr
    assert "library of now" in done.stdout, done.stderr
    assert installed.library.read_bytes() == find_library().read_bytes()
    assert installed.original.read_bytes() == installed.bytes


def test_an_update_of_xgboost_is_linked_anew(installed: Installed) -> None:
    assert installed.link().returncode == 0
    updated = installed.bytes + b"of another version"
    installed.library.unlink()
    installed.library.write_bytes(updated)
    assert installed.link().returncode == 0
    assert installed.is_kauri()
    assert installed.original.read_bytes() == updated


def test_both_in_one_process(installed: Installed) -> None:
    assert installed.link().returncode == 0
    program = """
import numpy, xgboost, kauriboost
X = numpy.arange(40.0).reshape(20, 2)
xgboost.train({"silent": 1}, xgboost.DMatrix(X, X[:, 0]), 2)
try:
    kauriboost.train({"silent": 1}, kauriboost.DMatrix(X, X[:, 0]), 2)
except kauriboost.ParameterError as error:
    print("each has its own habits")
"""
    done = installed.run("-c", program)
    assert "each has its own habits" in done.stdout, done.stderr


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda it: (it.package / "VERSION").write_text("4.0.0\n"), "Kauri knows 1.7 to 3.4"),
        (lambda it: it.library.rename(it.folder / "elsewhere.so"), "has no lib/libxgboost.so"),
        (lambda it: (it.package / "core.py").write_text("raise ImportError('broken')\n"), "Its own is back in place"),
    ],
)
def test_what_it_does_not_know_is_left_alone(installed: Installed, change: object, message: str) -> None:
    change(installed)  # type: ignore[operator]
    done = installed.link()
    assert done.returncode == 1, done.stderr
    assert message in done.stderr, done.stderr
    assert not installed.library.exists() or installed.library.read_bytes() == installed.bytes


def test_what_the_library_needs_comes_along(installed: Installed) -> None:
    assert installed.link().returncode == 0
    carried = {path.name for path in installed.library.parent.iterdir()} - {"libxgboost.so", "libxgboost.so.original"}
    carried.discard("libkauri_cuda.so")
    assert any(name.startswith("libhwy.so") for name in carried), carried
    program = "import xgboost; print(open('/proc/self/maps').read())"
    loaded = {Path(line.split()[-1]) for line in installed.run("-c", program).stdout.splitlines() if ".so" in line}
    for name in carried:
        assert installed.library.parent / name in loaded, name
        assert [path.parent for path in loaded if path.name.startswith(name)] == [installed.library.parent]


def test_other_packages_and_lost_originals(installed: Installed) -> None:
    done = installed.run("-m", "kauriboost.link", "lightgbm")
    assert done.returncode == 1
    assert "'lightgbm'" in done.stderr
    assert installed.link().returncode == 0
    installed.original.unlink()
    done = installed.link("--undo")
    assert done.returncode == 1
    assert "pip install --force-reinstall" in done.stderr
    assert installed.is_kauri()
