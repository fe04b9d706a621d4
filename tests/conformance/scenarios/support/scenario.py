"""The definition of a scenario: a function that returns observable results, and the required agreement.

    @scenario(close())
    def squared_error() -> object:
        booster = xgb.train({"objective": "reg:squarederror"}, xgb.DMatrix(rows, labels), 10)
        return booster.predict(xgb.DMatrix(rows))

The result consists of numbers, texts, bytes, None and arrays, in lists, tuples and dicts.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple


class Agreement(NamedTuple):
    """The comparison of numbers that are not whole; everything else must be equal."""

    kind: str  # "equal", "close" or "losses"
    share: float = 0.0  # maximum difference, relative to the larger of the two


EQUAL = Agreement("equal")


def close(share: float = 1e-4) -> Agreement:
    """Allow rounding errors: each number differs by at most this share of the largest in its array."""
    return Agreement("close", share)


def losses(share: float) -> Agreement:
    """Allow different methods of training: each number differs by at most this share of itself."""
    return Agreement("losses", share)


def scenario(agreement: Agreement) -> Callable[[Callable[[], object]], Callable[[], object]]:
    """Mark a function as a scenario."""

    def mark(function: Callable[[], object]) -> Callable[[], object]:
        function.agreement = agreement  # type: ignore[attr-defined]  # read by drop_in/worker.py
        return function

    return mark


def caught(phrase: str, call: Callable[[], object]) -> dict[str, Any]:
    """Return the type of exception that a call raises, and whether its message contains the phrase."""
    try:
        call()
    except Exception as error:  # any type, because the type is compared
        return {"raised": [kind.__name__ for kind in type(error).__mro__], "says": _found(phrase, str(error))}
    raise AssertionError(f"nothing was raised that says '{phrase}'")


def warned(phrase: str, call: Callable[[], object]) -> dict[str, Any]:
    """Return the type of a call's warning that a filter on the phrase matches, and the call's result."""
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
