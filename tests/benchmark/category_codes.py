"""Losses of models that use categories, beside models that use the category codes as numbers, on real sets.

    python tests/benchmark/category_codes.py --data FOLDER [SET ...] [--splits 5] [--rows 60000]
        [--kauri NAME=VALUE,... ...]

Prints a line for each set: the held-out loss with codes as numbers, then the loss with Kauri's defaults and with each
other setting of --kauri, with the differences to numbers in percent and their standard errors over the splits.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

import numpy as np
from quality_cases import libraries
from quality_cases.tasks import CHOOSING, CONFIRMING, Task, read_task, split


def settings_of(texts: list[str]) -> dict[str, dict[str, str]]:
    """Return the parameters by the text that names them."""
    named = {text: dict(pair.split("=", 1) for pair in text.split(",")) for text in texts}
    return {"defaults": {}, **named}


def losses(task: Task, setting: dict[str, str], splits: int, threads: int) -> np.ndarray:
    """Return the held-out loss of each split."""
    found = []
    for seed in range(splits):
        used, held = split(len(task.labels), seed)
        test = task.some(held)
        found.append(test.loss(libraries.kauri(setting)(task.some(used), None, test, threads)))
    return np.array(found)


def line(name: str, task: Task, settings: dict[str, dict[str, str]], arguments: argparse.Namespace) -> str:
    """Return the set's row of the table."""
    numbers = losses(replace(task, categorical=[]), {}, arguments.splits, arguments.threads)
    cells = [f"{numbers.mean():.4f}"]
    for setting in settings.values():
        loss = losses(task, setting, arguments.splits, arguments.threads)
        percent = 100 * (loss / numbers - 1)
        error = percent.std(ddof=1) / np.sqrt(len(percent))
        cells.append(f"{loss.mean():.4f}: {percent.mean():+.2f} +- {error:.2f}")
    return f"| {name} | " + " | ".join(cells) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", default=[*CHOOSING, *CONFIRMING, "flights_routes"])
    parser.add_argument("--data", type=Path, required=True, help="the folder of the real sets")
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--rows", type=int, default=60000)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--kauri", nargs="*", default=[], metavar="NAME=VALUE,...")
    arguments = parser.parse_args()
    settings = settings_of(arguments.kauri)
    print("| set | numbers | " + " | ".join(settings) + " |")
    print("|" + "---|" * (2 + len(settings)))
    for name in arguments.sets:
        task = read_task(name, arguments.data, arguments.rows)
        if task is not None and task.categorical:
            print(line(name, task, settings, arguments), flush=True)


if __name__ == "__main__":
    main()
