"""Wrong input: one line on standard error with the problem, the place and the cure; status 1; nothing written."""

from __future__ import annotations

import os
import signal
import subprocess

import pytest
from cli_program import BUILD, Kauri

# (arguments besides data and objective, fragments of the message)
BAD_ARGUMENTS = {
    "metric of LightGBM": (["eval_metric=binary_logloss"], ["'binary_logloss'", "use logloss"]),
    "metric that is none": (["eval_metric=accuracy"], ["'accuracy'", "accuracy is 1 - error", "merror"]),
    "objective of LightGBM": (["objective=binary"], ["'binary'", "use binary:logistic"]),
    "tree method of XGBoost 1": (["tree_method=gpu_hist"], ["'gpu_hist'", "tree_method=hist, with device=cuda"]),
    "booster of LightGBM": (["booster=gbdt"], ["'gbdt'", "use gbtree"]),
    "Tweedie without a mean": (
        ["objective=reg:tweedie", "data=zeros.libsvm?format=libsvm"],
        ["reg:tweedie: every label is 0", "base_score"],
    ),
    "misspelt learner key": (["max_dept=3"], ["argument 'max_dept=3'", "did you mean 'max_depth'?"]),
    "misspelt command line key": (
        ["num_rounds=3"],
        ["unknown parameter 'num_rounds'", "num_round of the command line"],
    ),
    "misspelt alias": (["learning_rat=3"], ["'learning_rate'"]),
    "nothing near": (["zzzzzzzzzzzz=3"], ["unknown parameter 'zzzzzzzzzzzz'", "kauri help all"]),
    "eval without a name": (["eval[]=x"], ["eval[NAME]"]),
    "eval without an end": (["eval[test=x"], ["eval[NAME]"]),
    "not a setting": (["max_depth"], ["'max_depth'", "key=value"]),
    "no key": (["=3"], ["key=value"]),
    "NaN": (["eta=nan"], ["eta", "nan"]),
    "negative": (["eta=-1"], ["eta", "-1"]),
    "negative by the other name": (["learning_rate=-1"], ["parameter learning_rate='-1'"]),
    "an old name": (["gpu_id=0"], ["unknown parameter 'gpu_id'", "device=cuda"]),
    "out of range": (["subsample=1.5"], ["subsample", "1.5"]),
    "zero share": (["subsample=0"], ["subsample", "(0, 1]"]),
    "not a number": (["max_depth=six"], ["max_depth", "six"]),
    "half a number": (["max_depth=2.5"], ["max_depth", "2.5"]),
    "huge number": (["num_round=99999999999999999999"], ["num_round", "99999999999999999999"]),
    "negative rounds": (["num_round=-1"], ["num_round", "-1"]),
    "unknown task": (["task=trian"], ["task", "trian"]),
    "unknown objective": (["objective=binary:logistics"], ["binary:logistics", "'binary:logistic'"]),
    "unknown metric": (["eval_metric=loglos", "eval_train=1"], ["loglos", "'logloss'"]),
    "unknown tree method": (["tree_method=exakt"], ["exakt", "'exact'"]),
    "vectors by another method": (
        ["multi_strategy=multi_output_tree", "tree_method=exact"],
        ["multi_output_tree", "tree_method=exact", "tree_method=hist"],
    ),
    "unknown strategy": (["multi_strategy=vectors"], ["multi_strategy", "vectors", "multi_output_tree"]),
    "unknown booster": (["booster=gbtre"], ["gbtre", "'gbtree'"]),
    "split by columns": (["dsplit=col"], ["dsplit", "col"]),
    "model extension": (["model_out=model.bin"], ["model.bin", ".json", ".ubj"]),
    "model folder": (["model_out=nowhere/model.json"], ["nowhere/model.json", "does not exist"]),
    "model is a directory": (["model_out=folder.json"], ["folder.json", "is a directory"]),
    "missing data": (["data=missing.libsvm?format=libsvm"], ["data=missing.libsvm", "missing.libsvm"]),
    "data is a directory": (["data=folder.json?format=libsvm"], ["folder.json", "directory"]),
    "unknown format": (["data=good.libsvm?format=parket"], ["parket"]),
    "missing evaluation data": (["eval[test]=missing.libsvm?format=libsvm"], ["eval[test]=missing.libsvm"]),
    "nothing to watch": (["early_stopping_rounds=3"], ["early_stopping_rounds=3", "eval[NAME]"]),
    "missing model": (["model_in=missing.json"], ["missing.json"]),
    "model is no model": (["model_in=good.libsvm"], ["model_in=good.libsvm"]),
    "truncated model": (["model_in=truncated.json"], ["model_in=truncated.json"]),
    "missing configuration": (["missing.conf"], ["missing.conf", "configuration"]),
    "configuration is a directory": (["folder.json"], ["folder.json", "is a folder"]),
    "pred without model": (["task=pred", "test:data=good.libsvm?format=libsvm"], ["model_in"]),
    "pred without data": (["task=pred", "model_in=good.json"], ["test:data"]),
    "dump without model": (["task=dump"], ["model_in"]),
    "margin and contributions": (
        ["task=pred", "model_in=good.json", "test:data=x", "pred_margin=1", "pred_contribs=1"],
        ["pred_margin", "pred_contribs"],
    ),
    "rounds past the end": (
        ["task=pred", "model_in=good.json", "test:data=good.libsvm?format=libsvm", "iteration_end=99"],
        ["99"],
    ),
    "dump format": (["task=dump", "model_in=good.json", "dump_format=xml"], ["dump_format", "xml"]),
    "missing feature map": (["task=dump", "model_in=good.json", "fmap=missing.txt"], ["missing.txt"]),
    "feature map line": (["task=dump", "model_in=good.json", "fmap=bad.fmap"], ["bad.fmap", "2"]),
    "prediction folder": (
        ["task=pred", "model_in=good.json", "test:data=good.libsvm?format=libsvm", "name_pred=nowhere/p.txt"],
        ["nowhere/p.txt", "does not exist"],
    ),
}

BAD_CONFIGS = {
    "no equals": ("eta = 0.1\nmax_depth 3\n", ["bad.conf:2", "'max_depth 3'", "="]),
    "no key": ("= 3\n", ["bad.conf:1", "name is missing"]),
    "no value": ("# head\n\nmax_depth =\n", ["bad.conf:3", "'max_depth'", "no value"]),
    "comment as value": ("max_depth = # 3\n", ["bad.conf:1", "no value"]),
    "open quote": ("max_depth = '3\n", ["bad.conf:1", "quote", "closed"]),
    "text after quote": ("max_depth = '3' 4\n", ["bad.conf:1", "after the closing quote"]),
    "NUL": (b"eta = 0.1\nmax_depth = 3\0\n", ["bad.conf:2", "NUL"]),
    "misspelt": ("\n\r\nmax_dept = 3\n", ["bad.conf:3", "'max_dept'", "'max_depth'"]),
    "binary": (bytes(range(256)) * 4, ["bad.conf:"]),
}

BAD_DATA = {
    "label": ("1 0:1\nx 0:1\n", ["2"]),
    "value": ("1 0:1\n0 0:1\n0 0:abc\n", ["3", "abc"]),
    "index": ("1 0:1\n0 -3:1\n", ["2"]),
    "infinite": ("1 0:1\n0 0:inf\n", ["2"]),
    "empty": ("", ["no rows"]),
}


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Kauri:
    """Return a folder with good and bad files, in which every case below fails reproducibly."""
    program = Kauri(tmp_path_factory.mktemp("errors"))
    program.write("good.libsvm", "".join(f"{row % 2} 0:{row} 1:{row % 3}\n" for row in range(20)))
    program.write("zeros.libsvm", "".join(f"0 0:{row} 1:{row % 3}\n" for row in range(20)))
    program.train_uri = "good.libsvm?format=libsvm"
    program.train("model_out=good.json")
    whole = (program.folder / "good.json").read_bytes()
    program.write("truncated.json", whole[: len(whole) // 2])
    program.write("bad.fmap", "0 first q\n1 second z\n")
    program.write("base.conf", 'data = "good.libsvm?format=libsvm"\nmodel_out = new.json\n')
    (program.folder / "folder.json").mkdir()
    return program


def assert_refused(kauri: Kauri, arguments: list[str], fragments: list[str]) -> None:
    before = sorted(path.name for path in kauri.folder.iterdir())
    done = kauri.run(*arguments, status=1)
    assert done.err.startswith("error: "), done.err
    for fragment in fragments:
        assert fragment in done.err
    assert "dmlc" not in done.err.lower()
    assert "Stack trace" not in done.err
    assert sorted(path.name for path in kauri.folder.iterdir()) == before


@pytest.mark.parametrize(("arguments", "fragments"), BAD_ARGUMENTS.values(), ids=BAD_ARGUMENTS.keys())
def test_bad_arguments(workshop: Kauri, arguments: list[str], fragments: list[str]) -> None:
    base = [] if "=" not in arguments[0] and arguments[0] != "max_depth" else ["base.conf"]
    assert_refused(workshop, [*base, *arguments], fragments)


@pytest.mark.parametrize(("content", "fragments"), BAD_CONFIGS.values(), ids=BAD_CONFIGS.keys())
def test_bad_configurations(kauri: Kauri, content: str | bytes, fragments: list[str]) -> None:
    kauri.write("bad.conf", content)
    assert_refused(kauri, ["bad.conf"], fragments)


@pytest.mark.parametrize(("content", "fragments"), BAD_DATA.values(), ids=BAD_DATA.keys())
def test_bad_data(kauri: Kauri, content: str, fragments: list[str]) -> None:
    kauri.write("bad.libsvm", content)
    assert_refused(kauri, ["data=bad.libsvm?format=libsvm", "model_out=m.json"], ["data=bad.libsvm", *fragments])


def test_no_arguments_prints_the_usage(kauri: Kauri) -> None:
    done = kauri.run(status=1)
    assert "usage: kauri TASK" in done.err
    assert "kauri CONFIG" in done.err
    assert "error: no configuration file" in done.err


def test_huge_configuration_is_refused(kauri: Kauri) -> None:
    with (kauri.folder / "huge.conf").open("wb") as file:
        file.truncate(64 << 20)
    assert_refused(kauri, ["huge.conf"], ["huge.conf", "larger than"])


# ---- a reader that goes ----


@pytest.fixture(scope="module")
def long_output(workshop: Kauri) -> Kauri:
    """Return the same folder with rows whose predictions exceed a pipe's buffer."""
    workshop.write("long.libsvm", "".join(f"{row % 2} 0:{row}\n" for row in range(40000)))
    return workshop


def run_for_a_reader_of_one_line(kauri: Kauri, arguments: list[str], *, ignores_signal: bool) -> tuple[int, bytes]:
    """Run the program into a pipe that is closed after one line; return the status and the messages."""

    def prepare() -> None:
        signal.signal(signal.SIGPIPE, signal.SIG_IGN if ignores_signal else signal.SIG_DFL)

    command = [str(BUILD / "bin" / "kauri"), *arguments]
    with subprocess.Popen(
        command,
        cwd=kauri.folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=prepare,
        restore_signals=False,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        said = process.stderr.read()
        return process.wait(60), said


LONG = "long.libsvm?format=libsvm"


@pytest.mark.parametrize("ignores_signal", [False, True])
@pytest.mark.parametrize(
    "arguments",
    [
        ["pred", "good.json", LONG, "name_pred=stdout"],
        ["leaf", "good.json", LONG, "name_pred=stdout"],
        ["explain", "good.json", LONG, "name_explain=stdout"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_a_reader_that_goes_ends_the_program_quietly(
    long_output: Kauri, arguments: list[str], ignores_signal: bool
) -> None:
    status, said = run_for_a_reader_of_one_line(long_output, arguments, ignores_signal=ignores_signal)
    assert (status, said) == (-signal.SIGPIPE, b"")


def test_training_for_a_reader_that_goes_is_saved_where_the_signal_is_ignored(long_output: Kauri) -> None:
    arguments = [f"data={LONG}", "num_round=300", "max_depth=1", "model_out=kept.json", "eval_train=1"]
    status, said = run_for_a_reader_of_one_line(long_output, arguments, ignores_signal=True)
    assert status == -signal.SIGPIPE
    assert b"error" not in said
    assert (long_output.folder / "kept.json").exists()
    (long_output.folder / "kept.json").unlink()


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@pytest.mark.parametrize(
    "arguments", [["--help"], ["help", "all"], ["task=dump", "model_in=good.json", "name_dump=stdout"]]
)
def test_full_disk_is_a_failure(workshop: Kauri, arguments: list[str]) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [str(BUILD / "bin" / "kauri"), *arguments],
            cwd=workshop.folder,
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
            timeout=60,
        )
    assert done.returncode == 1
    assert b"cannot write all of" in done.stderr
