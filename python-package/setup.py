"""Builds libkauri.so and the program kauri with CMake for the package; everything else is in pyproject.toml."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from platform_wheel import BinaryDistribution, PlatformWheel  # noqa: E402

# The sources of the library: in a checkout beside the package, in a source distribution inside it.
SOURCES = ("CMakeLists.txt", "cmake", "include", "src", "plugin")
# Names on Linux and Windows.
LIBRARIES = ("libkauri*.so", "kauri.dll")
PROGRAMS = ("kauri", "kauri.exe")
PROJECT = HERE if (HERE / "CMakeLists.txt").exists() else HERE.parent
HELP = """
Kauri's library could not be built: {problem}
On Debian or Ubuntu, install what it needs with
    apt-get install g++ cmake ninja-build pkg-config libdmlc-dev nlohmann-json3-dev libhwy-dev zlib1g-dev
or set KAURI_LIBRARY to a libkauri.so that is built already.
"""


def run(command: list[str]) -> None:
    """Run a build step, or end with advice."""
    print("+", *command, flush=True)
    if subprocess.run(command, check=False).returncode != 0:
        raise SystemExit(HELP.format(problem=f"'{' '.join(command)}' failed; its output is above."))


def build_library(folder: Path) -> Path:
    """Build and install library and program below `folder`, and the CUDA plug-in if KAURI_CUDA requests it."""
    if shutil.which("cmake") is None:
        raise SystemExit(HELP.format(problem="cmake is not on the PATH."))
    if not (PROJECT / "CMakeLists.txt").exists():
        raise SystemExit(HELP.format(problem=f"the C++ sources are not in {PROJECT}; install from a whole checkout."))
    build, prefix = folder / "build", folder / "installed"
    settings = {
        "CMAKE_BUILD_TYPE": "Release",
        "CMAKE_INSTALL_LIBDIR": "lib",
        "KAURI_TESTS": "OFF",
        "KAURI_UNITS": "ON",  # this build is never incremental, and unity files take a third of the time
        "KAURI_CUDA": os.environ.get("KAURI_CUDA", "OFF"),
    }
    run(["cmake", "-S", str(PROJECT), "-B", str(build), *(f"-D{name}={value}" for name, value in settings.items())])
    run(["cmake", "--build", str(build), "--parallel", str(os.cpu_count() or 1)])
    run(["cmake", "--install", str(build), "--prefix", str(prefix), "--strip"])
    return prefix / ("bin" if os.name == "nt" else "lib")


def name_asked_for(library: Path) -> str:
    """Return the name by which programs look for a library: the target of its development link, if it is one."""
    return library.readlink().name if library.is_symlink() else library.name


class BuildWithLibrary(build_py):
    """Adds lib/libkauri.so, the CUDA plug-in beside it and the program bin/kauri, if they exist."""

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
            if given and not Path(given).is_file():
                raise SystemExit(f"There is no file {given!r}, which KAURI_LIBRARY names; no wheel was made.")
            source = Path(given).resolve().parent if given else build_library(Path(folder))
            libraries = [library for pattern in LIBRARIES for library in source.glob(pattern)]
            if not libraries:
                raise SystemExit(f"{source} holds no library ({' or '.join(LIBRARIES)}); no wheel was made.")
            for library in libraries:
                shutil.copy2(library, target / "lib" / name_asked_for(library))
            for program in (source.parent / "bin" / name for name in PROGRAMS):
                if program.exists():
                    shutil.copy2(program, target / "bin")


class WholeSources(sdist):
    """A source distribution that the library can be built from."""

    def make_release_tree(self, base_dir: str, files: list[str]) -> None:
        """Add the C++ sources, and the modules that this file imports."""
        super().make_release_tree(base_dir, files)
        for source in (HERE / "platform_wheel.py", *(PROJECT / name for name in SOURCES)):
            if source.is_dir():
                shutil.copytree(source, Path(base_dir) / source.name, dirs_exist_ok=True)
            else:
                shutil.copy2(source, base_dir)


# Each build has its own folder, because setuptools would also ship leftovers of an earlier build, including files that
# were deleted from the checkout.
with tempfile.TemporaryDirectory(prefix="kauri-wheel-") as scratch:
    setup(
        cmdclass={"build_py": BuildWithLibrary, "bdist_wheel": PlatformWheel, "sdist": WholeSources},
        distclass=BinaryDistribution,
        options={"build": {"build_base": scratch}, "egg_info": {"egg_base": scratch}},
    )
