"""A typical use of the package, run by test_wheel.py in an environment without other packages.

python -I wheel_session.py FOLDER [core]     core: without the parts that need pandas and scikit-learn
"""

from __future__ import annotations

import pickle
import sys
from pathlib import Path

import kauriboost as kb
import numpy as np


def main(folder: Path) -> tuple[np.ndarray, np.ndarray]:
    """Train, save, load and explain. Returns the rows and their labels."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 5)).astype(np.float32)
    y = (X[:, 0] + X[:, 1] * X[:, 2] > 0).astype(np.float32)
    assert folder in Path(kb.__file__).parents, kb.__file__
    data = kb.DMatrix(X, label=y)
    booster = kb.train({"objective": "binary:logistic", "max_depth": 4}, data, num_boost_round=10)
    probabilities = booster.predict(data)
    assert ((probabilities > 0.5) == y).mean() > 0.9
    for name in ("model.json", "model.ubj"):
        booster.save_model(folder / name)
        assert (kb.Booster(model_file=folder / name).predict(data) == probabilities).all()
    assert (pickle.loads(pickle.dumps(booster)).predict(data) == probabilities).all()
    contributions = booster.predict(data, pred_contribs=True)
    margins = booster.predict(data, output_margin=True)
    assert np.allclose(contributions.sum(axis=1), margins, atol=1e-4)
    assert kb.explain(booster, X).values.shape == (300, 5)
    if kb.build_info()["USE_CUDA"]:
        on_device(X, y)
    return X, y


def with_others(X: np.ndarray, y: np.ndarray) -> list[str]:
    """Use tables of pandas and the estimators of scikit-learn. Returns the versions of both."""
    import pandas as pd
    import sklearn
    from kauriboost.sklearn import KauriClassifier, KauriRegressor
    from sklearn.model_selection import GridSearchCV

    frame = pd.DataFrame(X, columns=list("abcde"))
    frame["kind"] = pd.Categorical(np.where(X[:, 3] > 0, "oak", "ash"))
    from_frame = kb.train({"tree_method": "hist"}, kb.DMatrix(frame, label=X[:, 3], enable_categorical=True), 10)
    assert from_frame.feature_names == [*"abcde", "kind"]
    labels = np.where(y > 0, "yes", "no")
    classifier = KauriClassifier(n_estimators=50).fit(frame[list("abcde")], labels)
    assert classifier.score(frame[list("abcde")], labels) > 0.9
    search = GridSearchCV(KauriRegressor(n_estimators=20), {"max_depth": [2, 3]}, cv=2).fit(X, X[:, 0])
    assert search.best_params_ == {"max_depth": 3}
    return ["pandas", pd.__version__, "scikit-learn", sklearn.__version__]


def on_device(X: np.ndarray, y: np.ndarray) -> None:
    """Test the plug-in of the other wheel: the same bytes of models, predictions and contributions."""
    for tree_method in ("hist", "exact", "approx"):
        params = {"objective": "binary:logistic", "tree_method": tree_method}
        boosters = [kb.train({**params, "device": device}, kb.DMatrix(X, y), 5) for device in ("cpu", "cuda")]
        cpu, device = (booster.save_raw("ubj") for booster in boosters)
        assert cpu == device, tree_method
    data = kb.DMatrix(X)
    assert (boosters[1].predict(data) == boosters[0].predict(data)).all()
    contributions = [booster.predict(data, pred_contribs=True) for booster in boosters]
    assert np.allclose(*contributions, atol=1e-5)
    print("trained, predicted and explained on a CUDA device")


if __name__ == "__main__":
    rows_and_labels = main(Path(sys.argv[1]))
    others = with_others(*rows_and_labels) if sys.argv[2:] != ["core"] else []
    print(sys.version.split()[0], "numpy", np.__version__, *others)
    print("all was done")
