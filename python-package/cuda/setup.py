"""Packs a libkauri_cuda.so built by cmake/wheels.sh into the folder of the package kauriboost."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from platform_wheel import BinaryDistribution, PlatformWheel

PLUGIN = "libkauri_cuda.so"


def find_plugin() -> Path:
    """Return the plug-in beside the library that KAURI_LIBRARY names."""
    library = os.environ.get("KAURI_LIBRARY", "")
    plugin = Path(library).resolve().parent / PLUGIN
    if not library or not plugin.is_file():
        raise SystemExit(
            f"KAURI_LIBRARY is '{library}', with no {PLUGIN} beside it; cmake/wheels.sh --cuda builds both."
        )
    return plugin


class BuildWithPlugin(build_py):
    """Adds the plug-in to the folder of kauriboost's library, which looks for it there."""

    def run(self) -> None:
        """Copy the plug-in."""
        target = Path(self.build_lib) / "kauriboost" / "lib"
        target.mkdir(parents=True, exist_ok=True)
        shutil.copy2(find_plugin(), target)


with tempfile.TemporaryDirectory(prefix="kauri-wheel-") as scratch:
    setup(
        cmdclass={"build_py": BuildWithPlugin, "bdist_wheel": PlatformWheel},
        distclass=BinaryDistribution,
        options={"build": {"build_base": scratch}, "egg_info": {"egg_base": scratch}},
    )
