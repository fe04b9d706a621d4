"""Training with ranks that are threads, through the callbacks of the library."""

from __future__ import annotations

import time
from typing import Any

import kauriboost as kb
import numpy as np
import pytest
from kauriboost.collective import Collective, CollectiveError, rows_in_order_of_ranks
from test_thread_ranks import run_ranks

PARAMS = {"max_depth": 4, "tree_method": "hist", "subsample": 0.8, "nthread": 1}
RNG = np.random.default_rng(2)
X = RNG.normal(size=(1000, 5)).astype(np.float32)
Y = (X[:, 0] * X[:, 1] + RNG.normal(scale=0.2, size=1000)).astype(np.float32)


def mine(collective: Collective) -> slice:
    """Return the rows of a rank; of two or more ranks, the last has none."""
    bounds = [*np.linspace(0, len(X), max(collective.size - 1, 1) + 1).astype(int).tolist(), len(X)]
    return slice(bounds[collective.rank], bounds[collective.rank + 1])


def matrix(collective: Collective, kind: Any = kb.DMatrix) -> kb.DMatrix:
    rows = mine(collective)
    how = {} if kind is kb.DMatrix else {"collective": collective}
    data = kind(X[rows], label=Y[rows], **how)
    data.set_info(global_rows=rows_in_order_of_ranks(collective, rows.stop - rows.start))
    return data


def trained(collective: Collective | None, data: kb.DMatrix, **how: Any) -> tuple[bytes, Any]:
    history: Any = {}
    evals = [(data, "train")]
    how = {"evals": evals, "evals_result": history, "verbose_eval": False, "collective": collective, **how}
    booster = kb.train(PARAMS, data, 6, **how)
    return bytes(booster.save_raw()), history


@pytest.mark.parametrize("kind", [kb.DMatrix, kb.QuantileDMatrix])
@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_bytes_and_digits_of_one_process(n: int, kind: Any) -> None:
    alone = trained(None, kb.DMatrix(X, label=Y))
    assert run_ranks(n, lambda collective: trained(collective, matrix(collective, kind))) == [alone] * n


def test_a_metric_sees_all_rows_in_their_order() -> None:
    def seen(predictions: np.ndarray, data: kb.DMatrix) -> tuple[str, float]:
        assert data.num_row() == len(predictions) == len(X)
        return "weighted", float(np.sum(np.arange(len(X)) * (predictions - data.get_label())))

    alone = trained(None, kb.DMatrix(X, label=Y), custom_metric=seen)
    assert run_ranks(3, lambda collective: trained(collective, matrix(collective), custom_metric=seen)) == [alone] * 3


def test_lines_are_printed_once(capsys: pytest.CaptureFixture[str]) -> None:
    trained(None, kb.DMatrix(X, label=Y), verbose_eval=True)
    once = capsys.readouterr().out
    run_ranks(3, lambda collective: trained(collective, matrix(collective), verbose_eval=True))
    assert capsys.readouterr().out == once


class StopsOrFails(kb.callback.TrainingCallback):
    def __init__(self, rank: int, error: BaseException | None = None) -> None:
        self.rank, self.error = rank, error

    def after_iteration(self, model: Any, epoch: int, evals_log: Any) -> bool:
        if epoch == 2 and self.error is not None:
            raise self.error
        return epoch == 2


def test_one_rank_stops_all() -> None:
    def rounds(collective: Collective) -> int:
        callbacks = [StopsOrFails(1)] if collective.rank == 1 else []
        return kb.train(PARAMS, matrix(collective), 6, collective=collective, callbacks=callbacks).num_boosted_rounds()

    assert run_ranks(3, rounds) == [3, 3, 3]


def test_one_rank_fails_and_the_others_hear_of_it() -> None:
    def run(collective: Collective) -> None:
        callbacks = [StopsOrFails(1, RuntimeError("no room"))] if collective.rank == 1 else []
        kb.train(PARAMS, matrix(collective), 6, collective=collective, callbacks=callbacks)

    begin = time.monotonic()
    errors = run_ranks(3, run, timeout=60)
    assert time.monotonic() - begin < 20
    assert isinstance(errors[1], RuntimeError)
    for error in (errors[0], errors[2]):
        assert isinstance(error, CollectiveError)
        assert "rank 1 has failed: RuntimeError: no room" in str(error)


class Evaluates(kb.callback.TrainingCallback):
    """Evaluates sets, which the last rank makes anew in each round."""

    def __init__(self, collective: Collective, n_sets: int) -> None:
        self.is_last = collective.rank == collective.size - 1
        self.rows, self.n_sets = mine(collective), n_sets
        self.kept, self.found = self.made(), list[str]()

    def made(self) -> kb.DMatrix:
        data = kb.DMatrix(X[self.rows], label=Y[self.rows])
        numbers = [[self.rows.start, self.rows.stop - self.rows.start]] if data.num_row() else []
        data.set_info(global_rows=np.array(numbers, np.int64).reshape(-1, 2))
        return data

    def after_iteration(self, model: Any, epoch: int, evals_log: Any) -> bool:
        data = self.made() if self.is_last else self.kept
        self.found.append(model.eval_set([(data, "own")] * self.n_sets, epoch))
        return False


def test_a_set_that_is_new_on_one_rank_alone() -> None:
    def run(collective: Collective) -> list[str]:
        callback = Evaluates(collective, 1)
        kb.train(PARAMS, matrix(collective), 4, collective=collective, callbacks=[callback])
        return callback.found

    for n in (2, 3):
        found = run_ranks(n, run)
        assert all(each == found[0] for each in found), found
        assert len(found[0]) == 4


def test_ranks_evaluate_the_same_number_of_sets() -> None:
    def run(collective: Collective) -> None:
        callback = Evaluates(collective, 1 + collective.rank)
        kb.train(PARAMS, matrix(collective), 4, collective=collective, callbacks=[callback])

    for error in run_ranks(2, run):
        assert "evaluate different numbers of sets: 1 on one rank, 2 on another" in str(error)


class Broken(Collective):
    """A collective whose connection fails at the n-th call."""

    def __init__(self, inner: Collective, calls_left: int, error: BaseException) -> None:
        self.rank, self.size = inner.rank, inner.size
        self._inner, self._left, self._error = inner, calls_left, error

    def _count(self) -> None:
        self._left -= 1
        if self._left < 0:
            raise self._error

    def sum(self, values: np.ndarray) -> None:
        self._count()
        self._inner.sum(values)

    def max(self, values: np.ndarray) -> None:
        self._count()
        self._inner.max(values)

    def gather(self, mine: np.ndarray, sizes: np.ndarray, everything: np.ndarray) -> None:
        self._count()
        self._inner.gather(mine, sizes, everything)

    def abort(self, why: str) -> None:
        self._inner.abort(why)


@pytest.mark.parametrize("calls_left", [1, 5, 12, 40])
def test_a_wire_that_breaks(calls_left: int) -> None:
    """The exception is quoted on its rank and reaches the others; no exception passes through the library."""

    def run(collective: Collective) -> None:
        data = matrix(collective)
        wire = Broken(collective, calls_left, OSError("the cable is cut")) if collective.rank == 0 else collective
        kb.train(PARAMS, data, 6, collective=wire)

    errors = run_ranks(2, run, timeout=30)
    assert all(isinstance(error, (CollectiveError, OSError)) for error in errors)
    assert "the cable is cut" in str(errors[0])
    assert "the cable is cut" in str(errors[1])


def test_an_interrupt_in_a_call_stays_one() -> None:
    def run(collective: Collective) -> str:
        data = matrix(collective)
        wire = Broken(collective, 8, KeyboardInterrupt()) if collective.rank == 0 else collective
        try:
            kb.train(PARAMS, data, 6, collective=wire)
        except KeyboardInterrupt:
            return "interrupted"
        except CollectiveError:
            return "told"
        return "done"

    assert run_ranks(2, run, timeout=30) == ["interrupted", "told"]


def test_a_booster_learns_alone_again_afterwards() -> None:
    def run(collective: Collective) -> bytes:
        booster = kb.train(PARAMS, matrix(collective), 3, collective=collective)
        if collective.rank == 0:  # the others make no further calls
            booster.update(kb.DMatrix(X, label=Y), 3)
        return bytes(booster.save_raw())

    longer = kb.train(PARAMS, kb.DMatrix(X, label=Y), 4)
    assert run_ranks(2, run)[0] == bytes(longer.save_raw())


class Unsteady(kb.DataIter):
    """The rows of a rank; the last rank's labels change in later passes."""

    def __init__(self, collective: Collective) -> None:
        self.rows, self.changes = (
            np.array_split(np.arange(len(X)), collective.size)[collective.rank],
            collective.rank == collective.size - 1,
        )
        self.n_resets, self.at = 0, 0

    def next(self, input_data: Any) -> bool:
        if self.at == 1:
            return False
        labels = -Y[self.rows] if self.changes and self.n_resets > 1 else Y[self.rows]
        input_data(data=X[self.rows], label=labels)
        self.at += 1
        return True

    def reset(self) -> None:
        self.n_resets, self.at = self.n_resets + 1, 0


def test_a_rank_whose_labels_change_between_passes_is_refused() -> None:
    steady, unsteady = run_ranks(
        2, lambda collective: kb.QuantileDMatrix(Unsteady(collective), collective=collective), 5.0
    )
    assert isinstance(unsteady, kb.DataError)
    assert "gave another label than the first" in str(unsteady)
    assert isinstance(steady, (CollectiveError, kb.QuantileDMatrix))


class GoesAstray(kb.callback.TrainingCallback):
    """Gives a rank another model after the last round, as a corrupted sum would."""

    def after_iteration(self, model: Any, epoch: int, evals_log: Any) -> bool:
        if epoch == 5:
            text = bytes(model.save_raw("json"))
            at = text.index(b'"split_conditions":[') + len(b'"split_conditions":[')
            model.load_model(text[:at] + b"9" + text[at:].lstrip(b"-"))
        return False


@pytest.mark.parametrize(("n", "astray"), [(2, [1]), (2, [0]), (3, [0]), (4, [2]), (5, [1, 3])])
def test_ranks_find_out_that_some_have_another_model(n: int, astray: list[int]) -> None:
    def learn(collective: Collective) -> Any:
        callbacks = [GoesAstray()] if collective.rank in astray else []
        data = matrix(collective)
        with pytest.raises(CollectiveError, match="the ranks of the group have not trained the same model") as raised:
            kb.train(PARAMS, data, 6, verbose_eval=False, collective=collective, callbacks=callbacks)
        return str(raised.value)

    named = [1] if n == 2 else astray  # with two ranks there is no majority
    said = run_ranks(n, learn)
    assert len(set(said)) == 1
    assert f"is on rank {', '.join(map(str, named))} of {n}" in said[0]


def in_shards(collective: Collective, ends: list[int]) -> kb.DMatrix:
    """Return the rows of a rank; the ranks have consecutive shards, which end at `ends`."""
    bounds = [0, *ends, len(X)]
    rows = slice(bounds[collective.rank], bounds[collective.rank + 1])
    data = kb.DMatrix(X[rows], label=Y[rows])
    data.set_info(global_rows=rows_in_order_of_ranks(collective, rows.stop - rows.start))
    return data


@pytest.mark.parametrize("density", ["max_entropy", "legendre", "cosine"])
def test_models_of_moments_do_not_depend_on_the_shards(density: str) -> None:
    params = PARAMS | {"sketch": "moments", "sketch_density": density, "max_bin": 16}

    def models(ends: list[int]) -> set[bytes]:
        def run(collective: Collective) -> bytes:
            return bytes(kb.train(params, in_shards(collective, ends), 3, collective=collective).save_raw())

        return set(run_ranks(len(ends) + 1, run))

    found = [models(ends) for ends in ([len(X) // 2], [1], [len(X)], [0, len(X) // 5], [7, 7])]
    assert all(each == found[0] for each in found)
    assert len(found[0]) == 1


@pytest.mark.parametrize("sketch", ["gk", "kll"])
def test_merged_sketches_give_all_ranks_one_model(sketch: str) -> None:
    params = PARAMS | {"sketch": sketch, "max_bin": 16}
    for ends in ([len(X) // 2], [0, len(X) // 5]):

        def run(collective: Collective, ends: list[int] = ends) -> bytes:
            return bytes(kb.train(params, in_shards(collective, ends), 3, collective=collective).save_raw())

        models = run_ranks(len(ends) + 1, run)
        assert all(isinstance(model, bytes) for model in models)
        assert len(set(models)) == 1
