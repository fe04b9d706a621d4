"""Folds that share the bins of all rows: each equals a separate training on a slice of them."""

from __future__ import annotations

from typing import Any

import kauriboost as kb
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from kauriboost._training.folds import make_folds

RNG = np.random.default_rng(3)
X = RNG.normal(size=(900, 5)).astype(np.float32)
X[RNG.random(X.shape) < 0.1] = np.nan
Y = (np.nan_to_num(X[:, 0] * X[:, 1]) + RNG.normal(scale=0.5, size=900)).astype(np.float32)


def frame() -> pd.DataFrame:
    table = pd.DataFrame(X, columns=list("abcde"))
    table["city"] = pd.Categorical(RNG.choice(["bonn", "oslo", "rome", "lima", "kyiv", "york"], 900))
    return table


KINDS: dict[str, kb.DMatrix] = {
    "dense": kb.DMatrix(X, Y),
    "sparse": kb.DMatrix(sp.csr_matrix(np.where(np.abs(X) > 1, X, 0)), Y),
    "categories": kb.DMatrix(frame(), Y),
    "weights": kb.DMatrix(X, Y, weight=np.linspace(0.1, 3, 900)),
    "queries": kb.DMatrix(X, (Y > 0).astype(int), group=np.full(90, 10)),
    "bins": kb.QuantileDMatrix(X, Y, max_bin=64),
}
PARAMS: dict[str, dict[str, Any]] = {
    "queries": {"objective": "rank:ndcg"},
    "bins": {"max_bin": 64},
    "weights": {"max_bin": 16, "subsample": 0.7},
    "dense": {"grow_policy": "symmetric", "tree_method": "hist"},
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("threads", [1, 3])
def test_bytes_and_scores_are_those_of_each_fold_alone(kind: str, threads: int) -> None:
    data, params = KINDS[kind], {**PARAMS.get(kind, {}), "nthread": threads}
    found = kb.cv(params, data, 5, nfold=4, seed=2, shared_bins=True, as_pandas=False, return_models=True)
    result = found.table
    binned = data.binned(params.get("max_bin"))
    rows = make_folds(data, 4, False, None, 2, True)
    scores = []
    for booster, (train, test) in zip(found.boosters, rows, strict=True):
        parts = [binned.slice(part, allow_groups=True) for part in (train, test)]
        log: dict[str, Any] = {}
        evals = [(parts[0], "train"), (parts[1], "test")]
        alone = kb.train(params, parts[0], 5, evals=evals, evals_result=log, verbose_eval=False)
        assert booster.save_raw() == alone.save_raw()
        scores.append([next(iter(log[name].values())) for name in ("train", "test")])
    for at, name in enumerate(("train", "test")):
        (means,) = (values for key, values in result.items() if key.startswith(name) and key.endswith("mean"))
        np.testing.assert_array_equal(means, np.mean(scores, axis=0)[at])


def test_all_rows_of_the_bins_make_the_model_of_the_matrix() -> None:
    for kind, data in KINDS.items():
        params = PARAMS.get(kind, {})
        binned = data.binned(params.get("max_bin"))
        assert (binned.num_row(), binned.num_col()) == (data.num_row(), data.num_col())
        assert binned.feature_names == data.feature_names
        assert binned.get_categories() == data.get_categories()
        np.testing.assert_array_equal(binned.get_label(), data.get_label())
        models = [bytes(kb.train(params, part, 4, verbose_eval=False).save_raw()) for part in (data, binned)]
        assert models[0] == models[1]


def test_the_same_result_again_and_after_a_failure() -> None:
    data = kb.DMatrix(X, Y)
    first = kb.cv({}, data, 4, shared_bins=True)
    with pytest.raises(kb.ParameterError, match="max_depht"):
        kb.cv({"max_depht": 2}, data, 4, shared_bins=True)
    assert kb.cv({}, data, 4, shared_bins=True).equals(first)
    data.set_weight(np.linspace(0.1, 9, 900))  # other bin edges
    weighed = kb.cv({}, data, 4, shared_bins=True)
    assert not weighed.equals(first)
    assert weighed.equals(kb.cv({}, kb.DMatrix(X, Y, weight=np.linspace(0.1, 9, 900)), 4, shared_bins=True))


def test_preprocessing_sees_bins() -> None:
    def fewer(train: kb.DMatrix, test: kb.DMatrix, params: dict[str, Any]) -> Any:
        return train.slice(np.arange(100)), test, params

    assert len(kb.cv({}, kb.DMatrix(X, Y), 3, fpreproc=fewer, shared_bins=True)) == 3


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"tree_method": "exact"}, "tree_method=exact needs the values of the features.*tree_method=hist"),
        ({"tree_method": "approx"}, "tree_method=approx needs the values of the features"),
        ({"booster": "gblinear"}, "booster=gblinear needs the values of the features"),
        ({"max_bin": 1}, "max_bin"),
    ],
)
def test_what_has_no_bins(params: dict[str, Any], message: str) -> None:
    with pytest.raises(kb.ParameterError, match=message):
        kb.cv(params, kb.DMatrix(X, Y), 2, shared_bins=True)


def test_other_bins_than_the_matrix_has() -> None:
    with pytest.raises(kb.ParameterError, match="max_bin=256, but the data were cut into bins with max_bin=64"):
        kb.cv({}, KINDS["bins"], 2, shared_bins=True)
    with pytest.raises(kb.ParameterError, match="max_bin=100000 is out of range"):
        kb.DMatrix(X, Y).binned(100000)
