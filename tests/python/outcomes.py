"""How a training under damage ends, for the programs that kill workers at random."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import kauriboost as kb


def outcome_of(work: Callable[[], Any], patience: float, expected: Any, clear: str) -> str:
    """Return in words how `work` ends.

    Parameters
    ----------
    work
        A training. It returns the bytes of its model.
    patience
        Seconds after which the training counts as one that hangs.
    expected
        The bytes of the model without damage.
    clear
        A part of the message of an error that tells what was lost and what helps.
    """
    found: list[Any] = []

    def run() -> None:
        try:
            found.append(work())
        except Exception as error:
            found.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(patience)
    if thread.is_alive():
        return "hangs"
    if isinstance(found[0], Exception):
        print(f"     {type(found[0]).__name__}: {found[0]}", flush=True)
        is_clear = isinstance(found[0], kb.CollectiveError) and clear in str(found[0])
        return "clear errors" if is_clear else "other errors"
    return "equal bytes" if found[0] == expected else "other bytes"
