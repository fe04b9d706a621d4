"""Libraries with parameters for the same model: depth or leaves, learning rate, 256 bins, lambda 1, no sampling.

An entrant trains from arrays in memory (its own data set and its bins are made within the measured time) and predicts
raw scores from arrays in memory. CatBoost grows its default symmetric trees if the case has a depth: all nodes of a
level share a split.
"""

from __future__ import annotations

import importlib
import os
import sys
from abc import ABC, abstractmethod
from types import ModuleType
from typing import Any

import numpy as np

from .cases import Case
from .datasets import ROOT, Features, Part


class Entrant(ABC):
    """One library in one process."""

    def __init__(self, case: Case, threads: int) -> None:
        self.case, self.threads = case, threads

    @abstractmethod
    def data(self, part: Part) -> Any:
        """Make the library's own data set."""

    @abstractmethod
    def train_on(self, data: Any, part: Part, rounds: int) -> Any:
        """Train a model on the library's data set, which was made from `part`."""

    def train(self, part: Part, rounds: int) -> Any:
        """Train a model from arrays."""
        return self.train_on(self.data(part), part, rounds)

    @abstractmethod
    def predict(self, model: Any, features: Features) -> np.ndarray:
        """Return raw scores."""

    def load(self, model_file: str, part: Part) -> Any:
        """Return the model for predictions: from the file if the library reads it, else a new one of the same size."""
        return self.train(part, self.case.rounds)


def n_classes(part: Part) -> int:
    return int(part.labels.max()) + 1


class _XGBoostLike(Entrant):
    library: ModuleType

    def params(self, part: Part) -> dict[str, object]:
        case = self.case
        objectives = {"multiclass": "multi:softprob", "rank": "rank:ndcg"}
        params: dict[str, object] = {
            "objective": objectives.get(case.task, "binary:logistic"),
            "tree_method": case.method,
            "max_depth": case.depth,
            "eta": case.eta,
            "nthread": self.threads,
        }
        if case.leaves:
            params |= {"grow_policy": "lossguide", "max_leaves": case.leaves}
        if case.task == "multiclass":
            params["num_class"] = n_classes(part)
        return params

    def data(self, part: Part) -> Any:
        """Make a QuantileDMatrix for hist, as both manuals advise, unless the case keeps the values."""
        in_bins = self.case.method == "hist" and not self.case.keeps_values
        make = self.library.QuantileDMatrix if in_bins else self.library.DMatrix
        data = make(part.features, part.labels, nthread=self.threads)
        if part.group is not None:
            data.set_group(part.group)
        return data

    def train_on(self, data: Any, part: Part, rounds: int) -> Any:
        return self.library.train(self.params(part), data, rounds)

    def predict(self, model: Any, features: Features) -> np.ndarray:
        return model.inplace_predict(features, predict_type="margin")

    def load(self, model_file: str, part: Part) -> Any:
        return self.library.Booster({"nthread": self.threads}, model_file=model_file)


class Kauri(_XGBoostLike):
    def __init__(self, case: Case, threads: int) -> None:
        super().__init__(case, threads)
        sys.path.insert(0, os.environ.get("KAURI_PYTHON_PACKAGE", str(ROOT / "python-package")))
        self.library = importlib.import_module("kauriboost")


class XGBoost(_XGBoostLike):
    def __init__(self, case: Case, threads: int) -> None:
        super().__init__(case, threads)
        self.library = importlib.import_module("xgboost")


class LightGBM(Entrant):
    def __init__(self, case: Case, threads: int) -> None:
        super().__init__(case, threads)
        self.library = importlib.import_module("lightgbm")

    def params(self, part: Part) -> dict[str, object]:
        case = self.case
        objectives = {"multiclass": "multiclass", "rank": "lambdarank"}
        params: dict[str, object] = {
            "objective": objectives.get(case.task, "binary"),
            "max_depth": case.depth or -1,
            "num_leaves": case.leaves or 2**case.depth - 1,
            "learning_rate": case.eta,
            "max_bin": 255,
            "lambda_l2": 1.0,
            "min_data_in_leaf": 1,
            "min_sum_hessian_in_leaf": 1.0,
            "num_threads": self.threads,
            "verbosity": -1,
        }
        if case.task == "rank":
            params["lambdarank_truncation_level"] = 32  # XGBoost's number of ranks
        if case.task == "multiclass":
            params["num_class"] = n_classes(part)
        return params

    def data(self, part: Part) -> Any:
        return self.library.Dataset(part.features, part.labels, group=part.group, params=self.params(part))

    def train_on(self, data: Any, part: Part, rounds: int) -> Any:
        return self.library.train(self.params(part), data, rounds)

    def predict(self, model: Any, features: Features) -> np.ndarray:
        return model.predict(features, raw_score=True, num_threads=self.threads)


class CatBoost(Entrant):
    def __init__(self, case: Case, threads: int) -> None:
        super().__init__(case, threads)
        self.library = importlib.import_module("catboost")

    def data(self, part: Part) -> Any:
        queries = None if part.group is None else np.repeat(np.arange(len(part.group)), part.group)
        return self.library.Pool(part.features, part.labels, group_id=queries)

    def train_on(self, data: Any, part: Part, rounds: int) -> Any:
        case = self.case
        losses = {"multiclass": "MultiClass", "rank": "LambdaMart:metric=NDCG"}
        params: dict[str, object] = {
            "loss_function": losses.get(case.task, "Logloss"),
            "iterations": rounds,
            "learning_rate": case.eta,
            "l2_leaf_reg": 1.0,
            "border_count": 254,
            "boosting_type": "Plain",
            "bootstrap_type": "No",
            "leaf_estimation_iterations": 1,
            "random_strength": 0.0,
            "thread_count": self.threads,
            "allow_writing_files": False,
            "logging_level": "Silent",
        }
        if case.leaves:
            params |= {"grow_policy": "Lossguide", "max_leaves": case.leaves, "depth": 16}
        else:
            params["depth"] = case.depth
        return self.library.CatBoost(params).fit(data)

    def predict(self, model: Any, features: Features) -> np.ndarray:
        return model.predict(self.library.Pool(features), prediction_type="RawFormulaVal", thread_count=self.threads)


ENTRANTS: dict[str, type[Entrant]] = {"kauri": Kauri, "xgboost": XGBoost, "lightgbm": LightGBM, "catboost": CatBoost}
