"""cmake/repair_wheel.py gives no wheel the tag of a system that its files are not for."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

pytest.importorskip("auditwheel")
ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("tag", ["musllinux_1_2_x86_64", "manylinux_2_28_aarch64"])
def test_a_file_of_another_system_is_refused(tag: str, tmp_path: Path) -> None:
    wheel = tmp_path / f"some-1.0-py3-none-linux_{tag.split('_', 3)[3]}.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("some/text.py", "")
        archive.write("/bin/true", "some/program")
    command = [sys.executable, ROOT / "cmake" / "repair_wheel.py", tag, wheel, "--wheel-dir", tmp_path / "out"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith(f"error: {tag} asks for EM_")
    assert "some/program is for EM_X86_64 and needs" in done.stderr
    assert not (tmp_path / "out").exists()
