"""ordered_combination: refusals of models with combinations of columns, and damaged tables."""

from __future__ import annotations

import json
from typing import Any

import kauriboost as kb
import numpy as np
import pytest
from test_combined_categories import LABELS, PARAMS, ROWS, combinations, frame_of, matrix, train


@pytest.mark.parametrize(
    "explain",
    [
        lambda m: m.predict(matrix(), pred_contribs=True),
        lambda m: m.predict(matrix(), pred_contribs=True, approx_contribs=True),
        lambda m: m.predict(matrix(), pred_interactions=True),
        lambda m: kb.explain(m, matrix()),
        lambda m: kb.explain(m, matrix(), background=matrix(ROWS[:5], None)),
        lambda m: kb.explain(m, matrix(), values="banzhaf"),
        lambda m: kb.explain(m, matrix(), background=matrix(ROWS[:5], None), output="value"),
        lambda m: kb.global_importance(m, matrix()),
        lambda m: kb.sparse_interactions(m, matrix()),
    ],
)
def test_contributions_are_refused(explain: Any) -> None:
    with pytest.raises(kb.KauriError, match=r"combinations of categorical columns .* belongs to no single column"):
        explain(train())


def test_predictions_are_explained_as_a_function() -> None:
    model = train()
    found = kb.explain_function(model.inplace_predict, ROWS[:3], ROWS[:20])
    assert np.allclose(found.values.sum(axis=1) + found.base_values, model.inplace_predict(ROWS[:3]), atol=1e-4)


def test_importances_of_features_are_refused() -> None:
    rows = frame_of(ROWS, [f"t{i}" for i in range(7)])
    fitted = kb.KauriRegressor(n_estimators=3, **PARAMS).fit(rows, LABELS)
    with pytest.raises(kb.KauriError, match=r"c0&c1.*get_score"):
        _ = fitted.feature_importances_


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"ordered_combination": 0}, "ordered_combination"),
        ({"ordered_combination": 9}, "ordered_combination"),
        ({"interaction_constraints": "[[0,1]]"}, "interaction_constraints and ordered_combination of 2 or more"),
        ({"feature_cost": "(0,0,1,0,0)"}, "feature_cost and ordered_combination of 2 or more"),
        ({"monotone_constraints": "(0,0,1,0,0,1)"}, "monotone_constraints has 6 values, the data have 5 features"),
        ({"max_ctr_complexity": 2}, "use ordered_combination"),
    ],
)
def test_what_is_refused(params: dict[str, Any], message: str) -> None:
    with pytest.raises(kb.KauriError, match=message):
        train(**params)
    if "ordered_combination" not in params:
        with pytest.raises(kb.KauriError, match=message):
            train(model=train(), **params)


N_CELLS = 20


def train_pair(**more: Any) -> kb.Booster:
    """Train so that only columns 0 and 1 are combined: labels say whether they have the same parity."""
    same = (np.isnan(ROWS[:, 0]) | (ROWS[:, 0] % 2 == ROWS[:, 1] % 2)).astype(np.float32)
    return train(2, data=matrix(labels=same), **more)


HOSTILE = [
    ("most", 1, "most"),
    ("most", 9, "most"),
    ("count", -1, "count"),
    ("count", 0, "expected 0, one per combination"),
    ("count", 2, "do not ascend from 0 to at most 3"),
    ("count", 6, "count"),
    ("count", 1 << 40, "count"),
    ("bases", [2], "is no encoded column and no combination before it"),
    ("bases", [-1], "is no encoded column and no combination before it"),
    ("bases", [5], "is no encoded column and no combination before it"),
    ("bases", [1], "which its base has already"),
    ("bases", [0, 0], "expected 1, one per combination"),
    ("features", [2], "is no encoded column"),
    ("features", [5], "is no encoded column"),
    ("features", [-5], "is no encoded column"),
    ("features", [], "expected 1, one per combination"),
    ("segments", [], "does not ascend from 0"),
    ("segments", [0, 1 << 40], "does not ascend from 0"),
    ("cells", [1] * N_CELLS, "do not ascend within those of 5 and 4 categories"),
    ("cells", list(range(N_CELLS)), "do not ascend within those of 5 and 4 categories"),
    ("cells", [i << 24 for i in range(N_CELLS)], "do not ascend within those of 5 and 4 categories"),
    ("cells", [-1, *range(N_CELLS - 1)], "do not ascend within those of 5 and 4 categories"),
    ("cells", [1], "are 20 and 20 numbers; expected 1"),
    ("labels", [1], "are 1 and 20 numbers"),
    ("weights", [-1] * N_CELLS, "has a number below 0"),
]


def changed(model: kb.Booster, change: dict[str, Any]) -> bytearray:
    document = json.loads(model.save_raw("json"))
    attributes = document["learner"]["attributes"]
    table = json.loads(attributes["kauri_cats_ordered"])
    table["combinations"] |= change
    attributes["kauri_cats_ordered"] = json.dumps(table)
    return bytearray(json.dumps(document).encode())


@pytest.mark.parametrize(("key", "value", "message"), HOSTILE)
def test_damaged_tables_are_refused(key: str, value: Any, message: str) -> None:
    model = train_pair()
    assert combinations(model)["bases"] == [0]
    assert combinations(model)["features"] == [1]
    assert len(combinations(model)["cells"]) == N_CELLS
    with pytest.raises(kb.KauriError, match=f"'kauri_cats_ordered' is damaged.*({message})"):
        kb.Booster(model_file=changed(model, {key: value}))


def test_combinations_no_larger_than_said() -> None:
    model = train(2, ordered_combination=3)
    assert combinations(model)["most"] == 3
    with pytest.raises(kb.KauriError, match="has 2 columns; expected fewer than 2"):
        kb.Booster(model_file=changed(model, {"most": 2}))


def test_a_file_without_its_tables_is_one_of_more_columns() -> None:
    document = json.loads(train_pair().save_raw("json"))
    del document["learner"]["attributes"]["kauri_cats_ordered"]
    back = kb.Booster(model_file=bytearray(json.dumps(document).encode()))
    assert back.num_features() == 6
