"""distill: students come close to known functions, teachers are checked, and the result is an ordinary model.

Longer than 400 lines: the tests share a few teachers, which are defined here.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import kauriboost as kb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from distill_teachers import (
    FEW,
    NAMES,
    NEW,
    RNG,
    Named,
    X,
    broken,
    chances,
    divergence,
    frame,
    numbers,
    of_frame,
    r2,
    raw,
    second,
)


def test_a_function_of_numbers_is_copied() -> None:
    found = kb.distill(numbers, X, rounds=400)
    assert found.classes_ is None
    assert found.metric == "r2"
    reached = r2(found.predict(NEW), numbers(NEW))
    assert reached > 0.93
    assert found.fidelity > 0.85
    alone = kb.distill(numbers, X, rounds=400, n_synthetic=0)
    assert reached > r2(alone.predict(NEW), numbers(NEW)) + 0.02  # synthetic rows pay
    assert found.n_rows == 500 + 20_000
    assert found.n_calls == 1 + 2


def test_probabilities_of_two_classes_are_copied() -> None:
    found = kb.distill(second, X, kind="probabilities", rounds=200)
    truth = np.column_stack([1 - second(NEW), second(NEW)])
    predicted = found.predict_proba(NEW)
    assert predicted.shape == (400, 2)
    assert divergence(predicted, truth) < 0.02
    assert np.abs(predicted[:, 1] - second(NEW)).mean() < 0.06
    assert found.metric == "divergence"
    assert json.loads(found.booster.save_config())["learner"]["objective"]["name"] == "binary:logistic"
    assert set(found.predict(NEW)) == {0, 1}


def test_probabilities_of_several_classes_are_copied() -> None:
    found = kb.distill(Named(), X, n_synthetic=8000, rounds=150)
    predicted = found.predict_proba(NEW)
    np.testing.assert_allclose(predicted.sum(axis=1), 1, atol=1e-5)
    reached = divergence(predicted, chances(NEW))
    assert reached < 0.05
    assert 0 < found.fidelity < 3 * reached
    shares = chances(X).mean(axis=0)
    assert reached < 0.2 * divergence(np.tile(shares, (400, 1)), chances(NEW))
    assert np.mean(found.predict(NEW) == Named().predict(NEW)) > 0.85


def test_classes_without_a_chance() -> None:
    def sure(rows: Any) -> np.ndarray:
        return np.eye(3)[chances(rows).argmax(axis=1)]

    found = kb.distill(sure, X, kind="probabilities", **FEW)
    predicted = found.predict_proba(NEW)
    assert np.isfinite(predicted).all()
    assert np.mean(predicted.argmax(axis=1) == chances(NEW).argmax(axis=1)) > 0.8
    assert np.isfinite(found.fidelity)


def test_labels_of_several_classes_keep_their_shares() -> None:
    shares = np.array([0.7, 0.2, 0.1])
    y = np.random.default_rng(5).choice(3, len(X), p=shares)
    few: dict[str, Any] = {"n_synthetic": 0, "rounds": 20}
    found = kb.distill(lambda rows: np.tile(shares, (len(rows), 1)), X, y, kind="probabilities", label_weight=1, **few)
    np.testing.assert_allclose(found.predict_proba(NEW).mean(axis=0), shares, atol=0.08)


def test_a_student_of_a_student_is_one() -> None:
    first = kb.distill(numbers, X, **FEW)
    again = kb.distill(first, X, **FEW)
    assert r2(again.predict(NEW), first.predict(NEW)) > 0.9
    assert kb.distill(kb.distill(Named(), X, **FEW), X, **FEW).classes_.tolist() == NAMES.tolist()


def test_the_same_bytes_whatever_threads_and_batches() -> None:
    for teacher in (numbers, Named()):
        first = raw(kb.distill(teacher, X, **FEW, nthread=1))
        for nthread, batch_rows in ((2, 10_000), (5, 333), (1, 2499)):
            assert raw(kb.distill(teacher, X, **FEW, nthread=nthread, batch_rows=batch_rows)) == first
        assert raw(kb.distill(teacher, X, **FEW, seed=1)) != first


def test_batches_have_the_stated_size() -> None:
    teacher = Named()
    found = kb.distill(teacher, X, **FEW, batch_rows=300)
    assert teacher.calls == [300, 200] + [300] * 6 + [200]
    assert (found.n_calls, found.n_rows) == (9, 2500)


def test_saved_loaded_explained_and_exported(tmp_path: Path) -> None:
    found = kb.distill(Named(), pd.DataFrame(X, columns=list("abcd")), **FEW)
    rows = pd.DataFrame(NEW[:20], columns=list("abcd"))
    found.save_model(tmp_path / "student.ubj")
    loaded = kb.Booster(model_file=tmp_path / "student.ubj")
    assert np.array_equal(loaded.predict(kb.DMatrix(rows)), found.predict_proba(rows))
    assert json.loads(loaded.attr("kauri_classes"))["values"] == NAMES.tolist()
    why = kb.explain(found, rows)
    margins = found.booster.predict(kb.DMatrix(rows), output_margin=True)
    np.testing.assert_allclose(why.values.sum(axis=1) + why.base_values, margins, atol=1e-4)
    of_loaded = kb.explain(loaded, rows)
    assert np.array_equal(of_loaded.values, why.values)
    estimator = kb.KauriClassifier()
    estimator.load_model(tmp_path / "student.ubj")
    assert estimator.predict(rows).tolist() == found.predict(rows).tolist()
    of_numbers = kb.distill(numbers, X, **FEW)
    of_numbers.export(tmp_path / "student.c")
    assert (tmp_path / "student.c").stat().st_size > 1000


def test_frames_reach_the_teacher_as_they_are() -> None:
    given = frame(400, 0)
    before = given.copy()
    seen: list[pd.DataFrame] = []

    def teacher(rows: pd.DataFrame) -> np.ndarray:
        seen.append(rows)
        return of_frame(rows)

    found = kb.distill(teacher, given, n_synthetic=3000, rounds=300, batch_rows=1000)
    assert all((rows.dtypes == given.dtypes).all() and list(rows) == list(given) for rows in seen)
    made = pd.concat(seen[1:], ignore_index=True)
    assert len(made) == 3000
    for name in given:
        assert set(made[name].dropna()) <= set(given[name].dropna())
    assert made["n"].isna().mean() > 0.1
    pd.testing.assert_frame_equal(given, before)
    new = frame(300, 1)
    assert r2(found.predict(new), of_frame(new)) > 0.95
    assert found.booster.feature_types == ["float", "int", "c", "c"]


def test_polars_arrow_and_lists() -> None:
    columns = {f"f{i}": X[:, i] for i in range(4)}
    expected = raw(kb.distill(lambda rows: numbers(rows.to_numpy()), pd.DataFrame(columns), **FEW))
    for given in (pl.DataFrame(columns), pl.LazyFrame(columns)):
        found = kb.distill(lambda rows: numbers(rows.to_numpy()), given, **FEW)
        assert raw(found) == expected
    arrow = kb.distill(lambda rows: numbers(rows.to_pandas()), pa.table(columns), **FEW)
    assert raw(arrow) == expected
    of_array = kb.distill(numbers, X, **FEW)
    assert raw(kb.distill(numbers, X.tolist(), **FEW)) == raw(of_array)
    named = pl.DataFrame({"a": X[:, 0], "c": np.where(X[:, 1] > 0, "up", "down")}).with_columns(
        pl.col("c").cast(pl.Categorical)
    )
    found = kb.distill(lambda rows: rows["a"].to_numpy() + 3.0 * (rows["c"] == "up").to_numpy(), named, **FEW)
    assert found.fidelity > 0.9
    assert found.predict(named[:3]).shape == (3,)


def test_codes_of_categories_in_an_array() -> None:
    codes = RNG.integers(0, 6, size=500)
    effects = np.array([4.0, -1, 3, -4, 0, 2])
    rows = np.column_stack([codes, X[:, 0]])
    found = kb.distill(lambda rows: effects[rows[:, 0].astype(int)], rows, feature_types=["c", "q"], **FEW)
    assert found.fidelity > 0.95


def test_more_rows_help() -> None:
    few, more = X[:60], X[60:]
    truth = numbers(NEW)
    alone = kb.distill(numbers, few, n_synthetic=4000, rounds=200)
    with_more = kb.distill(numbers, few, X_more=more, n_synthetic=4000, rounds=200)
    assert r2(with_more.predict(NEW), truth) > r2(alone.predict(NEW), truth) + 0.05
    assert with_more.n_rows == 500 + 4000
    given = frame(100, 0)
    with pytest.raises(kb.DataError, match=r"columns of X and X_more differ: 'a' of type .*float64.* in X"):
        kb.distill(of_frame, given, X_more=given.assign(a=1))
    with pytest.raises(kb.DataError, match="a DataFrame and X_more a ndarray"):
        kb.distill(of_frame, given, X_more=X)
    with pytest.raises(kb.DataError, match="differ: 4 and 3 of them"):
        kb.distill(numbers, X, X_more=X[:, :3])


def test_labels_correct_a_wrong_teacher() -> None:
    y = numbers(X)
    biased = kb.distill(lambda rows: numbers(rows) + 4 * (np.asarray(rows)[:, 3] > 0), X, y, **FEW)
    assert biased.label_weight > 0
    right = kb.distill(numbers, X, y + RNG.normal(scale=3, size=len(y)), **FEW)
    assert right.label_weight == 0
    fixed = kb.distill(numbers, X, y, label_weight=0.25, **FEW)
    assert fixed.label_weight == 0.25
    assert raw(kb.distill(numbers, X, y, label_weight=0, **FEW)) == raw(kb.distill(numbers, X, **FEW))
    named = kb.distill(Named(), X, Named().predict(X), label_weight=0.5, **FEW)
    assert set(named.predict(X)) == set(NAMES)
    with pytest.raises(kb.ParameterError, match=r"label_weight is 2; expected 0 to 1"):
        kb.distill(numbers, X, y, label_weight=2, **FEW)


def test_a_failing_teacher_changes_nothing_and_is_heard() -> None:
    given = frame(50, 0)
    before = given.copy()
    calls = []

    def failing(rows: pd.DataFrame) -> np.ndarray:
        calls.append(len(rows))
        if len(calls) == 3:
            raise OSError("the service is gone")
        return of_frame(rows)

    with pytest.raises(OSError, match="the service is gone"):
        kb.distill(failing, given, n_synthetic=100, batch_rows=25)
    assert calls == [25, 25, 25]
    pd.testing.assert_frame_equal(given, before)


CASES: dict[str, tuple[Any, dict[str, Any], str]] = {
    "short": (broken(lambda n: np.zeros(n - 1)), {}, r"returned shape \(499,\) for 500 rows; expected \(500,\)"),
    "a number": (broken(lambda n: 1.0), {}, r"returned shape \(\) for 500 rows"),
    "a table": (broken(lambda n: np.zeros((n, 3))), {}, r"shape \(500, 3\).*kind=\"probabilities\""),
    "missing": (broken(lambda n: np.full(n, np.nan)), {}, "returned nan for a row; a student learns from finite"),
    "endless": (broken(lambda n: np.full(n, -np.inf)), {}, "returned -inf for a row"),
    "texts": (broken(lambda n: np.full(n, "cat")), {}, "<U3 instead of numbers; a teacher of classes needs"),
    "truths": (broken(lambda n: np.full(n, True)), {}, "bool instead of numbers"),
    "nothing": (broken(lambda n: None), {}, "returned object instead of numbers"),
    "margins": (broken(lambda n: np.full(n, 2.5)), {"kind": "probabilities"}, "returned 2.5 as a probability"),
    "negative": (broken(lambda n: np.full((n, 2), [-1, 2])), {"kind": "probabilities"}, "returned -1 as a probab"),
    "sums": (broken(lambda n: np.full((n, 3), 0.5)), {"kind": "probabilities"}, "sum to 1.5 in a row; expected 1"),
    "a cube": (broken(lambda n: np.ones((n, 2, 2))), {"kind": "probabilities"}, r"\(500,\) or \(500, n_classes\)"),
    "alone": (broken(lambda n: np.ones((n, 1))[:, :0]), {"kind": "probabilities"}, r"returned shape \(500, 0\)"),
    "other labels": (Named(), {"y": np.repeat(["ape", "dog"], 250)}, "y holds 'dog', which is not among"),
    "few labels": (numbers, {"y": np.zeros(3)}, r"y has shape \(3,\), X 500 rows"),
    "labels of text": (numbers, {"y": np.repeat(["ape", "dog"], 250)}, "y holds values that are not finite numbers"),
    "labels missing": (numbers, {"y": np.full(500, np.nan)}, "y holds values that are not finite numbers"),
    "unknown kind": (numbers, {"kind": "odds"}, "kind is 'odds'; expected 'probabilities', 'numbers' or None"),
    "no teacher": (7, {}, "the teacher is a int without predict; pass a fitted model"),
    "a class": (Named, {}, "the teacher is a type without predict_proba; pass a fitted model"),
    "no batch": (numbers, {"batch_rows": 0}, "batch_rows is 0"),
    "no rounds": (numbers, {"rounds": 0}, "rounds is 0"),
    "no count": (numbers, {"n_synthetic": -1}, "n_synthetic is -1; expected 0 or more"),
    "objective": (numbers, {"params": {"objective": "binary:logistic"}}, "objective"),
    "metric": (Named(), {"params": {"eval_metric": "merror"}}, "params has 'eval_metric'; leave it out: the agreement"),
    "no metric": (numbers, {"params": {"disable_default_eval_metric": 1}}, "params has 'disable_default_eval_metric'"),
    "classes": (Named(), {"params": {"num_class": 5}}, "params has 'num_class'; leave it out"),
    "quantiles": (
        numbers,
        {"params": {"objective": "reg:quantileerror", "quantile_alpha": [0.1, 0.9]}},
        r"quantile_alpha is \[0.1, 0.9\]; expected one number",
    ),
    "dart": (numbers, {"params": {"booster": "dart"}}, "booster is 'dart'.*takes gbtree"),
    "linear": (numbers, {"params": {"booster": "gblinear"}}, "booster is 'gblinear'.*takes gbtree"),
    "seed": (numbers, {"seed": -1}, "seed is -1; expected 0 or more"),
    "half a seed": (numbers, {"seed": 1.5}, "seed is 1.5; expected a whole number"),
    "weight alone": (numbers, {"label_weight": 0.5}, "label_weight is 0.5 without labels; pass y"),
    "weight of text": (numbers, {"y": X[:, 0], "label_weight": "a"}, "label_weight is 'a'; expected 0 to 1"),
    "booster": (kb.Booster(), {}, r"the teacher is a Booster, which predicts a DMatrix; pass .*DMatrix\(rows\)"),
    "vast": (broken(lambda n: np.arange(n) * 1e300), {}, r"returned 1.999e\+303, and a student predicts float32"),
    "tiny": (broken(lambda n: np.arange(n) * 1e-300), {}, r"numbers with the deviation 6.0\d*e-298, and a student"),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_refused_in_words(name: str) -> None:
    teacher, more, words = CASES[name]
    with pytest.raises((kb.DataError, kb.ParameterError)) as raised:
        kb.distill(teacher, X, **{**FEW, **more})
    assert re.search(words, str(raised.value)), raised.value


def test_a_teacher_that_changes_its_mind() -> None:
    def teacher(rows: np.ndarray) -> np.ndarray:
        return np.full((len(rows), 2 if len(rows) == 500 else 4), 0.5 if len(rows) == 500 else 0.25)

    with pytest.raises(kb.DataError, match="returned 4 columns after 2"):
        kb.distill(teacher, X, kind="probabilities", **FEW)


def test_rows_that_no_teacher_takes() -> None:
    from scipy.sparse import csr_matrix

    for given, words in (
        (kb.DMatrix(X), "X is a DMatrix"),
        (csr_matrix(X), r"pass its toarray\(\)"),
        (X[0], "expected rows and columns"),
        (X[:0], "0 rows"),
        (X[:1], "1 row; pass at least two"),
    ):
        with pytest.raises(kb.DataError, match=words):
            kb.distill(numbers, given, **FEW)
    with pytest.raises(TypeError, match="unexpected argument 'weight'"):
        kb.distill(numbers, X, weight=np.ones(500))
    with pytest.raises(kb.ParameterError, match="X has names of its own; rename its columns"):
        kb.distill(of_frame, frame(100, 0), feature_names=list("wxyz"))


def test_two_rows_and_constant_results() -> None:
    found = kb.distill(lambda rows: np.full(len(rows), 7.0), X[:2], n_synthetic=10, rounds=5)
    assert np.allclose(found.predict(NEW), 7)
    sure = kb.distill(lambda rows: np.ones(len(rows)), X[:50], kind="probabilities", n_synthetic=10, rounds=5)
    assert (sure.predict_proba(NEW)[:, 1] > 0.5).all()


def test_missing_values_and_names_hold_for_rows_to_predict(tmp_path: Path) -> None:
    def with_gaps(rows: np.ndarray) -> np.ndarray:
        return numbers(np.where(np.asarray(rows) == -999, 2.0, rows))

    rng = np.random.default_rng(4)
    given, new = (np.where(rng.random(rows.shape) < 0.2, -999, rows) for rows in (X, NEW))
    names = ["one", "two", "three", "four"]
    found = kb.distill(with_gaps, given, missing=-999, feature_names=names, **FEW)
    predicted = found.predict(new)
    marked = kb.DMatrix(new, missing=-999, feature_names=names)
    assert np.array_equal(predicted, found.booster.predict(marked))
    assert np.array_equal(found.predict(marked), predicted)
    assert np.array_equal(found.predict(pd.DataFrame(new, columns=names)), predicted)
    assert r2(predicted, with_gaps(new)) > 0.7
    with pytest.raises(kb.DataError, match="four"):
        found.predict(pd.DataFrame(new, columns=names)[names[::-1]])
    gaps = np.where(new == -999, np.nan, new)
    assert np.array_equal(kb.explain(found, new[:9]).values, kb.explain(found, gaps[:9]).values)
    found.save_model(tmp_path / "student.ubj")
    estimator = kb.KauriRegressor()
    estimator.load_model(tmp_path / "student.ubj")
    assert estimator.missing == -999
    assert np.array_equal(estimator.predict(pd.DataFrame(new, columns=names)), predicted)


def test_types_of_an_array_hold_for_rows_to_predict() -> None:
    rows = np.column_stack([RNG.integers(0, 6, size=500), X[:, 0]])
    found = kb.distill(lambda given: given[:, 0] % 2, rows, feature_types=["c", "q"], **FEW)
    typed = kb.DMatrix(rows, feature_types=["c", "q"])
    assert np.array_equal(found.predict(rows), found.booster.predict(typed))


@pytest.mark.parametrize("result", [3.3, 0.0, -1e20, 1e-20])
def test_fidelity_to_a_constant(result: float) -> None:
    found = kb.distill(lambda rows: np.full(len(rows), result), X[:50], n_synthetic=100, rounds=5)
    assert found.fidelity == 1.0
    np.testing.assert_allclose(found.predict(NEW), result, rtol=1e-6)


def test_fidelity_without_variance() -> None:
    near = kb.distill(lambda rows: 1e8 + 0.3 * np.sin(np.asarray(rows)[:, 0]), X, **FEW)
    assert near.fidelity == 1.0  # as float32 all results are 1e8
    apart = kb.distill(lambda rows: np.asarray(rows)[:, 0], np.array([[0.0], [1.0]]), n_synthetic=0, rounds=5)
    assert apart.fidelity == 0.0  # of one row


def test_the_unit_of_a_teacher_does_not_matter() -> None:
    y = numbers(X) + RNG.normal(scale=0.1, size=len(X))
    one = kb.distill(numbers, X, y, **FEW)
    predicted = one.predict(NEW)
    for exponent in (-60, -20, -1, 1, 63, 100):
        unit = 2.0**exponent
        found = kb.distill(lambda rows, unit=unit: numbers(rows) * unit, X, y * unit, **FEW)
        assert np.array_equal(found.predict(NEW), predicted * np.float32(unit))
        assert (found.fidelity, found.label_weight) == (one.fidelity, one.label_weight)
    for factor in (1e-5, 1e19):
        found = kb.distill(lambda rows, factor=factor: numbers(rows) * factor, X, **FEW)
        assert r2(found.predict(NEW) / factor, numbers(NEW)) > 0.8


def test_a_student_in_another_unit_is_an_ordinary_model() -> None:
    found = kb.distill(lambda rows: numbers(rows) * 2.0**-12, X, **FEW)
    data = kb.DMatrix(NEW)
    config = json.loads(found.booster.save_config())["learner"]
    assert config["gradient_booster"]["tree_train_param"]["max_depth"] == "7"
    sums = found.booster.predict(data, pred_contribs=True).sum(axis=1)
    np.testing.assert_allclose(sums, found.predict(NEW), rtol=1e-4, atol=1e-8)
    again = kb.train({}, kb.DMatrix(X, numbers(X) * 2.0**-12), 1, xgb_model=found.booster)
    assert again.num_boosted_rounds() == found.booster.num_boosted_rounds() + 1
    whole = kb.distill(lambda rows: numbers(rows) * 4, X, params={"gamma": 0.5, "base_score": 20}, **FEW)
    base_score = json.loads(whole.booster.save_config())["learner"]["learner_model_param"]["base_score"]
    assert json.loads(base_score) == [20]


def test_a_teacher_that_is_a_function_of_a_booster() -> None:
    booster = kb.train({}, kb.DMatrix(X, numbers(X)), 20)
    found = kb.distill(lambda rows: booster.predict(kb.DMatrix(rows)), X, **FEW)
    assert found.fidelity > 0.8


def test_lazy_frames_are_collected_once() -> None:
    collected = []

    def counted(frame: pl.DataFrame) -> pl.DataFrame:
        collected.append(len(frame))
        return frame

    lazy = pl.DataFrame(X[:100]).lazy().map_batches(counted)
    found = kb.distill(lambda rows: numbers(rows.to_numpy()), lazy, X_more=pl.DataFrame(X[100:]), **FEW)
    assert collected == [100]
    assert found.n_rows == 2500


def test_result_shows_its_cost() -> None:
    found = kb.distill(numbers, X, **FEW)
    assert re.fullmatch(
        r"Distilled\(fidelity='r2 0\.\d+', rounds=\d+, label_weight=0\.0, n_synthetic=2000, n_calls=2, n_rows=2500, "
        r"seconds=[\d.]+\)",
        repr(found),
    )
    assert 0 <= found.teacher_seconds <= found.seconds
    with pytest.raises(kb.ParameterError, match="the teacher predicts numbers"):
        found.predict_proba(X)
