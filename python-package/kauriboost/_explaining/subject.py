"""The subject of an explanation: a model, some of its rounds, and features by name or number."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._binding.errors import ParameterError
from .._binding.text import config
from .._data.columns import split_column
from .._data.matrix import DMatrix
from .._data.naming import recalling_categories, shown_names
from .._model.booster import Booster
from .._model.classes import classes_of

_OBJECTIVE = re.compile(r'"learner_train_param":\s*\{[^{}]*"objective":\s*"([^"]+)"')
_OF_TWO_CLASSES = ("binary:", "reg:logistic")  # beginnings of the objectives of two classes
_SCALES = {
    **dict.fromkeys(("binary:logistic", "binary:logitraw", "binary:focal", "reg:logistic"), "log-odds"),
    **dict.fromkeys(("count:poisson", "reg:gamma", "reg:tweedie", "survival:cox", "survival:aft"), "log"),
    **{f"reg:{loss}error": "prediction" for loss in ("squared", "absolute", "quantile", "expectile", "pseudohuber")},
    **{f"reg:{loss}": "prediction" for loss in ("squaredlogerror", "huber", "fair", "mape")},
}


def objective_of(booster: Booster) -> str:
    """Return the name of a booster's objective, by a search in its configuration, which is faster than parsing it."""
    found = _OBJECTIVE.search(booster.save_config())
    return found[1] if found else ""


def is_linear(booster: Booster) -> bool:
    """Return whether a booster is a linear model, without trees."""
    name = json.loads(booster.save_config())["learner"]["gradient_booster"]["name"]
    return bool(name == "gblinear")


@dataclass(frozen=True)
class Queries:
    """The queries of rows: the query of each row, or the rows per query; both None if not given."""

    qid: Any = None
    group: Any = None

    def are_given(self) -> bool:
        """Return whether queries are given."""
        return self.qid is not None or self.group is not None


@dataclass(frozen=True)
class Subject:
    """A booster, or an estimator and its booster, and the rounds to explain."""

    given: Any
    booster: Booster
    rounds: tuple[int, int]

    def rows(self, X: Any) -> DMatrix:
        """Return rows as a matrix, without checking its columns against the model."""
        if isinstance(X, DMatrix):
            return X
        with recalling_categories(self.booster):
            return DMatrix(X) if self.given is self.booster else self.given._matrix(X)

    def matrix(self, X: Any) -> DMatrix:
        """Return rows as a matrix whose columns fit the model."""
        matrix = self.rows(X)
        self.booster._check_columns(matrix)
        return matrix

    def labelled(self, X: Any, y: Any, queries: Queries = Queries()) -> DMatrix:
        """Return rows that fit the model, with labels in its encoding, and with queries if any are given."""
        X, queries = self._split_queries(X, queries)
        matrix = self.matrix(X)
        if y is None and not queries.are_given():
            return matrix
        matrix = matrix if matrix is not X else X.slice(np.arange(X.num_row()), allow_groups=True)
        if y is not None:
            matrix.set_label(y if self.given is self.booster else self.given._encode(y))
        if queries.are_given():
            matrix.set_info(qid=queries.qid, group=queries.group)
        return matrix

    def without_queries(self, X: Any) -> Any:
        """Return rows without a column ``qid``, unless that is a feature of the model."""
        return self._split_queries(X, Queries())[0]

    def _split_queries(self, X: Any, queries: Queries) -> tuple[Any, Queries]:
        if isinstance(X, DMatrix) or "qid" in (self.booster.feature_names or []):
            return X, queries
        X, column = split_column(X, "qid")
        given = [how for how in (queries.qid, queries.group, column) if how is not None]
        if len(given) > 1:
            raise ParameterError(
                f"the queries of the rows are given {len(given)} times; pass qid, or group, or a column qid of X."
            )
        return X, queries if column is None else Queries(column)

    def names(self, given: Sequence[str] | None, matrix: DMatrix) -> list[str]:
        """Return names for all features."""
        n_features = self.booster.num_features()
        names = given if given is not None else self.booster.feature_names or matrix.feature_names
        names = [f"f{i}" for i in range(n_features)] if names is None else list(names)
        if len(names) != n_features:
            raise ParameterError(
                f"feature_names has {len(names)} names, the model {n_features} features; give one each."
            )
        return names

    def output_names(self, n_outputs: int) -> list[Any] | None:
        """Return class names, or numbers; None for a single output."""
        if n_outputs == 1:
            return None
        classes = getattr(self.given, "classes_", None)
        return list(range(n_outputs)) if classes is None or len(classes) != n_outputs else np.asarray(classes).tolist()

    def meaning(self, outputs: list[Any] | None) -> dict[str, Any]:
        """Return `scale` and `class_name` of an `Explanation` with these outputs."""
        objective = objective_of(self.booster)
        scale = "score" if objective.startswith(("multi:", "rank:")) else _SCALES.get(objective, "")
        classes = self.classes() if outputs is None and objective.startswith(_OF_TWO_CLASSES) else None
        return {"scale": scale, "class_name": classes[1] if classes is not None and len(classes) == 2 else None}

    def classes(self) -> list[Any] | None:
        """Return the names of the classes of a classifier, or those stored in a booster; None if there are none."""
        classes = getattr(self.given, "classes_", None)
        if classes is None:
            classes = classes_of(self.booster)
        return None if classes is None or isinstance(classes, list) else np.asarray(classes).tolist()

    def quantile_levels(self) -> list[float]:
        """Return the levels of a model of quantiles; empty for other models."""
        objective = json.loads(self.booster.save_config())["learner"]["objective"]
        levels = objective.get("quantile_loss_param", {}).get("quantile_alpha", "")
        return [float(level) for level in levels.strip("[]()").split(",") if level]

    def settings(self, **more: Any) -> bytes:
        """Return a configuration with the rounds and `more`."""
        begin, end = self.rounds
        return config(iteration_begin=int(begin), iteration_end=int(end), **more)


def subject_of(model: Any, iteration_range: tuple[int, int] | None) -> Subject:
    """Return a booster, or an estimator with its booster, and the rounds: the given ones, or the model's default."""
    if isinstance(model, Booster):
        return Subject(model, model, iteration_range or (0, 0))
    if not hasattr(model, "get_booster"):
        raise TypeError(f"expected a Booster or an estimator of kauriboost.sklearn, got {type(model).__name__}.")
    return Subject(model, model.get_booster(), model._rounds(iteration_range))


def feature_numbers(features: Sequence[str | int] | None, names: list[str]) -> list[int]:
    """Return the features' numbers; empty for all."""
    if features is None:
        return []
    if isinstance(features, (str, int)) or len(features) == 0:
        raise ParameterError(f"features is {features!r}; pass a list of names or numbers, or None for all.")
    numbers = []
    for which in features:
        number = names.index(which) if which in names else which
        if isinstance(number, bool) or not isinstance(number, (int, np.integer)) or not 0 <= number < len(names):
            raise ParameterError(f"there is no feature {which!r}; choose among {shown_names(names)}, or their numbers.")
        numbers.append(int(number))
    return numbers
