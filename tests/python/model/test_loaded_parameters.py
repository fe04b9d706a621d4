"""Parameters and models: the user's parameters override the file's, in either order."""

from __future__ import annotations

import copy
import json
import logging
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import kauriboost as kb
import numpy as np
import pytest
from kauriboost._training.training import Plan, Training
from kauriboost.sklearn import KauriRegressor

ADABOOST: dict[str, Any] = {"booster": "adaboost", "objective": "binary:logitraw", "max_depth": 2}
RNG = np.random.default_rng(7)
X = RNG.normal(size=(300, 4)).astype(np.float32)
Y = (X[:, 0] + X[:, 1] * X[:, 2] > 0).astype(np.float32)
DATA = kb.DMatrix(X, label=Y)


def train(params: dict[str, Any], rounds: int, **more: Any) -> kb.Booster:
    return kb.train(params, DATA, rounds, verbose_eval=False, **more)


def model_of(booster: kb.Booster) -> dict[str, Any]:
    """Return the trained part of a model, without attributes of callbacks."""
    learner = json.loads(booster.save_raw("json"))["learner"]
    return {**learner, "attributes": {k: v for k, v in learner["attributes"].items() if k == "kauri_booster"}}


def learner_of(booster: kb.Booster) -> dict[str, Any]:
    learner: dict[str, Any] = json.loads(booster.save_config())["learner"]
    return learner


def older(booster: kb.Booster) -> bytes:
    """Return a file in the format before files named AdaBoost."""
    document = json.loads(booster.save_raw("json"))
    del document["learner"]["attributes"]["kauri_booster"]
    return json.dumps(document).encode()


def updated(booster: kb.Booster, rounds: int = 3) -> kb.Booster:
    booster.set_param("max_depth", 2)  # no file contains it
    for i in range(rounds):
        booster.update(DATA, 3 + i)
    return booster


def loaded_into(params: dict[str, Any], content: bytes) -> kb.Booster:
    booster = kb.Booster(params)
    booster.load_model(content)
    return booster


def from_snapshot(half: kb.Booster) -> kb.Booster:
    """Continue like a worker that takes over from a lost one."""
    first = Training(Plan(ADABOOST, 3), DATA, [])
    first.begin()
    first.go_on()
    training = Training(Plan(ADABOOST, 6), DATA, [])
    training.begin(first.snapshot())
    training.go_on()
    return training.end()


WAYS = {
    "a file alone": lambda half: updated(kb.Booster(model_file=half.save_raw())),
    "a file of JSON": lambda half: updated(kb.Booster(model_file=half.save_raw("json"))),
    "parameters first": lambda half: updated(loaded_into(ADABOOST, bytes(half.save_raw()))),
    "parameters after": lambda half: updated(kb.Booster(ADABOOST, model_file=bytes(half.save_raw()))),
    "an older file, parameters first": lambda half: updated(loaded_into(ADABOOST, older(half))),
    "an older file, parameters after": lambda half: updated(kb.Booster(ADABOOST, model_file=older(half))),
    "a copy": lambda half: updated(copy.copy(half)),
    "a copy of a file": lambda half: updated(copy.deepcopy(kb.Booster(model_file=half.save_raw()))),
    "a pickle": lambda half: updated(pickle.loads(pickle.dumps(half))),
    "a slice": lambda half: updated(updated(half)[:3]),
    "another booster": lambda half: updated(kb.Booster(model_file=half)),
    "xgb_model": lambda half: train({"max_depth": 2}, 3, xgb_model=bytes(half.save_raw())),
    "xgb_model with parameters": lambda half: train(ADABOOST, 3, xgb_model=older(half)),
    "a snapshot of a training": from_snapshot,
}


@pytest.mark.parametrize("way", WAYS)
def test_adaboost_goes_on_as_adaboost(way: str) -> None:
    booster = WAYS[way](train(ADABOOST, 3))
    assert model_of(booster) == model_of(train(ADABOOST, 6))


class Interrupts(kb.callback.TrainingCallback):
    def after_iteration(self, model: Any, epoch: int, evals_log: Any) -> bool:
        if epoch == 3:
            raise KeyboardInterrupt
        return False


@pytest.mark.parametrize("as_pickle", [False, True])
def test_adaboost_goes_on_from_checkpoints(as_pickle: bool, tmp_path: Path) -> None:
    def checkpoint(resume: bool) -> kb.callback.TrainingCheckPoint:
        return kb.callback.TrainingCheckPoint(tmp_path, interval=1, as_pickle=as_pickle, resume=resume)

    with pytest.raises(KeyboardInterrupt):
        train(ADABOOST, 6, callbacks=[Interrupts(), checkpoint(False)])
    booster = train(ADABOOST, 6, callbacks=[checkpoint(True)])
    assert bytes(booster.save_raw()) == bytes(train(ADABOOST, 6).save_raw())


def test_the_model_of_the_best_round_goes_on_as_adaboost() -> None:
    stopping = kb.callback.EarlyStopping(rounds=2, save_best=True, metric_name="error@0")
    noise = kb.DMatrix(X, label=RNG.permutation(Y))
    params = {**ADABOOST, "eval_metric": "error@0"}
    best = train(params, 30, evals=[(noise, "test")], callbacks=[stopping])
    rounds = best.num_boosted_rounds()
    updated(best, 1)
    assert model_of(best)["gradient_booster"] == model_of(train(params, rounds + 1))["gradient_booster"]


def test_files_of_adaboost_stay_files_of_xgboost() -> None:
    xgboost = pytest.importorskip("xgboost")
    booster = train(ADABOOST, 4)
    peer = xgboost.Booster(model_file=booster.save_raw())
    np.testing.assert_allclose(peer.predict(xgboost.DMatrix(X)), booster.predict(DATA), rtol=1e-6)
    on = xgboost.train({"booster": "dart", "objective": "binary:logitraw"}, xgboost.DMatrix(X, label=Y), 1)
    document = json.loads(on.save_raw("json"))
    document["learner"]["attributes"]["kauri_booster"] = "adaboost"  # another library would keep it
    again = kb.Booster(model_file=json.dumps(document).encode())
    assert learner_of(again)["gradient_booster"]["name"] == "dart"
    document["learner"]["attributes"]["kauri_booster"] = "random"
    with pytest.raises(kb.ModelError, match="kauri_booster' is damaged"):
        kb.Booster(model_file=json.dumps(document).encode())
    with pytest.raises(kb.ParameterError, match="the library's own"):
        booster.set_attr(kauri_booster="dart")


def test_only_files_that_can_be_of_adaboost_say_so() -> None:
    """A booster that cannot train as AdaBoost has files that do not change when they are read and written."""
    booster = kb.Booster({"booster": "adaboost", "objective": "binary:exponential"}, [DATA])
    dropped = train({"booster": "dart", "rate_drop": 1, "objective": "binary:logitraw"}, 3)
    for each in (booster, kb.Booster({"booster": "adaboost"}, model_file=dropped.save_raw())):
        content = bytes(each.save_raw("json"))
        assert b"kauri_booster" not in content
        assert bytes(kb.Booster(model_file=content).save_raw("json")) == content


@pytest.mark.parametrize(
    ("told", "given"),
    [
        ({"objective": "reg:pseudohubererror", "huber_slope": 3}, {"huber_slope": 2}),
        ({"objective": "binary:logistic", "scale_pos_weight": 3}, {"scale_pos_weight": 5}),
        ({"objective": "binary:logistic", "num_parallel_tree": 3}, {"num_parallel_tree": 2}),
        ({"objective": "binary:logistic"}, {"objective": "binary:logitraw"}),
        ({"objective": "binary:logistic"}, {"booster": "dart", "rate_drop": 0.5}),
        ({"booster": "dart", "rate_drop": 0.5, "objective": "binary:logistic"}, {"booster": "gbtree"}),
    ],
)
def test_what_is_set_holds_before_and_after(told: dict[str, Any], given: dict[str, Any]) -> None:
    content = bytes(train({"max_depth": 2, **told}, 3).save_raw())
    given = {"max_depth": 2, **given}
    boosters = [
        loaded_into(given, content),
        kb.Booster(given, model_file=content),
        copy.copy(loaded_into(given, content)),
        train(given, 0, xgb_model=content),
    ]
    models = {bytes(updated(booster, 1).save_raw()) for booster in boosters}
    assert len(models) == 1
    learner = learner_of(boosters[0])
    for name, value in given.items():
        assert learner["user_params"][name] == str(value)
    if "num_parallel_tree" in given:
        assert len(boosters[0].get_dump()) == 3 * 3 + 2


def test_what_is_not_set_is_the_files() -> None:
    told = {"objective": "reg:pseudohubererror", "huber_slope": 3, "num_parallel_tree": 2}
    content = bytes(train(told, 2).save_raw())
    learner = learner_of(loaded_into({"eta": 0.1}, content))
    assert learner["objective"] == {"name": "reg:pseudohubererror", "pseudo_huber_param": {"huber_slope": "3"}}
    assert learner["user_params"] == {"eta": "0.1", "validate_parameters": "1"}
    booster = kb.Booster()
    booster.load_model(content)
    booster.load_model(bytes(train({"objective": "count:poisson"}, 2).save_raw()))  # nothing of the first file stays
    again = copy.copy(booster)
    again.load_model(bytes(train({}, 2).save_raw()))
    for loaded, objective in ((booster, "count:poisson"), (again, "reg:squarederror")):
        assert learner_of(loaded)["objective"]["name"] == objective
        loaded.update(DATA, 2)
        assert len(loaded.get_dump()) == 3


def test_another_objective_has_no_parameters_of_the_files() -> None:
    """max_delta_step=0.7 belongs to count:poisson; scale_pos_weight belongs to several objectives, as in XGBoost."""
    weighed = train({"objective": "binary:logistic", "scale_pos_weight": 3}, 2).save_raw()
    assert learner_of(loaded_into({"objective": "binary:logitraw"}, bytes(weighed)))["objective"] == {
        "name": "binary:logitraw",
        "reg_loss_param": {"scale_pos_weight": "1"},
    }
    content = bytes(train({"objective": "count:poisson"}, 2).save_raw())
    params = {"objective": "reg:squarederror", "base_score": 0.5, "eta": 1}
    booster = updated(loaded_into(params, content), 1)
    bounded = updated(loaded_into({**params, "max_delta_step": 0.01}, content), 1)
    assert booster.get_dump()[2] != bounded.get_dump()[2]
    unbounded = updated(loaded_into({**params, "max_delta_step": 0}, content), 1)
    assert booster.get_dump()[2] == unbounded.get_dump()[2]


def test_the_log_says_what_takes_the_place_of_the_models(caplog: pytest.LogCaptureFixture) -> None:
    content = bytes(train({"objective": "binary:logistic"}, 2).save_raw())
    with caplog.at_level(logging.WARNING, "kauriboost"):
        booster = loaded_into({"objective": "binary:logitraw", "base_score": 0.25}, content)
        booster.predict(DATA)
        copy.copy(booster).predict(DATA)
        train({"objective": "binary:logitraw", "base_score": 0.25}, 1).predict(DATA)
    said = [record.message for record in caplog.records]
    assert len([line for line in said if "objective=binary:logitraw was set, and takes the place of" in line]) == 1
    assert len([line for line in said if "base_score='0.25' was set before a model was loaded" in line]) == 1


def test_a_base_score_that_takes_the_place_of_the_models_is_said(
    caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    """XGBoost lets it take the place, too, and says nothing."""
    trained = train({"base_score": 0.25}, 2)
    trained.save_model(tmp_path / "model.json")
    ways: dict[str, Callable[[float], kb.Booster]] = {
        "object": lambda score: kb.train({"base_score": score}, DATA, 1, xgb_model=trained),
        "file": lambda score: kb.train({"base_score": score}, DATA, 1, xgb_model=str(tmp_path / "model.json")),
        "parameters": lambda score: kb.Booster({"base_score": score}, model_file=tmp_path / "model.json"),
        "estimator": lambda score: (
            KauriRegressor(n_estimators=1, base_score=score).fit(X, Y, xgb_model=trained).get_booster()
        ),
    }
    for way, make in ways.items():
        for score, n_said in ((2.25, 1), (0.25, 0)):
            caplog.clear()
            with caplog.at_level(logging.WARNING, "kauriboost"):
                booster = make(score)
                assert learner_of(booster)["learner_model_param"]["base_score"] == f"[{score}]"
                booster.predict(DATA)
            said = [r.message for r in caplog.records if "base_score=" in r.message]
            assert len(said) == n_said, (way, said)
            for line in said:
                assert "base_score=2.25 was set, and takes the place of 0.25, which the model was trained with" in line


@pytest.mark.parametrize("booster", ["gbtree", "dart", "gblinear"])
def test_an_empty_base_score_leaves_a_trained_model_its_own(booster: str) -> None:
    other = kb.DMatrix(X, DATA.get_label() + 5)
    model, same = train({"booster": booster}, 2), train({"booster": booster}, 2)
    before = model.predict(DATA)
    model.set_param("base_score", "")
    np.testing.assert_array_equal(model.predict(DATA), before)
    model.update(other, 2)
    same.update(other, 2)
    assert model.save_raw() == same.save_raw()
    model.set_param("base_score", 9)
    model.set_param("base_score", "")
    np.testing.assert_array_equal(model.predict(DATA), same.predict(DATA))


@pytest.mark.parametrize("booster", ["gbtree", "dart", "gblinear"])
@pytest.mark.parametrize("is_loaded", [False, True])
def test_a_base_score_set_later_is_in_every_answer(booster: str, is_loaded: bool, tmp_path: Path) -> None:
    """It counts at once, and not from the next round on only, in whatever order the calls come."""
    trained = train({"booster": booster, "base_score": 0.25}, 3)
    model = kb.Booster(model_file=bytearray(trained.save_raw())) if is_loaded else trained
    before = model.predict(DATA)
    model.set_param("base_score", 2.25)
    saved = kb.Booster(model_file=bytearray(model.save_raw()))
    copied = [copy.copy(model), pickle.loads(pickle.dumps(model))]
    copied += [model[:]] if booster != "gblinear" else []  # it has no rounds
    score = model.eval(DATA)
    answers = [
        model.predict(DATA),
        model.inplace_predict(X),
        model.predict(DATA, pred_contribs=True).sum(axis=1),
        model.predict(DATA, training=True),
        model.predict(kb.DMatrix(X), training=True),
        *(other.predict(DATA) for other in (saved, *copied)),
    ]
    for answer in answers:
        np.testing.assert_allclose(answer, before + 2, rtol=1e-5)
    assert learner_of(model)["learner_model_param"]["base_score"] == "[2.25]"
    assert model.eval(DATA) == score == saved.eval(DATA)
    assert updated(model, 1).save_raw() == updated(copied[1], 1).save_raw()


def test_a_base_score_set_later_must_have_a_value_per_output() -> None:
    model = train({"base_score": 0.5}, 2)
    content = model.save_raw()
    model.set_param("base_score", [0.1, 0.2])
    for answer in (
        lambda: model.predict(DATA),
        lambda: model.eval(DATA),
        model.save_raw,
        lambda: model.update(DATA, 2),
    ):
        with pytest.raises(kb.ParameterError, match="base_score has 2 values for 1 outputs"):
            answer()
    model.set_param("base_score", 0.5)
    assert model.save_raw() == content


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"objective": "multi:softprob", "num_class": 3}, "does not fit the model, which has no classes"),
        ({"num_class": 3}, "num_class=3 does not go with objective=binary:logistic"),
        ({"booster": "gblinear"}, "booster=gblinear does not fit the model, which consists of trees"),
    ],
)
def test_what_does_not_fit_is_refused(given: dict[str, Any], words: str) -> None:
    content = bytes(train({"objective": "binary:logistic"}, 2).save_raw())
    booster = kb.Booster(given)
    with pytest.raises(kb.ParameterError, match=words):
        booster.load_model(content)
    assert booster.num_boosted_rounds() == 0
    with pytest.raises(kb.ParameterError, match=words):
        kb.Booster(given, model_file=content).predict(DATA)


def test_copies_warn_of_nothing_again(caplog: pytest.LogCaptureFixture) -> None:
    booster = kb.Booster({"booster": "gblinear", "max_depth": 3}, [DATA])
    booster.update(DATA, 0)
    assert "max_depth" in caplog.text
    caplog.clear()
    pickle.loads(pickle.dumps(copy.copy(booster))).predict(DATA)
    assert "not used" not in caplog.text
    copied = copy.copy(booster)
    copied.set_param("max_leaves", 4)
    copied.predict(DATA)
    assert "max_leaves" in caplog.text


def test_configurations_come_back_as_they_were() -> None:
    booster = kb.Booster({"eta": 0.2}, model_file=train({"objective": "binary:logistic"}, 2).save_raw())
    config = booster.save_config()
    booster.load_config(config)
    assert booster.save_config() == config
    other = kb.Booster()
    other.load_config(config)
    assert learner_of(other)["objective"]["name"] == "binary:logistic"
