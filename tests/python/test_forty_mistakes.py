"""Forty mistakes of newcomers, at every door: the kind of error, and the words that its message must have.

`test_messages.py` and `test_bad_input.py` look at more cases of most of them.
"""

from __future__ import annotations

import os
import re
import subprocess
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import kauriboost as kb
import numpy as np
import pandas as pd
import pytest
from kauriboost import DataError, FileError, ModelError, ParameterError
from kauriboost.sklearn import KauriClassifier, KauriRanker, KauriRegressor
from sklearn.exceptions import NotFittedError

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("KAURI_BUILD_DIR", ROOT / "build")) / "bin" / "kauri"
N_ROWS = 60
X = np.random.default_rng(5).normal(size=(N_ROWS, 3)).astype(np.float32)
CLASSES = (X[:, 0] > 0).astype(int)
AMOUNTS = X[:, 0] + X[:, 1]
TEXTS = np.array(["no", "yes"], dtype=object)[CLASSES]
FRAME = pd.DataFrame(X, columns=["a", "b", "c"])
CITIES = FRAME.assign(city=pd.Categorical(np.where(CLASSES, "Oslo", "Rome")))
WIDE = pd.DataFrame(np.ones((N_ROWS, 400)), columns=[f"feature_{number}" for number in range(400)])
LONGEST = 450  # characters of a message that a reader takes in; lists of names are cut


def train(params: dict[str, Any] | None = None, label: Any = CLASSES, rows: Any = X, **more: Any) -> kb.Booster:
    data = kb.DMatrix(rows, label=label, **{name: more.pop(name) for name in ("weight",) if name in more})
    return kb.train(params or {}, data, 1, evals=more.pop("evals", [(data, "t")]), verbose_eval=False, **more)


def regressor(**params: Any) -> KauriRegressor:
    return KauriRegressor(**{"n_estimators": 1, **params})


def classifier(**params: Any) -> KauriClassifier:
    return KauriClassifier(**{"n_estimators": 1, **params})


class ProgramError(Exception):
    """The program ended with an error."""


def program(*arguments: str) -> None:
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=60, check=False)
    if done.returncode != 0:
        raise ProgramError(done.stderr)


def in_file(name: str, content: str | bytes) -> Path:
    path = Path(name)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def nan_in_row_7() -> np.ndarray:
    labels = CLASSES.astype(float)
    labels[7] = np.nan
    return labels


def truncated_model() -> Path:
    return in_file("half.json", train().save_raw("json")[:200])


Mistake = tuple[Callable[[], Any], type[Exception], str]

MISTAKES: dict[str, Mistake] = {
    # names of other libraries
    "metric accuracy": (lambda: train({"eval_metric": "accuracy"}), ParameterError, "1 - error; use error; or merror"),
    "metric binary_logloss": (lambda: train({"eval_metric": "binary_logloss"}), ParameterError, "use logloss"),
    "metric f1": (lambda: train({"eval_metric": "f1"}), ParameterError, "not built in; custom_metric"),
    "objective binary": (lambda: train({"objective": "binary"}), ParameterError, "use binary:logistic"),
    "objective regression": (lambda: train({"objective": "regression"}), ParameterError, "use reg:squarederror"),
    "objective multiclass": (lambda: train({"objective": "multiclass"}), ParameterError, "multi:softprob; num_class"),
    "objective lambdarank": (lambda: train({"objective": "lambdarank"}), ParameterError, "use rank:ndcg"),
    "parameter num_leaves": (lambda: train({"num_leaves": 31}), ParameterError, "max_leaves; grow_policy=lossguide"),
    "parameter bagging_freq": (lambda: train({"bagging_freq": 1}), ParameterError, "subsample; leave it out"),
    "n_estimators among params": (lambda: train({"n_estimators": 10}), ParameterError, "num_boost_round of train()"),
    "tree_method gpu_hist": (lambda: train({"tree_method": "gpu_hist"}), ParameterError, "tree_method=hist"),
    # misspelt names, wrong values
    "misspelt parameter": (lambda: train({"max_dept": 3}), ParameterError, "did you mean 'max_depth'?"),
    "misspelt metric": (lambda: train({"eval_metric": "loglos"}), ParameterError, "did you mean 'logloss'?"),
    "two names of one parameter": (
        lambda: train({"eta": 0.1, "learning_rate": 0.2}),
        ParameterError,
        "eta=0.1; learning_rate=0.2; give one of them",
    ),
    "negative learning rate": (lambda: train({"learning_rate": -1}), ParameterError, "learning_rate='-1'; >= 0"),
    "depth in words": (lambda: train({"max_depth": "six"}), ParameterError, "max_depth='six'; int"),
    "rounds in words": (lambda: regressor(n_estimators="many").fit(X, AMOUNTS), ParameterError, "'many'; whole number"),
    "a matrix as evals": (lambda: train(evals=kb.DMatrix(X)), TypeError, '(DMatrix, name) pairs; evals=[(matrix, "'),
    "classes without their number": (
        lambda: train({"objective": "multi:softprob"}),
        ParameterError,
        "num_class",
    ),
    # labels and weights
    "text labels in a matrix": (lambda: train(label=TEXTS), DataError, "label; KauriClassifier; pd.factorize"),
    "NaN label of a classifier": (lambda: classifier().fit(X, nan_in_row_7()), ValueError, "row 7; NaN; drop"),
    "too few labels": (lambda: train(label=CLASSES[:-1]), DataError, "59; 60"),
    "negative weights": (lambda: train(weight=-np.ones(N_ROWS)), DataError, "weight; -1"),
    "a single class": (lambda: classifier().fit(X, np.zeros(N_ROWS)), UserWarning, "the class 0"),
    "ranker without queries": (
        lambda: KauriRanker(n_estimators=1).fit(X, CLASSES),
        ValueError,
        "neither qid nor group",
    ),
    # columns
    "object column of numbers": (
        lambda: train(rows=FRAME.assign(b=FRAME["b"].astype(object))),
        DataError,
        "b; object; .astype(float)",
    ),
    "dates": (lambda: train(rows=FRAME.assign(b=pd.Timestamp("2020-01-01"))), DataError, "b; .dt.year"),
    "objects where categories were learnt": (
        lambda: regressor().fit(CITIES, AMOUNTS).predict(CITIES.assign(city=["Oslo", 1] * (N_ROWS // 2))),
        DataError,
        "'city' held categories in training; .astype('category')",
    ),
    "frame without columns": (lambda: train(rows=pd.DataFrame(index=range(N_ROWS))), DataError, "without columns"),
    "empty frame": (lambda: regressor().fit(FRAME[:0], AMOUNTS[:0]), ValueError, "0 sample(s)"),
    "reordered columns": (
        lambda: regressor().fit(FRAME, AMOUNTS).predict(FRAME[["b", "a", "c"]]),
        DataError,
        "another order; 'b' stands where; X[model.feature_names_in_]",
    ),
    "one of 400 columns renamed": (
        lambda: train(rows=WIDE).predict(kb.DMatrix(WIDE.rename(columns={"feature_7": "foo"}))),
        DataError,
        "Lacking: 'feature_7'; unknown: 'foo'",
    ),
    # calls
    "early stopping without data": (
        lambda: train(evals=[], early_stopping_rounds=2),
        ValueError,
        "early stopping needs data to watch; evals",
    ),
    "a matrix to an estimator": (
        lambda: regressor().fit(X, AMOUNTS).predict(kb.DMatrix(X)),
        DataError,
        "is a DMatrix; frames and arrays",
    ),
    "predict before fit": (lambda: regressor().predict(X), NotFittedError, "KauriRegressor; fit"),
    # files
    "model file of LightGBM": (
        lambda: kb.Booster(model_file=in_file("l.txt", "tree\nversion=v4\nnum_class=1\n")),
        ModelError,
        "no model of LightGBM; save_model",
    ),
    "half a model file": (lambda: kb.Booster(model_file=truncated_model()), ModelError, "byte"),
    "missing model file": (lambda: kb.Booster(model_file="none.json"), FileError, "none.json"),
    # the program
    "misspelt task": (lambda: program("trian", "a.csv"), ProgramError, "'trian'; did you mean 'train'?"),
    "help on a misspelt parameter": (
        lambda: program("help", "learning_rat"),
        ProgramError,
        "'learning_rat'; did you mean 'learning_rate'?",
    ),
}


def test_there_are_forty() -> None:
    assert len(MISTAKES) == 40


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistake(mistake: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    call, kind, words = MISTAKES[mistake]
    monkeypatch.chdir(tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(kind) as refused:
            call()
    message = str(refused.value)
    for word in words.split("; "):
        assert word in message, message
    assert len(message) <= LONGEST, len(message)
    assert re.search("dmlc|Stack trace|Traceback", message) is None
