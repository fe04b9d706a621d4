"""Models that several workers learn from a dataset have the bytes of those that one process learns."""

from __future__ import annotations

from typing import Any

import kauriboost as kb
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from ray_problems import FEATURES, N_ROWS, NUMBERS, in_blocks, in_order, rows

kr = pytest.importorskip("kauriboost.ray")
from ray.train import ScalingConfig  # noqa: E402

SHORT = {"n_estimators": 4, "max_depth": 4, "subsample": 0.8, "random_state": 1}
RAGGED = [1, 0, 700, 99, 500]
TWO = ScalingConfig(num_workers=2)


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    return rows()


def raw(model: Any) -> bytes:
    return bytes((model if isinstance(model, kb.Booster) else model.get_booster()).save_raw())


@pytest.fixture(scope="module")
def alone(table: pd.DataFrame) -> Any:
    return kb.KauriClassifier(**SHORT).fit(table[FEATURES], table["label"], sample_weight=table["weight"])


@pytest.fixture(scope="module")
def classifier(cluster: Any, table: pd.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> Any:
    given = {"feature_columns": FEATURES, "weight_column": "weight", "scaling_config": TWO}
    folder = str(tmp_path_factory.mktemp("runs"))
    config = cluster.train.RunConfig(storage_path=folder)
    return kr.RayKauriClassifier(**SHORT).fit(in_blocks(table, RAGGED), "label", run_config=config, **given)


def test_two_workers_and_ragged_blocks(classifier: Any, alone: Any, table: pd.DataFrame) -> None:
    assert raw(classifier) == raw(alone)
    assert raw(kr.KauriTrainer.get_model(classifier.result.checkpoint)) == raw(alone)
    found = classifier.predict_proba(table[FEATURES].head(5))
    np.testing.assert_array_equal(found, alone.predict_proba(table[FEATURES].head(5)))


def test_predictions_and_explanations_are_columns(classifier: Any, alone: Any, table: pd.DataFrame) -> None:
    dataset = in_blocks(table[[*FEATURES, "query"]], RAGGED)
    found = in_order(classifier.explain(classifier.predict_proba(classifier.predict(dataset)), batch_size=300))
    np.testing.assert_array_equal(np.stack(found["probability"]), alone.predict_proba(table[FEATURES]))
    np.testing.assert_array_equal(found["prediction"], alone.predict(table[FEATURES]))
    data = kb.DMatrix(table[FEATURES])
    np.testing.assert_array_equal(
        np.stack(found["contributions"]), alone.get_booster().predict(data, pred_contribs=True)
    )
    np.testing.assert_array_equal(found["query"], table["query"])
    margins = in_order(kr.predict(classifier.result, dataset, output_margin=True, output_column="margin"))
    np.testing.assert_array_equal(margins["margin"], alone.get_booster().predict(data, output_margin=True))


def test_four_workers_stop_early_and_report(table: pd.DataFrame, cluster: Any, run: Any) -> None:
    params = {"max_depth": 3, "eta": 0.9, "objective": "binary:logistic"}
    numbers = [*NUMBERS, "label"]
    learnt, held = table[numbers][:900], table[numbers][900:]
    found = kr.train(
        params,
        in_blocks(learnt, [450, 450]),
        40,
        label_column="label",
        evals={"valid": in_blocks(held, [N_ROWS - 900])},
        early_stopping_rounds=2,
        scaling_config=ScalingConfig(num_workers=4),
        run_config=run(),
        report_every=3,
    )
    history: dict[str, Any] = {}
    data = [kb.DMatrix(part[NUMBERS], label=part["label"]) for part in (learnt, held)]
    evals = [(data[0], "train"), (data[1], "valid")]
    expected = kb.train(
        params, data[0], 40, evals=evals, early_stopping_rounds=2, evals_result=history, verbose_eval=False
    )
    assert raw(found["booster"]) == raw(expected)
    assert found["history"] == history
    assert found["result"].metrics["valid-logloss"] == history["valid"]["logloss"][-1]
    assert len(found["result"].best_checkpoints) == 1 + (expected.num_boosted_rounds() - 1) // 3


def test_queries_stay_together(table: pd.DataFrame, cluster: Any, run: Any) -> None:
    graded = table.assign(grade=table["label"] * 2)
    names = {"feature_columns": NUMBERS, "qid_column": "query", "weight_column": "weight"}
    ranker = kr.RayKauriRanker(n_estimators=3, max_depth=3)
    ranker.fit(in_blocks(graded, [7, 640, 653]), "grade", scaling_config=TWO, run_config=run(), **names)
    alone = kb.KauriRanker(n_estimators=3, max_depth=3)
    weights = graded.groupby("query")["weight"].first()
    alone.fit(graded[NUMBERS], graded["grade"], qid=graded["query"], sample_weight=weights)
    assert raw(ranker) == raw(alone)


def test_sparse_vectors_and_several_targets(table: pd.DataFrame, cluster: Any, run: Any) -> None:
    sparse = pytest.importorskip("scipy.sparse")
    X = np.nan_to_num(table[NUMBERS].to_numpy())
    matrix = sparse.csr_matrix(np.where(np.abs(X) < 0.7, 0, X))
    columns = {"features": kr.sparse_column(matrix), "score": table["score"], "other": table["other"]}
    whole = pa.table(columns)
    dataset = cluster.data.from_arrow([whole.slice(0, 400), whole.slice(400)])
    regressor = kr.RayKauriRegressor(**SHORT)
    regressor.fit(dataset, ["score", "other"], scaling_config=TWO, run_config=run())
    alone = kb.KauriRegressor(**SHORT).fit(matrix, table[["score", "other"]].to_numpy())
    assert raw(regressor) == raw(alone)
    found = in_order(regressor.predict(dataset, feature_columns="features"))["prediction"]
    np.testing.assert_array_equal(np.stack(found), alone.predict(matrix))


def test_trials_report_each_round(cluster: Any, table: pd.DataFrame, tmp_path: Any) -> None:
    tune = cluster.tune
    X, y = table[NUMBERS].to_numpy(), table["label"].to_numpy()

    def trial(config: dict[str, Any]) -> None:
        import kauriboost as kb
        from kauriboost.ray import TuneReportCheckpointCallback

        data = kb.DMatrix(X, label=y)
        params = {"objective": "binary:logistic", "max_depth": config["depth"], "nthread": 1}
        report = TuneReportCheckpointCallback({"loss": "train-logloss"}, frequency=1)
        kb.train(params, data, 3, evals=[(data, "train")], verbose_eval=False, callbacks=[report])

    tuner = tune.Tuner(
        trial,
        param_space={"depth": tune.grid_search([1, 4])},
        run_config=tune.RunConfig(storage_path=str(tmp_path), verbose=0),
    )
    best = tuner.fit().get_best_result("loss", "min")
    assert best.config["depth"] == 4
    assert len(best.metrics_dataframe) == 3
    model = kr.TuneReportCheckpointCallback.get_model(best.checkpoint)
    assert model.num_boosted_rounds() == 3


@pytest.mark.parametrize("n_workers", [1, 2])
def test_whole_distributions(table: pd.DataFrame, cluster: Any, run: Any, n_workers: int) -> None:
    params = {"objective": "dist:normal", "max_depth": 3, "subsample": 0.7, "eval_metric": ["nll", "crps"]}
    numbers = [*NUMBERS, "score"]
    found = kr.train(
        params,
        in_blocks(table[numbers], [7, 640, 653]),
        5,
        label_column="score",
        scaling_config=ScalingConfig(num_workers=n_workers),
        run_config=run(),
    )
    alone = kb.train(params, kb.DMatrix(table[NUMBERS], label=table["score"]), 5, verbose_eval=False)
    assert raw(found["booster"]) == raw(alone)
    columns = in_order(kr.predict(found, in_blocks(table[numbers], [700, 600])))
    whole = kb.distribution_of(alone, kb.DMatrix(table[NUMBERS]))
    there = kb.Distribution("normal", np.stack(columns["prediction"]))
    np.testing.assert_array_equal(there.quantile([0.1, 0.9]), whole.quantile([0.1, 0.9]))
    with pytest.raises(ValueError, match="train\\(\\) on a cluster"):
        kr.RayKauriRegressor(objective="dist:normal").fit(in_blocks(table[numbers], [1300]), "score")
