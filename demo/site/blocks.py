"""Code blocks of Markdown pages: reads the blocks of a page and runs them in order, as a reader would.

Python blocks share one namespace, as if typed one after the other; shell blocks run under `bash -eu`; a C block is a
program, or statements that become the body of one. A comment before a block names its requirement:
`<!-- needs: a network -->`. If the requirement is not met, the block is only parsed. `<!-- from: plugin/... -->` before
a C++ block names the file that the block is an excerpt from.

A `text` block right after a block is its output, compared line by line. There, `...` stands for any characters of a
line, and a line `...` alone for any number of lines. With KAURI_WRITE_PAGES=1 in the environment, outputs are written
into the pages instead of compared.
"""

from __future__ import annotations

import contextlib
import difflib
import importlib.util
import io
import os
import re
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GUIDE = ROOT / "demo" / "guide"
BUILD = Path(os.environ.get("KAURI_BUILD_DIR", ROOT / "build")).resolve()
FENCE = re.compile(
    r"^(?:[ ]*<!--[ ](?P<word>needs|from):[ ](?P<value>[^>]*?)[ ]-->\n)?"
    r"^(?P<indent>[ ]*)(?P<marks>`{3,})(?P<language>[^\n`]*)\n(?P<code>.*?)^(?P=indent)(?P=marks)[ ]*$",
    re.MULTILINE | re.DOTALL,
)
# Languages of blocks that are shown and not run. {directives} of the site's builder are not run either.
SHOWN = {"text", "ini", "js", "json"}
MOST_LINES = 16  # of an output that is written into a page


@dataclass(frozen=True)
class Block:
    """One fenced block."""

    page: Path
    line: int  # line number of the first line of code, from 1
    language: str
    code: str
    needs: str = ""
    source: str = ""  # file that the block is an excerpt from
    output: str | None = None  # the text block that follows directly
    end: int = 0  # offset in the page behind the block, or behind its output

    def __str__(self) -> str:
        return f"{self.page.name}:{self.line} ({self.language})"


def blocks_of(page: Path) -> Iterator[Block]:
    """Yield every fenced block of a page, in order. An output is a block, too, after the one that it belongs to."""
    text = page.read_text(encoding="utf-8")
    found = []
    for match in FENCE.finditer(text):
        told = {match["word"]: match["value"]} if match["word"] else {}
        block = Block(
            page,
            text.count("\n", 0, match.start("code")) + 1,
            match["language"].strip(),
            textwrap.dedent(match["code"]),
            told.get("needs", ""),
            told.get("from", ""),
            end=match.end(),
        )
        if found and block.language == "text" and not text[found[-1].end : match.start()].strip():
            found[-1] = replace(found[-1], output=block.code, end=match.end())
        found.append(block)
    yield from found


def has_cuda_device() -> bool:
    import kauriboost as kb

    return bool(kb.build_info()["CUDA_DEVICES"])


# Requirements that a block may have beyond the packages of the tests. The last ones are for people and never met here:
# a machine that runs tests must not access the package registry, has built the project already, and has none of the
# packages that only one block needs.
NEEDS: dict[str, Callable[[], bool]] = {
    "a CUDA device": has_cuda_device,
    "mpi4py": lambda: importlib.util.find_spec("mpi4py") is not None,
    "a network": lambda: False,
    "minutes": lambda: False,
    "Node.js": lambda: shutil.which("node") is not None,
    "fastapi": lambda: importlib.util.find_spec("fastapi") is not None,
    "PostgreSQL": lambda: False,
    "mlflow": lambda: False,
}


def run_python(block: Block, namespace: dict[str, object]) -> str:
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compiled(block), namespace)
    return printed.getvalue()


def compiled(block: Block) -> object:
    """Compile the code so that its errors name the page and its lines."""
    return compile("\n" * (block.line - 1) + block.code, str(block.page), "exec")


def run_shell(block: Block) -> str:
    """Run the block with the build's programs on PATH. If it calls pip, pip installs into the page's folder."""
    path = os.pathsep.join([str(BUILD / "bin"), str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    environment = {**os.environ, "PATH": path, "PIP_TARGET": str(Path("pip").resolve()), "KAURI_PYTHON": sys.executable}
    return command(block, ["bash", "-eu", "-o", "pipefail", "-c", block.code], environment)


def as_program(code: str) -> str:
    """Return a C block as a program: unchanged if it has a main function, otherwise wrapped into one."""
    if re.search(r"\bint main\(", code):
        return code
    lines = code.split("\n")
    heads = [line for line in lines if line.startswith("#include")]
    body = [line for line in lines if not line.startswith("#include")]
    return "\n".join(["#include <stdio.h>", *heads, "int main(void) {", *body, "return 0;", "}", ""])


def run_c(block: Block) -> str:
    source, program = Path("block.c"), Path("block")
    source.write_text(as_program(block.code), encoding="utf-8")
    flags = ["-std=c99", "-Wall", "-Werror", f"-I{ROOT / 'include'}", f"-L{BUILD / 'lib'}", "-lkauri"]
    rpath = f"-Wl,-rpath,{BUILD / 'lib'}"
    command(block, ["cc", str(source), *flags, rpath, "-o", str(program)], dict(os.environ))
    return command(block, [str(program.resolve())], dict(os.environ))


def command(block: Block, arguments: list[str], environment: dict[str, str]) -> str:
    """Run a command; returns its output. Raises RuntimeError with the block and all that was printed if it fails."""
    done = subprocess.run(
        arguments, env=environment, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL, timeout=300
    )
    if done.returncode != 0:
        raise RuntimeError(f"{block} ended with {done.returncode}:\n{block.code}\n{done.stdout}{done.stderr}")
    return done.stdout


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


def without_line_ends(text: str) -> list[str]:
    return [line.rstrip() for line in text.rstrip().split("\n")]


def is_output(shown: str, printed: str) -> bool:
    """Whether a page may show this text for an output."""
    pattern, newline = "", ""
    for line in without_line_ends(shown):
        told = ".*".join(map(re.escape, line.split("...")))
        pattern += f"(?s:{newline}.*)?" if line == "..." else newline + told
        newline = "\n"
    return re.fullmatch(pattern, "\n".join(without_line_ends(printed))) is not None


def check_output(block: Block, printed: str) -> None:
    """Raise RuntimeError with the differences unless the page shows the output. A page of the guide shows all."""
    if block.output is None and not (printed.strip() and block.page.parent == GUIDE):
        return
    if not is_output(block.output or "", printed):
        differences = difflib.unified_diff(
            without_line_ends(block.output or ""), without_line_ends(printed), "shown", "printed", lineterm=""
        )
        raise RuntimeError("\n".join([f"{block}: the page shows another output", *differences]))


def run_code(block: Block, namespace: dict[str, object]) -> str:
    """Run a block that can be run; returns what it printed. Raises the block's exceptions."""
    if block.language == "python":
        return run_python(block, namespace)
    if block.language == "sh":
        return run_shell(block)
    if block.language == "c":
        return run_c(block)
    if block.language == "cpp":
        check_excerpt(block)
        return ""
    raise RuntimeError(f"{block}: name a language: python, sh, c, cpp, or {', '.join(sorted(SHOWN))}")


def run(block: Block, namespace: dict[str, object]) -> tuple[str, str]:
    """Run one block; returns what was done and printed. Raises KeyError for an unknown requirement."""
    if block.language in SHOWN or block.language.startswith("{"):
        return "shown", ""
    if block.needs and not NEEDS[block.needs]():
        parse(block)
        return f"left out, needs {block.needs}", ""
    begun = sum(os.times()[:4])
    printed = run_code(block, namespace)
    return f"ran in {sum(os.times()[:4]) - begun:.1f} s of processor time", printed


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


def shortened(output: str) -> str:
    """Return an output as a page shows it: the first and the last lines of a long one, and no times."""
    lines = without_line_ends(re.sub(r"\bseconds=[\d.]+", "seconds=...", output))
    return "\n".join(lines if len(lines) <= MOST_LINES else [*lines[: MOST_LINES - 4], "...", *lines[-3:]])


def with_outputs(text: str, printed: dict[Block, str]) -> str:
    """Return the text of a page with these outputs of its blocks, where it shows others or none."""
    for block, output in reversed(printed.items()):
        if (output.strip() or block.output is not None) and not is_output(block.output or "", output):
            begin = block.end if block.output is None else text.rindex("```text\n", 0, block.end)
            gap = "\n\n" if block.output is None else ""
            text = f"{text[:begin]}{gap}```text\n{shortened(output)}\n```{text[block.end :]}"
    return text


def run_page(page: Path, folder: Path, namespace: dict[str, object]) -> None:
    """Run the blocks of a page in a folder and print the outcome of each. Raises the exception of the first failure."""
    enter(folder)
    printed = {}
    for block in blocks_of(page):
        done, output = run(block, namespace)
        print(f"{block}: {done}\n{output}", end="", flush=True)
        if not done.startswith("ran"):
            continue
        printed[block] = output
        if not os.environ.get("KAURI_WRITE_PAGES"):
            check_output(block, output)
    if os.environ.get("KAURI_WRITE_PAGES") and page.parent == GUIDE:
        page.write_text(with_outputs(page.read_text(encoding="utf-8"), printed), encoding="utf-8")
