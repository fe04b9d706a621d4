"""The package's wheel holds what is in the checkout now, and nothing of earlier builds."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

pytest.importorskip("setuptools", minversion="70.1")

SOURCE = Path(__file__).resolve().parents[2] / "python-package"
BUILD = "import setuptools.build_meta as backend, sys; backend.{}(sys.argv[1])"


class Checkout:
    """A copy of the package in a folder like the project's, and libraries that are built already."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.package = folder / "python-package"
        shutil.copytree(SOURCE, self.package, ignore=shutil.ignore_patterns("*.egg-info", "__pycache__", "lib"))
        self.libraries = folder / "built" / "lib"
        self.libraries.mkdir(parents=True)
        (self.libraries / "libkauri.so").write_bytes(b"library")

    def run(self, hook: str, target: Path) -> None:
        target.mkdir(exist_ok=True)
        environment = {**os.environ, "KAURI_LIBRARY": str(self.libraries / "libkauri.so")}
        command = [sys.executable, "-c", BUILD.format(hook), str(target)]
        done = subprocess.run(command, cwd=self.package, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr

    def wheel(self) -> dict[str, bytes]:
        """Build a wheel; its files."""
        target = self.folder / "wheels"
        shutil.rmtree(target, ignore_errors=True)
        self.run("build_wheel", target)
        (path,) = target.glob("*.whl")
        with ZipFile(path) as archive:
            return {name: archive.read(name) for name in archive.namelist()}

    def files(self) -> set[str]:
        return {str(path.relative_to(self.folder)) for path in self.folder.rglob("*") if "wheels" not in path.parts}


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path)


def modules(wheel: dict[str, bytes]) -> dict[str, bytes]:
    return {name: content for name, content in wheel.items() if ".dist-info/" not in name}


def test_a_wheel_is_the_checkout(checkout: Checkout) -> None:
    before = checkout.files()
    found = modules(checkout.wheel())
    files = [path for path in (checkout.package / "kauri").rglob("*") if path.is_file()]
    expected = {path.relative_to(checkout.package).as_posix(): path.read_bytes() for path in files}
    assert found == {**expected, "kauri/lib/libkauri.so": b"library"}
    assert checkout.files() == before  # nothing is left behind that a later build could find


def test_what_is_gone_is_not_shipped(checkout: Checkout) -> None:
    package = checkout.package / "kauri"
    for path in (package / "gone.py", package / "lib" / "gone.so"):
        path.parent.mkdir(exist_ok=True)
        path.write_text("x = 1")
    (checkout.libraries / "libkauri_cuda.so").write_bytes(b"plug-in")
    first = modules(checkout.wheel())
    gone = {"kauri/gone.py", "kauri/lib/gone.so", "kauri/lib/libkauri_cuda.so"}
    assert gone <= first.keys()
    (package / "gone.py").unlink()
    shutil.rmtree(package / "lib")
    (checkout.libraries / "libkauri_cuda.so").unlink()
    second = modules(checkout.wheel())
    assert second == {name: content for name, content in first.items() if name not in gone}


def test_an_older_file_of_other_content_is_shipped(checkout: Checkout) -> None:
    """As a checkout of another commit with its times of change leaves it."""
    path = checkout.package / "kauri" / "module.py"
    for content, time in (("new = 1", 2e9), ("old = 1", 1e9)):
        path.write_text(content)
        os.utime(path, (time, time))
        assert checkout.wheel()["kauri/module.py"] == content.encode()


def test_what_older_versions_left_behind_is_not_shipped(checkout: Checkout) -> None:
    """Their build folder, that of an interrupted build, and their list of files."""
    name = f"lib.linux-x86_64-cpython-{sys.version_info[0]}{sys.version_info[1]}"
    old = checkout.folder / "build" / "python-package"
    for folder in ("lib", name, "bdist.linux-x86_64/wheel"):
        (old / folder / "kauri").mkdir(parents=True)
        (old / folder / "kauri" / "gone.py").write_text("x = 1")
    information = checkout.package / "kauri.egg-info"
    information.mkdir()
    (information / "SOURCES.txt").write_text("kauri/gone.py\nkauri/notes.txt\n")
    (information / "entry_points.txt").write_text("[console_scripts]\ngone = kauri.gone:main\n")
    (checkout.package / "kauri" / "notes.txt").write_text("of no use to others")
    found = checkout.wheel()
    assert not any("gone" in name or "notes" in name or "entry_points" in name for name in found)


def test_metadata_and_editable_installs(checkout: Checkout) -> None:
    before = checkout.files()
    checkout.run("prepare_metadata_for_build_wheel", checkout.folder / "wheels")
    assert list((checkout.folder / "wheels").glob("kauri-*.dist-info/METADATA"))
    checkout.run("build_editable", checkout.folder / "wheels")
    assert list((checkout.folder / "wheels").glob("kauri-*editable*.whl"))
    assert checkout.files() == before
