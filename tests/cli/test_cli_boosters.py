"""The boosters dart, gblinear and adaboost, and objectives of distributions, from the command line."""

from __future__ import annotations

import json

import kauriboost as kb
import numpy as np
import pytest
import xgboost
from cli_program import Kauri
from sklearn.datasets import load_svmlight_file
from sklearn.ensemble import AdaBoostClassifier
from sklearn.tree import DecisionTreeClassifier

BOOSTERS = {
    "dart": ["booster=dart", "rate_drop=0.4", "one_drop=1", "max_depth=2", "eta=1"],
    "gblinear": ["booster=gblinear", "updater=coord_descent", "feature_selector=thrifty", "eta=1"],
}


@pytest.mark.parametrize("name", BOOSTERS)
def test_early_stopping_saves_the_model_of_its_best_round(kauri: Kauri, name: str) -> None:
    """Later rounds change the weights of earlier trees, or all weights; the file has the weights of the best round."""
    watch = [f"eval[test]={kauri.test_uri}", "early_stopping_rounds=2", "num_round=60", "eval_metric=error"]
    done = kauri.train(*BOOSTERS[name], *watch)
    stopped = json.loads((kauri.folder / "model.json").read_text())["learner"]
    best = int(stopped["attributes"]["best_iteration"])
    assert best < len(done.out.splitlines()) - 1
    kauri.train(*BOOSTERS[name], f"num_round={best + 1}")
    exact = json.loads((kauri.folder / "model.json").read_text())["learner"]
    assert stopped["gradient_booster"] == exact["gradient_booster"]
    assert stopped["gradient_booster"]["name"] == name


@pytest.mark.parametrize("name", BOOSTERS)
def test_predictions_are_those_of_the_peer(kauri: Kauri, name: str) -> None:
    kauri.train(*BOOSTERS[name])
    features, _ = load_svmlight_file(kauri.test_uri.split("?")[0], zero_based=True)
    booster = xgboost.Booster(model_file=str(kauri.folder / "model.json"))
    expected = booster.predict(xgboost.DMatrix(features), output_margin=True)
    np.testing.assert_allclose(kauri.predict("pred_margin=1"), expected, rtol=2e-6)


def test_parameters_that_drop_make_gbtree_dart(kauri: Kauri) -> None:
    models = []
    for booster in (["booster=dart"], ["booster=gbtree"], []):
        kauri.train("rate_drop=0.4", "max_depth=2", *booster)
        models.append((kauri.folder / "model.json").read_bytes())
    assert models[1] == models[0]
    assert models[2] == models[0]
    assert len(json.loads(models[0])["learner"]["gradient_booster"]["weight_drop"]) > 1


def test_help_lists_the_boosters(kauri: Kauri) -> None:
    text = kauri.run("help", "all").out
    for name in ("booster dart", "rate_drop", "booster gblinear", "feature_selector", "adaboost"):
        assert name in text


VOTES = ["booster=adaboost", "objective=binary:logitraw", "max_depth=1"]


def test_adaboost_learns_what_scikit_learn_learns(kauri: Kauri) -> None:
    done = kauri.train(*VOTES, "num_round=20", f"eval[train]={kauri.train_uri}", "eval_metric=error@0")
    rows, labels = load_svmlight_file(kauri.train_uri.split("?")[0], zero_based=True)
    stump = DecisionTreeClassifier(max_depth=1)
    theirs = AdaBoostClassifier(stump, n_estimators=20, random_state=0).fit(rows.toarray(), labels)
    model = json.loads((kauri.folder / "model.json").read_text())["learner"]
    assert model["gradient_booster"]["name"] == "gbtree"  # XGBoost can read it
    trees = model["gradient_booster"]["model"]["trees"]
    steps = [abs(tree["split_conditions"][-1]) for tree in trees]
    np.testing.assert_allclose(2 * np.array(steps), theirs.estimator_weights_, rtol=1e-4)
    wrong = float(done.out.splitlines()[-1].rsplit(":", 1)[1])
    assert wrong == pytest.approx(np.mean(theirs.predict(rows.toarray()) != labels), abs=1e-5)


@pytest.mark.parametrize("method", ["exact", "hist", "approx"])
def test_adaboost_goes_on_and_predicts(kauri: Kauri, method: str) -> None:
    more = [f"tree_method={method}", "max_depth=2"]
    kauri.train(*VOTES, *more, "num_round=9")
    whole = (kauri.folder / "model.json").read_bytes()
    kauri.train(*VOTES, *more, "num_round=4", "model_out=first.json")
    kauri.train(*VOTES, *more, "model_in=first.json", "num_round=5")
    assert (kauri.folder / "model.json").read_bytes() == whole
    features, _ = load_svmlight_file(kauri.test_uri.split("?")[0], zero_based=True)
    expected = xgboost.Booster(model_file=str(kauri.folder / "model.json")).predict(xgboost.DMatrix(features))
    np.testing.assert_allclose(kauri.predict(), expected, rtol=2e-6)


def test_a_model_of_adaboost_goes_on_without_its_name(kauri: Kauri) -> None:
    data = [f"data={kauri.train_uri}", "max_depth=2"]
    kauri.run(*data, *VOTES[:2], "num_round=9", "model_out=whole.json")
    kauri.run(*data, *VOTES[:2], "num_round=4", "model_out=first.json")
    kauri.run(*data, "model_in=first.json", "num_round=5", "model_out=model.json")
    assert (kauri.folder / "model.json").read_bytes() == (kauri.folder / "whole.json").read_bytes()


def test_a_base_score_that_takes_the_place_of_the_models_is_said(kauri: Kauri) -> None:
    kauri.train("base_score=0.25")
    going_on = [f"data={kauri.train_uri}", "model_in=model.json", "num_round=1", "model_out=next.json"]
    words = "was set, and takes the place of 0.25, which the model was trained with"
    assert f"base_score=0.75 {words}" in kauri.run(*going_on, "base_score=0.75").err
    assert words not in kauri.run(*going_on, "base_score=0.25").err
    assert words not in kauri.run(*going_on).err


def test_what_is_set_takes_the_place_of_what_the_model_says(kauri: Kauri) -> None:
    kauri.train()
    words = "objective=binary:logitraw was set, and takes the place of binary:logistic"
    probabilities, margins = np.array(kauri.predict()), np.array(kauri.predict("objective=binary:logitraw"))
    steps = margins - np.log(probabilities / (1 - probabilities))  # the base score is on the scale of predictions
    np.testing.assert_allclose(steps, steps[0], atol=1e-5)
    predicting = ["task=pred", "model_in=model.json", f"test:data={kauri.test_uri}"]
    assert words in kauri.run(*predicting, "objective=binary:logitraw").err
    assert words not in kauri.run(*predicting, "objective=binary:logistic").err
    failed = kauri.run(*predicting, "objective=multi:softprob", "num_class=3", status=1)
    assert "does not fit the model, which has no classes" in failed.err


def test_lost_rounds_of_an_update_are_said(kauri: Kauri) -> None:
    kauri.train("model_out=first.json")
    update = ["model_in=first.json", "process_type=update", "updater=refresh"]
    words = "process_type=update has changed 2 of the model's 5 rounds"
    assert words in kauri.train(*update, "num_round=2").err
    assert "process_type" not in kauri.train(*update, "num_round=5").err


def test_a_value_that_an_estimator_called_missing_is_said(kauri: Kauri) -> None:
    kauri.train()
    booster = xgboost.Booster(model_file=str(kauri.folder / "model.json"))
    booster.set_attr(kauri_missing="-999.0")
    booster.save_model(kauri.folder / "model.json")
    done = kauri.run("task=pred", "model_in=model.json", f"test:data={kauri.test_uri}")
    assert "learnt from tables in which -999.0 means a missing value; here it is a number" in done.err


@pytest.mark.parametrize(("name", "more"), [("dart", "rate_drop=0.9"), ("gbtree", "eta=0.3")])
def test_the_booster_that_goes_on_is_the_one_that_is_asked_for(kauri: Kauri, name: str, more: str) -> None:
    kauri.train("num_round=3", "model_out=first.json")
    kauri.train("model_in=first.json", "num_round=3", f"booster={name}", more)
    model = json.loads((kauri.folder / "model.json").read_text())["learner"]["gradient_booster"]
    assert model["name"] == name
    failed = kauri.run(
        f"data={kauri.train_uri}", "model_in=first.json", "objective=multi:softprob", "num_class=3", status=1
    )
    assert "multi:softprob" in failed.err


def test_adaboost_stops_early(kauri: Kauri) -> None:
    watch = [f"eval[test]={kauri.test_uri}", "early_stopping_rounds=4", "num_round=300", "eval_metric=error@0"]
    done = kauri.train(*VOTES, *watch)
    model = json.loads((kauri.folder / "model.json").read_text())["learner"]
    best = int(model["attributes"]["best_iteration"])
    assert best < len(done.out.splitlines()) - 1 < 299
    assert len(model["gradient_booster"]["model"]["trees"]) == best + 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["objective=binary:logistic"], "objective=binary:logistic is not supported: set objective=binary:logitraw"),
        (["lambda=1"], "lambda=1 shrinks leaf values"),
        (["subsample=0.5"], "subsample=0.5"),
        (["num_parallel_tree=3"], "num_parallel_tree=3"),
    ],
)
def test_adaboost_refuses(kauri: Kauri, arguments: list[str], words: str) -> None:
    given = [f"data={kauri.train_uri}", *VOTES, "tree_method=exact", "num_round=3", "model_out=model.json"]
    failed = kauri.run(*given, *arguments, status=1)
    assert words in failed.err
    assert not (kauri.folder / "model.json").exists()


def test_vector_leaves(kauri: Kauri) -> None:
    """Train one tree per round for all classes, from a configuration file."""
    classes = "objective = multi:softprob\nnum_class = 2\nmulti_strategy = multi_output_tree\ntree_method = hist\n"
    kauri.write("train.conf", f"data = '{kauri.train_uri}'\nnum_round = 4\nmodel_out = model.json\n" + classes)
    kauri.run("train.conf")
    model = json.loads((kauri.folder / "model.json").read_text())["learner"]["gradient_booster"]["model"]
    assert [tree["tree_param"]["size_leaf_vector"] for tree in model["trees"]] == ["2"] * 4
    features, _ = load_svmlight_file(kauri.test_uri.split("?")[0], zero_based=True)
    expected = xgboost.Booster(model_file=str(kauri.folder / "model.json")).predict(xgboost.DMatrix(features))
    kauri.run("task=pred", "model_in=model.json", f"test:data={kauri.test_uri}")
    found = np.loadtxt(kauri.folder / "pred.txt")
    np.testing.assert_allclose(found.reshape(expected.shape), expected, rtol=2e-6)


@pytest.mark.parametrize("method", ["exact", "hist", "approx"])
def test_rows_in_leaves_of_drawn_and_smoothed_trees(kauri: Kauri, method: str) -> None:
    kauri.train(f"tree_method={method}", "min_data_in_leaf=40", "extra_trees=1", "path_smooth=3", "max_depth=6")
    features, _ = load_svmlight_file(kauri.train_uri.split("?")[0], zero_based=True)
    booster = xgboost.Booster(model_file=str(kauri.folder / "model.json"))
    leaves = booster.predict(xgboost.DMatrix(features), pred_leaf=True)
    assert min(np.unique(tree, return_counts=True)[1].min() for tree in leaves.T) >= 40
    text = kauri.run("help", "all").out
    for name in ("min_data_in_leaf", "extra_trees", "path_smooth"):
        assert name in text


def test_rounded_gradients(kauri: Kauri) -> None:
    def model(*more: str) -> bytes:
        kauri.train("tree_method=hist", "max_depth=4", *more)
        return (kauri.folder / "model.json").read_bytes()

    plain, eight, four = model(), model("gradient_bits=8"), model("gradient_bits=4", "nthread=1")
    assert len({plain, eight, four}) == 3
    assert model("gradient_bits=4", "nthread=3") == four
    assert "gradient_bits" in kauri.run("help", "all").out


@pytest.mark.parametrize("method", ["exact", "hist", "approx"])
def test_noise_on_gains(kauri: Kauri, method: str) -> None:
    def model(*more: str) -> bytes:
        kauri.train(f"tree_method={method}", "max_depth=4", *more)
        return (kauri.folder / "model.json").read_bytes()

    noisy = model("random_strength=3", "nthread=1")
    assert noisy == model("random_strength=3", "nthread=2")
    assert noisy != model("random_strength=0")
    assert "random_strength" in kauri.run("help", "all").out
    failed = kauri.run(f"data={kauri.train_uri}", "random_strength=-1", status=1)
    assert "random_strength" in failed.err


@pytest.mark.parametrize("method", ["exact", "hist", "approx"])
def test_columns_that_cost_too_much_are_not_used(kauri: Kauri, method: str) -> None:
    costs = ",".join("0" if column % 3 == 0 else "1e6" for column in range(30))
    kauri.write("costs.conf", f"feature_cost = ({costs})\n")
    kauri.run("costs.conf", f"data={kauri.train_uri}", f"tree_method={method}", "num_round=5", "model_out=model.json")
    trees = json.loads((kauri.folder / "model.json").read_text())["learner"]["gradient_booster"]["model"]["trees"]
    splits = [
        column
        for tree in trees
        for column, left in zip(tree["split_indices"], tree["left_children"], strict=True)
        if left != -1
    ]
    assert len(splits) > 10
    assert all(column % 3 == 0 for column in splits)
    failed = kauri.run(f"data={kauri.train_uri}", "feature_cost=(1,2)", status=1)
    assert "feature_cost has 2 values, the data have 30 features" in failed.err


def test_constraints_of_a_distribution_are_those_of_python(kauri: Kauri) -> None:
    """The mean obeys them, and the scale is free."""
    rng = np.random.default_rng(3)
    X = rng.uniform(-2, 2, size=(1000, 2)).astype(np.float32)
    y = (X[:, 0] + np.exp(-X[:, 0]) * rng.normal(size=1000)).astype(np.float32)
    kb.DMatrix(X, label=y).save_binary(kauri.folder / "rows.bin")
    params = {"objective": "dist:normal", "monotone_constraints": "(1,0)", "max_depth": 3}
    booster = kb.train(params, kb.DMatrix(X, label=y), 20, verbose_eval=False)
    words = [f"{name}={value}" for name, value in params.items()]
    kauri.run("data=rows.bin", *words, "num_round=20", "model_out=model.json")
    learnt = json.loads((kauri.folder / "model.json").read_bytes())
    assert learnt["learner"]["gradient_booster"] == json.loads(booster.save_raw("json"))["learner"]["gradient_booster"]
    places = np.column_stack([np.linspace(-1.9, 1.9, 50), np.zeros(50)])
    kb.DMatrix(places).save_binary(kauri.folder / "places.bin")
    kauri.run("task=pred", "model_in=model.json", "test:data=places.bin")
    mean, scale = np.loadtxt(kauri.folder / "pred.txt").reshape(50, 2).T
    assert np.all(np.diff(mean) >= 0)
    assert scale[0] > 4 * scale[-1]
