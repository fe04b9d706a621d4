"""Functions of data frames get the columns and types of the original frame."""

from __future__ import annotations

import kauriboost as kb
import numpy as np
import pytest

pd = pytest.importorskip("pandas")


def frame(n: int, seed: int) -> pd.DataFrame:
    """Return columns of every kind."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "number": rng.normal(size=n),
            "small": rng.integers(-5, 5, n).astype(np.int8),
            "large": rng.integers(2**60, 2**60 + 3, n),
            "flag": rng.random(n) < 0.5,
            "maybe": pd.array(rng.integers(0, 3, n), dtype="Int64"),
            "kind": pd.Categorical(rng.choice(["a", "b", "c"], n), categories=["c", "b", "a"]),
            "text": rng.choice(["x", "y"], n),
            "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 9, n), unit="D"),
        }
    )


def worth(rows: pd.DataFrame) -> np.ndarray:
    """Evaluate a function that depends on the types."""
    value = rows["number"].to_numpy() * (rows["kind"] == "a").to_numpy() + rows["small"].to_numpy(dtype=float)
    value += rows["text"].map({"x": 0.0, "y": 2.0}).to_numpy() * rows["flag"].to_numpy()
    return value + rows["day"].dt.day.to_numpy() * 0.1 + (rows["large"] - 2**60).to_numpy()


def test_columns_and_types_come_back() -> None:
    X, background = frame(4, 1), frame(6, 2)

    def watched(rows: pd.DataFrame) -> np.ndarray:
        assert list(rows.columns) == list(X.columns)
        assert (rows.dtypes == X.dtypes).all()
        assert list(rows.index) == list(range(len(rows)))
        return worth(rows)

    found = kb.explain_function(watched, X, background, method="exact")
    assert found.feature_names == list(X.columns)
    assert np.allclose(found.values.sum(axis=1) + found.base_values, worth(X), atol=1e-12)
    assert np.allclose(found.base_values, worth(background).mean(), atol=1e-12)
    assert not found.values[:, 4].any()  # the function ignores `maybe`


def test_values_are_those_of_hybrid_frames() -> None:
    X, background = frame(3, 3), frame(5, 4)
    found = kb.explain_function(worth, X, background, method="exact")

    def game(masks: np.ndarray) -> np.ndarray:
        results = []
        for mask in masks:
            hybrid = background.copy()
            for name, present in zip(X.columns, mask):
                if present:
                    hybrid[name] = pd.Series([X[name].iloc[1]] * len(hybrid), dtype=X[name].dtype)
            results.append(worth(hybrid).mean())
        return np.array(results)

    expected = kb.shapley_values(game, X.shape[1], method="exact")
    assert np.allclose(found.values[1], expected.values, atol=1e-12)


def test_data_are_shown_by_their_names() -> None:
    X, background = frame(4, 1), frame(6, 2)
    found = kb.explain_function(worth, X, background, method="exact")
    assert found.display_data()[:, 5].tolist() == X["kind"].tolist()
    assert found.display_data()[:, 6].tolist() == X["text"].tolist()
    assert np.array_equal(found.data[:, 0], X["number"])
    assert set(found.categories) == {"kind", "text", "day"}


def test_a_pipeline_with_its_preprocessing() -> None:
    pytest.importorskip("sklearn")
    from sklearn.compose import make_column_transformer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder

    table = frame(200, 7)[["number", "kind", "flag"]]
    y = (table["number"] + (table["kind"] == "a") > 0).astype(int)
    model = make_pipeline(
        make_column_transformer((OneHotEncoder(), ["kind"]), remainder="passthrough"), LogisticRegression()
    ).fit(table, y)
    found = kb.explain_function(model.predict_proba, table[:5], table[50:90], output_names=["no", "yes"])
    assert found.shape == (5, 3, 2)
    assert np.allclose(found.values.sum(axis=1) + found.base_values, model.predict_proba(table[:5]), atol=1e-12)
    assert np.allclose(found.output("no").values, -found.output("yes").values, atol=1e-12)


def test_values_without_a_hash() -> None:
    X = pd.DataFrame({"list": [[1, 2], [3]], "n": [1.0, 2.0]})
    background = pd.DataFrame({"list": [[4], [5, 6, 7]], "n": [0.0, 0.0]})
    found = kb.explain_function(lambda rows: rows["list"].map(len).to_numpy() * rows["n"].to_numpy(), X, background)
    assert np.allclose(found.values.sum(axis=1) + found.base_values, [2.0, 2.0])


@pytest.mark.parametrize(
    ("X", "background", "words"),
    [
        (frame(2, 1), frame(2, 1).drop(columns="text"), "X has the columns"),
        (frame(2, 1), frame(2, 1).assign(number=1), "'number' is float64 in X and int64"),
        (frame(2, 1), np.zeros((2, 8)), "only one of X and the background is a data frame"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), pd.DataFrame([[1, 2]], columns=["a", "a"]), "name twice"),
    ],
)
def test_refuses(X: object, background: object, words: str) -> None:
    with pytest.raises(kb.DataError, match=words):
        kb.explain_function(worth, X, background)
