"""Code blocks of Markdown pages: reads the blocks of a page and runs them in order, as a reader would.

Python blocks share one namespace, as if typed one after the other; shell blocks run under `bash -eu`; a C block is a
program, or statements that become the body of one. A comment before a block names its requirement:
`<!-- needs: a network -->`. If the requirement is not met, the block is only parsed. `<!-- from: plugin/... -->` before
a C++ block names the file that the block is an excerpt from.
"""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("KAURI_BUILD_DIR", ROOT / "build")).resolve()
FENCE = re.compile(
    r"^(?:[ ]*<!--[ ](?P<word>needs|from):[ ](?P<value>[^>]*?)[ ]-->\n)?"
    r"^(?P<indent>[ ]*)(?P<marks>`{3,})(?P<language>[^\n`]*)\n(?P<code>.*?)^(?P=indent)(?P=marks)[ ]*$",
    re.MULTILINE | re.DOTALL,
)
# Languages of blocks that are shown and not run. {directives} of the site's builder are not run either.
SHOWN = {"text", "ini", "json"}


@dataclass(frozen=True)
class Block:
    """One fenced block."""

    page: Path
    line: int  # line number of the first line of code, from 1
    language: str
    code: str
    needs: str = ""
    source: str = ""  # file that the block is an excerpt from

    def __str__(self) -> str:
        return f"{self.page.name}:{self.line} ({self.language})"


def blocks_of(page: Path) -> Iterator[Block]:
    """Yield every fenced block of a page, in order."""
    text = page.read_text(encoding="utf-8")
    for match in FENCE.finditer(text):
        told = {match["word"]: match["value"]} if match["word"] else {}
        yield Block(
            page,
            text.count("\n", 0, match.start("code")) + 1,
            match["language"].strip(),
            textwrap.dedent(match["code"]),
            told.get("needs", ""),
            told.get("from", ""),
        )


def has_cuda_device() -> bool:
    import kauriboost as kb

    return bool(kb.build_info()["CUDA_DEVICES"])


# Requirements that a block may have beyond the packages of the tests. The last two are for people and never met here: a
# machine that runs tests must not access the package registry, and has built the project already.
NEEDS: dict[str, Callable[[], bool]] = {
    "a CUDA device": has_cuda_device,
    "mpi4py": lambda: importlib.util.find_spec("mpi4py") is not None,
    "a network": lambda: False,
    "minutes": lambda: False,
}


def run_python(block: Block, namespace: dict[str, object]) -> None:
    exec(compiled(block), namespace)


def compiled(block: Block) -> object:
    """Compile the code so that its errors name the page and its lines."""
    return compile("\n" * (block.line - 1) + block.code, str(block.page), "exec")


def run_shell(block: Block) -> None:
    """Run the block with the build's programs on PATH. If it calls pip, pip installs into the page's folder."""
    path = os.pathsep.join([str(BUILD / "bin"), str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    environment = {**os.environ, "PATH": path, "PIP_TARGET": str(Path("pip").resolve()), "KAURI_PYTHON": sys.executable}
    command(block, ["bash", "-eu", "-o", "pipefail", "-c", block.code], environment)


def as_program(code: str) -> str:
    """Return a C block as a program: unchanged if it has a main function, otherwise wrapped into one."""
    if re.search(r"\bint main\(", code):
        return code
    lines = code.split("\n")
    heads = [line for line in lines if line.startswith("#include")]
    body = [line for line in lines if not line.startswith("#include")]
    return "\n".join(["#include <stdio.h>", *heads, "int main(void) {", *body, "return 0;", "}", ""])


def run_c(block: Block) -> None:
    source, program = Path("block.c"), Path("block")
    source.write_text(as_program(block.code), encoding="utf-8")
    flags = ["-std=c99", "-Wall", "-Werror", f"-I{ROOT / 'include'}", f"-L{BUILD / 'lib'}", "-lkauri"]
    rpath = f"-Wl,-rpath,{BUILD / 'lib'}"
    command(block, ["cc", str(source), *flags, rpath, "-o", str(program)], dict(os.environ))
    command(block, [str(program.resolve())], dict(os.environ))


def command(block: Block, arguments: list[str], environment: dict[str, str]) -> None:
    """Run a command. Raises RuntimeError with the block and the command's output if the command fails."""
    done = subprocess.run(
        arguments, env=environment, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL, timeout=300
    )
    if done.returncode != 0:
        raise RuntimeError(f"{block} ended with {done.returncode}:\n{block.code}\n{done.stdout}{done.stderr}")


def parse(block: Block) -> None:
    """Check the syntax of a block without running it. Raises SyntaxError or RuntimeError."""
    if block.language == "python":
        compiled(block)
    if block.language == "sh":
        command(block, ["bash", "-n", "-c", block.code], dict(os.environ))


def check_excerpt(block: Block) -> None:
    """Raise RuntimeError unless the file contains the block, apart from indentation."""
    text = (ROOT / block.source).read_text(encoding="utf-8") if block.source else ""
    file, excerpt = ("\n".join(line.strip() for line in code.split("\n")) for code in (text, block.code))
    if excerpt not in file:
        raise RuntimeError(f"{block} is no excerpt of {block.source or 'a file: name it by <!-- from: path -->'}")


def run(block: Block, namespace: dict[str, object]) -> str:
    """Run one block; returns what was done. Raises the block's exceptions, and KeyError for an unknown requirement."""
    if block.language in SHOWN or block.language.startswith("{"):
        return "shown"
    if block.needs and not NEEDS[block.needs]():
        parse(block)
        return f"left out, needs {block.needs}"
    begun = time.perf_counter()
    if block.language == "python":
        run_python(block, namespace)
    elif block.language == "sh":
        run_shell(block)
    elif block.language == "c":
        run_c(block)
    elif block.language == "cpp":
        check_excerpt(block)
    else:
        raise RuntimeError(f"{block}: name a language: python, sh, c, cpp, or {', '.join(sorted(SHOWN))}")
    return f"ran in {time.perf_counter() - begun:.1f} s"


def enter(folder: Path) -> None:
    """Make the folder look like a built checkout, and enter it. Files that a block writes to `build/` stay in it."""
    for name in ("README.md", "cmake", "demo", "include", "plugin", "python-package", "src", "tests"):
        (folder / name).symlink_to(ROOT / name)
    (folder / "build").mkdir()
    for name in ("bin", "lib", "example"):
        (folder / "build" / name).symlink_to(BUILD / name)
    programs = folder / ".venv" / "bin"  # where demo/quickstart puts the command
    programs.mkdir(parents=True)
    (programs / "kauri").symlink_to(BUILD / "bin" / "kauri")
    os.chdir(folder)


def run_page(page: Path, folder: Path, namespace: dict[str, object]) -> None:
    """Run the blocks of a page in a folder and print the outcome of each. Raises the exception of the first failure."""
    enter(folder)
    for block in blocks_of(page):
        print(f"{block}: {run(block, namespace)}", flush=True)
