"""One door for forests of any library: a file or a fitted model in, a model of ours and what was read out."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from .._binding.errors import ModelError
from .._data.matrix import DMatrix
from .._model.booster import Booster
from .._public import described, public
from .catboost import from_catboost_text, is_catboost, text_of
from .document import booster_of, is_forest
from .lightgbm import from_lightgbm
from .scikit_learn import from_sklearn
from .ydf import forest_of_ydf, objective_of_ydf


@public("kauriboost.forests")
@dataclass(frozen=True, repr=False)
class LoadedForest:
    """A forest that `load` read, as a model of ours, and what its source says about it.

    Attributes
    ----------
    booster
        The model, to be predicted, explained, saved and drawn like any other.
    library
        The library whose form the source has, such as ``"LightGBM"``. Kauri's own files have the form of XGBoost's.
    kind
        The class of the model, or the kind of file.
    version
        The version of the library, or of the file's form; empty if the source does not tell it.
    objective
        The objective by the library's own name; empty if the source does not tell it.
    n_trees, n_outputs
        The numbers of trees and of outputs. A tree may have a value for each output.
    not_kept
        What the source has and the model has not.
    """

    booster: Booster
    library: str
    kind: str
    version: str = ""
    objective: str = ""
    n_trees: int = 0
    n_outputs: int = 1
    not_kept: list[str] = field(default_factory=list)

    @property
    def n_features(self) -> int:
        """The number of columns that the model expects."""
        return self.booster.num_features()

    @property
    def feature_names(self) -> list[str] | None:
        """The names of the columns; None if the source has none."""
        return self.booster.feature_names

    def __repr__(self) -> str:
        return described(
            self,
            library=self.library,
            kind=self.kind,
            version=self.version or None,
            objective=self.objective or None,
            trees=self.n_trees,
            outputs=self.n_outputs,
            features=self.feature_names or self.n_features,
            not_kept=self.not_kept,
        )


@public("kauriboost.forests")
def load(source: Any, *, categories: Mapping[Any, Sequence[Any]] | None = None) -> LoadedForest:
    """Read a forest of any supported library and tell what was read.

    Parameters
    ----------
    source
        A fitted tree model of scikit-learn, LightGBM, XGBoost, CatBoost, YDF or Kauri; the path of a file in the form
        of LightGBM, XGBoost, CatBoost (its JSON) or Kauri, or with a forest as arrays; or the folder of a YDF model,
        for which the package ydf must be installed. See `from_sklearn` and `from_lightgbm` for what is supported.
    categories
        For CatBoost, whose models have hashes of the names of categories instead of the names: all names of each column
        of categories, by the name or number of the column. Without them only categories are known that are whole
        numbers up to 9,999.

    Raises
    ------
    ModelError
        Another kind of model, or a model that Kauri cannot represent; the message names the reason.
    OSError
        The file cannot be read.
    """
    if isinstance(source, (str, os.PathLike)):
        return _from_file(Path(source), categories)
    modules = [kind.__module__.split(".")[0] for kind in type(source).__mro__]
    if "catboost" in modules:
        return _catboost(text_of(source), categories, type(source).__name__)
    _refuse_categories(categories)
    readers: dict[str, Callable[[Any], LoadedForest]] = {
        "kauriboost": _own,
        "lightgbm": _lightgbm,
        "sklearn": _sklearn,
        "xgboost": _xgboost,
        "ydf": _ydf,
    }
    reader = next((readers[module] for module in modules if module in readers), None)
    if reader is None:
        raise ModelError(
            f"a {type(source).__name__} is not a supported model; expected a tree model of {_LIBRARIES}, or the path "
            "of a file."
        )
    return reader(source)


_LIBRARIES = "CatBoost, Kauri, LightGBM, scikit-learn, XGBoost or YDF"


def _refuse_categories(categories: Any) -> None:
    if categories is not None:
        raise ModelError("categories are for models of CatBoost; others have the names of categories. Leave them out.")


def _counted(booster: Booster, library: str, kind: str, **more: Any) -> LoadedForest:
    """Return the result with the numbers of trees and outputs. Raises ModelError for a model without trees."""
    learner = json.loads(booster.save_config())["learner"]["gradient_booster"]
    trees = learner.get("gbtree", learner).get("gbtree_model_param")
    if trees is None:
        raise ModelError(f"the model is {learner['name']}, which has no trees; give a model of trees.")
    row = DMatrix(np.full((1, booster.num_features()), np.nan, np.float32))
    outputs = booster.predict(row, output_margin=True, strict_shape=True, validate_features=False).shape[1]
    return LoadedForest(booster, library, kind, n_trees=int(trees["num_trees"]), n_outputs=outputs, **more)


def _from_file(path: Path, categories: Mapping[Any, Sequence[Any]] | None) -> LoadedForest:
    if (path / "data_spec.pb").is_file():
        _refuse_categories(categories)
        return _ydf_folder(path)
    with path.open("rb") as file:
        head = file.read(100_000)
    if is_catboost(head):
        return _catboost(path.read_bytes(), categories, "model file")
    _refuse_categories(categories)
    if head.startswith((b"tree\n", b"tree\r\n")):
        return _lightgbm_text(head.decode("utf-8", "replace"), from_lightgbm(path), "model file")
    booster = Booster(model_file=path)
    library, kind = ("Kauri", "forest of arrays") if is_forest(head) else ("XGBoost", "model file")
    return _counted(booster, library, kind, objective=_objective(booster))


def _objective(booster: Booster) -> str:
    return str(json.loads(booster.save_config())["learner"]["objective"]["name"])


def _own(model: Any) -> LoadedForest:
    booster = model.get_booster() if hasattr(model, "get_booster") else model
    if not isinstance(booster, Booster):
        raise ModelError(f"a {type(model).__name__} is not a model of trees.")
    from .._binding.process import VERSION

    return _counted(booster, "Kauri", type(model).__name__, version=VERSION, objective=_objective(booster))


def _xgboost(model: Any) -> LoadedForest:
    import xgboost

    theirs = model.get_booster() if hasattr(model, "get_booster") else model
    best = None if theirs is model else getattr(model, "best_iteration", None)  # an estimator predicts up to it
    booster = Booster(model_file=bytearray(theirs.save_raw("ubj")))
    booster = booster if best is None else booster[: best + 1]
    missing = float(np.nan if theirs is model else model.missing)
    lost = [] if np.isnan(missing) else [f"the value {missing:g} for missing cells; give NaN in its place"]
    facts = {"version": xgboost.__version__, "objective": _objective(booster), "not_kept": lost}
    return _counted(booster, "XGBoost", type(model).__name__, **facts)


def _catboost(text: bytes, categories: Mapping[Any, Sequence[Any]] | None, kind: str) -> LoadedForest:
    booster, facts = from_catboost_text(text, categories)
    return _counted(booster, "CatBoost", kind, **facts)


def _ydf_folder(path: Path) -> LoadedForest:
    try:
        import ydf
    except ImportError:
        raise ModelError(
            f"{str(path)!r} is a model of YDF, which is read through the package ydf. Install it."
        ) from None
    return _ydf(ydf.load_model(str(path)))


def _ydf(model: Any) -> LoadedForest:
    import ydf

    booster = booster_of(forest_of_ydf(model))
    lost = ["names of classes"] if objective_of_ydf(model) == "classification" else []
    more = {"version": ydf.__version__, "objective": objective_of_ydf(model)}
    return _counted(booster, "YDF", type(model).__name__, not_kept=["scores of splits", *lost], **more)


def _lightgbm(model: Any) -> LoadedForest:
    theirs = getattr(model, "booster_", model)
    booster = from_lightgbm(model)
    return _lightgbm_text(str(theirs.model_to_string(num_iteration=1)), booster, type(model).__name__)


def _lightgbm_text(text: str, booster: Booster, kind: str) -> LoadedForest:
    found = dict(re.findall(r"^(version|objective)=(.*)$", text.split("\n\n")[0].replace("\r", ""), re.MULTILINE))
    names = booster.feature_names or []
    lost = (
        ["spaces in column names, which LightGBM writes as underscores"] if any("_" in name for name in names) else []
    )
    return _counted(
        booster,
        "LightGBM",
        kind,
        version=found.get("version", ""),
        objective=found.get("objective", ""),
        not_kept=["gains and hessians of splits", *lost],
    )


def _sklearn(model: Any) -> LoadedForest:
    import sklearn

    booster = from_sklearn(model)
    lost = ["names of classes"] if hasattr(model, "classes_") else []
    if type(model).__name__ == "IsolationForest":
        lost.append("the score, which is a function of the mean path length that the model predicts")
    objective = getattr(model, "loss", getattr(model, "criterion", ""))
    return _counted(
        booster,
        "scikit-learn",
        type(model).__name__,
        version=sklearn.__version__,
        objective=str(objective),
        not_kept=["impurities of nodes", *lost],
    )
