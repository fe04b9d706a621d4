"""Runs the code blocks of pages, each page in its own process and folder, with one process per core at a time.

usage: run_pages.py FOLDER [PAGE...]  PAGE: a file, or a name of pages_to_run(); default: all pages of pages_to_run()
                                      a page's files are left in FOLDER/NAME, its output in FOLDER/NAME.log

A page's process is forked from a process that has imported the common modules. The imports take longer than the blocks.
"""

from __future__ import annotations

import contextlib
import importlib
import multiprocessing
import os
import sys
import traceback
import types
from multiprocessing.connection import wait
from pathlib import Path

from blocks import run_page
from pages import pages_to_run

USUAL = ("numpy", "pandas", "scipy.sparse", "sklearn.datasets", "sklearn.model_selection", "matplotlib.pyplot",
         "kauriboost.sklearn")  # fmt: skip


def preload() -> None:
    """Import the common modules, as far as they are installed."""
    for name in USUAL:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)


def page_of(told: str) -> tuple[str, Path]:
    """Return the name and the file of a page."""
    known = pages_to_run().get(told)
    return (told, known) if known else (Path(told).stem, Path(told).resolve())


def run_in_this_process(page: Path, folder: Path, log: Path) -> int:
    """Run the page's blocks in a fresh `__main__`; the output goes to the log. Returns an exit status."""
    sys.stdout = sys.stderr = log.open("w", encoding="utf-8", buffering=1)
    for stream in (1, 2):  # output of other programs and of libraries
        os.dup2(sys.stdout.fileno(), stream)
    # The module has no file, so that processes that a block starts by multiprocessing do not import it again.
    sys.modules["__main__"] = module = types.ModuleType("__main__")
    try:
        run_page(page, folder, vars(module))
    except BaseException:
        traceback.print_exc()
        return 1
    finally:
        sys.stdout.flush()
    return 0


def run_and_leave(told: str, folder: Path) -> None:
    """Run a page and end this process with its exit status."""
    name, page = page_of(told)
    (folder / name).mkdir(parents=True)
    os._exit(run_in_this_process(page, folder / name, folder / f"{name}.log"))


def run_pages(folder: Path, pages: list[str]) -> list[str]:
    """Run the pages; returns the names of the pages with a failed block."""
    waiting, running, failed = list(pages), {}, []
    copies = multiprocessing.get_context("fork")
    while waiting or running:
        if waiting and len(running) < (os.cpu_count() or 1):
            process = copies.Process(target=run_and_leave, args=(waiting[0], folder))
            process.start()
            running[process.sentinel] = process, page_of(waiting.pop(0))[0]
        else:
            for sentinel in wait(list(running)):  # only for these, because the caller may have other processes
                process, name = running.pop(sentinel)
                process.join()
                failed += [name] if process.exitcode else []
    return failed


if __name__ == "__main__":
    os.environ.setdefault("MPLBACKEND", "Agg")
    preload()
    into = Path(sys.argv[1]).resolve()
    broken = run_pages(into, sys.argv[2:] or list(pages_to_run()))
    for name in broken:
        print((into / f"{name}.log").read_text())
    sys.exit(f"blocks failed on: {', '.join(broken)}" if broken else 0)
