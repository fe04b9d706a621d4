"""HTML of boosters, estimators and explanations in notebooks: tables in which all names are escaped."""

from __future__ import annotations

import json
import re

import kauriboost as kb
import numpy as np
import pytest

NAME = "<script>1</script>"


def cells(html: str) -> list[list[str]]:
    rows = re.findall(r"<tr>(.*?)</tr>", html)
    return [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in rows]


def test_boosters(regression: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = regression
    booster = kb.train({"max_depth": 2, "eta": 0.5}, kb.DMatrix(X, label=y), 3, verbose_eval=False)
    facts = dict(cells(booster._repr_html_()))
    assert facts["rounds"] == "3"
    assert (facts["objective"], facts["features"], facts["max_depth"]) == ("reg:squarederror", "5", "2")
    assert kb.Booster({"max_depth": "deep"})._repr_html_().startswith("Booster(error=")
    levels = kb.Booster({"objective": "reg:quantileerror", "quantile_alpha": [0.1, 0.5, 0.00025]})
    assert dict(cells(levels._repr_html_()))["quantile_alpha"] == "[0.1, 0.5, 0.00025]"
    fresh = dict(cells(kb.Booster()._repr_html_()))
    assert fresh["rounds"] == "0"


def test_explanations(regression: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = regression
    booster = kb.train({"max_depth": 2}, kb.DMatrix(X, label=y), 5, verbose_eval=False)
    explanation = kb.explain(booster, X, feature_names=[NAME, "b", "c", "d", "e"])
    html = explanation._repr_html_()
    assert "<script" not in html
    assert cells(html)[0] == ["feature", "mean |value|"]
    assert cells(html)[1] == ["&lt;script&gt;1&lt;/script&gt;", f"{np.abs(explanation.values[:, 0]).mean():.4g}"]
    assert cells(explanation[3]._repr_html_())[0] == ["feature", "value"]
    means = kb.global_importance(booster, X, feature_names=[NAME, "b", "c", "d", "e"])
    assert cells(means._repr_html_()) == cells(html)
    pairs = kb.explain(booster, X, interactions=True)
    assert cells(pairs._repr_html_()) == []
    assert "Explanation(shape=(500, 5, 5)" in pairs._repr_html_()


def test_several_outputs(multiclass: tuple[np.ndarray, np.ndarray]) -> None:
    pytest.importorskip("sklearn")
    X, y = multiclass
    names = np.array([NAME, "b", "c"])[y.astype(int)]
    model = kb.KauriClassifier(n_estimators=3).fit(X, names)
    explanation = kb.explain(model, X)
    head, first = cells(explanation._repr_html_())[:2]
    assert head == ["feature", "mean |value|, &lt;script&gt;1&lt;/script&gt;", "mean |value|, b", "mean |value|, c"]
    assert first[0] == "f0"
    assert float(first[2]) == pytest.approx(np.abs(explanation.output("b").values[:, 0]).mean(), rel=1e-3)
    assert "KauriClassifier" in model._repr_mimebundle_()["text/html"]  # scikit-learn's own


def test_parameters_are_text(regression: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = regression
    booster = kb.train({}, kb.DMatrix(X, label=y), 1, verbose_eval=False)
    document = json.loads(booster.save_raw("json"))
    document["learner"]["attributes"]["best_iteration"] = NAME
    loaded = kb.Booster(model_file=json.dumps(document).encode())
    assert dict(cells(loaded._repr_html_()))["best round"] == "&lt;script&gt;1&lt;/script&gt;"
