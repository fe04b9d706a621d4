"""The package's wheel contains the current files of the checkout, and nothing from earlier builds."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import kauriboost as kb
import pytest

pytest.importorskip("setuptools", minversion="77")

SOURCE = Path(__file__).resolve().parents[2] / "python-package"
BUILD = "import setuptools.build_meta as backend, sys; backend.{}(sys.argv[1])"


class Checkout:
    """A copy of the package in a folder like the project's, with prebuilt libraries."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.package = folder / "python-package"
        shutil.copytree(SOURCE, self.package, ignore=shutil.ignore_patterns("*.egg-info", "__pycache__", "lib"))
        self.libraries = folder / "built" / "lib"
        self.libraries.mkdir(parents=True)
        (self.libraries / "libkauri.so").write_bytes(b"library")
        self.program = self.libraries.parent / "bin" / "kauri"
        self.program.parent.mkdir()
        self.program.write_bytes(b"program")
        self.program.chmod(0o755)

    def run(self, hook: str, target: Path, library: str = "libkauri.so") -> None:
        target.mkdir(exist_ok=True)
        environment = {**os.environ, "KAURI_LIBRARY": str(self.libraries / library)}
        command = [sys.executable, "-c", BUILD.format(hook), str(target)]
        done = subprocess.run(command, cwd=self.package, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr

    def wheel(self, library: str = "libkauri.so") -> dict[str, bytes]:
        """Build a wheel around a library; return its files."""
        target = self.folder / "wheels"
        shutil.rmtree(target, ignore_errors=True)
        self.run("build_wheel", target, library)
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
    files = [path for path in (checkout.package / "kauriboost").rglob("*") if path.is_file()]
    expected = {path.relative_to(checkout.package).as_posix(): path.read_bytes() for path in files}
    built = {"kauriboost/lib/libkauri.so": b"library", "kauriboost/bin/kauri": b"program"}
    assert found == {**expected, **built}
    assert checkout.files() == before  # nothing is left that a later build could find


def test_the_command_is_the_program(checkout: Checkout, tmp_path: Path) -> None:
    (entries,) = (content for name, content in checkout.wheel().items() if name.endswith("entry_points.txt"))
    assert entries.decode().split() == ["[console_scripts]", "kauri", "=", "kauriboost._binding.program:main"]
    with ZipFile(next((checkout.folder / "wheels").glob("*.whl"))) as archive:
        assert archive.getinfo("kauriboost/bin/kauri").external_attr >> 16 & 0o111 == 0o111
    command = [sys.executable, "-c", "from kauriboost._binding.program import main; main()"]
    here = {**os.environ, "PYTHONPATH": str(SOURCE)}
    done = subprocess.run([*command, "--version"], env=here, capture_output=True, text=True, check=True)
    assert done.stdout.startswith(f"kauri {kb.__version__}\n")
    done = subprocess.run([*command, "max_dept=3"], env=here, capture_output=True, text=True, check=False)
    assert (done.returncode, "did you mean 'max_depth'?" in done.stderr) == (1, True)
    alone = tmp_path / "alone" / "lib" / "libkauri.so"
    alone.parent.mkdir(parents=True)
    shutil.copy(os.environ["KAURI_LIBRARY"], alone)
    done = subprocess.run(
        command, env={**here, "KAURI_LIBRARY": str(alone)}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "there is no program" in done.stderr


def test_a_wheel_without_a_library_is_refused(checkout: Checkout) -> None:
    library = checkout.libraries / "libkauri.so"
    library.unlink()
    with pytest.raises(AssertionError, match=r"There is no file .*libkauri\.so', which KAURI_LIBRARY names"):
        checkout.wheel()
    (checkout.libraries / "other.so").write_bytes(b"library")
    with pytest.raises(AssertionError, match=r"holds no library .*libkauri.*\.so or kauri\.dll"):
        checkout.wheel("other.so")
    assert not list((checkout.folder / "wheels").glob("*.whl"))


def test_what_is_gone_is_not_shipped(checkout: Checkout) -> None:
    package = checkout.package / "kauriboost"
    for path in (package / "gone.py", package / "lib" / "gone.so"):
        path.parent.mkdir(exist_ok=True)
        path.write_text("x = 1")
    (checkout.libraries / "libkauri_cuda.so").write_bytes(b"plug-in")
    first = modules(checkout.wheel())
    gone = {"kauriboost/gone.py", "kauriboost/lib/gone.so", "kauriboost/lib/libkauri_cuda.so"}
    assert gone <= first.keys()
    (package / "gone.py").unlink()
    shutil.rmtree(package / "lib")
    (checkout.libraries / "libkauri_cuda.so").unlink()
    checkout.program.unlink()
    gone.add("kauriboost/bin/kauri")
    second = modules(checkout.wheel())
    assert second == {name: content for name, content in first.items() if name not in gone}


def test_an_older_file_of_other_content_is_shipped(checkout: Checkout) -> None:
    """Checking out another commit with its modification times leaves such a file."""
    path = checkout.package / "kauriboost" / "module.py"
    for content, time in (("new = 1", 2e9), ("old = 1", 1e9)):
        path.write_text(content)
        os.utime(path, (time, time))
        assert checkout.wheel()["kauriboost/module.py"] == content.encode()


def test_what_older_versions_left_behind_is_not_shipped(checkout: Checkout) -> None:
    """These are their build folder, the folder of an interrupted build, and their list of files."""
    name = f"lib.linux-x86_64-cpython-{sys.version_info[0]}{sys.version_info[1]}"
    old = checkout.folder / "build" / "python-package"
    for folder in ("lib", name, "bdist.linux-x86_64/wheel"):
        (old / folder / "kauriboost").mkdir(parents=True)
        (old / folder / "kauriboost" / "gone.py").write_text("x = 1")
    information = checkout.package / "kauriboost.egg-info"
    information.mkdir()
    (information / "SOURCES.txt").write_text("kauriboost/gone.py\nkauriboost/notes.txt\n")
    (information / "entry_points.txt").write_text("[console_scripts]\ngone = kauriboost.gone:main\n")
    (checkout.package / "kauriboost" / "notes.txt").write_text("of no use to others")
    found = checkout.wheel()
    assert not any("gone" in name or "notes" in name for name in found)
    (entries,) = (content for name, content in found.items() if name.endswith("entry_points.txt"))
    assert b"gone" not in entries


def test_metadata_and_editable_installs(checkout: Checkout) -> None:
    before = checkout.files()
    checkout.run("prepare_metadata_for_build_wheel", checkout.folder / "wheels")
    assert list((checkout.folder / "wheels").glob("kauriboost-*.dist-info/METADATA"))
    checkout.run("build_editable", checkout.folder / "wheels")
    assert list((checkout.folder / "wheels").glob("kauriboost-*editable*.whl"))
    assert checkout.files() == before
