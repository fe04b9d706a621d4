"""Runs the code blocks of pages, each page in a process and a folder of its own, as many at a time as there are cores.

usage: run_pages.py FOLDER [PAGE...]  PAGE: a file, or a name of pages_to_run(); none: all of these
                                      what a page wrote is left in FOLDER/NAME, what it printed in FOLDER/NAME.log

A page's process is a copy of one that has imported what most pages import, which costs more than what they do.
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
    """Import what there is of the usual modules."""
    for name in USUAL:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)


def page_of(told: str) -> tuple[str, Path]:
    """Name and file of a page."""
    known = pages_to_run().get(told)
    return (told, known) if known else (Path(told).stem, Path(told).resolve())


def run_in_this_process(page: Path, folder: Path, log: Path) -> int:
    """The page's blocks in a fresh `__main__`; its output goes to the log. Returns an exit status."""
    sys.stdout = sys.stderr = log.open("w", encoding="utf-8", buffering=1)
    for stream in (1, 2):  # what other programs and libraries write
        os.dup2(sys.stdout.fileno(), stream)
    # Without a file, so that processes that a block starts by multiprocessing import nothing in its place.
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
    """Run a page and end this process with how it went."""
    name, page = page_of(told)
    (folder / name).mkdir(parents=True)
    os._exit(run_in_this_process(page, folder / name, folder / f"{name}.log"))


def run_pages(folder: Path, pages: list[str]) -> list[str]:
    """Names of the pages of which a block failed."""
    waiting, running, failed = list(pages), {}, []
    copies = multiprocessing.get_context("fork")
    while waiting or running:
        if waiting and len(running) < (os.cpu_count() or 1):
            process = copies.Process(target=run_and_leave, args=(waiting[0], folder))
            process.start()
            running[process.sentinel] = process, page_of(waiting.pop(0))[0]
        else:
            for sentinel in wait(list(running)):  # only for these: the caller may have other processes
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
