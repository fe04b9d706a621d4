"""Training on a cluster gives the model of one process, byte for byte, and its evaluations, digit for digit."""

from __future__ import annotations

import threading
from typing import Any

import dask.array as da
import dask.dataframe as dd
import kauriboost as kb
import numpy as np
import pandas as pd
import pytest
from kauriboost import dask as kd
from problems import EVEN, RAGGED, features, spread, target

PARAMS = {"max_depth": 4, "tree_method": "hist", "subsample": 0.8, "colsample_bytree": 0.7, "seed": 7}
X = features()
Y = target(X)


def raw(booster: kb.Booster) -> bytes:
    return bytes(booster.save_raw("ubj"))


def train_alone(params: dict[str, Any], data: kb.DMatrix, rounds: int = 8, **how: Any) -> tuple[bytes, Any]:
    history: Any = {}
    booster = kb.train(params, data, rounds, evals=[(data, "train")], evals_result=history, verbose_eval=False, **how)
    return raw(booster), history


def train_there(client: Any, params: dict[str, Any], data: Any, rounds: int = 8, **how: Any) -> tuple[bytes, Any]:
    result = kd.train(client, params, data, rounds, evals=[(data, "train")], verbose_eval=False, **how)
    return raw(result["booster"]), result["history"]


@pytest.mark.parametrize("lengths", [(3000,), EVEN, RAGGED])
@pytest.mark.parametrize("kind", [kd.DaskDMatrix, kd.DaskQuantileDMatrix])
def test_bytes_of_one_process(client: Any, kind: Any, lengths: tuple[int, ...]) -> None:
    data = kind(client, spread(X, lengths), spread(Y, lengths))
    assert train_there(client, PARAMS, data) == train_alone(PARAMS, kb.DMatrix(X, label=Y))


def test_levels_whose_columns_workers_share(client: Any) -> None:
    wide = np.random.default_rng(5).normal(size=(400, 300)).astype(np.float32)
    params = {"max_depth": 4, "max_bin": 512}
    data = kd.DaskDMatrix(client, spread(wide, (150, 50, 200)), spread(wide[:, 7], (150, 50, 200)))
    assert train_there(client, params, data, 3) == train_alone(params, kb.DMatrix(wide, label=wide[:, 7]), 3)


COUNTS = np.round(np.abs(Y)).astype(np.float32)
CLASSES = np.digitize(Y, [-0.5, 0.5]).astype(np.float32)
SILENT = np.random.default_rng(6).random((len(X), 3)) < 0.4
SILENT[:700] = True  # a worker may have no known labels


@pytest.mark.parametrize(
    ("params", "label"),
    [
        ({"objective": "binary:logistic", "eval_metric": ["logloss", "auc", "error"]}, (Y > 0).astype(np.float32)),
        ({"objective": "multi:softprob", "num_class": 3, "grow_policy": "lossguide", "max_leaves": 9}, CLASSES),
        ({"objective": "reg:absoluteerror"}, Y),
        ({"objective": "reg:quantileerror", "quantile_alpha": 0.8}, Y),
        ({"objective": "count:poisson", "booster": "dart", "rate_drop": 0.3}, COUNTS),
        ({"objective": "binary:logitraw", "booster": "adaboost", "subsample": 1.0}, (Y > 0).astype(np.float32)),
        ({"objective": "reg:squarederror", "multi_strategy": "multi_output_tree"}, np.column_stack([Y, -Y, COUNTS])),
        ({"objective": "reg:absoluteerror"}, np.where(SILENT, np.nan, np.column_stack([Y, -Y, COUNTS]))),
    ],
    ids=lambda value: value.get("objective", "") if isinstance(value, dict) else "",
)
def test_objectives(client: Any, params: dict[str, Any], label: np.ndarray) -> None:
    params = {**PARAMS, **params}
    weight = np.linspace(0.5, 2, len(X), dtype=np.float32)
    data = kd.DaskDMatrix(client, spread(X, RAGGED), spread(label, RAGGED), weight=spread(weight, RAGGED))
    alone = train_alone(params, kb.DMatrix(X, label=label, weight=weight), 5)
    assert train_there(client, params, data, 5) == alone


QUERIES = np.sort(np.random.default_rng(5).integers(0, 120, len(X)))


@pytest.mark.parametrize("lengths", [EVEN, RAGGED, (5, 5, 10, 2980)])
def test_queries_that_go_on_in_the_next_partition(client: Any, lengths: tuple[int, ...]) -> None:
    params = {**PARAMS, "objective": "rank:ndcg", "eval_metric": ["ndcg@5", "ndcg"]}
    relevance = np.clip(np.round(Y), 0, 3)
    data = kd.DaskDMatrix(client, spread(X, lengths), spread(relevance, lengths), qid=spread(QUERIES, lengths))
    assert train_there(client, params, data, 4) == train_alone(params, kb.DMatrix(X, label=relevance, qid=QUERIES), 4)


def frame() -> pd.DataFrame:
    table = pd.DataFrame(X, columns=list("abcdef"))
    table["d"] = pd.Categorical.from_codes(np.nan_to_num(X[:, 3], nan=-1).astype(int), list("vwxyz"))
    return table


@pytest.mark.parametrize("is_known", [True, False])
def test_frames_with_categories(client: Any, is_known: bool) -> None:
    table = frame()
    if not is_known:  # each partition knows its own categories; the first two know few
        table = table.sort_values("d", ignore_index=True, na_position="first")
    collection = dd.from_pandas(table, npartitions=5, sort=False)
    if not is_known:
        collection = collection.assign(d=collection["d"].cat.as_unknown())
        collection = collection.map_partitions(
            lambda part: part.assign(d=part["d"].cat.remove_unused_categories()), meta=collection._meta
        )
    label = dd.from_pandas(pd.Series(Y), npartitions=5, sort=False)
    params = {**PARAMS, "max_cat_to_onehot": 2}
    booster, history = train_there(client, params, kd.DaskDMatrix(client, collection, label))
    whole = collection.compute()
    assert (booster, history) == train_alone(params, kb.DMatrix(whole, label=Y))
    model = kb.Booster(model_file=bytearray(booster))
    predicted = kd.predict(client, model, collection).compute()
    np.testing.assert_array_equal(predicted.to_numpy(), model.predict(kb.DMatrix(whole)))


def test_evaluation_sets_elsewhere_and_early_stopping(client: Any) -> None:
    """The second set has rows on one worker only; in a third all partitions except one are empty."""
    half = len(X) // 2
    params = {**PARAMS, "max_depth": 8, "eta": 1.0}
    train, test = kb.DMatrix(X[:half], label=Y[:half]), kb.DMatrix(X[half:], label=Y[half:])
    history: Any = {}
    how = {"verbose_eval": False, "early_stopping_rounds": 2}
    alone = kb.train(params, train, 30, evals=[(train, "train"), (test, "test")], evals_result=history, **how)
    there = kd.DaskDMatrix(client, spread(X[:half], (100, 1400)), spread(Y[:half], (100, 1400)))
    watched = kd.DaskQuantileDMatrix(client, spread(X[half:], (0, 1500)), spread(Y[half:], (0, 1500)), ref=there)
    result = kd.train(client, params, there, 30, evals=[(there, "train"), (watched, "test")], **how)
    assert raw(result["booster"]) == raw(alone)
    assert result["history"] == history
    assert result["booster"].best_iteration == alone.best_iteration


def absolute(margins: np.ndarray, data: kb.DMatrix) -> tuple[np.ndarray, np.ndarray]:
    return np.tanh(margins - data.get_label()), np.ones_like(margins)


def median_error(predictions: np.ndarray, data: kb.DMatrix) -> tuple[str, float]:
    """Return a value that is not a mean of the ranks' values, weighted by the position of the row."""
    return "median", float(np.median(np.abs(predictions - data.get_label()) * np.arange(len(predictions))))


def test_functions_of_the_users_own(client: Any) -> None:
    how: dict[str, Any] = {"obj": absolute, "custom_metric": median_error}
    data = kd.DaskDMatrix(client, spread(X, RAGGED), spread(Y, RAGGED))
    assert train_there(client, PARAMS, data, **how) == train_alone(PARAMS, kb.DMatrix(X, label=Y), **how)


def test_a_model_is_continued(client: Any) -> None:
    first = kb.train(PARAMS, kb.DMatrix(X, label=Y), 3)
    data = kd.DaskDMatrix(client, spread(X, EVEN), spread(Y, EVEN))
    assert train_there(client, PARAMS, data, 4, xgb_model=first) == train_alone(
        PARAMS, kb.DMatrix(X, label=Y), 4, xgb_model=first
    )


def test_two_trainings_at_the_same_time(client: Any) -> None:
    """The workers have one thread each, which one training could take from the other."""
    data = [kd.DaskDMatrix(client, spread(X, lengths), spread(Y, lengths)) for lengths in (EVEN, EVEN[::-1])]
    results: list[Any] = [None, None]

    def run(i: int) -> None:
        results[i] = train_there(client, PARAMS, data[i], 10)

    threads = [threading.Thread(target=run, args=(i,)) for i in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    alone = train_alone(PARAMS, kb.DMatrix(X, label=Y), 10)
    assert results == [alone, alone]


def test_progress_is_shown_by_the_client(client: Any, capsys: pytest.CaptureFixture[str]) -> None:
    data = kd.DaskDMatrix(client, spread(X, EVEN), spread(Y, EVEN))
    result = kd.train(client, PARAMS, data, 5, evals=[(data, "train")], verbose_eval=2)
    history = result["history"]["train"]["rmse"]
    assert capsys.readouterr().out.splitlines() == [f"[{i}]\ttrain-rmse:{history[i]:.5f}" for i in (0, 2, 4)]
    params = {**PARAMS, "eval_metric": "rmse", "eta": 0.0}
    kd.train(client, params, data, 9, evals=[(data, "train")], early_stopping_rounds=2, verbose_eval=100)
    assert "early stopping after 3 rounds" in capsys.readouterr().out.splitlines()[-1]


def test_the_model_does_not_keep_the_threads_of_a_worker(client: Any) -> None:
    data = kd.DaskDMatrix(client, spread(X, EVEN), spread(Y, EVEN))
    booster = kd.train(client, PARAMS, data, 1)["booster"]
    assert '"nthread":"0"' in booster.save_config().replace(" ", "")
    booster = kd.train(client, {**PARAMS, "nthread": 2}, data, 1)["booster"]
    assert '"nthread":"2"' in booster.save_config().replace(" ", "")


class Failing(kb.callback.TrainingCallback):
    """Fails on one rank only: the one that creates the file first."""

    def __init__(self, path: str) -> None:
        self.path = path

    def after_iteration(self, model: Any, epoch: int, evals_log: Any) -> bool:
        if epoch == 2:
            try:
                open(self.path, "x").close()
            except FileExistsError:
                return False
            raise RuntimeError("the disk is full")
        return False


def test_errors_of_one_rank(client: Any, tmp_path: Any) -> None:
    """The user sees the original error, not its effects on other ranks; the next training is not affected."""
    data = kd.DaskDMatrix(client, spread(X, EVEN), spread(Y, EVEN))
    with pytest.raises(RuntimeError, match="the disk is full"):
        kd.train(client, PARAMS, data, 5, callbacks=[Failing(str(tmp_path / "made"))])
    with pytest.raises(kb.ParameterError, match="max_dept"):
        kd.train(client, {"max_dept": 3}, data, 5)
    assert train_there(client, PARAMS, data)[0] == train_alone(PARAMS, kb.DMatrix(X, label=Y))[0]


def test_what_needs_all_rows_in_one_place_is_refused(client: Any) -> None:
    data = kd.DaskDMatrix(client, spread(X, EVEN), spread(Y, EVEN))
    with pytest.raises(kb.ParameterError, match="hist"):
        kd.train(client, {"tree_method": "exact"}, data, 2)
    with pytest.raises(TypeError, match="expected a DaskDMatrix, got DMatrix; make one"):
        kd.train(client, PARAMS, kb.DMatrix(X, label=Y))
    with pytest.raises(kb.DataError, match="pass qid, the query of each row"):
        kd.DaskDMatrix(client, spread(X, EVEN), group=spread(Y, EVEN))
    other = kd.DaskQuantileDMatrix(client, spread(X, EVEN), spread(Y, EVEN), ref=data)
    with pytest.raises(kb.DataError, match="expected the training matrix as `ref` of a matrix, got another one"):
        kd.train(client, PARAMS, other)
    none = kd.DaskDMatrix(client, spread(X[:0], (0, 0)), spread(Y[:0], (0, 0)))
    with pytest.raises(kb.DataError, match="there are no rows to learn from"):
        kd.train(client, PARAMS, none)


async def train_in_a_coroutine(address: str) -> bytes:
    import distributed

    async with distributed.Client(address, asynchronous=True) as client:
        data = await kd.DaskDMatrix(client, spread(X, EVEN), spread(Y, EVEN))
        result = await kd.train(client, PARAMS, data, 4)
        lazy = await kd.predict(client, result, data)
        predicted = await client.compute(lazy)
        np.testing.assert_array_equal(predicted, result["booster"].predict(kb.DMatrix(X)))
        return raw(result["booster"])


def test_asynchronous_clients(client: Any) -> None:
    import asyncio

    assert (
        asyncio.run(train_in_a_coroutine(client.scheduler.address)) == train_alone(PARAMS, kb.DMatrix(X, label=Y), 4)[0]
    )


def test_arrays_in_columns(client: Any) -> None:
    blocks = da.from_array(X, chunks=(1000, 2))
    data = kd.DaskDMatrix(client, blocks, da.from_array(Y, chunks=1000))
    assert (data.num_row(), data.num_col()) == X.shape
    assert repr(data) == "DaskDMatrix(partitions=3, rows=3000, columns=6)"
    assert train_there(client, PARAMS, data)[0] == train_alone(PARAMS, kb.DMatrix(X, label=Y))[0]
