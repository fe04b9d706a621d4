"""One booster in many threads, some of which modify it. Calls may be refused, but never crash or mix states."""

from __future__ import annotations

import copy
import pickle
import random
import threading
from collections.abc import Callable

import kauriboost as kb
import numpy as np
import pytest

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 4)).astype(np.float32)
Y = (X[:, 0] + X[:, 1] > 0).astype(np.float32)
PARAMS = {"objective": "binary:logistic", "max_depth": 3, "nthread": 1}


def operations(booster: kb.Booster, data: kb.DMatrix, small: bytearray) -> list[Callable[[], object]]:
    """Return the calls of the threads; every second one changes the booster or the data."""
    return [
        lambda: booster.predict(data),
        lambda: booster.load_model(small),
        lambda: booster.inplace_predict(X[:1]),
        lambda: booster.update(data, 0),
        lambda: booster.predict(data, pred_contribs=True),
        lambda: booster.set_param({"eta": 0.2}),
        lambda: booster.save_raw("json"),
        lambda: booster.set_attr(note="a text that is too long for a small string"),
        lambda: copy.deepcopy(booster),
        lambda: booster.boost(data, 0, np.zeros(len(Y)), np.ones(len(Y))),
        lambda: pickle.dumps(booster),
        lambda: data.set_weight(Y + 1),
        lambda: booster[0:1],
        lambda: data.set_label(Y),
        lambda: booster.get_dump(with_stats=True),
        lambda: booster.eval(data),
        lambda: booster.get_score(),
        lambda: booster.reset(),
        lambda: booster.attributes(),
        lambda: booster.save_config(),
    ]


@pytest.mark.parametrize("seed", range(3))
def test_calls_of_every_kind_at_once(seed: int) -> None:
    data = kb.DMatrix(X, Y)
    booster = kb.train(PARAMS, data, 4)
    small = booster[0:1].save_raw("ubj")
    failures: list[BaseException] = []
    barrier = threading.Barrier(6)

    def work(number: int) -> None:
        rng = random.Random(100 * seed + number)
        calls = operations(booster, data, small)
        barrier.wait()
        for _ in range(60):
            try:
                rng.choice(calls)()
            except kb.InternalError as error:
                failures.append(error)
            except kb.KauriError:
                pass  # a refusal

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    booster.load_model(small)
    assert booster.save_raw("ubj") == small


def test_predictions_are_of_whole_models() -> None:
    data = kb.DMatrix(X, Y)
    booster = kb.train(PARAMS, data, 12)
    models = [booster[0:1].save_raw("ubj"), booster.save_raw("ubj")]
    expected = [kb.Booster(model_file=model).predict(data).tobytes() for model in models]
    is_over = threading.Event()

    def load() -> None:
        for i in range(200):
            booster.load_model(models[i % 2])
        is_over.set()

    loader = threading.Thread(target=load)
    loader.start()
    while not is_over.is_set():
        assert booster.predict(data).tobytes() in expected
    loader.join()
