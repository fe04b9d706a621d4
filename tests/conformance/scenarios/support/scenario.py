"""What a scenario is: a function that returns what a user would see, and how well two libraries must agree on it.

    @scenario(close())
    def squared_error() -> object:
        booster = xgb.train({"objective": "reg:squarederror"}, xgb.DMatrix(rows, labels), 10)
        return booster.predict(xgb.DMatrix(rows))

What is returned is made of numbers, texts, bytes, None and arrays, in lists, tuples and dicts.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple


class Agreement(NamedTuple):
    """How numbers that are not whole are compared; everything else must be equal."""

    kind: str  # "equal", "close" or "losses"
    share: float = 0.0  # of the larger of the two


EQUAL = Agreement("equal")


def close(share: float = 1e-4) -> Agreement:
    """Numbers differ by rounding: each by at most this share of the largest of its array."""
    return Agreement("close", share)


def losses(share: float) -> Agreement:
    """Two ways of learning the same: each number by at most this share of itself."""
    return Agreement("losses", share)


def scenario(agreement: Agreement) -> Callable[[Callable[[], object]], Callable[[], object]]:
    """Mark a function as a scenario."""

    def mark(function: Callable[[], object]) -> Callable[[], object]:
        function.agreement = agreement  # type: ignore[attr-defined]  # read by drop_in/worker.py
        return function

    return mark


def caught(phrase: str, call: Callable[[], object]) -> dict[str, Any]:
    """Say which kind of exception a call raises, and whether a user's match on the phrase finds it."""
    try:
        call()
    except Exception as error:  # of any kind: the kind is compared
        return {"raised": [kind.__name__ for kind in type(error).__mro__], "says": _found(phrase, str(error))}
    raise AssertionError(f"nothing was raised that says '{phrase}'")


def warned(phrase: str, call: Callable[[], object]) -> dict[str, Any]:
    """Say which kind of warning a call gives that a user's filter on the phrase finds, and what the call returns."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        returned = call()
    kinds = {warning.category.__name__ for warning in seen if re.search(phrase, str(warning.message))}
    if not kinds:
        texts = [str(warning.message) for warning in seen]
        raise AssertionError(f"no warning says '{phrase}', but there are {texts}")
    return {"warned": sorted(kinds), "returned": returned}


def _found(phrase: str, text: str) -> str:
    return phrase if re.search(phrase, text) else text
