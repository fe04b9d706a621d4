"""train, pred and dump, end to end; XGBoost reads Kauri's models."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import numpy as np
import pytest
import xgboost
from cli_program import DATA, Kauri
from sklearn.datasets import load_svmlight_file

N_TEST_ROWS = 113
N_FEATURES = 30


def peer_booster(path: Path) -> xgboost.Booster:
    return xgboost.Booster(model_file=str(path))


def peer_data(kauri: Kauri) -> xgboost.DMatrix:
    features, _ = load_svmlight_file(kauri.test_uri.split("?")[0], zero_based=True)
    return xgboost.DMatrix(features)


def n_rounds(path: Path) -> int:
    return peer_booster(path).num_boosted_rounds()


def test_train_prints_a_line_per_round_and_saves(kauri: Kauri) -> None:
    done = kauri.train(f"eval[test]={kauri.test_uri}", "eval_train=1", "eval_metric=auc", "eval_metric=logloss")
    lines = done.out.splitlines()
    assert len(lines) == 5
    for round_, line in enumerate(lines):
        pattern = rf"\[{round_}\]\ttest-auc:[\d.]+\ttest-logloss:[\d.]+\ttrain-auc:[\d.]+\ttrain-logloss:[\d.]+"
        assert re.fullmatch(pattern, line), line
    losses = [float(re.search(r"train-logloss:([\d.]+)", line).group(1)) for line in lines]
    assert losses == sorted(losses, reverse=True)
    assert all(len(value.replace(".", "").lstrip("0")) <= 6 for value in re.findall(r":([\d.]+)", done.out))
    assert done.err == "model of 5 rounds written to 'model.json'\n"
    assert n_rounds(kauri.folder / "model.json") == 5


def test_training_without_a_set_shows_how_well_it_fits(kauri: Kauri) -> None:
    """The first round and the last one, so that a metric that does not go with the data is an error at once."""
    done = kauri.train("eval_metric=logloss")
    all_lines = kauri.train("eval_metric=logloss", "eval_train=1", "model_out=same.json").out.splitlines()
    assert done.out.splitlines() == [all_lines[0], all_lines[-1]]
    assert (kauri.folder / "model.json").read_bytes() == (kauri.folder / "same.json").read_bytes()
    assert kauri.train("num_round=1").out.count("train-logloss") == 1
    wrong = ["train", kauri.train_uri, "objective=binary:logistic", "eval_metric=precision", "model_out=never.json"]
    for silent in ("verbosity=0", "num_round=0", "disable_default_eval_metric=1"):
        assert kauri.train(silent).out == "", silent
    assert "precision" in kauri.run(*wrong, status=1).err
    assert not (kauri.folder / "never.json").exists()


def test_a_model_has_a_name_of_its_own_after_the_task(kauri: Kauri) -> None:
    learnt = ["objective=binary:logistic", "num_round=2"]
    assert "model.json" in kauri.run("train", kauri.train_uri, *learnt).err
    assert n_rounds(kauri.folder / "model.json") == 2
    (kauri.folder / "models").mkdir()
    kauri.run("train", kauri.train_uri, "model_dir=models", *learnt)
    assert n_rounds(kauri.folder / "models" / "model.json") == 2
    kauri.run("train", kauri.train_uri, "model_out=mine.ubj", *learnt)
    kauri.write("old.conf", f"data = '{kauri.train_uri}'\n" + "\n".join(learnt))
    kauri.run("old.conf")  # XGBoost's name
    kauri.run("task=train", f"data={kauri.train_uri}", "num_round=3", learnt[0])
    names = {path.name for path in kauri.folder.iterdir()}
    assert names == {"model.json", "models", "mine.ubj", "old.conf", "0002.model", "0003.model"}


def test_a_file_of_lightgbm_is_told_its_converter(kauri: Kauri) -> None:
    kauri.write("model.txt", "tree\nversion=v4\nnum_class=1\n")
    kauri.write("dump.json", '{"name": "tree", "version": "v4", "tree_info": []}')
    for name, cure in (("model.txt", "no line of it begins with 'Tree='"), ("dump.json", "forests.from_lightgbm")):
        said = kauri.run("check", name, status=1).err
        assert f"model_in={name}" in said
        assert cure in said


def test_predictions_are_those_of_the_peer(trained: Kauri) -> None:
    booster, data = peer_booster(trained.folder / "model.json"), peer_data(trained)
    np.testing.assert_allclose(trained.predict(), booster.predict(data), rtol=2e-6)
    np.testing.assert_allclose(trained.predict("pred_margin=1"), booster.predict(data, output_margin=True), rtol=2e-6)
    part = booster.predict(data, iteration_range=(1, 3))
    np.testing.assert_allclose(trained.predict("iteration_begin=1", "iteration_end=3"), part, rtol=2e-6)
    limited = booster.predict(data, iteration_range=(0, 2))
    np.testing.assert_allclose(trained.predict("ntree_limit=2"), limited, rtol=2e-6)


def test_the_model_predicts_well(trained: Kauri) -> None:
    labels = np.array([int(line[0]) for line in (DATA / "breast_cancer.test.libsvm").read_text().splitlines()])
    assert np.mean((np.array(trained.predict()) > 0.5) == labels) > 0.9


def test_predictions_to_stdout(trained: Kauri) -> None:
    done = trained.run("task=pred", "model_in=model.json", f"test:data={trained.test_uri}", "name_pred=stdout")
    assert [float(line) for line in done.out.splitlines()] == trained.predict()


def read_contributions(path: Path) -> tuple[list[str], np.ndarray]:
    with path.open(newline="") as file:
        header, *lines = csv.reader(file)
    return header, np.array(lines, dtype=np.float64)


def test_contributions_add_up_to_the_margin(trained: Kauri) -> None:
    margins = trained.predict("pred_margin=true")
    trained.run(
        "task=pred", "model_in=model.json", f"test:data={trained.test_uri}", "pred_contribs=1", "name_pred=contribs.csv"
    )
    header, table = read_contributions(trained.folder / "contribs.csv")
    assert header == [f"f{feature}" for feature in range(N_FEATURES)] + ["bias"]
    assert table.shape == (N_TEST_ROWS, N_FEATURES + 1)
    np.testing.assert_allclose(table.sum(axis=1), margins, atol=2e-5)
    expected = peer_booster(trained.folder / "model.json").predict(peer_data(trained), pred_contribs=True)
    np.testing.assert_allclose(table, expected, atol=2e-5)


@pytest.fixture(scope="module")
def three_classes(tmp_path_factory: pytest.TempPathFactory) -> Kauri:
    program = Kauri(tmp_path_factory.mktemp("classes"))
    rows = [f"{row % 3} 0:{row % 3 + row % 7 / 10} 1:{row % 5}" for row in range(60)]
    program.write("classes.libsvm", "\n".join(rows) + "\n")
    uri = "classes.libsvm?format=libsvm"
    program.train_uri = program.test_uri = uri
    program.train("objective=multi:softprob", "num_class=3")
    return program


def test_several_outputs(three_classes: Kauri) -> None:
    probabilities = np.array(three_classes.predict()).reshape(60, 3)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1, atol=1e-6)
    assert (probabilities.argmax(axis=1) == np.arange(60) % 3).all()


def test_contributions_of_several_outputs(three_classes: Kauri) -> None:
    margins = np.array(three_classes.predict("pred_margin=1"))
    arguments = ["task=pred", "model_in=model.json", f"test:data={three_classes.test_uri}"]
    three_classes.run(*arguments, "pred_contribs=1", "name_pred=contribs.csv")
    header, table = read_contributions(three_classes.folder / "contribs.csv")
    assert header == ["row", "output", "f0", "f1", "bias"]
    assert table[:, 0].tolist() == [row for row in range(60) for _ in range(3)]
    assert table[:, 1].tolist() == [0, 1, 2] * 60
    np.testing.assert_allclose(table[:, 2:].sum(axis=1), margins, atol=2e-5)


def test_dump_text_with_names(trained: Kauri) -> None:
    fmap = DATA / "breast_cancer.features.txt"
    trained.run("task=dump", "model_in=model.json", f"fmap={fmap}", "dump_stats=1", "name_dump=named.txt")
    text = (trained.folder / "named.txt").read_text()
    assert re.findall(r"booster\[(\d+)\]:", text) == [str(tree) for tree in range(5)]
    assert "gain=" in text
    trees = peer_booster(trained.folder / "model.json").get_dump(fmap=str(fmap), with_stats=True)
    assert text == "".join(f"booster[{index}]:\n{tree}" for index, tree in enumerate(trees))


def test_dump_json_is_one_document(trained: Kauri) -> None:
    done = trained.run("task=dump", "model_in=model.json", "dump_format=json", "name_dump=stdout")
    expected = peer_booster(trained.folder / "model.json").get_dump(dump_format="json")
    assert json.loads(done.out) == [json.loads(tree) for tree in expected]


def test_dump_dot(trained: Kauri) -> None:
    done = trained.run("task=dump", "model_in=model.json", "dump_format=dot", "name_dump=stdout")
    assert done.out.count("digraph {") == 5


def test_save_period_and_default_name(kauri: Kauri) -> None:
    kauri.run(
        f"data={kauri.train_uri}",
        "objective=binary:logistic",
        "num_round=5",
        "save_period=2",
        "max_depth=2",
        "model_dir=.",
    )
    saved = {path.name: n_rounds(path) for path in kauri.folder.glob("*.model")}
    assert saved == {"0002.model": 2, "0004.model": 4, "0005.model": 5}


def test_continued_training_equals_one_run(kauri: Kauri) -> None:
    kauri.train("num_round=6", "model_out=whole.json")
    kauri.train("num_round=2", "model_out=part.json")
    done = kauri.train("num_round=4", "model_in=part.json", "model_out=continued.json", "eval_train=1")
    assert re.findall(r"^\[(\d+)\]", done.out, re.MULTILINE) == ["2", "3", "4", "5"]
    dumps = [peer_booster(kauri.folder / name).get_dump() for name in ("whole.json", "continued.json")]
    assert dumps[0] == dumps[1]


def test_early_stopping_saves_the_best_model(kauri: Kauri) -> None:
    done = kauri.train(
        f"eval[test]={kauri.test_uri}", "eta=1", "num_round=60", "early_stopping_rounds=4", "eval_train=1"
    )
    losses = [float(value) for value in re.findall(r"test-logloss:([\d.]+)", done.out)]
    best = losses.index(min(losses))
    assert len(losses) == best + 4 + 1 < 60
    booster = peer_booster(kauri.folder / "model.json")
    assert booster.num_boosted_rounds() == best + 1
    assert booster.attr("best_iteration") == str(best)
    assert float(booster.attr("best_score")) == pytest.approx(min(losses), rel=1e-5)
    stopped = f"early stopping after {len(losses)} rounds; the best is [{best}]\ttest-logloss:{min(losses):.6g}"
    assert done.err.splitlines() == [stopped, f"model of {best + 1} rounds written to 'model.json'"]


def test_continued_training_forgets_the_best_round(kauri: Kauri) -> None:
    """Estimators would otherwise predict only with the rounds up to it, without the new ones."""
    watch = [f"eval[test]={kauri.test_uri}", "eta=1", "num_round=60"]
    kauri.train(*watch, "early_stopping_rounds=4", "model_out=stopped.json")
    best = int(peer_booster(kauri.folder / "stopped.json").attr("best_iteration"))
    on = ["model_in=stopped.json", "model_out=on.json", "eta=0.1"]
    for more in ([], ["save_period=1", "model_dir=.", "resume=true"]):
        kauri.train(*watch, *on, "num_round=3", *more)
        booster = peer_booster(kauri.folder / "on.json")
        assert booster.num_boosted_rounds() == best + 1 + 3
        assert booster.attributes() == {}
    assert {path.name for path in kauri.folder.glob("*.model")} == {"0001.model", "0002.model", "0003.model"}
    assert peer_booster(kauri.folder / "0001.model").attributes().keys() == {"kauri_checkpoint"}
    kauri.train(*watch, *on, "early_stopping_rounds=2")
    again = peer_booster(kauri.folder / "on.json")
    assert int(again.attr("best_iteration")) == again.num_boosted_rounds() - 1 > best
    kauri.train(*watch, *on, "num_round=0")
    assert peer_booster(kauri.folder / "on.json").attr("best_iteration") == str(best)


@pytest.mark.parametrize("method", ["exact", "hist"])
def test_same_bytes_for_any_number_of_threads(kauri: Kauri, method: str) -> None:
    for threads in (1, 2, 8):
        kauri.train(f"nthread={threads}", f"tree_method={method}", "subsample=0.8", f"model_out=threads{threads}.json")
    models = {(kauri.folder / f"threads{threads}.json").read_bytes() for threads in (1, 2, 8)}
    assert len(models) == 1


def test_zero_rounds_is_a_model(kauri: Kauri) -> None:
    kauri.train("num_round=0")
    assert len(set(kauri.predict())) == 1


def test_dialect_of_the_final_model(kauri: Kauri) -> None:
    """Checkpoints do not use the dialect; what it cannot represent is detected after the first round."""
    run = [f"data={kauri.train_uri}", "num_round=3", "save_period=1", "model_out=old.json"]
    kauri.run(*run, "model_dialect=1.7")
    assert json.loads((kauri.folder / "old.json").read_text())["version"] == [1, 7, 0]
    assert json.loads((kauri.folder / "old.json").read_text())["learner"]["learner_model_param"]["base_score"][0] != "["
    newest = (kauri.folder / "0003.model").read_bytes()
    kauri.run("task=dump", "model_in=old.json", "name_dump=old.txt")
    kauri.run("task=dump", "model_in=0003.model", "name_dump=new.txt")
    assert (kauri.folder / "old.txt").read_text() == (kauri.folder / "new.txt").read_text()
    (kauri.folder / "old.json").unlink()
    assert "'1.8' is not known; expected one of 1.7, 2.1" in kauri.run(*run, "model_dialect=1.8", status=1).err
    classes = [
        *run,
        "objective=multi:softprob",
        "num_class=2",
        "base_score=[0.1,0.2]",
        "model_dialect=3.0",
        "save_period=0",
    ]
    error = kauri.run(*classes, status=1).err
    assert "base scores that differ between its outputs" in error
    assert "write the dialect 3.2 or later" in error
    assert not (kauri.folder / "old.json").exists()
    assert (kauri.folder / "0003.model").read_bytes() == newest


def test_each_task_says_what_it_wrote(kauri: Kauri) -> None:
    kauri.train("num_round=1")
    rows = len(kauri.predict())
    reading = ["model_in=model.json", f"test:data={kauri.test_uri}"]
    said = {
        f"predictions of {rows} rows written to 'pred.txt'": ["task=pred", *reading],
        f"contributions of {rows} rows written to 'pred.txt'": ["task=pred", *reading, "pred_contribs=true"],
        f"explanations of {rows} rows written to 'all.npy'": ["task=explain", *reading, "name_explain=all.npy"],
        "1 tree written to 'trees.txt'": ["task=dump", "model_in=model.json", "name_dump=trees.txt"],
    }
    for line, arguments in said.items():
        assert kauri.run(*arguments).err == line + "\n"
        assert kauri.run(*arguments, "verbosity=0").err == ""
