"""Training data in external memory: `data=path#cache`, and memory_budget."""

from __future__ import annotations

from cli_program import Kauri


def test_a_cache_trains_the_same_model(kauri: Kauri) -> None:
    # Each thread needs memory of its own, so the smallest budget depends on their number.
    evaluated = (f"eval[test]={kauri.test_uri}", "eval_train=1", "tree_method=hist", "nthread=2")
    plain = kauri.train(*evaluated).out
    model = (kauri.folder / "model.json").read_bytes()
    for budget in ("memory_budget=0", "memory_budget=2"):
        for evaluation in ("", "#more"):
            done = kauri.train(
                f"data={kauri.train_uri}#pages", f"eval[test]={kauri.test_uri}{evaluation}", *evaluated[1:], budget
            )
            assert (kauri.folder / "model.json").read_bytes() == model
            assert done.out == plain
    assert sorted(path.name for path in kauri.folder.iterdir()) == ["model.json"]


def test_csv_with_other_bins(kauri: Kauri) -> None:
    rows = "".join(f"{i % 2},{i % 37},{i * i % 101}\n" for i in range(500))
    kauri.write("rows.csv", rows)
    uri = "rows.csv?label_column=0"
    models = []
    for data in (uri, uri + "#pages"):
        kauri.train(f"data={data}", "tree_method=hist", "max_bin=16")
        models.append((kauri.folder / "model.json").read_bytes())
    assert models[0] == models[1]


def test_refusals(kauri: Kauri) -> None:
    data = f"data={kauri.train_uri}#pages"
    done = kauri.run(data, "tree_method=hist", "memory_budget=1", "nthread=64", status=1)
    assert "memory_budget=1 (MiB) is too small" in done.err
    assert "Raise memory_budget" in done.err
    done = kauri.run(data, "tree_method=exact", status=1)
    assert "tree_method=exact needs the values" in done.err
    done = kauri.run(f"data={kauri.train_uri}#no/such/folder", "tree_method=hist", status=1)
    assert "no/such/folder" in done.err
    kauri.train()
    done = kauri.run("task=pred", "model_in=model.json", f"test:data={kauri.test_uri}#pages", status=1)
    assert "leave out the part from '#' on" in done.err


def test_bins_are_not_sketched_again(kauri: Kauri) -> None:
    error = kauri.run("train", f"{kauri.train_uri}#pages", "sketch=gk", status=1).err
    assert "sketch=gk sets how the bins of a DMatrix are cut" in error


def test_the_budget_is_listed(kauri: Kauri) -> None:
    assert "memory_budget" in kauri.run("help", "all").out
