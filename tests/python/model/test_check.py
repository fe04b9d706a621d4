"""Validation of files: models, and files that are not models."""

from __future__ import annotations

from pathlib import Path

import kauriboost as kb
import numpy as np
import pytest


def test_sound_files(tmp_path: Path, regression: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = regression
    data = kb.DMatrix(X, label=y)
    booster = kb.train({"booster": "dart"}, data, 3, evals=[(data, "a")], early_stopping_rounds=2, verbose_eval=False)
    booster.set_attr(author="<b>")
    for name in ("model.json", "model.ubj"):
        booster.save_model(tmp_path / name)
        found = kb.check(tmp_path / name)
        assert found
        assert found.problem is None
        expected = {
            "objective": "reg:squarederror",
            "booster": "dart",
            "rounds": "3",
            "best round": "2",
            "features": "5",
        }
        assert found.facts == expected
        assert found.attributes == ["author", "best_iteration", "best_score"]
    assert repr(found).startswith("ModelCheck(objective='reg:squarederror', booster='dart', rounds='3'")
    assert "can be used" in found._repr_html_()


def test_files_that_are_none(tmp_path: Path, regression: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = regression
    raw = bytes(kb.train({}, kb.DMatrix(X, label=y), 3, verbose_eval=False).save_raw("json"))
    unlike = {
        b"": "it is empty",
        b"{}": "'learner' is missing",
        b"<script>": "neither a JSON nor a UBJSON object",
        raw[:-50]: "not valid JSON at byte",
        raw.replace(b"reg:squarederror", b"reg:unknown"): "Unknown objective function 'reg:unknown'",
        raw.replace(b'"num_feature":"5"', b'"num_feature":"1"'): "feature",
    }
    path = tmp_path / "model.json"
    for content, problem in unlike.items():
        path.write_bytes(content)
        found = kb.check(path)
        assert not found, content[:40]
        assert problem in str(found.problem)
        assert (found.facts, found.attributes) == ({}, [])
        assert "<script" not in found._repr_html_()
        assert path.read_bytes() == content


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(kb.FileError, match="No such file or directory; give the path"):
        kb.check(tmp_path / "none.json")
    with pytest.raises(kb.FileError, match="Is a directory"):
        kb.check(tmp_path)
