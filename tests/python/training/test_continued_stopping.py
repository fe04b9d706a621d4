"""The best round of early stopping, when the model is trained further, sliced, saved and loaded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import kauriboost as kb
import numpy as np
import pytest
import xgboost
from kauriboost.callback import EarlyStopping, TrainingCallback, TrainingCheckPoint
from kauriboost.sklearn import KauriClassifier

Table = tuple[np.ndarray, np.ndarray]
PARAMS = {"objective": "binary:logistic", "max_depth": 4, "eta": 0.5, "tree_method": "exact", "nthread": 1}
QUIET = {"verbose_eval": False}


@pytest.fixture(scope="module")
def data(binary: Table) -> tuple[kb.DMatrix, kb.DMatrix]:
    X, y = binary
    return kb.DMatrix(X[:400], y[:400]), kb.DMatrix(X[400:], y[400:])


@pytest.fixture
def stopped(data: tuple[kb.DMatrix, kb.DMatrix]) -> kb.Booster:
    booster = kb.train(PARAMS, data[0], 60, evals=[(data[1], "test")], early_stopping_rounds=3, **QUIET)
    assert booster.best_iteration < booster.num_boosted_rounds() - 1 < 59
    return booster


def knows_no_best(booster: kb.Booster) -> bool:
    return booster.attr("best_iteration") is None and booster.attr("best_score") is None


@pytest.mark.parametrize("form", ["booster", "file", "bytes"])
def test_new_rounds_count(stopped: kb.Booster, data: Any, form: str, tmp_path: Path) -> None:
    stopped.set_attr(mine="x")
    stopped.save_model(tmp_path / "stopped.json")
    model = {"booster": stopped, "file": tmp_path / "stopped.json", "bytes": bytes(stopped.save_raw())}[form]
    more = kb.train(PARAMS, data[0], 5, xgb_model=model, **QUIET)
    assert more.num_boosted_rounds() == stopped.num_boosted_rounds() + 5
    assert more.attributes() == {"mine": "x"}
    assert not knows_no_best(stopped)
    with pytest.raises(AttributeError, match="early stopping"):
        _ = more.best_iteration


def test_estimators_predict_with_the_new_rounds(binary: Table, tmp_path: Path) -> None:
    X, y = binary
    how = {"max_depth": 4, "learning_rate": 0.5, "n_jobs": 1}
    first = KauriClassifier(n_estimators=60, early_stopping_rounds=3, **how)
    first.fit(X[:400], y[:400], eval_set=[(X[400:], y[400:])])
    best = first.best_iteration
    assert best < first.get_booster().num_boosted_rounds() - 1
    first.save_model(tmp_path / "first.ubj")
    loaded = KauriClassifier()
    loaded.load_model(tmp_path / "first.ubj")
    np.testing.assert_array_equal(loaded.predict_proba(X), first.predict_proba(X))
    for model in (first, first.get_booster(), loaded, tmp_path / "first.ubj"):
        second = KauriClassifier(n_estimators=7, **how).fit(X[:400], y[:400], xgb_model=model)
        everything = second.get_booster().predict(kb.DMatrix(X))
        np.testing.assert_array_equal(second.predict_proba(X)[:, 1], everything)
        assert np.abs(second.predict_proba(X) - first.predict_proba(X)).max() > 0.01
    second.save_model(tmp_path / "second.ubj")
    for estimator in (KauriClassifier(), xgboost.XGBClassifier()):
        estimator.load_model(tmp_path / "second.ubj")
        np.testing.assert_allclose(estimator.predict_proba(X)[:, 1], everything, rtol=1e-5)
    assert first.best_iteration == best
    again = KauriClassifier(n_estimators=3, **how).fit(X[:400], y[:400], xgb_model=second)
    assert again.get_booster().num_boosted_rounds() == second.get_booster().num_boosted_rounds() + 3
    np.testing.assert_array_equal(again.predict_proba(X)[:, 1], again.get_booster().predict(kb.DMatrix(X)))


def test_stopping_again(binary: Table, data: Any, stopped: kb.Booster, tmp_path: Path) -> None:
    """The best of the new rounds, because only their evaluations are compared, as in XGBoost."""
    before = stopped.num_boosted_rounds()
    rounds = 25
    evals: dict[str, Any] = {}
    how = {"evals": [(data[1], "test")], "early_stopping_rounds": 4, "evals_result": evals, **QUIET}
    again = kb.train(PARAMS, data[0], rounds, xgb_model=stopped, **how)
    losses = evals["test"]["logloss"]
    assert again.best_iteration == before + int(np.argmin(losses)) >= before
    assert again.best_score == min(losses)
    X, y = binary
    theirs = [xgboost.DMatrix(X[:400], y[:400]), xgboost.DMatrix(X[400:], y[400:])]
    stopped.save_model(tmp_path / "stopped.json")
    peer = xgboost.train(
        PARAMS, theirs[0], rounds, xgb_model=tmp_path / "stopped.json", **{**how, "evals": [(theirs[1], "test")]}
    )
    assert again.best_iteration == peer.best_iteration
    best = kb.train(
        PARAMS,
        data[0],
        rounds,
        xgb_model=stopped,
        evals=how["evals"],
        callbacks=[EarlyStopping(rounds=4, save_best=True)],
        **QUIET,
    )
    assert best.num_boosted_rounds() == again.best_iteration + 1
    third = kb.train(PARAMS, data[0], 1, xgb_model=again, **QUIET)
    assert knows_no_best(third)


class Stop(TrainingCallback):
    """Stops the training before its first round."""

    def before_iteration(self, model: kb.Booster, epoch: int, evals_log: Any) -> bool:
        return True


def test_without_a_new_round_nothing_is_forgotten(stopped: kb.Booster, data: Any) -> None:
    for rounds, callbacks in ((0, []), (5, [Stop()])):
        same = kb.train(PARAMS, data[0], rounds, xgb_model=stopped, callbacks=callbacks, **QUIET)
        assert same.attributes() == stopped.attributes()
    with pytest.raises(kb.DataError):
        kb.train(PARAMS, kb.DMatrix(np.zeros((3, 2)), [0, 1, 0]), 5, xgb_model=stopped, **QUIET)
    assert not knows_no_best(stopped)


def test_refreshed_trees(stopped: kb.Booster, data: Any) -> None:
    params = {**PARAMS, "process_type": "update", "updater": "refresh"}
    rounds = stopped.num_boosted_rounds()
    assert knows_no_best(kb.train(params, data[1], rounds, xgb_model=stopped, **QUIET))


def test_checkpoints_remember(stopped: kb.Booster, data: Any, tmp_path: Path) -> None:
    """A training that continues a model and is interrupted and resumed gives the same as without interruption."""
    how = {"evals": [(data[1], "test")], "xgb_model": stopped, **QUIET}

    def callbacks(folder: Path) -> list[TrainingCallback]:
        folder.mkdir(exist_ok=True)
        return [EarlyStopping(rounds=50), TrainingCheckPoint(folder, interval=1, resume=True)]

    whole = kb.train(PARAMS, data[0], 9, callbacks=callbacks(tmp_path / "whole"), **how)
    kb.train(PARAMS, data[0], 4, callbacks=callbacks(tmp_path / "part"), **how)
    resumed = kb.train(PARAMS, data[0], 9, callbacks=callbacks(tmp_path / "part"), **how)
    assert resumed.save_raw() == whole.save_raw()
    assert resumed.best_iteration >= stopped.num_boosted_rounds()
    done = kb.train(PARAMS, data[0], 9, callbacks=callbacks(tmp_path / "part"), **how)  # nothing remains to be done
    assert done.save_raw() == whole.save_raw()


def test_slices(stopped: kb.Booster, data: Any) -> None:
    stopped.set_attr(mine="x")
    best = stopped.best_iteration
    for kept in (stopped[: best + 1], stopped[: best + 2], stopped[:]):
        assert kept.attributes() == stopped.attributes()
    for cut in (stopped[:best], stopped[1:], stopped[::2], stopped[best], stopped[best:], stopped[0]):
        assert cut.attributes() == {"mine": "x"}
    on = kb.train(PARAMS, data[0], 3, xgb_model=stopped[: best + 1], **QUIET)
    assert on.num_boosted_rounds() == best + 4
    assert knows_no_best(on)
    stopped.set_attr(best_iteration="no number")
    assert stopped[:].attributes() == {"mine": "x"}


def test_slices_in_estimators(stopped: kb.Booster, data: Any, binary: Table, tmp_path: Path) -> None:
    """A file of the first rounds without the best one could not even predict."""
    part = stopped[: stopped.best_iteration]
    part.save_model(tmp_path / "part.json")
    model = KauriClassifier()
    model.load_model(tmp_path / "part.json")
    np.testing.assert_array_equal(model.predict_proba(binary[0])[:, 1], part.predict(kb.DMatrix(binary[0])))
