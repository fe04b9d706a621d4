"""One parameter under two of its names with different values is an error that names both."""

from __future__ import annotations

from ctypes import byref, c_void_p

import kauriboost as kb
import numpy as np
import pytest

ROWS = np.random.default_rng(0).normal(size=(60, 3)).astype(np.float32)
LABELS = ROWS[:, 0]
CLASH = {"eta": 0.1, "learning_rate": 0.2}


def data() -> kb.DMatrix:
    return kb.DMatrix(ROWS, label=LABELS)


@pytest.mark.parametrize("params", [CLASH, dict(reversed(CLASH.items())), {"lambda": 1, "reg_lambda": 2}])
def test_train_and_cv_refuse_both(params: dict[str, float]) -> None:
    for call in (lambda: kb.train(params, data(), 2), lambda: kb.cv(params, data(), 2)):
        with pytest.raises(kb.ParameterError) as error:
            call()
        for name, value in params.items():
            assert f"{name}={value}" in str(error.value)


def test_equal_values_are_no_clash() -> None:
    kb.train({"eta": 0.1, "learning_rate": "0.10"}, data(), 2)


def test_estimators_refuse_both() -> None:
    with pytest.raises(kb.ParameterError, match="two names"):
        kb.KauriRegressor(learning_rate=0.1, eta=0.2).fit(ROWS, LABELS)


def test_a_parameter_is_changed_under_another_name_after_use() -> None:
    booster = kb.train({"eta": 0.1}, data(), 1)
    booster.set_param("learning_rate", 0.5)
    booster.update(data(), 1)
    assert '"learning_rate":"0.5"' in booster.save_config().replace(" ", "")


def test_setting_it_once_more_settles_it() -> None:
    booster = kb.train({}, data(), 1)
    before = booster.save_raw()
    with pytest.raises(kb.ParameterError, match="two names"):
        booster.set_param({"eta": 0.1, "learning_rate": 0.2})
    with pytest.raises(kb.ParameterError, match="two names"):
        booster.update(data(), 1)
    with pytest.raises(kb.ParameterError, match="two names"):
        booster.update(data(), 1)
    booster.set_param("eta", 0.3)
    assert booster.save_raw() == before
    booster.update(data(), 1)


def test_the_c_functions_do_so_too() -> None:
    from kauriboost._binding.library import LIB, check

    matrix, handle = data(), c_void_p()
    handles = (c_void_p * 1)(matrix.handle)
    check(LIB.XGBoosterCreate(handles, 1, byref(handle)))
    for name, value in ((b"eta", b"0.1"), (b"learning_rate", b"0.2")):
        check(LIB.XGBoosterSetParam(handle, name, value))
    assert LIB.XGBoosterUpdateOneIter(handle, 0, matrix.handle) != 0
    assert b"eta=0.1 and learning_rate=0.2" in LIB.XGBGetLastError()
    check(LIB.XGBoosterFree(handle))


def test_what_is_set_later_may_have_the_other_name() -> None:
    booster = kb.Booster({"eta": 0.1}, [data()])
    booster.set_param("learning_rate", 0.2)
    booster.update(data(), 1)
    assert '"learning_rate":"0.2' in booster.save_config().replace(" ", "")
    kb.train({"eta": 0.5}, data(), 2, callbacks=[kb.callback.LearningRateScheduler([0.3, 0.2])], verbose_eval=False)
