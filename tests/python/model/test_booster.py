"""Booster: all kinds of predictions, files, pickles, slices, names, dumps; compared with XGBoost if possible."""

from __future__ import annotations

import copy
import json
import pickle
import threading
from pathlib import Path

import kauriboost as kb
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import xgboost

Table = tuple[np.ndarray, np.ndarray]
PARAMS = {"objective": "binary:logistic", "max_depth": 4, "nthread": 2}


@pytest.fixture(scope="module")
def trained(binary: Table) -> kb.Booster:
    X, y = binary
    return kb.train(PARAMS, kb.DMatrix(X, label=y), 10, verbose_eval=False)


def as_xgboost(booster: kb.Booster) -> xgboost.Booster:
    return xgboost.Booster(model_file=booster.save_raw("json"))


def test_model_file_means_the_same_to_xgboost(trained: kb.Booster, binary: Table) -> None:
    X, _ = binary
    other = as_xgboost(trained)
    ours, theirs = kb.DMatrix(X), xgboost.DMatrix(X)
    np.testing.assert_array_equal(trained.predict(ours, pred_leaf=True), other.predict(theirs, pred_leaf=True))
    np.testing.assert_allclose(trained.predict(ours), other.predict(theirs), rtol=1e-6)
    for how in ({"output_margin": True}, {"pred_contribs": True}, {"pred_interactions": True}):
        np.testing.assert_allclose(trained.predict(ours, **how), other.predict(theirs, **how), atol=2e-5)
    for how in ({"pred_contribs": True, "approx_contribs": True}, {"iteration_range": (2, 5)}):
        np.testing.assert_allclose(trained.predict(ours, **how), other.predict(theirs, **how), atol=2e-5)


@pytest.mark.parametrize("strict", [False, True])
def test_shapes_equal_xgboost(multiclass: Table, strict: bool) -> None:
    X, y = multiclass
    for objective in ("multi:softprob", "multi:softmax"):
        booster = kb.train({"objective": objective, "num_class": 3}, kb.DMatrix(X, label=y), 2, verbose_eval=False)
        other = as_xgboost(booster)
        for how in ({}, {"output_margin": True}, {"pred_leaf": True}, {"pred_contribs": True}):
            ours = booster.predict(kb.DMatrix(X), strict_shape=strict, **how)
            theirs = other.predict(xgboost.DMatrix(X), strict_shape=strict, **how)
            assert ours.shape == theirs.shape, (objective, how)


def test_inplace_predict_equals_predict(trained: kb.Booster, binary: Table) -> None:
    X, _ = binary
    margin = np.linspace(-1, 1, len(X), dtype=np.float32)
    expected = trained.predict(kb.DMatrix(X))
    with_margin = trained.predict(kb.DMatrix(X, base_margin=margin), output_margin=True)
    present = ~np.isnan(X)
    sparse = sp.coo_matrix((X[present], np.nonzero(present)), X.shape)
    for data in (X, X.astype(np.float64), np.asfortranarray(X), pd.DataFrame(X), sparse.tocsr(), sparse.tocsc()):
        np.testing.assert_array_equal(trained.inplace_predict(data), expected)
        np.testing.assert_array_equal(
            trained.inplace_predict(data, predict_type="margin", base_margin=margin), with_margin
        )
    filled = np.where(present, X, np.float32(-99))
    np.testing.assert_array_equal(trained.inplace_predict(filled, missing=-99), expected)
    with pytest.raises(kb.DataError, match="5 features, the model 6"):
        trained.inplace_predict(X[:, :5])
    with pytest.raises(kb.ParameterError, match="predict_type"):
        trained.inplace_predict(X, predict_type="probability")


def test_threads_predict_alike(trained: kb.Booster, binary: Table) -> None:
    X, _ = binary
    expected = trained.inplace_predict(X)
    equal = []
    threads = [
        threading.Thread(
            target=lambda: equal.extend(np.array_equal(trained.inplace_predict(X), expected) for _ in range(20))
        )
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert equal == [True] * 80


def effective(booster: kb.Booster) -> dict:
    """Return the configuration without the list of parameters set by the user."""
    learner = json.loads(booster.save_config())["learner"]
    del learner["user_params"]
    return learner


def test_pickle_and_copies(trained: kb.Booster, binary: Table) -> None:
    X, y = binary
    data = kb.DMatrix(X, label=y)
    trained.set_attr(note="kept")
    whole = trained.copy()
    for other in (pickle.loads(pickle.dumps(trained)), copy.copy(trained), copy.deepcopy(trained)):
        assert other.attr("note") == "kept"
        assert effective(other) == effective(trained)
        np.testing.assert_array_equal(other.predict(data), trained.predict(data))
        other.update(data, 10)
        whole_next = whole.copy()
        whole_next.update(data, 10)
        np.testing.assert_array_equal(other.predict(data), whole_next.predict(data))
    assert trained.num_boosted_rounds() == 10


def test_files(trained: kb.Booster, binary: Table, tmp_path: Path) -> None:
    data = kb.DMatrix(binary[0])
    for name in ("model.json", "model.ubj", "m\u0101ori.json"):
        trained.save_model(tmp_path / name)
        assert np.array_equal(kb.Booster(model_file=tmp_path / name).predict(data), trained.predict(data))
    for fmt in ("json", "ubj"):
        assert np.array_equal(kb.Booster(model_file=trained.save_raw(fmt)).predict(data), trained.predict(data))
    assert json.loads(trained.save_raw("json"))["learner"]["objective"]["name"] == "binary:logistic"
    with pytest.raises(kb.FileError, match=r"none\.json"):
        kb.Booster(model_file=tmp_path / "none.json")
    with pytest.raises(kb.ModelError):
        kb.Booster(model_file=b"{}")
    with pytest.raises(kb.ParameterError, match="yaml"):
        trained.save_raw("yaml")


def test_reads_a_model_of_xgboost(binary: Table) -> None:
    X, y = binary
    other = xgboost.train(PARAMS, xgboost.DMatrix(X, label=y, feature_names=list("abcdef")), 5)
    booster = kb.Booster(model_file=other.save_raw("ubj"))
    assert booster.feature_names == list("abcdef")
    data = kb.DMatrix(X, feature_names=list("abcdef"))
    np.testing.assert_allclose(
        booster.predict(data), other.predict(xgboost.DMatrix(X, feature_names=list("abcdef"))), rtol=1e-6
    )


def test_slices(trained: kb.Booster, binary: Table) -> None:
    data = kb.DMatrix(binary[0])
    np.testing.assert_array_equal(trained[2:5].predict(data), trained.predict(data, iteration_range=(2, 5)))
    assert trained[3].num_boosted_rounds() == 1
    assert trained[::3].num_boosted_rounds() == 4
    stopped = trained.copy()
    stopped.set_attr(best_iteration=6, best_score=0.5, mine="x")
    best = stopped[: stopped.best_iteration + 1]
    assert (best.num_boosted_rounds(), best.best_score, best.attributes()) == (7, 0.5, stopped.attributes())
    assert pickle.loads(pickle.dumps(best)).best_iteration == 6
    assert [part.num_boosted_rounds() for part in trained] == [1] * 10
    margins = sum(part.predict(data, output_margin=True) for part in trained)
    start = trained.predict(data, output_margin=True, iteration_range=(4, 4))
    np.testing.assert_allclose(margins - 9 * start, trained.predict(data, output_margin=True), atol=1e-5)
    for bad in (slice(0, 11), slice(12, 14)):
        with pytest.raises(IndexError):
            trained[bad]
    for bad in (slice(3, 1), slice(0, -1), slice(2, 2), slice(0, 4, 0)):
        with pytest.raises(ValueError, match="rounds"):
            trained[bad]
    with pytest.raises(IndexError):
        trained[10]


def test_attributes(trained: kb.Booster) -> None:
    booster = trained.copy()
    booster.set_attr(note="x", number=3)
    assert booster.attr("note") == "x"
    assert booster.attributes()["number"] == "3"
    booster.set_attr(note=None)
    assert booster.attr("note") is None
    with pytest.raises(AttributeError, match="early stopping"):
        _ = booster.best_iteration


def test_names_are_compared(binary: Table) -> None:
    X, y = binary
    names = list("abcdef")
    frame = pd.DataFrame(X, columns=names)
    booster = kb.train(PARAMS, kb.DMatrix(frame, label=y), 2, verbose_eval=False)
    assert booster.feature_names == names
    assert booster.feature_types == ["float"] * 6
    with pytest.raises(kb.DataError, match="no feature names"):
        booster.predict(kb.DMatrix(X))
    booster.predict(kb.DMatrix(X), validate_features=False)
    with pytest.raises(kb.DataError, match="another order"):
        booster.predict(kb.DMatrix(frame[names[::-1]]))
    with pytest.raises(kb.DataError, match="Lacking: 'f'; unknown: 'z'"):
        booster.inplace_predict(frame.rename(columns={"f": "z"}))
    with pytest.raises(kb.DataError):
        booster.update(kb.DMatrix(X, label=y), 2)


@pytest.mark.parametrize("fmt", ["text", "json", "dot"])
@pytest.mark.parametrize("stats", [False, True])
def test_dumps_equal_xgboost(trained: kb.Booster, fmt: str, stats: bool, tmp_path: Path) -> None:
    other = as_xgboost(trained)
    assert trained.get_dump(with_stats=stats, dump_format=fmt) == other.get_dump(with_stats=stats, dump_format=fmt)
    if fmt != "dot":
        trained.dump_model(tmp_path / "ours", with_stats=stats, dump_format=fmt)
        other.dump_model(tmp_path / "theirs", with_stats=stats, dump_format=fmt)
        assert (tmp_path / "ours").read_text() == (tmp_path / "theirs").read_text()


def test_graphs_quote_names() -> None:
    rows = np.arange(20, dtype=np.float32)[:, None]
    data = kb.DMatrix(rows, label=rows[:, 0] > 9, feature_names=['a "quoted" \\ name'])
    (graph,) = kb.train({"max_depth": 1}, data, 1).get_dump(dump_format="dot")
    assert r'label="a \"quoted\" \\ name<' in graph


def test_scores_and_frame_equal_xgboost(trained: kb.Booster) -> None:
    other = as_xgboost(trained)
    for kind in ("weight", "gain", "cover", "total_gain", "total_cover"):
        ours, theirs = trained.get_score(importance_type=kind), other.get_score(importance_type=kind)
        assert ours.keys() == theirs.keys()
        np.testing.assert_allclose(list(ours.values()), list(theirs.values()), rtol=1e-6)
    assert trained.get_fscore() == other.get_fscore()
    pd.testing.assert_frame_equal(trained.trees_to_dataframe(), other.trees_to_dataframe())


def test_config_round_trip(trained: kb.Booster) -> None:
    config = trained.save_config()
    assert json.loads(config)["learner"]["gradient_booster"]["tree_train_param"]["max_depth"] == "4"
    copied = kb.Booster()
    copied.load_config(config)
    data = kb.DMatrix(np.zeros((2, 6)), label=[0, 1])
    copied.update(data, 0)
    assert json.loads(copied.save_config())["learner"]["objective"]["name"] == "binary:logistic"


def test_parameter_errors_are_typed(binary: Table) -> None:
    X, y = binary
    data = kb.DMatrix(X, label=y)
    with pytest.raises(kb.ParameterError, match="did you mean 'max_depth'"):
        kb.train({"max_dept": 3}, data, 1)
    with pytest.raises(ValueError, match="eta"):
        kb.train({"eta": -1}, data, 1)
    with pytest.raises(kb.DataError, match="label"):
        kb.train({"objective": "binary:logistic"}, kb.DMatrix(X, label=y + 1), 1)
    with pytest.raises(kb.DeviceError, match="device=cpu"):
        kb.train({"device": "cuda:31"}, data, 1)
    with pytest.raises(TypeError, match="DMatrix"):
        kb.Booster().predict(X)
    with pytest.raises(kb.ModelError, match="no model"):
        kb.Booster().predict(data)


def test_one_kind_of_prediction_at_a_time(trained: kb.Booster, binary: Table) -> None:
    with pytest.raises(kb.ParameterError, match="only one"):
        trained.predict(kb.DMatrix(binary[0]), pred_leaf=True, pred_contribs=True)


def test_parameters_describe_themselves() -> None:
    table = {entry["name"]: entry for entry in kb.parameters()}
    assert table["max_depth"]["default"] == "6"
    assert table["eta"]["description"]
    assert table["eta"]["aliases"] == "learning_rate"
    written = [entry["default"] for entry in kb.parameters() if entry["name"] in ("eta", "max_delta_step")]
    assert {"0.3", "0.7"} <= set(written)
    assert kb.build_info()["KAURI_VERSION"] == kb.__version__


def test_log_reaches_logging(binary: Table, caplog: pytest.LogCaptureFixture) -> None:
    booster = kb.Booster({"validate_parameters": False, "max_dept": 3})
    booster.update(kb.DMatrix(binary[0], label=binary[1]), 0)
    assert any("max_dept" in record.message and record.name == "kauriboost" for record in caplog.records)
