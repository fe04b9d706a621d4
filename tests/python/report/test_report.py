"""The report page: its content, that it needs no other files, and that all names are escaped."""

from __future__ import annotations

import base64
import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import kauriboost as kb
import numpy as np
import pytest

pd = pytest.importorskip("pandas")
pytest.importorskip("matplotlib").use("Agg")
pytest.importorskip("sklearn")

SCRIPT = "<script>document.title='run'</script>\"'&"


class Page(HTMLParser):
    """Collects tags, images, and texts by section."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.images: list[dict[str, str | None]] = []
        self.sections: dict[str, str] = {}
        self.headings: list[str] = []
        self.scores = {
            name: [float(cell) for cell in re.findall(r"[-\d.e+]+|nan", cells)]
            for name, cells in re.findall(r"<tr><td>([^<]+) [\u2191\u2193]</td>(.*?)</tr>", text)
            for cells in [re.sub("<[^>]*>", " ", cells).replace(" to ", " ")]
        }
        self._section = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        about = dict(attrs)
        if tag == "section":
            self._section = str(about["id"])
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(tag)
        if tag == "td":
            self.handle_data(" ")
        if tag == "img":
            self.images.append(about)

    def handle_data(self, data: str) -> None:
        self.sections[self._section] = self.sections.get(self._section, "") + data


def page_of(path: Path, model: Any, data: Any, **choices: Any) -> Page:
    kb.report(model, data, path, **choices)
    return Page(path.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def classes() -> tuple[Any, Any, np.ndarray]:
    """Return a classifier, rows and labels; names of classes, categories and the evaluation set are scripts."""
    rng = np.random.default_rng(5)
    names = [SCRIPT, "b", "c"]
    frame = pd.DataFrame({"x & y": rng.normal(size=240), "kind": pd.Categorical(rng.choice(names, 240))})
    y = np.where(frame.kind == SCRIPT, SCRIPT, np.where(frame["x & y"] > 0, "<b>high", "low"))
    model = kb.KauriClassifier(n_estimators=8, max_depth=2, eval_metric=["merror", "mlogloss"])
    return model.fit(frame, y, eval_set=[(frame, y)]), frame, y


@pytest.fixture(scope="module")
def classes_page(classes: tuple[Any, Any, np.ndarray], tmp_path_factory: pytest.TempPathFactory) -> Path:
    model, frame, y = classes
    path: Path = tmp_path_factory.mktemp("report") / "page.html"
    kb.report(model, frame, path, y=y, title=SCRIPT, n_features=1, n_trees=1)
    return path


def test_what_is_on_it(classes_page: Path, classes: tuple[Any, Any, np.ndarray]) -> None:
    page = Page(classes_page.read_text(encoding="utf-8"))
    sections = ["metrics", "importance", "dependence", "interactions", "rows", "learning-curves", "trees"]
    assert [name for name in page.sections if name] == [*sections, "model", "data"]
    assert SCRIPT in page.sections["data"]
    assert "<b>high" in page.sections["data"]
    assert SCRIPT in page.sections["importance"]
    assert f"{classes[0].evals_result()['validation_0']['mlogloss'][-1]:.5g}" in page.sections["metrics"]
    assert len(page.images) == 4 + 3 + 2 + 1 + page.sections["rows"].count(": row ") + 2 + 1
    assert page.headings[0] == "h1"
    assert all(int(after[1]) <= int(before[1]) + 1 for before, after in zip(page.headings, page.headings[1:]))
    assert all(image["alt"] for image in page.images)
    assert '<html lang="en">' in classes_page.read_text(encoding="utf-8")


def test_nothing_in_it_runs_or_loads(classes_page: Path) -> None:
    text = classes_page.read_text(encoding="utf-8")
    page = Page(text)
    assert not {"script", "b", "iframe", "object", "link", "svg"} & set(page.tags)
    assert "default-src 'none'; img-src data:; style-src 'unsafe-inline'" in text
    assert not re.search(r"https?://", text)
    for image in page.images:
        head, _, body = str(image["src"]).partition(",")
        assert head == "data:image/svg+xml;base64"
        root = ET.fromstring(base64.b64decode(body))
        assert not [node for node in root.iter() if node.tag.endswith(("script", "foreignObject"))]
        links = [value for node in root.iter() for name, value in node.attrib.items() if name.endswith("href")]
        assert all(link.startswith(("#", "data:image/png;base64,")) for link in links)


def test_the_same_bytes_again(classes: tuple[Any, Any, np.ndarray], tmp_path: Path) -> None:
    model, frame, y = classes
    for name in ("a", "b"):
        kb.report(model, frame, tmp_path / name, y=y, n_features=1, n_trees=0, n_rows=50)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b"]


@pytest.mark.usefixtures("unrendered")
@pytest.mark.parametrize("objective", ["rank:ndcg", "survival:cox", "count:poisson", "multi:softmax"])
def test_intervals_hold_the_value(objective: str, tmp_path: Path, regression: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = regression
    labels = np.abs(np.round(y)) % 3 + (objective == "survival:cox")
    data = kb.DMatrix(X, label=labels, group=[10] * 50 if objective == "rank:ndcg" else None)
    params = {"objective": objective, **({"num_class": 3} if "multi" in objective else {})}
    booster = kb.train(params, data, 5, verbose_eval=False)
    page = page_of(tmp_path / "page.html", booster, data, n_features=1, n_trees=0, n_rows=60)
    name, expected = booster.eval(data).split("\t")[1].removeprefix("eval-").split(":")
    value, low, high = page.scores[name][:3]
    assert value == pytest.approx(float(expected), rel=1e-4)
    assert low < value < high


@pytest.mark.usefixtures("unrendered")
def test_an_interval_is_as_wide_as_theory_says(tmp_path: Path) -> None:
    """The error of a constant is a mean of random draws, so its interval is 1.96 standard errors to each side."""
    y = (np.arange(2000) % 5 == 0).astype(np.float32)
    data = kb.DMatrix(np.zeros((2000, 1), np.float32), label=y)
    booster = kb.train({"objective": "binary:logistic", "eval_metric": "error"}, data, 1, verbose_eval=False)
    page = page_of(tmp_path / "page.html", booster, data, n_trees=0)
    value, low, high, baseline = page.scores["error"]
    assert value == pytest.approx(0.2)
    assert baseline == value
    assert high - low == pytest.approx(2 * 1.96 * np.sqrt(0.2 * 0.8 / 2000), rel=0.25)


@pytest.mark.parametrize(
    "params", [{"booster": "gblinear"}, {"objective": "reg:quantileerror", "quantile_alpha": [0.1, 0.9]}]
)
def test_other_models(
    params: dict[str, Any],
    tmp_path: Path,
    regression: tuple[np.ndarray, np.ndarray],
    request: pytest.FixtureRequest,
) -> None:
    X, y = regression
    data = kb.DMatrix(X, label=y)
    booster = kb.train(params, data, 3, verbose_eval=False)
    page = page_of(tmp_path / "page.html", booster, data, n_features=1, metrics=["rmse"] if len(params) == 1 else None)
    assert ("trees" in page.sections) == ("booster" not in params)
    assert "learning-curves" not in page.sections
    request.getfixturevalue("unrendered")  # from here on: the same pictures again
    unlabelled = page_of(tmp_path / "page.html", booster, X, n_features=1, evaluations={"a": {"rmse": [2.0, 1.0]}})
    assert "metrics" not in unlabelled.sections
    assert "learning-curves" in unlabelled.sections


def test_rows_that_say_little(tmp_path: Path, regression: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = regression
    booster = kb.train({"max_depth": 12}, kb.DMatrix(X, label=y), 1, verbose_eval=False)
    one = page_of(tmp_path / "one.html", booster, X[:1], y=y[:1], n_features=1)
    assert "of 1 rows" in one.sections["importance"]
    assert "more than a page can show" not in one.sections["trees"]
    empty = page_of(tmp_path / "empty.html", booster, np.full((5, 5), np.nan, np.float32), n_features=1, n_trees=0)
    assert "100.0% of the cells are missing" in empty.sections["data"]


def test_refusals_leave_the_page_as_it_was(tmp_path: Path, regression: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = regression
    booster = kb.train({}, kb.DMatrix(X, label=y), 2, verbose_eval=False)
    path = tmp_path / "page.html"
    path.write_text("before", encoding="utf-8")
    for choice in ({"n_features": 0}, {"n_trees": -1}, {"n_rows": 0}, {"metrics": ["rsme"]}):
        with pytest.raises(kb.ParameterError):
            kb.report(booster, X, path, y=y, **choice)
    with pytest.raises(kb.DataError):
        kb.report(booster, X[:, :2], path, y=y)
    with pytest.raises(kb.DataError, match="a report needs rows"):
        kb.report(booster, X[:0], path, y=y[:0])
    with pytest.raises(kb.FileError, match="cannot write"):
        kb.report(booster, X, tmp_path / "no" / "page.html", y=y)
    assert [entry.read_text(encoding="utf-8") for entry in tmp_path.iterdir()] == ["before"]
