"""The wheels made by cmake/wheels.sh, in empty virtual environments without access to the checkout."""

from __future__ import annotations

import functools
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path
from zipfile import ZipFile

import pytest

pytest.importorskip("auditwheel")
pytest.importorskip("setuptools", minversion="77")

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("KAURI_BUILD_DIR", ROOT / "build"))
SESSION = Path(__file__).with_name("wheel_session.py")
MEBIBYTE = 1 << 20
ON_REQUEST = "only with KAURI_WHEELS=all: minutes for what rarely changes"
# The libraries that auditwheel's manylinux assumes; all others are included.
SYSTEM = r"(linux-vdso|libc|libm|libgcc_s|libstdc\+\+|libz|ld-linux-x86-64)\.so(\.\d+)?"


sys.path.insert(0, str(ROOT / "cmake"))
import try_wheels  # noqa: E402

ALWAYS = {(9, "oldest"), (13, "newest")}  # the others only with KAURI_WHEELS=all, because they take a minute each


def run(*command: object, **environment: str) -> str:
    """Run a command with these variables and no others of ours; return its output."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("KAURI_", "PYTHON"))}
    done = subprocess.run(
        [str(part) for part in command], env={**kept, **environment}, text=True, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of wheels that wheels.sh makes from the build under test."""
    folder = tmp_path_factory.mktemp("wheels")
    run(ROOT / "cmake" / "wheels.sh", "--from", BUILD, folder, KAURI_PYTHON=sys.executable)
    return folder


def the_wheel(folder: Path, name: str = "kauriboost") -> Path:
    (wheel,) = folder.glob(f"{name}-*.whl")
    return wheel


def unpack(wheel: Path, folder: Path) -> list[Path]:
    """Return its files; machine code is made executable."""
    with ZipFile(wheel) as archive:
        archive.extractall(folder)
    files = [path for path in folder.rglob("*") if path.is_file()]
    for path in files:
        path.chmod(0o755)
    return files


def machine_code(files: list[Path]) -> list[Path]:
    return sorted(path for path in files if path.read_bytes()[:4] == b"\x7fELF")


def test_a_wheel_is_small_and_says_where_it_runs(wheels: Path) -> None:
    wheel = the_wheel(wheels)
    assert wheel.stat().st_size < 8 * MEBIBYTE
    assert re.fullmatch(r"kauriboost-[\d.]+-py3-none-manylinux_2_\d\d_x86_64\.whl", wheel.name)


def uses_openmp(library: Path) -> bool:
    return "libgomp.so" in run("readelf", "-d", library)


def test_wheels_of_an_index_have_no_openmp() -> None:
    """Debian's needs a later glibc than manylinux_2_28 has (demo/guide/building.md)."""
    presets = json.loads((ROOT / "CMakePresets.json").read_text())["configurePresets"]
    chosen = {preset["name"]: preset for preset in presets}
    assert chosen["wheel"]["cacheVariables"]["KAURI_OPENMP"] == "OFF"
    assert chosen["wheel-cuda"]["inherits"] == "wheel"


def test_a_wheel_needs_nothing_that_a_system_may_lack(wheels: Path, tmp_path: Path) -> None:
    code = machine_code(unpack(the_wheel(wheels), tmp_path))
    names = {re.sub(r"-[0-9a-f]{8}\.so.*", "", path.name) for path in code}
    openmp = {"libgomp"} if uses_openmp(BUILD / "lib" / "libkauri.so") else set()  # not those of an index
    assert names == {"libhwy", "kauri", "libkauri.so.0.1", *openmp}
    for path in code:
        for line in run("ldd", path).splitlines():
            name, _, place = line.strip().partition(" => ")
            inside = place.startswith(f"{tmp_path}/")
            assert inside or re.fullmatch(SYSTEM, Path(name.split(" ")[0]).name), f"{path.name} needs {line}"


def test_licences_come_along(wheels: Path) -> None:
    for wheel in wheels.glob("*.whl"):
        with ZipFile(wheel) as archive:
            texts = {Path(name).name: archive.read(name) for name in archive.namelist() if "/licenses/" in name}
        assert texts["LICENSE"] == (ROOT / "LICENSE").read_bytes()
        assert b"Highway" in texts["THIRD-PARTY"]


def test_the_plug_in_is_a_wheel_of_its_own(wheels: Path, tmp_path: Path) -> None:
    if not (BUILD / "lib" / "libkauri_cuda.so").exists():
        assert not list(wheels.glob("kauriboost_cuda*"))
        return
    wheel = the_wheel(wheels, "kauriboost_cuda")
    assert wheel.stat().st_size < 60 * MEBIBYTE
    files = unpack(wheel, tmp_path)
    (plugin,) = tmp_path.glob("kauriboost/lib/*")
    assert plugin.name == "libkauri_cuda.so"
    assert not list(tmp_path.glob("kauriboost/*.py"))
    (metadata,) = (path for path in files if path.name == "METADATA")
    version = the_wheel(wheels).name.split("-")[1]
    assert f"Requires-Dist: kauriboost=={version}\n" in metadata.read_text()
    unpack(the_wheel(wheels), tmp_path)
    for line in run("ldd", plugin).splitlines():  # installed beside the library
        assert "not found" not in line
        assert "libkauri.so" not in line or str(tmp_path) in line


def test_both_wheels_on_a_device(wheels: Path, tmp_path: Path) -> None:
    """The wheels' dependencies come from this environment, because a machine with a device may have no others."""
    import kauriboost as kb

    if not kb.build_info()["USE_CUDA"]:
        pytest.skip("no CUDA device")
    run(sys.executable, "-m", "venv", "--system-site-packages", tmp_path / "empty")
    python = tmp_path / "empty" / "bin" / "python"
    run(python, "-m", "pip", "install", "--no-index", "--no-deps", *wheels.glob("*.whl"))
    assert "on a CUDA device" in run(python, "-I", SESSION, tmp_path)


def the_sources(folder: Path) -> Path:
    (archive,) = folder.glob("kauriboost-*.tar.gz")
    return archive


def test_the_source_distribution_has_what_the_library_is_built_from(wheels: Path) -> None:
    with tarfile.open(the_sources(wheels)) as archive:
        names = {name.partition("/")[2]: archive.getmember(name) for name in archive.getnames()}
    for folder in ("cmake", "include", "src", "plugin"):
        files = {path.relative_to(ROOT).as_posix() for path in (ROOT / folder).rglob("*") if path.is_file()}
        assert files <= names.keys()
    assert {"CMakeLists.txt", "setup.py", "platform_wheel.py", "kauriboost/__init__.py"} <= names.keys()
    assert names["LICENSE"].size == (ROOT / "LICENSE").stat().st_size


@pytest.mark.skipif(os.environ.get("KAURI_WHEELS") != "all", reason=ON_REQUEST)
def test_the_source_distribution_builds(wheels: Path, tmp_path: Path) -> None:
    require_pypi()
    run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", tmp_path, the_sources(wheels))
    files = {path.name for path in unpack(the_wheel(tmp_path), tmp_path / "unpacked")}
    assert {"libkauri.so.0.1", "kauri"} <= files
    assert run(tmp_path / "unpacked" / "kauriboost" / "bin" / "kauri", "--version").startswith("kauri ")


def find_python(minor: int) -> Path:
    """Return a Python 3.minor from $PATH or pyenv."""
    found = try_wheels.find_python(minor)
    if found is None:
        pytest.skip(f"no Python 3.{minor} with ensurepip: one of those that the wheel is for")
    return found


@functools.cache
def pypi_answers() -> bool:
    command = [sys.executable, "-m", "pip", "index", "versions", "numpy"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def require_pypi() -> None:
    if not pypi_answers():
        pytest.skip("PyPI cannot be reached, whose packages an empty environment needs")


@pytest.mark.parametrize("claim", try_wheels.CLAIMS, ids=lambda claim: f"3.{claim.minor}-{claim.age}")
def test_in_an_empty_environment(claim: try_wheels.Claim, wheels: Path, tmp_path: Path) -> None:
    """It comes by its name from an index, so its own metadata bring the packages that it needs."""
    if (claim.minor, claim.age) not in ALWAYS and os.environ.get("KAURI_WHEELS") != "all":
        pytest.skip(ON_REQUEST)
    python = find_python(claim.minor)
    require_pypi()
    with try_wheels.index_of(wheels) as index:
        *_, done, version = try_wheels.try_claim(claim, index, python, tmp_path).splitlines()
    assert done == "all was done"
    assert version.startswith("kauri ")


def test_every_python_has_its_oldest_packages_and_the_newest() -> None:
    minors = [claim.minor for claim in try_wheels.CLAIMS]
    assert minors == sorted([*range(9, 14), *range(9, 14)])
    for claim in try_wheels.CLAIMS:
        assert bool(claim.pins) == (claim.age == "oldest")


def test_the_index_serves_wheels_by_their_names(tmp_path: Path) -> None:
    for name in ("kauriboost-0.1.0-py3-none-any.whl", "kauriboost_cuda-0.1.0-py3-none-any.whl", "kauriboost.tar.gz"):
        (tmp_path / name).write_bytes(name.encode())
    with try_wheels.index_of(tmp_path) as index:
        assert index.startswith("http://127.0.0.1:")
        for asked in ("kauriboost-cuda", "kauriboost_cuda"):
            with urllib.request.urlopen(f"{index}{asked}/") as answer:
                page = answer.read().decode()
            (link,) = re.findall(r'href="([^"]*)"', page)
            with urllib.request.urlopen(urllib.parse.urljoin(index, link)) as answer:
                assert answer.read() == b"kauriboost_cuda-0.1.0-py3-none-any.whl"
        with pytest.raises(urllib.error.HTTPError, match="404"):
            urllib.request.urlopen(f"{index}numpy/")


def test_a_python_that_is_missing_and_a_failure_are_reported(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(try_wheels, "find_python", lambda minor: None)
    assert try_wheels.report(try_wheels.Claim(9, "newest"), "no index")
    assert "no such Python here" in capsys.readouterr().out
    false = shutil.which("false")
    monkeypatch.setattr(try_wheels, "find_python", lambda minor: false)
    assert not try_wheels.report(try_wheels.Claim(9, "newest"), "no index")
    assert "FAILED" in capsys.readouterr().out
    with pytest.raises(SystemExit, match="no wheel of kauriboost"):
        try_wheels.main(tmp_path, [])
