"""cv(): folds, equality with separate training of each fold, XGBoost's results on the same folds."""

from __future__ import annotations

import kauriboost as kb
import numpy as np
import pytest
import xgboost
from kauriboost._training.folds import make_folds
from kauriboost.callback import EarlyStopping, LearningRateScheduler, TrainingCallback, TrainingCheckPoint

Table = tuple[np.ndarray, np.ndarray]
PARAMS = {"objective": "binary:logistic", "max_depth": 3, "eta": 0.5, "tree_method": "exact"}


def thirds(n: int) -> list[tuple[np.ndarray, np.ndarray]]:
    fold_of = np.random.default_rng(1).integers(0, 3, n)
    return [(np.flatnonzero(fold_of != k), np.flatnonzero(fold_of == k)) for k in range(3)]


def test_equals_xgboost_on_the_same_folds(binary: Table) -> None:
    X, y = binary
    folds = thirds(len(y))
    how = {"folds": folds, "metrics": ["auc", "logloss"]}
    ours = kb.cv(PARAMS, kb.DMatrix(X, label=y), 6, **how)
    theirs = xgboost.cv(PARAMS, xgboost.DMatrix(X, label=y), 6, **how)
    assert list(ours.columns) == list(theirs.columns)
    np.testing.assert_allclose(ours.to_numpy(), theirs.to_numpy(), rtol=2e-4, atol=1e-6)


@pytest.mark.parametrize("maximize", [None, True])
def test_early_stopping_equals_xgboost(binary: Table, maximize: bool | None) -> None:
    X, y = binary
    params = {**PARAMS, "eta": 1, "eval_metric": ["logloss", "auc"]}
    how = {"folds": thirds(len(y)), "early_stopping_rounds": 3, "maximize": maximize, "as_pandas": False}
    ours = kb.cv(params, kb.DMatrix(X, label=y), 40, **how)
    theirs = xgboost.cv(params, xgboost.DMatrix(X, label=y), 40, **how)
    assert ours.keys() == theirs.keys()
    assert 1 < len(ours["test-auc-mean"]) == len(theirs["test-auc-mean"]) < 37


@pytest.mark.parametrize("sparse", [False, True])
def test_each_fold_is_a_training_of_its_own(regression: Table, sparse: bool) -> None:
    X, y = regression
    weight = np.linspace(0.5, 2, len(y))
    if sparse:
        from scipy.sparse import csr_matrix

        X = csr_matrix(np.where(np.abs(X) > 1, X, 0))
    data = kb.DMatrix(X, label=y, weight=weight)
    result = kb.cv({"subsample": 0.8}, data, 3, nfold=4, seed=11, as_pandas=False)
    scores = []
    for train, test in make_folds(data, 4, False, None, 11, True):
        parts = [kb.DMatrix(X[rows], label=y[rows], weight=weight[rows]) for rows in (train, test)]
        log: dict = {}
        evals = [(parts[0], "train"), (parts[1], "test")]
        kb.train({"subsample": 0.8}, parts[0], 3, evals=evals, evals_result=log, verbose_eval=False)
        scores.append([log["train"]["rmse"], log["test"]["rmse"]])
    for i, name in enumerate(("train", "test")):
        np.testing.assert_array_equal(result[f"{name}-rmse-mean"], np.mean(scores, axis=0)[i])
        np.testing.assert_array_equal(result[f"{name}-rmse-std"], np.std(scores, axis=0)[i])


def test_same_seed_same_result(binary: Table) -> None:
    data = kb.DMatrix(binary[0], label=binary[1])
    runs = [kb.cv({**PARAMS, "nthread": n}, data, 3, seed=seed) for n, seed in ((1, 5), (2, 5), (7, 5), (1, 6))]
    assert runs[0].equals(runs[1])
    assert runs[0].equals(runs[2])
    assert not runs[0].equals(runs[3])


@pytest.mark.parametrize(("n_rows", "nfold"), [(2, 2), (31, 3), (33, 32), (100, 7)])
@pytest.mark.parametrize("shuffle", [False, True])
def test_folds_partition_the_rows(n_rows: int, nfold: int, shuffle: bool) -> None:
    data = kb.DMatrix(np.zeros((n_rows, 1)), label=np.arange(n_rows) % 3)
    for stratified in (False, True):
        folds = make_folds(data, nfold, stratified, None, 3, shuffle)
        tests = [test for _, test in folds]
        assert sorted(np.concatenate(tests)) == list(range(n_rows))
        assert max(map(len, tests)) - min(map(len, tests)) <= 1
        for train, test in folds:
            assert sorted([*train, *test]) == list(range(n_rows))
            if stratified:
                counts = np.bincount(data.get_label()[test].astype(int), minlength=3)
                expected = np.bincount(data.get_label().astype(int), minlength=3) / nfold
                assert (np.abs(counts - expected) < 1).all()
    first = make_folds(data, nfold, False, None, 3, False)[0][1]
    assert first.tolist() == list(range(len(first)))


def ranking() -> tuple[kb.DMatrix, np.ndarray]:
    rng = np.random.default_rng(2)
    sizes = rng.integers(1, 9, 40)
    X = rng.normal(size=(sizes.sum(), 4))
    y = np.digitize(X[:, 0], [-0.5, 0.5])
    return kb.DMatrix(X, label=y, group=sizes, weight=np.linspace(1, 2, 40)), np.repeat(np.arange(40), sizes)


def test_queries_stay_whole() -> None:
    data, query = ranking()
    folds = make_folds(data, 5, False, None, 0, True)
    for train, test in folds:
        assert not set(query[train]) & set(query[test])
        sizes = np.bincount(query[test])
        np.testing.assert_array_equal(data.slice(test, allow_groups=True).get_group(), sizes[sizes > 0])
    assert sorted(len(set(query[test])) for _, test in folds) == [8] * 5
    result = kb.cv({"objective": "rank:ndcg"}, data, 5, nfold=5, metrics="ndcg", early_stopping_rounds=5)
    assert result["test-ndcg-mean"].iloc[-1] > 0.9
    given = kb.cv({"objective": "rank:ndcg"}, data, 5, folds=folds, metrics="ndcg", seed=99)
    assert result.equals(given.iloc[: len(result)])


def test_folds_that_cannot_be(regression: Table) -> None:
    data = kb.DMatrix(*regression)
    for nfold in (0, 1, 501):
        with pytest.raises(kb.ParameterError, match=f"nfold is {nfold}; expected 2 to 500"):
            kb.cv({}, data, 1, nfold=nfold)
    with pytest.raises(kb.ParameterError, match="max_depht"):
        kb.cv({"max_depht": 3, "nthread": 3}, data, 1)
    with pytest.raises(kb.DataError, match="label"):
        kb.cv({"objective": "binary:logistic", "nthread": 3}, data, 1)
    with pytest.raises(kb.ParameterError, match="folds is empty"):
        kb.cv({}, data, 1, folds=[])
    with pytest.raises(kb.DataError, match="one label per row"):
        kb.cv({}, kb.DMatrix(regression[0]), 1, stratified=True)
    ranked, query = ranking()
    with pytest.raises(kb.ParameterError, match="query groups"):
        kb.cv({"objective": "rank:ndcg"}, ranked, 1, stratified=True)
    torn = int(np.flatnonzero(np.diff(query) == 0)[0])
    with pytest.raises(kb.DataError, match=f"rows of query {query[torn]} for training"):
        kb.cv({"objective": "rank:ndcg"}, ranked, 1, folds=[(np.arange(torn + 1), np.arange(torn + 1, len(query)))])


def test_splitters_and_masks(binary: Table) -> None:
    from sklearn.model_selection import StratifiedKFold

    data = kb.DMatrix(binary[0], label=binary[1])
    splitter = StratifiedKFold(3, shuffle=True, random_state=0)
    pairs = list(splitter.split(binary[0], binary[1]))
    masks = [(np.isin(np.arange(600), train), np.isin(np.arange(600), test)) for train, test in pairs]
    results = [kb.cv(PARAMS, data, 2, folds=folds) for folds in (splitter, pairs, masks)]
    assert results[0].equals(results[1])
    assert results[0].equals(results[2])


def test_lines_and_callbacks(binary: Table, capsys: pytest.CaptureFixture[str]) -> None:
    X, y = binary
    folds = thirds(len(y))
    for show_stdv in (True, False):
        how = {"folds": folds, "verbose_eval": 2, "show_stdv": show_stdv}
        kb.cv(PARAMS, kb.DMatrix(X, label=y), 4, **how)
        printed = capsys.readouterr().out
        xgboost.cv(PARAMS, xgboost.DMatrix(X, label=y), 4, **how)
        assert printed == capsys.readouterr().out

    class Spy(TrainingCallback):
        def after_iteration(self, model: object, epoch: int, evals_log: dict) -> bool:
            assert len(model.boosters) == 3
            assert model.num_boosted_rounds() == epoch + 1 == len(evals_log["test"]["logloss"])
            assert all(len(score) == 2 for score in evals_log["test"]["logloss"])
            return epoch == 1

    data = kb.DMatrix(X, label=y)
    assert len(kb.cv(PARAMS, data, 9, callbacks=[Spy()])) == 2
    rates = [0.3, 0.2, 0.1]
    scheduled = kb.cv(PARAMS, data, 3, callbacks=[LearningRateScheduler(rates), EarlyStopping(rounds=3)])
    assert len(scheduled) == 3
    with pytest.raises(TypeError, match="no single model"):
        kb.cv(PARAMS, data, 1, callbacks=[TrainingCheckPoint(".")])


def test_preprocessing_objectives_and_metrics(regression: Table) -> None:
    data = kb.DMatrix(*regression)
    seen = []

    def shallower(train: kb.DMatrix, test: kb.DMatrix, params: dict) -> tuple:
        seen.append((train.num_row(), test.num_row()))
        return train, test, {**params, "max_depth": 1}

    def squared_error(margins: np.ndarray, matrix: kb.DMatrix) -> tuple[np.ndarray, np.ndarray]:
        return margins - matrix.get_label(), np.ones_like(margins)

    def bias(predictions: np.ndarray, matrix: kb.DMatrix) -> tuple[str, float]:
        return "bias", float(np.mean(predictions - matrix.get_label()))

    result = kb.cv([("base_score", 0), ("eval_metric", "mae"), ("eval_metric", "rmse")], data, 3, fpreproc=shallower)
    assert len(seen) == 3
    assert all(train + test == 500 for train, test in seen)
    own = kb.cv({"base_score": 0, "max_depth": 1}, data, 3, obj=squared_error, custom_metric=bias, metrics="rmse")
    np.testing.assert_allclose(own["test-rmse-mean"], result["test-rmse-mean"], rtol=1e-5)
    assert "test-mae-mean" in result
    assert "test-bias-mean" in own
