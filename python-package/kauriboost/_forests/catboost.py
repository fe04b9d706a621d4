"""Reading of CatBoost models, whose JSON format the library reads."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .._binding.errors import ModelError
from .._model.booster import Booster

_BEGINNING = re.compile(rb'\s*\{\s*"(ctr_data|features_info|model_info|oblivious_trees|scale_and_bias|trees)"')
_Categories = Mapping[Any, Sequence[Any]]


def is_catboost(head: bytes) -> bool:
    """Return whether a file with this beginning is read as a model of CatBoost."""
    return _BEGINNING.match(head) is not None


def text_of(model: Any) -> bytes:
    """Return a CatBoost model in its JSON format."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        model.save_model(str(path), format="json")
        return path.read_bytes()


def from_catboost_text(text: bytes, categories: _Categories | None) -> tuple[Booster, dict[str, Any]]:
    """Return the model of CatBoost's JSON, and what the JSON says: `version`, `objective`, `not_kept`."""
    if categories:
        text = _with_names(text, categories)
    booster = Booster(model_file=bytearray(text))  # which validates the text
    info = _member(json.loads(text), "model_info")
    version = re.search(r"tags/v(\S+)", str(info.get("catboost_version_info", "")))
    loss = _member(_member(info, "params"), "loss_function") or _member(info, "loss_function")
    facts = {
        "version": version[1] if version else "",
        "objective": loss.get("type", ""),
        "not_kept": [
            "borders that no split uses",
            "parameters of the training",
            *(["names of classes"] if info.get("class_params") else []),
            *([] if loss else ["the link of a loss, which the file does not have: predictions are raw values"]),
        ],
    }
    return booster, facts


def _member(document: dict[str, Any], key: str) -> dict[str, Any]:
    """Return a member of a valid model that is an object, or the text of one, as in older versions; else nothing."""
    member = document.get(key) or {}
    return json.loads(member.encode()) if isinstance(member, str) else member


def _with_names(text: bytes, categories: _Categories) -> bytes:
    """Add the names of categories where the library's reader expects them."""
    try:
        document = json.loads(text)
        columns = document["features_info"].get("categorical_features", [])
        by_name = {key: each for each in columns for key in (each.get("feature_id"), each["flat_feature_index"])}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ModelError(f"the model of CatBoost is damaged ({error}). Save it again.") from None
    for key, names in categories.items():
        if key not in by_name:
            known = [each.get("feature_id") or each["flat_feature_index"] for each in columns]
            raise ModelError(f"categories names the column {key!r}, and the columns of categories are {known}.")
        by_name[key]["names"] = [name if isinstance(name, str) else int(name) for name in names]
    return json.dumps(document).encode()
