"""Compilers of this machine, and programs that are run with them."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .._binding.errors import ParameterError

EXACT = ["-std=c99", "-O2", "-ffp-contract=off"]


def run_tool(command: Sequence[str | Path]) -> str:
    """Run a program and return its output. Raises `ParameterError` with what it said if it fails."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip()
        raise ParameterError(f"{' '.join(str(word) for word in command[:3])} ... failed: {said[-1000:]}")
    return done.stdout.strip()


def c_compiler() -> list[str]:
    """Return the command of a C compiler."""
    for name in ("cc", "gcc", "clang"):
        if shutil.which(name):
            return [name]
    if importlib.util.find_spec("ziglang"):
        return [sys.executable, "-m", "ziglang", "cc"]
    raise ParameterError("there is no C compiler: install gcc or clang, or `pip install ziglang`.")


def wasm_compiler() -> list[str]:
    """Return the command of a compiler for WebAssembly without a C library."""
    options = ["-nostdlib", "-Wl,--no-entry", "-Wl,--strip-all", "-Wl,-z,stack-size=1048576"]
    if importlib.util.find_spec("ziglang"):
        return [sys.executable, "-m", "ziglang", "cc", "-target", "wasm32-freestanding", *options]
    if shutil.which("clang") and shutil.which("wasm-ld"):
        return ["clang", "--target=wasm32", *options]
    raise ParameterError(
        "WebAssembly needs a compiler: `pip install ziglang`, or install clang and lld. Or export "
        "target=wasm_source, C that another one compiles."
    )


def treelite_library() -> Any:
    """Return Treelite's module. Raises `ParameterError` if there is none, or if it is too old to build checkpoints."""
    try:
        import treelite
        import treelite.gtil
        import treelite.model_builder
    except ModuleNotFoundError as error:
        raise _unusable(f"there is no module {error.name}") from error
    if not hasattr(treelite.Model, "attributes"):
        raise _unusable(f"treelite {treelite.__version__} keeps no attributes of a model")
    return treelite


def _unusable(why: str) -> ParameterError:
    return ParameterError(
        f"target=treelite needs Treelite's library, and {why}: pip install 'treelite>=4.8'. Or export "
        "target=treelite_source, the tables from which the checkpoint is built, and build it elsewhere."
    )
