"""The machinery of scenarios: what its comparison detects, and scenarios that raise, die or hang."""

from __future__ import annotations

import os
import time
from collections.abc import Callable

import numpy as np
import pytest
from drop_in.comparison import difference
from drop_in.worker import run_apart
from drop_in.workers import scenario_names
from scenarios.support.scenario import EQUAL, Agreement, caught, close, losses, scenario, warned


def compare(theirs: object, ours: object, agreement: Agreement = EQUAL) -> str | None:
    records = [{"outcome": "returned", "value": value, "agreement": tuple(agreement)} for value in (theirs, ours)]
    return difference(*records)


@pytest.mark.parametrize(
    ("theirs", "ours", "agreement"),
    [
        (np.array([1.0, np.nan, np.inf]), np.array([1.0, np.nan, np.inf]), EQUAL),
        ({"a": [1, "text", None]}, {"a": (1, "text", None)}, EQUAL),
        (np.array([1.0, 1e-9]), np.array([1.00001, 2e-9]), close()),
        (0.5, 0.52, losses(0.05)),
        (np.zeros(0), np.zeros(0), close()),
    ],
)
def test_agree(theirs: object, ours: object, agreement: Agreement) -> None:
    assert compare(theirs, ours, agreement) is None


@pytest.mark.parametrize(
    ("theirs", "ours", "agreement"),
    [
        (np.array([1.0, 2.0]), np.array([1.0, 2.0], np.float32), EQUAL),
        (np.array([1.0, 2.0]), np.array([[1.0, 2.0]]), close()),
        (np.array([1.0, np.nan]), np.array([1.0, 2.0]), close()),
        (np.array([1.0, 1e-3]), np.array([1.0, 2e-3]), close()),
        (np.array([1, 2]), np.array([1, 3]), losses(1.0)),
        (0.5, 0.56, losses(0.05)),
        (1, True, EQUAL),
        ([1, 2], [1, 2, 3], EQUAL),
        ({"a": 1}, {"b": 1}, EQUAL),
        ("one", "two", losses(1.0)),
        (b"ab", [97, 98], EQUAL),
    ],
)
def test_differ(theirs: object, ours: object, agreement: Agreement) -> None:
    assert compare(theirs, ours, agreement) is not None


def test_a_scenario_must_run_over_xgboost() -> None:
    raised = {"outcome": "raised", "text": "no"}
    assert "over XGBoost's own library" in str(difference(raised, raised))


@scenario(close(0.5))
def returning() -> object:
    return {"value": np.arange(3)}


def dying() -> object:
    os._exit(3)


def hanging() -> object:
    time.sleep(60)
    return None


def returning_an_object() -> object:
    return object()


def test_a_record_of_what_is_returned() -> None:
    record = run_apart(returning, 10)
    assert record["outcome"] == "returned"
    assert record["agreement"] == ("close", 0.5)
    assert record["value"]["value"].tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("function", "outcome", "text"),
    [(dying, "died", "3"), (hanging, "hung", "0.2 s"), (returning_an_object, "raised", "TypeError")],
)
def test_records_of_what_goes_wrong(function: Callable[[], object], outcome: str, text: str) -> None:
    record = run_apart(function, 10 if outcome != "hung" else 0.2)
    assert record["outcome"] == outcome
    assert text in record["text"]


def test_phrases() -> None:
    def fail() -> None:
        raise LookupError("nothing here")

    assert caught("nothing", fail) == {"raised": [k.__name__ for k in LookupError.__mro__], "says": "nothing"}
    assert caught("else", fail)["says"] == "nothing here"
    with pytest.raises(AssertionError, match="nothing was raised"):
        caught("", lambda: None)
    with pytest.raises(AssertionError, match="no warning says"):
        warned("anything", lambda: None)


def test_scenarios_of_every_room() -> None:
    names = scenario_names()
    assert len(names) == len(set(names))
    assert len({name.split(".")[0] for name in names}) >= 18
