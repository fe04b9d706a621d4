"""quality.py: ranks and their tests, measurements that are saved and continued, tables, sets and the picture."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "benchmark"))
import quality
from quality_cases import libraries, peers, picture, ranks, store, summary, tasks, tuned

BENCHMARK = Path(quality.__file__).parent
BEST = ["kauri, best of 60", "kauri, best of 160", "kauri, best of 400"]
DEFAULTS = ["kauri", "kauri's estimators", "xgboost", "lightgbm", "scikit-learn", "random forest", "catboost"]
CODES = "perpetual, budget 1, codes"
PERPETUAL = ["perpetual, budget 0.5", "perpetual, budget 1", "perpetual, budget 0.5, codes", CODES]
SEARCHED = ["lightgbm, 50 trials", "catboost, 50 trials"]
CHOOSING, CONFIRMING, ALL = summary.GROUPS


class Shown(NamedTuple):
    """A table of README.md."""

    group: tuple[str, tuple[str, ...]]
    reference: str  # The entrant that others are compared with.
    others: list[str]
    has_losses: bool = False  # The losses by set come with it.
    file: str = "quality.jsonl"


EVERYBODY = [BEST[0], BEST[2], *DEFAULTS, *PERPETUAL, "ngboost"]
TABLES = {
    "perpetual": Shown(CONFIRMING, CODES, [*BEST, "lightgbm", "perpetual, budget 1"]),
    "catboost": Shown(CONFIRMING, "catboost", [*BEST, "lightgbm"], has_losses=True),
    "choosing": Shown(CHOOSING, "catboost", [*BEST, CODES, "lightgbm"], has_losses=True),
    "both halves": Shown(ALL, "catboost", [*BEST, CODES, "lightgbm"]),
    "tuned lightgbm": Shown(CONFIRMING, SEARCHED[0], BEST, has_losses=True),
    "tuned catboost": Shown(CONFIRMING, SEARCHED[1], [*BEST[1:], "catboost", SEARCHED[0]], has_losses=True),
    "ebm": Shown(CONFIRMING, "ebm", [*BEST[:2], "catboost"], has_losses=True),
    "more rows": Shown(ALL, "catboost", [BEST[1], CODES, "lightgbm"], has_losses=True, file="quality_large.jsonl"),
    "everybody": Shown(CONFIRMING, BEST[1], EVERYBODY),
}

# Accuracies of four learners on 14 sets: table 6 of Demsar's article, the source of ranks.py.
ACCURACIES = np.array(
    [
        (0.763, 0.768, 0.771, 0.798),
        (0.599, 0.591, 0.590, 0.569),
        (0.954, 0.971, 0.968, 0.967),
        (0.628, 0.661, 0.654, 0.657),
        (0.882, 0.888, 0.886, 0.898),
        (0.936, 0.931, 0.916, 0.931),
        (0.661, 0.668, 0.609, 0.685),
        (0.583, 0.583, 0.563, 0.625),
        (0.775, 0.838, 0.866, 0.875),
        (1.000, 1.000, 1.000, 1.000),
        (0.940, 0.962, 0.965, 0.962),
        (0.619, 0.666, 0.614, 0.669),
        (0.972, 0.981, 0.975, 0.9749),  # printed as 0.975, but with ranks 2 and 3
        (0.957, 0.978, 0.946, 0.970),
    ]
)


def test_ranks_are_those_of_the_article() -> None:
    np.testing.assert_allclose(ranks.mean_ranks(-ACCURACIES), [3.143, 2.000, 2.893, 1.964], atol=5e-4)
    # The article's statistic is 3.69, with 3 and 39 degrees of freedom.
    assert ranks.friedman(-ACCURACIES) == pytest.approx(0.0197, abs=5e-4)


@pytest.mark.parametrize(
    ("n_entrants", "critical"),
    [(2, 1.960), (3, 2.343), (4, 2.569), (5, 2.728), (6, 2.850), (7, 2.949), (8, 3.031), (9, 3.102), (10, 3.164)],
)
def test_critical_difference_is_that_of_the_articles_table(n_entrants: int, critical: float) -> None:
    expected = critical * np.sqrt(n_entrants * (n_entrants + 1) / (6 * 14))
    assert ranks.critical_difference(n_entrants, 14) == pytest.approx(expected, rel=5e-4)


def test_critical_difference_needs_two_entrants() -> None:
    with pytest.raises(ValueError, match="1 entrants on 14 sets"):
        ranks.critical_difference(1, 14)


def test_entrants_that_always_have_the_same_order_differ_for_certain() -> None:
    assert ranks.friedman(np.tile([1.0, 2.0, 3.0], (5, 1))) == 0.0
    assert ranks.friedman(np.array([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]])) == pytest.approx(1.0)


def test_equal_losses_share_ranks_and_wins() -> None:
    losses = np.array([[1.0, 1.0, 2.0], [3.0, 2.0, 1.0]])
    np.testing.assert_array_equal(ranks.ranks_of(losses), [[1.5, 1.5, 3.0], [3.0, 2.0, 1.0]])
    np.testing.assert_array_equal(ranks.wins(losses), [0.5, 0.5, 1.0])


def test_excess_of_a_loss_above_zero_is_finite() -> None:
    np.testing.assert_allclose(ranks.excess(np.array([[2.0, 3.0], [0.0, 1e-9]])), [[0.0, 50.0], [0.0, 0.0]])


def test_holm_corrects_the_smallest_most() -> None:
    np.testing.assert_allclose(ranks.holm(np.array([0.04, 0.01, 0.03])), [0.06, 0.03, 0.06])
    np.testing.assert_allclose(ranks.holm(np.array([0.5, 0.6])), [1.0, 1.0])


def test_wilcoxon_against_an_entrant() -> None:
    random = np.random.default_rng(0)
    losses = random.uniform(0.1, 2.0, size=(20, 1)) * np.ones(3)
    losses[:, 1] *= np.exp(random.uniform(0.1, 1.0, size=20))
    losses[:, 2] *= np.exp(random.normal(size=20))
    found = ranks.wilcoxon(losses, 0)
    assert np.isnan(found[0])
    assert found[1] == pytest.approx(2 * 2 / 2**20)  # All 20 signs are equal; twice by Holm.
    assert found[2] > 0.05
    np.testing.assert_array_equal(ranks.wilcoxon(np.ones((5, 2)), 0)[1:], [1.0])


def line(name: str, entrant: str, split: int, loss: float | None, seconds: float = 1.0) -> store.Line:
    found: store.Line = {"set": name, "entrant": entrant, "split": split, "rows": 9, "stopping": False, "threads": 1}
    return {**found, "loss": loss, "seconds": seconds}


def test_measurements_are_found_again(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "run.jsonl"
    first = store.Store(path)
    first.add(line("enb", "kauri", 0, 0.5))
    first.add(line("enb", "kauri", 1, 0.6))
    with path.open("a", encoding="utf-8") as file:
        file.write('{"set":"enb","entr')  # a kill in the middle of a line
    again = store.Store(path)
    found = again.find(line("enb", "kauri", 1, None))
    assert found is not None
    assert found["loss"] == 0.6
    assert again.find(line("enb", "kauri", 2, None)) is None
    again.add(line("enb", "kauri", 2, 0.7))
    assert [found["loss"] for found in store.read([path])] == [0.5, 0.6, 0.7]


def test_a_later_file_takes_a_measurements_place(tmp_path: Path) -> None:
    store.Store(tmp_path / "a").add(line("enb", "kauri", 0, 0.5))
    store.Store(tmp_path / "b").add(line("enb", "kauri", 0, 0.4))
    store.Store(tmp_path / "b").add(line("wq", "kauri", 0, 0.3))
    assert [found["loss"] for found in store.read([tmp_path / "a", tmp_path / "b"])] == [0.4, 0.3]


def test_a_broken_line_in_the_middle_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a").write_text('{"set":\n{}\n')
    with pytest.raises(ValueError, match="line 1 is no JSON"):
        store.read([tmp_path / "a"])


def test_means_are_of_common_sets_and_splits() -> None:
    lines = [line("wq", "a", 0, 1.0), line("wq", "a", 1, 9.0), line("wq", "b", 0, 2.0), line("enb", "a", 0, 1.0)]
    lines += [line("adult", "a", 0, 1.0), line("adult", "b", 0, None)]
    lines += [line("boston", "a", 0, 3.0), line("boston", "a", 1, 5.0)]
    lines += [line("boston", "b", 1, 2.0, 3.0), line("boston", "b", 0, 1.0, 1.0)]
    means = summary.means_of(lines, ["a", "b"])
    assert means.sets == ["boston", "wq"]
    np.testing.assert_array_equal(means.losses, [[4.0, 1.5], [1.0, 2.0]])
    np.testing.assert_array_equal(means.seconds, [[1.0, 2.0], [1.0, 1.0]])
    np.testing.assert_array_equal(means.splits, [2, 1])


def test_tables_of_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    saved = store.Store(tmp_path / "run.jsonl")
    for number, name in enumerate([*tasks.ALL_CHOOSING[:3], *tasks.ALL_CONFIRMING[:4]]):
        saved.add(line(name, "kauri, best of 160", 0, 1.0 + number, 2.0))
        saved.add(line(name, "catboost", 0, 1.1 + number, 10.0))
        saved.add(line(name, "ngboost", 0, None) | {"failure": "ValueError: NaN"})
    words = ["--table", str(tmp_path / "run.jsonl"), "--only", "catboost", "kauri, best of 160"]
    assert quality.main([*words, "--picture", str(tmp_path / "picture.png")]) == 0
    printed = capsys.readouterr().out
    assert "| adult | 1 | 1.1000 | **1.0000** |" in printed
    assert "the sets that choose: 3 sets" in printed
    assert "the sets that confirm: 4 sets" in printed
    assert "| kauri, best of 160 | 1.00 | 7 |  |  | 0.0 % | 1.00 | 14.0 |" in printed
    assert "| catboost | 2.00 | 0 | 0 | 0.016 | 2.5 % | 5.00 | 70.0 |" in printed
    assert "failed" not in printed
    assert (tmp_path / "picture.png").stat().st_size > 1000
    with pytest.raises(ValueError, match="no measurement of xgboost; there are"):
        quality.main(["--table", str(tmp_path / "run.jsonl"), "--only", "xgboost"])
    quality.main(["--table", str(tmp_path / "run.jsonl")])
    assert "adult, ngboost, split 0 failed: ValueError: NaN" in capsys.readouterr().out


def test_points_of_the_picture() -> None:
    losses = np.array([[1.0, 1.1, 2.0], [2.0, 2.0, 3.0], [4.0, 3.0, 6.0]])
    times, excess = picture.points_of(losses, np.array([[4.0, 1.0, 1.0], [1.0, 1.0, 1.0], [2.0, 1.0, 1.0]]))
    np.testing.assert_allclose(times, [2.0, 1.0, 1.0])
    np.testing.assert_allclose(excess, [0.0, 0.0, 100.0])
    np.testing.assert_array_equal(picture.not_beaten(np.array([3.0, 1.0, 2.0]), np.array([1.0, 5.0, 6.0])), [1, 0])


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Return a folder with a loader of two sets."""
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "load.py").write_text(
        "import numpy as np\n"
        "from pathlib import Path\n"
        "def load(name):\n"
        "    with (Path(__file__).parent / 'calls').open('a') as file:\n"
        "        file.write(name + '\\n')\n"
        "    X = np.random.default_rng(0).normal(size=(300, 4))\n"
        "    X[:, 3] = np.floor(abs(X[:, 3]) * 9)\n"
        "    extras = {'task': 'regression', 'categorical': [3], 'feature_names': ['a', 'b', 'hours-per-week', 'd']}\n"
        "    return {'california': (X, X[:, 0] * X[:, 1] + X[:, 3] % 3, extras),\n"
        "            'adult': (X, (X[:, 0] > 0) * 1, {**extras, 'task': 'binary'})}[name]\n"
    )
    return folder


def run(data: Path, *words: str) -> int:
    common = ["--data", str(data), "--threads", "1", "--out", str(data), "--rows", "200"]
    return quality.main([*words, *common])


def test_a_run_goes_on_where_it_ended(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    saved, calls = data / "run.jsonl", []
    whole = quality.measure
    monkeypatch.setattr(quality, "measure", lambda *these: calls.append(these[2]) or whole(*these))
    words = ["california", "adult_hours", "--save", str(saved), "--kept", str(data / "kept")]
    assert run(data, *words, "--splits", "1", "--only", "kauri") == 0
    assert calls == [0, 0]
    assert run(data, *words, "--splits", "2", "--only", "kauri", "kauri's estimators") == 0
    assert calls == [0, 0, 1, 0, 1, 1, 0, 1]
    assert (data / "calls").read_text().split() == ["california", "adult"]  # later from the folder of kept rows
    lines = store.read([saved])
    assert len(lines) == 8
    assert all(0 < found["loss"] < 2 and found["seconds"] > 0 for found in lines)
    row = json.loads((data / "quality.json").read_text())["rows"][0]
    own = [found["loss"] for found in lines if found["set"] == "california" and found["entrant"] == "kauri"]
    assert row["kauri"] == pytest.approx(np.mean(own))


def test_a_failure_is_saved_and_does_not_end_the_run(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> np.ndarray:
        raise RuntimeError("no such category")

    monkeypatch.setattr(libraries, "kauri_estimators", lambda: fail)
    words = ["california", "--splits", "2", "--only", "kauri", "kauri's estimators"]
    assert run(data, *words, "--save", str(data / "run.jsonl")) == 0
    failed = [found for found in store.read([data / "run.jsonl"]) if found["loss"] is None]
    assert [found["failure"] for found in failed] == ["RuntimeError: no such category"] * 2
    with pytest.raises(RuntimeError, match="no such category"):
        run(data, *words)


def test_entrants_by_name(data: Path) -> None:
    with pytest.raises(SystemExit, match="no entrant catbost; there are kauri, "):
        run(data, "california", "--only", "catbost")
    names = ["kauri, best of 10 (new)", "kauri, best of 10, 3 folds (new)"]
    words = ["california", "--splits", "1", "--best", "10", "10x3", "12", "--label", "new", "--only", *names]
    assert run(data, *words, "--save", str(data / "run.jsonl")) == 0
    saved = store.read([data / "run.jsonl"])
    assert [found["entrant"] for found in saved] == names
    assert saved[0]["loss"] != saved[1]["loss"]


def test_halves_share_no_set_and_name_the_old_ones() -> None:
    assert len(set(tasks.ALL_CHOOSING)) == len(tasks.ALL_CHOOSING) == 20
    assert len(set(tasks.ALL_CONFIRMING)) == len(tasks.ALL_CONFIRMING) == 21
    assert not set(tasks.ALL_CHOOSING) & set(tasks.ALL_CONFIRMING)
    for name in (*tasks.MORE_CHOOSING, *tasks.MORE_CONFIRMING):
        source = tasks.source_of(name)
        if source != name and source in (*tasks.CHOOSING, *tasks.CONFIRMING):
            assert (source in tasks.CHOOSING) == (name in tasks.MORE_CHOOSING), name
    assert quality.sets_of(["enb", "adult"]) == ["enb", "adult"]
    assert sorted(quality.sets_of(["choosing"])) == sorted(tasks.ALL_CHOOSING)
    assert len(quality.sets_of([])) == 41


def test_a_column_as_label_is_no_feature(data: Path) -> None:
    whole, hours = tasks.read_task("adult", data, 500), tasks.read_task("adult_hours", data, 500)
    assert whole is not None
    assert hours is not None
    assert (whole.kind, hours.kind) == ("binary", "regression")
    np.testing.assert_array_equal(hours.features, whole.features[:, [0, 1, 3]])
    assert hours.categorical == [2]
    values = whole.features[:, 2]
    np.testing.assert_allclose(hours.labels, (values - values.mean()) / values.std())


def made_task(n_rows: int, kind: str) -> tasks.Task:
    random = np.random.default_rng(0)
    features = random.normal(size=(n_rows, 3))
    labels = features[:, 0] + features[:, 1] ** 2
    return tasks.Task("made", kind, features, labels if kind == "regression" else (labels > 1) * 1.0, [])


class Constant:
    """A library whose models predict a parameter's value everywhere."""

    def __init__(self) -> None:
        self.calls: list[tuple[float, int, int | None, int]] = []

    def train(
        self, params: dict[str, Any], train: tasks.Task, stop: tasks.Task | None, rounds: int, threads: int
    ) -> Any:
        self.calls.append((params["value"], len(train.labels), None if stop is None else len(stop.labels), rounds))
        return (lambda task: np.full(len(task.labels), params["value"])), 7


def test_tuning_judges_by_stopping_rows_and_trains_on_all() -> None:
    library = Constant()
    searched = tuned.Searched(
        lambda trial: {"value": trial.suggest_float("value", -1.0, 5.0)}, {"value": 4.0}, library.train, 99
    )
    task = made_task(1000, "regression")
    found = tuned.tuned(searched, 12)(task, None, task, 1)
    trials = library.calls[:-1]
    assert len(trials) == 12
    assert trials[0][0] == 4.0  # The first trial has the defaults.
    assert {call[1:] for call in trials} == {(800, 200, 99)}
    best = min((call[0] for call in trials), key=lambda value: abs(value - task.labels.mean()))
    assert library.calls[-1] == (best, 1000, None, 7)
    np.testing.assert_array_equal(found, best)


def test_few_rows_are_judged_by_thirds() -> None:
    parts = list(tuned.parts_of(100))
    assert len(parts) == 3
    assert sorted(np.concatenate([judged for _, judged in parts]).tolist()) == list(range(100))
    assert all(set(learnt) | set(judged) == set(range(100)) for learnt, judged in parts)


def test_the_searches_begin_with_the_defaults() -> None:
    optuna = pytest.importorskip("optuna")
    for library in tuned.TUNED.values():
        proposed = library.space(optuna.trial.FixedTrial(library.defaults))
        assert library.defaults.items() <= proposed.items()
        study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
        assert set(library.space(study.ask())) == set(proposed)


def test_chances_of_a_class_without_training_rows_are_zero() -> None:
    class Model:
        classes_ = np.array([0.0, 2.0])

        def predict_proba(self, features: np.ndarray) -> np.ndarray:
            return np.tile([0.25, 0.75], (len(features), 1))

    found = libraries.class_chances(Model(), np.zeros((2, 1)), "multiclass", 3)
    np.testing.assert_array_equal(found, [[0.25, 0.0, 0.75]] * 2)
    np.testing.assert_array_equal(libraries.class_chances(Model(), np.zeros((2, 1)), "binary", 2), [0.75, 0.75])


def test_random_forest_learns() -> None:
    for kind in ("regression", "binary"):
        task = made_task(400, kind)
        used, held_out = tasks.split(400, 0)
        learn = peers.random_forest()
        test = task.some(held_out)
        whole = learn(task.some(used), None, test, 1)
        parts = learn(task.some(used[:200]), task.some(used[200:]), test, 1)
        np.testing.assert_array_equal(whole, parts)  # It has no rounds to stop and learns from both.
        assert test.loss(whole) < 0.9 * test.loss(np.full(len(test.labels), task.labels[used].mean()))


def tables_of(shown: Shown) -> list[str]:
    """Return the lines of a table that README.md has to have."""
    means = summary.means_of(store.read([BENCHMARK / shown.file]), [*shown.others, shown.reference])
    means = means.of(shown.group[1])
    losses = [*summary.losses_table(means), ""] if shown.has_losses else []
    return [*losses, *summary.group_table(shown.group[0], means, shown.reference)]


@pytest.mark.parametrize("table", list(TABLES))
def test_readme_has_the_tables_of_the_saved_measurements(table: str) -> None:
    told = (BENCHMARK / "README.md").read_text(encoding="utf-8").splitlines()
    expected = tables_of(TABLES[table])
    assert expected
    missing = [line for line in expected if line not in told]
    assert not missing, "README.md is out of date; quality.py --table prints:\n" + "\n".join(missing)
