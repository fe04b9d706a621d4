"""Runs scenarios over one library, in the environment of XGBoost's package. Started by drop_in/workers.py.

Arguments: a JSON file with the folder to import xgboost from (none for the installed one), the names of scenarios, and
the seconds that each may take; and an output file for the outcome and result of each scenario.

Every scenario runs in a child, forked after the imports: it starts from the same state as all others, in an empty
folder, and may die or hang without affecting the others.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import multiprocessing
import os
import pickle
import sys
import tempfile
import traceback
import warnings
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np

Record = dict[str, Any]  # outcome: returned, with value and agreement; raised, died or hung, with text
FORK = multiprocessing.get_context("fork")


def find(name: str) -> Callable[[], object]:
    """Import the module of a scenario, and return its function."""
    room, _, function = name.partition(".")
    return getattr(importlib.import_module(f"scenarios.{room}"), function)


def run(function: Callable[[], object], sender: Connection) -> None:
    """Run a scenario in this process, and send its record."""
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        os.chdir(folder)
        try:
            value = function()
            check(value)
            record = {"outcome": "returned", "value": value, "agreement": tuple(function.agreement)}
            sent = pickle.dumps(record)
        except BaseException as error:  # also an exit; it goes into the record
            sent = pickle.dumps({"outcome": "raised", "text": describe(error)})
        os.chdir("/")
    sender.send_bytes(sent)


def check(value: object) -> None:
    """Refuse values that the comparing process may not know, or cannot compare."""
    if isinstance(value, (list, tuple)):
        for item in value:
            check(item)
    elif isinstance(value, dict):
        check([*value, *value.values()])
    elif not isinstance(value, (type(None), bool, int, float, str, bytes, np.ndarray, np.generic)):
        raise TypeError(f"a scenario returned a {type(value).__name__}; scenarios/support/scenario.py says what it may")


def describe(error: BaseException) -> str:
    """Describe an exception and its place in the scenarios; XGBoost's messages end with a stack of C++ calls."""
    frames = traceback.extract_tb(error.__traceback__)
    place = next((frame for frame in reversed(frames) if "/scenarios/" in frame.filename), frames[-1])
    text = str(error).split("Stack trace:")[0].strip()
    return f"{type(error).__name__} in line {place.lineno} of {Path(place.filename).name}: {text}"


def run_apart(function: Callable[[], object], limit: float) -> Record:
    """Run a scenario in a child that may die or hang."""
    receiver, sender = FORK.Pipe(duplex=False)
    child = FORK.Process(target=run, args=(function, sender))
    child.start()
    sender.close()
    try:
        if receiver.poll(limit):
            return pickle.loads(receiver.recv_bytes())
        return {"outcome": "hung", "text": f"was not done after {limit} s"}
    except EOFError:
        child.join()
        return {"outcome": "died", "text": f"with exit status {child.exitcode}"}
    finally:
        child.join(1)  # it may hang, or wait for processes left by the scenario
        child.kill()


def main(asked: Path, out: Path) -> None:
    """Import everything, then run one scenario after the other."""
    request = json.loads(asked.read_text())
    sys.path.insert(0, str(Path(__file__).parents[1]))
    if request["package"] is not None:
        sys.path.insert(0, request["package"])
    functions = {name: find(name) for name in request["names"]}
    warnings.simplefilter("ignore", DeprecationWarning)  # about forking while other libraries have threads
    records = {name: run_apart(function, request["limit"]) for name, function in functions.items()}
    out.write_bytes(pickle.dumps(records))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
