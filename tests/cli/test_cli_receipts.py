"""receipt=true and task=verify, also for receipts made by the package, and the reverse."""

from __future__ import annotations

import json

import kauriboost as kb
import numpy as np
import pytest
from cli_program import Kauri

WAYS = {
    "sampled": ["subsample=0.5", "seed=3", "eval_metric=auc"],
    "hist": ["tree_method=hist", "max_leaves=5", "grow_policy=lossguide"],
    "dart": ["booster=dart", "rate_drop=0.5"],
    "gblinear": ["booster=gblinear"],
    "stopped": ["eval[test]={test}", "early_stopping_rounds=1", "eta=3", "num_round=30"],
    "stopped dart": ["booster=dart", "rate_drop=0.5", "eval[a]={test}", "early_stopping_rounds=1", "eta=3"],
}


def verify(kauri: Kauri, *arguments: str, status: int = 0, data: str = "") -> str:
    uri = data or kauri.train_uri
    done = kauri.run("task=verify", "model_in=model.json", f"data={uri}", *arguments, status=status)
    assert status == 0 or done.out == ""
    return done.err if status else done.out


@pytest.mark.parametrize("how", WAYS)
def test_a_receipt_holds(kauri: Kauri, how: str) -> None:
    arguments = [argument.format(test=kauri.test_uri) for argument in WAYS[how]]
    done = kauri.train("receipt=true", *arguments)
    assert "learning it again for its receipt\n" in done.err
    assert "receipt written to 'model.json'\n" in done.err
    n_rounds = kb.Booster(model_file=kauri.folder / "model.json").num_boosted_rounds()
    word = "round" if n_rounds == 1 else "rounds"
    again = f"verified; learning {n_rounds} {word} again from {kauri.train_uri} gives the same bytes"
    assert verify(kauri) == f"model.json: {again}\n"
    assert verify(kauri, "nthread=1") == f"model.json: {again}\n"
    assert "task=verify does not read 'eta'" in verify(kauri, "eta=0.1", status=1)  # the receipt has the parameters
    kept = json.loads((kauri.folder / "model.json").read_text())
    del kept["learner"]["attributes"]["kauri_receipt"]
    kauri.train(*arguments)
    assert json.loads((kauri.folder / "model.json").read_text()) == kept


def test_formats_dialects_and_categories(kauri: Kauri) -> None:
    rng = np.random.default_rng(1)
    lines = [f"{rng.integers(2)},{rng.normal():.4f},{rng.integers(7)}" for _ in range(300)]
    kauri.write("rows.csv", "y,size,kind\n" + "\n".join(lines) + "\n")
    uri = f"{kauri.folder / 'rows.csv'}?label_column=y&categorical_columns=kind"
    common = ["objective=binary:logistic", "tree_method=hist", "num_round=4", f"data={uri}", "receipt=true"]
    for more in (["model_out=model.ubj"], ["model_out=model.json", "model_dialect=3.4"]):
        kauri.run(*common, *more)
        name = more[0].split("=")[1]
        assert "verified" in kauri.run("task=verify", f"model_in={name}", f"data={uri}").out
    kauri.run("task=convert", "model_in=model.ubj", "model_out=converted.json")
    assert "verified" in kauri.run("task=verify", "model_in=converted.json", f"data={uri}").out
    number = uri.replace("&categorical_columns=kind", "")
    refused = kauri.run("task=verify", "model_in=model.ubj", f"data={number}", status=1)
    assert "the names and types of the data differ." in refused.err


def test_the_package_verifies_and_is_verified(kauri: Kauri) -> None:
    kauri.train("receipt=true", "subsample=0.7")
    data = kb.DMatrix(kauri.train_uri)
    assert kb.verify(kb.Booster(model_file=kauri.folder / "model.json"), data)
    booster = kb.train({"objective": "binary:logistic", "max_leaves": 4, "nthread": 1}, data, 3, verbose_eval=False)
    kb.add_receipt(booster, data)
    booster.save_model(kauri.folder / "model.json")
    assert "verified; learning 3 rounds again" in verify(kauri)


def test_what_is_not_verified(kauri: Kauri) -> None:
    kauri.train("receipt=true")
    said = verify(kauri, data=kauri.test_uri, status=1)
    assert said.startswith("error: model_in=model.json is not verified: the features of the data differ; ")
    assert "the values of label of the data differ. Give the rows" in said
    whole = json.loads((kauri.folder / "model.json").read_text())
    changed = json.loads(json.dumps(whole))
    changed["learner"]["gradient_booster"]["model"]["trees"][0]["split_conditions"][0] += 1
    kauri.write("model.json", json.dumps(changed))
    assert "is not verified: the model was changed after its receipt." in verify(kauri, status=1)
    receipt = json.loads(whole["learner"]["attributes"]["kauri_receipt"])
    for forged, says in [
        ({"params": {**receipt["params"], "max_depth": "2"}}, "learning again gives another model"),
        ({"rounds": 4}, "kauri_receipt is damaged"),
        ({"data": {}}, "kauri_receipt is damaged"),
        ({"model": 3}, "kauri_receipt is damaged"),
        ({"params": {"no_such": "1"}}, "no_such"),
    ]:
        whole["learner"]["attributes"]["kauri_receipt"] = json.dumps({**receipt, **forged})
        kauri.write("model.json", json.dumps(whole))
        assert says in verify(kauri, status=1)
    kauri.train()
    assert "has no receipt; give it one after training" in verify(kauri, status=1)


def test_what_gets_none(kauri: Kauri) -> None:
    kauri.train()
    arguments = [f"data={kauri.train_uri}", "model_in=model.json", "model_out=more.json", "receipt=true"]
    assert "cannot be trained again from its data alone" in kauri.run(*arguments, status=1).err
    assert not (kauri.folder / "more.json").exists()


def test_a_resumed_training_has_the_same_receipt(kauri: Kauri) -> None:
    kauri.train("receipt=true", "subsample=0.5")
    whole = (kauri.folder / "model.json").read_bytes()
    checkpoints = ["model_dir=.", "save_period=1", "subsample=0.5"]
    kauri.train("num_round=3", *checkpoints)
    assert "resuming" in kauri.train("receipt=true", "resume=true", *checkpoints).err
    assert (kauri.folder / "model.json").read_bytes() == whole


def test_a_cache_of_bins_has_a_receipt(kauri: Kauri) -> None:
    uri = kauri.train_uri + "#cache"
    kauri.run(
        f"data={uri}",
        "objective=binary:logistic",
        "tree_method=hist",
        "num_round=3",
        "receipt=true",
        "model_out=model.json",
    )
    assert "verified" in verify(kauri, data=uri)


def test_paths_are_needed(kauri: Kauri) -> None:
    assert "task=verify needs model_in=path" in kauri.run("task=verify", status=1).err
    assert "task=verify needs data=path" in kauri.run("task=verify", "model_in=model.json", status=1).err
