"""Configuration files: accepted syntax, and precedence."""

from __future__ import annotations

import json

import pytest
from cli_program import Kauri

FORMS = {
    "plain": "max_depth=2\n{rest}",
    "blanks": "  max_depth \t=  2   \n{rest}",
    "comment after": "max_depth = 2 # not 3\n{rest}",
    "comment line": "# max_depth = 3\n   # nor this\nmax_depth = 2\n{rest}",
    "comment without blank": "max_depth = 2#3\n{rest}",
    "double quotes": '"max_depth" = "2"\n{rest}',
    "single quotes": "'max_depth'='2' # yes\n{rest}",
    "carriage returns": "max_depth = 2\r\n\r\n{rest}",
    "old line ends": "max_depth = 2\r{rest}",
    "byte order mark": "\ufeffmax_depth = 2\n{rest}",
    "later line wins": "max_depth = 5\nmax_depth = 2\n{rest}",
    "no newline at the end": "{rest}\nmax_depth = 2",
}


def depth_of(kauri: Kauri, name: str = "model.json") -> int:
    trees = json.loads((kauri.folder / name).read_text())["learner"]["gradient_booster"]["model"]["trees"]

    def depth(tree: dict, node: int = 0) -> int:
        left, right = tree["left_children"][node], tree["right_children"][node]
        return 0 if left == -1 else 1 + max(depth(tree, left), depth(tree, right))

    return max(depth(tree) for tree in trees)


def config_rest(kauri: Kauri) -> str:
    return f"data = '{kauri.train_uri}'\nobjective = binary:logistic\nnum_round = 3\nmodel_out = model.json\n"


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
def test_accepted_forms(kauri: Kauri, form: str) -> None:
    kauri.write("train.conf", form.format(rest=config_rest(kauri)))
    kauri.run("train.conf")
    assert depth_of(kauri) == 2


def test_arguments_override_the_file(kauri: Kauri) -> None:
    kauri.write("train.conf", "max_depth = 4\n" + config_rest(kauri))
    kauri.run("train.conf", "max_depth=3", "max_depth=1", "model_out=other.json")
    assert depth_of(kauri, "other.json") == 1
    assert not (kauri.folder / "model.json").exists()


def test_hash_and_blank_inside_quotes(kauri: Kauri) -> None:
    kauri.write("train.conf", config_rest(kauri) + 'model_out = "a #1 model.json"\n')
    kauri.run("train.conf")
    assert (kauri.folder / "a #1 model.json").is_file()


def test_aliases(kauri: Kauri) -> None:
    kauri.run(
        f"train_path={kauri.train_uri}",
        "num_round=1",
        "learning_rate=0.5",
        "objective=binary:logistic",
        "model_out=m.json",
    )
    kauri.write("names.txt", "".join(f"{index} name{index} q\n" for index in range(30)))
    done = kauri.run("task=dump", "model_in=m.json", "name_fmap=names.txt", "name_dump=stdout")
    assert "name" in done.out
    kauri.run("task=pred", "model_in=m.json", f"test_path={kauri.test_uri}")
    assert len((kauri.folder / "pred.txt").read_text().splitlines()) == 113


def test_an_evaluation_set_is_overridden_by_name(kauri: Kauri) -> None:
    done = kauri.train(
        "eval[b]=missing.libsvm", f"eval[a]={kauri.train_uri}", f"eval[b]={kauri.test_uri}", "num_round=1"
    )
    first, second = done.out.strip().split("\t")[1:]
    assert first.startswith("b-")
    assert second.startswith("a-")
