"""If everything is required, a skip fails: tests/conftest.py for Python, tests/cpp/support/need.h for C++."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from lint_sources import ROOT, cpp_files, matches

OF_A_TEST = 'import pytest\n\n\ndef test_it():\n    pytest.skip("{reason}")\n'
OF_A_MODULE = 'import pytest\n\npytest.skip("{reason}", allow_module_level=True)\n'
OF_AN_IMPORT = 'import pytest\n\npytest.importorskip("{reason}")\n'


@pytest.mark.parametrize(
    ("text", "reason", "required", "passes"),
    [
        (OF_A_TEST, "no peer", "1", False),
        (OF_A_TEST, "no peer", "0", True),
        (OF_A_TEST, "no CUDA device", "1", True),
        (OF_A_MODULE, "no peer", "1", False),
        (OF_A_MODULE, "no real data sets at data", "1", True),
        (OF_AN_IMPORT, "no_such_peer", "1", False),
        (OF_AN_IMPORT, "no_such_peer", "0", True),
    ],
)
def test_the_switch(tmp_path: Path, text: str, reason: str, required: str, passes: bool) -> None:
    shutil.copy(ROOT / "tests" / "conftest.py", tmp_path)
    (tmp_path / "test_one.py").write_text(text.format(reason=reason))
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "--rootdir",
        str(tmp_path),
        str(tmp_path),
    ]
    done = subprocess.run(
        command, env={**os.environ, "KAURI_REQUIRE": required}, capture_output=True, text=True, check=False
    )
    skipped_all = {0, 5}  # 5: no tests were collected
    assert (done.returncode in skipped_all) is passes, done.stdout
    assert passes or "KAURI_REQUIRE is set" in done.stdout


def test_cpp_tests_skip_in_one_place() -> None:
    found = matches(r"\bGTEST_SKIP\b", cpp_files("tests"), ("tests/cpp/support/need.h",))
    assert not found, "skip through KAURI_NEED or KAURI_SKIP_UNLESS (tests/cpp/support/need.h):\n" + "\n".join(found)
