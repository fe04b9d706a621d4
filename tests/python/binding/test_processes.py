"""Processes: children of fork() train and predict; work without new threads; the default number of threads."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable

import kauriboost as kb
import numpy as np
import pytest
from kauriboost._binding.process import num_threads

Table = tuple[np.ndarray, np.ndarray]
PARAMS = {"objective": "binary:logistic", "tree_method": "hist", "max_depth": 4, "nthread": 4}
SECONDS_TO_HANG = 60


def table(n: int = 20_000) -> Table:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(n, 8)).astype(np.float32)
    return X, (X[:, 0] * X[:, 1] + rng.normal(scale=0.3, size=n) > 0).astype(np.float32)


def model_of(booster: kb.Booster) -> bytes:
    return bytes(booster.save_raw("ubj"))


def trained(X: np.ndarray, y: np.ndarray, **params: object) -> kb.Booster:
    return kb.train({**PARAMS, **params}, kb.DMatrix(X, label=y), 3)


def in_child(work: Callable[[], bytes]) -> bytes:
    """Return what `work` returns in a child made by fork(); fail if it hangs or dies."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.close(read)
            answer = work()
            with os.fdopen(write, "wb") as pipe:
                pipe.write(answer)
            status = 0
        finally:
            os._exit(status)
    os.close(write)
    watch = threading.Timer(SECONDS_TO_HANG, os.kill, (child, 9))
    watch.start()
    with os.fdopen(read, "rb") as pipe:
        answer = pipe.read()
    status = os.waitpid(child, 0)[1]
    watch.cancel()
    assert status == 0, f"the child ended with status {status}; 9: it hung"
    return answer


@pytest.mark.parametrize("method", ["hist", "exact", "approx"])
def test_a_child_trains_and_predicts(method: str) -> None:
    X, y = table()
    booster = trained(X, y, tree_method=method)
    values = booster.predict(kb.DMatrix(X))
    assert in_child(lambda: model_of(trained(X, y, tree_method=method))) == model_of(booster)
    assert in_child(lambda: booster.predict(kb.DMatrix(X)).tobytes()) == values.tobytes()
    assert in_child(lambda: booster.inplace_predict(X).tobytes()) == values.tobytes()


def test_a_child_explains_by_the_baseline_on_openmp() -> None:
    X, y = table(2_000)
    booster = trained(X, y)
    quadrature = booster.predict(kb.DMatrix(X), pred_contribs=True)

    def values(threads: int, kind: str = "pred_contribs") -> bytes:
        booster.set_param({"shap_method": "treeshap", "nthread": threads})
        return booster.predict(kb.DMatrix(X), **{kind: True}).tobytes()

    for kind in ("pred_contribs", "pred_interactions"):
        expected = values(1, kind)
        assert values(3, kind) == expected
        assert in_child(lambda kind=kind: values(3, kind)) == expected
    again = np.frombuffer(values(4), np.float32).reshape(quadrature.shape)
    np.testing.assert_allclose(again, quadrature, rtol=1e-4, atol=1e-6)


def test_a_child_of_a_child() -> None:
    X, y = table()
    expected = model_of(trained(X, y))
    assert in_child(lambda: in_child(lambda: model_of(trained(X, y)))) == expected


def test_children_of_a_process_that_trains() -> None:
    X, y = table()
    expected = model_of(trained(X, y))
    ends = threading.Event()

    def go_on() -> None:
        while not ends.is_set():
            trained(X, y)

    others = [threading.Thread(target=go_on) for _ in range(2)]
    for other in others:
        other.start()
    try:
        for _ in range(5):
            assert in_child(lambda: model_of(trained(X, y))) == expected
    finally:
        ends.set()
        for other in others:
            other.join()


def test_a_training_goes_on_in_a_child() -> None:
    X, y = table()
    data = kb.DMatrix(X, label=y)
    booster = kb.Booster(PARAMS, [data])
    booster.update(data, 0)

    def rest() -> bytes:
        for iteration in (1, 2):
            booster.update(data, iteration)
        return model_of(booster)

    theirs = in_child(rest)
    assert theirs == rest()


def _predictions(X: np.ndarray, y: np.ndarray) -> bytes:
    return trained(X, y).predict(kb.DMatrix(X)).tobytes()


def test_multiprocessing_by_fork() -> None:
    X, y = table(5000)
    expected = _predictions(X, y)
    with multiprocessing.get_context("fork").Pool(3) as pool:
        answers = pool.starmap_async(_predictions, [(X, y)] * 6).get(SECONDS_TO_HANG)
    assert answers == [expected] * 6


def run(code: str, **environment: str) -> str:
    """Run a program that may import kauriboost; return its output."""
    result = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environment},
        capture_output=True,
        text=True,
        timeout=SECONDS_TO_HANG,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout.strip()


def without_threads(limit: bool) -> str:
    """Run code that uses threads in a process that may or may not start any; return its results."""
    return run(f"""
        import os, resource
        import numpy as np, kauriboost as kb
        rng = np.random.default_rng(3)
        X = rng.normal(size=(20000, 8)).astype(np.float32)
        y = (X[:, 0] * X[:, 1] > 0).astype(np.float32)
        wide = np.zeros((600_000, 8), np.float32)

        def results(nthread):
            kb.set_config(nthread=nthread)
            params = {{"nthread": nthread, "tree_method": "hist"}}
            data = kb.DMatrix(X, label=y)
            booster = kb.train(params, data, 3)
            contributions = booster.predict(kb.DMatrix(wide), pred_contribs=True)
            booster.set_param({{"shap_method": "treeshap"}})
            baseline = booster.predict(kb.DMatrix(X[:500]), pred_contribs=True).sum()
            scores = kb.cv(params, data, 3, nfold=3, as_pandas=False)
            return booster.predict(data).sum(), contributions.shape, baseline, scores["test-rmse-mean"]

        results(1)  # what is imported late has to be there before rights are given up
        if {limit}:
            if os.geteuid() == 0:
                os.setuid(65534)  # the superuser may always start more
            resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))
        before = len(os.listdir("/proc/self/task"))
        print(results(4))
        assert (len(os.listdir("/proc/self/task")) > before) != {limit}
    """)


def test_without_new_threads_training_goes_on() -> None:
    assert without_threads(limit=True) == without_threads(limit=False)


def default_threads(**environment: str) -> int:
    return int(
        run("import kauriboost._binding.process\nprint(kauriboost._binding.process.num_threads())", **environment)
    )


def test_default_threads_follow_the_environment() -> None:
    assert default_threads(OMP_NUM_THREADS="3") == 3
    assert default_threads(OMP_NUM_THREADS="5,2", OMP_THREAD_LIMIT="4") == 4
    assert default_threads(OMP_NUM_THREADS="") <= len(os.sched_getaffinity(0))


def test_default_threads_follow_the_affinity_mask() -> None:
    code = """
        import os, kauriboost._binding.process
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
        print(kauriboost._binding.process.num_threads())
    """
    assert run(code, OMP_NUM_THREADS="") == "1"


def test_default_threads_of_a_configuration() -> None:
    with kb.config_context(nthread=7):
        assert num_threads() == 7
    assert num_threads(2) == 2


def test_the_library_may_be_closed() -> None:
    """Threads that wait in the library keep it in memory."""
    code = f"""
        import _ctypes, ctypes, os, time
        import numpy as np
        X = np.ones((200_000, 4), np.float32)
        array = {{"data": [X.ctypes.data, True], "typestr": "<f4", "shape": X.shape, "version": 3}}
        text = str(array).replace("'", '"').replace("True", "true").replace("(", "[").replace(")", "]").encode()
        before = len(os.listdir("/proc/self/task"))
        for _ in range(2):
            library, handle = ctypes.CDLL({os.environ["KAURI_LIBRARY"]!r}), ctypes.c_void_p()
            assert library.XGDMatrixCreateFromDense(text, b'{{"missing": 1, "nthread": 4}}', ctypes.byref(handle)) == 0
            assert library.XGDMatrixFree(handle) == 0
            assert len(os.listdir("/proc/self/task")) == before + 3
            _ctypes.dlclose(library._handle)
            time.sleep(0.05)
        print("done")
    """
    assert run(code) == "done"
