"""Row weights and the parameter sketch reach the bins of tree_method=hist."""

from __future__ import annotations

import kauriboost as kb
import numpy as np
import pytest

PARAMS = {"tree_method": "hist", "max_bin": 16, "max_depth": 4}


def table(rows: int = 3000) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    random = np.random.default_rng(0)
    features = random.standard_normal((rows, 3)).astype(np.float32)
    return features, features[:, 0] + np.sin(4 * features[:, 1]), random.integers(0, 3, rows).astype(np.float32)


def thresholds(booster: kb.Booster) -> set[float]:
    trees = booster.trees_to_dataframe()
    return set(trees.loc[trees.Feature != "Leaf", "Split"])


def test_whole_weights_make_the_bins_of_repeated_rows() -> None:
    features, labels, weights = table()
    repeats = weights.astype(int)
    weighted = kb.train(PARAMS, kb.DMatrix(features, labels, weight=weights), 5)
    rows = kb.DMatrix(features.repeat(repeats, axis=0), labels.repeat(repeats))
    plain = kb.train(PARAMS, kb.DMatrix(features, labels), 5)
    assert thresholds(weighted) == thresholds(kb.train(PARAMS, rows, 5))
    assert thresholds(weighted) != thresholds(plain)


def test_weights_set_after_a_training_make_new_bins() -> None:
    features, labels, _ = table()
    features = features[:, :1]
    weights = np.where(features[:, 0] > 0, 9.0, 1.0)
    params = {**PARAMS, "max_bin": 2, "max_depth": 1}  # one bin edge, the weighted median
    data = kb.DMatrix(features, labels)
    booster = kb.Booster(params, [data])
    booster.update(data, 0)
    data.set_info(weight=weights)
    booster.update(data, 1)
    cuts = [tree.partition("<")[2].partition("]")[0] for tree in booster.get_dump()]
    fresh = kb.train(params, kb.DMatrix(features, labels, weight=weights), 1).get_dump()[0]
    assert f"<{cuts[1]}]" in fresh
    assert abs(float(cuts[0])) < 0.1 < float(cuts[1])


@pytest.mark.parametrize("sketch", ["exact", "gk", "moments", "kll"])
def test_every_sketch_learns_and_threads_do_not_matter(sketch: str) -> None:
    features, labels, weights = table()
    models = set()
    for threads in (1, 3):
        data = kb.DMatrix(features, labels, weight=weights)
        booster = kb.train({**PARAMS, "sketch": sketch, "max_bin": 64, "nthread": threads}, data, 20)
        models.add(bytes(booster.save_raw("ubj")))
    assert len(models) == 1
    assert np.std(booster.predict(kb.DMatrix(features)) - labels) < 0.35


def test_unknown_sketch_names_the_known_ones() -> None:
    features, labels, _ = table(20)
    with pytest.raises(kb.KauriError, match="moments"):
        kb.train({**PARAMS, "sketch": "reservoir"}, kb.DMatrix(features, labels), 1)


def test_settings_of_sketches_reach_the_bins() -> None:
    features, labels, _ = table()
    models = {}
    settings: list[dict[str, object]] = [
        {"sketch": "moments"},
        {"sketch": "moments", "sketch_order": 4},
        {"sketch": "moments", "sketch_density": "legendre"},
        {"sketch": "moments", "sketch_density": "cosine"},
        {"sketch": "kll"},
        {"sketch": "kll", "sketch_size": 20},
    ]
    data = kb.DMatrix(features, labels)  # a single matrix: bins are cached by their parameters
    for more in settings:
        booster = kb.train({**PARAMS, **more}, data, 10)
        models[str(more)] = bytes(booster.save_raw("ubj"))
        assert np.std(booster.predict(data) - labels) < 0.5, more
    assert len(set(models.values())) == len(settings)
    for more, message in (({"sketch_order": 1}, "sketch_order"), ({"sketch_size": 1}, "sketch_size=1")):
        with pytest.raises(kb.ParameterError, match=message):
            kb.train({**PARAMS, **more}, data, 1)
