"""Realistic mistakes at the Python entry points, as one table: the exception, and the names in its message.

Nothing may crash, and no state may be lost: afterwards the booster and its data work as before.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import kauriboost as kb
import numpy as np
import pytest
import scipy.sparse
from kauriboost import DataError, FileError, ModelError, ParameterError
from kauriboost.callback import EarlyStopping, LearningRateScheduler, MaxTime
from kauriboost.sklearn import KauriClassifier, KauriRanker, KauriRegressor, KauriRFRegressor
from sklearn.exceptions import NotFittedError

N_ROWS = 60


@dataclass
class World:
    """A trained booster of three rounds, its training data, and a folder."""

    folder: Path
    X: np.ndarray = field(default_factory=lambda: np.random.default_rng(1).normal(size=(N_ROWS, 4)).astype(np.float32))

    def __post_init__(self) -> None:
        self.y = (self.X[:, 0] > 0).astype(np.float32)
        self.data = kb.DMatrix(self.X, label=self.y)
        self.booster = kb.train({"objective": "binary:logistic", "max_depth": 3}, self.data, 3)
        self.expected = self.booster.predict(self.data)

    def train(self, label: Any = None, rounds: int = 1, **params: Any) -> kb.Booster:
        """Train with other parameters, on other labels of the same rows."""
        data = self.data if label is None else kb.DMatrix(self.X, label=label)
        return kb.train(params, data, rounds)

    def file(self, name: str, content: bytes) -> Path:
        """Write a file into the folder."""
        (self.folder / name).write_bytes(content)
        return self.folder / name

    def read(self, name: str, content: bytes) -> kb.DMatrix:
        """Read a text file of this content; its suffix is the format."""
        return kb.DMatrix(f"{self.file(name, content)}?format={name.split('.')[1]}")

    def spoilt(self, old: bytes, new: bytes) -> kb.Booster:
        """Load the booster's model with some bytes replaced."""
        text = bytes(self.booster.save_raw("json"))
        assert old in text
        return kb.Booster(model_file=bytearray(text.replace(old, new)))


Case = tuple[Callable[[World], Any], type[Exception], list[str]]
Table = dict[str, Case]


def labels(value: float) -> np.ndarray:
    """Return zeros, and one value in row 7."""
    made = np.zeros(N_ROWS, np.float32)
    made[7] = value
    return made


def own(shape: tuple[int, ...], dtype: Any = np.float32) -> Callable[[np.ndarray, kb.DMatrix], tuple]:
    """Return an objective whose gradients have this shape."""
    return lambda margins, data: (np.ones(shape, dtype), np.ones(shape, dtype))


def raises(error: Exception) -> Callable[[np.ndarray, kb.DMatrix], tuple]:
    """Return an objective that raises an error."""

    def objective(margins: np.ndarray, data: kb.DMatrix) -> tuple:
        raise error

    return objective


VECTORS = {"multi_strategy": "multi_output_tree"}

PARAMETERS: Table = {
    "misspelt": (lambda w: w.train(max_dept=3), ParameterError, ["'max_dept'", "'3'", "did you mean 'max_depth'"]),
    "misspelt alias": (lambda w: w.train(learing_rate=0.1), ParameterError, ["'learing_rate'", "'learning_rate'"]),
    "negative": (lambda w: w.train(eta=-1), ParameterError, ["eta", "-1", ">= 0"]),
    "beyond its range": (lambda w: w.train(subsample=1.5), ParameterError, ["subsample", "1.5", "[0, 1]"]),
    "zero share": (lambda w: w.train(colsample_bytree=0), ParameterError, ["colsample_bytree", "0", "(0, 1]"]),
    "NaN": (lambda w: w.train(reg_lambda=float("nan")), ParameterError, ["lambda", "nan"]),
    "word": (lambda w: w.train(max_depth="deep"), ParameterError, ["max_depth", "deep", "int"]),
    "huge": (lambda w: w.train(max_leaves=10**12), ParameterError, ["max_leaves", "1000000000000"]),
    "one bin": (lambda w: w.train(max_bin=1), ParameterError, ["max_bin", "1", "2"]),
    "no limit": (
        lambda w: w.train(tree_method="exact", max_depth=-1),
        ParameterError,
        ["max_depth", "-1"],
    ),
    "unknown objective": (lambda w: w.train(objective="reg:square"), ParameterError, ["reg:square", "Known: "]),
    "unknown metric": (lambda w: w.train(eval_metric="log_loss"), ParameterError, ["log_loss", "use logloss"]),
    "unknown method": (lambda w: w.train(tree_method="exakt"), ParameterError, ["exakt", "'exact'"]),
    "unknown booster": (lambda w: w.train(booster="gbtre"), ParameterError, ["gbtre", "'gbtree'"]),
    "unknown device": (lambda w: w.train(device="tpu"), ParameterError, ["tpu", "cuda"]),
    "unknown choice": (lambda w: w.train(grow_policy="wide"), ParameterError, ["grow_policy", "wide", "lossguide"]),
    "no classes": (lambda w: w.train(objective="multi:softmax"), ParameterError, ["num_class", "0"]),
    "metric's argument": (lambda w: w.train(eval_metric="ndcg@x"), ParameterError, ["ndcg", "x"]),
    "constraint signs": (
        lambda w: w.train(monotone_constraints="(2,0)"),
        ParameterError,
        ["monotone_constraints", "2"],
    ),
    "too many signs": (lambda w: w.train(monotone_constraints=(1,) * 5), ParameterError, ["5", "4"]),
    "constraint of an unknown column": (
        lambda w: w.train(monotone_constraints={"age": 1}),
        ParameterError,
        ["monotone_constraints", "age"],
    ),
    "interactions": (lambda w: w.train(interaction_constraints="[[0,1]"), ParameterError, ["interaction_constraints"]),
    "quantile": (
        lambda w: w.train(objective="reg:quantileerror", quantile_alpha=1.5),
        ParameterError,
        ["quantile_alpha", "1.5"],
    ),
    "base score": (lambda w: w.train(objective="binary:logistic", base_score=2), ParameterError, ["base_score", "2"]),
    "base scores": (lambda w: w.train(base_score=[0.5, 0.5]), ParameterError, ["base_score", "2"]),
    "updates of nothing": (
        lambda w: w.train(process_type="update", updater="refresh"),
        ParameterError,
        ["process_type=update", "load a model"],
    ),
    "vectors by another method": (
        lambda w: w.train(np.zeros((N_ROWS, 2)), tree_method="exact", **VECTORS),
        ParameterError,
        ["multi_output_tree", "tree_method=exact", "tree_method=hist"],
    ),
}

DATA: Table = {
    "one dimension": (lambda w: kb.DMatrix(np.zeros(3)), DataError, ["Reshape"]),
    "three dimensions": (lambda w: kb.DMatrix(np.zeros((2, 2, 2))), DataError, ["3 dimensions"]),
    "words": (lambda w: kb.DMatrix(np.array([["a", "b"]])), DataError, ["dtype"]),
    "complex numbers": (lambda w: kb.DMatrix(np.array([[1j]])), DataError, ["Complex"]),
    "infinite": (lambda w: kb.DMatrix(np.array([[1.0, np.inf]])), DataError, ["inf", "column 1"]),
    "infinite, sparse": (
        lambda w: kb.DMatrix(scipy.sparse.csr_matrix(np.array([[0, np.inf]]))),
        DataError,
        ["inf"],
    ),
    "another kind": (lambda w: kb.DMatrix(object()), (TypeError, DataError), ["object"]),
    "short label": (lambda w: kb.DMatrix(w.X, label=[1, 2, 3]), DataError, ["label", "3", "60"]),
    "NaN label": (lambda w: kb.DMatrix(w.X, label=labels(np.nan)), DataError, ["label", "nan", "row 7"]),
    "labels of words": (lambda w: kb.DMatrix(w.X, label=["a"] * N_ROWS), DataError, ["label"]),
    "negative weight": (lambda w: kb.DMatrix(w.X, weight=labels(-2)), DataError, ["weight", "-2", "at least 0"]),
    "groups": (lambda w: kb.train({}, kb.DMatrix(w.X, w.y, group=[30, 29]), 1), DataError, ["group", "59", "60"]),
    "sizes of groups": (lambda w: kb.DMatrix(w.X, group=[61, -1]), DataError, ["group[1]", "-1"]),
    "unordered queries": (lambda w: kb.DMatrix(w.X, qid=[2] * 30 + [1] * 30), DataError, ["qid"]),
    "unknown field": (lambda w: w.data.set_info(lable=w.y), ParameterError, ["lable", "did you mean 'label'"]),
    "too few names": (lambda w: kb.DMatrix(w.X, feature_names=["a"]), DataError, ["feature_name", "1", "4"]),
    "names twice": (lambda w: kb.DMatrix(w.X, feature_names=list("aabc")), DataError, ["a"]),
    "unknown type": (lambda w: kb.DMatrix(w.X, feature_types=["x"] * 4), DataError, ["feature 0", "'x'", "float"]),
    "negative category": (
        lambda w: kb.train({}, kb.DMatrix(w.X, label=w.y, feature_types=["c", "q", "q", "q"]), 1),
        DataError,
        ["categor"],
    ),
    "slice beyond": (lambda w: w.data.slice([0, 99]), (DataError, IndexError), ["99", "60"]),
    "missing file": (lambda w: kb.DMatrix("none.libsvm?format=libsvm"), FileError, ["none.libsvm"]),
    "libsvm line": (
        lambda w: w.read("bad.libsvm", b"1 0:1\n0 zero:1\n"),
        DataError,
        ["bad.libsvm", "2", "zero"],
    ),
    "csv line": (
        lambda w: w.read("bad.csv", b"1,2\n3,four\n"),
        DataError,
        ["bad.csv", "2", "four"],
    ),
    "no columns": (
        lambda w: kb.train({}, kb.DMatrix(np.zeros((3, 0)), label=[1, 2, 3]), 1),
        DataError,
        ["3 rows", "0 feature"],
    ),
    "no labels": (lambda w: kb.train({}, kb.DMatrix(w.X), 1), DataError, ["no labels", "60"]),
    "label of logistic": (
        lambda w: w.train(labels(2), objective="binary:logistic"),
        DataError,
        ["label", "2", "row 7", "[0, 1]"],
    ),
    "label of classes": (
        lambda w: w.train(labels(5), objective="multi:softprob", num_class=3, **VECTORS),
        DataError,
        ["label", "5", "row 7"],
    ),
    "label of counts": (lambda w: w.train(labels(-1), objective="count:poisson"), DataError, ["label", "-1", "row 7"]),
    "iterator for nothing": (lambda w: kb.QuantileDMatrix(w.X, max_bin=1), ParameterError, ["max_bin", "1"]),
}

TRAINING: Table = {
    "gradients of another length": (
        lambda w: kb.train({}, w.data, 1, obj=own((7,))),
        DataError,
        ["7", "60"],
    ),
    "gradients of outputs that are not": (
        lambda w: kb.train({}, w.data, 1, obj=own((N_ROWS, 2))),
        DataError,
        ["120", "60"],
    ),
    "one of two gradients": (
        lambda w: kb.train({}, w.data, 1, obj=lambda m, d: np.ones(N_ROWS)),
        (TypeError, ValueError),
        [],
    ),
    "infinite gradient": (
        lambda w: kb.train({}, w.data, 1, obj=lambda m, d: (labels(np.inf), np.ones(N_ROWS))),
        DataError,
        ["row 7", "inf", "finite"],
    ),
    "infinite gradient of a vector": (
        lambda w: kb.train(
            VECTORS,
            kb.DMatrix(w.X, label=np.zeros((N_ROWS, 2))),
            1,
            obj=lambda m, d: (np.stack([labels(0), labels(np.nan)], 1), np.ones((N_ROWS, 2))),
        ),
        DataError,
        ["row 7", "nan", "finite"],
    ),
    "an objective that fails": (
        lambda w: kb.train({}, w.data, 1, obj=raises(ZeroDivisionError("by hand"))),
        ZeroDivisionError,
        ["by hand"],
    ),
    "early stopping without data": (
        lambda w: kb.train({}, w.data, 1, early_stopping_rounds=2),
        ValueError,
        ["eval"],
    ),
    "patience": (lambda w: EarlyStopping(rounds=0), ValueError, ["0"]),
    "schedule too short": (
        lambda w: kb.train({}, w.data, 3, callbacks=[LearningRateScheduler([0.1])]),
        ValueError,
        ["1 learning rate"],
    ),
    "time budget": (lambda w: MaxTime(-1), ValueError, ["above 0"]),
    "negative rounds": (lambda w: kb.train({}, w.data, -1), ValueError, ["-1"]),
    "data of another kind": (lambda w: kb.train({}, w.X, 1), TypeError, ["DMatrix"]),
    "other columns": (
        lambda w: kb.train({}, kb.DMatrix(w.X[:, :2], label=w.y), 1, xgb_model=w.booster),
        DataError,
        ["2 features", "4"],
    ),
    "updates of vectors": (
        lambda w: kb.train(
            {"process_type": "update", "updater": "prune"},
            kb.DMatrix(w.X, label=np.zeros((N_ROWS, 2))),
            1,
            xgb_model=w.train(np.stack([w.y, 1 - w.y], 1), **VECTORS),
        ),
        ModelError,
        ["vector leaves", "process_type=default"],
    ),
    "other trees": (
        lambda w: kb.train({"booster": "gblinear"}, w.data, 1, xgb_model=w.booster),
        ParameterError,
        ["gblinear", "trees"],
    ),
    "folds": (lambda w: kb.cv({}, w.data, 2, nfold=1), ValueError, ["nfold", "1"]),
    "more folds than rows": (lambda w: kb.cv({}, w.data, 2, nfold=99), ValueError, ["99", "60"]),
}

PREDICTION: Table = {
    "more columns": (
        lambda w: w.booster.predict(kb.DMatrix(np.zeros((2, 9)))),
        DataError,
        ["9", "4"],
    ),
    "rounds beyond": (
        lambda w: w.booster.predict(w.data, iteration_range=(0, 9)),
        ParameterError,
        ["9", "3"],
    ),
    "rounds reversed": (lambda w: w.booster.predict(w.data, iteration_range=(2, 1)), ParameterError, ["2", "1"]),
    "no model": (lambda w: kb.Booster().predict(w.data), ModelError, ["no model", "train"]),
    "an array for a matrix": (lambda w: w.booster.predict(w.X), TypeError, ["DMatrix"]),
    "in place, infinite": (lambda w: w.booster.inplace_predict(np.full((1, 4), np.inf)), DataError, ["inf"]),
    "slice beyond": (lambda w: w.booster[5:9], IndexError, ["9", "3"]),
    "dump of another kind": (lambda w: w.booster.get_dump(dump_format="xml"), ParameterError, ["xml"]),
    "score of another kind": (lambda w: w.booster.get_score(importance_type="size"), ParameterError, ["size", "gain"]),
    "explained by nothing": (
        lambda w: kb.explain(w.booster, w.X, background=np.zeros((0, 4))),
        DataError,
        ["background", "0 rows"],
    ),
    "explained by another method": (
        lambda w: w.train(shap_method="exact").predict(w.data, pred_contribs=True),
        ParameterError,
        ["shap_method", "exact", "quadrature"],
    ),
}

FILES: Table = {
    "missing": (lambda w: kb.Booster(model_file=w.folder / "none.json"), FileError, ["none.json"]),
    "empty": (lambda w: kb.Booster(model_file=w.file("empty.json", b"")), FileError, ["empty.json", "it is empty"]),
    "no model": (lambda w: kb.Booster(model_file=w.file("a.json", b"[1, 2]")), ModelError, ["a.json"]),
    "cut off": (
        lambda w: kb.Booster(model_file=bytearray(w.booster.save_raw("json")[:900])),
        ModelError,
        [],
    ),
    "cut off, binary": (lambda w: kb.Booster(model_file=bytearray(w.booster.save_raw()[:-40])), ModelError, []),
    "child beyond": (
        lambda w: w.spoilt(b'"left_children":[1,', b'"left_children":[999,'),
        ModelError,
        ["trees[0]", "999"],
    ),
    "objective": (
        lambda w: w.spoilt(b"binary:logistic", b"binary:logistics").predict(w.data),
        (ModelError, ParameterError),
        ["binary:logistics"],
    ),
    "columns": (lambda w: w.spoilt(b'"num_feature":"4"', b'"num_feature":"x"'), ModelError, ["num_feature", "x"]),
    "ending": (lambda w: w.booster.save_model(w.folder / "no" / "m.json"), FileError, ["m.json"]),
    "raw format": (lambda w: w.booster.save_raw("xml"), ParameterError, ["xml", "json", "ubj"]),
    "pickle": (lambda w: pickle.loads(pickle.dumps(w.booster)[:-30]), Exception, []),
    "config": (lambda w: kb.Booster().load_config("{"), (ModelError, ParameterError), ["JSON"]),
}

ESTIMATORS: Table = {
    "not fitted": (lambda w: KauriRegressor().predict(w.X), NotFittedError, ["fit"]),
    "no target": (lambda w: KauriRegressor().fit(w.X, None), ValueError, ["requires y"]),
    "other columns": (
        lambda w: KauriRegressor(n_estimators=1).fit(w.X, w.y).predict(w.X[:, :2]),
        ValueError,
        ["2", "4"],
    ),
    "continuous classes": (lambda w: KauriClassifier().fit(w.X, w.X[:, 0]), ValueError, ["continuous"]),
    "table of numbers": (lambda w: KauriClassifier().fit(w.X, np.arange(N_ROWS * 2).reshape(-1, 2)), ValueError, ["1"]),
    "unknown class": (
        lambda w: KauriClassifier(n_estimators=1).fit(w.X, w.y, eval_set=[(w.X, w.y + 5)]),
        ValueError,
        ["6.0", "classes"],
    ),
    "rows of X and y": (lambda w: KauriRegressor().fit(w.X, w.y[:9]), (ValueError, DataError), ["9", "60"]),
    "parameter": (lambda w: KauriRegressor(max_depth=-2).fit(w.X, w.y), ParameterError, ["max_depth", "-2"]),
    "forest that stops": (
        lambda w: KauriRFRegressor(early_stopping_rounds=2).fit(w.X, w.y),
        ValueError,
        ["early_stopping_rounds", "one round"],
    ),
    "ranks without queries": (lambda w: KauriRanker().fit(w.X, w.y), ValueError, ["qid"]),
    "strategy": (
        lambda w: KauriRegressor(multi_strategy="both").fit(w.X, np.stack([w.y, w.y], 1)),
        ParameterError,
        ["multi_strategy", "both", "one_output_per_tree"],
    ),
    "coefficients of trees": (
        lambda w: KauriRegressor(n_estimators=1).fit(w.X, w.y).coef_,
        AttributeError,
        ["gblinear"],
    ),
}

TABLES = {
    "parameters": PARAMETERS,
    "data": DATA,
    "training": TRAINING,
    "prediction": PREDICTION,
    "files": FILES,
    "estimators": ESTIMATORS,
}
CASES = {f"{table}: {name}": case for table, cases in TABLES.items() for name, case in cases.items()}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    """Return one world for all cases, each of which must leave it unchanged."""
    return World(tmp_path_factory.mktemp("bad_input"))


def test_there_are_at_least_sixty() -> None:
    assert len(CASES) >= 60


@pytest.mark.parametrize("name", CASES)
def test_bad_input_is_explained_and_harmless(name: str, world: World) -> None:
    act, error, named = CASES[name]
    with pytest.raises(error) as raised:
        act(world)
    message = str(raised.value)
    assert message
    for part in named:
        assert part in message, message
    np.testing.assert_array_equal(world.booster.predict(world.data), world.expected)
