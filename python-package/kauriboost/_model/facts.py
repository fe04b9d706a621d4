"""Summary facts about a booster, for notebooks and reports."""

from __future__ import annotations

import json
import re
from typing import Any

_NUMBER = r"-?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?"
_NUMBERS = re.compile(rf"\[{_NUMBER}(?:, ?{_NUMBER})*\]")
_SAID = ("objective", "booster", "validate_parameters")


def facts_of(booster: Any) -> list[tuple[str, str]]:
    """Return names and values: objective, kind, rounds, features, and the parameters that the user gave."""
    learner = json.loads(booster.save_config())["learner"]
    facts = [
        ("objective", learner["objective"]["name"]),
        ("booster", learner["gradient_booster"]["name"]),
        ("rounds", str(booster.num_boosted_rounds())),
    ]
    if (best := booster.attr("best_iteration")) is not None:
        facts.append(("best round", best))
    facts.append(("features", str(booster.num_features())))
    given = learner.get("user_params", {})
    return facts + [(name, _text(value)) for name, value in sorted(given.items()) if name not in _SAID]


def _text(value: Any) -> str:
    return _plain(value if isinstance(value, str) else json.dumps(value))


def _plain(text: str) -> str:
    """Return a list of numbers in ordinary notation (the library writes 1E-1 for 0.1), other text unchanged."""
    if not _NUMBERS.fullmatch(text):
        return text
    return "[" + ", ".join(f"{float(number):.9g}" for number in text[1:-1].split(",")) + "]"
