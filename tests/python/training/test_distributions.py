"""Training of objective=dist:..., its metrics and its model files, at every door."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import kauriboost as kb
import numpy as np
import pytest
from distribution_rows import NAMES, parameters_of, rows_of, train

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("strategy", ["multi_output_tree", "one_output_per_tree"])
def test_threads_and_runs_give_the_same_bytes(name: str, strategy: str) -> None:
    one, _ = train(name, multi_strategy=strategy, nthread=1)
    assert one.save_raw() == train(name, multi_strategy=strategy, nthread=3)[0].save_raw()


@pytest.mark.parametrize("strategy", ["multi_output_tree", "one_output_per_tree"])
@pytest.mark.parametrize("name", NAMES)
def test_no_round_makes_training_rows_much_less_likely(name: str, strategy: str) -> None:
    X, y = rows_of(name)
    data, found = kb.DMatrix(X, label=y), {}
    params = {"objective": f"dist:{name}", "max_depth": 3, "eta": 0.1, "multi_strategy": strategy}
    booster = kb.train(params, data, 60, evals=[(data, "rows")], evals_result=found, verbose_eval=False)
    losses = found["rows"]["nll"]
    assert max(losses) < losses[0] + 0.1
    assert losses[-1] < losses[0] - 0.01
    assert np.abs(booster.predict(data, output_margin=True)).max() < 50.0


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("form", ["json", "ubj"])
def test_a_file_names_the_distribution_in_an_attribute(name: str, form: str, tmp_path: Path) -> None:
    booster, data = train(name)
    path = tmp_path / f"model.{form}"
    booster.save_model(path)
    loaded = kb.Booster(model_file=path)
    np.testing.assert_array_equal(loaded.predict(data), booster.predict(data))
    assert loaded.save_raw() == booster.save_raw()
    learner = json.loads(booster.save_raw("json"))["learner"]
    assert learner["objective"]["name"] == "reg:squarederror"
    assert learner["learner_model_param"]["num_target"] == str(parameters_of(name))
    assert json.loads(learner["attributes"]["kauri_distribution"])["objective"] == f"dist:{name}"
    restored = pickle.loads(pickle.dumps(booster))
    assert restored.save_raw() == booster.save_raw()
    assert "nll" in restored.eval(data)


def test_training_continues_from_a_file() -> None:
    whole, data = train("gamma", 10)
    begun, _ = train("gamma", 4)
    loaded = kb.Booster({"max_depth": 3, "eta": 0.2})
    loaded.load_model(begun.save_raw())
    continued = kb.train({"max_depth": 3, "eta": 0.2}, data, 6, xgb_model=loaded, verbose_eval=False)
    assert continued.save_raw() == whole.save_raw()
    assert continued[:4].save_raw() == begun.save_raw()


def test_files_that_others_have_changed_are_refused_or_no_distribution() -> None:
    booster, data = train("normal")
    document = json.loads(booster.save_raw("json"))
    learner = document["learner"]

    def load(change: Callable[[], None]) -> kb.Booster:
        change()
        return kb.Booster(model_file=json.dumps(document).encode())

    attribute = json.loads(learner["attributes"]["kauri_distribution"])
    attribute["objective"] = "dist:student_t"
    with pytest.raises(kb.ModelError, match="has 3 outputs, but the model has 2"):
        load(lambda: learner["attributes"].update(kauri_distribution=json.dumps(attribute)))
    attribute["objective"] = "dist:cauchy"
    with pytest.raises(kb.ModelError, match="'dist:cauchy'; expected a distribution's"):
        load(lambda: learner["attributes"].update(kauri_distribution=json.dumps(attribute)))
    attribute.update(objective="dist:normal", trees=attribute["trees"][:-1])
    with pytest.raises(kb.ModelError, match="another library has trained the model further"):
        load(lambda: learner["attributes"].update(kauri_distribution=json.dumps(attribute)))
    raw = load(lambda: learner["attributes"].pop("kauri_distribution"))
    np.testing.assert_array_equal(raw.predict(data), booster.predict(data, output_margin=True))
    with pytest.raises(kb.ParameterError, match="kauri_distribution"):
        booster.set_attr(kauri_distribution="{}")


def test_xgboost_reads_the_file_as_raw_scores(tmp_path: Path) -> None:
    xgboost = pytest.importorskip("xgboost")
    X, _ = rows_of("student_t")
    for strategy in ("multi_output_tree", "one_output_per_tree"):
        booster, data = train("student_t", multi_strategy=strategy)
        for dialect in (None, "3.2"):
            booster.save_model(tmp_path / "model.json", **({} if dialect is None else {"dialect": dialect}))
            theirs = xgboost.Booster(model_file=str(tmp_path / "model.json"))
            found = theirs.predict(xgboost.DMatrix(X))
            np.testing.assert_allclose(found, booster.predict(data, output_margin=True), rtol=1e-5, atol=1e-6)
            theirs.save_model(str(tmp_path / "theirs.json"))
            again = kb.Booster(model_file=tmp_path / "theirs.json")
            np.testing.assert_array_equal(again.predict(data), booster.predict(data))


def test_old_dialects_are_refused() -> None:
    booster, _ = train("normal")
    with pytest.raises(kb.ParameterError, match="vector leaves"):
        booster.save_raw(dialect="1.7")
    with pytest.raises(kb.ParameterError, match="base scores that differ"):
        booster.save_raw(dialect="3.0")


WRONG = {
    "lognormal": (0.0, "above 0"),
    "gamma": (-1.0, "above 0"),
    "poisson": (1.5, "whole number of 0 or more"),
    "negative_binomial": (-1.0, "whole number of 0 or more"),
    "zero_inflated_gamma": (-0.5, "0 or more"),
}


@pytest.mark.parametrize("name", WRONG)
def test_labels_outside_the_support_are_refused_and_change_nothing(name: str) -> None:
    booster, data = train(name, 3)
    before = booster.save_raw()
    X, y = rows_of(name)
    value, words = WRONG[name]
    y[7] = value
    wrong = kb.DMatrix(X, label=y)
    with pytest.raises(kb.DataError, match=rf"dist:{name}: label .* of row 7 .*{words}"):
        booster.update(wrong, 3)
    with pytest.raises(kb.DataError, match=rf"nll: label .* of row 7 .*{words}"):
        booster.eval(wrong)
    with pytest.raises(kb.DataError, match="2 label columns"):
        booster.update(kb.DMatrix(X, label=np.ones((len(X), 2))), 3)
    assert booster.save_raw() == before
    booster.update(data, 3)
    assert booster.save_raw() == train(name, 4)[0].save_raw()


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"booster": "gblinear"}, "gblinear does not support objectives of whole distributions"),
        ({"booster": "adaboost"}, "booster=adaboost trains binary classifiers.*objective=dist:normal"),
        ({"tree_method": "exact"}, "tree_method=exact builds no trees with vector leaves"),
        ({"tree_method": "approx"}, "tree_method=approx builds no trees with vector leaves"),
        ({"linear_tree": 1}, "linear_tree=1 does not support leaves with several outputs"),
        ({"gradient_bits": 8}, "gradient_bits=8 does not support trees with several outputs"),
        ({"base_score": "[1,2,3]"}, "base_score"),
    ],
)
def test_what_does_not_go_together_is_refused(params: dict[str, Any], words: str) -> None:
    with pytest.raises(kb.ParameterError, match=words):
        train("normal", **params)


@pytest.mark.parametrize(
    "params",
    [
        {"booster": "dart", "rate_drop": 0.3},
        {"tree_method": "exact", "multi_strategy": "one_output_per_tree"},
        {"tree_method": "approx", "multi_strategy": "one_output_per_tree"},
        {"linear_tree": 1, "multi_strategy": "one_output_per_tree"},
        {"subsample": 0.7, "colsample_bynode": 0.5},
        {"grow_policy": "lossguide", "max_leaves": 5, "max_depth": 0},
        {"gradient_bits": 8, "multi_strategy": "one_output_per_tree"},
        {"num_parallel_tree": 2, "subsample": 0.5},
    ],
    ids=str,
)
def test_what_goes_together_learns(params: dict[str, Any]) -> None:
    booster, data = train("normal", 15, **params)
    start, _ = train("normal", 1, **params)
    assert float(booster.eval(data).split(":")[1]) < float(start.eval(data).split(":")[1])
    loaded = kb.Booster(model_file=booster.save_raw())
    np.testing.assert_array_equal(loaded.predict(data), booster.predict(data))


@pytest.mark.parametrize("strategy", ["multi_output_tree", "one_output_per_tree"])
@pytest.mark.parametrize("name", NAMES)
def test_constraints_keep_the_mean_monotone(name: str, strategy: str) -> None:
    booster, _ = train(name, 30, monotone_constraints="(1,0,-1,0)", multi_strategy=strategy)
    base = np.random.default_rng(9).normal(size=(30, 4)).astype(np.float32)
    for column, sign in ((0, 1), (2, -1)):
        steps = np.linspace(-3, 3, 60, dtype=np.float32)
        rows = np.repeat(base, 60, axis=0)
        rows[:, column] = np.tile(steps, 30)
        means = kb.distribution_of(booster, kb.DMatrix(rows)).mean.reshape(30, 60)
        assert np.all(np.diff(means, axis=1) * sign >= -1e-12 * np.abs(means[:, :-1]))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("dist:poisson", "dist:normal"),
        ("dist:normal", "dist:student_t"),
        ("dist:student_t", "dist:poisson"),
        ("dist:zero_inflated_gamma", "dist:gamma"),
        ("dist:normal", "dist:laplace"),
        ("reg:squarederror", "dist:normal"),
    ],
)
def test_an_objective_with_another_number_of_parameters_is_refused(before: str, after: str) -> None:
    X, y = rows_of("poisson")
    y += 1
    data = kb.DMatrix(X, label=y)
    booster = kb.train({"objective": before, "max_depth": 3}, data, 2, verbose_eval=False)
    expected = booster.predict(data)
    booster.set_param({"objective": after})
    words = rf"objective={after} (needs . outputs per row, and the model has|does not fit the model, which was trained)"
    for _ in range(2):
        with pytest.raises(kb.ParameterError, match=words):
            booster.predict(data)
    with pytest.raises(kb.ParameterError, match=words):
        booster.inplace_predict(X)
    with pytest.raises(kb.ParameterError, match=words):
        booster.eval(data)
    with pytest.raises(kb.KauriError, match=r"outputs|trained with"):
        booster.update(data, 2)
    with pytest.raises(kb.ParameterError, match=words):
        booster.save_raw()
    booster.set_param({"objective": before})
    np.testing.assert_array_equal(booster.predict(data), expected)


def test_base_scores_are_raw_scores() -> None:
    X, y = rows_of("gamma")
    data = kb.DMatrix(X, label=y)
    for base_score, expected in (("[1,2]", [np.e, np.e**2]), (0.5, [np.exp(0.5)] * 2)):
        params = {"objective": "dist:gamma", "base_score": base_score, "eta": 0.0}
        np.testing.assert_allclose(kb.train(params, data, 1, verbose_eval=False).predict(data)[0], expected, rtol=1e-6)


def test_metrics_need_a_distribution() -> None:
    X, y = rows_of("normal")
    for metric in ("nll", "crps"):
        with pytest.raises(kb.ParameterError, match=f"metric {metric} scores a whole distribution"):
            kb.train({"eval_metric": metric}, kb.DMatrix(X, label=y), 1, verbose_eval=False)
    booster, _ = train("normal")
    with pytest.raises(kb.ParameterError, match="predicts no distribution"):
        kb.distribution_of(kb.train({}, kb.DMatrix(X, label=y), 1, verbose_eval=False), X)
    booster.set_param({"eval_metric": "rmse"})
    with pytest.raises(kb.DataError, match="2 predictions per row"):
        booster.eval(kb.DMatrix(X, label=y))


def test_degenerate_labels_train() -> None:
    X = np.random.default_rng(0).normal(size=(60, 2)).astype(np.float32)
    for name, value in (
        ("normal", 3.0),
        ("gamma", 2.0),
        ("poisson", 0.0),
        ("zero_inflated_gamma", 0.0),
        ("student_t", 0.0),
    ):
        data = kb.DMatrix(X, label=np.full(60, value, np.float32))
        booster = kb.train({"objective": f"dist:{name}"}, data, 5, verbose_eval=False)
        assert np.all(np.isfinite(booster.predict(data)))


def test_the_program_trains_evaluates_and_predicts(tmp_path: Path) -> None:
    program = Path(os.environ.get("KAURI_BUILD_DIR", ROOT / "build")) / "bin" / "kauri"
    if not program.exists():
        pytest.skip("the program kauri is not built")
    X, y = rows_of("gamma")
    np.savetxt(tmp_path / "rows.csv", np.column_stack([y, X]), delimiter=",", fmt="%.9g")
    source = f"{tmp_path}/rows.csv?format=csv&label_column=0"
    common = [f"model_out={tmp_path}/model.json", "objective=dist:gamma", "max_depth=3", "eta=0.2", "num_round=8"]
    told = subprocess.run(
        [program, "train", f"data={source}", f"eval[rows]={source}", "eval_metric=crps", *common],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "rows-crps:" in told.stderr + told.stdout
    subprocess.run(
        [program, "pred", f"model_in={tmp_path}/model.json", f"test:data={source}", f"name_pred={tmp_path}/out.txt"],
        capture_output=True,
        text=True,
        check=True,
    )
    booster, data = train("gamma")
    numbers = np.loadtxt(tmp_path / "out.txt").reshape(-1, 2)  # the program writes a number a line
    np.testing.assert_allclose(numbers, booster.predict(data), rtol=1e-5)
