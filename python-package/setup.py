"""Builds libkauri.so and the program kauri with CMake for the package; everything else is in pyproject.toml."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py

PROJECT = Path(__file__).resolve().parent.parent
HELP = """
Kauri's library could not be built: {problem}
On Debian or Ubuntu, install what it needs with
    apt-get install g++ cmake ninja-build pkg-config libdmlc-dev nlohmann-json3-dev libhwy-dev
or set KAURI_LIBRARY to a libkauri.so that is built already.
"""


def run(command: list[str]) -> None:
    """Run a build step, or end with advice."""
    print("+", *command, flush=True)
    if subprocess.run(command, check=False).returncode != 0:
        raise SystemExit(HELP.format(problem=f"'{' '.join(command)}' failed; its output is above."))


def build_library(folder: str) -> Path:
    """Compile library and program in `folder`; the CUDA plug-in where KAURI_CUDA asks for it."""
    if shutil.which("cmake") is None:
        raise SystemExit(HELP.format(problem="cmake is not on the PATH."))
    if not (PROJECT / "CMakeLists.txt").exists():
        raise SystemExit(HELP.format(problem=f"the C++ sources are not in {PROJECT}; install from a whole checkout."))
    settings = {
        "CMAKE_BUILD_TYPE": "Release",
        "CMAKE_BUILD_WITH_INSTALL_RPATH": "ON",  # the program finds the library beside its folder, and nowhere else
        "KAURI_TESTS": "OFF",
        "KAURI_CUDA": os.environ.get("KAURI_CUDA", "OFF"),
    }
    run(["cmake", "-S", str(PROJECT), "-B", folder, *(f"-D{name}={value}" for name, value in settings.items())])
    targets = ["--target", "kauri", "kauri_cli"] if settings["KAURI_CUDA"] == "OFF" else []
    run(["cmake", "--build", folder, *targets, "--parallel", str(os.cpu_count() or 1)])
    return Path(folder) / "lib"


class BuildWithLibrary(build_py):
    """Adds lib/libkauri.so, the CUDA plug-in beside it and the program bin/kauri where there are such."""

    def run(self) -> None:
        """Build the Python files, then the library."""
        super().run()
        if self.editable_mode:  # an editable install uses the checkout's own build folder
            return
        target = Path(self.build_lib) / "kauriboost"
        for name in ("lib", "bin"):
            (target / name).mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="kauri-build-") as folder:
            given = os.environ.get("KAURI_LIBRARY")
            source = Path(given).resolve().parent if given else build_library(folder)
            for library in source.glob("libkauri*.so"):
                shutil.copy2(library, target / "lib")
            program = source.parent / "bin" / "kauri"
            if program.exists():
                shutil.copy2(program, target / "bin")


class PlatformWheel(bdist_wheel):
    """One wheel per platform for every Python 3: the library does not link against Python."""

    def finalize_options(self) -> None:
        """Mark the wheel as not pure."""
        super().finalize_options()
        self.root_is_pure = False

    def get_tag(self) -> tuple[str, str, str]:
        """Name the wheel."""
        return "py3", "none", super().get_tag()[2]


class BinaryDistribution(Distribution):
    """Tells setuptools that the package holds machine code."""

    def has_ext_modules(self) -> bool:
        """Return True."""
        return True


# Each build has a folder of its own: setuptools would ship what an earlier one left there, files that are gone from the
# checkout among it.
with tempfile.TemporaryDirectory(prefix="kauri-wheel-") as scratch:
    setup(
        cmdclass={"build_py": BuildWithLibrary, "bdist_wheel": PlatformWheel},
        distclass=BinaryDistribution,
        options={"build": {"build_base": scratch}, "egg_info": {"egg_base": scratch}},
    )
