"""The code blocks of a Markdown page, and a page's blocks run in their order, as a reader would.

Python blocks share one namespace, as if typed one after the other; shell blocks run under `bash -eu`; a C block is a
program, or statements that become the body of one. A comment before a block says what it depends on:
`<!-- needs: a network -->`. Where that is not there the block is only parsed. `<!-- from: plugin/... -->` before a C++
block says which file it is an excerpt of.
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
# What is read and not run; {directives} of the site's builder are code of nobody.
SHOWN = {"text", "ini", "json"}


@dataclass(frozen=True)
class Block:
    """One fenced block."""

    page: Path
    line: int  # of its first line of code, from 1
    language: str
    code: str
    needs: str = ""
    source: str = ""  # the file that it is an excerpt of

    def __str__(self) -> str:
        return f"{self.page.name}:{self.line} ({self.language})"


def blocks_of(page: Path) -> Iterator[Block]:
    """Every fenced block of a page, in order."""
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


# What a block may need besides the requirements of the tests. The last two are for people: a machine that runs tests
# has no business with the registry, and has built the project already.
NEEDS: dict[str, Callable[[], bool]] = {
    "a CUDA device": has_cuda_device,
    "mpi4py": lambda: importlib.util.find_spec("mpi4py") is not None,
    "a network": lambda: False,
    "minutes": lambda: False,
}


def run_python(block: Block, namespace: dict[str, object]) -> None:
    exec(compiled(block), namespace)


def compiled(block: Block) -> object:
    """The code, whose errors name the page and its lines."""
    return compile("\n" * (block.line - 1) + block.code, str(block.page), "exec")


def run_shell(block: Block) -> None:
    """Run it with the build's programs at hand. Should a block call pip, that installs into the page's folder."""
    path = os.pathsep.join([str(BUILD / "bin"), str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    environment = {**os.environ, "PATH": path, "PIP_TARGET": str(Path("pip").resolve()), "KAURI_PYTHON": sys.executable}
    command(block, ["bash", "-eu", "-o", "pipefail", "-c", block.code], environment)


def as_program(code: str) -> str:
    """A C block as it is, or around statements what makes a program of them."""
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
    """Run it; its output comes with the block's when that fails. Raises RuntimeError."""
    done = subprocess.run(
        arguments, env=environment, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL, timeout=300
    )
    if done.returncode != 0:
        raise RuntimeError(f"{block} ended with {done.returncode}:\n{block.code}\n{done.stdout}{done.stderr}")


def parse(block: Block) -> None:
    """What can be said of a block without running it. Raises SyntaxError or RuntimeError."""
    if block.language == "python":
        compiled(block)
    if block.language == "sh":
        command(block, ["bash", "-n", "-c", block.code], dict(os.environ))


def check_excerpt(block: Block) -> None:
    """Raise RuntimeError unless the block stands in its file as it is."""
    text = (ROOT / block.source).read_text(encoding="utf-8") if block.source else ""
    file, excerpt = ("\n".join(line.strip() for line in code.split("\n")) for code in (text, block.code))
    if excerpt not in file:
        raise RuntimeError(f"{block} is no excerpt of {block.source or 'a file: name it by <!-- from: path -->'}")


def run(block: Block, namespace: dict[str, object]) -> str:
    """Run one block; returns what was done with it. Raises what the block raises, or KeyError for an unknown need."""
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
    """Make the folder look like a built checkout, and go there. What a block writes into `build/` stays there."""
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
    """Run the blocks of a page in a folder, telling what became of each. Raises what the first failing one raises."""
    enter(folder)
    for block in blocks_of(page):
        print(f"{block}: {run(block, namespace)}", flush=True)
