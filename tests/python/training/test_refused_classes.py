"""categorical_encoding=ordered for several classes: refusals, and damaged tables."""

from __future__ import annotations

import json
from typing import Any

import kauriboost as kb
import numpy as np
import pytest
from test_ordered_classes import LABELS, N_ROWS, PARAMS, ROWS, TYPES, matrix, tables, train


@pytest.mark.parametrize(
    "explain",
    [
        lambda m: m.predict(matrix(), pred_contribs=True),
        lambda m: m.predict(matrix(), pred_contribs=True, approx_contribs=True),
        lambda m: m.predict(matrix(), pred_interactions=True),
        lambda m: kb.explain(m, matrix()),
        lambda m: kb.explain(m, matrix(), background=matrix(ROWS[:5], None)),
        lambda m: kb.explain(m, matrix(), background=matrix(ROWS[:5], None), output="value"),
        lambda m: kb.global_importance(m, matrix()),
        lambda m: kb.sparse_interactions(m, matrix()),
    ],
)
def test_contributions_are_refused(explain: Any) -> None:
    with pytest.raises(kb.KauriError, match=r"share of each class .* in 9 columns .* belongs to no single feature"):
        explain(train())


def test_predictions_are_explained_as_a_function() -> None:
    model = train()

    def of_class_1(rows: np.ndarray) -> np.ndarray:
        return model.inplace_predict(rows)[:, 1]

    found = kb.explain_function(of_class_1, ROWS[:3], ROWS[:20])
    assert np.allclose(found.values.sum(axis=1) + found.base_values, of_class_1(ROWS[:3]), atol=1e-4)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"interaction_constraints": "[[0,1]]"}, "interaction_constraints and 3 classes or more"),
        ({"feature_cost": "(0,0,1,0)"}, "feature_cost and 3 classes or more"),
        ({"monotone_constraints": "(0,0,-1,0)"}, "monotone_constraints of the categorical column 2 and 3 classes"),
        ({"monotone_constraints": "(0,1,0,0,1)"}, "monotone_constraints has 5 values, the data have 4 features"),
        (
            {"num_class": 21846},
            "num_class=21846 and 3 categorical columns: a column for each class makes more than 65536",
        ),
        ({"device": "cuda"}, "device=cuda"),
        ({"booster": "gblinear"}, "does not go with booster=gblinear"),
    ],
)
def test_what_is_refused(params: dict[str, Any], message: str) -> None:
    with pytest.raises(kb.KauriError, match=message):
        train(**params)
    if not params.keys() & {"num_class", "booster"}:
        model = train()
        before = model.save_raw("json")
        with pytest.raises(kb.KauriError, match=message):
            train(model=model, **params)
        assert model.save_raw("json") == before


def test_data_that_are_refused() -> None:
    with pytest.raises(kb.KauriError, match=r"categorical_encoding=ordered needs .*values"):
        train(data=kb.QuantileDMatrix(ROWS, LABELS, feature_types=TYPES))
    gradients = np.zeros((N_ROWS, 4), dtype=np.float32)
    with pytest.raises(kb.KauriError, match="does not go with custom gradients"):
        kb.train(PARAMS, matrix(), 1, obj=lambda *_: (gradients, gradients + 1))
    with pytest.raises(kb.KauriError, match="=partition does not fit the model, which was trained with ordered"):
        train(model=train(), categorical_encoding="partition")
    with pytest.raises(kb.KauriError, match="holds categories in the model, but numbers"):
        train().predict(kb.DMatrix(ROWS, feature_types=["q", "q", "c", "c"]))


def changed(model: kb.Booster, change: Any) -> bytearray:
    """Return the model's file after `change` of its document and its tables of categories."""
    document = json.loads(model.save_raw("json"))
    table = tables(model)
    change(document, table)
    document["learner"]["attributes"]["kauri_cats_ordered"] = json.dumps(table)
    return bytearray(json.dumps(document).encode())


def with_features(document: Any, count: int) -> None:
    document["learner"]["learner_model_param"]["num_feature"] = str(count)


N_VALUES = 24  # number of categories
HOSTILE = [
    ("numbers", 2, "numbers"),
    ("numbers", 1, "numbers"),
    ("numbers", 3, "is 3, but the model has 4 classes"),
    ("numbers", 5, "is 5, but the model has 4 classes"),
    ("numbers", (1 << 63) - 1, "but the model has 4 classes"),
    ("numbers", "x", "numbers"),
    ("labels", [1] * N_VALUES, "are 24 and 24 numbers; expected 24, one per category, of labels one per class"),
    ("labels", [1] * (4 * N_VALUES + 1), "are 97 and 24 numbers"),
    ("labels", [], "are 0 and 24 numbers"),
    ("weights", [1] * (4 * N_VALUES), "are 96 and 96 numbers"),
    ("weights", [-1] * N_VALUES, "has a number below 0"),
    ("label_unit", 256, "make no finite number|makes no finite number"),
    ("total", [1, 2], "is not a sum of labels for each class and one of weights"),
    ("total", [1, 2, 3, 4, 5, 6], "is not a sum of labels for each class and one of weights"),
    ("total", [1, 2, 3, 4, -1], "is not a sum of labels for each class and one of weights"),
    ("total", [], "is not a sum of labels for each class and one of weights"),
    ("columns", [0, 2, 4], "do not ascend from 0 to at most 3"),
    ("columns", [0, 2, 3, 3, 3, 3], "does not ascend from 0"),
]


@pytest.mark.parametrize(("key", "value", "message"), HOSTILE)
def test_damaged_tables_are_refused(key: str, value: Any, message: str) -> None:
    model = train(2)
    assert len(tables(model)["weights"]) == N_VALUES
    with pytest.raises(kb.KauriError, match=f"'kauri_cats_ordered' is damaged.*({message})"):
        kb.Booster(model_file=changed(model, lambda _, table: table.update({key: value})))


def test_fewer_features_than_numbers() -> None:
    """Single-leaf trees fit any number of features."""
    model = train(2, ordered_combination=2, gamma=1e9)
    assert tables(model)["combinations"]["count"] == 1
    for count, message in (
        (4, "is 4 of 4 columns each, more than the 4 features of the model"),
        (13, "is 4 of 4 columns each, more than the 13 features of the model"),
        (14, "do not ascend from 0 to at most 0"),
        (16, "do not ascend from 0 to at most 2"),
    ):
        with pytest.raises(kb.KauriError, match=f"'kauri_cats_ordered' is damaged.*({message})"):
            kb.Booster(model_file=changed(model, lambda document, _, n=count: with_features(document, n)))
    assert kb.Booster(model_file=changed(model, lambda *_: None)).num_features() == 4


def test_tables_without_numbers_fit_no_classes() -> None:
    with pytest.raises(kb.KauriError, match="is not a sum of labels and one of weights"):
        kb.Booster(model_file=changed(train(2), lambda _, table: table.pop("numbers")))


def test_combinations_of_classes_are_checked() -> None:
    def shorten(_: Any, table: Any) -> None:
        table["combinations"]["labels"].pop()

    with pytest.raises(kb.KauriError, match="of labels one per class"):
        kb.Booster(model_file=changed(train(2, ordered_combination=2), shorten))


def test_a_file_without_its_tables_is_one_of_more_columns() -> None:
    document = json.loads(train(2).save_raw("json"))
    del document["learner"]["attributes"]["kauri_cats_ordered"]
    assert kb.Booster(model_file=bytearray(json.dumps(document).encode())).num_features() == 4 + 9
