"""QuantileDMatrix and ExtMemQuantileDMatrix, compared with XGBoost's: bin edges, replacement values, and quality."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import kauriboost as kb
import numpy as np
import pytest
import xgboost
from sklearn.datasets import load_svmlight_file
from sklearn.metrics import roc_auc_score

DATA = Path(__file__).resolve().parents[2] / "demo" / "data"
PARAMS = {"objective": "binary:logistic", "tree_method": "hist", "max_depth": 4, "eta": 0.3}


def load(part: str) -> tuple[np.ndarray, np.ndarray]:
    features, labels = load_svmlight_file(str(DATA / f"breast_cancer.{part}.libsvm"), zero_based=True)
    return features.toarray().astype(np.float32), labels.astype(np.float32)


TRAIN, LABELS = load("train")
TEST, TEST_LABELS = load("test")


def iterator_of(base: type, prefix: str | None = None) -> Any:
    pieces = np.array_split(np.arange(len(TRAIN)), 4)

    class Pieces(base):
        def __init__(self) -> None:
            self.at = 0
            if base is not kb.DataIter:
                super().__init__(cache_prefix=prefix)

        def next(self, input_data: Any) -> bool:
            if self.at == len(pieces):
                return False
            rows = pieces[self.at]
            input_data(data=TRAIN[rows], label=LABELS[rows])
            self.at += 1
            return True

        def reset(self) -> None:
            self.at = 0

    return Pieces()


def test_cuts_of_few_distinct_values_are_the_same() -> None:
    rows = np.round(TRAIN[:, :8] / TRAIN[:, :8].std(axis=0), 1)
    ours, theirs = kb.QuantileDMatrix(rows, LABELS), xgboost.QuantileDMatrix(rows, LABELS)
    (indptr, mine), (their_indptr, other) = ours.get_quantile_cut(), theirs.get_quantile_cut()
    np.testing.assert_array_equal(indptr, their_indptr)
    assert (mine[indptr[:-1]] == -np.inf).all()  # as in XGBoost from 3.4 on
    is_cut = np.isfinite(mine)
    np.testing.assert_array_equal(mine[is_cut], other[is_cut])
    shown, theirs_shown = ours.get_data().toarray(), theirs.get_data().toarray()
    is_first = shown < other[indptr[:-1] + 1]
    np.testing.assert_array_equal(shown[~is_first], theirs_shown[~is_first])
    np.testing.assert_array_equal(is_first, theirs_shown < other[indptr[:-1] + 1])


@pytest.mark.parametrize("kind", ["one batch", "batches", "file"])
def test_quality_is_the_peers(kind: str, tmp_path: Path) -> None:
    scores = []
    for module in (kb, xgboost):
        if kind == "one batch":
            data = module.QuantileDMatrix(TRAIN, LABELS)
        elif kind == "batches":
            data = module.QuantileDMatrix(iterator_of(module.DataIter))
        else:
            data = module.ExtMemQuantileDMatrix(iterator_of(module.DataIter, str(tmp_path / "cache")))
        booster = module.train(PARAMS, data, 20)
        scores.append(roc_auc_score(TEST_LABELS, booster.predict(module.DMatrix(TEST))))
    assert abs(scores[0] - scores[1]) < 0.01, scores


def test_predictions_on_bins_follow_the_same_rule() -> None:
    """A model of XGBoost gives the same predictions on both libraries' bins of few distinct values."""
    rows = np.round(TRAIN[:, :8] / TRAIN[:, :8].std(axis=0), 1)
    theirs = xgboost.QuantileDMatrix(rows, LABELS)
    booster = xgboost.train(PARAMS, theirs, 5)
    ours = kb.Booster(model_file=bytearray(booster.save_raw("json")))
    expected = booster.predict(theirs)
    np.testing.assert_allclose(ours.predict(kb.QuantileDMatrix(rows, LABELS)), expected, rtol=2e-6)


def test_both_refuse_another_max_bin() -> None:
    for module in (kb, xgboost):
        data = module.QuantileDMatrix(TRAIN, LABELS, max_bin=64)
        with pytest.raises(ValueError, match="max_bin"):
            module.train(PARAMS, data, 1)
