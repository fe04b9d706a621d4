"""What there is to know of a booster at a glance, for notebooks and reports."""

from __future__ import annotations

import json
from typing import Any

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
    return value if isinstance(value, str) else json.dumps(value)
