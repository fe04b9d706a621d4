"""Ctrl-C and SIGTERM: finished rounds are saved, and a shell sees why the program ended."""

from __future__ import annotations

import signal
import subprocess

import pytest
from cli_program import BUILD, Done, Kauri

MANY = 1_000_000


def arguments_of(kauri: Kauri, *more: str) -> list[str]:
    data = [f"data={kauri.train_uri}", f"eval[test]={kauri.test_uri}", "objective=binary:logistic"]
    return [*data, "max_depth=2", f"num_round={MANY}", "nthread=1", *more]


def interrupted(kauri: Kauri, *more: str, by: signal.Signals = signal.SIGINT, ignored: bool = False) -> Done:
    """Send a signal after three rounds; return the results."""
    with subprocess.Popen(
        [str(BUILD / "bin" / "kauri"), *arguments_of(kauri, *more)],
        bufsize=0,  # otherwise communicate() would miss buffered data
        cwd=kauri.folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=(lambda: signal.signal(by, signal.SIG_IGN)) if ignored else None,
    ) as process:
        lines = [process.stdout.readline() for _ in range(3)]
        process.send_signal(by)
        out, err = process.communicate(timeout=60)
    return Done(process.returncode, (b"".join(lines) + out).decode(), err.decode())


@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM])
def test_finished_rounds_are_kept(kauri: Kauri, by: signal.Signals) -> None:
    done = interrupted(kauri, "model_out=cut.json", by=by)
    assert done.status == -by  # a shell reports Ctrl-C as 130, and ends its own loop
    rounds = len(done.out.splitlines())
    assert 3 <= rounds < MANY
    assert done.err.splitlines()[-2:] == [
        f"interrupted: stopped after {rounds} of {MANY} rounds",
        f"model of {rounds} rounds written to 'cut.json'",
    ]
    kauri.run(*arguments_of(kauri, "model_out=whole.json"), f"num_round={rounds}")
    assert (kauri.folder / "cut.json").read_bytes() == (kauri.folder / "whole.json").read_bytes()


def test_the_best_round_of_those_that_are_done(kauri: Kauri) -> None:
    done = interrupted(kauri, "model_out=cut.json", f"early_stopping_rounds={MANY}", "eta=1")
    losses = [float(line.rpartition(":")[2]) for line in done.out.splitlines()]
    best = losses.index(min(losses)) + 1
    assert f"model of {best} round{'s' if best > 1 else ''} written to 'cut.json'" in done.err


def test_a_checkpoint_is_what_is_gone_on_from(kauri: Kauri) -> None:
    (kauri.folder / "saved").mkdir()
    saving = ["model_dir=saved", f"save_period={MANY}"]
    done = interrupted(kauri, *saving)
    rounds = len(done.out.splitlines())
    name = f"{rounds:04d}.model"
    assert f"checkpoint of {rounds} rounds written to 'saved/{name}'" in done.err
    assert [path.name for path in (kauri.folder / "saved").iterdir()] == [name]
    resumed = kauri.run(
        *arguments_of(kauri, *saving, "resume=true", "model_out=resumed.json"), f"num_round={rounds + 2}"
    )
    assert len(resumed.out.splitlines()) == 2
    kauri.run(*arguments_of(kauri, "model_out=whole.json"), f"num_round={rounds + 2}")
    assert (kauri.folder / "resumed.json").read_bytes() == (kauri.folder / "whole.json").read_bytes()


def test_a_numbered_model_has_the_number_of_its_rounds(kauri: Kauri) -> None:
    rounds = len(interrupted(kauri).out.splitlines())
    assert (kauri.folder / f"{rounds:04d}.model").is_file()


def test_a_signal_that_is_ignored_stays_so(kauri: Kauri) -> None:
    done = interrupted(kauri, "num_round=40", "model_out=whole.json", ignored=True)
    assert done.status == 0
    assert len(done.out.splitlines()) == 40
    assert done.err == "model of 40 rounds written to 'whole.json'\n"


def test_a_second_signal_ends_at_once(kauri: Kauri) -> None:
    rows = kauri.write("many.csv", "\n".join(f"{i % 2},{i},{i * 7 % 1000},{i * 13 % 997}" for i in range(100_000)))
    slow = [f"data={rows}?format=csv&label_column=0", "num_parallel_tree=100", "max_depth=10", "nthread=1"]
    with subprocess.Popen(
        [str(BUILD / "bin" / "kauri"), *slow, "eval_train=1", "num_round=9", "model_out=cut.json"],
        cwd=kauri.folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout.readline()  # one round is done
        process.send_signal(signal.SIGINT)
        while b"a second signal ends at once" not in process.stderr.readline():
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == -signal.SIGINT
    assert not (kauri.folder / "cut.json").exists()
