"""QuantileDMatrix and ExtMemQuantileDMatrix: the same models without the values."""

from __future__ import annotations

import gc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import kauriboost as kb
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from kauriboost.sklearn import KauriClassifier

XGBOOSTS: dict[str, Any] = {"learning_rate": 0.3, "reg_lambda": 1, "colsample_bynode": 1}  # its defaults
RNG = np.random.default_rng(7)
X = RNG.normal(size=(3000, 6)).astype(np.float32)
X[RNG.random(X.shape) < 0.1] = np.nan
Y = (np.nan_to_num(X[:, 0]) + RNG.normal(size=3000) > 0).astype(np.float32)
PARAMS = {"objective": "binary:logistic", "tree_method": "hist", "max_depth": 5, "nthread": 2}


class Batches(kb.DataIter):
    def __init__(self, batches: list[dict[str, Any]]) -> None:
        self.batches, self.at, self.resets, self.calls = batches, 0, 0, 0

    def next(self, input_data: Callable[..., None]) -> bool:
        if self.at == len(self.batches):
            return False
        input_data(**self.batches[self.at])
        self.at += 1
        self.calls += 1
        return True

    def reset(self) -> None:
        self.at, self.resets = 0, self.resets + 1


def in_batches(n: int, rows: np.ndarray = X, labels: np.ndarray = Y, **fields: np.ndarray) -> Batches:
    pieces = np.array_split(np.arange(len(rows)), n)
    return Batches([{"data": rows[i], "label": labels[i], **{k: v[i] for k, v in fields.items()}} for i in pieces])


def model_of(data: kb.DMatrix, rounds: int = 4, **params: Any) -> bytes:
    return bytes(kb.train({**PARAMS, **params}, data, rounds).save_raw("json"))


KINDS = {
    "array": np.asarray,
    "float64": lambda values: values.astype(np.float64),
    "fortran": np.asfortranarray,
    "frame": lambda values: pd.DataFrame(values, columns=list("abcdef")),
    "csr": lambda values: sp.csr_matrix(np.nan_to_num(values)),
}


def test_the_device_that_makes_the_bins() -> None:
    assert model_of(kb.QuantileDMatrix(X, Y, device="cpu")) == model_of(kb.DMatrix(X, Y))
    with pytest.raises(kb.ParameterError, match="device='tpu' is not valid"):
        kb.QuantileDMatrix(X, Y, device="tpu")
    if not kb.build_info()["USE_CUDA"]:
        with pytest.raises(kb.DeviceError):
            kb.QuantileDMatrix(X, Y, device="cuda")


@pytest.mark.parametrize("convert", KINDS.values(), ids=KINDS.keys())
def test_one_batch_trains_the_model_of_a_dmatrix(convert: Callable[[np.ndarray], Any]) -> None:
    data = convert(X)
    assert model_of(kb.QuantileDMatrix(data, Y)) == model_of(kb.DMatrix(data, Y))


@pytest.mark.parametrize("nthread", [1, 2, 3])
def test_pages_train_the_model_of_memory(nthread: int) -> None:
    expected = model_of(kb.QuantileDMatrix(in_batches(4)))
    for batches in (in_batches(4), in_batches(1)):
        for budget in (0, 4):
            data = kb.ExtMemQuantileDMatrix(batches, memory_budget=budget)
            assert model_of(data, nthread=nthread) == expected


def test_settings_of_training_work_on_pages() -> None:
    weights = np.linspace(0.5, 2, len(X), dtype=np.float32)
    for params in (
        {"subsample": 0.5, "colsample_bynode": 0.5},
        {"grow_policy": "lossguide", "max_leaves": 12, "max_depth": 0},
        {"monotone_constraints": "(1,0,-1)", "num_parallel_tree": 2},
        {"booster": "dart", "rate_drop": 0.5},
        {"objective": "reg:absoluteerror"},
        {"subsample": 0.5, "sampling_method": "gradient_based"},
    ):
        memory = model_of(kb.QuantileDMatrix(in_batches(3, weight=weights)), **params)
        assert model_of(kb.ExtMemQuantileDMatrix(in_batches(3, weight=weights)), **params) == memory


def test_predictions_are_those_of_the_values() -> None:
    train = kb.QuantileDMatrix(X, Y)
    booster = kb.train(PARAMS, train, 6)
    expected = booster.predict(kb.DMatrix(X))
    np.testing.assert_array_equal(booster.predict(train), expected)
    valid = kb.QuantileDMatrix(X[:100], Y[:100], ref=train)
    np.testing.assert_array_equal(booster.predict(valid), expected[:100])
    pages = kb.ExtMemQuantileDMatrix(in_batches(5), ref=train)
    np.testing.assert_array_equal(booster.predict(pages), expected)
    np.testing.assert_array_equal(booster.predict(pages, pred_leaf=True), booster.predict(train, pred_leaf=True))
    np.testing.assert_allclose(
        booster.predict(pages, pred_contribs=True), booster.predict(kb.DMatrix(X), pred_contribs=True), atol=1e-6
    )


def test_evaluation_and_early_stopping() -> None:
    train = kb.QuantileDMatrix(X[:2000], Y[:2000])
    valid = kb.ExtMemQuantileDMatrix(in_batches(2, X[2000:], Y[2000:]), ref=train)
    result: dict[str, Any] = {}
    booster = kb.train(
        {**PARAMS, "eval_metric": "auc"},
        train,
        30,
        evals=[(valid, "v")],
        early_stopping_rounds=3,
        evals_result=result,
        verbose_eval=False,
    )
    plain: dict[str, Any] = {}
    data = kb.DMatrix(X[2000:], Y[2000:])
    kb.train(
        {**PARAMS, "eval_metric": "auc"},
        kb.DMatrix(X[:2000], Y[:2000]),
        30,
        evals=[(data, "v")],
        early_stopping_rounds=3,
        evals_result=plain,
        verbose_eval=False,
    )
    assert result == plain
    assert booster.best_iteration < 29


def test_cross_validation_slices_bins() -> None:
    result = kb.cv(PARAMS, kb.QuantileDMatrix(X, Y), 3, nfold=3, seed=1)
    assert len(result["test-logloss-mean"]) == 3
    with pytest.raises(kb.DataError, match="external memory cannot be sliced"):
        kb.cv(PARAMS, kb.ExtMemQuantileDMatrix(in_batches(2)), 3, nfold=3)


def test_continuation_and_custom_objective() -> None:
    def objective(margins: np.ndarray, data: kb.DMatrix) -> tuple[np.ndarray, np.ndarray]:
        return margins - data.get_label(), np.ones_like(margins)

    models = []
    for data in (kb.QuantileDMatrix(in_batches(2)), kb.ExtMemQuantileDMatrix(in_batches(2))):
        first = kb.train({"max_depth": 3}, data, 3, obj=objective)
        models.append(bytes(kb.train({"max_depth": 3}, data, 3, xgb_model=first).save_raw("json")))
    assert models[0] == models[1]


def test_vector_leaves() -> None:
    labels = np.stack([Y, 1 - Y], axis=1)
    params = {"multi_strategy": "multi_output_tree", "objective": "reg:squarederror"}
    assert model_of(kb.QuantileDMatrix(X, labels), **params) == model_of(kb.DMatrix(X, labels), **params)
    for batches in (in_batches(2, X, labels), in_batches(3, np.nan_to_num(X), labels)):
        assert model_of(kb.ExtMemQuantileDMatrix(batches), **params) == model_of(kb.QuantileDMatrix(batches), **params)
    pages = kb.ExtMemQuantileDMatrix(in_batches(2, np.tile(X, (60, 1)), np.tile(labels, (60, 1))))
    with pytest.raises(kb.KauriError, match="the bins of all rows"):
        model_of(pages, memory_budget=1, **params)


def test_categories_have_a_bin_each() -> None:
    rows = X.copy()
    rows[:, 1] = RNG.integers(0, 300, len(X)) * 3
    types = ["q", "c", "q", "q", "q", "q"]
    expected = model_of(kb.DMatrix(rows, Y, feature_types=types))
    whole = kb.QuantileDMatrix(rows, Y, feature_types=types)
    assert model_of(whole) == expected
    batches = [{**batch, "feature_types": types} for batch in in_batches(4, rows).batches]
    pages = kb.ExtMemQuantileDMatrix(Batches(batches))
    assert model_of(pages) == model_of(kb.QuantileDMatrix(Batches(batches)))
    booster = kb.train(PARAMS, whole, 4)
    np.testing.assert_array_equal(booster.predict(whole), booster.predict(kb.DMatrix(rows, feature_types=types)))
    with pytest.raises(kb.DataError, match="category 1000 of column 1 does not occur in the data that the bins"):
        kb.QuantileDMatrix(np.full((2, 6), 1000), feature_types=types, ref=whole)
    later = kb.QuantileDMatrix(rows, Y)
    later.feature_types = types
    with pytest.raises(kb.DataError, match="column 1 has the type 'c', but had another type when its bins were made"):
        model_of(later)


def test_categories_get_the_numbers_of_ref() -> None:
    colours = pd.DataFrame({"a": pd.Categorical(["red", "blue", "red", "green"])})
    train = kb.QuantileDMatrix(colours, [0, 1, 0, 1])
    kb.QuantileDMatrix(colours[:2], ref=train)
    turned = pd.DataFrame({"a": pd.Categorical(colours["a"], categories=["red", "green", "blue"])})
    frames = [{"data": turned[:1]}, {"data": turned[1:]}]
    for other in (kb.QuantileDMatrix(turned, ref=train), kb.QuantileDMatrix(Batches(frames), ref=train)):
        assert (other.get_data() != train.get_data()).nnz == 0
        assert other.get_categories() == train.get_categories()
    unknown = pd.DataFrame({"a": pd.Categorical(["red", "yellow"])})
    with pytest.raises(kb.DataError, match="Found a category not in the training set"):
        kb.QuantileDMatrix(unknown, ref=train)
    assert kb.QuantileDMatrix(turned, ref=train).num_row() == 4


def test_cuts_and_the_values_that_stand_for_bins() -> None:
    data = kb.QuantileDMatrix(X, Y, max_bin=16)
    indptr, cuts = data.get_quantile_cut()
    assert list(np.diff(indptr)) == [17] * 6
    for feature in range(6):
        bounds = cuts[indptr[feature] : indptr[feature + 1]]
        assert (np.diff(bounds) > 0).all()
        assert bounds[0] == -np.inf
        assert bounds[-1] > np.nanmax(X[:, feature])
    shown = data.get_data()
    assert shown.nnz == data.num_nonmissing() == np.isfinite(X).sum()
    of_third = cuts[indptr[2] : indptr[3]]
    assert set(shown[:, 2].data) <= {np.nanmin(X[:, 2]), *of_third[1:-1]}
    pages = kb.ExtMemQuantileDMatrix(in_batches(3), ref=data)
    assert (pages.get_data() != shown).nnz == 0
    with pytest.raises(kb.ParameterError, match="made with max_bin=16, not 8"):
        data.get_quantile_cut(max_bin=8)


def test_cuts_of_values_are_those_of_the_last_training() -> None:
    data = kb.DMatrix(np.c_[X[:, 0], np.arange(3000) % 3], Y, feature_types=["q", "c"])
    assert len(data.get_quantile_cut()[1]) > 200
    for max_bin in (16, 5, 16):
        kb.train({**PARAMS, "max_bin": max_bin}, data, 1)
        indptr, cuts = data.get_quantile_cut()
        assert list(np.diff(indptr)) == [max_bin + 1, 3]
        assert list(cuts[-3:]) == [0, 1, 2]
    assert np.diff(data.get_quantile_cut(max_bin=8)[0])[0] == 9


def test_cuts_after_approx_are_those_of_its_last_tree() -> None:
    data = kb.DMatrix(X, Y)
    params = {**PARAMS, "max_bin": 16}
    kb.train(params, data, 1)
    of_hist = data.get_quantile_cut()[1]
    booster = kb.train({**params, "tree_method": "approx"}, data, 4)
    indptr, cuts = data.get_quantile_cut()
    assert not np.array_equal(cuts, of_hist)
    splits = booster[3:4].trees_to_dataframe()
    splits = splits[splits["Feature"] != "Leaf"]
    assert len(splits) > 1
    for name, threshold in zip(splits["Feature"], splits["Split"]):
        feature = int(name[1:])
        assert np.float32(threshold) in cuts[indptr[feature] : indptr[feature + 1]]
    kb.train(params, data, 1)
    np.testing.assert_array_equal(data.get_quantile_cut()[1], of_hist)


@pytest.mark.parametrize("sketch", ["gk", "kll", "moments"])
def test_bins_are_not_sketched_again(sketch: str, tmp_path: Path) -> None:
    pages = kb.ExtMemQuantileDMatrix(in_batches(3))
    for data in (kb.QuantileDMatrix(X, Y), kb.QuantileDMatrix(in_batches(3)), pages):
        with pytest.raises(kb.ParameterError, match=f"sketch={sketch} sets how the bins of a DMatrix are cut"):
            kb.train({**PARAMS, "sketch": sketch}, data, 1)
        kb.train({**PARAMS, "sketch": "exact"}, data, 1)


@pytest.mark.parametrize("weighted", [False, True])
def test_batches_are_cut_as_one_array(weighted: bool) -> None:
    fields = {"weight": RNG.random(3000).astype(np.float32)} if weighted else {}
    for max_bin in (2, 37):
        whole = kb.QuantileDMatrix(X, Y, max_bin=max_bin, **fields)
        for n in (2, 7):
            for kind in (kb.QuantileDMatrix, kb.ExtMemQuantileDMatrix):
                batched = kind(in_batches(n, **fields), max_bin=max_bin)
                for ours, expected in zip(batched.get_quantile_cut(), whole.get_quantile_cut()):
                    np.testing.assert_array_equal(ours, expected)
                assert model_of(batched, max_bin=max_bin) == model_of(whole, max_bin=max_bin)


def test_the_iterator_is_read_twice() -> None:
    batches = in_batches(5)
    kb.ExtMemQuantileDMatrix(batches)
    assert (batches.resets, batches.calls) == (3, 10)
    batches = in_batches(5)
    kb.QuantileDMatrix(batches)
    assert (batches.resets, batches.calls) == (4, 12)  # two batches reveal that there is more than one
    batches = in_batches(1)
    kb.QuantileDMatrix(batches)
    assert (batches.resets, batches.calls) == (3, 2)


def test_fields_names_and_queries_come_along() -> None:
    groups = [
        {"data": X[:50], "label": Y[:50], "group": [20, 30]},
        {"data": X[50:90], "label": Y[50:90], "group": [40]},
    ]
    for make in (kb.QuantileDMatrix, kb.ExtMemQuantileDMatrix):
        data = make(Batches(groups))
        np.testing.assert_array_equal(data.get_group(), [20, 30, 40])
    data = kb.QuantileDMatrix(pd.DataFrame(X, columns=list("abcdef")), Y, weight=np.ones(3000), base_margin=Y)
    assert data.feature_names == list("abcdef")
    np.testing.assert_array_equal(data.get_base_margin(), Y)
    ranked = {"objective": "rank:ndcg"}
    data = kb.QuantileDMatrix(X, Y, qid=np.arange(3000) // 10)
    assert model_of(data, **ranked) == model_of(kb.DMatrix(X, Y, qid=np.arange(3000) // 10), **ranked)


def test_the_sklearn_estimator_is_the_same_model() -> None:
    estimator = KauriClassifier(n_estimators=4, max_depth=5, tree_method="hist", **XGBOOSTS)
    estimator.fit(X, Y)
    booster = kb.train({**PARAMS}, kb.QuantileDMatrix(X, Y), 4)
    np.testing.assert_array_equal(estimator.predict_proba(X)[:, 1], booster.predict(kb.DMatrix(X)))


REFUSED = {
    "exact": ({"tree_method": "exact"}, "tree_method=exact needs the values of the features"),
    "approx": ({"tree_method": "approx"}, "tree_method=approx needs the values"),
    "max_bin": ({"max_bin": 64}, "max_bin=64, but the data were cut into bins with max_bin=256"),
    "gblinear": ({"booster": "gblinear"}, "needs the values of the features"),
}


@pytest.mark.parametrize(("params", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_refused_with_a_cure(params: dict[str, Any], message: str) -> None:
    for data in (kb.QuantileDMatrix(X, Y), kb.ExtMemQuantileDMatrix(in_batches(2))):
        with pytest.raises(kb.KauriError, match=message):
            model_of(data, **params)


def test_what_constructors_refuse(tmp_path: Path) -> None:
    with pytest.raises(kb.DataError, match="takes a DataIter, got ndarray"):
        kb.ExtMemQuantileDMatrix(X)
    with pytest.raises(kb.DataError, match=r"read 'a\.csv' as a DMatrix"):
        kb.QuantileDMatrix("a.csv")
    with pytest.raises(kb.DataError, match="label come with each batch"):
        kb.QuantileDMatrix(in_batches(2), label=Y)
    with pytest.raises(kb.DataError, match="both group and qid"):
        kb.QuantileDMatrix(X, Y, group=[3000], qid=np.zeros(3000))
    with pytest.raises(kb.ParameterError, match="max_bin=64, but the data of `ref` have bins of max_bin=256"):
        kb.QuantileDMatrix(X, Y, ref=kb.QuantileDMatrix(X, Y), max_bin=64)
    with pytest.raises(kb.ParameterError, match="max_bin=1 is out of range"):
        kb.QuantileDMatrix(X, Y, max_bin=1)
    with pytest.raises(kb.DataError, match="5 columns, but `ref` has 6"):
        kb.QuantileDMatrix(X[:, :5], Y, ref=kb.QuantileDMatrix(X, Y))
    with pytest.raises(kb.ParameterError, match="memory_budget=-1"):
        kb.ExtMemQuantileDMatrix(in_batches(2), memory_budget=-1)
    batches = in_batches(2)
    batches.cache_prefix = tmp_path / "absent" / "pages"
    with pytest.raises(kb.FileError, match="cache_prefix"):
        kb.ExtMemQuantileDMatrix(batches)


def test_what_batches_get_wrong() -> None:
    with pytest.raises(kb.DataError, match="there is no batch"):
        kb.QuantileDMatrix(Batches([]))
    for make in (kb.QuantileDMatrix, kb.ExtMemQuantileDMatrix):
        with pytest.raises(kb.DataError, match="columns"):
            make(Batches([{"data": X}, {"data": X[:, :2]}]))
        with pytest.raises(kb.DataError, match="inf"):
            make(Batches([{"data": X}, {"data": np.full((2, 6), np.inf)}]))
        with pytest.raises(kb.DataError, match="label: batch 1"):
            make(Batches([{"data": X, "label": Y}, {"data": X}]))


class Failing(Batches):
    def next(self, input_data: Callable[..., None]) -> bool:
        if self.resets == 2 and self.at == 1:
            raise RuntimeError("no more")
        return super().next(input_data)


def test_files_go_with_the_matrix_and_with_failures(tmp_path: Path) -> None:
    batches = in_batches(3)
    batches.cache_prefix = tmp_path / "pages"
    data = kb.ExtMemQuantileDMatrix(batches)
    assert list(tmp_path.iterdir()) == []  # the file never has a name
    model_of(data)
    failing = Failing(in_batches(3).batches)
    failing.cache_prefix = tmp_path / "pages"
    with pytest.raises(RuntimeError, match="no more"):
        kb.ExtMemQuantileDMatrix(failing)
    del data
    gc.collect()
    assert list(tmp_path.iterdir()) == []


def test_a_small_budget_is_refused_before_work() -> None:
    rows = RNG.normal(size=(20000, 200)).astype(np.float32)
    data = kb.ExtMemQuantileDMatrix(in_batches(4, rows, rows[:, 0]), memory_budget=40)
    with pytest.raises(kb.OutOfMemoryError, match=r"memory_budget=40 \(MiB\) is too small.* Raise memory_budget"):
        kb.train({"objective": "reg:squarederror", "nthread": 64}, data, 1)


def test_infinity_may_mark_what_is_missing() -> None:
    marked = np.where(np.isnan(X), np.float32(np.inf), X)
    by_mark = kb.QuantileDMatrix(marked, Y, missing=np.inf)
    by_nan = kb.QuantileDMatrix(X, Y)
    models = [bytes(kb.train(PARAMS, data, 3).save_raw("ubj")) for data in (by_mark, by_nan)]
    assert models[0] == models[1]
    with pytest.raises(kb.DataError, match="row"):
        kb.QuantileDMatrix(marked, Y)
