"""Kauri for Windows, compiled by mingw-w64 and run under wine: the same bytes as here, and what is in its wheel."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(os.environ.get("KAURI_BUILD_DIR", ROOT / "build"))
THERE = ROOT / "build-cross" / "x86_64-windows-gnu"
WINE = "/usr/lib/wine/wine64"
DEMO = ROOT / "demo" / "data"
LONG = pytest.mark.skipif(
    os.environ.get("KAURI_LONG", "0") == "0", reason="only with KAURI_LONG=1: minutes of compiling"
)

sys.path.insert(0, str(ROOT / "cmake"))
import check_windows_wheel  # noqa: E402


def run(*command: object, folder: Path = ROOT, **environment: str) -> str:
    done = subprocess.run(
        [str(part) for part in command],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_header_declares_what_the_library_shows() -> None:
    table = run("nm", "-D", "--defined-only", HERE / "lib" / "libkauri.so")
    names = {line.split()[-1].split("@")[0] for line in table.splitlines()}
    declared = check_windows_wheel.functions_of_the_header()
    assert declared == {name for name in names if name.startswith(("XG", "Kauri"))}


def test_another_systems_wheel_is_refused(tmp_path: Path) -> None:
    wheel = tmp_path / "kauriboost-0.1.0-py3-none-manylinux_2_28_x86_64.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("kauriboost/lib/libkauri.so.0.1", b"")
    found = "\n".join(check_windows_wheel.problems(wheel, tmp_path / "unpacked"))
    assert "its tag is not py3-none-win_amd64" in found
    assert "instead of ['kauriboost/bin/kauri.exe', 'kauriboost/lib/kauri.dll']" in found


@pytest.fixture(scope="module")
def built() -> Path:
    """Return the folder of the programs; cmake/cross.sh has run the tests among them."""
    if shutil.which("apt-get") is None:
        pytest.skip("cmake/cross.sh needs Debian's packages")
    run(ROOT / "cmake" / "cross.sh", "x86_64-windows-gnu", "test_platform", "test_collective", "kauri", "kauri_cli",
        KAURI_PYTHON=sys.executable, KAURI_CROSS_TYPE="Quick")  # fmt: skip
    return THERE / "bin"


def outcome(folder: Path, *program: object) -> list[bytes]:
    """Train, predict and explain in the folder; return the bytes of the files that this writes."""
    folder.mkdir()
    for name in ("breast_cancer.train.libsvm", "breast_cancer.test.libsvm"):
        shutil.copy(DEMO / name, folder)
    wine = {"WINEPREFIX": str(THERE / "wine"), "WINEDEBUG": "-all"}
    test = "breast_cancer.test.libsvm?format=libsvm"
    words = ["data=breast_cancer.train.libsvm?format=libsvm", f"eval[test]={test}", "objective=binary:logistic"]
    # A name that only Unicode has goes through the arguments and the file system.
    model = "modèle-模型.json"
    printed = run(*program, "train", *words, "num_round=20", f"model_out={model}", folder=folder, **wine)
    run(*program, "task=pred", f"test:data={test}", f"model_in={model}", "name_pred=values", folder=folder, **wine)
    shap = ["task=explain", f"data={test}", f"model_in={model}", "name_explain=shap.csv"]
    run(*program, *shap, folder=folder, **wine)
    return [(folder / name).read_bytes() for name in (model, "values", "shap.csv")] + [printed.encode()]


@LONG
def test_windows_gives_the_same_bytes(built: Path, tmp_path: Path) -> None:
    assert outcome(tmp_path / "there", WINE, built / "kauri.exe") == outcome(tmp_path / "here", HERE / "bin" / "kauri")


@LONG
def test_the_wheel_for_windows(built: Path, tmp_path: Path) -> None:
    run(ROOT / "cmake" / "windows_wheel.sh", "--from", built.parent, tmp_path, KAURI_PYTHON=sys.executable)
    assert [path.name for path in tmp_path.glob("*.whl")] == ["kauriboost-0.1.0-py3-none-win_amd64.whl"]
